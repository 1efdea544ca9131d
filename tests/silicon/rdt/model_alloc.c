/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_alloc.c: way masks of L3 and L2, code and data prioritization, throttles.
 *
 * Source: SDM vol. 3B 17.17 "Allocation Features"; Intel RDT Architecture Specification 356688 appendices A and B (MBA
 * generations, MBA_CFG, MSR CA0H); Xen documentation, "Memory Bandwidth Allocation" (rounding of delays); AMD APM vol.
 * 2 chapter 19.
 *
 * Decisions where the documents leave room:
 *   - A delay above the maximum raises #GP. A delay reads back as written; what acts is rounded down.
 *   - IA32_L3_IO_QOS_CFG stores the bits of what is enumerated, and no device is there to act on. Elsewhere #GP.
 *   - Masks reset to all ones, and writing 0 to C81H leaves them alone.
 */
#include "tests/silicon/model/model_state.h"

enum {
    MSR_CORE_CAPABILITIES = 0xCF,
    MSR_L3_QOS_CFG = 0xC81,
    MSR_L2_QOS_CFG,
    MSR_L3_IO_QOS_CFG,
    MSR_MBA_CFG,
    MSR_L3_MASK_0 = 0xC90,
    MSR_RMID_SNC_CONFIG = 0xCA0,
    MSR_L2_MASK_0 = 0xD10,
    MSR_BW_THRTL_0 = 0xD50,
    MSR_BW_CONTROL_0 = 0xC0000200,
};

#define MBA_CFG_LEAST        BIT(0) /* the smaller of both threads' delays, else the larger */
#define RMID_SNC_SPLIT       BIT(0)
#define BW_CONTROL_NO_CAP(m) (BIT(0) << (m)->bw_bits) /* "unlimited" */

static bool is_one_of(uint32_t msr, uint32_t first, uint32_t n)
{
    return msr >= first && msr - first < n;
}

bool rdt_stricken(const struct model *m, enum fault_id id, const struct cpu *c)
{
    return fault_on(&m->faults, id) && (uint32_t)(c - m->cpu) == fault_place(&m->faults, id, m->cpus);
}

/* --- masks */

/* SDM vol. 3B 17.17.1, 17.17.5.1: not empty, no bit beyond the length, no hole unless enumerated. */
static bool mask_is_legal(const struct model *m, uint64_t mask, uint32_t all, bool holes, uint32_t least_bits)
{
    const struct fault_set *f = &m->faults;
    uint64_t lowest = mask & (0 - mask);

    if (mask == 0)
        return fault_on(f, FAULT_MASK_ZERO_ACCEPTED);
    if (mask & ~(uint64_t)all)
        return fault_on(f, FAULT_MASK_LENGTH_ACCEPTED);
    if (((mask + lowest) & mask) && !holes && !fault_on(f, FAULT_MASK_HOLE_ACCEPTED))
        return false;
    return (uint32_t)__builtin_popcountll(mask) >= least_bits;
}

static void l3_mask_store(struct model *m, struct cpu *c, uint32_t n, uint32_t mask)
{
    const struct fault_set *f = &m->faults;

    if (mask & m->l3_group)
        mask |= m->l3_group;
    if (fault_on(f, FAULT_MASK_STUCK_BIT))
        mask |= (uint32_t)(BIT(0) << f->value[FAULT_MASK_STUCK_BIT] % 32) & m->l3_way_mask;
    if (fault_on(f, FAULT_MASK_NEXT_WRITTEN))
        n = (n + 1) % m->l3_clos;
    for (uint32_t i = 0; i < m->domains; i++)
        if (&m->domain[i] == c->domain || fault_on(f, FAULT_MASK_BROADCAST))
            m->domain[i].l3_mask[n] = mask;
    if (fault_on(f, FAULT_MASK_NEIGHBOUR_RESET) && n + 1 < m->l3_clos)
        c->domain->l3_mask[n + 1] = m->l3_way_mask;
}

