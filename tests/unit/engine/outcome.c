/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/outcome.h"

#include <criterion/criterion.h>

#include "core/base/text.h"
#include "tests/support/run/report_fixture.h"

/* --- the result --------------------------------------------------------------------------------------------------- */

Test(outcome_of, is_what_the_checks_say_where_nothing_else_went_wrong)
{
    const struct run_conditions none = { 0 };

    for (enum run_result r = RUN_PASS; r < RUN_RESULTS; r++)
        cr_expect_eq(outcome_of(r, &none), r);
}

Test(outcome_of, is_no_pass_where_the_run_was_broken_or_its_report_is_not_there)
{
    static const struct run_conditions wrong[] = { { .broken = true },
                                                   { .report_failed = true },
                                                   { .broken = true, .shown = true },
                                                   { .report_failed = true, .shown = true },
                                                   { .broken = true, .report_failed = true } };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(outcome_of(RUN_PASS, &wrong[i]), RUN_ERROR, "case %zu", i);
        cr_expect_eq(outcome_of(RUN_NOTHING, &wrong[i]), RUN_ERROR, "case %zu", i);
        cr_expect_eq(outcome_of(RUN_ERROR, &wrong[i]), RUN_ERROR, "case %zu", i);
        cr_expect_eq(outcome_of(RUN_FAIL, &wrong[i]), RUN_FAIL, "a FAIL stays one (case %zu)", i);
    }
}

/* -list boxes and -count run no check: showing what was asked for is their success, and nothing else's. */
Test(outcome_of, is_done_and_no_pass_for_a_query_that_was_answered)
{
    const struct run_conditions shown = { .shown = true };

    cr_expect_eq(outcome_of(RUN_NOTHING, &shown), RUN_DONE);
    cr_expect_eq(outcome_of(RUN_WARN, &shown), RUN_WARN);
    cr_expect_eq(outcome_of(RUN_PASS, &shown), RUN_DONE, "a register that could not be read again is no PASS");
    cr_expect_eq(outcome_of(RUN_FAIL, &shown), RUN_FAIL);
    cr_expect_eq(outcome_of(RUN_ERROR, &shown), RUN_ERROR);
}

Test(outcome_count_certificate, counts_what_is_wrong_and_no_pass)
{
    struct verdict_counts counts = { 0 };

    outcome_count_certificate(&counts, VERDICT_PASS);
    cr_expect_eq(engine_result(&counts), RUN_NOTHING);
    outcome_count_certificate(&counts, VERDICT_FAIL);
    cr_expect_eq(counts.fail, 1);
    outcome_count_certificate(&counts, VERDICT_ERROR);
    cr_expect_eq(counts.error, 1);
}

/* --- what happened to processors ---------------------------------------------------------------------------------- */

static struct report_fixture fx;

static void tear_down(void)
{
    fixture_free(&fx);
}

static void begin(void)
{
    tear_down();
    fixture_init(&fx, 1);
    fixture_start(&fx);
}

TestSuite(outcome_report_processors, .fini = tear_down);
TestSuite(outcome_report_restore, .fini = tear_down);

static bool reported(const struct processor_events *e)
{
    begin();
    return outcome_report_processors(&fx.report, e, 1);
}

Test(outcome_report_processors, says_nothing_of_a_run_without_events)
{
    cr_expect(!reported(&(struct processor_events){ 0 }));
    cr_expect(!fixture_stream_has(&fx, "\"log\""));
    cr_expect(!fixture_stream_has(&fx, "\"error\""));
    fixture_finish(&fx, RUN_NOTHING);
}

Test(outcome_report_processors, breaks_the_run_for_processors_that_are_still_out_and_stacks_that_ran_over)
{
    cr_expect(reported(&(struct processor_events){ .unreturned = 2 }));
    expect_stream(&fx, "processors-not-returned", "2 processors did not return");
    fixture_finish(&fx, RUN_ERROR);
    cr_expect(reported(&(struct processor_events){ .stack_guard_hits = 1 }));
    expect_stream(&fx, "stack-margin");
    fixture_finish(&fx, RUN_ERROR);
}

Test(outcome_report_processors, reports_resets_and_nmis_without_breaking_the_run)
{
    cr_expect(!reported(&(struct processor_events){ .reset = 3, .nmis = 4 }));
    expect_stream(&fx, "3 processors did not finish their task and were reset", "4 NMIs arrived during the run");
    fixture_finish(&fx, RUN_NOTHING);
}

/* One was reported with the check that it came in. */
Test(outcome_report_processors, breaks_the_run_for_machine_checks)
{
    cr_expect(reported(&(struct processor_events){ .machine_checks = 5, .machine_check = "cpu 1: bank 7" }));
    expect_stream(&fx, "4 machine checks outside of checks, the latest: cpu 1: bank 7");
    fixture_finish(&fx, RUN_ERROR);
    cr_expect(reported(&(struct processor_events){ .machine_checks = 1, .machine_check = "cpu 1: bank 7" }));
    cr_expect(!fixture_stream_has(&fx, "outside of checks"));
    fixture_finish(&fx, RUN_ERROR);
}

/* ST_CORRUPT: a register does not read as it was written; the certificate shows which. */
Test(outcome_report_restore, breaks_the_run_where_registers_were_not_written)
{
    begin();
    cr_expect(!outcome_report_restore(&fx.report, ST_OK));
    cr_expect(!outcome_report_restore(&fx.report, ST_CORRUPT));
    cr_expect(!fixture_stream_has(&fx, "restore-incomplete"));
    cr_expect(outcome_report_restore(&fx.report, ST_LOST));
    expect_stream(&fx, "restore-incomplete");
    fixture_finish(&fx, RUN_ERROR);
}

/* --- a baseline's steps ------------------------------------------------------------------------------------------- */

Test(outcome_expects_step, expects_selected_checks_of_a_run_that_came_to_its_end)
{
    struct options options;
    struct engine e = { .options = &options };

    options_default(&options);
    cr_expect(outcome_expects_step(&e, false, "cmt.linearity"));
    cr_expect(!outcome_expects_step(&e, false, "restore.registers"));
    cr_expect(!outcome_expects_step(&e, false, "spread.figures"));
    cr_expect(!outcome_expects_step(&e, true, "cmt.linearity"), "interrupted");
    e.run.stopped = true;
    cr_expect(!outcome_expects_step(&e, false, "cmt.linearity"), "stopped");
    e.run.stopped = false;
    options.n_tests = 1;
    text_format(options.tests[0], sizeof options.tests[0], "mbm.*");
    cr_expect(!outcome_expects_step(&e, false, "cmt.linearity"), "not selected this time");
    cr_expect(outcome_expects_step(&e, false, "mbm.total"));
}
