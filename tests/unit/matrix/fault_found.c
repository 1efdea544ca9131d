/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which checks look for a fault, and what counts as found. */
#include "tests/matrix/faults/fault_found.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct model_fault fault = { .name = "f", .rows = "CM-12,MB-15" };
static const struct model_fault as_skip = { .name = "g", .rows = "CM-12", .found_as = "SKIP" };

/* The check that is the first to hold a row. */
static const char *holder(const char *row)
{
    const struct check_row *c = check_next(NULL);

    while (c && !rows_meet(c->covers, row))
        c = check_next(c);
    cr_assert(c, "no check holds %s", row);
    return c->id;
}

static const char *line(const char *row, const char *verdict)
{
    static char out[128];

    snprintf(out, sizeof out, "enum.kind PASS \n%s %s because\n", holder(row), verdict);
    return out;
}

Test(fault_found, by_a_fail_or_a_warning_of_a_check_that_holds_a_row)
{
    cr_expect(fault_is_found(&fault, line("CM-12", "FAIL")));
    cr_expect(fault_is_found(&fault, line("MB-15", "WARN")));
    cr_expect_not(fault_is_found(&fault, line("CM-12", "PASS")));
    cr_expect_not(fault_is_found(&fault, line("CM-12", "ERROR")));
    cr_expect_not(fault_is_found(&fault, ""));
}

Test(fault_found, not_by_a_check_that_holds_none_of_its_rows)
{
    cr_expect_not(fault_is_found(&fault, line("EN-03", "FAIL")));
}

Test(fault_found, by_the_verdict_that_the_fault_names)
{
    cr_expect(fault_is_found(&as_skip, line("CM-12", "SKIP")));
    cr_expect_not(fault_is_found(&fault, line("CM-12", "SKIP")));
}

Test(fault_found, proves_only_the_rows_of_the_check_that_found_it)
{
    const struct check_row *c = check_find(holder("CM-12"));

    cr_expect(fault_proves(&fault, line("CM-12", "FAIL"), "CM-12"));
    cr_expect_eq(fault_proves(&fault, line("CM-12", "FAIL"), "MB-15"), rows_meet(c->covers, "MB-15"));
    cr_expect_not(fault_proves(&fault, line("EN-03", "FAIL"), "EN-03"), "the fault does not name that row");
}

Test(fault_found, selects_the_checks_of_its_rows_and_no_other)
{
    struct whole_run w = { 0 };
    uint32_t n = 0;

    fault_select(&fault, profile_by_name("spr"), false, &w);
    for (; w.tests[n]; n++)
        cr_expect(rows_meet(check_find(w.tests[n])->covers, fault.rows), "%s", w.tests[n]);
    cr_expect_gt(n, 1);
}

Test(fault_found, leaves_out_the_long_checks_of_other_rows)
{
    struct whole_run w = { 0 };

    fault_select(&fault, profile_by_name("spr"), true, &w);
    cr_expect_null(w.tests[0]);
    for (uint32_t i = 0; w.skips[i]; i++)
        if (strcmp(w.skips[i], MACHINE_RUN_NEVER) != 0)
            cr_expect(check_find(w.skips[i])->slow && !rows_meet(check_find(w.skips[i])->covers, fault.rows), "%s",
                      w.skips[i]);
}

Test(fault_found, knows_the_rows_of_rdt)
{
    cr_expect(rows_of_rdt("EN-03,CM-02") && rows_of_rdt("MB-02") && rows_of_rdt("CA-08") && rows_of_rdt("CD-01") &&
              rows_of_rdt("MA-04"));
    cr_expect_not(rows_of_rdt("EN-03,QM-01,X3"));
}
