/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/realism.c: the quirks, and how they are asked for. See realism.h. */
#include "tests/silicon/quirks/realism.h"
#include "core/base/bits.h"
#include "core/base/search.h"
#include "tests/silicon/model/refusal.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/profiles/profile_capability.h"
#include "tests/silicon/uncore/uncore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_amp(const struct profile *part)
{
    return part->prefetch_more & BIT(5);
}

static bool has_llc_control(const struct profile *part)
{
    return part->llc_control != 0;
}

static bool has_uclk(const struct profile *part)
{
    return part->uncore_ratio;
}

static bool has_ubox_filter(const struct profile *part)
{
    for (uint32_t k = 0; part->uncore && k < part->uncore->n_types; k++) {
        const struct uncore_box_type *t = part->uncore->types[k];

        if (t->unit == UNIT_UBOX && t->filter_kept && t->n_events && (t->events[0].arg & MESSAGE_IPI))
            return true;
    }
    return false;
}

static bool has_clusters_alone(const struct profile *part)
{
    return part->max_clusters > 1 && !part->rmid_snc_config;
}

static bool has_hbm(const struct profile *part)
{
    return part->hbm_channels != 0;
}

static bool has_pci_boxes(const struct profile *part)
{
    return part->uncore && part->uncore->pci_buses != 0;
}

static bool has_monitors(const struct profile *part)
{
    return part->uncore != NULL;
}

static bool maps_buses(const struct profile *part)
{
    for (uint32_t k = 0; part->uncore && k < part->uncore->n_types; k++) {
        const struct uncore_box_type *t = part->uncore->types[k];

        if (ANY_OF(i, t->n_regs, t->regs[i].source == source_node_map))
            return true;
    }
    return false;
}

static bool is_never_drawn(const struct profile *)
{
    return false;
}

/* Granite Rapids (GNR12), Sierra Forest (SRF42). */
static bool has_overcount_erratum(const struct profile *part)
{
    return strcmp(part->name, "gnr") == 0 || strcmp(part->name, "srf") == 0;
}

/* MSR 1A4H; AMD: PrefetchCtlMsr, CPUID Fn8000_0021_EAX[13]. */
static bool has_prefetch_control(const struct profile *part)
{
    return profile_has(part, CAP_PREFETCH_CONTROL) || (part->amd && (profile_cpuid(part, 0x80000021, 0, 0) & BIT(13)));
}

static bool has_room_for_classes(const struct profile *part)
{
    return profile_has(part, CAP_CAT) && !part->rmid_snc_config;
}

static bool has_io_rdt(const struct profile *part)
{
    return profile_has(part, CAP_IO_RDT) || profile_has(part, CAP_SDCIAE);
}

/* Machines with one of these states, of which there are a dozen: about half. */
#define LEFT_ONE_IN 16

#define QUIRK(id, ...) [id] = { __VA_ARGS__ },
static const struct realism_quirk quirks[REALISM_QUIRKS] = {
#include "tests/silicon/quirks/realism_rows.h"
};
#undef QUIRK

const struct realism_quirk *realism_quirks(void)
{
    return quirks;
}

enum part_class realism_class(const struct profile *part)
{
    return part->amd ? PART_AMD : part->l3_inclusive ? PART_INCLUSIVE : PART_NON_INCLUSIVE;
}

struct realism_range realism_range(enum realism_id id, const struct profile *part)
{
    const struct realism_quirk *k = &quirks[id];

    if ((k->needs && !profile_has(part, k->needs)) || (k->acts_on && !k->acts_on(part)))
        return (struct realism_range){ 0, 0, 0 };
    return k->range[realism_class(part)];
}

/* --- values */

/* The word of this number in "a|b|c"; *length 0: there is none. */
static const char *choice(const char *choices, uint64_t number, size_t *length)
{
    while (number-- > 0 && *choices) {
        choices += strcspn(choices, "|");
        choices += *choices == '|';
    }
    *length = strcspn(choices, "|");
    return choices;
}

const char *realism_text(enum realism_id id, uint64_t value, char *out, size_t size)
{
    size_t length;
    const char *word;

    if (!quirks[id].choices) {
        snprintf(out, size, "%" PRIu64, value);
        return out;
    }
    word = choice(quirks[id].choices, value, &length);
    snprintf(out, size, "%.*s", (int)length, word);
    return out;
}

