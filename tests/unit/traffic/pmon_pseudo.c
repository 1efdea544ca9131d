/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* traffic.pseudo-channels on memory channels of which a queue is not counted as it should be. Registers of Ice Lake-SP's
 * first channel: controls at 40H, counters at 8H from its box control (Linux icx_uncore_imc). The check has pseudo channel 0
 * in counter 0, 1 in counter 1, and CAS commands, or the queues' entries, in 2 and 3. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/silicon/model/model.h"
#include "tests/support/model_run.h"

#define ID      "traffic.pseudo-channels"
#define CHANNEL (MODEL_MMIO_BASE + 0x40000 + 0x22800)

static struct register_defect control_loses(uint32_t counter, uint64_t bits)
{
    return (struct register_defect){ .access = ACCESS_MMIO_WRITE, .reg = CHANNEL + 0x40 + 4 * counter, .clear = bits };
}

Test(pmon_pseudo, both_pseudo_channels_count_their_part)
{
    expect_pass("icx", 1, ID);
    expect_pass("icx-d", 1, ID);
    expect_pass("spr", 2, ID);
}

Test(pmon_pseudo, parts_without_them_are_not_judged)
{
    expect(VERDICT_SKIP, ID, ON("skx"));
}

/* Without umask bit 1 the second counts nothing: half of the CAS commands have no insert. */
Test(pmon_pseudo, a_pseudo_channel_that_counts_nothing_warns)
{
    expect_found("icx", ID, control_loses(1, BIT(9)), VERDICT_WARN,
                 "iMC 0: 4096 reads entered the queues of both pseudo channels, 8192 CAS");
}

/* The umask of the first has both bits. */
Test(pmon_pseudo, a_pseudo_channel_that_counts_both_warns)
{
    expect_found("icx", ID,
                 (struct register_defect){ .access = ACCESS_MMIO_WRITE, .reg = CHANNEL + 0x40, .set = BITS(9, 8) },
                 VERDICT_WARN, "entered the queues of both pseudo channels");
}

/* Entries of the second queue (81H) are those of the writes' first one (82H and 83H have no reads): 0. */
Test(pmon_pseudo, entries_that_do_not_stay_warn)
{
    expect_found("icx", ID,
                 (struct register_defect){ .access = ACCESS_MMIO_WRITE, .reg = CHANNEL + 0x40 + 4 * 3, .set = BIT(1) },
                 VERDICT_WARN, "iMC 0: a read stays ");
}
