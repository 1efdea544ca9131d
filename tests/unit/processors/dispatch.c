/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs: tasks handed to workers, barriers, deadlines, crashes. Processors are threads (tests/support/machine/processor_threads.h);
 * this program is built for ThreadSanitizer too, where a race between them fails a test. */
#include <criterion/criterion.h>

#include <sched.h>
#include <setjmp.h>
#include <string.h>

#include "core/platform/script.h"
#include "tests/support/machine/heap_host.h"
#include "tests/support/machine/processor_threads.h"

#define BUDGET_MS 100u

static struct thread_machine m;
static struct step steps[THREADS_MOST][8];
static struct task tasks[THREADS_MOST];

/* Task t is processor t's, with these steps. */
static void give(uint32_t t, const struct step *script, uint32_t n)
{
    if (n > 0)
        memcpy(steps[t], script, n * sizeof *script);
    tasks[t] = (struct task){ .cpu = t, .n_steps = n, .steps = steps[t] };
}

static void give_all(const struct step *script, uint32_t n)
{
    for (uint32_t t = 0; t < m.n; t++)
        give(t, script, n);
}

static enum status run(void)
{
    return workers_run(&m.workers, tasks, m.n, BUDGET_MS);
}

/* --- what a run does ---------------------------------------------------------------------------------------------- */

THREADS_TEST(workers_run, does_every_task_on_its_own_processor_in_run_after_run)
{
    threads_begin(&m, 8, threads_step);
    for (uint64_t round = 0; round < 200; round++) {
        for (uint32_t t = 0; t < m.n; t++)
            give(t, (struct step[]){ step_wrmsr(1, round * 100 + t), step_rdmsr(1) }, 2);
        cr_assert_eq(run(), ST_OK);
        for (uint32_t t = 0; t < m.n; t++) {
            cr_assert_eq(tasks[t].status, ST_OK);
            cr_assert_eq(steps[t][1].status, ST_OK);
            cr_assert_eq(steps[t][1].value, round * 100 + t);
            cr_assert_eq(m.cpus[t].reg, round * 100 + t);
        }
    }
}

THREADS_TEST(workers_run, leaves_processors_without_a_task_alone)
{
    threads_begin(&m, 4, threads_step);
    for (uint64_t round = 1; round <= 30; round++) {
        struct step s = step_wrmsr(1, round);
        uint32_t cpu = 1 + round % 3;
        struct task task = { .cpu = cpu, .n_steps = 1, .steps = &s };

        cr_assert_eq(workers_run(&m.workers, &task, 1, BUDGET_MS), ST_OK);
        cr_assert_eq(m.cpus[cpu].reg, round);
    }
    cr_expect_eq(m.cpus[0].reg, 0);
    cr_expect_eq(m.cpus[1].reg, 30);
    cr_expect_eq(m.cpus[2].reg, 28);
    cr_expect_eq(m.cpus[3].reg, 29);
}

static enum status count_lines(struct thread_cpu *, struct step *s)
{
    s->work->touched_lines = s->work->bytes / 64;
    return ST_OK;
}

THREADS_TEST(workers_run, hands_results_of_work_to_the_callers_own_record)
{
    struct work work[3] = { { .bytes = 64 }, { .bytes = 640 }, { .bytes = 6400 } };

    threads_begin(&m, 3, count_lines);
    for (uint32_t t = 0; t < 3; t++)
        give(t, (struct step[]){ step_work(&work[t]) }, 1);
    cr_assert_eq(run(), ST_OK);
    for (uint32_t t = 0; t < 3; t++) {
        cr_expect_eq(steps[t][0].work, &work[t]);
        cr_expect_eq(work[t].touched_lines, work[t].bytes / 64);
    }
}

THREADS_TEST(workers_run, takes_a_task_without_steps)
{
    threads_begin(&m, 2, threads_step);
    give_all(NULL, 0);
    cr_expect_eq(run(), ST_OK);
    cr_expect_eq(tasks[1].status, ST_OK);
}

