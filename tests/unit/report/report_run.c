/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The report as a whole: who the machine is, when it was, how the run ended, and media that fail. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/machine/register_name.h"
#include "tests/support/machine/heap_host.h"
#include "tests/support/run/report_fixture.h"

FIXTURE_SUITE(report);

/* --- the start --------------------------------------------------------------------------------------------------- */

Test(report, begins_with_schema_version_and_test_run_start)
{
    fixture_start(&fx);
    fixture_finish(&fx, RUN_NOTHING);
    expect_stream(
        &fx,
        "{\"schemaVersion\":{\"major\":2,\"minor\":0},\"sequenceNumber\":0,"
        "\"timestamp\":\"2026-11-21T06:19:02.000Z\"}\n{\"testRunArtifact\":{\"testRunStart\":{\"name\":\"assay\","
        "\"version\":\"0.1.0\",\"commandLine\":\"-t qm.* -o \\\"\\\\x\\\"\",\"parameters\":",
        "\"mp\":\"auto\"", "\"commit\":\"abc123\"");
}

Test(report, tells_who_the_machine_is)
{
    fx.machine.cpus[3].microcode = 0x0B000040;
    fx.machine.cpus[0].ppin_status = ST_OK;
    fx.machine.cpus[0].ppin = 0xABCD;
    fx.fake.slots[2].flags = 0;
    fx.machine.cpus[2].enumerated = ST_LOST;
    fx.machine.smbios.n_dimms = 2;
    fx.machine.smbios.dimms[0] = (struct smbios_dimm){ .locator = "A1",
                                                       .bank = "NODE 0",
                                                       .serial_number = "0123",
                                                       .bytes = 1ull << 34,
                                                       .type = "DDR5",
                                                       .mts = 4800,
                                                       .ranks = 2 };
    fx.machine.smbios.dimms[1] = (struct smbios_dimm){ .bytes = 1u << 20 };
    fixture_start(&fx);
    fixture_finish(&fx, RUN_NOTHING);
    expect_stream(
        &fx, "\"name\":\"Maker Server 1\"", "\"name\":\"Assay\"", "\"softwareType\":\"APPLICATION\"",
        "\"version\":\"1.2\",\"revision\":\"01/02/2026\",\"softwareType\":\"FIRMWARE\"},"
        "{\"softwareInfoId\":\"microcode0\",\"name\":\"microcode\",\"version\":\"0x0b00003e\","
        "\"softwareType\":\"FIRMWARE\"},{\"softwareInfoId\":\"microcode1\",\"name\":\"microcode\","
        "\"version\":\"0x0b000040\",\"softwareType\":\"FIRMWARE\"}]" /* one entry a revision */,
        "\"serialNumber\":\"0x000000000000abcd\"}", "\"partType\":\"L3 cache\"}",
        "\"partType\":\"NUMA node\"},{\"hardwareInfoId\":\"dimm0\",\"name\":\"17179869184 bytes DDR5, 4800 MT/s, "
        "2 ranks\",\"location\":\"A1, NODE 0\",\"partType\":\"DIMM\",\"serialNumber\":\"0123\"},"
        "{\"hardwareInfoId\":\"dimm1\",\"name\":\"1048576 bytes\",\"location\":\"\",\"partType\":\"DIMM\"}]",
        "\"packages\":{\"family\":[6],\"model\":[79],\"stepping\":[1]}", "\"apicId\":[0,2,4,6]",
        "\"core\":[0,1,null,3]", "\"thread\":[0,0,null,0],\"states\":[{\"cpu\":2,\"state\":\"not used",
        "\"maxRmid\":175", "\"tscSource\":\"a test\"");
    expect_text(&fx, "not used: cpu 2 (APIC 0x4)");
}

Test(report, says_that_it_ran_on_virtual_silicon_in_every_form)
{
    strcpy(fx.machine.ran_on, "Assay virtual silicon: bdx");
    fixture_start(&fx);
    fixture_finish(&fx, RUN_NOTHING);
    cr_expect(fx.result.virtual_silicon);
    expect_stream(&fx, "virtual silicon, not on hardware");
    expect_text(&fx, "RAN ON VIRTUAL SILICON, NOT ON HARDWARE", "Assay virtual silicon: bdx");
}

Test(report, on_hardware_says_nothing_of_virtual_silicon)
{
    fixture_start(&fx);
    fixture_finish(&fx, RUN_NOTHING);
    cr_expect_not(fx.result.virtual_silicon);
    cr_expect_not(fixture_text_has(&fx, "irtual silicon"));
}

Test(report, without_bands_says_uncalibrated)
{
    fixture_start(&fx);
    expect_stream(&fx, "\"bands\":{\"calibrated\":false}");
    expect_text(&fx, "Bands      none for this machine (uncalibrated)");
}

