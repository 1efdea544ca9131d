/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/heap.h: memory for Assay's own tables. The payload implements it on boot services, the host tests on the C
 * library. Zeroed; NULL where there is none. Boot processor only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* `bytes` of zeros, aligned for any type. NULL: there is no room; 0 bytes are something that can be freed. */
void *heap_alloc(size_t bytes);
/* What heap_alloc() gave, once. NULL does no harm. */
void heap_free(void *memory);

/* array: a pointer to the first of *capacity elements of `size` bytes, NULL where there are none. Room for n of them: where that
 * is more, at least twice as many, of which the old ones stay. false: there is no memory, and nothing has changed. */
MUST_CHECK bool heap_grow(void *array, size_t *capacity, size_t n, size_t size);

/* Points `at` to n elements; where there are none, hands up ST_NO_MEMORY. */
#define TRY_HEAP(at, n)                                                                                                \
    do {                                                                                                               \
        (at) = heap_alloc(sizeof *(at) * (n));                                                                         \
        if ((at) == NULL)                                                                                              \
            return ST_NO_MEMORY;                                                                                       \
    } while (0)
