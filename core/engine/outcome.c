/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/outcome.h"

#include "core/base/text.h"
#include "core/report/report.h"

enum run_result outcome_of(enum run_result checks, const struct run_conditions *c)
{
    if (checks == RUN_FAIL)
        return RUN_FAIL;
    if (c->broken || c->report_failed)
        return RUN_ERROR;
    return c->shown && (checks == RUN_NOTHING || checks == RUN_PASS) ? RUN_DONE : checks;
}

bool outcome_report_processors(struct report *r, const struct processor_events *e, uint32_t told)
{
    if (e->unreturned > 0)
        report_error(r, "processors-not-returned",
                     "%u processors did not return: they may still execute in Assay's memory; reset the machine",
                     e->unreturned);
    if (e->machine_checks > told)
        report_error(r, "machine-check", "%u machine checks outside of checks, the latest: %s",
                     e->machine_checks - told, e->machine_check);
    if (e->reset > 0)
        report_log(r, "WARNING", "%u processors did not finish their task and were reset by INIT", e->reset);
    if (e->stack_guard_hits > 0)
        report_error(r, "stack-margin", "%u processor stacks overflowed into their guard area", e->stack_guard_hits);
    if (e->nmis > 0)
        report_log(r, "WARNING", "%u NMIs arrived during the run", e->nmis);
    return e->unreturned > 0 || e->stack_guard_hits > 0 || e->machine_checks > 0;
}

bool outcome_report_restore(struct report *r, enum status st)
{
    if (st == ST_OK || st == ST_CORRUPT)
        return false;
    report_error(r, "restore-incomplete", "not every register could be restored: %s", status_text(st));
    return true;
}

void outcome_count_certificate(struct verdict_counts *counts, enum verdict restored)
{
    if (restored != VERDICT_PASS)
        verdict_count(counts, restored, false);
}

bool outcome_expects_step(const struct engine *e, bool broken, const char *id)
{
    return !e->run.stopped && !broken && !text_matches("restore.*", id) && !text_matches("spread.*", id) &&
           engine_selects_id(e->options, id);
}
