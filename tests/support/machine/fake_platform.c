/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/fake_platform.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "core/machine/machine.h"
#include "core/report/report.h"
#include "tests/support/machine/memory.h"

static void note_access(struct fake *f, char kind, uint32_t cpu, uint64_t reg, uint64_t value)
{
    if (f->n_log < FAKE_LOG)
        f->log[f->n_log++] = (struct fake_access){ kind, cpu, reg, value };
}

static struct fake_msr *find_msr(struct fake *f, uint32_t number)
{
    return FIND(i, f->n_msrs, f->msrs[i].number == number, &f->msrs[i], NULL);
}

void fake_cpuid(struct fake *f, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                uint32_t edx)
{
    assert(f->n_leaves < FAKE_ROWS);
    f->leaves[f->n_leaves++] = (struct fake_leaf){ cpu, leaf, subleaf, { eax, ebx, ecx, edx } };
}

static struct cpuid_regs read_leaf(const struct fake *f, uint32_t cpu, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs regs = { 0 };

    if (f->n_leaves == 0)
        return (struct cpuid_regs){ leaf, subleaf, cpu, 0 };
    for (uint32_t i = 0; i < f->n_leaves; i++)
        if ((f->leaves[i].cpu == cpu || f->leaves[i].cpu == FAKE_CPUS) && f->leaves[i].leaf == leaf &&
            f->leaves[i].subleaf == subleaf)
            regs = f->leaves[i].regs;
    if (leaf == 1)
        regs.ebx |= f->slots[cpu].apic_id << 24;
    if (leaf == 0xB)
        regs.edx = f->slots[cpu].apic_id;
    return regs;
}

enum status fake_step(struct fake *f, uint32_t cpu, struct step *s)
{
    struct fake_msr *m = find_msr(f, s->reg);

    s->tsc = f->tsc += f->tsc_step;
    if (s->op == STEP_CPUID) {
        note_access(f, 'c', cpu, s->reg, s->subleaf);
        s->regs = read_leaf(f, cpu, s->reg, s->subleaf);
        return ST_OK;
    }
    if (s->op == STEP_WORK) {
        note_access(f, 'k', cpu, s->work->base, s->work->bytes);
        s->work->moved_bytes = s->work->bytes * s->work->passes;
        return ST_OK;
    }
    if (s->op != STEP_RDMSR && s->op != STEP_WRMSR)
        return ST_OK;
    note_access(f, s->op == STEP_RDMSR ? 'r' : 'w', cpu, s->reg, s->value);
    if (!m || m->absent[cpu])
        return ST_FAULT;
    if (s->op == STEP_RDMSR) {
        s->value = m->value[cpu];
        return ST_OK;
    }
    if (m->write_faults || (s->value & m->reserved))
        return ST_FAULT;
    for (uint32_t i = 0; i < FAKE_CPUS && !m->sticks; i++)
        if (i == cpu || m->shared)
            m->value[i] = s->value;
    return ST_OK;
}

static enum status run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t)
{
    struct fake *f = machine;
    enum status first = ST_OK;

    if (n_tasks > f->widest_run)
        f->widest_run = n_tasks;
    EACH(struct task, task, tasks, n_tasks) {
        task->status = ST_OK;
        if (f->hangs[task->cpu]) {
            f->slots[task->cpu].flags |= CPU_LOST;
            task->status = ST_TIMEOUT;
        }
        for (uint32_t s = 0; s < task->n_steps && task->status == ST_OK; s++) {
            task->steps[s].status = fake_step(f, task->cpu, &task->steps[s]);
            if (task->steps[s].status != ST_OK && task->steps[s].must)
                break;
        }
        first = status_first(first, task->status);
    }
    return first;
}

static struct fake_cell *find_cell(struct fake *f, bool pci, uint64_t address)
{
    return FIND(i, f->n_cells, f->cells[i].pci == pci && f->cells[i].address == address, &f->cells[i], NULL);
}

static uint64_t pci_key(struct pci_address at, uint32_t offset)
{
    return (uint64_t)at.bus << 20 | (uint64_t)at.device << 15 | (uint64_t)at.function << 12 | offset;
}

static enum status read_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    struct fake_cell *c = find_cell(machine, true, pci_key(at, offset));

    *value = c ? (uint32_t)c->value : UINT32_MAX >> (32 - 8 * width);
    return ST_OK;
}

static enum status write_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t, uint32_t value)
{
    struct fake_cell *c = find_cell(machine, true, pci_key(at, offset));

    note_access(machine, 'p', 0, pci_key(at, offset), value);
    if (c)
        c->value = value;
    return ST_OK;
}

static enum status read_mmio(void *machine, uint64_t address, uint32_t, uint64_t *value)
{
    struct fake_cell *c = find_cell(machine, false, address);

    if (!c)
        return ST_PAGE_FAULT;
    *value = c->value;
    return ST_OK;
}

static enum status write_mmio(void *machine, uint64_t address, uint32_t, uint64_t value)
{
    struct fake_cell *c = find_cell(machine, false, address);

    note_access(machine, 'm', 0, address, value);
    if (!c)
        return ST_PAGE_FAULT;
    c->value = value;
    return ST_OK;
}

static enum status read_memory(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    struct fake *f = machine;

    return f->memory ? memory_read(f->memory, address, buffer, bytes) : ST_PAGE_FAULT;
}

static uint64_t tsc(void *machine)
{
    struct fake *f = machine;

    return f->tsc += f->tsc_step;
}

static uint64_t utc_ns(void *machine)
{
    return ((struct fake *)machine)->utc_ns;
}

