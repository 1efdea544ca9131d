/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/progress.h"

#include <criterion/criterion.h>

/* No preconditions are wanted of rows that need nothing; of the tables' own rows only those are selected. */
static struct machine machine;
static struct cpu cpu;
static const struct platform_ops no_ops;
static struct platform platform = { .ops = &no_ops };
static struct options options;

static struct engine engine_for(const char *pattern)
{
    machine = (struct machine){ .n_cpus = 1, .cpus = &cpu, .platform = &platform };
    options_default(&options);
    options.n_tests = 1;
    for (size_t i = 0; pattern[i]; i++)
        options.tests[0][i] = pattern[i];
    return (struct engine){ .platform = &platform, .machine = &machine, .options = &options };
}

/* A row of the tables that needs nothing of the machine, and one that needs RDT. */
static const struct check_row *row_that(bool needs)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if ((row->needs != 0) == needs)
            return row;
    return NULL;
}

Test(progress, knows_nothing_before_the_first_check_has_ended)
{
    struct engine e = engine_for("*");
    struct progress p;
    uint64_t ms = 77;

    progress_begin(&p, &e);
    cr_expect_not(progress_left(&p, &ms));
    cr_expect_eq(ms, 77);
}

Test(progress, expects_of_each_round_what_the_last_one_took)
{
    struct engine e = engine_for(row_that(false)->id);
    struct check_state state = { 0 };
    struct check c = { .row = row_that(false), .state = &state };
    struct progress p;
    uint64_t ms = 0;

    options.repeat = 4;
    progress_begin(&p, &e);
    progress_check_begins(&p, 1000);
    progress_check_ended(&p, &e, &c, 1500);
    cr_assert(progress_left(&p, &ms));
    cr_expect_eq(ms, 3 * 500);
    progress_check_begins(&p, 2000);
    progress_check_ended(&p, &e, &c, 2100);
    cr_assert(progress_left(&p, &ms));
    cr_expect_eq(ms, 2 * 300);
}

Test(progress, learns_nothing_from_a_check_that_the_machine_cannot_run)
{
    struct engine e = engine_for("*");
    struct check_state state = { .record = { .verdict = VERDICT_SKIP } };
    struct check c = { .row = row_that(true), .state = &state };
    struct progress p;
    uint64_t ms = 0;

    progress_begin(&p, &e);
    progress_check_begins(&p, 0);
    progress_check_ended(&p, &e, &c, 9000);
    cr_expect_not(progress_left(&p, &ms));
}
