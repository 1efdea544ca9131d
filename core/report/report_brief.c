/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/report/report_internal.h"

struct brief_step {
    struct brief_step *next;
    const char *id, *title;
    enum verdict verdict;
    bool said; /* in the list that is written */
    size_t length;
    char text
        []; /* of a PASS the least that it excludes, of a SKIP its reason; else details, each with its kind before it and a NUL after */
};

struct brief {
    struct text_parts parts;
    struct brief_step *steps, **last;
    bool lost; /* no memory, or nothing was judged: the text stays as it is */
};

/* --- begin and end ----------------------------------------------------------------------------------------------- */

void brief_begin(struct report *r)
{
    struct brief *b = r->text.replace ? heap_alloc(sizeof *b) : NULL;

    if (!b)
        return;
    memset(b, 0, sizeof *b);
    b->last = &b->steps;
    r->brief = b;
    r->parts = &b->parts;
}

void brief_free(struct report *r)
{
    struct brief *b = r->brief;

    r->brief = NULL;
    r->parts = NULL;
    if (!b)
        return;
    while (b->steps) {
        struct brief_step *next = b->steps->next;

        heap_free(b->steps);
        b->steps = next;
    }
    for (unsigned i = 0; i < TEXT_PARTS; i++)
        heap_free(b->parts.kept[i].bytes);
    heap_free(b);
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

static struct brief_step *step_anew(struct report *r, const struct check_record *c, const char *text, size_t length)
{
    struct brief *b = r->brief;
    struct brief_step *s = heap_alloc(sizeof *s + length + 1), **at = &b->steps;

    if (!s)
        return NULL;
    *s = (struct brief_step){ .id = r->open.id, .title = r->open.title, .verdict = c->verdict, .length = length };
    if (length > 0)
        memcpy(s->text, text, length);
    s->text[length] = '\0';
    while (*at && !text_equal((*at)->id, s->id))
        at = &(*at)->next;
    if (*at) {
        struct brief_step *old = *at;

        s->next = old->next;
        b->last = b->last == &old->next ? &s->next : b->last;
        *at = s;
        heap_free(old);
        return s;
    }
    *b->last = s;
    b->last = &s->next;
    return s;
}

void brief_step(struct report *r, const struct check_record *c)
{
    bool passed = c->verdict == VERDICT_PASS, skipped = c->verdict == VERDICT_SKIP;
    const char *text = passed ? c->least : skipped ? c->reason : r->details;

    if (!r->brief || c->dropped)
        return;
    r->brief->lost |= c->done || !step_anew(r, c, text, passed || skipped ? strlen(text) : r->details_length);
}

bool brief_has_steps(const struct report *r)
{
    return r->brief && r->brief->steps;
}

/* --- findings ---------------------------------------------------------------------------------------------------- */

static uint32_t count_findings(const struct brief_step *s)
{
    uint32_t n = 0;

    for (size_t at = 0; at < s->length; at += strlen(s->text + at) + 1)
        n += s->text[at] == DETAIL_FINDING;
    return n;
}

/* What made findings a WARN stands once, since the same check says it of each. */
static void put_findings(struct report *r, const struct brief_step *s, uint32_t most)
{
    uint32_t n = count_findings(s), said = 0;
    const char *limit = NULL;
    char text[640], prefix[48];

    text_format(prefix, sizeof prefix, "%-5s  %-25s ", verdict_text(s->verdict), s->id);
    text_paragraph(r, prefix, s->title);
    for (size_t at = 0; at < s->length; at += strlen(s->text + at) + 1) {
        const char *detail = s->text + at;

        if (detail[0] == DETAIL_FINDING && said == most)
            break;
        said += detail[0] == DETAIL_FINDING;
        if (detail[0] == DETAIL_FINDING || detail[0] == DETAIL_ERRATUM)
            text_paragraph(r, text_detail_prefix((enum detail)detail[0]), detail + 1);
        else if (detail[0] == DETAIL_LIMIT)
            limit = detail + 1;
    }
    if (n > said) {
        text_format(text, sizeof text, "and %u more", n - said);
        text_paragraph(r, "       - ", text);
    }
    if (limit)
        text_paragraph(r, "       ", limit);
}

/* --- lists of ids ------------------------------------------------------------------------------------------------ */

#define ID_COLUMNS   66u   /* that a line of ids has at least                                     */
#define FINDING_LAST 6u    /* lines by which the last check's findings go beyond their room, and the two after */
#define LIST         3800u /* every check of a family with its figure, or those of a verdict */

struct id_list {
    size_t n;
    char text[LIST];
};

static void list_add(struct id_list *l, const char *word, size_t length)
{
    if (l->n + length + 3 < sizeof l->text)
        l->n += text_format(l->text + l->n, sizeof l->text - l->n, "%s%.*s", l->n ? ", " : "", (int)length, word);
}

/* The checks of a verdict whose findings have no room. */
static void put_unlisted(struct report *r, enum verdict v, struct id_list *l)
{
    char prefix[16];

    l->n = 0;
    for (struct brief_step *s = r->brief->steps; s; s = s->next)
        if (s->verdict == v && !s->said)
            list_add(l, s->id, strlen(s->id));
    text_format(prefix, sizeof prefix, "%-5s  ", verdict_text(v));
    if (l->n > 0)
        text_paragraph(r, prefix, l->text);
}

/* Lines that the ids of the checks of a verdict take. */
static uint32_t lines_of_ids(const struct brief *b, enum verdict v)
{
    size_t n = 0;

    for (const struct brief_step *s = b->steps; s; s = s->next)
        n += s->verdict == v ? strlen(s->id) + 2 : 0;
    return n > 0 ? (uint32_t)(n / ID_COLUMNS + 1) : 0;
}

/* Lines for findings: what all else leaves, at least the first check's. */
static uint32_t finding_room(const struct brief *b)
{
    uint32_t used = b->parts.kept[TEXT_ALL].lines + b->parts.kept[TEXT_PASSED].lines + b->parts.kept[TEXT_TAIL].lines +
                    lines_of_ids(b, VERDICT_FAIL) + lines_of_ids(b, VERDICT_WARN) + lines_of_ids(b, VERDICT_SKIP) +
                    FINDING_LAST;

    if (used + BRIEF_FINDING_LINES <= BRIEF_FAIL_LINES)
        return BRIEF_FINDING_LINES;
    return used < BRIEF_FAIL_LINES ? BRIEF_FAIL_LINES - used : 1;
}

static void put_bad(struct report *r, struct id_list *l)
{
    static const enum verdict bad[] = { VERDICT_FAIL, VERDICT_ERROR, VERDICT_WARN };
    uint32_t room = finding_room(r->brief);
    struct brief *b = r->brief;
    uint32_t begun = b->parts.kept[TEXT_ALL].lines;
    bool any = false;

    for (size_t v = 0; v < sizeof bad / sizeof bad[0]; v++) {
        for (struct brief_step *s = b->steps; s; s = s->next)
            if (s->verdict == bad[v] && b->parts.kept[TEXT_ALL].lines - begun < room) {
                put_findings(r, s, any ? 1 : 2);
                s->said = any = true;
            }
        put_unlisted(r, bad[v], l);
    }
    if (any) {
        text_paragraph(r, "", "Everything that was found is in report.html and report.jsonl, and by -v 2 here.");
        text_rule(r);
    }
}

/* --- what passed, what was skipped ------------------------------------------------------------------------------- */

#define SKIP_PREFIX "SKIP   "
#define SKIP_WHERE  ": the reasons are in report.html"

static size_t family_length(const char *id)
{
    const char *dot = text_find(id, ".");

    return dot ? (size_t)(dot - id) : strlen(id);
}

static void add_passed(struct id_list *l, const struct brief_step *s, size_t family)
{
    char word[128];

    text_format(word, sizeof word, "%s%s%s", s->id + family + (s->id[family] == '.'), s->length > 0 ? " " : "",
                s->text);
    list_add(l, word, strlen(word));
}

static void put_passed(struct report *r, struct id_list *l)
{
    char prefix[32];

    text_paragraph(r, "", "Passed; a figure is the smallest defect that this run would have detected:");
    for (struct brief_step *first = r->brief->steps; first; first = first->next) {
        size_t family = family_length(first->id);

        if (first->verdict != VERDICT_PASS || first->said)
            continue;
        l->n = 0;
        for (struct brief_step *s = first; s; s = s->next)
            if (s->verdict == VERDICT_PASS && family_length(s->id) == family &&
                strncmp(s->id, first->id, family) == 0) {
                add_passed(l, s, family);
                s->said = true;
            }
        text_format(prefix, sizeof prefix, "PASS   %-8.*s ", (int)family, first->id);
        text_paragraph(r, prefix, l->text);
    }
}

static bool is_alike(const struct brief_step *s, const struct brief_step *first)
{
    return s->verdict == VERDICT_SKIP && text_equal(s->text, first->text);
}

/* The checks that were skipped for one reason, then the reason. Returns how many lines it takes. */
static uint32_t gather_skipped(const struct brief_step *first, struct id_list *l)
{
    l->n = 0;
    list_add(l, first->id, strlen(first->id));
    for (const struct brief_step *s = first->next; s; s = s->next)
        if (is_alike(s, first))
            list_add(l, s->id, strlen(s->id));
    if (l->n + first->length + 3 < sizeof l->text)
        l->n += text_format(l->text + l->n, sizeof l->text - l->n, ": %s", first->text);
    return text_paragraph_lines(strlen(SKIP_PREFIX), l->text);
}

static uint32_t alike(const struct brief_step *first)
{
    uint32_t n = 0;

    for (const struct brief_step *s = first; s; s = s->next)
        n += is_alike(s, first);
    return n;
}

/* No earlier check has its reason. */
static bool begins_group(const struct brief *b, const struct brief_step *step)
{
    const struct brief_step *s = b->steps;

    while (!is_alike(s, step))
        s = s->next;
    return s == step;
}

/* The checks whose reason was not said, but for those of one; returns how many lines they take. */
static uint32_t gather_rest(const struct brief *b, const struct brief_step *but, struct id_list *l)
{
    l->n = 0;
    for (const struct brief_step *s = b->steps; s; s = s->next)
        if (s->verdict == VERDICT_SKIP && !s->said && (!but || !is_alike(s, but)))
            list_add(l, s->id, strlen(s->id));
    if (l->n > 0 && l->n + sizeof SKIP_WHERE < sizeof l->text)
        l->n += text_format(l->text + l->n, sizeof l->text - l->n, "%s", SKIP_WHERE);
    return l->n > 0 ? text_paragraph_lines(strlen(SKIP_PREFIX), l->text) : 0;
}

/* Reasons of `least` checks and more, of `most` lines alone, that leave room for the ids of all whose reason has none. Returns
 * the lines that are taken then, of which `used` were. */
static uint32_t put_skips_of(struct report *r, struct id_list *l, uint32_t least, uint32_t most, uint32_t used,
                             uint32_t room)
{
    for (struct brief_step *first = r->brief->steps; first; first = first->next) {
        uint32_t lines, rest;

        if (first->verdict != VERDICT_SKIP || first->said || alike(first) < least || !begins_group(r->brief, first))
            continue;
        lines = gather_skipped(first, l);
        rest = gather_rest(r->brief, first, l + 1);
        if (lines > most || used + lines + rest > room)
            continue;
        text_paragraph(r, SKIP_PREFIX, l->text);
        used += lines;
        for (struct brief_step *s = first; s; s = s->next)
            s->said |= is_alike(s, first);
    }
    return used;
}

/* Reasons of several checks first, then short ones: they leave the fewest without theirs. l: two of them. */
static void put_skipped(struct report *r, struct id_list *l, uint32_t room)
{
    static const struct {
        uint32_t least, most;
    } turns[] = { { 3, UINT32_MAX }, { 2, UINT32_MAX }, { 1, 1 }, { 1, 2 }, { 1, UINT32_MAX } };
    uint32_t used = 0;

    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++)
        used = put_skips_of(r, l, turns[i].least, turns[i].most, used, room);
    if (gather_rest(r->brief, NULL, l) > 0)
        text_paragraph(r, SKIP_PREFIX, l->text);
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static bool has_verdict(const struct brief *b, enum verdict v)
{
    for (const struct brief_step *s = b->steps; s; s = s->next)
        if (s->verdict == v)
            return true;
    return false;
}

static void put_result(struct report *r, const struct run_record *run, enum run_result result)
{
    const struct verdict_counts *c = &run->counts;
    char text[128];

    text_format(text, sizeof text, "%s: %u PASS, %u FAIL, %u WARN, %u SKIP, %u ERROR", run_result_text(result), c->pass,
                c->fail, c->warn, c->skip, c->error);
    text_paragraph(r, "Result     ", text);
    if (result == RUN_WARN)
        text_paragraph(r, "           ",
                       "Nothing FAILs: what is a WARN is not as expected, and says why that is no FAIL here.");
}

static uint32_t lines_left(const struct brief *b)
{
    bool bad = has_verdict(b, VERDICT_FAIL) || has_verdict(b, VERDICT_ERROR);
    uint32_t lines = bad ? BRIEF_FAIL_LINES : BRIEF_PASS_LINES;
    uint32_t used = b->parts.kept[TEXT_ALL].lines + b->parts.kept[TEXT_TAIL].lines;

    return lines > used ? lines - used : 0;
}

static void put_part(struct brief *b, enum text_part part)
{
    text_part_add(&b->parts, TEXT_ALL, b->parts.kept[part].bytes, b->parts.kept[part].length);
}

static void put_all(struct report *r, const struct run_record *run, enum run_result result, struct id_list *l)
{
    struct brief *b = r->brief;

    text_turn(r, TEXT_PASSED);
    if (r->verbose > 0 && has_verdict(b, VERDICT_PASS))
        put_passed(r, l);
    text_turn(r, TEXT_ALL);
    put_part(b, TEXT_TITLE);
    put_result(r, run, result);
    put_part(b, TEXT_CAUSES);
    text_rule(r);
    put_part(b, TEXT_HEAD);
    put_bad(r, l);
    put_part(b, TEXT_PASSED);
    if (r->verbose > 0)
        put_skipped(r, l, lines_left(b));
    put_part(b, TEXT_TAIL);
}

void brief_end(struct report *r, const struct run_record *run, enum run_result result)
{
    struct brief *b = r->brief;
    struct id_list *l = b && b->steps && !b->lost && !b->parts.lost ? heap_alloc(2 * sizeof *l) : NULL;

    if (l) {
        put_all(r, run, result, l);
        text_turn(r, TEXT_NONE);
    }
    if (l && !b->parts.lost && r->text_failed == ST_OK)
        r->text_failed =
            r->text.replace(r->text.context, b->parts.kept[TEXT_ALL].bytes, b->parts.kept[TEXT_ALL].length);
    heap_free(l);
    brief_free(r);
}
