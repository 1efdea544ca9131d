/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CPUID leaves 0FH and 10H of the reference processor: consistent with leaf 7, with the L3 and with each other. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/domain/domains.h"

#define SDM_0F "SDM vol. 2A CPUID, leaf 0FH: Intel Resource Director Technology Monitoring Enumeration"
#define SDM_10 "SDM vol. 2A CPUID, leaf 10H: Intel Resource Director Technology Allocation Enumeration"
#define ALL    BITS(31, 0)
#define SDM_17                                                                                                         \
    "SDM vol. 3B 17.16.3 Enumeration and Detecting Support of Cache Monitoring Technology and Memory Bandwidth "       \
    "Monitoring"

/* Witness: leaf 7 against leaf 0FH.   Detects: the feature bit over blank leaves, as under some hypervisors. */
static enum status check_monitoring_leaf(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;

    evidence_leaf(c, cpu, 7, 0, &rdt->leaf7);
    evidence_leaf(c, cpu, 0xF, 0, &rdt->leaf0f[0]);
    if (!rdt->leaf0f_known) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID.7.0:EBX[12] is set, but leaf 0FH is beyond the maximum leaf 0x%x", c->machine->max_leaf);
        return ST_OK;
    }
    if (!(rdt->leaf0f[0].regs.edx & CPUID_F_0_EDX_L3))
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID.7.0:EBX[12] is set, but 0FH.0:EDX is 0x%x: L3 monitoring (bit 1) is not enumerated",
                rdt->leaf0f[0].regs.edx);
    if (rdt->leaf0f[0].regs.ebx < 1)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID.7.0:EBX[12] is set, but the maximum RMID in 0FH.0:EBX is 0");
    return ST_OK;
}

static enum status check_allocation_leaf(struct check *c)
{
    const uint64_t known = ALL & ~CPUID_10_0_EBX_RESERVED;
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;

    evidence_leaf(c, cpu, 7, 0, &rdt->leaf7);
    evidence_leaf(c, cpu, 0x10, 0, &rdt->leaf10[0]);
    if (!rdt->leaf10_known) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID.7.0:EBX[15] is set, but leaf 10H is beyond the maximum leaf 0x%x", c->machine->max_leaf);
        return ST_OK;
    }
    if (!(rdt->leaf10[0].regs.ebx & known))
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID.7.0:EBX[15] is set, but 10H.0:EBX is 0x%x: no known resource", rdt->leaf10[0].regs.ebx);
    return ST_OK;
}

static enum status check_rmid_range(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;
    uint32_t any = rdt->leaf0f[0].regs.ebx, l3 = rdt->leaf0f[1].regs.ecx;

    evidence_leaf(c, cpu, 0xF, 0, &rdt->leaf0f[0]);
    evidence_leaf(c, cpu, 0xF, 1, &rdt->leaf0f[1]);
    if (!rdt->leaf0f[1].known)
        return check_absent(c, "0FH.0:EDX[1] is set, but sub-leaf 1 is not available");
    check_show(c, "maximum RMID of all resources", place_of("0FH.0:EBX"), any, "");
    if (any < 1 || l3 < 1) /* legal, and of no use: EN-01 grades the same as a WARN */
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "maximum RMID %u (0FH.0:EBX) and %u (0FH.1:ECX): RMID 0 alone distinguishes nothing", any, l3);
    if (!check_measure(c, "maximum RMID of L3 monitoring", place_of("0FH.1:ECX"), l3, "", -NO_BOUND, any)) {
        finding(c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "maximum RMID is %u in 0FH.1:ECX, above %u in 0FH.0:EBX", l3, any);
        return ST_OK;
    }
    if (l3 > RMID_MOST)
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "maximum RMID is %u in 0FH.1:ECX; no known part has more than 4095, and those above %u are not asked",
                l3, RMID_MOST);
    if (l3 != any) /* equal on every recorded part, but not required by the architecture */
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "maximum RMID is %u in 0FH.1:ECX and %u in 0FH.0:EBX", l3, any);
    return ST_OK;
}

