/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The monitors of Nehalem-EX and Westmere-EX: Linux arch/x86/events/intel/uncore_nhmex.c. */
#include "tests/support/uncore_rig.h"

enum { GLOBAL = 0xC00, C1 = 0xD80, M0 = 0xCA0, M1 = 0xCE0, W = 0xC80, FIXED_CTR = 0x394, FIXED_CTL = 0x395 };
#define EN_ALL      BIT(28)
#define RST_ALL     BIT(29)
#define FRZ_ALL     BIT(31)
#define EVERY_CLOCK (0x27 | EN | BIT(23) | BIT(24)) /* SNPS with nothing chosen, inverted, threshold 1 */

/* A counter takes three enables: its control's, its bit of the box's control, and the U-box's for all of them. */
Test(nhmex, counters_take_three_enables)
{
    struct uncore_rig b = uncore_rig_of("nhm-ex", 2, 1, NULL);

    for (uint32_t without = 0; without < 4; without++) {
        set_msr(&b, 1, GLOBAL, without == 1 ? 0 : EN_ALL);
        set_msr(&b, 1, C1, without == 2 ? BITS(5, 0) & ~BIT(3) : BIT(3));
        set_msr(&b, 1, C1 + 0x16, without == 3 ? EVERY_CLOCK & ~(uint64_t)EN : EVERY_CLOCK);
        set_msr(&b, 1, C1 + 0x17, 0);
        b.tsc += 1000000;
        cr_expect_eq(msr(&b, 1, C1 + 0x17) != 0, without == 0, "%u", without);
        cr_expect_eq(msr(&b, 0, C1 + 0x17), 0, "the other package");
    }
    model_free(b.m);
}

/* The W-box's bit 31 enables its fixed counter, which is the uncore's clock; FRZ_ALL stops it, RST_ALL clears all. */
Test(nhmex, fixed_counter_is_the_clock_of_the_uncore)
{
    struct uncore_rig b = uncore_rig_of("nhm-ex", 1, 1, NULL);
    uint64_t clocks = uncore_hz(b.m, CLOCK_UCLK) / 1000, seen;

    set_msr(&b, 0, GLOBAL, EN_ALL);
    set_msr(&b, 0, FIXED_CTL, 1);
    b.tsc += SECOND / 1000;
    cr_expect_eq(msr(&b, 0, FIXED_CTR), 0);
    set_msr(&b, 0, W, BIT(31));
    b.tsc += SECOND / 1000;
    seen = msr(&b, 0, FIXED_CTR);
    cr_expect(seen + 1 >= clocks && seen <= clocks + 1, "%lu of %lu", seen, clocks);
    set_msr(&b, 0, GLOBAL, EN_ALL | FRZ_ALL);
    b.tsc += SECOND / 1000;
    cr_expect_eq(msr(&b, 0, FIXED_CTR), seen);
    set_msr(&b, 0, GLOBAL, EN_ALL | RST_ALL);
    cr_expect_eq(msr(&b, 0, GLOBAL), EN_ALL);
    cr_expect_eq(msr(&b, 0, FIXED_CTR), 0);
    cr_expect_eq(msr(&b, 0, FIXED_CTL), 0);
    cr_expect_eq(msr(&b, 0, W), 0);
    model_free(b.m);
}

/* FVC event 0 of M-boxes: selection 5 counts commands of the B-box, reads or writes; a bit higher on Westmere-EX. */
Test(nhmex, memory_controllers_count_commands_by_fvc)
{
    static const struct {
        const char *profile;
        uint64_t reads, writes;
    } cases[] = { { "nhm-ex", 0x2800, 0x2820 }, { "wsm-ex", 0x5000, 0x5040 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct uncore_rig b = uncore_rig_of(cases[i].profile, 1, 1, NULL);

        set_msr(&b, 0, GLOBAL, EN_ALL);
        for (uint32_t m = M0; m <= M1; m += M1 - M0) {
            set_msr(&b, 0, m, BITS(5, 0));
            set_msr(&b, 0, m + 0xB, cases[i].reads);
            set_msr(&b, 0, m + 0x10, 0x0D << 9 | 1);
        }
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        touch(&b, 0, 0, LINES / 4, MODEL_NT_STORE);
        b.tsc += 1000000;
        cr_expect_eq(msr(&b, 0, M0 + 0x11) + msr(&b, 0, M1 + 0x11), LINES, "%s", cases[i].profile);
        cr_expect_gt(msr(&b, 0, M1 + 0x11), 0);
        for (uint32_t m = M0; m <= M1; m += M1 - M0) {
            set_msr(&b, 0, m + 0xB, cases[i].writes);
            set_msr(&b, 0, m + 0x11, 0);
        }
        touch(&b, 0, 0, LINES / 4, MODEL_NT_STORE);
        b.tsc += 1000000;
        cr_expect_eq(msr(&b, 0, M0 + 0x11) + msr(&b, 0, M1 + 0x11), LINES / 4, "%s", cases[i].profile);
        model_free(b.m);
    }
}

/* A box's status is read only, and the register after it clears it. */
Test(nhmex, overflow_shows_until_it_is_cleared)
{
    struct uncore_rig b = uncore_rig_of("nhm-ex", 1, 1, NULL);

    set_msr(&b, 0, GLOBAL, EN_ALL);
    set_msr(&b, 0, C1, BIT(2));
    set_msr(&b, 0, C1 + 0x15, BITS(47, 0) - 10);
    set_msr(&b, 0, C1 + 0x14, EVERY_CLOCK);
    b.tsc += 1000;
    cr_expect_eq(msr(&b, 0, C1 + 1), BIT(2));
    cr_expect_eq(model_wrmsr(b.m, 0, C1 + 1, b.tsc, BIT(2)), MODEL_GP);
    set_msr(&b, 0, C1 + 2, BIT(2));
    cr_expect_eq(msr(&b, 0, C1 + 1), 0);
    model_free(b.m);
}

/* MATCH and MASK registers of B, S, M and of the crossbar, and none between them; eight slices, or ten. */
Test(nhmex, match_registers_keep_what_is_written)
{
    static const uint32_t kept[] = {
        0xE45, 0xE46, 0xE4D, 0xE4E, 0xE48, 0xE49, 0xE4A, 0xE58, 0xE5A, 0xE60, 0xE62, 0xE64,
        0xE6E, 0xE70, 0xE7E, 0xE80, 0xE9E, 0xE04, 0xE0F, 0xE24, 0xE2F, 0xCA5, 0xCAA, 0xCEB
    };
    struct uncore_rig b = uncore_rig_of("nhm-ex", 1, 1, NULL), ten = uncore_rig_of("wsm-ex", 1, 1, NULL);

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        set_msr(&b, 0, kept[i], i * UINT64_C(0x123456789ABC) + 1);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        cr_expect_eq(msr(&b, 0, kept[i]), i * UINT64_C(0x123456789ABC) + 1, "%#x", kept[i]);
    set_msr(&b, 0, 0xE55, UINT64_MAX);
    set_msr(&b, 0, 0xE5E, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xE55), BITS(33, 0), "address of M0");
    cr_expect_eq(msr(&b, 0, 0xE5E), BITS(26, 0), "mask of M1");
    cr_expect(!has_msr(&b, 0, 0xE63) && !has_msr(&b, 0, 0xF40) && !has_msr(&b, 0, 0xFC0));
    cr_expect(has_msr(&ten, 0, 0xF40) && has_msr(&ten, 0, 0xFC0));
    model_free(b.m);
    model_free(ten.m);
}
