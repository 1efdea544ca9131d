/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Under whose RMID a line is: the tag of the processor at the moment when it brought the line in.
 * Witness: who read which buffer. */
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"

/* --- CM-05: writing PQR_ASSOC moves no line ----------------------------------------------------------------------- */

#define RETAG_SECONDS_DIVISOR 10u /* 100 ms */

static bool retag(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };
    double before;

    if (!bench_any(c, domain, 2, 2 * small_fill_bytes(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r[0] = occupancy_of(domain, b.rmids[0]);
    expect_occupancy(c, &r[0], (double)b.bytes, 1);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "the buffer was filled under this RMID");
    before = r[0].runs[e.n_runs - 1]; /* whose lines are there now */
    part = part_idle(b.rmids[1], c->platform->tsc_hz / RETAG_SECONDS_DIVISOR);
    r[0] = occupancy_of(domain, b.rmids[0]);
    r[0].name = "occupancy after the processor took another RMID";
    expect_occupancy(c, &r[0], before, 0);
    r[1] = occupancy_of(domain, b.rmids[1]);
    r[1].name = "occupancy of that other RMID";
    expect_no_occupancy(c, &r[1]);
    e.n_readings = 2;
    e.flags = EXPERIMENT_WARM;
    if (experiment_run(&e))
        experiment_judge(&e, "nothing was read since the tag changed");
    return true;
}

LEGACY_DOMAIN(retag)

/* --- CM-06: threads, applications, context switches --------------------------------------------------------------- */

static bool halves(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    uint64_t half;

    if (!bench_any(c, domain, 2, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    half = ROUND_DOWN(b.bytes / 2);
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = part_fill(c, domain, b.rmids[i], b.base + i * half, half);
        r[i] = occupancy_of(domain, b.rmids[i]);
        expect_occupancy(c, &r[i], (double)half, 1);
    }
    if (experiment_run(&e))
        experiment_judge(&e, "one half of the buffer was filled under each of two RMIDs");
    return true;
}

LEGACY_DOMAIN(halves)

#define SWITCHES 12u /* slices of two tasks on one processor, two of the first to one of the second */

/* An OS writes IA32_PQR_ASSOC when it switches tasks. Two tasks take turns on one processor, each slice on memory of
 * its own; bandwidth, where it is counted, must follow as well. */
static bool context_switch(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    bool bandwidth = reference_rdt(c)->total;
    struct test_buffer b;
    struct traffic_part parts[SWITCHES];
    struct traffic_load load = { .n_parts = SWITCHES, .parts = parts };
    struct reading r[4];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = bandwidth ? 4 : 2 };
    uint64_t slice, of[2] = { 0, 0 };

    if (!bench_any(c, domain, 2, half_l3(c, domain), &b, why))
        return false;
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
        r[2 + i] = reading_of("bytes moved", domain, b.rmids[i], QM_EVENT_L3_TOTAL);
        expect_bandwidth(c, &r[2 + i], (double)of[i]);
    }
    if (experiment_run(&e))
        experiment_judge(&e, "two tasks took turns on one processor, IA32_PQR_ASSOC written at each switch");
    return true;
}

LEGACY_DOMAIN(context_switch)

#define SHARERS 4u

/* One RMID for all threads of an application. */
static bool shared(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    bool bandwidth = reference_rdt(c)->total;
    uint32_t cpus[SHARERS], n = domain_cpus(c, domain, cpus, SHARERS);
    struct test_buffer b;
    struct traffic_part parts[SHARERS];
    struct traffic_load loads[SHARERS];
    struct reading r[2];
    struct experiment e = { .check = c, .loads = loads, .readings = r, .n_readings = bandwidth ? 2 : 1 };
    uint64_t piece;

    if (n < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u has one processor", domain), false;
    e.n_loads = n = n < SHARERS ? n : SHARERS;
    if (!bench_any(c, domain, 1, half_l3(c, domain), &b, why))
        return false;
    piece = ROUND_DOWN(b.bytes / n);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = part_read(b.rmids[0], b.base + i * piece, piece);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
    }
    r[0] = occupancy_of(domain, b.rmids[0]);
    expect_occupancy(c, &r[0], (double)(piece * n), n);
    r[1] = reading_of("bytes moved", domain, b.rmids[0], QM_EVENT_L3_TOTAL);
    expect_bandwidth(c, &r[1], (double)(piece * n));
    if (experiment_run(&e))
        experiment_judge(&e, "several processors with one RMID read a part each");
    return true;
}

LEGACY_DOMAIN(shared)

/* --- every thread, and pairs of siblings -------------------------------------------------------------------------- */

