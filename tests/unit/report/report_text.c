/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a person gets to read: 80 columns, one line a PASS, reasons for all else. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/run/report_fixture.h"

FIXTURE_SUITE(report_text);

/* --- text -------------------------------------------------------------------------------------------------------- */

Test(report_text, the_text_keeps_to_80_columns_whatever_the_findings)
{
    size_t column = 0;
    char longest[600];

    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(fx.machine.smbios.baseboard_product_name, 'b', SMBIOS_TEXT - 1);
    memset(fx.machine.ran_on, 'v', sizeof fx.machine.ran_on - 1);
    fixture_begin(&fx);
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "%s", longest);
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE,
            "many short words and then %s and more words after it that continue for a while longer", "another");
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "%s", "");
    fixture_close(&fx);
    fixture_finish(&fx, RUN_FAIL);
    for (size_t i = 0; i < fx.text.length; i++) {
        column = fx.text.text[i] == '\n' ? 0 : column + 1;
        cr_assert_leq(column, 80);
        cr_assert_not(fx.text.text[i] == '\n' && i > 0 && fx.text.text[i - 1] == ' ', "a blank at the end of a line");
    }
}

Test(report_text, a_pass_is_one_line_with_the_measurement_that_came_closest_to_a_bound)
{
    fixture_start(&fx);
    size_t before = fx.text.length;

    fixture_step(&fx);
    check_measure(&fx.check, "ratio", PLACE_NONE, 1.00, "ratio", 0.95, 1.05);
    check_measure(&fx.check, "ratio", PLACE_NONE, 1.04, "ratio", 0.95, 1.05);
    check_measure(&fx.check, "ratio", PLACE_NONE, 1.01, "ratio", 0.95, 1.05);
    check_note(&fx.check, "not shown in the text of a PASS");
    fixture_close(&fx);
    cr_expect_null(strstr(fx.text.text, "not shown"));
    const char *page = fx.text.text + before;

    cr_expect_eq(strchr(page, '\n')[1], '\0', "one line: %s", page);
    cr_expect_eq(strncmp(page, "PASS   qm.error-bit", 19), 0);
    fixture_step(&fx);
    fx.report.open.title = "Short";
    check_measure(&fx.check, "ratio", PLACE_NONE, 1.04, "ratio", 0.95, 1.05);
    fixture_close(&fx);
    expect_text(&fx, "Short [1.04 ratio]\n");
}

Test(report_text, a_pass_says_what_it_excludes)
{
    fixture_begin(&fx);
    fx.report.open.title = "Short";
    check_measure(&fx.check, "ratio", PLACE_NONE, 1.04, "ratio", 0.95, 1.05);
    excludes(&fx.check, "a loss", 1.2, "%");
    excludes(&fx.check, "a loss", 1.61, "%");
    excludes(&fx.check, "a loss", 1.4, "%");
    excludes(&fx.check, "an excess", 9, "%");
    fixture_close(&fx);
    expect_text(&fx, "Short; a loss above 1.7 % would have shown\n");
    expect_stream(&fx,
                  "\"measurement\":{\"name\":\"" EXCLUDES_NAME
                  "\",\"value\":1.61,\"unit\":\"%\",\"subcomponent\":{\"name\":\"a loss\"",
                  "\"value\":9,\"unit\":\"%\"");
}

