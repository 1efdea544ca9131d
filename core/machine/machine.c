/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/machine.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/machine/machine_internal.h"
#include "core/base/text.h"

/* --- nodes */

static uint32_t find_node(const struct machine *m, uint32_t proximity)
{
    return FIND(i, m->n_nodes, m->nodes[i].proximity == proximity, i, NO_NODE);
}

/* Keeps nodes ascending by proximity domain. */
static void add_node(struct machine *m, uint32_t proximity)
{
    uint32_t i = m->n_nodes;

    if (find_node(m, proximity) != NO_NODE)
        return;
    for (; i > 0 && m->nodes[i - 1].proximity > proximity; i--)
        m->nodes[i] = m->nodes[i - 1];
    m->nodes[i] = (struct node){ .proximity = proximity, .package = NO_PACKAGE };
    m->n_nodes++;
}

/* Index of the affinity of a processor in the SRAT, n_affinity_cpus where it has none. */
static uint32_t find_affinity(const struct acpi_info *a, uint32_t apic_id, uint32_t likely)
{
    if (likely < a->n_affinity_cpus && a->affinity_cpus[likely].apic_id == apic_id)
        return likely;
    return FIND(i, a->n_affinity_cpus, a->affinity_cpus[i].apic_id == apic_id, i, a->n_affinity_cpus);
}

static bool is_memory(const struct acpi_affinity_memory *r)
{
    return !r->non_volatile; /* persistent memory holds data: no load may write it */
}

/* A hot-pluggable range may be room for memory that is not fitted (ACPI 6.5 5.2.16.2): nothing of it is in the memory map then.
 * Linux numa_cleanup_meminfo() leaves such ranges out. */
static bool is_fitted(const struct machine *m, const struct acpi_affinity_memory *r)
{
    const struct platform *p = m->platform;

    return is_memory(r) && (!r->hot_pluggable || !p->ops->largest_free ||
                            p->ops->largest_free(p->machine, r->base, r->base + (r->bytes - 1)) > 0);
}

/* Without a processor or without memory the SRAT says nothing that can be used, and one node stands for the machine. */
static bool srat_is_usable(const struct machine *m)
{
    const struct acpi_info *a = &m->acpi;
    uint32_t n_cpus, n_memory;

    n_cpus = HOW_MANY(i, m->n_cpus, find_affinity(a, m->cpus[i].place.apic_id, i) < a->n_affinity_cpus);
    n_memory = HOW_MANY(i, a->n_affinity_memory, is_fitted(m, &a->affinity_memory[i]));
    return a->srat && n_cpus > 0 && n_memory > 0;
}

static void join_node(struct machine *m, uint32_t cpu, uint32_t node)
{
    m->cpus[cpu].node = node;
    if (node == NO_NODE || m->cpus[cpu].enumerated != ST_OK)
        return;
    m->nodes[node].n_cpus++;
    if (m->nodes[node].package == NO_PACKAGE)
        m->nodes[node].package = m->cpus[cpu].package;
    m->nodes[node].shared |= m->nodes[node].package != m->cpus[cpu].package;
}

static uint32_t nodes_with_cpus(const struct machine *m)
{
    return HOW_MANY(i, m->n_nodes, m->nodes[i].n_cpus > 0);
}

/* Each die of an Intel part with an L3 has memory controllers (Cascade Lake-AP: two a package). */
static bool spans_dies(const struct machine *m, uint32_t node)
{
    uint32_t first = FIND(i, m->n_cpus, m->cpus[i].node == node && m->cpus[i].domain != NO_DOMAIN, i, m->n_cpus);

    return first < m->n_cpus && m->cpus[first].id.vendor == VENDOR_INTEL &&
           ANY_OF(i, m->n_cpus,
                  m->cpus[i].node == node && m->cpus[i].domain != NO_DOMAIN &&
                      m->cpus[i].domain != m->cpus[first].domain);
}

/* Where each package has a node, a processor of another one is a mistake of firmware's. */
static void judge_shared(struct machine *m)
{
    bool fewer = nodes_with_cpus(m) < m->n_packages, fewer_than_l3s = nodes_with_cpus(m) < m->n_domains;

    for (uint32_t i = 0; i < m->n_nodes; i++)
        m->nodes[i].shared = (m->nodes[i].shared && fewer) || (fewer_than_l3s && spans_dies(m, i));
}

static enum status one_node(struct machine *m)
{
    TRY_HEAP(m->nodes, 1);
    m->n_nodes = 1;
    m->nodes[0] = (struct node){ .package = NO_PACKAGE, .memory_bytes = m->smbios.dimm_bytes };
    for (uint32_t i = 0; i < m->n_cpus; i++)
        join_node(m, i, 0);
    return ST_OK;
}

static enum status nodes_of_srat(struct machine *m)
{
    const struct acpi_info *a = &m->acpi;

    TRY_HEAP(m->nodes, ((size_t)m->n_cpus + a->n_affinity_memory));
    TRY_HEAP(m->ranges, a->n_affinity_memory);
    m->srat_present = true;
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        uint32_t found = find_affinity(a, m->cpus[i].place.apic_id, i);

