/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The UBox's uncore counters: clock, enables, resets, one in each package. Witness: the TSC, and the guide's own words:
 * with .thresh 1 and .invert 1 an event that does not occur counts every cycle ("is event increment < threshold?"), so
 * the programmable counters can be driven at a known rate without any traffic. */
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"
#include "core/uncore/ubox_session.h"
#include "core/base/text.h"

#define GUIDE_FIXED "E5-2600 Uncore Guide 327043-001 2.2.3 UBox Performance Monitoring (fixed counter)"

#define UCLK_LO_HZ 4e8 /* slowest and fastest uncore that these parts were built with, with room */
#define UCLK_HI_HZ 5e9

/* --- K1: UCLK */

/* Hardware scales UCLK, on each package for itself, and not on all parts can it be pinned (Linux
 * drivers/platform/x86/intel/uncore-frequency): one that is what the part says it is, is as it should be. */
static bool follows_ratio(struct check *c, struct pmon_box *box)
{
    struct uclk_by_ratio u;
    enum status st = uclk_by_ratio(c, box, &u), quiet = pmon_quiet(c->platform, box);
    char name[48];

    pmon_box_name(box, name);
    if (st != ST_OK || quiet != ST_OK || u.n == 0 ||
        !measure(c, "UCLK over the ratio in MSR 621H", name, stats_sorted_median(u.over, u.n), "ratio", 1 - UBOX_SPREAD,
                 1 + UBOX_SPREAD))
        return false;
    check_note(c, "%s: UCLK is what the ratio in MSR 0x%x says, which read %llu to %llu times 100 MHz", name,
               MSR_UNCORE_PERF_STATUS, (unsigned long long)u.least, (unsigned long long)u.most);
    return true;
}

/* The median of how far windows lie from their median: a single window may be disturbed (SMI). */
static void judge_spread(struct check *c, struct pmon_box *box, const char *name, const struct ubox_rate *r)
{
    double off[UBOX_WINDOWS], spread;

    for (uint32_t i = 0; i < UBOX_WINDOWS; i++)
        off[i] = __builtin_fabs(r->hz[i] / r->summary.median - 1);
    stats_sort(off, UBOX_WINDOWS);
    spread = stats_sorted_median(off, UBOX_WINDOWS);
    if (!measure(c, "spread of UCLK over windows", name, 100 * spread, "%", 0,
                 spread > UBOX_SPREAD && follows_ratio(c, box) ? NO_BOUND : 100 * UBOX_SPREAD))
        warn(c, "%s: UCLK differs between windows", name);
}

static bool ubox_judge_rate(struct check *c, struct pmon_box *box, const struct ubox_rate *r)
{
    char name[48];

    pmon_box_name(box, name);
    series_begin(c, "UCLK", "Hz", "window", "");
    for (uint32_t i = 0; i < UBOX_WINDOWS; i++)
        series_add(c, i, r->hz[i]);
    series_end(c);
    if (r->still == UBOX_WINDOWS || r->summary.median <= 0) {
        fail(c, "%s: fixed counter enabled but does not advance", name);
        return false;
    }
    if (r->still || r->back)
        fail(c, "%s: fixed counter did not advance in %u and decreased in %u of %u windows", name, r->still, r->back,
             UBOX_WINDOWS);
    if (!measure(c, "UCLK", name, r->summary.median, "Hz", UCLK_LO_HZ, UCLK_HI_HZ))
        warn(c, "%s: UCLK of %llu Hz is outside the range of these parts", name, (unsigned long long)r->summary.median);
    judge_spread(c, box, name, r);
    return true;
}

/* Packages of one machine have one UCLK, unless each says that its own is another. */
static void judge_packages_alike(struct check *c, struct pmon_box *box, double hz, struct pmon_box *first,
                                 double first_hz)
{
    double ratio = hz / first_hz;
    bool apart = ratio < 1 - UBOX_SPREAD || ratio > 1 + UBOX_SPREAD;
    bool own = apart && follows_ratio(c, box) && follows_ratio(c, first);
    char name[48];

    pmon_box_name(box, name);
    if (!measure(c, "UCLK over that of the first package", name, ratio, "ratio", own ? 0 : 1 - UBOX_SPREAD,
                 own ? NO_BOUND : 1 + UBOX_SPREAD))
        warn(c, "%s: UCLK is %llu Hz, %llu Hz on package %u, both idle", name, (unsigned long long)hz,
             (unsigned long long)first_hz, first->package);
}

static enum verdict check_uclk_rate(struct check *c)
{
    struct pmon_box *first = NULL;
    double first_hz = 0;
    uint32_t there = 0, missing = 0;

    pmon_session_thaw(c);
    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        struct ubox_rate r;
        char name[48], why[PMON_TEXT];
        enum status st, quiet;

