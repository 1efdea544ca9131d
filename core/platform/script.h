/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/script.h: steps of a task, spelled short. A task is an array of these (core/platform/platform.h). */
#pragma once
#include "core/platform/platform.h"

/* The same step without an RDTSC after it: its tsc is not written. */
static inline struct step step_untimed(struct step step)
{
    step.untimed = true;
    return step;
}

static inline struct step step_rdmsr(uint32_t msr)
{
    return (struct step){ .op = STEP_RDMSR, .reg = msr };
}

static inline struct step step_wrmsr(uint32_t msr, uint64_t value)
{
    return (struct step){ .op = STEP_WRMSR, .reg = msr, .value = value };
}

/* A write without which the rest of the task makes no sense. */
static inline struct step step_wrmsr_must(uint32_t msr, uint64_t value)
{
    return (struct step){ .op = STEP_WRMSR, .reg = msr, .value = value, .must = true };
}

static inline struct step step_wbinvd(void)
{
    return (struct step){ .op = STEP_WBINVD };
}

static inline struct step step_spin(uint64_t tsc_ticks)
{
    return (struct step){ .op = STEP_SPIN, .value = tsc_ticks, .untimed = true };
}

/* RDTSC alone: a time stamp in tsc. */
static inline struct step step_stamp(void)
{
    return (struct step){ .op = STEP_SPIN };
}

/* From the next wait for a task to its end. */
static inline struct step step_mwait(uint32_t hint)
{
    return (struct step){ .op = STEP_MWAIT, .value = hint };
}

/* Without a time stamp after it: the work has its own (struct work). */
static inline struct step step_work(struct work *work)
{
    return (struct step){ .op = STEP_WORK, .work = work, .untimed = true };
}

static inline struct step step_barrier(void)
{
    return (struct step){ .op = STEP_BARRIER, .untimed = true };
}

static inline struct step step_pmi_open(void)
{
    return (struct step){ .op = STEP_PMI_OPEN };
}

static inline struct step step_pmi_listen(uint64_t tsc_ticks)
{
    return (struct step){ .op = STEP_PMI_LISTEN, .value = tsc_ticks };
}

static inline struct step step_pmi_close(void)
{
    return (struct step){ .op = STEP_PMI_CLOSE };
}

/* `n` messages of PMI_OPEN's vector to the processor of that APIC id, so many ticks apart. */
static inline struct step step_ipi_send(uint32_t apic_id, uint32_t n, uint32_t tsc_ticks)
{
    return (struct step){ .op = STEP_IPI_SEND, .reg = apic_id, .value = n, .subleaf = tsc_ticks };
}

/* Run one task on one processor. ST_OK: every step was tried, look at each step's status. Otherwise as platform_run():
 * ST_LOST, ST_TIMEOUT. */
MUST_CHECK static inline enum status script_run(struct platform *p, uint32_t cpu, struct step *steps, uint32_t n_steps,
                                                uint64_t budget_ms)
{
    struct task task = { .cpu = cpu, .n_steps = n_steps, .steps = steps };

    if (!cpu_takes_work(p, cpu))
        return ST_LOST;
    TRY(platform_run(p, &task, 1, budget_ms));
    return task.status;
}
