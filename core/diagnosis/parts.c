/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/parts.h"

#include <string.h>

#include "core/base/text.h"
#include "core/machine/machine.h"

#define NO_NUMBER UINT32_MAX

/* --- out of places ------------------------------------------------------------------------------------------------ */

static void keep(struct place *out, const struct place *p, enum place_field f)
{
    if (place_has(p, f))
        *out = place_with(*out, f, p->number[f]);
}

/* The box, or what the place has of package, die and channel. */
static struct place box_of(const struct place *p)
{
    struct place box = place_with_unit(PLACE_NONE, p->unit);

    for (enum place_field f = PLACE_PACKAGE; f <= PLACE_CHANNEL; f++)
        keep(&box, p, f);
    return box;
}

static struct place narrowed(const struct place *p, enum part_kind kind)
{
    static const enum place_field fields[] = {
        [PART_CPU] = PLACE_CPU, [PART_PACKAGE] = PLACE_CPU, [PART_RMID] = PLACE_RMID, [PART_FIRST] = PLACE_DOMAIN
    };
    struct place out = PLACE_NONE;

    if (kind == PART_FIRST && (p->unit[0] || place_has(p, PLACE_PACKAGE)))
        return box_of(p);
    keep(&out, p, fields[kind]);
    if (kind == PART_FIRST && !out.has)
        keep(&out, p, PLACE_CPU);
    return out;
}

/* "package 0 iMC" and 1: the last number stands apart. */
static struct part part_of(struct place place)
{
    struct part out = { .place = place, .number = NO_NUMBER };
    enum place_field last = PLACE_FIELDS;
    char text[PLACE_TEXT];

    for (enum place_field f = 0; f < PLACE_FIELDS; f++)
        if (place_has(&place, f))
            last = f;
    place_text(&place, text, sizeof text);
    if (last < PLACE_FIELDS && (last >= PLACE_BOX || !place.unit[0])) {
        size_t n = strlen(text);

        while (n > 0 && text[n - 1] != ' ')
            n--;
        text[n > 0 ? n - 1 : 0] = '\0';
        out.number = place.number[last];
    }
    text_format(out.what, sizeof out.what, "%s", text);
    return out;
}

void parts_add(struct parts *p, const struct place *place, enum part_kind kind)
{
    struct part found = part_of(narrowed(place, kind));
    uint32_t i = 0;

    if (place_is_nowhere(&found.place))
        return;
    while (i < p->n && (p->list[i].number < found.number || strcmp(p->list[i].what, found.what) != 0))
        i++;
    if (i < p->n && p->list[i].number == found.number)
        return;
    if (p->n == PARTS_LISTED) {
        p->more = true;
        return;
    }
    memmove(p->list + i + 1, p->list + i, (p->n - i) * sizeof p->list[0]);
    p->list[i] = found;
    p->n++;
}

void parts_to_packages(struct parts *p, const struct machine *m)
{
    struct parts packages = { .more = p->more };

    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t cpu = p->list[i].place.number[PLACE_CPU];

        if (place_has(&p->list[i].place, PLACE_CPU) && cpu < m->n_cpus) {
            struct place package = place_package(m->cpus[cpu].place.package);

            parts_add(&packages, &package, PART_FIRST);
        }
    }
    *p = packages;
}

/* --- as text ----------------------------------------------------------------------------------------------------- */

static bool has_part(const struct parts *p, const char *what, uint32_t number)
{
    return ANY_OF(i, p->n, p->list[i].number == number && text_equal(p->list[i].what, what));
}

/* The one package that has all of these processors, and no other; NO_NUMBER: none. */
static uint32_t package_of(const struct parts *p, const struct machine *m)
{
    uint32_t package = NO_NUMBER, n = 0;

    for (uint32_t i = 0; i < m->n_cpus; i++) {
        if (!has_part(p, "cpu", i))
            continue;
        if (package != NO_NUMBER && package != m->cpus[i].place.package)
            return NO_NUMBER;
        package = m->cpus[i].place.package;
        n++;
    }
    for (uint32_t i = 0; i < m->n_cpus && package != NO_NUMBER; i++)
        n -= m->cpus[i].place.package == package;
    return n == 0 ? package : NO_NUMBER;
}

static uint32_t domains_of(const struct parts *p, const struct machine *m)
{
    return p->n_domains ? p->n_domains : m->n_domains;
}

/* Clusters are numbered from L3 to L3, of which each has as many. */
static bool has_domain_of(const struct parts *p, const struct machine *m, uint32_t package)
{
    uint32_t n = domains_of(p, m);

    return ANY_OF(i, n, m->domains[i * m->n_domains / n].package == package && has_part(p, "L3 domain", i));
}

/* "package 0" where "package 0 iMC 1" or an L3 of it is there too. */
static bool is_vague(const struct parts *p, const struct machine *m, uint32_t which)
{
    char name[PART_NAME + 16];
    size_t n;

    if (p->list[which].number == NO_NUMBER)
        return false;
    if (m && text_equal(p->list[which].what, "package") && has_domain_of(p, m, p->list[which].number))
        return true;
    n = text_format(name, sizeof name, "%s %u", p->list[which].what, p->list[which].number);
    return ANY_OF(i, p->n,
                  strncmp(p->list[i].what, name, n) == 0 && (p->list[i].what[n] == ' ' || !p->list[i].what[n]));
}

static uint32_t how_many(const struct parts *p, const char *what)
{
    return HOW_MANY(i, p->n, text_equal(p->list[i].what, what));
}

/* Whether it says no more than that it is everywhere. */
static bool is_everywhere(const struct parts *p, const struct machine *m)
{
    if (!m)
        return false;
    if (m->n_domains == 0 || ANY_OF(i, domains_of(p, m), !has_part(p, "L3 domain", i)))
        return how_many(p, "cpu") >= m->n_cpus;
    return true;
}

void parts_text(const struct parts *p, const struct machine *m, char *out, size_t size)
{
    uint32_t package = m && m->n_packages > 1 ? package_of(p, m) : NO_NUMBER;
    const char *what = "";
    size_t n = 0;

    out[0] = '\0';
    if (p->n == 0 || is_everywhere(p, m))
        return;
    if (package != NO_NUMBER && how_many(p, "cpu") == p->n) {
        text_format(out, size, "package %u", package);
        return;
    }
    for (uint32_t i = 0; i < p->n && n < size; i++) {
        const struct part *first = &p->list[i];
        bool same = text_equal(what, first->what);

        if (is_vague(p, m, i))
            continue;
        while (i + 1 < p->n && first->number != NO_NUMBER && p->list[i + 1].number == p->list[i].number + 1 &&
               text_equal(p->list[i + 1].what, first->what))
            i++;
        n += text_format(out + n, size - n, "%s%s", n ? ", " : "", same ? "" : first->what);
        if (first->number != NO_NUMBER && n < size)
            n += text_format(out + n, size - n, "%s%u", same ? "" : " ", first->number);
        if (&p->list[i] != first && n < size)
            n += text_format(out + n, size - n, " to %u", p->list[i].number);
        what = first->what;
    }
    if (p->more && n < size)
        text_format(out + n, size - n, " and more");
    if (n >= size && size > 4)
        memcpy(out + size - 4, "...", 4);
}
