/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Carries and wraps of MBM counters. Witness: the bytes that were read. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/base/text.h"
#include "core/domain/cluster.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/monitor.h"

#define SDM_USE "SDM vol. 3B 17.16.8 Monitoring Programming Considerations"

/* --- MB-08, MB-22: carries ---------------------------------------------------------------------------------------- */

#define CARRY_BYTES  (48 * MIB) /* for a carry, or twice the L3; a full wrap of 24 bits at 32 KiB is 512 GiB */
#define WRAP_SECONDS 20u        /* what a full wrap may cost */
#define WRAP_LIMITS  32u        /* so many limits of a load (struct platform), where there is one */
#define WRAP_LOADS   32u
#define WRAP_SAMPLES 24u

#define SPREAD_COUNTS 32u /* fewer say nothing to mbm_bits_in_use() */

/* The highest bit into which the counter carries within `bytes`; 0: none. *counts gets the distance. */
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

/* Among the RMIDs that may be judged, the one whose counter can carry into the highest bit. */
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
    enum qm_event event;
    uint32_t cpu, rmid, bit, least_bit;
    uint64_t base, bytes; /* the buffer: read cold, as often as it takes */
    uint64_t to_move;
    uint64_t distance; /* counts to the carry */
};

/* Which RMID, how far, and memory for it. ST_ABSENT: no carry can be afforded. */
static enum status carry_plan(struct check *c, uint32_t domain, struct carry *k)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = NULL;
    uint64_t counts = 0, least = load_slice_bytes(c, domain), most = 2 * c->machine->domains[domain].l3_bytes;

    most = most > CARRY_BYTES ? most : CARRY_BYTES;

    if (d == NULL)
        return check_unmeasured(c, ST_LOST, k->cpu, "IA32_QM_CTR");
    TRY(mbm_read_counts(c, d, k->event, &totals));
    k->bit = choose_rmid(c, domain, totals, most, &k->rmid, &counts);
    if (k->bit < k->least_bit)
        return check_absent(c, "L3 domain %u: no counter carries into bit %u within %lu MiB", domain, k->least_bit,
                            most / MIB);
    k->distance = counts;
    k->to_move = counts * d->upscaling_factor / 8 * 9 + least; /* well beyond it: no band decides whether it carried */
    k->bytes = memory_left_any(c, k->cpu) / 2;
    k->bytes = ROUND_DOWN(k->bytes < k->to_move ? k->bytes : k->to_move);
    if (k->bytes < least)
        k->bytes = least;
    return (k->event == QM_EVENT_L3_LOCAL ? memory_take_local : memory_take_any)(c, k->cpu, k->bytes, &k->base);
}

/* What a disturbed run had moved may be counted only after the plan was made, and has carried then; so has a run that
 * was repeated with a longer wait. A count that lacks bytes is judged nevertheless. */
static bool has_carried(const struct carry *k, const struct reading *first)
{
    uint64_t range = BIT(k->bit), at = first->before.counts & (range - 1);

    return range - at > k->distance;
}

/* Cold reads until the counter has carried. ST_DISTURBED: without a reason yet. */
static enum status carry_over(struct check *c, uint32_t domain, const struct carry *k)
{
    struct traffic_part part = part_read(k->rmid, k->base, k->bytes);
    struct traffic_load load = { .cpu = k->cpu, .n_parts = 1, .parts = &part };
    enum status st = ST_OK;

    for (uint64_t moved = 0; moved < k->to_move && st == ST_OK; moved += k->bytes) {
        struct reading r =
            k->event == QM_EVENT_L3_TOTAL ? reading_total(domain, k->rmid) : reading_local(domain, k->rmid);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE | EXPERIMENT_QUIET;
        e.tries = 1;
        expect_bandwidth(c, &r, (double)k->bytes);
        /* Whether it counts too much is for mbm.total to judge: a carry that is lost shows as a decrease. */
        r.hi = r.never_hi = 2 * r.hi;
        if (k->event == QM_EVENT_L3_LOCAL) {
            r.lo *= memory_is_local(c, k->cpu) ? LOCAL_LEAST : 0;
            r.never_lo = 0;
        }
        st = experiment_try(&e);
        if (st == ST_OK && moved == 0 && r.bytes >= r.lo && has_carried(k, &r))
            return ST_DISTURBED;
        if (st == ST_OK)
            experiment_judge(&e, "traffic crosses a bit boundary of the counter");
        else if (st != ST_DISTURBED)
            return experiment_explain(&e, st);
    }
    return st;
}

