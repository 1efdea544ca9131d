/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/wire.h"

#include <string.h>

#include "core/base/text.h"
#include "core/encoding/base64.h"

static void wire_say(struct wire *w, const char *text)
{
    w->put(w->context, text, strlen(text));
}

static void end_line(struct wire *w)
{
    char text[64];

    text_format(text, sizeof text, "\n~%lu %u %08x\n", ++w->lines, w->length, w->crc);
    wire_say(w, text);
    w->crc = w->length = 0;
}

static void put_piece(void *context, const char *text, size_t length)
{
    struct wire *w = context;

    w->put(w->context, text, length);
    w->crc = crc32_add(w->crc, text, length);
    w->length += (uint32_t)length;
}

static void send_held(struct wire *w)
{
    struct base64 text = { .context = w, .put = put_piece };

    if (w->n_held == 0)
        return;
    put_piece(w, "{", 1);
    base64_add(&text, w->held, w->n_held);
    base64_end(&text);
    end_line(w);
    w->n_held = 0;
}

static void hold(void *context, const uint8_t *bytes, size_t length)
{
    struct wire *w = context;

    for (size_t i = 0; i < length; i++) {
        w->held[w->n_held++] = bytes[i];
        if (w->n_held == WIRE_BYTES)
            send_held(w);
    }
}

void wire_begin(struct wire *w, bool packed)
{
    sha256_begin(&w->sha);
    w->lines = w->bytes = 0;
    w->crc = w->length = w->n_held = 0;
    w->gzip = packed ? gzip_begin(w, hold) : NULL;
    wire_say(w, "-----BEGIN ASSAY REPORT-----\n");
}

void wire_add(struct wire *w, const char *bytes, size_t length)
{
    sha256_add(&w->sha, bytes, length);
    w->bytes += length;
    if (w->gzip) {
        gzip_add(w->gzip, bytes, length);
        return;
    }
    while (length > 0) {
        size_t n = 0;

        while (n < length && bytes[n] != '\n')
            n++;
        if (n > 0)
            put_piece(w, bytes, n);
        if (n < length) {
            end_line(w);
            n++;
        }
        bytes += n;
        length -= n;
    }
}

void wire_flush(struct wire *w)
{
    if (!w->gzip)
        return;
    gzip_flush(w->gzip);
    send_held(w);
}

void wire_end(struct wire *w)
{
    char text[160], digest[65];

    if (w->gzip) {
        gzip_end(w->gzip);
        send_held(w);
    }
    sha256_text(&w->sha, digest);
    text_format(text, sizeof text, "~lines %lu\n~bytes %lu\n~sha256 %s\n-----END ASSAY REPORT-----\n", w->lines,
                w->bytes, digest);
    wire_say(w, text);
}
