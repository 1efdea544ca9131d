/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/wire.h"

#include <string.h>

#include "core/base/text.h"

static void wire_say(struct wire *w, const char *text)
{
    w->put(w->context, text, strlen(text));
}

void wire_begin(struct wire *w)
{
    sha256_begin(&w->sha);
    w->lines = w->bytes = 0;
    w->crc = w->length = 0;
    wire_say(w, "-----BEGIN ASSAY REPORT-----\n");
}

static void end_line(struct wire *w)
{
    char text[64];

    text_format(text, sizeof text, "\n~%lu %u %08x\n", ++w->lines, w->length, w->crc);
    wire_say(w, text);
    w->crc = w->length = 0;
}

void wire_add(struct wire *w, const char *bytes, size_t length)
{
    sha256_add(&w->sha, bytes, length);
    w->bytes += length;
    while (length > 0) {
        size_t n = 0;

        while (n < length && bytes[n] != '\n')
            n++;
        if (n > 0)
            w->put(w->context, bytes, n);
        w->crc = crc32_add(w->crc, bytes, n);
        w->length += (uint32_t)n;
        if (n < length) {
            end_line(w);
            n++;
        }
        bytes += n;
        length -= n;
    }
}

void wire_end(struct wire *w)
{
    char text[160], digest[65];

    sha256_text(&w->sha, digest);
    text_format(text, sizeof text, "~lines %lu\n~bytes %lu\n~sha256 %s\n-----END ASSAY REPORT-----\n", w->lines,
                w->bytes, digest);
    wire_say(w, text);
}
