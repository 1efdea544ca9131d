/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/shell.h: who started Assay, and the boot manager's watchdog, which goes with that. */
#pragma once
#include <efi.h>
#include <stdbool.h>

/* Did a UEFI shell (or EFI 1.1 shell) start the image? The boot manager does not give it parameters. */
bool shell_started_image(EFI_SYSTEM_TABLE *st, EFI_HANDLE image);

void shell_watchdog_disarm(EFI_SYSTEM_TABLE *st);
/* As the boot manager arms it. Nothing where a shell started the image: it has disarmed the watchdog itself, and would
 * not know of ours. */
void shell_watchdog_restore(EFI_SYSTEM_TABLE *st, EFI_HANDLE image);
