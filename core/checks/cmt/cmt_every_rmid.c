/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy of the same fill under every RMID. Witness: the other RMIDs. */
#include "core/base/search.h"
#include "core/base/stats.h"
#include "core/checks/cmt/occupancies.h"
#include "core/domain/cluster.h"
#include "core/experiment/plateau.h"
#include "core/rmids/rmid_series.h"

#define COMPARED_RMIDS 8u /* of the first cluster: their median is not one broken one's */

static double most_off(const struct rmid_series *s, double level)
{
    double counts = RMID_SERIES_ROUNDING * (double)s->check->machine->domains[s->domain].upscaling_factor;

    return OCC_SHARE * level + counts / (double)s->piece;
}

/* Judged against the level of all RMIDs: loads this small are below what T_occ forgives, but all are alike. */
static bool is_off(const struct rmid_series *s, double ratio, double level)
{
    return stats_distance(ratio, level) > most_off(s, level);
}

static double level_of(const struct plateau *p, uint32_t i)
{
    return i < p->at ? p->level : p->after;
}

/* --- RMIDs that are off, once more -------------------------------------------------------------------------------- */

struct off {
    uint32_t slots[RMID_SERIES_GROUP], n;
    double level[RMID_SERIES_GROUP];
    uint32_t next, judged; /* the slot that is looked at next, and how many before it are not in the background */
};

static bool next_off(const struct rmid_series *s, const struct plateau *p, struct off *o)
{
    for (o->n = 0; o->next < s->n_kept && o->n < RMID_SERIES_GROUP; o->next++) {
        if (domain_rmid_in_background(s->check, (uint32_t)s->rmid[o->next]))
            continue;
        o->level[o->n] = level_of(p, o->judged++);
        if (is_off(s, s->ratio[0][o->next], o->level[o->n]))
            o->slots[o->n++] = o->next;
    }
    return o->n > 0;
}

/* In groups, by the median of repeated runs, until as many as get a finding of their own stay off. */
static enum status measure_off_again(struct rmid_series *s)
{
    uint32_t n = rmid_series_judged(s, 0), stay = 0;
    struct off o = { .next = 0 };
    enum status st = ST_OK;
    struct plateau p;

    if (n == 0 || plateau_find(s->y, n, OCC_SHARE, &p) != ST_OK)
        return ST_OK;
    s->flags = EXPERIMENT_REPEAT;
    while (st == ST_OK && stay < RMID_SERIES_NAMED && next_off(s, &p, &o)) {
        st = rmid_series_longer(s, o.slots, o.n, 1);
        stay += HOW_MANY(i, o.n, is_off(s, s->ratio[0][o.slots[i]], o.level[i]));
    }
    return st;
}

/* Where an RMID lacks half and more of its fill: the one that has most of it instead. */
static enum status find_gained(struct rmid_series *s, uint32_t rmid)
{
    struct check *c = s->check;
    uint32_t bad_cpu = s->cpu, gained = 0, slot = FIND(i, s->n_kept, (uint32_t)s->rmid[i] == rmid, i, 0);
    const struct qm_domain *d = &c->tools->qm[s->domain];
    struct occupancies before, after;
    double most = 0;

    TRY_MEASURE(c, domain_clean(c, s->domain, &bad_cpu), bad_cpu, "WBINVD");
    TRY(occupancies_read(c, s->domain, &before));
    s->flags = EXPERIMENT_ONCE | EXPERIMENT_WARM;
    TRY(rmid_series_longer(s, &slot, 1, 1));
    TRY(occupancies_read(c, s->domain, &after));
    for (uint32_t i = 0; i < after.n; i++) {
        double bytes = occupancies_gained(d, &before, &after, i);

        if (i == rmid || domain_rmid_in_background(c, i) || bytes <= most)
            continue;
        most = bytes;
        gained = i;
    }
    if (2 * most > (double)s->piece)
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTED_ELSEWHERE, place_rmid(s->domain, rmid),
                "RMID %u has at least half of what this one lacks", gained);
    return ST_OK;
}

static enum status judge_occupancies(struct rmid_series *s, const char *name, uint32_t n, const struct plateau *p)
{
    struct check *c = s->check;
    uint32_t bad = 0, bit, low = n;
    double most = 0;

    for (uint32_t i = 0; i < n; i++)
        most = s->y[i] > most ? s->y[i] : most;
    bit = p->stepped ? 0 : rmid_series_lost_bit(s, n, DEAD_SHARE * most);
    if (bit)
        rmid_series_report_bit(s, FINDING_UNUSUAL, bit, name);
    for (uint32_t i = 0; i < n; i++) {
        double level = level_of(p, i);

        if (bit & (uint32_t)s->x[i])
            continue;
        excludes_share(c, "a loss under one RMID", s->y[i], level - most_off(s, level));
        low = low == n && s->y[i] < level / 2 ? i : low;
        if (is_off(s, s->y[i], level) && bad++ < RMID_SERIES_NAMED)
            finding(c, FINDING_UNUSUAL, 0, s->y[i] > level ? FOUND_OCCUPANCY_HIGH : FOUND_RMID_DIFFERS,
                    place_rmid(s->domain, (uint32_t)s->x[i]), "%s is %lu %%, under the other RMIDs %lu %%", name,
                    rmid_percent(s->y[i]), rmid_percent(level));
    }
    check_measure(c, "RMIDs whose occupancy differs from the others'", place_domain(s->domain), bad, "RMIDs", 0, 0);
    if (p->stepped)
        finding(c, FINDING_UNUSUAL, 0, FOUND_FROM_RMID_ON, place_rmid(s->domain, (uint32_t)s->x[p->at]),
                "from this RMID on %s is %lu %%, below it %lu %%", name, rmid_percent(p->after),
                rmid_percent(p->level));
    return low < n ? find_gained(s, (uint32_t)s->x[low]) : ST_OK;
}