/* AMD: holes and an empty mask are legal, bits beyond the length are dropped. APM vol. 2 19.4. */
static enum model_answer l3_mask_write(struct model *m, struct cpu *c, uint32_t n, uint64_t value)
{
    uint32_t least_bits = m->profile->mask_least_bits ? m->profile->mask_least_bits : 1, lost;

    if (!m->profile->amd && !mask_is_legal(m, value, m->l3_way_mask, m->l3_holes, least_bits))
        return MODEL_GP;
    if (fault_on(&m->faults, FAULT_MASK_HOLE_REFUSED) && !mask_is_legal(m, value, m->l3_way_mask, false, 1))
        return MODEL_GP;
    lost = c->domain->l3_mask[n] & ~(uint32_t)value;
    l3_mask_store(m, c, n, (uint32_t)value & m->l3_way_mask);
    for (; lost && fault_on(&m->faults, FAULT_MASK_WRITE_FLUSHES); lost &= lost - 1)
        cache_drop_way(m, c->domain, (uint32_t)__builtin_ctz(lost));
    if (fault_on(&m->faults, FAULT_MBM_MASK_CLEARS))
        rdt_bandwidth_clear(m, c->domain);
    return MODEL_DONE;
}

static enum model_answer l2_mask_write(struct model *m, struct cpu *c, uint32_t n, uint64_t value)
{
    if (!mask_is_legal(m, value, m->l2_way_mask, m->l2_holes, 1) && !fault_on(&m->faults, FAULT_L2_MASK_ANY))
        return MODEL_GP;
    if (fault_on(&m->faults, FAULT_L2_MASK_STUCK))
        value |= BIT(0) << m->faults.value[FAULT_L2_MASK_STUCK] % 32;
    c->core->l2_mask[n] = (uint32_t)value & m->l2_way_mask;
    for (uint32_t i = 0; i < m->cores_per_domain && fault_on(&m->faults, FAULT_L2_MASK_BROADCAST); i++)
        c->domain->cores[i].l2_mask[n] = (uint32_t)value & m->l2_way_mask;
    return MODEL_DONE;
}

static enum model_answer l3_qos_cfg_write(struct model *m, struct cpu *c, uint64_t value)
{
    if (m->profile->amd) /* 63:1 read as zero */
        value &= QOS_CFG_CDP;
    if ((value & ~QOS_CFG_CDP) || (value && (!m->l3_cdp || fault_on(&m->faults, FAULT_CDP_REFUSED))))
        return MODEL_GP;
    if (fault_on(&m->faults, FAULT_CDP_STUCK))
        value |= c->domain->l3_qos_cfg;
    c->domain->l3_qos_cfg = (uint32_t)value;
    c->domain->cdp_core = c->core_index;
    return MODEL_DONE;
}

static enum model_answer l2_qos_cfg_write(struct model *m, struct cpu *c, uint64_t value)
{
    if ((value & ~QOS_CFG_CDP) || (value && !m->l2_cdp))
        return MODEL_GP;
    c->core->l2_qos_cfg = (uint32_t)value;
    return MODEL_DONE;
}

/* How many masks answer: one more where the limit is not enforced. */
static uint32_t l3_masks(const struct model *m)
{
    return m->l3_clos + (m->l3_clos && m->l3_clos < MODEL_MAX_CLOS && fault_on(&m->faults, FAULT_MASK_LIMIT) ? 1 : 0);
}

/* One way further up or, where the mask ends with the last way, down. */
static uint32_t shifted(const struct model *m, uint32_t mask)
{
    uint32_t up = mask << 1 & m->l3_way_mask;

    return __builtin_popcount(up) == __builtin_popcount(mask) ? up : mask & 1 ? mask : mask >> 1;
}

/* So many ways more: those above and then, where there are no more, those below. */
static uint32_t widened(const struct model *m, uint32_t mask, uint64_t ways)
{
    for (uint64_t i = 0; i < ways && mask != m->l3_way_mask; i++) {
        uint32_t new = mask << 1 & ~mask & m->l3_way_mask;

        if (!new)
            new = mask >> 1 & ~mask;
        mask |= new &(0 - new);
    }
    return mask;
}

