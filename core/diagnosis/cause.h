/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/cause.h: defects that several checks show at once, as data.
 *
 * A check that fails alone is its own cause: its row says what the machine does wrong. Where one defect makes many checks
 * fail, a row of the tables causes_*.c names it, with what speaks for it and against it. A clue is weighed in hundredths of
 * what is needed to believe a cause (CAUSE_BELIEVED); weights of all clues that hold are added.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/check/finding.h"
#include "core/base/braced.h"

enum clue_kind {
    CLUE_FOUND,   /* the check said FAIL or WARN, and a finding has one of the codes; without codes, any */
    CLUE_PASSED,  /* the check passed                                           */
    CLUE_ONE_CPU, /* the check said FAIL or WARN, and its findings name one processor alone */
    CLUE_ALL,     /* every figure of this name is from lo to hi                 */
    CLUE_LEAST,   /* the least of them is                                       */
    CLUE_MOST,    /* the greatest of them is                                    */
};

#define CLUE_CODES 6u

/* check, text: patterns with * and ?; text: a figure's name. lo, hi: in parts of what was expected. */
struct clue {
    const char *check; /* NULL ends a cause's clues */
    union {
        uint8_t codes[CLUE_CODES]; /* of CLUE_FOUND: enum finding_code, ended by FOUND_OTHER */
        struct {
            const char *text;
            double lo, hi;
        };
    };
    int16_t weight;
    uint8_t kind; /* enum clue_kind */
};
_Static_assert(FINDING_N_CODES <= 256, "a code is a byte");

/* IF_FAILED("mbm.total", 30); IF_FOUND("cmt.alias", 60, COUNTED_ELSEWHERE, OCCUPANCY_HIGH) */
#define IF_FAILED(check_, weight_)           BRACED(.kind = CLUE_FOUND, .check = (check_), .weight = (weight_))
#define CLUE_CODE_1(a)                       FOUND_##a
#define CLUE_CODE_2(a, ...)                  FOUND_##a, CLUE_CODE_1(__VA_ARGS__)
#define CLUE_CODE_3(a, ...)                  FOUND_##a, CLUE_CODE_2(__VA_ARGS__)
#define CLUE_CODE_4(a, ...)                  FOUND_##a, CLUE_CODE_3(__VA_ARGS__)
#define CLUE_CODE_5(a, ...)                  FOUND_##a, CLUE_CODE_4(__VA_ARGS__)
#define CLUE_CODE_6(a, ...)                  FOUND_##a, CLUE_CODE_5(__VA_ARGS__)
#define CLUE_PICK(a, b, c, d, e, f, of, ...) CLUE_CODE_##of
#define CLUE_LIST(...)                       CLUE_PICK(__VA_ARGS__, 6, 5, 4, 3, 2, 1, )(__VA_ARGS__)
/* Every code of a reading that is out of its band (finding_codes.h); OUT_OF_BAND: without the finer band. */
#define OCCUPANCY_OUT_OF_BAND OCCUPANCY_ZERO, OCCUPANCY_LOW, OCCUPANCY_HIGH
#define OCCUPANCY_OFF         OCCUPANCY_OUT_OF_BAND, OCCUPANCY_LOW_FINE, OCCUPANCY_HIGH_FINE
#define TOTAL_OUT_OF_BAND     TOTAL_ZERO, TOTAL_LOW, TOTAL_HIGH
#define TOTAL_OFF             TOTAL_OUT_OF_BAND, TOTAL_LOW_FINE, TOTAL_HIGH_FINE
#define LOCAL_OUT_OF_BAND     LOCAL_ZERO, LOCAL_LOW, LOCAL_HIGH
#define IF_FOUND(check_, weight_, ...)                                                                                 \
    BRACED(.kind = CLUE_FOUND, .check = (check_), .codes = { CLUE_LIST(__VA_ARGS__) }, .weight = (weight_))
#define IF_PASSED(check_, weight_)  BRACED(.kind = CLUE_PASSED, .check = (check_), .weight = (weight_))
#define IF_ONE_CPU(check_, weight_) BRACED(.kind = CLUE_ONE_CPU, .check = (check_), .weight = (weight_))
#define IF_FIGURE(kind_, check_, name_, lo_, hi_, weight_)                                                             \
    BRACED(.kind = (kind_), .check = (check_), .text = (name_), .lo = (lo_), .hi = (hi_), .weight = (weight_))
#define IF_ALL_IN(...)   IF_FIGURE(CLUE_ALL, __VA_ARGS__)
#define IF_LEAST_IN(...) IF_FIGURE(CLUE_LEAST, __VA_ARGS__)
#define IF_MOST_IN(...)  IF_FIGURE(CLUE_MOST, __VA_ARGS__)

#define CAUSE_CLUES    12u /* at most */
#define CAUSE_BELIEVED 55
#define CLUES(...)                                                                                                     \
    (const struct clue[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            .check = NULL                                                                                              \
        }                                                                                                              \
    }

/* What is wrong with what a monitor, a register or a table says. */
enum defect_kind {
    DEFECT_DEAD,
    DEFECT_SCALED,
    DEFECT_ALIASED,
    DEFECT_LEAKING,
    DEFECT_LATE,
    DEFECT_STUCK,
    DEFECT_MISATTRIBUTED,
    DEFECT_ENUMERATED,
    DEFECT_LEFT,
    DEFECT_NARROW,
    DEFECT_UNCHECKED, /* accepts what it has to refuse, or refuses what is legal */
    DEFECT_OTHER,
};
/* "dead", "scaled", ... */
const char *defect_kind_text(enum defect_kind d);

/* Which part of findings' places is at fault: the box, package, L3 domain or processor; the processor; the RMID; the package of
 * the processor. */
enum part_kind { PART_FIRST, PART_CPU, PART_RMID, PART_PACKAGE };

struct cause {
    const char *id;      /* "mbm-total-scaled", stable for ever                                     */
    const char *monitor; /* "MBM total"                                                           */
    enum defect_kind defect;
    const char *says; /* what the machine does wrong: a sentence without its end                  */
    const char *next; /* what to look at                                                          */
    const char *
        repeat; /* where the command of its monitor (repeat.c) does not show it: another, "none: REASON", or ",FIELDS" for the
                           events of the box; else NULL */
    const char *follows;       /* checks whose findings it explains: patterns, separated by blanks */
    uint8_t never[CLUE_CODES]; /* of these checks' findings, what it cannot make: another cause did */
    const char *part;          /* the checks whose findings name the part at fault; NULL: those of its clues */
    enum part_kind names;
    const char *check, *figure; /* how much: the least figure of this name; NULL: not known      */
    const struct clue *clues;   /* CLUES(...) */
};

/* Figures that causes of several files ask: of cmt.linearity, of mbm.gain. */
#define CMT_SLOPE "slope of occupancy over working set"
#define MBM_SLOPE "slope of MBM total over bytes read"

/* How a row begins: { CAUSE("mbm-total-scaled", "MBM total", DEFECT_SCALED), .says = ... }. */
#define CAUSE(id_, monitor_, defect_) .id = (id_), .monitor = (monitor_), .defect = (defect_)

/* Ends a file of causes: CAUSE_FAMILY(mbm, causes); the build gathers these into cause_families[]. */
struct cause_family {
    const struct cause *causes;
    uint32_t n;
};
#define CAUSE_FAMILY(name, table)                                                                                      \
    const struct cause_family cause_family_##name = { table, sizeof(table) / sizeof(table)[0] }
extern const struct cause_family *const cause_families[];
