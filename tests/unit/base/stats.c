/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/stats.h"

#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rollover.h"

#define NEAR(a, b) cr_expect_float_eq(a, b, 1e-9)

Test(stats_summary, is_what_a_table_calculator_says)
{
    double v[] = { 7, 1, 3, 5 };
    struct summary s;

    cr_assert_eq(stats_summary(v, 4, &s), ST_OK);
    cr_expect_eq(s.n, 4);
    NEAR(s.min, 1);
    NEAR(s.max, 7);
    NEAR(s.mean, 4);
    NEAR(s.median, 4);
    NEAR(s.deviation, sqrt(20.0 / 3));
}

Test(stats_summary, of_one_value_has_no_spread)
{
    double v[] = { 42 };
    struct summary s;

    cr_assert_eq(stats_summary(v, 1, &s), ST_OK);
    NEAR(s.median, 42);
    NEAR(s.deviation, 0);
}

/* Counts near 2^53 with a spread of 1: a sum of squares would have lost it. */
Test(stats_summary, keeps_a_small_spread_of_large_counts)
{
    double v[] = { 0x1p50 + 1, 0x1p50 + 3, 0x1p50 + 2 };
    struct summary s;

    cr_assert_eq(stats_summary(v, 3, &s), ST_OK);
    NEAR(s.deviation, 1);
}

Test(stats_summary, refuses_nothing_and_non_numbers)
{
    double bad[] = { 1, NAN }, endless[] = { INFINITY, 2 };
    struct summary s = { .n = 99 };

    cr_expect_eq(stats_summary(bad, 0, &s), ST_RANGE);
    cr_expect_eq(stats_summary(bad, 2, &s), ST_RANGE);
    cr_expect_eq(stats_summary(endless, 2, &s), ST_RANGE);
    cr_expect_eq(s.n, 99, "a refused summary must not be written");
}

Test(stats_sort, sorts_every_order_of_many_lengths)
{
    double v[257];

    for (size_t n = 0; n <= 257; n++) {
        for (unsigned order = 0; order < 4; order++) {
            double sum = 0, after = 0;

            for (size_t i = 0; i < n; i++) {
                v[i] = order == 0   ? (double)i
                       : order == 1 ? (double)(n - i)
                       : order == 2 ? (double)(i * 7919 % 101)
                                    : 5;
                sum += v[i];
            }
            stats_sort(v, n);
            for (size_t i = 0; i < n; i++) {
                after += v[i];
                cr_assert(i == 0 || v[i - 1] <= v[i], "n = %zu, order %u", n, order);
            }
            cr_assert_float_eq(sum, after, 1e-6);
        }
    }
}

static struct line l;

Test(stats_line, finds_slope_intercept_and_correlation)
{
    double x[] = { 1, 2, 3, 4 }, y[] = { 5, 7, 9, 11 };

    cr_assert_eq(stats_line(x, y, 4, &l), ST_OK);
    NEAR(l.slope, 2);
    NEAR(l.intercept, 3);
    NEAR(l.correlation, 1);
    for (int i = 0; i < 4; i++)
        y[i] = -y[i];
    cr_assert_eq(stats_line(x, y, 4, &l), ST_OK);
    NEAR(l.correlation, -1);
}

Test(stats_line, of_a_flat_curve_has_no_correlation)
{
    double x[] = { 1, 2, 3 }, y[] = { 4, 4, 4 };

    cr_assert_eq(stats_line(x, y, 3, &l), ST_OK);
    NEAR(l.slope, 0);
    NEAR(l.correlation, 0);
}

Test(stats_line, refuses_what_has_no_line)
{
    double x[] = { 2, 2, 2 }, y[] = { 1, 2, 3 }, bad[] = { 1, NAN, 3 };

    cr_expect_eq(stats_line(x, y, 3, &l), ST_RANGE);
    cr_expect_eq(stats_line(y, x, 1, &l), ST_RANGE);
    cr_expect_eq(stats_line(y, bad, 3, &l), ST_RANGE);
    cr_expect_eq(stats_robust_line(x, y, 3, &l), ST_RANGE);
    cr_expect_eq(stats_robust_line(y, x, 1, &l), ST_RANGE);
    cr_expect_eq(stats_robust_line(y, bad, 3, &l), ST_RANGE);
}

