/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/journal/journal.h: what a run is at, as it stands on the medium, for the boot after a hang or a power cut.
 *
 * A journal is a small file with two slots. A record is one sector, and is written in place over the older one, so that a
 * write that is cut in two leaves the other slot. Slots are 4 KiB apart: on a medium with sectors of that size they still
 * have nothing in common. A record whose CRC, number or text is not as it should be is none. The file stays when the run is
 * over, and the next run writes on in it: FAT frees a file's clusters before its name is gone, and a power cut between the two
 * leaves a name whose clusters are given to the next file too.
 *
 * core/journal/resume.h decides what follows from a record that is found, core/store/journal_file.h writes and reads the file.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define JOURNAL_SLOTS      2u
#define JOURNAL_STRIDE     4096u /* from slot to slot */
#define JOURNAL_RECORD     512u  /* bytes of a record */
#define JOURNAL_FILE       (JOURNAL_SLOTS * JOURNAL_STRIDE)
#define JOURNAL_FOLDER     104u
#define JOURNAL_CHECK      64u
#define JOURNAL_LAST_STEPS 160u

/* What is in progress, in the order of a run. */
enum journal_phase {
    JOURNAL_STARTING,    /* processors are started                                          */
    JOURNAL_ENUMERATING, /* CPUID, tables, memory: until the stream begins                  */
    JOURNAL_BETWEEN,     /* no check: the first has not begun, or the last has ended        */
    JOURNAL_CHECKING,    /* the check that the record names                                 */
    JOURNAL_COUNTING,    /* -count, -top, -list boxes                                       */
    JOURNAL_RESTORING,   /* registers are written back, processors go back to firmware      */
    JOURNAL_MP_SELFTEST, /* firmware's processor services are tried                         */
    JOURNAL_ENDING,      /* the last lines of the report                                    */
    JOURNAL_ENDED,       /* nothing: the run finished                                */
    JOURNAL_PHASES
};

struct journal_record {
    uint64_t number;      /* of the record: the higher one of two slots counts */
    uint8_t machine[16];  /* whose run it is, and with which build and options: digests */
    uint8_t settings[16]; /* that only have to be equal                                  */
    enum journal_phase phase;
    uint32_t boot;    /* of the run, from 1                                                       */
    uint32_t stalled; /* boots before this one in a row during which no check finished      */
    uint32_t round;   /* of the check, from 1; 0: no check has begun                               */
    uint32_t seconds; /* since the run began, of all boots, without the time between them          */
    uint32_t armed;   /* the watchdog's seconds; 0: none is armed                                  */
    uint64_t stream;  /* bytes of report.jsonl that were flushed                                   */
    uint64_t sent;    /* of these: that the server of -out has in pieces                          */
    uint32_t sent_crc, sent_next, sent_name; /* as of struct upload_mark (core/net/upload.h)      */
    uint64_t utc_ms; /* since 1970; 0: the clock is not set                                       */
    enum status
        medium;  /* not ST_OK: the report's medium failed so, and the boot continued without it; the last record  */
    bool untold; /* `check` was open when this boot began, and its ERROR is not in the report yet                */
    char folder[JOURNAL_FOLDER];         /* of the report, within the folder of reports            */
    char check[JOURNAL_CHECK];           /* of JOURNAL_CHECKING; else the last one that began, or "" */
    char last_steps[JOURNAL_LAST_STEPS]; /* what processors were at when time ran out, or ""         */
};

/* The phase for people: "starting processors". */
const char *journal_phase_text(enum journal_phase phase);

/* The record as a sector. Texts end within their field, what is not printable ASCII becomes '?'. */
void journal_encode(const struct journal_record *record, uint8_t sector[JOURNAL_RECORD]);
/* ST_CORRUPT: the sector is no record; *record is untouched. */
MUST_CHECK enum status journal_decode(const uint8_t sector[JOURNAL_RECORD], struct journal_record *record);
/* The newest record of a file's bytes, and the slot that the next one goes to. A file that is shorter has the slots that
 * are whole. ST_ABSENT: none; *record is untouched, and *next is 0. */
MUST_CHECK enum status journal_find(const uint8_t *bytes, size_t length, struct journal_record *record, uint32_t *next);
