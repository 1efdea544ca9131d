/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/console/console.h"

#include <string.h>

#include "core/base/text.h"

static EFI_SYSTEM_TABLE *st;
static bool shown = true;
static bool progress_there;   /* a progress line is on the screen, the cursor stands after it */
static UINTN attribute;       /* as found                                                      */
static INT32 mode_found = -1; /* before console_largest(); -1: it is the present one           */
static bool page_breaks;
static uint32_t page_rows; /* of this page that are full */
static void (*listener)(const char *line, bool passing);
static struct screen_cell before[CONSOLE_COLUMNS * CONSOLE_ROWS]; /* what the screen shows */
static uint32_t before_columns, before_rows;                      /* 0: nothing of ours    */
static bool has_halves;
static bool has_blocks; /* the console can show GLYPH_FULL and its like */

/* Waits after a full page. Esc or Q: no more pages. */
static void turn_page(void)
{
    static CHAR16 prompt[] = L"-- any key: next page, Q: no more page breaks --";
    static CHAR16 blank[] = L"\r                                                \r";
    uint32_t key;

    page_rows = 0;
    if (!st->ConIn) { /* there is no key to wait for */
        page_breaks = false;
        return;
    }
    st->ConOut->OutputString(st->ConOut, prompt);
    while ((key = console_key()) == 0)
        st->BootServices->Stall(20000);
    if (key == 'q' || key == 'Q' || key == (0x100u | SCAN_ESC))
        page_breaks = false;
    st->ConOut->OutputString(st->ConOut, blank);
}

static void console_put(const char *text, size_t length)
{
    CHAR16 wide[130];
    size_t n = 0;
    uint32_t columns, rows;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            wide[n++] = L'\r';
        wide[n++] = (CHAR16)(unsigned char)text[i];
        if (n >= sizeof(wide) / sizeof(wide[0]) - 3 || i + 1 == length) {
            wide[n] = 0;
            st->ConOut->OutputString(st->ConOut, wide);
            n = 0;
        }
        if (text[i] == '\n' && page_breaks) {
            console_size(&columns, &rows);
            wide[n] = 0;
            st->ConOut->OutputString(st->ConOut, wide);
            n = 0;
            if (++page_rows + 1 >= rows)
                turn_page();
        }
    }
}

/* The words that the text report puts in its status column, and the last line. */
static const struct {
    const char *word;
    UINTN colour;
} colours[] = {
    { "PASS", EFI_LIGHTGREEN }, { "FAIL", EFI_LIGHTRED },      { "WARN", EFI_YELLOW },
    { "SKIP", EFI_LIGHTCYAN },  { "ERROR", EFI_LIGHTMAGENTA },
};

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Length of a status word at text, and its colour; 0: none there. */
static size_t status_word(const char *text, size_t length, UINTN *colour)
{
    for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
        size_t n = strlen(colours[i].word);

        if (length >= n && memcmp(text, colours[i].word, n) == 0 && (length == n || !is_word(text[n]))) {
            *colour = colours[i].colour;
            return n;
        }
    }
    return 0;
}

void console_init(EFI_SYSTEM_TABLE *system)
{
    static CHAR16 blocks[] = { GLYPH_FULL, GLYPH_SHADE, GLYPH_LINE, 0 };
    static CHAR16 halves[] = { GLYPH_UPPER, GLYPH_LOWER, GLYPH_FULL, 0 };

    st = system;
    attribute = st->ConOut->Mode ? (UINTN)st->ConOut->Mode->Attribute : EFI_LIGHTGRAY;
    st->ConOut->EnableCursor(st->ConOut, FALSE);
    has_halves = !EFI_ERROR(st->ConOut->TestString(st->ConOut, halves));
    has_blocks = !EFI_ERROR(st->ConOut->TestString(st->ConOut, blocks));
}

void console_page_breaks(bool on)
{
    page_breaks = on;
}

void console_listen(void (*who)(const char *line, bool passing))
{
    listener = who;
}

