/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/text.h"

#include <string.h>

/* --- formatting --------------------------------------------------------------------------------------------------- */

struct out {
    char *text;
    size_t size, length;
};

static void put(struct out *o, char c)
{
    if (o->length + 1 < o->size)
        o->text[o->length] = c;
    o->length++;
}

static void put_bytes(struct out *o, const char *bytes, size_t n)
{
    size_t room = o->length + 1 < o->size ? o->size - 1 - o->length : 0;

    if (room > 0)
        memcpy(o->text + o->length, bytes, n < room ? n : room);
    o->length += n;
}

static void put_times(struct out *o, char c, size_t n)
{
    while (n-- > 0)
        put(o, c);
}

struct spec { /* one conversion: flags, width, precision, size of its argument */
    bool left, zero, longer, size, has_precision;
    size_t width, precision;
};

static void put_text(struct out *o, const struct spec *s, const char *text)
{
    size_t length = 0;

    if (!text)
        text = "(null)";
    while ((!s->has_precision || length < s->precision) && text[length] != '\0')
        length++;
    size_t pad = s->width > length ? s->width - length : 0;
    if (!s->left)
        put_times(o, ' ', pad);
    put_bytes(o, text, length);
    if (s->left)
        put_times(o, ' ', pad);
}

static void put_number(struct out *o, const struct spec *s, uint64_t value, unsigned base, bool upper,
                       const char *prefix)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[24];
    size_t n = 0, length = strlen(prefix);

    do {
        reversed[n++] = digits[value % base];
        value /= base;
    } while (value != 0);
    length += n;
    size_t pad = s->width > length ? s->width - length : 0;
    if (!s->left && !s->zero)
        put_times(o, ' ', pad);
    for (; *prefix; prefix++)
        put(o, *prefix);
    if (!s->left && s->zero)
        put_times(o, '0', pad);
    while (n > 0)
        put(o, reversed[--n]);
    if (s->left)
        put_times(o, ' ', pad);
}

/* Digits or '*' at *format. A negative '*' width means '-' and its amount, as in C. */
static size_t read_amount(const char **format, int starred, bool *left)
{
    size_t n = 0;

    if (**format == '*') {
        (*format)++;
        if (starred >= 0)
            return (size_t)starred;
        if (left)
            *left = true;
        return (size_t) - (int64_t)starred;
    }
    while (**format >= '0' && **format <= '9') {
        if (n < 10000)
            n = n * 10 + (size_t)(**format - '0');
        (*format)++;
    }
    return n;
}

static const char *read_flags(struct spec *s, const char *f)
{
    for (;; f++) {
        if (*f == '-')
            s->left = true;
        else if (*f == '0')
            s->zero = true;
        else
            return f;
    }
}

static const char *read_size(struct spec *s, const char *f)
{
    for (;; f++) {
        if (*f == 'l')
            s->longer = true;
        else if (*f == 'z')
            s->size = true;
        else
            return f;
    }
}

size_t text_vformat(char *out, size_t size, const char *format, va_list args)
{
    struct out o = { .text = out, .size = size };

    for (const char *f = format; *f; f++) {
        struct spec s = { 0 };

        if (*f != '%') {
            put(&o, *f);
            continue;
        }
        f = read_flags(&s, f + 1);
        s.width = read_amount(&f, *f == '*' ? va_arg(args, int) : 0, &s.left);
        if (*f == '.') {
            f++;
            s.has_precision = true;
            s.precision = read_amount(&f, *f == '*' ? va_arg(args, int) : 0, NULL);
        }
        f = read_size(&s, f);
        if (*f == 's') {
            put_text(&o, &s, va_arg(args, const char *));
        } else if (*f == 'c') {
            char c[2] = { (char)va_arg(args, int), '\0' };

            put_text(&o, &s, c);
        } else if (*f == 'd') {
            int64_t value = s.longer || s.size ? va_arg(args, int64_t) : va_arg(args, int);

            put_number(&o, &s, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, false, value < 0 ? "-" : "");
        } else if (*f == 'u' || *f == 'x' || *f == 'X') {
            uint64_t value = s.longer || s.size ? va_arg(args, uint64_t) : va_arg(args, unsigned);

            put_number(&o, &s, value, *f == 'u' ? 10 : 16, *f == 'X', "");
        } else if (*f == 'p') {
            put_number(&o, &s, (uint64_t)(uintptr_t)va_arg(args, void *), 16, false, "0x");
        } else if (*f == '%') {
            put(&o, '%');
        } else { /* not one of ours: shown as it stands, so that a test or a reader sees it */
            put(&o, '%');
            if (*f == '\0')
                break;
            put(&o, *f);
        }
    }
    if (size > 0)
        out[o.length < size ? o.length : size - 1] = '\0';
    return o.length;
}