Test(report_text, a_part_of_a_figure_is_excluded_that_leads_to_its_bound)
{
    fixture_begin(&fx);
    excludes_share(&fx.check, "a loss", 200, 180);
    excludes_share(&fx.check, "an excess", 200, 216);
    excludes_share(&fx.check, "no bound", 200, NO_BOUND);
    excludes_share(&fx.check, "a loss of more than all", 200, -10);
    excludes_share(&fx.check, "nothing", 0, 10);
    /* Of 4 that count 100 one falls to 70: the mean is 92.5 then, 80 % of it 74. */
    excludes_one_of(&fx.check, "a loss in one", 100, 100, 4, 0.2, 4);
    excludes_one_of(&fx.check, "a loss of the only one", 100, 100, 1, 0.2, 0);
    check_measure(&fx.check, "ratio", PLACE_NONE, 1.04, "ratio", 0.95, 1.05);
    fixture_close(&fx);
    expect_stream(&fx, "\"value\":10,\"unit\":\"%\",\"subcomponent\":{\"name\":\"a loss\"",
                  "\"value\":8,\"unit\":\"%\",\"subcomponent\":{\"name\":\"an excess\"",
                  "\"value\":30,\"unit\":\"%\",\"subcomponent\":{\"name\":\"a loss in one\"");
    cr_expect_null(fixture_nth(&fx, MEASUREMENT, 4));
}

Test(report_text, what_is_no_pass_excludes_nothing)
{
    fixture_begin(&fx);
    excludes(&fx.check, "a loss", 1.2, "%");
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "broken");
    fixture_close(&fx);
    cr_expect_not(fixture_text_has(&fx, "would have shown"));
    cr_expect_null(fixture_nth(&fx, MEASUREMENT, 0));
}

Test(report_text, what_is_no_pass_gives_its_reasons)
{
    fixture_begin(&fx);
    fx.state.record.disturbed = 3;
    check_measure(&fx.check, "ratio", place_of("L3 domain 0"), 1.5, "ratio", 0.95, 1.05);
    check_note(&fx.check, "a hint");
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE,
            "L3 domain 0: reserved EvtID answered without Error");
    fixture_close(&fx);
    fixture_finish(&fx, RUN_FAIL);
    expect_text(&fx, "FAIL   qm.error-bit              A reserved event is answered with Error\n",
                "       - ratio, L3 domain 0 = 1.5 ratio (0.95 .. 1.05) OUT OF BOUNDS\n", "       - note: a hint\n",
                "       - L3 domain 0: reserved EvtID answered without Error\n", "samples were disturbed",
                "Checks     0 PASS, 1 FAIL, 0 WARN, 0 SKIP, 0 ERROR\n");
}

Test(report_text, tells_clocks_of_throttled_samples_only_where_they_were_read)
{
    fixture_begin(&fx);
    fx.state.record.samples = 4;
    fx.state.record.throttled = 1;
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "why");
    fixture_close(&fx);
    expect_text(&fx, "1 of 4 samples under throttling\n");
    fixture_step(&fx);
    fx.state.record.samples = 4;
    fx.state.record.throttled = 2;
    fx.state.record.slowest = 0.25;
    fx.state.record.fastest = 1.5;
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "why");
    fixture_close(&fx);
    fixture_finish(&fx, RUN_FAIL);
    expect_text(&fx, "2 of 4 samples under throttling; clocks of 25 to 150 %");
}

/* --- option -v */

static void one_pass_with_a_measurement(uint32_t verbose)
{
    fx.options.verbose = verbose;
    fixture_begin(&fx);
    check_measure(&fx.check, "width of the counter", PLACE_NONE, 24, "bit", 24, 62);
    fixture_end(&fx);
}

Test(report_text, verbosity_0_lists_nothing_that_is_right)
{
    one_pass_with_a_measurement(0);
    cr_expect_not(fixture_text_has(&fx, fixture_row.id));
    expect_text(&fx, "1 PASS");
}

Test(report_text, verbosity_1_lists_a_pass_without_its_measurements)
{
    one_pass_with_a_measurement(1);
    expect_text(&fx, fixture_row.id);
    cr_expect_not(fixture_text_has(&fx, "width of the counter"));
}

Test(report_text, verbosity_2_lists_measurements_of_a_pass_too)
{
    one_pass_with_a_measurement(2);
    expect_text(&fx, "width of the counter");
    cr_expect_not(fixture_text_has(&fx, "cost:"));
}

Test(report_text, verbosity_3_lists_what_a_check_cost)
{
    one_pass_with_a_measurement(3);
    expect_text(&fx, "cost: 0 RDMSR, 0 WRMSR");
}
