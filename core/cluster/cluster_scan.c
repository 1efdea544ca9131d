/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/cluster/cluster_scan.h"

#include <string.h>

#include "core/base/rollover.h"
#include "core/base/text.h"
#include "core/cluster/cluster_silence.h"
#include "core/cluster/cluster_trial.h"
#include "core/domain/domains.h"
#include "core/load/loads.h"
#include "core/load/memory.h"

#define NOWHERE     UINT32_MAX
#define FULL_PASSES 4u
/* Of a share: an L3 that is whole is full, n times a share, but for what background traffic holds. */
#define MORE_THAN_SHARE 1.3
#define READ_TRIES      5u
#define RMIDS_SAID      6u

struct shown {
    uint32_t rmid; /* that counted the fill, NOWHERE: none stands out   */
    uint64_t counts;
    bool to_others; /* a processor of another node reads it as well      */
};

struct scan {
    struct check *check;
    struct cluster_l3 *l3;
    uint32_t domain, n, n_rmids;
    uint32_t passes;                                    /* 0: those of part_fill() */
    uint64_t bytes;                                     /* of a fill              */
    uint32_t cpus[CLUSTERS_MOST];                       /* one of each node       */
    uint32_t fillers[CLUSTERS_MOST][SILENCE_CPUS];      /* that and others of it, NOWHERE after the last */
    uint32_t first[CLUSTERS_MOST], last[CLUSTERS_MOST]; /* free RMIDs of each n-th */
    struct shown shown[CLUSTERS_MOST][CLUSTERS_MOST];   /* [node][n-th]           */
    struct qm_pair *pairs;                              /* [n_rmids], after a fill */
    struct qm_pair *before[2]; /* [n_rmids], before it: as its own node reads them, and another one */
};

/* --- who and under which RMIDs ------------------------------------------------------------------------------------ */

static enum status pick_cpus(struct scan *s)
{
    const struct machine *m = s->check->machine;
    uint32_t nodes[CLUSTERS_MOST], max = m->domains[s->domain].n_cpus;
    uint32_t *cpus = check_alloc(s->check, (max + 1) * sizeof cpus[0]), n;

    if (cpus == NULL)
        return ST_NO_MEMORY;
    n = domain_cpus(s->check, s->domain, cpus, max);
    (void)cluster_nodes(m, s->domain, nodes, CLUSTERS_MOST);
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t found = 0;

        for (uint32_t i = 0; i < SILENCE_CPUS; i++)
            s->fillers[k][i] = NOWHERE;
        for (uint32_t i = 0; i < n && i < max && found < SILENCE_CPUS; i++)
            if (m->cpus[cpus[i]].node == nodes[k])
                s->fillers[k][found++] = cpus[i];
        s->cpus[k] = s->fillers[k][0];
        if (found == 0)
            return check_absent(s->check, "no processor of node %u takes work", nodes[k]);
    }
    return ST_OK;
}

static enum status pick_rmids_of_each(struct scan *s)
{
    uint32_t part = s->n_rmids / s->n;

    for (uint32_t j = 0; j < s->n; j++) {
        s->first[j] = s->last[j] = NOWHERE;
        for (uint32_t rmid = j * part; rmid < (j + 1) * part; rmid++)
            if (!domain_rmid_in_background(s->check, rmid)) {
                s->first[j] = s->first[j] == NOWHERE ? rmid : s->first[j];
                s->last[j] = rmid;
            }
        if (s->first[j] == NOWHERE)
            return check_absent(s->check, "no RMID from %u to %u is free", j * part, (j + 1) * part - 1);
    }
    return ST_OK;
}

/* --- one fill ----------------------------------------------------------------------------------------------------- */

/* Every RMID as this processor reads them. */
static enum status read_all(const struct scan *s, uint32_t cpu, struct qm_pair *pairs)
{
    struct qm_domain q = s->check->tools->qm[s->domain];

    for (uint32_t i = 0; i < s->n_rmids; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_OCCUPANCY };
    q.cpu = cpu;
    return qm_read_many(s->check->platform, &q, pairs, s->n_rmids);
}

