/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Cache bandwidth allocation: a level for each class, on every processor. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define CLASSES_A_REGISTER 8u
#define REGISTERS          2u /* IA32_QoS_Core_BW_Thrtl_0 and _1 */

static uint32_t highest_level(const struct check *c)
{
    return (uint32_t)field_get(CPUID_10_5_EAX_LEVELS, reference_rdt(c)->leaf10_5.regs.eax);
}

static uint32_t classes(const struct check *c)
{
    uint32_t n = (reference_rdt(c)->leaf10_5.regs.edx & 0xFFFF) + 1;

    return n < REGISTERS * CLASSES_A_REGISTER ? n : REGISTERS * CLASSES_A_REGISTER;
}

static uint32_t register_of(uint32_t clos)
{
    return IA32_QoS_Core_BW_Thrtl(clos / CLASSES_A_REGISTER);
}

static uint64_t with_level(uint64_t found, uint32_t clos, uint32_t level)
{
    uint32_t shift = clos % CLASSES_A_REGISTER * 8;

    return (found & ~(UINT64_C(0xFF) << shift)) | (uint64_t)level << shift;
}

/* For each class: the greatest level, what it reads as, one more, what it reads as then. And back. */
static uint32_t build_levels(struct sweep *s, uint32_t cpu, struct step *steps)
{
    uint32_t n = 0, top = highest_level(s->check);

    for (uint32_t clos = 0; clos < classes(s->check); clos++) {
        uint64_t found = alloc_found(s->check, cpu, register_of(clos));

        steps[n++] = step_wrmsr(register_of(clos), with_level(found, clos, top));
        steps[n++] = step_rdmsr(register_of(clos));
        steps[n++] = step_wrmsr(register_of(clos), with_level(found, clos, top + 1));
        steps[n++] = step_rdmsr(register_of(clos));
        steps[n++] = step_wrmsr(register_of(clos), found);
    }
    return n;
}

static void judge_levels(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct check *c = s->check;
    uint32_t top = highest_level(c);

    for (uint32_t clos = 0; clos * 5 < n; clos++) {
        const struct step *w = &steps[(size_t)clos * 5];
        bool stored = w[0].status == ST_OK && w[1].status == ST_OK && w[1].value == w[0].value;
        bool refused = w[2].status == ST_FAULT && w[3].value == w[1].value;

        s->compared += 2;
        if (s->compared > 4 && stored && refused)
            continue;
        evidence_wrmsr(c, cpu, w[0].reg, w[0].value, w[0].status, w[0].tsc);
        evidence_msr(c, cpu, w[1].reg, w[1].value, w[1].tsc);
        evidence_wrmsr(c, cpu, w[2].reg, w[2].value, w[2].status, w[2].tsc);
        if (!stored)
            fail(c, "cpu %u, class %u: level %u was written and reads as 0x%llx: %s", cpu, clos, top,
                 (unsigned long long)w[1].value, status_text(w[0].status));
        if (!refused)
            fail(
                c,
                "cpu %u, class %u: level %u is one above the greatest, and was not refused with the register unchanged",
                cpu, clos, top + 1);
    }
}

/* Witness: the rule itself.   Catches: a level that nothing stands for. */
static enum verdict check_levels(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct sweep s = { .check = c,
                       .max_steps = REGISTERS * CLASSES_A_REGISTER * 5,
                       .build = build_levels,
                       .judge = judge_levels,
                       .what = "IA32_QoS_Core_BW_Thrtl" };

    if (!rdt->cba || !rdt->leaf10_5.known)
        return skip(c, "no cache bandwidth allocation is enumerated (CPUID.10H.0:EBX[5] = 0)");
    evidence_cpuid(c, c->machine->reference, 0x10, 5, &rdt->leaf10_5.regs);
    if (highest_level(c) == 0xFF)
        return skip(c, "the greatest level fills its byte: one more cannot be written");
    for (uint32_t clos = 0; clos < classes(c); clos += CLASSES_A_REGISTER)
        if (!alloc_touch(c, register_of(clos)))
            return check_verdict(c);
    if (sweep_processors(&s) != ST_OK)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_QoS_Core_BW_Thrtl");
    evidence_swept(c, "levels written and read back", s.compared);
    return check_verdict(c);
}

static const struct check_row rows[] = {
    { .id = "cba.limit",
      .title = "Every class stores the greatest level, and refuses one more",
      .spec = "RDT Architecture Specification 356688 3.2.5.3 IA32_QoS_Core_BW_Thrtl_n",
      .rows = "MA-09",
      .detects = "a limit that is not enforced, a stuck bit of a level",
      .means = "a level of cache bandwidth allocation is stored or refused otherwise than documented",
      .next = "the value and the processor in the finding; whether every processor does it",
      .needs = NEED_RDT_A_BIT,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 360,
      .run = check_levels },
};
CHECK_FAMILY(cba, rows);
