/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/memory.h"

#include "core/machine/free_memory.h"
#include "efi/firmware/heap.h"

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
        if (!EFI_ERROR(bs->GetMemoryMap(&m->size, (EFI_MEMORY_DESCRIPTOR *)m->bytes, &key, &m->step, &version)) &&
            m->step >= sizeof(EFI_MEMORY_DESCRIPTOR) && m->size <= size)
            return ST_OK;
        heap_free(m->bytes);
    }
    return ST_NO_MEMORY;
}

/* What is free and write-back, in place: a range is shorter than firmware's descriptor, and goes over one that was read.
 */
static uint32_t map_free(struct map *m)
{
    struct free_range *ranges = (struct free_range *)m->bytes;
    uint32_t n = 0;

    _Static_assert(sizeof *ranges <= sizeof(EFI_MEMORY_DESCRIPTOR), "a range fits into its descriptor");
    for (UINTN i = 0; (i + 1) * m->step <= m->size; i++) {
        EFI_MEMORY_DESCRIPTOR d = *(const EFI_MEMORY_DESCRIPTOR *)(m->bytes + i * m->step);

        if (d.Type == EfiConventionalMemory && (d.Attribute & EFI_MEMORY_WB))
            ranges[n++] = (struct free_range){ d.PhysicalStart, d.PhysicalStart + d.NumberOfPages * FREE_PAGE };
    }
    return n;
}

/* As code, since Assay runs some of it (WORK_CODE): edk2 maps what is of no type for code no-execute by the platform's
 * choice, and a mask that keeps boot loaders running leaves EfiLoaderCode out (MdeModulePkg/MdeModulePkg.dec,
 * PcdDxeNxMemoryProtectionPolicy). */
#define WORK_MEMORY EfiLoaderCode

static enum status take_once(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *at)
{
    uint64_t pages = bytes / FREE_PAGE + (bytes % FREE_PAGE != 0);
    struct map m;
    enum status s = map_read(st, &m);

    if (s == ST_OK) {
        s = free_memory_fit((const struct free_range *)m.bytes, map_free(&m), lo, hi, bytes, at);
        heap_free(m.bytes);
    }
    return s == ST_OK && EFI_ERROR(heap_pages(AllocateAddress, WORK_MEMORY, pages, at)) ? ST_NO_MEMORY : s;
}

enum status memory_take(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    uint64_t at = 0, pages = bytes / FREE_PAGE + (bytes % FREE_PAGE != 0);
    struct taken *note = heap_alloc(sizeof *note); /* before the map is read: pool comes out of the same memory */
    enum status s = note ? take_once(st, lo, hi, bytes, &at) : ST_NO_MEMORY;

    if (note && s == ST_NO_MEMORY && heap_return_kept()) /* one of them may lie in the middle of the place */
        s = take_once(st, lo, hi, bytes, &at);
    if (s != ST_OK) {
        heap_free(note);
        return s;
    }
    *note = (struct taken){ all_taken, at, pages };
    all_taken = note;
    *address = at;
    return ST_OK;
}

uint64_t memory_largest(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi)
{
    uint64_t largest;
    struct map m;

    if (map_read(st, &m) != ST_OK)
        return 0;
    largest = free_memory_largest((const struct free_range *)m.bytes, map_free(&m), lo, hi);
    heap_free(m.bytes);
    return largest;
}

/* UEFI specification 2.10, 7.2.3, memory types: devices and what is reserved left out. */
static bool holds_data(const EFI_MEMORY_DESCRIPTOR *d)
{
    return (d->Attribute & EFI_MEMORY_WB) && d->Type != EfiReservedMemoryType && d->Type != EfiUnusableMemory &&
           d->Type != EfiMemoryMappedIO && d->Type != EfiMemoryMappedIOPortSpace && d->Type < EfiMaxMemoryType;
}

void memory_each(EFI_SYSTEM_TABLE *st, void *context, void (*take)(void *context, uint64_t base, uint64_t bytes))
{
    struct map m;

    if (map_read(st, &m) != ST_OK)
        return;
    for (UINTN i = 0; (i + 1) * m.step <= m.size; i++) {
        const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(m.bytes + i * m.step);

        if (holds_data(d))
            take(context, d->PhysicalStart, d->NumberOfPages * FREE_PAGE);
    }
    heap_free(m.bytes);
}

void memory_map(EFI_SYSTEM_TABLE *st, void *context,
                void (*take)(void *context, uint64_t base, uint64_t bytes, uint32_t type))
{
    struct map m;

    if (map_read(st, &m) != ST_OK)
        return;
    for (UINTN i = 0; (i + 1) * m.step <= m.size; i++) {
        const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(m.bytes + i * m.step);

        take(context, d->PhysicalStart, d->NumberOfPages * FREE_PAGE, d->Type);
    }
    heap_free(m.bytes);
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
