/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/spread.h"

#include "core/base/hash.h"
#include "core/base/heap.h"
#include "core/base/search.h"
#include "core/base/text.h"

/* --- keeping ------------------------------------------------------------------------------------------------------ */

enum status spread_init(struct spread *s)
{
    *s = (struct spread){ .figures = heap_alloc(sizeof(struct spread_figure) * SPREAD_FIGURES),
                          .undo = heap_alloc(sizeof(struct spread_undo) * SPREAD_UNDO),
                          .tallies = heap_alloc(sizeof(struct spread_tally) * SPREAD_CHECKS) };
    if (s->figures && s->tallies && s->undo)
        return ST_OK;
    spread_free(s);
    return ST_NO_MEMORY;
}

void spread_free(struct spread *s)
{
    heap_free(s->figures);
    heap_free(s->tallies);
    heap_free(s->undo);
    *s = (struct spread){ 0 };
}

static uint64_t spread_hash(const struct check_row *row, const char *name, const char *where)
{
    return hash_text(hash_text(hash_text(HASH_EMPTY, row->id), name), where);
}

/* Where this figure is, or where it would go. NULL: the table is full. */
static struct spread_figure *spread_place(const struct spread *s, const struct check_row *row, uint64_t hash)
{
    for (uint32_t i = 0; i < SPREAD_FIGURES; i++) {
        struct spread_figure *f = &s->figures[(hash + i) & (SPREAD_FIGURES - 1)];

        if (!f->row || (f->row == row && f->hash == hash))
            return f;
    }
    return NULL;
}

void spread_add(struct spread *s, const struct check_row *row, const char *name, const char *where, const char *unit,
                double value)
{
    uint64_t hash = spread_hash(row, name, where);
    struct spread_figure *f;
    double before;

    if (!s->figures || value != value)
        return;
    f = spread_place(s, row, hash);
    if (!f || (!f->row && s->n_figures >= SPREAD_FIGURES / 4 * 3)) {
        s->lost++;
        return;
    }
    if (s->n_undo == SPREAD_UNDO) { /* it can be taken back no more, and is not kept */
        s->lost++;
        return;
    }
    s->undo[s->n_undo++] = (struct spread_undo){ .at = f, .was = *f };
    if (!f->row) {
        f->row = row;
        f->hash = hash;
        text_format(f->name, sizeof f->name, "%s", name);
        text_format(f->where, sizeof f->where, "%s", where);
        text_format(f->unit, sizeof f->unit, "%s", unit);
        f->min = f->max = value;
        s->n_figures++;
    }
    if (value < f->min)
        f->min = value;
    if (value > f->max)
        f->max = value;
    f->n++;
    before = value - f->mean; /* Welford: no difference of large sums */
    f->mean += before / f->n;
    f->squares += before * (value - f->mean);
}

void spread_begin(struct spread *s)
{
    s->n_undo = 0;
}

/* The last first, so that the table's chains are what they were. */
void spread_drop(struct spread *s)
{
    while (s->n_undo > 0) {
        struct spread_undo *u = &s->undo[--s->n_undo];

        s->n_figures -= u->was.row == NULL;
        *u->at = u->was;
    }
}

void spread_verdict(struct spread *s, const struct check_row *row, enum verdict v)
{
    uint32_t i;

    if (!s->tallies)
        return;
    i = INDEX_OF(k, s->n_tallies, s->tallies[k].row == row);
    if (i == SPREAD_CHECKS)
        return;
    if (i == s->n_tallies)
        s->tallies[s->n_tallies++].row = row;
    s->tallies[i].verdicts[v]++;
}

const struct spread_figure *spread_find(const struct spread *s, const struct check_row *row, const char *name,
                                        const char *where)
{
    const struct spread_figure *f = s->figures ? spread_place(s, row, spread_hash(row, name, where)) : NULL;

    return f && f->row ? f : NULL;
}

double spread_deviation(const struct spread_figure *f)
{
    return f->n > 1 && f->squares > 0 ? __builtin_sqrt(f->squares / (f->n - 1)) : 0;
}
