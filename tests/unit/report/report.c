/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/ledger.h"
#include "tests/support/fake_platform.h"
#include "tests/support/json_read.h"
#include "tests/support/ocp_stream.h"

static struct fake f;
static struct machine m;
static struct options o;
static struct report r;
static struct fake_medium stream, text;
static struct engine e;
static struct check c;
static struct ocp_result result;

static const struct check_row row = { .id = "qm.error-bit",
                                      .title = "A reserved event is answered with Error",
                                      .spec = "SDM vol. 3B 17.16.7",
                                      .rows = "QM-03",
                                      .catches = "Error never set",
                                      .risk = RISK_MSR };

static void start(void)
{
    static const struct run_identity id = { .version = "0.1.0",
                                            .commit = "abc123",
                                            .build_id = "0123456789abcdef",
                                            .command_line = "-t qm.* -o \"\\x\"",
                                            .built_for = "a test" };

    cr_assert_eq(report_init(&r, &f.platform, fake_sink(&stream), fake_sink(&text)), ST_OK);
    report_start(&r, &m, &o, &id);
    e = (struct engine){ .platform = &f.platform, .machine = &m, .report = &r, .options = &o };
}

static void begin(void)
{
    fake_init(&f, 4);
    fake_machine(&f, &m);
    options_default(&o);
}

static void end(void)
{
    report_free(&r);
    fake_machine_free(&m);
    fake_medium_free(&stream);
    fake_medium_free(&text);
}

TestSuite(report, .init = begin, .fini = end);

static void step_begin(void)
{
    c = (struct check){ .row = &row, .platform = &f.platform, .machine = &m, .report = &r };
    report_step_start(&r, &row, 1);
}

static void step_end(enum verdict returned)
{
    check_close(&c, returned);
    report_step_end(&r, &c);
    engine_count(&e.counts, c.verdict);
}

static void finish(enum run_result outcome)
{
    cr_expect_eq(report_end(&r, &e, outcome), ST_OK);
    cr_assert(ocp_check(stream.text, stream.length, false, &result), "%s", result.fault);
    fake_medium_keep(&stream);
}

/* The nth line of the stream (from 0), parsed. */
static struct json_value *line(uint32_t n)
{
    const char *at = stream.text;
    char why[128];

    while (n-- > 0)
        at = strchr(at, '\n') + 1;
    struct json_value *v = json_read(at, strcspn(at, "\n"), why, sizeof why);

    cr_assert_not_null(v, "%s", why);
    return v;
}

/* The nth line (from 0) that has this path, parsed. NULL: there are fewer. */
static struct json_value *line_with(const char *path, uint32_t nth)
{
    for (const char *at = stream.text; *at; at = strchr(at, '\n') + 1) {
        char why[128];
        struct json_value *v = json_read(at, strcspn(at, "\n"), why, sizeof why);

        if (json_at(v, path) && nth-- == 0)
            return v;
        json_drop(v);
    }
    return NULL;
}

static const struct json_value *item(const struct json_value *array, uint32_t n)
{
    const struct json_value *v = array->child;

    while (v && n-- > 0)
        v = v->next;
    return v;
}

static bool text_has(const char *needle)
{
    return strstr(text.text, needle) != NULL;
}

/* --- the start --------------------------------------------------------------------------------------------------- */

Test(report, begins_with_schema_version_and_test_run_start)
{
    start();
    finish(RUN_NOTHING);
    struct json_value *first = line(0), *second = line(1);

    cr_expect_eq(json_at(first, "schemaVersion.major")->number, 2);
    cr_expect_eq(json_at(first, "schemaVersion.minor")->number, 0);
    cr_expect_str_eq(json_text_at(first, "timestamp"), "2026-11-21T06:19:02.000Z");
    cr_expect_str_eq(json_text_at(second, "testRunArtifact.testRunStart.name"), "assay");
    cr_expect_str_eq(json_text_at(second, "testRunArtifact.testRunStart.version"), "0.1.0");
    cr_expect_str_eq(json_text_at(second, "testRunArtifact.testRunStart.commandLine"), "-t qm.* -o \"\\x\"");
    cr_expect_str_eq(json_text_at(second, "testRunArtifact.testRunStart.parameters.commit"), "abc123");
    cr_expect_str_eq(json_text_at(second, "testRunArtifact.testRunStart.parameters.mp"), "auto");
    json_drop(first);
    json_drop(second);
}

