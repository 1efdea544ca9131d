/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a counter makes of its event before it counts it (threshold, invert, edge), and how it overflows (wrap,
 * overflow status). Witness: counter 0 of the same box, which counts the box's clock in the same window: one freeze
 * stops both, so that the comparison is exact. */
#include "core/base/bits.h"
#include "core/measure/pmon_session.h"

#define GUIDE_CONTROL "E5-2600 Uncore Guide 327043-001 2.3.3 counter control registers, fields thresh, invert, edge_det"
#define GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 2.1 Uncore per-socket performance monitoring control"
#define FEW           2 /* edges of a signal that is on for the whole window: the one at its start, and one to spare */
#define WRAP_TRIES    2u
#define AHEAD         16u /* a counter is preset 1/AHEAD of a window before its overflow: windows are seldom shorter */

/* --- T1, T4, T5, G1, G2 ------------------------------------------------------------------------------------------- */

/* What a case shows against the clock that counter 0 counts. */
enum outcome { SAME, NONE, HARDLY_ANY, EITHER /* SAME or HARDLY_ANY: not documented which */ };

struct compare {
    const char *what;
    /* Of a unit that counts its clock, in increments of one, and of one that has only an event that never occurs. */
    uint32_t thresh;
    bool invert, edge_det, raw; /* raw: a combination that the document does not allow to ask for */
    enum outcome clocked, idle;
    const char *defect;
};

static const struct compare thresholds[] = {
    { "the event with thresh 0", 0, false, false, false, SAME, NONE, "thresh 0 does not count every increment" },
    { "the event with thresh 1", 1, false, false, false, SAME, NONE, "increment 1 does not pass thresh 1" },
    { "the event with thresh 2", 2, false, false, false, NONE, NONE, "increment 1 passes thresh 2" },
    { "the event with thresh 31", 31, false, false, false, NONE, NONE, "increment 1 passes thresh 31" },
};
static const struct compare inversions[] = {
    { "thresh 1 and invert", 1, true, false, false, NONE, SAME, "invert does not count the cycles below thresh" },
    { "thresh 2 and invert", 2, true, false, false, SAME, SAME, "invert does not count the cycles below thresh" },
    { "thresh 0 and invert", 0, true, false, true, SAME, NONE, "invert acts with thresh 0" },
};
static const struct compare edges[] = {
    { "thresh 1 and edge_det", 1, false, true, false, HARDLY_ANY, NONE, "edge_det counts cycles instead of edges" },
    { "thresh 2, invert and edge_det", 2, true, true, false, HARDLY_ANY, HARDLY_ANY,
      "edge_det counts cycles instead of edges" },
    { "thresh 0 and edge_det", 0, false, true, true, EITHER, NONE, "edge_det with thresh 0 counts part of the cycles" },
};

static bool two_counters(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->counters >= 2 && unit->layout->control->thresh;
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
        .invert = one->invert && !one->raw,
        .edge_det = one->edge_det && !one->raw,
    };
    uint64_t ctl = 0;

    if (pmon_encode(unit, &event, &ctl) != ST_OK)
        return 0;
    return one->raw ? ctl | (one->invert ? f->invert : 0) | (one->edge_det ? f->edge_det : 0) : ctl;
}

static void judge_case(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, const struct compare *one)
{
    enum outcome outcome = has_clock(b->unit) ? one->clocked : one->idle;
    double clocks = (double)pmon_session_counts(b, 0), counts = (double)pmon_session_counts(b, k);

    if (b->ctl[k] == 0)
        return;
    if (clocks == 0) { /* it may be the very thing under test that keeps it from counting */
        pmon_session_expect(session, b, 0, "clocks of counter 0", clocks, "counts", 1, NO_BOUND,
                            "counter 0 does not advance");
        return;
    }
    if (outcome == EITHER) { /* the guides want a threshold with it */
        measure(session->check, one->what, b->name, counts / clocks, "counts per clock", -NO_BOUND, NO_BOUND);
        if (counts > FEW && counts != clocks)
            warn(session->check, "%s counter %u: %s: %s: %llu of %llu", b->name, pmon_session_index(b, k), one->what,
                 one->defect, (unsigned long long)counts, (unsigned long long)clocks);
    } else if (outcome == SAME)
        pmon_session_expect(session, b, k, one->what, counts, "counts", clocks, clocks, one->defect);
    else
        pmon_session_expect(session, b, k, one->what, counts, "counts", 0, outcome == NONE ? 0 : FEW, one->defect);
}

/* One case a round, on every programmable counter but counter 0, which counts the clock. */
static void run_case(struct pmon_session *session, const struct compare *one)
{
    pmon_session_clear(session);
    for (uint32_t k = 0; k < session->n; k++) {
        struct pmon_session_box *b = &session->boxes[k];

        b->ctl[0] = pmon_session_clock_ctl(b->unit);
        for (uint32_t j = 1; j < pmon_session_programmable(b); j++)
            b->ctl[j] = case_ctl(b->unit, one);
    }
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session) / 4);
    for (uint32_t k = 0; k < session->n; k++)
        for (uint32_t j = 1; j < pmon_session_programmable(&session->boxes[k]) && session->boxes[k].status == ST_OK;
             j++)
            judge_case(session, &session->boxes[k], j, one);
}

