/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the stream has of a check: its row, evidence, measurements, series and verdict. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run/report_fixture.h"

FIXTURE_SUITE(report_steps);

/* --- steps ------------------------------------------------------------------------------------------------------- */

Test(report_steps, a_step_tells_what_it_held_the_machine_to)
{
    fixture_begin(&fx);
    evidence_msr(&fx.check, 1, 0xC8E, UINT64_C(1) << 63, 77);
    fixture_end(&fx);
    expect_stream(&fx, "\"testStepStart\":{\"name\":\"qm.error-bit\"}", "\"name\":\"assay.check\"",
                  "\"specification\":\"SDM vol. 3B 17.16.7\"", "\"rows\":\"QM-03\"", "\"detects\":\"Error never set\"",
                  "\"risk\":\"msr\"", "\"name\":\"assay.evidence\"", "\"register\":\"IA32_QM_CTR\"",
                  "\"value\":\"0x8000000000000000\"", "\"apicId\":\"0x2\"", "\"tsc\":\"0x000000000000004d\"");
}

Test(report_steps, every_kind_of_evidence_is_valid)
{
    struct cpuid_regs regs = { 1, 2, 3, 4 };

    fixture_begin(&fx);
    evidence_wrmsr(&fx.check, 0, 0xC8F, 5, ST_FAULT, 0);
    evidence_wrmsr(&fx.check, 99, 0x12345, 5, ST_OK, 0);
    evidence_cpuid(&fx.check, 0, 0xF, 1, &regs);
    evidence_swept(&fx.check, "IA32_PQR_ASSOC written and read back", 1024);
    fixture_end(&fx);
    expect_stream(&fx, "\"outcome\":\"#GP\"", "\"comparisons\":1024");
}

Test(report_steps, a_measurement_carries_value_unit_and_both_bounds)
{
    fixture_begin(&fx);
    cr_expect(check_measure(&fx.check, "ratio", place_of("L3 domain 1"), 0.97, "ratio", 0.95, 1.05));
    cr_expect(check_measure(&fx.check, "rate", PLACE_NONE, 5, "Hz", 3, NO_BOUND));
    cr_expect(check_measure(&fx.check, "rate", PLACE_NONE, 5, "Hz", -NO_BOUND, 7));
    cr_expect(check_measure(&fx.check, "raw", PLACE_NONE, 5, "counts", -NO_BOUND, NO_BOUND));
    cr_expect(check_measure(&fx.check, "edge", PLACE_NONE, 1.05, "ratio", 0.95, 1.05));
    cr_expect_not(check_measure(&fx.check, "out", PLACE_NONE, 1.06, "ratio", 0.95, 1.05));
    cr_expect_not(check_measure(&fx.check, "nan", PLACE_NONE, __builtin_nan(""), "ratio", 0, 1));
    cr_expect_eq(fx.state.record.n_measurements, 7);
    cr_expect_eq(fx.state.record.n_out_of_bounds, 2);
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "out of bounds");
    fixture_close(&fx);
#define AT_LEAST(n) "{\"type\":\"GREATER_THAN_OR_EQUAL\",\"value\":" #n "}"
#define AT_MOST(n)  "{\"type\":\"LESS_THAN_OR_EQUAL\",\"value\":" #n "}"
    expect_stream(&fx,
                  "\"name\":\"ratio\",\"value\":0.97,\"unit\":\"ratio\",\"validators\":[" AT_LEAST(0.95) "," AT_MOST(
                      1.05) "],\"subcomponent\":{\"name\":\"L3 domain 1\"",
                  "\"validators\":[" AT_LEAST(3) "]", "\"validators\":[" AT_MOST(7) "]",
                  "\"name\":\"raw\",\"value\":5,\"unit\":\"counts\"}", "\"value\":\"nan\"");
    cr_expect(strstr(fx.text.text, "- out of bounds") < strstr(fx.text.text, "- out = 1.06"),
              "the finding comes first");
    expect_text(&fx, "out = 1.06 ratio (0.95 .. 1.05) OUT OF BOUNDS");
    cr_expect_not(fixture_text_has(&fx, "rate = 5 Hz"), "those inside give way to those outside");
    fixture_step(&fx);
    check_measure(&fx.check, "rate", PLACE_NONE, 5, "Hz", 3, NO_BOUND);
    finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "for the sake of it");
    fixture_close(&fx);
    expect_text(&fx, "       - rate = 5 Hz (at least 3)\n");
    fixture_finish(&fx, RUN_FAIL);
}

