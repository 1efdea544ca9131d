/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/connect.h: firmware's drivers. */
#pragma once
#include <efi.h>

/* Every driver to everything that it is for: firmware that boots fast has connected what it boots from alone. */
void connect_all(EFI_BOOT_SERVICES *bs);
