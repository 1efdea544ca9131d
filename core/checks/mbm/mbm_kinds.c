/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What kinds of traffic bandwidth counts, and from how many processors at once. Witness: the bytes that the loops
 * moved.
 *
 * The documents say that reads of memory count. What stores count is said of AMD alone (APM vol. 2 table 19-8); on
 * other parts it is recorded, with the bounds that any rule would keep: a store to memory that is in no cache reads the
 * line first, and may write it back once.
 */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define APM_MBM "APM vol. 2 19.3.3 Memory Bandwidth Monitoring, table 19-8"

/* --- MB-17, MB-18: reads, stores, stores past the caches, copies */

struct kind {
    enum work_kind work;
    const char *name;
    /* Bytes counted over the size of the buffer, before the tolerance. AMD counts reads and non-temporal stores from
     * PQoS 2.0 on, reads alone before. */
    double least, most, amd_least, amd_most, old_amd_least, old_amd_most;
};

static const struct kind kinds[] = {
    { WORK_READ, "reads", 1, 1, 1, 1, 1, 1 },
    { WORK_WRITE, "stores", 1, 2, 1, 1, 1, 1 },
    { WORK_NT_WRITE, "non-temporal stores", 0, 1, 1, 1, 0, 0 },
    { WORK_COPY, "copies", 2, 3, 2, 2, 2, 2 },
};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

static void kind_band(const struct check *c, const struct kind *k, double *least, double *most)
{
    const struct cpu *cpu = &c->machine->cpus[c->machine->reference];
    bool amd = cpu->id.vendor == VENDOR_AMD, old = amd && cpu->id.family == 0x17; /* PQoS 1.0 */

    *least = old ? k->old_amd_least : amd ? k->amd_least : k->least;
    *most = old ? k->old_amd_most : amd ? k->amd_most : k->most;
}

static bool one_kind(struct check *c, uint32_t domain, const struct test_buffer *b, const struct kind *k)
{
    double bytes = (double)b->bytes / 2, count = c->machine->domains[domain].upscaling_factor, least, most;
    struct traffic_part part = part_read(b->rmids[0], b->base, b->bytes / 2);
    struct reading r = total_of(domain, b->rmids[0]);
    struct experiment e;
    char name[64], where[48];

    kind_band(c, k, &least, &most);
    part.work.kind = k->work;
    part.work.dst = b->base + b->bytes / 2;
    r.lo = (1 - BW_SHARE) * least * bytes - count;
    r.hi = (1 + BW_SHARE) * most * bytes + count + (most > 0 ? 0 : BW_SHARE * bytes);
    if (!stream_run(c, b->cpu, &part, 1, &r, 1, &e))
        return false;
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, b->rmids[0]);
    text_format(name, sizeof name, "total bytes over bytes of the buffer, %s", k->name);
    if (!measure(c, name, where, r.bytes / bytes, "ratio", r.lo / bytes, r.hi / bytes)) {
        reading_factor_explains(c, &r, r.lo, r.hi);
        warn(c, "%s: %s over %llu bytes, and total bandwidth is %llu bytes", where, k->name, (unsigned long long)bytes,
             (unsigned long long)r.bytes);
    }
    return true;
}

static bool each_kind(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;

    if (!bench_local(c, domain, 1, 2 * ROUND_DOWN(stream_bytes(c, domain) / 2), &b, why))
        return false;
    for (uint32_t i = 0; i < N_KINDS; i++)
        if (!one_kind(c, domain, &b, &kinds[i]))
            break;
    return true;
}

LEGACY_DOMAIN(each_kind)

/* --- MB-20: one, half of them, all -------------------------------------------------------------------------------- */

#define PIECE_LEAST (256 * UINT64_C(1024))
#define RMIDS_MOST  64u

struct crowd {
    uint32_t *cpus, n_cpus;
    uint32_t rmids[RMIDS_MOST], n_rmids;
    uint64_t base, piece;
    struct traffic_part *parts;
    struct traffic_load *loads;
};

