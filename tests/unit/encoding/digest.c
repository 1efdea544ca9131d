/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/digest.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *digest_of(const char *text, size_t length, size_t piece)
{
    static char hex[65];
    struct sha256 s;

    sha256_begin(&s);
    for (size_t at = 0; at < length; at += piece)
        sha256_add(&s, text + at, length - at < piece ? length - at : piece);
    sha256_text(&s, hex);
    return hex;
}

/* FIPS 180-4 and the examples that NIST gives for it. */
Test(sha256, is_that_of_the_published_examples)
{
    static char million[1000000];
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    memset(million, 'a', sizeof million);
    cr_expect_str_eq(digest_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    cr_expect_str_eq(digest_of("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cr_expect_str_eq(digest_of(two_blocks, strlen(two_blocks), 13),
                     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    cr_expect_str_eq(digest_of(million, sizeof million, sizeof million),
                     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The check value that catalogues of CRCs give for this one. */
Test(crc32, is_the_check_value_of_its_definition)
{
    cr_expect_eq(crc32_add(0, "123456789", 9), 0xCBF43926);
    cr_expect_eq(crc32_add(crc32_add(0, "1234", 4), "56789", 5), 0xCBF43926);
    cr_expect_eq(crc32_add(0, "", 0), 0);
}
