/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which bits of an MBM counter change. Witness: the enumerated width, and the carries that a known number of bytes must
 * make. */
#include "core/base/bits.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/monitor.h"

#define SDM_USE "SDM vol. 3B 17.16.8 Monitoring Programming Considerations"

/* --- MB-09: every bit that the loads can reach -------------------------------------------------------------------- */

#define BIT_STEPS    64u
#define LEAST_COUNTS 5u /* of a step */
/* Bytes: 1265 counts of 64, of which 64 steps toggle each bit that they reach, and wrap a counter of 16 bits. */
#define LEAST_STEP 80960u
#define FAR_BITS   6u /* 64 times the bytes of the loads: no other traffic of the RMID is as much */
#define NEAR_BITS  4u /* a sixteenth of them: no stuck bit that the rest toggles takes as much */

/* An odd number of counts, so that the steps go through every value of the lowest bits. */
static uint64_t odd_step(uint32_t upscaling_factor)
{
    uint64_t counts = LEAST_STEP / (upscaling_factor ? upscaling_factor : 1) | 1;

    counts = counts < LEAST_COUNTS ? LEAST_COUNTS : counts;
    return (counts * upscaling_factor + 63) / 64 * 64;
}

static enum status bit_steps(struct check *c, uint32_t domain, const struct test_buffer *b, uint32_t rmid,
                             uint64_t step, uint64_t counts[2][BIT_STEPS], uint32_t *n_events)
{
    enum status st = ST_OK;

    for (uint32_t n = 0; n < BIT_STEPS && st == ST_OK; n++) {
        struct traffic_part part = part_read(rmid, b->base + n * step, step);
        struct traffic_load load = { .cpu = b->cpu, .n_parts = 1, .parts = &part };
        struct reading r[2] = { reading_total(domain, rmid) };
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r };

        /* A counter that lags is read again, or the steps are in none of the readings. */
        expect_bandwidth(c, &r[0], (double)step);
        *n_events = memory_at_is_local(c, b->cpu, b->base) ? readings_add_local(c, b->cpu, r, 1) : 1;
        e.n_readings = *n_events;
        e.settle_most = n ? 1 : 0;
        e.flags = EXPERIMENT_ONCE | (n ? EXPERIMENT_WARM : 0);
        st = experiment_measure(&e);
        for (uint32_t i = 0; i < *n_events; i++)
            counts[i][n] = r[i].after.counts;
    }
    return st;
}

static uint64_t advance(const struct l3_domain *d, uint64_t before, uint64_t after)
{
    return (after - before) & low_bits(d->counter_width);
}

#define LONG_L3S 4u

/* Steps that nothing is counted of: is it of one read that is longer than the L3? A counter may begin late after a write of
 * IA32_PQR_ASSOC, of which each step has one. */
static enum status counts_long_reads(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, bool *counts)
{
    uint64_t bytes = LONG_L3S * c->machine->domains[domain].l3_bytes, left = memory_left_scattered(c, cpu), base = 0;
    struct traffic_part part;
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    struct reading r = reading_total(domain, rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    bytes = ROUND_DOWN(bytes < left ? bytes : left);
    *counts = false;
    if (bytes == 0)
        return ST_OK;
    TRY(memory_scatter_any(c, cpu, bytes, &base));
    part = part_read(rmid, base, bytes);
    expect_bandwidth(c, &r, (double)bytes);
    e.flags = EXPERIMENT_ONCE;
    TRY(experiment_measure(&e));
    *counts = r.bytes > (double)(bytes >> NEAR_BITS);
    return ST_OK;
}

static void judge_bits(struct check *c, uint32_t domain, uint32_t rmid, uint64_t step, const uint64_t *counts,
                       const char *name, bool late)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t idle = mbm_idle_bits(counts, BIT_STEPS, d->counter_width, d->upscaling_factor);
    uint64_t at_a_time = mbm_count_step(counts, BIT_STEPS, d->counter_width);
    uint64_t went = advance(d, counts[0], counts[BIT_STEPS - 1]), moved = BIT_STEPS * step / d->upscaling_factor;
    uint32_t far = bits_for(went);
    struct place place = place_rmid(domain, rmid);
    bool back;

