/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/rdt.h"

#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"

#define BASE_WIDTH 24u

/* AMD processors before Zen 4 leave 0FH.1:EAX[7:0] zero. APM vol. 2 19.3 then gives the width by version of PQoS: 62
 * bits for V1.0, 44 for V2.0; Linux takes 44 for all of them, and so does this, because a width that is too small still
 * gives right differences as long as samples are close, one that is too large never does. Hygon's are 32 bits wide
 * (intel-cmt-cat and Linux). */
#define AMD_WIDTH   44u
#define HYGON_WIDTH 32u

static void take_leaf(const struct cpuid_source *s, uint32_t leaf, uint32_t subleaf, struct rdt_leaf *l)
{
    l->known = s->leaf(s->context, leaf, subleaf, &l->regs) == ST_OK;
    if (!l->known)
        memset(&l->regs, 0, sizeof l->regs);
}

static uint32_t counter_width(const struct cpu_identity *id, uint32_t field)
{
    if (field == 0 && id->vendor == VENDOR_AMD)
        return AMD_WIDTH;
    if (field == 0 && id->vendor == VENDOR_HYGON)
        return HYGON_WIDTH;
    return BASE_WIDTH + field;
}

static void rdt_decode_monitoring(const struct cpu_identity *id, struct rdt_info *i)
{
    const struct cpuid_regs *all = &i->leaf0f[0].regs, *l3 = &i->leaf0f[1].regs;

    if (!i->monitoring || !i->leaf0f_known)
        return;
    i->max_rmid_any = (uint32_t)field_get(CPUID_F_0_EBX_MAX_RMID, all->ebx);
    i->rmid_width = bits_for(i->max_rmid_any);
    i->l3_monitoring = all->edx & CPUID_F_0_EDX_L3;
    i->l3_known = i->l3_monitoring && i->leaf0f[1].known;
    if (!i->l3_known)
        return;
    i->upscaling_factor = l3->ebx;
    i->max_rmid = l3->ecx;
    i->occupancy = l3->edx & CPUID_F_1_EDX_OCCUPANCY;
    i->total = l3->edx & CPUID_F_1_EDX_TOTAL;
    i->local = l3->edx & CPUID_F_1_EDX_LOCAL;
    i->width_field = (uint32_t)field_get(CPUID_F_1_EAX_WIDTH, l3->eax);
    i->counter_width = counter_width(id, i->width_field);
    i->overflow_bit = l3->eax & CPUID_F_1_EAX_OVERFLOW;
    i->non_cpu_cmt = l3->eax & CPUID_F_1_EAX_NON_CPU_CMT;
    i->non_cpu_mbm = l3->eax & CPUID_F_1_EAX_NON_CPU_MBM;
}

static uint32_t highest_clos(const struct rdt_leaf *l)
{
    return l->known ? (uint32_t)field_get(CPUID_10_EDX_MAX_CLOS, l->regs.edx) : 0;
}

static void raise_to(uint32_t *max, uint32_t value)
{
    if (value > *max)
        *max = value;
}

static void decode_cat(const struct rdt_leaf *l, struct rdt_cat *c)
{
    c->known = c->present && l->known;
    if (!c->known)
        return;
    c->cbm_len = (uint32_t)field_get(CPUID_10_CAT_EAX_CBM_LEN, l->regs.eax) + 1;
    c->shareable = l->regs.ebx;
    c->non_cpu = l->regs.ecx & CPUID_10_CAT_ECX_NON_CPU;
    c->cdp = l->regs.ecx & CPUID_10_CAT_ECX_CDP;
    c->noncontiguous = l->regs.ecx & CPUID_10_CAT_ECX_NONCONTIGUOUS;
    c->clos = highest_clos(l) + 1;
}

static void decode_mba(const struct rdt_leaf *l, struct rdt_mba *m)
{
    m->known = m->present && l->known;
    if (!m->known)
        return;
    m->max_delay = (uint32_t)field_get(CPUID_10_3_EAX_MAX_DELAY, l->regs.eax) + 1;
    m->per_thread = l->regs.ecx & CPUID_10_3_ECX_PER_THREAD;
    m->linear = l->regs.ecx & CPUID_10_3_ECX_LINEAR;
    m->clos = highest_clos(l) + 1;
}

static void decode_allocation(struct rdt_info *i)
{
    uint32_t resources = i->leaf10[0].regs.ebx;

    if (!i->allocation || !i->leaf10_known)
        return;
    i->l3.present = resources & CPUID_10_0_EBX_L3_CAT;
    i->l2.present = resources & CPUID_10_0_EBX_L2_CAT;
    i->mba.present = resources & CPUID_10_0_EBX_MBA;
    i->cba = resources & CPUID_10_0_EBX_CBA;
    i->resource_priority = resources & CPUID_10_0_EBX_RESOURCE_PRIORITY;
    decode_cat(&i->leaf10[1], &i->l3);
    decode_cat(&i->leaf10[2], &i->l2);
    decode_mba(&i->leaf10[3], &i->mba);
    if (i->l3.known)
        raise_to(&i->max_clos, i->l3.clos - 1);
    if (i->l2.known)
        raise_to(&i->max_clos, i->l2.clos - 1);
    if (i->mba.known)
        raise_to(&i->max_clos, i->mba.clos - 1);
    if (i->cba)
        raise_to(&i->max_clos, highest_clos(&i->leaf10_5));
}

