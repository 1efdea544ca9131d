/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/tools/arena.h: working memory of one NUMA node.
 *
 * Taken once, at the start of the run, as one contiguous piece of one SRAT range, so that a buffer is home to a known
 * memory controller and its lines spread over the L3's sets as contiguous lines do. Where the node's free memory is in
 * many extents it is several such pieces, in a chain. Checks take parts of them, of one piece or of several
 * (core/tools/scatter.h); all are given back by arena_reset() before the next check.
 */
#pragma once
#include "core/machine/machine.h"

struct arena {
    uint32_t node;       /* index into machine->nodes                                     */
    uint64_t base;       /* physical, 4 KiB-aligned; 0: none                              */
    uint64_t bytes;      /* of this piece; 0: none                                        */
    uint64_t used;       /* handed out since the last reset                               */
    uint64_t free_bytes; /* largest free piece that was found before this one was taken   */
    enum status status;  /* ST_OK, or why there is no memory: ST_NO_MEMORY                */
    struct arena *more;  /* the next piece of the same node                               */
};

/* Pieces of a node besides its first. */
#define ARENA_MORE 31u

/* Take want_bytes on node `node`, in whole 4 KiB pages. Where its largest free piece has not twice as much: half of that,
 * and all of it where another free piece is as large as the half that would stay firmware's. Always fills *a; an empty
 * arena has bytes 0 and its status says why. ST_RANGE: no such node. */
MUST_CHECK enum status arena_init(struct arena *a, struct platform *p, const struct machine *m, uint32_t node,
                                  uint64_t want_bytes);

/* After the pieces that are there, up to ARENA_MORE as arena_init() takes them, until they are want_bytes together or the
 * largest that is free is below 1 MiB. more: [ARENA_MORE]. Returns how many. */
uint32_t arena_extend(struct arena *a, struct platform *p, const struct machine *m, uint64_t want_bytes,
                      struct arena *more);

/* What the checks want on a node for one L3: four times the largest L3, at least what bandwidth streams need at the largest
 * upscaling factor, and slack. Bytes. */
uint64_t arena_default_bytes(const struct machine *m);

/* So many bytes of the fullest piece that has them, rounded up to whole 4 KiB pages. ST_NO_MEMORY: no piece has as many
 * left (nothing is taken). */
MUST_CHECK enum status arena_take(struct arena *a, uint64_t bytes, uint64_t *address);
/* What arena_take() could still hand out in one piece. */
uint64_t arena_left(const struct arena *a);
/* Of all pieces together, whether handed out or not. */
uint64_t arena_bytes(const struct arena *a);
/* *share: the part `which` of `of` equal parts of the largest piece, all of it free. ST_NO_MEMORY: it would be smaller than
 * `bytes`, unless there is no piece at all. */
MUST_CHECK enum status arena_share(const struct arena *a, uint32_t which, uint32_t of, uint64_t bytes,
                                   struct arena *share);
/* Everything is free again. */
void arena_reset(struct arena *a);
