/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"
#include "efi/apic.h"

#define GRACE_MS 1000u /* for the others, once a deadline has passed */
#define LEAVE_MS 5000u

static const char *const op_names[] = { "CPUID", "RDMSR", "WRMSR", "WBINVD", "SPIN", "WORK", "BARRIER" };

static uint64_t ticks(const struct processors *ps, uint64_t ms)
{
    return ps->platform->tsc_hz / 1000 * ms;
}

/* --- driving them ------------------------------------------------------------------------------------------------- */

static enum worker_state state_of(const struct worker *w)
{
    return (enum worker_state)__atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

static uint32_t count_state(const struct processors *ps, enum worker_state state)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ps->n; i++)
        n += ps->worker[i]->takes_part && state_of(ps->worker[i]) == state;
    return n;
}

bool processors_any_arrived(const struct processors *ps)
{
    return count_state(ps, WORKER_ARRIVED) > 0;
}

uint32_t processors_wait(struct processors *ps, uint64_t ms)
{
    uint64_t begin = insn_rdtsc();
    uint32_t n = 0;

    while (count_state(ps, WORKER_ABSENT) > 0 && insn_rdtsc() - begin < ticks(ps, ms))
        insn_pause();
    for (uint32_t i = 0; i < ps->n; i++) {
        if (ps->worker[i]->takes_part && state_of(ps->worker[i]) == WORKER_ARRIVED) {
            ps->platform->cpus[i].flags |= CPU_STARTED;
            n++;
        }
    }
    return n;
}

/* Put a number into the mailbox, and wake its owner. */
static void post(struct processors *ps, struct worker *w, uint64_t number)
{
    uint32_t expected = WORKER_ASLEEP;

    __atomic_store_n(&w->posted, number, __ATOMIC_SEQ_CST);
    if (!ps->can_call ||
        !__atomic_compare_exchange_n(&w->asleep, &expected, WORKER_CALLED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    w->calls++;
    if (apic_send_nmi(w->apic_id) != ST_OK) /* it will be told as one that does not answer */
        ps->can_call = false;
}

/* At least `n` elements of `size` bytes; what was in there is gone. */
static enum status grow(void **array, uint32_t *capacity, uint32_t n, size_t size)
{
    void *bigger;

    if (n <= *capacity)
        return ST_OK;
    bigger = heap_alloc((size_t)n * size);
    if (!bigger)
        return ST_NO_MEMORY;
    heap_free(*array);
    *array = bigger;
    *capacity = n;
    return ST_OK;
}

static enum status copy_in(struct worker *w, const struct task *task)
{
    uint32_t n_works = 0;
    enum status st = grow((void **)&w->steps, &w->steps_capacity, task->n_steps, sizeof *w->steps);

    for (uint32_t i = 0; i < task->n_steps; i++)
        n_works += task->steps[i].op == STEP_WORK && task->steps[i].work;
    if (st == ST_OK)
        st = grow((void **)&w->works, &w->works_capacity, n_works, sizeof *w->works);
    if (st != ST_OK)
        return st;
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

/* One barrier for each rank, expecting every task that has so many and is to run (ST_NOT_RUN). */
static enum status barriers_for(struct run *run, const struct task *tasks, uint32_t n_tasks)
{
    uint32_t most = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t t = 0; t < n_tasks; t++) {
            uint32_t rank = 0;

            for (uint32_t s = 0; s < tasks[t].n_steps && tasks[t].status == ST_NOT_RUN; s++) {
                if (tasks[t].steps[s].op != STEP_BARRIER)
                    continue;
                if (pass == 1)
                    run->barriers[rank].expected++;
                rank++;
            }
            if (rank > most)
                most = rank;
        }
        if (pass == 1)
            break;
        if (grow(&run->memory, &run->capacity, most + 1, sizeof(struct barrier)) != ST_OK)
            return ST_NO_MEMORY;
        run->barriers = (struct barrier *)(((uintptr_t)run->memory + 63) & ~(uintptr_t)63);
        memset(run->barriers, 0, most * sizeof(struct barrier));
    }
    run->n_barriers = most;
    return ST_OK;
}

static enum status run_new(struct processors *ps, const struct task *tasks, uint32_t n_tasks)
{
    if (!ps->run) {
        void *memory = heap_alloc(sizeof(struct run) + 63);

        if (!memory)
            return ST_NO_MEMORY;
        ps->run = (struct run *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    }
    ps->run->abandoned = 0;
    return barriers_for(ps->run, tasks, n_tasks);
}

/* The worker that a task is for, if it may be given one now. */
static struct worker *worker_for(struct processors *ps, struct task *task)
{
    task->at = 0;
    if (task->cpu >= ps->n) {
        task->status = ST_RANGE;
        return NULL;
    }
    if (ps->stopped || !cpu_takes_work(ps->platform, task->cpu)) {
        task->status = ST_LOST;
        return NULL;
    }
    return ps->worker[task->cpu];
}

static void describe_place(const struct worker *w, const struct task *task, char *out, size_t size)
{
    uint32_t at = task->at;

    if (at >= task->n_steps)
        text_format(out, size, "an empty task");
    else
        text_format(out, size, "step %u of %u (%s)", at + 1, task->n_steps,
                    (unsigned)w->steps[at].op < sizeof op_names / sizeof *op_names ? op_names[w->steps[at].op] : "?");
}

static void give_up(struct processors *ps, struct worker *w, struct task *task, uint64_t budget_ms)
{
    char place[48], text[160];

    task->at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE);
    task->status = ST_TIMEOUT;
    copy_out(w, task, task->at < task->n_steps ? task->at : 0);
    ps->platform->cpus[w->cpu].flags |= CPU_LOST;
    describe_place(w, task, place, sizeof place);
    text_format(text, sizeof text, "cpu %u (APIC 0x%x): no answer after %llu ms, in %s", w->cpu, w->apic_id,
                (unsigned long long)budget_ms, place);
    if (ps->lost)
        ps->lost(ps->context, text);
}

static void take_crash(struct processors *ps, struct worker *w, struct task *task)
{
    char place[48], frame[448], text[576];

    task->at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE);
    task->status = ST_LOST;
    copy_out(w, task, task->at < task->n_steps ? task->at : 0);
    ps->platform->cpus[w->cpu].flags |= CPU_LOST;
    describe_place(w, task, place, sizeof place);
    vectors_describe(&w->vectors, frame, sizeof frame);
    text_format(text, sizeof text, "cpu %u (APIC 0x%x), in %s: %s", w->cpu, w->apic_id, place, frame);
    if (ps->exception)
        ps->exception(ps->context, text);
}