        pmon_box_name(box, name);
        if (box->status != ST_OK || !ubox_runs(c, box)) {
            missing += box->status == ST_FAULT;
            ubox_reason(box, why);
            check_note(c, "%s", why);
            continue;
        }
        there++;
        st = ubox_rates(c, box, &r);
        quiet = pmon_quiet(c->platform, box);
        if (st != ST_OK || quiet != ST_OK) {
            check_cannot_measure(c, status_first(st, quiet), box->cpu, "the UBox fixed counter");
            continue;
        }
        if (!ubox_judge_rate(c, box, &r))
            continue;
        if (first) {
            judge_packages_alike(c, box, r.summary.median, first, first_hz);
            continue;
        }
        first = box;
        first_hz = r.summary.median;
    }
    if (there == 0 && check_verdict(c) == VERDICT_PASS)
        return check_skip(c, "no package has a usable UBox");
    if (there > 0 && missing > 0)
        fail(c, "%u packages have UBox counters, and on %u the registers raise #GP", there, missing);
    return check_verdict(c);
}

/* --- E1, E2: enable ----------------------------------------------------------------------------------------------- */

static enum status ubox_enable_of(struct check *c, struct pmon_box *box, uint32_t index)
{
    uint64_t off = 0, on = 0, after = 0;
    char name[64];
    enum status st = ubox_start(c, box, index, false);

    ubox_counter_name(box, index, name);
    st = st == ST_OK ? ubox_moved(c, box, index, &off) : st;
    st = st == ST_OK ? ubox_start(c, box, index, true) : st;
    st = st == ST_OK ? ubox_moved(c, box, index, &on) : st;
    st = st == ST_OK ? ubox_start(c, box, index, false) : st;
    st = st == ST_OK ? ubox_moved(c, box, index, &after) : st;
    if (st != ST_OK)
        return check_unmeasured(c, st, box->cpu, name);
    if (!measure(c, "counts with en 0", name, (double)off, "counts", 0, 0))
        fail(c, "%s: advanced by %llu counts with en 0", name, (unsigned long long)off);
    if (!measure(c, "counts with en 1", name, (double)on, "counts", 1, NO_BOUND))
        fail(c, "%s: does not advance with en 1, though every cycle counts", name);
    if (!measure(c, "counts after en was cleared", name, (double)after, "counts", 0, 0))
        fail(c, "%s: advanced by %llu counts after en was cleared", name, (unsigned long long)after);
    return ST_OK;
}

static enum status ubox_enable(struct check *c, struct pmon_box *box)
{
    enum status st = ubox_enable_of(c, box, PMON_FIXED);

    /* SPR and later count without en: Linux relies on it. */
    for (uint32_t i = 0; i < ubox_cycle_counters(box->unit) && st == ST_OK && !box->unit->layout->control->en_unused;
         i++)
        st = ubox_enable_of(c, box, i);
    ubox_note_fixed_alone(c, box);
    return st;
}

static enum verdict ubox_check_enable(struct check *c)
{
    return ubox_each(c, ubox_enable);
}

/* --- R3: reset ---------------------------------------------------------------------------------------------------- */

/* As in pmon.reset: guides of E5-2600 and E5-2600 v2 alone say what rst does. */
static bool has_guide(const struct check *c)
{
    return !c->tools->pmon.part->no_guide;
}

/* Sets a mark in every counter, resets one, and looks at all. */
static enum status ubox_reset_one(struct check *c, struct pmon_box *box, uint32_t index)
{
    uint64_t value = 0, ctl = 0;
    char name[64];
    enum status st = ST_OK;

    ubox_counter_name(box, index, name);
    for (uint32_t i = 0; i < box->unit->layout->counters && st == ST_OK; i++)
        st = pmon_counter_write(c->platform, box, i, UBOX_MARK);
    if (st == ST_OK)
        st = pmon_reset(c->platform, box, index);
    if (st == ST_OK)
        st = msr_read(c->platform, box->cpu, ubox_ctl_msr(box, index), &ctl);
    if (st != ST_OK)
        return st;
    evidence_msr(c, box->cpu, ubox_ctl_msr(box, index), ctl, 0);
    if (ctl & box->unit->layout->control->rst)
        (has_guide(c) ? fail : warn)(c, "%s: rst is write-only and reads 1 (0x%llx)", name, (unsigned long long)ctl);
    for (uint32_t i = 0; i < box->unit->layout->counters; i++) {
        st = pmon_counter_read(c->platform, box, i, &value);
        if (st != ST_OK)
            return st;
        evidence_msr(c, box->cpu, ubox_ctr_msr(box, i), value, 0);
        if (i == index && !measure(c, "count after rst", name, (double)value, "counts", 0, 0))
            (has_guide(c) ? fail : warn)(c, "%s: counter reads 0x%llx after rst", name, (unsigned long long)value);
        if (i != index && value != UBOX_MARK)
            (has_guide(c) ? fail : warn)(c, "%s: rst changed counter %u from 0x%llx to 0x%llx", name, i,
                                         (unsigned long long)UBOX_MARK, (unsigned long long)value);
    }
    return ST_OK;
}

