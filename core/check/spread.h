/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/spread.h: the same figures over many rounds (-repeat, -soak): how far each one spreads, and which verdicts
 * change. */
#pragma once
#include "core/check/row.h"

struct spread_figure {
    const struct check_row *row; /* NULL: free                                    */
    char name[64], where[64], unit[16];
    uint64_t hash;
    uint32_t n;
    double min, max, mean, squares; /* squares: sum of squared distances from the mean */
};

struct spread_undo { /* a figure as it was before a value was added */
    struct spread_figure *at, was;
};
#define SPREAD_UNDO 16384u /* values of one attempt at most: more are counted and not kept */

struct spread_tally { /* of one check */
    const struct check_row *row;
    uint32_t verdicts[VERDICT_ERROR + 1];
};

#define SPREAD_FIGURES 16384u /* a power of two; more are counted and not kept */
#define SPREAD_CHECKS  512u

struct spread {
    struct spread_figure *figures; /* [SPREAD_FIGURES], by hash */
    struct spread_tally *tallies;
    struct spread_undo *undo; /* of the attempt under way */
    uint32_t n_undo, n_figures, n_tallies, lost, rounds;
};

/* ST_NO_MEMORY: nothing is kept, and the other calls do nothing. */
MUST_CHECK enum status spread_init(struct spread *s);
void spread_free(struct spread *s);
/* A measurement, and the verdict of a check. */
void spread_add(struct spread *s, const struct check_row *row, const char *name, const char *where, const char *unit,
                double value);
void spread_verdict(struct spread *s, const struct check_row *row, enum verdict v);
/* An attempt begins; and takes back what it added since where it does not count. */
void spread_begin(struct spread *s);
void spread_drop(struct spread *s);
/* The figure, NULL where none was added. */
const struct spread_figure *spread_find(const struct spread *s, const struct check_row *row, const char *name,
                                        const char *where);
/* Standard deviation of the sample; 0 for one value. */
double spread_deviation(const struct spread_figure *f);
