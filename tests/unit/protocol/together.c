/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* qm.together: who selects and reads, and what it makes of counts that decrease. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "tests/support/interposer.h"
#include "tests/support/whole_run.h"

#define CPUS 8u /* two packages of two cores with two threads */

static struct interposer between;
static uint32_t selections[CPUS];
static void (*watcher)(struct interposer *i, uint32_t cpu, struct step *s);

static void watch(struct model_platform *mp)
{
    interposer_install(&between, &mp->platform);
    between.after = watcher;
}

static struct whole_result together_on(const char *profile, void (*after)(struct interposer *, uint32_t, struct step *))
{
    struct model_config config = MODEL(profile, 2, 2, 2, .seed = 5);
    struct whole_run w = { .tests = { "qm.together" }, .before = watch };
    struct whole_result r;

    watcher = after;
    cr_assert(whole_run(&config, &w));
    r = w.checks[0];
    whole_run_free(&w);
    return r;
}

static void count_selections(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i;
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL && s->value != 0)
        selections[cpu]++;
}

static void expect_all_selected(const char *profile)
{
    struct whole_result r = together_on(profile, count_selections);

    cr_expect_eq(r.verdict, VERDICT_PASS, "%s: %s", profile, r.reason);
    for (uint32_t i = 0; i < CPUS; i++) {
        cr_expect_geq(selections[i], 64, "cpu %u", i);
        cr_expect_eq(selections[i], selections[0], "cpu %u", i);
    }
}

Test(together, every_processor_of_an_l3_selects_in_turn)
{
    expect_all_selected("bdx");
}

Test(together, every_processor_selects_where_each_has_its_own_pair)
{
    expect_all_selected("zen5");
}

/* Processors of one L3 have one count of an RMID: one of them reads less than the others have read. */
static void read_less_on_cpu_3(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i;
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && cpu == 3)
        s->value = (s->value - 1000) & BITS(23, 0);
}

Test(together, bandwidth_that_decreases_from_one_processor_to_the_next_is_a_fail)
{
    struct whole_result r = together_on("bdx", read_less_on_cpu_3);

    cr_expect_eq(r.verdict, VERDICT_FAIL);
    cr_expect(strstr(r.reason, "was 0x"), "%s", r.reason);
}

/* As where the pair is shared without the lock: another selection is there when it is read. */
static void lose_the_selection(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i;
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_EVTSEL && cpu == 5)
        s->value ^= BIT(32);
}

Test(together, a_selection_that_does_not_stay_is_a_fail)
{
    struct whole_result r = together_on("bdx", lose_the_selection);

    cr_expect_eq(r.verdict, VERDICT_FAIL);
    cr_expect(strstr(r.reason, "cpu 5"), "%s", r.reason);
}

static uint32_t busy_runs; /* of all processors, that are given up */

static enum status run_busy(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    struct interposer *i = machine;

    if (n < CPUS || tasks[0].n_steps < 4 || tasks[0].steps[0].op != STEP_BARRIER || busy_runs == 0)
        return i->real->run(i->real_machine, tasks, n, budget_ms);
    busy_runs--;
    for (uint32_t k = 0; k < n; k++)
        tasks[k].status = ST_TIMEOUT;
    return ST_TIMEOUT;
}

static void be_busy(struct model_platform *mp)
{
    interposer_install(&between, &mp->platform);
    between.ops.run = run_busy;
}

static struct whole_result together_while_busy(uint32_t runs)
{
    struct model_config config = MODEL("bdx", 2, 2, 2, .seed = 5);
    struct whole_run w = { .tests = { "qm.together" }, .before = be_busy };
    struct whole_result r;

    busy_runs = runs;
    cr_assert(whole_run(&config, &w));
    r = w.checks[0];
    whole_run_free(&w);
    return r;
}

Test(together, processors_that_others_keep_busy_are_asked_again_and_then_left)
{
    struct whole_result once = together_while_busy(1), always = together_while_busy(UINT32_MAX);

    cr_expect_eq(once.verdict, VERDICT_PASS, "%s", once.reason);
    cr_expect_eq(always.verdict, VERDICT_SKIP, "%s: %s", verdict_text(always.verdict), always.reason);
}
