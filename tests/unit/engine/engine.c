/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/engine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/platform/mp_selftest.h"
#include "core/tools/tools.h"
#include "tests/support/run/fake_rows.h"
#include "tests/support/run/report_fixture.h"

static enum status do_pass(struct check *c)
{
    evidence_msr(c, 0, 0xC8F, 1, 2);
    return ST_OK;
}
static enum status do_measured_pass(struct check *c)
{
    check_measure(c, "ratio", place_of("L3 domain 0"), 1.01, "ratio", 0.95, 1.05);
    return ST_OK;
}
static enum status do_empty_pass(struct check *)
{
    return ST_OK;
}
static enum status do_contradiction(struct check *c)
{
    check_measure(c, "ratio", PLACE_NONE, 2, "ratio", 0.95, 1.05);
    return ST_OK;
}
static enum status do_fail(struct check *c)
{
    evidence_msr(c, 0, 0xC8F, 1, 0);
    finding(c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "L3 domain %u: wrong", 0u);
    return ST_OK;
}
static enum status do_warn(struct check *c)
{
    finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "a little off");
    return ST_OK;
}
static enum status do_skip(struct check *c)
{
    return check_absent(c, "not here");
}
static enum status do_error(struct check *c)
{
    return check_unmeasured(c, ST_FAULT, 1, "IA32_QM_CTR");
}
static enum status do_without_reason(struct check *)
{
    return ST_ABSENT;
}
static enum status do_late(struct check *c)
{
    for (int i = 0; i < 40; i++)
        finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "warning %d", i);
    finding(c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "and at last a wrong one");
    return ST_OK;
}

static enum status do_many(struct check *c)
{
    check_skip(c, "one domain was not there");
    finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "one was off");
    check_cannot_measure(c, ST_TIMEOUT, 0, "IA32_QM_CTR");
    for (int i = 0; i < 40; i++)
        finding(c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "finding %d", i);
    finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "after the rest");
    return ST_OK;
}

static const struct check_row first[] = {
    FAKE_ROW("good.evidence", do_pass, .risk = RISK_MSR),
    FAKE_ROW("good.measured", do_measured_pass, .risk = RISK_MSR),
    FAKE_ROW("bad.empty", do_empty_pass, .risk = RISK_MSR),
    FAKE_ROW("bad.contradiction", do_contradiction, .risk = RISK_MSR),
    FAKE_ROW("bad.silent", do_without_reason, .risk = RISK_MSR),
};
static const struct check_row second[] = {
    FAKE_ROW("say.fail", do_fail, .risk = RISK_MSR),
    FAKE_ROW("say.warn", do_warn, .risk = RISK_MSR),
    FAKE_ROW("say.skip", do_skip, .risk = RISK_MSR),
    FAKE_ROW("say.error", do_error, .risk = RISK_MSR),
    FAKE_ROW("say.many", do_many, .risk = RISK_MSR),
    FAKE_ROW("say.weak-fail", do_fail, .risk = RISK_MSR, .grade = GRADE_W),
    FAKE_ROW("cmt.workload", do_fail, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_OCCUPANCY),
    FAKE_ROW("need.ubox", do_pass, .needs = NEED_UBOX, .risk = RISK_MSR),
    FAKE_ROW("say.late", do_late, .risk = RISK_MSR),
    FAKE_ROW("need.mp-services", do_pass, .needs = NEED_MP_SELFTEST, .risk = RISK_NONE),
};
static const struct check_family families[] = { { .rows = first, .n = sizeof first / sizeof first[0] },
                                                { .rows = second, .n = 10 } };
const struct check_family *const check_families[] = { &families[0], &families[1], NULL };

static struct report_fixture fx;

static void set_up(void)
{
    fixture_init(&fx, 4);
    fixture_start(&fx);
}

static void tear_down(void)
{
    fixture_free(&fx);
}

TestSuite(engine, .init = set_up, .fini = tear_down);

static struct {
    char ids[64][32];
    enum verdict verdicts[64];
    char reasons[64][256];
    uint32_t n, starting, total;
} seen;

static void starting(void *, const struct check_row *, uint32_t index, uint32_t total)
{
    cr_expect_eq(index, seen.starting++);
    seen.total = total;
}

static void finished(void *, const struct check *c)
{
    strcpy(seen.ids[seen.n], c->row->id);
    strcpy(seen.reasons[seen.n], c->state->record.reason);
    seen.verdicts[seen.n++] = check_verdict(c);
}

