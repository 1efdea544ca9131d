#include "arch/x86/acpi.h"

#include <string.h>

#include "core/bits.h"
#include "core/heap.h"

/* --- layouts ------------------------------------------------------------------------------------------------------ */

struct rsdp { /* ACPI 5.2.5.3 */
    char signature[8];
    uint8_t checksum;
    char oem_id[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length; /* from here on: revision 2 and later */
    uint64_t xsdt;
    uint8_t extended_checksum;
    uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct rsdp) == 36, "ACPI 5.2.5.3");
#define RSDP_V1_BYTES 20u

struct header { /* 5.2.6 */
    char signature[4];
    uint32_t length;
    uint8_t revision;
    uint8_t checksum;
    char oem_id[6];
    char oem_table_id[8];
    uint32_t oem_revision;
    uint32_t creator_id, creator_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct header) == 36, "ACPI 5.2.6");

#define MADT_ENTRIES 44u /* 5.2.12: header, local APIC address, flags */
#define SRAT_ENTRIES 48u /* 5.2.16: header, 12 reserved */
#define MCFG_ENTRIES 44u /* PCI Firmware 4.1.2: header, 8 reserved */

#define MADT_LOCAL_APIC   0u
#define MADT_LOCAL_X2APIC 9u
#define SRAT_CPU          0u
#define SRAT_MEMORY       1u
#define SRAT_X2APIC       2u

#define SRAT_MAX_CPUS   65536u /* so that whoever looks processors up one by one comes to an end */
#define SRAT_MAX_MEMORY 8192u

#define SRAT_FLAGS_ENABLED        BIT(0)
#define SRAT_MEMORY_HOT_PLUGGABLE BIT(1)
#define SRAT_MEMORY_NON_VOLATILE  BIT(2)

struct madt_local_apic { /* 5.2.12.2 */
    uint8_t type, length, processor_uid, apic_id;
    uint32_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_apic) == 8, "ACPI 5.2.12.2");

struct madt_local_x2apic { /* 5.2.12.12 */
    uint8_t type, length;
    uint16_t reserved;
    uint32_t x2apic_id, flags, processor_uid;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_x2apic) == 16, "ACPI 5.2.12.12");

struct srat_cpu { /* 5.2.16.1 */
    uint8_t type, length, proximity_low, apic_id;
    uint32_t flags;
    uint8_t sapic_eid, proximity_high[3];
    uint32_t clock_domain;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_cpu) == 16, "ACPI 5.2.16.1");

struct srat_memory { /* 5.2.16.2 */
    uint8_t type, length;
    uint32_t proximity;
    uint16_t reserved1;
    uint64_t base, bytes;
    uint32_t reserved2, flags;
    uint64_t reserved3;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_memory) == 40, "ACPI 5.2.16.2");

struct srat_x2apic { /* 5.2.16.3 */
    uint8_t type, length;
    uint16_t reserved1;
    uint32_t proximity, x2apic_id, flags, clock_domain, reserved2;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_x2apic) == 24, "ACPI 5.2.16.3");

struct mcfg_entry {
    uint64_t base;
    uint16_t segment;
    uint8_t first_bus, last_bus;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct mcfg_entry) == 16, "PCI Firmware Specification 4.1.2");

/* FADT, 5.2.9: fields by offset, since its length grew with each revision. */
#define FADT_PM_TMR_BLK        76u
#define FADT_PM_TMR_LEN        91u
#define FADT_FLAGS             112u
#define FADT_FLAGS_TMR_VAL_EXT BIT(8)
#define FADT_X_PM_TMR_BLK      208u /* generic address: space, width, offset, access size, 64-bit address */
#define GAS_BYTES              12u
#define GAS_SYSTEM_IO          1u

/* --- notes -------------------------------------------------------------------------------------------------------- */

struct extent {
    uint64_t base, bytes;
};

struct reader {
    struct platform *p;
    struct acpi_info *info;
    struct extent *taken; /* tables accepted so far, for the overlap rule */
    uint32_t n_taken;
    bool fadt;
};

static void put_signature(char out[5], const char signature[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = signature[i] >= ' ' && signature[i] <= '~' ? signature[i] : '?';
    out[4] = '\0';
}

static void note(struct reader *r, const char *signature, uint64_t address, uint32_t length, enum status st,
                 const char *what)
{
    uint32_t n = r->info->n_tables++;

    r->info->n_bad += st != ST_OK;
    if (n >= ACPI_NOTES)
        return;
    put_signature(r->info->tables[n].signature, signature);
    r->info->tables[n].address = address;
    r->info->tables[n].length = length;
    r->info->tables[n].status = st;
    r->info->tables[n].what = what;
}

static void put_text(char *out, const char *from, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes && from[i] != '\0'; i++)
        out[n++] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '.';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

static bool adds_up(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    uint8_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + b[i]);
    return sum == 0;
}

