/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The search for the smallest strength that is found, with a finder that is known. */
#include "tests/matrix/faults/strength_search.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Finds what is `from` away from `base` or further; the machine of seed `blind` needs twice that. */
struct finder {
    int64_t base, from;
    uint32_t blind, tries;
};

static uint32_t count(void *context, int64_t strength, uint32_t first, uint32_t n)
{
    struct finder *f = context;
    uint32_t found = 0;

    for (uint32_t seed = first; seed < first + n; seed++) {
        f->tries++;
        found += llabs(strength - f->base) >= (seed == f->blind ? 2 : 1) * f->from;
    }
    return found;
}

static int64_t weakest(struct finder *f, int64_t strongest, uint32_t seeds, uint32_t misses)
{
    struct strength_search s = { .seeds = seeds, .misses = misses, .batch = 4, .count = count, .context = f };
    struct strength_ladder l;
    uint32_t at;

    strength_ladder(&l, f->base, strongest);
    at = strength_search(&s, &l);
    return at == l.n ? f->base : l.rung[at];
}

Test(strength_ladder, goes_by_one_and_then_by_a_quarter_to_the_strongest)
{
    struct strength_ladder l;

    strength_ladder(&l, 0, 99);
    cr_expect_eq(l.rung[0], 1);
    cr_expect_eq(l.rung[7], 8);
    cr_expect_eq(l.rung[8], 10);
    cr_expect_eq(l.rung[l.n - 1], 99);
    for (uint32_t i = 1; i < l.n; i++)
        cr_expect(l.rung[i] > l.rung[i - 1] && l.rung[i] * 4 <= l.rung[i - 1] * 5 + 4 * (i < 8), "%u", i);
    strength_ladder(&l, 0, -100);
    cr_expect_eq(l.rung[0], -1);
    cr_expect_eq(l.rung[l.n - 1], -100);
    strength_ladder(&l, 32, 31);
    cr_expect(l.n == 1 && l.rung[0] == 31);
    strength_ladder(&l, 0, INT64_C(1) << 30);
    cr_expect_eq(l.rung[l.n - 1], INT64_C(1) << 30);
}

Test(strength_search, ends_with_the_weakest_that_is_found)
{
    for (int64_t from = 1; from <= 8; from++) {
        cr_expect_eq(weakest(&(struct finder){ .from = from }, 99, 20, 1), from);
        cr_expect_eq(weakest(&(struct finder){ .base = 62, .from = from }, 1, 20, 1), 62 - from);
    }
    cr_expect_eq(weakest(&(struct finder){ .from = 9 }, 99, 20, 1), 10, "the next rung");
    cr_expect_eq(weakest(&(struct finder){ .from = 100 }, 99, 20, 1), 0, "none");
}

Test(strength_search, lets_one_machine_of_twenty_miss_it_and_no_two)
{
    cr_expect_eq(weakest(&(struct finder){ .from = 3, .blind = 13 }, 99, 20, 1), 3);
    cr_expect_eq(weakest(&(struct finder){ .from = 3, .blind = 13 }, 99, 20, 0), 6);
}

Test(strength_search, tries_no_more_machines_than_it_takes)
{
    struct finder none = { .from = 100 };

    weakest(&none, 99, 20, 1);
    cr_expect_leq(none.tries, 5 * 4, "a batch a rung");
}