/* Run only the checks that match, and return the verdict of the last. */
static enum verdict run_only(const char *pattern)
{
    strcpy(fx.options.tests[0], pattern);
    fx.options.n_tests = 1;
    fx.engine.hooks.finished = finished;
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_assert_gt(seen.n, 0, "%s selects nothing", pattern);
    return seen.verdicts[seen.n - 1];
}

/* --- rules ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *check;
    enum verdict verdict;
    const char *has, *lacks; /* of the stream; NULL: anything */
} ends[] = {
    { "good.evidence", VERDICT_PASS, "\"verdict\":\"assay-good-evidence-pass\",\"type\":\"PASS\"", NULL },
    { "good.measured", VERDICT_PASS,
      "\"validators\":[{\"type\":\"GREATER_THAN_OR_EQUAL\",\"value\":0.95},"
      "{\"type\":\"LESS_THAN_OR_EQUAL\",\"value\":1.05}]",
      NULL },
    { "bad.empty", VERDICT_ERROR, "\"symptom\":\"assay-pass-without-evidence\"", "\"type\":\"PASS\"" },
    { "bad.contradiction", VERDICT_ERROR, "\"symptom\":\"assay-check-contradicts-itself\"", NULL },
    { "bad.silent", VERDICT_ERROR, NULL, "\"type\":\"FAIL\"" },
    { "say.weak-fail", VERDICT_WARN, "\"limit\":\"this rule is not architectural\"", "\"type\":\"FAIL\"" },
};

/* A PASS shows something, inside of its bounds; a status has a reason; a row of grade W warns where it would fail. */
Test(engine, each_end_of_a_check_has_its_verdict)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        tear_down();
        set_up();
        cr_expect_eq(run_only(ends[i].check), ends[i].verdict, "%s", ends[i].check);
        if (ends[i].has)
            expect_stream(&fx, ends[i].has);
        cr_expect(!ends[i].lacks || !fixture_stream_has(&fx, ends[i].lacks), "%s", ends[i].check);
    }
}

Test(engine, each_verdict_reaches_stream_and_counts)
{
    cr_expect_eq(run_only("say.fail"), VERDICT_FAIL);
    expect_stream(&fx,
                  "\"verdict\":\"assay-say-fail-fail/other\",\"type\":\"FAIL\",\"message\":\"L3 domain 0: wrong\"");
    cr_expect_eq(run_only("say.warn"), VERDICT_WARN);
    expect_stream(&fx, "\"verdict\":\"assay-say-warn-warn/other\",\"type\":\"UNKNOWN\"");
    cr_expect_eq(run_only("say.skip"), VERDICT_SKIP);
    expect_stream(&fx, "\"severity\":\"INFO\",\"message\":\"not here\"");
    cr_expect_eq(run_only("say.error"), VERDICT_ERROR);
    expect_stream(&fx, "\"symptom\":\"assay-cannot-measure\"", "IA32_QM_CTR: #GP" /* names register and status */);
    cr_expect_eq(fx.engine.run.counts.fail, 1);
    cr_expect_eq(fx.engine.run.counts.warn, 1);
    cr_expect_eq(fx.engine.run.counts.skip, 1);
    cr_expect_eq(fx.engine.run.counts.error, 1);
    cr_expect_eq(fx.engine.run.counts.pass, 0);
}

Test(engine, of_many_findings_the_worst_counts_and_sixteen_are_listed)
{
    cr_expect_eq(run_only("say.many"), VERDICT_FAIL);
    cr_expect_str_eq(seen.reasons[0], "one domain was not there", "the first finding is the reason");
    expect_stream(&fx, "\"message\":\"finding 12\"");
    cr_expect_not(fixture_stream_has(&fx, "\"message\":\"finding 13\""), "three findings came before");
    expect_stream(&fx, "28 further findings are not listed");
}

/* Otherwise readers would see a WARN, in a stream whose end says FAIL. */
Test(engine, what_makes_the_verdict_worse_is_listed_however_late)
{
    struct ocp_result result;

    cr_expect_eq(run_only("say.late"), VERDICT_FAIL);
    expect_stream(&fx, "\"type\":\"FAIL\",\"message\":\"and at last a wrong one\"",
                  "25 further findings are not listed");
    cr_expect(ocp_check(fx.stream.text, fx.stream.length, true, &result), "%s", result.fault);
}

/* --- firmware's processor services, tried when the rest is over --------------------------------------------------- */

