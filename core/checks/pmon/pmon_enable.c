/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What starts and stops uncore counters: enable bits, the box's freeze, the global freeze, resets. Witness: the box's
 * own clock, counted by several of its counters at once, which one freeze stops together. */
#include "core/base/bits.h"
#include "core/measure/pmon_session.h"

#define GUIDE_ENABLE "E5-2600 Uncore Guide 327043-001 2.1 Uncore per-socket performance monitoring control, field en"
#define GUIDE_BOX    "E5-2600 Uncore Guide 327043-001 2.3.3 box level PMON state, BOX_CTL"
#define MARK         UINT64_C(0x123456789) /* fits every width */
#define RATE_SLACK   1e-3                  /* of two windows of one counter, beyond what their times leave open */

/* --- E1, E2, E4, E5 ----------------------------------------------------------------------------------------------- */

static void judge_enabled(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
            double counts = (double)pmon_session_counts(b, k);

            if (!pmon_session_expect(session, b, k, "counts with en 1", counts, "counts", 1, NO_BOUND,
                                     "counter enabled on the box clock does not advance"))
                continue;
            if (k > 0 && k < pmon_session_programmable(b))
                pmon_session_expect(session, b, k, "counts of the same clock as counter 0", counts, "counts",
                                    (double)pmon_session_counts(b, 0), (double)pmon_session_counts(b, 0),
                                    "counts the same event in the same window and differs");
        }
    }
}

static uint64_t clock_without_en(const struct pmon_unit *unit)
{
    return pmon_session_clock_ctl(unit) & ~unit->layout->control->en;
}

static void judge_disabled(struct pmon_session *session)
{
    uint32_t silent = 0;

    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
            if (!b->unit->layout->control->en_unused || k >= pmon_session_programmable(b))
                pmon_session_expect(session, b, k, "counts with en 0", (double)pmon_session_counts(b, k), "counts", 0,
                                    0, "counter advances with en 0");
            else if (pmon_session_counts(b, k) == 0 && silent++ == 0)
                warn(session->check, "%s counter %u does not count with en 0, and Linux does not set en on this part",
                     b->name, k);
        }
    }
}

/* Enabled, then en is taken away while the box runs: the count at that time must stay. */
static void try_disabling(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_run(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 4);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && !b->unit->layout->control->en_unused; k++)
            pmon_session_write(session, b, pmon_ctl(b->unit, pmon_session_index(b, k)),
                               b->ctl[k] & ~pmon_en_bit(b->unit, pmon_session_index(b, k)));
    }
    pmon_session_execute(session);
    pmon_session_fetch(session);
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            session->boxes[i].preset[k] = session->boxes[i].got[k];
    pmon_session_wait(session, pmon_session_ticks(session) / 4);
    pmon_session_fetch(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK && !b->unit->layout->control->en_unused; k++)
            pmon_session_expect(session, b, k, "counts after en was cleared", (double)pmon_session_counts(b, k),
                                "counts", 0, 0, "counter advances after en was cleared");
    }
    pmon_session_clear(session);
    pmon_session_stop(session);
}

static enum status try_enable(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session));
    judge_enabled(session);
    pmon_session_clear(session);
    pmon_session_set_all(session, clock_without_en, false);
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session));
    judge_disabled(session);
    pmon_session_clear(session);
    try_disabling(session);
    return ST_OK;
}

static enum verdict pmon_check_enable(struct check *c)
{
    return pmon_session_check(c, pmon_session_clocked, try_enable);
}

/* --- E3: two levels of enables */

