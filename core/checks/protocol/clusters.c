/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* XC-12: sub-NUMA clusters (SNC) in RMID sharing mode. */
#include "core/measure/cluster.h"
#include "core/measure/monitor.h"

/* In RMID sharing mode logical RMID d of cluster k is physical d + k x N / clusters, and the upscaling factor is
 * that of CPUID over the number of clusters: 356688 B.1.2; Linux resctrl. Here an L3 whose nodes contradict that is
 * a finding, elsewhere a reason to leave it out. */
static enum status check_cluster_scale(struct check *c, uint32_t domain)
{
    uint32_t which = 0;
    const struct cluster_l3 *l3 = cluster_of(c, domain, &which);
    struct test_buffer b;
    struct traffic_part part;
    struct reading r;
    struct experiment e;
    enum status st;

    if (l3 == NULL || l3->rule == CLUSTER_NONE)
        return absent(c, "L3 domain %u has no sub-NUMA clusters", domain);
    if (l3->rule == CLUSTER_UNKNOWN)
        return absent(c, "%s", l3->why);
    if (l3->rule == CLUSTER_ODD) {
        if (which == 0)
            warn(c, "L3 domain %u and the following, %u clusters: %s", domain, l3->n, l3->why);
        return ST_OK;
    }
    /* Three quarters of the cluster's share of the L3: most of it must not fit the L2. */
    st = test_buffer_any(c, domain, 1, c->machine->domains[domain].l3_bytes / 4 * 3, &b);
    if (st != ST_OK)
        return st;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r = occupancy_of(domain, b.rmids[0]);
    r.name = "occupancy by the cluster's upscaling factor";
    expect_occupancy(c, &r, (double)b.bytes, 1);
    st = experiment_stream(c, b.cpu, &part, 1, &r, 1, &e);
    if (st == ST_OK)
        experiment_judge(&e,
                         "a buffer was filled under this RMID, and a count is the upscaling factor over the number of "
                         "clusters");
    return st;
}

static enum status clusters_ready(struct check *c)
{
    if (!is_intel(c))
        return absent(c, "RMID sharing mode of sub-NUMA clusters exists on Intel parts only");
    if (!c->machine->srat_present)
        return absent(c, "ACPI has no SRAT, which tells sub-NUMA clusters apart");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cross.cluster-scale",
      .title = "A cluster's upscaling factor is CPUID's over the number of clusters",
      .spec = "RDT Architecture Specification 356688, B.1.2 RMID sharing mode; Linux resctrl monitor.c",
      .rows = "XC-12",
      .detects = "an upscaling factor that is divided twice, or not at all",
      .means = "occupancy and bandwidth of a sub-NUMA cluster are off by the number of clusters",
      .next = "MSR_RMID_SNC_CONFIG; firmware's SNC setting; stepping and microcode of the package in the finding",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 810,
      .ready = clusters_ready,
      .run_domain = check_cluster_scale,
      .about_clusters = true },
};
CHECK_FAMILY(clusters, rows);
