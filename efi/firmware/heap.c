/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/heap.h"

#include <string.h>

/* In front of each piece: a ring of all that there are. */
struct piece {
    struct piece *next, *last;
};
_Static_assert(sizeof(struct piece) == 16, "what follows is aligned as firmware aligns a pool");

static EFI_BOOT_SERVICES *bs;
static struct piece all = { &all, &all };

void heap_init(EFI_SYSTEM_TABLE *system)
{
    bs = system->BootServices;
}

void *heap_alloc(size_t bytes)
{
    struct piece *p = NULL;

    if (!bs || bytes > SIZE_MAX - sizeof *p ||
        EFI_ERROR(bs->AllocatePool(EfiLoaderData, sizeof *p + bytes, (void **)&p)) || !p)
        return NULL;
    *p = (struct piece){ all.next, &all };
    all.next->last = p;
    all.next = p;
    return memset(p + 1, 0, bytes);
}

void heap_free(void *memory)
{
    struct piece *p;

    if (!memory)
        return;
    p = (struct piece *)memory - 1;
    p->last->next = p->next;
    p->next->last = p->last;
    (void)bs->FreePool(p);
}

void heap_end(void)
{
    while (all.next != &all)
        heap_free(all.next + 1);
}
