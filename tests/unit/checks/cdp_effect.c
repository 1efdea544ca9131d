/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cdp.data: data in the ways of a mask, and as much as no mask holds back. */
#include "tests/support/whole_run.h"

#include <criterion/criterion.h>

/* A third of the L2's victims, or more, does not reach the L3: with no mask in the way a fill holds as little. */
Test(cdp_data, a_fill_is_held_against_the_same_with_full_masks)
{
    struct model_config config = {
        .profile = "gnr", .packages = 1, .cores = 3, .threads = 1, .clusters = 3, .slices = 6, .seed = 3
    };
    struct whole_run w = { .tests = { "cdp.data" } };

    config.realism = "l2-victim-drop=42,l2-victim-reuse=off,l2-victim-tag=evict,l3-replacement=drrip";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    whole_run_free(&w);
}
