/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/screen_internal.h"

#include <string.h>

#define QR_AROUND  2u  /* light modules around it: half of what the standard wants, since rows are few */
#define QR_COLUMNS 46u /* what pixels may cover on the left of 80 columns */

bool screen_qr_fits(uint32_t columns, uint32_t rows, uint32_t size, enum screen_qr kind)
{
    uint32_t side = size + 2 * QR_AROUND;

    if (kind == SCREEN_QR_HALVES)
        return side <= columns && (side + 1) / 2 < rows;
    return kind == SCREEN_QR_WIDE && 2 * side <= columns && side < rows;
}

static bool is_dark(const struct qr *q, uint32_t row, uint32_t column)
{
    row -= QR_AROUND; /* outside becomes huge */
    column -= QR_AROUND;
    return row < q->size && column < q->size && q->dark[row][column];
}

static void put_qr_halves(struct screen *s, const struct qr *q)
{
    static const uint16_t glyphs[] = { ' ', GLYPH_UPPER, GLYPH_LOWER, GLYPH_FULL };
    uint32_t side = q->size + 2 * QR_AROUND;

    for (uint32_t row = 0; row < side; row += 2)
        for (uint32_t column = 0; column < side; column++)
            screen_put_cell(s, row / 2, column, glyphs[is_dark(q, row, column) + 2 * is_dark(q, row + 1, column)],
                            ON_GREY);
}

static void put_qr_wide(struct screen *s, const struct qr *q)
{
    uint32_t side = q->size + 2 * QR_AROUND;

    for (uint32_t row = 0; row < side; row++)
        for (uint32_t column = 0; column < 2 * side; column++)
            screen_put_cell(s, row, column, ' ', is_dark(q, row, column / 2) ? 0 : ON_GREY);
}

/* Text broken anywhere: a digest has no blanks. */
static void put_block(struct screen *s, uint32_t row, uint32_t column, uint32_t end, const char *text)
{
    uint32_t room = s->columns > column + 1 ? s->columns - column - 1 : 0;

    for (; room > 0 && *text && row < end; row++) {
        size_t n = strlen(text) < room ? strlen(text) : room;

        screen_put_n(s, row, column, WHITE, text, n);
        text += n;
    }
}

void screen_put_qr(struct screen *s, const struct screen_state *state, uint32_t end)
{
    uint32_t side = state->qr ? state->qr->size + 2 * QR_AROUND : 0, column = 2;

    if (state->qr && state->qr_kind == SCREEN_QR_HALVES)
        put_qr_halves(s, state->qr);
    if (state->qr && state->qr_kind == SCREEN_QR_WIDE)
        put_qr_wide(s, state->qr);
    if (state->qr_kind != SCREEN_QR_NONE)
        column = state->qr_kind == SCREEN_QR_WIDE     ? 2 * side + 2
                 : state->qr_kind == SCREEN_QR_HALVES ? side + 2
                                                      : QR_COLUMNS * s->columns / 80;
    screen_put(s, 1, column, LIGHT_CYAN, "Verdict, counts, folder, and");
    screen_put(s, 2, column, LIGHT_CYAN, "SHA-256 of report.jsonl:");
    put_block(s, 4, column, end, state->qr_text);
    if (state->qr_kind == SCREEN_QR_NONE)
        screen_put(s, end > 2 ? end - 2 : 0, column, DARK, "This console cannot show a QR code (size or characters).");
}
