/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Overflows of the UBox' counters. Witness: the counter itself, which wraps in the window. The guide of E5 v2 says that
 * the fixed counter's overflow shows in the box' status and in the global one, and gives the former two bits, for the
 * other two counters; likwid has the fixed counter in bit 0 and the others above it. So the bit is recorded, not
 * judged. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE                                                                                                          \
    "Ivy Bridge-EP Uncore Guide 329468-002 2.2.3, tables 2-5, 2-6 and 2-8 (ov_en, U_MSR_PMON_BOX_STATUS); likwid"
#define WINDOW_SHARE 4u  /* of a usual window */
#define AHEAD        16u /* a counter is preset 1/AHEAD of a window before its overflow */

static bool reports_overflow(const struct pmon_unit *unit)
{
    return unit->kind == PMON_UBOX && unit->layout->fixed.ov_en;
}

struct seen { /* after an overflow */
    uint64_t box, global;
};

/* Bits of all global status registers, or'ed: one overflow at a time. */
static uint64_t read_global(struct check *c, const struct pmon_session_box *b)
{
    const struct pmon_global *global = &c->tools->pmon.part->global;
    uint64_t bits = 0, value = 0;

    for (uint32_t i = 0; i < global->n_status; i++) {
        if (msr_read(c->platform, b->box->cpu, global->status + i, &value) != ST_OK)
            continue;
        evidence_msr(c, b->box->cpu, global->status + i, value, 0);
        bits |= value;
    }
    return bits;
}

static struct seen read_statuses(struct pmon_session *session)
{
    struct pmon_session_box *b = &session->boxes[0];
    struct seen seen = { .global = read_global(session->check, b) };

    if (!b->unit->layout->has_status)
        return seen;
    pmon_session_read(session, b, pmon_status(b->unit));
    pmon_session_execute(session);
    if (b->status == ST_OK)
        seen.box = pmon_session_value(session, b, 0);
    pmon_session_show(session, b, pmon_status(b->unit), seen.box);
    return seen;
}

/* Every bit that is set is cleared by writing 1; the freeze is lifted. */
static void clear_statuses(struct pmon_session *session)
{
    struct pmon_session_box *b = &session->boxes[0];

    if (b->unit->layout->has_status) {
        pmon_session_write(session, b, pmon_status(b->unit),
                           low_bits(pmon_session_programmable(b) + 1)); /* and the fixed one's */
        pmon_session_execute(session);
    }
    pmon_session_thaw(session->check);
}

static uint64_t ctl_of(const struct pmon_session_box *b, uint32_t k)
{
    const struct pmon_layout *l = b->unit->layout;

    return k < pmon_session_programmable(b) ? pmon_session_clock_ctl(b->unit) | l->control->ov_en
                                            : l->fixed.en | l->fixed.ov_en;
}

/* Runs one window in which counter k alone counts, from `preset` on. */
static uint64_t count_alone(struct pmon_session *session, uint32_t k, uint64_t preset, uint64_t ticks)
{
    struct pmon_session_box *b = &session->boxes[0];

    pmon_session_clear(session);
    b->ctl[k] = ctl_of(b, k);
    b->preset[k] = preset;
    pmon_session_program(session);
    clear_statuses(session);
    pmon_session_window(session, ticks);
    return pmon_session_counts(b, k);
}

static void judge_shown(struct pmon_session *session, uint32_t k, const struct seen *seen)
{
    struct check *c = session->check;
    const struct pmon_session_box *b = &session->boxes[0];
    struct place place = pmon_session_place(b, k);

    check_show(c, "box status after the overflow", place, (double)seen->box, "value");
    if (!check_measure(c, "status bits of the overflow", place, count_bits(seen->box) + count_bits(seen->global),
                       "bits", 1, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_OVERFLOW_NOT_SHOWN, place,
                "it wrapped with ov_en 1, and neither the box' nor the global status shows it");
    else if (count_bits(seen->box) > 1)
        finding(c, FINDING_UNUSUAL, 0, FOUND_STATUS_WRONG, place,
                "the status 0x%lx of the box has bits of other counters too", seen->box);
    else if (k < pmon_session_programmable(b) && b->unit->layout->has_status &&
             !check_measure(c, "the counter's own bit of the box' status", place, (double)seen->box, "value", BIT(k),
                            BIT(k + 1)))
        finding(c, FINDING_UNUSUAL, 0, FOUND_STATUS_WRONG, place,
                "its overflow shows as 0x%lx in the status of the box, expected 0x%lx (329468-002) or 0x%lx (likwid)",
                seen->box, BIT(k), BIT(k + 1));
}

/* A carry through every bit below the top one, which is no overflow. */
static void judge_carry(struct pmon_session *session, uint32_t k, uint64_t usual, uint64_t ticks)
{
    struct pmon_session_box *b = &session->boxes[0];
    struct seen seen;

    count_alone(session, k, (BIT(b->bits[k] - 1) - usual / AHEAD) & low_bits(b->bits[k]), ticks);
    seen = read_statuses(session);
    if (b->status == ST_OK && !check_measure(session->check, "statuses after a carry into the top bit",
                                             pmon_session_place(b, k), (double)(seen.box | seen.global), "value", 0, 0))
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_STATUS_WRONG, pmon_session_place(b, k),
                "a carry into its top bit, which is no overflow, shows in a status: box 0x%lx, global 0x%lx", seen.box,
                seen.global);
    clear_statuses(session);
}

