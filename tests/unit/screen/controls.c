/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/controls.h"

#include <criterion/criterion.h>

#include "core/base/search.h"
#include "core/base/text.h"

static struct screen_state state;

/* --- how a run is shown ------------------------------------------------------------------------------------------- */

static enum ui_choice chosen(enum ui_choice asked, bool quiet, struct console_abilities console)
{
    struct options o;

    options_default(&o);
    o.ui = asked;
    o.quiet = quiet;
    return controls_choose_ui(&o, &console);
}

Test(controls_choose_ui, is_a_screen_where_a_person_can_watch_one)
{
    const struct console_abilities graphics = { .columns = 80, .rows = 25, .graphics = true };
    const struct console_abilities serial = { .columns = 100, .rows = 31 };

    cr_expect_eq(chosen(UI_AUTO, false, graphics), UI_SCREEN);
    cr_expect_eq(chosen(UI_AUTO, false, serial), UI_LINES);
    cr_expect_eq(chosen(UI_SCREEN, false, serial), UI_SCREEN, "asked for");
    cr_expect_eq(chosen(UI_LINES, false, graphics), UI_LINES);
    cr_expect_eq(chosen(UI_JSONL, false, graphics), UI_JSONL);
    cr_expect_eq(chosen(UI_JSONL_GZ, false, graphics), UI_JSONL);
    cr_expect_eq(chosen(UI_SCREEN, true, graphics), UI_LINES, "-q");
}

Test(controls_choose_ui, is_lines_where_a_screen_does_not_fit)
{
    cr_expect_eq(chosen(UI_AUTO, false, (struct console_abilities){ .columns = 79, .rows = 25, .graphics = true }),
                 UI_LINES);
    cr_expect_eq(chosen(UI_SCREEN, false, (struct console_abilities){ .columns = 80, .rows = 24, .graphics = true }),
                 UI_LINES);
    cr_expect_eq(chosen(UI_JSONL, false, (struct console_abilities){ .columns = 40, .rows = 10 }), UI_JSONL);
}

Test(controls_qr_kind, takes_pixels_then_half_blocks_then_two_cells_a_module)
{
    cr_expect_eq(controls_qr_kind(
                     &(struct console_abilities){ .columns = 80, .rows = 25, .graphics = true, .halves = true }, 45),
                 SCREEN_QR_PIXELS);
    cr_expect_eq(controls_qr_kind(&(struct console_abilities){ .columns = 100, .rows = 60, .halves = true }, 45),
                 SCREEN_QR_HALVES);
    cr_expect_eq(controls_qr_kind(&(struct console_abilities){ .columns = 100, .rows = 60 }, 45), SCREEN_QR_WIDE);
    cr_expect_eq(controls_qr_kind(&(struct console_abilities){ .columns = 80, .rows = 25 }, 45), SCREEN_QR_NONE,
                 "it does not fit");
    cr_expect_eq(controls_qr_kind(
                     &(struct console_abilities){ .columns = 100, .rows = 60, .graphics = true, .halves = true }, 0),
                 SCREEN_QR_NONE, "no code");
}

Test(controls_left_ms, is_the_soaks_or_the_estimate)
{
    cr_expect_eq(controls_left_ms(0, 5000, 7000), 7000);
    cr_expect_eq(controls_left_ms(0, 5000, SCREEN_UNKNOWN), SCREEN_UNKNOWN);
    cr_expect_eq(controls_left_ms(60000, 5000, 7000), 55000);
    cr_expect_eq(controls_left_ms(60000, 60000, 7000), SCREEN_UNKNOWN, "the last round ends when it ends");
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static void begin(enum screen_view view)
{
    state = (struct screen_state){ .view = view };
}

Test(controls_run_key, stops_for_each_of_its_keys_and_ends_a_pause_with_it)
{
    static const uint32_t keys[] = { KEY_ESC, 'q', 'Q', '0' };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        begin(SCREEN_RUN);
        state.paused = true;
        controls_run_key(&state, keys[i]);
        cr_expect(state.stopping && !state.paused, "key %#x", keys[i]);
    }
}

