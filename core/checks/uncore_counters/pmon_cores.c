/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How many cores are in C0, as the power control unit counts them, and thresholds against increments as large as the
 * number of cores of the package. Witness: the count without a threshold and the box's clock in the same window, and a
 * load that keeps every core awake. */
#include "core/checks/uncore_counters/pmon_residency.h"
#include "core/uncore/pmon_session.h"
#include "core/platform/script.h"
#include "core/base/bits.h"
#include "core/base/text.h"

#define GUIDE                                                                                                          \
    "E5-2600 Uncore Guide 327043-001 2.6 PCU performance monitoring, POWER_STATE_OCCUPANCY, occ_sel, thresh, "         \
    "occ_invert, occ_edge_det; "                                                                                       \
    "published event files of later parts; SDM vol. 4, residency MSRs 60DH, 3F8H, 3F9H, 3FCH, 3FDH"

#define EVENT         "cores_c0"
#define FEW           4    /* clocks that a comparison may be late */
#define MOST          0.75 /* of a window the cores are awake: the load has to be started in it */
#define WINDOW_SHARE  4u   /* of a usual window */
#define LEAST_THRESH  2u   /* windows of thresh 1 and 2, 3 and 4, ... */
#define BUDGET_MS     1000u
#define AS_AN_AVERAGE 100.0

enum { CLOCK, ALL, AT_LEAST, MORE, COUNTERS }; /* counters of each box: thresh 0, t and t + 1 */
/* Of events with bit 7 of ev_sel, from E5-2600 to Ice Lake-SP: occ_invert and occ_edge_det, in the places of bits 23
 * and 18. */
enum { BELOW = ALL, EDGES = MORE };
#define OCCUPANCY_EVENT 0x80u
#define OCC_INVERT      BIT(30)
#define OCC_EDGE        BIT(31)
#define RARE            0.01 /* of the clocks: cores that stay awake do not fall asleep as often */

struct awake {
    struct task *tasks; /* one a core that takes work */
    struct step *steps;
    uint32_t n;
    uint32_t *cpus;            /* of the tasks */
    uint32_t *cores, *workers; /* [session.n]: cores of a box, and those of them that are kept awake */
};

static bool counts_cores(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->counters >= COUNTERS && pmon_event_named(unit, EVENT);
}

/* Whether a box counts a processor's core. Where a package has several dies and the part is not by_die, no source says
 * which cores a box counts: all of them, at most. */
static bool core_of(const struct check *c, const struct pmon_session_box *b, const struct cpu *cpu)
{
    return cpu->package == b->box->package &&
           (!c->tools->pmon.part->by_die || cpu->place.die == c->machine->cpus[b->box->cpu].place.die);
}

/* The first processor of its core that could be asked and, with `works`, takes work. */
static bool is_first(const struct check *c, uint32_t cpu, bool works)
{
    const struct cpu *cpus = c->machine->cpus;

    if (cpus[cpu].enumerated != ST_OK || (works && !cpu_takes_work(c->platform, cpu)))
        return false;
    return !ANY_OF(i, cpu,
                   cpus[i].enumerated == ST_OK && place_same_core(&cpus[i].place, &cpus[cpu].place) &&
                       (!works || cpu_takes_work(c->platform, i)));
}

/* Whether every core of its package is the box's to count: no source says which of several dies has whose. */
static bool has_all_cores(const struct pmon_session *session, uint32_t i)
{
    const struct pmon *pmon = &session->check->tools->pmon;

    for (uint32_t k = 0; k < session->n && pmon->part->several_dies; k++)
        if (k != i && session->boxes[k].box->package == session->boxes[i].box->package)
            return false;
    return true;
}

static enum status count_cores(struct pmon_session *session, struct awake *a)
{
    struct check *c = session->check;
    uint64_t ticks = pmon_session_ticks(session) / WINDOW_SHARE;

    TRY_ALLOC(c, a->tasks, c->machine->n_cpus, "the cores");
    TRY_ALLOC(c, a->steps, c->machine->n_cpus, "the cores");
    TRY_ALLOC(c, a->cpus, c->machine->n_cpus, "the cores");
    TRY_ALLOC(c, a->cores, 2 * session->n, "the cores");
    a->workers = a->cores + session->n;
    for (uint32_t cpu = 0; cpu < c->machine->n_cpus; cpu++) {
        bool works = is_first(c, cpu, true);

        for (uint32_t i = 0; i < session->n; i++) {
            bool own = core_of(c, &session->boxes[i], &c->machine->cpus[cpu]);

            a->cores[i] += own && is_first(c, cpu, false);
            a->workers[i] += own && works && has_all_cores(session, i);
        }
        if (works) {
            a->cpus[a->n] = cpu;
            a->steps[a->n] = step_spin(ticks);
            a->tasks[a->n] = (struct task){ .cpu = cpu, .n_steps = 1, .steps = &a->steps[a->n] };
            a->n++;
        }
    }
    return ST_OK;
}

