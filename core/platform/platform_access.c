/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/platform_access.c: tasks and writes of platform.h. Above the ledger, which sees each write before it happens. */
#include "core/platform/platform.h"

#include "core/base/heap.h"
#include "core/platform/ledger.h"

/* Every MSR that these tasks write is in the ledger before the first of them runs. */
static enum status show_writes(struct platform *p, const struct task *tasks, uint32_t n_tasks)
{
    struct ledger_entry *last = NULL; /* scripts write the same register many times: look it up once */

    for (uint32_t t = 0; t < n_tasks; t++) {
        EACH(const struct step, step, tasks[t].steps, tasks[t].n_steps) {
            if (step->op != STEP_WRMSR)
                continue;
            if (!last || last->address != step->reg) {
                TRY(ledger_touch_msr(p, step->reg, LEDGER_CONTROL));
                last = ledger_find_msr(p->ledger, step->reg);
            }
            last->writes++;
        }
    }
    return ST_OK;
}

static void prepare_task(struct task *tasks, uint32_t n_tasks)
{
    for (uint32_t t = 0; t < n_tasks; t++) {
        tasks[t].status = ST_NOT_RUN;
        tasks[t].at = 0;
        for (uint32_t s = 0; s < tasks[t].n_steps; s++)
            tasks[t].steps[s].status = ST_NOT_RUN;
    }
}

static void count(struct platform_counts *c, const struct task *task)
{
    EACH(const struct step, step, task->steps, task->n_steps) {
        if (step->status == ST_NOT_RUN)
            continue;
        c->rdmsr += step->op == STEP_RDMSR;
        c->wrmsr += step->op == STEP_WRMSR;
        c->cpuid += step->op == STEP_CPUID;
        c->faults += step->status == ST_FAULT || step->status == ST_PAGE_FAULT;
        if (step->op == STEP_WORK && step->status == ST_OK)
            c->work_bytes += step->work->moved_bytes;
    }
}

static enum status hand_over(struct platform *p, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    enum status st = ST_OK, machine;

    if (n_tasks == 0)
        return ST_OK;
    p->counts.runs++;
    machine = p->gather ? p->gather->run(p->gather, tasks, n_tasks, budget_ms)
                        : p->ops->run(p->machine, tasks, n_tasks, budget_ms);
    for (uint32_t t = 0; t < n_tasks; t++) {
        count(&p->counts, &tasks[t]);
        st = status_first(st, tasks[t].status);
    }
    return status_first(st, machine);
}

/* Some of the tasks are for processors that take no work: those are refused, the others run. */
static enum status run_some(struct platform *p, struct task *tasks, uint32_t n_tasks, uint32_t n_able,
                            uint64_t budget_ms)
{
    struct task *able = heap_alloc(sizeof *able * (n_able ? n_able : 1));
    uint32_t n = 0;

    if (!able)
        return ST_NO_MEMORY;
    for (uint32_t t = 0; t < n_tasks; t++)
        if (cpu_takes_work(p, tasks[t].cpu))
            able[n++] = tasks[t];
    enum status st = hand_over(p, able, n, budget_ms);
    /* A processor may have been lost in this very run, so results go back by number and not by flag. */
    for (uint32_t t = 0, a = 0; t < n_tasks; t++) {
        if (a < n && able[a].cpu == tasks[t].cpu)
            tasks[t] = able[a++];
        else
            tasks[t].status = tasks[t].cpu < p->n_cpus ? ST_LOST : ST_RANGE;
    }
    heap_free(able);
    return FIND(t, n_tasks, tasks[t].status != ST_OK, tasks[t].status, st);
}

enum status platform_run(struct platform *p, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    uint32_t n_able;

    prepare_task(tasks, n_tasks);
    n_able = HOW_MANY(t, n_tasks, cpu_takes_work(p, tasks[t].cpu));
    if (p->ledger && n_able > 0) {
        TRY(show_writes(p, tasks, n_tasks));
        /* Reading the registers for the ledger may have lost a processor. */
        n_able = HOW_MANY(t, n_tasks, cpu_takes_work(p, tasks[t].cpu));
    }
    if (n_able < n_tasks)
        return run_some(p, tasks, n_tasks, n_able, budget_ms);
    return hand_over(p, tasks, n_tasks, budget_ms);
}

void platform_stall(struct platform *p, uint64_t ns)
{
    if (p->gather)
        p->gather->stall(p->gather, ns);
    else
        p->ops->stall(p->machine, ns);
}

/* --- single accesses ---------------------------------------------------------------------------------------------- */

static enum status run_step(struct platform *p, uint32_t cpu, struct step *step)
{
    struct task task = { .cpu = cpu, .n_steps = 1, .steps = step };
    enum status st;

    if (!cpu_takes_work(p, cpu))
        return ST_LOST;
    step->untimed = true;
    st = platform_run(p, &task, 1, work_budget_ms(0));
    return status_first(st, step->status);
}

enum status msr_read(struct platform *p, uint32_t cpu, uint32_t msr, uint64_t *value)
{
    struct step step = { .op = STEP_RDMSR, .reg = msr };

    TRY(run_step(p, cpu, &step));
    *value = step.value;
    return ST_OK;
}

enum status msr_write(struct platform *p, uint32_t cpu, uint32_t msr, uint64_t value)
{
    struct step step = { .op = STEP_WRMSR, .reg = msr, .value = value };

    return run_step(p, cpu, &step);
}

enum status cpu_cpuid(struct platform *p, uint32_t cpu, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    struct step step = { .op = STEP_CPUID, .reg = leaf, .subleaf = subleaf };

    TRY(run_step(p, cpu, &step));
    *regs = step.regs;
    return ST_OK;
}

enum status pci_write(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    enum status st;

    TRY(p->ledger ? ledger_touch_pci(p, at, offset, width) : ST_OK);
    st = p->ops->pci_write ? p->ops->pci_write(p->machine, at, offset, width, value) : ST_ABSENT;
    platform_count(p, &p->counts.pci, st);
    return st;
}

enum status mmio_write(struct platform *p, uint64_t address, uint32_t width, uint64_t value)
{
    enum status st;

    TRY(p->ledger ? ledger_touch_mmio(p, address, width) : ST_OK);
    st = p->ops->mmio_write ? p->ops->mmio_write(p->machine, address, width, value) : ST_ABSENT;
    platform_count(p, &p->counts.mmio, st);
    return st;
}
