/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/spread_report.h"

#include "core/base/text.h"
#include "core/check/check.h"

#define WIDEST 20u /* that the text shows */

static const struct check_row spread_row = {
    .id = "spread.rounds",
    .title = "Every round gives the same verdicts",
    .spec = "Assay, -soak and -repeat",
    .covers = "-",
    .detects = "an intermittent defect",
};

static double width(const struct spread_figure *f)
{
    double mean = f->mean < 0 ? -f->mean : f->mean;

    return mean > 0 ? (f->max - f->min) / mean : f->max > f->min ? 1 : 0;
}

static void put_figure(struct check *c, const struct spread_figure *f)
{
    struct json *j = report_extension(c->report, "assay.spread");

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
        finding(c, FINDING_UNUSUAL, 0, FOUND_VERDICTS_DIFFER, PLACE_NONE,
                "%s: %u PASS, %u FAIL, %u WARN, %u SKIP, %u ERROR", t->row->id, t->verdicts[VERDICT_PASS],
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
    struct check_state state = { 0 };
    struct check c = { .row = &spread_row, .report = r, .platform = p, .machine = m, .state = &state };

    if (!s->figures)
        return VERDICT_SKIP;
    check_step_start(&c, s->rounds);
    evidence_swept(&c, "figures over the rounds", s->n_figures);
    check_measure(&c, "rounds", PLACE_NONE, s->rounds, "", 1, NO_BOUND);
    for (uint32_t i = 0; i < SPREAD_FIGURES; i++)
        if (s->figures[i].row)
            put_figure(&c, &s->figures[i]);
    for (uint32_t i = 0; i < s->n_tallies; i++) {
        put_tally(&c, &s->tallies[i]);
        judge_tally(&c, &s->tallies[i]);
    }
    show_widest(&c, s);
    if (s->lost)
        check_note(&c, "%u measurements were not kept: table full", s->lost);
    check_close(&c);
    check_step_end(&c);
    return check_verdict(&c);
}
