/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/traffic/closure.h"

#include "core/base/search.h"
#include "core/base/stats.h"

bool closure_pair(const struct closure_witness *a, const struct closure_witness *b)
{
    double larger = a->bytes > b->bytes ? a->bytes : b->bytes;

    return stats_distance(a->bytes, b->bytes) <= larger * (a->share + b->share) + a->floor + b->floor;
}

/* Pairs that disagree, without those of `left`. */
static uint32_t closure_disagreeing_pairs(const struct closure_witness *w, uint32_t n, uint32_t left)
{
    uint32_t pairs = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            pairs += i != left && k != left && w[i].bytes >= 0 && w[k].bytes >= 0 && !closure_pair(&w[i], &w[k]);
    return pairs;
}

static double closure_total_distance(const struct closure_witness *w, uint32_t n, uint32_t i)
{
    return SUM_OF(double, k, n, w[k].bytes >= 0 ? stats_distance(w[i].bytes, w[k].bytes) : 0);
}

enum closure closure_judge(const struct closure_witness *w, uint32_t n, uint32_t *alone)
{
    uint32_t there, found = UINT32_MAX;

    there = HOW_MANY(i, n, w[i].bytes >= 0);
    if (there < 3)
        return CLOSURE_FEW;
    if (closure_disagreeing_pairs(w, n, UINT32_MAX) == 0)
        return CLOSURE_AGREE;
    for (uint32_t i = 0; i < n; i++)
        if (w[i].bytes >= 0 && closure_disagreeing_pairs(w, n, i) == 0 &&
            (found == UINT32_MAX || closure_total_distance(w, n, i) > closure_total_distance(w, n, found)))
            found = i;
    if (found == UINT32_MAX)
        return CLOSURE_SPLIT;
    *alone = found;
    return CLOSURE_ALONE;
}

double closure_least(const struct closure_witness *w, uint32_t n, uint32_t i)
{
    double least = 0;

    for (uint32_t k = 0; k < n; k++) {
        double bound = w[k].bytes * (1 - w[i].share - w[k].share) - w[i].floor - w[k].floor;

        least = k != i && w[k].bytes >= 0 && bound > least ? bound : least;
    }
    return least;
}

uint32_t closure_other(const struct closure_witness *w, uint32_t n, uint32_t alone)
{
    uint32_t i = 0;

    while (i + 1 < n && (i == alone || w[i].bytes < 0))
        i++;
    return i;
}
