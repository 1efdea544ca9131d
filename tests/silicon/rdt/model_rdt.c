/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_rdt.c: the registers of resource monitoring and allocation: what is enumerated, who is who.
 *
 * Source: SDM vol. 3B 17.16.6 "Monitoring Resource RMID Association", 17.16.8 "Monitoring Programming Considerations",
 * 17.17 "Allocation Features"; Intel RDT Architecture Specification 356688, appendix B (sub-NUMA clusters); AMD APM
 * vol. 2 chapter 19. What is counted stands in model_qm.c, masks and throttles in model_alloc.c.
 *
 * Decisions where the documents leave room:
 *   - PQR_ASSOC takes RMIDs up to 0FH.0:EBX. One above 0FH.1:ECX is of no L3: lines that it fills are nobody's.
 *   - A class above the halved range while CDP is on raises no #GP (17.17 calls its effect undefined).
 *   - With sub-NUMA clusters on, MSR CA0H bit 0 says how the physical RMIDs of a package serve its nodes. Set, which is
 *     power-on: node k has counters for RMIDs k*N/nodes up to the next node's, so a thread is counted under an RMID of
 *     its own node's share and only for memory of its own node. Clear: RMID d is counted as d + k*N/nodes by node k,
 * for d below N/nodes. Which share belongs to which node is stated nowhere; shares in ascending order are assumed. In
 *     both, a count is the enumerated upscaling factor divided by the number of nodes.
 */
#include "tests/silicon/model/model_state.h"

#define PQR_CLOS_BITS 20u /* CLOS is 51:32 on Broadwell and Skylake */
#define AMD_RMID_BITS 12u /* of PQR_ASSOC: APM vol. 2 19.3 */

enum { MSR_PQR_ASSOC = 0xC8F };

/* --- what the leaves say */

/* 80000020H: what else there is. APM vol. 2 19.3. */
static void learn_amd(struct model *m)
{
    uint32_t regs[4];

    if (!profile_find(m->profile, 0x80000020u, 0, regs))
        return;
    m->amd_features = regs[1] | (m->realism.value[REALISM_GLOBAL_LIMITS] ? (uint32_t)AMD_GLOBAL : 0);
    if ((m->amd_features & AMD_SMBE) && profile_find(m->profile, 0x80000020u, 2, regs)) {
        m->slow_bits = regs[0];
        m->slow_clos = (regs[3] & 0xFFFF) + 1;
    }
    if ((m->amd_features & AMD_BMEC) && profile_find(m->profile, 0x80000020u, 3, regs))
        m->event_bits = regs[2];
    if ((m->amd_features & AMD_ABMC) && profile_find(m->profile, 0x80000020u, 5, regs))
        m->abmc_counters = regs[1] + 1 < MODEL_ABMC_COUNTERS ? regs[1] + 1 : MODEL_ABMC_COUNTERS;
    m->abmc_by_class = m->abmc_counters && (regs[2] & BIT(0));
}

/* IA32_L3_IO_QOS_CFG. SDM vol. 4. */
#define IO_QOS_ALLOCATION BIT(0)
#define IO_QOS_MONITORING BIT(1)

