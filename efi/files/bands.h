/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/files/bands.h: files of bands, from the stick or a server. */
#pragma once
#include <efi.h>

#include "core/bands/bands_choice.h"
#include "core/store/files.h"

#define BANDS_FOLDER "\\assay\\bands"

/* What option -bands asks for: "none"; "auto": every *.bands of BANDS_FOLDER on the volume that Assay came from, or after a boot from a
 * network the first of boot_source_names() there; or one
 * file. ST_ABSENT: the file that was asked for cannot be used on this machine, and choice says why. */
MUST_CHECK enum status bands_load(EFI_SYSTEM_TABLE *st, const struct volume *own, const struct machine *m,
                                  const char *option, struct bands_choice *choice);
