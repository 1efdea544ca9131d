/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/screen/controls.h: what keys do to the screen's state: in a run, in the list of findings, in the menu at the end;
 * and in which way a run is shown at all. efi/console/ui.c reads keys and draws.
 *
 * A key is its character, or KEY_SCAN() of UEFI's scan code (UEFI specification 2.10, appendix B "Console", EFI scan
 * codes).
 */
#pragma once
#include "core/options/options.h"
#include "core/screen/screen.h"

#define KEY_SCAN(code) (0x100u | (code))
#define KEY_UP         KEY_SCAN(0x01u)
#define KEY_DOWN       KEY_SCAN(0x02u)
#define KEY_PAGE_UP    KEY_SCAN(0x09u)
#define KEY_PAGE_DOWN  KEY_SCAN(0x0Au)
#define KEY_F1         KEY_SCAN(0x0Bu)
#define KEY_ESC        KEY_SCAN(0x17u)

struct console_abilities {
    uint32_t columns, rows;
    bool graphics; /* firmware draws its console in pixels: a person can watch a screen */
    bool halves;   /* it has GLYPH_UPPER and GLYPH_LOWER                                */
};

/* UI_AUTO is a screen where the console has graphics, else lines. A screen needs 80 x 25 cells; -q shows lines. */
enum ui_choice controls_choose_ui(const struct options *o, const struct console_abilities *console);

/* How a code of `size` modules gets onto this console: pixels where there are any, else the way that fits. size 0: there
 * is no code. */
enum screen_qr controls_qr_kind(const struct console_abilities *console, uint32_t size);

/* A key during a run: stop, pause, detail, help. Stopping ends a pause. */
void controls_run_key(struct screen_state *s, uint32_t key);
/* A key while the list of findings is shown. true: it was one of the list's. */
bool controls_list_key(struct screen_state *s, uint32_t columns, uint32_t rows, uint32_t key);
/* Another key at the end: list, detail, back. true: the QR code is to be shown, or put away again. */
bool controls_end_key(struct screen_state *s, uint32_t key);

/* What a key in the menu at the end asks for; ANSWER_NONE: nothing that ends the menu. ANSWER_FAILED only where a check
 * failed that could be run again. */
enum menu_answer { ANSWER_NONE, ANSWER_BACK, ANSWER_SHUTDOWN, ANSWER_REBOOT, ANSWER_AGAIN, ANSWER_FAILED };
enum menu_answer controls_answer(uint32_t key, bool any_failed);

/* The last row: the keys that do something now. run_over: the verdict is there; in_menu: and its keys are looked at. */
void controls_show_keys(struct screen_state *s, bool run_over, bool in_menu, bool any_failed);

/* Time left: of a soak, what it lasts (then its last round ends at a time that is not known); else `estimate`. */
uint64_t controls_left_ms(uint64_t soak_ms, uint64_t elapsed_ms, uint64_t estimate);
