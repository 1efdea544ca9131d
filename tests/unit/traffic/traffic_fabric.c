/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* traffic.fabric: what the data fabric of Zen 4 and Zen 5 counts over each memory channel, beside its memory controllers
 * (traffic.channels). Linux tools/perf/pmu-events/arch/x86/amdzen5/data-fabric.json; amd_uncore.c: controls and counters in
 * turn from MSR C0010240H on. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/bits.h"
#include "tests/support/model_run.h"

#define DF_CTR(n)                                                                                                      \
    (0xC0010241u + 2 * (n)) /* channel n: counter 2 * n reads, 2 * n + 1 writes, the first eight at once */

static void expect(const char *profile, const char *fault, const char *check, enum verdict verdict, const char *words)
{
    struct model_config config = MODEL(profile, 1, 2, 1, .slices = 2, .seed = 1, .faults = { fault });
    struct whole_run w = { .tests = { check } };

    cr_assert(whole_run(&config, &w), "%s", profile);
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, verdict, "%s of %s with %s is %s: %s", check, profile, fault ? fault : "no fault",
                 verdict_text(w.checks[0].verdict), w.checks[0].reason);
    cr_expect(words == NULL || strstr(w.text, words), "\"%s\" is not in\n%s", words ? words : "", w.text);
    whole_run_free(&w);
}

Test(traffic_fabric, counts_of_a_sound_fabric_pass)
{
    expect("zen4", NULL, "traffic.fabric", VERDICT_PASS, NULL);
    expect("zen5", NULL, "traffic.fabric", VERDICT_PASS, NULL);
}

Test(traffic_fabric, a_part_whose_fabric_is_its_only_monitor_of_channels_has_none_to_compare)
{
    expect("zen3", NULL, "traffic.fabric", VERDICT_SKIP, NULL);
    expect("zen3", "df-channel-dead", "traffic.channels", VERDICT_FAIL, "DF channel");
    expect("zen3", "df-channel-double", "traffic.channels", VERDICT_FAIL, "DF channel");
}

Test(traffic_fabric, a_dead_channel_is_named_and_the_controllers_are_not)
{
    expect("zen5", "df-channel-dead", "traffic.fabric", VERDICT_FAIL, "counts nothing, the other channels");
    expect("zen5", "df-channel-dead", "traffic.channels", VERDICT_PASS, NULL);
}

Test(traffic_fabric, a_channel_that_counts_twice_is_named)
{
    expect("zen5", "df-channel-double", "traffic.fabric", VERDICT_FAIL, "DF channel");
    expect("zen4", "df-channel-double", "traffic.fabric", VERDICT_FAIL, "DF channel");
}

Test(traffic_fabric, a_dead_controller_is_the_channels)
{
    expect("zen5", "umc-channel-dead", "traffic.channels", VERDICT_FAIL, "UMC");
    expect("zen5", "umc-channel-dead", "traffic.fabric", VERDICT_PASS, NULL);
}

/* One counter, which has channel 3's reads in one round and no channel's in the other. */
Test(traffic_fabric, a_dead_counter_is_named_by_its_channel)
{
    struct model_run *r = model_run_new("zen5", 1, "traffic.fabric");

    r->interposer.defect = (struct register_defect){ .access = ACCESS_RDMSR, .reg = DF_CTR(6), .clear = UINT64_MAX };
    cr_expect_eq(model_run_check(r, "traffic.fabric")->verdict, VERDICT_FAIL);
    cr_expect(model_run_says(r, "DF channel 3"), "%s", r->run->text);
    model_run_free(r);
}

/* --- what is no failure of the fabric ------------------------------------------------------------------------------ */

#define EVERY_COUNTER (UINT64_C(15) << 1) /* of sixteen, a control and a counter each */
#define EVERY_WRITE   (UINT64_C(7) << 2)

static void expect_warned(struct register_defect defect, const char *finding)
{
    expect_on(&(struct expected){
        .profile = "zen5", .id = "traffic.fabric", .defect = defect, .verdict = VERDICT_WARN, .finding = finding });
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
static void eight_counters(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i;
    (void)cpu;
    if (s->op == STEP_CPUID && s->reg == 0x80000022u)
        s->regs.ebx = (s->regs.ebx & ~(uint32_t)BITS(15, 10)) | 8u << 10;
}

Test(traffic_fabric, a_fabric_with_fewer_counters_than_the_events_take_is_left_out)
{
    expect_on(&(struct expected){ .profile = "zen5",
                                  .id = "traffic.fabric",
                                  .after = eight_counters,
                                  .verdict = VERDICT_SKIP,
                                  .report = "DF: 8 counters, and the channels'" });
}
