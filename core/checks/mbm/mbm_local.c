/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Local and total bandwidth. Witness: which node the memory is of, as SRAT says. */
#include "core/measure/cluster_view.h"
#include "core/measure/legacy.h"
#include "core/base/text.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"

/* --- MB-04, MB-05, MB-06: local and total ------------------------------------------------------------------------- */

#define LOCAL_SHARE_LO  0.92 /* MB-05 */
#define REMOTE_SHARE_HI 0.08 /* MB-06 */

/* total and local of one stream, r[0] and r[1]: one run if both lie where `local` says that local traffic goes, else
 * the median of five. Bands of the rules themselves are ratios, and the caller's business. */
static bool both_here(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base, uint64_t bytes,
                      bool is_local, struct reading r[2])
{
    struct traffic_part part = part_read(rmid, base, bytes);
    struct experiment e;

    r[0] = total_of(domain, rmid);
    r[1] = local_of(domain, rmid);
    expect_bandwidth(c, &r[0], (double)bytes);
    if (is_local)
        r[1].lo = (double)bytes * LOCAL_SHARE_LO;
    else
        r[1].hi = (double)bytes * REMOTE_SHARE_HI;
    if (!stream_run(c, cpu, &part, 1, r, 2, &e))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        r[i].lo = 0;
        r[i].hi = NO_BOUND;
    }
    experiment_judge(&e, "a stream was read"); /* a step back is anybody's business */
    return true;
}

#define CLUSTERS_SUMMED 6u

/* What a cluster reads of other memory than its own is counted by any cluster of its L3: only their sum says how much
 * it was (356688 B.1.2). */
static bool both_of_l3(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base, uint64_t bytes,
                       struct reading r[2])
{
    struct traffic_part part = part_read(rmid, base, bytes);
    struct reading each[2 * CLUSTERS_SUMMED];
    struct experiment e;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->machine->n_domains && n < 2 * CLUSTERS_SUMMED; i++)
        if (cluster_same_l3(c, i, domain)) {
            each[n++] = total_of(i, rmid);
            each[n++] = local_of(i, rmid);
        }
    if (!stream_run(c, cpu, &part, 1, each, n, &e))
        return false;
    experiment_judge(&e, "a stream was read");
    r[0] = total_of(domain, rmid);
    r[1] = local_of(domain, rmid);
    for (uint32_t i = 0; i < n; i++)
        r[i & 1].bytes += each[i].bytes;
    return true;
}

static bool both(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base, uint64_t bytes,
                 bool is_local, struct reading r[2])
{
    const struct cluster_l3 *l3 = cluster_of(c, domain, NULL);

    if (!is_local && l3 && l3->rule == CLUSTER_SHARED)
        return both_of_l3(c, domain, cpu, rmid, base, bytes, r);
    return both_here(c, domain, cpu, rmid, base, bytes, is_local, r);
}

#define PAIRS_LOOKED_AT 5u

/* MB-04: in each single sample. */
static bool not_above(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    double unit = c->machine->domains[domain].upscaling_factor;
    uint64_t slice = slice_bytes(c, domain);
    struct test_buffer b;
    char where[48];

    if (!bench_local(c, domain, 1, PAIRS_LOOKED_AT * slice, &b, why))
        return false;
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, b.rmids[0]);
    for (uint32_t i = 0; i < PAIRS_LOOKED_AT; i++) {
        struct reading r[2];

        if (!both(c, domain, b.cpu, b.rmids[0], b.base + i * slice, slice, true, r))
            return true;
        /* The two are read one after the other: a count may fall between. */
        if (!measure(c, "local beyond total", where, r[1].bytes - r[0].bytes, "bytes", -NO_BOUND, unit))
            fail(c, "%s: local %llu bytes, total %llu bytes of the same stream", where, (unsigned long long)r[1].bytes,
                 (unsigned long long)r[0].bytes);
    }
    return true;
}

LEGACY_DOMAIN(not_above)

static double share(const struct reading r[2])
{
    return r[0].bytes > 0 ? r[1].bytes / r[0].bytes : 0;
}