void realism_markdown(enum realism_id id, char *out, size_t size)
{
    static const char *const classes[PART_CLASSES] = { "inclusive", "not inclusive", "AMD" };
    const struct realism_quirk *k = &quirks[id];
    char word[24];
    size_t used = 0;
    uint32_t named = 0;

#define ADD(...)                                                                                                       \
    (used += (size_t)snprintf(out + (used < size ? used : size), used < size ? size - used : 0, __VA_ARGS__))
    ADD("| `%s` | %s | ", k->name, k->choices ? "" : k->unit);
    for (uint64_t i = 0; k->choices && i <= k->most; i++)
        ADD("%s%s", i ? ", " : "", realism_text(id, i, word, sizeof word));
    if (!k->choices)
        ADD("0 to %" PRIu64, k->most);
    ADD(" | %s | ", k->meaning);
    for (uint32_t c = 0; c < PART_CLASSES; c++) {
        const struct realism_range *r = &k->range[c];

        if (r->high == 0)
            continue;
        ADD("%s%s: ", named++ ? "; " : "", classes[c]);
        if (!k->choices)
            ADD("%" PRIu64 " to %" PRIu64 ", ", r->low, r->high);
        ADD("typical %s", realism_text(id, r->typical, word, sizeof word));
    }
    ADD(" | %s |", k->source);
#undef ADD
}

/* --- from text to values */

static const char *quirk_name(uint32_t number)
{
    return quirks[number].name;
}

static bool choice_parse(const struct realism_quirk *k, const char *text, uint64_t *value)
{
    for (uint64_t i = 0; i <= k->most; i++) {
        size_t length;
        const char *word = choice(k->choices, i, &length);

        if (strlen(text) == length && memcmp(word, text, length) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool number_parse(const struct realism_quirk *k, const char *text, uint64_t *value)
{
    uint64_t number;
    char *end;

    errno = 0;
    number = strtoull(text, &end, 0);
    if (end == text || *end || errno || text[0] == '-' || number > k->most)
        return false;
    *value = number;
    return true;
}

static bool quirk_set(struct realism *r, const struct profile *part, const char *name, const char *text, char *error,
                      size_t size)
{
    uint32_t id = 0;
    const struct realism_quirk *k;
    uint64_t value = 0;

    while (id < REALISM_QUIRKS && strcmp(quirks[id].name, name) != 0)
        id++;
    if (id == REALISM_QUIRKS)
        return refusal_of_name(error, size, "quirk", name, quirk_name, REALISM_QUIRKS);
    k = &quirks[id];
    if (k->choices && !choice_parse(k, text, &value))
        return refusal_say(error, size, "realism %s=%s: one of %s is wanted", name, text, k->choices);
    if (!k->choices && !number_parse(k, text, &value))
        return refusal_say(error, size, "realism %s=%s: 0 to %" PRIu64 " %s is wanted", name, text, k->most, k->unit);
    if (value && realism_range(id, part).high == 0)
        return refusal_say(error, size, "realism %s cannot act on profile %s", name, part->name);
    r->value[id] = value;
    return true;
}

static void set_typical(struct realism *r, const struct profile *part)
{
    for (uint32_t i = 0; i < REALISM_QUIRKS; i++)
        r->value[i] = realism_range(i, part).typical;
}

static bool item_parse(struct realism *r, const struct profile *part, char *item, char *error, size_t size)
{
    char *value = strchr(item, '=');

    if (value) {
        *value = 0;
        return quirk_set(r, part, item, value + 1, error, size);
    }
    if (!strcmp(item, "typical"))
        set_typical(r, part);
    else if (!strcmp(item, "none"))
        memset(r, 0, sizeof *r);
    else
        return refusal_say(error, size, "realism '%s': NAME=VALUE, typical or none is wanted", item);
    return true;
}

bool realism_parse(struct realism *r, const struct profile *part, const char *text, char *error, size_t error_size)
{
    char item[96];

    memset(r, 0, sizeof *r);
    while (text && *text) {
        size_t length = strcspn(text, ",");

        snprintf(item, sizeof item, "%.*s", (int)length, text);
        if (length >= sizeof item)
            return refusal_say(error, error_size, "realism '%s...' is too long", item);
        if (!item_parse(r, part, item, error, error_size))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

const char *realism_host_only(const struct realism *r)
{
    return FIND(i, REALISM_QUIRKS, quirks[i].host_only && r->value[i], quirks[i].name, NULL);
}

bool realism_has_left_state(const struct realism *r)
{
    return ANY_OF(i, REALISM_QUIRKS, r->value[i] && !strncmp(quirks[i].name, "left-", 5));
}
