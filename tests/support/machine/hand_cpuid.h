/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/hand_cpuid.h: a source of CPUID registers that a test writes by hand; other leaves are absent. */
#pragma once
#include "arch/x86/cpu/cpuid.h"

struct hand {
    struct hand_leaf {
        uint32_t leaf, subleaf;
        struct cpuid_regs regs;
    } at[16];
    uint32_t n;
};
#define HAND_LEAVES(...) ((struct hand_leaf[]){ __VA_ARGS__ })
#define HAND(...)                                                                                                      \
    ((struct hand){ .at = { __VA_ARGS__ }, .n = sizeof HAND_LEAVES(__VA_ARGS__) / sizeof(struct hand_leaf) })

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
