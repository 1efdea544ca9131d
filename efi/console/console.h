/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/console/console.h: the text console (VGA, BMC, serial line).
 *
 * One of two things at a time: a growing log of lines in ASCII, or a screen of cells of which those that changed are
 * put out. In the log, colours come from the status words; it is written for 80 columns and up, and a line is never
 * longer than what is given. May be called on the boot processor at TPL_CALLBACK or below, never inside a timed
 * section: a serial line is slow.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/screen/screen.h"

#define CONSOLE_COLUMNS 256u /* of a screen, at most: what is beyond is left alone */
#define CONSOLE_ROWS    96u

void console_init(EFI_SYSTEM_TABLE *system);
/* false: console_write() shows nothing (-q), nor console_progress() where nothing shows it. console_say() always does. */
void console_show(bool on);
/* true: the log stops after each page until a key is pressed; Esc or Q ends that. */
void console_page_breaks(bool on);
void console_write(const char *text, size_t length); /* part of the log; "\n" ends a line          */
/* The same without colours and page breaks, whatever console_show() said. */
void console_plain(const char *text, size_t length);
/* Text of several lines, whatever console_show() said. */
void console_write_always(const char *text);
void console_say(const char *format, ...) __attribute__((format(printf, 1, 2))); /* one whole line */
/* A line that the next output replaces: what is in progress now. "" takes it away. */
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Next key without waiting: 0 none, an ASCII character, or 0x100 | EFI scan code. */
uint32_t console_key(void);

/* From now on what console_say() and console_progress() are given goes to the function that draws the screen; NULL ends that. */
void console_listen(void (*listener)(const char *line, bool passing));
/* The largest text mode that the picture has, within CONSOLE_COLUMNS and CONSOLE_ROWS, where the console is a picture alone: the
 * screen is cleared. console_mode_back() sets the mode that was found. Where a serial line shows the same, firmware's mode of the
 * console for both. */
void console_largest(void);
void console_mode_back(void);
/* Columns and rows of the present mode, at most CONSOLE_COLUMNS and CONSOLE_ROWS. */
void console_size(uint32_t *columns, uint32_t *rows);
/* Whether firmware draws a console in pixels: then a person can watch a screen. */
bool console_has_graphics(void);
/* Puts out the cells that differ from the last screen, all of them after console_log(). The last cell of the last row
 * is left alone: writing it would scroll. */
void console_screen(const struct screen *s);
/* Whether the console has half blocks (GLYPH_UPPER, GLYPH_LOWER). */
bool console_has_halves(void);
/* Draws a QR code in pixels onto the left part of the text. false: there are no graphics, or no room. The next
 * console_screen() draws everything again. */
bool console_pixels(const struct qr *q);
/* Clears the screen; the log begins at its top. */
void console_log(void);
