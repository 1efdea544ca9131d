/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/json_stream.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/json_read.h"

static char heard[8192];
static unsigned good_lines, bad_lines;

static void scalar(void *, const char *path, enum json_scalar kind, const char *text)
{
    static const char kinds[] = { 't', 'n', 'w' };
    size_t n = strlen(heard);

    cr_assert_lt(strlen(path), JSON_STREAM_PATH);
    cr_assert_lt(strlen(text), JSON_STREAM_TEXT);
    snprintf(heard + n, sizeof heard - n, "%s=%c:%s\n", path, kinds[kind], text);
}

static void line(void *, bool valid)
{
    *(valid ? &good_lines : &bad_lines) += 1;
}

static void hear(const char *text, size_t length, size_t piece)
{
    struct json_stream s = { .scalar = scalar, .line = line };

    heard[0] = '\0';
    good_lines = bad_lines = 0;
    for (size_t at = 0; at < length; at += piece)
        json_stream_add(&s, text + at, length - at < piece ? length - at : piece);
    json_stream_end(&s);
}

static void hear_all(const char *text)
{
    hear(text, strlen(text), 1000);
}

Test(json_stream, hands_out_each_scalar_with_the_keys_that_lead_to_it)
{
    hear_all("{\"a\":{\"b\":1,\"c\":[2,{\"d\":\"x\"},true]},\"e\":-1.5e3,\"f\":{},\"g\":[],\"h\":null}\n");
    cr_expect_str_eq(heard, "a.b=n:1\na.c=n:2\na.c.d=t:x\na.c=w:true\ne=n:-1.5e3\nh=w:null\n");
    cr_expect_eq(good_lines, 1);
    cr_expect_eq(bad_lines, 0);
}

Test(json_stream, decodes_escapes_and_keeps_to_printable_characters)
{
    hear_all("{\"a\":\"q\\\"s\\\\t\\/u\\u0041\\u00e9\\n\xC3\xA9\\ud83d\\ude00\"}");
    cr_expect_str_eq(heard, "a=t:q\"s\\t/uA? ??\n");
    cr_expect_eq(good_lines, 1);
}

Test(json_stream, continues_after_a_line_that_is_no_json)
{
    static const char *const bad[] = { "{",
                                       "}",
                                       "{\"a\"}",
                                       "{\"a\":1,}",
                                       "[1,]",
                                       "{\"a\":01}",
                                       "{\"a\":1.}",
                                       "{\"a\":+1}",
                                       "{\"a\":tru}",
                                       "nul",
                                       "{\"a\":1}x",
                                       "{\"a\":\"\\x\"}",
                                       "{a:1}",
                                       "[1}",
                                       "{\"a\":\"\x01\"}",
                                       "\"open",
                                       "{\"a\":1 2}",
                                       "{\"a\" 1}",
                                       "{\"a\":\"\\ud800\"}",
                                       "{\"a\":\"\\udc00\"}",
                                       "{\"a\":\"\\ud800\\n\"}",
                                       "{\"a\":\"\\ud800\\ud800\"}",
                                       "{\"a\":1,\"a\":1}",
                                       "{\"b\":[{\"c\":1,\"a\":{\"a\":2},\"\\u0061\":3}]}",
                                       "{\"\xC3\xA9\":1,\"\\u00e9\":2}",
                                       "{\"a\":\"\xFF\"}",
                                       "{\"a\":\"\xC3\"}",
                                       "{\"a\":\"\xC0\x80\"}",
                                       "{\"a\":\"\xED\xA0\x80\"}",
                                       "{\"a\":\"\xF4\x90\x80\x80\"}",
                                       "{\"a\":\xC3\xA9}" };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[100];

        snprintf(text, sizeof text, "%s\n{\"z\":7}\n", bad[i]);
        hear_all(text);
        cr_expect_eq(bad_lines, 1, "%s", bad[i]);
        cr_expect_eq(good_lines, 1, "%s", bad[i]);
        cr_expect_not_null(strstr(heard, "z=n:7\n"), "%s", bad[i]);
    }
    hear("{\"a\":1\0}\n", 9, 9);
    cr_expect_eq(bad_lines, 1, "a zero byte");
    hear_all("\r\n  \n");
    cr_expect_eq(good_lines + bad_lines, 0, "blanks are no line");
}

