/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_amd.c: AMD: what bandwidth events count, counters that software assigns, slow memory.
 *
 * Source: AMD APM vol. 2 chapter 19 "Platform Quality of Service Extensions"; APM vol. 3, CPUID Fn8000_0020; Linux
 * resctrl (scope of QOS_EVT_CFG_n, reading of an assigned counter).
 *
 * Decisions where the documents leave room:
 *   - QOS_EVT_CFG_n and L3_QOS_EXT_CFG are one for each L3, and every processor of it writes and reads the same.
 *   - A kind of transfer that is not enumerated, and a reserved bit of L3_QOS_ABMC_CFG, raise #GP. While counters are
 *     not assignable, L3_QOS_ABMC_CFG and L3_QOS_ABMC_DSC raise #GP, read or written.
 *   - A counter beyond the last one raises no #GP: bit 63 of L3_QOS_ABMC_DSC says so. So does following a class of
 *     service where that is not enumerated.
 *   - While counters are assignable, events 2 and 3 of an RMID read the counter that follows it and counts what
 *     QOS_EVT_CFG_n has, the one of the lowest number, and are Unavailable where there is none.
 *   - Range reservation (APM vol. 2 7.6.6) is one for each L3. Its ways are filled by lines of the range, from base to
 *     limit inclusive, by no others, and by those alone; a class whose mask has no other way fills nothing. Bits below the
 *     page number, but for Enable, and those above the physical address are reserved and raise #GP.
 *   - A counter that is not enabled keeps what it has.
 *   - Memory of a node without processors is slow (APM: CXL.memory is the only kind), and local to the node whose
 *     channels it is on. Reads of it are of bits 5:4 of QOS_EVT_CFG_n alone: with those of bits 1:0 as well, 7FH would count them
 *     twice. Writes are of the bits of others. Its limit acts beside that of all memory, for all slow nodes together
 *     (Linux resctrl documentation, SMBA).
 */
#include "tests/silicon/model/model_state.h"

#include <string.h>

enum {
    MSR_SLOW_BW_CONTROL_0 = 0xC0000280,
    MSR_ABMC_CFG = 0xC00003FD,
    MSR_ABMC_DSC,
    MSR_EXT_CFG,
    MSR_EVT_CFG_0 = 0xC0000400,
    MSR_GLOBAL_BW_0 = 0xC0000600, /* 128 of each of two */
    MSR_RANGE_BASE = 0xC0011095,
    MSR_RANGE_MAX,
    MSR_RANGE_WAYS = 0xC001109A,
};

#define ABMC_CFG_EN       BIT(63)
#define ABMC_CTR_EN       BIT(62)
#define ABMC_RESERVED     (BITS(61, 53) | BITS(46, 44))
#define ABMC_COUNTER      BITS(52, 48)
#define ABMC_IS_COS       BIT(47)
#define ABMC_SOURCE       BITS(43, 32)
#define ABMC_TYPES        BITS(31, 0)
#define ABMC_DSC_ERROR    BIT(63)
#define SLOW_NO_CAP(m)    (BIT(0) << (m)->slow_bits)
#define EVENTS_OF_CONTROL 2u
#define RANGE_ADDRESS     BITS(51, 12)
#define RANGE_ENABLE      BIT(0) /* of L3RangeReserveMaxAddr */
#define RANGE_WAYS        BITS(15, 0)

/* What every RMID moved (FAULT_ABMC_SOURCE_IGNORED). */
static struct traffic_sum traffic_of_all(const struct model *m, const struct domain *p)
{
    struct traffic_sum sum = { 0 };

    for (uint32_t rmid = 0; rmid < m->rmids; rmid++) {
        struct traffic_sum one = traffic_of(m, p->seen, rmid, ALL_PARTS);

        for (uint32_t t = 0; t < TRANSFERS; t++)
            for (uint32_t local = 0; local < 2; local++)
                sum.moved[t][local] += one.moved[t][local];
    }
    return sum;
}

static uint64_t source_lines(const struct model *m, const struct domain *p, uint64_t cfg)
{
    uint32_t source = (uint32_t)field_get(ABMC_SOURCE, cfg), types = (uint32_t)field_get(ABMC_TYPES, cfg);
    struct traffic_sum sum = { 0 };

    if (fault_on(&m->faults, FAULT_ABMC_TYPES_IGNORED))
        types = m->event_bits;

    if (cfg & ABMC_IS_COS)
        for (uint32_t t = 0; t < TRANSFERS; t++)
            for (uint32_t local = 0; local < 2; local++)
                sum.moved[t][local] = p->class_moved[source % MODEL_MAX_CLOS][t][local];
    else
        sum = traffic_of(m, p->seen, source % m->rmids, ALL_PARTS);
    if (fault_on(&m->faults, FAULT_ABMC_SOURCE_IGNORED))
        sum = traffic_of_all(m, p);
    return transfers_of(&sum, types);
}

