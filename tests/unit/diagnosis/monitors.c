/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The verdict on each monitor, of what checks said and of the boxes that were found. */
#include "core/base/search.h"
#include "core/diagnosis/monitors.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

static struct symptoms symptoms;
static struct diagnosis diagnosis;
static struct monitors monitors;
static const struct pmon_unit cha = { .name = "CHA", .kind = PMON_CHA }, imc = { .name = "iMC", .kind = PMON_IMC },
                              upi = { .name = "UPI", .kind = PMON_LINK };
static struct pmon_box boxes[] = { { .unit = &cha },
                                   { .unit = &cha, .number = 1 },
                                   { .unit = &imc },
                                   { .unit = &upi, .status = ST_ABSENT, .why = PMON_HIDDEN } };
static const struct pmon pmon = { .boxes = boxes, .n_boxes = sizeof boxes / sizeof boxes[0] };

static void end(void)
{
    symptoms_free(&symptoms);
}

static void said_at(const char *check, enum verdict v, enum finding_code code, struct place place)
{
    const struct check_row *row = check_find(check);

    cr_assert_not_null(row, "%s", check);
    cr_assert_eq(symptoms_begin(&symptoms, row), ST_OK);
    symptoms_found(&symptoms, &(struct found){ .verdict = v, .code = code, .place = place, .text = "off" });
    if (v == VERDICT_PASS && row->excludes) {
        symptoms_excluded(&symptoms, 1.74, "%");
        symptoms_excluded(&symptoms, 0.5625, "ways");
    }
    symptoms_end(&symptoms, v);
}

static void said(const char *check, enum verdict v, enum finding_code code)
{
    said_at(check, v, code, PLACE_NONE);
}

static void judge(bool calibrated)
{
    diagnosis_run(&symptoms, NULL, &diagnosis);
    monitors_judge(&symptoms, &diagnosis, NEED_RDT_A | NEED_CDP | NEED_L2_CAT | NEED_MBA | NEED_AMD_QOS, &pmon,
                   calibrated, &monitors);
}

static const char *says(const char *name)
{
    return FIND(i, monitors.n, text_equal(monitors.list[i].name, name), monitors.list[i].says, "no such monitor");
}

TestSuite(monitors, .fini = end);

Test(monitors, what_passed_is_good_to_what_the_deciding_check_excludes)
{
    said("cmt.linearity", VERDICT_PASS, FOUND_OTHER);
    said("mbm.gain", VERDICT_PASS, FOUND_OTHER);
    judge(true);
    cr_expect_str_eq(says("CMT"), "good to 1.8 %");
    cr_expect_str_eq(says("MBM total"), "good in part: no figure of mbm.total");
    cr_expect_str_eq(says("MBM local"), "not judged: none of its checks was selected");
    cr_expect_str_eq(says("MBA"), "not there");
}

Test(monitors, what_is_exact_says_so_and_masks_are_good_to_ways)
{
    said("pqr.halves", VERDICT_PASS, FOUND_OTHER);
    said("mp.start", VERDICT_PASS, FOUND_OTHER);
    said("errors.banks", VERDICT_PASS, FOUND_OTHER);
    said("cat.misses", VERDICT_PASS, FOUND_OTHER);
    said("cdp.switch", VERDICT_PASS, FOUND_OTHER);
    said("traffic.channels", VERDICT_PASS, FOUND_OTHER);
    judge(true);
    cr_expect_str_eq(says("RDT registers"), "good: exact");
    cr_expect_str_eq(says("MP services"), "good: exact");
    cr_expect_str_eq(says("logged errors"), "none logged");
    cr_expect_str_eq(says("L3 CAT"), "good to 0.6 ways");
    cr_expect_str_eq(says("CDP"), "good in part: no figure of cdp.data");
    cr_expect_str_eq(says("iMC"), "good to 1.8 %");
}

Test(monitors, what_a_stopped_run_did_not_reach_is_not_as_if_nobody_had_selected_it)
{
    said("cmt.linearity", VERDICT_PASS, FOUND_OTHER);
    symptoms_unreached(&symptoms, check_find("cmt.linearity"));
    symptoms_unreached(&symptoms, check_find("mbm.total"));
    judge(true);
    cr_expect_str_eq(says("CMT"), "good to 1.8 %");
    cr_expect_str_eq(says("MBM total"), "not reached: stopped");
    cr_expect_str_eq(says("MBM local"), "not judged: none of its checks was selected");
}

