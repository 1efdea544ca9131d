/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How wide bandwidth counters are. Witness: the carries and wraps that a known number of bytes must make. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/stats.h"
#include "core/base/text.h"

#define SDM_USE "SDM vol. 3B 17.16.8 Monitoring Programming Considerations"

/* --- MB-08, MB-22: carries ---------------------------------------------------------------------------------------- */

#define CARRY_BYTES  (48 * MIB) /* what a carry may cost; a full wrap of 24 bits at 32 KiB is 512 GiB */
#define WRAP_SECONDS 20u        /* what a full wrap may cost */
#define WRAP_LOADS   32u
#define WRAP_SAMPLES 24u

/* The highest bit into which the counter can be made to carry within `bytes`; 0 where not even the lowest can.
 * *counts gets how far that is. */
static uint32_t best_carry(const struct qm_domain *d, uint64_t at, uint64_t bytes, uint64_t *counts)
{
    uint32_t best = 0;

    for (uint32_t bit = 1; bit <= d->counter_width && bit < 63; bit++) {
        uint64_t distance = BIT(bit) - (at & low_bits(bit));

        if (distance <= bytes / d->upscaling_factor) {
            best = bit;
            *counts = distance;
        }
    }
    return best;
}

/* Among the RMIDs that may be judged, the one whose counter stands best for a carry. */
static uint32_t choose_rmid(struct check *c, uint32_t domain, const struct qm_pair *totals, uint64_t bytes,
                            uint32_t *rmid, uint64_t *counts)
{
    const struct qm_domain *d = &c->tools->qm[domain];
    uint32_t rmids[64], n = domain_rmids(c, domain, rmids, 64), best = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t distance = 0;
        uint32_t bit =
            totals[rmids[i]].status == ST_OK ? best_carry(d, totals[rmids[i]].sample.counts, bytes, &distance) : 0;

        if (bit > best) {
            best = bit;
            *rmid = rmids[i];
            *counts = distance;
        }
    }
    return best;
}

struct carry {
    enum qm_event event;
    uint32_t cpu, rmid, bit, least_bit;
    uint64_t base, bytes; /* the buffer: read cold, as often as it takes */
    uint64_t to_move;
};

/* Which RMID, how far, and memory for it. ST_ABSENT: why[] says what is missing. ST_NOT_RUN: said already. */
static enum status carry_plan(struct check *c, uint32_t domain, struct carry *k, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = legacy_counts(c, d, k->event);
    uint64_t counts = 0, least = slice_bytes(c, domain);

    if (totals == NULL)
        return ST_NOT_RUN;
    k->bit = choose_rmid(c, domain, totals, CARRY_BYTES, &k->rmid, &counts);
    if (k->bit < k->least_bit)
        return text_format(why, WHY_SIZE, "L3 domain %u: no carry into bit %u lies within %llu MiB", domain,
                           k->least_bit, (unsigned long long)(CARRY_BYTES >> 20)),
               ST_ABSENT;
    k->to_move = counts * d->upscaling_factor / 8 * 9 + least; /* well beyond it: no band decides whether it carried */
    k->bytes = memory_left_any(c, k->cpu) / 2;
    k->bytes = ROUND_DOWN(k->bytes < k->to_move ? k->bytes : k->to_move);
    if (k->bytes < least)
        k->bytes = least;
    if (k->event == QM_EVENT_L3_LOCAL)
        return take_local(c, k->cpu, k->bytes, &k->base, why) ? ST_OK : ST_ABSENT;
    return take_any(c, k->cpu, k->bytes, &k->base, why) ? ST_OK : ST_ABSENT;
}

/* Cold streams until the carry lies behind. */
static enum status carry_over(struct check *c, uint32_t domain, const struct carry *k)
{
    struct traffic_part part = part_read(k->rmid, k->base, k->bytes);
    struct traffic_load load = { .cpu = k->cpu, .n_parts = 1, .parts = &part };
    enum status st = ST_OK;

    for (uint64_t moved = 0; moved < k->to_move && st == ST_OK; moved += k->bytes) {
        struct reading r =
            reading_of(k->event == QM_EVENT_L3_TOTAL ? "total bytes" : "local bytes", domain, k->rmid, k->event);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE;
        e.tries = 1;
        expect_bandwidth(c, &r, (double)k->bytes);
        if (k->event == QM_EVENT_L3_LOCAL) /* how much of it is local is for mbm.local to say */
            r.lo = 0;
        st = experiment_try(&e);
        if (st == ST_OK)
            experiment_judge(&e, "the loads carry over a power of two of the counter");
        else if (st != ST_DISTURBED)
            check_conclude(e.check, experiment_explain(&e, st));
    }
    return st;
}

