/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The text of a recording: its lines, and digests in place of names. */
#include "core/record/record_internal.h"

#include <stdarg.h>
#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define LINE_MOST 2048u
#define CUT_NOTE  "# the rest did not fit\n"

static bool make_room(struct recorder *r, size_t more)
{
    size_t need = r->out->length + more + sizeof CUT_NOTE;

    if (r->status != ST_OK || r->cut)
        return false;
    if (need > RECORD_MOST) {
        r->cut = true;
        memcpy(r->out->at + r->out->length, CUT_NOTE, sizeof CUT_NOTE - 1); /* the last line left room for it */
        r->out->length += sizeof CUT_NOTE - 1;
        return false;
    }
    if (!HEAP_GROW(&r->out->at, &r->capacity, need))
        r->status = ST_NO_MEMORY;
    return r->status == ST_OK;
}

void record_line(struct recorder *r, const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;
    size_t n;

    va_start(args, format);
    n = text_vformat(line, sizeof line, format, args);
    va_end(args);
    if (n >= sizeof line || !make_room(r, n + 1)) /* a line that is cut would say something else */
        return;
    memcpy(r->out->at + r->out->length, line, n);
    r->out->at[r->out->length + n] = '\n';
    r->out->length += n + 1;
}

void record_bytes(struct recorder *r, uint32_t offset, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t done = 0; done < n; done += 32) {
        char digits[65];
        size_t at = 0;

        for (uint32_t i = done; i < n && i < done + 32; i++)
            at += text_format(digits + at, sizeof digits - at, "%02x", bytes[i]);
        record_line(r, " %x %s", offset + done, digits);
    }
}

void record_digest(const struct recorder *r, const void *bytes, size_t n, char out[17])
{
    struct sha256 sha = r->key;
    char text[65];

    sha256_add(&sha, bytes, n);
    sha256_text(&sha, text);
    memcpy(out, text, 16);
    out[16] = '\0';
}
