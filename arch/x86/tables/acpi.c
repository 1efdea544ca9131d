/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/acpi_internal.h"

#include <string.h>

#include "arch/x86/tables/checksum.h"
#include "core/base/heap.h"
#include "core/base/text.h"

/* --- layouts ------------------------------------------------------------------------------------------------------ */

struct rsdp { /* ACPI 5.2.5.3 */
    char signature[8];
    uint8_t checksum;
    char oem_id[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length; /* this and the next: revision 2 and later */
    uint64_t xsdt;
    uint8_t extended_checksum;
    uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct rsdp) == 36, "ACPI 5.2.5.3");
#define RSDP_V1_BYTES 20u

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

static void acpi_note(struct reader *r, const char *signature, uint64_t address, uint32_t length, enum status st,
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

static void acpi_put_text(char *out, const char *from, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes && from[i] != '\0'; i++)
        out[n++] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '.';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

/* --- one table ---------------------------------------------------------------------------------------------------- */

/* What is wrong with its place; NULL: nothing. */
static const char *overlaps(const struct reader *r, uint64_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < r->n_taken; i++)
        if (base < r->taken[i].base + r->taken[i].bytes && r->taken[i].base < base + bytes)
            return base == r->taken[i].base ? "listed before, at the same address"
                                            : "overlaps a table that is listed before it";
    return NULL;
}

/* The whole table in memory of ours; t->bytes is the caller's to free. ST_NO_MEMORY ends everything, any other status
 * is the table's own trouble. */
static enum status table_load(struct reader *r, uint64_t address, struct table *t)
{
    struct header h;
    uint8_t *bytes;
    const char *place;
    enum status st;

    memset(t, 0, sizeof *t);
    memset(t->signature, '?', sizeof t->signature);
    t->what = "";
    if (address == 0)
        return table_error(t, ST_CORRUPT, "its entry in the RSDT or XSDT is 0");
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
    place = overlaps(r, address, h.length);
    if (place)
        return table_error(t, ST_CORRUPT, place);
    bytes = heap_alloc(h.length);
    if (!bytes)
        return table_error(t, ST_NO_MEMORY, "no memory to read it");
    st = phys_read(r->p, address, bytes, h.length);
    if (st == ST_OK && memcmp(bytes, &h, sizeof h) != 0)
        st = ST_CORRUPT; /* it is being written: the length that was checked may not be this one's */
    if (st != ST_OK || !bytes_add_up(bytes, h.length)) {
        heap_free(bytes);
        return table_error(t, st != ST_OK ? st : ST_CORRUPT, st != ST_OK ? "cannot be read whole" : "bad checksum");
    }
    t->bytes = bytes;
    r->taken[r->n_taken++] = (struct extent){ address, h.length };
    return ST_OK;
}

static bool is(const struct table *t, const char *signature)
{
    return memcmp(t->signature, signature, 4) == 0;
}

static const char second_of_its_kind[] = "second of its kind, left aside";
static const char rdt_signatures[ACPI_RDT_TABLES][5] = { "ERDT", "MRRM", "IRDT" };

static enum status keep_raw(struct acpi_raw *raw, struct table *t)
{
    if (raw->bytes) {
        t->what = second_of_its_kind;
        return ST_OK;
    }
    TRY_HEAP(raw->bytes, t->length);
    memcpy(raw->bytes, t->bytes, t->length);
    raw->length = t->length;
    return ST_OK;
}

/* t->status and t->what may change: a table whose bytes add up can still contradict itself. ST_NO_MEMORY. */
static enum status acpi_read_table(struct reader *r, struct table *t)
{
    struct acpi_info *info = r->info;

