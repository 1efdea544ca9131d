/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/memory.h: a platform that is nothing but a few pieces of physical memory, for parsers of firmware
 * tables; and builders of such tables. Reading one byte outside a piece is ST_PAGE_FAULT and copies nothing. */
#pragma once
#include "core/platform/platform.h"
#include "tests/silicon/model/model_writer.h"

#define MEMORY_PIECES 32

struct memory_piece {
    uint64_t base;
    const void *bytes;
    size_t n;
};

struct memory {
    struct platform platform;
    struct memory_piece pieces[MEMORY_PIECES];
    uint32_t n_pieces;
    uint64_t bytes_read; /* by all reads so far */
};

void memory_init(struct memory *m);
/* bytes stay the caller's, and may be changed by him afterwards. */
void memory_add(struct memory *m, uint64_t base, const void *bytes, size_t n);
/* phys_read of a struct memory, for platforms that have more than memory: machine is the struct memory. */
enum status memory_read(void *machine, uint64_t address, void *buffer, size_t bytes);

/* A growing run of bytes. */
struct blob {
    uint8_t at[8192];
    size_t n;
};
void blob_put(struct blob *b, uint64_t value, size_t bytes); /* little endian */
void blob_zero(struct blob *b, size_t bytes);
#define BLOB_PUT(b, ...)                                                                                               \
    blob_fields(b, PUT_FIELDS(__VA_ARGS__), sizeof PUT_FIELDS(__VA_ARGS__) / sizeof(struct put_field))
void blob_fields(struct blob *b, const struct put_field *fields, size_t n);
void blob_text(struct blob *b, const char *text, size_t bytes); /* padded with blanks */
/* Make the byte at `where` such that bytes [from, from + n) add up to 0. */
void blob_sum(struct blob *b, size_t where, size_t from, size_t n);

/* ACPI: a header with this signature and revision; acpi_finish() sets length and checksum. */
void acpi_begin(struct blob *b, const char *signature, uint8_t revision);
void acpi_finish(struct blob *b);
/* An RSDP of revision 0 (rsdt only) or 2. */
void acpi_rsdp(struct blob *b, uint8_t revision, uint32_t rsdt, uint64_t xsdt);
/* Entries of MADT (types 0 and 9) and SRAT (types 0, 2 and 1), ACPI 6.5 5.2.12 and 5.2.16. */
void acpi_madt_apic(struct blob *b, uint8_t apic_id, uint32_t flags);
void acpi_madt_x2apic(struct blob *b, uint32_t apic_id, uint32_t flags);
void acpi_srat_apic(struct blob *b, uint8_t apic_id, uint32_t proximity, uint32_t flags);
void acpi_srat_x2apic(struct blob *b, uint32_t apic_id, uint32_t proximity, uint32_t flags);
void acpi_srat_memory(struct blob *b, uint64_t base, uint64_t bytes, uint32_t proximity, uint32_t flags);

/* SMBIOS: a structure's formatted area is put by the caller between begin and end; strings are given as one text with
 * '|' between them, "" for none. */
size_t smbios_begin(struct blob *b, uint8_t type);
void smbios_end(struct blob *b, size_t start, const char *strings);
#define SMBIOS_3_2 ((const uint8_t[]){ 3, 2 })
void smbios_entry_3x(struct blob *b, const uint8_t version[2], uint64_t table, uint32_t max_bytes);
void smbios_entry_2x(struct blob *b, uint32_t table, uint16_t bytes, uint16_t n_structures);
