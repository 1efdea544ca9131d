/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/rollover.h: differences of counters that wrap. */
#pragma once
#include <stdint.h>

#include "core/base/bits.h"

/* How far a counter of `width` bits went from `old` to `new`, modulo 2^width; bits beyond the width are ignored. Right
 * as long as it went less than once round. width 1 .. 64; 0 gives 0. */
static inline uint64_t counter_delta(uint64_t old, uint64_t new, unsigned width)
{
    return (new - old) & low_bits(width);
}

/* The same, below 0 where that is more than half of its range: nothing moves so much between two reads here, so it
 * decreased by so many. width 1 .. 63. */
static inline int64_t counter_moved(uint64_t old, uint64_t new, unsigned width)
{
    uint64_t forward = counter_delta(old, new, width);

    return forward > low_bits(width) / 2 ? -(int64_t)counter_delta(new, old, width) : (int64_t)forward;
}
