/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The UBox's counters and controls: what they hold, and how counters wrap. Witness: the values written, the fixed UCLK
 * counter, and an event that does not occur, which .thresh 1 and .invert 1 make count every cycle. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/ubox_session.h"

/* --- A2: width ---------------------------------------------------------------------------------------------------- */

static enum status width_of(struct check *c, struct pmon_box *box, uint32_t index)
{
    const struct pmon_unit *u = box->unit;
    uint32_t bits = pmon_bits(u, index),
             second = index == PMON_FIXED ? u->layout->fixed.bits_2 : u->layout->counter_bits_2;
    uint64_t back = 0, patterns[4];
    char name[64];
    enum status st = bits == 0 || bits > 63 ? ST_RANGE : ubox_store(c, box, index, low_bits(bits), &back);

    ubox_counter_name(box, index, name);
    if (st != ST_OK)
        return st;
    measure(c, "bits of the counter", name, bits_for(back), "bits", -NO_BOUND, NO_BOUND);
    if (second && back == low_bits(second)) {
        check_note(c, "%s has %u bits; sources document %u and %u", name, second, bits, second);
        bits = second;
    } else if (back != low_bits(bits)) {
        fail(c, "%s: %u ones written, reads 0x%llx", name, bits, (unsigned long long)back);
        return ST_OK;
    }
    patterns[0] = 0;
    patterns[1] = UINT64_C(0x5555555555555555) & low_bits(bits);
    patterns[2] = UINT64_C(0xAAAAAAAAAAAAAAAA) & low_bits(bits);
    patterns[3] = BIT(bits - 1);
    for (uint32_t i = 0; i < 4; i++) {
        st = ubox_store(c, box, index, patterns[i], &back);
        if (st != ST_OK)
            return st;
        if (back != patterns[i])
            fail(c, "%s: 0x%llx written, reads 0x%llx", name, (unsigned long long)patterns[i],
                 (unsigned long long)back);
    }
    /* One bit more is either refused or not there. */
    st = ubox_store(c, box, index, BIT(bits), &back);
    if (st == ST_OK && (back & BIT(bits)))
        fail(c, "%s: bit %u is stored, though the counter has %u bits", name, bits, bits);
    if (st == ST_OK || st == ST_FAULT)
        st = ubox_store(c, box, index, 0, &back);
    return st;
}

/* --- A2: fields of the controls */

static void judge_control(struct check *c, const struct pmon_box *box, uint32_t index, uint64_t written, uint64_t read)
{
    uint64_t bits = pmon_stored_bits(box->unit, index), reserved = pmon_reserved_bits(box->unit, index);
    char name[64];

    ubox_counter_name(box, index, name);
    evidence_wrmsr(c, box->cpu, ubox_ctl_msr(box, index), written, ST_OK, 0);
    evidence_msr(c, box->cpu, ubox_ctl_msr(box, index), read, 0);
    if ((read & bits) != written)
        fail(c, "%s: control: 0x%llx written, reads 0x%llx", name, (unsigned long long)written,
             (unsigned long long)read);
    if (read & reserved)
        warn(c, "%s: control: reads 0x%llx, of which 0x%llx is reserved", name, (unsigned long long)read,
             (unsigned long long)(read & reserved));
}

/* Ends with 0. */
static enum status fields_of(struct check *c, struct pmon_box *box, uint32_t index)
{
    static const uint64_t patterns[] = { UINT64_MAX, UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0x5555555555555555), 0 };
    struct pmon_reg reg = pmon_ctl(box->unit, index);
    enum status st = ST_OK;

    for (uint32_t i = 0; i < 4 && st == ST_OK; i++) {
        uint64_t written = patterns[i] & pmon_stored_bits(box->unit, index), read = 0;

        st = pmon_write(c->platform, box, reg, written);
        if (st == ST_OK)
            st = pmon_read(c->platform, box, reg, &read);
        if (st == ST_OK)
            judge_control(c, box, index, written, read);
    }
    return st;
}

static enum status ubox_width(struct check *c, struct pmon_box *box)
{
    enum status st = pmon_quiet(c->platform, box);

