/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/pool.h: memory that is freed at once: of a model, a machine, a recording.
 *
 * It is zeroed, and each piece begins a cache line of its own. A host that has none left ends the program: a test has nothing to
 * say of such a machine.
 */
#pragma once
#include <stddef.h>

struct pool {
    struct pool_piece *last; /* NULL: empty */
};

/* n times `size` bytes, also where that is 0. */
void *pool_zeroed(struct pool *p, size_t n, size_t size);
/* A larger piece that begins with `had` bytes of another one, which stays. */
void *pool_grown(struct pool *p, const void *from, size_t had, size_t bytes);
void pool_free(struct pool *p);
