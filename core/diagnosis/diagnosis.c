/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/diagnosis.h"

#include <string.h>

#include "core/base/text.h"
#include "core/diagnosis/parts.h"
#include "core/machine/machine.h"

const char *defect_kind_text(enum defect_kind d)
{
    static const char *const texts[] = { [DEFECT_DEAD] = "dead",
                                         [DEFECT_SCALED] = "scaled",
                                         [DEFECT_ALIASED] = "aliased",
                                         [DEFECT_LEAKING] = "leaking",
                                         [DEFECT_LATE] = "late",
                                         [DEFECT_STUCK] = "stuck",
                                         [DEFECT_MISATTRIBUTED] = "misattributed",
                                         [DEFECT_ENUMERATED] = "enumerated wrongly",
                                         [DEFECT_LEFT] = "left by firmware",
                                         [DEFECT_NARROW] = "too few bits",
                                         [DEFECT_UNCHECKED] = "accepted or refused wrongly",
                                         [DEFECT_OTHER] = "wrong" };

    return texts[d];
}

const char *confidence_text(enum confidence c)
{
    static const char *const texts[] = { "possible", "likely", "certain" };

    return texts[c];
}

/* --- clues ------------------------------------------------------------------------------------------------------- */

static bool has_code(const uint8_t codes[CLUE_CODES], uint32_t code)
{
    for (uint32_t i = 0; i < CLUE_CODES && codes[i] != FOUND_OTHER; i++)
        if (codes[i] == code)
            return true;
    return false;
}

static bool finding_matches(const struct clue *clue, const struct symptom_finding *f)
{
    return clue->codes[0] == FOUND_OTHER || has_code(clue->codes, f->code);
}

static bool any_finding_matches(const struct clue *clue, const struct symptom *s)
{
    return ANY_OF(i, s->n_findings, finding_matches(clue, &s->findings[i]));
}

/* The least and the greatest of all figures of this name. */
static bool figures_of(const struct symptom *s, const char *name, double *least, double *most)
{
    bool any = false;

    EACH(const struct symptom_figure, f, s->figures, s->n_figures) {
        if (!text_matches(name, f->name))
            continue;
        *least = any && *least < f->least ? *least : f->least;
        *most = any && *most > f->most ? *most : f->most;
        any = true;
    }
    return any;
}

/* One whose count is too high has what another one's lacks: where that is named as well, it is not at fault. */
static bool only_gained(const struct symptom *s, const struct symptom_finding *f)
{
    static const struct clue gains = IF_FOUND("", 0, TOTAL_HIGH, TOTAL_HIGH_FINE, LOCAL_HIGH, OCCUPANCY_HIGH,
                                              OCCUPANCY_HIGH_FINE),
                             lacks = IF_FOUND("", 0, TOTAL_ZERO, TOTAL_LOW, LOCAL_ZERO, LOCAL_LOW, OCCUPANCY_ZERO,
                                              OCCUPANCY_LOW);

    return finding_matches(&gains, f) && any_finding_matches(&lacks, s);
}

static void add_cpus(struct parts *cpus, const struct symptom *s)
{
    for (uint32_t i = 0; i < s->n_findings; i++)
        if (!only_gained(s, &s->findings[i]))
            parts_add(cpus, &s->findings[i].place, PART_CPU);
}

static bool names_one_cpu(const struct symptom *s)
{
    struct parts cpus = { 0 };

    add_cpus(&cpus, s);
    return cpus.n == 1;
}

static bool clue_holds(const struct clue *c, const struct symptom *s)
{
    double least = 0, most = 0;

    switch (c->kind) {
    case CLUE_FOUND:
        return symptom_is_bad(s) && any_finding_matches(c, s);
    case CLUE_PASSED:
        return s->verdict == VERDICT_PASS;
    case CLUE_ONE_CPU:
        return symptom_is_bad(s) && names_one_cpu(s);
    case CLUE_ALL:
        return figures_of(s, c->text, &least, &most) && least >= c->lo && most <= c->hi;
    case CLUE_LEAST:
        return figures_of(s, c->text, &least, &most) && least >= c->lo && least <= c->hi;
    case CLUE_MOST:
        return figures_of(s, c->text, &least, &most) && most >= c->lo && most <= c->hi;
    }
    return false;
}

/* --- weighing ---------------------------------------------------------------------------------------------------- */

