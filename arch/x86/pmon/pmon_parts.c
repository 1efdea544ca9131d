/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which tables belong to which processor. */
#include "arch/x86/pmon/pmon_tables.h"

const struct pmon_part *const pmon_parts[] = { &pmon_nehalem, &pmon_nehalem_ex, &pmon_jaketown,     &pmon_ivytown,
                                               &pmon_haswell, &pmon_broadwell,  &pmon_broadwell_de, &pmon_skylake,
                                               &pmon_icelake, &pmon_sapphire,   &pmon_granite,      &pmon_zen,
                                               &pmon_zen3,    &pmon_zen4 };
const uint32_t pmon_n_parts = sizeof pmon_parts / sizeof pmon_parts[0];

static const struct {
    uint32_t model;
    const struct pmon_part *part;
} intel[] = {
    { 0x1A, &pmon_nehalem },  { 0x1E, &pmon_nehalem },    { 0x1F, &pmon_nehalem },    { 0x25, &pmon_nehalem },
    { 0x2C, &pmon_nehalem },  { 0x2E, &pmon_nehalem_ex }, { 0x2F, &pmon_nehalem_ex }, { 0x2D, &pmon_jaketown },
    { 0x3E, &pmon_ivytown },  { 0x3F, &pmon_haswell },    { 0x4F, &pmon_broadwell },  { 0x56, &pmon_broadwell_de },
    { 0x55, &pmon_skylake },  { 0x6A, &pmon_icelake },    { 0x6C, &pmon_icelake },    { 0x8F, &pmon_sapphire },
    { 0xCF, &pmon_sapphire }, { 0xAD, &pmon_granite },    { 0xAE, &pmon_granite },    { 0xAF, &pmon_granite },
};

/* Family 19H holds Zen 3 (models 00H-0FH and 20H-5FH) and Zen 4 (10H-1FH, 60H-AFH). */
static const struct pmon_part *amd_part(const struct cpu_identity *id)
{
    bool zen4 = (id->model >= 0x10 && id->model <= 0x1F) || (id->model >= 0x60 && id->model <= 0xAF);

    if (id->family == 0x17 || id->family == 0x18)
        return &pmon_zen;
    if (id->family == 0x19)
        return zen4 ? &pmon_zen4 : &pmon_zen3;
    return id->family == 0x1A ? &pmon_zen4 : NULL;
}

const struct pmon_part *pmon_part_of(const struct cpu_identity *id)
{
    if (id->vendor == VENDOR_AMD || id->vendor == VENDOR_HYGON)
        return amd_part(id);
    if (id->vendor != VENDOR_INTEL || id->family != 6)
        return NULL;
    for (uint32_t i = 0; i < sizeof intel / sizeof intel[0]; i++)
        if (intel[i].model == id->model)
            return intel[i].part;
    return NULL;
}
