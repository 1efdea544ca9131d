/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The C reader and the validator, held to the streams of tests/fixtures/stream as the readers in Python and JavaScript
 * are; tests/report/test_stream.py says what an edit is. What is read is put together as a tree of the shape of
 * golden.json, and compared with that. */
#include "core/stream/stream_reader.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/json_read.h"
#include "tests/support/data/ocp_stream.h"

/* --- trees ------------------------------------------------------------------------------------------------------- */

static struct json_value *value(enum json_kind kind, const char *key, const char *text)
{
    struct json_value *v = calloc(1, sizeof *v);

    v->kind = kind;
    v->key = key ? strdup(key) : NULL;
    v->text = text ? strdup(text) : NULL;
    return v;
}

static struct json_value *add(struct json_value *parent, struct json_value *child)
{
    struct json_value **tail = &parent->child;

    while (*tail)
        tail = &(*tail)->next;
    *tail = child;
    return child;
}

static struct json_value *add_text(struct json_value *parent, const char *key, const char *text)
{
    return add(parent, value(JSON_TEXT, key, text));
}

static void add_number(struct json_value *parent, const char *key, double number, bool known)
{
    add(parent, value(known ? JSON_NUMBER : JSON_NULL, key, NULL))->number = number;
}

static void add_bool(struct json_value *parent, const char *key, bool truth)
{
    add(parent, value(JSON_BOOL, key, NULL))->truth = truth;
}

static struct json_value *add_list(struct json_value *parent, const char *key)
{
    return add(parent, value(JSON_ARRAY, key, NULL));
}

static void add_pair(struct json_value *list, const char *a, const char *b)
{
    struct json_value *pair = add_list(list, NULL);

    add_text(pair, NULL, a);
    add_text(pair, NULL, b);
}

static struct json_value *member(struct json_value *v, const char *key)
{
    struct json_value *c = v->child;

    while (c && strcmp(c->key, key) != 0)
        c = c->next;
    return c;
}