/* Which counter a number stands for. */
static uint32_t storage_of(const struct model *m, uint32_t counter)
{
    if (fault_on(&m->faults, FAULT_ABMC_SHARED))
        counter &= ~(uint32_t)(BIT(0) << m->faults.value[FAULT_ABMC_SHARED] % 5);
    return flaw_assigned_number(m, counter) % MODEL_ABMC_COUNTERS;
}

uint64_t rdt_abmc_lines(const struct model *m, const struct cpu *c, uint32_t counter)
{
    const struct abmc_counter *a = &c->domain->abmc[storage_of(m, counter)];
    bool runs;

    if (fault_on(&m->faults, FAULT_ABMC_DEAD) && counter == m->faults.value[FAULT_ABMC_DEAD])
        return 0;
    runs = a->cfg & ABMC_CTR_EN || fault_on(&m->faults, FAULT_ABMC_RUNS_DISABLED);
    return flaw_assigned(m, c, counter,
                         a->held + (runs && !a->error ? source_lines(m, c->domain, a->cfg) - a->from : 0));
}

uint32_t rdt_abmc_counter_of(const struct model *m, const struct domain *p, uint32_t rmid, uint32_t which)
{
    const uint64_t fields = ABMC_CTR_EN | ABMC_IS_COS | ABMC_SOURCE | ABMC_TYPES;
    uint64_t wanted = ABMC_CTR_EN | field_put(ABMC_SOURCE, rmid) | field_put(ABMC_TYPES, p->event_types[which]);
    uint32_t i = 0;

    while (i < m->abmc_counters && (p->abmc[i].error || (p->abmc[i].cfg & fields) != wanted))
        i++;
    return i;
}

/* A source that a counter can follow. */
static bool has_source(const struct model *m, uint64_t cfg)
{
    uint64_t source = field_get(ABMC_SOURCE, cfg);

    return cfg & ABMC_IS_COS ? m->abmc_by_class && source <= m->clos_max : source < m->rmids;
}

static enum model_answer abmc_cfg_write(struct model *m, struct cpu *c, uint64_t value)
{
    const struct fault_set *f = &m->faults;
    uint32_t counter = (uint32_t)field_get(ABMC_COUNTER, value);
    struct abmc_counter *a;
    uint64_t held;

    if (!(c->domain->ext_cfg & EXT_CFG_ABMC) && !fault_on(f, FAULT_ABMC_GATE))
        return MODEL_GP;
    if (value & ABMC_RESERVED)
        return MODEL_GP;
    c->abmc_cfg = value;
    for (uint32_t i = 0; i < m->cpus && fault_on(f, FAULT_ABMC_CFG_SHARED); i++)
        if (m->cpu[i].domain == c->domain)
            m->cpu[i].abmc_cfg = value;
    if (!(value & ABMC_CFG_EN) && !fault_on(f, FAULT_ABMC_CFG_EN_IGNORED))
        return MODEL_DONE;
    if (fault_on(f, FAULT_ABMC_ID_STUCK))
        counter &= ~(uint32_t)(BIT(0) << f->value[FAULT_ABMC_ID_STUCK] % 5);
    a = &c->domain->abmc[storage_of(m, counter)];
    held = fault_on(f, FAULT_ABMC_COUNT_KEPT) ? rdt_abmc_lines(m, c, counter) : 0;
    a->cfg = value & ~ABMC_CFG_EN;
    a->error = counter >= m->abmc_counters || !has_source(m, value);
    a->held = held;
    a->from = a->error ? 0 : source_lines(m, c->domain, value);
    return MODEL_DONE;
}

static uint64_t abmc_dsc(const struct model *m, const struct cpu *c)
{
    const struct abmc_counter *a = &c->domain->abmc[storage_of(m, (uint32_t)field_get(ABMC_COUNTER, c->abmc_cfg))];

    if (fault_on(&m->faults, FAULT_ABMC_LOSES_CONFIG))
        return 0;
    return a->cfg | (a->error ? ABMC_DSC_ERROR : 0);
}

void rdt_amd_assignable(struct model *m, struct domain *p, bool assign)
{
    p->ext_cfg |= EXT_CFG_ABMC;
    for (uint32_t i = 0; i < m->abmc_counters && assign; i++)
        p->abmc[i].cfg = ABMC_CTR_EN | field_put(ABMC_COUNTER, i) |
                         field_put(ABMC_SOURCE, m->rmids > 1 ? 1 + i % (m->rmids - 1) : 0) |
                         field_put(ABMC_TYPES, m->event_types[0]);
}

