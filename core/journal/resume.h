/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/journal/resume.h: what a boot does that finds the journal of a run without an end.
 *
 * A run resumes after what was in progress. Only a boot during which a check finished is progress: after
 * RESUME_STALLED boots without one the run is ended, so that a machine that cannot be tested does not reset for ever.
 */
#pragma once
#include "core/journal/journal.h"

#define RESUME_STALLED 3u
#define RESUME_HANGS   2u /* a check that hung the machine so often is left out of the rounds that follow */

enum resume_answer {
    RESUME_NEW,   /* a run of its own: there is none to resume            */
    RESUME_GO_ON, /* into the report of the record, after what was under way */
    RESUME_END,   /* the report of the record gets its end, and no more is run */
};

struct resume_plan {
    enum resume_answer answer;
    const char *why;  /* of RESUME_END, and of RESUME_NEW where there is a record; else NULL */
    uint32_t boot;    /* of this boot                                                        */
    uint32_t stalled; /* boots without progress up to here, of RESUME_GO_ON and RESUME_END   */
};

/* found: NULL, or the record of this machine's journal. machine, settings: of this boot. */
struct resume_plan resume_decide(const struct journal_record *found, const uint8_t machine[16],
                                 const uint8_t settings[16]);

/* What was in progress, in words: "check mbm.wrap", "starting processors". */
void resume_what(const struct journal_record *found, char *out, size_t size);
