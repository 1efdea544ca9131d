/* The UBox's uncore counters. Witness: the TSC, the fixed UCLK counter for the programmable ones, and the guide's own
 * words: with .thresh 1 and .invert 1 an event that does not occur counts every cycle ("is event increment <
 * threshold?"), so the programmable counters can be driven at a known rate without any traffic.
 */
#include <string.h>

#include "core/bits.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/checks/pmon_lab.h"
#include "core/stats.h"
#include "core/text.h"

#define GUIDE_FIXED   "E5-2600 Uncore Guide 327043-001 2.2.3 UBox Performance Monitoring (fixed counter)"
#define GUIDE_CONTROL "E5-2600 Uncore Guide 327043-001 2.2.3.2 UBox PMON state, table 2-2 U_MSR_PMON_CTL"
#define GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 2.2.3.2 UBox PMON state, table 2-3 U_MSR_PMON_CTR"

#define WINDOWS          7u
#define WINDOWS_A_SECOND 100u /* 10 ms each */
#define SPREAD           0.05 /* of windows on one package, and between packages: UCLK may scale a little while idle */
#define AGREEMENT        0.01 /* of two counters of one clock, read within microseconds of each other */
#define STRAY            0.01 /* of all cycles: messages that the "idle" event may see */
#define UCLK_LO_HZ       4e8  /* slowest and fastest uncore that these parts were built with, with room */
#define UCLK_HI_HZ       5e9

typedef bool (*box_check)(struct check *c, struct pmon_box *box);

static uint32_t ctl_msr(const struct pmon_box *box, uint32_t index)
{
    return (uint32_t)pmon_address(box, pmon_ctl(box->unit, index));
}

static uint32_t ctr_msr(const struct pmon_box *box, uint32_t index)
{
    return (uint32_t)pmon_address(box, pmon_ctr(box->unit, index));
}

static void box_name(const struct pmon_box *box, char out[48])
{
    pmon_box_name(box, out);
}

/* Why a box is left alone, in words. */
static void box_reason(const struct pmon_box *box, char why[WHY_SIZE])
{
    char name[48], reason[WHY_SIZE];

    pmon_box_name(box, name);
    pmon_box_reason(box, reason, sizeof reason);
    text_format(why, WHY_SIZE, "%s: %s", name, reason);
}

static bool box_runs(struct check *c, struct pmon_box *box)
{
    return box_alive(c->platform, c->machine, box);
}

static enum verdict each_box(struct check *c, box_check one)
{
    char why[WHY_SIZE], first_why[WHY_SIZE] = "no UBox";
    uint32_t measured = 0, left = 0;

    lab_thaw(c);
    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        enum status quiet;

        if (box->status == ST_OK && box_runs(c, box)) {
            if (box->unit->box) /* a UBox that can be frozen is let run */
                quiet = pmon_write(c->platform, box, pmon_box_ctl(box->unit), pmon_run_value(box->unit));
            else
                quiet = ST_OK;
            if (quiet != ST_OK)
                cannot_measure(c, quiet, box->cpu, "the UBox control");
            measured += one(c, box);
            quiet = pmon_quiet(c->platform, box);
            if (quiet != ST_OK)
                cannot_measure(c, quiet, box->cpu, "the UBox controls");
            continue;
        }
        box_reason(box, why);
        note(c, "%s", why);
        if (left++ == 0)
            memcpy(first_why, why, WHY_SIZE);
    }
    if (measured == 0 && c->verdict == VERDICT_PASS)
        return skip(c, "%s", first_why);
    return c->verdict;
}

static void counter_name(const struct pmon_box *box, uint32_t index, char out[64])
{
    if (index == PMON_FIXED)
        text_format(out, 64, "package %u %s fixed counter", box->package, box->unit->name);
    else
        text_format(out, 64, "package %u %s counter %u", box->package, box->unit->name, index);
}

