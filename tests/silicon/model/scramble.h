/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/scramble.h: splitmix64: numbers that look random and depend on the seed alone. */
#pragma once
#include <stdint.h>

static inline uint64_t scramble(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}
