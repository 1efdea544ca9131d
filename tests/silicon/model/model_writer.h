/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_writer.h: firmware tables, byte by byte and little endian, so that no structure of the code under
 * test is used to write what it reads. */
#pragma once
#include <stddef.h>
#include <stdint.h>

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

/* An ACPI table's header (ACPI 6.5 5.2.6); its length and checksum. Returns where it begins. */
size_t table_begin(struct writer *w, const char *signature, uint8_t revision);
void table_end(struct writer *w, size_t start);
