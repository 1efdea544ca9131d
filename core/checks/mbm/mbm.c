/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory bandwidth. Witness: the bytes that a loop must have asked for, from memory that was in no cache.
 *
 * Linux judges MBM over a second against everything else that runs, and gives no verdict below 750 MiB/s. Here the RMID
 * is the loop's alone and bytes are compared, not rates, so the noise is what an idle RMID shows (mbm.idle), and slow
 * machines can be judged as well.
 */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/domain/alloc.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/monitor.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define SDM_QM  "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define SDM_USE "SDM vol. 3B 17.16.8 Monitoring Programming Considerations"

/* --- MB-01: an RMID without a task has no traffic ----------------------------------------------------------------- */

#define IDLE_NS   UINT64_C(1000000000)
#define SETTLE_NS UINT64_C(500000000) /* before it: counters may lag, and what earlier checks read is counted first */

static void report_idle(struct check *c, const struct qm_domain *d, const struct qm_pair *before,
                        const struct qm_pair *after, double bytes)
{
    evidence_qm_pair(c, d, before);
    evidence_msr(c, d->cpu, IA32_QM_CTR, after->sample.raw, after->sample.tsc);
    finding(c, FINDING_FORBIDDEN, 0, FOUND_COUNTED_ELSEWHERE, place_rmid(d->index, before->rmid),
            "MBM total grew by %lu bytes in 1 s, and no processor has this RMID", (uint64_t)bytes);
}

static enum status judge_idle(struct check *c, const struct qm_domain *d, const struct qm_pair *before,
                              const struct qm_pair *after)
{
    double most = 0;
    uint32_t most_rmid = 0, compared = 0;

    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes;

        if (domain_rmid_in_background(c, i) || before[i].status != ST_OK || after[i].status != ST_OK)
            continue;
        compared++;
        TRY(mbm_moved_idle(c, d, i, before[i].sample.counts, after[i].sample.counts, &bytes));
        if (bytes > most || compared == 1) {
            most = bytes;
            most_rmid = i;
        }
        if (bytes > IDLE_BYTES)
            report_idle(c, d, &before[i], &after[i], bytes);
    }
    check_measure(c, "largest MBM total of an unused RMID in 1 s", place_rmid(d->index, most_rmid), most, "bytes",
                  -NO_BOUND, IDLE_BYTES);
    evidence_swept(c, "MBM total of RMIDs that no processor has", compared);
    excludes(c, "traffic in 1 s", IDLE_BYTES, "bytes");
    return ST_OK;
}

/* NULL: it could not be read, and that is concluded; the other domains follow. */
static struct qm_pair *totals_of(struct check *c, struct qm_domain *d, bool after)
{
    struct qm_pair *pairs = NULL;

    check_conclude(c, (after ? mbm_read_counts_after : mbm_read_counts)(c, d, QM_EVENT_L3_TOTAL, &pairs));
    return pairs;
}

/* All domains over the same second. */
static enum status check_mbm_idle(struct check *c)
{
    uint32_t n = c->machine->n_domains, measured = 0;
    struct qm_pair **before;

    TRY_ALLOC(c, before, n + 1, "IA32_QM_CTR");
    platform_stall(c->platform, SETTLE_NS);
    for (uint32_t i = 0; i < n; i++)
        if (domain_qm(c, i))
            before[i] = totals_of(c, domain_qm(c, i), false);
    platform_stall(c->platform, IDLE_NS);
    for (uint32_t i = 0; i < n; i++) {
        struct qm_domain *d = domain_qm(c, i);
        struct qm_pair *after = before[i] && d ? totals_of(c, d, true) : NULL;

        if (after) {
            check_conclude(c, judge_idle(c, d, before[i], after));
            measured++;
        }
    }
    return measured || check_verdict(c) != VERDICT_PASS
               ? ST_OK
               : check_absent(c, "no L3 domain has a processor that takes work");
}

/* --- MB-02: MBM total against the bytes read ---------------------------------------------------------------------- */

static enum status mbm_total(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    TRY(test_buffer_local(c, domain, 1, load_stream_bytes(c, domain), &b));
    e.flags = experiment_effort(domain);
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = reading_total(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)b.bytes);
    expect_fine(c, &r);
    TRY(experiment_check(&e, "flushed buffer, one pass"));
    monitor_linux_figures(c, "mbm_test", &e, (double)b.bytes);
    monitor_show_rate(c, domain, "read rate", &e.outcome);
    return ST_OK;
}

/* --- MB-07: counts never decrease under a constant load ----------------------------------------------------------- */

#define SAMPLES 20u

#define IDLE_READS 16u