/* A counter narrower than CPUID says falls back to 0 where it should carry, and its delta is then nearly 2^width. Every
 * carry that can be afforded proves one bit; the RMID whose counter already stands high proves most. A run that an SMI
 * fell into may have carried already, so the next try plans anew. */
static bool carry_at_least(struct check *c, uint32_t domain, enum qm_event event, uint32_t least_bit,
                           char why[WHY_SIZE])
{
    struct carry k = { .event = event, .least_bit = least_bit };
    enum status st = ST_DISTURBED;
    char where[48];

    if (domain_cpus(c, domain, &k.cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain), false;
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++) {
        tools_reset(c->tools);
        st = carry_plan(c, domain, &k, why);
        if (st == ST_OK)
            st = carry_over(c, domain, &k);
    }
    if (st == ST_ABSENT)
        return false;
    if (st == ST_DISTURBED)
        cannot_measure(c, st, k.cpu, "the carry");
    if (st != ST_OK)
        return true;
    text_format(where, sizeof where, "L3 domain %u, RMID %u%s", domain, k.rmid,
                event == QM_EVENT_L3_LOCAL ? ", local" : "");
    measure(c, "bit of the counter that was carried into", where, k.bit, "bit", -NO_BOUND,
            c->machine->domains[domain].counter_width);
    return true;
}

static bool carry(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    char none[WHY_SIZE]; /* the total counter shows it, if no local memory does */

    if (!carry_at_least(c, domain, QM_EVENT_L3_TOTAL, 1, why))
        return false;
    if (reference_rdt(c)->local && c->state->record.n_findings == 0)
        (void)carry_at_least(c, domain, QM_EVENT_L3_LOCAL, 1, none);
    return true;
}

LEGACY_DOMAIN(carry)

/* --- every bit that a load can reach ------------------------------------------------------------------------------ */

#define BIT_STEPS    64u
#define LEAST_COUNTS 5u    /* of a step */
#define LEAST_STEP   4096u /* bytes     */
#define LINE_PAIR    128u  /* what a prefetcher that cannot be turned off brings at a time, and so makes even */

/* An odd number of counts, so that the steps go through every value of the lowest bits. */
static uint64_t odd_step(uint32_t upscaling_factor)
{
    uint64_t counts = LEAST_STEP / (upscaling_factor ? upscaling_factor : 1) | 1;

    counts = counts < LEAST_COUNTS ? LEAST_COUNTS : counts;
    return (counts * upscaling_factor + 63) / 64 * 64;
}

uint64_t mbm_idle_bits(const uint64_t *counts, uint32_t n, uint32_t width, uint32_t upscaling_factor)
{
    uint64_t ones = 0, zeros = 0, far = n ? (counts[n - 1] - counts[0]) & low_bits(width) : 0, went = 0;

    for (uint32_t i = 0; i < n; i++) {
        ones |= counts[i];
        zeros |= ~counts[i];
    }
    for (uint32_t bit = 0; bit < width && bit < 62 && UINT64_C(2) << bit <= far; bit++)
        if ((uint64_t)upscaling_factor << (bit < 8 ? bit : 8) >= LINE_PAIR)
            went |= BIT(bit);
    return went & ~(ones & zeros);
}

static bool bits(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t step = odd_step(d->upscaling_factor), counts[BIT_STEPS], idle;
    uint32_t n = 0;
    struct test_buffer b;
    char where[48];

    if (!bench_any(c, domain, 1, BIT_STEPS * step, &b, why))
        return false;
    for (; n < BIT_STEPS; n++) {
        struct traffic_part part = part_read(b.rmids[0], b.base + n * step, step);
        struct traffic_load load = { .cpu = b.cpu, .n_parts = 1, .parts = &part };
        struct reading r = total_of(domain, b.rmids[0]);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE | (n ? EXPERIMENT_WARM : 0);
        if (!experiment_run(&e))
            return true;
        counts[n] = r.after.counts;
    }
    idle = mbm_idle_bits(counts, n, d->counter_width, d->upscaling_factor);
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, b.rmids[0]);
    if (!measure(c, "bits that never changed while the counter went round them", where, count_bits(idle), "bits", 0, 0))
        warn(c, "%s: %u readings of IA32_QM_CTR from 0x%llx to 0x%llx never change bits 0x%llx", where, n,
             (unsigned long long)counts[0], (unsigned long long)counts[n - 1], (unsigned long long)idle);
    return true;
}

LEGACY_DOMAIN(bits)

