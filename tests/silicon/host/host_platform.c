/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_platform.c: see model_platform.h. */
#include "tests/silicon/host/host_platform.h"
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/model/model_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_BASE   UINT64_C(0x7E000000)
#define MEMORY_BASE   UINT64_C(0x100000000)
#define LOAD_LIMIT    (UINT64_C(12) << 20) /* a line may cost a microsecond of the host */
#define EPOCH_SECONDS UINT64_C(1767225600) /* 2026-01-01T00:00:00Z */

#define TICKS_LOOK 50u /* of the TSC */

/* --- the table's operations but run */

static bool config_access_in_range(uint32_t offset, uint32_t width)
{
    return (width == 1 || width == 2 || width == 4) && offset % width == 0 && offset + width <= 4096;
}

static uint32_t function_of(struct pci_address at)
{
    return (uint32_t)at.segment << 16 | (uint32_t)at.bus << 8 | (uint32_t)at.device << 3 | at.function;
}

/* Functions of the silicon; on other buses there is none. */
static enum status pci_access_read(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                   uint32_t *value)
{
    struct machine *k = machine;
    const struct recorded_function *f;
    uint32_t own;

    if (!config_access_in_range(offset, width))
        return ST_RANGE;
    if (at.segment >= uncore_segments(k->model) && !k->model->twin)
        return ST_ABSENT;
    k->now += CLOCK_DEVICE;
    own = host_twin_pci(k->model, function_of(at), &f);
    *value = f ? 0 : (uint32_t)low_bits(8 * width);
    for (uint32_t i = 0; f && i < width; i++)
        *value |= (uint32_t)twin_config(f, offset + i, 0) << 8 * i;
    if (own != TWIN_NONE && model_pci_bus(k->model, own >> 8))
        *value = model_pci_read(k->model, own, offset, width, k->now);
    return ST_OK;
}

static enum status pci_access_write(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                    uint32_t value)
{
    struct machine *k = machine;
    const struct recorded_function *f;
    uint32_t own;

    if (!config_access_in_range(offset, width))
        return ST_RANGE;
    if (at.segment >= uncore_segments(k->model) && !k->model->twin)
        return ST_ABSENT;
    k->now += CLOCK_DEVICE;
    own = host_twin_pci(k->model, function_of(at), &f);
    if (own != TWIN_NONE && model_pci_bus(k->model, own >> 8))
        model_pci_write(k->model, own, offset, width, k->now, value);
    return ST_OK;
}

static bool in_window(const struct machine *k, uint64_t address, uint32_t width)
{
    return model_maps(k->model, address) && (width == 1 || width == 2 || width == 4 || width == 8) &&
           address % width == 0;
}

static enum status mmio_access_read(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct machine *k = machine;

    if (!in_window(k, address, width))
        return host_twin_region(k->model, address, width, value) ? ST_OK : ST_PAGE_FAULT;
    k->now += CLOCK_DEVICE;
    *value = model_mmio_read(k->model, address, width, k->now);
    return ST_OK;
}

static enum status mmio_access_write(void *machine, uint64_t address, uint32_t width, uint64_t value)
{
    struct machine *k = machine;

    if (!in_window(k, address, width))
        return ST_PAGE_FAULT;
    k->now += CLOCK_DEVICE;
    model_mmio_write(k->model, address, width, k->now, value);
    return ST_OK;
}

static enum status tables_read(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    const struct firmware_tables *t = &((struct machine *)machine)->tables;

    if (address < t->base || bytes > t->size || address - t->base > t->size - bytes)
        return ST_PAGE_FAULT;
    memcpy(buffer, t->bytes + (address - t->base), bytes);
    return ST_OK;
}

/* The part of a free extent inside [lo, hi), on 4 KiB boundaries; empty: base == end. */
static struct extent clip(const struct extent *e, uint64_t lo, uint64_t hi)
{
    struct extent c = { e->base > lo ? e->base : lo, e->end < hi ? e->end : hi };

    c.base = (c.base + 4095) & ~UINT64_C(4095);
    c.end &= ~UINT64_C(4095);
    if (c.end < c.base)
        c.end = c.base;
    return c;
}

static enum status memory_alloc(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct machine *k = machine;
    uint64_t need = (bytes + 4095) & ~UINT64_C(4095);

    if (bytes == 0 || need < bytes)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < k->n_free; i++) {
        struct extent c = clip(&k->free[i], lo, hi);

        if (c.end - c.base < need)
            continue;
        if (c.base > k->free[i].base) { /* what stands before stays free */
            if (k->n_free == EXTENTS)
                return ST_NO_MEMORY;
            k->free[k->n_free++] = (struct extent){ k->free[i].base, c.base };
        }
        k->free[i].base = c.base + need;
        *address = c.base;
        return ST_OK;
    }
    return ST_NO_MEMORY;
}

