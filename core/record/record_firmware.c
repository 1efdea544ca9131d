/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What firmware says of the machine: ACPI tables whole, SMBIOS without what names the machine, and its list of processors. */
#include "core/record/record_internal.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define TABLE_MOST (256u << 10)

static bool is_wanted(const char *signature)
{
    static const char *const wanted[] = { "APIC", "SRAT", "SLIT", "HMAT", "MCFG", "CEDT",
                                          "WDAT", "ERDT", "MRRM", "IRDT", "FACP" };

    return ANY_OF(i, sizeof wanted / sizeof wanted[0], text_equal(signature, wanted[i]));
}

static void record_tables(struct recorder *r)
{
    const struct acpi_info *acpi = &r->source->machine->acpi;

    for (uint32_t i = 0; i < acpi->n_tables && i < ACPI_NOTES; i++) {
        const struct acpi_table_note *t = &acpi->tables[i];
        uint8_t *bytes;

        if (!is_wanted(t->signature) || t->length == 0 || t->length > TABLE_MOST)
            continue;
        bytes = heap_alloc(t->length);
        if (bytes && phys_read(r->source->platform, t->address, bytes, t->length) == ST_OK) {
            record_line(r, "table %s at %lx length %x", t->signature, t->address, t->length);
            record_bytes(r, 0, bytes, t->length);
        }
        heap_free(bytes);
    }
}

/* Offsets of string numbers that name one machine: DSP0134 3.6, 7.2, 7.3, 7.4, 7.5, 7.18. */
static const struct {
    uint8_t type, strings[2]; /* 0: none */
} kinds[] = { { 0, { 0 } }, { 1, { 7 } },  { 2, { 7, 8 } },        { 3, { 7, 8 } }, { 4, { 0x20, 0x21 } }, { 7, { 0 } },
              { 9, { 0 } }, { 16, { 0 } }, { 17, { 0x18, 0x19 } }, { 19, { 0 } },   { 20, { 0 } } };
#define UUID_OFFSET 8u

static bool names_machine(size_t kind, const uint8_t *s, uint32_t length, uint32_t string)
{
    return ANY_OF(i, 2,
                  kinds[kind].strings[i] && kinds[kind].strings[i] < length && s[kinds[kind].strings[i]] == string);
}

/* A string in quotes, with what a line cannot have as \xHH. */
static size_t put_quoted(char *out, size_t size, const char *text)
{
    size_t n = text_format(out, size, " \"");

    for (; *text && n + 8 < size; text++) {
        unsigned char c = (unsigned char)*text;

        n += text_format(out + n, size - n, c < ' ' || c > '~' || c == '"' || c == '\\' ? "\\x%02x" : "%c", c);
    }
    return n + text_format(out + n, size - n, "\"");
}

/* s: a structure of `length` bytes with its strings after it. */
static void record_structure(struct recorder *r, size_t kind, const uint8_t *s, uint32_t length)
{
    char line[1800], hidden[17];
    size_t n = text_format(line, sizeof line, "structure %u %x ", s[0], (uint32_t)s[2] | (uint32_t)s[3] << 8);
    const char *text = (const char *)s + length;
    uint8_t uuid[8];

    for (uint32_t i = 4; i < length; i++) {
        uint8_t byte = s[i];

        if (s[0] == 1 && !r->source->full && i >= UUID_OFFSET && i < UUID_OFFSET + 16 && length >= UUID_OFFSET + 16) {
            struct sha256 sha = r->key;
            uint8_t digest[32];

            sha256_add(&sha, s + UUID_OFFSET, 16);
            sha256_digest(&sha, digest);
            memcpy(uuid, digest, sizeof uuid);
            byte = uuid[(i - UUID_OFFSET) % sizeof uuid];
        }
        n += text_format(line + n, sizeof line - n, "%02x", byte);
    }
    if (length == 4)
        n += text_format(line + n, sizeof line - n, "-");
    for (uint32_t string = 1; *text && n + 8 < sizeof line; string++, text += strlen(text) + 1) {
        bool hide = !r->source->full && names_machine(kind, s, length, string);

        if (hide)
            record_digest(r, text, strlen(text), hidden);
        n += put_quoted(line + n, sizeof line - n, hide ? hidden : text);
    }
    record_line(r, "%s", line);
}

static void record_smbios(struct recorder *r)
{
    const struct smbios_info *info = &r->source->machine->smbios;
    uint32_t bytes;
    uint8_t *at = smbios_structures(r->source->platform, &bytes);

    if (at && bytes)
        record_line(r, "smbios %u.%u", info->major, info->minor);
    for (uint32_t i = 0; at && i < bytes;) {
        uint32_t length = at[i + 1], next = i + length; /* whole structures only: smbios_structures() */

        while (at[next] || at[next + 1])
            next++;
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (kinds[k].type == at[i])
                record_structure(r, k, at + i, length);
        i = next + 2;
    }
    heap_free(at);
}

/* Firmware's list, in its order; where it was not asked, what the platform was made of. */
static void record_processors(struct recorder *r)
{
    const struct platform *p = r->source->platform;

    for (uint32_t i = 0; i < p->n_cpus; i++)
        record_line(r, "mp %x %x", p->cpus[i].apic_id,
                    (p->cpus[i].flags & CPU_BSP ? 1u : 0) | (p->cpus[i].flags & CPU_ENABLED ? 2u : 0) |
                        (p->cpus[i].flags & CPU_HEALTHY ? 4u : 0));
}

void record_firmware(struct recorder *r)
{
    record_processors(r);
    record_tables(r);
    record_smbios(r);
}
