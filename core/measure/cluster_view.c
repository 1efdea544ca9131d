/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/cluster_view.h"

#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/domains.h"
#include "core/measure/loads.h"
#include "core/measure/memory.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define CLUSTERS_MOST 6u  /* Linux resctrl: 1, 2, 3, 4 or 6 nodes an L3 */
#define CLEAR_SHARE   4u  /* a fill shows where at least so many times as much is counted as elsewhere */
#define SNC_CLASSES   16u /* with more, CA0H is IA32_L3_MASK_16 and not MSR_RMID_SNC_CONFIG (Linux msr-index.h) */

/* --- the register ------------------------------------------------------------------------------------------------- */

/* MSR_RMID_SNC_CONFIG has package scope: any processor of the L3 that takes work will do. Where one is lost in the
 * access another one is used; if that is lost too, no third is. c has the machine, not the view. *cpu: the last that
 * was used. ST_LOST: none takes work. */
static enum status config_access(struct check *c, uint32_t l3, bool write, uint64_t *value, uint32_t *cpu)
{
    enum status st = ST_LOST;

    for (uint32_t tries = 0; tries < 2 && domain_cpus(c, l3, cpu, 1) > 0; tries++) {
        st = write ? msr_write(c->platform, *cpu, MSR_RMID_SNC_CONFIG, *value)
                   : msr_read(c->platform, *cpu, MSR_RMID_SNC_CONFIG, value);
        if (cpu_takes_work(c->platform, *cpu))
            break;
    }
    return st;
}

static enum status config_write(struct check *c, uint32_t l3, uint64_t value)
{
    uint32_t cpu;

    return config_access(c, l3, true, &value, &cpu);
}

/* --- the view ----------------------------------------------------------------------------------------------------- */

/* What every rule needs before a register is written. Leaves l3->n as found, or 1. */
static void look_at_l3(struct check *c, uint32_t domain, struct cluster_l3 *l3)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint32_t n = cluster_nodes(c->machine, domain, NULL, 0), cpu = 0;
    enum status st;

    *l3 = (struct cluster_l3){ .n = 1 };
    if (n < 2)
        return;
    l3->rule = CLUSTER_UNKNOWN;
    if (!is_intel(c) || reference_rdt(c)->l3.clos > SNC_CLASSES) {
        text_format(l3->why, sizeof l3->why,
                    "L3 domain %u spans %u NUMA nodes: how its RMIDs are divided is not documented", domain, n);
        return;
    }
    if (n > CLUSTERS_MOST || n == 5 || (d->max_rmid + 1) % n || d->upscaling_factor % n || d->l3_bytes % n) {
        text_format(
            l3->why, sizeof l3->why,
            "L3 domain %u spans %u NUMA nodes, which do not divide its %u RMIDs, upscaling factor of %u bytes or "
            "%llu bytes",
            domain, n, d->max_rmid + 1, d->upscaling_factor, (unsigned long long)d->l3_bytes);
        return;
    }
    st = config_access(c, domain, false, &l3->config, &cpu);
    if (st != ST_OK)
        text_format(
            l3->why, sizeof l3->why,
            "L3 domain %u spans %u NUMA nodes, and RMIDs cannot be shared: RDMSR MSR_RMID_SNC_CONFIG on cpu %u: %s",
            domain, n, cpu, status_text(st));
    else
        l3->n = n;
}

static uint32_t place_in(const uint32_t *nodes, uint32_t n, uint32_t node)
{
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i] == node)
            return i;
    return 0;
}

/* Domain `at` of the view: cluster k of an L3, and the processors of its node. */
static void add_domain(struct cluster_view *v, const struct machine *m, uint32_t l3, uint32_t k, uint32_t at)
{
    uint32_t n = v->l3[l3].n, nodes[CLUSTERS_MOST], n_cpus = 0;
    struct l3_domain *d = &v->machine.domains[at];

    *d = m->domains[l3];
    (void)cluster_nodes(m, l3, nodes, CLUSTERS_MOST);
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        const struct cpu *cpu = &m->cpus[i];

        if (cpu->domain != l3 || (n > 1 && place_in(nodes, n, cpu->node) != k))
            continue;
        v->machine.cpus[i].domain = at;
        if (n_cpus++ == 0)
            d->cpu = i;
    }
    d->n_cpus = n > 1 ? n_cpus : d->n_cpus;
    d->l3_bytes /= n;
    d->upscaling_factor /= n;
    d->max_rmid = (d->max_rmid + 1) / n - 1;
    v->domain[at] = (struct cluster_domain){ .l3 = l3, .which = k };
    v->tools.qm[at] = (struct qm_domain){
        .index = at,
        .cpu = d->cpu,
        .first_rmid = k * (d->max_rmid + 1),
        .max_rmid = d->max_rmid,
        .upscaling_factor = d->upscaling_factor,
        .counter_width = d->counter_width,
        .overflow_flag = d->overflow_flag,
    };
}

