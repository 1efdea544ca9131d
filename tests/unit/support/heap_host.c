/* core/heap.h on the C library, for the host tests. */
#include "core/heap.h"

#include <stdlib.h>

void *heap_alloc(size_t bytes)
{
    return calloc(1, bytes ? bytes : 1);
}

void heap_free(void *memory)
{
    free(memory);
}
