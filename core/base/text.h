/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/text.h: the little text handling that the core needs, without a C library.
 *
 * Format: %s %c %u %d %x %X %lu %ld %lx %llu %lld %llx %zu %p %%, flags '-' and '0', width and precision as digits or
 * '*' (strings only for precision). `l` and `ll` are 64 bit. No floating point: see text_decimal().
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both: always NUL-terminated, return the length that the whole text has (snprintf's rule). */
size_t text_format(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t text_vformat(char *out, size_t size, const char *format, va_list args);
/* In a function with a format and its values at the end: their text, into an array. */
#define TEXT_OF_ARGS(out, format)                                                                                      \
    do {                                                                                                               \
        va_list text_args;                                                                                             \
                                                                                                                       \
        va_start(text_args, format);                                                                                   \
        text_vformat(out, sizeof(out), format, text_args);                                                             \
        va_end(text_args);                                                                                             \
    } while (0)
/* The same after the n characters of the text so far, which may be more than fit. Returns the length of both. */
size_t text_append(char *out, size_t size, size_t n, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* value with up to 6 decimals, trailing zeros dropped, "-0" never: "1.5", "0.000012", "34603008". Values beyond 2^63
 * and non-numbers: "null". Returns the length. */
size_t text_decimal(char *out, size_t size, double value);

/* Where `part` stands in text for the first time; NULL: nowhere. */
const char *text_find(const char *text, const char *part);
bool text_equal(const char *a, const char *b);
bool text_equal_nocase(const char *a, const char *b);
/* A to Z become a to z. */
void text_lower(char *text);
/* Shell pattern with * and ?, whole text, case-sensitive. */
bool text_matches(const char *pattern, const char *text);
/* One of several patterns, separated by blanks, of at most 63 characters each. NULL: there is none. */
bool text_matches_any(const char *patterns, const char *text);
/* What a hexadecimal digit is worth; -1: it is none. */
int text_hex_digit(char c);
/* Unsigned number: decimal, 0x hexadecimal; the whole text must be one. */
bool text_number(const char *text, uint64_t *value);
/* As text_number, with an optional suffix K, M, G, T (powers of 1024, either case). */
bool text_size(const char *text, uint64_t *bytes);
/* How many characters to put in, take out or change so that one becomes the other, in capitals or not (Levenshtein); of
 * `name` the first 127 count. */
size_t text_distance(const char *text, const char *name);
