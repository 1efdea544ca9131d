/* core/heap.h: memory for Assay's own tables. The payload implements it on boot services, the host tests on the C
 * library. Zeroed; NULL where there is none. Boot processor only. */
#pragma once
#include <stddef.h>

void *heap_alloc(size_t bytes);
void heap_free(void *memory);
