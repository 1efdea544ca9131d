/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/pmon_bench.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct bench bench_of(const char *profile, uint32_t packages, const char *tests)
{
    struct model_config config = { .profile = profile, .packages = packages, .cores = 2, .threads = 1, .seed = 5 };
    struct bench b = { .mp = model_platform_new(&config, 0),
                       .machine = calloc(1, sizeof *b.machine),
                       .run = calloc(1, sizeof *b.run) };

    cr_assert(b.mp);
    cr_assert_eq(ledger_init(&b.mp->platform, &b.ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&b.mp->platform, b.machine), ST_OK);
    ledger_free(&b.ledger);
    b.run->mp = b.mp;
    b.run->tests[0] = tests;
    return b;
}

const struct whole_result *run_one(struct bench *b, const char *id)
{
    const struct whole_result *r;

    whole_run_on(&b->mp->platform, b->machine, b->run);
    r = whole_run_find(b->run, id);
    cr_assert(r, "%s did not run", id);
    return r;
}

void bench_free(struct bench *b)
{
    machine_free(b->machine);
    free(b->machine);
    whole_run_free(b->run);
    free(b->run);
}

bool says(const struct bench *b, const char *words)
{
    return strstr(b->run->text, words) != NULL;
}

/* --- a register that answers as told ------------------------------------------------------------------------------ */

const struct platform_ops *real_ops;
uint32_t told_msr;
uint64_t told_value;

enum status tell(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value = told_value;
    return st;
}

/* A bit that is stuck at 1 in a register that is written. */
enum status stick(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value |= told_value;
    return real_ops->run(machine, tasks, n, budget_ms);
}

/* A bit that is stuck at 0. */
enum status lose(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value &= ~told_value;
    return real_ops->run(machine, tasks, n, budget_ms);
}

const struct whole_result *run_hooked(struct bench *b, const char *id, run_hook hook, uint32_t msr, uint64_t value)
{
    static struct platform_ops ops;

    real_ops = b->mp->platform.ops;
    ops = *real_ops;
    ops.run = hook;
    told_msr = msr;
    told_value = value;
    b->mp->platform.ops = &ops;
    return run_one(b, id);
}

/* Only these bits of the register are there. */
enum status narrow(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value &= told_value;
    return st;
}
