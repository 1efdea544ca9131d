/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A register with several fields is written in one of them: the others stay as each processor has them. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/alloc_owners.h"
#include "core/domain/working_state.h"
#include "tests/support/machine/fake_checks.h"

FAKE_CHECKS_SUITE(other_bits);

static void amd(uint64_t features)
{
    for (uint32_t i = 0; i < 2; i++) {
        fc.machine.cpus[i].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 2 };
        fc.machine.cpus[i].rdt.qosx_known = true;
        fc.machine.cpus[i].rdt.qosx_ebx = (uint32_t)features;
    }
    fake_msr(&fc.fake, IA32_PQR_ASSOC, 0);
    fake_msr(&fc.fake, L3_QOS_ABMC_CFG, 0);
    fake_msr(&fc.fake, L3_QOS_ABMC_DSC, 0);
}

/* L3_QOS_EXT_CFG with SDCIAE_En on processor 1 alone. */
static struct fake_msr *io_on_one(void)
{
    struct fake_msr *config = fake_msr(&fc.fake, L3_QOS_EXT_CFG, 0);

    config->value[1] = L3_QOS_EXT_CFG_SDCIAE_EN;
    return config;
}

/* Each write of the register: how many set `bit` and how many clear it; others have what the processor had. */
static void expect_written(const struct fake_msr *config, uint64_t bit, uint32_t least)
{
    uint32_t set = 0, clear = 0;

    for (uint32_t i = 0; i < fc.fake.n_log; i++) {
        const struct fake_access *a = &fc.fake.log[i];

        if (a->kind != 'w' || a->reg != config->number)
            continue;
        cr_expect_eq(a->value & ~bit, a->cpu == 1 ? L3_QOS_EXT_CFG_SDCIAE_EN : 0, "cpu %u <- 0x%lx", a->cpu, a->value);
        set += (a->value & bit) != 0;
        clear += (a->value & bit) == 0;
    }
    cr_expect_geq(set, least);
    cr_expect_geq(clear, least);
    cr_expect_eq(config->value[0], 0);
    cr_expect_eq(config->value[1], L3_QOS_EXT_CFG_SDCIAE_EN);
}

/* Linux monitor.c resctrl_abmc_set_one_amd(): msr_set_bit() and msr_clear_bit() on every processor. */
Test(other_bits, a_switch_through_each_processor_keeps_them)
{
    static const struct check_row row = { .id = "amd.assign-off", .grade = GRADE_W };
    struct check c = fake_checks_begin(&fc, &row);
    struct fake_msr *config;

    amd(0);
    config = io_on_one();
    cr_assert_eq(alloc_switch_walk(&c, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_ABMC_EN), ST_OK);
    cr_expect_eq(fc.state.record.n_findings, 0);
    expect_written(config, L3_QOS_EXT_CFG_ABMC_EN, 2);
}

Test(other_bits, assignable_counters_are_enabled_beside_them)
{
    struct fake_msr *config;

    amd(CPUID_8000_0020_0_EBX_ABMC);
    config = io_on_one();
    cr_assert_eq(ledger_touch_msr(&fc.fake.platform, IA32_PQR_ASSOC, LEDGER_CONTROL), ST_OK);
    fake_checks_run(&fc, "amd.assign");
    expect_written(config, L3_QOS_EXT_CFG_ABMC_EN, 2);
}

/* All fields of PQR_PLZA_ASSOC but PLZA_EN are the same on every processor of an L3, and PLZA_EN need not be (AMD 69193;
 * Linux series "Privilege Level Zero Association"): a processor whose PLZA_EN is cleared keeps them. */
Test(other_bits, the_association_of_cpl_0_is_disabled_and_stays_the_same_everywhere)
{
    static const struct check_row row = { .id = "amd.limits", .grade = GRADE_W };
    const uint64_t fields = UINT64_C(0x8003) << 32 | 0x80000005;
    struct check c = fake_checks_begin(&fc, &row);
    struct working_state w;
    struct fake_msr *plza;

    amd(CPUID_8000_0020_0_EBX_PLZA);
    plza = fake_msr(&fc.fake, PQR_PLZA_ASSOC, fields);
    plza->value[0] |= PQR_PLZA_ASSOC_PLZA_EN;
    cr_assert_eq(working_state_set(&c, &w), ST_OK);
    cr_expect_eq(w.registers, 1);
    cr_expect_eq(w.cpus, 1);
    cr_expect_eq(w.refused, 0);
    for (uint32_t i = 0; i < 2; i++)
        cr_expect_eq(plza->value[i], fields, "cpu %u: 0x%lx", i, plza->value[i]);
}

Test(other_bits, an_enable_of_the_second_processor_is_seen_at_handoff)
{
    amd(CPUID_8000_0020_0_EBX_SDCIAE);
    io_on_one();
    cr_expect_eq(fake_checks_verdict(&fc, "reset.amd"), VERDICT_WARN);
}
