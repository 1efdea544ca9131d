/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_block.h: what a block of instructions does beside its accesses, in the one word that its
 * callback is given: ticks of its instructions, and lines of code that are fetched for it. */
#pragma once
#include <stdint.h>

#include "core/base/bits.h"

/* QEMU's blocks have at most 512 instructions, on at most two pages. */
#define BLOCK_TICKS BITS(13, 0)
#define BLOCK_LINES BITS(20, 14) /* 0: none is fetched            */
#define BLOCK_FIRST BITS(63, 21) /* number of the first of them   */

/* Of instructions from `begin` to before `end`, in lines of 64 bytes. */
static inline uint64_t block_lines(uint64_t begin, uint64_t end)
{
    uint64_t first = begin / 64;

    return field_put(BLOCK_FIRST, first) | field_put(BLOCK_LINES, (end - 1) / 64 - first + 1);
}
