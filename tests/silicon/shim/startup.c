/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/startup.h"
#include "tests/silicon/shim/apic.h"
#include "tests/silicon/shim/device.h"

#define PTE_P       1ull
#define PTE_RW      2ull
#define PTE_US      4ull /* nested walks are user accesses */
#define PTE_PS      0x80ull
#define PTE_ADDRESS 0x000FFFFFFFFFF000ull
#define PTE_ALL     (PTE_P | PTE_RW | PTE_US)
#define PAGE        0x1000ull
#define GIB         (1ull << 30)
#define ENTRIES     512u
#define TOP_TABLES  3u

/* The trampoline's own GDT lies in the same page. CS and SS get the selectors that firmware uses on the boot processor,
 * since the host's vectors are shared and name CS. */
#define GDT_OFFSET  0x800u
#define GDT_ENTRIES 64u
#define GDT_CODE_64 0x00AF9B000000FFFFull
#define GDT_DATA    0x00CF93000000FFFFull

extern const uint8_t trampoline_begin[], trampoline_end[], trampoline_gdtr[], trampoline_cr3[], trampoline_jump[],
    trampoline_ss[], trampoline_vcpus[], trampoline_known[], trampoline_unknown[], trampoline_long[];
void vcpu_start_guest(void);

static struct vcpu *const *vcpus;

/* --- tables */

static VOID *low_pages(EFI_BOOT_SERVICES *bs, UINTN pages, UINT64 below)
{
    EFI_PHYSICAL_ADDRESS at = below - 1;

    if (EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiReservedMemoryType, pages, &at)))
        return NULL;
    __builtin_memset((VOID *)at, 0, pages * 4096);
    return (VOID *)at;
}

/* 1 TiB mapped to itself in pages of 1 GiB: tables[0] is the PML4, the next two its page directory pointer tables. */
static void map_identity(uint64_t (*tables)[ENTRIES])
{
    for (uint32_t i = 0; i < TOP_TABLES - 1; i++) {
        tables[0][i] = (uint64_t)tables[1 + i] | PTE_ALL;
        for (uint32_t j = 0; j < ENTRIES; j++)
            tables[1 + i][j] = (i * ENTRIES + j) * GIB | PTE_ALL | PTE_PS;
    }
}

/* A large page becomes a table of 512 smaller ones, the next of those that are left. */
static uint64_t *split(uint64_t *entry, uint64_t part_bytes, uint64_t (**left)[ENTRIES])
{
    uint64_t *table = (*left)++[0], from = *entry & PTE_ADDRESS;

    for (uint32_t i = 0; i < ENTRIES; i++)
        table[i] = (from + i * part_bytes) | PTE_ALL | (part_bytes > PAGE ? PTE_PS : 0);
    *entry = (uint64_t)table | PTE_ALL;
    return table;
}

/* Give whole pages of an identity map these rights: in the entry of the size that fits, split where there is none. */
static void protect(uint64_t (*tables)[ENTRIES], uint64_t from, uint64_t bytes, uint64_t rights,
                    uint64_t (**left)[ENTRIES])
{
    uint64_t end = from + bytes, size;

    for (uint64_t at = from; at < end; at += size) {
        uint64_t *entry = &tables[1 + at / GIB / ENTRIES][at / GIB % ENTRIES];

        size = GIB;
        while (size > PAGE && (at % size || end - at < size)) {
            uint64_t *table = *entry & PTE_PS ? split(entry, size / ENTRIES, left) : (uint64_t *)(*entry & PTE_ADDRESS);

            size /= ENTRIES;
            entry = &table[at / size % ENTRIES];
        }
        *entry = rights ? at | rights | (size > PAGE ? PTE_PS : 0) : 0;
    }
}

