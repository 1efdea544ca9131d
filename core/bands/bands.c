/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/bands/bands.c: which machine bands are for, and the band of a figure. */
#include "core/bands/bands.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

void bands_free(struct bands *b)
{
    heap_free(b->text);
    heap_free(b->figures);
    memset(b, 0, sizeof *b);
}

/* --- the machine -------------------------------------------------------------------------------------------------- */

static bool one_microcode(const struct machine *m)
{
    const struct cpu *ref = &m->cpus[m->reference];

    if (ANY_OF(i, m->n_cpus,
               m->cpus[i].enumerated == ST_OK && m->cpus[i].microcode_status == ST_OK &&
                   m->cpus[i].microcode != ref->microcode))
        return false;
    return ref->microcode_status == ST_OK;
}

bool bands_next_revision(const char **words, uint64_t *revision)
{
    const char *end = text_find(*words, " ");
    char word[24];

    if (text_format(word, sizeof word, "%.*s", end ? (int)(end - *words) : 24, *words) >= sizeof word)
        return false;
    *words = end ? end + 1 : NULL;
    return text_number(word, revision);
}

static bool holds_for(const char *words, uint64_t microcode, char *why, size_t size)
{
    const char *at = words;
    uint64_t revision;

    while (at && bands_next_revision(&at, &revision))
        if (revision == microcode)
            return true;
    text_format(why, size, "they are for microcode %s, and this machine has 0x%lx", words, microcode);
    return false;
}

static bool same_text(const char *what, const char *file, const char *machine, char *why, size_t size)
{
    if (text_equal(file, machine))
        return true;
    text_format(why, size, "they are for %s %s, and this machine has %s", what, file, machine);
    return false;
}

static bool same_number(const char *what, uint64_t file, uint64_t machine, char *why, size_t size)
{
    if (file == machine)
        return true;
    text_format(why, size, "they are for %s 0x%lx, and this machine has 0x%lx", what, file, machine);
    return false;
}

bool bands_fit(const struct bands *b, const struct machine *m, char *why, size_t size)
{
    const struct bands_kind *k = &b->kind;
    const struct cpu *ref = &m->cpus[m->reference];

    if (!same_text("virtual silicon", k->ran_on, m->ran_on[0] ? m->ran_on : "no", why, size) ||
        !same_text("vendor", k->vendor, ref->id.vendor_string, why, size) ||
        !same_number("family", k->family, ref->id.family, why, size) ||
        !same_number("model", k->model, ref->id.model, why, size) ||
        !same_number("stepping", k->stepping, ref->id.stepping, why, size))
        return false;
    if (!one_microcode(m)) {
        text_format(why, size, "the microcode of this machine is not known, or not one");
        return false;
    }
    return holds_for(k->microcode, ref->microcode, why, size) &&
           same_number("NUMA nodes per package", k->nodes_per_package, machine_nodes_per_package(m), why, size);
}

/* --- a figure ----------------------------------------------------------------------------------------------------- */

/* The check that it is a figure of, and by which method. */
static bool is_of(const struct bands_figure *f, const char *check, uint32_t *method)
{
    size_t n = strlen(check);
    uint64_t number = 0;

    if (strncmp(f->check, check, n) != 0 || (f->check[n] != '\0' && f->check[n] != '@'))
        return false;
    if (f->check[n] == '@' && (!text_number(f->check + n + 1, &number) || number > UINT32_MAX))
        return false;
    *method = (uint32_t)number;
    return true;
}

bool bands_outdated(const struct bands *b, const char *check, uint32_t method)
{
    bool other = false;
    uint32_t by;

    for (uint32_t i = 0; b && i < b->n_figures; i++) {
        if (!is_of(&b->figures[i], check, &by))
            continue;
        if (by == method)
            return false;
        other = true;
    }
    return other;
}

bool bands_find(const struct bands *b, const char *check, uint32_t method, const char *name, const char *place,
                struct figure_band *out)
{
    uint32_t by;

    for (uint32_t i = 0; b && i < b->n_figures; i++) {
        const struct bands_figure *f = &b->figures[i];

        if (is_of(f, check, &by) && by == method && text_equal(f->name, name) && text_equal(f->place, place)) {
            *out = f->band;
            return true;
        }
    }
    return false;
}

bool bands_value(const char *unit, double value, double lo, double hi, double *out)
{
    bool share = text_equal(unit, "ratio") || text_equal(unit, "%");

    if (!share && !(text_equal(unit, "bytes") && lo > 0 && hi > lo && hi < (double)UINT64_MAX))
        return false;
    *out = share ? value : value / ((lo + hi) / 2);
    return true;
}
