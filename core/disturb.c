#include "core/disturb.h"

#include "arch/x86/msr_regs.h"
#include "core/heap.h"
#include "core/script.h"

#define BUDGET_MS UINT64_C(10000)

enum { SMI, THERMAL, PACKAGE, MPERF, APERF, REGISTERS };
static const uint32_t numbers[REGISTERS] = { MSR_SMI_COUNT, IA32_THERM_STATUS, IA32_PACKAGE_THERM_STATUS, IA32_MPERF,
                                             IA32_APERF };

/* One task a processor with the registers that it answers to. A look that fails keeps the value before: no disturbance
 * is made up. */
static void look(struct disturb *d, bool after)
{
    struct task tasks[DISTURB_CPUS];
    struct step steps[DISTURB_CPUS][REGISTERS];
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n; i++) {
        struct disturb_cpu *w = &d->cpus[i];
        uint32_t k = 0;

        if (after)
            for (uint32_t r = 0; r < REGISTERS; r++)
                w->after[r] = w->before[r];
        if (!cpu_takes_work(d->platform, w->cpu))
            continue;
        for (uint32_t r = 0; r < REGISTERS; r++)
            if (w->readable & 1u << r)
                steps[i][k++] = step_rdmsr(numbers[r]);
        if (k)
            tasks[n++] = (struct task){ .cpu = w->cpu, .n_steps = k, .steps = steps[i] };
    }
    if (n == 0 || platform_run(d->platform, tasks, n, BUDGET_MS) != ST_OK)
        return;
    for (uint32_t i = 0; i < d->n; i++) {
        struct disturb_cpu *w = &d->cpus[i];
        uint32_t k = 0;

        for (uint32_t r = 0; r < REGISTERS && cpu_takes_work(d->platform, w->cpu); r++) {
            if (!(w->readable & 1u << r))
                continue;
            if (steps[i][k].status != ST_OK)
                w->readable &= ~(1u << r);
            else
                (after ? w->after : w->before)[r] = steps[i][k].value;
            k++;
        }
    }
}

/* Registers that a part of this maker has. What it has not raises #GP in the first look, and is not asked again. */
static uint32_t candidates(const struct cpu_identity *id)
{
    uint32_t frequency = 1u << MPERF | 1u << APERF;

    if (id->vendor == VENDOR_INTEL)
        return frequency | 1u << SMI | 1u << THERMAL | 1u << PACKAGE;
    return id->vendor == VENDOR_AMD || id->vendor == VENDOR_HYGON ? frequency : 0;
}

static uint32_t one_of_package(const struct platform *p, const struct machine *m, uint32_t package)
{
    for (uint32_t i = 0; i < m->n_cpus; i++)
        if (m->cpus[i].package == package && cpu_takes_work(p, i))
            return i;
    return m->n_cpus;
}

enum status disturb_init(struct disturb *d, struct platform *p, const struct machine *m)
{
    *d = (struct disturb){ .platform = p };
    d->cpus = heap_alloc(sizeof *d->cpus * DISTURB_CPUS);
    if (!d->cpus)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < m->n_packages && d->n < DISTURB_CPUS; i++) {
        uint32_t cpu = one_of_package(p, m, i);

        if (cpu < m->n_cpus)
            d->cpus[d->n++] = (struct disturb_cpu){ .cpu = cpu, .readable = candidates(&m->cpus[cpu].id) };
    }
    look(d, false);
    return ST_OK;
}

void disturb_free(struct disturb *d)
{
    heap_free(d->cpus);
    d->cpus = NULL;
    d->n = 0;
}

void disturb_begin(struct disturb *d)
{
    look(d, false);
}

/* Status bits say what is, log bits what was since somebody cleared them: nobody does here. */
static bool came_up(const struct disturb_cpu *w, uint32_t r, uint64_t status, uint64_t log)
{
    return (w->readable & 1u << r) && ((w->after[r] & status) || (~w->before[r] & w->after[r] & log));
}

static void add_frequency(struct disturbance *out, const struct disturb_cpu *w)
{
    const uint32_t both = 1u << MPERF | 1u << APERF;
    uint64_t mperf = w->after[MPERF] - w->before[MPERF], aperf = w->after[APERF] - w->before[APERF];
    double ratio;

    if ((w->readable & both) != both || mperf == 0 || aperf == 0)
        return;
    ratio = (double)aperf / (double)mperf;
    if (out->slowest == 0 || ratio < out->slowest)
        out->slowest = ratio;
    if (ratio > out->fastest)
        out->fastest = ratio;
}

struct disturbance disturb_end(struct disturb *d)
{
    struct disturbance out = { 0 };

    look(d, true);
    for (uint32_t i = 0; i < d->n; i++) {
        const struct disturb_cpu *w = &d->cpus[i];
        uint64_t smis = field_get(MSR_SMI_COUNT_VALUE, w->after[SMI] - w->before[SMI]);

        out.known |= (w->readable & 1u << SMI) != 0;
        if ((w->readable & 1u << SMI) && smis > out.smis) {
            out.smis = smis;
            out.smi_cpu = w->cpu;
        }
        if (came_up(w, THERMAL, IA32_THERM_STATUS_HOT, IA32_THERM_STATUS_HOT_LOG) ||
            came_up(w, PACKAGE, IA32_THERM_STATUS_HOT, IA32_THERM_STATUS_HOT_LOG)) {
            if (out.hot++ == 0)
                out.hot_cpu = w->cpu;
        }
        if (came_up(w, THERMAL, IA32_THERM_STATUS_POWER_LIMIT, IA32_THERM_STATUS_POWER_LIMIT_LOG) ||
            came_up(w, PACKAGE, IA32_THERM_STATUS_POWER_LIMIT, IA32_THERM_STATUS_POWER_LIMIT_LOG)) {
            if (out.limited++ == 0)
                out.limited_cpu = w->cpu;
        }
        add_frequency(&out, w);
    }
    return out;
}
