/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/store/resume_run.h: what is left of a run that was interrupted, and the journal of this one.
 *
 * resume_find() looks before anything is written; where it took up no report, reports_choose() names a new one; then resume_begin().
 * resume_at() says what begins next: to the journal, and to the watchdog.
 */
#pragma once
#include "core/check/symptoms.h"
#include "core/journal/resume.h"
#include "core/stream/stream_tail.h"
#include "core/store/journal_file.h"
#include "core/store/reports.h"

/* What resuming needs of the machine. */
struct resume_ops {
    /* Whether the run is to be resumed that was interrupted; what: in which state. */
    bool (*ask)(const struct volume *v, const char *what, const char *folder);
    uint32_t (*arm)(uint32_t seconds);          /* watchdogs; returns for how many seconds they are armed */
    void (*last_steps)(char *out, size_t size); /* of the processors */
};

struct resume {
    const struct resume_ops *ops; /* set by the caller, before the first call */
    struct resume_plan plan;
    struct journal journal;
    struct journal_record found;   /* where plan.answer is not RESUME_NEW */
    struct stream_tail tail;       /* of its report */
    struct symptoms symptoms;      /* what its checks came to */
    const struct reports *reports; /* of the run; NULL before resume_begin() */
    bool busy;                     /* a record is being written */
    bool hung_now;                 /* found.check is one that the machine hung in: the tail does not know of it */
    uint32_t returns;              /* of *reports, that the journal knows of */
    uint64_t begun_tsc;
    uint32_t armed; /* seconds of the last arming */
};

/* Looks for the journal of this machine's last run, and for its report. *reports is opened where plan.answer is not
 * RESUME_NEW. Asks at the console where the option says so. */
void resume_find(struct resume *r, struct reports *reports, const struct volume *out, const char *folder,
                 const struct smbios_info *smbios, const struct options *o, const char *build_id);
/* The journal of this run: its report is in *reports. ST_ABSENT, ST_READ_ONLY, ST_FULL, ST_IO: there is none. */
MUST_CHECK enum status resume_begin(struct resume *r, const struct reports *reports, const struct volume *out);
/* What the server of -out has of the report that is resumed, as the journal knows. */
struct upload_mark resume_mark(const struct resume *r);
/* This begins now. check: of JOURNAL_CHECKING and of what comes after it, else NULL; seconds: of the watchdog. */
void resume_at(struct resume *r, const struct platform *p, enum journal_phase phase, const char *check, uint32_t round,
               uint32_t seconds);
/* A check finished: this boot made progress. */
void resume_progress(struct resume *r);
/* What an earlier boot did not come to the end of is in the report. */
void resume_told(struct resume *r);
/* The run is over, and so says the journal: unless the stream has no end, as its medium failed; then the next boot continues. */
void resume_end(struct resume *r);
/* What processors are at, into the journal: for watchdog_init(). */
void resume_last_words(void *context);
/* Whether the check that the found record names came to no end. */
bool resume_check_is_open(const struct resume *r);