/* The fixed control of the UBox has no documented reset bit: writing 0 to the counter is the way. */
static enum status clear_fixed(struct check *c, struct pmon_box *box)
{
    uint64_t value = 1;
    char name[64];
    enum status st = pmon_counter_write(c->platform, box, PMON_FIXED, UBOX_MARK);

    ubox_counter_name(box, PMON_FIXED, name);
    if (st == ST_OK && box->unit->layout->fixed.rst)
        st = pmon_reset(c->platform, box, PMON_FIXED);
    else if (st == ST_OK)
        st = pmon_counter_write(c->platform, box, PMON_FIXED, 0);
    if (st == ST_OK)
        st = pmon_counter_read(c->platform, box, PMON_FIXED, &value);
    if (st != ST_OK)
        return st;
    evidence_msr(c, box->cpu, ubox_ctr_msr(box, PMON_FIXED), value, 0);
    if (!measure(c, "count after clearing", name, (double)value, "counts", 0, 0))
        fail(c, "%s: reads 0x%llx after it was cleared", name, (unsigned long long)value);
    return ST_OK;
}

static enum status ubox_reset(struct check *c, struct pmon_box *box)
{
    enum status st = pmon_quiet(c->platform, box);

    if (st == ST_OK)
        st = clear_fixed(c, box);
    for (uint32_t i = 0; i < box->unit->layout->counters && st == ST_OK; i++)
        st = ubox_reset_one(c, box, i);
    if (st == ST_FAULT)
        warn(c, "package %u %s: a counter or control cannot be written: #GP", box->package, box->unit->name);
    else if (st != ST_OK)
        return check_unmeasured(c, st, box->cpu, "the UBox counters");
    return ST_OK;
}

static enum verdict ubox_check_reset(struct check *c)
{
    return ubox_each(c, ubox_reset);
}

/* --- S1: every package has its own, and every die where the part counts by die ------------------------------------- */

static uint64_t own_mark(uint32_t i)
{
    return UBOX_MARK + i;
}

/* A value of its own into every box, then all are read. */
static enum verdict check_own_box(struct check *c)
{
    uint32_t there = 0;
    uint64_t marked = 0; /* those written, of the first 64 */

    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes && i < 64; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        enum status st = box->status == ST_OK && ubox_runs(c, box) ? pmon_quiet(c->platform, box) : ST_ABSENT;

        if (st == ST_OK)
            st = pmon_counter_write(c->platform, box, 0, own_mark(i));
        if (st == ST_FAULT)
            warn(c, "package %u %s: a counter cannot be written: #GP", box->package, box->unit->name);
        else if (st != ST_OK && st != ST_ABSENT)
            check_cannot_measure(c, st, box->cpu, "the UBox counters");
        there += st == ST_OK;
        marked |= (uint64_t)(st == ST_OK) << i;
    }
    if (there < 2 && check_verdict(c) == VERDICT_PASS)
        return check_skip(c, "needs two packages or dies with a usable UBox");
    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes && i < 64; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        uint64_t value = 0;
        enum status st = marked >> i & 1 ? pmon_counter_read(c->platform, box, 0, &value) : ST_ABSENT;
        char name[48];

        if (st != ST_OK)
            continue; /* not usable, or reported above */
        pmon_box_name(box, name);
        evidence_wrmsr(c, box->cpu, ubox_ctr_msr(box, 0), own_mark(i), ST_OK, 0);
        evidence_msr(c, box->cpu, ubox_ctr_msr(box, 0), value, 0);
        if (value != own_mark(i))
            fail(c, "%s: counter 0 was written 0x%llx and, after the others' were written, reads 0x%llx", name,
                 (unsigned long long)own_mark(i), (unsigned long long)value);
    }
    return check_verdict(c);
}

static const struct check_row rows[] = {
    { .id = "ubox.uclk-rate",
      .title = "UCLK runs at one rate on every package, measured by the TSC",
      .spec = GUIDE_FIXED,
      .covers = "K1 A1",
      .detects = "a fixed counter that does not advance, decreases or counts another clock on one package",
      .run = check_uclk_rate },
    { .id = "ubox.enable",
      .title = "UBox counters count while en is 1 and hold while it is 0",
      .spec = UBOX_GUIDE_CONTROL,
      .covers = "E1 E2",
      .detects = "an enable bit that is stuck, a counter that does not stop",
      .run = ubox_check_enable },
    { .id = "ubox.reset",
      .title = "rst clears its own UBox counter only",
      .spec = UBOX_GUIDE_CONTROL,
      .covers = "R3",
      .detects = "a reset without effect, or one that clears other counters too",
      .run = ubox_check_reset },
    { .id = "ubox.own-box",
      .title = "Every package has a UBox of its own",
      .spec = UBOX_GUIDE_COUNTER " (one UBox in each package)",
      .covers = "S1",
      .detects = "registers that are routed to another package",
      .run = check_own_box },
};
CHECK_FAMILY(ubox, rows, UBOX_FAMILY, .order = 900);
