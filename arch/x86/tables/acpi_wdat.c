/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/acpi_wdat.h"

#include "arch/x86/tables/acpi_bytes.h"
#include "core/base/search.h"

#define HEADER       36u /* of every table                                     */
#define OWN          32u /* of the watchdog after it, as its own length says  */
#define ENTRY        24u
#define FLAG_ENABLED 1u

/* Instructions; PRESERVE: of a write, bits outside of the mask stay. */
#define READ_VALUE      0u
#define READ_COUNTDOWN  1u
#define WRITE_VALUE     2u
#define WRITE_COUNTDOWN 3u
#define PRESERVE        0x80u

/* Generic address structure: ACPI specification 6.5, 5.2.3.2. Access sizes 1, 2, 3 are 1, 2, 4 bytes, 0 says nothing. */
static bool decode_entry(const struct span *s, struct wdat_entry *e)
{
    uint32_t space = (uint32_t)span_get(s, 4, 1), bits = (uint32_t)span_get(s, 5, 1);
    uint32_t access = (uint32_t)span_get(s, 7, 1);

    *e = (struct wdat_entry){ .action = (uint8_t)span_get(s, 0, 1),
                              .instruction = (uint8_t)span_get(s, 1, 1),
                              .port = space == 1,
                              .shift = (uint8_t)span_get(s, 6, 1),
                              .address = span_get(s, 8, 8),
                              .value = (uint32_t)span_get(s, 16, 4),
                              .mask = (uint32_t)span_get(s, 20, 4) };
    e->bytes = access == 0 ? (bits <= 8 ? 1 : bits <= 16 ? 2 : 4) : access <= 3 ? (uint8_t)(1u << (access - 1)) : 0;
    return space <= 1 && e->bytes != 0 && e->shift < 8 * e->bytes && (e->instruction & ~PRESERVE) <= WRITE_COUNTDOWN &&
           e->address != 0 && e->address % e->bytes == 0 && (!e->port || e->address <= 0xFFFFu - e->bytes + 1);
}

static bool has(const struct wdat *w, enum wdat_action action)
{
    return ANY_OF(i, w->n, w->entries[i].action == action);
}

enum status wdat_decode(const uint8_t *bytes, uint32_t length, struct wdat *w)
{
    struct span table = { bytes, 0, length };
    struct wdat d = { .enabled = span_get(&table, 60, 1) & FLAG_ENABLED,
                      .period_ms = (uint32_t)span_get(&table, 48, 4),
                      .most = (uint32_t)span_get(&table, 52, 4),
                      .least = (uint32_t)span_get(&table, 56, 4),
                      .n = (uint32_t)span_get(&table, 64, 4) };

    if (length < HEADER + OWN || span_get(&table, HEADER, 4) != OWN || d.n > WDAT_ENTRIES ||
        length - HEADER - OWN < d.n * ENTRY || d.period_ms == 0 || d.most == 0 || d.least > d.most)
        return ST_CORRUPT;
    for (uint32_t i = 0; i < d.n; i++) {
        struct span entry = { bytes, HEADER + OWN + i * ENTRY, HEADER + OWN + (i + 1) * ENTRY };

        if (!decode_entry(&entry, &d.entries[i]))
            return ST_CORRUPT;
    }
    if (!has(&d, WDAT_RESET) || !has(&d, WDAT_SET_COUNTDOWN) || !has(&d, WDAT_SET_RUNNING_STATE) ||
        !has(&d, WDAT_SET_STOPPED_STATE))
        return ST_CORRUPT;
    *w = d;
    return ST_OK;
}

static enum status run_entry(const struct wdat_entry *e, const struct wdat_access *a, uint32_t parameter,
                             uint32_t *result)
{
    uint32_t what = e->instruction & ~PRESERVE, value = 0, kept = 0;

    if (what == READ_VALUE || what == READ_COUNTDOWN) {
        TRY(a->read(a->context, e, &value));
        value = value >> e->shift & e->mask;
        if (result)
            *result = what == READ_VALUE ? value == e->value : value;
        return ST_OK;
    }
    value = ((what == WRITE_VALUE ? e->value : parameter) & e->mask) << e->shift;
    if (e->instruction & PRESERVE)
        TRY(a->read(a->context, e, &kept));
    return a->write(a->context, e, value | (kept & ~(e->mask << e->shift)));
}

enum status wdat_run(const struct wdat *w, const struct wdat_access *access, enum wdat_action action,
                     uint32_t parameter, uint32_t *result)
{
    enum status st = ST_ABSENT;

    for (uint32_t i = 0; i < w->n && (st == ST_OK || st == ST_ABSENT); i++)
        if (w->entries[i].action == action)
            st = run_entry(&w->entries[i], access, parameter, result);
    return st;
}

uint32_t wdat_periods(const struct wdat *w, uint32_t seconds)
{
    uint64_t n = (uint64_t)seconds * 1000 / w->period_ms;

    return n < w->least ? w->least : n > w->most ? w->most : (uint32_t)n;
}
