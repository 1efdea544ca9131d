/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* amd.assign and amd.assign-count: bandwidth counters that are assigned to an RMID (ABMC), registers and figures by
 * hand. APM vol. 2 19.3.3.3. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/amd/amd_counters.h"
#include "tests/support/machine/fake_checks.h"

FAKE_CHECKS_SUITE(amd_assign);

static void amd(uint64_t echo)
{
    for (uint32_t i = 0; i < 2; i++) {
        fc.machine.cpus[i].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 2 };
        fc.machine.cpus[i].rdt.qosx_known = true;
    }
    fake_msr(&fc.fake, IA32_PQR_ASSOC, 0);
    fake_msr(&fc.fake, L3_QOS_EXT_CFG, 0);
    fake_msr(&fc.fake, L3_QOS_ABMC_CFG, 0);
    fake_msr(&fc.fake, L3_QOS_ABMC_DSC, echo);
    cr_assert_eq(ledger_touch_msr(&fc.fake.platform, IA32_PQR_ASSOC, LEDGER_CONTROL), ST_OK);
}

static uint64_t assigned(uint64_t rmid)
{
    return BIT(62) | field_put(L3_QOS_ABMC_CFG_BW_SRC, rmid) | 0x7F;
}

Test(amd_assign, a_counter_that_echoes_its_assignment_passes)
{
    amd(assigned(1));
    cr_expect_eq(fake_checks_verdict(&fc, "amd.assign"), VERDICT_PASS);
    cr_expect_eq(fc.fake.msrs[1].value[0], 0, "counters are off again");
    cr_expect_eq(fc.fake.msrs[2].value[0], 0);
}

Test(amd_assign, an_assignment_that_is_lost_warns)
{
    amd(0);
    cr_expect_eq(fake_checks_verdict(&fc, "amd.assign"), VERDICT_WARN);
}

Test(amd_assign, an_assignment_to_another_rmid_warns)
{
    amd(assigned(3));
    cr_expect_eq(fake_checks_verdict(&fc, "amd.assign"), VERDICT_WARN);
}

Test(amd_assign, an_error_of_an_assignment_warns)
{
    amd(assigned(1) | BIT(63));
    cr_expect_eq(fake_checks_verdict(&fc, "amd.assign"), VERDICT_WARN);
}

/* 80000020H.3:ECX: the fake processor 1 enumerates type 0 alone, and other types must be zero. */
Test(amd_assign, an_assignment_asks_for_types_that_the_part_has)
{
    amd(BIT(62) | field_put(L3_QOS_ABMC_CFG_BW_SRC, 1) | 1);
    fc.machine.reference = 1;
    cr_expect_eq(fake_checks_verdict(&fc, "amd.assign"), VERDICT_PASS);
}

Test(amd_assign, without_memory_an_assigned_counter_is_not_judged)
{
    amd(assigned(1));
    cr_expect_eq(fake_checks_verdict(&fc, "amd.assign-count"), VERDICT_SKIP);
    cr_expect_eq(fc.fake.msrs[1].value[0], 0, "counters are off again");
}
