/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What CPUID says about allocation, about sharing, and against what parts of its kind are known to say. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/legacy.h"
#include "core/base/text.h"

#define SDM_10   "SDM vol. 2A CPUID, leaf 10H: Intel Resource Director Technology Allocation Enumeration"
#define SDM_TOPO "SDM vol. 2A CPUID, leaf 4; ACPI 6.5 5.2.16 System Resource Affinity Table"

static const struct cpu_identity *reference_id(const struct check *c)
{
    return &c->machine->cpus[c->machine->reference].id;
}

/* --- EN-11, EN-12: masks */

static void shareable_bits(struct check *c, uint32_t subleaf, const struct rdt_cat *cat)
{
    uint32_t all = (uint32_t)low_bits(cat->cbm_len);

    if (cat->shareable & ~all)
        fail(c, "CPUID.(0x10,%u):EBX is 0x%x: bits 0x%x lie outside the mask of %u bits", subleaf, cat->shareable,
             cat->shareable & ~all, cat->cbm_len);
    else if (cat->shareable == all)
        fail(c, "CPUID.(0x10,%u):EBX is 0x%x: every bit of the mask is shared with other agents", subleaf,
             cat->shareable);
}

static enum verdict check_masks(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    if (!rdt->l3.known && !rdt->l2.known)
        return skip(c, "no cache allocation is enumerated");
    if (rdt->l3.known) {
        evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
        shareable_bits(c, 1, &rdt->l3);
        for (uint32_t i = 0; i < c->machine->n_domains && i < 1; i++)
            if (!measure(c, "bits of an L3 mask", "10H.1:EAX + 1", rdt->l3.cbm_len, "bits",
                         c->machine->domains[i].l3_ways, c->machine->domains[i].l3_ways))
                warn(c, "an L3 mask has %u bits, the L3 %u ways: on every known part they are equal", rdt->l3.cbm_len,
                     c->machine->domains[i].l3_ways);
    }
    if (rdt->l2.known) {
        evidence_leaf(c, c->machine->reference, 0x10, 2, &rdt->leaf10[2]);
        shareable_bits(c, 2, &rdt->l2);
        measure(c, "bits of an L2 mask", "10H.2:EAX + 1", rdt->l2.cbm_len, "bits", 1, 32);
    }
    return check_verdict(c);
}

/* --- EN-13: classes */

static void highest_class(struct check *c, uint32_t subleaf, bool known, uint32_t classes, uint32_t most)
{
    char where[32];

    if (!known)
        return;
    text_format(where, sizeof where, "10H.%u:EDX", subleaf);
    evidence_leaf(c, c->machine->reference, 0x10, subleaf, &reference_rdt(c)->leaf10[subleaf]);
    if (!measure(c, "highest class", where, classes - 1.0, "", 1, most))
        fail(c, "CPUID.(0x10,%u):EDX says classes to %u; there must be two at least, and the registers end at %u",
             subleaf, classes - 1, most);
}

static enum verdict check_classes(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    if (!rdt->l3.known && !rdt->l2.known && !rdt->mba.known)
        return skip(c, "no resource with classes is enumerated");
    highest_class(c, 1, rdt->l3.known, rdt->l3.clos, IA32_L3_MASK_LAST - IA32_L3_MASK(0));
    highest_class(c, 2, rdt->l2.known, rdt->l2.clos, IA32_L2_MASK_LAST - IA32_L2_MASK(0));
    highest_class(c, 3, rdt->mba.known, rdt->mba.clos, IA32_L3_MASK_LAST - IA32_L3_MASK(0));
    return check_verdict(c);
}

/* --- EN-14: throttles */

static enum verdict check_throttle(struct check *c)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;

    if (!mba->known)
        return skip(c, "CPUID.(0x10,3) cannot be read");
    evidence_leaf(c, c->machine->reference, 0x10, 3, &reference_rdt(c)->leaf10[3]);
    if (!measure(c, "greatest delay", "10H.3:EAX + 1", mba->max_delay, "", 1, 100))
        return warn(c, "the greatest delay is %u: it is a share of 100", mba->max_delay);
    if (mba->linear && (mba->max_delay == 100 || mba->max_delay % (100 - mba->max_delay)))
        warn(c, "the delay is linear to %u, which is no whole number of steps of %u", mba->max_delay,
             100 - mba->max_delay);
    return check_verdict(c);
}

/* --- EN-16: leaves 27H and 28H */

static enum verdict check_asymmetric(struct check *c)
{
    static const uint32_t leaves[2] = { 0x27, 0x28 };
    uint32_t cpu = c->machine->reference;
    struct cpuid_regs gate = { 0 }, regs;
    enum status st;

