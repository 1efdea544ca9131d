/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/finding.h"

#include "core/base/text.h"
#include "core/check/check.h"
#include "core/check/check_log.h"
#include "core/check/errata.h"
#include "core/check/grade.h"
#include "core/check/symptoms.h"

/* --- codes ------------------------------------------------------------------------------------------------------- */

static const char *const words[FINDING_N_CODES] = {
#define FINDING_WORD(name, word) [FOUND_##name] = word,
    FINDING_CODES(FINDING_WORD)
#undef FINDING_WORD
};

const char *finding_word(enum finding_code code)
{
    return words[code];
}

enum finding_code finding_of_word(const char *word)
{
    for (enum finding_code i = 0; i < FINDING_N_CODES; i++)
        if (text_equal(words[i], word))
            return i;
    return FOUND_OTHER;
}

/* --- the stream -------------------------------------------------------------------------------------------------- */

/* "assay-qm-error-bit-fail/illegal-accepted": id, outcome and code are stable for ever. */
static void put_verdict(struct json *j, const struct check *c, const char *outcome, const char *word)
{
    char verdict[128];

    text_format(verdict, sizeof verdict, "assay-%s-%s%s%s", c->row->id, outcome, *word ? "/" : "", word);
    for (char *v = verdict; *v; v++)
        *v = *v == '.' ? '-' : *v;
    json_text(j, "verdict", verdict);
}

static void diagnose(struct check *c, const struct found *f, const char *outcome, const char *type, const char *word)
{
    struct json *j = report_step_artifact(c->report, "diagnosis");

    put_verdict(j, c, outcome, word);
    json_text(j, "type", type);
    json_text(j, "message", f->text);
    report_put_place(j, &f->place);
    report_artifact_end(c->report);
}

void finding_log(struct check *c, const char *severity, const char *message)
{
    struct json *j = report_step_artifact(c->report, "log");

    json_text(j, "severity", severity);
    json_text(j, "message", message);
    report_artifact_end(c->report);
}

static void write_error(struct check *c, const struct found *f)
{
    struct json *j = report_step_artifact(c->report, "error");

    json_text(j, "symptom", f->symptom);
    json_text(j, "message", f->text);
    report_artifact_end(c->report);
}

/* From *next on, a published erratum of this part that a finding may be. Those that have a figure of their own stand only
 * where that figure fits. */
static const struct erratum *erratum_of(const struct check *c, const struct found *f, uint32_t *next)
{
    const struct erratum *e;

    if (!c->row || (f->verdict != VERDICT_FAIL && f->verdict != VERDICT_WARN) || f->flags & FINDING_NO_ERRATUM)
        return NULL;
    while ((e = errata_of(c->machine, c->row, next)) != NULL)
        if (e->figure != ERRATUM_FACTOR || f->flags & FINDING_FACTOR_EXPLAINS)
            return e;
    return NULL;
}

static void put_erratum(struct check *c, struct json *j, const struct erratum *e)
{
    json_object(j, NULL);
    json_text(j, "number", e->number);
    json_text(j, "defect", e->defect);
    json_text(j, "document", e->document);
    json_end(j);
    report_detail(c->report, DETAIL_ERRATUM, "expected by %s%s: %s (%s)", e->number[0] ? "erratum " : "a known defect",
                  e->number, e->defect, e->document);
}

/* What qualifies the finding that was written last: "assay.finding". */
static void put_limits(struct check *c, const struct found *f)
{
    uint32_t next = 0;
    const struct erratum *e = erratum_of(c, f, &next);
    struct json *j = f->limit || e ? report_extension(c->report, "assay.finding") : NULL;

    if (!j)
        return;
    if (f->limit) {
        json_text(j, "limit", f->limit);
        report_detail(c->report, DETAIL_LIMIT, "WARN, not FAIL: %s", f->limit);
    }
    if (e)
        json_array(j, "errata");
    for (; e; e = erratum_of(c, f, &next))
        put_erratum(c, j, e);
    report_artifact_end(c->report);
}

