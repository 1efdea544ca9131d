/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/free_memory.h"

#define LOW_MEMORY (UINT64_C(1) << 20)

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* The part of a range inside [lo, hi). */
static bool clipped(const struct free_range *range, uint64_t lo, uint64_t hi, struct free_range *piece)
{
    lo = lo < LOW_MEMORY ? LOW_MEMORY : round_up(lo, FREE_PAGE);
    hi &= ~(FREE_PAGE - 1);
    piece->begin = range->begin > lo ? range->begin : lo;
    piece->end = range->end < hi ? range->end : hi;
    return piece->begin < piece->end;
}

/* 0: none. */
static uint64_t lowest_fit(const struct free_range *ranges, uint32_t n, const struct free_range *within, uint64_t bytes,
                           uint64_t align)
{
    uint64_t best = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct free_range piece;
        uint64_t begin;

        if (!clipped(&ranges[i], within->begin, within->end, &piece))
            continue;
        begin = round_up(piece.begin, align);
        if (begin < piece.end && piece.end - begin >= bytes && (best == 0 || begin < best))
            best = begin;
    }
    return best;
}

enum status free_memory_fit(const struct free_range *ranges, uint32_t n, uint64_t lo, uint64_t hi, uint64_t bytes,
                            uint64_t *address)
{
    struct free_range within = { lo, hi };
    uint64_t at = 0;

    if (bytes == 0 || bytes > UINT64_MAX - FREE_PAGE)
        return ST_RANGE;
    bytes = round_up(bytes, FREE_PAGE);
    if (bytes >= FREE_LARGE_PAGE)
        at = lowest_fit(ranges, n, &within, bytes, FREE_LARGE_PAGE);
    if (at == 0)
        at = lowest_fit(ranges, n, &within, bytes, FREE_PAGE);
    if (at == 0)
        return ST_NO_MEMORY;
    *address = at;
    return ST_OK;
}

uint64_t free_memory_largest(const struct free_range *ranges, uint32_t n, uint64_t lo, uint64_t hi)
{
    uint64_t largest = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct free_range piece;

        if (clipped(&ranges[i], lo, hi, &piece) && piece.end - piece.begin > largest)
            largest = piece.end - piece.begin;
    }
    return largest;
}
