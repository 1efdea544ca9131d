/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/processor_threads.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct thread_cpu *self; /* of the thread that asks */

static struct thread_cpu *cpu_of(const struct worker *w)
{
    struct thread_machine *m = w->machine;

    return &m->cpus[w->cpu];
}

/* --- what hardware does ------------------------------------------------------------------------------------------- */

static uint64_t thread_tsc(void *)
{
    return atomic_load(&self->tsc);
}

static void thread_pause(void *machine)
{
    struct thread_machine *m = machine;
    bool boot = self == &m->cpus[0];

    if (!boot)
        atomic_fetch_add(&self->tsc, m->worker_pause_ticks);
    else if (m->boot_pause)
        m->boot_pause(m);
    sched_yield();
}

static enum status thread_step(struct worker *w, struct step *s)
{
    struct thread_cpu *c = cpu_of(w);
    enum status st = c->machine->step ? c->machine->step(c, s) : threads_step(c, s);

    if (atomic_load(&c->nmis_held) > 0)
        atomic_store(&c->nmi_in_step, true);
    return st;
}

/* HLT: an NMI ends it, also one that came in after `posted` was read. */
static void thread_sleep(struct worker *w, uint64_t seen)
{
    struct thread_cpu *c = cpu_of(w);
    uint32_t nmis;

    atomic_fetch_add(&c->sleeps, 1);
    pthread_mutex_lock(&c->lock);
    nmis = atomic_load(&c->nmis);
    atomic_store(&c->in_hlt, __atomic_load_n(&w->posted, __ATOMIC_SEQ_CST) == seen);
    while (atomic_load(&c->in_hlt) && atomic_load(&c->nmis) == nmis && !atomic_load(&c->end_hlt))
        pthread_cond_wait(&c->changed, &c->lock);
    atomic_store(&c->in_hlt, false);
    atomic_store(&c->end_hlt, false);
    pthread_mutex_unlock(&c->lock);
}

static uint32_t thread_nmis(const struct worker *w)
{
    return atomic_load(&cpu_of(w)->nmis);
}

static void let_in(struct thread_cpu *c, uint32_t n, bool end_hlt)
{
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->nmis, n);
    atomic_store(&c->end_hlt, end_hlt && atomic_load(&c->in_hlt));
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static enum status thread_wake(struct worker *w)
{
    struct thread_cpu *c = cpu_of(w);

    if (c->machine->refuse_nmis)
        return ST_TIMEOUT;
    if (c->machine->hold_nmis)
        atomic_fetch_add(&c->nmis_held, 1);
    let_in(c, !c->machine->hold_nmis, c->machine->wake_early);
    return ST_OK;
}

static void thread_describe(const struct worker *w, char *out, size_t size)
{
    snprintf(out, size, "exception on thread %u", w->cpu);
}

static enum status thread_returned(void *machine)
{
    return ((struct thread_machine *)machine)->returned;
}

static bool thread_force_back(struct worker *w)
{
    atomic_fetch_add(&cpu_of(w)->forced, 1);
    return !cpu_of(w)->machine->cannot_force;
}

static const struct worker_ops thread_ops = { .tsc = thread_tsc,
                                              .pause = thread_pause,
                                              .step = thread_step,
                                              .sleep = thread_sleep,
                                              .nmis = thread_nmis,
                                              .wake = thread_wake,
                                              .describe_crash = thread_describe,
                                              .all_returned = thread_returned,
                                              .force_back = thread_force_back };

/* --- for steps of a test ------------------------------------------------------------------------------------------ */

enum status threads_step(struct thread_cpu *c, struct step *s)
{
    if (s->op == STEP_RDMSR)
        s->value = c->reg;
    if (s->op == STEP_WRMSR)
        c->reg = s->value;
    return ST_OK;
}

/* Relaxed: whoever looks must not learn more from it than the protocol under test tells. */
void thread_gate_wait(struct thread_cpu *c)
{
    atomic_store_explicit(&c->at_gate, true, memory_order_relaxed);
    while (atomic_load_explicit(&c->gate, memory_order_relaxed))
        sched_yield();
    atomic_store_explicit(&c->at_gate, false, memory_order_relaxed);
}

