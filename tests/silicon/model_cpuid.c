/* tests/silicon/model_cpuid.c: CPUID as the recorded part answers it.
 *
 * Three things are not as recorded. Topology is computed from the configuration, in the recording's layout. Features
 * that a program could use as instructions are shown only where the underlying processor has them as well (the AND of
 * both), so that nothing is offered that would fault or do nothing; the two RDT bits are the model's own. And what only
 * the underlying processor knows (OSXSAVE, the size of its present XSAVE area) comes from there.
 *
 * Leaves beyond the basic maximum, the hypervisor range among them, answer as Intel parts do: with the data of the
 * highest basic leaf (SDM vol. 2A, CPUID, "INPUT EAX"). There is no hypervisor to be seen.
 */
#include "tests/silicon/model_internal.h"

#include <string.h>

enum { EAX, EBX, ECX, EDX };

#define LEAF1_ECX_OSXSAVE BIT(27)
#define LEAF1_EDX_HTT     BIT(28)
#define LEAF7_EBX_RDT_M   BIT(12)
#define LEAF7_EBX_RDT_A   BIT(15)
#define LEAF7_EBX_PT      BIT(25)

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void leaf1(struct model *m, struct cpu *c, const uint32_t host[4], uint32_t regs[4])
{
    uint32_t siblings = 1u << (m->thread_bits + m->core_bits);

    regs[EBX] = c->apic_id << 24 | (siblings > 255 ? 255 : siblings) << 16 | (regs[EBX] & 0xFF00);
    regs[ECX] &= host[ECX] | (uint32_t)LEAF1_ECX_OSXSAVE;
    regs[ECX] = (regs[ECX] & ~(uint32_t)LEAF1_ECX_OSXSAVE) | (host[ECX] & (uint32_t)LEAF1_ECX_OSXSAVE);
    regs[EDX] &= host[EDX] & ~(uint32_t)LEAF1_EDX_HTT;
    if (m->cores * m->threads > 1)
        regs[EDX] |= (uint32_t)LEAF1_EDX_HTT;
    /* CPUID(1) loads the microcode revision into IA32_BIOS_SIGN_ID: SDM vol. 3A 9.11.7.1. */
    c->sign_id = (uint64_t)m->profile->microcode << 32;
    if (fault_on(&m->faults, FAULT_MICROCODE_DIFFERS) &&
        c->package == fault_place(&m->faults, FAULT_MICROCODE_DIFFERS, m->packages))
        c->sign_id -= UINT64_C(1) << 32;
}

/* EAX[25:14]: ids that share the cache, less 1; EAX[31:26]: core ids of the package, less 1. */
static void leaf4(const struct model *m, uint32_t regs[4])
{
    uint32_t level = regs[EAX] >> 5 & 7;
    uint32_t sharing = level == 3 ? 1u << (m->thread_bits + m->core_bits) : 1u << m->thread_bits;

    if ((regs[EAX] & 0x1F) == 0)
        return;
    regs[EAX] = (regs[EAX] & 0x3FFF) | (sharing - 1) << 14 | (least(1u << m->core_bits, 64) - 1) << 26;
}

static void leafb(const struct model *m, const struct cpu *c, uint32_t subleaf, uint32_t regs[4])
{
    memset(regs, 0, 4 * sizeof regs[0]);
    if (subleaf == 0) {
        regs[EAX] = m->thread_bits;
        regs[EBX] = m->threads;
        regs[ECX] = 1 << 8;
    } else if (subleaf == 1) {
        regs[EAX] = m->thread_bits + m->core_bits;
        regs[EBX] = m->threads * m->cores;
        regs[ECX] = 2 << 8;
    }
    regs[ECX] |= subleaf & 0xFF;
    regs[EDX] = c->apic_id;
}

static void leafd(uint32_t subleaf, const uint32_t host[4], uint32_t regs[4])
{
    if (subleaf == 0) {
        regs[EAX] &= host[EAX];
        regs[EBX] = least(regs[EBX], host[EBX]);
        regs[ECX] = least(regs[ECX], host[ECX]);
    } else if (subleaf == 1) {
        regs[EAX] &= host[EAX];
    } else if ((host[EAX] | host[EBX] | host[ECX] | host[EDX]) == 0) {
        memset(regs, 0, 4 * sizeof regs[0]);
    }
}

