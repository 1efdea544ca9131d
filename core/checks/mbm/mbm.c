/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory bandwidth. Witness: the bytes that a loop must have asked for, from memory that was in no cache.
 *
 * Linux judges MBM over a second against everything else that runs, and gives no verdict below 750 MiB/s. Here the RMID
 * is tagged for the loop alone and bytes are compared, not rates, so the noise is what an idle RMID shows (mbm.idle),
 * and slow machines can be judged as well.
 */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/stats.h"
#include "core/base/text.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define SDM_QM  "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define SDM_USE "SDM vol. 3B 17.16.8 Monitoring Programming Considerations"

/* --- MB-01: an RMID without a task moves nothing ------------------------------------------------------------------ */

#define IDLE_NS UINT64_C(1000000000)

static void judge_idle(struct check *c, const struct qm_domain *d, const struct qm_pair *before,
                       const struct qm_pair *after)
{
    double most = 0;
    uint32_t most_rmid = 0, compared = 0;
    char where[48];

    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes;

        if (rmid_in_background(c, i) || before[i].status != ST_OK || after[i].status != ST_OK)
            continue;
        bytes = (double)qm_bytes(d, qm_delta(before[i].sample.counts, after[i].sample.counts, d->counter_width));
        compared++;
        if (bytes > most || compared == 1) {
            most = bytes;
            most_rmid = i;
        }
        if (bytes > IDLE_BYTES) {
            evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, i, QM_EVENT_L3_TOTAL), ST_OK, 0);
            evidence_msr(c, d->cpu, IA32_QM_CTR, before[i].sample.raw, before[i].sample.tsc);
            evidence_msr(c, d->cpu, IA32_QM_CTR, after[i].sample.raw, after[i].sample.tsc);
            fail(c, "L3 domain %u, RMID %u: %llu bytes in a second, and no processor is tagged with it", d->index, i,
                 (unsigned long long)bytes);
        }
    }
    text_format(where, sizeof where, "L3 domain %u, RMID %u", d->index, most_rmid);
    measure(c, "most traffic of an RMID without a task, in 1 s", where, most, "bytes", -NO_BOUND, IDLE_BYTES);
    evidence_swept(c, "total bandwidth of RMIDs that no processor is tagged with", compared);
}

struct totals {
    struct qm_pair *pairs; /* of every RMID of one domain */
};

/* All domains over the same second. */
static enum verdict check_idle(struct check *c)
{
    uint32_t n = c->machine->n_domains, measured = 0;
    struct totals *before = heap_alloc((n + 1) * sizeof(before[0]));