Test(report, names_the_file_and_the_digest_of_its_bands)
{
    fx.identity.bands = "\\assay\\bands\\icx.bands";
    fx.identity.bands_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    fx.identity.bands_machines = 12;
    fx.identity.bands_figures = 50;
    fixture_start(&fx);
    expect_stream(
        &fx, "\"bands\":{\"calibrated\":true,\"file\":\"\\\\assay\\\\bands\\\\icx.bands\",\"sha256\":\"0123456789");
    expect_text(&fx, "Bands      \\assay\\bands\\icx.bands: 50 figures of 12 machines, SHA-256\n",
                fx.identity.bands_sha256);
}

Test(report, without_a_clock_times_count_from_1970_and_a_line_says_so)
{
    fx.fake.utc_ns = 0;
    fixture_start(&fx);
    fixture_finish(&fx, RUN_NOTHING);
    expect_stream(&fx, "\"sequenceNumber\":0,\"timestamp\":\"1970-01-01T00:00:00.000Z\"",
                  "\"message\":\"the clock of this machine is not set");
}

Test(report, time_follows_the_tsc_and_never_goes_back)
{
    char now[25];

    fixture_start(&fx);
    fx.fake.tsc += UINT64_C(3661500000000); /* 1 h 1 min 1.5 s at 1 GHz */
    report_timestamp(&fx.report, now);
    cr_expect_str_eq(now, "2026-11-21T07:20:03.500Z");
    fx.fake.tsc = 5;
    report_timestamp(&fx.report, now);
    cr_expect_str_eq(now, "2026-11-21T07:20:03.500Z");
}

/* --- run artifacts ----------------------------------------------------------------------------------------------- */

Test(report, a_log_before_the_start_does_not_break_the_order)
{
    cr_assert_eq(report_init(&fx.report, &fx.fake.platform, fake_sink(&fx.stream), fake_sink(&fx.text)), ST_OK);
    report_log(&fx.report, "INFO", "too early");
    report_error(&fx.report, "early", "too early as well");
    cr_expect_eq(fx.stream.length, 0);
    expect_text(&fx, "too early");
}

Test(report, an_exception_is_an_error_of_the_run_and_is_flushed)
{
    fixture_start(&fx);
    uint32_t flushes = fx.stream.flushes;

    fixture_step(&fx);
    report_error(&fx.report, "processor-exception", "#UD at %#x", 0x1234u);
    cr_expect_gt(fx.stream.flushes, flushes);
    evidence_swept(&fx.check, "x", 1);
    fixture_close(&fx);
    fixture_finish(&fx, RUN_ERROR);
    cr_expect_eq(fx.result.errors, 1);
}

Test(report, many_errors_of_one_kind_are_few_in_the_text_and_each_in_the_stream)
{
    fixture_start(&fx);
    fx.report.verbose = 1;
    for (uint32_t i = 0; i < 40; i++)
        report_error(&fx.report, "error-logged", "iMC 11, error %u", i);
    report_error(&fx.report, "processor-lost", "cpu 3");
    fixture_finish(&fx, RUN_ERROR);
    cr_expect_eq(fx.result.errors, 41);
    expect_text(&fx, "error 7\n");
    expect_text(&fx, "and more of this kind");
    expect_text(&fx, "cpu 3");
    cr_expect_null(strstr(fx.text.text, "error 8\n"));
}

/* --- memory that is refused ---------------------------------------------------------------------------------------- */

Test(report, a_line_that_is_refused_is_an_error_in_its_place)
{
    struct json *j;

    fixture_begin(&fx);
    heap_host_grants = 0;
    j = report_extension(&fx.report, "assay.evidence");
    cr_assert(j);
    for (uint32_t i = 0; i < 4000; i++)
        json_unsigned(j, "more", 123456);
    report_artifact_end(&fx.report);
    evidence_swept(&fx.check, "x", 1);
    fixture_close(&fx);
    fx.engine.run.counts.pass = 1;
    cr_expect_eq(engine_verdict(&fx.engine), RUN_ERROR);
    heap_host_grants = UINT32_MAX;
    fixture_finish(&fx, RUN_ERROR);
    cr_expect_eq(fx.report.refused, 1);
    cr_expect_eq(fx.result.errors, 1);
    expect_stream(&fx, "\"symptom\":\"no-memory\"");
    expect_text(&fx, "no memory to make it");
}

Test(report, a_start_that_is_refused_leaves_processors_and_modules_out)
{
    fx.machine.smbios.n_dimms = SMBIOS_DIMMS;
    for (uint32_t i = 0; i < SMBIOS_DIMMS; i++) {
        struct smbios_dimm *d = &fx.machine.smbios.dimms[i];

        memset(d->locator, 'L', sizeof d->locator - 1);
        memset(d->bank, 'B', sizeof d->bank - 1);
        memset(d->part_number, 'P', sizeof d->part_number - 1);
    }
    cr_assert_eq(report_init(&fx.report, &fx.fake.platform, fake_sink(&fx.stream), fake_sink(&fx.text)), ST_OK);
    heap_host_grants = 0;
    report_start(&fx.report, &fx.machine, &fx.options, &fx.identity);
    heap_host_grants = UINT32_MAX;
    fixture_finish(&fx, RUN_ERROR);
    cr_expect_eq(fx.report.failed, ST_OK);
    cr_expect_eq(fx.report.refused, 1);
    cr_expect(fixture_stream_has(&fx, "package0") && !fixture_stream_has(&fx, "\"apicId\":["));
    expect_text(&fx, "there was no memory for the line");
}

