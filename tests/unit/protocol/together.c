/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* qm.together: who selects and reads, and what it makes of counts that decrease. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID                "qm.together"
#define CPUS              8u
#define EIGHT_OF(profile) MODEL(profile, 2, 2, 2, .seed = 5) /* two packages of two cores with two threads */

static uint32_t selections[CPUS];

static void count_selections(struct interposer *, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL && s->value != 0)
        selections[cpu]++;
}

static void expect_all_selected(const char *profile)
{
    expect(VERDICT_PASS, ID, EIGHT_OF(profile), .after = count_selections);
    for (uint32_t i = 0; i < CPUS; i++) {
        cr_expect_geq(selections[i], 64, "cpu %u", i);
        cr_expect_eq(selections[i], selections[i % 4 ? 1 : 0], "cpu %u", i); /* 0 and 4 read each RMID before, too */
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
static void read_less_on_cpu_3(struct interposer *, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && cpu == 3)
        s->value = (s->value - 1000) & BITS(23, 0);
}

EXPECT_TEST(together, bandwidth_that_decreases_from_one_processor_to_the_next_is_a_fail, VERDICT_FAIL, ID,
            EIGHT_OF("bdx"), .after = read_less_on_cpu_3, .finding = "was 0x");

/* Of each RMID that it reads while others do, as cpu 4 by itself does not. */
static void read_more_on_cpu_5(struct interposer *, uint32_t cpu, struct step *s)
{
    static bool occupancy;

    if (cpu != 5)
        return;
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL)
        occupancy = field_get(IA32_QM_EVTSEL_EVTID, s->value) == QM_EVENT_L3_OCCUPANCY;
    else if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && occupancy)
        s->value += 1000;
}

EXPECT_TEST(together, occupancy_that_only_concurrent_reads_show_is_a_fail, VERDICT_FAIL, ID, EIGHT_OF("bdx"),
            .after = read_more_on_cpu_5, .finding = "cpu 5 reads occupancy");

/* As where the pair is shared without the lock: another selection is there when it is read. */
static void lose_the_selection(struct interposer *, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_EVTSEL && cpu == 5)
        s->value ^= BIT(32);
}

EXPECT_TEST(together, a_selection_that_does_not_stay_is_a_fail, VERDICT_FAIL, ID, EIGHT_OF("bdx"),
            .after = lose_the_selection, .finding = "cpu 5");

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

static void be_busy_once(struct model_run *r)
{
    r->interposer.ops.run = run_busy;
    busy_runs = 1;
}

static void be_busy(struct model_run *r)
{
    r->interposer.ops.run = run_busy;
    busy_runs = UINT32_MAX;
}

Test(together, processors_that_others_keep_busy_are_asked_again_and_then_left)
{
    expect(VERDICT_PASS, ID, EIGHT_OF("bdx"), .change = be_busy_once);
    expect(VERDICT_SKIP, ID, EIGHT_OF("bdx"), .change = be_busy);
}
