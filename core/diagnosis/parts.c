/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/parts.h"

#include <string.h>

#include "core/base/text.h"
#include "core/machine/machine.h"

#define NO_NUMBER UINT32_MAX

/* --- out of a finding -------------------------------------------------------------------------------------------- */

static bool digit_at_hand(char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (at[n] && at[n] != ' ')
        n++;
    return n;
}

/* Digits up to a blank, a colon, a comma or the end. */
static bool take_decimal(const char **at, uint32_t *number)
{
    const char *c = *at;

    *number = 0;
    if (!digit_at_hand(*c))
        return false;
    while (digit_at_hand(*c) && *number < 100000)
        *number = *number * 10 + (uint32_t)(*c++ - '0');
    if (*c && *c != ' ' && *c != ':' && *c != ',')
        return false;
    *at = c;
    return true;
}

static void name_add(char *name, const char *word, size_t length)
{
    size_t n = strlen(name);

    text_format(name + n, PART_NAME - n, "%s%.*s", n ? " " : "", (int)length, word);
}

/* What was its number becomes a part of the name: of "package 0 iMC 1" the package's. */
static void name_number(struct part *p)
{
    char digits[16];

    if (p->number == NO_NUMBER)
        return;
    text_format(digits, sizeof digits, "%u", p->number);
    name_add(p->what, digits, strlen(digits));
    p->number = NO_NUMBER;
}

/* Whether a word that has no number is a box of the package or die that was named: "package 0 UBox: ...", "package 0 uncore
 * counter 3". */
static bool is_sole_box(const struct part *p, const char *word, size_t length, const char *next)
{
    bool in_place = text_matches("*package", p->what) || text_matches("*die", p->what);

    return in_place &&
           (word[length - 1] == ':' || text_matches("counter *", next) || text_matches("fixed counter*", next));
}

/* "package 0 die 1 CHA 5 counter 2: ...": pairs of a word and a number, up to a counter's. */
static bool take_names(const char *at, struct part *p)
{
    memset(p, 0, sizeof *p);
    p->number = NO_NUMBER;
    for (;;) {
        size_t length = word_length(at);
        const char *next = at + length + (at[length] == ' ');
        uint32_t number;

        if (length == 0 || text_matches("counter *", at) || text_equal("counter", at) || digit_at_hand(*at))
            break;
        if (at[length - 1] == ':' || !take_decimal(&next, &number)) {
            if (is_sole_box(p, at, length, next)) {
                name_number(p);
                name_add(p->what, at, length - (at[length - 1] == ':'));
            }
            break;
        }
        name_number(p);
        name_add(p->what, at, length);
        p->number = number;
        if (*next != ' ')
            break;
        at = next + 1;
    }
    return p->what[0] != '\0' && (p->number != NO_NUMBER || text_find(p->what, " ") != NULL);
}

static bool take_named(const char *finding, const char *word, struct part *p)
{
    const char *at = text_find(finding, word);

    if (!at)
        return false;
    at += strlen(word);
    memset(p, 0, sizeof *p);
    text_format(p->what, sizeof p->what, "%.*s", (int)(strlen(word) - 1), word);
    return take_decimal(&at, &p->number);
}

/* "L3 domain 0": two words and a number. */
static bool take_first(const char *finding, struct part *p)
{
    if (text_matches("L3 domain *", finding))
        return take_named(finding, "L3 domain ", p);
    return take_names(finding, p);
}

void parts_add(struct parts *p, const char *finding, enum part_kind kind)
{
    struct part found;
    bool is = kind == PART_CPU || kind == PART_PACKAGE ? take_named(finding, "cpu ", &found)
              : kind == PART_RMID                      ? take_named(finding, "RMID ", &found)
                                                       : take_first(finding, &found);
    uint32_t i = 0;

    if (!is)
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
    char name[24];

    for (uint32_t i = 0; i < p->n; i++)
        if (text_equal(p->list[i].what, "cpu") && p->list[i].number < m->n_cpus) {
            text_format(name, sizeof name, "package %u:", m->cpus[p->list[i].number].place.package);
            parts_add(&packages, name, PART_FIRST);
        }
    *p = packages;
}

/* --- as text ----------------------------------------------------------------------------------------------------- */

static bool has_part(const struct parts *p, const char *what, uint32_t number)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->list[i].number == number && text_equal(p->list[i].what, what))
            return true;
    return false;
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

/* "package 0" where "package 0 iMC 1" is there too. */
static bool is_vague(const struct parts *p, uint32_t which)
{
    char name[PART_NAME + 16];
    size_t n;

    if (p->list[which].number == NO_NUMBER)
        return false;
    n = text_format(name, sizeof name, "%s %u", p->list[which].what, p->list[which].number);
    for (uint32_t i = 0; i < p->n; i++)
        if (strncmp(p->list[i].what, name, n) == 0 && (p->list[i].what[n] == ' ' || !p->list[i].what[n]))
            return true;
    return false;
}

static uint32_t how_many(const struct parts *p, const char *what)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n; i++)
        n += text_equal(p->list[i].what, what);
    return n;
}

/* Whether it says no more than that it is everywhere. */
static bool is_everywhere(const struct parts *p, const struct machine *m)
{
    if (!m)
        return false;
    for (uint32_t i = 0; i < m->n_domains; i++)
        if (!has_part(p, "L3 domain", i))
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

        if (is_vague(p, i))
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
