/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/coroutine.h"

#include <string.h>

#include "arch/x86/cpu/stack.h"
#include "core/base/heap.h"
#include "core/base/ticks.h"

/* UEFI 2.10 2.3.4 "x64 Platforms" wants 128 KiB for boot services, and firmware's timer interrupt comes on any stack. No more than
 * 256 KiB with what the payload's heap puts in front of it: it keeps those (efi/firmware/heap.c). */
#define STACK_BYTES    (256u * 1024 - 64)
#define STALL_LEAST_NS UINT64_C(1000)

enum coroutine_state { COROUTINE_READY, COROUTINE_ASKS, COROUTINE_WAITS, COROUTINE_ENDED };
enum request_kind { REQUEST_REGISTERS, REQUEST_LOADS, REQUEST_CLEANS, REQUEST_KINDS };

struct coroutine {
    struct coroutines *all;
    uint32_t which;
    enum coroutine_state state;
    bool placed; /* its request is in the run that is put together */
    struct stack_place place;
    void *stack;
    struct task *tasks; /* what it asks for */
    uint32_t n_tasks;
    enum request_kind kind;
    uint64_t budget_ms;
    enum status status;
    uint64_t due; /* TSC at which its wait ends */
};

/* A task of a coroutine in the run that is put together. */
struct share {
    struct task *own;
    uint32_t task, first_step; /* of the run */
};

struct coroutines {
    struct platform_gather gather; /* first: the platform has its address */
    struct platform *platform;
    const struct coroutines_call *call;
    struct stack_place scheduler;
    struct coroutine *co, *current;
    struct task *tasks;   /* [n_cpus], of the run that is put together */
    uint32_t *task_of;    /* [n_cpus] index in tasks + 1, 0: none      */
    struct share *shares; /* [n_shares] */
    struct step *steps;   /* of tasks with several shares */
    uint32_t n_tasks, n_shares;
    size_t shares_capacity, steps_capacity;
};

/* --- on a coroutine -------------------------------------------------------------------------------------------------- */

static void leave(struct coroutines *s, enum coroutine_state state)
{
    struct coroutine *me = s->current;

    me->state = state;
    stack_switch(&me->place, &s->scheduler);
}

static enum request_kind kind_of(const struct task *tasks, uint32_t n_tasks)
{
    enum request_kind kind = REQUEST_REGISTERS;

    for (uint32_t t = 0; t < n_tasks; t++)
        EACH(const struct step, s, tasks[t].steps, tasks[t].n_steps) {
            if (s->op == STEP_WBINVD)
                return REQUEST_CLEANS;
            if (s->op == STEP_WORK || (s->op == STEP_SPIN && s->value))
                kind = REQUEST_LOADS;
        }
    return kind;
}

static enum status gather_run(struct platform_gather *g, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    struct coroutines *s = (struct coroutines *)g;
    struct coroutine *me = s->current;

    me->tasks = tasks;
    me->n_tasks = n_tasks;
    me->budget_ms = budget_ms;
    me->kind = kind_of(tasks, n_tasks);
    leave(s, COROUTINE_ASKS);
    return me->status;
}

static uint64_t now(const struct coroutines *s)
{
    return s->platform->ops->tsc(s->platform->machine);
}

static void gather_stall(struct platform_gather *g, uint64_t ns)
{
    struct coroutines *s = (struct coroutines *)g;

    if (s->platform->tsc_hz == 0) {
        s->platform->ops->stall(s->platform->machine, ns);
        return;
    }
    s->current->due = now(s) + ticks_from_ns(ns, s->platform->tsc_hz);
    leave(s, COROUTINE_WAITS);
}

static void coroutine_begin(void *context)
{
    struct coroutine *me = context;

    me->all->call->body(me->all->call->context, me->which);
    leave(me->all, COROUTINE_ENDED);
}

/* --- one run of many requests ------------------------------------------------------------------------------------- */

static bool only_reads(const struct task *task)
{
    EACH(const struct step, s, task->steps, task->n_steps)
        if (s->must || (s->op != STEP_RDMSR && s->op != STEP_CPUID && (s->op != STEP_SPIN || s->value)))
            return false;
    return true;
}

/* Every processor that it asks for is free, or is read by all that ask for it. */
static bool fits(const struct coroutines *s, const struct coroutine *co)
{
    for (uint32_t t = 0; t < co->n_tasks; t++) {
        uint32_t at = s->task_of[co->tasks[t].cpu];
        bool of_several = at && s->tasks[at - 1].steps == NULL;

        if (at && !(only_reads(&co->tasks[t]) && (of_several || only_reads(&s->tasks[at - 1]))))
            return false;
    }
    return true;
}

