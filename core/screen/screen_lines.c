/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/screen_internal.h"

#include <string.h>

#include "core/base/text.h"

void screen_say(struct screen_state *state, const char *mark, const char *text)
{
    struct screen_line *line = &state->lines[state->n_lines++ % SCREEN_LINES];

    text_format(line->mark, sizeof line->mark, "%s", mark);
    text_format(line->text, sizeof line->text, "%s", text);
    line->monitor = false;
    line->ids = 0;
}

void screen_say_skipped(struct screen_state *state, const char *id, const char *why)
{
    struct screen_line *last = &state->lines[(state->n_lines - 1) % SCREEN_LINES];
    size_t ids = state->n_lines > 0 ? last->ids : 0;
    char text[SCREEN_TEXT];

    if (ids > 0 && text_equal(last->text + ids + 2, why) &&
        text_format(text, sizeof text, "%.*s, %s: %s", (int)ids, last->text, id, why) < sizeof text) {
        text_format(last->text, sizeof last->text, "%s", text);
        last->ids = ids + 2 + strlen(id);
        return;
    }
    text_format(text, sizeof text, "%s: %s", id, why);
    screen_say(state, "SKIP", text);
    state->lines[(state->n_lines - 1) % SCREEN_LINES].ids = strlen(id);
}

void screen_say_monitor(struct screen_state *state, const char *mark, const char *text)
{
    screen_say(state, mark, text);
    state->lines[(state->n_lines - 1) % SCREEN_LINES].monitor = true;
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
        text = screen_past_blanks(text + screen_fit(text, columns - MARK_COLUMNS - 1));
        n++;
    } while (*text);
    return n;
}

uint16_t screen_mark_colour(const struct screen_state *state, const char *mark)
{
    const struct verdict_counts *c = &state->counts;

    if (text_equal(mark, "PASS") && verdict_no_monitor(c))
        return GREY;
    return screen_colour(text_equal(mark, SCREEN_CAUSE) && c->fail == 0 ? "WARN" : mark);
}

/* Rows of one line from its row `skip` on, down to `end`; returns the row after it. */
static uint32_t put_line(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state,
                         const struct screen_line *line, uint32_t skip)
{
    const char *text = line->text;
    bool first = true;

    do {
        size_t n = screen_fit(text, s->columns - MARK_COLUMNS - 1);

        if (skip > 0) {
            skip--;
        } else if (row < end) {
            if (first)
                screen_put(s, row, 1, screen_mark_colour(state, line->mark), line->mark);
            screen_put_n(s, row++, MARK_COLUMNS, GREY, text, n);
        }
        text = screen_past_blanks(text + n);
        first = false;
    } while (*text);
    return row;
}

void screen_put_newest(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state)
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
        screen_put(s, row, MARK_COLUMNS, GREY, "none");
    for (; from < state->n_lines && row < end; from++)
        if (is_listed(state, &state->lines[from % SCREEN_LINES]))
            row = put_line(s, row, end, state, &state->lines[from % SCREEN_LINES], 0);
}

uint32_t screen_list_rows(const struct screen_state *state, uint32_t columns)
{
    uint32_t n = 0;

    for (uint32_t i = first_line(state); i < state->n_lines && columns > MARK_COLUMNS + 1; i++)
        n += rows_of(state, &state->lines[i % SCREEN_LINES], columns);
    return n;
}

enum shown { SHOWN_MONITORS, SHOWN_CAUSES, SHOWN_FOUND };

static enum shown shown_as(const struct screen_line *line)
{
    if (line->monitor)
        return SHOWN_MONITORS;
    return text_equal(line->mark, SCREEN_CAUSE) ? SHOWN_CAUSES : SHOWN_FOUND;
}

/* The marked lines of one kind, from `row` on; returns the row after them, and adds what has no room to
 * *more. */
static uint32_t put_marked(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state,
                           enum shown kind, uint32_t *more)
{
    for (uint32_t i = first_line(state); i < state->n_lines && s->columns > MARK_COLUMNS + 1; i++) {
        const struct screen_line *line = &state->lines[i % SCREEN_LINES];
        uint32_t n = line->mark[0] ? rows_of(state, line, s->columns) : 0;

        if (n == 0 || shown_as(line) != kind)
            continue;
        if (*more == 0 && row + n < end)
            row = put_line(s, row, end, state, line, 0);
        else
            *more += 1;
    }
    return row;
}

void screen_put_reasons(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state)
{
    uint32_t more = 0, from = row;
    char text[48];

    row = put_marked(s, row, end, state, SHOWN_CAUSES, &more);
    row = put_marked(s, row, end, state, SHOWN_MONITORS, &more);
    row = put_marked(s, row, end, state, SHOWN_FOUND, &more);
    text_format(text, sizeof text, "and %u more: press V", more);
    if (more > 0 && row < end)
        screen_put(s, row, MARK_COLUMNS, GREY, text);
    else if (row == from && row < end)
        screen_put(s, row, MARK_COLUMNS, GREY, "none");
}

void screen_put_list(struct screen *s, uint32_t row, uint32_t end, const struct screen_state *state)
{
    uint32_t skip = state->scroll;

    if (screen_list_rows(state, s->columns) == 0)
        screen_put(s, row, MARK_COLUMNS, GREY, "none");
    for (enum shown kind = SHOWN_MONITORS; kind <= SHOWN_FOUND; kind++)
        for (uint32_t i = first_line(state); i < state->n_lines && row < end && s->columns > MARK_COLUMNS + 1; i++) {
            const struct screen_line *line = &state->lines[i % SCREEN_LINES];
            uint32_t n = shown_as(line) == kind ? rows_of(state, line, s->columns) : 0;

            if (skip >= n) {
                skip -= n;
                continue;
            }
            row = put_line(s, row, end, state, line, skip);
            skip = 0;
        }
}