/* What an RMID counts more than before the fill: lines that were written back may continue to be counted. */
static uint64_t gained(const struct qm_sample *after, const struct qm_pair *before)
{
    uint64_t had = before->status == ST_OK ? before->sample.counts : 0;

    return after->counts > had ? after->counts - had : 0;
}

/* Processor of another node than k. */
static uint32_t neighbour(const struct scan *s, uint32_t k)
{
    return s->cpus[(k + 1) % s->n];
}

/* The RMID that counted the fill, out of s->pairs. */
static struct shown that_counted(const struct scan *s)
{
    struct shown best = { .rmid = NOWHERE };
    double least = cluster_least_counts(s->check, s->domain, s->bytes);
    uint64_t second = 0;

    for (uint32_t i = 0; i < s->n_rmids; i++) {
        uint64_t counts = gained(&s->pairs[i].sample, &s->before[0][i]);

        if (s->pairs[i].status != ST_OK || domain_rmid_in_background(s->check, i))
            continue;
        if (counts > best.counts) {
            second = best.counts;
            best = (struct shown){ .rmid = i, .counts = counts };
        } else if (counts > second)
            second = counts;
    }
    return (double)best.counts >= least && second * CLUSTER_CLEAR_SHARE <= best.counts
               ? best
               : (struct shown){ .rmid = NOWHERE };
}

/* Every RMID as processors of node k read them, and what stands out as another node reads it. */
static enum status look_at_node(struct scan *s, uint32_t k, struct shown *shown)
{
    struct check *c = s->check;
    struct qm_domain q = c->tools->qm[s->domain];
    struct qm_sample elsewhere;
    enum status st;

    TRY(read_all(s, s->cpus[k], s->pairs));
    q.cpu = s->cpus[k];
    *shown = that_counted(s);
    evidence_swept(c, "occupancy of every RMID of an L3 after a fill by one of its nodes", s->n_rmids);
    if (shown->rmid == NOWHERE)
        return ST_OK;
    evidence_qm_pair(c, &q, &s->pairs[shown->rmid]);
    q.cpu = neighbour(s, k);
    st = qm_read_wait(c->platform, &q, shown->rmid, QM_EVENT_L3_OCCUPANCY, READ_TRIES, &elsewhere, NULL);
    shown->to_others =
        st == ST_OK && gained(&elsewhere, &s->before[1][shown->rmid]) * CLUSTER_CLEAR_SHARE > shown->counts;
    return st;
}

/* A processor of node k fills memory of its node under this RMID; the L3 is empty before. */
static enum status fill_and_look(struct scan *s, uint32_t k, uint32_t rmid, struct shown *shown)
{
    struct check *c = s->check;
    uint32_t bad = 0;
    struct traffic_part parts[CLUSTER_PARTS];
    struct traffic_load load = { .cpu = s->cpus[k] };

    tools_reset(c->tools);
    TRY(cluster_fill(c, s->domain, rmid, s->bytes, s->passes, parts, &load));
    TRY(domain_clean(c, s->domain, &bad));
    TRY(read_all(s, s->cpus[k], s->before[0]));
    TRY(read_all(s, neighbour(s, k), s->before[1]));
    TRY(traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad));
    (void)domain_settle_wait(c, 0);
    return look_at_node(s, k, shown);
}

static bool counts_for_node(const struct scan *s, uint32_t k)
{
    return ANY_OF(j, s->n, s->shown[k][j].rmid != NOWHERE);
}

/* By as many processors of the node as it takes until a fill is counted: one may have an RMID that is ignored. */
static enum status fill_by_node(struct scan *s, uint32_t k)
{
    for (uint32_t i = 0; i < SILENCE_CPUS && s->fillers[k][i] != NOWHERE; i++) {
        s->cpus[k] = s->fillers[k][i];
        for (uint32_t j = 0; j < s->n; j++)
            TRY(fill_and_look(s, k, s->first[j], &s->shown[k][j]));
        if (counts_for_node(s, k))
            break;
    }
    return ST_OK;
}

static enum status fill_all(struct scan *s)
{
    for (uint32_t k = 0; k < s->n; k++)
        TRY(fill_by_node(s, k));
    return ST_OK;
}