uint32_t rdt_fill_mask(const struct model *m, const struct domain *p, uint32_t clos, bool code)
{
    const struct fault_set *f = &m->faults;
    bool cdp = atomic_load_explicit(&p->l3_qos_cfg, memory_order_relaxed) & QOS_CFG_CDP;
    uint32_t mask;

    if (fault_on(f, FAULT_MASK_INERT))
        return m->l3_way_mask;
    if (fault_on(f, FAULT_CDP_SWAPPED))
        code = !code;
    if (fault_on(f, FAULT_CDP_CLASSES_HALF) && cdp && m->l3_clos >= 4)
        clos %= m->l3_clos / 4;
    mask = rdt_class_mask(p, clos, code);
    if (fault_on(f, FAULT_MASK_HOLE_PART))
        mask &= ~(mask + (mask & (0 - mask)));
    if (fault_on(f, FAULT_CDP_CODE_LOW_CLASSES) && cdp && code && clos >= m->l3_clos / 4)
        mask = m->l3_way_mask;
    if ((fault_on(f, FAULT_MASK_ONE_WAY_OPEN) && (mask & (mask - 1)) == 0) ||
        (fault_on(f, FAULT_MASK_CLASS_OPEN) && clos == f->value[FAULT_MASK_CLASS_OPEN]))
        mask = m->l3_way_mask;
    if (fault_on(f, FAULT_MASK_TOP_WAY_LOST) && mask != m->l3_way_mask && (mask & (mask - 1)))
        mask &= ~(1u << (31 - __builtin_clz(mask)));
    if (fault_on(f, FAULT_MASK_LEAK))
        mask = widened(m, mask, f->value[FAULT_MASK_LEAK]);
    return fault_on(f, FAULT_MASK_SHIFTED) && clos == f->value[FAULT_MASK_SHIFTED] ? shifted(m, mask) : mask;
}

/* --- throttles */

/* Linear: steps of 100 - max. Else powers of two. */
static uint32_t rounded_delay(const struct model *m, uint32_t delay)
{
    uint32_t step = m->mba_max < 100 ? 100 - m->mba_max : 1, power = 1;

    if (m->mba_linear || delay == 0)
        return delay / step * step;
    while (power <= delay / 2)
        power *= 2;
    return power;
}

void rdt_delay_put(const struct model *m, struct domain *p, uint32_t clos, uint32_t delay)
{
    p->mba_delay[clos] = delay;
    p->mba_acts[clos] = rounded_delay(m, delay);
    if (p->mba_acts[clos])
        p->mba_classes |= 1u << clos;
    else
        p->mba_classes &= ~(1u << clos);
}

static enum model_answer throttle_write(struct model *m, struct cpu *c, uint32_t n, uint64_t value)
{
    const struct fault_set *f = &m->faults;

    if (value > m->mba_max && !fault_on(f, FAULT_MBA_LIMIT))
        return MODEL_GP;
    if (fault_on(f, FAULT_MBA_STUCK))
        value &= ~(BIT(0) << f->value[FAULT_MBA_STUCK] % 8);
    if (fault_on(f, FAULT_MBM_DELAY_CLEARS))
        rdt_bandwidth_clear(m, c->domain);
    if (value == 0 && c->domain->mba_delay[n] == m->mba_max && fault_on(f, FAULT_MBA_RELEASE_LOST))
        c->domain->mba_delay[n] = 0;
    else
        rdt_delay_put(m, c->domain, n, (uint32_t)value);
    for (uint32_t i = 0; i < m->domains && fault_on(f, FAULT_MBA_BROADCAST); i++)
        rdt_delay_put(m, &m->domain[i], n, (uint32_t)value);
    for (uint32_t other = 0; other < m->mba_clos && fault_on(f, FAULT_MBA_SAME_VALUE); other++)
        if (other != n && c->domain->mba_delay[other] == value)
            c->domain->mba_delay[n] = 0;
    return MODEL_DONE;
}

