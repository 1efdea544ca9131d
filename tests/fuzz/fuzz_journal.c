/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: a journal as a medium gives it. The first byte says which slots get a right CRC, so that what follows it
 * is reached; the rest is the file, each slot's record from a half of it. */
#include <string.h>

#include "core/encoding/digest.h"
#include "core/journal/journal.h"
#include "core/journal/resume.h"
#include "tests/fuzz/fuzz.h"

static void put_crc(uint8_t *sector)
{
    uint32_t crc = crc32_add(0, sector + 16, JOURNAL_RECORD - 16);

    memcpy(sector, "ASSAYJNL\2\0\0", 12);
    memcpy(sector + 12, &crc, sizeof crc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[JOURNAL_FILE], again[JOURNAL_RECORD];
    struct journal_record r, same;
    size_t half = size / 2, length = size > 2 * JOURNAL_RECORD ? sizeof file : size;
    uint32_t next;
    char what[JOURNAL_CHECK + 16];

    if (size < 2)
        return 0;
    memset(file, 0, sizeof file);
    for (uint32_t slot = 0; slot < JOURNAL_SLOTS; slot++) {
        size_t n = half < JOURNAL_RECORD ? half : JOURNAL_RECORD;

        memcpy(file + (size_t)slot * JOURNAL_STRIDE, data + slot * half, n);
        if (data[0] >> slot & 1)
            put_crc(file + (size_t)slot * JOURNAL_STRIDE);
    }
    if (journal_find(file, length, &r, &next) != ST_OK) {
        MUST(next == 0);
        return 0;
    }
    MUST(next < JOURNAL_SLOTS && r.phase < JOURNAL_PHASES && r.boot > 0);
    must_be_text(r.folder, sizeof r.folder);
    must_be_text(r.check, sizeof r.check);
    must_be_text(r.last_steps, sizeof r.last_steps);
    resume_what(&r, what, sizeof what);
    must_be_text(what, sizeof what);
    journal_encode(&r, again);
    MUST(journal_decode(again, &same) == ST_OK && same.number == r.number && same.phase == r.phase);
    return 0;
}
