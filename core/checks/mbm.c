/* Memory bandwidth. Witness: the bytes that a loop must have asked for, from memory that was in no cache.
 *
 * Linux judges MBM over a second against everything else that runs, and gives no verdict below 750 MiB/s. Here the RMID
 * is tagged for the loop alone and bytes are compared, not rates, so the noise is what an idle RMID shows (mbm.idle),
 * and slow machines can be judged as well.
 */
#include "arch/x86/rdt_regs.h"
#include "core/bits.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/heap.h"
#include "core/stats.h"
#include "core/text.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define SDM_QM  "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define SDM_USE "SDM vol. 3B 17.16.8 Monitoring Programming Considerations"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 (the RMID at the time of the access is charged)"

static struct reading total_of(uint32_t domain, uint32_t rmid)
{
    return reading_of("total bytes", domain, rmid, QM_EVENT_L3_TOTAL);
}

static struct reading local_of(uint32_t domain, uint32_t rmid)
{
    return reading_of("local bytes", domain, rmid, QM_EVENT_L3_LOCAL);
}

/* One processor, free RMIDs below the erratum's threshold, and local memory. */
struct bench {
    uint32_t cpu;
    uint32_t rmids[2];
    uint64_t base, bytes;
};

static bool bench_set_up(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct bench *b,
                         char why[WHY_SIZE])
{
    if (domain_rmids(c, domain, b->rmids, n_rmids) < n_rmids)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than %u free RMIDs", domain, n_rmids), false;
    if (domain_cpus(c, domain, &b->cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain), false;
    b->bytes = bytes;
    return take_local(c, b->cpu, bytes, &b->base, why);
}

/* The least that is worth counting: 32 counts, one more or less is 3 %. */
static uint64_t slice_bytes(const struct check *c, uint32_t domain)
{
    uint64_t bytes = 32 * (uint64_t)c->machine->domains[domain].upscaling_factor;

    return bytes > MIB ? ROUND_DOWN(bytes) : MIB;
}

/* --- MB-01: an RMID without a task moves nothing ------------------------------------------------------------------ */

#define IDLE_NS UINT64_C(1000000000)

/* Total bandwidth counts of every RMID. NULL: cannot_measure() was called. */
static struct qm_pair *read_totals(struct check *c, struct qm_domain *d)
{
    uint32_t n = d->max_rmid + 1, readable = 0;
    struct qm_pair *pairs = heap_alloc(n * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;
    bool again = false;

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_TOTAL };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, n);
    /* AMD says Unavailable once, when it begins to track an RMID: APM vol. 2 19.3.3. */
    for (uint32_t i = 0; i < n; i++)
        again |= pairs && pairs[i].status == ST_UNAVAILABLE;
    if (st == ST_OK && again)
        st = qm_read_many(c->platform, d, pairs, n);
    /* An RMID that does not answer is qm.every-rmid's business; one at least must. */
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        readable += pairs[i].status == ST_OK;
    if (st == ST_OK && readable == 0)
        st = pairs[0].status;
    if (st == ST_OK)
        return pairs;
    cannot_measure(c, st, d->cpu, "IA32_QM_CTR");
    heap_free(pairs);
    return NULL;
}

static void judge_idle(struct check *c, const struct qm_domain *d, const struct qm_pair *before,
                       const struct qm_pair *after)
{
    double most = 0;
    uint32_t most_rmid = 0, compared = 0;
    char where[48];

    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes;

        if (rmid_in_background(c, i) || before[i].status != ST_OK || after[i].status != ST_OK)
            continue;
        bytes = (double)qm_bytes(d, qm_delta(before[i].sample.counts, after[i].sample.counts, d->counter_width));
        compared++;
        if (bytes > most || compared == 1) {
            most = bytes;
            most_rmid = i;
        }
        if (bytes > IDLE_BYTES) {
            evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel(i, QM_EVENT_L3_TOTAL), ST_OK, 0);
            evidence_msr(c, d->cpu, IA32_QM_CTR, before[i].sample.raw, before[i].sample.tsc);
            evidence_msr(c, d->cpu, IA32_QM_CTR, after[i].sample.raw, after[i].sample.tsc);
            fail(c, "L3 domain %u, RMID %u: %llu bytes in a second, and no processor is tagged with it", d->index, i,
                 (unsigned long long)bytes);
        }
    }
    text_format(where, sizeof where, "L3 domain %u, RMID %u", d->index, most_rmid);
    measure(c, "most traffic of an RMID without a task, in 1 s", where, most, "bytes", -NO_BOUND, IDLE_BYTES);
    evidence_swept(c, "total bandwidth of RMIDs that no processor is tagged with", compared);
}

