/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Counters without a box control, which are started and stopped one after another, on a machine that does not wait for
 * them: another processor reads memory between any two accesses, and windows differ in length. Such a machine is sound. */
#include <criterion/criterion.h>

#include "tests/silicon/profiles/profile.h"
#include "tests/support/run/model_run.h"

struct neighbour {
    struct model_run *run;
    uint32_t lines;     /* read from memory between two steps of a processor */
    uint64_t longer_ns; /* a window lasts longer by 0 to 3 times as much      */
    uint32_t runs;
    uint64_t read;
};

/* Fresh lines of each node, at its end. */
static void read_lines(struct neighbour *d)
{
    const struct machine *m = d->run->machine;

    for (uint32_t i = 0; i < m->n_ranges; i++)
        for (uint32_t line = 0; line < d->lines; line++)
            model_access(d->run->mp->model, m->n_cpus - 1,
                         m->ranges[i].base + m->ranges[i].bytes - 64 * (1 + (d->read + line) % (1 << 20)), 8,
                         MODEL_LOAD);
    d->read += d->lines;
}

/* Step by step: what happens between two steps of a task the model does not show otherwise. */
static enum status run_apart(struct interposer *i, struct task *task, uint64_t budget_ms)
{
    struct neighbour *d = i->context;
    enum status st = ST_OK;

    for (uint32_t k = 0; k < task->n_steps; k++) {
        struct task one = { .cpu = task->cpu, .n_steps = 1, .steps = &task->steps[k] };

        st = status_first(st, i->real->run(i->real_machine, &one, 1, budget_ms));
        st = status_first(st, one.status);
        read_lines(d);
    }
    task->status = st;
    return st;
}

static enum status run_tasks(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    struct interposer *i = machine;
    struct neighbour *d = i->context;
    enum status st = ST_OK;

    if (tasks[0].steps[0].op == STEP_WORK) {
        i->real->stall(i->real_machine, d->longer_ns * (d->runs++ % 4));
        return i->real->run(i->real_machine, tasks, n, budget_ms);
    }
    for (uint32_t k = 0; k < n; k++)
        st = status_first(st, run_apart(i, &tasks[k], budget_ms));
    return st;
}

static void disturb(struct model_run *r)
{
    ((struct neighbour *)r->interposer.context)->run = r;
    r->interposer.ops.run = run_tasks;
}

static void expect_disturbed(const char *profile, const char *id, uint32_t lines, uint64_t longer_ns)
{
    struct neighbour d = { .lines = lines, .longer_ns = longer_ns };

    expect(VERDICT_PASS, id, ON(profile, profile_packages(profile_by_name(profile), 2)), .change = disturb,
           .context = &d);
    cr_expect_gt(d.read + d.runs, 0);
}

Test(started_apart, windows_of_different_length_fail_no_counter)
{
    expect_disturbed("zen5", "pmon.gate", 0, 200000);
    expect_disturbed("zen3", "pmon.gate", 0, 200000);
    expect_disturbed("cfl", "pmon.gate", 0, 200000);
    expect_disturbed("cfl", "pmon.compare-load", 0, 200000);
    expect_disturbed("nhm", "pmon.compare-load", 0, 200000);
}

Test(started_apart, counters_may_differ_by_what_another_processor_reads)
{
    expect_disturbed("zen5", "pmon.gate", 1, 0);
    expect_disturbed("zen3", "pmon.gate", 1, 0);
    expect_disturbed("cfl", "pmon.gate", 1, 0);
    expect_disturbed("cfl", "pmon.compare-load", 1, 0);
    expect_disturbed("nhm", "pmon.compare-load", 1, 0);
    expect_disturbed("zen5", "traffic.channels", 1, 0);
    expect_disturbed("zen3", "traffic.channels", 1, 0);
}
