/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/memory.h: working memory of known place, from firmware's memory map. Boot processor only.
 * Source: UEFI specification 2.10, 7.2 "Memory Allocation Services". */
#pragma once
#include <efi.h>
#include <stdint.h>

#include "core/base/status.h"

/* Take `bytes`, rounded up to 4 KiB, write-back memory inside [lo, hi): the lowest place that is free, at a 2 MiB
 * boundary where the size is at least that and such a place exists. ST_RANGE: bytes 0. ST_NO_MEMORY. */
MUST_CHECK enum status memory_take(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address);
/* The largest free piece of that kind inside [lo, hi), whole 4 KiB pages; 0: none. */
uint64_t memory_largest(EFI_SYSTEM_TABLE *st, uint64_t lo, uint64_t hi);
/* Each range that software or firmware may have data in: what is write-back and not reserved. */
void memory_each(EFI_SYSTEM_TABLE *st, void *context, void (*take)(void *context, uint64_t base, uint64_t bytes));
/* Every range of the map as firmware has it; type: UEFI specification 2.10, 7.2.3. */
void memory_map(EFI_SYSTEM_TABLE *st, void *context,
                void (*take)(void *context, uint64_t base, uint64_t bytes, uint32_t type));
/* Give back all that was taken. Firmware may clear it: seconds for each GiB. */
void memory_give_back(EFI_SYSTEM_TABLE *st);
