/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Experiments and bands. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/domains.h"
#include "core/measure/experiment.h"
#include "core/measure/loads.h"
#include "core/check/errata.h"
#include "core/base/rollover.h"
#include "core/base/stats.h"
#include "core/base/text.h"
#include "core/base/ticks.h"

#define UNAVAILABLE_TRIES 5u /* QM-15 */

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

double occupancy_most(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];

    return (1 + (is_intel(c) ? OCC_OVER : OCC_OVER_ESTIMATE)) * (double)d->l3_bytes + d->upscaling_factor;
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
    double in_l2 = d->l3_inclusive ? 0 : (double)l2_bytes_of(c) * cores;
    double tight = tight_bytes(d);

    r->filled = expected;
    r->lo = max_of(expected - off - in_l2, 0);
    r->hi = expected + off;
    r->never_lo = max_of(expected - in_l2, 0) * DEAD_SHARE;
    r->never_hi = min_of(max_of(OCC_TWICE * expected, r->hi), occupancy_most(c, r->domain));
    if (tight > 0) {
        tight = max_of(OCC_SHARE * expected, tight);
        r->tight_lo = max_of(expected - tight - in_l2, 0);
        r->tight_hi = expected + tight;
    }
}

void expect_no_occupancy(const struct check *c, struct reading *r)
{
    r->lo = 0;
    r->hi = OCC_BYTES;
    r->tight_lo = 0;
    r->tight_hi = tight_bytes(&c->machine->domains[r->domain]);
    r->never_lo = 0;
    r->never_hi = occupancy_most(c, r->domain);
}

void expect_none_of(struct reading *r, double bytes)
{
    r->never_hi = min_of(max_of(bytes / 2, r->hi), r->never_hi);
}

void expect_bandwidth(const struct check *c, struct reading *r, double expected)
{
    double count = c->machine->domains[r->domain].upscaling_factor; /* one more or less at the ends of a sample */

    r->lo = max_of((1 - BW_SHARE) * expected - count, 0);
    r->hi = (1 + BW_SHARE) * expected + count;
    r->never_lo = max_of(DEAD_SHARE * expected - count, 0);
    r->never_hi = max_of((2 - BW_SHARE) * expected - count, r->hi);
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

static bool inside_band(const struct reading *r, double bytes)
{
    return bytes >= r->lo && bytes <= r->hi && reading_may_be(r, bytes);
}

/* Within the tighter band as well, where there is one. */
static bool looks_right(const struct reading *r, double bytes)
{
    return inside_band(r, bytes) && (r->tight_hi <= 0 || (bytes >= r->tight_lo && bytes <= r->tight_hi));
}

/* --- the experiment ----------------------------------------------------------------------------------------------- */

static enum status reading_take(struct experiment *e, uint32_t i, bool before)
{
    struct reading *r = &e->readings[i];
    struct qm_domain *d = domain_qm(e->check, r->domain);
    enum status st;

    e->bad_what = "IA32_QM_CTR";
    if (d == NULL)
        return ST_LOST;
    e->bad_cpu = d->cpu;
    e->bad_reading = i;
    st = qm_read_wait(e->check->platform, d, r->rmid, r->event, UNAVAILABLE_TRIES, &r->after, NULL);
    if (before)
        r->before = r->after;
    return st;
}

static enum status experiment_read(struct experiment *e, bool before)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < e->n_readings && st == ST_OK; i++) {
        if (!before || e->readings[i].event != QM_EVENT_L3_OCCUPANCY)
            st = reading_take(e, i, before);
    }
    return st;
}

#define SETTLE_NS UINT64_C(5000000)

/* After the load. No document says how soon occupancy shows what was filled: where it is out of its band it is read
 * again after SETTLE_NS, once. */
static enum status read_settled(struct experiment *e)
{
    const struct platform *p = e->check->platform;
    enum status st = experiment_read(e, false);
    bool waited = false;

    for (uint32_t i = 0; i < e->n_readings && st == ST_OK; i++) {
        struct reading *r = &e->readings[i];
        double unit = e->check->tools->qm[r->domain].upscaling_factor;

        if (r->event != QM_EVENT_L3_OCCUPANCY || looks_right(r, (double)r->after.counts * unit))
            continue;
        if (!waited)
            p->ops->stall(p->machine, SETTLE_NS);
        waited = true;
        st = reading_take(e, i, false);
        if (st == ST_OK && looks_right(r, (double)r->after.counts * unit))
            note(e->check, "L3 domain %u, RMID %u: occupancy reached its expected value only %llu ms after the load",
                 r->domain, r->rmid, (unsigned long long)(SETTLE_NS / 1000000));
    }
    return st;
}

static enum status clean_domains(struct experiment *e)
{
    enum status st = ST_OK;