/* MB-22 */
static bool top_bit(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = legacy_totals(c, d);
    uint64_t all = 0;
    char where[32];

    (void)why;
    if (totals == NULL)
        return true;
    for (uint32_t i = 0; i <= d->max_rmid; i++)
        if (totals[i].status == ST_OK)
            all |= totals[i].sample.counts;
    domain_name(domain, where);
    evidence_swept(c, "total bandwidth counts of every RMID held against the width", d->max_rmid + 1);
    if (!measure(c, "bits that some counter has used", where, bits_for(all), "bits", 0, d->counter_width))
        fail(c, "%s: a counter of %u bits shows %u bits", where, d->counter_width, bits_for(all));
    return true;
}

LEGACY_DOMAIN(top_bit)

/* Loads of all processors of the domain over one buffer of several times the L3, each a part of it. */
struct wrap {
    uint32_t rmid, n, bad_cpu;
    uint32_t cpus[WRAP_LOADS];
    struct traffic_part parts[WRAP_LOADS];
    struct traffic_load loads[WRAP_LOADS];
    uint64_t base, piece;
    uint64_t distance_bytes; /* from where the counter stands to its wrap */
    double rate;             /* bytes a second, all processors together   */
};

static void wrap_loads(struct wrap *w, uint64_t bytes_each, uint64_t bytes_each_run)
{
    uint64_t passes = bytes_each_run / (bytes_each * w->n);

    for (uint32_t i = 0; i < w->n; i++) {
        w->parts[i] = part_read(w->rmid, w->base + i * w->piece, bytes_each);
        w->parts[i].work.passes = passes < 1 ? 1 : (uint32_t)passes;
        w->loads[i] = (struct traffic_load){ .cpu = w->cpus[i], .n_parts = 1, .parts = &w->parts[i] };
    }
}

/* The RMID that stands nearest to its wrap. */
static bool nearest_to_wrap(struct check *c, uint32_t domain, uint32_t *rmid)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = legacy_totals(c, d);
    uint32_t rmids[64], n = domain_rmids(c, domain, rmids, 64);
    uint64_t highest = 0;

    *rmid = 0;
    for (uint32_t i = 0; totals && i < n; i++) {
        uint64_t counts = totals[rmids[i]].sample.counts & low_bits(d->counter_width);

        if (totals[rmids[i]].status == ST_OK && (*rmid == 0 || counts > highest)) {
            highest = counts;
            *rmid = rmids[i];
        }
    }
    return *rmid != 0;
}

/* Processors, RMID and memory. */
static bool wrap_set_up(struct check *c, uint32_t domain, struct wrap *w, char why[WHY_SIZE])
{
    uint64_t span = 4 * c->machine->domains[domain].l3_bytes, left;

    w->n = domain_cpus(c, domain, w->cpus, WRAP_LOADS);
    w->n = w->n < WRAP_LOADS ? w->n : WRAP_LOADS;
    if (w->n == 0 || !nearest_to_wrap(c, domain, &w->rmid))
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor or no free RMID", domain), false;
    left = memory_left_any(c, w->cpus[0]);
    w->piece = ROUND_DOWN((left < span ? left : span) / w->n);
    return take_any(c, w->cpus[0], w->piece * w->n, &w->base, why);
}

/* How far, and how fast: a small load on all processors tells. */
static enum status wrap_distance(struct check *c, struct qm_domain *d, struct wrap *w)
{
    struct traffic_outcome outcome;
    struct qm_sample s;
    enum status st;

    wrap_loads(w, w->piece < MIB ? w->piece : MIB, 0);
    st = traffic_run(c->platform, w->loads, w->n, 0, &outcome, &w->bad_cpu);
    if (st != ST_OK)
        return st;
    w->bad_cpu = d->cpu;
    st = qm_read_wait(c->platform, d, w->rmid, QM_EVENT_L3_TOTAL, SAMPLE_TRIES, &s, NULL);
    if (st != ST_OK)
        return st;
    evidence_msr(c, d->cpu, IA32_QM_CTR, s.raw, s.tsc);
    w->distance_bytes = qm_bytes(d, BIT(d->counter_width) - (s.counts & low_bits(d->counter_width)));
    if (outcome.tsc_ticks)
        w->rate = (double)outcome.moved_bytes * (double)c->platform->tsc_hz / (double)outcome.tsc_ticks;
    return ST_OK;
}

/* Equal loads until the counter has gone round: the sample that holds the wrap must be like the others. The lines that
 * stay in the L3 from pass to pass are the same in each, so the samples are judged against their median. */
