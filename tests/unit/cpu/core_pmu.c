/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The core counter that counts SMIs on AMD's parts. */
#include "arch/x86/cpu/core_pmu.h"

#include <criterion/criterion.h>

#include "tests/support/machine/fake_platform.h"

static struct fake f;
static struct platform_ops ops;
static struct fake_msr *counter, *control;

static void count_cycles(void *, uint64_t ns)
{
    counter->value[0] += ns;
}

static void set_up(void)
{
    fake_init(&f, 1);
    counter = fake_msr(&f, 0xC001020B, 77);
    ops = *f.platform.ops;
    ops.stall = count_cycles;
    f.platform.ops = &ops;
}

TestSuite(core_pmu, .init = set_up);

/* PMCx02B, in both rings, enabled. */
Test(core_pmu, smis_are_counted_by_the_last_counter)
{
    control = fake_msr(&f, 0xC001020A, 0);
    cr_expect_eq(core_pmu_count_amd_smis(&f.platform, 0), ST_OK);
    cr_expect_eq(control->value[0], 0x43002B);
}

static void count_nothing(void *, uint64_t)
{
}

Test(core_pmu, a_counter_that_counts_no_cycles_is_not_relied_on)
{
    control = fake_msr(&f, 0xC001020A, 0x2C);
    ops.stall = count_nothing;
    cr_expect_eq(core_pmu_count_amd_smis(&f.platform, 0), ST_UNSUPPORTED);
    cr_expect_eq(control->value[0], 0x2C);
}

Test(core_pmu, a_counter_that_is_in_use_is_left_alone)
{
    control = fake_msr(&f, 0xC001020A, 0x430076);
    cr_expect_eq(core_pmu_count_amd_smis(&f.platform, 0), ST_UNSUPPORTED);
    cr_expect_eq(control->value[0], 0x430076);
}

Test(core_pmu, a_part_without_it_says_so)
{
    cr_expect_eq(core_pmu_count_amd_smis(&f.platform, 0), ST_FAULT);
}

/* PerfMonV2 has a bit for each counter that gates it. */
Test(core_pmu, the_gate_is_opened)
{
    struct fake_msr *global = fake_msr(&f, 0xC0000301, 0x1F);

    control = fake_msr(&f, 0xC001020A, 0);
    cr_expect_eq(core_pmu_count_amd_smis(&f.platform, 0), ST_OK);
    cr_expect_eq(global->value[0], 0x3F);
}
