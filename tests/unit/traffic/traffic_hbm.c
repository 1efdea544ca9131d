/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Channels of HBM beside those of modules, as Xeon Max has them: memory of its own (flat), all that there is (HBM-only), or a
 * cache of the modules. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

/* Linux spr_uncore_imc_freerunning_init_box(), intel/pcm: channels of HBM from 141C00H behind MEM0_BAR's controller; counter 0 at
 * 8. */
#define HBM_0_CTR0 (MODEL_MMIO_BASE + 0x300000 + 0x141C00 + 8)

#define HBM_ONLY(packages)  ON("spr-hbm", packages, .realism = "hbm-only=on")
#define HBM_CACHE(packages) ON("spr-hbm", packages, .realism = "hbm-cache=on")

Test(traffic_hbm, a_load_on_modules_is_theirs)
{
    expect(VERDICT_PASS, "traffic.channels", ON("spr-hbm", 1));
    expect(VERDICT_PASS, "traffic.remote", ON("spr-hbm", 2));
    expect(VERDICT_PASS, "traffic.closure", ON("spr-hbm", 1));
}

Test(traffic_hbm, a_load_on_hbm_is_counted_by_its_channels)
{
    expect(VERDICT_PASS, "traffic.channels", HBM_ONLY(1));
    expect(VERDICT_PASS, "traffic.remote", HBM_ONLY(2));
    expect(VERDICT_PASS, "traffic.closure", HBM_ONLY(1));
}

EXPECT_TEST(traffic_hbm, a_channel_of_hbm_that_counts_twice_is_named, VERDICT_FAIL, "traffic.channels", HBM_ONLY(1),
            .defect = { .access = ACCESS_MMIO_READ, .reg = HBM_0_CTR0, .times = 2, .over = 1 },
            .report = "package 0 HBM 0: CAS reads plus writes");

EXPECT_TEST(traffic_hbm, a_channel_of_hbm_that_counts_nothing_is_named, VERDICT_FAIL, "traffic.channels", HBM_ONLY(1),
            .defect = { .access = ACCESS_MMIO_READ, .reg = HBM_0_CTR0, .clear = UINT64_MAX },
            .report = "package 0 HBM 0");

/* intel/pcm types.h: M2M units of HBM are functions 1 to 4 of devices 12 to 15; counter 0 of a unit is at 440H. */
EXPECT_TEST(traffic_hbm, a_unit_between_mesh_and_hbm_that_counts_nothing_is_named, VERDICT_FAIL, "traffic.remote",
            HBM_ONLY(2),
            .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(12, 1, 0x440), .clear = UINT64_MAX },
            .report = "reads between the home's mesh and memory");

Test(traffic_hbm, a_cache_of_the_modules_is_named_and_its_channels_are_not_judged)
{
    expect(VERDICT_SKIP, "traffic.channels", HBM_CACHE(2),
           .finding = "no memory channel counts what is known beforehand");
    expect(VERDICT_PASS, "traffic.remote", HBM_CACHE(2));
    expect(VERDICT_PASS, "traffic.closure", HBM_CACHE(1));
}

Test(traffic_hbm, its_mode_is_in_the_report)
{
    expect(VERDICT_PASS, "pmon.boxes", ON("spr-hbm", 1), .stream = "memory in addition to the modules",
           .unsaid = "all the memory there is");
    expect(VERDICT_PASS, "pmon.boxes", HBM_ONLY(1), .stream = "all the memory there is",
           .unsaid = "cache of the modules");
    expect(VERDICT_PASS, "pmon.boxes", HBM_CACHE(1), .stream = "cache of the modules",
           .unsaid = "memory in addition to the modules");
}

/* Look-ups of near memory may count more than was read; the slices and links are held to the load as ever. */
EXPECT_TEST(traffic_hbm, a_home_with_near_memory_is_held_to_its_slices_and_links, VERDICT_PASS, "traffic.remote",
            HBM_CACHE(2),
            .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(12, 1, 0x440), .times = 3, .over = 1 });
