/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/files/files_internal.h: what volumes (efi/files/volumes.c) and files on them (efi/files/files.c) share. */
#pragma once
#include "efi/files/files.h"

#define PATH_CHARS 256
#define MOUNTS     8u

struct mount {
    EFI_HANDLE handle; /* NULL: the driver cannot be connected again */
    EFI_FILE_HANDLE root;
    uint32_t generation; /* how often the root was another one: files that were opened before are no good */
    bool suffered;       /* an error of the medium, since its driver was connected */
};

struct mount *volume_mount(const struct volume *v);
EFI_FILE_HANDLE volume_root(const struct volume *v);
/* The driver forgets what it thinks of the medium, and what it has not written: file handles on the volume are no good then. */
void volume_connect_again(const struct volume *v);
/* Whether it may be another time. */
bool volume_error_passes(EFI_STATUS s);
/* After an error that may pass: it is noted, and a second goes by. */
void volume_suffer(const struct volume *v, EFI_STATUS s);
/* *f is NULL where it fails. */
EFI_STATUS volume_open_path(const struct volume *v, const char *path, UINT64 mode, UINT64 attributes,
                            EFI_FILE_HANDLE *f);
/* The first volume that is_it() accepts stands for the one that is gone. */
bool volume_replace(const struct volume *gone, void *context, bool (*is_it)(void *context, const struct volume *v));
