/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/mbm_counts.h"

#include <string.h>

#include "core/base/bits.h"
#include "core/experiment/experiment.h"

static enum status read_counts(struct check *c, struct qm_domain *d, enum qm_event event, bool wait,
                               struct qm_pair **out)
{
    uint32_t n = d->max_rmid + 1, readable = 0;
    struct qm_pair *pairs = check_alloc(c, n * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;
    bool again = false;

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = event };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, n);
    /* AMD returns Unavailable once, when it begins to track an RMID: APM vol. 2 19.3.3. */
    for (uint32_t i = 0; i < n && wait; i++)
        again |= pairs && pairs[i].status == ST_UNAVAILABLE;
    if (st == ST_OK && again)
        st = qm_read_many(c->platform, d, pairs, n);
    /* qm.every-rmid judges RMIDs that return no data; one at least must return some. */
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        readable += pairs[i].status == ST_OK;
    if (st == ST_OK && readable == 0)
        st = pairs[0].status;
    if (st != ST_OK)
        return check_unmeasured(c, st, d->cpu, "IA32_QM_CTR");
    *out = pairs;
    return ST_OK;
}

enum status mbm_read_counts(struct check *c, struct qm_domain *d, enum qm_event event, struct qm_pair **pairs)
{
    return read_counts(c, d, event, true, pairs);
}

enum status mbm_read_counts_after(struct check *c, struct qm_domain *d, enum qm_event event, struct qm_pair **pairs)
{
    return read_counts(c, d, event, reference_is_intel(c), pairs);
}

/* Below, what prefetchers and evictions bring to an RMID may be half of what it had. */
#define RESTART_NOISE (1u << 20)
/* may_restart: a decrease may be a count that began at 0 meanwhile. */
static enum status moved(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before, uint64_t after,
                         bool may_restart, double *bytes)
{
    *bytes = qm_moved_bytes(d, before, after);
    if (*bytes >= 0)
        return ST_OK;
    if (may_restart && after < before) /* else it went below 0 */
        return check_absent(c, "L3 domain %u, RMID %u: its count restarted: the part tracks fewer RMIDs at a time",
                            d->index, rmid);
    c->state->record.beyond_smis = true;
    return check_violated(c, ST_CORRUPT, FOUND_STEPS_BACK, place_rmid(d->index, rmid),
                          "MBM decreased from 0x%lx to 0x%lx counts: the counter was reset, or has fewer than the %u "
                          "bits that CPUID enumerates",
                          before, after, d->counter_width);
}

enum status mbm_moved(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                      uint64_t after_counts, double *bytes)
{
    return moved(c, d, rmid, before_counts, after_counts, !reference_is_intel(c), bytes);
}

bool mbm_may_restart(const struct check *c, const struct qm_domain *d, uint64_t before_counts, uint64_t after_counts)
{
    return !reference_is_intel(c) && (after_counts <= before_counts / 2 || qm_bytes(d, before_counts) < RESTART_NOISE);
}

enum status mbm_moved_idle(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                           uint64_t after_counts, double *bytes)
{
    return moved(c, d, rmid, before_counts, after_counts, mbm_may_restart(c, d, before_counts, after_counts), bytes);
}

/* What a prefetcher that cannot be turned off brings at a time, and so makes even; bytes. */
#define LINE_PAIR 128u

uint64_t mbm_count_step(const uint64_t *counts, uint32_t n, uint32_t width)
{
    uint64_t step = 0, least = UINT64_MAX;

    for (uint32_t i = 1; i < n; i++) {
        uint64_t a = (counts[i] - counts[i - 1]) & low_bits(width), b = step;

        least = a && a < least ? a : least;
        while (a) {
            uint64_t rest = b % a;

            b = a;
            a = rest;
        }
        step = b;
    }
    return step > 2 && step < least ? step : 1;
}

/* Whether so many steps of far / steps each pass every value below `period`, modulo which a step may be close to 0. */
static bool passes_period(uint64_t far, uint64_t steps, uint64_t period)
{
    uint64_t rest;

    if (period > UINT64_MAX / steps) /* more than 64 bits, of which far is a small part */
        return true;
    rest = far % (period * steps);
    return (rest < period * steps - rest ? rest : period * steps - rest) >= period;
}

