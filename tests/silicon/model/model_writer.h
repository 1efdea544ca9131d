/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_writer.h: firmware tables, byte by byte and little endian, so that no structure of the code under
 * test is used to write what it reads. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/base/braced.h"

struct writer {
    uint8_t *bytes; /* zero */
    size_t at;
};

/* The lowest `width` bytes of value; text, with spaces after it. */
void put(struct writer *w, uint64_t value, unsigned width);
void put_text(struct writer *w, const char *text, size_t width);
void put_align(struct writer *w, size_t to);
/* The byte at from[at] becomes such that n bytes from `from` on sum to 0. */
void set_checksum(uint8_t *from, size_t n, size_t at);

/* Several values, one after the other, as documents list them: PUT(w, U8(9), U8(16), ZEROS(2), U32(id)). */
struct put_field {
    uint64_t value;
    unsigned width;
};
#define FIELD(value, width) BRACED((value), (width))
#define U8(value)           FIELD(value, 1)
#define U16(value)          FIELD(value, 2)
#define U32(value)          FIELD(value, 4)
#define U64(value)          FIELD(value, 8)
#define ZEROS(n)            FIELD(0, n)
#define PUT_FIELDS(...)     ((const struct put_field[]){ __VA_ARGS__ })
#define PUT(w, ...)         put_fields(w, PUT_FIELDS(__VA_ARGS__), sizeof PUT_FIELDS(__VA_ARGS__) / sizeof(struct put_field))
void put_fields(struct writer *w, const struct put_field *fields, size_t n);

/* An ACPI table's header (ACPI 6.5 5.2.6); its length and checksum. Returns where it begins. */
size_t table_begin(struct writer *w, const char *signature, uint8_t revision);
void table_end(struct writer *w, size_t start);
/* An RSDP (5.2.5.3) of revision 0, which has the RSDT alone, or 2; an entry point of 64 bits (DSP0134 3.6 5.2.2). */
void put_rsdp(struct writer *w, uint8_t revision, uint32_t rsdt, uint64_t xsdt);
void put_smbios_entry(struct writer *w, const uint8_t version[2], uint32_t bytes, uint64_t table);