static enum status try_thresholds(struct pmon_session *session)
{
    for (uint32_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++)
        run_case(session, &thresholds[i]);
    return ST_OK;
}

static enum verdict pmon_check_threshold(struct check *c)
{
    return pmon_session_check(c, two_counters, try_thresholds);
}

static enum status try_inversions(struct pmon_session *session)
{
    for (uint32_t i = 0; i < sizeof inversions / sizeof inversions[0]; i++)
        run_case(session, &inversions[i]);
    return ST_OK;
}

static enum verdict check_invert(struct check *c)
{
    return pmon_session_check(c, two_counters, try_inversions);
}

static enum status try_edges(struct pmon_session *session)
{
    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        run_case(session, &edges[i]);
    return ST_OK;
}

static enum verdict check_edge(struct check *c)
{
    return pmon_session_check(c, two_counters, try_edges);
}

/* --- O1: wrap ----------------------------------------------------------------------------------------------------- */

static bool pmon_compare_is_near(const struct pmon_session_box *b, uint32_t i, uint32_t base)
{
    return i != base || pmon_session_index(b, i) == PMON_FIXED;
}

/* Every counter but `base` overflows early in the window; base counts the same clock from 0. */
static void preset_near_the_end(struct pmon_session *session, uint32_t base, const uint64_t *usual)
{
    pmon_session_clear(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n; k++)
            b->preset[k] = pmon_compare_is_near(b, k, base)
                               ? (0 - usual[i * PMON_SESSION_COUNTERS + k] / AHEAD) & low_bits(b->bits[k])
                               : 0;
    }
}

static void judge_wrap(struct pmon_session *session, uint32_t base)
{
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
            double clocks = (double)pmon_session_counts(b, base), counts = (double)pmon_session_counts(b, k);

            if (!pmon_compare_is_near(b, k, base) || b->preset[k] == 0)
                continue;
            if (!pmon_session_expect(session, b, k, "bits above the counter's width",
                                     (double)(b->got[k] & ~low_bits(b->bits[k])), "value", 0, 0,
                                     "bits above the counter's width read 1 after the wrap"))
                continue;
            if (!pmon_session_expect(session, b, k, "wraps seen", b->got[k] < b->preset[k], "wraps", 1, 1,
                                     "counter preset just below its maximum does not wrap"))
                continue;
            if (k < pmon_session_programmable(b))
                pmon_session_expect(session, b, k, "counts over the wrap", counts, "counts", clocks, clocks,
                                    "count mismatch across the wrap against counter 0 or 1");
        }
    }
}

static bool pmon_compare_wraps(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->counters >= 2;
}

/* What each counter counts in a usual window, into the check's memory. */
static enum status usual_counts(struct pmon_session *session, uint64_t **counts)
{
    uint64_t *usual = check_alloc(session->check, sizeof *usual * PMON_SESSION_COUNTERS * session->n);

    if (usual == NULL)
        return unmeasured(session->check, ST_NO_MEMORY, session->check->platform->bsp, "the uncore boxes");
    pmon_session_clear(session);
    pmon_session_program(session);
    pmon_session_widths(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            usual[i * PMON_SESSION_COUNTERS + k] = pmon_session_counts(&session->boxes[i], k);
    *counts = usual;
    return ST_OK;
}

static enum status try_wrap(struct pmon_session *session)
{
    uint64_t *usual = NULL;
    enum status st = usual_counts(session, &usual);

    if (st != ST_OK)
        return st;
    for (uint32_t base = 0; base < WRAP_TRIES; base++) {
        preset_near_the_end(session, base, usual);
        pmon_session_program(session);
        pmon_session_window(session, pmon_session_ticks(session));
        judge_wrap(session, base);
    }
    return ST_OK;
}

static enum verdict pmon_check_wrap(struct check *c)
{
    return pmon_session_check(c, pmon_compare_wraps, try_wrap);
}

/* --- O2: overflow status ------------------------------------------------------------------------------------------ */

static bool has_status(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->has_status &&
           (unit->layout->control->ov_en || unit->layout->status_without_ov_en);
}

static uint64_t status_mask(const struct pmon_session_box *b)
{
    return low_bits(pmon_session_programmable(b)) << b->unit->layout->status_bit;
}

static void clear_status(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++)
        pmon_session_write(session, &session->boxes[i], pmon_status_clear(session->boxes[i].unit),
                           status_mask(&session->boxes[i]));
    pmon_session_execute(session);
}

static void read_status(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++)
        pmon_session_read(session, &session->boxes[i], pmon_status(session->boxes[i].unit));
    pmon_session_execute(session);
}

static void expect_status(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, uint64_t wanted,
                          const char *what, const char *defect)
{
    uint64_t status = pmon_session_value(session, b, 0) & status_mask(b);

    if (!pmon_session_expect(session, b, k, what, (double)status, "value", (double)wanted, (double)wanted, defect))
        pmon_session_show(session, b, pmon_status(b->unit), pmon_session_value(session, b, 0));
}

