/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_levels.c: cache bandwidth allocation (CBA), resource priority, and quality of service of the
 * second-level TLB (STLB QoS). No recorded part enumerates them: the machine of a fault that breaks one has it, and no
 * other machine has.
 *
 * Source: Intel RDT Architecture Specification 356688 3.2.5 (leaf 10H sub-leaf 5, IA32_QoS_Core_BW_Thrtl_n, of each
 * processor) and appendix B (STLB QoS: IA32_CORE_CAPABILITIES bit 0); SDM vol. 2A CPUID, leaf 10H sub-leaf 6.
 *
 * Decisions where the documents leave room:
 *   - 16 levels, linear, for as many classes as the L3 has. Bytes of the last register that belong to no class are
 *     reserved. A level acts on nothing: no document says by how much.
 *   - What STLB QoS has in its registers is stated nowhere: each package's own, a bit of 1A8EH that has fills obey the
 *     masks, and 16 masks of 8 bits, all ones at reset. 1A8FH reads 0.
 *   - IA32_RESOURCE_PRIORITY and its package's twin have the enable in bit 0; their layout is published nowhere.
 */
#include "tests/silicon/model/model_state.h"

enum {
    MSR_RESOURCE_PRIORITY = 0xC88,
    MSR_RESOURCE_PRIORITY_PKG,
    MSR_CORE_BW_THRTL_0 = 0xE00,
    MSR_STLB_FILL = 0x1A8E,
    MSR_STLB_INFO,
    MSR_STLB_MASK_0,
};

#define RESOURCE_CBA      BIT(5) /* of 10H.0:EBX */
#define RESOURCE_PRIORITY BIT(6)
#define CBA_GREATEST      15u    /* 10H.5:EAX[7:0]: levels less 1 */
#define CBA_LINEAR        BIT(3) /* 10H.5:ECX */
#define PRIORITY_SCOPES   BITS(1, 0)
#define PRIORITY_ENABLE   BIT(0)
#define CAPABLE_STLB_QOS  BIT(0) /* of IA32_CORE_CAPABILITIES */
#define STLB_MASK         BITS(7, 0)
#define STLB_FILL_BY_MASK BIT(0)

static bool has_cba(const struct model *m)
{
    return fault_on(&m->faults, FAULT_CBA_NO_REGISTER) || fault_on(&m->faults, FAULT_CBA_LIMIT) ||
           fault_on(&m->faults, FAULT_CBA_STUCK);
}

static bool has_priority(const struct model *m)
{
    return fault_on(&m->faults, FAULT_PRIORITY_LEFT_BY_FIRMWARE);
}

static bool has_stlb(const struct model *m)
{
    return fault_on(&m->faults, FAULT_STLB_LEFT_BY_FIRMWARE);
}

uint64_t rdt_levels_capabilities(const struct model *m)
{
    return has_stlb(m) ? CAPABLE_STLB_QOS : 0;
}

static uint32_t cba_registers(const struct model *m)
{
    return has_cba(m) && !fault_on(&m->faults, FAULT_CBA_NO_REGISTER) ? (m->l3_clos + 7) / 8 : 0;
}

void rdt_levels_leaf(const struct model *m, uint32_t subleaf, uint32_t regs[4])
{
    if (subleaf == 0)
        regs[1] |= (uint32_t)((has_cba(m) ? RESOURCE_CBA : 0) | (has_priority(m) ? RESOURCE_PRIORITY : 0));
    if (subleaf == 5 && has_cba(m)) {
        regs[0] = CBA_GREATEST;
        regs[2] = (uint32_t)CBA_LINEAR;
        regs[3] = m->l3_clos - 1;
    }
    if (subleaf == 6 && has_priority(m))
        regs[0] = (uint32_t)PRIORITY_SCOPES;
}

void rdt_levels_reset(struct model *m)
{
    if (fault_on(&m->faults, FAULT_PRIORITY_LEFT_BY_FIRMWARE))
        m->package[m->packages - 1].priority = PRIORITY_ENABLE;
    for (uint32_t i = 0; i < m->packages; i++)
        for (uint32_t n = 0; n < MODEL_STLB_MASKS; n++)
            m->package[i].stlb_mask[n] = STLB_MASK;
    if (fault_on(&m->faults, FAULT_STLB_LEFT_BY_FIRMWARE)) {
        m->package[m->packages - 1].stlb_fill = STLB_FILL_BY_MASK;
        m->package[m->packages - 1].stlb_mask[0] = m->faults.value[FAULT_STLB_LEFT_BY_FIRMWARE] & STLB_MASK;
    }
}

enum model_answer rdt_levels_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t *value)
{
    if (msr - MSR_CORE_BW_THRTL_0 < cba_registers(m))
        *value = c->cba[msr - MSR_CORE_BW_THRTL_0];
    else if (msr == MSR_RESOURCE_PRIORITY && has_priority(m))
        *value = c->priority;
    else if (msr == MSR_RESOURCE_PRIORITY_PKG && has_priority(m))
        *value = m->package[c->package].priority;
    else if (has_stlb(m) && msr == MSR_STLB_FILL)
        *value = m->package[c->package].stlb_fill;
    else if (has_stlb(m) && msr == MSR_STLB_INFO)
        *value = 0;
    else if (has_stlb(m) && msr - MSR_STLB_MASK_0 < MODEL_STLB_MASKS)
        *value = m->package[c->package].stlb_mask[msr - MSR_STLB_MASK_0];
    else
        return MODEL_NOT_MINE;
    return MODEL_DONE;
}

/* 3.2.5.3: a byte above the greatest level raises #GP. */
static enum model_answer levels_write(const struct model *m, struct cpu *c, uint32_t n, uint64_t value)
{
    const struct fault_set *f = &m->faults;

    for (uint32_t i = 0; i < 8; i++) {
        uint64_t level = value >> 8 * i & 0xFF, greatest = 8 * n + i < m->l3_clos ? CBA_GREATEST : 0;

        if (level > greatest && !fault_on(f, FAULT_CBA_LIMIT))
            return MODEL_GP;
    }
    if (fault_on(f, FAULT_CBA_STUCK))
        value &= ~(UINT64_C(0x0101010101010101) << f->value[FAULT_CBA_STUCK] % 8);
    c->cba[n] = value;
    return MODEL_DONE;
}

static enum model_answer stlb_write(struct model *m, const struct cpu *c, uint32_t msr, uint64_t value)
{
    struct package *p = &m->package[c->package];

    if (msr == MSR_STLB_INFO || (value & ~(msr == MSR_STLB_FILL ? STLB_FILL_BY_MASK : STLB_MASK)))
        return MODEL_GP;
    if (msr == MSR_STLB_FILL)
        p->stlb_fill = value;
    else
        p->stlb_mask[msr - MSR_STLB_MASK_0] = value;
    return MODEL_DONE;
}

enum model_answer rdt_levels_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    if (msr - MSR_CORE_BW_THRTL_0 < cba_registers(m))
        return levels_write(m, c, msr - MSR_CORE_BW_THRTL_0, value);
    if (has_stlb(m) && msr - MSR_STLB_FILL < 2 + MODEL_STLB_MASKS)
        return stlb_write(m, c, msr, value);
    if (!has_priority(m) || (msr != MSR_RESOURCE_PRIORITY && msr != MSR_RESOURCE_PRIORITY_PKG))
        return MODEL_NOT_MINE;
    if (value & ~PRIORITY_ENABLE)
        return MODEL_GP;
    if (msr == MSR_RESOURCE_PRIORITY)
        c->priority = value;
    else
        m->package[c->package].priority = value;
    return MODEL_DONE;
}
