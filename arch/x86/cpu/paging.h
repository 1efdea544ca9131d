/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/paging.h: what page tables let a processor in ring 0 do with memory.
 *
 * Source: SDM vol. 3A 4.5 "4-Level Paging and 5-Level Paging", 4.6.1 "Determination of Access Rights"; APM vol. 2 5.3
 * "Long-Mode Page Translation". Pages of user mode are code for ring 0 only where CR4.SMEP is clear.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

struct page_tables {
    uint64_t cr0, cr3, cr4, efer;
    /* The entry at this physical address. */
    uint64_t (*read)(void *context, uint64_t physical);
    void *context;
};

/* In the sense of chmod: what all levels of the tables, CR0.WP, EFER.NXE and CR4.SMEP allow. */
#define PAGE_READ    4u
#define PAGE_WRITE   2u
#define PAGE_EXECUTE 1u

/* Rights on the page that has this address, 0: it is not mapped. *end: the first address after it, or after what is not
 * mapped with it. */
uint32_t paging_rights(const struct page_tables *t, uint64_t address, uint64_t *end);

/* Rights over a range: a bit is set where any page has it. *both: the first address that is writable and executable, else
 * untouched. Returns 0 where nothing is mapped, and for 0 bytes. */
uint32_t paging_range_rights(const struct page_tables *t, uint64_t base, uint64_t bytes, uint64_t *both);

/* "rw-". */
const char *paging_rights_text(uint32_t rights);
