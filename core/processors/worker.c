/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/processors/worker.h"

/* --- a task ------------------------------------------------------------------------------------------------------- */

/* Acquire and release wherever `abandoned` is used: nothing of a step moves across the decision to run it. */
static bool is_abandoned(const struct run *run)
{
    return __atomic_load_n(&run->abandoned, __ATOMIC_ACQUIRE) != 0;
}

/* Release: what this processor wrote is seen after the barrier. Acquire: the last to arrive sees what the others wrote, and
 * so does who sees that it has opened. */
static void barrier_arrive(struct run *run, uint32_t rank)
{
    struct barrier *b = &run->barriers[rank];

    if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == b->expected)
        __atomic_store_n(&b->open, 1, __ATOMIC_RELEASE);
}

/* deadline 0: the side that has one abandons the run. */
static enum status barrier_wait(struct worker *w, struct run *run, uint32_t rank, uint64_t deadline)
{
    struct barrier *b = &run->barriers[rank];
    uint32_t rounds = 0;

    while (!__atomic_load_n(&b->open, __ATOMIC_ACQUIRE)) { /* pairs with barrier_arrive() */
        if (is_abandoned(run))
            return ST_TIMEOUT;
        if (deadline && ++rounds % WORKER_CLOCK_ROUNDS == 0 && (int64_t)(w->ops->tsc(w->machine) - deadline) > 0)
            __atomic_store_n(&run->abandoned, 1, __ATOMIC_RELEASE);
        w->ops->pause(w->machine);
    }
    return ST_OK;
}

static enum status task_step(struct worker *w, struct step *s, struct run *run, uint32_t rank, uint64_t deadline)
{
    if (s->op == STEP_BARRIER) {
        barrier_arrive(run, rank);
        return barrier_wait(w, run, rank, deadline);
    }
    if ((s->op == STEP_SPIN || s->op == STEP_WORK || s->op == STEP_PMI_LISTEN || s->op == STEP_IPI_SEND) &&
        is_abandoned(run))
        return ST_NOT_RUN;
    return w->ops->step(w, s);
}

/* All steps in order. After a failed `must` the rest is not run, but its barriers are still passed, so that the others
 * do not wait for a task that gave up. Once the run is abandoned only registers are still written: the last steps of a
 * task put things back. */
void worker_task(struct worker *w, struct step *steps, uint32_t n, struct run *run, uint64_t deadline)
{
    uint32_t rank = 0;
    bool broken = false;

    w->status = ST_OK;
    w->stopped_at = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct step *s = &steps[i];

        /* Release: who reads `at` finds the results of all steps before it. */
        __atomic_store_n(&w->at, i, __ATOMIC_RELEASE);
        if (broken) {
            s->status = ST_NOT_RUN;
            if (s->op == STEP_BARRIER)
                barrier_arrive(run, rank);
        } else {
            s->status = task_step(w, s, run, rank, deadline);
            if (!s->untimed)
                s->tsc = w->ops->tsc(w->machine);
            broken = s->must && s->status != ST_OK;
            if (s->op == STEP_BARRIER && s->status != ST_OK && w->status == ST_OK) {
                w->status = s->status;
                w->stopped_at = i;
            }
        }
        rank += s->op == STEP_BARRIER;
    }
}

/* --- the mailbox -------------------------------------------------------------------------------------------------- */

/* Acquire: the steps were written before the number was posted. */
static uint64_t read_post(const struct worker *w)
{
    return __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE);
}

/* One sleep. */
static void sleep_until_called(struct worker *w, uint64_t seen)
{
    uint32_t nmis = w->ops->nmis(w);

    /* Sequentially consistent here, where sleep() reads `posted`, and in workers_post(): either this worker sees the
     * post, or the boot processor sees it asleep. */
    __atomic_store_n(&w->sleep_state, WORKER_ASLEEP, __ATOMIC_SEQ_CST);
    w->ops->sleep(w, seen);
    if (__atomic_exchange_n(&w->sleep_state, WORKER_AWAKE, __ATOMIC_SEQ_CST) != WORKER_CALLED)
        return;
    while (w->ops->nmis(w) == nmis)
        w->ops->pause(w->machine);
}

/* What the boot processor posts next. A short wait reads no clock; a longer one reads the TSC in every second round
 * (WORKER_CLOCK_ROUNDS): in fewer, a worker stays awake for several times spin_ticks where PAUSE takes long. */
static uint64_t wait_for_post(struct worker *w, uint64_t seen)
{
    uint64_t begin = 0, posted;
    uint32_t rounds = 0;

    while ((posted = read_post(w)) == seen) {
        w->ops->pause(w->machine);
        if (w->spin_ticks == 0 || ++rounds < WORKER_CLOCK_ROUNDS || rounds % 2 != 0)
            continue;
        if (rounds == WORKER_CLOCK_ROUNDS)
            begin = w->ops->tsc(w->machine);
        else if (w->ops->tsc(w->machine) - begin >= w->spin_ticks)
            sleep_until_called(w, seen);
    }
    return posted;
}

/* Release: everything that the worker wrote before is visible to the reader of the new state. */
static void set_state(struct worker *w, enum worker_state state)
{
    __atomic_store_n(&w->state, state, __ATOMIC_RELEASE);
}

enum worker_state worker_state(const struct worker *w)
{
    return (enum worker_state)__atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

bool worker_is_expected(const struct worker *w)
{
    return w->takes_part && read_post(w) != WORKER_LEAVE && worker_state(w) == WORKER_ABSENT;
}

void worker_arrive(struct worker *w)
{
    set_state(w, WORKER_ARRIVED);
}

void worker_serve(struct worker *w)
{
    uint64_t seen = 0, posted;

    while ((posted = wait_for_post(w, seen)) != WORKER_LEAVE) {
        seen = posted;
        worker_task(w, w->steps, w->n_steps, w->run, 0);
        /* Release: the results before the number that says that they are there. */
        __atomic_store_n(&w->done, seen, __ATOMIC_RELEASE);
    }
}

void worker_park(struct worker *w)
{
    uint64_t posted = read_post(w);

    __atomic_store_n(&w->crashed, 1, __ATOMIC_RELEASE); /* after what was noted of the exception */
    while (posted != WORKER_LEAVE)
        posted = wait_for_post(w, posted);
}

void worker_leave(struct worker *w)
{
    set_state(w, WORKER_LEFT);
}
