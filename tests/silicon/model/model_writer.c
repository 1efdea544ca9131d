/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_writer.c: see model_writer.h. */
#include "tests/silicon/model/model_writer.h"

#include <string.h>

void put(struct writer *w, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        w->bytes[w->at++] = i < sizeof value ? (uint8_t)(value >> 8 * i) : 0;
}

void put_fields(struct writer *w, const struct put_field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(w, fields[i].value, fields[i].width);
}

void put_text(struct writer *w, const char *text, size_t width)
{
    for (size_t i = 0; i < width; i++)
        w->bytes[w->at++] = i < strlen(text) ? (uint8_t)text[i] : ' ';
}

void put_align(struct writer *w, size_t to)
{
    while (w->at % to)
        w->at++;
}

void set_checksum(uint8_t *from, size_t n, size_t at)
{
    uint8_t sum = 0;

    from[at] = 0;
    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + from[i]);
    from[at] = (uint8_t)-sum;
}

size_t table_begin(struct writer *w, const char *signature, uint8_t revision)
{
    size_t start;

    put_align(w, 64);
    start = w->at;
    put_text(w, signature, 4);
    PUT(w, U32(0), /* length and checksum: table_end */
        U8(revision), U8(0));
    put_text(w, "ASSAY", 6);
    put_text(w, "SILICON", 8);
    put(w, 1, 4);
    put_text(w, "MODL", 4);
    put(w, 1, 4);
    return start;
}

void table_end(struct writer *w, size_t start)
{
    size_t end = w->at;

    w->at = start + 4;
    put(w, end - start, 4);
    w->at = end;
    set_checksum(w->bytes + start, end - start, 9);
}

void put_rsdp(struct writer *w, uint8_t revision, uint32_t rsdt, uint64_t xsdt)
{
    uint8_t *start = w->bytes + w->at;

    put_text(w, "RSD PTR ", 8);
    put(w, 0, 1);
    put_text(w, "ASSAY", 6);
    PUT(w, U8(revision), U32(rsdt));
    set_checksum(start, 20, 8);
    if (revision < 2)
        return;
    PUT(w, U32(36), U64(xsdt), ZEROS(4));
    set_checksum(start, 36, 32);
}

void put_smbios_entry(struct writer *w, const uint8_t version[2], uint32_t bytes, uint64_t table)
{
    uint8_t *start = w->bytes + w->at;

    put_text(w, "_SM3_", 5);
    PUT(w, U8(0), U8(24), U8(version[0]), U8(version[1]), U8(0), U8(1), U8(0), U32(bytes), U64(table));
    set_checksum(start, 24, 5);
}
