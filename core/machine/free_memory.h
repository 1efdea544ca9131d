/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/free_memory.h: which piece of free memory is taken, from a list of what is free. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

#define FREE_PAGE       UINT64_C(4096)
#define FREE_LARGE_PAGE (UINT64_C(2) << 20)

struct free_range { /* physical addresses [begin, end), multiples of 4 KiB */
    uint64_t begin, end;
};

/* The lowest place for `bytes` (rounded up to pages) inside [lo, hi): on 2 MiB where it is as large and one fits, so that
 * large pages map nothing else, else on 4 KiB. Nothing below 1 MiB is taken: firmware starts processors there.
 * ST_RANGE: 0 bytes, or more than there are addresses. ST_NO_MEMORY. */
MUST_CHECK enum status free_memory_fit(const struct free_range *ranges, uint32_t n, uint64_t lo, uint64_t hi,
                                       uint64_t bytes, uint64_t *address);
/* Bytes of the largest piece inside [lo, hi), 0: none. */
uint64_t free_memory_largest(const struct free_range *ranges, uint32_t n, uint64_t lo, uint64_t hi);
