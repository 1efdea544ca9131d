/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/processors/dispatch.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define GRACE_MS    1000u  /* for the others, once a deadline has passed                  */
#define CALL_OFF_MS 10000u /* for those whose run is called off: a load in progress runs to its end */

static const char *const op_names[] = { [STEP_CPUID] = "CPUID",         [STEP_RDMSR] = "RDMSR",
                                        [STEP_WRMSR] = "WRMSR",         [STEP_WBINVD] = "WBINVD",
                                        [STEP_SPIN] = "SPIN",           [STEP_MWAIT] = "MWAIT",
                                        [STEP_WORK] = "WORK",           [STEP_BARRIER] = "BARRIER",
                                        [STEP_PMI_OPEN] = "PMI OPEN",   [STEP_PMI_LISTEN] = "PMI LISTEN",
                                        [STEP_PMI_CLOSE] = "PMI CLOSE", [STEP_IPI_SEND] = "IPI SEND" };

/* --- copies ------------------------------------------------------------------------------------------------------- */

static enum status copy_in(struct worker *w, const struct task *task)
{
    uint32_t n_works;

    if (!HEAP_GROW(&w->steps, &w->steps_capacity, task->n_steps))
        return ST_NO_MEMORY;
    n_works = HOW_MANY(i, task->n_steps, task->steps[i].op == STEP_WORK && task->steps[i].work);
    if (!HEAP_GROW(&w->works, &w->works_capacity, n_works))
        return ST_NO_MEMORY;
    n_works = 0;
    for (uint32_t i = 0; i < task->n_steps; i++) {
        w->steps[i] = task->steps[i];
        if (task->steps[i].op != STEP_WORK || !task->steps[i].work)
            continue;
        w->works[n_works] = *task->steps[i].work;
        w->steps[i].work = &w->works[n_works++];
    }
    w->n_steps = task->n_steps;
    return ST_OK;
}

/* The first n steps. */
static void copy_out(const struct worker *w, struct task *task, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct work *work = task->steps[i].work;

        if (task->steps[i].op == STEP_WORK && work)
            *work = *w->steps[i].work;
        task->steps[i] = w->steps[i];
        task->steps[i].work = work;
    }
}

/* --- barriers ----------------------------------------------------------------------------------------------------- */

static uint32_t count_barriers(const struct task *task)
{
    uint32_t n = 0;

    for (uint32_t s = 0; s < task->n_steps && task->status == ST_NOT_RUN; s++)
        n += task->steps[s].op == STEP_BARRIER;
    return n;
}

/* One barrier for each rank, expecting every task that has so many and is to run (ST_NOT_RUN). */
static enum status barriers_for(struct run *run, const struct task *tasks, uint32_t n_tasks)
{
    uint32_t most = 0;

    for (uint32_t t = 0; t < n_tasks; t++)
        if (count_barriers(&tasks[t]) > most)
            most = count_barriers(&tasks[t]);
    /* one more: to align them */
    if (!heap_grow(&run->barrier_memory, &run->capacity, most + 1, sizeof(struct barrier)))
        return ST_NO_MEMORY;
    run->barriers = (struct barrier *)(((uintptr_t)run->barrier_memory + 63) & ~(uintptr_t)63);
    memset(run->barriers, 0, most * sizeof(struct barrier));
    for (uint32_t t = 0; t < n_tasks; t++) {
        uint32_t n = count_barriers(&tasks[t]);

        for (uint32_t rank = 0; rank < n; rank++)
            run->barriers[rank].expected++;
    }
    return ST_OK;
}

static enum status run_new(struct workers *ws, const struct task *tasks, uint32_t n_tasks)
{
    if (!ws->run) {
        void *memory = heap_alloc(sizeof(struct run) + 63);

        if (!memory)
            return ST_NO_MEMORY;
        ws->run = (struct run *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
        ws->run->memory = memory;
    }
    ws->run->abandoned = 0; /* all who looked at the last run have answered: their numbers came by acquire */
    return barriers_for(ws->run, tasks, n_tasks);
}

/* --- what went wrong ---------------------------------------------------------------------------------------------- */

static void describe_place(const struct worker *w, const struct task *task, char *out, size_t size)
{
    uint32_t at = task->at;

    if (at >= task->n_steps)
        text_format(out, size, "an empty task");
    else
        text_format(out, size, "step %u of %u (%s)", at + 1, task->n_steps,
                    (unsigned)w->steps[at].op < sizeof op_names / sizeof *op_names ? op_names[w->steps[at].op] : "?");
}

static bool is_done(const struct worker *w, uint64_t number)
{
    return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE) == number;
}

