/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One run of an experiment: the caches flushed, the loads run, the monitors read; again while SMIs fall into it. */
#include "core/base/ticks.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment_internal.h"
#include "core/load/loads.h"

/* --- clean caches ----------------------------------------------------------------------------------------------- */

static enum status clean_domains(struct experiment *e)
{
    e->bad_what = "WBINVD";
    for (uint32_t i = 0; i < e->n_readings; i++) {
        bool done = ANY_OF(k, i, e->readings[k].domain == e->readings[i].domain);

        if (!done)
            TRY(domain_clean(e->check, e->readings[i].domain, &e->bad_cpu));
    }
    return ST_OK;
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

            if (of->work.bytes)
                st = traffic_run(e->check->platform, &load, 1, NULL, NULL, &e->bad_cpu);
        }
    return st;
}

static enum status flush_caches(struct experiment *e)
{
    TRY(clean_domains(e));
    if (ANY_OF(i, e->check->platform->n_cpus, e->check->platform->cpus[i].flags & CPU_LOST))
        TRY(flush_loads(e));
    return ST_OK;
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

    TRY(experiment_read(e, true));
    if (e->n_loads) {
        e->bad_what = "the workload";
        TRY(traffic_run(e->check->platform, e->loads, e->n_loads, off, &e->outcome, &e->bad_cpu));
    }
    return experiment_read(e, false);
}

static enum status run_try(struct experiment *e, struct sample *s)
{
    enum status st;

    TRY(flush_before(e));
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
        check_note(e->check, "pause of the load shortened to %lu us: SMIs every %lu us", ticks_to_ns(pause, hz) / 1000,
                   ticks_to_ns(sample_smi_period(s), hz) / 1000);
}

/* One run, repeated while an SMI falls into it. The window ends with the first reading: what an SMI moves while
 * counters settle is under the RMIDs as found. */
static enum status run_undisturbed(struct experiment *e)
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
    TRY(sample_end(&s));
    return experiment_settle(e);
}

/* The same, repeated while a count restarts during it: the load makes the part count its RMID. */
enum status experiment_run_once(struct experiment *e)
{
    for (uint32_t i = 0; i < EXPERIMENT_RESTARTS; i++) {
        for (uint32_t k = 0; k < e->n_readings; k++)
            e->readings[k].restarted = false;
        e->again = i > 0;
        TRY(run_undisturbed(e));
        if (!experiment_restarted(e))
            return ST_OK;
    }
    return ST_UNAVAILABLE;
}