/* A programmable counter that counts every cycle, or what else `event` asks for. */
static struct pmon_event every_cycle(const struct pmon_unit *unit)
{
    return (struct pmon_event){
        .ev_sel = unit->idle_ev_sel, .umask = unit->idle_umask, .thresh = 1, .invert = true, .enable = true
    };
}

static struct pmon_event idle_event(const struct pmon_unit *unit)
{
    return (struct pmon_event){ .ev_sel = unit->idle_ev_sel, .umask = unit->idle_umask, .enable = true };
}

static enum status start(struct check *c, struct pmon_box *box, uint32_t index, bool on)
{
    struct pmon_event event = every_cycle(box->unit);

    if (index == PMON_FIXED)
        return pmon_fixed_enable(c->platform, box, on);
    event.enable = on;
    return pmon_program(c->platform, box, index, &event);
}

static uint64_t window_ticks(const struct check *c)
{
    return c->platform->tsc_hz / WINDOWS_A_SECOND;
}

static void show_reading(struct check *c, const struct pmon_box *box, uint32_t index, const struct pmon_reading *r)
{
    evidence_msr(c, box->cpu, ctr_msr(box, index), r->value, r->tsc);
}

/* One window over one counter: how far it went. */
static enum status moved(struct check *c, const struct pmon_box *box, uint32_t index, uint64_t *delta)
{
    struct pmon_reading first, last;
    enum status st = pmon_window(c->platform, box, &index, 1, window_ticks(c), &first, &last);

    if (st != ST_OK)
        return st;
    show_reading(c, box, index, &first);
    show_reading(c, box, index, &last);
    *delta = pmon_delta(first.value, last.value, pmon_bits(box->unit, index));
    return ST_OK;
}

/* --- K1: UCLK ----------------------------------------------------------------------------------------------------- */

struct rates {
    double hz[WINDOWS];
    struct summary summary; /* of hz, in another order */
    uint32_t still;         /* windows in which the counter stood  */
    uint32_t back;          /* windows in which it stepped back     */
};

static enum status measure_rates(struct check *c, struct pmon_box *box, struct rates *r)
{
    uint32_t index = PMON_FIXED;
    enum status st = start(c, box, index, true);
    double sorted[WINDOWS];

    *r = (struct rates){ .still = 0 };
    for (uint32_t i = 0; i < WINDOWS && st == ST_OK; i++) {
        struct pmon_reading first, last;
        uint64_t delta;

        st = pmon_window(c->platform, box, &index, 1, window_ticks(c), &first, &last);
        if (st != ST_OK)
            break;
        show_reading(c, box, index, &first);
        show_reading(c, box, index, &last);
        delta = pmon_delta(first.value, last.value, pmon_bits(box->unit, index));
        r->still += delta == 0;
        r->back += delta > low_bits(pmon_bits(box->unit, index)) / 2;
        r->hz[i] =
            last.tsc > first.tsc ? (double)delta * (double)c->platform->tsc_hz / (double)(last.tsc - first.tsc) : 0;
    }
    if (st != ST_OK)
        return st;
    memcpy(sorted, r->hz, sizeof sorted);
    return stats_summary(sorted, WINDOWS, &r->summary);
}