/* After the load no processor has its RMID in IA32_PQR_ASSOC: bytes that are counted late increase the count, and a bit
 * that is intermittently read as 1 makes it decrease. */
static enum status read_idle(struct check *c, uint32_t domain, uint32_t rmid)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair pairs[IDLE_READS];

    if (d == NULL)
        return check_unmeasured(c, ST_LOST, c->platform->bsp, "IA32_QM_CTR");
    for (uint32_t i = 0; i < IDLE_READS; i++)
        pairs[i] = (struct qm_pair){ .rmid = rmid, .event = QM_EVENT_L3_TOTAL };
    TRY_MEASURE(c, qm_read_many(c->platform, d, pairs, IDLE_READS), d->cpu, "IA32_QM_CTR");
    for (uint32_t i = 1; i < IDLE_READS; i++) {
        const struct qm_pair *before = &pairs[i - 1], *after = &pairs[i];

        if (before->status != ST_OK || after->status != ST_OK ||
            qm_moved_bytes(d, before->sample.counts, after->sample.counts) >= 0 ||
            mbm_may_restart(c, d, before->sample.counts, after->sample.counts))
            continue;
        evidence_qm_pair(c, d, before);
        evidence_qm_pair(c, d, after);
        finding(c, FINDING_EXPECTED, 0, FOUND_STEPS_BACK, place_rmid(domain, rmid),
                "MBM total decreased from 0x%lx to 0x%lx counts between two reads, while no processor had this RMID",
                before->sample.counts, after->sample.counts);
        break;
    }
    return ST_OK;
}

static enum status mbm_steady(struct check *c, uint32_t domain)
{
    uint64_t slice = load_slice_bytes(c, domain);
    struct test_buffer b;
    double unit = c->machine->domains[domain].upscaling_factor;
    uint32_t found = c->state->record.n_findings;
    enum status st = test_buffer_local(c, domain, 1, SAMPLES * slice, &b);

    TRY(st);
    series_begin(c, "MBM total of equal loads", place_domain(domain), "bytes", "sample", "");
    for (uint32_t i = 0; i < SAMPLES && st == ST_OK && c->state->record.n_findings == found; i++) {
        struct traffic_part part = part_read(b.rmids[0], b.base + i * slice, slice);
        struct traffic_load load = { .cpu = b.cpu, .n_parts = 1, .parts = &part };
        struct reading r = reading_total(domain, b.rmids[0]);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        /* The slices are distinct: the caches are flushed once for all. */
        e.flags = EXPERIMENT_ONCE | (i ? EXPERIMENT_WARM : 0);
        r.hi = r.never_hi = 2 * (double)slice + unit;
        r.lo = i ? 0
                 : (1 - BW_SHARE) * (double)slice - unit; /* waits for a late count, which would be the next sample's */
        st = experiment_measure(&e);
        if (st != ST_OK)
            break;
        r.lo = 0;
        series_add(c, i, r.bytes);
        excludes(c, "a decrease", r.bytes + unit, "bytes"); /* a smaller one leaves the count above the last one */
        experiment_judge(&e, "every sample carries the same load");
        st = read_idle(c, domain, b.rmids[0]);
    }
    series_end(c);
    return st;
}

/* --- MB-10: reading counts nothing and resets nothing ------------------------------------------------------------- */

#define SELECTIONS 1000u

static enum status read_other_rmids(struct check *c, struct qm_domain *d, uint32_t rmid)
{
    struct qm_pair *pairs = check_alloc(c, SELECTIONS * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0, other = 0; pairs && i < SELECTIONS; i++) {
        other = other == d->max_rmid ? 0 : other + 1;
        if (other == rmid)
            other = other == d->max_rmid ? 0 : other + 1;
        pairs[i] = (struct qm_pair){ .rmid = other, .event = QM_EVENT_L3_TOTAL };
    }
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, SELECTIONS);
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, d->cpu, "IA32_QM_CTR");
}

/* From before the first read to after the second. */
static void judge_both_reads(struct check *c, const struct reading *last, uint64_t first_counts, uint64_t bytes)
{
    struct qm_domain *d = &c->tools->qm[last->domain];
    struct reading both = reading_total(last->domain, last->rmid);
    struct place place = place_rmid(last->domain, last->rmid);

    expect_bandwidth(c, &both, 2.0 * (double)bytes);
    both.bytes = qm_moved_bytes(d, first_counts, last->after.counts);
    if (both.bytes < 0) /* one of the two reads said so */
        return;
    if (check_measure(c, "MBM total over both reads", place, both.bytes, "bytes", both.lo, both.hi))
        return;
    finding(c, reading_may_be(&both, both.bytes) ? FINDING_EXPECTED : FINDING_FORBIDDEN,
            reading_erratum(c, &both, both.lo, both.hi), FOUND_CHANGED_BY_READING, place,
            "%lu bytes were read twice, and MBM total grew by %lu bytes from before the first read to after the second",
            bytes, (uint64_t)both.bytes);
}

