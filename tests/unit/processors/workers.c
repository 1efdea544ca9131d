/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Arrival and departure of workers. Processors are threads (tests/support/machine/processor_threads.h); this program is built
 * for ThreadSanitizer too. */
#include <criterion/criterion.h>
#include <sched.h>

#include "core/platform/script.h"
#include "tests/support/machine/processor_threads.h"

static struct thread_machine m;

static void one_second_a_pause(struct thread_machine *machine)
{
    atomic_fetch_add(&machine->cpus[0].tsc, machine->platform.tsc_hz);
}

Test(workers_find, finds_every_apic_id_and_no_other)
{
    threads_init(&m, 7);
    for (uint32_t i = 0; i < 7; i++) {
        cr_expect_eq(workers_find(&m.workers, 2 * i), m.table[i]);
        cr_expect_eq(workers_find(&m.workers, 2 * i + 1), NULL);
    }
    cr_expect_eq(workers_find(&m.workers, UINT32_MAX), NULL);
}

/* --- arrival ------------------------------------------------------------------------------------------------------ */

static void until_arrived(uint32_t cpu)
{
    while (worker_state(m.table[cpu]) != WORKER_ARRIVED)
        sched_yield();
}

THREADS_TEST(arrival, is_waited_for_until_the_time_is_over)
{
    threads_init(&m, 5);
    m.table[4]->takes_part = false;
    cr_expect_eq(workers_in_state(&m.workers, WORKER_ARRIVED), 0);
    threads_start(&m, 1);
    threads_start(&m, 3);
    threads_start(&m, 4);
    until_arrived(1);
    until_arrived(3);
    cr_expect_eq(workers_in_state(&m.workers, WORKER_ARRIVED), 2);
    m.boot_pause = one_second_a_pause; /* processor 2 never comes */
    cr_expect_eq(workers_wait_for_arrival(&m.workers, 5000), 2);
    cr_expect_eq(m.cpus[0].tsc, 5 * m.platform.tsc_hz);
    for (uint32_t i = 1; i < 5; i++)
        cr_expect_eq((m.slots[i].flags & CPU_STARTED) != 0, i == 1 || i == 3);
    m.returned = ST_ABSENT;
}

Test(arrival, after_all_were_sent_home_is_none)
{
    threads_init(&m, 3);
    threads_start(&m, 1);
    until_arrived(1);
    cr_assert_eq((m.boot_pause = one_second_a_pause, workers_wait_for_arrival(&m.workers, 1000)), 1);
    workers_stop(&m.workers);
    cr_expect(!worker_is_expected(m.table[2]));
    threads_start(&m, 2);
    threads_end(&m);
    cr_expect_eq(worker_state(m.table[2]), WORKER_ABSENT);
}

Test(arrival, happens_once)
{
    threads_init(&m, 2);
    cr_expect(worker_is_expected(m.table[1]));
    threads_start_all(&m);
    cr_expect(!worker_is_expected(m.table[1]));
    threads_end(&m);
    cr_expect(!worker_is_expected(m.table[1]));
}

/* --- a boot processor that waits in firmware ---------------------------------------------------------------------- */

static void until_left(uint32_t cpu)
{
    while (worker_state(m.table[cpu]) != WORKER_LEFT)
        sched_yield();
}

Test(workers_await_work, ends_when_the_boot_processor_begins)
{
    struct step s = step_wrmsr(1, 7);
    struct task task = { .cpu = 2, .n_steps = 1, .steps = &s };

    threads_init(&m, 3);
    m.workers.phase = WORKERS_WAIT;
    threads_start_all(&m);
    for (uint32_t i = 0; i < 1000; i++)
        sched_yield();
    cr_expect_eq(workers_in_state(&m.workers, WORKER_ARRIVED), 2, "nobody leaves while no time passes");
    cr_assert(workers_begin(&m.workers));
    for (uint32_t i = 1; i < 3; i++) /* time that passes from now on makes nobody leave */
        atomic_fetch_add(&m.cpus[i].tsc, THREADS_AWAIT_MS * m.platform.tsc_hz);
    cr_expect_eq(workers_run(&m.workers, &task, 1, 100), ST_OK);
    cr_expect_eq(m.cpus[2].reg, 7);
    threads_end(&m);
    cr_expect_eq(m.workers.reset, 0);
}

