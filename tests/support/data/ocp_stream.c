/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/ocp_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/stream/stream_reader.h"
#include "tests/support/data/json_read.h"

/* --- the shape of objects ---------------------------------------------------------------------------------------- */

enum type { T_TEXT, T_INTEGER, T_NUMBER, T_SCALAR, T_BOOL, T_FREE, T_TIME, T_OBJECT, T_LIST, T_ENUM, T_TEXTS };

struct field {
    const char *object, *name;
    enum type type;
    bool required;
    const char *of; /* T_OBJECT, T_LIST: which object; T_ENUM: the words, each between blanks */
};

#define SEVERITY " INFO DEBUG WARNING ERROR FATAL "
#define STATUS   " COMPLETE ERROR SKIP "
#define COMPARE                                                                                                        \
    " EQUAL NOT_EQUAL LESS_THAN LESS_THAN_OR_EQUAL GREATER_THAN GREATER_THAN_OR_EQUAL REGEX_MATCH REGEX_NO_MATCH "     \
    "IN_SET NOT_IN_SET "

static const struct field fields[] = {
    { "line", "sequenceNumber", T_INTEGER, true, NULL },
    { "line", "timestamp", T_TIME, true, NULL },
    { "line", "schemaVersion", T_OBJECT, false, "schemaVersion" },
    { "line", "testRunArtifact", T_OBJECT, false, "run" },
    { "line", "testStepArtifact", T_OBJECT, false, "step" },
    { "schemaVersion", "major", T_INTEGER, true, NULL },
    { "schemaVersion", "minor", T_INTEGER, true, NULL },
    { "run", "testRunStart", T_OBJECT, false, "testRunStart" },
    { "run", "testRunEnd", T_OBJECT, false, "testRunEnd" },
    { "run", "log", T_OBJECT, false, "log" },
    { "run", "error", T_OBJECT, false, "error" },
    { "testRunStart", "name", T_TEXT, true, NULL },
    { "testRunStart", "version", T_TEXT, true, NULL },
    { "testRunStart", "commandLine", T_TEXT, true, NULL },
    { "testRunStart", "parameters", T_FREE, true, NULL },
    { "testRunStart", "dutInfo", T_OBJECT, true, "dutInfo" },
    { "testRunStart", "metadata", T_FREE, false, NULL },
    { "testRunEnd", "status", T_ENUM, true, STATUS },
    { "testRunEnd", "result", T_ENUM, true, " NOT_APPLICABLE PASS FAIL " },
    { "dutInfo", "dutInfoId", T_TEXT, true, NULL },
    { "dutInfo", "name", T_TEXT, false, NULL },
    { "dutInfo", "platformInfos", T_LIST, false, "platformInfo" },
    { "dutInfo", "softwareInfos", T_LIST, false, "softwareInfo" },
    { "dutInfo", "hardwareInfos", T_LIST, false, "hardwareInfo" },
    { "dutInfo", "metadata", T_FREE, false, NULL },
    { "platformInfo", "info", T_TEXT, true, NULL },
    { "softwareInfo", "name", T_TEXT, true, NULL },
    { "softwareInfo", "softwareInfoId", T_TEXT, true, NULL },
    { "softwareInfo", "version", T_TEXT, false, NULL },
    { "softwareInfo", "revision", T_TEXT, false, NULL },
    { "softwareInfo", "computerSystem", T_TEXT, false, NULL },
    { "softwareInfo", "softwareType", T_ENUM, false, " UNSPECIFIED FIRMWARE SYSTEM APPLICATION " },
    { "hardwareInfo", "name", T_TEXT, true, NULL },
    { "hardwareInfo", "hardwareInfoId", T_TEXT, true, NULL },
    { "hardwareInfo", "version", T_TEXT, false, NULL },
    { "hardwareInfo", "revision", T_TEXT, false, NULL },
    { "hardwareInfo", "location", T_TEXT, false, NULL },
    { "hardwareInfo", "serialNumber", T_TEXT, false, NULL },
    { "hardwareInfo", "partNumber", T_TEXT, false, NULL },
    { "hardwareInfo", "partType", T_TEXT, false, NULL },
    { "hardwareInfo", "manufacturer", T_TEXT, false, NULL },
    { "hardwareInfo", "manufacturerPartNumber", T_TEXT, false, NULL },
    { "hardwareInfo", "odataId", T_TEXT, false, NULL },
    { "hardwareInfo", "computerSystem", T_TEXT, false, NULL },
    { "hardwareInfo", "manager", T_TEXT, false, NULL },
    { "log", "severity", T_ENUM, true, SEVERITY },
    { "log", "message", T_TEXT, true, NULL },
    { "log", "sourceLocation", T_OBJECT, false, "sourceLocation" },
    { "error", "symptom", T_TEXT, true, NULL },
    { "error", "message", T_TEXT, false, NULL },
    { "error", "softwareInfoIds", T_TEXTS, false, NULL },
    { "error", "sourceLocation", T_OBJECT, false, "sourceLocation" },
    { "sourceLocation", "file", T_TEXT, true, NULL },
    { "sourceLocation", "line", T_NUMBER, true, NULL },
    { "step", "testStepId", T_TEXT, true, NULL },
    { "step", "testStepStart", T_OBJECT, false, "testStepStart" },
    { "step", "testStepEnd", T_OBJECT, false, "testStepEnd" },
    { "step", "measurement", T_OBJECT, false, "measurement" },
    { "step", "measurementSeriesStart", T_OBJECT, false, "measurementSeriesStart" },
    { "step", "measurementSeriesElement", T_OBJECT, false, "measurementSeriesElement" },
    { "step", "measurementSeriesEnd", T_OBJECT, false, "measurementSeriesEnd" },
    { "step", "error", T_OBJECT, false, "error" },
    { "step", "log", T_OBJECT, false, "log" },
    { "step", "diagnosis", T_OBJECT, false, "diagnosis" },
    { "step", "file", T_OBJECT, false, "file" },
    { "step", "extension", T_OBJECT, false, "extension" },
    { "testStepStart", "name", T_TEXT, true, NULL },
    { "testStepEnd", "status", T_ENUM, true, STATUS },
    { "measurement", "name", T_TEXT, true, NULL },
    { "measurement", "value", T_SCALAR, true, NULL },
    { "measurement", "unit", T_TEXT, false, NULL },
    { "measurement", "validators", T_LIST, false, "validator" },
    { "measurement", "hardwareInfoId", T_TEXT, false, NULL },
    { "measurement", "subcomponent", T_OBJECT, false, "subcomponent" },
    { "measurement", "metadata", T_FREE, false, NULL },
    { "validator", "name", T_TEXT, false, NULL },
    { "validator", "type", T_ENUM, true, COMPARE },
    { "validator", "value", T_SCALAR, true, NULL },
    { "validator", "metadata", T_FREE, false, NULL },
    { "subcomponent", "name", T_TEXT, true, NULL },
    { "subcomponent", "type", T_ENUM, false, " UNSPECIFIED ASIC ASIC-SUBSYSTEM BUS FUNCTION CONNECTOR " },
    { "subcomponent", "location", T_TEXT, false, NULL },
    { "subcomponent", "version", T_TEXT, false, NULL },
    { "subcomponent", "revision", T_TEXT, false, NULL },
    { "measurementSeriesStart", "name", T_TEXT, true, NULL },
    { "measurementSeriesStart", "measurementSeriesId", T_TEXT, true, NULL },
    { "measurementSeriesStart", "unit", T_TEXT, false, NULL },
    { "measurementSeriesStart", "validators", T_LIST, false, "validator" },
    { "measurementSeriesStart", "hardwareInfoId", T_TEXT, false, NULL },
    { "measurementSeriesStart", "subcomponent", T_OBJECT, false, "subcomponent" },
    { "measurementSeriesStart", "metadata", T_FREE, false, NULL },
    { "measurementSeriesElement", "index", T_INTEGER, true, NULL },
    { "measurementSeriesElement", "value", T_SCALAR, true, NULL },
    { "measurementSeriesElement", "timestamp", T_TIME, true, NULL },
    { "measurementSeriesElement", "measurementSeriesId", T_TEXT, true, NULL },
    { "measurementSeriesElement", "metadata", T_FREE, false, NULL },
    { "measurementSeriesEnd", "measurementSeriesId", T_TEXT, true, NULL },
    { "measurementSeriesEnd", "totalCount", T_INTEGER, true, NULL },
    { "diagnosis", "verdict", T_TEXT, true, NULL },
    { "diagnosis", "type", T_ENUM, true, " PASS FAIL UNKNOWN " },
    { "diagnosis", "message", T_TEXT, false, NULL },
    { "diagnosis", "hardwareInfoId", T_TEXT, false, NULL },
    { "diagnosis", "subcomponent", T_OBJECT, false, "subcomponent" },
    { "diagnosis", "sourceLocation", T_OBJECT, false, "sourceLocation" },
    { "file", "displayName", T_TEXT, true, NULL },
    { "file", "uri", T_TEXT, true, NULL },
    { "file", "isSnapshot", T_BOOL, true, NULL },
    { "file", "description", T_TEXT, false, NULL },
    { "file", "contentType", T_TEXT, false, NULL },
    { "file", "metadata", T_FREE, false, NULL },
    { "extension", "name", T_TEXT, true, NULL },
    { "extension", "content", T_FREE, true, NULL },
};
#define N_FIELDS (sizeof fields / sizeof *fields)

