/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/refusal.h: refusals in a sentence, and which names are like one that there is not. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Append up to three of the names 0 .. n - 1, nearest first, "a, b, c", to what out has; of two that are as near, the
 * earlier first. */
void nearest_names(const char *text, const char *(*name)(uint32_t number), uint32_t n, char *out, size_t size);

/* False, with that sentence in error where the caller wants one: it may be NULL, of 0 bytes. */
bool refusal_say(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "there is no fault 'x'", and the nearest of the names. */
bool refusal_of_name(char *error, size_t size, const char *kind, const char *text, const char *(*name)(uint32_t number),
                     uint32_t n);
