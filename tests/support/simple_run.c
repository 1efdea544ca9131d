/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/simple_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct simple_run *simple_run_new(const struct simple_part *part)
{
    struct simple_run *r = calloc(1, sizeof *r);

    cr_assert(r);
    r->machine = calloc(1, sizeof *r->machine);
    cr_assert(r->machine);
    r->silicon = simple_silicon_new(part, r->machine);
    return r;
}

void simple_run_all(struct simple_run *r)
{
    whole_run_on(simple_silicon_platform(r->silicon), r->machine, &r->checks);
}

void simple_run_free(struct simple_run *r)
{
    whole_run_free(&r->checks);
    simple_silicon_free(r->silicon, r->machine);
    free(r->machine);
    free(r);
}

enum verdict simple_run_verdict(const struct simple_part *part, const char *id, char reason[256])
{
    struct simple_run *r = simple_run_new(part);
    enum verdict v;

    r->checks.tests[0] = id;
    simple_run_all(r);
    cr_assert_eq(r->checks.n, 1, "%s", id);
    v = r->checks.checks[0].verdict;
    if (reason)
        memcpy(reason, r->checks.checks[0].reason, sizeof r->checks.checks[0].reason);
    simple_run_free(r);
    return v;
}