#define DUT "testRunArtifact.testRunStart.dutInfo."

Test(report, tells_who_the_machine_is)
{
    m.cpus[3].microcode = 0x0B000040;
    m.cpus[0].ppin_status = ST_OK;
    m.cpus[0].ppin = 0xABCD;
    f.slots[2].flags = 0;
    m.cpus[2].enumerated = ST_LOST;
    start();
    finish(RUN_NOTHING);
    struct json_value *v = line(1);
    const struct json_value *software = json_at(v, DUT "softwareInfos"), *hardware = json_at(v, DUT "hardwareInfos");

    cr_expect_str_eq(json_text_at(v, DUT "name"), "Maker Server 1");
    cr_expect_str_eq(json_text_at(item(software, 0), "name"), "Assay");
    cr_expect_str_eq(json_text_at(item(software, 0), "softwareType"), "APPLICATION");
    cr_expect_str_eq(json_text_at(item(software, 1), "version"), "1.2");
    cr_expect_str_eq(json_text_at(item(software, 1), "revision"), "01/02/2026");
    cr_expect_str_eq(json_text_at(item(software, 2), "version"), "0x0b00003e");
    cr_expect_str_eq(json_text_at(item(software, 3), "version"), "0x0b000040");
    cr_expect_null(item(software, 4), "one entry a revision");
    cr_expect_str_eq(json_text_at(item(hardware, 0), "serialNumber"), "0x000000000000abcd");
    cr_expect_str_eq(json_text_at(item(hardware, 2), "location"), "package 0 core 1 thread 0");
    cr_expect_str_eq(json_text_at(item(hardware, 2), "partNumber"), "APIC 0x2");
    cr_expect_not_null(strstr(json_text_at(item(hardware, 3), "name"), "left alone"));
    cr_expect_str_eq(json_text_at(item(hardware, 5), "partType"), "L3 cache");
    cr_expect_str_eq(json_text_at(item(hardware, 6), "partType"), "NUMA node");
    cr_expect_eq(json_at(v, DUT "metadata.rdt.maxRmid")->number, 175);
    cr_expect_str_eq(json_text_at(v, DUT "metadata.tscSource"), "a test");
    json_drop(v);
    cr_expect(text_has("left alone: cpu 2 (APIC 0x4)"));
}

Test(report, says_that_it_ran_on_virtual_silicon_in_every_form)
{
    strcpy(m.virtual_silicon, "Assay virtual silicon: bdx");
    start();
    finish(RUN_NOTHING);
    cr_expect(result.virtual_silicon);
    struct json_value *v = line_with("testRunArtifact.log", 0);

    cr_expect_not_null(strstr(json_text_at(v, "testRunArtifact.log.message"), "virtual silicon, not on hardware"));
    json_drop(v);
    cr_expect(text_has("RAN ON VIRTUAL SILICON, NOT ON HARDWARE"));
    cr_expect(text_has("Assay virtual silicon: bdx"));
}

Test(report, on_hardware_says_nothing_of_virtual_silicon)
{
    start();
    finish(RUN_NOTHING);
    cr_expect_not(result.virtual_silicon);
    cr_expect_not(text_has("irtual silicon"));
}

Test(report, without_a_clock_times_count_from_1970_and_a_line_says_so)
{
    f.utc_ns = 0;
    start();
    finish(RUN_NOTHING);
    struct json_value *v = line(0), *log = line_with("testRunArtifact.log", 0);

    cr_expect_str_eq(json_text_at(v, "timestamp"), "1970-01-01T00:00:00.000Z");
    cr_expect_not_null(strstr(json_text_at(log, "testRunArtifact.log.message"), "clock of this machine is not set"));
    json_drop(v);
    json_drop(log);
}

static const struct {
    uint64_t seconds;
    const char *text;
} dates[] = {
    { 0, "1970-01-01T00:00:00.000Z" },          { 951782399, "2000-02-28T23:59:59.000Z" },
    { 951782400, "2000-02-29T00:00:00.000Z" },  { 951868800, "2000-03-01T00:00:00.000Z" },
    { 1709164800, "2024-02-29T00:00:00.000Z" }, { 1735689599, "2024-12-31T23:59:59.000Z" },
    { 1735689600, "2025-01-01T00:00:00.000Z" }, { 4107542400, "2100-03-01T00:00:00.000Z" },
};