void workers_last_steps(const struct workers *ws, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < ws->n && ws->runs > 0 && n < size; i++) {
        const struct worker *w = ws->worker[i];
        struct task task = { .n_steps = w->n_steps, .at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE) };
        char place[48];

        if (w->claimed != ws->runs || (w != ws->boot && is_done(w, ws->runs)))
            continue;
        if (w == ws->boot) /* its steps are those of the task that it was given */
            text_format(place, sizeof place, "step %u of its last task", task.at + 1);
        else
            describe_place(w, &task, place, sizeof place);
        n += text_format(out + n, size - n, "%scpu %u (APIC 0x%x) in %s", n ? ", " : "", w->cpu, w->apic_id, place);
    }
}

/* The steps before the one under way are there; the processor gets no more work. */
static void give_up(struct workers *ws, const struct worker *w, struct task *task, enum status st)
{
    task->at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE); /* with the results of all steps before it */
    task->status = st;
    copy_out(w, task, task->at < task->n_steps ? task->at : 0);
    ws->platform->cpus[w->cpu].flags |= CPU_LOST;
}

static void report_timeout(struct workers *ws, const struct worker *w, const struct task *task, uint64_t budget_ms)
{
    char place[48], text[160];

    describe_place(w, task, place, sizeof place);
    text_format(text, sizeof text, "cpu %u (APIC 0x%x): no answer after %lu ms, in %s", w->cpu, w->apic_id, budget_ms,
                place);
    if (ws->lost)
        ws->lost(ws->context, text);
}

