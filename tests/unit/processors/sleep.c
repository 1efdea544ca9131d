/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Workers without work sleep, and an NMI wakes them. Processors are threads (tests/support/machine/processor_threads.h); this
 * program is built for ThreadSanitizer too. */
#include <criterion/criterion.h>
#include <sched.h>

#include "core/platform/script.h"
#include "tests/support/machine/processor_threads.h"

static struct thread_machine m;

/* One register write on every processor but the boot processor. */
static enum status write_all(uint64_t value, uint64_t budget_ms)
{
    struct step steps[THREADS_MOST];
    struct task tasks[THREADS_MOST];

    for (uint32_t i = 1; i < m.n; i++) {
        steps[i] = step_wrmsr(1, value);
        tasks[i] = (struct task){ .cpu = i, .n_steps = 1, .steps = &steps[i] };
    }
    return workers_run(&m.workers, &tasks[1], m.n - 1, budget_ms);
}

static void begin(uint32_t n, uint64_t ticks_per_pause)
{
    threads_init(&m, n);
    workers_allow_sleep(&m.workers, true);
    m.worker_pause_ticks = ticks_per_pause;
}

/* tsc_hz is 1 MHz: 50 us are 50 ticks, and one more so that it is never 0. */
Test(workers_allow_sleep, sets_how_long_a_worker_polls)
{
    threads_init(&m, 3);
    workers_allow_sleep(&m.workers, true);
    cr_expect_eq(m.table[2]->spin_ticks, 51);
    workers_allow_sleep(&m.workers, false);
    cr_expect_eq(m.table[2]->spin_ticks, 0);
}

THREADS_TEST(sleep, ends_with_the_next_task_in_run_after_run)
{
    begin(6, 60);
    threads_start_all(&m);
    for (uint64_t round = 1; round <= 200; round++) {
        if (round % 4 == 0) /* some posts find all asleep, the others fall into whatever the workers do */
            for (uint32_t i = 1; i < m.n; i++)
                threads_until_asleep(&m, i);
        cr_assert_eq(write_all(round, 100), ST_OK);
        for (uint32_t i = 1; i < m.n; i++)
            cr_assert_eq(m.cpus[i].reg, round);
    }
    for (uint32_t i = 1; i < m.n; i++) {
        cr_expect(m.cpus[i].worker.nmis_sent >= 50);
        cr_expect_eq(m.cpus[i].worker.nmis_sent, m.cpus[i].nmis);
    }
}

THREADS_TEST(sleep, does_not_begin_before_a_worker_has_polled_for_its_time)
{
    begin(3, 0); /* no time passes on the workers */
    threads_start_all(&m);
    for (uint64_t round = 1; round <= 50; round++)
        cr_assert_eq(write_all(round, 100), ST_OK);
    for (uint32_t i = 1; i < m.n; i++) {
        cr_expect_eq(m.cpus[i].sleeps, 0);
        cr_expect_eq(m.cpus[i].worker.nmis_sent, 0);
    }
}

THREADS_TEST(sleep, never_comes_where_an_nmi_cannot_be_sent)
{
    threads_init(&m, 3);
    m.worker_pause_ticks = 1000000;
    threads_start_all(&m);
    for (uint64_t round = 1; round <= 50; round++)
        cr_assert_eq(write_all(round, 100), ST_OK);
    cr_expect_eq(m.cpus[1].sleeps, 0);
    cr_expect_eq(m.cpus[1].worker.nmis_sent, 0);
}

/* The worker sees its post before the NMI is in. It must wait for it: else the NMI falls into the measurement. */
static void let_nmis_in_later(struct thread_machine *machine)
{
    static uint32_t pauses;

    if (++pauses % 20 == 0)
        threads_release_nmis(machine);
}

THREADS_TEST(sleep, of_a_worker_that_was_called_ends_when_the_nmi_is_in)
{
    begin(3, 60);
    m.hold_nmis = m.wake_early = true;
    m.boot_pause = let_nmis_in_later;
    threads_start_all(&m);
    for (uint64_t round = 1; round <= 30; round++) {
        threads_until_asleep(&m, 1);
        threads_until_asleep(&m, 2);
        cr_assert_eq(write_all(round, 100), ST_OK);
        cr_assert_eq(m.cpus[1].reg, round);
        cr_assert_eq(m.cpus[1].worker.nmis_sent, round);
    }
    cr_expect(!m.cpus[1].nmi_in_step);
    cr_expect(!m.cpus[2].nmi_in_step);
}

static void one_second_a_pause(struct thread_machine *machine)
{
    atomic_fetch_add(&machine->cpus[0].tsc, machine->platform.tsc_hz);
}

THREADS_TEST(sleep, that_cannot_be_ended_costs_the_processor)
{
    begin(2, 60);
    threads_start_all(&m);
    threads_until_asleep(&m, 1);
    m.refuse_nmis = true;
    m.boot_pause = one_second_a_pause;
    cr_expect_eq(write_all(1, 100), ST_TIMEOUT);
    cr_expect(m.slots[1].flags & CPU_LOST);
    cr_expect(!m.workers.can_wake);
    cr_expect_str_eq(m.text, "cpu 1 (APIC 0x2): no answer after 100 ms, in step 1 of 1 (WRMSR)");
}
