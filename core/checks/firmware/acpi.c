/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ACPI tables: whole, without contradiction, and in agreement with CPUID and SRAT. */
#include "arch/x86/tables/acpi_rdt.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#include <string.h>

#define RDTA_ERDT "RDT Architecture Specification 356688, chapter 5, ERDT"
#define RDTA_MRRM "RDT Architecture Specification 356688, chapter 5, MRRM"
#define RDTA_IRDT "RDT Architecture Specification 356688, chapter 6, IRDT"
#define PAGE      UINT64_C(4096)

static const struct acpi_raw *raw_of(const struct check *c, enum acpi_rdt_table which)
{
    return &c->machine->acpi.rdt[which];
}

/* --- every table that is read ------------------------------------------------------------------------------------- */

static bool is_read(const char *signature)
{
    static const char read[][5] = { "RSDP", "XSDT", "RSDT", "APIC", "SRAT", "MCFG", "FACP", "ERDT", "MRRM", "IRDT" };

    for (uint32_t i = 0; i < sizeof read / sizeof read[0]; i++)
        if (text_equal(signature, read[i]))
            return true;
    return false;
}

static enum verdict check_acpi_tables(struct check *c)
{
    const struct acpi_info *acpi = &c->machine->acpi;
    uint32_t listed = acpi->n_tables < ACPI_NOTES ? acpi->n_tables : ACPI_NOTES;

    if (acpi->status == ST_ABSENT || (acpi->status == ST_OK && acpi->n_tables == 0))
        return skip(c, "firmware has no ACPI root pointer");
    for (uint32_t i = 0; i < listed; i++) {
        const struct acpi_table_note *t = &acpi->tables[i];

        evidence_register(c, "acpi", t->signature, t->address, t->length);
        if (t->status == ST_OK)
            continue;
        if (is_read(t->signature))
            fail(c, "%s at 0x%llx, %u bytes: %s (%s)", t->signature, (unsigned long long)t->address, t->length, t->what,
                 status_text(t->status));
        else
            warn(c, "%s at 0x%llx, %u bytes: %s (%s)", t->signature, (unsigned long long)t->address, t->length, t->what,
                 status_text(t->status));
    }
    evidence_swept(c, "ACPI tables: length, checksum, place, entries", acpi->n_tables);
    if (acpi->status != ST_OK)
        fail(c, "there is no usable root table");
    return check_verdict(c);
}

/* --- shape -------------------------------------------------------------------------------------------------------- */

/* Lengths, order and references break the specification; a reserved bit may be of a later one. */
static void tell_defects(struct check *c, const char *table, const struct acpi_defects *d)
{
    for (uint32_t i = 0; i < d->n && i < ACPI_DEFECTS; i++) {
        if (d->list[i].shape)
            fail(c, "%s, offset 0x%x: %s", table, d->list[i].offset, d->list[i].rule);
        else
            warn(c, "%s, offset 0x%x: %s", table, d->list[i].offset, d->list[i].rule);
    }
    if (d->n > ACPI_DEFECTS)
        note(c, "%s breaks %u rules in all", table, d->n);
}

/* The table's bytes, for whoever wants to decode them again. */
static void evidence_table(struct check *c, const char *table, const struct acpi_raw *raw)
{
    for (uint32_t at = 0; at < raw->length && at < 512; at += 8) {
        uint64_t value = 0;

        memcpy(&value, raw->bytes + at, raw->length - at < 8 ? raw->length - at : 8);
        evidence_register(c, "acpi", table, at, value);
    }
}

/* A decoded ERDT, to be given back; false: the check ends with check_verdict(c). */
static bool erdt_open(struct check *c, struct erdt *t)
{
    const struct acpi_raw *raw = raw_of(c, ACPI_ERDT);
    enum status st;

    if (!raw->bytes) {
        skip(c, "ACPI has no usable ERDT");
        return false;
    }
    st = erdt_decode(raw->bytes, raw->length, t);
    if (st == ST_UNSUPPORTED)
        skip(c, "ERDT has revision %u; 1 is known", t->revision);
    else if (st != ST_OK)
        cannot_measure(c, st, c->machine->reference, "ERDT");
    return st == ST_OK;
}

