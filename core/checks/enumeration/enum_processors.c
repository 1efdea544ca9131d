/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CPUID, microcode and SRAT of every processor: the same everywhere, and in agreement with each other. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/domains.h"

#define SDM_TOPO "SDM vol. 2A CPUID, leaf 4; ACPI 6.5 5.2.16 System Resource Affinity Table"

/* --- EN-05: every processor --------------------------------------------------------------------------------------- */

static void fail_leaf_differs(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
                              const struct rdt_leaf *expected, const struct rdt_leaf *got)
{
    char name[80];

    machine_cpu_name(c->machine, cpu, name, sizeof name);
    evidence_leaf(c, c->machine->reference, leaf, subleaf, expected);
    evidence_leaf(c, cpu, leaf, subleaf, got);
    if (expected->known && got->known)
        finding(c, FINDING_EXPECTED, 0, FOUND_LEAVES_DIFFER, place_cpu(cpu),
                "CPUID.(EAX=0x%x,ECX=%u) is %08x %08x %08x %08x, on cpu %u it is %08x %08x %08x %08x", leaf, subleaf,
                got->regs.eax, got->regs.ebx, got->regs.ecx, got->regs.edx, c->machine->reference, expected->regs.eax,
                expected->regs.ebx, expected->regs.ecx, expected->regs.edx);
    else
        finding(c, FINDING_EXPECTED, 0, FOUND_LEAVES_DIFFER, place_cpu(cpu),
                "CPUID.(EAX=0x%x,ECX=%u) is %s, unlike on cpu %u", leaf, subleaf, got->known ? "present" : "missing",
                c->machine->reference);
}

/* The sub-leaves of one processor against the reference; returns how many were compared. */
static uint32_t compare_with_reference(struct check *c, uint32_t cpu)
{
    const struct rdt_info *a = reference_rdt(c), *b = &c->machine->cpus[cpu].rdt;
    const struct rdt_leaf *expected;
    uint32_t compared = 0, leaf, subleaf;

    if (a->monitoring != b->monitoring || a->allocation != b->allocation)
        fail_leaf_differs(c, cpu, 7, 0, &a->leaf7, &b->leaf7);
    for (uint32_t n = 0; (expected = rdt_nth_leaf(a, n, &leaf, &subleaf)) != NULL; n++) {
        const struct rdt_leaf *got = rdt_nth_leaf(b, n, &leaf, &subleaf);

        compared += expected->known || got->known;
        if (!rdt_leaf_equal(expected, got))
            fail_leaf_differs(c, cpu, leaf, subleaf, expected, got);
    }
    return compared;
}

/* Cores of two types may differ (EN-21); machine_enumerate() compared each with the first of its own type. */
static enum status compare_core_types(struct check *c)
{
    const struct machine *m = c->machine;

    for (uint32_t i = 0; i < m->n_disagreements && i < MAX_DISAGREEMENTS; i++) {
        const struct disagreement *d = &m->disagreements[i];

        if (d->msr || (d->leaf != 7 && d->leaf != 0xF && d->leaf != 0x10 && d->leaf != 0x80000020u))
            continue;
        evidence_cpuid(c, d->cpu, d->leaf, d->subleaf, &d->got);
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCESSORS_DIFFER, place_cpu(d->cpu),
                "CPUID.(EAX=0x%x,ECX=%u) differs from the first processor of its core type", d->leaf, d->subleaf);
    }
    evidence_swept(c, "processors compared with the first of their core type", m->n_cpus);
    return ST_OK;
}

/* Witness: the other processors.   Detects: a core with other microcode or fuses. */
static enum status check_every_processor(struct check *c)
{
    uint64_t compared = 0;

    if (!ANY_OF(i, c->machine->n_cpus, c->machine->cpus[i].rdt.monitoring || c->machine->cpus[i].rdt.allocation))
        return check_absent(c, "no processor enumerates monitoring or allocation");
    if (reference_is_hybrid(c))
        return compare_core_types(c);
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        if (i == c->machine->reference || !(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (c->machine->cpus[i].enumerated != ST_OK) {
            check_cannot_measure(c, c->machine->cpus[i].enumerated, i, "CPUID");
            continue;
        }
        if (c->machine->cpus[i].id.signature != c->machine->cpus[c->machine->reference].id.signature)
            check_note(c, "cpu %u has CPUID signature 0x%x, cpu %u 0x%x", i, c->machine->cpus[i].id.signature,
                       c->machine->reference, c->machine->cpus[c->machine->reference].id.signature);
        compared += compare_with_reference(c, i);
    }
    evidence_swept(c, "sub-leaves of CPUID 0FH, 10H and 80000020H compared with the reference processor", compared);
    return ST_OK;
}

/* A processor with another microcode revision may behave differently with the same CPUID. */
static enum status check_microcode(struct check *c)
{
    const struct cpu *reference = &c->machine->cpus[c->machine->reference];
    uint64_t compared = 0;