/* --- one table ---------------------------------------------------------------------------------------------------- */

struct table {
    const uint8_t *bytes; /* all of it, NULL: not readable */
    uint32_t length;
    char signature[4];
    enum status status;
    const char *what;
};

static bool overlaps(const struct reader *r, uint64_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < r->n_taken; i++)
        if (base < r->taken[i].base + r->taken[i].bytes && r->taken[i].base < base + bytes)
            return true;
    return false;
}

static enum status table_error(struct table *t, enum status st, const char *what)
{
    t->status = st;
    t->what = what;
    return st;
}

/* The whole table in memory of ours; t->bytes is the caller's to free. ST_NO_MEMORY ends everything, any other status
 * is the table's own trouble. */
static enum status table_load(struct reader *r, uint64_t address, struct table *t)
{
    struct header h;
    uint8_t *bytes;
    enum status st;

    memset(t, 0, sizeof *t);
    memset(t->signature, '?', sizeof t->signature);
    t->what = "";
    if (address == 0)
        return table_error(t, ST_CORRUPT, "address is 0");
    st = phys_read(r->p, address, &h, sizeof h);
    if (st != ST_OK)
        return table_error(t, st, "header cannot be read");
    memcpy(t->signature, h.signature, sizeof t->signature);
    t->length = h.length;
    if (h.length < sizeof h)
        return table_error(t, ST_CORRUPT, "shorter than its header");
    if (h.length > ACPI_MAX_BYTES)
        return table_error(t, ST_CORRUPT, "longer than 16 MiB");
    if (address + h.length < address)
        return table_error(t, ST_CORRUPT, "runs over the end of the address space");
    if (overlaps(r, address, h.length))
        return table_error(t, ST_CORRUPT, "overlaps a table that is listed before it");
    bytes = heap_alloc(h.length);
    if (!bytes)
        return table_error(t, ST_NO_MEMORY, "no memory to read it");
    st = phys_read(r->p, address, bytes, h.length);
    if (st == ST_OK && memcmp(bytes, &h, sizeof h) != 0)
        st = ST_CORRUPT; /* somebody writes to it: the length that was checked may not be this one's */
    if (st != ST_OK || !adds_up(bytes, h.length)) {
        heap_free(bytes);
        return table_error(t, st != ST_OK ? st : ST_CORRUPT, st != ST_OK ? "cannot be read whole" : "bad checksum");
    }
    t->bytes = bytes;
    r->taken[r->n_taken++] = (struct extent){ address, h.length };
    return ST_OK;
}

/* --- tables of entries -------------------------------------------------------------------------------------------- */

/* Entries of a type byte and a length byte. entry_next() steps over them; the entry handed out lies wholly inside. */
struct entries {
    const uint8_t *at, *end;
    bool lied;
};

static struct entries entries_of(const struct table *t, uint32_t offset)
{
    return (struct entries){ t->bytes + (offset < t->length ? offset : t->length), t->bytes + t->length,
                             t->length < offset };
}

static const uint8_t *entry_next(struct entries *e)
{
    const uint8_t *entry = e->at;

    if (e->lied || e->at == e->end)
        return NULL;
    if (e->end - e->at < 2 || entry[1] < 2 || entry[1] > e->end - e->at) {
        e->lied = true;
        return NULL;
    }
    e->at += entry[1];
    return entry;
}

/* Copies an entry of a known type into its structure; false: too short for it. Longer is a later revision's matter. */
static bool entry_as(const uint8_t *entry, void *out, size_t bytes)
{
    if (entry[1] < bytes)
        return false;
    memcpy(out, entry, bytes);
    return true;
}

static const char entry_lies[] = "an entry's length lies";

/* MADT: a processor that is listed in both shapes is one with an id below 255 and one above; both are taken. */
static enum status read_madt(struct reader *r, struct table *t)
{
    struct acpi_info *info = r->info;
    struct entries e = entries_of(t, MADT_ENTRIES);
    uint32_t n = 0;
    const uint8_t *entry;