Test(report, knows_the_calendar)
{
    start();
    f.platform.tsc_hz = 0;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        char now[25];

        r.last_ms = 0;
        r.utc_base_ns = dates[i].seconds * 1000000000;
        report_timestamp(&r, now);
        cr_expect_str_eq(now, dates[i].text);
    }
}

Test(report, time_follows_the_tsc_and_never_goes_back)
{
    char now[25];

    start();
    f.tsc += UINT64_C(3661500000000); /* 1 h 1 min 1.5 s at 1 GHz */
    report_timestamp(&r, now);
    cr_expect_str_eq(now, "2026-11-21T07:20:03.500Z");
    f.tsc = 5;
    report_timestamp(&r, now);
    cr_expect_str_eq(now, "2026-11-21T07:20:03.500Z");
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

Test(report, a_step_tells_what_it_held_the_machine_to)
{
    start();
    step_begin();
    evidence_msr(&c, 1, 0xC8E, UINT64_C(1) << 63, 77);
    step_end(VERDICT_PASS);
    finish(RUN_PASS);
    struct json_value *v = line_with("testStepArtifact.testStepStart", 0);

    cr_expect_str_eq(json_text_at(v, "testStepArtifact.testStepStart.name"), "qm.error-bit");
    json_drop(v);
    v = line_with("testStepArtifact.extension", 0);
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.name"), "assay.check");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.specification"), "SDM vol. 3B 17.16.7");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.rows"), "QM-03");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.risk"), "msr");
    json_drop(v);
    v = line_with("testStepArtifact.extension", 1);
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.name"), "assay.evidence");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.register"), "IA32_QM_CTR");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.value"), "0x8000000000000000");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.apicId"), "0x2");
    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.tsc"), "0x000000000000004d");
    json_drop(v);
}

Test(report, every_kind_of_evidence_is_valid)
{
    struct cpuid_regs regs = { 1, 2, 3, 4 };

    start();
    step_begin();
    evidence_wrmsr(&c, 0, 0xC8F, 5, ST_FAULT, 0);
    evidence_wrmsr(&c, 99, 0x12345, 5, ST_OK, 0);
    evidence_cpuid(&c, 0, 0xF, 1, &regs);
    evidence_swept(&c, "IA32_PQR_ASSOC written and read back", 1024);
    step_end(VERDICT_PASS);
    finish(RUN_PASS);
    struct json_value *v = line_with("testStepArtifact.extension.content.outcome", 0);

    cr_expect_str_eq(json_text_at(v, "testStepArtifact.extension.content.outcome"), "#GP");
    json_drop(v);
    v = line_with("testStepArtifact.extension.content.comparisons", 0);
    cr_expect_eq(json_at(v, "testStepArtifact.extension.content.comparisons")->number, 1024);
    json_drop(v);
}

Test(report, a_measurement_carries_value_unit_and_both_bounds)
{
    start();
    step_begin();
    cr_expect(measure(&c, "ratio", "L3 domain 1", 0.97, "ratio", 0.95, 1.05));
    cr_expect(measure(&c, "rate", "", 5, "Hz", 3, NO_BOUND));
    cr_expect(measure(&c, "rate", "", 5, "Hz", -NO_BOUND, 7));
    cr_expect(measure(&c, "raw", "", 5, "counts", -NO_BOUND, NO_BOUND));
    cr_expect(measure(&c, "edge", "", 1.05, "ratio", 0.95, 1.05));
    cr_expect_not(measure(&c, "out", "", 1.06, "ratio", 0.95, 1.05));
    cr_expect_not(measure(&c, "nan", "", __builtin_nan(""), "ratio", 0, 1));
    cr_expect_eq(c.n_measurements, 7);
    cr_expect_eq(c.n_out_of_bounds, 2);
    step_end(fail(&c, "out of bounds"));
    static const int bounds[] = { 2, 1, 1, 0, 2, 2, 2 };

    for (uint32_t i = 0; i < 7; i++) {
        struct json_value *v = line_with("testStepArtifact.measurement", i);
        const struct json_value *validators = json_at(v, "testStepArtifact.measurement.validators");
        int n = 0;

        for (const struct json_value *b = validators ? validators->child : NULL; b; b = b->next)
            n++;
        cr_expect_eq(n, bounds[i], "measurement %u", i);
        if (i == 0)
            cr_expect_str_eq(json_text_at(v, "testStepArtifact.measurement.subcomponent.name"), "L3 domain 1");
        json_drop(v);
    }
    cr_expect(strstr(text.text, "- out of bounds") < strstr(text.text, "- out = 1.06"), "the finding comes first");
    cr_expect(text_has("out = 1.06 ratio (0.95 .. 1.05) OUT OF BOUNDS"));
    cr_expect_not(text_has("rate = 5 Hz"), "those inside give way to those outside");
    step_begin();
    measure(&c, "rate", "", 5, "Hz", 3, NO_BOUND);
    step_end(warn(&c, "for the sake of it"));
    cr_expect(text_has("       - rate = 5 Hz (at least 3)\n"));
    finish(RUN_FAIL);
}

