/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bands of readings, and what a reading outside of its band is called. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/stats.h"
#include "core/base/text.h"
#include "core/check/errata.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment_internal.h"

/* --- bands -------------------------------------------------------------------------------------------------------- */

struct reading reading_of(const char *name, uint32_t domain, uint32_t rmid, enum qm_event event)
{
    return (struct reading){
        .name = name, .domain = domain, .rmid = rmid, .event = event, .hi = NO_BOUND, .never_hi = NO_BOUND
    };
}

static double max_of(double a, double b)
{
    return a > b ? a : b;
}

static double min_of(double a, double b)
{
    return a < b ? a : b;
}

double reading_occupancy_most(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];

    return (1 + (reference_is_intel(c) ? OCC_OVER : OCC_OVER_ESTIMATE)) * (double)l3_whole_bytes(d) +
           d->upscaling_factor;
}

/* T_occ's 2 000 000 bytes say little about an L3 of a few megabytes. There an eighth of the L3 is the tolerance, as
 * a quality figure. */
static double tight_bytes(const struct l3_domain *d)
{
    double eighth = max_of((double)d->l3_bytes / 8, 2.0 * d->upscaling_factor);

    return eighth < OCC_BYTES ? eighth : 0;
}

void expect_occupancy(const struct check *c, struct reading *r, double expected, uint32_t cores)
{
    const struct l3_domain *d = &c->machine->domains[r->domain];
    double off = max_of(OCC_SHARE * expected, OCC_BYTES);
    double in_l2 = d->l3_inclusive ? 0 : (double)reference_l2_bytes(c) * cores;
    double tight = tight_bytes(d);

    r->filled = expected;
    r->lo = max_of(expected - off - in_l2, 0);
    r->hi = expected + off;
    r->never_lo = r->lo > 0 ? (expected - in_l2) * DEAD_SHARE : 0; /* of a fill that T_occ tells from none */
    r->never_hi = min_of(max_of(OCC_TWICE * expected, r->hi), reading_occupancy_most(c, r->domain));
    if (tight > 0) {
        tight = max_of(OCC_SHARE * expected, tight);
        r->tight_lo = max_of(expected - tight - in_l2, 0);
        r->tight_hi = expected + tight;
    }
}

void expect_fill_fine(const struct check *c, struct reading *r)
{
    const struct l3_domain *d = &c->machine->domains[r->domain];
    double least = (1 - OCC_FINE_LOSS) * r->filled - d->upscaling_factor;

    if (!d->l3_inclusive || !reference_is_intel(c))
        return;
    r->tight_lo = max_of(r->tight_hi > 0 ? r->tight_lo : r->lo, least);
    r->tight_hi = r->tight_hi > 0 ? r->tight_hi : r->hi;
}

void expect_no_occupancy(const struct check *c, struct reading *r)
{
    r->lo = 0;
    r->hi = OCC_BYTES;
    r->tight_lo = 0;
    r->tight_hi = tight_bytes(&c->machine->domains[r->domain]);
    r->never_lo = 0;
    r->never_hi = reading_occupancy_most(c, r->domain);
}

void expect_none_of(struct reading *r, double bytes)
{
    r->never_hi = min_of(max_of(bytes / 2, r->hi), r->never_hi);
}

void expect_bandwidth(const struct check *c, struct reading *r, double expected)
{
    double count = c->machine->domains[r->domain].upscaling_factor; /* one more or less at the ends of a sample */

    r->expected = expected;
    r->lo = max_of((1 - BW_SHARE) * expected - count, 0);
    r->hi = (1 + BW_SHARE) * expected + count;
    r->never_lo = max_of(DEAD_SHARE * expected - count, 0);
    r->never_hi = max_of((2 - BW_SHARE) * expected - count, r->hi);
}

void expect_fine(const struct check *c, struct reading *r)
{
    const struct l3_domain *d = &c->machine->domains[r->domain];
    double count = d->upscaling_factor;

    r->tight_lo = max_of((1 - BW_FINE_LOSS) * r->expected - count, r->lo);
    /* GNR12, SRF42: what is left of the excess beyond four times the L3 is "insignificant", no figure */
    r->tight_hi = d->l3_inclusive ? min_of((1 + BW_FINE_EXCESS) * r->expected + count, r->hi) : r->hi;
    if (reference_is_intel(c))
        r->never_lo = max_of(MBM_LEAST * r->expected - count, 0);
}

