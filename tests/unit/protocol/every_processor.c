/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rules of a processor's own registers are asked of each: what one breaks alone is a defect, what all break may be the rule. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

static uint32_t last_reader; /* processors from this one on answer without Error */

static void drop_error(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu >= last_reader && s->op == STEP_RDMSR && s->reg == IA32_QM_CTR)
        s->value &= ~IA32_QM_CTR_ERROR;
}

static void take_reserved(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu >= last_reader && s->op == STEP_WRMSR && s->status == ST_FAULT)
        s->status = ST_OK;
}

Test(every_processor, one_that_returns_no_error_is_named)
{
    last_reader = 1;
    expect(VERDICT_FAIL, "qm.error-bit", ON("bdx"), .after = drop_error, .finding = "cpu 1 ", .code = FOUND_NO_ERROR);
    expect(VERDICT_FAIL, "qm.error-bit", ON("bdx"), .after = drop_error, .uncalibrated = true, .finding = "cpu 1 ");
}

Test(every_processor, reserved_bits_are_written_on_each)
{
    last_reader = 1;
    expect(VERDICT_FAIL, "qm.evtsel-reserved", ON("spr"), .after = take_reserved, .finding = "cpu 1 ");
    expect(VERDICT_FAIL, "pqr.reserved-bits", ON("spr"), .after = take_reserved, .uncalibrated = true,
           .finding = "cpu 1 ");
}

Test(every_processor, what_all_break_alike_is_rule_or_part_where_no_other_machine_is_known)
{
    last_reader = 0;
    expect(VERDICT_WARN, "qm.error-bit", ON("bdx", 2), .after = drop_error, .uncalibrated = true,
           .finding = "rule or part");
    expect(VERDICT_FAIL, "qm.error-bit", ON("bdx", 2), .after = drop_error, .finding = "every processor of it");
    expect(VERDICT_WARN, "pqr.reserved-bits", ON("spr"), .after = take_reserved, .uncalibrated = true,
           .finding = "rule or part");
    expect(VERDICT_WARN, "cat.class-limit", ON("spr"), .after = take_reserved, .uncalibrated = true,
           .finding = "rule or part");
}

static uint32_t odd_reader;

static void set_a_bit(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu == odd_reader && s->op == STEP_RDMSR && s->reg == IA32_QM_CTR)
        s->value |= BIT(3);
}

/* The first one, whose reads all are compared with, as the others. */
Test(every_processor, the_odd_reader_of_an_l3_is_named)
{
    for (odd_reader = 0; odd_reader < 2; odd_reader++)
        expect(VERDICT_FAIL, "qm.keyhole", ON("bdx", .cores = 3), .after = set_a_bit, .code = FOUND_READS_DIFFER,
               .finding = odd_reader ? "cpu 1 (" : "cpu 0 (");
}

static void have_no_data(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu == 1 && s->op == STEP_RDMSR && s->reg == IA32_QM_CTR)
        s->value = IA32_QM_CTR_UNAVAILABLE;
}

Test(every_processor, one_that_never_has_data_is_named)
{
    expect(VERDICT_FAIL, "qm.keyhole", ON("bdx", .cores = 3), .after = have_no_data, .code = FOUND_READS_DIFFER,
           .finding = "no data yet (Unavailable) through cpu 1");
    expect(VERDICT_FAIL, "qm.keyhole", ON("zen3"), .after = have_no_data, .code = FOUND_READS_DIFFER);
}

/* Software relies on it: no part may lose a bit of an RMID. */
Test(every_processor, a_legal_selection_that_is_lost_is_a_defect_however_many_lose_it)
{
    const struct register_defect lost = { .access = ACCESS_RDMSR, .reg = IA32_QM_EVTSEL, .clear = BIT(33) };

    expect(VERDICT_FAIL, "qm.evtsel-storage", ON("bdx"), .defect = lost, .uncalibrated = true,
           .code = FOUND_NOT_STORED);
}

Test(every_processor, a_pass_says_how_many_were_asked)
{
    expect(VERDICT_PASS, "qm.error-bit", ON("spr", 2), .stream = "on each of 4 processors");
}

