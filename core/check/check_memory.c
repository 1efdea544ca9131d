/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/check_memory.c: memory of a check, which goes when the check ends. */
#include "core/base/heap.h"
#include "core/check/check.h"

struct check_memory {
    struct check_memory *older;
    max_align_t bytes[];
};

void *check_alloc(struct check *c, size_t bytes)
{
    struct check_memory *m = bytes < SIZE_MAX - sizeof *m ? heap_alloc(sizeof *m + bytes) : NULL;

    if (m == NULL)
        return NULL;
    m->older = c->state->memory;
    c->state->memory = m;
    return m->bytes;
}

struct check_memory *check_memory_mark(const struct check *c)
{
    return c->state->memory;
}

void check_free_since(struct check *c, struct check_memory *mark)
{
    while (c->state->memory && c->state->memory != mark) {
        struct check_memory *m = c->state->memory;

        c->state->memory = m->older;
        heap_free(m);
    }
}