static bool local(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct reading r[2];
    char where[48];

    if (!c->machine->srat_present && c->machine->n_packages > 1)
        return text_format(why, WHY_SIZE, "several packages and no SRAT: which memory is local is not known"), false;
    if (!bench_local(c, domain, 1, stream_bytes(c, domain), &b, why))
        return false;
    if (!both(c, domain, b.cpu, b.rmids[0], b.base, b.bytes, true, r))
        return true;
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, b.rmids[0]);
    if (r[0].bytes <= 0)
        fail(c, "%s: %llu bytes of local memory were read, and nothing was counted", where,
             (unsigned long long)b.bytes);
    else if (!measure(c, "local share of local traffic", where, share(r), "ratio", LOCAL_SHARE_LO, NO_BOUND))
        fail(c, "%s: local memory was read, and local bandwidth is %llu of %llu bytes", where,
             (unsigned long long)r[1].bytes, (unsigned long long)r[0].bytes);
    return true;
}

LEGACY_DOMAIN(local)

/* Memory of a node in another package than `cpu`'s. */
static bool take_remote(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *base, char why[WHY_SIZE])
{
    const struct machine *m = c->machine;

    for (uint32_t i = 0; i < c->tools->n_arenas; i++)
        if (i != m->cpus[cpu].node && m->nodes[i].package != UINT32_MAX &&
            m->nodes[i].package != m->cpus[cpu].package && arena_take(&c->tools->arenas[i], bytes, base) == ST_OK)
            return true;
    text_format(why, WHY_SIZE, "no node of another package has %llu bytes of working memory",
                (unsigned long long)bytes);
    return false;
}

