/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/options/options.h"

#include <string.h>

#include "core/options/options_internal.h"
#include "core/base/text.h"

#define WORD 256u

enum word { WORD_NONE, WORD_OK, WORD_LONG, WORD_OPEN };

/* The next word, quotes taken off. */
static enum word next_word(const char **text, char *word)
{
    size_t n = 0;
    bool quoted = false;

    while (is_blank(**text))
        (*text)++;
    if (**text == '\0')
        return WORD_NONE;
    for (; **text && (quoted || !is_blank(**text)); (*text)++) {
        if (**text == '"') {
            quoted = !quoted;
            continue;
        }
        if (n + 1 >= WORD)
            return WORD_LONG;
        word[n++] = **text;
    }
    word[n] = '\0';
    return quoted ? WORD_OPEN : WORD_OK;
}

enum status options_refuse(struct options_error *error, const char *format, ...)
{
    TEXT_OF_ARGS(error->text, format);
    /* The text goes to a console: what was typed may hold anything. */
    for (char *c = error->text; *c; c++)
        if (*c < 0x20 || *c > 0x7E)
            *c = '?';
    return ST_RANGE;
}

static enum status refuse_word(struct options_error *error, enum word kind)
{
    return kind == WORD_OPEN
               ? options_refuse(error, "a double quote is not closed")
               : options_refuse(error, "a word of the command line is longer than %u characters", WORD - 1);
}

/* A choice that may stand alone ("-list") takes the next word where that is one of its own ("boxes"). */
static const char *own_word(const struct option *option, const char **text, char *value)
{
    struct option_fault no_word;
    const char *after = *text;

    if (option->kind != KIND_CHOICE || next_word(&after, value) != WORD_OK || !option_allows(option, value, &no_word) ||
        text_equal(value, "yes") || text_equal(value, "no"))
        return "yes";
    *text = after;
    return value;
}

static enum status refuse_unknown(struct options_error *error, const char *word)
{
    if (word[1] == '\0')
        return options_refuse(error, "unknown option -; -h shows all");
    return options_refuse(error, "unknown option %.100s: the nearest is -%s, -h shows all", word,
                          option_nearest(word + 1));
}

/* The value after an option that must have one. */
static enum status take_value(const char *word, const char **text, char *value, struct options_error *error)
{
    enum word kind = next_word(text, value);

    if (kind == WORD_LONG || kind == WORD_OPEN)
        return refuse_word(error, kind);
    if (kind == WORD_NONE)
        return options_refuse(error, "%s needs a value", word);
    if (value[0] == '-')
        return options_refuse(error, "%s needs a value, but \"%.100s\" follows", word, value);
    return ST_OK;
}

static enum status parse_option(struct options *o, const char *word, const char **text, struct options_error *error)
{
    const struct option *option = option_find(word + 1);
    struct option_fault fault;
    char value[WORD];

    if (!option)
        return refuse_unknown(error, word);
    if (option->file_only) /* its value is not repeated */
        return options_refuse(error, "%s stands in assay.cfg alone: the command line is in the report", word);
    if (option->kind == KIND_FLAG || option->alone)
        return option_set(o, option, own_word(option, text, value), SOURCE_LINE, &fault)
                   ? ST_OK
                   : options_refuse(error, "%s %s", word, fault.text);
    if (option->kind != KIND_PATTERNS && option_source(o, option) == SOURCE_LINE)
        return options_refuse(error, "%s is given twice", word);
    TRY(take_value(word, text, value, error));
    if (!option_set(o, option, value, SOURCE_LINE, &fault))
        TRY(options_refuse(error, "%s \"%.100s\" %s", word, value, fault.text));
    return ST_OK;
}

enum status options_parse_line(struct options *o, const char *text, struct options_error *error)
{
    char word[WORD];
    bool first = true;

    error->text[0] = '\0';
    for (;; first = false) {
        enum word kind = next_word(&text, word);

        if (kind == WORD_NONE)
            return ST_OK;
        if (kind != WORD_OK)
            return refuse_word(error, kind);
        if (word[0] != '-') {
            if (first)
                continue; /* the program's name */
            return options_refuse(error, "unexpected word \"%.100s\": options begin with '-'", word);
        }

        TRY(parse_option(o, word, &text, error));
    }
}

static bool is_selection(const char *word)
{
    const struct option *option = word[0] == '-' ? option_find(word + 1) : NULL;

    return option && option->kind == KIND_PATTERNS;
}

/* Appends to out; false: no room. */
static bool line_append(char *out, size_t size, size_t *n, const char *text, size_t length)
{
    if (*n + length + 1 > size)
        return false;
    memcpy(out + *n, text, length);
    *n += length;
    out[*n] = '\0';
    return true;
}

enum status options_line_for(const char *text, const char *const *ids, uint32_t n_ids, char *out, size_t size)
{
    char word[WORD];
    size_t n = 0;
    bool fits = size > 0 && n_ids <= OPTIONS_PATTERNS;

    if (size > 0)
        out[0] = '\0';
    while (fits) {
        const char *from = text;
        enum word kind = next_word(&text, word);

        if (kind == WORD_NONE)
            break;
        if (kind != WORD_OK)
            fits = false;
        else if (is_selection(word))
            fits = next_word(&text, word) == WORD_OK;
        else /* as it was typed, quotes and all, and the blanks in front */
            fits = line_append(out, size, &n, from, (size_t)(text - from));
    }
    for (uint32_t i = 0; i < n_ids && fits; i++)
        fits = line_append(out, size, &n, " -t ", 4) && line_append(out, size, &n, ids[i], strlen(ids[i]));
    if (!fits && size > 0)
        out[0] = '\0';
    return fits ? ST_OK : ST_RANGE;
}
