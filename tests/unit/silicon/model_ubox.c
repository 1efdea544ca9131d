/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The U-box of virtual silicon against 327043-001 2.2.3 and figures computed by hand: UCLK of bdx is 2.2 GHz, its
 * TSC 2.1 GHz, so 2100 ticks are 2200 clocks.
 */
#include "tests/support/uncore_part.h"

#define MSG         0x0442u /* EVENT_MSG, IPI */
#define SECOND      UINT64_C(2100000000)
#define UCLK_SECOND UINT64_C(2200000000)

Test(ubox, fixed_counter_counts_uclk_while_enabled)
{
    struct model *m = part_with("bdx", 2, 0, NULL);

    cr_expect_eq(rd(m, 0, 0x704, SECOND), 0, "disabled at power-on");
    wr(m, 0, 0x703, SECOND, EN);
    cr_expect_eq(rd(m, 0, 0x704, 2 * SECOND), UCLK_SECOND);
    wr(m, 0, 0x703, 3 * SECOND, 0);
    cr_expect_eq(rd(m, 0, 0x704, 9 * SECOND), 2 * UCLK_SECOND);
    cr_expect_eq(rd(m, 2, 0x704, 9 * SECOND), 0, "a package has its own");
    wr(m, 0, 0x703, 9 * SECOND, EN);
    cr_expect_eq(rd(m, 0, 0x704, 10 * SECOND), 3 * UCLK_SECOND, "goes on from there");
    cr_expect_eq(rd(m, 0, 0x704, 5 * SECOND), 3 * UCLK_SECOND, "time does not run back");
    model_free(m);
}

Test(ubox, counters_hold_48_bits_and_wrap)
{
    struct model *m = part_with("bdx", 1, 0, NULL);

    for (uint32_t msr = 0x709; msr <= 0x70A; msr++) {
        wr(m, 0, msr, 0, UINT64_MAX);
        cr_expect_eq(rd(m, 0, msr, 0), BITS(47, 0));
    }
    wr(m, 0, 0x709, 0, BIT(48) - 1000);
    wr(m, 0, 0x705, 0, MSG | THRESH(1) | INVERT | EN | OV_EN);
    wr(m, 0, 0x70A, 0, BIT(48) - 1000);
    wr(m, 0, 0x706, 0, MSG | THRESH(1) | INVERT | EN);
    cr_expect_eq(rd(m, 0, 0x709, SECOND), 0);
    cr_expect_eq(rd(m, 0, 0x70A, SECOND), 0);
    cr_expect_eq(rd(m, 0, 0x708, SECOND), 1, "overflow is reported where ov_en asks for it, and freezes the other");
    wr(m, 0, 0x708, SECOND, 1);
    cr_expect_eq(rd(m, 0, 0x708, SECOND), 0);
    wr(m, 0, 0x700, SECOND, BIT(29));
    cr_expect_eq(rd(m, 0, 0x709, 2 * SECOND), UCLK_SECOND);
    cr_expect_eq(rd(m, 0, 0x70A, 2 * SECOND), UCLK_SECOND);
    model_free(m);
}

Test(ubox, of_the_e5_2600_has_44_bits_and_no_overflow_report)
{
    struct model *m = part_with("snbep", 1, 0, NULL);

    wr(m, 0, 0xC16, 0, UINT64_MAX);
    cr_expect_eq(rd(m, 0, 0xC16, 0), BITS(43, 0));
    wr(m, 0, 0xC09, 0, UINT64_MAX);
    cr_expect_eq(rd(m, 0, 0xC09, 0), BITS(47, 0));
    wr(m, 0, 0xC10, 0, MSG | THRESH(1) | INVERT | EN | OV_EN);
    cr_expect_eq(rd(m, 0, 0xC10, 0), MSG | THRESH(1) | INVERT | EN, "bit 20 is reserved there");
    cr_expect_eq(rd(m, 0, 0xC16, 26), 25, "one UCLK a tick at 2.6 GHz; the first one wrapped it to 0");
    cr_expect_eq(rd(m, 0, 0xC15, 26), 0);
    model_free(m);
}

