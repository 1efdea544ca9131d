/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files of events: docs/uncore.md, "Events by Intel's names". */
#include "core/events/event_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/whole_file.h"

#define HEAD "assay-events 1\nmodels: 6-6A 6-55-01234\nsource: test\n"
#define IMC  "iMC\tUNC_M_CAS_COUNT.RD\t0x4:0xf\n"
#define CHA  "CHA\tUNC_CHA_TOR_INSERTS.IA_MISS_DRD\t0x35:0x1:0xc817fe\n"

static enum status parse(struct event_file *file, const char *text, struct event_file_error *error)
{
    return event_file_parse(file, text, strlen(text), error);
}

Test(event_file, events_are_found_by_unit_and_name)
{
    struct event_file_error error;
    struct event_file f;
    const struct named_event *e;

    cr_assert_eq(parse(&f, HEAD "# comment\n" IMC CHA "end: 2\r\n", &error), ST_OK, "%s", error.text);
    cr_expect_eq(f.n_events, 2);
    cr_expect_str_eq(f.source, "test");
    e = event_file_find(&f, "", "unc_cha_tor_inserts.ia_miss_drd");
    cr_assert_not_null(e);
    cr_expect_str_eq(e->unit, "CHA");
    cr_expect_eq(e->spec.extension, 0xC817FE);
    cr_expect_not_null(event_file_find(&f, "imc", "UNC_M_CAS_COUNT.RD"));
    cr_expect_null(event_file_find(&f, "cha", "UNC_M_CAS_COUNT.RD"));
    event_file_free(&f);
}

Test(event_file, the_nearest_names_come_first)
{
    struct event_file_error error;
    struct event_file f;
    struct nearest_names n = { .n = 0 };

    cr_assert_eq(parse(&f,
                       HEAD IMC CHA "CHA\tUNC_CHA_TOR_INSERTS.IA_MISS_RFO\t0x35:0x1:0xc807fe\n"
                                    "CHA\tUNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD\t0x36:0x1:0xc817fe:counters=0x1\nend: 4\n",
                       &error),
                 ST_OK);
    event_file_nearest(&f, "", "UNC_CHA_TOR_INSERTS.IA_MIS_DRD", &n);
    cr_assert_eq(n.n, 3);
    cr_expect_str_eq(n.names[0], "UNC_CHA_TOR_INSERTS.IA_MISS_DRD");
    cr_expect_str_eq(n.names[1], "UNC_CHA_TOR_INSERTS.IA_MISS_RFO");
    cr_expect_str_eq(n.names[2], "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD");
    event_file_free(&f);
}

Test(event_file, a_bad_line_is_named_with_its_field)
{
    static const struct {
        const char *text, *field, *says;
        uint32_t line;
    } bad[] = {
        { "", "", "first line is not", 1 },
        { "assay-events 2\n", "", "not \"assay-events 1\", but \"assay-events 2\"", 1 },
        { "assay-events 1\nsource: x\n", "models", "no line", 2 },
        { "assay-events 1\nmodels: 6-6A\n", "source", "no line", 3 },
        { HEAD, "", "stops before", 4 },
        { HEAD IMC, "", "stops before", 5 },
        { HEAD IMC "end: 2\n", "end", "not the number", 5 },
        { HEAD IMC "end: x\n", "end", "not the number", 5 },
        { HEAD IMC "end: 1\nx\n", "", "after the last", 6 },
        { HEAD "iMC\n", "name", "is missing", 4 },
        { HEAD "iMC\tX\n", "event", "is missing", 4 },
        { HEAD "iMC\tX\t0:0\tmore\n", "", "more than 3", 4 },
        { HEAD "\tX\t0:0\n", "unit", "is empty", 4 },
        { HEAD "iMC\t\x01\t0:0\n", "name", "not ASCII", 4 },
        { HEAD IMC "metric\tX\t\t1\nend: 2\n", "metric", "is empty", 5 },
        { HEAD IMC "metric\tX\t%\t1\nend: 1\n", "end", "not the number", 6 },
        { HEAD IMC "iMC\tX\t0:zero\n", "event umask", "not a number", 5 },
        { HEAD "# c\niMC\tX\t0:0:tresh=1\n", "event tresh", "is no field", 5 },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct event_file_error error;
        struct event_file f;

        cr_expect_eq(parse(&f, bad[i].text, &error), ST_CORRUPT, "%s", bad[i].text);
        cr_expect_eq(error.line, bad[i].line, "%s: line %u", bad[i].text, error.line);
        cr_expect_str_eq(error.field, bad[i].field, "%s: %s", bad[i].text, error.field);
        cr_expect_not_null(strstr(error.text, bad[i].says), "%s: %s", bad[i].text, error.text);
    }
}

Test(event_file, a_text_with_a_zero_in_it_is_none)
{
    static const char text[] = HEAD IMC "end: 1\n\0";
    struct event_file_error error;
    struct event_file f;

    cr_expect_eq(event_file_parse(&f, text, sizeof text, &error), ST_CORRUPT);
}

Test(event_file, the_first_lines_say_which_processors_it_is_for)
{
    static const struct {
        uint32_t family, model, stepping;
        enum status is;
    } cpus[] = { { 6, 0x6A, 6, ST_OK },     { 6, 0x55, 4, ST_OK },      { 6, 0x55, 7, ST_ABSENT },
                 { 6, 0x6C, 1, ST_ABSENT }, { 15, 0x6A, 6, ST_ABSENT }, { 6, 0x55, 16, ST_ABSENT } };
    struct event_file_error error;

    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        cr_expect_eq(event_file_fits(HEAD, sizeof HEAD - 1, cpus[i].family, cpus[i].model, cpus[i].stepping, &error),
                     cpus[i].is, "%zu", i);
}

Test(event_file, a_list_of_processors_that_is_none_is_an_error)
{
    static const char *const models[] = { "6", "6-", "6-6A,6-6C", "6-6A-", "6-6A-X", "GenuineIntel-6-6A", "6-12345" };
    struct event_file_error error;
    char text[128];

    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        int n = snprintf(text, sizeof text, "assay-events 1\nmodels: %s\nsource: x\n", models[i]);

        cr_expect_eq(event_file_fits(text, (size_t)n, 6, 0x6A, 0, &error), ST_CORRUPT, "%s", models[i]);
        cr_expect_str_eq(error.field, "models");
        cr_expect_eq(error.line, 2);
    }
}

/* scripts/perfmon-events made it: tests/report/test_events.py. */
Test(event_file, what_the_script_writes_is_read)
{
    struct event_file_error error;
    struct event_file file;
    const struct named_event *e;
    size_t n;
    char *text = whole_file(ASSAY_ROOT "/tests/fixtures/events/icx.events", &n);

    cr_assert_not_null(text);
    cr_assert_eq(event_file_parse(&file, text, n, &error), ST_OK, "line %u: %s %s", error.line, error.field,
                 error.text);
    cr_expect_eq(event_file_fits(text, n, 6, 0x6C, 1, &error), ST_OK);
    e = event_file_find(&file, "IIO", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0");
    cr_assert_not_null(e);
    cr_expect(e->spec.ch_mask == 1 && e->spec.fc_mask == 7 && e->spec.counters == 3);
    e = event_file_find(&file, "", "UNC_M_HCLOCKTICKS");
    cr_expect(e && e->spec.fixed);
    event_file_free(&file);
    free(text);
}