Test(stats_robust_line, is_not_moved_by_a_wild_point)
{
    double x[] = { 1, 2, 3, 4, 5, 6, 7 }, y[] = { 3, 5, 7, 900, 11, 13, 15 };
    struct line robust, least;

    cr_assert_eq(stats_robust_line(x, y, 7, &robust), ST_OK);
    cr_assert_eq(stats_line(x, y, 7, &least), ST_OK);
    NEAR(robust.slope, 2);
    NEAR(robust.intercept, 1);
    cr_expect_gt(least.intercept, 50, "least squares does follow the wild point");
}

/* --- roll-over --------------------------------------------------------------------------------------------------- */

Test(counter_delta, goes_round_at_any_width)
{
    for (unsigned width = 1; width <= 64; width++) {
        uint64_t max = low_bits(width);

        cr_expect_eq(counter_delta(0, max, width), max, "width %u", width);
        cr_expect_eq(counter_delta(max, 0, width), 1 & max, "width %u", width);
        cr_expect_eq(counter_delta(max, max, width), 0, "width %u", width);
        cr_expect_eq(counter_delta(max - (max > 1), 1, width), max > 1 ? 3 & max : 0, "width %u", width);
    }
}

Test(counter_delta, does_not_see_bits_beyond_the_width)
{
    cr_expect_eq(counter_delta(0xFF000010, 0xAB000020, 24), 0x10);
    cr_expect_eq(counter_delta(5, 9, 0), 0);
    cr_expect_eq(counter_delta(UINT64_MAX, 4, 64), 5);
}

/* Student's t with 4 degrees of freedom is 2.776 at 97.5 %. */
Test(stats_mean_interval, is_what_a_table_calculator_says)
{
    double v[] = { 9, 10, 10, 10, 11 }, mean = 0, half = 0;

    cr_assert_eq(stats_mean_interval(v, 5, &mean, &half), ST_OK);
    NEAR(mean, 10);
    cr_expect_float_eq(half, 2.776 * sqrt(0.5 / 5), 1e-9);
}

Test(stats_mean_interval, is_nothing_where_all_are_alike)
{
    double v[40], mean = 0, half = 1;

    for (size_t i = 0; i < 40; i++)
        v[i] = 7;
    cr_assert_eq(stats_mean_interval(v, 40, &mean, &half), ST_OK);
    NEAR(mean, 7);
    NEAR(half, 0);
}

Test(stats_mean_interval, refuses_one_value_and_non_numbers)
{
    double v[] = { 1, NAN }, mean = 3, half = 4;

    cr_expect_eq(stats_mean_interval(v, 1, &mean, &half), ST_RANGE);
    cr_expect_eq(stats_mean_interval(v, 2, &mean, &half), ST_RANGE);
    NEAR(mean, 3);
    NEAR(half, 4);
}

/* Of 20,000 medians of five normal values one in a hundred is further off. */
Test(stats_median_reach, holds_the_median_ninety_nine_times_in_a_hundred)
{
    static const size_t sizes[] = { 3, 4, 5, 9, 19 };
    uint64_t state = 12345;

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint32_t beyond = 0;

        for (uint32_t t = 0; t < 20000; t++) {
            double v[19], median;

            for (size_t i = 0; i < sizes[k]; i++) {
                v[i] = -6; /* the sum of twelve uniform values is as good as normal */
                for (uint32_t n = 0; n < 12; n++) {
                    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                    v[i] += (double)(state >> 11) / 9007199254740992.0;
                }
            }
            stats_sort(v, sizes[k]);
            median = stats_sorted_median(v, sizes[k]);
            beyond += (median < 0 ? -median : median) > stats_median_reach(v, sizes[k]);
        }
        cr_expect(beyond > 120 && beyond < 280, "%zu values: %u of 20000", sizes[k], beyond);
    }
}

Test(stats_median_reach, is_not_moved_by_one_wild_value_of_nine)
{
    const double calm[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, wild[] = { -1000, 2, 3, 4, 5, 6, 7, 8, 9000 };

    cr_expect_float_eq(stats_median_reach(calm, 9), stats_median_reach(wild, 9), 1e-9);
    cr_expect_float_eq(stats_median_reach(calm, 2), 0, 1e-9);
}
