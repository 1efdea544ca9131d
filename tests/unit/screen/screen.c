/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/search.h"
#include "core/screen/screen.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t columns, rows;
} sizes[] = { { 80, 25 }, { 100, 31 }, { 160, 42 }, { 240, 67 } };

static struct screen_state state;
static uint8_t cpus[4096];

static void fill_state(uint32_t n_cpus)
{
    memset(&state, 0, sizeof state);
    memset(cpus, SCREEN_CPU_IDLE, sizeof cpus);
    state.version = "0.1.0";
    strcpy(state.machine, "Maker Model, serial 7");
    strcpy(state.now, "cmt.linearity");
    strcpy(state.title, "Occupancy follows the working set");
    state.done = 34;
    state.total = 65;
    state.elapsed_ms = 12000;
    state.left_ms = 83000;
    state.counts = (struct verdict_counts){ .pass = 30, .fail = 1, .warn = 2, .skip = 3 };
    state.n_cpus = n_cpus;
    state.cpus = cpus;
    state.keys[0] = (struct screen_key){ "Esc/0", "stop" };
}

/* Cells of exactly the size, so that the sanitizers see a write outside of them. Until the next is drawn. */
static struct screen drawn(uint32_t columns, uint32_t rows)
{
    static struct screen s;

    free(s.cells);
    s = (struct screen){ .columns = columns, .rows = rows };
    s.cells = malloc((size_t)columns * rows * sizeof *s.cells);
    memset(s.cells, 0xFF, (size_t)columns * rows * sizeof *s.cells);
    screen_draw(&s, &state);
    return s;
}

static const char *row_text(const struct screen *s, uint32_t row)
{
    static char text[1024];

    for (uint32_t c = 0; c < s->columns; c++) {
        uint16_t glyph = s->cells[row * s->columns + c].glyph;

        text[c] = glyph < 0x7F ? (char)glyph : '#';
    }
    text[s->columns] = '\0';
    return text;
}

/* The row that holds the text, or `rows`. */
static uint32_t row_of(const struct screen *s, const char *text)
{
    uint32_t row = 0;

    while (row < s->rows && !strstr(row_text(s, row), text))
        row++;
    return row;
}

static uint32_t count_cells(const struct screen *s, uint32_t from, uint32_t to, uint16_t glyph, uint16_t attribute)
{
    uint32_t n = 0;

    for (uint32_t i = from * s->columns; i < to * s->columns; i++)
        n += s->cells[i].glyph == glyph && s->cells[i].attribute == attribute;
    return n;
}

static void expect_whole(const struct screen *s)
{
    for (uint32_t i = 0; i < s->columns * s->rows; i++) {
        uint16_t g = s->cells[i].glyph;

        cr_assert_lt(s->cells[i].attribute, 0x80, "cell %u: attribute 0x%x", i, s->cells[i].attribute);
        cr_assert((g >= 0x20 && g <= 0x7E) || g == GLYPH_FULL || g == GLYPH_SHADE || g == GLYPH_LINE,
                  "cell %u: glyph 0x%x", i, g);
    }
}

Test(screen, has_every_cell_filled_at_every_size_view_and_number_of_processors)
{
    static const uint32_t numbers[] = { 1, 2, 63, 64, 65, 255, 1000, 4095, 4096 };

    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            for (int view = SCREEN_RUN; view <= SCREEN_LIST; view++) {
                fill_state(numbers[i]);
                for (int k = 0; k < 300; k++)
                    screen_say(&state, k % 3 ? "FAIL" : "PASS",
                               "some.check: words that continue and on and on and on and "
                               "on, so that one row is not enough for them");
                state.view = (enum screen_view)view;
                state.result = (enum run_result)(i % 4);
                struct screen s = drawn(sizes[z].columns, sizes[z].rows);

                expect_whole(&s);
                cr_expect_neq(row_of(&s, "Esc/0 stop"), s.rows);
            }
}

Test(screen, does_not_write_outside_of_a_screen_that_is_too_small)
{
    for (uint32_t columns = 1; columns < 90; columns += 7)
        for (uint32_t rows = 1; rows < 30; rows += 3)
            for (int view = SCREEN_RUN; view <= SCREEN_LIST; view++) {
                fill_state(4096);
                screen_say(&state, "WARN", "a line");
                state.view = (enum screen_view)view;
                struct screen s = drawn(columns, rows);

                expect_whole(&s);
            }
}

