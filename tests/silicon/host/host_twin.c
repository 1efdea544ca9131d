/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_twin.c: of a twin, its ACPI tables, the memory that its SRAT describes, PCI functions and memory-mapped
 * registers that the model does not have.
 *
 * Source: ACPI specification 6.5, 5.2.16 (SRAT); UEFI 2.10, 7.2.3 (memory types).
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/twin/twin.h"

#include <stdlib.h>

#define ABOVE_4G           UINT64_C(0x100000000)
#define CONVENTIONAL       7u
#define MEMORY_ENABLED     BIT(0)
#define MEMORY_ABSENT_KIND BITS(2, 1) /* hot-pluggable; non-volatile */

/* The node whose processors the SRAT has in that proximity domain. */
static uint32_t node_of(const struct model *m, uint32_t proximity)
{
    uint32_t of;

    for (uint32_t i = 0; i < m->cpus; i++)
        if (recording_affinity(m->twin->recording, model_apic_id(m, i), &of) && of == proximity)
            return model_node(m, i);
    return proximity % (m->packages * m->clusters);
}

const struct recorded_table *host_twin_table(const struct model *m, const char *signature)
{
    return m->twin ? recording_table(m->twin->recording, signature) : NULL;
}

struct twin_range *host_twin_memory(const struct model *m, uint32_t *n)
{
    const struct recorded_table *t = host_twin_table(m, "SRAT");
    struct twin_range *ranges = t ? calloc(t->bytes.n / 40 + 1, sizeof *ranges) : NULL;

    *n = 0;
    for (uint64_t at = ranges ? recorded_srat_next(t, 0) : 0; at; at = recorded_srat_next(t, at)) {
        uint64_t flags = recorded_number(t, at + 28, 4), bytes = recorded_number(t, at + 16, 8);

        if (recorded_number(t, at, 1) == 1 && (flags & MEMORY_ENABLED) && !(flags & MEMORY_ABSENT_KIND) && bytes)
            ranges[(*n)++] = (struct twin_range){ recorded_number(t, at + 8, 8), bytes,
                                                  node_of(m, (uint32_t)recorded_number(t, at + 2, 4)) };
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

uint32_t host_twin_pci(struct model *m, uint32_t function, const struct recorded_function **f)
{
    const struct twin *t = m->twin;

    *f = NULL;
    if (!t || !t->functions_placed)
        return function >> 16 < uncore_segments(m) ? function : TWIN_NONE;
    if (function >> 16 >= t->n_segments)
        return TWIN_NONE;
    if (t->bus_at[function >> 8] != TWIN_NONE) {
        uint32_t own = t->bus_at[function >> 8] << 8 | (function & 0xFF);

        if (model_pci_has(m, own))
            return own;
    }
    *f = t->functions[function];
    return TWIN_NONE;
}

bool host_twin_region(const struct model *m, uint64_t address, uint32_t bytes, uint64_t *value)
{
    const struct recording *r = m->twin ? m->twin->recording : NULL;

    for (uint32_t i = 0; r && i < r->n_regions; i++)
        if (address >= r->regions[i].base && recorded_value(&r->regions[i], address - r->regions[i].base, bytes, value))
            return true;
    return false;
}
