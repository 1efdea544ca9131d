/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/identity.h: what the image and firmware say of themselves. */
#pragma once
#include <efi.h>

#include "core/machine/machine.h"

/* The linker's build id of this image, 40 hexadecimal digits. */
void identity_build_id(char out[41]);
/* Whether Secure Boot is on, into m. Source: UEFI 2.10, 3.3 "Globally Defined Variables". */
void identity_secure_boot(EFI_SYSTEM_TABLE *st, struct machine *m);
