/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/errata.h: published defects of parts, and the checks that see them. */
#pragma once
#include "arch/x86/rdt/mbm_correction.h"
#include "core/check/row.h"
#include "core/machine/machine.h"

enum erratum_figure {
    ERRATUM_ANY,    /* none is published */
    ERRATUM_FACTOR, /* bandwidth of RMIDs above a threshold, off by a factor, and nothing else */
    ERRATUM_EXCESS, /* bandwidth of a footprint below four times the L3 is counted too high: errata_excess_explains() */
};

struct erratum {
    enum cpu_vendor vendor;
    uint32_t family, model;
    uint32_t first_stepping, last_stepping;
    const char *number; /* as its document numbers it; "" where none is published  */
    const char *document;
    const char *defect; /* what the part does                                      */
    uint32_t affects;   /* enum check_basis: a finding of a check that rests on one of these may be this defect */
    enum erratum_figure figure;
};

/* The first erratum of this machine's reference processor that this check may see, from *next on; *next moves past
 * it. NULL: no further one. Begin with *next = 0. */
const struct erratum *errata_of(const struct machine *m, const struct check_row *row, uint32_t *next);
/* What is documented for the RMIDs of an L3, or of a cluster of it. */
struct mbm_correction errata_mbm_correction(const struct machine *m, uint32_t domain);
/* Whether the factor that is documented for this RMID explains a bandwidth: bytes, counted under it, are out of their
 * band lo .. hi, and in it once multiplied. false: the RMID is at or below the threshold, the part has no such erratum,
 * or the figure is off by more, by less or to the other side. Source: arch/x86/rdt/mbm_correction.h. */
bool errata_factor_explains(const struct machine *m, uint32_t domain, uint32_t rmid, double bytes, double lo,
                            double hi);
/* Whether an erratum explains bandwidth that is counted too high, by less than twice, of a load that moved so many bytes. */
bool errata_excess_explains(const struct machine *m, uint32_t domain, double footprint);
/* The table, for documents and tests. */
extern const struct erratum errata[];
extern const uint32_t n_errata;
