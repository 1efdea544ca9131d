/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/json_read.h: reads one JSON text, strictly (RFC 8259), into a tree. Keys of one object are unique.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    char *key;  /* NULL outside objects                                */
    char *text; /* JSON_TEXT, decoded to UTF-8; JSON_NUMBER as spelled */
    double number;
    bool truth;
    struct json_value *child, *next;
};

/* NULL, and *why says what and where (column from 1), on anything but one JSON text. */
struct json_value *json_read(const char *text, size_t length, char *why, size_t why_size);
void json_drop(struct json_value *v);
/* Member of an object; a path goes down: "testStepArtifact.testStepEnd.status". NULL where there is none. */
const struct json_value *json_at(const struct json_value *v, const char *path);
/* Its text, or "" where there is none or it is no text. */
const char *json_text_at(const struct json_value *v, const char *path);
