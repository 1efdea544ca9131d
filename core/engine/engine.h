/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/engine.h: runs the checks in order, holds them to the rules of core/check/check.h, and counts. */
#pragma once
#include "core/check/check.h"
#include "core/machine/disturb.h"
#include "core/options/options.h"
#include "core/check/spread.h"
#include "core/check/symptoms.h"

/* Called between checks on the boot processor: progress for the screen, and the wish to stop. May be NULL. */
struct engine_hooks {
    void *context;
    void (*starting)(void *context, const struct check_row *row, uint32_t index, uint32_t total);
    void (*finished)(void *context, const struct check *c);
    bool (*stop)(void *context); /* true: no further check is started                             */
    /* Why a check is not run although it is selected: it is a SKIP with this text. NULL: it is run. */
    const char *(*left_out)(void *context, const struct check_row *row);
};

/* Where an earlier boot of the same run left off. All zero: there was none. */
struct engine_from {
    uint32_t round;    /* rounds before it are over                                                */
    const char *after; /* rows of that round up to this one are over too; NULL: none is             */
    uint32_t started;  /* checks that ended, over all rounds                                       */
    uint32_t seconds;  /* what the run has taken so far                                            */
};

#define MACHINE_CHECK_TEXT 160u

struct engine {
    struct platform *platform;
    struct machine *machine;
    struct report *report;
    struct tools *tools;
    const struct options *options;
    const struct bands *bands; /* of this machine; NULL: it is uncalibrated */
    struct engine_hooks hooks;
    /* Checks of firmware's processor services (NEED_MP_SELFTEST) are left to engine_run_mp_selftest(). */
    bool mp_selftest_apart;
    struct engine_from from;
    struct run_record run; /* with what an earlier boot counted */
    /* engine_run()'s own */
    uint32_t started;        /* checks, over all rounds */
    uint32_t round;          /* of the check that is run, from 1 */
    bool state_set;          /* core/domain/working_state.h */
    uint32_t machine_checks; /* that came during checks, each an error of the run */
    uint32_t errors_logged;  /* core/tools/error_banks.h: the same */
    struct disturb disturb;
    struct held *held;
    struct spread spread;
    struct symptoms symptoms;      /* of all checks, for the diagnosis; to be freed when it is made */
    struct cluster_view *clusters; /* made where an L3 stands on several nodes: core/domain/cluster.h */
};

/* Every selected check (options -t, -skip, -repeat, -soak) in running order (core/check/row.h). A check that says
 * FAIL, WARN or ERROR while SMIs fell into it is run again, DISTURB_TRIES times in all, unless it found what no SMI
 * does (check_record.beyond_smis); what came before is a SKIP in the stream and is not counted. A machine check makes the
 * run an ERROR that names the check, which is run again once, and is an ERROR itself if another one comes. So does an error
 * that a machine-check bank logs; its check is not run again. Where there is more
 * than one round, spread_report() closes the run. A report that cannot be written to ends the run: ST_FULL, ST_IO.
 * Otherwise ST_OK, and counts are set. */
MUST_CHECK enum status engine_run(struct engine *e);

/* Checks that a whole run has in its rounds; 0: not known before it ends (-soak). */
uint64_t engine_checks(const struct engine *e);

/* After engine_run() with mp_selftest_apart: the checks that it left, once, unless the run was stopped. They look at
 * what the platform recorded, and no processor is given work. As engine_run(). */
MUST_CHECK enum status engine_run_mp_selftest(struct engine *e);

/* An earlier boot did not come to this check's end in the report: it is an ERROR with this symptom and message, and
 * counted. The row may be a step of Assay's own, of which the id alone is known. */
void engine_put_broken(struct engine *e, const char *id, uint32_t round, const char *symptom, const char *message);

/* engine_run() did not return (an exception broke it off): what the check under way had found goes to the report's
 * log, and the check is an ERROR that says so. */
void engine_broken_off(struct engine *e);

/* FAIL if a check failed, else ERROR if one had an error, else NOTHING if none passed or warned, or each of a monitor
 * was skipped, else PASS. */
enum run_result engine_result(const struct verdict_counts *counts);
/* The same for a whole run: a report that could not be written, or a run that was stopped before its end, is no PASS
 * and no NOTHING but an ERROR. A FAIL stays one. */
enum run_result engine_verdict(const struct engine *e);
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
/* enum check_needs that the machine does not meet. */
uint32_t engine_missing_needs(const struct engine *e);

/* What the row needs, in a few words: "occupancy, 2 processors". For -list. */
void check_needs_text(const struct check_row *row, char *out, size_t size);
/* The row as an object of `checks` of `assay-report list`: id, rule, needs, worst, byExperience, slow. */
void check_as_json(const struct check_row *row, struct json *j);
