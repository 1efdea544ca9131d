/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The core's own counter of L3 misses as the witness of what is in the L3. Where masks and occupancy disagree, it
 * says which of the two is wrong. */
#include "core/checks/allocation/core_misses.h"

#include "core/base/bits.h"
#include "core/domain/alloc.h"
#include "core/experiment/fill.h"

#define MASKS_MOST  6u
#define MISSES_LESS 0.08 /* speculation may have fetched a line early; the band of bandwidth */

/* An experiment, tried once, and the L3 misses of its processor meanwhile. */
static enum status experiment_with_misses(struct experiment *e, const struct core_pmu *pmu, double *misses)
{
    uint64_t before = 0, after = 0;
    enum status st, back;

    e->flags |= EXPERIMENT_ONCE;
    e->tries = 1;
    st = core_pmu_read(e->check->platform, pmu, false, &before);
    if (st == ST_OK)
        st = experiment_try(e);
    back = core_pmu_read(e->check->platform, pmu, true, &after);
    TRY(status_first(st, back));
    *misses = (double)core_pmu_delta(pmu, before, after);
    evidence_msr(e->check, pmu->cpu, IA32_PMC(pmu->counter), before, 0);
    evidence_msr(e->check, pmu->cpu, IA32_PMC(pmu->counter), after, 0);
    return ST_OK;
}

/* --- CA-14: a class with fewer ways misses more ---
 *
 * A buffer is filled and then read again in a class whose mask has fewer ways each time. No more of the buffer than
 * those ways and the core's own caches hold can be hits, so that there is a least number of misses, whatever the
 * replacement. */

struct miss_series {
    struct check *check;
    uint32_t domain;
    struct test_buffer buffer;
    struct alloc_table t;
    struct core_pmu pmu;
    uint32_t first, bits; /* of the longest run of mask bits that are not shareable */
    uint64_t way_bytes, own_caches;
    uint32_t masks[MASKS_MOST], n; /* how many bits each has, descending */
    double misses[MASKS_MOST];
};

/* Fill, and read again, in class 1. Errors: those of experiment_measure(). */
static enum status count_misses(struct miss_series *s, double *misses)
{
    struct traffic_part part = part_read(s->buffer.rmids[0], s->buffer.base, s->buffer.bytes);
    struct traffic_load load = { .cpu = s->buffer.cpu, .n_parts = 1, .parts = &part };
    struct reading r = reading_occupancy(s->domain, s->buffer.rmids[0]);
    struct experiment e = { .check = s->check, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    enum status st = ST_DISTURBED;

    part.clos = 1;
    part.work.passes = 1 + READ_AGAIN;
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++)
        st = experiment_with_misses(&e, &s->pmu, misses);
    return st == ST_OK ? ST_OK : experiment_explain(&e, st);
}

double core_misses_least(double bytes, double kept)
{
    return (1 - MISSES_LESS) * (bytes + (bytes > kept ? READ_AGAIN * (bytes - kept) : 0)) / LINE;
}

/* The least misses in a class with so many ways. */
static double least_misses(const struct miss_series *s, uint32_t bits)
{
    return core_misses_least((double)s->buffer.bytes, (double)(bits * s->way_bytes + s->own_caches));
}

static void judge_misses(const struct miss_series *s)
{
    struct check *c = s->check;

    for (uint32_t i = 0; i < s->n; i++) {
        struct place place = place_with_detail(place_domain(s->domain), "CBM of %u bits", s->masks[i]);
        double least = least_misses(s, s->masks[i]);

        if (least > (double)s->buffer.bytes / LINE) /* else it has room for all: what more ways keep shows nowhere */
            excludes(c, "an excess over a CBM", (s->misses[i] - least) * LINE / READ_AGAIN / (double)s->way_bytes,
                     "ways");
        if (!check_measure(c, "L3 misses", place, s->misses[i], "lines", least, NO_BOUND))
            finding(c, FINDING_UNUSUAL, 0, FOUND_MASK_WITHOUT_EFFECT, place,
                    "%lu L3 misses in %u reads of %lu bytes; at least %lu if the mask acts", (uint64_t)s->misses[i],
                    1 + READ_AGAIN, s->buffer.bytes, (uint64_t)least);
        /* Linux selftests/resctrl cat_test.c: at least the number of remaining mask bits less one, in percent. */
        if (i && s->misses[i - 1] > 0)
            check_show(c, "as Linux cat_test: percent diff", place,
                       100 * (s->misses[i] - s->misses[i - 1]) / s->misses[i - 1], "%");
    }
}

