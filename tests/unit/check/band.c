/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Figures against bands of good machines. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/bands/bands.h"
#include "tests/support/run/report_fixture.h"

static struct report_fixture fx;
static struct bands_figure figures[] = {
    { "qm.error-bit", "MBM total", "domain=#", { .from = 0.99, .to = 1.01, .machines = 12, .unit = "bytes" } },
    { "qm.error-bit", "share", "", { .from = 0.4, .to = 0.6, .machines = 12, .unit = "ratio" } },
};
static const struct bands bands = { .figures = figures, .n_figures = 2 };

static void set_up(void)
{
    fixture_init(&fx, 2);
    fixture_begin(&fx);
    fx.state.bands = &bands;
}

static void tear_down(void)
{
    fixture_free(&fx);
}

TestSuite(band, .init = set_up, .fini = tear_down);

Test(band, a_value_outside_of_its_band_is_a_finding_though_its_bounds_hold)
{
    cr_expect(check_measure(&fx.check, "MBM total", place_domain(1), 980, "bytes", 920, 1080));
    cr_expect_eq(check_verdict(&fx.check), VERDICT_FAIL);
    fixture_close(&fx);
    cr_expect(strstr(fx.stream.text,
                     "L3 domain 1: MBM total: 0.98 of the expected bytes; 12 reference machines give 0.99 to 1.01"));
}

Test(band, outside_of_its_bounds_it_is_the_checks_own_finding)
{
    cr_expect_not(check_measure(&fx.check, "MBM total", place_domain(1), 500, "bytes", 920, 1080));
    cr_expect_eq(fx.state.record.n_findings, 0);
}

/* A row whose bounds are of experience; without bands of good machines its figures are judged by them alone. */
static void judged_by_experience(bool calibrated)
{
    static struct check_row row;

    row = *fx.check.row;
    row.by_experience = true;
    fx.check.row = &row;
    if (!calibrated)
        fx.state.bands = NULL;
}

Test(band, without_experience_what_it_expects_is_a_warning_that_says_so)
{
    judged_by_experience(false);
    cr_expect_eq(finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "12 %% off"), VERDICT_WARN);
    fixture_close(&fx);
    cr_expect(strstr(fx.stream.text, "\"message\":\"12 % off\""));
    cr_expect(strstr(fx.stream.text, "\"limit\":\"uncalibrated\""));
}

Test(band, with_it_the_same_fails)
{
    judged_by_experience(true);
    cr_expect_eq(finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "12 %% off"), VERDICT_FAIL);
}

Test(band, what_no_part_may_show_fails_without_it)
{
    judged_by_experience(false);
    cr_expect_eq(finding(&fx.check, FINDING_FORBIDDEN, 0, FOUND_OTHER, PLACE_NONE, "nothing was counted"),
                 VERDICT_FAIL);
}

Test(band, a_rule_of_the_specification_needs_none)
{
    fx.state.bands = NULL;
    cr_expect_eq(finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "a reserved bit was stored"),
                 VERDICT_FAIL);
}

Test(band, a_figure_that_good_machines_show_too_is_no_failure_though_it_is_beyond_its_bounds)
{
    judged_by_experience(true);
    figures[1].band.to = 1.2;
    cr_expect_not(check_measure(&fx.check, "share", PLACE_NONE, 1.1, "ratio", 0, 1));
    cr_expect_eq(finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "110 %%"), VERDICT_WARN);
    cr_expect_not(check_measure(&fx.check, "share", PLACE_NONE, 1.3, "ratio", 0, 1));
    cr_expect_eq(finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "130 %%"), VERDICT_FAIL);
    figures[1].band.to = 0.6;
    fixture_close(&fx);
    cr_expect(strstr(fx.stream.text, "\"limit\":\"reference machines exceed this bound too\""));
}

Test(band, what_has_no_band_or_another_unit_is_judged_by_its_bounds_alone)
{
    struct figure_band b;

    cr_expect(check_measure(&fx.check, "MBM total", place_of("cpu 1"), 980, "bytes", 920, 1080));
    cr_expect(check_measure(&fx.check, "MBM total", place_domain(1), 980, "bytes", 0, 1080));
    cr_expect(check_measure(&fx.check, "share", PLACE_NONE, 0.7, "%", 0, 1));
    fx.state.bands = NULL;
    cr_expect(check_measure(&fx.check, "share", PLACE_NONE, 0.7, "ratio", 0, 1));
    cr_expect_not(figure_band_of(&fx.check, "share", &PLACE_NONE, &b));
    cr_expect_eq(check_verdict(&fx.check), VERDICT_PASS);
}
