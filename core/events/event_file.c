/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/events/event_file.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/lines.h"
#include "core/base/search.h"
#include "core/base/text.h"

#define HEAD   1024u /* bytes within which the lines before the first event end */
#define FIELDS 3u
#define METRIC "metric" /* first of the FIELDS + 1 fields of one */

static enum status bad_field(struct event_file_error *error, uint32_t line, const char *field, const char *what)
{
    error->line = line;
    text_format(error->field, sizeof error->field, "%s", field);
    text_format(error->text, sizeof error->text, "%s", what);
    return ST_CORRUPT;
}

/* The value of "KEY: VALUE"; NULL: the line is another one. */
static char *event_value(char *line, const char *key)
{
    size_t n = strlen(key);

    return line && strncmp(line, key, n) == 0 && line[n] == ':' && line[n + 1] == ' ' && line[n + 2] ? line + n + 2
                                                                                                     : NULL;
}

/* --- which processors --------------------------------------------------------------------------------------------- */

/* Up to three hexadecimal digits at *at, which is then after them. */
static bool take_hexadecimal(const char **at, uint32_t *value)
{
    unsigned digits = 0;

    for (*value = 0; text_hex_digit(**at) >= 0; (*at)++, digits++)
        *value = *value << 4 | (uint32_t)text_hex_digit(**at);
    return digits > 0 && digits <= 3;
}

/* "6-55-01234" at *at, which is then after it. false: it is none. */
static bool take_model(const char **at, uint32_t *family, uint32_t *model, uint32_t *steppings)
{
    if (!take_hexadecimal(at, family) || *(*at)++ != '-' || !take_hexadecimal(at, model))
        return false;
    *steppings = 0xFFFF;
    if (**at != '-')
        return **at == '\0' || **at == ' ';
    (*at)++;
    for (*steppings = 0; text_hex_digit(**at) >= 0; (*at)++)
        *steppings |= UINT32_C(1) << text_hex_digit(**at);
    return *steppings != 0 && (**at == '\0' || **at == ' ');
}

static enum status models_fit(const char *models, uint32_t line, uint32_t family, uint32_t model, uint32_t stepping,
                              struct event_file_error *error)
{
    enum status st = ST_ABSENT;
    uint32_t f, m, s;

    for (const char *at = models; *at; at += *at == ' ') {
        if (!take_model(&at, &f, &m, &s))
            return bad_field(error, line, "models", "is not a list like 6-6A 6-55-01234");
        if (f == family && m == model && stepping < 16 && (s >> stepping & 1))
            st = ST_OK;
    }
    return st;
}

static enum status read_head(struct lines *l, const char **models, const char **source, struct event_file_error *error)
{
    char expected[32], what[96], *first = lines_next(l), *line;

    text_format(expected, sizeof expected, "assay-events %u", EVENTS_VERSION);
    if (!first || !text_equal(first, expected)) {
        text_format(what, sizeof what, "its first line is not \"%s\", but \"%.40s\"", expected,
                    first && lines_plain(first) ? first : "");
        return bad_field(error, l->number, "", what);
    }
    line = lines_next(l);
    *models = event_value(line, "models");
    if (!*models)
        return bad_field(error, l->number, "models", "no line \"models: ...\"");
    line = lines_next(l);
    *source = event_value(line, "source");
    if (!*source || !lines_plain(*source))
        return bad_field(error, l->number, "source", "no line \"source: ...\" in ASCII");
    return ST_OK;
}

enum status event_file_fits(const char *text, size_t length, uint32_t family, uint32_t model, uint32_t stepping,
                            struct event_file_error *error)
{
    char head[HEAD + 1];
    struct lines l = { .at = head };
    const char *models = NULL, *source = NULL;
    size_t n = length < HEAD ? length : HEAD;

    *error = (struct event_file_error){ .line = 0 };
    memcpy(head, text, n);
    head[n] = '\0';
    TRY(read_head(&l, &models, &source, error));
    return models_fit(models, 2, family, model, stepping, error);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

struct event_reader {
    struct event_file *file;
    struct lines lines;
    uint32_t room; /* of events */
    struct event_file_error *error;
};

static bool is_field(const char *field, size_t most)
{
    return *field && strlen(field) < most && lines_plain(field);
}

static enum status read_metric(struct event_reader *r, char *const in[FIELDS + 1])
{
    if (!is_field(in[1], EVENT_NAME) || !is_field(in[2], EVENT_NAME) || !is_field(in[3], METRIC_FORMULA))
        return bad_field(r->error, r->lines.number, METRIC, "has a field that is empty, too long, or not ASCII");
    if (r->file->n_metrics == r->room)
        return bad_field(r->error, r->lines.number, "", "too many metrics");
    r->file->metrics[r->file->n_metrics++] = (struct named_metric){ in[1], in[2], in[3] };
    return ST_OK;
}

static enum status read_event(struct event_reader *r, char *line)
{
    static const char *const names[FIELDS] = { "unit", "name", "event" };
    struct named_event *e = &r->file->events[r->file->n_events];
    struct event_fault fault;
    char *in[FIELDS + 1], field[24];
    unsigned n = lines_fields(line, in, FIELDS + 1);

