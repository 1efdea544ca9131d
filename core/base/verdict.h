/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/verdict.h: what a check says of the machine, and what a whole run says. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum verdict {
    VERDICT_PASS,
    VERDICT_FAIL,  /* the specification is broken                                      */
    VERDICT_WARN,  /* outside of an expected band, or a rule that allows no FAIL        */
    VERDICT_SKIP,  /* a precondition is missing                                        */
    VERDICT_ERROR, /* Assay itself could not measure                                   */
    VERDICTS
};

/* "PASS", "FAIL", "WARN", "SKIP", "ERROR" */
const char *verdict_text(enum verdict v);
/* Of two, the one that stands: FAIL over ERROR over WARN over SKIP over PASS. A broken specification outranks what
 * could not be measured. */
enum verdict verdict_worst(enum verdict a, enum verdict b);

struct verdict_counts {
    uint32_t pass, fail, warn, skip, error;
    /* Of them, those of checks of a monitor: that passed or failed, that warned, that were skipped. */
    uint32_t monitors, monitors_warned, monitors_skipped;
    bool hypervisor; /* answers for the machine's registers (CPUID.1:ECX[31]): set by the caller */
};

/* Count one more verdict. of_monitor: it judges a monitor (struct check_row, no_monitor). */
void verdict_count(struct verdict_counts *counts, enum verdict v, bool of_monitor);

/* Checks of monitors were asked for, and none judged one: each was skipped, or its WARN is of a hypervisor that drops what is
 * written and answers 0 (without one, a WARN is a monitor's). */
bool verdict_no_monitor(const struct verdict_counts *counts);

/* RUN_NOTHING: no check passed, or no monitor was judged. Exit: run_result_code(). */
enum run_result { RUN_PASS, RUN_FAIL, RUN_ERROR, RUN_NOTHING, RUN_DONE };

/* 0 pass, 1 fail, 2 error, 0x26 nothing could be checked, 0 what was asked for was done and nothing was judged: for isa-debug-exit (whose exit status is then 77) and the
 * shell. */
uint32_t run_result_code(enum run_result r);
/* "PASS", "FAIL", "ERROR", "NOTHING", "DONE": the word on the screen, on the console and in the last line of report.txt. */
const char *run_result_text(enum run_result r);
