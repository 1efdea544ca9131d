/* What capacity masks do, without occupancy as the witness: the core's own counter of L3 misses. Where masks and
 * occupancy disagree, this says which of the two is wrong.
 *
 * A buffer is filled and then read on in a class whose mask has fewer ways each time. Of a buffer no more than those
 * ways and the core's own caches can be there when it is read again, so so many misses there must be at least, whatever
 * the replacement.
 */
#include "arch/x86/core_pmu.h"
#include "core/bits.h"
#include "core/checks/alloc.h"
#include "core/checks/families.h"
#include "core/checks/monitor.h"
#include "core/script.h"
#include "core/text.h"

#define LINE        64.0
#define READ_AGAIN  2u
#define MASKS_MOST  6u
#define MISSES_LESS 0.08 /* speculation may have fetched a line early; the band of bandwidth */
#define SCRIPT_MS   1000u

struct shrinking {
    struct check *check;
    uint32_t domain;
    struct bench bench;
    struct alloc_table t;
    struct core_pmu pmu;
    uint32_t first, bits; /* of the mask that is not shareable */
    uint64_t way_bytes, own_caches;
    uint32_t masks[MASKS_MOST], n; /* how many bits each has, falling */
    double misses[MASKS_MOST];
};

static enum status pmu_script(struct shrinking *s, bool end, uint64_t *value)
{
    struct step steps[CORE_PMU_STEPS];
    uint32_t n = end ? core_pmu_end(&s->pmu, steps) : core_pmu_begin(&s->pmu, steps);
    enum status st = script_run(s->check->platform, s->pmu.cpu, steps, n, SCRIPT_MS);

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = steps[i].status;
    *value = steps[end ? 0 : n - 1].value;
    return st;
}

/* Fill, and read again, in class 1. false: it could not be measured, and that was said. */
static bool count_misses(struct shrinking *s, double *misses)
{
    struct traffic_part part = part_read(s->bench.rmids[0], s->bench.base, s->bench.bytes);
    struct traffic_load load = { .cpu = s->bench.cpu, .n_parts = 1, .parts = &part };
    struct reading r = occupancy_of(s->domain, s->bench.rmids[0]);
    struct experiment e = { .check = s->check, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    uint64_t before = 0, after = 0;
    enum status st = ST_DISTURBED, back;

    part.clos = 1;
    part.work.passes = 1 + READ_AGAIN;
    e.flags = EXPERIMENT_ONCE;
    e.tries = 1;
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++) {
        st = pmu_script(s, false, &before);
        if (st == ST_OK)
            st = experiment_try(&e);
        back = pmu_script(s, true, &after);
        st = status_first(st, back);
    }
    if (st != ST_OK)
        return experiment_failed(&e, st), false;
    *misses = (double)core_pmu_delta(&s->pmu, before, after);
    evidence_msr(s->check, s->pmu.cpu, IA32_PMC(s->pmu.counter), before, 0);
    evidence_msr(s->check, s->pmu.cpu, IA32_PMC(s->pmu.counter), after, 0);
    return true;
}

/* Lines that a class with so many ways cannot have kept: all of them once, and what does not fit each time again. */
static double misses_least(const struct shrinking *s, uint32_t bits)
{
    double bytes = (double)s->bench.bytes, kept = (double)(bits * s->way_bytes + s->own_caches);

    return (1 - MISSES_LESS) * (bytes + (bytes > kept ? READ_AGAIN * (bytes - kept) : 0)) / LINE;
}

