/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.io-ports on I/O stacks whose masks are not what they were programmed to. Skylake-SP's fourth stack has controls at
 * AA8H, with ch_mask in 43:36 and fc_mask in 46:44 (Linux skx_uncore_iio); the check has all ports and classes in counter 0,
 * an empty fc_mask or the first single bit in 1, data or the second in 2, an empty ch_mask or the third in 3. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/model_run.h"

#define ID     "pmon.io-ports"
#define CTL(n) (0xAA8 + (n))

static struct register_defect control(uint32_t counter, uint64_t set, uint64_t clear)
{
    return (struct register_defect){ .access = ACCESS_WRMSR, .reg = CTL(counter), .set = set, .clear = clear };
}

Test(pmon_ports, requests_pass_their_port_and_class_alone)
{
    expect_pass("skx", 2, ID);
    expect_pass("clx-ap", 1, ID);
    expect_pass("icx", 2, ID);
    expect_pass("icx-d", 1, ID);
}

Test(pmon_ports, parts_without_such_events_are_not_judged)
{
    expect(VERDICT_SKIP, ID, ON("spr"));
    expect(VERDICT_SKIP, ID, ON("bdx"));
}

/* Its one root port, device 2, is of another class. */
Test(pmon_ports, a_machine_without_devices_is_skipped_and_says_so)
{
    expect(VERDICT_SKIP, ID, ON("skx"),
           .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(2, 0, 8), .set = BITS(31, 16) },
           .finding = "no root port of an I/O stack has a device below it");
}

Test(pmon_ports, an_empty_mask_that_lets_requests_pass_warns)
{
    expect_code("skx", ID, control(1, BITS(46, 44), 0), VERDICT_WARN, FOUND_FILTER_PASSES, NULL);
    expect_code("skx", ID, control(3, BITS(43, 36), 0), VERDICT_WARN, FOUND_FILTER_PASSES, NULL);
}

Test(pmon_ports, a_stack_that_counts_nothing_or_the_data_wrong_warns)
{
    expect_code("skx", ID, control(0, 0, BITS(43, 36)), VERDICT_WARN, FOUND_COUNTS_ZERO, NULL);
    expect_code("skx", ID, control(2, 0, BITS(46, 44)), VERDICT_WARN, FOUND_FILTER_STOPS, NULL);
}
