/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/console/ui.h"

#include <string.h>

#include "core/engine/progress.h"
#include "core/base/text.h"
#include "core/encoding/json.h"
#include "core/diagnosis/diagnosis_report.h"
#include "core/tools/tools.h"
#include "core/screen/cpu_map.h"
#include "core/screen/labels.h"
#include "efi/console/console.h"
#include "efi/firmware/shell.h"
#include "efi/firmware/watchdog.h"

_Static_assert(KEY_ESC == KEY_SCAN(SCAN_ESC) && KEY_F1 == KEY_SCAN(SCAN_F1), "scan codes of core/screen/controls.h");
_Static_assert(KEY_UP == KEY_SCAN(SCAN_UP) && KEY_DOWN == KEY_SCAN(SCAN_DOWN), "the same");
_Static_assert(KEY_PAGE_UP == KEY_SCAN(SCAN_PAGE_UP) && KEY_PAGE_DOWN == KEY_SCAN(SCAN_PAGE_DOWN), "the same");

#define REDRAW_MS  250u
#define FAILED_MAX 256u

static struct ui {
    EFI_SYSTEM_TABLE *st;
    enum ui_choice kind;
    struct screen_state state;
    struct screen screen;
    struct screen_cell cells[CONSOLE_COLUMNS * CONSOLE_ROWS];
    struct platform *platform;
    struct progress progress;
    uint64_t began_tsc, drawn_tsc;
    uint64_t soak_ms; /* 0: no soak */
    struct cpu_map map;
    enum screen_view view; /* to go back to from help and the list */
    uint32_t n_failed;
    const char *failed[FAILED_MAX];
    struct qr qr;
    bool has_qr;
    bool table;   /* of -top: it is on the console */
    bool in_menu; /* keys of the menu are looked at: they are shown from then on */
} ui;

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static uint64_t now_tsc(void)
{
    return ui.platform ? ui.platform->ops->tsc(ui.platform->machine) : 0;
}

static uint64_t ms_since(uint64_t tsc)
{
    uint64_t now = now_tsc(), khz = ui.platform ? ui.platform->tsc_hz / 1000 : 0;

    return khz > 0 && now > tsc ? (now - tsc) / khz : 0;
}

static void choose_keys(void)
{
    controls_show_keys(&ui.state, ui.view == SCREEN_END, ui.in_menu, ui.n_failed > 0);
}

static void draw(void)
{
    if (ui.kind != UI_SCREEN)
        return;
    if (ui.view == SCREEN_RUN) {
        ui.state.elapsed_ms = ms_since(ui.began_tsc);
        if (!progress_left(&ui.progress, &ui.state.left_ms))
            ui.state.left_ms = SCREEN_UNKNOWN;
        ui.state.left_ms = controls_left_ms(ui.soak_ms, ui.state.elapsed_ms, ui.state.left_ms);
    }
    choose_keys();
    screen_draw(&ui.screen, &ui.state);
    console_screen(&ui.screen);
    ui.drawn_tsc = now_tsc();
}

static void take_working(void)
{
    if (ui.platform)
        ui.state.n_cpus = cpu_map_take(&ui.map, ui.platform);
}

static struct console_abilities abilities(void)
{
    struct console_abilities c = { .graphics = console_has_graphics(), .halves = console_has_halves() };

    console_size(&c.columns, &c.rows);
    return c;
}

