/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/grade.h"

#include <stddef.h>

/* Family 6 model 55H is Skylake-SP up to stepping 4, Cascade Lake-SP and Cooper Lake-SP above. */
static bool is_skylake_model(const struct cpu_identity *id)
{
    return id->vendor == VENDOR_INTEL && id->family == 6 && id->model == 0x55;
}

/* Sub-NUMA clustering shows as an L3 whose processors sit on several nodes, be its clusters domains of their own
 * or not. */
enum grade_clusters grade_clusters_by_nodes(const struct machine *m)
{
    if (!m->srat_present)
        return CLUSTERS_NONE;
    for (uint32_t i = 1; i < m->n_cpus; i++) {
        const struct cpu *cpu = &m->cpus[i], *before = &m->cpus[i - 1];
        const struct l3_domain *a, *b;

        if (cpu->domain == NO_DOMAIN || before->domain == NO_DOMAIN || cpu->node == NO_NODE || before->node == NO_NODE)
            continue;
        a = &m->domains[cpu->domain];
        b = &m->domains[before->domain];
        if (cpu->node != before->node && a->package == b->package && a->id == b->id && a->shift == b->shift)
            return CLUSTERS_UNSURE;
    }
    return CLUSTERS_NONE;
}

const char *grade_limit(const struct machine *m, enum grade_clusters clusters, const struct check_row *row,
                        enum finding_kind kind)
{
    const uint32_t figures = RESTS_ON_OCCUPANCY | RESTS_ON_BANDWIDTH | RESTS_ON_MASKS;
    const uint32_t on = row->rests_on & RESTS_ON_UNCORE ? RESTS_ON_UNCORE : row->rests_on;
    const struct cpu_identity *id;

    if (!m->cpus || m->reference >= m->n_cpus)
        return NULL;
    id = &m->cpus[m->reference].id;
    if (m->hypervisor && row->risk != RISK_WORKLOAD)
        return "a hypervisor answers for the hardware (CPUID.1:ECX[31])";
    if ((on & (RESTS_ON_OCCUPANCY | RESTS_ON_BANDWIDTH)) && is_skylake_model(id) && id->stepping <= 4)
        return "monitoring of Skylake-SP up to stepping 4 has known errata";
    if ((on & RESTS_ON_MASKS) && is_skylake_model(id))
        return "cache allocation of Skylake-SP, Cascade Lake-SP and Cooper Lake-SP has known errata";
    if (row->about_clusters && clusters == CLUSTERS_UNSURE && is_skylake_model(id))
        return "Intel has advised against RDT with sub-NUMA clusters on parts before MSR_RMID_SNC_CONFIG (Linux, cover "
               "letter of the series that has commit 67640e333b98)";
    if ((on & figures) && id->vendor == VENDOR_INTEL && clusters == CLUSTERS_UNSURE && !row->about_clusters)
        return "which RMIDs a sub-NUMA cluster has is its generation's own, and no fill has shown it (356688 B.1.2)";
    if (kind == FINDING_FORBIDDEN)
        return NULL;
    if ((on & RESTS_ON_OCCUPANCY) && cpu_is_amd(id))
        return "occupancy is approximate by design (APM vol. 2 chapter 19)";
    if ((on & figures) && id->vendor == VENDOR_INTEL && clusters != CLUSTERS_NONE)
        return "figures of sub-NUMA clusters are less exact (Linux tools/testing/selftests/resctrl/cmt_test.c)";
    return NULL;
}
