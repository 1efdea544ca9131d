/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What MBA delay values and AMD's bandwidth limits do to traffic. Witness: the time that a stream of known size
 * takes, and the bytes that MBM counts.
 *
 * Rates are compared with each other on the same machine, whose speed may vary meanwhile (turbo, thermal and power
 * limits, other agents on the memory, a hypervisor): each setting is measured in each of several rounds
 * (core/experiment/rates.h), its rate is the median, and the spread of the rounds widens the band. All L3s are measured
 * at once: those with MBA stream from memory of packages of their own, where those have some, and AMD's, which share a
 * package's memory, are compared with a limit that is far below what each of them then has, or judge_ceiling() says
 * that it is not. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/bandwidth/mba_stream.h"

#define RDT_MBA "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation"

#define SLOWED      0.8 /* MA-04: of the rate without delay, at the largest delay value. See MBA_SPREAD_MOST. */
#define DELAY_ACTS  3   /* of so many percent of delay one slows                                              */
#define FAR         3   /* times what repeated rates differ by, or T_bw */
#define MBA_SAME    0.02
#define BOUND_LEAST 2.0   /* a loop that is no faster out of its L1 waits for nothing that a throttle delays */
#define FLOOR_BYTES 2.3e9 /* a second: what the largest delay left a core (intel-cmt-cat issue 277) */
#define FLOOR_TIMES 2.0
#define RATE_LEFT   "a rate that the largest delay leaves"
/* Of what a linear delay asks for, at least. Delays are approximate (356688 3.2): 90 left twice as much (Linux
 * 06bd03a57f8c), and no part is known that leaves half. */
#define DELAY_LEAVES 0.5

/* Rates over the first setting's are this at most where the stream is slowed. */
static double slowed_most(const struct rates *r)
{
    return SLOWED * (1 + r->spread);
}

/* What the largest delay leaves of a stream that must be slowed. A linear delay is in percent, approximately: 90 left
 * 20 of 100 (Linux 06bd03a57f8c). */
static double delay_leaves(struct check *c)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    double leaves = 1 - mba->max_delay / (100.0 * DELAY_ACTS);

    return mba->linear && leaves < SLOWED ? leaves : SLOWED;
}

/* What it leaves at least. */
static double delay_leaves_least(struct check *c)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;

    return mba->linear ? DELAY_LEAVES * (1 - mba->max_delay / 100.0) : 0;
}

/* --- MA-04: rate over delay value */

/* The smallest delay above 0. */
static uint32_t delay_step(const struct rdt_mba *mba)
{
    return mba->linear && mba->max_delay < 100 ? 100 - mba->max_delay : 1;
}

/* From no delay every step up to the largest delay value, or as many as RATES_SETTINGS holds. Returns how many
 * settings. */
static uint32_t choose_delays(const struct rdt_mba *mba, struct mba_setting settings[RATES_SETTINGS])
{
    uint32_t step = delay_step(mba), n = mba->max_delay / step;

    n = n < 1 ? 1 : n < RATES_SETTINGS - 1 ? n : RATES_SETTINGS - 1;
    for (uint32_t i = 0; i < n; i++)
        settings[i] = (struct mba_setting){ mba->max_delay * i / n / step * step, MBA_UNCHANGED };
    settings[n] = (struct mba_setting){ mba->max_delay, MBA_UNCHANGED }; /* MBA_MAX is legal whatever the step */
    return n + 1;
}

/* A larger delay at which the rate rises, in parts of the rate without delay: by more than repeated rates differ it is
 * worth a look, since parts are known whose settings are inaccurate (intel-cmt-cat issue 171). Far beyond that nothing
 * explains it. */
static void judge_step(struct check *c, uint32_t domain, const struct mba_setting *settings, const struct rates *r,
                       uint32_t i)
{
    double rise = (r->median[i] - r->median[i - 1]) / r->median[0], most = mba_alike_share(r);

    excludes(c, "a rise of the rate with the delay", 100 * most, "%");
    if (!check_measure(c, "rise from the next smaller delay over the rate without delay", place_domain(domain), rise,
                       "ratio", -NO_BOUND, most))
        finding(c, rise > FAR * most ? FINDING_EXPECTED : FINDING_UNUSUAL, 0, FOUND_DELAY_REVERSED,
                place_domain(domain),
                "delay value %lu gives %lu MiB/s, delay value %lu gives %lu MiB/s; spread of %u rounds %u %%",
                settings[i].own, (uint64_t)(r->median[i] / MIB), settings[i - 1].own,
                (uint64_t)(r->median[i - 1] / MIB), r->rounds, (unsigned)(100 * r->spread));
}

