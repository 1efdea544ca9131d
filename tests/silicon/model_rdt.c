/* tests/silicon/model_rdt.c: the registers of resource monitoring and allocation.
 *
 * Source: SDM vol. 3B 17.16.6 "Monitoring Resource RMID Association", 17.16.7 "Monitoring Resource Selection and
 * Reporting Infrastructure", 17.16.8 "Monitoring Programming Considerations", 17.17 "Allocation Features".
 *
 * Decisions where the documents leave room or disagree:
 *   - One EVTSEL/CTR pair for each L3, shared by the package's processors, as Linux treats it and as 17.16.7 suggests
 *     by asking software to serialize the pair. A header of EDK2 says thread; shared is the harder case for software.
 *   - EVTSEL has RMID bits 41:32; 31:8 and 63:42 are reserved and raise #GP. An RMID above the maximum is taken and
 *     answered with Error (17.16.7), or raises #GP where the profile says so (17.16.8.1). An event that is not
 *     enumerated is taken and answered with Error; so is event 0, "no event".
 *   - A write of QM_CTR raises #GP: the register is read only.
 *   - Bandwidth counts lines that come into the L3 (loads, reads for ownership); write-backs and non-temporal stores by
 *     profile switch. What the counters hold at power-on is stated nowhere: they start shortly before they roll over,
 *     so that a roll-over can be seen without moving half a terabyte.
 */
#include "tests/silicon/model_internal.h"

#define EVTSEL_EVTID  BITS(7, 0)
#define EVTSEL_RMID   BITS(63, 32)
#define CTR_UNAVAIL   BIT(62)
#define CTR_ERROR     BIT(63)
#define PQR_CLOS_BITS 20u /* CLOS is 51:32 on Broadwell */

enum { MSR_L3_QOS_CFG = 0xC81, MSR_QM_EVTSEL = 0xC8D, MSR_QM_CTR, MSR_PQR_ASSOC, MSR_L3_MASK_0 };
enum { EVENT_OCCUPANCY = 1, EVENT_TOTAL, EVENT_LOCAL };

/* --- PQR_ASSOC
 * -------------------------------------------------------------------------------------------------------- */

static uint32_t alias(const struct model *m, uint32_t rmid)
{
    return fault_on(&m->faults, FAULT_RMID_ALIASING)
               ? rmid & (uint32_t)low_bits((unsigned)m->faults.value[FAULT_RMID_ALIASING])
               : rmid;
}

static void pqr_set(struct model *m, struct cpu *c, uint64_t value)
{
    const struct fault_set *f = &m->faults;
    uint32_t rmid = (uint32_t)(value & low_bits(bits_for(m->rmids - 1))), tag = alias(m, rmid), before = c->tag;

    if (fault_on(f, FAULT_RMID_IGNORED) && (uint32_t)(c - m->cpu) == fault_place(f, FAULT_RMID_IGNORED, m->cpus))
        tag = 0;
    if (fault_on(f, FAULT_RMID_STALE_AFTER_SWITCH) && tag != before) {
        c->stale_tag = before;
        c->stale_lines = f->value[FAULT_RMID_STALE_AFTER_SWITCH];
    }
    c->pqr = value;
    c->rmid = rmid;
    c->clos = (uint32_t)(value >> 32) % MODEL_MAX_CLOS;
    c->tag = tag;
    if (fault_on(f, FAULT_RMID_RETAG) && tag != before)
        cache_retag(m, c->domain, before, tag);
}

/* 17.16.8.1, 17.17.5.1: #GP for a reserved bit, an RMID above the maximum, a CLOS above the highest. */
static enum model_answer pqr_write(struct model *m, struct cpu *c, uint64_t value)
{
    const struct fault_set *f = &m->faults;
    uint64_t rmid = value & BITS(31, 0), clos = value >> 32;

