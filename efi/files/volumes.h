/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/files/volumes.h: volumes of firmware (EFI_SIMPLE_FILE_SYSTEM_PROTOCOL), as a store (core/store/store.h): the one that Assay
 * was started from, and those that a path names.
 */
#pragma once
#include <efi.h>

#include "core/store/files.h"

/* The volume that the image came from. ST_ABSENT: it came from none, as after a network boot. No other volume is looked for:
 * a disk with a folder \assay may be the machine's own. v->place is set in either case, where it came from a network. */
MUST_CHECK enum status volume_open(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, struct volume *v);

/* The volume that a path names in front of a ':', as the shell maps it ("fs0:\x") or by its label ("ASSAY:\x"), and
 * *path after that; own where it names none. Where there is no such volume, firmware's drivers are connected to all that they are
 * for, and it is looked for again. ST_ABSENT: no such volume; then v->root is NULL. A URL (core/net/boot_source.h) is a volume without
 * a root, and *path stays. */
MUST_CHECK enum status volume_of(EFI_SYSTEM_TABLE *st, const struct volume *own, const char **path, struct volume *v);

/* Closes the roots of all volumes that were opened: no volume can be used afterwards. */
void volumes_close(void);
