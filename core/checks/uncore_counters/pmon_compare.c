/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a counter does to its event before it counts it: threshold, invert, edge. Witness: counter 0 of the same box,
 * and of counter 0 itself another one, which counts the box's clock in the same window: one freeze stops both, so that
 * the comparison is exact. In a UBox it is the fixed counter, and the event is one that does not occur, which thresh 1
 * and invert make count every cycle. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_CONTROL "E5-2600 Uncore Guide 327043-001 2.3.3 counter control registers, fields thresh, invert, edge_det"
#define FEW           2 /* edges of a signal that is on for the whole window: the one at its start, and one to spare */
#define STRAY         0.01 /* of all cycles: messages that the event of a UBox that does not occur may see */
#define NEARLY        0.01 /* of all cycles: what is off by less is compared right, and counted wrong */

/* --- T1, T4, T5, G1, G2 ------------------------------------------------------------------------------------------- */

/* What a case shows against the clock that counter 0 counts. */
enum outcome {
    SAME,
    NONE,
    HARDLY_ANY,
    EITHER,   /* SAME or HARDLY_ANY: not documented which */
    RECORDED, /* the guides want another thresh with it: what it counts is a WARN where it is not SAME */
};

struct compare {
    const char *what;
    /* Of a unit that counts its clock, in increments of one, and of one that has only an event that never occurs. */
    uint32_t thresh;
    bool invert, edge_det, raw; /* raw: a combination that the document does not allow to ask for */
    enum outcome clocked, idle;
    enum finding_code code;
    const char *defect;
};

/* A field of eight bits, each of whose upper three alone is above every increment. */
#define HIGH_BIT_LOST "thresh is compared by fewer bits than it has"

static const struct compare thresholds[] = {
    { "the event with thresh 0", 0, false, false, false, SAME, NONE, FOUND_THRESHOLD_STOPS,
      "thresh 0 does not count every increment" },
    { "the event with thresh 1", 1, false, false, false, SAME, NONE, FOUND_THRESHOLD_STOPS,
      "increment 1 does not pass thresh 1" },
    { "the event with thresh 2", 2, false, false, false, NONE, NONE, FOUND_THRESHOLD_PASSES,
      "increment 1 passes thresh 2" },
    { "the event with thresh 31", 31, false, false, false, NONE, NONE, FOUND_THRESHOLD_PASSES,
      "increment 1 passes thresh 31" },
    { "the event with thresh 32", 32, false, false, false, NONE, SAME, FOUND_THRESHOLD_PASSES, HIGH_BIT_LOST },
    { "the event with thresh 64", 64, false, false, false, NONE, SAME, FOUND_THRESHOLD_PASSES, HIGH_BIT_LOST },
    { "the event with thresh 128", 128, false, false, false, NONE, SAME, FOUND_THRESHOLD_PASSES, HIGH_BIT_LOST },
};
static const struct compare inversions[] = {
    { "thresh 1 and invert", 1, true, false, false, NONE, SAME, FOUND_INVERT_IGNORED,
      "invert does not count the cycles below thresh" },
    { "thresh 2 and invert", 2, true, false, false, SAME, SAME, FOUND_INVERT_IGNORED,
      "invert does not count the cycles below thresh" },
    { "thresh 0 and invert", 0, true, false, true, RECORDED, NONE, FOUND_INVERT_UNASKED, "invert acts with thresh 0" },
};
static const struct compare edges[] = {
    { "thresh 1 and edge_det", 1, false, true, false, HARDLY_ANY, NONE, FOUND_EDGES_COUNT_CYCLES,
      "edge_det counts cycles instead of edges" },
    { "thresh 2, invert and edge_det", 2, true, true, false, HARDLY_ANY, HARDLY_ANY, FOUND_EDGES_COUNT_CYCLES,
      "edge_det counts cycles instead of edges" },
    { "thresh 0 and edge_det", 0, false, true, true, EITHER, NONE, FOUND_EDGES_IN_PART,
      "edge_det with thresh 0 counts part of the cycles" },
};

static bool two_counters(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->counters >= 2 && unit->layout->control->thresh &&
           !pmon_session_ubox(unit);
}

static bool has_clock(const struct pmon_unit *unit)
{
    return unit->events.clock != PMON_CLOCK_NONE;
}

