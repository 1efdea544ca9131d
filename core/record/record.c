/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/record/record_internal.h"

#include <string.h>

#include "core/base/heap.h"

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
    record_line(&r, "made-by %s", s->made_by);
    if (s->firmware)
        record_line(&r, "firmware %s", s->firmware);
    record_line(&r, "serials %s", s->full ? "full" : "digest");
    record_line(&r, "tsc %lu %s", s->platform->tsc_hz, s->platform->tsc_source);
    record_cpuid(&r);
    record_registers(&r);
    record_firmware(&r);
    record_functions(&r);
    for (uint32_t i = 0; s->ranges && i < s->n_ranges; i++)
        record_line(&r, "memory %lx %lx %x", s->ranges[i].base, s->ranges[i].bytes, s->ranges[i].type);
    if (r.status == ST_OK)
        return ST_OK;
    heap_free(out->at);
    *out = (struct record_text){ 0 };
    return r.status;
}
