/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs of an experiment: the caches flushed, the loads run, the monitors read. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/stats.h"
#include "core/tools/tools.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment_internal.h"

static bool all_inside(struct experiment *e, uint32_t run)
{
    bool in = true;

    EACH(struct reading, r, e->readings, e->n_readings) {
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
        e->readings[i].bytes = stats_median(kept, e->n_runs - 1);
        e->readings[i].spread = stats_median_reach(kept, e->n_runs - 1);
    }
}

static void experiment_record(struct experiment *e)
{
    EACH(const struct reading, r, e->readings, e->n_readings) {
        const struct qm_domain *d = &e->check->tools->qm[r->domain];

        evidence_qm(e->check, d, r->rmid, r->event, is_bandwidth(r) ? &r->before : &r->after);
        if (is_bandwidth(r))
            evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
    }
}

static bool settled(const struct experiment *e)
{
    double half, wanted;

    return ALL_OF(i, e->n_readings, reading_settled(&e->readings[i], e->n_runs, &half, &wanted));
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

    EACH(const struct reading, r, e->readings, e->n_readings) {
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

        TRY(experiment_run_once(e));
        in = all_inside(e, e->n_runs++);
        e->doubtful |= !in;
        e->spent_ms = (e->check->platform->ops->tsc(e->check->platform->machine) - begin) /
                      (e->check->platform->tsc_hz / 1000 + 1);
        enough = runs_suffice(e, in);
    }
    if (e->n_runs > 1)
        take_medians(e);
    TRY(wants_longer(e) ? experiment_lengthen(e) : ST_OK);
    experiment_record(e);
    experiment_judge_steps(e);
    return ST_OK;
}

enum status experiment_measure(struct experiment *e)
{
    enum status st = experiment_try(e);

    return st == ST_OK ? ST_OK : experiment_explain(e, st);
}

static struct reading *first_off(const struct experiment *e)
{
    return FIND(i, e->n_readings, !reading_inside(&e->readings[i], e->readings[i].bytes), &e->readings[i], NULL);
}

void experiment_locate(struct experiment *e)
{
    struct reading *off = e->n_loads == 1 && !(e->flags & EXPERIMENT_WARM) ? first_off(e) : NULL, again;
    struct traffic_load load;
    struct experiment other = { .check = e->check, .loads = &load, .n_loads = 1, .readings = &again, .n_readings = 1 };

    if (!off || off->has_cpu || check_verdict(e->check) != VERDICT_PASS ||
        e->check->machine->cpus[e->loads[0].cpu].domain != off->domain)
        return;
    load = e->loads[0];
    load.cpu = domain_other_core(e->check, off->domain, load.cpu);
    again = *off;
    other.flags = EXPERIMENT_ONCE | (e->flags & EXPERIMENT_PREFETCH);
    if (load.cpu == e->loads[0].cpu || experiment_try(&other) != ST_OK || !reading_looks_right(&again, again.bytes))
        return;
    for (; off < e->readings + e->n_readings; off++)
        if (!reading_inside(off, off->bytes)) {
            off->has_cpu = true;
            off->cpu = e->loads[0].cpu;
        }
}

enum status experiment_check(struct experiment *e, const char *stimulus)
{
    TRY(experiment_measure(e));
    experiment_locate(e);
    experiment_judge(e, stimulus);
    return ST_OK;
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
