/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/topology.h"

#include <string.h>

#include "core/base/bits.h"

#define MAX_LEVELS 8u
#define MAX_CACHES 16u

/* Leaves 0BH, 1FH, 80000026H. */
#define CPUID_B_EAX_SHIFT               BITS(4, 0)
#define CPUID_B_EBX_COUNT               BITS(15, 0)
#define CPUID_B_ECX_TYPE                BITS(15, 8)
#define TYPE_NONE                       0u
#define TYPE_SMT                        1u
#define TYPE_1F_DIE                     5u
#define TYPE_80000026_DIE               3u
#define NO_DIE_TYPE                     UINT32_MAX
#define CPUID_1_EBX_COUNT               BITS(23, 16) /* addressable ids in the package, if EDX[28] */
#define CPUID_1_EBX_APIC_ID             BITS(31, 24)
#define CPUID_1_EDX_HTT                 BIT(28)
#define CPUID_4_EAX_CORES               BITS(31, 26) /* addressable cores in the package, less 1 */
#define CPUID_80000001_ECX_TOPOEXT      BIT(22)
#define CPUID_80000008_ECX_NC           BITS(7, 0)
#define CPUID_80000008_ECX_APIC_ID_SIZE BITS(15, 12)
#define CPUID_8000001E_EBX_THREADS      BITS(15, 8) /* less 1; since family 17H */
#define CPUID_8000001E_ECX_NODES        BITS(10, 8) /* less 1 */

static bool read_leaf(const struct cpuid_source *s, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *r)
{
    return s->leaf(s->context, leaf, subleaf, r) == ST_OK;
}

/* Bits that `count` ids need: ceil(log2(count)). */
static uint32_t bits_of(uint32_t count)
{
    return count > 1 ? bits_for(count - 1) : 0;
}

static uint32_t shifted(uint32_t id, uint32_t shift)
{
    return shift < 32 ? id >> shift : 0;
}

/* Bits hi-1 .. lo of an APIC id. */
static uint32_t cut(uint32_t id, uint32_t lo, uint32_t hi)
{
    return hi > lo ? (uint32_t)(shifted(id, lo) & low_bits(hi - lo)) : 0;
}

/* Extended topology: each sub-leaf is one level and says how far to shift to reach the next one. On AMD the level names
 * say what the shifted id counts, which puts the same number beside the level below: the thread level (type 1) has the
 * same meaning in all three leaves, the package's shift is the last one, and a die starts where the level below ends
 * (1FH), or where its own level says (80000026H). */
static bool place_by_levels(const struct cpuid_source *s, uint32_t leaf, struct cpu_place *p)
{
    uint32_t die_type = leaf == 0x1F ? TYPE_1F_DIE : leaf == 0x80000026u ? TYPE_80000026_DIE : NO_DIE_TYPE;
    uint32_t below = 0, levels = 0, core = 0, package = 0, die = 0;
    bool has_die = false;
    struct cpuid_regs r;

    for (uint32_t sub = 0; sub < MAX_LEVELS; sub++, levels++) {
        if (!read_leaf(s, leaf, sub, &r))
            break;
        uint32_t type = (uint32_t)field_get(CPUID_B_ECX_TYPE, r.ecx);
        uint32_t shift = (uint32_t)field_get(CPUID_B_EAX_SHIFT, r.eax);

        if (type == TYPE_NONE || field_get(CPUID_B_EBX_COUNT, r.ebx) == 0 || shift < below)
            break;
        if (type == TYPE_SMT)
            core = shift;
        if (type == die_type) {
            has_die = true;
            die = leaf == 0x80000026u ? shift : below;
        }
        p->apic_id = r.edx;
        package = below = shift;
    }
    if (levels == 0)
        return false;
    p->core_shift = core;
    p->package_shift = package;
    p->die_shift = has_die ? die : package;
    p->source_leaf = leaf;
    return true;
}

/* 8000001EH has the extended APIC id, threads of a core and nodes of a package; how many bits the package has says
 * 80000008H. APM vol. 3 E.4.16, E.4.7. */
static uint32_t amd_package_shift(const struct cpuid_source *s)
{
    struct cpuid_regs r;

    if (!read_leaf(s, 0x80000008u, 0, &r))
        return 0;
    uint32_t size = (uint32_t)field_get(CPUID_80000008_ECX_APIC_ID_SIZE, r.ecx);
    return size ? size : bits_of((uint32_t)field_get(CPUID_80000008_ECX_NC, r.ecx) + 1);
}

static bool has_topoext(const struct cpuid_source *s)
{
    struct cpuid_regs r;

    return read_leaf(s, 0x80000001u, 0, &r) && (r.ecx & CPUID_80000001_ECX_TOPOEXT);
}

static bool place_by_topoext(const struct cpuid_source *s, const struct cpu_identity *id, struct cpu_place *p)
{
    struct cpuid_regs r;

    if (!has_topoext(s) || !read_leaf(s, 0x8000001Eu, 0, &r))
        return false;
    p->apic_id = r.eax;
    p->package_shift = amd_package_shift(s);
    /* Before family 17H the field counts the cores of a module; they are cores, not threads. */
    if (id->family >= 0x17)
        p->core_shift = bits_of((uint32_t)field_get(CPUID_8000001E_EBX_THREADS, r.ebx) + 1);
    p->source_leaf = 0x8000001Eu;
    return true;
}

/* Nodes of a package (dies, before Zen 2) are the top bits below the package's. Not so before family 17H, where those
 * bits stay empty: no die is enumerated there. */