THREADS_TEST(workers_run, refuses_what_it_cannot_hand_out_and_does_the_rest)
{
    threads_init(&m, 4);
    m.table[2]->takes_part = false;
    for (uint32_t cpu = 1; cpu < 4; cpu += 2)
        threads_start(&m, cpu);
    cr_assert_eq(workers_wait_for_arrival(&m.workers, 1), 2);
    give_all((struct step[]){ step_wrmsr(1, 7) }, 1);
    tasks[3].cpu = 1; /* a second one for processor 1 */
    tasks[0].cpu = 4;
    cr_expect_eq(run(), ST_RANGE);
    cr_expect_eq(tasks[0].status, ST_RANGE);
    cr_expect_eq(tasks[1].status, ST_OK);
    cr_expect_eq(tasks[2].status, ST_LOST);
    cr_expect_eq(tasks[3].status, ST_RANGE);
    cr_expect_eq(m.cpus[1].reg, 7);
}

/* A run that found no memory handed nothing out, so the processors are free for the next one. */
THREADS_TEST(workers_run, takes_the_same_processors_again_after_there_was_no_memory)
{
    threads_begin(&m, 4, threads_step);
    give_all((struct step[]){ step_barrier(), step_wrmsr(1, 7) }, 2);
    for (int missing = 5; missing > 0;
         missing--) { /* three copies of steps, the run, its barriers: one more each time */
        heap_host_grants = missing == 5 ? 0 : 1;
        cr_expect_eq(run(), ST_NO_MEMORY);
        cr_expect_eq(m.cpus[1].reg, 0);
    }
    heap_host_grants = UINT32_MAX;
    cr_expect_eq(run(), ST_OK);
    for (uint32_t t = 0; t < 4; t++) {
        cr_expect_eq(tasks[t].status, ST_OK);
        cr_expect_eq(m.cpus[t].reg, 7);
    }
}

/* --- steps that fail ---------------------------------------------------------------------------------------------- */

static enum status fail_register_13(struct thread_cpu *c, struct step *s)
{
    return s->op == STEP_WRMSR && s->reg == 13 ? ST_FAULT : threads_step(c, s);
}

THREADS_TEST(workers_run, continues_after_a_step_that_failed)
{
    threads_begin(&m, 2, fail_register_13);
    give_all((struct step[]){ step_wrmsr(13, 1), step_wrmsr(1, 5) }, 2);
    cr_expect_eq(run(), ST_OK);
    cr_expect_eq(steps[1][0].status, ST_FAULT);
    cr_expect_eq(steps[1][1].status, ST_OK);
    cr_expect_eq(m.cpus[1].reg, 5);
}

THREADS_TEST(workers_run, passes_the_barriers_of_a_task_that_a_failed_step_ended)
{
    threads_begin(&m, 3, fail_register_13);
    give_all((struct step[]){ step_wrmsr_must(1, 4), step_barrier(), step_wrmsr(1, 5), step_barrier() }, 4);
    steps[1][0].reg = 13;
    cr_expect_eq(run(), ST_OK);
    cr_expect_eq(steps[1][0].status, ST_FAULT);
    for (uint32_t s = 1; s < 4; s++)
        cr_expect_eq(steps[1][s].status, ST_NOT_RUN);
    cr_expect_eq(m.cpus[1].reg, 0);
    cr_expect_eq(m.cpus[0].reg, 5);
    cr_expect_eq(m.cpus[2].reg, 5);
}

/* --- barriers ----------------------------------------------------------------------------------------------------- */

static uint64_t shared[THREADS_MOST]; /* plain: only the barriers order accesses to it */
static atomic_uint wrong_sums;

/* WRMSR: one's own place. RDMSR: everybody's must be there. */
static enum status share(struct thread_cpu *c, struct step *s)
{
    if (s->op == STEP_WRMSR)
        shared[c->worker.cpu] = s->value;
    for (uint32_t i = 0; s->op == STEP_RDMSR && i < c->machine->n; i++)
        atomic_fetch_add(&wrong_sums, shared[i] != s->value);
    return ST_OK;
}

