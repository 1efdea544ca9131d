/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* l2.misses: requests to the L3 under a mask of the L2, figures by hand. An L2 of 2 MiB and 16 ways, two L1s
 * of 48 KiB: of 1 MiB 224 KiB can stay. */
#include <criterion/criterion.h>

#include "core/checks/allocation/core_misses.h"
#include "core/checks/allocation/l2_misses.h"
#include "tests/support/machine/fake_checks.h"

FAKE_CHECKS_SUITE(l2_misses);

/* 16384 lines once, 12800 of them twice more, less 8 %. */
Test(l2_misses, what_cannot_stay_is_asked_for_again)
{
    cr_expect_float_eq(core_misses_least(1048576, 229376), 0.92 * (16384 + 2 * 12800), 0.5);
    cr_expect_float_eq(core_misses_least(1048576, 2097152), 0.92 * 16384, 0.5, "all of it can stay");
}

static enum verdict l2_verdict(double few)
{
    static const struct check_row row = { .id = "l2.misses", .grade = GRADE_W };
    struct check c = fake_checks_begin(&fc, &row);

    l2_misses_judge(&c, 0, 1, 1048576, 229376, 16400, few);
    check_close(&c);
    return check_verdict(&c);
}

Test(l2_misses, a_mask_of_the_l2_that_does_not_act_warns)
{
    cr_expect_eq(l2_verdict(49152), VERDICT_PASS, "nothing stays: the oldest is replaced first");
    cr_expect_eq(l2_verdict(42000), VERDICT_PASS, "one way's worth stays");
    cr_expect_eq(l2_verdict(16400), VERDICT_WARN, "all of it stays, as with all ways");
    cr_expect_eq(l2_verdict(30000), VERDICT_WARN, "half of the ways");
}