void console_show(bool on)
{
    shown = on;
}

static void take_progress_away(void)
{
    static const char blank[] = "\r                                                                              \r";

    if (progress_there)
        console_put(blank, sizeof(blank) - 1);
    progress_there = false;
}

static void write_coloured(const char *text, size_t length)
{
    size_t from = 0;

    for (size_t i = 0; i < length;) {
        UINTN colour = 0;
        size_t n = i == 0 || !is_word(text[i - 1]) ? status_word(text + i, length - i, &colour) : 0;

        if (n == 0) {
            i++;
            continue;
        }
        console_put(text + from, i - from);
        st->ConOut->SetAttribute(st->ConOut, colour | (attribute & 0x70));
        console_put(text + i, n);
        st->ConOut->SetAttribute(st->ConOut, attribute);
        i += n;
        from = i;
    }
    console_put(text + from, length - from);
}

void console_write(const char *text, size_t length)
{
    if (!shown)
        return;
    take_progress_away();
    write_coloured(text, length);
}

void console_plain(const char *text, size_t length)
{
    take_progress_away();
    console_put(text, length);
}

void console_write_always(const char *text)
{
    take_progress_away();
    write_coloured(text, strlen(text));
}

void console_say(const char *format, ...)
{
    char line[512];

    TEXT_OF_ARGS(line, format);
    if (listener) {
        listener(line, false);
        return;
    }
    take_progress_away();
    write_coloured(line, strlen(line));
    console_put("\n", 1);
}

void console_progress(const char *format, ...)
{
    char line[79]; /* one short of 80: the last column would scroll */

    if (!shown && !listener)
        return;
    TEXT_OF_ARGS(line, format);
    if (listener) {
        listener(line, true);
        return;
    }
    take_progress_away();
    console_put(line, strlen(line));
    progress_there = line[0] != '\0';
}

uint32_t console_key(void)
{
    EFI_INPUT_KEY key;

    if (!st->ConIn || EFI_ERROR(st->ConIn->ReadKeyStroke(st->ConIn, &key)))
        return 0;
    return key.UnicodeChar ? key.UnicodeChar : 0x100u | key.ScanCode;
}

/* --- the screen --------------------------------------------------------------------------------------------------- */

static void size_of(SIMPLE_TEXT_OUTPUT_INTERFACE *out, uint32_t *columns, uint32_t *rows)
{
    UINTN c = 0, r = 0;

    if (!out->Mode || EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &c, &r)) || c == 0 || r == 0)
        return;
    *columns = c < *columns ? (uint32_t)c : *columns;
    *rows = r < *rows ? (uint32_t)r : *rows;
}

/* Firmware shows the same on a picture and on a serial line, and says the size of the picture; a line that is narrower
 * refuses to place the cursor beyond its end. So it is the smallest of all that counts, but for standard error, which EDK2 has
 * as a console of its own, with a mode of its own, over the same devices. */
void console_size(uint32_t *columns, uint32_t *rows)
{
    static EFI_GUID guid = SIMPLE_TEXT_OUTPUT_PROTOCOL;
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    EFI_HANDLE *handles;
    UINTN n = 0;

    *columns = CONSOLE_COLUMNS;
    *rows = CONSOLE_ROWS;
    size_of(st->ConOut, columns, rows);
    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &guid, NULL, &n, &handles)))
        return;
    for (UINTN i = 0; i < n; i++)
        if (handles[i] != st->StandardErrorHandle &&
            !EFI_ERROR(st->BootServices->HandleProtocol(handles[i], &guid, (void **)&out)))
            size_of(out, columns, rows);
    st->BootServices->FreePool(handles);
}

