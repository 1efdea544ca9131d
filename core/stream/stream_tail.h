/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/stream/stream_tail.h: where a stream stands that an earlier boot began: what a report needs to continue after it. */
#pragma once
#include "core/base/verdict.h"
#include "core/stream/stream_reader.h"

#define STREAM_TAIL_HUNG 32u
#define SYMPTOM_HUNG     "machine-hung" /* of the error in a check that the machine hung in */

struct stream_tail {
    bool started, ended;
    uint64_t bytes;    /* that were added                                                           */
    uint64_t sound;    /* of these: whole lines of the format, before the first that is none        */
    uint64_t sequence; /* of the next line                                                          */
    uint32_t step;     /* the next testStepId                                                       */
    uint32_t faults;   /* lines that are not of the format: such a stream is not written to         */
    /* Of checks that finished, as the run counts them: attempts that were dropped and PASS of Assay's own steps
     * (restore.registers, spread.rounds, count, resume) are left out. */
    struct verdict_counts counts;
    uint32_t ended_steps;        /* checks that finished, all rounds                       */
    uint32_t run_errors;         /* errors outside of checks                                        */
    bool step_open, series_open; /* the last step has no end                                        */
    bool dropped;                /* the last step was an attempt that does not count                 */
    char step_id[STREAM_ID];     /* of the last step                                                */
    char check[STREAM_TEXT];     /* its check                                                       */
    uint32_t round;              /* of it                                                           */
    char done[STREAM_ID];        /* the last check that finished, and its round: no own step */
    uint32_t done_round;
    char series_id[STREAM_ID]; /* of its last series                                              */
    uint32_t series_count;     /* elements of it                                                  */
    uint32_t n_hung;
    struct {
        char check[STREAM_ID];
        uint32_t times;
    } hung[STREAM_TAIL_HUNG];    /* checks with an error SYMPTOM_HUNG; what there is no place for is left out */
    struct stream_reader reader; /* the reader's own */
    /* Who is shown each line as well; stream_tail_begin() leaves it. NULL: none. */
    void (*also)(void *context, const struct stream_line *line, const char *check);
    void *also_context;
    /* Whether a check judges a monitor, for the counts; stream_tail_begin() leaves it. */
    bool (*of_monitor)(const char *check);
};

/* t: all zero but for `also` and `of_monitor`, or one that was used. */
void stream_tail_begin(struct stream_tail *t);
/* The stream in pieces. A power cut may have left anything after the last flush: where sound is less than bytes at the
 * end, the rest is to be cut off, and a tail of the sound bytes alone is where the stream stands. */
void stream_tail_add(struct stream_tail *t, const char *bytes, size_t length);
/* Everything above is set. */
void stream_tail_end(struct stream_tail *t);
/* Whether this check, begun in this round after all that the stream has, has no end there. A step `resume` after its end
 * is that of a boot that has told so. */
bool stream_tail_lacks(const struct stream_tail *t, const char *check, uint32_t round);
/* How often the machine hung in this check. */
uint32_t stream_tail_hangs(const struct stream_tail *t, const char *check);