/* Else a figure would never be found: a check's id is not what it was. */
Test(monitors, every_figure_that_one_is_good_to_is_of_a_check_that_there_is)
{
    static const char part[] = "good in part: no figure of ";
    static struct pmon_unit units[PMON_OTHER + 1];
    static struct pmon_box each[PMON_OTHER + 1];
    const struct pmon all = { .boxes = each, .n_boxes = PMON_OTHER + 1 };
    uint32_t n = 0;

    for (uint32_t kind = 0; kind <= PMON_OTHER; kind++) {
        static char names[PMON_OTHER + 1][8];

        snprintf(names[kind], sizeof names[kind], "unit%u", kind);
        units[kind] = (struct pmon_unit){ .name = names[kind], .kind = (enum pmon_kind)kind };
        each[kind].unit = &units[kind];
    }
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        cr_assert_eq(symptoms_begin(&symptoms, row), ST_OK);
        symptoms_end(&symptoms, VERDICT_PASS);
    }
    diagnosis_run(&symptoms, NULL, &diagnosis);
    monitors_judge(&symptoms, &diagnosis, 0, &all, true, &monitors);
    for (uint32_t i = 0; i < monitors.n; i++)
        if (!strncmp(monitors.list[i].says, part, sizeof part - 1)) {
            cr_expect_not_null(check_find(monitors.list[i].says + sizeof part - 1), "%s", monitors.list[i].says);
            n++;
        }
    cr_expect_geq(n, 15);
}

Test(monitors, what_a_cause_explains_counts_against_the_monitor_that_it_names)
{
    said("cmt.linearity", VERDICT_PASS, FOUND_OTHER);
    said("cmt.shared", VERDICT_FAIL, FOUND_TOTAL_LOW);
    said("mbm.total", VERDICT_FAIL, FOUND_TOTAL_LOW);
    said("mbm.gain", VERDICT_FAIL, FOUND_SLOPE_OFF);
    said("mbm.local", VERDICT_WARN, FOUND_OTHER);
    said("mbm.remote", VERDICT_PASS, FOUND_OTHER);
    judge(true);
    cr_expect_str_eq(says("MBM total"), "FAIL: mbm.gain and 3 more");
    cr_expect_str_eq(says("CMT"), "good to 1.8 %");
    cr_expect_str_eq(says("MBM local"), "not judged: mbm.local shows the defect of another monitor");
}

Test(monitors, a_warn_without_bands_is_a_limit_that_is_not_known)
{
    said("mbm.total", VERDICT_WARN, FOUND_OTHER);
    judge(false);
    cr_expect_str_eq(says("MBM total"), "limits unknown here (uncalibrated): WARN of mbm.total");
    judge(true);
    cr_expect_str_eq(says("MBM total"), "WARN: mbm.total");
}

Test(monitors, uncore_findings_count_against_the_units_of_their_places)
{
    said("pmon.width", VERDICT_PASS, FOUND_OTHER);
    for (uint32_t i = 0; i < 2 * SYMPTOM_LISTED; i++) /* units are kept where findings no longer are */
        said_at("pmon.wrap", VERDICT_FAIL, FOUND_OTHER,
                place_with_unit(place_with(place_package(0), PLACE_BOX, i), "CHA"));
    judge(true);
    cr_expect_str_eq(says("CHA"), "FAIL: pmon.wrap");
    cr_expect_str_eq(says("uncore PMON"), "good: exact");
    cr_expect_str_eq(says("iMC"), "good in part: no figure of traffic.channels");
    cr_expect_str_eq(says("UPI"), "not judged: hidden by firmware");
}

Test(monitors, an_uncore_check_without_a_place_or_with_an_error_is_of_them_all)
{
    said_at("pmon.boxes", VERDICT_FAIL, FOUND_OTHER, place_package(0));
    said("ubox.wrap", VERDICT_ERROR, FOUND_OTHER);
    judge(true);
    cr_expect_str_eq(says("uncore PMON"), "FAIL: pmon.boxes and 1 more");
    cr_expect_str_eq(says("CHA"), "not judged: none of its checks passed");
}

Test(monitors, each_check_that_fails_makes_one_monitor_fail)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        uint32_t n = 0;

        said(row->id, VERDICT_FAIL, FOUND_OTHER);
        judge(true);
        for (uint32_t i = 0; i < monitors.n; i++)
            n += monitors.list[i].state == MONITOR_FAIL;
        cr_expect_eq(n, 1, "%s: %u monitors", row->id, n);
        symptoms_free(&symptoms);
        symptoms = (struct symptoms){ 0 };
    }
}

Test(monitors, those_of_which_the_same_is_to_be_said_share_a_line)
{
    char line[256];
    uint32_t lines = 0;

    said("mbm.gain", VERDICT_PASS, FOUND_OTHER);
    judge(true);
    for (uint32_t i = 0; i < monitors.n; i++) {
        size_t n = monitors_line(&monitors, i, line, sizeof line);

        lines += n > 0;
        if (lines == 4 && n > 0)
            cr_expect_str_eq(line, "L3 CAT, CDP, L2 CAT, MBA, AMD counters: not there");
    }
    cr_expect_eq(lines, 4, "%u", lines);
    cr_expect_str_eq(monitors.list[monitors.shown[0]].name, "MBM total", "what was judged comes first");
}

/* An error of memory says nothing of a monitor that passed beside it. */
Test(monitors, logged_errors_count_against_none_of_them)
{
    said("cmt.linearity", VERDICT_PASS, FOUND_OTHER);
    said("errors.banks", VERDICT_FAIL, FOUND_ERROR_LOGGED);
    judge(true);
    cr_expect_str_eq(says("CMT"), "good to 1.8 %");
    cr_expect_str_eq(says("logged errors"), "FAIL: errors.banks");
}
