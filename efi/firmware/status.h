/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/status.h: firmware's statuses. Source: UEFI 2.10, appendix D. */
#pragma once
#include <efi.h>

#include "core/base/status.h"

/* Firmware's status as ours; what has no counterpart is ST_IO. */
enum status status_from_efi(EFI_STATUS s);
