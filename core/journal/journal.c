/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/journal/journal.h"

#include <string.h>

#include "core/encoding/digest.h"

/* What stands on the medium. Little-endian, as the processors are that Assay runs on. */
struct journal_sector {
    char magic[8];
    uint32_t version, crc; /* the CRC is of what follows it */
    uint64_t number, utc_ms, stream;
    uint8_t machine[16], settings[16];
    uint32_t phase, boot, stalled, round, seconds, armed;
    char folder[JOURNAL_FOLDER], check[JOURNAL_CHECK], last_steps[JOURNAL_LAST_STEPS];
    uint32_t medium, untold;
    uint64_t sent;
    uint32_t sent_crc, sent_next, sent_name;
    uint8_t unused[JOURNAL_RECORD - 124 - JOURNAL_FOLDER - JOURNAL_CHECK - JOURNAL_LAST_STEPS];
};
_Static_assert(sizeof(struct journal_sector) == JOURNAL_RECORD, "a record is one sector");
_Static_assert(offsetof(struct journal_sector, number) == 16 && offsetof(struct journal_sector, folder) == 96,
               "without gaps");

#define MAGIC   "ASSAYJNL"
#define VERSION 2u

const char *journal_phase_text(enum journal_phase phase)
{
    static const char *const texts[JOURNAL_PHASES] = { [JOURNAL_STARTING] = "starting processors",
                                                       [JOURNAL_ENUMERATING] = "enumerating",
                                                       [JOURNAL_BETWEEN] = "between checks",
                                                       [JOURNAL_CHECKING] = "a check",
                                                       [JOURNAL_COUNTING] = "counting",
                                                       [JOURNAL_RESTORING] = "restoring registers",
                                                       [JOURNAL_MP_SELFTEST] = "trying firmware's MP services",
                                                       [JOURNAL_ENDING] = "ending the report",
                                                       [JOURNAL_ENDED] = "nothing" };

    return (unsigned)phase < JOURNAL_PHASES ? texts[phase] : "unknown";
}

static uint32_t crc_of(const struct journal_sector *s)
{
    return crc32_add(0, (const uint8_t *)s + 16, sizeof *s - 16);
}

static void put_printable(char *out, const char *text, size_t size)
{
    for (size_t n = 0; n + 1 < size && text[n]; n++)
        out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
}

/* Printable, and ended with zeros to its field's end. */
static bool is_text(const char *text, size_t size)
{
    size_t n = 0;

    while (n < size && text[n] >= ' ' && text[n] <= '~')
        n++;
    if (n == size)
        return false;
    while (n < size && text[n] == '\0')
        n++;
    return n == size;
}

void journal_encode(const struct journal_record *r, uint8_t sector[JOURNAL_RECORD])
{
    struct journal_sector s = { .magic = { 0 },
                                .version = VERSION,
                                .number = r->number,
                                .utc_ms = r->utc_ms,
                                .stream = r->stream,
                                .phase = (uint32_t)r->phase,
                                .boot = r->boot,
                                .stalled = r->stalled,
                                .round = r->round,
                                .seconds = r->seconds,
                                .armed = r->armed,
                                .medium = (uint32_t)r->medium,
                                .untold = r->untold,
                                .sent = r->sent,
                                .sent_crc = r->sent_crc,
                                .sent_next = r->sent_next,
                                .sent_name = r->sent_name };

    memcpy(s.magic, MAGIC, sizeof s.magic);
    memcpy(s.machine, r->machine, sizeof s.machine);
    memcpy(s.settings, r->settings, sizeof s.settings);
    put_printable(s.folder, r->folder, sizeof s.folder);
    put_printable(s.check, r->check, sizeof s.check);
    put_printable(s.last_steps, r->last_steps, sizeof s.last_steps);
    s.crc = crc_of(&s);
    memcpy(sector, &s, sizeof s);
}

enum status journal_decode(const uint8_t sector[JOURNAL_RECORD], struct journal_record *r)
{
    struct journal_sector s;

    memcpy(&s, sector, sizeof s);
    if (memcmp(s.magic, MAGIC, sizeof s.magic) != 0 || s.version != VERSION || s.crc != crc_of(&s))
        return ST_CORRUPT;
    if (s.phase >= JOURNAL_PHASES || s.boot == 0 || s.medium >= ST_COUNT || s.untold > 1 ||
        !is_text(s.folder, sizeof s.folder) || !is_text(s.check, sizeof s.check) ||
        !is_text(s.last_steps, sizeof s.last_steps))
        return ST_CORRUPT;
    *r = (struct journal_record){ .number = s.number,
                                  .utc_ms = s.utc_ms,
                                  .stream = s.stream,
                                  .phase = (enum journal_phase)s.phase,
                                  .boot = s.boot,
                                  .stalled = s.stalled,
                                  .round = s.round,
                                  .seconds = s.seconds,
                                  .armed = s.armed,
                                  .medium = (enum status)s.medium,
                                  .untold = s.untold == 1,
                                  .sent = s.sent,
                                  .sent_crc = s.sent_crc,
                                  .sent_next = s.sent_next,
                                  .sent_name = s.sent_name };
    memcpy(r->machine, s.machine, sizeof r->machine);
    memcpy(r->settings, s.settings, sizeof r->settings);
    memcpy(r->folder, s.folder, sizeof r->folder);
    memcpy(r->check, s.check, sizeof r->check);
    memcpy(r->last_steps, s.last_steps, sizeof r->last_steps);
    return ST_OK;
}

enum status journal_find(const uint8_t *bytes, size_t length, struct journal_record *record, uint32_t *next)
{
    struct journal_record r;
    bool found = false;

    *next = 0;
    for (uint32_t slot = 0; slot < JOURNAL_SLOTS; slot++) {
        if (length < slot * JOURNAL_STRIDE + JOURNAL_RECORD ||
            journal_decode(bytes + (size_t)slot * JOURNAL_STRIDE, &r) != ST_OK || (found && r.number < record->number))
            continue;
        found = true;
        *record = r;
        *next = (slot + 1) % JOURNAL_SLOTS;
    }
    return found ? ST_OK : ST_ABSENT;
}