/* Witness: the table itself.   Catches: lengths that lie, a domain that is named and not there. */
static enum verdict check_erdt_shape(struct check *c)
{
    struct erdt t;

    if (!erdt_open(c, &t))
        return check_verdict(c);
    evidence_table(c, "ERDT", raw_of(c, ACPI_ERDT));
    measure(c, "domains", "ERDT", t.n_domains, "", 0, NO_BOUND);
    tell_defects(c, "ERDT", &t.defects);
    erdt_free(&t);
    return check_verdict(c);
}

/* --- blocks of registers ------------------------------------------------------------------------------------------ */

static const char *const type_names[ERDT_TYPES] = { "RMDD", "CACD", "DACD", "CMRC", "MMRC", "MARC",
                                                    "CARC", "CMRD", "IBRD", "IBAD", "CARD" };

/* Memory regions: of MRRM, one where there is none (356688 chapter 5). */
static uint32_t regions(const struct check *c)
{
    const struct acpi_raw *raw = raw_of(c, ACPI_MRRM);

    return raw->bytes && raw->length > 36 && raw->bytes[36] > 0 ? raw->bytes[36] : 1;
}

/* Memory that is there: a range for hot plugging may be laid over anything. */
static bool in_memory(const struct check *c, uint64_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < c->machine->acpi.n_affinity_memory; i++) {
        const struct acpi_affinity_memory *m = &c->machine->acpi.affinity_memory[i];

        if (!m->hot_pluggable && !m->non_volatile && m->bytes && bytes && base <= m->base + (m->bytes - 1) &&
            m->base <= base + (bytes - 1))
            return true;
    }
    return false;
}

static void judge_place(struct check *c, const char *where, uint64_t base, uint64_t bytes)
{
    evidence_register(c, "acpi", where, base, bytes);
    if (base % PAGE)
        fail(c, "%s: registers at 0x%llx, which is no multiple of 4 KiB", where, (unsigned long long)base);
    if (base == 0 || bytes == 0 || base + bytes < base)
        fail(c, "%s: registers at 0x%llx, 0x%llx bytes: no such place", where, (unsigned long long)base,
             (unsigned long long)bytes);
    else if (in_memory(c, base, bytes))
        fail(c, "%s: registers at 0x%llx, 0x%llx bytes, where SRAT has memory", where, (unsigned long long)base,
             (unsigned long long)bytes);
}

static void judge_block(struct check *c, const struct erdt *t, const struct erdt_domain *d, enum erdt_type type)
{
    const struct erdt_block *b = &d->blocks[type];
    uint64_t bytes = b->pages * PAGE, needed = erdt_needed_bytes(t, d, type, regions(c));
    char where[64];

    text_format(where, sizeof where, "ERDT domain %u, %s", d->id, type_names[type]);
    for (uint32_t i = 0; i < 3; i++)
        if (type == ERDT_MARC ? b->flags & BIT(i) : i == 0)
            judge_place(c, where, b->base[i], bytes);
    if (b->index_function != 1)
        fail(c, "%s: register index function %u; 1 is the only one", where, b->index_function);
    if (needed == UINT64_MAX)
        fail(c, "%s: no register in a run", where);
    else if (needed > bytes)
        fail(c, "%s: the last of its registers ends 0x%llx bytes behind the base, the block after 0x%llx", where,
             (unsigned long long)needed, (unsigned long long)bytes);
    if (type != ERDT_MMRC && type != ERDT_IBRD)
        return;
    if (!measure(c, "counter width", where, b->width, "bits", 1, 62))
        fail(c, "%s: counters of %u bits; a register has 62 for them", where, b->width);
    if (b->n_factors > 1 && b->n_factors != (uint64_t)d->max_rmid + 1)
        fail(c, "%s: %u correction factors; 0, 1 or one for each of %llu RMIDs", where, b->n_factors,
             (unsigned long long)d->max_rmid + 1);
}

static enum verdict check_erdt_blocks(struct check *c)
{
    struct erdt t;

