#include "core/screen.h"

#include <string.h>

#include "core/text.h"

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

/* --- cells ------------------------------------------------------------------------------------------------------- */

static void cell(struct screen *s, uint32_t row, uint32_t column, uint16_t glyph, uint16_t attribute)
{
    if (row < s->rows && column < s->columns)
        s->cells[(size_t)row * s->columns + column] = (struct screen_cell){ .glyph = glyph, .attribute = attribute };
}

static void fill(struct screen *s, uint32_t row, uint32_t from, uint32_t to, uint16_t glyph, uint16_t attribute)
{
    for (uint32_t c = from; c < to && c < s->columns; c++)
        cell(s, row, c, glyph, attribute);
}

/* Up to `room` characters of text; returns the column behind them. */
static uint32_t put_n(struct screen *s, uint32_t row, uint32_t column, uint16_t attribute, const char *text,
                      size_t room)
{
    for (size_t i = 0; i < room && text[i]; i++)
        cell(s, row, column++, text[i] >= 0x20 && text[i] <= 0x7E ? (uint8_t)text[i] : '?', attribute);
    return column;
}

static uint32_t put(struct screen *s, uint32_t row, uint32_t column, uint16_t attribute, const char *text)
{
    return put_n(s, row, column, attribute, text, column < s->columns ? s->columns - column : 0);
}

static uint16_t colour_of(const char *mark)
{
    static const struct {
        const char *mark;
        uint16_t colour;
    } colours[] = { { "PASS", LIGHT_GREEN },
                    { "FAIL", LIGHT_RED },
                    { "WARN", YELLOW },
                    { "SKIP", LIGHT_CYAN },
                    { "ERROR", LIGHT_MAGENTA } };

    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (text_equal(colours[i].mark, mark))
            return colours[i].colour;
    return GREY;
}

/* How much of text goes on a line of `room` columns: up to the last blank, or all the room where there is none. */
static size_t fit(const char *text, size_t room)
{
    size_t length = strlen(text), n = room;

    if (length <= room)
        return length;
    while (n > 0 && text[n] != ' ')
        n--;
    return n > 0 ? n : room;
}

