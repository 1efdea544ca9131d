/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/check.h"

#include <string.h>

#include "core/check/check_log.h"
#include "core/check/grade.h"
#include "core/check/errata.h"
#include "core/check/symptoms.h"
#include "core/base/text.h"

/* --- findings ---------------------------------------------------------------------------------------------------- */

/* "assay-qm-error-bit-fail": stable for ever, as the id is. */
static void put_verdict(struct json *j, const struct check *c, const char *ending)
{
    char verdict[96];

    text_format(verdict, sizeof verdict, "assay-%s-%s", c->row->id, ending);
    for (char *v = verdict; *v; v++)
        if (*v == '.')
            *v = '-';
    json_text(j, "verdict", verdict);
}

static void diagnose(struct check *c, const char *ending, const char *type, const char *message)
{
    struct json *j = report_step_artifact(c->report, "diagnosis");

    if (!j)
        return;
    put_verdict(j, c, ending);
    json_text(j, "type", type);
    json_text(j, "message", message);
    report_artifact_end(c->report);
}

static void say_in_step(struct check *c, const char *severity, const char *message)
{
    struct json *j = report_step_artifact(c->report, "log");

    if (!j)
        return;
    json_text(j, "severity", severity);
    json_text(j, "message", message);
    report_artifact_end(c->report);
}

#define MESSAGE 512

static void write_error(struct check *c, const char *symptom, const char *message)
{
    struct json *j = report_step_artifact(c->report, "error");

    if (!j)
        return;
    json_text(j, "symptom", symptom);
    json_text(j, "message", message);
    report_artifact_end(c->report);
}

static void write_finding(struct check *c, enum verdict v, const char *symptom, const char *message)
{
    report_detail(c->report, DETAIL_FINDING, "%s", message);
    if (v == VERDICT_FAIL)
        diagnose(c, "fail", "FAIL", message);
    else if (v == VERDICT_WARN)
        diagnose(c, "warn", "UNKNOWN", message);
    else if (v == VERDICT_SKIP)
        say_in_step(c, "INFO", message);
    else
        write_error(c, symptom, message);
}

/* What is found counts at once; it is written at once too, or held back. What makes the verdict worse is listed however much
 * is: a stream whose diagnoses say WARN and whose end says FAIL would contradict itself. */
void check_found(struct check *c, enum verdict v, const char *symptom, const char *message)
{
    bool worse = verdict_worst(c->state->record.verdict, v) != c->state->record.verdict;

    c->state->record.verdict = verdict_worst(c->state->record.verdict, v);
    if (c->state->record.n_findings == 0)
        text_format(c->state->record.reason, sizeof c->state->record.reason, "%s", message);
    c->state->record.n_findings++;
    if (check_log_takes(
            c->state->log,
            (struct check_log_entry){ .kind = LOG_FINDING, .number = { v }, .symptom = symptom, .text = { message } }))
        return;
    if (c->state->symptoms)
        symptoms_found(c->state->symptoms, v, message);
    if (c->state->record.n_findings > FINDINGS_LISTED && !worse)
        return;
    if (c->state->held) {
        uint32_t last = FINDINGS_LISTED - 1, i = c->state->held->n < last ? c->state->held->n : last;
        struct held_finding *h = &c->state->held->list[i];

        c->state->held->n = i + 1;

        h->verdict = v;
        h->symptom = symptom;
        text_format(h->text, sizeof h->text, "%s", message);
        return;
    }
    write_finding(c, v, symptom, message);
}

/* Behind a message: the published errata of this part that may be behind it. Never makes a PASS. Those that have a
 * figure of their own stand only where that figure fits. */
static void add_errata(struct check *c, char *message, size_t size)
{
    bool fits = c->state->factor_explains, none = c->state->no_erratum;
    size_t n = strlen(message);
    uint32_t next = 0;
    const struct erratum *e;

    c->state->factor_explains = c->state->no_erratum = false;
    while (c->row && !none && (e = errata_of(c->machine, c->row, &next)) != NULL && n < size)
        if (e->figure != ERRATUM_FACTOR || fits)
            n += text_format(message + n, size - n, " [expected by %s%s: %s (%s)]",
                             e->number[0] ? "erratum " : "a known defect", e->number, e->defect, e->document);
}

#define UNCALIBRATED "uncalibrated: no bands of good machines like this one are on the stick"
#define USUAL        "good machines of this kind are beyond this bound too"

/* Of what experience expects: whether there is any, and whether every figure that was out of bounds is in its band. */
static const char *experience_limit(const struct check_state *s)
{
    if (!s->bands)
        return UNCALIBRATED;
    return s->n_usual > 0 && s->n_usual == s->record.n_out_of_bounds ? USUAL : NULL;
}

