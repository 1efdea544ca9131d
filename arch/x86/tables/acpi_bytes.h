/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/acpi_bytes.h: fields of a table at any alignment, never outside it. Shared by the decoders of acpi_rdt.h. */
#pragma once
#include "arch/x86/tables/acpi_rdt.h"

struct span { /* a part of a table */
    const uint8_t *table;
    uint32_t begin, end; /* offsets in the table */
};

/* `bytes` (1 to 8) at offset `at` of the span, little endian; what lies outside reads 0. */
static inline uint64_t span_get(const struct span *s, uint32_t at, uint32_t bytes)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; i++)
        if ((uint64_t)s->begin + at + i < s->end)
            value |= (uint64_t)s->table[s->begin + at + i] << (8 * i);
    return value;
}

static inline uint32_t span_bytes(const struct span *s)
{
    return s->end - s->begin;
}

static inline void defect_add(struct acpi_defects *d, uint32_t offset, bool shape, const char *rule)
{
    if (d->n < ACPI_DEFECTS)
        d->list[d->n] = (struct acpi_defect){ offset, rule, shape };
    d->n++;
}

/* Reserved bytes [at, at + bytes) of the span must be 0. */
static inline void reserved_zero(struct acpi_defects *d, const struct span *s, uint32_t at, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (span_get(s, at + i, 1) != 0) {
            defect_add(d, s->begin + at + i, false, "a reserved field is not zero");
            return;
        }
}

/* The structure that begins at *at of `outer`, with a 16-bit type and a 16-bit length of at least `least`; *at moves
 * after it. false: there is none, or its length lies, which is noted. */
static inline bool span_next(const struct span *outer, uint32_t *at, uint32_t least, struct span *inner, uint32_t *type,
                             struct acpi_defects *d)
{
    uint32_t begin = outer->begin + *at, left = outer->end - begin, length;

    if (left == 0)
        return false;
    *inner = (struct span){ outer->table, begin, outer->end };
    *type = (uint32_t)span_get(inner, 0, 2);
    length = (uint32_t)span_get(inner, 2, 2);
    if (left < 4 || length < least || length > left) {
        defect_add(d, begin, true, "a structure's length does not fit into what contains it");
        return false;
    }
    inner->end = begin + length;
    *at += length;
    return true;
}
