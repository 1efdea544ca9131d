/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clusters of a package that share its RMIDs: XC-12. */
#include "core/measure/cluster_view.h"
#include "core/measure/legacy.h"
#include "core/base/text.h"

/* With sharing on, logical RMID d of cluster k is physical d + k x N / clusters, and a count stands for upscaling
 * factor over clusters. 356688 B.1.2; Linux resctrl. Here an L3 whose nodes do otherwise is a finding, elsewhere a
 * reason to leave it out. */
static bool cluster_scale(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t which = 0;
    const struct cluster_l3 *l3 = cluster_of(c, domain, &which);
    struct test_buffer b;
    struct traffic_part part;
    struct reading r;
    struct experiment e;

    if (l3 == NULL || l3->rule == CLUSTER_NONE)
        return text_format(why, WHY_SIZE, "L3 domain %u has no clusters", domain), false;
    if (l3->rule == CLUSTER_UNKNOWN)
        return text_format(why, WHY_SIZE, "%s", l3->why), false;
    if (l3->rule == CLUSTER_ODD) {
        if (which == 0)
            warn(c, "L3 domain %u on, %u clusters: %s", domain, l3->n, l3->why);
        return true;
    }
    /* Three quarters of its share: L2s must not hold most of it. */
    if (!bench_any(c, domain, 1, c->machine->domains[domain].l3_bytes / 4 * 3, &b, why))
        return false;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r = occupancy_of(domain, b.rmids[0]);
    r.name = "occupancy by the factor of a cluster";
    expect_occupancy(c, &r, (double)b.bytes, 1);
    if (stream_run(c, b.cpu, &part, 1, &r, 1, &e))
        experiment_judge(&e, "a buffer was filled under this RMID, and a count is 1/clusters of the upscaling factor");
    return true;
}

static enum status clusters_ready(struct check *c)
{
    if (!is_intel(c))
        return absent(c, "sub-NUMA clustering that shares RMIDs is Intel's");
    if (!c->machine->srat_present)
        return absent(c, "there is no SRAT to tell clusters by");
    return ST_OK;
}
LEGACY_DOMAIN(cluster_scale)

static const struct check_row rows[] = {
    { .id = "cross.cluster-scale",
      .title = "A cluster's count stands for its share of the upscaling factor",
      .spec = "RDT Architecture Specification 356688, B.1.2 RMID sharing mode; Linux resctrl monitor.c",
      .rows = "XC-12",
      .detects = "a factor that is applied twice, or not at all",
      .means = "packages or clusters of one machine are not alike, or not as enumerated",
      .next = "the packages in the finding: stepping, microcode, fuses; clustering settings",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 810,
      .ready = clusters_ready,
      .run_domain = cluster_scale_status,
      .about_clusters = true },
};
CHECK_FAMILY(clusters, rows);
