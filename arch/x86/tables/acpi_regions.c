/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MRRM and IRDT. */
#include "arch/x86/tables/acpi_rdt.h"

#include <string.h>

#include "arch/x86/tables/acpi_bytes.h"
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/base/search.h"

/* --- MRRM: 356688 chapter 5, ACPICA actbl2.h ---------------------------------------------------------------------- */

#define MRRM_HEADER   64u
#define MRRM_REVISION 1u
#define MRE_FIELDS    32u

static uint32_t walk_ranges(struct mrrm *t, const struct span *table, bool keep)
{
    struct acpi_defects counted = { 0 };
    uint32_t at = MRRM_HEADER, type = 0, n = 0;
    struct span s;

    while (span_next(table, &at, 4, &s, &type, keep ? &t->defects : &counted)) {
        if (type != 0) /* of a later revision */
            continue;
        n++;
        if (!keep)
            continue;
        if (span_bytes(&s) < MRE_FIELDS || (span_bytes(&s) - MRE_FIELDS) % 8) {
            defect_add(&t->defects, s.begin, true, "a range is not 32 bytes and a whole number of registers long");
            continue;
        }
        reserved_zero(&t->defects, &s, 4, 4);
        reserved_zero(&t->defects, &s, 28, 4);
        t->ranges[t->n_ranges++] = (struct mrrm_range){
            .offset = s.begin,
            .base = span_get(&s, 8, 8),
            .bytes = span_get(&s, 16, 8),
            .flags = (uint16_t)span_get(&s, 24, 2),
            .local_id = (uint8_t)span_get(&s, 26, 1),
            .remote_id = (uint8_t)span_get(&s, 27, 1),
        };
    }
    return n;
}

/* Ranges come sorted or not; each is held against those before it. */
static void judge_range(struct mrrm *t, uint32_t i)
{
    const struct mrrm_range *r = &t->ranges[i];

    if (r->base + r->bytes < r->base)
        defect_add(&t->defects, r->offset, true, "a range runs over the end of the address space");
    if (!(t->flags & MRRM_REGION_ASSIGNMENT_OS) &&
        ((r->flags & BIT(0) && r->local_id >= t->max_regions) || (r->flags & BIT(1) && r->remote_id >= t->max_regions)))
        defect_add(&t->defects, r->offset, true, "a range has a region beyond the greatest");
    EACH(const struct mrrm_range, o, t->ranges, i) {
        if (r->bytes && o->bytes && r->base <= o->base + (o->bytes - 1) && o->base <= r->base + (r->bytes - 1)) {
            defect_add(&t->defects, r->offset, true, "two ranges overlap");
            return;
        }
    }
}

enum status mrrm_decode(const uint8_t *bytes, uint32_t length, struct mrrm *t)
{
    struct span table = { bytes, 0, length };
    uint32_t n;

    memset(t, 0, sizeof *t);
    t->revision = (uint8_t)span_get(&table, 8, 1);
    if (t->revision != MRRM_REVISION)
        return ST_UNSUPPORTED;
    if (length < MRRM_HEADER) {
        defect_add(&t->defects, 0, true, "shorter than its header");
        return ST_OK;
    }
    t->max_regions = (uint8_t)span_get(&table, 36, 1);
    t->flags = (uint8_t)span_get(&table, 37, 1);
    reserved_zero(&t->defects, &table, 38, 26);
    n = walk_ranges(t, &table, false);
    TRY_HEAP(t->ranges, n ? n : 1);
    walk_ranges(t, &table, true);
    /* A table of 16 MiB may hold half a million: what is compared pair by pair finishes. */
    for (uint32_t i = 0; i < t->n_ranges && i < 4096; i++)
        judge_range(t, i);
    return ST_OK;
}

void mrrm_free(struct mrrm *t)
{
    heap_free(t->ranges);
    t->ranges = NULL;
    t->n_ranges = 0;
}

/* --- IRDT: 356688 chapter 6, intel-cmt-cat lib/acpi_table.h ------------------------------------------------------- */