/* Reserved bits of each register, by leaf. */
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
static const struct rdt_leaf *enumerated_leaf(const struct rdt_info *rdt, const struct reserved_bits *r)
{
    const struct rdt_leaf *l = r->leaf == 0xF ? &rdt->leaf0f[r->subleaf] : &rdt->leaf10[r->subleaf];
    bool present = r->leaf == 0xF ? rdt->monitoring && (r->subleaf == 0 || rdt->l3_monitoring)
                                  : rdt->allocation &&
                                        (r->subleaf == 0 || (r->subleaf == 1 && rdt->l3.present) ||
                                         (r->subleaf == 2 && rdt->l2.present) || (r->subleaf == 3 && rdt->mba.present));

    return present && l->known ? l : NULL;
}

/* Bits that were reserved here have got meanings four times: on a part that no table knows they may have again. */
static void judge_reserved_bits(struct check *c, const struct reserved_bits *r, const char *name, uint32_t value,
                                uint64_t reserved)
{
    bool known = cpuid_generation(&c->machine->cpus[c->machine->reference].id) != NULL;

    if (value & reserved)
        finding(c, known ? FINDING_EXPECTED : FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, PLACE_NONE,
                "CPUID.(EAX=0x%x,ECX=%u):%s is 0x%x: reserved bits 0x%x are set", r->leaf, r->subleaf, name, value,
                (uint32_t)(value & reserved));
}

static enum status check_cpuid_reserved(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t seen = 0;

    EACH(const struct reserved_bits, r, reserved_bits, N_RESERVED) {
        const struct rdt_leaf *l = enumerated_leaf(rdt, r);

        if (l == NULL)
            continue;
        seen++;
        evidence_cpuid(c, c->machine->reference, r->leaf, r->subleaf, &l->regs);
        judge_reserved_bits(c, r, "EAX", l->regs.eax, r->eax);
        judge_reserved_bits(c, r, "EBX", l->regs.ebx, r->ebx);
        judge_reserved_bits(c, r, "ECX", l->regs.ecx, r->ecx);
        judge_reserved_bits(c, r, "EDX", l->regs.edx, r->edx);
    }
    return seen ? ST_OK : check_absent(c, "neither monitoring nor allocation is enumerated");
}

#define RESOURCES 8u /* ResIDs 1 to 6 are defined, and one more */

/* Sub-leaves of `leaf` whose bit in `present` is clear; read here, since the machine keeps only enumerated ones. */
static enum status judge_absent_in(struct check *c, uint32_t leaf, uint32_t present)
{
    uint32_t cpu = c->machine->reference;

    for (uint32_t resource = 1; resource < RESOURCES; resource++) {
        struct cpuid_regs regs;
        enum status st;

        if (present & BIT(resource))
            continue;
        st = cpu_cpuid(c->platform, cpu, leaf, resource, &regs);
        if (st == ST_ABSENT)
            return check_absent(c, "CPUID.(EAX=0x%x,ECX=%u) is not available", leaf, resource);
        if (st != ST_OK)
            return check_unmeasured(c, st, cpu, "CPUID");
        evidence_cpuid(c, cpu, leaf, resource, &regs);
        if (regs.eax | regs.ebx | regs.ecx | regs.edx)
            finding(
                c, FINDING_UNUSUAL, 0, FOUND_LEAVES_CONTRADICT, PLACE_NONE,
                "CPUID.(EAX=0x%x,ECX=%u) is %08x %08x %08x %08x, but sub-leaf 0 (0x%x) does not enumerate the resource",
                leaf, resource, regs.eax, regs.ebx, regs.ecx, regs.edx, present);
    }
    return ST_OK;
}

/* EN-10: a sub-leaf whose resource is not enumerated reads zero. The SDM does not state it in one place, all
 * recorded parts do it. */
static enum status check_absent_resources(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    bool monitoring = rdt->monitoring && rdt->leaf0f_known, allocation = rdt->allocation && rdt->leaf10_known;

    if (!monitoring && !allocation)
        return check_absent(c, "neither monitoring nor allocation is enumerated");
    if (monitoring)
        TRY(judge_absent_in(c, 0xF, rdt->leaf0f[0].regs.edx));
    if (allocation)
        TRY(judge_absent_in(c, 0x10, rdt->leaf10[0].regs.ebx));
    return ST_OK;
}

