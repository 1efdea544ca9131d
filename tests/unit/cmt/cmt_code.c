/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cmt.code where the L3 keeps no code or tags a part of it, and where code cannot be run. */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/simple_run.h"

static enum verdict on_simple(enum simple_defect defect, bool inclusive, char reason[256])
{
    struct simple_part part = simple_part_monitored(1, 2, defect);

    part.inclusive = inclusive;
    return simple_run_verdict(&part, "cmt.code", reason);
}

/* An L3 that is not inclusive may take no code from an L2; one that is holds what a core has fetched. */
Test(cmt_code, that_no_rmid_holds_is_a_defect_of_an_inclusive_l3_alone)
{
    char reason[256];

    cr_expect_eq(on_simple(SIMPLE_SOUND, true, reason), VERDICT_PASS, "%s", reason);
    cr_expect_eq(on_simple(SIMPLE_SOUND, false, reason), VERDICT_PASS, "%s", reason);
    cr_expect_eq(on_simple(SIMPLE_CODE_UNKEPT, true, reason), VERDICT_FAIL, "%s", reason);
    cr_expect_eq(on_simple(SIMPLE_CODE_UNKEPT, false, reason), VERDICT_WARN, "%s", reason);
    cr_expect(strstr(reason, "other RMIDs have 0 bytes more"), "%s", reason);
}

/* 1 MiB of 4 is within T_occ; RMID 0 has it instead. */
Test(cmt_code, that_is_untagged_in_part_is_found_by_occupancy_alone)
{
    struct simple_part part = simple_part_monitored(1, 2, SIMPLE_CODE_PARTLY_TAGGED);
    char reason[256];
    enum verdict v;

    part.events = 1;
    v = simple_run_verdict(&part, "cmt.code", reason);
    cr_expect_eq(v, VERDICT_WARN, "%s", reason);
    cr_expect(strstr(reason, "other RMIDs have 1048576 bytes more"), "%s", reason);
    cr_expect_eq(on_simple(SIMPLE_CODE_PARTLY_TAGGED, true, reason), VERDICT_FAIL, "%s", reason);
}

Test(cmt_code, in_memory_that_firmware_maps_no_execute_is_a_skip)
{
    char reason[256];

    cr_expect_eq(on_simple(SIMPLE_NO_EXECUTE, true, reason), VERDICT_SKIP, "%s", reason);
    cr_expect(strstr(reason, "firmware maps memory no-execute"), "%s", reason);
}
