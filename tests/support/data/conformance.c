/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/conformance.h"

#include <string.h>

#include "core/base/search.h"

bool conformance_read(struct conformance *list)
{
    struct tsv *t = list->table = tsv_open(CONFORMANCE_FILE);

    for (list->n = 0; list->n < tsv_rows(t) && list->n < CONFORMANCE_ROWS; list->n++) {
        const char *covered = tsv_cell(t, list->n, "covered");

        list->rows[list->n] = (struct conformance_row){ .id = tsv_cell(t, list->n, "id"),
                                                        .stimulus = tsv_cell(t, list->n, "stimulus"),
                                                        .expected = tsv_cell(t, list->n, "expected"),
                                                        .source = tsv_cell(t, list->n, "source"),
                                                        .grade = tsv_cell(t, list->n, "grade")[0],
                                                        .reason = tsv_after(t, list->n, "covered", "none: "),
                                                        .by = strncmp(covered, "by ", 3) == 0 ? covered + 3 : "" };
    }
    return list->n > 0;
}

void conformance_free(struct conformance *list)
{
    tsv_free(list->table);
    list->table = NULL;
}

const struct conformance_row *conformance_find(const struct conformance *list, const char *id)
{
    return FIND(i, list->n, strcmp(list->rows[i].id, id) == 0, &list->rows[i], NULL);
}

bool conformance_names(const char *words, const char *word, size_t n)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ,");

        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length + (at[length] != '\0');
    }
    return false;
}
