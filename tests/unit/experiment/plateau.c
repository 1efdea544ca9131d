/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/plateau.h"

#include <criterion/criterion.h>
#include <math.h>

#define RMIDS 64u

static void flat(double *y, size_t n, double level)
{
    for (size_t i = 0; i < n; i++)
        y[i] = level * (1 + 0.01 * ((double)(i * 7 % 5) - 2)); /* 2 % of noise */
}

static struct plateau found(const double *y, size_t n, double share)
{
    struct plateau p = { 0 };

    cr_assert_eq(plateau_find(y, n, share, &p), ST_OK);
    return p;
}

Test(plateau, says_nothing_of_a_flat_series)
{
    double y[RMIDS];

    flat(y, RMIDS, 1);
    struct plateau p = found(y, RMIDS, 0.08);
    cr_expect_not(p.stepped);
    cr_expect_eq(p.at, RMIDS);
    cr_expect_eq(p.outliers, 0);
    cr_expect_eq(p.first_outlier, RMIDS);
    cr_expect_float_eq(p.level, 1, 0.011);
    cr_expect_float_eq(p.lowest, 0.98, 1e-9);
    cr_expect_float_eq(p.highest, 1.02, 1e-9);
}

/* BDF102 on a part of 80 RMIDs: those above 63 count 1 / 1.066553 of the load, less than 8 % away; SKX99 on one of 136
 * counts 1 / 1.254863 above 127. */
Test(plateau, names_the_first_point_of_the_second_level)
{
    double y[136];

    flat(y, 136, 1);
    flat(y + 128, 8, 1 / 1.254863);
    struct plateau p = found(y, 136, 0.08);
    cr_expect(p.stepped);
    cr_expect_eq(p.at, 128);
    cr_expect_float_eq(p.level, 1, 0.011);
    cr_expect_float_eq(p.after, 1 / 1.254863, 0.02);
    cr_expect_eq(p.outliers, 0);
    flat(y, 136, 1 / 1.066553);
    flat(y, 64, 1);
    cr_expect_not(found(y, 80, 0.08).stepped, "6 % apart are alike at 8 %");
    cr_expect(found(y, 80, 0.04).stepped);
    cr_expect_eq(found(y, 80, 0.04).at, 64);
}

Test(plateau, a_single_outlier_is_no_step)
{
    double y[RMIDS];

    flat(y, RMIDS, 1);
    y[40] = 0;
    struct plateau p = found(y, RMIDS, 0.08);
    cr_expect_not(p.stepped);
    cr_expect_eq(p.outliers, 1);
    cr_expect_eq(p.first_outlier, 40);
    cr_expect_eq(p.lowest, 0);
    y[40] = 1;
    y[RMIDS - 1] = 2; /* the last one alone makes no level */
    p = found(y, RMIDS, 0.08);
    cr_expect_not(p.stepped);
    cr_expect_eq(p.first_outlier, RMIDS - 1);
}

Test(plateau, finds_outliers_on_both_levels)
{
    double y[RMIDS];

    flat(y, RMIDS, 1);
    flat(y + 32, 32, 2);
    y[3] = 2; /* of the other level */
    y[50] = 1;
    struct plateau p = found(y, RMIDS, 0.08);
    cr_expect(p.stepped);
    cr_expect_eq(p.at, 32);
    cr_expect_eq(p.outliers, 2);
    cr_expect_eq(p.first_outlier, 3);
}

/* RMID 0 carries the background: its count must not draw the step to itself. */
Test(plateau, finds_the_step_in_spite_of_outliers)
{
    double y[16];

    flat(y, 8, 1);
    flat(y + 8, 8, 0.75);
    y[0] = 300;
    y[15] = 0;
    cr_expect(found(y, 16, 0.15).stepped);
    cr_expect_eq(found(y, 16, 0.15).at, 8);
    cr_expect_eq(found(y, 16, 0.15).outliers, 2);
    cr_expect_eq(found(y, 16, 0.15).highest, 300);
    cr_expect_eq(found(y, 16, 0.15).lowest, 0);
}

/* Values without a level are outliers, and no step can be named. */
Test(plateau, sees_no_step_where_the_levels_mix)
{
    double y[RMIDS];

    for (size_t i = 0; i < RMIDS; i++)
        y[i] = i % 2 ? 1 : 2;
    cr_expect_not(found(y, RMIDS, 0.08).stepped);
    cr_expect_gt(found(y, RMIDS, 0.08).outliers, 0);
}

Test(plateau, needs_three_points_for_a_level)
{
    double y[] = { 1, 1, 1, 2, 2, 2 };

    cr_expect(found(y, 6, 0.08).stepped);
    cr_expect_eq(found(y, 6, 0.08).at, 3);
    cr_expect_not(found(y, 5, 0.08).stepped);
    cr_expect_eq(found(y, 1, 0.08).level, 1);
}

Test(plateau, counts_of_nothing_are_alike)
{
    double y[8] = { 0 };
    struct plateau p = found(y, 8, 0.08);

    cr_expect_not(p.stepped);
    cr_expect_eq(p.outliers, 0);
}

Test(plateau, refuses_nothing_and_non_numbers)
{
    double y[] = { 1, NAN, 1, 1, 1, 1, 1, 1 };
    struct plateau p;

    cr_expect_eq(plateau_find(y, 0, 0.08, &p), ST_RANGE);
    cr_expect_eq(plateau_find(y, 8, 0.08, &p), ST_RANGE);
    y[1] = INFINITY;
    cr_expect_eq(plateau_find(y, 8, 0.08, &p), ST_RANGE);
}
