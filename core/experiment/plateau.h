/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/plateau.h: a series that should be flat, and where it is not.
 *
 * The same load under every RMID, or on every processor, gives a series of ratios that should all be alike. Hardware
 * that treats some of them differently shows a step: everything from one RMID on counts more or less. A single odd one
 * is no step but an outlier. The two are distinguished here, because an engineer looks for them in different places.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/domain/domains.h"

#define PLATEAU_LEAST 3u /* points that make a level of their own */

struct plateau {
    bool stepped;
    size_t at;            /* where it stepped: index of the first point of the second level       */
    double level, after;  /* median of the points before `at`, and from it on; alike without a step */
    size_t outliers;      /* points further than share from the level that they stand on           */
    size_t first_outlier; /* index; n where there is none                                         */
    double lowest, highest;
};

/* y[n] in order. share: the relative distance that still counts as alike, 0.08 for 8 %.
 * A step is where two levels fit the points best (least squares), their medians lie further apart than share, and nine
 * points of ten stand nearer to their own level than to the other.
 * ST_RANGE: none, or a non-number among them. ST_NO_MEMORY. */
MUST_CHECK enum status plateau_find(const double *y, size_t n, double share, struct plateau *p);

/* A series of ratios that should be flat. */
struct flat {
    const char *name;    /* of the series: "MBM total / bytes read" */
    const char *x_name;  /* "RMID", "cpu" */
    const double *x, *y; /* [n], both ascending by x; y: what was measured over what should be */
    uint32_t n;
    double share; /* the distance that is alike, of plateau_find() */
};
/* Reports the series, its minimum and maximum, and in a note at which x it steps. Judges nothing. Errors: it is empty,
 * and check_unmeasured() has said so. */
MUST_CHECK enum status flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p);