static void ubox_overflow_one(struct pmon_session *session, uint32_t k)
{
    struct check *c = session->check;
    struct pmon_session_box *b = &session->boxes[0];
    uint64_t ticks = pmon_session_ticks(session) / WINDOW_SHARE, usual = count_alone(session, k, 0, ticks);
    struct place place = pmon_session_place(b, k);
    struct seen seen, after;
    char name[PLACE_TEXT];

    if (b->status != ST_OK || usual == 0)
        return; /* ubox.enable judges one that does not count */
    count_alone(session, k, (0 - usual / AHEAD) & low_bits(b->bits[k]), ticks);
    if (b->status != ST_OK)
        return;
    if (b->got[k] >= b->preset[k]) {
        place_text(&place, name, sizeof name);
        check_note(c, "%s: did not wrap in its window", name); /* ubox.wrap judges one that does not */
        return;
    }
    seen = read_statuses(session);
    judge_shown(session, k, &seen);
    clear_statuses(session);
    after = read_statuses(session);
    if (b->status == ST_OK &&
        !check_measure(c, "statuses after they were cleared", place, (double)(after.box | after.global), "value", 0, 0))
        finding(c, FINDING_UNUSUAL, 0, FOUND_STATUS_KEPT, place,
                "the overflow's status is not cleared by writing 1: box 0x%lx, global 0x%lx", after.box, after.global);
    if (b->status == ST_OK)
        judge_carry(session, k, usual, ticks);
    session->held++;
}

/* likwid has a status of the box from E5 v3 on, the guides do not: a part without it is not at fault. */
static bool has_its_status(struct check *c, const struct pmon_session_box *b)
{
    uint64_t value;

    if (!b->unit->layout->has_status || pmon_read(c->platform, b->box, pmon_status(b->unit), &value) != ST_FAULT)
        return true;
    check_note(c, "%s: its status register raises #GP: overflows are not judged", b->name);
    return false;
}

static enum status try_ubox_overflow(struct pmon_session *session)
{
    TRY(pmon_session_may_overflow(session->check));
    pmon_session_silence(session);
    pmon_session_widths(session);
    pmon_session_each(session, b) {
        struct pmon_session one = *session;

        one.boxes = b;
        one.n = 1;
        if (!has_its_status(session->check, one.boxes))
            continue;
        for (uint32_t k = 0; k < one.boxes->n; k++)
            if (k >= pmon_session_programmable(one.boxes) || pmon_session_clock_ctl(one.boxes->unit) != 0)
                ubox_overflow_one(&one, k);
        pmon_session_silence(&one);
        session->held = one.held;
    }
    session->done = 0;
    return session->held == 0 ? check_absent(session->check, "no counter of a UBox that has a status overflowed")
                              : ST_OK;
}

static const struct check_row rows[] = {
    { .id = "ubox.overflow",
      .title = "Overflows of the UBox' counters show in a status, cleared by writing 1",
      .spec = GUIDE,
      .covers = "O2",
      .detects = "an overflow of the UBox' fixed counter that shows nowhere, a status bit of another counter, or one "
                 "that does not "
                 "clear",
      .wanted = reports_overflow,
      .run_session = try_ubox_overflow },
};
CHECK_FAMILY(ubox_overflow, rows, UBOX_FAMILY, .grade = GRADE_W, .slow = true, .order = 930);
