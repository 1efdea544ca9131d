/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/files/inputs.h: files that options name, looked for before anything is done to the machine. */
#pragma once
#include <efi.h>

#include "core/options/options.h"
#include "core/store/files.h"

/* The files of -baseline and -bands are there. ST_ABSENT: one is not, and error says which, and which other file in its folder
 * has the name most like it. Files of a server are looked for when they are read. */
MUST_CHECK enum status inputs_are_there(EFI_SYSTEM_TABLE *st, const struct volume *own, const struct options *o,
                                        struct options_error *error);