static uint64_t cores_ctl(const struct pmon_unit *unit, uint32_t thresh, uint64_t extra)
{
    const struct pmon_named *named = pmon_event_named(unit, EVENT);
    struct pmon_event event = {
        .ev_sel = named->ev_sel, .umask = named->umask, .extra = named->extra | extra, .thresh = thresh, .enable = true
    };
    uint64_t ctl = 0;

    return pmon_encode(unit, &event, &ctl) == ST_OK ? ctl : 0;
}

static void select_thresholds(struct pmon_session *session, uint32_t thresh)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        b->ctl[CLOCK] = pmon_session_clock_ctl(b->unit);
        b->ctl[ALL] = cores_ctl(b->unit, 0, 0);
        b->ctl[AT_LEAST] = cores_ctl(b->unit, thresh, 0);
        b->ctl[MORE] = cores_ctl(b->unit, thresh + 1, 0);
    }
}

/* All cores or fewer, and from none to some. */
static void select_occ_bits(struct pmon_session *session, const struct awake *a)
{
    pmon_session_clear(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        uint64_t field = b->unit->layout->control->thresh, most = field_get(field, field);
        uint32_t all = a->cores[i] < most ? a->cores[i] : (uint32_t)most;

        if (!(pmon_event_named(b->unit, EVENT)->ev_sel & OCCUPANCY_EVENT))
            continue;
        b->ctl[CLOCK] = pmon_session_clock_ctl(b->unit);
        b->ctl[AT_LEAST] = cores_ctl(b->unit, all, 0);
        b->ctl[BELOW] = cores_ctl(b->unit, all, OCC_INVERT);
        b->ctl[EDGES] = cores_ctl(b->unit, 1, OCC_EDGE);
    }
}

static enum status awake_window(struct pmon_session *session, struct awake *a)
{
    enum status st;

    pmon_session_program(session);
    pmon_session_run(session);
    st = platform_run(session->check->platform, a->tasks, a->n, BUDGET_MS);
    pmon_session_stop(session);
    pmon_session_fetch(session);
    for (uint32_t i = 0; i < a->n && st == ST_OK; i++)
        st = status_first(a->tasks[i].status, a->steps[i].status);
    return st;
}

/* Clocks with t cores or more hold t of the sum each, and the others hold t - 1, t, or all cores at most. */
static void judge_thresholds(struct pmon_session *session, const struct pmon_session_box *b, uint32_t t, double cores)
{
    double clocks = (double)pmon_session_counts(b, CLOCK), sum = (double)pmon_session_counts(b, ALL),
           least = (double)pmon_session_counts(b, AT_LEAST), more = (double)pmon_session_counts(b, MORE);
    char what[64];

    excludes(session->check, "a miscount at a threshold", FEW, "counts");
    text_format(what, sizeof what, "cycles with at least %u cores in C0", t);
    if (!pmon_session_expect(session, b, AT_LEAST, what, least, "counts", 0, clocks + FEW, FOUND_OVERCOUNTS,
                             "counts more cycles than elapsed"))
        return;
    text_format(what, sizeof what, "cycles with at least %u cores in C0", t + 1);
    if (!pmon_session_expect(session, b, MORE, what, more, "counts", 0, least + FEW, FOUND_NOT_MONOTONIC,
                             "a higher threshold counts more than a lower one"))
        return;
    text_format(what, sizeof what, "cores in C0 over all cycles, by thresh %u and %u", t, t + 1);
    pmon_session_expect(session, b, AT_LEAST, what, sum, "counts", t * least + more - (t + 1) * FEW,
                        (t - 1) * (clocks - least) + t * (least - more) + cores * more + cores * FEW,
                        FOUND_THRESHOLD_MISCOUNTS, "inconsistent with the count without a threshold");
}

