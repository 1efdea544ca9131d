/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The U-box of virtual silicon against 327043-001 2.2.3 and figures computed by hand: UCLK of bdx is 2.2 GHz, its
 * TSC 2.1 GHz, so 2100 ticks are 2200 clocks.
 */
#include "tests/support/uncore_part.h"

#define MSG         0x0842u /* EVENT_MSG, doorbell */
#define IPI         0x0442u
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
    cr_expect_eq(rd(m, 0, 0x704, 10 * SECOND), 3 * UCLK_SECOND, "continues from there");
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
        { 0x0843 | THRESH(1), 0 },             /* another event */
        { 0x0843 | THRESH(1) | INVERT, 2200 }, /* which never happens */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = part_with("bdx", 1, 0, NULL);

        wr(m, 0, 0x705, 0, cases[i].ctl | EN);
        for (int n = 0; n < 5; n++)
            model_ubox_message(m, 0, MESSAGE_DOORBELL);
        cr_expect_eq(rd(m, 0, 0x709, 2100), cases[i].expected, "%#lx: %lu", cases[i].ctl, rd(m, 0, 0x709, 2100));
        cr_expect_eq(rd(m, 0, 0x70A, 2100), 0);
        wr(m, 0, 0x705, 2100, cases[i].ctl);
        model_ubox_message(m, 0, MESSAGE_DOORBELL);
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
    cr_expect_eq(rd(m, 0, 0x70A, 4200), 4400, "the other one continues");
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

/* --- messages: 327043-001 2.2 EVENT_MSG; intel/perfmon event files */

/* What counter 0 of package 0 and 1 count by that control while two interrupts are sent to a processor of package 0 and three to
 * processors of package 1, whose U-box gets one by a device too. */
static void send_and_count(const char *part, const char *fault, uint64_t ctl, uint64_t counts[2])
{
    struct model *m = part_with(part, 2, 0, fault);

    for (uint32_t package = 0; package < 2; package++)
        wr(m, 2 * package, 0x705, 1000, ctl | EN);
    for (int i = 0; i < 5; i++)
        model_ipi(m, i < 2 ? 1 : 2 + (uint32_t)i % 2);
    model_ubox_message(m, 1, MESSAGE_MSI);
    for (uint32_t package = 0; package < 2; package++) {
        counts[package] = rd(m, 2 * package, 0x709, 2000);
        wr(m, 2 * package, 0x705, 2000, 0);
    }
    model_ipi(m, 2);
    cr_expect_eq(rd(m, 2, 0x709, 3000), counts[1], "it stands");
    model_free(m);
}

Test(ubox, counts_interrupts_to_processors_of_its_package)
{
    static const struct {
        const char *part, *fault;
        uint64_t ctl, counts[2];
    } cases[] = {
        { "skx", NULL, IPI, { 2, 3 } },
        { "skx", NULL, 0x0242, { 0, 1 } },
        { "skx", NULL, 0x0642, { 2, 4 } }, /* either kind */
        { "skx", NULL, 0x1942, { 0, 0 } }, /* the other kinds */
        { "skx", NULL, 0x0042, { 0, 0 } },
        { "skx", NULL, 0x0443, { 0, 0 } }, /* another event */
        { "clx", NULL, IPI, { 2, 3 } },
        { "icx", NULL, IPI, { 2, 3 } },
        { "bdx", NULL, IPI, { 0, 0 } }, /* its file has doorbells alone */
        { "hsx", NULL, 0x1F42, { 0, 0 } },
        { "skx", "ubox-umask-ignored", 0x0142, { 2, 4 } },
        { "skx", "ubox-umask-ignored", 0x0443, { 0, 0 } },
        { "skx", "ubox-event-ignored", 0x0443, { 2, 3 } },
        { "skx", "ubox-event-ignored", 0x0143, { 0, 0 } },
        { "skx", "ubox-messages-half", IPI, { 1, 1 } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t counts[2];

        send_and_count(cases[i].part, cases[i].fault, cases[i].ctl, counts);
        cr_expect(counts[0] == cases[i].counts[0] && counts[1] == cases[i].counts[1], "%s %s %#lx: %lu %lu",
                  cases[i].part, cases[i].fault ? cases[i].fault : "", cases[i].ctl, counts[0], counts[1]);
    }
}

/* Other places of the same registers: Sandy Bridge-EP, Snow Ridge, Sapphire Rapids, Granite Rapids (boxes.tsv). */
Test(ubox, counts_interrupts_wherever_its_registers_are)
{
    static const struct {
        const char *part;
        uint32_t ctl, ctr;
    } parts[] = { { "snbep", 0xC10, 0xC16 },
                  { "ivbep", 0xC10, 0xC16 },
                  { "snr", 0x1F91, 0x1F98 },
                  { "spr", 0x2FD2, 0x2FD8 },
                  { "gnr", 0x3FF2, 0x3FF8 } };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct model *m = part_with(parts[i].part, 1, 0, NULL);

        wr(m, 0, parts[i].ctl, 0, IPI | EN);
        wr(m, 0, parts[i].ctl + 1, 0, 0x0142 | EN);
        model_ipi(m, 1);
        model_ipi(m, 0);
        cr_expect_eq(rd(m, 0, parts[i].ctr, 100), 2, "%s", parts[i].part);
        cr_expect_eq(rd(m, 0, parts[i].ctr + 1, 100), 0, "%s", parts[i].part);
        model_free(m);
    }
}
