/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The core's own counter of L3 misses as the witness of what is in the L3, and of requests to the L3 as that of what is
 * in the L2. Where masks and occupancy disagree, it says which of the two is wrong. */
#include "arch/x86/cpu/core_pmu.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/machine/boxes.h"
#include "core/measure/alloc.h"
#include "core/checks/allocation/core_misses.h"
#include "core/measure/legacy.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define LINE        64.0
#define READ_AGAIN  2u
#define MASKS_MOST  6u
#define MISSES_LESS 0.08 /* speculation may have fetched a line early; the band of bandwidth */
#define SCRIPT_MS   1000u

static enum status pmu_script(struct check *c, const struct core_pmu *pmu, bool end, uint64_t *value)
{
    struct step steps[CORE_PMU_STEPS];
    uint32_t n = end ? core_pmu_end(pmu, steps) : core_pmu_begin(pmu, steps);
    enum status st = script_run(c->platform, pmu->cpu, steps, n, SCRIPT_MS);

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = steps[i].status;
    *value = steps[end ? 0 : n - 1].value;
    return st;
}

/* An experiment, tried once, and the misses of its processor meanwhile. */
static enum status watched(struct experiment *e, const struct core_pmu *pmu, double *misses)
{
    uint64_t before = 0, after = 0;
    enum status st, back;

    e->flags |= EXPERIMENT_ONCE;
    e->tries = 1;
    st = pmu_script(e->check, pmu, false, &before);
    if (st == ST_OK)
        st = experiment_try(e);
    back = pmu_script(e->check, pmu, true, &after);
    st = status_first(st, back);
    if (st != ST_OK)
        return st;
    *misses = (double)core_pmu_delta(pmu, before, after);
    evidence_msr(e->check, pmu->cpu, IA32_PMC(pmu->counter), before, 0);
    evidence_msr(e->check, pmu->cpu, IA32_PMC(pmu->counter), after, 0);
    return ST_OK;
}

/* --- CA-14: a class with fewer ways misses more --------------------------------------------------------------------
 *
 * A buffer is filled and then read on in a class whose mask has fewer ways each time. Of a buffer no more than those
 * ways and the core's own caches can be there when it is read again, so so many misses there must be at least, whatever
 * the replacement.
 */

struct shrinking {
    struct check *check;
    uint32_t domain;
    struct test_buffer bench;
    struct alloc_table t;
    struct core_pmu pmu;
    uint32_t first, bits; /* of the mask that is not shareable */
    uint64_t way_bytes, own_caches;
    uint32_t masks[MASKS_MOST], n; /* how many bits each has, falling */
    double misses[MASKS_MOST];
};

/* Fill, and read again, in class 1. false: it could not be measured, and that was said. */
static bool count_misses(struct shrinking *s, double *misses)
{
    struct traffic_part part = part_read(s->bench.rmids[0], s->bench.base, s->bench.bytes);
    struct traffic_load load = { .cpu = s->bench.cpu, .n_parts = 1, .parts = &part };
    struct reading r = occupancy_of(s->domain, s->bench.rmids[0]);
    struct experiment e = { .check = s->check, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    enum status st = ST_DISTURBED;

    part.clos = 1;
    part.work.passes = 1 + READ_AGAIN;
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++)
        st = watched(&e, &s->pmu, misses);
    if (st != ST_OK)
        check_conclude(e.check, experiment_explain(&e, st));
    return st == ST_OK;
}

double requests_least(double bytes, double kept)
{
    return (1 - MISSES_LESS) * (bytes + (bytes > kept ? READ_AGAIN * (bytes - kept) : 0)) / LINE;
}