static uint64_t case_ctl(const struct pmon_unit *unit, const struct compare *one)
{
    const struct pmon_control *f = unit->layout->control;
    struct pmon_event event = {
        .ev_sel = has_clock(unit) ? unit->events.clock_event : unit->events.idle_ev_sel,
        .umask = has_clock(unit) ? unit->events.clock_umask : unit->events.idle_umask,
        .thresh = one->thresh,
        .enable = true,
        /* an event that does not occur counts every cycle only where the comparison is inverted */
        .invert = (one->invert || (!has_clock(unit) && one->idle == SAME)) && !one->raw,
        .edge_det = one->edge_det && !one->raw,
    };
    uint64_t ctl = 0;

    if (pmon_encode(unit, &event, &ctl) != ST_OK)
        return 0;
    return one->raw ? ctl | (one->invert ? f->invert : 0) | (one->edge_det ? f->edge_det : 0) : ctl;
}

/* The counter of the clock: the fixed one, 0, or while 0 is judged (`first`) the next one that is sure to count. */
static uint32_t compare_clock(const struct pmon_session_box *b, bool first)
{
    if (pmon_session_ubox(b->unit))
        return b->n - 1;
    for (uint32_t k = 1; first && k < pmon_session_programmable(b); k++)
        if (pmon_session_sure(b, k))
            return k;
    return first ? 1 : 0;
}

/* A count that was to be that of the clock, and is not. */
static void judge_same(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, const struct compare *one,
                       double clocks)
{
    double counts = (double)pmon_session_counts(b, k), stray = pmon_session_ubox(b->unit) ? STRAY * clocks : 0, lo, hi;
    bool nearly = counts >= clocks * (1 - NEARLY) && counts <= clocks * (1 + NEARLY);
    enum finding_code code = nearly ? FOUND_COUNTERS_DIFFER : one->code;
    const char *defect = nearly ? "differs from the counter of the clock by less than 1 %" : one->defect;

    pmon_session_same(b, clocks, &lo, &hi);
    if (one->raw && counts != clocks)
        finding(session->check, FINDING_UNUSUAL, 0, code, pmon_session_place(b, k), "%s: %s: %lu of %lu", one->what,
                defect, (uint64_t)counts, (uint64_t)clocks);
    else if (!one->raw) /* messages take cycles from what counts where the event does not occur, and add none */
        pmon_session_expect(session, b, k, one->what, counts, "counts", lo - stray, hi, code, defect);
}

static void judge_case(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, uint32_t clock,
                       const struct compare *one)
{
    enum outcome outcome = has_clock(b->unit) ? one->clocked : one->idle;
    double clocks = (double)pmon_session_counts(b, clock), counts = (double)pmon_session_counts(b, k);
    double stray = pmon_session_ubox(b->unit) ? STRAY * clocks : 0;

    if (b->ctl[k] == 0)
        return;
    if (clocks == 0) { /* what is under test may keep it from counting */
        pmon_session_expect(session, b, clock, "clocks", clocks, "counts", 1, NO_BOUND, FOUND_COUNTS_ZERO,
                            "counter of the box clock does not advance");
        return;
    }
    if (one->raw) /* the guides want a threshold with it */
        check_show(session->check, one->what,
                   pmon_session_ubox(b->unit) ? pmon_session_place(b, k) : pmon_place(b->box), counts / clocks,
                   "counts per clock");
    if (one->raw && pmon_session_ubox(b->unit))
        return;
    if (outcome == SAME || outcome == RECORDED || (outcome == EITHER && counts > FEW)) {
        judge_same(session, b, k, one, clocks);
    } else if (outcome != EITHER) {
        pmon_session_expect(session, b, k, one->what, counts, "counts", 0,
                            stray > 0         ? stray
                            : outcome == NONE ? 0
                                              : FEW,
                            one->code, one->defect);
    }
}

