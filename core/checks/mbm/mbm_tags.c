/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which RMID traffic is counted under. Witness: which processor moved how many bytes under which RMID. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/check/errata.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/waves.h"

#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 (the RMID at the time of the access is charged)"

/* --- MB-13, MB-11: the RMID at the time of the access is charged -------------------------------------------------- */

#define LINE          64u
#define OFTEN_LINES   256u /* under the first RMID, then OFTEN_BETWEEN under the second, and so on */
#define OFTEN_BETWEEN 16u
#define OFTEN_CYCLES  256u /* at least */
#define OFTEN_COUNTS  8u   /* of the second RMID, so that none can be distinguished from all */
#define OFTEN_MOST    4096u

static uint32_t often_cycles(const struct check *c, uint32_t domain, uint64_t room)
{
    uint64_t cycles = OFTEN_COUNTS * (uint64_t)c->machine->domains[domain].upscaling_factor / (OFTEN_BETWEEN * LINE);
    uint64_t most = room / ((OFTEN_LINES + OFTEN_BETWEEN) * LINE);

    cycles = cycles > OFTEN_CYCLES ? cycles : OFTEN_CYCLES;
    cycles = cycles < most ? cycles : most;
    return (uint32_t)(cycles < OFTEN_MOST ? cycles : OFTEN_MOST);
}

/* The second RMID has fewer lines than a tag may be late by: either they are counted under the first one, or it gets
 * the first lines of the first one. Equal numbers under both would cancel out. */
static void expect_often(struct check *c, uint32_t cycles, struct reading r[2])
{
    double count = c->machine->domains[r[0].domain].upscaling_factor, between = (double)cycles * OFTEN_BETWEEN * LINE;

    r[0].name = "MBM total of 256 lines at a time";
    r[1].name = "MBM total of 16 lines at a time";
    expect_bandwidth(c, &r[0], (double)cycles * OFTEN_LINES * LINE);
    r[0].hi = r[0].never_hi; /* `mbm.total` says it */
    r[1].lo = between / 2 - count;
    r[1].hi = 2 * between + count;
}

static void exclude_delay(struct check *c, const struct reading *r)
{
    excludes(c, "a delay of the RMID", OFTEN_BETWEEN + OFTEN_LINES * (r->expected - r->lo) / r->expected, "lines");
}

struct often {
    struct traffic_load load;
    struct reading r[2];
    struct experiment e;
};

static enum status often_plan(struct check *c, uint32_t domain, const struct test_buffer *b, struct often *o)
{
    uint32_t cycles = often_cycles(c, domain, b->bytes);
    uint64_t piece = OFTEN_LINES * LINE, between = OFTEN_BETWEEN * LINE, base = b->base;
    struct traffic_part *parts;

    TRY_ALLOC(c, parts, 2 * (size_t)cycles, "the list of reads");
    for (uint32_t i = 0; i < cycles; i++, base += piece + between) {
        parts[2 * i] = part_read(b->rmids[0], base, piece);
        parts[2 * i + 1] = part_read(b->rmids[1], base + piece, between);
    }
    o->load = (struct traffic_load){ .cpu = b->cpu, .n_parts = 2 * cycles, .parts = parts };
    for (uint32_t i = 0; i < 2; i++)
        o->r[i] = reading_total(domain, b->rmids[i]);
    expect_often(c, cycles, o->r);
    o->e = (struct experiment){ .check = c, .loads = &o->load, .n_loads = 1, .readings = o->r, .n_readings = 2 };
    return ST_OK;
}

static enum status often_check(struct often *o)
{
    o->e.flags = EXPERIMENT_SHORT;
    return experiment_check(&o->e, "256 lines were read under one RMID and 16 under the other, again and again");
}

static enum status switch_often(struct check *c, uint32_t domain, const struct test_buffer *b)
{
    struct often o;

    TRY(often_plan(c, domain, b, &o));
    exclude_delay(c, &o.r[0]);
    return often_check(&o);
}

/* mbm.switching looks at one processor of an L3: every other one, by one run unless that is off. */
static enum status switch_on_others(struct check *c, uint32_t domain)
{
    uint32_t n, *cpus = domain_all_cpus(c, domain, &n);
    struct test_buffer b;
    struct often o;

