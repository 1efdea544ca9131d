/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.core-occupancy with a register of the power control unit that answers otherwise than it should. 327043-001 2.6:
 * controls C30H to C33H, counters C36H to C39H; the check has the clock in counter 0, all cores in counter 1, thresh 1 in
 * counter 2 and thresh 2 in counter 3. The machine has two cores. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID "pmon.core-occupancy"

EXPECT_TEST(pmon_cores, a_threshold_that_loses_a_bit_fails, VERDICT_FAIL, ID, ON("snbep"),
            .defect = msr_stuck_at_0(0xC32, BIT(24)), .code = FOUND_OVERCOUNTS, .finding = "PCU counter 2");

/* Thresh 3 in place of 2: two cores do not reach it, and the sum is two in every clock. */
EXPECT_TEST(pmon_cores, a_threshold_with_a_bit_too_many_fails, VERDICT_FAIL, ID, ON("snbep"),
            .defect = msr_stuck_at_1(0xC33, BIT(24)), .code = FOUND_THRESHOLD_MISCOUNTS);

/* Counter 1 counts half as much again: three cores of two. */
EXPECT_TEST(pmon_cores, more_cores_than_there_are_warn, VERDICT_WARN, ID, ON("snbep"),
            .defect = { .access = ACCESS_RDMSR, .reg = 0xC37, .times = 3, .over = 2 }, .code = FOUND_OVERCOUNTS);