/* Leaf 10H. Every resource has its own number of classes; PQR_ASSOC takes the greatest. */
static void learn_allocation(struct model *m)
{
    uint32_t resources[4], regs[4];

    profile_find(m->profile, 0x10, 0, resources);
    if (resources[1] & BIT(1)) {
        profile_find(m->profile, 0x10, 1, regs);
        m->l3_way_mask = (uint32_t)low_bits((regs[0] & 0x1F) + 1);
        m->l3_clos = m->realism.value[REALISM_CLASSES] ? MODEL_MAX_CLOS : (regs[3] & 0xFFFF) + 1;
        m->io_qos_bits |= regs[2] & BIT(1) && !m->profile->amd ? (uint32_t)IO_QOS_ALLOCATION : 0;
        m->l3_cdp = regs[2] & BIT(2);
        m->l3_holes = m->profile->amd || (regs[2] & BIT(3));
        m->l3_group = m->profile->mask_group_moves ? regs[1] : 0;
    } else if (m->profile->cat_by_probe) {
        m->l3_way_mask = (uint32_t)low_bits(m->profile->cat_by_probe);
        m->l3_clos = 4;
    }
    if (resources[1] & BIT(2)) {
        profile_find(m->profile, 0x10, 2, regs);
        m->l2_way_mask = (uint32_t)low_bits((regs[0] & 0x1F) + 1);
        m->l2_clos = (regs[3] & 0xFFFF) + 1;
        m->l2_cdp = regs[2] & BIT(2);
        m->l2_holes = regs[2] & BIT(3);
    }
    if (resources[1] & BIT(3)) {
        profile_find(m->profile, 0x10, 3, regs);
        m->mba_max = (regs[0] & 0xFFF) + 1;
        m->mba_linear = regs[2] & BIT(2);
        m->mba_own = regs[2] & BIT(0);
        m->mba_clos = (regs[3] & 0xFFFF) + 1;
    }
    if (m->profile->amd && profile_find(m->profile, 0x80000020u, 1, regs)) {
        m->bw_bits = regs[0];
        m->bw_clos = (regs[3] & 0xFFFF) + 1;
    }
    if (m->profile->amd)
        learn_amd(m);
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void rdt_learn(struct model *m)
{
    uint32_t regs[4];

    m->rmids = m->rmids_any = 1;
    if (!m->profile->rdt)
        return;
    profile_find(m->profile, 7, 0, regs);
    m->core_capabilities = regs[3] & BIT(30);
    profile_find(m->profile, 0xF, 0, regs);
    m->rmid_bits = bits_for(regs[1]);
    m->rmids_any = regs[1] + 1;
    profile_find(m->profile, 0xF, 1, regs);
    m->mbm_width = m->profile->mbm_bits ? m->profile->mbm_bits : 24 + (regs[0] & 0xFF);
    m->overflow_bit = regs[0] & BIT(8) || rdt_qm_flag_broken(m);
    m->scale = regs[1];
    m->rmids = regs[2] + 1;
    if (m->realism.value[REALISM_L3_RMIDS])
        m->rmids = (m->rmids + 1) / 2;
    m->rmids_any = most(m->rmids_any, m->rmids);
    m->events = regs[3];
    m->io_qos_bits = regs[0] & BITS(10, 9) ? (uint32_t)IO_QOS_MONITORING : 0;
    rdt_qm_errata(m);
    m->event_types[0] = COUNTS_LOCAL_READS | COUNTS_REMOTE_READS;
    m->event_types[1] = COUNTS_LOCAL_READS;
    if (m->profile->mbm_counts_nt_stores) {
        m->event_types[0] |= COUNTS_LOCAL_NT | COUNTS_REMOTE_NT;
        m->event_types[1] |= COUNTS_LOCAL_NT;
    }
    m->rmids_split =
        m->clusters > 1 && (m->profile->rmid_snc_config || m->realism.value[REALISM_SNC_RMIDS] == SNC_RMIDS_SPLIT);
    learn_allocation(m);
    m->clos_max = most(most(m->l3_clos, m->l2_clos), most(m->mba_clos, m->bw_clos));
    if (m->clos_max)
        m->clos_max--;
    if (m->event_bits) { /* 7FH and 15H at reset, of which there are those that are enumerated */
        m->event_types[0] = 0x7F & m->event_bits;
        m->event_types[1] = 0x15 & m->event_bits;
    }
}

/* --- PQR_ASSOC */

uint32_t rdt_alias(const struct model *m, uint32_t rmid)
{
    const struct fault_set *f = &m->faults;

    return fault_on(f, FAULT_RMID_ALIASING) ? rmid & (uint32_t)low_bits((unsigned)f->value[FAULT_RMID_ALIASING]) : rmid;
}

/* The first physical RMID of a node. */
static uint32_t first_rmid(const struct model *m, uint32_t node)
{
    return node * (m->rmids / m->clusters + fault_on(&m->faults, FAULT_CLUSTER_RMID_OFFSET));
}

static bool is_shared(const struct model *m, const struct domain *p)
{
    return !(atomic_load_explicit(&m->package[p->package].rmid_snc_config, memory_order_relaxed) & 1) &&
           !fault_on(&m->faults, FAULT_CLUSTER_SHARING_IGNORED);
}

uint32_t rdt_slot(const struct model *m, const struct domain *p, uint32_t rmid, uint32_t home)
{
    uint32_t share = m->rmids / m->clusters, node = home % m->clusters, first;

    if (!m->rmids_split)
        return rmid;
    if (fault_on(&m->faults, FAULT_CLUSTER_RMIDS) && node == m->clusters - 1)
        node = 0;
    first = first_rmid(m, node);
    if (!is_shared(m, p))
        return rmid - first < share ? rmid : m->rmids;
    return rmid < share && rmid + first < m->rmids ? rmid + first : m->rmids;
}

static uint32_t number_of(const struct model *m, const struct cpu *c)
{
    return (uint32_t)(c - m->cpu);
}

/* What the L3 counts under; m->rmids: an RMID that only other resources have, so nothing. */
static uint32_t rmid_of(const struct model *m, uint64_t value)
{
    uint32_t rmid = (uint32_t)(value & low_bits(m->rmid_bits)) % m->rmids_any;

    return rmid < m->rmids ? rmid : m->rmids;
}

void rdt_associate(struct model *m, struct cpu *c, uint64_t value)
{
    const struct fault_set *f = &m->faults;
    uint32_t rmid = rmid_of(m, value), tag = rmid < m->rmids ? rdt_alias(m, rmid) : rmid, before = c->tag;

    if (fault_on(f, FAULT_TAG_SWAP) && (rmid == f->place[FAULT_TAG_SWAP] || rmid == f->value[FAULT_TAG_SWAP]))
        tag = (uint32_t)(f->place[FAULT_TAG_SWAP] + f->value[FAULT_TAG_SWAP] - rmid);
    if (fault_on(f, FAULT_TAG_BIT_LOST) && number_of(m, c) == m->cpus - 1)
        tag &= ~(uint32_t)(BIT(0) << f->value[FAULT_TAG_BIT_LOST] % 32);
    if (fault_on(f, FAULT_RMID_IGNORED) && number_of(m, c) == fault_place(f, FAULT_RMID_IGNORED, m->cpus))
        tag = 0;
    if (fault_on(f, FAULT_PQR_UPPER_BITS_LATE) &&
        ((c->rmid ^ rmid) & low_bits(f->value[FAULT_PQR_UPPER_BITS_LATE])) == 0)
        tag = before;
    if (fault_on(f, FAULT_PQR_BOTH_AT_ONCE) && rmid != c->rmid && value >> 32 != c->pqr >> 32)
        tag = before;
    if (fault_on(f, FAULT_RMID_STALE_AFTER_SWITCH) && tag != before) {
        c->stale_tag = before;
        c->stale_lines = f->value[FAULT_RMID_STALE_AFTER_SWITCH];
    }
    if (fault_on(f, FAULT_MBM_STARTS_LATE))
        c->late_lines = f->value[FAULT_MBM_STARTS_LATE];
    flaw_associated(m, c, c->rmid, rmid);
    telemetry_account(m, c);
    c->pqr = value;
    c->rmid = rmid;
    c->clos = (uint32_t)(value >> 32) % MODEL_MAX_CLOS;
    if (fault_on(f, FAULT_CLOS_IGNORED) && number_of(m, c) == fault_place(f, FAULT_CLOS_IGNORED, m->cpus))
        c->clos = 0;
    if (fault_on(f, FAULT_CLUSTER_CLASS_IGNORED) && m->clusters > 1 && c->node % m->clusters == m->clusters - 1)
        c->clos = 0;
    c->tag = tag;
    for (uint32_t code = 0; code < 2 && fault_on(f, FAULT_MASK_AT_ASSOCIATION); code++)
        c->ways[code] = rdt_fill_mask(m, c->domain, c->clos, code);
    if (fault_on(f, FAULT_MBA_AT_ASSOCIATION))
        c->delay = c->domain->mba_acts[c->clos];
    if (m->realism.value[REALISM_AMD_TRACKED_RMIDS] && rmid < m->rmids)
        quirk_track(m, c->domain, rmid);
    if (fault_on(f, FAULT_RMID_RETAG) && tag != before)
        cache_retag(m, c->domain, before, tag);
}

/* SDM vol. 3B 17.16.8.1, 17.17.5.1: #GP for a reserved bit, an RMID above the maximum, a CLOS above the highest. */
static bool pqr_is_legal(const struct model *m, const struct cpu *c, uint64_t *rmid, uint64_t *clos)
{
    const struct fault_set *f = &m->faults;

    if (fault_on(f, FAULT_PQR_RESERVED_ACCEPTED) || rdt_stricken(m, FAULT_PQR_RESERVED_ONE_PROCESSOR, c))
        *rmid &= low_bits(m->rmid_bits);
    if (fault_on(f, FAULT_PQR_RESERVED_CLOS_ACCEPTED))
        *clos &= low_bits(PQR_CLOS_BITS);
    if (fault_on(f, FAULT_PQR_RMID_NARROW) && m->rmid_bits > 0 && *rmid >> (m->rmid_bits - 1))
        return false;
    if (fault_on(f, FAULT_PQR_RMID_UNCHECKED) && *rmid >> AMD_RMID_BITS == 0)
        return *clos <= m->clos_max;
    if (*rmid >> m->rmid_bits || *clos >> PQR_CLOS_BITS)
        return false;
    return (*rmid < m->rmids_any || fault_on(f, FAULT_PQR_RMID_LIMIT)) &&
           (*clos <= m->clos_max || fault_on(f, FAULT_PQR_CLOS_LIMIT));
}

static enum model_answer pqr_write(struct model *m, struct cpu *c, uint64_t value)
{
    const struct fault_set *f = &m->faults;
    uint64_t rmid = value & BITS(31, 0), clos = value >> 32;

    if (!pqr_is_legal(m, c, &rmid, &clos))
        return MODEL_GP;
    if (fault_on(f, FAULT_PQR_CLOS_CLOBBERS_RMID) && clos != c->pqr >> 32)
        rmid = 0;
    value = clos << 32 | rmid;
    if (fault_on(f, FAULT_PQR_SAME_VALUE) && value == c->pqr)
        value ^= m->rmids % 2 == 0; /* so that every RMID has a neighbour */
    for (uint32_t i = 0; i < m->cpus; i++) {
        struct cpu *other = &m->cpu[i];

        if (fault_on(f, FAULT_TAG_SIBLING_CLEARS) && other != c && other->core == c->core && rmid != c->rmid)
            other->tag = 0;
        if (fault_on(f, FAULT_TAG_OF_WRITER) && other != c && other->core == c->core) {
            other->stale_tag = (uint32_t)rmid;
            other->stale_lines = f->value[FAULT_TAG_OF_WRITER];
        }
        if (other == c || (fault_on(f, FAULT_PQR_LEAKS_TO_SIBLING) && other->core == c->core) ||
            (fault_on(f, FAULT_PQR_BROADCAST) && other->package == c->package))
            rdt_associate(m, other, value);
        else if (fault_on(f, FAULT_CLOS_BROADCAST) && other->domain == c->domain)
            other->clos = (uint32_t)clos % MODEL_MAX_CLOS;
    }
    return MODEL_DONE;
}

void rdt_smi(struct model *m, struct cpu *c)
{
    if (fault_on(&m->faults, FAULT_PQR_SMI_CLEARS))
        rdt_associate(m, c, 0);
    if (fault_on(&m->faults, FAULT_PQR_SMI_FIRST))
        rdt_associate(m, c, m->cpu[0].pqr);
    if (fault_on(&m->faults, FAULT_PQR_SMI_CLASS))
        rdt_associate(m, c, c->pqr & BITS(31, 0));
}

static uint64_t pqr_read(const struct model *m, const struct cpu *c)
{
    if (fault_on(&m->faults, FAULT_PQR_LOSES_BIT))
        return c->pqr & ~(BIT(0) << m->faults.value[FAULT_PQR_LOSES_BIT] % 64);
    return c->pqr;
}

/* --- doors */

void rdt_reset(struct model *m)
{
    if (!m->profile->rdt)
        return;
    rdt_alloc_reset(m);
    rdt_levels_reset(m);
    rdt_amd_reset(m);
    rdt_erdt_reset(m);
    for (uint32_t i = 0; i < m->domains && m->realism.value[REALISM_AMD_TRACKED_RMIDS]; i++)
        quirk_track(m, &m->domain[i], 0);
    if (fault_on(&m->faults, FAULT_PQR_LEFT_BY_FIRMWARE))
        for (uint32_t i = 0; i < m->cpus; i++)
            rdt_associate(m, &m->cpu[i], m->faults.value[FAULT_PQR_LEFT_BY_FIRMWARE] % m->rmids);
    rdt_left(m);
}

enum model_answer rdt_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    enum model_answer answer = MODEL_DONE;

    pthread_mutex_lock(&c->domain->lock);
    if (msr == MSR_PQR_ASSOC)
        *value = pqr_read(m, c);
    else
        answer = rdt_qm_read(m, c, msr, tsc, value);
    if (answer == MODEL_NOT_MINE)
        answer = rdt_alloc_read(m, c, msr, value);
    if (answer == MODEL_NOT_MINE)
        answer = rdt_levels_read(m, c, msr, value);
    if (answer == MODEL_NOT_MINE && m->amd_features)
        answer = rdt_amd_read(m, c, msr, value);
    pthread_mutex_unlock(&c->domain->lock);
    return answer;
}

