/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/screen.h"

#include <string.h>

#include "core/screen/screen_internal.h"
#include "core/base/text.h"

/* --- the head ---------------------------------------------------------------------------------------------------- */

#define HEAD_ROWS 4u

static const char *time_text(uint64_t ms, char *text, size_t size)
{
    uint64_t s = ms / 1000;

    if (s >= 3600)
        text_format(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        text_format(text, size, "%lu:%02lu", s / 60, s % 60);
    return text;
}

static void put_named(struct screen *s, uint32_t row, const char *name, const char *text)
{
    screen_put(s, row, 1, LIGHT_CYAN, name);
    screen_put(s, row, 12, GREY, text);
}

static void put_head(struct screen *s, const struct screen_state *state)
{
    char text[64], time[24];
    size_t n;

    screen_fill(s, 0, 0, s->columns, ' ', ON_BLUE | WHITE);
    text_format(text, sizeof text, "Assay %s", state->version ? state->version : "");
    screen_put(s, 0, 1, ON_BLUE | WHITE, text);
    if (state->ran_on)
        screen_put(s, 0, 24, ON_BLUE | YELLOW, "virtual silicon, not hardware");
    n = text_format(text, sizeof text, "%s", time_text(state->elapsed_ms, time, sizeof time));
    if (n + 1 < s->columns)
        screen_put(s, 0, s->columns - (uint32_t)n - 1, ON_BLUE | WHITE, text);
    put_named(s, 1, "Machine", state->machine);
    put_named(s, 2, "Firmware", state->firmware);
    put_named(s, 3, "Processor", state->processor);
}

static uint32_t put_count(struct screen *s, uint32_t row, uint32_t column, const char *mark, uint32_t n,
                          const struct screen_state *state)
{
    char text[24];

    column = screen_put(s, row, column, n > 0 ? screen_mark_colour(state, mark) : GREY, mark);
    text_format(text, sizeof text, " %u", n);
    return screen_put(s, row, column, n > 0 ? WHITE : GREY, text) + 3;
}

static void put_counts(struct screen *s, uint32_t row, uint32_t column, const struct screen_state *state)
{
    const struct verdict_counts *c = &state->counts;

    column = put_count(s, row, column, "PASS", c->pass, state);
    column = put_count(s, row, column, "FAIL", c->fail, state);
    column = put_count(s, row, column, "WARN", c->warn, state);
    column = put_count(s, row, column, "SKIP", c->skip, state);
    put_count(s, row, column, "ERROR", c->error, state);
}

/* "[#####.....]  34 of 65, 52 %, about 0:20 left" */
static void put_progress(struct screen *s, uint32_t row, const struct screen_state *state)
{
    char text[80], time[24];
    uint32_t width = s->columns > 70 ? s->columns - 58 : 12, done;
    size_t n;

    screen_put(s, row, 1, LIGHT_CYAN, "Progress");
    if (state->total == 0)
        return;
    done = (uint32_t)((uint64_t)width * state->done / state->total);
    screen_fill(s, row, 12, 12 + done, GLYPH_FULL, LIGHT_BLUE);
    screen_fill(s, row, 12 + done, 12 + width, GLYPH_SHADE, DARK);
    n = text_format(text, sizeof text, "%u of %u checks, %u %%", state->done, state->total,
                    (uint32_t)(UINT64_C(100) * state->done / state->total));
    if (state->left_ms != SCREEN_UNKNOWN && state->done < state->total)
        text_format(text + n, sizeof text - n, ", %s%s left", state->left_ms < 1000 ? "" : "about ",
                    time_text(state->left_ms, time, sizeof time));
    screen_put(s, row, 12 + width + 2, WHITE, text);
}

/* --- the map ----------------------------------------------------------------------------------------------------- */

#define MAP_LABEL 6u /* columns in front of each row: the index of its first processor */
#define RUN_ROWS  7u /* head, progress, now, counts                                   */

static uint32_t map_width(uint32_t columns)
{
    return columns > MAP_LABEL + 9 ? (columns - MAP_LABEL - 1) / 8 * 8 : 8;
}

/* Two rules and the keys are taken; the map gets up to half of what is left. */
static uint32_t map_rows_most(uint32_t rows)
{
    return rows > RUN_ROWS + 7 ? (rows - RUN_ROWS - 3) / 2 : 2;
}

uint32_t screen_map_scale(uint32_t columns, uint32_t rows, uint32_t n_cpus)
{
    uint32_t room = map_width(columns) * map_rows_most(rows), scale = 1;

    while ((n_cpus + scale - 1) / scale > room && scale < 1u << 16)
        scale *= 2;
    return scale;
}

/* One cell: a lost processor shows before anything else, then as many at work as there are. */
static void put_processors_cell(struct screen *s, uint32_t row, uint32_t column, const uint8_t *cpus, uint32_t n)
{
    uint32_t of[SCREEN_CPU_LOST + 1] = { 0 };

    for (uint32_t i = 0; i < n; i++)
        of[cpus[i] <= SCREEN_CPU_LOST ? cpus[i] : SCREEN_CPU_ALONE]++;
    if (of[SCREEN_CPU_LOST] > 0)
        screen_put_cell(s, row, column, '!', LIGHT_RED);
    else if (of[SCREEN_CPU_WORK] > 0)
        screen_put_cell(s, row, column, GLYPH_FULL, of[SCREEN_CPU_WORK] * 2 >= n ? LIGHT_GREEN : GREEN);
    else if (of[SCREEN_CPU_ASKED] > 0)
        screen_put_cell(s, row, column, GLYPH_SHADE, LIGHT_CYAN);
    else
        screen_put_cell(s, row, column, of[SCREEN_CPU_IDLE] > 0 ? '.' : '-', of[SCREEN_CPU_IDLE] > 0 ? GREY : DARK);
}

static void put_legend(struct screen *s, uint32_t row, const struct screen_state *state, uint32_t scale)
{
    char text[80];
    uint32_t column;

    if (scale > 1)
        text_format(text, sizeof text, "Processors: %u, one cell for %u", state->n_cpus, scale);
    else
        text_format(text, sizeof text, "Processors: %u", state->n_cpus);
    screen_section(s, row, text);
    column = s->columns > 44 ? s->columns - 40 : 0;
    screen_put_cell(s, row, column++, ' ', GREY);
    screen_put_cell(s, row, column++, GLYPH_FULL, LIGHT_GREEN);
    column = screen_put(s, row, column, GREY, " work  ");
    screen_put_cell(s, row, column++, GLYPH_SHADE, LIGHT_CYAN);
    column = screen_put(s, row, column, GREY, " registers  . idle  - unused ");
    column = screen_put(s, row, column, LIGHT_RED, " !");
    screen_put(s, row, column, GREY, " lost ");
}

/* Returns the row after the map. */
static uint32_t put_map(struct screen *s, uint32_t row, const struct screen_state *state)
{
    uint32_t scale = screen_map_scale(s->columns, s->rows, state->n_cpus), width = map_width(s->columns), at = 0;
    char label[16];

    put_legend(s, row++, state, scale);
    if (!state->cpus)
        return row + 1;
    for (; at < state->n_cpus; row++) {
        text_format(label, sizeof label, "%5u", at);
        screen_put(s, row, 0, DARK, label);
        for (uint32_t c = 0; c < width && at < state->n_cpus; c++) {
            uint32_t n = state->n_cpus - at < scale ? state->n_cpus - at : scale;

            put_processors_cell(s, row, MAP_LABEL + c, state->cpus + at, n);
            at += n;
        }
    }
    return row;
}

/* --- the last row ------------------------------------------------------------------------------------------------ */

static void put_keys(struct screen *s, const struct screen_state *state)
{
    uint32_t row = s->rows - 1, column = 1;

    screen_fill(s, row, 0, s->columns, ' ', ON_GREY);
    for (size_t i = 0; i < SCREEN_KEYS && state->keys[i].key; i++) {
        column = screen_put(s, row, column, ON_GREY | BLUE, state->keys[i].key);
        column = screen_put(s, row, column + 1, ON_GREY, state->keys[i].does) + 2;
    }
    if (state->notice[0]) {
        screen_fill(s, row - 1, 0, s->columns, ' ', ON_BLUE | WHITE);
        screen_put(s, row - 1, 1, ON_BLUE | WHITE, state->notice);
    }
}

/* --- the views --------------------------------------------------------------------------------------------------- */

static void put_run(struct screen *s, const struct screen_state *state, uint32_t end)
{
    uint32_t row = HEAD_ROWS, column;

    put_progress(s, row++, state);
    screen_put(s, row, 1, LIGHT_CYAN, "Now");
    column = screen_put(s, row, 12, WHITE, state->now);
    screen_put(s, row++, column + 2, GREY, state->title);
    put_counts(s, row++, 12, state);
    row = put_map(s, row, state);
    if (row < end)
        screen_section(s, row++, state->detail ? "Checks" : "Findings");
    if (row < end)
        screen_put_newest(s, row, end, state);
    column = s->columns > 30 ? s->columns - 24 : 0;
    if (state->paused)
        screen_put(s, HEAD_ROWS + 2, column, ON_BLUE | YELLOW, " paused: Space resumes ");
    else if (state->stopping)
        screen_put(s, HEAD_ROWS + 2, column, ON_BLUE | YELLOW, " stops after this check ");
}

static void put_help(struct screen *s, uint32_t end)
{
    static const char *const lines[] = {
        "Esc, Q or 0     stop after the current check; the report so far is kept",
        "Space, P or 2   pause before the next check, and resume",
        "D or 3          show every check, or findings only",
        "F1, H or 1      this page, and back",
        "",
        "Keys are read between checks and samples: drawing and reading keys move",
        "memory contents, which the monitors under test would count.",
        "",
        "PASS   the rule held, and the evidence is in the report",
        "FAIL   the specification is violated",
        "WARN   outside of the expected band, or a model-specific rule violated",
        "SKIP   a precondition is missing",
        "ERROR  Assay itself could not measure",
    };
    uint32_t row = HEAD_ROWS;

    screen_section(s, row++, "Help");
    for (size_t i = 0; i < sizeof lines / sizeof *lines && row < end; i++, row++) {
        char mark[6] = "";

        memcpy(mark, lines[i], strlen(lines[i]) < 5 ? strlen(lines[i]) : 5);
        for (char *c = mark; *c; c++)
            if (*c == ' ')
                *c = '\0';
        screen_put(s, row, 2, GREY, lines[i]);
        if (screen_colour(mark) != GREY)
            screen_put(s, row, 2, screen_colour(mark), mark);
    }
}

/* Letters of five by five cells, a row in each five bits, the top row in the highest. */
static uint32_t letter(char c)
{
    static const struct {
        char c;
        uint8_t rows[5];
    } letters[] = {
        { 'A', { 0x0E, 0x11, 0x1F, 0x11, 0x11 } }, { 'D', { 0x1E, 0x11, 0x11, 0x11, 0x1E } },
        { 'E', { 0x1F, 0x10, 0x1E, 0x10, 0x1F } }, { 'F', { 0x1F, 0x10, 0x1E, 0x10, 0x10 } },
        { 'G', { 0x0F, 0x10, 0x13, 0x11, 0x0F } }, { 'H', { 0x11, 0x11, 0x1F, 0x11, 0x11 } },
        { 'I', { 0x1F, 0x04, 0x04, 0x04, 0x1F } }, { 'L', { 0x10, 0x10, 0x10, 0x10, 0x1F } },
        { 'N', { 0x11, 0x19, 0x15, 0x13, 0x11 } }, { 'O', { 0x0E, 0x11, 0x11, 0x11, 0x0E } },
        { 'P', { 0x1E, 0x11, 0x1E, 0x10, 0x10 } }, { 'R', { 0x1E, 0x11, 0x1E, 0x12, 0x11 } },
        { 'S', { 0x0F, 0x10, 0x0E, 0x01, 0x1E } }, { 'T', { 0x1F, 0x04, 0x04, 0x04, 0x04 } },
        { 'W', { 0x11, 0x11, 0x15, 0x1B, 0x11 } },
    };
    uint32_t bits = 0;

    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        for (unsigned row = 0; letters[i].c == c && row < 5; row++)
            bits = bits << 5 | letters[i].rows[row];
    return bits;
}

static void put_large(struct screen *s, uint32_t row, const char *word, uint16_t colour)
{
    for (uint32_t at = 0; word[at]; at++)
        for (uint32_t bit = 0; bit < 25; bit++)
            if (letter(word[at]) >> (24 - bit) & 1)
                screen_put_cell(s, row + bit / 5, 2 + at * 7 + bit % 5, GLYPH_FULL, colour);
}

static void put_wrapped(struct screen *s, uint32_t row, uint32_t column, const char *text)
{
    size_t room = s->columns > column + 1 ? s->columns - column - 1 : 0;

    for (unsigned i = 0; i < 2 && room > 0 && *text; i++) {
        size_t n = screen_fit(text, room);

        screen_put_n(s, row + i, column, WHITE, text, n);
        text = screen_past_blanks(text + n);
    }
}

/* What the run's verdict rests on, in a few words. */
static void end_meaning(const struct screen_state *state, char *out, size_t size)
{
    const struct verdict_counts *c = &state->counts;

    if (state->result == RUN_WARN)
        text_format(out, size, "no check failed; %u %s not as expected", c->warn, c->warn == 1 ? "is" : "are");
    else if (state->result == RUN_PASS)
        text_format(out, size, "no check failed");
    else if (state->result == RUN_NOTHING)
        text_format(out, size, "%s",
                    c->pass + c->warn > 0 ? "no monitor was judged" : "every selected check was skipped");
    else if (state->result == RUN_DONE)
        text_format(out, size, "what was asked for was done; nothing was judged");
    else if (state->result == RUN_STOPPED)
        text_format(out, size, "stopped on request after %u of %u checks", state->done, state->total);
    else if (state->result == RUN_FAIL && c->fail > 0)
        text_format(out, size, "%u check%s failed: see the findings", c->fail, c->fail == 1 ? "" : "s");
    else
        text_format(out, size, "the run is incomplete: see the findings");
}

static void put_end(struct screen *s, const struct screen_state *state, uint32_t end)
{
    enum run_result r = state->result;
    const char *word = run_result_text(r);
    uint16_t colour = screen_colour(r == RUN_NOTHING || r == RUN_DONE || r == RUN_STOPPED ? "SKIP" : word);
    uint32_t row = HEAD_ROWS + 1, beside = 2 + 7 * (uint32_t)strlen(word) + 2;
    char meaning[80];

    put_large(s, row, word, colour);
    if (beside + 30 > s->columns || r == RUN_NOTHING || r == RUN_STOPPED) { /* no room beside it */
        row += 5;
        beside = 2;
    }
    put_counts(s, row + 1, beside, state);
    end_meaning(state, meaning, sizeof meaning);
    put_wrapped(s, row + 2, beside, meaning);
    row = HEAD_ROWS + 6 + (beside == 2 ? 3 : 0);
    put_named(s, row + 1, "Report", state->report);
    screen_section(s, row + 2, state->detail ? "Checks" : "Findings");
    screen_put_reasons(s, row + 3, end, state);
}

void screen_table(struct screen *s, const char *const *lines, uint32_t n)
{
    for (uint32_t row = 0; row < s->rows; row++) {
        screen_fill(s, row, 0, s->columns, ' ', GREY);
        if (row < n)
            screen_put(s, row, 0, row ? GREY : WHITE, lines[row]);
    }
}

void screen_draw(struct screen *s, const struct screen_state *state)
{
    uint32_t end = s->rows - 1 - (state->notice[0] != '\0');

    for (uint32_t row = 0; row < s->rows; row++)
        screen_fill(s, row, 0, s->columns, ' ', GREY);
    if (s->rows < 3 || s->columns < 16)
        return;
    if (state->view == SCREEN_QR) {
        screen_put_qr(s, state, end);
        put_keys(s, state);
        return;
    }
    put_head(s, state);
    switch (state->view) {
    case SCREEN_RUN:
        put_run(s, state, end);
        break;
    case SCREEN_HELP:
        put_help(s, end);
        break;
    case SCREEN_END:
        put_end(s, state, end);
        break;
    case SCREEN_LIST:
        screen_section(s, HEAD_ROWS, state->detail ? "Checks" : "Findings");
        screen_put_list(s, HEAD_ROWS + 1, end, state);
        break;
    case SCREEN_QR:
        break;
    }
    put_keys(s, state);
}