    if (before == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_QM_CTR");
    for (uint32_t i = 0; i < n; i++)
        if (domain_qm(c, i))
            before[i].pairs = legacy_totals(c, domain_qm(c, i));
    c->platform->ops->stall(c->platform->machine, IDLE_NS);
    for (uint32_t i = 0; i < n; i++) {
        struct qm_domain *d = domain_qm(c, i);
        struct qm_pair *after = before[i].pairs && d ? legacy_totals(c, d) : NULL;

        if (after) {
            judge_idle(c, d, before[i].pairs, after);
            measured++;
        }
    }
    heap_free(before);
    return measured || check_verdict(c) != VERDICT_PASS ? check_verdict(c)
                                                        : skip(c, "no L3 domain has a processor that takes work");
}

/* --- MB-02: bytes read are bytes counted -------------------------------------------------------------------------- */

static bool total(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    char where[32];

    e.flags = experiment_effort(domain);
    if (!bench_local(c, domain, 1, stream_bytes(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)b.bytes);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "the buffer was in no cache and was read once");
    linux_figures(c, "mbm_test", &e, (double)b.bytes);
    domain_name(domain, where);
    if (e.outcome.tsc_ticks)
        measure(c, "rate of the stream", where,
                (double)e.outcome.moved_bytes * (double)c->platform->tsc_hz / (double)e.outcome.tsc_ticks / 1048576,
                "MiB/s", -NO_BOUND, NO_BOUND);
    return true;
}

LEGACY_DOMAIN(total)

/* --- MB-09: the count follows the size ---------------------------------------------------------------------------- */

#define SIZES        4u
#define GAIN_LO      0.92
#define GAIN_HI      1.08
#define OFFSET_BYTES 10e6

static bool gain(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint64_t step = stream_bytes(c, domain) / 8, base = 0;
    uint32_t cpu = 0, rmid = 0, n = 0;
    double x[SIZES], y[SIZES];
    struct line line;
    char where[32];

    if (domain_rmids(c, domain, &rmid, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID or no processor", domain), false;
    step = ROUND_DOWN(step < 2 * MIB ? 2 * MIB : step);
    if (!take_local(c, cpu, SIZES * step, &base, why))
        return false;
    series_begin(c, "bytes counted over bytes read", "bytes", "bytes read", "bytes");
    for (; n < SIZES; n++) {
        struct traffic_part part = part_read(rmid, base, (n + 1) * step);
        struct reading r = reading_of("total bytes", domain, rmid, QM_EVENT_L3_TOTAL);
        struct experiment e;

        expect_bandwidth(c, &r, (double)part.work.bytes);
        if (!stream_run(c, cpu, &part, 1, &r, 1, &e))
            break;
        x[n] = (double)part.work.bytes;
        y[n] = r.bytes;
        series_add(c, x[n], y[n]);
    }
    series_end(c);
    if (n < SIZES)
        return true;
    if (stats_robust_line(x, y, n, &line) != ST_OK)
        return cannot_measure(c, ST_RANGE, cpu, "the line through the sizes"), true;
    domain_name(domain, where);
    if (!measure(c, "bytes counted for one more byte read", where, line.slope, "ratio", GAIN_LO, GAIN_HI))
        fail(c, "%s: one more byte read is counted as %u thousandths", where,
             (unsigned)(line.slope < 0 ? 0 : 1000 * line.slope));
    if (!measure(c, "bytes counted for nothing read", where, line.intercept, "bytes", -OFFSET_BYTES, OFFSET_BYTES))
        fail(c, "%s: the line through the counts begins at %lld bytes", where, (long long)line.intercept);
    return true;
}

LEGACY_DOMAIN(gain)

/* --- MB-07: a constant load never steps back ---------------------------------------------------------------------- */

#define SAMPLES 20u

static bool steady(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint64_t slice = slice_bytes(c, domain);
    struct test_buffer b;
    double unit = c->machine->domains[domain].upscaling_factor;
    bool going;

    if (!bench_local(c, domain, 1, SAMPLES * slice, &b, why))
        return false;
    going = true;
    series_begin(c, "bytes counted for each equal load", "bytes", "sample", "");
    for (uint32_t i = 0; i < SAMPLES && going; i++) {
        struct traffic_part part = part_read(b.rmids[0], b.base + i * slice, slice);
        struct traffic_load load = { .cpu = b.cpu, .n_parts = 1, .parts = &part };
        struct reading r = total_of(domain, b.rmids[0]);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        /* The slices are distinct: one cleaning serves all. */
        e.flags = EXPERIMENT_ONCE | (i ? EXPERIMENT_WARM : 0);
        r.lo = 0;
        r.hi = 2 * (double)slice + unit; /* a step back is nearly 2^width counts forward */
        going = experiment_run(&e);
        if (going) {
            series_add(c, i, r.bytes);
            experiment_judge(&e, "every sample carries the same load");
        }
    }
    series_end(c);
    return true;
}

LEGACY_DOMAIN(steady)

/* --- MB-10: reading does not count, and does not reset ------------------------------------------------------------ */

#define SELECTIONS 1000u

static bool select_others(struct check *c, struct qm_domain *d, uint32_t rmid)
{
    struct qm_pair *pairs = heap_alloc(SELECTIONS * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0, other = 0; pairs && i < SELECTIONS; i++) {
        other = other == d->max_rmid ? 0 : other + 1;
        if (other == rmid)
            other = other == d->max_rmid ? 0 : other + 1;
        pairs[i] = (struct qm_pair){ .rmid = other, .event = QM_EVENT_L3_TOTAL };
    }
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, SELECTIONS);
    heap_free(pairs);
    if (st != ST_OK)
        cannot_measure(c, st, d->cpu, "IA32_QM_CTR");
    return st == ST_OK;
}

static bool reading_resets(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r, whole;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    struct qm_sample first;
    char where[48];

    if (!bench_local(c, domain, 1, stream_bytes(c, domain) / 2, &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)b.bytes);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "a buffer was read");
    first = r.before; /* of the last run */
    if (!select_others(c, d, b.rmids[0]) || !experiment_run(&e))
        return true;
    experiment_judge(&e, "it was read once more, after 1000 reads of other RMIDs");
    if (e.n_runs > 1 || e.disturbed > 0)
        return true; /* then more than two streams went by */
    whole = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &whole, 2.0 * (double)b.bytes);
    whole.bytes = (double)qm_bytes(d, qm_delta(first.counts, r.after.counts, d->counter_width));
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, b.rmids[0]);
    if (!measure(c, "total bytes over both streams", where, whole.bytes, "bytes", whole.lo, whole.hi)) {
        reading_factor_explains(c, &whole, whole.lo, whole.hi);
        fail(c,
             "%s: two streams of %llu bytes, and the counter moved by %llu from the start of the first to the end of "
             "the second",
             where, (unsigned long long)b.bytes, (unsigned long long)whole.bytes);
    }
    return true;
}

