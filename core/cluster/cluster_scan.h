/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/cluster/cluster_scan.h: which RMIDs each sub-NUMA cluster has, where no register shares them.
 *
 * MSR_RMID_SNC_CONFIG begins with Ice Lake. On the parts before it (cluster-on-die of Haswell and Broadwell, SNC of
 * Skylake and Cascade Lake) no document says which RMIDs count in which cluster. So a processor of each node fills
 * memory of its node under one RMID out of each n-th of the RMIDs, and every RMID is read after each fill:
 *   - fills of all nodes under one RMID of the first n-th show under it, whichever processor reads: RMIDs count in the whole L3.
 * Were they divided or shared, it would count for one node alone; where RMIDs of another n-th are not counted likewise,
 * that is for the checks to find. Whether memory of one node fills more than a share of the L3 says whether it has
 * clusters at all;
 *   - each fill shows under its own RMID, and only to processors of its node: each cluster has all RMIDs for itself;
 *   - the fills of a node show under its own RMID in one n-th, and nowhere in the others: RMIDs are divided;
 *   - a fill under RMID r shows under r + k x N/n: RMIDs are shared by the rule of 356688 B.1.2.
 * Where the fills of a node stand out nowhere, other processors of the node fill, since one may ignore its RMID; where
 * none is counted core/cluster/cluster_silence.h finds out whether they are lost, which no part may show. Anything else
 * stays unknown. 356688 B.1.2 describes the last two for later parts.
 */
#pragma once
#include "core/domain/cluster.h"

/* Settles rule, clusters and RMIDs of an L3 that is one domain of c->machine so far. */
void cluster_scan(struct check *c, uint32_t domain, struct cluster_l3 *l3);
