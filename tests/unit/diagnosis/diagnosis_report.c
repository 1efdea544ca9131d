/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the stream and the text have of a diagnosis. */
#include "core/diagnosis/diagnosis_report.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/diagnosis/repeat.h"
#include "tests/support/run/report_fixture.h"

static struct report_fixture fx;
static struct symptoms symptoms;

static void start(void)
{
    fixture_init(&fx, 4);
    fixture_start(&fx);
}

static void end(void)
{
    symptoms_free(&symptoms);
    fixture_free(&fx);
}

TestSuite(diagnosis_report, .init = start, .fini = end);

static void came_to_at(struct place place, const char *check, enum verdict v, enum finding_code code, const char *text)
{
    cr_assert_eq(symptoms_begin(&symptoms, check_find(check)), ST_OK);
    symptoms_found(&symptoms, &(struct found){ .verdict = v, .code = code, .place = place, .text = text });
    symptoms_end(&symptoms, v);
}

static void came_to(const char *check, enum verdict v, enum finding_code code, const char *text)
{
    came_to_at(PLACE_NONE, check, v, code, text);
}

static void report(void)
{
    static struct monitors monitors;
    struct diagnosis d;

    diagnosis_run(&symptoms, NULL, &d);
    monitors_judge(&symptoms, &d, 0, NULL, true, &monitors);
    diagnosis_report(&fx.report, &symptoms, &d, &monitors);
}

Test(diagnosis_report, the_part_is_a_subcomponent_of_hardware_that_the_report_lists)
{
    came_to("cat.isolation", VERDICT_PASS, FOUND_OTHER, "");
    came_to_at(place_with(place_rmid(0, 1), PLACE_CPU, 3), "cat.every-thread", VERDICT_FAIL, FOUND_FILLS_OUTSIDE_MASK,
               "L3 domain 0, RMID 1: cpu 3 reads in CLOS 1 and fills 4194304 bytes");
    report();
    expect_stream(&fx, "\"diagnosis\":{\"verdict\":\"assay-diagnosis-clos-ignored-by-processor\"",
                  "\"hardwareInfoId\":\"package0\",\"subcomponent\":{\"name\":\"cpu 3\",\"location\":\"cpu=3\"}",
                  "{\"hardwareInfoId\":\"package0\"" /* the list of the machine has it */);
}

