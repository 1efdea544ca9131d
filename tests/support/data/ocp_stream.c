/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/ocp_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/search.h"
#include "core/stream/stream_reader.h"
#include "tests/support/data/json_schema.h"

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

/* --- the order of lines ------------------------------------------------------------------------------------------ */

static bool known(char **ids, uint32_t n, const char *id)
{
    return ANY_OF(i, n, strcmp(ids[i], id) == 0);
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
    bool version = json_at(v, "schemaVersion") != NULL;
    const struct json_value *run = json_at(v, "testRunArtifact");
    char why[160];

    if (!json_schema_takes(v, why, sizeof why))
        return refuse(c, "%s", why);
    if ((c->line == 1) != version)
        return refuse(c, "schemaVersion is the first line, and only that");
    return version || (run ? run_artifact(c, run) : step_artifact(c, json_at(v, "testStepArtifact")));
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