Test(report_steps, a_curve_is_a_series_with_its_own_x)
{
    fixture_begin(&fx);
    series_put_head(&fx.check, &(struct series_head){ .name = "occupancy",
                                                      .place = place_domain(3),
                                                      .unit = "bytes",
                                                      .x_name = "working set",
                                                      .x_unit = "bytes" });
    for (int i = 1; i <= 6; i++)
        series_add(&fx.check, i * 1048576.0, i * 1000000.0);
    series_end(&fx.check);
    series_put_head(&fx.check,
                    &(struct series_head){ .name = "second", .unit = "bytes", .x_name = "x", .x_unit = "bytes" });
    fixture_close(&fx); /* left open: the engine closes it */
    fixture_step(&fx);
    series_put_head(&fx.check,
                    &(struct series_head){ .name = "third", .unit = "bytes", .x_name = "x", .x_unit = "bytes" });
    series_put_head(&fx.check,
                    &(struct series_head){ .name = "fourth", .unit = "bytes", .x_name = "x", .x_unit = "bytes" });
    series_add(&fx.check, 1, 1);
    fixture_end(&fx);
    cr_expect_eq(fx.result.series, 4, "ids are unique over the run, and each series is closed");
    expect_stream(&fx, "\"index\":2,\"value\":3000000,", "\"metadata\":{\"x\":3145728}", "\"totalCount\":6");
}

Test(report_steps, a_long_curve_keeps_the_least_and_the_greatest_of_each_group)
{
    static double x[4096], y[4096];

    for (uint32_t i = 0; i < 4096; i++) {
        x[i] = i;
        y[i] = 1 + i % 2;
    }
    y[3000] = 9; /* in the 16 from 2992 on */
    fixture_begin(&fx);
    series_show(&fx.check, "long", PLACE_NONE, "ratio", "RMID", x, y, 4096);
    fixture_end(&fx);
    expect_stream(&fx, "\"values\":4096", "\"index\":375,\"value\":9," /* 2 * (2992 / 16) + 1 */, "\"x\":3000}",
                  "\"totalCount\":512");
}

Test(report_steps, curves_of_many_l3s_share_a_limit)
{
    static const struct {
        uint32_t domains, listed;
    } cases[] = { { 1, SERIES_LISTED }, { 2, SERIES_LISTED }, { 8, CURVES_LISTED / 8 }, { 4096, SERIES_LISTED_LEAST } };
    double x[600], y[600];

    for (uint32_t i = 0; i < 600; i++)
        x[i] = y[i] = i;
    fixture_begin(&fx);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fx.machine.n_domains = cases[i].domains;
        series_show(&fx.check, "curve", place_domain(0), "ratio", "cpu", x, y, 600);
    }
    fixture_end(&fx);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double listed = strtod(fixture_nth(&fx, "\"totalCount\":", i), NULL);

        cr_expect(listed > 0.7 * cases[i].listed && listed <= cases[i].listed, "%u L3s: %g", cases[i].domains, listed);
    }
}

Test(report_steps, thousands_of_pieces_of_evidence_are_bounded_and_the_rest_is_counted)
{
    fixture_begin(&fx);
    for (uint32_t i = 0; i < 5000; i++) {
        evidence_msr(&fx.check, 0, 0xC8F, i, 0);
        check_measure(&fx.check, "m", PLACE_NONE, 1, "x", 0, 2);
    }
    cr_expect_eq(fx.state.record.n_evidence, 5000);
    fixture_end(&fx);
    cr_expect_eq(fx.result.measurements, MEASUREMENTS_LISTED);
    cr_expect_eq(fx.result.extensions, EVIDENCE_LISTED + 2, "and what the check is, and what it cost");
    expect_stream(&fx, "listed: the first 256 of 5000 evidence records");
    expect_stream(&fx, "\"evidenceNotListed\":4744");
}