        if (found < a->n_affinity_cpus)
            add_node(m, a->affinity_cpus[found].proximity);
    }
    for (uint32_t i = 0; i < a->n_affinity_memory; i++)
        if (is_fitted(m, &a->affinity_memory[i]))
            add_node(m, a->affinity_memory[i].proximity);
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        uint32_t found = find_affinity(a, m->cpus[i].place.apic_id, i);

        join_node(m, i, found < a->n_affinity_cpus ? find_node(m, a->affinity_cpus[found].proximity) : NO_NODE);
    }
    EACH(const struct acpi_affinity_memory, r, a->affinity_memory, a->n_affinity_memory) {
        if (!is_memory(r))
            continue;
        uint32_t node = find_node(m, r->proximity);
        m->ranges[m->n_ranges++] = (struct mem_range){ r->base, r->bytes, node };
        if (node != NO_NODE && is_fitted(m, r))
            m->nodes[node].memory_bytes += r->bytes;
    }
    return ST_OK;
}

static void sum_memory(struct machine *m)
{
    m->memory_bytes = m->smbios.dimm_bytes;
    for (uint32_t i = 0; m->smbios.dimm_bytes == 0 && i < m->n_nodes; i++)
        m->memory_bytes += m->nodes[i].memory_bytes;
}

/* --- virtual silicon */

static bool contains_nocase(const char *text, const char *lower)
{
    for (; *text != '\0'; text++) {
        size_t i = 0;

        while (lower[i] != '\0' && (text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]) == lower[i])
            i++;
        if (lower[i] == '\0')
            return true;
    }
    return false;
}

static void find_ran_on(struct machine *m)
{
    char oem[sizeof m->acpi.oem_id + sizeof m->acpi.oem_table_id];

    for (uint32_t i = 0; i < SMBIOS_OEM_STRINGS && i < m->smbios.n_oem_strings && !m->ran_on[0]; i++)
        if (contains_nocase(m->smbios.oem_strings[i], "virtual silicon"))
            text_format(m->ran_on, sizeof m->ran_on, "%s", m->smbios.oem_strings[i]);
    /* The two ACPI ids are 6 and 8 bytes: together room for the words without the blank. */
    text_format(oem, sizeof oem, "%s%s", m->acpi.oem_id, m->acpi.oem_table_id);
    if (!m->ran_on[0] && contains_nocase(oem, "virtualsilicon"))
        text_format(m->ran_on, sizeof m->ran_on, "ACPI OEM id \"%s\" \"%s\"", m->acpi.oem_id, m->acpi.oem_table_id);
}

/* --- the whole */

static enum status enumerate(struct machine *m)
{
    TRY(machine_ask_processors(m));
    TRY(acpi_read(m->platform, &m->acpi));
    smbios_read(m->platform, &m->smbios);
    TRY(srat_is_usable(m) ? nodes_of_srat(m) : one_node(m));
    judge_shared(m);
    sum_memory(m);
    find_ran_on(m);
    return ST_OK;
}

enum status machine_enumerate(struct platform *p, struct machine *m)
{
    enum status st;

    memset(m, 0, sizeof *m);
    m->platform = p;
    m->n_cpus = p->n_cpus;
    m->tsc_hz = p->tsc_hz;
    m->tsc_source = p->tsc_source;
    st = m->n_cpus ? enumerate(m) : ST_ABSENT;
    if (st != ST_OK)
        machine_free(m);
    return st;
}

void machine_free(struct machine *m)
{
    heap_free(m->cpus);
    heap_free(m->packages);
    heap_free(m->domains);
    heap_free(m->nodes);
    heap_free(m->ranges);
    acpi_free(&m->acpi);
    m->cpus = NULL;
    m->packages = NULL;
    m->domains = NULL;
    m->nodes = NULL;
    m->ranges = NULL;
    m->n_cpus = m->n_packages = m->n_domains = m->n_nodes = m->n_ranges = 0;
}

size_t machine_cpu_name(const struct machine *m, uint32_t cpu, char *out, size_t size)
{
    const struct cpu_place *p;

    if (cpu >= m->n_cpus)
        return text_format(out, size, "cpu %u", cpu);
    p = &m->cpus[cpu].place;
    return text_format(out, size, "cpu %u (APIC 0x%x, package %u core %u thread %u)", cpu, p->apic_id, p->package,
                       p->core, p->thread);
}

uint32_t machine_package_node(const struct machine *m, uint32_t package)
{
    return FIND(i, m->n_nodes, m->nodes[i].package == package && m->nodes[i].memory_bytes > 0, i, NO_NODE);
}

uint32_t machine_nodes_per_package(const struct machine *m)
{
    uint32_t nodes = nodes_with_cpus(m), packages = m->n_packages > 0 ? m->n_packages : 1;

    return nodes > packages ? nodes / packages : 1;
}

bool machine_package_has_memory(const struct machine *m, uint32_t package)
{
    return !m->srat_present || machine_package_node(m, package) != NO_NODE;
}

bool machine_is_memory(const struct machine *m, uint64_t address)
{
    return ANY_OF(i, m->n_ranges, address >= m->ranges[i].base && address - m->ranges[i].base < m->ranges[i].bytes);
}
