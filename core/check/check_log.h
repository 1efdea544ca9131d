/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/check_log.h: what a check says of one L3 while others are measured, kept until its turn in the report.
 *
 * While state->log is set, evidence, measurements, series, findings and notes go there in place of the report; the state
 * counts findings and measurements all the same. replay_log() (core/engine/each.c) says them once more, in the same
 * order.
 */
#pragma once
#include "core/base/place.h"
#include "core/platform/platform.h"

enum check_log_kind {
    LOG_RDMSR,
    LOG_WRMSR,
    LOG_CPUID,
    LOG_REGISTER,
    LOG_SWEPT,
    LOG_MEASURE,
    LOG_EXCLUDES,
    LOG_SERIES_BEGIN,
    LOG_SERIES_ADD,
    LOG_SERIES_END,
    LOG_FINDING,
    LOG_NOTE,
    LOG_TABLE,
};

#define LOG_TEXTS 4u

struct check_log_entry {
    struct check_log_entry *next;
    enum check_log_kind kind;
    uint64_t number[5];
    double value[3];
    struct place place; /* of a figure, a series or a finding */
    struct cpuid_regs regs;
    const char *symptom, *limit; /* of a finding: outlive the log */
    const char *text[LOG_TEXTS]; /* in: copied after the entry   */
};

struct check_log {
    struct check_log_entry *first, *last;
    uint32_t n_evidence; /* entries up to LOG_SWEPT, of which no more are kept than a report lists */
    bool lost;           /* there was no memory for an entry */
};

/* The entry is kept, or counted. false: log is NULL. */
bool check_log_takes(struct check_log *log, struct check_log_entry entry);
void check_log_free(struct check_log *log);