static uint64_t memory_largest_free(void *machine, uint64_t lo, uint64_t hi)
{
    struct machine *k = machine;
    uint64_t largest = 0;

    for (uint32_t i = 0; i < k->n_free; i++) {
        struct extent c = clip(&k->free[i], lo, hi);

        if (c.end - c.base > largest)
            largest = c.end - c.base;
    }
    return largest;
}

static uint64_t time_tsc(void *machine)
{
    struct machine *k = machine;

    k->now += TICKS_LOOK; /* so that whoever waits for a time sees it come */
    return k->now;
}

static uint64_t time_utc_ns(void *machine)
{
    struct machine *k = machine;

    return EPOCH_SECONDS * 1000000000u + (uint64_t)((unsigned __int128)k->now * 1000000000u / k->model->tsc_hz);
}

static void time_stall(void *machine, uint64_t ns)
{
    struct machine *k = machine;

    k->now += (uint64_t)((unsigned __int128)ns * k->model->tsc_hz / 1000000000u);
}

static const struct mp_selftest *firmware_selftest(void *machine)
{
    return &((struct machine *)machine)->trial;
}

static uint32_t machine_checks(void *machine, char *text, size_t size)
{
    uint32_t n = model_machine_checks(((const struct machine *)machine)->model);

    if (n > 0)
        snprintf(text, size, "a cache lost a line");
    return n;
}

static const struct platform_ops model_ops = {
    .run = platform_run_tasks,
    .pci_read = pci_access_read,
    .pci_write = pci_access_write,
    .mmio_read = mmio_access_read,
    .mmio_write = mmio_access_write,
    .phys_read = tables_read,
    .alloc = memory_alloc,
    .largest_free = memory_largest_free,
    .tsc = time_tsc,
    .utc_ns = time_utc_ns,
    .stall = time_stall,
    .mp_selftest = firmware_selftest,
    .machine_checks = machine_checks,
};

/* --- life */

static void build(struct model_platform *mp, struct machine *k, uint64_t node_bytes)
{
    struct model *m = k->model;
    struct platform *p = &mp->platform;

    k->dead = pool_zeroed(&k->pool, m->cpus, sizeof k->dead[0]);
    k->apic = pool_zeroed(&k->pool, m->cpus, sizeof k->apic[0]);
    k->free = pool_zeroed(&k->pool, EXTENTS, sizeof k->free[0]);
    p->cpus = pool_zeroed(&k->pool, m->cpus, sizeof p->cpus[0]);
    firmware_tables_build(&k->tables, &k->pool, m, TABLES_BASE, MEMORY_BASE, node_bytes);
    firmware_selftest_build(&k->trial, &k->pool, m);
    if (fault_on(&m->faults, FAULT_PROCESSOR_DEAD))
        k->dead[fault_place(&m->faults, FAULT_PROCESSOR_DEAD, m->cpus)] = true;
    memory_make(k, MEMORY_BASE, node_bytes);
    for (uint32_t i = 0; i < m->cpus; i++) {
        p->cpus[i].apic_id = model_apic_id(m, i);
        p->cpus[i].flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED | (i == 0 ? CPU_BSP : 0);
    }
    m->alone = true;
    k->now = 10 * m->tsc_hz; /* firmware took ten seconds */
    p->ops = &model_ops;
    p->machine = k;
    p->n_cpus = m->cpus;
    p->tsc_hz = m->tsc_hz;
    p->load_limit = LOAD_LIMIT;
    p->tsc_source = "virtual time";
    p->rsdp = k->tables.rsdp;
    p->smbios = k->tables.smbios;
    p->mp_method = "silicon model";
}

struct model_platform *model_platform_new(const struct model_config *config, uint64_t node_bytes)
{
    char error[2048];
    struct model *m = model_new(config, error, sizeof error);
    struct pool pool = { NULL };
    struct machine *k;

    if (!m) {
        fprintf(stderr, "model platform: %s\n", error);
        return NULL;
    }
    k = pool_zeroed(&pool, 1, sizeof *k);
    k->mp = pool_zeroed(&pool, 1, sizeof *k->mp);
    k->pool = pool;
    k->mp->state = k;
    k->mp->model = k->model = m;
    build(k->mp, k, node_bytes ? (node_bytes + 4095) & ~UINT64_C(4095) : UINT64_C(1) << 30);
    return k->mp;
}

void model_platform_free(struct model_platform *mp)
{
    struct machine *k = mp ? mp->state : NULL;
    struct pool pool;

    if (!k)
        return;
    for (uint32_t i = 0; i < PREPARED; i++)
        free(k->prepared[i].next);
    model_free(k->model);
    pool = k->pool;
    pool_free(&pool);
}

void model_platform_kill(struct model_platform *mp, uint32_t cpu)
{
    struct machine *k = mp->state;

    if (cpu < mp->platform.n_cpus)
        k->dead[cpu] = true;
}

void model_platform_smi(struct model_platform *mp, uint32_t n)
{
    ((struct machine *)mp->state)->smi_left = n;
}