static enum status mbm_reading_resets(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    uint64_t first_counts;
    bool alone;

    TRY(test_buffer_local(c, domain, 1, load_stream_bytes(c, domain) / 2, &b));
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = reading_total(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)b.bytes);
    TRY(experiment_check(&e, "a buffer was read"));
    first_counts = r.before.counts; /* of the last run */
    alone = e.long_runs == 0;
    TRY(read_other_rmids(c, domain_qm(c, domain), b.rmids[0]));
    TRY(experiment_check(&e, "the buffer was read once more, after 1000 reads of other RMIDs"));
    if (alone && e.n_runs == 1 && e.disturbed == 0) /* else more than two reads of the buffer lie between */
        judge_both_reads(c, &r, first_counts, b.bytes);
    return ST_OK;
}

/* --- MB-23: nothing but traffic changes a count ------------------------------------------------------------------- */

/* A count of an RMID that no processor has, and the most that it may gain. */
struct resting {
    struct qm_domain *d;
    uint32_t rmid;
    uint64_t counts;
    double most;
};

static enum status judge_kept(struct check *c, struct resting *r, const char *what)
{
    struct place place = place_with_detail(place_rmid(r->d->index, r->rmid), "%s", what);
    struct qm_sample now;
    double bytes;

    TRY_MEASURE(c, qm_read(c->platform, r->d, r->rmid, QM_EVENT_L3_TOTAL, &now), r->d->cpu, "IA32_QM_CTR");
    evidence_msr(c, r->d->cpu, IA32_QM_CTR, now.raw, now.tsc);
    bytes = qm_moved_bytes(r->d, r->counts, now.counts);
    if (!check_measure(c, "MBM total gained without traffic", place, bytes, "bytes", 0, r->most))
        finding(c, FINDING_FORBIDDEN, 0, bytes < 0 ? FOUND_STEPS_BACK : FOUND_COUNTED_ELSEWHERE, place,
                "no processor has the RMID, and its count went from 0x%lx to 0x%lx", r->counts, now.counts);
    r->counts = now.counts;
    return ST_OK;
}

/* Each register of the table is written with the value that it has. */
static enum status kept_by_table(struct check *c, struct resting *r, const struct alloc_table *t, const char *what)
{
    if (t->classes == 0)
        return ST_OK;
    TRY(alloc_record_table(c, t));
    TRY(alloc_put_back_table(c, t));
    return judge_kept(c, r, what);
}

static enum status kept_by_flush(struct check *c, struct resting *r)
{
    uint32_t bad_cpu = r->d->cpu;

    TRY_MEASURE(c, domain_clean(c, r->d->index, &bad_cpu), bad_cpu, "WBINVD");
    return judge_kept(c, r, "after WBINVD");
}

/* The RMID's count after a read, when all of it is counted. */
static enum status rest_after_read(struct check *c, uint32_t domain, struct resting *rest)
{
    struct test_buffer b;
    struct traffic_part part;
    struct qm_sample now;
    struct reading r;
    struct experiment e;

    TRY(test_buffer_local(c, domain, 1, load_stream_bytes(c, domain) / 2, &b));
    *rest = (struct resting){ .d = domain_qm(c, domain), .rmid = b.rmids[0], .most = (double)b.bytes / 2 };
    rest->most = rest->most < IDLE_BYTES ? rest->most : IDLE_BYTES;
    if (rest->d == NULL)
        return check_unmeasured(c, ST_LOST, b.cpu, "IA32_QM_CTR");
    part = part_read(rest->rmid, b.base, b.bytes);
    r = reading_total(domain, rest->rmid);
    expect_bandwidth(c, &r, (double)b.bytes);
    TRY(experiment_stream(c, b.cpu, &part, 1, &r, 1, &e));
    experiment_judge(&e, "a buffer was read");
    (void)domain_settle_wait(c, 1);
    TRY_MEASURE(c, qm_read(c->platform, rest->d, rest->rmid, QM_EVENT_L3_TOTAL, &now), rest->d->cpu, "IA32_QM_CTR");
    rest->counts = now.counts;
    return ST_OK;
}

static enum status mbm_kept(struct check *c, uint32_t domain)
{
    struct alloc_table masks = alloc_l3_masks(c), delays = alloc_throttles(c);
    struct resting r;

