/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options.h: the command line and assay.cfg, one set of names for both.
 *
 *   -h -? --help        -list [boxes]     -version
 *   -count EVENTS       uncore events, "imc/cas_rd,cha/0x37:0x0f": counted while a load runs; nothing is checked
 *   -load read|write|nt-write|none        what runs meanwhile, on one processor of each package
 *   -size SIZE          over how much memory of each package, 64K to 1G, default 64M
 *   -t PATTERN          -skip PATTERN     may be repeated; shell patterns over check ids
 *   -quick              without -t: leaves out the checks that take long (core/engine/quick.c)
 *   -o FOLDER           where reports go, default \assay\reports
 *   -cpus LIST          "0-3,8": processor indices that take part; the boot processor always does
 *   -mem SIZE           working memory per node at most, 16M and more
 *   -repeat N           run the selection N times, 1 to 1000000
 *   -soak MINUTES       run it over and over until so many minutes are spent, to 43200; the last round is ended
 *   -v N                0 to 3
 *   -q                  only the verdict
 *   -ui auto|screen|lines|jsonl           what the console shows; auto: a screen where there are graphics, else lines
 *   -b                  stop after each page of lines
 *   -baseline FILE      compare with this earlier report.jsonl at the end
 *   -mp auto|blocking|sipi|bsp
 *   -exit return|menu|shutdown|reboot|qemu
 *   -config FILE        read this instead of \assay\assay.cfg; "-config none" reads none
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

enum mp_choice { MP_AUTO, MP_BLOCKING, MP_SIPI, MP_BSP };
enum load_choice { LOAD_READ, LOAD_WRITE, LOAD_NT_WRITE, LOAD_NONE };
enum ui_choice { UI_AUTO, UI_SCREEN, UI_LINES, UI_JSONL };
enum list_choice { LIST_NOTHING, LIST_CHECKS, LIST_BOXES };
enum exit_choice { EXIT_RETURN, EXIT_MENU, EXIT_SHUTDOWN, EXIT_REBOOT, EXIT_QEMU };

/* As they are spelled, in the order of the enums. */
extern const char *const options_mp_names[];
extern const char *const options_exit_names[];
extern const char *const options_load_names[];

#define OPTIONS_MEM_MIN  (UINT64_C(16) << 20)
#define OPTIONS_MEM_MAX  (UINT64_C(64) << 40)
#define OPTIONS_SIZE_MIN (UINT64_C(64) << 10)
#define OPTIONS_SIZE_MAX (UINT64_C(1) << 30)
#define OPTIONS_SIZE     (UINT64_C(64) << 20) /* default */
#define OPTIONS_SOAK_MAX 43200u               /* 30 days */
#define OPTIONS_CPU_MAX  4095u

#define OPTIONS_ROWS     64  /* options that there may be */
#define OPTIONS_PATTERNS 256 /* more than there are checks: "only the failed ones" names each */
#define OPTIONS_TEXT     128

struct options {
    bool help, version, quiet, page_breaks;
    enum list_choice list;
    char count[OPTIONS_TEXT]; /* "": no events */
    enum load_choice load;    /* default: read */
    uint64_t size_bytes;
    uint32_t n_tests, n_skips;
    char tests[OPTIONS_PATTERNS][OPTIONS_TEXT];
    char skips[OPTIONS_PATTERNS][OPTIONS_TEXT];
    char folder[OPTIONS_TEXT];
    char cpus[OPTIONS_TEXT];     /* "" = all */
    char config[OPTIONS_TEXT];   /* "" = default, "none" = none */
    char baseline[OPTIONS_TEXT]; /* "" = none */
    enum ui_choice ui;
    uint64_t mem_bytes; /* 0 = decided from the L3 size */
    bool quick;
    uint32_t repeat;       /* default 1 */
    uint32_t soak_minutes; /* 0: no soak */
    uint32_t verbose;      /* default 1 */
    enum mp_choice mp;
    enum exit_choice exit;       /* default: return */
    uint8_t given[OPTIONS_ROWS]; /* internal: by whom each was set, by row of the table */
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
/* The text of -h: every option, one line each, 80 columns. */
extern const char options_help[];
/* A config file with every option commented: what `make image` puts on the stick. */
extern const char options_sample_file[];
