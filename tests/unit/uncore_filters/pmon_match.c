/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of what matches requests by address, opcode and message class: home agents and links. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/model_run.h"

Test(pmon_match, home_agents_that_match_pass)
{
    static const char *const profiles[] = { "snbep", "ivbep", "hsx", "bdx", "bdx-de" };

    for (uint32_t i = 0; i < 5; i++)
        expect_pass(profiles[i], 1, "pmon.match-home");
}

Test(pmon_match, links_that_tell_classes_apart_pass)
{
    static const char *const profiles[] = { "snbep", "ivbep", "hsx", "bdx", "skx", "icx", "gnr" };

    for (uint32_t i = 0; i < 7; i++)
        expect_pass(profiles[i], 2, "pmon.match-links");
}

static void expect_warning(const char *profile, const char *id, uint64_t reg, uint64_t bits, const char *finding)
{
    expect(VERDICT_WARN, id, ON(profile, 2), .defect = { .access = ACCESS_PCI_WRITE, .reg = reg, .clear = bits },
           .finding = finding);
}

/* Low and high part of an address and an opcode are at 40H, 44H and 48H of HA 0, 18.1 on Broadwell-EP (intel/pcm). */
Test(pmon_match, an_address_that_is_compared_without_a_bit_warns)
{
    expect_warning("bdx", "pmon.match-home", PCI_REGISTER(18, 1, 0x40), BIT(6), "with another line's address");
}

/* ev_sel 38H with its extension compares what the mask selects: port 0's is in 8.6. */
Test(pmon_match, a_mask_that_loses_the_class_warns)
{
    expect_warning("bdx", "pmon.match-links", PCI_REGISTER(8, 6, 0x238), BITS(12, 9), "packets of");
}

/* UPI 0 of Skylake-SP is 14.0, control 0 at 350H: umask 0EH (non-coherent writes) becomes 0CH (data). */
Test(pmon_match, a_class_that_loses_a_bit_warns)
{
    expect_warning("skx", "pmon.match-links", PCI_REGISTER(14, 0, 0x350), BIT(9), "packets of non-coherent writes");
}
