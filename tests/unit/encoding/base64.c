/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/base64.h"

#include <criterion/criterion.h>
#include <string.h>

static char text[8192];

static void take(void *, const char *characters, size_t length)
{
    cr_assert_lt(strlen(text) + length, sizeof text);
    strncat(text, characters, length);
}

static void encode(const uint8_t *bytes, size_t n, size_t piece)
{
    struct base64 b = { .put = take };

    text[0] = '\0';
    for (size_t at = 0; at < n; at += piece)
        base64_add(&b, bytes + at, n - at < piece ? n - at : piece);
    base64_end(&b);
}

/* RFC 4648, 10. */
Test(base64, vectors_of_the_rfc)
{
    static const char *const vectors[][2] = { { "", "" },
                                              { "f", "Zg==" },
                                              { "fo", "Zm8=" },
                                              { "foo", "Zm9v" },
                                              { "foob", "Zm9vYg==" },
                                              { "fooba", "Zm9vYmE=" },
                                              { "foobar", "Zm9vYmFy" } };

    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t piece = 1; piece < 8; piece++) {
            encode((const uint8_t *)vectors[i][0], strlen(vectors[i][0]), piece);
            cr_expect_str_eq(text, vectors[i][1], "\"%s\" in pieces of %zu", vectors[i][0], piece);
        }
}

Test(base64, every_byte_in_pieces)
{
    uint8_t bytes[4000];
    char whole[sizeof text];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    encode(bytes, sizeof bytes, sizeof bytes);
    strcpy(whole, text);
    cr_expect_eq(strlen(whole), 4 * ((sizeof bytes + 2) / 3));
    for (size_t piece = 1; piece < sizeof bytes; piece = 3 * piece + 1) {
        encode(bytes, sizeof bytes, piece);
        cr_expect_str_eq(text, whole, "pieces of %zu", piece);
    }
}