static struct platform_ops ops;
static const struct mp_selftest *tried;

static const struct mp_selftest *hand_out(void *)
{
    return tried;
}

/* Two rounds, and these checks after them once. */
Test(engine, checks_of_mp_services_run_once_after_all_others)
{
    static const struct mp_selftest services;

    ops = *fx.fake.platform.ops;
    ops.mp_selftest = hand_out;
    fx.engine.platform->ops = &ops;
    fx.engine.mp_selftest_apart = true;
    fx.engine.hooks.starting = starting;
    fx.options.repeat = 2;
    strcpy(fx.options.tests[1], "need.*");
    fx.options.n_tests = 2;
    strcpy(fx.options.tests[0], "good.evidence");
    fx.engine.hooks.finished = finished;
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_eq(seen.n, 4);
    cr_expect_str_eq(seen.ids[3], "need.ubox");
    tried = &services;
    cr_assert_eq(engine_run_mp_selftest(&fx.engine), ST_OK);
    cr_assert_eq(seen.n, 5);
    cr_expect_str_eq(seen.ids[4], "need.mp-services");
    cr_expect_eq(seen.verdicts[4], VERDICT_PASS);
    cr_expect_eq(seen.total, 5);
}

Test(engine, a_run_that_was_stopped_leaves_them_out)
{
    fx.engine.mp_selftest_apart = true;
    fx.engine.run.stopped = true;
    fx.engine.hooks.finished = finished;
    cr_assert_eq(engine_run_mp_selftest(&fx.engine), ST_OK);
    cr_expect_eq(seen.n, 0);
}

/* --- grade limits ------------------------------------------------------------------------------------------------ */

Test(engine, under_a_hypervisor_msr_checks_warn_and_workloads_still_fail)
{
    fx.machine.hypervisor = true;
    cr_expect_eq(run_only("say.fail"), VERDICT_WARN);
    expect_stream(&fx, "a hypervisor answers for the hardware");
    cr_expect_eq(run_only("cmt.workload"), VERDICT_FAIL);
}

Test(engine, skylake_sp_up_to_stepping_4_limits_cmt)
{
    fx.machine.cpus[0].id.model = 0x55;
    fx.machine.cpus[0].id.stepping = 4;
    cr_expect_eq(run_only("cmt.workload"), VERDICT_WARN);
    cr_expect_eq(run_only("say.fail"), VERDICT_FAIL, "other families are not limited");
    fx.machine.cpus[0].id.stepping = 5;
    cr_expect_eq(run_only("cmt.workload"), VERDICT_FAIL);
}

Test(engine, amd_occupancy_is_limited_because_it_is_approximate)
{
    fx.machine.cpus[0].id.vendor = VENDOR_AMD;
    cr_expect_eq(run_only("cmt.workload"), VERDICT_WARN);
}

