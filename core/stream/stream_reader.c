/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/stream/stream_reader_internal.h"

#include <string.h>

#include "core/base/text.h"

const char *const stream_verdict_names[] = { "PASS", "SKIP", "WARN", "FAIL", "ERROR" };

/* --- the order of lines ------------------------------------------------------------------------------------------ */

static void break_step(struct stream_reader *r)
{
    if (r->step.open && r->broken)
        r->broken(r->context, r->step.check);
    r->step.open = false;
}

static void begin_step(struct stream_reader *r)
{
    memset(&r->step, 0, sizeof r->step);
    r->step.open = true;
    memcpy(r->step.id, r->now.step, sizeof r->step.id);
    memcpy(r->step.check, r->now.name, sizeof r->step.check);
}

static void end_step(struct stream_reader *r)
{
    const char *status = r->now.status;

    r->now.verdict = text_equal(status, "COMPLETE") ? r->step.verdict
                     : text_equal(status, "SKIP")   ? STREAM_VERDICT_SKIP
                                                    : STREAM_VERDICT_ERROR;
    r->now.dropped = r->step.dropped;
    r->step.open = false;
}

static void add_diagnosis(struct stream_reader *r)
{
    enum stream_verdict verdict = text_equal(r->now.result, "FAIL")   ? STREAM_VERDICT_FAIL
                                  : text_equal(r->now.result, "PASS") ? STREAM_VERDICT_PASS
                                                                      : STREAM_VERDICT_WARN;

    if (verdict > r->step.verdict)
        r->step.verdict = verdict;
}

/* false: it belongs to no series that is open. */
static bool take_series(struct stream_reader *r)
{
    if (r->now.kind == STREAM_SERIES_START) {
        memcpy(r->step.series, r->now.series, sizeof r->step.series);
        memcpy(r->step.series_name, r->now.name, sizeof r->step.series_name);
        return true;
    }
    if (!r->step.series[0] || !text_equal(r->step.series, r->now.series))
        return false;
    memcpy(r->now.name, r->step.series_name, sizeof r->now.name);
    if (r->now.kind == STREAM_SERIES_END)
        r->step.series[0] = '\0';
    return true;
}

/* false: the line is out of order, and passed over. */
static bool take_step_line(struct stream_reader *r)
{
    if (!r->step.open || !text_equal(r->step.id, r->now.step))
        return false;
    switch (r->now.kind) {
    case STREAM_STEP_END:
        end_step(r);
        return true;
    case STREAM_DIAGNOSIS:
        add_diagnosis(r);
        return true;
    case STREAM_EXTENSION:
        r->step.dropped = r->step.dropped || (r->now.dropped && text_equal(r->now.name, "assay.cost"));
        return true;
    case STREAM_SERIES_START:
    case STREAM_SERIES_ELEMENT:
    case STREAM_SERIES_END:
        return take_series(r);
    default:
        return true;
    }
}

static bool take_run_line(struct stream_reader *r)
{
    if (r->now.kind == STREAM_RUN_START) {
        if (r->started)
            return false;
        r->started = true;
    }
    if (r->now.kind == STREAM_RUN_END)
        r->ended = true;
    return true;
}

static void say_fault(struct stream_reader *r, enum stream_fault fault, bool *said)
{
    if (!*said && r->fault)
        r->fault(r->context, r->lines, fault);
    *said = true;
}

static void line_in_order(struct stream_reader *r)
{
    bool said = false, begins = r->now.kind == STREAM_STEP_START;

    if (!r->numbered) {
        r->lost = true;
        say_fault(r, STREAM_NO_LINE, &said);
        return;
    }
    if (r->number < r->next) {
        say_fault(r, STREAM_OUT_OF_ORDER, &said);
        return;
    }
    if (r->number > r->next && !r->lost)
        say_fault(r, STREAM_OUT_OF_ORDER, &said); /* and is read: what is missing stood before it */
    r->next = r->number + 1;
    r->lost = false;
    if (!stream_is_line(r)) {
        say_fault(r, STREAM_NO_LINE, &said);
        return;
    }
    if (begins && r->step.open && !r->ended) {
        say_fault(r, STREAM_OUT_OF_ORDER, &said); /* and is read */
        break_step(r);
    }
    if (begins && !r->ended)
        begin_step(r);
    if (r->ended || !(r->now.kind < STREAM_STEP_START ? take_run_line(r) : begins || take_step_line(r))) {
        say_fault(r, STREAM_OUT_OF_ORDER, &said);
        return;
    }
    r->line(r->context, &r->now, r->now.kind < STREAM_STEP_START ? "" : r->step.check);
}

static void line_over(void *context, bool valid)
{
    struct stream_reader *r = context;
    bool said = false;

    if (valid) {
        line_in_order(r);
    } else if (r->closing) {
        r->torn = true;
    } else {
        r->lost = true;
        say_fault(r, STREAM_NO_JSON, &said);
    }
    memset(&r->now, 0, sizeof r->now);
    r->wrong = r->numbered = r->empty = r->lone_type = r->lone_value = false;
    r->seen = r->limits_due = r->tops = 0;
}

/* --- the stream -------------------------------------------------------------------------------------------------- */

void stream_reader_add(struct stream_reader *r, const char *bytes, size_t length)
{
    r->json.context = r;
    r->json.scalar = stream_take_scalar;
    r->json.open = stream_take_open;
    r->json.line = line_over;
    while (length > 0) {
        size_t n = 1;

        while (n < length && bytes[n - 1] != '\n')
            n++;
        r->lines += !r->in_line;
        r->in_line = bytes[n - 1] != '\n';
        json_stream_add(&r->json, bytes, n);
        bytes += n;
        length -= n;
    }
}

void stream_reader_end(struct stream_reader *r)
{
    r->closing = true;
    if (r->json.line)
        json_stream_end(&r->json);
    break_step(r);
}