    if (!erdt_open(c, &t))
        return check_verdict(c);
    for (uint32_t i = 0; i < t.n_domains; i++) {
        const struct erdt_domain *d = &t.domains[i];
        char where[64];

        text_format(where, sizeof where, "ERDT domain %u, control", d->id);
        judge_place(c, where, d->control_base, d->control_pages * PAGE);
        for (uint32_t type = ERDT_CMRC; type < ERDT_TYPES; type++)
            if (d->blocks[type].present && type != ERDT_CARC && type != ERDT_IBAD)
                judge_block(c, &t, d, (enum erdt_type)type);
    }
    if (t.n_domains == 0)
        skip(c, "ERDT has no domain");
    erdt_free(&t);
    return check_verdict(c);
}

/* --- against CPUID ------------------------------------------------------------------------------------------------ */

static uint32_t cpu_of_apic(const struct check *c, uint32_t apic_id)
{
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        if (c->platform->cpus[i].apic_id == apic_id)
            return i;
    return UINT32_MAX;
}

/* The L3 domain that the first known processor of a CACD is in; NO_DOMAIN: none is known. */
static uint32_t l3_of(const struct check *c, const struct erdt *t, const struct erdt_domain *d)
{
    for (uint32_t i = 0; i < d->n_cpus; i++) {
        uint32_t cpu = cpu_of_apic(c, t->apic_ids[d->first_cpu + i]);

        if (cpu != UINT32_MAX && c->machine->cpus[cpu].domain != NO_DOMAIN)
            return c->machine->cpus[cpu].domain;
    }
    return NO_DOMAIN;
}

/* Each processor of the L3 once, and nobody else's. Ids that firmware does not start are left aside: a part with cores
 * switched off may list them. */
static void judge_members(struct check *c, const struct erdt *t, const struct erdt_domain *d, uint32_t l3,
                          uint8_t *seen)
{
    for (uint32_t i = 0; i < d->n_cpus; i++) {
        uint32_t apic_id = t->apic_ids[d->first_cpu + i], cpu = cpu_of_apic(c, apic_id);

        if (cpu == UINT32_MAX || c->machine->cpus[cpu].enumerated != ST_OK)
            continue;
        if (seen[cpu]++)
            warn(c, "ERDT domain %u lists APIC 0x%x, which is listed before", d->id, apic_id);
        else if (c->machine->cpus[cpu].domain != l3)
            warn(c, "ERDT domain %u has L3 domain %u, and lists APIC 0x%x of L3 domain %u", d->id, l3, apic_id,
                 c->machine->cpus[cpu].domain);
    }
}

static void judge_domain(struct check *c, const struct erdt_domain *d, uint32_t l3)
{
    const struct l3_domain *l = &c->machine->domains[l3];
    char where[32];

    text_format(where, sizeof where, "ERDT domain %u", d->id);
    if (!measure(c, "highest RMID", where, d->max_rmid, "", l->max_rmid, l->max_rmid))
        warn(c, "%s has RMIDs to %u, CPUID to %u", where, d->max_rmid, l->max_rmid);
    if (d->ways && (d->flags & ERDT_RMDD_CPU_L3) && d->ways != l->l3_ways)
        warn(c, "%s has an L3 of %u ways, CPUID leaf 4 one of %u", where, d->ways, l->l3_ways);
    if (d->blocks[ERDT_CMRC].present && !measure(c, "bytes a count of CMRC", where, (double)d->blocks[ERDT_CMRC].scale,
                                                 "bytes", l->upscaling_factor, l->upscaling_factor))
        warn(c, "%s counts occupancy in %llu bytes, CPUID.(0FH,1):EBX says %u", where,
             (unsigned long long)d->blocks[ERDT_CMRC].scale, l->upscaling_factor);
}

static void judge_domains(struct check *c, const struct erdt *t, uint8_t *seen)
{
    for (uint32_t i = 0; i < t->n_domains; i++) {
        const struct erdt_domain *d = &t->domains[i];
        uint32_t l3 = l3_of(c, t, d);

        if (l3 == NO_DOMAIN)
            continue;
        judge_domain(c, d, l3);
        judge_members(c, t, d, l3, seen);
    }
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (c->machine->cpus[i].enumerated == ST_OK && c->machine->cpus[i].domain != NO_DOMAIN && !seen[i])
            warn(c, "cpu %u (APIC 0x%x) is in no domain of ERDT", i, c->platform->cpus[i].apic_id);
    evidence_swept(c, "x2APIC ids of CACD against leaf 4", t->n_apic_ids);
}