static void take_out_member(struct json_value *object, const char *key)
{
    struct json_value **at = &object->child, *gone;

    while (strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    gone = *at;
    *at = gone->next;
    gone->next = NULL;
    json_drop(gone);
}

static struct json_value *last(struct json_value *list)
{
    struct json_value *c = list->child;

    while (c && c->next)
        c = c->next;
    return c;
}

static void set_text(struct json_value *v, const char *key, const char *text)
{
    free(member(v, key)->text);
    member(v, key)->text = strdup(text);
}

/* --- what is read ------------------------------------------------------------------------------------------------ */

#define STOPS "the report stops in this check"

struct reading {
    struct json_value *root, *options, *logs, *errors, *checks, *faults;
    struct json_value *fields; /* of the line that is being read: pairs */
};

static struct json_value *begin_check(struct reading *r, const char *id)
{
    struct json_value *c = add(r->checks, value(JSON_OBJECT, NULL, NULL));

    add_text(c, "id", id);
    add_number(c, "round", 1, true);
    add_text(c, "title", "");
    add_text(c, "detects", "");
    add_text(c, "verdict", "ERROR");
    add_text(c, "reason", "");
    for (const char *const *list =
             (const char *const[]){ "findings", "notes", "errors", "measurements", "series", "cost", NULL };
         *list; list++)
        add_list(c, *list);
    add_number(c, "evidence", 0, true);
    return c;
}

static void end_check(struct json_value *c, const char *verdict)
{
    struct json_value *errors = member(c, "errors"), *findings = member(c, "findings"), *notes = member(c, "notes");
    bool error = strcmp(verdict, "ERROR") == 0, skip = strcmp(verdict, "SKIP") == 0;
    struct json_value *from = error && errors->child ? errors : findings->child ? findings : notes;

    set_text(c, "verdict", verdict);
    if (strcmp(verdict, "PASS") != 0)
        set_text(c, "reason", !from->child ? "no reason given" : skip ? last(from)->text : from->child->text);
}

static void add_value(struct json_value *list, const struct stream_line *l)
{
    if (l->value_kind == JSON_SCALAR_NUMBER)
        add_number(list, NULL, l->value, true);
    else if (l->value_kind == JSON_SCALAR_TEXT)
        add_text(list, NULL, l->text);
    else
        add_bool(list, NULL, strcmp(l->text, "true") == 0);
}

static void add_measurement(struct json_value *c, const struct stream_line *l)
{
    struct json_value *m = add_list(member(c, "measurements"), NULL);

    add_text(m, NULL, l->name);
    add_text(m, NULL, l->place);
    add_text(m, NULL, l->unit);
    add_value(m, l);
    add_number(m, NULL, l->lo, l->has_lo);
    add_number(m, NULL, l->hi, l->has_hi);
    add_text(m, NULL, l->location);
}

static void add_series(struct json_value *c, const struct stream_line *l)
{
    struct json_value *s = add_list(member(c, "series"), NULL);

    add_text(s, NULL, l->name);
    add_text(s, NULL, l->place);
    add_text(s, NULL, l->unit);
    add_text(s, NULL, l->x_name);
    add_text(s, NULL, l->x_unit);
    add_text(s, NULL, l->location);
    add_list(s, NULL);
}

static void add_point(struct json_value *c, const struct stream_line *l)
{
    struct json_value *s = member(c, "series")->child, *point;

    while (s && strcmp(s->child->text, l->name) != 0)
        s = s->next;
    cr_assert_not_null(s, "%s", l->name);
    point = add_list(last(s), NULL);
    add_number(point, NULL, l->x, true);
    add_value(point, l);
}

/* Finding, limit, and the numbers of its errata. */
static void add_limits(struct reading *r, struct json_value *c)
{
    struct json_value *list = add_list(member(r->root, "limits"), NULL);
    char numbers[64] = "", limit[STREAM_TEXT] = "";
    size_t n = 0;

    for (struct json_value *f = r->fields->child; f; f = f->next) {
        const char *key = f->child->text, *text = f->child->next->text;

        if (strcmp(key, "limit") == 0)
            snprintf(limit, sizeof limit, "%s", text);
        else if (strcmp(key, "errata.number") == 0)
            n += (size_t)snprintf(numbers + n, sizeof numbers - n, "%s%s", n ? " " : "", text);
    }
    add_text(list, NULL, last(member(c, "findings"))->text);
    add_text(list, NULL, limit);
    add_text(list, NULL, numbers);
}

static void add_extension(struct reading *r, struct json_value *c, const char *name)
{
    if (strcmp(name, "assay.finding") == 0)
        add_limits(r, c);
    member(c, "evidence")->number += strcmp(name, "assay.evidence") == 0;
    for (struct json_value *f = r->fields->child; f; f = f->next) {
        const char *key = f->child->text, *text = f->child->next->text;

        if (strcmp(name, "assay.cost") == 0)
            add_pair(member(c, "cost"), key, text);
        else if (strcmp(name, "assay.check") == 0 && strcmp(key, "title") == 0)
            set_text(c, "title", text);
        else if (strcmp(name, "assay.check") == 0 && (strcmp(key, "detects") == 0 || strcmp(key, "catches") == 0))
            set_text(c, "detects", text); /* "catches" is the key of earlier reports */
        else if (strcmp(name, "assay.check") == 0 && strcmp(key, "round") == 0)
            member(c, "round")->number = strtod(text, NULL);
    }
}

static void drop_last(struct json_value *list)
{
    struct json_value **tail = &list->child;

    while ((*tail)->next)
        tail = &(*tail)->next;
    json_drop(*tail);
    *tail = NULL;
}

static void take_options(struct reading *r)
{
    for (struct json_value *f = r->fields->child; f; f = f->next)
        if (strncmp(f->child->text, "parameters.", 11) == 0)
            add_pair(r->options, f->child->text + 11, f->child->next->text);
}

static void take_run(struct reading *r, const struct stream_line *l)
{
    if (l->kind == STREAM_RUN_START)
        take_options(r);
    else if (l->kind == STREAM_RUN_LOG)
        add_pair(r->logs, l->severity, l->message);
    else if (l->kind == STREAM_RUN_ERROR)
        add_text(r->errors, NULL, l->message[0] ? l->message : l->symptom);
}

/* What does not count, and the causes of findings, are no checks. */
static bool is_forgotten(struct json_value *c, const struct stream_line *l)
{
    return l->kind == STREAM_STEP_END && (l->dropped || strcmp(member(c, "id")->text, "diagnosis") == 0);
}

static void take_step(struct reading *r, struct json_value *c, const struct stream_line *l)
{
    if (l->kind == STREAM_MEASUREMENT)
        add_measurement(c, l);
    else if (l->kind == STREAM_SERIES_START)
        add_series(c, l);
    else if (l->kind == STREAM_SERIES_ELEMENT)
        add_point(c, l);
    else if (l->kind == STREAM_DIAGNOSIS && strcmp(l->result, "PASS") != 0)
        add_text(member(c, "findings"), NULL, l->message[0] ? l->message : l->name);
    else if (l->kind == STREAM_LOG)
        add_text(member(c, "notes"), NULL, l->message);
    else if (l->kind == STREAM_ERROR)
        add_text(member(c, "errors"), NULL, l->message[0] ? l->message : l->symptom);
    else if (l->kind == STREAM_EXTENSION)
        add_extension(r, c, l->name);
    else if (is_forgotten(c, l))
        drop_last(r->checks);
    else if (l->kind == STREAM_STEP_END)
        end_check(c, stream_verdict_names[l->verdict]);
}

static void forget_fields(struct reading *r)
{
    json_drop(r->fields);
    r->fields = value(JSON_ARRAY, NULL, NULL);
}

static void on_line(void *context, const struct stream_line *line, const char *check)
{
    struct reading *r = context;

    if (line->kind == STREAM_STEP_START)
        begin_check(r, line->name);
    else if (line->kind < STREAM_STEP_START)
        take_run(r, line);
    else
        take_step(r, last(r->checks), line);
    if (check[0] && line->kind != STREAM_STEP_END)
        cr_expect_str_eq(member(last(r->checks), "id")->text, check);
    forget_fields(r);
}

static void on_field(void *context, enum stream_kind, const char *path, enum json_scalar, const char *text)
{
    add_pair(((struct reading *)context)->fields, path, text);
}

static void on_broken(void *context, const char *check)
{
    struct json_value *c = last(((struct reading *)context)->checks);

    cr_expect_str_eq(member(c, "id")->text, check);
    add_text(member(c, "errors"), NULL, STOPS);
    end_check(c, "ERROR");
}

static void on_fault(void *context, uint32_t line, enum stream_fault fault)
{
    static const char *const names[] = { "json", "format", "order" };
    struct reading *r = context;
    struct json_value *pair = add_list(r->faults, NULL);

    add_number(pair, NULL, line, true);
    add_text(pair, NULL, names[fault]);
    if (fault != STREAM_OUT_OF_ORDER)
        forget_fields(r);
}

/* A line out of order may be read all the same, and says so before line(): its fields go when the next one ends. */
static struct json_value *read_all(const char *text, size_t length, size_t piece)
{
    struct reading r = { .root = value(JSON_OBJECT, NULL, NULL), .fields = value(JSON_ARRAY, NULL, NULL) };
    struct stream_reader *s = calloc(1, sizeof *s);

    r.options = add_list(r.root, "options");
    r.logs = add_list(r.root, "logs");
    r.errors = add_list(r.root, "errors");
    add_list(r.root, "limits");
    r.checks = add_list(r.root, "checks");
    r.faults = add_list(r.root, "faults");
    *s = (struct stream_reader){
        .context = &r, .line = on_line, .field = on_field, .broken = on_broken, .fault = on_fault
    };
    for (size_t at = 0; at < length; at += piece)
        stream_reader_add(s, text + at, length - at < piece ? length - at : piece);
    stream_reader_end(s);
    add_bool(r.root, "started", s->started);
    add_bool(r.root, "ended", s->ended);
    add_bool(r.root, "torn", s->torn);
    json_drop(r.fields);
    free(s);
    return r.root;
}

/* --- what should be read ----------------------------------------------------------------------------------------- */

static char *read_fixture(const char *name)
{
    char path[512];
    char *text = calloc(1, 1 << 17);
    FILE *f;

    snprintf(path, sizeof path, ASSAY_ROOT "/tests/fixtures/stream/%s", name);
    f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    cr_assert_gt(fread(text, 1, (1 << 17) - 1, f), 0);
    cr_assert(feof(f) || fgetc(f) == EOF, "%s is longer than this test's memory", path);
    fclose(f);
    return text;
}

static struct json_value *parse_fixture(const char *name)
{
    char *text = read_fixture(name), why[128];
    struct json_value *v = json_read(text, strlen(text), why, sizeof why);

    cr_assert_not_null(v, "%s: %s", name, why);
    free(text);
    return v;
}

#define MOST 200u

struct lines {
    char *line[MOST];
    size_t n;
    bool open; /* the last one has no end */
};

static void put_in(struct lines *l, size_t at, const char *text)
{
    cr_assert_lt(l->n, MOST);
    memmove(l->line + at + 1, l->line + at, (l->n++ - at) * sizeof *l->line);
    l->line[at] = strdup(text);
}

static void take_out(struct lines *l, size_t at)
{
    free(l->line[at]);
    memmove(l->line + at, l->line + at + 1, (--l->n - at) * sizeof *l->line);
}

static void replace(struct lines *l, size_t at, const char *old, const char *new)
{
    char *was = l->line[at], *found = strstr(was, old), *now = calloc(1, strlen(was) + strlen(new) + 1);

    cr_assert_not_null(found, "%s", old);
    sprintf(now, "%.*s%s%s", (int)(found - was), was, new, found + strlen(old));
    free(was);
    l->line[at] = now;
}

static void edit(struct lines *l, struct json_value *e)
{
    struct json_value *to = member(e, "end"), *line = member(e, "line"), *keep = member(e, "keep");
    size_t at = line ? (size_t)line->number - 1 : 0;

    if (to)
        for (l->open = true; l->n > (size_t)to->number;)
            take_out(l, l->n - 1);
    else if (member(e, "insert"))
        put_in(l, at, member(e, "insert")->text);
    else if (member(e, "repeat"))
        put_in(l, at, l->line[at]);
    else if (member(e, "delete"))
        take_out(l, at);
    else if (keep)
        l->line[at][(size_t)keep->number] = '\0';
    else
        replace(l, at, member(e, "old")->text, member(e, "new")->text);
}

/* The golden stream with these edits; to be freed. */
static char *edited(struct json_value *edits)
{
    char *text = read_fixture("golden.jsonl"), *out = calloc(1, 1 << 17), *to = out;
    struct lines l = { .n = 0 };

    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        put_in(&l, l.n, at);
    }
    for (struct json_value *e = edits->child; e; e = e->next)
        edit(&l, e);
    for (size_t i = 0; i < l.n; i++)
        to += sprintf(to, "%s%s", l.line[i], i + 1 < l.n || !l.open ? "\n" : "");
    while (l.n > 0)
        take_out(&l, l.n - 1);
    free(text);
    return out;
}

