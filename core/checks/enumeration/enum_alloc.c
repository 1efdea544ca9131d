/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CPUID leaf 10H and what goes with it: CBM lengths, CLOS, MBA, CDP, I/O devices, and leaves 27H and 28H. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/domain/domains.h"

#define SDM_10 "SDM vol. 2A CPUID, leaf 10H: Intel Resource Director Technology Allocation Enumeration"

/* --- EN-11, EN-12: capacity bitmasks ------------------------------------------------------------------------------ */

static void judge_shareable_bits(struct check *c, uint32_t subleaf, const struct rdt_cat *cat)
{
    uint32_t all = (uint32_t)low_bits(cat->cbm_len);

    if (cat->shareable & ~all)
        finding(c, FINDING_EXPECTED, 0, FOUND_RESERVED_BITS, PLACE_NONE,
                "CPUID.(EAX=10H,ECX=%u):EBX is 0x%x: bits 0x%x lie outside the CBM of %u bits", subleaf, cat->shareable,
                cat->shareable & ~all, cat->cbm_len);
    else if (cat->shareable == all) /* a hint, which may be of every way: no CLOS has ways that it alone fills */
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "CPUID.(EAX=10H,ECX=%u):EBX is 0x%x: every bit of the CBM is shared with other agents", subleaf,
                cat->shareable);
}

static enum status check_cbm(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    if (!rdt->l3.known && !rdt->l2.known)
        return check_absent(c, "no cache allocation is enumerated");
    if (rdt->l3.known) {
        evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
        judge_shareable_bits(c, 1, &rdt->l3);
        for (uint32_t i = 0; i < c->machine->n_domains && i < 1; i++)
            if (!check_measure(c, "L3 CBM length", place_of("10H.1:EAX + 1"), rdt->l3.cbm_len, "bits",
                               c->machine->domains[i].l3_ways, c->machine->domains[i].l3_ways))
                finding(c, FINDING_UNUSUAL, 0, FOUND_CBM_LENGTH_OFF, PLACE_NONE,
                        "the L3 CBM has %u bits, the L3 %u ways: equal on every known part", rdt->l3.cbm_len,
                        c->machine->domains[i].l3_ways);
    }
    if (rdt->l2.known) {
        evidence_leaf(c, c->machine->reference, 0x10, 2, &rdt->leaf10[2]);
        judge_shareable_bits(c, 2, &rdt->l2);
        check_measure(c, "L2 CBM length", place_of("10H.2:EAX + 1"), rdt->l2.cbm_len, "bits", 1, 32);
    }
    return ST_OK;
}

/* --- EN-13: CLOS -------------------------------------------------------------------------------------------------- */

static void judge_max_clos(struct check *c, uint32_t subleaf, bool known, uint32_t classes, uint32_t most)
{
    if (!known)
        return;
    evidence_leaf(c, c->machine->reference, 0x10, subleaf, &reference_rdt(c)->leaf10[subleaf]);
    if (check_measure(c, "maximum CLOS", place_of("10H.%u:EDX", subleaf), classes - 1.0, "", 1, most))
        return;
    if (classes == 1) /* legal, and of no use, as a maximum RMID of 0 */
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "CPUID.(EAX=10H,ECX=%u):EDX has a maximum CLOS of 0: one CLOS separates nothing", subleaf);
    else
        finding(c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "CPUID.(EAX=10H,ECX=%u):EDX has a maximum CLOS of %u; there are registers up to CLOS %u", subleaf,
                classes - 1, most);
}

static enum status check_max_clos(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    if (!rdt->l3.known && !rdt->l2.known && !rdt->mba.known)
        return check_absent(c, "no resource with CLOS is enumerated");
    judge_max_clos(c, 1, rdt->l3.known, rdt->l3.clos, IA32_L3_MASK_LAST - IA32_L3_MASK(0));
    judge_max_clos(c, 2, rdt->l2.known, rdt->l2.clos, IA32_L2_MASK_LAST - IA32_L2_MASK(0));
    judge_max_clos(c, 3, rdt->mba.known, rdt->mba.clos, IA32_L3_MASK_LAST - IA32_L3_MASK(0));
    return ST_OK;
}

/* --- EN-14: MBA --------------------------------------------------------------------------------------------------- */

