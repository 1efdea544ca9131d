/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/check.h"
#include "core/report/report_internal.h"
#include "tests/support/run/report_fixture.h"

static struct report_fixture fx;
static char *brief;

static enum status replace(void *, const char *bytes, size_t length)
{
    cr_assert_null(brief, "once");
    brief = strndup(bytes, length);
    return brief ? ST_OK : ST_NO_MEMORY;
}

static void start(void)
{
    struct sink text;

    fixture_init(&fx, 4);
    brief = NULL;
    text = fake_sink(&fx.text);
    text.replace = replace;
    cr_assert_eq(report_init(&fx.report, &fx.fake.platform, fake_sink(&fx.stream), text), ST_OK);
}

static void begin(void)
{
    report_start(&fx.report, &fx.machine, &fx.options, &fx.identity);
    fx.engine = (struct engine){
        .platform = &fx.fake.platform, .machine = &fx.machine, .report = &fx.report, .options = &fx.options
    };
}

static void end(void)
{
    free(brief);
    fixture_free(&fx);
}

TestSuite(report_brief, .init = start, .fini = end);

static bool has(const char *words)
{
    return brief && strstr(brief, words) != NULL;
}

static uint32_t times(const char *words)
{
    uint32_t n = 0;

    for (const char *at = brief; at && (at = strstr(at, words)) != NULL; at += strlen(words))
        n++;
    return n;
}

/* A check of its own id. */
static void step(const char *id)
{
    static struct check_row rows[256];
    static uint32_t n;

    cr_assert_lt(n, 256);
    rows[n] = fixture_row;
    rows[n].id = id;
    fixture_step(&fx);
    fx.check.row = &rows[n++];
    fx.report.open.id = id;
}

static void pass(void)
{
    check_measure(&fx.check, "ratio", PLACE_NONE, 1, "ratio", 0.95, 1.05);
    fixture_close(&fx);
}

Test(report_brief, result_and_causes_come_before_the_machine_and_what_was_found)
{
    begin();
    step("mbm.total");
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "L3 domain 0: half of it");
    fixture_close(&fx);
    text_turn(&fx.report, TEXT_CAUSES);
    text_paragraph(&fx.report, "Cause      ", "it");
    text_turn(&fx.report, TEXT_NONE);
    fixture_finish(&fx, RUN_FAIL);
    cr_assert_not_null(brief);
    cr_expect_lt(strstr(brief, "Result     FAIL: 0 PASS, 1 FAIL"), strstr(brief, "Cause      it"));
    cr_expect_lt(strstr(brief, "Cause      it"), strstr(brief, "Processor  "));
    cr_expect_lt(strstr(brief, "Processor  "), strstr(brief, "- L3 domain 0: half of it"));
    cr_expect_eq(times("half of it"), 1);
}

Test(report_brief, what_makes_findings_a_warn_is_said_once_a_check)
{
    struct check_row weak;

    begin();
    step("mbm.total");
    weak = *fx.check.row;
    weak.grade = GRADE_W;
    fx.check.row = &weak;
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "one [of several]");
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "two");
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "three");
    fixture_end(&fx);
    cr_expect(has("       - one [of several]\n") && has("       - two\n") && has("       - and 1 more\n"), "%s", brief);
    cr_expect_eq(times("this rule is not architectural"), 1, "%s", brief);
}

Test(report_brief, skips_are_grouped_by_reason_and_passes_by_family)
{
    begin();
    step("amd.limits");
    check_skip(&fx.check, "no AMD");
    fixture_close(&fx);
    step("qm.scope");
    pass();
    step("amd.assign");
    check_skip(&fx.check, "no AMD");
    fixture_close(&fx);
    step("cmt.fill");
    excludes(&fx.check, "a loss", 2.2, "%");
    pass();
    step("qm.together");
    pass();
    fixture_finish(&fx, RUN_PASS);
    cr_expect(has("SKIP   amd.limits, amd.assign: no AMD\n"), "%s", brief);
    cr_expect(has("PASS   qm       scope, together\n"), "%s", brief);
    cr_expect(has("PASS   cmt      fill 2.2 %\n"), "%s", brief);
}

Test(report_brief, findings_beyond_its_lines_leave_the_ids_of_their_checks)
{
    static char ids[40][16];

    begin();
    for (uint32_t i = 0; i < 40; i++) {
        snprintf(ids[i], sizeof ids[i], "qm.n%u", i);
        step(ids[i]);
        finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "wrong %u", i);
        fixture_close(&fx);
    }
    fixture_finish(&fx, RUN_FAIL);
    cr_expect(has("FAIL   qm.n0 ") && has("- wrong 0\n") && !has("wrong 39") && has("qm.n38, qm.n39\n"), "%s", brief);
}

