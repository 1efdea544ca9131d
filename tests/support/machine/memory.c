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

void blob_put(struct blob *b, uint64_t value, size_t bytes)
{
    assert(b->n + bytes <= sizeof b->at);
    memcpy(b->at + b->n, &value, bytes);
    b->n += bytes;
}

void blob_zero(struct blob *b, size_t bytes)
{
    assert(b->n + bytes <= sizeof b->at);
    memset(b->at + b->n, 0, bytes);
    b->n += bytes;
}

void blob_text(struct blob *b, const char *text, size_t bytes)
{
    size_t n = strlen(text) < bytes ? strlen(text) : bytes;

    assert(b->n + bytes <= sizeof b->at);
    memset(b->at + b->n, ' ', bytes);
    memcpy(b->at + b->n, text, n);
    b->n += bytes;
}

void blob_sum(struct blob *b, size_t where, size_t from, size_t n)
{
    uint8_t sum = 0;

    b->at[where] = 0;
    for (size_t i = from; i < from + n; i++)
        sum = (uint8_t)(sum + b->at[i]);
    b->at[where] = (uint8_t)-sum;
}

void acpi_begin(struct blob *b, const char *signature, uint8_t revision)
{
    b->n = 0;
    blob_text(b, signature, 4);
    blob_zero(b, 4);
    blob_put(b, revision, 1);
    blob_zero(b, 1);
    blob_text(b, "ASSAY", 6);
    blob_text(b, "TEST", 8);
    blob_zero(b, 12);
}

void acpi_finish(struct blob *b)
{
    uint32_t length = (uint32_t)b->n;

    memcpy(b->at + 4, &length, sizeof length);
    blob_sum(b, 9, 0, b->n);
}

void acpi_rsdp(struct blob *b, uint8_t revision, uint32_t rsdt, uint64_t xsdt)
{
    b->n = 0;
    blob_text(b, "RSD PTR ", 8);
    blob_zero(b, 1);
    blob_text(b, "ASSAY", 6);
    blob_put(b, revision, 1);
    blob_put(b, rsdt, 4);
    blob_sum(b, 8, 0, 20);
    if (revision < 2)
        return;
    blob_put(b, 36, 4);
    blob_put(b, xsdt, 8);
    blob_zero(b, 4);
    blob_sum(b, 32, 0, 36);
}

void acpi_madt_apic(struct blob *b, uint8_t apic_id, uint32_t flags)
{
    blob_put(b, 0, 1);
    blob_put(b, 8, 1);
    blob_put(b, apic_id, 1);
    blob_put(b, apic_id, 1);
    blob_put(b, flags, 4);
}

void acpi_madt_x2apic(struct blob *b, uint32_t apic_id, uint32_t flags)
{
    blob_put(b, 9, 1);
    blob_put(b, 16, 1);
    blob_zero(b, 2);
    blob_put(b, apic_id, 4);
    blob_put(b, flags, 4);
    blob_put(b, apic_id, 4);
}

void acpi_srat_apic(struct blob *b, uint8_t apic_id, uint32_t proximity, uint32_t flags)
{
    blob_put(b, 0, 1);
    blob_put(b, 16, 1);
    blob_put(b, proximity, 1);
    blob_put(b, apic_id, 1);
    blob_put(b, flags, 4);
    blob_zero(b, 1);
    blob_put(b, proximity >> 8, 3);
    blob_zero(b, 4);
}

void acpi_srat_x2apic(struct blob *b, uint32_t apic_id, uint32_t proximity, uint32_t flags)
{
    blob_put(b, 2, 1);
    blob_put(b, 24, 1);
    blob_zero(b, 2);
    blob_put(b, proximity, 4);
    blob_put(b, apic_id, 4);
    blob_put(b, flags, 4);
    blob_zero(b, 8);
}

void acpi_srat_memory(struct blob *b, uint64_t base, uint64_t bytes, uint32_t proximity, uint32_t flags)
{
    blob_put(b, 1, 1);
    blob_put(b, 40, 1);
    blob_put(b, proximity, 4);
    blob_zero(b, 2);
    blob_put(b, base, 8);
    blob_put(b, bytes, 8);
    blob_zero(b, 4);
    blob_put(b, flags, 4);
    blob_zero(b, 8);
}

size_t smbios_begin(struct blob *b, uint8_t type)
{
    size_t start = b->n;

    blob_put(b, type, 1);
    blob_zero(b, 1);
    blob_put(b, start, 2);
    return start;
}

void smbios_end(struct blob *b, size_t start, const char *strings)
{
    b->at[start + 1] = (uint8_t)(b->n - start);
    for (; *strings; strings++)
        blob_put(b, *strings == '|' ? 0 : (uint8_t)*strings, 1);
    blob_zero(b, b->at[b->n - 1] == 0 && b->n > start + b->at[start + 1] ? 1 : 2);
}

void smbios_entry_3x(struct blob *b, uint64_t table, uint32_t max_bytes)
{
    b->n = 0;
    blob_text(b, "_SM3_", 5);
    blob_zero(b, 1);
    blob_put(b, 24, 1);
    blob_put(b, 3, 1);
    blob_put(b, 2, 1);
    blob_put(b, 0, 1);
    blob_put(b, 1, 1);
    blob_zero(b, 1);
    blob_put(b, max_bytes, 4);
    blob_put(b, table, 8);
    blob_sum(b, 5, 0, 24);
}

void smbios_entry_2x(struct blob *b, uint32_t table, uint16_t bytes, uint16_t n_structures)
{
    b->n = 0;
    blob_text(b, "_SM_", 4);
    blob_zero(b, 1);
    blob_put(b, 31, 1);
    blob_put(b, 2, 1);
    blob_put(b, 8, 1);
    blob_zero(b, 8);
    blob_text(b, "_DMI_", 5);
    blob_zero(b, 1);
    blob_put(b, bytes, 2);
    blob_put(b, table, 4);
    blob_put(b, n_structures, 2);
    blob_put(b, 0x28, 1);
    blob_sum(b, 0x15, 0x10, 15);
    blob_sum(b, 4, 0, 31);
}
