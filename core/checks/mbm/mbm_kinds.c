/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which kinds of traffic MBM counts, and from how many processors at once. Witness: the bytes that the loops moved.
 *
 * The documents say that reads of memory count. What stores count is said of AMD alone (APM vol. 2 table 19-8, and
 * figure 19-4 for parts with BMEC); on other parts it is recorded, with the bounds that any rule would keep: a store to
 * memory that is in no cache reads the line first, and may write it back once.
 */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/text.h"
#include "core/domain/cluster.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/monitor.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define APM_MBM "APM vol. 2 19.3.3 Memory Bandwidth Monitoring, tables 19-8 and 19-9, figure 19-4"

#define PQOS_V1_FAMILY 0x17u

/* --- MB-17, MB-18: reads, stores, non-temporal stores, copies ----------------------------------------------------- */

struct kind {
    enum work_kind work;
    const char *name, *loss;
    double least, most; /* bytes counted over the size of the buffer, before the tolerance */
    /* AMD: lines that are read from memory, written past the caches, and left dirty. */
    double fills, non_temporal, dirty;
};

static const struct kind kinds[] = {
    { WORK_READ, "reads", "a loss of reads", 1, 1, .fills = 1 },
    { WORK_WRITE, "stores", "a loss of stores", 1, 2, .fills = 1, .dirty = 1 },
    { WORK_NT_WRITE, "non-temporal stores", "a loss of non-temporal stores", 0, 1, .non_temporal = 1 },
    { WORK_COPY, "copies", "a loss of copies", 2, 3, .fills = 2, .dirty = 1 },
};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

/* Transaction types of MBM total on AMD: with BMEC those of QOS_EVT_CFG_0, else those of table 19-8: PQoS 1.0 counts
 * reads, 2.0 non-temporal stores too. */
static enum status amd_types(struct check *c, uint32_t cpu, uint64_t *types)
{
    const struct cpu *of = &c->machine->cpus[cpu];

    *types = QOS_EVT_CFG_LCL_FILL | (of->id.family == PQOS_V1_FAMILY ? 0 : QOS_EVT_CFG_LCL_NT_WR);
    if (!(of->rdt.qosx_ebx & CPUID_8000_0020_0_EBX_BMEC))
        return ST_OK;
    TRY_MEASURE(c, msr_read(c->platform, cpu, QOS_EVT_CFG(0), types), cpu, "QOS_EVT_CFG_0");
    evidence_msr(c, cpu, QOS_EVT_CFG(0), *types, 0);
    return ST_OK;
}

/* A dirty line may be written to memory while the stream lasts, or stay in the caches. */
static enum status kind_band(struct check *c, uint32_t cpu, const struct kind *k, double *least, double *most)
{
    uint64_t types = 0;
    enum status st;

    *least = k->least;
    *most = k->most;
    if (c->machine->cpus[cpu].id.vendor != VENDOR_AMD)
        return ST_OK;
    st = amd_types(c, cpu, &types);
    *least = (types & QOS_EVT_CFG_LCL_FILL ? k->fills : 0) + (types & QOS_EVT_CFG_LCL_NT_WR ? k->non_temporal : 0);
    *most = *least + (types & QOS_EVT_CFG_VICTIM_BW ? k->dirty : 0);
    return st;
}

/* Of the processor's own memory: local is what total is, whatever the kind. count: what rounding may take, in bytes. Where
 * total counts almost nothing of what was moved, its bytes are others' (code, page walks, from wherever they are). */
static void judge_local_of(struct check *c, const struct reading *total, const struct reading *local,
                           struct place place, double moved, double count, const char *kind)
{
    char name[64];