    if (is(t, "APIC") && !info->madt)
        return acpi_read_madt(info, t);
    if (is(t, "SRAT") && !info->srat)
        return acpi_read_srat(info, t);
    if (is(t, "MCFG") && !info->mcfg_present)
        return acpi_read_mcfg(info, t);
    for (uint32_t i = 0; i < ACPI_RDT_TABLES; i++)
        if (is(t, rdt_signatures[i])) {
            info->irdt |= i == ACPI_IRDT;
            return keep_raw(&info->rdt[i], t);
        }
    if (is(t, "WDAT"))
        return keep_raw(&info->wdat, t);
    if (is(t, "FACP") && !r->fadt) {
        r->fadt = true;
        acpi_read_fadt(info, t);
    } else if (is(t, "APIC") || is(t, "SRAT") || is(t, "MCFG") || is(t, "FACP")) {
        t->what = second_of_its_kind;
    }
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
        st = acpi_read_table(r, &t);
    acpi_note(r, t.signature, address, t.length, t.status, t.what);
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
        acpi_note(r, root->signature, 0, root->length, ST_CORRUPT,
                  "more than 1,024 entries: the rest was not looked at");
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
    acpi_note(r, t.status == ST_OK ? t.signature : signature, address, t.length, t.status, t.what);
    if (t.status == ST_OK) {
        const struct header *h = (const void *)t.bytes;

        *used = true;
        acpi_put_text(r->info->oem_id, h->oem_id, sizeof h->oem_id);
        acpi_put_text(r->info->oem_table_id, h->oem_table_id, sizeof h->oem_table_id);
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
        acpi_note(r, "RSDP", address, 0, st, "cannot be read");
        return st;
    }
    if (memcmp(rsdp->signature, "RSD PTR ", 8) != 0 || !bytes_add_up(rsdp, RSDP_V1_BYTES)) {
        acpi_note(r, "RSDP", address, RSDP_V1_BYTES, ST_CORRUPT, "bad signature or checksum");
        return ST_CORRUPT;
    }
    if (rsdp->revision < 2)
        return ST_OK;
    st = phys_read(r->p, address, rsdp, sizeof *rsdp);
    /* The length may grow in later revisions, and the checksum covers all of it; no revision so far did. */
    if (st != ST_OK || rsdp->length != sizeof *rsdp || !bytes_add_up(rsdp, sizeof *rsdp)) {
        acpi_note(r, "RSDP", address, rsdp->length, st != ST_OK ? st : ST_CORRUPT,
                  "second half has a bad length or checksum: its XSDT is not used");
        rsdp->xsdt = 0;
    }
    return ST_OK;
}

static enum status acpi_read_all(struct reader *r)
{
    struct rsdp rsdp;
    bool used = false;

    r->info->status = ST_CORRUPT;
    if (read_rsdp(r, &rsdp) != ST_OK)
        return ST_OK;
    if (rsdp.xsdt != 0)
        TRY(read_root(r, rsdp.xsdt, "XSDT", 8, &used));
    if (!used && rsdp.rsdt != 0)
        TRY(read_root(r, rsdp.rsdt, "RSDT", 4, &used));
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
    TRY_HEAP(r.taken, ACPI_MAX_ENTRIES + 2);
    st = acpi_read_all(&r);
    heap_free(r.taken);
    if (st != ST_OK)
        acpi_free(info);
    return st;
}

static bool window_has(const struct acpi_mcfg *w, uint64_t base, uint64_t bytes)
{
    uint64_t first = w->base + ((uint64_t)w->first_bus << 20), end = w->base + (((uint64_t)w->last_bus + 1) << 20);

    return bytes > 0 && first <= base + (bytes - 1) && base < end;
}

uint32_t acpi_drop_windows(struct acpi_info *info, uint64_t base, uint64_t bytes)
{
    uint32_t kept = 0, dropped;

    for (uint32_t i = 0; i < info->n_mcfg; i++)
        if (!window_has(&info->mcfg[i], base, bytes))
            info->mcfg[kept++] = info->mcfg[i];
    dropped = info->n_mcfg - kept;
    info->n_mcfg = kept;
    for (uint32_t i = 0; dropped > 0 && i < info->n_tables && i < ACPI_NOTES; i++)
        if (text_equal(info->tables[i].signature, "MCFG") && info->tables[i].status == ST_OK) {
            info->tables[i].status = ST_CORRUPT;
            info->tables[i].what = "a window of configuration space lies in memory: not used";
            info->n_bad++;
        }
    return dropped;
}

void acpi_free(struct acpi_info *info)
{
    heap_free(info->cpus);
    heap_free(info->mcfg);
    acpi_drop_srat(info);
    for (uint32_t i = 0; i < ACPI_RDT_TABLES; i++) {
        heap_free(info->rdt[i].bytes);
        info->rdt[i] = (struct acpi_raw){ 0 };
    }
    heap_free(info->wdat.bytes);
    info->wdat = (struct acpi_raw){ 0 };
    info->cpus = NULL;
    info->mcfg = NULL;
    info->n_cpus = info->n_mcfg = 0;
}