/* --- preconditions ----------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t need;
    const char *says;
} needs[] = {
    { NEED_RDT_BIT, "no RDT monitoring" },
    { NEED_RDT_M, "no RDT monitoring" },
    { NEED_OCCUPANCY, "no RDT monitoring" },
    { NEED_TOTAL, "no RDT monitoring" },
    { NEED_LOCAL, "no RDT monitoring" },
    { NEED_WIDTH_24, "no RDT monitoring" },
    { NEED_RDT_A, "no RDT allocation" },
    { NEED_RDT_A_BIT, "no RDT allocation" },
    { NEED_2_CPUS, "two started processors" },
    { NEED_SMT, "two started threads" },
    { NEED_2_DOMAINS, "two L3 domains" },
    { NEED_2_NODES, "two NUMA nodes" },
    { NEED_UBOX, "no UBox PMON" },
};

static const char *missing(uint32_t need)
{
    struct check_row row = FAKE_ROW("x.y", do_pass, .needs = need);

    return engine_missing(&fx.engine, &row);
}

Test(engine, says_in_words_what_a_bare_machine_lacks)
{
    for (uint32_t i = 0; i < 4; i++)
        memset(&fx.machine.cpus[i].rdt, 0, sizeof fx.machine.cpus[i].rdt);
    for (uint32_t i = 1; i < 4; i++)
        fx.fake.slots[i].flags = 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        const char *what = missing(needs[i].need);

        cr_assert_not_null(what, "need %zu", i);
        cr_expect_not_null(strstr(what, needs[i].says), "need %zu: %s", i, what);
    }
    cr_expect_null(missing(0));
}

Test(engine, finds_every_need_on_a_machine_that_has_all)
{
    struct tools tools = { .pmon = { .ubox = (const void *)&fx.fake } };

    fx.engine.tools = &tools;
    fx.machine.srat_present = true;
    fx.machine.n_nodes = 2;
    fx.machine.nodes = realloc(fx.machine.nodes, 2 * sizeof *fx.machine.nodes);
    fx.machine.nodes[1] = fx.machine.nodes[0];
    fx.machine.cpus[3].domain = 1;
    fx.machine.cpus[1].place = fx.machine.cpus[0].place;
    fx.machine.cpus[1].place.thread = 1;
    fx.machine.cpus[0].rdt.allocation = fx.machine.cpus[0].rdt.l3.present = true;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        cr_expect_null(missing(needs[i].need), "need %zu", i);
}

Test(engine, each_event_bit_is_a_need_of_its_own)
{
    fx.machine.cpus[0].rdt.total = false;
    cr_expect_null(missing(NEED_OCCUPANCY | NEED_LOCAL));
    cr_expect_not_null(missing(NEED_TOTAL));
    fx.machine.cpus[0].rdt.counter_width = 32;
    cr_expect_not_null(missing(NEED_WIDTH_24));
    fx.machine.cpus[0].rdt.l3_monitoring = false;
    cr_expect_null(missing(NEED_RDT_BIT), "EN-01 looks at a bit without its leaf");
    cr_expect_not_null(missing(NEED_RDT_M));
    fx.machine.cpus[0].rdt.allocation = true;
    cr_expect_null(missing(NEED_RDT_A_BIT));
    cr_expect_not_null(missing(NEED_RDT_A));
}

Test(engine, a_lost_processor_is_no_second_processor)
{
    fx.fake.slots[2].flags = fx.fake.slots[3].flags = 0;
    cr_expect_null(missing(NEED_2_CPUS));
    fx.fake.slots[1].flags |= CPU_LOST;
    cr_expect_not_null(missing(NEED_2_CPUS));
}

Test(engine, a_missing_need_is_a_skip_and_the_check_never_runs)
{
    cr_expect_eq(run_only("need.ubox"), VERDICT_SKIP);
    cr_expect_str_eq(seen.reasons[0], "the tables have no UBox PMON for this processor");
    cr_expect_not(fixture_stream_has(&fx, "assay.evidence"));
}

/* --- selection --------------------------------------------------------------------------------------------------- */

Test(engine, t_and_skip_choose_and_skip_wins)
{
    strcpy(fx.options.tests[0], "good.*");
    strcpy(fx.options.tests[1], "say.*");
    fx.options.n_tests = 2;
    strcpy(fx.options.skips[0], "*.evidence");
    strcpy(fx.options.skips[1], "say.?????*");
    fx.options.n_skips = 2;
    cr_expect_not(engine_selects(&fx.options, &first[0]));
    cr_expect(engine_selects(&fx.options, &first[1]));
    cr_expect_not(engine_selects(&fx.options, &first[2]));
    cr_expect(engine_selects(&fx.options, &second[0]));
    cr_expect_not(engine_selects(&fx.options, &second[3]));
}

Test(engine, a_pattern_that_matches_no_check_is_named)
{
    struct options_error error;

    strcpy(fx.options.tests[0], "good.*");
    fx.options.n_tests = 1;
    cr_expect_eq(engine_check_patterns(&fx.options, &error), ST_OK);
    strcpy(fx.options.skips[0], "god.*");
    fx.options.n_skips = 1;
    cr_expect_eq(engine_check_patterns(&fx.options, &error), ST_RANGE);
    cr_expect_not_null(strstr(error.text, "-skip \"god.*\""), "%s", error.text);
    strcpy(fx.options.skips[0], "sya.fail");
    cr_expect_eq(engine_check_patterns(&fx.options, &error), ST_RANGE);
    cr_expect_not_null(strstr(error.text, "the nearest is say.fail"), "%s", error.text);
    strcpy(fx.options.tests[0], "Good.*");
    cr_expect_eq(engine_check_patterns(&fx.options, &error), ST_RANGE);
    cr_expect_not_null(strstr(error.text, "-t \"Good.*\""), "%s", error.text);
}

