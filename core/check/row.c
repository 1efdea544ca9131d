/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/row.h"

#include <stddef.h>

#include "core/base/text.h"

static struct check_row with_all(const struct check_row *row, const struct check_row *all)
{
    struct check_row whole = *row;

    whole.spec = row->spec ? row->spec : all->spec;
    whole.means = row->means ? row->means : all->means;
    whole.detects = row->detects ? row->detects : whole.means;
    whole.next = row->next ? row->next : all->next;
    whole.risk = row->risk ? row->risk : all->risk;
    whole.grade = row->grade ? row->grade : all->grade;
    whole.order = row->order ? row->order : all->order;
    whole.needs |= all->needs;
    whole.rests_on |= all->rests_on;
    whole.by_experience |= all->by_experience;
    whole.excludes |= all->excludes;
    whole.no_monitor |= all->no_monitor;
    whole.slow |= all->slow;
    return whole;
}

static const struct check_row *family_rows(const struct check_family *f)
{
    if (!f->whole)
        return f->rows;
    for (uint32_t i = 0; i < f->n && !f->whole[i].id; i++)
        f->whole[i] = with_all(&f->rows[i], &f->all);
    return f->whole;
}

/* Whether `at` runs after `row` and before `best`; rows are met in the order in which equal ones run. */
struct search {
    const struct check_row *row, *best;
    bool passed; /* row itself was met */
};

static void consider(struct search *s, const struct check_row *at)
{
    bool after = s->row == NULL || at->order > s->row->order || (at->order == s->row->order && s->passed);

    if (at == s->row)
        s->passed = true;
    else if (after && (s->best == NULL || at->order < s->best->order))
        s->best = at;
}

const struct check_row *check_next(const struct check_row *row)
{
    struct search s = { .row = row };

    for (const struct check_family *const *f = check_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            consider(&s, &family_rows(*f)[i]);
    return s.best;
}

const struct check_row *check_find(const char *id)
{
    for (const struct check_family *const *f = check_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            if (text_equal((*f)->rows[i].id, id))
                return &family_rows(*f)[i];
    return NULL;
}

bool check_is_of_monitor(const char *id)
{
    const struct check_row *row = check_find(id);

    return row && !row->no_monitor;
}