struct totals {
    struct qm_pair *pairs; /* of every RMID of one domain */
};

/* All domains over the same second. */
static enum verdict check_idle(struct check *c)
{
    uint32_t n = c->machine->n_domains, measured = 0;
    struct totals *before = heap_alloc((n + 1) * sizeof(before[0]));

    if (before == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_QM_CTR");
    for (uint32_t i = 0; i < n; i++)
        if (domain_qm(c, i))
            before[i].pairs = read_totals(c, domain_qm(c, i));
    c->platform->ops->stall(c->platform->machine, IDLE_NS);
    for (uint32_t i = 0; i < n; i++) {
        struct qm_domain *d = domain_qm(c, i);
        struct qm_pair *after = before[i].pairs && d ? read_totals(c, d) : NULL;

        if (after) {
            judge_idle(c, d, before[i].pairs, after);
            measured++;
        }
        heap_free(after);
        heap_free(before[i].pairs);
    }
    heap_free(before);
    return measured || c->verdict != VERDICT_PASS ? c->verdict
                                                  : skip(c, "no L3 domain has a processor that takes work");
}

/* --- MB-02: bytes read are bytes counted -------------------------------------------------------------------------- */

static bool total(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    char where[32];

    e.flags = experiment_effort(domain);
    if (!bench_set_up(c, domain, 1, stream_bytes(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)b.bytes);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "the buffer was in no cache and was read once");
    domain_name(domain, where);
    if (e.outcome.tsc_ticks)
        measure(c, "rate of the stream", where,
                (double)e.outcome.moved_bytes * (double)c->platform->tsc_hz / (double)e.outcome.tsc_ticks / 1048576,
                "MiB/s", -NO_BOUND, NO_BOUND);
    return true;
}

static enum verdict check_total(struct check *c)
{
    return each_domain(c, total);
}

/* --- MB-04, MB-05, MB-06: local and total ------------------------------------------------------------------------- */

#define LOCAL_SHARE_LO  0.92 /* MB-05 */
#define REMOTE_SHARE_HI 0.08 /* MB-06 */

/* total and local of one stream, r[0] and r[1]: one run if both lie where `local` says that local traffic goes, else
 * the median of five. Bands of the rules themselves are ratios, and the caller's business. */
static bool both(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base, uint64_t bytes,
                 bool is_local, struct reading r[2])
{
    struct traffic_part part = part_read(rmid, base, bytes);
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };

    r[0] = total_of(domain, rmid);
    r[1] = local_of(domain, rmid);
    expect_bandwidth(c, &r[0], (double)bytes);
    if (is_local)
        r[1].lo = (double)bytes * LOCAL_SHARE_LO;
    else
        r[1].hi = (double)bytes * REMOTE_SHARE_HI;
    if (!experiment_run(&e))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        r[i].lo = 0;
        r[i].hi = NO_BOUND;
    }
    experiment_judge(&e, "a stream was read"); /* a step back is anybody's business */
    return true;
}

#define PAIRS_LOOKED_AT 5u

