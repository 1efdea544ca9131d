/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz_config.c: any assay.cfg, for a board whose name stands in the input's first line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/options/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition)
        abort();
}

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
    /* A copy of exactly the size, so that the sanitizer sees one byte too many. */
    char *text = malloc(size ? size : 1);

    memcpy(text, data, size);
    options_default(&o);
    must(options_parse_line(&o, "-v 2 -t keep.*", &e) == ST_OK);
    before = o;
    enum status st = options_parse_file(&o, text, size, "assay.cfg", board, &e);

    must(st == ST_OK || st == ST_RANGE);
    must((st == ST_OK) == (e.text[0] == '\0'));
    must(memchr(e.text, '\0', sizeof e.text) != NULL);
    for (const char *c = e.text; *c; c++)
        must(*c >= 0x20 && *c <= 0x7E);
    /* The command line wins. */
    must(o.verbose == 2 && o.n_tests == 1 && strcmp(o.tests[0], before.tests[0]) == 0);
    must(o.config[0] == '\0');
    must(o.n_skips <= OPTIONS_PATTERNS && o.repeat >= 1 && o.repeat <= 1000000);
    free(text);
    return 0;
}