/* Of the delays, the one that leaves least of what it asks for, where they are linear. The first setting is none. */
static void judge_strength(struct check *c, uint32_t domain, const struct mba_stream *s,
                           const struct mba_setting *settings, uint32_t n, const struct rates *r)
{
    double least = DELAY_LEAVES / (1 + r->spread), worst = NO_BOUND;
    struct place place = place_domain_cpu(domain, s->cpus[0]);
    uint64_t delay = 0;

    for (uint32_t i = 1; i < n && reference_rdt(c)->mba.linear; i++) {
        double asked = 1 - (double)settings[i].own / 100, left = r->median[i] / r->median[0];

        if (asked > 0 && left / asked < worst) {
            worst = left / asked;
            delay = settings[i].own;
        }
    }
    if (delay == 0)
        return;
    excludes(c, "less than a delay asks for", 100 * least, "%");
    if (!check_measure(c, "rate at a delay over the rate that it asks for", place, worst, "ratio", least, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_DELAY_TOO_STRONG, place,
                "delay value %lu of CLOS %u asks for %lu %% of the rate without delay, and leaves %u %%", delay,
                s->clos, 100 - delay, (unsigned)(worst * (double)(100 - delay)));
}

/* Settings that act alike are no defect (intel-cmt-cat issue 69: on Skylake-SP some delay values act as another). */
static void note_alike(struct check *c, uint32_t domain, const struct mba_setting *settings, const struct rates *r)
{
    for (uint32_t i = 1; i < r->n; i++)
        if (r->median[i] > r->median[i - 1] * (1 - MBA_SAME) && r->median[i] < r->median[i - 1] * (1 + MBA_SAME))
            check_note(c, "L3 domain %u: delay values %lu and %lu act alike", domain, settings[i - 1].own,
                       settings[i].own);
}

/* Whether a throttle that works must show: the stream is bound by memory, since the same loop is faster by much over
 * lines that stay in the L1, and by more than a throttle leaves. */
static bool must_be_slowed(struct check *c, uint32_t domain, const struct mba_stream *s, double unthrottled)
{
    bool bound = check_measure(c, "rate of the loop over lines in the L1, over its rate over memory",
                               place_domain(domain), s->cached / unthrottled, "ratio", -NO_BOUND, NO_BOUND) &&
                 s->cached >= BOUND_LEAST * unthrottled;

    if (!bound)
        check_note(c,
                   "L3 domain %u: the stream is not bound by memory: the same loop is not %u times as fast over lines "
                   "in the L1",
                   domain, (unsigned)BOUND_LEAST);
    else if (unthrottled < FLOOR_TIMES * FLOOR_BYTES)
        check_note(c,
                   "L3 domain %u: the stream has %lu MB/s without delay, and the largest delay may leave a core %lu "
                   "MB/s",
                   domain, (uint64_t)(unthrottled / 1e6), (uint64_t)(FLOOR_BYTES / 1e6));
    return bound && unthrottled >= FLOOR_TIMES * FLOOR_BYTES;
}

/* The last setting is the largest delay, the first is none. */
static void judge_effect(struct check *c, uint32_t domain, const struct mba_stream *s, uint64_t delay,
                         const struct rates *r)
{
    double least = r->median[r->n - 1] / r->median[0];
    bool must = must_be_slowed(c, domain, s, r->median[0]);
    double most = (must ? delay_leaves(c) : SLOWED) * (1 + r->spread);

    excludes(c, RATE_LEFT, 100 * most, "%");
    if (check_measure(c, "rate at the largest delay over the rate without", place_domain(domain), least, "ratio", 0,
                      most))
        return;
    if (least < 1 - mba_alike_share(r))
        finding(c, FINDING_UNUSUAL, 0, FOUND_DELAY_TOO_WEAK, place_domain_cpu(domain, s->cpus[0]),
                "at the largest delay value (%lu) of CLOS %u the stream has %u %% of its rate without delay", delay,
                s->clos, (unsigned)(100 * least));
    else
        finding(c, must ? FINDING_EXPECTED : FINDING_UNUSUAL, 0, FOUND_DELAY_WITHOUT_EFFECT,
                place_domain_cpu(domain, s->cpus[0]),
                "the largest delay value (%lu) of CLOS %u has no effect: %lu MiB/s, %lu without delay", delay, s->clos,
                (uint64_t)(r->median[r->n - 1] / MIB), (uint64_t)(r->median[0] / MIB));
}

/* Whether the largest delay slows the stream in some rounds as it must and leaves it as fast in others, while the rate
 * without delay stays: a machine whose speed varies does not do that. true: it is a finding. */
static bool comes_and_goes(struct check *c, uint32_t domain, const struct mba_stream *s, const struct rates *r)
{
    double least[2] = { NO_BOUND, NO_BOUND }, most[2] = { 0 };

    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < r->rounds; k++) {
            double rate = r->rate[i ? r->n - 1 : 0][k];

            least[i] = rate < least[i] ? rate : least[i];
            most[i] = rate > most[i] ? rate : most[i];
        }
    if (s->unsettled || most[0] > (1 + BW_SHARE) * least[0] || most[1] < (1 - BW_SHARE) * least[0] ||
        least[1] > SLOWED * least[0])
        return false;
    finding(c, FINDING_UNUSUAL, 0, FOUND_DELAY_WITHOUT_EFFECT, place_domain_cpu(domain, s->cpus[0]),
            "the largest delay value of CLOS %u has no effect in some rounds: %lu MiB/s, and %lu in another; without "
            "delay %lu to %lu",
            s->clos, (uint64_t)(most[1] / MIB), (uint64_t)(least[1] / MIB), (uint64_t)(least[0] / MIB),
            (uint64_t)(most[0] / MIB));
    return true;
}

