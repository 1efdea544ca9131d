/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/place.h"

#include <string.h>

#include "core/base/text.h"

/* In the order of the words. key: in a location. word: before the number, and whether a comma separates it. */
static const struct {
    const char *key, *word;
    bool apart;
} fields[PLACE_FIELDS] = {
    [PLACE_PACKAGE] = { "package", "package", true },
    [PLACE_DIE] = { "die", "die", false },
    [PLACE_BOX] = { "box", NULL, false },
    [PLACE_CHANNEL] = { "channel", "channel", false },
    [PLACE_COUNTER] = { "counter", "counter", false },
    [PLACE_DOMAIN] = { "domain", "L3 domain", true },
    [PLACE_NODE] = { "node", "node", true },
    [PLACE_CPU] = { "cpu", "cpu", true },
    [PLACE_RMID] = { "rmid", "RMID", true },
    [PLACE_CLOS] = { "clos", "CLOS", true },
    [PLACE_HOME] = { "home", "memory of package", true },
    [PLACE_ALL] = { "all", "all", true },
};
#define UNIT_KEY   "unit"
#define DETAIL_KEY "detail"
#define FIXED      "fixed"

/* --- making one */

struct place place_with(struct place p, enum place_field field, uint32_t number)
{
    p.has |= 1u << field;
    p.number[field] = number;
    return p;
}

struct place place_package(uint32_t package)
{
    return place_with(PLACE_NONE, PLACE_PACKAGE, package);
}

struct place place_domain(uint32_t domain)
{
    return place_with(PLACE_NONE, PLACE_DOMAIN, domain);
}

struct place place_node(uint32_t node)
{
    return place_with(PLACE_NONE, PLACE_NODE, node);
}

struct place place_cpu(uint32_t cpu)
{
    return place_with(PLACE_NONE, PLACE_CPU, cpu);
}

struct place place_rmid(uint32_t domain, uint32_t rmid)
{
    return place_with(place_domain(domain), PLACE_RMID, rmid);
}

struct place place_clos(uint32_t domain, uint32_t clos)
{
    return place_with(place_domain(domain), PLACE_CLOS, clos);
}

struct place place_domain_cpu(uint32_t domain, uint32_t cpu)
{
    return place_with(place_domain(domain), PLACE_CPU, cpu);
}

struct place place_of(const char *format, ...)
{
    struct place p = PLACE_NONE;

    TEXT_OF_ARGS(p.detail, format);
    return p;
}

struct place place_with_unit(struct place p, const char *unit)
{
    text_format(p.unit, sizeof p.unit, "%s", unit);
    return p;
}

struct place place_with_detail(struct place p, const char *format, ...)
{
    TEXT_OF_ARGS(p.detail, format);
    return p;
}

/* --- reading one */

bool place_has(const struct place *p, enum place_field field)
{
    return (p->has >> field & 1) != 0;
}

/* A line that is being written: what does not fit is left out. */
struct line {
    char *out;
    size_t size, n;
};

static void add(struct line *l, const char *before, const char *text)
{
    if (l->n < l->size)
        l->n += text_format(l->out + l->n, l->size - l->n, "%s%s", l->n ? before : "", text);
    l->n = l->n < l->size ? l->n : l->size - 1;
}

static void add_field(struct line *l, const struct place *p, enum place_field f)
{
    const char *word = fields[f].word;
    char text[40];

    if (!place_has(p, f))
        return;
    if (f == PLACE_COUNTER && p->number[f] == PLACE_FIXED_COUNTER)
        text_format(text, sizeof text, "fixed counter");
    else
        text_format(text, sizeof text, "%s%s%u", word ? word : "", word ? " " : "", p->number[f]);
    add(l, fields[f].apart ? ", " : " ", text);
}

size_t place_text(const struct place *p, char *out, size_t size)
{
    struct line l = { out, size, 0 };

    out[0] = '\0';
    for (enum place_field f = 0; f < PLACE_FIELDS; f++) {
        if (f == PLACE_BOX && p->unit[0])
            add(&l, " ", p->unit);
        add_field(&l, p, f);
    }
    if (p->detail[0])
        add(&l, ", ", p->detail);
    return l.n;
}

