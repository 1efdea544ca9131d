/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Enable bits of uncore counters: each counter's own, and those of a box control. Witness: the box's own clock, counted
 * by several of its counters at once, which one freeze stops together; in a UBox without a box control, by its fixed
 * counter and an event that does not occur, compared with "less than 1". */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_ENABLE "E5-2600 Uncore Guide 327043-001 2.1 Uncore per-socket performance monitoring control, field en"

/* --- E1, E2, E4, E5 ----------------------------------------------------------------------------------------------- */

static void judge_enabled(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k) {
        double counts = (double)pmon_session_counts(b, k);

        if (b->ctl[k] == 0)
            continue; /* no event to drive it */
        if (!pmon_session_expect(session, b, k, "counts with en 1", counts, "counts", 1, NO_BOUND,
                                 counts > 0 || !pmon_session_others_count(b, k) ? FOUND_COUNTS_ZERO
                                                                                : FOUND_COUNTER_ZERO,
                                 "counter enabled on the box clock does not advance"))
            b->dead |= BIT(k);
    }
    pmon_session_each(session, b) {
        struct pmon_usual usual = pmon_session_usual(b);
        double lo, hi;

        pmon_session_same(b, (double)pmon_session_counts(b, usual.counter), &lo, &hi);
        for (uint32_t k = 0; k < pmon_session_programmable(b) && b->status == ST_OK; k++)
            if (b->ctl[k] && !(b->dead & BIT(k)) && k != usual.counter)
                pmon_session_expect_usual(session, b, k, usual, "counts of the same clock as most counters", lo, hi,
                                          FOUND_COUNTERS_DIFFER,
                                          "counts the same event in the same window and differs");
    }
}

static uint64_t clock_without_en(const struct pmon_unit *unit)
{
    return pmon_session_clock_ctl(unit) & ~unit->layout->control->en;
}

/* Linux relies on it that counters of Sapphire Rapids and later count without en; a fixed one respects its own. */
static bool heeds_en(const struct pmon_session_box *b, uint32_t k)
{
    return !b->unit->layout->control->en_unused || k >= pmon_session_programmable(b);
}

static enum finding_code disabled_code(const struct pmon_session_box *b, uint32_t k)
{
    return k < pmon_session_programmable(b) ? FOUND_COUNTS_DISABLED : FOUND_FIXED_COUNTS_DISABLED;
}

static void judge_disabled(struct pmon_session *session)
{
    uint32_t silent = 0;

    pmon_session_each_counter(session, b, k) {
        if (heeds_en(b, k))
            pmon_session_expect(session, b, k, "counts with en 0", (double)pmon_session_counts(b, k), "counts", 0, 0,
                                disabled_code(b, k), "counter advances with en 0");
        else if (b->ctl[k] && pmon_session_counts(b, k) == 0 && !(b->dead & BIT(k)) && silent++ == 0)
            finding(session->check, FINDING_UNUSUAL, 0, FOUND_ENABLE_NEEDED, pmon_session_place(b, k),
                    "does not count with en 0, and Linux does not set en on this part");
    }
}

/* Each counter's en alone: the others have the same event and hold. */
static void try_each_alone(struct pmon_session *session)
{
    for (uint32_t bit = 0; bit < pmon_session_most(session); bit++) {
        pmon_session_set_all(session, pmon_session_clock_ctl, true);
        pmon_session_each_counter(session, b, k)
            if (k != bit)
                b->ctl[k] &= ~pmon_en_bit(b->unit, pmon_session_index(b, k));
        pmon_session_measure(session, pmon_session_ticks(session) / 4);
        pmon_session_each_counter(session, b, k)
            if (k != bit && heeds_en(b, k))
                pmon_session_expect(session, b, k, "counts with en 0 beside one with en 1",
                                    (double)pmon_session_counts(b, k), "counts", 0, 0, disabled_code(b, k),
                                    "counter advances with en 0 while another one of the box has en 1");
        pmon_session_clear(session);
    }
}

/* A counter that runs reads as before it ran: it does not advance, or another read shows that it does. */
static enum finding_code running_defect(const struct pmon_session *session, const struct pmon_session_box *b,
                                        uint32_t k)
{
    uint64_t again = 0;

    return pmon_read(session->check->platform, b->box, pmon_ctr(b->unit, pmon_session_index(b, k)), &again) == ST_OK &&
                   (again & low_bits(b->bits[k])) != b->got[k]
               ? FOUND_READS_DIFFER
               : FOUND_COUNTS_ZERO;
}

/* A counter of a clock shows another value after 20 us, in which 50 MHz are 1,000 clocks; the uncore's clock stops a few us
 * where its frequency changes, hence several looks. */
#define LOOK_NS 20000u
#define LOOKS   4u

static bool stands_still(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct platform *p = session->check->platform;
    uint64_t value[LOOKS] = { 0 };

    for (uint32_t i = 0; i < LOOKS; i++) {
        if (i > 0)
            platform_stall(p, LOOK_NS);
        if (pmon_read(p, b->box, pmon_ctr(b->unit, pmon_session_index(b, k)), &value[i]) != ST_OK ||
            (i > 0 && value[i] != value[0]))
            return false;
    }
    return true;
}

/* Counters that have counted in the window, and run. A link may sleep. No document says how current a read is: WARN. */
static void judge_looks(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k) {
        struct place place = pmon_session_place(b, k);

        if (!b->ctl[k] || pmon_session_counts(b, k) == 0 || b->unit->kind == PMON_LINK ||
            b->unit->kind == PMON_MESH_LINK || !stands_still(session, b, k))
            continue;
        check_measure(session->check, "advances between reads of a running counter", place, 0, "advances", 1, NO_BOUND);
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_READS_DIFFER, place,
                "reads of the running counter, 20 us apart, return one value");
    }
}