    if (!cpus)
        return ST_NO_MEMORY;
    tools_reset(c->tools);
    TRY(test_buffer_local(c, domain, 2, load_stream_bytes(c, domain), &b));
    TRY(often_plan(c, domain, &b, &o));
    for (uint32_t i = 0; i < n; i++) {
        enum status st;

        if (cpus[i] == b.cpu)
            continue;
        o.load.cpu = cpus[i];
        o.e.flags = EXPERIMENT_ONCE;
        for (uint32_t k = 0; k < 2; k++) {
            o.r[k].code = FOUND_TAG_LATE;
            o.r[k].has_cpu = true;
            o.r[k].cpu = cpus[i];
        }
        st = experiment_measure(&o.e);
        if (st == ST_OK && (!reading_inside(&o.r[0], o.r[0].bytes) || !reading_inside(&o.r[1], o.r[1].bytes)))
            st = often_check(&o);
        check_conclude(c, st);
    }
    return ST_OK;
}

static enum status mbm_switching(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    uint64_t half;

    TRY(test_buffer_local(c, domain, 2, load_stream_bytes(c, domain), &b));
    TRY(switch_often(c, domain, &b));
    half = ROUND_DOWN(b.bytes / 2);
    e.flags = EXPERIMENT_SHORT; /* an RMID that applies late takes as much of a long stream as of a short one */
    load.cpu = b.cpu;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = part_read(b.rmids[i], b.base + i * half, half);
        r[i] = reading_total(domain, b.rmids[i]);
        expect_bandwidth(c, &r[i], (double)half);
    }
    return experiment_check(&e, "half of the buffer was read under each of two RMIDs");
}

#define RMIDS_IN_A_WAVE 7u /* those below the erratum's lowest threshold */

static struct waves reads_of(struct check *c, uint32_t domain)
{
    return (struct waves){ .event = QM_EVENT_L3_TOTAL,
                           .at_once = RMIDS_IN_A_WAVE,
                           .bytes = load_slice_bytes(c, domain),
                           .name = "MBM total",
                           .series = "MBM total / bytes read",
                           .share = BW_SHARE,
                           .stimulus = "the processor read a buffer under this RMID" };
}

static enum status mbm_every_thread(struct check *c, uint32_t domain)
{
    const struct waves w = reads_of(c, domain);

    TRY(waves_every_thread(c, domain, &w));
    return c->state->record.n_findings == 0 ? switch_on_others(c, domain) : ST_OK;
}

/* AS-12: IA32_PQR_ASSOC is as it was written after its processor was in HLT and MWAIT, where an operating system's idle
 * processors are. Its core's other thread writes its own in the meantime, if it is in the same wave. */
static enum status mbm_rested(struct check *c, uint32_t domain)
{
    struct waves w = reads_of(c, domain);

    w.rest_ns = TRAFFIC_REST_NS;
    w.stimulus =
        "the processor was in HLT, and MWAIT if it has it, after it was given this RMID, and then read a buffer";
    return waves_every_thread(c, domain, &w);
}

/* --- MB-19: the threads of one core ------------------------------------------------------------------------------- */

#define BETWEEN_TRIES 3u

struct between { /* a thread, its sibling, and what the thread does before and after the sibling's RMID changes */
    uint32_t cpus[2], changed; /* the first so many have an RMID of the check's */
    uint64_t found[2];         /* their IA32_PQR_ASSOC */
    struct traffic_part parts[2];
    struct traffic_load load; /* of the first one, which keeps its RMID */
};

static enum status give_rmid(struct check *c, struct between *t, uint32_t rmid)
{
    uint32_t i = t->changed;

    TRY_MEASURE(c, traffic_associate(c->platform, t->cpus[i], rmid, TRAFFIC_KEEP, &t->found[i]), t->cpus[i],
                "IA32_PQR_ASSOC");
    t->changed++;
    return ST_OK;
}

static enum status before_sibling(struct check *c, struct between *t, const uint32_t rmids[2])
{
    uint32_t bad_cpu = t->cpus[0];

    t->changed = 0;
    TRY(give_rmid(c, t, rmids[0]));
    t->load.parts = &t->parts[0];
    TRY_MEASURE(c, traffic_run(c->platform, &t->load, 1, c->machine->prefetch, NULL, &bad_cpu), bad_cpu,
                "the workload");
    TRY(give_rmid(c, t, rmids[1]));
    t->load.parts = &t->parts[1];
    return ST_OK;
}