    while ((entry = entry_next(&e)))
        n += entry[0] == MADT_LOCAL_APIC || entry[0] == MADT_LOCAL_X2APIC;
    if (e.lied) {
        table_error(t, ST_CORRUPT, entry_lies);
        return ST_OK;
    }
    info->cpus = heap_alloc(sizeof *info->cpus * (n ? n : 1));
    if (!info->cpus)
        return ST_NO_MEMORY;
    for (e = entries_of(t, MADT_ENTRIES); (entry = entry_next(&e));) {
        struct madt_local_apic a;
        struct madt_local_x2apic x;

        if (entry[0] == MADT_LOCAL_APIC && entry_as(entry, &a, sizeof a))
            info->cpus[info->n_cpus++] = (struct acpi_cpu){ a.apic_id, a.flags };
        if (entry[0] == MADT_LOCAL_X2APIC && entry_as(entry, &x, sizeof x))
            info->cpus[info->n_cpus++] = (struct acpi_cpu){ x.x2apic_id, x.flags };
    }
    info->madt = true;
    return ST_OK;
}

static void take_affinity(struct acpi_info *info, uint32_t apic_id, uint32_t proximity, uint32_t flags)
{
    if (flags & SRAT_FLAGS_ENABLED)
        info->affinity_cpus[info->n_affinity_cpus++] = (struct acpi_affinity_cpu){ apic_id, proximity };
}

/* One entry of the SRAT. NULL, or what is wrong with it. Before revision 2 a domain had 8 bits, and what are its high
 * bytes now was reserved. */
static const char *take_srat_entry(struct acpi_info *info, const uint8_t *entry, bool wide)
{
    struct srat_cpu c;
    struct srat_memory m;
    struct srat_x2apic x;

    if (entry[0] == SRAT_CPU && entry_as(entry, &c, sizeof c)) {
        uint32_t high = c.proximity_high[0] | (uint32_t)c.proximity_high[1] << 8 | (uint32_t)c.proximity_high[2] << 16;

        take_affinity(info, c.apic_id, c.proximity_low | (wide ? high << 8 : 0), c.flags);
    } else if (entry[0] == SRAT_X2APIC && entry_as(entry, &x, sizeof x)) {
        take_affinity(info, x.x2apic_id, x.proximity, x.flags);
    } else if (entry[0] == SRAT_MEMORY && entry_as(entry, &m, sizeof m)) {
        if (!(m.flags & SRAT_FLAGS_ENABLED) || m.bytes == 0)
            return NULL;
        if (m.base + (m.bytes - 1) < m.base)
            return "a memory range runs over the end of the address space";
        info->affinity_memory[info->n_affinity_memory++] = (struct acpi_affinity_memory){
            .base = m.base,
            .bytes = m.bytes,
            .proximity = wide ? m.proximity : m.proximity & 0xFF,
            .hot_pluggable = m.flags & SRAT_MEMORY_HOT_PLUGGABLE,
            .non_volatile = m.flags & SRAT_MEMORY_NON_VOLATILE,
        };
    }
    return NULL;
}

static void drop_srat(struct acpi_info *info)
{
    heap_free(info->affinity_cpus);
    heap_free(info->affinity_memory);
    info->affinity_cpus = NULL;
    info->affinity_memory = NULL;
    info->n_affinity_cpus = info->n_affinity_memory = 0;
}

static enum status read_srat(struct reader *r, struct table *t)
{
    struct acpi_info *info = r->info;
    struct entries e = entries_of(t, SRAT_ENTRIES);
    bool wide = t->bytes[offsetof(struct header, revision)] >= 2;
    uint32_t n_cpus = 0, n_memory = 0;
    const uint8_t *entry;

    while ((entry = entry_next(&e))) {
        n_cpus += entry[0] == SRAT_CPU || entry[0] == SRAT_X2APIC;
        n_memory += entry[0] == SRAT_MEMORY;
    }
    if (e.lied) {
        table_error(t, ST_CORRUPT, entry_lies);
        return ST_OK;
    }
    if (n_cpus > SRAT_MAX_CPUS || n_memory > SRAT_MAX_MEMORY) {
        table_error(t, ST_CORRUPT, "more entries than any machine has");
        return ST_OK;
    }
    info->affinity_cpus = heap_alloc(sizeof *info->affinity_cpus * (n_cpus ? n_cpus : 1));
    info->affinity_memory = heap_alloc(sizeof *info->affinity_memory * (n_memory ? n_memory : 1));
    if (!info->affinity_cpus || !info->affinity_memory)
        return ST_NO_MEMORY;
    for (e = entries_of(t, SRAT_ENTRIES); (entry = entry_next(&e));) {
        const char *what = take_srat_entry(info, entry, wide);

        if (what) {
            drop_srat(info);
            table_error(t, ST_CORRUPT, what);
            return ST_OK;
        }
    }
    info->srat = true;
    return ST_OK;
}

