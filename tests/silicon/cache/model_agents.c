/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_agents.c: traffic of no load: devices that write by DMA, the patrol scrub of memory controllers,
 * SMM code, idle processors, the timer's handler. See model/realism.h.
 *
 * The model has no time of its own, so what these did since a register was used last is done when one is used again.
 * Each has memory of its own, above what any machine has: AGENT_LINES lines a node, which devices write to in turn, and
 * as many for what its processors read.
 */
#include "tests/silicon/cache/model_set.h"

#define AGENT_BASE   (UINT64_C(1) << 41)
#define AGENT_LINES  (UINT64_C(1) << 18)
#define SMM_LINES    (UINT64_C(1) << 16) /* of a processor */
#define SMM_BASE     QUIRKS_BASE
#define TWO_WAYS     3u /* where nothing is enumerated: DDIO's default */
#define SMIS_AT_ONCE 4u
#define OWN_LINES    (UINT64_C(1) << 12) /* of a processor, which it reads while it is idle */
#define IDLE_AT_MOST 64u                 /* lines that leave the L2 of a processor that is idle */
#define TICKS_A_S    100u

static uint64_t agent_line(uint32_t node, uint64_t number)
{
    return (AGENT_BASE >> MODEL_LINE_SHIFT) + node * 2 * AGENT_LINES + number % AGENT_LINES;
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

/* --- devices, memory controllers */

static void device_write(struct model *m, uint32_t package, uint64_t number)
{
    uint32_t node = package * m->clusters;
    struct place at = l3_place(m, agent_line(node, number));

    slice_lock(m, at.slice);
    l3_purge(m, &at, NULL, LEAVE_SNOOPED);
    if (m->profile->amd || m->l3.ways == 0)
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

/* --- processors */

/* A line that no cache of the machine has. */
static void own_fill(struct model *m, struct cpu *c, const struct place *at)
{
    struct domain *p = c->domain;
    uint32_t home = cache_home(m, at->line), rmid = atomic_load_explicit(&c->rmid, memory_order_relaxed);
    uint32_t seen = tag_of_fill(m, c, home, FLAW_LOADS), counted = tag_of_transfer(m, c, seen, home, false);

    count_cas(m, c->package, at, home, false);
    count_home(m, c->package, at->line, home, TOR_DRD);
    count_transfer(m, p, at,
                   (struct transfer_of){ read_of(m, at->line), rmid, counted, home == c->node, c, FLAW_LOADS });
    count_tor(m, c, at->slice, TOR_DRD, home);
    if (m->watched)
        policy_miss(m, p, at, counted, home == c->node);
    l3_allocate(m, c, at, tag_of_line(m, p, seen));
}

/* The processor may be at work for somebody else at this time: its own caches are left alone, as if they had given the
 * line up at once. */
static void own_read(struct model *m, struct cpu *c, uint64_t number)
{
    uint64_t first = AGENT_LINES + (uint64_t)(c - m->cpu) * OWN_LINES % AGENT_LINES;
    struct place at =
        l3_place(m, (AGENT_BASE >> MODEL_LINE_SHIFT) + c->node * 2 * AGENT_LINES + first + number % OWN_LINES);
    struct l3_row row = row_of(m, c->domain, at.index);
    uint32_t e;

    slice_lock(m, at.slice);
    e = find(m, row, at.tag);
    bump(&c->domain->slice[at.slice].lookup[LOOKUP_READ][found_state(m, row, e)], 1);
    if (e < m->l3.ways) {
        count_tor(m, c, at.slice, TOR_DRD, FOUND);
        move_first(row, position_of(row, e));
        if (m->replaces)
            policy_hit(m, c->domain, at.index, e);
    } else {
        own_fill(m, c, &at);
    }
    slice_unlock(m, at.slice);
}

/* Has almost nothing left its L2 since this was asked last? */
static bool is_idle(struct cpu *c)
{
    uint64_t now = __atomic_load_n(&c->counts.l3_references, __ATOMIC_RELAXED);
    uint64_t before = atomic_exchange_explicit(&c->quiet_at, now, memory_order_relaxed);

    return now - before <= IDLE_AT_MOST;
}

static uint64_t times_until(const struct model *m, uint64_t a_second, uint64_t tsc)
{
    return (uint64_t)((unsigned __int128)tsc * a_second / m->tsc_hz);
}

static void processors(struct model *m, uint64_t from, uint64_t tsc)
{
    uint64_t rate = m->realism.value[REALISM_IDLE_LINES] * 1000, tick = m->realism.value[REALISM_TICK_LINES];

    for (uint32_t i = 0; i < m->cpus && rate; i++) {
        if (!is_idle(&m->cpu[i]))
            continue;
        for (uint64_t n = times_until(m, rate, from); n < times_until(m, rate, tsc); n++)
            own_read(m, &m->cpu[i], n);
    }
    for (uint64_t n = times_until(m, TICKS_A_S, from) * tick; n < times_until(m, TICKS_A_S, tsc) * tick; n++)
        own_read(m, &m->cpu[0], n);
}

/* --- time passes */

/* Lines that so many KB/s are until this time. */
static uint64_t lines_until(const struct model *m, enum realism_id rate, uint64_t tsc)
{
    return (uint64_t)((unsigned __int128)tsc * m->realism.value[rate] * 1000 / m->tsc_hz >> MODEL_LINE_SHIFT);
}

uint64_t cache_device_lines(const struct model *m, uint64_t tsc)
{
    return lines_until(m, REALISM_DMA, tsc);
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
    processors(m, from, tsc);
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
        model_memory(m, agent_line(node, 0) << MODEL_LINE_SHIFT, 2 * AGENT_LINES << MODEL_LINE_SHIFT, node);
}
