/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/search.h"

#include <criterion/criterion.h>

static const uint32_t values[] = { 3, 5, 7, 5 };

static const uint32_t none = 0;
static uint32_t asked;

static bool is_asked(bool answer)
{
    asked++;
    return answer;
}

Test(search, finds_the_first_element_and_its_index)
{
    cr_expect_eq(INDEX_OF(i, 4, values[i] == 5), 1);
    cr_expect_eq(INDEX_OF(i, 4, values[i] == 6), 4, "there is none");
    cr_expect_eq(FIND(i, 4, values[i] > 5, &values[i], NULL), &values[2]);
    cr_expect_null(FIND(i, 4, values[i] > 7, &values[i], NULL));
}

Test(search, asks_no_element_after_the_answer)
{
    cr_expect(ANY_OF(i, 4, is_asked(values[i] == 5)));
    cr_expect_eq(asked, 2);
    cr_expect_not(ALL_OF(i, 4, is_asked(values[i] != 7)));
    cr_expect_eq(asked, 5);
}

Test(search, says_of_no_elements_that_none_has_it_and_all_have)
{
    cr_expect_not(ANY_OF(i, none, true));
    cr_expect(ALL_OF(i, none, false));
    cr_expect_eq(HOW_MANY(i, none, true), 0);
    cr_expect_eq(INDEX_OF(i, none, true), 0);
}

Test(search, sums_and_counts_all_elements)
{
    cr_expect_eq(SUM_OF(uint64_t, i, 4, values[i]), 20);
    cr_expect_eq(HOW_MANY(i, 4, values[i] & 4), 3, "a bit that is set is one element");
}

Test(search, passes_over_each_element_and_over_an_array_that_is_not_there)
{
    const uint32_t *nothing = NULL;
    uint32_t sum = 0;

    EACH(const uint32_t, value, values, 4)
        sum += *value;
    EACH(const uint32_t, value, nothing, none)
        sum += *value;
    cr_expect_eq(sum, 20);
}
