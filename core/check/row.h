/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/row.h: a check is one row and one function.
 *
 * The row holds all that the rest of Assay knows of a check: the engine, the reports, the page and the documents read
 * it. A file of core/checks/ ends with its rows and CHECK_FAMILY(), by which the build finds them; nothing else names
 * a check's id.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/verdict.h"

/* Preconditions that the engine tests before it runs a check: core/engine/needs.c says what each is. A missing one is a
 * SKIP that names it. */
enum check_needs {
    NEED_RDT_BIT = 1u << 0,
    NEED_RDT_M = 1u << 1,
    NEED_OCCUPANCY = 1u << 2,
    NEED_TOTAL = 1u << 3,
    NEED_LOCAL = 1u << 4,
    NEED_WIDTH_24 = 1u << 5,
    NEED_RDT_A_BIT = 1u << 6,
    NEED_RDT_A = 1u << 7,
    NEED_CDP = 1u << 8,
    NEED_L2_CAT = 1u << 9,
    NEED_MBA = 1u << 10,
    NEED_CLASSES = 1u << 11,
    NEED_AMD_QOS = 1u << 12,
    NEED_AMD_ABMC = 1u << 13,
    NEED_2_CPUS = 1u << 14,
    NEED_SMT = 1u << 15,
    NEED_2_DOMAINS = 1u << 16,
    NEED_2_NODES = 1u << 17,
    NEED_UBOX = 1u << 18,
    NEED_PMON = 1u << 19,
    NEED_PMI_ASKED = 1u << 20,
    NEED_MP_SELFTEST = 1u << 21,
};

/* How much a check disturbs the machine; -skip and the console use it. */
enum check_risk { RISK_NONE, RISK_MSR, RISK_WORKLOAD };

/* The worst that the check may say: rows of grade W in docs/conformance.tsv must not FAIL. */
enum check_grade { GRADE_F, GRADE_W };

/* What a verdict rests on: what is read is compared with what. Grade limits
 * (core/check/grade.h) and errata (core/check/errata.h) go by this. */
enum check_basis {
    RESTS_ON_REGISTERS = 1u << 0, /* what a register stores, refuses or shows, by the specification's own rule */
    RESTS_ON_TABLES = 1u << 1,    /* CPUID leaves and firmware's tables                                        */
    RESTS_ON_CLASSES = 1u << 2,   /* which classes and masks are enumerated, and how firmware left them          */
    RESTS_ON_OCCUPANCY = 1u << 3, /* how much L3 an RMID is shown to hold                                      */
    RESTS_ON_BANDWIDTH = 1u << 4, /* how many bytes MBM counted                                                */
    RESTS_ON_MASKS = 1u << 5,     /* what capacity masks do to occupancy or misses                             */
    RESTS_ON_THROTTLES = 1u << 6, /* what throttles do to a rate                                               */
    RESTS_ON_UNCORE = 1u << 7,    /* what uncore boxes count                                                   */
};

struct cat_context;
struct check;
struct pmon_session;
struct pmon_unit;
struct qm_domain;

