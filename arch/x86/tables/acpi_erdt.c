/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/acpi_rdt.h"

#include <string.h>

#include "arch/x86/tables/acpi_bytes.h"
#include "core/base/heap.h"

#define ERDT_HEADER    64u
#define ERDT_REVISION  1u
#define RMDD_CHILDREN  34u
#define PAGE           UINT64_C(4096)
#define REGISTER_BYTES 8u

/* 356688 chapter 5: least length of a structure of each type. */
static const uint16_t least_bytes[ERDT_TYPES] = {
    [ERDT_RMDD] = RMDD_CHILDREN,
    [ERDT_CACD] = 8,
    [ERDT_DACD] = 8,
    [ERDT_CMRC] = 48,
    [ERDT_MMRC] = 56,
    [ERDT_MARC] = 48,
    [ERDT_CARC] = 4,
    [ERDT_CMRD] = 48,
    [ERDT_IBRD] = 64,
    [ERDT_IBAD] = 4,
    [ERDT_CARD] = 40,
};

/* --- blocks of registers ------------------------------------------------------------------------------------------ */

/* A list of 32-bit factors after the fixed part: as long as it says, and as the structure is. */
static void factors(struct erdt_block *b, const struct span *s, uint32_t at, struct acpi_defects *d)
{
    b->n_factors = (uint32_t)span_get(s, at, 4);
    if (span_bytes(s) - (at + 4) != UINT64_C(4) * b->n_factors)
        defect_add(d, s->begin + at, true, "the list of correction factors does not fill its structure");
}

static void erdt_decode_monitoring(struct erdt_block *b, const struct span *s, enum erdt_type type,
                                   struct acpi_defects *d)
{
    b->flags = (uint32_t)span_get(s, 8, 4);
    b->index_function = (uint8_t)span_get(s, 12, 1);
    b->base[0] = span_get(s, 24, 8);
    b->pages = (uint32_t)span_get(s, 32, 4);
    if (type == ERDT_CMRC) {
        b->clump = (uint16_t)span_get(s, 36, 2);
        b->stride = (uint16_t)span_get(s, 38, 2);
        b->scale = span_get(s, 40, 8);
    } else if (type == ERDT_CMRD) {
        b->at = (uint16_t)span_get(s, 36, 2);
        b->clump = (uint16_t)span_get(s, 38, 2);
        b->scale = span_get(s, 40, 8);
    } else if (type == ERDT_MMRC) {
        b->width = (uint8_t)span_get(s, 36, 1);
        b->scale = span_get(s, 37, 8);
        reserved_zero(d, s, 45, 7);
        factors(b, s, 52, d);
    } else {
        b->at = (uint16_t)span_get(s, 36, 2);
        b->at_miss = (uint16_t)span_get(s, 38, 2);
        b->clump = (uint16_t)span_get(s, 40, 2);
        b->miss_clump = (uint16_t)span_get(s, 42, 2);
        reserved_zero(d, s, 44, 7);
        b->width = (uint8_t)span_get(s, 51, 1);
        b->scale = span_get(s, 52, 8);
        factors(b, s, 60, d);
    }
}

static void decode_block(struct erdt_domain *domain, const struct span *s, enum erdt_type type, struct acpi_defects *d)
{
    struct erdt_block *b = &domain->blocks[type];

    if (b->present) /* no rule says that there is but one */
        return;
    b->present = true;
    b->offset = s->begin;
    if (type == ERDT_MARC) {
        b->flags = (uint32_t)span_get(s, 6, 2);
        b->index_function = (uint8_t)span_get(s, 8, 1);
        for (uint32_t i = 0; i < 3; i++)
            b->base[i] = span_get(s, 16 + 8 * i, 8);
        b->pages = (uint32_t)span_get(s, 40, 4);
        b->range = (uint32_t)span_get(s, 44, 4);
    } else if (type == ERDT_CARD) {
        b->flags = (uint32_t)span_get(s, 8, 4);
        b->shared = (uint32_t)span_get(s, 12, 4);
        b->index_function = (uint8_t)span_get(s, 16, 1);
        b->base[0] = span_get(s, 24, 8);
        b->pages = (uint32_t)span_get(s, 32, 4);
        b->at = (uint16_t)span_get(s, 36, 2);
    } else if (type != ERDT_CARC && type != ERDT_IBAD) {
        erdt_decode_monitoring(b, s, type, d);
    }
}

/* --- domains ------------------------------------------------------------------------------------------------------ */

