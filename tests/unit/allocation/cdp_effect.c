/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cdp.data: data in the ways of a mask, and as much as no mask holds back; it names the CLOS whose mask acts. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

/* A third of the L2's victims, or more, does not reach the L3: with no mask in the way a fill holds as little. */
EXPECT_TEST(cdp_data, a_fill_is_held_against_the_same_with_full_masks, VERDICT_PASS, "cdp.data",
            MODEL("gnr", 1, 3, 1, .clusters = 3, .slices = 6, .seed = 3,
                  .realism = "l2-victim-drop=42,l2-victim-reuse=off,l2-victim-tag=evict,l3-replacement=drrip"));

/* SDM vol. 3B 17.17.4.1: data of CLOS n has mask 2n. */
EXPECT_TEST(cdp_data, names_the_clos_whose_mask_acts, VERDICT_FAIL, "cdp.data",
            ON("bdx", .faults = { "cdp-classes-half" }), .stream = "fills the ways of the data mask of CLOS 0",
            .restored = true);
EXPECT_TEST(cdp_data, names_no_clos_where_masks_leak, VERDICT_FAIL, "cdp.data",
            ON("bdx", .flaw = FLAW(.monitor = FLAW_CDP, .kind = FLAW_LEAKS, .strength = 6)),
            .unsaid = "data mask of CLOS", .restored = true);
