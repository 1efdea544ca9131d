/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_l1.h: does a processor's L1 answer an access? Every access asks, so the test stands where its
 * callers' compiler sees it, and compares a set's words with three vector instructions. The words are read as vectors
 * while others may change one of them; each 32-bit word is read whole on any x86. */
#pragma once
#include <emmintrin.h>

#include "tests/silicon/model/model_state.h"

/* Words of the L1: the line's number above its set's bits, and two flags. */
#define L1_VALID     1u
#define L1_WRITE     2u /* a store needs to tell nobody: owned and already dirty */
#define L1_TAG_SHIFT 2u
#define L1_STRIDE    16u /* words of a set: one line of the host */
#define L1_MAX_WAYS  12u

/* Loads find the word with or without L1_WRITE, stores with it. */
static inline bool l1_has(const struct cpu *c, uint64_t line, bool store)
{
    const __m128i *set = (const __m128i *)(const void *)(c->l1 + (line & c->l1_mask) * L1_STRIDE);
    __m128i want = _mm_set1_epi32((int)((uint32_t)(line >> c->l1_shift) << L1_TAG_SHIFT | L1_VALID | L1_WRITE));
    __m128i ignore = store ? _mm_setzero_si128() : _mm_set1_epi32((int)L1_WRITE);
    __m128i hits = _mm_cmpeq_epi32(_mm_or_si128(_mm_load_si128(set), ignore), want);

    for (uint32_t v = 1; v < L1_MAX_WAYS / 4; v++)
        hits = _mm_or_si128(hits, _mm_cmpeq_epi32(_mm_or_si128(_mm_load_si128(set + v), ignore), want));
    return _mm_movemask_epi8(hits) != 0;
}
