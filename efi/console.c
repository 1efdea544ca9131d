#include "efi/console.h"

#include <string.h>

#include "core/text.h"

static EFI_SYSTEM_TABLE *st;
static bool shown = true;
static bool progress_there; /* a progress line is on the screen, the cursor stands behind it */
static UINTN attribute;     /* as found                                                      */

static void put(const char *text, size_t length)
{
    CHAR16 wide[130];
    size_t n = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            wide[n++] = L'\r';
        wide[n++] = (CHAR16)(unsigned char)text[i];
        if (n >= sizeof(wide) / sizeof(wide[0]) - 3 || i + 1 == length) {
            wide[n] = 0;
            st->ConOut->OutputString(st->ConOut, wide);
            n = 0;
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
    st = system;
    attribute = (UINTN)st->ConOut->Mode->Attribute;
    st->ConOut->EnableCursor(st->ConOut, FALSE);
}

void console_show(bool on)
{
    shown = on;
}

static void take_progress_away(void)
{
    static const char blank[] = "\r                                                                              \r";

    if (progress_there)
        put(blank, sizeof(blank) - 1);
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
        put(text + from, i - from);
        st->ConOut->SetAttribute(st->ConOut, colour | (attribute & 0x70));
        put(text + i, n);
        st->ConOut->SetAttribute(st->ConOut, attribute);
        i += n;
        from = i;
    }
    put(text + from, length - from);
}

void console_write(const char *text, size_t length)
{
    if (!shown)
        return;
    take_progress_away();
    write_coloured(text, length);
}

void console_write_always(const char *text)
{
    take_progress_away();
    write_coloured(text, strlen(text));
}

void console_say(const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    text_vformat(line, sizeof(line), format, args);
    va_end(args);
    take_progress_away();
    write_coloured(line, strlen(line));
    put("\n", 1);
}

void console_progress(const char *format, ...)
{
    char line[79]; /* one short of 80: the last column would scroll */
    va_list args;

    if (!shown)
        return;
    va_start(args, format);
    text_vformat(line, sizeof(line), format, args);
    va_end(args);
    take_progress_away();
    put(line, strlen(line));
    progress_there = line[0] != '\0';
}

uint32_t console_key(void)
{
    EFI_INPUT_KEY key;

    if (!st->ConIn || EFI_ERROR(st->ConIn->ReadKeyStroke(st->ConIn, &key)))
        return 0;
    return key.UnicodeChar ? key.UnicodeChar : 0x100u | key.ScanCode;
}
