/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/table_file.h: the tables that the fuzz target starts from, to be changed byte by byte. */
#pragma once
#include <stdio.h>
#include <stdint.h>

struct table_file {
    uint8_t at[4096];
    uint32_t n;
};

/* tests/fuzz/seeds/fuzz_erdt/<name> without its first byte, which chooses the table. n is 0 where it cannot be read. */
static inline struct table_file table_file(const char *name)
{
    struct table_file t = { .n = 0 };
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/fuzz_erdt/%s", ASSAY_ROOT, name);
    f = fopen(path, "rb");
    if (f) {
        (void)fgetc(f);
        t.n = (uint32_t)fread(t.at, 1, sizeof t.at, f);
        fclose(f);
    }
    return t;
}