/* One counter of each box overflows, the others are far from it. */
static void overflow_one(struct pmon_session *session, uint32_t k, const uint64_t *usual)
{
    preset_near_the_end(session, UINT32_MAX, usual);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t j = 0; j < b->n; j++) {
            if (j < pmon_session_programmable(b) && !b->unit->layout->status_without_ov_en)
                b->ctl[j] |= b->unit->layout->control->ov_en;
            if (j != k)
                b->preset[j] = 0;
        }
    }
    pmon_session_program(session);
    clear_status(session);
    pmon_session_window(session, pmon_session_ticks(session));
    read_status(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        if (b->status == ST_OK && k < pmon_session_programmable(b))
            expect_status(session, b, k, BIT(b->unit->layout->status_bit + k), "overflow bits after its overflow",
                          "overflow status is not exactly this counter's bit");
    }
    clear_status(session);
    read_status(session);
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].status == ST_OK && k < pmon_session_programmable(&session->boxes[i]))
            expect_status(session, &session->boxes[i], k, 0, "overflow bits after they were cleared",
                          "overflow bit not cleared by writing 1");
}

static enum status try_overflow(struct pmon_session *session)
{
    uint64_t *usual = NULL;
    enum status st = usual_counts(session, &usual);

    if (st != ST_OK)
        return st;
    for (uint32_t k = 0; k < PMON_MOST_COUNTERS; k++)
        overflow_one(session, k, usual);
    return ST_OK;
}

static enum verdict pmon_check_overflow(struct check *c)
{
    return pmon_session_check(c, has_status, try_overflow);
}

/* --- O3: no status without ov_en ---------------------------------------------------------------------------------- */

static bool asks_for_status(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->has_status && unit->layout->control->ov_en &&
           !unit->layout->status_without_ov_en;
}

/* Status bits of overflows with ov_en 0: no document forbids them. */
static enum status try_overflow_without_ov_en(struct pmon_session *session)
{
    struct check *c = session->check;
    uint64_t *usual = NULL;
    enum status st = usual_counts(session, &usual);

    if (st != ST_OK)
        return st;
    preset_near_the_end(session, UINT32_MAX, usual);
    pmon_session_program(session);
    clear_status(session);
    pmon_session_window(session, pmon_session_ticks(session));
    read_status(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        uint64_t status = pmon_session_value(session, b, 0) & status_mask(b);

        if (b->status != ST_OK)
            continue;
        if (!measure(c, "overflow bits with ov_en 0", b->name, (double)status, "value", 0, 0))
            warn(c, "%s: counters overflowed with ov_en 0 and the status reads 0x%llx", b->name,
                 (unsigned long long)status);
    }
    clear_status(session);
    return ST_OK;
}

static enum verdict check_unasked(struct check *c)
{
    return pmon_session_check(c, asks_for_status, try_overflow_without_ov_en);
}

#define MEANS_USUAL "uncore counters do not behave as the part's guide says"
#define NEXT_USUAL  "box, register and value in the evidence; whether other boxes of the kind do it; `pmon.boxes`"

static const struct check_row rows[] = {
    { .id = "pmon.threshold",
      .title = "thresh counts the cycles whose increment is at or above it",
      .spec = GUIDE_CONTROL,
      .rows = "T1 T3",
      .detects = "a comparison that is ignored, off by one, or of the wrong width",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 930,
      .slow = true,
      .run = pmon_check_threshold },
    { .id = "pmon.invert",
      .title = "invert counts the cycles below thresh, and is ignored while thresh is 0",
      .spec = GUIDE_CONTROL,
      .rows = "T4 T5",
      .detects = "invert without effect, or with effect where it has none",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 930,
      .slow = true,
      .run = check_invert },
    { .id = "pmon.edge",
      .title = "edge_det counts rising edges",
      .spec = GUIDE_CONTROL,
      .rows = "G1 G2 G3",
      .detects = "edge_det that counts levels",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 930,
      .slow = true,
      .run = check_edge },
    { .id = "pmon.wrap",
      .title = "Counters of every box wrap at their width and keep counting",
      .spec = GUIDE_COUNTER,
      .rows = "O1",
      .detects = "a counter that saturates, sticky top bits, a wrong width",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 930,
      .run = pmon_check_wrap },
    { .id = "pmon.overflow",
      .title = "An overflow sets the counter's own status bit, cleared by writing 1",
      .spec = "Ivy Bridge-EP Uncore Guide 329468-002 2.1, box status registers; SDM vol. 3B 18.8.2 (old numbering)",
      .rows = "O2",
      .detects = "a status bit that is missing, another counter's, or does not clear",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 930,
      .slow = true,
      .run = pmon_check_overflow },
    { .id = "pmon.unasked-overflow",
      .title = "An overflow with ov_en 0 sets no status bit",
      .spec = "Ivy Bridge-EP Uncore Guide 329468-002 2.1, field ov_en and box status registers",
      .rows = "O3",
      .detects = "a status that ignores ov_en",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_UNCORE,
      .order = 930,
      .slow = true,
      .run = check_unasked },
};
CHECK_FAMILY(pmon_compare, rows);
