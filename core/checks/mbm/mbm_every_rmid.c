/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBM counts of the same read under every RMID. Witness: the bytes read. */
#include "core/base/stats.h"
#include "core/check/errata.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/plateau.h"
#include "core/rmids/rmid_peers.h"
#include "core/rmids/rmid_swaps.h"

#define LONGER_RMIDS 8u /* that show whether longer loads are counted right */

static const char *const names[RMID_SERIES_EVENTS] = { "MBM total / bytes read", "MBM local / bytes read" };

/* Of a range lo .. hi of the ratio, after the correction. */
static bool out_of(double ratio, double lo, double hi)
{
    return ratio < lo || ratio > hi;
}

/* Almost nothing, or twice as much. */
static bool never_seen(double ratio)
{
    return ratio < DEAD_SHARE || ratio > 2 - BW_SHARE;
}

/* An erratum's RMIDs may be beyond what is documented: MB-12 of docs/conformance.tsv has grade W. */
static enum finding_kind kind_of(double ratio, bool soft)
{
    return soft ? FINDING_UNUSUAL : never_seen(ratio) ? FINDING_FORBIDDEN : FINDING_EXPECTED;
}

static void judge_rmid(const struct rmid_series *s, uint32_t event, uint32_t rmid, double ratio)
{
    struct reading r = reading_of(names[event], s->domain, rmid, s->events[event]);
    bool soft = mbm_correction_acts(&s->known, rmid);

    r.bytes = ratio;
    finding(s->check, kind_of(ratio, soft), 0, reading_code(&r, s->lo[event]), reading_place(&r), "%s is %lu %%%s",
            r.name, rmid_percent(ratio), soft ? " after the documented correction" : "");
}

/* RMIDs from a step on. Folded onto those below it: they count nothing, and those below count both: a bit is lost, or the
 * clusters of an L3 have the same RMIDs. */
static void judge_step(const struct rmid_series *s, uint32_t event, const struct plateau *p, bool soft)
{
    bool folded = p->after < DEAD_SHARE && p->level > 2 - BW_SHARE;
    bool clusters = grade_clusters_by_nodes(s->check->machine) != CLUSTERS_NONE;

    finding(s->check, kind_of(p->after, soft), 0,
            !folded    ? FOUND_FROM_RMID_ON
            : clusters ? FOUND_FOLDED_RMIDS
                       : FOUND_RMID_BIT_LOST,
            place_rmid(s->domain, (uint32_t)s->x[p->at]), "from this RMID on %s is %lu %%, below it %lu %%",
            names[event], rmid_percent(p->after), rmid_percent(p->level));
}

/* RMIDs out of lo .. hi. *soft: all of them are an erratum's. */
static uint32_t count_out(const struct rmid_series *s, uint32_t n, double lo, double hi, bool *soft)
{
    uint32_t bad = 0;

    *soft = true;
    for (uint32_t i = 0; i < n; i++)
        if (out_of(s->y[i], lo, hi)) {
            bad++;
            *soft &= mbm_correction_acts(&s->known, (uint32_t)s->x[i]);
        }
    return bad;
}

/* Where an RMID lacks half and more of its load: the one that has most of it instead. */
static enum status find_gained(struct rmid_series *s, uint32_t rmid, double ratio)
{
    struct traffic_part part = part_read(rmid, s->base, s->a_run * s->piece);
    struct traffic_load load = { .cpu = s->cpu, .n_parts = 1, .parts = &part };
    struct reading r = reading_total(s->domain, rmid);
    struct experiment e = { .check = s->check, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    return mbm_report_elsewhere(&e, 1 - ratio, true, place_rmid(s->domain, rmid));
}

/* Each ratio against the load, after the correction. A step gets one finding, that names it. */
static enum status judge_ratios(struct rmid_series *s, uint32_t event)
{
    uint32_t n = rmid_series_judged(s, event), bad, named = 0, bit, low = n;
    double lo = s->lo[event], hi = s->hi[event];
    struct plateau p;
    bool soft;

