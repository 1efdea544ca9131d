/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/volume/around.h: what stands beside efi/files/files.c, volumes.c, reports.c, journal.c and resume.c in the payload, for the host: a
 * console in memory, no network, no watchdog. */
#pragma once
#include <stddef.h>

/* All that the console was given since around_begin(), NUL-terminated. */
extern char around_console[65536];
void around_begin(void);