/* Whether a symptom is to be explained still: none of the causes that were chosen does. */
static bool is_left(const struct diagnosis *d, const struct symptom *s)
{
    return !ANY_OF(i, d->n, diagnosed_explains(&d->list[i], s));
}

struct weighed {
    int32_t weight, most; /* most: if every clue of a check that ran spoke for it */
    const struct symptom *heaviest;
    int32_t heaviest_weight;
};

/* Whether a check of this pattern came to a verdict on the machine. */
static bool has_run(const char *check, const struct symptoms *s)
{
    for (const struct symptom *at = s->first; at; at = at->next)
        if ((symptom_is_bad(at) || at->verdict == VERDICT_PASS) && text_matches(check, at->row->id))
            return true;
    return false;
}

/* Of several clues out of one check each is another form of the same: one that holds, or where none does the first, stands
 * for those that do not. */
static bool is_other(const struct cause *c, uint32_t clue, const bool *holding)
{
    for (uint32_t i = 0; c->clues[i].check; i++)
        if (i != clue && c->clues[i].weight > 0 && text_equal(c->clues[i].check, c->clues[clue].check) &&
            (holding[i] || i < clue))
            return true;
    return false;
}

/* A finding that another cause explains does not speak for this one. */
static struct weighed weigh(const struct cause *c, const struct symptoms *s, const struct diagnosis *d)
{
    struct weighed w = { 0 };
    bool holding[CAUSE_CLUES] = { false };

    for (const struct clue *clue = c->clues; clue->check; clue++) {
        const struct symptom *holds = NULL;

        for (const struct symptom *at = s->first; at && !holds; at = at->next)
            if (text_matches(clue->check, at->row->id) && clue_holds(clue, at) &&
                (clue->weight < 0 || !symptom_is_bad(at) || is_left(d, at)))
                holds = at;
        holding[clue - c->clues] = holds != NULL;
        w.weight += holds ? clue->weight : 0;
        if (holds && symptom_is_bad(holds) && clue->weight > w.heaviest_weight) {
            w.heaviest = holds;
            w.heaviest_weight = clue->weight;
        }
    }
    for (uint32_t i = 0; c->clues[i].check; i++)
        if (c->clues[i].weight > 0 && has_run(c->clues[i].check, s) && (holding[i] || !is_other(c, i, holding)))
            w.most += c->clues[i].weight;
    return w;
}

/* Of the checks that said FAIL and that no cause explains yet: whether there is one, and whether this one explains one. */
static bool leaves_every_fail(const struct cause *c, const struct symptoms *s, const struct diagnosis *d)
{
    const struct diagnosed it = { .cause = c };
    bool any = false;

    for (const struct symptom *at = s->first; at; at = at->next)
        if (at->verdict == VERDICT_FAIL && is_left(d, at)) {
            if (diagnosed_explains(&it, at))
                return false;
            any = true;
        }
    return any;
}

static enum confidence confidence_of(const struct weighed *w)
{
    if (w->weight * 4 >= w->most * 3)
        return SURE_CERTAIN;
    return w->weight * 2 >= w->most ? SURE_LIKELY : SURE_POSSIBLE;
}

/* The believed cause of the greatest weight, which is not in the list; `or_else`: those that come next. Where checks that
 * said FAIL are left, it explains one. */
static bool choose_cause(const struct symptoms *s, const struct diagnosis *d, struct diagnosed *out)
{
    struct weighed best[1 + ALTERNATIVES] = { 0 };
    const struct cause *causes[1 + ALTERNATIVES] = { NULL };

    for (const struct cause_family *const *f = cause_families; *f; f++)
        for (const struct cause *c = (*f)->causes; c < (*f)->causes + (*f)->n; c++) {
            struct weighed w = weigh(c, s, d);
            uint32_t i = 1 + ALTERNATIVES;

            if (w.weight < CAUSE_BELIEVED || w.weight * 3 < w.most || !w.heaviest || leaves_every_fail(c, s, d))
                continue;
            for (; i > 0 && (!causes[i - 1] || w.weight > best[i - 1].weight); i--)
                if (i < 1 + ALTERNATIVES) {
                    best[i] = best[i - 1];
                    causes[i] = causes[i - 1];
                }
            if (i < 1 + ALTERNATIVES) {
                best[i] = w;
                causes[i] = c;
            }
        }
    if (!causes[0])
        return false;
    *out = (struct diagnosed){ .cause = causes[0],
                               .row = best[0].heaviest->row,
                               .verdict = best[0].heaviest->verdict,
                               .sure = confidence_of(&best[0]) };
    memcpy(out->or_else, causes + 1, sizeof out->or_else);
    return true;
}