Test(engine, runs_in_table_order_as_often_as_repeat_says)
{
    strcpy(fx.options.tests[0], "say.fail");
    strcpy(fx.options.tests[1], "good.*");
    fx.options.n_tests = 2;
    fx.options.repeat = 2;
    fx.engine.hooks = (struct engine_hooks){ .starting = starting, .finished = finished };
    cr_expect_eq(engine_checks(&fx.engine), 6);
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    static const char *const expected[] = { "good.evidence", "good.measured", "say.fail",
                                            "good.evidence", "good.measured", "say.fail" };

    cr_assert_eq(seen.n, 6);
    cr_expect_eq(seen.total, 6);
    for (int i = 0; i < 6; i++)
        cr_expect_str_eq(seen.ids[i], expected[i]);
    expect_stream(&fx, "\"round\":2");
}

/* A machine check in each run of a check, until there were so many. */
static uint32_t machine_checks_asked, machine_checks_most;

static uint32_t count_machine_checks(void *, char *text, size_t size)
{
    uint32_t n = ++machine_checks_asked; /* asked after each run */

    n = n < machine_checks_most ? n : machine_checks_most;
    if (n > 0)
        snprintf(text, size, "cpu 1: bank 9, memory controller error");
    return n;
}

static enum verdict run_with_machine_checks(const char *pattern, uint32_t most)
{
    machine_checks_asked = 0;
    machine_checks_most = most;
    ops = *fx.fake.platform.ops;
    ops.machine_checks = count_machine_checks;
    fx.engine.platform->ops = &ops;
    return run_only(pattern);
}

Test(engine, a_check_that_met_a_machine_check_runs_again)
{
    cr_expect_eq(run_with_machine_checks("good.evidence", 1), VERDICT_PASS);
    cr_expect_eq(fx.engine.machine_checks, 1);
    cr_expect_eq(fx.engine.run.repeated, 1);
    expect_stream(&fx, "1 machine checks during good.evidence, the latest: cpu 1: bank 9, memory "
                       "controller error");
}

Test(engine, a_check_that_meets_machine_checks_each_time_is_an_error)
{
    cr_expect_eq(run_with_machine_checks("good.evidence", 100), VERDICT_ERROR);
    cr_expect_eq(fx.engine.run.repeated, 2);
    expect_stream(&fx, "\"symptom\":\"machine-check\",\"message\":\"machine check during this run of the "
                       "check: cpu 1: bank 9");
}

static uint32_t n_unreached(const struct symptoms *s)
{
    uint32_t n = 0;

    for (const struct symptom *at = s->first; at; at = at->next)
        n += at->unreached;
    return n;
}

static uint32_t asked;
static bool stop_at_third(void *)
{
    return ++asked == 3;
}

Test(engine, stops_between_checks_when_asked)
{
    fx.engine.hooks = (struct engine_hooks){ .finished = finished, .stop = stop_at_third };
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_eq(seen.n, 2);
    cr_expect(fx.engine.run.stopped && fx.engine.symptoms.stopped);
    expect_stream(&fx, "stopped on request after 2 of 15 checks");
    cr_expect_eq(n_unreached(&fx.engine.symptoms), 13);
    cr_expect_eq(engine_verdict(&fx.engine), RUN_STOPPED, "half a run is no PASS");
}

/* --- results ----------------------------------------------------------------------------------------------------- */

