/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks that SMIs fall into, and what many rounds show. The tables here take the place of the real ones. */
#include "core/check/disturb.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/engine/engine.h"
#include "core/report/report.h"
#include "tests/support/fake_platform.h"
#include "tests/support/ocp_stream.h"

static struct bench {
    struct fake f;
    struct machine m;
    struct options o;
    struct report r;
    struct fake_medium stream, text;
    struct engine e;
    struct fake_msr *smi;
    uint32_t calls, smis_in; /* runs of the check so far; how many of the first runs an SMI falls into */
    bool passes;
} b;

static enum verdict do_disturbed(struct check *c)
{
    b.calls++;
    if (b.calls <= b.smis_in)
        b.smi->value[0]++;
    measure(c, "figure", "here", b.calls, "bytes", -NO_BOUND, NO_BOUND);
    if (b.calls <= b.smis_in && !b.passes)
        return fail(c, "run %u is wrong", b.calls);
    return VERDICT_PASS;
}

static struct check_row rows[] = {
    { .id = "some.check",
      .title = "A rule",
      .spec = "a section",
      .rows = "-",
      .catches = "a defect",
      .risk = RISK_MSR,
      .run = do_disturbed },
};
const struct check_table check_tables[] = { { rows, 1 } };
const uint32_t n_check_tables = 1;

static void set_up(void)
{
    static const struct run_identity id = {
        .version = "0.1.0", .commit = "abc", .build_id = "123", .command_line = "", .built_for = "a test"
    };

    memset(&b, 0, sizeof b);
    fake_init(&b.f, 2);
    b.smi = fake_msr(&b.f, MSR_SMI_COUNT, 7);
    fake_machine(&b.f, &b.m);
    options_default(&b.o);
    cr_assert_eq(report_init(&b.r, &b.f.platform, fake_sink(&b.stream), fake_sink(&b.text)), ST_OK);
    report_start(&b.r, &b.m, &b.o, &id);
    b.e = (struct engine){ .platform = &b.f.platform, .machine = &b.m, .report = &b.r, .options = &b.o };
}

static void tear_down(void)
{
    report_free(&b.r);
    fake_medium_free(&b.stream);
    fake_medium_free(&b.text);
    fake_machine_free(&b.m);
}

TestSuite(disturbed, .init = set_up, .fini = tear_down);

Test(disturbed, a_check_that_fails_with_smis_in_it_is_run_again)
{
    b.smis_in = 2;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, 3);
    cr_expect_eq(b.e.repeated, 2);
    cr_expect_eq(b.e.counts.pass, 1);
    cr_expect_eq(b.e.counts.fail + b.e.counts.skip, 0, "what did not count is not counted");
    cr_expect_null(strstr(b.stream.text, "\"type\":\"FAIL\""), "and is no diagnosis");
    cr_expect_not_null(strstr(b.stream.text, "SMIs fell into it"));
    cr_expect_not_null(strstr(b.stream.text, "\"verdict\":\"SKIP\",\"dropped\":true"));
    cr_expect_null(strstr(b.stream.text, "\"verdict\":\"PASS\",\"dropped\""));
}

Test(disturbed, one_that_passes_with_smis_in_it_passed)
{
    b.smis_in = 1;
    b.passes = true;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, 1);
    cr_expect_eq(b.e.with_smis, 1);
    cr_expect_eq(b.e.counts.pass, 1);
}

Test(disturbed, behind_its_budget_the_verdict_stands_and_is_marked)
{
    b.smis_in = 100;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, DISTURB_TRIES);
    cr_expect_eq(b.e.counts.fail, 1);
    cr_expect_not_null(strstr(b.stream.text, "\"type\":\"FAIL\""));
    cr_expect_not_null(strstr(b.stream.text, "disturbed: SMIs fell into each of 3 runs"));
}

Test(disturbed, a_check_about_smis_is_run_once)
{
    rows[0].about_smis = true;
    b.smis_in = 1;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, 1);
    cr_expect_eq(b.e.counts.fail, 1);
}

/* An exception ends a run in the middle of a check: what it had found is not lost. */
Test(disturbed, what_was_found_before_a_run_is_broken_off_is_written)
{
    struct held held = { .n = 1, .list = { { .verdict = VERDICT_FAIL, .text = "L3 domain 3 is wrong" } } };

    b.e.held = &held;
    engine_broken_off(&b.e);
    cr_expect_not_null(strstr(b.stream.text, "FAIL: L3 domain 3 is wrong"));
}

Test(disturbed, a_quiet_failure_is_written_as_it_was)
{
    b.smis_in = 1;
    b.smi->absent[0] = b.smi->absent[1] = true;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, 1);
    cr_expect_eq(b.e.counts.fail, 1);
    cr_expect_not_null(strstr(b.stream.text, "run 1 is wrong"));
}

/* --- what the registers say --------------------------------------------------------------------------------------- */

Test(disturbed, temperature_power_and_frequency_are_told_apart)
{
    struct fake_msr *thermal = fake_msr(&b.f, IA32_THERM_STATUS, IA32_THERM_STATUS_HOT_LOG);
    struct fake_msr *mperf = fake_msr(&b.f, IA32_MPERF, 1000), *aperf = fake_msr(&b.f, IA32_APERF, 1000);
    struct disturbance d;
    struct disturb watch;

    cr_assert_eq(disturb_init(&watch, &b.f.platform, &b.m), ST_OK);
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
    b.o.repeat = 4;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, 4);
    cr_expect_not_null(strstr(b.stream.text, "assay.spread"));
    cr_expect_not_null(strstr(b.stream.text, "\"min\":1,\"max\":4,\"mean\":2.5"));
    cr_expect_not_null(strstr(b.text.text, "figure, here: 1 to 4 bytes, mean 2.5"));
    cr_expect_eq(b.e.counts.warn, 0);
}

Test(disturbed, what_a_dropped_attempt_measured_is_in_no_spread)
{
    b.o.repeat = 3;
    b.smis_in = 1;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.calls, 4);
    cr_expect_not_null(strstr(b.stream.text, "\"min\":2,\"max\":4,\"mean\":3"));
}

Test(disturbed, a_verdict_that_changes_between_rounds_is_noticed)
{
    b.o.repeat = 3;
    b.smis_in = 1; /* and the SMI count does not tell */
    b.smi->absent[0] = b.smi->absent[1] = true;
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_eq(b.e.counts.fail, 1);
    cr_expect_eq(b.e.counts.pass, 2);
    cr_expect_eq(b.e.counts.warn, 1);
    cr_expect_not_null(strstr(b.stream.text, "some.check: 2 PASS, 1 FAIL"));
}

Test(disturbed, a_soak_goes_on_until_its_time_is_spent)
{
    b.o.soak_minutes = 1;
    b.f.tsc_step = UINT64_C(1000000000); /* a second a look, at 1 GHz */
    cr_assert_eq(engine_run(&b.e), ST_OK);
    cr_expect_gt(b.calls, 1);
    cr_expect_lt(b.calls, 60);
    cr_expect_not_null(strstr(b.stream.text, "spread.rounds"));
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