static enum status read_mcfg(struct reader *r, struct table *t)
{
    struct acpi_info *info = r->info;
    uint32_t n = t->length > MCFG_ENTRIES ? (t->length - MCFG_ENTRIES) / (uint32_t)sizeof(struct mcfg_entry) : 0;

    if (t->length < MCFG_ENTRIES || (t->length - MCFG_ENTRIES) % sizeof(struct mcfg_entry)) {
        table_error(t, ST_CORRUPT, "not a whole number of entries");
        return ST_OK;
    }
    info->mcfg = heap_alloc(sizeof *info->mcfg * (n ? n : 1));
    if (!info->mcfg)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        struct mcfg_entry m;

        memcpy(&m, t->bytes + MCFG_ENTRIES + sizeof m * i, sizeof m);
        if (m.last_bus < m.first_bus || m.base == 0) {
            heap_free(info->mcfg);
            info->mcfg = NULL;
            info->n_mcfg = 0;
            table_error(t, ST_CORRUPT, m.base ? "last bus below first bus" : "base address is 0");
            return ST_OK;
        }
        info->mcfg[info->n_mcfg++] = (struct acpi_mcfg){ m.base, m.segment, m.first_bus, m.last_bus };
    }
    info->mcfg_present = true;
    return ST_OK;
}

static void read_fadt(struct reader *r, const struct table *t)
{
    struct acpi_info *info = r->info;
    uint32_t block = 0, flags = 0;

    r->fadt = true;
    if (t->length >= FADT_PM_TMR_LEN + 1 && t->bytes[FADT_PM_TMR_LEN] == 4)
        memcpy(&block, t->bytes + FADT_PM_TMR_BLK, sizeof block);
    if (t->length >= FADT_FLAGS + sizeof flags)
        memcpy(&flags, t->bytes + FADT_FLAGS, sizeof flags);
    if (t->length >= FADT_X_PM_TMR_BLK + GAS_BYTES && t->bytes[FADT_X_PM_TMR_BLK] == GAS_SYSTEM_IO) {
        uint64_t address;

        memcpy(&address, t->bytes + FADT_X_PM_TMR_BLK + 4, sizeof address);
        if (address != 0)
            block = address <= UINT16_MAX ? (uint32_t)address : 0;
    }
    info->pm_timer_port = block <= UINT16_MAX ? block : 0;
    info->pm_timer_32bit = info->pm_timer_port && (flags & FADT_FLAGS_TMR_VAL_EXT);
}

static bool is(const struct table *t, const char *signature)
{
    return memcmp(t->signature, signature, 4) == 0;
}

/* t->status and t->what may change: a table whose bytes add up can still contradict itself. ST_NO_MEMORY. */
static enum status read_table(struct reader *r, struct table *t)
{
    struct acpi_info *info = r->info;

    if (is(t, "APIC") && !info->madt)
        return read_madt(r, t);
    if (is(t, "SRAT") && !info->srat)
        return read_srat(r, t);
    if (is(t, "MCFG") && !info->mcfg_present)
        return read_mcfg(r, t);
    if (is(t, "FACP") && !r->fadt)
        read_fadt(r, t);
    else if (is(t, "APIC") || is(t, "SRAT") || is(t, "MCFG") || is(t, "FACP"))
        t->what = "second of its kind, left aside";
    info->conformance_tables_erdt |= is(t, "ERDT");
    info->mrrm |= is(t, "MRRM");
    info->irdt |= is(t, "IRDT");
    return ST_OK;
}

/* --- root --------------------------------------------------------------------------------------------------------- */

static enum status read_entry(struct reader *r, uint64_t address)
{
    struct table t;
    enum status st = table_load(r, address, &t);

    if (st == ST_OK &&
        (is(&t, "RSDT") || is(&t, "XSDT"))) /* a root table inside a root table: going down would not end */
        table_error(&t, ST_CORRUPT, "a root table is listed as a table");
    else if (st == ST_OK)
        st = read_table(r, &t);
    note(r, t.signature, address, t.length, t.status, t.what);
    heap_free((void *)t.bytes);
    return st == ST_NO_MEMORY ? st : ST_OK;
}

static enum status read_entries(struct reader *r, const struct table *root, uint32_t width)
{
    uint32_t n = (root->length - (uint32_t)sizeof(struct header)) / width;
    enum status st = ST_OK;