void expect_idle(struct reading *r, double elsewhere)
{
    r->lo = 0;
    r->hi = elsewhere / 2 < IDLE_BYTES ? elsewhere / 2 : IDLE_BYTES;
    r->never_lo = 0;
    r->never_hi = elsewhere / 2;
}

bool reading_may_be(const struct reading *r, double bytes)
{
    return bytes >= r->never_lo && bytes <= r->never_hi;
}

bool reading_inside(const struct reading *r, double bytes)
{
    return bytes >= r->lo && bytes <= r->hi && reading_may_be(r, bytes);
}

/* Within the tighter band as well, where there is one. */
bool reading_looks_right(const struct reading *r, double bytes)
{
    return reading_inside(r, bytes) && (r->tight_hi <= 0 || (bytes >= r->tight_lo && bytes <= r->tight_hi));
}

/* --- judging ----------------------------------------------------------------------------------------------------- */

bool reading_settled(const struct reading *r, uint32_t n_runs, double *half, double *wanted)
{
    bool fine = is_bandwidth(r) && r->tight_hi > 0;
    double lo = fine ? r->tight_lo : r->lo, hi = fine ? r->tight_hi : r->hi, mean;

    *half = 0;
    *wanted = hi >= NO_BOUND || lo <= -NO_BOUND ? NO_BOUND : (hi - lo) / 8;
    if (n_runs < EXPERIMENT_RUNS || stats_mean_interval(r->runs + 1, n_runs - 1, &mean, half) != ST_OK)
        return false;
    return *half <= *wanted || mean + *half < lo || mean - *half > hi;
}

/* An enumerated RMID with traffic and an enumerated event must return data: else the machine FAILs. (AMD tracks a
 * limited number of RMIDs at a time, and may return Unavailable for any: nothing is known of it then.) */
enum status experiment_explain(struct experiment *e, enum status st)
{
    const struct reading *r = &e->readings[e->bad_reading];

    if (st == ST_UNAVAILABLE && !reference_is_intel(e->check))
        return check_absent(
            e->check,
            "L3 domain %u, RMID %u: its count was Unavailable or restarted in each of %u runs: the part tracks fewer "
            "RMIDs at a time",
            r->domain, r->rmid, EXPERIMENT_RESTARTS);
    if (st != ST_QM_ERROR && (st != ST_UNAVAILABLE || !reference_is_intel(e->check)))
        return check_unmeasured(e->check, st, e->bad_cpu, e->bad_what ? e->bad_what : "the measurement");
    evidence_wrmsr(e->check, e->bad_cpu, IA32_QM_EVTSEL,
                   qm_evtsel_of(&e->check->tools->qm[r->domain], r->rmid, r->event), ST_OK, r->after.tsc_select);
    evidence_msr(e->check, e->bad_cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
    return check_violated(e->check, st, st == ST_QM_ERROR ? FOUND_ALWAYS_ERROR : FOUND_ALWAYS_UNAVAILABLE,
                          place_rmid(r->domain, r->rmid), "event %u: IA32_QM_CTR returns %s on every read", r->event,
                          st == ST_QM_ERROR ? "Error (bit 63)" : "Unavailable (bit 62)");
}

/* For messages: a bound may be open. */
static uint64_t whole_bytes(double bytes)
{
    return bytes < 9e18 ? (uint64_t)bytes : UINT64_MAX;
}

/* "1000 to 2000 bytes", or "1000 bytes or more" where there is no upper bound */
static void bounds_text(double lo, double hi, char out[64])
{
    if (hi < NO_BOUND)
        text_format(out, 64, "%lu to %lu bytes", whole_bytes(lo), whole_bytes(hi));
    else
        text_format(out, 64, "%lu bytes or more", whole_bytes(lo));
}

struct place reading_place(const struct reading *r)
{
    struct place p = place_rmid(r->domain, r->rmid);

    return r->has_cpu ? place_with(p, PLACE_CPU, r->cpu) : p;
}

/* MB-07 in every measurement: a counter that decreases was reset, or is narrower than CPUID says. No SMI does that, and
 * the next counts may be far from where it does. */
static void judge_step_back(struct check *c, const struct reading *r)
{
    c->state->record.beyond_smis |= r->stepped_back > 0;
    if (r->stepped_back)
        finding(c, FINDING_FORBIDDEN, 0, FOUND_STEPS_BACK, reading_place(r),
                "%s decreased from 0x%lx to 0x%lx during a load: the counter was reset, or has fewer than the %u bits "
                "that CPUID enumerates",
                r->name, r->decreased_from, r->decreased_to, c->machine->domains[r->domain].counter_width);
}

void experiment_judge_steps(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++)
        judge_step_back(e->check, &e->readings[i]);
}

