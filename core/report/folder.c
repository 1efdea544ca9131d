/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/folder.h"

#include "core/base/text.h"

/* A text that many machines have is recognized by its form: each maker of boards ships with another one. */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Words: no digit, and a vowel, a small letter or a space; or one digit, as in "Chassis Serial Number 1", and small letters
 * with a vowel. Dell's service tags are capitals without a vowel. */
static bool is_words(const char *text)
{
    bool speaks = false, says = false;
    size_t digits = 0;

    for (; *text != '\0'; text++) {
        char letter[] = { *text, '\0' };

        digits += is_digit(*text);
        says = says || text_find("aeiou", letter);
        speaks = speaks || (!is_digit(*text) && (*text < 'A' || *text > 'Z' || text_find("AEIOU", letter)));
    }
    return digits == 0 ? speaks : digits == 1 && says;
}

static bool is_next(unsigned a, unsigned b)
{
    return b == ((a + 1) & 15) || (a == 9 && b == 0);
}

/* "0123456789", "987654321", "MB-1234567890", "C80-0123456789": digits that count, six at least, to the end of the text, or
 * three that are all of it. */
static bool is_counting(const char *text)
{
    const char *begin = text;
    size_t n = 1;
    bool up = true, down = true;

    for (const char *c = text; *c != '\0'; c++)
        if (is_digit(*c) && (c == begin || text_hex_digit(c[-1]) < 0))
            text = c;
    if (!is_digit(*text))
        return false;
    for (; text[n] != '\0'; n++) {
        unsigned a = (unsigned)text_hex_digit(text[n - 1]), b = (unsigned)text_hex_digit(text[n]);

        up = up && b < 16 && is_next(a, b);
        down = down && b < 16 && is_next(b, a);
    }
    return n >= (text == begin ? 3 : 6) && (up || down);
}

static bool is_one_character(const char *text)
{
    size_t same = 0;

    text += text[0] == '0' && text[1] == 'x' ? 2 : 0;
    while (text[same] != '\0' && text[same] == text[0])
        same++;
    return text[same] == '\0'; /* "", "0000000", "0x00000000", "........" */
}

static bool is_serial(const char *text)
{
    return !is_one_character(text) && !is_words(text) && !is_counting(text);
}

#define UUID_DIGITS 32u

/* How many of a UUID's units of `size` digits follow on the one before. */
static unsigned units_in_order(const unsigned char digits[UUID_DIGITS], unsigned size)
{
    unsigned before = 0, in_order = 0;

    for (unsigned at = 0; at < UUID_DIGITS; at += size) {
        unsigned unit = 0;

        for (unsigned i = 0; i < size; i++)
            unit = unit << 4 | digits[at + i];
        in_order += at > 0 && (size == 1 ? is_next(before, unit) : unit == before + 1);
        before = unit;
    }
    return in_order;
}

/* Digits, bytes or 16-bit words of which more than half count, digits that stay or count, or a part that repeats. */
static bool is_pattern(const unsigned char digits[UUID_DIGITS])
{
    unsigned level = 0;

    for (unsigned size = 1; size <= 4; size *= 2)
        if (2 * units_in_order(digits, size) > UUID_DIGITS / size - 1)
            return true;
    for (unsigned i = 1; i < UUID_DIGITS; i++)
        level += digits[i] == digits[i - 1] || is_next(digits[i - 1], digits[i]);
    if (level >= UUID_DIGITS - 3)
        return true;
    for (unsigned period = 1; period <= 8; period++) {
        unsigned i = period;

        while (i < UUID_DIGITS && digits[i] == digits[i - period])
            i++;
        if (i == UUID_DIGITS)
            return true;
    }
    return false;
}

/* Also in the order of bytes in memory: time_low, time_mid and time_hi_and_version are little endian (DSP0134 7.2.1). */
static bool is_uuid(const char *text)
{
    static const unsigned char memory_order[8] = { 3, 2, 1, 0, 5, 4, 7, 6 };
    unsigned char digits[UUID_DIGITS], swapped[UUID_DIGITS];
    unsigned n = 0;

    for (; *text != '\0'; text++) {
        if (*text == '-')
            continue;
        if (n == UUID_DIGITS || text_hex_digit(*text) < 0)
            return false;
        digits[n++] = (unsigned char)text_hex_digit(*text);
    }
    if (n < UUID_DIGITS)
        return false;
    for (unsigned i = 0; i < UUID_DIGITS; i++)
        swapped[i] = digits[i < 16 ? 2u * memory_order[i / 2] + i % 2 : i];
    return !is_pattern(digits) && !is_pattern(swapped);
}

const char *folder_identity(const struct smbios_info *smbios, const char **from)
{
    if (is_serial(smbios->system_serial_number)) {
        *from = "system-serial-number";
        return smbios->system_serial_number;
    }
    if (is_uuid(smbios->system_uuid)) {
        *from = "system-uuid";
        return smbios->system_uuid;
    }
    if (is_serial(smbios->baseboard_serial_number)) {
        *from = "baseboard-serial-number";
        return smbios->baseboard_serial_number;
    }
    *from = "none";
    return "0";
}

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

size_t folder_machine(const struct smbios_info *smbios, char out[FOLDER_NAME])
{
    const char *serial = is_serial(smbios->system_serial_number)      ? smbios->system_serial_number
                         : is_serial(smbios->baseboard_serial_number) ? smbios->baseboard_serial_number
                         : is_uuid(smbios->system_uuid)               ? smbios->system_uuid
                                                                      : "no-serial";
    size_t n = text_format(out, FOLDER_NAME, "%.40s", serial);

    for (size_t i = 0; i < n; i++)
        if (!is_plain(out[i]))
            out[i] = i == 0 ? '_' : '-'; /* a name that begins with '-' is an option to programs */
    return n;
}

void folder_name(const struct smbios_info *smbios, const struct calendar *clock, char out[FOLDER_NAME])
{
    size_t n = folder_machine(smbios, out);
    uint64_t seconds;

    if (clock && (clock->year > 9999 || !calendar_to_seconds(clock, &seconds))) /* a dead battery leaves any digits */
        clock = NULL;
    text_format(out + n, FOLDER_NAME - n, clock ? "-yyyymmddThhmmss" : "-no-clock");
    if (!clock)
        return;
    calendar_digits(out + n + 1, 4, clock->year);
    calendar_digits(out + n + 5, 2, clock->month);
    calendar_digits(out + n + 7, 2, clock->day);
    calendar_digits(out + n + 10, 2, clock->hour);
    calendar_digits(out + n + 12, 2, clock->minute);
    calendar_digits(out + n + 14, 2, clock->second);
}
