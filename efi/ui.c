/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/ui.h"

#include <string.h>

#include "core/engine/progress.h"
#include "core/base/text.h"
#include "efi/console.h"
#include "efi/shell.h"

#define REDRAW_MS  250u
#define CPUS_MAX   4096u
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
    uint64_t soak_ms;                           /* 0: no soak */
    uint8_t shown[CPUS_MAX], working[CPUS_MAX]; /* enum screen_cpu: on the screen, and since it was drawn */
    enum screen_view view;                      /* to go back to from help and the list */
    uint32_t n_failed;
    const char *failed[FAILED_MAX];
    struct qr qr;
    bool has_qr;
    bool in_menu; /* keys of the menu are looked at: they are shown from then on */
} ui;

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
    /* nothing failed that could be run again */
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
    const struct screen_key *keys = ui.state.view == SCREEN_LIST ? list_keys
                                    : ui.state.view == SCREEN_QR ? code_keys
                                    : ui.view == SCREEN_END      ? (!ui.in_menu   ? no_keys
                                                                    : ui.n_failed ? end_keys
                                                                                  : passed_keys)
                                                                 : run_keys;

    memcpy(ui.state.keys, keys, sizeof ui.state.keys);
}

static void draw(void)
{
    if (ui.kind != UI_SCREEN)
        return;
    if (ui.view == SCREEN_RUN) {
        ui.state.elapsed_ms = ms_since(ui.began_tsc);
        if (!progress_left(&ui.progress, &ui.state.left_ms))
            ui.state.left_ms = SCREEN_UNKNOWN;
        if (ui.soak_ms > 0) /* it is time that ends a soak, and then the round */
            ui.state.left_ms = ui.soak_ms > ui.state.elapsed_ms ? ui.soak_ms - ui.state.elapsed_ms : SCREEN_UNKNOWN;
    }
    choose_keys();
    screen_draw(&ui.screen, &ui.state);
    console_screen(&ui.screen);
    ui.drawn_tsc = now_tsc();
}

