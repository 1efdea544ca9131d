/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/registers/model_cpuid.c: CPUID as the recorded part answers it.
 *
 * Three things are not as recorded. Topology is computed from the configuration, in the recording's layout. Features
 * that change what instructions do (and registers that the model lacks) are shown only where the underlying
 * processor has them as well, so that nothing is offered that would fault or do nothing; identity, caches, topology,
 * RDT and performance monitoring are the model's own. And what only the underlying processor knows (OSXSAVE, the layout
 * of its XSAVE area) comes from there.
 *
 * Leaves beyond the basic maximum, the hypervisor range among them, answer as Intel parts do: with the data of the
 * highest basic leaf (SDM vol. 2A, CPUID, "INPUT EAX"); on AMD they are zero. There is no hypervisor to be seen.
 */
#include "tests/silicon/model/model_state.h"
#include "core/base/search.h"
#include "tests/silicon/twin/twin.h"

#include <string.h>

enum { EAX, EBX, ECX, EDX };

#define LEAF1_ECX_HYPERVISOR    BIT(31)
#define LEAF1_ECX_OSXSAVE       BIT(27)
#define LEAF1_EDX_HTT           BIT(28)
#define LEAF6_EAX_OURS          (BIT(0) | BIT(2) | BIT(6)) /* DTS, ARAT, PTM: model_core_pmu.c has the registers */
#define LEAF6_ECX_APERFMPERF    BIT(0)
#define LEAF7_EBX_RDT_M         BIT(12)
#define LEAF7_EBX_RDT_A         BIT(15)
#define LEAF7_EDX_HYBRID        BIT(15)
#define LEAF7_EDX_CORE_CAPS     BIT(30)
#define LEAF71_ECX_ASYMMETRIC_A BIT(1) /* leaf 28H is filled */
/* AMD, leaf 80000001H: CmpLegacy, TopologyExtensions, PerfCtrExtNB, PerfCtrExtLLC; SVM is in use below and not
 * available above. */
#define EXT1_ECX_OURS      (BIT(1) | BIT(22) | BIT(24) | BIT(28))
#define EXT1_ECX_SVM       BIT(2)
#define EXT8_EBX_MBE       BIT(6)  /* bandwidth enforcement */
#define EXT21_EAX_PREFETCH BIT(13) /* PrefetchCtlMsr: model_prefetch.c acts on it */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What the profile shows of a word: its own bits, and of the others those that the underlying processor has too. */
static uint32_t limit(uint32_t recorded, uint32_t host, uint64_t own)
{
    return recorded & (host | (uint32_t)own);
}

/* Bits of the APIC id that number the dies of a package. */
static uint32_t die_bits(const struct model *m)
{
    return bits_for(model_dies(m) - 1);
}

static void leaf1(struct model *m, struct cpu *c, const uint32_t host[4], uint32_t regs[4])
{
    uint32_t siblings = 1u << (m->thread_bits + m->core_bits + die_bits(m));

    if (m->profile->amd) /* the number of threads, where Intel has room for them: APM vol. 3 E.3.2 */
        siblings = m->cores * m->threads;
    regs[EBX] = c->apic_id << 24 | (siblings > 255 ? 255 : siblings) << 16 | (regs[EBX] & 0xFF00);
    regs[ECX] = limit(regs[ECX], host[ECX], 0) & ~(uint32_t)(LEAF1_ECX_OSXSAVE | LEAF1_ECX_HYPERVISOR);
    regs[ECX] |= host[ECX] & (uint32_t)LEAF1_ECX_OSXSAVE;
    regs[EDX] = limit(regs[EDX], host[EDX], 0) & ~(uint32_t)LEAF1_EDX_HTT;
    if (m->cores * m->threads > 1)
        regs[EDX] |= (uint32_t)LEAF1_EDX_HTT;
    /* CPUID(1) loads the microcode revision into IA32_BIOS_SIGN_ID: SDM vol. 3A 9.11.7.1. */
    c->sign_id = microcode_of(m, c);
}

/* EAX[25:14]: ids that share the cache, less 1; EAX[31:26]: core ids of the package, less 1. */
static void leaf4(const struct model *m, uint32_t regs[4])
{
    uint32_t level = regs[EAX] >> 5 & 7;
    uint32_t sharing = level == 3 ? 1u << (m->thread_bits + m->core_bits) : 1u << m->thread_bits;

    if ((regs[EAX] & 0x1F) == 0)
        return;
    if (fault_on(&m->faults, FAULT_CPUID_L3_SHARING))
        sharing = 1u << m->thread_bits;
    regs[EAX] = (regs[EAX] & 0x3FFF) | (sharing - 1) << 14 | (least(1u << (m->core_bits + die_bits(m)), 64) - 1) << 26;
}

