/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/base64.h"

static void characters(uint32_t three, char out[4])
{
    static const char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (uint32_t i = 0; i < 4; i++)
        out[i] = alphabet[three >> (18 - 6 * i) & 63];
}

void base64_add(struct base64 *b, const uint8_t *bytes, size_t length)
{
    char text[1024];
    size_t n = 0;

    for (size_t i = 0; i < length; i++) {
        b->held = b->held << 8 | bytes[i];
        if (++b->n_held < 3)
            continue;
        characters(b->held, text + n);
        n += 4;
        b->held = b->n_held = 0;
        if (n == sizeof text) {
            b->put(b->context, text, n);
            n = 0;
        }
    }
    if (n > 0)
        b->put(b->context, text, n);
}

void base64_end(struct base64 *b)
{
    char text[4];

    if (b->n_held == 0)
        return;
    characters(b->held << 8 * (3 - b->n_held), text);
    for (uint32_t i = b->n_held + 1; i < 4; i++)
        text[i] = '=';
    b->put(b->context, text, sizeof text);
    b->held = b->n_held = 0;
}
