/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/args.h: what was typed, and what stands in assay.cfg. */
#pragma once
#include <efi.h>

#include "arch/x86/tables/smbios.h"
#include "core/options/options.h"
#include "core/store/files.h"

/* The image's LoadOptions as one ASCII line ("" where there are none). The shell's begin with the command name; the
 * boot manager's may be absent or binary. ST_CORRUPT: not text (then text says how many bytes there are); ST_RANGE:
 * longer than size, or a character that is not ASCII. */
MUST_CHECK enum status args_command_line(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, char *text, size_t size);

/* assay.cfg, or the file that o->config names; after a boot from a network, where the volume has none, the first of
 * boot_source_names() that the server has, and a word on the console which. No file where none was asked for is no error. On any error `error` says
 * what and where. */
MUST_CHECK enum status args_config(EFI_SYSTEM_TABLE *st, struct options *o, const struct volume *v,
                                   const struct smbios_info *smbios, struct options_error *error);
/* Where no console is seen, the stick says why there is no report: text goes there, and to \assay\error.txt. NULL: what an earlier
 * start left there is out of date. */
void args_leave_word(const struct volume *v, const char *text);