/* Witness: the size of the L3. On every recorded part it is a multiple of the upscaling factor. */
static enum status check_upscaling(struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        const struct l3_domain *d = &c->machine->domains[i];
        double units;

        evidence_leaf(c, d->cpu, 0xF, 1, &c->machine->cpus[d->cpu].rdt.leaf0f[1]);
        if (d->upscaling_factor == 0 || d->upscaling_factor % 64)
            finding(c, FINDING_UNUSUAL, 0, FOUND_UPSCALING_FACTOR_OFF, place_domain(i),
                    "upscaling factor %u bytes is not a multiple of a 64-byte line", d->upscaling_factor);
        if (d->upscaling_factor == 0)
            continue;
        units = (double)l3_whole_bytes(d) / d->upscaling_factor;
        if (!check_measure(c, "L3 size over upscaling factor", place_domain(i), units, "counts",
                           64 /* a way is at least 32 */, NO_BOUND))
            finding(c, FINDING_UNUSUAL, 0, FOUND_UPSCALING_FACTOR_OFF, place_domain(i),
                    "the whole L3 is fewer than 64 counts");
        if (l3_whole_bytes(d) % d->upscaling_factor)
            finding(c, FINDING_UNUSUAL, 0, FOUND_UPSCALING_FACTOR_OFF, place_domain(i),
                    "L3 size %lu bytes is not a multiple of the upscaling factor %u bytes", l3_whole_bytes(d),
                    d->upscaling_factor);
    }
    return c->machine->n_domains ? ST_OK : check_absent(c, "no L3 is enumerated");
}

static enum status check_way_size(struct check *c)
{
    if (!reference_is_intel(c))
        return check_absent(c, "the ratio is known for Intel parts only");
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        const struct l3_domain *d = &c->machine->domains[i];
        uint64_t way = d->l3_ways ? l3_whole_bytes(d) / d->l3_ways : 0;
        double ratio;

        if (way == 0 || d->upscaling_factor == 0) {
            finding(c, FINDING_UNUSUAL, 0, FOUND_UPSCALING_FACTOR_OFF, place_domain(i),
                    "%u ways, upscaling factor %u bytes: no ratio", d->l3_ways, d->upscaling_factor);
            continue;
        }
        ratio = (double)way / d->upscaling_factor;
        if (!check_measure(c, "way size over upscaling factor", place_domain(i), ratio, "counts", 32, 128) ||
            (ratio > 32 && ratio < 64) || (ratio > 64 && ratio < 128))
            finding(c, FINDING_UNUSUAL, 0, FOUND_UPSCALING_FACTOR_OFF, place_domain(i),
                    "way size %lu bytes over upscaling factor %u bytes is not 32, 64 or 128", way, d->upscaling_factor);
    }
    return c->machine->n_domains ? ST_OK : check_absent(c, "no L3 is enumerated");
}

static enum status check_width(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    enum cpu_vendor vendor = c->machine->cpus[c->machine->reference].id.vendor;
    bool usual = vendor == VENDOR_INTEL ? rdt->width_field == 0 || rdt->width_field == 8
                                        : rdt->width_field == 0 || rdt->width_field == 20;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    if (!check_measure(c, "MBM counter width", place_of("0FH.1:EAX[7:0]"), rdt->counter_width, "bits", 24,
                       QM_WIDTH_MOST)) {
        finding(c, FINDING_EXPECTED, 0, FOUND_OUT_OF_RANGE, PLACE_NONE,
                "MBM counter width is %u bits (24 + 0FH.1:EAX[7:0]), more than the 62 bits of IA32_QM_CTR.Data",
                rdt->counter_width);
        return ST_OK;
    }
    if (!usual)
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "MBM counter width is 24 + %u bits (0FH.1:EAX[7:0]); no known part of this vendor has it",
                rdt->width_field);
    return ST_OK;
}

#define MODEL_HSX 0x3Fu

