/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/check.h: what a check calls while it runs.
 *
 * A check (core/check/row.h) records evidence (raw registers) and measurements (value, unit, bounds) and says what it
 * found. The engine holds it to the rules:
 *   - a PASS without evidence or measurement becomes ERROR: nothing was shown;
 *   - a measurement outside its bounds in a check that found nothing becomes ERROR: the check contradicts itself;
 *   - a finding of a check or machine whose grade is limited (row .grade, core/check/grade.h) becomes WARN, and says why.
 */
#pragma once
#include "core/check/finding.h"
#include "core/check/grade.h"
#include "core/check/row.h"
#include "core/machine/machine.h"
#include "core/report/report.h"

struct figure_band;
struct bands; /* of good machines like this one: core/bands/bands.h */
struct cluster_view;
struct spread;
struct tools; /* memory arenas, samplers and PMON boxes that checks share: core/tools/tools.h */

/* Findings that wait until the engine knows whether the run counts. */
struct held_finding {
    struct found found; /* its text: below */
    char text[512];
};
struct held {
    uint32_t n;
    struct held_finding list[FINDINGS_LISTED];
};

struct check_log; /* of a part of the check that is measured beside others: core/check/check_log.h */
struct check_memory;
struct symptoms;

/* What a PASS of the check shows to be absent: a defect of this kind, of more than so much. */
struct exclusion {
    char what[48], unit[16];
    double value;
};
#define EXCLUSIONS 4u

struct violation {
    enum finding_code code;
    struct place place;
};

/* One run of a check: the engine's, whatever machine the check is shown. All zero is a run that has begun. */
struct check_state {
    struct check_record record;
    struct check_log *log;              /* NULL: what is said goes to the report                          */
    struct check_record *clocks;        /* has the slowest and the fastest clock of all parts; NULL: record */
    struct held *held;                  /* NULL: findings are written at once                             */
    struct spread *spread;              /* NULL: figures are not kept over the rounds                     */
    struct symptoms *symptoms;          /* kept for the diagnosis at the end; NULL: they are not          */
    struct check_memory *memory;        /* of check_alloc()                                               */
    const struct bands *bands;          /* NULL: the machine is uncalibrated                          */
    uint32_t n_usual;                   /* measurements out of their bounds and in the band of good machines */
    struct cluster_view **clusters;     /* the run's, made when first wanted; NULL: none is wanted     */
    enum grade_clusters clusters_known; /* of sub-NUMA clusters: core/check/grade.h                      */
    enum verdict pending;               /* what the status on its way up comes to: SKIP, ERROR or FAIL    */
    enum status pending_status;         /* ST_OK: none is on its way                                      */
    char why[256];                      /* and its reason                                                 */
    struct violation violated;          /* of a FAIL: what it is a finding of                             */
    struct exclusion exclusions[EXCLUSIONS];
    uint32_t n_exclusions;
    uint64_t smi_period_ns; /* of the last sample that was ST_DISTURBED: SMIs so far apart; 0: not known */
    uint64_t smi_window_ns; /* and so long it takes                                           */
    /* 1 + the domain that is measured while others are: registers are written of its L3 alone. 0: of every L3. */
    uint32_t one_l3;
    char unseen[96]; /* of a row with .sums: which boxes firmware hides; "": none */
    bool assigned;   /* bandwidth is that of assigned counters (core/domain/assigned.h): figures and findings say so */
};

/* What a check is given. A part of a machine (a sub-NUMA cluster) is shown by another of these with the same state. */
struct check {
    const struct check_row *row;
    struct platform *platform;
    struct machine *machine;
    struct tools *tools;
    struct report *report;
    struct check_state *state;
};

/* What the findings so far come to. */
static inline enum verdict check_verdict(const struct check *c)
{
    return c->state->record.verdict;
}

/* --- what a check calls ------------------------------------------------------------------------------------------ */

/* Raw evidence. tsc 0: not known. */
void evidence_msr(struct check *c, uint32_t cpu, uint32_t msr, uint64_t value, uint64_t tsc);
/* A write and what came of it: the value written, and ST_OK or ST_FAULT. */
void evidence_wrmsr(struct check *c, uint32_t cpu, uint32_t msr, uint64_t value, enum status outcome, uint64_t tsc);
void evidence_cpuid(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct cpuid_regs *regs);
/* A register outside the processors. kind: "pci", "mmio"; address as in struct ledger_entry (core/platform/ledger.h). */
void evidence_register(struct check *c, const char *kind, const char *where, uint64_t address, uint64_t value);
/* A rule that was applied to many values alike: one line instead of thousands ("IA32_PQR_ASSOC written and read back",
 * 64 RMIDs x 16 processors). count is the number of single comparisons made. */
void evidence_swept(struct check *c, const char *what, uint64_t count);

#define ASSIGNED_SUFFIX ", assigned counters" /* of the name of a measurement while check_state.assigned */

#define NO_BOUND (__builtin_inf())
/* A measured value with its band [lo, hi]; -NO_BOUND and NO_BOUND where a side is open. true: inside. unit in plain
 * words: "bytes", "counts", "Hz", "ratio", "%". at: the place measured, by value; PLACE_NONE: the machine. */