static void judge_misses(const struct shrinking *s)
{
    struct check *c = s->check;
    char where[48];

    for (uint32_t i = 0; i < s->n; i++) {
        double least = misses_least(s, s->masks[i]);

        text_format(where, sizeof where, "L3 domain %u, mask of %u bits", s->domain, s->masks[i]);
        if (!measure(c, "L3 misses", where, s->misses[i], "lines", least, NO_BOUND))
            warn(c, "%s: %llu misses in %u reads of %llu bytes, and %llu must there be if the mask acts", where,
                 (unsigned long long)s->misses[i], 1 + READ_AGAIN, (unsigned long long)s->bench.bytes,
                 (unsigned long long)least);
        /* Linux's cat_test wants this to be no less than the bits that are left less one, in percent. */
        if (i && s->misses[i - 1] > 0)
            measure(c, "as Linux cat_test: percent diff", where,
                    100 * (s->misses[i] - s->misses[i - 1]) / s->misses[i - 1], "%", -NO_BOUND, NO_BOUND);
    }
}

/* The longest run of mask bits that devices do not fill as well, and masks of half of it down to one bit. */
static bool choose_masks(struct shrinking *s)
{
    uint32_t run = 0, step;

    for (uint32_t bit = 0; bit < s->t.bits; bit++) {
        run = s->t.shareable & BIT(bit) ? 0 : run + 1;
        if (run > s->bits) {
            s->bits = run;
            s->first = bit + 1 - run;
        }
    }
    if (s->t.classes < 2 || s->bits < 4)
        return false;
    step = s->bits / 2 / (MASKS_MOST - 1) + 1;
    for (uint32_t bits = s->bits / 2; s->n + 1 < MASKS_MOST && bits > 1; bits = bits > step ? bits - step : 1)
        s->masks[s->n++] = bits;
    s->masks[s->n++] = 1;
    return true;
}

static void shrink(struct shrinking *s)
{
    struct check *c = s->check;
    bool good = alloc_touch_table(c, &s->t);
    uint32_t done = 0;

    series_begin(c, "L3 misses over mask bits", "lines", "mask bits", "");
    for (; done < s->n && good; done += good) {
        good = alloc_write(c, &s->t, 1, low_bits(s->masks[done]) << s->first) && count_misses(s, &s->misses[done]);
        if (good)
            series_add(c, s->masks[done], s->misses[done]);
    }
    series_end(c);
    alloc_put_back_table(c, &s->t);
    if (done == s->n)
        judge_misses(s);
}

static bool misses(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct shrinking s = { .check = c, .domain = domain, .t = alloc_l3_masks(c) };
    enum status st;

    if (domain > 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: one L3 shows it", domain), false;
    if (!is_intel(c) || !choose_masks(&s))
        return text_format(why, WHY_SIZE, "L3 domain %u: no Intel core, fewer than two classes, or too few mask bits",
                           domain),
               false;
    s.way_bytes = d->l3_bytes / s.t.bits;
    s.own_caches = 2 * l2_bytes_of(c); /* and the L1s, generously */
    if (!bench_any(c, domain, 1, s.masks[0] * s.way_bytes / 4 * 3, &s.bench, why))
        return false;
    if (s.bench.bytes < 2 * (s.way_bytes + s.own_caches))
        return text_format(why, WHY_SIZE, "L3 domain %u: %llu bytes of half the ways are no more than a core's caches",
                           domain, (unsigned long long)s.bench.bytes),
               false;
    st = core_pmu_find(c->platform, s.bench.cpu, &s.pmu);
    if (st != ST_OK)
        return text_format(why, WHY_SIZE, "cpu %u has no free counter of L3 misses: %s", s.bench.cpu, status_text(st)),
               false;
    shrink(&s);
    return true;
}

static enum verdict check_misses(struct check *c)
{
    return each_domain(c, misses);
}

const struct check_row cat_misses_checks[] = {
    { .id = "cat.misses",
      .title = "A class with fewer ways misses more",
      .spec = "SDM vol. 3B 17.17.2 Cache Allocation Technology Architecture; Linux selftests/resctrl cat_test.c",
      .rows = "CA-14",
      .catches = "masks without effect, seen by the core and not by occupancy",
      .needs = NEED_OCCUPANCY | NEED_RDT_A | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .run = check_misses },
};
