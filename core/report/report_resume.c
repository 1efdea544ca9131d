/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/report_resume.h"

#include "core/base/text.h"
#include "core/report/report_internal.h"

void report_resume(struct report *r, const struct machine *m, const struct options *o, const struct stream_tail *t,
                   uint64_t last_ms)
{
    if (!r)
        return;
    r->machine = m;
    r->verbose = o->verbose;
    r->started = true;
    r->sequence = t->sequence;
    r->step = t->step;
    if (last_ms > r->last_ms)
        r->last_ms = last_ms;
    if (!t->step_open)
        return;
    r->step_open = true;
    text_format(r->step_id, sizeof r->step_id, "%.15s", t->step_id);
    r->series_open = t->series_open;
    r->series_count = t->series_count;
    text_format(r->series_id, sizeof r->series_id, "%.27s", t->series_id);
    r->counts_before = r->platform->counts;
    r->tsc_before = r->platform->ops->tsc(r->platform->machine);
    r->telling_margin = -1;
}

static void end_series(struct report *r)
{
    struct json *j = r->series_open ? report_step_artifact(r, "measurementSeriesEnd") : NULL;

    r->series_open = false;
    json_text(j, "measurementSeriesId", r->series_id);
    json_unsigned(j, "totalCount", r->series_count);
    report_end_line(r);
}

void report_broken_step(struct report *r, const struct report_step *step, uint32_t round, const char *symptom,
                        const char *message)
{
    struct check_record record = { .verdict = VERDICT_ERROR, .n_findings = 1 };
    struct json *j;

    if (!r || !r->started)
        return;
    if (r->step_open)
        r->open = *step;
    else
        report_step_start(r, step, round);
    end_series(r);
    j = report_step_artifact(r, "error");
    json_text(j, "symptom", symptom);
    json_text(j, "message", message);
    report_end_line(r);
    report_detail(r, DETAIL_FINDING, "%s", message);
    text_format(record.reason, sizeof record.reason, "%s", message);
    report_close_step(r, &record);
    report_flush_kept(r);
}
