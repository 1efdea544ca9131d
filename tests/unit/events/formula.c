/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/events/formula.h"

#include <criterion/criterion.h>
#include <string.h>

struct asked {
    unsigned n;
    enum formula_of last;
};

/* a/b is 6, c is 2; others are not known. */
static bool known_value(void *context, const char *event, enum formula_of of, double *value)
{
    struct asked *asked = context;

    asked->n++;
    asked->last = of;
    *value = strcmp(event, "a/b") == 0 ? 6 : 2;
    return strcmp(event, "a/b") == 0 || strcmp(event, "c") == 0;
}

static enum status evaluate(const char *formula, double *result, struct asked *asked)
{
    const struct formula_values values = { known_value, asked };

    *asked = (struct asked){ 0 };
    return formula_evaluate(formula, &values, result);
}

Test(formula, operators_have_their_order)
{
    static const struct {
        const char *formula;
        double is;
    } rows[] = {
        { "7", 7 },
        { "0.25", 0.25 },
        { "1e9", 1e9 },
        { "a/b", 6 },
        { "a/b / c", 3 },
        { "1 + a/b * c", 13 },
        { "( 1 + a/b ) * c", 14 },
        { "8 - 4 - 2", 2 },
        { "64 / 4 / 2", 8 },
        { "100 * a/b / ( a/b + c )", 75 },
        { "1e3 * mean( a/b ) / bytes( c )", 3000 },
        { "a/b / ( boxes( c ) * 1 )", 3 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asked asked;
        double result = -1;

        cr_expect_eq(evaluate(rows[i].formula, &result, &asked), ST_OK, "%s", rows[i].formula);
        cr_expect_float_eq(result, rows[i].is, 1e-9, "%s: %f", rows[i].formula, result);
    }
}

Test(formula, an_event_that_is_not_known_leaves_no_result_and_the_others_are_asked_for)
{
    struct asked asked;
    double result = -1;

    cr_expect_eq(evaluate("a/b / nobody + mean( c )", &result, &asked), ST_ABSENT);
    cr_expect_eq(asked.n, 3);
    cr_expect_eq(asked.last, FORMULA_MEAN);
    cr_expect_eq(result, -1);
}

Test(formula, division_by_zero_is_no_number)
{
    struct asked asked;
    double result = 0;

    cr_expect_eq(evaluate("c / 0", &result, &asked), ST_OK);
    cr_expect(__builtin_isinf(result));
}

Test(formula, what_is_no_formula_is_refused)
{
    static const char *const bad[] = {
        "",
        "+",
        "a/b +",
        "a/b c",
        "( a/b",
        "a/b )",
        "mean( )",
        "mean( a/b",
        "( )",
        "1 + + 2",
        "1 ( 2 )",
        "* 2",
        "( ( ( ( ( ( ( ( ( 1 ) ) ) ) ) ) ) ) )",
        "1 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
        "abcdefghijklmnopqrstuvwxyz"
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct asked asked;
        double result = -1;

        cr_expect_eq(evaluate(bad[i], &result, &asked), ST_CORRUPT, "%s", bad[i]);
        cr_expect_eq(result, -1);
    }
}
