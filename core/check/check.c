/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/check.h"

#include "core/base/text.h"
#include "core/check/check_log.h"

#define MESSAGE 512

void check_table_line(struct check *c, const char *format, ...)
{
    char message[MESSAGE];

    TEXT_OF_ARGS(message, format);
    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_TABLE, .text = { message } }))
        return;
    finding_log(c, "INFO", message);
    report_detail(c->report, DETAIL_TABLE, "%s", message);
}

void check_note(struct check *c, const char *format, ...)
{
    char message[MESSAGE];

    TEXT_OF_ARGS(message, format);
    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_NOTE, .text = { message } }) ||
        ++c->state->record.n_notes > NOTES_LISTED)
        return;
    finding_log(c, "INFO", message);
    report_detail(c->report, DETAIL_NOTE, "note: %s", message);
}

void check_reason(const struct check *c, char *out, size_t size)
{
    const struct check_record *r = &c->state->record;
    size_t n = text_format(out, size, "%s", r->reason);

    if (r->limit && n < size)
        n += text_format(out + n, size - n, " [%s]", r->limit);
    if (r->erratum && n < size)
        text_format(out + n, size - n, " [expected by %s%s]", r->erratum[0] ? "erratum " : "a known defect",
                    r->erratum);
}

/* --- the engine's rules ------------------------------------------------------------------------------------------ */

/* A PASS has to show something, and nothing that is out of bounds. */
static void check_judge(struct check *c)
{
    const struct check_record *r = &c->state->record;

    if (r->n_evidence == 0 && r->n_measurements == 0 && r->n_series == 0)
        check_error(c, "assay-pass-without-evidence",
                    "the check passed, but recorded neither evidence nor a measurement: nothing was shown");
    else if (r->n_out_of_bounds > 0)
        check_error(c, "assay-check-contradicts-itself",
                    "the check passed, but %u of its measurements %s out of bounds", r->n_out_of_bounds,
                    r->n_out_of_bounds == 1 ? "is" : "are");
}

void check_settle(struct check *c)
{
    series_end(c);
    if (c->state->record.verdict == VERDICT_PASS)
        check_judge(c);
    if (c->state->record.verdict == VERDICT_PASS)
        check_put_exclusions(c);
}

void check_write(struct check *c)
{
    for (uint32_t i = 0; c->state->held && i < c->state->held->n; i++)
        finding_write(c, &c->state->held->list[i].found);
    if (c->state->held)
        c->state->held->n = 0;
    if (c->state->record.n_findings > FINDINGS_LISTED) {
        char message[96];

        text_format(message, sizeof message, "%u further findings are not listed",
                    c->state->record.n_findings - FINDINGS_LISTED);
        finding_log(c, "WARNING", message);
        report_detail(c->report, DETAIL_FINDING, "%s", message);
    }
    if (c->state->record.verdict == VERDICT_PASS)
        finding_write(c, &(struct found){ .verdict = VERDICT_PASS, .text = c->row->title });
}

void check_drop(struct check *c, const char *reason)
{
    for (uint32_t i = 0; c->state->held && i < c->state->held->n; i++)
        finding_log(c, "DEBUG", c->state->held->list[i].text);
    if (c->state->held)
        c->state->held->n = 0;
    text_format(c->state->record.reason, sizeof c->state->record.reason, "%s", reason);
    c->state->record.verdict = VERDICT_SKIP;
    c->state->record.dropped = true;
    finding_write(c, &(struct found){ .verdict = VERDICT_SKIP, .text = reason });
}

void check_close(struct check *c)
{
    check_settle(c);
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
        .rows = row->covers,
        .detects = row->detects,
        .risk = risk_name(row->risk),
        .grade = row->grade == GRADE_W ? "at most WARN" : "FAIL",
        .method = row->method,
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
