/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/turns.h: the order in which a guest's processors run, and the time that each of them has.
 *
 * QEMU runs every processor on a thread of its own, and who comes first depends on the host. Here one processor at a time
 * has the turn; the others' threads wait. Each has a clock, in ticks of the TSC, which what it does moves on. The turn
 * goes to the processor whose clock is furthest behind, and stays there until its clock is a quantum ahead of the next
 * one: so the order of events follows the guest's own time, whatever else the host has to do.
 *
 * A halted processor has no part in this. Who wakes one by an interrupt says so before it sends it (turns_wake), so that
 * the order does not hang on when QEMU gets that thread going. What wakes it otherwise (a device's interrupt, whose time
 * is the host's) finds it at the clock of whoever runs then.
 *
 * QEMU now and then stops all processors for work of its own, and a thread that waits here does not stop. So waiting is
 * bounded: where nothing has moved for TURNS_STUCK_MS of the host's time, waiters continue for one block of instructions
 * each. That is counted, since the order is the host's then.
 *
 * Functions with a `cpu` are for that processor's own thread, but for turns_wake().
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TURNS_MAX      256u
#define TURNS_STUCK_MS 3000u

struct turns_clock { /* of a processor: written by its own thread, and by others while it is halted */
    _Alignas(64) _Atomic uint64_t now;
};
extern struct turns_clock turns_clock[TURNS_MAX];
static inline uint64_t turns_now(uint32_t cpu)
{
    return atomic_load_explicit(&turns_clock[cpu].now, memory_order_relaxed);
}
static inline void turns_set(uint32_t cpu, uint64_t now)
{
    atomic_store_explicit(&turns_clock[cpu].now, now, memory_order_relaxed);
}

extern _Atomic uint32_t turns_holder; /* TURNS_MAX: nobody                  */
extern _Atomic uint64_t turns_until;  /* the holder continues until its clock is beyond */
extern _Atomic bool turns_on;

/* From now on processors 0 .. n - 1 take turns. cpu, which calls, has the first; all clocks are `now`. quantum and tick:
 * in ticks; by the latter time continues while all processors are halted. */
void turns_begin(uint32_t cpu, uint32_t n, uint64_t now, uint64_t quantum, uint64_t tick);

/* They take turns no more, until it begins again: the machine was reset. For a thread that is alone. */
void turns_end(void);

/* The processor halts; continues again. Callable before turns_begin(), which wants to know who is halted. */
void turns_idle(uint32_t cpu);
void turns_resume(uint32_t cpu);

/* An interrupt is about to be sent to that processor, which ends its halt: it continues at the caller's clock and
 * `ticks`. */
void turns_wake(uint32_t by, uint32_t cpu, uint64_t ticks);

/* What a processor waits for has happened, at the caller's clock and `ticks`: its clock, which a round of its wait had
 * moved on from `since`, goes back to that. It is another one, and waits for its turn. */
void turns_recall(uint32_t by, uint32_t cpu, uint64_t since, uint64_t ticks);

/* For who has the turn: are all others halted? */
static inline bool turns_alone(void)
{
    return atomic_load_explicit(&turns_until, memory_order_relaxed) == UINT64_MAX;
}

/* Slow path of turns_run(): returns when it is this processor's turn. */
void turns_take(uint32_t cpu);

/* Before anything that the processor does: its clock continues, and it waits until it may. */
static inline void turns_run(uint32_t cpu, uint64_t ticks)
{
    uint64_t now;

    if (__builtin_expect(atomic_load_explicit(&turns_holder, memory_order_relaxed) != cpu, 0))
        turns_take(cpu); /* before its clock moves: when its thread comes here is the host's affair */
    now = turns_now(cpu) + ticks;
    turns_set(cpu, now);
    if (__builtin_expect(now > atomic_load_explicit(&turns_until, memory_order_relaxed), 0))
        turns_take(cpu);
}

/* Before a processor's clock is shown to it: it waits for those behind, so that none of them is shown less later on. */
void turns_order(uint32_t cpu);

/* A loop that waits: since when, until when it was seen, how often it came round. */
struct turns_wait {
    uint64_t began, seen, rounds;
};

/* What one round of a wait takes, PAUSE or the reading of a clock, at `now`: a share (1: all, 4: a fourth) of what the wait
 * has lasted, since each look at what is waited for costs the host as much as thousands of instructions. least: of the
 * first rounds; most. A round that comes later than `gap` after the last one ended begins another wait. */
uint64_t turns_round(struct turns_wait *w, uint64_t now, uint64_t least, uint64_t most, uint64_t gap, uint64_t share);

/* How often order gave way: waiters that continued without the turn; processors that did not wake. */
struct turns_breaks {
    uint64_t passed, slept_on;
};
struct turns_breaks turns_breaks(void);
/* Called before one of them continues so, if it is set: from then on two may run at once. */
extern void (*turns_gave_way)(void);
