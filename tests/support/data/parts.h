/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/parts.h: parts of the uncore tables by the processor, and their units by name. */
#pragma once
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/base/search.h"
#include "core/base/text.h"

/* Of Intel's family 6, or AMD's. NULL: the tree has no tables for it. */
static inline const struct pmon_part *part_of(uint32_t family, uint32_t model)
{
    enum cpu_vendor vendor = family == 6 ? VENDOR_INTEL : VENDOR_AMD;

    return pmon_part_of(&(struct cpu_identity){ .vendor = vendor, .family = family, .model = model });
}

/* NULL: it has none of that name. */
static inline const struct pmon_unit *part_unit(const struct pmon_part *part, const char *name)
{
    return part ? FIND(i, part->n_units, text_equal_nocase(part->units[i]->name, name), part->units[i], NULL) : NULL;
}