static enum status measure_occupancies(struct rmid_series *s, struct check *c, uint32_t domain, uint32_t most)
{
    const struct l3_domain *d = &c->machine->domains[domain];

    TRY(rmid_series_open(s, c, domain));
    s->most = most;
    s->events[0] = QM_EVENT_L3_OCCUPANCY;
    s->n_events = 1;
    s->flags = EXPERIMENT_ONCE;
    s->tail = d->l3_inclusive ? 0 : 2 * ROUND_DOWN(reference_l2_bytes(c));
    TRY(rmid_series_memory(s, ROUND_DOWN(d->l3_bytes / 2) + s->tail / 2, false)); /* an L2's worth stays there */
    return rmid_series_measure(s);
}

/* --- RMIDs of a cluster against those of another ------------------------------------------------------------------ */

static double median_occupancy(struct rmid_series *s)
{
    uint32_t n = rmid_series_judged(s, 0);

    return stats_median(s->y, n);
}

/* Where what empties an L2 is as much as the L3 holds, nothing of a fill is left that could differ. */
static enum status nothing_held(struct check *c, uint32_t domain)
{
    return check_absent(c, "L3 domain %u: almost nothing of each fill is counted under its RMIDs (`cmt.fill`)", domain);
}

/* The first cluster of the same L3, where the two have RMIDs of their own; the domain itself: there is none. */
static uint32_t first_cluster(const struct check *c, uint32_t domain)
{
    return FIND(i, domain, cluster_same_l3(c, i, domain) && !cluster_common(c, i, domain), i, domain);
}

/* All RMIDs of a cluster may be off: those that it has of the L3's are a range. The same fill in the first one says
 * so. */
static enum status compare_clusters(struct check *c, uint32_t domain, uint32_t first, double level)
{
    struct rmid_series s;
    double other;
    enum status st = measure_occupancies(&s, c, first, COMPARED_RMIDS);
    char why[160];

    if (st == ST_ABSENT) { /* what was judged so far stands */
        check_take_reason(c, why, sizeof why);
        check_note(c, "L3 domain %u is not compared with L3 domain %u: %s", domain, first, why);
    }
    if (st != ST_OK)
        return st == ST_ABSENT ? ST_OK : st;
    other = median_occupancy(&s);
    if (level < DEAD_SHARE && other < DEAD_SHARE)
        return nothing_held(c, domain);
    excludes_share(c, "a loss under all RMIDs of a cluster", level, other - most_off(&s, other));
    if (!check_measure(c, "occupancy of the same fill, less that of the first cluster", place_domain(domain),
                       100 * (level - other), "points", -100 * most_off(&s, other), 100 * most_off(&s, other)))
        finding(c, FINDING_UNUSUAL, 0, FOUND_CLUSTER_DIFFERS, place_domain(domain),
                "occupancy of the same fill is %lu %% under its RMIDs, and %lu %% under those of L3 domain %u",
                rmid_percent(level), rmid_percent(other), first);
    return ST_OK;
}

/* CM-13 */
static enum status cmt_every_rmid(struct check *c, uint32_t domain)
{
    struct rmid_series s;
    struct flat f = { .name = "occupancy / bytes read", .x_name = "RMID", .share = OCC_SHARE };
    struct plateau p;
    double level;
    uint32_t n, first = first_cluster(c, domain);
    enum status st;

    TRY(measure_occupancies(&s, c, domain, 0));
    TRY(measure_off_again(&s));
    f.n = s.n_kept;
    f.x = s.rmid;
    f.y = s.ratio[0];
    st = flat_show(c, domain, &f, &p);
    n = rmid_series_judged(&s, 0);
    if (st == ST_OK && plateau_find(s.y, n, f.share, &p) == ST_OK)
        st = judge_occupancies(&s, f.name, n, &p);
    TRY(st);
    level = median_occupancy(&s);
    if (first != domain)
        return compare_clusters(c, domain, first, level);
    return level < DEAD_SHARE ? nothing_held(c, domain) : ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cmt.every-rmid",
      .title = "The same fill has the same occupancy under every RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .covers = "CM-13",
      .detects = "a range of RMIDs that reports more or less occupancy; a single broken RMID",
      .means = "occupancy depends on the RMID",
      .next = "the RMID at the step; the erratum named with the finding; `mbm.every-rmid`",
      .run_domain = cmt_every_rmid },
};
CHECK_FAMILY(cmt_every_rmid, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .slow = true, .order = 650);
