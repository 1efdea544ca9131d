/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/record/record_internal.h"

#include <stdarg.h>
#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define LINE_MOST  2048u
#define FIRST_ROOM (64u << 10)
#define CUT_NOTE   "# the rest did not fit\n"

static bool make_room(struct recorder *r, size_t more)
{
    size_t need = r->out->length + more, capacity = r->capacity;
    char *at;

    if (r->status != ST_OK || r->cut)
        return false;
    if (need + sizeof CUT_NOTE > RECORD_MOST) {
        r->cut = true;
        memcpy(r->out->at + r->out->length, CUT_NOTE, sizeof CUT_NOTE - 1); /* the last line left room for it */
        r->out->length += sizeof CUT_NOTE - 1;
        return false;
    }
    while (capacity < need + sizeof CUT_NOTE)
        capacity = capacity ? 2 * capacity : FIRST_ROOM;
    if (capacity == r->capacity)
        return true;
    at = heap_alloc(capacity);
    if (!at) {
        r->status = ST_NO_MEMORY;
        return false;
    }
    if (r->out->length)
        memcpy(at, r->out->at, r->out->length);
    heap_free(r->out->at);
    r->out->at = at;
    r->capacity = capacity;
    return true;
}

void record_line(struct recorder *r, const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;
    size_t n;

    va_start(args, format);
    n = text_vformat(line, sizeof line, format, args);
    va_end(args);
    if (n >= sizeof line || !make_room(r, n + 1)) /* a line that is cut would say something else */
        return;
    memcpy(r->out->at + r->out->length, line, n);
    r->out->at[r->out->length + n] = '\n';
    r->out->length += n + 1;
}

void record_bytes(struct recorder *r, uint32_t offset, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t done = 0; done < n; done += 32) {
        char digits[65];
        size_t at = 0;

        for (uint32_t i = done; i < n && i < done + 32; i++)
            at += text_format(digits + at, sizeof digits - at, "%02x", bytes[i]);
        record_line(r, " %x %s", offset + done, digits);
    }
}

void record_digest(const struct recorder *r, const void *bytes, size_t n, char out[17])
{
    struct sha256 sha = r->key;
    char text[65];

    sha256_add(&sha, bytes, n);
    sha256_text(&sha, text);
    memcpy(out, text, 16);
    out[16] = '\0';
}

static void add_text(struct sha256 *key, const char *text)
{
    sha256_add(key, text, strlen(text) + 1);
}

static void make_key(struct recorder *r)
{
    const struct machine *m = r->source->machine;

    sha256_begin(&r->key);
    add_text(&r->key, m->smbios.system_uuid);
    add_text(&r->key, m->smbios.system_serial_number);
    add_text(&r->key, m->smbios.baseboard_serial_number);
    for (uint32_t i = 0; i < m->n_packages; i++) {
        const struct cpu *c = &m->cpus[m->packages[i].first_cpu];

        if (c->ppin_status == ST_OK)
            sha256_add(&r->key, &c->ppin, sizeof c->ppin);
    }
}

enum status record_machine(const struct record_source *s, struct record_text *out)
{
    struct recorder r = { .source = s, .out = out, .status = ST_OK };
    const struct smbios_info *smbios = &s->machine->smbios;

    *out = (struct record_text){ 0 };
    make_key(&r);
    record_line(&r, "recording 1");
    record_line(&r, "name %s %s", smbios->system_manufacturer, smbios->system_product_name);
    if (s->machine->ran_on[0])
        record_line(&r, "source %s", s->machine->ran_on);
    record_line(&r, "made-by %s", s->made_by);
    if (s->firmware)
        record_line(&r, "firmware %s", s->firmware);
    record_line(&r, "serials %s", s->full ? "full" : "digest");
    record_line(&r, "tsc %llu %s", (unsigned long long)s->platform->tsc_hz, s->platform->tsc_source);
    record_cpuid(&r);
    record_registers(&r);
    record_firmware(&r);
    record_functions(&r);
    if (r.status == ST_OK)
        return ST_OK;
    heap_free(out->at);
    *out = (struct record_text){ 0 };
    return r.status;
}
