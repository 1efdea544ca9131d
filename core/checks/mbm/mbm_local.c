/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBM local against MBM total. Witness: the NUMA node of the memory that is read, by SRAT. */
#include "core/cluster/cluster_view.h"
#include "core/experiment/monitor.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"

/* --- MB-04, MB-05, MB-06: local and total ------------------------------------------------------------------------- */

struct node_read { /* one read of a buffer of a node */
    uint32_t domain, cpu, rmid;
    uint64_t base, bytes;
    bool is_local, fine;         /* fine: held to the finer band as well */
    struct reading total, local; /* out: bytes */
};

/* One run if both counts lie where is_local says that local traffic goes, else the median of five. Bands of the rules
 * themselves are ratios, and the caller judges them. */
static enum status read_in_domain(struct check *c, struct node_read *n)
{
    struct traffic_part part = part_read(n->rmid, n->base, n->bytes);
    struct reading r[2] = { reading_total(n->domain, n->rmid), reading_local(n->domain, n->rmid) };
    struct experiment e;

    expect_bandwidth(c, &r[0], (double)n->bytes);
    if (n->is_local) {
        expect_bandwidth(c, &r[1], (double)n->bytes);
        r[1].lo = (double)n->bytes * LOCAL_LEAST;
        r[1].hi = r[1].never_hi = NO_BOUND;
        if (n->fine) {
            expect_fine(c, &r[0]);
            expect_fine(c, &r[1]);
            r[0].tight_hi = r[1].tight_hi = NO_BOUND; /* `mbm.total` says it */
        }
    } else
        r[1].hi = (double)n->bytes * REMOTE_MOST;
    TRY(experiment_stream(c, n->cpu, &part, 1, r, 2, &e));
    for (uint32_t i = 0; i < 2; i++) {
        if (r[1].bytes < LOCAL_LEAST * r[0].bytes) /* the ratio says it */
            r[i].tight_lo = r[i].tight_hi = 0;
        r[i].lo = r[i].never_lo = 0;
        r[i].hi = r[i].never_hi = NO_BOUND;
    }
    experiment_judge(&e, "a buffer was read"); /* a counter that decreases is a FAIL of every check */
    n->total = r[0];
    n->local = r[1];
    return ST_OK;
}

#define CLUSTERS_SUMMED 6u

/* What a cluster reads of other memory than its own is counted by any cluster of its L3: only their sum says how much
 * it was (356688 B.1.2). */
static enum status read_in_l3(struct check *c, struct node_read *n)
{
    struct traffic_part part = part_read(n->rmid, n->base, n->bytes);
    struct reading each[2 * CLUSTERS_SUMMED];
    struct experiment e;
    uint32_t n_each = 0;

    for (uint32_t i = 0; i < c->machine->n_domains && n_each < 2 * CLUSTERS_SUMMED; i++)
        if (cluster_same_l3(c, i, n->domain)) {
            each[n_each++] = reading_total(i, n->rmid);
            each[n_each++] = reading_local(i, n->rmid);
        }
    TRY(experiment_stream(c, n->cpu, &part, 1, each, n_each, &e));
    experiment_judge(&e, "a buffer was read");
    n->total = reading_total(n->domain, n->rmid);
    n->local = reading_local(n->domain, n->rmid);
    for (uint32_t i = 0; i < n_each; i++)
        *(i & 1 ? &n->local.bytes : &n->total.bytes) += each[i].bytes;
    return ST_OK;
}

static enum status read_node(struct check *c, struct node_read *n)
{
    const struct cluster_l3 *l3 = cluster_of(c, n->domain, NULL);

    return !n->is_local && l3 && l3->rule == CLUSTER_SHARED ? read_in_l3(c, n) : read_in_domain(c, n);
}

/* Clusters whose RMIDs were found by fills: of reads of other nodes' memory some cluster may count a part, or none. */
static bool counts_its_own_memory(const struct check *c, uint32_t domain)
{
    const struct cluster_l3 *l3 = cluster_of(c, domain, NULL);

    return l3 && l3->rule == CLUSTER_FOUND;
}

