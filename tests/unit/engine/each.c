/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A PASS of a part of the machine, or of some RMIDs, says which part. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

static void expect_said(const char *id, const char *says)
{
    expect(VERDICT_PASS, id, MODEL("bdx", 2, 2, 1, .slices = 4), .stream = says);
}

Test(each, a_pass_of_some_l3_domains_says_of_how_many)
{
    expect_said("cmt.flushed-alone", "judged on 1 of 2 L3 domains");
}

Test(each, a_pass_of_some_rmids_says_of_how_many)
{
    expect_said("cmt.alias", "filled under 3 of ");
    expect_said("mbm.alias", "read under 3 of ");
}