static void amd_dies(const struct cpuid_source *s, const struct cpu_identity *id, struct cpu_place *p)
{
    struct cpuid_regs r;
    uint32_t bits;

    p->die_shift = p->package_shift;
    if (id->family < 0x17 || !has_topoext(s) || !read_leaf(s, 0x8000001Eu, 0, &r))
        return;
    bits = bits_of((uint32_t)field_get(CPUID_8000001E_ECX_NODES, r.ecx) + 1);
    if (p->core_shift + bits <= p->package_shift)
        p->die_shift = p->package_shift - bits;
}

/* Before leaf 0BH: leaf 1 says how many ids a package has, leaf 4 how many of its cores. SDM vol. 3A 8.9.3. */
static void place_by_counts(const struct cpuid_source *s, const struct cpu_identity *id, const struct cpuid_regs *one,
                            struct cpu_place *p)
{
    struct cpuid_regs r;

    p->source_leaf = 1;
    if (!(one->edx & CPUID_1_EDX_HTT))
        return;
    p->package_shift = bits_of((uint32_t)field_get(CPUID_1_EBX_COUNT, one->ebx));
    if (cpu_is_amd(id)) {
        if (amd_package_shift(s) > 0) {
            p->package_shift = amd_package_shift(s);
            p->source_leaf = 0x80000008u;
        }
        return; /* one thread a core */
    }
    if (!read_leaf(s, 4, 0, &r) || r.eax == 0) {
        p->core_shift = p->package_shift; /* one core: all ids are its threads */
        return;
    }
    uint32_t core_bits = bits_of((uint32_t)field_get(CPUID_4_EAX_CORES, r.eax) + 1);
    p->core_shift = p->package_shift > core_bits ? p->package_shift - core_bits : 0;
    p->source_leaf = 4;
}

static void find_shifts(const struct cpuid_source *s, const struct cpu_identity *id, const struct cpuid_regs *one,
                        struct cpu_place *p)
{
    if (cpu_is_amd(id)) {
        if (place_by_levels(s, 0x80000026u, p))
            return;
        if (!place_by_levels(s, 0xB, p) && !place_by_topoext(s, id, p))
            place_by_counts(s, id, one, p);
        amd_dies(s, id, p);
        return;
    }
    if (place_by_levels(s, 0x1F, p) || place_by_levels(s, 0xB, p))
        return;
    place_by_counts(s, id, one, p);
    p->die_shift = p->package_shift;
}

/* SDM vol. 2A leaf 4 EAX[25:14]: ids that share a cache take ceil(log2) of their number in bits, also where it is no
 * power of two (6 and 12 on AMD parts with cores turned off). */
static void topology_find_l3(const struct cpuid_source *s, const struct cpu_identity *id, struct cpu_place *p)
{
    struct cache_info caches[MAX_CACHES];
    uint32_t n = cpuid_caches(s, id, caches, MAX_CACHES);

    p->l3_shift = p->package_shift;
    for (uint32_t i = 0; i < n; i++) {
        if (caches[i].level != 3 || caches[i].kind == 'i')
            continue;
        p->has_l3 = true;
        /* Hypervisors may show the host's leaf 4 beside a topology of their own; an L3 ends with its package. */
        if (bits_of(caches[i].sharing_ids) < p->package_shift)
            p->l3_shift = bits_of(caches[i].sharing_ids);
        if (cpu_is_amd(id) && id->family < 0x17 && caches[i].sharing_ids != 1u << p->l3_shift)
            p->l3_ids = caches[i].sharing_ids;
        return;
    }
}

static void cut_ids(struct cpu_place *p)
{
    p->thread = cut(p->apic_id, 0, p->core_shift);
    p->core = cut(p->apic_id, p->core_shift, p->package_shift);
    p->die = cut(p->apic_id, p->die_shift, p->package_shift);
    p->package = shifted(p->apic_id, p->package_shift);
    p->l3_id = shifted(p->apic_id, p->l3_shift);
    if (p->l3_ids) {
        uint32_t of_package = (1u << p->package_shift) / p->l3_ids + 1;

        p->l3_id = p->package * of_package + cut(p->apic_id, 0, p->package_shift) / p->l3_ids;
    }
}

uint32_t topology_apic_id(const struct cpuid_source *s)
{
    struct cpuid_regs r;
    struct cpu_place p;

    if (place_by_levels(s, 0x1F, &p) || place_by_levels(s, 0xB, &p) || place_by_levels(s, 0x80000026u, &p))
        return p.apic_id;
    if (has_topoext(s) && read_leaf(s, 0x8000001Eu, 0, &r))
        return r.eax;
    return read_leaf(s, 1, 0, &r) ? (uint32_t)field_get(CPUID_1_EBX_APIC_ID, r.ebx) : 0;
}

enum status topology_place(const struct cpuid_source *s, const struct cpu_identity *id, struct cpu_place *place)
{
    struct cpu_place p;
    struct cpuid_regs one;

    if (!read_leaf(s, 1, 0, &one))
        return ST_ABSENT;
    memset(&p, 0, sizeof p);
    p.apic_id = (uint32_t)field_get(CPUID_1_EBX_APIC_ID, one.ebx);
    find_shifts(s, id, &one, &p);
    topology_find_l3(s, id, &p);
    cut_ids(&p);
    *place = p;
    return ST_OK;
}

struct cpu_place topology_of_apic_id(const struct cpu_place *like, uint32_t apic_id)
{
    struct cpu_place p = *like;

    p.apic_id = apic_id;
    cut_ids(&p);
    return p;
}