static bool judge_rate(struct check *c, const struct pmon_box *box, const struct rates *r)
{
    char name[48];

    box_name(box, name);
    series_begin(c, "UCLK", "Hz", "window", "");
    for (uint32_t i = 0; i < WINDOWS; i++)
        series_add(c, i, r->hz[i]);
    series_end(c);
    if (r->still == WINDOWS || r->summary.median <= 0) {
        fail(c, "%s: the fixed counter is enabled and stands still", name);
        return false;
    }
    if (r->still || r->back)
        fail(c, "%s: the fixed counter stood still in %u and stepped back in %u of %u windows", name, r->still, r->back,
             WINDOWS);
    if (!measure(c, "UCLK", name, r->summary.median, "Hz", UCLK_LO_HZ, UCLK_HI_HZ))
        warn(c, "%s: UCLK of %llu Hz is no uncore clock of these parts", name, (unsigned long long)r->summary.median);
    /* The median of how far windows lie from their median: a single window may be the scheduler's. */
    double off[WINDOWS];

    for (uint32_t i = 0; i < WINDOWS; i++)
        off[i] = __builtin_fabs(r->hz[i] / r->summary.median - 1);
    stats_sort(off, WINDOWS);
    if (!measure(c, "spread of UCLK over windows", name, 100 * stats_sorted_median(off, WINDOWS), "%", 0, 100 * SPREAD))
        warn(c, "%s: UCLK changes from window to window", name);
    return true;
}

static enum verdict check_uclk_rate(struct check *c)
{
    double first = 0;
    uint32_t first_package = 0, there = 0, missing = 0;

    lab_thaw(c);
    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        struct rates r;
        char name[48], why[WHY_SIZE];
        enum status st, quiet;

        box_name(box, name);
        if (box->status != ST_OK || !box_runs(c, box)) {
            missing += box->status == ST_FAULT;
            box_reason(box, why);
            note(c, "%s", why);
            continue;
        }
        there++;
        st = measure_rates(c, box, &r);
        quiet = pmon_quiet(c->platform, box);
        if (st != ST_OK || quiet != ST_OK) {
            cannot_measure(c, status_first(st, quiet), box->cpu, "the UBox fixed counter");
            continue;
        }
        if (!judge_rate(c, box, &r))
            continue;
        if (first <= 0) {
            first = r.summary.median;
            first_package = box->package;
        } else if (!measure(c, "UCLK over that of the first package", name, r.summary.median / first, "ratio",
                            1 - SPREAD, 1 + SPREAD)) {
            warn(c, "%s: UCLK is %llu Hz, on package %u it is %llu Hz, both idle", name,
                 (unsigned long long)r.summary.median, first_package, (unsigned long long)first);
        }
    }
    if (there == 0 && c->verdict == VERDICT_PASS)
        return skip(c, "no package has a UBox that is there and free");
    if (there > 0 && missing > 0)
        fail(c, "%u packages have UBox counters, and on %u the registers raise #GP", there, missing);
    return c->verdict;
}

/* --- E1, E2: enable ----------------------------------------------------------------------------------------------- */

static bool enable_of(struct check *c, struct pmon_box *box, uint32_t index)
{
    uint64_t off = 0, on = 0, after = 0;
    char name[64];
    enum status st = start(c, box, index, false);

    counter_name(box, index, name);
    st = st == ST_OK ? moved(c, box, index, &off) : st;
    st = st == ST_OK ? start(c, box, index, true) : st;
    st = st == ST_OK ? moved(c, box, index, &on) : st;
    st = st == ST_OK ? start(c, box, index, false) : st;
    st = st == ST_OK ? moved(c, box, index, &after) : st;
    if (st != ST_OK) {
        cannot_measure(c, st, box->cpu, name);
        return false;
    }
    if (!measure(c, "counts with en 0", name, (double)off, "counts", 0, 0))
        fail(c, "%s: en is 0, and it moved by %llu", name, (unsigned long long)off);
    if (!measure(c, "counts with en 1", name, (double)on, "counts", 1, NO_BOUND))
        fail(c, "%s: en is 1 and every cycle should count, and it stands still", name);
    if (!measure(c, "counts after en was cleared", name, (double)after, "counts", 0, 0))
        fail(c, "%s: en was cleared, and it moved on by %llu", name, (unsigned long long)after);
    return true;
}

static bool enable(struct check *c, struct pmon_box *box)
{
    bool done = enable_of(c, box, PMON_FIXED);

    /* SPR and later count without en: Linux relies on it. */
    for (uint32_t i = 0; i < box->unit->counters && done && !box->unit->control->en_unused; i++)
        done = enable_of(c, box, i);
    return true;
}

