/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/connect.h"

/* Firmware that boots fast has drivers for what it boots from alone. Source: UEFI 2.10, 7.3.12 "ConnectController()". */
void connect_all(EFI_BOOT_SERVICES *bs)
{
    EFI_HANDLE *handles;
    UINTN n = 0;

    if (EFI_ERROR(bs->LocateHandleBuffer(AllHandles, NULL, NULL, &n, &handles)))
        return;
    for (UINTN i = 0; i < n; i++)
        (void)bs->ConnectController(handles[i], NULL, NULL, TRUE);
    bs->FreePool(handles);
}