static double local_share(const struct node_read *n)
{
    return n->total.bytes > 0 ? n->local.bytes / n->total.bytes : 0;
}

/* None of what is local, or most of what is not. */
static bool is_swapped(const struct node_read *n)
{
    return n->is_local ? local_share(n) < DEAD_SHARE : local_share(n) > 0.5;
}

static enum finding_code local_code(const struct node_read *n)
{
    if (!n->is_local)
        return FOUND_LOCAL_HIGH;
    return n->local.bytes > 0 ? FOUND_LOCAL_LOW : FOUND_LOCAL_ZERO;
}

#define SAMPLES 5u

/* The two counters are read one after the other, and a count may fall between; what was moved before, under the same
 * RMID, may be counted late in one of them. A read whose local is above its total is repeated, with longer and longer
 * waits before and after it. The lag that helped is the machine's. */
static enum status read_not_above(struct check *c, struct node_read *n, double unit)
{
    uint32_t known = c->tools->bandwidth_lag_ms;
    enum status st = ST_OK;

    for (uint32_t tries = 0; tries <= SETTLE_STEPS; tries++) { /* the first with the lag that is known */
        if (tries > 0 && settle_ms[tries - 1] > known)
            c->tools->bandwidth_lag_ms = settle_ms[tries - 1];
        st = read_node(c, n);
        if (st != ST_OK)
            break;
        if (n->local.bytes - n->total.bytes <= unit)
            return ST_OK;
    }
    c->tools->bandwidth_lag_ms = known;
    return st;
}

/* MB-04: in each single sample. */
static enum status mbm_not_above(struct check *c, uint32_t domain)
{
    double unit = c->machine->domains[domain].upscaling_factor;
    uint64_t slice = load_slice_bytes(c, domain);
    struct test_buffer b;

    TRY(test_buffer_local(c, domain, 1, SAMPLES * slice, &b));
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct node_read n = { .domain = domain, .cpu = b.cpu, .rmid = b.rmids[0], .bytes = slice, .is_local = true };

        n.base = b.base + i * slice;
        TRY(read_not_above(c, &n, unit));
        /* The two are read one after the other: a count may fall between. */
        excludes(c, "MBM local in excess of total", unit - (n.local.bytes - n.total.bytes), "bytes");
        if (!check_measure(c, "MBM local - MBM total", place_rmid(domain, n.rmid), n.local.bytes - n.total.bytes,
                           "bytes", -NO_BOUND, unit))
            finding(c, FINDING_FORBIDDEN, 0, FOUND_LOCAL_OVER_TOTAL, place_rmid(domain, n.rmid),
                    "MBM local is %lu bytes and MBM total %lu bytes for the same read", (uint64_t)n.local.bytes,
                    (uint64_t)n.total.bytes);
    }
    return ST_OK;
}

static enum status mbm_local(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct node_read n;
    struct place place;
    uint32_t node;

    if (!c->machine->srat_present && c->machine->n_packages > 1)
        return check_absent(c, "several packages and no SRAT: which memory is local is not known");
    TRY(test_buffer_local(c, domain, 1, load_stream_bytes(c, domain), &b));
    node = c->machine->cpus[b.cpu].node;
    if (node < c->machine->n_nodes && c->machine->nodes[node].shared)
        return check_absent(
            c, "SRAT has processors of several packages or dies on node %u: which of its memory is local is not known",
            node);
    if (!memory_is_local(c, b.cpu))
        return check_absent(c, "L3 domain %u: its node has no memory, and which of its package's is local is not known",
                            domain);
    n = (struct node_read){ domain, b.cpu, b.rmids[0], b.base, b.bytes, .is_local = true, .fine = true };
    TRY(read_node(c, &n));
    place = place_rmid(domain, n.rmid);
    if (n.total.bytes <= 0)
        finding(c, FINDING_FORBIDDEN, 0, FOUND_TOTAL_ZERO, place,
                "%lu bytes of local memory were read, and MBM total is 0 bytes", b.bytes);
    else if (!check_measure(c, "MBM local / MBM total of local reads", place, local_share(&n), "ratio", LOCAL_LEAST,
                            NO_BOUND))
        finding(c, is_swapped(&n) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, local_code(&n), place,
                "local memory was read, and MBM local is %lu of %lu bytes of MBM total", (uint64_t)n.local.bytes,
                (uint64_t)n.total.bytes);
    return ST_OK;
}