static enum status judge_rates(struct check *c, uint32_t domain, const struct mba_stream *s,
                               const struct mba_setting *settings, const struct rates *r)
{
    if (comes_and_goes(c, domain, s, r))
        return ST_OK;
    TRY(mba_rates_steady(c, domain, r));
    if (s->unsettled)
        check_note(c, "L3 domain %u: the rate of a stream was still changing when it ended", domain);
    for (uint32_t i = 1; i < r->n; i++)
        judge_step(c, domain, settings, r, i);
    note_alike(c, domain, settings, r);
    judge_effect(c, domain, s, settings[r->n - 1].own, r);
    judge_strength(c, domain, s, settings, r->n, r);
    return ST_OK;
}

static void show_rates(struct check *c, uint32_t domain, const struct mba_setting *settings, const struct rates *r)
{
    series_begin(c, "rate over delay", place_domain(domain), "bytes/s", "delay", "");
    for (uint32_t i = 0; i < r->n; i++)
        series_add(c, (double)settings[i].own, r->median[i]);
    series_end(c);
}

/* Another thread of the core that takes work; UINT32_MAX: there is none. */
static uint32_t other_thread(const struct check *c, uint32_t cpu)
{
    return FIND(i, c->machine->n_cpus, i != cpu && domain_same_core(c, i, cpu) && cpu_takes_work(c->platform, i), i,
                UINT32_MAX);
}

/* A stream in a class on that processor, whose SMT sibling is in the same class: a delay of which the threads of a core
 * have the smaller one would be none. */
static enum status rate_stream_init(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, struct mba_stream *s)
{
    uint32_t sibling;

    TRY(mba_stream_init(c, domain, cpu, s));
    sibling = other_thread(c, s->cpus[0]);
    s->clos = s->other_clos = clos;
    s->with_other = sibling != UINT32_MAX;
    s->cpus[1] = s->with_other ? sibling : s->cpus[1];
    return ST_OK;
}

/* The largest delay against none, on one core in one class. Every other core has it before the delay is written, as
 * resctrl's tasks do. glance: first one stream of each, which is enough if the delay shows. */