Test(report, a_curve_is_a_series_with_its_own_x)
{
    start();
    step_begin();
    series_begin(&c, "occupancy", "bytes", "working set", "bytes");
    for (int i = 1; i <= 6; i++)
        series_add(&c, i * 1048576.0, i * 1000000.0);
    series_end(&c);
    series_begin(&c, "second", "bytes", "x", "bytes");
    step_end(c.verdict); /* left open: the engine closes it */
    step_begin();
    series_begin(&c, "third", "bytes", "x", "bytes");
    series_begin(&c, "fourth", "bytes", "x", "bytes");
    series_add(&c, 1, 1);
    step_end(c.verdict);
    finish(RUN_PASS);
    cr_expect_eq(result.series, 4, "ids are unique over the run, and each series is closed");
    struct json_value *v = line_with("testStepArtifact.measurementSeriesElement", 2);

    cr_expect_eq(json_at(v, "testStepArtifact.measurementSeriesElement.index")->number, 2);
    cr_expect_eq(json_at(v, "testStepArtifact.measurementSeriesElement.metadata.x")->number, 3 * 1048576.0);
    json_drop(v);
    v = line_with("testStepArtifact.measurementSeriesEnd", 0);
    cr_expect_eq(json_at(v, "testStepArtifact.measurementSeriesEnd.totalCount")->number, 6);
    json_drop(v);
}

Test(report, thousands_of_pieces_of_evidence_are_bounded_and_the_rest_is_counted)
{
    start();
    step_begin();
    for (uint32_t i = 0; i < 5000; i++) {
        evidence_msr(&c, 0, 0xC8F, i, 0);
        measure(&c, "m", "", 1, "x", 0, 2);
    }
    cr_expect_eq(c.n_evidence, 5000);
    step_end(VERDICT_PASS);
    finish(RUN_PASS);
    cr_expect_eq(result.measurements, MEASUREMENTS_LISTED);
    cr_expect_eq(result.extensions, EVIDENCE_LISTED + 2, "and what the check is, and what it cost");
    cr_expect_not_null(strstr(stream.text, "of 5000 pieces of evidence the first 256 are listed"));
    struct json_value *v = line_with("testStepArtifact.extension.content.evidenceNotListed", 0);

    cr_expect_eq(json_at(v, "testStepArtifact.extension.content.evidenceNotListed")->number, 5000 - EVIDENCE_LISTED);
    json_drop(v);
}

Test(report, step_status_follows_the_verdict)
{
    static const struct {
        enum verdict verdict;
        const char *status;
    } cases[] = { { VERDICT_PASS, "COMPLETE" },
                  { VERDICT_FAIL, "COMPLETE" },
                  { VERDICT_WARN, "COMPLETE" },
                  { VERDICT_SKIP, "SKIP" },
                  { VERDICT_ERROR, "ERROR" } };

    start();
    for (uint32_t i = 0; i < 5; i++) {
        step_begin();
        evidence_swept(&c, "x", 1);
        if (i == 1)
            fail(&c, "x");
        if (i == 2)
            warn(&c, "x");
        if (i == 3)
            skip(&c, "x");
        if (i == 4)
            cannot_measure(&c, ST_TIMEOUT, 0, "x");
        step_end(cases[i].verdict);
    }
    finish(RUN_FAIL);
    for (uint32_t i = 0; i < 5; i++) {
        struct json_value *v = line_with("testStepArtifact.testStepEnd", i);

        cr_expect_str_eq(json_text_at(v, "testStepArtifact.testStepEnd.status"), cases[i].status);
        json_drop(v);
    }
}

