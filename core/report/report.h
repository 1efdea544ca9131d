/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/report.h: the result stream, and the text report.
 *
 * report.jsonl is the truth: Open Compute Project Test & Validation output format 2.0, one JSON object a line
 * (github.com/opencomputeproject/ocp-diag-core, json_spec). It is append-only; each check's lines are on the medium
 * before the next check starts. report.txt is what people read, 80 columns, ASCII, last line
 * `RESULT: PASS|FAIL|ERROR|NOTHING|DONE exit=N`.
 *
 * Every function takes a NULL report and then does nothing: checks can run without one. A line is built whole and
 * written with one call. The first failure of a medium is remembered, and nothing is written after it: what stands
 * there stays valid lines. The text is written as long as its own sink takes it, so that a console that follows it still
 * shows the verdict when the stick is full.
 */
#pragma once

#include "core/encoding/json.h"
#include "core/base/place.h"
#include "core/machine/disturb.h"
#include "core/machine/machine.h"
#include "core/options/options.h"
#include "core/report/record.h"

/* Where bytes go. write takes all or fails; flush returns when they are on the medium; replace puts these in the place of
 * all that was written. Each may be NULL. */
struct sink {
    void *context;
    enum status (*write)(void *context, const char *bytes, size_t length);
    enum status (*flush)(void *context);
    enum status (*replace)(void *context, const char *bytes, size_t length);
};

struct report {
    struct sink jsonl, text; /* text.write may be NULL */
    struct platform *platform;
    const struct machine *machine;  /* from report_start() on                                            */
    uint64_t sequence;              /* next sequenceNumber                                       */
    uint64_t utc_base_ns, tsc_base; /* timestamps: clock at start + TSC                    */
    uint64_t last_ms;               /* of the last line: timestamps never go back                */
    bool started;                   /* schemaVersion and testRunStart are written                */
    uint32_t step;                  /* next testStepId                                           */
    bool step_open;
    struct report_step open; /* while step_open */
    char step_id[16];
    uint32_t series; /* next measurementSeriesId in this step                     */
    bool series_open;
    char series_id[28];
    uint32_t series_count;
    enum status failed;       /* first write or flush that failed; later ones are not tried */
    enum status text_failed;  /* the same of the text                                       */
    uint32_t refused;         /* lines for which there was no memory: each is an error there */
    const char *last_symptom; /* of report_error(), and how often in a row */
    uint32_t same_errors;
    struct json line; /* the line under construction                                */
    /* The text of the open step: its status is known only at its end. */
    char *details;
    size_t details_length, details_capacity;
    bool details_lost;                    /* there was no memory for some of it                                 */
    char telling[64];                     /* the measurement that came closest to a bound, "1.002 ratio"        */
    double telling_margin;                /* how close, as part of the band; < 0: none yet                      */
    uint32_t n_inside, n_outside;         /* measurements among the details                              */
    struct platform_counts counts_before; /* what the step costs is the difference                */
    uint64_t tsc_before;
    struct text_parts *parts; /* kept of the text: core/report/text_lines.h; NULL: none */
    struct brief *brief;      /* the text's end, core/report/report_internal.h; NULL: it stays as it is            */
    uint32_t verbose;         /* of the text, option -v; from report_start() on                            */
    uint64_t skipped;         /* hash of the reason of the step before where it was a SKIP, else 0         */
    uint64_t samples;         /* taken, over all checks                                                    */
    uint64_t disturbed;       /* of them, those that were taken again                                      */
    uint64_t throttled;       /* of them, those under a throttle, a power limit or a clock far below the others   */
};

/* The clock is read here, and memory taken that nearly every line fits into. ST_RANGE: jsonl has no write. ST_NO_MEMORY. */
MUST_CHECK enum status report_init(struct report *r, struct platform *p, struct sink jsonl, struct sink text);
void report_free(struct report *r);

struct run_identity { /* what the payload knows of itself */
    const char *version, *commit, *build_id, *command_line;
    const char *built_for; /* "UEFI x86-64" */
    uint64_t checks;       /* that the run will have; 0: not known */
    /* The file of bands that figures are compared with; NULL: the machine is uncalibrated. */
    const char *bands, *bands_sha256;
    uint32_t bands_machines, bands_figures;
};

/* schemaVersion, flushed: the stream is one from its first line on, whatever comes of the machine until report_start(). */
void report_open(struct report *r);
/* schemaVersion, unless it is there, and testRunStart with dutInfo: platform identity, BIOS and microcode as softwareInfos, packages,
 * L3 domains and nodes as hardwareInfos, processors (all of them, with those left alone marked) as metadata; flushed. Where the
 * machine is virtual silicon, or the clock is not set, a log line says so. Without memory for a line of all processors and memory modules they are
 * left out, and an error says so. m must outlive the report. */
void report_start(struct report *r, const struct machine *m, const struct options *o, const struct run_identity *id);
/* severity: "INFO", "DEBUG", "WARNING", "ERROR", "FATAL". Before report_start() only the text has it. */
void report_log(struct report *r, const char *severity, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* An error outside any check (firmware exception, lost processor): testRunArtifact.error, flushed. symptom is kept.
 * Below -v 2 the text has the first ones alone of many of one symptom in a row. */
void report_error(struct report *r, const char *symptom, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A step begins, and ends: round counts from 1. */
void report_step_start(struct report *r, const struct report_step *step, uint32_t round);
void report_step_end(struct report *r, const struct check_record *c);
/* What disturbed the open step: an extension "assay.disturbance". Nothing where nothing could be read. */
void report_disturbance(struct report *r, const struct disturbance *d);
/* Begin a step artifact of this kind ("diagnosis", "measurement", "log", ...) and leave its object open for the caller
 * to fill; report_artifact_end() closes and writes it. NULL, which core/encoding/json.h takes: there is no report or no
 * open step, and the end writes nothing. */
struct json *report_step_artifact(struct report *r, const char *kind);
/* The same for an extension: its content object is left open. */
struct json *report_extension(struct report *r, const char *name);
void report_artifact_end(struct report *r);
/* The member "subcomponent" of the open object: the place's name for people, and its location for programs. Nothing for
 * PLACE_NONE. */
void report_put_place(struct json *j, const struct place *place);
/* A line of text under the open step. A table's is shown as it is whenever the check is; the others unless it passes:
 * findings first, each with its limit and errata below it, and notes; then measurements, those inside their bounds only
 * where none is outside. */
enum detail {
    DETAIL_TABLE = '|',
    DETAIL_FINDING = '-',
    DETAIL_LIMIT = '~',   /* what makes the finding above a WARN */
    DETAIL_ERRATUM = '?', /* an erratum that it may be           */
    DETAIL_NOTE = 'i',
    DETAIL_OUTSIDE = '!',
    DETAIL_INSIDE = '='
};
void report_detail(struct report *r, enum detail kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "2026-11-21T06:19:02.123Z" of now; out holds 25 bytes. */
void report_timestamp(struct report *r, char out[25]);

/* Processor state that is not in the ledger: found when the run began, left at its end. */
struct restored_item {
    const char *name; /* "IDTR", "CR4", "XCR0", "LVT PC", "APIC SVR" */
    uint32_t cpu;
    uint64_t found, left;
};

/* testRunEnd and the RESULT line; flushes. Returns the first failure of the medium. */
MUST_CHECK enum status report_end(struct report *r, const struct run_record *run, enum run_result result);