static enum status put_back_threads(struct check *c, const struct between *t)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < t->changed; i++) {
        enum status back = msr_write(c->platform, t->cpus[i], IA32_PQR_ASSOC, t->found[i]);

        if (back != ST_OK)
            st = check_unmeasured(c, back, t->cpus[i], "IA32_PQR_ASSOC");
    }
    return st;
}

/* Stores are not said to count, besides on AMD (`mbm.kinds`): nothing of them is a tag that is lost. More than was asked
 * for is what the first half left dirty. */
static enum status change_between(struct check *c, uint32_t domain, enum work_kind first, enum work_kind then)
{
    struct test_buffer b;
    struct between t = { .load = { .n_parts = 1, .associated = true } };
    struct reading r;
    struct experiment e = { .check = c, .loads = &t.load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    uint64_t half = load_slice_bytes(c, domain);

    TRY(test_buffer_local(c, domain, 2, 2 * half, &b));
    if (domain_sibling_pairs(c, domain, t.cpus, 1) == 0)
        return check_absent(c, "L3 domain %u: no two threads of one core", domain);
    t.cpus[1] = domain_sibling(c, t.cpus[0]);
    t.load.cpu = t.cpus[0];
    for (uint32_t i = 0; i < 2; i++) {
        t.parts[i] = part_read(b.rmids[0], b.base + i * half, half);
        t.parts[i].work.kind = i ? then : first;
    }
    r = reading_total(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)half);
    r.hi = r.never_hi = NO_BOUND;
    if (then != WORK_READ) {
        r.lo = r.never_lo = DEAD_SHARE * (double)half;
        r.expected = 0; /* it excludes no smaller loss */
    }
    e.flags = EXPERIMENT_ONCE;
    for (uint32_t i = 0; i < BETWEEN_TRIES; i++) {
        enum status st = before_sibling(c, &t, b.rmids);

        if (st == ST_OK)
            st = experiment_measure(&e);
        TRY(status_first(st, put_back_threads(c, &t)));
        if (reading_inside(&r, r.bytes))
            break;
    }
    experiment_judge(&e,
                     then == WORK_READ
                         ? "the thread stored, its SMT sibling's RMID changed, and the thread read another buffer"
                         : "the thread read, its SMT sibling's RMID changed, and the thread stored to another buffer");
    return ST_OK;
}

static enum status mbm_siblings(struct check *c, uint32_t domain)
{
    const struct waves w = reads_of(c, domain);

    TRY(waves_siblings(c, domain, &w));
    TRY(change_between(c, domain, WORK_WRITE, WORK_READ));
    return change_between(c, domain, WORK_READ, WORK_WRITE);
}

/* --- MB-15: no aliasing between RMIDs ----------------------------------------------------------------------------- */

static const struct alias_event { /* what each RMID is compared by */
    enum qm_event event;
    const char *name, *all, *most;
} alias_events[] = {
    { QM_EVENT_L3_TOTAL, "MBM total", "MBM total of the other RMIDs", "largest MBM total of an unused RMID" },
    { QM_EVENT_L3_LOCAL, "MBM local", "MBM local of the other RMIDs", "largest MBM local of an unused RMID" },
};

static enum status judge_others(struct check *c, const struct qm_domain *d, const struct alias_event *a,
                                const struct qm_pair *before, const struct qm_pair *after, uint32_t but,
                                uint64_t stream)
{
    double most = 0, limit = (double)stream / 2 < IDLE_BYTES ? (double)stream / 2 : IDLE_BYTES;
    uint32_t most_rmid = 0, compared = 0;
    struct place place;

    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes;

        if (i == but || domain_rmid_in_background(c, i) || before[i].status != ST_OK || after[i].status != ST_OK)
            continue;
        TRY(mbm_moved_idle(c, d, i, before[i].sample.counts, after[i].sample.counts, &bytes));
        compared++;
        if (bytes > most) {
            most = bytes;
            most_rmid = i;
        }
    }
    place = place_with_detail(place_rmid(d->index, most_rmid), "while RMID %u reads", but);
    evidence_swept(c, a->all, compared);
    excludes(c, "traffic under another RMID", limit, "bytes");
    if (check_measure(c, a->most, place, most, "bytes", 0, limit))
        return ST_OK;
    evidence_msr(c, d->cpu, IA32_QM_CTR, before[most_rmid].sample.raw, before[most_rmid].sample.tsc);
    evidence_msr(c, d->cpu, IA32_QM_CTR, after[most_rmid].sample.raw, after[most_rmid].sample.tsc);
    finding(c, most > (double)stream / 2 ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, FOUND_COUNTED_ELSEWHERE, place,
            "%lu bytes were read under RMID %u, and %s counts %lu bytes under this one", stream, but, a->name,
            (uint64_t)most);
    return ST_OK;
}