Test(report, lost_processors_are_named_at_the_end)
{
    fixture_start(&fx);
    fx.fake.slots[3].flags |= CPU_LOST;
    fixture_finish(&fx, RUN_ERROR);
    expect_text(&fx, "cpu 3 (APIC 0x6) missed a deadline");
    cr_expect_eq(fx.result.logs, 1);
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
    { RUN_DONE, false, "COMPLETE", "NOT_APPLICABLE", "RESULT: DONE exit=0" },
    { RUN_WARN, false, "COMPLETE", "PASS", "RESULT: WARN exit=5" },
    { RUN_STOPPED, true, "SKIP", "NOT_APPLICABLE", "RESULT: STOPPED exit=2" },
    { RUN_ERROR, true, "SKIP", "NOT_APPLICABLE", "RESULT: ERROR exit=2" },
    { RUN_FAIL, true, "COMPLETE", "FAIL", "RESULT: FAIL exit=1" },
};

Test(report, the_last_line_is_the_result_in_both_forms)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char last[64];

        if (i > 0) {
            tear_down();
            set_up();
        }
        fixture_start(&fx);
        if (ends[i].run == RUN_PASS || ends[i].run == RUN_FAIL || ends[i].run == RUN_WARN) {
            fixture_step(&fx); /* a report without a check cannot say so */
            if (!check_measure(&fx.check, "lines", PLACE_NONE, ends[i].run == RUN_PASS, "lines", 1, 1))
                finding(&fx.check, ends[i].run == RUN_WARN ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_OTHER,
                        PLACE_NONE, "no line");
            fixture_close(&fx);
        }
        fx.engine.run.stopped = ends[i].stopped;
        fixture_finish(&fx, ends[i].run);
        cr_expect_str_eq(fx.result.status, ends[i].status);
        cr_expect_str_eq(fx.result.result, ends[i].result);
        snprintf(last, sizeof last, "\n%s\n", ends[i].line);
        cr_expect_str_eq(fx.text.text + fx.text.length - strlen(last), last);
        cr_expect_eq(fixture_text_has(&fx, "Nothing was checked"), ends[i].run == RUN_NOTHING);
    }
}

/* --- media ------------------------------------------------------------------------------------------------------- */

Test(report, the_first_failure_is_kept_and_the_text_goes_on)
{
    fixture_start(&fx);
    fx.stream.limit = fx.stream.length + 10;
    fx.stream.fails_with = ST_READ_ONLY;
    fixture_step(&fx);
    finding(&fx.check, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "seen on the console");
    fixture_close(&fx);
    cr_expect_eq(fx.report.failed, ST_READ_ONLY);
    cr_expect_eq(report_end(&fx.report, &fx.engine.run, RUN_FAIL), ST_READ_ONLY);
    cr_expect_eq(fx.stream.refused, 1);
    expect_text(&fx, "seen on the console", "volume write-protected", "RESULT: FAIL exit=1\n");
}

Test(report, a_text_that_cannot_be_written_fails_the_report_too)
{
    fixture_start(&fx);
    fx.text.limit = fx.text.length + 10;
    fixture_step(&fx);
    finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "x");
    fixture_close(&fx);
    cr_expect_eq(report_end(&fx.report, &fx.engine.run, RUN_PASS), ST_FULL);
    cr_expect_eq(fx.text.refused, 1);
}

Test(report, a_stream_without_text_is_fine)
{
    cr_assert_eq(report_init(&fx.report, &fx.fake.platform, fake_sink(&fx.stream), (struct sink){ 0 }), ST_OK);
    report_start(
        &fx.report, &fx.machine, &fx.options,
        &(struct run_identity){
            .version = "1", .commit = "2", .build_id = "3", .command_line = "", .built_for = "4", .checks = 1 });
    expect_stream(&fx, "\"checks\":1");
    fixture_step(&fx);
    finding(&fx.check, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "x");
    fixture_close(&fx);
    fx.engine = (struct engine){
        .platform = &fx.fake.platform, .machine = &fx.machine, .report = &fx.report, .options = &fx.options
    };
    fixture_finish(&fx, RUN_PASS);
    report_free(&fx.report);
    cr_expect_eq(report_init(&fx.report, &fx.fake.platform, (struct sink){ 0 }, fake_sink(&fx.text)), ST_RANGE);
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