static bool is_crashed(const struct worker *w)
{
    return __atomic_load_n(&w->vectors.crashed, __ATOMIC_ACQUIRE) != 0;
}

static bool is_done(const struct worker *w, uint64_t number)
{
    return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE) == number;
}

/* Until everybody has answered, crashed, or had its time. A crash abandons the run: the others may wait for it. */
static void wait_for_all(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t number,
                         uint64_t deadline)
{
    uint32_t first = 0; /* all before it are settled */

    while (first < n_tasks) {
        struct worker *w = tasks[first].status == ST_NOT_RUN ? ps->worker[tasks[first].cpu] : NULL;
        int64_t late;

        if (!w || w == ps->bsp || is_done(w, number)) {
            first++;
            continue;
        }
        if (is_crashed(w)) {
            __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
            first++;
            continue;
        }
        late = (int64_t)(insn_rdtsc() - deadline);
        if (late > 0)
            __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
        if (late > (int64_t)ticks(ps, GRACE_MS))
            return;
        for (uint32_t t = first; t < n_tasks; t++) /* a crash further back releases those who wait for it */
            if (tasks[t].status == ST_NOT_RUN && is_crashed(ps->worker[tasks[t].cpu]))
                __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
        insn_pause();
    }
}

static void run_own(struct processors *ps, struct task *task, uint64_t deadline)
{
    worker_task(ps->bsp, task->steps, task->n_steps, ps->run, deadline);
    task->status = ps->bsp->status;
    task->at = ps->bsp->stopped_at;
}

