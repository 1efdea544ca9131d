/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_pmi.c: interrupts of overflows (PMI), and who takes them.
 *
 * A box tells the U-box of an overflow that its counter's control asks for; the U-box interrupts the cores that the
 * global control chooses, and not again for that counter until its box' status has been cleared (329468-002 2.1.1, 2.2.2.1
 * "pmi_core_sel"). A Nehalem package has one monitor, and each processor takes its interrupts only with bit 13 of
 * IA32_DEBUGCTL (SDM vol. 3B 18.8.2.1). Both threads of a core have them. */
#include "tests/silicon/uncore/model_uncore_internal.h"

#define MSR_DEBUGCTL     0x1D9u
#define DEBUGCTL_PMI     BIT(13)
#define DEBUGCTL_DEFINED (BITS(14, 6) | BITS(1, 0)) /* SDM vol. 3B 17.4.1, Nehalem */

static bool takes(const struct model *m, const struct cpu *c, uint64_t cores)
{
    const struct fault_set *f = &m->faults;
    uint32_t core = c->core_index;

    if (uncore_part(m)->pmi_debugctl && !(c->debugctl & DEBUGCTL_PMI))
        return false;
    if (fault_on(f, FAULT_PMI_OTHER_CORE)) /* the next one's bit */
        core = (core + 1) % m->cores;
    return core < 64 && (cores >> core & 1);
}

void uncore_interrupt(struct model *m, uint32_t package)
{
    uint64_t cores = field_get(uncore_part(m)->pmi_cores, uncore_of(m, package)->global_ctl);

    if (!cores || fault_on(&m->faults, FAULT_PMI_LOST))
        return;
    for (uint32_t i = 0; i < m->cpus; i++)
        if (m->cpu[i].package == package && takes(m, &m->cpu[i], cores))
            m->cpu[i].pmi += fault_on(&m->faults, FAULT_PMI_TWICE) ? 2 : 1;
}

bool model_pmi(struct model *m, uint32_t cpu, uint64_t tsc)
{
    struct cpu *c = &m->cpu[cpu];
    bool came;

    if (!uncore_part(m) || !uncore_part(m)->pmi_cores)
        return false;
    pthread_mutex_lock(&m->package[c->package].lock);
    if (uncore_of(m, c->package)->global_ctl & uncore_part(m)->pmi_cores)
        uncore_look_at_all(m, c->package, tsc);
    came = c->pmi > 0;
    c->pmi -= came;
    pthread_mutex_unlock(&m->package[c->package].lock);
    return came;
}

bool model_pmi_enabled(struct model *m, uint32_t cpu)
{
    struct cpu *c = &m->cpu[cpu];
    bool enabled;

    if (!uncore_part(m) || !uncore_part(m)->pmi_cores)
        return false;
    pthread_mutex_lock(&m->package[c->package].lock);
    enabled = uncore_of(m, c->package)->global_ctl & uncore_part(m)->pmi_cores || c->pmi > 0;
    pthread_mutex_unlock(&m->package[c->package].lock);
    return enabled;
}

static bool is_debugctl(const struct model *m, uint32_t msr)
{
    return msr == MSR_DEBUGCTL && uncore_part(m) && uncore_part(m)->pmi_debugctl;
}

enum model_answer uncore_debugctl_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t *value)
{
    if (!is_debugctl(m, msr))
        return MODEL_NOT_MINE;
    *value = c->debugctl;
    return MODEL_DONE;
}

enum model_answer uncore_debugctl_write(const struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    if (!is_debugctl(m, msr))
        return MODEL_NOT_MINE;
    if (value & ~DEBUGCTL_DEFINED)
        return MODEL_GP;
    c->debugctl = value;
    return MODEL_DONE;
}
