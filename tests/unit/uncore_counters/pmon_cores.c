/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.core-occupancy with a register of the power control unit that answers otherwise than it should. 327043-001 2.6:
 * controls C30H to C33H, counters C36H to C39H; the check has the clock in counter 0, all cores in counter 1, thresh 1 in
 * counter 2 and thresh 2 in counter 3. The machine has two cores. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/model_run.h"

#define ID "pmon.core-occupancy"

Test(pmon_cores, passes_on_every_generation)
{
    static const char *const profiles[] = { "snbep", "ivbep", "hsx", "bdx", "bdx-de", "skx", "icx", "icx-d", "spr" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect_pass(profiles[i], 1, ID);
}

/* Each die of Cascade Lake-AP has a power control unit, which counts the die's cores. */
Test(pmon_cores, cores_go_by_the_die_and_by_the_package)
{
    expect_pass("clx-ap", 1, ID);
    expect_pass("icx", 2, ID);
}

Test(pmon_cores, a_threshold_that_loses_a_bit_fails)
{
    expect_code("snbep", ID, msr_stuck_at_0(0xC32, BIT(24)), VERDICT_FAIL, FOUND_OVERCOUNTS, "PCU counter 2");
}

/* Thresh 3 in place of 2: two cores do not reach it, and the sum is two in every clock. */
Test(pmon_cores, a_threshold_with_a_bit_too_many_fails)
{
    expect_code("snbep", ID, msr_stuck_at_1(0xC33, BIT(24)), VERDICT_FAIL, FOUND_THRESHOLD_MISCOUNTS, NULL);
}

/* occ_sel 0 counts nothing. */
Test(pmon_cores, cores_that_are_not_counted_are_missed)
{
    expect_code("snbep", ID, msr_stuck_at_0(0xC31, BIT(14)), VERDICT_FAIL, FOUND_UNDERCOUNTS, NULL);
}

/* Counter 1 counts half as much again: three cores of two. */
Test(pmon_cores, more_cores_than_there_are_warn)
{
    expect_code("snbep", ID, (struct register_defect){ .access = ACCESS_RDMSR, .reg = 0xC37, .times = 3, .over = 2 },
                VERDICT_WARN, FOUND_OVERCOUNTS, NULL);
}

/* Cores in C0 and cores in C3 have umasks 40H and 80H, which are no sub-events of C0H, cores in C6. */
Test(pmon_cores, states_are_no_parts_of_another)
{
    expect_pass("skx", 1, "traffic.parts");
}

/* Bit 30 of the control of counter 1 in the last window: without it both count the clocks with all cores. */
Test(pmon_cores, an_occ_invert_without_effect_warns)
{
    expect_code("snbep", ID, msr_stuck_at_0(0xC31, BIT(30)), VERDICT_WARN, FOUND_INVERT_MISCOUNTS, NULL);
    expect_code("icx", ID, msr_stuck_at_0(0x712, BIT(30)), VERDICT_WARN, FOUND_INVERT_MISCOUNTS, NULL);
}

Test(pmon_cores, an_occ_edge_det_without_effect_warns)
{
    expect_code("hsx", ID, msr_stuck_at_0(0x714, BIT(31)), VERDICT_WARN, FOUND_EDGES_COUNT_CYCLES, NULL);
}

/* --- residency: SDM vol. 4, 3F9H package C6, 3FDH core C6, which the silicon lacks ----------------------------- */

struct residency { /* one register, which every processor shares */
    uint32_t msr;
    uint64_t value, step;
};

static void residency_answers(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct residency *r = i->context;

    (void)cpu;
    if (s->op != STEP_RDMSR || s->reg != r->msr)
        return;
    r->value += r->step;
    s->value = r->value;
    s->status = ST_OK;
}

static void expect_residency(struct residency r, enum verdict verdict, const char *finding)
{
    expect(verdict, ID, ON("icx"), .after = residency_answers, .context = &r, .finding = finding);
}

Test(pmon_cores, a_residency_that_stands_still_passes)
{
    expect_residency((struct residency){ .msr = 0x3F9, .value = 12345 }, VERDICT_PASS, NULL);
    expect_residency((struct residency){ .msr = 0x3FD }, VERDICT_PASS, NULL);
}

Test(pmon_cores, a_residency_that_advances_while_all_are_awake_warns)
{
    expect_residency((struct residency){ .msr = 0x3F9, .step = 1000 }, VERDICT_WARN,
                     "residency in package C6 while every core is kept awake: MSR 0x3f9 advanced by");
    expect_residency((struct residency){ .msr = 0x3FD, .step = 1 }, VERDICT_WARN, "residency in core C6");
}

Test(pmon_cores, a_residency_that_goes_back_warns)
{
    expect_residency((struct residency){ .msr = 0x60D, .value = 1 << 20, .step = (uint64_t)-16 }, VERDICT_WARN,
                     "residency in package C2 while every core is kept awake: MSR 0x60d decreased from");
}
