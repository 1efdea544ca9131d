/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/heap.h on the C library, for the host tests. */
#include "core/base/heap.h"

#include <stdlib.h>

void *heap_alloc(size_t bytes)
{
    return calloc(1, bytes ? bytes : 1);
}

void heap_free(void *memory)
{
    free(memory);
}
