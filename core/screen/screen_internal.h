/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/screen/screen_internal.h: what the files of screen.h share: cells, colours, lines of text. */
#pragma once
#include "core/screen/screen.h"

/* Colours of the text console: UEFI specification 2.10, 12.4.6 SetAttribute(). */
enum {
    BLUE = 1,
    GREEN = 2,
    CYAN = 3,
    GREY = 7,
    DARK = 8,
    LIGHT_BLUE = 9,
    LIGHT_GREEN = 10,
    LIGHT_CYAN = 11,
    LIGHT_RED = 12,
    LIGHT_MAGENTA = 13,
    YELLOW = 14,
    WHITE = 15,
    ON_BLUE = BLUE << 4,
    ON_GREY = GREY << 4,
};

/* One cell; what lies outside the screen is not drawn. */
void screen_put_cell(struct screen *s, uint32_t row, uint32_t column, uint16_t glyph, uint16_t attribute);
/* The cells of a row from one column up to another. */
void screen_fill(struct screen *s, uint32_t row, uint32_t from, uint32_t to, uint16_t glyph, uint16_t attribute);
/* Up to `room` characters of text, others than ASCII as '?'; returns the column after them. */
uint32_t screen_put_n(struct screen *s, uint32_t row, uint32_t column, uint16_t attribute, const char *text,
                      size_t room);
/* Text up to the end of the row. Where it is longer its last two characters are "..", so that no part of a number is
 * taken for the number. Returns the column after it. */
uint32_t screen_put(struct screen *s, uint32_t row, uint32_t column, uint16_t attribute, const char *text);
/* A rule with a title in it. */
void screen_section(struct screen *s, uint32_t row, const char *title);
/* The colour of a status; GREY for what is none. */
uint16_t screen_colour(const char *mark);
/* The same as the run's verdicts have it: what passed is not green where no monitor was judged, and a cause is red where a check
 * failed alone. */
uint16_t screen_mark_colour(const struct screen_state *state, const char *mark);
/* How much of text fits on a line of `room` columns: up to the last blank, or all the room where there is none. */
size_t screen_fit(const char *text, size_t room);
const char *screen_past_blanks(const char *text);

/* The newest of the lines that were said, as many as fit, oldest of them first. */
void screen_put_newest(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state);
/* Why the verdict is what it is: the first findings, and how many more there are. */
void screen_put_reasons(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state);
/* All of them, from row state->scroll on: monitors, causes, then what was found, as in the text report. */
void screen_put_list(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state);
/* The QR code and what it says. */
void screen_put_qr(struct screen *s, const struct screen_state *state, uint32_t end);
