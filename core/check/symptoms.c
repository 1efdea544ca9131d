/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/symptoms.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

enum status symptoms_begin(struct symptoms *s, const struct check_row *row)
{
    symptoms_drop(s);
    s->open = heap_alloc(sizeof *s->open);
    if (!s->open)
        return ST_NO_MEMORY;
    s->open->row = row;
    return ST_OK;
}

void symptoms_found(struct symptoms *s, const struct found *found)
{
    struct symptom_finding *f;

    if (!s->open || (found->verdict != VERDICT_FAIL && found->verdict != VERDICT_WARN))
        return;
    if (s->open->n_findings == SYMPTOM_LISTED) {
        s->open->n_unlisted++;
        return;
    }
    f = &s->open->findings[s->open->n_findings++];
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
    uint32_t i = 0;

    if (!f || !has_bound(part))
        return;
    while (i < s->open->n_figures && !text_equal(f[i].name, name))
        i++;
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
    if (verdict_worst((*at)->verdict, v) == (*at)->verdict) {
        heap_free(now);
        return;
    }
    now->next = (*at)->next;
    heap_free(*at);
    *at = now;
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
