/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Resets of uncore counters: rst_ctrs and rst_ctrl of a box, rst of one counter. Witness: marks in every counter. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_BOX "E5-2600 Uncore Guide 327043-001 2.3.3 box level PMON state, BOX_CTL"
#define MARK      UINT64_C(0x123456789) /* fits every width */
#define RESET_NS  1000000u

/* --- R1, R2, R3: reset */

static bool can_reset(const struct pmon_unit *unit)
{
    return pmon_session_resets(unit) && !pmon_session_ubox(unit);
}

/* What a frozen box does not count, be it the event of no clock. A box without a freeze counts nothing. */
static uint64_t held_clock(const struct pmon_unit *unit)
{
    uint64_t ctl = unit->layout->box ? pmon_session_clock_ctl(unit) : 0;

    return ctl || !unit->layout->box || !unit->layout->box->frz ? ctl : field_put(unit->layout->control->ev_sel, 1);
}

/* A box of which no event drives a counter may be off, which nothing else says here: one that holds no mark is not judged. */
static void leave_out_silent(struct pmon_session *session)
{
    pmon_session_fetch(session);
    pmon_session_each(session, b)
        b->dead = !pmon_session_driven(b->unit) && !pmon_session_ubox(b->unit) &&
                  ALL_OF(k, pmon_session_programmable(b), b->got[k] != b->preset[k]);
}

static void mark_all(struct pmon_session *session)
{
    pmon_session_set_all(session, held_clock, false);
    pmon_session_each_counter(session, b, k)
        b->preset[k] = MARK + k;
    pmon_session_program(session);
    leave_out_silent(session);
}

static void read_once(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        for (uint32_t k = 0; k < pmon_session_programmable(b); k++)
            pmon_session_read(session, b, pmon_ctl(b->unit, k));
        for (uint32_t k = 0; k < pmon_session_programmable(b); k++)
            pmon_session_read(session, b, pmon_ctr(b->unit, k));
        pmon_session_read(session, b, pmon_box_ctl(b->unit));
    }
    pmon_session_execute(session);
}

/* Does a bit that resets read 1 yet? */
static bool reset_is_pending(const struct pmon_session *session)
{
    pmon_session_each(session, b) {
        const struct pmon_box_control *box = b->unit->layout->box;
        uint32_t n = pmon_session_programmable(b);

        if (b->status == ST_OK && ((box && (pmon_session_value(session, b, 2 * n) & (box->rst_ctrl | box->rst_ctrs))) ||
                                   ANY_OF(k, n, pmon_session_value(session, b, k) & b->unit->layout->control->rst)))
            return true;
    }
    return false;
}

/* Every control, then every counter, then the box control; once more after a while where a reset may not be done: no document
 * says how long one takes, and drivers write a box's events long after it. */
static void read_all(struct pmon_session *session)
{
    read_once(session);
    if (!reset_is_pending(session))
        return;
    platform_stall(session->check->platform, RESET_NS);
    read_once(session);
}

static void try_box_reset(struct pmon_session *session, bool counters)
{
    mark_all(session);
    pmon_session_each(session, b) {
        const struct pmon_unit *u = b->unit;

        if (pmon_session_resets(u))
            pmon_session_write(session, b, pmon_box_ctl(u),
                               pmon_freeze_value(u) | (counters ? u->layout->box->rst_ctrs : u->layout->box->rst_ctrl));
    }
    pmon_session_execute(session);
    read_all(session);
    pmon_session_each(session, b) {
        uint32_t n = pmon_session_programmable(b);
        uint64_t left;

        if (b->status != ST_OK || b->dead || !pmon_session_resets(b->unit))
            continue;
        left =
            pmon_session_value(session, b, 2 * n) & (b->unit->layout->box->rst_ctrl | b->unit->layout->box->rst_ctrs);
        pmon_session_expect(session, b, 0, "reset bits of the box control", (double)left, "bits", 0, 0,
                            FOUND_WRITE_ONLY_READS, "write-only reset bits read 1");
        for (uint32_t k = 0; k < n; k++) {
            uint64_t ctl = pmon_session_value(session, b, k);

            b->got[k] = pmon_session_value(session, b, n + k);
            pmon_session_expect(session, b, k, counters ? "count after rst_ctrs" : "count after rst_ctrl",
                                (double)b->got[k], "counts", counters ? 0 : (double)(MARK + k),
                                counters ? 0 : (double)(MARK + k), counters ? FOUND_NOT_RESET : FOUND_RESET_BEYOND,
                                counters ? "rst_ctrs did not clear the counter" : "rst_ctrl changed the counter");
            pmon_session_expect(session, b, k, counters ? "control after rst_ctrs" : "control after rst_ctrl",
                                (double)ctl, "value", counters ? (double)b->ctl[k] : 0,
                                counters ? (double)b->ctl[k] : 0, counters ? FOUND_RESET_BEYOND : FOUND_NOT_RESET,
                                counters ? "rst_ctrs changed the control" : "rst_ctrl did not clear the control");
        }
    }
}