/* --- the comparison ---------------------------------------------------------------------------------------------- */

static bool same_scalar(const struct json_value *a, const struct json_value *b)
{
    double distance = a->number - b->number, size = a->number < 0 ? -a->number : a->number;

    if (a->kind != b->kind)
        return false;
    if (a->kind == JSON_NUMBER) /* the reader's conversion may be off in the last bits */
        return (distance < 0 ? -distance : distance) <= 1e-12 * size;
    return a->kind == JSON_TEXT ? strcmp(a->text, b->text) == 0 : a->truth == b->truth;
}

static void expect_same(struct json_value *want, struct json_value *got, const char *path, struct json_value *otherwise,
                        const char *name);

static void expect_same_members(struct json_value *want, struct json_value *got, const char *path,
                                struct json_value *otherwise, const char *name)
{
    struct json_value *g = got->child;
    size_t n_want = 0, n_got = 0;

    for (struct json_value *c = want->child; c; c = c->next, n_want++) {
        char at[256];

        if (want->kind == JSON_OBJECT)
            snprintf(at, sizeof at, "%s%s%s", path, path[0] ? "." : "", c->key);
        else
            snprintf(at, sizeof at, "%s.%zu", path, n_want);
        g = want->kind == JSON_OBJECT ? member(got, c->key) : n_want == 0 ? got->child : g ? g->next : NULL;
        cr_expect_not_null(g, "%s: %s is missing", name, at);
        if (g)
            expect_same(c, g, at, otherwise, name);
    }
    for (g = got->child; g; g = g->next)
        n_got++;
    cr_expect_eq(n_got, n_want, "%s: %s has %zu, not %zu", name, path, n_got, n_want);
}

