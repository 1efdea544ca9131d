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

/* RUN_WARN: no check failed, and one warned. RUN_NOTHING: no check passed, or no monitor was judged. RUN_DONE: what was asked
 * for was done and nothing was judged. RUN_STOPPED: on request, before the last check. */
enum run_result { RUN_PASS, RUN_FAIL, RUN_ERROR, RUN_NOTHING, RUN_DONE, RUN_WARN, RUN_STOPPED };
#define RUN_RESULTS (RUN_STOPPED + 1u)

/* What RUN_WARN ends with (-fail-on): a status of its own, that of FAIL, or that of PASS. */
enum warn_exit { WARN_IS_OWN, WARN_IS_FAIL, WARN_IS_PASS };

/* The exit status, for the shell and for isa-debug-exit, which makes twice of it and one: 0 PASS and DONE, 1 FAIL, 2 ERROR
 * and STOPPED, 5 WARN, 0x26 NOTHING. */
uint32_t run_result_code(enum run_result r, enum warn_exit warn);
/* Nothing is missing of what was to be done: PASS, WARN or DONE. */
bool run_result_is_whole(enum run_result r);
/* "PASS", "FAIL", "ERROR", "NOTHING", "DONE", "WARN", "STOPPED": the word on the screen, on the console and in the last line of
 * report.txt. */
const char *run_result_text(enum run_result r);