/* One bit of the global enables at a time, and all of them but one. */
static void try_levels(struct pmon_session *session, bool one)
{
    for (uint32_t bit = 0; bit < PMON_SESSION_COUNTERS; bit++) {
        pmon_session_set_all(session, pmon_session_clock_ctl, true);
        pmon_session_program(session);
        for (uint32_t i = 0; i < session->n; i++) {
            struct pmon_session_box *b = &session->boxes[i];
            uint64_t mine = bit < pmon_session_programmable(b) ? BIT(bit) : b->unit->layout->box->run_fixed;

            pmon_session_write(session, b, pmon_box_ctl(b->unit), one ? mine : b->unit->layout->box->run & ~mine);
        }
        pmon_session_execute(session);
        pmon_session_wait(session, pmon_session_ticks(session) / 4);
        pmon_session_stop(session);
        pmon_session_fetch(session);
        for (uint32_t i = 0; i < session->n; i++) {
            struct pmon_session_box *b = &session->boxes[i];

            for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
                bool on =
                    (k == bit || (k >= pmon_session_programmable(b) && bit >= pmon_session_programmable(b))) == one;

                pmon_session_expect(session, b, k,
                                    on ? "counts with its global enable" : "counts without its global enable",
                                    (double)pmon_session_counts(b, k), "counts", on ? 1 : 0, on ? NO_BOUND : 0,
                                    on ? "counter with both enables set does not advance"
                                       : "counter advances with its global enable 0");
            }
        }
    }
}

static enum status try_both_levels(struct pmon_session *session)
{
    try_levels(session, true);
    try_levels(session, false);
    pmon_session_clear(session);
    pmon_session_set_all(session, clock_without_en, false);
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session) / 4);
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n && session->boxes[i].status == ST_OK; k++)
            pmon_session_expect(session, &session->boxes[i], k, "counts with the global enable alone",
                                (double)pmon_session_counts(&session->boxes[i], k), "counts", 0, 0,
                                "counter advances with its own enable 0");
    return ST_OK;
}

static enum verdict pmon_check_levels(struct check *c)
{
    return pmon_session_check(c, pmon_session_two_levels, try_both_levels);
}

/* --- F1, F2, F3: freeze */

static bool can_freeze(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->box->frz;
}

static void keep_as_preset(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            session->boxes[i].preset[k] = session->boxes[i].got[k];
}

static void pmon_enable_expect_still(struct pmon_session *session, const char *what, const char *defect)
{
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            pmon_session_expect(session, b, k, what, (double)pmon_session_counts(b, k), "counts", 0, 0, defect);
    }
}

/* Frozen it does not advance; unfrozen it counts on from the same value, at the same rate. */
static enum status try_freeze(struct pmon_session *session)
{
    double *lo = check_alloc(session->check, sizeof(double) * session->n),
           *hi = check_alloc(session->check, sizeof(double) * session->n);

    if (lo == NULL || hi == NULL)
        return unmeasured(session->check, ST_NO_MEMORY, session->check->platform->bsp, "the uncore boxes");
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++)
        pmon_session_rate(session, &session->boxes[i], 0, &lo[i], &hi[i]);
    keep_as_preset(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 10);
    pmon_session_fetch(session);
    pmon_enable_expect_still(session, "counts while frozen", "counter advances while its box is frozen");
    keep_as_preset(session);
    pmon_session_window(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        double again_lo, again_hi;

        if (b->status != ST_OK)
            continue;
        pmon_session_rate(session, b, 0, &again_lo, &again_hi);
        if (again_hi < lo[i] * (1 - RATE_SLACK) || again_lo > hi[i] * (1 + RATE_SLACK))
            pmon_session_expect(session, b, 0, "counts after the freeze over those before", again_lo / lo[i], "ratio",
                                1 - RATE_SLACK, 1 + RATE_SLACK,
                                "counter does not resume from its count after the freeze");
        else
            session->held++;
    }
    return ST_OK;
}

