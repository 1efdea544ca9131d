/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Freeze on overflow against 329468-002 2.1.1, 2.1.4 and 2.2.2.1: the U-box freezes the counters of all boxes, until
 * software clears the status and unfreezes them. */
#include "tests/support/uncore_rig.h"

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
#define PARTS (sizeof parts / sizeof parts[0])

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

Test(overflow, freezes_every_box_of_its_package_when_it_happens)
{
    for (size_t i = 0; i < PARTS; i++) {
        const struct part *p = &parts[i];
        struct uncore_rig b = arm(p, NULL, 1000, OV_EN);

        for (uint32_t looks = 0; looks < 2; looks++) {
            b.tsc += 1000000;
            for (uint32_t k = 0; k < 3; k++)
                cr_expect(clocks(&b, p, k, 0) >= 1000 && clocks(&b, p, k, 0) <= 1002, "%s: %lu", p->profile,
                          clocks(&b, p, k, 0));
            cr_expect(msr(&b, 0, p->fixed) >= 1000 && msr(&b, 0, p->fixed) <= 1002, "%s", p->profile);
            cr_expect_leq(clocks(&b, p, 1, 1), 2, "%s", p->profile);
            cr_expect_eq(msr(&b, 0, p->cha[1] + p->status), 2, "%s", p->profile);
        }
        cr_expect_gt(msr(&b, 1, p->cha[0] + p->counter), 100000, "%s: the other package counts on", p->profile);
        model_free(b.m);
    }
}

Test(overflow, lets_all_count_on_when_it_is_cleared_and_unfrozen)
{
    for (size_t i = 0; i < PARTS; i++) {
        const struct part *p = &parts[i];
        struct uncore_rig b = arm(p, NULL, 1000, OV_EN);
        uint64_t before, gained;

        b.tsc += 1000000;
        before = clocks(&b, p, 0, 0);
        clear(&b, p);
        b.tsc += 1000000;
        cr_expect_eq(clocks(&b, p, 0, 0), before, "%s: a clear status alone thaws nothing", p->profile);
        set_msr(&b, 0, p->global, p->thaw);
        b.tsc += 1000000;
        gained = clocks(&b, p, 0, 0) - before;
        cr_expect_gt(gained, 100000, "%s", p->profile);
        cr_expect(clocks(&b, p, 2, 0) - before - gained + 1 <= 2, "%s", p->profile);
        cr_expect_eq(msr(&b, 0, p->cha[1] + p->status), 0, "%s", p->profile);
        model_free(b.m);
    }
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
        model_free(b.m);
    }
}

