/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ERDT: shape, register blocks, and agreement with CPUID. */
#include "core/checks/families.h"
#include "core/checks/firmware/erdt.h"

#include <string.h>

#include "core/base/bits.h"

const struct acpi_raw *acpi_raw_of(const struct check *c, enum acpi_rdt_table which)
{
    return &c->machine->acpi.rdt[which];
}

/* --- decoding ----------------------------------------------------------------------------------------------------- */

void acpi_report_defects(struct check *c, const char *table, const struct acpi_defects *d)
{
    for (uint32_t i = 0; i < d->n && i < ACPI_DEFECTS; i++) {
        if (d->list[i].shape)
            finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place_of("%s", table), "offset 0x%x: %s",
                    d->list[i].offset, d->list[i].rule);
        else
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLE_INVALID, place_of("%s", table), "offset 0x%x: %s",
                    d->list[i].offset, d->list[i].rule);
    }
    if (d->n > ACPI_DEFECTS)
        check_note(c, "%s: %u defects in all", table, d->n);
}

void evidence_acpi_table(struct check *c, const char *table, const struct acpi_raw *raw)
{
    for (uint32_t at = 0; at < raw->length && at < 512; at += 8) {
        uint64_t value = 0;

        memcpy(&value, raw->bytes + at, raw->length - at < 8 ? raw->length - at : 8);
        evidence_register(c, "acpi", table, at, value);
    }
}

enum status erdt_open(struct check *c, struct erdt *t)
{
    const struct acpi_raw *raw = acpi_raw_of(c, ACPI_ERDT);
    enum status st;

    *t = (struct erdt){ 0 };
    if (!raw->bytes)
        return check_absent(c, "no usable ERDT");
    st = erdt_decode(raw->bytes, raw->length, t);
    if (st == ST_UNSUPPORTED)
        return check_absent(c, "ERDT revision %u is not supported, only revision 1", t->revision);
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, c->machine->reference, "ERDT");
}

/* Witness: the table itself.   Detects: wrong lengths, references to domains that do not exist. */
static enum status check_erdt_shape(struct check *c)
{
    struct erdt t;

    TRY(erdt_open(c, &t));
    evidence_acpi_table(c, "ERDT", acpi_raw_of(c, ACPI_ERDT));
    check_measure(c, "domains", place_of("ERDT"), t.n_domains, "", 0, NO_BOUND);
    acpi_report_defects(c, "ERDT", &t.defects);
    erdt_free(&t);
    return ST_OK;
}

/* --- blocks of registers ------------------------------------------------------------------------------------------ */

static const char *const type_names[ERDT_TYPES] = { "RMDD", "CACD", "DACD", "CMRC", "MMRC", "MARC",
                                                    "CARC", "CMRD", "IBRD", "IBAD", "CARD" };

uint32_t mrrm_regions(const struct check *c)
{
    const struct acpi_raw *raw = acpi_raw_of(c, ACPI_MRRM);

    return raw->bytes && raw->length > 36 && raw->bytes[36] > 0 ? raw->bytes[36] : 1;
}

bool srat_has_memory(const struct check *c, uint64_t base, uint64_t bytes)
{
    EACH(const struct acpi_affinity_memory, m, c->machine->acpi.affinity_memory, c->machine->acpi.n_affinity_memory)
        if (!m->hot_pluggable && !m->non_volatile && m->bytes && bytes && base <= m->base + (m->bytes - 1) &&
            m->base <= base + (bytes - 1))
            return true;
    return false;
}

static void judge_register_address(struct check *c, struct place place, uint64_t base, uint64_t bytes)
{
    evidence_register(c, "acpi", place.detail, base, bytes);
    if (base % ERDT_PAGE)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place, "registers at 0x%lx, not aligned to 4 KiB", base);
    if (base == 0 || bytes == 0 || base + bytes < base)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place,
                "registers at 0x%lx, 0x%lx bytes: not a valid address range", base, bytes);
    else if (srat_has_memory(c, base, bytes))
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place,
                "registers at 0x%lx, 0x%lx bytes, overlap memory of SRAT", base, bytes);
}

