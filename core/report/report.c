/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/report.h"

#include <string.h>

#include "core/base/calendar.h"
#include "core/base/heap.h"
#include "core/report/report_internal.h"
#include "core/base/text.h"

/* Every line but testRunStart of hundreds of processors and the longest tables fits into it. */
#define LINE_ROOM 16383u

/* --- lines ------------------------------------------------------------------------------------------------------- */

enum status report_init(struct report *r, struct platform *p, struct sink jsonl, struct sink text)
{
    memset(r, 0, sizeof *r);
    if (!jsonl.write)
        return ST_RANGE;
    r->jsonl = jsonl;
    r->text = text;
    r->platform = p;
    r->utc_base_ns = p->ops->utc_ns ? p->ops->utc_ns(p->machine) : 0;
    r->tsc_base = p->ops->tsc(p->machine);
    r->telling_margin = -1;
    return json_reserve(&r->line, LINE_ROOM);
}

void report_free(struct report *r)
{
    json_free(&r->line);
    heap_free(r->details);
    brief_free(r);
    memset(r, 0, sizeof *r);
}

/* Milliseconds since 1970, never less than the last time. Without a TSC rate every time is that of the start. */
static uint64_t now_ms(struct report *r)
{
    uint64_t ms = r->utc_base_ns / 1000000, tsc = r->platform->ops->tsc(r->platform->machine);
    uint64_t hz = r->platform->tsc_hz, ticks = tsc > r->tsc_base ? tsc - r->tsc_base : 0;

    if (hz > 0) /* the remainder is below hz, so the product stays far below 2^64 */
        ms += ticks / hz * 1000 + ticks % hz * 1000 / hz;
    if (ms < r->last_ms)
        ms = r->last_ms;
    r->last_ms = ms;
    return ms;
}

void report_timestamp(struct report *r, char out[25])
{
    uint64_t ms = now_ms(r);
    struct calendar c = calendar_from_seconds(ms / 1000);

    memcpy(out, "yyyy-mm-ddThh:mm:ss.000Z", 25);
    calendar_digits(out, 4, c.year);
    calendar_digits(out + 5, 2, c.month);
    calendar_digits(out + 8, 2, c.day);
    calendar_digits(out + 11, 2, c.hour);
    calendar_digits(out + 14, 2, c.minute);
    calendar_digits(out + 17, 2, c.second);
    calendar_digits(out + 20, 3, (uint32_t)(ms % 1000));
}

struct json *report_begin_line(struct report *r)
{
    json_reset(&r->line);
    json_object(&r->line, NULL);
    return &r->line;
}

static void close_line(struct report *r)
{
    struct json *j = &r->line;
    char now[25];

    while (j->failed == ST_OK && j->depth > 1)
        json_end(j);
    report_timestamp(r, now);
    json_unsigned(j, "sequenceNumber", r->sequence);
    json_text(j, "timestamp", now);
    json_end(j);
}

/* In the place of a line that there was no memory for: one that says so, which fits into what is there. */
static void name_refused_line(struct report *r)
{
    static const char message[] = "a line of the report is not here: there was no memory to make it";
    struct json *j = report_begin_line(r);

    r->refused++;
    json_object(j, "testRunArtifact");
    json_object(j, "error");
    json_text(j, "symptom", "no-memory");
    json_text(j, "message", message);
    close_line(r);
    text_paragraph(r, "ERROR  ", message);
}

/* Closes what is open, adds what every artifact has, and writes the line with one call. Nothing, where no line was begun. */
void report_end_line(struct report *r)
{
    struct json *j = &r->line;

    if (j->depth == 0 || r->failed != ST_OK)
        return;
    close_line(r);
    if (j->failed == ST_NO_MEMORY)
        name_refused_line(r);
    r->failed = j->failed;
    if (r->failed != ST_OK)
        return;
    j->text[j->length] = '\n'; /* in the place of the terminator */
    r->failed = r->jsonl.write(r->jsonl.context, j->text, j->length + 1);
    if (r->failed == ST_OK)
        r->sequence++;
}

/* Where the outcome shows later: it is kept in r->failed. */
void report_flush_kept(struct report *r)
{
    if (!r)
        return;
    if (r->failed == ST_OK && r->jsonl.flush)
        r->failed = r->jsonl.flush(r->jsonl.context);
    if (r->text_failed == ST_OK && r->text.flush)
        r->text_failed = r->text.flush(r->text.context);
    if (r->failed == ST_OK)
        r->failed = r->text_failed;
}

/* --- artifacts of the run ---------------------------------------------------------------------------------------- */

void report_log_line(struct report *r, const char *severity, const char *message)
{
    struct json *j = report_begin_line(r);

    json_object(j, "testRunArtifact");
    json_object(j, "log");
    json_text(j, "severity", severity);
    json_text(j, "message", message);
    report_end_line(r);
}