static enum verdict check_erdt_cpuid(struct check *c)
{
    struct erdt t;
    uint8_t *seen;

    if (!erdt_open(c, &t))
        return check_verdict(c);
    seen = heap_alloc(c->machine->n_cpus);
    if (!seen)
        cannot_measure(c, ST_NO_MEMORY, c->machine->reference, "list of processors");
    else if (t.n_apic_ids == 0)
        skip(c, "ERDT lists no processor");
    else
        judge_domains(c, &t, seen);
    heap_free(seen);
    erdt_free(&t);
    return check_verdict(c);
}

/* --- registers in memory ------------------------------------------------------------------------------------------ */

/* Only where firmware's own table says that a register is: aligned, in its block, not in memory. */
static enum status read_register(struct check *c, uint64_t base, uint64_t pages, uint64_t offset, uint64_t *value)
{
    uint64_t bytes = pages * PAGE;

    if (base == 0 || base % PAGE || offset % 8 || offset + 8 > bytes || base + bytes < base ||
        in_memory(c, base, bytes))
        return ST_RANGE;
    return mmio_read(c->platform, base + offset, 8, value);
}

#define MBA_FIELDS UINT64_C(0x01FF01FF01FF01FF) /* four regions a register, nine bits each; all open */

/* In total mode the registers may say anything: 356688 has software use MSRs then. */
static void judge_throttles(struct check *c, const struct erdt *t, const struct erdt_domain *d, bool by_region)
{
    static const char *const names[3] = { "optimal", "minimum", "maximum" };
    const struct erdt_block *b = &d->blocks[ERDT_MARC];
    uint64_t open = MBA_FIELDS & low_bits(regions(c) >= 4 ? 64 : 16 * regions(c));

    for (uint32_t i = 0; i < 3; i++) {
        bool there = b->flags & BIT(i);

        if (there && b->base[i] == 0)
            warn(c, "ERDT domain %u: MARC promises %s values and has no address for them", d->id, names[i]);
        for (uint32_t clos = 0; there && b->base[i] && clos <= t->max_clos && clos < 64; clos++) {
            uint64_t value = 0;

            if (read_register(c, b->base[i], b->pages, erdt_mba_offset(clos, 0), &value) != ST_OK)
                break;
            evidence_register(c, "mmio", names[i], b->base[i] + erdt_mba_offset(clos, 0), value);
            if (by_region && (value & open) != open)
                warn(c, "ERDT domain %u, class %u: %s bandwidth is 0x%llx, open is 0x1ff in each field", d->id, clos,
                     names[i], (unsigned long long)value);
        }
    }
}

static enum verdict check_erdt_control(struct check *c)
{
    struct erdt t;
    uint64_t first = 0, value = 0;
    uint32_t n = 0;

    if (!erdt_open(c, &t))
        return check_verdict(c);
    for (uint32_t i = 0; i < t.n_domains; i++) {
        const struct erdt_domain *d = &t.domains[i];
        enum status st = read_register(c, d->control_base, d->control_pages, 0, &value);

        if (st != ST_OK) {
            note(c, "ERDT domain %u: its control register at 0x%llx was not read: %s", d->id,
                 (unsigned long long)d->control_base, status_text(st));
            continue;
        }
        evidence_register(c, "mmio", "RDT_CTRL", d->control_base, value);
        if (n++ == 0)
            first = value;
        else if (value != first)
            warn(c, "RDT_CTRL is 0x%llx in ERDT domain %u, and 0x%llx in the first", (unsigned long long)value, d->id,
                 (unsigned long long)first);
        if (value != RDT_CTRL_TME)
            warn(c, "ERDT domain %u: RDT_CTRL is 0x%llx; after reset it is 4, bandwidth by MSRs", d->id,
                 (unsigned long long)value);
        if (d->blocks[ERDT_MARC].present)
            judge_throttles(c, &t, d, !(value & RDT_CTRL_TME));
    }
    if (n == 0)
        skip(c, "no control register of ERDT could be read");
    erdt_free(&t);
    return check_verdict(c);
}

