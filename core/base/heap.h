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

/* Makes room for n elements of `size` bytes in *array (NULL: it has none), which has room for *capacity. A larger one has at least
 * twice the room, and 1 KiB; old elements are kept, new ones are zero, pointers into the old array are invalid. false: there is no
 * memory, and nothing has changed. */
MUST_CHECK bool heap_grow(void *array, size_t *capacity, size_t n, size_t size);
#define HEAP_GROW(array, capacity, n) heap_grow((array), (capacity), (n), sizeof **(array))

/* Points `at` to n elements; where there are none, hands up ST_NO_MEMORY. */
#define TRY_HEAP(at, n)                                                                                                \
    do {                                                                                                               \
        (at) = heap_alloc(sizeof *(at) * (n));                                                                         \
        if ((at) == NULL)                                                                                              \
            return ST_NO_MEMORY;                                                                                       \
    } while (0)
