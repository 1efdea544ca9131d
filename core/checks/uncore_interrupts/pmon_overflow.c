/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Overflows: counters wrap at their width, and their box's status shows it. Witness: counter 0 of the same box,
 * which counts the box's clock in the same window: one freeze stops both, so that the comparison is exact. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_COUNTER  "E5-2600 Uncore Guide 327043-001 2.1 Uncore per-socket performance monitoring control"
#define WRAP_TRIES     2u
#define OVERFLOW_SHARE 4u  /* of a usual window: the overflow comes at a quarter of it */
#define AHEAD          16u /* a counter is preset 1/AHEAD of a window before its overflow: windows are seldom shorter */
#define FREEZE_US      5.0 /* a message to the U-box and one to the boxes; engineering choice */
#define CLOCK_MOVES    0.05 /* UCLK from one window to another: it may scale a little */

/* --- O1: wrap ----------------------------------------------------------------------------------------------------- */

static bool overflow_is_near(const struct pmon_session_box *b, uint32_t i, uint32_t base)
{
    return i != base || pmon_session_index(b, i) == PMON_FIXED;
}

/* The counter that counts the clock from 0 in the nth window: those that all sources have counting, in turn. */
static uint32_t base_of(const struct pmon_session_box *b, uint32_t nth)
{
    for (uint32_t i = 0; i < pmon_session_programmable(b); i++)
        if (pmon_session_sure(b, i) && nth-- == 0)
            return i;
    return 0;
}

/* Every counter but the base of the nth window overflows early in it; NO_BASE: all do. */
#define NO_BASE UINT32_MAX
static void preset_near_the_end(struct pmon_session *session, uint32_t nth, const uint64_t *usual)
{
    pmon_session_clear(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        uint32_t base = nth == NO_BASE ? NO_BASE : base_of(b, nth);

        for (uint32_t k = 0; k < b->n; k++)
            b->preset[k] = overflow_is_near(b, k, base)
                               ? (0 - usual[i * PMON_SESSION_COUNTERS + k] / AHEAD) & low_bits(b->bits[k])
                               : 0;
    }
}

static double window_ticks(const struct pmon_session_box *b)
{
    return ((double)(b->stop_before - b->run_before) + (double)(b->stop_after - b->run_after)) / 2;
}

/* What counter k should count over its wrap: as many as the base of the window, which counts the same clock. A fixed
 * counter of UCLK that is alone has its own rate from before. false: nothing in the box counts its clock. */
static bool over_wrap(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t k, uint32_t base,
                      uint64_t usual, double *lo, double *hi)
{
    double clocks = (double)usual * window_ticks(b) / (double)pmon_session_ticks(session);

    if (k >= pmon_session_programmable(b) && !pmon_session_ubox(b->unit))
        return false;
    pmon_session_same(b, (double)pmon_session_counts(b, base), lo, hi);
    if (b->ctl[base] == 0) {
        *lo = clocks * (1 - CLOCK_MOVES);
        *hi = clocks * (1 + CLOCK_MOVES);
    }
    return true;
}

static void judge_wrap(struct pmon_session *session, uint32_t nth, const uint64_t *usual)
{
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        uint32_t base = base_of(b, nth);

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
            uint64_t usually = usual[i * PMON_SESSION_COUNTERS + k];
            double lo, hi;

            if (!overflow_is_near(b, k, base) || b->ctl[k] == 0 || (b->preset[k] == 0 && !pmon_session_ubox(b->unit)))
                continue;
            if (!pmon_session_expect(session, b, k, "counts of a window", (double)usually, "counts", AHEAD, NO_BOUND,
                                     FOUND_COUNTS_ZERO, "counter does not advance: no wrap can be tested"))
                continue;
            if (!pmon_session_expect(session, b, k, "bits above the counter's width",
                                     (double)(b->got[k] & ~low_bits(b->bits[k])), "value", 0, 0, FOUND_BITS_ABOVE_WIDTH,
                                     "bits above the counter's width read 1 after the wrap"))
                continue;
            if (!pmon_session_expect(session, b, k, "wraps seen", b->got[k] < b->preset[k], "wraps", 1, 1,
                                     FOUND_NEVER_WRAPS, "counter preset just below its maximum does not wrap"))
                continue;
            if (over_wrap(session, b, k, base, usually, &lo, &hi))
                pmon_session_expect(session, b, k, "counts over the wrap", (double)pmon_session_counts(b, k), "counts",
                                    lo, hi, FOUND_CARRY_MISCOUNTS,
                                    "count mismatch across the wrap against another counter of the box");
        }
    }
}