static enum status read_and_compare(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base,
                                    uint64_t bytes, uint32_t n_events)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *before[2], *after[2];
    struct traffic_part part = part_read(rmid, base, bytes);
    struct reading r = reading_of("MBM total of the reading RMID", domain, rmid, QM_EVENT_L3_TOTAL);
    uint32_t bad_cpu = cpu;
    struct experiment e;

    if (d == NULL)
        return check_unmeasured(c, ST_LOST, cpu, "IA32_QM_CTR");
    TRY_MEASURE(c, domain_clean(c, domain, &bad_cpu), bad_cpu,
                "WBINVD"); /* what others wrote may count under their RMIDs when it is written back */
    if (rmid == 0) {       /* which idle processors have as well */
        expect_bandwidth(c, &r, (double)bytes);
        r.hi = r.never_hi = NO_BOUND;
    }
    (void)domain_settle_wait(c, 1); /* what was read under another RMID is counted before this one begins */
    for (uint32_t k = 0; k < n_events; k++)
        TRY(mbm_read_counts(c, d, alias_events[k].event, &before[k]));
    TRY(experiment_stream(c, cpu, &part, 1, &r, 1, &e));
    for (uint32_t k = 0; k < n_events; k++)
        TRY(mbm_read_counts_after(c, d, alias_events[k].event, &after[k]));
    experiment_judge(&e, "a buffer was read under this RMID");
    for (uint32_t k = 0; k < n_events; k++)
        TRY(judge_others(c, d, &alias_events[k], before[k], after[k], rmid, bytes * e.n_runs));
    return ST_OK;
}

/* As cmt.alias does for occupancy: every RMID that differs in one bit is among the others. RMID 0, which no other check
 * reads under, counts as much at least. MBM local is compared after the first stream only. */
static enum status mbm_alias(struct check *c, uint32_t domain)
{
    uint32_t rmids[ALIAS_RMIDS], n = domain_alias_rmids(c, domain, rmids), cpu = 0;
    uint64_t bytes = load_stream_bytes(c, domain) / 2, base = 0;

