/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Cache Bandwidth Allocation (CBA): a throttle level for each class of service, in MSRs of each processor. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/alloc.h"
#include "core/platform/script.h"

#define CLASSES_A_REGISTER 8u
#define REGISTERS          2u /* IA32_QoS_Core_BW_Thrtl_0 and _1 */

static uint32_t cba_max_level(const struct check *c)
{
    return (uint32_t)field_get(CPUID_10_5_EAX_LEVELS, reference_rdt(c)->leaf10_5.regs.eax);
}

static uint32_t cba_classes(const struct check *c)
{
    uint32_t n = (reference_rdt(c)->leaf10_5.regs.edx & 0xFFFF) + 1;

    return n < REGISTERS * CLASSES_A_REGISTER ? n : REGISTERS * CLASSES_A_REGISTER;
}

static uint32_t cba_register(uint32_t clos)
{
    return IA32_QoS_Core_BW_Thrtl(clos / CLASSES_A_REGISTER);
}

static uint64_t cba_with_level(uint64_t found, uint32_t clos, uint32_t level)
{
    uint32_t shift = clos % CLASSES_A_REGISTER * 8;

    return (found & ~(UINT64_C(0xFF) << shift)) | (uint64_t)level << shift;
}

/* For each class: write the maximum level, read it; write one more, read it; put the register back. */
static uint32_t build_cba_levels(struct sweep *s, uint32_t cpu, struct step *steps)
{
    uint32_t n = 0, top = cba_max_level(s->check);

    for (uint32_t clos = 0; clos < cba_classes(s->check); clos++) {
        uint64_t found = alloc_found(s->check, cpu, cba_register(clos));

        steps[n++] = step_wrmsr(cba_register(clos), cba_with_level(found, clos, top));
        steps[n++] = step_rdmsr(cba_register(clos));
        steps[n++] = step_wrmsr(cba_register(clos), cba_with_level(found, clos, top + 1));
        steps[n++] = step_rdmsr(cba_register(clos));
        steps[n++] = step_wrmsr(cba_register(clos), found);
    }
    return n;
}

static void judge_cba_levels(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct check *c = s->check;
    uint32_t top = cba_max_level(c);

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
            finding(c, FINDING_EXPECTED, 0, w[0].status == ST_OK ? FOUND_NOT_STORED : FOUND_LEGAL_REFUSED,
                    place_cpu(cpu), "WRMSR 0x%x with level %u of CLOS %u: %s; it then reads 0x%lx", w[0].reg, top, clos,
                    status_text(w[0].status), w[1].value);
        if (!refused)
            finding(c, FINDING_EXPECTED, 0, w[2].status == ST_OK ? FOUND_ILLEGAL_ACCEPTED : FOUND_REFUSED_WRITE_CHANGED,
                    place_cpu(cpu),
                    "WRMSR 0x%x with level %u of CLOS %u, one above the maximum: no #GP, or the register changed",
                    w[2].reg, top + 1, clos);
    }
}

static enum status cba_levels(struct check *c)
{
    struct sweep s;

    for (uint32_t clos = 0; clos < cba_classes(c); clos += CLASSES_A_REGISTER)
        TRY(alloc_record(c, cba_register(clos)));
    TRY(sweep_run(&s, c, REGISTERS * CLASSES_A_REGISTER * 5, build_cba_levels, judge_cba_levels,
                  "IA32_QoS_Core_BW_Thrtl", NULL));
    evidence_swept(c, "CBA levels written and read back", s.compared);
    return ST_OK;
}

static enum status check_cba_levels(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    if (!rdt->cba || !rdt->leaf10_5.known)
        return check_absent(c, "CBA is not enumerated (CPUID.10H.0:EBX[5] = 0)");
    evidence_cpuid(c, c->machine->reference, 0x10, 5, &rdt->leaf10_5.regs);
    if (cba_max_level(c) == 0xFF)
        return check_absent(c, "the maximum level fills its 8-bit field: one more cannot be written");
    return cba_levels(c);
}

static const struct check_row rows[] = {
    { .id = "cba.limit",
      .title = "Every CLOS stores the maximum CBA level and refuses one more",
      .spec = "RDT Architecture Specification 356688 3.2.5.3 IA32_QoS_Core_BW_Thrtl_n",
      .covers = "MA-09",
      .detects = "a limit that is not enforced, a stuck bit of a level",
      .means = "IA32_QoS_Core_BW_Thrtl_n stores or refuses a level otherwise than documented",
      .next = "10H.5:EAX (maximum level) in the evidence; CLOS, value and processor in the finding; whether all "
              "processors do it",
      .run = check_cba_levels },
};
CHECK_FAMILY(cba, rows, .needs = NEED_RDT_A_BIT, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS, .order = 360);