/* frz without frz_en must not stop the box where its layout has frz_en. */
static void try_freeze_enable(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].unit->layout->box->frz_en)
            pmon_session_write(session, &session->boxes[i], pmon_box_ctl(session->boxes[i].unit),
                               session->boxes[i].unit->layout->box->frz);
    pmon_session_execute(session);
    pmon_session_fetch(session);
    keep_as_preset(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 10);
    pmon_session_fetch(session);
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].unit->layout->box->frz_en && session->boxes[i].status == ST_OK)
            pmon_session_expect(session, &session->boxes[i], 0, "counts with frz and without frz_en",
                                (double)pmon_session_counts(&session->boxes[i], 0), "counts", 1, NO_BOUND,
                                "frz stops the counter with frz_en 0");
    pmon_session_stop(session);
}

static void try_frozen_writes(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_program(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        pmon_session_write(session, b, pmon_ctl(b->unit, 0), pmon_session_clock_ctl(b->unit));
        pmon_session_write(session, b, pmon_ctr(b->unit, 0), MARK);
        pmon_session_read(session, b, pmon_ctl(b->unit, 0));
        pmon_session_read(session, b, pmon_ctr(b->unit, 0));
    }
    pmon_session_execute(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        if (b->status != ST_OK)
            continue;
        b->ctl[0] = pmon_session_value(session, b, 2);
        b->got[0] = pmon_session_value(session, b, 3);
        pmon_session_expect(session, b, 0, "control written while frozen",
                            (double)(b->ctl[0] == pmon_session_clock_ctl(b->unit)), "kept", 1, 1,
                            "write lost while the box is frozen");
        pmon_session_expect(session, b, 0, "counter written while frozen", (double)(b->got[0] == MARK), "kept", 1, 1,
                            "write lost while the box is frozen");
    }
}

static enum status try_freezing(struct pmon_session *session)
{
    enum status st = try_freeze(session);

    if (st != ST_OK)
        return st;
    try_freeze_enable(session);
    try_frozen_writes(session);
    return ST_OK;
}

static enum verdict check_freeze(struct check *c)
{
    return pmon_session_check(c, can_freeze, try_freezing);
}

/* --- F4: global freeze */

/* The same value on one processor of each package. */
static enum status write_global(struct check *c, uint32_t msr, uint64_t value)
{
    enum status first = ST_OK;

    for (uint32_t i = 0; i < c->machine->n_packages; i++) {
        uint32_t cpu = package_worker(c->platform, c->machine, i);

        if (cpu == UINT32_MAX)
            continue;
        enum status st = msr_write(c->platform, cpu, msr, value);

        evidence_wrmsr(c, cpu, msr, value, st, 0);
        first = status_first(first, st);
    }
    return first;
}

/* The documented one; a table's word is taken only where there is no other, since it is going to be written. */
static uint32_t global_msr(const struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_tables && pmon->part->global.msr == 0; i++)
        if (pmon->tables[i].table.status == ST_OK && pmon->tables[i].table.access == PMON_TABLE_MSR &&
            pmon->tables[i].table.global <= 0xFFFF)
            return (uint32_t)pmon->tables[i].table.global;
    return pmon->part->global.msr;
}

static void expect_frozen(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        if (b->status != ST_OK)
            continue;
        if (session->check->tools->pmon.part->global.unsure && pmon_session_counts(b, 0) > 0) {
            warn(session->check, "%s: not stopped by the global freeze (documented by one source)", b->name);
        } else {
            pmon_session_expect(session, b, 0, "counts under the global freeze", (double)pmon_session_counts(b, 0),
                                "counts", 0, 0, "counter advances under the global freeze");
        }
    }
}

/* The same value in every global control, and what the counters read after it becomes the preset. */
static enum status switch_all(struct pmon_session *session, uint32_t msr, uint64_t value)
{
    enum status st = write_global(session->check, msr, value);

    pmon_session_fetch(session);
    keep_as_preset(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 10);
    pmon_session_fetch(session);
    return st;
}

static void expect_resumed(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].status == ST_OK)
            pmon_session_expect(session, &session->boxes[i], 0, "counts after the global freeze",
                                (double)pmon_session_counts(&session->boxes[i], 0), "counts", 1, NO_BOUND,
                                "counter does not advance after the global freeze was lifted");
}

