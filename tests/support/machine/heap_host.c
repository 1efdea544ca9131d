/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/heap.h on the C library, for the host tests. */
#include "tests/support/machine/heap_host.h"

#include <stdlib.h>

#include "core/base/heap.h"

uint32_t heap_host_grants = UINT32_MAX;
uint32_t heap_host_refusals = UINT32_MAX;

static void refused(void)
{
    if (heap_host_refusals == UINT32_MAX || --heap_host_refusals > 0)
        return;
    heap_host_grants = heap_host_refusals = UINT32_MAX;
}

void *heap_alloc(size_t bytes)
{
    if (heap_host_grants == 0) {
        refused();
        return NULL;
    }
    if (heap_host_grants != UINT32_MAX)
        heap_host_grants--;
    return calloc(1, bytes ? bytes : 1);
}

void heap_free(void *memory)
{
    free(memory);
}
