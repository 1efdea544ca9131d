/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* traffic.pseudo-channels on memory channels of which a queue is not counted as it should be. Registers of Ice Lake-SP's
 * first channel: controls at 40H, counters at 8H from its box control (Linux icx_uncore_imc). The check has pseudo channel 0
 * in counter 0, 1 in counter 1, and CAS commands, or the queues' entries, in 2 and 3. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/silicon/model/model.h"
#include "tests/support/run/model_run.h"

#define ID           "traffic.pseudo-channels"
#define CHANNEL_BASE (MODEL_MMIO_BASE + 0x40000 + 0x22800)

EXPECT_TEST(pmon_pseudo, parts_without_them_are_not_judged, VERDICT_SKIP, ID, ON("skx"));

/* Entries of the second queue (81H) are those of the writes' first one (82H and 83H have no reads): 0. */
EXPECT_TEST(pmon_pseudo, entries_that_do_not_stay_warn, VERDICT_WARN, ID, ON("icx"),
            .defect = { .access = ACCESS_MMIO_WRITE, .reg = CHANNEL_BASE + 0x40 + 4 * 3, .set = BIT(1) },
            .finding = "iMC 0: a read stays ");
