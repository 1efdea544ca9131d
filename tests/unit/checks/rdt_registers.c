/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of RDT registers, each with registers by hand that are right and wrong, and all on faultless silicon. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "tests/support/machine/fake_checks.h"
#include "tests/support/run/model_run.h"

FAKE_CHECKS_SUITE(rdt_registers);

/* WARN where the write of event 0 raises #GP, and where the register keeps what was selected. */
Test(rdt_registers, event_0_can_be_selected)
{
    struct fake_msr *evtsel = fake_msr(&fc.fake, IA32_QM_EVTSEL, 0);

    fake_msr(&fc.fake, IA32_QM_CTR, 0);
    cr_expect_eq(fake_checks_verdict(&fc, "qm.no-event"), VERDICT_PASS);
    evtsel->write_faults = true;
    cr_expect_eq(fake_checks_verdict(&fc, "qm.no-event"), VERDICT_WARN);
    evtsel->write_faults = false;
    evtsel->value[0] = 0x100000001;
    evtsel->sticks = true;
    cr_expect_eq(fake_checks_verdict(&fc, "qm.no-event"), VERDICT_WARN);
}

/* RS-12: a record, which says nothing of a processor that firmware started. */
Test(rdt_registers, what_was_read_after_init_is_marked)
{
    struct check_record c;

    fake_msr(&fc.fake, IA32_PQR_ASSOC, 0);
    cr_assert_eq(ledger_touch_msr(&fc.fake.platform, IA32_PQR_ASSOC, LEDGER_CONTROL), ST_OK);
    fc.tools.pqr_recorded = true;
    c = fake_checks_run(&fc, "reset.pqr");
    cr_expect_eq(c.verdict, VERDICT_PASS);
    cr_expect_eq(c.n_notes, 0);
    fc.fake.platform.mp_method = MP_METHOD_SIPI;
    c = fake_checks_run(&fc, "reset.pqr");
    cr_expect_eq(c.verdict, VERDICT_PASS);
    cr_expect_eq(c.n_notes, 1);
    cr_expect_eq(c.n_measurements, 1);
}

Test(rdt_registers, pqr_cost_without_the_register_is_an_error)
{
    struct fake_msr *pqr = fake_msr(&fc.fake, IA32_PQR_ASSOC, 0);

    cr_expect_eq(fake_checks_verdict(&fc, "pqr.cost"), VERDICT_PASS);
    pqr->absent[0] = pqr->absent[1] = true;
    cr_expect_eq(fake_checks_verdict(&fc, "pqr.cost"), VERDICT_ERROR, "there is no such register");
}

/* Of Diamond Rapids, family 13H, the capability is another one. */
Test(rdt_registers, mba_4_is_known_by_its_capability)
{
    struct cpu *cpu = &fc.machine.cpus[0];

    cpu->id.vendor = VENDOR_INTEL;
    cpu->rdt.mba.known = true;
    cpu->rdt.leaf7.regs.edx |= CPUID_7_EDX_CORE_CAPABILITIES;
    fake_msr(&fc.fake, IA32_CORE_CAPABILITIES, IA32_CORE_CAPABILITIES_MBA4);
    fake_msr(&fc.fake, MBA_CFG, MBA_CFG_MBA4);
    cr_expect(strstr(fake_checks_run(&fc, "reset.options").reason, "MBA 4.0 is enabled"));
    cpu->id.family = 19;
    cpu->id.model = 1;
    cr_expect(strstr(fake_checks_run(&fc, "reset.options").reason, "not public"));
}

Test(rdt_registers, reset_priority_is_read_where_it_is_enumerated_alone)
{
    fc.machine.cpus[0].rdt.resource_priority = false;
    cr_expect_eq(fake_checks_verdict(&fc, "reset.priority"), VERDICT_SKIP);
    fc.machine.cpus[0].rdt.resource_priority = true;
    fake_msr(&fc.fake, IA32_RESOURCE_PRIORITY, 0);
    fake_msr(&fc.fake, IA32_RESOURCE_PRIORITY_PKG, 1);
    cr_expect_eq(fake_checks_verdict(&fc, "reset.priority"), VERDICT_PASS);
}

