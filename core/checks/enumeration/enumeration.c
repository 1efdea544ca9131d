/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What CPUID says about monitoring and allocation, held against itself and against the other processors. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/legacy.h"
#include "core/base/text.h"

#define SDM_0F "SDM vol. 2A CPUID, leaf 0FH: Intel Resource Director Technology Monitoring Enumeration"
#define SDM_10 "SDM vol. 2A CPUID, leaf 10H: Intel Resource Director Technology Allocation Enumeration"
#define ALL    BITS(31, 0)
#define SDM_17                                                                                                         \
    "SDM vol. 3B 17.16.3 Enumeration and Detecting Support of Cache Monitoring Technology and Memory Bandwidth "       \
    "Monitoring"

/* Witness: leaf 7 against leaf 0FH.   Catches: the feature bit over blank leaves, as under some hypervisors. */
static enum verdict check_monitoring_leaf(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;

    evidence_leaf(c, cpu, 7, 0, &rdt->leaf7);
    evidence_leaf(c, cpu, 0xF, 0, &rdt->leaf0f[0]);
    if (!rdt->leaf0f_known)
        return warn(c, "CPUID.7.0:EBX[12] is set, but leaf 0FH is beyond the maximum leaf 0x%x", c->machine->max_leaf);
    if (!(rdt->leaf0f[0].regs.edx & CPUID_F_0_EDX_L3))
        warn(c, "CPUID.7.0:EBX[12] is set, but 0FH.0:EDX is 0x%x: L3 monitoring (bit 1) is not there",
             rdt->leaf0f[0].regs.edx);
    if (rdt->leaf0f[0].regs.ebx < 1)
        warn(c, "CPUID.7.0:EBX[12] is set, but the highest RMID in 0FH.0:EBX is 0");
    return check_verdict(c);
}

static enum verdict check_allocation_leaf(struct check *c)
{
    const uint64_t known = ALL & ~CPUID_10_0_EBX_RESERVED;
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;

    evidence_leaf(c, cpu, 7, 0, &rdt->leaf7);
    evidence_leaf(c, cpu, 0x10, 0, &rdt->leaf10[0]);
    if (!rdt->leaf10_known)
        return warn(c, "CPUID.7.0:EBX[15] is set, but leaf 10H is beyond the maximum leaf 0x%x", c->machine->max_leaf);
    if (!(rdt->leaf10[0].regs.ebx & known))
        warn(c, "CPUID.7.0:EBX[15] is set, but 10H.0:EBX is 0x%x: no known resource", rdt->leaf10[0].regs.ebx);
    return check_verdict(c);
}

static enum verdict check_rmid_range(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;
    uint32_t any = rdt->leaf0f[0].regs.ebx, l3 = rdt->leaf0f[1].regs.ecx;

    evidence_leaf(c, cpu, 0xF, 0, &rdt->leaf0f[0]);
    evidence_leaf(c, cpu, 0xF, 1, &rdt->leaf0f[1]);
    if (!rdt->leaf0f[1].known)
        return skip(c, "0FH.0:EDX[1] promises sub-leaf 1, which is not known");
    measure(c, "highest RMID of any resource", "0FH.0:EBX", any, "", -NO_BOUND, NO_BOUND);
    if (any < 1 || l3 < 1) /* legal, and of no use: EN-01 grades the same as a WARN */
        warn(c, "highest RMID %u (0FH.0:EBX) and %u (0FH.1:ECX): with RMID 0 alone nothing can be told apart", any, l3);
    if (!measure(c, "highest RMID of L3 monitoring", "0FH.1:ECX", l3, "", -NO_BOUND, any))
        return fail(c, "0FH.1:ECX says RMIDs to %u, 0FH.0:EBX only to %u", l3, any);
    if (l3 != any) /* equal on every part that was ever dumped, but the architecture does not ask for it */
        warn(c, "0FH.1:ECX says RMIDs to %u, 0FH.0:EBX to %u", l3, any);
    return check_verdict(c);
}