static void rdt_leaf_faults(const struct model *m, const struct cpu *c, uint32_t leaf, uint32_t subleaf,
                            uint32_t regs[4])
{
    const struct fault_set *f = &m->faults;

    if (leaf == 0xF && fault_on(f, FAULT_CPUID_BLANK_MONITORING))
        memset(regs, 0, 4 * sizeof regs[0]);
    if (leaf == 0x10 && fault_on(f, FAULT_CPUID_BLANK_ALLOCATION))
        memset(regs, 0, 4 * sizeof regs[0]);
    if (leaf == 0xF && subleaf == 0 && fault_on(f, FAULT_CPUID_PACKAGE) &&
        c->package == fault_place(f, FAULT_CPUID_PACKAGE, m->packages))
        regs[EBX] = regs[EBX] / 2;
    if (subleaf >= 2 && fault_on(f, FAULT_CPUID_ECHO))
        profile_find(m->profile, leaf, 1, regs);
    if (leaf != 0xF || subleaf != 1)
        return;
    if (fault_on(f, FAULT_CPUID_RMID_LIMITS))
        regs[ECX] = regs[ECX] * 2 + 1;
    if (fault_on(f, FAULT_CPUID_RESERVED))
        regs[EDX] |= (uint32_t)(BIT(0) << f->value[FAULT_CPUID_RESERVED] % 32);
    if (fault_on(f, FAULT_CPUID_PROCESSOR) && (uint32_t)(c - m->cpu) == fault_place(f, FAULT_CPUID_PROCESSOR, m->cpus))
        regs[ECX] -= 1;
    if (fault_on(f, FAULT_CPUID_PACKAGE) && c->package == fault_place(f, FAULT_CPUID_PACKAGE, m->packages))
        regs[ECX] = regs[ECX] / 2;
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
    if (fault_on(f, FAULT_CPUID_EVENTS))
        regs[EDX] = f->value[FAULT_CPUID_EVENTS] & 7;
}

void model_cpuid(struct model *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    struct cpu *c = &m->cpu[cpu];
    uint32_t host[4], top[4], max_basic;

    memcpy(host, regs, sizeof host);
    profile_find(m->profile, 0, 0, top);
    max_basic = top[EAX];
    if ((leaf > max_basic && leaf < 0x80000000u) || leaf > 0x80000008u)
        leaf = max_basic;
    /* Leaves without sub-leaves ignore ECX. */
    if (leaf != 4 && leaf != 7 && leaf != 0xB && leaf != 0xD && leaf != 0xF && leaf != 0x10 && leaf != 0x14)
        subleaf = 0;
    profile_find(m->profile, leaf, subleaf, regs);

    switch (leaf) {
    case 1:
        leaf1(m, c, host, regs);
        break;
    case 4:
        leaf4(m, regs);
        break;
    case 6: /* thermal and power interfaces are registers that the underlying processor would have to have */
        regs[EAX] &= host[EAX];
        regs[ECX] &= host[ECX];
        break;
    case 7:
        if (subleaf == 0) {
            regs[EBX] &= host[EBX] | (uint32_t)(LEAF7_EBX_RDT_M | LEAF7_EBX_RDT_A);
            regs[ECX] &= host[ECX];
            regs[EDX] &= host[EDX];
        }
        break;
    case 0xA: /* no core PMU where the underlying processor has none */
        if (host[EAX] == 0)
            memset(regs, 0, 4 * sizeof regs[0]);
        break;
    case 0xB:
        leafb(m, c, subleaf, regs);
        break;
    case 0xD:
        leafd(subleaf, host, regs);
        break;
    case 0xF:
    case 0x10:
        rdt_leaf_faults(m, c, leaf, subleaf, regs);
        break;
    case 0x80000001u:
        regs[ECX] &= host[ECX];
        regs[EDX] &= host[EDX];
        break;
    case 0x80000008u: /* address widths: no more than there really are */
        regs[EAX] = least(regs[EAX] & 0xFF, host[EAX] & 0xFF) | least(regs[EAX] & 0xFF00, host[EAX] & 0xFF00);
        break;
    default:
        break;
    }
}
