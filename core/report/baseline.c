/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/baseline.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/heap.h"
#include "core/base/place.h"
#include "core/base/search.h"
#include "core/base/text.h"

#define TOLERANCE 0.02

/* --- the store --------------------------------------------------------------------------------------------------- */

enum status baseline_open(struct baseline *b)
{
    memset(b, 0, sizeof *b);
    b->figures = heap_alloc(BASELINE_FIGURES * sizeof *b->figures);
    b->groups = heap_alloc(BASELINE_FIGURES * sizeof *b->groups);
    b->checks = heap_alloc(BASELINE_CHECKS * sizeof *b->checks);
    b->facts = heap_alloc(BASELINE_FACTS * sizeof *b->facts);
    b->order = heap_alloc(BASELINE_FIGURES * sizeof *b->order);
    b->text = heap_alloc(BASELINE_TEXT);
    b->open.undo = heap_alloc(BASELINE_UNDO * sizeof *b->open.undo);
    if (b->open.undo && b->order && b->figures && b->groups && b->checks && b->facts && b->text)
        return ST_OK;
    baseline_free(b);
    return ST_NO_MEMORY;
}

void baseline_free(struct baseline *b)
{
    heap_free(b->figures);
    heap_free(b->groups);
    heap_free(b->checks);
    heap_free(b->facts);
    heap_free(b->text);
    heap_free(b->order);
    heap_free(b->open.undo);
    memset(b, 0, sizeof *b);
}

static uint32_t baseline_hash(const char *const texts[3])
{
    return (uint32_t)hash_text(hash_text(hash_text(HASH_EMPTY, texts[0]), texts[1]), texts[2]);
}

/* The i-th text after a figure's key: 0 check, 1 name, 2 place, 3 unit. */
static const char *text_at(const struct baseline *b, const struct baseline_figure *f, unsigned i)
{
    const char *text = b->text + f->key;

    while (i-- > 0)
        text += strlen(text) + 1;
    return text;
}

static bool has_names(const struct baseline *b, const struct baseline_figure *f, const char *const texts[3])
{
    return text_equal(text_at(b, f, 0), texts[0]) && text_equal(text_at(b, f, 1), texts[1]) &&
           text_equal(text_at(b, f, 2), texts[2]);
}

/* Its place, or the free one where it would stand. The table is never more than half full. */
static struct baseline_figure *baseline_place(const struct baseline *b, struct baseline_figure *table,
                                              const char *const texts[3])
{
    uint32_t hash = baseline_hash(texts), at = hash % BASELINE_FIGURES;

    while (table[at].n > 0 && !(table[at].hash == hash && has_names(b, &table[at], texts)))
        at = (at + 1) % BASELINE_FIGURES;
    return &table[at];
}

static bool keep_names(struct baseline *b, struct baseline_figure *f, const char *const texts[3], const char *unit)
{
    const char *const all[] = { texts[0], texts[1], texts[2], unit };
    size_t need = 0;

    for (int i = 0; i < 4; i++)
        need += strlen(all[i]) + 1;
    if (b->text_length + need > BASELINE_TEXT)
        return false;
    *f = (struct baseline_figure){ .key = b->text_length, .hash = baseline_hash(texts), .whole = true };
    for (int i = 0; i < 4; i++) {
        size_t n = strlen(all[i]) + 1;

        memcpy(b->text + b->text_length, all[i], n);
        b->text_length += (uint32_t)n;
    }
    return true;
}

static void add_value(struct baseline *b, struct baseline_figure *table, uint32_t *used, const char *const texts[3],
                      const char *unit, double value)
{
    struct baseline_figure *f = baseline_place(b, table, texts), was = *f;

    if (b->open.n == BASELINE_UNDO) {
        b->lost += table == b->figures;
        return;
    }
    if (f->n == 0) {
        if (*used >= BASELINE_FIGURES / 2 || !keep_names(b, f, texts, unit)) {
            b->lost += table == b->figures;
            return;
        }
        if (table == b->figures)
            b->order[*used] = (uint16_t)(f - table);
        (*used)++;
        f->lo = f->hi = value;
    }
    b->open.undo[b->open.n++] = (struct baseline_undo){ .at = f, .was = was };
    f->n++;
    f->sum += value;
    f->lo = value < f->lo ? value : f->lo;
    f->hi = value > f->hi ? value : f->hi;
    f->whole = f->whole && value > -9e15 && value < 9e15 && (double)(int64_t)value == value;
}

static void add_figure(struct baseline *b, const char *check, const struct stream_line *line)
{
    const char *location = line->location[0] ? line->location : line->place; /* earlier reports have no location */
    char kind[sizeof line->location];
    const char *const texts[3] = { check, line->name, location };
    const char *const alike[3] = { check, line->name, kind };

    place_kind_of(location, kind, sizeof kind);
    add_value(b, b->figures, &b->n_figures, texts, line->unit, line->value);
    add_value(b, b->groups, &b->n_groups, alike, "", line->value);
}

