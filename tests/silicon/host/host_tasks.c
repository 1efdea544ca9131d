/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_tasks.c: tasks of the model platform.
 *
 * They run by turns: whoever's clock is furthest behind takes the next step, or the next few hundred lines of a
 * workload. So the order of events is that of virtual time, and the same in every run.
 *
 * What a processor that does not answer means for the others is as core/platform/platform.h and the payload's workers have it:
 * its task is ST_TIMEOUT and the processor lost; tasks that wait for it at a barrier get ST_TIMEOUT there when the
 * deadline passes, take no more spins or workloads (ST_NOT_RUN), but still run their register steps, and keep their
 * processors.
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "core/base/search.h"
#include "tests/silicon/model/model_clock.h"

#define CPUID_1_ECX_MONITOR (1u << 3)

enum { /* ticks of the TSC */
       TICKS_BARRIER = 200,
       TICKS_HAND_OVER = 2000,
       TICKS_HANDLER = 1000, /* of an interrupt, from its delivery to the end of interrupt: assumed */
};

struct run {
    struct pool pool;
    struct machine *machine;
    struct runner *runners;
    uint32_t n;
    uint32_t *arrived, *expected; /* [barriers] */
    uint64_t deadline;
    bool abandoned;
};

static enum status of_answer(const struct machine *k, uint32_t cpu, enum model_answer answer)
{
    const struct fault_set *f = &k->model->faults;

    if (fault_on(f, FAULT_PROCESSOR_FAULTS) && cpu == fault_place(f, FAULT_PROCESSOR_FAULTS, k->model->cpus))
        return ST_FAULT;
    return answer == MODEL_DONE ? ST_OK : ST_FAULT;
}

/* What the processor's TSC shows now. */
static uint64_t task_tsc(const struct machine *k, const struct runner *r)
{
    return r->clock - model_tsc_behind(k->model, r->task->cpu);
}

/* Of a local APIC, the LVT performance counter register alone: firmware leaves it masked, and delivery masks it until the
 * handler is done with it (SDM vol. 3A 10.5.1). One that comes while it is masked is dropped. */
#define LVT_MASKED 0x10000u

static void pmi_take(struct machine *k, struct runner *r)
{
    struct local_apic *a = &k->apic[r->task->cpu];

    while (model_pmi(k->model, r->task->cpu, r->clock)) {
        if (!a->open || a->pmi.interrupts >= PMI_MOST)
            continue;
        a->pmi.interrupts++;
        a->pmi.masked++;
    }
}

/* The one that waits, if it was let in before `now`. */
static void ipi_take(struct local_apic *a, uint64_t now)
{
    if (!a->waits || !a->listens || now < a->free_at)
        return;
    a->waits = false;
    a->pmi.interrupts++;
    a->free_at += TICKS_HANDLER;
}

/* An interrupt of our vector comes at `now`. One handler runs at a time, and one more waits: others of the vector merge with that
 * (SDM vol. 3A 10.8.4). While the processor does not listen, one waits. */
static void ipi_arrive(struct local_apic *a, uint64_t now)
{
    ipi_take(a, now);
    if (a->listens && now >= a->free_at) {
        a->pmi.interrupts++;
        a->free_at = now + TICKS_HANDLER;
    } else {
        a->waits = true;
    }
}

static struct local_apic *apic_of(const struct machine *k, uint32_t apic_id, uint32_t *cpu)
{
    for (*cpu = 0; *cpu < k->mp->platform.n_cpus; ++*cpu)
        if (k->mp->platform.cpus[*cpu].apic_id == apic_id)
            return &k->apic[*cpu];
    return NULL;
}

/* One message a turn, so that others' clocks keep up. True: it is over. */
static bool ipi_turn(struct run *run, struct runner *r, struct step *s, enum status *st)
{
    struct machine *k = run->machine;
    uint32_t to;
    struct local_apic *a = apic_of(k, s->reg, &to);

    if (r->ipis == 0) {
        s->ipi = (struct ipi_count){ 0 };
        *st = run->abandoned                         ? ST_NOT_RUN
              : a == NULL || !a->open                ? ST_ABSENT
              : s->value == 0 || s->value > IPI_MOST ? ST_RANGE
                                                     : ST_OK;
        if (*st != ST_OK)
            return true;
    }
    r->clock += CLOCK_WRMSR;
    model_ipi(k->model, to);
    ipi_arrive(a, r->clock);
    r->clock += s->subleaf;
    s->ipi.sent = (uint32_t)++r->ipis;
    if (r->ipis < s->value)
        return false;
    r->ipis = 0;
    return true;
}

/* The window of a PMI_LISTEN, which others' messages fall in. True: it is over, or there is none. */
static bool listen_turn(const struct run *run, struct runner *r, const struct step *s)
{
    struct local_apic *a = &run->machine->apic[r->task->cpu];

    if (a->listens) {
        ipi_take(a, r->clock);
        return true;
    }
    if (!a->open || run->abandoned)
        return true;
    a->listens = true;
    a->free_at = r->clock;
    ipi_take(a, r->clock);
    r->clock += s->value;
    return false;
}

