/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks that SMIs fall into, and what many rounds show. The tables here take the place of the real ones. */
#include "core/machine/disturb.h"

#include <criterion/criterion.h>

#include "arch/x86/cpu/msr_regs.h"
#include "tests/support/run/fake_rows.h"
#include "tests/support/run/report_fixture.h"

static struct report_fixture fx;
static struct fake_msr *smi;
static uint32_t calls, smis_in; /* runs of the check so far; how many of the first runs an SMI falls into */
static bool passes, beyond;     /* beyond: SMIs cannot explain what is wrong */

static enum status do_disturbed(struct check *c)
{
    calls++;
    if (calls <= smis_in)
        smi->value[0]++;
    check_measure(c, "figure", place_of("here"), calls, "bytes", -NO_BOUND, NO_BOUND);
    c->state->record.beyond_smis = beyond;
    if (calls <= smis_in && !passes)
        finding(c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "run %u is wrong", calls);
    return ST_OK;
}

static struct check_row rows[] = { FAKE_ROW("some.check", do_disturbed, .risk = RISK_MSR) };
FAKE_FAMILY(rows);

static void set_up(void)
{
    fixture_init(&fx, 2);
    smi = fake_msr(&fx.fake, MSR_SMI_COUNT, 7);
    fixture_start(&fx);
}

static void tear_down(void)
{
    fixture_free(&fx);
}

TestSuite(disturbed, .init = set_up, .fini = tear_down);

/* The check is run so often. */
static void run_calls(uint32_t times)
{
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_eq(calls, times);
}

Test(disturbed, a_check_that_fails_with_smis_in_it_is_run_again)
{
    smis_in = 2;
    run_calls(3);
    cr_expect_eq(fx.engine.run.repeated, 2);
    cr_expect_eq(fx.engine.run.counts.pass, 1);
    cr_expect_eq(fx.engine.run.counts.fail + fx.engine.run.counts.skip, 0, "what did not count is not counted");
    cr_expect_not(fixture_stream_has(&fx, "\"type\":\"FAIL\""), "and is no diagnosis");
    expect_stream(&fx, "SMIs during this run of the check", "\"verdict\":\"SKIP\",\"dropped\":true");
    cr_expect_not(fixture_stream_has(&fx, "\"verdict\":\"PASS\",\"dropped\""));
}

/* What cannot be seen twice, as a counter that falls behind 0xfffff, is not lost. */
Test(disturbed, one_that_fails_by_what_no_smi_does_failed)
{
    smis_in = 1;
    beyond = true;
    run_calls(1);
    cr_expect_eq(fx.engine.run.counts.fail, 1);
    expect_stream(&fx, "run 1 is wrong");
    cr_expect_not(fixture_stream_has(&fx, "disturbed: SMIs"));
}

Test(disturbed, one_that_passes_with_smis_in_it_passed)
{
    smis_in = 1;
    passes = true;
    run_calls(1);
    cr_expect_eq(fx.engine.run.with_smis, 1);
    cr_expect_eq(fx.engine.run.counts.pass, 1);
}

Test(disturbed, after_its_budget_the_verdict_stands_and_is_marked)
{
    smis_in = 100;
    run_calls(DISTURB_TRIES);
    cr_expect_eq(fx.engine.run.counts.fail, 1);
    expect_stream(&fx, "\"type\":\"FAIL\"", "disturbed: SMIs during each of 3 runs");
}

Test(disturbed, a_check_about_smis_is_run_once)
{
    rows[0].about_smis = true;
    smis_in = 1;
    run_calls(1);
    cr_expect_eq(fx.engine.run.counts.fail, 1);
}

/* An exception ends a run in the middle of a check: what it had found is not lost. */
Test(disturbed, what_was_found_before_a_run_is_broken_off_is_written)
{
    struct held held = { .n = 1, .list = { { .found = { .verdict = VERDICT_FAIL }, .text = "L3 domain 3 is wrong" } } };

    fx.engine.held = &held;
    engine_broken_off(&fx.engine);
    expect_stream(&fx, "FAIL: L3 domain 3 is wrong");
}

/* The stream stays valid: the next step begins after the end of this one. */
Test(disturbed, a_check_that_an_exception_left_has_an_end)
{
    struct report_step step = check_step_of(&rows[0]);

    report_step_start(&fx.report, &step, 1);
    engine_broken_off(&fx.engine);
    cr_expect_eq(fx.engine.run.counts.error, 1);
    expect_stream(&fx, "\"symptom\":\"check-aborted\",\"message\":\"an exception aborted the check\"",
                  "\"testStepEnd\":{\"status\":\"ERROR\"}");
    fixture_step(&fx);
    fixture_close(&fx);
    fixture_finish(&fx, RUN_ERROR);
}