    if (n == FIELDS + 1 && text_equal(in[0], METRIC))
        return read_metric(r, in);
    if (n != FIELDS)
        return bad_field(r->error, r->lines.number, n < FIELDS ? names[n] : "",
                         n < FIELDS ? "is missing: an event has 3 fields, separated by TAB"
                                    : "more than 3 fields, separated by TAB");
    for (unsigned i = 0; i < FIELDS; i++)
        if (!is_field(in[i], i == 2 ? EVENT_SPEC_TEXT : EVENT_NAME))
            return bad_field(r->error, r->lines.number, names[i], "is empty, too long, or not ASCII");
    if (r->file->n_events == r->room)
        return bad_field(r->error, r->lines.number, "", "too many events");
    *e = (struct named_event){ .unit = in[0], .name = in[1] };
    if (event_spec_parse(in[2], &e->spec, &fault) != ST_OK) {
        text_format(field, sizeof field, "event%s%s", fault.field[0] ? " " : "", fault.field);
        return bad_field(r->error, r->lines.number, field, fault.text);
    }
    r->file->n_events++;
    return ST_OK;
}

static enum status events_read(struct event_reader *r)
{
    const char *models = NULL, *end;
    uint64_t n = 0;
    char *line;
    enum status st = read_head(&r->lines, &models, &r->file->source, r->error);

    while (st == ST_OK) {
        line = lines_next(&r->lines);
        if (!line)
            return bad_field(r->error, r->lines.number, "", "the file stops before its line \"end: ...\"");
        end = event_value(line, "end");
        if (end && (!text_number(end, &n) || n != r->file->n_events + r->file->n_metrics))
            return bad_field(r->error, r->lines.number, "end", "not the number of events and metrics before it");
        if (end)
            return lines_next(&r->lines) ? bad_field(r->error, r->lines.number, "", "a line after the last") : ST_OK;
        st = read_event(r, line);
    }
    return st;
}

enum status event_file_parse(struct event_file *file, const char *text, size_t length, struct event_file_error *error)
{
    struct event_reader r = { .file = file, .error = error };
    enum status st = ST_NO_MEMORY;

    *file = (struct event_file){ .n_events = 0 };
    *error = (struct event_file_error){ .line = 0 };
    for (size_t i = 0; i < length; i++)
        r.room += text[i] == '\n';
    r.room = r.room < EVENTS_MOST ? r.room : EVENTS_MOST;
    file->text = heap_alloc(length + 1);
    file->events = heap_alloc((r.room + 1) * sizeof *file->events);
    file->metrics = heap_alloc((r.room + 1) * sizeof *file->metrics);
    if (file->text && file->events && file->metrics) {
        memcpy(file->text, text, length);
        r.lines.at = file->text;
        st = strlen(file->text) == length ? events_read(&r) : bad_field(error, 0, "", "a character that is none");
    }
    if (st != ST_OK)
        event_file_free(file);
    return st;
}

void event_file_free(struct event_file *file)
{
    heap_free(file->metrics);
    heap_free(file->events);
    heap_free(file->text);
    *file = (struct event_file){ .n_events = 0 };
}

/* --- by name ------------------------------------------------------------------------------------------------------ */

static bool unit_matches(const struct named_event *e, const char *unit)
{
    return !*unit || text_equal_nocase(e->unit, unit);
}

const struct named_event *event_file_find(const struct event_file *file, const char *unit, const char *name)
{
    return FIND(i, file->n_events,
                unit_matches(&file->events[i], unit) && text_equal_nocase(file->events[i].name, name), &file->events[i],
                NULL);
}

void event_nearest_offer(struct nearest_names *nearest, const char *wanted, const char *name)
{
    size_t distance = text_distance(wanted, name);
    uint32_t at = nearest->n;

    while (at > 0 && nearest->distances[at - 1] > distance)
        at--;
    if (at == NEAREST_NAMES)
        return;
    nearest->n += nearest->n < NEAREST_NAMES;
    for (uint32_t i = nearest->n - 1; i > at; i--) {
        nearest->names[i] = nearest->names[i - 1];
        nearest->distances[i] = nearest->distances[i - 1];
    }
    nearest->names[at] = name;
    nearest->distances[at] = (uint32_t)distance;
}

void event_file_nearest(const struct event_file *file, const char *unit, const char *name,
                        struct nearest_names *nearest)
{
    for (uint32_t i = 0; i < file->n_events; i++)
        if (unit_matches(&file->events[i], unit))
            event_nearest_offer(nearest, name, file->events[i].name);
}
