/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What several coroutines ask of the machine goes to it together. */
#include "core/engine/coroutine.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/platform/script.h"
#include "tests/support/machine/fake_platform.h"

#define REG  0xC8Eu
#define SMIS 0x34u
#define RUNS 64u
#define MS   UINT64_C(1000000)
#define MOST 4u

static struct fake fake;
static struct platform_ops ops;
static enum status (*fake_run)(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);
static uint32_t n_runs, n_stalls, tasks_of[RUNS];
static uint64_t budget_of[RUNS], stalled_ns;
static bool has_work[RUNS];

static enum status counted_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    cr_assert_lt(n_runs, RUNS);
    tasks_of[n_runs] = n_tasks;
    budget_of[n_runs] = budget_ms;
    for (uint32_t t = 0; t < n_tasks; t++)
        for (uint32_t s = 0; s < tasks[t].n_steps; s++)
            has_work[n_runs] |= tasks[t].steps[s].op == STEP_WORK;
    n_runs++;
    return fake_run(machine, tasks, n_tasks, budget_ms);
}

static void counted_stall(void *, uint64_t ns)
{
    n_stalls++;
    stalled_ns += ns;
    fake.tsc += ns;
}

static void set_up(void)
{
    fake_init(&fake, MOST);
    fake_msr(&fake, REG, 0);
    fake_msr(&fake, SMIS, 7);
    for (uint32_t i = 0; i < MOST; i++)
        fake.msrs[0].value[i] = 100 + i;
    ops = *fake.platform.ops;
    fake_run = ops.run;
    ops.run = counted_run;
    ops.stall = counted_stall;
    fake.platform.ops = &ops;
}

TestSuite(coroutine, .init = set_up);

static bool again[MOST];
static uint64_t seen[MOST];
static enum status became[MOST];

static void run_coroutines(uint32_t n, void (*body)(void *context, uint32_t which))
{
    const struct coroutines_call call = { .n = n, .body = body, .again = again };

    cr_assert_eq(coroutines_run(&fake.platform, &call), ST_OK);
    cr_expect_null(fake.platform.gather, "later requests go to the machine by themselves");
}

static void read_own(void *, uint32_t which)
{
    became[which] = msr_read(&fake.platform, which, REG, &seen[which]);
}

Test(coroutine, requests_of_all_are_one_run_and_each_gets_its_answer)
{
    run_coroutines(MOST, read_own);
    cr_expect_eq(n_runs, 1);
    cr_expect_eq(tasks_of[0], MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        cr_expect_eq(became[i], ST_OK);
        cr_expect_eq(seen[i], 100 + i);
    }
}

static void read_common(void *, uint32_t which)
{
    struct step own[] = { step_rdmsr(REG) }, common[] = { step_rdmsr(REG), step_rdmsr(SMIS) };
    struct task tasks[] = { { .cpu = which, .n_steps = 1, .steps = own }, { .cpu = 0, .n_steps = 2, .steps = common } };

    became[which] = platform_run(&fake.platform, which ? tasks : &tasks[1], which ? 2 : 1, 10);
    seen[which] = 1000 * own[0].value + common[1].value;
    cr_expect_eq(common[0].value, 100);
}

Test(coroutine, a_processor_that_all_read_is_read_in_one_run)
{
    run_coroutines(MOST, read_common);
    cr_expect_eq(n_runs, 1);
    cr_expect_eq(tasks_of[0], MOST);
    for (uint32_t i = 1; i < MOST; i++) {
        cr_expect_eq(became[i], ST_OK);
        cr_expect_eq(seen[i], 1000 * (100 + i) + 7);
    }
}

/* As IA32_QM_EVTSEL and IA32_QM_CTR of one processor: nobody comes in between. */
static void write_and_read_common(void *, uint32_t which)
{
    struct step steps[] = { step_wrmsr(REG, 50 + which), step_rdmsr(REG) };
    struct task task = { .cpu = 0, .n_steps = 2, .steps = steps };

    became[which] = platform_run(&fake.platform, &task, 1, 10);
    seen[which] = steps[1].value;
}

Test(coroutine, writes_to_one_processor_are_runs_of_their_own)
{
    run_coroutines(3, write_and_read_common);
    cr_expect_eq(n_runs, 3);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(seen[i], 50 + i);
}

/* Coroutine k reads k registers before its load. */
static void read_then_load(void *, uint32_t which)
{
    struct work work = { .kind = WORK_READ, .passes = 1, .base = 4096, .bytes = 4096 };
    struct step step = step_work(&work);
    struct task task = { .cpu = which, .n_steps = 1, .steps = &step };

    for (uint32_t i = 0; i < which; i++)
        read_own(NULL, which);
    became[which] = platform_run(&fake.platform, &task, 1, 10 + which);
    seen[which] = work.moved_bytes;
}

Test(coroutine, loads_begin_when_every_strand_has_come_to_its_own)
{
    run_coroutines(3, read_then_load);
    cr_expect_eq(n_runs, 3);
    for (uint32_t i = 0; i < n_runs; i++)
        cr_expect_eq(has_work[i], i == 2);
    cr_expect_eq(tasks_of[2], 3);
    cr_expect_eq(budget_of[2], 12, "no processor has less time than it was given");
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(seen[i], 4096);
}

static void wait_a_while(void *, uint32_t which)
{
    platform_stall(&fake.platform, (1 + which) * MS);
    seen[which] = fake.tsc;
}

Test(coroutine, waits_pass_together)
{
    uint64_t begin = fake.tsc;

    run_coroutines(3, wait_a_while);
    cr_expect_eq(n_stalls, 3);
    cr_expect_lt(stalled_ns, 4 * MS, "the longest, and not their sum");
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_geq(seen[i] - begin, (1 + i) * MS, "no wait is shorter than it was asked to be");
}

static void hang_one(void *, uint32_t which)
{
    fake.hangs[1] = true;
    read_own(NULL, which);
}

Test(coroutine, who_waited_for_another_ones_lost_processor_is_told)
{
    run_coroutines(3, hang_one);
    cr_expect_eq(became[1], ST_TIMEOUT);
    cr_expect_not(again[1], "its own processor was lost");
    cr_expect(again[0] && again[2]);
    cr_expect_eq(became[0], ST_OK);
    cr_expect_eq(seen[2], 102);
}

Test(coroutine, none_is_told_where_all_answer)
{
    memset(again, 1, sizeof again);
    run_coroutines(3, read_then_load);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_not(again[i]);
}
