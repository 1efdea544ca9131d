/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/plateau.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/stats.h"
#include "core/base/text.h"

static bool plateau_alike(double value, double level, double share)
{
    return stats_distance(value, level) <= share * (level < 0 ? -level : level);
}

static double clamped(double value, double lo, double hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

static double median_of(double *scratch, const double *y, size_t n)
{
    memcpy(scratch, y, n * sizeof y[0]);
    return stats_median(scratch, n);
}

/* The split whose two means leave the least squares over, that is, explain the most: n1 n2 / n times the square of
 * their distance. Values beyond lo and hi are taken for those: a few wild ones must not draw the split to themselves.
 */
static size_t best_split(const double *y, size_t n, double lo, double hi)
{
    double sum, left = 0, most = 0;
    size_t best = 0;

    sum = SUM_OF(double, i, n, clamped(y[i], lo, hi) - lo);
    for (size_t k = 1; k < n; k++) {
        double n1 = (double)k, n2 = (double)(n - k), between;

        left += clamped(y[k - 1], lo, hi) - lo;
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

    if (plateau_alike(p->after, p->level, share))
        return false;
    for (size_t i = 0; i < n; i++) {
        double mine = stats_distance(y[i], i < p->at ? p->level : p->after);
        double other = stats_distance(y[i], i < p->at ? p->after : p->level);

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
    TRY_HEAP(scratch, n);
    *p = (struct plateau){ .first_outlier = n };
    memcpy(scratch, y, n * sizeof y[0]);
    stats_sort(scratch, n);
    p->lowest = scratch[0];
    p->highest = scratch[n - 1];
    if (n >= 2 * PLATEAU_LEAST) /* as many as make no level are left out at each end */
        p->at = best_split(y, n, scratch[PLATEAU_LEAST - 1], scratch[n - PLATEAU_LEAST]);
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
        if (plateau_alike(y[i], i < p->at ? p->level : p->after, share))
            continue;
        if (p->outliers++ == 0)
            p->first_outlier = i;
    }
    return ST_OK;
}

static unsigned thousandths(double ratio)
{
    return (unsigned)(ratio < 0 ? 0 : ratio * 1000 + 0.5);
}

enum status flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p)
{
    char title[96];

    TRY_MEASURE(c, plateau_find(f->y, f->n, f->share, p), c->tools->qm[domain].cpu, f->name);
    series_show(c, f->name, place_domain(domain), "ratio", f->x_name, f->x, f->y, f->n);
    text_format(title, sizeof title, "%s: minimum", f->name);
    check_show(c, title, place_domain(domain), p->lowest, "ratio");
    text_format(title, sizeof title, "%s: maximum", f->name);
    check_show(c, title, place_domain(domain), p->highest, "ratio");
    if (p->stepped)
        check_note(c, "L3 domain %u: %s steps at %s %u: %u.%03u below it, %u.%03u from it on", domain, f->name,
                   f->x_name, (unsigned)f->x[p->at], thousandths(p->level) / 1000, thousandths(p->level) % 1000,
                   thousandths(p->after) / 1000, thousandths(p->after) % 1000);
    return ST_OK;
}
