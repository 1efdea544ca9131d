/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CPUID Fn8000_0020 of AMD: lengths and counts that its registers hold, and agreement with leaves 0FH and 10H. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/domain/domains.h"

#define APM_20   "APM vol. 3 E.4 Function 8000_0020; vol. 2 19.3.3, 19.4.4 AMD Bandwidth Enforcement"
#define RESERVED BITS(31, 0)

static void reserved(struct check *c, uint32_t subleaf, const char *name, uint32_t value, uint64_t bits)
{
    if (value & bits)
        finding(c, FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, PLACE_NONE,
                "CPUID Fn8000_0020_%s_x%u is 0x%x: reserved bits 0x%x are set", name, subleaf, value,
                (uint32_t)(value & bits));
}

/* Fn8000_0008_EBX[BE] announces L3BE, L3SMBE and SDCIAE. */
static enum status judge_features(struct check *c, const struct rdt_info *rdt)
{
    const uint32_t enforced =
        (uint32_t)(CPUID_8000_0020_0_EBX_L3BE | CPUID_8000_0020_0_EBX_L3SMBE | CPUID_8000_0020_0_EBX_SDCIAE);
    const struct cpuid_regs *x0 = &rdt->leaf8000_0020[0].regs;
    uint32_t cpu = c->machine->reference;
    struct cpuid_regs sizes = { 0 };

    TRY_MEASURE(c, cpu_cpuid(c->platform, cpu, 0x80000008u, 0, &sizes), cpu, "CPUID");
    evidence_cpuid(c, cpu, 0x80000008u, 0, &sizes);
    evidence_cpuid(c, cpu, 0x80000020u, 0, x0);
    if ((x0->ebx & enforced) && !(sizes.ebx & CPUID_8000_0008_EBX_BE))
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID Fn8000_0020_EBX_x0 is 0x%x, but Fn8000_0008_EBX[6] (bandwidth enforcement) is clear", x0->ebx);
    reserved(c, 0, "EAX", x0->eax, RESERVED);
    reserved(c, 0, "EBX", x0->ebx, CPUID_8000_0020_0_EBX_RESERVED);
    reserved(c, 0, "ECX", x0->ecx, RESERVED);
    reserved(c, 0, "EDX", x0->edx, RESERVED);
    return ST_OK;
}

/* L3BE and L3SMBE, GLBE and GLSBE: a limit of BW_LEN bits and U are in one register, a class has the COS number of
 * L3_MASK_n, and the run of addresses has 128. EBX and ECX of the latter have a unit (AMD 69193), and are not judged. */
static void judge_bandwidth(struct check *c, const struct rdt_info *rdt, uint32_t subleaf,
                            const struct rdt_bandwidth *b)
{
    const struct rdt_leaf *l = &rdt->leaf8000_0020[subleaf];
    bool fits;

    if (!b->present || !l->known)
        return;
    evidence_leaf(c, c->machine->reference, 0x80000020u, subleaf, l);
    if (!check_measure(c, "BW_LEN", place_of("Fn8000_0020_x%u EAX", subleaf), l->regs.eax, "bits", 1, BW_LEN_MOST))
        finding(c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "CPUID Fn8000_0020_EAX_x%u has a bandwidth limit of %u bits; 1 to %u are possible", subleaf,
                l->regs.eax, BW_LEN_MOST);
    fits = check_measure(c, "COS_MAX", place_of("Fn8000_0020_x%u EDX", subleaf), l->regs.edx, "", 1, BW_CLOS_MOST - 1);
    if (!fits && l->regs.edx == 0) /* legal, and of no use, as one CLOS of leaf 10H */
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "CPUID Fn8000_0020_EDX_x%u has a maximum COS of 0: one COS separates nothing", subleaf);
    else if (!fits)
        finding(c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "CPUID Fn8000_0020_EDX_x%u has a maximum COS of %u; there are registers up to COS %u", subleaf,
                l->regs.edx, BW_CLOS_MOST - 1);
    else if (rdt->l3.known && l->regs.edx + 1 != rdt->l3.clos)
        finding(c, FINDING_UNUSUAL, 0, FOUND_CLOS_COUNT_OFF, PLACE_NONE,
                "CPUID Fn8000_0020_EDX_x%u has a maximum COS of %u, 10H.1:EDX one of %u: equal on every known part",
                subleaf, l->regs.edx, rdt->l3.clos - 1);
    if (subleaf > 2)
        return;
    reserved(c, subleaf, "EBX", l->regs.ebx, RESERVED);
    reserved(c, subleaf, "ECX", l->regs.ecx, RESERVED);
}

