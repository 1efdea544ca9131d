/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/engine.h: runs the checks in order, holds them to the rules of core/check/check.h, and counts. */
#pragma once
#include "core/check/check.h"
#include "core/check/disturb.h"
#include "core/options/options.h"
#include "core/check/spread.h"

struct cluster_view;

struct engine_counts {
    uint32_t pass, fail, warn, skip, error;
};

enum run_result { RUN_PASS, RUN_FAIL, RUN_ERROR, RUN_NOTHING }; /* exit: run_result_code() */

/* Called between checks on the boot processor: progress for the screen, and the wish to stop. May be NULL. */
struct engine_hooks {
    void *context;
    void (*starting)(void *context, const struct check_row *row, uint32_t index, uint32_t total);
    void (*finished)(void *context, const struct check *c);
    bool (*stop)(void *context); /* true: no further check is started                             */
};

struct engine {
    struct platform *platform;
    struct machine *machine;
    struct report *report;
    struct tools *tools;
    const struct options *options;
    struct engine_hooks hooks;
    struct engine_counts counts;
    bool stopped;
    uint32_t repeated;     /* runs of a check that did not count, since SMIs fell into them      */
    uint32_t with_smis;    /* runs of a check that SMIs fell into                                */
    uint32_t hot, limited; /* runs under thermal throttling, or held by a power limit            */
    /* engine_run()'s own */
    struct disturb disturb;
    struct held *held;
    struct spread spread;
};

/* Every selected check (options -t, -skip, -repeat, -soak) in table order. A check that says FAIL, WARN or ERROR while
 * SMIs fell into it is run again, DISTURB_TRIES times in all; what came before is a SKIP in the stream and is not
 * counted. Where there is more than one round, spread_report() closes the run. A report that cannot be written to ends
 * the run: ST_FULL, ST_IO. Otherwise ST_OK, and counts are set. */
MUST_CHECK enum status engine_run(struct engine *e);

/* engine_run() did not return (an exception broke it off): what the check under way had found goes to the report's log.
 */
void engine_broken_off(struct engine *e);

/* FAIL if a check failed, else ERROR if one had an error, else NOTHING if none passed or warned, else PASS. */
enum run_result engine_result(const struct engine_counts *counts);
/* The same for a whole run: a report that could not be written, or a run that was stopped before its end, is no PASS
 * and no NOTHING but an ERROR. A FAIL stays one. */
enum run_result engine_verdict(const struct engine *e);
/* Count one more verdict. */
void engine_count(struct engine_counts *counts, enum verdict v);
/* 0 pass, 1 fail, 2 error, 0x26 nothing could be checked: for isa-debug-exit (whose exit status is then 77) and the
 * shell. */
uint32_t run_result_code(enum run_result r);
/* "PASS", "FAIL", "ERROR", "NOTHING": the word on the screen, on the console and in the last line of report.txt. */
const char *run_result_text(enum run_result r);

/* Whether -t and -skip select this row. */
bool engine_selects(const struct options *o, const struct check_row *row);
/* The same of an id, be there such a check or not. */
bool engine_selects_id(const struct options *o, const char *id);
/* Whether they select a row that has this need. */
bool engine_wants(const struct options *o, uint32_t need);
/* Every pattern of -t and -skip must select at least one row. ST_RANGE: error->text names the one that does not. */
MUST_CHECK enum status engine_check_patterns(const struct options *o, struct options_error *error);
/* NULL, or what the machine lacks of row->needs, in words. Needs that tools find out (NEED_UBOX) included. */
const char *engine_missing(const struct engine *e, const struct check_row *row);

/* What the row needs, in a few words: "occupancy, 2 processors". For -list. */
void check_needs_text(const struct check_row *row, char *out, size_t size);

/* What limits a FAIL on this machine for this row, in words, or NULL (core/check/grade.c). Source: docs/tolerances.md, grade
 * limits: hypervisor bit -> W for enumeration and MSR checks; Skylake-SP stepping <= 4 -> W for CMT, MBM; AMD occupancy
 * values -> W; SNC on with RMIDs split. clusters: what a fill showed the nodes of an L3 to be (tools), NULL: nothing
 * yet. */
const char *grade_limit(const struct machine *m, const struct cluster_view *clusters, const struct check_row *row);