static bool remote(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint64_t bytes = stream_bytes(c, domain), base = 0;
    uint32_t cpu = 0, rmid = 0;
    struct reading r[2], band;
    char where[48];

    if (domain_rmids(c, domain, &rmid, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID or no processor", domain), false;
    if (!take_remote(c, cpu, bytes, &base, why))
        return false;
    if (!both(c, domain, cpu, rmid, base, bytes, false, r))
        return true;
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, rmid);
    band = total_of(domain, rmid);
    expect_bandwidth(c, &band, (double)bytes);
    if (!measure(c, "total bytes of remote memory", where, r[0].bytes, "bytes", band.lo, band.hi)) {
        reading_factor_explains(c, &r[0], band.lo, band.hi);
        fail(c, "%s: %llu bytes of remote memory were read, total bandwidth is %llu", where, (unsigned long long)bytes,
             (unsigned long long)r[0].bytes);
    }
    if (!measure(c, "local share of remote traffic", where, share(r), "ratio", 0, REMOTE_SHARE_HI))
        fail(c, "%s: remote memory was read, and local bandwidth is %llu of %llu bytes", where,
             (unsigned long long)r[1].bytes, (unsigned long long)r[0].bytes);
    return true;
}

LEGACY_DOMAIN(remote)

/* --- from each package to each node ------------------------------------------------------------------------------- */

enum home { HOME_HERE, HOME_ELSEWHERE, HOME_UNCLEAR }; /* unclear: another node of the package, or of none */

static enum home home_of(const struct machine *m, uint32_t cpu, uint32_t node)
{
    if (node == m->cpus[cpu].node)
        return HOME_HERE;
    return m->nodes[node].package == UINT32_MAX || m->nodes[node].package == m->cpus[cpu].package ? HOME_UNCLEAR
                                                                                                  : HOME_ELSEWHERE;
}

/* One cell. false: it could not be measured, and that was said. */
static bool cell(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint32_t node, uint64_t bytes,
                 uint32_t *measured)
{
    enum home home = home_of(c->machine, cpu, node);
    struct reading r[2], band = total_of(domain, rmid);
    uint64_t base = 0;
    char where[64];

    tools_reset(c->tools);
    if (arena_take(&c->tools->arenas[node], bytes, &base) != ST_OK) {
        note(c, "node %u has not %llu bytes of working memory", node, (unsigned long long)bytes);
        return true;
    }
    ++*measured;
    if (!both(c, domain, cpu, rmid, base, bytes, home == HOME_HERE, r))
        return false;
    text_format(where, sizeof where, "package %u to node %u", c->machine->domains[domain].package, node);
    /* Of another cluster of the package no document says whether it is counted at all. */
    if (home != HOME_UNCLEAR || cluster_of(c, domain, NULL) == NULL)
        expect_bandwidth(c, &band, (double)bytes);
    if (!measure(c, "total bytes", where, r[0].bytes, "bytes", band.lo, band.hi)) {
        reading_factor_explains(c, &r[0], band.lo, band.hi);
        fail(c, "%s: %llu bytes were read, total bandwidth is %llu", where, (unsigned long long)bytes,
             (unsigned long long)r[0].bytes);
    }
    if (!measure(c, "local share", where, share(r), "ratio", home == HOME_HERE ? LOCAL_SHARE_LO : 0,
                 home == HOME_ELSEWHERE ? REMOTE_SHARE_HI : NO_BOUND))
        fail(c, "%s: local bandwidth is %llu of %llu bytes", where, (unsigned long long)r[1].bytes,
             (unsigned long long)r[0].bytes);
    return true;
}

/* The first L3 of each package reads memory of every node. */
static bool matrix(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct machine *m = c->machine;
    uint64_t bytes = ROUND_DOWN(stream_bytes(c, domain) / 2);
    uint32_t cpu = 0, rmid = 0, measured = 0;

    for (uint32_t i = 0; i < domain; i++)
        if (m->domains[i].package == m->domains[domain].package)
            return text_format(why, WHY_SIZE, "L3 domain %u: another L3 of its package stands for it", domain), false;
    if (domain_rmids(c, domain, &rmid, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID or no processor", domain), false;
    if (m->cpus[cpu].node == NO_NODE)
        return text_format(why, WHY_SIZE, "L3 domain %u: which memory is local is not known", domain), false;
    for (uint32_t node = 0; node < c->tools->n_arenas; node++)
        if (m->nodes[node].memory_bytes && !cell(c, domain, cpu, rmid, node, bytes, &measured))
            break;
    if (measured == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: no node has %llu bytes of working memory in one piece", domain,
                    (unsigned long long)bytes);
    return measured > 0;
}

LEGACY_DOMAIN(matrix)

#define MEANS_USUAL "local and total do not fit together"
#define NEXT_USUAL  "`enum.nodes`; sub-NUMA clustering; `mbm.remote`"

static const struct check_row rows[] = {
    { .id = "mbm.local-not-above-total",
      .title = "Local bandwidth is no more than total bandwidth",
      .spec = SDM_MBM,
      .rows = "MB-04",
      .detects = "local and total swapped",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL | NEED_LOCAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 610,
      .run_domain = not_above_status },
    { .id = "mbm.local",
      .title = "Traffic to local memory is local",
      .spec = SDM_MBM,
      .rows = "MB-05",
      .detects = "local counts that stay 0, clustering bugs",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL | NEED_LOCAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 610,
      .run_domain = local_status },
    { .id = "mbm.remote",
      .title = "Traffic to remote memory is not local",
      .spec = SDM_MBM,
      .rows = "MB-06 XC-07",
      .detects = "local counts that hold remote traffic",
      .means = "traffic to another node is counted as local",
      .next = "`enum.nodes`, SRAT; `mbm.matrix` for the pair of packages; `traffic.remote`",
      .needs = NEED_TOTAL | NEED_LOCAL | NEED_2_NODES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 610,
      .run_domain = remote_status },
    { .id = "mbm.matrix",
      .title = "Each package counts what it reads of every node, and as local what is its own",
      .spec = SDM_MBM,
      .rows = "MB-05 MB-06 XC-07",
      .detects = "home and reader confused on some pair of packages",
      .means = "home and reader are confused on some pair of packages",
      .next = "the pair in the finding; SRAT; `traffic.remote`",
      .needs = NEED_TOTAL | NEED_LOCAL | NEED_2_NODES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 610,
      .slow = true,
      .run_domain = matrix_status },
};
CHECK_FAMILY(mbm_local, rows);