Test(report_brief, each_check_stays_with_v_2_and_where_several_rounds_ran_or_nothing_was_judged)
{
    fx.options.verbose = 2;
    begin();
    step("qm.scope");
    pass();
    fixture_finish(&fx, RUN_PASS);
    cr_expect_null(brief);
}

Test(report_brief, rounds_keep_the_text)
{
    fx.options.repeat = 2;
    begin();
    step("qm.scope");
    pass();
    fixture_finish(&fx, RUN_PASS);
    cr_expect_null(brief);
}

Test(report_brief, counting_keeps_the_text)
{
    begin();
    step("count");
    fx.state.record.verdict = VERDICT_PASS;
    fx.state.record.done = true;
    report_step_end(&fx.report, &fx.state.record);
    cr_expect_eq(report_end(&fx.report, &fx.engine.run, RUN_DONE), ST_OK);
    cr_expect_null(brief);
}

Test(report_brief, a_run_with_warnings_says_that_they_are_no_fail)
{
    begin();
    step("mbm.total");
    pass();
    step("mbm.gain");
    finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "half of it");
    fixture_close(&fx);
    fixture_finish(&fx, RUN_WARN);
    cr_expect(has("Result     WARN: 1 PASS, 0 FAIL, 1 WARN"), "%s", brief);
    cr_expect(has("Nothing FAILs: what is a WARN"), "%s", brief);
}

static uint32_t lines_of_brief(void)
{
    uint32_t n = 0;

    for (const char *c = brief; c && *c; c++)
        n += *c == '\n';
    return n;
}

/* 120 lines hold it with the ids of all: what has no room is a reason, not a finding, and the long ones go first. */
static void skip_many(bool short_ones)
{
    static char ids[160][16];
    static uint32_t n;

    for (uint32_t i = 0; i < 70; i++, n++) {
        snprintf(ids[n], sizeof ids[n], "%s.n%02u", short_ones ? "pmon" : "qm", i);
        step(ids[n]);
        check_skip(&fx.check,
                   short_ones ? "no %u"
                              : "no %u, for a reason that is longer than what is left of its line, and so has two",
                   i);
        fixture_close(&fx);
    }
}

Test(report_brief, reasons_for_skips_leave_a_pass_with_a_warning_its_findings_and_its_lines)
{
    begin();
    step("mbm.gain");
    finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "half of it");
    fixture_close(&fx);
    skip_many(false);
    skip_many(true);
    fixture_finish(&fx, RUN_PASS);
    cr_expect_leq(lines_of_brief(), 120, "%u lines:\n%s", lines_of_brief(), brief);
    cr_expect_geq(lines_of_brief(), 110, "%u lines:\n%s", lines_of_brief(), brief);
    cr_expect(has("- half of it\n") && has("qm.n69") && has("SKIP   pmon.n01: no 1\n"), "%s", brief);
    cr_expect(!has("qm.n69: no 69") && has("the reasons are in"), "%s", brief);
}

static uint32_t with_causes_of(uint32_t lines)
{
    static char ids[60][16];

    begin();
    for (uint32_t i = 0; i < 60; i++) {
        snprintf(ids[i], sizeof ids[i], "%s.n%u", i % 2 ? "cmt" : "mbm", i);
        step(ids[i]);
        if (i % 3) {
            pass();
            continue;
        }
        finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE,
                "wrong %u, in more words than a line of eighty columns can hold, so that each takes two of them", i);
        fixture_close(&fx);
    }
    text_turn(&fx.report, TEXT_CAUSES);
    for (uint32_t i = 0; i < lines; i++)
        text_paragraph(&fx.report, "Cause      ", "it");
    text_turn(&fx.report, TEXT_NONE);
    fixture_finish(&fx, RUN_FAIL);
    cr_expect(has("- wrong 0,"), "the first finding stands");
    cr_expect(has("cmt.n57"), "each check is named");
    return lines_of_brief();
}

Test(report_brief, findings_take_what_long_causes_leave)
{
    cr_expect_leq(with_causes_of(85), 150);
}

Test(report_brief, findings_have_their_lines_where_causes_are_short)
{
    (void)with_causes_of(1);
    cr_expect(has("- wrong 9,"), "%s", brief);
}
