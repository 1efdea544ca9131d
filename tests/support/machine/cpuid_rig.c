/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/cpuid_rig.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"

#define AT_RSDP UINT64_C(0x1000)
#define AT_XSDT UINT64_C(0x2000)
#define AT_SRAT UINT64_C(0x3000)

void rig_cpuid(struct rig *r, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
               uint32_t edx)
{
    cr_assert_lt(r->n_rows, RIG_ROWS);
    r->rows[r->n_rows++] = (struct rig_row){ cpu, leaf, subleaf, { eax, ebx, ecx, edx } };
}

void rig_msr(struct rig *r, uint32_t cpu, uint32_t number, uint64_t value)
{
    r->msrs[r->n_msrs++] = (struct rig_msr_value){ cpu, number, value };
}

static struct cpuid_regs look_up(const struct rig *r, uint32_t cpu, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs regs = { 0 };
    uint32_t apic_id = r->slots[cpu].apic_id;

    for (uint32_t i = 0; i < r->n_rows; i++)
        if ((r->rows[i].cpu == cpu || r->rows[i].cpu == RIG_CPUS) && r->rows[i].leaf == leaf &&
            r->rows[i].subleaf == subleaf)
            regs = r->rows[i].regs;
    if (leaf == 1)
        regs.ebx |= apic_id << 24;
    if (leaf == 0xB)
        regs.edx = apic_id;
    return regs;
}

void rig_step(struct rig *r, uint32_t cpu, struct step *s)
{
    s->status = ST_OK;
    if (s->op == STEP_CPUID) {
        s->regs = look_up(r, cpu, s->reg, s->subleaf);
    } else if (s->op == STEP_RDMSR) {
        s->status = ST_FAULT;
        for (uint32_t i = 0; i < r->n_msrs; i++) {
            if ((r->msrs[i].cpu == cpu || r->msrs[i].cpu == RIG_CPUS) && r->msrs[i].number == s->reg) {
                s->status = ST_OK;
                s->value = r->msrs[i].value;
            }
        }
    } else {
        r->wrmsrs += s->op == STEP_WRMSR;
        s->status = ST_UNSUPPORTED;
    }
}

static enum status rig_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t)
{
    struct rig *r = machine;

    r->runs++;
    if (n_tasks > r->widest_run)
        r->widest_run = n_tasks;
    for (uint32_t t = 0; t < n_tasks; t++) {
        if (r->hangs[tasks[t].cpu]) {
            r->slots[tasks[t].cpu].flags |= CPU_LOST;
            tasks[t].status = ST_TIMEOUT;
            continue;
        }
        for (uint32_t s = 0; s < tasks[t].n_steps; s++)
            rig_step(r, tasks[t].cpu, &tasks[t].steps[s]);
        tasks[t].status = ST_OK;
    }
    return ST_OK;
}

struct rig *rig_new(void)
{
    static struct rig rig;
    static const struct platform_ops ops = { .run = rig_run, .phys_read = memory_read };
    static const uint32_t apic_ids[RIG_CPUS] = { 0, 1, 2, 3, 8, 9, 10, 11 };
    struct rig *r = &rig;

    memset(r, 0, sizeof *r);
    memory_init(&r->memory);
    r->memory.platform.ops = &ops;
    r->memory.platform.machine = r;
    r->memory.platform.cpus = r->slots;
    r->memory.platform.n_cpus = RIG_CPUS;
    r->memory.platform.tsc_hz = 2200000000;
    r->memory.platform.tsc_source = "rig";
    for (uint32_t i = 0; i < RIG_CPUS; i++)
        r->slots[i] = (struct cpu_slot){ .apic_id = apic_ids[i],
                                         .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED | (i ? 0 : CPU_BSP) };
    rig_cpuid(r, RIG_CPUS, 0, 0, 0x14, 0x756E6547, 0x6C65746E, 0x49656E69);
    rig_cpuid(r, RIG_CPUS, 1, 0, 0x000406F1, 0x00080800, 0, 1u << 28);
    rig_cpuid(r, RIG_CPUS, 4, 0, 0x121 | 1u << 14, 0x01C0003F, 63, 0);
    rig_cpuid(r, RIG_CPUS, 4, 1, 0x143 | 1u << 14, 0x01C0003F, 511, 0);
    rig_cpuid(r, RIG_CPUS, 4, 2, 0x163 | 7u << 14, 0x04C0003F, 0x7FFF, 6);
    rig_cpuid(r, RIG_CPUS, 7, 0, 0, 1u << 12 | 1u << 15, 0, 0);
    rig_cpuid(r, RIG_CPUS, 0xB, 0, 1, 2, 0x100, 0);
    rig_cpuid(r, RIG_CPUS, 0xB, 1, 3, 4, 0x201, 0);
    rig_cpuid(r, RIG_CPUS, 0xF, 0, 0, 63, 0, 2);
    rig_cpuid(r, RIG_CPUS, 0xF, 1, 0, 32768, 63, 7);
    rig_cpuid(r, RIG_CPUS, 0x10, 0, 0, 2, 0, 0);
    rig_cpuid(r, RIG_CPUS, 0x10, 1, 19, 0xC0000, 4, 15);
    rig_cpuid(r, RIG_CPUS, 0x80000000u, 0, 0x80000008u, 0, 0, 0);
    rig_cpuid(r, RIG_CPUS, 0x80000007u, 0, 0, 0, 0, 1u << 8);
    rig_msr(r, RIG_CPUS, IA32_BIOS_SIGN_ID, UINT64_C(0x0B00003E00000000));
    return r;
}

void rig_srat(struct rig *r)
{
    acpi_begin(&r->srat, "SRAT", 3);
    blob_zero(&r->srat, 12);
}

void rig_map_tables(struct rig *r)
{
    acpi_finish(&r->srat);
    acpi_begin(&r->xsdt, "XSDT", 1);
    blob_put(&r->xsdt, AT_SRAT, 8);
    acpi_finish(&r->xsdt);
    acpi_rsdp(&r->rsdp, 2, 0, AT_XSDT);
    r->memory.platform.rsdp = AT_RSDP;
    memory_add(&r->memory, AT_RSDP, r->rsdp.at, r->rsdp.n);
    memory_add(&r->memory, AT_XSDT, r->xsdt.at, r->xsdt.n);
    memory_add(&r->memory, AT_SRAT, r->srat.at, r->srat.n);
}