/* A counter that runs is read, and its en cleared: its count must stay from then on. */
static void try_disabling(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_fetch(session); /* 0, the preset: what a late read would show */
    pmon_session_run(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 4);
    pmon_session_fetch(session);
    pmon_session_each_counter(session, b, k)
        if (b->ctl[k] && !(b->dead & BIT(k)))
            pmon_session_expect(session, b, k, "counts read while it runs", (double)pmon_session_counts(b, k), "counts",
                                1, NO_BOUND,
                                pmon_session_counts(b, k) ? FOUND_COUNTS_ZERO : running_defect(session, b, k),
                                "running counter reads as before it was let run");
    judge_looks(session);
    pmon_session_each_counter(session, b, k)
        if (heeds_en(b, k))
            pmon_session_write(session, b, pmon_ctl(b->unit, pmon_session_index(b, k)),
                               b->ctl[k] & ~pmon_en_bit(b->unit, pmon_session_index(b, k)));
    pmon_session_execute(session);
    pmon_session_fetch(session);
    pmon_session_keep(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 4);
    pmon_session_fetch(session);
    pmon_session_each_counter(session, b, k)
        if (heeds_en(b, k))
            pmon_session_expect(session, b, k, "counts after en was cleared", (double)pmon_session_counts(b, k),
                                "counts", 0, 0, FOUND_COUNTS_AFTER_DISABLE, "counter advances after en was cleared");
    pmon_session_clear(session);
    pmon_session_stop(session);
}

static enum status try_enabling(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_measure(session, pmon_session_ticks(session));
    judge_enabled(session);
    pmon_session_clear(session);
    pmon_session_set_all(session, clock_without_en, false);
    pmon_session_measure(session, pmon_session_ticks(session));
    judge_disabled(session);
    pmon_session_clear(session);
    try_each_alone(session);
    try_disabling(session);
    pmon_session_note_fixed_alone(session);
    return ST_OK;
}

static bool enable_wanted(const struct pmon_unit *unit)
{
    return pmon_session_driven(unit) && !pmon_session_ubox(unit);
}

/* --- E3: two levels of enables */

/* One bit of the global enables at a time, and all of them but one. */
static void try_levels(struct pmon_session *session, bool one)
{
    for (uint32_t bit = 0; bit < pmon_session_most(session); bit++) {
        pmon_session_set_all(session, pmon_session_clock_ctl, true);
        pmon_session_program(session);
        pmon_session_each(session, b) {
            uint64_t mine = bit < pmon_session_programmable(b) ? BIT(bit) : b->unit->layout->box->run_fixed;

            pmon_session_write(session, b, pmon_box_ctl(b->unit), one ? mine : b->unit->layout->box->run & ~mine);
        }
        pmon_session_execute(session);
        pmon_session_wait(session, pmon_session_ticks(session) / 4);
        pmon_session_stop(session);
        pmon_session_fetch(session);
        pmon_session_each_counter(session, b, k) {
            bool on = (k == bit || (k >= pmon_session_programmable(b) && bit >= pmon_session_programmable(b))) == one;

            pmon_session_expect(
                session, b, k, on ? "counts with its global enable" : "counts without its global enable",
                (double)pmon_session_counts(b, k), "counts", on ? 1 : 0, on ? NO_BOUND : 0,
                on ? FOUND_COUNTS_ZERO : FOUND_COUNTS_UNGATED,
                on ? "counter with both enables set does not advance" : "counter advances with its global enable 0");
        }
    }
}

static enum status try_both_levels(struct pmon_session *session)
{
    try_levels(session, true);
    try_levels(session, false);
    pmon_session_clear(session);
    pmon_session_set_all(session, clock_without_en, false);
    pmon_session_measure(session, pmon_session_ticks(session) / 4);
    pmon_session_each_counter(session, b, k)
        pmon_session_expect(session, b, k, "counts with the global enable alone", (double)pmon_session_counts(b, k),
                            "counts", 0, 0, FOUND_COUNTS_DISABLED, "counter advances with its own enable 0");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.enable",
      .title = "Counters of every box count while en is 1 and hold while it is 0",
      .spec = GUIDE_ENABLE,
      .covers = "E1 E2 E4 E5",
      .detects =
          "an enable that is stuck or another counter's, a counter that does not stop or is read late, a stuck bit "
          "in one counter",
      .wanted = enable_wanted,
      .run_session = try_enabling },
    { .id = "pmon.levels",
      .title = "A counter counts only while its own and its global enable are set",
      .spec = "SDM vol. 3B 18.8.2.1 Uncore Performance Monitoring Management Facility (old numbering)",
      .covers = "E3",
      .detects = "a global enable that gates nothing, or another counter",
      .wanted = pmon_session_two_levels,
      .run_session = try_both_levels },
};
CHECK_FAMILY(pmon_enable, rows, UNCORE_FAMILY, .risk = RISK_MSR, .order = 925);

static const struct check_row ubox_rows[] = {
    { .id = "ubox.enable",
      .title = "UBox counters count while en is 1 and hold while it is 0",
      .spec = UBOX_GUIDE_CONTROL,
      .covers = "E1 E2",
      .detects = "an enable bit that is stuck, a counter that does not stop",
      .wanted = pmon_session_ubox,
      .run_session = try_enabling },
};
CHECK_FAMILY(ubox_enable, ubox_rows, UBOX_FAMILY, .order = 900);
