/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.match-home where one bit of an address is not compared: the fault matrix has addresses that are not compared at all. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

/* The low part of an address is at 40H of HA 0, 18.1 on Broadwell-EP (intel/pcm). */
Test(pmon_match, an_address_that_is_compared_without_a_bit_warns)
{
    expect(VERDICT_WARN, "pmon.match-home", ON("bdx", 2),
           .defect = { .access = ACCESS_PCI_WRITE, .reg = PCI_REGISTER(18, 1, 0x40), .clear = BIT(6) },
           .finding = "with another line's address");
}
