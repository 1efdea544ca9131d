/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/wire.h: a report over a line of text that may break it: a serial console.
 *
 * Between `-----BEGIN ASSAY REPORT-----` and `-----END ASSAY REPORT-----` each line of report.jsonl stands as it is,
 * and after each a line `~N LENGTH CRC`: its number from 1, its length without the line end, and its CRC-32 in eight
 * digits. Before the end come `~lines N`, `~bytes N` and `~sha256 DIGEST` of the whole file. JSON lines hold printable
 * ASCII alone, so that whoever reads drops every line end between a '{' at the start of a line and the next `~`: a
 * terminal that folds at its last column does no harm. What else is said stands between a `~` line and the next '{'.
 * Packed, a twentieth of it: the file as gzip, WIRE_BYTES of it a line, each '{' and base64; N, LENGTH, CRC and the number of
 * lines are those of the packed lines. scripts/assay-report rebuild makes the file from both.
 */
#pragma once
#include <stdbool.h>

#include "core/encoding/digest.h"
#include "core/encoding/gzip.h"

#define WIRE_BYTES 750u /* 1,000 characters, of which a line that is damaged loses all */

struct wire {
    void *context;
    void (*put)(void *context, const char *text, size_t length); /* "\n" ends a line */
    struct sha256 sha;
    uint64_t lines, bytes;
    uint32_t crc, length; /* of the line so far */
    struct gzip *gzip;    /* NULL: the lines are sent as they are */
    uint8_t held[WIRE_BYTES];
    uint32_t n_held;
};

/* Starts the report: context and put must be set, all else is cleared. What put() could not send is lost, and shows in
 * the numbers after the lines. packed, where there is memory for it. */
void wire_begin(struct wire *w, bool packed);
/* Bytes of report.jsonl in their order, in pieces of any size, line ends ("\n") included; length 0 does nothing. */
void wire_add(struct wire *w, const char *bytes, size_t length);
/* Sends what is held back to be packed, so that a capture that ends here has it. */
void wire_flush(struct wire *w);
/* Sends counts, digest and the end mark. The stream's last line must have had its line end. */
void wire_end(struct wire *w);
