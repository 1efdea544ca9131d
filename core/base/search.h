/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/search.h: the elements 0 .. n - 1 of an array: each of them, what holds for them, and which is the first.
 *
 * An argument names the index that the expressions after it have: ANY_OF(i, m->n_cpus, m->cpus[i].rdt.monitoring).
 * n is read again for each element, as in a loop; nothing is evaluated after the answer is known.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* EACH(const struct node, node, m->nodes, m->n_nodes) { ... }: node points to one after the other. */
#define EACH(type, element, array, n) for (type *element = (array); (size_t)(element - (array)) < (n); element++)

#define ANY_OF(i, n, condition)                                                                                        \
    ({                                                                                                                 \
        bool any_##i = false;                                                                                          \
                                                                                                                       \
        for (uint32_t i = 0; !any_##i && i < (n); i++)                                                                 \
            any_##i = (condition);                                                                                     \
        any_##i;                                                                                                       \
    })
#define ALL_OF(i, n, condition) (!ANY_OF(i, n, !(condition)))

/* The sum of a term over all elements, and how many elements a condition holds for. */
#define SUM_OF(type, i, n, term)                                                                                       \
    ({                                                                                                                 \
        type sum_##i = 0;                                                                                              \
                                                                                                                       \
        for (uint32_t i = 0; i < (n); i++)                                                                             \
            sum_##i += (term);                                                                                         \
        sum_##i;                                                                                                       \
    })
#define HOW_MANY(i, n, condition) SUM_OF(uint32_t, i, n, (condition) ? 1u : 0u)

/* The index of the first element that the condition holds for; n: there is none. */
#define INDEX_OF(i, n, condition) FIND(i, n, condition, i, n)

/* `found` of the first element that the condition holds for; `otherwise` where there is none. */
#define FIND(i, n, condition, found, otherwise)                                                                        \
    ({                                                                                                                 \
        uint32_t i = 0;                                                                                                \
                                                                                                                       \
        while (i < (n) && !(condition))                                                                                \
            i++;                                                                                                       \
        i < (n) ? (found) : (otherwise);                                                                               \
    })