Test(report, firmware_strings_of_any_bytes_leave_a_valid_stream_and_plain_text)
{
    strcpy(m.smbios.system_product_name, "S\xC3\xA4rver \"\x01\xFF\\");
    start();
    step_begin();
    warn(&c, "the board is called %s", m.smbios.system_product_name);
    step_end(VERDICT_WARN);
    finish(RUN_PASS);
    for (size_t i = 0; i < stream.length; i++)
        cr_assert(stream.text[i] == '\n' || (stream.text[i] >= 0x20 && stream.text[i] <= 0x7E));
    for (size_t i = 0; i < text.length; i++)
        cr_assert(text.text[i] == '\n' || (text.text[i] >= 0x20 && text.text[i] <= 0x7E));
}

Test(report, is_on_the_medium_after_the_start_and_after_each_step)
{
    start();
    uint32_t flushes = stream.flushes;

    cr_expect_geq(flushes, 1);
    step_begin();
    evidence_swept(&c, "x", 1);
    cr_expect_eq(stream.flushes, flushes);
    step_end(VERDICT_PASS);
    cr_expect_eq(stream.flushes, flushes + 1);
}

/* SIGKILL or a power cut at any byte: what stands there is a valid stream that merely stops. */
Test(report, cut_at_any_byte_it_stays_a_valid_partial_stream)
{
    start();
    step_begin();
    measure(&c, "ratio", "", 1, "ratio", 0, 2);
    step_end(VERDICT_PASS);
    step_begin();
    evidence_swept(&c, "x", 1);
    step_end(VERDICT_PASS);
    finish(RUN_PASS);
    size_t first = strcspn(stream.text, "\n") + 1;

    for (size_t n = first; n < stream.length; n += n < 4000 ? 61 : 7) {
        cr_assert(ocp_check(stream.text, n, true, &result), "%zu bytes: %s", n, result.fault);
        cr_assert_not(ocp_check(stream.text, n, false, &result));
    }
    const char *second = strstr(stream.text, "assay.evidence");

    cr_assert(ocp_check(stream.text, (size_t)(second - stream.text), true, &result));
    cr_expect_str_eq(result.unfinished, "qm.error-bit", "and the step that never ended can be found");
}

/* --- run artifacts ----------------------------------------------------------------------------------------------- */

Test(report, a_log_before_the_start_does_not_break_the_order)
{
    cr_assert_eq(report_init(&r, &f.platform, fake_sink(&stream), fake_sink(&text)), ST_OK);
    report_log(&r, "INFO", "too early");
    report_error(&r, "early", "too early as well");
    cr_expect_eq(stream.length, 0);
    cr_expect(text_has("too early"));
}

Test(report, an_exception_is_an_error_of_the_run_and_is_flushed)
{
    start();
    uint32_t flushes = stream.flushes;

    step_begin();
    report_error(&r, "processor-exception", "#UD at %#x", 0x1234u);
    cr_expect_gt(stream.flushes, flushes);
    evidence_swept(&c, "x", 1);
    step_end(VERDICT_PASS);
    finish(RUN_ERROR);
    cr_expect_eq(result.errors, 1);
}

Test(report, lost_processors_are_named_at_the_end)
{
    start();
    f.slots[3].flags |= CPU_LOST;
    finish(RUN_ERROR);
    cr_expect(text_has("cpu 3 (APIC 0x6) missed a deadline"));
    cr_expect_eq(result.logs, 1);
}

