/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/base64.h: bytes as text (RFC 4648, 4), as they come. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct base64 {
    void *context;
    void (*put)(void *context, const char *text, size_t length);
    uint32_t held, n_held; /* bytes that do not make four characters yet */
};

/* Bytes after those so far, in pieces of any size; context and put must be set, the rest 0 at first. */
void base64_add(struct base64 *b, const uint8_t *bytes, size_t length);
/* The last characters, with "=" where RFC 4648 has it. */
void base64_end(struct base64 *b);
