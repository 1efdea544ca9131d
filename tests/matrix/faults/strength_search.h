/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/strength_search.h: the smallest strength of a fault that checks find on nearly all of so many machines.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define STRENGTH_RUNGS 128u
struct strength_ladder {
    int64_t rung[STRENGTH_RUNGS]; /* the weakest first */
    uint32_t n;
};

/* From `weakest` to `strongest`: each a quarter further from `base` than the one before, or one where a quarter is
 * less. base: what is no defect, beside `weakest`. */
void strength_ladder(struct strength_ladder *l, int64_t base, int64_t strongest);

struct strength_search {
    uint32_t seeds, misses; /* machines, and how many of them may miss it */
    uint32_t batch;         /* that many seeds are tried at once          */
    /* On how many of the machines of these seeds is the fault of this strength found? */
    uint32_t (*count)(void *context, int64_t strength, uint32_t first, uint32_t n);
    void *context;
};

/* On no more than `misses` machines is it missed. Stops where that is settled. */
bool strength_is_found(const struct strength_search *s, int64_t strength);
/* The weakest rung that is found, a stronger one being found where a weaker one is; l->n: none is. The first batch of
 * machines says where to look, and then all of them. */
uint32_t strength_search(const struct strength_search *s, const struct strength_ladder *l);
