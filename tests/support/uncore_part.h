/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/uncore_part.h: a part's uncore monitors: fields of its controls, and a machine to have them. */
#pragma once
#include "tests/silicon/uncore/model_uncore_internal.h"

#include <criterion/criterion.h>

#define NODE UINT64_C(0x40000000) /* node n starts at n * NODE */
#define EN   BIT(22)

/* Machines of two cores a package. slices 0: as recorded. */
static inline struct model *part_with(const char *profile, uint32_t packages, uint32_t slices, const char *fault)
{
    struct model_config config = MODEL(profile, packages, 2, 1, .slices = slices);
    char error[8192] = "";
    struct model *m;

    config.faults[0] = fault;
    m = model_new(&config, error, sizeof error);
    cr_assert(m, "%s", error);
    for (uint32_t n = 0; n < packages; n++)
        model_memory(m, n * NODE, NODE, n);
    return m;
}

static inline void touch(struct model *m, uint32_t cpu, uint64_t base, uint64_t lines, enum model_kind kind)
{
    for (uint64_t i = 0; i < lines; i++)
        model_access(m, cpu, base + i * 64, 8, kind);
}

static inline uint64_t rd(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc)
{
    uint64_t value = 0xDEAD;

    cr_expect_eq(model_rdmsr(m, cpu, msr, tsc, &value), MODEL_DONE, "RDMSR %#x", msr);
    return value;
}

static inline void wr(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc, uint64_t value)
{
    cr_expect_eq(model_wrmsr(m, cpu, msr, tsc, value), MODEL_DONE, "WRMSR %#x", msr);
}
