/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/diagnosis/diagnosis_runs.h: runs of machines with faults whose diagnosis is judged, and what came out. */
#pragma once
#include "core/diagnosis/diagnosis.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/silicon/model/model.h"

/* The answer is a line "CAUSE|PART|AMOUNT|SURE" of each of the list, "or CAUSE|||" of each that the first could be
 * else, and "lines N" of report.txt. */
struct diagnosis_run {
    struct machine_run machine;
    const char *profile;
    const struct model_fault *faults[2];
    uint32_t n_faults; /* 0: it is run for its report alone */
    bool whole;        /* all checks, not those of -quick alone                     */
    char kept[512];    /* the file where what its checks came to is kept; "": none */
};

#define DIAGNOSIS_PASS_LINES 120u
#define DIAGNOSIS_FAIL_LINES 150u

struct diagnosis_score {
    uint32_t runs, first, three, parts, parts_named, pairs, pairs_named;
    /* report.txt of no fault and of one: how many, how many of them within the lines, lines of the longest. */
    uint32_t reports, short_ones, longest_pass, longest;
};

/* keep: a folder; may be NULL. */
void diagnosis_run_prepare(struct diagnosis_run *r, const char *keep);
/* Whether the diagnosis of what is kept of it was made: it is not to be run. Ends the program where a file is none of
 * this form. */
bool diagnosis_run_again(struct diagnosis_run *r);

/* Adds to the score, and prints what is missed. */
void diagnosis_run_judge(const struct diagnosis_run *r, struct diagnosis_score *score);
/* Prints how much of it is reached; whether it is enough. */
bool diagnosis_score_say(const struct diagnosis_score *score, const char *of);

struct diagnosis_named {
    char cause[64], part[DIAGNOSED_PART];
    bool alternative;
};
/* The next of an answer, from machine.answer on; NULL at the end. */
const char *diagnosis_named_next(const char *at, struct diagnosis_named *n);
/* 1: the fault's cause is named first, 2: among the first three, counting what the first would be else; 0: not, or
 * after those. found: what was named. */
uint32_t diagnosis_place(const struct diagnosis_run *r, const struct model_fault *fault, struct diagnosis_named *found);

/* The page; whole: the score of whole runs, with no runs in it where there were none. */
void diagnosis_doc_write(const char *path, const struct diagnosis_run *runs, uint32_t n,
                         const struct diagnosis_score *quick, const struct diagnosis_score *whole);
