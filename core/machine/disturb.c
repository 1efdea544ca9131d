/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/disturb.h"

#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/heap.h"
#include "core/platform/script.h"

#define BUDGET_MS UINT64_C(10000)

#define RATIO_TICKS UINT64_C(1000) /* the two are read some ten ticks apart: fewer say little about a clock */

static const uint32_t numbers[DISTURB_REGISTERS] = { MSR_SMI_COUNT, IA32_THERM_STATUS, IA32_PACKAGE_THERM_STATUS,
                                                     IA32_MPERF, IA32_APERF };

static uint32_t number_of(const struct disturb_cpu *w, uint32_t r)
{
    return r == DISTURB_SMI && w->smi_msr ? w->smi_msr : numbers[r];
}

static void disturb_take(struct disturb_cpu *w, const struct step *steps, bool after)
{
    uint32_t k = 0;

    for (uint32_t r = 0; r < DISTURB_REGISTERS; r++) {
        if (!(w->readable & 1u << r))
            continue;
        if (steps[k].status != ST_OK)
            w->readable &= ~(1u << r);
        else
            (after ? w->after : w->before)[r] = steps[k].value;
        k++;
    }
    *(after ? &w->tsc_after : &w->tsc_before) = steps[k].tsc;
}

enum status disturb_look(struct platform *p, struct disturb_cpu *cpus, uint32_t n, bool after, uint32_t *bad_cpu)
{
    struct task tasks[DISTURB_CPUS];
    struct step steps[DISTURB_CPUS][DISTURB_REGISTERS + 1];
    enum status st;
    bool bad = false;

    n = n < DISTURB_CPUS ? n : DISTURB_CPUS;
    for (uint32_t i = 0; i < n; i++) {
        struct disturb_cpu *w = &cpus[i];
        uint32_t k = 0;

        if (after)
            memcpy(w->after, w->before, sizeof w->after);
        for (uint32_t r = 0; r < DISTURB_REGISTERS; r++)
            if (w->readable & 1u << r)
                steps[i][k++] = step_untimed(step_rdmsr(number_of(w, r)));
        steps[i][k++] = step_stamp();
        tasks[i] = (struct task){ .cpu = w->cpu, .n_steps = k, .steps = steps[i] };
    }
    st = n ? platform_run(p, tasks, n, BUDGET_MS) : ST_OK;
    for (uint32_t i = 0; i < n; i++) {
        if (tasks[i].status == ST_OK) {
            disturb_take(&cpus[i], steps[i], after);
            continue;
        }
        if (!bad)
            *bad_cpu = cpus[i].cpu;
        bad = true;
        st = status_first(st, tasks[i].status);
    }
    return st;
}

uint32_t disturb_registers(const struct cpu_identity *id)
{
    uint32_t frequency = 1u << DISTURB_MPERF | 1u << DISTURB_APERF;

    if (id->vendor == VENDOR_INTEL)
        return frequency | 1u << DISTURB_SMI | 1u << DISTURB_THERMAL | 1u << DISTURB_PACKAGE_THERMAL;
    return cpu_is_amd(id) ? frequency : 0;
}

/* Of those that still take work; what it comes to shows in what was read. */
static void disturb_read(struct disturb *d, bool after)
{
    uint32_t n = 0, bad = 0;
    enum status st;

    for (uint32_t i = 0; i < d->n; i++)
        if (cpu_takes_work(d->platform, d->cpus[i].cpu))
            d->cpus[n++] = d->cpus[i];
    d->n = n;
    st = disturb_look(d->platform, d->cpus, d->n, after, &bad);
    (void)st;
}

enum status disturb_init(struct disturb *d, struct platform *p, const struct machine *m)
{
    *d = (struct disturb){ .platform = p };
    TRY_HEAP(d->cpus, DISTURB_CPUS);
    for (uint32_t i = 0; i < m->n_packages && d->n < DISTURB_CPUS; i++) {
        uint32_t cpu = FIND(k, m->n_cpus, m->cpus[k].package == i && cpu_takes_work(p, k), k, m->n_cpus);

        if (cpu < m->n_cpus)
            d->cpus[d->n++] = (struct disturb_cpu){ .cpu = cpu, .readable = disturb_registers(&m->cpus[cpu].id) };
    }
    disturb_read(d, false);
    return ST_OK;
}