    if (reference->microcode_status == ST_FAULT || reference->microcode_status == ST_ABSENT)
        return check_absent(c, "IA32_BIOS_SIGN_ID cannot be read on the reference processor: %s",
                            status_text(reference->microcode_status));
    if (reference->microcode_status != ST_OK)
        return check_unmeasured(c, reference->microcode_status, c->machine->reference, "IA32_BIOS_SIGN_ID");
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        const struct cpu *cpu = &c->machine->cpus[i];
        char name[80];

        if (!(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (cpu->microcode_status == ST_FAULT) {
            finding(c, FINDING_UNUSUAL, 0, FOUND_REGISTER_MISSING, place_cpu(i),
                    "RDMSR IA32_BIOS_SIGN_ID raises #GP, cpu %u can read it", c->machine->reference);
            continue;
        }
        if (cpu->microcode_status != ST_OK) {
            check_cannot_measure(c, cpu->microcode_status, i, "IA32_BIOS_SIGN_ID");
            continue;
        }
        compared++;
        if (cpu->microcode == reference->microcode || cpu->id.signature != reference->id.signature)
            continue;
        machine_cpu_name(c->machine, i, name, sizeof name);
        finding(c, FINDING_UNUSUAL, 0, FOUND_MICROCODE_DIFFERS, place_cpu(i),
                "microcode revision is 0x%lx, that of cpu %u is 0x%lx", cpu->microcode, c->machine->reference,
                reference->microcode);
    }
    evidence_swept(c, "microcode revisions compared with the reference processor", compared);
    return ST_OK;
}

/* --- EN-21: hybrid parts ------------------------------------------------------------------------------------------ */

static enum status check_hybrid(struct check *c)
{
    const struct machine *m = c->machine;
    struct cpuid_regs gate = { 0 };
    uint32_t differ = 0;

    if (!reference_is_intel(c) || !reference_is_hybrid(c))
        return check_absent(c, "not a hybrid part (CPUID.7.0:EDX[15] = 0)");
    TRY_MEASURE(c, cpu_cpuid(c->platform, m->reference, 7, 1, &gate), m->reference, "CPUID");
    evidence_cpuid(c, m->reference, 7, 1, &gate);
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        const struct rdt_info *a = reference_rdt(c), *b = &m->cpus[i].rdt;

        if (m->cpus[i].enumerated != ST_OK ||
            (a->monitoring == b->monitoring && a->allocation == b->allocation && a->max_rmid == b->max_rmid &&
             a->leaf10[0].regs.ebx == b->leaf10[0].regs.ebx && a->max_clos == b->max_clos))
            continue;
        if (differ++ == 0 && !(gate.ecx & BITS(1, 0)))
            finding(c, FINDING_UNUSUAL, 0, FOUND_PROCESSORS_DIFFER, place_cpu(i),
                    "enumerates other RDT features than cpu %u, and CPUID.(EAX=7,ECX=1):ECX[1:0] is clear",
                    m->reference);
    }
    evidence_swept(c, "processors compared with the reference across core types", m->n_cpus);
    return ST_OK;
}

/* --- EN-18, EN-20: caches and nodes ------------------------------------------------------------------------------- */

/* NUMA nodes of the processors of one L3. */
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

/* A node with processors of several packages, although there is a node, if only of memory, for each package. With node
 * interleaving (NPS0) and a node of memory alone, as of CXL, a sound table has as much: nothing in it tells the two. */
static void judge_node_packages(struct check *c)
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
            finding(c, FINDING_UNUSUAL, 0, FOUND_NODE_SPANS_PACKAGES, place_node(node),
                    "SRAT has cpu %u of package %u and cpu %u of package %u on node %u%s", i, m->cpus[i].package, first,
                    m->cpus[first].package, node,
                    m->nodes[node].n_cpus == m->n_cpus
                        ? ": right if firmware interleaves memory over the packages, and "
                          "the other nodes are of CXL or other memory alone"
                        : "");
            break;
        }
    }
}