static enum status pmi_step(struct run *run, struct runner *r, struct step *s)
{
    struct machine *k = run->machine;
    struct local_apic *a = &k->apic[r->task->cpu];

    s->pmi = (struct pmi_count){ 0 };
    if (s->op == STEP_PMI_OPEN && a->open)
        return ST_RANGE;
    if (s->op != STEP_PMI_OPEN && !a->open)
        return ST_ABSENT;
    if (s->op == STEP_PMI_LISTEN && !a->listens)
        return ST_NOT_RUN;
    a->listens = false;
    pmi_take(k, r);
    if (s->op == STEP_PMI_OPEN)
        *a = (struct local_apic){ .open = true, .pmi = { .lvt = LVT_MASKED } };
    if (s->op == STEP_PMI_LISTEN)
        a->pmi.lvt = a->pmi.interrupts >= PMI_MOST ? LVT_MASKED : 0;
    if (s->op == STEP_PMI_CLOSE)
        a->pmi.interrupts += a->waits;
    if (s->op == STEP_PMI_CLOSE)
        *a = (struct local_apic){ .pmi = {
                                      .interrupts = a->pmi.interrupts, .masked = a->pmi.masked, .lvt = LVT_MASKED } };
    s->pmi = a->pmi;
    return ST_OK;
}