static void judge_block(struct check *c, const struct erdt *t, const struct erdt_domain *d, enum erdt_type type)
{
    const struct erdt_block *b = &d->blocks[type];
    uint64_t bytes = b->pages * ERDT_PAGE, needed = erdt_needed_bytes(t, d, type, mrrm_regions(c));
    struct place place = place_of("ERDT domain %u, %s", d->id, type_names[type]);

    for (uint32_t i = 0; i < 3; i++)
        if (type == ERDT_MARC ? b->flags & BIT(i) : i == 0)
            judge_register_address(c, place, b->base[i], bytes);
    if (b->index_function != 1)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place, "register index function %u, only 1 is defined",
                b->index_function);
    if (needed == UINT64_MAX)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place, "0 registers in a run");
    else if (needed > bytes)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place,
                "its last register ends 0x%lx bytes from the base, the block has 0x%lx bytes", needed, bytes);
    if (type != ERDT_MMRC && type != ERDT_IBRD)
        return;
    if (!check_measure(c, "counter width", place, b->width, "bits", 1, 62))
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place,
                "counter width %u bits, a register has 62 data bits", b->width);
    if (b->n_factors > 1 && b->n_factors != (uint64_t)d->max_rmid + 1)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place,
                "%u correction factors; 0, 1 or %lu (one for each RMID) are valid", b->n_factors,
                (uint64_t)d->max_rmid + 1);
}

static enum status check_erdt_blocks(struct check *c)
{
    struct erdt t;

    TRY(erdt_open(c, &t));
    EACH(const struct erdt_domain, d, t.domains, t.n_domains) {
        judge_register_address(c, place_of("ERDT domain %u, control", d->id), d->control_base,
                               d->control_pages * ERDT_PAGE);
        for (uint32_t type = ERDT_CMRC; type < ERDT_TYPES; type++)
            if (d->blocks[type].present && type != ERDT_CARC && type != ERDT_IBAD)
                judge_block(c, &t, d, (enum erdt_type)type);
    }
    if (t.n_domains == 0)
        check_skip(c, "ERDT has no resource management domain");
    erdt_free(&t);
    return ST_OK;
}

/* --- ERDT against CPUID ------------------------------------------------------------------------------------------- */

static uint32_t cpu_of_apic(const struct check *c, uint32_t apic_id)
{
    return FIND(i, c->platform->n_cpus, c->platform->cpus[i].apic_id == apic_id, i, UINT32_MAX);
}

uint32_t erdt_l3_domain(const struct check *c, const struct erdt *t, const struct erdt_domain *d)
{
    for (uint32_t i = 0; i < d->n_cpus; i++) {
        uint32_t cpu = cpu_of_apic(c, t->apic_ids[d->first_cpu + i]);

        if (cpu != UINT32_MAX && c->machine->cpus[cpu].domain != NO_DOMAIN)
            return c->machine->cpus[cpu].domain;
    }
    return NO_DOMAIN;
}

/* Each processor of the L3 once, and none of another L3. Ids that firmware does not start are ignored: a part with
 * disabled cores may list them. */
static void erdt_compare_cpus(struct check *c, const struct erdt *t, const struct erdt_domain *d, uint32_t l3,
                              uint8_t *seen)
{
    for (uint32_t i = 0; i < d->n_cpus; i++) {
        uint32_t apic_id = t->apic_ids[d->first_cpu + i], cpu = cpu_of_apic(c, apic_id);

        if (cpu == UINT32_MAX || c->machine->cpus[cpu].enumerated != ST_OK)
            continue;
        if (seen[cpu]++)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                    "lists APIC 0x%x, which is listed already", apic_id);
        else if (c->machine->cpus[cpu].domain != l3)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                    "is L3 domain %u, and lists APIC 0x%x of L3 domain %u", l3, apic_id, c->machine->cpus[cpu].domain);
    }
}

static void erdt_compare_domain(struct check *c, const struct erdt_domain *d, uint32_t l3)
{
    const struct l3_domain *l = &c->machine->domains[l3];

    if (!check_measure(c, "highest RMID", erdt_place(d), d->max_rmid, "", l->max_rmid, l->max_rmid))
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d), "maximum RMID is %u, that of CPUID %u",
                d->max_rmid, l->max_rmid);
    if (d->ways && (d->flags & ERDT_RMDD_CPU_L3) && d->ways != l->l3_ways)
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                "an L3 of %u ways, CPUID leaf 4 has %u ways", d->ways, l->l3_ways);
    if (d->blocks[ERDT_CMRC].present &&
        !check_measure(c, "upscaling factor of CMRC", erdt_place(d), (double)d->blocks[ERDT_CMRC].scale, "bytes",
                       l->upscaling_factor, l->upscaling_factor))
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                "occupancy upscaling factor is %lu bytes, that of CPUID.(EAX=0FH,ECX=1):EBX %u bytes",
                d->blocks[ERDT_CMRC].scale, l->upscaling_factor);
}