static void ext_cfg_write(struct model *m, struct domain *p, uint64_t value)
{
    uint64_t there =
        (m->amd_features & AMD_ABMC ? EXT_CFG_ABMC : 0) | (m->amd_features & AMD_SDCIAE ? EXT_CFG_SDCIAE : 0);
    bool toggled = (p->ext_cfg ^ value) & there & EXT_CFG_ABMC;

    p->ext_cfg = value & there;
    if (!toggled)
        return;
    memset(p->abmc, 0, sizeof p->abmc);
    rdt_events_choose(m, p, 0, p->event_types[0], false);
    rdt_events_choose(m, p, 1, p->event_types[1], false);
}

/* --- range reservation */

uint32_t rdt_range_mask(const struct domain *p, uint64_t line, uint32_t mask)
{
    uint32_t ways = atomic_load_explicit(&p->range.ways, memory_order_relaxed);
    uint64_t page = line << MODEL_LINE_SHIFT & RANGE_ADDRESS;

    if (!ways)
        return mask;
    return page >= p->range.base && page <= (p->range.limit & RANGE_ADDRESS) ? ways : mask & ~ways;
}

void rdt_range_set(struct model *m, struct domain *p, uint64_t base, uint64_t limit, uint32_t ways)
{
    p->range.base = base;
    p->range.limit = limit;
    p->range.way_mask = ways & m->l3_way_mask;
    p->range.ways = limit & RANGE_ENABLE ? p->range.way_mask : 0;
}

static enum model_answer range_write(struct model *m, struct domain *p, uint32_t msr, uint64_t value)
{
    struct l3_range *r = &p->range;
    uint64_t fields = msr == MSR_RANGE_WAYS ? RANGE_WAYS : RANGE_ADDRESS | (msr == MSR_RANGE_MAX ? RANGE_ENABLE : 0);

    if (!(m->amd_features & AMD_RANGE))
        return MODEL_NOT_MINE;
    if (value & ~fields)
        return MODEL_GP;
    rdt_range_set(m, p, msr == MSR_RANGE_BASE ? value : r->base, msr == MSR_RANGE_MAX ? value : r->limit,
                  msr == MSR_RANGE_WAYS ? (uint32_t)value : r->way_mask);
    return MODEL_DONE;
}

static bool is_range(uint32_t msr)
{
    return msr == MSR_RANGE_BASE || msr == MSR_RANGE_MAX || msr == MSR_RANGE_WAYS;
}

static uint64_t range_value(const struct l3_range *r, uint32_t msr)
{
    return msr == MSR_RANGE_BASE ? r->base : msr == MSR_RANGE_MAX ? r->limit : r->way_mask;
}

/* --- doors */

static enum model_answer evt_cfg_write(struct model *m, struct cpu *c, uint32_t which, uint64_t value)
{
    struct domain *p = c->domain;

    if (value & ~(uint64_t)m->event_bits)
        return MODEL_GP;
    if (fault_on(&m->faults, FAULT_EVENTS_INERT))
        return MODEL_DONE;
    rdt_events_choose(m, p, which, (uint32_t)value, fault_on(&m->faults, FAULT_EVENTS_KEEP_COUNT));
    for (uint32_t i = 0; i < m->domains && fault_on(&m->faults, FAULT_EVENTS_BROADCAST); i++)
        if (&m->domain[i] != p)
            rdt_events_choose(m, &m->domain[i], which, (uint32_t)value, false);
    if (fault_on(&m->faults, FAULT_EVENTS_BOTH_WRITTEN))
        rdt_events_choose(m, p, !which, (uint32_t)value, false);
    return MODEL_DONE;
}

static uint64_t evt_cfg(const struct model *m, const struct cpu *c, uint32_t which)
{
    const struct fault_set *f = &m->faults;

    if (fault_on(f, FAULT_EVENTS_ONE_PROCESSOR) &&
        (uint32_t)(c - m->cpu) == fault_place(f, FAULT_EVENTS_ONE_PROCESSOR, m->cpus))
        return m->event_types[which] & ~COUNTS_LOCAL_NT;
    return c->domain->event_types[which];
}