static void decode_cpus(struct erdt *t, struct erdt_domain *domain, const struct span *s)
{
    uint32_t n = (span_bytes(s) - 8) / 4;

    if ((span_bytes(s) - 8) % 4)
        defect_add(&t->defects, s->begin, true, "CACD is no whole number of x2APIC ids long");
    if (domain->n_cpus == 0)
        domain->first_cpu = t->n_apic_ids;
    for (uint32_t i = 0; i < n; i++)
        t->apic_ids[t->n_apic_ids++] = (uint32_t)span_get(s, 8 + 4 * i, 4);
    domain->n_cpus += n;
}

/* The devices themselves are not needed; their lengths are. 356688: type 1 or 2, length 6 + 2N. */
static void judge_devices(struct erdt *t, const struct span *s)
{
    uint32_t at = 8;

    while (at < span_bytes(s)) {
        uint32_t length = (uint32_t)span_get(s, at + 1, 1), type = (uint32_t)span_get(s, at, 1);

        if (length < 6 || length % 2 || length > span_bytes(s) - at) {
            defect_add(&t->defects, s->begin + at, true, "the length of a DACD device is odd, below 6 or too long");
            return;
        }
        if (type != 1 && type != 2)
            defect_add(&t->defects, s->begin + at, false, "a device of DACD is neither endpoint nor sub-hierarchy");
        at += length;
    }
}

static void decode_children(struct erdt *t, struct erdt_domain *domain, const struct span *rmdd)
{
    uint32_t at = RMDD_CHILDREN, type = 0, last = 0;
    struct span s;

    while (span_next(rmdd, &at, 4, &s, &type, &t->defects)) {
        if (type < last)
            defect_add(&t->defects, s.begin, true, "structures of a domain do not ascend by type");
        last = type;
        if (type >= ERDT_TYPES)
            continue;
        if (type == ERDT_RMDD)
            defect_add(&t->defects, s.begin, true, "a domain inside a domain");
        else if (span_bytes(&s) < least_bytes[type])
            defect_add(&t->defects, s.begin, true, "a structure is shorter than its type");
        else if (type == ERDT_CACD)
            decode_cpus(t, domain, &s);
        else if (type == ERDT_DACD)
            judge_devices(t, &s);
        else
            decode_block(domain, &s, (enum erdt_type)type, &t->defects);
    }
}

static bool has_domain(const struct erdt *t, uint32_t id)
{
    return t->ids[id / 8] >> id % 8 & 1;
}

static void decode_domain(struct erdt *t, const struct span *s)
{
    struct erdt_domain *d = &t->domains[t->n_domains++];

    d->offset = s->begin;
    d->flags = (uint16_t)span_get(s, 4, 2);
    d->io_slices = (uint16_t)span_get(s, 6, 2);
    d->log2_sets = (uint8_t)span_get(s, 8, 1);
    d->ways = (uint8_t)span_get(s, 9, 1);
    reserved_zero(&t->defects, s, 10, 8);
    d->id = (uint16_t)span_get(s, 18, 2);
    d->max_rmid = (uint32_t)span_get(s, 20, 4);
    d->control_base = span_get(s, 24, 8);
    d->control_pages = (uint16_t)span_get(s, 32, 2);
    if (has_domain(t, d->id))
        defect_add(&t->defects, s->begin + 18, true, "two domains have one id");
    t->ids[d->id / 8] |= (uint8_t)(1u << d->id % 8);
    decode_children(t, d, s);
}

/* Processors and devices name the domain that they belong to. */
static void judge_references(struct erdt *t, const struct span *rmdd)
{
    uint32_t at = RMDD_CHILDREN, type = 0;
    struct acpi_defects told = { 0 }; /* by decode_children() */
    struct span s;

    while (span_next(rmdd, &at, 4, &s, &type, &told))
        if ((type == ERDT_CACD || type == ERDT_DACD) && span_bytes(&s) >= 8 &&
            !has_domain(t, (uint32_t)span_get(&s, 6, 2)))
            defect_add(&t->defects, s.begin + 6, true, "CACD or DACD names a domain that is not there");
}

/* Every top-level structure. NULL domains: only count them. */
static uint32_t erdt_walk(struct erdt *t, const struct span *table, void (*one)(struct erdt *, const struct span *))
{
    struct acpi_defects told = { 0 };
    uint32_t at = ERDT_HEADER, type = 0, n = 0;
    struct span s;

    while (span_next(table, &at, 4, &s, &type, one == decode_domain ? &t->defects : &told)) {
        if (type != ERDT_RMDD)
            continue;
        if (span_bytes(&s) < RMDD_CHILDREN) {
            if (one == decode_domain)
                defect_add(&t->defects, s.begin, true, "a domain is shorter than its fields");
            continue;
        }
        n++;
        if (one)
            one(t, &s);
    }
    return n;
}

