/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ACPI tables but ERDT: lengths and checksums, MRRM against SRAT, IRDT against CPUID. */
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/checks/firmware/erdt.h"
#include "core/domain/domains.h"

#define RDTA_MRRM "RDT Architecture Specification 356688, chapter 5, MRRM"
#define RDTA_IRDT "RDT Architecture Specification 356688, chapter 6, IRDT"

/* --- every table that is read ------------------------------------------------------------------------------------- */

static bool is_read(const char *signature)
{
    static const char read[][5] = { "RSDP", "XSDT", "RSDT", "APIC", "SRAT", "MCFG", "FACP", "ERDT", "MRRM", "IRDT" };

    return ANY_OF(i, sizeof read / sizeof read[0], text_equal(signature, read[i]));
}

/* ACPICA's acpi_tb_check_duplication() drops the second of two, and says nothing. */
static bool listed_before(const struct acpi_info *acpi, uint32_t i)
{
    return ANY_OF(k, i, acpi->tables[k].address == acpi->tables[i].address && acpi->tables[k].status == ST_OK);
}

static enum status check_acpi_tables(struct check *c)
{
    const struct acpi_info *acpi = &c->machine->acpi;
    uint32_t listed = acpi->n_tables < ACPI_NOTES ? acpi->n_tables : ACPI_NOTES;

    if (acpi->status == ST_ABSENT || (acpi->status == ST_OK && acpi->n_tables == 0))
        return check_absent(c, "firmware has no RSDP");
    for (uint32_t i = 0; i < listed; i++) {
        const struct acpi_table_note *t = &acpi->tables[i];

        evidence_register(c, "acpi", t->signature, t->address, t->length);
        if (t->status == ST_OK)
            continue;
        finding(c, is_read(t->signature) && !listed_before(acpi, i) ? FINDING_EXPECTED : FINDING_UNUSUAL, 0,
                FOUND_TABLE_INVALID, place_of("%s", t->signature), "table at 0x%lx, %u bytes: %s (%s)", t->address,
                t->length, t->what, status_text(t->status));
    }
    evidence_swept(c, "ACPI tables: length, checksum, place, entries", acpi->n_tables);
    if (acpi->status != ST_OK)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, PLACE_NONE, "no usable RSDT or XSDT");
    return ST_OK;
}

/* --- MRRM and IRDT ------------------------------------------------------------------------------------------------ */

#define RANGES_MOST 4096u /* a machine has a few; a corrupt table must not cost minutes */

/* Bytes that two ranges have in common. Ends are those of the last byte, so that a range may end with the address
 * space.
 */
static uint64_t common_bytes(uint64_t base, uint64_t bytes, uint64_t other, uint64_t other_bytes)
{
    uint64_t lo = base > other ? base : other, end, other_end, hi;

    if (bytes == 0 || other_bytes == 0)
        return 0;
    end = base + (bytes - 1);
    other_end = other + (other_bytes - 1);
    hi = end < other_end ? end : other_end;
    return hi >= lo ? hi - lo + 1 : 0;
}

/* Bytes of a range that are in no range of SRAT; SRAT's own ranges do not overlap. */
static uint64_t outside_srat(const struct acpi_info *acpi, uint64_t base, uint64_t bytes)
{
    uint64_t inside = SUM_OF(uint64_t, i, acpi->n_affinity_memory,
                             common_bytes(base, bytes, acpi->affinity_memory[i].base, acpi->affinity_memory[i].bytes));

    return inside < bytes ? bytes - inside : 0;
}

static uint64_t outside_mrrm(const struct mrrm *t, const struct acpi_affinity_memory *m)
{
    uint64_t inside =
        SUM_OF(uint64_t, i, t->n_ranges, common_bytes(t->ranges[i].base, t->ranges[i].bytes, m->base, m->bytes));

    return inside < m->bytes ? m->bytes - inside : 0;
}

static void compare_with_srat(struct check *c, const struct mrrm *t)
{
    const struct acpi_info *acpi = &c->machine->acpi;

    if (t->n_ranges > RANGES_MOST) {
        check_note(c, "MRRM has %u ranges; not compared with SRAT, since the limit is %u ranges", t->n_ranges,
                   RANGES_MOST);
        return;
    }
    for (uint32_t i = 0; i < t->n_ranges; i++) {
        uint64_t bytes = outside_srat(acpi, t->ranges[i].base, t->ranges[i].bytes);

        if (bytes)
            finding(c, FINDING_EXPECTED, 0, FOUND_TABLES_DISAGREE, place_of("MRRM"),
                    "offset 0x%x: 0x%lx of the 0x%lx bytes at 0x%lx are in no range of SRAT", t->ranges[i].offset,
                    bytes, t->ranges[i].bytes, t->ranges[i].base);
    }
    EACH(const struct acpi_affinity_memory, m, acpi->affinity_memory, acpi->n_affinity_memory) {
        uint64_t bytes = outside_mrrm(t, m);

        if (bytes && !m->hot_pluggable && !m->non_volatile)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, place_of("MRRM"),
                    "SRAT has 0x%lx bytes at 0x%lx, of which 0x%lx bytes are in no range of MRRM", m->bytes, m->base,
                    bytes);
    }
    evidence_swept(c, "ranges of MRRM and SRAT compared", t->n_ranges + acpi->n_affinity_memory);
}

