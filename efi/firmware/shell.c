/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/shell.h"

#define WATCHDOG_SECONDS 300u     /* UEFI specification 2.10, 7.5 SetWatchdogTimer(): what the boot manager arms */
#define WATCHDOG_CODE    0x10000u /* the first code that is not firmware's own */

bool shell_started_image(EFI_SYSTEM_TABLE *st, EFI_HANDLE image)
{
    /* UEFI shell specification 2.2, 2.3 "EFI_SHELL_PARAMETERS_PROTOCOL"; and the EFI 1.1 shell's EFI_SHELL_INTERFACE. */
    EFI_GUID parameters = { 0x752f3136, 0x4e16, 0x4fdc, { 0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca } };
    EFI_GUID old_shell = { 0x47c7b223, 0xc42a, 0x11d2, { 0x8e, 0x57, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
    VOID *found;

    return !EFI_ERROR(st->BootServices->HandleProtocol(image, &parameters, &found)) ||
           !EFI_ERROR(st->BootServices->HandleProtocol(image, &old_shell, &found));
}

void shell_watchdog_disarm(EFI_SYSTEM_TABLE *st)
{
    (void)st->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
}

void shell_watchdog_restore(EFI_SYSTEM_TABLE *st, EFI_HANDLE image)
{
    if (!shell_started_image(st, image))
        (void)st->BootServices->SetWatchdogTimer(WATCHDOG_SECONDS, WATCHDOG_CODE, 0, NULL);
}