LEGACY_DOMAIN(reading_resets)

/* --- MB-14: what stays in the caches is no traffic ---------------------------------------------------------------- */

#define RESIDENT_PASSES 4u
#define RESIDENT_SHARE  0.05

static bool resident(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t bytes = small_fill_bytes(c, domain), base = 0, loaded = RESIDENT_PASSES * bytes;
    uint32_t cpu = 0, rmids[2];
    struct traffic_part parts[2];
    struct reading r;
    struct experiment e;

    if (domain_rmids(c, domain, rmids, 2) < 2 || domain_cpus(c, domain, &cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than two free RMIDs, or no processor", domain), false;
    if (!take_local(c, cpu, bytes, &base, why))
        return false;
    parts[0] = part_fill(c, domain, rmids[1], base, bytes);
    parts[1] = part_read(rmids[0], base, bytes);
    parts[1].work.passes = RESIDENT_PASSES;
    r = reading_of("total bytes of a loop over what is in the L3", domain, rmids[0], QM_EVENT_L3_TOTAL);
    r.tight_hi = RESIDENT_SHARE * (double)loaded + d->upscaling_factor;
    r.hi = d->l3_inclusive ? r.tight_hi : NO_BOUND; /* what an L2 gives up clean, such an L3 need not take */
    if (stream_run(c, cpu, parts, 2, &r, 1, &e))
        experiment_judge(&e, "the buffer is in the L3, and nothing had to come from memory");
    return true;
}

LEGACY_DOMAIN(resident)

#define MEANS_USUAL "traffic is charged to the wrong RMID, or counted wrongly"
#define NEXT_USUAL  "`mbm.total` and `mbm.alias` first; the processor and RMID in the finding; `traffic.closure`"

static const struct check_row rows[] = {
    { .id = "mbm.idle",
      .title = "An RMID that nobody uses moves nothing",
      .spec = SDM_MBM,
      .rows = "MB-01",
      .detects = "ghost traffic",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 600,
      .slow = true,
      .run = check_idle },
    { .id = "mbm.total",
      .title = "Bytes read from memory are bytes counted",
      .spec = SDM_MBM,
      .rows = "MB-02",
      .detects = "a wrong upscaling factor, the wrong event, traffic counted half",
      .means = "traffic is not counted as it is",
      .next = "the ratio in the finding; `traffic.mbm` and `traffic.closure`, which say whether MBM or the memory "
              "channels stand alone",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 600,
      .run_domain = total_status },
    { .id = "mbm.gain",
      .title = "Twice the traffic is twice the count",
      .spec = SDM_MBM "; Linux selftests/resctrl mbm_test.c",
      .rows = "MB-09",
      .detects = "a wrong gain, an offset",
      .means = "the count has the wrong slope or an offset",
      .next = "`mbm.total`; the points in the stream",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 600,
      .run_domain = gain_status },
    { .id = "mbm.steady",
      .title = "Under a constant load the counter never steps back",
      .spec = SDM_USE,
      .rows = "MB-07",
      .detects = "a counter that is reset or steps back",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 600,
      .slow = true,
      .run_domain = steady_status },
    { .id = "mbm.reading-resets",
      .title = "Reading other RMIDs leaves a count alone",
      .spec = SDM_QM,
      .rows = "MB-10",
      .detects = "a read that resets the counter",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 600,
      .run_domain = reading_resets_status },
    { .id = "mbm.resident",
      .title = "What stays in the L3 is no traffic",
      .spec = SDM_MBM " (bandwidth to the next level of the hierarchy)",
      .rows = "MB-14",
      .detects = "misses of an L2 counted as traffic to memory",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 600,
      .run_domain = resident_status },
};
CHECK_FAMILY(mbm, rows);
