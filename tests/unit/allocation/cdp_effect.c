/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cdp.data: data in the ways of a mask, and as much as no mask holds back. */
#include "tests/support/run/model_run.h"

#include <criterion/criterion.h>

/* A third of the L2's victims, or more, does not reach the L3: with no mask in the way a fill holds as little. */
EXPECT_TEST(cdp_data, a_fill_is_held_against_the_same_with_full_masks, VERDICT_PASS, "cdp.data",
            MODEL("gnr", 1, 3, 1, .clusters = 3, .slices = 6, .seed = 3,
                  .realism = "l2-victim-drop=42,l2-victim-reuse=off,l2-victim-tag=evict,l3-replacement=drrip"));
