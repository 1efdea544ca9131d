/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_memory.c: which memory each node has, and what firmware leaves of it: whole, or in extents; a twin's is as recorded. */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/model/scramble.h"

#include <stdlib.h>

#define PAGE      UINT64_C(4096)
#define MIB       (UINT64_C(1) << 20)
#define HOLE_MOST (MIB / PAGE) /* pages */

uint32_t memory_nodes(const struct model *m)
{
    bool empty = m->packages > 1 && m->clusters == 1 && m->realism.value[REALISM_EMPTY_NODE] && !memory_interleaved(m);

    return empty ? m->packages - 1 : m->packages * m->clusters;
}

bool memory_interleaved(const struct model *m)
{
    return m->packages > 1 && m->clusters == 1 && m->realism.value[REALISM_NODE_INTERLEAVING];
}

/* Extents of 1 MiB to `most` with a hole after each; half of the table stays free for what is cut off later. */
static void free_in_extents(struct machine *k, struct extent node, uint64_t most)
{
    uint32_t room = EXTENTS / 2 / memory_nodes(k->model);
    uint64_t random = k->model->seed ^ node.base;

    for (uint64_t at = node.base; room > 0 && at + MIB <= node.end; room--) {
        uint64_t bytes = MIB, hole;

        random = scramble(random);
        bytes += random % ((most - MIB) / PAGE + 1) * PAGE;
        hole = (1 + (random >> 32) % HOLE_MOST) * PAGE;
        if (at + bytes > node.end)
            bytes = node.end - at;
        k->free[k->n_free++] = (struct extent){ at, at + bytes };
        at += bytes + hole;
    }
}

static void twin_make(struct machine *k, const struct twin_range *ranges, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct extent e;

        model_memory(k->model, ranges[i].base, ranges[i].bytes, ranges[i].node);
        for (uint32_t from = 0; k->n_free < EXTENTS / 2 && host_twin_free(k->model, &ranges[i], &from, &e);)
            k->free[k->n_free++] = e;
    }
}

void memory_make(struct machine *k, uint64_t base, uint64_t node_bytes)
{
    uint64_t most = k->model->realism.value[REALISM_MEMORY_EXTENTS] * MIB;
    uint32_t n_ranges;
    struct twin_range *ranges = host_twin_memory(k->model, &n_ranges);

    k->model->interleaved = memory_interleaved(k->model);
    if (ranges) {
        twin_make(k, ranges, n_ranges);
        free(ranges);
        return;
    }
    for (uint32_t n = 0; n < memory_nodes(k->model); n++) {
        struct extent node = { base + n * node_bytes, base + (n + 1) * node_bytes };

        model_memory(k->model, node.base, node_bytes, n);
        if (k->model->realism.value[REALISM_MEMORY_NODE] && n == memory_nodes(k->model) - 1)
            model_memory_alone(k->model, node.end - node_bytes / 2, node_bytes / 2, n);
        if (most)
            free_in_extents(k, node, most);
        else
            k->free[k->n_free++] = node;
    }
}
