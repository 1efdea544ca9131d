/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/json_stream.h: reads lines of JSON as they come, in pieces of any size, in memory that does not grow.
 *
 * For untrusted streams: a line that is not JSON is skipped and counted, a text that is too long is
 * cut, a value whose path is too long is left out. Each scalar is handed over with its path: the keys that lead to it,
 * joined by dots; elements of an array have the array's path. Source: RFC 8259.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_STREAM_DEPTH 32u
#define JSON_STREAM_PATH  160u
#define JSON_STREAM_TEXT  160u

enum json_scalar { JSON_SCALAR_TEXT, JSON_SCALAR_NUMBER, JSON_SCALAR_WORD /* true, false, null */ };

struct json_stream {
    void *context;
    /* text: decoded, characters outside printable ASCII as '?', cut at JSON_STREAM_TEXT - 1; a number as spelled. */
    void (*scalar)(void *context, const char *path, enum json_scalar kind, const char *text);
    /* A line ended. valid: it was one whole JSON text; else what was handed over of it is to be forgotten. Lines of
     * blanks alone are not told. */
    void (*line)(void *context, bool valid);
    /* The stream's own. */
    uint8_t state, escape;
    bool in_key, anything, half; /* half: of a surrogate pair, whose other half is due */
    uint32_t depth, unicode;
    uint64_t arrays;                           /* bit d: the container at depth d is an array */
    uint32_t path_ends[JSON_STREAM_DEPTH + 1]; /* length of the path of the container at each depth */
    uint32_t path_length, text_length;
    char path[JSON_STREAM_PATH], text[JSON_STREAM_TEXT];
};

/* A struct json_stream with its first three members set and zeros behind is ready. */
void json_stream_add(struct json_stream *s, const char *bytes, size_t length);
/* The stream is over: a last line without its end is reported now. */
void json_stream_end(struct json_stream *s);

/* A JSON number as spelled. false: it is none, or beyond what a double holds. */
bool json_stream_number(const char *text, double *value);