static enum verdict check_enable(struct check *c)
{
    return each_box(c, enable);
}

/* --- R3: reset ---------------------------------------------------------------------------------------------------- */

#define MARK UINT64_C(0x123456789) /* fits every width */

/* Sets a mark in every counter, resets one, and looks at all. */
static enum status reset_one(struct check *c, struct pmon_box *box, uint32_t index)
{
    uint64_t value = 0, ctl = 0;
    char name[64];
    enum status st = ST_OK;

    counter_name(box, index, name);
    for (uint32_t i = 0; i < box->unit->counters && st == ST_OK; i++)
        st = pmon_counter_write(c->platform, box, i, MARK);
    if (st == ST_OK)
        st = pmon_reset(c->platform, box, index);
    if (st == ST_OK)
        st = msr_read(c->platform, box->cpu, ctl_msr(box, index), &ctl);
    if (st != ST_OK)
        return st;
    evidence_msr(c, box->cpu, ctl_msr(box, index), ctl, 0);
    if (ctl & box->unit->control->rst)
        fail(c, "%s: rst is write-only, and it reads 1 (0x%llx)", name, (unsigned long long)ctl);
    for (uint32_t i = 0; i < box->unit->counters; i++) {
        st = pmon_counter_read(c->platform, box, i, &value);
        if (st != ST_OK)
            return st;
        evidence_msr(c, box->cpu, ctr_msr(box, i), value, 0);
        if (i == index && !measure(c, "count after rst", name, (double)value, "counts", 0, 0))
            fail(c, "%s: rst was set, and the counter reads 0x%llx", name, (unsigned long long)value);
        if (i != index && value != MARK)
            fail(c, "%s: rst of it changed counter %u from 0x%llx to 0x%llx", name, i, (unsigned long long)MARK,
                 (unsigned long long)value);
    }
    return ST_OK;
}

/* The fixed control of the UBox has no documented reset bit: writing 0 to the counter is the way. */
static enum status clear_fixed(struct check *c, struct pmon_box *box)
{
    uint64_t value = 1;
    char name[64];
    enum status st = pmon_counter_write(c->platform, box, PMON_FIXED, MARK);

    counter_name(box, PMON_FIXED, name);
    if (st == ST_OK && box->unit->fixed_rst)
        st = pmon_reset(c->platform, box, PMON_FIXED);
    else if (st == ST_OK)
        st = pmon_counter_write(c->platform, box, PMON_FIXED, 0);
    if (st == ST_OK)
        st = pmon_counter_read(c->platform, box, PMON_FIXED, &value);
    if (st != ST_OK)
        return st;
    evidence_msr(c, box->cpu, ctr_msr(box, PMON_FIXED), value, 0);
    if (!measure(c, "count after clearing", name, (double)value, "counts", 0, 0))
        fail(c, "%s: it was cleared, and reads 0x%llx", name, (unsigned long long)value);
    return ST_OK;
}

static bool reset(struct check *c, struct pmon_box *box)
{
    enum status st = pmon_quiet(c->platform, box);

    if (st == ST_OK)
        st = clear_fixed(c, box);
    for (uint32_t i = 0; i < box->unit->counters && st == ST_OK; i++)
        st = reset_one(c, box, i);
    if (st == ST_FAULT)
        warn(c, "package %u %s: a counter or control cannot be written: #GP", box->package, box->unit->name);
    else if (st != ST_OK)
        cannot_measure(c, st, box->cpu, "the UBox counters");
    return true;
}

static enum verdict check_reset(struct check *c)
{
    return each_box(c, reset);
}

/* --- A2: width ---------------------------------------------------------------------------------------------------- */

/* What a counter that is off reads after a value was written to it. */
static enum status store(struct check *c, struct pmon_box *box, uint32_t index, uint64_t value, uint64_t *back)
{
    enum status st = pmon_counter_write(c->platform, box, index, value);

