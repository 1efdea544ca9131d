/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "core/options/options_internal.h"
#include "core/base/text.h"

const char *const options_mp_names[] = { "auto", "blocking", "sipi", "bsp", NULL };
const char *const options_load_names[] = { "read", "write", "nt-write", "none", NULL };
const char *const options_exit_names[] = { "return", "menu", "shutdown", "reboot", "qemu", NULL };
static const char *const ui_names[] = { "auto", "screen", "lines", "jsonl", NULL };
static const char *const list_names[] = { "no", "yes", "boxes", NULL };

/* --- the table --------------------------------------------------------------------------------------------------- */

#define AT(member) .field = offsetof(struct options, member)

static const struct option table[] = {
    { .names = { "h", "?", "-help" }, .kind = KIND_FLAG, .index = 0, AT(help) },
    { .names = { "list" },
      .kind = KIND_CHOICE,
      .index = 1,
      AT(list),
      .choices = list_names,
      .none = "is none of yes, no, boxes",
      .alone = true },
    { .names = { "version" }, .kind = KIND_FLAG, .index = 2, AT(version) },
    { .names = { "t" }, .kind = KIND_PATTERNS, .index = 3, AT(tests), .count = offsetof(struct options, n_tests) },
    { .names = { "skip" }, .kind = KIND_PATTERNS, .index = 4, AT(skips), .count = offsetof(struct options, n_skips) },
    { .names = { "o" }, .kind = KIND_PATH, .index = 5, AT(folder) },
    { .names = { "cpus" }, .kind = KIND_CPUS, .index = 6, AT(cpus) },
    { .names = { "mem" },
      .kind = KIND_SIZE,
      .index = 7,
      AT(mem_bytes),
      .lo = OPTIONS_MEM_MIN,
      .hi = OPTIONS_MEM_MAX,
      .none = "is not a size like 512M",
      .outside = "is outside 16M to 64T" },
    { .names = { "repeat" },
      .kind = KIND_NUMBER,
      .index = 8,
      AT(repeat),
      .lo = 1,
      .hi = 1000000,
      .outside = "is outside 1 to 1000000" },
    { .names = { "v" }, .kind = KIND_NUMBER, .index = 9, AT(verbose), .hi = 3, .outside = "is outside 0 to 3" },
    { .names = { "q" }, .kind = KIND_FLAG, .index = 10, AT(quiet) },
    { .names = { "mp" },
      .kind = KIND_CHOICE,
      .index = 11,
      AT(mp),
      .choices = options_mp_names,
      .none = "is none of auto, blocking, sipi, bsp" },
    { .names = { "exit" },
      .kind = KIND_CHOICE,
      .index = 12,
      AT(exit),
      .choices = options_exit_names,
      .none = "is none of return, menu, shutdown, reboot, qemu" },
    { .names = { "config" }, .kind = KIND_PATH, .index = 13, AT(config), .line_only = true },
    { .names = { "count" }, .kind = KIND_TEXT, .index = 14, AT(count) },
    { .names = { "load" },
      .kind = KIND_CHOICE,
      .index = 15,
      AT(load),
      .choices = options_load_names,
      .none = "is none of read, write, nt-write, none" },
    { .names = { "size" },
      .kind = KIND_SIZE,
      .index = 16,
      AT(size_bytes),
      .lo = OPTIONS_SIZE_MIN,
      .hi = OPTIONS_SIZE_MAX,
      .none = "is not a size like 64M",
      .outside = "is outside 64K to 1G" },
    { .names = { "ui" },
      .kind = KIND_CHOICE,
      .index = 17,
      AT(ui),
      .choices = ui_names,
      .none = "is none of auto, screen, lines, jsonl" },
    { .names = { "soak" },
      .kind = KIND_NUMBER,
      .index = 20,
      AT(soak_minutes),
      .hi = OPTIONS_SOAK_MAX,
      .outside = "is outside 0 to 43200" },
    { .names = { "quick" }, .kind = KIND_FLAG, .index = 21, AT(quick) },
    { .names = { "b" }, .kind = KIND_FLAG, .index = 18, AT(page_breaks) },
    { .names = { "baseline" }, .kind = KIND_PATH, .index = 19, AT(baseline) },
};
_Static_assert(sizeof table / sizeof *table <= OPTIONS_ROWS, "options.given has a place for each");

const struct option *option_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t n = 0; n < sizeof table[i].names / sizeof *table[i].names && table[i].names[n]; n++)
            if (text_equal(table[i].names[n], name))
                return &table[i];
    return NULL;
}

enum voice option_voice(const struct options *o, const struct option *option)
{
    return (enum voice)o->given[option->index];
}

