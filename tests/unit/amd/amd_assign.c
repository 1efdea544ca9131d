/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* amd.assign and amd.assign-count: bandwidth counters that are assigned to an RMID (ABMC), described by L3_QOS_ABMC_DSC
 * otherwise than they were assigned. APM vol. 2 19.3.3.3. Defects of the counters themselves are faults of the silicon. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define DESCRIBED(...)                                                                                                 \
    {                                                                                                                  \
        .access = ACCESS_RDMSR, .reg = L3_QOS_ABMC_DSC, __VA_ARGS__                                                    \
    }

EXPECT_TEST(amd_assign, a_counter_that_is_described_as_it_was_assigned_passes_and_is_off_again, VERDICT_PASS,
            "amd.assign", ON("zen5"), .restored = true);

Test(amd_assign, an_assignment_that_is_lost_or_to_another_rmid_or_has_an_error_warns)
{
    expect(VERDICT_WARN, "amd.assign", ON("zen5", .faults = { "abmc-loses-config" }));
    expect(VERDICT_WARN, "amd.assign", ON("zen5"),
           .defect = DESCRIBED(.clear = L3_QOS_ABMC_CFG_BW_SRC, .set = field_put(L3_QOS_ABMC_CFG_BW_SRC, 3)));
    expect(VERDICT_WARN, "amd.assign", ON("zen5"), .defect = DESCRIBED(.set = BIT(63)));
}

/* 80000020H.3:ECX: other types must be zero. */
static void has_type_0_alone(struct interposer *i, uint32_t, struct step *s)
{
    if (s->op == STEP_CPUID && s->reg == 0x80000020 && s->subleaf == 3)
        s->regs.ecx = 1;
    if (s->op == STEP_WRMSR && s->reg == L3_QOS_ABMC_CFG)
        *(uint64_t *)i->context |= field_get(L3_QOS_ABMC_CFG_BW_TYPE, s->value);
}

Test(amd_assign, an_assignment_asks_for_types_that_the_part_has)
{
    uint64_t types = 0;

    expect(VERDICT_PASS, "amd.assign", ON("zen5"), .after = has_type_0_alone, .context = &types);
    cr_expect_eq(types, 1);
}

EXPECT_TEST(amd_assign, without_memory_an_assigned_counter_is_not_judged, VERDICT_SKIP, "amd.assign-count", ON("zen5"),
            .node_bytes = 1 << 20, .restored = true);
