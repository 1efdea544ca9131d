/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/json_stream.h"

#include "core/base/hash.h"
#include "core/base/text.h"

enum state {
    S_VALUE,     /* a value is due: the line's own, after ':' or after ','  */
    S_FIRST_KEY, /* after '{': a key or '}'                                  */
    S_KEY,       /* after ',' in an object                                   */
    S_COLON,
    S_FIRST_ELEMENT, /* after '[': a value or ']'                            */
    S_NEXT,          /* after a value in a container: ',' or its end         */
    S_STRING,
    S_BARE, /* in a number or a word                                          */
    S_DONE, /* after the line's value: blanks                                */
    S_BAD,  /* no JSON: the rest of the line is passed over                   */
};

static void reset(struct json_stream *s)
{
    s->state = S_VALUE;
    s->anything = false;
    s->depth = 0;
    s->arrays = 0;
    s->path_length = s->text_length = 0;
    s->path_ends[0] = 0;
    s->n_keys = 0;
    s->path[0] = s->text[0] = '\0';
}

static void add_char(struct json_stream *s, char c)
{
    if (s->text_length + 1 < sizeof s->text)
        s->text[s->text_length++] = c;
    s->text[s->text_length] = '\0';
}

static void begin_text(struct json_stream *s)
{
    s->text_length = 0;
    s->text[0] = '\0';
}

/* --- structure --------------------------------------------------------------------------------------------------- */

#define TOO_LONG (JSON_STREAM_PATH) /* a path length that says: there was no room */

static bool in_array(const struct json_stream *s)
{
    return s->arrays >> s->depth & 1;
}

static void open_container(struct json_stream *s, bool array)
{
    if (s->depth == JSON_STREAM_DEPTH) {
        s->state = S_BAD;
        return;
    }
    s->depth++;
    s->arrays = (s->arrays & ~(UINT64_C(1) << s->depth)) | (uint64_t)array << s->depth;
    s->path_ends[s->depth] = s->path_length;
    s->key_starts[s->depth] = s->n_keys;
    s->state = array ? S_FIRST_ELEMENT : S_FIRST_KEY;
    if (s->open && s->path_length < TOO_LONG)
        s->open(s->context, s->path, array);
}

static void set_path(struct json_stream *s, uint32_t length)
{
    s->path_length = length;
    if (length < TOO_LONG)
        s->path[length] = '\0';
}

static void value_over(struct json_stream *s)
{
    s->state = s->depth == 0 ? S_DONE : S_NEXT;
    set_path(s, s->path_ends[s->depth]);
}

static void close_container(struct json_stream *s, bool array)
{
    if (s->depth == 0 || in_array(s) != array) {
        s->state = S_BAD;
        return;
    }
    s->n_keys = s->key_starts[s->depth];
    s->depth--;
    value_over(s);
}

/* false: the object has this key already, or there is no room. */
static bool keep_key(struct json_stream *s)
{
    for (uint32_t i = s->key_starts[s->depth]; i < s->n_keys; i++)
        if (s->keys[i] == s->key)
            return false;
    if (s->n_keys == JSON_STREAM_KEYS)
        return false;
    s->keys[s->n_keys++] = s->key;
    return true;
}

/* The key of the next value, in s->text. */
static void take_key(struct json_stream *s)
{
    uint32_t at = s->path_ends[s->depth];

    if (s->text_length == 0)
        add_char(s, '?'); /* no path of an object ends like that of a member */
    uint32_t n = s->text_length + (at > 0);

    s->state = keep_key(s) ? S_COLON : S_BAD;
    if (at == TOO_LONG || at + n >= JSON_STREAM_PATH) {
        s->path_length = TOO_LONG;
        return;
    }
    if (at > 0)
        s->path[at++] = '.';
    for (uint32_t i = 0; i < s->text_length; i++)
        s->path[at + i] = s->text[i] == '.' ? '?' : s->text[i]; /* a dot joins keys */
    set_path(s, at + s->text_length);
}

static void tell(struct json_stream *s, enum json_scalar kind)
{
    if (s->path_length < TOO_LONG)
        s->scalar(s->context, s->path, kind, s->text);
    value_over(s);
}

/* --- strings ----------------------------------------------------------------------------------------------------- */

enum { ESCAPE_NONE, ESCAPE_BEGUN, ESCAPE_U1, ESCAPE_U2, ESCAPE_U3, ESCAPE_U4 };

/* A character of a text or of a key, by its code point. */
static void add_character(struct json_stream *s, uint32_t code)
{
    add_char(s, code < 0x20 ? ' ' : code <= 0x7E ? (char)code : '?');
    s->key = hash_add(s->key, code);
}

