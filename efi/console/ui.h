/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/console/ui.h: what the person in front of the machine sees and presses during a run.
 *
 * Owns the state of the screen (core/screen/screen.h) and which of the three ways of showing a run is in use. Everything that
 * the run has to tell passes through here; efi/console/console.h does the putting out. Drawing moves memory, so it happens
 * between checks, and between samples a few times a second, never while something is measured.
 */
#pragma once
#include <efi.h>

#include "core/engine/engine.h"
#include "core/screen/controls.h"

void ui_init(EFI_SYSTEM_TABLE *st);
/* As controls_choose_ui() decides. */
void ui_begin(const struct options *o, const char *version, const char *report);
/* What ui_begin() decided; UI_LINES before it. */
enum ui_choice ui_kind(void);

/* Now there is a machine to show, and time is known. Both must outlive the run. */
void ui_machine(const struct machine *m, struct platform *p);
/* The run is about to begin: what there is to do. */
void ui_checks(const struct engine *e);
/* Hooks of the engine. */
void ui_starting(const struct engine *e, const struct check_row *row, uint32_t index, uint32_t total);
void ui_finished(const struct engine *e, const struct check *c);
/* Looks at the keys, stays while the run is paused. true: stop before the next check. */
bool ui_wants_stop(void);
/* Between two samples: draws and looks at the keys, a few times a second at most. */
void ui_between(void);
/* These processors are given work. */
void ui_watch(const struct task *tasks, uint32_t n_tasks);
/* A line for the list of findings: what the comparison with a baseline said. */
void ui_found(const char *mark, const char *text);
/* The causes of the findings, in the report and on the screen. Frees what was kept of the checks. */
void ui_causes(struct report *r, struct engine *e, const struct machine *m);
/* -top: a table in the place of the screen or of the log, renewed in place; not where the console is the stream. After
 * ui_table_end() the log continues. */
void ui_table(const char *const *lines, uint32_t n);
void ui_table_end(void);
/* Lines that the table has room for. */
uint32_t ui_table_rows(void);
/* Whether q or Esc was pressed. */
bool ui_wants_end(void);
/* The verdict, and the digest of the stream in 64 digits. Processors and registers are back where they were. */
void ui_end(const struct engine *e, enum run_result result, const char *sha256);

/* The menu under the verdict. seconds: after so many without a key it answers ANSWER_BACK, 0: for ever. */
enum menu_answer ui_menu(uint32_t seconds);
/* Ids of the checks that did not pass (FAIL, WARN, ERROR), for ANSWER_FAILED. Returns how many, at most `most`. */
uint32_t ui_failed(const char **ids, uint32_t most);
/* The screen is given back, with the verdict on its first lines: what follows is lines again. */
void ui_close(void);
/* -list: every check, what it needs and which rows it judges. */
void ui_list_checks(void);
/* -list json: the same as one JSON text, a line a check. */
void ui_list_json(void);