THREADS_TEST(workers_await_work, is_given_up_by_all_once_the_time_of_one_is_over)
{
    uint32_t seconds = 0;

    threads_init(&m, 4);
    m.workers.phase = WORKERS_WAIT;
    threads_start(&m, 1);
    until_arrived(1);
    threads_start(&m, 2);
    until_arrived(2);
    cr_expect(!workers_anew(&m.workers), "two are on their stacks");
    for (; worker_state(m.table[1]) != WORKER_LEFT; seconds++) {
        atomic_fetch_add(&m.cpus[1].tsc, m.platform.tsc_hz);
        sched_yield();
    }
    cr_expect(seconds >= THREADS_AWAIT_MS / 1000);
    until_left(2);
    cr_expect(!workers_begin(&m.workers));
    threads_start(&m, 3); /* firmware that starts one after another */
    until_left(3);
    cr_expect(workers_anew(&m.workers));
    cr_expect(worker_is_expected(m.table[1]));
    cr_expect(workers_begin(&m.workers));
}

/* Of a call that firmware has not ended: one comes late, one leaves again, one stays away. */
THREADS_TEST(workers_outstanding, counts_a_processor_that_comes_late_once)
{
    threads_init(&m, 5);
    m.workers.phase = WORKERS_WAIT;
    m.table[4]->takes_part = false;
    threads_start(&m, 1);
    until_arrived(1);
    workers_note_absent(&m.workers); /* 2 and 3 */
    cr_expect_eq(workers_outstanding(&m.workers), 3);
    threads_start(&m, 2);
    until_arrived(2);
    cr_expect_eq(workers_outstanding(&m.workers), 3);
    m.boot_pause = one_second_a_pause;
    atomic_fetch_add(&m.cpus[1].tsc, THREADS_AWAIT_MS * m.platform.tsc_hz);
    until_left(1);
    until_left(2);
    cr_expect_eq(workers_outstanding(&m.workers), 1);
}

/* --- departure ---------------------------------------------------------------------------------------------------- */

THREADS_TEST(workers_stop, sends_every_worker_home_be_it_awake_or_asleep)
{
    threads_init(&m, 6);
    workers_allow_sleep(&m.workers, true);
    m.table[1]->spin_ticks = m.table[2]->spin_ticks = 0;
    m.worker_pause_ticks = 60;
    threads_start_all(&m);
    for (uint32_t i = 3; i < 6; i++)
        threads_until_asleep(&m, i);
    workers_stop(&m.workers);
    for (uint32_t i = 1; i < 6; i++) {
        cr_expect_eq(worker_state(m.table[i]), WORKER_LEFT);
        cr_expect_eq(m.cpus[i].forced, 0);
        cr_expect_eq(m.cpus[i].worker.nmis_sent, i >= 3);
    }
    cr_expect_eq(m.workers.reset, 0);
    cr_expect_eq(m.workers.unreturned, 0);
}

THREADS_TEST(workers_stop, leaves_nothing_to_hand_tasks_to)
{
    struct step s = step_wrmsr(1, 1);
    struct task task = { .cpu = 1, .n_steps = 1, .steps = &s };

    threads_begin(&m, 2, threads_step);
    workers_stop(&m.workers);
    cr_expect_eq(workers_run(&m.workers, &task, 1, 100), ST_LOST);
    cr_expect_eq(task.status, ST_LOST);
}

static enum status wait_at_gate(struct thread_cpu *c, struct step *s)
{
    if (s->op == STEP_WORK)
        thread_gate_wait(c);
    return ST_OK;
}

static void until_at_gate(struct thread_machine *machine)
{
    if (thread_is_at_gate(&machine->cpus[2]))
        one_second_a_pause(machine);
}

/* Processor 2 is lost in a task that does not end. */
static void lose_processor_2(void)
{
    struct step s = step_work(NULL);
    struct task task = { .cpu = 2, .n_steps = 1, .steps = &s };

    threads_begin(&m, 4, wait_at_gate);
    atomic_store(&m.cpus[2].gate, true);
    m.boot_pause = until_at_gate;
    cr_assert_eq(workers_run(&m.workers, &task, 1, 100), ST_TIMEOUT);
    m.boot_pause = NULL;
}

/* Time passes once all others have left. */
static void until_others_left(struct thread_machine *machine)
{
    for (uint32_t i = 1; i < machine->n; i++)
        if (i != 2 && worker_state(machine->table[i]) != WORKER_LEFT)
            return;
    one_second_a_pause(machine);
}

THREADS_TEST(workers_stop, resets_a_processor_that_does_not_leave_and_no_other)
{
    lose_processor_2();
    m.boot_pause = until_others_left;
    workers_stop(&m.workers);
    for (uint32_t i = 1; i < 4; i++)
        cr_expect_eq(m.cpus[i].forced, i == 2);
    cr_expect_eq(m.workers.reset, 1);
    cr_expect_eq(m.workers.unreturned, 0);
}

