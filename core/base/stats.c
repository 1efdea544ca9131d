/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/stats.h"

#include <stdbool.h>
#include <stdint.h>

#include "core/base/heap.h"
#include "core/base/search.h"

static bool numbers(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(v[i] - v[i] == 0)) /* infinities and non-numbers */
            return false;
    return true;
}

void stats_sort(double *values, size_t n)
{
    /* Shell sort: no recursion, no memory, and fast enough for a few thousand pairs. */
    for (size_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t i = gap; i < n; i++) {
            double v = values[i];
            size_t j = i;

            for (; j >= gap && values[j - gap] > v; j -= gap)
                values[j] = values[j - gap];
            values[j] = v;
        }
    }
}

double stats_distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

double stats_sorted_median(const double *values, size_t n)
{
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double stats_median(double *values, size_t n)
{
    stats_sort(values, n);
    return stats_sorted_median(values, n);
}

enum status stats_summary(double *values, size_t n, struct summary *s)
{
    double sum, squares = 0;

    if (n == 0 || !numbers(values, n))
        return ST_RANGE;
    stats_sort(values, n);
    sum = SUM_OF(double, i, n, values[i]);
    s->n = n;
    s->min = values[0];
    s->max = values[n - 1];
    s->mean = sum / (double)n;
    s->median = stats_sorted_median(values, n);
    /* Second pass over the distances: squares of large counts would swallow a small spread. */
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - s->mean) * (values[i] - s->mean);
    s->deviation = n > 1 ? __builtin_sqrt(squares / (double)(n - 1)) : 0;
    return ST_OK;
}

enum status stats_line(const double *x, const double *y, size_t n, struct line *line)
{
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;

    if (n < 2 || !numbers(x, n) || !numbers(y, n))
        return ST_RANGE;
    for (size_t i = 0; i < n; i++) {
        mean_x += x[i] / (double)n;
        mean_y += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (!(xx > 0))
        return ST_RANGE;
    line->slope = xy / xx;
    line->intercept = mean_y - line->slope * mean_x;
    line->correlation = yy > 0 ? xy / (__builtin_sqrt(xx) * __builtin_sqrt(yy)) : 0;
    return ST_OK;
}

enum status stats_robust_line(const double *x, const double *y, size_t n, struct line *line)
{
    size_t pairs = 0;
    double *slopes;

    if (n < 2 || n > 4096 || !numbers(x, n) || !numbers(y, n))
        return ST_RANGE;
    TRY_HEAP(slopes, n * (n - 1) / 2 + n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (x[i] < x[j] || x[i] > x[j])
                slopes[pairs++] = (y[j] - y[i]) / (x[j] - x[i]);
    if (pairs == 0) {
        heap_free(slopes);
        return ST_RANGE;
    }
    double slope = stats_median(slopes, pairs);
    for (size_t i = 0; i < n; i++)
        slopes[i] = y[i] - slope * x[i];
    line->slope = slope;
    line->intercept = stats_median(slopes, n);
    heap_free(slopes);
    return ST_OK;
}

/* 97.5 % of Student's distribution with 1, 2, ... degrees of freedom, in thousandths; beyond the table it is nearly the
 * normal distribution's 1.960, and a little more errs on the safe side. Source: any table of it. */
static double student(size_t freedom)
{
    static const uint16_t t[] = { 12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228,
                                  2201,  2179, 2160, 2145, 2131, 2120, 2110, 2101, 2093, 2086,
                                  2080,  2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042 };
    size_t n = sizeof t / sizeof t[0];

    return t[freedom > n ? n - 1 : freedom - 1] / 1000.0;
}

enum status stats_mean_interval(const double *values, size_t n, double *mean, double *half)
{
    double sum, squares;

    if (n < 2 || !numbers(values, n))
        return ST_RANGE;
    sum = SUM_OF(double, i, n, values[i]);
    *mean = sum / (double)n;
    squares = SUM_OF(double, i, n, (values[i] - *mean) * (values[i] - *mean));
    *half = student(n - 1) * __builtin_sqrt(squares / (double)(n - 1) / (double)n);
    return ST_OK;
}

/* From 3 values on: of 60,000 samples of so many normal values each, the quotient of the distance of their median from
 * the distribution's and their range that 1 % exceed. From 9 on the range is that from the second value to the last but
 * one. More values: as 19, which is too much. */
static const double median_reach[] = { 2.98, 1.33, 0.89, 0.67, 0.56, 0.46, 0.73, 0.61, 0.55,
                                       0.46, 0.43, 0.39, 0.37, 0.34, 0.32, 0.30, 0.29 };

double stats_median_reach(const double *sorted, size_t n)
{
    size_t known = sizeof median_reach / sizeof median_reach[0], drop = n >= 9;

    if (n < 3)
        return 0;
    return (sorted[n - 1 - drop] - sorted[drop]) * median_reach[n - 3 < known ? n - 3 : known - 1];
}