    TRY(rest_after_read(c, domain, &r));
    TRY(kept_by_flush(c, &r));
    TRY(kept_by_table(c, &r, &masks, "after the L3 masks were written"));
    TRY(kept_by_table(c, &r, &delays, "after the MBA delays were written"));
    excludes(c, "a change of a count at rest", r.most, "bytes");
    return ST_OK;
}

/* --- MB-14: L3 hits are no memory traffic ------------------------------------------------------------------------- */

#define RESIDENT_PASSES 4u
#define RESIDENT_SHARE  0.05

static enum status mbm_resident(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t bytes = load_small_fill_bytes(c, domain), base = 0, loaded = RESIDENT_PASSES * bytes;
    uint32_t cpu = 0, rmids[2];
    struct traffic_part parts[2];
    struct reading r;
    struct experiment e;

    if (domain_rmids(c, domain, rmids, 2) < 2 || domain_cpus(c, domain, &cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: fewer than two free RMIDs, or no processor", domain);
    TRY(memory_scatter_local(c, cpu, bytes, &base));
    parts[0] = part_fill(c, domain, rmids[1], base, bytes);
    parts[1] = part_read(rmids[0], base, bytes);
    parts[1].work.passes = RESIDENT_PASSES;
    r = reading_of("MBM total of reads that hit the L3", domain, rmids[0], QM_EVENT_L3_TOTAL);
    /* What an L2 gives up clean, an L3 that is not inclusive need not take, and how much it takes is not documented:
     * there the finding is that every hit counts. */
    r.tight_hi = (d->l3_inclusive ? RESIDENT_SHARE : 1 - BW_SHARE) * (double)loaded + d->upscaling_factor;
    r.hi = d->l3_inclusive ? r.tight_hi : NO_BOUND;
    TRY(experiment_stream(c, cpu, parts, 2, &r, 1, &e));
    excludes(c, "hits counted as traffic", 100 * (r.tight_hi + r.spread - r.bytes) / (double)loaded, "%");
    experiment_judge(&e, "the buffer was in the L3, so that no line had to come from memory");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mbm.idle",
      .title = "Unused RMIDs report zero traffic",
      .spec = SDM_MBM,
      .covers = "MB-01",
      .means = "traffic of other tasks or devices is counted under an unused RMID",
      .next = "`mbm.alias`; the RMID in the finding; whether other L3 domains show it too",
      .slow = true,
      .run = check_mbm_idle },
    { .id = "mbm.total",
      .title = "MBM total matches bytes read",
      .spec = SDM_MBM,
      .covers = "MB-02",
      .detects = "a wrong upscaling factor, the wrong event, traffic counted half",
      .means = "MBM total is not the bytes read from memory",
      .next = "the ratio in the finding: 0.5 or 2 is the upscaling factor (`enum.upscaling`) or the slices that count; "
              "`traffic.mbm` and "
              "`traffic.closure`, which compare MBM with the memory channels",
      .assigned = true,
      .run_domain = mbm_total },
    { .id = "mbm.steady",
      .title = "MBM counts do not decrease, neither idle nor under a constant load",
      .spec = SDM_USE,
      .covers = "MB-07",
      .means = "the counter is reset, decreases, or is narrower than CPUID enumerates",
      .next = "the raw values in the finding; `mbm.carry`, `mbm.reading-resets`",
      .slow = true,
      .assigned = true,
      .run_domain = mbm_steady },
    { .id = "mbm.reading-resets",
      .title = "Reading other RMIDs does not change an MBM count",
      .spec = SDM_QM,
      .covers = "MB-10",
      .means = "reading IA32_QM_CTR changes counts: every reader loses the others' traffic",
      .next = "`qm.keyhole`; `mbm.steady`; the raw values in the evidence",
      .run_domain = mbm_reading_resets },
    { .id = "mbm.kept",
      .title = "WBINVD and writes of masks and delays leave MBM counts",
      .spec = SDM_USE,
      .covers = "MB-23",
      .detects = "counters that WBINVD, or a write of an allocation register, clears",
      .means = "software that reads MBM loses what was counted before a flush or a change of a schema",
      .next = "which write it was, in the finding; `mbm.steady`",
      .run_domain = mbm_kept },
    { .id = "mbm.resident",
      .title = "L3 hits are not counted as memory traffic",
      .spec = SDM_MBM " (bandwidth to the next level of the hierarchy)",
      .covers = "MB-14",
      .means = "MBM counts reads that hit the L3",
      .next = "`mbm.total`; whether capacity masks keep the buffer out of the L3 (`reset.masks`); `traffic.closure`",
      .assigned = true,
      .run_domain = mbm_resident },
};
CHECK_FAMILY(mbm, rows, .needs = NEED_TOTAL, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_BANDWIDTH,
             .by_experience = true, .excludes = true, .order = 600);
