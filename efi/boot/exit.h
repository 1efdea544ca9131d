/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/exit.h: how Assay ends: back to the caller, menu, power off, reboot, or QEMU's exit port. */
#pragma once
#include <efi.h>

#include "core/engine/engine.h"

/* Does what is asked; returns only for EXIT_RETURN and for the menu's "back to firmware" and "again", with the image's
 * status. EXIT_RETURN without a shell after it shows the menu for 30 s, and a key stops that clock: firmware's boot
 * manager clears the screen. Everything must be flushed and put back before. command_line is what this run had. */
EFI_STATUS exit_run(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, enum exit_choice how, uint32_t status,
                    const char *command_line);

/* A processor still runs in Assay's memory: going back to firmware would crash it. The reader gets 30 s, then the
 * machine is reset; with EXIT_SHUTDOWN it is powered off, with EXIT_QEMU the debug port is written first. Does not
 * return. */
void exit_by_reset(EFI_SYSTEM_TABLE *st, enum exit_choice how, uint32_t status);