/* What a whole run finds where MBM misses half of the bytes; the checks that -quick leaves out speak for no late RMID. */
Test(diagnosis_report, a_whole_run_of_scaled_bandwidth_names_it_first)
{
    static const char half[] = "L3 domain 0, RMID 1: MBM total 2097152 bytes, expected 3842375 to 8036679 bytes";
    static const char *const wrong[] = { "cmt.context-switch", "cmt.shared",       "mbm.total",    "mbm.reading-resets",
                                         "mbm.switching",      "mbm.every-thread", "mbm.siblings", "mbm.carry" };
    static const char *const right[] = { "cmt.fill", "cmt.linearity", "cmt.every-thread", "mbm.idle", "mbm.steady" };
    struct diagnosis d;

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        came_to(right[i], VERDICT_PASS, FOUND_OTHER, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        came_to(wrong[i], VERDICT_FAIL, FOUND_OTHER, half);
    came_to("mbm.gain", VERDICT_FAIL, FOUND_SLOPE_OFF,
            "L3 domain 0: slope 0.500 bytes counted per byte read (0.920..1.080)");
    came_to("traffic.closure", VERDICT_FAIL, FOUND_MBM_DISAGREES,
            "package 0, local: MBM total disagrees with the rest (-50.00 %), which agree");
    diagnosis_run(&symptoms, NULL, &d);
    cr_expect_str_eq(diagnosed_id(&d.list[0]), "mbm-total-scaled");
    cr_expect_eq(d.n, 1, "%u causes, the second %s", d.n, diagnosed_id(&d.list[1]));
    cr_expect_eq(d.n_left, 0);
}

Test(diagnosis_report, a_cause_of_warnings_alone_says_so)
{
    came_to("cmt.fill", VERDICT_PASS, FOUND_OTHER, "");
    came_to("mbm.total", VERDICT_WARN, FOUND_TOTAL_LOW,
            "L3 domain 0, RMID 1: MBM total 4 bytes, expected 7 to 9 bytes");
    came_to("mbm.gain", VERDICT_WARN, FOUND_SLOPE_OFF, "L3 domain 0: slope 0.500 bytes counted per byte read");
    came_to("enum.kind", VERDICT_WARN, FOUND_OTHER, "another part");
    report();
    expect_text(&fx, "likely: explains 2 checks, all of them WARN", "possible: explains 1 check, a WARN");
    cr_expect_not(fixture_text_has(&fx, "certain"), "%s", fx.text.text);
}

Test(diagnosis_report, monitors_are_data_with_the_checks_that_count_against_them)
{
    came_to("cmt.fill", VERDICT_PASS, FOUND_OTHER, "");
    came_to("mba.limit", VERDICT_FAIL, FOUND_OTHER, "cpu 0: one");
    report();
    expect_stream(&fx, "{\"monitor\":\"MBA\",\"uncore\":false,\"state\":\"FAIL\",\"says\":\"FAIL: mba.limit\","
                       "\"line\":\"MBA: FAIL: mba.limit\",\"bad\":[\"mba.limit\"]}");
    expect_text(&fx, "Monitors   MBA: FAIL: mba.limit\n           CMT: good");
}

Test(diagnosis_report, a_run_without_a_finding_says_so)
{
    came_to("cmt.fill", VERDICT_PASS, FOUND_OTHER, "");
    report();
    expect_stream(&fx, "{\"verdict\":\"assay-diagnosis-none\",\"type\":\"PASS\"");
}

Test(diagnosis_report, the_fourth_cause_has_a_line_of_its_own_and_no_more)
{
    came_to("mba.limit", VERDICT_FAIL, FOUND_OTHER, "cpu 0: one");
    came_to("mbm.bits", VERDICT_FAIL, FOUND_OTHER, "cpu 0: two");
    came_to("pqr.smi", VERDICT_FAIL, FOUND_OTHER, "cpu 0: three");
    came_to("pqr.rmid-limit", VERDICT_FAIL, FOUND_OTHER, "cpu 0: four");
    report();
    expect_text(&fx, "seen by  pqr.smi: cpu 0: three");
    cr_expect_not(fixture_text_has(&fx, "seen by  pqr.rmid-limit"), "%s", fx.text.text);
    expect_text(&fx, "[likely, 1 check]");
    expect_stream(&fx, "\"finding\":\"cpu 0: four\"" /* the stream has all of it */);
}

Test(diagnosis_report, a_register_is_repeated_by_its_number)
{
    came_to("mba.limit", VERDICT_FAIL, FOUND_OTHER, "cpu 0: one");
    report();
    expect_text(&fx, "  repeat   pqos -e mba:1=10; ");
    expect_stream(&fx, "\"repeat\":\"pqos -e mba:1=10; ");
}

Test(diagnosis_report, a_run_that_was_stopped_says_so)
{
    report();
    expect_stream(&fx, "\"content\":{\"stopped\":false}}");
    symptoms.stopped = true;
    report();
    expect_stream(&fx, "\"extension\":{\"name\":\"assay.run\",\"content\":{\"stopped\":true}}");
}

/* The clock and the first events of its unit; a cause adds the field that it is of. */
Test(diagnosis_report, a_box_is_repeated_by_the_events_of_its_unit)
{
    static const struct cpu_identity bdx = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x4F };
    static const char events[] = "perf stat -a --no-merge -e uncore_%s/event=0x0,umask=0x0%s/ "
                                 "-e uncore_%s/event=0x4,umask=0x3%s/ -e uncore_%s/event=0x4,umask=0xc%s/ sleep 1";
    const struct pmon_part *part = pmon_part_of(&bdx);
    static struct monitors monitors;
    struct diagnosis d;
    char expected[256];

    came_to_at(place_with_unit(place_package(0), "iMC"), "pmon.threshold", VERDICT_FAIL, FOUND_THRESHOLD_STOPS,
               "counts");
    diagnosis_run(&symptoms, NULL, &d);
    monitors_judge(&symptoms, &d, 0, NULL, true, &monitors);
    for (uint32_t i = 0; i < part->n_units; i++)
        if (part->units[i]->kind == PMON_IMC) {
            monitors.shown[monitors.n] = (uint8_t)monitors.n;
            monitors.list[monitors.n++] =
                (struct monitor){ .name = "iMC", .unit = part->units[i], .state = MONITOR_FAIL };
        }
    diagnosis_report(&fx.report, &symptoms, &d, &monitors);
    snprintf(expected, sizeof expected, events, "imc", "", "imc", "", "imc", "");
    cr_expect(fixture_stream_has(&fx, expected), "of the monitor: %s", fx.stream.text);
    snprintf(expected, sizeof expected, events, "imc", ",thresh=1", "imc", ",thresh=1", "imc", ",thresh=1");
    cr_expect(fixture_stream_has(&fx, expected), "of the cause: %s", fx.stream.text);
}

/* By its own row, by its monitor's, or, of an uncore box alone, by the events of the unit. */
Test(diagnosis_report, every_cause_and_every_check_has_a_command_or_a_reason)
{
    static const struct monitors none;
    char out[256];

    for (const struct cause_family *const *f = cause_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++) {
            size_t n = repeat_diagnosed(&(struct diagnosed){ .cause = &(*f)->causes[i] }, &none, "", out, sizeof out);

            cr_expect(n > 0 && n < sizeof out, "%s", (*f)->causes[i].id);
        }
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        size_t n = repeat_diagnosed(&(struct diagnosed){ .row = row }, &none, "", out, sizeof out);

        cr_expect(n > 0 && n < sizeof out, "%s", row->id);
    }
}