/* Guides of E5-2600 and E5-2600 v2 alone say what a control's rst does; of later parts drivers name the bit. */
static void expect_rst(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k, const char *what,
                       double value, const char *unit, double lo, double hi, enum finding_code code, const char *defect)
{
    if (!session->check->tools->pmon.part->no_guide || (value >= lo && value <= hi)) {
        pmon_session_expect(session, b, k, what, value, unit, lo, hi, code, defect);
        return;
    }
    check_measure(session->check, what, pmon_session_place(b, k), value, unit, lo, hi);
    finding(session->check, FINDING_UNUSUAL, 0, code, pmon_session_place(b, k),
            "%s: %s (no guide of this part has rst)", what, defect);
}

/* One counter's own reset. */
static void try_counter_reset(struct pmon_session *session, uint32_t index)
{
    mark_all(session);
    pmon_session_each(session, b) {
        if (index < pmon_session_programmable(b) && b->unit->layout->control->rst)
            pmon_session_write(session, b, pmon_ctl(b->unit, index), b->ctl[index] | b->unit->layout->control->rst);
    }
    pmon_session_execute(session);
    read_all(session);
    pmon_session_each(session, b) {
        uint32_t n = pmon_session_programmable(b);

        if (b->status != ST_OK || b->dead || index >= n || b->unit->layout->control->rst == 0)
            continue;
        expect_rst(session, b, index, "rst of the control",
                   (double)(pmon_session_value(session, b, index) & b->unit->layout->control->rst), "bits", 0, 0,
                   FOUND_WRITE_ONLY_READS, "rst is write-only and reads 1");
        for (uint32_t k = 0; k < n; k++) {
            double wanted = k == index ? 0 : (double)(MARK + k);

            b->got[k] = pmon_session_value(session, b, n + k);
            expect_rst(session, b, k, k == index ? "count after rst" : "count after rst of another counter",
                       (double)b->got[k], "counts", wanted, wanted, k == index ? FOUND_NOT_RESET : FOUND_RESET_BEYOND,
                       k == index ? "rst did not clear the counter" : "rst of another counter changed it");
        }
    }
}

static enum status try_resets(struct pmon_session *session)
{
    try_box_reset(session, true);
    try_box_reset(session, false);
    for (uint32_t k = 0; k < pmon_session_most(session); k++)
        try_counter_reset(session, k);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.reset",
      .title = "rst_ctrs, rst_ctrl and rst clear what they name and nothing else",
      .spec = GUIDE_BOX,
      .covers = "R1 R2 R3",
      .detects = "a reset without effect, or one that clears other registers too",
      .wanted = can_reset,
      .run_session = try_resets },
};
CHECK_FAMILY(pmon_reset, rows, UNCORE_FAMILY, .risk = RISK_MSR, .slow = true, .order = 925);

static const struct check_row ubox_rows[] = {
    { .id = "ubox.reset",
      .title = "rst clears its own UBox counter only",
      .spec = UBOX_GUIDE_CONTROL,
      .covers = "R3",
      .detects = "a reset without effect, or one that clears other counters too",
      .wanted = pmon_session_ubox,
      .run_session = try_resets },
};
CHECK_FAMILY(ubox_reset, ubox_rows, UBOX_FAMILY, .order = 900);
