/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/grade.h: machines on which a rule may not be held against the hardware. */
#pragma once
#include "core/check/finding.h"
#include "core/check/row.h"
#include "core/machine/machine.h"

/* How far it is known which RMIDs the processors of one L3 count under. */
enum grade_clusters {
    CLUSTERS_NONE,   /* every L3 is whole                                                                          */
    CLUSTERS_SHOWN,  /* sub-NUMA clusters, and a fill by each was counted in the RMIDs that are taken for its own  */
    CLUSTERS_UNSURE, /* processors of an L3 are on several nodes, and no fill has shown which RMIDs these have     */
};

/* The one of two that says less. */
static inline enum grade_clusters grade_clusters_least(enum grade_clusters a, enum grade_clusters b)
{
    return a > b ? a : b;
}

/* What limits a FAIL of this row to a WARN on this machine, in words, or NULL. It goes by what the row's verdict rests
 * on, and some limits are for findings of kind FINDING_EXPECTED alone:
 *   hypervisor (CPUID.1:ECX[31])          everything but workloads
 *   Skylake-SP up to stepping 4           occupancy and bandwidth
 *   Skylake-SP, Cascade Lake-SP, Cooper Lake-SP   what masks do
 *   AMD, Hygon                            occupancy, and what masks do to it: what is expected
 *   Intel with sub-NUMA clusters          occupancy, bandwidth, what masks do: what is expected; everything while clusters
 *                                         are CLUSTERS_UNSURE, but for rows about_clusters, which say why they are
 *   the same, of Skylake-SP to Cooper Lake-SP   rows about_clusters too
 * A row that rests on uncore counts too has a second witness, and keeps its grade.
 * Source: docs/tolerances.md, grade limits; Linux resctrl (quirks of Skylake-SP); APM vol. 2 chapter 19; 356688 B.1.2. */
const char *grade_limit(const struct machine *m, enum grade_clusters clusters, const struct check_row *row,
                        enum finding_kind kind);
/* Before a fill has shown more: CLUSTERS_UNSURE where the processors of some L3 stand on several nodes (SRAT). */
enum grade_clusters grade_clusters_by_nodes(const struct machine *m);