void options_default(struct options *o)
{
    memset(o, 0, sizeof *o);
    text_format(o->folder, sizeof o->folder, "\\assay\\reports");
    o->repeat = 1;
    o->verbose = 1;
    o->size_bytes = OPTIONS_SIZE;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* Reads "N" or "N-M" at *text and steps behind it. */
static bool read_range(const char **text, uint64_t *lo, uint64_t *hi)
{
    uint64_t n[2] = { 0, 0 };
    unsigned i = 0;

    for (;; (*text)++) {
        unsigned digits = 0;

        for (; **text >= '0' && **text <= '9'; (*text)++, digits++)
            if (digits < 8)
                n[i] = n[i] * 10 + (uint64_t)(**text - '0');
        if (digits == 0 || digits > 8)
            return false;
        if (i == 1 || **text != '-')
            break;
        i = 1;
    }
    *lo = n[0];
    *hi = i == 1 ? n[1] : n[0];
    return true;
}

/* NULL, or what is wrong with a list of processors. */
static const char *cpus_fault(const char *list)
{
    uint64_t lo, hi;

    for (;;) {
        if (!read_range(&list, &lo, &hi))
            return "is not a list like 0-3,8";
        if (lo > hi)
            return "has a range that runs backwards";
        if (hi > OPTIONS_CPU_MAX)
            return "names a processor beyond 4095";
        if (*list == '\0')
            return NULL;
        if (*list++ != ',')
            return "is not a list like 0-3,8";
    }
}

bool options_has_cpu(const struct options *o, uint32_t cpu)
{
    const char *list = o->cpus;
    uint64_t lo, hi;

    if (*list == '\0')
        return true;
    while (read_range(&list, &lo, &hi)) {
        if (cpu >= lo && cpu <= hi)
            return true;
        if (*list++ != ',')
            break;
    }
    return false;
}

static const char *text_fault(const char *value)
{
    if (*value == '\0')
        return "is empty";
    if (strlen(value) >= OPTIONS_TEXT)
        return "is longer than 127 characters";
    for (const char *c = value; *c; c++)
        if (*c < 0x20 || *c > 0x7E)
            return "holds a character that is not printable ASCII";
    return NULL;
}

/* A volume may stand in front ("fs0:\x"); behind it no character that a file name on FAT may not hold. */
static const char *path_fault(const char *value)
{
    const char *fault = text_fault(value), *colon = value;

    while (*colon && *colon != ':' && *colon != '\\' && *colon != '/')
        colon++;
    if (!fault && *colon == ':' && (colon == value || colon[1] == '\0'))
        return colon == value ? "names no volume in front of the ':'" : "names a volume and no file";
    for (const char *c = *colon == ':' ? colon + 1 : value; *c && !fault; c++)
        for (const char *bad = "*?\"<>|:"; *bad; bad++)
            if (*c == *bad)
                fault = "holds a character that a path may not have";
    return fault;
}

static int choice(const char *const *choices, const char *value)
{
    for (int i = 0; choices[i]; i++)
        if (text_equal(choices[i], value))
            return i;
    return -1;
}

static const char *flag_fault(const char *value)
{
    return text_equal(value, "yes") || text_equal(value, "no") ? NULL : "is neither yes nor no";
}

static const char *number_fault(const struct option *option, const char *value, uint64_t *number)
{
    if (option->kind == KIND_SIZE && !text_size(value, number))
        return option->none;
    if (option->kind == KIND_NUMBER && !text_number(value, number))
        return "is not a number";
    return *number < option->lo || *number > option->hi ? option->outside : NULL;
}

const char *option_fault(const struct option *option, const char *text)
{
    uint64_t number;

    switch (option->kind) {
    case KIND_FLAG:
        return flag_fault(text);
    case KIND_CHOICE:
        return choice(option->choices, text) < 0 ? option->none : NULL;
    case KIND_NUMBER:
    case KIND_SIZE:
        return number_fault(option, text, &number);
    case KIND_PATH:
        return path_fault(text);
    case KIND_CPUS:
        return text_fault(text) ? text_fault(text) : cpus_fault(text);
    case KIND_TEXT:
    case KIND_PATTERNS:
        return text_fault(text);
    }
    return NULL;
}

static void put_choice(void *field, const struct option *option, const char *text)
{
    unsigned chosen = (unsigned)choice(option->choices, text);

    memcpy(field, &chosen, sizeof chosen);
}

static void put_number(void *field, const struct option *option, const char *text)
{
    uint64_t number = 0;
    uint32_t narrow;

    if (number_fault(option, text, &number))
        return;
    narrow = (uint32_t)number;
    if (option->kind == KIND_SIZE)
        memcpy(field, &number, sizeof number);
    else
        memcpy(field, &narrow, sizeof narrow);
}

/* false: no room for one pattern more. `fresh`: what a weaker voice said goes first. */
static bool add_pattern(struct options *o, const struct option *option, const char *text, bool fresh)
{
    char(*patterns)[OPTIONS_TEXT] = (void *)((char *)o + option->field);
    uint32_t *n = (void *)((char *)o + option->count);

    if (fresh)
        *n = 0;
    if (*n == OPTIONS_PATTERNS)
        return false;
    text_format(patterns[(*n)++], OPTIONS_TEXT, "%s", text);
    return true;
}

const char *option_set(struct options *o, const struct option *option, const char *text, enum voice voice)
{
    const char *fault = option_fault(option, text);
    void *field = (char *)o + option->field;

    if (fault || option_voice(o, option) > voice)
        return fault;
    switch (option->kind) {
    case KIND_FLAG:
        *(bool *)field = text_equal(text, "yes");
        break;
    case KIND_CHOICE:
        put_choice(field, option, text);
        break;
    case KIND_NUMBER:
    case KIND_SIZE:
        put_number(field, option, text);
        break;
    case KIND_TEXT:
    case KIND_PATH:
    case KIND_CPUS:
        text_format(field, OPTIONS_TEXT, "%s", text);
        break;
    case KIND_PATTERNS:
        if (!add_pattern(o, option, text, option_voice(o, option) < voice))
            return "is one pattern too many: 64 are possible";
        break;
    }
    o->given[option->index] = (uint8_t)voice;
    return NULL;
}