/* How many runs were made and why: for the reading with the widest interval against its target. */
static void show_repetition(const struct experiment *e)
{
    double widest = -1, half, wanted, shown_half = 0, shown_wanted = 0;
    const struct reading *shown = NULL;

    for (uint32_t i = 0; i < e->n_readings; i++) {
        (void)reading_settled(&e->readings[i], e->n_runs, &half, &wanted);
        if (wanted < NO_BOUND && wanted > 0 && half / wanted > widest) {
            widest = half / wanted;
            shown = &e->readings[i];
            shown_half = half;
            shown_wanted = wanted;
        }
    }
    if (shown)
        check_note(e->check,
                   "L3 domain %u, RMID %u: %s: n=%u of at most %u runs in %lu of at most %u ms, 95 %% CI of the mean "
                   "+-%lu bytes (target +-%lu bytes)",
                   shown->domain, shown->rmid, shown->name, e->n_runs, EXPERIMENT_RUNS_MOST, e->spent_ms,
                   1000 * EXPERIMENT_SECONDS, whole_bytes(shown_half), whole_bytes(shown_wanted));
}

uint32_t reading_erratum(const struct check *c, const struct reading *r, double lo, double hi)
{
    bool explains =
        r->event != QM_EVENT_L3_OCCUPANCY && errata_factor_explains(c->machine, r->domain, r->rmid, r->bytes, lo, hi);

    return explains ? FINDING_FACTOR_EXPLAINS : 0;
}

/* The codes of an event's readings stand in one order. */
enum reading_off { OFF_ZERO, OFF_LOW, OFF_LOW_FINE, OFF_HIGH, OFF_HIGH_FINE };
_Static_assert(FOUND_OCCUPANCY_HIGH_FINE - FOUND_OCCUPANCY_ZERO == OFF_HIGH_FINE, "order of finding_codes.h");
_Static_assert(FOUND_TOTAL_HIGH_FINE - FOUND_TOTAL_ZERO == OFF_HIGH_FINE, "order of finding_codes.h");
_Static_assert(FOUND_LOCAL_HIGH_FINE - FOUND_LOCAL_ZERO == OFF_HIGH_FINE, "order of finding_codes.h");

static enum finding_code code_of(const struct reading *r, enum reading_off off)
{
    enum finding_code first = r->event == QM_EVENT_L3_OCCUPANCY ? FOUND_OCCUPANCY_ZERO
                              : r->event == QM_EVENT_L3_LOCAL   ? FOUND_LOCAL_ZERO
                                                                : FOUND_TOTAL_ZERO;

    return r->code != FOUND_OTHER ? r->code : first + off;
}

enum finding_code reading_code(const struct reading *r, double least)
{
    return code_of(r, r->bytes >= least ? OFF_HIGH : r->bytes <= 0 ? OFF_ZERO : OFF_LOW);
}

enum finding_code reading_code_fine(const struct reading *r, bool low)
{
    return code_of(r, low ? OFF_LOW_FINE : OFF_HIGH_FINE);
}

struct band {
    double lo, hi;
};

static struct band widest_band(const struct reading *r)
{
    return (struct band){ max_of(r->lo, r->never_lo), min_of(r->hi, r->never_hi) };
}

/* The finer band where there is one; of bandwidth, on each side what the scatter of the runs may have moved their median
 * by as well. */
static struct band band_of(const struct reading *r)
{
    struct band b = widest_band(r);
    double spread = is_bandwidth(r) ? r->spread : 0;

    if (r->tight_hi <= 0)
        return b;
    b.lo = max_of(r->tight_lo - spread, b.lo);
    b.hi = min_of(r->tight_hi + spread, b.hi);
    return b;
}

void reading_excludes(struct check *c, const struct reading *r)
{
    double expected = is_bandwidth(r) ? r->expected : r->filled;
    double lo = band_of(r).lo;

    if (expected > 0 && lo > 0)
        excludes(c, is_bandwidth(r) ? "a loss" : "a loss of occupancy",
                 100 * (expected - lo + c->machine->domains[r->domain].upscaling_factor) / expected, "%");
}

#define TENTHS_OF(share) (unsigned)(1000 * (share) + 0.5) / 10, (unsigned)(1000 * (share) + 0.5) % 10

