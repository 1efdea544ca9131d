/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/processors/workers.h"

#define LEAVE_MS 5000u
#define SPIN_US  50u /* before a worker without work sleeps */

uint64_t workers_ticks(const struct workers *ws, uint64_t ms)
{
    return ws->platform->tsc_hz / 1000 * ms;
}

uint64_t workers_now(const struct workers *ws)
{
    return ws->boot->ops->tsc(ws->boot->machine);
}

static void pause_boot(const struct workers *ws)
{
    ws->boot->ops->pause(ws->boot->machine);
}

void workers_allow_sleep(struct workers *ws, bool can_wake)
{
    ws->can_wake = can_wake;
    for (uint32_t i = 0; i < ws->n; i++)
        ws->worker[i]->spin_ticks =
            can_wake && ws->worker[i] != ws->boot ? ws->platform->tsc_hz / 1000000 * SPIN_US + 1 : 0;
}

struct worker *workers_find(const struct workers *ws, uint32_t apic_id)
{
    uint32_t lo = 0, hi = ws->n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (ws->worker[mid]->apic_id == apic_id)
            return ws->worker[mid];
        if (ws->worker[mid]->apic_id < apic_id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* --- arrival ------------------------------------------------------------------------------------------------------ */

/* What the other side had made of it; WORKERS_WAIT: it is as this side says. */
static uint32_t settle_phase(struct workers *ws, uint32_t phase)
{
    uint32_t now = WORKERS_WAIT;

    (void)__atomic_compare_exchange_n(&ws->phase, &now, phase, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return now;
}

bool workers_begin(struct workers *ws)
{
    return settle_phase(ws, WORKERS_BEGUN) != WORKERS_GIVEN_UP;
}

bool workers_await_work(struct workers *ws, const struct worker *w, uint64_t ms)
{
    uint64_t begin = w->ops->tsc(w->machine);
    uint32_t rounds = 0, phase;

    while ((phase = __atomic_load_n(&ws->phase, __ATOMIC_ACQUIRE)) == WORKERS_WAIT) {
        w->ops->pause(w->machine);
        if (++rounds % WORKER_CLOCK_ROUNDS == 0 && w->ops->tsc(w->machine) - begin >= workers_ticks(ws, ms))
            return settle_phase(ws, WORKERS_GIVEN_UP) == WORKERS_BEGUN;
    }
    return phase == WORKERS_BEGUN;
}

bool workers_anew(struct workers *ws)
{
    if (workers_in_state(ws, WORKER_ARRIVED) > 0) /* on their stacks, also after a start that failed half-way */
        return false;
    if (__atomic_load_n(&ws->phase, __ATOMIC_ACQUIRE) != WORKERS_GIVEN_UP)
        return true;
    for (uint32_t i = 0; i < ws->n; i++)
        __atomic_store_n(&ws->worker[i]->state, WORKER_ABSENT, __ATOMIC_RELAXED);
    __atomic_store_n(&ws->phase, WORKERS_WAIT, __ATOMIC_RELEASE);
    return true;
}

void workers_note_absent(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        ws->worker[i]->may_come = ws->worker[i]->may_come || worker_state(ws->worker[i]) == WORKER_ABSENT;
}

uint32_t workers_outstanding(const struct workers *ws)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ws->n; i++) {
        const struct worker *w = ws->worker[i];

        n += w->takes_part && (worker_state(w) == WORKER_ARRIVED || (w->may_come && worker_state(w) == WORKER_ABSENT));
    }
    return n;
}

uint32_t workers_in_state(const struct workers *ws, enum worker_state state)
{
    return HOW_MANY(i, ws->n, ws->worker[i]->takes_part && worker_state(ws->worker[i]) == state);
}

uint32_t workers_wait_for_arrival(struct workers *ws, uint64_t ms)
{
    uint64_t begin = workers_now(ws);
    uint32_t n = 0;

    while (workers_in_state(ws, WORKER_ABSENT) > 0 && workers_now(ws) - begin < workers_ticks(ws, ms))
        pause_boot(ws);
    for (uint32_t i = 0; i < ws->n; i++) {
        if (ws->worker[i]->takes_part && worker_state(ws->worker[i]) == WORKER_ARRIVED) {
            ws->platform->cpus[i].flags |= CPU_STARTED;
            n++;
        }
    }
    return n;
}

/* --- mailboxes ---------------------------------------------------------------------------------------------------- */

void workers_post(struct workers *ws, struct worker *w, uint64_t number)
{
    uint32_t expected = WORKER_ASLEEP;

    /* Sequentially consistent, as in sleep_until_called() of worker.c. It is a release too: the task before its number.
     */
    __atomic_store_n(&w->posted, number, __ATOMIC_SEQ_CST);
    if (!ws->can_wake || !__atomic_compare_exchange_n(&w->sleep_state, &expected, WORKER_CALLED, false,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    w->nmis_sent++;
    if (w->ops->wake(w) != ST_OK) /* it will be reported as one that does not answer */
        ws->can_wake = false;
}

/* --- departure ---------------------------------------------------------------------------------------------------- */

static bool wait_until_left(const struct workers *ws)
{
    uint64_t begin = workers_now(ws);

    while (workers_in_state(ws, WORKER_ARRIVED) > 0) {
        if (workers_now(ws) - begin > workers_ticks(ws, LEAVE_MS))
            return false;
        pause_boot(ws);
    }
    return true;
}

/* Firmware notices that its procedures have returned by polling, in OVMF every 100 ms. Where firmware does not say,
 * only those that arrived are known to have left. */
static bool wait_until_returned(const struct workers *ws)
{
    uint64_t begin = workers_now(ws);
    enum status st;

    while ((st = ws->boot->ops->all_returned(ws->boot->machine)) == ST_NOT_RUN) {
        if (workers_now(ws) - begin > workers_ticks(ws, LEAVE_MS))
            return false;
        pause_boot(ws);
    }
    return st == ST_ABSENT ? workers_in_state(ws, WORKER_ABSENT) == 0 : st == ST_OK;
}

static void force_back_late(struct workers *ws, bool finished)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->worker[i];
        bool late = w->takes_part && !finished && worker_state(w) != WORKER_LEFT;

        if (!late && !w->own_start)
            continue;
        if (!w->ops->force_back(w))
            ws->unreturned++;
        else
            ws->reset += late;
    }
}

void workers_stop(struct workers *ws)
{
    bool finished;

    if (ws->stopped)
        return;
    ws->stopped = true;
    if (ws->run) /* an exception may have ended a run on the boot processor alone: who waits at its barriers continues */
        __atomic_store_n(&ws->run->abandoned, 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->worker[i]->takes_part)
            workers_post(ws, ws->worker[i], WORKER_LEAVE);
    finished = wait_until_left(ws) && wait_until_returned(ws);
    force_back_late(ws, finished);
}
