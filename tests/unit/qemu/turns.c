/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/unit/qemu/turns.c: processors are threads, as QEMU's are; each of their events notes who it was. */
#include <criterion/criterion.h>

#include <pthread.h>

#include "tests/silicon/qemu/turns.h"

#define BEGIN   UINT64_C(1000000)
#define QUANTUM 100u
#define TICK    5000u
#define EVENTS  400u

struct processor {
    uint32_t cpu, events, ticks; /* so many events, each of so many ticks */
};
static struct {
    uint32_t cpu;
    uint64_t now;
} events[4 * EVENTS];
static _Atomic uint32_t n_events;

static void note(uint32_t cpu)
{
    uint32_t n = atomic_fetch_add(&n_events, 1);

    events[n].cpu = cpu;
    events[n].now = turns_now(cpu);
}

static void *run(void *argument)
{
    const struct processor *p = argument;

    for (uint32_t i = 0; i < p->events; i++) {
        turns_run(p->cpu, p->ticks);
        note(p->cpu);
    }
    turns_idle(p->cpu);
    return NULL;
}

static void run_all(struct processor *p, uint32_t n)
{
    pthread_t threads[4];

    for (uint32_t i = 0; i < n; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run, &p[i]), 0);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* Three with clocks of different speed: nobody's event is a quantum and one step later than one that comes after it. */
Test(turns, events_come_in_the_order_of_their_clocks)
{
    struct processor p[3] = { { 0, EVENTS, 7 }, { 1, EVENTS, 31 }, { 2, EVENTS, 90 } };
    uint64_t latest = 0;

    turns_begin(0, 3, BEGIN, QUANTUM, TICK);
    run_all(p, 3);
    cr_assert_eq(n_events, 3 * EVENTS);
    for (uint32_t i = 0; i < n_events; i++) {
        cr_expect_leq(latest, events[i].now + QUANTUM + 90, "event %u of cpu %u", i, events[i].cpu);
        latest = events[i].now > latest ? events[i].now : latest;
    }
    cr_expect_eq(turns_now(0), BEGIN + 7 * EVENTS);
    cr_expect_eq(turns_now(2), BEGIN + 90 * EVENTS);
    cr_expect_eq(turns_breaks().passed, 0);
}

/* The same again: the same order, whatever the host's threads do. */
Test(turns, the_order_is_the_same_in_every_run)
{
    struct processor p[4] = { { 0, EVENTS, 13 }, { 1, EVENTS, 17 }, { 2, EVENTS, 19 }, { 3, EVENTS, 23 } };
    static uint32_t first[4 * EVENTS];

    for (uint32_t round = 0; round < 5; round++) {
        n_events = 0;
        for (uint32_t i = 0; i < 4; i++)
            turns_resume(i); /* else they are halted since the last round */
        turns_begin(0, 4, BEGIN, QUANTUM, TICK);
        run_all(p, 4);
        for (uint32_t i = 0; i < 4 * EVENTS; i++) {
            if (round == 0)
                first[i] = events[i].cpu;
            cr_assert_eq(events[i].cpu, first[i], "round %u, event %u", round, i);
        }
    }
}

/* A halted one has no turn. It continues at the clock of who wakes it and the time that takes. */
Test(turns, who_is_woken_goes_on_at_the_wakers_clock)
{
    turns_idle(1);
    turns_begin(0, 2, BEGIN, QUANTUM, TICK);
    turns_run(0, 100 * QUANTUM);
    cr_expect_eq(turns_holder, 0, "alone, with no end of its turn");
    turns_wake(0, 1, 30);
    cr_expect_eq(turns_now(1), BEGIN + 100 * QUANTUM + 30);
    cr_expect_eq(turns_until, BEGIN + 100 * QUANTUM + 30 + QUANTUM);
    turns_idle(0);
    cr_expect_eq(turns_holder, 1);
    turns_resume(1); /* QEMU's word for it comes later */
    cr_expect_eq(turns_now(1), BEGIN + 100 * QUANTUM + 30);
}

