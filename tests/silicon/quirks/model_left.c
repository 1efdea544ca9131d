/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/model_left.c: registers as software that ran before, or firmware, left them: quirks left-* of
 * realism_rows.h. All of it is legal, so nothing that a specification rules is broken by it.
 *
 * Source: SDM vol. 3B 17.16.6, 17.16.7, 17.17; Intel RDT Architecture Specification 356688 appendix B; AMD APM vol. 2
 * chapter 19. Linux' resctrl gives RMIDs and classes away in ascending order from 1 on, and pqos does so as well.
 */
#include "tests/silicon/model/model_state.h"

#define LEFT_CLASS      1u
#define LEFT_CLASS_WAYS 2u
#define LEFT_LIMIT      32u /* eighths of GB/s */
#define LEFT_NO_EVENT   0xF0u

enum { LEFT_OFF, LEFT_FEW, LEFT_ALL, LEFT_ODD }; /* a choice by its number: "off" first */

static uint64_t left(const struct model *m, enum realism_id id)
{
    return m->realism.value[id];
}

/* The fewest ways that are legal, the lowest. AMD: class 0 has every other way, the others none. */
static uint32_t least_mask(const struct model *m, uint32_t n)
{
    uint32_t least = m->profile->mask_least_bits ? m->profile->mask_least_bits : 1;

    if (!m->profile->amd)
        return (uint32_t)low_bits(least);
    return n ? 0 : m->l3_way_mask & 0x55555555u;
}

/* Half of the ways, further up with each class. */
static uint32_t half_mask(uint32_t all, uint32_t n)
{
    uint32_t ways = (uint32_t)__builtin_popcount(all), half = ways / 2 ? ways / 2 : 1;

    return (uint32_t)low_bits(half) << n % (ways - half + 1);
}

static void l3_masks(struct model *m, struct domain *p)
{
    uint32_t group = m->l3_group, lowest = (uint32_t)low_bits(LEFT_CLASS_WAYS);
    bool cdp = left(m, REALISM_LEFT_CDP);

    for (uint32_t n = 1; n < m->l3_clos && left(m, REALISM_LEFT_MASKS); n++) {
        uint32_t mask = half_mask(m->l3_way_mask, n);

        p->l3_mask[n] = mask & group ? mask | group : mask;
    }
    if (left(m, REALISM_LEFT_MASKS) == LEFT_ALL)
        p->l3_mask[0] = m->l3_way_mask >> 2 & ~group;
    for (uint32_t n = 0; n < m->l3_clos && left(m, REALISM_LEFT_MASKS) == LEFT_ODD; n++)
        p->l3_mask[n] = least_mask(m, n) & group ? least_mask(m, n) | group : least_mask(m, n);
    if (cdp)
        p->l3_qos_cfg = 1;
    if (!left(m, REALISM_LEFT_CLASS))
        return;
    for (uint32_t n = LEFT_CLASS << cdp; n <= (LEFT_CLASS << cdp) + cdp && n < m->l3_clos; n++)
        p->l3_mask[n] = lowest; /* with CDP: of data, of code */
}

static void l2_masks(const struct model *m, struct domain *p)
{
    uint32_t first = left(m, REALISM_LEFT_L2_MASKS) >= LEFT_ALL ? 0 : 1;
    bool cdp = left(m, REALISM_LEFT_L2_MASKS) == LEFT_ODD && m->l2_cdp;

    for (uint32_t core = 0; core < m->cores_per_domain && cdp; core++)
        p->cores[core].l2_qos_cfg = 1;
    for (uint32_t core = 0; core < m->cores_per_domain && left(m, REALISM_LEFT_L2_MASKS); core++)
        for (uint32_t n = first; n < m->l2_clos; n++)
            p->cores[core].l2_mask[n] = half_mask(m->l2_way_mask, n);
}