struct check_row {
    const char *id;      /* "cmt.linearity": family.name, stable for ever                       */
    const char *title;   /* the rule: "Occupancy follows the working set"                       */
    const char *spec;    /* specification, section and its title                                */
    const char *covers;  /* rows of the conformance list (docs/conformance.tsv): "CM-03 CM-08"  */
    const char *detects; /* the defects that it is there for; left out: what `means` says       */
    const char *means;   /* what a FAIL (or WARN, where that is the worst) says of the machine  */
    const char *next;    /* what to look at then, in this order                                 */
    uint32_t needs;      /* enum check_needs                                                    */
    enum check_risk risk;
    enum check_grade grade;
    uint32_t rests_on; /* enum check_basis, one or more                                       */
    /* A finding that is expected is a figure outside of a bound of experience: a WARN on a machine without bands of
     * good machines (core/bands/bands.h). Else the specification or arithmetic rules it out, and it is a FAIL there
     * too, as one that is forbidden is of every check. */
    bool by_experience;
    /* A PASS says how small a defect it excludes, by excludes() (core/check/check.h): the verdict rests on a figure of
     * a load and its bounds, not on whether a register holds a value or a bit changes. */
    bool excludes;
    /* The revision of how its figures are measured: 1 more with each change after which they may be others on a sound
     * machine. Bands of another method are not used. */
    uint32_t method;
    /* It judges what stands around monitors: CPUID, firmware's tables, which boxes are there and what firmware left in
     * them, processor services, TSCs. Where such checks alone passed, no monitor was judged. */
    bool no_monitor;
    bool weak;      /* what it reports is unusual, and breaks no rule: the diagnosis names any other WARN before it */
    uint32_t order; /* ascending over a run; see below                                     */
    bool slow;      /* left out by -quick: looks at every RMID, thread, class or box, waits long, or moves many L3s */
    /* Exactly one of the functions run, run_domain, run_cat, run_qm and run_session: core/engine/each.h calls it.
     * ready: once before it, and another status than ST_OK ends the check. */
    enum status (*ready)(struct check *c);
    enum status (*run)(struct check *c);
    enum status (*run_domain)(struct check *c, uint32_t domain); /* for each L3 domain */
    /* The same while capacity masks are the check's to write: core/experiment/cat_context.h. */
    enum status (*run_cat)(struct check *c, uint32_t domain, const struct cat_context *k);
    /* For the registers of each L3 as it is enumerated, whatever its clusters and size. */
    enum status (*run_qm)(struct check *c, struct qm_domain *qm);
    /* For all uncore boxes whose unit is wanted, at once: core/uncore/pmon_session.h. free_running: units whose
     * counters nothing stops among them. */
    bool (*wanted)(const struct pmon_unit *unit);
    bool free_running;
    enum status (*run_session)(struct pmon_session *session);
    /* It judges what the boxes of a package count together: where other software counts on one of them, which is left
     * alone, the others count a part of any load, and the check is a SKIP; where firmware hides one, its FAIL is a WARN. */
    bool sums;
    /* On AMD parts with assignable counters (ABMC), which Linux uses by default there, it is run once more with bandwidth
     * counted by them: core/domain/assigned.h. It reads no more pairs of RMID and event than there are counters. */
    bool assigned;
    bool about_smis; /* SMIs are what it looks at: it is not run again because of them */
    /* The one other domain whose processors or monitors run_domain uses too; `domain` itself: none. Pairs that have an
     * L3 in common are measured one after the other. NULL: it uses none but its own, and all L3s are measured at
     * once. */
    uint32_t (*partner)(struct check *c, uint32_t domain);
    bool about_clusters; /* it says so where clusters divide RMIDs by no known rule; others leave those out */
};

/* Order of a run (row.order): what firmware left and AMD's counters, whose first read says something, 100 to 199;
 * enumeration, tables and records 200 to 299; registers 300 to 399; occupancy 400 to 499; what masks do 500 to 599;
 * bandwidth 600 to 699; what throttles do 700 to 799; packages and clusters 800 to 899; uncore boxes and what several
 * monitors say of one load 900 to 999; firmware's processor services, which a board may hang in, 1000. Rows of the same
 * order run in the order of their files' names and lines. */

/* The rows of a file and what they have in common. `all` gives spec, risk, grade, order, means and next to a row that
 * has none of its own; its needs, rests_on, by_experience, excludes, no_monitor and slow hold for every row, besides
 * the row's own. */
struct check_family {
    const struct check_row *rows;
    uint32_t n;
    struct check_row all;
    struct check_row
        *whole; /* [n] rows with what `all` gives, filled when first asked for; NULL: `all` gives nothing */
};

/* Ends a file of checks: CHECK_FAMILY(mbm, rows, .risk = RISK_WORKLOAD); the build gathers these into check_families[].
 * name: the file's. */
#define CHECK_FAMILY(name, table, ...)                                                                                 \
    static struct check_row whole_##name[sizeof(table) / sizeof(table)[0]];                                            \
    const struct check_family check_family_##name = {                                                                  \
        .rows = table, .n = sizeof(table) / sizeof(table)[0], .all = { __VA_ARGS__ }, .whole = whole_##name            \
    }

/* Every family; made by the build (scripts/gather), the last is NULL. */
extern const struct check_family *const check_families[];

/* The rows in running order: the first for NULL, NULL after the last. */
const struct check_row *check_next(const struct check_row *row);
/* The check of this id, NULL where there is none. */
const struct check_row *check_find(const char *id);
/* Whether the check of this id judges a monitor; false where there is none. */
bool check_is_of_monitor(const char *id);
