/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/json.h: writes one JSON text into a buffer that grows.
 *
 * Owns the buffer. Commas, quotes and escapes are done here, so that whatever goes in, a valid text comes out: bytes
 * outside printable ASCII are written as \u00XX (firmware strings may hold anything), numbers that JSON cannot spell as
 * text. A failure (no memory, nesting too deep or unbalanced) is remembered in `failed`, and later calls do nothing.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define JSON_DEPTH 32u

struct json {
    char *text; /* NUL-terminated once anything was written */
    size_t length, capacity;
    enum status failed;
    uint32_t depth;
    uint32_t filled; /* bit d: something stands at depth d already, so a comma comes next */
    char closing[JSON_DEPTH];
};

/* An all-zero struct json is empty and ready. json_reset() empties it and keeps the memory, json_free() gives it back.
 */
void json_reset(struct json *j);
void json_free(struct json *j);
/* Room for so many bytes more, so that what is appended next cannot fail. ST_NO_MEMORY: remembered as any failure. */
MUST_CHECK enum status json_reserve(struct json *j, size_t bytes);

/* j: NULL where nothing is to be written. key: NULL inside an array and for the outermost value. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j); /* closes the innermost object or array */
void json_text(struct json *j, const char *key, const char *value);
void json_format(struct json *j, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
void json_unsigned(struct json *j, const char *key, uint64_t value);
/* A 64-bit register as text, "0x00000000000001ff" in `digits` digits at least: a JSON number holds 53 bits only. */
void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits);
void json_bool(struct json *j, const char *key, bool value);
/* A number as it was spelled where it was read, or "null". */
void json_verbatim(struct json *j, const char *key, const char *text);
/* Up to 6 decimals. Beyond 2^63 with an exponent; infinities and non-numbers as the texts "inf", "-inf", "nan". */
void json_decimal(struct json *j, const char *key, double value);