struct checker {
    struct ocp_result *result;
    bool partial;
    uint32_t line;
    struct stream_reader reader; /* what stands in the stream, and whether its lines are in order */
    /* What a reader need not know: ids that are taken, and elements of the open series. */
    char **step_ids;
    uint32_t n_step_ids;
    char **series_ids;
    uint32_t n_series_ids;
    uint32_t series_count;
};

static bool refuse(struct checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct checker *c, const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!c->result->fault[0])
        snprintf(c->result->fault, sizeof c->result->fault, "line %u: %s", c->line, what);
    return false;
}

/* "2026-11-21T06:19:02.123Z" with or without the fraction (RFC 3339). */
static bool is_time(const char *t)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    int month, day, hour, minute, second, consumed = 0;
    size_t n = sizeof form - 1;

    if (strlen(t) < n + 1)
        return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? t[i] < '0' || t[i] > '9' : t[i] != form[i])
            return false;
    if (sscanf(t + 5, "%2d-%2dT%2d:%2d:%2d%n", &month, &day, &hour, &minute, &second, &consumed) != 5)
        return false;
    if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
        return false;
    t += n;
    if (*t == '.') {
        size_t digits = strspn(t + 1, "0123456789");

        if (digits == 0)
            return false;
        t += 1 + digits;
    }
    return strcmp(t, "Z") == 0;
}