static void report_crash(struct workers *ws, const struct worker *w, const struct task *task)
{
    char place[48], frame[448], text[576];

    describe_place(w, task, place, sizeof place);
    w->ops->describe_crash(w, frame, sizeof frame);
    text_format(text, sizeof text, "cpu %u (APIC 0x%x), in %s: %s", w->cpu, w->apic_id, place, frame);
    if (ws->exception)
        ws->exception(ws->context, text);
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

/* The worker that a task is for, if it may be given one now. */
static struct worker *worker_for(struct workers *ws, struct task *task)
{
    task->at = 0;
    if (task->cpu >= ws->n) {
        task->status = ST_RANGE;
        return NULL;
    }
    if (ws->stopped || !cpu_takes_work(ws->platform, task->cpu)) {
        task->status = ST_LOST;
        return NULL;
    }
    return ws->worker[task->cpu];
}

/* ST_NOT_RUN marks a task that is to run. */
static enum status claim(struct workers *ws, struct task *task, uint64_t number)
{
    struct worker *w = worker_for(ws, task);

    if (!w)
        return ST_OK;
    if (w->claimed == number) { /* two tasks for one processor */
        task->status = ST_RANGE;
        return ST_OK;
    }
    if (w != ws->boot)
        TRY(copy_in(w, task));
    w->claimed = number;
    task->status = ST_NOT_RUN;
    return ST_OK;
}

/* Acquire: with what was noted of the exception. */
static bool is_crashed(const struct worker *w)
{
    return __atomic_load_n(&w->crashed, __ATOMIC_ACQUIRE) != 0;
}

/* Acquire: with the results. */
static void abandon(struct workers *ws)
{
    __atomic_store_n(&ws->run->abandoned, 1, __ATOMIC_RELEASE);
}

/* A crash abandons the run: the others may wait for that processor. */
static bool any_crashed(const struct workers *ws, const struct task *tasks, uint32_t n_tasks)
{
    return ANY_OF(t, n_tasks, tasks[t].status == ST_NOT_RUN && is_crashed(ws->worker[tasks[t].cpu]));
}

/* Until every worker has answered, crashed, or had its time. */
static void wait_for_all(struct workers *ws, const struct task *tasks, uint32_t n_tasks, uint64_t number,
                         uint64_t deadline)
{
    uint32_t first = 0, rounds = 0; /* all before the first are settled */

    while (first < n_tasks) {
        const struct worker *w = tasks[first].status == ST_NOT_RUN ? ws->worker[tasks[first].cpu] : NULL;

        if (!w || w == ws->boot || is_done(w, number)) {
            first++;
            continue;
        }
        if (any_crashed(ws, &tasks[first], n_tasks - first))
            abandon(ws);
        if (is_crashed(w)) {
            first++;
            continue;
        }
        if (++rounds % WORKER_CLOCK_ROUNDS == 0) {
            int64_t late = (int64_t)(workers_now(ws) - deadline);

            if (late > 0)
                abandon(ws);
            if (late > (int64_t)workers_ticks(ws, GRACE_MS))
                return;
        }
        w->ops->pause(w->machine);
    }
}

static void post_all(struct workers *ws, const struct task *tasks, uint32_t n_tasks, uint64_t number)
{
    for (uint32_t t = 0; t < n_tasks; t++) {
        struct worker *w = tasks[t].status == ST_NOT_RUN ? ws->worker[tasks[t].cpu] : NULL;

        if (!w || w == ws->boot)
            continue;
        w->run = ws->run;
        __atomic_store_n(&w->at, 0, __ATOMIC_RELAXED); /* it goes with the post */
        workers_post(ws, w, number);
    }
}

static void run_own(struct workers *ws, struct task *tasks, uint32_t n_tasks, uint64_t deadline)
{
    for (uint32_t t = 0; t < n_tasks; t++) {
        if (tasks[t].status != ST_NOT_RUN || ws->worker[tasks[t].cpu] != ws->boot)
            continue;
        worker_task(ws->boot, tasks[t].steps, tasks[t].n_steps, ws->run, deadline);
        tasks[t].status = ws->boot->status;
        tasks[t].at = ws->boot->stopped_at;
        return;
    }
}

/* A processor may still read it. */
static void retire_run(struct workers *ws)
{
    ws->run->next = ws->retired;
    ws->retired = ws->run;
    ws->run = NULL;
}

static void collect(struct workers *ws, struct task *tasks, uint32_t n_tasks, uint64_t number, uint64_t budget_ms)
{
    bool retire = false;

    for (uint32_t t = 0; t < n_tasks; t++) {
        const struct worker *w;

        if (tasks[t].status != ST_NOT_RUN)
            continue;
        w = ws->worker[tasks[t].cpu];
        if (is_done(w, number)) {
            copy_out(w, &tasks[t], tasks[t].n_steps);
            tasks[t].status = w->status;
            tasks[t].at = w->stopped_at;
        } else if (is_crashed(w)) {
            give_up(ws, w, &tasks[t], ST_LOST);
            report_crash(ws, w, &tasks[t]);
        } else {
            give_up(ws, w, &tasks[t], ST_TIMEOUT);
            report_timeout(ws, w, &tasks[t], budget_ms);
            retire = true;
        }
    }
    if (retire)
        retire_run(ws);
}

enum status workers_run(struct workers *ws, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    uint64_t number = ++ws->runs,
             deadline; /* also of a run that finds no memory: its claims must not meet the next one's */
    enum status st = ST_OK;

    for (uint32_t t = 0; t < n_tasks && st == ST_OK; t++)
        st = claim(ws, &tasks[t], number);
    TRY(st);
    TRY(run_new(ws, tasks, n_tasks));
    deadline = workers_now(ws) + workers_ticks(ws, budget_ms);
    post_all(ws, tasks, n_tasks, number);
    run_own(ws, tasks, n_tasks, deadline);
    wait_for_all(ws, tasks, n_tasks, number, deadline);
    collect(ws, tasks, n_tasks, number, budget_ms);
    for (uint32_t t = 0; t < n_tasks; t++)
        st = status_first(st, tasks[t].status);
    return st;
}

/* A processor that has not ended its part of a run that is called off. Whether it is parked. */
static bool leave_out(struct workers *ws, const struct worker *w)
{
    struct task task = { .n_steps = w->n_steps, .at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE) };
    bool parked = is_crashed(w);

    ws->platform->cpus[w->cpu].flags |= CPU_LOST;
    if (parked)
        report_crash(ws, w, &task);
    else
        report_timeout(ws, w, &task, CALL_OFF_MS);
    return parked;
}

void workers_call_off(struct workers *ws)
{
    uint64_t deadline = workers_now(ws) + workers_ticks(ws, CALL_OFF_MS);
    bool retire = false;

    if (!ws->run)
        return;
    abandon(ws);
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->worker[i];

        if (w == ws->boot || w->claimed != ws->runs || w->posted != ws->runs) /* it is not in the last run */
            continue;
        while (!is_done(w, ws->runs) && !is_crashed(w) && (int64_t)(workers_now(ws) - deadline) < 0)
            w->ops->pause(w->machine);
        if (!is_done(w, ws->runs))
            retire |= !leave_out(ws, w);
    }
    if (retire)
        retire_run(ws);
}

static void run_free(struct run *run)
{
    if (!run)
        return;
    heap_free(run->barrier_memory);
    heap_free(run->memory);
}

void workers_free_runs(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        heap_free(ws->worker[i]->steps);
        heap_free(ws->worker[i]->works);
    }
    run_free(ws->run);
    ws->run = NULL;
    while (ws->retired) {
        struct run *next = ws->retired->next;

        run_free(ws->retired);
        ws->retired = next;
    }
}
