/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Content-Length as RFC 9112 6.3 reads it. */
#include "core/net/content_length.h"

#include <criterion/criterion.h>

Test(content_length, differing_or_invalid_ones_make_the_message_invalid)
{
    static const struct {
        const char *values[3];
        enum status want;
        uint64_t length;
    } messages[] = {
        { { NULL }, ST_UNSUPPORTED, 0 },
        { { "0" }, ST_OK, 0 },
        { { "18446744073709551615" }, ST_OK, UINT64_MAX },
        { { "42", "42" }, ST_OK, 42 },
        { { "42 ,\t42,042" }, ST_OK, 42 },
        { { "42", "43" }, ST_CORRUPT, 0 },
        { { "42", "43", "42" }, ST_CORRUPT, 0 },
        { { "0", "42" }, ST_CORRUPT, 0 },
        { { "42, 43" }, ST_CORRUPT, 0 },
        { { "42", "none" }, ST_CORRUPT, 0 },
        { { "" }, ST_CORRUPT, 0 },
        { { "42," }, ST_CORRUPT, 0 },
        { { "-1" }, ST_CORRUPT, 0 },
        { { "0x10" }, ST_CORRUPT, 0 },
        { { "4 2" }, ST_CORRUPT, 0 },
        { { "18446744073709551616" }, ST_CORRUPT, 0 },
    };

    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        enum status s = ST_UNSUPPORTED;
        uint64_t length = 0;

        for (size_t k = 0; k < 3 && messages[i].values[k]; k++)
            s = content_length_add(messages[i].values[k], s, &length);
        cr_expect_eq(s, messages[i].want, "message %zu: %s", i, status_text(s));
        cr_expect(s != ST_OK || length == messages[i].length, "message %zu", i);
    }
}