    if (far == 0) {
        check_measure(c, "counts of all loads", place, 0, "counts", 1, NO_BOUND);
        finding(c, FINDING_UNUSUAL, 0,
                late                                      ? FOUND_TOTAL_LOW
                : counts[0] == low_bits(d->counter_width) ? FOUND_NEVER_WRAPS
                                                          : FOUND_COUNTS_ZERO,
                place, "IA32_QM_CTR stays at 0x%lx over %u loads of %lu bytes: no bit toggled%s", counts[0], BIT_STEPS,
                step, late ? "; of one read of several times the L3 a part is counted" : "");
        return;
    }
    back = went < moved / 4 * 3 && ANY_OF(i, BIT_STEPS - 1, advance(d, counts[i], counts[i + 1]) > moved << FAR_BITS);
    if (!back && went < moved >> NEAR_BITS) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_TOTAL_LOW, place,
                "IA32_QM_CTR goes from 0x%lx to 0x%lx over %u loads of %lu bytes: too little to judge its bits",
                counts[0], counts[BIT_STEPS - 1], BIT_STEPS, step);
        return;
    }
    /* Further than the loads go, with all that else may count: back, and not by the wrap of the whole width. */
    if (back || went > moved << FAR_BITS) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_TOP_BITS_UNUSED, place,
                "%u readings of IA32_QM_CTR under a load go from 0x%lx to 0x%lx, and the counter has %u bits",
                BIT_STEPS, counts[0], counts[BIT_STEPS - 1], d->counter_width);
        return;
    }
    if (far > 1)
        check_note(c, "L3 domain %u, RMID %u: the load reaches bits 0 to %u of %u: bits above are not judged", domain,
                   rmid, far - 2, d->counter_width - 1);
    if (at_a_time > 1)
        check_note(c,
                   "L3 domain %u, RMID %u: the counter advances by multiples of %lu counts: bits below are not judged",
                   domain, rmid, at_a_time);
    if (!check_measure(c, name, place, count_bits(idle), "bits", 0, 0))
        finding(c, FINDING_UNUSUAL, 0, FOUND_BITS_STUCK, place,
                "%u readings of IA32_QM_CTR from 0x%lx to 0x%lx: bits 0x%lx did not toggle", BIT_STEPS, counts[0],
                counts[BIT_STEPS - 1], idle);
}

/* Of the lowest RMID that is free, and of the highest; of MBM local too, where the memory is. */
static enum status mbm_bits(struct check *c, uint32_t domain)
{
    uint32_t max = c->machine->domains[domain].max_rmid;
    uint64_t step = odd_step(c->machine->domains[domain].upscaling_factor), counts[2][BIT_STEPS];
    uint32_t n_events = 1;
    struct test_buffer b;
    enum status st = test_buffer_any(c, domain, 1, BIT_STEPS * step, &b);
    bool late = false;

    for (uint32_t rmid = st == ST_OK ? b.rmids[0] : 0; st == ST_OK; rmid = max) {
        st = bit_steps(c, domain, &b, rmid, step, counts, &n_events);
        if (st == ST_OK && rmid == b.rmids[0] && counts[0][0] == counts[0][BIT_STEPS - 1])
            st = counts_long_reads(c, domain, b.cpu, rmid, &late);
        for (uint32_t i = 0; i < n_events && st == ST_OK; i++)
            judge_bits(c, domain, rmid, step, counts[i],
                       i ? "bits of MBM local that did not toggle" : "counter bits that did not toggle", late);
        if (rmid == max || domain_rmid_in_background(c, max))
            break;
    }
    return st;
}

/* --- MB-22, QM-10: no bit above the width ------------------------------------------------------------------------- */

static enum status mbm_top_bit(struct check *c, uint32_t domain)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *totals = NULL;
    uint32_t width = domain_count_bits(c, domain);
    uint64_t all = 0;

    if (d == NULL)
        return check_absent(c, "L3 domain %u: no processor", domain);
    TRY(mbm_read_counts(c, d, QM_EVENT_L3_TOTAL, &totals));
    for (uint32_t i = 0; i <= d->max_rmid; i++)
        if (totals[i].status == ST_OK)
            all |= totals[i].sample.counts;
    evidence_swept(c, "MBM total of every RMID against the counter width", d->max_rmid + 1);
    if (!check_measure(c, "counter bits in use", place_domain(domain), bits_for(all), "bits", 0, width))
        finding(c, FINDING_FORBIDDEN, 0, FOUND_BITS_ABOVE_WIDTH, place_domain(domain),
                "counts have %u bits, and CPUID enumerates counters of %u bits", bits_for(all), width);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mbm.bits",
      .title = "MBM counter bits toggle as far as a load reaches",
      .covers = "MB-09",
      .means = "a bit of the counter is stuck: every count is off by up to its weight",
      .next = "the bits in the finding; `mbm.gain`; whether other RMIDs and L3 domains show it too",
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .run_domain = mbm_bits },
    { .id = "mbm.top-bit",
      .title = "No MBM counter has a bit set above its enumerated width",
      .covers = "MB-22 QM-10",
      .means = "the enumerated width is too small: software that masks with it loses counts",
      .next = "`enum.width`; `qm.data-bits`; `mbm.carry`",
      .risk = RISK_MSR,
      .run_domain = mbm_top_bit },
};
CHECK_FAMILY(mbm_width, rows, .spec = SDM_USE, .needs = NEED_TOTAL, .rests_on = RESTS_ON_BANDWIDTH, .order = 640);
