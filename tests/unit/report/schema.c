/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The project's own reader of the OCP stream must refuse what the format does not allow: a reader that says yes to
 * everything would prove nothing about the reports. Most of it is in tests/fixtures/stream/damaged.json (tests/report/test_stream.py);
 * here is what a stream of Assay's cannot show: numbers, times, series, and streams that stop. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/data/ocp_stream.h"

/* A line of the given number; the artifact is spelled with ' for ". */
static size_t put_line(char *out, uint32_t number, const char *artifact)
{
    size_t n =
        (size_t)sprintf(out, "{%s,'sequenceNumber':%u,'timestamp':'2026-11-21T06:19:02.123Z'}\n", artifact, number);

    for (size_t i = 0; i < n; i++)
        if (out[i] == '\'')
            out[i] = '"';
    return n;
}

#define VERSION "'schemaVersion':{'major':2,'minor':0}"
#define START                                                                                                          \
    "'testRunArtifact':{'testRunStart':{'name':'assay','version':'1','commandLine':'','parameters':{},'dutInfo':{"     \
    "'dutInfoId':'0'}}}"
#define STEP(id, rest) "'testStepArtifact':{'testStepId':'" id "'," rest "}"
#define BEGIN(id)      STEP(id, "'testStepStart':{'name':'a.b'}")
#define END(id)        STEP(id, "'testStepEnd':{'status':'SKIP'}")
#define FINISH         "'testRunArtifact':{'testRunEnd':{'status':'SKIP','result':'NOT_APPLICABLE'}}"
#define SERIES(id)     STEP("0", "'measurementSeriesStart':{'name':'s','measurementSeriesId':'" id "'}")
#define ELEMENT(id, i)                                                                                                 \
    STEP("0", "'measurementSeriesElement':{'index':" #i ",'value':1,'timestamp':'2026-11-21T06:19:02Z',"               \
              "'measurementSeriesId':'" id "'}")
#define SERIES_END(id, n) STEP("0", "'measurementSeriesEnd':{'measurementSeriesId':'" id "','totalCount':" #n "}")

static char text[8192];

static size_t stream_of(const char *const *lines)
{
    size_t n = 0;

    for (uint32_t i = 0; lines[i]; i++)
        n += put_line(text + n, i, lines[i]);
    return n;
}

Test(ocp_stream, takes_what_the_format_allows)
{
    static const char *const lines[] = {
        VERSION,
        START,
        "'testRunArtifact':{'log':{'severity':'INFO','message':'x'}}",
        BEGIN("0"),
        STEP("0", "'measurement':{'name':'m','value':1.5,'unit':'x','validators':[{'type':'EQUAL','value':true}],"
                  "'subcomponent':{'name':'s','type':'BUS'},'metadata':{'any':[1]}}"),
        SERIES("a"),
        ELEMENT("a", 0),
        ELEMENT("a", 1),
        SERIES_END("a", 2),
        STEP("0", "'diagnosis':{'verdict':'v','type':'FAIL'}"),
        STEP("0", "'error':{'symptom':'s','softwareInfoIds':['1']}"),
        STEP("0", "'extension':{'name':'e','content':{'x':null}}"),
        STEP("0", "'file':{'displayName':'f','uri':'file:///x','isSnapshot':false}"),
        STEP("0", "'testStepEnd':{'status':'COMPLETE'}"),
        "'testRunArtifact':{'testRunEnd':{'status':'COMPLETE','result':'FAIL'}}",
        NULL,
    };
    struct ocp_result r;

    cr_assert(ocp_check(text, stream_of(lines), false, &r), "%s", r.fault);
    cr_expect_eq(r.lines, 15);
    cr_expect_eq(r.steps, 1);
    cr_expect_eq(r.measurements, 1);
    cr_expect_eq(r.series, 1);
    cr_expect_str_eq(r.result, "FAIL");
}

/* Each: one line inside an open step "0". */
static const char *const bad_in_step[] = { STEP("0", "'error':{'symptom':'s','softwareInfoIds':[1]}"), VERSION };

Test(ocp_stream, refuses_an_item_of_another_type_and_a_second_version)
{
    for (size_t i = 0; i < sizeof bad_in_step / sizeof *bad_in_step; i++) {
        const char *const lines[] = { VERSION, START, BEGIN("0"), bad_in_step[i], END("0"), FINISH, NULL };
        struct ocp_result r;

        cr_expect_not(ocp_check(text, stream_of(lines), false, &r), "%s", bad_in_step[i]);
    }
}

Test(ocp_stream, refuses_series_that_do_not_add_up)
{
    static const char *const cases[][8] = {
        { SERIES("a"), ELEMENT("a", 0), SERIES_END("a", 2), NULL },
        { SERIES("a"), ELEMENT("a", 1), SERIES_END("a", 1), NULL },
        { SERIES("a"), SERIES("b"), NULL },
        { SERIES("a"), NULL }, /* left open */
        { SERIES("a"), SERIES_END("a", 0), SERIES("a"), SERIES_END("a", 0), NULL },
        { SERIES("a"), ELEMENT("b", 0), SERIES_END("a", 1), NULL },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *lines[16] = { VERSION, START, BEGIN("0") };
        size_t n = 3;
        struct ocp_result r;

        for (size_t k = 0; cases[i][k]; k++)
            lines[n++] = cases[i][k];
        lines[n++] = END("0");
        lines[n] = FINISH;
        cr_expect_not(ocp_check(text, stream_of(lines), false, &r), "case %zu", i);
    }
}

static const char *const whole[] = { VERSION, START, BEGIN("0"), END("0"), FINISH, NULL };

/* Changes the first `from` in a good stream into `to` of the same length. */
static bool still_valid(const char *from, const char *to, bool partial)
{
    size_t n = stream_of(whole);
    char *at = strstr(text, from);
    struct ocp_result r;

    cr_assert_not_null(at, "%s", from);
    memcpy(at, to, strlen(from));
    return ocp_check(text, n, partial, &r);
}

Test(ocp_stream, refuses_numbers_times_and_versions_that_are_wrong)
{
    cr_expect(still_valid("06:19:02.123Z", "06:19:02.122Z", false));
    cr_expect_not(still_valid("\"sequenceNumber\":3", "\"sequenceNumber\":4", false), "a gap");
    cr_expect_not(still_valid("\"sequenceNumber\":3", "\"sequenceNumber\":2", true), "twice");
    cr_expect_not(still_valid("2026-11-21T", "2026-13-21T", false));
    cr_expect_not(still_valid("06:19:02.123Z", "25:19:02.123Z", false));
    cr_expect_not(still_valid("06:19:02.123Z", "06:19:02.123 ", false));
    cr_expect_not(still_valid("06:19:02.123Z", "06:19:02.---Z", false));
    cr_expect_not(still_valid("\"major\":2", "\"major\":3", false));
    cr_expect_not(still_valid("},\"seq", "},,\"se", false), "not JSON at all");
}

Test(ocp_stream, a_partial_stream_may_stop_but_not_begin_wrong)
{
    size_t n = stream_of(whole);
    struct ocp_result r;

    cr_expect_not(ocp_check(text, 0, true, &r), "nothing is no stream");
    cr_expect_not(ocp_check(text, 0, false, &r));
    cr_expect(ocp_check(text, n - 5, true, &r), "%s", r.fault);
    cr_expect_not(r.ended);
    cr_expect_not(ocp_check(text, n - 5, false, &r));
    cr_expect_not(ocp_check(text + 10, n - 10, true, &r));
}
