/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options_file.c: assay.cfg. */
#include <string.h>

#include "core/base/search.h"
#include "core/options/options_internal.h"
#include "core/base/text.h"

#define LINE 255u

struct parser {
    struct options *options;
    struct options_error *error;
    const char *file_name, *baseboard;
    uint32_t line;
    bool in_section, heard; /* heard: the section is for this board */
    bool board_seen;        /* this board's section stood already   */
    uint64_t seen;          /* bit per option, in this section      */
};

__attribute__((format(printf, 2, 3))) static enum status refuse_line(struct parser *p, const char *format, ...)
{
    char what[200];

    TEXT_OF_ARGS(what, format);
    return options_refuse(p->error, "%.48s line %u: %s", p->file_name, p->line, what);
}

/* Cut blanks off both ends, in place. */
static char *trim(char *text)
{
    size_t n;

    while (is_blank(*text))
        text++;
    n = strlen(text);
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    text[n] = '\0';
    return text;
}

/* Takes the quotes off a value. NULL: a quote that is not closed, or text after it. */
static char *unquote(char *value)
{
    char *end;

    if (*value != '"') {
        for (char *c = value; *c; c++)
            if (*c == '"')
                return NULL;
        return value;
    }
    for (end = value + 1; *end && *end != '"'; end++)
        ;
    if (*end == '\0' || end[1] != '\0')
        return NULL;
    *end = '\0';
    return value + 1;
}

static enum status parse_section(struct parser *p, char *text)
{
    size_t n = strlen(text);
    char *name;

    if (text[n - 1] != ']')
        return refuse_line(p, "a section needs a closing ']'");
    text[n - 1] = '\0';
    text = trim(text + 1);
    if (strncmp(text, "baseboard", 9) != 0 || (text[9] != '\0' && !is_blank(text[9])))
        return refuse_line(p, "unknown section \"%.60s\": only [baseboard NAME] is known", text);
    name = unquote(trim(text + 9));
    if (!name || *name == '\0')
        return refuse_line(p, "[baseboard NAME] needs a name");
    p->in_section = true;
    p->seen = 0;
    p->heard = p->baseboard[0] != '\0' && text_equal(name, p->baseboard);
    if (p->heard && p->board_seen)
        return refuse_line(p, "a second section for baseboard \"%.60s\"", name);
    p->board_seen = p->board_seen || p->heard;
    return ST_OK;
}

static enum status refuse_key(struct parser *p, const char *key)
{
    return key[0] == '\0' ? refuse_line(p, "the key before the '=' is missing")
                          : refuse_line(p,
                                        "unknown key \"%.60s\": the nearest is %s; the keys are what -h shows, "
                                        "without the dash",
                                        key, option_nearest(key));
}

/* A value for another board is checked and not set. */
static enum status set_value(struct parser *p, const struct option *option, const char *value)
{
    struct option_fault fault;
    bool good = p->in_section && !p->heard
                    ? option_allows(option, value, &fault)
                    : option_set(p->options, option, value, p->in_section ? SOURCE_BOARD : SOURCE_FILE, &fault);

    return good ? ST_OK : refuse_line(p, "%s = \"%.60s\" %s", option->names[0], value, fault.text);
}

static enum status parse_setting(struct parser *p, char *text)
{
    char *equals = text, *key, *value;
    const struct option *option;
    uint64_t bit;

    while (*equals && *equals != '=')
        equals++;
    if (*equals == '\0')
        return refuse_line(p, "\"%.60s\" is not `key = value`", text);
    *equals = '\0';
    key = trim(text);
    option = key[0] == '-' ? NULL : option_find(key);
    if (!option)
        return refuse_key(p, key);
    if (option->line_only)
        return refuse_line(p, "%s is allowed on the command line only", key);
    value = unquote(trim(equals + 1));
    if (!value)
        return refuse_line(p, "%s: a double quote is not closed, or is inside the value", key);
    bit = UINT64_C(1) << option_index(option);
    if ((p->seen & bit) && option->kind != KIND_PATTERNS)
        return refuse_line(p, "%s is set twice", key);
    p->seen |= bit;
    return set_value(p, option, value);
}

/* A '#' outside quotes begins a comment. */
static void cut_comment(char *text)
{
    bool quoted = false;

    for (; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        if (*text == '#' && !quoted) {
            *text = '\0';
            return;
        }
    }
}

static enum status parse_line(struct parser *p, char *text)
{
    const char *first = text;

    cut_comment(text);
    text = trim(text);
    for (char *c = text; *c; c++)
        if ((*c < 0x20 && *c != '\t') || *c > 0x7E)
            return refuse_line(p, "byte 0x%02x in column %lu is not printable ASCII", (unsigned char)*c,
                               (uint64_t)(c - first) + 1);
    if (*text == '\0')
        return ST_OK;
    return *text == '[' ? parse_section(p, text) : parse_setting(p, text);
}

static bool has_zero(const char *text, size_t n)
{
    return ANY_OF(i, n, text[i] == '\0');
}

enum status options_parse_file(struct options *o, const char *text, size_t length, const char *file_name,
                               const char *baseboard, struct options_error *error)
{
    struct parser p = { .options = o, .error = error, .file_name = file_name, .baseboard = baseboard };
    char line[LINE + 1];
    size_t at = 0;

    error->text[0] = '\0';
    if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
        return options_refuse(error, "%.48s: this is UTF-16; save it as plain text (ASCII or UTF-8)", file_name);
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < length) {
        size_t n = 0;

        p.line++;
        while (at + n < length && text[at + n] != '\n')
            n++;
        if (has_zero(text + at, n))
            return refuse_line(&p, "has a zero byte: this is not a text file");
        if (n > LINE + (n > 0 && text[at + n - 1] == '\r'))
            return refuse_line(&p, "is longer than %u characters", LINE);
        size_t kept = n > LINE ? LINE : n;

        memcpy(line, text + at, kept);
        line[kept] = '\0';
        TRY(parse_line(&p, line));
        at += n + 1;
    }
    return ST_OK;
}