/* MB-04: in each single sample. */
static bool not_above(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    double unit = c->machine->domains[domain].upscaling_factor;
    uint64_t slice = slice_bytes(c, domain);
    struct bench b;
    char where[48];

    if (!bench_set_up(c, domain, 1, PAIRS_LOOKED_AT * slice, &b, why))
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

static enum verdict check_not_above(struct check *c)
{
    return each_domain(c, not_above);
}

static double share(const struct reading r[2])
{
    return r[0].bytes > 0 ? r[1].bytes / r[0].bytes : 0;
}

static bool local(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct reading r[2];
    char where[48];

    if (!c->machine->srat_present && c->machine->n_packages > 1)
        return text_format(why, WHY_SIZE, "several packages and no SRAT: which memory is local is not known"), false;
    if (!bench_set_up(c, domain, 1, stream_bytes(c, domain), &b, why))
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

static enum verdict check_local(struct check *c)
{
    return each_domain(c, local);
}

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
    if (!measure(c, "total bytes of remote memory", where, r[0].bytes, "bytes", band.lo, band.hi))
        fail(c, "%s: %llu bytes of remote memory were read, total bandwidth is %llu", where, (unsigned long long)bytes,
             (unsigned long long)r[0].bytes);
    if (!measure(c, "local share of remote traffic", where, share(r), "ratio", 0, REMOTE_SHARE_HI))
        fail(c, "%s: remote memory was read, and local bandwidth is %llu of %llu bytes", where,
             (unsigned long long)r[1].bytes, (unsigned long long)r[0].bytes);
    return true;
}

static enum verdict check_remote(struct check *c)
{
    return each_domain(c, remote);
}

/* --- MB-07: a constant load never steps back ---------------------------------------------------------------------- */

#define SAMPLES 20u

static bool steady(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint64_t slice = slice_bytes(c, domain);
    struct bench b;
    double unit = c->machine->domains[domain].upscaling_factor;
    bool going;

    if (!bench_set_up(c, domain, 1, SAMPLES * slice, &b, why))
        return false;
    going = true;
    series_begin(c, "bytes counted for each equal load", "bytes", "sample", "");
    for (uint32_t i = 0; i < SAMPLES && going; i++) {
        struct traffic_part part = part_read(b.rmids[0], b.base + i * slice, slice);
        struct traffic_load load = { .cpu = b.cpu, .n_parts = 1, .parts = &part };
        struct reading r = total_of(domain, b.rmids[0]);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        /* The slices are distinct: one cleaning serves all. */
        e.flags = EXPERIMENT_ONCE | (i ? EXPERIMENT_WARM : 0);
        r.lo = 0;
        r.hi = 2 * (double)slice + unit; /* a step back is nearly 2^width counts forward */
        going = experiment_run(&e);
        if (going) {
            series_add(c, i, r.bytes);
            experiment_judge(&e, "every sample carries the same load");
        }
    }
    series_end(c);
    return true;
}

static enum verdict check_steady(struct check *c)
{
    return each_domain(c, steady);
}

/* --- MB-10: reading does not count, and does not reset -------------------------------------------------------------
 */

#define SELECTIONS 1000u

static bool select_others(struct check *c, struct qm_domain *d, uint32_t rmid)
{
    struct qm_pair *pairs = heap_alloc(SELECTIONS * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0, other = 0; pairs && i < SELECTIONS; i++) {
        other = other == d->max_rmid ? 0 : other + 1;
        if (other == rmid)
            other = other == d->max_rmid ? 0 : other + 1;
        pairs[i] = (struct qm_pair){ .rmid = other, .event = QM_EVENT_L3_TOTAL };
    }
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, SELECTIONS);
    heap_free(pairs);
    if (st != ST_OK)
        cannot_measure(c, st, d->cpu, "IA32_QM_CTR");
    return st == ST_OK;
}

