/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/row.h"

#include <stddef.h>

#include "core/base/text.h"

/* Whether `at` runs behind `row` and before `best`; rows are met in the order in which equal ones run. */
struct search {
    const struct check_row *row, *best;
    bool passed; /* row itself was met */
};

static void consider(struct search *s, const struct check_row *at)
{
    bool behind = s->row == NULL || at->order > s->row->order || (at->order == s->row->order && s->passed);

    if (at == s->row)
        s->passed = true;
    else if (behind && (s->best == NULL || at->order < s->best->order))
        s->best = at;
}

const struct check_row *check_next(const struct check_row *row)
{
    struct search s = { .row = row };

    for (const struct check_family *const *f = check_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            consider(&s, &(*f)->rows[i]);
    return s.best;
}

const struct check_row *check_find(const char *id)
{
    for (const struct check_family *const *f = check_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            if (text_equal((*f)->rows[i].id, id))
                return &(*f)->rows[i];
    return NULL;
}
