/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/figures.h: report.figures, what reports are compared by, derived from a stream.
 *
 * Lines of JSON: the stream's lines up to testRunStart as they are; {"figures":1}, the version of the format; for each
 * step that counts its check with name, unit, place and location of each figure, the numbers (value, lower and upper
 * bound of each figure, null without a bound), and its outcome with what was found; and {"end":...} with result, size and
 * SHA-256 of the stream. docs/report.md has an example. Numbers are spelled as in the stream.
 *
 * The stream may come in pieces of any size. Memory is what one step lists (core/report/record.h), however long the
 * stream is.
 */
#pragma once
#include "core/encoding/digest.h"
#include "core/encoding/json.h"
#include "core/stream/stream_reader.h"

#define FIGURES_VERSION 1u

struct figures {
    void *context;
    enum status (*put)(void *context, const char *bytes, size_t length);
    /* Its own. */
    enum status failed;
    struct stream_reader reader;
    struct sha256 sha; /* of the stream */
    uint32_t faults, checks;
    uint64_t round, next_round, method, next_method; /* of the open step; in the extension that is being read */
    struct json names, numbers, found;               /* of the open step */
    char status[STREAM_ID], result[STREAM_ID];       /* of testRunEnd */
};

/* put receives the file; after its first failure it is not called again. */
void figures_begin(struct figures *f, void *context,
                   enum status (*put)(void *context, const char *bytes, size_t length));
void figures_add(struct figures *f, const char *bytes, size_t length);
/* After the last byte; gives the memory back. The first failure of put; ST_NO_MEMORY; ST_CORRUPT: the stream has a fault,
 * or no end. Then what was put is no report.figures. */
MUST_CHECK enum status figures_end(struct figures *f);