static bool is_integer(const struct json_value *v)
{
    return v->kind == JSON_NUMBER && strspn(v->text, "0123456789") == strlen(v->text);
}

static bool check_object(struct checker *c, const struct json_value *v, const char *object);

static bool check_list(struct checker *c, const struct json_value *v, const struct field *f)
{
    if (v->kind != JSON_ARRAY)
        return refuse(c, "%s.%s is no array", f->object, f->name);
    for (const struct json_value *item = v->child; item; item = item->next) {
        if (f->type == T_TEXTS ? item->kind != JSON_TEXT : !check_object(c, item, f->of))
            return refuse(c, "%s.%s holds something else", f->object, f->name);
    }
    return true;
}

static bool check_field(struct checker *c, const struct json_value *v, const struct field *f)
{
    char word[64];
    bool good = false;

    switch (f->type) {
    case T_TEXT:
        good = v->kind == JSON_TEXT;
        break;
    case T_INTEGER:
        good = is_integer(v);
        break;
    case T_NUMBER:
        good = v->kind == JSON_NUMBER;
        break;
    case T_SCALAR:
        good = v->kind == JSON_NUMBER || v->kind == JSON_TEXT || v->kind == JSON_BOOL;
        break;
    case T_BOOL:
        good = v->kind == JSON_BOOL;
        break;
    case T_FREE:
        good = v->kind == JSON_OBJECT;
        break;
    case T_TIME:
        good = v->kind == JSON_TEXT && is_time(v->text);
        break;
    case T_OBJECT:
        return check_object(c, v, f->of);
    case T_LIST:
    case T_TEXTS:
        return check_list(c, v, f);
    case T_ENUM:
        snprintf(word, sizeof word, " %s ", v->kind == JSON_TEXT ? v->text : "?");
        good = strstr(f->of, word) != NULL;
        break;
    }
    return good || refuse(c, "%s.%s is not what it must be", f->object, f->name);
}

