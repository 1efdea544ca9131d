/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/json.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

void json_reset(struct json *j)
{
    j->length = 0;
    j->failed = ST_OK;
    j->depth = 0;
    j->filled = 0;
}

void json_free(struct json *j)
{
    heap_free(j->text);
    memset(j, 0, sizeof *j);
}

static bool room_for(struct json *j, size_t more)
{
    if (!j)
        return false;
    if (j->failed == ST_OK && !HEAP_GROW(&j->text, &j->capacity, j->length + more + 1))
        j->failed = ST_NO_MEMORY;
    return j->failed == ST_OK;
}

enum status json_reserve(struct json *j, size_t bytes)
{
    return room_for(j, bytes) ? ST_OK : j->failed;
}

static void json_append(struct json *j, const char *bytes, size_t n)
{
    if (!room_for(j, n))
        return;
    memcpy(j->text + j->length, bytes, n);
    j->length += n;
    j->text[j->length] = '\0';
}

/* '<' does not, so that the stream can stand in a page. */
static bool stands_for_itself(unsigned char byte)
{
    return byte >= 0x20 && byte <= 0x7E && byte != '"' && byte != '\\' && byte != '<';
}

static void append_quoted(struct json *j, const char *value)
{
    json_append(j, "\"", 1);
    for (const char *c = value; *c; c++) {
        unsigned char byte;
        char escape[8];
        size_t n = 0;

        while (stands_for_itself((unsigned char)c[n]))
            n++;
        json_append(j, c, n);
        c += n;
        byte = (unsigned char)*c;
        if (byte == '\0')
            break;
        n = text_format(escape, sizeof escape, byte == '"' || byte == '\\' ? "\\%c" : "\\u%04x", byte);
        json_append(j, escape, n);
    }
    json_append(j, "\"", 1);
}

/* Comma and key: what stands before every value. */
static void lead_in(struct json *j, const char *key)
{
    if (!j)
        return;
    if (j->filled & UINT32_C(1) << j->depth % JSON_DEPTH)
        json_append(j, ",", 1);
    j->filled |= UINT32_C(1) << j->depth % JSON_DEPTH;
    if (!key)
        return;
    append_quoted(j, key);
    json_append(j, ":", 1);
}

static void json_begin_item(struct json *j, const char *key, const char *opening, char closing)
{
    if (!j)
        return;
    if (j->depth + 1 >= JSON_DEPTH)
        j->failed = status_first(j->failed, ST_RANGE);
    if (j->failed != ST_OK)
        return;
    lead_in(j, key);
    json_append(j, opening, 1);
    j->closing[j->depth++] = closing;
    j->filled &= ~(UINT32_C(1) << j->depth);
}

void json_object(struct json *j, const char *key)
{
    json_begin_item(j, key, "{", '}');
}

void json_array(struct json *j, const char *key)
{
    json_begin_item(j, key, "[", ']');
}

void json_end(struct json *j)
{
    if (!j)
        return;
    if (j->depth == 0)
        j->failed = status_first(j->failed, ST_RANGE);
    if (j->failed != ST_OK)
        return;
    json_append(j, &j->closing[--j->depth], 1);
}

void json_text(struct json *j, const char *key, const char *value)
{
    lead_in(j, key);
    append_quoted(j, value ? value : "");
}

void json_format(struct json *j, const char *key, const char *format, ...)
{
    char value[640];
    va_list args;

    va_start(args, format);
    if (text_vformat(value, sizeof value, format, args) >= sizeof value)
        memcpy(value + sizeof value - 4, "...", 4); /* cut, and to be seen as cut */
    va_end(args);
    json_text(j, key, value);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
    char digits[24];

    lead_in(j, key);
    size_t n = text_format(digits, sizeof digits, "%lu", value);

    json_append(j, digits, n);
}

void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits)
{
    json_format(j, key, "0x%0*lx", (int)digits, value);
}

void json_verbatim(struct json *j, const char *key, const char *text)
{
    lead_in(j, key);
    json_append(j, text, strlen(text));
}

void json_bool(struct json *j, const char *key, bool value)
{
    json_verbatim(j, key, value ? "true" : "false");
}

void json_decimal(struct json *j, const char *key, double value)
{
    double amount = value < 0 ? -value : value;
    char digits[40];
    unsigned exponent = 0;

    if (!(value - value == 0)) {
        json_text(j, key, value > 0 ? "inf" : value < 0 ? "-inf" : "nan");
        return;
    }
    lead_in(j, key);
    while (amount >= 0x1p63) {
        amount /= 10;
        exponent++;
    }
    size_t n = text_decimal(digits, sizeof digits, value < 0 ? -amount : amount);
    if (exponent > 0)
        n += text_format(digits + n, sizeof digits - n, "e%u", exponent);
    json_append(j, digits, n);
}
