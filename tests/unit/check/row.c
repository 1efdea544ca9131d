/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rows of checks and what their family gives them. The tables here take the place of the real ones. */
#include "core/check/row.h"

#include <criterion/criterion.h>

static const struct check_row rows[] = {
    { .id = "row.bare" },
    { .id = "row.full",
      .spec = "its own section",
      .means = "its own meaning",
      .next = "its own place to look",
      .needs = NEED_SMT,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 100 },
};
CHECK_FAMILY(some, rows, .spec = "a section", .means = "a meaning", .next = "a place to look", .needs = NEED_RDT_M,
             .risk = RISK_MSR, .grade = GRADE_W, .rests_on = RESTS_ON_REGISTERS, .by_experience = true,
             .excludes = true, .slow = true, .order = 300);

static const struct check_row lone[] = { { .id = "row.lone", .order = 200 } };
CHECK_FAMILY(other, lone);

const struct check_family *const check_families[] = { &check_family_some, &check_family_other, NULL };

Test(row, takes_from_its_family_what_it_does_not_say)
{
    const struct check_row *row = check_find("row.bare");

    cr_expect_str_eq(row->spec, "a section");
    cr_expect_str_eq(row->means, "a meaning");
    cr_expect_str_eq(row->next, "a place to look");
    cr_expect_eq(row->risk, RISK_MSR);
    cr_expect_eq(row->grade, GRADE_W);
    cr_expect_eq(row->order, 300);
}

Test(row, keeps_what_it_says_itself)
{
    const struct check_row *row = check_find("row.full");

    cr_expect_str_eq(row->spec, "its own section");
    cr_expect_str_eq(row->means, "its own meaning");
    cr_expect_str_eq(row->next, "its own place to look");
    cr_expect_eq(row->risk, RISK_WORKLOAD);
    cr_expect_eq(row->order, 100);
}

Test(row, has_its_familys_needs_beside_its_own)
{
    const struct check_row *row = check_find("row.full");

    cr_expect_eq(row->needs, NEED_RDT_M | NEED_SMT);
    cr_expect_eq(row->rests_on, RESTS_ON_REGISTERS | RESTS_ON_OCCUPANCY);
    cr_expect(row->by_experience && row->excludes && row->slow);
}

Test(row, order_is_the_familys_or_its_own)
{
    const struct check_row *first = check_next(NULL), *second = check_next(first), *third = check_next(second);

    cr_expect_str_eq(first->id, "row.full");
    cr_expect_str_eq(second->id, "row.lone");
    cr_expect_str_eq(third->id, "row.bare");
    cr_expect_null(check_next(third));
    cr_expect_eq(check_find("row.bare"), third);
    cr_expect_null(check_find("row.none"));
}
