/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/spread.h"

#include "core/base/heap.h"
#include "core/report/report.h"
#include "core/base/text.h"

#include <string.h>

#define WIDEST 20u /* that the text shows */

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

static uint64_t hash_text(uint64_t hash, const char *text) /* FNV-1a */
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
    return (hash ^ 0xFF) * UINT64_C(0x100000001B3);
}

static uint64_t hash_of(const struct check_row *row, const char *name, const char *where)
{
    return hash_text(hash_text(hash_text(UINT64_C(0xCBF29CE484222325), row->id), name), where);
}

/* Where this figure is, or where it would go. NULL: the table is full. */
static struct spread_figure *place_of(const struct spread *s, const struct check_row *row, uint64_t hash)
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
    uint64_t hash = hash_of(row, name, where);
    struct spread_figure *f;
    double before;

    if (!s->figures || value != value)
        return;
    f = place_of(s, row, hash);
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
    uint32_t i = 0;

    if (!s->tallies)
        return;
    while (i < s->n_tallies && s->tallies[i].row != row)
        i++;
    if (i == SPREAD_CHECKS)
        return;
    if (i == s->n_tallies)
        s->tallies[s->n_tallies++].row = row;
    s->tallies[i].verdicts[v]++;
}

const struct spread_figure *spread_find(const struct spread *s, const struct check_row *row, const char *name,
                                        const char *where)
{
    const struct spread_figure *f = s->figures ? place_of(s, row, hash_of(row, name, where)) : NULL;

    return f && f->row ? f : NULL;
}

double spread_deviation(const struct spread_figure *f)
{
    return f->n > 1 && f->squares > 0 ? __builtin_sqrt(f->squares / (f->n - 1)) : 0;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static const struct check_row spread_row = {
    .id = "spread.rounds",
    .title = "Every round gives the same verdicts",
    .spec = "Assay, -soak and -repeat",
    .rows = "-",
    .catches = "a defect that comes and goes",
};

static double width(const struct spread_figure *f)
{
    double mean = f->mean < 0 ? -f->mean : f->mean;

    return mean > 0 ? (f->max - f->min) / mean : f->max > f->min ? 1 : 0;
}

static void put_figure(struct check *c, const struct spread_figure *f)
{
    struct json *j = report_extension(c->report, "assay.spread");

    if (!j)
        return;
    json_text(j, "check", f->row->id);
    json_text(j, "name", f->name);
    json_text(j, "where", f->where);
    json_text(j, "unit", f->unit);
    json_unsigned(j, "rounds", f->n);
    json_decimal(j, "min", f->min);
    json_decimal(j, "max", f->max);
    json_decimal(j, "mean", f->mean);
    json_decimal(j, "deviation", spread_deviation(f));
    report_artifact_end(c->report);
}

static void put_tally(struct check *c, const struct spread_tally *t)
{
    struct json *j = report_extension(c->report, "assay.spread.verdicts");

    if (!j)
        return;
    json_text(j, "check", t->row->id);
    for (uint32_t v = 0; v <= VERDICT_ERROR; v++)
        json_unsigned(j, verdict_text((enum verdict)v), t->verdicts[v]);
    report_artifact_end(c->report);
}

static void judge_tally(struct check *c, const struct spread_tally *t)
{
    uint32_t kinds = 0;

    for (uint32_t v = 0; v <= VERDICT_ERROR; v++)
        kinds += t->verdicts[v] > 0;
    if (kinds > 1)
        warn(c, "%s: %u PASS, %u FAIL, %u WARN, %u SKIP, %u ERROR", t->row->id, t->verdicts[VERDICT_PASS],
             t->verdicts[VERDICT_FAIL], t->verdicts[VERDICT_WARN], t->verdicts[VERDICT_SKIP],
             t->verdicts[VERDICT_ERROR]);
}

static void show_figure(struct check *c, const struct spread_figure *f)
{
    char min[32], max[32], mean[32], deviation[32];

    text_decimal(min, sizeof min, f->min);
    text_decimal(max, sizeof max, f->max);
    text_decimal(mean, sizeof mean, f->mean);
    text_decimal(deviation, sizeof deviation, spread_deviation(f));
    report_detail(c->report, DETAIL_TABLE, "%s: %s%s%s: %s to %s %s, mean %s, deviation %s, %u rounds", f->row->id,
                  f->name, f->where[0] ? ", " : "", f->where, min, max, f->unit, mean, deviation, f->n);
}

/* The widest first; those that never moved are not shown. */
static void show_widest(struct check *c, const struct spread *s)
{
    double last = __builtin_inf();

    for (uint32_t shown = 0; shown < WIDEST;) {
        double next = 0;

        for (uint32_t i = 0; i < SPREAD_FIGURES; i++)
            if (s->figures[i].row && width(&s->figures[i]) < last && width(&s->figures[i]) > next)
                next = width(&s->figures[i]);
        if (next <= 0)
            return;
        for (uint32_t i = 0; i < SPREAD_FIGURES && shown < WIDEST; i++)
            if (s->figures[i].row && width(&s->figures[i]) >= next && width(&s->figures[i]) <= next) {
                show_figure(c, &s->figures[i]);
                shown++;
            }
        last = next;
    }
}

enum verdict spread_report(const struct spread *s, struct report *r, struct platform *p, struct machine *m)
{
    struct check c = { .row = &spread_row, .report = r, .platform = p, .machine = m, .verdict = VERDICT_PASS };

    if (!s->figures)
        return VERDICT_SKIP;
    report_step_start(r, &spread_row, s->rounds);
    evidence_swept(&c, "figures over the rounds", s->n_figures);
    measure(&c, "rounds", "", s->rounds, "", 1, NO_BOUND);
    for (uint32_t i = 0; i < SPREAD_FIGURES; i++)
        if (s->figures[i].row)
            put_figure(&c, &s->figures[i]);
    for (uint32_t i = 0; i < s->n_tallies; i++) {
        put_tally(&c, &s->tallies[i]);
        judge_tally(&c, &s->tallies[i]);
    }
    show_widest(&c, s);
    if (s->lost)
        note(&c, "%u measurements found no room", s->lost);
    check_close(&c, c.verdict);
    report_step_end(r, &c);
    return c.verdict;
}
