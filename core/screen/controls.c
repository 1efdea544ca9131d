/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/controls.h"

#include <string.h>

#define LIST_FRAME_ROWS 6u /* of SCREEN_LIST, around its lines */

/* --- how a run is shown ------------------------------------------------------------------------------------------- */

enum ui_choice controls_choose_ui(const struct options *o, const struct console_abilities *console)
{
    bool fits = console->columns >= SCREEN_COLUMNS_MIN && console->rows >= SCREEN_ROWS_MIN;
    enum ui_choice kind = o->ui == UI_AUTO ? (console->graphics ? UI_SCREEN : UI_LINES) : o->ui;

    if (kind == UI_JSONL_GZ)
        kind = UI_JSONL;
    return o->quiet || (kind == UI_SCREEN && !fits) ? UI_LINES : kind;
}

enum screen_qr controls_qr_kind(const struct console_abilities *console, uint32_t size)
{
    if (size == 0)
        return SCREEN_QR_NONE;
    if (console->graphics)
        return SCREEN_QR_PIXELS;
    if (console->halves && screen_qr_fits(console->columns, console->rows, size, SCREEN_QR_HALVES))
        return SCREEN_QR_HALVES;
    return screen_qr_fits(console->columns, console->rows, size, SCREEN_QR_WIDE) ? SCREEN_QR_WIDE : SCREEN_QR_NONE;
}

uint64_t controls_left_ms(uint64_t soak_ms, uint64_t elapsed_ms, uint64_t estimate)
{
    if (soak_ms == 0)
        return estimate;
    return soak_ms > elapsed_ms ? soak_ms - elapsed_ms : SCREEN_UNKNOWN;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static uint32_t key_lower(uint32_t key)
{
    return key >= 'A' && key <= 'Z' ? key + ('a' - 'A') : key;
}

void controls_run_key(struct screen_state *s, uint32_t key)
{
    switch (key_lower(key)) {
    case KEY_ESC:
    case 'q':
    case '0':
        s->stopping = true;
        s->paused = false;
        break;
    case ' ':
    case 'p':
    case '2':
        s->paused = !s->paused;
        break;
    case 'd':
    case '3':
        s->detail = !s->detail;
        break;
    case KEY_F1:
    case 'h':
    case '1':
        s->view = s->view == SCREEN_HELP ? SCREEN_RUN : SCREEN_HELP;
        break;
    default:
        break;
    }
}

static void scroll_by(struct screen_state *s, uint32_t columns, uint32_t page, int64_t rows)
{
    uint32_t all = screen_list_rows(s, columns);
    int64_t to = (int64_t)s->scroll + rows, most = all > page ? all - page : 0;

    s->scroll = (uint32_t)(to < 0 ? 0 : to > most ? most : to);
}

bool controls_list_key(struct screen_state *s, uint32_t columns, uint32_t rows, uint32_t key)
{
    uint32_t page = rows > LIST_FRAME_ROWS ? rows - LIST_FRAME_ROWS : 1;
    int64_t by;

    switch (key_lower(key)) {
    case KEY_UP:
    case 'u':
        by = -1;
        break;
    case KEY_DOWN:
    case 'n':
        by = 1;
        break;
    case KEY_PAGE_UP:
    case '-':
        by = 1 - (int64_t)page; /* one line stays */
        break;
    case KEY_PAGE_DOWN:
    case '+':
        by = (int64_t)page - 1;
        break;
    default:
        return false;
    }
    scroll_by(s, columns, page, by);
    return true;
}

bool controls_end_key(struct screen_state *s, uint32_t key)
{
    switch (key_lower(key)) {
    case 'v':
        s->scroll = 0;
        s->view = s->view == SCREEN_LIST ? SCREEN_END : SCREEN_LIST;
        return false;
    case 'c':
        return true;
    case KEY_ESC:
        if (s->view == SCREEN_QR)
            return true;
        s->view = SCREEN_END;
        return false;
    case 'd':
        s->detail = !s->detail;
        s->scroll = 0;
        return false;
    default:
        return false;
    }
}

enum menu_answer controls_answer(uint32_t key, bool any_failed)
{
    switch (key_lower(key)) {
    case 's':
        return ANSWER_SHUTDOWN;
    case 'r':
        return ANSWER_REBOOT;
    case 'b':
        return ANSWER_BACK;
    case 'a':
        return ANSWER_AGAIN;
    case 'f':
        return any_failed ? ANSWER_FAILED : ANSWER_NONE;
    default:
        return ANSWER_NONE;
    }
}

/* --- the row of keys ---------------------------------------------------------------------------------------------- */

static const struct screen_key run_keys[SCREEN_KEYS] = {
    { "Esc/0", "stop" },
    { "Space/2", "pause" },
    { "D/3", "detail" },
    { "F1/H/1", "help" },
};
static const struct screen_key end_keys[SCREEN_KEYS] = {
    { "V", "findings" }, { "D", "detail" }, { "C", "QR code" }, { "A", "again" },
    { "F", "failed" },   { "S", "off" },    { "R", "reboot" },  { "B", "back" },
};
static const struct screen_key passed_keys[SCREEN_KEYS] = {
    { "V", "findings" }, { "D", "detail" }, { "C", "QR code" }, { "A", "again" },
    { "S", "off" },      { "R", "reboot" }, { "B", "back" },
};
static const struct screen_key no_keys[SCREEN_KEYS];
static const struct screen_key code_keys[SCREEN_KEYS] = {
    { "C/Esc", "back" },
};
static const struct screen_key list_keys[SCREEN_KEYS] = {
    { "Up/U", "" },       { "Down/N", "line" }, { "PgUp/-", "" },
    { "PgDn/+", "page" }, { "D", "detail" },    { "V/Esc", "back" },
};

static const struct screen_key *keys_for(enum screen_view view, bool run_over, bool in_menu, bool any_failed)
{
    if (view == SCREEN_LIST)
        return list_keys;
    if (view == SCREEN_QR)
        return code_keys;
    if (!run_over)
        return run_keys;
    if (!in_menu)
        return no_keys;
    return any_failed ? end_keys : passed_keys;
}

void controls_show_keys(struct screen_state *s, bool run_over, bool in_menu, bool any_failed)
{
    memcpy(s->keys, keys_for(s->view, run_over, in_menu, any_failed), sizeof s->keys);
}
