/* How often an experiment is repeated: the conformance list asks for five runs, of which the first is dropped. */
#include <criterion/criterion.h>

#include "core/checks/common.h"

static struct reading runs_of(double lo, double hi, uint32_t n, const double *runs)
{
    struct reading r = { .lo = lo, .hi = hi };

    for (uint32_t i = 0; i < n; i++)
        r.runs[i] = runs[i];
    return r;
}

Test(experiment, four_runs_are_never_enough)
{
    struct reading r = runs_of(90, 110, 4, (double[]){ 100, 100, 100, 100 });
    double half = 1, wanted = 0;

    cr_expect_not(reading_settled(&r, 4, &half, &wanted));
    cr_expect_float_eq(wanted, 2.5, 1e-9);
}

/* A machine without noise, or a fault that is always the same. */
Test(experiment, five_equal_runs_are_enough_wherever_they_lie)
{
    struct reading r = runs_of(90, 110, 5, (double[]){ 7, 200, 200, 200, 200 });
    double half = 1, wanted = 0;

    cr_expect(reading_settled(&r, 5, &half, &wanted), "the first run is dropped");
    cr_expect_float_eq(half, 0, 1e-9);
}

/* 95 and 105 in turn: a deviation of 10 / sqrt(3), and t of 3 degrees of freedom is 3.182. */
Test(experiment, runs_that_scatter_are_repeated)
{
    struct reading r = runs_of(90, 110, 9, (double[]){ 100, 95, 105, 95, 105, 95, 105, 95, 105 });
    double half = 0, wanted = 0;

    cr_expect_not(reading_settled(&r, 5, &half, &wanted));
    cr_expect_float_eq(half, 3.182 * 10 / 1.7320508 / 2, 1e-3);
    cr_expect_not(reading_settled(&r, 9, &half, &wanted));
    cr_expect_gt(half, wanted);
    r = runs_of(90, 110, 5, (double[]){ 100, 99, 101, 99, 101 });
    cr_expect(reading_settled(&r, 5, &half, &wanted));
    cr_expect_lt(half, wanted);
}

/* Where nothing is judged, there is nothing to be certain of. */
Test(experiment, an_open_band_wants_no_more_than_five)
{
    struct reading r = runs_of(0, NO_BOUND, 5, (double[]){ 1, 2, 300, 4, 5000 });
    double half = 0, wanted = 0;

    cr_expect(reading_settled(&r, 5, &half, &wanted));
    cr_expect_eq(wanted, NO_BOUND);
}

/* Occupancy that grows with each run never settles, and need not. */
Test(experiment, runs_that_scatter_beyond_the_band_are_enough)
{
    struct reading r = runs_of(90, 110, 5, (double[]){ 100, 500, 600, 700, 800 });
    double half = 0, wanted = 0;

    cr_expect(reading_settled(&r, 5, &half, &wanted));
    cr_expect_gt(half, wanted);
    r = runs_of(90, 110, 5, (double[]){ 100, 0, 100, 300, 800 });
    cr_expect_not(reading_settled(&r, 5, &half, &wanted), "a bound lies within the interval");
}
