/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/heap.h"

#include <string.h>

/* In front of each piece: a ring of all that are in use, or a list of those of one size that were freed. */
struct piece {
    struct piece *next, *last;
    uint64_t power, reserved; /* of two that its size is; beyond LARGEST_KEPT: it is of another size */
};
_Static_assert(sizeof(struct piece) % 16 == 0, "what follows is aligned as firmware aligns a pool");

/* Sizes are powers of two up to 256 KiB, header included, and what was freed of them is kept for the next request: a run makes
 * tens of thousands, and edk2 fills each page and piece that it gives or takes (PcdDebugPropertyMask bit 3), byte by byte.
 * Larger pieces go back. */
#define LARGEST_KEPT 18u
static struct piece *freed[LARGEST_KEPT + 1];

static EFI_BOOT_SERVICES *bs;
static struct piece all = { &all, &all, 0, 0 };

void heap_init(EFI_SYSTEM_TABLE *system)
{
    bs = system->BootServices;
}

bool heap_return_kept(void)
{
    bool any = false;

    for (uint32_t i = 0; i <= LARGEST_KEPT; i++)
        while (freed[i]) {
            struct piece *p = freed[i];

            freed[i] = p->next;
            (void)bs->FreePool(p);
            any = true;
        }
    return any;
}

EFI_STATUS heap_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages, EFI_PHYSICAL_ADDRESS *at)
{
    EFI_PHYSICAL_ADDRESS asked = *at;
    EFI_STATUS s = bs->AllocatePages(how, type, pages, at);

    if (!EFI_ERROR(s) || !heap_return_kept())
        return s;
    *at = asked;
    return bs->AllocatePages(how, type, pages, at);
}

/* The power of two of this size or more; beyond LARGEST_KEPT: none. */
static uint32_t power_of(uint64_t size)
{
    return 64 - (uint32_t)__builtin_clzll(size - 1);
}

static struct piece *allocate_pool(uint64_t size)
{
    struct piece *p = NULL;

    return EFI_ERROR(bs->AllocatePool(EfiLoaderData, size, (void **)&p)) ? NULL : p;
}

static struct piece *take_piece(uint64_t size)
{
    uint32_t power = power_of(size);
    struct piece *p = power <= LARGEST_KEPT ? freed[power] : NULL;

    if (p) {
        freed[power] = p->next;
        return p;
    }
    p = allocate_pool(power <= LARGEST_KEPT ? UINT64_C(1) << power : size);
    if (!p) {
        (void)heap_return_kept();
        p = allocate_pool(size);
        power = LARGEST_KEPT + 1;
    }
    if (p)
        p->power = power;
    return p;
}

void *heap_alloc(size_t bytes)
{
    struct piece *p = bs && bytes <= SIZE_MAX - sizeof *p ? take_piece(sizeof *p + bytes) : NULL;

    if (!p)
        return NULL;
    p->next = all.next;
    p->last = &all;
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
    if (p->power > LARGEST_KEPT) {
        (void)bs->FreePool(p);
        return;
    }
    p->next = freed[p->power];
    freed[p->power] = p;
}

void heap_end(void)
{
    while (all.next != &all)
        heap_free(all.next + 1);
    (void)heap_return_kept();
}
