/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/cluster/cluster_unlisted.h: sub-NUMA clusters of an L3 that no SRAT describes, by what its RMIDs count and what
 * stays in it.
 *
 * Without an SRAT no table says which processors and which memory a cluster has, so nothing can be judged per cluster.
 * But that RMIDs are divided shows in a read of one piece of memory, which is home to one cluster: of n clusters the
 * RMIDs of one n-th count it and no others do, and a count is worth the upscaling factor over n, so that n times the
 * bytes are counted. A dead part of the RMIDs does not count the others n times.
 *
 * Where RMIDs count in the whole L3, as on parts before MSR_RMID_SNC_CONFIG, which have two clusters at most, one piece of
 * memory occupies half of the L3 at most (intel-cmt-cat tools/membw/README), and more than that misses when it is read
 * again. Occupancy that counts half of the lines of a whole L3 comes without such misses.
 *
 * Source: RDT Architecture Specification 356688, B.1.2; Linux, arch/x86/kernel/cpu/resctrl/monitor.c,
 * rdt_get_mon_l3_config() (the factor over snc_nodes_per_l3_cache).
 */
#pragma once
#include "core/domain/cluster.h"

/* Whether firmware can cut packages into clusters, and no SRAT says whether it did. */
bool cluster_may_be_unlisted(const struct machine *m);

/* l3->rule becomes CLUSTER_UNKNOWN, with the reason, where this L3, one domain of c->machine, counts or keeps lines as
 * clusters do. Else, and where that could not be measured, nothing is changed. */
void cluster_find_unlisted(struct check *c, uint32_t domain, struct cluster_l3 *l3);