/* Whether all that the console shows is pictures: a terminal on a serial line has the size that its window has. */
static bool is_picture_alone(void)
{
    static EFI_GUID text = SIMPLE_TEXT_OUTPUT_PROTOCOL, gop = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_HANDLE *handles;
    bool alone = true;
    UINTN n = 0;
    VOID *there;

    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &text, NULL, &n, &handles)))
        return false;
    for (UINTN i = 0; i < n; i++)
        if (handles[i] != st->ConsoleOutHandle && handles[i] != st->StandardErrorHandle &&
            EFI_ERROR(st->BootServices->HandleProtocol(handles[i], &gop, &there)))
            alone = false;
    st->BootServices->FreePool(handles);
    return alone;
}

/* EDK2's standard error, over the same serial line, leaves that line in another mode than the console's: 80 x 50 beside 100 x 31. The
 * console's own mode, set again, is the mode of all that it shows; by way of mode 0 (80 x 25), since EDK2 takes the present one for
 * set already. */
static void console_mode_again(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = st->ConOut;
    UINTN mode = (UINTN)out->Mode->Mode;
    uint32_t columns = CONSOLE_COLUMNS, rows = CONSOLE_ROWS, all_columns, all_rows;

    size_of(out, &columns, &rows);
    console_size(&all_columns, &all_rows);
    if (mode == 0 || (all_columns == columns && all_rows == rows))
        return;
    (void)out->SetMode(out, 0);
    (void)out->SetMode(out, mode);
    out->EnableCursor(out, FALSE);
}

void console_largest(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = st->ConOut;
    UINTN c, r, best = 0, mode = (UINTN)-1;

    if (!out->Mode || mode_found >= 0 || EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &c, &r)))
        return;
    if (!is_picture_alone()) {
        console_mode_again();
        return;
    }
    best = c * r;
    for (INTN i = 0; i < out->Mode->MaxMode; i++)
        if (!EFI_ERROR(out->QueryMode(out, (UINTN)i, &c, &r)) && c * r > best && c <= CONSOLE_COLUMNS &&
            r <= CONSOLE_ROWS) {
            best = c * r;
            mode = (UINTN)i;
        }
    if (mode == (UINTN)-1)
        return;
    mode_found = out->Mode->Mode;
    if (EFI_ERROR(out->SetMode(out, mode)))
        mode_found = -1;
    out->EnableCursor(out, FALSE);
}

void console_mode_back(void)
{
    if (mode_found >= 0)
        (void)st->ConOut->SetMode(st->ConOut, (UINTN)mode_found);
    mode_found = -1;
}

static EFI_GRAPHICS_OUTPUT_PROTOCOL *graphics(void)
{
    static EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    VOID *gop;

    return EFI_ERROR(st->BootServices->LocateProtocol(&guid, NULL, &gop)) ? NULL : gop;
}

bool console_has_graphics(void)
{
    return graphics() != NULL;
}

bool console_has_halves(void)
{
    return has_halves;
}

/* A rectangle of one colour. Source: UEFI specification 2.10, 12.9.2.3 Blt(), EfiBltVideoFill. */
static void fill_pixels(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, bool light, UINTN x, UINTN y, UINTN width, UINTN height)
{
    EFI_GRAPHICS_OUTPUT_BLT_PIXEL pixel = { 0, 0, 0, 0 };

    if (light)
        pixel.Red = pixel.Green = pixel.Blue = 0xFF;
    gop->Blt(gop, &pixel, EfiBltVideoFill, 0, 0, x, y, width, height, 0);
}

/* Firmware's console font is 8 x 19 and its text stands in the middle of the picture; where another one differs, the
 * code is smaller or larger than the room beside the text, and no less readable. */
#define FONT_WIDTH 8u

