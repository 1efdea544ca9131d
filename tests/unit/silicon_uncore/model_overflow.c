/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Freeze on overflow against 329468-002 2.1.1, 2.1.4 and 2.2.2.1: the U-box freezes the counters of all boxes, until
 * software clears the status and unfreezes them. */
#include "tests/support/machine/uncore_rig.h"

#define OV_EN BIT(20)

/* Clocks that a box or the U-box counts here: the parts' uncore runs at so many Hz, as the TSC does but for rounding. */
struct part {
    const char *profile;
    uint32_t cha[3], control, counter, status; /* box controls of three CHAs, and offsets                          */
    uint32_t clock;
    uint32_t fixed_ctl, fixed, global, global_status;
    uint64_t thaw;
};

static const struct part parts[] = {
    { "hsx", { 0xE00, 0xE10, 0xE20 }, 1, 8, 7, 0, 0x703, 0x704, 0x700, 0x701, BIT(29) },
    { "bdx", { 0xE00, 0xE10, 0xE20 }, 1, 8, 7, 0, 0x703, 0x704, 0x700, 0x701, BIT(29) },
    { "skx", { 0xE00, 0xE10, 0xE20 }, 1, 8, 7, 0, 0x703, 0x704, 0x700, 0x701, BIT(61) },
    { "icx", { 0xE00, 0xE0E, 0xE1C }, 1, 8, 7, 0, 0x703, 0x704, 0x700, 0x70E, BIT(61) },
    { "spr", { 0x2000, 0x2010, 0x2020 }, 2, 8, 1, 1, 0x2FDE, 0x2FDF, 0x2FF0, 0x2FF1, 0 },
};

static uint64_t clocks(struct uncore_rig *b, const struct part *p, uint32_t cha, uint32_t counter)
{
    return msr(b, 0, p->cha[cha] + p->counter + counter);
}

/* Each box counts clocks with its counter 0, and CHA 1 overflows after `after` of them on counter 1. */
static struct uncore_rig arm(const struct part *p, const char *fault, uint64_t after, uint64_t asks)
{
    struct uncore_rig b = uncore_rig_of(p->profile, 2, 1, fault);

    for (uint32_t k = 0; k < 3; k++)
        set_msr(&b, 0, p->cha[k] + p->control, p->clock | EN);
    set_msr(&b, 1, p->cha[0] + p->control, p->clock | EN);
    set_msr(&b, 0, p->fixed_ctl, EN);
    set_msr(&b, 0, p->cha[1] + p->counter + 1, BIT(48) - after);
    set_msr(&b, 0, p->cha[1] + p->control + 1, p->clock | EN | asks);
    return b;
}

static void clear(struct uncore_rig *b, const struct part *p)
{
    set_msr(b, 0, p->cha[1] + p->status, 2);
    for (uint32_t r = 0; r < (p->global == 0x2FF0 ? 4 : p->global_status == 0x70E ? 2 : 1); r++)
        set_msr(b, 0, p->global_status + r, UINT64_MAX);
}

/* "In order to see a new freeze, the overflow responsible for the freeze must be cleared". */
Test(overflow, freezes_again_only_when_the_last_one_has_been_cleared)
{
    for (uint32_t cleared = 0; cleared < 2; cleared++) {
        const struct part *p = &parts[2];
        struct uncore_rig b = arm(p, NULL, 1000, OV_EN);

        b.tsc += 1000000;
        if (cleared)
            clear(&b, p);
        set_msr(&b, 0, p->cha[1] + p->counter + 1, BIT(48) - 1000);
        set_msr(&b, 0, p->cha[1] + p->counter, 0);
        set_msr(&b, 0, p->global, p->thaw);
        b.tsc += 1000000;
        if (cleared)
            cr_expect(clocks(&b, p, 1, 0) <= 1002, "%lu", clocks(&b, p, 1, 0));
        else
            cr_expect_gt(clocks(&b, p, 1, 0), 100000);
    }
}