static enum status rate_of_core(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, struct alloc_table *t,
                                bool glance)
{
    const struct mba_setting settings[] = { { 0, MBA_UNCHANGED }, { reference_rdt(c)->mba.max_delay, MBA_UNCHANGED } };
    struct mba_stream s;
    struct rates r;
    double rates[2] = { 0 };

    tools_reset(c->tools);
    TRY(rate_stream_init(c, domain, cpu, clos, &s));
    s.class_first = clos % 2 == 0; /* the reverse on every other core */
    if (glance)
        TRY(mba_stream_glance(c, domain, &s, t, settings, 2, rates));
    if (glance && rates[1] <= delay_leaves(c) * rates[0] && rates[1] >= delay_leaves_least(c) * rates[0])
        return ST_OK;
    TRY(mba_stream_rates(c, domain, &s, t, settings, 2, &r));
    if (comes_and_goes(c, domain, &s, &r))
        return ST_OK;
    TRY(mba_rates_steady(c, domain, &r));
    judge_effect(c, domain, &s, settings[1].own, &r);
    judge_strength(c, domain, &s, settings, 2, &r);
    return ST_OK;
}

static enum status mba_rate(struct check *c, uint32_t domain)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    struct alloc_table t = alloc_throttles(c);
    struct mba_setting settings[RATES_SETTINGS] = { 0 };
    uint32_t n = choose_delays(mba, settings);
    struct mba_stream s;
    struct rates r;
    enum status st;

    if (t.classes < 2)
        return check_absent(c, "MBA has only one CLOS");
    TRY(rate_stream_init(c, domain, ANY_CPU, 1, &s));
    TRY(mba_lifted(c, domain, &s, &t, delay_step(mba), 0, mba->max_delay, SLOWED));
    TRY(mba_stream_rates(c, domain, &s, &t, settings, n, &r));
    show_rates(c, domain, settings, &r);
    st = judge_rates(c, domain, &s, settings, &r);
    excludes(c, "a loss of MBM total", s.missing, "%");
    if (st == ST_OK && r.median[n - 1] <= SLOWED * r.median[0])
        st = mba_concurrent(c, domain, &s, &t, 0, mba->max_delay, SLOWED, r.median[n - 1], FOUND_DELAY_WITHOUT_EFFECT);
    return st == ST_OK ? mba_others(c, domain, &t, rate_of_core) : st;
}

/* --- MA-06: the delay of a class acts on that class only */

/* Rates of a core that streams in class 0 while another core idles in class 1: class 1 without delay, and with the
 * largest. */
static enum status judge_bystander(struct check *c, uint32_t domain, const struct rates *r)
{
    TRY(mba_rates_steady(c, domain, r));
    excludes_share(c, "a loss of rate in another CLOS", r->median[1], r->median[0] * (1 - mba_alike_share(r)));
    if (!check_measure(c, "rate of CLOS 0 with CLOS 1 throttled over without", place_domain(domain),
                       r->median[1] / r->median[0], "ratio", 1 - mba_alike_share(r), NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER_CLOS_SLOWED, place_domain(domain),
                "the rate of CLOS 0 falls from %lu to %lu MiB/s when CLOS 1 is throttled on another core",
                (uint64_t)(r->median[0] / MIB), (uint64_t)(r->median[1] / MIB));
    return ST_OK;
}

/* The idle core has no traffic, so that the throttle is all that the two may share. */
static enum status mba_bystander(struct check *c, uint32_t domain)
{
    const struct mba_setting settings[] = { { MBA_UNCHANGED, 0 }, { MBA_UNCHANGED, reference_rdt(c)->mba.max_delay } };
    struct alloc_table t = alloc_throttles(c);
    struct mba_stream s;
    struct rates r;