    e->bad_what = "WBINVD";
    for (uint32_t i = 0; i < e->n_readings && st == ST_OK; i++) {
        bool done = false;

        for (uint32_t k = 0; k < i; k++)
            done |= e->readings[k].domain == e->readings[i].domain;
        if (!done)
            st = domain_clean(e->check, e->readings[i].domain, &e->bad_cpu);
    }
    return st;
}

static bool any_lost(const struct platform *p)
{
    for (uint32_t i = 0; i < p->n_cpus; i++)
        if (p->cpus[i].flags & CPU_LOST)
            return true;
    return false;
}

/* WBINVD cannot be run on a lost processor, and its caches would serve what is to come from memory: CLFLUSH reaches
 * them. SDM vol. 2A "CLFLUSH": from every level of the cache hierarchy in the coherence domain. The kernel loads each
 * line first, as RMID 0: a count that is followed over several experiments sees nothing of it. */
static enum status flush_loads(struct experiment *e)
{
    enum status st = ST_OK;

    e->bad_what = "CLFLUSH";
    for (uint32_t i = 0; i < e->n_loads; i++)
        for (uint32_t k = 0; k < e->loads[i].n_parts && st == ST_OK; k++) {
            const struct traffic_part *of = &e->loads[i].parts[k];
            struct traffic_part part = part_flush(0, of->work.base, of->work.bytes);
            struct traffic_load load = { .cpu = e->loads[i].cpu, .n_parts = 1, .parts = &part };
            struct traffic_outcome outcome;

            if (of->work.bytes)
                st = traffic_run(e->check->platform, &load, 1, 0, &outcome, &e->bad_cpu);
        }
    return st;
}

static enum status flush_caches(struct experiment *e)
{
    enum status st = clean_domains(e);

    if (st == ST_OK && any_lost(e->check->platform))
        st = flush_loads(e);
    return st;
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

/* The processors that do the work or read: at most SAMPLE_CPUS. */
static uint32_t watched_cpus(struct experiment *e, uint32_t cpus[SAMPLE_CPUS])
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < e->n_loads && n < SAMPLE_CPUS / 2; i++)
        cpus[n++] = e->loads[i].cpu;
    for (uint32_t i = 0; i < e->n_readings && n < SAMPLE_CPUS; i++) {
        const struct qm_domain *d = domain_qm(e->check, e->readings[i].domain);

        if (d)
            cpus[n++] = d->cpu;
    }
    return n;
}

#define PAUSE_LEAST_NS UINT64_C(1000000)

/* A pause waits for what should not happen: half of it may be free of SMIs where all of it is not. Returns the longest
 * of those that were halved, in ticks. */
static uint64_t halve_pauses(struct experiment *e)
{
    uint64_t longest = 0, least = ticks_from_ns(PAUSE_LEAST_NS, e->check->platform->tsc_hz);

    for (uint32_t i = 0; i < e->n_loads; i++)
        for (uint32_t k = 0; k < e->loads[i].n_parts; k++) {
            uint64_t *pause = &e->loads[i].parts[k].pause_ticks;

            if (*pause / 2 < least)
                continue;
            *pause /= 2;
            longest = *pause > longest ? *pause : longest;
        }
    return longest;
}

static enum status flush_before(struct experiment *e)
{
    return e->flags & EXPERIMENT_WARM ? ST_OK : flush_caches(e);
}

static enum status run_window(struct experiment *e)
{
    bool off = is_intel(e->check) && !(e->flags & EXPERIMENT_PREFETCH);
    enum status st = experiment_read(e, true);

    if (st == ST_OK && e->n_loads) {
        e->bad_what = "the workload";
        st = traffic_run(e->check->platform, e->loads, e->n_loads, off ? TRAFFIC_PREFETCH_OFF : 0, &e->outcome,
                         &e->bad_cpu);
    }
    return st == ST_OK ? read_settled(e) : st;
}

static enum status run_try(struct experiment *e, struct sample *s)
{
    enum status st = flush_before(e);

    if (st != ST_OK)
        return st;
    st = sample_open(s);
    if (st == ST_OK)
        return run_window(e);
    e->bad_what = "MSR_SMI_COUNT";
    e->bad_cpu = s->bad_cpu;
    return st;
}

static void note_pause(struct experiment *e, const struct sample *s, uint64_t pause)
{
    uint64_t hz = e->check->platform->tsc_hz;

    if (pause)
        note(e->check, "pause of the load shortened to %llu us: SMIs every %llu us",
             (unsigned long long)ticks_to_ns(pause, hz) / 1000,
             (unsigned long long)ticks_to_ns(sample_smi_period(s), hz) / 1000);
}

/* One run, repeated while an SMI falls into it. */
static enum status experiment_run_once(struct experiment *e)
{
    uint32_t cpus[SAMPLE_CPUS], n = watched_cpus(e, cpus);
    uint64_t pause = 0;
    struct sample s;

