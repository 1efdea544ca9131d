/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/heap.h"

#include <string.h>

static EFI_BOOT_SERVICES *bs;

void heap_init(EFI_SYSTEM_TABLE *system)
{
    bs = system->BootServices;
}

void *heap_alloc(size_t bytes)
{
    void *memory = NULL;

    if (!bs || EFI_ERROR(bs->AllocatePool(EfiLoaderData, bytes ? bytes : 1, &memory)) || !memory)
        return NULL;
    memset(memory, 0, bytes);
    return memory;
}

void heap_free(void *memory)
{
    if (memory)
        (void)bs->FreePool(memory);
}
