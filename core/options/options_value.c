/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options_value.c: what a value may be by its row, and where it goes. */
#include <string.h>

#include "core/options/options_internal.h"
#include "core/base/text.h"

__attribute__((format(printf, 2, 3))) static bool fault_says(struct option_fault *fault, const char *format, ...)
{
    TEXT_OF_ARGS(fault->text, format);
    return false;
}

/* --- processors -------------------------------------------------------------------------------------------------- */

/* Reads "N" or "N-M" at *text and steps after it; what is beyond 8 digits stays beyond. */
static bool read_range(const char **text, uint64_t *lo, uint64_t *hi)
{
    uint64_t n[2] = { 0, 0 };
    unsigned i = 0;

    for (;; (*text)++) {
        unsigned digits = 0;

        for (; **text >= '0' && **text <= '9'; (*text)++, digits++)
            if (n[i] < 100000000)
                n[i] = n[i] * 10 + (uint64_t)(**text - '0');
        if (digits == 0)
            return false;
        if (i == 1 || **text != '-')
            break;
        i = 1;
    }
    *lo = n[0];
    *hi = i == 1 ? n[1] : n[0];
    return true;
}

static bool cpus_allowed(const struct option *option, const char *list, struct option_fault *fault)
{
    uint64_t lo, hi;

    for (;;) {
        if (!read_range(&list, &lo, &hi))
            return fault_says(fault, "is not a list like %s", option->example);
        if (lo > hi)
            return fault_says(fault, "has a range whose end is below its start");
        if (hi > option->hi)
            return fault_says(fault, "has a processor index above %lu", option->hi);
        if (*list == '\0')
            return true;
        if (*list++ != ',')
            return fault_says(fault, "is not a list like %s", option->example);
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

/* --- what is allowed --------------------------------------------------------------------------------------------- */

static bool text_allowed(const char *value, struct option_fault *fault)
{
    if (*value == '\0')
        return fault_says(fault, "is empty");
    if (strlen(value) >= OPTIONS_TEXT)
        return fault_says(fault, "is longer than %u characters", OPTIONS_TEXT - 1);
    for (const char *c = value; *c; c++)
        if (*c < 0x20 || *c > 0x7E)
            return fault_says(fault, "has a character that is not printable ASCII");
    return true;
}

/* Of a server that files are read from. */
static bool is_url(const char *value)
{
    return text_matches("tftp://?*", value) || text_matches("http://?*", value) || text_matches("https://?*", value);
}

/* A user's name and password in front of the host would be in the report. */
static bool target_allowed(const char *value, struct option_fault *fault)
{
    if (!text_allowed(value, fault))
        return false;
    if (!is_url(value))
        return fault_says(fault, "is not a URL of http, https or tftp");
    for (const char *c = value; *c; c++)
        if (*c == '@' || *c == '?' || *c == '#' || *c == '"' || *c == ' ')
            return fault_says(fault, "has '%c', which a folder's URL cannot have", *c);
    return true;
}

static bool is_slash(char c)
{
    return c == '\\' || c == '/';
}

/* A volume may stand in front ("fs0:\x"); after it no character that a file name on FAT may not hold, and no name of none: firmware
 * takes "\\x" for the root. */
static bool path_allowed(const char *value, struct option_fault *fault)
{
    const char *colon = value;

    if (!text_allowed(value, fault))
        return false;
    if (is_url(value))
        return fault_says(fault, "is a URL, and files are only read from servers");
    while (*colon && *colon != ':' && !is_slash(*colon))
        colon++;
    if (*colon == ':' && colon == value)
        return fault_says(fault, "has no volume before the ':'");
    if (*colon == ':' && colon[1] == '\0')
        return fault_says(fault, "has a volume and no file");
    for (const char *c = *colon == ':' ? colon + 1 : value; *c; c++)
        for (const char *bad = "*?\"<>|:"; *bad; bad++)
            if (*c == *bad)
                return fault_says(fault, "has a character that a path cannot have");
    for (const char *c = value; *c; c++)
        if (is_slash(c[0]) && is_slash(c[1]))
            return fault_says(fault, "has two slashes without a name between them");
    return true;
}

static int find_word(const struct option *option, const char *value)
{
    for (int i = 0; option->words[i].word; i++)
        if (text_equal(option->words[i].word, value))
            return i;
    return -1;
}

static bool word_allowed(const struct option *option, const char *value, struct option_fault *fault)
{
    char all[sizeof fault->text - 16];
    size_t n = 0;

    if (find_word(option, value) >= 0)
        return true;
    for (const struct option_word *w = option->words; w->word && n < sizeof all; w++)
        n += text_format(all + n, sizeof all - n, "%s%s", n > 0 ? ", " : "", w->word);
    return fault_says(fault, "is not one of %s", all);
}

static void bound_text(char *out, size_t size, uint64_t bytes)
{
    static const char suffixes[] = " KMGT";
    unsigned i = 0;

    while (bytes > 0 && bytes % 1024 == 0 && suffixes[i + 1]) {
        bytes /= 1024;
        i++;
    }
    text_format(out, size, i > 0 ? "%lu%c" : "%lu", bytes, suffixes[i]);
}

void option_bounds(const struct option *option, char *out, size_t size)
{
    char lo[24], hi[24];

    if (option->kind == KIND_SIZE) {
        bound_text(lo, sizeof lo, option->lo);
        bound_text(hi, sizeof hi, option->hi);
        text_format(out, size, "%s to %s", lo, hi);
    } else {
        text_format(out, size, "%lu to %lu", option->lo, option->hi);
    }
}

static bool number_allowed(const struct option *option, const char *value, uint64_t *number, struct option_fault *fault)
{
    char bounds[56];

    if (option->kind == KIND_SIZE && !text_size(value, number))
        return fault_says(fault, "is not a size like %s", option->example ? option->example : option->preset);
    if (option->kind == KIND_NUMBER && !text_number(value, number))
        return fault_says(fault, "is not a number");
    if (*number >= option->lo && *number <= option->hi)
        return true;
    option_bounds(option, bounds, sizeof bounds);
    return fault_says(fault, "is outside %s", bounds);
}

bool option_allows(const struct option *option, const char *value, struct option_fault *fault)
{
    uint64_t number;

    switch (option->kind) {
    case KIND_FLAG:
        return text_equal(value, "yes") || text_equal(value, "no") || fault_says(fault, "is neither yes nor no");
    case KIND_CHOICE:
        return word_allowed(option, value, fault);
    case KIND_NUMBER:
    case KIND_SIZE:
        return number_allowed(option, value, &number, fault);
    case KIND_PATH:
        return path_allowed(value, fault);
    case KIND_SOURCE:
        return is_url(value) ? text_allowed(value, fault) : path_allowed(value, fault);
    case KIND_TARGET:
        return target_allowed(value, fault);
    case KIND_CPUS:
        return text_allowed(value, fault) && cpus_allowed(option, value, fault);
    case KIND_TEXT:
    case KIND_PATTERNS:
        return text_allowed(value, fault);
    }
    return false;
}

/* --- where it goes ----------------------------------------------------------------------------------------------- */

/* false: no room for one pattern more. `fresh`: what a weaker source said goes first. */
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

/* An allowed value into its field. */
static void put_value(void *field, const struct option *option, const char *text)
{
    struct option_fault ignored;
    uint64_t number = 0;
    uint32_t narrow;

    if (option->kind == KIND_FLAG) {
        *(bool *)field = text_equal(text, "yes");
    } else if (option->kind == KIND_SIZE && number_allowed(option, text, &number, &ignored)) {
        memcpy(field, &number, sizeof number);
    } else if (option->kind == KIND_NUMBER && number_allowed(option, text, &number, &ignored)) {
        narrow = (uint32_t)number;
        memcpy(field, &narrow, sizeof narrow);
    } else if (option->kind == KIND_CHOICE) {
        narrow = (uint32_t)find_word(option, text);
        memcpy(field, &narrow, sizeof narrow);
    } else {
        text_format(field, OPTIONS_TEXT, "%s", text);
    }
}

bool option_set(struct options *o, const struct option *option, const char *value, enum option_source source,
                struct option_fault *fault)
{
    enum option_source before = option_source(o, option);

    if (!option_allows(option, value, fault))
        return false;
    if (before > source)
        return true;
    if (option->kind != KIND_PATTERNS)
        put_value((char *)o + option->field, option, value);
    else if (!add_pattern(o, option, value, before < source))
        return fault_says(fault, "is one pattern more than the maximum of %u", OPTIONS_PATTERNS);
    o->given[option_index(option)] = (uint8_t)source;
    return true;
}

void options_default(struct options *o)
{
    memset(o, 0, sizeof *o);
    for (uint32_t i = 0; i < n_options; i++)
        if (option_table[i].preset)
            put_value((char *)o + option_table[i].field, &option_table[i], option_table[i].preset);
}

/* --- what is set ------------------------------------------------------------------------------------------------- */

uint32_t options_count(void)
{
    return n_options;
}

static uint32_t read_u32(const void *field)
{
    uint32_t number;

    memcpy(&number, field, sizeof number);
    return number;
}

static void read_value(const struct options *o, const struct option *option, struct option_value *v)
{
    const char *field = (const char *)o + option->field;

    switch (option->kind) {
    case KIND_FLAG:
        v->form = OPTION_BOOL;
        v->yes = *(const bool *)field;
        v->text = v->yes ? "yes" : "no";
        break;
    case KIND_NUMBER:
    case KIND_SIZE:
        v->form = OPTION_NUMBER;
        v->number = read_u32(field);
        if (option->kind == KIND_SIZE)
            memcpy(&v->number, field, sizeof v->number);
        break;
    case KIND_PATTERNS:
        v->form = OPTION_TEXTS;
        v->texts = (const void *)field;
        v->n_texts = read_u32((const char *)o + option->count);
        break;
    case KIND_CHOICE:
        v->text = option->words[read_u32(field)].word;
        break;
    default:
        v->text = field;
        break;
    }
}

struct option_value options_value(const struct options *o, uint32_t i)
{
    const struct option *option = &option_table[i];
    struct option_value v = { .name = option->names[0], .parameter = option->parameter, .form = OPTION_TEXT };

    v.on_line = option_source(o, option) == SOURCE_LINE;
    v.line_only = option->line_only;
    read_value(o, option, &v);
    v.answered = false;
    for (size_t n = 0; n < sizeof option->answers / sizeof *option->answers; n++)
        v.answered = v.answered || (option->answers[n] && v.text && text_equal(v.text, option->answers[n]));
    return v;
}
