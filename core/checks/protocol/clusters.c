/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* XC-12: sub-NUMA clusters (SNC) in RMID sharing mode. */
#include "core/domain/cluster.h"
#include "core/experiment/fill.h"

static bool is_about(double bytes, double expected)
{
    return bytes > (1 - BW_SHARE) * expected && bytes < (1 + BW_SHARE) * expected;
}

/* How many bytes a count is worth shows in a fill, of which an L3 that is not inclusive may keep a part alone, and in a
 * cold read, of which MBM total counts all. A count that is worth the whole factor is the finding: 1/n of the bytes. */
static void judge_share(struct check *c, const struct reading *r, double bytes, uint32_t n)
{
    bool tight = r->tight_hi > 0;
    double lo = tight ? r->tight_lo : r->lo, hi = tight ? r->tight_hi : r->hi;
    bool total = r->event == QM_EVENT_L3_TOTAL, whole = total && is_about(r->bytes, bytes / n);
    struct place place = place_rmid(r->domain, r->rmid);
    enum finding_kind kind = whole || !reading_may_be(r, r->bytes) ? FINDING_FORBIDDEN : FINDING_UNUSUAL;

    lo = r->never_lo > lo ? r->never_lo : lo;
    excludes_share(c, total ? "a loss" : "a loss of occupancy", r->bytes, lo);
    if (!check_measure(c, r->name, place, r->bytes, "bytes", lo, hi))
        finding(c, kind, 0,
                total && !whole && !is_about(r->bytes, bytes * n) ? reading_code(r, lo) : FOUND_UPSCALING_FACTOR_OFF,
                place, "%s is %lu bytes of %lu bytes, of %u clusters: a count is worth the upscaling factor over %u",
                r->name, (uint64_t)r->bytes, (uint64_t)bytes, n, n);
}

static enum status judge_fill(struct check *c, struct fill *f, uint32_t n)
{
    struct traffic_load load;
    struct reading r = reading_occupancy(f->domain, f->rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    TRY(fill_plan(f));
    load = fill_load(f);
    r.name = "occupancy by the cluster's upscaling factor";
    expect_occupancy(c, &r, (double)f->bytes, 0);
    TRY(fill_measure(&e, f, FILL_BY_SIZE));
    judge_share(c, &r, (double)f->bytes, n);
    return ST_OK;
}

/* Three quarters of the L3, or half of it where what empties an L2 finds no room beside them; 0: nor beside half. */
static uint64_t scale_bytes(const struct check *c, uint32_t domain)
{
    uint64_t l3 = c->machine->domains[domain].l3_bytes;
    uint32_t any = 0;

    for (uint64_t quarters = 3; quarters >= 2; quarters--)
        if (fill_at_once(c, domain, l3 / 4 * quarters, &any, 1) == 1)
            return l3 / 4 * quarters;
    return 0;
}

static enum status judge_scale(struct check *c, uint32_t domain, uint32_t n)
{
    uint64_t bytes = scale_bytes(c, domain);
    struct test_buffer b;
    struct traffic_part part;
    struct reading r;
    struct experiment e;
    struct fill f;
    enum status st = fill_take(c, domain, 1, bytes ? bytes : c->machine->domains[domain].l3_bytes / 2, &b, &f);

    if (st == ST_OK && bytes == 0)
        check_note(c, "L3 domain %u: occupancy is not judged, what empties an L2 leaves no room for a fill", domain);
    else if (st == ST_OK)
        st = judge_fill(c, &f, n);
    if (st != ST_OK || !reference_rdt(c)->total)
        return st;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = reading_total(domain, b.rmids[0]);
    r.name = "MBM total by the cluster's upscaling factor";
    expect_bandwidth(c, &r, (double)b.bytes);
    TRY(experiment_stream(c, b.cpu, &part, 1, &r, 1, &e));
    judge_share(c, &r, (double)b.bytes, n);
    return ST_OK;
}

/* In RMID sharing mode logical RMID d of cluster k is physical d + k x N / clusters, and the upscaling factor is
 * that of CPUID over the number of clusters: 356688 B.1.2; Linux resctrl. Here an L3 whose nodes contradict that is
 * a finding, elsewhere a reason to leave it out. */
static enum status check_cluster_scale(struct check *c, uint32_t domain)
{
    uint32_t which = 0;
    const struct cluster_l3 *l3 = cluster_of(c, domain, &which);
    enum finding_kind kind = l3 && l3->broken ? FINDING_FORBIDDEN : FINDING_UNUSUAL;

    if (l3 == NULL || l3->rule == CLUSTER_NONE)
        return check_absent(c, "L3 domain %u has no sub-NUMA clusters", domain);
    if (l3->rule == CLUSTER_UNKNOWN && l3->elsewhere) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTED_ELSEWHERE, place_domain(domain),
                "%s, which by no documented rule is its own: neither occupancy nor bandwidth is judged here", l3->why);
        return ST_OK;
    }
    if (l3->rule == CLUSTER_UNKNOWN && l3->unlisted) {
        check_note(c, "%s", l3->why);
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, place_domain(domain),
                "RMIDs count, or fills stay, as in one of %u sub-NUMA clusters, and there is no SRAT: an operating "
                "system takes what it reads of a cluster for the whole L3's",
                l3->unlisted);
        return ST_OK;
    }
    if (l3->rule == CLUSTER_UNKNOWN && !l3->uncounted)
        return check_absent(c, "%s", l3->why);
    if (l3->rule == CLUSTER_UNKNOWN) {
        finding(c, kind, 0, l3->under_0 ? FOUND_RMID_IGNORED : FOUND_FILL_UNCOUNTED, place_domain(domain),
                "%s: however clusters divide RMIDs, each fill is counted under one", l3->why);
        return ST_OK;
    }
    if (l3->rule == CLUSTER_ODD) {
        if (which == 0)
            finding(c, kind, 0, FOUND_COUNTED_ELSEWHERE, place_domain(domain), "and the next ones, %u clusters: %s",
                    l3->n, l3->why);
        return ST_OK;
    }
    if (l3->rule == CLUSTER_FOUND || l3->rule == CLUSTER_COMMON)
        return check_absent(c, "L3 domain %u: no register shares the RMIDs of clusters on this part", domain);
    return judge_scale(c, domain, l3->n);
}

static enum status clusters_ready(struct check *c)
{
    if (!reference_is_intel(c))
        return check_absent(c, "RMID sharing mode of sub-NUMA clusters exists on Intel parts only");
    if (!c->machine->srat_present && !cluster_is_possible(c->machine))
        return check_absent(c, "no SRAT: sub-NUMA clusters cannot be identified");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cross.cluster-scale",
      .title = "A cluster's upscaling factor is CPUID's over the number of clusters",
      .spec = "RDT Architecture Specification 356688, B.1.2 RMID sharing mode; Linux resctrl monitor.c",
      .covers = "XC-12",
      .detects = "an upscaling factor that is divided twice, or not at all; fills of a cluster that no RMID counts",
      .means =
          "occupancy and bandwidth of a sub-NUMA cluster are off by the number of clusters, or its monitor is dead",
      .next = "MSR_RMID_SNC_CONFIG; firmware's SNC setting; stepping and microcode of the package in the finding",
      .ready = clusters_ready,
      .run_domain = check_cluster_scale,
      .about_clusters = true },
};
CHECK_FAMILY(clusters, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_REGISTERS | RESTS_ON_OCCUPANCY, .excludes = true, .no_monitor = true, .order = 810);
