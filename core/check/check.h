/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/check.h: what a check is, and what it may say.
 *
 * A check is one row in a table in core/checks/ and one function. It records evidence (raw registers) and measurements
 * (value, unit, bounds), then returns a verdict through one of the calls below. The engine holds it to the rules:
 *   - a PASS without evidence or measurement becomes ERROR: nothing was shown;
 *   - a measurement outside its bounds in a check that returned PASS becomes ERROR: the check contradicts itself;
 *   - fail() on a check or machine whose grade is limited (row .grade, grade limits in core/check/grade.c) becomes WARN, and
 *     says why.
 */
#pragma once
#include "core/machine/machine.h"

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_WARN, VERDICT_SKIP, VERDICT_ERROR };

/* Preconditions that the engine tests before it calls run(); a missing one is a SKIP that names it. */
enum check_needs {
    NEED_RDT_M = 1u << 0,      /* PM: CPUID.7.0:EBX[12] and 0FH.0:EDX[1]                     */
    NEED_OCCUPANCY = 1u << 1,  /* PO: 0FH.1:EDX[0]                                           */
    NEED_TOTAL = 1u << 2,      /* PT: 0FH.1:EDX[1]                                           */
    NEED_LOCAL = 1u << 3,      /* PL: 0FH.1:EDX[2]                                           */
    NEED_RDT_A = 1u << 4,      /* PA: CPUID.7.0:EBX[15] and 10H.0:EBX[1]                     */
    NEED_2_CPUS = 1u << 5,     /* two started processors                                     */
    NEED_SMT = 1u << 6,        /* PS: two started threads of one core                        */
    NEED_2_DOMAINS = 1u << 7,  /* P2: two L3 domains with a started processor each           */
    NEED_2_NODES = 1u << 8,    /* two SRAT nodes with processors and memory                  */
    NEED_UBOX = 1u << 9,       /* a part whose UBox PMON is in the tables of arch/x86/pmon   */
    NEED_WIDTH_24 = 1u << 10,  /* MBM counters of 24 bits                                    */
    NEED_RDT_BIT = 1u << 11,   /* CPUID.7.0:EBX[12] alone (leaf 0FH may be blank: EN-01)     */
    NEED_RDT_A_BIT = 1u << 12, /* CPUID.7.0:EBX[15] alone                                    */
    NEED_CLASSES = 1u << 13,   /* RDT-A and some resource of leaf 10H with more than one class */
    NEED_CDP = 1u << 14,       /* PC: 10H.1:ECX[2], with PA                                  */
    NEED_L2_CAT = 1u << 15,    /* 10H.0:EBX[2]                                               */
    NEED_MBA = 1u << 16,       /* PB: 10H.0:EBX[3]                                           */
    NEED_AMD_QOS = 1u << 17,   /* AMD, with Fn8000_0020                                      */
    NEED_AMD_ABMC = 1u << 18,  /* the same with Fn8000_0020.0:EBX[5]                         */
    NEED_PMON = 1u << 19,      /* a part whose uncore boxes are in the tables of arch/x86/pmon  */
    NEED_MP_TRIAL = 1u << 20,  /* firmware's processor services were tried at the start      */
};

/* How much a check disturbs the machine; -skip and the console use it. */
enum check_risk { RISK_NONE, RISK_MSR, RISK_WORKLOAD };

/* The worst that the check may say: rows of grade W in docs/conformance.tsv must not FAIL. */
enum check_grade { GRADE_F, GRADE_W };

struct check;

struct check_row {
    const char *id;      /* "cmt.linearity": family.name, stable for ever                   */
    const char *title;   /* the rule, as a sentence: "Occupancy follows the working set"    */
    const char *spec;    /* specification, section and its title                            */
    const char *rows;    /* rows of docs/conformance.tsv: "CM-03 CM-08"                     */
    const char *catches; /* the defects it is there for, in words                         */
    uint32_t needs;
    enum check_risk risk;
    enum check_grade grade;
    enum verdict (*run)(struct check *c);
    bool about_smis;     /* SMIs are what it looks at: it is not run again because of them */
    bool about_clusters; /* it says so where clusters divide RMIDs by no known rule; others leave those out */
};