    if (!is_intel(c) || reference_rdt(c)->leaf7.regs.eax < 1)
        return skip(c, "leaf 7 has no sub-leaf 1");
    st = cpu_cpuid(c->platform, cpu, 7, 1, &gate);
    if (st != ST_OK)
        return cannot_measure(c, st, cpu, "CPUID");
    evidence_cpuid(c, cpu, 7, 1, &gate);
    for (uint32_t i = 0; i < 2; i++) {
        bool promised = gate.ecx & BIT(i);

        if (leaves[i] > c->machine->max_leaf) {
            if (promised)
                warn(c, "CPUID.(7,1):ECX[%u] is set, and leaf 0x%x is beyond the maximum leaf", i, leaves[i]);
            continue;
        }
        st = cpu_cpuid(c->platform, cpu, leaves[i], 0, &regs);
        if (st != ST_OK)
            return cannot_measure(c, st, cpu, "CPUID");
        evidence_cpuid(c, cpu, leaves[i], 0, &regs);
        if (!promised && (regs.eax | regs.ebx | regs.ecx | regs.edx))
            warn(c, "CPUID.(0x%x,0) is %08x %08x %08x %08x, and CPUID.(7,1):ECX[%u] is clear", leaves[i], regs.eax,
                 regs.ebx, regs.ecx, regs.edx, i);
    }
    return check_verdict(c);
}

/* --- EN-17: parts of a kind */

/* Recorded enumerations of parts that were sold (InstLatx64). A zero is not looked at. */
static const struct kind {
    uint32_t family, model;
    uint32_t rmids_per_unit; /* RMIDs are a multiple of this: so many come with each slice of the L3 */
    uint32_t scale_per_rmid; /* upscaling factor over the number of RMIDs                            */
    uint32_t rmids;          /* or their number, where all parts have the same                        */
    uint32_t width, events;
    uint32_t resources; /* 10H.0:EBX                                                              */
    uint32_t cbm_len, other_cbm_len, shareable, classes;
    uint32_t counts, other_counts; /* L3 size over upscaling factor: the same for every size of L3      */
    bool cdp;                      /* on every recorded part                                            */
} kinds[] = {
    { .family = 6, .model = 0x3F, .rmids_per_unit = 4, .scale_per_rmid = 1024, .events = 1, .counts = 640 },
    { 6, 0x4F, 8, 512, 0, 24, 7, 0x2, 20, 0, 0xC0000, 16, 640, 0, true },
    { 6, 0x56, 8, 512, 0, 24, 7, 0x2, 12, 0, 0xC00, 16, 384, 0, false },
    { 6, 0x55, 8, 512, 0, 24, 7, 0xA, 11, 0, 0x600, 16, 352, 0, true },
    { 6, 0x6A, 8, 256, 0, 32, 7, 0xA, 12, 0, 0xC00, 15, 768, 0, false },
    { 6, 0x8F, 8, 256, 0, 32, 7, 0xE, 15, 0, 0x6000, 15, 960, 0, true },
    { 6, 0xCF, 8, 256, 0, 32, 7, 0xE, 15, 20, 0, 15, 960, 2560, true },
    { 6, 0xAD, 8, 256, 0, 32, 7, 0xE, 16, 0, 0xC000, 15, 2048, 0, true },
    { .family = 0x17, .model = 0x31, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x19, .model = 0x01, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x19, .model = 0x11, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x1A, .model = 0x11, .rmids = 4096, .events = 7, .cbm_len = 16, .classes = 16 },
};

static const struct kind *kind_of(const struct cpu_identity *id)
{
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((id->vendor == VENDOR_INTEL || id->vendor == VENDOR_AMD) && kinds[i].family == id->family &&
            kinds[i].model == id->model)
            return &kinds[i];
    return NULL;
}

static void compare(struct check *c, const char *what, const char *where, uint32_t got, uint32_t known)
{
    if (known == 0)
        return;
    if (!measure(c, what, where, got, "", known, known))
        warn(c, "%s (%s) is %u, on parts of this model it is %u", what, where, got, known);
}

/* Fewer RMIDs or a smaller L3 than the part has: both leave this ratio. */
static void compare_counts(struct check *c, const struct rdt_info *rdt, const struct kind *k)
{
    const struct machine *m = c->machine;
    uint64_t counts;

    if (k->counts == 0 || m->n_domains == 0 || rdt->upscaling_factor == 0)
        return;
    counts = m->domains[0].l3_bytes / rdt->upscaling_factor;
    if (counts != k->other_counts)
        compare(c, "counts in the L3", "leaf 4, 0FH.1:EBX", counts < UINT32_MAX ? (uint32_t)counts : UINT32_MAX,
                k->counts);
}