/* What counts by events freezes too: of reads that came evenly until somebody looked, those of the time before. */
Test(overflow, counts_events_up_to_the_freeze)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    uint32_t at = find_function(&b, 0x2042, 10, 2, 0);
    uint64_t all;

    set_dword(&b, at, 0xD8, 0x0304 | EN);
    set_msr(&b, 0, 0x704, BIT(48) - 2000);
    set_msr(&b, 0, 0x703, EN | OV_EN);
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    b.tsc += 4000;
    all = LINES / 6;
    cr_expect(qword(&b, at, 0xA0) > all * 4 / 10 && qword(&b, at, 0xA0) < all * 6 / 10, "%lu", qword(&b, at, 0xA0));
    cr_expect_eq(msr(&b, 0, 0x708), BIT(2));
    cr_expect_eq(msr(&b, 0, 0x701), BIT(0), "of the fixed counter");
}

/* A CBo has no status: bit 3 + n of the global one alone, which a freeze waits for. */
Test(ivbep, a_cbo_reports_its_overflow_globally)
{
    struct uncore_rig b = uncore_rig_of("ivbep", 1, 1, NULL);

    for (uint32_t round = 0; round < 2; round++) {
        set_msr(&b, 0, 0xD36, BIT(44) - 1000);
        set_msr(&b, 0, 0xD30, EN | OV_EN);
        set_msr(&b, 0, 0xC00, BIT(29));
        b.tsc += 1000000;
        cr_expect_leq(msr(&b, 0, 0xD36), 2, "frozen, round %u", round);
        cr_expect_eq(msr(&b, 0, 0xC01), BIT(4));
        set_msr(&b, 0, 0xC01, BIT(4));
        cr_expect_eq(msr(&b, 0, 0xC01), 0);
    }
}

/* --- interrupts: U_MSR_PMON_GLOBAL_CTL.pmi_core_sel; 391H and IA32_DEBUGCTL[13] of Nehalem */

#define PMI_MOST 4u

static uint32_t interrupts(struct uncore_rig *b, uint32_t cpu)
{
    uint32_t n = 0;

    while (n < PMI_MOST && model_pmi(b->m, cpu, b->tsc))
        n++;
    return n;
}

/* Of processors 0 and 1, cores 0 and 1 of the first package, and 4 of the other one. */
static void expect_interrupts(struct uncore_rig *b, const char *what, uint32_t core0, uint32_t core1)
{
    uint32_t got[] = { interrupts(b, 0), interrupts(b, 1), interrupts(b, 4) };

    cr_expect(got[0] == core0 && got[1] == core1 && got[2] == 0, "%s: %u %u %u", what, got[0], got[1], got[2]);
}

/* hsx: what an overflow that asks, or not, sends to the cores of this global control. */
static struct uncore_rig overflown(const char *fault, uint64_t asks, uint64_t cores)
{
    const struct part *p = &parts[0];
    struct uncore_rig b = uncore_rig_of(p->profile, 2, 1, fault);

    set_msr(&b, 0, p->cha[1] + p->counter + 1, BIT(48) - 1000);
    set_msr(&b, 0, p->global, cores);
    set_msr(&b, 0, p->cha[1] + p->control + 1, p->clock | EN | asks);
    cr_expect_eq(msr(&b, 0, p->global), cores);
    cr_expect_eq(interrupts(&b, 0) + interrupts(&b, 1), 0, "before the overflow");
    b.tsc += 1000000;
    return b;
}

Test(pmi, comes_again_when_the_status_was_cleared)
{
    const struct part *p = &parts[0];
    struct uncore_rig b = overflown(NULL, OV_EN, 1);

    expect_interrupts(&b, "the first", 1, 0);
    for (uint32_t cleared = 0; cleared < 2; cleared++) {
        if (cleared)
            clear(&b, p);
        set_msr(&b, 0, p->cha[1] + p->counter + 1, BIT(48) - 1000);
        set_msr(&b, 0, p->global, p->thaw | 1);
        b.tsc += 1000000;
        expect_interrupts(&b, cleared ? "after it was cleared" : "before it is", cleared, 0);
    }
}