/* What happened since the last time goes to the map. */
static void take_working(void)
{
    uint32_t n = ui.state.n_cpus;

    for (uint32_t i = 0; i < n && ui.platform && i < ui.platform->n_cpus; i++) {
        uint32_t flags = ui.platform->cpus[i].flags;

        ui.shown[i] = flags & CPU_LOST ? SCREEN_CPU_LOST : !(flags & CPU_STARTED) ? SCREEN_CPU_ALONE : ui.working[i];
    }
    memset(ui.working, SCREEN_CPU_IDLE, n);
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
    uint32_t columns, rows;
    bool fits;

    console_size(&columns, &rows);
    fits = columns >= SCREEN_COLUMNS_MIN && rows >= SCREEN_ROWS_MIN;
    ui.kind = o->ui == UI_AUTO ? (console_has_graphics() ? UI_SCREEN : UI_LINES) : o->ui;
    if ((ui.kind == UI_SCREEN && !fits) || o->quiet)
        ui.kind = UI_LINES;
    console_show(!o->quiet && ui.kind == UI_LINES);
    console_page_breaks(o->page_breaks && ui.kind == UI_LINES);
    ui.screen = (struct screen){ .columns = columns, .rows = rows, .cells = ui.cells };
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

static void name_machine(const struct machine *m)
{
    const struct smbios_info *s = &m->smbios;
    struct screen_state *state = &ui.state;
    const struct cpu *ref = &m->cpus[m->reference];
    size_t n;

    text_format(state->machine, sizeof state->machine, "%s%s%s, serial %s",
                s->system_manufacturer[0] ? s->system_manufacturer : "no name", s->system_manufacturer[0] ? " " : "",
                s->system_product_name, s->system_serial_number[0] ? s->system_serial_number : "unknown");
    n = text_format(state->firmware, sizeof state->firmware, "%s %s%s%s",
                    s->bios_vendor[0] ? s->bios_vendor : "unnamed", s->bios_version,
                    s->bios_release_date[0] ? " of " : "", s->bios_release_date);
    if (ref->microcode_status == ST_OK && n < sizeof state->firmware)
        text_format(state->firmware + n, sizeof state->firmware - n, ", microcode 0x%08lx", ref->microcode);
    text_format(state->processor, sizeof state->processor, "%s, %u package%s",
                m->brand[0] ? m->brand : "no brand string", m->n_packages, m->n_packages == 1 ? "" : "s");
}

void ui_machine(const struct machine *m, struct platform *p)
{
    ui.platform = p;
    ui.began_tsc = now_tsc();
    ui.state.virtual_silicon = m->virtual_silicon[0] != '\0';
    ui.state.n_cpus = p->n_cpus < CPUS_MAX ? p->n_cpus : CPUS_MAX;
    ui.state.cpus = ui.shown;
    name_machine(m);
    take_working();
    draw();
}

void ui_checks(const struct engine *e)
{
    progress_begin(&ui.progress, e);
    ui.soak_ms = (uint64_t)e->options->soak_minutes * 60000;
}

void ui_starting(const struct engine *e, const struct check_row *row, uint32_t index, uint32_t total)
{
    (void)e;
    progress_check_begins(&ui.progress, ms_since(ui.began_tsc));
    if (ui.kind == UI_LINES)
        console_progress("%3u/%u  %-26s %s", index + 1, total, row->id, row->title);
    text_format(ui.state.now, sizeof ui.state.now, "%s", row->id);
    text_format(ui.state.title, sizeof ui.state.title, "%s", row->title);
    ui.state.done = index;
    ui.state.total = total;
    memset(ui.working, SCREEN_CPU_IDLE, sizeof ui.working);
    draw();
}

static bool is_failed(const char *id)
{
    for (uint32_t i = 0; i < ui.n_failed; i++)
        if (text_equal(ui.failed[i], id))
            return true;
    return false;
}

void ui_finished(const struct engine *e, const struct check *c)
{
    char text[sizeof ui.state.lines[0].text];
    bool bad = check_verdict(c) != VERDICT_PASS && check_verdict(c) != VERDICT_SKIP;

    progress_check_ended(&ui.progress, e, c, ms_since(ui.began_tsc));
    ui.state.counts = e->run.counts;
    ui.state.done++;
    text_format(text, sizeof text, "%s: %s", c->row->id,
                check_verdict(c) != VERDICT_PASS ? c->state->record.reason : c->row->title);
    screen_say(&ui.state, verdict_text(check_verdict(c)), text);
    if (bad && ui.n_failed < FAILED_MAX && !is_failed(c->row->id))
        ui.failed[ui.n_failed++] = c->row->id;
    take_working();
    draw();
}

void ui_found(const char *mark, const char *text)
{
    screen_say(&ui.state, mark, text);
}

/* The boot processor runs this before it hands tasks out: a few instructions a task. */
void ui_watch(const struct task *tasks, uint32_t n_tasks)
{
    for (uint32_t t = 0; t < n_tasks; t++) {
        uint8_t does = SCREEN_CPU_ASKED;

        for (uint32_t s = 0; s < tasks[t].n_steps; s++)
            if (tasks[t].steps[s].op == STEP_WORK)
                does = SCREEN_CPU_WORK;
        if (tasks[t].cpu < CPUS_MAX && ui.working[tasks[t].cpu] < does)
            ui.working[tasks[t].cpu] = does;
    }
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

#define SCAN(code) (0x100u | (code))

static void ui_take_key(uint32_t key)
{
    switch (key) {
    case SCAN(SCAN_ESC):
    case 'q':
    case 'Q':
    case '0':
        ui.state.stopping = true;
        ui.state.paused = false;
        break;
    case ' ':
    case 'p':
    case 'P':
    case '2':
        ui.state.paused = !ui.state.paused;
        if (ui.kind == UI_LINES)
            console_progress("%s", ui.state.paused ? "paused: Space goes on" : "");
        break;
    case 'd':
    case 'D':
    case '3':
        ui.state.detail = !ui.state.detail;
        break;
    case SCAN(SCAN_F1):
    case 'h':
    case 'H':
    case '1':
        ui.state.view = ui.state.view == SCREEN_HELP ? ui.view : SCREEN_HELP;
        break;
    default:
        break;
    }
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

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* The folder's own name says serial number and time. */
static const char *last_part(const char *path)
{
    const char *part = path;

    for (; *path; path++)
        if (*path == '\\')
            part = path + 1;
    return part;
}

static void make_code(const struct verdict_counts *c, enum run_result result, const char *sha256)
{
    char *text = ui.state.qr_text;

    text_format(text, sizeof ui.state.qr_text, "Assay %s %s %u/%u/%u/%u/%u %.60s SHA256 %s", ui.state.version,
                run_result_text(result), c->pass, c->fail, c->warn, c->skip, c->error, last_part(ui.state.report),
                sha256);
    qr_fold(text);
    ui.has_qr = qr_encode(&ui.qr, text) == ST_OK;
    ui.state.qr = ui.has_qr ? &ui.qr : NULL;
}

void ui_end(const struct engine *e, enum run_result result, const char *sha256)
{
    make_code(&e->run.counts, result, sha256);
    ui.state.counts = e->run.counts;
    ui.state.result = result;
    ui.state.paused = ui.state.stopping = false;
    ui.state.elapsed_ms = ms_since(ui.began_tsc);
    ui.view = ui.state.view = SCREEN_END;
    draw();
    ui.platform = NULL; /* it goes back to firmware now */
    ui.state.cpus = NULL;
}

static void scroll_by(int32_t rows)
{
    uint32_t all = screen_list_rows(&ui.state, ui.screen.columns), page = ui.screen.rows - 6;
    int64_t to = (int64_t)ui.state.scroll + rows, most = all > page ? all - page : 0;

    ui.state.scroll = (uint32_t)(to < 0 ? 0 : to > most ? most : to);
}

/* Keys of the list. true: it was one. */
static bool took_list_key(uint32_t key)
{
    int32_t page = (int32_t)ui.screen.rows - 7;

    switch (key) {
    case SCAN(SCAN_UP):
    case 'u':
    case 'U':
        scroll_by(-1);
        return true;
    case SCAN(SCAN_DOWN):
    case 'n':
    case 'N':
        scroll_by(1);
        return true;
    case SCAN(SCAN_PAGE_UP):
    case '-':
        scroll_by(-page);
        return true;
    case SCAN(SCAN_PAGE_DOWN):
    case '+':
        scroll_by(page);
        return true;
    default:
        return false;
    }
}

/* true: *answer is what was chosen. */
static bool took_answer(uint32_t key, enum ui_answer *answer)
{
    static const struct {
        char key;
        enum ui_answer answer;
    } answers[] = { { 's', UI_SHUTDOWN }, { 'r', UI_REBOOT }, { 'b', UI_BACK }, { 'a', UI_AGAIN }, { 'f', UI_FAILED } };
    uint32_t lower = key >= 'A' && key <= 'Z' ? key + ('a' - 'A') : key;

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (lower != (uint32_t)answers[i].key)
            continue;
        if (answers[i].answer == UI_FAILED && ui.n_failed == 0)
            return false;
        *answer = answers[i].answer;
        return true;
    }
    return false;
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
        console_say("Back to firmware in %u s; any key stops the clock.", seconds);
}

static enum screen_qr kind_of_code(void)
{
    uint32_t columns = ui.screen.columns, rows = ui.screen.rows;

    if (!ui.has_qr)
        return SCREEN_QR_NONE;
    if (console_has_graphics())
        return SCREEN_QR_PIXELS;
    if (console_has_halves() && screen_qr_fits(columns, rows, ui.qr.size, SCREEN_QR_HALVES))
        return SCREEN_QR_HALVES;
    return screen_qr_fits(columns, rows, ui.qr.size, SCREEN_QR_WIDE) ? SCREEN_QR_WIDE : SCREEN_QR_NONE;
}

/* A log clears the screen for it, and goes on behind. */
static void show_code(void)
{
    enum screen_view back = ui.state.view == SCREEN_QR ? SCREEN_END : SCREEN_QR;

    if (ui.kind != UI_SCREEN && ui.view != SCREEN_END) /* no run came to its end */
        return;
    ui.state.view = back;
    ui.state.qr_kind = kind_of_code();
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
    bool in_list = ui.state.view == SCREEN_LIST;

    if (in_list && took_list_key(key))
        return;
    switch (key) {
    case 'v':
    case 'V':
        ui.state.scroll = 0;
        ui.state.view = in_list ? SCREEN_END : SCREEN_LIST;
        break;
    case 'c':
    case 'C':
        show_code();
        break;
    case SCAN(SCAN_ESC):
        if (ui.state.view == SCREEN_QR)
            show_code();
        ui.state.view = SCREEN_END;
        break;
    case 'd':
    case 'D':
        ui.state.detail = !ui.state.detail;
        ui.state.scroll = 0;
        break;
    default:
        break;
    }
}

static void show_clock(uint32_t seconds)
{
    ui.state.notice[0] = '\0';
    if (seconds > 0)
        text_format(ui.state.notice, sizeof ui.state.notice, "Back to firmware in %u s; any key stops the clock",
                    seconds);
    draw();
}

enum ui_answer ui_menu(uint32_t seconds)
{
    enum ui_answer answer = UI_BACK;
    uint32_t left = seconds * 50;

    while (console_key() != 0)
        ;
    watchdog_disarm(ui.st); /* a reader may take longer than firmware waits */
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
        if (took_answer(key, &answer))
            break;
        seconds = 0;
        take_menu_key(key);
        if (ui.state.view != SCREEN_QR)
            show_clock(0);
    }
    return answer;
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
    console_log();
    ui.kind = UI_LINES;
    if (ui.view != SCREEN_END)
        return;
    console_say("report: %s", ui.state.report);
    console_say("checks: %u PASS, %u FAIL, %u WARN, %u SKIP, %u ERROR", c->pass, c->fail, c->warn, c->skip, c->error);
    console_say("RESULT: %s", run_result_text(ui.state.result));
}
