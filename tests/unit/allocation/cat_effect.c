/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cat.shares names the CLOS whose mask acts on CLOS 1, or the other thread, and does not take masks without effect, or a
 * CLOS without effect, for that; of a mask with a hole all ways act. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

EXPECT_TEST(cat_effect, names_the_clos_whose_mask_acts, VERDICT_FAIL, "cat.shares",
            ON("bdx", .flaw = FLAW(.monitor = FLAW_CAT, .scope = FLAW_CLASS, .place = 1, .kind = FLAW_SWAPPED)),
            .stream = "CLOS 1 fills the ways of the CBM of CLOS 2", .restored = true);
EXPECT_TEST(cat_effect, names_no_clos_where_masks_have_no_effect, VERDICT_FAIL, "cat.shares",
            ON("bdx", .faults = { "mask-inert" }), .unsaid = "of the CBM of CLOS", .restored = true);
EXPECT_TEST(cat_effect, names_no_clos_where_masks_leak, VERDICT_FAIL, "cat.shares",
            ON("bdx", .faults = { "mask-leak" }), .unsaid = "of the CBM of CLOS", .restored = true);
EXPECT_TEST(cat_effect, names_no_clos_where_occupancy_is_dead, VERDICT_FAIL, "cat.shares",
            ON("bdx", .flaw = FLAW(.monitor = FLAW_CMT, .kind = FLAW_DEAD)), .unsaid = "of the CBM of CLOS",
            .restored = true);
EXPECT_TEST(cat_effect, names_the_other_thread_whose_clos_acts, VERDICT_FAIL, "cat.shares",
            ON("bdx", .cores = 2, .threads = 2, .faults = { "clos-of-sibling" }), .stream = "its core's other thread",
            .restored = true);

/* SDM vol. 2A CPUID, leaf 10H, sub-leaf 1, ECX[3]. */
EXPECT_TEST(cat_effect, warns_of_ways_above_a_hole_that_do_not_act, VERDICT_WARN, "cat.shares",
            ON("gnr", .faults = { "mask-hole-part" }), .finding = "some are not filled", .restored = true);