static bool every_thread(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct waves w = { .event = QM_EVENT_L3_OCCUPANCY,
                       .bytes = small_fill_bytes(c, domain),
                       .name = "occupancy filled by cpu ",
                       .series = "occupancy over bytes filled",
                       .share = OCC_SHARE,
                       .defect = "its processor filled a buffer under it" };
    uint64_t fit = w.bytes ? half_l3(c, domain) / w.bytes : 0; /* fills of a wave stay within half the L3 together */

    w.at_once = fit < 1 ? 1 : fit < WAVE_MOST ? (uint32_t)fit : WAVE_MOST;
    return legacy_took(c, waves_every_thread(c, domain, &w), why);
}

LEGACY_DOMAIN(every_thread)

static bool siblings(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct waves w = { .event = QM_EVENT_L3_OCCUPANCY,
                             .bytes = small_fill_bytes(c, domain),
                             .name = "occupancy filled by cpu ",
                             .defect = "its thread filled a buffer under it, its sibling another" };

    return legacy_took(c, waves_siblings(c, domain, &w), why);
}

LEGACY_DOMAIN(siblings)

/* --- XC-10: a sibling that changes its tag all the time ----------------------------------------------------------- */

#define TAG_CHANGES 10000u

/* One thread of a core changes its RMID ten thousand times while the other one fills: nothing of that fill may land
 * under either of the two. */
static bool restless(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct traffic_part *changes, fill;
    struct traffic_load loads[2];
    struct reading r[3];
    struct experiment e = { .check = c, .loads = loads, .n_loads = 2, .readings = r, .n_readings = 3 };
    uint64_t bytes = 2 * small_fill_bytes(c, domain), base = 0;
    uint32_t first, rmids[3];

    if (sibling_pairs(c, domain, &first, 1) == 0 || domain_rmids_any(c, domain, rmids, 3) < 3)
        return text_format(why, WHY_SIZE, "L3 domain %u: no core with two threads, or fewer than three free RMIDs",
                           domain),
               false;
    if (!take_any(c, first, bytes, &base, why))
        return false;
    changes = heap_alloc(TAG_CHANGES * sizeof changes[0]);
    if (changes == NULL)
        return cannot_measure(c, ST_NO_MEMORY, first, "the changes of a tag"), true;
    for (uint32_t i = 0; i < TAG_CHANGES; i++)
        changes[i] = part_idle(rmids[1 + i % 2], 0);
    fill = part_fill(c, domain, rmids[0], base, bytes);
    loads[0] = (struct traffic_load){ .cpu = sibling_of(c, first), .n_parts = 1, .parts = &fill };
    loads[1] = (struct traffic_load){ .cpu = first, .n_parts = TAG_CHANGES, .parts = changes };
    for (uint32_t i = 0; i < 3; i++)
        r[i] = occupancy_of(domain, rmids[i]);
    expect_occupancy(c, &r[0], (double)bytes, 1);
    expect_no_occupancy(c, &r[1]);
    expect_no_occupancy(c, &r[2]);
    if (experiment_run(&e))
        experiment_judge(&e, "one thread filled while its sibling changed its tag ten thousand times");
    heap_free(changes);
    return true;
}

LEGACY_DOMAIN(restless)

#define MEANS_USUAL "lines are under the wrong RMID, or lost"
#define NEXT_USUAL  "`cmt.fill` and `cmt.alias` first; the processor and RMID in the finding; whether another L3 does it"

static const struct check_row rows[] = {
    { .id = "cmt.retag",
      .title = "A new tag moves no line that is already there",
      .spec = RDT_TAG,
      .rows = "CM-05",
      .detects = "lines that follow a write of IA32_PQR_ASSOC",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = retag_status },
    { .id = "cmt.halves",
      .title = "A tag acts on the next line that is read",
      .spec = RDT_TAG,
      .rows = "CM-06",
      .detects = "a tag that acts late; lines under the wrong RMID",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = halves_status },
    { .id = "cmt.context-switch",
      .title = "Two tasks that take turns on one processor are told apart",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association (one active RMID, changed by a write)",
      .rows = "CM-06 MB-13",
      .detects = "traffic charged to the task that ran before",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = context_switch_status },
    { .id = "cmt.shared",
      .title = "One RMID over several threads adds up",
      .spec = "SDM vol. 3B 17.16.1 (several logical processors may have one RMID)",
      .rows = "CM-02 MB-02",
      .detects = "a thread missing from the sum",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .run_domain = shared_status },
    { .id = "cmt.every-thread",
      .title = "Every logical processor fills under its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "CM-02 CM-16 AS-08",
      .detects = "an RMID ignored on one thread",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .slow = true,
      .run_domain = every_thread_status },
    { .id = "cmt.siblings",
      .title = "Threads of one core fill under their own RMIDs at the same time",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "CM-16 AS-07",
      .detects = "one tag used for both threads of a core",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .slow = true,
      .run_domain = siblings_status },
    { .id = "cmt.restless-sibling",
      .title = "A thread that changes its tag takes no line of its sibling",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "XC-10 AS-07",
      .detects = "a tag that reaches the other thread of the core while it changes",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 420,
      .slow = true,
      .run_domain = restless_status },
};
CHECK_FAMILY(cmt_tags, rows);