static bool overflow_wraps(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->counters >= 2 && !pmon_session_ubox(unit);
}

/* What each counter counts of its clock in the time of a usual window, into the check's memory. */
static enum status usual_counts(struct pmon_session *session, uint64_t **counts)
{
    uint64_t *usual;

    TRY_ALLOC(session->check, usual, PMON_SESSION_COUNTERS * session->n, "the uncore boxes");
    pmon_session_silence(session);
    pmon_session_widths(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_measure(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            usual[i * PMON_SESSION_COUNTERS + k] =
                (uint64_t)((double)pmon_session_counts(&session->boxes[i], k) * (double)pmon_session_ticks(session) /
                           window_ticks(&session->boxes[i]));
    *counts = usual;
    return ST_OK;
}

/* A counter that is narrower than documented has another value than the one written, and wraps elsewhere. */
static void keep_what_was_stored(struct pmon_session *session)
{
    pmon_session_fetch(session);
    pmon_session_each_counter(session, b, k)
        b->preset[k] = b->got[k];
}

static enum status try_wrap(struct pmon_session *session)
{
    uint64_t *usual = NULL;

    TRY(usual_counts(session, &usual));
    for (uint32_t nth = 0; nth < WRAP_TRIES; nth++) {
        preset_near_the_end(session, nth, usual);
        pmon_session_program(session);
        keep_what_was_stored(session);
        pmon_session_window(session, pmon_session_ticks(session));
        judge_wrap(session, nth, usual);
    }
    pmon_session_note_fixed_alone(session);
    return ST_OK;
}

/* --- O2: overflow status ------------------------------------------------------------------------------------------ */

static bool has_status(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->has_status &&
           (unit->layout->control->ov_en || unit->layout->status_without_ov_en);
}

/* Of the counters whose bits are documented. */
static uint64_t status_mask(const struct pmon_session_box *b)
{
    return low_bits(pmon_session_programmable(b)) << b->unit->layout->status_bit | b->unit->layout->fixed.ov;
}

static uint64_t status_of(const struct pmon_session_box *b, uint32_t k)
{
    return k < pmon_session_programmable(b) ? BIT(b->unit->layout->status_bit + k) : b->unit->layout->fixed.ov;
}

/* With the bits that say that a status changed or that an interrupt was asked for. */
static uint64_t status_all(const struct pmon_session_box *b)
{
    return status_mask(b) | b->unit->layout->status_changed | b->unit->layout->status_pmi;
}

static void clear_status(struct pmon_session *session)
{
    pmon_session_each(session, b)
        pmon_session_write(session, b, pmon_status_clear(b->unit), status_all(b));
    pmon_session_execute(session);
}

static void read_status(struct pmon_session *session)
{
    pmon_session_each(session, b)
        pmon_session_read(session, b, pmon_status(b->unit));
    pmon_session_execute(session);
}

static void expect_status(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, uint64_t mask,
                          uint64_t wanted, const char *what, enum finding_code code, const char *defect)
{
    uint64_t status = pmon_session_value(session, b, 0) & mask;

    if (k >= pmon_session_programmable(b) && b->unit->layout->fixed.ov_en && status != wanted) {
        check_measure(session->check, what, pmon_session_place(b, k), (double)status, "value", (double)wanted,
                      (double)wanted);
        finding(session->check, FINDING_UNUSUAL, 0, code, pmon_session_place(b, k),
                "%s: %s (no guide says which bit of its control is ov_en)", what, defect);
    } else if (!pmon_session_expect(session, b, k, what, (double)status, "value", (double)wanted, (double)wanted, code,
                                    defect))
        pmon_session_show(session, b, pmon_status(b->unit), pmon_session_value(session, b, 0));
}

static void judge_reserved_status(struct pmon_session *session, struct pmon_session_box *b)
{
    uint64_t status = pmon_session_value(session, b, 0), reserved = status & b->unit->layout->status_reserved;

    if (reserved == 0)
        return;
    pmon_session_show(session, b, pmon_status(b->unit), status);
    finding(session->check, FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, pmon_place(b->box),
            "its status reads 0x%lx, of which 0x%lx is reserved", status, reserved);
}

/* No control requests an interrupt here: where the status has a bit for that, it must be 0. */
static void judge_overflowed(struct pmon_session *session, struct pmon_session_box *b, uint32_t k)
{
    const struct pmon_layout *l = b->unit->layout;

    if (b->status != ST_OK)
        return;
    expect_status(session, b, k, status_mask(b), status_of(b, k), "overflow bits after its overflow",
                  FOUND_STATUS_WRONG, "overflow status is not exactly this counter's bit");
    judge_reserved_status(session, b);
    if (l->status_changed)
        expect_status(session, b, k, l->status_changed, l->status_changed, "change bit after its overflow",
                      FOUND_STATUS_WRONG, "the status changed, its change bit is 0");
    if (l->status_pmi)
        expect_status(session, b, k, l->status_pmi, 0, "interrupt bit after its overflow", FOUND_STATUS_WRONG,
                      "the status says that an interrupt was requested, and no control requests one");
}

static void ask_for_status(struct pmon_session_box *b)
{
    for (uint32_t i = 0; i < b->n && !b->unit->layout->status_without_ov_en; i++)
        b->ctl[i] |= i < pmon_session_programmable(b) ? b->unit->layout->control->ov_en : b->unit->layout->fixed.ov_en;
}

/* Microseconds that counter k counted after its overflow, where a freeze stopped it. The U-box freezes all boxes when an overflow is
 * reported to it (329468-002 2.1.1.1); no document says how fast. 0: it counted on until the window's end,
 * or did not overflow. */
static double froze_after(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t k,
                          uint64_t usual)
{
    double share = usual ? (double)b->got[k] / (double)usual : 1;

    if (share > 1.0 / AHEAD)
        return 0;
    return share * (double)pmon_session_ticks(session) * 1e6 / (double)session->check->platform->tsc_hz;
}

/* least: of all counters of the box. */
static void judge_freeze(struct pmon_session *session, const struct pmon_session_box *b, double least)
{
    if (least > 0 && least < NO_BOUND &&
        !check_measure(session->check, "time from an overflow to the freeze", pmon_place(b->box), least, "us", 0,
                       FREEZE_US))
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_COUNTS_FROZEN, pmon_place(b->box),
                "every counter counts on for %lu us and more after its overflow, which then freezes the box",
                (uint64_t)least);
}

static void judge_one(struct pmon_session *session, struct pmon_session_box *b, uint32_t k)
{
    judge_overflowed(session, b, k);
    clear_status(session);
    read_status(session);
    if (b->status == ST_OK)
        expect_status(session, b, k, status_all(b), 0, "overflow bits after they were cleared", FOUND_STATUS_KEPT,
                      "overflow bit not cleared by writing 1");
}

/* The lowest bit that is set is cleared alone. A freeze by the first overflow may leave only one. */
static void judge_all(struct pmon_session *session, struct pmon_session_box *b)
{
    uint64_t set = b->status == ST_OK ? pmon_session_value(session, b, 0) & status_mask(b) : 0;
    uint64_t lowest = set & (0 - set);

    if (set != lowest) {
        pmon_session_write(session, b, pmon_status_clear(b->unit), lowest);
        pmon_session_execute(session);
        read_status(session);
        if (b->status == ST_OK)
            expect_status(session, b, 0, status_mask(b), set - lowest, "overflow bits after one was cleared",
                          FOUND_STATUS_KEPT, "writing 1 to one overflow bit does not clear that one alone");
    }
    clear_status(session);
}

/* Of the session's one box counter k overflows, and the others carry into their top bit, through every bit below it,
 * which is no overflow; ALL_COUNTERS: all overflow. The U-box freezes every box of the package when an overflow is
 * reported to it (329468-002 2.1.1.1): no other box has ov_en, and the freeze is lifted afterwards. */
#define ALL_COUNTERS UINT32_MAX
static void overflow(struct pmon_session *session, uint32_t k, const uint64_t *usual)
{
    struct pmon_session_box *b = &session->boxes[0];

    preset_near_the_end(session, NO_BASE, usual);
    ask_for_status(b);
    for (uint32_t i = 0; i < b->n && k != ALL_COUNTERS; i++) {
        if (i != k) /* before k overflows, since that may freeze the box */
            b->preset[i] = (BIT(b->bits[i] - 1) - usual[i] / (2 * AHEAD)) & low_bits(b->bits[i]);
    }
    pmon_session_program(session);
    clear_status(session);
    pmon_session_window(session, pmon_session_ticks(session) / OVERFLOW_SHARE);
    read_status(session);
    if (k == ALL_COUNTERS)
        judge_all(session, b);
    else
        judge_one(session, b, k);
    pmon_session_silence(session);
    pmon_session_thaw(session->check);
}

static void overflow_box(struct pmon_session *session, uint32_t i, const uint64_t *usual)
{
    struct pmon_session one = *session;
    double least = NO_BOUND;

    one.boxes = &session->boxes[i];
    one.n = 1;
    for (uint32_t k = 0; k < one.boxes->n; k++) {
        double after;

        if (!status_of(one.boxes, k))
            continue;
        overflow(&one, k, usual);
        after = froze_after(&one, one.boxes, k, usual[k]);
        least = after < least ? after : least;
    }
    if (one.boxes->status == ST_OK)
        judge_freeze(&one, one.boxes, least);
    overflow(&one, ALL_COUNTERS, usual);
    session->held = one.held;
    session->done = 0;
}

/* Every box counts again: no freeze is left. Where sources disagree on the global control it is a WARN. */
static void expect_thawed(struct pmon_session *session)
{
    struct check *c = session->check;

    pmon_session_clear(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_measure(session, pmon_session_ticks(session) / OVERFLOW_SHARE);
    pmon_session_each(session, b) {
        if (b->status == ST_OK && c->tools->pmon.part->global.unsure && pmon_session_counts(b, 0) == 0)
            finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_RESUMED, pmon_place(b->box),
                    "stays stopped after overflows, and MSR 0x%x does not let it run", c->tools->pmon.part->global.msr);
        else if (b->status == ST_OK)
            pmon_session_expect(session, b, 0, "counts after all overflows", (double)pmon_session_counts(b, 0),
                                "counts", 1, NO_BOUND, FOUND_NOT_RESUMED, "counter stays stopped after overflows");
    }
}

static enum status try_overflow(struct pmon_session *session)
{
    uint64_t *usual = NULL;