    evidence_wrmsr(c, box->cpu, ctr_msr(box, index), value, st, 0);
    if (st == ST_OK)
        st = pmon_counter_read(c->platform, box, index, back);
    if (st == ST_OK)
        evidence_msr(c, box->cpu, ctr_msr(box, index), *back, 0);
    return st;
}

static enum status width_of(struct check *c, struct pmon_box *box, uint32_t index)
{
    const struct pmon_unit *u = box->unit;
    uint32_t bits = pmon_bits(u, index), second = index == PMON_FIXED ? u->fixed_bits_2 : u->counter_bits_2;
    uint64_t back = 0, patterns[4];
    char name[64];
    enum status st = bits == 0 || bits > 63 ? ST_RANGE : store(c, box, index, low_bits(bits), &back);

    counter_name(box, index, name);
    if (st != ST_OK)
        return st;
    measure(c, "bits of the counter", name, bits_for(back), "bits", -NO_BOUND, NO_BOUND);
    if (second && back == low_bits(second)) {
        note(c, "%s holds %u bits; sources give %u and %u", name, second, bits, second);
        bits = second;
    } else if (back != low_bits(bits)) {
        fail(c, "%s: %u ones were written and it reads 0x%llx", name, bits, (unsigned long long)back);
        return ST_OK;
    }
    patterns[0] = 0;
    patterns[1] = UINT64_C(0x5555555555555555) & low_bits(bits);
    patterns[2] = UINT64_C(0xAAAAAAAAAAAAAAAA) & low_bits(bits);
    patterns[3] = BIT(bits - 1);
    for (uint32_t i = 0; i < 4; i++) {
        st = store(c, box, index, patterns[i], &back);
        if (st != ST_OK)
            return st;
        if (back != patterns[i])
            fail(c, "%s: 0x%llx was written and it reads 0x%llx", name, (unsigned long long)patterns[i],
                 (unsigned long long)back);
    }
    /* One bit more is either refused or not there. */
    st = store(c, box, index, BIT(bits), &back);
    if (st == ST_OK && (back & BIT(bits)))
        fail(c, "%s: bit %u is stored, the counter has %u bits", name, bits, bits);
    if (st == ST_OK || st == ST_FAULT)
        st = store(c, box, index, 0, &back);
    return st;
}

static bool width(struct check *c, struct pmon_box *box)
{
    enum status st = pmon_quiet(c->platform, box);

    if (st == ST_OK)
        st = width_of(c, box, PMON_FIXED);
    for (uint32_t i = 0; i < box->unit->counters && st == ST_OK; i++)
        st = width_of(c, box, i);
    if (st == ST_FAULT)
        warn(c, "package %u %s: a counter cannot be written: #GP", box->package, box->unit->name);
    else if (st != ST_OK)
        cannot_measure(c, st, box->cpu, "the UBox counters");
    return true;
}

static enum verdict check_width(struct check *c)
{
    return each_box(c, width);
}

/* --- S1: every package has its own -------------------------------------------------------------------------------- */

static uint64_t own_mark(const struct pmon_box *box)
{
    return MARK + box->package;
}

/* A value of its own into every box, then all are read. */
static enum verdict check_own_box(struct check *c)
{
    uint32_t there = 0;

    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        enum status st = box->status == ST_OK && box_runs(c, box) ? pmon_quiet(c->platform, box) : ST_ABSENT;

