/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_agents.c: traffic of no load: devices that write by DMA, the patrol scrub of memory controllers,
 * SMM code. See model/realism.h.
 *
 * The model has no time of its own, so what these did since a register was used last is done when one is used again.
 * Each has memory of its own, above what any machine has: AGENT_LINES lines a node, which devices write to in turn.
 */
#include "tests/silicon/cache/model_cache.h"

#define AGENT_BASE   (UINT64_C(1) << 41)
#define AGENT_LINES  (UINT64_C(1) << 18)
#define SMM_LINES    (UINT64_C(1) << 16) /* of a processor */
#define SMM_BASE     (AGENT_BASE + (UINT64_C(1) << 40))
#define TWO_WAYS     3u /* where nothing is enumerated: DDIO's default */
#define SMIS_AT_ONCE 4u

static uint64_t agent_line(uint32_t node, uint64_t number)
{
    return (AGENT_BASE >> MODEL_LINE_SHIFT) + node * AGENT_LINES + number % AGENT_LINES;
}

/* Ways that devices fill: CPUID leaf 10H:1 EBX, or the two highest. */
static uint32_t device_ways(const struct model *m)
{
    uint32_t regs[4];

    if (profile_find(m->profile, 0x10, 1, regs) && regs[1])
        return regs[1];
    return TWO_WAYS << (m->l3.ways - 2);
}

/* The tag of a line that no RMID brought in: one beyond the last, where it has room. */
static uint32_t tag_of_nobody(const struct model *m)
{
    return m->rmids <= field_get(ENTRY_RMID, UINT32_MAX) ? m->rmids : 0;
}

static void device_write(struct model *m, uint32_t package, uint64_t number)
{
    uint32_t node = package * m->clusters;
    struct place at = l3_place(m, agent_line(node, number));

    slice_lock(m, at.slice);
    l3_purge(m, &at, LEAVE_TAKEN);
    if (m->profile->amd)
        count_cas(m, package, &at, node, true);
    else
        l3_inject(m, &m->domain[package * (m->domains / m->packages)], &at, device_ways(m), tag_of_nobody(m));
    slice_unlock(m, at.slice);
}

static void scrub_read(struct model *m, uint32_t node, uint64_t number)
{
    struct place at = l3_place(m, agent_line(node, number));

    slice_lock(m, at.slice);
    count_cas(m, node / m->clusters, &at, node, false);
    slice_unlock(m, at.slice);
}

/* Lines that so many KB/s are until this time. */
static uint64_t lines_until(const struct model *m, enum realism_id rate, uint64_t tsc)
{
    return (uint64_t)((unsigned __int128)tsc * m->realism.value[rate] * 1000 / m->tsc_hz >> MODEL_LINE_SHIFT);
}

/* A second at most: a clock that jumps is no traffic. */
void cache_agents(struct model *m, uint64_t tsc)
{
    uint64_t from = atomic_load_explicit(&m->agents_tsc, memory_order_relaxed);

    if (tsc <= from || !atomic_compare_exchange_strong(&m->agents_tsc, &from, tsc) || from == 0)
        return;
    if (tsc - from > m->tsc_hz)
        from = tsc - m->tsc_hz;
    for (uint64_t n = lines_until(m, REALISM_DMA, from); n < lines_until(m, REALISM_DMA, tsc); n++)
        for (uint32_t p = 0; p < m->packages; p++)
            device_write(m, p, n);
    for (uint64_t n = lines_until(m, REALISM_PATROL_SCRUB, from); n < lines_until(m, REALISM_PATROL_SCRUB, tsc); n++)
        for (uint32_t node = 0; node < m->packages * m->clusters; node++)
            scrub_read(m, node, n);
}

void cache_smm(struct model *m, struct cpu *c, uint64_t smis)
{
    uint64_t lines = m->realism.value[REALISM_SMI_TRAFFIC] << 10 >> MODEL_LINE_SHIFT;
    uint64_t base = SMM_BASE + ((uint64_t)(c - m->cpu) * SMM_LINES << MODEL_LINE_SHIFT);

    smis = smis < SMIS_AT_ONCE ? smis : SMIS_AT_ONCE;
    for (uint64_t i = 0; i < smis * lines; i++)
        model_access(m, (uint32_t)(c - m->cpu), base + (i % lines << MODEL_LINE_SHIFT), 8, MODEL_LOAD);
}

void cache_agents_memory(struct model *m)
{
    for (uint32_t node = 0; node < m->packages * m->clusters; node++)
        model_memory(m, agent_line(node, 0) << MODEL_LINE_SHIFT, AGENT_LINES << MODEL_LINE_SHIFT, node);
}