/* 8000001DH: as leaf 4, but threads are counted, and an L3 is that of a core complex. APM vol. 3 E.4.15. */
static void amd_leaf1d(const struct model *m, uint32_t regs[4])
{
    uint32_t level = regs[EAX] >> 5 & 7;

    if ((regs[EAX] & 0x1F) == 0)
        return;
    regs[EAX] = (regs[EAX] & 0x3FFF) | ((level == 3 ? m->cores_per_domain : 1) * m->threads - 1) << 14;
}

/* 8000001EH: extended APIC id, core id and threads of a core less 1, node and nodes of a package less 1. E.4.16. A node is a
 * die, which no setting of firmware changes (Linux 028c221ed190, "Save AMD NodeId as cpu_die_id"): two EPYC 9654 say 0 and
 * 1 of 1, two EPYC 7451 of four dies 0 to 7 of 4. */
static void amd_leaf1e(const struct model *m, const struct cpu *c, uint32_t regs[4])
{
    regs[EAX] = c->apic_id;
    regs[EBX] = (m->threads - 1) << 8 | (c->apic_id >> m->thread_bits & 0xFF);
    regs[ECX] = m->profile->nodes_are_dies ? (m->clusters - 1) << 8 | (c->node & 0xFF) : c->package & 0xFF;
    regs[EDX] = 0;
}

/* 80000026H: threads, core complexes, dies (here the same), package. APM vol. 3 E.4.24. */
static void amd_leaf26(const struct model *m, const struct cpu *c, uint32_t subleaf, uint32_t regs[4])
{
    uint32_t complex_threads = m->cores_per_domain * m->threads, complex_bits = bits_for(complex_threads - 1);
    const struct {
        uint32_t bits, threads, type;
    } levels[] = {
        { m->thread_bits, m->threads, 1 },
        { complex_bits, complex_threads, 2 },
        { complex_bits, complex_threads, 3 },
        { m->thread_bits + m->core_bits, m->cores * m->threads, 4 },
    };

    memset(regs, 0, 4 * sizeof regs[0]);
    if (subleaf < sizeof levels / sizeof levels[0]) {
        regs[EAX] = levels[subleaf].bits;
        regs[EBX] = levels[subleaf].threads;
        regs[ECX] = levels[subleaf].type << 8;
    }
    regs[ECX] |= subleaf & 0xFF;
    regs[EDX] = c->apic_id;
}

/* 0BH and 1FH, of which the second alone tells dies (SDM vol. 3A 9.9.1): to the first their cores are the package's. */
static void leafb(const struct model *m, const struct cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    uint32_t dies = model_dies(m), die = m->thread_bits + m->core_bits;
    bool tells = leaf == 0x1F && dies > 1;

    memset(regs, 0, 4 * sizeof regs[0]);
    if (subleaf == 0) {
        regs[EAX] = m->thread_bits;
        regs[EBX] = m->threads;
        regs[ECX] = 1 << 8;
    } else if (subleaf == 1) {
        regs[EAX] = die + (tells ? 0 : die_bits(m));
        regs[EBX] = m->threads * m->cores * (tells ? 1 : dies);
        regs[ECX] = 2 << 8;
    } else if (subleaf == 2 && tells) {
        regs[EAX] = die + die_bits(m);
        regs[EBX] = m->threads * m->cores * dies;
        regs[ECX] = 5 << 8;
    }
    regs[ECX] |= subleaf & 0xFF;
    regs[EDX] = c->apic_id;
}

/* Offsets and sizes of XSAVE components are those of the processor that executes XSAVE. */
static void leafd(uint32_t subleaf, const uint32_t host[4], uint32_t regs[4])
{
    if (subleaf == 0) {
        regs[EAX] &= host[EAX];
        regs[EBX] = host[EBX];
        regs[ECX] = host[ECX];
        regs[EDX] = host[EDX];
    } else if (subleaf == 1) {
        regs[EAX] &= host[EAX];
        regs[EBX] = host[EBX];
        regs[ECX] &= host[ECX];
        regs[EDX] &= host[EDX];
    } else if (regs[EAX]) {
        memcpy(regs, host, 4 * sizeof regs[0]);
    }
}

