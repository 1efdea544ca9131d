/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/page_rights.h: what firmware's page tables allow, and a page of our own that becomes code. */
#pragma once
#include <efi.h>

#include "arch/x86/cpu/paging.h"

/* The page tables that this processor has now. ST_UNSUPPORTED: it does not tell EFER. */
MUST_CHECK enum status page_tables_now(struct page_tables *t);

/* A page that was filled becomes code that is read-only, by EFI_CPU_ARCH_PROTOCOL. Returns the rights that it had, which
 * page_restore() puts back; 0: nothing was changed, since firmware does not have the protocol or refuses. Boot processor.
 * Source: PI specification 1.7, volume 2, 12.3.10 "EFI_CPU_ARCH_PROTOCOL.SetMemoryAttributes()". */
uint32_t page_only_code(EFI_SYSTEM_TABLE *st, uint64_t page);
void page_restore(EFI_SYSTEM_TABLE *st, uint64_t page, uint32_t rights);
