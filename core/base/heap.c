/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/heap.h"

#include <string.h>

bool heap_grow(void *array, size_t *capacity, size_t n, size_t size)
{
    size_t more = n > 2 * *capacity ? n : 2 * *capacity;
    void *old, *bigger;

    if (n <= *capacity)
        return true;
    bigger = heap_alloc(more * size);
    if (!bigger)
        return false;
    memcpy(&old, array, sizeof old);
    if (*capacity > 0)
        memcpy(bigger, old, *capacity * size);
    heap_free(old);
    memcpy(array, &bigger, sizeof bigger);
    *capacity = more;
    return true;
}
