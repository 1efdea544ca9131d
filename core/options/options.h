/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options.h: the command line and assay.cfg, one set of names for both.
 *
 * Which options there are, with their bounds and defaults, stands in core/options/options_table.c alone, a row each;
 * `assay.efi -h` shows it. What an option does is said where struct options is used.
 *
 * assay.cfg: lines `key = value` with the same names without the dash (`t = cmt.*`), '#' starts a comment; flags take
 * yes or no. A section `[baseboard NAME]` holds for machines whose baseboard-product-name is NAME, and wins over the
 * lines before the first section; the command line wins over the file.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/verdict.h"

/* Each in the order of its row's words. */
enum mp_choice { MP_AUTO, MP_BLOCKING, MP_SIPI, MP_BSP };
enum load_choice { LOAD_READ, LOAD_WRITE, LOAD_NT_WRITE, LOAD_NONE, LOAD_READ_REMOTE };
enum ui_choice { UI_AUTO, UI_SCREEN, UI_LINES, UI_JSONL, UI_JSONL_GZ };
enum list_choice { LIST_NOTHING, LIST_CHECKS, LIST_BOXES, LIST_JSON };
enum resume_choice { RESUME_AUTO, RESUME_ASK, RESUME_NEVER };
enum record_choice { RECORD_AUTO, RECORD_NO, RECORD_YES, RECORD_FULL };
enum exit_choice { EXIT_RETURN, EXIT_MENU, EXIT_SHUTDOWN, EXIT_REBOOT, EXIT_QEMU };

#define OPTIONS_ROWS     64  /* options that there may be */
#define OPTIONS_PATTERNS 256 /* more than there are checks: "only the failed ones" names each */
#define OPTIONS_TEXT     128

struct options {
    bool help, version, quiet, page_breaks;
    enum list_choice list;
    enum load_choice load;
    uint64_t size_bytes;
    uint32_t top_seconds; /* 0: no -top */
    uint32_t n_tests, n_skips, n_counts;
    char tests[OPTIONS_PATTERNS][OPTIONS_TEXT];
    char skips[OPTIONS_PATTERNS][OPTIONS_TEXT];
    char counts[OPTIONS_PATTERNS][OPTIONS_TEXT]; /* of events, separated by commas */
    char folder[OPTIONS_TEXT];
    char out[OPTIONS_TEXT];      /* "" = none */
    char token[OPTIONS_TEXT];    /* "" = none; never in a report */
    char cpus[OPTIONS_TEXT];     /* "" = all */
    char config[OPTIONS_TEXT];   /* "" = default, "none" = none */
    char baseline[OPTIONS_TEXT]; /* "" = none */
    char bands[OPTIONS_TEXT];    /* "auto", "none", or a file */
    enum ui_choice ui;
    uint64_t load_limit; /* bytes; 0: none (struct platform) */
    uint64_t mem_bytes;  /* 0 = decided from the L3 size */
    bool quick;
    bool pmi; /* checks may take interrupts by a handler of Assay's own */
    uint32_t repeat;
    uint32_t soak_minutes; /* 0: no soak */
    uint32_t verbose;
    enum mp_choice mp;
    enum exit_choice exit;
    enum warn_exit fail_on;
    enum resume_choice resume;
    enum record_choice record;
    uint32_t watchdog_seconds;   /* the most that a check or a phase may take; 0: no watchdog is armed */
    uint32_t pcr;                /* that the stream's digest is extended into; 0: none */
    uint8_t given[OPTIONS_ROWS]; /* internal: enum option_source of each, by row of the table */
};

struct options_error {
    char text[256]; /* names the option or key, the value, and the line where it is from a file */
};

void options_default(struct options *o);
/* text: the command line as ASCII, with or without the program name in front (a first word that does not start with
 * '-' is taken for it). Double quotes group. ST_RANGE: error->text says what, and o holds what stood before the fault.
 * Nothing is guessed: an option given twice, a value that looks like an option or a number out of range is an error. */
MUST_CHECK enum status options_parse_line(struct options *o, const char *text, struct options_error *error);
/* The config file's content; baseboard: baseboard-product-name, "" for none. Settings of the command line are kept:
 * call this after options_parse_line(). Every line is checked, also in sections for other boards. Lines end in LF or CR
 * LF, a UTF-8 byte order mark in front is skipped, a line is at most 255 characters long; values may stand in double
 * quotes. ST_RANGE: error->text names file, line, key and value. */
MUST_CHECK enum status options_parse_file(struct options *o, const char *text, size_t length, const char *file_name,
                                          const char *baseboard, struct options_error *error);
/* The same command line with these checks instead of whatever -t and -skip it had. ST_RANGE: more than
 * OPTIONS_PATTERNS, or no room; then out is empty. */
MUST_CHECK enum status options_line_for(const char *text, const char *const *ids, uint32_t n_ids, char *out,
                                        size_t size);
/* Whether `cpu` is in o->cpus ("" : all). The list was checked when it was parsed. */
bool options_has_cpu(const struct options *o, uint32_t cpu);

/* Whether the command line or a file set this option, by its first name. */
bool options_given(const struct options *o, const char *name);

/* One option as it is set. */
enum option_form { OPTION_BOOL, OPTION_NUMBER, OPTION_TEXT, OPTION_TEXTS };
struct option_value {
    const char *name;      /* without the dash: the key in assay.cfg                              */
    const char *parameter; /* its key in the stream's testRunStart.parameters; NULL: not there    */
    bool on_line;          /* the command line set it                                             */
    bool line_only;        /* assay.cfg cannot                                                    */
    bool answered;         /* with this value the run is an answer on the console, and no report  */
    enum option_form form; /* which of the following holds it                                     */
    bool yes;
    uint64_t number;
    const char *text;
    const char (*texts)[OPTIONS_TEXT];
    uint32_t n_texts;
};
/* How many options there are, and the i-th in the table's order. */
uint32_t options_count(void);
struct option_value options_value(const struct options *o, uint32_t i);

struct options_output {
    void (*write)(void *context, const char *text); /* a line at a time, with its end */
    void *context;
};
/* The text of -h: every option, 80 columns. */
void options_help(const struct options_output *out);
/* A config file with every option commented: what `make image` puts on the stick. */
void options_sample_file(const struct options_output *out);
