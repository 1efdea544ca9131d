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

/* As platform_ops.mmio_read and mmio_write. At the first access to what is not mapped, the 2 MiB around it (or, where
 * firmware has a table of 4 KiB pages there, the page) are mapped to themselves. ST_PAGE_FAULT: they are mapped, or no such
 * physical address can be, or there is no memory for tables. ST_RANGE: the width, or the address is not aligned to it. */
MUST_CHECK enum status mmio_load(uint64_t address, uint32_t width, uint64_t *value);
MUST_CHECK enum status mmio_store(uint64_t address, uint32_t width, uint64_t value);
/* Take every entry out again, and give the tables' memory back. */
void mmio_unmap_all(EFI_SYSTEM_TABLE *st);
