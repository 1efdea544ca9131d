/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Freezes of uncore counters: a box's own, and the global one. Witness: the box's own clock before, during and after a
 * freeze. */
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_BOX  "E5-2600 Uncore Guide 327043-001 2.3.3 box level PMON state, BOX_CTL"
#define MARK       UINT64_C(0x1234) /* fits counters that lack their highest bits too: pmon.width names those */
#define RATE_SLACK 1e-3             /* of two windows of one counter, beyond what their times leave open */

/* The uncore's clock may change between two windows, by as much as lies between the lowest and the highest ratio of a
 * part (MSR 620H; 0.8 to 2.5 GHz on Granite Rapids, 1.2 to 3.0 before). It does so for all boxes of a package that have
 * this clock, but for those whose windows lie a little earlier or later. */
#define CLOCK_RANGE   4.0
#define CLOCK_STAGGER 0.05
#define CLOCK_PEERS   3u /* so many boxes give a median of how the clock moved */

/* --- F1, F2, F3: freeze */

static bool can_freeze(const struct pmon_unit *unit)
{
    return pmon_session_driven(unit) && unit->layout->box->frz;
}

static void expect_still(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k)
        pmon_session_expect(session, b, k, "counts while frozen", (double)pmon_session_counts(b, k), "counts", 0, 0,
                            FOUND_COUNTS_FROZEN, "counter advances while its box is frozen");
}

/* Rates of a box before its freeze and after it, and how one stands to the other. */
struct freeze_rates {
    double lo, hi, again_lo, again_hi;
};

static double rates_ratio(const struct freeze_rates *r)
{
    return r->lo > 0 ? r->again_lo / r->lo : 0;
}

/* How the clock of a box moved between the windows: the median of the boxes of its kind in its die. 0: too few of
 * them. `ratios` has room for all boxes. */
static double clock_moved(const struct pmon_session *session, const struct freeze_rates *rates,
                          const struct pmon_session_box *of, double *ratios)
{
    struct summary s;
    size_t n = 0;

    for (uint32_t i = 0; i < session->n; i++) {
        const struct pmon_session_box *b = &session->boxes[i];

        if (b->status == ST_OK && pmon_same_die(b->box, of->box) && b->unit == of->unit)
            ratios[n++] = rates_ratio(&rates[i]);
    }
    return n >= CLOCK_PEERS && stats_summary(ratios, n, &s) == ST_OK ? s.median : 0;
}

/* It counts on from its value, at the rate of the other boxes. */
static void expect_rate_resumed(struct pmon_session *session, struct pmon_session_box *b, const struct freeze_rates *r,
                                double moved)
{
    double lo = 1 - RATE_SLACK, hi = 1 + RATE_SLACK;

    if (r->again_hi >= r->lo * lo && r->again_lo <= r->hi * hi) {
        session->held++;
        return;
    }
    if (b->unit->kind == PMON_LINK) { /* a link that sleeps has no clock */
        lo = 0;
        hi = NO_BOUND;
    } else if (moved <= 0 && b->unit->events.clock != PMON_CLOCK_DCLK) { /* memory's clock does not change */
        lo = 1 / CLOCK_RANGE;
        hi = CLOCK_RANGE;
    } else if (moved > 0 && (moved < lo || moved > hi)) {
        lo = moved * (1 - CLOCK_STAGGER);
        hi = moved * (1 + CLOCK_STAGGER);
    }
    pmon_session_expect(session, b, pmon_session_first(b), "counts after the freeze over those before", rates_ratio(r),
                        "ratio", lo, hi, FOUND_NOT_RESUMED, "counter does not resume from its count after the freeze");
}

/* Counters that do not count anyway: pmon.enable names them. */
static void note_dead(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k)
        if (pmon_session_counts(b, k) == 0)
            b->dead |= BIT(k);
}

static bool counts_on(const struct pmon_session_box *b, uint32_t k)
{
    return b->ctl[k] != 0 && (k == pmon_session_first(b) || !(b->dead & BIT(k)));
}

/* Of one box all counters resume, those beside the first too. */
static void expect_others_resumed(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k)
        if (k != pmon_session_first(b) && counts_on(b, k) && pmon_session_counts(b, pmon_session_first(b)) > 0)
            pmon_session_expect(session, b, k, "counts after the freeze", (double)pmon_session_counts(b, k), "counts",
                                1, NO_BOUND, FOUND_NOT_RESUMED, "counter does not advance after the freeze");
}

