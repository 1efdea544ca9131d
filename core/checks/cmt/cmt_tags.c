/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which RMID a line counts under: the one in IA32_PQR_ASSOC when the processor filled it. Witness: which processor read
 * which buffer under which RMID. */
#include "core/base/text.h"
#include "core/measure/waves.h"

#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"

/* --- CM-05: writing IA32_PQR_ASSOC moves no line ------------------------------------------------------------------ */

#define RETAG_SECONDS_DIVISOR 10u /* 100 ms */

static enum status cmt_retag(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    enum status st = test_buffer_any(c, domain, 2, 2 * small_fill_bytes(c, domain), &b);

    if (st == ST_OK)
        st = test_buffer_fill(c, domain, &b, &r[0]);
    if (st != ST_OK)
        return st;
    load.cpu = b.cpu;
    part = part_idle(b.rmids[1], c->platform->tsc_hz / RETAG_SECONDS_DIVISOR);
    expect_occupancy(c, &r[0], r[0].bytes, 0);
    r[0].name = "occupancy after the processor switched to another RMID";
    r[1] = occupancy_of(domain, b.rmids[1]);
    r[1].name = "occupancy of the RMID switched to";
    expect_no_occupancy(c, &r[1]);
    expect_none_of(&r[1], r[0].bytes);
    e.flags = EXPERIMENT_WARM | EXPERIMENT_HALVE;
    return experiment_check(&e, "no line was filled after IA32_PQR_ASSOC changed");
}

/* --- CM-06: threads, applications, context switches --------------------------------------------------------------- */

static enum status cmt_halves(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    enum status st = test_buffer_any(c, domain, 2, half_l3(c, domain), &b);
    uint64_t half;

    if (st != ST_OK)
        return st;
    load.cpu = b.cpu;
    half = ROUND_DOWN(b.bytes / 2);
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = part_fill(c, domain, b.rmids[i], b.base + i * half, half);
        r[i] = occupancy_of(domain, b.rmids[i]);
        expect_occupancy(c, &r[i], (double)half, 1);
    }
    return experiment_check(&e, "half of the buffer was filled under each of two RMIDs");
}

#define SWITCHES 12u /* slices of two tasks on one processor, two of the first to one of the second */

/* An OS writes IA32_PQR_ASSOC when it switches tasks. Two tasks alternate on one processor, each slice on memory of
 * its own; MBM total, where it is enumerated, must follow as well. */
static enum status cmt_context_switch(struct check *c, uint32_t domain)
{
    bool bandwidth = reference_rdt(c)->total;
    struct test_buffer b;
    struct traffic_part parts[SWITCHES];
    struct traffic_load load = { .n_parts = SWITCHES, .parts = parts };
    struct reading r[4];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = bandwidth ? 4 : 2 };
    uint64_t slice, of[2] = { 0, 0 };
    enum status st = test_buffer_any(c, domain, 2, half_l3(c, domain), &b);

    if (st != ST_OK)
        return st;
    load.cpu = b.cpu;
    slice = ROUND_DOWN(b.bytes / SWITCHES);
    for (uint32_t i = 0; i < SWITCHES; i++) {
        uint32_t task = i % 3 == 2;

        parts[i] = part_read(b.rmids[task], b.base + i * slice, slice);
        of[task] += slice;
    }
    for (uint32_t i = 0; i < 2; i++) {
        r[i] = occupancy_of(domain, b.rmids[i]);
        expect_occupancy(c, &r[i], (double)of[i], 1);
        r[2 + i] = total_of(domain, b.rmids[i]);
        expect_bandwidth(c, &r[2 + i], (double)of[i]);
    }
    return experiment_check(&e, "two tasks alternated on one processor, with a write of IA32_PQR_ASSOC at each switch");
}

#define SHARERS 4u