static enum status check_mba_maximum(struct check *c)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;

    if (!mba->known)
        return check_absent(c, "CPUID.(EAX=10H,ECX=3) cannot be read");
    evidence_leaf(c, c->machine->reference, 0x10, 3, &reference_rdt(c)->leaf10[3]);
    if (!check_measure(c, "maximum MBA delay value", place_of("10H.3:EAX + 1"), mba->max_delay, "", 1, 100)) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "the maximum MBA delay value is %u; 1 to 100 are defined", mba->max_delay);
        return ST_OK;
    }
    if (mba->linear && (mba->max_delay == 100 || mba->max_delay % (100 - mba->max_delay)))
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "MBA delay values are linear to %u, which is not a multiple of the step %u", mba->max_delay,
                100 - mba->max_delay);
    return ST_OK;
}

/* --- EN-16: leaves 27H and 28H ------------------------------------------------------------------------------------ */

static enum status check_asymmetric(struct check *c)
{
    static const uint32_t leaves[2] = { 0x27, 0x28 };
    uint32_t cpu = c->machine->reference;
    struct cpuid_regs gate = { 0 }, regs;
    bool filled = false;

    if (!reference_is_intel(c) || reference_rdt(c)->leaf7.regs.eax < 1)
        return check_absent(c, "CPUID leaf 7 has no sub-leaf 1");
    TRY_MEASURE(c, cpu_cpuid(c->platform, cpu, 7, 1, &gate), cpu, "CPUID");
    evidence_cpuid(c, cpu, 7, 1, &gate);
    for (uint32_t i = 0; i < 2; i++) {
        bool enumerated = gate.ecx & BIT(i);

        if (leaves[i] > c->machine->max_leaf) {
            if (enumerated)
                finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                        "CPUID.(EAX=7,ECX=1):ECX[%u] is set, but leaf 0x%x is beyond the maximum leaf", i, leaves[i]);
            continue;
        }
        TRY_MEASURE(c, cpu_cpuid(c->platform, cpu, leaves[i], 0, &regs), cpu, "CPUID");
        evidence_cpuid(c, cpu, leaves[i], 0, &regs);
        filled |= enumerated;
        if (!enumerated && (regs.eax | regs.ebx | regs.ecx | regs.edx))
            finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                    "CPUID.(EAX=0x%x,ECX=0) is %08x %08x %08x %08x, but CPUID.(EAX=7,ECX=1):ECX[%u] is clear",
                    leaves[i], regs.eax, regs.ebx, regs.ecx, regs.edx, i);
    }
    return filled && check_verdict(c) == VERDICT_PASS
               ? check_absent(c, "what the leaves hold that CPUID.(EAX=7,ECX=1):ECX[1:0] announces is not compared")
               : ST_OK;
}

/* --- EN-19: I/O devices ------------------------------------------------------------------------------------------- */

/* The register exists if and only if CPUID enumerates monitoring or allocation for I/O devices. */
static enum status check_io_rdt(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;
    bool enumerated = rdt->non_cpu_cmt || rdt->non_cpu_mbm || (rdt->l3.known && rdt->l3.non_cpu);
    bool irdt = c->machine->acpi.irdt;
    uint64_t value = 0;
    enum status st;

    if (!reference_is_intel(c))
        return check_absent(c, "RDT for I/O devices exists on Intel parts only");
    st = msr_read(c->platform, cpu, IA32_L3_IO_QOS_CFG, &value);
    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    evidence_swept(c, "RDMSR IA32_L3_IO_QOS_CFG", 1);
    if (st != ST_OK && st != ST_FAULT)
        return check_unmeasured(c, st, cpu, "IA32_L3_IO_QOS_CFG");
    if (st == ST_OK)
        evidence_msr(c, cpu, IA32_L3_IO_QOS_CFG, value, 0);
    if (enumerated && st == ST_FAULT)
        finding(c, FINDING_UNUSUAL, 0, FOUND_REGISTER_MISSING, PLACE_NONE,
                "CPUID enumerates RDT for I/O devices, but RDMSR IA32_L3_IO_QOS_CFG raises #GP");
    if (!enumerated && st == ST_OK)
        finding(c, FINDING_UNUSUAL, 0, FOUND_REGISTER_NOT_ENUMERATED, PLACE_NONE,
                "IA32_L3_IO_QOS_CFG exists, but CPUID does not enumerate RDT for I/O devices");
    if (!enumerated && irdt)
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                "ACPI has an IRDT, but CPUID does not enumerate RDT for I/O devices");
    if (enumerated && !irdt)
        check_note(c, "CPUID enumerates RDT for I/O devices, but ACPI has no IRDT");
    return ST_OK;
}

