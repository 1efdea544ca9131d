/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cdp.data and cdp.code: data and code in the ways of a mask, and as much as no mask holds back. */
#include "tests/support/model_run.h"

#include <criterion/criterion.h>

/* A third of the L2's victims, or more, does not reach the L3: with no mask in the way a fill holds as little. */
Test(cdp_data, a_fill_is_held_against_the_same_with_full_masks)
{
    expect(VERDICT_PASS, "cdp.data",
           MODEL("gnr", 1, 3, 1, .clusters = 3, .slices = 6, .seed = 3,
                 .realism = "l2-victim-drop=42,l2-victim-reuse=off,l2-victim-tag=evict,l3-replacement=drrip"));
}

static void code_on(const char *profile, const char *fault, enum verdict verdict)
{
    expect(verdict, "cdp.code",
           MODEL(profile, 1, 2, 1, .slices = 4, .seed = 3, .realism = "typical", .faults = { fault }),
           .own_bounds = true);
}

Test(cdp_code, code_is_held_to_the_code_mask_alone)
{
    static const char *const profiles[] = { "bdx", "spr", "zen5" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        code_on(profiles[i], NULL, VERDICT_PASS);
        code_on(profiles[i], "cdp-swapped", VERDICT_FAIL);
        code_on(profiles[i], "mask-inert", VERDICT_FAIL);
    }
}