static void compare_monitoring(struct check *c, const struct rdt_info *rdt, const struct kind *k)
{
    uint32_t rmids = rdt->max_rmid + 1;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    compare(c, "number of RMIDs", "0FH.1:ECX + 1", rmids, k->rmids);
    compare(c, "event map", "0FH.1:EDX", rdt->leaf0f[1].regs.edx, k->events);
    compare(c, "counter width", "0FH.1:EAX[7:0] + 24", rdt->counter_width, k->width);
    if (k->rmids_per_unit && rmids % k->rmids_per_unit)
        warn(c, "there are %u RMIDs; parts of this model have a multiple of %u", rmids, k->rmids_per_unit);
    if (k->scale_per_rmid)
        compare(c, "upscaling factor over RMIDs", "0FH.1", rdt->upscaling_factor / rmids, k->scale_per_rmid);
    compare_counts(c, rdt, k);
}

static void compare_allocation(struct check *c, const struct rdt_info *rdt, const struct kind *k)
{
    evidence_leaf(c, c->machine->reference, 0x10, 0, &rdt->leaf10[0]);
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    compare(c, "resources", "10H.0:EBX", rdt->leaf10[0].regs.ebx, k->resources);
    if (!rdt->l3.known)
        return;
    if (rdt->l3.cbm_len != k->other_cbm_len)
        compare(c, "mask length", "10H.1:EAX + 1", rdt->l3.cbm_len, k->cbm_len);
    compare(c, "shareable bits", "10H.1:EBX", rdt->l3.shareable, k->shareable);
    compare(c, "classes", "10H.1:EDX + 1", rdt->l3.clos, k->classes);
    if (k->cdp && !rdt->l3.cdp)
        warn(c, "parts of this model tell code from data (10H.1:ECX[2]), this one does not");
}

static enum verdict check_kind(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    const struct kind *k = kind_of(reference_id(c));

    if (k == NULL)
        return skip(c, "no enumeration of a part of this family and model is known");
    if (rdt->monitoring && rdt->l3_known)
        compare_monitoring(c, rdt, k);
    else
        warn(c, "parts of this model monitor their L3, this one shows no such thing: fuses, firmware or a hypervisor");
    if (rdt->allocation && rdt->leaf10_known)
        compare_allocation(c, rdt, k);
    else if (k->classes)
        warn(c, "parts of this model allocate their L3, this one shows no such thing: fuses, firmware or a hypervisor");
    return check_verdict(c);
}

/* --- EN-18, EN-20: caches and nodes */

static uint32_t nodes_with_cpus(const struct machine *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->n_nodes; i++)
        n += m->nodes[i].n_cpus > 0;
    return n;
}

/* Nodes that processors of one L3 stand on. */
static uint32_t nodes_of_domain(const struct machine *m, uint32_t domain)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < m->n_nodes; node++)
        for (uint32_t i = 0; i < m->n_cpus; i++)
            if (m->cpus[i].domain == domain && m->cpus[i].node == node) {
                n++;
                break;
            }
    return n;
}

/* A node whose processors come from several packages, though there is a node, if only of memory, for each package. */
static void judge_packages(struct check *c)
{
    const struct machine *m = c->machine;

    for (uint32_t node = 0; node < m->n_nodes && m->n_nodes >= m->n_packages; node++) {
        uint32_t first = UINT32_MAX;

        for (uint32_t i = 0; i < m->n_cpus; i++) {
            if (m->cpus[i].node != node || m->cpus[i].package == NO_PACKAGE)
                continue;
            if (first == UINT32_MAX)
                first = i;
            if (m->cpus[i].package == m->cpus[first].package)
                continue;
            warn(c, "SRAT has cpu %u of package %u on node %u, where cpu %u of package %u is", i, m->cpus[i].package,
                 node, first, m->cpus[first].package);
            break;
        }
    }
}

/* Whom firmware lists as enabled and nobody could ask. */
static void judge_missing(struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if ((c->platform->cpus[i].flags & CPU_STARTED) && c->machine->cpus[i].enumerated != ST_OK)
            warn(c, "cpu %u (APIC 0x%x) is listed by firmware and did not enumerate: %s", i,
                 c->platform->cpus[i].apic_id, status_text(c->machine->cpus[i].enumerated));
}

static bool is_cluster_count(uint32_t n) /* Linux resctrl accepts these and no other */
{
    return n == 1 || n == 2 || n == 3 || n == 4 || n == 6;
}

