/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/cluster/cluster_silence.h: whether fills by the processors of a node are counted under no RMID at all.
 *
 * Where no document says which RMIDs count for a sub-NUMA cluster, one that is not counted says nothing by itself: it
 * may be another cluster's. So of each n-th of the RMIDs, n being the nodes, one RMID of each residue modulo n is
 * tried, by another processor each time: contiguous ranges, interleaved ones and one that all clusters share have at
 * least one of them. After each fill a processor of every node reads every RMID. An RMID that no node can read, or a
 * fill that is spread over RMIDs, leaves the question open.
 */
#pragma once
#include "core/domain/cluster.h"

#define SILENCE_CPUS  4u /* one of them may have an RMID that is ignored */
#define SILENCE_RMIDS (CLUSTERS_MOST * CLUSTERS_MOST)

struct silence {
    /* in: of the L3 as one domain of c->machine */
    uint32_t domain, n_nodes, readers[CLUSTERS_MOST]; /* [n_nodes], a processor of each */
    uint32_t n_cpus, cpus[SILENCE_CPUS];              /* [n_cpus] of the node in question */
    uint64_t bytes;                                   /* of a fill, of memory of that node */
    /* out */
    uint32_t n_rmids, rmids[SILENCE_RMIDS]; /* that were tried */
    uint32_t most_rmid; /* of the most that any RMID showed after any of the fills, in counts: RMID 0 */
    uint64_t most;      /* and others that processors were found with may show strays, or all of it   */
    bool silent;        /* after each fill less is counted under all free RMIDs together than cluster_least_counts() */
};

/* On an error nothing is known. ST_ABSENT, with the reason: no memory of the node, or no free RMID to try. Errors of
 * qm_read_many(), domain_clean() and traffic_run(). */
MUST_CHECK enum status cluster_silence(struct check *c, struct silence *s);