bool thread_is_at_gate(const struct thread_cpu *c)
{
    return atomic_load_explicit(&c->at_gate, memory_order_relaxed);
}

void thread_crash(struct thread_cpu *c)
{
    longjmp(c->exception, 1);
}

void threads_release_nmis(struct thread_machine *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        let_in(&m->cpus[i], atomic_exchange(&m->cpus[i].nmis_held, 0), false);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

/* As worker_main() of efi/processors/worker.c. */
static void *thread_main(void *argument)
{
    struct thread_cpu *c = argument;
    struct worker *w = &c->worker;

    self = c;
    if (!worker_is_expected(w))
        return NULL;
    worker_arrive(w);
    if (workers_await_work(&c->machine->workers, w, THREADS_AWAIT_MS)) {
        if (setjmp(c->exception) == 0)
            worker_serve(w);
        else
            worker_park(w);
    }
    worker_leave(w);
    return NULL;
}

static void lost(void *context, const char *text)
{
    struct thread_machine *m = context;

    m->n_lost++;
    snprintf(m->text, sizeof m->text, "%s", text);
}

static void exception(void *context, const char *text)
{
    struct thread_machine *m = context;

    m->n_exceptions++;
    snprintf(m->text, sizeof m->text, "%s", text);
}

void threads_init(struct thread_machine *m, uint32_t n)
{
    memset(m, 0, sizeof *m);
    m->n = n;
    m->returned = ST_OK;
    m->platform = (struct platform){ .n_cpus = n, .cpus = m->slots, .tsc_hz = 1000000 };
    m->workers = (struct workers){ .platform = &m->platform,
                                   .boot = &m->cpus[0].worker,
                                   .n = n,
                                   .worker = m->table,
                                   .exception = exception,
                                   .lost = lost,
                                   .context = m };
    for (uint32_t i = 0; i < n; i++) {
        struct thread_cpu *c = &m->cpus[i];

        c->machine = m;
        c->worker =
            (struct worker){ .cpu = i, .apic_id = 2 * i, .ops = &thread_ops, .machine = m, .takes_part = i > 0 };
        pthread_mutex_init(&c->lock, NULL);
        pthread_cond_init(&c->changed, NULL);
        m->table[i] = &c->worker;
        m->slots[i] = (struct cpu_slot){ .apic_id = 2 * i, .flags = CPU_ENABLED | CPU_HEALTHY };
    }
    m->slots[0].flags |= CPU_BSP | CPU_STARTED;
    (void)workers_begin(&m->workers);
    self = &m->cpus[0];
}

void threads_start(struct thread_machine *m, uint32_t cpu)
{
    m->cpus[cpu].started = pthread_create(&m->cpus[cpu].thread, NULL, thread_main, &m->cpus[cpu]) == 0;
}

void threads_start_all(struct thread_machine *m)
{
    for (uint32_t i = 1; i < m->n; i++)
        threads_start(m, i);
    while (workers_wait_for_arrival(&m->workers, 1) < m->n - 1)
        sched_yield();
}

void threads_begin(struct thread_machine *m, uint32_t n, enum status (*step)(struct thread_cpu *c, struct step *s))
{
    threads_init(m, n);
    m->step = step;
    threads_start_all(m);
}

void threads_until_asleep(struct thread_machine *m, uint32_t cpu)
{
    while (!atomic_load(&m->cpus[cpu].in_hlt))
        sched_yield();
}

void threads_end(struct thread_machine *m)
{
    m->hold_nmis = m->refuse_nmis = false;
    m->boot_pause = NULL;
    for (uint32_t i = 0; i < m->n; i++)
        atomic_store(&m->cpus[i].gate, false);
    threads_release_nmis(m);
    for (uint32_t i = 1; i < m->n; i++) {
        m->workers.can_wake = m->workers.can_wake || m->cpus[i].worker.spin_ticks > 0;
        let_in(&m->cpus[i], 1, false); /* for one whose NMI was refused */
    }
    workers_stop(&m->workers);
    for (uint32_t i = 1; i < m->n; i++)
        if (m->cpus[i].started)
            pthread_join(m->cpus[i].thread, NULL);
    workers_free_runs(&m->workers);
}