THREADS_TEST(barriers, show_each_processor_what_all_others_wrote_before)
{
    threads_begin(&m, 6, share);
    for (uint64_t round = 1; round <= 100; round++) {
        give_all((struct step[]){ step_wrmsr(1, round), step_barrier(), step_rdmsr(1), step_barrier(),
                                  step_wrmsr(1, ~round), step_barrier(), step_rdmsr(1) },
                 7);
        for (uint32_t t = 0; t < m.n; t++) {
            steps[t][2].value = round;
            steps[t][6].value = ~round;
        }
        cr_assert_eq(run(), ST_OK);
    }
    cr_expect_eq(wrong_sums, 0);
}

THREADS_TEST(barriers, expect_only_tasks_that_have_one_of_that_rank)
{
    threads_begin(&m, 4, threads_step);
    for (int round = 0; round < 20; round++) {
        give_all((struct step[]){ step_barrier(), step_barrier(), step_barrier(), step_wrmsr(1, 9) }, 4);
        give(1, (struct step[]){ step_barrier(), step_wrmsr(1, 9) }, 2);
        give(2, (struct step[]){ step_wrmsr(1, 9) }, 1);
        tasks[3].cpu = 9; /* not to run: nobody may wait for its barriers */
        cr_assert_eq(run(), ST_RANGE);
        for (uint32_t t = 0; t < 3; t++)
            cr_assert_eq(tasks[t].status, ST_OK);
    }
}

/* --- deadlines ---------------------------------------------------------------------------------------------------- */

/* WORK is what never ends, as long as the processor's gate is closed. */
static enum status hang_at_work(struct thread_cpu *c, struct step *s)
{
    if (s->op == STEP_WORK)
        thread_gate_wait(c);
    if (s->work)
        s->work->passes++;
    return threads_step(c, s);
}

/* The deadline passes when whoever is to hang does. The time that the others have to answer passes when they have: how
 * fast the host runs their threads must not matter. */
static void pass_time(struct thread_machine *machine)
{
    struct workers *ws = &machine->workers;
    bool abandoned = ws->run && __atomic_load_n(&ws->run->abandoned, __ATOMIC_ACQUIRE);

    for (uint32_t i = 1; i < machine->n; i++) {
        const struct thread_cpu *c = &machine->cpus[i];
        bool hangs = atomic_load(&c->gate);

        if (c->worker.claimed != ws->runs || (!abandoned && !hangs))
            continue;
        if (hangs ? !thread_is_at_gate(c) : __atomic_load_n(&c->worker.done, __ATOMIC_ACQUIRE) != ws->runs)
            return;
    }
    atomic_fetch_add(&machine->cpus[0].tsc, (abandoned ? 1001 : BUDGET_MS + 1) * machine->platform.tsc_hz / 1000);
}

static void begin_with_processor_2_hanging(uint32_t n)
{
    threads_begin(&m, n, hang_at_work);
    atomic_store(&m.cpus[2].gate, true);
    m.boot_pause = pass_time;
}

THREADS_TEST(deadline, gives_up_a_processor_that_does_not_answer_and_says_where_it_is)
{
    begin_with_processor_2_hanging(4);
    give_all((struct step[]){ step_wrmsr(1, 3), step_wrmsr(1, 4), step_wrmsr(1, 5) }, 3);
    steps[2][1] = step_work(NULL);
    cr_expect_eq(run(), ST_TIMEOUT);
    cr_expect_eq(tasks[2].status, ST_TIMEOUT);
    cr_expect_eq(tasks[2].at, 1);
    cr_expect_eq(steps[2][0].status, ST_OK);
    cr_expect(m.slots[2].flags & CPU_LOST);
    cr_expect_eq(m.n_lost, 1);
    cr_expect_str_eq(m.text, "cpu 2 (APIC 0x4): no answer after 100 ms, in step 2 of 3 (WORK)");
    for (uint32_t t = 0; t < 4; t++)
        cr_expect_eq(tasks[t].status, t == 2 ? ST_TIMEOUT : ST_OK);
}

