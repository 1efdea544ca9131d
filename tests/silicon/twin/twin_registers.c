/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/twin/twin_registers.c: of a twin, the recorded registers: MSRs, and those of boxes in PCI and in memory. The rule is
 * in twin.h. What the model takes is written into it as software would, before anybody else is there.
 */
#include <stdlib.h>

#include "tests/silicon/model/model_state.h"
#include "tests/silicon/twin/twin.h"

#define MSR_PLATFORM_ID       0x17u
#define MSR_SMI_COUNT         0x34u
#define MSR_PPIN              0x4Fu
#define MSR_PLATFORM_INFO     0xCEu
#define MSR_CORE_CAPABILITIES 0xCFu

#define PASSES 3u /* a register that another one decides what it takes of, as CDP, takes it in the second one */
#define HEADER 0x40u

enum { NOT_RECORDED, KEPT, RAISES, THE_MODELS };

static bool says_which_part(uint32_t msr)
{
    return msr == MSR_PLATFORM_ID || msr == MSR_PPIN || msr == MSR_PLATFORM_INFO || msr == MSR_CORE_CAPABILITIES;
}

/* APIC, TSC, memory types, system calls and operating mode: SDM vol. 4, table 2-2. */
static bool is_qemus(uint32_t msr)
{
    return msr == 0x1B || msr == 0x3B || (msr >= 0x174 && msr <= 0x179) || (msr >= 0x200 && msr <= 0x2FF) ||
           (msr >= 0x800 && msr <= 0x8FF) || (msr >= 0xC0000080u && msr <= 0xC0000103u);
}

static struct twin_register *find(const struct twin *t, uint32_t msr)
{
    uint32_t low = 0, high = t->n_registers;

    while (low < high) {
        uint32_t mid = (low + high) / 2;

        if (t->registers[mid].msr < msr)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->n_registers && t->registers[low].msr == msr ? &t->registers[low] : NULL;
}

enum model_answer twin_rdmsr(const struct twin *t, uint32_t cpu, uint32_t msr, uint64_t *value)
{
    const struct twin_register *g = t->begun ? find(t, msr) : NULL;

    if (!g || g->how[cpu] == NOT_RECORDED || g->how[cpu] == THE_MODELS)
        return MODEL_NOT_MINE;
    *value = g->value[cpu];
    return g->how[cpu] == KEPT ? MODEL_DONE : MODEL_GP;
}

enum model_answer twin_wrmsr(const struct twin *t, uint32_t cpu, uint32_t msr, uint64_t value)
{
    struct twin_register *g = t->begun ? find(t, msr) : NULL;

    if (!g || g->how[cpu] == NOT_RECORDED || g->how[cpu] == THE_MODELS)
        return MODEL_NOT_MINE;
    if (g->how[cpu] == RAISES || says_which_part(msr))
        return MODEL_GP;
    g->value[cpu] = value;
    return MODEL_DONE;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = ((const struct twin_register *)a)->msr, y = ((const struct twin_register *)b)->msr;

