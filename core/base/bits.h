/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/bits.h: register fields. BITS(hi, lo) and BIT(n) are masks; field_get and field_put do the shifting, so that no
 * digit of a layout stands in a function. */
#pragma once
#include <stdint.h>

#define BIT(n)       (UINT64_C(1) << (n))
#define BITS(hi, lo) ((UINT64_MAX >> (63 - (hi))) & ~(BIT(lo) - 1))

static inline uint64_t field_get(uint64_t mask, uint64_t value)
{
    return mask ? (value & mask) >> __builtin_ctzll(mask) : 0;
}

/* The bits of value that do not fit the field are cut off: check the range before. */
static inline uint64_t field_put(uint64_t mask, uint64_t value)
{
    return mask ? (value << __builtin_ctzll(mask)) & mask : 0;
}

static inline uint64_t low_bits(unsigned n) /* n ones, n = 0 .. 64 */
{
    return n == 0 ? 0 : n >= 64 ? UINT64_MAX : BIT(n) - 1;
}

/* Bits that count from 0 to max need: ceil(log2(max + 1)). */
static inline unsigned bits_for(uint64_t max)
{
    return max == 0 ? 0 : 64u - (unsigned)__builtin_clzll(max);
}

/* How many bits are set. Not __builtin_popcount: without the instruction that calls a library which the payload has
 * not. */
static inline unsigned count_bits(uint64_t value)
{
    unsigned n = 0;

    for (; value; value &= value - 1)
        n++;
    return n;
}
