/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/registers/model_residency.c: how long a package and its cores were in a power state, in ticks of the TSC.
 *
 * No core of the model ever sleeps: the counters stand where boot has left them. Source: SDM vol. 4, MSR_PKG_C2_RESIDENCY,
 * MSR_PKG_C3_RESIDENCY, MSR_PKG_C6_RESIDENCY, MSR_CORE_C3_RESIDENCY, MSR_CORE_C6_RESIDENCY, all read only; which part has
 * which: Linux arch/x86/events/intel/cstate.c and tools/power/x86/turbostat.
 */
#include "tests/silicon/model/model_state.h"
#include "core/base/search.h"

static const struct residency {
    uint32_t msr;
    uint32_t state; /* RESIDENCY_* of the profile */
    bool of_core;
} counters[] = {
    { 0x60D, RESIDENCY_PC2, false }, { 0x3F8, RESIDENCY_PC3, false }, { 0x3F9, RESIDENCY_PC6, false },
    { 0x3FC, RESIDENCY_CC3, true },  { 0x3FD, RESIDENCY_CC6, true },
};

static const struct residency *counter_at(uint32_t msr)
{
    return FIND(i, sizeof counters / sizeof counters[0], counters[i].msr == msr, &counters[i], NULL);
}

/* While firmware came up and the other cores waited: some seconds, other ones in each package and core. */
static uint64_t before(const struct model *m, const struct cpu *c, const struct residency *r)
{
    uint64_t who = r->of_core ? c->core_index : 0;

    return m->tsc_hz / 4 * (1 + (m->seed + 5 * c->package + 3 * who + r->msr) % 31);
}

enum model_answer residency_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t tsc,
                                 uint64_t *value)
{
    const struct residency *r = m->profile->amd ? NULL : counter_at(msr);

    if (!r)
        return MODEL_NOT_MINE;
    if (!(m->profile->residency & r->state))
        return MODEL_GP;
    *value = before(m, c, r);
    if (fault_on(&m->faults, FAULT_RESIDENCY_AWAKE) && (r->state & (RESIDENCY_PC6 | RESIDENCY_CC6)))
        *value += tsc / 4;
    if (fault_on(&m->faults, FAULT_RESIDENCY_BACK) && (r->state & RESIDENCY_PC2))
        *value -= tsc / 1024 % (m->tsc_hz / 8);
    return MODEL_DONE;
}

enum model_answer residency_write(const struct model *m, uint32_t msr)
{
    return !m->profile->amd && counter_at(msr) ? MODEL_GP : MODEL_NOT_MINE;
}