static const struct field *find_field(const char *object, const char *name)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (strcmp(fields[i].object, object) == 0 && strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static bool check_object(struct checker *c, const struct json_value *v, const char *object)
{
    if (v->kind != JSON_OBJECT)
        return refuse(c, "%s is no object", object);
    for (const struct json_value *m = v->child; m; m = m->next) {
        const struct field *f = find_field(object, m->key);

        if (!f)
            return refuse(c, "%s has an unknown member \"%.60s\"", object, m->key);
        if (!check_field(c, m, f))
            return false;
    }
    for (size_t i = 0; i < N_FIELDS; i++)
        if (strcmp(fields[i].object, object) == 0 && fields[i].required && !json_at(v, fields[i].name))
            return refuse(c, "%s lacks \"%s\"", object, fields[i].name);
    return true;
}

/* --- the order of lines ------------------------------------------------------------------------------------------ */

static bool known(char **ids, uint32_t n, const char *id)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

static void remember(char ***ids, uint32_t *n, const char *id)
{
    *ids = realloc(*ids, sizeof **ids * (*n + 1));
    (*ids)[(*n)++] = strdup(id);
}

static void forget(char **ids, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(ids[i]);
    free(ids);
}

/* The one artifact among the members of a run or step artifact. */
static const struct json_value *only_artifact(const struct json_value *v)
{
    const struct json_value *found = NULL;

    for (const struct json_value *m = v->child; m; m = m->next) {
        if (strcmp(m->key, "testStepId") == 0)
            continue;
        if (found)
            return NULL;
        found = m;
    }
    return found;
}

static bool run_end(struct checker *c, const struct json_value *v)
{
    const char *status = json_text_at(v, "status"), *result = json_text_at(v, "result");
    bool complete = strcmp(status, "COMPLETE") == 0, none = strcmp(result, "NOT_APPLICABLE") == 0;

    if (c->reader.step.open)
        return refuse(c, "testRunEnd while a step is open");
    return complete || none || refuse(c, "status %s and result %s do not go together", status, result);
}

static bool run_artifact(struct checker *c, const struct json_value *v)
{
    const struct json_value *a = only_artifact(v);

    if (!a)
        return refuse(c, "testRunArtifact holds not exactly one artifact");
    if (strcmp(a->key, "testRunStart") != 0 && !c->reader.started)
        return refuse(c, "%s before testRunStart", a->key);
    return strcmp(a->key, "testRunEnd") != 0 || run_end(c, a);
}

static bool step_start(struct checker *c, const char *id)
{
    if (known(c->step_ids, c->n_step_ids, id))
        return refuse(c, "testStepId \"%.40s\" stands for two steps", id);
    remember(&c->step_ids, &c->n_step_ids, id);
    return true;
}

static bool series_start(struct checker *c, const char *id)
{
    if (c->reader.step.series[0] || known(c->series_ids, c->n_series_ids, id))
        return refuse(c, "measurement series \"%.40s\" begins twice, or inside another", id);
    remember(&c->series_ids, &c->n_series_ids, id);
    c->series_count = 0;
    return true;
}

static bool step_artifact(struct checker *c, const struct json_value *v)
{
    const struct json_value *a = only_artifact(v);

    if (!a)
        return refuse(c, "testStepArtifact holds not exactly one artifact");
    if (!c->reader.started)
        return refuse(c, "a step before testRunStart");
    if (strcmp(a->key, "testStepStart") == 0)
        return step_start(c, json_text_at(v, "testStepId"));
    if (strcmp(a->key, "measurementSeriesStart") == 0)
        return series_start(c, json_text_at(a, "measurementSeriesId"));
    if (strcmp(a->key, "measurementSeriesElement") == 0)
        return (uint32_t)json_at(a, "index")->number == c->series_count++ || refuse(c, "an index is out of order");
    if (strcmp(a->key, "measurementSeriesEnd") == 0)
        return (uint32_t)json_at(a, "totalCount")->number == c->series_count ||
               refuse(c, "totalCount is not the number of elements");
    return strcmp(a->key, "testStepEnd") != 0 || !c->reader.step.series[0] ||
           refuse(c, "a step ends while its measurement series is open");
}

static bool check_line(struct checker *c, const struct json_value *v)
{
    const struct json_value *version = json_at(v, "schemaVersion"), *run = json_at(v, "testRunArtifact");
    const struct json_value *step = json_at(v, "testStepArtifact");

    if (!check_object(c, v, "line"))
        return false;
    if ((version != NULL) + (run != NULL) + (step != NULL) != 1)
        return refuse(c, "a line holds exactly one of schemaVersion, testRunArtifact, testStepArtifact");
    if ((c->line == 1) != (version != NULL))
        return refuse(c, "schemaVersion is the first line, and only that");
    if (version)
        return (json_at(version, "major")->number == 2 && json_at(version, "minor")->number == 0) ||
               refuse(c, "schemaVersion is not 2.0");
    return run ? run_artifact(c, run) : step_artifact(c, step);
}

/* --- what stands in it ------------------------------------------------------------------------------------------- */

static void count_line(void *context, const struct stream_line *line, const char *check)
{
    struct ocp_result *r = ((struct checker *)context)->result;

    r->steps += line->kind == STREAM_STEP_START;
    r->measurements += line->kind == STREAM_MEASUREMENT;
    r->series += line->kind == STREAM_SERIES_START;
    r->diagnoses += line->kind == STREAM_DIAGNOSIS;
    r->extensions += line->kind == STREAM_EXTENSION;
    r->errors += line->kind == STREAM_ERROR || line->kind == STREAM_RUN_ERROR;
    r->logs += line->kind == STREAM_LOG || line->kind == STREAM_RUN_LOG;
    if (line->kind == STREAM_STEP_START || line->kind == STREAM_STEP_END)
        snprintf(r->unfinished, sizeof r->unfinished, "%s", line->kind == STREAM_STEP_START ? check : "");
    if (line->kind == STREAM_RUN_END) {
        r->ended = true;
        snprintf(r->result, sizeof r->result, "%s", line->result);
        snprintf(r->status, sizeof r->status, "%s", line->status);
    }
}

static void take_field(void *context, enum stream_kind kind, const char *path, enum json_scalar, const char *text)
{
    struct ocp_result *r = ((struct checker *)context)->result;

    if (kind == STREAM_RUN_START && strcmp(path, "dutInfo.name") == 0)
        snprintf(r->dut_name, sizeof r->dut_name, "%s", text);
    if (kind == STREAM_RUN_START && strcmp(path, "dutInfo.metadata.virtualSilicon") == 0)
        r->virtual_silicon = strcmp(text, "true") == 0;
}

static void refuse_fault(void *context, uint32_t, enum stream_fault fault)
{
    refuse(context, fault == STREAM_OUT_OF_ORDER ? "out of order: lines are missing before it, it stood already, or "
                                                   "what it belongs to is not open"
                                                 : "the reader of streams does not take it");
}

static bool check_lines(struct checker *c, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t n = end ? (size_t)(end - (text + at)) : length - at;
        char why[128];
        struct json_value *v;
        bool good;

        c->line++;
        if (!end && c->partial)
            return true; /* cut in the middle of a line: that one was never written */
        if (!end)
            return refuse(c, "the last line has no end");
        v = json_read(text + at, n, why, sizeof why);
        good = v ? check_line(c, v) : refuse(c, "%s", why);
        json_drop(v);
        if (good)
            stream_reader_add(&c->reader, text + at, n + 1);
        if (c->result->fault[0])
            return false;
        c->result->lines++;
        at += n + 1;
    }
    if (c->partial)
        return c->result->lines > 0 || refuse(c, "the stream is empty");
    return c->result->ended || refuse(c, "the stream has no testRunEnd");
}

/* For other readers of the format; one that has no end is N.torn. */
static void keep(const char *text, size_t length, bool ended)
{
    static unsigned n;
    const char *folder = getenv("ASSAY_STREAMS");
    char path[512];
    FILE *f;

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%d-%u.%s", folder, (int)getpid(), n++, ended ? "jsonl" : "torn");
    f = fopen(path, "wb");
    if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0)
        abort(); /* whoever asked for the streams must not miss one */
}

bool ocp_check(const char *text, size_t length, bool partial, struct ocp_result *result)
{
    struct checker c = { .result = result, .partial = partial };
    bool good;

    memset(result, 0, sizeof *result);
    c.reader = (struct stream_reader){ .context = &c, .line = count_line, .field = take_field, .fault = refuse_fault };
    good = check_lines(&c, text, length);
    if (good)
        keep(text, length, result->ended);
    forget(c.step_ids, c.n_step_ids);
    forget(c.series_ids, c.n_series_ids);
    return good;
}