static enum status try_global_freeze(struct pmon_session *session)
{
    struct check *c = session->check;
    const struct pmon_global *global = &c->tools->pmon.part->global;
    uint32_t msr = global_msr(&c->tools->pmon);
    enum status st;

    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_run(session);
    pmon_session_wait(session, pmon_session_ticks(session) / 4);
    st = switch_all(session, msr, global->freeze);
    if (st == ST_OK)
        expect_frozen(session);
    st = status_first(st, switch_all(session, msr, global->run));
    if (st == ST_OK)
        expect_resumed(session);
    pmon_session_clear(session);
    pmon_session_stop(session);
    if (st == ST_FAULT && global->unsure)
        return absent(c, "the global control, MSR 0x%x, refuses the bits that one source documents", msr);
    return st == ST_OK ? ST_OK : unmeasured(c, st, c->machine->packages[0].first_cpu, "the global control");
}

static enum verdict check_global_freeze(struct check *c)
{
    uint32_t msr = global_msr(&c->tools->pmon);
    uint64_t found;
    enum status st;

    if (msr == 0)
        return skip(c, "no global freeze register is documented for this part");
    st = msr_read(c->platform, c->machine->packages[0].first_cpu, msr, &found);
    if (st == ST_FAULT)
        return skip(c, "the global control, MSR 0x%x, raises #GP", msr);
    if (st != ST_OK)
        return cannot_measure(c, st, c->machine->packages[0].first_cpu, "the global control");
    return pmon_session_check(c, pmon_session_clocked, try_global_freeze);
}

/* --- R1, R2, R3: reset */

static bool can_reset(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->box->rst_ctrs;
}

static void mark_all(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, false);
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            session->boxes[i].preset[k] = MARK + k;
    pmon_session_program(session);
}

/* Every control, then every counter, then the box control. */
static void pmon_enable_read_all(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < pmon_session_programmable(b); k++)
            pmon_session_read(session, b, pmon_ctl(b->unit, k));
        for (uint32_t k = 0; k < pmon_session_programmable(b); k++)
            pmon_session_read(session, b, pmon_ctr(b->unit, k));
        pmon_session_read(session, b, pmon_box_ctl(b->unit));
    }
    pmon_session_execute(session);
}

static void try_box_reset(struct pmon_session *session, bool counters)
{
    mark_all(session);
    for (uint32_t i = 0; i < session->n; i++) {
        const struct pmon_unit *u = session->boxes[i].unit;

        pmon_session_write(session, &session->boxes[i], pmon_box_ctl(u),
                           pmon_freeze_value(u) | (counters ? u->layout->box->rst_ctrs : u->layout->box->rst_ctrl));
    }
    pmon_session_execute(session);
    pmon_enable_read_all(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        uint32_t n = pmon_session_programmable(b);
        uint64_t left;

        if (b->status != ST_OK || b->unit->layout->reset_unsure)
            continue;
        left =
            pmon_session_value(session, b, 2 * n) & (b->unit->layout->box->rst_ctrl | b->unit->layout->box->rst_ctrs);
        pmon_session_expect(session, b, 0, "reset bits of the box control", (double)left, "bits", 0, 0,
                            "write-only reset bits read 1");
        for (uint32_t k = 0; k < n; k++) {
            uint64_t ctl = pmon_session_value(session, b, k);

            b->got[k] = pmon_session_value(session, b, n + k);
            pmon_session_expect(session, b, k, counters ? "count after rst_ctrs" : "count after rst_ctrl",
                                (double)b->got[k], "counts", counters ? 0 : (double)(MARK + k),
                                counters ? 0 : (double)(MARK + k),
                                counters ? "rst_ctrs did not clear the counter" : "rst_ctrl changed the counter");
            pmon_session_expect(session, b, k, counters ? "control after rst_ctrs" : "control after rst_ctrl",
                                (double)ctl, "value", counters ? (double)b->ctl[k] : 0,
                                counters ? (double)b->ctl[k] : 0,
                                counters ? "rst_ctrs changed the control" : "rst_ctrl did not clear the control");
        }
    }
}

