/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/free_memory.h"

#include <criterion/criterion.h>

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* In no order, as firmware's map may be. */
static const struct free_range ranges[] = {
    { 4 * GIB, 6 * GIB },
    { 0x1000, 0x9F000 },
    { 16 * MIB + 12 * KIB, 20 * MIB },
    { 1 * MIB, 1 * MIB + 64 * KIB },
};

static uint64_t fit(uint64_t lo, uint64_t hi, uint64_t bytes)
{
    uint64_t at = 0;

    return free_memory_fit(ranges, 4, lo, hi, bytes, &at) == ST_OK ? at : 0;
}

Test(free_memory_fit, takes_the_lowest_place_above_1_mib)
{
    cr_expect_eq(fit(0, UINT64_MAX, 1), 1 * MIB);
    cr_expect_eq(fit(0, UINT64_MAX, 64 * KIB), 1 * MIB);
    cr_expect_eq(fit(0, UINT64_MAX, 64 * KIB + 1), 16 * MIB + 12 * KIB, "a page more");
}

Test(free_memory_fit, takes_a_multiple_of_2_mib_for_2_mib_and_more_where_there_is_one)
{
    cr_expect_eq(fit(0, UINT64_MAX, 2 * MIB), 18 * MIB);
    cr_expect_eq(fit(0, UINT64_MAX, 2 * MIB + 1), 4 * GIB, "one page more does not fit after 18 MiB");
    cr_expect_eq(fit(0, 1 * GIB, 2 * MIB + 1), 16 * MIB + 12 * KIB, "else on any page");
}

Test(free_memory_fit, stays_inside_of_what_was_asked_for)
{
    cr_expect_eq(fit(5 * GIB + 1, UINT64_MAX, 4 * KIB), 5 * GIB + 4 * KIB);
    cr_expect_eq(fit(4 * GIB, 5 * GIB, 1 * GIB), 4 * GIB);
    cr_expect_eq(fit(4 * GIB, 5 * GIB, 1 * GIB + 1), 0);
    cr_expect_eq(fit(4 * GIB, 4 * GIB + 8 * KIB - 1, 8 * KIB), 0, "the last page is not whole");
    cr_expect_eq(fit(0, 1 * MIB, 4 * KIB), 0, "nothing below 1 MiB");
    cr_expect_eq(fit(2 * GIB, 1 * GIB, 4 * KIB), 0);
}

Test(free_memory_fit, refuses_sizes_that_are_none)
{
    uint64_t at = 42;

    cr_expect_eq(free_memory_fit(ranges, 4, 0, UINT64_MAX, 0, &at), ST_RANGE);
    cr_expect_eq(free_memory_fit(ranges, 4, 0, UINT64_MAX, UINT64_MAX, &at), ST_RANGE);
    cr_expect_eq(free_memory_fit(ranges, 4, 0, UINT64_MAX, 3 * GIB, &at), ST_NO_MEMORY);
    cr_expect_eq(free_memory_fit(NULL, 0, 0, UINT64_MAX, 4096, &at), ST_NO_MEMORY);
    cr_expect_eq(at, 42);
}

Test(free_memory_largest, is_that_of_one_piece_inside)
{
    cr_expect_eq(free_memory_largest(ranges, 4, 0, UINT64_MAX), 2 * GIB);
    cr_expect_eq(free_memory_largest(ranges, 4, 0, 4 * GIB), 4 * MIB - 12 * KIB);
    cr_expect_eq(free_memory_largest(ranges, 4, 5 * GIB, UINT64_MAX), 1 * GIB);
    cr_expect_eq(free_memory_largest(ranges, 4, 0, 1 * MIB), 0);
}