THREADS_TEST(deadline, passes_for_the_others_without_costing_them)
{
    begin_with_processor_2_hanging(4);
    give_all((struct step[]){ step_work(NULL), step_barrier(), step_barrier(), step_work(NULL), step_spin(1),
                              step_wrmsr(1, 8) },
             6);
    cr_expect_eq(run(), ST_TIMEOUT);
    for (uint32_t t = 0; t < 4; t++) {
        cr_expect_eq(tasks[t].status, ST_TIMEOUT);
        cr_expect_eq(tasks[t].at, t == 2 ? 0 : 1);
        if (t == 2)
            continue;
        cr_expect_eq(steps[t][1].status, ST_TIMEOUT, "it waited for processor 2");
        cr_expect_eq(steps[t][3].status, ST_NOT_RUN, "no traffic after the deadline");
        cr_expect_eq(steps[t][4].status, ST_NOT_RUN);
        cr_expect_eq(steps[t][5].status, ST_OK, "registers are put back");
        cr_expect_eq(m.cpus[t].reg, 8);
        cr_expect_eq(m.slots[t].flags & CPU_LOST, 0);
    }
    cr_expect_eq(m.n_lost, 1);
}

THREADS_TEST(deadline, leaves_a_lost_processor_out_of_later_runs_and_their_barriers)
{
    begin_with_processor_2_hanging(4);
    give_all((struct step[]){ step_work(NULL), step_barrier() }, 2);
    cr_expect_eq(run(), ST_TIMEOUT);
    m.boot_pause = NULL;
    for (uint64_t round = 0; round < 30; round++) {
        if (round == 10) /* it comes back, arrives at the old barrier, and finishes its task, while the others work */
            atomic_store(&m.cpus[2].gate, false);
        give_all((struct step[]){ step_wrmsr(1, round), step_barrier(), step_barrier() }, 3);
        cr_assert_eq(run(), ST_LOST);
        for (uint32_t t = 0; t < 4; t++)
            cr_assert_eq(tasks[t].status, t == 2 ? ST_LOST : ST_OK);
    }
    cr_expect_eq(m.cpus[2].reg, 0);
    cr_expect_eq(m.cpus[3].reg, 29);
}

/* The caller's memory is gone when a lost processor comes back: ASan and TSan would see it touched. */
Test(deadline, keeps_a_lost_processor_away_from_its_callers_memory)
{
    struct step *own = calloc(3, sizeof *own);
    struct work *work = calloc(1, sizeof *work);
    struct task task = { .cpu = 2, .n_steps = 3, .steps = own };

    begin_with_processor_2_hanging(3);
    own[0] = own[1] = step_work(work);
    own[2] = step_rdmsr(1);
    cr_expect_eq(workers_run(&m.workers, &task, 1, BUDGET_MS), ST_TIMEOUT);
    free(own);
    free(work);
    threads_end(&m);
    cr_expect_eq(m.table[2]->done, m.workers.runs);
}

/* --- crashes ------------------------------------------------------------------------------------------------------ */

static enum status crash_at_cpuid(struct thread_cpu *c, struct step *s)
{
    if (s->op == STEP_CPUID)
        thread_crash(c);
    return threads_step(c, s);
}