/* The blocks of processors' monitoring and allocation, which CPUID enumerates alike for all. Those of I/O are there where
 * an L3 is of I/O too. */
static uint32_t erdt_blocks_of(const struct erdt_domain *d)
{
    uint32_t present = 0;

    for (uint32_t type = ERDT_CMRC; type < ERDT_CMRD; type++)
        present |= (uint32_t)d->blocks[type].present << type;
    return present;
}

/* Linux' erdt.c (series of 2026) drops the whole table where a domain of processors lists none or has RMID 0 alone, or
 * where one has CMRC and another has not (an early version: MMRC too). It leaves out processors of an L3 that a second
 * domain names, or that no domain lists; ids of CACD that it does not know it passes over. */
static void erdt_bind(struct check *c, const struct erdt *t)
{
    const struct erdt_domain *first = NULL;

    for (uint32_t i = 0; i < t->n_domains; i++) {
        const struct erdt_domain *d = &t->domains[i];

        if (!(d->flags & ERDT_RMDD_CPU_L3))
            continue;
        first = first ? first : d;
        if (d->n_cpus == 0)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d), "is of processors, and lists none");
        if (d->max_rmid == 0)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                    "is of processors, and has RMID 0 alone");
        if (erdt_blocks_of(d) != erdt_blocks_of(first))
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                    "has blocks of types 0x%x, domain %u of types 0x%x", erdt_blocks_of(d), first->id,
                    erdt_blocks_of(first));
        for (uint32_t k = 0; k < i; k++)
            if ((t->domains[k].flags & ERDT_RMDD_CPU_L3) && erdt_l3_domain(c, t, d) != NO_DOMAIN &&
                erdt_l3_domain(c, t, d) == erdt_l3_domain(c, t, &t->domains[k]))
                finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, erdt_place(d),
                        "is of L3 domain %u, as domain %u is", erdt_l3_domain(c, t, d), t->domains[k].id);
    }
}

static void erdt_compare_domains(struct check *c, const struct erdt *t, uint8_t *seen)
{
    erdt_bind(c, t);
    EACH(const struct erdt_domain, d, t->domains, t->n_domains) {
        uint32_t l3 = erdt_l3_domain(c, t, d);

        if (l3 == NO_DOMAIN)
            continue;
        erdt_compare_domain(c, d, l3);
        erdt_compare_cpus(c, t, d, l3, seen);
    }
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (c->machine->cpus[i].enumerated == ST_OK && c->machine->cpus[i].domain != NO_DOMAIN && !seen[i])
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, place_cpu(i), "is in no ERDT domain");
    evidence_swept(c, "x2APIC ids of CACD compared with CPUID leaf 4", t->n_apic_ids);
}

static enum status check_erdt_cpuid(struct check *c)
{
    struct erdt t;
    uint8_t *seen = check_alloc(c, c->machine->n_cpus);

    TRY(seen ? erdt_open(c, &t) : check_unmeasured(c, ST_NO_MEMORY, c->machine->reference, "list of processors"));
    if (t.n_apic_ids == 0)
        check_skip(c, "ERDT lists no processor");
    else
        erdt_compare_domains(c, &t, seen);
    erdt_free(&t);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "acpi.erdt",
      .title = "ERDT is well-formed, its domains unique, its references valid",
      .covers = "AC-01 AC-02",
      .detects = "a malformed table, a reference to a domain that does not exist",
      .run = check_erdt_shape },
    { .id = "acpi.erdt-blocks",
      .title = "ERDT register blocks are aligned, complete and outside memory",
      .covers = "AC-05 AC-07",
      .detects = "a wrong base or size, a wrong number of correction factors",
      .run = check_erdt_blocks },
    { .id = "acpi.erdt-cpuid",
      .title = "ERDT and CPUID agree on RMIDs, ways, factors and processors",
      .covers = "AC-03 AC-04 AC-06",
      .detects = "a table of another part, a processor in no ERDT domain",
      .needs = NEED_RDT_M,
      .grade = GRADE_W,
      .run = check_erdt_cpuid },
};
CHECK_FAMILY(erdt, rows, ACPI_FAMILY, .spec = RDTA_ERDT, .order = 220);
