/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs of an experiment: the caches flushed, the loads run, the monitors read. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/rollover.h"
#include "core/base/stats.h"
#include "core/base/ticks.h"
#include "core/tools/tools.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment_internal.h"
#include "core/load/loads.h"

/* --- the experiment ----------------------------------------------------------------------------------------------- */

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
                st = traffic_run(e->check->platform, &load, 1, NULL, &outcome, &e->bad_cpu);
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

/* A load that is run once more finds its lines in the caches. */
static enum status flush_before(struct experiment *e)
{
    if (!(e->flags & EXPERIMENT_WARM))
        return flush_caches(e);
    return e->again ? flush_loads(e) : ST_OK;
}

static enum status run_window(struct experiment *e)
{
    const struct prefetch_control *off = e->flags & EXPERIMENT_PREFETCH ? NULL : e->check->machine->prefetch;
    enum status st = experiment_read(e, true);

    if (st == ST_OK && e->n_loads) {
        e->bad_what = "the workload";
        st = traffic_run(e->check->platform, e->loads, e->n_loads, off, &e->outcome, &e->bad_cpu);
    }
    return st == ST_OK ? experiment_read(e, false) : st;
}

static enum status run_try(struct experiment *e, struct sample *s)
{
    enum status st = flush_before(e);

    if (st != ST_OK)
        return st;
    experiment_quiet(e);
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
        check_note(e->check, "pause of the load shortened to %llu us: SMIs every %llu us",
                   (unsigned long long)ticks_to_ns(pause, hz) / 1000,
                   (unsigned long long)ticks_to_ns(sample_smi_period(s), hz) / 1000);
}

/* One run, repeated while an SMI falls into it. The window ends with the first reading: what an SMI moves while counters
 * settle is under the RMIDs as found. */
static enum status run_undisturbed(struct experiment *e)
{
    uint32_t cpus[SAMPLE_CPUS], n = watched_cpus(e, cpus);
    uint64_t pause = 0;
    enum status st;
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
    st = sample_end(&s);
    return st == ST_OK ? experiment_settle(e) : st;
}

/* The same, repeated while a count begins anew during it: the load makes the part count its RMID. */
enum status experiment_run_once(struct experiment *e)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < EXPERIMENT_RESTARTS && st == ST_OK; i++) {
        for (uint32_t k = 0; k < e->n_readings; k++)
            e->readings[k].restarted = false;
        e->again = i > 0;
        st = run_undisturbed(e);
        if (st == ST_OK && !experiment_restarted(e))
            return ST_OK;
    }
    return st == ST_OK ? ST_UNAVAILABLE : st;
}

static bool all_inside(struct experiment *e, uint32_t run)
{
    bool in = true;

    for (uint32_t i = 0; i < e->n_readings; i++) {
        struct reading *r = &e->readings[i];

        r->runs[run] = r->bytes = reading_bytes(e, r);
        in &= is_bandwidth(r) ? reading_looks_right(r, r->bytes) : reading_inside(r, r->bytes);
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
        e->readings[i].spread = stats_median_reach(kept, e->n_runs - 1);
    }
}

static void experiment_record(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
        const struct qm_domain *d = &e->check->tools->qm[r->domain];

        evidence_wrmsr(e->check, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, r->rmid, r->event), ST_OK,
                       (is_bandwidth(r) ? r->before : r->after).tsc_select);
        if (is_bandwidth(r))
            evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->before.raw, r->before.tsc);
        evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
    }
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

/* A bandwidth is off. Where nothing is counted, longer streams would tell no more. */
static bool wants_longer(const struct experiment *e)
{
    bool wrong = e->flags & EXPERIMENT_LONG;

    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];

        if (r->bytes < (e->flags & EXPERIMENT_SHORT ? r->lo : r->never_lo))
            return false;
        wrong |= !reading_looks_right(r, r->bytes);
    }
    return wrong && !(e->flags & (EXPERIMENT_ONCE | EXPERIMENT_WARM)) && experiment_can_lengthen(e);
}

/* in: all of the last run. The second run waits for what came before it; what it does not bring in, longer streams
 * may. */
static bool runs_suffice(struct experiment *e, bool in)
{
    if (e->n_runs == 1)
        return (in && !(e->flags & EXPERIMENT_REPEAT)) || (e->flags & EXPERIMENT_ONCE);
    if (e->n_runs == 2 && in && e->doubtful)
        experiment_quiet_helps(e);
    if (e->n_runs == 2 && !in && !(e->flags & EXPERIMENT_REPEAT) && wants_longer(e))
        return true;
    return settled(e) || budget_exhausted(e);
}

enum status experiment_try(struct experiment *e)
{
    uint64_t begin = e->check->platform->ops->tsc(e->check->platform->machine);
    enum status st;

    e->n_runs = 0;
    e->spent_ms = 0;
    e->disturbed = 0;
    e->bad_cpu = e->n_loads ? e->loads[0].cpu : e->check->platform->bsp;
    e->outcome = (struct traffic_outcome){ 0 };
    for (uint32_t i = 0; i < e->n_readings; i++) {
        e->readings[i].stepped_back = 0;
        e->readings[i].spread = 0;
    }
    e->doubtful = e->flags & EXPERIMENT_QUIET;
    e->settles = e->settle_most ? e->settle_most : SETTLE_STEPS;
    e->long_runs = 0;
    for (bool enough = false; !enough;) {
        bool in;

        st = experiment_run_once(e);
        if (st != ST_OK)
            return st;
        in = all_inside(e, e->n_runs++);
        e->doubtful |= !in;
        e->spent_ms = (e->check->platform->ops->tsc(e->check->platform->machine) - begin) /
                      (e->check->platform->tsc_hz / 1000 + 1);
        enough = runs_suffice(e, in);
    }
    if (e->n_runs > 1)
        take_medians(e);
    st = wants_longer(e) ? experiment_lengthen(e) : ST_OK;
    if (st == ST_OK)
        experiment_record(e);
    return st;
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