/* --- occupancy, seen twice ---------------------------------------------------------------------------------------- */

#define CMT_UNAVAILABLE BIT(63)
#define CMT_COUNT       BITS(62, 0)
#define VIEW_RMIDS      8u

/* The register, IA32_QM_CTR, the register again: what moves meanwhile shows as a difference of the two. */
static void compare_views(struct check *c, const struct erdt_domain *d, uint32_t l3, uint32_t rmid, uint32_t *compared)
{
    const struct erdt_block *b = &d->blocks[ERDT_CMRC];
    struct qm_domain *q = domain_qm(c, l3);
    uint64_t offset = erdt_cmt_offset(b, rmid), before = 0, after = 0;
    double unit = (double)(b->scale > q->upscaling_factor ? b->scale : q->upscaling_factor), bytes, lo, hi;
    struct qm_sample s;
    char where[48];

    if (offset == UINT64_MAX || read_register(c, b->base[0], b->pages, offset, &before) != ST_OK ||
        qm_read(c->platform, q, rmid, QM_EVENT_L3_OCCUPANCY, &s) != ST_OK ||
        read_register(c, b->base[0], b->pages, offset, &after) != ST_OK)
        return;
    evidence_register(c, "mmio", "CMRC", b->base[0] + offset, after);
    evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    if (b->flags & ERDT_CMRC_UNAVAILABLE && (before | after) & CMT_UNAVAILABLE)
        return;
    lo = (double)(before & CMT_COUNT) * (double)b->scale;
    hi = (double)(after & CMT_COUNT) * (double)b->scale;
    if (lo > hi) {
        bytes = lo;
        lo = hi;
        hi = bytes;
    }
    bytes = (double)qm_bytes(q, s.counts);
    text_format(where, sizeof where, "L3 domain %u, RMID %u", l3, rmid);
    if (!measure(c, "occupancy by MSR, band by memory", where, bytes, "bytes", lo - unit, hi + unit))
        warn(c, "%s: IA32_QM_CTR and the register in memory differ by more than one count and what moved", where);
    ++*compared;
}

/* An RMID other than 0 gets lines of its own, else nothing would tell one register from its neighbour. Returns it, or 0
 * where no load can be run: views of idle RMIDs are compared all the same. */
static uint32_t fill_one(struct check *c, uint32_t l3)
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    char why[WHY_SIZE];

    if (!bench_any(c, l3, 1, 2 * small_fill_bytes(c, l3), &b, why)) {
        note(c, "L3 domain %u: %s; idle RMIDs are compared alone", l3, why);
        return 0;
    }
    load.cpu = b.cpu;
    part = part_fill(c, l3, b.rmids[0], b.base, b.bytes);
    r = reading_of("occupancy by MSR", l3, b.rmids[0], QM_EVENT_L3_OCCUPANCY);
    r.lo = 0;
    r.hi = (double)c->machine->domains[l3].l3_bytes;
    return experiment_run(&e) ? b.rmids[0] : 0;
}

static enum verdict check_erdt_occupancy(struct check *c)
{
    struct erdt t;
    uint32_t compared = 0;

    if (!erdt_open(c, &t))
        return check_verdict(c);
    for (uint32_t i = 0; i < t.n_domains; i++) {
        const struct erdt_domain *d = &t.domains[i];
        uint32_t l3 = l3_of(c, &t, d), last, filled;

        if (l3 == NO_DOMAIN || !d->blocks[ERDT_CMRC].present || !domain_qm(c, l3))
            continue;
        filled = fill_one(c, l3);
        last = domain_qm(c, l3)->max_rmid < d->max_rmid ? domain_qm(c, l3)->max_rmid : d->max_rmid;
        for (uint32_t rmid = 0; rmid <= last && rmid < VIEW_RMIDS; rmid++)
            compare_views(c, d, l3, rmid, &compared);
        if (last >= VIEW_RMIDS)
            compare_views(c, d, l3, last, &compared);
        if (filled >= VIEW_RMIDS && filled != last && filled <= last)
            compare_views(c, d, l3, filled, &compared);
    }
    if (compared == 0 && check_verdict(c) == VERDICT_PASS)
        skip(c, "no occupancy register of ERDT could be read beside IA32_QM_CTR");
    erdt_free(&t);
    return check_verdict(c);
}

