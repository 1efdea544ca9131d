/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/cluster.h"

#include <stddef.h>

#include "core/base/search.h"

uint32_t cluster_nodes(const struct machine *m, uint32_t domain, uint32_t *nodes, uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < m->n_nodes; node++)
        for (uint32_t i = 0; i < m->n_cpus; i++)
            if (m->cpus[i].domain == domain && m->cpus[i].node == node) {
                if (n < max)
                    nodes[n] = node;
                n++;
                break;
            }
    return n;
}

const struct cluster_l3 *cluster_of(const struct check *c, uint32_t domain, uint32_t *which)
{
    const struct cluster_view *v = c->state->clusters ? *c->state->clusters : NULL;

    if (v == NULL || c->machine != &v->machine || domain >= v->machine.n_domains)
        return NULL;
    if (which)
        *which = v->domain[domain].which;
    return &v->l3[v->domain[domain].l3];
}

bool cluster_same_l3(const struct check *c, uint32_t a, uint32_t b)
{
    const struct cluster_l3 *of = cluster_of(c, a, NULL);

    return a == b || (of != NULL && of == cluster_of(c, b, NULL));
}

bool cluster_common(const struct check *c, uint32_t a, uint32_t b)
{
    const struct cluster_l3 *of = cluster_of(c, a, NULL);

    return of != NULL && of->rule == CLUSTER_COMMON && cluster_same_l3(c, a, b);
}

enum status cluster_rmids_known(struct check *c, uint32_t domain)
{
    const struct cluster_l3 *of = cluster_of(c, domain, NULL);

    return of && of->why[0] != '\0' && !of->silent ? check_absent(c, "%s", of->why) : ST_OK;
}

static enum grade_clusters known_by(enum cluster_rule rule)
{
    if (rule == CLUSTER_UNKNOWN || rule == CLUSTER_ODD)
        return CLUSTERS_UNSURE;
    return rule == CLUSTER_NONE ? CLUSTERS_NONE : CLUSTERS_SHOWN;
}

enum grade_clusters cluster_known(const struct cluster_view *v)
{
    enum grade_clusters known = CLUSTERS_NONE;

    for (uint32_t i = 0; i < v->n_l3; i++)
        known = grade_clusters_least(known, known_by(v->l3[i].rule));
    return known;
}

enum grade_clusters cluster_known_in(const struct check *c, uint32_t domain)
{
    const struct cluster_l3 *l3 = cluster_of(c, domain, NULL);

    return l3 ? known_by(l3->rule) : c->state->clusters_known;
}

bool cluster_is_possible(const struct machine *m)
{
    static const uint32_t models[] = { 0x3F, 0x4F, 0x55, 0x6A, 0x8F, 0xCF, 0xAD, 0xAE, 0xAF, 0xDD };
    const struct cpu_identity *id = &m->cpus[m->reference].id;

    if (id->vendor == VENDOR_INTEL && id->family == 19)
        return true;
    return id->vendor == VENDOR_INTEL && id->family == 6 &&
           ANY_OF(i, sizeof models / sizeof *models, models[i] == id->model);
}

bool domain_is_clustered(const struct check *c, uint32_t domain)
{
    const struct cluster_view *v = c->state->clusters ? *c->state->clusters : NULL;

    return cluster_nodes(c->machine, domain, NULL, 0) > 1 ||
           (v && v->tried && domain < v->n_l3 && v->l3[domain].unlisted);
}