/* A counter narrower than CPUID says falls back to 0 where it should carry, and its delta is then nearly 2^width. Every
 * carry that can be afforded proves one bit; the RMID whose counter is highest proves most. A run that an SMI fell into
 * may have carried already, so the next try plans again. */
static enum status carry_at_least(struct check *c, uint32_t domain, enum qm_event event, uint32_t least_bit)
{
    struct carry k = { .event = event, .least_bit = least_bit };
    uint32_t width = c->machine->domains[domain].counter_width;
    bool local = event == QM_EVENT_L3_LOCAL;
    struct place place;
    enum status st = ST_DISTURBED;

    if (domain_cpus(c, domain, &k.cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    for (uint32_t i = 0; i < SAMPLE_TRIES && st == ST_DISTURBED; i++) {
        tools_reset(c->tools);
        st = carry_plan(c, domain, &k);
        if (st == ST_OK)
            st = carry_over(c, domain, &k);
    }
    if (st == ST_DISTURBED)
        return check_unmeasured(c, st, k.cpu, "the carry");
    TRY(st);
    place = place_rmid(domain, k.rmid);
    check_measure(c, "highest bit that the counter carried into", local ? place_with_detail(place, "local") : place,
                  k.bit, "bit", -NO_BOUND, width);
    if (k.bit < width)
        check_note(c,
                   "L3 domain %u, RMID %u: MBM %s: the width is proven to bit %u of %u: no counter was nearer to a "
                   "higher carry",
                   domain, k.rmid, local ? "local" : "total", k.bit, width);
    else if (width < domain_count_bits(c, domain))
        check_note(c, "L3 domain %u, RMID %u: MBM %s: the counter carried after bit %u", domain, k.rmid,
                   local ? "local" : "total", width - 1);
    else
        check_note(c, "L3 domain %u, RMID %u: MBM %s: the width is proven: the counter wrapped after bit %u", domain,
                   k.rmid, local ? "local" : "total", width - 1);
    return ST_OK;
}

struct standing {
    uint64_t *counts; /* [room]; the first `own` are the domain's */
    uint32_t *rmids, n, own, room;
};

static enum status add_standing(struct check *c, uint32_t domain, enum qm_event event, struct standing *s)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *pairs = NULL;

    if (d == NULL)
        return check_absent(c, "L3 domain %u: no processor", domain);
    TRY(mbm_read_counts(c, d, event, &pairs));
    for (uint32_t i = 0; i <= d->max_rmid && s->n < s->room; i++)
        if (pairs[i].status == ST_OK) {
            s->rmids[s->n] = i;
            s->counts[s->n++] = pairs[i].sample.counts & low_bits(d->counter_width);
        }
    return ST_OK;
}

/* Of every RMID; where those are few, of the other clusters' as well: they are counters of the same L3. */
static enum status standing_read(struct check *c, uint32_t domain, enum qm_event event, struct standing *s)
{
    const struct qm_domain *d = &c->tools->qm[domain];

