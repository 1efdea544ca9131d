/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/rdt/mbm_correction.h: parts whose high RMIDs count memory bandwidth wrong, and by how much.
 *
 * Errata BDF102 (Broadwell server) and SKX99 (Skylake server): above a threshold, which goes by the number of L3 slices
 * in the part, total and local bandwidth are to be multiplied with a factor. The number of slices is that of the RMIDs
 * over 8.
 */
#pragma once
#include "arch/x86/cpu/cpuid.h"

struct mbm_correction {
    const char *erratum; /* NULL: none is known for this part, and nothing is to be corrected */
    uint32_t threshold;  /* the highest RMID that counts right; UINT32_MAX without an erratum  */
    uint32_t millionths; /* what a higher one's count is to be multiplied with                 */
    uint32_t first;      /* the L3's RMID that is called 0: not 0 for a cluster's               */
};

/* What is documented for a part with so many L3 RMIDs (highest RMID + 1). Parts that have the erratum and are in no row
 * of its table have the erratum's name, and factor 1. Source: Linux arch/x86/kernel/cpu/resctrl/monitor.c,
 * mbm_cf_table. */
struct mbm_correction mbm_correction_of(const struct cpu_identity *id, uint32_t n_rmids);
/* Whether this RMID, or cluster's RMID, is above the threshold, and the factor for it. */
bool mbm_correction_acts(const struct mbm_correction *m, uint32_t rmid);
double mbm_correction_factor(const struct mbm_correction *m, uint32_t rmid);