/* console_say() and console_progress() while there is a screen. */
static void listen(const char *line, bool passing)
{
    if (passing) {
        text_format(ui.state.now, sizeof ui.state.now, "%s", line);
        ui.state.title[0] = '\0';
    } else if (line[0]) {
        screen_say(&ui.state, "", line);
    }
    draw();
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

void ui_init(EFI_SYSTEM_TABLE *st)
{
    ui.st = st;
}

void ui_begin(const struct options *o, const char *version, const char *report)
{
    struct console_abilities console = abilities();

    ui.kind = controls_choose_ui(o, &console);
    if (ui.kind == UI_SCREEN) {
        console_largest();
        console = abilities();
    }
    console_show(!o->quiet && ui.kind == UI_LINES);
    console_page_breaks(o->page_breaks && ui.kind == UI_LINES);
    ui.screen = (struct screen){ .columns = console.columns, .rows = console.rows, .cells = ui.cells };
    ui.state.version = version;
    ui.state.left_ms = SCREEN_UNKNOWN;
    text_format(ui.state.report, sizeof ui.state.report, "%s", report);
    if (ui.kind == UI_SCREEN)
        console_listen(listen);
    draw();
}

enum ui_choice ui_kind(void)
{
    return ui.kind == UI_AUTO ? UI_LINES : ui.kind;
}

void ui_machine(const struct machine *m, struct platform *p)
{
    ui.platform = p;
    ui.began_tsc = now_tsc();
    ui.state.ran_on = m->ran_on[0] != '\0';
    ui.state.cpus = ui.map.shown;
    labels_of_machine(&ui.state, m);
    take_working();
    draw();
}

void ui_checks(const struct engine *e)
{
    progress_begin(&ui.progress, e);
    ui.soak_ms = (uint64_t)e->options->soak_minutes * 60000;
}

void ui_starting(const struct engine *, const struct check_row *row, uint32_t index, uint32_t total)
{
    progress_check_begins(&ui.progress, ms_since(ui.began_tsc));
    if (ui.kind == UI_LINES)
        console_progress("%3u/%u  %-26s %s", index + 1, total, row->id, row->title);
    text_format(ui.state.now, sizeof ui.state.now, "%s", row->id);
    text_format(ui.state.title, sizeof ui.state.title, "%s", row->title);
    ui.state.done = index;
    ui.state.total = total;
    cpu_map_restart(&ui.map);
    draw();
}

void ui_finished(const struct engine *e, const struct check *c)
{
    char text[SCREEN_TEXT], why[SCREEN_TEXT];
    bool bad = check_verdict(c) != VERDICT_PASS && check_verdict(c) != VERDICT_SKIP;

    progress_check_ended(&ui.progress, e, c, ms_since(ui.began_tsc));
    ui.state.counts = e->run.counts;
    ui.state.done++;
    check_reason(c, why, sizeof why);
    text_format(text, sizeof text, "%s: %s%s%s", c->row->id, check_verdict(c) != VERDICT_PASS ? why : c->row->title,
                c->state->record.excludes[0] ? "; " : "", c->state->record.excludes);
    if (check_verdict(c) == VERDICT_SKIP)
        screen_say_skipped(&ui.state, c->row->id, why);
    else
        screen_say(&ui.state, verdict_text(check_verdict(c)), text);
    if (bad && ui.n_failed < FAILED_MAX && !ANY_OF(i, ui.n_failed, text_equal(ui.failed[i], c->row->id)))
        ui.failed[ui.n_failed++] = c->row->id;
    take_working();
    draw();
}

void ui_found(const char *mark, const char *text)
{
    screen_say(&ui.state, mark, text);
}

void ui_causes(struct report *r, struct engine *e, const struct machine *m)
{
    static const char *const marks[] = {
        [MONITOR_FAIL] = "FAIL", [MONITOR_ERROR] = "ERROR",  [MONITOR_WARN] = "WARN", [MONITOR_UNCALIBRATED] = "WARN",
        [MONITOR_GOOD] = "GOOD", [MONITOR_NOT_JUDGED] = "-", [MONITOR_ABSENT] = "-",
    };
    static struct monitors monitors;
    struct diagnosis d;
    char line[SCREEN_TEXT];

    diagnosis_run(&e->symptoms, m, &d);
    monitors_judge(&e->symptoms, &d, engine_missing_needs(e), e->tools ? &e->tools->pmon : NULL, e->bands != NULL,
                   &monitors);
    diagnosis_report(r, &e->symptoms, &d, &monitors);
    for (uint32_t i = 0; i < monitors.n && !e->symptoms.lost; i++)
        if (monitors_line(&monitors, i, line, sizeof line) > 0)
            screen_say_monitor(&ui.state, marks[monitors.list[monitors.shown[i]].state], line);
    for (uint32_t i = 0; i < d.n; i++) {
        diagnosis_report_line(&d.list[i], line, sizeof line);
        ui_found(SCREEN_CAUSE, line);
    }
    symptoms_free(&e->symptoms);
}

void ui_watch(const struct task *tasks, uint32_t n_tasks)
{
    cpu_map_watch(&ui.map, tasks, n_tasks);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static void ui_take_key(uint32_t key)
{
    bool paused = ui.state.paused;

    controls_run_key(&ui.state, key);
    if (ui.kind == UI_LINES && ui.state.paused != paused && !ui.state.stopping)
        console_progress("%s", ui.state.paused ? "paused: Space resumes" : "");
}

static bool take_keys(void)
{
    uint32_t key;
    bool any = false;

    for (unsigned i = 0; i < 64 && (key = console_key()) != 0; i++) {
        ui_take_key(key);
        any = true;
    }
    return any;
}

bool ui_wants_stop(void)
{
    if (take_keys())
        draw();
    if (ui.state.paused)
        (void)watchdog_arm(0); /* a pause lasts as long as a person likes; the next check arms it again */
    while (ui.state.paused && !ui.state.stopping) {
        ui.st->BootServices->Stall(20000);
        if (take_keys())
            draw();
    }
    return ui.state.stopping;
}

void ui_between(void)
{
    if (ui.kind != UI_SCREEN || ms_since(ui.drawn_tsc) < REDRAW_MS)
        return;
    (void)take_keys();
    take_working();
    draw();
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

void ui_table(const char *const *lines, uint32_t n)
{
    if (ui.kind == UI_JSONL)
        return;
    ui.table = true;
    screen_table(&ui.screen, lines, n);
    console_screen(&ui.screen);
}

void ui_table_end(void)
{
    if (ui.table && ui.kind != UI_SCREEN)
        console_log();
    ui.table = false;
}

uint32_t ui_table_rows(void)
{
    return ui.screen.rows > 2 ? ui.screen.rows - 2 : 0; /* below the head, above the last row */
}

bool ui_wants_end(void)
{
    uint32_t key;
    bool end = false;

    for (unsigned i = 0; i < 64 && (key = console_key()) != 0; i++)
        end |= key == 'q' || key == 'Q' || key == KEY_ESC;
    return end;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void make_code(enum run_result result, const char *sha256)
{
    labels_of_code(&ui.state, result, sha256);
    ui.has_qr = qr_encode(&ui.qr, ui.state.qr_text) == ST_OK;
    ui.state.qr = ui.has_qr ? &ui.qr : NULL;
}

void ui_end(const struct engine *e, enum run_result result, const char *sha256)
{
    ui.state.counts = e->run.counts;
    make_code(result, sha256);
    ui.state.result = result;
    ui.state.paused = ui.state.stopping = false;
    ui.state.elapsed_ms = ms_since(ui.began_tsc);
    ui.view = ui.state.view = SCREEN_END;
    draw();
    ui.platform = NULL; /* it goes back to firmware now */
    ui.state.cpus = NULL;
}

/* A log cannot show views: it says the keys, and what was chosen happens. */
static void say_menu(uint32_t seconds)
{
    if (ui.kind == UI_SCREEN)
        return;
    console_plain("\n", 1);
    console_say("S power off, R reboot, B back to firmware, A run again%s%s", ui.has_qr ? ", C QR code" : "",
                ui.n_failed ? ", F only what did not pass" : "");
    if (seconds > 0)
        console_say("Back to firmware in %u s; any key cancels.", seconds);
}

/* A log clears the screen for it, and continues below. */
static void show_code(void)
{
    struct console_abilities console = abilities();
    enum screen_view back = ui.state.view == SCREEN_QR ? SCREEN_END : SCREEN_QR;

    if (ui.kind != UI_SCREEN && ui.view != SCREEN_END) /* no run finished */
        return;
    ui.state.view = back;
    ui.state.qr_kind = controls_qr_kind(&console, ui.has_qr ? ui.qr.size : 0);
    if (ui.kind == UI_SCREEN) {
        draw();
    } else if (back == SCREEN_QR) {
        choose_keys();
        screen_draw(&ui.screen, &ui.state);
        console_screen(&ui.screen);
    } else {
        console_log();
        say_menu(0);
    }
    if (ui.state.view == SCREEN_QR && ui.state.qr_kind == SCREEN_QR_PIXELS && !console_pixels(&ui.qr))
        screen_say(&ui.state, "", ui.state.qr_text);
}

static void take_menu_key(uint32_t key)
{
    if (ui.state.view == SCREEN_LIST && controls_list_key(&ui.state, ui.screen.columns, ui.screen.rows, key))
        return;
    if (controls_end_key(&ui.state, key))
        show_code();
}

static void show_clock(uint32_t seconds)
{
    ui.state.notice[0] = '\0';
    if (seconds > 0)
        text_format(ui.state.notice, sizeof ui.state.notice, "Back to firmware in %u s; any key cancels", seconds);
    draw();
}

enum menu_answer ui_menu(uint32_t seconds)
{
    enum menu_answer answer;
    uint32_t left = seconds * 50;

    for (unsigned i = 0; i < 64 && console_key() != 0; i++)
        ;
    shell_watchdog_disarm(ui.st); /* a reader may take longer than firmware waits */
    ui.in_menu = true;
    say_menu(seconds);
    show_clock(seconds);
    while (seconds == 0 || left > 0) {
        uint32_t key = console_key();

        if (key == 0) {
            ui.st->BootServices->Stall(20000);
            if (seconds > 0 && --left % 50 == 0)
                show_clock(left / 50);
            continue;
        }
        answer = controls_answer(key, ui.n_failed > 0);
        if (answer != ANSWER_NONE)
            return answer;
        seconds = 0;
        take_menu_key(key);
        if (ui.state.view != SCREEN_QR)
            show_clock(0);
    }
    return ANSWER_BACK;
}

uint32_t ui_failed(const char **ids, uint32_t most)
{
    uint32_t n = ui.n_failed < most ? ui.n_failed : most;

    memcpy(ids, ui.failed, n * sizeof *ids);
    return n;
}

void ui_close(void)
{
    const struct verdict_counts *c = &ui.state.counts;

    console_listen(NULL);
    if (ui.kind != UI_SCREEN)
        return;
    console_mode_back();
    console_log();
    console_show(true);
    ui.kind = UI_LINES;
    if (ui.view != SCREEN_END)
        return;
    console_say("report: %s", ui.state.report);
    console_say("checks: %u PASS, %u FAIL, %u WARN, %u SKIP, %u ERROR", c->pass, c->fail, c->warn, c->skip, c->error);
    console_say("RESULT: %s", run_result_text(ui.state.result));
}

void ui_list_checks(void)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        char needs[160];

        check_needs_text(row, needs, sizeof(needs));
        console_say("%-26s %s", row->id, row->title);
        console_say("%-26s   needs %s; %s%s", "", needs, row->covers, row->slow ? "; not with -quick" : "");
    }
}

void ui_list_json(void)
{
    struct json j = { 0 };

    for (const struct check_row *row = check_next(NULL), *next; row; row = next) {
        next = check_next(row);
        json_reset(&j);
        check_as_json(row, &j);
        console_say("%s%s%s", row == check_next(NULL) ? "{\"checks\":[" : "", j.text, next ? "," : "]}");
    }
    json_free(&j);
}