static enum verdict check_nodes(struct check *c)
{
    const struct machine *m = c->machine;
    uint32_t nodes = nodes_with_cpus(m);

    judge_missing(c);
    if (!m->srat_present || m->n_domains == 0)
        return check_verdict(c) == VERDICT_PASS ? skip(c, "there is no SRAT, or no L3") : check_verdict(c);
    measure(c, "L3s", "CPUID leaf 4 and APIC ids", m->n_domains, "", 1, NO_BOUND);
    measure(c, "nodes with processors", "SRAT", nodes, "", 1, NO_BOUND);
    if (nodes == 0)
        return warn(c, "SRAT names no processor that is there");
    if (nodes % m->n_domains && m->n_domains % nodes)
        warn(c, "%u L3s and %u nodes: neither is a multiple of the other", m->n_domains, nodes);
    judge_packages(c);
    if (is_intel(c) && m->n_domains > m->n_packages && m->n_domains > nodes)
        warn(c, "%u L3s in %u packages and %u nodes: Intel's servers have one L3 for each of them", m->n_domains,
             m->n_packages, nodes);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        uint32_t n = nodes_of_domain(m, i);

        if (!is_cluster_count(n))
            warn(c, "processors of L3 domain %u stand on %u nodes; clusters come as 1, 2, 3, 4 or 6", i, n);
    }
    return check_verdict(c);
}

/* --- EN-19: devices */

/* The register exists if and only if CPUID has something for it to do. */
static enum verdict check_io(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;
    bool promised = rdt->non_cpu_cmt || rdt->non_cpu_mbm || (rdt->l3.known && rdt->l3.non_cpu);
    bool irdt = c->machine->acpi.irdt;
    uint64_t value = 0;
    enum status st;

    if (!is_intel(c))
        return skip(c, "resource control of devices is Intel's");
    st = msr_read(c->platform, cpu, IA32_L3_IO_QOS_CFG, &value);
    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    evidence_swept(c, "IA32_L3_IO_QOS_CFG asked for", 1);
    if (st != ST_OK && st != ST_FAULT)
        return cannot_measure(c, st, cpu, "IA32_L3_IO_QOS_CFG");
    if (st == ST_OK)
        evidence_msr(c, cpu, IA32_L3_IO_QOS_CFG, value, 0);
    if (promised && st == ST_FAULT)
        warn(c, "CPUID promises monitoring or allocation for devices, and RDMSR IA32_L3_IO_QOS_CFG raises #GP");
    if (!promised && st == ST_OK)
        warn(c, "IA32_L3_IO_QOS_CFG is there, and CPUID promises neither monitoring nor allocation for devices");
    if (!promised && irdt)
        warn(c, "ACPI has an IRDT, and CPUID promises neither monitoring nor allocation for devices");
    if (promised && !irdt)
        note(c, "CPUID promises monitoring or allocation for devices, and ACPI has no IRDT");
    return check_verdict(c);
}

/* --- EN-15: the switch for code and data */

static enum verdict check_cdp_register(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->machine->reference;
    uint64_t value = 0;
    enum status st = msr_read(c->platform, cpu, IA32_L3_QOS_CFG, &value);

    if (!rdt->leaf10[1].known)
        return skip(c, "CPUID.(0x10,1) is not known");
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    if (st != ST_OK && st != ST_FAULT)
        return cannot_measure(c, st, cpu, "IA32_L3_QOS_CFG");
    if (st == ST_FAULT && msr_read(c->platform, cpu, IA32_PQR_ASSOC, &value) == ST_FAULT)
        return skip(c, "cpu %u: RDMSR IA32_PQR_ASSOC raises #GP as well: no register of RDT answers", cpu);
    if (st == ST_OK)
        evidence_msr(c, cpu, IA32_L3_QOS_CFG, value, 0);
    if (rdt->l3.cdp && st == ST_FAULT)
        fail(c, "CPUID.(0x10,1):ECX[2] promises code and data prioritization, and RDMSR IA32_L3_QOS_CFG raises #GP");
    if (!rdt->l3.cdp && st == ST_OK)
        note(c, "IA32_L3_QOS_CFG is there (0x%llx) without CPUID.(0x10,1):ECX[2]", (unsigned long long)value);
    return check_verdict(c);
}

/* --- EN-21: hybrid parts */

static enum verdict check_hybrid(struct check *c)
{
    const struct machine *m = c->machine;
    struct cpuid_regs gate = { 0 };
    enum status st;
    uint32_t differ = 0;