/* Ticks of 1 GHz are nanoseconds. */
static void stall(void *machine, uint64_t ns)
{
    struct fake *f = machine;

    f->tsc += ns;
}

static const struct platform_ops ops = {
    .run = run,
    .pci_read = read_pci,
    .pci_write = write_pci,
    .mmio_read = read_mmio,
    .mmio_write = write_mmio,
    .phys_read = read_memory,
    .tsc = tsc,
    .stall = stall,
    .utc_ns = utc_ns,
};

void fake_init(struct fake *f, uint32_t n_cpus)
{
    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; i < n_cpus; i++)
        f->slots[i] = (struct cpu_slot){ .apic_id = 2 * i, .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED };
    f->slots[0].flags |= CPU_BSP;
    f->tsc = 1000;
    f->tsc_step = 1000;
    f->utc_ns = UINT64_C(1795241942000000000);
    f->platform = (struct platform){ .ops = &ops,
                                     .machine = f,
                                     .n_cpus = n_cpus,
                                     .cpus = f->slots,
                                     .tsc_hz = 1000000000,
                                     .tsc_source = "a test",
                                     .mp_method = "a loop" };
}

struct fake_msr *fake_msr(struct fake *f, uint32_t number, uint64_t value)
{
    struct fake_msr *m = &f->msrs[f->n_msrs++];

    m->number = number;
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        m->value[i] = value;
    return m;
}

struct fake_cell *fake_cell(struct fake *f, bool pci, uint64_t address, uint64_t value)
{
    f->cells[f->n_cells] = (struct fake_cell){ pci, address, value };
    return &f->cells[f->n_cells++];
}

uint32_t fake_find(const struct fake *f, char kind, uint64_t reg, uint32_t nth)
{
    return FIND(i, f->n_log, f->log[i].kind == kind && f->log[i].reg == reg && nth-- == 0, i, FAKE_LOG);
}

/* --- machine ----------------------------------------------------------------------------------------------------- */

void fake_machine(struct fake *f, struct machine *m)
{
    static const struct cpu_identity id = {
        .vendor = VENDOR_INTEL, .vendor_string = "GenuineIntel", .family = 6, .model = 0x4F, .stepping = 1
    };

    memset(m, 0, sizeof *m);
    m->platform = &f->platform;
    m->n_cpus = f->platform.n_cpus;
    m->cpus = calloc(m->n_cpus, sizeof *m->cpus);
    m->n_packages = m->n_domains = m->n_nodes = 1;
    m->packages = calloc(1, sizeof *m->packages);
    m->domains = calloc(1, sizeof *m->domains);
    m->nodes = calloc(1, sizeof *m->nodes);
    *m->packages = (struct package){ .n_cpus = m->n_cpus };
    *m->domains = (struct l3_domain){ .n_cpus = m->n_cpus, .l3_bytes = 55 << 20, .l3_ways = 20, .l3_inclusive = true };
    *m->nodes = (struct node){ .n_cpus = m->n_cpus, .memory_bytes = UINT64_C(64) << 30 };
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        struct cpu *c = &m->cpus[i];

        c->id = id;
        c->place = (struct cpu_place){ .apic_id = 2 * i, .core = i, .has_l3 = true };
        c->microcode = 0x0B00003E;
        c->ppin_status = ST_ABSENT;
        c->rdt = (struct rdt_info){ .monitoring = true,
                                    .leaf0f_known = true,
                                    .max_rmid_any = 175,
                                    .l3_monitoring = true,
                                    .l3_known = true,
                                    .upscaling_factor = 90112,
                                    .max_rmid = 175,
                                    .occupancy = true,
                                    .total = true,
                                    .local = true,
                                    .counter_width = 24 };
    }
    strcpy(m->brand, "Intel(R) Xeon(R) CPU E5-2699 v4 @ 2.20GHz");
    m->generation = "Broadwell-EP";
    m->tsc_hz = f->platform.tsc_hz;
    m->tsc_source = f->platform.tsc_source;
    m->memory_bytes = UINT64_C(64) << 30;
    strcpy(m->smbios.bios_vendor, "Vendor");
    strcpy(m->smbios.bios_version, "1.2");
    strcpy(m->smbios.bios_release_date, "01/02/2026");
    strcpy(m->smbios.system_manufacturer, "Maker");
    strcpy(m->smbios.system_product_name, "Server 1");
    strcpy(m->smbios.system_uuid, "01234567-89ab-cdef-0123-456789abcdef");
    strcpy(m->smbios.baseboard_product_name, "Board 7");
}

void fake_machine_free(struct machine *m)
{
    free(m->cpus);
    free(m->packages);
    free(m->domains);
    free(m->nodes);
}

/* --- medium ------------------------------------------------------------------------------------------------------ */

static enum status medium_write(void *context, const char *bytes, size_t length)
{
    struct fake_medium *m = context;

    m->writes++;
    if (m->limit > 0 && m->length + length > m->limit) {
        m->refused++;
        return m->fails_with != ST_OK ? m->fails_with : ST_FULL;
    }
    if (m->length + length + 1 > m->capacity) {
        m->capacity = 2 * (m->length + length + 1);
        m->text = realloc(m->text, m->capacity);
    }
    memcpy(m->text + m->length, bytes, length);
    m->length += length;
    m->text[m->length] = '\0';
    return ST_OK;
}

static enum status medium_flush(void *context)
{
    ((struct fake_medium *)context)->flushes++;
    return ST_OK;
}

struct sink fake_sink(struct fake_medium *m)
{
    return (struct sink){ .context = m, .write = medium_write, .flush = medium_flush };
}

void fake_medium_free(struct fake_medium *m)
{
    free(m->text);
    memset(m, 0, sizeof *m);
}
