/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim_files/disk.h: QEMU's disks take the host's time, and the guest is not to see it.
 *
 * Firmware asks a disk and polls until it answers; how often, the host decides. So firmware's block I/O is called
 * through functions of the shim, which tell the silicon when a request begins and when it has ended: the request then
 * has taken the time that one of so many bytes takes (plugin_clock.h), however long firmware polled.
 */
#pragma once
#include <efi.h>

#define DISKS 8u

extern EFI_GUID block_io_guid;

/* Every disk that firmware has by now, and has not been taken over yet; of more than DISKS the first. For a guest on the
 * boot processor. Source: UEFI specification 13.9 "Block I/O Protocol". */
void disks_take(EFI_BOOT_SERVICES *bs);
/* Firmware's own functions stand there again. */
void disks_return(void);

/* Around what waits for disks by other ways: connecting them. */
void disk_begin(void);
void disk_end(uint64_t bytes);