static const struct {
    enum run_result run;
    bool stopped;
    const char *status, *result, *line;
} ends[] = {
    { RUN_PASS, false, "COMPLETE", "PASS", "RESULT: PASS exit=0" },
    { RUN_FAIL, false, "COMPLETE", "FAIL", "RESULT: FAIL exit=1" },
    { RUN_ERROR, false, "ERROR", "NOT_APPLICABLE", "RESULT: ERROR exit=2" },
    { RUN_NOTHING, false, "SKIP", "NOT_APPLICABLE", "RESULT: NOTHING exit=38" },
    { RUN_ERROR, true, "SKIP", "NOT_APPLICABLE", "RESULT: ERROR exit=2" },
    { RUN_FAIL, true, "COMPLETE", "FAIL", "RESULT: FAIL exit=1" },
};

Test(report, the_last_line_is_the_result_in_both_forms)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char last[64];

        if (i > 0) {
            end();
            begin();
        }
        start();
        e.stopped = ends[i].stopped;
        finish(ends[i].run);
        cr_expect_str_eq(result.status, ends[i].status);
        cr_expect_str_eq(result.result, ends[i].result);
        snprintf(last, sizeof last, "\n%s\n", ends[i].line);
        cr_expect_str_eq(text.text + text.length - strlen(last), last);
        cr_expect_eq(text_has("Nothing could be checked"), ends[i].run == RUN_NOTHING);
    }
}

/* --- text -------------------------------------------------------------------------------------------------------- */

Test(report, the_text_keeps_to_80_columns_whatever_it_is_told)
{
    size_t column = 0;
    char longest[600];

    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(m.smbios.baseboard_product_name, 'b', SMBIOS_TEXT - 1);
    memset(m.virtual_silicon, 'v', sizeof m.virtual_silicon - 1);
    start();
    step_begin();
    fail(&c, "%s", longest);
    fail(&c, "many short words and then %s and more words behind it that go on for a while longer", "another");
    fail(&c, "%s", "");
    step_end(VERDICT_FAIL);
    finish(RUN_FAIL);
    for (size_t i = 0; i < text.length; i++) {
        column = text.text[i] == '\n' ? 0 : column + 1;
        cr_assert_leq(column, 80);
        cr_assert_not(text.text[i] == '\n' && i > 0 && text.text[i - 1] == ' ', "a blank at the end of a line");
    }
}

Test(report, a_pass_is_one_line_with_the_measurement_that_came_closest_to_a_bound)
{
    start();
    size_t before = text.length;

    step_begin();
    measure(&c, "ratio", "", 1.00, "ratio", 0.95, 1.05);
    measure(&c, "ratio", "", 1.04, "ratio", 0.95, 1.05);
    measure(&c, "ratio", "", 1.01, "ratio", 0.95, 1.05);
    note(&c, "not shown in the text of a PASS");
    step_end(VERDICT_PASS);
    cr_expect_null(strstr(text.text, "not shown"));
    const char *page = text.text + before;

    cr_expect_eq(strchr(page, '\n')[1], '\0', "one line: %s", page);
    cr_expect_eq(strncmp(page, "PASS   qm.error-bit", 19), 0);
    step_begin();
    c.row = &(struct check_row){ .id = "a.b", .title = "Short" };
    measure(&c, "ratio", "", 1.04, "ratio", 0.95, 1.05);
    step_end(VERDICT_PASS);
    cr_expect(text_has("Short [1.04 ratio]\n"));
}

Test(report, what_is_no_pass_gives_its_reasons)
{
    start();
    step_begin();
    c.disturbed = 3;
    measure(&c, "ratio", "L3 domain 0", 1.5, "ratio", 0.95, 1.05);
    note(&c, "a hint");
    fail(&c, "L3 domain 0: reserved EvtID answered without Error");
    step_end(VERDICT_FAIL);
    finish(RUN_FAIL);
    cr_expect(text_has("FAIL   qm.error-bit              A reserved event is answered with Error\n"));
    cr_expect(text_has("       - ratio, L3 domain 0 = 1.5 ratio (0.95 .. 1.05) OUT OF BOUNDS\n"));
    cr_expect(text_has("       - note: a hint\n"));
    cr_expect(text_has("       - L3 domain 0: reserved EvtID answered without Error\n"));
    cr_expect(text_has("samples were disturbed"));
    cr_expect(text_has("Checks     0 PASS, 1 FAIL, 0 WARN, 0 SKIP, 0 ERROR\n"));
}