    if (total->bytes <= count || total->bytes < DEAD_SHARE * moved || local->bytes < 0)
        return;
    text_format(name, sizeof name, "MBM local / MBM total, %s", kind);
    if (!check_measure(c, name, place, local->bytes / total->bytes, "ratio", LOCAL_LEAST - count / total->bytes,
                       NO_BOUND))
        finding(c, FINDING_EXPECTED, 0, local->bytes > 0 ? FOUND_LOCAL_LOW : FOUND_LOCAL_ZERO, place,
                "%s of local memory: MBM local is %lu of %lu bytes of MBM total", kind, (uint64_t)local->bytes,
                (uint64_t)total->bytes);
}

static enum status judge_kind(struct check *c, uint32_t domain, const struct test_buffer *b, const struct kind *k)
{
    double bytes = (double)b->bytes / 2, count = c->machine->domains[domain].upscaling_factor, least, most;
    struct traffic_part part = part_read(b->rmids[0], b->base, b->bytes / 2);
    struct reading rs[2] = { reading_total(domain, b->rmids[0]) }, *r = &rs[0];
    struct experiment e;
    uint32_t n;
    char name[64];

    TRY(kind_band(c, b->cpu, k, &least, &most));
    part.work.kind = k->work;
    part.work.dst = b->base + b->bytes / 2;
    r->lo = (1 - BW_SHARE) * least * bytes - count;
    r->hi = (1 + BW_SHARE) * most * bytes + count + (most > 0 ? 0 : BW_SHARE * bytes);
    n = readings_add_local(c, b->cpu, rs, 1);
    TRY(experiment_stream(c, b->cpu, &part, 1, rs, n, &e));
    if (n > 1)
        judge_local_of(c, r, &rs[1], place_rmid(domain, b->rmids[0]), bytes, count, k->name);
    text_format(name, sizeof name, "MBM total / bytes of the buffer, %s", k->name);
    if (r->bytes < 0)
        return ST_OK;
    excludes_share(c, k->loss, r->bytes, r->lo);
    if (!check_measure(c, name, place_rmid(domain, b->rmids[0]), r->bytes / bytes, "ratio", r->lo / bytes,
                       r->hi / bytes))
        finding(c, FINDING_UNUSUAL, reading_erratum(c, r, r->lo, r->hi), reading_code(r, r->lo),
                place_rmid(domain, b->rmids[0]), "%s over %lu bytes: MBM total is %lu bytes, expected %lu to %lu",
                k->name, (uint64_t)bytes, (uint64_t)r->bytes, (uint64_t)(r->lo < 0 ? 0 : r->lo), (uint64_t)r->hi);
    return ST_OK;
}

/* Stores of several times the L3: whatever the replacement policy, no more than L3 and L2 hold of them is still dirty
 * there at the end, and the rest was written to memory. Charged to the RMID that stored, or that made room: it is the
 * same one. */
#define VICTIM_L3S_LEAST 2u
#define VICTIM_L3S       3u

static enum status judge_victims(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t bytes = (c->platform->load_limit ? VICTIM_L3S_LEAST : VICTIM_L3S) * d->l3_bytes;
    uint64_t left = memory_left_scattered(c, cpu);
    uint64_t base = 0, kept = d->l3_bytes + reference_l2_bytes(c);
    struct traffic_part part = part_read(rmid, 0, 0);
    struct reading r = reading_total(domain, rmid);
    struct experiment e;

    bytes = ROUND_DOWN(bytes < left ? bytes : left);
    if (bytes < VICTIM_L3S_LEAST * d->l3_bytes) {
        check_note(c, "L3 domain %u: no memory for stores of twice the L3: victims are not shown", domain);
        return ST_OK;
    }
    TRY(memory_scatter_local(c, cpu, bytes, &base));
    part.work = (struct work){ .kind = WORK_WRITE, .passes = 1, .base = base, .bytes = bytes };
    r.lo = (1 - BW_SHARE) * (double)(2 * bytes - kept) - d->upscaling_factor;
    r.hi = (1 + BW_SHARE) * 2.0 * (double)bytes + d->upscaling_factor;
    TRY(experiment_stream(c, cpu, &part, 1, &r, 1, &e));
    excludes_share(c, "a loss of victims", r.bytes - (double)bytes, r.lo - (double)bytes);
    if (!check_measure(c, "MBM total / bytes of the buffer, stores that leave the L3", place_rmid(domain, rmid),
                       r.bytes / (double)bytes, "ratio", r.lo / (double)bytes, r.hi / (double)bytes))
        finding(c, FINDING_UNUSUAL, 0, FOUND_VICTIMS_OFF, place_rmid(domain, rmid),
                "stores over %lu bytes, %lu of which the caches hold: MBM total with VictimBW is %lu bytes, expected "
                "%lu to %lu",
                bytes, kept, (uint64_t)r.bytes, (uint64_t)r.lo, (uint64_t)r.hi);
    return ST_OK;
}