    sample_begin(&s, e->check, cpus, n);
    if (e->tries)
        s.budget = e->tries;
    while (sample_wanted(&s)) {
        uint64_t halved = s.smis && (e->flags & EXPERIMENT_HALVE) ? halve_pauses(e) : 0;

        pause = halved ? halved : pause;
        sample_close(&s, run_try(e, &s));
    }
    note_pause(e, &s, pause);
    e->disturbed += s.disturbed;
    return sample_end(&s);
}

/* Half the range of a counter is more than any load here moves: a delta beyond it is a decrease. */
static uint64_t delta_of(struct reading *r, const struct qm_domain *d)
{
    uint64_t delta = qm_delta(r->before.counts, r->after.counts, d->counter_width);

    if (delta > counter_range(d->counter_width) / 2) {
        r->stepped_back++;
        r->decreased_from = r->before.counts;
        r->decreased_to = r->after.counts;
    }
    return delta;
}

static bool all_inside(struct experiment *e, uint32_t run)
{
    bool in = true;

    for (uint32_t i = 0; i < e->n_readings; i++) {
        struct reading *r = &e->readings[i];
        const struct qm_domain *d = &e->check->tools->qm[r->domain];
        uint64_t counts = r->event == QM_EVENT_L3_OCCUPANCY ? r->after.counts : delta_of(r, d);

        r->runs[run] = r->bytes = (double)counts * d->upscaling_factor;
        in &= inside_band(r, r->bytes);
    }
    return in;
}

static void take_medians(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        double kept[EXPERIMENT_RUNS_MOST];

        for (uint32_t k = 1; k < e->n_runs; k++)
            kept[k - 1] = e->readings[i].runs[k];
        stats_sort(kept, e->n_runs - 1);
        e->readings[i].bytes = stats_sorted_median(kept, e->n_runs - 1);
    }
}

static void experiment_record(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
        const struct qm_domain *d = &e->check->tools->qm[r->domain];

        evidence_wrmsr(e->check, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, r->rmid, r->event), ST_OK,
                       (r->event != QM_EVENT_L3_OCCUPANCY ? r->before : r->after).tsc_select);
        if (r->event != QM_EVENT_L3_OCCUPANCY)
            evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->before.raw, r->before.tsc);
        evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
    }
}

bool reading_settled(const struct reading *r, uint32_t n_runs, double *half, double *wanted)
{
    bool open = r->hi >= NO_BOUND || r->lo <= -NO_BOUND;
    double mean;

    *half = 0;
    *wanted = open ? NO_BOUND : (r->hi - r->lo) / 8;
    if (n_runs < EXPERIMENT_RUNS || stats_mean_interval(r->runs + 1, n_runs - 1, &mean, half) != ST_OK)
        return false;
    return *half <= *wanted || mean + *half < r->lo || mean - *half > r->hi;
}

static bool settled(const struct experiment *e)
{
    bool all = true;
    double half, wanted;

    for (uint32_t i = 0; i < e->n_readings; i++)
        all &= reading_settled(&e->readings[i], e->n_runs, &half, &wanted);
    return all;
}

static bool budget_exhausted(const struct experiment *e)
{
    return e->n_runs == EXPERIMENT_RUNS_MOST ||
           (e->n_runs >= EXPERIMENT_RUNS && e->spent_ms > 1000 * EXPERIMENT_SECONDS);
}

enum status experiment_try(struct experiment *e)
{
    uint64_t begin = e->check->platform->ops->tsc(e->check->platform->machine);

    e->n_runs = 0;
    e->spent_ms = 0;
    e->disturbed = 0;
    e->bad_cpu = e->n_loads ? e->loads[0].cpu : e->check->platform->bsp;
    e->outcome = (struct traffic_outcome){ 0 };
    for (uint32_t i = 0; i < e->n_readings; i++)
        e->readings[i].stepped_back = 0;
    for (bool enough = false; !enough;) {
        enum status st = experiment_run_once(e);
        bool in;

        if (st != ST_OK)
            return st;
        in = all_inside(e, e->n_runs++);
        e->spent_ms = (e->check->platform->ops->tsc(e->check->platform->machine) - begin) /
                      (e->check->platform->tsc_hz / 1000 + 1);
        enough = e->n_runs == 1 ? (in && !(e->flags & EXPERIMENT_REPEAT)) || (e->flags & EXPERIMENT_ONCE)
                                : settled(e) || budget_exhausted(e);
    }
    if (e->n_runs > 1)
        take_medians(e);
    experiment_record(e);
    return ST_OK;
}

/* An enumerated RMID with traffic and an enumerated event must return data: else the machine FAILs. (AMD tracks a limited
 * number of RMIDs at a time, and may return Unavailable for any.) */
enum status experiment_explain(struct experiment *e, enum status st)
{
    const struct reading *r = &e->readings[e->bad_reading];

