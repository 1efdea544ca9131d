/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/arena.h: working memory of one NUMA node.
 *
 * Taken once, at the start of the run, as one contiguous piece of one SRAT range, so that a buffer is home to a known
 * memory controller and its lines spread over the L3's sets as contiguous lines do. Checks take pieces of it, which
 * are all given back by arena_reset() before the next check.
 */
#pragma once
#include "core/machine/machine.h"

struct arena {
    uint32_t node;       /* index into machine->nodes                                     */
    uint64_t base;       /* physical, 4 KiB-aligned; 0: none                              */
    uint64_t bytes;      /* 0: none                                                       */
    uint64_t used;       /* handed out since the last reset                               */
    uint64_t free_bytes; /* largest free piece that was found before anything was taken   */
    enum status status;  /* ST_OK, or why there is no memory: ST_NO_MEMORY                */
};

/* Take want_bytes on node `node`, or half of its largest free piece where that is less (the other half stays
 * firmware's), in whole 4 KiB pages. Always fills *a; an empty arena has bytes 0 and its status says why.
 * ST_RANGE: no such node. */
MUST_CHECK enum status arena_init(struct arena *a, struct platform *p, const struct machine *m, uint32_t node,
                                  uint64_t want_bytes);

/* What the checks want on a node: four times the largest L3 (checks take the domains one after another), at least what
 * bandwidth streams need at the largest upscaling factor, and slack. Bytes. */
uint64_t arena_default_bytes(const struct machine *m);

/* A piece, rounded up to whole 4 KiB pages. ST_NO_MEMORY: not that much left (nothing is taken). */
MUST_CHECK enum status arena_take(struct arena *a, uint64_t bytes, uint64_t *address);
/* What arena_take() could still hand out in one piece. */
uint64_t arena_left(const struct arena *a);
/* Everything is free again. */
void arena_reset(struct arena *a);
