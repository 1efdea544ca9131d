/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/text_lines.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

/* --- parts ------------------------------------------------------------------------------------------------------- */

enum text_part text_turn(struct report *r, enum text_part part)
{
    enum text_part before = r->parts ? r->parts->now : TEXT_NONE;

    if (r->parts)
        r->parts->now = part;
    return before;
}

void text_part_add(struct text_parts *t, enum text_part part, const char *bytes, size_t length)
{
    if (length == 0)
        return;
    if (!HEAP_GROW(&t->kept[part].bytes, &t->kept[part].capacity, t->kept[part].length + length)) {
        t->lost = true;
        return;
    }
    memcpy(t->kept[part].bytes + t->kept[part].length, bytes, length);
    t->kept[part].length += length;
    for (size_t i = 0; i < length; i++)
        t->kept[part].lines += bytes[i] == '\n';
}

/* True: the medium is not to have it. */
static bool keep(struct report *r, const char *bytes, size_t length)
{
    struct text_parts *t = r->parts;

    if (!t)
        return false;
    if (t->now != TEXT_NONE)
        text_part_add(t, t->now, bytes, length);
    return t->now >= TEXT_ALL;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

static void out(struct report *r, const char *bytes, size_t n)
{
    if (keep(r, bytes, n))
        return;
    if (r->text.write && r->text_failed == ST_OK)
        r->text_failed = r->text.write(r->text.context, bytes, n);
}

static char printable(char c)
{
    return c >= 0x20 && c <= 0x7E ? c : '?';
}

/* How much of text fits on a line of `room` columns: up to the last blank, or all the room where there is none. */
static size_t fit(const char *text, size_t length, size_t room)
{
    size_t n = room;

    if (length <= room)
        return length;
    while (n > 0 && text[n] != ' ')
        n--;
    return n > 0 ? n : room;
}

/* The next line begins after the blanks. */
static size_t skip_blanks(const char *text, size_t n)
{
    while (text[n] == ' ')
        n++;
    return n;
}

void text_paragraph(struct report *r, const char *prefix, const char *text)
{
    char line[TEXT_COLUMNS + 2];
    size_t indent = strlen(prefix);

    if (indent > TEXT_COLUMNS / 2)
        indent = TEXT_COLUMNS / 2;
    for (size_t i = 0; i < indent; i++)
        line[i] = prefix[i];
    do {
        size_t n = fit(text, strlen(text), TEXT_COLUMNS - indent), at = indent;

        for (size_t i = 0; i < n; i++)
            line[at++] = printable(text[i]);
        while (at > 0 && line[at - 1] == ' ')
            at--;
        line[at++] = '\n';
        out(r, line, at);
        text += skip_blanks(text, n);
        memset(line, ' ', indent);
    } while (*text);
}

uint32_t text_paragraph_lines(size_t indent, const char *text)
{
    uint32_t lines = 0;

    do {
        text += skip_blanks(text, fit(text, strlen(text), TEXT_COLUMNS - indent));
        lines++;
    } while (*text);
    return lines;
}

void text_say(struct report *r, const char *prefix, const char *format, ...)
{
    char text[640];

    TEXT_OF_ARGS(text, format);
    text_paragraph(r, prefix, text);
}

void text_rule(struct report *r)
{
    char line[TEXT_COLUMNS + 1];

    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\n';
    out(r, line, sizeof line);
}