    if (st != ST_QM_ERROR && (st != ST_UNAVAILABLE || !is_intel(e->check)))
        return unmeasured(e->check, st, e->bad_cpu, e->bad_what);
    evidence_wrmsr(e->check, e->bad_cpu, IA32_QM_EVTSEL,
                   qm_evtsel_of(&e->check->tools->qm[r->domain], r->rmid, r->event), ST_OK, r->after.tsc_select);
    evidence_msr(e->check, e->bad_cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
    return violated(e->check, st, "L3 domain %u, RMID %u, event %u: IA32_QM_CTR returns %s on every read", r->domain,
                    r->rmid, r->event, st == ST_QM_ERROR ? "Error (bit 63)" : "Unavailable (bit 62)");
}

enum status experiment_measure(struct experiment *e)
{
    enum status st = experiment_try(e);

    return st == ST_OK ? ST_OK : experiment_explain(e, st);
}

enum status experiment_check(struct experiment *e, const char *stimulus)
{
    enum status st = experiment_measure(e);

    if (st == ST_OK)
        experiment_judge(e, stimulus);
    return st;
}

enum status experiment_stream(struct check *c, uint32_t cpu, struct traffic_part *parts, uint32_t n_parts,
                              struct reading *r, uint32_t n_readings, struct experiment *e)
{
    struct traffic_load load = { .cpu = cpu, .n_parts = n_parts, .parts = parts };
    enum status st;

    *e = (struct experiment){ .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = n_readings };
    st = experiment_measure(e);
    e->loads = NULL;
    return st;
}

/* For messages: a bound may be open. */
static unsigned long long whole_bytes(double bytes)
{
    return bytes < 9e18 ? (unsigned long long)bytes : UINT64_MAX;
}

/* MB-07 in every measurement: a counter that decreases was reset, or is narrower than CPUID says. */
static void judge_step_back(struct check *c, const struct reading *r, const char *where)
{
    if (r->stepped_back)
        forbidden(c,
                  "%s: %s: the counter decreased from 0x%llx to 0x%llx during a load: it was reset, or has fewer bits "
                  "than the %u that CPUID enumerates",
                  where, r->name, (unsigned long long)r->decreased_from, (unsigned long long)r->decreased_to,
                  c->machine->domains[r->domain].counter_width);
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
        note(e->check,
             "L3 domain %u, RMID %u: %s: n=%u of at most %u runs in %llu of at most %u ms, 95 %% CI of the mean "
             "+-%llu bytes (target +-%llu bytes)",
             shown->domain, shown->rmid, shown->name, e->n_runs, EXPERIMENT_RUNS_MOST, (unsigned long long)e->spent_ms,
             1000 * EXPERIMENT_SECONDS, whole_bytes(shown_half), whole_bytes(shown_wanted));
}

void reading_factor_explains(struct check *c, const struct reading *r, double lo, double hi)
{
    c->state->factor_explains =
        r->event != QM_EVENT_L3_OCCUPANCY && errata_factor_explains(c->machine, r->domain, r->rmid, r->bytes, lo, hi);
}

static void judge_band(struct experiment *e, const struct reading *r, const char *where, const char *stimulus)
{
    double lo = max_of(r->lo, r->never_lo), hi = min_of(r->hi, r->never_hi);
    char runs[32];

    if (measure(e->check, r->name, where, r->bytes, "bytes", lo, hi))
        return;
    reading_factor_explains(e->check, r, lo, hi);

    if (e->n_runs > 1)
        text_format(runs, sizeof runs, "median of %u runs", e->n_runs);
    else
        text_format(runs, sizeof runs, "one run");
    (reading_may_be(r, r->bytes) ? fail : forbidden)(
        e->check, "%s: %s %llu bytes, expected %llu to %llu bytes (%s): %s", where, r->name, whole_bytes(r->bytes),
        whole_bytes(lo), whole_bytes(hi), runs, stimulus);
}

void experiment_judge(struct experiment *e, const char *stimulus)
{
    if (e->n_runs > 1)
        show_repetition(e);
    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
        char where[48];

        text_format(where, sizeof where, "L3 domain %u, RMID %u", r->domain, r->rmid);
        judge_step_back(e->check, r, where);
        judge_band(e, r, where, stimulus);
        if (inside_band(r, r->bytes) && !looks_right(r, r->bytes)) {
            reading_factor_explains(e->check, r, r->tight_lo, r->tight_hi);
            warn(e->check,
                 "%s: %s %llu bytes is within the tolerance of 2000000 bytes, but outside the band for an L3 of this "
                 "size, %llu to %llu bytes: %s",
                 where, r->name, whole_bytes(r->bytes), whole_bytes(r->tight_lo), whole_bytes(r->tight_hi), stimulus);
        }
    }
}
