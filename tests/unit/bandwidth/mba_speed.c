/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBA on a machine whose speed varies while it is checked: power limits, other agents on the memory, a host that others use.
 * Such a machine is sound, and what its rates cannot show is not judged. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/bandwidth/mba_stream.h"
#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

#define EVERY_DELAY UINT64_MAX
#define PIECES      17u /* reads of a stream: a page, and 16 pieces */

struct speed {
    double (*longer)(uint32_t stream); /* a stream takes so many times as long; NULL: once */
    uint64_t dead, acts_as;            /* this delay acts as that one; 0: none is changed */
    uint64_t reads, reads_as;          /* this one is read back as that one */
    double cached;                     /* the loop over lines in the L1 takes so many times as long; 0: once */
    uint32_t late;                     /* of the pieces of a stream so many are ten times as fast */
    uint32_t pieces;
    uint64_t written;        /* the last delay, where it was changed on its way; else 0 */
    uint32_t spared, writes; /* of so many writes of the dead delay the first acts as itself; 0: none */
};

static bool is_delay(const struct step *s)
{
    return s->reg == IA32_L2_QoS_Ext_BW_Thrtl(1);
}

static void before(struct interposer *i, uint32_t, struct step *s)
{
    struct speed *speed = i->context;

    if (s->op != STEP_WRMSR || !is_delay(s) || !speed->dead)
        return;
    speed->written = speed->dead == EVERY_DELAY || speed->dead == s->value ? s->value : 0;
    if (speed->written && speed->spared && speed->writes++ % speed->spared == 0)
        speed->written = 0;
    s->value = speed->written ? speed->acts_as : s->value;
}

static double times_as_long(struct speed *speed, const struct work *w)
{
    uint32_t piece = speed->pieces;

    if (w->passes > 1)
        return speed->cached > 0 ? speed->cached : 1;
    speed->pieces++;
    return (speed->longer ? speed->longer(piece / PIECES) : 1) * (piece % PIECES < speed->late ? 0.1 : 1);
}

static void after(struct interposer *i, uint32_t, struct step *s)
{
    struct speed *speed = i->context;

    if (s->op == STEP_RDMSR && is_delay(s) && speed->written)
        s->value = speed->written;
    if (s->op == STEP_RDMSR && is_delay(s) && speed->reads && s->value == speed->reads)
        s->value = speed->reads_as;
    if (s->op == STEP_WORK && s->work->kind == WORK_READ)
        s->work->tsc_end = s->work->tsc_begin +
                           (uint64_t)((double)(s->work->tsc_end - s->work->tsc_begin) * times_as_long(speed, s->work));
}

/* report: words of it; NULL: any. */
#define expect_at(verdict_, id_, report_, ...)                                                                         \
    expect(verdict_, id_, ON("spr"), .before = before, .after = after, .context = &(struct speed){ __VA_ARGS__ },      \
           .report = report_)

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
    expect_at(VERDICT_PASS, "mba.rate", NULL, .longer = little);
    expect_at(VERDICT_PASS, "mba.bystander", NULL, .longer = little);
    expect_at(VERDICT_FAIL, "mba.rate", "delay value 50 gives", .longer = little, .dead = 50);
}

Test(mba_speed, that_falls_now_and_then_fails_nothing)
{
    expect_at(VERDICT_SKIP, "mba.rate", "not judged", .longer = now_and_then);
    expect_at(VERDICT_SKIP, "mba.bystander", "not judged", .longer = now_and_then);
}

Test(mba_speed, that_changes_in_spells_leaves_the_rule_undecided)
{
    expect_at(VERDICT_SKIP, "mba.rate", "not judged", .longer = in_spells);
}

Test(mba_speed, that_no_delay_changes_fails_where_the_stream_waits_for_memory)
{
    expect_at(VERDICT_FAIL, "mba.rate", "has no effect", .dead = EVERY_DELAY);
    expect_at(VERDICT_WARN, "mba.rate", "not bound by memory", .dead = EVERY_DELAY, .cached = 30);
}

/* The rate without delay stays. */
Test(mba_speed, that_the_largest_delay_changes_in_some_rounds_alone_is_a_finding)
{
    expect_at(VERDICT_WARN, "mba.rate", "in some rounds", .dead = 90, .spared = 3);
}

Test(mba_speed, that_two_delays_share_is_no_defect)
{
    expect_at(VERDICT_PASS, "mba.rate", NULL, .dead = 30, .acts_as = 20);
}

/* intel-cmt-cat issue 69: 30 reads 10. A value that is no step has lost a bit. */
Test(mba_speed, of_a_delay_that_reads_as_a_smaller_one_is_no_defect)
{
    expect_at(VERDICT_PASS, "mba.delays", NULL, .reads = 30, .reads_as = 10);
    expect_at(VERDICT_WARN, "mba.delays", NULL, .reads = 30, .reads_as = 28);
}

Test(mba_speed, of_the_first_pieces_is_dropped)
{
    expect_at(VERDICT_PASS, "mba.rate", NULL, .late = 1 + PIECES / 2);
}

Test(mba_speed, of_a_stream_is_the_median_of_its_second_half)
{
    double pieces[MBA_PIECES], rate = 0;
    bool settled = false;

    for (uint32_t i = 0; i < MBA_PIECES; i++)
        pieces[i] = i < MBA_PIECES / 2 ? 9 : i == MBA_PIECES - 1 ? 100 : 2;
    cr_expect_eq(mba_pieces_rate(pieces, &rate, &settled), ST_OK);
    cr_expect(settled);
    cr_expect_float_eq(rate, 2, 1e-9);
    for (uint32_t i = 0; i < MBA_PIECES / 4; i++)
        pieces[MBA_PIECES / 2 + i] = 4;
    cr_expect_eq(mba_pieces_rate(pieces, &rate, &settled), ST_OK);
    cr_expect_not(settled, "the third quarter is twice as fast as the last");
    pieces[MBA_PIECES - 1] = 0;
    cr_expect_eq(mba_pieces_rate(pieces, &rate, &settled), ST_RANGE);
}

/* Class 0 has a delay of its own, which acts like that of any other. */
EXPECT_TEST(mba_class_0, is_throttled_too, VERDICT_FAIL, "mba.rate",
            ON("clx", .cores = 4,
               .flaw = FLAW(.monitor = FLAW_MBA, .scope = FLAW_CLASS, .place = 0, .kind = FLAW_DEAD)));