static void cache_bandwidth(uint32_t levels_less_1)
{
    struct rdt_info *rdt = &fc.machine.cpus[0].rdt;

    rdt->cba = true;
    rdt->leaf10_5 = (struct rdt_leaf){ .known = true, .regs = { .eax = levels_less_1, .edx = 3 } };
}

/* 356688 3.2.5.3: a level above the greatest raises #GP. */
Test(rdt_registers, a_throttle_level_above_the_greatest_must_be_refused)
{
    struct fake_msr *levels = fake_msr(&fc.fake, IA32_QoS_Core_BW_Thrtl(0), 0);

    cr_expect_eq(fake_checks_verdict(&fc, "cba.limit"), VERDICT_SKIP, "nothing of it is enumerated");
    cache_bandwidth(7);
    levels->reserved = UINT64_C(0xF8F8F8F8F8F8F8F8);
    cr_expect_eq(fake_checks_verdict(&fc, "cba.limit"), VERDICT_PASS);
    cr_expect_eq(levels->value[1], 0, "and goes back");
    levels->reserved = UINT64_C(0xF8F8F8F8F8F800F8);
    cr_expect_eq(fake_checks_verdict(&fc, "cba.limit"), VERDICT_FAIL, "class 1 takes it");
    levels->reserved = UINT64_C(0xFCFCFCFCFCFCFCFC);
    cr_expect_eq(fake_checks_verdict(&fc, "cba.limit"), VERDICT_FAIL, "levels that are enumerated are refused");
    cache_bandwidth(255);
    cr_expect_eq(fake_checks_verdict(&fc, "cba.limit"), VERDICT_SKIP);
}

/* --- on the silicon model ------------------------------------------------------------------------------------------ */

/* Two clusters that share the RMIDs of each package, as firmware may leave MSR CA0H; apart on the first package. */
#define CLUSTERS_SHARE(...)                                                                                            \
    MODEL("icx", 2, 2, 0, .clusters = 2, .slices = 12, .faults = { "rmid-sharing-left", __VA_ARGS__ })

Test(rdt_registers_model, a_clusters_count_is_held_against_its_upscaling_factor)
{
    expect(VERDICT_PASS, "cross.cluster-scale", CLUSTERS_SHARE());
    expect(VERDICT_WARN, "cross.cluster-scale", CLUSTERS_SHARE("occupancy-halved"));
}

/* A processor that is neither the first nor the last of its L3 reads bit 0 of one mask as 0, or loses what it writes. */
static void lose_the_write(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu == 2 && s->op == STEP_WRMSR && s->reg == IA32_L3_MASK(1))
        s->reg = IA32_L3_MASK(2);
}

Test(rdt_registers_model, every_processor_of_an_l3_has_its_masks)
{
    expect(VERDICT_PASS, "cat.owners", MODEL("spr", 1, 4, 1, .slices = 4));
    expect(VERDICT_FAIL, "cat.owners", MODEL("spr", 1, 4, 1, .slices = 4),
           .defect = { .access = ACCESS_RDMSR, .reg = IA32_L3_MASK(1), .clear = BIT(0), .cpus = BIT(2) },
           .code = FOUND_NOT_STORED);
    expect(VERDICT_FAIL, "cat.owners", MODEL("spr", 1, 4, 1, .slices = 4), .before = lose_the_write,
           .code = FOUND_NOT_STORED);
}