    if (fault_on(f, FAULT_PQR_RESERVED_ACCEPTED))
        rmid &= low_bits(bits_for(m->rmids - 1));
    if (fault_on(f, FAULT_PQR_RESERVED_CLOS_ACCEPTED))
        clos &= low_bits(PQR_CLOS_BITS);
    if (rmid >= m->rmids || clos >> PQR_CLOS_BITS)
        return MODEL_GP;
    if (clos > m->clos_max && !fault_on(f, FAULT_PQR_CLOS_LIMIT))
        return MODEL_GP;
    if (fault_on(f, FAULT_PQR_CLOS_CLOBBERS_RMID) && clos != c->pqr >> 32)
        rmid = 0;
    value = clos << 32 | rmid;
    for (uint32_t i = 0; i < m->cpus; i++) {
        struct cpu *other = &m->cpu[i];

        if (other == c || (fault_on(f, FAULT_PQR_LEAKS_TO_SIBLING) && other->core == c->core) ||
            (fault_on(f, FAULT_PQR_BROADCAST) && other->package == c->package))
            pqr_set(m, other, value);
    }
    return MODEL_DONE;
}

static uint64_t pqr_read(const struct model *m, const struct cpu *c)
{
    if (fault_on(&m->faults, FAULT_PQR_LOSES_BIT))
        return c->pqr & ~(BIT(0) << m->faults.value[FAULT_PQR_LOSES_BIT] % 64);
    return c->pqr;
}

/* --- the keyhole: under the package's lock
 * ----------------------------------------------------------------------------- */

static bool pair_is_legal(const struct model *m, uint64_t evtsel)
{
    uint64_t event = field_get(EVTSEL_EVTID, evtsel), rmid = field_get(EVTSEL_RMID, evtsel);

    if (fault_on(&m->faults, FAULT_QM_TABLE_SHORT) && rmid >= m->faults.value[FAULT_QM_TABLE_SHORT])
        return false;
    if (rmid >= m->rmids && !fault_on(&m->faults, FAULT_QM_RMID_LIMIT))
        return false;
    if (fault_on(&m->faults, FAULT_QM_GHOST_EVENT) && event == m->faults.value[FAULT_QM_GHOST_EVENT])
        return true;
    return event >= EVENT_OCCUPANCY && event <= EVENT_LOCAL && (m->events >> (event - 1) & 1);
}

static enum model_answer evtsel_write(struct model *m, struct domain *p, uint64_t value)
{
    uint64_t fields = EVTSEL_EVTID | (EVTSEL_RMID & low_bits(32 + m->profile->qm_rmid_bits));

    if (value & ~fields) {
        if (!fault_on(&m->faults, FAULT_QM_EVTSEL_RESERVED_ACCEPTED))
            return MODEL_GP;
        value &= fields;
    }
    if (m->profile->qm_illegal_rmid_faults && field_get(EVTSEL_RMID, value) >= m->rmids &&
        !fault_on(&m->faults, FAULT_QM_RMID_LIMIT))
        return MODEL_GP;
    p->qm.previous = p->qm.evtsel;
    p->qm.evtsel = value;
    p->qm.fresh = true;
    if (fault_on(&m->faults, FAULT_QM_ERROR_STICKY) && field_get(EVTSEL_EVTID, value) != 0 && !pair_is_legal(m, value))
        p->qm.sticky_error = true;
    return MODEL_DONE;
}

static uint64_t counts_of_lines(const struct model *m, uint64_t lines)
{
    return (lines << MODEL_LINE_SHIFT) / m->scale;
}

static uint64_t occupancy_counts(struct model *m, struct domain *p, uint32_t rmid)
{
    const struct fault_set *f = &m->faults;
    uint64_t lines = traffic_of(m, p->seen, rmid, ALL_PARTS).lines, counts;

    if (fault_on(f, FAULT_OCC_GLOBAL)) {
        lines = 0;
        for (uint32_t i = 0; i < m->domains; i++)
            lines += traffic_of(m, m->domain[i].seen, rmid, ALL_PARTS).lines;
    }
    if (fault_on(f, FAULT_OCC_HALVED))
        lines /= 2;
    counts = counts_of_lines(m, lines);
    if (fault_on(f, FAULT_OCC_SCALED_TWICE))
        counts *= m->scale;
    if (fault_on(f, FAULT_OCC_SATURATES) && counts > f->value[FAULT_OCC_SATURATES])
        counts = f->value[FAULT_OCC_SATURATES];
    return counts;
}

