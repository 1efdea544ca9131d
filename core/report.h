/* core/report.h: the result stream, and the text report.
 *
 * report.jsonl is the truth: Open Compute Project Test & Validation output format 2.0, one JSON object a line
 * (github.com/opencomputeproject/ocp-diag-core, json_spec). It is append-only; each check's lines are on the medium
 * before the next check starts. report.txt is what people read, 80 columns, ASCII, last line
 * `RESULT: PASS|FAIL|ERROR exit=N`.
 */
#pragma once
#include <stdarg.h>

#include "core/engine.h"

/* Where bytes go. write takes all or fails; flush returns when they are on the medium. */
struct sink {
    void *context;
    enum status (*write)(void *context, const char *bytes, size_t length);
    enum status (*flush)(void *context);
};

struct report {
    struct sink jsonl, text; /* text.write may be NULL */
    struct platform *platform;
    struct machine *machine;
    uint64_t sequence;              /* next sequenceNumber                                       */
    uint64_t utc_base_ns, tsc_base; /* timestamps: clock at start + TSC                    */
    uint32_t step;                  /* next testStepId                                           */
    char step_id[16];
    uint32_t series; /* next measurementSeriesId in this step                     */
    char series_id[16];
    uint32_t series_count;
    enum status failed; /* first write or flush that failed; later ones are not tried */
    void *line;         /* buffer of the line under construction                     */
    size_t line_length, line_capacity;
};

MUST_CHECK enum status report_init(struct report *r, struct platform *p, struct sink jsonl, struct sink text);
void report_free(struct report *r);

struct run_identity { /* what the payload knows of itself */
    const char *version, *commit, *build_id, *command_line;
    const char *built_for; /* "UEFI x86-64" */
};

/* schemaVersion and testRunStart with dutInfo: platform identity, BIOS and microcode as softwareInfos, packages,
 * processors (all of them, with those left alone marked) and L3 domains as hardwareInfos. */
void report_start(struct report *r, const struct machine *m, const struct options *o, const struct run_identity *id);
void report_log(struct report *r, const char *severity, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* An error outside any check (firmware exception, lost processor): testRunArtifact.error. */
void report_error(struct report *r, const char *symptom, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Called by the engine and by core/check.c. */
void report_step_start(struct report *r, const struct check_row *row, uint32_t round);
void report_step_end(struct report *r, const struct check *c);

/* The certificate: every register touched, and whether it is as it was found. A step of its own, "restore.registers";
 * also firmware state that the platform hands in as lines (vectors, CR4, XCR0). Returns its verdict. */
struct restored_item {
    const char *name; /* "IDTR", "CR4", "XCR0" */
    uint32_t cpu;
    uint64_t found, left;
};
enum verdict report_restored(struct report *r, const struct ledger *l, const struct restored_item *items,
                             uint32_t n_items);

/* testRunEnd and the RESULT line; flushes. Returns the first failure of the medium. */
MUST_CHECK enum status report_end(struct report *r, const struct engine *e, enum run_result result);

MUST_CHECK enum status report_flush(struct report *r);
