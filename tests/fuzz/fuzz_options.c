/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz_options.c: any command line. What is refused says why in printable characters; what is taken is
 * inside its bounds, and its lists end. */
#include <stdlib.h>
#include <string.h>

#include "core/options/options_internal.h"
#include "core/base/text.h"
#include "tests/fuzz/fuzz.h"

/* Whatever was taken can be shown. */
static void must_be_told(const struct options *o)
{
    for (uint32_t i = 0; i < options_count(); i++) {
        struct option_value v = options_value(o, i);

        MUST(v.name && (v.form != OPTION_TEXT || v.text));
        for (uint32_t n = 0; v.form == OPTION_TEXTS && n < v.n_texts; n++)
            MUST(memchr(v.texts[n], '\0', sizeof v.texts[n]) != NULL);
    }
}

/* The line with other checks selected fits, or is empty; what it holds of the one that was typed is no selection. */
static void must_be_selected(const char *text)
{
    static const char *const ids[] = { "mbm.total", "cmt.fill" };
    static struct options o;
    struct options_error e;
    char line[512];

    options_default(&o);
    if (options_line_for(text, ids, 2, line, sizeof line) != ST_OK)
        MUST(line[0] == '\0');
    else if (options_parse_line(&o, line, &e) == ST_OK)
        MUST(o.n_tests == 2 && o.n_skips == 0 && strcmp(o.tests[1], ids[1]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options o;
    struct options_error e;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    options_default(&o);
    enum status st = options_parse_line(&o, text, &e);

    MUST(st == ST_OK || st == ST_RANGE);
    MUST((st == ST_OK) == (e.text[0] == '\0'));
    must_be_text(e.text, sizeof e.text);
    MUST(o.n_tests <= OPTIONS_PATTERNS && o.n_skips <= OPTIONS_PATTERNS);
    MUST(o.repeat >= 1 && o.repeat <= 1000000 && o.verbose <= 3);
    MUST(o.mem_bytes == 0 || (o.mem_bytes >= option_find("mem")->lo && o.mem_bytes <= option_find("mem")->hi));
    MUST(memchr(o.folder, '\0', sizeof o.folder) && memchr(o.cpus, '\0', sizeof o.cpus));
    for (uint32_t cpu = 0; cpu < 4096; cpu += 273)
        MUST(options_has_cpu(&o, cpu) || o.cpus[0]);
    for (uint32_t i = 0; i < o.n_tests; i++)
        MUST(text_matches(o.tests[i], "cmt.linearity") || o.tests[i][0]);
    must_be_told(&o);
    must_be_selected(text);
    free(text);
    return 0;
}