void finding_write(struct check *c, const struct found *f)
{
    if (f->verdict == VERDICT_PASS) {
        diagnose(c, f, "pass", "PASS", "");
        return;
    }
    report_detail(c->report, DETAIL_FINDING, "%s", f->text);
    if (f->verdict == VERDICT_FAIL)
        diagnose(c, f, "fail", "FAIL", finding_word(f->code));
    else if (f->verdict == VERDICT_WARN)
        diagnose(c, f, "warn", "UNKNOWN", finding_word(f->code));
    else if (f->verdict == VERDICT_SKIP)
        finding_log(c, "INFO", f->text);
    else
        write_error(c, f);
    put_limits(c, f);
}

static void held_add(struct held *held, const struct found *f)
{
    uint32_t i = held->n < FINDINGS_LISTED ? held->n : FINDINGS_LISTED - 1;
    struct held_finding *h = &held->list[i];

    held->n = i + 1;
    h->found = *f;
    text_format(h->text, sizeof h->text, "%s", f->text);
    h->found.text = h->text;
}

static void keep_reason(struct check *c, const struct found *f)
{
    struct check_record *record = &c->state->record;
    uint32_t next = 0;
    const struct erratum *e = erratum_of(c, f, &next);

    text_format(record->reason, sizeof record->reason, "%s", f->text);
    record->limit = f->limit;
    record->erratum = e ? e->number : NULL;
}

/* What makes the verdict worse is listed however much is: a stream whose diagnoses say WARN and whose end says FAIL would
 * contradict itself. */
void finding_add(struct check *c, const struct found *f)
{
    struct check_record *record = &c->state->record;
    bool worse = verdict_worst(record->verdict, f->verdict) != record->verdict;

    record->verdict = verdict_worst(record->verdict, f->verdict);
    if (record->n_findings == 0)
        keep_reason(c, f);
    record->n_findings++;
    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_FINDING,
                                                                 .number = { f->verdict, f->code, f->flags },
                                                                 .symptom = f->symptom,
                                                                 .limit = f->limit,
                                                                 .place = f->place,
                                                                 .text = { f->text } }))
        return;
    if (c->state->symptoms)
        symptoms_found(c->state->symptoms, f);
    if (record->n_findings > FINDINGS_LISTED && !worse)
        return;
    if (c->state->held)
        held_add(c->state->held, f);
    else
        finding_write(c, f);
}

/* --- findings ---------------------------------------------------------------------------------------------------- */

#define MESSAGE 512

#define UNCALIBRATED "uncalibrated" /* the head of the report says what that is */
#define USUAL        "reference machines exceed this bound too"

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
    if (!limit && c->state->unseen[0])
        return c->state->unseen;
    return !limit && kind == FINDING_EXPECTED && c->row->by_experience ? experience_limit(c->state) : limit;
}

/* "cpu 17 (APIC 0x22, package 1 core 3 thread 0)" where a processor is all that the place has. */
static size_t place_name(const struct check *c, const struct place *p, char *out, size_t size)
{
    bool known = c->machine && c->machine->cpus && p->has == 1u << PLACE_CPU && !p->detail[0];

    return known ? machine_cpu_name(c->machine, p->number[PLACE_CPU], out, size) : place_text(p, out, size);
}

static enum verdict found_bad(struct check *c, enum finding_kind kind, uint32_t flags, enum finding_code code,
                              const struct place *place, const char *sentence, va_list args)
{
    const char *limit = kind == FINDING_UNUSUAL ? NULL : limit_of(c, kind);
    enum verdict v = limit || kind == FINDING_UNUSUAL ? VERDICT_WARN : VERDICT_FAIL;
    char message[MESSAGE];
    size_t n = place_name(c, place, message, sizeof message);

    if (n > 0 && n < sizeof message)
        n += text_format(message + n, sizeof message - n, ": ");
    if (n < sizeof message && c->state->assigned)
        n += text_format(message + n, sizeof message - n, "by assigned counters: ");
    if (n < sizeof message)
        text_vformat(message + n, sizeof message - n, sentence, args);
    finding_add(c, &(struct found){ v, code, *place, NULL, message, limit, flags });
    return check_verdict(c);
}