/* Lines that a class with so many ways cannot have kept. */
static double misses_least(const struct shrinking *s, uint32_t bits)
{
    return requests_least((double)s->bench.bytes, (double)(bits * s->way_bytes + s->own_caches));
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

/* The longest run of mask bits that devices do not fill as well, and masks of half of it down to the least. */
static bool choose_masks(struct shrinking *s)
{
    uint32_t step, least, cpu;

    s->bits = alloc_exclusive_run(&s->t, &s->first);
    if (s->t.classes < 2 || s->bits < 4 || domain_cpus(s->check, s->domain, &cpu, 1) == 0)
        return false;
    least = alloc_least_bits(s->check, &s->t, cpu, s->first);
    step = s->bits / 2 / (MASKS_MOST - 1) + 1;
    for (uint32_t bits = s->bits / 2; s->n + 1 < MASKS_MOST && bits > least; bits = bits > step ? bits - step : 1)
        s->masks[s->n++] = bits;
    s->masks[s->n++] = least;
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
        return text_format(why, WHY_SIZE,
                           "L3 domain %u: no Intel core that works, fewer than two classes, or too few mask bits",
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

LEGACY_DOMAIN(misses)

/* --- CM-21: what an RMID holds is there ----------------------------------------------------------------------------
 *
 * The list times the reload of each line; a miss is what makes it slow, and is counted here. A few slices of the buffer
 * stand for all of it: reading the whole would evict what it has still to come to.
 */

#define SLICES      64u
#define SLICE_SHARE 2048u /* of the buffer: all slices are a 32nd of it                         */
#define SCATTER     61u   /* a prime: no two slices stand at the same place of their part of it */
#define POINTS_OFF  15.0

struct resident {
    struct test_buffer bench;
    struct core_pmu pmu;
    uint64_t others; /* bytes that another RMID reads behind it */
};

#define LINES (~UINT64_C(63))

static uint64_t slice_of(uint64_t bytes)
{
    return bytes / SLICE_SHARE & LINES;
}

/* Fill, have another RMID evict a part, then read the slices. *held: bytes of occupancy; *misses: of the slices. */
static enum status read_slices(struct check *c, uint32_t domain, const struct resident *k, double *held, double *misses,
                               struct experiment *e)
{
    const struct test_buffer *b = &k->bench;
    uint64_t slice = slice_of(b->bytes), part = b->bytes / SLICES & LINES;
    struct traffic_part fill[2] = { part_read(b->rmids[0], b->base, b->bytes),
                                    part_read(b->rmids[1], b->base + b->bytes, k->others) },
                        slices[SLICES];
    struct traffic_load load = { .cpu = b->cpu, .n_parts = 2, .parts = fill };
    struct reading r = occupancy_of(domain, b->rmids[0]);
    enum status st;

    *e = (struct experiment){ .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    e->flags = EXPERIMENT_ONCE;
    st = experiment_try(e);
    *held = r.bytes;
    for (uint32_t i = 0; i < SLICES; i++)
        slices[i] =
            part_read(b->rmids[0], b->base + i * part + i * 37 % SCATTER * (part / (SCATTER + 2) & LINES), slice);
    load.parts = slices;
    load.n_parts = SLICES;
    e->flags = EXPERIMENT_WARM;
    if (st == ST_OK)
        st = watched(e, &k->pmu, misses);
    e->loads = NULL;
    e->readings = NULL;
    return st;
}

static bool resident(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct resident k = { .others = ROUND_DOWN(d->l3_bytes / 4 * 3) };
    uint64_t half = ROUND_DOWN(d->l3_bytes / 2), lines = SLICES * slice_of(half) / 64;
    enum status st = ST_DISTURBED;
    struct experiment e = { .check = c };
    double held = 0, misses = 0, shown, there;
    char where[48];

    if (!bench_any(c, domain, 2, half + k.others, &k.bench, why))
        return false;
    k.bench.bytes = half;
    st = is_intel(c) ? core_pmu_find(c->platform, k.bench.cpu, &k.pmu) : ST_ABSENT;
    if (st != ST_OK)
        return text_format(why, WHY_SIZE, "cpu %u has no free counter of L3 misses: %s", k.bench.cpu, status_text(st)),
               false;
    st = ST_DISTURBED;
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++)
        st = read_slices(c, domain, &k, &held, &misses, &e);
    if (st != ST_OK)
        return cannot_measure(c, st, e.bad_cpu, "the misses of a buffer"), true;
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, k.bench.rmids[0]);
    shown = 100 * held / (double)half;
    there = misses < (double)lines ? 100 * (1 - misses / (double)lines) : 0;
    measure(c, "occupancy over the buffer", where, shown, "%", -NO_BOUND, NO_BOUND);
    measure(c, "lines of the buffer that were hits", where, there, "%", -NO_BOUND, NO_BOUND);
    if (!measure(c, "occupancy less hits", where, shown - there, "points", -POINTS_OFF, POINTS_OFF))
        warn(c, "%s: %u %% of a buffer are held by its occupancy, and %u %% of its lines are hits", where,
             (unsigned)shown, (unsigned)there);
    return true;
}

LEGACY_DOMAIN(resident)

/* --- L2-02: a class with fewer ways of the L2 asks the L3 for more --------------------------------------------------
 *
 * No L2 has a monitor. What it cannot keep is asked for again, and the core counts what it asks the L3 for. Half an L2
 * is read on in a class with one way of it: no more than that way and the L1 can be there when it is read again, so so
 * many requests there must be at least, whatever the replacement. Disturbance and prefetches only add to them.
 */

struct private_cache {
    uint32_t cpu;
    uint64_t base, bytes;
    struct core_pmu pmu;
};

static uint64_t l1_bytes_of(const struct check *c)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 1 && c->machine->caches[i].kind != 'i')
            bytes = c->machine->caches[i].bytes;
    return bytes;
}

