/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/faults/strength_search.h"

void strength_ladder(struct strength_ladder *l, int64_t base, int64_t strongest)
{
    int64_t sign = strongest < base ? -1 : 1, most = (strongest - base) * sign;

    l->n = 0;
    for (int64_t at = 1; at <= most && l->n < STRENGTH_RUNGS - 1; at += at < 8 ? 1 : at / 4)
        l->rung[l->n++] = base + sign * at;
    if (l->n == 0 || l->rung[l->n - 1] != strongest)
        l->rung[l->n++] = strongest;
}

bool strength_is_found(const struct strength_search *s, int64_t strength)
{
    uint32_t missed = 0;

    for (uint32_t first = 1; first <= s->seeds && missed <= s->misses; first += s->batch) {
        uint32_t left = s->seeds - first + 1, n = left < s->batch ? left : s->batch;

        missed += n - s->count(s->context, strength, first, n);
    }
    return missed <= s->misses;
}

/* What is found on all machines is found on the first ones. */
static bool may_be_found(const struct strength_search *s, int64_t strength)
{
    uint32_t n = s->seeds < s->batch ? s->seeds : s->batch;

    return n - s->count(s->context, strength, 1, n) <= s->misses;
}

uint32_t strength_search(const struct strength_search *s, const struct strength_ladder *l)
{
    uint32_t low = 0, high = l->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (may_be_found(s, l->rung[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    while (high < l->n && !strength_is_found(s, l->rung[high]))
        high++;
    return high;
}
