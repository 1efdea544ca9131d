/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/status.h"

#include <criterion/criterion.h>
#include <string.h>

Test(status, every_value_has_a_text_of_its_own)
{
    for (int a = 0; a < ST_COUNT; a++) {
        cr_assert_str_neq(status_text((enum status)a), "unknown status", "value %d", a);
        for (int b = 0; b < a; b++)
            cr_expect_str_neq(status_text((enum status)a), status_text((enum status)b));
    }
}

Test(status, a_value_outside_the_list_still_has_a_text)
{
    cr_expect_str_eq(status_text(ST_COUNT), "unknown status");
    cr_expect_str_eq(status_text((enum status) - 1), "unknown status");
}

Test(status, the_first_bad_outcome_is_the_one_that_is_kept)
{
    cr_expect_eq(status_first(ST_OK, ST_OK), ST_OK);
    cr_expect_eq(status_first(ST_FAULT, ST_LOST), ST_FAULT);
    cr_expect_eq(status_first(ST_OK, ST_LOST), ST_LOST);
}