static void throttles(const struct model *m, struct domain *p)
{
    uint32_t first = left(m, REALISM_LEFT_THROTTLES) == LEFT_ALL ? 0 : 1;

    if (!left(m, REALISM_LEFT_THROTTLES))
        return;
    for (uint32_t n = first; n < m->mba_clos; n++)
        rdt_delay_put(m, p, n, m->mba_max / 20 * 10);
    for (uint32_t n = first; n < m->bw_clos && n < MODEL_MAX_CLOS; n++)
        p->bw_control[n] = LEFT_LIMIT;
    for (uint32_t n = first; n < m->slow_clos && n < MODEL_MAX_CLOS; n++)
        p->slow_control[n] = LEFT_LIMIT;
}

/* An event that is enumerated, of an RMID below the fifth; or one that no part has, of the highest. */
static uint64_t selection(const struct model *m, uint64_t random)
{
    uint64_t event = 1 + random % 3;

    if (left(m, REALISM_LEFT_SELECTION) == LEFT_ALL)
        return (uint64_t)(m->rmids - 1) << 32 | LEFT_NO_EVENT;
    while (!(m->events >> (event - 1) & 1))
        event = event % 3 + 1;
    return (random >> 8) % (m->rmids < 5 ? m->rmids : 5) << 32 | event;
}

static void monitoring(struct model *m, struct domain *p)
{
    uint64_t events = left(m, REALISM_LEFT_EVENTS), counters = left(m, REALISM_LEFT_COUNTERS);

    if (left(m, REALISM_LEFT_SELECTION))
        p->qm.evtsel = selection(m, m->seed + (uint64_t)(p - m->domain));
    if (events)
        rdt_events_choose(
            m, p, 0,
            (events == LEFT_FEW ? COUNTS_READS : COUNTS_LOCAL_NT | COUNTS_REMOTE_NT | COUNTS_WRITE_BACKS) &
                m->event_bits,
            false);
    if (counters)
        rdt_amd_assignable(m, p, counters == LEFT_ALL);
}

static void io(const struct model *m, struct domain *p)
{
    if (!left(m, REALISM_LEFT_IO))
        return;
    p->io_qos_cfg = m->io_qos_bits;
    if (m->amd_features & AMD_SDCIAE)
        p->ext_cfg |= EXT_CFG_SDCIAE;
}

/* 16 MiB below 4 GiB, where no load's memory is. */
static void range(struct model *m, struct domain *p)
{
    uint64_t ways = left(m, REALISM_LEFT_RANGE);

    if (ways)
        rdt_range_set(m, p, UINT64_C(0xF0000000), UINT64_C(0xF0FFF001), (uint32_t)low_bits((unsigned)ways));
}

static void processor(struct model *m, struct cpu *c)
{
    uint64_t number = (uint64_t)(c - m->cpu), class = left(m, REALISM_LEFT_CLASS);
    uint64_t rmid = left(m, REALISM_LEFT_RMIDS) && m->rmids > 1 ? 1 + number % (m->rmids - 1) : 0;
    uint64_t clos = class && (class == 1 || number % 2) && m->l3_clos > LEFT_CLASS ? LEFT_CLASS : 0;

    if (left(m, REALISM_LEFT_RMIDS) == LEFT_ALL)
        rmid = number % 2 ? m->rmids - 1 : 0;
    if (rmid || clos)
        rdt_associate(m, c, clos << 32 | rmid);
    if (left(m, REALISM_LEFT_SELECTION))
        c->qm.evtsel = selection(m, m->seed + number);
    if (left(m, REALISM_LEFT_PREFETCH))
        c->core->prefetch_control = prefetch_control_bits(m);
    if (left(m, REALISM_LEFT_PREFETCH))
        c->core->llc_control = m->profile->llc_stop;
}

void rdt_left(struct model *m)
{
    for (uint32_t i = 0; i < m->domains; i++) {
        struct domain *p = &m->domain[i];

        l3_masks(m, p);
        l2_masks(m, p);
        throttles(m, p);
        monitoring(m, p);
        io(m, p);
        range(m, p);
    }
    for (uint32_t i = 0; i < m->packages && left(m, REALISM_LEFT_RMID_SHARING); i++)
        m->package[i].rmid_snc_config = 0;
    for (uint32_t i = 0; i < m->cpus; i++)
        processor(m, &m->cpu[i]);
}