/* Flush the buffer and read it 1 + READ_AGAIN times in class 1; requests meanwhile. ST_UNSUPPORTED: prefetchers cannot
 * be turned off, and what they fetch ahead the counter may not count. */
static enum status count_requests(struct check *c, const struct private_cache *k, double *requests)
{
    struct traffic_part flush = part_flush(0, k->base, k->bytes), read = part_read(0, k->base, k->bytes);
    struct traffic_load loads[2] = { { .cpu = k->cpu, .n_parts = 1, .parts = &flush },
                                     { .cpu = k->cpu, .n_parts = 1, .parts = &read } };
    struct traffic_outcome outcome = { 0 };
    uint64_t before = 0, after = 0;
    uint32_t bad = 0;
    enum status st, back;

    read.clos = 1;
    read.work.passes = 1 + READ_AGAIN;
    st = traffic_run(c->platform, &loads[0], 1, 0, &outcome, &bad);
    if (st == ST_OK)
        st = pmu_script(c, &k->pmu, false, &before);
    if (st == ST_OK)
        st = traffic_run(c->platform, &loads[1], 1, TRAFFIC_PREFETCH_OFF, &outcome, &bad);
    back = pmu_script(c, &k->pmu, true, &after);
    st = status_first(st, back);
    if (st != ST_OK)
        return st;
    *requests = (double)core_pmu_delta(&k->pmu, before, after);
    evidence_msr(c, k->cpu, IA32_PMC(k->pmu.counter), before, 0);
    evidence_msr(c, k->cpu, IA32_PMC(k->pmu.counter), after, 0);
    return outcome.prefetch_found ? ST_OK : ST_UNSUPPORTED;
}

void judge_l2_requests(struct check *c, uint32_t cpu, double bytes, double kept, double all, double few)
{
    double least = requests_least(bytes, kept);
    char where[48];

    text_format(where, sizeof where, "cpu %u, all ways of the L2", cpu);
    measure(c, "requests to the L3", where, all, "lines", -NO_BOUND, NO_BOUND);
    text_format(where, sizeof where, "cpu %u, one way of the L2", cpu);
    if (!measure(c, "requests to the L3", where, few, "lines", least, NO_BOUND))
        warn(c, "%s: %llu requests in %u reads of %llu bytes, and %llu must there be if the mask acts", where,
             (unsigned long long)few, 1 + READ_AGAIN, (unsigned long long)bytes, (unsigned long long)least);
}

/* A processor of the package, its counter and half of its L2; false: why. */
static bool private_open(struct check *c, uint32_t package, struct private_cache *k, char why[WHY_SIZE])
{
    enum status st;
    bool has_l3;

    k->cpu = package_worker(c->platform, c->machine, package);
    if (!is_intel(c) || k->cpu == UINT32_MAX)
        return text_format(why, WHY_SIZE, "package %u: no Intel core, or none that takes work", package), false;
    has_l3 = c->machine->cpus[k->cpu].domain != NO_DOMAIN;
    /* Without an L3 the L2 is the last level: what it asks for are its misses. */
    st = core_pmu_find_event(c->platform, k->cpu, has_l3 ? PMU_LLC_REFERENCES : PMU_LLC_MISSES, &k->pmu);
    if (st != ST_OK)
        return text_format(why, WHY_SIZE, "cpu %u has no free counter of requests to the L3: %s", k->cpu,
                           status_text(st)),
               false;
    k->bytes = ROUND_DOWN(l2_bytes_of(c) / 2);
    return k->bytes > 0 && take_any(c, k->cpu, k->bytes, &k->base, why);
}