    if (t.classes < 2)
        return check_absent(c, "MBA has only one CLOS");
    TRY(mba_stream_init(c, domain, ANY_CPU, &s));
    if (s.cpus[0] == s.cpus[1])
        return check_absent(c, "L3 domain %u has processors of only one core", domain);
    s.with_other = true;
    s.other_clos = 1;
    TRY(mba_stream_rates(c, domain, &s, &t, settings, 2, &r));
    return judge_bystander(c, domain, &r);
}

/* --- MA-07: SMT siblings in classes of different delays */

enum pair_rule { PAIR_OWN, PAIR_LARGER, PAIR_SMALLER };

static const char *const pair_rules[] = { "each thread has its own delay", "both have the larger delay",
                                          "both have the smaller delay" };

/* What the part documents: 10H.3:ECX[0] (per-thread), else MBA_CFG; a part without that MSR applies the larger
 * delay. */
static enum pair_rule documented_pair_rule(struct check *c, uint32_t cpu)
{
    uint64_t cfg = 0;

    if (c->machine->cpus[cpu].rdt.mba.per_thread)
        return PAIR_OWN;
    if (msr_read(c->platform, cpu, MBA_CFG, &cfg) != ST_OK || !(cfg & MBA_CFG_MIN_DELAY))
        return PAIR_LARGER;
    return PAIR_SMALLER;
}

/* i: 0 with the sibling's class throttled, 1 with the thread's own. */
static bool pair_slows(enum pair_rule rule, uint32_t i)
{
    return i ? rule != PAIR_SMALLER : rule == PAIR_LARGER;
}

static bool pair_is_off(enum pair_rule rule, const struct rates *r)
{
    bool off = false;

    for (uint32_t i = 0; i < 2; i++) {
        double ratio = r->median[1 + i] / r->median[0];

        off |= pair_slows(rule, i) ? ratio > slowed_most(r) : ratio < 1 - mba_alike_share(r);
    }
    return off;
}

/* Rates without delays, with the largest of the sibling's class, and with the largest of the thread's own. cpu: the
 * thread, where another core of the L3 does as it should; else UINT32_MAX. */
static void judge_pair(struct check *c, uint32_t domain, uint32_t cpu, enum pair_rule rule, const struct rates *r)
{
    static const char *const names[2] = { "rate with the SMT sibling's CLOS throttled over without",
                                          "rate with the thread's own CLOS throttled over without" };

    check_note(c, "L3 domain %u: MBA on two threads of a core, as documented for this part: %s", domain,
               pair_rules[rule]);
    for (uint32_t i = 0; i < 2; i++) {
        double ratio = r->median[1 + i] / r->median[0];
        bool slows = pair_slows(rule, i);

        if (slows)
            excludes(c, RATE_LEFT, 100 * slowed_most(r), "%");
        else
            excludes_share(c, "a loss of rate by the SMT sibling's CLOS", ratio, 1 - mba_alike_share(r));
        if (!check_measure(c, names[i], place_domain(domain), ratio, "ratio", slows ? 0 : 1 - mba_alike_share(r),
                           slows ? slowed_most(r) : NO_BOUND))
            finding(c, FINDING_UNUSUAL, 0, FOUND_SIBLING_DELAY_OFF,
                    cpu == UINT32_MAX ? place_domain(domain)
                                      : place_domain_cpu(domain, i ? cpu : domain_sibling(c, cpu)),
                    "the CLOS of %s has the largest delay, and the stream has %u %% of its rate; documented: %s",
                    i ? "the thread" : "its SMT sibling", (unsigned)(100 * ratio), pair_rules[rule]);
    }
}

#define PAIR_SETTINGS 3u

/* The stream on cpu, and its settings: none, the sibling's class throttled, the thread's own. */
static enum status pair_stream(struct check *c, uint32_t domain, uint32_t cpu, struct mba_stream *s,
                               struct mba_setting settings[PAIR_SETTINGS])
{
    uint32_t max = reference_rdt(c)->mba.max_delay;

    settings[0] = (struct mba_setting){ 0, 0 };
    settings[1] = (struct mba_setting){ 0, max };
    settings[2] = (struct mba_setting){ max, 0 };
    TRY(mba_stream_init(c, domain, cpu, s));
    s->cpus[1] = domain_sibling(c, cpu);
    s->with_other = true;
    s->clos = 1;
    s->other_clos = 2;
    return ST_OK;
}

static enum status pair_rates(struct check *c, uint32_t domain, struct alloc_table *t, uint32_t cpu, struct rates *r)
{
    struct mba_setting settings[PAIR_SETTINGS];
    struct mba_stream s;