/* otherwise: the parts of the golden reading that are not as they stand there, by path. */
static void expect_same(struct json_value *want, struct json_value *got, const char *path, struct json_value *otherwise,
                        const char *name)
{
    struct json_value *other = otherwise ? member(otherwise, path) : NULL;

    want = other ? other : want;
    if (want->kind != JSON_OBJECT && want->kind != JSON_ARRAY)
        cr_expect(same_scalar(want, got), "%s: %s is \"%s\" %g, not \"%s\" %g", name, path, got->text ? got->text : "",
                  got->number, want->text ? want->text : "", want->number);
    else
        expect_same_members(want, got, path, otherwise, name);
}

Test(stream_reader, reads_the_golden_stream_and_its_variants_as_they_say)
{
    struct json_value *golden = parse_fixture("golden.json"), *variants = parse_fixture("damaged.json");
    size_t n = 0;

    take_out_member(golden, "result"); /* what all lines say: tests/report/test_stream.py */
    take_out_member(golden, "contradictions");
    for (struct json_value *v = variants->child; v; v = v->next, n++) {
        char *text = edited(member(v, "edits"));
        struct json_value *got = read_all(text, strlen(text), 1 + 31 * n % 512);

        expect_same(golden, got, "", member(v, "expected"), member(v, "name")->text);
        json_drop(got);
        free(text);
    }
    cr_expect_gt(n, 40);
    json_drop(golden);
    json_drop(variants);
}

/* Lines that contradict each other are not its to find. */
Test(stream_reader, the_validator_takes_the_variants_that_are_valid_and_no_other)
{
    struct json_value *variants = parse_fixture("damaged.json");
    struct ocp_result result;

    for (struct json_value *v = variants->child; v; v = v->next) {
        struct json_value *contradictions = member(member(v, "expected"), "contradictions");
        char *text = edited(member(v, "edits"));
        bool valid = ocp_check(text, strlen(text), false, &result);

        cr_expect(valid == member(v, "valid")->truth || (contradictions && contradictions->child), "%s: %s",
                  member(v, "name")->text, result.fault);
        free(text);
    }
    json_drop(variants);
}
