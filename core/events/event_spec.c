/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/events/event_spec.h"

#include <string.h>

#include "core/base/text.h"

#define WORD 40u /* of a part between two ':', with its end */

static enum status spec_fault(struct event_fault *fault, const char *field, const char *text)
{
    text_format(fault->field, sizeof fault->field, "%s", field);
    text_format(fault->text, sizeof fault->text, "%s", text);
    return ST_RANGE;
}

/* The part up to the next ':' or the end, and *at behind it. */
static enum status spec_part(const char **at, char word[WORD], struct event_fault *fault)
{
    size_t n = 0;

    for (; **at && **at != ':'; (*at)++) {
        if (n + 1 >= WORD)
            return spec_fault(fault, "", "a part of it is too long");
        word[n++] = **at;
    }
    word[n] = '\0';
    return n ? ST_OK : spec_fault(fault, "", "a part of it is empty");
}

static enum status spec_number(const char *text, const char *field, uint32_t *value, struct event_fault *fault)
{
    uint64_t number = 0;

    if (!text_number(text, &number))
        return spec_fault(fault, field, "is not a number");
    if (number > UINT32_MAX)
        return spec_fault(fault, field, "is beyond 32 bits");
    *value = (uint32_t)number;
    return ST_OK;
}

static enum status spec_filter(const char *text, const char *field, uint32_t n, struct event_spec *spec,
                               struct event_fault *fault)
{
    if (text_equal(text, "?")) {
        spec->how[n] = FILTER_ASKED;
        return ST_OK;
    }
    spec->how[n] = FILTER_SET;
    return spec_number(text, field, &spec->filter[n], fault);
}

/* "edge" or "thresh=1" */
static enum status spec_field(char *word, struct event_spec *spec, struct event_fault *fault)
{
    struct {
        const char *name;
        bool *flag;
        uint32_t *number;
    } fields[] = {
        { "edge", &spec->edge, NULL },         { "invert", &spec->invert, NULL },   { "tid_en", &spec->tid_en, NULL },
        { "fixed", &spec->fixed, NULL },       { "code", NULL, &spec->code },       { "umask", NULL, &spec->umask },
        { "thresh", NULL, &spec->thresh },     { "ch_mask", NULL, &spec->ch_mask }, { "fc_mask", NULL, &spec->fc_mask },
        { "counters", NULL, &spec->counters }, { "filter0", NULL, NULL },           { "filter1", NULL, NULL },
    };
    char *value = word;

    while (*value && *value != '=')
        value++;
    if (*value)
        *value++ = '\0';
    else
        value = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!text_equal(fields[i].name, word))
            continue;
        if (!fields[i].flag != (value != NULL))
            return spec_fault(fault, word, value ? "takes no value" : "needs a value: FIELD=VALUE");
        if (fields[i].flag) {
            *fields[i].flag = true;
            return ST_OK;
        }
        return fields[i].number ? spec_number(value, word, fields[i].number, fault)
                                : spec_filter(value, word, (uint32_t)(word[6] - '0'), spec, fault);
    }
    return spec_fault(
        fault, word,
        "is no field; fields: thresh edge invert filter0 filter1 tid_en ch_mask fc_mask counters code umask fixed");
}

enum status event_spec_modify(const char *fields, struct event_spec *spec, struct event_fault *fault)
{
    struct event_spec made = *spec;
    char word[WORD];
    enum status st;

    for (const char *at = fields;; at++) {
        st = spec_part(&at, word, fault);
        if (st == ST_OK)
            st = spec_field(word, &made, fault);
        if (st != ST_OK)
            return st;
        if (*at == '\0')
            break;
    }
    *spec = made;
    return ST_OK;
}

static bool starts_number(char c)
{
    return c >= '0' && c <= '9';
}

enum status event_spec_parse(const char *text, struct event_spec *spec, struct event_fault *fault)
{
    static const char *const names[] = { "code", "umask", "extension" };
    struct event_spec made = { .code = 0 };
    uint32_t *const numbers[] = { &made.code, &made.umask, &made.extension };
    const char *at = text;
    char word[WORD];
    enum status st = ST_OK;

    for (uint32_t i = 0; i < 3 && st == ST_OK && (i < 2 || starts_number(*at)); i++) {
        st = spec_part(&at, word, fault);
        if (st == ST_OK)
            st = spec_number(word, names[i], numbers[i], fault);
        if (st == ST_OK && *at == '\0' && i == 0)
            st = spec_fault(fault, "umask", "is missing: an event is CODE:UMASK[:EXTENSION][:FIELD[=VALUE]]...");
        if (st != ST_OK)
            return st;
        if (*at == '\0') {
            *spec = made;
            return ST_OK;
        }
        at++; /* the ':' */
    }
    st = event_spec_modify(at, &made, fault);
    if (st == ST_OK)
        *spec = made;
    return st;
}