/* What makes a finding a WARN, in words, or NULL. */
static const char *limit_of(const struct check *c, enum finding_kind kind)
{
    const char *limit = c->machine ? grade_limit(c->machine, c->state->clusters_known, c->row, kind) : NULL;

    if (c->row->grade == GRADE_W)
        return "this rule is not architectural";
    return !limit && kind == FINDING_EXPECTED && c->row->by_experience ? experience_limit(c->state) : limit;
}

static enum verdict found_bad(struct check *c, enum finding_kind kind, const char *format, va_list args)
{
    const char *limit = limit_of(c, kind);
    char message[MESSAGE];
    size_t n = text_vformat(message, sizeof message, format, args);

    if (limit) {
        if (n < sizeof message)
            text_format(message + n, sizeof message - n, " [WARN, not FAIL: %s]", limit);
    }
    add_errata(c, message, sizeof message);
    check_found(c, limit ? VERDICT_WARN : VERDICT_FAIL, NULL, message);
    return c->state->record.verdict;
}

enum verdict fail(struct check *c, const char *format, ...)
{
    enum verdict v;
    va_list args;

    va_start(args, format);
    v = found_bad(c, FINDING_EXPECTED, format, args);
    va_end(args);
    return v;
}

enum verdict forbidden(struct check *c, const char *format, ...)
{
    enum verdict v;
    va_list args;

    va_start(args, format);
    v = found_bad(c, FINDING_FORBIDDEN, format, args);
    va_end(args);
    return v;
}

enum verdict warn(struct check *c, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;

    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    add_errata(c, message, sizeof message);
    check_found(c, VERDICT_WARN, NULL, message);
    return c->state->record.verdict;
}

enum verdict skip(struct check *c, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;

    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    check_found(c, VERDICT_SKIP, NULL, message);
    return c->state->record.verdict;
}

enum verdict check_error(struct check *c, const char *symptom, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;

    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    check_found(c, VERDICT_ERROR, symptom, message);
    return c->state->record.verdict;
}

/* "SMIs every 12.3 ms" */
#define TENTHS_OF_MS(ns) (unsigned long long)((ns) / 1000000), (unsigned)((ns) / 100000 % 10)

static void name_unmeasured(const struct check *c, enum status st, uint32_t cpu, const char *what, char *out,
                            size_t size)
{
    char name[96];

    if (c->machine && c->machine->cpus && cpu < c->machine->n_cpus)
        machine_cpu_name(c->machine, cpu, name, sizeof name);
    else
        text_format(name, sizeof name, "cpu %u", cpu);
    if (st == ST_DISTURBED && c->state->smi_period_ns)
        text_format(out, size, "%s: %s: SMIs every %llu.%u ms, the window needs %llu.%u ms without one", name, what,
                    TENTHS_OF_MS(c->state->smi_period_ns), TENTHS_OF_MS(c->state->smi_window_ns));
    else
        text_format(out, size, "%s: %s: %s", name, what, status_text(st));
}

#define CANNOT_MEASURE "assay-cannot-measure"

enum verdict cannot_measure(struct check *c, enum status st, uint32_t cpu, const char *what)
{
    char message[MESSAGE];

    name_unmeasured(c, st, cpu, what, message, sizeof message);
    if (st == ST_DISTURBED)
        return skip(c, "%s", message);
    return check_error(c, CANNOT_MEASURE, "%s", message);
}

/* --- a status on its way up -------------------------------------------------------------------------------------- */

/* Whether this is the first reason: its text goes to state->why. */
static bool begins_pending(struct check *c, enum status st, enum verdict v)
{
    struct check_state *s = c->state;

    if (s->pending_status != ST_OK)
        return false;
    s->pending_status = st;
    s->pending = v;
    return true;
}

enum status absent(struct check *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (begins_pending(c, ST_ABSENT, VERDICT_SKIP))
        text_vformat(c->state->why, sizeof c->state->why, format, args);
    va_end(args);
    return ST_ABSENT;
}

void say_unmeasured(struct check *c, enum status st, uint32_t cpu, const char *what)
{
    if (begins_pending(c, st, st == ST_DISTURBED ? VERDICT_SKIP : VERDICT_ERROR))
        name_unmeasured(c, st, cpu, what, c->state->why, sizeof c->state->why);
}

enum status violated(struct check *c, enum status st, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (begins_pending(c, st, VERDICT_FAIL))
        text_vformat(c->state->why, sizeof c->state->why, format, args);
    va_end(args);
    return st;
}

enum status already_reported(struct check *c, enum status st)
{
    if (begins_pending(c, st, VERDICT_PASS))
        c->state->why[0] = '\0';
    return st;
}

void check_take_reason(struct check *c, char *why, size_t size)
{
    text_format(why, size, "%s", c->state->why);
    c->state->why[0] = '\0';
    c->state->pending_status = ST_OK;
}

