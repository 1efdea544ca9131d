/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/cluster.h: a machine with sub-NUMA clusters as the checks of behaviour see it: each cluster an L3
 * domain of its own.
 *
 * Where the processors of an L3 are on several nodes, RMIDs are divided between them. By default no document says which
 * cluster has which; with MSR_RMID_SNC_CONFIG bit 0 clear the clusters share them by a published rule: of N RMIDs and n
 * clusters, IA32_PQR_ASSOC takes RMIDs 0 .. N/n - 1, what cluster k counts for RMID r is read as RMID r + k x N/n,
 * and the upscaling factor is divided by n. The memory of a node lives in its cluster's share of the L3, 1/n of its
 * bytes.
 *
 * So the bit is cleared for the time of a check and put back after it, and the check is passed a struct check of its
 * own whose machine and QM domains are copies in which each cluster is a domain: its processors, 1/n of bytes, RMIDs
 * and factor. Every check runs per cluster unchanged. Before that, once in a run, a fill in each cluster shows whether
 * the rule holds: firmware can also make nodes without clusters ("virtual NUMA"), whose L3 is whole. Parts before Ice
 * Lake have no such register: there core/cluster/cluster_scan.h finds each cluster's RMIDs.
 *
 * Source: RDT Architecture Specification 356688, B.1.2 "RMID sharing mode"; Linux,
 * arch/x86/kernel/cpu/resctrl/monitor.c.
 */
#pragma once
#include "core/check/check.h"
#include "core/tools/tools.h"

enum cluster_rule {
    CLUSTER_NONE,    /* one node, or nodes that share the L3 as one                                   */
    CLUSTER_SHARED,  /* the rule above holds                                                          */
    CLUSTER_FOUND,   /* no register shares RMIDs, and fills have shown which each cluster has         */
    CLUSTER_COMMON,  /* each cluster has its share of the bytes, and RMIDs count in all of them together */
    CLUSTER_UNKNOWN, /* several nodes, and how their RMIDs are divided is not known: why says what is missing */
    CLUSTER_ODD,     /* RMIDs that show a fill are others than the rule says: why says which           */
};

#define CLUSTERS_MOST 6u /* Linux resctrl: 1, 2, 3, 4 or 6 nodes an L3 */

struct cluster_rmids {   /* of a cluster                                                */
    uint32_t tag_first;  /* what IA32_PQR_ASSOC takes for its RMID 0                    */
    uint32_t read_first; /* what IA32_QM_EVTSEL takes for it                            */
    uint32_t n;
};

struct cluster_l3 {  /* one L3 of the machine */
    uint32_t n;      /* clusters that it is cut into: 1 where they are CLUSTER_NONE or CLUSTER_UNKNOWN */
    uint32_t n_scan; /* nodes whose RMIDs have to be found by cluster_scan(); 0: none     */
    enum cluster_rule rule;
    bool elsewhere;    /* of CLUSTER_UNKNOWN: a fill is counted under an RMID that by no rule is its own: why */
    bool broken;       /* CLUSTER_ODD, or CLUSTER_UNKNOWN and uncounted: no part may count so, whatever its accuracy  */
    bool uncounted;    /* CLUSTER_UNKNOWN: fills by one of its nodes stand out under no RMID                          */
    bool under_0;      /* the same: what all its nodes fill is counted under RMID 0                                   */
    bool silent;       /* CLUSTER_ODD: no fill is counted anywhere                         */
    uint32_t unlisted; /* CLUSTER_UNKNOWN: so many clusters, and no SRAT that says whose they are: why */
    uint64_t config;   /* of MSR_RMID_SNC_CONFIG, as found                                 */
    bool cleared;      /* bit 0 is at present, or may be                                   */
    uint32_t divisor;  /* of the upscaling factor                                          */
    struct cluster_rmids rmids[CLUSTERS_MOST]; /* [n]                                     */
    char why[256];
};

struct cluster_domain { /* one domain of the view */
    uint32_t l3;        /* index in the machine       */
    uint32_t which;     /* cluster of it, from 0      */
};

struct cluster_view {
    struct machine machine;
    struct tools tools;
    bool tried;                    /* rules are settled; until then L3s are cut as their nodes are */
    uint32_t n_l3;                 /* n_domains of the machine                                     */
    struct cluster_l3 *l3;         /* [n_l3]                                                       */
    struct cluster_domain *domain; /* [machine.n_domains]                                          */
};

/* The L3 that a domain of the view is of, NULL outside of the view; *which, if not NULL, gets the cluster. */
const struct cluster_l3 *cluster_of(const struct check *c, uint32_t domain, uint32_t *which);
/* Whether two domains are clusters of one L3: their RMIDs are read by the same registers. */
bool cluster_same_l3(const struct check *c, uint32_t a, uint32_t b);

/* Whether they also count under the same RMIDs: CLUSTER_COMMON. */
bool cluster_common(const struct check *c, uint32_t a, uint32_t b);

/* ST_OK: which RMIDs count for a domain of the view is known, or nothing counts anywhere. ST_ABSENT: check_absent() has
 * said why it is not. */
MUST_CHECK enum status cluster_rmids_known(struct check *c, uint32_t domain);

/* What findings may say of the machine's clusters: CLUSTERS_NONE where no L3 is cut into any, CLUSTERS_SHOWN where the
 * rule was shown for every one that is. */
enum grade_clusters cluster_known(const struct cluster_view *v);
/* The same of the L3 that a domain of the view is of: another L3 whose rule is not known says nothing of it. Outside of
 * the view it is the machine's. */
enum grade_clusters cluster_known_in(const struct check *c, uint32_t domain);

/* Nodes of the processors of an L3, ascending; at most max are stored. */
uint32_t cluster_nodes(const struct machine *m, uint32_t domain, uint32_t *nodes, uint32_t max);

/* Packages that firmware can cut into clusters: cluster on die of Haswell-EP and Broadwell-EP, SNC of Skylake-SP to Cooper
 * Lake-SP (core/cluster/cluster_scan.h); later parts: Linux arch/x86/kernel/cpu/resctrl/monitor.c, snc_cpu_ids. Granite
 * Rapids-D and Diamond Rapids (family 19) are not in it, and no document says that they have none. */
bool cluster_is_possible(const struct machine *m);

/* Sub-NUMA clusters: processors of more than one node share this L3. RMIDs are then split over the clusters by default
 * (RDT Architecture Specification B.1.2), and no document says which cluster has which range;
 * core/cluster/cluster_view.h has them shared instead, and there each cluster is a domain. Without an SRAT: what
 * cluster_settle_unlisted() has found. */
bool domain_is_clustered(const struct check *c, uint32_t domain);
