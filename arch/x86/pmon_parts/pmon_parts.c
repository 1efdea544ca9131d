/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which tables belong to which processor, and what can be asked of all of a part's tables. */
#include "arch/x86/pmon_parts/pmon_parts.h"

#define PMON_PART_LISTED(part) &(part),
const struct pmon_part *const pmon_parts[] = { PMON_PARTS(PMON_PART_LISTED) };
const uint32_t pmon_n_parts = sizeof pmon_parts / sizeof pmon_parts[0];

static bool pmon_part_is_for(const struct pmon_part *part, const struct cpu_identity *id)
{
    enum cpu_vendor vendor = id->vendor == VENDOR_HYGON ? VENDOR_AMD : id->vendor;

    EACH(const struct pmon_model, m, part->models, part->n_models)
        if (m->vendor == vendor && m->family == id->family && id->model >= m->first && id->model <= m->last &&
            id->stepping >= m->first_stepping)
            return true;
    return false;
}

const struct pmon_part *pmon_part_of(const struct cpu_identity *id)
{
    return FIND(i, pmon_n_parts, pmon_part_is_for(pmon_parts[i], id), pmon_parts[i], NULL);
}

bool pmon_part_has(const struct pmon_part *part, enum pmon_kind kind)
{
    bool has = ANY_OF(i, part->n_units, part->units[i]->kind == kind);

    for (uint32_t i = 0; part->discovery && i < part->discovery->n_types; i++)
        has |= part->discovery->types[i].unit.name && part->discovery->types[i].unit.kind == kind;
    return has;
}

const struct pmon_memory_map *pmon_memory_map_of(const struct pmon_part *part)
{
    return FIND(i, part->n_units, part->units[i]->location.memory, part->units[i]->location.memory, NULL);
}