/* Memory does not grow: what is too long is cut, what is too deep is no line. */
Test(json_stream, bounds_every_length)
{
    char *text = malloc(400000);
    size_t n = 0;

    n += (size_t)sprintf(text, "{\"");
    memset(text + n, 'k', 100000);
    n += 100000;
    n += (size_t)sprintf(text + n, "\":{\"inner\":1},\"v\":\"");
    memset(text + n, 'v', 100000);
    n += 100000;
    sprintf(text + n, "\"}\n{\"after\":2}\n");
    hear_all(text);
    cr_expect_eq(good_lines, 2);
    cr_expect_null(strstr(heard, "inner"));
    cr_expect_eq(strlen(strstr(heard, "v=t:")), 4 + JSON_STREAM_TEXT - 1 + 1 + strlen("after=n:2\n"));

    memset(text, '[', 100000);
    strcpy(text + 100000, "\n{\"after\":2}\n");
    hear_all(text);
    cr_expect_eq(bad_lines, 1);
    cr_expect_str_eq(heard, "after=n:2\n");

    n = (size_t)sprintf(text, "{\"l\":[{");
    for (unsigned i = 0; i < JSON_STREAM_KEYS; i++)
        n += (size_t)sprintf(text + n, "%s\"%u\":0", i > 0 ? "," : "", i);
    sprintf(text + n, "}]}\n{\"after\":2}\n");
    hear_all(text);
    cr_expect_eq(bad_lines, 1, "a member more, with that of the object outside, than there is room for");
    cr_expect_eq(good_lines, 1);

    memset(text, '9', 1000);
    strcpy(text + 1000, "\n");
    hear_all(text);
    cr_expect_eq(bad_lines, 1, "a number of a thousand digits");
    free(text);
}

static uint32_t random_state;

static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* What a strict reader takes, this one takes; and pieces make no difference to anything. */
Test(json_stream, agrees_with_a_strict_reader_on_damaged_lines)
{
    static const char seed[] = "{\"a\":{\"b\":[1,-2.5e+3,\"t\\u0041\\n\",{\"c\":true}],\"d\":null},\"e\":\"x,}]:\"}";
    static const char letters[] = "{}[]:,\"\\ue0123456789.-+truefalsn \t\r\x01\x7f\xff";
    unsigned both = 0;

    random_state = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char text[sizeof seed], whole[sizeof heard], why[200];
        size_t length = sizeof seed - 1;
        unsigned good;

        memcpy(text, seed, sizeof seed);
        for (unsigned k = any(4); k > 0; k--)
            text[any((uint32_t)length)] = letters[any(sizeof letters - 1)];
        if (any(4) == 0)
            length = any((uint32_t)length) + 1;
        struct json_value *v = json_read(text, length, why, sizeof why);

        hear(text, length, length);
        if (v) {
            cr_assert_eq(good_lines, 1, "%.*s", (int)length, text);
            cr_assert_eq(bad_lines, 0);
            both++;
        }
        json_drop(v);
        good = good_lines;
        strcpy(whole, heard);
        hear(text, length, 1 + any(5));
        cr_assert_eq(good_lines, good);
        cr_assert_str_eq(heard, whole);
    }
    cr_expect_gt(both, 1000, "%u lines were taken by both", both);
}

Test(json_stream, reads_numbers)
{
    static const struct {
        const char *text;
        double value;
    } good[] = { { "0", 0 },        { "-0", 0 },       { "34603008", 34603008 }, { "-1.5", -1.5 },
                 { "1e3", 1000 },   { "25E-1", 2.5 },  { "0.000012", 0.000012 }, { "1e-999", 0 },
                 { "0e999999", 0 }, { "1e308", 1e308 } };
    static const char *const bad[] = { "",     "-",   "01",  "1.",    ".5",      "1e", "1e+",
                                       "0x10", "inf", "nan", "1e309", "1e99999", " 1" };
    double value;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert(json_stream_number(good[i].text, &value), "%s", good[i].text);
        cr_expect_leq(fabs(value - good[i].value), 1e-12 * fabs(good[i].value), "%s: %g", good[i].text, value);
    }
    value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(json_stream_number(bad[i], &value), "%s", bad[i]);
    cr_expect_eq(value, 7);
}
