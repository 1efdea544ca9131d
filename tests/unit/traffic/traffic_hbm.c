/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Channels of HBM beside those of modules, as Xeon Max has them: memory of its own (flat), all that there is (HBM-only), or a
 * cache of the modules. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/model_run.h"

/* Linux spr_uncore_imc_freerunning_init_box(), intel/pcm: channels of HBM from 141C00H behind MEM0_BAR's controller; counter 0 at
 * 8. */
#define HBM_0_CTR0 (MODEL_MMIO_BASE + 0x300000 + 0x141C00 + 8)

static struct model_run *machine_of(uint32_t packages, const char *check, bool hbm_only)
{
    return model_run_with("spr-hbm", packages, check, hbm_only ? "hbm-only=on" : NULL);
}

static void expect(struct model_run *r, const char *check, enum verdict verdict, const char *words)
{
    const struct whole_result *result = model_run_check(r, check);

    cr_expect_eq(result->verdict, verdict, "%s is %s: %s", check, verdict_text(result->verdict), result->reason);
    cr_expect(words == NULL || model_run_says(r, words), "\"%s\" is not in\n%s", words ? words : "", r->run->text);
    model_run_free(r);
}

Test(traffic_hbm, a_load_on_modules_is_theirs)
{
    expect(machine_of(1, "traffic.channels", false), "traffic.channels", VERDICT_PASS, NULL);
    expect(machine_of(2, "traffic.remote", false), "traffic.remote", VERDICT_PASS, NULL);
    expect(machine_of(1, "traffic.closure", false), "traffic.closure", VERDICT_PASS, NULL);
}

Test(traffic_hbm, a_load_on_hbm_is_counted_by_its_channels)
{
    expect(machine_of(1, "traffic.channels", true), "traffic.channels", VERDICT_PASS, NULL);
    expect(machine_of(2, "traffic.remote", true), "traffic.remote", VERDICT_PASS, NULL);
    expect(machine_of(1, "traffic.closure", true), "traffic.closure", VERDICT_PASS, NULL);
}

Test(traffic_hbm, a_channel_of_hbm_that_counts_twice_is_named)
{
    struct model_run *r = machine_of(1, "traffic.channels", true);

    r->interposer.defect =
        (struct register_defect){ .access = ACCESS_MMIO_READ, .reg = HBM_0_CTR0, .times = 2, .over = 1 };
    expect(r, "traffic.channels", VERDICT_FAIL, "package 0 HBM 0: CAS reads plus writes");
}

Test(traffic_hbm, a_channel_of_hbm_that_counts_nothing_is_named)
{
    struct model_run *r = machine_of(1, "traffic.channels", true);

    r->interposer.defect =
        (struct register_defect){ .access = ACCESS_MMIO_READ, .reg = HBM_0_CTR0, .clear = UINT64_MAX };
    expect(r, "traffic.channels", VERDICT_FAIL, "package 0 HBM 0");
}

/* intel/pcm types.h: M2M units of HBM are functions 1 to 4 of devices 12 to 15; counter 0 of a unit is at 440H. */
Test(traffic_hbm, a_unit_between_mesh_and_hbm_that_counts_nothing_is_named)
{
    struct model_run *r = machine_of(2, "traffic.remote", true);

    r->interposer.defect =
        (struct register_defect){ .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(12, 1, 0x440), .clear = UINT64_MAX };
    expect(r, "traffic.remote", VERDICT_FAIL, "reads between the home's mesh and memory");
}

Test(traffic_hbm, a_cache_of_the_modules_is_named_and_its_channels_are_not_judged)
{
    struct model_run *r = model_run_with("spr-hbm", 2, "traffic.channels", "hbm-cache=on");
    const struct whole_result *result = model_run_check(r, "traffic.channels");

    cr_expect_eq(result->verdict, VERDICT_SKIP, "%s", result->reason);
    cr_expect(strstr(result->reason, "no memory channel counts what is known beforehand"), "%s", result->reason);
    model_run_free(r);
    expect(model_run_with("spr-hbm", 2, "traffic.remote", "hbm-cache=on"), "traffic.remote", VERDICT_PASS, NULL);
    expect(model_run_with("spr-hbm", 1, "traffic.closure", "hbm-cache=on"), "traffic.closure", VERDICT_PASS, NULL);
}

Test(traffic_hbm, its_mode_is_in_the_report)
{
    static const char *const modes[][2] = { { NULL, "memory beside the modules" },
                                            { "hbm-only=on", "all the memory there is" },
                                            { "hbm-cache=on", "cache of the modules" } };

    for (uint32_t i = 0; i < 3; i++) {
        struct model_run *r = model_run_with("spr-hbm", 1, "pmon.boxes", modes[i][0]);
        char *stream = NULL;
        size_t bytes = 0;

        r->run->stream = open_memstream(&stream, &bytes);
        cr_assert_not_null(r->run->stream);
        cr_expect_eq(model_run_check(r, "pmon.boxes")->verdict, VERDICT_PASS);
        fclose(r->run->stream);
        r->run->stream = NULL;
        for (uint32_t k = 0; k < 3; k++)
            cr_expect_eq(strstr(stream, modes[k][1]) != NULL, k == i, "mode %u: \"%s\"", i, modes[k][1]);
        free(stream);
        model_run_free(r);
    }
}

/* Look-ups of near memory may count more than was read; the slices and links are held to the load as ever. */
Test(traffic_hbm, a_home_with_near_memory_is_held_to_its_slices_and_links)
{
    struct model_run *r = model_run_with("spr-hbm", 2, "traffic.remote", "hbm-cache=on");

    r->interposer.defect =
        (struct register_defect){ .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(12, 1, 0x440), .times = 3, .over = 1 };
    expect(r, "traffic.remote", VERDICT_PASS, NULL);
}
