/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/cluster/cluster_trial.h"

#include "core/base/text.h"
#include "core/domain/domains.h"
#include "core/load/loads.h"
#include "core/load/memory.h"

#define FILL_PIECES 8u

/* More than an L2 keeps. */
static uint64_t trial_bytes(const struct check *c, uint32_t domain)
{
    return ROUND_DOWN(c->machine->domains[domain].l3_bytes / 4 * 3);
}

double cluster_least_counts(const struct check *c, uint32_t domain, uint64_t bytes)
{
    double least = DEAD_SHARE * (double)bytes / c->machine->domains[domain].upscaling_factor;

    return least > 1 ? least : 1;
}

enum status cluster_fill(struct check *c, uint32_t domain, uint32_t rmid, uint64_t bytes, uint32_t passes,
                         struct traffic_part *parts, struct traffic_load *load)
{
    struct memory_piece pieces[FILL_PIECES];
    uint32_t n = 0;
    enum status st = memory_take_pieces(c, load->cpu, bytes, pieces, FILL_PIECES, &n);

    load->parts = parts;
    load->n_parts = 0;
    TRY(st);
    passes = passes ? passes : part_fill(c, domain, rmid, pieces[0].base, bytes).work.passes;
    if (n == 1) {
        parts[load->n_parts++] = part_read(rmid, pieces[0].base, bytes);
        parts[0].work.passes = passes;
        return ST_OK;
    }
    for (uint32_t pass = 0; pass < passes; pass++)
        for (uint32_t i = 0; i < n && load->n_parts < CLUSTER_PARTS; i++)
            parts[load->n_parts++] = part_read(rmid, pieces[i].base, pieces[i].bytes);
    return ST_OK;
}

/* `cpu`, of one cluster, fills part of its share; the counts of each cluster's RMIDs. first: domain of cluster 0. */
static enum status fill_by(struct check *c, uint32_t cpu, uint32_t first, uint32_t n, uint32_t k,
                           uint64_t counts[CLUSTERS_MOST])
{
    uint32_t rmid = 0, bad = 0;
    struct traffic_part parts[CLUSTER_PARTS];
    struct traffic_load load = { .cpu = cpu };
    enum status st;

    tools_reset(c->tools);
    if (!domain_rmids_any(c, first + k, &rmid, 1))
        return check_absent(c, "no free RMID");
    st = cluster_fill(c, first + k, rmid, trial_bytes(c, first + k), 0, parts, &load);
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = domain_clean(c, first + i, &bad);
    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad);
    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        struct qm_domain *q = domain_qm(c, first + i);
        struct qm_sample s = { 0 };

        st = q ? qm_read_wait(c->platform, q, rmid, QM_EVENT_L3_OCCUPANCY, 5, &s, NULL) : ST_LOST;
        if (st == ST_OK) /* the first answer may be of the selection before, which is qm.keyhole's to find */
            st = qm_read_wait(c->platform, q, rmid, QM_EVENT_L3_OCCUPANCY, 5, &s, NULL);
        if (st != ST_OK)
            continue;
        counts[i] = s.counts;
        evidence_qm(c, q, rmid, QM_EVENT_L3_OCCUPANCY, &s);
    }
    return st;
}

/* The one that counted, n where none stands out. */
static uint32_t shows_in(const uint64_t counts[CLUSTERS_MOST], uint32_t n, double least)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (counts[i] > counts[best])
            best = i;
    if (ANY_OF(i, n, i != best && counts[i] * CLUSTER_CLEAR_SHARE > counts[best]))
        return n;
    return (double)counts[best] >= least ? best : n;
}

#define FILLERS 4u /* one of them may have an RMID that is ignored */