    s->room = d->max_rmid + 1 + SPREAD_COUNTS;
    TRY_ALLOC(c, s->counts, s->room, "IA32_QM_CTR");
    TRY_ALLOC(c, s->rmids, s->room, "IA32_QM_CTR");
    TRY(add_standing(c, domain, event, s));
    s->own = s->n;
    for (uint32_t i = 0; i < c->machine->n_domains && s->n < SPREAD_COUNTS; i++)
        if (i != domain && cluster_same_l3(c, i, domain) && !cluster_common(c, i, domain) && domain_qm(c, i))
            TRY(add_standing(c, i, event, s));
    return ST_OK;
}

static bool judge_in_use(struct check *c, uint32_t domain, enum qm_event event, const uint64_t *counts, uint32_t n,
                         const char *which)
{
    const struct qm_domain *d = &c->tools->qm[domain];
    uint32_t bits = mbm_bits_in_use(counts, n, c->platform->counts.work_bytes / d->upscaling_factor);

    if (bits == 0 || bits >= d->counter_width)
        return false;
    finding(c, FINDING_UNUSUAL, 0, FOUND_TOP_BITS_UNUSED, place_domain(domain),
            "MBM %s of %u RMIDs%s has all values below bit %u, and none has one of bits %u to %u set: the counters "
            "look narrower than CPUID enumerates",
            event == QM_EVENT_L3_LOCAL ? "local" : "total", n, which, bits, bits, d->counter_width - 1);
    return true;
}

/* Where no carry that shows the width can be afforded: counters that software did not clear have any value below their wrap,
 * so that it is no chance when none of many is in the upper half of the range. Of all RMIDs, or of those with a bit of
 * their number set, or clear. */
static enum status judge_bits_in_use(struct check *c, uint32_t domain, enum qm_event event)
{
    struct standing s = { .n = 0 };
    uint64_t *some;

    TRY(standing_read(c, domain, event, &s));
    if (judge_in_use(c, domain, event, s.counts, s.n, ""))
        return ST_OK;
    TRY_ALLOC(c, some, s.own + 1, "IA32_QM_CTR");
    for (uint32_t k = 0; k < 2 * bits_for(c->tools->qm[domain].max_rmid); k++) {
        uint32_t n = 0;
        char which[48];

        for (uint32_t i = 0; i < s.own; i++)
            if ((s.rmids[i] >> k / 2 & 1) == k % 2)
                some[n++] = s.counts[i];
        text_format(which, sizeof which, " with bit %u of their number %s", k / 2, k % 2 ? "set" : "clear");
        if (judge_in_use(c, domain, event, some, n, which))
            break;
    }
    return ST_OK;
}

static enum status carry_and_bits(struct check *c, uint32_t domain, enum qm_event event)
{
    TRY(carry_at_least(c, domain, event, 1));
    return c->state->record.n_findings == 0 ? judge_bits_in_use(c, domain, event) : ST_OK;
}

static enum status mbm_carry(struct check *c, uint32_t domain)
{
    char none[160];
    enum status st;

    TRY(carry_and_bits(c, domain, QM_EVENT_L3_TOTAL));
    if (!reference_rdt(c)->local || c->state->record.n_findings > 0)
        return ST_OK;
    st = carry_and_bits(c, domain, QM_EVENT_L3_LOCAL);
    if (st != ST_ABSENT)
        return st;
    check_take_reason(c, none, sizeof none); /* no local memory: MBM total has been judged */
    return ST_OK;
}

/* --- MB-08: a whole wrap ------------------------------------------------------------------------------------------ */

/* Loads of all processors of the domain over one buffer of several times the L3, each a part of it. */
struct wrap {
    uint32_t rmid, n, bad_cpu;
    uint32_t cpus[WRAP_LOADS];
    struct traffic_part parts[WRAP_LOADS];
    struct traffic_load loads[WRAP_LOADS];
    uint64_t base, piece;
    uint64_t distance_bytes; /* from the present count to the wrap       */
    double rate;             /* bytes a second, all processors together   */
};

/* So many bytes a run at least. */
static void wrap_loads(struct wrap *w, uint64_t bytes_each, uint64_t bytes_each_run)
{
    uint64_t passes = (bytes_each_run + bytes_each * w->n - 1) / (bytes_each * w->n);

    for (uint32_t i = 0; i < w->n; i++) {
        w->parts[i] = part_read(w->rmid, w->base + i * w->piece, bytes_each);
        w->parts[i].work.passes = passes < 1 ? 1 : (uint32_t)passes;
        w->loads[i] = (struct traffic_load){ .cpu = w->cpus[i], .n_parts = 1, .parts = &w->parts[i] };
    }
}

/* The RMID whose counter is nearest to its wrap; *rmid 0: none is free. */
static enum status nearest_to_wrap(struct check *c, uint32_t domain, uint32_t *rmid)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = NULL;
    uint32_t rmids[64], n = domain_rmids(c, domain, rmids, 64);
    uint64_t highest = 0;