Test(report, tells_clocks_of_throttled_samples_only_where_they_were_read)
{
    start();
    step_begin();
    c.samples = 4;
    c.throttled = 1;
    fail(&c, "why");
    step_end(VERDICT_FAIL);
    cr_expect(text_has("1 of 4 samples under throttling\n"));
    step_begin();
    c.samples = 4;
    c.throttled = 2;
    c.slowest = 0.25;
    c.fastest = 1.5;
    fail(&c, "why");
    step_end(VERDICT_FAIL);
    finish(RUN_FAIL);
    cr_expect(text_has("2 of 4 samples under throttling; clocks of 25 to 150 %"), "%.*s", (int)text.length, text.text);
}

/* --- the certificate --------------------------------------------------------------------------------------------- */

static struct ledger l;

static void touch(void)
{
    fake_msr(&f, 0xC8F, 0);
    fake_msr(&f, 0x704, 7);
    fake_msr(&f, 0x1234, 1);
    cr_assert_eq(ledger_init(&f.platform, &l), ST_OK);
    cr_assert_eq(ledger_touch_msr(&f.platform, 0x704, LEDGER_COUNTER), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 1, 0xC8F, 9), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 1, 0x704, 9), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 1, 0x1234, 9), ST_OK);
}

Test(report, certifies_each_register_that_is_as_it_was_found)
{
    static const struct restored_item items[] = { { "IDTR", 0, 1, 1 }, { "IDTR", 1, 2, 2 }, { "CR4", 0, 3, 3 } };

    touch();
    start();
    cr_assert_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(report_restored(&r, &l, items, 3), VERDICT_PASS);
    finish(RUN_PASS);
    cr_expect_eq(result.steps, 1);
    cr_expect(text_has("IA32_PQR_ASSOC (0xc8f)                 1 writes  as found on 4\n"));
    cr_expect(text_has("written back, runs by itself\n"));
    cr_expect(text_has("MSR 0x1234"));
    cr_expect(text_has("IDTR"));
    cr_expect(text_has("as found on 2\n"));
    ledger_free(&l);
}

/* The uncore of a server has thousands: a reader of the text looks for what is wrong. */
Test(report, lists_the_first_registers_and_those_that_are_wrong_and_counts_the_rest)
{
    for (uint32_t i = 0; i < 27; i++)
        fake_msr(&f, 0x2000 + i, 0);
    touch();
    start();
    for (uint32_t i = 0; i < 27; i++)
        cr_assert_eq(msr_write(&f.platform, 0, 0x2000 + i, 1), ST_OK);
    f.msrs[25].sticks = true;
    cr_assert_eq(ledger_restore(&f.platform), ST_CORRUPT);
    cr_expect_eq(report_restored(&r, &l, NULL, 0), VERDICT_FAIL);
    finish(RUN_FAIL);
    cr_expect(text_has("MSR 0x2000 "));
    cr_expect(text_has("MSR 0x2019 "), "the one that differs is listed wherever it stands");
    cr_expect(text_has("DIFFERS on 1\n"));
    cr_expect_not(text_has("MSR 0x201a "));
    cr_expect(text_has("and 5 more: 5 as found, 0 counters written back, 0 never written back;"));
    ledger_free(&l);
}

Test(report, fails_when_a_register_is_not_as_it_was_found)
{
    touch();
    start();
    f.msrs[0].sticks = true;
    m.hypervisor = true; /* no grade limit softens this rule */
    cr_assert_eq(ledger_restore(&f.platform), ST_CORRUPT);
    cr_expect_eq(report_restored(&r, &l, NULL, 0), VERDICT_FAIL);
    finish(RUN_FAIL);
    cr_expect_not_null(strstr(stream.text, "IA32_PQR_ASSOC (0xc8f): found 0x0, left 0x9 on cpu 1"));
    cr_expect(text_has("as found on 3, DIFFERS on 1\n"));
    ledger_free(&l);
}

Test(report, fails_when_processor_state_is_not_as_it_was_found)
{
    static const struct restored_item items[] = { { "CR4", 0, 3, 3 }, { "CR4", 2, 3, 4 } };

    start();
    cr_expect_eq(report_restored(&r, NULL, items, 2), VERDICT_FAIL);
    finish(RUN_FAIL);
    cr_expect_not_null(strstr(stream.text, "CR4: found 0x3, left 0x4 on cpu 2"));
}

