/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/heap.h"

#include <string.h>

#define LEAST_BYTES 1024u /* firmware has few requests then for an array that grows one by one */

bool heap_grow(void *array, size_t *capacity, size_t n, size_t size)
{
    size_t least = LEAST_BYTES / size, twice = 2 * *capacity > least ? 2 * *capacity : least,
           more = n > twice ? n : twice;
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
