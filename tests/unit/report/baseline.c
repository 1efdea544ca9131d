/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/baseline.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[8192];

static void say(void *, const char *mark, const char *text)
{
    size_t n = strlen(said);

    snprintf(said + n, sizeof said - n, "%s|%s\n", mark, text);
}

static struct baseline_output out = { .say = say };

/* Two reports under construction. */
static struct stream {
    char text[65536];
    unsigned step, number;
    bool open;
} reports[2], *const old = &reports[0], *const now = &reports[1];

static void put(struct stream *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct stream *s, const char *format, ...)
{
    size_t n = strlen(s->text);
    va_list args;

    va_start(args, format);
    vsnprintf(s->text + n, sizeof s->text - n, format, args);
    va_end(args);
}

/* A line: its artifact, and after it the number that each line has. */
static void put_line(struct stream *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_line(struct stream *s, const char *format, ...)
{
    char artifact[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(artifact, sizeof artifact, format, args);
    va_end(args);
    put(s, "{%s,\"sequenceNumber\":%u}\n", artifact, s->number++);
}

static void begin(struct stream *s, const char *bios, unsigned max_rmid)
{
    memset(s, 0, sizeof *s);
    put_line(s, "\"schemaVersion\":{\"major\":2,\"minor\":0}");
    put_line(s,
             "\"testRunArtifact\":{\"testRunStart\":{\"name\":\"assay\",\"dutInfo\":{\"platformInfos\":[{\"info\":"
             "\"system-serial-number: S7\"}],\"softwareInfos\":[{\"softwareInfoId\":\"bios\",\"name\":\"BIOS\","
             "\"version\":\"%s\",\"softwareType\":\"FIRMWARE\"}],\"hardwareInfos\":[{\"hardwareInfoId\":\"cpu0\","
             "\"partType\":\"logical processor\"},{\"hardwareInfoId\":\"cpu1\",\"partType\":\"logical processor\"}],"
             "\"metadata\":{\"rdt\":{\"maxRmid\":%u}}}}}",
             bios, max_rmid);
}

static void step_line(struct stream *s, const char *artifact)
{
    put_line(s, "\"testStepArtifact\":{\"testStepId\":\"%u\",%s}", s->step, artifact);
}

static void end_step(struct stream *s)
{
    if (s->open)
        step_line(s, "\"testStepEnd\":{\"status\":\"COMPLETE\"}");
    s->open = false;
}

static void step(struct stream *s, const char *id)
{
    char artifact[128];

    end_step(s);
    s->step++;
    s->open = true;
    snprintf(artifact, sizeof artifact, "\"testStepStart\":{\"name\":\"%s\"}", id);
    step_line(s, artifact);
}

static void figure(struct stream *s, const char *name, const char *location, const char *value, const char *unit)
{
    char artifact[512];

    snprintf(artifact, sizeof artifact,
             "\"measurement\":{\"name\":\"%s\",\"value\":%s,\"unit\":\"%s\",\"validators\":[{\"type\":"
             "\"LESS_THAN_OR_EQUAL\",\"value\":9}],\"subcomponent\":{\"name\":\"%s\",\"location\":\"%s\"}}",
             name, value, unit, location, location);
    step_line(s, artifact);
}

/* The end of a step, as a check of this verdict has it. */
static void verdict(struct stream *s, const char *text)
{
    char artifact[128];
    const char *type = strcmp(text, "WARN") == 0 ? "UNKNOWN" : text;

    snprintf(artifact, sizeof artifact, "\"diagnosis\":{\"verdict\":\"assay-x\",\"type\":\"%s\"}", type);
    if (strcmp(text, "SKIP") != 0) {
        step_line(s, artifact);
        end_step(s);
        return;
    }
    step_line(s, "\"testStepEnd\":{\"status\":\"SKIP\"}");
    s->open = false;
}

static void read_stream(struct baseline *b, struct stream *s)
{
    end_step(s);
    cr_assert_eq(baseline_open(b), ST_OK);
    baseline_add(b, s->text, strlen(s->text));
    baseline_end(b);
}

/* What is said about the two, one line a change. */
static uint32_t compare(uint32_t most)
{
    struct baseline a, b;
    uint32_t n;

    read_stream(&a, old);
    read_stream(&b, now);
    said[0] = '\0';
    n = baseline_compare(&a, &b, most, &out);
    baseline_free(&a);
    baseline_free(&b);
    return n;
}

static void begin_both(void)
{
    begin(old, "1", 1);
    begin(now, "1", 1);
}

TestSuite(baseline, .init = begin_both);

Test(baseline, says_nothing_of_a_report_and_itself)
{
    step(old, "mbm.local");
    figure(old, "local bytes", "domain=0", "8388608", "bytes");
    verdict(old, "PASS");
    *now = *old;
    cr_expect_eq(compare(100), 0);
    cr_expect_str_eq(said, "");
}

/* Reports have processors as columns of the metadata, older ones as hardwareInfos, of which begin() has two. */
Test(baseline, processors_are_counted_in_either_form)
{
    static const char *const ids[] = { "0,1", "0" }, *const says[] = { "", "WARN|logical processors 2 -> 1\n" };

    for (unsigned i = 0; i < 2; i++) {
        begin(old, "1.0", 255);
        memset(now, 0, sizeof *now);
        put_line(now, "\"schemaVersion\":{\"major\":2,\"minor\":0}");
        put_line(now,
                 "\"testRunArtifact\":{\"testRunStart\":{\"dutInfo\":{\"platformInfos\":[{\"info\":"
                 "\"system-serial-number: S7\"}],\"softwareInfos\":[{\"softwareInfoId\":\"bios\",\"name\":\"BIOS\","
                 "\"version\":\"1.0\",\"softwareType\":\"FIRMWARE\"}],"
                 "\"metadata\":{\"rdt\":{\"maxRmid\":255},\"processors\":{\"apicId\":[%s]}}}}}",
                 ids[i]);
        compare(100);
        cr_expect_str_eq(said, says[i], "%s", said);
    }
}

Test(baseline, names_what_is_enumerated_differently)
{
    begin(old, "1.0", 255);
    begin(now, "1.1", 223);
    cr_expect_eq(compare(100), 2);
    cr_expect_str_eq(said, "WARN|highest RMID 255 -> 223\n|BIOS 1.0 -> 1.1\n");
}

/* The change and the spread that was usual, both in percent. */
Test(baseline, says_how_far_a_figure_moved_and_how_far_it_used_to)
{
    step(old, "mbm.local");
    figure(old, "local bytes", "domain=0", "1006", "bytes");
    figure(old, "local bytes", "domain=1", "994", "bytes");
    step(now, "mbm.local");
    figure(now, "local bytes", "domain=0", "964.754", "bytes");
    figure(now, "local bytes", "domain=1", "1000", "bytes");
    cr_expect_eq(compare(100), 1);
    cr_expect_str_eq(said, "|mbm.local: local bytes, L3 domain 0: 1006 -> 965 bytes, -4.1 %, was +/-0.6 %\n");
}

Test(baseline, lets_a_figure_move_within_its_spread_and_two_percent)
{
    step(old, "a.wide");
    figure(old, "x", "cpu=0", "100", "ns");
    figure(old, "x", "cpu=1", "120", "ns");
    step(old, "a.narrow");
    figure(old, "x", "", "100", "ns");
    step(now, "a.wide");
    figure(now, "x", "cpu=0", "125", "ns"); /* three times 9 % are allowed */
    step(now, "a.narrow");
    figure(now, "x", "", "101.9", "ns");
    cr_expect_eq(compare(100), 0, "%s", said);
}

Test(baseline, counts_must_be_equal)
{
    step(old, "pmon.boxes");
    figure(old, "UPI boxes", "package=0", "3", "boxes");
    figure(old, "UPI boxes", "package=1", "1000", "boxes");
    step(now, "pmon.boxes");
    figure(now, "UPI boxes", "package=0", "2", "boxes");
    figure(now, "UPI boxes", "package=1", "1001", "boxes");
    cr_expect_eq(compare(100), 2);
    cr_expect_str_eq(said, "WARN|pmon.boxes: UPI boxes, package 0: 3 -> 2 boxes\n"
                           "|pmon.boxes: UPI boxes, package 1: 1000 -> 1001 boxes\n");
}

static bool is_expected(void *, const char *id)
{
    return strncmp(id, "a.left-out", 10) != 0;
}

/* What an earlier run passed and this one should have looked at and did not. */
Test(baseline, names_checks_that_are_skipped_now_or_gone)
{
    step(old, "a.skipped"), verdict(old, "PASS");
    step(old, "a.gone"), verdict(old, "PASS");
    step(old, "a.skip-gone"), verdict(old, "SKIP");
    step(old, "a.left-out"), verdict(old, "PASS");
    step(now, "a.skipped"), verdict(now, "SKIP");
    out.expected = is_expected;
    cr_expect_eq(compare(100), 3);
    cr_expect_str_eq(said, "WARN|a.skipped PASS -> SKIP\nWARN|a.gone PASS -> missing\n|a.skip-gone SKIP -> missing\n");
}

Test(baseline, says_which_statuses_changed_and_leaves_alone_what_was_not_run)
{
    step(old, "a.same"), verdict(old, "PASS");
    step(old, "a.worse"), verdict(old, "PASS");
    step(old, "a.better"), verdict(old, "FAIL");
    step(old, "a.gone"), verdict(old, "PASS");
    step(now, "a.same"), verdict(now, "PASS");
    step(now, "a.worse"), verdict(now, "PASS");
    step(now, "a.worse"), verdict(now, "FAIL"); /* the worst of its rounds */
    step(now, "a.better"), verdict(now, "PASS");
    cr_expect_eq(compare(100), 2);
    cr_expect_str_eq(said, "WARN|a.worse PASS -> FAIL\n|a.better FAIL -> PASS\n");
}

/* An attempt that SMIs fell into is a SKIP that does not count. */
Test(baseline, passes_over_the_verdict_of_a_dropped_attempt)
{
    step(old, "a.b"), figure(old, "x", "", "9", "bits"), verdict(old, "PASS");
    step(now, "a.b"), figure(now, "x", "", "5", "bits");
    step_line(now, "\"extension\":{\"name\":\"assay.cost\",\"content\":{\"verdict\":\"SKIP\",\"dropped\":true}}");
    verdict(now, "SKIP");
    step(now, "a.b"), figure(now, "x", "", "9", "bits"), verdict(now, "PASS");
    cr_expect_eq(compare(100), 0, "%s", said);
}

Test(baseline, tells_so_many_and_how_many_more_there_are)
{
    for (unsigned i = 0; i < 30; i++) {
        char id[20];

        snprintf(id, sizeof id, "a.check-%u", i);
        step(old, id), verdict(old, "PASS");
        step(now, id), verdict(now, "WARN");
    }
    cr_expect_eq(compare(3), 30);
    cr_expect_not_null(strstr(said, "a.check-2 PASS -> WARN\n|and 27 more changes"));
    cr_expect_null(strstr(said, "a.check-3"));
}

/* A stream that was cut, or has a line of somebody else's in it, is compared as far as it goes. */
Test(baseline, reads_what_there_is_of_a_damaged_stream)
{
    step(old, "a.b");
    put(old, "not JSON at all {\n");
    figure(old, "x", "", "1", "bits");
    end_step(old);
    put(old, "{\"testStepArtifact\":{\"testStepId\":\"1\",\"measurement\":{\"name\":\"x\",\"val");
    step(now, "a.b");
    figure(now, "x", "", "2", "bits");
    cr_expect_eq(compare(100), 1);
    cr_expect_str_eq(said, "|a.b: x: 1 -> 2 bits\n");
}

/* A check without an end hung its machine: it is an ERROR, and one that ends now is better. */
Test(baseline, a_check_that_has_no_end_is_an_error)
{
    step(old, "a.hung");
    old->open = false; /* and nothing after it */
    step(now, "a.hung"), verdict(now, "PASS");
    cr_expect_eq(compare(100), 1);
    cr_expect_str_eq(said, "|a.hung ERROR -> PASS\n");
}

Test(baseline, keeps_within_its_memory_whatever_comes)
{
    struct baseline b;
    struct stream *s = calloc(1, sizeof *s);

    put(s, "{\"testRunArtifact\":{\"testRunStart\":{\"dutInfo\":{\"hardwareInfos\":[");
    for (unsigned i = 0; i < 1000; i++)
        put(s, "%s{\"partType\":\"part %c%c\"}", i ? "," : "", 'a' + i % 26, 'a' + i / 26 % 26);
    put(s, "]}}},\"sequenceNumber\":%u}\n", s->number++);
    cr_assert_eq(baseline_open(&b), ST_OK);
    baseline_add(&b, s->text, strlen(s->text));
    for (unsigned i = 0; i < 20000; i++) {
        s->text[0] = '\0';
        s->step = i;
        char name[40];

        snprintf(name, sizeof name, "check.%c%c%c", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
        step(s, name);
        figure(s, "a figure with a name that is not short", "a place", "1", "bytes");
        verdict(s, "PASS");
        baseline_add(&b, s->text, strlen(s->text));
    }
    baseline_end(&b);
    cr_expect_eq(b.n_figures, BASELINE_FIGURES / 2);
    cr_expect_eq(b.lost, 20000 - BASELINE_FIGURES / 2);
    cr_expect_eq(b.n_checks, BASELINE_CHECKS);
    cr_expect_eq(b.n_facts, BASELINE_FACTS);
    said[0] = '\0';
    cr_expect_eq(baseline_compare(&b, &b, 10, &out), 0, "%s", said);
    baseline_free(&b);
    free(s);
}

/* Of a name that is longer than what is kept its beginning counts. */
Test(baseline, long_names_that_begin_alike_are_one)
{
    char text[1024], name[200];
    struct baseline b;

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text,
             "{\"testRunArtifact\":{\"testRunStart\":{\"dutInfo\":{\"softwareInfos\":[{\"name\":\"%s\",\"version\":\"1."
             "0\",\"softwareType\":\"FIRMWARE\"},"
             "{\"name\":\"%s\",\"version\":\"2.0\",\"softwareType\":\"FIRMWARE\"}]}}},\"sequenceNumber\":0}\n",
             name, name);
    cr_assert_eq(baseline_open(&b), ST_OK);
    baseline_add(&b, text, strlen(text));
    baseline_end(&b);
    cr_expect_eq(b.n_facts, 1);
    cr_expect_str_eq(b.facts[0].value, "1.0, 2.0");
    cr_expect_eq(baseline_compare(&b, &b, 10, &out), 0, "%s", said);
    baseline_free(&b);
}