static uint32_t delay_of(const struct model *m, const struct cpu *c)
{
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed), delay;

    if (clos >= m->mba_clos)
        return 0;
    delay = atomic_load_explicit(
        fault_on(&m->faults, FAULT_MBA_AT_ASSOCIATION) ? &c->delay : &c->domain->mba_acts[clos], memory_order_relaxed);
    if (fault_on(&m->faults, FAULT_THROTTLE_OFF))
        delay = (uint32_t)(delay * (100 - fault_signed(&m->faults, FAULT_THROTTLE_OFF)) + 50) / 100;
    if (fault_on(&m->faults, FAULT_MBA_STEP_DEAD) && delay == m->faults.value[FAULT_MBA_STEP_DEAD])
        delay = 0;
    if (fault_on(&m->faults, FAULT_MBA_LEAKS))
        for (uint32_t n = 0; n < m->mba_clos; n++) {
            uint32_t other = c->domain->mba_acts[n];

            delay = other > delay ? other : delay;
        }
    delay = flaw_delay(m, c, delay);
    return delay < 100 ? delay : 99;
}

/* A core that throttles do not reach. */
static bool is_missed(const struct model *m, uint32_t cpu)
{
    return fault_on(&m->faults, FAULT_MBA_INERT) ||
           (fault_on(&m->faults, FAULT_MBA_MISSES_CORE) &&
            cpu / m->threads == fault_place(&m->faults, FAULT_MBA_MISSES_CORE, m->cpus / m->threads));
}

static __attribute__((noinline)) uint32_t delay_of_core(const struct model *m, uint32_t cpu)
{
    const struct cpu *c = &m->cpu[cpu];
    bool least = atomic_load_explicit(&c->domain->mba_cfg, memory_order_relaxed) & MBA_CFG_LEAST;
    uint32_t delay;

    if (m->mba_clos == 0 || is_missed(m, cpu))
        return 0;
    delay = delay_of(m, c);
    for (uint32_t i = 0; i < m->threads && m->mba_own == fault_on(&m->faults, FAULT_MBA_ONE_THREAD); i++) {
        const struct cpu *other = c - c->thread + i;
        uint32_t theirs = delay_of(m, other);

        if (least ? theirs < delay : theirs > delay)
            delay = theirs;
    }
    return delay;
}

uint32_t model_mba_delay(const struct model *m, uint32_t cpu)
{
    bool none = atomic_load_explicit(&m->cpu[cpu].domain->mba_classes, memory_order_relaxed) == 0;

    return none && !fault_on(&m->faults, FAULT_MBA_AT_ASSOCIATION) ? 0 : delay_of_core(m, cpu);
}

static uint32_t limit_number(const struct cpu *c)
{
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed);

    return atomic_load_explicit(&c->domain->l3_qos_cfg, memory_order_relaxed) & QOS_CFG_CDP ? 2 * clos : clos;
}

/* 1/8 GB/s, and the flag for "unlimited" above the field, 0: APM vol. 2 19.5. */
static uint64_t limit_of(uint32_t value, uint32_t bits)
{
    if (value >> bits & 1)
        return 0;
    return value ? value * UINT64_C(125000000) : UINT64_C(1000000);
}

uint64_t model_slow_ceiling(const struct model *m, uint32_t cpu, bool slow)
{
    const struct cpu *c = &m->cpu[cpu];
    uint32_t n = limit_number(c);
    uint64_t bytes;

    if (n >= m->slow_clos || fault_on(&m->faults, FAULT_SLOW_LIMIT_INERT) ||
        (!slow && !fault_on(&m->faults, FAULT_SLOW_LIMIT_OF_ALL)))
        return 0;
    if (fault_on(&m->faults, FAULT_SLOW_LIMIT_OTHER_CLASS))
        n = (n + m->slow_clos - 1) % m->slow_clos;
    bytes = limit_of(atomic_load_explicit(&c->domain->slow_control[n], memory_order_relaxed), m->slow_bits);
    if (fault_on(&m->faults, FAULT_SLOW_LIMIT_OFF))
        bytes = bytes / 100 * (uint64_t)(100 + fault_signed(&m->faults, FAULT_SLOW_LIMIT_OFF));
    return bytes;
}