void report_log(struct report *r, const char *severity, const char *format, ...)
{
    char message[512];
    enum text_part before;

    if (!r)
        return;
    TEXT_OF_ARGS(message, format);
    if (r->started)
        report_log_line(r, severity, message);
    if (text_equal(severity, "DEBUG"))
        return;
    before = text_turn(r, text_equal(severity, "INFO") && !brief_has_steps(r) ? TEXT_NONE : TEXT_TAIL);
    text_paragraph(r, "", message);
    text_turn(r, before);
}

#define ERRORS_TOLD 8u /* of one symptom in a row, in report.txt: a DIMM may log one in each check */

void report_error(struct report *r, const char *symptom, const char *format, ...)
{
    char message[1024]; /* an exception frame is long */
    enum text_part before;

    if (!r)
        return;
    TEXT_OF_ARGS(message, format);
    if (r->started) {
        struct json *j = report_begin_line(r);

        json_object(j, "testRunArtifact");
        json_object(j, "error");
        json_text(j, "symptom", symptom);
        json_text(j, "message", message);
        report_end_line(r);
    }
    r->same_errors = r->last_symptom && text_equal(r->last_symptom, symptom) ? r->same_errors + 1 : 1;
    r->last_symptom = symptom;
    before = text_turn(r, TEXT_TAIL);
    if (r->same_errors <= ERRORS_TOLD || r->verbose >= 2)
        text_paragraph(r, "ERROR  ", message);
    else if (r->same_errors == ERRORS_TOLD + 1)
        text_paragraph(r, "ERROR  ", "and more of this kind: each is in report.html and report.jsonl");
    text_turn(r, before);
    report_flush_kept(r);
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

struct json *report_step_artifact(struct report *r, const char *kind)
{
    struct json *j;

    if (!r || !r->step_open || r->failed != ST_OK)
        return NULL;
    j = report_begin_line(r);
    json_object(j, "testStepArtifact");
    json_text(j, "testStepId", r->step_id);
    json_object(j, kind);
    return j;
}

struct json *report_extension(struct report *r, const char *name)
{
    struct json *j = report_step_artifact(r, "extension");

    json_text(j, "name", name);
    json_object(j, "content");
    return j;
}

void report_put_place(struct json *j, const struct place *place)
{
    char text[PLACE_TEXT];

    if (place_is_nowhere(place))
        return;
    json_object(j, "subcomponent");
    place_text(place, text, sizeof text);
    json_text(j, "name", text);
    if (place_location(place, text, sizeof text) > 0)
        json_text(j, "location", text);
    json_end(j);
}

void report_artifact_end(struct report *r)
{
    if (r)
        report_end_line(r);
}

void report_detail(struct report *r, enum detail kind, const char *format, ...)
{
    char message[640] = { (char)kind };
    va_list args;

    if (!r || !r->step_open || !r->text.write)
        return;
    va_start(args, format);
    size_t n = 1 + text_vformat(message + 1, sizeof message - 1, format, args);
    va_end(args);
    if (n >= sizeof message)
        n = sizeof message - 1;
    if (!HEAP_GROW(&r->details, &r->details_capacity, r->details_length + n + 1)) {
        r->details_lost = true; /* the stream has it */
        return;
    }
    memcpy(r->details + r->details_length, message, n + 1);
    r->details_length += n + 1;
}

void report_step_start(struct report *r, const struct report_step *step, uint32_t round)
{
    struct json *j;

    if (!r || !r->started)
        return;
    text_format(r->step_id, sizeof r->step_id, "%u", r->step++);
    r->step_open = true;
    r->open = *step;
    r->series = 0;
    r->series_open = false;
    r->details_length = 0;
    r->details_lost = false;
    r->telling[0] = '\0';
    r->telling_margin = -1;
    r->n_inside = r->n_outside = 0;
    r->counts_before = r->platform->counts;
    r->tsc_before = r->platform->ops->tsc(r->platform->machine);
    j = report_step_artifact(r, "testStepStart");
    json_text(j, "name", step->id);
    report_end_line(r);
    j = report_extension(r, "assay.check");
    json_text(j, "id", step->id);
    json_text(j, "title", step->title);
    json_text(j, "specification", step->specification);
    json_text(j, "rows", step->rows);
    json_text(j, "detects", step->detects);
    json_text(j, "risk", step->risk);
    json_text(j, "grade", step->grade);
    if (step->method > 0)
        json_unsigned(j, "method", step->method);
    json_unsigned(j, "round", round);
    report_end_line(r);
}

/* What the check cost: operations per sample can be worked out from it. */
static void put_cost(struct report *r, const struct check_record *c)
{
    const struct platform_counts *now = &r->platform->counts, *then = &r->counts_before;
    struct json *j = report_extension(r, "assay.cost");

    json_text(j, "verdict", c->done ? "DONE" : verdict_text(c->verdict));
    if (c->dropped)
        json_bool(j, "dropped", true);
    json_unsigned(j, "evidence", c->n_evidence);
    json_unsigned(j, "evidenceNotListed", c->n_evidence > EVIDENCE_LISTED ? c->n_evidence - EVIDENCE_LISTED : 0);
    json_unsigned(j, "measurements", c->n_measurements);
    json_unsigned(j, "outOfBounds", c->n_out_of_bounds);
    json_unsigned(j, "series", c->n_series);
    json_unsigned(j, "findings", c->n_findings);
    json_unsigned(j, "notes", c->n_notes);
    json_unsigned(j, "samples", c->samples);
    json_unsigned(j, "disturbedSamples", c->disturbed);
    json_unsigned(j, "throttledSamples", c->throttled);
    json_unsigned(j, "rdmsr", now->rdmsr - then->rdmsr);
    json_unsigned(j, "wrmsr", now->wrmsr - then->wrmsr);
    json_unsigned(j, "cpuid", now->cpuid - then->cpuid);
    json_unsigned(j, "faults", now->faults - then->faults);
    json_unsigned(j, "runs", now->runs - then->runs);
    json_unsigned(j, "workBytes", now->work_bytes - then->work_bytes);
    json_unsigned(j, "tscTicks", r->platform->ops->tsc(r->platform->machine) - r->tsc_before);
    report_end_line(r);
}

void report_disturbance(struct report *r, const struct disturbance *d)
{
    struct json *j = d->known || d->slowest > 0 ? report_extension(r, "assay.disturbance") : NULL;

    if (!j)
        return;
    if (d->known)
        json_unsigned(j, "smis", d->smis);
    json_unsigned(j, "hotProcessors", d->hot);
    json_unsigned(j, "powerLimitedProcessors", d->limited);
    if (d->slowest > 0) {
        json_decimal(j, "slowestAperfOverMperf", d->slowest);
        json_decimal(j, "fastestAperfOverMperf", d->fastest);
    }
    report_end_line(r);
    if (d->hot && r->verbose >= 2)
        report_detail(r, DETAIL_NOTE, "note: %u processors throttled by temperature, the first is cpu %u", d->hot,
                      d->hot_cpu);
}

static void say_what_is_not_listed(struct report *r, const struct check_record *c)
{
    struct json *j;

    if (c->n_evidence <= EVIDENCE_LISTED && c->n_measurements <= MEASUREMENTS_LISTED)
        return;
    j = report_step_artifact(r, "log");
    json_text(j, "severity", "INFO");
    json_format(
        j, "message",
        "listed: the first %u of %u evidence records; of %u measurements, those out of bounds and the first %u inside",
        EVIDENCE_LISTED, c->n_evidence, c->n_measurements, MEASUREMENTS_LISTED);
    report_end_line(r);
}

/* What a finding means, and what to look at next. */
static void put_advice(struct report *r, const struct check_record *c)
{
    struct json *j;

    if ((c->verdict != VERDICT_FAIL && c->verdict != VERDICT_WARN) || !r->open.means)
        return;
    j = report_extension(r, "assay.advice");
    json_text(j, "means", r->open.means);
    json_text(j, "next", r->open.next);
    report_end_line(r);
}

void report_close_silently(struct report *r, const struct check_record *c)
{
    struct json *j;

    put_cost(r, c);
    j = report_step_artifact(r, "testStepEnd");
    json_text(j, "status", c->verdict == VERDICT_SKIP ? "SKIP" : c->verdict == VERDICT_ERROR ? "ERROR" : "COMPLETE");
    report_end_line(r);
    r->step_open = false;
}

void report_close_step(struct report *r, const struct check_record *c)
{
    say_what_is_not_listed(r, c);
    put_advice(r, c);
    report_close_silently(r, c);
    r->samples += c->samples;
    r->disturbed += c->disturbed;
    r->throttled += c->throttled;
    text_step(r, c);
    brief_step(r, c);
}

void report_step_end(struct report *r, const struct check_record *c)
{
    if (!r || !r->started)
        return;
    report_close_step(r, c);
    report_flush_kept(r);
}

/* --- the end ----------------------------------------------------------------------------------------------------- */

static void name_lost_processors(struct report *r)
{
    for (uint32_t i = 0; i < r->platform->n_cpus; i++)
        if (r->platform->cpus[i].flags & CPU_LOST)
            report_log(r, "WARNING", "cpu %u (APIC 0x%x) missed a deadline and was not used afterwards", i,
                       r->platform->cpus[i].apic_id);
}

enum status report_end(struct report *r, const struct run_record *run, enum run_result result)
{
    struct json *j;

    if (!r)
        return ST_OK;
    if (r->started) {
        bool stopped = run->stopped && result != RUN_FAIL;

        name_lost_processors(r);
        j = report_begin_line(r);
        json_object(j, "testRunArtifact");
        json_object(j, "testRunEnd");
        bool passed =
            (result == RUN_PASS || result == RUN_WARN) && !stopped; /* readers see the WARNs: OCP has no word */

        json_text(j, "status", result == RUN_NOTHING || stopped ? "SKIP" : result == RUN_ERROR ? "ERROR" : "COMPLETE");
        json_text(j, "result", result == RUN_FAIL ? "FAIL" : passed ? "PASS" : "NOT_APPLICABLE");
        report_end_line(r);
    }
    text_turn(r, TEXT_TAIL);
    text_footer(r, run, result);
    text_turn(r, TEXT_NONE);
    brief_end(r, run, result);
    report_flush_kept(r);
    return r->failed;
}
