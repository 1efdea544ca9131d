/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/dies.h"

uint32_t dies_any_worker(const struct platform *p, const struct machine *m, uint32_t package)
{
    uint32_t first = m->packages[package].first_cpu;

    if (cpu_takes_work(p, first))
        return first;
    return FIND(i, m->n_cpus, m->cpus[i].package == package && cpu_takes_work(p, i), i, UINT32_MAX);
}

/* Processors that could be asked are all of their package's dies: one that was lost has the ids of firmware's APIC id. */
static bool die_follows(const struct machine *m, uint32_t package, uint32_t after, uint32_t *die)
{
    bool any = false;

    for (uint32_t i = 0; i < m->n_cpus; i++) {
        uint32_t id = m->cpus[i].place.die;

        if (m->cpus[i].package != package || (after != UINT32_MAX && id <= after) || (any && id >= *die))
            continue;
        *die = id;
        any = true;
    }
    return any;
}

uint32_t dies_count(const struct pmon_part *part, const struct machine *m, uint32_t package)
{
    uint32_t n = 0, die = UINT32_MAX;

    while (part && part->by_die && die_follows(m, package, die, &die))
        n++;
    return n > 1 ? n : 1;
}

uint32_t dies_node(struct platform *p, const struct machine *m, uint32_t cpu)
{
    struct cpuid_regs regs = { 0 };

    if (m->max_ext_leaf < 0x8000001Eu || cpu_cpuid(p, cpu, 0x8000001Eu, 0, &regs) != ST_OK)
        return 0;
    return regs.ecx & 0xFF;
}

uint32_t dies_worker(const struct pmon_part *part, const struct platform *p, const struct machine *m, uint32_t package,
                     uint32_t die)
{
    uint32_t id = UINT32_MAX;

    if (dies_count(part, m, package) == 1)
        return dies_any_worker(p, m, package);
    for (uint32_t i = 0; i <= die; i++)
        if (!die_follows(m, package, id, &id))
            return UINT32_MAX;
    return FIND(i, m->n_cpus, m->cpus[i].package == package && m->cpus[i].place.die == id && cpu_takes_work(p, i), i,
                UINT32_MAX);
}