Test(screen, says_where_the_run_stands)
{
    fill_state(8);
    screen_say(&state, "FAIL", "mbm.total: half of the bytes");
    struct screen s = drawn(80, 25);

    cr_expect_lt(row_of(&s, "Maker Model, serial 7"), 4);
    cr_expect_not_null(strstr(row_text(&s, row_of(&s, "Progress")), "34 of 65 checks, 52 %, about 1:23 left"));
    cr_expect_not_null(strstr(row_text(&s, row_of(&s, "Now")), "cmt.linearity  Occupancy follows the working set"));
    cr_expect_neq(row_of(&s, "PASS 30   FAIL 1   WARN 2   SKIP 3   ERROR 0"), s.rows);
    cr_expect_neq(row_of(&s, " FAIL  mbm.total: half of the bytes"), s.rows);
    cr_expect_not_null(strstr(row_text(&s, 0), "0:12"));
}

/* A cell is a power of two processors, and every processor is in one. */
Test(screen, has_a_place_for_every_processor)
{
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (uint32_t n = 1; n <= 4096; n++) {
            uint32_t scale = screen_map_scale(sizes[z].columns, sizes[z].rows, n);

            cr_assert_eq(scale & (scale - 1), 0);
            if (n % 61 != 1 && n != 4096)
                continue;
            fill_state(n);
            memset(cpus, SCREEN_CPU_WORK, n);
            struct screen s = drawn(sizes[z].columns, sizes[z].rows);
            uint32_t from = row_of(&s, "Processors: ") + 1, to = row_of(&s, "Findings");

            cr_assert_lt(to, s.rows);
            cr_expect_eq(count_cells(&s, from, to, GLYPH_FULL, 10), (n + scale - 1) / scale, "%u processors, %u x %u",
                         n, s.columns, s.rows);
        }
    cr_expect_eq(screen_map_scale(80, 25, 8), 1);
    cr_expect_eq(screen_map_scale(240, 67, 4096), 1, "a large screen has a cell for each of 4,096");
}

Test(screen, shows_what_each_processor_does)
{
    fill_state(5);
    for (uint8_t i = 0; i < 5; i++)
        cpus[i] = i;
    struct screen s = drawn(80, 25);
    const struct screen_cell *cell = &s.cells[(row_of(&s, "Processors: ") + 1) * s.columns + 6];

    cr_expect_eq(cell[SCREEN_CPU_IDLE].glyph, '.');
    cr_expect_eq(cell[SCREEN_CPU_ASKED].glyph, GLYPH_SHADE);
    cr_expect_eq(cell[SCREEN_CPU_WORK].glyph, GLYPH_FULL);
    cr_expect_eq(cell[SCREEN_CPU_ALONE].glyph, '-');
    cr_expect_eq(cell[SCREEN_CPU_LOST].glyph, '!');
}

Test(screen, lists_what_passed_only_with_detail)
{
    fill_state(1);
    screen_say(&state, "PASS", "first.check: held");
    screen_say(&state, "WARN", "second.check: did not quite");
    struct screen s = drawn(80, 25);

    cr_expect_eq(row_of(&s, "first.check"), s.rows);
    cr_expect_neq(row_of(&s, "second.check"), s.rows);
    state.detail = true;
    s = drawn(80, 25);
    cr_expect_neq(row_of(&s, "first.check"), s.rows);
}

Test(screen, one_line_has_the_checks_that_one_reason_skips)
{
    fill_state(1);
    screen_say_skipped(&state, "amd.limits", "no AMD");
    screen_say_skipped(&state, "amd.assign", "no AMD");
    screen_say_skipped(&state, "mba.flow", "no MBA");
    screen_say_skipped(&state, "amd.late", "no AMD");
    state.detail = true;
    struct screen s = drawn(80, 25);

    cr_expect_neq(row_of(&s, "amd.limits, amd.assign: no AMD"), s.rows);
    cr_expect_neq(row_of(&s, "mba.flow: no MBA"), s.rows);
    cr_expect_neq(row_of(&s, "amd.late: no AMD"), s.rows);
}