Test(report_steps, step_status_follows_the_verdict)
{
    static const struct {
        enum verdict verdict;
        const char *status;
    } cases[] = { { VERDICT_PASS, "COMPLETE" },
                  { VERDICT_FAIL, "COMPLETE" },
                  { VERDICT_WARN, "COMPLETE" },
                  { VERDICT_SKIP, "SKIP" },
                  { VERDICT_ERROR, "ERROR" } };

    fixture_start(&fx);
    for (uint32_t i = 0; i < 5; i++) {
        fixture_step(&fx);
        evidence_swept(&fx.check, "x", 1);
        if (i == 1)
            finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "x");
        if (i == 2)
            finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "x");
        if (i == 3)
            check_skip(&fx.check, "x");
        if (i == 4)
            check_cannot_measure(&fx.check, ST_TIMEOUT, 0, "x");
        fixture_close(&fx);
    }
    fixture_finish(&fx, RUN_FAIL);
    for (uint32_t i = 0; i < 5; i++)
        cr_expect_eq(
            strncmp(fixture_nth(&fx, "\"testStepEnd\":{\"status\":\"", i), cases[i].status, strlen(cases[i].status)),
            0);
}

Test(report_steps, a_reason_to_skip_is_said_once_where_checks_follow_each_other)
{
    static const char *const reasons[] = { "no AMD", "no AMD", "no MBA", "no AMD" };

    fixture_start(&fx);
    for (uint32_t i = 0; i < 4; i++) {
        fixture_step(&fx);
        check_skip(&fx.check, "%s", reasons[i]);
        fixture_close(&fx);
    }
    expect_text(&fx, "no AMD\nSKIP   qm.error-bit              as above\n",
                "no MBA\nSKIP   qm.error-bit              no AMD\n");
    fixture_finish(&fx, RUN_NOTHING);
}

Test(report_steps, firmware_strings_of_any_bytes_leave_a_valid_stream_and_plain_text)
{
    strcpy(fx.machine.smbios.system_product_name, "S\xC3\xA4rver \"\x01\xFF\\");
    fixture_begin(&fx);
    finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "the board is called %s",
            fx.machine.smbios.system_product_name);
    fixture_end(&fx);
    for (size_t i = 0; i < fx.stream.length; i++)
        cr_assert(fx.stream.text[i] == '\n' || (fx.stream.text[i] >= 0x20 && fx.stream.text[i] <= 0x7E));
    for (size_t i = 0; i < fx.text.length; i++)
        cr_assert(fx.text.text[i] == '\n' || (fx.text.text[i] >= 0x20 && fx.text.text[i] <= 0x7E));
}

Test(report_steps, is_on_the_medium_after_the_start_and_after_each_step)
{
    fixture_start(&fx);
    uint32_t flushes = fx.stream.flushes;

    cr_expect_geq(flushes, 1);
    fixture_step(&fx);
    evidence_swept(&fx.check, "x", 1);
    cr_expect_eq(fx.stream.flushes, flushes);
    fixture_close(&fx);
    cr_expect_eq(fx.stream.flushes, flushes + 1);
}

/* SIGKILL or a power cut at any byte: what stands there is a valid stream that merely stops. */
Test(report_steps, cut_at_any_byte_it_stays_a_valid_partial_stream)
{
    fixture_begin(&fx);
    check_measure(&fx.check, "ratio", PLACE_NONE, 1, "ratio", 0, 2);
    fixture_close(&fx);
    fixture_step(&fx);
    evidence_swept(&fx.check, "x", 1);
    fixture_end(&fx);
    size_t first = strcspn(fx.stream.text, "\n") + 1;

    for (size_t n = first; n < fx.stream.length; n += n < 4000 ? 61 : 7) {
        cr_assert(ocp_check(fx.stream.text, n, true, &fx.result), "%zu bytes: %s", n, fx.result.fault);
        cr_assert_not(ocp_check(fx.stream.text, n, false, &fx.result));
    }
    const char *second = strstr(fx.stream.text, "assay.evidence");

    cr_assert(ocp_check(fx.stream.text, (size_t)(second - fx.stream.text), true, &fx.result));
    cr_expect_str_eq(fx.result.unfinished, "qm.error-bit", "and the step that never ended can be found");
}
