/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cmt.code where the L3 keeps no code or tags a part of it, and where code cannot be run. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

/* An L3 that is not inclusive may take no code from an L2; one that is holds what a core has fetched. */
Test(cmt_code, that_no_rmid_holds_is_a_defect_of_an_inclusive_l3_alone)
{
    static const struct flaw uncounted = { .monitor = FLAW_CMT, .kind = FLAW_DEAD, .access = FLAW_CODE };

    expect(VERDICT_FAIL, "cmt.code", ON("bdx", .flaw = &uncounted));
    expect(VERDICT_WARN, "cmt.code", ON("spr", .flaw = &uncounted), .finding = "other RMIDs have 0 bytes more");
}

/* A quarter is within T_occ; another RMID has it instead. */
Test(cmt_code, that_is_untagged_in_part_is_found_by_occupancy_alone)
{
    static const struct flaw untagged = { .monitor = FLAW_PQR, .kind = FLAW_LOST, .access = FLAW_CODE, .strength = 25 };

    expect(VERDICT_WARN, "cmt.code", ON("hsx", .flaw = &untagged), .code = FOUND_COUNTED_ELSEWHERE);
    expect(VERDICT_FAIL, "cmt.code", ON("bdx", .flaw = &untagged));
}

/* The others run the same lines. */
EXPECT_TEST(cmt_code, of_one_processor_names_it, VERDICT_FAIL, "cmt.code",
            ON("bdx", .flaw = FLAW(.monitor = FLAW_CMT, .scope = FLAW_CPU, .kind = FLAW_LEAKS, .access = FLAW_CODE,
                                   .strength = 79)),
            .finding = "cpu 0");

/* Processors have RMIDs of which each bit is set in one. */
EXPECT_TEST(cmt_code, of_every_rmid_bit, VERDICT_FAIL, "cmt.code",
            ON("spr", .flaw = FLAW(.monitor = FLAW_MBM, .kind = FLAW_ALIASED, .access = FLAW_CODE, .strength = 5)));

/* BDF102: RMIDs above the threshold count 14 % less bandwidth. */
EXPECT_TEST(cmt_code, under_rmids_that_an_erratum_lets_count_less_is_right, VERDICT_PASS, "cmt.code",
            ON("bdx", .slices = 7, .cores = 2));

static void no_execute(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i, (void)cpu;
    if (s->op == STEP_WORK && s->work->kind == WORK_CODE)
        s->status = ST_PAGE_FAULT;
}

EXPECT_TEST(cmt_code, in_memory_that_firmware_maps_no_execute_is_a_skip, VERDICT_SKIP, "cmt.code", ON("bdx"),
            .after = no_execute, .finding = "firmware maps memory no-execute");
