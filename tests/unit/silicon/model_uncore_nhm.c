/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Nehalem-EP on virtual silicon against SDM vol. 3B 18.8.2 and figures computed by hand. */
#include "tests/support/uncore_part.h"

enum { NHM_GLOBAL = 0x391, NHM_STATUS, NHM_CLEAR, NHM_FIXED, NHM_FIXED_CTL, NHM_CTR = 0x3B0, NHM_CTL = 0x3C0 };

Test(nehalem, counts_where_both_enables_are_set)
{
    for (uint32_t both = 0; both < 4; both++) {
        struct model *m = part_with("nhm", 1, 0, NULL);
        bool local = both & 1, global = both & 2;

        wr(m, 0, NHM_CTL + 3, 0, 0x72C | (local ? EN : 0));
        wr(m, 0, NHM_FIXED_CTL, 0, local);
        wr(m, 0, NHM_GLOBAL, 0, global ? BIT(32) | BIT(3) : ~(BIT(32) | BIT(3)));
        touch(m, 0, 0, 300, MODEL_LOAD);
        cr_expect_eq(rd(m, 0, NHM_CTR + 3, 2666666667), local && global ? 300 : 0, "%u", both);
        cr_expect_eq(rd(m, 0, NHM_FIXED, 2666666667), local && global ? 2666666667 : 0, "%u", both);
        model_free(m);
    }
}

Test(nehalem, shows_overflows_until_they_are_cleared)
{
    struct model *m = part_with("nhm", 1, 0, NULL);

    wr(m, 0, NHM_CTR, 0, UINT64_MAX);
    cr_expect_eq(rd(m, 0, NHM_CTR, 0), BITS(47, 0));
    wr(m, 0, NHM_FIXED, 0, BITS(47, 0));
    wr(m, 0, NHM_CTL, 0, 0x72C | EN);
    wr(m, 0, NHM_FIXED_CTL, 0, 1);
    wr(m, 0, NHM_GLOBAL, 0, UINT64_C(0x1000000FF));
    touch(m, 0, 0, 10, MODEL_LOAD);
    cr_expect_eq(rd(m, 0, NHM_STATUS, 100), BIT(63) | BIT(32) | BIT(0));
    cr_expect_eq(rd(m, 0, NHM_CTR, 100), 9);
    cr_expect_eq(rd(m, 0, NHM_FIXED, 100), 99);
    cr_expect_eq(model_wrmsr(m, 0, NHM_STATUS, 100, 0), MODEL_GP, "read only");
    wr(m, 0, NHM_CLEAR, 100, BIT(63) | BIT(0));
    cr_expect_eq(rd(m, 0, NHM_STATUS, 100), BIT(32));
    cr_expect_eq(rd(m, 0, NHM_CLEAR, 100), 0);
    wr(m, 0, NHM_CTL, 100, UINT64_MAX);
    cr_expect_eq(rd(m, 0, NHM_CTL, 100), BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0), "occupancy reset reads 0");
    model_free(m);
}

/* Bit 63 of 391H, and a counter that asks for an interrupt. */
Test(nehalem, an_overflow_disables_all_where_it_is_to)
{
    for (uint32_t both = 0; both < 4; both++) {
        struct model *m = part_with("nhm", 1, 0, NULL);
        bool asks = both & 1, frozen = both == 3;
        uint64_t enables = BIT(32) | BIT(0) | (both & 2 ? BIT(63) : 0);

        wr(m, 0, NHM_FIXED, 0, BIT(48) - 40);
        wr(m, 0, NHM_FIXED_CTL, 0, BIT(0) | (asks ? BIT(2) : 0));
        wr(m, 0, NHM_CTL, 0, 0x72C | EN);
        wr(m, 0, NHM_GLOBAL, 0, enables);
        cr_expect_eq(rd(m, 0, NHM_STATUS, 100), BIT(63) | (asks ? BIT(61) : 0) | BIT(32), "%u", both);
        cr_expect_eq(rd(m, 0, NHM_FIXED, 100), frozen ? 0 : 60, "%u", both);
        cr_expect_eq(rd(m, 0, NHM_GLOBAL, 100), frozen ? BIT(63) : enables, "%u", both);
        wr(m, 0, NHM_CLEAR, 100, BIT(63) | BIT(61) | BIT(32));
        wr(m, 0, NHM_GLOBAL, 100, enables);
        cr_expect_eq(rd(m, 0, NHM_FIXED, 200), frozen ? 100 : 160, "%u", both);
        model_free(m);
    }
}

Test(nehalem, memory_and_l3_events_agree_with_what_moved)
{
    static const uint32_t events[] = { 0x12C, 0x22C, 0x42C, 0x0F2C, 0x109, 0x108, 0x0F0A, 0x1020 };
    struct model *m = part_with("nhm", 2, 0, NULL);
    uint64_t c[8];

    for (uint32_t i = 0; i < 8; i++)
        wr(m, 0, NHM_CTL + i, 0, events[i] | EN);
    wr(m, 0, NHM_GLOBAL, 0, 0xFF);
    touch(m, 0, 0, 3000, MODEL_LOAD);
    touch(m, 1, 0, 3000, MODEL_LOAD); /* the other core of the package: L3 hits */
    for (uint32_t i = 0; i < 8; i++)
        c[i] = rd(m, 0, NHM_CTR + i, 1000000);
    cr_expect_eq(c[0] + c[1] + c[2], 3000);
    cr_expect(c[0] > 970 && c[0] < 1030, "three channels share: %lu", c[0]);
    cr_expect_eq(c[3], 3000, "channel 3 is not there");
    cr_expect_eq(c[4], 3000, "misses");
    cr_expect_eq(c[5], 3000, "hits");
    cr_expect_eq(c[6], 3000, "lines in");
    cr_expect_eq(c[7], 3000, "local reads at the home");
    wr(m, 0, NHM_CTL, 1000000, 0x0420 | EN); /* remote reads */
    touch(m, 2, NODE / 2, 77, MODEL_LOAD);   /* by the other package */
    cr_expect_eq(rd(m, 0, NHM_CTR, 1000000), 77 + c[0]);
    cr_expect_eq(rd(m, 0, NHM_CTR + 7, 1000000), 3000);
    model_free(m);
}