    TRY(pmon_session_may_overflow(session->check));
    TRY(usual_counts(session, &usual));
    pmon_session_silence(session);
    for (uint32_t i = 0; i < session->n; i++)
        overflow_box(session, i, &usual[i * PMON_SESSION_COUNTERS]);
    expect_thawed(session);
    return ST_OK;
}

/* --- O3: no status without ov_en ---------------------------------------------------------------------------------- */

static bool needs_ov_en(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->has_status && unit->layout->control->ov_en &&
           !unit->layout->status_without_ov_en;
}

/* Status bits of overflows with ov_en 0: no document forbids them. */
static enum status try_overflow_without_ov_en(struct pmon_session *session)
{
    struct check *c = session->check;
    uint64_t *usual = NULL;

    TRY(usual_counts(session, &usual));
    preset_near_the_end(session, NO_BASE, usual);
    pmon_session_program(session);
    clear_status(session);
    pmon_session_window(session, pmon_session_ticks(session));
    read_status(session);
    pmon_session_each(session, b) {
        uint64_t status = pmon_session_value(session, b, 0) & status_mask(b);

        if (b->status != ST_OK)
            continue;
        if (!check_measure(c, "overflow bits with ov_en 0", pmon_place(b->box), (double)status, "value", 0, 0))
            finding(c, FINDING_UNUSUAL, 0, FOUND_STATUS_UNASKED, pmon_place(b->box),
                    "counters overflowed with ov_en 0 and the status reads 0x%lx", status);
    }
    clear_status(session);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.wrap",
      .title = "Counters of every box wrap at their width and keep counting",
      .spec = GUIDE_COUNTER,
      .covers = "O1",
      .detects = "a counter that saturates, sticky top bits, a wrong width",
      .wanted = overflow_wraps,
      .run_session = try_wrap },
    { .id = "pmon.overflow",
      .title = "An overflow sets the counter's own status bit, cleared by writing 1",
      .spec = "Ivy Bridge-EP Uncore Guide 329468-002 2.1, box status registers; SDM vol. 3B 18.8.2 (old numbering)",
      .covers = "O2",
      .detects = "a status bit that is missing, another counter's, early, or does not clear; a late freeze",
      .slow = true,
      .wanted = has_status,
      .run_session = try_overflow },
    { .id = "pmon.unasked-overflow",
      .title = "An overflow with ov_en 0 sets no status bit",
      .spec = "Ivy Bridge-EP Uncore Guide 329468-002 2.1, field ov_en and box status registers",
      .covers = "O3",
      .detects = "a status that ignores ov_en",
      .grade = GRADE_W,
      .slow = true,
      .wanted = needs_ov_en,
      .run_session = try_overflow_without_ov_en },
};
CHECK_FAMILY(pmon_overflow, rows, UNCORE_FAMILY, .risk = RISK_MSR, .order = 930);

static const struct check_row ubox_rows[] = {
    { .id = "ubox.wrap",
      .title = "UBox counters wrap at their width and keep counting",
      .spec = UBOX_GUIDE_COUNTER,
      .covers = "O1",
      .detects = "a counter that saturates, sticky top bits, a wrong width",
      .wanted = pmon_session_ubox,
      .run_session = try_wrap },
};
CHECK_FAMILY(ubox_wrap, ubox_rows, UBOX_FAMILY, .order = 905, .slow = true);