static enum status check_events(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;
    bool hsx = id->vendor == VENDOR_INTEL && id->family == 6 && id->model == MODEL_HSX;
    uint32_t events = rdt->leaf0f[1].regs.edx;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    if (!rdt->leaf0f[1].known || (events & ~CPUID_F_1_EDX_RESERVED) == 0) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_ENUMERATED, PLACE_NONE, "0FH.1:EDX advertises no event");
        return ST_OK;
    }
    if (rdt->local && !rdt->total)
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "0FH.1:EDX is 0x%x: MBM local without MBM total", events);
    if (!rdt->local && !rdt->total && !hsx)
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, PLACE_NONE,
                "0FH.1:EDX is 0x%x: occupancy without MBM, known of E5 v3 only", events);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "enum.monitoring-leaf",
      .weak = true,
      .title = "CPUID.7:EBX[12] implies a valid leaf 0FH",
      .spec = SDM_17,
      .covers = "EN-01",
      .means = "CPUID has the feature bit of RDT and no valid leaf that it announces",
      .next = "hypervisor; fuses; firmware setting for RDT",
      .needs = NEED_RDT_BIT,
      .grade = GRADE_W,
      .run = check_monitoring_leaf },
    { .id = "enum.allocation-leaf",
      .weak = true,
      .title = "CPUID.7:EBX[15] implies a valid leaf 10H",
      .spec = SDM_10,
      .covers = "EN-02",
      .means = "CPUID has the feature bit of RDT and no valid leaf that it announces",
      .next = "hypervisor; fuses; firmware setting for RDT",
      .needs = NEED_RDT_A_BIT,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_CLASSES,
      .run = check_allocation_leaf },
    { .id = "enum.rmid-range",
      .title = "The maximum RMID of the L3 is within that of the processor",
      .spec = SDM_0F,
      .covers = "EN-03",
      .detects = "maximum RMIDs swapped or off by one",
      .needs = NEED_RDT_M,
      .run = check_rmid_range },
    { .id = "enum.reserved",
      .title = "Reserved fields of leaves 0FH and 10H are zero",
      .spec = SDM_0F "; " SDM_10,
      .covers = "EN-04",
      .detects = "reserved bits that are set",
      .run = check_cpuid_reserved },
    { .id = "enum.absent-resources",
      .title = "Sub-leaves of resources that are not enumerated read zero",
      .spec = SDM_0F "; " SDM_10,
      .covers = "EN-10",
      .detects = "a sub-leaf that repeats another",
      .grade = GRADE_W,
      .run = check_absent_resources },
    { .id = "enum.upscaling",
      .title = "L3 size is a multiple of the upscaling factor",
      .spec = SDM_0F,
      .covers = "EN-06",
      .detects = "a wrong upscaling factor",
      .means = "the upscaling factor is wrong, and with it every figure in bytes",
      .next = "whether `cmt.fill` and `mbm.total` are off by the same factor; sub-NUMA clustering (SNC)",
      .needs = NEED_OCCUPANCY,
      .grade = GRADE_W,
      .run = check_upscaling },
    { .id = "enum.way-size",
      .weak = true,
      .title = "L3 way size over upscaling factor is 32, 64 or 128",
      .spec = SDM_0F,
      .covers = "EN-07",
      .detects = "upscaling factor halved or doubled, as by incomplete SNC configuration",
      .means = "the upscaling factor is wrong, and with it every figure in bytes",
      .next = "whether `cmt.fill` and `mbm.total` are off by the same factor; sub-NUMA clustering (SNC)",
      .needs = NEED_OCCUPANCY,
      .grade = GRADE_W,
      .run = check_way_size },
    { .id = "enum.width",
      .title = "MBM counter width fits IA32_QM_CTR and is a known one",
      .spec = "RDT Architecture Specification 356688, CPUID.(EAX=0FH,ECX=1):EAX[7:0]",
      .covers = "EN-08",
      .detects = "a wrong counter width",
      .needs = NEED_TOTAL,
      .run = check_width },
    { .id = "enum.events",
      .title = "Advertised events are a known combination",
      .spec = SDM_0F,
      .covers = "EN-09",
      .detects = "a wrong event bitmap",
      .needs = NEED_RDT_M,
      .grade = GRADE_W,
      .run = check_events },
};
CHECK_FAMILY(enumeration, rows, CPUID_FAMILY, .order = 200);
