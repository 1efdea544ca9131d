/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/options/load_options.h"

#include "core/base/text.h"

#define BYTE_ORDER_MARK 0xFEFFu /* some firmware leaves one in front */

static enum status no_text(size_t n, char *text, size_t size)
{
    text_format(text, size, "%zu bytes", n);
    return ST_CORRUPT;
}

enum status load_options_text(const unsigned char *bytes, size_t n, char *text, size_t size)
{
    size_t out = 0;

    text[0] = '\0';
    if (n % 2 != 0)
        return no_text(n, text, size);
    for (size_t i = 0; i < n; i += 2) {
        unsigned c = bytes[i] | (unsigned)bytes[i + 1] << 8;

        if (c == 0)
            break;
        if (i == 0 && c == BYTE_ORDER_MARK)
            continue;
        if (c == '\t' || c == '\r' || c == '\n')
            c = ' ';
        if (c < ' ')
            return no_text(n, text, size);
        if (c > '~' || out + 1 >= size)
            return ST_RANGE;
        text[out++] = (char)c;
        text[out] = '\0';
    }
    return ST_OK;
}

static const char *word_after(const char *text)
{
    while (*text && *text != ' ')
        text++;
    while (*text == ' ')
        text++;
    return text;
}

bool load_options_are_foreign(const char *text)
{
    const char *second;

    while (*text == ' ')
        text++;
    second = word_after(text);
    return *text != '\0' && *text != '-' && *second != '\0' && *second != '-';
}
