/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/silicon.h: a model in a few words, for tests that compute its answers by hand. */
#pragma once
#include "core/base/bits.h"
#include "tests/silicon/model/model.h"

#include <criterion/criterion.h>

#define SILICON_NODE UINT64_C(0x40000000) /* node n has the memory from n * SILICON_NODE on */
#define SILICON_TIME UINT64_C(1000000000) /* when everything happens that does not say when  */

/* A test has its last eight machines: making another one frees the oldest. */
static inline struct model *silicon_new(const struct model_config *config)
{
    static struct model *machines[8];
    static uint32_t made;
    char error[4096] = "";
    struct model *m = model_new(config, error, sizeof error), **oldest = &machines[made++ % 8];

    cr_assert(m, "%s", error);
    model_free(*oldest);
    *oldest = m;
    for (uint32_t n = 0; n < 32; n++)
        model_memory(m, n * SILICON_NODE, SILICON_NODE, n);
    return m;
}

/* A profile with so many packages, cores a package and threads a core; then other fields of the configuration. */
#define silicon_of(...) silicon_new(&MODEL(__VA_ARGS__))

static inline uint64_t silicon_read_at(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc)
{
    uint64_t value = 0;

    cr_expect_eq(model_rdmsr(m, cpu, msr, tsc, &value), MODEL_DONE, "RDMSR %#x", msr);
    return value;
}

static inline uint64_t silicon_read(struct model *m, uint32_t cpu, uint32_t msr)
{
    return silicon_read_at(m, cpu, msr, SILICON_TIME);
}

static inline enum model_answer silicon_write(struct model *m, uint32_t cpu, uint32_t msr, uint64_t value)
{
    return model_wrmsr(m, cpu, msr, SILICON_TIME, value);
}

static inline bool silicon_refuses(struct model *m, uint32_t cpu, uint32_t msr, uint64_t value)
{
    return silicon_write(m, cpu, msr, value) == MODEL_GP;
}

/* Taken, and read back as `back`. */
static inline void silicon_keeps(struct model *m, uint32_t cpu, uint32_t msr, uint64_t value, uint64_t back)
{
    uint64_t found;

    cr_expect_eq(silicon_write(m, cpu, msr, value), MODEL_DONE, "WRMSR %#x <- %#lx", msr, value);
    found = silicon_read(m, cpu, msr);
    cr_expect_eq(found, back, "MSR %#x: %#lx for %#lx, not %#lx", msr, found, value, back);
}

static inline uint64_t silicon_count(struct model *m, uint32_t cpu, uint64_t rmid, uint32_t event)
{
    cr_expect_eq(silicon_write(m, cpu, 0xC8D, rmid << 32 | event), MODEL_DONE);
    return silicon_read(m, cpu, 0xC8E);
}

static inline void silicon_touch(struct model *m, uint32_t cpu, uint64_t base, uint64_t lines, enum model_kind kind)
{
    for (uint64_t i = 0; i < lines; i++)
        model_access(m, cpu, base + i * 64, 8, kind);
}

static inline void silicon_load(struct model *m, uint32_t cpu, uint64_t base, uint64_t lines)
{
    silicon_touch(m, cpu, base, lines, MODEL_LOAD);
}

static inline struct model_truth silicon_truth(struct model *m, uint32_t domain, uint32_t rmid)
{
    struct model_truth t;

    model_truth(m, domain, rmid, &t);
    return t;
}
