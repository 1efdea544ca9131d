/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/labels.h"

#include "core/base/text.h"

void labels_of_machine(struct screen_state *state, const struct machine *m)
{
    const struct smbios_info *s = &m->smbios;
    const struct cpu *ref = &m->cpus[m->reference];
    size_t n;

    text_format(state->machine, sizeof state->machine, "%s%s%s, serial %s",
                s->system_manufacturer[0] ? s->system_manufacturer : "no name", s->system_manufacturer[0] ? " " : "",
                s->system_product_name, s->system_serial_number[0] ? s->system_serial_number : "unknown");
    n = text_format(state->firmware, sizeof state->firmware, "%s %s%s%s",
                    s->bios_vendor[0] ? s->bios_vendor : "unnamed", s->bios_version,
                    s->bios_release_date[0] ? " of " : "", s->bios_release_date);
    if (ref->microcode_status == ST_OK && n < sizeof state->firmware)
        text_format(state->firmware + n, sizeof state->firmware - n, ", microcode 0x%08lx", ref->microcode);
    text_format(state->processor, sizeof state->processor, "%s, %u package%s",
                m->brand[0] ? m->brand : "no brand string", m->n_packages, m->n_packages == 1 ? "" : "s");
}

static const char *after_last_backslash(const char *path)
{
    const char *part = path;

    for (; *path; path++)
        if (*path == '\\')
            part = path + 1;
    return part;
}

void labels_of_code(struct screen_state *state, enum run_result result, const char *sha256)
{
    const struct verdict_counts *c = &state->counts;

    text_format(state->qr_text, sizeof state->qr_text, "Assay %s %s %u/%u/%u/%u/%u %.60s SHA256 %s", state->version,
                run_result_text(result), c->pass, c->fail, c->warn, c->skip, c->error,
                after_last_backslash(state->report), sha256);
    qr_fold(state->qr_text);
}
