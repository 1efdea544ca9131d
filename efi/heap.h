/* efi/heap.h: core/heap.h on boot services. */
#pragma once
#include <efi.h>

#include "core/heap.h"

/* Before the first heap_alloc(). metal_open() calls it too. */
void heap_init(EFI_SYSTEM_TABLE *system);
