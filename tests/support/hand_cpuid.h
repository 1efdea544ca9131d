/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/hand_cpuid.h: a source of CPUID registers that a test writes by hand; other leaves are absent. */
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
