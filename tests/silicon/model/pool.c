/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/model/pool.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64u

struct pool_piece {
    struct pool_piece *before;
};

void *pool_zeroed(struct pool *p, size_t n, size_t size)
{
    size_t bytes;
    struct pool_piece *piece = NULL;

    if (!__builtin_mul_overflow(n, size, &bytes) && bytes < SIZE_MAX - 2 * LINE)
        piece = calloc(1, sizeof *piece + LINE + bytes);
    if (!piece) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", n, size);
        abort();
    }
    piece->before = p->last;
    p->last = piece;
    return (uint8_t *)piece + (LINE - (uintptr_t)piece % LINE); /* calloc()'s alignment leaves the head alone */
}

void *pool_grown(struct pool *p, const void *from, size_t had, size_t bytes)
{
    void *at = pool_zeroed(p, 1, bytes);

    return had ? memcpy(at, from, had) : at;
}

void pool_free(struct pool *p)
{
    while (p->last) {
        struct pool_piece *piece = p->last;

        p->last = piece->before;
        free(piece);
    }
}
