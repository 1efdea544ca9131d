/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/heap.h: memory for Assay's own tables. The payload implements it on boot services, the host tests on the C
 * library. Zeroed; NULL where there is none. Boot processor only. */
#pragma once
#include <stddef.h>

/* `bytes` of zeros, aligned for any type. NULL: there is no room; 0 bytes are something that can be freed. */
void *heap_alloc(size_t bytes);
/* What heap_alloc() gave, once. NULL does no harm. */
void heap_free(void *memory);