static void run_past_wrap(struct check *c, struct qm_domain *d, struct wrap *w)
{
    double deltas[WRAP_SAMPLES], sorted[WRAP_SAMPLES], median;
    uint64_t last = 0;
    uint32_t n = 0, wraps = 0;
    char where[48];

    text_format(where, sizeof where, "L3 domain %u, RMID %u", d->index, w->rmid);
    series_begin(c, "bytes counted for each equal load", "bytes", "sample", "");
    for (; n < WRAP_SAMPLES; n++) {
        struct reading r = total_of(d->index, w->rmid);
        struct experiment e = { .check = c, .loads = w->loads, .n_loads = w->n, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE | (n ? EXPERIMENT_WARM : 0);
        if (!experiment_run(&e))
            break;
        deltas[n] = sorted[n] = r.bytes;
        series_add(c, n, r.bytes);
        wraps += r.after.counts < r.before.counts || (n && r.before.counts < last);
        last = r.after.counts;
    }
    series_end(c);
    if (n < WRAP_SAMPLES)
        return;
    stats_sort(sorted, n);
    median = stats_sorted_median(sorted, n);
    if (!measure(c, "wraps seen", where, wraps, "wraps", 1, NO_BOUND))
        fail(c, "%s: the traffic was enough for one wrap, and the counter never fell", where);
    for (uint32_t i = 1; i < n; i++) /* the first one is cold */
        if (!measure(c, "sample over the median of all", where, median > 0 ? deltas[i] / median : 0, "ratio",
                     1 - BW_SHARE, 1 + BW_SHARE))
            fail(c, "%s: sample %u shows %llu bytes, the median of equal loads is %llu", where, i,
                 (unsigned long long)deltas[i], (unsigned long long)median);
}

static bool wrap_within_reach(struct check *c, uint32_t domain, struct wrap *w, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    enum status st;

    if (!wrap_set_up(c, domain, w, why))
        return false;
    st = wrap_distance(c, d, w);
    if (st != ST_OK)
        return cannot_measure(c, st, w->bad_cpu, "the way to the wrap"), true;
    if (w->rate <= 0 || (double)w->distance_bytes / w->rate > WRAP_SECONDS) {
        text_format(why, WHY_SIZE,
                    "L3 domain %u, RMID %u: the wrap is %llu MiB away: more than %u s at the %llu MiB/s measured",
                    domain, w->rmid, (unsigned long long)(w->distance_bytes >> 20), WRAP_SECONDS,
                    (unsigned long long)(w->rate / 1048576));
        return false;
    }
    /* 24 samples for 16 of them: a quarter of a buffer of four times the L3 may stay there and not be counted. */
    wrap_loads(w, w->piece, w->distance_bytes / (WRAP_SAMPLES - 8));
    run_past_wrap(c, d, w);
    return true;
}

static bool wrap(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct wrap *w;
    bool done;

    /* The short way: some RMID stands just before its wrap. */
    if (carry_at_least(c, domain, QM_EVENT_L3_TOTAL, c->machine->domains[domain].counter_width, why))
        return true;
    tools_reset(c->tools);
    w = heap_alloc(sizeof *w);
    if (w == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the way to the wrap"), true;
    done = wrap_within_reach(c, domain, w, why);
    heap_free(w);
    return done;
}

LEGACY_DOMAIN(wrap)

#define MEANS_USUAL "traffic is charged to the wrong RMID, or counted wrongly"
#define NEXT_USUAL  "`mbm.total` and `mbm.alias` first; the processor and RMID in the finding; `traffic.closure`"

static const struct check_row rows[] = {
    { .id = "mbm.wrap",
      .title = "A 24-bit counter wraps and counts on",
      .spec = SDM_USE,
      .rows = "MB-08",
      .detects = "a counter that saturates; a wrong width",
      .means = "the counter stops or jumps at its end: bandwidth after it is lost",
      .next = "`enum.width`, `mbm.carry`; the raw values before and after",
      .needs = NEED_TOTAL | NEED_WIDTH_24,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 640,
      .run_domain = wrap_status },
    { .id = "mbm.carry",
      .title = "The counter carries into its next bits",
      .spec = SDM_USE,
      .rows = "MB-08 MB-22",
      .detects = "a counter narrower than CPUID says; one that saturates",
      .means = "the counter is narrower than CPUID says",
      .next = "`enum.width`; the bit in the finding",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 640,
      .slow = true,
      .run_domain = carry_status },
    { .id = "mbm.bits",
      .title = "Every bit that the counter goes round changes",
      .spec = SDM_USE,
      .rows = "MB-09",
      .detects = "a bit of IA32_QM_CTR that is stuck, and too low for a gain to show it",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 640,
      .run_domain = bits_status },
    { .id = "mbm.top-bit",
      .title = "After all that traffic no counter shows a bit above its width",
      .spec = SDM_USE,
      .rows = "MB-22 QM-10",
      .detects = "a width field that is too small",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 640,
      .run_domain = top_bit_status },
};
CHECK_FAMILY(mbm_width, rows);
