/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/mmio.h: memory-mapped registers that firmware left out of its page tables. Boot processor only.
 *
 * Firmware maps memory, and of the devices what it uses itself; a memory controller's registers may lie outside. What
 * is missing is added to firmware's own tables as uncacheable, 2 MiB at a time, and taken out again at the end.
 * Source: SDM vol. 3A 4.5 "4-Level Paging and 5-Level Paging", 4.9 "Paging and Memory Typing".
 */
#pragma once
#include <efi.h>
#include <stdint.h>

#include "core/base/status.h"

/* Map the 2 MiB (or, where firmware has a table of 4 KiB pages there, the page) around a physical address to itself.
 * ST_OK: it was missing and is there now. ST_ABSENT: it is mapped, or no such physical address can be.
 * ST_NO_MEMORY: nothing was changed. */
MUST_CHECK enum status mmio_map(uint64_t address);
/* Take every entry out again, and give the tables' memory back. */
void mmio_unmap_all(EFI_SYSTEM_TABLE *st);