/* Several values of one name stand after each other, as microcode revisions do. */
static void add_fact(struct baseline *b, const char *name, const char *value)
{
    struct baseline_fact *f = NULL;
    char key[sizeof f->name];
    size_t n;

    text_format(key, sizeof key, "%s", name); /* of a long name its beginning */
    for (uint32_t i = 0; i < b->n_facts && !f; i++)
        if (text_equal(b->facts[i].name, key))
            f = &b->facts[i];
    if (!f) {
        if (b->n_facts == BASELINE_FACTS)
            return;
        f = &b->facts[b->n_facts++];
        text_format(f->name, sizeof f->name, "%s", key);
        text_format(f->value, sizeof f->value, "%s", value);
        return;
    }
    n = strlen(f->value);
    text_format(f->value + n, sizeof f->value - n, ", %s", value);
}

/* How many of a kind of part there are: kept as a text that counts. */
static void count_part(struct baseline *b, const char *part)
{
    char name[40];
    uint64_t n = 0;

    text_format(name, sizeof name, "%ss", part);
    for (uint32_t i = 0; i < b->n_facts; i++) {
        if (!text_equal(b->facts[i].name, name))
            continue;
        if (text_number(b->facts[i].value, &n))
            text_format(b->facts[i].value, sizeof b->facts[i].value, "%lu", n + 1);
        return;
    }
    add_fact(b, name, "1");
}

static void add_verdict(struct baseline *b, const char *id, enum stream_verdict verdict)
{
    char key[sizeof b->checks[0].id];
    uint32_t i;

    text_format(key, sizeof key, "%s", id);
    i = INDEX_OF(k, b->n_checks, text_equal(b->checks[k].id, key));
    if (i == BASELINE_CHECKS)
        return;
    if (i == b->n_checks) {
        text_format(b->checks[b->n_checks++].id, sizeof b->checks[0].id, "%s", key);
        b->checks[i].rank = (uint8_t)verdict;
    }
    b->checks[i].rank = verdict > b->checks[i].rank ? (uint8_t)verdict : b->checks[i].rank;
}

/* --- one line ---------------------------------------------------------------------------------------------------- */

/* The path after a prefix, NULL where it does not begin with it. */
static const char *after(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);

    return strncmp(path, prefix, n) == 0 ? path + n : NULL;
}

#define KEEP(field) text_format(b->now.field, sizeof b->now.field, "%s", text)

static void take_software(struct baseline *b, const char *key, const char *text)
{
    char value[2 * BASELINE_FACT];

    if (text_equal(key, "softwareInfoId"))
        b->now.version[0] = b->now.revision[0] = '\0';
    else if (text_equal(key, "name"))
        KEEP(software);
    else if (text_equal(key, "version"))
        KEEP(version);
    else if (text_equal(key, "revision"))
        KEEP(revision);
    else if (text_equal(key, "softwareType")) { /* the last of each */
        text_format(value, sizeof value, "%s%s%s", b->now.version, b->now.revision[0] ? " " : "", b->now.revision);
        add_fact(b, b->now.software, value);
    }
}

/* What the machine says it is. */
static void take_identity(struct baseline *b, const char *key, const char *text)
{
    static const char *const infos[] = { "system-product-name: ", "system-serial-number: " };
    static const char *const names[] = { "machine", "serial number" };
    static const struct {
        const char *key, *name;
    } enumerated[] = {
        { "rdt.maxRmid", "highest RMID" },
        { "rdt.upscalingFactorBytes", "upscaling factor" },
        { "rdt.counterWidthBits", "counter bits" },
        { "rdt.l3CbmBits", "L3 mask bits" },
        { "rdt.l3Clos", "L3 classes" },
        { "rdt.monitoring", "RDT monitoring" },
        { "rdt.allocation", "RDT allocation" },
        { "numaNodes", "NUMA nodes" },
        { "memoryBytes", "memory bytes" },
        { "secureBoot", "Secure Boot" },
    };
    const char *rest = after(key, "softwareInfos.");

    if (rest)
        take_software(b, rest, text);
    if (text_equal(key, "hardwareInfos.partType"))
        count_part(b, text);
    if (text_equal(key, "metadata.processors.apicId"))
        count_part(b, "logical processor"); /* of older reports each is one of hardwareInfos */
    for (size_t i = 0; i < 2; i++) {
        const char *value = text_equal(key, "platformInfos.info") ? after(text, infos[i]) : NULL;

        if (value)
            add_fact(b, names[i], value);
    }
    rest = after(key, "metadata.");
    for (size_t i = 0; rest && i < sizeof enumerated / sizeof *enumerated; i++)
        if (text_equal(rest, enumerated[i].key))
            add_fact(b, enumerated[i].name, text);
}

