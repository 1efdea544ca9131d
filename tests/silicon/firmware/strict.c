/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/firmware/strict.c: firmware that lets no page be written and executed, for tests. An EFI driver that is loaded
 * before the payload.
 *
 * Debian's OVMF maps all memory without restriction. With this driver what is free or data is no code, memory that is asked for
 * as code is, and the pages of an image that is started have the rights that its sections ask for, as under EDK II's
 * PcdDxeNxMemoryProtectionPolicy and PcdImageProtectionPolicy. Below 1 MiB nothing is changed: firmware starts processors there.
 */
#include <efi.h>

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Source: PI specification 1.7, volume 2, 12.3 "CPU Architectural Protocol"; members in order. */
struct cpu_arch {
    VOID *flush, *enable, *disable, *get_state, *init, *register_handler, *get_timer;
    EFI_STATUS(EFIAPI *set_attributes)(struct cpu_arch *self, UINT64 base, UINT64 length, UINT64 attributes);
};

#define MEMORY_XP             UINT64_C(0x4000)
#define MEMORY_RO             UINT64_C(0x20000)
#define PAGE                  UINT64_C(4096)
#define LOW                   UINT64_C(0x100000)
#define SCN_EXECUTE           0x20000000u
#define SCN_WRITE             0x80000000u
#define SECTION_BYTES         40u
#define SUBSYSTEM_APPLICATION 10u

static EFI_GUID cpu_guid = { 0x26baccb1, 0x6f42, 0x11d4, { 0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
static EFI_GUID image_guid = { 0x5b1b31a1, 0x9562, 0x11d2, { 0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
static EFI_BOOT_SERVICES *bs;
static struct cpu_arch *cpu;
static EFI_ALLOCATE_PAGES real_allocate;
static EFI_FREE_PAGES real_free;
static EFI_IMAGE_START real_start;

static void set(UINT64 base, UINT64 bytes, UINT64 attributes)
{
    if (base >= LOW && bytes > 0)
        (void)cpu->set_attributes(cpu, base & ~(PAGE - 1), (bytes + PAGE - 1) & ~(PAGE - 1), attributes);
}

static BOOLEAN is_code(UINT32 type)
{
    return type == EfiLoaderCode || type == EfiBootServicesCode || type == EfiRuntimeServicesCode;
}

static EFI_STATUS EFIAPI allocate(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages, EFI_PHYSICAL_ADDRESS *at)
{
    EFI_STATUS s = real_allocate(how, type, pages, at);

    if (!EFI_ERROR(s) && is_code(type))
        set(*at, pages * PAGE, 0);
    return s;
}

static EFI_STATUS EFIAPI give_back(EFI_PHYSICAL_ADDRESS at, UINTN pages)
{
    EFI_STATUS s = real_free(at, pages);

    if (!EFI_ERROR(s))
        set(at, pages * PAGE, MEMORY_XP);
    return s;
}

static UINT32 number_at(const UINT8 *at, UINT32 bytes)
{
    UINT32 v = 0;

    for (UINT32 i = 0; i < bytes; i++)
        v |= (UINT32)at[i] << 8 * i;
    return v;
}

/* Source: Microsoft PE format, "Section Table". */
static void protect(const EFI_LOADED_IMAGE *image)
{
    const UINT8 *base = image->ImageBase, *pe = base + number_at(base + 0x3C, 4);
    const UINT8 *section = pe + 24 + number_at(pe + 20, 2);
    UINT32 n = number_at(pe + 6, 2);

    set((UINT64)base, PAGE, MEMORY_RO | MEMORY_XP);
    for (UINT32 i = 0; i < n; i++, section += SECTION_BYTES) {
        UINT32 flags = number_at(section + 36, 4);

        set((UINT64)base + number_at(section + 12, 4), number_at(section + 8, 4),
            (flags & SCN_WRITE ? 0 : MEMORY_RO) | (flags & SCN_EXECUTE ? 0 : MEMORY_XP));
    }
}

/* The image's entry is called from here: firmware's own StartImage() clears the memory of an application before anybody could
 * make it writable again. One that ends by Exit() is not for this driver. */
static EFI_STATUS EFIAPI start(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
    EFI_STATUS(EFIAPI * entry)(EFI_HANDLE, EFI_SYSTEM_TABLE *);
    EFI_LOADED_IMAGE *loaded;
    const UINT8 *base, *pe;
    UINT64 bytes;
    EFI_STATUS s;

    if (EFI_ERROR(bs->HandleProtocol(image, &image_guid, (VOID **)&loaded)))
        return real_start(image, size, data);
    base = loaded->ImageBase;
    pe = base + number_at(base + 0x3C, 4);
    if (number_at(pe + 24 + 68, 2) != SUBSYSTEM_APPLICATION)
        return real_start(image, size, data);
    bytes = loaded->ImageSize;
    entry = (__typeof__(entry))(base + number_at(pe + 24 + 16, 4));
    protect(loaded);
    s = entry(image, loaded->SystemTable);
    set((UINT64)base, bytes, MEMORY_XP);
    (void)bs->UnloadImage(image);
    return s;
}

EFI_STATUS efi_main(EFI_HANDLE, EFI_SYSTEM_TABLE *system)
{
    static UINT8 map[32768];
    UINTN bytes = sizeof map, key, step;
    UINT32 version;

    bs = system->BootServices;
    if (EFI_ERROR(bs->LocateProtocol(&cpu_guid, NULL, (VOID **)&cpu)) ||
        EFI_ERROR(bs->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key, &step, &version)))
        return EFI_NOT_FOUND;
    for (UINTN at = 0; at + step <= bytes; at += step) {
        const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(map + at);

        if (d->Type == EfiConventionalMemory || d->Type == EfiBootServicesData || d->Type == EfiLoaderData)
            set(d->PhysicalStart, d->NumberOfPages * PAGE, MEMORY_XP);
    }
    real_allocate = bs->AllocatePages;
    real_free = bs->FreePages;
    real_start = bs->StartImage;
    bs->AllocatePages = allocate;
    bs->FreePages = give_back;
    bs->StartImage = start;
    return EFI_SUCCESS;
}
