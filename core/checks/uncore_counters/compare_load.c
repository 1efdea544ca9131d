/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Threshold, invert and edge of units that have no event for their clock, and of Knights Landing's memory controllers, which have
 * none for a queue: of the event that a load makes a box count most.
 * Witness: another counter of the box, on the same event as it is. Nothing here asks how the event lies in time: a clock with
 * an increment counts once where increments are compared, and a rising edge needs such a clock.
 */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/uncore_counters/load_events.h"

#define FIELDS                                                                                                         \
    "SDM vol. 3B 18.8.2.2, 18.9.6 (old numbering): E, INV, CMASK of MSR_UNCORE_PERFEVTSELx, MSR_UNC_CBO_x_PERFEVTSELy"

enum bound {
    SAME,       /* as the event's counts */
    NO_MORE,    /* 1 or more, and no more than the event's counts */
    NEVER_MORE, /* no more than them, and one at the start */
    ANY,        /* 1 or more */
};

#define MOST_THRESH UINT32_MAX /* the greatest that the field holds */

struct load_case {
    const char *what;
    uint32_t thresh;
    bool invert, edge_det;
    enum bound bound;
    enum finding_code code;
    const char *defect;
};

/* More increments in one clock than the greatest thresh no event has: 31 at least. */
static const struct load_case load_cases[] = {
    { "the event with thresh 1", 1, false, false, NO_MORE, FOUND_THRESHOLD_PASSES,
      "cycles that count, other than 1 to the event's increments" },
    { "the event with thresh 1 and edge_det", 1, false, true, NO_MORE, FOUND_EDGES_MISCOUNTED,
      "rising edges, other than 1 to the event's increments" },
    { "the event with thresh 1, invert and edge_det", 1, true, true, NEVER_MORE, FOUND_EDGES_COUNT_CYCLES,
      "more rising edges of no increment than increments" },
    { "the event with the greatest thresh and invert", MOST_THRESH, true, false, ANY, FOUND_INVERT_IGNORED,
      "invert does not count the cycles below thresh" },
    { "the event with thresh 0 and invert", 0, true, false, SAME, FOUND_INVERT_UNASKED, "invert acts with thresh 0" },
};

/* Of other units with a clock pmon.occupancy judges increments that come and go. */
static bool without_queue(const struct pmon_unit *unit)
{
    const struct pmon_events *events = &unit->events;

    return events->n_named > 0 &&
           (events->clock == PMON_CLOCK_NONE || (unit->kind == PMON_OTHER && events->named[0].bytes > 0)) &&
           unit->layout->counters >= 2 && unit->layout->control->thresh && unit->layout->control->invert &&
           unit->layout->control->edge_det && unit->layout->n_free == 0 && !pmon_session_ubox(unit);
}

static uint64_t case_ctl(const struct load_events *l, uint32_t i, const struct load_case *one)
{
    const struct pmon_control *f = l->session->boxes[i].unit->layout->control;
    uint64_t ctl = load_events_ctl(l, i);
    uint64_t thresh = one->thresh == MOST_THRESH ? f->thresh : field_put(f->thresh, one->thresh);

    return ctl ? ctl | thresh | (one->invert ? f->invert : 0) | (one->edge_det ? f->edge_det : 0) : 0;
}

static void judge_case(struct load_events *l, uint32_t i, uint32_t k, uint32_t witness, const struct load_case *one)
{
    struct pmon_session *session = l->session;
    const struct pmon_session_box *b = &session->boxes[i];
    double events = (double)pmon_session_counts(b, witness), counts = (double)pmon_session_counts(b, k);
    double slack = load_events_slack(l, i, events), lo = 1, hi = events + slack;
    enum finding_code code = one->code == FOUND_THRESHOLD_PASSES && counts < lo ? FOUND_THRESHOLD_STOPS : one->code;

    if (one->bound == ANY)
        hi = NO_BOUND;
    else if (!load_events_comparable(l, i, k, witness))
        return;
    if (one->bound == SAME)
        lo = events - slack;
    else if (one->bound == NEVER_MORE)
        lo = 0, hi++;
    else
        excludes_share(session->check, "counts beyond an event's increments", events, hi);
    if (one->bound != SAME || (counts >= lo && counts <= hi) || pmon_session_read_wrong(session, b, k) != PMON_FIXED) {
        pmon_session_expect(session, b, k, one->what, counts, "counts", lo, hi, code, one->defect);
        return;
    }
    /* 327043-001 2.3.3 wants a threshold with invert */
    check_measure(session->check, one->what, pmon_session_place(b, k), counts, "counts", lo, hi);
    finding(session->check, FINDING_UNUSUAL, 0, one->code, pmon_session_place(b, k), "%s: %s: %lu of %lu", one->what,
            one->defect, (uint64_t)counts, (uint64_t)events);
}

/* On counter 0, beside the event as it is on all others, or the other way round. */
static enum status run_case(struct load_events *l, const struct load_case *one, bool first)
{
    uint32_t witness = first ? 1 : 0;

    pmon_session_clear(l->session);
    for (uint32_t i = 0; i < l->session->n; i++)
        for (uint32_t k = 0; k < pmon_session_programmable(&l->session->boxes[i]); k++)
            l->session->boxes[i].ctl[k] = (k == 0) == first ? case_ctl(l, i, one) : load_events_ctl(l, i);
    TRY(load_events_run(l));
    for (uint32_t i = 0; i < l->session->n; i++) {
        const struct pmon_session_box *b = &l->session->boxes[i];

        for (uint32_t k = 0; k < pmon_session_programmable(b) && b->status == ST_OK && b->ctl[k]; k++)
            if ((k == 0) == first && pmon_session_counts(b, witness) >= LOAD_EVENTS_MANY)
                judge_case(l, i, k, witness, one);
    }
    return ST_OK;
}

static enum status try_cases(struct pmon_session *session)
{
    struct load_events l;

    TRY(load_events_choose(&l, session, true));
    pmon_session_clear(session);
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < pmon_session_programmable(&session->boxes[i]); k++)
            session->boxes[i].ctl[k] = load_events_ctl(&l, i);
    TRY(load_events_idle(&l));
    for (uint32_t n = 0; n < sizeof load_cases / sizeof load_cases[0]; n++) {
        TRY(run_case(&l, &load_cases[n], false));
        TRY(run_case(&l, &load_cases[n], true));
    }
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.compare-load",
      .title = "thresh, invert and edge_det act on the events of a load",
      .spec = FIELDS,
      .covers = "T1 T4 T5 G1",
      .detects = "of units without an event of a clock or a queue a comparison that is ignored or off by one, invert "
                 "without effect or "
                 "with effect where it has none, edge_det that counts levels or falling edges too",
      .wanted = without_queue,
      .run_session = try_cases },
};
CHECK_FAMILY(compare_load, rows, UNCORE_FAMILY, .risk = RISK_WORKLOAD, .excludes = true, .slow = true, .order = 952);