void disturb_count_smis(struct disturb *d, uint32_t cpu, uint32_t msr)
{
    uint32_t i = INDEX_OF(k, d->n, d->cpus[k].cpu == cpu);

    if (!d->cpus || i == DISTURB_CPUS)
        return;
    if (i == d->n)
        d->cpus[d->n++] = (struct disturb_cpu){ .cpu = cpu };
    d->cpus[i].readable |= 1u << DISTURB_SMI;
    d->cpus[i].smi_msr = msr;
}

bool disturb_counts_smis(const struct disturb *d)
{
    return ANY_OF(i, d->n, d->cpus[i].readable & 1u << DISTURB_SMI);
}

void disturb_free(struct disturb *d)
{
    heap_free(d->cpus);
    d->cpus = NULL;
    d->n = 0;
}

void disturb_begin(struct disturb *d)
{
    disturb_read(d, false);
}

/* Status bits show the present state, log bits events since they were cleared; Assay does not clear them. */
static bool came_up(const struct disturb_cpu *w, uint32_t r, uint64_t status, uint64_t log, bool *began)
{
    uint64_t before = w->before[r], after = w->after[r];

    if (!(w->readable & 1u << r))
        return false;
    *began |= (~before & after & (status | log)) != 0;
    return (after & status) || (~before & after & log);
}

static void add_frequency(struct disturbance *out, const struct disturb_cpu *w)
{
    const uint32_t both = 1u << DISTURB_MPERF | 1u << DISTURB_APERF;
    uint64_t mperf = w->after[DISTURB_MPERF] - w->before[DISTURB_MPERF];
    uint64_t aperf = w->after[DISTURB_APERF] - w->before[DISTURB_APERF];
    double ratio;

    if ((w->readable & both) != both || mperf < RATIO_TICKS || aperf == 0)
        return;
    ratio = (double)aperf / (double)mperf;
    if (out->slowest == 0 || ratio < out->slowest)
        out->slowest = ratio;
    if (ratio > out->fastest)
        out->fastest = ratio;
}

struct disturbance disturb_between(const struct disturb_cpu *cpus, uint32_t n)
{
    struct disturbance out = { 0 };

    EACH(const struct disturb_cpu, w, cpus, n) {
        uint64_t smis = field_get(MSR_SMI_COUNT_VALUE, w->after[DISTURB_SMI] - w->before[DISTURB_SMI]);
        bool hot, limited;

        out.known |= (w->readable & 1u << DISTURB_SMI) != 0;
        if ((w->readable & 1u << DISTURB_SMI) && smis > out.smis) {
            out.smis = smis;
            out.smi_cpu = w->cpu;
        }
        hot = came_up(w, DISTURB_THERMAL, IA32_THERM_STATUS_HOT, IA32_THERM_STATUS_HOT_LOG, &out.began);
        hot |= came_up(w, DISTURB_PACKAGE_THERMAL, IA32_THERM_STATUS_HOT, IA32_THERM_STATUS_HOT_LOG, &out.began);
        if (hot && out.hot++ == 0)
            out.hot_cpu = w->cpu;
        limited =
            came_up(w, DISTURB_THERMAL, IA32_THERM_STATUS_POWER_LIMIT, IA32_THERM_STATUS_POWER_LIMIT_LOG, &out.began);
        limited |= came_up(w, DISTURB_PACKAGE_THERMAL, IA32_THERM_STATUS_POWER_LIMIT, IA32_THERM_STATUS_POWER_LIMIT_LOG,
                           &out.began);
        out.limited += limited;
        add_frequency(&out, w);
    }
    return out;
}

struct disturbance disturb_end(struct disturb *d)
{
    disturb_read(d, true);
    return disturb_between(d->cpus, d->n);
}