Test(screen, list_can_be_scrolled_to_its_last_row_and_keeps_the_newest)
{
    fill_state(1);
    for (uint32_t i = 0; i < SCREEN_LINES + 10; i++) {
        char text[40];

        snprintf(text, sizeof text, "finding number %u.", i);
        screen_say(&state, "FAIL", text);
    }
    state.view = SCREEN_LIST;
    cr_expect_eq(screen_list_rows(&state, 80), SCREEN_LINES);
    struct screen s = drawn(80, 25);

    cr_expect_eq(row_of(&s, "number 9."), s.rows);
    cr_expect_eq(row_of(&s, "number 10."), 5);
    state.scroll = screen_list_rows(&state, 80) - 1;
    s = drawn(80, 25);
    cr_expect_eq(row_of(&s, "number 265."), 5);
}

Test(screen, verdict_is_in_large_letters_with_reasons)
{
    static const enum run_result results[] = { RUN_PASS, RUN_FAIL, RUN_ERROR, RUN_NOTHING, RUN_WARN, RUN_STOPPED };
    static const uint16_t colours[] = { 10, 12, 13, 11, 14, 11 };
    /* Cells that are set in the letters, by their drawings. */
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        fill_state(4);
        screen_say(&state, "FAIL", "mbm.total: half of the bytes");
        state.view = SCREEN_END;
        state.result = results[i];
        struct screen s = drawn(80, 25);

        cr_expect_gt(count_cells(&s, 5, 10, GLYPH_FULL, colours[i]), 40);
        cr_expect_neq(row_of(&s, "mbm.total: half of the bytes"), s.rows);
    }
}

static uint32_t green_cells(const struct screen *s)
{
    return HOW_MANY(i, s->columns * s->rows, (s->cells[i].attribute & 0xF) == 10 || (s->cells[i].attribute & 0xF) == 2);
}

Test(screen, nothing_is_green_where_no_monitor_was_judged)
{
    static const struct {
        enum run_result result;
        struct verdict_counts counts;
        bool green;
    } ends[] = {
        { RUN_PASS, { .pass = 9, .monitors = 7 }, true },
        { RUN_WARN, { .pass = 9, .warn = 1, .monitors = 7 }, true },
        { RUN_NOTHING, { .pass = 9, .skip = 90, .monitors_skipped = 80 }, false },
    };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (uint32_t detail = 0; detail < 2; detail++) {
            fill_state(4);
            state.counts = ends[i].counts;
            state.result = ends[i].result;
            state.detail = detail != 0;
            state.view = detail ? SCREEN_LIST : SCREEN_END;
            screen_say(&state, "PASS", "enum.nodes: as firmware says");
            struct screen s = drawn(160, 42);

            cr_expect_eq(green_cells(&s) > 0, ends[i].green, "end %zu, detail %u: %u green cells", i, detail,
                         green_cells(&s));
        }
}

Test(screen, a_cause_is_red_where_a_check_failed_alone)
{
    for (uint32_t fail = 0; fail < 2; fail++) {
        fill_state(4);
        state.counts = (struct verdict_counts){ .pass = 9, .fail = fail, .warn = 2, .monitors = 11 };
        state.view = SCREEN_END;
        state.result = fail ? RUN_FAIL : RUN_WARN;
        screen_say(&state, SCREEN_CAUSE, "MBM total (factor 0.5)");
        struct screen s = drawn(80, 25);
        uint32_t row = row_of(&s, "CAUSE MBM total");

        cr_assert_neq(row, s.rows);
        cr_expect_eq(s.cells[row * s.columns + 1].attribute, fail ? 12 : 14);
    }
}

Test(screen, causes_come_before_what_was_found_whenever_they_were_said)
{
    fill_state(4);
    state.view = SCREEN_END;
    state.result = RUN_FAIL;
    for (uint32_t i = 0; i < 40; i++)
        screen_say(&state, "FAIL", "mbm.total: half of the bytes");
    screen_say(&state, SCREEN_CAUSE, "MBM total (factor 0.5)");
    struct screen s = drawn(80, 25);
    uint32_t cause = row_of(&s, "CAUSE MBM total (factor 0.5)");

    cr_expect_neq(cause, s.rows);
    cr_expect_lt(cause, row_of(&s, "FAIL  mbm.total: half"));
    cr_expect_neq(row_of(&s, "more: press V"), s.rows);
}