/* Hand out, do our own, collect. ST_NOT_RUN marks a task that is under way. */
static void run_posted(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    uint64_t number = ++ps->runs, deadline;
    struct task *own = NULL;
    bool retire = false;

    deadline = insn_rdtsc() + ticks(ps, budget_ms);
    for (uint32_t t = 0; t < n_tasks; t++) {
        if (tasks[t].status != ST_NOT_RUN)
            continue;
        if (ps->worker[tasks[t].cpu] == ps->bsp)
            own = &tasks[t];
    }
    for (uint32_t t = 0; t < n_tasks; t++) {
        if (tasks[t].status != ST_NOT_RUN || &tasks[t] == own)
            continue;
        ps->worker[tasks[t].cpu]->run = ps->run;
        __atomic_store_n(&ps->worker[tasks[t].cpu]->at, 0, __ATOMIC_RELAXED);
        post(ps, ps->worker[tasks[t].cpu], number);
    }
    if (own)
        run_own(ps, own, deadline);
    wait_for_all(ps, tasks, n_tasks, number, deadline);
    for (uint32_t t = 0; t < n_tasks; t++) {
        struct worker *w;

        if (tasks[t].status != ST_NOT_RUN)
            continue;
        w = ps->worker[tasks[t].cpu];
        if (is_done(w, number)) {
            copy_out(w, &tasks[t], tasks[t].n_steps);
            tasks[t].status = w->status;
            tasks[t].at = w->stopped_at;
        } else if (is_crashed(w)) {
            take_crash(ps, w, &tasks[t]);
        } else {
            give_up(ps, w, &tasks[t], budget_ms);
            retire = true;
        }
    }
    if (retire)
        ps->run = NULL; /* it stays where it is: a lost processor may still look at it */
}

enum status processors_run(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    enum status st = ST_OK;

    for (uint32_t t = 0; t < n_tasks; t++) {
        struct worker *w = worker_for(ps, &tasks[t]);

        if (!w)
            continue;
        if (w->claimed == ps->runs + 1) { /* two tasks for one processor */
            tasks[t].status = ST_RANGE;
            continue;
        }
        if (w != ps->bsp)
            st = copy_in(w, &tasks[t]);
        if (st != ST_OK)
            return st;
        w->claimed = ps->runs + 1;
        tasks[t].status = ST_NOT_RUN;
    }
    st = run_new(ps, tasks, n_tasks);
    if (st != ST_OK)
        return st;
    run_posted(ps, tasks, n_tasks, budget_ms);
    for (uint32_t t = 0; t < n_tasks; t++)
        st = status_first(st, tasks[t].status);
    return st;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static bool wait_until_left(struct processors *ps)
{
    uint64_t begin = insn_rdtsc();

    while (count_state(ps, WORKER_ARRIVED) > 0) {
        if (insn_rdtsc() - begin > ticks(ps, LEAVE_MS))
            return false;
        insn_pause();
    }
    return true;
}

/* Firmware notices that its procedures have returned by polling, in OVMF every 100 ms. Without an event of firmware's
 * only those that arrived are known to have left. */
static bool wait_until_finished(struct processors *ps)
{
    uint64_t begin = insn_rdtsc();

    if (!ps->finished)
        return count_state(ps, WORKER_ABSENT) == 0;
    while (ps->st->BootServices->CheckEvent(ps->finished) != EFI_SUCCESS) {
        if (insn_rdtsc() - begin > ticks(ps, LEAVE_MS))
            return false;
        insn_pause();
    }
    ps->signalled = true;
    return true;
}

/* INIT, one way or the other. EnableDisableAP makes firmware do it, also for a processor under way. OVMF then never
 * counts that processor as finished: the event of its call stays silent, and a blocking call does not return. */
static bool force_back(struct processors *ps, struct worker *w)
{
    if (w->own_start) {
        ps->force(ps, w->apic_id);
        return true;
    }
    return ps->mp && !EFI_ERROR(ps->mp->EnableDisableAP(ps->mp, w->number, FALSE, NULL)) &&
           !EFI_ERROR(ps->mp->EnableDisableAP(ps->mp, w->number, TRUE, NULL));
}

static void look_at_margins(struct processors *ps)
{
    for (uint32_t i = 0; i < ps->n_stacks; i++) {
        const uint8_t *margin = ps->stacks + (size_t)i * WORKER_STACK;
        uint32_t k = 0;

        while (k < WORKER_STACK_GUARD && margin[k] == WORKER_STACK_PATTERN)
            k++;
        ps->margins_hit += k < WORKER_STACK_GUARD;
    }
}

void processors_stop(struct processors *ps)
{
    bool finished;

    if (ps->stopped)
        return;
    ps->stopped = true;
    if (ps->run) /* an exception may have ended a run on the boot processor alone: nobody waits at its barriers */
        __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < ps->n; i++)
        if (ps->worker[i]->takes_part)
            post(ps, ps->worker[i], WORKER_LEAVE);
    finished = wait_until_left(ps) && wait_until_finished(ps);
    for (uint32_t i = 0; i < ps->n; i++) {
        struct worker *w = ps->worker[i];
        bool late = w->takes_part && !finished && state_of(w) != WORKER_LEFT;

        if (!late && !w->own_start)
            continue;
        if (!force_back(ps, w))
            ps->unreturned++;
        else
            ps->reset += late;
    }
    look_at_margins(ps);
}
