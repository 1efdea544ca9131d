/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/outcome.h: the result of a run: its checks' verdicts, and errors outside of checks. */
#pragma once
#include "core/engine/engine.h"

struct run_conditions {
    bool shown;         /* -list boxes, -count: the output was shown. Nothing is judged, and the result is DONE */
    bool broken;        /* Assay could not do all of its job                                                   */
    bool report_failed; /* the report, or a part of it, is not on the medium                                   */
};

/* The checks' verdict where nothing else went wrong. A run that could not do its job, or whose report cannot be read
 * afterwards, is an ERROR whatever its checks found, but a FAIL stays one. */
enum run_result outcome_of(enum run_result checks, const struct run_conditions *c);

/* What happened to processors in a run, counted after they were sent home. */
struct processor_events {
    uint32_t reset;            /* did not leave and were reset by INIT                                  */
    uint32_t unreturned;       /* could not be brought back at all                                      */
    uint32_t stack_guard_hits; /* worker stacks that were used to their last page: a defect of Assay    */
    uint32_t nmis;             /* that arrived meanwhile, on all processors, and were not sent by Assay */
    uint32_t machine_checks;
    char machine_check[MACHINE_CHECK_TEXT]; /* the latest: processor, bank, kind of error, address */
};

/* To the report's log, each that happened. told: machine checks that the engine has reported with their check. Returns
 * whether the run is broken: processors that stay in Assay's memory, stacks that ran over, machine checks. NMIs and
 * resets are reported and not judged. */
bool outcome_report_processors(struct report *r, const struct processor_events *e, uint32_t told);

/* ledger_restore()'s answer to the log. Returns whether the run is broken. ST_CORRUPT, a register that does not read as
 * it was written, is for the certificate to show. */
bool outcome_report_restore(struct report *r, enum status st);

/* Count the certificate's verdict, but no PASS: it alone must not make a run that checked nothing a PASS. */
void outcome_count_certificate(struct verdict_counts *counts, enum verdict restored);

/* Whether a step of an earlier report should be in this one too. In a run that was stopped or interrupted none is missed;
 * the steps that close a run are no checks. */
bool outcome_expects_step(const struct engine *e, bool broken, const char *id);