/* --- MRRM and IRDT ------------------------------------------------------------------------------------------------ */

#define RANGES_MOST 4096u /* a machine has a few; a table that lies must not cost minutes */

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

/* Bytes of a range that no range of SRAT has; SRAT's own ranges do not overlap. */
static uint64_t outside_srat(const struct acpi_info *acpi, uint64_t base, uint64_t bytes)
{
    uint64_t inside = 0;

    for (uint32_t i = 0; i < acpi->n_affinity_memory; i++)
        inside += common_bytes(base, bytes, acpi->affinity_memory[i].base, acpi->affinity_memory[i].bytes);
    return inside < bytes ? bytes - inside : 0;
}

static uint64_t outside_mrrm(const struct mrrm *t, const struct acpi_affinity_memory *m)
{
    uint64_t inside = 0;

    for (uint32_t i = 0; i < t->n_ranges; i++)
        inside += common_bytes(t->ranges[i].base, t->ranges[i].bytes, m->base, m->bytes);
    return inside < m->bytes ? m->bytes - inside : 0;
}

static void compare_with_srat(struct check *c, const struct mrrm *t)
{
    const struct acpi_info *acpi = &c->machine->acpi;

    if (t->n_ranges > RANGES_MOST) {
        note(c, "MRRM has %u ranges, more than the %u that are held against SRAT", t->n_ranges, RANGES_MOST);
        return;
    }
    for (uint32_t i = 0; i < t->n_ranges; i++) {
        uint64_t bytes = outside_srat(acpi, t->ranges[i].base, t->ranges[i].bytes);

        if (bytes)
            fail(c, "MRRM, offset 0x%x: 0x%llx of the 0x%llx bytes from 0x%llx on are in no range of SRAT",
                 t->ranges[i].offset, (unsigned long long)bytes, (unsigned long long)t->ranges[i].bytes,
                 (unsigned long long)t->ranges[i].base);
    }
    for (uint32_t i = 0; i < acpi->n_affinity_memory; i++) {
        const struct acpi_affinity_memory *m = &acpi->affinity_memory[i];
        uint64_t bytes = outside_mrrm(t, m);

        if (bytes && !m->hot_pluggable && !m->non_volatile)
            fail(c, "SRAT has 0x%llx bytes from 0x%llx on, of which 0x%llx are in no range of MRRM",
                 (unsigned long long)m->bytes, (unsigned long long)m->base, (unsigned long long)bytes);
    }
    evidence_swept(c, "ranges of MRRM and SRAT against each other", t->n_ranges + acpi->n_affinity_memory);
}

static enum verdict check_mrrm(struct check *c)
{
    const struct acpi_raw *raw = raw_of(c, ACPI_MRRM);
    struct mrrm t;
    enum status st;

    if (!raw->bytes)
        return skip(c, "ACPI has no usable MRRM");
    st = mrrm_decode(raw->bytes, raw->length, &t);
    if (st == ST_UNSUPPORTED)
        return skip(c, "MRRM has revision %u; 1 is known", t.revision);
    if (st != ST_OK)
        return cannot_measure(c, st, c->machine->reference, "MRRM");
    evidence_table(c, "MRRM", raw);
    measure(c, "regions", "MRRM", t.max_regions, "", 0, NO_BOUND);
    tell_defects(c, "MRRM", &t.defects);
    if (!c->machine->acpi.srat)
        note(c, "there is no SRAT to hold the ranges against");
    else if (t.defects.n == 0)
        compare_with_srat(c, &t);
    mrrm_free(&t);
    return check_verdict(c);
}

/* AC-13. The table has a pair of flags for each of two protocols; what CPUID has is theirs together. */
static void judge_flags(struct check *c, const struct irdt *t)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint16_t any = t->io_flags | t->cache_flags;
    bool monitoring = rdt->non_cpu_cmt || rdt->non_cpu_mbm, control = rdt->l3.known && rdt->l3.non_cpu;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    if (monitoring != !!(any & IRDT_MONITORING))
        warn(c, "IRDT %s monitoring of devices, and CPUID.(0xf,1):EAX[10:9] %s it",
             any & IRDT_MONITORING ? "has" : "has no", monitoring ? "promises" : "does not promise");
    if (control != !!(any & IRDT_CONTROL))
        warn(c, "IRDT %s control of devices, and CPUID.(0x10,1):ECX[1] %s it", any & IRDT_CONTROL ? "has" : "has no",
             control ? "promises" : "does not promise");
}