static bool reading_resets(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    struct bench b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r, whole;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    struct qm_sample first;
    char where[48];

    if (!bench_set_up(c, domain, 1, stream_bytes(c, domain) / 2, &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    r = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &r, (double)b.bytes);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "a buffer was read");
    first = r.before; /* of the last run */
    if (!select_others(c, d, b.rmids[0]) || !experiment_run(&e))
        return true;
    experiment_judge(&e, "it was read once more, after 1000 reads of other RMIDs");
    if (e.n_runs > 1 || e.disturbed > 0)
        return true; /* then more than two streams went by */
    whole = total_of(domain, b.rmids[0]);
    expect_bandwidth(c, &whole, 2.0 * (double)b.bytes);
    whole.bytes = (double)qm_bytes(d, qm_delta(first.counts, r.after.counts, d->counter_width));
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, b.rmids[0]);
    if (!measure(c, "total bytes over both streams", where, whole.bytes, "bytes", whole.lo, whole.hi))
        fail(c,
             "%s: two streams of %llu bytes, and the counter moved by %llu from the start of the first to the end of "
             "the second",
             where, (unsigned long long)b.bytes, (unsigned long long)whole.bytes);
    return true;
}

static enum verdict check_reading_resets(struct check *c)
{
    return each_domain(c, reading_resets);
}

/* --- MB-13, MB-11: the tag of the moment is charged ----------------------------------------------------------------
 */

static bool switching(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    uint64_t half;

    if (!bench_set_up(c, domain, 2, stream_bytes(c, domain), &b, why))
        return false;
    half = ROUND_DOWN(b.bytes / 2);
    load.cpu = b.cpu;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = part_read(b.rmids[i], b.base + i * half, half);
        r[i] = total_of(domain, b.rmids[i]);
        expect_bandwidth(c, &r[i], (double)half);
    }
    if (experiment_run(&e))
        experiment_judge(&e, "half the buffer was read under each of two RMIDs");
    return true;
}

static enum verdict check_switching(struct check *c)
{
    return each_domain(c, switching);
}

#define WAVE 7u /* RMIDs below the erratum's lowest threshold */

static bool wave(struct check *c, uint32_t domain, const uint32_t *cpus, const uint32_t *rmids, uint32_t n,
                 uint64_t base, uint64_t bytes)
{
    struct traffic_part parts[WAVE];
    struct traffic_load loads[WAVE];
    struct reading r[WAVE];
    char names[WAVE][32];
    struct experiment e = { .check = c, .loads = loads, .n_loads = n, .readings = r, .n_readings = n };

    for (uint32_t i = 0; i < n; i++) {
        parts[i] = part_read(rmids[i], base + i * bytes, bytes);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
        text_format(names[i], sizeof names[i], "total bytes of cpu %u", cpus[i]);
        r[i] = total_of(domain, rmids[i]);
        r[i].name = names[i];
        expect_bandwidth(c, &r[i], (double)bytes);
    }
    if (!experiment_run(&e))
        return false;
    experiment_judge(&e, "its processor read a buffer under it");
    return true;
}

