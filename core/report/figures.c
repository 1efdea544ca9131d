/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/figures.h"

#include <string.h>

#include "core/base/text.h"

static void figures_put(struct figures *f, const char *bytes, size_t length)
{
    if (f->failed == ST_OK)
        f->failed = f->put(f->context, bytes, length);
}

/* What is open in it is closed. */
static void figures_put_line(struct figures *f, struct json *j)
{
    while (j->failed == ST_OK && j->depth > 0)
        json_end(j);
    if (f->failed == ST_OK)
        f->failed = j->failed;
    if (f->failed != ST_OK)
        return;
    j->text[j->length] = '\n'; /* in the place of the terminator */
    figures_put(f, j->text, j->length + 1);
}

/* --- a step ------------------------------------------------------------------------------------------------------ */

static void begin_check(struct figures *f, const char *check)
{
    f->round = 1;
    f->method = f->next_method = 0;
    json_reset(&f->names);
    json_object(&f->names, NULL);
    json_text(&f->names, "check", check);
    json_array(&f->names, "figures");
    json_reset(&f->numbers);
    json_array(&f->numbers, NULL);
    json_reset(&f->found);
    json_object(&f->found, NULL);
    json_array(&f->found, "found");
}

static void figures_measured(struct figures *f, const struct stream_line *line)
{
    if (line->value_kind != JSON_SCALAR_NUMBER)
        return;
    json_array(&f->names, NULL);
    json_text(&f->names, NULL, line->name);
    json_text(&f->names, NULL, line->unit);
    json_text(&f->names, NULL, line->place);
    json_text(&f->names, NULL, line->location);
    json_end(&f->names);
    json_verbatim(&f->numbers, NULL, line->text);
    json_verbatim(&f->numbers, NULL, line->has_lo ? line->lo_text : "null");
    json_verbatim(&f->numbers, NULL, line->has_hi ? line->hi_text : "null");
}

static void add_finding(struct figures *f, const struct stream_line *line)
{
    if (text_equal(line->result, "PASS"))
        return;
    json_array(&f->found, NULL);
    json_text(&f->found, NULL, line->result);
    json_text(&f->found, NULL, line->name);
    json_text(&f->found, NULL, line->location);
    json_end(&f->found);
}

static void end_check(struct figures *f, const struct stream_line *line)
{
    if (line->dropped)
        return;
    json_end(&f->found);
    json_text(&f->found, "verdict", stream_verdict_names[line->verdict]);
    json_unsigned(&f->found, "round", f->round);
    if (f->method > 0)
        json_unsigned(&f->found, "method", f->method);
    figures_put_line(f, &f->names);
    figures_put_line(f, &f->numbers);
    figures_put_line(f, &f->found);
    f->checks++;
}

/* --- the stream -------------------------------------------------------------------------------------------------- */

static void figures_line(void *context, const struct stream_line *line, const char *check)
{
    struct figures *f = context;

    switch (line->kind) {
    case STREAM_STEP_START:
        begin_check(f, check);
        break;
    case STREAM_EXTENSION:
        if (text_equal(line->name, "assay.check")) {
            f->round = f->next_round;
            f->method = f->next_method;
        }
        break;
    case STREAM_MEASUREMENT:
        figures_measured(f, line);
        break;
    case STREAM_DIAGNOSIS:
        add_finding(f, line);
        break;
    case STREAM_STEP_END:
        end_check(f, line);
        break;
    case STREAM_RUN_END:
        memcpy(f->status, line->status, sizeof f->status);
        memcpy(f->result, line->result, sizeof f->result);
        break;
    default:
        break;
    }
}

static void figures_field(void *context, enum stream_kind kind, const char *path, enum json_scalar scalar,
                          const char *text)
{
    struct figures *f = context;

    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_NUMBER && text_equal(path, "round") &&
        !text_number(text, &f->next_round))
        f->next_round = 1;
    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_NUMBER && text_equal(path, "method") &&
        !text_number(text, &f->next_method))
        f->next_method = 0;
}

static void figures_fault(void *context, uint32_t, enum stream_fault)
{
    struct figures *f = context;

    f->faults++;
}

void figures_begin(struct figures *f, void *context,
                   enum status (*take)(void *context, const char *bytes, size_t length))
{
    memset(f, 0, sizeof *f);
    f->context = context;
    f->put = take;
    f->reader =
        (struct stream_reader){ .context = f, .line = figures_line, .field = figures_field, .fault = figures_fault };
    sha256_begin(&f->sha);
}

static void put_version(struct figures *f)
{
    json_reset(&f->names);
    json_object(&f->names, NULL);
    json_unsigned(&f->names, "figures", FIGURES_VERSION);
    figures_put_line(f, &f->names);
}

void figures_add(struct figures *f, const char *bytes, size_t length)
{
    sha256_add(&f->sha, bytes, length);
    while (length > 0 && !f->reader.started) { /* the head is kept, a line at a time */
        size_t n = 1;

        while (n < length && bytes[n - 1] != '\n')
            n++;
        figures_put(f, bytes, n);
        stream_reader_add(&f->reader, bytes, n);
        if (f->reader.started)
            put_version(f);
        bytes += n;
        length -= n;
    }
    stream_reader_add(&f->reader, bytes, length);
}

static void figures_put_end(struct figures *f)
{
    struct json *j = &f->names;
    char sha[65];

    sha256_text(&f->sha, sha);
    json_reset(j);
    json_object(j, NULL);
    json_object(j, "end");
    json_text(j, "status", f->status);
    json_text(j, "result", f->result);
    json_unsigned(j, "checks", f->checks);
    json_unsigned(j, "bytes", f->sha.bytes);
    json_text(j, "sha256", sha);
    figures_put_line(f, j);
}

enum status figures_end(struct figures *f)
{
    stream_reader_end(&f->reader);
    if (f->failed == ST_OK && (!f->reader.started || !f->reader.ended || f->reader.torn || f->faults > 0))
        f->failed = ST_CORRUPT;
    figures_put_end(f);
    json_free(&f->names);
    json_free(&f->numbers);
    json_free(&f->found);
    return f->failed;
}