static bool l2_requests(struct check *c, uint32_t package, char why[WHY_SIZE])
{
    struct alloc_table t = alloc_l2_masks(c);
    struct private_cache k = { .cpu = 0 };
    uint32_t first = 0, bits = alloc_exclusive_run(&t, &first);
    bool good;
    double all = 0, few = 0, kept = (double)(t.bits ? l2_bytes_of(c) / t.bits : 0) + 2.0 * (double)l1_bytes_of(c);
    enum status st = ST_OK;

    if (t.classes < 2 || bits < 4)
        return text_format(why, WHY_SIZE, "fewer than two classes of the L2, or too few mask bits"), false;
    if (!private_open(c, package, &k, why))
        return false;
    if ((double)k.bytes < 2 * kept)
        return text_format(why, WHY_SIZE, "half of the L2, %llu bytes, is little more than one way and the L1",
                           (unsigned long long)k.bytes),
               false;
    if (reference_rdt(c)->l2.cdp &&
        (!alloc_touch(c, IA32_L2_QOS_CFG) || (alloc_found(c, k.cpu, IA32_L2_QOS_CFG) & IA32_L2_QOS_CFG_CDP_ENABLE)))
        return text_format(why, WHY_SIZE, "code and data have masks of their own in this L2, as firmware left it"),
               false;
    if (!alloc_touch_table(c, &t))
        return true;
    good = alloc_write(c, &t, 1, low_bits(t.bits));
    if (good)
        st = count_requests(c, &k, &all);
    good = good && st == ST_OK && alloc_write(c, &t, 1, UINT64_C(1) << first);
    if (good)
        st = count_requests(c, &k, &few);
    alloc_put_back_table(c, &t);
    if (good && st == ST_OK)
        judge_l2_requests(c, k.cpu, (double)k.bytes, kept, all, few);
    if (st != ST_OK)
        text_format(why, WHY_SIZE, "cpu %u: %s", k.cpu,
                    st == ST_UNSUPPORTED ? "its prefetchers cannot be turned off" : status_text(st));
    return st == ST_OK;
}

/* By package: there are parts with masks of the L2 and without monitoring, or without an L3. */
static enum verdict check_l2_requests(struct check *c)
{
    char why[WHY_SIZE] = "";
    uint32_t measured = 0;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        tools_reset(c->tools);
        if (l2_requests(c, p, why))
            measured++;
        else
            note(c, "not judged: %s", why);
    }
    return measured > 0 || check_verdict(c) != VERDICT_PASS ? check_verdict(c) : skip(c, "%s", why);
}

static const struct check_row rows[] = {
    { .id = "cat.misses",
      .title = "A class with fewer ways misses more",
      .spec = "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture; Linux selftests/resctrl cat_test.c",
      .rows = "CA-14",
      .detects = "masks without effect, seen by the core and not by occupancy",
      .means = "the core misses as often with few ways as with many: the mask does nothing",
      .next = "`cat.shares`: if that passes, the core's counters; else the masks",
      .needs = NEED_OCCUPANCY | NEED_RDT_A | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 510,
      .run_domain = misses_status },
    { .id = "cmt.resident",
      .title = "As much of a buffer is in the L3 as its RMID's occupancy says",
      .spec = "SDM vol. 3B 17.16.1; 18.2.1.2 Pre-defined Architectural Performance Events: LLC misses",
      .rows = "CM-21",
      .detects = "occupancy that is not backed by lines that are there",
      .means = "lines are under the wrong RMID, or lost",
      .next = "`cmt.fill` and `cmt.alias` first; the processor and RMID in the finding; whether another L3 does it",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 510,
      .run_domain = resident_status },
    { .id = "l2.misses",
      .title = "A class with one way of the L2 asks the L3 for what does not fit",
      .spec = "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture; 18.2.1.2 Pre-defined Architectural "
              "Performance Events: LLC reference",
      .rows = "L2-02",
      .detects = "masks of the L2 without effect",
      .means = "masks of the L2 are stored and do not act",
      .next = "`l2.masks`, which needs no traffic; requests with all ways and with one in the stream; prefetchers",
      .needs = NEED_L2_CAT | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_MASKS,
      .order = 510,
      .run = check_l2_requests },
};
CHECK_FAMILY(core_misses, rows);
