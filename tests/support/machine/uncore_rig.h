/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/uncore_rig.h: a machine with uncore monitors, reached as software reaches them. For the tests of
 * the monitors of servers; addresses stand in the tests as the documents have them, not as the silicon's tables do.
 */
#pragma once
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "tests/support/run/silicon.h"

#define GB(n)  (SILICON_NODE * (n))
#define EN     BIT(22)
#define LINES  1200u
#define SECOND 2400000000u

/* A machine of the model, and its TSC. */
struct uncore_rig {
    struct model *m;
    uint64_t tsc;
    uint32_t packages, clusters;
};

static inline struct uncore_rig uncore_rig_new(const struct model_config *config)
{
    struct uncore_rig b = { silicon_new(config), 1000, config->packages, config->clusters };

    for (uint32_t cpu = 0; cpu < model_cpus(b.m); cpu++) /* nothing but what is asked for comes from memory */
        (void)model_wrmsr(b.m, cpu, 0x1A4, 0, 0xF);
    return b;
}

static inline struct uncore_rig uncore_rig_of(const char *profile, uint32_t packages, uint32_t clusters,
                                              const char *fault)
{
    return uncore_rig_new(&MODEL(profile, packages, 4, 1, .clusters = clusters, .tsc_hz = SECOND, .faults = { fault }));
}

static inline uint32_t cpu_on(const struct uncore_rig *b, uint32_t package)
{
    return package * model_cpus(b->m) / b->packages;
}

static inline uint64_t msr(struct uncore_rig *b, uint32_t package, uint32_t number)
{
    uint64_t value = 0;

    cr_assert_eq(model_rdmsr(b->m, cpu_on(b, package), number, b->tsc, &value), MODEL_DONE, "RDMSR %#x", number);
    return value;
}

static inline void set_msr(struct uncore_rig *b, uint32_t package, uint32_t number, uint64_t value)
{
    cr_assert_eq(model_wrmsr(b->m, cpu_on(b, package), number, b->tsc, value), MODEL_DONE, "WRMSR %#x", number);
}

/* False: it raises #GP. */
static inline bool has_msr(struct uncore_rig *b, uint32_t package, uint32_t number)
{
    enum model_answer answer = model_rdmsr(b->m, cpu_on(b, package), number, b->tsc, &(uint64_t){ 0 });

    cr_assert(answer == MODEL_DONE || answer == MODEL_GP, "MSR %#x is left to the host", number);
    return answer == MODEL_DONE;
}

/* A PCI function found as software finds it: by its identity, in the order of bus numbers. */
#define NOWHERE UINT32_MAX
static inline uint32_t find_function(struct uncore_rig *b, uint32_t did, uint32_t device, uint32_t function,
                                     uint32_t nth)
{
    for (uint32_t bus = 0x10; bus < 256 * uncore_segments(b->m); bus++) {
        uint32_t at = bus << 8 | device << 3 | function;

        if (!model_pci_bus(b->m, bus))
            continue;
        if (model_pci_read(b->m, at, 0, 4, b->tsc) == (did << 16 | 0x8086u) && nth-- == 0)
            return at;
    }
    return NOWHERE;
}

static inline uint32_t dword(struct uncore_rig *b, uint32_t at, uint32_t offset)
{
    return model_pci_read(b->m, at, offset, 4, b->tsc);
}

static inline uint64_t qword(struct uncore_rig *b, uint32_t at, uint32_t offset)
{
    return dword(b, at, offset) | (uint64_t)dword(b, at, offset + 4) << 32;
}

static inline void set_dword(struct uncore_rig *b, uint32_t at, uint32_t offset, uint32_t value)
{
    model_pci_write(b->m, at, offset, 4, b->tsc, value);
}

static inline uint64_t mapped(struct uncore_rig *b, uint64_t address, uint32_t bytes)
{
    return model_mmio_read(b->m, address, bytes, b->tsc);
}

static inline void set_mapped(struct uncore_rig *b, uint64_t address, uint32_t bytes, uint64_t value)
{
    model_mmio_write(b->m, address, bytes, b->tsc, value);
}

/* `lines` lines of a node that nobody has asked for before: each call another region. */
static inline void touch(struct uncore_rig *b, uint32_t cpu, uint32_t node, uint32_t lines, enum model_kind kind)
{
    static uint64_t region;
    uint64_t first = GB(node) + (region++ % 512 << 20);

    for (uint64_t i = 0; i < lines; i++)
        for (uint64_t at = 0; at < 64; at += kind == MODEL_NT_STORE ? 8 : 64)
            model_access(b->m, cpu, first + i * 64 + at, 8, kind);
}

/* Physical address of a channel, by the base address registers of the memory map function. */
static inline uint64_t channel_of(struct uncore_rig *b, uint32_t map_did, uint32_t package, uint32_t n)
{
    uint32_t map = find_function(b, map_did, 0, 1, package);
    uint64_t base = (uint64_t)(dword(b, map, 0xD0) & 0x1FFFFFFF) << 23;
    uint64_t bar = (uint64_t)(dword(b, map, 0xD8 + 4 * (n / 2)) & 0x7FF) << 12;

    cr_assert_neq(map, NOWHERE);
    cr_assert(base && bar);
    return base + bar + 0x22800 + 0x4000 * (n % 2);
}
