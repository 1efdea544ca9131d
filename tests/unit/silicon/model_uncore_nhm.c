/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Nehalem-EP on virtual silicon against SDM vol. 3B 18.8.2 and figures computed by hand. */
#include "tests/support/uncore_part.h"

enum { NHM_GLOBAL = 0x391, NHM_STATUS, NHM_CLEAR, NHM_FIXED, NHM_FIXED_CTL, NHM_CTR = 0x3B0, NHM_CTL = 0x3C0 };

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
