/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* amd.events-clear: a count that continues over a change of the event configuration. APM vol. 2 19.3.3. Registers that keep
 * what they had. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "tests/support/run/model_run.h"

static void judged_by(const char *id, const char *fault, const char *realism, enum verdict verdict)
{
    expect(verdict, id, MODEL("zen5", 1, 2, 1, .slices = 3, .seed = 7, .realism = realism, .faults = { fault }));
}

static void judged(const char *fault, const char *realism, enum verdict verdict)
{
    judged_by("amd.events-clear", fault, realism, verdict);
}

/* What is counted late may take the counter over its end, to below the count before. */
Test(amd_events, a_count_that_is_kept_shows_however_late_it_is)
{
    static const char *const quirks[] = { "mbm-start=near-wrap", "mbm-lag=1500,mbm-start=near-wrap",
                                          "mbm-lag=40000,mbm-start=near-wrap", "mbm-lag=40000,mbm-start=zero" };

    for (uint32_t i = 0; i < sizeof quirks / sizeof quirks[0]; i++) {
        judged("events-keep-count", quirks[i], VERDICT_WARN);
        judged("events-inert", quirks[i], VERDICT_WARN);
        judged(NULL, quirks[i], VERDICT_PASS);
    }
}

/* A count of 0 is what a cleared one is. */
EXPECT_TEST(amd_events, what_was_not_counted_is_not_found_cleared, VERDICT_SKIP, "amd.events-clear",
            MODEL("zen5", 1, 2, 1, .slices = 3, .seed = 7, .realism = "none"), .defect = msr_reads(IA32_QM_CTR, 0));

/* The largest piece of memory is shorter than the stream. */
Test(amd_events, memory_in_pieces_is_enough)
{
    judged("events-keep-count", "memory-extents=5", VERDICT_WARN);
    judged(NULL, "memory-extents=5", VERDICT_PASS);
    judged_by("amd.assign-count", "abmc-count-kept", "memory-extents=5", VERDICT_WARN);
    judged_by("amd.assign-count", NULL, "memory-extents=5", VERDICT_PASS);
}

EXPECT_TEST(
    amd_events, a_write_that_is_dropped_is_no_rounded_value, VERDICT_FAIL, "amd.events-same", ON("zen5"),
    .defect = { .access = ACCESS_WRMSR, .reg = QOS_EVT_CFG(1), .clear = UINT64_MAX, .set = QOS_EVT_CFG_LOCAL_RESET },
    .finding = "QOS_EVT_CFG_1 reads 0x15");

EXPECT_TEST(amd_events, an_enable_of_io_allocation_is_cleared_again, VERDICT_WARN, "amd.io-alloc", ON("zen5"),
            .defect = msr_stuck_at_1(L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_SDCIAE_EN),
            .finding = "SDCIAE_En was written 0 on every processor");

Test(amd_events, a_counter_is_assigned_to_rmids_of_all_bits)
{
    const uint64_t highest = BIT(32 + 11); /* of BwSrc, of 4096 RMIDs */

    expect(VERDICT_WARN, "amd.assign-all", ON("zen5"), .defect = msr_stuck_at_0(L3_QOS_ABMC_CFG, highest),
           .finding = "0xc0000fff0000007f");
}
