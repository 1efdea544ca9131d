/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz_config.c: any assay.cfg, for a board whose name stands in the input's first line. */
#include <string.h>

#include "core/options/options.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options o, before;
    struct options_error e;
    char board[64] = "";
    size_t n = 0;

    while (n < size && n < sizeof board - 1 && data[n] != '\n') {
        board[n] = (char)data[n];
        n++;
    }
    options_default(&o);
    MUST(options_parse_line(&o, "-v 2 -t keep.*", &e) == ST_OK);
    before = o;
    enum status st = options_parse_file(&o, (const char *)data, size, "assay.cfg", board, &e);

    MUST(st == ST_OK || st == ST_RANGE);
    MUST((st == ST_OK) == (e.text[0] == '\0'));
    must_be_text(e.text, sizeof e.text);
    /* The command line wins. */
    MUST(o.verbose == 2 && o.n_tests == 1 && strcmp(o.tests[0], before.tests[0]) == 0);
    MUST(o.config[0] == '\0');
    MUST(o.n_skips <= OPTIONS_PATTERNS && o.repeat >= 1 && o.repeat <= 1000000);
    return 0;
}
