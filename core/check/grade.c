/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/grade.c: machines on which a rule may not be held against the hardware. Source: docs/tolerances.md,
 * grade limits; Linux resctrl (quirks of Skylake-SP); APM vol. 2 chapter 19. */
#include <string.h>

#include "core/measure/cluster_view.h"
#include "core/engine/engine.h"

static bool in_family(const struct check_row *row, const char *family)
{
    size_t n = strlen(family);

    return strncmp(row->id, family, n) == 0 && row->id[n] == '.';
}

/* Family 6 model 55H is Skylake-SP up to stepping 4, Cascade Lake-SP and Cooper Lake-SP above. */
static bool is_skylake_model(const struct cpu_identity *id)
{
    return id->vendor == VENDOR_INTEL && id->family == 6 && id->model == 0x55;
}

static bool is_skylake_sp(const struct cpu_identity *id)
{
    return is_skylake_model(id) && id->stepping <= 4;
}

/* Sub-NUMA clustering shows as an L3 whose processors sit on several nodes, be its clusters domains of their own
 * (core/measure/cluster_view.h) or not. */
static bool l3_spans_nodes(const struct machine *m)
{
    for (uint32_t i = 1; i < m->n_cpus; i++) {
        const struct cpu *cpu = &m->cpus[i], *before = &m->cpus[i - 1];
        const struct l3_domain *a, *b;

        if (cpu->domain == NO_DOMAIN || before->domain == NO_DOMAIN || cpu->node == NO_NODE || before->node == NO_NODE)
            continue;
        a = &m->domains[cpu->domain];
        b = &m->domains[before->domain];
        if (cpu->node != before->node && a->package == b->package && a->id == b->id && a->shift == b->shift)
            return true;
    }
    return false;
}

/* Nodes alone tell it until a fill has shown what they are. */
static bool has_clusters(const struct machine *m, const struct cluster_view *clusters)
{
    return m->srat_present && (clusters ? cluster_any(clusters) : l3_spans_nodes(m));
}

const char *grade_limit(const struct machine *m, const struct cluster_view *clusters, const struct check_row *row)
{
    const struct cpu_identity *id;
    bool cmt = in_family(row, "cmt"), mbm = in_family(row, "mbm");
    bool cat = (in_family(row, "cat") || in_family(row, "cdp")) && row->risk == RISK_WORKLOAD;

    if (!m->cpus || m->reference >= m->n_cpus)
        return NULL;
    id = &m->cpus[m->reference].id;
    if (m->hypervisor && row->risk != RISK_WORKLOAD)
        return "a hypervisor answers for the hardware (CPUID.1:ECX[31])";
    if ((cmt || mbm) && is_skylake_sp(id))
        return "monitoring of Skylake-SP up to stepping 4 has known errata";
    if (cat && is_skylake_model(id))
        return "cache allocation of Skylake-SP, Cascade Lake-SP and Cooper Lake-SP has known errata";
    if ((cmt || cat) && (id->vendor == VENDOR_AMD || id->vendor == VENDOR_HYGON))
        return "occupancy is approximate by design (APM vol. 2 chapter 19)";
    if ((cmt || mbm || cat) && id->vendor == VENDOR_INTEL && has_clusters(m, clusters))
        return "sub-NUMA clusters share the RMIDs of an L3 by a rule that is their generation's own (356688 B.1.2)";
    return NULL;
}