size_t place_location(const struct place *p, char *out, size_t size)
{
    struct line l = { out, size, 0 };
    char text[40];

    out[0] = '\0';
    for (enum place_field f = 0; f < PLACE_FIELDS; f++) {
        if (f == PLACE_BOX && p->unit[0]) {
            text_format(text, sizeof text, UNIT_KEY "=%s", p->unit);
            add(&l, ",", text);
        }
        if (!place_has(p, f))
            continue;
        if (f == PLACE_COUNTER && p->number[f] == PLACE_FIXED_COUNTER)
            text_format(text, sizeof text, "%s=" FIXED, fields[f].key);
        else
            text_format(text, sizeof text, "%s=%u", fields[f].key, p->number[f]);
        add(&l, ",", text);
    }
    if (p->detail[0]) {
        add(&l, ",", DETAIL_KEY "=");
        add(&l, "", p->detail);
    }
    return l.n;
}

size_t place_kind(const struct place *p, char *out, size_t size)
{
    char location[PLACE_TEXT];

    place_location(p, location, sizeof location);
    place_kind_of(location, out, size);
    return strlen(out);
}

/* --- parsing */

/* Characters before the first of `ends`, or before the end. */
static size_t length_before(const char *text, const char *ends)
{
    size_t n = 0;

    while (text[n] && text[n] != ends[0] && text[n] != ends[1])
        n++;
    return n;
}

static bool take_number(const char *text, size_t length, uint32_t *number)
{
    uint64_t value = 0;

    if (length == 0 || length > 10)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *number = (uint32_t)value;
    return value < UINT32_MAX;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* One "key=value". */
static bool take_pair(const char *key, size_t key_length, const char *value, size_t length, struct place *p)
{
    uint32_t number = PLACE_FIXED_COUNTER;

    if (is_word(key, key_length, UNIT_KEY)) {
        if (length == 0 || length >= sizeof p->unit)
            return false;
        text_format(p->unit, sizeof p->unit, "%.*s", (int)length, value);
        return true;
    }
    for (enum place_field f = 0; f < PLACE_FIELDS; f++) {
        if (!is_word(key, key_length, fields[f].key))
            continue;
        if (!(f == PLACE_COUNTER && is_word(value, length, FIXED)) && !take_number(value, length, &number))
            return false;
        *p = place_with(*p, f, number);
        return true;
    }
    return true;
}

bool place_parse(const char *location, struct place *out)
{
    struct place p = PLACE_NONE;

    while (*location) {
        size_t key = length_before(location, "=,"), value;

        if (key == 0 || location[key] != '=')
            return false;
        if (is_word(location, key, DETAIL_KEY)) {
            text_format(p.detail, sizeof p.detail, "%s", location + key + 1);
            if (!p.detail[0])
                return false;
            *out = p;
            return true;
        }
        value = length_before(location + key + 1, ",");
        if (!take_pair(location, key, location + key + 1, value, &p))
            return false;
        location += key + 1 + value;
        if (*location == ',' && !*++location)
            return false;
    }
    *out = p;
    return true;
}

void place_kind_of(const char *location, char *out, size_t size)
{
    struct line l = { out, size, 0 };
    char pair[PLACE_TEXT];
    uint32_t number;

    out[0] = '\0';
    while (*location) {
        size_t key = length_before(location, "=,"), value;

        if (location[key] != '=' || is_word(location, key, DETAIL_KEY))
            break;
        value = length_before(location + key + 1, ",");
        if (take_number(location + key + 1, value, &number))
            text_format(pair, sizeof pair, "%.*s=#", (int)key, location);
        else
            text_format(pair, sizeof pair, "%.*s", (int)(key + 1 + value), location);
        add(&l, ",", pair);
        location += key + 1 + value + (location[key + 1 + value] == ',');
    }
    if (*location)
        add(&l, ",", location);
}

void place_words_of(const char *location, char *out, size_t size)
{
    struct place p;

    if (place_parse(location, &p))
        place_text(&p, out, size);
    else
        text_format(out, size, "%s", location);
}
