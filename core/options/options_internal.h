/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options_internal.h: what the parts of the option parser share. Nothing outside core/options*.c needs it.
 *
 * options_table.c  every option as a row: names, kind of value, bounds, where it goes
 * options.c        the command line
 * options_file.c   assay.cfg
 * options_help.c   -h and the sample file
 *
 * A new option is a field in struct options, a row in the table, and a paragraph in each text of options_help.c.
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
    KIND_CPUS,     /* 0-3,8                                                                      */
    KIND_PATTERNS, /* may be repeated                                                            */
};

struct option {
    const char *names[3]; /* without the dash */
    enum option_kind kind;
    uint32_t index;             /* into options.given                                            */
    size_t field, count;        /* where in struct options; KIND_PATTERNS: and the field with their number */
    uint64_t lo, hi;            /* of a number or size                                           */
    const char *outside;        /* said of a value outside: "is outside 1 to 5"                  */
    const char *const *choices; /* KIND_CHOICE, in the order of the enum                         */
    const char *none;           /* said of a value that is no choice, or no size                 */
    bool alone;                 /* KIND_CHOICE: on the command line the name alone is the choice "yes" */
    bool line_only;             /* cannot stand in assay.cfg                                     */
};

/* The row of a name without its dash, NULL where there is none. */
const struct option *option_find(const char *name);

/* Who said so. A stronger voice replaces what a weaker one said; two of the same strength contradict each other. */
enum voice { VOICE_NONE, VOICE_FILE, VOICE_BOARD, VOICE_LINE };
enum voice option_voice(const struct options *o, const struct option *option);

/* NULL, or what is wrong with the value, so that "-mem "12X" is not a size" reads as a sentence. Changes nothing. */
const char *option_fault(const struct option *option, const char *text);
/* Sets one option, unless a stronger voice has. NULL, or what is wrong. */
const char *option_set(struct options *o, const struct option *option, const char *text, enum voice voice);

/* Writes the message with what is not printable replaced by '?', and returns ST_RANGE. */
enum status options_refuse(struct options_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