/* Bits of each register that the documents reserve, by leaf. */
static const struct reserved_bits {
    uint32_t leaf, subleaf;
    uint64_t eax, ebx, ecx, edx;
} reserved_bits[] = {
    { 0xF, 0, ALL, 0, ALL, CPUID_F_0_EDX_RESERVED },
    { 0xF, 1, CPUID_F_1_EAX_RESERVED, 0, 0, CPUID_F_1_EDX_RESERVED },
    { 0x10, 0, ALL, CPUID_10_0_EBX_RESERVED, ALL, ALL },
    { 0x10, 1, ALL & ~CPUID_10_CAT_EAX_CBM_LEN, 0, CPUID_10_1_ECX_RESERVED, ALL & ~CPUID_10_EDX_MAX_CLOS },
    { 0x10, 2, ALL & ~CPUID_10_CAT_EAX_CBM_LEN, 0, CPUID_10_2_ECX_RESERVED, ALL & ~CPUID_10_EDX_MAX_CLOS },
    { 0x10, 3, ALL & ~CPUID_10_3_EAX_MAX_DELAY, ALL, CPUID_10_3_ECX_RESERVED, ALL & ~CPUID_10_EDX_MAX_CLOS },
};
#define N_RESERVED (sizeof reserved_bits / sizeof reserved_bits[0])

/* The sub-leaf, if this processor enumerates the resource that it describes. */
static const struct rdt_leaf *leaf_of(const struct rdt_info *rdt, const struct reserved_bits *r)
{
    const struct rdt_leaf *l = r->leaf == 0xF ? &rdt->leaf0f[r->subleaf] : &rdt->leaf10[r->subleaf];
    bool there = r->leaf == 0xF ? rdt->monitoring && (r->subleaf == 0 || rdt->l3_monitoring)
                                : rdt->allocation &&
                                      (r->subleaf == 0 || (r->subleaf == 1 && rdt->l3.present) ||
                                       (r->subleaf == 2 && rdt->l2.present) || (r->subleaf == 3 && rdt->mba.present));

    return there && l->known ? l : NULL;
}

static void reserved_register(struct check *c, const struct reserved_bits *r, const char *name, uint32_t value,
                              uint64_t reserved)
{
    if (value & reserved)
        fail(c, "CPUID.(0x%x,%u):%s is 0x%x: reserved bits 0x%x are set", r->leaf, r->subleaf, name, value,
             (uint32_t)(value & reserved));
}

static enum verdict check_reserved(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t seen = 0;

    for (uint32_t i = 0; i < N_RESERVED; i++) {
        const struct reserved_bits *r = &reserved_bits[i];
        const struct rdt_leaf *l = leaf_of(rdt, r);

        if (l == NULL)
            continue;
        seen++;
        evidence_cpuid(c, c->machine->reference, r->leaf, r->subleaf, &l->regs);
        reserved_register(c, r, "EAX", l->regs.eax, r->eax);
        reserved_register(c, r, "EBX", l->regs.ebx, r->ebx);
        reserved_register(c, r, "ECX", l->regs.ecx, r->ecx);
        reserved_register(c, r, "EDX", l->regs.edx, r->edx);
    }
    return seen ? check_verdict(c) : skip(c, "neither monitoring nor allocation is enumerated");
}

#define RESOURCES 8u /* ResIDs 1 to 6 are defined, and one more */

