/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/load_options.h: the command line as UEFI hands it to an image (LoadOptions): UCS-2, or anything at all,
 * since a boot entry may carry bytes that are not text. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* As ASCII with blanks for tabs and line ends, up to a NUL or the end of the bytes; a byte-order mark in front is
 * skipped. ST_CORRUPT: it is no text (an odd number of bytes, control characters), and `text` says how many bytes.
 * ST_RANGE: longer than `size`, or a character that is not ASCII; `text` holds what stands before it. */
MUST_CHECK enum status load_options_text(const unsigned char *bytes, size_t n, char *text, size_t size);

/* Whether a text that no shell handed over is another program's, such as the boot arguments of Linux that U-Boot hands to every
 * image: options of Assay begin with '-', after one other word at most, the name of the program. */
bool load_options_are_foreign(const char *text);