static bool every_thread(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[WAVE], at_once, n;
    uint32_t *cpus = heap_alloc((n_cpus + 1) * sizeof(cpus[0]));
    uint64_t bytes = 2 * slice_bytes(c, domain), base = 0;
    bool done = false;

    if (cpus == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors"), true;
    n = domain_cpus(c, domain, cpus, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    at_once = domain_rmids(c, domain, rmids, n < WAVE ? n : WAVE);
    if (at_once == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: no processor or no free RMID", domain);
    else
        done = take_local(c, cpus[0], at_once * bytes, &base, why);
    for (uint32_t i = 0; done && i < n; i += at_once) {
        uint32_t k = n - i < at_once ? n - i : at_once;

        if (!wave(c, domain, cpus + i, rmids, k, base, bytes))
            continue; /* the others go on; the processor is named */
    }
    heap_free(cpus);
    return done;
}

static enum verdict check_every_thread(struct check *c)
{
    return each_domain(c, every_thread);
}

/* --- MB-08, MB-22: width ------------------------------------------------------------------------------------------ */

#define CARRY_BYTES  (48 * MIB) /* what a carry may cost; a full wrap of 24 bits at 32 KiB is 512 GiB */
#define WRAP_SECONDS 20u        /* what a full wrap may cost */
#define WRAP_LOADS   32u
#define WRAP_SAMPLES 24u

/* The highest bit into which the counter can be made to carry within `bytes`; 0 where not even the lowest can.
 * *counts gets how far that is. */
static uint32_t best_carry(const struct qm_domain *d, uint64_t at, uint64_t bytes, uint64_t *counts)
{
    uint32_t best = 0;

    for (uint32_t bit = 1; bit <= d->counter_width && bit < 63; bit++) {
        uint64_t distance = BIT(bit) - (at & low_bits(bit));

        if (distance <= bytes / d->upscaling_factor) {
            best = bit;
            *counts = distance;
        }
    }
    return best;
}

/* Among the RMIDs that may be judged, the one whose counter stands best for a carry. */
static uint32_t choose_rmid(struct check *c, uint32_t domain, const struct qm_pair *totals, uint64_t bytes,
                            uint32_t *rmid, uint64_t *counts)
{
    const struct qm_domain *d = &c->tools->qm[domain];
    uint32_t rmids[64], n = domain_rmids(c, domain, rmids, 64), best = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t distance = 0;
        uint32_t bit =
            totals[rmids[i]].status == ST_OK ? best_carry(d, totals[rmids[i]].sample.counts, bytes, &distance) : 0;

        if (bit > best) {
            best = bit;
            *rmid = rmids[i];
            *counts = distance;
        }
    }
    return best;
}

struct carry {
    uint32_t cpu, rmid, bit, least_bit;
    uint64_t base, bytes; /* the buffer: read cold, as often as it takes */
    uint64_t to_move;
};

/* Which RMID, how far, and memory for it. ST_ABSENT: why[] says what is missing. ST_NOT_RUN: said already. */
static enum status carry_plan(struct check *c, uint32_t domain, struct carry *k, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = read_totals(c, d);
    uint64_t counts = 0, least = slice_bytes(c, domain);

    if (totals == NULL)
        return ST_NOT_RUN;
    k->bit = choose_rmid(c, domain, totals, CARRY_BYTES, &k->rmid, &counts);
    heap_free(totals);
    if (k->bit < k->least_bit)
        return text_format(why, WHY_SIZE, "L3 domain %u: no carry into bit %u lies within %llu MiB", domain,
                           k->least_bit, (unsigned long long)(CARRY_BYTES >> 20)),
               ST_ABSENT;
    k->to_move = counts * d->upscaling_factor / 8 * 9 + least; /* well beyond it: no band decides whether it carried */
    k->bytes = left_any(c, k->cpu) / 2;
    k->bytes = ROUND_DOWN(k->bytes < k->to_move ? k->bytes : k->to_move);
    if (k->bytes < least)
        k->bytes = least;
    return take_any(c, k->cpu, k->bytes, &k->base, why) ? ST_OK : ST_ABSENT;
}

/* Cold streams until the carry lies behind. */
static enum status carry_over(struct check *c, uint32_t domain, const struct carry *k)
{
    struct traffic_part part = part_read(k->rmid, k->base, k->bytes);
    struct traffic_load load = { .cpu = k->cpu, .n_parts = 1, .parts = &part };
    enum status st = ST_OK;

    for (uint64_t moved = 0; moved < k->to_move && st == ST_OK; moved += k->bytes) {
        struct reading r = total_of(domain, k->rmid);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE;
        e.tries = 1;
        expect_bandwidth(c, &r, (double)k->bytes);
        st = experiment_try(&e);
        if (st == ST_OK)
            experiment_judge(&e, "the loads carry over a power of two of the counter");
        else if (st != ST_DISTURBED)
            experiment_failed(&e, st);
    }
    return st;
}

/* A counter narrower than CPUID says falls back to 0 where it should carry, and its delta is then nearly 2^width. Every
 * carry that can be afforded proves one bit; the RMID whose counter already stands high proves most. A run that an SMI
 * fell into may have carried already, so the next try plans anew. */
static bool carry_at_least(struct check *c, uint32_t domain, uint32_t least_bit, char why[WHY_SIZE])
{
    struct carry k = { .least_bit = least_bit };
    enum status st = ST_DISTURBED;
    char where[48];

    if (domain_cpus(c, domain, &k.cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain), false;
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++) {
        tools_reset(c->tools);
        st = carry_plan(c, domain, &k, why);
        if (st == ST_OK)
            st = carry_over(c, domain, &k);
    }
    if (st == ST_ABSENT)
        return false;
    if (st == ST_DISTURBED)
        cannot_measure(c, st, k.cpu, "the carry");
    if (st != ST_OK)
        return true;
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, k.rmid);
    measure(c, "bit of the counter that was carried into", where, k.bit, "bit", -NO_BOUND,
            c->machine->domains[domain].counter_width);
    return true;
}

static bool carry(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    return carry_at_least(c, domain, 1, why);
}

static enum verdict check_carry(struct check *c)
{
    return each_domain(c, carry);
}

/* MB-22 */
static bool top_bit(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = read_totals(c, d);
    uint64_t all = 0;
    char where[32];

    (void)why;
    if (totals == NULL)
        return true;
    for (uint32_t i = 0; i <= d->max_rmid; i++)
        if (totals[i].status == ST_OK)
            all |= totals[i].sample.counts;
    heap_free(totals);
    domain_name(domain, where);
    evidence_swept(c, "total bandwidth counts of every RMID held against the width", d->max_rmid + 1);
    if (!measure(c, "bits that some counter has used", where, bits_for(all), "bits", 0, d->counter_width))
        fail(c, "%s: a counter of %u bits shows %u bits", where, d->counter_width, bits_for(all));
    return true;
}

static enum verdict check_top_bit(struct check *c)
{
    return each_domain(c, top_bit);
}

/* Loads of all processors of the domain over one buffer of several times the L3, each a part of it. */
struct wrap {
    uint32_t rmid, n, bad_cpu;
    uint32_t cpus[WRAP_LOADS];
    struct traffic_part parts[WRAP_LOADS];
    struct traffic_load loads[WRAP_LOADS];
    uint64_t base, piece;
    uint64_t distance_bytes; /* from where the counter stands to its wrap */
    double rate;             /* bytes a second, all processors together   */
};

static void wrap_loads(struct wrap *w, uint64_t bytes_each, uint64_t bytes_each_run)
{
    uint64_t passes = bytes_each_run / (bytes_each * w->n);

    for (uint32_t i = 0; i < w->n; i++) {
        w->parts[i] = part_read(w->rmid, w->base + i * w->piece, bytes_each);
        w->parts[i].work.passes = passes < 1 ? 1 : (uint32_t)passes;
        w->loads[i] = (struct traffic_load){ .cpu = w->cpus[i], .n_parts = 1, .parts = &w->parts[i] };
    }
}

/* The RMID that stands nearest to its wrap. */
static bool nearest_to_wrap(struct check *c, uint32_t domain, uint32_t *rmid)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = read_totals(c, d);
    uint32_t rmids[64], n = domain_rmids(c, domain, rmids, 64);
    uint64_t highest = 0;

    *rmid = 0;
    for (uint32_t i = 0; totals && i < n; i++) {
        uint64_t counts = totals[rmids[i]].sample.counts & low_bits(d->counter_width);

        if (totals[rmids[i]].status == ST_OK && (*rmid == 0 || counts > highest)) {
            highest = counts;
            *rmid = rmids[i];
        }
    }
    heap_free(totals);
    return *rmid != 0;
}