#define IRDT_HEADER   48u
#define IRDT_REVISION 1u
#define RMUD_CHILDREN 13u
#define DSS_ENTRIES   8u
#define CHMS_BYTES    16u
#define RCS_BYTES     40u

struct ids { /* of the resource control structures of a unit */
    bool there[256];
};

static void take_link(struct irdt *t, const struct span *s, struct ids *ids)
{
    uint32_t id = (uint32_t)span_get(s, 6, 1);

    if (span_bytes(s) != RCS_BYTES) {
        defect_add(&t->defects, s->begin, true, "a resource control structure is not 40 bytes long");
        return;
    }
    t->n_links++;
    if (ids->there[id])
        defect_add(&t->defects, s->begin + 6, true, "two resource control structures of a unit have one id");
    ids->there[id] = true;
    if (span_get(s, 7, 1) == 0)
        defect_add(&t->defects, s->begin + 7, true, "a resource control structure without a channel");
    if (span_get(s, 4, 2) > 1)
        defect_add(&t->defects, s->begin + 4, false, "a link of a kind that is not known");
    reserved_zero(&t->defects, s, 14, 18);
}

/* A device's entries name the structures that its channels are controlled by. An entry without a valid channel (bit 7
 * of bytes 1 to 8) names none. */
static void judge_device(struct irdt *t, const struct span *s, const struct ids *ids)
{
    t->n_sources++;
    if (span_bytes(s) < DSS_ENTRIES || (span_bytes(s) - DSS_ENTRIES) % CHMS_BYTES) {
        defect_add(&t->defects, s->begin, true, "a device scope is no whole number of entries long");
        return;
    }
    for (uint32_t at = DSS_ENTRIES; at < span_bytes(s); at += CHMS_BYTES) {
        bool valid = false;

        for (uint32_t channel = 1; channel <= 8; channel++)
            valid |= (span_get(s, at + channel, 1) & BIT(7)) != 0;
        if (valid && !ids->there[span_get(s, at, 1)])
            defect_add(&t->defects, s->begin + at, true,
                       "a device names a resource control structure that is not there");
    }
}

static void judge_unit(struct irdt *t, const struct span *unit)
{
    struct ids ids = { 0 };
    struct acpi_defects told = { 0 };
    uint32_t at = RMUD_CHILDREN, type = 0;
    struct span s;

    t->n_units++;
    while (span_next(unit, &at, 4, &s, &type, &t->defects))
        if (type == 1)
            take_link(t, &s, &ids);
    for (at = RMUD_CHILDREN; span_next(unit, &at, 4, &s, &type, &told);)
        if (type == 0)
            judge_device(t, &s, &ids);
}

enum status irdt_decode(const uint8_t *bytes, uint32_t length, struct irdt *t)
{
    struct span table = { bytes, 0, length };
    uint32_t at = IRDT_HEADER;

    memset(t, 0, sizeof *t);
    t->revision = (uint8_t)span_get(&table, 8, 1);
    if (t->revision != IRDT_REVISION)
        return ST_UNSUPPORTED;
    if (length < IRDT_HEADER) {
        defect_add(&t->defects, 0, true, "shorter than its header");
        return ST_OK;
    }
    t->io_flags = (uint16_t)span_get(&table, 36, 2);
    t->cache_flags = (uint16_t)span_get(&table, 38, 2);
    reserved_zero(&t->defects, &table, 40, 8);
    while (at < length) {
        struct span unit = { bytes, at, length };
        uint64_t unit_bytes = span_get(&unit, 4, 4);

        if (unit_bytes < RMUD_CHILDREN || unit_bytes > length - at) {
            defect_add(&t->defects, at, true, "a unit's length does not fit into the table");
            return ST_OK;
        }
        unit.end = at + (uint32_t)unit_bytes;
        if (span_get(&unit, 0, 1) == 0)
            judge_unit(t, &unit);
        at = unit.end;
    }
    return ST_OK;
}