static enum status check_mrrm(struct check *c)
{
    const struct acpi_raw *raw = acpi_raw_of(c, ACPI_MRRM);
    struct mrrm t;
    enum status st;

    if (!raw->bytes)
        return check_absent(c, "no usable MRRM");
    st = mrrm_decode(raw->bytes, raw->length, &t);
    if (st == ST_UNSUPPORTED)
        return check_absent(c, "MRRM revision %u is not supported, only revision 1", t.revision);
    if (st != ST_OK)
        return check_unmeasured(c, st, c->machine->reference, "MRRM");
    evidence_acpi_table(c, "MRRM", raw);
    check_measure(c, "memory regions", place_of("MRRM"), t.max_regions, "", 0, NO_BOUND);
    acpi_report_defects(c, "MRRM", &t.defects);
    if (t.flags & MRRM_REGION_ASSIGNMENT_OS) /* Linux drivers/acpi/acpi_mrrm.c makes no use of the table then either */
        check_note(c, "MRRM flags 0x%x: the operating system assigns regions: not compared with SRAT", t.flags);
    else if (!c->machine->acpi.srat)
        check_note(c, "no SRAT to compare the ranges with");
    else if (t.defects.n == 0)
        compare_with_srat(c, &t);
    mrrm_free(&t);
    return ST_OK;
}

/* AC-13. IRDT has a pair of flags for each of two protocols; CPUID enumerates both together. */
static void irdt_compare_cpuid(struct check *c, const struct irdt *t)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint16_t any = t->io_flags | t->cache_flags;
    bool monitoring = rdt->non_cpu_cmt || rdt->non_cpu_mbm, control = rdt->l3.known && rdt->l3.non_cpu;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    if (monitoring != !!(any & IRDT_MONITORING))
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                "IRDT %s monitoring of devices, CPUID.(EAX=0FH,ECX=1):EAX[10:9] %s it",
                any & IRDT_MONITORING ? "has" : "does not have", monitoring ? "enumerates" : "does not enumerate");
    if (control != !!(any & IRDT_CONTROL))
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                "IRDT %s allocation for devices, CPUID.(EAX=10H,ECX=1):ECX[1] %s it",
                any & IRDT_CONTROL ? "has" : "does not have", control ? "enumerates" : "does not enumerate");
}

static enum status check_irdt(struct check *c)
{
    const struct acpi_raw *raw = acpi_raw_of(c, ACPI_IRDT);
    struct irdt t;

    if (!raw->bytes)
        return check_absent(c, "no usable IRDT");
    if (irdt_decode(raw->bytes, raw->length, &t) != ST_OK)
        return check_absent(c, "IRDT revision %u is not supported, only revision 1", t.revision);
    evidence_acpi_table(c, "IRDT", raw);
    check_measure(c, "resource management units", place_of("IRDT"), t.n_units, "", 0, NO_BOUND);
    acpi_report_defects(c, "IRDT", &t.defects);
    irdt_compare_cpuid(c, &t);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "acpi.tables",
      .title = "Every ACPI table read has a valid length and checksum",
      .spec = "ACPI 6.5 5.2.5 RSDP, 5.2.6 System Description Table Header, 5.2.12 MADT, 5.2.16 SRAT",
      .covers = "AC-01 AC-12",
      .detects = "a table whose checksum was not updated, a wrong length",
      .means = "a table that operating systems rely on is invalid: they will ignore it",
      .next = "address and length in the finding; firmware version; acpidump under an operating system",
      .run = check_acpi_tables },
    { .id = "acpi.mrrm",
      .title = "MRRM covers exactly the memory of SRAT",
      .spec = RDTA_MRRM,
      .covers = "AC-11",
      .detects = "memory without a region, a region without memory",
      .run = check_mrrm },
    { .id = "acpi.irdt",
      .title = "IRDT is well-formed and agrees with CPUID",
      .spec = RDTA_IRDT,
      .covers = "AC-12 AC-13",
      .detects = "a malformed table; device monitoring or allocation in one of CPUID and IRDT only",
      .run = check_irdt },
};
CHECK_FAMILY(acpi, rows, ACPI_FAMILY, .order = 220);
