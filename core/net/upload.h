/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/net/upload.h: a report on its way to a server, during the run.
 *
 * The server's folder of a run is URL/SERIAL-TIME/ (core/report/folder.h). Between checks what the stream has more goes there as the
 * next piece, report.jsonl.000000 on: some whole lines, UPLOAD_PIECE bytes or one line at most. At the end report.jsonl, report.txt, report.figures,
 * report.html and, last of all, report.sha256 follow: where it is, everything is. Each is a file of its own, for a web server has PUT and nothing that
 * appends. A boot that resumes a run after a hang or a power cut (upload_go_on()) continues in the same folder, with what the server
 * lacks. Its pieces begin at another hundred: numbers that the boot before may have used without the journal's knowing are not used again.
 * Where the server has lines that the medium has lost, the first piece repeats their sequence numbers: the later piece holds.
 * tftp has no folders and takes the five files of the end alone, as URL/SERIAL-TIME.report.jsonl and so on.
 *
 * All of it stays in memory, so that what a server did not take can be offered again, there or elsewhere. Between checks a piece that is
 * not taken is reported, and waited with: ten seconds, or four times what the attempt took if that is more, twice as long after
 * each one more that fails, five minutes at most; at the end each file is tried UPLOAD_TRIES times. After one that was taken slowly, in
 * UPLOAD_SLOW seconds or more, the next one waits four times as long as it took, so that a slow server makes a run a quarter longer at
 * most. Whoever calls decides when: nothing here runs by itself.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/encoding/digest.h"
#include "core/base/status.h"
#include "core/net/boot_source.h"

#ifndef UPLOAD_PIECE /* tests/fuzz/build has it smaller: its streams are */
#define UPLOAD_PIECE (256u << 10)
#endif
#define UPLOAD_TRIES 3u
#define UPLOAD_SLOW  2u   /* seconds, the interface's waking with them */
#define UPLOAD_NAMES 100u /* runs of one machine in one second */
#define UPLOAD_URL   BOOT_SOURCE_URL

struct upload_answer {
    uint32_t code; /* as HTTP has it; 0: there was none */
    char why[96];  /* more than the status says; "": nothing */
};

struct upload_ops {
    /* A whole file to a URL, tried once; *a is zeroed before. ST_OK: there was an answer, or tftp has taken the file. */
    enum status (*put)(void *context, const char *url, const void *bytes, size_t length, struct upload_answer *a);
    /* Around each time that the network is used. */
    void (*wake)(void *context);
    void (*quiet)(void *context);
    uint64_t (*seconds)(void *context); /* of a clock that never goes back */
    void (*pause)(void *context, uint32_t seconds);
    void (*say)(void *context, const char *text);
};

struct upload_mark { /* what a server has of a run, for a boot that resumes it */
    uint64_t bytes;  /* of the stream, in pieces that it took */
    uint32_t crc;    /* CRC-32 of these bytes */
    uint32_t next;   /* number of the next piece */
    uint32_t name;   /* of struct upload; 0: it has taken nothing */
};

struct kept { /* bytes that have come so far */
    char *bytes;
    size_t length, room;
    bool lost; /* there was no memory for all */
};

/* More of them, where there is memory. */
void kept_add(struct kept *k, const char *bytes, size_t length);

struct upload {
    const struct upload_ops *ops; /* NULL: nothing is sent anywhere */
    void *context;
    char out[UPLOAD_URL]; /* with the '/' at its end */
    char run[128];        /* SERIAL-TIME */
    enum url_scheme scheme;
    struct kept stream, text;
    size_t sent;          /* bytes of the stream that the server has in pieces      */
    uint32_t crc;         /* CRC-32 of these                                        */
    uint32_t pieces;      /* number of the next one                                 */
    uint32_t name;        /* 1, or the n of SERIAL-TIME-n                           */
    bool unsure;          /* what was sent last may have arrived: no answer        */
    size_t unsure_length; /* of the piece that this was; 0: another file */
    bool goes_on;         /* an earlier boot has sent pieces of this run            */
    bool begun;           /* a piece of this boot was taken                         */
    uint32_t skipped;     /* hundreds of numbers that were found taken              */
    uint32_t last;        /* a bit for each file of the end that the server has     */
    bool last_taken;      /* one of them is there, and is not this boot's           */
    uint32_t failing;     /* attempts that failed, one after another                */
    bool slow;            /* the console has said that the server is */
    uint64_t not_before;
    uint32_t requests, failed, taken; /* attempts in all, those that failed, files that the server took */
    uint64_t bytes;                   /* of the files that it took */
    char why[160];                    /* of the last failure */
    bool whole;                       /* report.sha256 is there */
};

/* out: a URL. ST_RANGE: too long, or none; then nothing is sent. */
MUST_CHECK enum status upload_begin(struct upload *u, const struct upload_ops *ops, void *context, const char *out,
                                    const char *run);
/* The run was begun by an earlier boot, and the server has this of it. Called once, with all that the medium has of the stream kept, before
 * anything is sent. Where the kept stream does not begin with the bytes that the server took, for the medium has lost some
 * of them, everything is sent again. Returns how many bytes are not. Pieces get numbers that the boot before has not used: after the mark
 * it has sent the rest of the stream at most, in one go, and there two pieces are longer than UPLOAD_PIECE together. */
uint64_t upload_go_on(struct upload *u, const struct upload_mark *m);
/* What the server has now. */
struct upload_mark upload_mark(const struct upload *u);
/* What the stream and the text have more, any number of bytes. Sends nothing. */
void upload_stream(struct upload *u, const char *bytes, size_t length);
void upload_text(struct upload *u, const char *bytes, size_t length);
/* Between two checks: whole lines that were not sent yet go out, unless the last failure, or a slow answer, is too recent. Never fails: what
 * stays is sent the next time. */
void upload_between(struct upload *u);
/* After the last line: pieces, then the five files; without report.figures or report.html where there was no memory for it. false: the report is not on the server, or not all
 * of it; u->why says why. Can be called again: what is there stays there. */
bool upload_end(struct upload *u, const struct kept *figures, const struct kept *page);
/* One sentence on what the network moved until now. Returns the length. */
size_t upload_describe(const struct upload *u, char *out, size_t size);
void upload_free(struct upload *u);