THREADS_TEST(workers_stop, counts_a_processor_that_cannot_be_reset)
{
    lose_processor_2();
    m.cannot_force = true;
    m.boot_pause = until_others_left;
    workers_stop(&m.workers);
    cr_expect_eq(m.workers.reset, 0);
    cr_expect_eq(m.workers.unreturned, 1);
    workers_stop(&m.workers); /* the second time changes nothing */
    cr_expect_eq(m.workers.unreturned, 1);
    cr_expect_eq(m.cpus[2].forced, 1);
}

/* INIT puts a processor that we started back into wait-for-SIPI: that is how it was found, and no reset. */
THREADS_TEST(workers_stop, resets_all_that_firmware_has_no_procedure_on)
{
    threads_init(&m, 3);
    m.table[1]->own_start = m.table[2]->own_start = true;
    m.returned = ST_ABSENT;
    threads_start_all(&m);
    workers_stop(&m.workers);
    cr_expect_eq(m.cpus[1].forced, 1);
    cr_expect_eq(m.cpus[2].forced, 1);
    cr_expect_eq(m.workers.reset, 0);
}

/* Whoever has not arrived may be on its way: only firmware knows that its procedure has returned. */
Test(workers_stop, resets_a_processor_that_never_arrived_unless_firmware_saw_it_return)
{
    static const struct {
        enum status returned;
        uint32_t forced;
    } cases[] = { { ST_OK, 0 }, { ST_NOT_RUN, 1 }, { ST_ABSENT, 1 } };

    for (uint32_t i = 0; i < 3; i++) {
        threads_init(&m, 3);
        m.returned = cases[i].returned;
        threads_start(&m, 1);
        until_arrived(1);
        m.boot_pause = until_others_left;
        cr_expect_eq(m.cpus[2].forced, 0);
        workers_stop(&m.workers);
        cr_expect_eq(m.cpus[1].forced, 0);
        cr_expect_eq(m.cpus[2].forced, cases[i].forced);
        cr_expect_eq(m.workers.reset, cases[i].forced);
        threads_end(&m);
    }
}

/* An exception on the boot processor breaks a run off in the middle: nobody collects it, and the boot processor never
 * comes to the barrier. */
static jmp_buf broken_off;

static enum status crash_on_boot_processor(struct thread_cpu *c, struct step *)
{
    if (c->worker.cpu != 0)
        return ST_OK;
    while (__atomic_load_n(&m.workers.run->barriers[0].arrived, __ATOMIC_ACQUIRE) < 2)
        sched_yield();
    longjmp(broken_off, 1);
}

THREADS_TEST(workers_stop, releases_who_waits_in_a_run_that_was_broken_off)
{
    static struct step steps[3][2];
    static struct task tasks[3];

    threads_begin(&m, 3, crash_on_boot_processor);
    for (uint32_t t = 0; t < 3; t++) {
        steps[t][0] = step_wrmsr(1, 1);
        steps[t][1] = step_barrier();
        tasks[t] = (struct task){ .cpu = t, .n_steps = 2, .steps = steps[t] };
    }
    if (setjmp(broken_off) == 0)
        (void)workers_run(&m.workers, tasks, 3, 100);
    workers_stop(&m.workers);
    for (uint32_t i = 1; i < 3; i++) {
        cr_expect_eq(worker_state(m.table[i]), WORKER_LEFT);
        cr_expect_eq(m.cpus[i].forced, 0);
    }
}

/* It is sent home before it has reached its parking place. */
static enum status crash_at_gate(struct thread_cpu *c, struct step *)
{
    thread_gate_wait(c);
    thread_crash(c);
}

static void open_gate_when_sent_home(struct thread_machine *machine)
{
    if (machine->workers.stopped)
        atomic_store(&machine->cpus[1].gate, false);
    else if (thread_is_at_gate(&machine->cpus[1]))
        one_second_a_pause(machine);
}

THREADS_TEST(workers_stop, takes_a_processor_home_that_crashes_on_its_way)
{
    struct step s = step_work(NULL);
    struct task task = { .cpu = 1, .n_steps = 1, .steps = &s };

    threads_begin(&m, 2, crash_at_gate);
    atomic_store(&m.cpus[1].gate, true);
    m.boot_pause = open_gate_when_sent_home;
    cr_assert_eq(workers_run(&m.workers, &task, 1, 100), ST_TIMEOUT);
    workers_stop(&m.workers);
    cr_expect_eq(worker_state(m.table[1]), WORKER_LEFT);
    cr_expect_eq(m.workers.reset, 0);
}
