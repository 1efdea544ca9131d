/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/symptoms.h: what the checks of a run came to, kept for the diagnosis at its end (core/diagnosis/diagnosis.h).
 *
 * Each check has a verdict, findings, and figures. A figure is kept as the least and the greatest that was measured under
 * its name, in parts of what was expected: of a value with two bounds, of their middle; else as it is.
 */
#pragma once
#include "core/base/status.h"
#include "core/check/finding.h"
#include "core/check/row.h"

#define SYMPTOM_TEXT     160u /* of a finding: as much as readers of a stream keep       */
#define SYMPTOM_NAME     64u
#define SYMPTOM_LISTED   16u /* findings and names of figures that are kept of a check   */
#define SYMPTOM_UNITS    16u /* uncore units that its findings name                      */
#define SYMPTOM_EXCLUDED 3u  /* units */

struct symptom_finding {
    enum verdict verdict;
    enum finding_code code;
    struct place place;
    char text[SYMPTOM_TEXT];
};

struct symptom_unit {
    char name[PLACE_UNIT]; /* "": findings that name none */
    enum verdict worst;
};

struct symptom_figure {
    char name[SYMPTOM_NAME];
    double least, most;
};

struct symptom_excluded {
    char unit[8]; /* "": none is kept */
    double value;
};

struct symptom {
    struct symptom *next;
    const struct check_row *row;
    enum verdict verdict;
    bool unreached;                                      /* a SKIP: the run was stopped before it */
    uint32_t n_findings, n_figures, n_units, n_unlisted; /* n_unlisted: findings that none of those kept is like */
    struct symptom_excluded excluded[SYMPTOM_EXCLUDED];  /* the smallest defects that this run would have found */
    struct symptom_finding findings[SYMPTOM_LISTED];
    struct symptom_figure figures[SYMPTOM_LISTED];
    struct symptom_unit units[SYMPTOM_UNITS];
};

/* All zero is a run of which nothing is known. */
struct symptoms {
    struct symptom *first;
    struct symptom *open; /* of the check that is running */
    bool lost;            /* there was no memory for some check */
    bool stopped;         /* the run, on request: not every check was to come */
    uint32_t n_domains;   /* L3s, or clusters, that checks saw (core/domain/cluster.h); 0: the machine's */
};

/* A check begins, once more in another round: what follows is of it. ST_NO_MEMORY: it is not kept, and the
 * calls below do nothing until the next one begins. */
enum status symptoms_begin(struct symptoms *s, const struct check_row *row);
/* FAIL and WARN are kept: as many as are listed; then those that say of a place what none of these says, as long as others
 * say the same twice. */
void symptoms_found(struct symptoms *s, const struct found *found);
/* lo, hi: its bounds, infinite where there is none. */
void symptoms_measured(struct symptoms *s, const char *name, double value, double lo, double hi);
/* What its PASS excludes (excludes() in core/check/check.h); the first in each unit is kept. */
void symptoms_excluded(struct symptoms *s, double value, const char *unit);
/* The one in this unit; 0: not known. */
double symptom_excludes(const struct symptom *s, const char *unit);
/* The check is over. Of several rounds the worst verdict stands. */
void symptoms_end(struct symptoms *s, enum verdict v);
/* The run was stopped: the check, where nothing is kept of it, was to come. */
void symptoms_unreached(struct symptoms *s, const struct check_row *row);
/* The attempt does not count: what was kept since symptoms_begin() is forgotten. */
void symptoms_drop(struct symptoms *s);
void symptoms_free(struct symptoms *s);

/* Whether the verdict is one that a cause is looked for: FAIL or WARN. */
static inline bool symptom_is_bad(const struct symptom *s)
{
    return s->verdict == VERDICT_FAIL || s->verdict == VERDICT_WARN;
}