/* One step, or a turn of one. True: it is done and *st says how. */
static bool step_turn(struct run *run, struct runner *r, struct step *s, enum status *st)
{
    struct machine *k = run->machine;
    uint32_t cpu = r->task->cpu, regs[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
    uint64_t value = 0;

    *st = ST_OK;
    switch (s->op) {
    case STEP_CPUID: /* the underlying processor of this platform can do everything */
        r->clock += CLOCK_CPUID;
        if (s->reg == 0xD) /* but for XSAVE: its area is laid out as the part's own */
            profile_find(k->model->profile, s->reg, s->subleaf, regs);
        model_cpuid(k->model, cpu, s->reg, s->subleaf, regs);
        s->regs = (struct cpuid_regs){ regs[0], regs[1], regs[2], regs[3] };
        return true;
    case STEP_RDMSR:
        r->clock += CLOCK_RDMSR;
        *st = of_answer(k, cpu, model_rdmsr(k->model, cpu, s->reg, r->clock, &value));
        r->clock += model_clock_lost(k->model, cpu);
        if (*st == ST_OK)
            s->value = value;
        return true;
    case STEP_WRMSR:
        r->clock += CLOCK_WRMSR;
        *st = of_answer(k, cpu, model_wrmsr(k->model, cpu, s->reg, r->clock, s->value));
        r->clock += model_clock_lost(k->model, cpu);
        return true;
    case STEP_WBINVD:
        r->clock += model_clock_wbinvd(k->model);
        model_wbinvd(k->model, cpu);
        return true;
    case STEP_SPIN:
        if (run->abandoned)
            *st = ST_NOT_RUN;
        else
            r->clock += s->value;
        return true;
    case STEP_MWAIT:
        model_cpuid(k->model, cpu, 1, 0, regs);
        if (regs[2] & CPUID_1_ECX_MONITOR)
            model_mwait(k->model, cpu);
        else
            *st = ST_UNSUPPORTED;
        return true;
    case STEP_WORK:
        if (run->abandoned && !r->work.under_way) {
            *st = ST_NOT_RUN;
            return true;
        }
        return work_turn(k, r, s->work, st);
    case STEP_PMI_LISTEN:
        if (!listen_turn(run, r, s))
            return false;
        *st = pmi_step(run, r, s);
        return true;
    case STEP_PMI_OPEN:
    case STEP_PMI_CLOSE:
        *st = pmi_step(run, r, s);
        return true;
    case STEP_IPI_SEND:
        return ipi_turn(run, r, s, st);
    case STEP_BARRIER: /* step_barrier() */
        break;
    }
    *st = ST_RANGE;
    return true;
}

static void barrier_release(struct run *run, uint32_t rank)
{
    uint64_t latest = 0;

    for (uint32_t i = 0; i < run->n; i++)
        if (run->runners[i].state == WAITING && run->runners[i].rank == rank && run->runners[i].clock > latest)
            latest = run->runners[i].clock;
    for (uint32_t i = 0; i < run->n; i++) {
        struct runner *r = &run->runners[i];
        struct step *s;

        if (r->state != WAITING || r->rank != rank)
            continue;
        s = &r->task->steps[r->at];
        r->clock = latest + TICKS_BARRIER;
        r->state = RUNNING;
        s->status = ST_OK;
        if (!s->untimed)
            s->tsc = task_tsc(run->machine, r);
        r->rank++;
        r->at++;
    }
}

static void barrier_arrive(struct run *run, uint32_t rank)
{
    if (++run->arrived[rank] == run->expected[rank])
        barrier_release(run, rank);
}

static void step_barrier(struct run *run, struct runner *r)
{
    r->state = WAITING;
    barrier_arrive(run, r->rank);
}

/* Nobody is left who could reach the barriers that are waited for. */
static void abandon(struct run *run)
{
    run->abandoned = true;
    for (uint32_t i = 0; i < run->n; i++) {
        struct runner *r = &run->runners[i];

        if (r->state != WAITING)
            continue;
        r->task->steps[r->at].status = ST_TIMEOUT;
        if (r->task->status == ST_OK) {
            r->task->status = ST_TIMEOUT;
            r->task->at = r->at;
        }
        r->broken |= r->task->steps[r->at].must;
        if (r->clock < run->deadline)
            r->clock = run->deadline;
        r->task->steps[r->at].tsc = task_tsc(run->machine, r);
        r->state = RUNNING;
        r->rank++;
        r->at++;
    }
}

static void lose(struct run *run, struct runner *r)
{
    r->state = LOST;
    r->task->status = ST_TIMEOUT;
    r->task->at = r->at;
    run->machine->mp->platform.cpus[r->task->cpu].flags |= CPU_LOST;
}

static void turn(struct run *run, struct runner *r)
{
    struct step *s;
    enum status st;

    if (r->clock > run->deadline && !run->abandoned) {
        lose(run, r);
        return;
    }
    if (r->at == r->task->n_steps) {
        r->state = FINISHED;
        return;
    }
    s = &r->task->steps[r->at];
    if (r->broken) {
        s->status = ST_NOT_RUN;
        if (s->op == STEP_BARRIER)
            barrier_arrive(run, r->rank++);
        r->at++;
        return;
    }
    if (s->op == STEP_BARRIER) {
        step_barrier(run, r);
        return;
    }
    if (!step_turn(run, r, s, &st))
        return;
    s->status = st;
    if (!s->untimed)
        s->tsc = task_tsc(run->machine, r);
    r->broken |= s->must && st != ST_OK;
    r->at++;
}

static struct runner *furthest_behind(struct run *run)
{
    struct runner *first = NULL;

    for (uint32_t i = 0; i < run->n; i++)
        if (run->runners[i].state == RUNNING && (!first || run->runners[i].clock < first->clock))
            first = &run->runners[i];
    return first;
}

static bool somebody_waits(const struct run *run)
{
    return ANY_OF(i, run->n, run->runners[i].state == WAITING);
}

/* Barriers by rank, expecting every task that has so many. A dead processor's task is expected and never comes. */
static void run_prepare(struct run *run, struct task *tasks, uint32_t n_tasks)
{
    struct machine *k = run->machine;
    uint32_t most = 0;

    run->runners = pool_zeroed(&run->pool, n_tasks, sizeof run->runners[0]);
    for (uint32_t t = 0; t < n_tasks; t++)
        most = tasks[t].n_steps > most ? tasks[t].n_steps : most;
    run->arrived = pool_zeroed(&run->pool, most + 1, sizeof run->arrived[0]);
    run->expected = pool_zeroed(&run->pool, most + 1, sizeof run->expected[0]);
    for (uint32_t t = 0; t < n_tasks; t++) {
        struct runner *r = &run->runners[run->n];
        uint32_t rank = 0;

        tasks[t].status = ST_OK;
        tasks[t].at = 0;
        if (!cpu_takes_work(&k->mp->platform, tasks[t].cpu)) {
            tasks[t].status = tasks[t].cpu < k->mp->platform.n_cpus ? ST_LOST : ST_RANGE;
            continue;
        }
        *r = (struct runner){ .task = &tasks[t], .clock = k->now + TICKS_HAND_OVER };
        run->n++;
        for (uint32_t s = 0; s < tasks[t].n_steps; s++) {
            tasks[t].steps[s].status = ST_NOT_RUN;
            if (tasks[t].steps[s].op == STEP_BARRIER)
                run->expected[rank++]++;
        }
        if (k->dead[tasks[t].cpu]) {
            lose(run, r);
            r->clock = run->deadline;
        }
    }
}

enum status platform_run_tasks(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    struct machine *k = machine;
    struct run run = { .machine = k, .deadline = k->now + budget_ms * (k->model->tsc_hz / 1000) };
    enum status st = ST_OK;
    struct runner *r;

    run_prepare(&run, tasks, n_tasks);
    do {
        while ((r = furthest_behind(&run)) != NULL)
            turn(&run, r);
        if (somebody_waits(&run))
            abandon(&run);
    } while (furthest_behind(&run));
    for (uint32_t i = 0; i < run.n; i++)
        if (run.runners[i].clock > k->now)
            k->now = run.runners[i].clock;
    for (uint32_t t = 0; t < n_tasks; t++)
        st = status_first(st, tasks[t].status);
    pool_free(&run.pool);
    return st;
}