/* By l3[].n. The tables are large enough for every L3 cut as far as its nodes say. */
static void build(struct cluster_view *v, const struct machine *m)
{
    struct l3_domain *domains = v->machine.domains;
    struct cpu *cpus = v->machine.cpus;

    memcpy(cpus, m->cpus, m->n_cpus * sizeof(cpus[0]));
    v->machine = *m;
    v->machine.cpus = cpus;
    v->machine.domains = domains;
    v->machine.n_domains = 0;
    for (uint32_t i = 0; i < m->n_domains; i++)
        for (uint32_t k = 0; k < v->l3[i].n; k++)
            add_domain(v, m, i, k, v->machine.n_domains++);
}

void cluster_view_free(struct cluster_view *v)
{
    if (v == NULL)
        return;
    heap_free(v->machine.domains);
    heap_free(v->machine.cpus);
    heap_free(v->tools.qm);
    heap_free(v->domain);
    heap_free(v->l3);
    heap_free(v);
}

static struct cluster_view *view_new(struct check *c)
{
    const struct machine *m = c->machine;
    struct cluster_view *v = heap_alloc(sizeof *v);
    uint32_t n = 0;

    if (v == NULL)
        return NULL;
    *v = (struct cluster_view){ .n_l3 = m->n_domains, .l3 = heap_alloc(m->n_domains * sizeof(v->l3[0])) };
    for (uint32_t i = 0; v->l3 && i < m->n_domains; i++) {
        look_at_l3(c, i, &v->l3[i]);
        n += v->l3[i].n;
    }
    v->machine.domains = heap_alloc((n + 1) * sizeof(v->machine.domains[0]));
    v->machine.cpus = heap_alloc(m->n_cpus * sizeof(v->machine.cpus[0]));
    v->domain = heap_alloc((n + 1) * sizeof(v->domain[0]));
    v->tools = *c->tools;
    v->tools.machine = &v->machine;
    v->tools.qm = heap_alloc((n + 1) * sizeof(v->tools.qm[0]));
    if (v->l3 && v->machine.domains && v->machine.cpus && v->domain && v->tools.qm) {
        build(v, m);
        return v;
    }
    cluster_view_free(v);
    return NULL;
}

/* --- does the rule hold ------------------------------------------------------------------------------------------- */

/* A processor of one cluster fills part of its share; the counts of each cluster's RMIDs. first: domain of cluster 0.
 */
static enum status cluster_fill(struct check *c, uint32_t first, uint32_t n, uint32_t k, uint64_t counts[CLUSTERS_MOST])
{
    uint64_t base = 0, bytes = ROUND_DOWN(c->machine->domains[first + k].l3_bytes / 4 * 3); /* more than an L2 keeps */
    uint32_t cpu = 0, rmid = 0, bad = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    enum status st;

    tools_reset(c->tools);
    if (!domain_rmids_any(c, first + k, &rmid, 1) || !domain_cpus(c, first + k, &cpu, 1))
        return absent(c, "no free RMID or no processor");
    st = memory_take_local(c, cpu, bytes, &base);
    if (st != ST_OK)
        return st;
    load.cpu = cpu;
    part = part_fill(c, first + k, rmid, base, bytes);
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = domain_clean(c, first + i, &bad);
    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, c->machine->prefetch, &outcome, &bad);
    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        struct qm_domain *q = domain_qm(c, first + i);
        struct qm_sample s = { 0 };

        st = q ? qm_read_wait(c->platform, q, rmid, QM_EVENT_L3_OCCUPANCY, 5, &s, NULL) : ST_LOST;
        if (st != ST_OK)
            continue;
        counts[i] = s.counts;
        evidence_wrmsr(c, q->cpu, IA32_QM_EVTSEL, qm_evtsel_of(q, rmid, QM_EVENT_L3_OCCUPANCY), ST_OK, s.tsc_select);
        evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    }
    return st;
}

/* The one that counted, n where none stands out. */
static uint32_t shows_in(const uint64_t counts[CLUSTERS_MOST], uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (counts[i] > counts[best])
            best = i;
    for (uint32_t i = 0; i < n; i++)
        if (i != best && counts[i] * CLEAR_SHARE > counts[best])
            return n;
    return counts[best] ? best : n;
}

/* Why its rule is not known, where a fill could not be made. */
static void name_untried(struct check *c, struct cluster_l3 *l3, enum status st)
{
    char why[128];

    check_take_reason(c, why, sizeof why);
    l3->rule = CLUSTER_UNKNOWN;
    text_format(l3->why, sizeof l3->why, "whether its clusters share RMIDs could not be determined: %s",
                why[0] ? why : status_text(st));
}

