/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/symptoms.h"

#include "core/base/heap.h"
#include "core/base/search.h"
#include "core/base/text.h"

enum status symptoms_begin(struct symptoms *s, const struct check_row *row)
{
    symptoms_drop(s);
    s->open = heap_alloc(sizeof *s->open);
    s->lost |= !s->open;
    if (!s->open)
        return ST_NO_MEMORY;
    s->open->row = row;
    return ST_OK;
}

static void add_unit(struct symptom *s, const char *unit, enum verdict v)
{
    uint32_t i = INDEX_OF(k, s->n_units, text_equal(s->units[k].name, unit));

    if (i == SYMPTOM_UNITS) /* the last one stands for those beyond */
        text_format(s->units[--i].name, sizeof s->units[i].name, "%s", "");
    else if (i == s->n_units)
        text_format(s->units[s->n_units++].name, sizeof s->units[i].name, "%s", unit);
    s->units[i].worst = verdict_worst(s->units[i].worst, v);
}

static bool is_like(const struct symptom_finding *a, enum finding_code code, const struct place *at)
{
    char its[PLACE_TEXT], other[PLACE_TEXT];

    place_location(&a->place, its, sizeof its);
    place_location(at, other, sizeof other);
    return a->code == code && text_equal(its, other);
}

/* Where to keep one more. Of a full list the last one that says what another says of the same place gives way to one that
 * none is like; NULL: there is no room for it. */
static struct symptom_finding *room_for(struct symptom *s, enum finding_code code, const struct place *at)
{
    struct symptom_finding *f = s->findings;

    if (s->n_findings < SYMPTOM_LISTED)
        return &f[s->n_findings++];
    if (ANY_OF(i, SYMPTOM_LISTED, is_like(&f[i], code, at)))
        return NULL;
    for (uint32_t i = SYMPTOM_LISTED - 1; i > 0; i--)
        if (ANY_OF(k, i, is_like(&f[i], f[k].code, &f[k].place)))
            return &f[i];
    s->n_unlisted++;
    return NULL;
}

void symptoms_found(struct symptoms *s, const struct found *found)
{
    struct symptom_finding *f;

    if (!s->open || (found->verdict != VERDICT_FAIL && found->verdict != VERDICT_WARN))
        return;
    add_unit(s->open, found->place.unit, found->verdict);
    f = room_for(s->open, found->code, &found->place);
    if (!f)
        return;
    f->verdict = found->verdict;
    f->code = found->code;
    f->place = found->place;
    text_format(f->text, sizeof f->text, "%s", found->text);
}

static bool has_bound(double bound)
{
    return bound - bound == 0; /* neither infinite nor a non-number */
}

void symptoms_measured(struct symptoms *s, const char *name, double value, double lo, double hi)
{
    double expected = has_bound(lo) && has_bound(hi) ? (lo + hi) / 2 : 0;
    double part = expected > 0 ? value / expected : value;
    struct symptom_figure *f = s->open ? s->open->figures : NULL;
    uint32_t i;

    if (!f || !has_bound(part))
        return;
    i = INDEX_OF(k, s->open->n_figures, text_equal(f[k].name, name));
    if (i == SYMPTOM_LISTED)
        return;
    if (i == s->open->n_figures) {
        s->open->n_figures++;
        text_format(f[i].name, sizeof f[i].name, "%s", name);
        f[i].least = f[i].most = part;
    }
    f[i].least = part < f[i].least ? part : f[i].least;
    f[i].most = part > f[i].most ? part : f[i].most;
}

void symptoms_excluded(struct symptoms *s, double value, const char *unit)
{
    for (uint32_t i = 0; s->open && i < SYMPTOM_EXCLUDED; i++) {
        struct symptom_excluded *x = &s->open->excluded[i];

        if (text_equal(x->unit, unit))
            return;
        if (x->unit[0])
            continue;
        text_format(x->unit, sizeof x->unit, "%s", unit);
        x->value = value;
        return;
    }
}

double symptom_excludes(const struct symptom *s, const char *unit)
{
    return FIND(i, SYMPTOM_EXCLUDED, text_equal(s->excluded[i].unit, unit), s->excluded[i].value, 0);
}

/* Of two rounds what both would have found. */
static void widen(struct symptom *s, const struct symptom *other)
{
    for (uint32_t i = 0; i < SYMPTOM_EXCLUDED; i++) {
        double value = symptom_excludes(other, s->excluded[i].unit);

        s->excluded[i].value = value > s->excluded[i].value ? value : s->excluded[i].value;
    }
}

void symptoms_end(struct symptoms *s, enum verdict v)
{
    struct symptom *now = s->open, **at = &s->first;

    s->open = NULL;
    if (!now)
        return;
    now->verdict = v;
    while (*at && (*at)->row != now->row)
        at = &(*at)->next;
    if (!*at) {
        *at = now;
        return;
    }
    widen(now, *at);
    if (verdict_worst((*at)->verdict, v) == (*at)->verdict) {
        widen(*at, now);
        heap_free(now);
        return;
    }
    now->next = (*at)->next;
    heap_free(*at);
    *at = now;
}

void symptoms_unreached(struct symptoms *s, const struct check_row *row)
{
    for (const struct symptom *at = s->first; at; at = at->next)
        if (at->row == row)
            return;
    if (symptoms_begin(s, row) != ST_OK)
        return;
    s->open->unreached = true;
    symptoms_end(s, VERDICT_SKIP);
}

void symptoms_drop(struct symptoms *s)
{
    heap_free(s->open);
    s->open = NULL;
}

void symptoms_free(struct symptoms *s)
{
    symptoms_drop(s);
    while (s->first) {
        struct symptom *next = s->first->next;

        heap_free(s->first);
        s->first = next;
    }
}
