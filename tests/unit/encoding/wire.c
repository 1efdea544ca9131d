/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/wire.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char sent[4096];

static void take(void *, const char *text, size_t length)
{
    cr_assert_lt(strlen(sent) + length, sizeof sent);
    strncat(sent, text, length);
}

static void send(const char *stream, size_t piece, bool packed)
{
    struct wire w = { .put = take };

    sent[0] = '\0';
    wire_begin(&w, packed);
    for (size_t at = 0; at < strlen(stream); at += piece) {
        wire_add(&w, stream + at, strlen(stream + at) < piece ? strlen(stream + at) : piece);
        wire_flush(&w);
    }
    wire_end(&w);
}

/* core/encoding/wire.h: the lines as they are, each with its number, length and CRC after it. */
Test(wire, sends_each_line_as_it_is_and_says_what_it_was)
{
    send("{\"a\":1}\n{}\n", 1000, false);
    cr_expect_str_eq(sent, "-----BEGIN ASSAY REPORT-----\n"
                           "{\"a\":1}\n~1 7 561bacaf\n"
                           "{}\n~2 2 a3a6bf43\n"
                           "~lines 2\n~bytes 11\n"
                           "~sha256 e1b3d9b97e5341da0111643d5bf665b473afe3f05da587a0fc6549b2caa282ff\n"
                           "-----END ASSAY REPORT-----\n");
}

Test(wire, does_not_depend_on_the_pieces)
{
    char whole[sizeof sent];

    send("{\"a\":1}\n{\"b\":\"long enough to be cut\"}\n", 1000, false);
    strcpy(whole, sent);
    for (size_t piece = 1; piece < 12; piece++) {
        send("{\"a\":1}\n{\"b\":\"long enough to be cut\"}\n", piece, false);
        cr_expect_str_eq(sent, whole, "pieces of %zu", piece);
    }
}

/* Lines of gzip in base64, which end where the report was flushed. */
Test(wire, sends_packed_what_gunzip_takes_apart)
{
    static const char stream[] = "{\"a\":1}\n{\"b\":\"long enough to be cut\"}\n";
    char got[sizeof stream + 1] = "";
    FILE *f;

    for (size_t piece = 5; piece < sizeof stream + 5; piece += 9) {
        uint32_t lines = 0;

        send(stream, piece, true);
        for (const char *at = sent; (at = strstr(at, "\n{")); at++)
            lines++;
        cr_expect_geq(lines, (sizeof stream - 1 + piece - 1) / piece);
        cr_expect(strstr(sent, "~bytes 38\n"), "%s", sent);
        setenv("SENT", sent, 1);
        f = popen("echo \"$SENT\" | sed -n 's/^{//p' | base64 -d | gzip -d", "r");
        got[fread(got, 1, sizeof got - 1, f)] = '\0';
        cr_expect_eq(pclose(f), 0);
        cr_expect_str_eq(got, stream, "pieces of %zu", piece);
    }
}