/* Sub-leaves of `leaf` whose bit in `present` is clear, asked here and now: nobody keeps what is not there. */
static bool absent_in(struct check *c, uint32_t leaf, uint32_t present)
{
    uint32_t cpu = c->machine->reference;

    for (uint32_t resource = 1; resource < RESOURCES; resource++) {
        struct cpuid_regs regs;
        enum status st;

        if (present & BIT(resource))
            continue;
        st = cpu_cpuid(c->platform, cpu, leaf, resource, &regs);
        if (st == ST_ABSENT && check_verdict(c) == VERDICT_PASS)
            skip(c, "CPUID.(0x%x,%u) is not known", leaf, resource);
        else if (st != ST_OK)
            cannot_measure(c, st, cpu, "CPUID");
        if (st != ST_OK)
            return false;
        evidence_cpuid(c, cpu, leaf, resource, &regs);
        if (regs.eax | regs.ebx | regs.ecx | regs.edx)
            warn(c, "CPUID.(0x%x,%u) is %08x %08x %08x %08x, and sub-leaf 0 (0x%x) has no such resource", leaf,
                 resource, regs.eax, regs.ebx, regs.ecx, regs.edx, present);
    }
    return true;
}

/* EN-10: a sub-leaf whose resource is not there reads zero. No edition says so in one place, all parts do it. */
static enum verdict check_absent_resources(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    bool monitoring = rdt->monitoring && rdt->leaf0f_known, allocation = rdt->allocation && rdt->leaf10_known;

    if (!monitoring && !allocation)
        return skip(c, "neither monitoring nor allocation is enumerated");
    if (monitoring && !absent_in(c, 0xF, rdt->leaf0f[0].regs.edx))
        return check_verdict(c);
    if (allocation)
        absent_in(c, 0x10, rdt->leaf10[0].regs.ebx);
    return check_verdict(c);
}

static bool same(const struct rdt_leaf *a, const struct rdt_leaf *b)
{
    if (a->known != b->known)
        return false;
    return !a->known || (a->regs.eax == b->regs.eax && a->regs.ebx == b->regs.ebx && a->regs.ecx == b->regs.ecx &&
                         a->regs.edx == b->regs.edx);
}

static void differs(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct rdt_leaf *expected,
                    const struct rdt_leaf *got)
{
    char name[80];

    machine_cpu_name(c->machine, cpu, name, sizeof name);
    evidence_leaf(c, c->machine->reference, leaf, subleaf, expected);
    evidence_leaf(c, cpu, leaf, subleaf, got);
    if (expected->known && got->known)
        fail(c, "%s: CPUID.(0x%x,%u) is %08x %08x %08x %08x, on cpu %u it is %08x %08x %08x %08x", name, leaf, subleaf,
             got->regs.eax, got->regs.ebx, got->regs.ecx, got->regs.edx, c->machine->reference, expected->regs.eax,
             expected->regs.ebx, expected->regs.ecx, expected->regs.edx);
    else
        fail(c, "%s: CPUID.(0x%x,%u) is %s, unlike on cpu %u", name, leaf, subleaf, got->known ? "there" : "missing",
             c->machine->reference);
}

/* Leaves 0FH and 10H of one processor against the reference; returns how many were compared. */
static uint32_t compare_leaves(struct check *c, uint32_t cpu)
{
    const struct rdt_info *a = reference_rdt(c), *b = &c->machine->cpus[cpu].rdt;
    uint32_t n = 0;

    if (a->monitoring != b->monitoring || a->allocation != b->allocation)
        differs(c, cpu, 7, 0, &a->leaf7, &b->leaf7);
    for (uint32_t i = 0; i < 2; i++, n++)
        if (!same(&a->leaf0f[i], &b->leaf0f[i]))
            differs(c, cpu, 0xF, i, &a->leaf0f[i], &b->leaf0f[i]);
    for (uint32_t i = 0; i < 4; i++, n++)
        if (!same(&a->leaf10[i], &b->leaf10[i]))
            differs(c, cpu, 0x10, i, &a->leaf10[i], &b->leaf10[i]);
    return n;
}

static bool anybody_has_rdt(const struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (c->machine->cpus[i].rdt.monitoring || c->machine->cpus[i].rdt.allocation)
            return true;
    return false;
}

/* Cores of two types may differ (EN-21); machine_enumerate() has held each type against its own first processor. */
static enum verdict within_core_types(struct check *c)
{
    const struct machine *m = c->machine;

