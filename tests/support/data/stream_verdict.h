/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/stream_verdict.h: the verdict of a report, of which no single line decides: docs/report.md, "The verdict of a
 * stream", has the rules.
 *
 * scripts/report/verdict.py and core/page/stream.js compute the same, with the same words; tests/fixtures/stream holds them to
 * it. The payload has no use for it: it concludes from its own counts.
 */
#pragma once
#include "core/stream/stream_reader.h"

#define STREAM_CONTRADICTIONS 16u   /* kept; what is beyond counts */
#define STREAM_NAMES          1024u /* of checks that are kept; what is beyond is not held to the diagnosis */

struct stream_names {
    char name[STREAM_NAMES][STREAM_ID];
    uint32_t n;
};

struct stream_judge {
    uint32_t counts[STREAM_VERDICTS]; /* as the payload counts: its own steps are no checks that passed        */
    uint32_t faults, n_contradictions;
    char contradictions[STREAM_CONTRADICTIONS][512]; /* a sentence each                                        */
    const char *said;                                /* by testRunEnd: PASS, FAIL, SKIP, ERROR or DONE         */
    /* Its own. */
    bool has_account, has_verdict;
    char account[STREAM_ID], verdict[STREAM_ID]; /* of the open step's assay.cost; of the line that is read    */
    char again[STREAM_TEXT];                     /* the check whose last attempt did not count                 */
    bool diagnosed, found, error, complete,
        late; /* late: a line was out of order; found: a FAIL or a WARN                                    */
    char out[STREAM_TEXT];           /* the first figure of the step outside of its own bounds     */
    char time[STREAM_ID], back[160]; /* of the last line; where it goes back within a boot         */
    uint32_t ended, run_errors;      /* checks, without Assay's own steps                          */
    double wanted;                   /* testRunStart's parameters.checks                           */
    bool has_wanted;
    struct stream_names found_in, named, explains, explained; /* named: in the line; explains: in the open step */
    /* The same of monitors: named in the line, by those that are FAIL in the open step, and in the diagnosis; checks that are
     * FAIL. */
    struct stream_names bad, against, answered, failed;
    char state[STREAM_ID];    /* in the line */
    bool monitors, monitored; /* in the open step, in the diagnosis */
};

/* A struct stream_judge of zeros is ready. These are to be called by the reader's callbacks of the same names. */
void stream_judge_line(struct stream_judge *j, const struct stream_line *line, const char *check);
void stream_judge_field(struct stream_judge *j, enum stream_kind kind, const char *path, enum json_scalar scalar,
                        const char *text);
void stream_judge_broken(struct stream_judge *j, const char *check);
void stream_judge_fault(struct stream_judge *j, enum stream_fault fault);
/* Once, after stream_reader_end(): "PASS", "FAIL", "WARN", "SKIP", "ERROR" or "DONE". */
const char *stream_judge_conclude(struct stream_judge *j, const struct stream_reader *r);