static uint32_t urgency_of(const struct symptom *s)
{
    return s->verdict == VERDICT_FAIL ? 2 : !s->row->weak;
}

/* The first check that said FAIL; where none is left, the first that said WARN. Checks are in running order: what firmware
 * left, enumeration, registers, then what was measured. */
static bool choose_rule(const struct symptoms *s, const struct diagnosis *d, struct diagnosed *out)
{
    const struct symptom *first = NULL;

    for (const struct symptom *at = s->first; at; at = at->next)
        if (symptom_is_bad(at) && is_left(d, at) && (!first || urgency_of(at) > urgency_of(first)))
            first = at;
    if (!first)
        return false;
    *out = (struct diagnosed){ .row = first->row,
                               .verdict = first->verdict,
                               .sure = first->verdict == VERDICT_FAIL ? SURE_LIKELY : SURE_POSSIBLE };
    return true;
}

/* --- what is said of it ------------------------------------------------------------------------------------------ */

/* Whether findings of this check are what the cause was chosen by. */
static bool speaks_for(const struct cause *c, const char *id)
{
    if (c->part)
        return text_matches_any(c->part, id);
    for (const struct clue *clue = c->clues; clue->check; clue++)
        if (clue->kind == CLUE_FOUND && clue->weight > 0 && text_matches(clue->check, id))
            return true;
    return false;
}

/* Of a check that has clues those findings alone that match one. */
static bool names_part(const struct cause *c, const char *id, const struct symptom_finding *f)
{
    bool any = false, matches = false;

    for (uint32_t i = 0; c && c->clues[i].check; i++) {
        const struct clue *clue = &c->clues[i];

        if (clue->kind != CLUE_FOUND || clue->weight <= 0 || !text_matches(clue->check, id))
            continue;
        any = true;
        matches |= finding_matches(clue, f);
    }
    return !any || matches;
}

/* Its findings name the processor that reads for the L3, and not one whose accesses are counted. */
static bool names_reader(const struct symptom *s)
{
    return text_matches_any("qm.* cross.sharing", s->row->id) && !text_equal(s->row->id, "qm.scope");
}

/* Where what is explained names one processor and no other, of an L3 that has several, it is that one; the processor that
 * reads where nothing else was found. */
static void narrow_to_cpu(const struct diagnosed *d, const struct symptoms *s, const struct machine *m,
                          struct parts *parts)
{
    struct parts cpus = { 0 }, readers = { 0 };
    bool others = false;
    uint32_t domain;

    for (const struct symptom *at = s->first; at; at = at->next)
        if (symptom_is_bad(at) && diagnosed_explains(d, at)) {
            add_cpus(names_reader(at) ? &readers : &cpus, at);
            others |= !names_reader(at);
        }
    cpus = others ? cpus : readers;
    if (!m || cpus.n != 1 || cpus.list[0].number >= m->n_cpus || parts->n > 1)
        return;
    domain = m->cpus[cpus.list[0].number].domain;
    if (domain != NO_DOMAIN && m->domains[domain].n_cpus > 1)
        *parts = cpus;
}

/* The L3 domain of RMIDs, where those of the others are right. */
static void add_domain_of_rmids(const struct diagnosed *d, const struct symptoms *s, const struct machine *m,
                                struct parts *parts)
{
    struct parts domains = { 0 }, rmids = *parts;

    for (const struct symptom *at = s->first; at; at = at->next)
        for (uint32_t i = 0; i < at->n_findings && symptom_is_bad(at) && speaks_for(d->cause, at->row->id); i++)
            parts_add(&domains, &at->findings[i].place, PART_FIRST);
    if (!m || (s->n_domains < 2 && m->n_domains < 2) || domains.n != 1 ||
        !place_has(&domains.list[0].place, PLACE_DOMAIN))
        return;
    *parts = domains;
    parts->more = rmids.more;
    for (uint32_t i = 0; i < rmids.n; i++)
        parts_add(parts, &rmids.list[i].place, PART_RMID);
}