enum verdict finding_at(struct check *c, enum finding_kind kind, uint32_t flags, enum finding_code code,
                        const struct place *place, const char *sentence, ...)
{
    enum verdict v;
    va_list args;

    va_start(args, sentence);
    v = found_bad(c, kind, flags, code, place, sentence, args);
    va_end(args);
    return v;
}

static enum verdict found_text(struct check *c, enum verdict v, const char *symptom, const char *message)
{
    finding_add(c, &(struct found){ .verdict = v, .symptom = symptom, .text = message });
    return check_verdict(c);
}

enum verdict check_skip(struct check *c, const char *format, ...)
{
    char message[MESSAGE];

    TEXT_OF_ARGS(message, format);
    return found_text(c, VERDICT_SKIP, NULL, message);
}

enum verdict check_error(struct check *c, const char *symptom, const char *format, ...)
{
    char message[MESSAGE];

    TEXT_OF_ARGS(message, format);
    return found_text(c, VERDICT_ERROR, symptom, message);
}

/* "SMIs every 12.3 ms" */
#define TENTHS_OF_MS(ns) ((ns) / 1000000), (unsigned)((ns) / 100000 % 10)

static void name_unmeasured(const struct check *c, enum status st, uint32_t cpu, const char *what, char *out,
                            size_t size)
{
    char name[96];

    if (c->machine && c->machine->cpus && cpu < c->machine->n_cpus)
        machine_cpu_name(c->machine, cpu, name, sizeof name);
    else
        text_format(name, sizeof name, "cpu %u", cpu);
    if (st == ST_DISTURBED && c->state->smi_period_ns)
        text_format(out, size, "%s: %s: SMIs every %lu.%u ms, the window needs %lu.%u ms without one", name, what,
                    TENTHS_OF_MS(c->state->smi_period_ns), TENTHS_OF_MS(c->state->smi_window_ns));
    else
        text_format(out, size, "%s: %s: %s", name, what, status_text(st));
}

#define CANNOT_MEASURE "assay-cannot-measure"

enum verdict check_cannot_measure(struct check *c, enum status st, uint32_t cpu, const char *what)
{
    char message[MESSAGE];

    name_unmeasured(c, st, cpu, what, message, sizeof message);
    return st == ST_DISTURBED ? found_text(c, VERDICT_SKIP, NULL, message)
                              : found_text(c, VERDICT_ERROR, CANNOT_MEASURE, message);
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

enum status check_absent(struct check *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (begins_pending(c, ST_ABSENT, VERDICT_SKIP))
        text_vformat(c->state->why, sizeof c->state->why, format, args);
    va_end(args);
    return ST_ABSENT;
}

void check_set_unmeasured(struct check *c, enum status st, uint32_t cpu, const char *what)
{
    if (begins_pending(c, st, st == ST_DISTURBED ? VERDICT_SKIP : VERDICT_ERROR))
        name_unmeasured(c, st, cpu, what, c->state->why, sizeof c->state->why);
}

enum status check_violated(struct check *c, enum status st, enum finding_code code, struct place place,
                           const char *sentence, ...)
{
    va_list args;

    va_start(args, sentence);
    if (begins_pending(c, st, VERDICT_FAIL)) {
        c->state->violated = (struct violation){ code, place };
        text_vformat(c->state->why, sizeof c->state->why, sentence, args);
    }
    va_end(args);
    return st;
}

enum status check_already_reported(struct check *c, enum status st)
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
    switch (c->state->pending) {
    case VERDICT_PASS:
        return check_verdict(c);
    case VERDICT_SKIP:
        return check_skip(c, "%s", why);
    case VERDICT_FAIL:
        return finding(c, FINDING_FORBIDDEN, 0, c->state->violated.code, c->state->violated.place, "%s", why);
    default:
        return check_error(c, CANNOT_MEASURE, "%s", why);
    }
}