/* BMEC and ABMC: two events, which leaf 0FH calls total and local, and types of transactions for them. */
static void judge_event_types(struct check *c, const struct rdt_info *rdt)
{
    const struct rdt_leaf *l = &rdt->leaf8000_0020[3];
    uint32_t events = (uint32_t)field_get(CPUID_8000_0020_3_EBX_EVT_NUM, l->regs.ebx);

    if (!(rdt->qosx_ebx & (CPUID_8000_0020_0_EBX_BMEC | CPUID_8000_0020_0_EBX_ABMC)) || !l->known)
        return;
    evidence_leaf(c, c->machine->reference, 0x80000020u, 3, l);
    if ((rdt->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC) &&
        !check_measure(c, "EVT_NUM", place_of("Fn8000_0020_x3 EBX[7:0]"), events, "", rdt->total + rdt->local,
                       NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID Fn8000_0020_EBX_x3 has %u configurable events, 0FH.1:EDX is 0x%x: total and local have one each",
                events, rdt->leaf0f[1].regs.edx);
    if (rdt->bw_types == 0)
        finding(c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "CPUID Fn8000_0020_ECX_x3 is 0x%x: no transaction type that can be counted", l->regs.ecx);
    reserved(c, 3, "ECX", l->regs.ecx, RESERVED & ~QOS_EVT_CFG_BW_TYPES);
    reserved(c, 3, "EBX", l->regs.ebx, RESERVED & ~CPUID_8000_0020_3_EBX_EVT_NUM);
}

static void judge_counters(struct check *c, const struct rdt_info *rdt)
{
    const uint64_t highest = field_get(L3_QOS_ABMC_CFG_CTR_ID, L3_QOS_ABMC_CFG_CTR_ID);
    const struct rdt_leaf *l = &rdt->leaf8000_0020[5];
    uint64_t width = 24 + field_get(CPUID_8000_0020_5_EAX_WIDTH, l->regs.eax);
    uint64_t last = field_get(CPUID_8000_0020_5_EBX_MAX_ABMC, l->regs.ebx);

    if (!(rdt->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC) || !l->known)
        return;
    evidence_leaf(c, c->machine->reference, 0x80000020u, 5, l);
    if (!check_measure(c, "width of assignable counters", place_of("Fn8000_0020_x5 EAX[7:0] + 24"), (double)width,
                       "bits", 24, QM_WIDTH_MOST))
        finding(
            c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
            "assignable counters have %lu bits (24 + Fn8000_0020_EAX_x5[7:0]), more than the %u of IA32_QM_CTR.Data",
            width, QM_WIDTH_MOST);
    if (!check_measure(c, "highest assignable counter", place_of("Fn8000_0020_x5 EBX[15:0]"), (double)last, "", 1,
                       (double)highest))
        finding(c, last == 0 ? FINDING_UNUSUAL : FINDING_EXPECTED, 0,
                last == 0 ? FOUND_UNUSUAL_VALUE : FOUND_OUT_OF_RANGE, PLACE_NONE,
                "CPUID Fn8000_0020_EBX_x5 is 0x%x: two events need two counters, and L3_QOS_ABMC_CFG.CtrID has room "
                "for counters 0 to %lu",
                l->regs.ebx, highest);
    reserved(c, 5, "EAX", l->regs.eax, RESERVED & ~(CPUID_8000_0020_5_EAX_WIDTH | CPUID_8000_0020_5_EAX_OVERFLOW));
    reserved(c, 5, "EBX", l->regs.ebx, RESERVED & ~CPUID_8000_0020_5_EBX_MAX_ABMC);
    reserved(c, 5, "ECX", l->regs.ecx, RESERVED & ~CPUID_8000_0020_5_ECX_COS);
}

/* Witness: the registers that the fields are of, and leaves 0FH and 10H. Silicon faults: those of row EN-22. */
static enum status check_amd_qos(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    TRY(judge_features(c, rdt));
    judge_bandwidth(c, rdt, 1, &rdt->l3be);
    judge_bandwidth(c, rdt, 2, &rdt->l3smbe);
    judge_bandwidth(c, rdt, 7, &rdt->glbe);
    judge_bandwidth(c, rdt, 8, &rdt->glsbe);
    judge_event_types(c, rdt);
    judge_counters(c, rdt);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "enum.amd-qos",
      .title = "Leaf 80000020H has lengths and counts that its registers hold",
      .spec = APM_20,
      .covers = "EN-22",
      .detects = "a length of the bandwidth limits, a number of COS or counters, or a set of transaction types that no "
                 "register holds",
      .run = check_amd_qos },
};
CHECK_FAMILY(enum_amd, rows, CPUID_FAMILY, .order = 210, .needs = NEED_AMD_QOS);