void diagnosed_parts(const struct diagnosed *d, const struct symptoms *s, const struct machine *m, struct parts *parts)
{
    *parts = (struct parts){ 0 };

    for (const struct symptom *at = s->first; at; at = at->next) {
        if (!symptom_is_bad(at) || (d->cause ? !speaks_for(d->cause, at->row->id) : at->row != d->row))
            continue;
        for (uint32_t i = 0; i < at->n_findings; i++)
            if (names_part(d->cause, at->row->id, &at->findings[i]) &&
                !(d->cause && d->cause->names == PART_CPU && only_gained(at, &at->findings[i])))
                parts_add(parts, &at->findings[i].place, d->cause ? d->cause->names : PART_FIRST);
        parts->more |= at->n_unlisted > 0;
        if (d->cause && d->cause->part && parts->n > 0)
            break;
    }
    if (m && d->cause && d->cause->names == PART_PACKAGE)
        parts_to_packages(parts, m);
    else if (d->cause && d->cause->names == PART_RMID)
        add_domain_of_rmids(d, s, m, parts);
    else if (!d->cause || d->cause->names == PART_FIRST)
        narrow_to_cpu(d, s, m, parts);
    parts->n_domains = s->n_domains;
}

static void name_amount(const struct symptoms *s, struct diagnosed *d)
{
    double least, most;
    char factor[16];

    for (const struct symptom *at = s->first; at && d->cause && d->cause->figure; at = at->next)
        if (text_matches(d->cause->check, at->row->id) && figures_of(at, d->cause->figure, &least, &most)) {
            text_decimal(factor, sizeof factor, (double)(int64_t)(least * 1000 + (least < 0 ? -0.5 : 0.5)) / 1000);
            text_format(d->amount, sizeof d->amount, "factor %s", factor);
        }
}

static const char *finding_of(const struct symptoms *s, const struct check_row *row)
{
    for (const struct symptom *at = s->first; at; at = at->next)
        if (at->row == row && at->n_findings > 0)
            return at->findings[0].text;
    return "";
}

/* What it explains of what is left. A verdict is that of the worst of these; where none of them is a FAIL, what was seen is not
 * held to be a defect of its own, and neither is what is after it: it is likely at most. */
static void follow(const struct symptoms *s, const struct diagnosis *d, struct diagnosed *next)
{
    for (const struct symptom *at = s->first; at; at = at->next)
        if (symptom_is_bad(at) && is_left(d, at) && diagnosed_explains(next, at)) {
            next->n_follow++;
            next->verdict = verdict_worst(next->verdict, at->verdict);
        }
    if (next->verdict != VERDICT_FAIL && next->sure == SURE_CERTAIN)
        next->sure = SURE_LIKELY;
}

void diagnosis_run(const struct symptoms *s, const struct machine *m, struct diagnosis *out)
{
    memset(out, 0, sizeof *out);
    while (out->n < DIAGNOSED_MOST) {
        struct diagnosed next;
        struct parts parts;

        if (!choose_cause(s, out, &next) && !choose_rule(s, out, &next))
            break;
        next.finding = finding_of(s, next.row);
        follow(s, out, &next);
        diagnosed_parts(&next, s, m, &parts);
        parts_text(&parts, m, next.part, sizeof next.part);
        name_amount(s, &next);
        out->list[out->n++] = next;
    }
    for (const struct symptom *at = s->first; at; at = at->next)
        out->n_left += symptom_is_bad(at) && is_left(out, at);
}

bool diagnosed_explains(const struct diagnosed *d, const struct symptom *s)
{
    if (d->row == s->row)
        return true;
    if (!d->cause || !text_matches_any(d->cause->follows, s->row->id))
        return false;
    return !ANY_OF(i, s->n_findings, has_code(d->cause->never, s->findings[i].code));
}

const char *diagnosed_id(const struct diagnosed *d)
{
    return d->cause ? d->cause->id : d->row->id;
}

const char *diagnosed_monitor(const struct diagnosed *d)
{
    return d->cause ? d->cause->monitor : d->row->id;
}

const char *diagnosed_says(const struct diagnosed *d)
{
    return d->cause ? d->cause->says : d->row->means;
}

const char *diagnosed_next(const struct diagnosed *d)
{
    return d->cause ? d->cause->next : d->row->next;
}