/* Processors that firmware lists as enabled and whose CPUID could not be read. */
static void judge_unread_cpus(struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if ((c->platform->cpus[i].flags & CPU_STARTED) && c->machine->cpus[i].enumerated != ST_OK)
            finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_ENUMERATED, place_cpu(i),
                    "listed by firmware, and its CPUID could not be read: %s",
                    status_text(c->machine->cpus[i].enumerated));
}

static bool is_cluster_count(uint32_t n) /* Linux resctrl accepts these only */
{
    return n == 1 || n == 2 || n == 3 || n == 4 || n == 6;
}

static enum status check_nodes(struct check *c)
{
    const struct machine *m = c->machine;
    uint32_t nodes = HOW_MANY(i, m->n_nodes, m->nodes[i].n_cpus > 0);

    judge_unread_cpus(c);
    if (!m->srat_present || m->n_domains == 0)
        return check_verdict(c) != VERDICT_PASS ? ST_OK : check_absent(c, "no SRAT, or no L3");
    check_measure(c, "L3 domains", place_of("CPUID leaf 4 and APIC ids"), m->n_domains, "", 1, NO_BOUND);
    check_measure(c, "NUMA nodes with processors", place_of("SRAT"), nodes, "", 1, NO_BOUND);
    if (nodes == 0) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE, "SRAT has none of the processors");
        return ST_OK;
    }
    if (nodes % m->n_domains && m->n_domains % nodes)
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                "%u L3 domains and %u NUMA nodes: neither is a multiple of the other", m->n_domains, nodes);
    judge_node_packages(c);
    if (reference_is_intel(c) && m->n_domains > m->n_packages && m->n_domains > nodes)
        finding(c, FINDING_UNUSUAL, 0, FOUND_L3_COUNT_OFF, PLACE_NONE,
                "%u L3 domains in %u packages and %u NUMA nodes: Intel servers have one L3 for each package or node",
                m->n_domains, m->n_packages, nodes);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        uint32_t n = nodes_of_domain(m, i);

        if (!is_cluster_count(n))
            finding(c, FINDING_UNUSUAL, 0, FOUND_UNUSUAL_VALUE, place_domain(i),
                    "its processors are on %u NUMA nodes; 1, 2, 3, 4 or 6 are known", n);
    }
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "enum.every-processor",
      .title = "Every processor enumerates the same monitoring and allocation",
      .spec = "RDT Architecture Specification 356688 2.4.1 CPUID enumeration",
      .covers = "EN-05 XC-01",
      .detects = "mixed microcode or fusing between cores",
      .means = "processors enumerate different RDT features, which operating systems do not support",
      .next = "`enum.microcode`; leaf and processor in the finding; steppings of the packages",
      .needs = NEED_2_CPUS,
      .run = check_every_processor },
    { .id = "enum.microcode",
      .title = "Processors of one CPUID signature run one microcode revision",
      .spec = "SDM vol. 3A 9.11.6 Microcode Update Loader, update in a multi-processor system",
      .covers = "EN-05 XC-01",
      .means = "a processor has another microcode revision than the rest",
      .next = "firmware's microcode loader; the processor's package",
      .needs = NEED_2_CPUS,
      .grade = GRADE_W,
      .run = check_microcode },
    { .id = "enum.hybrid",
      .title = "Core types differ only where CPUID.(7,1):ECX[1:0] is set",
      .spec = "SDM vol. 2A CPUID, leaves 27H and 28H",
      .covers = "EN-21",
      .means = "core types enumerate different RDT features without the bit of CPUID that announces it",
      .next = "CPUID leaves 0FH and 10H of both core types; firmware version; microcode revision",
      .needs = NEED_2_CPUS,
      .grade = GRADE_W,
      .order = 210,
      .run = check_hybrid },
    { .id = "enum.nodes",
      .title = "L3 domains and SRAT nodes group the processors consistently",
      .spec = SDM_TOPO,
      .covers = "EN-18 EN-20",
      .detects = "a wrong cache sharing field, a wrong SRAT, a processor that does not respond",
      .means = "CPUID and SRAT group the processors differently: local and remote memory are mixed up",
      .next =
          "SRAT in the stream; SNC or NPS setting (NPS0 beside a node of CXL memory is no defect); CPUID.4:EAX[25:14]",
      .grade = GRADE_W,
      .order = 210,
      .run = check_nodes },
};
CHECK_FAMILY(enum_processors, rows, .no_monitor = true, .rests_on = RESTS_ON_TABLES, .order = 200);
