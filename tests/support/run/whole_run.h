/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/whole_run.h: every check on the silicon model, as the payload runs them on metal. */
#pragma once
#include "core/check/check.h"
#include "core/diagnosis/diagnosis_report.h"
#include "core/engine/engine.h"
#include "tests/silicon/host/host_platform.h"

#include <stdio.h>

#define WHOLE_RUN_CHECKS 256u

struct whole_result {
    const struct check_row *row;
    enum verdict verdict;
    char reason[256];
    char excludes[112]; /* what a PASS excludes: "a loss above 1.6 %"; "" where it does not say */
    uint32_t disturbed;
    struct platform_counts asked; /* of the machine, by this check */
    double seconds;               /* that it took, by the clock of the boot processor */
};

struct whole_run {
    struct model_platform *mp;
    struct verdict_counts counts;
    enum run_result result;
    enum status status;       /* the first that is not ST_OK, of the machine, the run and the report */
    bool begun;               /* machine and report were there: it has a result                   */
    uint32_t refused;         /* lines that the report lacks                                      */
    struct symptoms symptoms; /* what the diagnosis is made of, and its texts point to         */
    struct diagnosis diagnosis;
    struct monitors monitors;
    enum status restored; /* of ledger_restore() at the end                   */
    uint32_t n;
    struct whole_result checks[WHOLE_RUN_CHECKS];
    uint64_t work_bytes, msr_operations, samples, sample_operations; /* what it cost */
    struct platform_counts asked;                                    /* until the last check was done */
    bool stopped;                                                    /* enough() said so */
    uint64_t tsc;                                                    /* when the last check was done */
    bool quick;                                                      /* as the option -quick         */
    uint32_t rounds;                                                 /* as -repeat; 0: one           */
    bool unlimited;                                                  /* loads as on hardware: no limit of load */
    /* Its bands are those of its profile, or where it is of none, or no_figures, bands without a figure: what experience
     * expects is judged by the checks' bounds. uncalibrated: it has no bands. */
    bool uncalibrated, no_figures;
    char *text;   /* the text report as the run continues, to be freed */
    char *brief;  /* report.txt at its end, to be freed; NULL: it is text */
    FILE *stream; /* where report.jsonl goes; NULL: nowhere          */
    /* Called on the platform once tools are there and before the first check. May be NULL. */
    void (*before)(struct model_platform *mp);
    /* Called with each result; true: no further check is started. May be NULL. */
    bool (*enough)(const void *context, const struct whole_result *r);
    const void *context;
    /* Of whole_run(): before the machine is looked at, and on its description. May be NULL. */
    void (*unlooked)(struct model_platform *mp);
    void (*described)(struct machine *m);
    const char *tests[OPTIONS_PATTERNS], *skips[OPTIONS_PATTERNS]; /* -t and -skip patterns, NULL-ended    */
    uint64_t node_bytes;                                           /* memory of each node, 0: 1 GiB                */
};

/* Every check on a platform whose machine is described already; p must have no ledger yet. */
struct machine;
void whole_run_on(struct platform *p, struct machine *m, struct whole_run *w);

/* Fills everything but what the caller set. false: w->status is not ST_OK. */
bool whole_run(const struct model_config *config, struct whole_run *w);
void whole_run_free(struct whole_run *w);

/* What a check that ran leaves unsaid of small defects; NULL: nothing. A PASS of a row .excludes says what it excludes, and
 * a row without moves no memory, but for those that whole_run.c lists with the reason. */
const char *whole_result_unsaid(const struct whole_result *r);

/* Whether a blank-separated list of rows holds one of another. */
bool rows_meet(const char *a, const char *b);
const struct whole_result *whole_run_find(const struct whole_run *w, const char *id);