    if (domain_cpus(c, domain, &cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    TRY(memory_scatter_local(c, cpu, bytes, &base));
    for (uint32_t i = 0; i < n; i++)
        TRY(read_and_compare(c, domain, cpu, rmids[i], base, bytes, i == 0 && reference_rdt(c)->local ? 2 : 1));
    check_note(c, "L3 domain %u: read under %u of %u RMIDs, and every other one was checked", domain, n,
               c->machine->domains[domain].max_rmid + 1);
    return ST_OK;
}

/* --- MB-12: high RMIDs, where an erratum has their counts corrected ----------------------------------------------- */

static void judge_corrected(struct check *c, const struct mbm_correction *known, const struct reading *high,
                            uint64_t bytes)
{
    double factor = mbm_correction_factor(known, high->rmid);
    struct place place = place_rmid(high->domain, high->rmid);

    if (factor > 1 || factor < 1)
        check_note(c, "L3 domain %u, RMID %u: %s: counts above the L3's RMID %u are multiplied by %u.%06u",
                   high->domain, high->rmid, known->erratum, known->threshold, known->millionths / 1000000,
                   known->millionths % 1000000);
    if (high->bytes < 0)
        return;
    if (!check_measure(c, "MBM total under the highest RMID, corrected, / bytes read", place,
                       factor * high->bytes / (double)bytes, "ratio", 1 - BW_SHARE, 1 + BW_SHARE))
        finding(c, FINDING_UNUSUAL, 0, FOUND_CORRECTION_OFF, place,
                "%lu bytes were read, MBM total is %lu bytes, after the known correction %lu bytes", bytes,
                (uint64_t)high->bytes, (uint64_t)(factor * high->bytes));
}

/* The highest RMID against RMID 1, the same read under both. Where no erratum is known, no factor is due. */
static enum status mbm_high_rmid(struct check *c, uint32_t domain)
{
    uint32_t max = c->machine->domains[domain].max_rmid, cpu = 0, low = 0;
    struct mbm_correction known = errata_mbm_correction(c->machine, domain);
    uint64_t bytes = load_stream_bytes(c, domain) / 2, base = 0;
    struct traffic_part parts[2];
    struct reading r[2];
    struct experiment e;

    if (domain_rmids(c, domain, &low, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0 ||
        domain_rmid_in_background(c, max) || low == max)
        return check_absent(c, "L3 domain %u: no two free RMIDs, or no processor", domain);
    TRY(memory_scatter_local(c, cpu, 2 * bytes, &base));
    parts[0] = part_read(low, base, bytes);
    parts[1] = part_read(max, base + bytes, bytes);
    r[0] = reading_of("MBM total under a low RMID", domain, low, QM_EVENT_L3_TOTAL);
    r[1] = reading_of("MBM total under the highest RMID, not corrected", domain, max, QM_EVENT_L3_TOTAL);
    expect_bandwidth(c, &r[0], (double)bytes);
    TRY(experiment_stream(c, cpu, parts, 2, r, 2, &e));
    experiment_judge(&e, "a buffer was read under this RMID");
    judge_corrected(c, &known, &r[1], bytes);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mbm.switching",
      .title = "After an RMID switch, traffic is charged to the new RMID",
      .spec = RDT_TAG,
      .covers = "MB-13",
      .means = "traffic after a write of IA32_PQR_ASSOC is charged to the former RMID",
      .next = "which of the two RMIDs has too much; `cmt.halves` for the same in occupancy",
      .run_domain = mbm_switching },
    { .id = "mbm.every-thread",
      .title = "Every logical processor's traffic is charged to its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "MB-02 MB-11 MB-13 AS-08",
      .means = "traffic of one logical processor is counted under another RMID than its own",
      .next = "the processor and RMID in the finding; IA32_PQR_ASSOC of it (`pqr.own-copy`); `cmt.every-thread`",
      .slow = true,
      .run_domain = mbm_every_thread },
    { .id = "mbm.rested",
      .title = "A processor that was in HLT or MWAIT reads under the RMID that it had before",
      .spec =
          "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association; 17.16.8.2 Monitoring Operation With Power Saving "
          "Features",
      .covers = "AS-12",
      .means = "traffic of a processor that was idle is counted under another RMID than IA32_PQR_ASSOC has",
      .next =
          "the processor and RMID in the finding; whether IA32_PQR_ASSOC still reads as written; C-states of firmware",
      .run_domain = mbm_rested },
    { .id = "mbm.siblings",
      .title = "SMT siblings are counted under their own RMIDs, reading at once and when the other's changes",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "MB-19 AS-07",
      .means = "traffic of one thread is counted under the RMID of its SMT sibling",
      .next = "`pqr.siblings`; `cmt.siblings`",
      .needs = NEED_SMT,
      .run_domain = mbm_siblings },
    { .id = "mbm.alias",
      .title = "MBM counts only the issuing RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .covers = "MB-15",
      .detects = "aliasing: counters selected with fewer RMID bits than CPUID enumerates; a shifted RMID",
      .means = "two RMIDs alias: tasks are charged with each other's traffic",
      .next = "the bit in which the two RMIDs differ; `cmt.alias`; `enum.rmid-range`",
      .run_domain = mbm_alias },
    { .id = "mbm.high-rmid",
      .title = "The highest RMID counts like a low one after erratum correction",
      .spec = "Linux resctrl monitor.c, correction factors; errata BDF102, SKX99",
      .covers = "MB-12",
      .detects = "an erratum beyond what is documented",
      .means = "the correction for the published erratum does not fit this part",
      .next = "the erratum and the correction factor in the note; `mbm.every-rmid` for the RMID at the step",
      .grade = GRADE_W,
      .run_domain = mbm_high_rmid },
};
CHECK_FAMILY(mbm_tags, rows, .needs = NEED_TOTAL, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_BANDWIDTH,
             .by_experience = true, .excludes = true, .order = 620);
