/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* TSCs that differ between packages or between processors, and barriers that take long. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

struct offset {
    uint32_t first_cpu, last_cpu;
    int64_t clocks;
};

static void move_tsc(struct interposer *i, uint32_t cpu, struct step *s)
{
    const struct offset *o = i->context;

    if (cpu >= o->first_cpu && cpu <= o->last_cpu)
        s->tsc += (uint64_t)o->clocks;
}

static void expect_offset(struct offset o, enum verdict verdict, const char *finding)
{
    expect(verdict, "cross.tsc", ON("spr", 2), .after = move_tsc, .context = &o, .finding = finding);
}

Test(tsc, a_package_that_is_behind_or_ahead_is_named)
{
    expect_offset((struct offset){ 2, 3, -10000000 }, VERDICT_WARN, "package 1: its TSCs are");
    expect_offset((struct offset){ 2, 3, -10000000 }, VERDICT_WARN, "clocks behind that of the boot processor (cpu 0)");
    expect_offset((struct offset){ 2, 3, 10000000 }, VERDICT_WARN,
                  "clocks ahead of that of the boot processor (cpu 0)");
}

Test(tsc, a_processor_that_differs_from_its_package_is_named)
{
    expect_offset((struct offset){ 3, 3, 10000000 }, VERDICT_WARN, "ahead of cpu 2's");
    expect_offset((struct offset){ 2, 2, -10000000 }, VERDICT_WARN, "cpu 3's is");
}

/* One of the two processors is held up after each third barrier, as by an SMI, and the next one waits for it. */
static enum status hold_up(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    struct interposer *i = machine;
    enum status st = i->real->run(i->real_machine, tasks, n, budget_ms);
    uint64_t held = 0;

    for (uint32_t k = 0; n == 2 && k < tasks[0].n_steps; k++) {
        uint64_t now = k % 3 == 0 ? 200000 : 0;

        tasks[k & 1].steps[k].tsc += held + now;
        tasks[!(k & 1)].steps[k].tsc += held;
        held += now;
    }
    return st;
}

static void hold_processors_up(struct model_run *r)
{
    r->interposer.ops.run = hold_up;
}

EXPECT_TEST(tsc, processors_that_are_held_up_pass, VERDICT_PASS, "cross.tsc", ON("spr", 2),
            .change = hold_processors_up);

static void lose_second_package(struct model_run *r)
{
    r->mp->platform.cpus[2].flags |= CPU_LOST;
    r->mp->platform.cpus[3].flags |= CPU_LOST;
}

/* Before the check's own work: the engine's count of SMIs, for example, met a processor that does not answer. */
EXPECT_TEST(tsc, a_package_without_a_processor_left_is_an_error, VERDICT_ERROR, "cross.tsc", ON("spr", 2),
            .change = lose_second_package, .finding = "cpu 3");