static enum status mbm_kinds(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    uint64_t types = 0;

    TRY(test_buffer_local(c, domain, 1, 2 * ROUND_DOWN(load_stream_bytes(c, domain) / 2), &b));
    for (uint32_t i = 0; i < N_KINDS; i++)
        TRY(judge_kind(c, domain, &b, &kinds[i]));
    if (c->machine->cpus[b.cpu].id.vendor == VENDOR_AMD)
        TRY(amd_types(c, b.cpu, &types));
    return types & QOS_EVT_CFG_VICTIM_BW ? judge_victims(c, domain, b.cpu, b.rmids[0]) : ST_OK;
}

/* --- MB-20: one processor, half of them, all ---------------------------------------------------------------------- */

#define PIECE_LEAST (256 * UINT64_C(1024))
#define RMIDS_MOST  64u

struct concurrent_reads {
    uint32_t *cpus, n_cpus;
    uint32_t rmids[RMIDS_MOST], n_rmids;
    uint64_t base, piece;
    struct traffic_part *parts;
    struct traffic_load *loads;
    uint32_t *neighbours, n_neighbours; /* processors of the L3's other clusters */
};

/* Processors of the L3 that are not this cluster's, as far as there is room. Returns how many there are, as
 * domain_cpus() does. */
static uint32_t find_neighbours(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t room)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < c->machine->n_domains; d++)
        if (d != domain && cluster_same_l3(c, domain, d))
            n += domain_cpus(c, d, n < room ? cpus + n : NULL, n < room ? room - n : 0);
    return n;
}

static enum status reads_plan(struct check *c, uint32_t domain, struct concurrent_reads *k)
{
    uint32_t n = c->machine->domains[domain].n_cpus, others = find_neighbours(c, domain, NULL, 0);
    uint64_t left;

    k->cpus = check_alloc(c, (n + 1) * sizeof k->cpus[0]);
    k->neighbours = check_alloc(c, (others + 1) * sizeof k->neighbours[0]);
    k->parts = check_alloc(c, (n + others + 1) * sizeof k->parts[0]);
    k->loads = check_alloc(c, (n + others + 1) * sizeof k->loads[0]);
    if (!k->cpus || !k->neighbours || !k->parts || !k->loads)
        return check_absent(c, "L3 domain %u: no memory for the loads of %u processors", domain, n);
    k->n_cpus = domain_cpus(c, domain, k->cpus, n);
    k->n_neighbours = find_neighbours(c, domain, k->neighbours, others);
    k->n_rmids = domain_rmids_apart(c, domain, false, k->rmids, n < RMIDS_MOST ? n : RMIDS_MOST);
    if (k->n_cpus == 0 || k->n_rmids == 0)
        return check_absent(c, "L3 domain %u: no processor or no free RMID", domain);
    left = memory_left_scattered(c, k->cpus[0]) / k->n_cpus;
    k->piece = load_stream_bytes(c, domain) / 2; /* 128 counts: one of each RMID is 0.8 % of their sum */
    k->piece = ROUND_DOWN(k->piece < left ? k->piece : left);
    if (k->piece < PIECE_LEAST)
        return check_absent(c, "L3 domain %u: %lu bytes of memory for each of %u processors are too few", domain,
                            k->piece, k->n_cpus);
    return memory_scatter_local(c, k->cpus[0], k->n_cpus * k->piece, &k->base);
}

