/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/acpi_firmware.h"

#include <criterion/criterion.h>
#include <string.h>

struct blob *firmware_add(struct firmware *f, const char *signature, uint8_t revision)
{
    struct blob *b = &f->tables[f->n++];

    acpi_begin(b, signature, revision);
    return b;
}

void firmware_roots(struct firmware *f, uint8_t revision)
{
    acpi_rsdp(&f->rsdp, revision, AT_RSDT, AT_XSDT);
    acpi_begin(&f->rsdt, "RSDT", 1);
    acpi_begin(&f->xsdt, "XSDT", 1);
    for (uint32_t i = 0; i < f->n; i++) {
        blob_put(&f->rsdt, AT(i), 4);
        blob_put(&f->xsdt, AT(i), 8);
    }
    acpi_finish(&f->rsdt);
    acpi_finish(&f->xsdt);
}

void firmware_map(struct firmware *f)
{
    memory_init(&f->memory);
    f->memory.platform.rsdp = AT_RSDP;
    memory_add(&f->memory, AT_RSDP, f->rsdp.at, f->rsdp.n);
    memory_add(&f->memory, AT_RSDT, f->rsdt.at, f->rsdt.n);
    memory_add(&f->memory, AT_XSDT, f->xsdt.at, f->xsdt.n);
    for (uint32_t i = 0; i < f->n; i++)
        memory_add(&f->memory, AT(i), f->tables[i].at, f->tables[i].n);
}

void firmware_read(struct firmware *f)
{
    cr_assert_eq(acpi_read(&f->memory.platform, &f->info), ST_OK);
}

void firmware_add_madt(struct firmware *f)
{
    struct blob *b = firmware_add(f, "APIC", 4);

    BLOB_PUT(b, U32(0xFEE00000), U32(1));
    acpi_madt_apic(b, 2, 1);
    acpi_madt_apic(b, 0xFF, 1); /* ids of broadcasts: nobody's */
    acpi_madt_x2apic(b, UINT32_MAX, 1);
    acpi_madt_x2apic(b, 0x100, 1);
    BLOB_PUT(b, U8(1), /* an I/O APIC: not ours */
             U8(12), ZEROS(10));
    acpi_madt_apic(b, 4, 2);
    acpi_finish(b);
}

void firmware_add_srat(struct firmware *f, uint8_t revision)
{
    struct blob *b = firmware_add(f, "SRAT", revision);

    BLOB_PUT(b, U32(1), ZEROS(8));
    acpi_srat_apic(b, 2, 0x01000003, 1);
    acpi_srat_apic(b, 9, 1, 0); /* not enabled */
    acpi_srat_x2apic(b, 0x100, 7, 1);
    acpi_srat_memory(b, 0, 0x80000000, 3, 1);
    acpi_srat_memory(b, 0x100000000, 0x40000000, 7, 1 | 2);
    acpi_srat_memory(b, 0x200000000, 0x40000000, 7, 1 | 4);
    acpi_srat_memory(b, 0x300000000, 0x40000000, 7, 0); /* not enabled */
    acpi_srat_memory(b, 0x400000000, 0, 7, 1);          /* empty       */
    acpi_finish(b);
}

void firmware_add_mcfg(struct firmware *f)
{
    struct blob *b = firmware_add(f, "MCFG", 1);

    BLOB_PUT(b, ZEROS(8), U64(0x80000000), U16(0), U8(0), U8(0x7E), ZEROS(4), U64(0xC0000000), U16(1), U8(0x7F),
             U8(0xFF), ZEROS(4));
    acpi_finish(b);
}

struct blob *firmware_add_fadt(struct firmware *f, size_t bytes)
{
    struct blob *b = firmware_add(f, "FACP", 6);
    uint32_t port = 0x608, flags = 1u << 8;
    uint64_t wide = 0x508;

    blob_zero(b, 276 - b->n);
    memcpy(b->at + 76, &port, 4);
    b->at[91] = 4;
    memcpy(b->at + 112, &flags, 4);
    b->at[208] = 1;
    memcpy(b->at + 212, &wide, 8);
    b->n = bytes;
    acpi_finish(b);
    return b;
}

void firmware_load(struct firmware *f, uint8_t revision)
{
    firmware_roots(f, revision);
    firmware_map(f);
    firmware_read(f);
}

void firmware_list(struct firmware *f, uint64_t address)
{
    blob_put(&f->xsdt, address, 8);
    acpi_finish(&f->xsdt);
}

void firmware_sound(struct firmware *f, uint8_t revision)
{
    firmware_add_madt(f);
    firmware_add_srat(f, 3);
    firmware_add_mcfg(f);
    firmware_add_fadt(f, 276);
    firmware_roots(f, revision);
    firmware_map(f);
}