        if (st == ST_OK)
            st = pmon_counter_write(c->platform, box, 0, own_mark(box));
        if (st == ST_FAULT)
            warn(c, "package %u %s: a counter cannot be written: #GP", box->package, box->unit->name);
        else if (st != ST_OK && st != ST_ABSENT)
            cannot_measure(c, st, box->cpu, "the UBox counters");
        there += st == ST_OK;
    }
    if (there < 2 && c->verdict == VERDICT_PASS)
        return skip(c, "needs two packages with a UBox that is there and free");
    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];
        uint64_t value = 0;
        enum status st = pmon_counter_read(c->platform, box, 0, &value);

        if (st != ST_OK)
            continue; /* left alone, or said above */
        evidence_wrmsr(c, box->cpu, ctr_msr(box, 0), own_mark(box), ST_OK, 0);
        evidence_msr(c, box->cpu, ctr_msr(box, 0), value, 0);
        if (value != own_mark(box))
            fail(
                c,
                "package %u %s: counter 0 was written 0x%llx and, after the other packages' were written, reads 0x%llx",
                box->package, box->unit->name, (unsigned long long)own_mark(box), (unsigned long long)value);
    }
    return c->verdict;
}

/* --- O1: wrap ----------------------------------------------------------------------------------------------------- */

#define WRAP_TRIES 3u

struct wrap_result {
    double ratio; /* counted over expected by the witness */
    uint64_t first, last;
    bool fell;
};

/* Half a window before the end of its range, for a window and a half: the counter comes round in the middle. Witness:
 * for the fixed counter its own rate from before, for the others the fixed counter beside them. */
static enum status wrap_once(struct check *c, struct pmon_box *box, uint32_t index, double uclk_hz, uint32_t bits,
                             struct wrap_result *w)
{
    uint32_t counters[2] = { index, PMON_FIXED }, n = index == PMON_FIXED ? 1 : 2;
    uint64_t lead = (uint64_t)(uclk_hz / WINDOWS_A_SECOND / 2), preload = BIT(bits) - lead;
    struct pmon_reading first[2], last[2];
    double expected;
    enum status st = start(c, box, index, false);

    if (st == ST_OK)
        st = pmon_counter_write(c->platform, box, index, preload);
    if (st == ST_OK && n == 2)
        st = start(c, box, PMON_FIXED, true);
    if (st == ST_OK)
        st = start(c, box, index, true);
    if (st == ST_OK)
        st = pmon_window(c->platform, box, counters, n, window_ticks(c) * 3 / 2, first, last);
    if (st != ST_OK)
        return st;
    show_reading(c, box, index, &first[0]);
    show_reading(c, box, index, &last[0]);
    expected = uclk_hz * (double)(last[0].tsc - first[0].tsc) / (double)c->platform->tsc_hz;
    if (n == 2 && last[1].tsc > first[1].tsc)
        expected = (double)pmon_delta(first[1].value, last[1].value, pmon_bits(box->unit, PMON_FIXED)) *
                   (double)(last[0].tsc - first[0].tsc) / (double)(last[1].tsc - first[1].tsc);
    w->first = first[0].value;
    w->last = last[0].value;
    w->fell = last[0].value < preload;
    w->ratio = expected > 0 ? (double)pmon_delta(first[0].value, last[0].value, bits) / expected : 0;
    return ST_OK;
}

static enum status counter_bits(struct check *c, struct pmon_box *box, uint32_t index, uint32_t *bits)
{
    uint32_t second = index == PMON_FIXED ? box->unit->fixed_bits_2 : box->unit->counter_bits_2;
    uint64_t back = 0;
    enum status st;

    *bits = pmon_bits(box->unit, index);
    if (*bits == 0 || *bits > 63)
        return ST_RANGE;
    if (second == 0) /* ubox.width judges it; here it is only asked which of two sources is right */
        return ST_OK;
    st = start(c, box, index, false);
    if (st == ST_OK)
        st = store(c, box, index, low_bits(*bits), &back);
    if (st == ST_OK && back == low_bits(second))
        *bits = second;
    return st;
}

static enum status wrap_of(struct check *c, struct pmon_box *box, uint32_t index, double uclk_hz)
{
    struct wrap_result w[WRAP_TRIES] = { { 0 } };
    double ratios[WRAP_TRIES];
    uint32_t bits = 0, fell = 0;
    char name[64];
    enum status st = counter_bits(c, box, index, &bits);

