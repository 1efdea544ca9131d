/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Traffic that no core asked for, counts that are late and RMIDs that are not counted: machines that are sound. */
#include <criterion/criterion.h>

#include "tests/support/model_run.h"

static enum verdict verdict_of(const char *profile, uint32_t packages, const char *id, const char *realism)
{
    struct model_run *r = model_run_with(profile, packages, id, realism);
    const struct whole_result *result = model_run_check(r, id);
    enum verdict v = result->verdict;

    if (v != VERDICT_PASS)
        cr_log_error("%s on %s with %s: %s", id, profile, realism, result->reason);
    model_run_free(r);
    return v;
}

/* A terabyte a node in one hour. */
Test(sound_traffic, of_patrol_scrub_is_taken_off)
{
    cr_expect_eq(verdict_of("skx", 1, "traffic.mbm", "patrol-scrub=305000"), VERDICT_PASS);
    cr_expect_eq(verdict_of("skx", 1, "traffic.throttled", "patrol-scrub=305000"), VERDICT_PASS);
    cr_expect_eq(verdict_of("bdx", 2, "traffic.closure", "patrol-scrub=305000"), VERDICT_PASS);
}

Test(sound_traffic, of_smis_is_measured_again)
{
    cr_expect_eq(verdict_of("bdx", 1, "traffic.channels", "smi-period=20,smi-traffic=1024"), VERDICT_PASS);
}

Test(sound_traffic, that_is_counted_late_is_waited_for)
{
    cr_expect_eq(verdict_of("spr", 1, "traffic.mbm", "mbm-lag=10000"), VERDICT_PASS);
    cr_expect_eq(verdict_of("spr", 1, "traffic.closure", "mbm-lag=10000"), VERDICT_PASS);
}

/* AMD counts some RMIDs at a time, and those of a check are not among them before it brings them to a processor. */
Test(sound_traffic, of_an_rmid_that_is_not_tracked_is_brought_to_a_processor)
{
    cr_expect_eq(verdict_of("zen5", 1, "amd.ceiling", "amd-tracked-rmids=4"), VERDICT_PASS);
    cr_expect_eq(verdict_of("zen5", 1, "traffic.mbm", "amd-tracked-rmids=4"), VERDICT_PASS);
}

Test(sound_traffic, that_a_throttle_changes_late_and_unevenly_passes)
{
    cr_expect_eq(verdict_of("spr", 1, "mba.rate", "mba-reaction=10000,mba-curve=uneven,mba-floor=2300"), VERDICT_PASS);
    cr_expect_eq(verdict_of("skx", 1, "mba.rate", "mba-reaction=1000,mba-curve=steps"), VERDICT_PASS);
}