Test(overflow, freezes_nothing_unasked)
{
    for (size_t i = 0; i < PARTS; i++) {
        struct uncore_rig b = arm(&parts[i], NULL, 1000, 0);

        b.tsc += 1000000;
        cr_expect_gt(clocks(&b, &parts[i], 0, 0), 100000, "%s", parts[i].profile);
        cr_expect_gt(clocks(&b, &parts[i], 1, 1), 100000, "%s", parts[i].profile);
        cr_expect_eq(msr(&b, 0, parts[i].cha[1] + parts[i].status), 0, "%s", parts[i].profile);
        model_free(b.m);
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
    model_free(b.m);
}

/* The U-box' fixed counter, 703H and 704H, freezes the CHAs; enum uncore_unit: 0 is the U-box. */
Test(overflow, of_the_u_box_fixed_counter_may_be_lost)
{
    static const char *const faults[] = { NULL, "fixed-overflow-lost", "fixed-overflow-lost:0",
                                          "fixed-overflow-lost:5" };
    static const bool lost[] = { false, true, true, false };

    for (size_t p = 0; p < 4; p++)
        for (size_t i = 0; i < 4; i++) {
            struct uncore_rig b = uncore_rig_of(parts[p].profile, 1, 1, faults[i]);
            uint32_t cha = parts[p].cha[0];

            set_msr(&b, 0, cha + parts[p].control, EN);
            set_msr(&b, 0, 0x704, BIT(48) - 1000);
            set_msr(&b, 0, 0x703, EN | OV_EN);
            b.tsc += 1000000;
            cr_expect_eq(msr(&b, 0, cha + parts[p].counter) > 2000, lost[i], "%s %zu", parts[p].profile, i);
            cr_expect_eq(msr(&b, 0, 0x708), lost[i] ? 0 : BIT(2), "%s %zu", parts[p].profile, i);
            cr_expect_eq(msr(&b, 0, parts[p].global_status) == 0, lost[i], "%s %zu", parts[p].profile, i);
            model_free(b.m);
        }
}

/* enum uncore_unit: 2 is the PCU. */
Test(overflow, passes_boxes_that_no_freeze_reaches)
{
    struct uncore_rig b = arm(&parts[2], "pmon-global-freeze-misses:2", 1000, OV_EN);

    set_msr(&b, 0, 0x711, EN);
    b.tsc += 1000000;
    cr_expect_leq(clocks(&b, &parts[2], 0, 0), 1002);
    cr_expect_gt(msr(&b, 0, 0x717), 100000);
    model_free(b.m);
}

/* 329468-002 tables 2-1 and 2-2; Linux ivbep_uncore_irp: counters at A0H, B0H, B8H and C0H. */
Test(ivbep, has_the_registers_that_sandy_bridge_has_not)
{
    struct uncore_rig b = uncore_rig_of("ivbep", 1, 1, NULL);
    uint32_t at = find_function(&b, 0x0E39, 5, 6, 0);
    static const uint32_t counters[] = { 0xA0, 0xB0, 0xB8, 0xC0 };

    set_msr(&b, 0, 0xD04, 3);
    set_msr(&b, 0, 0xD14, UINT64_MAX);
    set_msr(&b, 0, 0xD1A, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xD14), BITS(22, 17) | BITS(8, 0));
    cr_expect_eq(msr(&b, 0, 0xD1A), BITS(31, 20) | BITS(15, 0));
    for (uint32_t i = 0; i < 4; i++)
        set_dword(&b, at, 0xD8 + 4 * i, EN);
    b.tsc += SECOND / 1000;
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_gt(qword(&b, at, counters[i]), 1000000, "%u", i);
    set_msr(&b, 0, 0xC00, BIT(31));
    cr_expect_eq(msr(&b, 0, 0xC00), 0);
    cr_expect_eq(qword(&b, at, 0xA0), qword(&b, at, 0xA0));
    model_free(b.m);
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
    model_free(b.m);
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

static void expect_sent(const char *fault, uint64_t asks, uint64_t cores, uint32_t core0, uint32_t core1)
{
    struct uncore_rig b = overflown(fault, asks, cores);

    expect_interrupts(&b, fault ? fault : "faultless", core0, core1);
    model_free(b.m);
}

Test(pmi, comes_to_the_chosen_cores_alone)
{
    expect_sent(NULL, OV_EN, 1, 1, 0);
    expect_sent(NULL, OV_EN, 2, 0, 1);
    expect_sent(NULL, OV_EN, 3, 1, 1);
    expect_sent(NULL, OV_EN, 0, 0, 0);
    expect_sent(NULL, 0, 3, 0, 0);
}

Test(pmi, faults_lose_double_and_misroute_it)
{
    expect_sent("pmi-lost", OV_EN, 1, 0, 0);
    expect_sent("pmi-twice", OV_EN, 1, 2, 0);
    expect_sent("pmi-other-core", OV_EN, 2, 1, 0);
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
    model_free(b.m);
}

/* The fixed counter, 394H, counts UCLK: 395H.2 has it ask. */
Test(pmi, of_nehalem_comes_to_processors_that_let_it)
{
    for (uint32_t asks = 0; asks < 2; asks++) {
        struct uncore_rig b = uncore_rig_of("nhm", 1, 1, NULL);

        cr_assert_eq(model_wrmsr(b.m, 1, 0x1D9, b.tsc, BIT(13)), MODEL_DONE);
        cr_expect_eq(msr(&b, 0, 0x1D9), 0);
        set_msr(&b, 0, 0x394, BIT(48) - 1000);
        set_msr(&b, 0, 0x395, BIT(0) | (asks ? BIT(2) : 0));
        set_msr(&b, 0, 0x391, BIT(32) | BIT(49) | BIT(48));
        b.tsc += 1000000;
        cr_expect_eq(interrupts(&b, 0), 0);
        cr_expect_eq(interrupts(&b, 1), asks);
        model_free(b.m);
    }
}
