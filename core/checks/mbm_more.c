/* Memory bandwidth, more of it: which RMIDs count, how the count grows, and what must not count. */
#include "arch/x86/rdt_regs.h"
#include "core/bits.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/heap.h"
#include "core/stats.h"
#include "core/text.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"

static struct reading total_of(const char *name, uint32_t domain, uint32_t rmid)
{
    return reading_of(name, domain, rmid, QM_EVENT_L3_TOTAL);
}

static bool one_stream(struct check *c, uint32_t cpu, struct traffic_part *parts, uint32_t n_parts, struct reading *r,
                       uint32_t n_readings, struct experiment *e)
{
    struct traffic_load load = { .cpu = cpu, .n_parts = n_parts, .parts = parts };
    bool done;

    *e = (struct experiment){ .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = n_readings };
    done = experiment_run(e);
    e->loads = NULL;
    return done;
}

/* --- MB-09: the count follows the size
 * ------------------------------------------------------------------------------------ */

#define SIZES        4u
#define GAIN_LO      0.92
#define GAIN_HI      1.08
#define OFFSET_BYTES 10e6

static bool gain(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint64_t step = stream_bytes(c, domain) / 8, base = 0;
    uint32_t cpu = 0, rmid = 0, n = 0;
    double x[SIZES], y[SIZES];
    struct line line;
    char where[32];

    if (domain_rmids(c, domain, &rmid, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID or no processor", domain), false;
    step = ROUND_DOWN(step < 2 * MIB ? 2 * MIB : step);
    if (!take_local(c, cpu, SIZES * step, &base, why))
        return false;
    series_begin(c, "bytes counted over bytes read", "bytes", "bytes read", "bytes");
    for (; n < SIZES; n++) {
        struct traffic_part part = part_read(rmid, base, (n + 1) * step);
        struct reading r = total_of("total bytes", domain, rmid);
        struct experiment e;

        expect_bandwidth(c, &r, (double)part.work.bytes);
        if (!one_stream(c, cpu, &part, 1, &r, 1, &e))
            break;
        x[n] = (double)part.work.bytes;
        y[n] = r.bytes;
        series_add(c, x[n], y[n]);
    }
    series_end(c);
    if (n < SIZES)
        return true;
    if (stats_robust_line(x, y, n, &line) != ST_OK)
        return cannot_measure(c, ST_RANGE, cpu, "the line through the sizes"), true;
    domain_name(domain, where);
    if (!measure(c, "bytes counted for one more byte read", where, line.slope, "ratio", GAIN_LO, GAIN_HI))
        fail(c, "%s: one more byte read is counted as %u thousandths", where,
             (unsigned)(line.slope < 0 ? 0 : 1000 * line.slope));
    if (!measure(c, "bytes counted for nothing read", where, line.intercept, "bytes", -OFFSET_BYTES, OFFSET_BYTES))
        fail(c, "%s: the line through the counts begins at %lld bytes", where, (long long)line.intercept);
    return true;
}

static enum verdict check_gain(struct check *c)
{
    return each_domain(c, gain);
}

/* --- MB-14: what stays in the caches is no traffic
 * ------------------------------------------------------------------------ */

#define RESIDENT_PASSES 4u
#define RESIDENT_SHARE  0.05

static bool resident(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t bytes = small_fill_bytes(c, domain), base = 0, loaded = RESIDENT_PASSES * bytes;
    uint32_t cpu = 0, rmids[2];
    struct traffic_part parts[2];
    struct reading r;
    struct experiment e;

    if (domain_rmids(c, domain, rmids, 2) < 2 || domain_cpus(c, domain, &cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than two free RMIDs, or no processor", domain), false;
    if (!take_local(c, cpu, bytes, &base, why))
        return false;
    parts[0] = part_fill(c, domain, rmids[1], base, bytes);
    parts[1] = part_read(rmids[0], base, bytes);
    parts[1].work.passes = RESIDENT_PASSES;
    r = total_of("total bytes of a loop over what is in the L3", domain, rmids[0]);
    r.lo = 0;
    r.hi = RESIDENT_SHARE * (double)loaded + d->upscaling_factor;
    if (one_stream(c, cpu, parts, 2, &r, 1, &e))
        experiment_judge(&e, "the buffer is in the L3, and nothing had to come from memory");
    return true;
}

static enum verdict check_resident(struct check *c)
{
    return each_domain(c, resident);
}

/* --- MB-15: RMIDs are told apart
 * ------------------------------------------------------------------------------------------- */

/* Total bandwidth of every RMID but `but`, before and after a stream under that one. */
static struct qm_pair *all_totals(struct check *c, struct qm_domain *d)
{
    uint32_t n = d->max_rmid + 1;
    struct qm_pair *pairs = heap_alloc(n * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_TOTAL };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, n);
    if (st == ST_OK)
        return pairs;
    cannot_measure(c, st, d->cpu, "IA32_QM_CTR");
    heap_free(pairs);
    return NULL;
}

static void judge_others(struct check *c, const struct qm_domain *d, const struct qm_pair *before,
                         const struct qm_pair *after, uint32_t but, uint64_t stream)
{
    double most = 0, limit = (double)stream / 2 < IDLE_BYTES ? (double)stream / 2 : IDLE_BYTES;
    uint32_t most_rmid = 0, compared = 0;
    char where[64];

    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes;

        if (i == but || rmid_in_background(c, i) || before[i].status != ST_OK || after[i].status != ST_OK)
            continue;
        bytes = (double)qm_bytes(d, qm_delta(before[i].sample.counts, after[i].sample.counts, d->counter_width));
        compared++;
        if (bytes > most) {
            most = bytes;
            most_rmid = i;
        }
    }
    text_format(where, sizeof where, "L3 domain %u, RMID %u beside RMID %u", d->index, most_rmid, but);
    evidence_swept(c, "total bandwidth of the other RMIDs", compared);
    if (measure(c, "most traffic of an RMID without a task", where, most, "bytes", 0, limit))
        return;
    evidence_msr(c, d->cpu, IA32_QM_CTR, before[most_rmid].sample.raw, before[most_rmid].sample.tsc);
    evidence_msr(c, d->cpu, IA32_QM_CTR, after[most_rmid].sample.raw, after[most_rmid].sample.tsc);
    fail(c, "%s: %llu bytes were read under RMID %u, and %llu are counted under RMID %u", where,
         (unsigned long long)stream, but, (unsigned long long)most, most_rmid);
}

static bool stream_and_look(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base,
                            uint64_t bytes)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *before = all_totals(c, d), *after = NULL;
    struct traffic_part part = part_read(rmid, base, bytes);
    struct reading r = total_of("total bytes of the RMID that streams", domain, rmid);
    struct experiment e;

    if (before && one_stream(c, cpu, &part, 1, &r, 1, &e))
        after = all_totals(c, d);
    if (after) {
        experiment_judge(&e, "a buffer was read under this RMID");
        judge_others(c, d, before, after, rmid, bytes * e.n_runs);
    }
    heap_free(before);
    heap_free(after);
    return after != NULL;
}

/* As cmt.alias does for occupancy: every r XOR 2^k is among the others. */
static bool alias(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t max = c->machine->domains[domain].max_rmid, tried[2] = { 3, max }, cpu = 0, n = 0;
    uint64_t bytes = stream_bytes(c, domain) / 2, base = 0;

    if (domain_cpus(c, domain, &cpu, 1) == 0 || !take_local(c, cpu, bytes, &base, why))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (tried[i] > max || rmid_in_background(c, tried[i]) || (i == 1 && max == tried[0]))
            continue;
        n++;
        if (!stream_and_look(c, domain, cpu, tried[i], base, bytes))
            break;
    }
    if (n == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: RMIDs 3 and %u are in use, or not there", domain, max);
    return n > 0;
}

static enum verdict check_alias(struct check *c)
{
    return each_domain(c, alias);
}

/* --- MB-12: high RMIDs, where an erratum has their counts corrected
 * -------------------------------------------------------- */

/* Linux resctrl monitor.c, for errata BDF102 and SKX99: by the number of RMIDs over 8, the highest RMID that counts
 * right, and what a higher one's count is multiplied with, in millionths. */
static const struct correction {
    uint32_t threshold, millionths;
} corrections[] = {
    { 7, 1000000 },   { 15, 1000000 },  { 15, 969650 },   { 31, 1000000 },  { 31, 1066667 },  { 31, 969650 },
    { 47, 1142857 },  { 63, 1000000 },  { 63, 1185115 },  { 63, 1066553 },  { 79, 1454545 },  { 95, 1000000 },
    { 95, 1230769 },  { 95, 1142857 },  { 95, 1066667 },  { 127, 1000000 }, { 127, 1254863 }, { 127, 1185255 },
    { 151, 1000000 }, { 127, 1066667 }, { 167, 1000000 }, { 159, 1454334 }, { 183, 1000000 }, { 127, 969744 },
    { 191, 1280246 }, { 191, 1230921 }, { 215, 1000000 }, { 191, 1143118 },
};

static bool has_erratum(const struct cpu_identity *id)
{
    return id->vendor == VENDOR_INTEL && id->family == 6 && (id->model == 0x4F || id->model == 0x55);
}

/* The highest RMID against RMID 1, the same stream under both. Where no erratum is known, no factor is due. */
static bool high_rmid(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t max = c->machine->domains[domain].max_rmid, n = (max + 1) / 8, cpu = 0, low = 0;
    bool erratum = has_erratum(&c->machine->cpus[c->machine->reference].id);
    uint64_t bytes = stream_bytes(c, domain) / 2, base = 0;
    struct traffic_part parts[2];
    struct reading r[2];
    struct experiment e;
    double factor = 1;
    char where[48];

    if (domain_rmids(c, domain, &low, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0 || rmid_in_background(c, max) ||
        low == max)
        return text_format(why, WHY_SIZE, "L3 domain %u: no two free RMIDs, or no processor", domain), false;
    if (erratum && n >= 1 && n <= sizeof corrections / sizeof corrections[0] && max > corrections[n - 1].threshold)
        factor = corrections[n - 1].millionths / 1e6;
    if (!take_local(c, cpu, 2 * bytes, &base, why))
        return false;
    parts[0] = part_read(low, base, bytes);
    parts[1] = part_read(max, base + bytes, bytes);
    r[0] = total_of("total bytes under a low RMID", domain, low);
    r[1] = total_of("total bytes under the highest RMID, not corrected", domain, max);
    expect_bandwidth(c, &r[0], (double)bytes);
    if (!one_stream(c, cpu, parts, 2, r, 2, &e))
        return true;
    experiment_judge(&e, "a buffer was read under this RMID");
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, max);
    if (factor > 1 || factor < 1)
        note(c, "%s: BDF102, SKX99: counts above RMID %u are multiplied with %u millionths", where,
             corrections[n - 1].threshold, corrections[n - 1].millionths);
    if (!measure(c, "bytes under the highest RMID, corrected, over those read", where,
                 factor * r[1].bytes / (double)bytes, "ratio", 1 - BW_SHARE, 1 + BW_SHARE))
        warn(c, "%s: %llu bytes were read, %llu are counted, %llu after the correction that is known", where,
             (unsigned long long)bytes, (unsigned long long)r[1].bytes, (unsigned long long)(factor * r[1].bytes));
    return true;
}

static enum verdict check_high_rmid(struct check *c)
{
    return each_domain(c, high_rmid);
}

const struct check_row mbm_more_checks[] = {
    { .id = "mbm.gain",
      .title = "Twice the traffic is twice the count",
      .spec = SDM_MBM "; Linux selftests/resctrl mbm_test.c",
      .rows = "MB-09",
      .catches = "a wrong gain, an offset",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_gain },
    { .id = "mbm.resident",
      .title = "What stays in the L3 is no traffic",
      .spec = SDM_MBM " (bandwidth to the next level of the hierarchy)",
      .rows = "MB-14",
      .catches = "misses of an L2 counted as traffic to memory",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_resident },
    { .id = "mbm.alias",
      .title = "What one RMID moves is counted under no other",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .rows = "MB-15",
      .catches = "counters selected with fewer bits than CPUID says, a shifted RMID",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_alias },
    { .id = "mbm.high-rmid",
      .title = "The highest RMID counts like a low one, after the correction that its erratum asks for",
      .spec = "Linux resctrl monitor.c, correction factors; errata BDF102, SKX99",
      .rows = "MB-12",
      .catches = "an erratum beyond what is documented",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .run = check_high_rmid },
};