static void take_field(void *context, enum stream_kind kind, const char *path, enum json_scalar, const char *text)
{
    const char *rest = kind == STREAM_RUN_START ? after(path, "dutInfo.") : NULL;

    if (rest)
        take_identity(context, rest, text);
}

/* The last first, so that the tables' chains are what they were. */
static void drop_step(struct baseline *b)
{
    while (b->open.n > 0) {
        const struct baseline_undo *u = &b->open.undo[--b->open.n];
        bool group = u->at >= b->groups && u->at < b->groups + BASELINE_FIGURES;

        *(group ? &b->n_groups : &b->n_figures) -= u->was.n == 0;
        *u->at = u->was;
    }
    b->text_length = b->open.text_length;
}

static void baseline_line(void *context, const struct stream_line *line, const char *check)
{
    struct baseline *b = context;

    if (line->kind == STREAM_STEP_START) {
        b->open.n = 0;
        b->open.text_length = b->text_length;
    } else if (line->kind == STREAM_MEASUREMENT && line->value_kind == JSON_SCALAR_NUMBER) {
        add_figure(b, check, line);
    } else if (line->kind == STREAM_STEP_END && line->dropped) {
        drop_step(b);
    } else if (line->kind == STREAM_STEP_END) {
        add_verdict(b, check, line->verdict);
    }
}

static void take_broken(void *context, const char *check)
{
    add_verdict(context, check, STREAM_VERDICT_ERROR);
}

static void take_fault(void *context, uint32_t, enum stream_fault)
{
    struct baseline *b = context;

    b->bad_lines++;
    if (!b->reader.started) /* it may have been a testRunStart whose beginning was read */
        b->n_facts = 0;
}

void baseline_add(struct baseline *b, const char *bytes, size_t length)
{
    if (!b->text)
        return;
    b->reader.context = b;
    b->reader.line = baseline_line;
    b->reader.field = take_field;
    b->reader.broken = take_broken;
    b->reader.fault = take_fault;
    stream_reader_add(&b->reader, bytes, length);
}

void baseline_end(struct baseline *b)
{
    if (b->text)
        stream_reader_end(&b->reader);
}

/* --- the comparison ---------------------------------------------------------------------------------------------- */

struct telling {
    const struct baseline_output *out;
    uint32_t n, most;
};

__attribute__((format(printf, 3, 4))) static void tell_change(struct telling *t, bool worse, const char *format, ...)
{
    char text[400];

    if (t->n++ >= t->most)
        return;
    TEXT_OF_ARGS(text, format);
    t->out->say(t->out->context, worse ? "WARN" : "", text);
}

static const struct baseline_fact *find_fact(const struct baseline *b, const char *name)
{
    return FIND(i, b->n_facts, text_equal(b->facts[i].name, name), &b->facts[i], NULL);
}

/* Enumerated numbers that fell are worse; names and versions only differ. */
static bool fell(const char *was, const char *now)
{
    uint64_t a, b;

    if (text_equal(was, "true") && text_equal(now, "false"))
        return true;
    return text_number(was, &a) && text_number(now, &b) && b < a;
}

static void compare_facts(const struct baseline *old, const struct baseline *now, bool worse, struct telling *t)
{
    for (uint32_t i = 0; i < old->n_facts; i++) {
        const struct baseline_fact *was = &old->facts[i], *is = find_fact(now, was->name);
        const char *value = is ? is->value : "absent";

        if (!text_equal(was->value, value) && (fell(was->value, value) || !is) == worse)
            tell_change(t, worse, "%s %s -> %s", was->name, was->value, value);
    }
    for (uint32_t i = 0; i < now->n_facts && !worse; i++)
        if (!find_fact(old, now->facts[i].name))
            tell_change(t, false, "%s absent -> %s", now->facts[i].name, now->facts[i].value);
}

static const struct baseline_check *find_check(const struct baseline *b, const char *id)
{
    return FIND(i, b->n_checks, text_equal(b->checks[i].id, id), &b->checks[i], NULL);
}

/* What the earlier run found no fault in and this one did not look at; a check that this run was not to run is none. */
static void name_gone(const struct baseline *old, const struct baseline *now, struct telling *t)
{
    EACH(const struct baseline_check, was, old->checks, old->n_checks)
        if (!find_check(now, was->id) && t->out->expected && t->out->expected(t->out->context, was->id))
            tell_change(t, was->rank == STREAM_VERDICT_PASS || was->rank == STREAM_VERDICT_WARN, "%s %s -> missing",
                        was->id, stream_verdict_names[was->rank]);
}

