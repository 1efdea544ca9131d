/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim_files/volume.h: what the shim reads from its own small volume, and what it starts from others. */
#pragma once
#include <efi.h>

#define CONFIG_TEXT    512u
#define CONFIG_DRIVERS 4u

enum after { AFTER_EXIT, AFTER_RETURN, AFTER_SHUTDOWN };

/* \silicon\shim.cfg: lines `key = value`; '#' starts a comment line. Text is ASCII there, CHAR16 here. */
struct config {
    CHAR16 payload[CONFIG_TEXT];                 /* payload = \EFI\BOOT\BOOTX64.EFI (the default), on another volume  */
    CHAR16 options[CONFIG_TEXT];                 /* options = ...: its LoadOptions, none by default                   */
    CHAR16 drivers[CONFIG_DRIVERS][CONFIG_TEXT]; /* driver = \X.EFI: started first, from the shim's own volume        */
    UINTN n_drivers;
    BOOLEAN x2apic;   /* apic = xapic|x2apic: what mode firmware leaves the local APICs in, as the payload sees it */
    enum after after; /* after = exit|return|shutdown: when the payload returns; exit: isa-debug-exit with its status */
};

/* Read the configuration from the volume `own`. No file: the defaults. FALSE: a line is no good, and was shown. */
BOOLEAN config_read(EFI_SYSTEM_TABLE *st, EFI_HANDLE own, struct config *c);

/* A file of a volume, to be read; NULL: there is none. */
EFI_FILE_HANDLE volume_open(EFI_SYSTEM_TABLE *st, EFI_HANDLE volume, CHAR16 *path);

/* The first volume but `own` that has a file of that name; NULL: there is none. */
EFI_HANDLE volume_with(EFI_SYSTEM_TABLE *st, EFI_HANDLE own, CHAR16 *path);

/* Load an image of a volume with the given LoadOptions ("" for none). Fails with LoadImage's status. */
EFI_STATUS volume_load(EFI_SYSTEM_TABLE *st, EFI_HANDLE parent, EFI_HANDLE volume, CHAR16 *path, CHAR16 *options,
                       EFI_HANDLE *image);

/* Print texts: say(st, L"a", L"b"); */
#define say(st, ...) say_texts(st, (const CHAR16 *const[]){ __VA_ARGS__, NULL })
void say_texts(EFI_SYSTEM_TABLE *st, const CHAR16 *const *texts);