void rdt_amd_reset(struct model *m)
{
    for (uint32_t i = 0; i < m->domains; i++) {
        struct domain *p = &m->domain[i];

        memcpy(p->event_types, m->event_types, sizeof p->event_types);
        for (uint32_t n = 0; n < m->slow_clos && n < MODEL_MAX_CLOS; n++)
            p->slow_control[n] = (uint32_t)SLOW_NO_CAP(m);
        for (uint32_t n = 0; n < m->bw_clos && n < MODEL_MAX_CLOS; n++)
            p->global_control[0][n] = p->global_control[1][n] = (uint32_t)(BIT(0) << m->bw_bits);
    }
    if (fault_on(&m->faults, FAULT_GLOBAL_BW_LEFT_BY_FIRMWARE))
        m->domain[m->domains - 1].global_control[m->faults.value[FAULT_GLOBAL_BW_LEFT_BY_FIRMWARE] % 2][0] = 64;
    if (fault_on(&m->faults, FAULT_EVENTS_LEFT_BY_FIRMWARE) && m->event_bits)
        m->domain[m->domains - 1].event_types[0] = COUNTS_LOCAL_READS;
}

/* The register of a limit that L3s share; NULL: it is none. Width, U and classes are those of the L3's own limits. */
static uint32_t *global_limit(const struct model *m, struct domain *p, uint32_t msr)
{
    uint32_t n = (msr - MSR_GLOBAL_BW_0) % 128, which = (msr - MSR_GLOBAL_BW_0) / 128;

    return m->amd_features & AMD_GLOBAL && which < 2 && n < m->bw_clos ? &p->global_control[which][n] : NULL;
}

static bool abmc_answers(const struct model *m, const struct domain *p)
{
    return p->ext_cfg & EXT_CFG_ABMC || fault_on(&m->faults, FAULT_ABMC_GATE);
}

enum model_answer rdt_amd_read(const struct model *m, struct cpu *c, uint32_t msr, uint64_t *value)
{
    struct domain *p = c->domain;

    if (m->event_bits && msr - MSR_EVT_CFG_0 < EVENTS_OF_CONTROL)
        *value = evt_cfg(m, c, msr - MSR_EVT_CFG_0);
    else if ((m->amd_features & (AMD_ABMC | AMD_SDCIAE)) && msr == MSR_EXT_CFG)
        *value = p->ext_cfg & ~(uint64_t)(rdt_stricken(m, FAULT_SDCIAE_DIFFERS, c) ? EXT_CFG_SDCIAE : 0);
    else if (m->abmc_counters && msr == MSR_ABMC_CFG && abmc_answers(m, p))
        *value = c->abmc_cfg;
    else if (m->abmc_counters && msr == MSR_ABMC_DSC &&
             (abmc_answers(m, p) || fault_on(&m->faults, FAULT_ABMC_DSC_UNGATED)))
        *value = abmc_dsc(m, c);
    else if (is_range(msr) && (m->amd_features & AMD_RANGE))
        *value = range_value(&p->range, msr);
    else if (msr - MSR_SLOW_BW_CONTROL_0 < m->slow_clos)
        *value = p->slow_control[msr - MSR_SLOW_BW_CONTROL_0];
    else if (global_limit(m, p, msr))
        *value = *global_limit(m, p, msr);
    else
        return MODEL_NOT_MINE;
    return MODEL_DONE;
}

enum model_answer rdt_amd_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    struct domain *p = c->domain;

    if (m->event_bits && msr - MSR_EVT_CFG_0 < EVENTS_OF_CONTROL)
        return evt_cfg_write(m, c, msr - MSR_EVT_CFG_0, value);
    if ((m->amd_features & (AMD_ABMC | AMD_SDCIAE)) && msr == MSR_EXT_CFG) {
        ext_cfg_write(m, p, value);
        return MODEL_DONE;
    }
    if (m->abmc_counters && msr == MSR_ABMC_CFG)
        return abmc_cfg_write(m, c, value);
    if (m->abmc_counters && msr == MSR_ABMC_DSC)
        return MODEL_GP;
    if (is_range(msr))
        return range_write(m, p, msr, value);
    if (msr - MSR_SLOW_BW_CONTROL_0 < m->slow_clos && fault_on(&m->faults, FAULT_SLOW_LIMIT_STUCK))
        return MODEL_DONE;
    if (msr - MSR_SLOW_BW_CONTROL_0 < m->slow_clos) { /* higher bits read as zero */
        p->slow_control[msr - MSR_SLOW_BW_CONTROL_0] = (uint32_t)(value & low_bits(m->slow_bits + 1));
        return MODEL_DONE;
    }
    if (global_limit(m, p, msr)) {
        if (fault_on(&m->faults, FAULT_GLOBAL_BW_STUCK))
            value &= ~(BIT(0) << m->faults.value[FAULT_GLOBAL_BW_STUCK] % 64);
        *global_limit(m, p, msr) = (uint32_t)(value & low_bits(m->bw_bits + 1));
        return MODEL_DONE;
    }
    return MODEL_NOT_MINE;
}