uint64_t model_bandwidth_ceiling(const struct model *m, uint32_t cpu)
{
    const struct cpu *c = &m->cpu[cpu];
    uint32_t n = limit_number(c), control;
    uint64_t bytes;

    if (n >= m->bw_clos || is_missed(m, cpu))
        return 0;
    control = atomic_load_explicit(&c->domain->bw_control[n], memory_order_relaxed);
    if (fault_on(&m->faults, FAULT_LIMIT_UNDER_UNLIMITED) && (control & low_bits(m->bw_bits)))
        control &= (uint32_t)low_bits(m->bw_bits);
    bytes = limit_of(control, m->bw_bits);
    if (!bytes)
        return 0;
    if (fault_on(&m->faults, FAULT_THROTTLE_OFF))
        bytes = bytes / 100 * (uint64_t)(100 + fault_signed(&m->faults, FAULT_THROTTLE_OFF));
    return flaw_ceiling(m, c, bytes);
}

/* --- doors */

/* The one part of the state that firmware may have left otherwise than reset does. */
static void alloc_firmware(struct model *m)
{
    const struct fault_set *f = &m->faults;
    struct domain *last = &m->domain[m->domains - 1];

    if (fault_on(f, FAULT_MASKS_LEFT_BY_FIRMWARE))
        for (uint32_t n = 0; n < m->l3_clos; n++)
            last->l3_mask[n] =
                (uint32_t)low_bits((unsigned)f->value[FAULT_MASKS_LEFT_BY_FIRMWARE] % 32) & m->l3_way_mask;
    if (fault_on(f, FAULT_MBA_LEFT_BY_FIRMWARE))
        for (uint32_t n = 0; n < m->mba_clos; n++)
            rdt_delay_put(m, last, n, (uint32_t)f->value[FAULT_MBA_LEFT_BY_FIRMWARE] % (m->mba_max + 1));
    if (fault_on(f, FAULT_CDP_LEFT_BY_FIRMWARE))
        last->l3_qos_cfg = 1;
    if (fault_on(f, FAULT_MBA_CFG_LEFT_BY_FIRMWARE))
        last->mba_cfg = MBA_CFG_LEAST;
    if (fault_on(f, FAULT_BW_LEFT_BY_FIRMWARE))
        for (uint32_t n = 0; n < m->bw_clos && n < MODEL_MAX_CLOS; n++)
            last->bw_control[n] = (uint32_t)f->value[FAULT_BW_LEFT_BY_FIRMWARE];
    if (fault_on(f, FAULT_RANGE_LEFT_BY_FIRMWARE))
        rdt_range_set(m, last, UINT64_C(0xF0000000), UINT64_C(0xF0FFF001),
                      (uint32_t)low_bits((unsigned)f->value[FAULT_RANGE_LEFT_BY_FIRMWARE] % 16));
    if (fault_on(f, FAULT_RMID_SHARING_LEFT))
        m->package[m->packages - 1].rmid_snc_config = 0;
}

void rdt_alloc_reset(struct model *m)
{
    for (uint32_t i = 0; i < m->domains; i++) {
        struct domain *p = &m->domain[i];

        for (uint32_t n = 0; n < MODEL_MAX_CLOS; n++) {
            p->l3_mask[n] = m->l3_way_mask;
            p->bw_control[n] = m->bw_clos ? (uint32_t)BW_CONTROL_NO_CAP(m) : 0;
        }
        for (uint32_t core = 0; core < m->cores_per_domain; core++)
            for (uint32_t n = 0; n < MODEL_MAX_CLOS; n++)
                p->cores[core].l2_mask[n] = m->l2_way_mask;
    }
    for (uint32_t i = 0; i < m->packages; i++)
        m->package[i].rmid_snc_config = RMID_SNC_SPLIT;
    alloc_firmware(m);
}

static bool has_l3_qos_cfg(const struct model *m)
{
    return m->l3_clos && !m->profile->cat_by_probe && !fault_on(&m->faults, FAULT_CDP_NO_REGISTER);
}

enum model_answer rdt_alloc_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t *value)
{
    struct domain *p = c->domain;

