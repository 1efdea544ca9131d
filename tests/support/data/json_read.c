/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/json_read.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64

struct reader {
    const char *start, *at, *end;
    const char *fault;
    int depth;
};

static struct json_value *read_value(struct reader *r);

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static void *refuse(struct reader *r, const char *fault)
{
    if (!r->fault)
        r->fault = fault;
    return NULL;
}

void json_drop(struct json_value *v)
{
    while (v) {
        struct json_value *next = v->next;

        json_drop(v->child);
        free(v->key);
        free(v->text);
        free(v);
        v = next;
    }
}

static bool read_hex4(struct reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = r->at < r->end ? *r->at : '?';
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;

        if (d < 0)
            return false;
        *code = *code << 4 | (uint32_t)d;
    }
    return true;
}

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

/* After the backslash. 0: no such escape. */
static size_t read_escape(struct reader *r, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : '\0';
    const char *found = c ? strchr(from, c) : NULL;
    uint32_t code, low;

    if (found) {
        *out = to[found - from];
        return 1;
    }
    if (c != 'u' || !read_hex4(r, &code) || code == 0)
        return 0;
    if (code >= 0xDC00 && code <= 0xDFFF)
        return 0;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (!take(r, '\\') || !take(r, 'u') || !read_hex4(r, &low) || low < 0xDC00 || low > 0xDFFF)
            return 0;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    return put_utf8(out, code);
}

/* A character above 7FH, copied. 0: not UTF-8 as RFC 3629 has it: what its code point would be written as differs. */
static size_t copy_utf8(struct reader *r, uint32_t first, char *out)
{
    size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2, left = (size_t)(r->end - r->at);
    uint32_t code = first & (0xFFu >> (n + 1));

    if (first < 0xC0 || first >= 0xF8 || left < n - 1)
        return 0;
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)r->at[i - 1] & 0x3F);
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) || put_utf8(out, code) != n ||
        memcmp(out + 1, r->at, n - 1) != 0)
        return 0;
    r->at += n - 1;
    return n;
}

static char *read_text(struct reader *r)
{
    char *text;
    size_t n = 0;

    if (!take(r, '"'))
        return refuse(r, "a text was expected");
    text = malloc((size_t)(r->end - r->at) + 5); /* an escape is never shorter than what it stands for */
    while (r->at < r->end && *r->at != '"') {
        unsigned char c = (unsigned char)*r->at++;

        if (c == '\\') {
            size_t bytes = read_escape(r, text + n);

            if (bytes == 0)
                r->fault = "no such escape";
            n += bytes;
        } else if (c >= 0x80) {
            size_t bytes = copy_utf8(r, c, text + n);

            if (bytes == 0)
                r->fault = "not UTF-8";
            n += bytes;
        } else {
            if (c < 0x20)
                r->fault = "a control character inside a text";
            text[n++] = (char)c;
        }
        if (r->fault)
            break;
    }
    if (!r->fault && !take(r, '"'))
        refuse(r, "a text does not end");
    if (r->fault) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

static size_t read_digits(struct reader *r)
{
    const char *from = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

static bool read_number(struct reader *r, struct json_value *v)
{
    const char *from = r->at;

    take(r, '-');
    if (take(r, '0')) {
        if (read_digits(r) > 0)
            return false;
    } else if (read_digits(r) == 0) {
        return false;
    }
    if (take(r, '.') && read_digits(r) == 0)
        return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        if (read_digits(r) == 0)
            return false;
    }
    v->text = strndup(from, (size_t)(r->at - from));
    v->number = strtod(v->text, NULL);
    v->kind = JSON_NUMBER;
    return true;
}

static bool read_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool has_key(const struct json_value *object, const char *key)
{
    for (const struct json_value *c = object->child; c; c = c->next)
        if (strcmp(c->key, key) == 0)
            return true;
    return false;
}

static bool read_member(struct reader *r, struct json_value *object, struct json_value ***tail)
{
    char *key = NULL;
    struct json_value *member;

    if (object->kind == JSON_OBJECT) {
        skip_blanks(r);
        key = read_text(r);
        if (!key)
            return false;
        if (has_key(object, key))
            refuse(r, "a key stands twice");
        skip_blanks(r);
        if (!r->fault && !take(r, ':'))
            refuse(r, "a colon was expected");
    }
    member = r->fault ? NULL : read_value(r);
    if (!member) {
        free(key);
        return false;
    }
    member->key = key;
    **tail = member;
    *tail = &member->next;
    return true;
}

static bool read_members(struct reader *r, struct json_value *v, char closing)
{
    struct json_value **tail = &v->child;

    skip_blanks(r);
    if (take(r, closing))
        return true;
    if (++r->depth > DEPTH)
        return refuse(r, "nested too deep");
    for (;;) {
        if (!read_member(r, v, &tail))
            return false;
        skip_blanks(r);
        if (take(r, closing))
            break;
        if (!take(r, ','))
            return refuse(r, "a comma was expected");
    }
    r->depth--;
    return true;
}

static bool fill_value(struct reader *r, struct json_value *v)
{
    if (take(r, '{')) {
        v->kind = JSON_OBJECT;
        return read_members(r, v, '}');
    }
    if (take(r, '[')) {
        v->kind = JSON_ARRAY;
        return read_members(r, v, ']');
    }
    if (r->at < r->end && *r->at == '"') {
        v->kind = JSON_TEXT;
        v->text = read_text(r);
        return v->text != NULL;
    }
    if (read_word(r, "true") || read_word(r, "false")) {
        v->kind = JSON_BOOL;
        v->truth = r->at[-1] == 'e' && r->at[-2] == 'u';
        return true;
    }
    if (read_word(r, "null"))
        return true;
    return read_number(r, v) || refuse(r, "a value was expected");
}

static struct json_value *read_value(struct reader *r)
{
    struct json_value *v = calloc(1, sizeof *v);

    skip_blanks(r);
    if (fill_value(r, v))
        return v;
    json_drop(v);
    return NULL;
}

struct json_value *json_read(const char *text, size_t length, char *why, size_t why_size)
{
    struct reader r = { .start = text, .at = text, .end = text + length };
    struct json_value *v = read_value(&r);

    if (v) {
        skip_blanks(&r);
        if (r.at < r.end)
            r.fault = "something stands after the value";
    }
    if (!r.fault && v)
        return v;
    snprintf(why, why_size, "column %zu: %s", (size_t)(r.at - r.start) + 1, r.fault ? r.fault : "no value");
    json_drop(v);
    return NULL;
}

const struct json_value *json_at(const struct json_value *v, const char *path)
{
    while (v && *path) {
        size_t n = strcspn(path, ".");
        const struct json_value *c = v->kind == JSON_OBJECT ? v->child : NULL;

        while (c && (strlen(c->key) != n || memcmp(c->key, path, n) != 0))
            c = c->next;
        v = c;
        path += n + (path[n] == '.');
    }
    return v;
}

const char *json_text_at(const struct json_value *v, const char *path)
{
    const struct json_value *at = json_at(v, path);

    return at && at->kind == JSON_TEXT ? at->text : "";
}
