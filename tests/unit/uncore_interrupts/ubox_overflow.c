/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ubox.overflow: 329468-002 tables 2-5 and 2-8; the box' status is 708H from Haswell-EP on, C15H before. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

EXPECT_TEST(ubox_overflow, a_status_of_another_counter_warns, VERDICT_WARN, "ubox.overflow", ON("bdx"),
            .defect = { .access = ACCESS_RDMSR, .reg = 0x708, .times = 16, .over = 1 }, .code = FOUND_STATUS_WRONG,
            .finding = "UBox counter 0");