/* --- what the fills say ------------------------------------------------------------------------------------------- */

/* Each node's fills under RMID r show under r, with r of the first `parts` n-ths of the RMIDs, and to processors of
 * other nodes all of them or none. */
static bool counts_under_own(const struct scan *s, uint32_t parts, bool to_others)
{
    for (uint32_t k = 0; k < s->n; k++)
        if (ANY_OF(j, parts, s->shown[k][j].rmid != s->first[j] || s->shown[k][j].to_others != to_others))
            return false;
    return true;
}

/* The n-th of the RMIDs that counts for node k; NOWHERE: none alone. */
static uint32_t own_part(const struct scan *s, uint32_t k)
{
    uint32_t own = NOWHERE;

    for (uint32_t j = 0; j < s->n; j++) {
        if (s->shown[k][j].rmid == NOWHERE)
            continue;
        if (s->shown[k][j].rmid != s->first[j] || own != NOWHERE)
            return NOWHERE;
        own = j;
    }
    return own;
}

/* Each node has another n-th: its last RMID must count as well. */
static bool are_divided(struct scan *s, enum status *st)
{
    uint32_t part = s->n_rmids / s->n, seen = 0;

    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t own = own_part(s, k);
        struct shown last = { .rmid = NOWHERE };

        if (own == NOWHERE || (seen & 1u << own))
            return false;
        seen |= 1u << own;
        *st = fill_and_look(s, k, s->last[own], &last);
        if (*st != ST_OK || last.rmid != s->last[own])
            return false;
        s->l3->rmids[k] = (struct cluster_rmids){ own * part, own * part, part };
    }
    return true;
}

static bool are_shared(const struct scan *s)
{
    uint32_t part = s->n_rmids / s->n;

    for (uint32_t k = 0; k < s->n; k++) {
        if (s->shown[k][0].rmid != s->first[0] + k * part)
            return false;
        s->l3->rmids[k] = (struct cluster_rmids){ 0, k * part, part };
    }
    return true;
}

static void give_all_rmids(struct scan *s, enum cluster_rule rule)
{
    s->l3->rule = rule;
    s->l3->n = s->n;
    for (uint32_t k = 0; k < s->n; k++)
        s->l3->rmids[k] = (struct cluster_rmids){ 0, 0, s->n_rmids };
}

/* RMIDs count in the whole L3: has each node a share of it? Memory of one node is read until that, or all, is full. */
static enum status settle_common(struct scan *s)
{
    struct check *c = s->check;
    uint64_t l3 = c->machine->domains[s->domain].l3_bytes, left;
    struct shown shown;

    tools_reset(c->tools);
    left = memory_left_any(c, s->cpus[0]);
    s->bytes =
        ROUND_DOWN(left < l3 || left > l3 / 2 * 3 ? l3 / 2 * 3 : left); /* less than the L3 is one of several pieces */
    s->passes = FULL_PASSES;
    TRY(fill_and_look(s, 0, s->first[0], &shown));
    if ((double)shown.counts * c->machine->domains[s->domain].upscaling_factor * s->n > MORE_THAN_SHARE * (double)l3)
        s->l3->rule = CLUSTER_NONE;
    else
        give_all_rmids(s, CLUSTER_COMMON);
    return ST_OK;
}

static bool settle(struct scan *s, enum status *st)
{
    if (counts_under_own(s, 1, true)) {
        *st = settle_common(s);
        return *st == ST_OK;
    }
    if (counts_under_own(s, s->n, false)) {
        give_all_rmids(s, CLUSTER_FOUND);
    } else if (!are_divided(s, st) && (*st != ST_OK || !are_shared(s)))
        return false;
    s->l3->rule = CLUSTER_FOUND;
    s->l3->n = s->n;
    return true;
}

/* --- what a count is worth ---------------------------------------------------------------------------------------- */

/* MBM total of the RMID, of all that was moved until now: counters may be updated some time after a transfer, and a count that was
 * not read for long may lack what is due since the last update. */
static enum status settled_count(const struct scan *s, struct qm_domain *q, uint32_t rmid, struct qm_sample *out)
{
    struct platform *p = s->check->platform;