enum verdict check_conclude(struct check *c, enum status st)
{
    bool known = c->state->pending_status != ST_OK;
    char why[sizeof c->state->why];

    if (st == ST_OK)
        return check_verdict(c);
    check_take_reason(c, why, sizeof why);
    if (!known)
        return check_error(c, CANNOT_MEASURE, "%s", status_text(st));
    return c->state->pending == VERDICT_PASS   ? check_verdict(c)
           : c->state->pending == VERDICT_SKIP ? skip(c, "%s", why)
           : c->state->pending == VERDICT_FAIL ? forbidden(c, "%s", why)
                                               : check_error(c, CANNOT_MEASURE, "%s", why);
}

void table_line(struct check *c, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;

    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_TABLE, .text = { message } }))
        return;
    say_in_step(c, "INFO", message);
    report_detail(c->report, DETAIL_TABLE, "%s", message);
}

void note(struct check *c, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;

    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_NOTE, .text = { message } }) ||
        ++c->state->record.n_notes > NOTES_LISTED)
        return;
    say_in_step(c, "INFO", message);
    report_detail(c->report, DETAIL_FINDING, "note: %s", message);
}

/* --- the engine's rules ------------------------------------------------------------------------------------------ */

#define CONTRADICTION "assay-check-contradicts-itself"

static void check_judge(struct check *c, enum verdict returned)
{
    if (returned == VERDICT_PASS && c->state->record.verdict == VERDICT_PASS) {
        if (c->state->record.n_evidence == 0 && c->state->record.n_measurements == 0 && c->state->record.n_series == 0)
            check_error(c, "assay-pass-without-evidence",
                        "the check passed, but recorded neither evidence nor a "
                        "measurement: nothing was shown");
        else if (c->state->record.n_out_of_bounds > 0)
            check_error(c, CONTRADICTION, "the check passed, but %u of its measurements %s out of bounds",
                        c->state->record.n_out_of_bounds, c->state->record.n_out_of_bounds == 1 ? "is" : "are");
    } else if (returned != c->state->record.verdict && returned != VERDICT_PASS) {
        /* A PASS returned behind a finding is a check that did not look at its own verdict: the finding stands. */
        check_error(c, CONTRADICTION, "the check returned %s, but its findings say %s", verdict_text(returned),
                    verdict_text(c->state->record.verdict));
    }
}

void check_settle(struct check *c, enum verdict returned)
{
    series_end(c);
    check_judge(c, returned);
    if (c->state->record.verdict == VERDICT_PASS)
        check_put_exclusions(c);
}

void check_write(struct check *c)
{
    for (uint32_t i = 0; c->state->held && i < c->state->held->n; i++)
        write_finding(c, c->state->held->list[i].verdict, c->state->held->list[i].symptom,
                      c->state->held->list[i].text);
    if (c->state->held)
        c->state->held->n = 0;
    if (c->state->record.n_findings > FINDINGS_LISTED) {
        char message[96];

        text_format(message, sizeof message, "%u further findings are not listed",
                    c->state->record.n_findings - FINDINGS_LISTED);
        say_in_step(c, "WARNING", message);
        report_detail(c->report, DETAIL_FINDING, "%s", message);
    }
    if (c->state->record.verdict == VERDICT_PASS)
        diagnose(c, "pass", "PASS", c->row->title);
}

void check_drop(struct check *c, const char *reason)
{
    for (uint32_t i = 0; c->state->held && i < c->state->held->n; i++)
        say_in_step(c, "DEBUG", c->state->held->list[i].text);
    if (c->state->held)
        c->state->held->n = 0;
    text_format(c->state->record.reason, sizeof c->state->record.reason, "%s", reason);
    c->state->record.verdict = VERDICT_SKIP;
    c->state->record.dropped = true;
    write_finding(c, VERDICT_SKIP, NULL, reason);
}

void check_close(struct check *c, enum verdict returned)
{
    check_settle(c, returned);
    check_write(c);
}

/* --- the step ---------------------------------------------------------------------------------------------------- */

static const char *risk_name(enum check_risk risk)
{
    return risk == RISK_NONE ? "none" : risk == RISK_MSR ? "msr" : "workload";
}

struct report_step check_step_of(const struct check_row *row)
{
    return (struct report_step){
        .id = row->id,
        .title = row->title,
        .specification = row->spec,
        .rows = row->rows,
        .detects = row->detects,
        .risk = risk_name(row->risk),
        .grade = row->grade == GRADE_W ? "at most WARN" : "FAIL",
        .means = row->means,
        .next = row->next,
    };
}

void check_step_start(struct check *c, uint32_t round)
{
    const struct report_step step = check_step_of(c->row);

    report_step_start(c->report, &step, round);
}

void check_step_end(struct check *c)
{
    report_step_end(c->report, &c->state->record);
}
