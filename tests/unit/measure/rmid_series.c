/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same read under every RMID, on a part that counts some RMIDs at a time. */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/whole_run.h"

/* 256 RMIDs, of which 16 at a time are counted: in runs of 64 they drive each other out. */
Test(rmid_series, rmids_that_are_counted_in_turn_are_all_measured)
{
    struct model_config config = { .profile = "zen3",
                                   .packages = 1,
                                   .cores = 2,
                                   .threads = 1,
                                   .slices = 4,
                                   .seed = 3,
                                   .realism = "amd-tracked-rmids=16" };
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_null(strstr(w.text, "not tracked"), "%s", w.text);
    cr_expect_lt(w.work_bytes, UINT64_C(1) << 30, "runs that shrink by one RMID at a time move gigabytes");
    whole_run_free(&w);
}
