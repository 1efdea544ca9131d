/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/stats.h: statistics over a handful of samples, in doubles, without a maths library.
 *
 * A non-number among the samples is refused (ST_RANGE): it would make a result that looks like one.
 */
#pragma once
#include <stddef.h>

#include "core/base/status.h"

struct summary {
    size_t n;
    double min, max, mean, median;
    double deviation; /* standard deviation of the sample (n - 1); 0 for one value */
};

/* How far two values are apart, whichever is the larger. */
double stats_distance(double a, double b);
/* Ascending, in place. */
void stats_sort(double *values, size_t n);
/* Median of values that are already ascending: for an even n the mean of the middle two. n at least 1. */
double stats_sorted_median(const double *values, size_t n);
/* Median of n values, at least 1, which are sorted in place. */
double stats_median(double *values, size_t n);
/* Sorts the values in place. ST_RANGE: none, or a non-number among them (order is then undefined). */
MUST_CHECK enum status stats_summary(double *values, size_t n, struct summary *s);

/* How far the median of ascending values is from that of what they are samples of, with a confidence of 99 % where that is
 * distributed normally: a multiple of the range of the values, of 9 and more without the least and the greatest. 0: fewer
 * than 3 values. */
double stats_median_reach(const double *sorted, size_t n);

struct line { /* y = slope * x + intercept */
    double slope, intercept;
    double correlation; /* Pearson's r, -1 .. 1; 0 where all y are equal */
};
/* Least squares. ST_RANGE: fewer than 2 points, all x equal, or a non-number. */
MUST_CHECK enum status stats_line(const double *x, const double *y, size_t n, struct line *line);

/* Theil-Sen: the median of the slopes between all pairs of points with different x, and the median of what is left as
 * intercept. Up to 29 % of the points may be wild without moving it. correlation is not written.
 * ST_RANGE as above, and beyond 4,096 points; ST_NO_MEMORY (it needs about n*n/2 doubles of heap). */
MUST_CHECK enum status stats_robust_line(const double *x, const double *y, size_t n, struct line *line);

/* Half of the interval that holds the mean of what the values are samples of with a confidence of 95 %: Student's t
 * times deviation / sqrt(n). ST_RANGE: fewer than 2 values, or a non-number. */
MUST_CHECK enum status stats_mean_interval(const double *values, size_t n, double *mean, double *half);