Test(turns, a_device_wakes_at_the_clock_of_who_runs)
{
    turns_idle(1);
    turns_begin(0, 2, BEGIN, QUANTUM, TICK);
    turns_run(0, 700);
    turns_resume(1);
    cr_expect_eq(turns_now(1), BEGIN + 700);
    turns_idle(0);
    turns_idle(1);
    turns_resume(0);
    cr_expect_eq(turns_now(0), BEGIN + 700 + TICK, "all were halted: a tick of the timer later");
    cr_expect_eq(turns_holder, 0);
}

/* By less than a quantum, so that the turn alone would have let it continue. */
Test(turns, who_reads_its_clock_waits_for_those_behind)
{
    struct processor p = { 1, EVENTS, 1 };
    pthread_t thread;

    turns_begin(0, 2, BEGIN, QUANTUM, TICK);
    turns_resume(1);
    turns_run(0, QUANTUM / 2);
    cr_expect_lt(turns_now(1), turns_now(0));
    cr_assert_eq(pthread_create(&thread, NULL, run, &p), 0);
    turns_order(0);
    cr_expect_geq(turns_now(1), turns_now(0));
    turns_idle(0);
    pthread_join(thread, NULL);
}

Test(turns, who_is_ahead_is_called_back_but_not_before_its_wait)
{
    turns_begin(0, 2, BEGIN, QUANTUM, TICK);
    turns_set(1, BEGIN + 90000); /* a round of its wait */
    turns_run(0, 2000);
    turns_recall(0, 1, BEGIN + 10, 200);
    cr_expect_eq(turns_now(1), BEGIN + 2200);
    turns_recall(0, 1, BEGIN + 10, 9000);
    cr_expect_eq(turns_now(1), BEGIN + 2200, "never forward");
    turns_set(1, BEGIN + 90000);
    turns_recall(0, 1, BEGIN + 5000, 200);
    cr_expect_eq(turns_now(1), BEGIN + 5000);
}

/* The machine was reset: firmware's threads run at once, and the shim that comes after begins again. */
Test(turns, nobody_waits_for_a_turn_after_the_end)
{
    turns_begin(0, 2, BEGIN, QUANTUM, TICK);
    turns_end();
    cr_expect_not(atomic_load(&turns_on));
    cr_expect_not(turns_alone(), "firmware's blocks take no turn either");
    turns_resume(1);
    turns_begin(1, 2, BEGIN, QUANTUM, TICK);
    turns_run(1, 1);
    cr_expect_eq(turns_now(1), BEGIN + 1);
}

/* From 10 ticks on to 1000, doubling; 51 ticks later it is another wait. */
Test(turns, rounds_of_a_wait_get_longer)
{
    static const uint64_t steps[] = { 10, 10, 20, 40, 80, 160, 320, 640, 1000, 1000 };
    struct turns_wait w = { 0 };
    uint64_t now = BEGIN;

    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint64_t step = turns_round(&w, now, 10, 1000, 50, 1);

        cr_expect_eq(step, steps[i], "round %u: %lu", i, step);
        now += step;
    }
    cr_expect_eq(turns_round(&w, now + 50, 10, 1000, 50, 1), 1000);
    cr_expect_eq(turns_round(&w, now + 50 + 1000 + 51, 10, 1000, 50, 1), 10);
}

/* A wait of 5000 ticks lasts no more than a fourth longer by rounds of a fourth of it. */
Test(turns, a_wait_that_watches_the_clock_is_not_missed_by_more_than_its_share)
{
    struct turns_wait w = { 0 };
    uint64_t now = BEGIN, rounds = 0;

    for (; now < BEGIN + 5000; rounds++)
        now += turns_round(&w, now, 140, 100000, 200, 4);
    cr_expect_leq(now - BEGIN, 6250);
    cr_expect_leq(rounds, 20);
}