    for (uint32_t i = 0; i < m->n_disagreements && i < MAX_DISAGREEMENTS; i++) {
        const struct disagreement *d = &m->disagreements[i];

        if (d->msr || (d->leaf != 7 && d->leaf != 0xF && d->leaf != 0x10))
            continue;
        evidence_cpuid(c, d->cpu, d->leaf, d->subleaf, &d->got);
        fail(c, "cpu %u: CPUID.(0x%x,%u) is not as on the first processor of its core type", d->cpu, d->leaf,
             d->subleaf);
    }
    evidence_swept(c, "processors compared with the first of their core type", m->n_cpus);
    return check_verdict(c);
}

/* Witness: the other processors.   Catches: a core with other microcode or fuses. */
static enum verdict check_every_processor(struct check *c)
{
    uint64_t compared = 0;

    if (!anybody_has_rdt(c))
        return skip(c, "no processor enumerates monitoring or allocation");
    if (reference_rdt(c)->leaf7.regs.edx & CPUID_7_EDX_HYBRID)
        return within_core_types(c);
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        if (i == c->machine->reference || !(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (c->machine->cpus[i].enumerated != ST_OK) {
            cannot_measure(c, c->machine->cpus[i].enumerated, i, "CPUID");
            continue;
        }
        if (c->machine->cpus[i].id.signature != c->machine->cpus[c->machine->reference].id.signature)
            note(c, "cpu %u has signature 0x%x, cpu %u 0x%x", i, c->machine->cpus[i].id.signature,
                 c->machine->reference, c->machine->cpus[c->machine->reference].id.signature);
        compared += compare_leaves(c, i);
    }
    evidence_swept(c, "sub-leaves of CPUID 0FH and 10H compared with the reference processor", compared);
    return check_verdict(c);
}

/* Witness: the L3's own size. Every part that was ever dumped has an L3 that is a whole multiple of the factor. */
static enum verdict check_upscaling(struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        const struct l3_domain *d = &c->machine->domains[i];
        char where[32];
        double units;

        domain_name(i, where);
        evidence_leaf(c, d->cpu, 0xF, 1, &c->machine->cpus[d->cpu].rdt.leaf0f[1]);
        if (d->upscaling_factor == 0 || d->upscaling_factor % 64)
            warn(c, "%s: upscaling factor %u is not a multiple of a 64-byte line", where, d->upscaling_factor);
        if (d->upscaling_factor == 0)
            continue;
        units = (double)d->l3_bytes / d->upscaling_factor;
        if (!measure(c, "L3 size over upscaling factor", where, units, "counts", 64 /* a way is at least 32 */,
                     NO_BOUND))
            warn(c, "%s: the whole L3 is fewer than 64 counts", where);
        if (d->l3_bytes % d->upscaling_factor)
            warn(c, "%s: L3 of %llu bytes is no whole multiple of the upscaling factor %u", where,
                 (unsigned long long)d->l3_bytes, d->upscaling_factor);
    }
    return c->machine->n_domains ? check_verdict(c) : skip(c, "no L3 is enumerated");
}

static enum verdict check_way_size(struct check *c)
{
    if (!is_intel(c))
        return skip(c, "the ratio is known for Intel parts only");
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        const struct l3_domain *d = &c->machine->domains[i];
        uint64_t way = d->l3_ways ? d->l3_bytes / d->l3_ways : 0;
        char where[32];
        double ratio;

        domain_name(i, where);
        if (way == 0 || d->upscaling_factor == 0) {
            warn(c, "%s: %u ways, upscaling factor %u: no ratio", where, d->l3_ways, d->upscaling_factor);
            continue;
        }
        ratio = (double)way / d->upscaling_factor;
        if (!measure(c, "way size over upscaling factor", where, ratio, "counts", 32, 128) ||
            (ratio > 32 && ratio < 64) || (ratio > 64 && ratio < 128))
            warn(c, "%s: a way of %llu bytes over upscaling factor %u is none of 32, 64, 128", where,
                 (unsigned long long)way, d->upscaling_factor);
    }
    return c->machine->n_domains ? check_verdict(c) : skip(c, "no L3 is enumerated");
}