    if (msr == MSR_L3_QOS_CFG && has_l3_qos_cfg(m))
        *value =
            p->l3_qos_cfg |
            (fault_on(&m->faults, FAULT_CDP_RESERVED_SET) ? BIT(0) << m->faults.value[FAULT_CDP_RESERVED_SET] % 64 : 0);
    else if (msr == MSR_L2_QOS_CFG && m->l2_clos)
        *value = c->core->l2_qos_cfg;
    else if (msr == MSR_RMID_SNC_CONFIG && m->profile->rmid_snc_config)
        *value = m->package[c->package].rmid_snc_config;
    else if (msr == MSR_L3_IO_QOS_CFG && m->io_qos_bits)
        *value = p->io_qos_cfg;
    else if (msr == MSR_MBA_CFG && m->profile->mba_config)
        *value = p->mba_cfg;
    else if (is_one_of(msr, MSR_L3_MASK_0, l3_masks(m)))
        *value = rdt_stricken(m, FAULT_MASK_ONE_PROCESSOR, c) ? m->l3_way_mask : p->l3_mask[msr - MSR_L3_MASK_0];
    else if (is_one_of(msr, MSR_L2_MASK_0, m->l2_clos))
        *value = c->core->l2_mask[msr - MSR_L2_MASK_0];
    else if (is_one_of(msr, MSR_BW_THRTL_0, m->mba_clos))
        *value = p->mba_delay[msr - MSR_BW_THRTL_0];
    else if (is_one_of(msr, MSR_BW_CONTROL_0, m->bw_clos))
        *value = p->bw_control[msr - MSR_BW_CONTROL_0];
    else if (msr == MSR_CORE_CAPABILITIES && m->core_capabilities)
        *value = rdt_levels_capabilities(m);
    else
        return MODEL_NOT_MINE;
    return MODEL_DONE;
}

enum model_answer rdt_alloc_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    struct domain *p = c->domain;

    if (msr == MSR_L3_QOS_CFG && has_l3_qos_cfg(m))
        return l3_qos_cfg_write(m, c, value);
    if (msr == MSR_L2_QOS_CFG && m->l2_clos)
        return l2_qos_cfg_write(m, c, value);
    if (is_one_of(msr, MSR_L3_MASK_0, l3_masks(m)))
        return l3_mask_write(m, c, msr - MSR_L3_MASK_0, value);
    if (is_one_of(msr, MSR_L2_MASK_0, m->l2_clos))
        return l2_mask_write(m, c, msr - MSR_L2_MASK_0, value);
    if (is_one_of(msr, MSR_BW_THRTL_0, m->mba_clos))
        return throttle_write(m, c, msr - MSR_BW_THRTL_0, value);
    if (is_one_of(msr, MSR_BW_CONTROL_0, m->bw_clos)) { /* higher bits read as zero */
        if (fault_on(&m->faults, FAULT_CEILING_STUCK))
            value &= ~(BIT(0) << m->faults.value[FAULT_CEILING_STUCK] % 64);
        for (uint32_t i = 0; i < m->domains; i++)
            if (&m->domain[i] == p || fault_on(&m->faults, FAULT_LIMIT_BROADCAST))
                m->domain[i].bw_control[msr - MSR_BW_CONTROL_0] = (uint32_t)(value & low_bits(m->bw_bits + 1));
        return MODEL_DONE;
    }
    if (msr == MSR_RMID_SNC_CONFIG && m->profile->rmid_snc_config && !(value & ~RMID_SNC_SPLIT)) {
        m->package[c->package].rmid_snc_config = (uint32_t)value;
        return MODEL_DONE;
    }
    if (msr == MSR_L3_IO_QOS_CFG && m->io_qos_bits && !(value & ~(uint64_t)m->io_qos_bits)) {
        p->io_qos_cfg = (uint32_t)value;
        return MODEL_DONE;
    }
    if (msr == MSR_MBA_CFG && m->profile->mba_config && !(value & ~MBA_CFG_LEAST)) {
        p->mba_cfg = (uint32_t)value;
        return MODEL_DONE;
    }
    return msr == MSR_CORE_CAPABILITIES ? MODEL_GP : MODEL_NOT_MINE; /* read only; others: model_msr.c */
}