/* Settles l3->rule. first: the domain of its cluster 0. */
static void try_l3(struct check *c, uint32_t first, struct cluster_l3 *l3)
{
    uint32_t own = 0, plain = 0;

    for (uint32_t k = 0; k < l3->n; k++) {
        uint64_t counts[CLUSTERS_MOST] = { 0 };
        enum status st = cluster_fill(c, first, l3->n, k, counts);
        uint32_t at;

        if (st != ST_OK) {
            name_untried(c, l3, st);
            return;
        }
        at = shows_in(counts, l3->n);
        own += at == k;
        plain += at == 0;
        if (at != k && at != 0)
            text_format(
                l3->why, sizeof l3->why,
                "a fill by cluster %u is not counted in its own range of RMIDs: %llu counts there, %llu counts in "
                "that of cluster 0",
                k, (unsigned long long)counts[k], (unsigned long long)counts[0]);
    }
    l3->rule = own == l3->n ? CLUSTER_SHARED : plain == l3->n ? CLUSTER_NONE : CLUSTER_ODD;
    if (l3->rule == CLUSTER_ODD && l3->why[0] == '\0')
        text_format(l3->why, sizeof l3->why, "%u of %u clusters count their fills in their own range of RMIDs", own,
                    l3->n);
    if (l3->rule != CLUSTER_ODD)
        l3->why[0] = '\0';
}

/* --- in and out --------------------------------------------------------------------------------------------------- */

/* Every L3 is tried, whatever becomes of the others. One without a processor that takes work is left out: nothing can
 * be read of it either. */
static enum status share_all(struct check *c, struct cluster_view *v)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < v->n_l3; i++) {
        struct cluster_l3 *l3 = &v->l3[i];

        if (l3->n < 2 || !(l3->config & MSR_RMID_SNC_CONFIG_SPLIT) || domain_cpus(c, i, NULL, 0) == 0)
            continue;
        l3->cleared = true; /* a write that failed may have been done */
        st = status_first(st, config_write(c, i, l3->config & ~MSR_RMID_SNC_CONFIG_SPLIT));
    }
    return st;
}

/* What could not be put back is tried again at the next call, unless no processor of the L3 takes work. */
static enum status config_restore(struct check *c, struct cluster_view *v)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < v->n_l3; i++)
        if (v->l3[i].cleared) {
            enum status written = config_write(c, i, v->l3[i].config);

            v->l3[i].cleared = written != ST_OK && domain_cpus(c, i, NULL, 0) > 0;
            st = status_first(st, written);
        }
    return st;
}

static bool any_spans_nodes(const struct machine *m)
{
    bool spans = false;

    for (uint32_t i = 0; i < m->n_domains; i++)
        spans |= cluster_nodes(m, i, NULL, 0) > 1;
    return spans && m->srat_present;
}

/* In the view, with RMIDs shared: every L3 is tried, and those that are whole after all become one domain again. */
static void try_all(struct check *c, struct cluster_view *v, const struct machine *m)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < m->n_domains; i++) {
        struct cluster_l3 *l3 = &v->l3[i];
        uint32_t n = l3->n;

        if (n > 1)
            try_l3(c, first, l3);
        first += n;
    }
    for (uint32_t i = 0; i < m->n_domains; i++)
        if (v->l3[i].rule == CLUSTER_NONE || v->l3[i].rule == CLUSTER_UNKNOWN)
            v->l3[i].n = 1;
    build(v, m);
}

static void note_domains(struct check *c, const struct cluster_view *v)
{
    for (uint32_t i = 0; i < v->machine.n_domains; i++) {
        const struct cluster_domain *d = &v->domain[i];

        if (d->which == 0 && v->l3[d->l3].rule == CLUSTER_SHARED)
            note(c,
                 "L3 domains %u to %u here are the clusters of L3 %u, which share its RMIDs (MSR_RMID_SNC_CONFIG bit 0 "
                 "is 0 during the check): %u RMIDs and upscaling factor %u bytes each, read at RMID + cluster x %u",
                 i, i + v->l3[d->l3].n - 1, d->l3, v->machine.domains[i].max_rmid + 1,
                 v->machine.domains[i].upscaling_factor, v->machine.domains[i].max_rmid + 1);
    }
}

enum status cluster_enter(struct check *c, struct check *view)
{
    struct cluster_view **v = c->state->clusters;
    enum status st;

    *view = *c;
    if (v == NULL || !any_spans_nodes(c->machine))
        return ST_OK;
    if (*v == NULL)
        *v = view_new(c);
    if (*v == NULL)
        return ST_NO_MEMORY;
    st = share_all(c, *v);
    if (st != ST_OK)
        return status_first(st, config_restore(c, *v));
    view->machine = &(*v)->machine;
    view->tools = &(*v)->tools;
    if (!(*v)->tried)
        try_all(view, *v, c->machine);
    (*v)->tried = true;
    c->state->clusters_known = cluster_known(*v);
    note_domains(c, *v);
    return ST_OK;
}

/* Reads of IA32_QM_CTR through the view count as the machine's. */
static void add_reads(struct cluster_view *v, struct tools *t)
{
    for (uint32_t i = 0; i < v->machine.n_domains; i++) {
        struct qm_domain *from = &v->tools.qm[i], *to = &t->qm[v->domain[i].l3];

        to->samples += from->samples;
        to->msr_operations += from->msr_operations;
        from->samples = from->msr_operations = 0;
    }
}

enum status cluster_leave(struct check *c, const struct check *view)
{
    if (view->machine == c->machine)
        return ST_OK;
    add_reads(*c->state->clusters, c->tools);
    return config_restore(c, *c->state->clusters);
}