#define WIDTH_MAX 62 /* IA32_QM_CTR has a Data field of 62 bits */

static enum verdict check_width(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    enum cpu_vendor vendor = c->machine->cpus[c->machine->reference].id.vendor;
    bool usual = vendor == VENDOR_INTEL ? rdt->width_field == 0 || rdt->width_field == 8
                                        : rdt->width_field == 0 || rdt->width_field == 20;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    if (!measure(c, "bandwidth counter width", "0FH.1:EAX[7:0]", rdt->counter_width, "bits", 24, WIDTH_MAX))
        return fail(c, "24 + 0FH.1:EAX[7:0] is %u bits, more than IA32_QM_CTR.Data holds", rdt->counter_width);
    if (!usual)
        warn(c, "24 + 0FH.1:EAX[7:0] (%u) is a width that no known part of this vendor has", rdt->width_field);
    return check_verdict(c);
}

#define MODEL_HSX 0x3Fu

static enum verdict check_events(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;
    bool hsx = id->vendor == VENDOR_INTEL && id->family == 6 && id->model == MODEL_HSX;
    uint32_t events = rdt->leaf0f[1].regs.edx;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    if (!rdt->leaf0f[1].known || (events & ~CPUID_F_1_EDX_RESERVED) == 0)
        return warn(c, "0FH.1:EDX advertises no event");
    if (rdt->local && !rdt->total)
        warn(c, "0FH.1:EDX is 0x%x: local bandwidth without total bandwidth", events);
    if (!rdt->local && !rdt->total && !hsx)
        warn(c, "0FH.1:EDX is 0x%x: occupancy alone, as only E5 v3 parts have it", events);
    return check_verdict(c);
}

/* One processor with other microcode may behave otherwise, whatever its CPUID says. */
static enum verdict check_microcode(struct check *c)
{
    const struct cpu *reference = &c->machine->cpus[c->machine->reference];
    uint64_t compared = 0;

    if (reference->microcode_status == ST_FAULT || reference->microcode_status == ST_ABSENT)
        return skip(c, "IA32_BIOS_SIGN_ID cannot be read on the reference processor: %s",
                    status_text(reference->microcode_status));
    if (reference->microcode_status != ST_OK)
        return cannot_measure(c, reference->microcode_status, c->machine->reference, "IA32_BIOS_SIGN_ID");
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        const struct cpu *cpu = &c->machine->cpus[i];
        char name[80];

