/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/cluster/cluster_trial.h: a fill in each sub-NUMA cluster shows whether RMIDs are shared by the rule of
 * core/domain/cluster.h. */
#pragma once
#include "core/domain/cluster.h"
#include "core/load/traffic.h"

#define CLUSTER_CLEAR_SHARE 4u /* a fill shows where at least so many times as much is counted as elsewhere */

#define CLUSTER_PARTS 32u

/* Fewer counts than these are none of a fill of so many bytes: page walks and others leave some under any RMID. */
double cluster_least_counts(const struct check *c, uint32_t domain, uint64_t bytes);

/* A fill of so many bytes of the processor's own memory, in several pieces where that is in many extents: all of them,
 * and that `passes` times (0: as often as part_fill()). parts: [CLUSTER_PARTS]. Errors: those of
 * memory_take_local(). */
MUST_CHECK enum status cluster_fill(struct check *c, uint32_t domain, uint32_t rmid, uint64_t bytes, uint32_t passes,
                                    struct traffic_part *parts, struct traffic_load *load);

/* In the view, with RMIDs shared: settles l3->rule of an L3 that is cut into l3->n domains from `first` on. Where the
 * fill of a cluster shows in another's range of RMIDs, nowhere, or whole in several, l3->broken is set; where no fill
 * shows anywhere l3->silent as well. A cluster whose fills show nowhere is dead, if another one's range shows the
 * rule. */
void cluster_try(struct check *c, uint32_t first, struct cluster_l3 *l3);
/* CLUSTER_UNKNOWN, and why: a fill could not be made. */
void cluster_untried(struct check *c, struct cluster_l3 *l3, enum status st);
