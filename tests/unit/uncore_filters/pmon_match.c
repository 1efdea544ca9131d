/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Matches in part: an address of which one bit is not compared, one port of several. The fault matrix has matches that are ignored
 * by all. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

/* The low part of an address is at 40H of HA 0, 18.1 on Broadwell-EP (intel/pcm). */
EXPECT_TEST(pmon_match, an_address_that_is_compared_without_a_bit_warns, VERDICT_WARN, "pmon.match-home", ON("bdx", 2),
            .defect = { .access = ACCESS_PCI_WRITE, .reg = PCI_REGISTER(18, 1, 0x40), .clear = BIT(6) },
            .finding = "with another line's address");

/* One port of several moves the sum over them by less than its bound. */
Test(pmon_match, one_port_that_counts_packets_of_every_class_warns)
{
    expect(VERDICT_WARN, "pmon.match-links", ON("gnr", .packages = 2, .faults = { "header-class-ignored:3" }),
           .stream = "UPI 3");
    expect(VERDICT_WARN, "pmon.match-links", ON("icx", .packages = 2, .faults = { "header-class-ignored:0" }),
           .stream = "UPI 0");
}
