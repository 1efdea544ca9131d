/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/memory.h"

#include <stdbool.h>

#include "core/base/heap.h"

#define PAGE       UINT64_C(4096)
#define LARGE_PAGE (UINT64_C(2) << 20)
#define LOW_MEMORY (UINT64_C(1) << 20) /* firmware starts processors there: nothing below is taken */

struct taken {
    struct taken *next;
    uint64_t address, pages;
};

static struct taken *all_taken;

struct map {
    uint8_t *bytes;
    UINTN size, step;
};

/* The map may grow by the allocation that makes room for it, so ask with some to spare, and again. */
static enum status map_read(EFI_SYSTEM_TABLE *st, struct map *m)
{
    EFI_BOOT_SERVICES *bs = st->BootServices;

    for (int i = 0; i < 8; i++) {
        UINTN size = 0, key, step = 0;
        UINT32 version;

        if (bs->GetMemoryMap(&size, NULL, &key, &step, &version) != EFI_BUFFER_TOO_SMALL || step == 0)
            return ST_NO_MEMORY;
        size += 16 * step;
        m->bytes = heap_alloc(size);
        if (!m->bytes)
            return ST_NO_MEMORY;
        m->size = size;
        if (!EFI_ERROR(bs->GetMemoryMap(&m->size, (EFI_MEMORY_DESCRIPTOR *)m->bytes, &key, &m->step, &version)))
            return ST_OK;
        heap_free(m->bytes);
    }
    return ST_NO_MEMORY;
}

/* The part of descriptor `i` that is free and inside [lo, hi). The size of a descriptor is what firmware says. */
static bool map_piece(const struct map *m, UINTN i, uint64_t lo, uint64_t hi, uint64_t *begin, uint64_t *end)
{
    const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(m->bytes + i * m->step);

    if (d->Type != EfiConventionalMemory || !(d->Attribute & EFI_MEMORY_WB))
        return false;
    lo = lo < LOW_MEMORY ? LOW_MEMORY : (lo + PAGE - 1) & ~(PAGE - 1);
    *begin = d->PhysicalStart > lo ? d->PhysicalStart : lo;
    *end = d->PhysicalStart + d->NumberOfPages * PAGE;
    if (*end > (hi & ~(PAGE - 1)))
        *end = hi & ~(PAGE - 1);
    return *begin < *end;
}

/* The lowest fit for `bytes` on a multiple of `align`; 0: none. */
static uint64_t map_fit(const struct map *m, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t align)
{
    uint64_t best = 0, begin, end;

    for (UINTN i = 0; (i + 1) * m->step <= m->size; i++) {
        if (!map_piece(m, i, lo, hi, &begin, &end))
            continue;
        begin = (begin + align - 1) & ~(align - 1);
        if (begin < end && end - begin >= bytes && (best == 0 || begin < best))
            best = begin;
    }
    return best;
}

enum status memory_take(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct taken *note;
    struct map m;
    uint64_t at = 0;
    enum status s;

    if (bytes == 0 || bytes > UINT64_MAX - PAGE)
        return ST_RANGE;
    bytes = (bytes + PAGE - 1) & ~(PAGE - 1);
    note = heap_alloc(sizeof *note); /* before the map is read: pool comes out of the same memory */
    if (!note)
        return ST_NO_MEMORY;
    s = map_read(st, &m);
    if (s == ST_OK) {
        at = bytes >= LARGE_PAGE ? map_fit(&m, lo, hi, bytes, LARGE_PAGE) : 0;
        at = at ? at : map_fit(&m, lo, hi, bytes, PAGE);
        heap_free(m.bytes);
    }
    if (s == ST_OK &&
        (at == 0 || EFI_ERROR(st->BootServices->AllocatePages(AllocateAddress, EfiLoaderData, bytes / PAGE, &at))))
        s = ST_NO_MEMORY;
    if (s != ST_OK) {
        heap_free(note);
        return s;
    }
    *note = (struct taken){ all_taken, at, bytes / PAGE };
    all_taken = note;
    *address = at;
    return ST_OK;
}

uint64_t memory_largest(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi)
{
    uint64_t largest = 0, begin, end;
    struct map m;

    if (map_read(st, &m) != ST_OK)
        return 0;
    for (UINTN i = 0; (i + 1) * m.step <= m.size; i++)
        if (map_piece(&m, i, lo, hi, &begin, &end) && end - begin > largest)
            largest = end - begin;
    heap_free(m.bytes);
    return largest;
}

void memory_give_back(EFI_SYSTEM_TABLE *st)
{
    while (all_taken) {
        struct taken *t = all_taken;

        all_taken = t->next;
        (void)st->BootServices->FreePages(t->address, t->pages);
        heap_free(t);
    }
}