uint64_t mbm_idle_bits(const uint64_t *counts, uint32_t n, uint32_t width, uint32_t upscaling_factor)
{
    uint64_t ones = 0, zeros = 0, went = 0, far, step;

    if (n < 2)
        return 0;
    far = (counts[n - 1] - counts[0]) & low_bits(width);
    for (uint32_t i = 0; i < n; i++) {
        ones |= counts[i];
        zeros |= ~counts[i];
    }
    for (uint32_t bit = 0; bit < width && bit < 62 && UINT64_C(2) << bit <= far; bit++)
        if ((uint64_t)upscaling_factor << (bit < 8 ? bit : 8) >= LINE_PAIR &&
            passes_period(far, n - 1, UINT64_C(2) << bit))
            went |= BIT(bit);
    step = mbm_count_step(counts, n, width);
    return went & ~(ones & zeros) & ~((step & -step) - 1);
}

#define SPREAD_COUNTS 32u
#define SPREAD_BITS   4u
#define SPREAD_FIFTH  5u
#define SPREAD_MOVED  8u

uint32_t mbm_bits_in_use(const uint64_t *counts, uint32_t n, uint64_t moved)
{
    uint64_t all = 0, sum = 0;
    uint32_t bits;

    for (uint32_t i = 0; i < n; i++) {
        all |= counts[i];
        sum += counts[i];
    }
    bits = bits_for(all);
    if (n < SPREAD_COUNTS || bits <= SPREAD_BITS || sum / SPREAD_MOVED < moved)
        return 0;
    for (uint32_t bit = bits - SPREAD_BITS; bit < bits; bit++) {
        uint32_t set = SUM_OF(uint32_t, i, n, counts[i] >> bit & 1);

        if (set < n / SPREAD_FIFTH || set > n - n / SPREAD_FIFTH)
            return 0;
    }
    return bits;
}

enum status mbm_find_elsewhere(const struct experiment *e, double missing_share, bool but_0, uint32_t *gained,
                               bool *elsewhere)
{
    struct experiment again = *e;
    struct check *c = e->check;
    struct qm_domain *d = domain_qm(c, e->readings[0].domain);
    struct qm_pair *before = NULL, *after = NULL;
    double most = 0, others = 0, all = 0;
    uint32_t most_rmid = 0;

    TRY_ALLOC(c, again.readings, e->n_readings, "the readings of another run");
    memcpy(again.readings, e->readings, e->n_readings * sizeof e->readings[0]);
    again.flags |= EXPERIMENT_ONCE;
    if (d == NULL)
        return check_unmeasured(c, ST_LOST, c->platform->bsp, "IA32_QM_CTR");
    TRY(mbm_read_counts(c, d, QM_EVENT_L3_TOTAL, &before));
    TRY(experiment_measure(&again));
    TRY(mbm_read_counts_after(c, d, QM_EVENT_L3_TOTAL, &after));
    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes = before[i].status == ST_OK && after[i].status == ST_OK
                           ? qm_moved_bytes(d, before[i].sample.counts, after[i].sample.counts)
                           : 0;

        if (bytes <= 0 || (i == 0 ? but_0 : domain_rmid_in_background(c, i)))
            continue;
        all += bytes;
        if (ANY_OF(k, e->n_readings, e->readings[k].rmid == i))
            continue;
        others += bytes;
        if (bytes > most) {
            most = bytes;
            most_rmid = i;
        }
    }
    *elsewhere = others > all * missing_share / 2;
    if (*elsewhere)
        *gained = most_rmid;
    return ST_OK;
}

enum status mbm_report_elsewhere(const struct experiment *e, double missing_share, bool but_0, struct place place)
{
    uint32_t gained = 0;
    bool elsewhere = false;

    TRY(mbm_find_elsewhere(e, missing_share, but_0, &gained, &elsewhere));
    if (elsewhere)
        finding(e->check, FINDING_UNUSUAL, 0, FOUND_COUNTED_ELSEWHERE, place,
                "RMID %u counted at least half of what this one lacks", gained);
    return ST_OK;
}
