/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/hand_cpuid.h: a source of CPUID registers that a test writes by hand; other leaves are absent. */
#pragma once
#include "arch/x86/cpu/cpuid.h"

struct hand {
    struct {
        uint32_t leaf, subleaf;
        struct cpuid_regs regs;
    } at[16];
    uint32_t n;
};

static inline enum status hand_leaf(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct hand *h = context;

    for (uint32_t i = 0; i < h->n; i++) {
        if (h->at[i].leaf == leaf && h->at[i].subleaf == subleaf) {
            *regs = h->at[i].regs;
            return ST_OK;
        }
    }
    return ST_ABSENT;
}

static inline void hand_add(struct hand *h, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                            uint32_t edx)
{
    h->at[h->n].leaf = leaf;
    h->at[h->n].subleaf = subleaf;
    h->at[h->n++].regs = (struct cpuid_regs){ eax, ebx, ecx, edx };
}
