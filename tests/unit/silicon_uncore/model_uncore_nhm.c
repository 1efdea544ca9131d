/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Nehalem-EP on virtual silicon against SDM vol. 3B 18.8.2 and figures computed by hand. */
#include "tests/support/run/silicon.h"

enum { NHM_GLOBAL = 0x391, NHM_STATUS, NHM_CLEAR, NHM_FIXED, NHM_FIXED_CTL, NHM_CTR = 0x3B0, NHM_CTL = 0x3C0 };

static void wr(struct model *m, uint32_t msr, uint64_t tsc, uint64_t value)
{
    cr_expect_eq(model_wrmsr(m, 0, msr, tsc, value), MODEL_DONE, "WRMSR %#x", msr);
}

/* Bit 63 of 391H, and a counter that asks for an interrupt. */
Test(nehalem, an_overflow_disables_all_where_it_is_to)
{
    for (uint32_t both = 0; both < 4; both++) {
        struct model *m = silicon_of("nhm", 1, 2, 1);
        bool asks = both & 1, frozen = both == 3;
        uint64_t enables = BIT(32) | BIT(0) | (both & 2 ? BIT(63) : 0);

        wr(m, NHM_FIXED, 0, BIT(48) - 40);
        wr(m, NHM_FIXED_CTL, 0, BIT(0) | (asks ? BIT(2) : 0));
        wr(m, NHM_CTL, 0, 0x72C | BIT(22));
        wr(m, NHM_GLOBAL, 0, enables);
        cr_expect_eq(silicon_read_at(m, 0, NHM_STATUS, 100), BIT(63) | (asks ? BIT(61) : 0) | BIT(32), "%u", both);
        cr_expect_eq(silicon_read_at(m, 0, NHM_FIXED, 100), frozen ? 0 : 60, "%u", both);
        cr_expect_eq(silicon_read_at(m, 0, NHM_GLOBAL, 100), frozen ? BIT(63) : enables, "%u", both);
        wr(m, NHM_CLEAR, 100, BIT(63) | BIT(61) | BIT(32));
        wr(m, NHM_GLOBAL, 100, enables);
        cr_expect_eq(silicon_read_at(m, 0, NHM_FIXED, 200), frozen ? 100 : 160, "%u", both);
    }
}