static void compare_checks(const struct baseline *old, const struct baseline *now, bool worse, struct telling *t)
{
    for (uint32_t i = 0; i < now->n_checks; i++) {
        const struct baseline_check *is = &now->checks[i], *was = find_check(old, is->id);
        bool is_worse = was ? is->rank > was->rank : is->rank >= STREAM_VERDICT_FAIL;

        if ((!was || was->rank != is->rank) && is_worse == worse)
            tell_change(t, worse, "%s %s -> %s", is->id, was ? stream_verdict_names[was->rank] : "absent",
                        stream_verdict_names[is->rank]);
    }
}

static double spread_of(const struct baseline *b, const struct baseline_figure *f)
{
    char kind[STREAM_TEXT];
    const char *const alike[3] = { text_at(b, f, 0), text_at(b, f, 1), kind };
    const struct baseline_figure *group;
    double mean;

    place_kind_of(text_at(b, f, 2), kind, sizeof kind);
    group = baseline_place(b, b->groups, alike);
    mean = group->n > 0 ? group->sum / group->n : 0;
    return mean == 0 ? 0 : (group->hi - group->lo) / 2 / (mean < 0 ? -mean : mean);
}

static bool is_counted(const char *unit)
{
    static const char *const units[] = { "", "bit", "bits", "ways", "boxes", "reads", "wraps" };

    return ANY_OF(i, sizeof units / sizeof *units, text_equal(unit, units[i]));
}

/* One decimal: "4.1". */
static void tenths(double percent, char *text, size_t size)
{
    double ten = percent * 10 + 0.5;

    if (!(ten < 1e15)) {
        text_format(text, size, "over 10^14");
        return;
    }
    text_format(text, size, "%lu.%lu", (uint64_t)ten / 10, (uint64_t)ten % 10);
}

/* A mean of bytes is whole for people. */
static double shown(double value, const char *unit)
{
    bool bytes = text_equal(unit, "bytes") && value < 9e15 && value > -9e15;

    return bytes ? (double)(int64_t)(value + (value < 0 ? -0.5 : 0.5)) : value;
}

static void compare_figure(const struct baseline *old, const struct baseline_figure *was, const struct baseline *now,
                           bool worse, struct telling *t)
{
    const char *const texts[3] = { text_at(old, was, 0), text_at(old, was, 1), text_at(old, was, 2) };
    const struct baseline_figure *is = baseline_place(now, now->figures, texts);
    char before[40], after[40], moved[24], spread[24], place[STREAM_TEXT];
    double a = was->sum / was->n, b, change, usual;
    const char *unit = text_at(old, was, 3);
    bool exact;

    if (is->n == 0)
        return;
    b = is->sum / is->n;
    exact = is_counted(unit) && was->whole && is->whole;
    change = a == 0 ? (b == 0 ? 0 : 1) : (b - a) / (a < 0 ? -a : a);
    usual = spread_of(old, was);
    if (a == b || (!exact && change <= 3 * usual && -change <= 3 * usual) ||
        (!exact && change <= TOLERANCE && -change <= TOLERANCE) || (exact && b < a) != worse)
        return;
    place_words_of(texts[2], place, sizeof place);
    text_decimal(before, sizeof before, shown(a, unit));
    text_decimal(after, sizeof after, shown(b, unit));
    tenths(100 * (change < 0 ? -change : change), moved, sizeof moved);
    tenths(100 * usual, spread, sizeof spread);
    if (exact || a == 0)
        tell_change(t, worse, "%s: %s%s%s: %s -> %s%s%s", texts[0], texts[1], place[0] ? ", " : "", place, before,
                    after, unit[0] ? " " : "", unit);
    else
        tell_change(t, worse, "%s: %s%s%s: %s -> %s %s, %s%s %%, was +/-%s %%", texts[0], texts[1],
                    place[0] ? ", " : "", place, before, after, unit, change < 0 ? "-" : "+", moved, spread);
}

static void compare_figures(const struct baseline *old, const struct baseline *now, bool worse, struct telling *t)
{
    for (uint32_t i = 0; i < old->n_figures; i++)
        compare_figure(old, &old->figures[old->order[i]], now, worse, t);
}

uint32_t baseline_compare(const struct baseline *old, const struct baseline *now, uint32_t most,
                          const struct baseline_output *out)
{
    struct telling t = { .out = out, .most = most };
    char text[80];

    if (!old->text || !now->text)
        return 0;
    for (int worse = 1; worse >= 0; worse--)
        compare_facts(old, now, worse, &t);
    for (int worse = 1; worse >= 0; worse--)
        compare_checks(old, now, worse, &t);
    name_gone(old, now, &t);
    for (int worse = 1; worse >= 0; worse--)
        compare_figures(old, now, worse, &t);
    if (t.n > most) {
        text_format(text, sizeof text, "and %u more changes: assay-report diff lists them all", t.n - most);
        out->say(out->context, "", text);
    }
    return t.n;
}
