/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/tables.h"

#include "tests/silicon/shim_files/volume.h"

#define TABLE_MOST  (1u << 20)
#define XSDT_HEADER 36u
#define RSDP_XSDT   24u

struct header { /* of a table */
    UINT32 signature, length;
    UINT8 revision, checksum, rest[26];
};
_Static_assert(sizeof(struct header) == XSDT_HEADER, "no gap");

static void fit(UINT8 *bytes, UINTN n, UINT8 *checksum)
{
    UINT8 sum = 0;

    *checksum = 0;
    for (UINTN i = 0; i < n; i++)
        sum = (UINT8)(sum + bytes[i]);
    *checksum = (UINT8)-sum;
}

static UINT8 *find_rsdp(const EFI_SYSTEM_TABLE *st)
{
    static const UINT64 acpi_20[2] = { 0x11D3E4F18868E871u, 0x81883CC7800022BCu };

    for (UINTN i = 0; i < st->NumberOfTableEntries; i++) {
        UINT64 guid[2];

        __builtin_memcpy(guid, &st->ConfigurationTable[i].VendorGuid, sizeof guid);
        if (guid[0] == acpi_20[0] && guid[1] == acpi_20[1])
            return st->ConfigurationTable[i].VendorTable;
    }
    return NULL;
}

static VOID *pages(EFI_SYSTEM_TABLE *st, UINTN bytes)
{
    EFI_PHYSICAL_ADDRESS at = 0;

    return EFI_ERROR(
               st->BootServices->AllocatePages(AllocateAnyPages, EfiACPIReclaimMemory, (bytes + 4095) / 4096, &at))
               ? NULL
               : (VOID *)at;
}

#define SRAT         0x54415253u
#define SRAT_ENTRIES 48u

/* Memory is where QEMU has it: ACPI 6.5, 5.2.16.2. */
static void add_memory(struct header *srat, const struct header *qemus)
{
    const UINT8 *from = (const UINT8 *)qemus;

    for (UINTN at = SRAT_ENTRIES; at + 2 <= qemus->length && from[at + 1]; at += from[at + 1])
        if (from[at] == 1 && srat->length + from[at + 1] <= TABLE_MOST) {
            __builtin_memcpy((UINT8 *)srat + srat->length, from + at, from[at + 1]);
            srat->length += from[at + 1];
        }
    fit((UINT8 *)srat, srat->length, &srat->checksum);
}

/* A longer XSDT with room for one more, in which the entry of that signature, or the one more, is `table`. */
static BOOLEAN put(EFI_SYSTEM_TABLE *st, UINT8 *rsdp, struct header *table)
{
    struct header *old = *(struct header **)(rsdp + RSDP_XSDT), *xsdt = pages(st, old->length + 8);
    UINTN n = (old->length - XSDT_HEADER) / 8, at = 0;
    UINT64 *entries;

    if (!xsdt)
        return FALSE;
    entries = (UINT64 *)((UINT8 *)xsdt + XSDT_HEADER);
    __builtin_memcpy(xsdt, old, old->length);
    while (at < n && ((const struct header *)entries[at])->signature != table->signature)
        at++;
    if (at < n && table->signature == SRAT)
        add_memory(table, (const struct header *)entries[at]);
    entries[at] = (UINT64)table;
    xsdt->length += at == n ? 8 : 0;
    fit((UINT8 *)xsdt, xsdt->length, &xsdt->checksum);
    *(struct header **)(rsdp + RSDP_XSDT) = xsdt;
    fit(rsdp, 36, rsdp + 32);
    return TRUE;
}

BOOLEAN tables_install(EFI_SYSTEM_TABLE *st, EFI_HANDLE own)
{
    UINT8 *rsdp = find_rsdp(st);
    CHAR16 path[] = L"\\silicon\\table0";
    BOOLEAN fine = TRUE;

    for (CHAR16 *digit = path + sizeof path / sizeof path[0] - 2; fine && *digit <= '9'; ++*digit) {
        UINTN size = TABLE_MOST;
        EFI_FILE_HANDLE file = volume_open(st, own, path);
        struct header *table;

        if (!file)
            return TRUE;
        table = rsdp ? pages(st, TABLE_MOST) : NULL;
        fine = table && !EFI_ERROR(file->Read(file, &size, table)) && size >= sizeof *table && put(st, rsdp, table);
        file->Close(file);
        if (!fine)
            say(st, L"silicon: the ACPI table ", path, L" cannot be shown\r\n");
    }
    return fine;
}