/* n of the loads are judged; `used` of the readings are of MBM total. */
static enum status judge_concurrent_sum(struct check *c, uint32_t domain, const struct experiment *e, uint32_t used,
                                        uint32_t n, uint64_t piece)
{
    double moved = (double)n * (double)piece, count = c->machine->domains[domain].upscaling_factor, spread = 0, least;
    struct reading all = reading_total(domain, 0), local = reading_local(domain, 0);
    const char *many = n == 1 ? "" : "s";
    uint32_t gained = 0;
    bool elsewhere = false;
    enum status st = ST_OK;
    char name[64];

    for (uint32_t i = 0; i < used; i++) {
        all.bytes += e->readings[i].bytes;
        spread += e->readings[i].spread;
        local.bytes += e->n_readings > used ? e->readings[used + i].bytes : 0;
    }
    count *= used;
    /* The finer band of each of them, and what the scatter of the runs may have moved their medians by. */
    least = (1 - BW_FINE_LOSS) * moved - count - spread;
    least = least > (1 - BW_SHARE) * moved - count ? least : (1 - BW_SHARE) * moved - count;
    text_format(name, sizeof name, "MBM total / bytes read, %u processor%s", n, many);
    excludes(c, "a loss", 100 * (moved - least + count) / moved, "%");
    if (!check_measure(c, name, place_domain(domain), all.bytes / moved, "ratio", least / moved,
                       1 + BW_SHARE + count / moved)) {
        if (all.bytes < least && n > 1)
            st = mbm_find_elsewhere(e, 1 - all.bytes / moved, e->n_loads > n, &gained, &elsewhere);
        finding(c, FINDING_UNUSUAL, 0, elsewhere ? FOUND_COUNTED_ELSEWHERE : reading_code(&all, moved),
                elsewhere ? place_rmid(domain, gained) : place_domain(domain),
                "with %u processor%s reading %lu bytes, MBM total of their RMIDs is %lu bytes%s", n, many,
                (uint64_t)moved, (uint64_t)all.bytes,
                elsewhere ? ", and this one, which none of them has, counts most of the rest" : "");
    }
    text_format(name, sizeof name, "reads by %u processor%s", n, many);
    if (e->n_readings > used)
        judge_local_of(c, &all, &local, place_domain(domain), moved, count, name);
    text_format(name, sizeof name, "read rate of %u processor%s", n, many);
    monitor_show_rate(c, domain, name, &e->outcome);
    return st;
}

/* What is lost under one RMID and gained under another is in their sum. Where no RMID lacks bytes, none was gained. */
static void judge_concurrent_rmids(const struct experiment *e, uint32_t used)
{
    struct experiment one = *e;
    double counted = 0, moved = 0;
    bool lacks = false;

    for (uint32_t i = 0; i < used; i++) {
        counted += e->readings[i].bytes;
        moved += e->readings[i].expected;
        lacks |= e->readings[i].bytes < e->readings[i].lo;
    }
    one.n_readings = 1;
    for (uint32_t i = 0; i < used; i++) {
        one.readings = &e->readings[i];
        if (lacks && counted > (1 - BW_SHARE) * moved && counted < (1 + BW_SHARE) * moved)
            one.readings->code = FOUND_COUNTED_ELSEWHERE;
        if (!reading_inside(one.readings, one.readings->bytes))
            experiment_judge(&one, "several processors read at once, under RMIDs that are far apart");
    }
}

/* Loads of the other clusters' processors, each of its own node's memory as far as there is any, under RMID 0. Returns
 * how many there are. */