/* Masks of half of the longest run of mask bits that are not shareable, and less, down to the fewest that are
 * accepted. */
static enum status choose_masks(struct miss_series *s)
{
    uint32_t step, least = 1, cpu;
    enum status st;

    s->bits = alloc_exclusive_run(&s->t, &s->first);
    if (!reference_is_intel(s->check) || s->t.classes < 2 || s->bits < 4 ||
        domain_cpus(s->check, s->domain, &cpu, 1) == 0)
        return check_absent(s->check,
                            "L3 domain %u: no Intel processor that takes work, fewer than two CLOS, or fewer than "
                            "four mask bits that are not shareable",
                            s->domain);
    st = alloc_least_bits(s->check, &s->t, cpu, s->first, &least);
    step = s->bits / 2 / (MASKS_MOST - 1) + 1;
    for (uint32_t bits = s->bits / 2; s->n + 1 < MASKS_MOST && bits > least; bits = bits > step ? bits - step : 1)
        s->masks[s->n++] = bits;
    s->masks[s->n++] = least;
    return st;
}

static enum status misses_over_masks(struct miss_series *s)
{
    enum status st = ST_OK;

    series_begin(s->check, "L3 misses over mask bits", place_domain(s->domain), "lines", "mask bits", "");
    for (uint32_t i = 0; i < s->n && st == ST_OK; i++) {
        st = alloc_write(s->check, &s->t, 1, low_bits(s->masks[i]) << s->first);
        if (st == ST_OK)
            st = count_misses(s, &s->misses[i]);
        if (st == ST_OK)
            series_add(s->check, s->masks[i], s->misses[i]);
    }
    series_end(s->check);
    return st;
}

static enum status l3_miss_counter(struct check *c, uint32_t cpu, struct core_pmu *pmu)
{
    enum status st = reference_is_intel(c) ? core_pmu_find(c->platform, cpu, pmu) : ST_ABSENT;

    return st == ST_OK ? ST_OK : check_absent(c, "L3-miss event not available on cpu %u: %s", cpu, status_text(st));
}

/* A buffer of three quarters of the widest mask. */
static enum status miss_series_init(struct miss_series *s)
{
    struct check *c = s->check;

    TRY(choose_masks(s));
    s->way_bytes = l3_whole_bytes(&c->machine->domains[s->domain]) / s->t.bits;
    s->own_caches = 2 * reference_l2_bytes(c); /* more than the L2 and the L1s hold */
    TRY(test_buffer_contiguous(c, s->domain, 1, s->masks[0] * s->way_bytes / 4 * 3, &s->buffer));
    if (s->buffer.bytes < 2 * (s->way_bytes + s->own_caches))
        return check_absent(c, "L3 domain %u: three quarters of half the ways, %lu bytes, are too small against the L2",
                            s->domain, s->buffer.bytes);
    TRY(l3_miss_counter(c, s->buffer.cpu, &s->pmu));
    return alloc_record_table(c, &s->t);
}

static enum status cat_misses(struct check *c, uint32_t domain)
{
    struct miss_series s = { .check = c, .domain = domain, .t = alloc_l3_masks(c) };
    enum status st;

    if (domain > 0)
        return check_absent(c, "L3 domain %u: only the first L3 is measured", domain);
    TRY(miss_series_init(&s));
    st = misses_over_masks(&s);
    st = status_first(st, alloc_put_back_table(c, &s.t));
    if (st == ST_OK)
        judge_misses(&s);
    return st;
}

/* --- CM-21: lines counted as occupancy are in the L3 ---
 *
 * A line that is read again and is in the L3 is a hit; the core counts the misses. A few slices of the buffer stand
 * for all of it: reading the whole buffer would evict lines that are still to be read. */

#define SLICES      64u
#define SLICE_SHARE 2048u /* of the buffer: all slices together are 1/32 of it                     */
#define SCATTER     61u   /* a prime: each slice is at another offset in its part of the buffer    */
#define POINTS_OFF  15.0

struct resident {
    struct test_buffer buffer;
    struct core_pmu pmu;
    struct fill fills[2]; /* of the buffer, and of what another RMID fills after it */
};