/* On every programmable counter but the one that counts the clock, or on counter 0 alone. */
static void run_round(struct pmon_session *session, const struct compare *one, bool first)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        for (uint32_t j = 0; j < pmon_session_programmable(b); j++)
            b->ctl[j] = case_ctl(b->unit, one);
        b->ctl[compare_clock(b, first)] =
            pmon_session_ubox(b->unit) ? b->unit->layout->fixed.en : pmon_session_clock_ctl(b->unit);
    }
    pmon_session_measure(session, pmon_session_ticks(session) / 4);
    pmon_session_each(session, b)
        for (uint32_t j = 0; j < pmon_session_programmable(b) && b->status == ST_OK; j++)
            if (j != compare_clock(b, first) && (j == 0 || !first))
                judge_case(session, b, j, compare_clock(b, first), one);
}

static void run_case(struct pmon_session *session, const struct compare *one)
{
    run_round(session, one, false);
    if (!pmon_session_ubox(session->boxes[0].unit))
        run_round(session, one, true);
}

static enum status try_thresholds(struct pmon_session *session)
{
    for (uint32_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++)
        run_case(session, &thresholds[i]);
    return ST_OK;
}

static enum status try_inversions(struct pmon_session *session)
{
    for (uint32_t i = 0; i < sizeof inversions / sizeof inversions[0]; i++)
        run_case(session, &inversions[i]);
    return ST_OK;
}

static bool inverts(const struct pmon_unit *unit)
{
    return two_counters(unit) && unit->layout->control->invert;
}

static enum status try_edges(struct pmon_session *session)
{
    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        run_case(session, &edges[i]);
    return ST_OK;
}

/* What every value of thresh makes of an increment of 0: none is at or above it, every cycle is below it. A bit of the
 * comparison that is not there makes one of the values 0. */
static void try_every_thresh(struct pmon_session *session, uint32_t most)
{
    char what[64];
    struct compare one = { .what = what, .clocked = NONE, .idle = NONE };

    for (one.thresh = 2; one.thresh <= most && check_verdict(session->check) != VERDICT_FAIL; one.thresh++) {
        one.invert = false;
        one.idle = NONE;
        one.code = FOUND_THRESHOLD_PASSES;
        one.defect = "an increment of 0 passes it";
        text_format(what, sizeof what, "an event that does not occur, thresh %u", one.thresh);
        run_case(session, &one);
        one.invert = true;
        one.idle = SAME;
        one.code = FOUND_INVERT_IGNORED;
        one.defect = "invert does not count the cycles below thresh";
        text_format(what, sizeof what, "an event that does not occur, thresh %u and invert", one.thresh);
        run_case(session, &one);
    }
}

#define UBOX_THRESH_MOST 31u /* of five bits, as the guide has it */

static enum status try_ubox_compare(struct pmon_session *session)
{
    if (pmon_session_clock_ctl(session->boxes[0].unit) == 0)
        return check_absent(session->check,
                            "controls of this part have no invert: no event of its UBox occurs in every cycle");
    (void)try_thresholds(session);
    (void)try_inversions(session);
    (void)try_edges(session);
    try_every_thresh(session, UBOX_THRESH_MOST);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.threshold",
      .title = "thresh counts the cycles whose increment is at or above it",
      .covers = "T1 T3",
      .detects = "a comparison that is ignored, off by one, or of the wrong width",
      .wanted = two_counters,
      .run_session = try_thresholds },
    { .id = "pmon.invert",
      .title = "invert counts the cycles below thresh, and is ignored while thresh is 0",
      .covers = "T4 T5",
      .detects = "invert without effect, or with effect where it has none",
      .wanted = inverts,
      .run_session = try_inversions },
    { .id = "pmon.edge",
      .title = "edge_det counts rising edges",
      .covers = "G1 G2 G3",
      .detects = "edge_det that counts levels",
      .wanted = two_counters,
      .run_session = try_edges },
};
CHECK_FAMILY(pmon_compare, rows, UNCORE_FAMILY, .spec = GUIDE_CONTROL, .risk = RISK_MSR, .order = 930, .slow = true);

static const struct check_row ubox_rows[] = {
    { .id = "ubox.threshold",
      .title = "thresh, invert and edge_det of the UBox act as documented",
      .spec = UBOX_GUIDE_CONTROL,
      .covers = "T1 T4 T5 G2",
      .detects = "a comparison that is ignored, invert or edge without effect",
      .wanted = pmon_session_ubox,
      .run_session = try_ubox_compare },
};
CHECK_FAMILY(ubox_threshold, ubox_rows, UBOX_FAMILY, .order = 905, .slow = true);
