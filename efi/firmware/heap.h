/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/heap.h: core/base/heap.h on boot services. */
#pragma once
#include <efi.h>

#include "core/base/heap.h"

/* Before the first heap_alloc(). metal_open() calls it too. */
void heap_init(EFI_SYSTEM_TABLE *system);
/* Everything that was not freed goes back to firmware, which takes no memory from an image that returns. */
void heap_end(void);
