/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rates of settings on a machine whose speed varies: in which order they are measured, and what the spread says. */
#include "core/experiment/rates.h"

#include <criterion/criterion.h>

#define MOST 0.25

/* Setting i has a rate of 100 / (i + 1), times what the speed of the machine is at that moment. */
struct machine_speed {
    uint32_t calls, order[RATES_SETTINGS * RATES_ROUNDS];
    double (*speed)(uint32_t call);
    enum status st;
};

static enum status measure_one(void *context, uint32_t setting, double *rate)
{
    struct machine_speed *m = context;

    *rate = 100.0 / (setting + 1) * m->speed(m->calls);
    m->order[m->calls++] = setting;
    return m->st;
}

static struct rates rates_of(struct machine_speed *m, uint32_t n)
{
    struct rates r;

    cr_assert_eq(rates_measure(&r, n, MOST, measure_one, m), ST_OK);
    return r;
}

static double steady(uint32_t)
{
    return 1;
}

Test(rates, of_a_steady_machine_take_five_rounds)
{
    struct machine_speed m = { .speed = steady };
    struct rates r = rates_of(&m, 4);

    cr_expect_eq(r.rounds, 5);
    cr_expect_eq(m.calls, 20);
    cr_expect_float_eq(r.spread, 0, 1e-12);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_float_eq(r.median[i], 100.0 / (i + 1), 1e-9);
}

Test(rates, ascend_in_one_round_and_descend_in_the_next)
{
    static const uint32_t wanted[] = { 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2 };
    struct machine_speed m = { .speed = steady };
    struct rates r = rates_of(&m, 3);

    cr_assert_eq(m.calls, 15);
    for (uint32_t i = 0; i < 15; i++)
        cr_expect_eq(m.order[i], wanted[i], "call %u", i);
    cr_expect_eq(r.rounds, 5);
}

/* 1 % slower with each call: 20 % from first to last, and no setting is preferred by its place. */
static double slower(uint32_t call)
{
    return 1 - 0.01 * call;
}

Test(rates, of_a_machine_that_slows_down_keep_their_proportions)
{
    struct machine_speed m = { .speed = slower };
    struct rates r = rates_of(&m, 4);

    for (uint32_t i = 1; i < 4; i++)
        cr_expect_float_eq(r.median[i] / r.median[0], 1.0 / (i + 1), 0.05 / (i + 1), "setting %u", i);
    cr_expect_gt(r.spread, 0.15);
}

/* One measurement of the first five rounds takes ten times as long. */
static double once_disturbed(uint32_t call)
{
    return call == 7 ? 0.1 : 1;
}

Test(rates, with_one_outlier_are_measured_again_and_it_counts_no_more)
{
    struct machine_speed m = { .speed = once_disturbed };
    struct rates r = rates_of(&m, 4);

    cr_expect_eq(r.rounds, RATES_ROUNDS);
    cr_expect_float_eq(r.spread, 0, 1e-12);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_float_eq(r.median[i], 100.0 / (i + 1), 1e-9);
}

/* As beside other work on the host: every other or third one is measured at half the speed. */
static double busy(uint32_t call)
{
    return call * 7 % 5 < 2 ? 0.5 : 1;
}

Test(rates, of_a_busy_machine_have_a_spread_that_says_so)
{
    struct machine_speed m = { .speed = busy };
    struct rates r = rates_of(&m, 4);

    cr_expect_eq(r.rounds, RATES_ROUNDS);
    cr_expect_gt(r.spread, MOST);
}

Test(rates, that_cannot_be_measured_are_refused)
{
    struct machine_speed m = { .speed = steady, .st = ST_TIMEOUT };
    struct rates r;

    cr_expect_eq(rates_measure(&r, 2, MOST, measure_one, &m), ST_TIMEOUT);
    cr_expect_eq(m.calls, 1);
    cr_expect_eq(rates_measure(&r, 0, MOST, measure_one, &m), ST_RANGE);
    cr_expect_eq(rates_measure(&r, RATES_SETTINGS + 1, MOST, measure_one, &m), ST_RANGE);
    r = (struct rates){ .n = 1, .rounds = 5, .rate = { { 1, 1, 0, 1, 1 } } };
    cr_expect_eq(rates_summarize(&r), ST_RANGE);
    r.rounds = 4;
    cr_expect_eq(rates_summarize(&r), ST_RANGE);
}
