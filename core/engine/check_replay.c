/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/check_replay.h"

static void replay_evidence(struct check *c, const struct check_log_entry *e)
{
    const uint64_t *n = e->number;

    if (e->kind == LOG_RDMSR)
        evidence_msr(c, (uint32_t)n[0], (uint32_t)n[1], n[2], n[3]);
    else if (e->kind == LOG_WRMSR)
        evidence_wrmsr(c, (uint32_t)n[0], (uint32_t)n[1], n[2], (enum status)n[3], n[4]);
    else if (e->kind == LOG_CPUID)
        evidence_cpuid(c, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], &e->regs);
    else if (e->kind == LOG_REGISTER)
        evidence_register(c, e->text[0], e->text[1], n[0], n[1]);
    else
        evidence_swept(c, e->text[0], n[0]);
}

static void replay_figure(struct check *c, const struct check_log_entry *e)
{
    const char *const *text = e->text;

    if (e->kind == LOG_MEASURE)
        (void)check_measure(c, text[0], e->place, e->value[0], text[1], e->value[1], e->value[2]);
    else if (e->kind == LOG_EXCLUDES)
        excludes(c, text[0], e->value[0], text[1]);
    else if (e->kind == LOG_SERIES_BEGIN)
        series_put_head(c, &(struct series_head){ .name = text[0],
                                                  .place = e->place,
                                                  .unit = text[1],
                                                  .x_name = text[2],
                                                  .x_unit = text[3],
                                                  .expected = e->number[0] != 0,
                                                  .values = (uint32_t)e->number[1] });
    else if (e->kind == LOG_SERIES_ADD)
        series_add(c, e->value[0], e->value[1]);
    else
        series_end(c);
}

static void replay(struct check *c, const struct check_log_entry *e)
{
    if (e->kind <= LOG_SWEPT)
        replay_evidence(c, e);
    else if (e->kind <= LOG_SERIES_END)
        replay_figure(c, e);
    else if (e->kind == LOG_FINDING)
        finding_add(c, &(struct found){ .verdict = (enum verdict)e->number[0],
                                        .code = (enum finding_code)e->number[1],
                                        .place = e->place,
                                        .symptom = e->symptom,
                                        .text = e->text[0],
                                        .limit = e->limit,
                                        .flags = (uint32_t)e->number[2] });
    else if (e->kind == LOG_NOTE)
        check_note(c, "%s", e->text[0]);
    else
        check_table_line(c, "%s", e->text[0]);
}

void check_replay(struct check *c, const struct check_log *log, const struct check_record *counted)
{
    struct check_record *r = &c->state->record;
    uint32_t said = r->n_evidence;

    for (const struct check_log_entry *e = log->first; e; e = e->next)
        replay(c, e);
    r->n_evidence = said + log->n_evidence;
    r->samples += counted->samples;
    r->disturbed += counted->disturbed;
    r->throttled += counted->throttled;
    r->beyond_smis |= counted->beyond_smis;
}
