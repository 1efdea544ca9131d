/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/cluster/cluster_view.h"

#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/cluster/cluster_scan.h"
#include "core/cluster/cluster_trial.h"
#include "core/cluster/cluster_unlisted.h"
#include "core/domain/domains.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define SNC_CLASSES 16u /* with more, CA0H is IA32_L3_MASK_16 and not MSR_RMID_SNC_CONFIG (Linux msr-index.h) */

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

static void whole(struct cluster_l3 *l3, const struct l3_domain *d)
{
    l3->n = l3->divisor = 1;
    l3->rmids[0] = (struct cluster_rmids){ .n = d->max_rmid + 1 };
}

/* RMIDs of the clusters by the rule of sharing: 356688 B.1.2. */
static void share_by_rule(struct cluster_l3 *l3, const struct l3_domain *d, uint32_t n)
{
    uint32_t each = (d->max_rmid + 1) / n;

    l3->n = l3->divisor = n;
    for (uint32_t k = 0; k < n; k++)
        l3->rmids[k] = (struct cluster_rmids){ .read_first = k * each, .n = each };
}

/* Whether MSR_RMID_SNC_CONFIG is there: it begins with Ice Lake, and with more classes its address is that of a mask.
 * ST_OK: l3->config has it. ST_ABSENT: it is not. Other errors: l3->why says why it is not known. */
static enum status has_config(struct check *c, uint32_t domain, struct cluster_l3 *l3)
{
    uint32_t cpu = 0;
    enum status st =
        reference_rdt(c)->l3.clos > SNC_CLASSES ? ST_FAULT : config_access(c, domain, false, &l3->config, &cpu);

    if (st != ST_OK && st != ST_FAULT)
        text_format(l3->why, sizeof l3->why, "L3 domain %u: RDMSR MSR_RMID_SNC_CONFIG on cpu %u: %s", domain, cpu,
                    status_text(st));
    return st == ST_FAULT ? ST_ABSENT : st;
}

/* What every rule needs before a register is written. */
static void look_at_l3(struct check *c, uint32_t domain, struct cluster_l3 *l3)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint32_t n = cluster_nodes(c->machine, domain, NULL, 0);
    enum status st;

    *l3 = (struct cluster_l3){ .n = 1 };
    whole(l3, d);
    if (n < 2)
        return;
    l3->rule = CLUSTER_UNKNOWN;
    if (!reference_is_intel(c)) {
        text_format(l3->why, sizeof l3->why,
                    "L3 domain %u spans %u NUMA nodes: how its RMIDs are divided is not documented", domain, n);
        return;
    }
    if (n > CLUSTERS_MOST || n == 5 || (d->max_rmid + 1) % n || d->l3_bytes % n) {
        text_format(l3->why, sizeof l3->why,
                    "L3 domain %u spans %u NUMA nodes, which do not divide its %u RMIDs or %lu bytes", domain, n,
                    d->max_rmid + 1, d->l3_bytes);
        return;
    }
    st = has_config(c, domain, l3);
    if (st == ST_OK && d->upscaling_factor % n == 0)
        share_by_rule(l3, d, n);
    else if (st == ST_ABSENT)
        l3->n_scan = n;
}

static uint32_t place_in(const uint32_t *nodes, uint32_t n, uint32_t node)
{
    return FIND(i, n, nodes[i] == node, i, 0);
}