    *rmid = 0;
    if (d == NULL)
        return check_absent(c, "L3 domain %u: no processor", domain);
    TRY(mbm_read_counts(c, d, QM_EVENT_L3_TOTAL, &totals));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t counts = totals[rmids[i]].sample.counts & low_bits(d->counter_width);

        if (totals[rmids[i]].status == ST_OK && (*rmid == 0 || counts > highest)) {
            highest = counts;
            *rmid = rmids[i];
        }
    }
    return ST_OK;
}

/* Processors, RMID and memory. */
static enum status wrap_set_up(struct check *c, uint32_t domain, struct wrap *w)
{
    uint64_t span = 4 * c->machine->domains[domain].l3_bytes, left;

    TRY(nearest_to_wrap(c, domain, &w->rmid));
    w->n = domain_cpus(c, domain, w->cpus, WRAP_LOADS);
    w->n = w->n < WRAP_LOADS ? w->n : WRAP_LOADS;
    if (w->n == 0 || w->rmid == 0)
        return check_absent(c, "L3 domain %u: no processor or no free RMID", domain);
    left = memory_left_any(c, w->cpus[0]);
    w->piece = ROUND_DOWN((left < span ? left : span) / w->n);
    return memory_take_any(c, w->cpus[0], w->piece * w->n, &w->base);
}

#define WRAP_RATE_BYTES (4 * MIB)

/* The distance in bytes, and the rate of a small load on all processors, from memory that is in no cache. */
static enum status wrap_distance(struct check *c, struct qm_domain *d, struct wrap *w)
{
    struct traffic_outcome outcome;
    struct qm_sample s;

    wrap_loads(w, w->piece < WRAP_RATE_BYTES ? w->piece : WRAP_RATE_BYTES, 0);
    TRY(domain_clean(c, d->index, &w->bad_cpu));
    TRY(traffic_run(c->platform, w->loads, w->n, NULL, &outcome, &w->bad_cpu));
    w->bad_cpu = d->cpu;
    TRY(qm_read_wait(c->platform, d, w->rmid, QM_EVENT_L3_TOTAL, SAMPLE_TRIES, &s, NULL));
    evidence_msr(c, d->cpu, IA32_QM_CTR, s.raw, s.tsc);
    w->distance_bytes = qm_bytes(d, BIT(d->counter_width) - (s.counts & low_bits(d->counter_width)));
    if (outcome.tsc_ticks)
        w->rate = (double)outcome.moved_bytes * (double)c->platform->tsc_hz / (double)outcome.tsc_ticks;
    return ST_OK;
}

struct wrap_samples {
    double bytes[WRAP_SAMPLES];
    uint32_t wraps;
};

/* Equal loads until the counter has wrapped. */
static enum status read_past_wrap(struct check *c, const struct qm_domain *d, struct wrap *w, struct wrap_samples *s)
{
    uint64_t last = 0;
    enum status st = ST_OK;

    series_begin(c, "MBM total of equal loads", place_domain(d->index), "bytes", "sample", "");
    for (uint32_t n = 0; n < WRAP_SAMPLES && st == ST_OK; n++) {
        struct reading r = reading_total(d->index, w->rmid);
        struct experiment e = { .check = c, .loads = w->loads, .n_loads = w->n, .readings = &r, .n_readings = 1 };

        e.flags = EXPERIMENT_ONCE | (n ? EXPERIMENT_WARM : 0);
        st = experiment_measure(&e);
        if (st != ST_OK)
            break;
        s->bytes[n] = r.bytes;
        series_add(c, n, r.bytes);
        s->wraps += r.after.counts < r.before.counts || (n && r.before.counts < last);
        last = r.after.counts;
    }
    series_end(c);
    return st;
}

/* The sample that holds the wrap must be like the others. The lines that stay in the L3 from pass to pass are the same
 * in each, so the samples are judged against their median. */
