/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/core_pmu.h"

#include "core/platform/script.h"

#define MOST_COUNTERS 8u
#define SCRIPT_MS     1000u

static bool counts(const struct cpuid_regs *r, enum core_pmu_event event)
{
    return field_get(PMU_EAX_VERSION, r->eax) > 0 && field_get(PMU_EAX_COUNTERS, r->eax) > 0 &&
           field_get(PMU_EAX_EVENTS, r->eax) > (uint64_t)event && !(r->ebx & BIT(event));
}

static uint64_t select_of(enum core_pmu_event event)
{
    return event == PMU_LLC_REFERENCES ? PMU_LLC_REFERENCES_SELECT : PMU_LLC_MISSES_SELECT;
}

enum status core_pmu_find(struct platform *p, uint32_t cpu, struct core_pmu *pmu)
{
    return core_pmu_find_event(p, cpu, PMU_LLC_MISSES, pmu);
}

enum status core_pmu_find_event(struct platform *p, uint32_t cpu, enum core_pmu_event event, struct core_pmu *pmu)
{
    struct cpuid_regs r = { 0 };
    uint64_t global = 0, select = 0;
    uint32_t n;
    enum status st = cpu_cpuid(p, cpu, 0, 0, &r);

    if (st == ST_OK && r.eax < 0xA)
        return ST_ABSENT;
    TRY(st);
    TRY(cpu_cpuid(p, cpu, 0xA, 0, &r));
    if (!counts(&r, event))
        return ST_ABSENT;
    if (field_get(PMU_EAX_VERSION, r.eax) >= 2)
        st = msr_read(p, cpu, IA32_PERF_GLOBAL_CTRL, &global);
    n = (uint32_t)field_get(PMU_EAX_COUNTERS, r.eax);
    for (uint32_t i = 0; i < n && i < MOST_COUNTERS && st == ST_OK; i++) {
        st = msr_read(p, cpu, IA32_PERFEVTSEL(i), &select);
        if (st != ST_OK || (select & IA32_PERFEVTSEL_EN))
            continue;
        *pmu = (struct core_pmu){ .cpu = cpu,
                                  .counter = i,
                                  .width = (uint32_t)field_get(PMU_EAX_WIDTH, r.eax),
                                  .found_select = select,
                                  .found_global = global,
                                  .global = field_get(PMU_EAX_VERSION, r.eax) >= 2,
                                  .select = select_of(event) | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                                            IA32_PERFEVTSEL_EN };
        return ST_OK;
    }
    return st == ST_OK ? ST_UNSUPPORTED : st;
}

static bool gated(const struct core_pmu *pmu)
{
    return pmu->global && !(pmu->found_global & IA32_PERF_GLOBAL_CTRL_EN_PMC(pmu->counter));
}

uint32_t core_pmu_begin(const struct core_pmu *pmu, struct step *steps)
{
    uint32_t n = 0;

    steps[n++] = step_wrmsr_must(IA32_PERFEVTSEL(pmu->counter), pmu->select);
    if (gated(pmu))
        steps[n++] = step_wrmsr(IA32_PERF_GLOBAL_CTRL, pmu->found_global | IA32_PERF_GLOBAL_CTRL_EN_PMC(pmu->counter));
    steps[n++] = step_rdmsr(IA32_PMC(pmu->counter));
    return n;
}

uint32_t core_pmu_end(const struct core_pmu *pmu, struct step *steps)
{
    uint32_t n = 0;

    steps[n++] = step_rdmsr(IA32_PMC(pmu->counter));
    if (gated(pmu))
        steps[n++] = step_wrmsr(IA32_PERF_GLOBAL_CTRL, pmu->found_global);
    steps[n++] = step_wrmsr(IA32_PERFEVTSEL(pmu->counter), pmu->found_select);
    return n;
}

enum status core_pmu_read(struct platform *p, const struct core_pmu *pmu, bool end, uint64_t *value)
{
    struct step steps[CORE_PMU_STEPS];
    uint32_t n = end ? core_pmu_end(pmu, steps) : core_pmu_begin(pmu, steps);
    enum status st = script_run(p, pmu->cpu, steps, n, SCRIPT_MS);

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = steps[i].status;
    *value = steps[end ? 0 : n - 1].value;
    return st;
}

uint64_t core_pmu_delta(const struct core_pmu *pmu, uint64_t earlier, uint64_t later)
{
    return (later - earlier) & low_bits(pmu->width);
}

#define ALIVE_NS UINT64_C(10000)

/* A register that merely holds what is written would show no SMI for ever: the counter has to count cycles first. */
static enum status amd_counter_counts(struct platform *p, uint32_t cpu)
{
    uint64_t before = 0, after = 0;
    enum status st = msr_write(p, cpu, AMD_PERF_CTL(AMD_SMI_COUNTER), AMD_PERF_CTL_CYCLES);

    if (st == ST_OK)
        st = msr_read(p, cpu, AMD_PERF_CTR(AMD_SMI_COUNTER), &before);
    platform_stall(p, ALIVE_NS);
    if (st == ST_OK)
        st = msr_read(p, cpu, AMD_PERF_CTR(AMD_SMI_COUNTER), &after);
    return st == ST_OK && after == before ? ST_UNSUPPORTED : st;
}

/* PerfMonV2 has a gate for each counter; without it nothing gates them. */
static enum status open_amd_gate(struct platform *p, uint32_t cpu)
{
    uint64_t global = 0;

    if (msr_read(p, cpu, AMD_PERF_CNTR_GLOBAL_CTL, &global) != ST_OK ||
        (global & AMD_PERF_CNTR_GLOBAL_CTL_EN(AMD_SMI_COUNTER)))
        return ST_OK;
    return msr_write(p, cpu, AMD_PERF_CNTR_GLOBAL_CTL, global | AMD_PERF_CNTR_GLOBAL_CTL_EN(AMD_SMI_COUNTER));
}

enum status core_pmu_count_amd_smis(struct platform *p, uint32_t cpu)
{
    uint64_t select = 0;
    enum status st = msr_read(p, cpu, AMD_PERF_CTL(AMD_SMI_COUNTER), &select);

    if (st != ST_OK || (select & IA32_PERFEVTSEL_EN))
        return st == ST_OK ? ST_UNSUPPORTED : st;
    st = open_amd_gate(p, cpu);
    if (st == ST_OK)
        st = amd_counter_counts(p, cpu);
    return status_first(st, msr_write(p, cpu, AMD_PERF_CTL(AMD_SMI_COUNTER), st == ST_OK ? AMD_PERF_CTL_SMIS : select));
}
