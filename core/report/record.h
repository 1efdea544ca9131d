/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/record.h: what stands in the report of one check, and of a run. */
#pragma once
#include <stdbool.h>

#include "core/base/verdict.h"

/* What a step is about: of a check's row. Strings outlive the step. */
struct report_step {
    const char *id, *title, *specification;
    const char *rows; /* of the conformance list */
    const char *detects;
    const char *risk;  /* "none", "msr", "workload"   */
    const char *grade; /* the worst that it may say: "FAIL", "at most WARN" */
    uint32_t method;   /* revision of how its figures are measured */
    const char *means; /* of a FAIL or a WARN: what it says of the machine, and what to look at next; NULL: nothing */
    const char *next;
};

/* How a check has gone so far. All zero is a check that has begun. */
struct check_record {
    enum verdict verdict;
    bool beyond_smis; /* a finding that SMIs cannot explain: another attempt may not see it again          */
    bool done;        /* nothing was judged: -count                                                     */
    bool dropped;     /* this attempt does not count: another follows                                       */
    uint32_t n_evidence, n_measurements, n_out_of_bounds, n_series, n_findings;
    uint32_t n_notes;
    uint32_t samples;             /* samples taken (core/check/sample.h)                                     */
    uint32_t disturbed;           /* of them, those that had to be taken again                               */
    uint32_t throttled;           /* of them, those under a throttle, a power limit or a clock far below the others */
    double slowest, fastest;      /* clock of samples, share of the nominal one; 0: not known                */
    char reason[512];             /* of the first finding, with what qualifies it, or NULL; both outlive the record */
    const char *limit;            /* what makes it a WARN and no FAIL                                        */
    const char *erratum;          /* the number of the erratum that it may be, "" of one without              */
    char excludes[48], least[48]; /* of a PASS: "a loss" above "1.6 %" would have shown; "" where nothing is known */
};

/* At most so many are written out per check; the rest is counted, and the report says how many there were. */
#define EVIDENCE_LISTED     256u
#define MEASUREMENTS_LISTED 512u
#define SERIES_LISTED       512u  /* elements of a curve that may be thinned: series_show() */
#define SERIES_LISTED_LEAST 16u   /* of the curve of an L3 domain, however many there are of these */
#define CURVES_LISTED       1024u /* elements of such curves together, one of each L3 domain */
#define FINDINGS_LISTED     16u
#define NOTES_LISTED        64u

struct run_record {
    struct verdict_counts counts;
    bool stopped;
    enum warn_exit warn_exit;
    uint32_t repeated;     /* runs of a check that did not count, since SMIs fell into them      */
    uint32_t with_smis;    /* runs of a check that SMIs fell into                                */
    uint32_t hot, limited; /* runs under thermal throttling, or held by a power limit            */
};