/* Processors, RMID and memory. */
static bool wrap_set_up(struct check *c, uint32_t domain, struct wrap *w, char why[WHY_SIZE])
{
    uint64_t span = 4 * c->machine->domains[domain].l3_bytes, left;

    w->n = domain_cpus(c, domain, w->cpus, WRAP_LOADS);
    w->n = w->n < WRAP_LOADS ? w->n : WRAP_LOADS;
    if (w->n == 0 || !nearest_to_wrap(c, domain, &w->rmid))
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor or no free RMID", domain), false;
    left = left_any(c, w->cpus[0]);
    w->piece = ROUND_DOWN((left < span ? left : span) / w->n);
    return take_any(c, w->cpus[0], w->piece * w->n, &w->base, why);
}

/* How far, and how fast: a small load on all processors tells. */
static enum status wrap_distance(struct check *c, struct qm_domain *d, struct wrap *w)
{
    struct traffic_outcome outcome;
    struct qm_sample s;
    enum status st;

    wrap_loads(w, w->piece < MIB ? w->piece : MIB, 0);
    st = traffic_run(c->platform, w->loads, w->n, 0, &outcome, &w->bad_cpu);
    if (st != ST_OK)
        return st;
    w->bad_cpu = d->cpu;
    st = qm_read_wait(c->platform, d, w->rmid, QM_EVENT_L3_TOTAL, SAMPLE_TRIES, &s, NULL);
    if (st != ST_OK)
        return st;
    evidence_msr(c, d->cpu, IA32_QM_CTR, s.raw, s.tsc);
    w->distance_bytes = qm_bytes(d, BIT(d->counter_width) - (s.counts & low_bits(d->counter_width)));
    if (outcome.tsc_ticks)
        w->rate = (double)outcome.moved_bytes * (double)c->platform->tsc_hz / (double)outcome.tsc_ticks;
    return ST_OK;
}