    TRY(qm_read_wait(p, q, rmid, QM_EVENT_L3_TOTAL, READ_TRIES, out, NULL));
    (void)domain_settle_wait(s->check, 1);
    return qm_read_wait(p, q, rmid, QM_EVENT_L3_TOTAL, READ_TRIES, out, NULL);
}

/* Bytes counted of a cold read by node k, over the bytes read; 0: could not be read. */
static double counted_share(struct scan *s, uint32_t k)
{
    struct check *c = s->check;
    const struct cluster_rmids *own = &s->l3->rmids[k];
    struct qm_domain q = c->tools->qm[s->domain];
    uint32_t free = s->first[0] < own->n ? s->first[0] : 1, bad = 0;
    uint64_t base = 0;
    struct traffic_part part;
    struct traffic_load load = { .cpu = s->cpus[k], .n_parts = 1, .parts = &part };
    struct qm_sample before, after;

    tools_reset(c->tools);
    q.cpu = s->cpus[k];
    q.first_rmid = own->read_first;
    if (memory_scatter_local(c, s->cpus[k], s->bytes, &base) != ST_OK || domain_clean(c, s->domain, &bad) != ST_OK)
        return 0;
    part = part_read(own->tag_first + free, base, s->bytes);
    if (settled_count(s, &q, free, &before) != ST_OK ||
        traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad) != ST_OK ||
        settled_count(s, &q, free, &after) != ST_OK)
        return 0;
    return qm_moved_bytes(&q, before.counts, after.counts) / (double)s->bytes;
}

/* Whether a count is worth the upscaling factor or, as where RMIDs are shared, an n-th of it: n times the bytes would
 * be counted by the whole factor. Of all clusters the one that counts most: another's counters may be dead. */
