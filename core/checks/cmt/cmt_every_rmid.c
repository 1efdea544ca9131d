/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy of the same fill under every RMID. Witness: the other RMIDs. */
#include "core/measure/rmid_series.h"

/* Judged against the level of all RMIDs: loads this small are below what T_occ forgives, but all are alike. */
static bool is_off(const struct rmid_series *s, const struct plateau *p, uint32_t i, double *level)
{
    double counts = RMID_SERIES_ROUNDING * (double)s->check->machine->domains[s->domain].upscaling_factor, off;

    *level = i < p->at ? p->level : p->after;
    off = s->y[i] > *level ? s->y[i] - *level : *level - s->y[i];
    return off > OCC_SHARE * *level + counts / (double)s->piece;
}

static void judge_occupancies(struct rmid_series *s, const char *name, uint32_t n, const struct plateau *p)
{
    struct check *c = s->check;
    uint32_t bad = 0;
    char where[32];

    for (uint32_t i = 0; i < n; i++) {
        double level;

        if (is_off(s, p, i, &level) && bad++ < RMID_SERIES_NAMED)
            warn(c, "L3 domain %u, RMID %u: %s is %llu %%, under the other RMIDs %llu %%", s->domain, (unsigned)s->x[i],
                 name, percent_of(s->y[i]), percent_of(level));
    }
    domain_name(s->domain, where);
    measure(c, "RMIDs whose occupancy differs from the others'", where, bad, "RMIDs", 0, 0);
    if (p->stepped)
        warn(c, "%s: from RMID %u on %s is %llu %%, below it %llu %%", where, (unsigned)s->x[p->at], name,
             percent_of(p->after), percent_of(p->level));
}

/* CM-13 */
static enum status cmt_every_rmid(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct rmid_series s;
    struct flat f = { .name = "occupancy / bytes read", .x_name = "RMID", .share = OCC_SHARE };
    struct plateau p;
    enum status st = rmid_series_open(&s, c, domain);
    uint32_t n;

    if (st != ST_OK)
        return st;
    s.events[0] = QM_EVENT_L3_OCCUPANCY;
    s.n_events = 1;
    s.tail = d->l3_inclusive ? 0 : ROUND_DOWN(2 * l2_bytes_of(c));
    st = rmid_series_memory(&s, ROUND_DOWN(d->l3_bytes / 2), false);
    if (st == ST_OK)
        st = rmid_series_measure(&s);
    if (st != ST_OK || s.n_kept == 0)
        return st;
    f.n = s.n_kept;
    f.x = s.rmid;
    f.y = s.ratio[0];
    st = flat_show(c, domain, &f, &p);
    n = rmid_series_judged(&s, 0);
    if (st == ST_OK && n && plateau_find(s.y, n, f.share, &p) == ST_OK)
        judge_occupancies(&s, f.name, n, &p);
    return st;
}

static const struct check_row rows[] = {
    { .id = "cmt.every-rmid",
      .title = "The same fill has the same occupancy under every RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .rows = "CM-13",
      .detects = "a range of RMIDs that reports more or less occupancy; a single broken RMID",
      .means = "occupancy depends on the RMID",
      .next = "the RMID at the step; the erratum named with the finding; `mbm.every-rmid`",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 650,
      .slow = true,
      .run_domain = cmt_every_rmid },
};
CHECK_FAMILY(cmt_every_rmid, rows);