/* Domain `at` of the view: cluster k of an L3, and the processors of its node. */
static void add_domain(struct cluster_view *v, const struct machine *m, uint32_t l3, uint32_t k, uint32_t at)
{
    const struct cluster_rmids *rmids = &v->l3[l3].rmids[k];
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
    d->l3_reserved_bytes /= n;
    d->upscaling_factor /= v->l3[l3].divisor;
    d->max_rmid = rmids->n - 1;
    d->first_rmid = rmids->read_first;
    v->domain[at] = (struct cluster_domain){ .l3 = l3, .which = k };
    v->tools.qm[at] = (struct qm_domain){
        .index = at,
        .cpu = d->cpu,
        .first_rmid = d->first_rmid,
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
        n += v->l3[i].n > v->l3[i].n_scan ? v->l3[i].n : v->l3[i].n_scan;
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

/* --- in and out --------------------------------------------------------------------------------------------------- */

/* Every L3 is tried, whatever the outcome of the others. One without a processor that takes work is left out: it cannot
 * be read either. */
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
    bool spans = ANY_OF(i, m->n_domains, cluster_nodes(m, i, NULL, 0) > 1);

    return spans && m->srat_present;
}

/* In the view, with RMIDs shared where a register does that: every L3 is tried, and those that are not divided become
 * one domain again. */
static void try_all(struct check *c, struct cluster_view *v, const struct machine *m)
{
    uint32_t first = 0;

    EACH(struct cluster_l3, l3, v->l3, m->n_domains) {
        uint32_t n = l3->n;

        if (n > 1)
            cluster_try(c, first, l3);
        else if (l3->n_scan)
            cluster_scan(c, first, l3);
        else if (cluster_may_be_unlisted(m))
            cluster_find_unlisted(c, first, l3);
        first += n;
    }
    for (uint32_t i = 0; i < m->n_domains; i++)
        if (v->l3[i].rule == CLUSTER_NONE || v->l3[i].rule == CLUSTER_UNKNOWN)
            whole(&v->l3[i], &m->domains[i]);
    build(v, m);
}

static void note_clusters(struct check *c, const struct cluster_view *v, uint32_t first)
{
    const struct l3_domain *d = &v->machine.domains[first];
    const struct cluster_l3 *l3 = &v->l3[v->domain[first].l3];

    if (l3->rule == CLUSTER_SHARED)
        check_note(c,
                   "L3 domains %u to %u = clusters of L3 %u, which share its RMIDs (MSR_RMID_SNC_CONFIG bit 0 is 0 "
                   "during the check): %u RMIDs and upscaling factor %u bytes each, read at RMID + cluster x %u",
                   first, first + l3->n - 1, v->domain[first].l3, d->max_rmid + 1, d->upscaling_factor,
                   d->max_rmid + 1);
    if (l3->rule == CLUSTER_COMMON)
        check_note(c,
                   "L3 domains %u to %u = clusters of L3 %u: each node's memory fills 1/%u of it, RMIDs count in all "
                   "of it",
                   first, first + l3->n - 1, v->domain[first].l3, l3->n);
    for (uint32_t k = 0; l3->rule == CLUSTER_FOUND && k < l3->n; k++)
        check_note(c, "L3 domain %u = cluster %u of L3 %u; RMIDs %u to %u shown as 0 to %u; upscaling factor %u bytes",
                   first + k, k, v->domain[first].l3, l3->rmids[k].read_first,
                   l3->rmids[k].read_first + l3->rmids[k].n - 1, l3->rmids[k].n - 1, d->upscaling_factor);
}

static void note_domains(struct check *c, const struct cluster_view *v)
{
    for (uint32_t i = 0; i < v->machine.n_domains; i++)
        if (v->domain[i].which == 0)
            note_clusters(c, v, i);
}

/* What IA32_PQR_ASSOC takes for RMID 0 of each processor's cluster; view NULL: RMIDs are the L3's. */
static void tag_by(struct platform *p, const struct cluster_view *v)
{
    for (uint32_t i = 0; i < p->n_cpus; i++)
        p->cpus[i].first_rmid = 0;
    for (uint32_t i = 0; v && i < v->machine.n_cpus && i < p->n_cpus; i++)
        if (v->machine.cpus[i].domain != NO_DOMAIN) {
            const struct cluster_domain *d = &v->domain[v->machine.cpus[i].domain];

            p->cpus[i].first_rmid = v->l3[d->l3].rmids[d->which].tag_first;
        }
}

enum status cluster_enter(struct check *c, struct check *view)
{
    struct cluster_view **v = c->state->clusters;
    enum status st;

    *view = *c;
    if (v == NULL || !(any_spans_nodes(c->machine) || cluster_may_be_unlisted(c->machine)))
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
    if (!any_spans_nodes(c->machine) && ALL_OF(i, (*v)->n_l3, (*v)->l3[i].rule == CLUSTER_NONE)) {
        *view = *c;
        return ST_OK;
    }
    tag_by(c->platform, *v);
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
    tag_by(c->platform, NULL);
    add_reads(*c->state->clusters, c->tools);
    return config_restore(c, *c->state->clusters);
}

enum status cluster_settle_unlisted(struct check *c)
{
    struct check view;

    if (!cluster_may_be_unlisted(c->machine))
        return ST_OK;
    TRY(cluster_enter(c, &view));
    return cluster_leave(c, &view);
}

enum verdict cluster_check(struct check *c, void (*run)(struct check *view, void *context), void *context)
{
    struct check view;
    enum status st = cluster_enter(c, &view);

    if (st == ST_OK) {
        run(&view, context);
        st = cluster_leave(c, &view);
    }
    return st == ST_OK ? check_verdict(c) : check_cannot_measure(c, st, c->platform->bsp, "MSR_RMID_SNC_CONFIG");
}