bool console_pixels(const struct qr *q)
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = graphics();
    uint32_t columns, rows, side = q->size + 2 * QR_QUIET, room, scale, x, y, width, height;

    if (!gop || !gop->Mode || !gop->Mode->Info)
        return false;
    width = gop->Mode->Info->HorizontalResolution;
    height = gop->Mode->Info->VerticalResolution;
    console_size(&columns, &rows);
    room = columns * FONT_WIDTH * 11 / 20; /* of the width of the text; the rest is beside it */
    room = room < width / 2 ? room : width / 2;
    room = room < height * 7 / 10 ? room : height * 7 / 10;
    scale = room / side;
    if (scale == 0)
        return false;
    x = width > columns * FONT_WIDTH ? (width - columns * FONT_WIDTH) / 2 : 0;
    y = (height - side * scale) / 2;
    fill_pixels(gop, true, x, y, (UINTN)side * scale, (UINTN)side * scale);
    for (uint32_t row = 0; row < q->size; row++)
        for (uint32_t column = 0; column < q->size; column++)
            if (q->dark[row][column])
                fill_pixels(gop, false, x + (UINTN)(column + QR_QUIET) * scale, y + (UINTN)(row + QR_QUIET) * scale,
                            scale, scale);
    before_columns = before_rows = 0;
    return true;
}

static CHAR16 glyph_of(uint16_t glyph)
{
    if (glyph < 0x80 || has_blocks || glyph == GLYPH_UPPER || glyph == GLYPH_LOWER)
        return glyph;
    return glyph == GLYPH_LINE ? L'-' : glyph == GLYPH_SHADE ? L':' : L'#';
}

static bool console_cell_same(const struct screen_cell *a, const struct screen_cell *b)
{
    return a->glyph == b->glyph && a->attribute == b->attribute;
}

/* Puts out cells [from, to) of a row, all of one attribute. */
static void console_put_run(uint32_t row, uint32_t from, uint32_t to, const struct screen_cell *cells)
{
    CHAR16 wide[CONSOLE_COLUMNS + 1];

    for (uint32_t c = from; c < to; c++)
        wide[c - from] = glyph_of(cells[c].glyph);
    wide[to - from] = 0;
    st->ConOut->SetCursorPosition(st->ConOut, from, row);
    st->ConOut->SetAttribute(st->ConOut, cells[from].attribute);
    st->ConOut->OutputString(st->ConOut, wide);
}

/* A gap of a few cells that did not change costs less than moving the cursor over a serial line. */
#define GAP 6u

static void console_put_row(uint32_t row, const struct screen_cell *now, struct screen_cell *then, uint32_t columns)
{
    for (uint32_t c = 0; c < columns;) {
        uint32_t end, last;

        if (console_cell_same(&now[c], &then[c])) {
            c++;
            continue;
        }
        for (end = last = c + 1; end < columns && end - last < GAP && now[end].attribute == now[c].attribute; end++)
            if (!console_cell_same(&now[end], &then[end]))
                last = end + 1;
        console_put_run(row, c, last, now);
        c = last;
    }
    memcpy(then, now, columns * sizeof *now);
}

void console_screen(const struct screen *s)
{
    if (s->columns > CONSOLE_COLUMNS || s->rows > CONSOLE_ROWS)
        return;
    if (before_columns != s->columns || before_rows != s->rows) {
        st->ConOut->SetAttribute(st->ConOut, EFI_LIGHTGRAY);
        st->ConOut->ClearScreen(st->ConOut);
        st->ConOut->EnableCursor(st->ConOut, FALSE);
        for (size_t i = 0; i < (size_t)s->columns * s->rows; i++)
            before[i] = (struct screen_cell){ .glyph = ' ', .attribute = EFI_LIGHTGRAY };
        before_columns = s->columns;
        before_rows = s->rows;
    }
    for (uint32_t row = 0; row < s->rows; row++) {
        size_t at = (size_t)row * s->columns;

        console_put_row(row, s->cells + at, before + at, row + 1 < s->rows ? s->columns : s->columns - 1);
    }
    st->ConOut->SetAttribute(st->ConOut, attribute);
}

void console_log(void)
{
    before_columns = before_rows = 0;
    progress_there = false;
    st->ConOut->SetAttribute(st->ConOut, attribute);
    st->ConOut->ClearScreen(st->ConOut);
}
