/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/rates.h"

#include "core/base/search.h"
#include "core/base/stats.h"

/* 1 - 2 * P(at most k - 1 heads in n throws of a coin): 5 rounds, 1st to 5th 93.8 %; 9 rounds, 2nd to 8th 96.1 %. */
static const struct rank {
    uint32_t rounds, k;
} ranks[] = { { 5, 1 }, { RATES_ROUNDS, 2 } };

enum status rates_summarize(struct rates *r)
{
    const struct rank *rank = FIND(j, sizeof ranks / sizeof ranks[0], ranks[j].rounds == r->rounds, &ranks[j], NULL);

    if (rank == NULL || r->n == 0 || r->n > RATES_SETTINGS)
        return ST_RANGE;
    r->spread = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        double sorted[RATES_ROUNDS], spread;
        struct summary s;

        for (uint32_t k = 0; k < r->rounds; k++)
            sorted[k] = r->rate[i][k];
        if (stats_summary(sorted, r->rounds, &s) != ST_OK || s.min <= 0)
            return ST_RANGE;
        r->median[i] = s.median;
        spread = sorted[r->rounds - rank->k] / sorted[rank->k - 1] - 1;
        r->spread = spread > r->spread ? spread : r->spread;
    }
    return ST_OK;
}

static enum status measure_round(struct rates *r, rates_measure_one one, void *context)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < r->n && st == ST_OK; i++) {
        uint32_t setting = r->rounds % 2 ? r->n - 1 - i : i;

        st = one(context, setting, &r->rate[setting][r->rounds]);
    }
    r->rounds += st == ST_OK;
    return st;
}

enum status rates_measure(struct rates *r, uint32_t n, double most, rates_measure_one one, void *context)
{
    enum status st = n > 0 && n <= RATES_SETTINGS ? ST_OK : ST_RANGE;

    *r = (struct rates){ .n = n };
    for (uint32_t i = 0; i < sizeof ranks / sizeof ranks[0] && st == ST_OK; i++) {
        while (r->rounds < ranks[i].rounds && st == ST_OK)
            st = measure_round(r, one, context);
        if (st == ST_OK)
            st = rates_summarize(r);
        if (st == ST_OK && r->spread <= most)
            break;
    }
    return st;
}
