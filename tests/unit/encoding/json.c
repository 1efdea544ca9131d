/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/data/json_read.h"

static struct json j; /* of each test */

static void free_json(void)
{
    json_free(&j);
}

TestSuite(json, .fini = free_json);

static struct json_value *parsed(void)
{
    char why[128] = "";
    struct json_value *v = json_read(j.text, j.length, why, sizeof why);

    cr_assert_not_null(v, "%s in %s", why, j.text);
    return v;
}

/* As where there is no file to write to: the caller need not ask. */
Test(json, writes_nothing_of_nothing)
{
    json_object(NULL, "a");
    json_array(NULL, "b");
    json_text(NULL, "c", "x");
    json_unsigned(NULL, "d", 1);
    json_bool(NULL, "e", true);
    json_end(NULL);
}

Test(json, nests_and_puts_commas_where_they_belong)
{
    json_object(&j, NULL);
    json_text(&j, "a", "x");
    json_array(&j, "b");
    json_unsigned(&j, NULL, 1);
    json_object(&j, NULL);
    json_end(&j);
    json_array(&j, NULL);
    json_end(&j);
    json_bool(&j, NULL, true);
    json_end(&j);
    json_object(&j, "c");
    json_bool(&j, "d", false);
    json_end(&j);
    json_end(&j);
    cr_expect_eq(j.failed, ST_OK);
    cr_expect_str_eq(j.text, "{\"a\":\"x\",\"b\":[1,{},[],true],\"c\":{\"d\":false}}");
}

/* RFC 8259 7: quotation mark, reverse solidus and control characters are escaped; here, what is not ASCII as well. */
Test(json, escapes_every_byte_so_that_it_reads_back)
{
    char bytes[256];

    for (int i = 1; i < 256; i++)
        bytes[i - 1] = (char)i;
    bytes[255] = '\0';
    json_object(&j, NULL);
    json_text(&j, bytes, bytes);
    json_end(&j);
    for (size_t i = 0; i < j.length; i++)
        cr_assert(j.text[i] >= 0x20 && j.text[i] <= 0x7E, "byte %zu", i);
    struct json_value *v = parsed();
    const char *got = v->child->text;

    for (int i = 1; i < 256; i++) {
        if (i < 0x80) {
            cr_assert_eq((unsigned char)*got++, i);
        } else {
            cr_assert_eq((unsigned char)*got++, 0xC0 | i >> 6);
            cr_assert_eq((unsigned char)*got++, 0x80 | (i & 0x3F));
        }
    }
    cr_expect_eq(*got, '\0');
    json_drop(v);
}

/* Inside of a page an HTML parser looks for "</script" before any other parser sees the text. */
Test(json, has_no_less_than_sign)
{
    json_object(&j, NULL);
    json_text(&j, "a", "</script>");
    json_end(&j);
    cr_expect_str_eq(j.text, "{\"a\":\"\\u003c/script>\"}");
}

Test(json, spells_numbers_that_json_has_and_texts_for_the_others)
{
    static const struct {
        double value;
        const char *spelled;
    } cases[] = {
        { 1.5, "1.5" }, { -0.0, "0" },       { 1e300, NULL },       { -1e19, NULL },
        { NAN, "nan" }, { INFINITY, "inf" }, { -INFINITY, "-inf" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        j = (struct json){ 0 };

        json_object(&j, NULL);
        json_decimal(&j, "v", cases[i].value);
        json_end(&j);
        struct json_value *v = parsed();

        if (cases[i].spelled)
            cr_expect_str_eq(v->child->text, cases[i].spelled);
        else
            cr_expect_float_eq(v->child->number / cases[i].value, 1, 1e-9);
        json_drop(v);
        json_free(&j);
    }
}

Test(json, keeps_all_bits_of_a_register_as_text)
{
    json_object(&j, NULL);
    json_hex(&j, "all", UINT64_MAX, 16);
    json_hex(&j, "padded", 0x1F, 8);
    json_hex(&j, "bare", 0xC8F, 1);
    json_unsigned(&j, "n", UINT64_MAX);
    json_end(&j);
    cr_expect_str_eq(j.text, "{\"all\":\"0xffffffffffffffff\",\"padded\":\"0x0000001f\",\"bare\":\"0xc8f\","
                             "\"n\":18446744073709551615}");
}

Test(json, cuts_a_long_text_so_that_it_can_be_seen)
{
    char text[2000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    json_format(&j, NULL, "%s", text);
    cr_expect_str_eq(j.text + j.length - 4, "...\"");
}

Test(json, remembers_what_went_wrong_and_does_nothing_more)
{
    json_end(&j);
    cr_expect_eq(j.failed, ST_RANGE, "nothing was open");
    json_object(&j, NULL);
    cr_expect_eq(j.length, 0);
    json_reset(&j);
    for (unsigned i = 0; i < JSON_DEPTH + 5; i++)
        json_array(&j, NULL);
    cr_expect_eq(j.failed, ST_RANGE, "deeper than it can close");
}

/* The reader that other tests lean on must refuse what is not JSON. */
Test(json_read, refuses_what_rfc_8259_does_not_allow)
{
    static const char *const bad[] = {
        "",    "{",   "{\"a\"}", "{\"a\":1,}",        "[1,]",        "[1 2]",       "01",     "1.",  "-",
        "+1",  "\"a", "nul",     "\"\\x\"",           "\"\\u12g4\"", "\"\\ud800\"", "\"\n\"", "1 2", "{1:2}",
        "tru", "[}",  "NaN",     "{\"a\":1,\"a\":2}",
    };
    char why[128];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why[0] = '\0';
        cr_expect_null(json_read(bad[i], strlen(bad[i]), why, sizeof why), "%s", bad[i]);
        cr_expect_neq(why[0], '\0');
    }
}