static void judge_fine_bandwidth(struct experiment *e, const struct reading *r, const char *stimulus)
{
    struct band fine = band_of(r);
    double off = r->bytes < r->expected ? r->expected - r->bytes : r->bytes - r->expected;
    double count = e->check->machine->domains[r->domain].upscaling_factor / r->expected;
    bool low = r->bytes < r->expected;
    char bounds[64];

    bounds_text(fine.lo, fine.hi, bounds);
    finding(e->check, FINDING_UNUSUAL, reading_erratum(e->check, r, fine.lo, fine.hi), reading_code_fine(r, low),
            reading_place(r),
            "%s %s %u.%u %% of %lu bytes, expected %s (median of %u runs, scatter %u.%u %%; one count is %u.%u %%): %s",
            r->name, low ? "lacks" : "exceeds by", TENTHS_OF(off / r->expected), whole_bytes(r->expected), bounds,
            e->long_runs ? e->long_runs : e->n_runs, TENTHS_OF(r->spread / r->expected), TENTHS_OF(count), stimulus);
}

/* Not a single count of a fill that the finer band tells from none is a dead counter. */
static void judge_fine_occupancy(struct experiment *e, const struct reading *r, const char *stimulus)
{
    uint32_t count = e->check->machine->domains[r->domain].upscaling_factor;
    bool dead = r->bytes < count && r->tight_lo > count;
    struct band fine = band_of(r);
    char bounds[64];

    bounds_text(fine.lo, fine.hi, bounds);
    finding(e->check, dead ? FINDING_FORBIDDEN : FINDING_UNUSUAL, 0,
            dead ? code_of(r, OFF_ZERO) : reading_code_fine(r, r->bytes < r->tight_lo), reading_place(r),
            "%s %lu bytes, expected %s, which is finer than the tolerance of 15 %% or 2000000 bytes: %s", r->name,
            whole_bytes(r->bytes), bounds, stimulus);
}

/* The part's erratum adds to short loads, and there was not enough memory for one that is long enough. */
static bool excess_is_known(const struct experiment *e, const struct reading *r)
{
    uint64_t moved = e->long_runs ? e->long_bytes : e->outcome.moved_bytes;

    return is_bandwidth(r) && r->expected > 0 && r->bytes > widest_band(r).hi && reading_may_be(r, r->bytes) &&
           errata_excess_explains(e->check->machine, r->domain, (double)moved);
}

static void judge_band(struct experiment *e, const struct reading *r, const char *stimulus)
{
    struct band band = band_of(r), widest = widest_band(r);
    enum finding_kind kind = excess_is_known(e, r)         ? FINDING_UNUSUAL
                             : reading_may_be(r, r->bytes) ? FINDING_EXPECTED
                                                           : FINDING_FORBIDDEN;
    char runs[96], bounds[64];

    reading_excludes(e->check, r);
    if (check_measure(e->check, r->name, reading_place(r), r->bytes, "bytes", band.lo, band.hi))
        return;
    if (reading_inside(r, r->bytes)) {
        (is_bandwidth(r) ? judge_fine_bandwidth : judge_fine_occupancy)(e, r, stimulus);
        return;
    }
    if (e->long_runs)
        text_format(runs, sizeof runs, "share of loads of %lu bytes, %s%u run%s", e->long_bytes,
                    e->long_runs > 1 ? "median of " : "", e->long_runs, e->long_runs > 1 ? "s" : "");
    else if (e->n_runs > 1)
        text_format(runs, sizeof runs, "median of %u runs", e->n_runs);
    else
        text_format(runs, sizeof runs, "one run");
    bounds_text(band.lo, band.hi, bounds);
    finding(e->check, kind, reading_erratum(e->check, r, widest.lo, widest.hi), reading_code(r, widest.lo),
            reading_place(r), "%s %lu bytes, expected %s (%s): %s", r->name, whole_bytes(r->bytes), bounds, runs,
            stimulus);
}

void experiment_judge(struct experiment *e, const char *stimulus)
{
    if (e->n_runs > 1)
        show_repetition(e);
    if (e->long_runs)
        check_note(e->check,
                   "L3 domain %u, RMID %u: %s: short streams are outside of the band; judged by loads of %lu bytes",
                   e->readings[0].domain, e->readings[0].rmid, e->readings[0].name, e->long_bytes);
    for (uint32_t i = 0; i < e->n_readings; i++)
        if (e->readings[i].bytes >= 0) /* else it decreased: experiment_try() has said so */
            judge_band(e, &e->readings[i], stimulus);
}
