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

/* The part up to the next ':' or the end, and *at after it. */
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

/* Linux uncore_snbep.c, DEFINE_UNCORE_FORMAT_ATTR(); match_addr and match_sel, of registers that Linux does not write, are ours. */
static const char *const named_fields[] = {
    "filter_tid",  "filter_link",  "filter_nid",   "filter_state",  "filter_opc",    "filter_opc0", "filter_opc1",
    "filter_rem",  "filter_loc",   "filter_nm",    "filter_not_nm", "filter_all_op", "filter_nc",   "filter_c6",
    "filter_isoc", "filter_band0", "filter_band1", "filter_band2",  "filter_band3",  "occ_sel",     "occ_invert",
    "occ_edge",    "occ_edge_det", "match_rds",    "match_rnid30",  "match_rnid4",   "match_dnid",  "match_mc",
    "match_opc",   "match_vnw",    "match0",       "match1",        "mask_rds",      "mask_rnid30", "mask_rnid4",
    "mask_dnid",   "mask_mc",      "mask_opc",     "mask_vnw",      "mask0",         "mask1",       "match_addr",
    "match_sel",   "match",        "mask",         "filter_match",  "filter_mask",
};

static bool is_of_match(const char *name)
{
    return !memcmp(name, "match", 5) || !memcmp(name, "mask", 4);
}

/* "match_mc=0xe"; without a value it is 1. ST_ABSENT: it is no such field. */
static enum status spec_named(const char *name, const char *text, struct event_spec *spec, struct event_fault *fault)
{
    uint64_t value = 1;
    uint32_t at = 0;

    for (size_t i = 0; i < sizeof named_fields / sizeof *named_fields; i++) {
        if (!text_equal(named_fields[i], name))
            continue;
        if (text && !text_number(text, &value))
            return spec_fault(fault, name, "is not a number");
        while (at < spec->n_named && spec->named[at].name != named_fields[i])
            at++;
        if (at == EVENT_NAMED_FIELDS)
            return spec_fault(fault, name, "is one filter or match more than an event can have");
        spec->named[at] = (struct event_named_field){ .name = named_fields[i], .value = value };
        spec->n_named += at == spec->n_named;
        spec->match_asked = spec->match_asked && !is_of_match(name);
        return ST_OK;
    }
    return ST_ABSENT;
}

/* "edge" or "thresh=1" */
static enum status spec_field(char *word, struct event_spec *spec, struct event_fault *fault)
{
    struct {
        const char *name;
        bool *flag;
        uint32_t *number;
    } fields[] = {
        { "edge", &spec->edge, NULL },
        { "invert", &spec->invert, NULL },
        { "tid_en", &spec->tid_en, NULL },
        { "fixed", &spec->fixed, NULL },
        { "code", NULL, &spec->code },
        { "umask", NULL, &spec->umask },
        { "inv", &spec->invert, NULL },
        { "event", NULL, &spec->code },
        { "umask_ext", NULL, &spec->extension },
        { "thresh", NULL, &spec->thresh },
        { "ch_mask", NULL, &spec->ch_mask },
        { "fc_mask", NULL, &spec->fc_mask },
        { "counters", NULL, &spec->counters },
        { "filter0", NULL, NULL },
        { "filter1", NULL, NULL },
    };
    char *value = word;
    enum status st;

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
    if (text_equal(word, "match") && value && text_equal(value, "?")) {
        spec->match_asked = true;
        return ST_OK;
    }
    st = spec_named(word, value, spec, fault);
    if (st != ST_ABSENT)
        return st;
    return spec_fault(fault, word,
                      "is no field; fields: thresh edge inv filter_* match_* mask_* occ_* tid_en ch_mask fc_mask "
                      "counters umask_ext ...");
}

enum status event_spec_modify(const char *fields, struct event_spec *spec, struct event_fault *fault)
{
    struct event_spec made = *spec;
    char word[WORD];

    for (const char *at = fields;; at++) {
        TRY(spec_part(&at, word, fault));
        TRY(spec_field(word, &made, fault));
        if (*at == '\0')
            break;
    }
    *spec = made;
    return ST_OK;
}

enum status event_spec_parse(const char *text, struct event_spec *spec, struct event_fault *fault)
{
    static const char *const names[] = { "code", "umask", "extension" };
    struct event_spec made = { .code = 0 };
    uint32_t *const numbers[] = { &made.code, &made.umask, &made.extension };
    const char *at = text;
    char word[WORD];

    for (uint32_t i = 0; i < 3 && (i < 2 || (*at >= '0' && *at <= '9')); i++) {
        TRY(spec_part(&at, word, fault));
        TRY(spec_number(word, names[i], numbers[i], fault));
        if (*at == '\0' && i == 0)
            TRY(spec_fault(fault, "umask", "is missing: an event is CODE:UMASK[:EXTENSION][:FIELD[=VALUE]]..."));
        if (*at == '\0') {
            *spec = made;
            return ST_OK;
        }
        at++; /* the ':' */
    }
    TRY(event_spec_modify(at, &made, fault));
    *spec = made;
    return ST_OK;
}
