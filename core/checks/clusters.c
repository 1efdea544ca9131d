/* Clusters of a package that share its RMIDs: XC-12. */
#include "arch/x86/rdt_regs.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/text.h"

/* Nodes that the processors of an L3 stand on, and which of them `cpu` is on, from 0. */
static uint32_t clusters(const struct machine *m, uint32_t domain, uint32_t cpu, uint32_t *which)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < m->n_nodes; node++)
        for (uint32_t i = 0; i < m->n_cpus; i++)
            if (m->cpus[i].domain == domain && m->cpus[i].node == node) {
                if (m->cpus[cpu].node == node)
                    *which = n;
                n++;
                break;
            }
    return n;
}

/* With sharing on, logical RMID d of cluster k is physical d + k x N / clusters, and a count stands for upscaling
 * factor over clusters. 356688 B.1.2; Linux resctrl. */
static bool cluster_scale(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *q = domain_qm(c, domain);
    uint64_t config = 0, base = 0, bytes;
    uint32_t cpu = 0, which = 0, n, logical = 0, physical, bad = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    struct qm_sample s = { 0 };
    enum status st;
    char where[48];

    if (!domain_cpus(c, domain, &cpu, 1) || c->machine->cpus[cpu].node == NO_NODE)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor whose node is known", domain), false;
    n = clusters(c->machine, domain, cpu, &which);
    if (n < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u stands on one node: no clusters", domain), false;
    st = msr_read(c->platform, cpu, MSR_RMID_SNC_CONFIG, &config);
    if (st != ST_OK)
        return text_format(why, WHY_SIZE, "cpu %u: RDMSR MSR_RMID_SNC_CONFIG: %s", cpu, status_text(st)), false;
    evidence_msr(c, cpu, MSR_RMID_SNC_CONFIG, config, 0);
    if (config & MSR_RMID_SNC_CONFIG_SPLIT)
        return text_format(
                   why, WHY_SIZE,
                   "L3 domain %u: RMIDs are divided among its %u clusters, and which are whose is not published",
                   domain, n),
               false;
    if (!domain_rmids_any(c, domain, &logical, 1) || logical >= (q->max_rmid + 1) / n)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID below %u", domain, (q->max_rmid + 1) / n), false;
    bytes = c->machine->domains[domain].l3_bytes / n / 4 * 3 / 4096 * 4096; /* L2s must not hold most of it */
    if (!take_local(c, cpu, bytes, &base, why))
        return false;
    physical = logical + which * ((q->max_rmid + 1) / n);
    load.cpu = cpu;
    part = part_fill(c, domain, logical, base, bytes);
    st = domain_clean(c, domain, &bad);
    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, 0, &outcome, &bad);
    if (st == ST_OK)
        st = qm_read_wait(c->platform, q, physical, QM_EVENT_L3_OCCUPANCY, 5, &s, NULL);
    if (st != ST_OK)
        return cannot_measure(c, st, bad, "a fill in a cluster"), true;
    evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    {
        struct reading r = reading_of("occupancy of a cluster", domain, physical, QM_EVENT_L3_OCCUPANCY);
        double counted = (double)qm_bytes(q, s.counts) / n;

        expect_occupancy(c, &r, (double)bytes, 1);
        text_format(where, sizeof where, "L3 domain %u, cluster %u, RMID %u", domain, which, physical);
        if (!measure(c, "occupancy by the factor of a cluster", where, counted, "bytes", r.lo, r.hi))
            warn(c, "%s: %llu bytes were filled under logical RMID %u, the count says %llu", where,
                 (unsigned long long)bytes, logical, (unsigned long long)counted);
    }
    return true;
}

static enum verdict check_cluster(struct check *c)
{
    if (!is_intel(c))
        return skip(c, "sub-NUMA clustering that shares RMIDs is Intel's");
    if (!c->machine->srat_present)
        return skip(c, "there is no SRAT to tell clusters by");
    return each_domain(c, cluster_scale);
}

const struct check_row cluster_checks[] = {
    { .id = "cross.cluster-scale",
      .title = "A cluster's count stands for its share of the upscaling factor",
      .spec = "RDT Architecture Specification 356688, B.1.2; Linux resctrl monitor.c",
      .rows = "XC-12",
      .catches = "a factor that is applied twice, or not at all",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .run = check_cluster,
      .about_clusters = true },
};
