/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A PASS of a part of the machine, or of some RMIDs, says which part. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/whole_run.h"

static void expect_said(const char *id, const char *says)
{
    const struct model_config config = MODEL("bdx", 2, 2, 1, .slices = 4);
    struct whole_run w = { .tests = { id } };
    char *stream = NULL;
    size_t length;

    w.stream = open_memstream(&stream, &length);
    cr_assert(w.stream);
    cr_assert(whole_run(&config, &w));
    fclose(w.stream);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect(strstr(stream, says), "%s: %s", id, says);
    whole_run_free(&w);
    free(stream);
}

Test(each, a_pass_of_some_l3_domains_says_of_how_many)
{
    expect_said("cmt.flushed-alone", "judged on 1 of 2 L3 domains");
}

Test(each, a_pass_of_some_rmids_says_of_how_many)
{
    expect_said("cmt.alias", "filled under 2 of ");
    expect_said("mbm.alias", "read under 2 of ");
}