Test(engine, the_result_follows_from_the_counts)
{
    static const struct {
        struct verdict_counts counts;
        enum run_result result;
        uint32_t code;
    } cases[] = {
        { { 0 }, RUN_NOTHING, 0x26 },
        { { .skip = 9 }, RUN_NOTHING, 0x26 },
        { { .pass = 1, .skip = 9 }, RUN_PASS, 0 },
        { { .warn = 1 }, RUN_WARN, 5 },
        { { .pass = 9, .warn = 1, .skip = 9 }, RUN_WARN, 5 },
        { { .pass = 9, .warn = 1, .fail = 1 }, RUN_FAIL, 1 },
        { { .pass = 9, .skip = 9, .monitors_skipped = 1 }, RUN_NOTHING, 0x26 },
        { { .pass = 9, .skip = 9, .monitors = 1, .monitors_skipped = 8 }, RUN_PASS, 0 },
        { { .pass = 9, .fail = 1, .monitors_skipped = 8 }, RUN_FAIL, 1 },
        { { .pass = 5, .error = 1 }, RUN_ERROR, 2 },
        { { .pass = 5, .error = 1, .fail = 1 }, RUN_FAIL, 1 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(engine_result(&cases[i].counts), cases[i].result, "case %zu", i);
        cr_expect_eq(run_result_code(cases[i].result, WARN_IS_OWN), cases[i].code, "case %zu", i);
    }
}

Test(engine, runs_without_a_report_too)
{
    fx.engine.report = NULL;
    cr_expect_eq(run_only("*"), VERDICT_SKIP);
    cr_expect_eq(seen.n, 15);
    cr_expect_eq(fx.engine.run.counts.fail, 4);
}

/* --- a medium that fills up in the middle of a check ------------------------------------------------------------- */

static void run_on_medium_of(size_t bytes)
{
    fx.stream.limit = bytes;
    fx.engine.hooks.finished = finished;
    cr_expect_eq(engine_run(&fx.engine), ST_FULL);
    cr_expect_eq(report_end(&fx.report, &fx.engine.run, engine_verdict(&fx.engine)), ST_FULL);
    cr_expect_eq(engine_verdict(&fx.engine), fx.engine.run.counts.fail ? RUN_FAIL : RUN_ERROR);
}

Test(engine, a_full_medium_ends_the_run_and_leaves_valid_lines)
{
    size_t start = fx.stream.length;

    for (size_t room = 1; room < 6000; room += 500) {
        struct ocp_result result;

        tear_down();
        memset(&seen, 0, sizeof seen);
        set_up();
        run_on_medium_of(start + room);
        cr_expect_eq(fx.stream.refused, 1, "nothing is written after the first failure");
        cr_expect(ocp_check(fx.stream.text, fx.stream.length, true, &result), "%s", result.fault);
        cr_expect_eq(fx.stream.text[fx.stream.length - 1], '\n');
        cr_expect_not(result.ended);
        cr_expect_lt(seen.n, 15, "the run ended early");
        expect_text(&fx, "is incomplete, writing failed: volume full", "\nRESULT: ");
    }
}

Test(engine, what_a_whole_run_writes_is_a_valid_stream)
{
    struct ocp_result result;

    cr_expect_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_eq(report_end(&fx.report, &fx.engine.run, engine_verdict(&fx.engine)), ST_OK);
    cr_expect(ocp_check(fx.stream.text, fx.stream.length, false, &result), "%s", result.fault);
    cr_expect_eq(result.steps, 15);
    cr_expect_str_eq(result.result, "FAIL");
    cr_expect_str_eq(result.status, "COMPLETE");
}

Test(engine, a_monitor_is_judged_by_its_own_checks_and_not_by_what_stands_around_them)
{
    struct verdict_counts counts = { 0 };

    verdict_count(&counts, VERDICT_PASS, false);
    verdict_count(&counts, VERDICT_PASS, false);
    verdict_count(&counts, VERDICT_WARN, false);
    verdict_count(&counts, VERDICT_SKIP, false);
    cr_expect_eq(engine_result(&counts), RUN_WARN, "no check of a monitor was asked for");
    verdict_count(&counts, VERDICT_SKIP, true);
    cr_expect_eq(engine_result(&counts), RUN_NOTHING);
    verdict_count(&counts, VERDICT_PASS, false);
    verdict_count(&counts, VERDICT_PASS, false);
    verdict_count(&counts, VERDICT_WARN, false);
    cr_expect_eq(engine_result(&counts), RUN_NOTHING, "what is there, and what firmware left, judges no monitor");
    verdict_count(&counts, VERDICT_PASS, true);
    cr_expect_eq(engine_result(&counts), RUN_WARN);
}

/* Writes dropped, reads 0: WARN, not FAIL, since a hypervisor answers. Where it hands a monitor through, that one is judged. */
Test(engine, a_hypervisor_that_answers_for_all_monitors_leaves_none_judged)
{
    struct verdict_counts counts = { 0 };

    verdict_count(&counts, VERDICT_PASS, false);
    verdict_count(&counts, VERDICT_WARN, true);
    cr_expect_eq(engine_result(&counts), RUN_WARN, "on hardware it is a monitor's");
    counts.hypervisor = true;
    cr_expect_eq(engine_result(&counts), RUN_NOTHING);
    verdict_count(&counts, VERDICT_SKIP, true);
    cr_expect_eq(engine_result(&counts), RUN_NOTHING);
    verdict_count(&counts, VERDICT_PASS, true);
    cr_expect_eq(engine_result(&counts), RUN_WARN);
    verdict_count(&counts, VERDICT_FAIL, true);
    cr_expect_eq(engine_result(&counts), RUN_FAIL);
}