/* 15H: the ratio is the part's, the crystal such that the TSC has the rate that it has here. 16H: in MHz. */
static void leaf_rates(const struct model *m, uint32_t leaf, uint32_t regs[4])
{
    if (leaf == 0x15 && regs[ECX] && regs[EBX])
        regs[ECX] = (uint32_t)((m->tsc_hz * regs[EAX] + regs[EBX] / 2) / regs[EBX]);
    if (leaf == 0x16 && regs[EAX])
        regs[EAX] = (uint32_t)(m->tsc_hz / 1000000);
}

static void allocation_leaf_changes(const struct model *m, uint32_t subleaf, uint32_t regs[4])
{
    const struct fault_set *f = &m->faults;

    if (subleaf == 3 && fault_on(f, FAULT_CPUID_MBA_MAX))
        regs[EAX] = (uint32_t)f->value[FAULT_CPUID_MBA_MAX] & 0xFFF;
    if (subleaf == 3 && fault_on(f, FAULT_CPUID_MBA_STEP))
        regs[EAX] -= 3;
    if (subleaf != 1)
        return;
    if (m->realism.value[REALISM_CLASSES])
        regs[EDX] = MODEL_MAX_CLOS - 1;
    if (fault_on(f, FAULT_CPUID_CBM_LENGTH))
        regs[EAX]++;
    if (fault_on(f, FAULT_CPUID_CONTENTION_MAP))
        regs[EBX] = (uint32_t)(BIT(0) << ((regs[EAX] & 0x1F) + 1)) | BIT(0);
    if (fault_on(f, FAULT_CPUID_CONTENTION_FULL))
        regs[EBX] = (uint32_t)low_bits((regs[EAX] & 0x1F) + 1);
    if (fault_on(f, FAULT_CPUID_ALLOC_RESERVED))
        regs[ECX] |= (uint32_t)(BIT(0) << f->value[FAULT_CPUID_ALLOC_RESERVED] % 32);
    if (fault_on(f, FAULT_CPUID_ONE_CLASS))
        regs[EDX] = 0;
    if (fault_on(f, FAULT_CPUID_CLOS_LIMITED))
        regs[EDX] = 3;
    if (fault_on(f, FAULT_CPUID_CLOS_BEYOND))
        regs[EDX] = (uint32_t)f->value[FAULT_CPUID_CLOS_BEYOND] & 0xFFFF;
    if (fault_on(f, FAULT_CPUID_CLOS_ABOVE))
        regs[EDX] += (uint32_t)f->value[FAULT_CPUID_CLOS_ABOVE];
}

static void rdt_leaf_faults(const struct model *m, const struct cpu *c, uint32_t leaf, uint32_t subleaf,
                            uint32_t regs[4])
{
    const struct fault_set *f = &m->faults;

    if (leaf == 0xF && fault_on(f, FAULT_CPUID_BLANK_MONITORING))
        memset(regs, 0, 4 * sizeof regs[0]);
    if (leaf == 0x10) {
        allocation_leaf_changes(m, subleaf, regs);
        rdt_levels_leaf(m, subleaf, regs);
    }
    if (leaf == 0x10 && fault_on(f, FAULT_CPUID_BLANK_ALLOCATION))
        memset(regs, 0, 4 * sizeof regs[0]);
    if (leaf == 0xF && subleaf == 0 && fault_on(f, FAULT_CPUID_DIFFERS_ON_PACKAGE) &&
        c->package == fault_place(f, FAULT_CPUID_DIFFERS_ON_PACKAGE, m->packages))
        regs[EBX] = regs[EBX] / 2;
    if (subleaf >= 2 && fault_on(f, FAULT_CPUID_SUBLEAF_ECHO))
        profile_find(m->profile, leaf, 1, regs);
    if (leaf != 0xF || subleaf != 1)
        return;
    if (m->realism.value[REALISM_L3_RMIDS])
        regs[ECX] = m->rmids - 1;
    if (fault_on(f, FAULT_CPUID_RMID_LIMITS))
        regs[ECX] = regs[ECX] * 2 + 1;
    if (fault_on(f, FAULT_CPUID_RESERVED))
        regs[EDX] |= (uint32_t)(BIT(0) << f->value[FAULT_CPUID_RESERVED] % 32);
    if (fault_on(f, FAULT_CPUID_DIFFERS_ON_PROCESSOR) &&
        (uint32_t)(c - m->cpu) == fault_place(f, FAULT_CPUID_DIFFERS_ON_PROCESSOR, m->cpus))
        regs[ECX] -= 1;
    if (fault_on(f, FAULT_CPUID_DIFFERS_ON_PACKAGE) &&
        c->package == fault_place(f, FAULT_CPUID_DIFFERS_ON_PACKAGE, m->packages))
        regs[ECX] = regs[ECX] / 2;
    if (fault_on(f, FAULT_CPUID_CORE_TYPES) &&
        (uint32_t)(c - m->cpu) == fault_place(f, FAULT_CPUID_CORE_TYPES, m->cpus))
        regs[ECX] = regs[ECX] / 2;
    if (rdt_qm_flag_broken(m))
        regs[EAX] |= (uint32_t)BIT(8);
    if (fault_on(f, FAULT_CPUID_IO_HALF))
        regs[EAX] |= (uint32_t)BIT(9);
    if (fault_on(f, FAULT_CPUID_SCALE_PACKAGE) && c->package == fault_place(f, FAULT_CPUID_SCALE_PACKAGE, m->packages))
        regs[EBX] += regs[EBX] / 2;
    if (fault_on(f, FAULT_CPUID_SCALE_ZERO))
        regs[EBX] = 0;
    if (fault_on(f, FAULT_CPUID_SCALE_ODD))
        regs[EBX] += 1;
    if (fault_on(f, FAULT_CPUID_SCALE_DOUBLED))
        regs[EBX] *= 2;
    if (fault_on(f, FAULT_CPUID_SCALE_HALVED))
        regs[EBX] /= 2;
    if (fault_on(f, FAULT_CPUID_WIDTH))
        regs[EAX] = (regs[EAX] & ~0xFFu) | (f->value[FAULT_CPUID_WIDTH] & 0xFF);
    if (fault_on(f, FAULT_CPUID_EVENT_HIDDEN))
        regs[EDX] &= ~(uint32_t)BIT(2);
    if (fault_on(f, FAULT_CPUID_EVENTS))
        regs[EDX] = f->value[FAULT_CPUID_EVENTS] & 7;
}

