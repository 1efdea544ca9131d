/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options_internal.h: what the parts of the option parser share. Nothing outside core/options needs it.
 *
 * options_table.c  every option as a row, which has everything that is known of it
 * options_value.c  what a value may be by its row, and where it goes
 * options.c        the command line
 * options_file.c   assay.cfg
 * options_help.c   -h and the sample file, written from the rows
 *
 * A new option is a row in the table, a field in struct options, and the place that uses it.
 */
#pragma once
#include "core/options/options.h"

enum option_kind {
    KIND_FLAG,     /* yes or no into a bool; on the command line the name alone is yes           */
    KIND_CHOICE,   /* one of a list of words, into an enum                                       */
    KIND_NUMBER,   /* into a uint32_t                                                            */
    KIND_SIZE,     /* with a suffix K M G T, into a uint64_t                                     */
    KIND_TEXT,     /* printable ASCII                                                            */
    KIND_PATH,     /* the same, without what FAT forbids; a volume may stand in front: "fs0:\x"  */
    KIND_SOURCE,   /* the same, or a URL: a file that is read                                    */
    KIND_TARGET,   /* a URL of a folder that is written to, without what would be a secret in a report */
    KIND_CPUS,     /* 0-3,8                                                                      */
    KIND_PATTERNS, /* of check ids; may be repeated                                              */
};

struct option_word {
    const char *word, *help; /* help: what it means where the word does not say it, or NULL */
};

struct option {
    const char *names[3]; /* without the dash; the first one is the key in assay.cfg          */
    enum option_kind kind;
    size_t field, count;             /* where in struct options; KIND_PATTERNS: and their number         */
    uint64_t lo, hi;                 /* of a number or size; hi: the highest processor of KIND_CPUS      */
    const struct option_word *words; /* KIND_CHOICE: in the order of the enum, ended by a NULL           */
    const char *argument;            /* what help calls the value; NULL: -h shows the words one by one   */
    const char *help;                /* what it does; words, bounds and default are written after it    */
    const char *preset;              /* the default; NULL: zeros, or the first of the words              */
    const char *unset;               /* said for a default that is no value: "all"                       */
    const char *example;             /* in the sample file; NULL: the default                            */
    const char *parameter;           /* key in the stream's parameters; NULL: not in the stream          */
    const char *answers[2];          /* values with which the run only answers: no check, no report      */
    bool alone;                      /* KIND_CHOICE: on the command line the name alone is "yes"         */
    bool line_only;                  /* cannot stand in assay.cfg                                        */
    bool file_only;                  /* cannot stand on the command line, which is in the report         */
};

extern const struct option option_table[];
extern const uint32_t n_options;

/* The row of a name without its dash, NULL where there is none; and the name that is spelled most like it. */
const struct option *option_find(const char *name);
const char *option_nearest(const char *name);
uint32_t option_index(const struct option *option);
/* The value that an option has when nothing is said, as it is spelled; "" where it is none. */
const char *option_default(const struct option *option);

/* Who set an option. A stronger source replaces what a weaker one said; two of the same contradict each other. */
enum option_source { SOURCE_NONE, SOURCE_FILE, SOURCE_BOARD, SOURCE_LINE };
enum option_source option_source(const struct options *o, const struct option *option);

struct option_fault {
    char text[160]; /* "is outside 16M to 64T": what stands after the option and its value */
};
/* Whether the value is one that the row allows. Changes nothing but fault. */
bool option_allows(const struct option *option, const char *value, struct option_fault *fault);
/* Sets one option, unless a stronger source has. false: fault says why not. */
bool option_set(struct options *o, const struct option *option, const char *value, enum option_source source,
                struct option_fault *fault);
/* "0 to 3", "16M to 64T" */
void option_bounds(const struct option *option, char *out, size_t size);

/* Writes the message with what is not printable replaced by '?', and returns ST_RANGE. */
enum status options_refuse(struct options_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