/* While frozen a counter does not advance; after that it counts on from the same value. */
static enum status try_freeze(struct pmon_session *session)
{
    struct freeze_rates *rates;
    double *ratios;

    TRY_ALLOC(session->check, rates, session->n, "the uncore boxes");
    TRY_ALLOC(session->check, ratios, session->n, "the uncore boxes");
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_measure(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++)
        pmon_session_rate(session, &session->boxes[i], pmon_session_first(&session->boxes[i]), &rates[i].lo,
                          &rates[i].hi);
    note_dead(session);
    pmon_session_keep(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 10);
    pmon_session_fetch(session);
    expect_still(session);
    pmon_session_keep(session);
    pmon_session_window(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].status == ST_OK)
            pmon_session_rate(session, &session->boxes[i], pmon_session_first(&session->boxes[i]), &rates[i].again_lo,
                              &rates[i].again_hi);
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].status == ST_OK)
            expect_rate_resumed(session, &session->boxes[i], &rates[i],
                                clock_moved(session, rates, &session->boxes[i], ratios));
    expect_others_resumed(session);
    return ST_OK;
}

/* frz without frz_en must not stop the box where its layout has frz_en. */
static void try_freeze_enable(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_each(session, b)
        if (b->unit->layout->box->frz_en)
            pmon_session_write(session, b, pmon_box_ctl(b->unit), b->unit->layout->box->frz);
    pmon_session_execute(session);
    pmon_session_fetch(session);
    pmon_session_keep(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 10);
    pmon_session_fetch(session);
    pmon_session_each_counter(session, b, k)
        if (b->unit->layout->box->frz_en && counts_on(b, k))
            pmon_session_expect(session, b, k, "counts with frz and without frz_en", (double)pmon_session_counts(b, k),
                                "counts", 1, NO_BOUND, FOUND_FREEZES_UNASKED, "frz stops the counter with frz_en 0");
    pmon_session_stop(session);
}

/* Of every counter, a value of its own. */
static void try_frozen_writes(struct pmon_session *session)
{
    pmon_session_silence(session);
    pmon_session_each(session, b)
        for (uint32_t k = 0; k < pmon_session_programmable(b); k++) {
            pmon_session_write(session, b, pmon_ctl(b->unit, k), pmon_session_clock_ctl(b->unit));
            pmon_session_write(session, b, pmon_ctr(b->unit, k), MARK + k);
        }
    pmon_session_each(session, b)
        for (uint32_t k = 0; k < pmon_session_programmable(b); k++) {
            pmon_session_read(session, b, pmon_ctl(b->unit, k));
            pmon_session_read(session, b, pmon_ctr(b->unit, k));
        }
    pmon_session_execute(session);
    pmon_session_each(session, b)
        for (uint32_t k = 0, n = pmon_session_programmable(b); k < n && b->status == ST_OK; k++) {
            b->ctl[k] = pmon_session_value(session, b, 2 * (n + k));
            b->got[k] = pmon_session_value(session, b, 2 * (n + k) + 1);
            pmon_session_expect(session, b, k, "control written while frozen",
                                (double)(b->ctl[k] == pmon_session_clock_ctl(b->unit)), "kept", 1, 1, FOUND_NOT_STORED,
                                "write lost while the box is frozen");
            pmon_session_expect(session, b, k, "counter written while frozen", (double)(b->got[k] == MARK + k), "kept",
                                1, 1, FOUND_NOT_STORED, "write lost while the box is frozen");
        }
}

static enum status try_freezing(struct pmon_session *session)
{
    TRY(try_freeze(session));
    try_freeze_enable(session);
    try_frozen_writes(session);
    return ST_OK;
}

/* --- F4: global freeze */

/* Of a fixed counter beside others no source says that the global freeze reaches it. */
static bool is_under_global(const struct pmon_session_box *b, uint32_t k)
{
    return k == 0 || k < pmon_session_programmable(b);
}

static void expect_frozen(struct pmon_session *session)
{
    const struct pmon *pmon = &session->check->tools->pmon;

    pmon_session_each_counter(session, b, k) {
        if (!is_under_global(b, k))
            continue;
        if (pmon->packages[b->box->package].dies > 1 && pmon_session_counts(b, k) > 0) {
            finding(session->check, FINDING_UNUSUAL, 0, FOUND_BEYOND_FREEZE, pmon_session_place(b, k),
                    "not stopped by the global freeze of another die");
        } else if (pmon_session_ubox(b->unit) && pmon_session_counts(b, k) > 0) {
            finding(session->check, FINDING_UNUSUAL, 0, FOUND_BEYOND_FREEZE, pmon_session_place(b, k),
                    "not stopped by the global freeze, which its own box has");
        } else if (pmon->part->global.unsure && pmon_session_counts(b, k) > 0) {
            finding(session->check, FINDING_UNUSUAL, 0, FOUND_BEYOND_FREEZE, pmon_session_place(b, k),
                    "not stopped by the global freeze (documented by one source)");
        } else {
            pmon_session_expect(session, b, k, "counts under the global freeze", (double)pmon_session_counts(b, k),
                                "counts", 0, 0, FOUND_COUNTS_FROZEN, "counter advances under the global freeze");
        }
    }
}