    for (uint32_t i = 0; i < n; i++)
        s->y[i] *= mbm_correction_factor(&s->known, (uint32_t)s->x[i]);
    if (plateau_find(s->y, n, BW_SHARE, &p) != ST_OK)
        return ST_OK;
    bad = count_out(s, n, lo, hi, &soft);
    if (check_measure(s->check, "RMIDs whose count differs from the bytes read, after correction",
                      place_domain(s->domain), bad, "RMIDs", 0, 0))
        return ST_OK;
    bit = p.stepped ? 0 : rmid_series_lost_bit(s, n, DEAD_SHARE);
    if (p.stepped)
        judge_step(s, event, &p, soft);
    else if (bit)
        rmid_series_report_bit(s, kind_of(0, soft), bit, names[event]);
    for (uint32_t i = 0; i < n && named < RMID_SERIES_NAMED; i++) {
        double level = i < p.at ? p.level : p.after, off = stats_distance(s->y[i], level);

        if (!out_of(s->y[i], lo, hi) || (p.stepped && off <= BW_SHARE * level) || (bit & (uint32_t)s->x[i]))
            continue;
        named++;
        judge_rmid(s, event, (uint32_t)s->x[i], s->y[i]);
        low = low == n && s->y[i] < 0.5 ? i : low;
    }
    return event == 0 && low < n ? find_gained(s, (uint32_t)s->x[low], s->y[low]) : ST_OK;
}

static void note_erratum(const struct rmid_series *s)
{
    const struct mbm_correction *k = &s->known;

    if (k->erratum && k->millionths != 1000000)
        check_note(s->check, "%s: counts of the L3's RMIDs above %u are multiplied by %u.%06u before they are judged",
                   k->erratum, k->threshold, k->millionths / 1000000, k->millionths % 1000000);
    else if (k->erratum)
        check_note(s->check, "%s: for this number of RMIDs its correction factor is 1", k->erratum);
}

static enum status judge_event(struct rmid_series *s, uint32_t event)
{
    struct flat f = { .name = names[event], .x_name = "RMID", .x = s->rmid, .y = s->ratio[event], .share = BW_SHARE };
    struct plateau p;

    f.n = s->n_kept;
    TRY(flat_show(s->check, s->domain, &f, &p));
    return judge_ratios(s, event);
}

static void set_bands(struct rmid_series *s)
{
    double slack = RMID_SERIES_ROUNDING * (double)s->check->machine->domains[s->domain].upscaling_factor;
    /* GNR12, SRF42: then other RMIDs with the same load tell how much one may count too much: rmid_peers_judge() */
    bool excess = errata_excess_explains(s->check->machine, s->domain, (double)s->piece);

    slack /= (double)s->piece;
    s->lo[0] = 1 - BW_SHARE - slack;
    s->lo[1] = (1 - BW_SHARE) * LOCAL_LEAST - slack;
    s->hi[0] = s->hi[1] = (excess ? 2 - BW_SHARE : 1 + BW_SHARE) + slack;
}

/* Of all RMIDs alike: what loads of every size show, or what longer streams of all of them take away. */
static bool most_are_out(struct rmid_series *s)
{
    bool out = false;

    for (uint32_t k = 0; k < s->n_events; k++) {
        uint32_t n = rmid_series_judged(s, k);

        for (uint32_t i = 0; i < n; i++)
            s->y[i] *= mbm_correction_factor(&s->known, (uint32_t)s->x[i]);
        out |= out_of(stats_median(s->y, n), s->lo[k], s->hi[k]);
    }
    return out;
}

static void note_scatter(struct rmid_series *s, double scatter)
{
    if (s->n_again)
        check_note(
            s->check,
            "L3 domain %u: loads of %lu KiB scatter by %lu %% (standard deviation); %u RMIDs were measured again by "
            "loads of up to %lu KiB. One RMID that is off by less than %lu %% may not show",
            s->domain, s->piece / 1024, rmid_percent(scatter), s->n_again, s->times_most * s->piece / 1024,
            rmid_percent(BW_SHARE + 2 * scatter));
}

/* Most loads are off: by no more than what their memory is counted, if longer ones of most of a few RMIDs are not. Then
 * RMIDs that read the same memory are each other's measure; else the ratios are of no use. */
static enum status level_by_memory(struct rmid_series *s, bool *leveled)
{
    uint32_t slots[LONGER_RMIDS], n = 0, out = 0;
    enum status st;

