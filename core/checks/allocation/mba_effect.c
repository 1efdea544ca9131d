/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What throttles do to traffic. Witness: the time that a stream of known size takes, and the bytes that MBM counts.
 *
 * Rates are compared with each other and never with a number of somebody else's machine. How steady they are is found
 * out first: the stream runs unthrottled before and after, and what it differs by widens the band.
 */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/measure/legacy.h"
#include "core/base/text.h"

#define RDT_MBA "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation"
#define APM_BW  "APM vol. 2 19.5 L3 Memory Bandwidth Enforcement"

#define STREAM_RUNS  3u    /* the fastest counts: what disturbs a stream only slows it           */
#define UNSTEADY     0.25  /* a stream that varies by more tells nothing                           */
#define SLOWED       0.8   /* MA-04: of the unthrottled rate, at the greatest delay                */
#define IDLE_DIVISOR 1000u /* the other processor stands in its class for a millisecond          */

struct stream {
    uint32_t cpus[2], rmid; /* cpus[1]: of another core, or the same where there is none */
    uint64_t base, bytes;
    uint32_t clos;   /* that the first processor streams in */
    bool with_other; /* the second processor stands in other_clos meanwhile */
    uint32_t other_clos;
};

static bool stream_set_up(struct check *c, uint32_t domain, struct stream *s, char why[WHY_SIZE])
{
    *s = (struct stream){ .bytes = stream_bytes(c, domain) / 4 };
    s->bytes = ROUND_DOWN(s->bytes < 4 * MIB ? 4 * MIB : s->bytes);
    if (domain_rmids(c, domain, &s->rmid, 1) < 1 || domain_cpus(c, domain, s->cpus, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID or no processor", domain), false;
    s->cpus[1] = other_core(c, domain, s->cpus[0]);
    return take_local(c, s->cpus[0], s->bytes, &s->base, why);
}

static double seconds(const struct check *c, const struct work *w)
{
    return w->tsc_end > w->tsc_begin ? (double)(w->tsc_end - w->tsc_begin) / (double)c->platform->tsc_hz : 0;
}

/* Bytes a second of the first processor, the best of a few runs. 0: it could not be measured, and that was said. */
static double stream_rate(struct check *c, uint32_t domain, const struct stream *s)
{
    double best = 0;

    for (uint32_t i = 0; i < STREAM_RUNS; i++) {
        struct traffic_part parts[2] = { part_read(s->rmid, s->base, s->bytes),
                                         part_idle(s->rmid, c->platform->tsc_hz / IDLE_DIVISOR) };
        struct traffic_load loads[2] = { { .cpu = s->cpus[0], .n_parts = 1, .parts = &parts[0] },
                                         { .cpu = s->cpus[1], .n_parts = 1, .parts = &parts[1] } };
        struct reading r = reading_of("total bytes", domain, s->rmid, QM_EVENT_L3_TOTAL);
        struct experiment e = { .check = c, .loads = loads, .readings = &r, .n_readings = 1 };
        double took;

        parts[0].clos = s->clos;
        parts[1].clos = s->other_clos;
        e.n_loads = s->with_other ? 2 : 1;
        e.flags = EXPERIMENT_ONCE;
        expect_bandwidth(c, &r, (double)s->bytes);
        if (!experiment_run(&e))
            return 0;
        experiment_judge(&e, "the throttle slows a stream and takes nothing from it");
        took = seconds(c, &parts[0].work);
        if (took > 0 && (double)s->bytes / took > best)
            best = (double)s->bytes / took;
    }
    return best;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* As where other guests or power limits change the machine's speed meanwhile. */
static bool unsteady(uint32_t domain, double spread, char why[WHY_SIZE])
{
    text_format(why, WHY_SIZE, "L3 domain %u: the rate of an unthrottled stream changed by %u %% during the check",
                domain, (unsigned)(100 * spread));
    return false;
}

/* --- MA-04: more delay, less traffic */

#define DELAYS_MOST 12u

/* No delay first and last; between them every step up to the greatest, or as many as there is room for: how many. */
static uint32_t choose_delays(const struct rdt_mba *mba, uint32_t delays[DELAYS_MOST])
{
    uint32_t step = mba->linear && mba->max_delay < 100 ? 100 - mba->max_delay : 1, n = mba->max_delay / step;

    n = n < 1 ? 1 : n < DELAYS_MOST - 2 ? n : DELAYS_MOST - 2;
    delays[0] = delays[n + 1] = 0;
    for (uint32_t i = 1; i < n; i++)
        delays[i] = mba->max_delay * i / n / step * step;
    delays[n] = mba->max_delay; /* legal, whatever the step */
    return n;
}

static bool judge_rates(struct check *c, uint32_t domain, const uint32_t *delays, const double *rates, uint32_t steps,
                        char why[WHY_SIZE])
{
    double first = rates[0], last = rates[steps + 1];
    double spread = first > last ? first / last - 1 : last / first - 1, band = 1 + larger(BW_SHARE, 2 * spread);
    char where[32];

    domain_name(domain, where);
    measure(c, "spread of the unthrottled rate", where, 100 * spread, "%", -NO_BOUND, NO_BOUND);
    if (spread > UNSTEADY)
        return unsteady(domain, spread, why);
    for (uint32_t i = 1; i <= steps; i++)
        if (!measure(c, "rate over that of the step before", where, rates[i] / rates[i - 1], "ratio", 0, band))
            fail(c, "%s: delay %u gives %llu MiB/s, delay %u %llu MiB/s", where, delays[i],
                 (unsigned long long)(rates[i] / MIB), delays[i - 1], (unsigned long long)(rates[i - 1] / MIB));
    if (!measure(c, "rate at the greatest delay over the unthrottled one", where, rates[steps] / first, "ratio", 0,
                 SLOWED))
        warn(c, "%s: at the greatest delay (%u) the stream still has %u %% of its rate", where, delays[steps],
             (unsigned)(100 * rates[steps] / first));
    return true;
}

static bool rates(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    struct alloc_table t = alloc_throttles(c);
    uint32_t delays[DELAYS_MOST], steps, n = 0;
    double rate[DELAYS_MOST] = { 0 };
    struct stream s;

    if (t.classes < 2)
        return text_format(why, WHY_SIZE, "there is no second class"), false;
    if (!stream_set_up(c, domain, &s, why) || !alloc_touch_table(c, &t))
        return false;
    s.clos = 1;
    steps = choose_delays(mba, delays);
    series_begin(c, "rate over delay", "bytes/s", "delay", "");
    for (; n < steps + 2; n++) {
        if (!alloc_write(c, &t, 1, delays[n]))
            break;
        rate[n] = stream_rate(c, domain, &s);
        if (rate[n] <= 0)
            break;
        series_add(c, delays[n], rate[n]);
    }
    series_end(c);
    alloc_put_back_table(c, &t);
    return n < steps + 2 || judge_rates(c, domain, delays, rate, steps, why);
}

LEGACY_DOMAIN(rates)

/* --- MA-06: one class's delay is its own */

/* One core streams in class 0, another one stands in class 1 without traffic of its own, so that nothing is shared but
 * the throttle. */
static bool bystander(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    struct alloc_table t = alloc_throttles(c);
    double free_rate, rate, again, spread;
    struct stream s;
    char where[32];

    if (t.classes < 2 || !stream_set_up(c, domain, &s, why))
        return text_format(why, WHY_SIZE, "L3 domain %u: no second class, or nothing to stream with", domain), false;
    if (s.cpus[0] == s.cpus[1])
        return text_format(why, WHY_SIZE, "L3 domain %u has processors of one core only", domain), false;
    if (!alloc_touch_table(c, &t))
        return true;
    s.with_other = true;
    s.other_clos = 1;
    free_rate = alloc_write(c, &t, 1, 0) ? stream_rate(c, domain, &s) : 0;
    rate = free_rate > 0 && alloc_write(c, &t, 1, mba->max_delay) ? stream_rate(c, domain, &s) : 0;
    again = rate > 0 && alloc_write(c, &t, 1, 0) ? stream_rate(c, domain, &s) : 0;
    alloc_put_back_table(c, &t);
    if (again <= 0)
        return true;
    domain_name(domain, where);
    spread = larger(free_rate / again, again / free_rate) - 1;
    measure(c, "spread of the rate", where, 100 * spread, "%", -NO_BOUND, NO_BOUND);
    if (spread > UNSTEADY)
        return unsteady(domain, spread, why);
    if (!measure(c, "rate beside a throttled class over that beside a free one", where, rate / free_rate, "ratio",
                 1 - larger(BW_SHARE, 2 * spread), NO_BOUND))
        warn(c, "%s: class 0 falls from %llu to %llu MiB/s when class 1 is throttled on another core", where,
             (unsigned long long)(free_rate / MIB), (unsigned long long)(rate / MIB));
    return true;
}

LEGACY_DOMAIN(bystander)

/* --- MA-07: two threads of a core in classes of different delays */

enum pair_rule { PAIR_OWN, PAIR_LARGER, PAIR_SMALLER };

static const char *const pair_rules[] = { "each thread its own delay", "the larger of both delays",
                                          "the smaller of both delays" };

/* What the part promises: 10H.3:ECX[0], else MBA_CFG where it is there; parts without it take the larger delay. */
static enum pair_rule pair_rule_of(struct check *c, uint32_t cpu)
{
    uint64_t cfg = 0;

    if (c->machine->cpus[cpu].rdt.mba.per_thread)
        return PAIR_OWN;
    if (msr_read(c->platform, cpu, MBA_CFG, &cfg) != ST_OK || !(cfg & MBA_CFG_MIN_DELAY))
        return PAIR_LARGER;
    return PAIR_SMALLER;
}

/* A thread streams without delay, its sibling stands in a class with the greatest one: by the rule the stream is slowed
 * or it is not. Then the other way round. */
static void judge_pair(struct check *c, uint32_t domain, enum pair_rule rule, const double rate[4])
{
    double spread = larger(rate[0] / rate[3], rate[3] / rate[0]) - 1, whole = 1 - larger(BW_SHARE, 2 * spread);
    bool slowed[2] = { rule == PAIR_LARGER, rule != PAIR_SMALLER };
    static const char *const names[2] = { "rate of a thread whose sibling's class is throttled, over the free one",
                                          "rate of a thread whose own class is throttled, over the free one" };
    char where[32];

    domain_name(domain, where);
    note(c, "%s: for two threads of a core this part promises %s", where, pair_rules[rule]);
    for (uint32_t i = 0; i < 2; i++) {
        double ratio = rate[1 + i] / rate[0];

        if (!measure(c, names[i], where, ratio, "ratio", slowed[i] ? 0 : whole, slowed[i] ? SLOWED : NO_BOUND))
            warn(c, "%s: %s delay is the greatest, and the stream has %u %% of its rate: not %s", where,
                 i ? "its own class's" : "its sibling's class's", (unsigned)(100 * ratio), pair_rules[rule]);
    }
}

static bool pair(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    uint32_t delays[4][2] = { { 0, 0 }, { 0, mba->max_delay }, { mba->max_delay, 0 }, { 0, 0 } }, first = 0, n = 0;
    struct alloc_table t = alloc_throttles(c);
    double rate[4], spread;
    struct stream s;

    if (t.classes < 3 || sibling_pairs(c, domain, &first, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than three classes, or no core with two threads",
                           domain),
               false;
    if (!stream_set_up(c, domain, &s, why) || !alloc_touch_table(c, &t))
        return false;
    s.cpus[0] = first;
    s.cpus[1] = sibling_of(c, first);
    s.with_other = true;
    s.clos = 1;
    s.other_clos = 2;
    for (; n < 4; n++) {
        rate[n] =
            alloc_write(c, &t, 1, delays[n][0]) && alloc_write(c, &t, 2, delays[n][1]) ? stream_rate(c, domain, &s) : 0;
        if (rate[n] <= 0)
            break;
    }
    alloc_put_back_table(c, &t);
    if (n < 4)
        return true;
    spread = larger(rate[0] / rate[3], rate[3] / rate[0]) - 1;
    if (spread > UNSTEADY)
        return unsteady(domain, spread, why);
    judge_pair(c, domain, pair_rule_of(c, first), rate);
    return true;
}

LEGACY_DOMAIN(pair)

/* --- MA-08: AMD's ceiling */

#define CEILING_UNITS 8u /* of 1/8 GB/s */
#define CEILING_HZ    1e9

static bool ceiling(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct alloc_table t = alloc_amd_bandwidth(c);
    double free_rate, rate;
    struct stream s;
    char where[32];

    if (t.classes < 2)
        return text_format(why, WHY_SIZE, "no bandwidth enforcement is enumerated"), false;
    if (!stream_set_up(c, domain, &s, why) || !alloc_touch_table(c, &t))
        return false;
    s.clos = 1;
    free_rate = alloc_write(c, &t, 1, L3QOS_BW_CONTROL_U(t.bits - 1)) ? stream_rate(c, domain, &s) : 0;
    rate = free_rate > 0 && alloc_write(c, &t, 1, CEILING_UNITS) ? stream_rate(c, domain, &s) : 0;
    alloc_put_back_table(c, &t);
    if (rate <= 0)
        return true;
    if (free_rate < 1.2 * CEILING_HZ)
        return text_format(why, WHY_SIZE, "L3 domain %u: one processor moves %llu MB/s without a limit, too little",
                           domain, (unsigned long long)(free_rate / 1e6)),
               false;
    domain_name(domain, where);
    if (!measure(c, "rate under a limit of 1 GB/s", where, rate, "bytes/s", 0, 1.1 * CEILING_HZ))
        warn(c, "%s: the limit of class 1 is 1 GB/s, and a stream in it moves %llu MB/s", where,
             (unsigned long long)(rate / 1e6));
    return true;
}

LEGACY_DOMAIN(ceiling)

#define MEANS_USUAL "throttles are stored, refused or act otherwise than documented"
#define NEXT_USUAL  "the value and the processor in the finding; `mba.delays`; published defects named behind it"

static const struct check_row rows[] = {
    { .id = "mba.rate",
      .title = "More delay never gives more traffic, the greatest gives less",
      .spec = RDT_MBA "; Linux selftests/resctrl mba_test.c",
      .rows = "MA-04 MA-05",
      .detects = "throttles without effect, or in the wrong direction; counts that are wrong while throttled",
      .means = "a throttle has no effect, or the wrong one",
      .next = "`mba.delays` (is it stored); `mbm.total` (is the figure right without it); the curve in the stream",
      .needs = NEED_MBA | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_THROTTLES,
      .order = 700,
      .run_domain = rates_status },
    { .id = "mba.bystander",
      .title = "A throttled class slows no other core's class",
      .spec = RDT_MBA,
      .rows = "MA-06",
      .detects = "a throttle that leaks",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MBA | NEED_TOTAL | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_THROTTLES,
      .order = 700,
      .slow = true,
      .run_domain = bystander_status },
    { .id = "mba.siblings",
      .title = "Two threads of a core get the delay that their part promises",
      .spec = "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation; appendix B, MBA_CFG",
      .rows = "MA-07",
      .detects = "a throttle that takes the wrong thread's delay",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MBA | NEED_TOTAL | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_THROTTLES,
      .order = 700,
      .slow = true,
      .run_domain = pair_status },
    { .id = "amd.ceiling",
      .title = "A bandwidth limit limits",
      .spec = APM_BW,
      .rows = "MA-08",
      .detects = "a limit without effect",
      .means = "a limit is stored and does not limit",
      .next = "`amd.limits` first; then the measured rates in the stream",
      .needs = NEED_AMD_QOS | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 700,
      .run_domain = ceiling_status },
};
CHECK_FAMILY(mba_effect, rows);