/* What the guests run on. An entry that is not present makes no TLB entry either, so each access to it comes here. */
static uint64_t (*map_guest(EFI_BOOT_SERVICES *bs))[ENTRIES]
{
    uint64_t(*tables)[ENTRIES], (*left)[ENTRIES], base, bytes;
    UINTN n =
        TOP_TABLES + 12; /* two each for the APIC's page, the channel's own, both ends of the window, of the tables */

    for (uint32_t bus = 0; bus < DEVICE_BUSES; bus++)
        n += device_bus(bus, &base) ? 2 : 0;
    tables = low_pages(bs, n, 4 * GIB);
    if (!tables)
        return NULL;
    left = tables + TOP_TABLES;
    map_identity(tables);
    protect(tables, APIC_PAGE, PAGE, PTE_P | PTE_US, &left);
    for (uint32_t bus = 0; bus < DEVICE_BUSES; bus++) {
        if (device_bus(bus, &base))
            protect(tables, base, DEVICE_BUS_BYTES, 0, &left);
    }
    if (device_own(&base))
        protect(tables, base, PAGE, 0, &left);
    bytes = device_window(&base);
    protect(tables, base, (bytes + PAGE - 1) & ~(PAGE - 1), 0, &left);
    bytes = device_tables(&base);
    protect(tables, base, (bytes + PAGE - 1) & ~(PAGE - 1), 0, &left);
    return tables;
}

/* --- the trampoline */

/* A processor started whose APIC id the model does not have: the plugin says so and ends QEMU. */
static _Noreturn void start_unknown(uint32_t apic_id)
{
    channel_refuse(vcpus, apic_id);
}

static VOID *field(uint8_t *page, const uint8_t *label)
{
    return page + ((UINTN)label - (UINTN)trampoline_begin);
}

static void put_16(VOID *at, uint16_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void put_32(VOID *at, uint32_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void put_64(VOID *at, uint64_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void fill_trampoline(uint8_t *page, uint64_t host_cr3)
{
    uint64_t *gdt = (uint64_t *)(page + GDT_OFFSET);
    uint16_t cs, ss;

    __asm__("mov %%cs, %0" : "=r"(cs));
    __asm__("mov %%ss, %0" : "=r"(ss));
    if (cs / 8 >= GDT_ENTRIES || ss / 8 >= GDT_ENTRIES || cs / 8 == 0 || ss / 8 == 0)
        panic("firmware's CS or SS is not what a trampoline can copy:", cs, ss);
    __builtin_memcpy(page, trampoline_begin, (UINTN)trampoline_end - (UINTN)trampoline_begin);
    gdt[cs / 8] = GDT_CODE_64;
    gdt[ss / 8] = GDT_DATA;
    put_16(field(page, trampoline_gdtr), GDT_ENTRIES * 8 - 1);
    put_32((uint8_t *)field(page, trampoline_gdtr) + 2, (uint32_t)(uint64_t)gdt);
    put_32(field(page, trampoline_cr3), (uint32_t)host_cr3);
    put_32(field(page, trampoline_ss), ss);
    put_32(field(page, trampoline_jump), (uint32_t)(uint64_t)field(page, trampoline_long));
    put_16((uint8_t *)field(page, trampoline_jump) + 4, cs);
    put_64(field(page, trampoline_vcpus), (uint64_t)vcpus);
    put_64(field(page, trampoline_known), (uint64_t)vcpu_start_guest);
    put_64(field(page, trampoline_unknown), (uint64_t)start_unknown);
    apic_redirect_startup(vcpus, (uint32_t)((uint64_t)page >> 12));
}

BOOLEAN startup_prepare(EFI_BOOT_SERVICES *bs, struct vcpu *const *all)
{
    uint64_t(*nested)[ENTRIES] = map_guest(bs);
    uint64_t(*host)[ENTRIES] = low_pages(bs, TOP_TABLES, 4 * GIB);
    uint8_t *page = low_pages(bs, 1, 0xA0000), *iopm = low_pages(bs, DEVICE_IOPM_BYTES / PAGE, 4 * GIB);

    if (!nested || !host || !page || !iopm)
        return FALSE;
    vcpus = all;
    map_identity(host);
    fill_trampoline(page, (uint64_t)host);
    device_fill_iopm(iopm);
    for (uint32_t i = 0; i < CHANNEL_SLOTS; i++) {
        if (vcpus[i]) {
            vcpus[i]->n_cr3 = (uint64_t)nested;
            vcpus[i]->iopm = iopm;
        }
    }
    vcpu_make_host((uint64_t)host, (uint64_t)page + GDT_OFFSET, GDT_ENTRIES * 8 - 1);
    return TRUE;
}
