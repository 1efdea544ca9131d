/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rules of a processor's own registers are asked of each: what one breaks alone is a defect, what all break may be the rule. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

#define WITHOUT_ERROR(...)                                                                                             \
    .defect = { .access = ACCESS_RDMSR, .reg = IA32_QM_CTR, .clear = IA32_QM_CTR_ERROR, __VA_ARGS__ }

static uint32_t last_reader; /* processors from this one on take reserved bits */

static void take_reserved(struct interposer *, uint32_t cpu, struct step *s)
{
    if (cpu >= last_reader && s->op == STEP_WRMSR && s->status == ST_FAULT)
        s->status = ST_OK;
}

Test(every_processor, one_that_returns_no_error_is_named)
{
    expect(VERDICT_FAIL, "qm.error-bit", ON("bdx"), WITHOUT_ERROR(.cpus = BIT(1)), .finding = "cpu 1 ",
           .code = FOUND_NO_ERROR);
    expect(VERDICT_FAIL, "qm.error-bit", ON("bdx"), WITHOUT_ERROR(.cpus = BIT(1)), .uncalibrated = true,
           .finding = "cpu 1 ");
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
    expect(VERDICT_WARN, "qm.error-bit", ON("bdx", 2), WITHOUT_ERROR(), .uncalibrated = true,
           .finding = "rule or part");
    expect(VERDICT_FAIL, "qm.error-bit", ON("bdx", 2), WITHOUT_ERROR(), .finding = "every processor of it");
    expect(VERDICT_WARN, "pqr.reserved-bits", ON("spr"), .after = take_reserved, .uncalibrated = true,
           .finding = "rule or part");
    expect(VERDICT_WARN, "cat.class-limit", ON("spr"), .after = take_reserved, .uncalibrated = true,
           .finding = "rule or part");
}

/* The first one, whose reads all are compared with, as the others. */
Test(every_processor, the_odd_reader_of_an_l3_is_named)
{
    for (uint32_t cpu = 0; cpu < 2; cpu++)
        expect(VERDICT_FAIL, "qm.keyhole", ON("bdx", .cores = 3),
               .defect = { .access = ACCESS_RDMSR, .reg = IA32_QM_CTR, .set = BIT(3), .cpus = BIT(cpu) },
               .code = FOUND_BITS_STUCK, .finding = cpu ? "cpu 1 (" : "cpu 0 (");
}

Test(every_processor, one_that_never_has_data_is_named)
{
    struct register_defect no_data = msr_reads(IA32_QM_CTR, IA32_QM_CTR_UNAVAILABLE);

    no_data.cpus = BIT(1);
    expect(VERDICT_FAIL, "qm.keyhole", ON("bdx", .cores = 3), .defect = no_data, .code = FOUND_READS_DIFFER,
           .finding = "no data yet (Unavailable) through cpu 1");
    expect(VERDICT_FAIL, "qm.keyhole", ON("zen3"), .defect = no_data, .code = FOUND_READS_DIFFER);
}

/* Software relies on it: no part may lose a bit of an RMID. */
EXPECT_TEST(every_processor, a_legal_selection_that_is_lost_is_a_defect_however_many_lose_it, VERDICT_FAIL,
            "qm.evtsel-storage", ON("bdx"),
            .defect = { .access = ACCESS_RDMSR, .reg = IA32_QM_EVTSEL, .clear = BIT(33) }, .uncalibrated = true,
            .code = FOUND_NOT_STORED);

EXPECT_TEST(every_processor, a_pass_says_how_many_were_asked, VERDICT_PASS, "qm.error-bit", ON("spr", 2),
            .stream = "on each of 4 processors");