/* A register of masks, throttles, limits or enables that this part has. */
static bool is_of_allocation(struct model *m, struct cpu *c, uint32_t msr)
{
    uint64_t value;

    return rdt_alloc_read(m, c, msr, &value) == MODEL_DONE ||
           (m->amd_features && rdt_amd_read(m, c, msr, &value) == MODEL_DONE);
}

enum model_answer rdt_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    enum model_answer answer;

    pthread_mutex_lock(&c->domain->lock);
    answer = msr == MSR_PQR_ASSOC ? pqr_write(m, c, value) : rdt_qm_write(m, c, msr, value);
    if (answer == MODEL_NOT_MINE && rdt_stricken(m, FAULT_ALLOC_WRITE_LOST, c) && is_of_allocation(m, c, msr)) {
        pthread_mutex_unlock(&c->domain->lock);
        return MODEL_DONE;
    }
    if (answer == MODEL_NOT_MINE)
        answer = rdt_alloc_write(m, c, msr, value);
    if (answer == MODEL_NOT_MINE)
        answer = rdt_levels_write(m, c, msr, value);
    if (answer == MODEL_NOT_MINE && m->amd_features)
        answer = rdt_amd_write(m, c, msr, value);
    pthread_mutex_unlock(&c->domain->lock);
    return answer;
}