/* 0FH.0:EBX may be above 0FH.1:ECX (EN-03): what the registers take follows the one, what is counted the other. */
Test(rdt_registers_model, rmids_of_the_l3_may_be_fewer_than_those_of_the_processor)
{
    static const char *const ids[] = { "pqr.rmid-storage", "pqr.rmid-limit", "pqr.halves", "qm.rmid-limit" };

    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        expect(VERDICT_PASS, ids[i], ON("icx", .slices = 12, .realism = "l3-rmids=half"));
        expect(VERDICT_PASS, ids[i], ON("zen3", .slices = 4, .realism = "l3-rmids=half"), .uncalibrated = i == 1);
    }
}

/* Of two cores whose L2 is one, as those of Denverton, each reads what the other wrote. */
#define MODULE_CPUS 2u

static uint64_t module_masks[2][16];

static void module_has_masks(struct interposer *, uint32_t cpu, struct step *s)
{
    uint32_t class = s->reg == IA32_L2_QOS_CFG ? 15 : s->reg - IA32_L2_MASK(0);
    uint64_t *mask = &module_masks[cpu / MODULE_CPUS][class % 16];

    if (class >= 16 || s->status != ST_OK)
        return;
    if (s->op == STEP_WRMSR)
        *mask = s->value;
    if (s->op == STEP_RDMSR)
        s->value = *mask;
}

/* Of the registers of the module's L2 the masks are each core's own, or CDP is. */
static void module_has_cdp_alone(struct interposer *i, uint32_t cpu, struct step *s)
{
    if (s->reg == IA32_L2_QOS_CFG)
        module_has_masks(i, cpu, s);
}

static void module_has_masks_alone(struct interposer *i, uint32_t cpu, struct step *s)
{
    if (s->reg != IA32_L2_QOS_CFG)
        module_has_masks(i, cpu, s);
}

static void share_l2(struct model_run *r)
{
    for (uint32_t i = 0; i < r->machine->n_caches; i++)
        if (r->machine->caches[i].level == 2)
            r->machine->caches[i].sharing_ids = MODULE_CPUS;
    for (uint32_t i = 0; i < 32; i++)
        module_masks[i / 16][i % 16] = i % 16 < 15 ? low_bits(16) : 0;
}

static void be_hybrid(struct model_run *r)
{
    r->machine->cpus[r->machine->reference].rdt.leaf7.regs.edx |= CPUID_7_EDX_HYBRID;
}

Test(rdt_registers_model, masks_of_an_l2_that_cores_share_are_one_set)
{
    const struct model_config modules = MODEL("spr", 1, 4, 1, .slices = 5, .seed = 5);

    expect(VERDICT_PASS, "l2.masks", modules, .change = share_l2, .after = module_has_masks);
    expect(VERDICT_FAIL, "l2.masks", modules, .change = share_l2, .after = module_has_cdp_alone,
           .finding = "IA32_L2_MASK_0 reads");
    expect(VERDICT_FAIL, "l2.masks", modules, .change = share_l2, .after = module_has_masks_alone,
           .finding = "IA32_L2_QOS_CFG reads");
    expect(VERDICT_SKIP, "l2.masks", modules, .change = be_hybrid, .finding = "hybrid part");
}

Test(rdt_registers_model, cdp_of_the_l2_is_switched)
{
    expect(VERDICT_FAIL, "l2.masks", ON("spr"), .defect = msr_stuck_at_1(IA32_L2_QOS_CFG, 1), .code = FOUND_NOT_STORED);
    expect(VERDICT_FAIL, "l2.masks", ON("spr"), .defect = msr_stuck_at_0(IA32_L2_QOS_CFG, 1), .code = FOUND_NOT_STORED);
}

/* A reserved bit that reads 1 is not Assay's to clear: what is written without it does not read back. */
EXPECT_TEST(rdt_registers_model, other_bits_of_an_enable_stay, VERDICT_PASS, "amd.assign-off", ON("zen5"),
            .defect = { .access = ACCESS_RDMSR, .reg = L3_QOS_EXT_CFG, .set = BIT(7) });
