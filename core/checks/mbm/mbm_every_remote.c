/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBM counts of the same read of another package's memory under every RMID: whether each of them tells local from
 * remote. Witness: the NUMA node of the memory, by SRAT, and the bytes read. */
#include "core/check/errata.h"
#include "core/domain/cluster.h"
#include "core/experiment/plateau.h"
#include "core/rmids/rmid_series.h"

#define TOTAL 0u
#define LOCAL 1u

#define REMOTE_BYTES (64 * MIB) /* loads of a run, at most: there may be less memory of other packages */

/* Bands of the ratios, beyond which an RMID is measured again by longer loads. */
static void set_bands(struct rmid_series *s)
{
    double slack = RMID_SERIES_ROUNDING * (double)s->check->machine->domains[s->domain].upscaling_factor;

    slack /= (double)s->piece;
    s->lo[TOTAL] = 1 - BW_SHARE - slack;
    s->hi[TOTAL] = NO_BOUND; /* mbm.every-rmid finds what is counted twice */
    s->lo[LOCAL] = -NO_BOUND;
    s->hi[LOCAL] = REMOTE_MOST + slack;
}

static void judge_rmid(const struct rmid_series *s, uint32_t slot)
{
    double factor = mbm_correction_factor(&s->known, (uint32_t)s->rmid[slot]);
    double total = factor * s->ratio[TOTAL][slot], local = factor * s->ratio[LOCAL][slot];

    enum finding_kind kind = mbm_correction_acts(&s->known, (uint32_t)s->rmid[slot]) ? FINDING_UNUSUAL
                             : local > total / 2 || total < DEAD_SHARE               ? FINDING_FORBIDDEN
                                                                                     : FINDING_EXPECTED;
    enum finding_code code = local > s->hi[LOCAL] ? FOUND_LOCAL_HIGH : total > 0 ? FOUND_TOTAL_LOW : FOUND_TOTAL_ZERO;

    finding(s->check, kind, 0, code, place_rmid(s->domain, (uint32_t)s->rmid[slot]),
            "another package's memory was read, MBM total is %lu %% of it, MBM local %lu %%", rmid_percent(total),
            rmid_percent(local));
}

static enum status judge_series(struct rmid_series *s)
{
    struct check *c = s->check;
    struct flat f = { .x_name = "RMID", .x = s->rmid, .n = s->n_kept, .share = BW_SHARE };
    const char *const names[] = { "MBM total / remote bytes read", "MBM local / remote bytes read" };
    struct plateau p;
    uint32_t bad = 0;
    enum status st = ST_OK;

    for (uint32_t k = TOTAL; k <= LOCAL && st == ST_OK; k++) {
        f.name = names[k];
        f.y = s->ratio[k];
        st = flat_show(c, s->domain, &f, &p);
    }
    for (uint32_t i = 0; i < s->n_kept; i++)
        if (rmid_series_is_out(s, i) && bad++ < RMID_SERIES_NAMED)
            judge_rmid(s, i);
    check_measure(c, "RMIDs that do not tell local from remote reads, or lack them", place_domain(s->domain), bad,
                  "RMIDs", 0, 0);
    excludes(c, "remote reads counted as local under one RMID", 100 * s->hi[LOCAL], "%");
    return st;
}

/* MB-06 */
static enum status mbm_every_remote(struct check *c, uint32_t domain)
{
    struct rmid_series s;

    TRY(rmid_series_open(&s, c, domain));
    if (cluster_of(c, domain, NULL))
        return check_absent(c, "L3 domain %u is a cluster: what it reads of other nodes may be counted by another one",
                            domain);
    s.events[TOTAL] = QM_EVENT_L3_TOTAL;
    s.events[LOCAL] = QM_EVENT_L3_LOCAL;
    s.n_events = 2;
    s.remote = true;
    s.flags = EXPERIMENT_ONCE;
    s.known = errata_mbm_correction(c->machine, domain);
    set_bands(&s);
    TRY(rmid_series_memory(&s, REMOTE_BYTES, false));
    TRY(rmid_series_measure(&s));
    TRY(rmid_series_again(&s));
    return judge_series(&s);
}

static const struct check_row rows[] = {
    { .id = "mbm.every-rmid-remote",
      .title = "Remote reads are excluded from MBM local under every RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .covers = "MB-06",
      .means = "some RMIDs count reads of another package's memory as local, or not at all",
      .next = "the RMIDs in the finding; `mbm.remote`, which reads more under one; `mbm.every-rmid`",
      .run_domain = mbm_every_remote },
};
CHECK_FAMILY(mbm_every_remote, rows, .needs = NEED_TOTAL | NEED_LOCAL | NEED_2_NODES, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .slow = true, .order = 650);