static uint64_t bandwidth_counts(struct model *m, struct domain *p, uint32_t rmid, uint32_t event, uint64_t tsc)
{
    const struct fault_set *f = &m->faults;
    uint32_t which = event - EVENT_TOTAL, width = m->mbm_width;
    bool local = event == EVENT_LOCAL;
    struct traffic_sum sum;
    uint64_t lines, counts;

    if (fault_on(f, FAULT_MBM_SWAPPED))
        local = !local;
    if (fault_on(f, FAULT_MBM_LOCAL_COUNTS_REMOTE))
        local = false;
    sum = traffic_of(m, p->seen, rmid, ALL_PARTS);
    lines = local ? sum.local : sum.total;
    if (local && fault_on(f, FAULT_MBM_LOCAL_DEAD))
        lines = 0;
    if (fault_on(f, FAULT_MBM_HALF))
        lines /= 2;
    if (fault_on(f, FAULT_MBM_DOUBLE))
        lines *= 2;
    if (fault_on(f, FAULT_MBM_GHOST)) /* MB/s, whoever runs */
        lines += (uint64_t)((unsigned __int128)tsc * f->value[FAULT_MBM_GHOST] * 1000000 / m->tsc_hz / 64);
    counts = counts_of_lines(m, lines) + p->mbm_start[rmid][which];
    if (fault_on(f, FAULT_MBM_SATURATES) && counts > low_bits(width))
        counts = low_bits(width);
    if (fault_on(f, FAULT_MBM_NARROW))
        width = (uint32_t)f->value[FAULT_MBM_NARROW];
    if (fault_on(f, FAULT_MBM_WIDE)) {
        width = (uint32_t)f->value[FAULT_MBM_WIDE];
        counts |= BIT(0) << (width - 1) % 62;
    }
    if (fault_on(f, FAULT_MBM_READ_RESETS)) {
        uint64_t now = counts;

        counts -= p->mbm_zero[rmid][which];
        p->mbm_zero[rmid][which] = now;
    }
    if (fault_on(f, FAULT_MBM_STEPS_BACK) && p->qm.reads++ % 3 == 2)
        counts -= f->value[FAULT_MBM_STEPS_BACK];
    return counts & low_bits(width);
}

static uint64_t qm_ctr(struct model *m, struct domain *p, uint64_t tsc)
{
    const struct fault_set *f = &m->faults;
    uint64_t evtsel = p->qm.evtsel, event, rmid;

    if (fault_on(f, FAULT_QM_STALE) && p->qm.fresh)
        evtsel = p->qm.previous;
    p->qm.fresh = false;
    event = field_get(EVTSEL_EVTID, evtsel);
    rmid = field_get(EVTSEL_RMID, evtsel);
    if (fault_on(f, FAULT_QM_UNAVAILABLE) &&
        (f->value[FAULT_QM_UNAVAILABLE] == UINT64_MAX || f->value[FAULT_QM_UNAVAILABLE] == rmid))
        return CTR_UNAVAIL;
    if ((p->qm.sticky_error || !pair_is_legal(m, evtsel)) && !fault_on(f, FAULT_QM_ERROR_NEVER))
        return CTR_ERROR;
    rmid = alias(m, (uint32_t)(rmid % m->rmids));
    if (event == EVENT_TOTAL || event == EVENT_LOCAL)
        return bandwidth_counts(m, p, (uint32_t)rmid, (uint32_t)event, tsc);
    return occupancy_counts(m, p, (uint32_t)rmid);
}

/* --- way masks
 * --------------------------------------------------------------------------------------------------------- */

/* 17.17.3.4, 17.17.5.1: not empty, no bit beyond the length, no hole. */
static bool way_mask_is_legal(const struct model *m, uint64_t mask)
{
    uint64_t lowest = mask & (0 - mask);

    return mask != 0 && !(mask & ~(uint64_t)m->l3_way_mask) && ((mask + lowest) & mask) == 0;
}