Test(report, warns_of_a_processor_that_could_not_be_read_again)
{
    touch();
    start();
    f.slots[1].flags |= CPU_LOST;
    cr_assert_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(report_restored(&r, &l, NULL, 0), VERDICT_WARN);
    finish(RUN_ERROR);
    cr_expect_not_null(strstr(stream.text, "could not be read again on 1 processors, the first is cpu 1 (APIC 0x2)"));
    ledger_free(&l);
}

Test(report, has_nothing_to_certify_when_nothing_was_touched)
{
    start();
    cr_expect_eq(report_restored(&r, NULL, NULL, 0), VERDICT_SKIP);
    finish(RUN_NOTHING);
}

/* --- media ------------------------------------------------------------------------------------------------------- */

Test(report, the_first_failure_is_kept_and_the_text_goes_on)
{
    start();
    stream.limit = stream.length + 10;
    stream.fails_with = ST_READ_ONLY;
    step_begin();
    fail(&c, "seen on the console");
    step_end(VERDICT_FAIL);
    cr_expect_eq(r.failed, ST_READ_ONLY);
    cr_expect_eq(report_end(&r, &e, RUN_FAIL), ST_READ_ONLY);
    cr_expect_eq(stream.refused, 1);
    cr_expect(text_has("seen on the console"));
    cr_expect(text_has("volume write-protected"));
    cr_expect(text_has("RESULT: FAIL exit=1\n"));
}

Test(report, a_text_that_cannot_be_written_fails_the_report_too)
{
    start();
    text.limit = text.length + 10;
    step_begin();
    warn(&c, "x");
    step_end(VERDICT_WARN);
    cr_expect_eq(report_end(&r, &e, RUN_PASS), ST_FULL);
    cr_expect_eq(text.refused, 1);
}

Test(report, a_stream_without_text_is_fine)
{
    cr_assert_eq(report_init(&r, &f.platform, fake_sink(&stream), (struct sink){ 0 }), ST_OK);
    report_start(
        &r, &m, &o,
        &(struct run_identity){ .version = "1", .commit = "2", .build_id = "3", .command_line = "", .built_for = "4" });
    step_begin();
    warn(&c, "x");
    step_end(VERDICT_WARN);
    e = (struct engine){ .platform = &f.platform, .machine = &m, .report = &r, .options = &o };
    finish(RUN_PASS);
    report_free(&r);
    cr_expect_eq(report_init(&r, &f.platform, (struct sink){ 0 }, fake_sink(&text)), ST_RANGE);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

Test(register_name, is_as_the_specification_spells_it)
{
    cr_expect_str_eq(register_name(0xC8F), "IA32_PQR_ASSOC");
    cr_expect_str_eq(register_name(0xC8D), "IA32_QM_EVTSEL");
    cr_expect_str_eq(register_name(0xC91), "IA32_L3_MASK_n");
    cr_expect_str_eq(register_name(0xCA0), "MSR_RMID_SNC_CONFIG", "it lies inside the run of the masks");
    cr_expect_str_eq(register_name(0x34), "MSR_SMI_COUNT");
    cr_expect_null(register_name(0x12345678));
}

/* --- option -v */

static void one_pass_with_a_measurement(uint32_t verbose)
{
    o.verbose = verbose;
    start();
    step_begin();
    measure(&c, "width of the counter", "", 24, "bit", 24, 62);
    step_end(VERDICT_PASS);
    finish(RUN_PASS);
}

Test(report, verbosity_0_lists_nothing_that_is_right)
{
    one_pass_with_a_measurement(0);
    cr_expect_not(text_has(row.id));
    cr_expect(text_has("1 PASS"));
}

Test(report, verbosity_1_lists_a_pass_without_its_measurements)
{
    one_pass_with_a_measurement(1);
    cr_expect(text_has(row.id));
    cr_expect_not(text_has("width of the counter"));
}

Test(report, verbosity_2_lists_measurements_of_a_pass_too)
{
    one_pass_with_a_measurement(2);
    cr_expect(text_has("width of the counter"));
    cr_expect_not(text_has("cost:"));
}

Test(report, verbosity_3_lists_what_a_check_cost)
{
    one_pass_with_a_measurement(3);
    cr_expect(text_has("cost: 0 RDMSR, 0 WRMSR"));
}
