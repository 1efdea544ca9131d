/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which bits of a bandwidth counter have been shown to move. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "core/experiment/mbm_counts.h"

#define READINGS 64u

/* Steps of five, as the check takes them, from a start just before the wrap; what is lost of each reading. */
static uint64_t idle_of(uint32_t width, uint64_t stuck_at_1, uint64_t stuck_at_0)
{
    uint64_t counts[READINGS];

    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = (((BIT(width) - 100 + 5 * i) & low_bits(width)) | stuck_at_1) & ~stuck_at_0;
    return mbm_idle_bits(counts, READINGS, width, 24576);
}

Test(mbm_bits, a_sound_counter_has_none_that_stand_still)
{
    cr_expect_eq(idle_of(24, 0, 0), 0);
    cr_expect_eq(idle_of(44, 0, 0), 0);
}

/* 315 counts are more than twice 128: bits 0 to 7 are known, what lies above is not judged. */
Test(mbm_bits, a_stuck_bit_is_named)
{
    cr_expect_eq(idle_of(24, BIT(3), 0), BIT(3));
    cr_expect_eq(idle_of(24, 0, BIT(0)), BIT(0));
    cr_expect_eq(idle_of(24, 0, BIT(6)) & BIT(6), BIT(6));
    cr_expect_eq(idle_of(24, 0, BIT(20)) & ~low_bits(9), 0);
}

Test(mbm_bits, a_counter_that_does_not_move_says_nothing_of_its_bits)
{
    uint64_t counts[3] = { 7, 7, 7 };

    cr_expect_eq(mbm_idle_bits(counts, 3, 24, 24576), 0);
}

/* AMD counts lines, and fetches pairs of them unasked: then no count is odd, and nothing is wrong. */
Test(mbm_bits, a_bit_for_less_than_two_lines_may_stand_still)
{
    uint64_t counts[READINGS];

    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = 66 * i;
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 64), 0);
    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = (65 * i) & ~BIT(0);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 64), 0);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 128), BIT(0));
    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = (65 * i) & ~BIT(1);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 64), BIT(1));
}

/* One set of twelve is counted, for twelve: bits 0 and 1 stand for nothing. A stuck bit leaves steps of 2 at most. */
Test(mbm_bits, what_is_counted_twelve_at_a_time_has_no_low_bits)
{
    uint64_t counts[READINGS];

    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = 12 * (5 * i + (i % 7 == 0));
    cr_expect_eq(mbm_count_step(counts, READINGS, 44), 12);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 64), 0);
    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] |= BIT(3);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 64), BIT(3));
    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = (5 * i) | BIT(0);
    cr_expect_eq(mbm_count_step(counts, READINGS, 44), 1);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 128), BIT(0));
}

/* Eight times 2^61 is more than 64 bits hold. */
Test(mbm_bits, counts_may_go_through_all_of_62_bits)
{
    uint64_t counts[9];

    for (uint32_t i = 0; i < 9; i++)
        counts[i] = (uint64_t)i << 58;
    cr_expect_eq(mbm_idle_bits(counts, 9, 62, 64), 0);
}

/* A fifth of five counts is lost each time. */
Test(mbm_bits, steps_that_are_alike_are_of_no_stuck_bit)
{
    uint64_t counts[READINGS];

    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = 0x106e + 4 * i;
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 24, 24576), 0);
    for (uint32_t i = 0; i < READINGS; i++)
        counts[i] = 0x2f1dc + 12 * i + (i > 60);
    cr_expect_eq(mbm_idle_bits(counts, READINGS, 44, 24576), 0);
}

/* --- which bits are in use */

#define RMIDS 64u

/* Anywhere below 2^width, as a generator has them. */
static void stand_anywhere(uint64_t *counts, uint32_t width)
{
    uint64_t x = 1;

    for (uint32_t i = 0; i < RMIDS; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        counts[i] = x >> 20 & low_bits(width);
    }
}

Test(mbm_bits, counters_that_stand_anywhere_show_their_width)
{
    uint64_t counts[RMIDS];

    stand_anywhere(counts, 20);
    cr_expect_eq(mbm_bits_in_use(counts, RMIDS, 1000), 20);
    stand_anywhere(counts, 24);
    cr_expect_eq(mbm_bits_in_use(counts, RMIDS, 1000), 24);
    cr_expect_eq(mbm_bits_in_use(counts, 31, 1000), 0, "too few");
}

/* Another size under each RMID, as concurrent reads have them: spread as well, but all of it was moved here. */
Test(mbm_bits, counters_that_started_at_0_say_nothing)
{
    uint64_t counts[RMIDS], sum = 0;

    for (uint32_t i = 0; i < RMIDS; i++)
        sum += counts[i] = 100 * (i + 1);
    cr_expect_neq(mbm_bits_in_use(counts, RMIDS, 0), 0, "else the next line shows nothing");
    cr_expect_eq(mbm_bits_in_use(counts, RMIDS, sum), 0);
    cr_expect_eq(mbm_bits_in_use(counts, RMIDS, sum / 4), 0);
}

/* A few RMIDs that a system before this boot used. */
Test(mbm_bits, counters_of_which_few_are_high_say_nothing)
{
    uint64_t counts[RMIDS] = { 0 };

    for (uint32_t i = 0; i < 6; i++)
        counts[i] = 900000 + i;
    cr_expect_eq(mbm_bits_in_use(counts, RMIDS, 10), 0);
    for (uint32_t i = 0; i < RMIDS; i++)
        counts[i] = 900000 + i * 16;
    cr_expect_eq(mbm_bits_in_use(counts, RMIDS, 10), 0, "all are alike");
}
