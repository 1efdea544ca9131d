/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is derived from the golden stream is tests/fixtures/stream/golden.figures, which tests/report/test_figures.py holds to what
 * the reader in Python reads out of the same stream; tests/support/drivers/figures.py makes it. */
#include "core/report/figures.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/whole_file.h"

struct taken {
    char text[1 << 16];
    size_t length, room; /* room: put() fails beyond it */
};

static enum status take(void *context, const char *bytes, size_t length)
{
    struct taken *t = context;

    if (t->length + length >= t->room)
        return ST_FULL;
    memcpy(t->text + t->length, bytes, length);
    t->length += length;
    t->text[t->length] = '\0';
    return ST_OK;
}

static enum status derive(struct taken *t, size_t room, const char *stream, size_t length, size_t piece)
{
    struct figures f;

    *t = (struct taken){ .room = room };
    figures_begin(&f, t, take);
    for (size_t at = 0; at < length; at += piece)
        figures_add(&f, stream + at, length - at < piece ? length - at : piece);
    return figures_end(&f);
}

static char *fixture(const char *name, size_t *length)
{
    char path[64], *text;

    snprintf(path, sizeof path, "tests/fixtures/stream/%s", name);
    text = whole_file(path, length);
    cr_assert(text, "%s", path);
    return text;
}

static struct taken taken;

#define WHOLE sizeof taken.text

Test(figures, of_the_golden_stream_are_the_same_in_pieces_of_any_size)
{
    size_t length, expected_length;
    char *stream = fixture("golden.jsonl", &length), *expected = fixture("golden.figures", &expected_length);

    for (size_t piece = 1; piece <= length; piece = piece * 3 + 1) {
        cr_expect_eq(derive(&taken, WHOLE, stream, length, piece), ST_OK);
        cr_expect_str_eq(taken.text, expected, "pieces of %zu bytes", piece);
    }
    free(stream);
    free(expected);
}

#define START                                                                                                          \
    "{\"schemaVersion\":{\"major\":2,\"minor\":0},\"sequenceNumber\":0}\n"                                             \
    "{\"testRunArtifact\":{\"testRunStart\":{\"name\":\"assay\"}},\"sequenceNumber\":1}\n"
#define STEP(n, line) "{\"testStepArtifact\":{\"testStepId\":\"0\"," line "},\"sequenceNumber\":" n "}\n"
#define END(n)                                                                                                         \
    "{\"testRunArtifact\":{\"testRunEnd\":{\"status\":\"COMPLETE\",\"result\":\"PASS\"}},\"sequenceNumber\":" n "}\n"

Test(figures, of_an_attempt_that_does_not_count_are_left_out)
{
    static const char stream[] = START STEP("2", "\"testStepStart\":{\"name\":\"a.b\"}")
        STEP("3", "\"measurement\":{\"name\":\"m\",\"value\":1}")
            STEP("4", "\"extension\":{\"name\":\"assay.cost\",\"content\":{\"dropped\":true}}")
                STEP("5", "\"testStepEnd\":{\"status\":\"SKIP\"}") STEP("6", "\"testStepStart\":{\"name\":\"a.b\"}")
                    STEP("7", "\"extension\":{\"name\":\"assay.check\",\"content\":{\"round\":3}}")
                        STEP("8", "\"measurement\":{\"name\":\"m\",\"value\":2.50,\"validators\":[{\"type\":\"LESS_"
                                  "THAN\",\"value\":1e1}]}")
                            STEP("9", "\"measurement\":{\"name\":\"w\",\"value\":\"word\"}")
                                STEP("10", "\"diagnosis\":{\"verdict\":\"v\",\"type\":\"PASS\"}")
                                    STEP("11", "\"testStepEnd\":{\"status\":\"COMPLETE\"}") END("12");

    cr_expect_eq(derive(&taken, WHOLE, stream, sizeof stream - 1, sizeof stream), ST_OK);
    cr_expect(strstr(taken.text, "\n{\"figures\":1}\n"
                                 "{\"check\":\"a.b\",\"figures\":[[\"m\",\"\",\"\",\"\"]]}\n"
                                 "[2.50,null,1e1]\n"
                                 "{\"found\":[],\"verdict\":\"PASS\",\"round\":3}\n"
                                 "{\"end\":"),
              "%s", taken.text);
}

Test(figures, of_a_stream_without_an_end_or_with_a_fault_are_none)
{
    static const char whole[] = START END("2"), stops[] = START, fault[] = START "{}\n" END("3"),
                      torn[] = START END("2") "{";

    cr_expect_eq(derive(&taken, WHOLE, whole, sizeof whole - 1, 7), ST_OK);
    cr_expect_eq(derive(&taken, WHOLE, stops, sizeof stops - 1, 7), ST_CORRUPT);
    cr_expect_eq(derive(&taken, WHOLE, fault, sizeof fault - 1, 7), ST_CORRUPT);
    cr_expect_eq(derive(&taken, WHOLE, torn, sizeof torn - 1, 7), ST_CORRUPT);
    cr_expect_eq(derive(&taken, WHOLE, "", 0, 1), ST_CORRUPT);
}

Test(figures, end_at_the_first_failure)
{
    size_t length;
    char *stream = fixture("golden.jsonl", &length);

    cr_expect_eq(derive(&taken, 3000, stream, length, 4096), ST_FULL);
    cr_expect_leq(taken.length, 3000);
    free(stream);
}