    counter_name(box, index, name);
    for (uint32_t i = 0; i < WRAP_TRIES && st == ST_OK; i++) {
        st = wrap_once(c, box, index, uclk_hz, bits, &w[i]);
        ratios[i] = w[i].ratio;
        fell += w[i].fell;
        if (st == ST_OK && (w[i].last & ~low_bits(bits)))
            fail(c, "%s: after the wrap it reads 0x%llx: bits stand above its %u", name, (unsigned long long)w[i].last,
                 bits);
    }
    if (st != ST_OK)
        return st;
    stats_sort(ratios, WRAP_TRIES);
    if (!measure(c, "wraps seen", name, fell, "wraps", WRAP_TRIES, NO_BOUND))
        fail(c, "%s: it was set half a window before 2^%u and did not come round in %u of %u tries (it reads 0x%llx)",
             name, bits, WRAP_TRIES - fell, WRAP_TRIES, (unsigned long long)w[0].last);
    else if (!measure(c, "counts over the wrap against the witness", name, ratios[WRAP_TRIES / 2], "ratio", 1 - SPREAD,
                      1 + SPREAD))
        fail(c, "%s: over the wrap at 2^%u it counted %u thousandths of what its witness says", name, bits,
             (unsigned)(ratios[WRAP_TRIES / 2] > 4e6 ? 4e9 : ratios[WRAP_TRIES / 2] * 1000));
    return ST_OK;
}

static bool wrap(struct check *c, struct pmon_box *box)
{
    struct rates r;
    enum status st = measure_rates(c, box, &r);

    if (st == ST_OK && r.summary.median <= 0) {
        fail(c, "package %u %s: the fixed counter stands still: nothing can be brought to wrap", box->package,
             box->unit->name);
        return true;
    }
    if (st == ST_OK)
        st = wrap_of(c, box, PMON_FIXED, r.summary.median);
    for (uint32_t i = 0; i < box->unit->counters && st == ST_OK; i++)
        st = wrap_of(c, box, i, r.summary.median);
    if (st == ST_FAULT)
        warn(c, "package %u %s: a counter cannot be preset: #GP", box->package, box->unit->name);
    else if (st != ST_OK)
        cannot_measure(c, st, box->cpu, "the UBox counters");
    return true;
}

static enum verdict check_wrap(struct check *c)
{
    return each_box(c, wrap);
}

/* --- T1, T4, T5, G2: threshold, invert, edge ---------------------------------------------------------------------- */

/* Counts of an event over those of UCLK in the same windows; the median of a few. */
static enum status share_of_cycles(struct check *c, struct pmon_box *box, uint32_t index,
                                   const struct pmon_event *event, double *share)
{
    uint32_t counters[2] = { index, PMON_FIXED };
    double shares[WRAP_TRIES];
    enum status st = pmon_counter_write(c->platform, box, index, 0); /* far from any wrap */

    if (st == ST_OK || st == ST_FAULT) /* where it cannot be preset it is far from one as it is */
        st = start(c, box, PMON_FIXED, true);
    if (st == ST_OK)
        st = pmon_program(c->platform, box, index, event);
    for (uint32_t i = 0; i < WRAP_TRIES && st == ST_OK; i++) {
        struct pmon_reading first[2], last[2];
        double counts, cycles;

        st = pmon_window(c->platform, box, counters, 2, window_ticks(c), first, last);
        if (st != ST_OK)
            break;
        show_reading(c, box, index, &first[0]);
        show_reading(c, box, index, &last[0]);
        counts = (double)pmon_delta(first[0].value, last[0].value, pmon_bits(box->unit, index));
        cycles = (double)pmon_delta(first[1].value, last[1].value, pmon_bits(box->unit, PMON_FIXED));
        /* Each pair of reads has its own time: rates, not counts, are compared. */
        shares[i] = cycles > 0 && last[0].tsc > first[0].tsc ? counts / (double)(last[0].tsc - first[0].tsc) /
                                                                   (cycles / (double)(last[1].tsc - first[1].tsc))
                                                             : -1;
    }
    if (st != ST_OK)
        return st;
    stats_sort(shares, WRAP_TRIES);
    *share = shares[WRAP_TRIES / 2];
    return ST_OK;
}

