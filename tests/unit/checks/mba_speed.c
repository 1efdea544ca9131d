/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBA on a machine whose speed varies while it is checked: power limits, other agents on the memory, a host that others use.
 * Such a machine is sound, and what cannot be told from its rates is not judged. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "tests/support/model_run.h"

#define DEAD_DELAY 50u /* acts as none where delay_dead is set */

struct speed {
    double (*longer)(uint32_t stream); /* a stream takes so many times as long */
    bool delay_dead;
    uint32_t streams;
    bool swallowed; /* the last write of a delay */
};

static bool is_delay(const struct step *s)
{
    return s->reg == IA32_L2_QoS_Ext_BW_Thrtl(1);
}

static void before(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct speed *speed = i->context;

    (void)cpu;
    if (s->op != STEP_WRMSR || !is_delay(s) || !speed->delay_dead)
        return;
    speed->swallowed = s->value == DEAD_DELAY;
    s->value = speed->swallowed ? 0 : s->value;
}

static void after(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct speed *speed = i->context;

    (void)cpu;
    if (s->op == STEP_RDMSR && is_delay(s) && speed->swallowed)
        s->value = DEAD_DELAY;
    if (s->op != STEP_WORK || s->work->kind != WORK_READ)
        return;
    s->work->tsc_end +=
        (uint64_t)((double)(s->work->tsc_end - s->work->tsc_begin) * (speed->longer(speed->streams) - 1));
    speed->streams++;
}

static enum verdict verdict_of(const char *id, struct speed speed, const char *words)
{
    struct model_run *r = model_run_new("spr", 1, id);
    const struct whole_result *result;
    enum verdict v;

    r->interposer.context = &speed;
    r->interposer.before = before;
    r->interposer.after = after;
    result = model_run_check(r, id);
    v = result->verdict;
    cr_expect(model_run_says(r, words), "\"%s\" is not said: %s", words, result->reason);
    model_run_free(r);
    return v;
}

static double little(uint32_t stream)
{
    return 1 + 0.01 * (stream * 7 % 5);
}

/* A fifth of the streams takes twice as long. */
static double now_and_then(uint32_t stream)
{
    return stream % 5 == 3 ? 2 : 1;
}

/* Spells of eight streams at half the speed. */
static double in_spells(uint32_t stream)
{
    return stream / 8 % 2 ? 2 : 1;
}

Test(mba_speed, that_varies_little_leaves_the_rule_decided)
{
    cr_expect_eq(verdict_of("mba.rate", (struct speed){ .longer = little }, "mba.rate"), VERDICT_PASS);
    cr_expect_eq(verdict_of("mba.bystander", (struct speed){ .longer = little }, "mba.bystander"), VERDICT_PASS);
    cr_expect_eq(verdict_of("mba.rate", (struct speed){ .longer = little, .delay_dead = true }, "delay value 50 gives"),
                 VERDICT_FAIL);
}

Test(mba_speed, that_falls_now_and_then_fails_nothing)
{
    cr_expect_neq(verdict_of("mba.rate", (struct speed){ .longer = now_and_then }, "mba.rate"), VERDICT_FAIL);
    cr_expect_neq(verdict_of("mba.bystander", (struct speed){ .longer = now_and_then }, "mba.bystander"), VERDICT_WARN);
}

Test(mba_speed, that_changes_in_spells_leaves_the_rule_undecided)
{
    cr_expect_eq(verdict_of("mba.rate", (struct speed){ .longer = in_spells }, "not judged"), VERDICT_SKIP);
}