static bool place(struct coroutines *s, struct coroutine *co)
{
    if (!HEAP_GROW(&s->shares, &s->shares_capacity, s->n_shares + co->n_tasks))
        return false;
    EACH(struct task, own, co->tasks, co->n_tasks) {
        uint32_t *at = &s->task_of[own->cpu];

        if (*at == 0) {
            s->tasks[s->n_tasks] = *own;
            s->tasks[s->n_tasks].n_steps = 0;
            *at = ++s->n_tasks;
        } else {
            s->tasks[*at - 1].steps = NULL; /* of several coroutines */
        }
        s->shares[s->n_shares++] =
            (struct share){ .own = own, .task = *at - 1, .first_step = s->tasks[*at - 1].n_steps };
        s->tasks[*at - 1].n_steps += own->n_steps;
    }
    co->placed = true;
    return true;
}

/* Where a task is of several coroutines its steps stand one after the other. */
static bool join_steps(struct coroutines *s)
{
    uint32_t n = SUM_OF(uint32_t, t, s->n_tasks, s->tasks[t].steps ? 0 : s->tasks[t].n_steps);

    if (!HEAP_GROW(&s->steps, &s->steps_capacity, n))
        return false;
    n = 0;
    for (uint32_t t = 0; t < s->n_tasks; t++)
        if (s->tasks[t].steps == NULL) {
            s->tasks[t].steps = &s->steps[n];
            n += s->tasks[t].n_steps;
        }
    EACH(const struct share, h, s->shares, s->n_shares) {
        struct step *steps = s->tasks[h->task].steps;

        if (steps != h->own->steps)
            memcpy(&steps[h->first_step], h->own->steps, h->own->n_steps * sizeof steps[0]);
    }
    return true;
}

static void give_back(const struct coroutines *s)
{
    EACH(const struct share, h, s->shares, s->n_shares) {
        const struct task *task = &s->tasks[h->task];
        uint32_t at = task->at > h->first_step ? task->at - h->first_step : 0;

        h->own->status = task->status;
        h->own->at = at < h->own->n_steps ? at : h->own->n_steps;
        if (task->steps != h->own->steps)
            memcpy(h->own->steps, &task->steps[h->first_step], h->own->n_steps * sizeof task->steps[0]);
    }
}

static bool lost_a_processor(const struct coroutines *s, const struct coroutine *co)
{
    return ANY_OF(t, co->n_tasks, !cpu_takes_work(s->platform, co->tasks[t].cpu));
}

/* Those whose own processors are all there have waited for one that is not, and may have been cut short. */
static void mark_cut_short(struct coroutines *s)
{
    bool lost = ANY_OF(i, s->call->n, s->co[i].placed && lost_a_processor(s, &s->co[i]));

    for (uint32_t i = 0; i < s->call->n && lost; i++)
        if (s->co[i].placed && !lost_a_processor(s, &s->co[i]))
            s->call->again[i] = true;
}

/* A coroutine's own status: the first of its tasks that was not done. */
static void answer(struct coroutines *s, enum status st)
{
    EACH(struct coroutine, co, s->co, s->call->n) {
        if (!co->placed)
            continue;
        co->status = ST_OK;
        for (uint32_t t = 0; t < co->n_tasks; t++)
            if (co->tasks[t].status != ST_OK)
                co->status = status_first(co->status, st);
        co->placed = false;
        co->state = COROUTINE_READY;
    }
}

/* One coroutine's request as it is. */
static void run_alone(struct coroutines *s, struct coroutine *co)
{
    co->status = s->platform->ops->run(s->platform->machine, co->tasks, co->n_tasks, co->budget_ms);
    co->placed = false;
    co->state = COROUTINE_READY;
}

static void run_placed(struct coroutines *s, uint64_t budget_ms)
{
    enum status st =
        join_steps(s) ? s->platform->ops->run(s->platform->machine, s->tasks, s->n_tasks, budget_ms) : ST_NO_MEMORY;

    if (st != ST_NO_MEMORY)
        give_back(s);
    mark_cut_short(s);
    answer(s, st);
}