Test(controls_run_key, toggles_pause_detail_and_help)
{
    begin(SCREEN_RUN);
    controls_run_key(&state, ' ');
    cr_expect(state.paused);
    controls_run_key(&state, 'P');
    cr_expect(!state.paused);
    controls_run_key(&state, 'D');
    cr_expect(state.detail);
    controls_run_key(&state, '3');
    cr_expect(!state.detail);
    controls_run_key(&state, KEY_F1);
    cr_expect_eq(state.view, SCREEN_HELP);
    controls_run_key(&state, 'h');
    cr_expect_eq(state.view, SCREEN_RUN);
    controls_run_key(&state, 'x');
    controls_run_key(&state, KEY_UP);
    cr_expect(!state.stopping && !state.paused && !state.detail && state.view == SCREEN_RUN);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void begin_list(uint32_t n_lines)
{
    begin(SCREEN_LIST);
    state.detail = true;
    for (uint32_t i = 0; i < n_lines; i++)
        screen_say(&state, "PASS", "a line");
}

Test(controls_list_key, moves_by_a_line_or_a_page_and_not_beyond_the_ends)
{
    uint32_t all, most;

    begin_list(60);
    all = screen_list_rows(&state, 80);
    cr_assert(all > 40);
    most = all - 19; /* of 25 rows, six are around the list */
    cr_expect(controls_list_key(&state, 80, 25, KEY_UP));
    cr_expect_eq(state.scroll, 0);
    cr_expect(controls_list_key(&state, 80, 25, 'N'));
    cr_expect_eq(state.scroll, 1);
    cr_expect(controls_list_key(&state, 80, 25, '+'));
    cr_expect_eq(state.scroll, 19);
    cr_expect(controls_list_key(&state, 80, 25, 'u'));
    cr_expect_eq(state.scroll, 18);
    cr_expect(controls_list_key(&state, 80, 25, '-'));
    cr_expect_eq(state.scroll, 0);
    for (int i = 0; i < 10; i++)
        cr_expect(controls_list_key(&state, 80, 25, KEY_PAGE_DOWN));
    cr_expect_eq(state.scroll, most);
    cr_expect(controls_list_key(&state, 80, 25, KEY_DOWN));
    cr_expect_eq(state.scroll, most);
}

Test(controls_list_key, does_not_move_a_list_that_fits)
{
    begin_list(3);
    cr_expect(controls_list_key(&state, 80, 25, KEY_DOWN));
    cr_expect(controls_list_key(&state, 80, 25, KEY_PAGE_DOWN));
    cr_expect_eq(state.scroll, 0);
    cr_expect(!controls_list_key(&state, 80, 25, 'v'), "no key of the list");
}

Test(controls_end_key, goes_to_the_list_and_back_from_everywhere)
{
    begin(SCREEN_END);
    state.scroll = 5;
    cr_expect(!controls_end_key(&state, 'V'));
    cr_expect_eq(state.view, SCREEN_LIST);
    cr_expect_eq(state.scroll, 0);
    cr_expect(!controls_end_key(&state, 'v'));
    cr_expect_eq(state.view, SCREEN_END);
    state.view = SCREEN_LIST;
    cr_expect(!controls_end_key(&state, KEY_ESC));
    cr_expect_eq(state.view, SCREEN_END);
    state.scroll = 5;
    cr_expect(!controls_end_key(&state, 'd'));
    cr_expect(state.detail);
    cr_expect_eq(state.scroll, 0, "lines have other places then");
}

Test(controls_end_key, asks_for_the_code_with_c_and_puts_it_away_with_c_or_esc)
{
    begin(SCREEN_END);
    cr_expect(controls_end_key(&state, 'c'));
    state.view = SCREEN_QR;
    cr_expect(controls_end_key(&state, 'C'));
    cr_expect(controls_end_key(&state, KEY_ESC));
}

Test(controls_answer, is_that_of_the_menus_letters)
{
    static const struct {
        char key;
        enum menu_answer answer;
    } answers[] = { { 's', ANSWER_SHUTDOWN }, { 'R', ANSWER_REBOOT }, { 'b', ANSWER_BACK }, { 'A', ANSWER_AGAIN },
                    { 'F', ANSWER_FAILED },   { 'v', ANSWER_NONE },   { 'c', ANSWER_NONE }, { ' ', ANSWER_NONE } };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        cr_expect_eq(controls_answer((uint32_t)answers[i].key, true), answers[i].answer, "%c", answers[i].key);
    cr_expect_eq(controls_answer('f', false), ANSWER_NONE, "no check failed that could be run again");
    cr_expect_eq(controls_answer(KEY_ESC, true), ANSWER_NONE);
}

/* --- the row of keys ---------------------------------------------------------------------------------------------- */

static bool shows(const char *does)
{
    return ANY_OF(i, SCREEN_KEYS, state.keys[i].key && text_equal(state.keys[i].does, does));
}

Test(controls_show_keys, names_what_works_now)
{
    begin(SCREEN_RUN);
    controls_show_keys(&state, false, false, false);
    cr_expect(shows("stop") && shows("pause") && !shows("off"));
    state.view = SCREEN_END;
    controls_show_keys(&state, true, false, false);
    cr_expect_null(state.keys[0].key, "keys are not looked at before the menu");
    controls_show_keys(&state, true, true, false);
    cr_expect(shows("off") && shows("again") && !shows("failed"));
    controls_show_keys(&state, true, true, true);
    cr_expect(shows("failed"));
    state.view = SCREEN_LIST;
    controls_show_keys(&state, true, true, true);
    cr_expect(shows("page") && shows("back") && !shows("off"));
    state.view = SCREEN_QR;
    controls_show_keys(&state, true, true, true);
    cr_expect(shows("back") && !shows("page"));
}