    if (!is_intel(c) || !(reference_rdt(c)->leaf7.regs.edx & CPUID_7_EDX_HYBRID))
        return skip(c, "this is no hybrid part (CPUID.7.0:EDX[15] = 0)");
    st = cpu_cpuid(c->platform, m->reference, 7, 1, &gate);
    if (st != ST_OK)
        return cannot_measure(c, st, m->reference, "CPUID");
    evidence_cpuid(c, m->reference, 7, 1, &gate);
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        const struct rdt_info *a = reference_rdt(c), *b = &m->cpus[i].rdt;

        if (m->cpus[i].enumerated != ST_OK ||
            (a->monitoring == b->monitoring && a->allocation == b->allocation && a->max_rmid == b->max_rmid &&
             a->leaf10[0].regs.ebx == b->leaf10[0].regs.ebx && a->max_clos == b->max_clos))
            continue;
        if (differ++ == 0 && !(gate.ecx & BITS(1, 0)))
            warn(c, "cpu %u enumerates other monitoring or allocation than cpu %u, and CPUID.(7,1):ECX[1:0] is clear",
                 i, m->reference);
    }
    evidence_swept(c, "processors compared with the reference across core types", m->n_cpus);
    return check_verdict(c);
}

#define MEANS_USUAL "a field of CPUID contradicts the specification or another field"
#define NEXT_USUAL                                                                                                     \
    "the leaf in the evidence against the SDM's table; the same leaf on the other processors; microcode and "          \
    "hypervisor"

static const struct check_row rows[] = {
    { .id = "enum.masks",
      .title = "Capacity masks are as long as the cache has ways, and their shareable bits lie inside",
      .spec = SDM_10,
      .rows = "EN-11 EN-12",
      .detects = "a length that is not coded less one, a shifted map of shareable bits",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_masks },
    { .id = "enum.classes",
      .title = "Every resource has two classes or more, and no more than registers",
      .spec = SDM_10,
      .rows = "EN-13",
      .detects = "a number of classes that is off",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_classes },
    { .id = "enum.throttle",
      .title = "The greatest delay is a share of 100 and a whole number of steps",
      .spec = SDM_10 "; Xen PSR documentation (steps)",
      .rows = "EN-14",
      .detects = "a wrong maximum",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MBA,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_throttle },
    { .id = "enum.cdp-register",
      .title = "Code and data prioritization comes with its register",
      .spec = "SDM vol. 3B 17.17.4 Code and Data Prioritization (CDP): Enumerating and Enabling L3 CDP Technology",
      .rows = "EN-15",
      .detects = "a feature without its register",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_cdp_register },
    { .id = "enum.asymmetric",
      .title = "Leaves 27H and 28H are filled only where leaf 7 says so",
      .spec = "SDM vol. 2A CPUID, leaf 07H sub-leaf 1: ECX[1:0]",
      .rows = "EN-16",
      .detects = "a stale leaf",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_asymmetric },
    { .id = "enum.kind",
      .title = "This processor enumerates what parts of its model enumerate",
      .spec = "recorded enumerations of parts that were sold (InstLatx64)",
      .rows = "EN-17",
      .detects = "firmware or fuses that hide RMIDs, classes or resources",
      .means = "the part shows less or other than parts of its model do: fused, switched off or misread",
      .next = "firmware's setup for RDT and sub-NUMA clustering; the brand string; the leaf in the evidence",
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES | RESTS_ON_CLASSES,
      .order = 210,
      .run = check_kind },
    { .id = "enum.nodes",
      .title = "L3s and nodes divide the processors alike",
      .spec = SDM_TOPO,
      .rows = "EN-18 EN-20",
      .detects = "a wrong sharing field, a wrong SRAT, a processor that does not answer",
      .means = "CPUID and SRAT divide the processors differently: checks by node judge the wrong processors",
      .next = "SRAT in the stream; clustering settings; the leaf 4 sharing field",
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_nodes },
    { .id = "enum.devices",
      .title = "Resource control of devices is in CPUID, register and ACPI alike",
      .spec = "RDT Architecture Specification 356688, IA32_L3_IO_QOS_CFG; 5 ACPI",
      .rows = "EN-19 AC-13",
      .detects = "a feature that is half enabled",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_BIT,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_io },
    { .id = "enum.hybrid",
      .title = "Core types differ only where leaf 7 says so",
      .spec = "SDM vol. 2A CPUID, leaves 27H and 28H",
      .rows = "EN-21",
      .detects = "a core type that silently differs",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_2_CPUS,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 210,
      .run = check_hybrid },
};
CHECK_FAMILY(enum_alloc, rows);