static bool has_subleaves(uint32_t leaf)
{
    static const uint32_t leaves[] = { 4,    7,    0xB,  0xD,  0xF,  0x10,        0x12,        0x14,
                                       0x17, 0x18, 0x1D, 0x1F, 0x23, 0x8000001Du, 0x80000020u, 0x80000026u };

    return ANY_OF(i, sizeof leaves / sizeof leaves[0], leaves[i] == leaf);
}

static void leaf7(const struct model *m, uint32_t subleaf, const uint32_t host[4], uint32_t regs[4])
{
    if (subleaf == 0) { /* EAX: sub-leaves */
        if (fault_on(&m->faults, FAULT_CPUID_BITS_CLEAR))
            regs[EBX] &= ~(uint32_t)(LEAF7_EBX_RDT_M | LEAF7_EBX_RDT_A);
        regs[EBX] = limit(regs[EBX], host[EBX], LEAF7_EBX_RDT_M | LEAF7_EBX_RDT_A);
        regs[ECX] &= host[ECX];
        regs[EDX] = limit(regs[EDX], host[EDX], m->profile->rdt ? LEAF7_EDX_CORE_CAPS : 0);
        if (fault_on(&m->faults, FAULT_CPUID_CORE_TYPES))
            regs[EDX] |= (uint32_t)LEAF7_EDX_HYBRID;
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        regs[i] &= host[i];
    if (subleaf == 1 && fault_on(&m->faults, FAULT_CPUID_ASYMMETRIC))
        regs[ECX] |= (uint32_t)LEAF71_ECX_ASYMMETRIC_A;
}

static void basic_leaf(struct model *m, struct cpu *c, uint32_t leaf, uint32_t subleaf, const uint32_t host[4],
                       uint32_t regs[4])
{
    switch (leaf) {
    case 1:
        leaf1(m, c, host, regs);
        break;
    case 4:
        leaf4(m, regs);
        break;
    case 6: /* temperatures and APERF are the model's; power interfaces are the underlying processor's registers */
        regs[EAX] = limit(regs[EAX], host[EAX], LEAF6_EAX_OURS);
        regs[ECX] = limit(regs[ECX], host[ECX], LEAF6_ECX_APERFMPERF);
        break;
    case 7:
        leaf7(m, subleaf, host, regs);
        break;
    case 0xB:
    case 0x1F:
        leafb(m, c, leaf, subleaf, regs);
        break;
    case 0xD:
        leafd(subleaf, host, regs);
        break;
    case 0xF:
    case 0x10:
        rdt_leaf_faults(m, c, leaf, subleaf, regs);
        break;
    case 0xA: /* see model_rdpmc() */
        if (host[EAX] == 0)
            memset(regs, 0, 4 * sizeof regs[0]);
        break;
    case 0x12: /* SGX, processor trace, what leaf 0AH does not say: not where the underlying processor has none */
    case 0x14:
    case 0x23:
        for (uint32_t i = 0; i < 4; i++)
            regs[i] &= host[i];
        break;
    case 0x15:
    case 0x16:
        leaf_rates(m, leaf, regs);
        break;
    default:
        break;
    }
}

static void extended_leaf(const struct model *m, const struct cpu *c, uint32_t leaf, uint32_t subleaf,
                          const uint32_t host[4], uint32_t regs[4])
{
    switch (leaf) {
    case 0x80000001u:
        regs[ECX] = limit(regs[ECX], host[ECX], m->profile->amd ? EXT1_ECX_OURS : 0) & ~(uint32_t)EXT1_ECX_SVM;
        regs[EDX] &= host[EDX];
        break;
    case 0x80000008u: /* address widths: no more than there really are */
        regs[EAX] = least(regs[EAX] & 0xFF, host[EAX] & 0xFF) | least(regs[EAX] & 0xFF00, host[EAX] & 0xFF00);
        regs[EBX] = limit(regs[EBX], host[EBX], EXT8_EBX_MBE);
        if (m->profile->amd) /* threads of the package less 1, bits of an APIC id that number them */
            regs[ECX] = (m->thread_bits + m->core_bits) << 12 | ((m->cores * m->threads - 1) & 0xFF);
        regs[EDX] &= host[EDX];
        break;
    case 0x8000000Au: /* virtualization, its memory encryption, instruction-based sampling */
    case 0x8000001Bu:
    case 0x8000001Fu:
    case 0x80000023u: /* memory encryption, its pages; topics of hypervisors */
    case 0x80000025u:
        memset(regs, 0, 4 * sizeof regs[0]);
        break;
    case 0x8000001Du:
        amd_leaf1d(m, regs);
        break;
    case 0x8000001Eu:
        amd_leaf1e(m, c, regs);
        break;
    case 0x80000021u:
        regs[EAX] = limit(regs[EAX], host[EAX], EXT21_EAX_PREFETCH);
        break;
    case 0x80000022u: /* the second version of performance monitoring; what follows is what it enumerates */
        regs[EAX] &= host[EAX];
        break;
    case 0x80000020u:
        if (subleaf == 0)
            regs[EBX] |= m->amd_features & (uint32_t)AMD_GLOBAL;
        if ((subleaf == 7 || subleaf == 8) && m->amd_features & AMD_GLOBAL)
            profile_find(m->profile, 0x80000020u, 1, regs);
        if (subleaf == 5 && fault_on(&m->faults, FAULT_ABMC_INDEX))
            regs[EBX] /= 2;
        if (subleaf == 1 && fault_on(&m->faults, FAULT_CPUID_LIMIT_LENGTH))
            regs[EAX] = (uint32_t)m->faults.value[FAULT_CPUID_LIMIT_LENGTH];
        if (subleaf == 1 && fault_on(&m->faults, FAULT_CPUID_LIMIT_PACKAGE) &&
            c->package == fault_place(&m->faults, FAULT_CPUID_LIMIT_PACKAGE, m->packages))
            regs[EAX]--;
        if (subleaf == 1 && fault_on(&m->faults, FAULT_CPUID_LIMIT_CLASSES))
            regs[EDX] = (uint32_t)m->faults.value[FAULT_CPUID_LIMIT_CLASSES];
        break;
    case 0x80000026u:
        amd_leaf26(m, c, subleaf, regs);
        break;
    default:
        break;
    }
}

void model_cpuid(struct model *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    struct cpu *c = &m->cpu[cpu];
    uint32_t host[4], basic[4], extended[4];

    memcpy(host, regs, sizeof host);
    profile_find(m->profile, 0, 0, basic);
    profile_find(m->profile, 0x80000000u, 0, extended);
    if ((leaf > basic[EAX] && leaf < 0x80000000u) || leaf > extended[EAX]) {
        memset(regs, 0, sizeof host);
        if (m->profile->amd)
            return;
        leaf = basic[EAX];
    }
    if (!has_subleaves(leaf)) /* they ignore ECX */
        subleaf = 0;
    profile_find(m->profile, leaf, subleaf, regs);
    if (leaf < 0x80000000u)
        basic_leaf(m, c, leaf, subleaf, host, regs);
    else
        extended_leaf(m, c, leaf, subleaf, host, regs);
    if (m->twin)
        twin_cpuid(m->twin, cpu, leaf, subleaf, regs);
}