    if (st == ST_OK)
        st = width_of(c, box, PMON_FIXED);
    for (uint32_t i = 0; i < box->unit->layout->counters && st == ST_OK; i++)
        st = width_of(c, box, i);
    if (st == ST_OK)
        st = fields_of(c, box, PMON_FIXED);
    for (uint32_t i = 0; i < box->unit->layout->counters && st == ST_OK; i++)
        st = fields_of(c, box, i);
    if (st == ST_FAULT)
        warn(c, "package %u %s: a counter or control cannot be written: #GP", box->package, box->unit->name);
    else if (st != ST_OK)
        return check_unmeasured(c, st, box->cpu, "the UBox counters");
    return ST_OK;
}

static enum verdict ubox_check_width(struct check *c)
{
    return ubox_each(c, ubox_width);
}

/* --- O1: wrap ----------------------------------------------------------------------------------------------------- */

#define WRAP_TRIES 3u

struct wrap_result {
    double ratio; /* counted over expected by the reference clock */
    uint64_t first, last;
    bool wrapped;
};

/* The other counter of the box that counts UCLK; the fixed one itself where it is alone. */
static uint32_t wrap_reference(const struct pmon_box *box, uint32_t index)
{
    return index == PMON_FIXED && ubox_cycle_counters(box->unit) ? 0 : PMON_FIXED;
}

/* Preset a quarter of a window below its maximum, for a window and a half: the counter overflows at any UCLK above a
 * sixth of the rate that was measured before. UCLK may change between windows (MSR 620H, Linux
 * drivers/platform/x86/intel/uncore-frequency), so the reference is another counter of it in the same window; a fixed
 * counter that is alone has its own rate from before. */
static enum status wrap_once(struct check *c, struct pmon_box *box, uint32_t index, double uclk_hz, uint32_t bits,
                             struct wrap_result *w)
{
    uint32_t reference = wrap_reference(box, index), counters[2] = { index, reference }, n = index == reference ? 1 : 2;
    uint64_t preload = BIT(bits) - (uint64_t)(uclk_hz / UBOX_WINDOWS_A_SECOND / 4);
    struct pmon_reading first[2], last[2];
    double expected;
    enum status st = ubox_start(c, box, index, false);

    if (st == ST_OK)
        st = pmon_counter_write(c->platform, box, index, preload);
    if (st == ST_OK && n == 2 && reference != PMON_FIXED)
        st = pmon_counter_write(c->platform, box, reference, 0); /* far from any wrap */
    if (st == ST_OK && n == 2)
        st = ubox_start(c, box, reference, true);
    if (st == ST_OK)
        st = ubox_start(c, box, index, true);
    if (st == ST_OK)
        st = pmon_window(c->platform, box, counters, n, ubox_ticks(c) * 3 / 2, first, last);
    if (st != ST_OK)
        return st;
    ubox_show(c, box, index, &first[0]);
    ubox_show(c, box, index, &last[0]);
    expected = uclk_hz * (double)(last[0].tsc - first[0].tsc) / (double)c->platform->tsc_hz;
    if (n == 2 && last[1].tsc > first[1].tsc)
        expected = (double)pmon_delta(first[1].value, last[1].value, pmon_bits(box->unit, reference)) *
                   (double)(last[0].tsc - first[0].tsc) / (double)(last[1].tsc - first[1].tsc);
    w->first = first[0].value;
    w->last = last[0].value;
    w->wrapped = last[0].value < preload;
    w->ratio = expected > 0 ? (double)pmon_delta(first[0].value, last[0].value, bits) / expected : 0;
    return ST_OK;
}

static enum status counter_bits(struct check *c, struct pmon_box *box, uint32_t index, uint32_t *bits)
{
    uint32_t second = index == PMON_FIXED ? box->unit->layout->fixed.bits_2 : box->unit->layout->counter_bits_2;
    uint64_t back = 0;
    enum status st;

