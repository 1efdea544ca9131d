/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/stream/stream_reader.h: reads a report.jsonl as it comes, in pieces of any size, in memory that does not grow.
 *
 * This is the C reader of streams; core/page/stream.js and scripts/report/stream.py are the others. The three read the
 * same out of any stream: docs/report.md, "How a stream is read", has the rules, and tests/fixtures/stream the streams
 * that hold them to it. A line that is not of the format is a fault and is skipped; reading continues after it.
 */
#pragma once
#include "core/encoding/json_stream.h"

#define STREAM_ID   64u              /* characters of an id, a unit or a word                 */
#define STREAM_TEXT JSON_STREAM_TEXT /* of any other text; what is longer is cut              */

enum stream_fault {
    STREAM_NO_JSON,      /* no JSON object, or a text with half of a surrogate pair               */
    STREAM_NO_LINE,      /* a member is missing or of another type, or an artifact is unknown     */
    STREAM_OUT_OF_ORDER, /* lines are missing before it, it stood already, or its step is not open */
};

enum stream_kind {
    STREAM_NOTHING,
    STREAM_SCHEMA,
    STREAM_RUN_START, /* its members go to field()                                  */
    STREAM_RUN_END,   /* status, result                                             */
    STREAM_RUN_LOG,
    STREAM_RUN_ERROR,
    STREAM_STEP_START, /* name                                                      */
    STREAM_STEP_END,   /* verdict: from the diagnoses and the status                */
    STREAM_MEASUREMENT,
    STREAM_SERIES_START,
    STREAM_SERIES_ELEMENT, /* name: of its series; x, value                         */
    STREAM_SERIES_END,
    STREAM_DIAGNOSIS, /* result: PASS, FAIL or UNKNOWN; name: its verdict; message */
    STREAM_LOG,
    STREAM_ERROR,
    STREAM_FILE,
    STREAM_EXTENSION, /* name; its content goes to field()                          */
};

enum stream_verdict {
    STREAM_VERDICT_PASS,
    STREAM_VERDICT_SKIP,
    STREAM_VERDICT_WARN,
    STREAM_VERDICT_FAIL,
    STREAM_VERDICT_ERROR,
    STREAM_VERDICTS
};
extern const char *const stream_verdict_names[];

/* What a line has; what it lacks is "" or 0. */
struct stream_line {
    enum stream_kind kind;
    char step[STREAM_ID], series[STREAM_ID], unit[STREAM_ID], status[STREAM_ID], result[STREAM_ID];
    char severity[STREAM_ID], time[STREAM_ID]; /* time: the line's timestamp */
    char name[STREAM_TEXT], place[STREAM_TEXT], location[STREAM_TEXT], x_name[STREAM_TEXT], x_unit[STREAM_TEXT],
        message[STREAM_TEXT];
    char symptom[STREAM_TEXT];
    char text[STREAM_TEXT];                      /* the value as spelled                               */
    char lo_text[STREAM_ID], hi_text[STREAM_ID]; /* the bounds as spelled                            */
    enum json_scalar value_kind;
    double value, x, lo, hi;
    bool has_x, has_lo, has_hi;
    enum stream_verdict verdict;
    bool dropped; /* STREAM_STEP_END: an attempt that does not count: all of the step is to be forgotten */
};

struct stream_reader {
    void *context;
    /* The next line. check: the id of the step that it belongs to, "" for lines of the run. */
    void (*line)(void *context, const struct stream_line *line, const char *check);
    /* A scalar of testRunStart or of an extension's content, before line() of the same line; where a fault comes instead,
     * it is to be forgotten. path begins after "testRunStart." or "content.". May be NULL. */
    void (*field)(void *context, enum stream_kind kind, const char *path, enum json_scalar scalar, const char *text);
    /* A step that has no end: it is an ERROR. May be NULL. */
    void (*broken)(void *context, const char *check);
    void (*fault)(void *context, uint32_t line, enum stream_fault fault); /* line: from 1; may be NULL */
    /* To be read. */
    bool started, ended; /* there was a testRunStart, a testRunEnd                 */
    bool torn;           /* the last line has no end and is none                   */
    /* The reader's own. */
    struct json_stream json;
    struct stream_line now;
    uint32_t lines;
    bool closing, in_line, wrong, numbered, lost, empty, lone_type, lone_value;
    uint32_t tops, limits_due; /* artifacts that the line has; validators without type or value so far */
    uint64_t seen;             /* bit i: member i of the table is there */
    uint64_t number, next;
    char limit_type[STREAM_ID], limit_text[STREAM_ID];
    double limit;
    bool limit_is_number;
    struct {
        bool open, dropped;
        char id[STREAM_ID], check[STREAM_TEXT], series[STREAM_ID], series_name[STREAM_TEXT];
        enum stream_verdict verdict;
    } step;
};

/* A struct stream_reader with its callbacks set and zeros after is ready. */
void stream_reader_add(struct stream_reader *r, const char *bytes, size_t length);
/* The stream is over: a last line without its end counts where it is whole. */
void stream_reader_end(struct stream_reader *r);
