/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines/machine_run.h: checks on machines of the host model, each machine in a process of its own, so that a
 * crash or a hang costs that run alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "tests/support/run/whole_run.h"

/* On the model a wrap that no RMID stands near takes hours; it fails in unit tests. */
#define MACHINE_RUN_NEVER "mbm.wrap"

struct machine_run {
    struct model_config config; /* what it points to outlives the run                                       */
    const void *context;        /* the caller's                                                             */
    void (*select)(const struct machine_run *r, struct whole_run *w); /* sets tests and skips; NULL: all checks  */
    /* Writes the answer; NULL: the lines below. */
    void (*put)(const struct machine_run *r, const struct whole_run *w, FILE *out);
    bool every_verdict;  /* the answer has PASS and SKIP as well                                     */
    char stream[512];    /* path of its report.jsonl, beside which report.txt is left; "": none      */
    uint32_t most_lines; /* that report.txt of a PASS may have; 0: any number                       */
    bool left_out;       /* it is not to be run                                                     */
    /* What came out. */
    char *answer; /* lines "id verdict reason"; NULL before it was started. ERROR as well: what a check leaves unsaid of
                     small defects where the machine has no fault (tests/support/run/whole_run.h). FAIL as well: a
                     register that was not restored, a report.txt that is longer than most_lines     */
    size_t length;
    int status;     /* as wait4() gives it                                                      */
    double seconds; /* of processor time                                                        */
    pid_t process;
    int pipe; /* -1: not running */
};

/* n structs of this size, each of which begins with a struct machine_run, `jobs` at a time, in their order; `done` is
 * called for each as it ends. seconds: of processor time, after which one is ended. Ends the program when there are no
 * processes or pipes left. */
void machine_runs(void *first, uint32_t n, size_t size, uint32_t jobs, uint32_t seconds,
                  void (*done)(struct machine_run *r));
/* It leaves its stream as FOLDER/NAME.jsonl, in a folder that is made where there is none; folder NULL: no stream. */
__attribute__((format(printf, 3, 4))) void machine_run_keep(struct machine_run *r, const char *folder, const char *name,
                                                            ...);
/* report.txt, in the run's process, as FILE.txt of FILE or FILE.jsonl; false, having said why: it cannot be written. */
bool machine_run_leave_text(const char *file, const char *text);
uint32_t machine_run_lines(const char *text); /* NULL: none */
/* Frees the answer. */
void machine_run_forget(struct machine_run *r);
bool machine_run_ended_well(const struct machine_run *r);
/* Why it did not: "ended by signal 11". */
const char *machine_run_why(const struct machine_run *r, char *out, size_t size);

struct finding {
    char id[64], verdict[8], reason[256];
};
/* The next line of an answer, from r->answer on; NULL at the end. */
const char *machine_run_next(const char *at, struct finding *f);