/* Of processors that share a register each reads what another one wrote. */
Test(every_processor, a_field_that_is_lost_while_a_processor_waits_is_no_other_ones)
{
    expect(VERDICT_FAIL, "pqr.own-copy", ON("bdx"),
           .defect = { .access = ACCESS_RDMSR, .reg = IA32_PQR_ASSOC, .clear = ~IA32_PQR_ASSOC_RMID, .cpus = BIT(1) },
           .code = FOUND_REGISTER_LOST);
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
EXPECT_TEST(every_processor, reads_the_bandwidth_that_the_others_read, VERDICT_FAIL, "qm.keyhole",
            ON("zen2",
               .flaw = FLAW(.monitor = FLAW_MBM, .scope = FLAW_CPU, .place = 1, .kind = FLAW_WRAPS, .strength = 12)),
            .finding = "through cpu 1", .code = FOUND_READS_DIFFER);

/* Occupancy follows the selection, and one event of bandwidth does not. */
Test(every_processor, reads_the_bandwidth_of_the_rmid_that_it_selects)
{
    static const struct flaw stale = { .monitor = FLAW_MBM_LOCAL, .scope = FLAW_L3, .place = 0, .kind = FLAW_STALE };

    expect(VERDICT_FAIL, "qm.keyhole", ON("bdx", .flaw = &stale), .finding = "reads of event 3",
           .code = FOUND_OTHER_RMID_READ);
    expect(VERDICT_FAIL, "qm.keyhole", ON("zen3", .flaw = &stale), .finding = "reads of event 3");
}

EXPECT_TEST(every_processor, a_bit_of_occupancy_that_reads_1_now_and_then, VERDICT_WARN, "qm.keyhole",
            ON("zen3",
               .flaw = FLAW(.monitor = FLAW_CMT, .kind = FLAW_STICKY, .trigger = FLAW_NTH, .nth = 11, .strength = 1)),
            .code = FOUND_BITS_STUCK);

EXPECT_TEST(every_processor, a_bit_that_one_processor_reads_now_and_then, VERDICT_WARN, "qm.keyhole",
            ON("bdx", .flaw = FLAW(.monitor = FLAW_CMT, .scope = FLAW_CPU, .place = 1, .kind = FLAW_STICKY,
                                   .trigger = FLAW_NTH, .nth = 11, .strength = 3)),
            .finding = "cpu 1", .code = FOUND_BITS_STUCK);

/* After WBINVD: less than an occupancy's band under every RMID, and more than the L3 under one. */
EXPECT_TEST(every_processor, a_bit_that_every_rmid_of_an_l3_reads, VERDICT_WARN, "cmt.unused",
            ON("zen3", .flaw = FLAW(.monitor = FLAW_CMT, .scope = FLAW_L3, .kind = FLAW_STICKY, .strength = 12)),
            .finding = "counts each", .code = FOUND_BITS_STUCK);
EXPECT_TEST(every_processor, a_bit_that_one_rmid_reads, VERDICT_FAIL, "cmt.unused",
            ON("bdx",
               .flaw = FLAW(.monitor = FLAW_CMT, .scope = FLAW_RMID, .place = 3, .kind = FLAW_STICKY, .strength = 12)),
            .finding = "RMID 3", .code = FOUND_BITS_STUCK);

/* Less than the band of a single counter. */
EXPECT_TEST(every_processor, assigned_counters_of_the_upper_numbers_that_count_less, VERDICT_WARN, "amd.assign-all",
            ON("zen5", .flaw = FLAW(.monitor = FLAW_ABMC, .scope = FLAW_HIGH, .kind = FLAW_SCALED, .strength = -23)),
            .finding = "of the others under equal loads", .code = FOUND_COUNTERS_DIFFER);

/* Less than the tolerance of AMD's estimate. */
EXPECT_TEST(every_processor, a_mask_of_one_way_that_leaks_on_one_processor, VERDICT_WARN, "cdp.data",
            ON("zen3", .slices = 2,
               .flaw = FLAW(.monitor = FLAW_CDP, .scope = FLAW_CPU, .place = 1, .kind = FLAW_STICKY, .strength = 3)),
            .finding = "holds", .code = FOUND_FILLS_MORE_WAYS);