/* As many of the requests of this kind as go together. false: there is none. */
static bool run_some(struct coroutines *s, enum request_kind kind)
{
    struct coroutine *first = NULL;
    uint32_t n_placed = 0;
    uint64_t budget_ms = 0;

    s->n_tasks = s->n_shares = 0;
    memset(s->task_of, 0, s->platform->n_cpus * sizeof s->task_of[0]);
    EACH(struct coroutine, co, s->co, s->call->n) {
        bool is_placed;

        if (co->state != COROUTINE_ASKS || co->kind != kind || !fits(s, co))
            continue;
        is_placed = place(s, co);
        if (is_placed || n_placed == 0) {
            first = n_placed++ ? first : co;
            budget_ms = co->budget_ms > budget_ms ? co->budget_ms : budget_ms;
        }
        if (!is_placed)
            break; /* no memory: alone, or in the next run */
    }
    if (n_placed == 1)
        run_alone(s, first);
    else if (n_placed > 1)
        run_placed(s, budget_ms);
    return n_placed > 0;
}

static bool run_all(struct coroutines *s, enum request_kind kind)
{
    bool any = false;

    while (run_some(s, kind))
        any = true;
    return any;
}

/* --- whose turn it is --------------------------------------------------------------------------------------------- */

static void call_ready(struct coroutines *s)
{
    for (uint32_t i = 0; i < s->call->n; i++)
        if (s->co[i].state == COROUTINE_READY) {
            s->current = &s->co[i];
            stack_switch(&s->scheduler, &s->co[i].place);
        }
}

static bool any_in(const struct coroutines *s, enum coroutine_state state)
{
    return ANY_OF(i, s->call->n, s->co[i].state == state);
}

/* Ends the waits that are over; the shortest of the others in ns. */
static uint64_t end_waits(struct coroutines *s)
{
    uint64_t tsc = now(s), least = UINT64_MAX;

    EACH(struct coroutine, co, s->co, s->call->n) {
        if (co->state != COROUTINE_WAITS)
            continue;
        if (co->due <= tsc)
            co->state = COROUTINE_READY;
        else if (co->due - tsc < least)
            least = co->due - tsc;
    }
    return least < UINT64_MAX ? ticks_to_ns(least, s->platform->tsc_hz) + STALL_LEAST_NS : 0;
}

static void schedule(struct coroutines *s)
{
    while (any_in(s, COROUTINE_READY) || any_in(s, COROUTINE_ASKS) || any_in(s, COROUTINE_WAITS)) {
        uint64_t wait_ns;

        call_ready(s);
        if (run_all(s, REQUEST_REGISTERS))
            continue;
        wait_ns = end_waits(s);
        if (any_in(s, COROUTINE_READY) || run_all(s, REQUEST_LOADS) || run_all(s, REQUEST_CLEANS))
            continue;
        if (wait_ns)
            s->platform->ops->stall(s->platform->machine, wait_ns);
    }
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static bool coroutines_open(struct coroutines *s)
{
    s->co = heap_alloc(s->call->n * sizeof s->co[0]);
    s->tasks = heap_alloc(s->platform->n_cpus * sizeof s->tasks[0]);
    s->task_of = heap_alloc(s->platform->n_cpus * sizeof s->task_of[0]);
    if (!s->co || !s->tasks || !s->task_of)
        return false;
    for (uint32_t i = 0; i < s->call->n; i++) {
        struct coroutine *co = &s->co[i];

        *co = (struct coroutine){ .all = s, .which = i, .stack = heap_alloc(STACK_BYTES) };
        if (!co->stack)
            return false;
        stack_prepare(&co->place, co->stack, STACK_BYTES, coroutine_begin, co);
    }
    return true;
}

static void coroutines_close(struct coroutines *s)
{
    for (uint32_t i = 0; s->co && i < s->call->n; i++)
        heap_free(s->co[i].stack);
    heap_free(s->co);
    heap_free(s->tasks);
    heap_free(s->task_of);
    heap_free(s->shares);
    heap_free(s->steps);
}

enum status coroutines_run(struct platform *p, const struct coroutines_call *call)
{
    struct coroutines s = { .gather = { .run = gather_run, .stall = gather_stall }, .platform = p, .call = call };
    bool open = coroutines_open(&s);

    if (open) {
        memset(call->again, 0, call->n * sizeof call->again[0]);
        p->gather = &s.gather;
        schedule(&s);
        p->gather = NULL;
    }
    coroutines_close(&s);
    return open ? ST_OK : ST_NO_MEMORY;
}