static const char *past_blanks(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

/* A rule with a title in it. */
static void section(struct screen *s, uint32_t row, const char *title)
{
    uint32_t column;

    fill(s, row, 0, s->columns, GLYPH_LINE, DARK);
    cell(s, row, 1, ' ', GREY);
    column = put(s, row, 2, WHITE, title);
    cell(s, row, column, ' ', GREY);
}

static const char *time_text(uint64_t ms, char *text, size_t size)
{
    uint64_t s = ms / 1000;

    if (s >= 3600)
        text_format(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        text_format(text, size, "%lu:%02lu", s / 60, s % 60);
    return text;
}

/* --- the head ---------------------------------------------------------------------------------------------------- */

#define HEAD_ROWS 4u

static void put_named(struct screen *s, uint32_t row, const char *name, const char *text)
{
    put(s, row, 1, LIGHT_CYAN, name);
    put(s, row, 12, GREY, text);
}

static void put_head(struct screen *s, const struct screen_state *state)
{
    char text[64], time[24];
    size_t n;

    fill(s, 0, 0, s->columns, ' ', ON_BLUE | WHITE);
    text_format(text, sizeof text, "Assay %s", state->version ? state->version : "");
    put(s, 0, 1, ON_BLUE | WHITE, text);
    if (state->virtual_silicon)
        put(s, 0, 24, ON_BLUE | YELLOW, "virtual silicon, not hardware");
    n = text_format(text, sizeof text, "%s", time_text(state->elapsed_ms, time, sizeof time));
    if (n + 1 < s->columns)
        put(s, 0, s->columns - (uint32_t)n - 1, ON_BLUE | WHITE, text);
    put_named(s, 1, "Machine", state->machine);
    put_named(s, 2, "Firmware", state->firmware);
    put_named(s, 3, "Processor", state->processor);
}

static uint32_t put_count(struct screen *s, uint32_t row, uint32_t column, const char *mark, uint32_t n)
{
    char text[24];

    column = put(s, row, column, n > 0 ? colour_of(mark) : DARK, mark);
    text_format(text, sizeof text, " %u", n);
    return put(s, row, column, n > 0 ? WHITE : DARK, text) + 3;
}

static void put_counts(struct screen *s, uint32_t row, uint32_t column, const struct engine_counts *c)
{
    column = put_count(s, row, column, "PASS", c->pass);
    column = put_count(s, row, column, "FAIL", c->fail);
    column = put_count(s, row, column, "WARN", c->warn);
    column = put_count(s, row, column, "SKIP", c->skip);
    put_count(s, row, column, "ERROR", c->error);
}

/* "[#####.....]  34 of 65, 52 %, about 0:20 left" */
static void put_progress(struct screen *s, uint32_t row, const struct screen_state *state)
{
    char text[80], time[24];
    uint32_t width = s->columns > 70 ? s->columns - 58 : 12, done;
    size_t n;

    put(s, row, 1, LIGHT_CYAN, "Progress");
    if (state->total == 0)
        return;
    done = (uint32_t)((uint64_t)width * state->done / state->total);
    fill(s, row, 12, 12 + done, GLYPH_FULL, LIGHT_BLUE);
    fill(s, row, 12 + done, 12 + width, GLYPH_SHADE, DARK);
    n = text_format(text, sizeof text, "%u of %u checks, %u %%", state->done, state->total,
                    (uint32_t)(UINT64_C(100) * state->done / state->total));
    if (state->left_ms != SCREEN_UNKNOWN && state->done < state->total)
        text_format(text + n, sizeof text - n, ", %s%s left", state->left_ms < 1000 ? "" : "about ",
                    time_text(state->left_ms, time, sizeof time));
    put(s, row, 12 + width + 2, WHITE, text);
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
        cell(s, row, column, '!', LIGHT_RED);
    else if (of[SCREEN_CPU_WORK] > 0)
        cell(s, row, column, GLYPH_FULL, of[SCREEN_CPU_WORK] * 2 >= n ? LIGHT_GREEN : GREEN);
    else if (of[SCREEN_CPU_ASKED] > 0)
        cell(s, row, column, GLYPH_SHADE, LIGHT_CYAN);
    else
        cell(s, row, column, of[SCREEN_CPU_IDLE] > 0 ? '.' : '-', of[SCREEN_CPU_IDLE] > 0 ? GREY : DARK);
}

static void put_legend(struct screen *s, uint32_t row, const struct screen_state *state, uint32_t scale)
{
    char text[80];
    uint32_t column;

    if (scale > 1)
        text_format(text, sizeof text, "Processors: %u, one cell for %u", state->n_cpus, scale);
    else
        text_format(text, sizeof text, "Processors: %u", state->n_cpus);
    section(s, row, text);
    column = s->columns > 44 ? s->columns - 40 : 0;
    cell(s, row, column++, ' ', GREY);
    cell(s, row, column++, GLYPH_FULL, LIGHT_GREEN);
    column = put(s, row, column, GREY, " work  ");
    cell(s, row, column++, GLYPH_SHADE, LIGHT_CYAN);
    column = put(s, row, column, GREY, " asked  . idle  - out ");
    column = put(s, row, column, LIGHT_RED, " !");
    put(s, row, column, GREY, " lost ");
}

/* Returns the row behind the map. */
static uint32_t put_map(struct screen *s, uint32_t row, const struct screen_state *state)
{
    uint32_t scale = screen_map_scale(s->columns, s->rows, state->n_cpus), width = map_width(s->columns), at = 0;
    char label[16];

    put_legend(s, row++, state, scale);
    if (!state->cpus)
        return row + 1;
    for (; at < state->n_cpus; row++) {
        text_format(label, sizeof label, "%5u", at);
        put(s, row, 0, DARK, label);
        for (uint32_t c = 0; c < width && at < state->n_cpus; c++) {
            uint32_t n = state->n_cpus - at < scale ? state->n_cpus - at : scale;

            put_processors_cell(s, row, MAP_LABEL + c, state->cpus + at, n);
            at += n;
        }
    }
    return row;
}

/* --- lines that were said ---------------------------------------------------------------------------------------- */

void screen_say(struct screen_state *state, const char *mark, const char *text)
{
    struct screen_line *line = &state->lines[state->n_lines++ % SCREEN_LINES];

    text_format(line->mark, sizeof line->mark, "%s", mark);
    text_format(line->text, sizeof line->text, "%s", text);
}

static uint32_t first_line(const struct screen_state *state)
{
    return state->n_lines > SCREEN_LINES ? state->n_lines - SCREEN_LINES : 0;
}

#define MARK_COLUMNS 7u /* blank, mark, blank */

/* Without detail, what passed or was skipped is not listed. */
static bool is_listed(const struct screen_state *state, const struct screen_line *line)
{
    return state->detail || !(text_equal(line->mark, "PASS") || text_equal(line->mark, "SKIP"));
}

static uint32_t rows_of(const struct screen_state *state, const struct screen_line *line, uint32_t columns)
{
    const char *text = line->text;
    uint32_t n = 0;

    if (!is_listed(state, line))
        return 0;
    do {
        text = past_blanks(text + fit(text, columns - MARK_COLUMNS - 1));
        n++;
    } while (*text);
    return n;
}

/* Rows of one line from its row `skip` on, down to `end`; returns the row behind it. */
static uint32_t put_line(struct screen *s, uint32_t row, uint32_t end, const struct screen_line *line, uint32_t skip)
{
    const char *text = line->text;
    bool first = true;

    do {
        size_t n = fit(text, s->columns - MARK_COLUMNS - 1);

        if (skip > 0) {
            skip--;
        } else if (row < end) {
            if (first)
                put(s, row, 1, colour_of(line->mark), line->mark);
            put_n(s, row++, MARK_COLUMNS, GREY, text, n);
        }
        text = past_blanks(text + n);
        first = false;
    } while (*text);
    return row;
}

/* The newest lines that fit, oldest of them first. */
static void put_newest(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state)
{
    uint32_t from = state->n_lines, used = 0;

    while (from > first_line(state) && s->columns > MARK_COLUMNS + 1) {
        uint32_t n = rows_of(state, &state->lines[(from - 1) % SCREEN_LINES], s->columns);

        if (used + n > end - row)
            break;
        used += n;
        from--;
    }
    if (used == 0)
        put(s, row, MARK_COLUMNS, DARK, "none");
    for (; from < state->n_lines && row < end; from++)
        if (is_listed(state, &state->lines[from % SCREEN_LINES]))
            row = put_line(s, row, end, &state->lines[from % SCREEN_LINES], 0);
}

uint32_t screen_list_rows(const struct screen_state *state, uint32_t columns)
{
    uint32_t n = 0;

    for (uint32_t i = first_line(state); i < state->n_lines && columns > MARK_COLUMNS + 1; i++)
        n += rows_of(state, &state->lines[i % SCREEN_LINES], columns);
    return n;
}

/* Why the verdict is what it is: the first findings, and how many more there are. */
static void put_reasons(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state)
{
    uint32_t more = 0;
    char text[48];

    for (uint32_t i = first_line(state); i < state->n_lines && s->columns > MARK_COLUMNS + 1; i++) {
        const struct screen_line *line = &state->lines[i % SCREEN_LINES];
        uint32_t n = line->mark[0] ? rows_of(state, line, s->columns) : 0;

        if (n > 0 && more == 0 && row + n < end)
            row = put_line(s, row, end, line, 0);
        else
            more += n > 0;
    }
    text_format(text, sizeof text, "and %u more: V shows them", more);
    if (more > 0 && row < end)
        put(s, row, MARK_COLUMNS, DARK, text);
}

static void put_list(struct screen *s, const struct screen_state *state, uint32_t end)
{
    uint32_t skip = state->scroll, row = HEAD_ROWS + 1;

    section(s, HEAD_ROWS, state->detail ? "Checks" : "Findings");
    if (screen_list_rows(state, s->columns) == 0)
        put(s, row, MARK_COLUMNS, GREY, "none");
    for (uint32_t i = first_line(state); i < state->n_lines && row < end && s->columns > MARK_COLUMNS + 1; i++) {
        const struct screen_line *line = &state->lines[i % SCREEN_LINES];
        uint32_t n = rows_of(state, line, s->columns);

        if (skip >= n) {
            skip -= n;
            continue;
        }
        row = put_line(s, row, end, line, skip);
        skip = 0;
    }
}

/* --- the last row ------------------------------------------------------------------------------------------------ */

static void put_keys(struct screen *s, const struct screen_state *state)
{
    uint32_t row = s->rows - 1, column = 1;

    fill(s, row, 0, s->columns, ' ', ON_GREY);
    for (size_t i = 0; i < SCREEN_KEYS && state->keys[i].key; i++) {
        column = put(s, row, column, ON_GREY | BLUE, state->keys[i].key);
        column = put(s, row, column + 1, ON_GREY, state->keys[i].does) + 2;
    }
    if (state->notice[0]) {
        fill(s, row - 1, 0, s->columns, ' ', ON_BLUE | WHITE);
        put(s, row - 1, 1, ON_BLUE | WHITE, state->notice);
    }
}

/* --- the views --------------------------------------------------------------------------------------------------- */

static void put_run(struct screen *s, const struct screen_state *state, uint32_t end)
{
    uint32_t row = HEAD_ROWS, column;

    put_progress(s, row++, state);
    put(s, row, 1, LIGHT_CYAN, "Now");
    column = put(s, row, 12, WHITE, state->now);
    put(s, row++, column + 2, GREY, state->title);
    put_counts(s, row++, 12, &state->counts);
    row = put_map(s, row, state);
    if (row < end)
        section(s, row++, state->detail ? "Checks" : "Findings");
    if (row < end)
        put_newest(s, row, end, state);
    column = s->columns > 30 ? s->columns - 24 : 0;
    if (state->paused)
        put(s, HEAD_ROWS + 2, column, ON_BLUE | YELLOW, " paused: Space goes on ");
    else if (state->stopping)
        put(s, HEAD_ROWS + 2, column, ON_BLUE | YELLOW, " stops after this one  ");
}

static void put_help(struct screen *s, uint32_t end)
{
    static const char *const lines[] = {
        "Esc, Q or 0     stop after the check in progress; what there is gets written",
        "Space, P or 2   pause before the next check, and go on",
        "D or 3          show every check, or findings alone",
        "F1, H or 1      this page, and back",
        "",
        "Keys are looked at between checks and samples: drawing and reading keys moves",
        "memory too, and would be counted by the monitors that are measured.",
        "",
        "PASS   the rule held, and the evidence is in the report",
        "FAIL   the specification is broken",
        "WARN   outside the expected band, or against a rule that is model-specific",
        "SKIP   a precondition is missing",
        "ERROR  Assay itself could not measure",
    };
    uint32_t row = HEAD_ROWS;

    section(s, row++, "Help");
    for (size_t i = 0; i < sizeof lines / sizeof *lines && row < end; i++, row++) {
        char mark[6] = "";

        memcpy(mark, lines[i], strlen(lines[i]) < 5 ? strlen(lines[i]) : 5);
        for (char *c = mark; *c; c++)
            if (*c == ' ')
                *c = '\0';
        put(s, row, 2, GREY, lines[i]);
        if (colour_of(mark) != GREY)
            put(s, row, 2, colour_of(mark), mark);
    }
}

/* Letters of five by five cells, a row in each five bits, the top row in the highest. */
static uint32_t letter(char c)
{
    static const struct {
        char c;
        uint8_t rows[5];
    } letters[] = {
        { 'A', { 0x0E, 0x11, 0x1F, 0x11, 0x11 } }, { 'E', { 0x1F, 0x10, 0x1E, 0x10, 0x1F } },
        { 'F', { 0x1F, 0x10, 0x1E, 0x10, 0x10 } }, { 'G', { 0x0F, 0x10, 0x13, 0x11, 0x0F } },
        { 'H', { 0x11, 0x11, 0x1F, 0x11, 0x11 } }, { 'I', { 0x1F, 0x04, 0x04, 0x04, 0x1F } },
        { 'L', { 0x10, 0x10, 0x10, 0x10, 0x1F } }, { 'N', { 0x11, 0x19, 0x15, 0x13, 0x11 } },
        { 'O', { 0x0E, 0x11, 0x11, 0x11, 0x0E } }, { 'P', { 0x1E, 0x11, 0x1E, 0x10, 0x10 } },
        { 'R', { 0x1E, 0x11, 0x1E, 0x12, 0x11 } }, { 'S', { 0x0F, 0x10, 0x0E, 0x01, 0x1E } },
        { 'T', { 0x1F, 0x04, 0x04, 0x04, 0x04 } },
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
                cell(s, row + bit / 5, 2 + at * 7 + bit % 5, GLYPH_FULL, colour);
}

static void put_end(struct screen *s, const struct screen_state *state, uint32_t end)
{
    static const char *const words[] = { "PASS", "FAIL", "ERROR", "NOTHING" };
    static const char *const meaning[] = { "every rule that could be checked held",
                                           "the specification is broken: the findings say where",
                                           "Assay could not do its job: the findings say why",
                                           "every selected check was skipped" };
    unsigned r = (unsigned)state->result < 4 ? (unsigned)state->result : RUN_ERROR;
    uint16_t colour = colour_of(r == RUN_NOTHING ? "SKIP" : words[r]);
    uint32_t row = HEAD_ROWS + 1, beside = 2 + 7 * (uint32_t)strlen(words[r]) + 2;

    put_large(s, row, words[r], colour);
    if (beside + 30 > s->columns || r == RUN_NOTHING) { /* no room beside it */
        row += 5;
        beside = 2;
    }
    put_counts(s, row + 1, beside, &state->counts);
    put_n(s, row + 2, beside, WHITE, meaning[r], s->columns - beside);
    row = HEAD_ROWS + 6 + (beside == 2 ? 3 : 0);
    put_named(s, row + 1, "Report", state->report);
    section(s, row + 2, state->detail ? "Checks" : "Findings");
    put_reasons(s, row + 3, end, state);
}

/* --- the code ---------------------------------------------------------------------------------------------------- */

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
            cell(s, row / 2, column, glyphs[is_dark(q, row, column) + 2 * is_dark(q, row + 1, column)], ON_GREY);
}

static void put_qr_wide(struct screen *s, const struct qr *q)
{
    uint32_t side = q->size + 2 * QR_AROUND;

    for (uint32_t row = 0; row < side; row++)
        for (uint32_t column = 0; column < 2 * side; column++)
            cell(s, row, column, ' ', is_dark(q, row, column / 2) ? 0 : ON_GREY);
}

/* Text broken anywhere: a digest has no blanks. */
static void put_block(struct screen *s, uint32_t row, uint32_t column, uint32_t end, const char *text)
{
    uint32_t room = s->columns > column + 1 ? s->columns - column - 1 : 0;

    for (; room > 0 && *text && row < end; row++) {
        size_t n = strlen(text) < room ? strlen(text) : room;

        put_n(s, row, column, WHITE, text, n);
        text += n;
    }
}

static void put_qr(struct screen *s, const struct screen_state *state, uint32_t end)
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
    put(s, 1, column, LIGHT_CYAN, "Verdict, counts, folder, and");
    put(s, 2, column, LIGHT_CYAN, "SHA-256 of report.jsonl:");
    put_block(s, 4, column, end, state->qr_text);
    if (state->qr_kind == SCREEN_QR_NONE)
        put(s, end > 2 ? end - 2 : 0, column, DARK, "This console has no room or no signs for a QR code.");
}

void screen_draw(struct screen *s, const struct screen_state *state)
{
    uint32_t end = s->rows - 1 - (state->notice[0] != '\0');

    for (uint32_t row = 0; row < s->rows; row++)
        fill(s, row, 0, s->columns, ' ', GREY);
    if (s->rows < 3 || s->columns < 16)
        return;
    if (state->view == SCREEN_QR) {
        put_qr(s, state, end);
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
        put_list(s, state, end);
        break;
    case SCREEN_QR:
        break;
    }
    put_keys(s, state);
}
