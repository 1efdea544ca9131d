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

struct dice {
    uint64_t state;
};

static inline uint64_t dice_word(struct dice *d)
{
    return d->state = scramble(d->state);
}

/* 0 .. n - 1 */
static inline uint32_t dice_throw(struct dice *d, uint32_t n)
{
    return (uint32_t)(dice_word(d) >> 32) % n;
}