/* 327043-001 table 2-2: control bits; U-box messages as the one event. */
Test(ubox, compares_increments_with_the_threshold)
{
    static const struct {
        uint64_t ctl, expected; /* of 2200 cycles with 5 messages */
    } cases[] = {
        { MSG, 5 },
        { MSG | THRESH(1), 5 },
        { MSG | THRESH(2), 0 },
        { MSG | INVERT, 5 }, /* needs a threshold */
        { MSG | THRESH(1) | INVERT, 2195 },
        { MSG | THRESH(2) | INVERT, 2200 },
        { MSG | THRESH(31) | INVERT, 2200 },
        { MSG | EDGE, 5 }, /* needs a threshold */
        { MSG | THRESH(1) | EDGE, 5 },
        { MSG | THRESH(2) | EDGE, 0 },
        { MSG | THRESH(1) | INVERT | EDGE, 6 }, /* idle begins at once, and after each message */
        { MSG | THRESH(2) | INVERT | EDGE, 1 },
        { 0x0142 | THRESH(1), 0 },             /* messages of another kind */
        { 0x0443 | THRESH(1), 0 },             /* another event */
        { 0x0443 | THRESH(1) | INVERT, 2200 }, /* which never happens */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = part_with("bdx", 1, 0, NULL);

        wr(m, 0, 0x705, 0, cases[i].ctl | EN);
        for (int n = 0; n < 5; n++)
            model_ubox_message(m, 0, 4);
        cr_expect_eq(rd(m, 0, 0x709, 2100), cases[i].expected, "%#lx: %lu", cases[i].ctl, rd(m, 0, 0x709, 2100));
        cr_expect_eq(rd(m, 0, 0x70A, 2100), 0);
        wr(m, 0, 0x705, 2100, cases[i].ctl);
        model_ubox_message(m, 0, 4);
        cr_expect_eq(rd(m, 0, 0x709, 4200), cases[i].expected, "stopped");
        model_free(m);
    }
}

Test(ubox, reset_bit_clears_its_counter_and_reads_0)
{
    struct model *m = part_with("bdx", 1, 0, NULL);

    wr(m, 0, 0x705, 0, MSG | THRESH(1) | INVERT | EN);
    wr(m, 0, 0x706, 0, MSG | THRESH(1) | INVERT | EN);
    wr(m, 0, 0x705, 2100, MSG | THRESH(1) | INVERT | EN | RST);
    cr_expect_eq(rd(m, 0, 0x705, 2100), MSG | THRESH(1) | INVERT | EN);
    cr_expect_eq(rd(m, 0, 0x709, 4200), 2200);
    cr_expect_eq(rd(m, 0, 0x70A, 4200), 4400, "the other one goes on");
    wr(m, 0, 0x706, 4200, UINT64_MAX);
    cr_expect_eq(rd(m, 0, 0x706, 4200), BITS(28, 22) | BIT(20) | BIT(18) | BITS(15, 0), "reserved bits read 0");
    model_free(m);
}

Test(ubox, global_control_freezes_and_unfreezes)
{
    struct model *m = part_with("bdx", 1, 0, NULL);

    wr(m, 0, 0x703, 0, EN);
    wr(m, 0, 0x705, 0, MSG | THRESH(1) | INVERT | EN);
    wr(m, 0, 0x700, 2100, BIT(31));
    cr_expect_eq(rd(m, 0, 0x700, 2100), 0, "write only");
    cr_expect_eq(rd(m, 0, 0x704, 8400), 2200);
    cr_expect_eq(rd(m, 0, 0x709, 8400), 2200);
    wr(m, 0, 0x700, 8400, BIT(29));
    cr_expect_eq(rd(m, 0, 0x704, 10500), 4400);
    cr_expect_eq(rd(m, 0, 0x709, 10500), 4400);
    model_free(m);
}
