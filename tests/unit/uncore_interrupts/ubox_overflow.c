/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ubox.overflow: 329468-002 tables 2-5 and 2-8; the box' status is 708H from Haswell-EP on, C15H before. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/model_run.h"

Test(ubox_overflow, overflows_that_show_pass)
{
    static const char *const profiles[] = { "ivbep", "hsx", "bdx", "bdx-de", "skx", "clx", "icx" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect_pass(profiles[i], 1, "ubox.overflow");
}

/* Of the control, ov_en is bit 20: without it nothing is reported. */
Test(ubox_overflow, an_overflow_that_shows_nowhere_warns)
{
    struct register_defect no_ov_en = { .access = ACCESS_WRMSR, .reg = 0x703, .clear = BIT(20) };

    expect_code("hsx", "ubox.overflow", no_ov_en, VERDICT_WARN, FOUND_OVERFLOW_NOT_SHOWN, "UBox fixed counter");
    expect_code("icx", "ubox.overflow", no_ov_en, VERDICT_WARN, FOUND_OVERFLOW_NOT_SHOWN, "UBox fixed counter");
}

Test(ubox_overflow, a_status_of_another_counter_warns)
{
    struct register_defect shifted = { .access = ACCESS_RDMSR, .reg = 0x708, .times = 16, .over = 1 };

    expect_code("bdx", "ubox.overflow", shifted, VERDICT_WARN, FOUND_STATUS_WRONG, "UBox counter 0");
}

Test(ubox_overflow, a_status_that_does_not_clear_warns)
{
    struct register_defect kept = { .access = ACCESS_WRMSR, .reg = 0x708, .clear = UINT64_MAX };

    expect_code("skx", "ubox.overflow", kept, VERDICT_WARN, FOUND_STATUS_KEPT, NULL);
}