struct check_table {
    const struct check_row *rows;
    uint32_t n;
};
/* Every table, in running order; the tables themselves stand in core/checks/ (core/checks/tables.c gathers them). */
extern const struct check_table check_tables[];
extern const uint32_t n_check_tables;

struct report;
struct tools; /* memory arenas, samplers and PMON boxes that checks share: core/machine/tools.h */

struct spread;

/* Findings that wait until the engine knows whether the run counts. */
struct held_finding {
    enum verdict verdict;
    const char *symptom; /* of an ERROR */
    char text[512];
};
#define FINDINGS_LISTED 16u
struct held {
    uint32_t n;
    struct held_finding list[FINDINGS_LISTED];
};

struct check {
    const struct check_row *row;
    struct platform *platform;
    struct machine *machine;
    struct tools *tools;
    struct report *report;
    /* engine's book-keeping */
    enum verdict verdict;
    uint32_t n_evidence, n_measurements, n_out_of_bounds, n_series, n_findings;
    uint32_t n_notes;
    uint32_t samples;        /* samples taken (core/check/sample.h)                      */
    uint32_t disturbed;      /* of them, those that had to be taken again          */
    uint32_t throttled;      /* of them, those under a throttle, a power limit or a clock far below the others */
    double slowest, fastest; /* clock of samples, share of the nominal one; 0: not known */
    struct held *held;       /* NULL: findings are written at once                 */
    struct spread *spread;   /* NULL: figures are not kept over the rounds      */
    bool dropped;            /* this attempt does not count: another follows     */
    bool no_erratum;         /* of the next finding alone: none of the part's published defects can be behind it */
    bool factor_explains; /* of the next finding alone: the factor of its RMID's erratum does (core/check/errata.h) */
    char reason[256];     /* of the first finding                             */
};

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

#define NO_BOUND (__builtin_inf())
/* A measured value with its band [lo, hi]; -NO_BOUND and NO_BOUND where a side is open. true: inside. unit in plain
 * words: "bytes", "counts", "Hz", "ratio", "%". where: "" or the thing measured ("L3 domain 0", "cpu 3"). */
bool measure(struct check *c, const char *name, const char *where, double value, const char *unit, double lo,
             double hi);

/* A curve: elements are numbered from 0; x is given as metadata under x_name. At most one series open at a time. */
void series_begin(struct check *c, const char *name, const char *unit, const char *x_name, const char *x_unit);
void series_add(struct check *c, double x, double value);
void series_end(struct check *c);

/* Findings. Each records a diagnosis and returns the verdict so far, so that `return fail(c, ...)` reads well; a check
 * may also call them several times and return c->verdict. After 16 findings further ones are counted, not listed. */
enum verdict fail(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum verdict warn(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum verdict skip(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Assay itself could not measure: names status, processor and register. */
enum verdict cannot_measure(struct check *c, enum status st, uint32_t cpu, const char *what);
/* A line of a table, at most TABLE_COLUMNS wide: shown as it is below the check's line, whatever its verdict. Figures
 * that a machine should read are measured as well. */
#define TABLE_COLUMNS 72u
void table_line(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shown with the result, changes nothing. */
void note(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- what the engine calls --------------------------------------------------------------------------------------- */

/* At most so many are written out per check; the rest is counted, and the report says how many there were. */
#define EVIDENCE_LISTED     256u
#define MEASUREMENTS_LISTED 512u
#define NOTES_LISTED        64u

/* Something is wrong with Assay itself. symptom: a stable word for machines, "assay-check-contradicts-itself". */
enum verdict check_error(struct check *c, const char *symptom, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* run() returned `returned`: hold it to the rules above, settle c->verdict, close an open series, record a PASS. */
void check_close(struct check *c, enum verdict returned);
/* The same in two parts: settle c->verdict, then write what was held back. Or drop it, where the run does not count:
 * the check is a SKIP for this reason, and what it found stays in the log. */
void check_settle(struct check *c, enum verdict returned);
void check_write(struct check *c);
void check_drop(struct check *c, const char *reason);
/* "PASS", "FAIL", "WARN", "SKIP", "ERROR" */
const char *verdict_text(enum verdict v);
