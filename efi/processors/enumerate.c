/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/enumerate.c: the list of processors, and the memory that their workers need. */
#include <string.h>

#include "core/machine/processor_list.h"
#include "efi/firmware/heap.h"
#include "efi/processors/apic.h"
#include "efi/processors/processors.h"

/* --- the list of processors --------------------------------------------------------------------------------------- */

static enum status list_firmware(struct processors *ps, struct listed_cpu **out, uint32_t *n)
{
    UINTN all = 0, enabled = 0;
    struct listed_cpu *list;

    if (EFI_ERROR(ps->mp->GetNumberOfProcessors(ps->mp, &all, &enabled)) || all == 0 || all > 65536)
        return ST_CORRUPT;
    TRY_HEAP(list, all);
    for (UINTN i = 0; i < all; i++) {
        EFI_PROCESSOR_INFORMATION info;
        struct listed_cpu *l = &list[*n];

        memset(&info, 0, sizeof info);
        if (EFI_ERROR(ps->mp->GetProcessorInfo(ps->mp, i, &info)))
            continue; /* mp.list says so; the others are there all the same */
        l->apic_id = (uint32_t)info.ProcessorId;
        l->number = i;
        l->flags = (info.StatusFlag & PROCESSOR_AS_BSP_BIT ? (uint32_t)CPU_BSP : 0) |
                   (info.StatusFlag & PROCESSOR_ENABLED_BIT ? (uint32_t)CPU_ENABLED : 0) |
                   (info.StatusFlag & PROCESSOR_HEALTH_STATUS_BIT ? (uint32_t)CPU_HEALTHY : 0);
        ++*n;
    }
    *out = list;
    return ST_OK;
}

static enum status list_madt(const struct acpi_info *acpi, struct listed_cpu **out, uint32_t *n)
{
    *out = heap_alloc(((size_t)acpi->n_cpus + 1) * sizeof **out);
    if (!*out)
        return ST_NO_MEMORY;
    *n = processor_list_madt(acpi, processors_my_apic_id(), *out);
    return ST_OK;
}

static void *pages(uint64_t bytes)
{
    EFI_PHYSICAL_ADDRESS at = 0;

    if (EFI_ERROR(heap_pages(AllocateAnyPages, EfiLoaderData, (bytes + 4095) / 4096, &at)))
        return NULL;
    memset((void *)(uintptr_t)at, 0, bytes);
    return (void *)(uintptr_t)at;
}

static void give_back(struct processors *ps, void *at, uint64_t bytes)
{
    if (at)
        (void)ps->st->BootServices->FreePages((EFI_PHYSICAL_ADDRESS)(uintptr_t)at, (bytes + 4095) / 4096);
}

static void worker_init_listed(struct worker *w, struct processors *ps, const struct listed_cpu *listed, uint32_t cpu)
{
    w->cpu = cpu;
    w->apic_id = listed->apic_id;
    w->ops = &processors_ops;
    w->machine = ps;
    processor_of(w)->number = listed->number;
}

static enum status adopt(struct processors *ps, const struct listed_cpu *list, uint32_t n)
{
    struct platform *p = ps->workers.platform;
    struct cpu_slot *cpus = heap_alloc(n * sizeof *cpus);
    struct worker **table = heap_alloc(n * sizeof(struct worker *));
    /* One more than needed where the list has its boot processor, and enough where it has none. */
    struct processor *others = pages(n * sizeof *others);
    struct processor *next = others;

    if (!cpus || !table || !others) {
        heap_free(cpus);
        heap_free(table);
        give_back(ps, others, n * sizeof *others);
        return ST_NO_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool boot = list[i].flags & CPU_BSP;

        table[i] = boot ? ps->workers.boot : &next++->worker;
        worker_init_listed(table[i], ps, &list[i], i);
        cpus[i] = (struct cpu_slot){ .apic_id = list[i].apic_id,
                                     .flags = list[i].flags | (boot ? (uint32_t)CPU_STARTED : 0) };
        if (boot)
            p->bsp = i;
    }
    p->cpus = cpus;
    p->n_cpus = n;
    ps->workers.worker = table;
    ps->workers.n = n;
    ps->others = others;
    return ST_OK;
}

enum status processors_enumerate(struct processors *ps, const struct acpi_info *acpi)
{
    struct listed_cpu alone = { processors_my_apic_id(), CPU_BSP | CPU_ENABLED | CPU_HEALTHY, 0 };
    struct listed_cpu *list = NULL;
    uint32_t n = 0;
    enum status st = ps->mp ? list_firmware(ps, &list, &n) : list_madt(acpi, &list, &n);

    if (st == ST_OK)
        st = processor_list_sort(list, n);
    if (st == ST_OK)
        st = adopt(ps, list, n);
    heap_free(list);
    if (st == ST_CORRUPT && adopt(ps, &alone, 1) != ST_OK)
        st = ST_NO_MEMORY;
    return st;
}

void processors_free(struct processors *ps)
{
    struct workers *ws = &ps->workers;

    if (!ws->stopped || ws->unreturned > 0 || !ps->others)
        return;
    workers_free_runs(ws);
    give_back(ps, ps->others, ws->n * sizeof *ps->others);
    give_back(ps, ps->stacks, (uint64_t)ps->n_stacks * WORKER_STACK);
    ps->others = NULL;
    ps->stacks = NULL;
    ws->n = 0;
}

enum status processors_prepare(struct processors *ps, uint32_t n)
{
    const struct workers *ws = &ps->workers;

    ps->stacks = pages((uint64_t)n * WORKER_STACK);
    if (!ps->stacks)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        memset(ps->stacks + (size_t)i * WORKER_STACK, WORKER_STACK_PATTERN, WORKER_STACK_GUARD);
    ps->n_stacks = n;
    workers_allow_sleep(&ps->workers, apic_find(ws->worker[ws->n - 1]->apic_id) == ST_OK);
    return ST_OK;
}