    TRY(pair_stream(c, domain, cpu, &s, settings));
    TRY(mba_stream_rates(c, domain, &s, t, settings, PAIR_SETTINGS, r));
    return mba_rates_steady(c, domain, r);
}

/* One stream of each setting, and several rounds where these are off. */
static enum status pair_glance(struct check *c, uint32_t domain, struct alloc_table *t, uint32_t cpu,
                               enum pair_rule rule)
{
    struct mba_setting settings[PAIR_SETTINGS];
    struct mba_stream s;
    struct rates r = { .n = PAIR_SETTINGS };

    tools_reset(c->tools);
    TRY(pair_stream(c, domain, cpu, &s, settings));
    TRY(mba_stream_glance(c, domain, &s, t, settings, PAIR_SETTINGS, r.median));
    if (!pair_is_off(rule, &r))
        return ST_OK;
    tools_reset(c->tools);
    TRY(pair_rates(c, domain, t, cpu, &r));
    if (pair_is_off(rule, &r))
        judge_pair(c, domain, cpu, rule, &r);
    return ST_OK;
}

static enum status mba_siblings(struct check *c, uint32_t domain)
{
    struct alloc_table t = alloc_throttles(c);
    uint32_t *first, max = c->machine->domains[domain].n_cpus, n, cpu = UINT32_MAX, glanced = 0;
    enum pair_rule rule;
    struct rates r, other;

    TRY_ALLOC(c, first, max + 1, "the list of processors");
    n = domain_sibling_pairs(c, domain, first, max);
    if (t.classes < 3 || n == 0)
        return check_absent(c, "L3 domain %u: fewer than three CLOS, or no core with two threads", domain);
    rule = documented_pair_rule(c, first[0]);
    TRY(pair_rates(c, domain, &t, first[0], &r));
    if (n > 1 && pair_is_off(rule, &r)) {
        TRY(pair_rates(c, domain, &t, first[1], &other));
        if (!pair_is_off(rule, &other))
            cpu = first[0];
    }
    judge_pair(c, domain, cpu, rule, &r);
    for (; glanced + 1 < n && c->state->record.n_findings == 0; glanced++)
        check_conclude(c, pair_glance(c, domain, &t, first[glanced + 1], rule));
    check_note(c, "L3 domain %u: %u pairs of SMT siblings, %u of them by one stream a setting", domain, 1 + glanced,
               glanced);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mba.rate",
      .title = "Bandwidth does not rise with the MBA delay value",
      .spec = RDT_MBA "; Linux selftests/resctrl mba_test.c",
      .covers = "MA-04 MA-05",
      .detects = "delay values without effect, in the wrong direction or that outlast their removal, in any CLOS; MBM "
                 "counts that are wrong under MBA",
      .means = "an MBA delay value has no effect or the wrong one, or MBM miscounts a throttled stream",
      .next = "`mba.delays` (is the value stored); `mbm.total` (is the count right without delay); the series rate "
              "over delay",
      .run_domain = mba_rate },
    { .id = "mba.bystander",
      .title = "The MBA delay of a CLOS slows no other core's CLOS",
      .spec = RDT_MBA,
      .covers = "MA-06",
      .means = "throttling a CLOS slows a core that is in another CLOS",
      .next = "`mba.rate`; the three rates in the stream; power or thermal limits meanwhile",
      .needs = NEED_2_CPUS,
      .grade = GRADE_W,
      .slow = true,
      .run_domain = mba_bystander },
    { .id = "mba.siblings",
      .title = "SMT siblings get the MBA delay that their part documents",
      .spec = "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation; appendix B, MBA_CFG",
      .covers = "MA-07",
      .means = "the delays of two threads of a core combine otherwise than 10H.3:ECX[0] and MBA_CFG say",
      .next = "10H.3:ECX[0] (per-thread MBA) and MBA_CFG[0] (min or max of both); `mba.rate`",
      .needs = NEED_SMT,
      .grade = GRADE_W,
      .slow = true,
      .run_domain = mba_siblings },
};
CHECK_FAMILY(mba_effect, rows, .needs = NEED_MBA | NEED_TOTAL, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_THROTTLES,
             .by_experience = true, .excludes = true, .order = 700);
