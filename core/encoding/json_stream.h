/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/json_stream.h: reads lines of JSON as they come, in pieces of any size, in memory that does not grow.
 *
 * For untrusted streams: a line that is not JSON is skipped and counted, a text that is too long is
 * cut, a value whose path is too long is left out. A key that an object has twice, and bytes that are not UTF-8, are not JSON
 * here (RFC 8259, 4: "names SHOULD be unique"; 8.1: "MUST be encoded using UTF-8"). Each scalar is handed over with its path: the keys that lead to it,
 * joined by dots (one in a key is '?'); elements of an array have the array's path. Source: RFC 8259.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_STREAM_DEPTH 32u
#define JSON_STREAM_PATH  160u
#define JSON_STREAM_TEXT  160u
#define JSON_STREAM_KEYS  512u /* members, so far, of an object and of those that contain it */

enum json_scalar { JSON_SCALAR_TEXT, JSON_SCALAR_NUMBER, JSON_SCALAR_WORD /* true, false, null */ };

struct json_stream {
    void *context;
    /* text: decoded, characters outside printable ASCII as '?', cut at JSON_STREAM_TEXT - 1; a number as spelled. */
    void (*scalar)(void *context, const char *path, enum json_scalar kind, const char *text);
    /* An array or an object begins; depth is its own. May be NULL. */
    void (*open)(void *context, const char *path, bool array);
    /* A line ended. valid: it was one whole JSON text; else what was handed over of it is to be forgotten. Lines of
     * blanks alone are not told. */
    void (*line)(void *context, bool valid);
    /* The stream's own. */
    uint8_t state, escape;
    bool in_key, anything;
    uint8_t utf8_due, utf8_low, utf8_high; /* bytes that the character still has, and the range of the next one */
    uint32_t depth, unicode, half;         /* half: of a surrogate pair, whose other half is due */
    uint64_t keys[JSON_STREAM_KEYS], key;  /* hashes, of all containers that are open, and of the key that is read */
    uint32_t n_keys, key_starts[JSON_STREAM_DEPTH + 1];
    uint64_t arrays;                           /* bit d: the container at depth d is an array */
    uint32_t path_ends[JSON_STREAM_DEPTH + 1]; /* length of the path of the container at each depth */
    uint32_t path_length, text_length;
    char path[JSON_STREAM_PATH], text[JSON_STREAM_TEXT];
};

/* A struct json_stream with its callbacks set and zeros after is ready. */
void json_stream_add(struct json_stream *s, const char *bytes, size_t length);
/* The stream is over: a last line without its end is reported now. */
void json_stream_end(struct json_stream *s);

/* A JSON number as spelled. false: it is none, or beyond what a double holds. */
bool json_stream_number(const char *text, double *value);
