/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which of several monitors to doubt, with figures made by hand. The load is 8,000,000 bytes, the budgets are 1 % for
 * the load and 4 % for each monitor. */
#include <criterion/criterion.h>

#include "core/checks/traffic/closure.h"

#define ABSENT (-1.0)

static void fill(struct closure_witness *w, double core, double mbm, double memory)
{
    w[0] = (struct closure_witness){ "load", 8e6, 0.01, 0 };
    w[1] = (struct closure_witness){ "core", core, 0.04, 0 };
    w[2] = (struct closure_witness){ "MBM", mbm, 0.04, 65536 };
    w[3] = (struct closure_witness){ "memory", memory, 0.04, 0 };
}

static enum closure judged(double core, double mbm, double memory, uint32_t *alone)
{
    struct closure_witness w[4];

    *alone = 99;
    fill(w, core, mbm, memory);
    return closure_judge(w, 4, alone);
}

Test(closure, a_pair_may_be_as_far_apart_as_both_budgets_and_units)
{
    struct closure_witness a = { "a", 8e6, 0.01, 0 }, b = { "b", 8.4e6, 0.04, 0 };

    cr_expect(closure_pair(&a, &b), "400000 apart, 5 %% of 8400000 are 420000");
    b.bytes = 8.43e6;
    cr_expect_not(closure_pair(&a, &b), "430000 apart, 421500 allowed");
    b.floor = 10000;
    cr_expect(closure_pair(&a, &b), "and 10000 of its unit");
    cr_expect(closure_pair(&b, &a));
}

static uint32_t alone;

Test(closure, all_agree)
{
    cr_expect_eq(judged(8.1e6, 7.95e6, 8.2e6, &alone), CLOSURE_AGREE);
    cr_expect_eq(alone, 99, "written only where one disagrees with the rest");
}

Test(closure, less_than_the_least_disagrees)
{
    struct closure_witness w[4];
    double least;

    fill(w, 8e6, 8.1e6, ABSENT);
    least = closure_least(w, 4, 1);
    cr_expect_float_eq(least, 8.1e6 * 0.92 - 65536 > 8e6 * 0.95 ? 8.1e6 * 0.92 - 65536 : 8e6 * 0.95, 1);
    cr_expect_eq(judged(least + 1, 8.1e6, ABSENT, &alone), CLOSURE_AGREE);
    cr_expect_neq(judged(least - 1, 8.1e6, ABSENT, &alone), CLOSURE_AGREE);
}

Test(closure, the_one_that_counts_half_stands_alone)
{
    cr_expect_eq(judged(8e6, 4e6, 8e6, &alone), CLOSURE_ALONE);
    cr_expect_eq(alone, 2);
    cr_expect_eq(judged(8e6, 8e6, 16e6, &alone), CLOSURE_ALONE);
    cr_expect_eq(alone, 3);
    cr_expect_eq(judged(0, 8e6, 8e6, &alone), CLOSURE_ALONE);
    cr_expect_eq(alone, 1);
}

Test(closure, monitors_that_agree_outvote_the_load)
{
    cr_expect_eq(judged(16e6, 16e6, 16e6, &alone), CLOSURE_ALONE);
    cr_expect_eq(alone, 0);
}

Test(closure, two_against_two_names_none)
{
    cr_expect_eq(judged(8e6, 4e6, 4e6, &alone), CLOSURE_SPLIT);
    cr_expect_eq(alone, 99);
    cr_expect_eq(judged(6e6, 4e6, 2e6, &alone), CLOSURE_SPLIT);
}

Test(closure, two_witnesses_cannot_outvote_each_other)
{
    cr_expect_eq(judged(ABSENT, ABSENT, 4e6, &alone), CLOSURE_FEW);
    cr_expect_eq(judged(8e6, ABSENT, 4e6, &alone), CLOSURE_ALONE, "three can");
    cr_expect_eq(alone, 3);
}

/* 7.6, 8.0 and 8.4 million: the outer two are 800,000 apart, 8 % of 8.4 million are 672,000. Without either the rest
 * agrees; the load is nearer to neither, so the farther from all the others is named. */
Test(closure, of_two_that_could_be_left_out_the_farther_is_named)
{
    struct closure_witness w[4];

    fill(w, 7.7e6, ABSENT, 8.41e6);
    cr_expect_eq(closure_judge(w, 4, &alone), CLOSURE_ALONE);
    cr_expect_eq(alone, 3, "0.3 + 0.71 against 0.41 + 0.71 million");
}

Test(closure, what_stands_alone_is_compared_with_one_that_counts)
{
    struct closure_witness w[4];

    fill(w, ABSENT, 8e6, ABSENT);
    cr_expect_eq(closure_other(w, 4, 0), 2, "neither the core nor memory counts");
    cr_expect_eq(closure_other(w, 4, 2), 0);
    fill(w, 8e6, 8e6, 8e6);
    cr_expect_eq(closure_other(w, 4, 0), 1);
}
