/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/conformance.h: the conformance list, docs/conformance.tsv.
 *
 * After comments (#) the first line names the columns, every other one is a row of six fields with a tab between two:
 * id, stimulus, expected result, grade (F, W or R), covered (empty; "none: REASON"; "by CHECK-ID ..."), source. Blanks
 * stand neither at a field's ends nor twice in a row. tests/unit/checks/conformance.c holds the file to this.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/data/tsv.h"

#define CONFORMANCE_ROWS 512u
#define CONFORMANCE_FILE ASSAY_ROOT "/docs/conformance.tsv"

struct conformance_row {
    const char *id, *stimulus, *expected, *source;
    char grade;
    const char *reason; /* why no check holds the row, or NULL                 */
    const char *by;     /* ids of checks that hold it without naming it, or "" */
};

struct conformance {
    struct tsv *table;
    uint32_t n;
    struct conformance_row rows[CONFORMANCE_ROWS];
};

/* false: the file cannot be read, or has no rows. conformance_free() afterwards, whatever the outcome. */
bool conformance_read(struct conformance *list);
void conformance_free(struct conformance *list);

const struct conformance_row *conformance_find(const struct conformance *list, const char *id);
/* Whether words, with blanks or commas between them, are `n` characters of `word` somewhere. */
bool conformance_names(const char *words, const char *word, size_t n);