static uint32_t add_neighbours(struct check *c, const struct concurrent_reads *k, uint32_t at)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->n_neighbours; i++) {
        uint64_t base;

        if (memory_left_scattered(c, k->neighbours[i]) < k->piece ||
            memory_scatter_local(c, k->neighbours[i], k->piece, &base) != ST_OK)
            continue;
        k->parts[at + n] = part_read(0, base, k->piece);
        k->loads[at + n] = (struct traffic_load){ .cpu = k->neighbours[i], .n_parts = 1, .parts = &k->parts[at + n] };
        n++;
    }
    return n;
}

/* The first n processors read at once; of a cluster, together with all of the others' where `neighbours` is set. With
 * fewer RMIDs than processors several have the same one: the sum is judged. */
static enum status reads_run(struct check *c, uint32_t domain, struct concurrent_reads *k, uint32_t n, bool neighbours)
{
    uint32_t used = n < k->n_rmids ? n : k->n_rmids;
    struct experiment e = { .check = c, .loads = k->loads, .n_loads = n, .n_readings = used };
    struct reading *r;

    if (used == 0)
        return check_absent(c, "L3 domain %u: no free RMID", domain);
    TRY_ALLOC(c, r, 2 * (size_t)used, "the readings of all processors");
    e.readings = r;
    for (uint32_t i = 0; i < n; i++) {
        k->parts[i] = part_read(k->rmids[i % used], k->base + i * k->piece, k->piece);
        k->loads[i] = (struct traffic_load){ .cpu = k->cpus[i], .n_parts = 1, .parts = &k->parts[i] };
    }
    for (uint32_t i = 0; i < used; i++) {
        uint64_t bytes = k->piece * (n / used + (i < n % used));

        r[i] = reading_total(domain, k->rmids[i]);
        expect_bandwidth(c, &r[i], (double)bytes);
        expect_fine(c, &r[i]);
    }
    e.n_readings = readings_add_local(c, k->cpus[0], r, used);
    e.n_loads += neighbours ? add_neighbours(c, k, n) : 0;
    TRY(experiment_measure(&e));
    TRY(judge_concurrent_sum(c, domain, &e, used, n, k->piece));
    judge_concurrent_rmids(&e, used);
    return ST_OK;
}

static enum status mbm_concurrent_reads(struct check *c, uint32_t domain)
{
    struct concurrent_reads k = { 0 };

    TRY(reads_plan(c, domain, &k));
    TRY(reads_run(c, domain, &k, 1, false));
    if (k.n_cpus >= 4)
        TRY(reads_run(c, domain, &k, k.n_cpus / 2, false));
    if (k.n_cpus + k.n_neighbours >= 2)
        TRY(reads_run(c, domain, &k, k.n_cpus, true));
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mbm.kinds",
      .title = "Reads, stores, non-temporal stores and copies count as documented",
      .spec = SDM_MBM "; " APM_MBM,
      .covers = "MB-17 MB-18",
      .detects = "stores that count more than their bytes; reads for ownership (RFO) that do not count; victims that "
                 "are configured and do not count",
      .means = "a kind of access counts more or fewer bytes than its lines need",
      .next = "which kind the finding names; `mbm.total` for plain reads; `traffic.closure`",
      .assigned = true,
      .run_domain = mbm_kinds },
    { .id = "mbm.crowd",
      .title = "MBM total matches the bytes read by one, half and all processors",
      .spec = SDM_MBM,
      .covers = "MB-20",
      .detects = "traffic lost, counted twice or under another RMID when many processors read at once",
      .means = "MBM total misses or doubles traffic under concurrency",
      .next = "from how many processors on the ratio is off; `mbm.every-thread`; the read rates in the report",
      .run_domain = mbm_concurrent_reads },
};
CHECK_FAMILY(mbm_kinds, rows, .needs = NEED_TOTAL, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .order = 630, .slow = true);
