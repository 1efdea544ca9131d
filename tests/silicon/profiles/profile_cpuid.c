/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/profiles/profile.h"

#include <string.h>

#define BRAND 0x80000002u /* and the next two leaves, 16 bytes each */

static bool find_brand(const char *brand, uint32_t leaf, uint32_t regs[4])
{
    char text[48] = "";

    if (!brand || leaf < BRAND || leaf > BRAND + 2)
        return false;
    memccpy(text, brand, 0, sizeof text);
    memcpy(regs, text + (leaf - BRAND) * 16, 16);
    return true;
}

bool profile_find(const struct profile *p, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    if (find_brand(p->brand, leaf, regs))
        return true;
    for (const struct cpuid_table *t = p->cpuid; t; t = t->base)
        for (uint32_t i = 0; i < t->n_leaves; i++)
            if (t->leaves[i].leaf == leaf && t->leaves[i].subleaf == subleaf) {
                memcpy(regs, t->leaves[i].regs, sizeof t->leaves[i].regs);
                return true;
            }
    memset(regs, 0, 4 * sizeof regs[0]);
    return false;
}

uint32_t profile_cpuid(const struct profile *p, uint32_t leaf, uint32_t subleaf, uint32_t reg)
{
    uint32_t regs[4];

    profile_find(p, leaf, subleaf, regs);
    return regs[reg];
}

const struct profile *profile_by_name(const char *name)
{
    for (const struct profile *const *p = profiles; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}
