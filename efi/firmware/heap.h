/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/heap.h: core/base/heap.h on boot services. */
#pragma once
#include <efi.h>

#include "core/base/heap.h"

/* Before the first heap_alloc(). metal_open() calls it too. */
void heap_init(EFI_SYSTEM_TABLE *system);
/* Pieces that were freed and are kept for the next request go back to firmware. false: there were none. */
bool heap_return_kept(void);
/* AllocatePages(). Where it fails and pieces are kept, these go back, and it is asked once more. */
EFI_STATUS heap_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages, EFI_PHYSICAL_ADDRESS *at);
/* Everything that was not freed goes back to firmware, which takes no memory from an image that returns. */
void heap_end(void);