static void decode_bandwidth(const struct rdt_leaf *l, bool present, struct rdt_bandwidth *b)
{
    uint32_t length = l->regs.eax, highest = l->regs.edx;

    b->present = present;
    b->known = present && l->known && length >= 1 && length <= BW_LEN_MOST;
    if (!b->known)
        return;
    b->bw_len = length;
    b->clos = highest < BW_CLOS_MOST ? highest + 1 : BW_CLOS_MOST;
}

static void raise_to_limits(struct rdt_info *i)
{
    const struct rdt_bandwidth *b[4] = { &i->l3be, &i->l3smbe, &i->glbe, &i->glsbe };

    for (uint32_t n = 0; n < 4; n++)
        if (b[n]->known)
            raise_to(&i->max_clos_any, b[n]->clos - 1);
}

static uint32_t abmc_counters(const struct rdt_leaf *l)
{
    const uint32_t highest = (uint32_t)field_get(L3_QOS_ABMC_CFG_CTR_ID, L3_QOS_ABMC_CFG_CTR_ID);
    uint32_t given = (uint32_t)field_get(CPUID_8000_0020_5_EBX_MAX_ABMC, l->regs.ebx);

    return l->known ? (given < highest ? given : highest) + 1 : 0;
}

/* APM vol. 3 E.4 "Function 8000_0020"; vol. 2 19.3.3.2, 19.3.3.3, 19.4.5, 19.4.6. */
static void decode_qosx(const struct cpuid_source *s, const struct cpu_identity *id, struct rdt_info *i)
{
    const struct rdt_leaf *l = i->leaf8000_0020;

    if (id->vendor != VENDOR_AMD && id->vendor != VENDOR_HYGON)
        return;
    for (uint32_t sub = 0; sub < QOSX_SUBLEAVES; sub++)
        take_leaf(s, 0x80000020u, sub, &i->leaf8000_0020[sub]);
    i->qosx_known = l[0].known;
    i->qosx_ebx = l[0].regs.ebx;
    if (!i->qosx_known)
        return;
    decode_bandwidth(&l[1], i->qosx_ebx & CPUID_8000_0020_0_EBX_L3BE, &i->l3be);
    decode_bandwidth(&l[2], i->qosx_ebx & CPUID_8000_0020_0_EBX_L3SMBE, &i->l3smbe);
    decode_bandwidth(&l[7], i->qosx_ebx & CPUID_8000_0020_0_EBX_GLBE, &i->glbe);
    decode_bandwidth(&l[8], i->qosx_ebx & CPUID_8000_0020_0_EBX_GLSBE, &i->glsbe);
    raise_to_limits(i);
    if (i->qosx_ebx & (CPUID_8000_0020_0_EBX_BMEC | CPUID_8000_0020_0_EBX_ABMC))
        i->bw_types = l[3].regs.ecx & QOS_EVT_CFG_BW_TYPES;
    if (i->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC)
        i->abmc_counters = abmc_counters(&l[5]);
}

enum status rdt_enumerate(const struct cpuid_source *s, const struct cpu_identity *id, struct rdt_info *info)
{
    memset(info, 0, sizeof *info);
    take_leaf(s, 7, 0, &info->leaf7);
    if (!info->leaf7.known)
        return ST_ABSENT;
    info->monitoring = info->leaf7.regs.ebx & CPUID_7_EBX_PQM;
    info->allocation = info->leaf7.regs.ebx & CPUID_7_EBX_PQE;
    for (uint32_t sub = 0; sub < 2; sub++)
        take_leaf(s, 0xF, sub, &info->leaf0f[sub]);
    for (uint32_t sub = 0; sub < 4; sub++)
        take_leaf(s, 0x10, sub, &info->leaf10[sub]);
    if (info->leaf10[0].regs.ebx & CPUID_10_0_EBX_CBA)
        take_leaf(s, 0x10, 5, &info->leaf10_5);
    info->leaf0f_known = info->leaf0f[0].known;
    info->leaf10_known = info->leaf10[0].known;
    rdt_decode_monitoring(id, info);
    decode_allocation(info);
    info->max_clos_any = info->max_clos;
    decode_qosx(s, id, info);
    return ST_OK;
}

const struct rdt_leaf *rdt_nth_leaf(const struct rdt_info *info, uint32_t n, uint32_t *leaf, uint32_t *subleaf)
{
    const struct {
        uint32_t leaf, first, n;
        const struct rdt_leaf *of;
    } runs[] = { { 0xF, 0, 2, info->leaf0f },
                 { 0x10, 0, 4, info->leaf10 },
                 { 0x80000020u, 0, QOSX_SUBLEAVES, info->leaf8000_0020 },
                 { 0x10, 5, 1, &info->leaf10_5 } };

    for (uint32_t i = 0; i < sizeof runs / sizeof runs[0]; n -= runs[i++].n) {
        if (n >= runs[i].n)
            continue;
        *leaf = runs[i].leaf;
        *subleaf = runs[i].first + n;
        return &runs[i].of[n];
    }
    return NULL;
}

bool rdt_leaf_equal(const struct rdt_leaf *a, const struct rdt_leaf *b)
{
    return a->known == b->known && (!a->known || (a->regs.eax == b->regs.eax && a->regs.ebx == b->regs.ebx &&
                                                  a->regs.ecx == b->regs.ecx && a->regs.edx == b->regs.edx));
}

uint64_t rdt_event_reset(const struct rdt_info *info, uint64_t types)
{
    return info->bw_types ? types & info->bw_types : types;
}