    for (uint32_t i = 0; i < n && i < ACPI_MAX_ENTRIES && st == ST_OK; i++) {
        uint64_t address = 0;

        memcpy(&address, root->bytes + sizeof(struct header) + (size_t)width * i, width);
        st = read_entry(r, address);
    }
    if (n > ACPI_MAX_ENTRIES)
        note(r, root->signature, 0, root->length, ST_CORRUPT, "more than 1,024 entries: the rest was not looked at");
    return st;
}

/* One of the two root tables. *used: it is good, and its tables were read. */
static enum status read_root(struct reader *r, uint64_t address, const char *signature, uint32_t width, bool *used)
{
    struct table t;
    enum status st = table_load(r, address, &t);

    *used = false;
    if (st == ST_OK && !is(&t, signature))
        table_error(&t, ST_CORRUPT, "not the root table that the RSDP promises");
    else if (st == ST_OK && (t.length - sizeof(struct header)) % width)
        table_error(&t, ST_CORRUPT, "not a whole number of entries");
    note(r, t.status == ST_OK ? t.signature : signature, address, t.length, t.status, t.what);
    if (t.status == ST_OK) {
        const struct header *h = (const void *)t.bytes;

        *used = true;
        put_text(r->info->oem_id, h->oem_id, sizeof h->oem_id);
        put_text(r->info->oem_table_id, h->oem_table_id, sizeof h->oem_table_id);
        st = read_entries(r, &t, width);
    }
    heap_free((void *)t.bytes);
    return st == ST_NO_MEMORY ? st : ST_OK;
}

/* ST_OK: *rsdp is filled; xsdt is 0 where there is none or the second half is not to be believed. */
static enum status read_rsdp(struct reader *r, struct rsdp *rsdp)
{
    uint64_t address = r->p->rsdp;
    enum status st;

    memset(rsdp, 0, sizeof *rsdp);
    st = phys_read(r->p, address, rsdp, RSDP_V1_BYTES);
    if (st != ST_OK) {
        note(r, "RSDP", address, 0, st, "cannot be read");
        return st;
    }
    if (memcmp(rsdp->signature, "RSD PTR ", 8) != 0 || !adds_up(rsdp, RSDP_V1_BYTES)) {
        note(r, "RSDP", address, RSDP_V1_BYTES, ST_CORRUPT, "bad signature or checksum");
        return ST_CORRUPT;
    }
    if (rsdp->revision < 2)
        return ST_OK;
    st = phys_read(r->p, address, rsdp, sizeof *rsdp);
    /* The length may grow in later revisions, and the checksum covers all of it; no revision so far did. */
    if (st != ST_OK || rsdp->length != sizeof *rsdp || !adds_up(rsdp, sizeof *rsdp)) {
        note(r, "RSDP", address, rsdp->length, st != ST_OK ? st : ST_CORRUPT,
             "second half has a bad length or checksum: its XSDT is not used");
        rsdp->xsdt = 0;
    }
    return ST_OK;
}

static enum status read_all(struct reader *r)
{
    struct rsdp rsdp;
    bool used = false;
    enum status st;

    r->info->status = ST_CORRUPT;
    if (read_rsdp(r, &rsdp) != ST_OK)
        return ST_OK;
    if (rsdp.xsdt != 0) {
        st = read_root(r, rsdp.xsdt, "XSDT", 8, &used);
        if (st != ST_OK)
            return st;
    }
    if (!used && rsdp.rsdt != 0) {
        st = read_root(r, rsdp.rsdt, "RSDT", 4, &used);
        if (st != ST_OK)
            return st;
    }
    if (used)
        r->info->status = ST_OK;
    return ST_OK;
}

enum status acpi_read(struct platform *p, struct acpi_info *info)
{
    struct reader r = { .p = p, .info = info };
    enum status st;

    memset(info, 0, sizeof *info);
    info->status = ST_ABSENT;
    if (p->rsdp == 0)
        return ST_OK;
    r.taken = heap_alloc(sizeof *r.taken * (ACPI_MAX_ENTRIES + 2));
    if (!r.taken)
        return ST_NO_MEMORY;
    st = read_all(&r);
    heap_free(r.taken);
    if (st != ST_OK)
        acpi_free(info);
    return st;
}

void acpi_free(struct acpi_info *info)
{
    heap_free(info->cpus);
    heap_free(info->mcfg);
    drop_srat(info);
    info->cpus = NULL;
    info->mcfg = NULL;
    info->n_cpus = info->n_mcfg = 0;
}