#define LINES (~UINT64_C(63))

static uint64_t slice_of(uint64_t bytes)
{
    return bytes / SLICE_SHARE & LINES;
}

/* Fill, have another RMID evict a part, then read the slices. *held: occupancy in bytes; *misses: those of the
 * slices. */
static enum status read_slices(struct check *c, uint32_t domain, const struct resident *k, double *held, double *misses,
                               struct experiment *e)
{
    const struct test_buffer *b = &k->buffer;
    uint64_t slice = slice_of(b->bytes), part = b->bytes / SLICES & LINES;
    struct traffic_part slices[SLICES];
    struct traffic_load load;
    struct reading r = reading_occupancy(domain, b->rmids[0]);
    enum status st;

    TRY(fill_chain(k->fills, 2, &load));
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
        st = experiment_with_misses(e, &k->pmu, misses);
    e->loads = NULL;
    e->readings = NULL;
    return st;
}

static enum status read_slices_settled(struct check *c, uint32_t domain, const struct resident *k, double *held,
                                       double *misses)
{
    struct experiment e = { .check = c };
    enum status st = ST_DISTURBED;

    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++)
        st = read_slices(c, domain, k, held, misses, &e);
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, e.bad_cpu, "the L3 misses of a buffer");
}

static void judge_resident(struct check *c, uint32_t domain, const struct resident *k, double held, double misses)
{
    double lines = (double)(SLICES * slice_of(k->buffer.bytes)) / LINE;
    double shown = 100 * held / (double)k->buffer.bytes, hits = misses < lines ? 100 * (1 - misses / lines) : 0;
    struct place place = place_rmid(domain, k->buffer.rmids[0]);

    check_show(c, "occupancy over buffer size", place, shown, "%");
    check_show(c, "L3 hits over lines read", place, hits, "%");
    excludes(c, "occupancy without hits", POINTS_OFF - (shown - hits), "points");
    excludes(c, "hits without occupancy", POINTS_OFF + (shown - hits), "points");
    if (!check_measure(c, "occupancy less hits", place, shown - hits, "points", -POINTS_OFF, POINTS_OFF))
        finding(c, FINDING_UNUSUAL, 0, FOUND_HITS_DIFFER, place,
                "occupancy is %u %% of the buffer, and %u %% of its lines are L3 hits", (unsigned)shown,
                (unsigned)hits);
}

static enum status cmt_resident(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t half = ROUND_DOWN(d->l3_bytes / 2), others = ROUND_DOWN(d->l3_bytes / 4 * 3);
    struct resident k;
    double held = 0, misses = 0;

    TRY(fill_take(c, domain, 2, half + others, &k.buffer, &k.fills[0]));
    TRY(l3_miss_counter(c, k.buffer.cpu, &k.pmu));
    k.buffer.bytes = k.fills[0].bytes = half;
    k.fills[1] = k.fills[0];
    k.fills[1].rmid = k.buffer.rmids[1];
    k.fills[1].base += half;
    k.fills[1].bytes = others;
    k.fills[1].scratch_bytes = 0;
    TRY(read_slices_settled(c, domain, &k, &held, &misses));
    judge_resident(c, domain, &k, held, misses);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cat.misses",
      .title = "A CLOS with fewer L3 ways has more L3 misses",
      .spec = "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture; Linux selftests/resctrl cat_test.c",
      .covers = "CA-14",
      .means = "the core misses as often with few ways as with many: the CBM has no effect",
      .next = "`cat.shares`: if that passes, the core's counters; else the masks",
      .needs = NEED_RDT_A | NEED_CLASSES,
      .rests_on = RESTS_ON_MASKS,
      .run_domain = cat_misses },
    { .id = "cmt.resident",
      .title = "The L3 hits of a buffer agree with its RMID's occupancy",
      .spec = "SDM vol. 3B 17.16.1; 18.2.1.2 Pre-defined Architectural Performance Events: LLC misses",
      .covers = "CM-21",
      .means = "occupancy attributes lines to the wrong RMID, or keeps those that were evicted",
      .next = "`cmt.fill` and `cmt.alias` first; the processor and RMID in the finding; whether another L3 does it",
      .run_domain = cmt_resident },
};
CHECK_FAMILY(core_misses, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .order = 510);