/* The same value in every global control, and what the counters read after it becomes the preset. */
static enum status switch_all(struct pmon_session *session, uint64_t value)
{
    enum status st = pmon_session_set_global(session->check, value);

    pmon_session_fetch(session);
    pmon_session_keep(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 10);
    pmon_session_fetch(session);
    return st;
}

static void expect_resumed(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k)
        if (is_under_global(b, k) && counts_on(b, k))
            pmon_session_expect(session, b, k, "counts after the global freeze", (double)pmon_session_counts(b, k),
                                "counts", 1, NO_BOUND, FOUND_NOT_RESUMED,
                                "counter does not advance after the global freeze was lifted");
}

/* Where enables of the global control are not in its freeze: without them nothing counts. */
static enum status try_without_enables(struct pmon_session *session, const struct pmon_global *global)
{
    if (!(global->freeze & global->run))
        return ST_OK;
    TRY(switch_all(session, 0));
    pmon_session_each_counter(session, b, k)
        if (is_under_global(b, k))
            pmon_session_expect(session, b, k, "counts without the global enable", (double)pmon_session_counts(b, k),
                                "counts", 0, 0, FOUND_COUNTS_UNGATED, "counter advances with its global enable 0");
    return ST_OK;
}

static enum status try_global_freeze(struct pmon_session *session)
{
    struct check *c = session->check;
    const struct pmon_global *global = &c->tools->pmon.part->global;
    uint32_t msr = boxes_global(&c->tools->pmon);
    enum status st;

    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_run(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 4);
    pmon_session_fetch(session);
    note_dead(session);
    st = switch_all(session, global->freeze);
    if (st == ST_OK)
        expect_frozen(session);
    st = status_first(st, try_without_enables(session, global));
    st = status_first(st, switch_all(session, global->run));
    if (st == ST_OK)
        expect_resumed(session);
    pmon_session_clear(session);
    pmon_session_stop(session);
    if (st == ST_FAULT)
        return check_absent(c, "the global control, MSR 0x%x, %s", msr,
                            global->unsure ? "refuses the bits that one source documents"
                                           : "raises #GP when it is written");
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, c->machine->packages[0].first_cpu, "the global control");
}

/* The UBox, which most parts give no box control, is under it too. */
static bool under_global_freeze(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) || (pmon_session_ubox(unit) && pmon_session_clock_ctl(unit));
}

static enum status global_freeze_ready(struct check *c)
{
    uint32_t msr = boxes_global(&c->tools->pmon);
    uint64_t found;
    enum status st;

    if (msr == 0)
        return check_absent(c, "no global freeze register is documented for this part");
    st = msr_read(c->platform, c->machine->packages[0].first_cpu, msr, &found);
    if (st == ST_FAULT)
        return check_absent(c, "the global control, MSR 0x%x, raises #GP", msr);
    if (st != ST_OK)
        return check_unmeasured(c, st, c->machine->packages[0].first_cpu, "the global control");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.freeze",
      .title = "A frozen box holds its counts, takes writes and resumes",
      .spec = GUIDE_BOX,
      .covers = "F1 F2 F3",
      .detects = "a freeze that is ignored or clears, frz that acts without frz_en, lost writes",
      .wanted = can_freeze,
      .run_session = try_freezing },
    { .id = "pmon.global-freeze",
      .title = "The global freeze stops every box, and lifting it resumes them",
      .spec = "Ivy Bridge-EP Uncore Guide 329468-002 2.1 U_MSR_PMON_GLOBAL_CTL; discovery table, global control",
      .covers = "F4",
      .detects = "a box that the global freeze does not reach, or a global enable",
      .ready = global_freeze_ready,
      .wanted = under_global_freeze,
      .run_session = try_global_freeze },
};
CHECK_FAMILY(pmon_freeze, rows, UNCORE_FAMILY, .risk = RISK_MSR, .order = 925);