    *bits = pmon_bits(box->unit, index);
    if (*bits == 0 || *bits > 63)
        return ST_RANGE;
    if (second == 0) /* ubox.width judges it; here it is only asked which of two sources is right */
        return ST_OK;
    st = ubox_start(c, box, index, false);
    if (st == ST_OK)
        st = ubox_store(c, box, index, low_bits(*bits), &back);
    if (st == ST_OK && back == low_bits(second))
        *bits = second;
    return st;
}

static enum status wrap_of(struct check *c, struct pmon_box *box, uint32_t index, double uclk_hz)
{
    struct wrap_result w[WRAP_TRIES] = { { 0 } };
    double ratios[WRAP_TRIES];
    uint32_t bits = 0, wrapped = 0;
    char name[64];
    enum status st = counter_bits(c, box, index, &bits);

    ubox_counter_name(box, index, name);
    for (uint32_t i = 0; i < WRAP_TRIES && st == ST_OK; i++) {
        st = wrap_once(c, box, index, uclk_hz, bits, &w[i]);
        ratios[i] = w[i].ratio;
        wrapped += w[i].wrapped;
        if (st == ST_OK && (w[i].last & ~low_bits(bits)))
            fail(c, "%s: reads 0x%llx after the wrap: bits above its width of %u", name, (unsigned long long)w[i].last,
                 bits);
    }
    if (st != ST_OK)
        return st;
    stats_sort(ratios, WRAP_TRIES);
    if (!measure(c, "wraps seen", name, wrapped, "wraps", WRAP_TRIES, NO_BOUND))
        fail(c, "%s: preset a quarter of a window below 2^%u, did not wrap in %u of %u tries (reads 0x%llx)", name,
             bits, WRAP_TRIES - wrapped, WRAP_TRIES, (unsigned long long)w[0].last);
    else if (!measure(c, "counts across the wrap over the reference clock", name, ratios[WRAP_TRIES / 2], "ratio",
                      1 - UBOX_SPREAD, 1 + UBOX_SPREAD))
        fail(c, "%s: across the wrap at 2^%u it counted %u thousandths of the reference clock", name, bits,
             (unsigned)(ratios[WRAP_TRIES / 2] > 4e6 ? 4e9 : ratios[WRAP_TRIES / 2] * 1000));
    return ST_OK;
}

static enum status ubox_wrap(struct check *c, struct pmon_box *box)
{
    struct ubox_rate r;
    enum status st = ubox_rates(c, box, &r);

    if (st == ST_OK && r.summary.median <= 0) {
        fail(c, "package %u %s: fixed counter does not advance: no wrap can be tested", box->package, box->unit->name);
        return ST_OK;
    }
    if (st == ST_OK)
        st = wrap_of(c, box, PMON_FIXED, r.summary.median);
    for (uint32_t i = 0; i < ubox_cycle_counters(box->unit) && st == ST_OK; i++)
        st = wrap_of(c, box, i, r.summary.median);
    if (st == ST_FAULT)
        warn(c, "package %u %s: a counter cannot be preset: #GP", box->package, box->unit->name);
    else if (st != ST_OK)
        return check_unmeasured(c, st, box->cpu, "the UBox counters");
    ubox_note_fixed_alone(c, box);
    return ST_OK;
}

static enum verdict ubox_check_wrap(struct check *c)
{
    return ubox_each(c, ubox_wrap);
}

static const struct check_row rows[] = {
    { .id = "ubox.width",
      .title = "UBox counters have their documented width, and controls store their fields",
      .spec = UBOX_GUIDE_COUNTER "; table 2-2 U_MSR_PMON_CTL",
      .covers = "A2",
      .detects = "stuck bits of counters and controls, a wrong width, reserved bits that read 1",
      .run = ubox_check_width },
    { .id = "ubox.wrap",
      .title = "UBox counters wrap at their width and keep counting",
      .spec = UBOX_GUIDE_COUNTER,
      .covers = "O1",
      .detects = "a counter that saturates, sticky top bits, a wrong width",
      .slow = true,
      .run = ubox_check_wrap },
};
CHECK_FAMILY(ubox_counters, rows, UBOX_FAMILY, .order = 905);