        if (!(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (cpu->microcode_status == ST_FAULT) {
            warn(c, "cpu %u raises #GP at IA32_BIOS_SIGN_ID, which cpu %u can read", i, c->machine->reference);
            continue;
        }
        if (cpu->microcode_status != ST_OK) {
            cannot_measure(c, cpu->microcode_status, i, "IA32_BIOS_SIGN_ID");
            continue;
        }
        compared++;
        if (cpu->microcode == reference->microcode || cpu->id.signature != reference->id.signature)
            continue;
        machine_cpu_name(c->machine, i, name, sizeof name);
        warn(c, "%s has microcode 0x%llx, cpu %u has 0x%llx", name, (unsigned long long)cpu->microcode,
             c->machine->reference, (unsigned long long)reference->microcode);
    }
    evidence_swept(c, "microcode revisions compared with the reference processor", compared);
    return check_verdict(c);
}

#define MEANS_USUAL "a field of CPUID contradicts the specification or another field"
#define NEXT_USUAL                                                                                                     \
    "the leaf in the evidence against the SDM's table; the same leaf on the other processors; microcode and "          \
    "hypervisor"

static const struct check_row rows[] = {
    { .id = "enum.monitoring-leaf",
      .title = "The monitoring bit stands for a filled leaf 0FH",
      .spec = SDM_17,
      .rows = "EN-01",
      .detects = "the feature bit advertised over blank leaves",
      .means = "CPUID advertises what is not there",
      .next = "whether this is a virtual machine; fuses; firmware's switch for RDT",
      .needs = NEED_RDT_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_monitoring_leaf },
    { .id = "enum.allocation-leaf",
      .title = "The allocation bit stands for a filled leaf 10H",
      .spec = SDM_10,
      .rows = "EN-02",
      .detects = "the feature bit advertised over blank leaves",
      .means = "CPUID advertises what is not there",
      .next = "whether this is a virtual machine; fuses; firmware's switch for RDT",
      .needs = NEED_RDT_A_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES | RESTS_ON_CLASSES,
      .order = 200,
      .run = check_allocation_leaf },
    { .id = "enum.rmid-range",
      .title = "L3 monitoring has no more RMIDs than the processor",
      .spec = SDM_0F,
      .rows = "EN-03",
      .detects = "RMID limits swapped or off by one",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_rmid_range },
    { .id = "enum.reserved",
      .title = "Reserved fields of leaves 0FH and 10H are zero",
      .spec = SDM_0F "; " SDM_10,
      .rows = "EN-04",
      .detects = "garbage in reserved fields",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_reserved },
    { .id = "enum.absent-resources",
      .title = "Sub-leaves of resources that are not there read zero",
      .spec = SDM_0F "; " SDM_10,
      .rows = "EN-10",
      .detects = "a sub-leaf that repeats the one before it",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_absent_resources },
    { .id = "enum.every-processor",
      .title = "Every processor enumerates the same monitoring and allocation",
      .spec = "RDT Architecture Specification 356688 2.4.1 CPUID enumeration",
      .rows = "EN-05 XC-01",
      .detects = "mixed microcode or fusing between cores",
      .means = "processors of one machine enumerate different things: no driver is ready for that",
      .next = "`enum.microcode`; the leaf and the processor in the finding; whether all packages are one stepping",
      .needs = NEED_2_CPUS,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_every_processor },
    { .id = "enum.upscaling",
      .title = "The L3 is a whole number of counts",
      .spec = SDM_0F,
      .rows = "EN-06",
      .detects = "wrong upscaling factor fused",
      .means = "counts cannot be what the factor says they are, so every figure in bytes is off",
      .next = "`cmt.fill` and `mbm.total`: do they miss by the same factor; sub-NUMA clustering",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_upscaling },
    { .id = "enum.way-size",
      .title = "A way of the L3 is 32, 64 or 128 counts",
      .spec = SDM_0F,
      .rows = "EN-07",
      .detects = "upscaling factor halved or doubled, as by half-configured clustering",
      .means = "counts cannot be what the factor says they are, so every figure in bytes is off",
      .next = "`cmt.fill` and `mbm.total`: do they miss by the same factor; sub-NUMA clustering",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_way_size },
    { .id = "enum.width",
      .title = "The bandwidth counter fits IA32_QM_CTR and has a known width",
      .spec = "RDT Architecture Specification 356688, CPUID.(EAX=0FH,ECX=1):EAX[7:0]",
      .rows = "EN-08",
      .detects = "wrong width field",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_width },
    { .id = "enum.events",
      .title = "The event map makes sense",
      .spec = SDM_0F,
      .rows = "EN-09",
      .detects = "wrong event map",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_events },
    { .id = "enum.microcode",
      .title = "Every processor of one signature runs the same microcode",
      .spec = "SDM vol. 3A 9.11.6 Microcode Update Loader, update in a multi-processor system",
      .rows = "EN-05 XC-01",
      .detects = "a processor that missed its microcode update",
      .means = "a processor runs another microcode than the rest",
      .next = "firmware's microcode loader; the processor's package",
      .needs = NEED_2_CPUS,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 200,
      .run = check_microcode },
};
CHECK_FAMILY(enumeration, rows);
