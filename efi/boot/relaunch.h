/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/relaunch.h: Assay started again from where this image came from. */
#pragma once
#include <efi.h>

#include "core/base/status.h"

#define RELAUNCH_LINE 12288u /* characters of a command line, with its end */

/* Loads and starts another copy of this image with this command line (ASCII, fewer than RELAUNCH_LINE characters), and
 * comes back when that one returns. A new image has none of the last run's state, so nothing of it can leak into the
 * next. *answer: what it returned. ST_ABSENT: firmware does not say where this image came from, or it is gone;
 * ST_RANGE: the line is too long. */
MUST_CHECK enum status relaunch(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, const char *line, EFI_STATUS *answer);