Test(crash, costs_its_own_processor_and_releases_those_who_wait_for_it)
{
    threads_begin(&m, 5, crash_at_cpuid); /* no time passes: only the crash can end the wait at the barrier */
    give_all((struct step[]){ step_wrmsr(1, 2), step_wrmsr(1, 3), step_barrier(), step_wrmsr(1, 4) }, 4);
    steps[3][1] = (struct step){ .op = STEP_CPUID };
    give(0, (struct step[]){ step_wrmsr(1, 4) }, 1);
    cr_expect_eq(run(), ST_TIMEOUT);
    for (uint32_t t = 1; t < 5; t++) {
        cr_expect_eq(tasks[t].status, t == 3 ? ST_LOST : ST_TIMEOUT);
        cr_expect_eq(tasks[t].at, t == 3 ? 1 : 2);
        cr_expect_eq(m.cpus[t].reg, t == 3 ? 2 : 4);
    }
    cr_expect_eq(steps[3][0].status, ST_OK);
    cr_expect(m.slots[3].flags & CPU_LOST);
    cr_expect_eq(m.n_exceptions, 1);
    cr_expect_eq(m.n_lost, 0);
    cr_expect_str_eq(m.text, "cpu 3 (APIC 0x6), in step 2 of 4 (CPUID): exception on thread 3");
    threads_end(&m);
    cr_expect_eq(worker_state(m.table[3]), WORKER_LEFT, "it still leaves in good order");
    cr_expect_eq(m.cpus[3].forced, 0);
}

THREADS_TEST(crash, does_not_keep_the_others_from_later_runs)
{
    threads_begin(&m, 4, crash_at_cpuid);
    give_all((struct step[]){ step_barrier() }, 1);
    give(0, NULL, 0);
    steps[1][0] = (struct step){ .op = STEP_CPUID };
    cr_expect_eq(run(), ST_LOST);
    for (int round = 0; round < 20; round++) {
        give_all((struct step[]){ step_barrier(), step_wrmsr(1, 6) }, 2);
        cr_assert_eq(run(), ST_LOST);
        for (uint32_t t = 0; t < 4; t++)
            cr_assert_eq(tasks[t].status, t == 1 ? ST_LOST : ST_OK);
    }
}

/* The boot processor's own, when the others wait for it at a barrier; processor 2 is at its gate, if that is closed. */
static jmp_buf broken_off;
static uint32_t waiting;

static enum status crash_of_the_boot_processor(struct thread_cpu *c, struct step *s)
{
    if (s->op == STEP_WORK)
        thread_gate_wait(c);
    if (c->worker.cpu != 0 || s->op != STEP_CPUID)
        return threads_step(c, s);
    while (__atomic_load_n(&m.workers.run->barriers[0].arrived, __ATOMIC_ACQUIRE) < waiting ||
           atomic_load(&m.cpus[2].gate) != thread_is_at_gate(&m.cpus[2]))
        sched_yield();
    longjmp(broken_off, 1);
}

static void break_off(bool one_hangs)
{
    threads_begin(&m, 4, crash_of_the_boot_processor);
    atomic_store(&m.cpus[2].gate, one_hangs);
    m.boot_pause = one_hangs ? pass_time : NULL;
    waiting = one_hangs ? 2 : 3;
    give_all((struct step[]){ step_work(NULL), step_barrier(), step_wrmsr(1, 5) }, 3);
    give(0, (struct step[]){ { .op = STEP_CPUID }, step_barrier() }, 2);
    if (setjmp(broken_off) == 0)
        (void)run();
    workers_call_off(&m.workers);
    m.boot_pause = NULL;
}

THREADS_TEST(workers_call_off, has_every_processor_take_tasks_again)
{
    break_off(false);
    for (uint32_t t = 1; t < 4; t++)
        cr_expect_eq(m.cpus[t].reg, 5, "what is called off still puts registers back");
    give_all((struct step[]){ step_barrier(), step_wrmsr(1, 6) }, 2);
    cr_expect_eq(run(), ST_OK);
    for (uint32_t t = 0; t < 4; t++)
        cr_expect_eq(m.cpus[t].reg, 6);
}

THREADS_TEST(workers_call_off, leaves_out_a_processor_that_does_not_answer)
{
    break_off(true);
    cr_expect(m.slots[2].flags & CPU_LOST);
    give_all((struct step[]){ step_barrier(), step_wrmsr(1, 6) }, 2);
    cr_expect_eq(run(), ST_LOST);
    for (uint32_t t = 0; t < 4; t++)
        cr_expect_eq(tasks[t].status, t == 2 ? ST_LOST : ST_OK);
}