size_t text_format(char *out, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    size_t length = text_vformat(out, size, format, args);
    va_end(args);
    return length;
}

size_t text_append(char *out, size_t size, size_t n, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    n += text_vformat(n < size ? out + n : NULL, n < size ? size - n : 0, format, args);
    va_end(args);
    return n;
}

size_t text_decimal(char *out, size_t size, double value)
{
    bool negative = value < 0;
    double amount = negative ? -value : value;
    char decimals[8];

    if (!(amount < 0x1p63)) /* also: not a number */
        return text_format(out, size, "null");
    uint64_t whole = (uint64_t)amount;
    uint64_t millionths = (uint64_t)((amount - (double)whole) * 1e6 + 0.5);
    if (millionths >= 1000000) {
        whole++;
        millionths = 0;
    }
    if (whole == 0 && millionths == 0)
        negative = false;
    if (millionths == 0)
        return text_format(out, size, "%s%lu", negative ? "-" : "", whole);
    size_t n = text_format(decimals, sizeof decimals, "%06lu", millionths);
    while (decimals[n - 1] == '0')
        decimals[--n] = '\0';
    return text_format(out, size, "%s%lu.%s", negative ? "-" : "", whole, decimals);
}

/* --- comparing and reading ---------------------------------------------------------------------------------------- */

const char *text_find(const char *text, const char *part)
{
    size_t n = strlen(part);

    for (; *text; text++)
        if (strncmp(text, part, n) == 0)
            return text;
    return NULL;
}

bool text_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void text_lower(char *text)
{
    for (; *text; text++)
        *text = lower(*text);
}

bool text_equal_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool text_matches(const char *pattern, const char *text)
{
    const char *after_star = NULL, *retry = NULL; /* where the last '*' could take one character more */

    while (*text) {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (after_star) {
            pattern = after_star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool text_matches_any(const char *patterns, const char *text)
{
    char pattern[64];

    while (patterns && *patterns) {
        const char *end = text_find(patterns, " ");
        size_t n = end ? (size_t)(end - patterns) : strlen(patterns);

        text_format(pattern, sizeof pattern, "%.*s", (int)n, patterns);
        if (text_matches(pattern, text))
            return true;
        patterns = end ? end + 1 : NULL;
    }
    return false;
}

int text_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

/* Of a digit to that base; else -1. */
static int digit(char c, unsigned base)
{
    int value = text_hex_digit(c);

    return value < (int)base ? value : -1;
}

/* The number at the start of text; *end is what follows it. */
static bool read_number(const char *text, uint64_t *value, const char **end)
{
    unsigned base = 10;
    uint64_t n = 0;

    if (text[0] == '0' && lower(text[1]) == 'x') {
        base = 16;
        text += 2;
    }
    if (digit(*text, base) < 0)
        return false;
    for (; digit(*text, base) >= 0; text++) {
        uint64_t d = (uint64_t)digit(*text, base);

        if (n > (UINT64_MAX - d) / base)
            return false;
        n = n * base + d;
    }
    *value = n;
    *end = text;
    return true;
}

bool text_number(const char *text, uint64_t *value)
{
    const char *end;
    uint64_t n;

    if (!read_number(text, &n, &end) || *end != '\0')
        return false;
    *value = n;
    return true;
}

bool text_size(const char *text, uint64_t *bytes)
{
    static const char suffixes[] = "kmgt";
    const char *end;
    uint64_t n;
    unsigned shift = 0;

    if (!read_number(text, &n, &end))
        return false;
    if (*end != '\0') {
        const char *s = suffixes;

        while (*s && *s != lower(*end))
            s++;
        if (!*s || end[1] != '\0')
            return false;
        shift = 10 * (unsigned)(s - suffixes + 1);
    }
    if (n > UINT64_MAX >> shift)
        return false;
    *bytes = n << shift;
    return true;
}

size_t text_distance(const char *text, const char *name)
{
    size_t row[128], n = 0, before, above, best;

    for (; name[n] && n + 1 < sizeof row / sizeof *row; n++)
        row[n] = n;
    row[n] = n;
    for (size_t i = 1; *text; i++, text++) {
        before = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            above = row[k];
            best = above < row[k - 1] ? above + 1 : row[k - 1] + 1;
            before += lower(*text) != lower(name[k - 1]);
            row[k] = before < best ? before : best;
            before = above;
        }
    }
    return row[n];
}
