/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/baseline.h: what changed since an earlier report of this machine.
 *
 * Both reports pass through the same reader, the present one while it is written and the earlier one from its file at
 * the end, each in memory that does not grow with the file. The rules are those of `assay-report diff`
 * (scripts/report/compare.py): enumerated figures (counts, bits) changed when they differ at all; measured ones when
 * they moved by more than three times the spread of the earlier run and by more than 2 %. The spread is half the range
 * over repetitions and over places of a kind ("domain=0", "domain=1") relative to their mean. A check that is a SKIP
 * now, or not there, is worse than a PASS. Unlike in diff, bounds are not read, so that a measured figure is
 * never worse, and figures at fewer places are not named.
 */
#pragma once
#include "core/base/status.h"
#include "core/stream/stream_reader.h"

#ifndef BASELINE_FIGURES              /* tests/fuzz/build has them smaller: its inputs are */
#define BASELINE_FIGURES 8192u        /* at most; what is more is counted, and not compared */
#define BASELINE_TEXT    (768u << 10) /* characters of their names                          */
#define BASELINE_CHECKS  512u
#define BASELINE_UNDO    4096u /* a step lists at most 1024 measurements, each in two tables */
#endif
#define BASELINE_FACTS 48u /* versions, serial number, enumerated numbers        */
#define BASELINE_FACT  96u

struct baseline_figure {
    uint32_t key;  /* where its names begin in text: check, name, location, unit, each with its end */
    uint32_t hash; /* of check, name and location                                                 */
    uint32_t n;    /* 0: this place of the table is free                                          */
    bool whole;    /* only whole numbers so far                                                   */
    double sum, lo, hi;
};

struct baseline_check {
    char id[48];
    uint8_t rank; /* enum stream_verdict of its worst round */
};

struct baseline_fact {
    char name[40], value[BASELINE_FACT];
};

struct baseline_undo { /* a figure as it was before a value of the open step was added */
    struct baseline_figure *at, was;
};

/* One report, read. */
struct baseline {
    struct stream_reader reader;              /* started: it is a report */
    struct baseline_figure *figures, *groups; /* [BASELINE_FIGURES]; groups: kinds of places */
    uint16_t *order;                          /* indices into figures, as they came */
    uint32_t n_figures, n_groups, n_checks, n_facts;
    char *text;
    uint32_t text_length;
    struct baseline_check *checks;
    struct baseline_fact *facts;
    uint32_t lost;      /* figures for which there was no room                    */
    uint32_t bad_lines; /* faults of its lines (core/stream/stream_reader.h)       */
    struct {            /* of the softwareInfo that is being read                  */
        char software[64], version[64], revision[64];
    } now;
    struct {
        struct baseline_undo *undo;
        uint32_t n, text_length;
    } open; /* the step that is open */
};

/* Memory for one report. ST_NO_MEMORY: then everything below does nothing. */
MUST_CHECK enum status baseline_open(struct baseline *b);
/* The next `length` bytes of the stream, cut anywhere. Lines that are none of the format, and figures for which there is
 * no room, are passed over and counted in b->bad_lines and b->lost. */
void baseline_add(struct baseline *b, const char *bytes, size_t length);
/* The stream is over: a last line without its end counts. */
void baseline_end(struct baseline *b);
/* Gives the memory back; also after baseline_open() failed. */
void baseline_free(struct baseline *b);

struct baseline_output {
    /* mark: "WARN" for what got worse, "" for any other change. */
    void (*say)(void *context, const char *mark, const char *text);
    /* Whether this run should have run the check of this id: then it is named where it is gone. NULL: none. */
    bool (*expected)(void *context, const char *id);
    void *context;
};

/* Tells every change, what got worse first within identity, statuses and figures, at most `most` lines and then how
 * many there were. Returns how many changes there are. */
uint32_t baseline_compare(const struct baseline *old, const struct baseline *now, uint32_t most,
                          const struct baseline_output *out);