static bool crowd_open(struct check *c, uint32_t domain, struct crowd *k, char why[WHY_SIZE])
{
    uint32_t n = c->machine->domains[domain].n_cpus;
    uint64_t left;

    k->cpus = heap_alloc((n + 1) * sizeof k->cpus[0]);
    k->parts = heap_alloc((n + 1) * sizeof k->parts[0]);
    k->loads = heap_alloc((n + 1) * sizeof k->loads[0]);
    if (!k->cpus || !k->parts || !k->loads)
        return text_format(why, WHY_SIZE, "L3 domain %u: no memory for %u loads", domain, n), false;
    k->n_cpus = domain_cpus(c, domain, k->cpus, n);
    k->n_rmids = domain_rmids(c, domain, k->rmids, n < RMIDS_MOST ? n : RMIDS_MOST);
    if (k->n_cpus == 0 || k->n_rmids == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor or no free RMID", domain), false;
    left = memory_left_any(c, k->cpus[0]) / k->n_cpus;
    k->piece = 2 * slice_bytes(c, domain);
    k->piece = ROUND_DOWN(k->piece < left ? k->piece : left);
    if (k->piece < PIECE_LEAST)
        return text_format(why, WHY_SIZE, "L3 domain %u: %llu bytes of memory for each of %u processors are too few",
                           domain, (unsigned long long)k->piece, k->n_cpus),
               false;
    return take_local(c, k->cpus[0], k->n_cpus * k->piece, &k->base, why);
}

/* The first n processors stream at once. With fewer RMIDs than processors several have the same one: the sum is judged.
 */
static bool crowd_streams(struct check *c, uint32_t domain, struct crowd *k, uint32_t n)
{
    uint32_t used = n < k->n_rmids ? n : k->n_rmids;
    struct reading r[RMIDS_MOST];
    struct experiment e = { .check = c, .loads = k->loads, .n_loads = n, .readings = r, .n_readings = used };
    double sum = 0, moved = (double)n * (double)k->piece, count = c->machine->domains[domain].upscaling_factor;
    char name[64], where[32];

    for (uint32_t i = 0; i < n; i++) {
        k->parts[i] = part_read(k->rmids[i % used], k->base + i * k->piece, k->piece);
        k->loads[i] = (struct traffic_load){ .cpu = k->cpus[i], .n_parts = 1, .parts = &k->parts[i] };
    }
    for (uint32_t i = 0; i < used; i++) {
        uint64_t bytes = k->piece * (n / used + (i < n % used));

        r[i] = total_of(domain, k->rmids[i]);
        expect_bandwidth(c, &r[i], (double)bytes);
    }
    if (!experiment_run(&e))
        return false;
    for (uint32_t i = 0; i < used; i++)
        sum += r[i].bytes;
    domain_name(domain, where);
    text_format(name, sizeof name, "total bytes of %u processors over bytes read", n);
    if (!measure(c, name, where, sum / moved, "ratio", 1 - BW_SHARE - used * count / moved,
                 1 + BW_SHARE + used * count / moved))
        warn(c, "%s: %u processors at once read %llu bytes, and their RMIDs count %llu", where, n,
             (unsigned long long)moved, (unsigned long long)sum);
    text_format(name, sizeof name, "rate of %u processors", n);
    if (e.outcome.tsc_ticks)
        measure(c, name, where,
                (double)e.outcome.moved_bytes * (double)c->platform->tsc_hz / (double)e.outcome.tsc_ticks / 1048576,
                "MiB/s", -NO_BOUND, NO_BOUND);
    return true;
}

static bool crowd(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct crowd k = { 0 };
    bool ready = crowd_open(c, domain, &k, why), going = ready && crowd_streams(c, domain, &k, 1);

    if (going && k.n_cpus >= 4)
        going = crowd_streams(c, domain, &k, k.n_cpus / 2);
    if (going && k.n_cpus >= 2)
        (void)crowd_streams(c, domain, &k, k.n_cpus);
    heap_free(k.cpus);
    heap_free(k.parts);
    heap_free(k.loads);
    return ready;
}

LEGACY_DOMAIN(crowd)

#define MEANS_USUAL "traffic is charged to the wrong RMID, or counted wrongly"
#define NEXT_USUAL  "`mbm.total` and `mbm.alias` first; the processor and RMID in the finding; `traffic.closure`"

static const struct check_row rows[] = {
    { .id = "mbm.kinds",
      .title = "Reads, stores, non-temporal stores and copies are counted as documented",
      .spec = SDM_MBM "; " APM_MBM,
      .rows = "MB-17 MB-18",
      .detects = "stores that count more than their bytes, reads for ownership that do not count",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 630,
      .slow = true,
      .run_domain = each_kind_status },
    { .id = "mbm.crowd",
      .title = "One processor, half of them and all of them at once: the sum of the counts is what they read",
      .spec = SDM_MBM,
      .rows = "MB-20",
      .detects = "traffic lost or doubled when many stream at the same time",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 630,
      .slow = true,
      .run_domain = crowd_status },
};
CHECK_FAMILY(mbm_kinds, rows);