static void judge_awake(struct pmon_session *session, const struct awake *a, const struct pmon_session_box *b,
                        uint32_t thresh)
{
    struct check *c = session->check;
    uint32_t i = (uint32_t)(b - session->boxes), cores = a->cores[i];
    double clocks = (double)pmon_session_counts(b, CLOCK), sum = (double)pmon_session_counts(b, ALL);
    double mean = clocks > 0 ? sum / clocks : 0;

    if (b->status != ST_OK || clocks == 0 || b->ctl[MORE] == 0 || thresh > cores + 1)
        return;
    if (a->workers[i] > 0)
        excludes_share(c, "awake cores that are not counted", mean, MOST * a->workers[i]);
    if (!check_measure(c, "cores in C0 while each is kept awake", pmon_place(b->box), mean, "cores",
                       MOST * a->workers[i], cores + FEW * cores / clocks)) {
        pmon_session_show(session, b, pmon_ctl(b->unit, ALL), b->ctl[ALL]);
        finding(c, FINDING_UNUSUAL, 0, mean > cores ? FOUND_OVERCOUNTS : FOUND_UNDERCOUNTS, pmon_place(b->box),
                "counts %lu cores in C0 for each 100 cycles, %u are kept awake and %u are enumerated",
                (uint64_t)(AS_AN_AVERAGE * mean), a->workers[i], cores);
    }
    judge_thresholds(session, b, thresh, mean > cores ? clocks + sum : cores);
}

static void judge_occ_bits(struct pmon_session *session, const struct pmon_session_box *b)
{
    struct check *c = session->check;
    double clocks = (double)pmon_session_counts(b, CLOCK), edges = (double)pmon_session_counts(b, EDGES),
           sum = (double)pmon_session_counts(b, AT_LEAST) + (double)pmon_session_counts(b, BELOW);

    if (b->status != ST_OK || clocks == 0 || b->ctl[BELOW] == 0 || b->ctl[EDGES] == 0)
        return;
    if (!check_measure(c, "cycles with all cores in C0 and, by occ_invert, with fewer", pmon_place(b->box), sum,
                       "counts", clocks - FEW, clocks + FEW)) {
        pmon_session_show(session, b, pmon_ctl(b->unit, BELOW), b->ctl[BELOW]);
        finding(c, FINDING_UNUSUAL, 0, FOUND_INVERT_MISCOUNTS, pmon_place(b->box),
                "cycles with all cores in C0 and, by occ_invert, with fewer sum to %lu of %lu", (uint64_t)sum,
                (uint64_t)clocks);
    }
    if (!check_measure(c, "rising edges by occ_edge_det while every core is kept awake", pmon_place(b->box), edges,
                       "counts", 0, RARE * clocks + FEW)) {
        pmon_session_show(session, b, pmon_ctl(b->unit, EDGES), b->ctl[EDGES]);
        finding(c, FINDING_UNUSUAL, 0, FOUND_EDGES_COUNT_CYCLES, pmon_place(b->box),
                "%lu rising edges of cores in C0 in %lu cycles: occ_edge_det counts cycles", (uint64_t)edges,
                (uint64_t)clocks);
    }
}

/* And the residency counters, which need no window of a box. */
static enum status cores_try_occ_bits(struct pmon_session *session, struct awake *a)
{
    struct check *c = session->check;

    select_occ_bits(session, a);
    TRY_MEASURE(c, awake_window(session, a), c->platform->bsp, "the cores that are kept awake");
    pmon_session_each(session, b)
        judge_occ_bits(session, b);
    return residency_judge_awake(c, a->cpus, a->n, pmon_session_ticks(session));
}

static enum status cores_try_each(struct pmon_session *session)
{
    struct awake a = { .n = 0 };
    uint32_t most = 0;

    TRY(count_cores(session, &a));
    for (uint32_t i = 0; i < session->n; i++)
        most = a.cores[i] > most ? a.cores[i] : most;
    for (uint32_t t = 1; t <= most + 1; t += LEAST_THRESH) {
        select_thresholds(session, t);
        TRY_MEASURE(session->check, awake_window(session, &a), session->check->platform->bsp,
                    "the cores that are kept awake");
        pmon_session_each(session, b)
            judge_awake(session, &a, b, t);
    }
    return cores_try_occ_bits(session, &a);
}

static const struct check_row rows[] = {
    { .id = "pmon.core-occupancy",
      .title = "The PCU counts the cores in C0, and residency counters do not advance",
      .spec = GUIDE,
      .covers = "T1 T2 T4 G1 K7 V13",
      .detects =
          "cores that are not counted, a threshold that is ignored or compared with another number, occ_invert or "
          "occ_edge_det without effect, a residency counter that advances while its core or package is awake",
      .means = "uncore counters do not behave as the part's guide says",
      .next = "box, register and value in the evidence; `pmon.threshold`, which compares increments of one",
      .wanted = counts_cores,
      .run_session = cores_try_each },
};
CHECK_FAMILY(pmon_cores, rows, .needs = NEED_PMON, .risk = RISK_MSR, .rests_on = RESTS_ON_UNCORE, .excludes = true,
             .order = 960);