static void lose_class(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu == 1 && s->op == STEP_RDMSR && s->reg == IA32_PQR_ASSOC)
        s->value &= IA32_PQR_ASSOC_RMID;
}

/* Of processors that share a register each reads what another one wrote. */
Test(every_processor, a_field_that_is_lost_while_a_processor_waits_is_no_other_ones)
{
    expect(VERDICT_FAIL, "pqr.own-copy", ON("bdx"), .after = lose_class, .code = FOUND_REGISTER_LOST);
    expect(VERDICT_FAIL, "pqr.own-copy", ON("bdx", .faults = { "pqr-broadcast" }), .code = FOUND_REGISTER_SHARED);
}

/* On a machine with SMIs, which those of the fault matrix have not. */
Test(every_processor, traffic_after_an_smi_is_a_pass_that_says_what_it_excludes)
{
    static const char *const profiles[] = { "bdx", "zen5" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_PASS, "pqr.smi", ON(profiles[i], .realism = "smi-period=100"), .excludes = "a loss above ");
}

/* Of bandwidth on AMD too, which may begin again. */
Test(every_processor, reads_the_bandwidth_that_the_others_read)
{
    static const struct flaw narrow = {
        .monitor = FLAW_MBM, .scope = FLAW_CPU, .place = 1, .kind = FLAW_WRAPS, .strength = 12
    };

    expect(VERDICT_FAIL, "qm.keyhole", ON("zen2", .flaw = &narrow), .finding = "through cpu 1",
           .code = FOUND_READS_DIFFER);
}

/* Occupancy follows the selection, and one event of bandwidth does not. */
Test(every_processor, reads_the_bandwidth_of_the_rmid_that_it_selects)
{
    static const struct flaw stale = { .monitor = FLAW_MBM_LOCAL, .scope = FLAW_L3, .place = 0, .kind = FLAW_STALE };

    expect(VERDICT_FAIL, "qm.keyhole", ON("bdx", .flaw = &stale), .finding = "reads of event 3",
           .code = FOUND_OTHER_RMID_READ);
    expect(VERDICT_FAIL, "qm.keyhole", ON("zen3", .flaw = &stale), .finding = "reads of event 3");
}

Test(every_processor, a_bit_of_occupancy_that_reads_1_now_and_then)
{
    static const struct flaw sticky = {
        .monitor = FLAW_CMT, .kind = FLAW_STICKY, .trigger = FLAW_NTH, .nth = 11, .strength = 1
    };

    expect(VERDICT_WARN, "qm.keyhole", ON("zen3", .flaw = &sticky), .code = FOUND_BITS_STUCK);
}

Test(every_processor, a_bit_that_one_processor_reads_now_and_then)
{
    static const struct flaw sticky = { .monitor = FLAW_CMT,
                                        .scope = FLAW_CPU,
                                        .place = 1,
                                        .kind = FLAW_STICKY,
                                        .trigger = FLAW_NTH,
                                        .nth = 11,
                                        .strength = 3 };

    expect(VERDICT_WARN, "qm.keyhole", ON("bdx", .flaw = &sticky), .finding = "cpu 1", .code = FOUND_BITS_STUCK);
}

/* Less than the band of a single counter. */
Test(every_processor, assigned_counters_of_the_upper_numbers_that_count_less)
{
    static const struct flaw less = { .monitor = FLAW_ABMC, .scope = FLAW_HIGH, .kind = FLAW_SCALED, .strength = -23 };

    expect(VERDICT_WARN, "amd.assign-all", ON("zen5", .flaw = &less), .finding = "of the others under equal loads",
           .code = FOUND_COUNTERS_DIFFER);
}

/* Less than the tolerance of AMD's estimate. */
Test(every_processor, a_mask_of_one_way_that_leaks_on_one_processor)
{
    static const struct flaw leak = {
        .monitor = FLAW_CDP, .scope = FLAW_CPU, .place = 1, .kind = FLAW_STICKY, .strength = 3
    };

    expect(VERDICT_WARN, "cdp.data", ON("zen3", .slices = 2, .flaw = &leak), .finding = "holds",
           .code = FOUND_FILLS_MORE_WAYS);
}