/* The same by as many of its processors as it takes until `least` of the fill is counted; *nowhere: none was. */
static enum status trial_fill(struct check *c, uint32_t first, uint32_t n, uint32_t k, double least,
                              uint64_t counts[CLUSTERS_MOST], bool *nowhere)
{
    uint32_t cpus[FILLERS], n_cpus = domain_cpus(c, first + k, cpus, FILLERS);
    enum status st = n_cpus ? ST_OK : check_absent(c, "no processor");

    *nowhere = true;
    for (uint32_t i = 0; i < n_cpus && i < FILLERS && *nowhere && st == ST_OK; i++) {
        st = fill_by(c, cpus[i], first, n, k, counts);
        *nowhere = ALL_OF(j, n, (double)counts[j] < least);
    }
    return st;
}

/* Why its rule is not known, where a fill could not be made. */
void cluster_untried(struct check *c, struct cluster_l3 *l3, enum status st)
{
    char why[128];

    check_take_reason(c, why, sizeof why);
    l3->rule = CLUSTER_UNKNOWN;
    text_format(l3->why, sizeof l3->why, "whether its clusters share RMIDs could not be determined: %s",
                why[0] ? why : status_text(st));
}

struct trial {
    uint64_t counts[CLUSTERS_MOST][CLUSTERS_MOST]; /* [cluster that filled][range] */
    uint32_t at[CLUSTERS_MOST];                    /* the range that shows it, n: none stands out */
    uint32_t own, plain, nowhere; /* clusters whose fills show in their own range, in the first one, in none */
    bool own_later;               /* the first is not the only one that shows in its own */
};

/* Whether no part may show it: the fill in another cluster's range, in no range, or whole in several ranges. A fill
 * that is spread over ranges is none of these. */
static bool is_broken(const struct check *c, uint32_t first, const struct cluster_l3 *l3, const struct trial *t,
                      uint32_t k)
{
    const struct l3_domain *d = &c->machine->domains[first + k];
    double sum, bytes = (double)trial_bytes(c, first + k);

    sum = SUM_OF(double, i, l3->n, (double)t->counts[k][i] * d->upscaling_factor);
    if (t->at[k] < l3->n)
        return t->at[k] != k;
    return sum < DEAD_SHARE * bytes || sum > OCC_TWICE * bytes;
}

static void say_odd(const struct check *c, uint32_t first, struct cluster_l3 *l3, const struct trial *t)
{
    for (uint32_t k = 0; k < l3->n && !l3->broken; k++) {
        uint32_t other = t->at[k] < l3->n ? t->at[k] : k == 0; /* where else to look: the first that is not its own */

        if (t->at[k] == k)
            continue;
        l3->broken = is_broken(c, first, l3, t, k);
        text_format(l3->why, sizeof l3->why,
                    "a fill by cluster %u is not counted in its own range of RMIDs: %lu counts there, %lu counts in "
                    "that of cluster %u",
                    k, t->counts[k][k], t->counts[k][other], other);
    }
}

static enum status trial_of(struct check *c, uint32_t first, const struct cluster_l3 *l3, uint32_t k, struct trial *t)
{
    double least = cluster_least_counts(c, first + k, trial_bytes(c, first + k));
    bool nowhere;
    enum status st = trial_fill(c, first, l3->n, k, least, t->counts[k], &nowhere);
    uint32_t shown = shows_in(t->counts[k], l3->n, least);

    t->at[k] = shown;
    t->own += shown == k;
    t->own_later |= k > 0 && shown == k;
    t->plain += shown == 0;
    t->nowhere += nowhere;
    return st;
}

void cluster_try(struct check *c, uint32_t first, struct cluster_l3 *l3)
{
    struct trial t = { .own = 0 };

    for (uint32_t k = 0; k < l3->n; k++) {
        enum status st = trial_of(c, first, l3, k, &t);

        if (st != ST_OK) {
            cluster_untried(c, l3, st);
            return;
        }
    }
    l3->rule = t.own_later && t.own + t.nowhere == l3->n ? CLUSTER_SHARED
               : t.plain == l3->n                        ? CLUSTER_NONE
                                                         : CLUSTER_ODD;
    l3->silent = t.nowhere == l3->n;
    if (l3->rule == CLUSTER_ODD)
        say_odd(c, first, l3, &t);
}
