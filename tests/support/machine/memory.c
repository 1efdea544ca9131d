/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/memory.h"

#include <assert.h>
#include <string.h>

enum status memory_read(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    struct memory *m = machine;

    for (uint32_t i = 0; i < m->n_pieces; i++) {
        const struct memory_piece *p = &m->pieces[i];

        if (address < p->base || address - p->base > p->n || p->n - (address - p->base) < bytes)
            continue;
        memcpy(buffer, (const uint8_t *)p->bytes + (address - p->base), bytes);
        m->bytes_read += bytes;
        return ST_OK;
    }
    return ST_PAGE_FAULT;
}

void memory_init(struct memory *m)
{
    static const struct platform_ops ops = { .phys_read = memory_read };

    memset(m, 0, sizeof *m);
    m->platform.ops = &ops;
    m->platform.machine = m;
}

void memory_add(struct memory *m, uint64_t base, const void *bytes, size_t n)
{
    assert(m->n_pieces < MEMORY_PIECES);
    m->pieces[m->n_pieces++] = (struct memory_piece){ base, bytes, n };
}

void blob_fields(struct blob *b, const struct put_field *fields, size_t n)
{
    struct writer w = { b->at, b->n };

    for (size_t i = 0; i < n; i++) {
        assert(w.at + fields[i].width <= sizeof b->at);
        put(&w, fields[i].value, fields[i].width);
    }
    b->n = w.at;
}

void blob_put(struct blob *b, uint64_t value, size_t bytes)
{
    BLOB_PUT(b, FIELD(value, (unsigned)bytes));
}

void blob_zero(struct blob *b, size_t bytes)
{
    blob_put(b, 0, bytes);
}

void blob_text(struct blob *b, const char *text, size_t bytes)
{
    struct writer w = { b->at, b->n };

    assert(b->n + bytes <= sizeof b->at);
    put_text(&w, text, bytes);
    b->n = w.at;
}

void blob_sum(struct blob *b, size_t where, size_t from, size_t n)
{
    set_checksum(b->at + from, n, where - from);
}

void acpi_begin(struct blob *b, const char *signature, uint8_t revision)
{
    struct writer w = { b->at, 0 };

    table_begin(&w, signature, revision);
    b->n = w.at;
}

void acpi_finish(struct blob *b)
{
    table_end(&(struct writer){ b->at, b->n }, 0);
}

void acpi_rsdp(struct blob *b, uint8_t revision, uint32_t rsdt, uint64_t xsdt)
{
    struct writer w = { b->at, 0 };

    put_rsdp(&w, revision, rsdt, xsdt);
    b->n = w.at;
}

void acpi_madt_apic(struct blob *b, uint8_t apic_id, uint32_t flags)
{
    BLOB_PUT(b, U8(0), U8(8), U8(apic_id), U8(apic_id), U32(flags));
}

void acpi_madt_x2apic(struct blob *b, uint32_t apic_id, uint32_t flags)
{
    BLOB_PUT(b, U8(9), U8(16), ZEROS(2), U32(apic_id), U32(flags), U32(apic_id));
}

void acpi_srat_apic(struct blob *b, uint8_t apic_id, uint32_t proximity, uint32_t flags)
{
    BLOB_PUT(b, U8(0), U8(16), U8(proximity), U8(apic_id), U32(flags), ZEROS(1), FIELD(proximity >> 8, 3), ZEROS(4));
}

void acpi_srat_x2apic(struct blob *b, uint32_t apic_id, uint32_t proximity, uint32_t flags)
{
    BLOB_PUT(b, U8(2), U8(24), ZEROS(2), U32(proximity), U32(apic_id), U32(flags), ZEROS(8));
}

void acpi_srat_memory(struct blob *b, uint64_t base, uint64_t bytes, uint32_t proximity, uint32_t flags)
{
    BLOB_PUT(b, U8(1), U8(40), U32(proximity), ZEROS(2), U64(base), U64(bytes), ZEROS(4), U32(flags), ZEROS(8));
}

size_t smbios_begin(struct blob *b, uint8_t type)
{
    size_t start = b->n;

    BLOB_PUT(b, U8(type), ZEROS(1), U16(start));
    return start;
}

void smbios_end(struct blob *b, size_t start, const char *strings)
{
    b->at[start + 1] = (uint8_t)(b->n - start);
    for (; *strings; strings++)
        blob_put(b, *strings == '|' ? 0 : (uint8_t)*strings, 1);
    blob_zero(b, b->at[b->n - 1] == 0 && b->n > start + b->at[start + 1] ? 1 : 2);
}

void smbios_entry_3x(struct blob *b, const uint8_t version[2], uint64_t table, uint32_t max_bytes)
{
    struct writer w = { b->at, 0 };

    put_smbios_entry(&w, version, max_bytes, table);
    b->n = w.at;
}

void smbios_entry_2x(struct blob *b, uint32_t table, uint16_t bytes, uint16_t n_structures)
{
    b->n = 0;
    blob_text(b, "_SM_", 4);
    BLOB_PUT(b, ZEROS(1), U8(31), U8(2), U8(8), ZEROS(8));
    blob_text(b, "_DMI_", 5);
    BLOB_PUT(b, ZEROS(1), U16(bytes), U32(table), U16(n_structures), U8(0x28));
    blob_sum(b, 0x15, 0x10, 15);
    blob_sum(b, 4, 0, 31);
}