/* One RMID for all threads of an application. */
static enum status cmt_shared(struct check *c, uint32_t domain)
{
    bool bandwidth = reference_rdt(c)->total;
    uint32_t cpus[SHARERS], n = domain_cpus(c, domain, cpus, SHARERS);
    struct test_buffer b;
    struct traffic_part parts[SHARERS];
    struct traffic_load loads[SHARERS];
    struct reading r[2];
    struct experiment e = { .check = c, .loads = loads, .readings = r, .n_readings = bandwidth ? 2 : 1 };
    uint64_t piece;
    enum status st;

    if (n < 2)
        return absent(c, "L3 domain %u has one processor", domain);
    st = test_buffer_any(c, domain, 1, half_l3(c, domain), &b);
    if (st != ST_OK)
        return st;
    e.n_loads = n = n < SHARERS ? n : SHARERS;
    piece = ROUND_DOWN(b.bytes / n);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = part_read(b.rmids[0], b.base + i * piece, piece);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
    }
    r[0] = occupancy_of(domain, b.rmids[0]);
    expect_occupancy(c, &r[0], (double)(piece * n), n);
    r[1] = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &r[1], (double)(piece * n));
    return experiment_check(&e, "several processors read a part each under this one RMID");
}

/* --- every thread, and pairs of siblings -------------------------------------------------------------------------- */

static enum status cmt_every_thread(struct check *c, uint32_t domain)
{
    struct waves w = { .event = QM_EVENT_L3_OCCUPANCY,
                       .bytes = small_fill_bytes(c, domain),
                       .name = "occupancy filled by cpu ",
                       .series = "occupancy / bytes filled",
                       .share = OCC_SHARE,
                       .stimulus = "the processor filled a buffer under this RMID" };
    uint64_t fit = w.bytes ? half_l3(c, domain) / w.bytes : 0; /* fills of a wave stay within half the L3 together */

    w.at_once = fit < 1 ? 1 : fit < WAVE_MOST ? (uint32_t)fit : WAVE_MOST;
    return waves_every_thread(c, domain, &w);
}

static enum status cmt_siblings(struct check *c, uint32_t domain)
{
    const struct waves w = { .event = QM_EVENT_L3_OCCUPANCY,
                             .bytes = small_fill_bytes(c, domain),
                             .name = "occupancy filled by cpu ",
                             .stimulus = "both SMT siblings filled a buffer, each under an RMID of its own" };

    return waves_siblings(c, domain, &w);
}

/* --- XC-10: a sibling that keeps changing its RMID ---------------------------------------------------------------- */

#define RMID_CHANGES 10000u

/* One thread of a core changes its RMID ten thousand times while the other one fills: no line of that fill may count
 * under either of the two. */
static enum status cmt_active_sibling(struct check *c, uint32_t domain)
{
    struct traffic_part *changes = check_alloc(c, RMID_CHANGES * sizeof changes[0]), fill;
    struct traffic_load loads[2];
    struct reading r[3];
    struct experiment e = { .check = c, .loads = loads, .n_loads = 2, .readings = r, .n_readings = 3 };
    uint64_t bytes = 2 * small_fill_bytes(c, domain), base = 0;
    uint32_t first, rmids[3];
    enum status st;

    if (sibling_pairs(c, domain, &first, 1) == 0 || domain_rmids_any(c, domain, rmids, 3) < 3)
        return absent(c, "L3 domain %u: no core with two threads, or fewer than three free RMIDs", domain);
    st = memory_take_any(c, first, bytes, &base);
    if (st != ST_OK)
        return st;
    if (changes == NULL)
        return unmeasured(c, ST_NO_MEMORY, first, "the list of RMID changes");
    for (uint32_t i = 0; i < RMID_CHANGES; i++)
        changes[i] = part_idle(rmids[1 + i % 2], 0);
    fill = part_fill(c, domain, rmids[0], base, bytes);
    loads[0] = (struct traffic_load){ .cpu = sibling_of(c, first), .n_parts = 1, .parts = &fill };
    loads[1] = (struct traffic_load){ .cpu = first, .n_parts = RMID_CHANGES, .parts = changes };
    for (uint32_t i = 0; i < 3; i++)
        r[i] = occupancy_of(domain, rmids[i]);
    expect_occupancy(c, &r[0], (double)bytes, 1);
    for (uint32_t i = 1; i < 3; i++) {
        expect_no_occupancy(c, &r[i]);
        expect_none_of(&r[i], (double)bytes);
    }
    return experiment_check(&e, "one thread filled while its SMT sibling changed its RMID 10000 times");
}

