/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/volume/around.h: a console in memory and no watchdog, for core/store. */
#pragma once
#include "core/store/resume_run.h"

/* All that the console was given since around_begin(), NUL-terminated. */
extern char around_console[65536];
void around_begin(void);
extern const struct report_console around_reports;
extern const struct resume_ops around_machine;