enum status erdt_decode(const uint8_t *bytes, uint32_t length, struct erdt *t)
{
    struct span table = { bytes, 0, length };
    uint32_t n;

    memset(t, 0, sizeof *t);
    t->revision = (uint8_t)span_get(&table, 8, 1);
    if (t->revision != ERDT_REVISION)
        return ST_UNSUPPORTED;
    if (length < ERDT_HEADER) {
        defect_add(&t->defects, 0, true, "shorter than its header");
        return ST_OK;
    }
    t->max_clos = (uint32_t)span_get(&table, 36, 4);
    reserved_zero(&t->defects, &table, 40, 24);
    n = erdt_walk(t, &table, NULL);
    t->domains = heap_alloc(sizeof *t->domains * (n ? n : 1));
    t->apic_ids = heap_alloc(length); /* no more ids than a quarter of the table */
    t->ids = heap_alloc((UINT16_MAX + 1) / 8);
    if (!t->domains || !t->apic_ids || !t->ids) {
        erdt_free(t);
        return ST_NO_MEMORY;
    }
    erdt_walk(t, &table, decode_domain);
    erdt_walk(t, &table, judge_references);
    if (n == 0)
        defect_add(&t->defects, ERDT_HEADER, true, "there is no domain");
    return ST_OK;
}

void erdt_free(struct erdt *t)
{
    heap_free(t->domains);
    heap_free(t->apic_ids);
    heap_free(t->ids);
    t->domains = NULL;
    t->apic_ids = NULL;
    t->ids = NULL;
    t->n_domains = t->n_apic_ids = 0;
}

/* --- where registers are ------------------------------------------------------------------------------------------ */

uint64_t erdt_cmt_offset(const struct erdt_block *cmrc, uint32_t rmid)
{
    if (cmrc->clump == 0)
        return UINT64_MAX;
    return (uint64_t)(rmid / cmrc->clump) * cmrc->stride + (uint64_t)(rmid % cmrc->clump) * REGISTER_BYTES;
}

uint64_t erdt_mbm_offset(uint32_t rmid, uint32_t region)
{
    return (uint64_t)(rmid % 32 / 8) * 16384 + ((uint64_t)(rmid / 32) * 8 + rmid % 8) * REGISTER_BYTES +
           (uint64_t)region * 2048;
}

uint64_t erdt_io_offset(uint32_t rmid, uint16_t at, uint16_t clump)
{
    if (clump == 0)
        return UINT64_MAX;
    return (uint64_t)(rmid / clump) * PAGE + at + (uint64_t)(rmid % clump) * REGISTER_BYTES;
}

uint64_t erdt_mba_offset(uint32_t clos, uint32_t region)
{
    return (uint64_t)(region / 4) * 512 + (uint64_t)clos * REGISTER_BYTES;
}

static uint64_t erdt_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The last register of a block is not always that of the last RMID: the run before it may reach further. */
static uint64_t last_of_runs(const struct erdt_block *b, uint32_t max_rmid, bool miss, bool io)
{
    uint16_t clump = miss ? b->miss_clump : b->clump, at = miss ? b->at_miss : b->at;
    uint32_t before = clump && max_rmid >= clump ? max_rmid / clump * clump - 1 : max_rmid;

    return io ? erdt_larger(erdt_io_offset(max_rmid, at, clump), erdt_io_offset(before, at, clump))
              : erdt_larger(erdt_cmt_offset(b, max_rmid), erdt_cmt_offset(b, before));
}

static uint64_t last_of_bandwidth(uint32_t max_rmid, uint32_t regions)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < 64 && i <= max_rmid; i++)
        last = erdt_larger(last, erdt_mbm_offset(max_rmid - i, regions - 1));
    return last;
}

uint64_t erdt_needed_bytes(const struct erdt *t, const struct erdt_domain *d, enum erdt_type type, uint32_t regions)
{
    const struct erdt_block *b = &d->blocks[type];
    uint64_t last;

    if (regions == 0)
        regions = 1;
    switch (type) {
    case ERDT_CMRC:
        last = last_of_runs(b, d->max_rmid, false, false);
        break;
    case ERDT_CMRD:
        last = last_of_runs(b, d->max_rmid, false, true);
        break;
    case ERDT_IBRD:
        last = erdt_larger(last_of_runs(b, d->max_rmid, false, true), last_of_runs(b, d->max_rmid, true, true));
        break;
    case ERDT_MMRC:
        last = last_of_bandwidth(d->max_rmid, regions);
        break;
    case ERDT_MARC:
        last = erdt_mba_offset(t->max_clos, regions - 1);
        break;
    default:
        return 0;
    }
    return last == UINT64_MAX ? last : last + REGISTER_BYTES;
}