static enum model_answer qos_cfg_write(const struct model *m, struct domain *p, uint64_t value)
{
    uint32_t regs[4];

    profile_find(m->profile, 0x10, 1, regs);
    if ((value & ~BIT(0)) || (value && !(regs[2] & BIT(2))))
        return MODEL_GP;
    p->l3_qos_cfg = (uint32_t)value;
    return MODEL_DONE;
}

/* --- doors
 * -------------------------------------------------------------------------------------------------------------- */

void rdt_learn(struct model *m)
{
    uint32_t regs[4];

    m->rmids = 1;
    if (!m->profile->rdt)
        return;
    profile_find(m->profile, 0xF, 1, regs);
    m->mbm_width = m->profile->mbm_bits ? m->profile->mbm_bits : 24 + (regs[0] & 0xFF);
    m->scale = regs[1];
    m->rmids = regs[2] + 1;
    m->events = regs[3];
    profile_find(m->profile, 0x10, 1, regs);
    m->l3_way_mask = (uint32_t)low_bits((regs[0] & 0x1F) + 1);
    m->clos_max = regs[3] & 0xFFFF;
    if (m->profile->cat_by_probe) {
        m->l3_way_mask = (uint32_t)low_bits(m->profile->cat_by_probe);
        m->clos_max = 3;
    }
}

void rdt_reset(struct model *m)
{
    for (uint32_t i = 0; i < m->domains; i++)
        for (uint32_t n = 0; n < MODEL_MAX_CLOS; n++)
            m->domain[i].l3_mask[n] = m->l3_way_mask;
    if (fault_on(&m->faults, FAULT_PQR_LEFT_BY_FIRMWARE))
        for (uint32_t i = 0; i < m->cpus; i++)
            pqr_set(m, &m->cpu[i], m->faults.value[FAULT_PQR_LEFT_BY_FIRMWARE] % m->rmids);
}

enum model_answer rdt_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    struct domain *p = c->domain;
    enum model_answer answer = MODEL_DONE;

    pthread_mutex_lock(&p->lock);
    if (msr == MSR_PQR_ASSOC)
        *value = pqr_read(m, c);
    else if (msr == MSR_QM_EVTSEL)
        *value = fault_on(&m->faults, FAULT_QM_EVTSEL_LOSES_BIT)
                     ? p->qm.evtsel & ~(BIT(0) << m->faults.value[FAULT_QM_EVTSEL_LOSES_BIT] % 64)
                     : p->qm.evtsel;
    else if (msr == MSR_QM_CTR)
        *value = qm_ctr(m, p, tsc);
    else if (msr == MSR_L3_QOS_CFG)
        *value = p->l3_qos_cfg;
    else if (msr >= MSR_L3_MASK_0 && msr <= MSR_L3_MASK_0 + m->clos_max)
        *value = p->l3_mask[msr - MSR_L3_MASK_0];
    else
        answer = MODEL_NOT_MINE;
    pthread_mutex_unlock(&p->lock);
    return answer;
}

enum model_answer rdt_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    struct domain *p = c->domain;
    enum model_answer answer = MODEL_NOT_MINE;

    pthread_mutex_lock(&p->lock);
    if (msr == MSR_PQR_ASSOC) {
        answer = pqr_write(m, c, value);
    } else if (msr == MSR_QM_EVTSEL) {
        answer = evtsel_write(m, p, value);
    } else if (msr == MSR_QM_CTR) {
        answer = fault_on(&m->faults, FAULT_QM_CTR_WRITABLE) ? MODEL_DONE : MODEL_GP;
    } else if (msr == MSR_L3_QOS_CFG) {
        answer = qos_cfg_write(m, p, value);
    } else if (msr >= MSR_L3_MASK_0 && msr <= MSR_L3_MASK_0 + m->clos_max) {
        answer = way_mask_is_legal(m, value) ? MODEL_DONE : MODEL_GP;
        if (answer == MODEL_DONE)
            p->l3_mask[msr - MSR_L3_MASK_0] = (uint32_t)value;
    }
    pthread_mutex_unlock(&p->lock);
    return answer;
}
