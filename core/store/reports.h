/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/store/reports.h: where the report of a run goes: a new folder on the volume, and the console.
 *
 * Owns report.jsonl, report.txt, report.figures, report.html, report.sha256 and what is put beside them. A medium that fails is reported once; then the run continues and
 * shows its text on the console: what was measured is not lost to the reader.
 */
#pragma once
#include "arch/x86/tables/smbios.h"
#include "core/report/baseline.h"
#include "core/report/folder.h"
#include "core/options/options.h"
#include "core/report/report.h"
#include "core/stream/stream_tail.h"
#include "core/encoding/wire.h"
#include "core/net/upload.h"
#include "core/store/files.h"

/* What is shown while a report is written. */
struct report_console {
    void (*log)(const char *bytes, size_t length);   /* the text report             */
    void (*plain)(const char *bytes, size_t length); /* the stream, where it goes there too */
    void (*say)(const char *line);
    void (*progress)(const char *line); /* "": nothing is under way   */
};

struct reports {
    const struct report_console *console; /* set by the caller, before the first call */
    const struct volume *volume;
    char folder[OPTIONS_TEXT + 128];
    struct file jsonl, text;
    bool medium_failed; /* and it was shown: the run cannot end with PASS */
    bool no_medium;     /* there was none, and none is needed: the report goes to a server */
    uint32_t returns;   /* how often a medium that had failed took the report again */
    bool on_wire;
    struct wire wire;        /* -ui jsonl: the stream on the console too     */
    struct sha256 sha;       /* of the stream as it was meant                */
    struct upload *upload;   /* keeps both for a server; may be NULL */
    struct baseline *reader; /* reads the stream while it is written, for a comparison; may be NULL */
};

/* The report's folder: folder\SERIAL-TIME (or -2, -3, ...; now: NULL where firmware's clock fails), which is not there; the one around it is made. ST_ABSENT: no
 * volume; ST_READ_ONLY, ST_FULL, ST_IO, ST_RANGE: the console shows the results, and nothing is on the medium. */
MUST_CHECK enum status reports_choose(struct reports *r, const struct calendar *now, const struct volume *v,
                                      const char *folder, const struct smbios_info *smbios);
/* Makes it, and two empty files in it; where the medium fails, in a folder of another name. ST_FULL, ST_IO, as above. */
MUST_CHECK enum status reports_create(struct reports *r);
/* The report of an earlier boot, in folder\name: what it writes goes after what is there, and *t is where the stream stands.
 * What a power cut left after the last sound line is cut off, but for the first `flushed` bytes: a stream that is damaged
 * there is let alone. NULL; or why it cannot be resumed, and nothing is open then. */
const char *reports_reopen(struct reports *r, const struct volume *v, const char *folder, const char *name,
                           uint64_t flushed, struct stream_tail *t);
/* The last part of r->folder. */
const char *reports_run(const struct reports *r);
/* Of a report that was opened again: what the stream held goes to the digest, to the console and to r->reader. */
void reports_replay(struct reports *r);
/* Into report.txt alone, and onto the medium: the words that stand there if nothing follows. */
void reports_first_words(struct reports *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The stream now goes to the console too (core/encoding/wire.h), packed or as it is. */
void reports_begin_wire(struct reports *r, bool packed);
struct sink reports_jsonl(struct reports *r);
struct sink reports_text(struct reports *r);
/* A file more beside the report, which is whole or not there. */
MUST_CHECK enum status reports_put(struct reports *r, const char *name, const void *bytes, size_t length);
/* Before the last lines, where the medium failed: it is waited for, and the report is written to it from memory. Where it stays
 * away, and the option that named the folder named another volume than `own`, the report goes to the same folder there. */
void reports_settle(struct reports *r, const struct volume *own, const char *option);
/* Whether there should be a report on a medium, and it is not there, or not all of it. */
static inline bool reports_failed(const struct reports *r)
{
    return r->medium_failed && !r->no_medium;
}
/* After the last line: report.figures and report.html are written from the stream, report.sha256 has the digests of the four,
 * and everything is closed. false: one of the three could not be written, and is not there. */
bool reports_close(struct reports *r);
