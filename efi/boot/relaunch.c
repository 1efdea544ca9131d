/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/status.h"
#include "efi/boot/relaunch.h"

#include <string.h>

/* Source: UEFI specification 2.10, 9.2: the whole path of the device and the file. */
static EFI_GUID path_guid = { 0xbc62157e, 0x3e33, 0x4fec, { 0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7, 0x50, 0xdf } };
static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;

enum status relaunch(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, const char *line, EFI_STATUS *answer)
{
    static CHAR16 wide[RELAUNCH_LINE];
    EFI_BOOT_SERVICES *bs = st->BootServices;
    EFI_DEVICE_PATH *path = NULL;
    EFI_LOADED_IMAGE *loaded;
    EFI_HANDLE copy;
    EFI_STATUS s;
    size_t n = strlen(line);

    if (n >= RELAUNCH_LINE)
        return ST_RANGE;
    if (EFI_ERROR(bs->HandleProtocol(image, &path_guid, (void **)&path)) || !path)
        return ST_ABSENT;
    s = bs->LoadImage(FALSE, image, path, NULL, 0, &copy);
    if (EFI_ERROR(s))
        return status_from_efi(s);
    if (!EFI_ERROR(bs->HandleProtocol(copy, &loaded_image_guid, (void **)&loaded))) {
        for (size_t i = 0; i <= n; i++)
            wide[i] = (CHAR16)(unsigned char)line[i];
        loaded->LoadOptions = wide;
        loaded->LoadOptionsSize = (UINT32)((n + 1) * sizeof *wide);
    }
    *answer = bs->StartImage(copy, NULL, NULL);
    return ST_OK;
}
