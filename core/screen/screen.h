/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/screen/screen.h: the one screen that is watched during a run: what is known goes in, character cells come out.
 *
 * Owns the layout, from 80 x 25 up, and nothing of any console: efi/console/console.c puts cells where they changed. Glyphs are
 * ASCII and those that the UEFI specification asks of every text console (2.10, 12.4, "Simple Text Output Protocol",
 * box drawing and block elements). Attributes are the same protocol's: foreground in bits 3:0, background in 6:4.
 */
#pragma once
#include "core/base/verdict.h"
#include "core/screen/qr.h"

#define SCREEN_COLUMNS_MIN 80u
#define SCREEN_ROWS_MIN    25u

#define GLYPH_FULL  0x2588u /* BLOCKELEMENT_FULL_BLOCK  */
#define GLYPH_SHADE 0x2591u /* BLOCKELEMENT_LIGHT_SHADE */
#define GLYPH_LINE  0x2500u /* BOXDRAW_HORIZONTAL       */
#define GLYPH_UPPER 0x2580u /* the upper half of a cell: no console needs to have it; only SCREEN_QR_HALVES uses it */
#define GLYPH_LOWER 0x2584u

struct screen_cell {
    uint16_t glyph;
    uint16_t attribute;
};

struct screen {
    uint32_t columns, rows;
    struct screen_cell *cells; /* rows x columns, row by row */
};

enum screen_cpu {                   /* what one processor does */
                  SCREEN_CPU_IDLE,  /* takes part, has nothing to do        */
                  SCREEN_CPU_ASKED, /* was asked for registers              */
                  SCREEN_CPU_WORK,  /* moves memory                         */
                  SCREEN_CPU_ALONE, /* takes no part                        */
                  SCREEN_CPU_LOST,  /* did not come back                    */
};

enum screen_view { SCREEN_RUN, SCREEN_HELP, SCREEN_END, SCREEN_LIST, SCREEN_QR };

/* How a QR code gets onto the screen: two modules in a cell, one in two cells beside each other, by whoever owns the
 * pixels of the left half, or not at all. */
enum screen_qr { SCREEN_QR_NONE, SCREEN_QR_HALVES, SCREEN_QR_WIDE, SCREEN_QR_PIXELS };

#define SCREEN_TEXT 736u /* an id, the longest finding and what qualifies it */
struct screen_line {
    bool monitor; /* the verdict on one or more monitors, at the end of a run */
    char mark[6]; /* "FAIL", "PASS", ... or "" */
    size_t ids;   /* characters of text that are ids of checks; 0: none */
    char text[SCREEN_TEXT];
};
#define SCREEN_LINES   256u /* the newest are kept */
#define SCREEN_UNKNOWN UINT64_MAX
#define SCREEN_KEYS    12u

struct screen_key { /* one entry of the last row */
    const char *key, *does;
};

struct screen_state {
    enum screen_view view;
    const char *version;
    bool ran_on;
    char machine[120], firmware[120], processor[120], report[160];
    char now[40];                 /* the check in progress, or what is done before and after the checks */
    char title[160];              /* its rule                                                           */
    uint32_t done, total;         /* checks; total 0: not known yet                                     */
    uint64_t elapsed_ms, left_ms; /* SCREEN_UNKNOWN: no estimate yet                            */
    struct verdict_counts counts;
    uint32_t n_cpus;
    const uint8_t *cpus; /* n_cpus times enum screen_cpu; may be NULL while there is none */
    bool paused, stopping, detail;
    uint32_t n_lines; /* ever said: lines[i % SCREEN_LINES] */
    struct screen_line lines[SCREEN_LINES];
    enum run_result result; /* SCREEN_END */
    uint32_t scroll;        /* SCREEN_LIST: lines left out at the top      */
    const struct qr *qr;    /* SCREEN_QR */
    enum screen_qr qr_kind;
    char qr_text[QR_TEXT_MAX + 1];
    char notice[80];                     /* above the last row; "" : none              */
    struct screen_key keys[SCREEN_KEYS]; /* up to the first without a key              */
};

/* Fills every cell. A screen below 80 x 25 shows what fits into its upper left part. */
void screen_draw(struct screen *s, const struct screen_state *state);
/* The same with these lines alone, the first of them bright: the table of -top. */
void screen_table(struct screen *s, const char *const *lines, uint32_t n);

/* The mark of a cause, which the end of a run shows before what was found. */
#define SCREEN_CAUSE "CAUSE"

/* Adds a line to what was found. mark: "" or up to five letters. */
void screen_say(struct screen_state *state, const char *mark, const char *text);
/* The same of a check that was skipped: one line for checks that follow each other with one reason. */
void screen_say_skipped(struct screen_state *state, const char *id, const char *why);
/* The same of a monitor: the end of a run shows it after the causes, for which there is always room, the list before them. */
void screen_say_monitor(struct screen_state *state, const char *mark, const char *text);

/* How many processors one cell of the map stands for, so that n_cpus fit on a screen of this size: a power of two. */
uint32_t screen_map_scale(uint32_t columns, uint32_t rows, uint32_t n_cpus);
/* Whether a code of this size fits on a screen so drawn, with two light modules around it. */
bool screen_qr_fits(uint32_t columns, uint32_t rows, uint32_t size, enum screen_qr kind);
/* Rows of SCREEN_LIST that this state has at this width: what scroll may go up to. */
uint32_t screen_list_rows(const struct screen_state *state, uint32_t columns);
