/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#define _GNU_SOURCE /* sem_clockwait() */
#include "tests/silicon/qemu/turns.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define NOBODY  TURNS_MAX
#define POLL_MS 100u

enum state { RUNS, WAKING /* has been woken, its thread does not know yet */, HALTED };

struct turns_clock turns_clock[TURNS_MAX];
_Atomic uint32_t turns_holder = NOBODY;
_Atomic uint64_t turns_until;
_Atomic bool turns_on;
void (*turns_gave_way)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct processor { /* under the lock */
    enum state state;
    bool waits; /* its thread, for the turn */
    sem_t turn;
} processors[TURNS_MAX];
static uint32_t called = NOBODY; /* who waits and has got the turn */
static uint32_t n_processors;
static uint64_t quantum, tick;
static struct turns_breaks breaks;

static uint32_t holder(void)
{
    return atomic_load_explicit(&turns_holder, memory_order_relaxed);
}

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

/* Who has got the turn wakes when the lock is free: else it would wake twice. */
static void release_lock(void)
{
    uint32_t cpu = called;

    called = NOBODY;
    pthread_mutex_unlock(&lock);
    if (cpu != NOBODY)
        sem_post(&processors[cpu].turn);
}

/* For some time, or until it has got the turn. */
static void wait_a_while(struct processor *p)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    p->waits = true;
    release_lock();
    sem_clockwait(&p->turn, CLOCK_MONOTONIC, &until);
    take_lock();
    p->waits = false;
}

static void make_signals(uint32_t n)
{
    static uint32_t made;

    for (; made < n; made++)
        sem_init(&processors[made].turn, 0, 0);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The one furthest behind, but for `but`; of equals the first. */
static uint32_t furthest_behind(uint32_t but)
{
    uint32_t found = NOBODY;

    for (uint32_t i = 0; i < n_processors; i++)
        if (i != but && processors[i].state != HALTED && (found == NOBODY || turns_now(i) < turns_now(found)))
            found = i;
    return found;
}

static void give(uint32_t cpu)
{
    uint32_t next = cpu == NOBODY ? NOBODY : furthest_behind(cpu);

    atomic_store_explicit(&turns_until, next == NOBODY ? UINT64_MAX : turns_now(next) + quantum, memory_order_relaxed);
    atomic_store_explicit(&turns_holder, cpu, memory_order_release);
    called = cpu != NOBODY && processors[cpu].waits ? cpu : NOBODY;
}

/* Somebody joins those who run: the holder continues for no longer than a quantum beyond. */
static void join(uint32_t cpu)
{
    uint64_t limit = turns_now(cpu) + quantum;

    if (holder() == NOBODY)
        give(cpu);
    else if (limit < atomic_load_explicit(&turns_until, memory_order_relaxed))
        atomic_store_explicit(&turns_until, limit, memory_order_relaxed);
}

void turns_begin(uint32_t cpu, uint32_t n, uint64_t now, uint64_t new_quantum, uint64_t new_tick)
{
    take_lock();
    make_signals(n);
    for (uint32_t i = 0; i < n; i++)
        turns_clock[i] = (struct turns_clock){ .now = now };
    n_processors = n;
    quantum = new_quantum;
    tick = new_tick;
    processors[cpu].state = RUNS;
    give(cpu);
    atomic_store_explicit(&turns_on, true, memory_order_release);
    release_lock();
}

void turns_end(void)
{
    take_lock();
    atomic_store_explicit(&turns_on, false, memory_order_release);
    n_processors = 0;
    atomic_store_explicit(&turns_holder, NOBODY, memory_order_relaxed);
    atomic_store_explicit(&turns_until, 0, memory_order_relaxed); /* turns_alone() says no, as before turns_begin() */
    release_lock();
}

void turns_idle(uint32_t cpu)
{
    take_lock();
    processors[cpu].state = HALTED;
    if (n_processors && holder() == cpu)
        give(furthest_behind(NOBODY));
    release_lock();
}

static uint64_t latest(void)
{
    uint64_t now = 0;

    for (uint32_t i = 0; i < n_processors; i++)
        now = later(turns_now(i), now);
    return now;
}

void turns_resume(uint32_t cpu)
{
    take_lock();
    if (n_processors && processors[cpu].state == HALTED) {
        uint64_t now = holder() == NOBODY ? latest() + tick : turns_now(holder());

        turns_set(cpu, later(now, turns_now(cpu)));
        processors[cpu].state = RUNS;
        join(cpu);
    }
    processors[cpu].state = RUNS;
    release_lock();
}

void turns_wake(uint32_t by, uint32_t cpu, uint64_t ticks)
{
    uint64_t now = turns_now(by) + ticks;

    take_lock();
    if (cpu < n_processors && processors[cpu].state == HALTED) {
        turns_set(cpu, later(now, turns_now(cpu)));
        processors[cpu].state = WAKING;
        join(cpu);
    }
    release_lock();
}

void turns_recall(uint32_t by, uint32_t cpu, uint64_t since, uint64_t ticks)
{
    uint64_t now = later(turns_now(by) + ticks, since);

    take_lock();
    if (processors[cpu].state == RUNS && holder() != cpu && now < turns_now(cpu)) {
        turns_set(cpu, now);
        join(cpu);
    }
    release_lock();
}

/* The holder does not come: it was woken and still sleeps, so that the turn is another's, or QEMU holds it up. */
static bool go_round(void)
{
    uint32_t who = holder();

    if (who != NOBODY && processors[who].state != WAKING)
        return false;
    if (who != NOBODY) {
        processors[who].state = HALTED;
        breaks.slept_on++;
    }
    give(furthest_behind(NOBODY));
    return true;
}

void turns_take(uint32_t cpu)
{
    uint64_t seen = 0;
    uint32_t who = NOBODY, polls = 0;

    take_lock();
    processors[cpu].state = RUNS;
    if (holder() == NOBODY || holder() == cpu)
        give(furthest_behind(NOBODY));
    while (holder() != cpu) {
        uint64_t clock = holder() == NOBODY ? 0 : turns_now(holder());

        polls = who == holder() && clock == seen ? polls + 1 : 0;
        who = holder();
        seen = clock;
        if (polls * POLL_MS < TURNS_STUCK_MS) {
            wait_a_while(&processors[cpu]);
        } else if (!go_round()) {
            if (turns_gave_way)
                turns_gave_way();
            breaks.passed++;
            break;
        }
    }
    release_lock();
}

void turns_order(uint32_t cpu)
{
    uint64_t until = atomic_load_explicit(&turns_until, memory_order_relaxed);

    if (until != UINT64_MAX && turns_now(cpu) > until - quantum)
        turns_take(cpu);
}

uint64_t turns_round(struct turns_wait *w, uint64_t now, uint64_t least, uint64_t most, uint64_t gap, uint64_t share)
{
    uint64_t step;

    if (now > w->seen + gap)
        *w = (struct turns_wait){ .began = now };
    step = (now - w->began) / share;
    step = step < least ? least : step > most ? most : step;
    w->seen = now + step;
    w->rounds++;
    return step;
}

struct turns_breaks turns_breaks(void)
{
    return breaks;
}
