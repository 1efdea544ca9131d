/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.io-ports on I/O stacks whose masks are not what they were programmed to. Skylake-SP's fourth stack has controls at
 * AA8H, with ch_mask in 43:36 and fc_mask in 46:44 (Linux skx_uncore_iio); the check has all ports and classes in counter 0,
 * an empty fc_mask or the first single bit in 1, data or the second in 2, an empty ch_mask or the third in 3. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID "pmon.io-ports"

Test(pmon_ports, parts_without_such_events_are_not_judged)
{
    expect(VERDICT_SKIP, ID, ON("spr"));
    expect(VERDICT_SKIP, ID, ON("bdx"));
}

/* Its one root port, device 2, is of another class. */
EXPECT_TEST(pmon_ports, a_machine_without_devices_is_skipped_and_says_so, VERDICT_SKIP, ID, ON("skx"),
            .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(2, 0, 8), .set = BITS(31, 16) },
            .finding = "no root port of an I/O stack has a device below it");
