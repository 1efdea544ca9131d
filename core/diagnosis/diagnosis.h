/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/diagnosis.h: causes of the findings of a run.
 *
 * Causes are chosen one after the other: of those in the tables (core/diagnosis/cause.h) that are believed, the one of the
 * greatest weight; where none is, the rule of the first check that failed. What a cause explains is laid aside, and the
 * next one is chosen by what is left.
 */
#pragma once
#include "core/diagnosis/cause.h"
#include "core/check/symptoms.h"

struct machine;
struct parts;

enum confidence { SURE_POSSIBLE, SURE_LIKELY, SURE_CERTAIN };
/* "possible", "likely", "certain" */
const char *confidence_text(enum confidence c);

#define DIAGNOSED_MOST 6u
#define ALTERNATIVES   2u
#define DIAGNOSED_PART 128u

struct diagnosed {
    const struct cause *cause;                 /* NULL: the rule of `row` is broken, and no more is known */
    const struct check_row *row;               /* the check that speaks for it most; never NULL           */
    const char *finding;                       /* its first finding; "" where it was not kept             */
    enum verdict verdict;                      /* the worst of those that it explains: FAIL or WARN       */
    enum confidence sure;                      /* of a WARN likely at most                               */
    char part[DIAGNOSED_PART];                 /* "package 0 iMC 1", "cpu 4 to 7"; "": not known or everywhere */
    char amount[32];                           /* "factor 0.5"; "": not known                             */
    uint32_t n_follow;                         /* checks that it explains, `row` among them               */
    const struct cause *or_else[ALTERNATIVES]; /* that are believed too; NULL: none            */
};

struct diagnosis {
    uint32_t n;
    uint32_t n_left; /* checks that said FAIL or WARN and that no cause of the list explains */
    struct diagnosed list[DIAGNOSED_MOST];
};

/* "mbm-total-scaled", or the id of the check whose rule is broken. */
const char *diagnosed_id(const struct diagnosed *d);
/* "MBM total"; of a rule the check's id. */
const char *diagnosed_monitor(const struct diagnosed *d);
/* What the machine does wrong, a sentence without its end. */
const char *diagnosed_says(const struct diagnosed *d);
/* What to look at. */
const char *diagnosed_next(const struct diagnosed *d);
/* Whether all findings of the check follow from it. */
bool diagnosed_explains(const struct diagnosed *d, const struct symptom *s);

/* The parts at fault, as far as findings have places. m as below. */
void diagnosed_parts(const struct diagnosed *d, const struct symptoms *s, const struct machine *m, struct parts *parts);

/* m may be NULL: parts are not summed up to packages then. Texts in out live as long as s. No checks that said FAIL or WARN: n is 0. */
void diagnosis_run(const struct symptoms *s, const struct machine *m, struct diagnosis *out);
