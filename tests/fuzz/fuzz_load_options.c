/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: LoadOptions, any bytes that a boot manager or a shell may pass. The first byte says how long the text may get. */
#include <stdlib.h>
#include <string.h>

#include "core/options/load_options.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t room = size ? data[0] + 1u : 1, n = size ? size - 1 : 0;
    char *text = malloc(room); /* so that one byte too far is seen */
    enum status st;

    MUST(text);
    st = load_options_text(data + 1, n, text, room);
    MUST(st == ST_OK || st == ST_RANGE || st == ST_CORRUPT);
    MUST(must_be_text(text, room) <= n / 2 || st == ST_CORRUPT);
    MUST(n % 2 == 0 || st == ST_CORRUPT);
    MUST(!load_options_are_foreign(text) || (strchr(text, ' ') && text[strspn(text, " ")] != '-'));
    free(text);
    return 0;
}