static enum verdict check_irdt(struct check *c)
{
    const struct acpi_raw *raw = raw_of(c, ACPI_IRDT);
    struct irdt t;

    if (!raw->bytes)
        return skip(c, "ACPI has no usable IRDT");
    if (irdt_decode(raw->bytes, raw->length, &t) != ST_OK)
        return skip(c, "IRDT has revision %u; 1 is known", t.revision);
    evidence_table(c, "IRDT", raw);
    measure(c, "units", "IRDT", t.n_units, "", 0, NO_BOUND);
    tell_defects(c, "IRDT", &t.defects);
    judge_flags(c, &t);
    return check_verdict(c);
}

#define MEANS_USUAL                                                                                                    \
    "a table of firmware's breaks its own rules or contradicts CPUID or SRAT: an operating system that believes it "   \
    "reads the wrong registers"
#define NEXT_USUAL "the offset in the finding against 356688 chapters 5 and 6; the table's bytes in the evidence"

static const struct check_row rows[] = {
    { .id = "acpi.tables",
      .title = "Every ACPI table that is read has a true length and checksum",
      .spec = "ACPI 6.5 5.2.5 RSDP, 5.2.6 System Description Table Header, 5.2.12 MADT, 5.2.16 SRAT",
      .rows = "AC-01 AC-12",
      .detects = "a table that was changed and not summed again, a length that lies",
      .means = "a table that operating systems rely on does not add up: they will leave it aside",
      .next = "address and length in the finding; firmware's table builder; a dump by acpidump under an operating "
              "system",
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_acpi_tables },
    { .id = "acpi.erdt",
      .title = "ERDT adds up, its domains are unique, and its references resolve",
      .spec = RDTA_ERDT,
      .rows = "AC-01 AC-02",
      .detects = "a malformed table, a domain that is named and not there",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_erdt_shape },
    { .id = "acpi.erdt-blocks",
      .title = "Register blocks of ERDT are aligned, long enough and outside memory",
      .spec = RDTA_ERDT,
      .rows = "AC-05 AC-07",
      .detects = "a wrong base or size, a list of correction factors of the wrong length",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_erdt_blocks },
    { .id = "acpi.erdt-cpuid",
      .title = "ERDT and CPUID have the same RMIDs, ways, counts and processors",
      .spec = RDTA_ERDT,
      .rows = "AC-03 AC-04 AC-06",
      .detects = "a table of another part, a processor that no domain lists",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_erdt_cpuid },
    { .id = "acpi.erdt-control",
      .title = "Every domain is in total mode after reset, and nothing is throttled by region",
      .spec = RDTA_ERDT ", RDT_CTRL; MARC",
      .rows = "AC-08 AC-09",
      .detects = "domains in different modes, a default that is not open",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_erdt_control },
    { .id = "acpi.erdt-occupancy",
      .title = "Occupancy is the same by MSR and in memory",
      .spec = RDTA_ERDT ", CMRC",
      .rows = "AC-10",
      .detects = "two views of one count that differ",
      .means = "the register in memory and the MSR show different counts for one RMID",
      .next = "`acpi.erdt-blocks` (is the address right); `acpi.erdt-cpuid` (is the factor the same); which of the "
              "two `cmt.fill` agrees with",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_erdt_occupancy },
    { .id = "acpi.mrrm",
      .title = "The memory regions of MRRM are the memory of SRAT",
      .spec = RDTA_MRRM,
      .rows = "AC-11",
      .detects = "a wrong map of regions",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_mrrm },
    { .id = "acpi.irdt",
      .title = "IRDT adds up, and its devices are controlled by what it lists",
      .spec = RDTA_IRDT,
      .rows = "AC-12 AC-13",
      .detects = "a malformed table; devices that CPUID and ACPI have differently",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 220,
      .run = check_irdt },
};
CHECK_FAMILY(acpi, rows);