/* Equal loads until the counter has gone round: the sample that holds the wrap must be like the others. The lines that
 * stay in the L3 from pass to pass are the same in each, so the samples are judged against their median. */
static void run_past_wrap(struct check *c, struct qm_domain *d, struct wrap *w)
{
    double deltas[WRAP_SAMPLES], sorted[WRAP_SAMPLES], median;
    uint64_t last = 0;
    uint32_t n = 0, wraps = 0;
    char where[48];

    text_format(where, sizeof where, "L3 domain %u, RMID %u", d->index, w->rmid);
    series_begin(c, "bytes counted for each equal load", "bytes", "sample", "");
    for (; n < WRAP_SAMPLES; n++) {
        struct reading r = total_of(d->index, w->rmid);
        struct experiment e = { .check = c, .loads = w->loads, .n_loads = w->n, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE | (n ? EXPERIMENT_WARM : 0);
        if (!experiment_run(&e))
            break;
        deltas[n] = sorted[n] = r.bytes;
        series_add(c, n, r.bytes);
        wraps += r.after.counts < r.before.counts || (n && r.before.counts < last);
        last = r.after.counts;
    }
    series_end(c);
    if (n < WRAP_SAMPLES)
        return;
    stats_sort(sorted, n);
    median = stats_sorted_median(sorted, n);
    if (!measure(c, "wraps seen", where, wraps, "wraps", 1, NO_BOUND))
        fail(c, "%s: the traffic was enough for one wrap, and the counter never fell", where);
    for (uint32_t i = 1; i < n; i++) /* the first one is cold */
        if (!measure(c, "sample over the median of all", where, median > 0 ? deltas[i] / median : 0, "ratio",
                     1 - BW_SHARE, 1 + BW_SHARE))
            fail(c, "%s: sample %u shows %llu bytes, the median of equal loads is %llu", where, i,
                 (unsigned long long)deltas[i], (unsigned long long)median);
}

static bool wrap_within_reach(struct check *c, uint32_t domain, struct wrap *w, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    enum status st;

    if (!wrap_set_up(c, domain, w, why))
        return false;
    st = wrap_distance(c, d, w);
    if (st != ST_OK)
        return cannot_measure(c, st, w->bad_cpu, "the way to the wrap"), true;
    if (w->rate <= 0 || (double)w->distance_bytes / w->rate > WRAP_SECONDS) {
        text_format(why, WHY_SIZE,
                    "L3 domain %u, RMID %u: the wrap is %llu MiB away: more than %u s at the %llu MiB/s measured",
                    domain, w->rmid, (unsigned long long)(w->distance_bytes >> 20), WRAP_SECONDS,
                    (unsigned long long)(w->rate / 1048576));
        return false;
    }
    /* 24 samples for 16 of them: a quarter of a buffer of four times the L3 may stay there and not be counted. */
    wrap_loads(w, w->piece, w->distance_bytes / (WRAP_SAMPLES - 8));
    run_past_wrap(c, d, w);
    return true;
}

static bool wrap(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct wrap *w;
    bool done;

    /* The short way: some RMID stands just before its wrap. */
    if (carry_at_least(c, domain, c->machine->domains[domain].counter_width, why))
        return true;
    tools_reset(c->tools);
    w = heap_alloc(sizeof *w);
    if (w == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the way to the wrap"), true;
    done = wrap_within_reach(c, domain, w, why);
    heap_free(w);
    return done;
}

static enum verdict check_wrap(struct check *c)
{
    return each_domain(c, wrap);
}

const struct check_row mbm_checks[] = {
    { .id = "mbm.idle",
      .title = "An RMID that nobody uses moves nothing",
      .spec = SDM_MBM,
      .rows = "MB-01",
      .catches = "ghost traffic",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_idle },
    { .id = "mbm.total",
      .title = "Bytes read from memory are bytes counted",
      .spec = SDM_MBM,
      .rows = "MB-02",
      .catches = "a wrong upscaling factor, the wrong event, traffic counted half",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_total },
    { .id = "mbm.local-not-above-total",
      .title = "Local bandwidth is no more than total bandwidth",
      .spec = SDM_MBM,
      .rows = "MB-04",
      .catches = "local and total swapped",
      .needs = NEED_TOTAL | NEED_LOCAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_not_above },
    { .id = "mbm.local",
      .title = "Traffic to local memory is local",
      .spec = SDM_MBM,
      .rows = "MB-05",
      .catches = "local counts that stay 0, clustering bugs",
      .needs = NEED_TOTAL | NEED_LOCAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_local },
    { .id = "mbm.remote",
      .title = "Traffic to remote memory is not local",
      .spec = SDM_MBM,
      .rows = "MB-06 XC-07",
      .catches = "local counts that hold remote traffic",
      .needs = NEED_TOTAL | NEED_LOCAL | NEED_2_NODES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_remote },
    { .id = "mbm.steady",
      .title = "Under a constant load the counter never steps back",
      .spec = SDM_USE,
      .rows = "MB-07",
      .catches = "a counter that is reset or steps back",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_steady },
    { .id = "mbm.reading-resets",
      .title = "Reading other RMIDs leaves a count alone",
      .spec = SDM_QM,
      .rows = "MB-10",
      .catches = "a read that resets the counter",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_reading_resets },
    { .id = "mbm.switching",
      .title = "Each part of a stream is charged to the RMID of its moment",
      .spec = RDT_TAG,
      .rows = "MB-13",
      .catches = "a tag that acts late; requests under way under the wrong RMID",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_switching },
    { .id = "mbm.every-thread",
      .title = "Every logical processor's traffic is charged to its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "MB-02 MB-11 AS-08",
      .catches = "an RMID ignored on one thread",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_every_thread },
    { .id = "mbm.wrap",
      .title = "A 24-bit counter wraps and counts on",
      .spec = SDM_USE,
      .rows = "MB-08",
      .catches = "a counter that saturates; a wrong width",
      .needs = NEED_TOTAL | NEED_WIDTH_24,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_wrap },
    { .id = "mbm.carry",
      .title = "The counter carries into its next bits",
      .spec = SDM_USE,
      .rows = "MB-08 MB-22",
      .catches = "a counter narrower than CPUID says; one that saturates",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_carry },
    { .id = "mbm.top-bit",
      .title = "After all that traffic no counter shows a bit above its width",
      .spec = SDM_USE,
      .rows = "MB-22 QM-10",
      .catches = "a width field that is too small",
      .needs = NEED_TOTAL,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_top_bit },
};
