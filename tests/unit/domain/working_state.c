/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks are right whatever classes, masks and throttles processors come in, and leave them as they were. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "tests/support/run/whole_run.h"

#define CPUS 4u

struct left {
    uint32_t cpu, msr;
    uint64_t value;
};

static const struct left *left;

static void leave(struct model_platform *mp)
{
    for (const struct left *l = left; l->msr; l++)
        cr_assert_eq(model_wrmsr(mp->model, l->cpu, l->msr, 0, l->value), MODEL_DONE, "MSR 0x%x", l->msr);
}

static void expect_as_left(struct model_platform *mp)
{
    for (const struct left *l = left; l->msr; l++) {
        uint64_t value = 0;

        cr_expect_eq(model_rdmsr(mp->model, l->cpu, l->msr, 0, &value), MODEL_DONE);
        cr_expect_eq(value, l->value, "cpu %u, MSR 0x%x: 0x%lx", l->cpu, l->msr, value);
    }
}

/* Runs these checks: none but reset.* has a finding, and that one has; most of the others pass. */
static void expect_found_by_reset_alone(const char *profile, const struct left *state, const char *reset,
                                        const char *tests)
{
    struct model_config config = MODEL(profile, 1, CPUS, 1, .slices = 6, .seed = 5);
    struct whole_run w = { .tests = { reset, tests }, .unlooked = leave };
    uint32_t passed = 0;

    left = state;
    cr_assert(whole_run(&config, &w));
    for (uint32_t i = 0; i < w.n; i++) {
        bool is_reset = strncmp(w.checks[i].row->id, "reset.", 6) == 0;
        enum verdict v = w.checks[i].verdict;

        cr_expect(is_reset ? v == VERDICT_WARN || v == VERDICT_FAIL : v == VERDICT_PASS || v == VERDICT_SKIP,
                  "%s on %s: %s: %s", w.checks[i].row->id, profile, verdict_text(v), w.checks[i].reason);
        passed += v == VERDICT_PASS;
    }
    cr_expect_gt(2 * passed, w.n, "%u of %u checks pass on %s: they are not kept from the state that was left", passed,
                 w.n, profile);
    cr_expect_eq(w.restored, ST_OK);
    expect_as_left(w.mp);
    whole_run_free(&w);
}

Test(working_state, a_class_with_a_narrow_mask_limits_no_load)
{
    static const struct left state[] = { { 0, IA32_L3_MASK(1), 3 },
                                         { 0, IA32_PQR_ASSOC, UINT64_C(1) << 32 | 5 },
                                         { 1, IA32_PQR_ASSOC, UINT64_C(1) << 32 },
                                         { 3, IA32_PQR_ASSOC, UINT64_C(1) << 32 | 6 },
                                         { 0 } };

    expect_found_by_reset_alone("bdx", state, "reset.pqr", "cmt.*");
    expect_found_by_reset_alone("spr", state, "reset.pqr", "cmt.*");
    expect_found_by_reset_alone("bdx", state, "reset.pqr", "pqr.*");
    expect_found_by_reset_alone("bdx", state, "reset.masks", "cat.*");
}

Test(working_state, cdp_that_is_enabled_leaves_every_class)
{
    static const struct left state[] = { { 0, IA32_L3_QOS_CFG, IA32_L3_QOS_CFG_CDP_ENABLE },
                                         { 0, IA32_L3_MASK(0), 3 },
                                         { 0 } };

    expect_found_by_reset_alone("spr", state, "reset.cdp", "cdp.*");
    expect_found_by_reset_alone("spr", state, "reset.cdp", "cat.*");
    expect_found_by_reset_alone("spr", state, "reset.cdp", "cmt.*");
}

Test(working_state, a_throttle_slows_no_load)
{
    static const struct left state[] = { { 0, IA32_L2_QoS_Ext_BW_Thrtl(0), 90 }, { 0 } };

    expect_found_by_reset_alone("spr", state, "reset.throttles", "mbm.*");
    expect_found_by_reset_alone("spr", state, "reset.throttles", "mba.*");
}

/* As Linux leaves them where counters are assignable: ExtEvtID raises #GP while ABMC is off (APM vol. 2 19.3.1.2). */
Test(working_state, a_selection_of_an_assigned_counter_goes_back)
{
    static const struct left state[] = { { 0, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_ABMC_EN },
                                         { 0, IA32_QM_EVTSEL, IA32_QM_EVTSEL_ExtEvtID | EVTID_L3CacheABMC },
                                         { 0 } };

    expect_found_by_reset_alone("zen5", state, "reset.amd", "qm.e*");
}