static const struct check_row rows[] = {
    { .id = "cmt.retag",
      .title = "Changing the RMID does not move lines already in the L3",
      .spec = RDT_TAG,
      .rows = "CM-05",
      .detects = "lines whose RMID follows a write of IA32_PQR_ASSOC",
      .means = "lines already in the L3 change their RMID when the processor changes its own",
      .next = "`cmt.readers`, where a hit might do it; `cmt.halves`; `cmt.fill`",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = cmt_retag },
    { .id = "cmt.halves",
      .title = "A new RMID applies from the next fill",
      .spec = RDT_TAG,
      .rows = "CM-06",
      .detects = "an RMID that applies late; lines under the wrong RMID",
      .means = "lines filled after a write of IA32_PQR_ASSOC count under the former RMID",
      .next = "which of the two RMIDs has too much; `cmt.retag`; `mbm.switching` for the same in MBM",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = cmt_halves },
    { .id = "cmt.context-switch",
      .title = "Tasks alternating on one processor count under their own RMIDs",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association (one active RMID, changed by a write)",
      .rows = "CM-06 MB-13",
      .detects = "occupancy or traffic charged to the task that ran before",
      .means = "after a context switch occupancy or traffic is charged to the wrong task",
      .next = "`cmt.halves`, `mbm.switching`: the same with one switch; whether occupancy or MBM total is off",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = cmt_context_switch },
    { .id = "cmt.shared",
      .title = "Occupancy of an RMID sums over the threads that share it",
      .spec = "SDM vol. 3B 17.16.1 (several logical processors may have one RMID)",
      .rows = "CM-02 MB-02",
      .detects = "a thread missing from the sum",
      .means = "occupancy or MBM total of a shared RMID misses what one of its threads did",
      .next = "`cmt.every-thread` for which thread; `mbm.every-thread`",
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = cmt_shared },
    { .id = "cmt.every-thread",
      .title = "Every logical processor fills under its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "CM-02 CM-16 AS-08",
      .detects = "an RMID ignored on one thread; an RMID bit lost on one thread",
      .means = "lines that one logical processor fills count under another RMID than its own",
      .next = "the processor and RMID in the finding; IA32_PQR_ASSOC of it (`pqr.own-copy`); `mbm.every-thread`",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .slow = true,
      .run_domain = cmt_every_thread },
    { .id = "cmt.siblings",
      .title = "SMT siblings filling at once count under their own RMIDs",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "CM-16 AS-07",
      .detects = "one RMID used for both threads of a core",
      .means = "lines of one thread count under the RMID of its SMT sibling",
      .next = "`pqr.siblings`; `mbm.siblings`; `cmt.restless-sibling`",
      .needs = NEED_OCCUPANCY | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .slow = true,
      .run_domain = cmt_siblings },
    { .id = "cmt.restless-sibling",
      .title = "RMID changes do not affect the SMT sibling's occupancy",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "XC-10 AS-07",
      .detects = "a write of IA32_PQR_ASSOC that affects the other thread of the core while it fills",
      .means = "lines of one thread count under RMIDs that its SMT sibling switches to",
      .next = "`cmt.siblings`, where both RMIDs are constant; `pqr.siblings`",
      .needs = NEED_OCCUPANCY | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .slow = true,
      .run_domain = cmt_active_sibling },
};
CHECK_FAMILY(cmt_tags, rows);
