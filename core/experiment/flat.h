/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/flat.h: a series of ratios that should be flat. */
#pragma once
#include "core/base/plateau.h"
#include "core/domain/domains.h"

struct flat {
    const char *name;    /* of the series: "MBM total / bytes read" */
    const char *x_name;  /* "RMID", "cpu" */
    const double *x, *y; /* [n], both ascending by x; y: what was measured over what should be */
    uint32_t n;
    double share; /* the distance that is alike, see core/base/plateau.h */
};
/* Reports the series, its minimum and maximum, and in a note at which x it steps. Judges nothing. Errors: it is empty,
 * and check_unmeasured() has said so. */
MUST_CHECK enum status flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p);
