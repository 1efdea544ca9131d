/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/screen_internal.h"

#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"

void screen_put_cell(struct screen *s, uint32_t row, uint32_t column, uint16_t glyph, uint16_t attribute)
{
    if (row < s->rows && column < s->columns)
        s->cells[(size_t)row * s->columns + column] = (struct screen_cell){ .glyph = glyph, .attribute = attribute };
}

void screen_fill(struct screen *s, uint32_t row, uint32_t from, uint32_t to, uint16_t glyph, uint16_t attribute)
{
    for (uint32_t c = from; c < to && c < s->columns; c++)
        screen_put_cell(s, row, c, glyph, attribute);
}

uint32_t screen_put_n(struct screen *s, uint32_t row, uint32_t column, uint16_t attribute, const char *text,
                      size_t room)
{
    for (size_t i = 0; i < room && text[i]; i++)
        screen_put_cell(s, row, column++, text[i] >= 0x20 && text[i] <= 0x7E ? (uint8_t)text[i] : '?', attribute);
    return column;
}

uint32_t screen_put(struct screen *s, uint32_t row, uint32_t column, uint16_t attribute, const char *text)
{
    size_t room = column < s->columns ? s->columns - column : 0;

    if (strlen(text) <= room || room < 2)
        return screen_put_n(s, row, column, attribute, text, room);
    column = screen_put_n(s, row, column, attribute, text, room - 2);
    return screen_put_n(s, row, column, attribute, "..", 2);
}

uint16_t screen_colour(const char *mark)
{
    static const struct {
        const char *mark;
        uint16_t colour;
    } colours[] = { { "PASS", LIGHT_GREEN },     { "GOOD", LIGHT_GREEN }, { "FAIL", LIGHT_RED },
                    { SCREEN_CAUSE, LIGHT_RED }, { "WARN", YELLOW },      { "SKIP", LIGHT_CYAN },
                    { "ERROR", LIGHT_MAGENTA } };

    return FIND(i, sizeof colours / sizeof *colours, text_equal(colours[i].mark, mark), colours[i].colour, GREY);
}

size_t screen_fit(const char *text, size_t room)
{
    size_t length = strlen(text), n = room;

    if (length <= room)
        return length;
    while (n > 0 && text[n] != ' ')
        n--;
    return n > 0 ? n : room;
}

const char *screen_past_blanks(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

void screen_section(struct screen *s, uint32_t row, const char *title)
{
    uint32_t column;

    screen_fill(s, row, 0, s->columns, GLYPH_LINE, DARK);
    screen_put_cell(s, row, 1, ' ', GREY);
    column = screen_put(s, row, 2, WHITE, title);
    screen_put_cell(s, row, column, ' ', GREY);
}