/* One counter's own reset. */
static void try_counter_reset(struct pmon_session *session, uint32_t index)
{
    mark_all(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        if (index < pmon_session_programmable(b) && b->unit->layout->control->rst)
            pmon_session_write(session, b, pmon_ctl(b->unit, index), b->ctl[index] | b->unit->layout->control->rst);
    }
    pmon_session_execute(session);
    pmon_enable_read_all(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        uint32_t n = pmon_session_programmable(b);

        if (b->status != ST_OK || index >= n || b->unit->layout->control->rst == 0 || b->unit->layout->reset_unsure)
            continue;
        pmon_session_expect(session, b, index, "rst of the control",
                            (double)(pmon_session_value(session, b, index) & b->unit->layout->control->rst), "bits", 0,
                            0, "rst is write-only and reads 1");
        for (uint32_t k = 0; k < n; k++) {
            double wanted = k == index ? 0 : (double)(MARK + k);

            b->got[k] = pmon_session_value(session, b, n + k);
            pmon_session_expect(session, b, k, k == index ? "count after rst" : "count after rst of another counter",
                                (double)b->got[k], "counts", wanted, wanted,
                                k == index ? "rst did not clear the counter" : "rst of another counter changed it");
        }
    }
}

static enum status try_resets(struct pmon_session *session)
{
    try_box_reset(session, true);
    try_box_reset(session, false);
    for (uint32_t k = 0; k < PMON_MOST_COUNTERS; k++)
        try_counter_reset(session, k);
    return ST_OK;
}

static enum verdict pmon_check_reset(struct check *c)
{
    return pmon_session_check(c, can_reset, try_resets);
}

#define MEANS_USUAL "uncore counters do not behave as the part's guide says"
#define NEXT_USUAL  "box, register and value in the evidence; whether other boxes of the kind do it; `pmon.boxes`"

static const struct check_row rows[] = {
    { .id = "pmon.enable",
      .title = "Counters of every box count while en is 1 and hold while it is 0",
      .spec = GUIDE_ENABLE,
      .rows = "E1 E2 E4 E5",
      .detects = "an enable that is stuck, a counter that does not stop, a stuck bit in one counter",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 925,
      .run = pmon_check_enable },
    { .id = "pmon.levels",
      .title = "A counter counts only while its own and its global enable are set",
      .spec = "SDM vol. 3B 18.8.2.1 Uncore Performance Monitoring Management Facility (old numbering)",
      .rows = "E3",
      .detects = "a global enable that gates nothing, or another counter",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 925,
      .run = pmon_check_levels },
    { .id = "pmon.freeze",
      .title = "A frozen box holds its counts, takes writes and resumes",
      .spec = GUIDE_BOX,
      .rows = "F1 F2 F3",
      .detects = "a freeze that is ignored or clears, frz that acts without frz_en, lost writes",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 925,
      .run = check_freeze },
    { .id = "pmon.global-freeze",
      .title = "The global freeze stops every box, and lifting it resumes them",
      .spec = "Ivy Bridge-EP Uncore Guide 329468-002 2.1 U_MSR_PMON_GLOBAL_CTL; discovery table, global control",
      .rows = "F4",
      .detects = "a box that the global freeze does not reach",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 925,
      .run = check_global_freeze },
    { .id = "pmon.reset",
      .title = "rst_ctrs, rst_ctrl and rst clear what they name and nothing else",
      .spec = GUIDE_BOX,
      .rows = "R1 R2 R3",
      .detects = "a reset without effect, or one that clears other registers too",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 925,
      .slow = true,
      .run = pmon_check_reset },
};
CHECK_FAMILY(pmon_enable, rows);