/* RFC 8259, 8.2: half of a surrogate pair has no defined meaning. A pair is one character. */
static void take_unicode(struct json_stream *s)
{
    bool high = s->unicode >= 0xD800 && s->unicode <= 0xDBFF, low = s->unicode >= 0xDC00 && s->unicode <= 0xDFFF;

    if (low != (s->half != 0))
        s->state = S_BAD;
    else if (low)
        add_character(s, 0x10000 + ((s->half - 0xD800) << 10) + (s->unicode - 0xDC00));
    else if (!high)
        add_character(s, s->unicode);
    s->half = high ? s->unicode : 0;
}

static void take_escaped(struct json_stream *s, char c)
{
    static const char known[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int digit = text_hex_digit(c);

    if (s->escape >= ESCAPE_U1) {
        if (digit < 0) {
            s->state = S_BAD;
            return;
        }
        s->unicode = s->unicode << 4 | (uint32_t)digit;
        s->escape = s->escape == ESCAPE_U4 ? ESCAPE_NONE : s->escape + 1;
        if (s->escape == ESCAPE_NONE)
            take_unicode(s);
        return;
    }
    s->escape = ESCAPE_NONE;
    if (c == 'u') {
        s->escape = ESCAPE_U1;
        s->unicode = 0;
        return;
    }
    for (size_t i = 0; known[i] && !s->half; i++) {
        if (known[i] == c) {
            add_character(s, (unsigned char)meant[i]);
            return;
        }
    }
    s->state = S_BAD;
}

/* RFC 3629, 4: how many bytes follow the first one of a character, and the range of the second one. */
static const struct {
    uint8_t first, last, follow, low, high;
} utf8_rows[] = {
    { 0xC2, 0xDF, 1, 0x80, 0xBF }, { 0xE0, 0xE0, 2, 0xA0, 0xBF }, { 0xE1, 0xEC, 2, 0x80, 0xBF },
    { 0xED, 0xED, 2, 0x80, 0x9F }, { 0xEE, 0xEF, 2, 0x80, 0xBF }, { 0xF0, 0xF0, 3, 0x90, 0xBF },
    { 0xF1, 0xF3, 3, 0x80, 0xBF }, { 0xF4, 0xF4, 3, 0x80, 0x8F },
};

static void begin_utf8(struct json_stream *s, uint8_t c)
{
    for (size_t i = 0; i < sizeof utf8_rows / sizeof *utf8_rows; i++) {
        if (c < utf8_rows[i].first || c > utf8_rows[i].last)
            continue;
        s->utf8_due = utf8_rows[i].follow;
        s->utf8_low = utf8_rows[i].low;
        s->utf8_high = utf8_rows[i].high;
        s->unicode = c & (0x3Fu >> s->utf8_due);
        return;
    }
    s->state = S_BAD;
}

static void continue_utf8(struct json_stream *s, uint8_t c)
{
    if (c < s->utf8_low || c > s->utf8_high) {
        s->state = S_BAD;
        return;
    }
    s->unicode = s->unicode << 6 | (c & 0x3Fu);
    s->utf8_low = 0x80;
    s->utf8_high = 0xBF;
    if (--s->utf8_due == 0)
        add_character(s, s->unicode);
}

static void take_in_string(struct json_stream *s, char c)
{
    if (s->utf8_due > 0)
        continue_utf8(s, (uint8_t)c);
    else if (s->escape != ESCAPE_NONE)
        take_escaped(s, c);
    else if (c == '\\')
        s->escape = ESCAPE_BEGUN;
    else if (s->half)
        s->state = S_BAD;
    else if (c == '"' && s->in_key)
        take_key(s);
    else if (c == '"')
        tell(s, JSON_SCALAR_TEXT);
    else if ((unsigned char)c < 0x20)
        s->state = S_BAD;
    else if ((unsigned char)c < 0x80)
        add_character(s, (unsigned char)c);
    else
        begin_utf8(s, (uint8_t)c);
}

/* --- numbers and words ------------------------------------------------------------------------------------------- */

static const char *digits_end(const char *c)
{
    while (*c >= '0' && *c <= '9')
        c++;
    return c;
}

/* RFC 8259, 6: minus, no leading zero, digits on both sides of a point, digits after an exponent. */
static bool is_number(const char *c)
{
    const char *from;

    if (*c == '-')
        c++;
    from = c;
    c = digits_end(c);
    if (c == from || (*from == '0' && c > from + 1))
        return false;
    if (*c == '.') {
        from = ++c;
        c = digits_end(c);
        if (c == from)
            return false;
    }
    if (*c == 'e' || *c == 'E') {
        c += c[1] == '+' || c[1] == '-' ? 2 : 1;
        from = c;
        c = digits_end(c);
        if (c == from)
            return false;
    }
    return *c == '\0';
}

static void end_bare(struct json_stream *s)
{
    /* One that was cut may be anything: as text it is too long for a real number. */
    if (s->text_length + 1 == sizeof s->text)
        s->state = S_BAD;
    else if (is_number(s->text))
        tell(s, JSON_SCALAR_NUMBER);
    else if (text_equal(s->text, "true") || text_equal(s->text, "false") || text_equal(s->text, "null"))
        tell(s, JSON_SCALAR_WORD);
    else
        s->state = S_BAD;
}

bool json_stream_number(const char *text, double *value)
{
    double v = 0, scale = 1;
    int exponent = 0, sign = 1;
    const char *c = text;

    if (!is_number(text))
        return false;
    c += *c == '-';
    for (; *c >= '0' && *c <= '9'; c++)
        v = v * 10 + (*c - '0');
    if (*c == '.')
        for (c++; *c >= '0' && *c <= '9'; c++) {
            v = v * 10 + (*c - '0');
            scale *= 10;
        }
    if (*c == 'e' || *c == 'E') {
        sign = c[1] == '-' ? -1 : 1;
        for (c += c[1] == '+' || c[1] == '-' ? 2 : 1; *c && exponent < 1000; c++)
            exponent = exponent * 10 + (*c - '0');
    }
    v /= scale;
    for (; exponent > 0 && v != 0; exponent--)
        v = sign > 0 ? v * 10 : v / 10;
    if (!(v <= 1.7976931348623157e308))
        return false;
    *value = *text == '-' ? -v : v;
    return true;
}

/* --- the stream -------------------------------------------------------------------------------------------------- */

static void begin_string(struct json_stream *s, bool key)
{
    begin_text(s);
    s->in_key = key;
    s->key = HASH_EMPTY;
    s->half = 0;
    s->utf8_due = 0;
    s->escape = ESCAPE_NONE;
    s->state = S_STRING;
}

static void begin_value(struct json_stream *s, char c)
{
    if (c == '{' || c == '[') {
        open_container(s, c == '[');
    } else if (c == '"') {
        begin_string(s, false);
    } else {
        begin_text(s);
        add_char(s, c);
        s->state = S_BARE;
    }
}

static void take_next(struct json_stream *s, char c)
{
    if (c == ',')
        s->state = in_array(s) ? S_VALUE : S_KEY;
    else if (c == '}' || c == ']')
        close_container(s, c == ']');
    else
        s->state = S_BAD;
}

/* A character between values; blanks are gone already. */
static void take_structure(struct json_stream *s, char c)
{
    switch ((enum state)s->state) {
    case S_FIRST_ELEMENT:
        if (c == ']')
            close_container(s, true);
        else
            begin_value(s, c);
        break;
    case S_VALUE:
        begin_value(s, c);
        break;
    case S_FIRST_KEY:
        if (c == '}')
            close_container(s, false);
        else if (c == '"')
            begin_string(s, true);
        else
            s->state = S_BAD;
        break;
    case S_KEY:
        if (c == '"')
            begin_string(s, true);
        else
            s->state = S_BAD;
        break;
    case S_COLON:
        s->state = c == ':' ? S_VALUE : S_BAD;
        break;
    case S_NEXT:
        take_next(s, c);
        break;
    default:
        s->state = S_BAD;
        break;
    }
}

static bool ends_bare(char c)
{
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r';
}

static void json_stream_take(struct json_stream *s, char c)
{
    bool blank = c == ' ' || c == '\t' || c == '\r';

    s->anything |= !blank;
    if (s->state == S_BARE && !ends_bare(c)) {
        if ((unsigned char)c < 0x20)
            s->state = S_BAD;
        else
            add_char(s, c);
        return;
    }
    if (s->state == S_BARE)
        end_bare(s);
    if (s->state == S_STRING)
        take_in_string(s, c);
    else if (s->state != S_BAD && !blank)
        take_structure(s, c);
}

void json_stream_end(struct json_stream *s)
{
    if (s->state == S_BARE)
        end_bare(s);
    if (s->anything)
        s->line(s->context, s->state == S_DONE);
    reset(s);
}

/* As json_stream_take(), of characters of a text or key that stand for themselves: most of a stream. How many. */
static size_t take_plain(struct json_stream *s, const char *bytes, size_t length)
{
    uint64_t key = s->key;
    uint32_t kept = s->text_length;
    size_t n = 0;

    if (s->state != S_STRING || s->escape != ESCAPE_NONE || s->utf8_due > 0 || s->half)
        return 0;
    for (; n < length && bytes[n] >= 0x20 && bytes[n] <= 0x7E && bytes[n] != '"' && bytes[n] != '\\'; n++) {
        if (kept + 1 < sizeof s->text)
            s->text[kept++] = bytes[n];
        key = hash_add(key, (uint8_t)bytes[n]);
    }
    s->text[kept] = '\0';
    s->text_length = kept;
    s->key = key;
    return n;
}

void json_stream_add(struct json_stream *s, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        i += take_plain(s, bytes + i, length - i);
        if (i == length)
            break;
        if (bytes[i] == '\n')
            json_stream_end(s);
        else
            json_stream_take(s, bytes[i]);
    }
}