/* --- EN-15: IA32_L3_QOS_CFG --------------------------------------------------------------------------------------- */

static enum status check_cdp_register(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;
    uint64_t value = 0;
    enum status st = msr_read(c->platform, cpu, IA32_L3_QOS_CFG, &value);

    if (!rdt->leaf10[1].known)
        return check_absent(c, "CPUID.(EAX=10H,ECX=1) is not available");
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    if (st != ST_OK && st != ST_FAULT)
        return check_unmeasured(c, st, cpu, "IA32_L3_QOS_CFG");
    if (st == ST_FAULT && msr_read(c->platform, cpu, IA32_PQR_ASSOC, &value) == ST_FAULT)
        return check_absent(c, "cpu %u: RDMSR IA32_PQR_ASSOC raises #GP as well: no RDT register can be read", cpu);
    if (st == ST_OK)
        evidence_msr(c, cpu, IA32_L3_QOS_CFG, value, 0);
    if (rdt->l3.cdp && st == ST_FAULT)
        finding(c, FINDING_EXPECTED, 0, FOUND_REGISTER_MISSING, PLACE_NONE,
                "CPUID.(EAX=10H,ECX=1):ECX[2] enumerates CDP, but RDMSR IA32_L3_QOS_CFG raises #GP");
    if (!rdt->l3.cdp && st == ST_OK)
        check_note(c, "IA32_L3_QOS_CFG exists (0x%lx), but CPUID.(EAX=10H,ECX=1):ECX[2] does not enumerate CDP", value);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "enum.masks",
      .title = "CBM length equals the number of ways; shareable bits lie inside",
      .spec = SDM_10,
      .covers = "EN-11 EN-12",
      .detects = "a CBM length not encoded less one, a shifted bitmap of shareable bits",
      .needs = NEED_RDT_A_BIT,
      .run = check_cbm },
    { .id = "enum.classes",
      .title = "Every resource has two or more CLOS, and a register for each",
      .spec = SDM_10,
      .covers = "EN-13",
      .detects = "a wrong number of CLOS",
      .needs = NEED_RDT_A_BIT,
      .run = check_max_clos },
    { .id = "enum.throttle",
      .title = "The maximum MBA delay value is at most 100 and a multiple of its step",
      .spec = SDM_10 "; Xen PSR documentation (steps)",
      .covers = "EN-14",
      .detects = "a wrong maximum delay value",
      .needs = NEED_MBA,
      .grade = GRADE_W,
      .run = check_mba_maximum },
    { .id = "enum.cdp-register",
      .title = "CDP is enumerated only with IA32_L3_QOS_CFG",
      .spec = "SDM vol. 3B 17.17.4 Code and Data Prioritization (CDP): Enumerating and Enabling L3 CDP Technology",
      .covers = "EN-15",
      .detects = "CDP without its register",
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .run = check_cdp_register },
    { .id = "enum.asymmetric",
      .title = "Leaves 27H and 28H are zero unless CPUID.(7,1):ECX[1:0] is set",
      .spec = "SDM vol. 2A CPUID, leaf 07H sub-leaf 1: ECX[1:0]",
      .covers = "EN-16",
      .detects = "a leaf that is filled and not announced",
      .grade = GRADE_W,
      .run = check_asymmetric },
    { .id = "enum.devices",
      .title = "CPUID, IA32_L3_IO_QOS_CFG and IRDT agree on RDT for I/O devices",
      .spec = "RDT Architecture Specification 356688, IA32_L3_IO_QOS_CFG; 5 ACPI",
      .covers = "EN-19 AC-13",
      .detects = "RDT for I/O devices enabled in part",
      .needs = NEED_RDT_BIT,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .run = check_io_rdt },
};
CHECK_FAMILY(enum_alloc, rows, CPUID_FAMILY, .order = 210);
