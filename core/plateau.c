#include "core/plateau.h"

#include <string.h>

#include "core/heap.h"
#include "core/stats.h"

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

static bool alike(double value, double level, double share)
{
    return apart(value, level) <= share * (level < 0 ? -level : level);
}

static double median_of(double *scratch, const double *y, size_t n)
{
    memcpy(scratch, y, n * sizeof y[0]);
    stats_sort(scratch, n);
    return stats_sorted_median(scratch, n);
}

/* The split whose two means leave the least squares over, that is, explain the most: n1 n2 / n times the square of
 * their distance. Distances from the first point: squares of large values would swallow a small step. */
static size_t best_split(const double *y, size_t n)
{
    double sum = 0, left = 0, most = 0;
    size_t best = 0;

    for (size_t i = 0; i < n; i++)
        sum += y[i] - y[0];
    for (size_t k = 1; k < n; k++) {
        double n1 = (double)k, n2 = (double)(n - k), between;

        left += y[k - 1] - y[0];
        between = left / n1 - (sum - left) / n2;
        between *= between * n1 * n2;
        if (k >= PLATEAU_LEAST && n - k >= PLATEAU_LEAST && between > most) {
            most = between;
            best = k;
        }
    }
    return best;
}

static bool is_step(const double *y, size_t n, double share, const struct plateau *p)
{
    size_t own = 0;

    if (alike(p->after, p->level, share))
        return false;
    for (size_t i = 0; i < n; i++) {
        double mine = apart(y[i], i < p->at ? p->level : p->after);
        double other = apart(y[i], i < p->at ? p->after : p->level);

        own += mine < other;
    }
    return own * 10 >= n * 9;
}

enum status plateau_find(const double *y, size_t n, double share, struct plateau *p)
{
    double *scratch;

    if (n == 0)
        return ST_RANGE;
    for (size_t i = 0; i < n; i++)
        if (!(y[i] - y[i] == 0)) /* infinities and non-numbers */
            return ST_RANGE;
    scratch = heap_alloc(n * sizeof scratch[0]);
    if (scratch == NULL)
        return ST_NO_MEMORY;
    *p = (struct plateau){ .at = best_split(y, n), .first_outlier = n, .lowest = y[0], .highest = y[0] };
    if (p->at) {
        p->level = median_of(scratch, y, p->at);
        p->after = median_of(scratch, y + p->at, n - p->at);
        p->stepped = is_step(y, n, share, p);
    }
    if (!p->stepped) {
        p->at = n;
        p->level = p->after = median_of(scratch, y, n);
    }
    heap_free(scratch);
    for (size_t i = 0; i < n; i++) {
        p->lowest = y[i] < p->lowest ? y[i] : p->lowest;
        p->highest = y[i] > p->highest ? y[i] : p->highest;
        if (alike(y[i], i < p->at ? p->level : p->after, share))
            continue;
        if (p->outliers++ == 0)
            p->first_outlier = i;
    }
    return ST_OK;
}
