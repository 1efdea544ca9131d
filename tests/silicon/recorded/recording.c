/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/recorded/recording.h"
#include "core/base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKSUM 9u /* its offset in a table: ACPI 6.5, 5.2.6 */

struct recording *recording_open(const char *path, char *error, size_t error_size)
{
    FILE *f = fopen(path, "rb");
    struct recording *r = NULL;
    char *text = NULL;
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;

    if (size >= 0)
        text = malloc((size_t)size + 1);
    if (text && fseek(f, 0, SEEK_SET) == 0 && fread(text, 1, (size_t)size, f) == (size_t)size)
        r = recording_parse(text, (size_t)size, error, error_size);
    else
        snprintf(error, error_size, "cannot be read");
    free(text);
    if (f)
        fclose(f);
    return r;
}

void recording_free(struct recording *r)
{
    struct pool pool = r ? r->pool : (struct pool){ NULL };

    pool_free(&pool);
}

const struct recorded_leaf *recording_leaf(const struct recording *r, uint32_t cpu, uint32_t leaf, uint32_t subleaf)
{
    const struct recorded_cpu *c = &r->cpus[cpu];

    return FIND(i, c->n_leaves, c->leaves[i].leaf == leaf && c->leaves[i].subleaf == subleaf, &c->leaves[i], NULL);
}

const struct recorded_msr *recording_msr(const struct recording *r, uint32_t cpu, uint32_t number)
{
    const struct recorded_msr *of_all = NULL;

    for (uint32_t i = 0; i < r->n_msrs; i++) {
        if (r->msrs[i].number != number)
            continue;
        if (r->msrs[i].cpu == cpu)
            return &r->msrs[i];
        if (r->msrs[i].cpu == RECORDED_ALL)
            of_all = &r->msrs[i];
    }
    return of_all;
}

const struct recorded_table *recording_table(const struct recording *r, const char *signature)
{
    return FIND(i, r->n_tables, strcmp(r->tables[i].signature, signature) == 0, &r->tables[i], NULL);
}

const struct recorded_function *recording_function(const struct recording *r, uint32_t segment, uint32_t bus,
                                                   uint32_t device, uint32_t function)
{
    EACH(const struct recorded_function, f, r->functions, r->n_functions) {
        if (f->segment == segment && f->bus == bus && f->device == device && f->function == function)
            return f;
    }
    return NULL;
}

bool recording_bus_is_complete(const struct recording *r, uint32_t segment, uint32_t bus)
{
    return ANY_OF(i, r->n_buses,
                  r->buses[i].segment == segment && (r->buses[i].bus == bus || r->buses[i].bus == UINT32_MAX));
}

uint64_t recorded_number(const struct recorded_table *t, uint64_t offset, uint32_t bytes)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes && offset + i < t->bytes.n; i++)
        value |= (uint64_t)t->bytes.at[offset + i] << 8 * i;
    return value;
}

uint64_t recorded_srat_next(const struct recorded_table *srat, uint64_t at)
{
    at = at ? at + recorded_number(srat, at + 1, 1) : SRAT_ENTRIES;
    return at + 2 <= srat->bytes.n && recorded_number(srat, at + 1, 1) >= 16 ? at : 0;
}

bool recording_affinity(const struct recording *r, uint32_t apic_id, uint32_t *proximity)
{
    const struct recorded_table *t = recording_table(r, "SRAT");

    for (uint64_t at = t ? recorded_srat_next(t, 0) : 0; at; at = recorded_srat_next(t, at)) {
        bool x2apic = recorded_number(t, at, 1) == 2;

        if ((!x2apic && recorded_number(t, at, 1) != 0) || !(recorded_number(t, at + (x2apic ? 12 : 4), 4) & 1) ||
            recorded_number(t, at + (x2apic ? 8 : 3), x2apic ? 4 : 1) != apic_id)
            continue;
        *proximity = (uint32_t)(x2apic ? recorded_number(t, at + 4, 4)
                                       : recorded_number(t, at + 2, 1) | recorded_number(t, at + 9, 3) << 8);
        return true;
    }
    return false;
}

uint8_t *recording_table_image(const struct recorded_table *t)
{
    uint8_t *image = malloc(t->bytes.n ? t->bytes.n : 1), sum = 0;

    if (!image || t->bytes.n == 0)
        return image;
    memcpy(image, t->bytes.at, t->bytes.n);
    for (uint32_t i = 0; i < t->bytes.n; i++)
        sum = (uint8_t)(sum + image[i]);
    if (t->bytes.n > CHECKSUM && !t->bytes.known[CHECKSUM])
        image[CHECKSUM] = (uint8_t)-sum;
    return image;
}

uint8_t *recording_smbios_image(const struct recording *r, size_t *bytes)
{
    static const uint8_t end[] = { 127, 4, 0xFF, 0xFE, 0, 0 };
    size_t n = sizeof end;
    uint8_t *image, *to;
    bool ended = false;

    if (!r->smbios_version[0])
        return NULL;
    for (uint32_t i = 0; i < r->n_structures; i++)
        n += r->structures[i].n + r->structures[i].text_bytes + 2;
    image = to = calloc(1, n);
    if (!image)
        return NULL;
    EACH(const struct recorded_structure, s, r->structures, r->n_structures) {
        memcpy(to, s->at, s->n);
        memcpy(to + s->n, s->text, s->text_bytes);
        to += s->n + s->text_bytes + (s->text_bytes ? 1 : 2); /* DSP0134 3.6, 6.1.3: a second 0 ends the strings */
        ended = s->type == 127;
    }
    if (!ended) {
        memcpy(to, end, sizeof end);
        to += sizeof end;
    }
    *bytes = (size_t)(to - image);
    return image;
}

bool recorded_value(const struct recorded_bytes *b, uint64_t offset, uint32_t bytes, uint64_t *value)
{
    uint64_t v = 0;

    if (bytes > 8 || offset > b->n || b->n - offset < bytes)
        return false;
    for (uint32_t i = 0; i < bytes; i++) {
        if (!b->known[offset + i])
            return false;
        v |= (uint64_t)b->at[offset + i] << 8 * i;
    }
    *value = v;
    return true;
}