    return x < y ? -1 : x > y;
}

/* A register for each number that was recorded. */
static void take_numbers(struct twin *t)
{
    const struct recording *r = t->recording;
    uint32_t n = 0;

    t->registers = pool_zeroed(&t->pool, r->n_msrs, sizeof t->registers[0]);
    for (uint32_t i = 0; i < r->n_msrs; i++)
        t->registers[i].msr = r->msrs[i].number;
    qsort(t->registers, r->n_msrs, sizeof t->registers[0], ascending);
    for (uint32_t i = 0; i < r->n_msrs; i++)
        if (n == 0 || t->registers[n - 1].msr != t->registers[i].msr)
            t->registers[n++].msr = t->registers[i].msr;
    t->n_registers = n;
    for (uint32_t i = 0; i < n; i++) {
        t->registers[i].how = pool_zeroed(&t->pool, t->n, sizeof t->registers[i].how[0]);
        t->registers[i].value = pool_zeroed(&t->pool, t->n, sizeof t->registers[i].value[0]);
    }
}

static void take_value(struct twin_register *g, uint32_t cpu, const struct recorded_msr *line)
{
    g->how[cpu] = line->fault ? RAISES : KEPT;
    g->value[cpu] = line->value;
}

/* Lines of every processor first, then those of single ones. */
static void take_values(struct twin *t)
{
    const struct recording *r = t->recording;
    uint32_t *place = pool_zeroed(&t->pool, t->n, sizeof place[0]);

    for (uint32_t i = 0; i < t->n; i++)
        place[t->recorded[i]] = i;
    for (uint32_t own = 0; own < 2; own++)
        for (uint32_t i = 0; i < r->n_msrs; i++) {
            struct twin_register *g = find(t, r->msrs[i].number);

            for (uint32_t cpu = 0; !own && r->msrs[i].cpu == RECORDED_ALL && cpu < t->n; cpu++)
                take_value(g, cpu, &r->msrs[i]);
            if (own && r->msrs[i].cpu != RECORDED_ALL)
                take_value(g, place[r->msrs[i].cpu], &r->msrs[i]);
        }
}

/* The model takes the value, has it already, or leaves it to the twin. */
static void give(struct model *m, struct twin_register *g, uint32_t cpu)
{
    uint64_t value = 0;
    enum model_answer answer = model_rdmsr(m, cpu, g->msr, 0, &value);

    if (g->how[cpu] != KEPT && g->how[cpu] != THE_MODELS)
        return;
    if (answer != MODEL_DONE) {
        bool ours = answer == MODEL_GP ? msr_block_is_ours(m, g->msr) : m->qemu && is_qemus(g->msr);

        g->how[cpu] = ours ? THE_MODELS : KEPT;
        return;
    }
    g->how[cpu] = says_which_part(g->msr) ? KEPT : THE_MODELS;
    if (g->msr == MSR_SMI_COUNT)
        m->cpu[cpu].smi_count = (uint32_t)g->value[cpu];
    else if (value != g->value[cpu] && model_wrmsr(m, cpu, g->msr, 0, g->value[cpu]) == MODEL_GP &&
             model_wrmsr(m, cpu, g->msr, 0, 0) == MODEL_DONE) /* locked or enabled as it is now */
        (void)model_wrmsr(m, cpu, g->msr, 0, g->value[cpu]);
}

/* --- of boxes in PCI and in memory, by dwords */

static bool dword(const struct recorded_bytes *b, uint64_t offset, uint32_t *value)
{
    uint64_t v;

    if (!recorded_value(b, offset, 4, &v))
        return false;
    *value = (uint32_t)v;
    return true;
}

static void give_function(struct model *m, uint32_t function, const struct recorded_function *f)
{
    uint32_t value;

    for (uint32_t offset = HEADER; offset + 4 <= f->config.n; offset += 4)
        if (dword(&f->config, offset, &value) && model_pci_read(m, function, offset, 4, 0) != value)
            model_pci_write(m, function, offset, 4, 0, value);
}

static void give_region(struct model *m, const struct recorded_bytes *region)
{
    uint32_t value;

    for (uint32_t offset = 0; offset + 4 <= region->n; offset += 4)
        if (region->base + offset - MODEL_MMIO_BASE < model_mmio_bytes(m) && dword(region, offset, &value) &&
            model_mmio_read(m, region->base + offset, 4, 0) != value)
            model_mmio_write(m, region->base + offset, 4, 0, value);
}

static void give_boxes(struct model *m)
{
    const struct twin *t = m->twin;

    for (uint32_t bus = 0; t->functions_placed && bus < 256 * uncore_segments(m); bus++)
        for (uint32_t k = 0; k < 256 && t->bus_of[bus] != TWIN_NONE; k++) {
            const struct recorded_function *f = t->functions[t->bus_of[bus] << 8 | k];

            if (f)
                give_function(m, bus << 8 | k, f);
        }
    for (uint32_t i = 0; i < t->recording->n_regions; i++)
        give_region(m, &t->recording->regions[i]);
}

void twin_begin(struct model *m)
{
    struct twin *t = m->twin;

    twin_begin_functions(m);
    take_numbers(t);
    take_values(t);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        for (uint32_t i = 0; i < t->n_registers; i++)
            for (uint32_t cpu = 0; cpu < t->n; cpu++)
                if (t->registers[i].how[cpu] != NOT_RECORDED)
                    give(m, &t->registers[i], cpu);
        give_boxes(m);
    }
    t->begun = true;
    m->msr_reads = m->msr_writes = m->msr_faults = 0;
}
