/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/heap.h: memory for Assay's own tables. The payload implements it on boot services, the host tests on the C
 * library. Zeroed; NULL where there is none. Boot processor only. */
#pragma once
#include <stddef.h>

/* `bytes` of zeros, aligned for any type. NULL: there is no room; 0 bytes are something that can be freed. */
void *heap_alloc(size_t bytes);
/* What heap_alloc() gave, once. NULL does no harm. */
void heap_free(void *memory);

/* Points `at` to n elements; where there are none, hands up ST_NO_MEMORY. */
#define TRY_HEAP(at, n)                                                                                                \
    do {                                                                                                               \
        (at) = heap_alloc(sizeof *(at) * (n));                                                                         \
        if ((at) == NULL)                                                                                              \
            return ST_NO_MEMORY;                                                                                       \
    } while (0)
