/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/tools/scatter.h"

#include <criterion/criterion.h>

Test(scatter, finds_the_piece_that_an_address_is_in)
{
    struct scatter s = { .n = 0 };
    uint64_t at = scatter_next(&s), bytes = 0x3000;

    cr_assert(scatter_add(&s, 0x10000, 0x1000));
    cr_assert(scatter_add(&s, 0x80000, 0x2000));
    cr_expect_eq(scatter_find(&s, at, &bytes), 0x10000);
    cr_expect_eq(bytes, 0x1000, "as far as it goes");
    bytes = 0x40;
    cr_expect_eq(scatter_find(&s, at + 0x1040, &bytes), 0x80040);
    cr_expect_eq(bytes, 0x40);
    cr_expect_eq(scatter_find(&s, at + 0x3000, &bytes), 0);
    cr_expect_eq(bytes, 0, "after all of them");
}

Test(scatter, leaves_addresses_of_memory_as_they_are)
{
    uint64_t bytes = 0x3000;

    cr_expect_eq(scatter_find(NULL, 0xFFFFFFFFFF000, &bytes), 0xFFFFFFFFFF000, "the highest page of 52 bits");
    cr_expect_eq(bytes, 0x3000);
}

Test(scatter, is_full_at_some_time_and_empty_after_a_reset)
{
    struct scatter s = { .n = 0 };
    uint64_t bytes = 0x40;

    for (uint32_t i = 0; i < SCATTER_MOST; i++)
        cr_assert(scatter_add(&s, 0x10000, 0x1000));
    cr_expect_not(scatter_add(&s, 0x10000, 0x1000));
    scatter_reset(&s);
    cr_expect_eq(scatter_next(&s), SCATTER_BASE);
    cr_expect_eq(scatter_find(&s, SCATTER_BASE, &bytes), 0);
    cr_expect_eq(bytes, 0);
}