/* MBM total against `bytes` read. */
static void judge_total(struct check *c, const struct node_read *n, const char *name, struct place place,
                        const struct reading *band)
{
    if (n->total.bytes < 0)
        return;
    reading_excludes(c, band);
    if (check_measure(c, name, place, n->total.bytes, "bytes", band->lo, band->hi))
        return;
    finding(c, reading_may_be(band, n->total.bytes) ? FINDING_EXPECTED : FINDING_FORBIDDEN,
            reading_erratum(c, &n->total, band->lo, band->hi), reading_code(&n->total, band->lo), place,
            "%lu bytes were read, and MBM total is %lu bytes", n->bytes, (uint64_t)n->total.bytes);
}

static enum status mbm_remote(struct check *c, uint32_t domain)
{
    struct node_read n = { .domain = domain, .bytes = load_stream_bytes(c, domain) };
    struct reading band;
    struct place place;

    if (domain_rmids(c, domain, &n.rmid, 1) < 1 || domain_cpus(c, domain, &n.cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    if (counts_its_own_memory(c, domain))
        return check_absent(
            c, "L3 domain %u: which cluster counts memory of other nodes is not documented on this part", domain);
    TRY(memory_scatter_remote(c, n.cpu, n.bytes, &n.base));
    TRY(read_node(c, &n));
    place = place_rmid(domain, n.rmid);
    band = reading_total(domain, n.rmid);
    expect_bandwidth(c, &band, (double)n.bytes);
    judge_total(c, &n, "MBM total of remote reads", place, &band);
    if (!check_measure(c, "MBM local / MBM total of remote reads", place, local_share(&n), "ratio", 0, REMOTE_MOST))
        finding(c, is_swapped(&n) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, local_code(&n), place,
                "remote memory was read, and MBM local is %lu of %lu bytes of MBM total", (uint64_t)n.local.bytes,
                (uint64_t)n.total.bytes);
    return ST_OK;
}

/* --- from each package to each node ------------------------------------------------------------------------------- */

/* Unclear: another node of the package, of none, or of several. */
enum home { HOME_HERE, HOME_ELSEWHERE, HOME_UNCLEAR };

static enum home home_of(const struct machine *m, uint32_t cpu, uint32_t node)
{
    if (m->nodes[node].shared)
        return HOME_UNCLEAR;
    if (node == m->cpus[cpu].node)
        return HOME_HERE;
    return m->nodes[node].package == UINT32_MAX || m->nodes[node].package == m->cpus[cpu].package ? HOME_UNCLEAR
                                                                                                  : HOME_ELSEWHERE;
}

static void judge_node(struct check *c, const struct node_read *n, uint32_t node, enum home home)
{
    struct reading band = reading_total(n->domain, n->rmid);
    struct place place = place_with(place_package(c->machine->domains[n->domain].package), PLACE_NODE, node);
    bool counted = home == HOME_HERE || !counts_its_own_memory(c, n->domain);

    /* Of another cluster of the package no document says whether it is counted at all. */
    if (counted && (home != HOME_UNCLEAR || cluster_of(c, n->domain, NULL) == NULL))
        expect_bandwidth(c, &band, (double)n->bytes);
    judge_total(c, n, "MBM total", place, &band);
    if (!check_measure(c, "MBM local / MBM total", place, local_share(n), "ratio", home == HOME_HERE ? LOCAL_LEAST : 0,
                       counted && home == HOME_ELSEWHERE ? REMOTE_MOST : NO_BOUND))
        finding(c, is_swapped(n) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, local_code(n), place,
                "MBM local is %lu of %lu bytes of MBM total", (uint64_t)n->local.bytes, (uint64_t)n->total.bytes);
}

/* n, with the memory of one node. A node without enough memory is noted and left out. */
static enum status read_and_judge_node(struct check *c, struct node_read *n, uint32_t node, uint32_t *measured)
{
    enum home home = home_of(c->machine, n->cpu, node);

    tools_reset(c->tools);
    if (!memory_scatter_node(c, n->cpu, node, n->bytes, &n->base)) {
        check_note(c, "node %u has not enough working memory: %lu bytes are needed", node, n->bytes);
        return ST_OK;
    }
    ++*measured;
    n->is_local = home == HOME_HERE;
    TRY(read_node(c, n));
    judge_node(c, n, node, home);
    return ST_OK;
}

/* The first L3 of each package reads memory of every node. */
static enum status mbm_matrix(struct check *c, uint32_t domain)
{
    const struct machine *m = c->machine;
    struct node_read n = { .domain = domain, .bytes = ROUND_DOWN(load_stream_bytes(c, domain) / 2) };
    uint32_t measured = 0;

    if (ANY_OF(i, domain, m->domains[i].package == m->domains[domain].package))
        return check_absent(c, "L3 domain %u: only the first L3 of each package is judged", domain);
    if (domain_rmids(c, domain, &n.rmid, 1) < 1 || domain_cpus(c, domain, &n.cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    if (m->cpus[n.cpu].node == NO_NODE)
        return check_absent(c, "L3 domain %u: which memory is local is not known", domain);
    for (uint32_t node = 0; node < c->tools->n_arenas; node++)
        if (m->nodes[node].memory_bytes)
            TRY(read_and_judge_node(c, &n, node, &measured));
    if (measured == 0)
        return check_absent(c, "L3 domain %u: no node has %lu bytes of working memory", domain, n.bytes);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mbm.local-not-above-total",
      .title = "MBM local does not exceed MBM total",
      .covers = "MB-04",
      .means = "MBM local counts more than MBM total: the events are swapped or misattributed",
      .next = "whether the two are swapped (`mbm.remote`); `enum.events`; sub-NUMA clustering",
      .assigned = true,
      .run_domain = mbm_not_above },
    { .id = "mbm.local",
      .title = "Local reads are counted by MBM local",
      .covers = "MB-05",
      .detects = "MBM local that stays 0; local traffic attributed to another cluster",
      .means = "reads of the processor's own node are missing from MBM local",
      .next = "`enum.nodes`, SRAT; sub-NUMA clustering; `mbm.remote`",
      .assigned = true,
      .run_domain = mbm_local },
    { .id = "mbm.remote",
      .title = "Remote reads are excluded from MBM local",
      .covers = "MB-06 XC-07",
      .means = "reads of another package's memory are counted as local, or missing from MBM total",
      .next = "`enum.nodes`, SRAT; `mbm.matrix` for the pair of packages; `traffic.remote`",
      .needs = NEED_2_NODES,
      .assigned = true,
      .run_domain = mbm_remote },
    { .id = "mbm.matrix",
      .title = "MBM total and local match the reads of every node by every package",
      .covers = "MB-05 MB-06 XC-07",
      .detects = "home node and reading package confused on some pair",
      .means = "traffic from one package to one node is miscounted",
      .next = "the pair in the finding; SRAT; `traffic.remote`",
      .needs = NEED_2_NODES,
      .slow = true,
      .run_domain = mbm_matrix },
};
CHECK_FAMILY(mbm_local, rows, .spec = SDM_MBM, .needs = NEED_TOTAL | NEED_LOCAL, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .order = 610);
