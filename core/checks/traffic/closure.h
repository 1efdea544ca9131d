/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/traffic/closure.h: one load, and what every monitor counted of it.
 *
 * Each witness says how many bytes the load moved, each may be off by a share of its own. Two agree where the
 * difference is within the sum of their shares. Where all but one agree, that one is reported.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/check/check.h"

struct closure_witness {
    const char *name;
    double bytes; /* below 0: it is not there, or says nothing */
    double share; /* it may be off by this share of its bytes  */
    double floor; /* and by so many bytes: its unit            */
};

/* Whether MBM can be held against memory channels: which memory is whose is known; domain_is_clustered() knows of clusters
 * without an SRAT from then on. Errors: those of traffic_window_homes_known() and cluster_settle_unlisted(). */
MUST_CHECK enum status closure_ready(struct check *c);

enum closure {
    CLOSURE_FEW,   /* fewer than three counted: no majority */
    CLOSURE_AGREE, /* every pair agrees                                      */
    CLOSURE_ALONE, /* all pairs without *alone do                            */
    CLOSURE_SPLIT, /* no single one explains it                              */
};

/* Whether two that both say something agree: their bytes lie no farther apart than share times bytes and floor of each
 * together. The order of the two does not matter. */
bool closure_pair(const struct closure_witness *a, const struct closure_witness *b);
/* What n witnesses say of each other; those with bytes below 0 are left out, and n may be 0. *alone is written on
 * CLOSURE_ALONE: an index. Of two that could be left out, the one farther from the others. */
enum closure closure_judge(const struct closure_witness *w, uint32_t n, uint32_t *alone);
/* Below so many bytes w[i] would disagree with one of the others; 0: however few it said. */
double closure_least(const struct closure_witness *w, uint32_t n, uint32_t i);
/* What to compare the disagreeing one with: the first other that counted, of three or more. */
uint32_t closure_other(const struct closure_witness *w, uint32_t n, uint32_t alone);