Test(screen, list_has_monitors_then_causes_then_what_was_found)
{
    fill_state(4);
    state.view = SCREEN_LIST;
    screen_say(&state, "FAIL", "mbm.total: half of the bytes");
    screen_say_monitor(&state, "FAIL", "MBM total: FAIL: factor 0.5");
    screen_say(&state, SCREEN_CAUSE, "MBM total (factor 0.5)");
    for (state.scroll = 0; state.scroll < 3; state.scroll++) {
        struct screen s = drawn(80, 25);

        cr_expect_eq(row_of(&s, "FAIL  MBM total: FAIL"), state.scroll > 0 ? s.rows : 5);
        cr_expect_eq(row_of(&s, "CAUSE MBM total"), state.scroll > 1 ? s.rows : 6 - state.scroll);
        cr_expect_eq(row_of(&s, "FAIL  mbm.total: half"), 7 - state.scroll);
    }
}

/* On 80 columns nothing is cut that a reader would take for whole: sentences continue in the next row, others end in "..".
 */
Test(screen, tells_the_verdict_in_whole_sentences_and_marks_what_is_cut)
{
    static const char *const ends[] = { "no check failed", "see the findings", "incomplete", "no monitor was judged" };

    for (unsigned r = 0; r < 4; r++) {
        fill_state(4);
        memset(state.firmware, 'x', 90);
        state.view = SCREEN_END;
        state.result = r;
        struct screen s = drawn(80, 25);

        cr_expect_neq(row_of(&s, ends[r]), s.rows, "%s", ends[r]);
        cr_expect_str_eq(row_text(&s, 2) + 77, "x..");
        cr_expect_neq(row_of(&s, " none"), s.rows, "no finding is said, not left blank");
    }
}

/* Firmware's strings may hold anything. */
Test(screen, shows_bytes_that_are_no_text_as_question_marks)
{
    fill_state(1);
    strcpy(state.machine, "\x1b[2J\xff\n");
    struct screen s = drawn(80, 25);

    expect_whole(&s);
    cr_expect_not_null(strstr(row_text(&s, 1), "?[2J??"));
}

/* --- the code ---------------------------------------------------------------------------------------------------- */

/* The module at a place of the drawn code, two light ones around it. */
static bool module_at(const struct screen *s, enum screen_qr kind, uint32_t row, uint32_t column)
{
    const struct screen_cell *c;

    row += 2;
    column += 2;
    if (kind == SCREEN_QR_WIDE) {
        c = &s->cells[row * s->columns + 2 * column];
        cr_assert_eq(c[0].attribute, c[1].attribute);
        return c->attribute == 0;
    }
    c = &s->cells[row / 2 * s->columns + column];
    cr_assert_eq(c->attribute, 7 << 4, "black on grey");
    return c->glyph == GLYPH_FULL || c->glyph == (row % 2 ? GLYPH_LOWER : GLYPH_UPPER);
}

Test(screen, draws_a_code_module_by_module_where_it_fits)
{
    static struct qr q;
    static const struct {
        uint32_t columns, rows;
        enum screen_qr kind;
        bool fits;
    } cases[] = { { 80, 25, SCREEN_QR_HALVES, true },
                  { 80, 25, SCREEN_QR_WIDE, false },
                  { 100, 31, SCREEN_QR_HALVES, true },
                  { 240, 67, SCREEN_QR_WIDE, true } };
    char text[QR_TEXT_MAX + 1];

    memset(text, 'Q', QR_TEXT_MAX);
    text[QR_TEXT_MAX] = '\0';
    cr_assert_eq(qr_encode(&q, text), ST_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(screen_qr_fits(cases[i].columns, cases[i].rows, q.size, cases[i].kind), cases[i].fits);
        if (!cases[i].fits)
            continue;
        fill_state(1);
        state.view = SCREEN_QR;
        state.qr = &q;
        state.qr_kind = cases[i].kind;
        struct screen s = drawn(cases[i].columns, cases[i].rows);

        for (uint32_t row = 0; row < q.size; row++)
            for (uint32_t column = 0; column < q.size; column++)
                cr_assert_eq(module_at(&s, cases[i].kind, row, column), q.dark[row][column]);
    }
}

/* Without room for a code the text is there to be typed off. */
Test(screen, shows_the_text_of_the_code_in_every_case)
{
    for (int kind = SCREEN_QR_NONE; kind <= SCREEN_QR_PIXELS; kind++) {
        fill_state(1);
        state.view = SCREEN_QR;
        state.qr_kind = (enum screen_qr)kind;
        strcpy(state.qr_text, "ASSAY 0.1.0 PASS");
        struct screen s = drawn(80, 25);

        cr_expect_neq(row_of(&s, "ASSAY 0.1.0 PASS"), s.rows);
        cr_expect_neq(row_of(&s, "Esc/0 stop"), s.rows);
    }
}