bool check_measure_at(struct check *c, const char *name, const struct place *place, double value, const char *unit,
                      double lo, double hi);
#define check_measure(c, name, at, ...) check_measure_at(c, name, PLACE_AT(at), __VA_ARGS__)
/* The same without a band. */
#define check_show(c, name, at, value, unit) ((void)check_measure(c, name, at, value, unit, -NO_BOUND, NO_BOUND))

/* The band that good machines of this kind give this measurement. false: there is none. check_measure() judges by it: a value
 * inside of its bounds and outside of the band is a finding. */
bool figure_band_of(const struct check *c, const char *name, const struct place *place, struct figure_band *out);

/* Those bands, or NULL where they were made by another method of this check. */
const struct bands *check_bands(const struct bands *b, const struct check_row *row);
/* The checks that this is so of, "mbm.total, cmt.fill". Returns the length needed; 0: none. */
size_t check_bands_outdated(const struct bands *b, char *out, size_t size);

/* What a PASS of this run excludes: "a loss", 1.6, "%": a loss above 1.6 % would have shown. value: from the bands that
 * were applied, the distance between what a faultless machine shows and the bound that it was held to, and by how much a
 * defect may be hidden by rounding. Of several of the same `what` the greatest stands, at most EXCLUSIONS of them. Where the
 * check passes they are measurements of the name below. */
void excludes(struct check *c, const char *what, double value, const char *unit);
/* The same of a figure that is `sound` without the defect and was held to `bound`: the part of it, in %, which leads to the
 * bound. Nothing, where none does: an open bound, or one at 0 for what is lost. */
void excludes_share(struct check *c, const char *what, double sound, double bound);
/* The same of one of n that should be alike: it is `got`, and was held to their mean less `share` of it and `slack`. What it
 * loses, the mean loses an n-th of. */
void excludes_one_of(struct check *c, const char *what, double got, double mean, uint32_t n, double share,
                     double slack);
#define EXCLUDES_NAME "smallest defect that this run would have found"

/* The first finding in a line, with what qualifies it: "total is half [a limit] [expected by erratum BDF102]".
 * "": it passes without a word. */
void check_reason(const struct check *c, char *out, size_t size);

/* A curve: elements are numbered from 0; x is given as metadata under x_name. At most one series open at a time. */
struct series_head {
    const char *name;
    struct place place;
    const char *unit, *x_name, *x_unit;
    bool expected;   /* nothing was measured: what the other curves of the check should be */
    uint32_t values; /* measured, where only some of them follow; 0: all */
};
void series_put_head(struct check *c, const struct series_head *s);
/* One that was measured. */
static inline void series_begin(struct check *c, const char *name, struct place place, const char *unit,
                                const char *x_name, const char *x_unit)
{
    series_put_head(
        c, &(struct series_head){ .name = name, .place = place, .unit = unit, .x_name = x_name, .x_unit = x_unit });
}
void series_add(struct check *c, double x, double value);
void series_end(struct check *c);
/* A whole curve of n values. Of more than SERIES_LISTED, or of one L3 domain's share of CURVES_LISTED, the least and the
 * greatest of each group of successive ones are listed, so that no peak is lost. */
void series_show(struct check *c, const char *name, struct place place, const char *unit, const char *x_name,
                 const double *x, const double *y, uint32_t n);

/* Zeroed memory that the engine frees when the check ends; NULL where there is none. check_free_since() frees what was
 * allocated after a mark before that, for a check that does the same on many domains. */
void *check_alloc(struct check *c, size_t bytes);
struct check_memory *check_memory_mark(const struct check *c);
void check_free_since(struct check *c, struct check_memory *mark);
/* Points `at` to n elements of it; where there is no memory, hands up that `what` could not be measured. */
#define TRY_ALLOC(c, at, n, what)                                                                                      \
    do {                                                                                                               \
        (at) = check_alloc(c, sizeof *(at) * (n)); /* NOLINT(bugprone-sizeof-expression): of pointers too */           \
        if ((at) == NULL)                                                                                              \
            return check_unmeasured(c, ST_NO_MEMORY, (c)->platform->bsp, what);                                        \
    } while (0)

/* A line of a table, at most 72 columns wide: shown as it is below the check's line, whatever its verdict. Figures that
 * a program should read are measured as well. */
void check_table_line(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shown with the result, changes nothing. */
void check_note(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- what the engine calls --------------------------------------------------------------------------------------- */

/* The step of this check's row in the report. */
void check_step_start(struct check *c, uint32_t round);
/* What a step of this row says of itself. */
struct report_step check_step_of(const struct check_row *row);
void check_step_end(struct check *c);
/* The check has ended: hold it to the rules above, settle the verdict, close an open series, record a PASS. */
void check_close(struct check *c);
/* What excludes() said, as measurements and in words: where the check passed. */
void check_put_exclusions(struct check *c);
/* The same in two parts: settle the verdict, then write what was held back. Or drop it, where the run does not count:
 * the check is a SKIP for this reason, and what it found stays in the log. */
void check_settle(struct check *c);
void check_write(struct check *c);
void check_drop(struct check *c, const char *reason);
