/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_twin.c: of a twin, its ACPI tables, and the memory that its SRAT describes.
 *
 * Source: ACPI specification 6.5, 5.2.16 (SRAT); PCI Firmware Specification 3.3, 4.1.2 (MCFG); UEFI 2.10, 7.2.3 (memory types).
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/model/twin.h"

#include <stdlib.h>
#include <string.h>

#define ABOVE_4G           UINT64_C(0x100000000)
#define SRAT_ENTRIES       48u
#define MCFG_ENTRIES       44u
#define CONVENTIONAL       7u
#define MEMORY_ENABLED     BIT(0)
#define MEMORY_ABSENT_KIND BITS(2, 1) /* hot-pluggable; non-volatile */

/* Unknown bytes are 0. */
static uint64_t number(const struct recorded_table *t, uint64_t offset, uint32_t bytes)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes && offset + i < t->bytes.n; i++)
        value |= (uint64_t)t->bytes.at[offset + i] << 8 * i;
    return value;
}

/* The next entry after that at `at`, or the first for 0; 0: there is no more. */
static uint64_t srat_next(const struct recorded_table *t, uint64_t at)
{
    at = at ? at + number(t, at + 1, 1) : SRAT_ENTRIES;
    return at + 2 <= t->bytes.n && number(t, at + 1, 1) >= 16 ? at : 0;
}

/* The node whose processors the SRAT has in that proximity domain. */
static uint32_t node_of(const struct model *m, const struct recorded_table *t, uint32_t proximity)
{
    for (uint64_t at = srat_next(t, 0); at; at = srat_next(t, at)) {
        bool x2apic = number(t, at, 1) == 2;
        uint32_t of = (uint32_t)(x2apic ? number(t, at + 4, 4) : number(t, at + 2, 1) | number(t, at + 9, 3) << 8),
                 id = (uint32_t)(x2apic ? number(t, at + 8, 4) : number(t, at + 3, 1));

        for (uint32_t i = 0; (x2apic || number(t, at, 1) == 0) && of == proximity && i < m->cpus; i++)
            if (model_apic_id(m, i) == id)
                return model_node(m, i);
    }
    return proximity % (m->packages * m->clusters);
}

/* A window of a segment that the model does not have leads nowhere: the model's own table stays then. */
static bool leads(const struct model *m, const struct recorded_table *mcfg)
{
    for (uint64_t at = MCFG_ENTRIES; at + 16 <= mcfg->bytes.n; at += 16)
        if (number(mcfg, at + 8, 2) >= uncore_segments(m))
            return false;
    return true;
}

const struct recorded_table *host_twin_table(const struct model *m, const char *signature)
{
    const struct recorded_table *t = m->twin ? recording_table(m->twin->recording, signature) : NULL;

    return t && strcmp(signature, "MCFG") == 0 && !leads(m, t) ? NULL : t;
}

struct twin_range *host_twin_memory(const struct model *m, uint32_t *n)
{
    const struct recorded_table *t = host_twin_table(m, "SRAT");
    struct twin_range *ranges = t ? calloc(t->bytes.n / 40 + 1, sizeof *ranges) : NULL;

    *n = 0;
    for (uint64_t at = ranges ? srat_next(t, 0) : 0; at; at = srat_next(t, at)) {
        uint64_t flags = number(t, at + 28, 4), bytes = number(t, at + 16, 8);

        if (number(t, at, 1) == 1 && (flags & MEMORY_ENABLED) && !(flags & MEMORY_ABSENT_KIND) && bytes)
            ranges[(*n)++] =
                (struct twin_range){ number(t, at + 8, 8), bytes, node_of(m, t, (uint32_t)number(t, at + 2, 4)) };
    }
    if (*n)
        return ranges;
    free(ranges);
    return NULL;
}

bool host_twin_free(const struct model *m, const struct twin_range *range, uint32_t *from, struct extent *out)
{
    const struct recording *r = m->twin->recording;
    uint64_t lo = range->base > ABOVE_4G ? range->base : ABOVE_4G, hi = range->base + range->bytes;

    hi = hi < MODEL_MMIO_BASE ? hi : MODEL_MMIO_BASE;
    for (; *from < (r->n_memory ? r->n_memory : 1); (*from)++) {
        const struct recorded_memory *map = r->n_memory ? &r->memory[*from] : NULL;

        *out = (struct extent){ map && map->base > lo ? map->base : lo,
                                map && map->base + map->bytes < hi ? map->base + map->bytes : hi };
        if ((map && map->type != CONVENTIONAL) || out->base >= out->end)
            continue;
        (*from)++;
        return true;
    }
    return false;
}