Test(disturbed, a_quiet_failure_is_written_as_it_was)
{
    smis_in = 1;
    smi->absent[0] = smi->absent[1] = true;
    run_calls(1);
    cr_expect_eq(fx.engine.run.counts.fail, 1);
    expect_stream(&fx, "run 1 is wrong");
}

/* --- what the registers say --------------------------------------------------------------------------------------- */

Test(disturbed, temperature_power_and_frequency_are_told_apart)
{
    struct fake_msr *thermal = fake_msr(&fx.fake, IA32_THERM_STATUS, IA32_THERM_STATUS_HOT_LOG);
    struct fake_msr *mperf = fake_msr(&fx.fake, IA32_MPERF, 1000), *aperf = fake_msr(&fx.fake, IA32_APERF, 1000);
    struct disturbance d;
    struct disturb watch;

    cr_assert_eq(disturb_init(&watch, &fx.fake.platform, &fx.machine), ST_OK);
    disturb_begin(&watch);
    mperf->value[0] += 1000;
    aperf->value[0] += 800;
    d = disturb_end(&watch);
    cr_expect(d.known);
    cr_expect_eq(d.smis, 0);
    cr_expect_eq(d.hot, 0, "a log that stood before says nothing");
    cr_expect_eq(d.limited, 0);
    cr_expect_float_eq(d.slowest, 0.8, 1e-9);
    disturb_begin(&watch);
    thermal->value[0] |= IA32_THERM_STATUS_POWER_LIMIT_LOG;
    d = disturb_end(&watch);
    cr_expect_eq(d.hot, 0);
    cr_expect_eq(d.limited, 1);
    disturb_begin(&watch);
    thermal->value[0] |= BIT(0);
    d = disturb_end(&watch);
    cr_expect_eq(d.hot, 1);
    disturb_free(&watch);
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

Test(disturbed, many_rounds_show_the_spread_of_each_figure)
{
    fx.options.repeat = 4;
    run_calls(4);
    expect_stream(&fx, "assay.spread", "\"min\":1,\"max\":4,\"mean\":2.5");
    expect_text(&fx, "figure, here: 1 to 4 bytes, mean 2.5");
    cr_expect_eq(fx.engine.run.counts.warn, 0);
}

Test(disturbed, what_a_dropped_attempt_measured_is_in_no_spread)
{
    fx.options.repeat = 3;
    smis_in = 1;
    run_calls(4);
    expect_stream(&fx, "\"min\":2,\"max\":4,\"mean\":3");
}

Test(disturbed, a_verdict_that_changes_between_rounds_is_noticed)
{
    fx.options.repeat = 3;
    smis_in = 1; /* and the SMI count does not tell */
    smi->absent[0] = smi->absent[1] = true;
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_eq(fx.engine.run.counts.fail, 1);
    cr_expect_eq(fx.engine.run.counts.pass, 2);
    cr_expect_eq(fx.engine.run.counts.warn, 1);
    expect_stream(&fx, "some.check: 2 PASS, 1 FAIL");
}

Test(disturbed, a_soak_goes_on_until_its_time_is_spent)
{
    fx.options.soak_minutes = 1;
    fx.fake.tsc_step = UINT64_C(1000000000); /* a second a look, at 1 GHz */
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_gt(calls, 1);
    cr_expect_lt(calls, 60);
    expect_stream(&fx, "spread.rounds");
}

Test(disturbed, spread_keeps_least_greatest_mean_and_deviation)
{
    static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    struct spread s;
    const struct spread_figure *f;

    cr_assert_eq(spread_init(&s), ST_OK);
    for (uint32_t i = 0; i < 8; i++)
        spread_add(&s, rows, "x", "", "counts", values[i]);
    spread_add(&s, rows, "x", "elsewhere", "counts", 1);
    f = spread_find(&s, rows, "x", "");
    cr_assert_not_null(f);
    cr_expect_eq(f->n, 8);
    cr_expect_float_eq(f->mean, 5, 1e-12);
    cr_expect_float_eq(spread_deviation(f), 2.138089935, 1e-6);
    cr_expect_null(spread_find(&s, rows, "y", ""));
    spread_free(&s);
}
