/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* traffic.fabric: what the data fabric of Zen 4 and Zen 5 counts over each memory channel, beside its memory controllers
 * (traffic.channels). Linux tools/perf/pmu-events/arch/x86/amdzen5/data-fabric.json; amd_uncore.c: controls and counters in
 * turn from MSR C0010240H on. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define DF_CTR(n)                                                                                                      \
    (0xC0010241u + 2 * (n)) /* channel n: counter 2 * n reads, 2 * n + 1 writes, the first eight at once */

#define ZEN(generation, fault) MODEL("zen" generation, 1, 2, 1, .slices = 2, .seed = 1, .faults = { fault })

Test(traffic_fabric, a_part_whose_fabric_is_its_only_monitor_of_channels_has_none_to_compare)
{
    expect(VERDICT_SKIP, "traffic.fabric", ZEN("3", NULL));
    expect(VERDICT_FAIL, "traffic.channels", ZEN("3", "df-channel-dead"), .report = "DF channel");
    expect(VERDICT_FAIL, "traffic.channels", ZEN("3", "df-channel-double"), .report = "DF channel");
}

Test(traffic_fabric, a_dead_channel_is_named_and_the_controllers_are_not)
{
    expect(VERDICT_FAIL, "traffic.fabric", ZEN("5", "df-channel-dead"), .report = "counts nothing, the other channels");
    expect(VERDICT_PASS, "traffic.channels", ZEN("5", "df-channel-dead"));
}

/* One counter, which has channel 3's reads in one round and no channel's in the other. */
EXPECT_TEST(traffic_fabric, a_dead_counter_is_named_by_its_channel, VERDICT_FAIL, "traffic.fabric", ON("zen5"),
            .defect = { .access = ACCESS_RDMSR, .reg = DF_CTR(6), .clear = UINT64_MAX }, .report = "DF channel 3");

/* --- what is no failure of the fabric ------------------------------------------------------------------------------ */

#define EVERY_COUNTER (UINT64_C(15) << 1) /* of sixteen, a control and a counter each */
#define EVERY_WRITE   (UINT64_C(7) << 2)

static void expect_warned(struct register_defect defect, const char *finding)
{
    expect(VERDICT_WARN, "traffic.fabric", ON("zen5"), .defect = defect, .finding = finding);
}

/* Events of another fabric: a part of the family that this PPR is not of. */
Test(traffic_fabric, a_fabric_that_counts_nothing_at_all_is_warned_of)
{
    struct register_defect defect = {
        .access = ACCESS_RDMSR, .reg = DF_CTR(0), .any = EVERY_COUNTER, .clear = UINT64_MAX
    };

    expect_warned(defect, "the data fabric's channels count 0");
}

/* Channel 3's reads, two lines of 25 counted twice: more than an interleaved load brings it, less than T_bw. */
Test(traffic_fabric, a_channel_that_is_off_within_the_tolerance_is_warned_of)
{
    struct register_defect defect = { .access = ACCESS_RDMSR, .reg = DF_CTR(6), .times = 108, .over = 100 };

    expect_warned(defect, "% more than the other channels of its package on average");
}

/* Two channels get each line that is written, and one gives it: mirrored memory. */
Test(traffic_fabric, writes_that_all_count_twice_are_warned_of)
{
    struct register_defect defect = {
        .access = ACCESS_RDMSR, .reg = DF_CTR(1), .any = EVERY_WRITE, .times = 2, .over = 1
    };

    expect_warned(defect, "bytes written, the data fabric's channels count");
}

/* CPUID 80000022H:EBX[15:10] (APM vol. 3 E.4.20): eight counters of the fabric, where the events of eight channels take
 * sixteen. */
static void eight_counters(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_CPUID && s->reg == 0x80000022u)
        s->regs.ebx = (s->regs.ebx & ~(uint32_t)BITS(15, 10)) | 8u << 10;
}

EXPECT_TEST(traffic_fabric, a_fabric_with_fewer_counters_than_the_events_take_is_left_out, VERDICT_SKIP,
            "traffic.fabric", ON("zen5"), .after = eight_counters, .report = "DF: 8 counters, and the channels'");