static uint32_t worth(struct scan *s)
{
    uint32_t factor = s->check->machine->domains[s->domain].upscaling_factor;
    bool bandwidth = reference_rdt(s->check)->total;
    double most = 0;

    for (uint32_t k = 0; k < s->n; k++) {
        double share = 0;

        for (uint32_t j = 0; j < s->n; j++)
            if ((double)s->shown[k][j].counts * factor / (double)s->bytes > share)
                share = (double)s->shown[k][j].counts * factor / (double)s->bytes;
        most = share > most ? share : most;
        share = bandwidth && share < s->n ? counted_share(s, k) : 0; /* which may be late, or find no memory */
        most = share > most ? share : most;
    }
    return s->n && 2 * most > 1 + s->n && factor % s->n == 0 ? s->n : 1;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* Fills by node k that no RMID counts, and what of them is counted most. */
static void say_silent(struct scan *s, uint32_t k, const struct silence *x, uint32_t control)
{
    const struct l3_domain *d = &s->check->machine->domains[s->domain];
    uint32_t nodes[CLUSTERS_MOST], at;
    char *why = s->l3->why;
    const size_t size = sizeof s->l3->why;

    (void)cluster_nodes(s->check->machine, s->domain, nodes, CLUSTERS_MOST);
    at = (uint32_t)text_format(why, size, "L3 domain %u: fills of %lu bytes by node %u under RMID", s->domain, x->bytes,
                               nodes[k]);
    for (uint32_t i = 0; i < x->n_rmids && i < RMIDS_SAID && at < size; i++)
        at += (uint32_t)text_format(why + at, size - at, "%s%u", i ? ", " : " ", x->rmids[i]);
    if (at < size)
        at += (uint32_t)text_format(why + at, size - at,
                                    "%s count under no free RMID, whichever node reads (most: %lu bytes under RMID "
                                    "%u); ",
                                    x->n_rmids > RMIDS_SAID ? " and others" : "", x->most * d->upscaling_factor,
                                    x->most_rmid);
    if (at < size && control < s->n)
        (void)text_format(why + at, size - at, "those by node %u do", nodes[control]);
    else if (at < size)
        (void)text_format(why + at, size - at, "nor do those by any other node");
}

/* Fills of some node that stand out nowhere: whether they are counted under no RMID at all, which no part may show.
 * That fills by another node are counted shows that fills of this size are; where none is, whichever node fills,
 * occupancy that CPUID enumerates is dead. */
static void judge_silence(struct scan *s)
{
    uint32_t control = s->n, dead = s->n, n_dead = 0;
    struct silence of_dead = { .n_rmids = 0 };
    char unsaid[16];

    for (uint32_t k = 0; k < s->n; k++) {
        struct silence x = { .domain = s->domain, .n_nodes = s->n, .bytes = s->bytes };

        if (counts_for_node(s, k)) {
            control = k;
            continue;
        }
        s->l3->uncounted = true;
        memcpy(x.readers, s->cpus, sizeof x.readers);
        while (x.n_cpus < SILENCE_CPUS && s->fillers[k][x.n_cpus] != NOWHERE) {
            x.cpus[x.n_cpus] = s->fillers[k][x.n_cpus];
            x.n_cpus++;
        }
        if (cluster_silence(s->check, &x) != ST_OK)
            check_take_reason(s->check, unsaid, sizeof unsaid);
        else if (x.silent && n_dead++ == 0) {
            dead = k;
            of_dead = x;
        }
    }
    s->l3->broken = n_dead > 0 && (control < s->n || n_dead == s->n);
    s->l3->under_0 =
        n_dead == s->n && of_dead.most_rmid == 0 && of_dead.most >= cluster_least_counts(s->check, s->domain, s->bytes);
    if (s->l3->broken)
        say_silent(s, dead, &of_dead, control);
}

/* A fill that counts under an RMID which is no multiple of an n-th of them away from its own: RMIDs of all, divided or
 * shared by 356688 B.1.2, none are so. */
static bool find_elsewhere(struct scan *s)
{
    uint32_t part = s->n_rmids / s->n;

    for (uint32_t k = 0; k < s->n; k++)
        for (uint32_t j = 0; j < s->n; j++) {
            uint32_t rmid = s->shown[k][j].rmid;

            if (rmid == NOWHERE || rmid % part == s->first[j] % part)
                continue;
            text_format(s->l3->why, sizeof s->l3->why,
                        "L3 domain %u: a fill under RMID %u in its node %u counts under RMID %u", s->domain,
                        s->first[j], k, rmid);
            return true;
        }
    return false;
}

static void say_unsettled(struct scan *s, enum status st)
{
    struct cluster_l3 *l3 = s->l3;
    char shown[96];
    uint32_t at = 0;

    if (st != ST_OK) {
        cluster_untried(s->check, l3, st);
        return;
    }
    for (uint32_t k = 0; k < s->n && at < sizeof shown; k++)
        at += s->shown[k][0].rmid == NOWHERE
                  ? text_format(shown + at, sizeof shown - at, "%snone", k ? ", " : "")
                  : text_format(shown + at, sizeof shown - at, "%s%u", k ? ", " : "", s->shown[k][0].rmid);
    l3->rule = CLUSTER_UNKNOWN;
    text_format(l3->why, sizeof l3->why, "L3 domain %u: fills under RMID %u by its %u nodes count under RMID %s",
                s->domain, s->first[0], s->n, shown);
    l3->elsewhere = find_elsewhere(s);
    if (!l3->elsewhere)
        judge_silence(s);
}

void cluster_scan(struct check *c, uint32_t domain, struct cluster_l3 *l3)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct scan s = { .check = c, .l3 = l3, .domain = domain, .n = l3->n_scan, .n_rmids = d->max_rmid + 1 };
    enum status st;

    s.bytes = ROUND_DOWN(d->l3_bytes / s.n / 4 * 3);
    s.pairs = check_alloc(c, 3 * s.n_rmids * sizeof s.pairs[0]);
    if (s.pairs == NULL) {
        cluster_untried(c, l3, ST_NO_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        s.before[i] = s.pairs + (i + 1) * s.n_rmids;
    st = pick_cpus(&s);
    if (st == ST_OK)
        st = pick_rmids_of_each(&s);
    if (st == ST_OK)
        st = fill_all(&s);
    l3->why[0] = '\0';
    if (st != ST_OK || !settle(&s, &st)) {
        say_unsettled(&s, st);
        return;
    }
    if (l3->rule == CLUSTER_FOUND)
        l3->divisor = worth(&s);
}