static void judge_wrap_samples(struct check *c, const struct qm_domain *d, const struct wrap *w,
                               const struct wrap_samples *s)
{
    struct place place = place_rmid(d->index, w->rmid);
    double sorted[WRAP_SAMPLES], median;

    for (uint32_t i = 0; i < WRAP_SAMPLES; i++)
        sorted[i] = s->bytes[i];
    median = stats_median(sorted, WRAP_SAMPLES);
    if (!check_measure(c, "wraps seen", place, s->wraps, "wraps", 1, NO_BOUND))
        finding(c, FINDING_FORBIDDEN, 0, FOUND_NEVER_WRAPS, place,
                "the traffic was enough for one wrap, and the counter never decreased");
    for (uint32_t i = 1; i < WRAP_SAMPLES; i++) { /* the first one is cold */
        if (s->bytes[i] < 0)
            continue;
        excludes_share(c, "a loss at the wrap", s->bytes[i], median * (1 - BW_SHARE));
        if (!check_measure(c, "sample / median of all samples", place, median > 0 ? s->bytes[i] / median : 0, "ratio",
                           1 - BW_SHARE, 1 + BW_SHARE))
            finding(c, never_counts(s->bytes[i], median) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, FOUND_WRAP_LOSES,
                    place, "MBM total of sample %u is %lu bytes, the median of equal loads is %lu bytes", i,
                    (uint64_t)s->bytes[i], (uint64_t)median);
    }
}

static enum status wrap_within_reach(struct check *c, uint32_t domain, struct wrap *w)
{
    struct qm_domain *d = &c->tools->qm[domain];
    struct wrap_samples s = { .wraps = 0 };

    TRY(wrap_set_up(c, domain, w));
    TRY_MEASURE(c, wrap_distance(c, d, w), w->bad_cpu, "the distance to the wrap");
    if (w->rate <= 0 || (double)w->distance_bytes / w->rate > WRAP_SECONDS)
        return check_absent(c,
                            "L3 domain %u, RMID %u: %lu MiB to the wrap take more than %u s at the measured %lu MiB/s",
                            domain, w->rmid, w->distance_bytes / MIB, WRAP_SECONDS, (uint64_t)(w->rate / (double)MIB));
    if (c->platform->load_limit && w->distance_bytes / WRAP_LIMITS > c->platform->load_limit)
        return check_absent(c, "L3 domain %u, RMID %u: %lu MiB to the wrap are more than %u times the limit of a load",
                            domain, w->rmid, w->distance_bytes / MIB, WRAP_LIMITS);
    /* 24 samples for 16 of them: a quarter of a buffer of four times the L3 may stay there and not be counted. */
    wrap_loads(w, w->piece, w->distance_bytes / (WRAP_SAMPLES - 8));
    TRY(read_past_wrap(c, d, w, &s));
    judge_wrap_samples(c, d, w, &s);
    return ST_OK;
}

static enum status mbm_wrap(struct check *c, uint32_t domain)
{
    struct wrap *w;
    char none[160];
    /* The short way: the counter of some RMID is just below its wrap. */
    enum status st = carry_at_least(c, domain, QM_EVENT_L3_TOTAL, c->machine->domains[domain].counter_width);

    if (st != ST_ABSENT)
        return st;
    check_take_reason(c, none, sizeof none);
    tools_reset(c->tools);
    TRY_ALLOC(c, w, 1, "the distance to the wrap");
    return wrap_within_reach(c, domain, w);
}

static const struct check_row rows[] = {
    { .id = "mbm.wrap",
      .title = "A 24-bit MBM counter wraps without losing counts",
      .covers = "MB-08",
      .detects = "a counter that saturates; a wrong counter width",
      .means = "the counter saturates or jumps at its wrap: traffic after it is lost",
      .next = "`enum.width`, `mbm.carry`; the raw values before and after the wrap",
      .needs = NEED_WIDTH_24,
      .run_domain = mbm_wrap },
    { .id = "mbm.carry",
      .title = "MBM counters carry into higher bits",
      .covers = "MB-08 MB-22",
      .means = "the counter is narrower than CPUID enumerates",
      .next = "`enum.width`; the bit in the finding",
      .slow = true,
      .run_domain = mbm_carry },
};
CHECK_FAMILY(mbm_carry, rows, .spec = SDM_USE, .needs = NEED_TOTAL, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .order = 640);
