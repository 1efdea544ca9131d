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

/* As the report's hardwareInfos are counted by `assay-report calibrate`. */
static uint64_t nodes_per_package(const struct machine *m)
{
    uint32_t nodes = 0, packages = m->n_packages > 0 ? m->n_packages : 1;

    for (uint32_t i = 0; i < m->n_nodes; i++)
        nodes += m->nodes[i].n_cpus > 0;
    return nodes > packages ? nodes / packages : 1;
}

static bool one_microcode(const struct machine *m)
{
    const struct cpu *ref = &m->cpus[m->reference];

    for (uint32_t i = 0; i < m->n_cpus; i++)
        if (m->cpus[i].enumerated == ST_OK && m->cpus[i].microcode_status == ST_OK &&
            m->cpus[i].microcode != ref->microcode)
            return false;
    return ref->microcode_status == ST_OK;
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
    return same_number("microcode", k->microcode, ref->microcode, why, size) &&
           same_number("NUMA nodes per package", k->nodes_per_package, nodes_per_package(m), why, size);
}

/* --- a figure ----------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* How long the number is that text begins with: "0xf0", "12", "12.5". */
static size_t number_length(const char *text)
{
    size_t n = 0;

    if (text[0] == '0' && text[1] == 'x' && is_hex(text[2])) {
        for (n = 2; is_hex(text[n]);)
            n++;
        return n;
    }
    while (is_digit(text[n]))
        n++;
    if (n > 0 && text[n] == '.' && is_digit(text[n + 1]))
        for (n++; is_digit(text[n]);)
            n++;
    return n;
}

/* Whether what follows a number makes it a setting, which tells figures apart. */
static bool before_a_unit(const char *text)
{
    static const char *const units[] = { " %", " ms", " bit", " processor" };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(text, units[i], strlen(units[i])) == 0)
            return true;
    return false;
}

void bands_alike(const char *text, char *out, size_t size)
{
    size_t n = 0;
    char before = ' ';

    while (*text && n + 1 < size) {
        size_t length = is_letter(before) || is_digit(before) ? 0 : number_length(text);

        if (length > 0 && !before_a_unit(text + length)) {
            before = text[length - 1];
            text += length;
            out[n++] = '#';
            continue;
        }
        do
            out[n++] = before = *text++;
        while (length > 1 && --length > 0 && n + 1 < size);
    }
    out[n] = '\0';
}

bool bands_find(const struct bands *b, const char *check, const char *name, const char *where, struct figure_band *out)
{
    char alike_name[BANDS_TEXT], alike_place[BANDS_TEXT];

    if (!b)
        return false;
    bands_alike(name, alike_name, sizeof alike_name);
    bands_alike(where, alike_place, sizeof alike_place);
    for (uint32_t i = 0; i < b->n_figures; i++) {
        const struct bands_figure *f = &b->figures[i];

        if (text_equal(f->check, check) && text_equal(f->name, alike_name) && text_equal(f->place, alike_place)) {
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