    for (uint32_t i = 0; i < s->n_kept && n < LONGER_RMIDS; i++)
        if (!domain_rmid_in_background(s->check, (uint32_t)s->rmid[i]))
            slots[n++] = i;
    s->flags = 0;
    s->settles = 0;
    st = rmid_series_longer(s, slots, n, 1);
    s->flags = EXPERIMENT_ONCE;
    for (uint32_t i = 0; i < n; i++)
        out += rmid_series_is_out(s, slots[i]);
    *leveled = st == ST_OK && 2 * out < n && rmid_series_level(s); /* of some of them it is a finding */
    if (*leveled)
        check_note(
            s->check,
            "L3 domain %u: counts of %lu KiB loads depend on the memory read, and those of longer loads under %u of %u "
            "RMIDs do not: each RMID is judged against those that read the same memory",
            s->domain, s->piece / 1024, n - out, n);
    return st;
}

/* One run of each is enough where nothing is off; what is off is measured again. */
static enum status measure_all(struct rmid_series *s)
{
    bool leveled = true;
    double scatter;

    s->flags = EXPERIMENT_ONCE;
    TRY(rmid_series_measure(s));
    if (most_are_out(s))
        TRY(level_by_memory(s, &leveled));
    if (!leveled) {
        s->flags = 0;
        s->settles = 0;
        TRY(rmid_series_measure(s));
        if (most_are_out(s))
            return ST_OK;
    }
    scatter = rmid_series_scatter(s, 0);
    TRY(rmid_series_again(s));
    note_scatter(s, scatter);
    return ST_OK;
}

/* MB-02, MB-12 */
static enum status mbm_every_rmid(struct check *c, uint32_t domain)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct rmid_series s;

    TRY(rmid_series_open(&s, c, domain));
    s.events[0] = QM_EVENT_L3_TOTAL;
    s.events[1] = QM_EVENT_L3_LOCAL;
    s.n_events = rdt->local && memory_is_local(c, s.cpu) ? 2 : 1;
    s.known = errata_mbm_correction(c->machine, domain);
    set_bands(&s);
    TRY(rmid_series_memory(&s, RMIDS_A_RUN * s.piece, true));
    TRY(measure_all(&s));
    note_erratum(&s);
    for (uint32_t k = 0; k < RMID_SERIES_EVENTS && k < s.n_events; k++)
        TRY(judge_event(&s, k));
    TRY(rmid_peers_judge(&s, names));
    return rmid_swaps_judge(&s);
}

static const struct check_row rows[] = {
    { .id = "mbm.every-rmid",
      .title = "The same read gives the same MBM count under every RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent); Linux resctrl monitor.c, errata BDF102, SKX99",
      .covers = "MB-02 MB-12",
      .detects =
          "a range of RMIDs that counts more or less, beyond what an erratum documents; a single broken RMID; two that "
          "count each other's bytes",
      .means = "MBM counts depend on the RMID",
      .next = "the RMID at the step; the erratum and the correction factor in the note; `cmt.every-rmid`",
      .run_domain = mbm_every_rmid },
};
CHECK_FAMILY(mbm_every_rmid, rows, .needs = NEED_TOTAL, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_BANDWIDTH,
             .by_experience = true, .excludes = true, .slow = true, .order = 650);
