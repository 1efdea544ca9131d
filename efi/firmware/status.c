/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/status.h"

enum status status_from_efi(EFI_STATUS s)
{
    switch (s) {
    case EFI_SUCCESS:
        return ST_OK;
    case EFI_NOT_FOUND:
    case EFI_NO_MEDIA:
        return ST_ABSENT;
    case EFI_VOLUME_FULL:
        return ST_FULL;
    case EFI_WRITE_PROTECTED:
    case EFI_ACCESS_DENIED:
        return ST_READ_ONLY;
    case EFI_OUT_OF_RESOURCES:
        return ST_NO_MEMORY;
    case EFI_VOLUME_CORRUPTED:
        return ST_CORRUPT;
    case EFI_UNSUPPORTED:
        return ST_UNSUPPORTED;
    case EFI_TIMEOUT:
        return ST_TIMEOUT;
    case EFI_INVALID_PARAMETER:
        return ST_RANGE;
    default:
        return ST_IO;
    }
}