static enum status judge_share(struct check *c, struct pmon_box *box, uint32_t index, const char *what,
                               const struct pmon_event *event, double lo, double hi)
{
    double share = 0;
    char name[64];
    enum status st = share_of_cycles(c, box, index, event, &share);

    counter_name(box, index, name);
    if (st == ST_OK && !measure(c, what, name, share, "counts per UCLK", lo, hi))
        fail(c, "%s: %s: %d millionths of the UCLK cycles were counted", name, what,
             (int)(share > 2000 ? 2e9 : share * 1e6));
    return st;
}

static bool threshold(struct check *c, struct pmon_box *box)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < box->unit->counters && st == ST_OK; i++) {
        struct pmon_event event = idle_event(box->unit);

        st = judge_share(c, box, i, "an event that does not occur", &event, 0, STRAY);
        event.thresh = 1;
        if (st == ST_OK)
            st = judge_share(c, box, i, "the same, thresh 1", &event, 0, STRAY);
        event.invert = true;
        if (st == ST_OK)
            st = judge_share(c, box, i, "the same, thresh 1 and invert: every cycle", &event, 1 - AGREEMENT - STRAY,
                             1 + AGREEMENT);
        event.edge_det = true;
        if (st == ST_OK)
            st = judge_share(c, box, i, "the same with edge_det: hardly any", &event, 0, STRAY);
    }
    if (st != ST_OK)
        cannot_measure(c, st, box->cpu, "the UBox counters");
    return true;
}

static enum verdict check_threshold(struct check *c)
{
    return each_box(c, threshold);
}

const struct check_row ubox_checks[] = {
    { .id = "ubox.uclk-rate",
      .title = "UCLK advances at one rate against the TSC on every package",
      .spec = GUIDE_FIXED,
      .rows = "K1 A1",
      .catches = "a fixed counter that stands still, steps back or runs at another clock on one package",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_uclk_rate },
    { .id = "ubox.enable",
      .title = "Counters count while en is 1 and stand while it is 0",
      .spec = GUIDE_CONTROL,
      .rows = "E1 E2",
      .catches = "an enable bit that is stuck, a counter that does not stop",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_enable },
    { .id = "ubox.reset",
      .title = "A reset clears its counter and no other",
      .spec = GUIDE_CONTROL,
      .rows = "R3",
      .catches = "a reset without effect, or one that reaches its neighbour",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_reset },
    { .id = "ubox.width",
      .title = "Counters hold the bits that their guide gives them",
      .spec = GUIDE_COUNTER,
      .rows = "A2",
      .catches = "stuck counter bits, a wrong width",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_width },
    { .id = "ubox.own-box",
      .title = "Every package has a UBox of its own",
      .spec = GUIDE_COUNTER " (one UBox in each package)",
      .rows = "S1",
      .catches = "registers that are routed to another package",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_own_box },
    { .id = "ubox.wrap",
      .title = "A counter wraps at its width and counts on",
      .spec = GUIDE_COUNTER,
      .rows = "O1",
      .catches = "a counter that saturates, sticky top bits, a wrong width",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_wrap },
    { .id = "ubox.threshold",
      .title = "Threshold, invert and edge act as the guide says",
      .spec = GUIDE_CONTROL,
      .rows = "T1 T4 G2",
      .catches = "a comparison that is ignored, invert or edge without effect",
      .needs = NEED_UBOX,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_threshold },
};
