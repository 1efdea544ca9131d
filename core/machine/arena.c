/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/arena.h"

#define PAGE_BYTES      UINT64_C(4096)
#define FIRST_MEGABYTE  UINT64_C(0x100000) /* firmware's real-mode trampolines and video memory */
#define SMALLEST_ARENA  (16 * PAGE_BYTES)
#define SLACK_BYTES     (UINT64_C(16) << 20)
#define STREAM_COUNTS   512u /* a bandwidth stream is at most so many counts long (core/measure/common.c) */
#define STREAM_AT_LEAST (UINT64_C(32) << 20)

static uint64_t page_down(uint64_t bytes)
{
    return bytes & ~(PAGE_BYTES - 1);
}

/* The largest free piece of [lo, hi) that does better than *best replaces it. */
static void arena_look(struct platform *p, uint64_t lo, uint64_t hi, uint64_t *best, uint64_t *best_lo,
                       uint64_t *best_hi)
{
    uint64_t free_bytes;

    if (lo < FIRST_MEGABYTE)
        lo = FIRST_MEGABYTE;
    if (hi <= lo)
        return;
    free_bytes = p->ops->largest_free(p->machine, lo, hi);
    if (free_bytes > *best) {
        *best = free_bytes;
        *best_lo = lo;
        *best_hi = hi;
    }
}

enum status arena_init(struct arena *a, struct platform *p, const struct machine *m, uint32_t node, uint64_t want_bytes)
{
    uint64_t best = 0, lo = 0, hi = 0, bytes;

    *a = (struct arena){ .node = node, .status = ST_NO_MEMORY };
    if (node >= m->n_nodes)
        return ST_RANGE;
    for (uint32_t i = 0; i < m->n_ranges; i++) {
        const struct mem_range *r = &m->ranges[i];

        if (r->node == node)
            arena_look(p, r->base, r->bytes > UINT64_MAX - r->base ? UINT64_MAX : r->base + r->bytes, &best, &lo, &hi);
    }
    if (!m->srat_present && m->n_ranges == 0) /* one node, all memory */
        arena_look(p, 0, UINT64_MAX, &best, &lo, &hi);
    a->free_bytes = best;
    bytes = page_down(want_bytes < best / 2 ? want_bytes : best / 2);
    if (bytes < SMALLEST_ARENA)
        return ST_NO_MEMORY;
    a->status = p->ops->alloc(p->machine, lo, hi, bytes, &a->base);
    if (a->status != ST_OK) {
        a->base = 0;
        return a->status;
    }
    a->bytes = bytes;
    return ST_OK;
}

uint64_t arena_default_bytes(const struct machine *m)
{
    uint64_t want = STREAM_AT_LEAST;

    for (uint32_t i = 0; i < m->n_domains; i++) {
        const struct l3_domain *d = &m->domains[i];
        uint64_t stream = (uint64_t)STREAM_COUNTS * d->upscaling_factor;

        if (4 * d->l3_bytes > want)
            want = 4 * d->l3_bytes;
        if (stream > want && stream <= 4 * d->l3_bytes + STREAM_AT_LEAST) /* a wild factor must not take all memory */
            want = stream;
    }
    return want + SLACK_BYTES;
}

enum status arena_take(struct arena *a, uint64_t bytes, uint64_t *address)
{
    uint64_t whole = page_down(bytes + PAGE_BYTES - 1);

    if (bytes == 0 || whole < bytes || whole > arena_left(a))
        return ST_NO_MEMORY;
    *address = a->base + a->used;
    a->used += whole;
    return ST_OK;
}

uint64_t arena_left(const struct arena *a)
{
    return a->bytes - a->used;
}

void arena_reset(struct arena *a)
{
    a->used = 0;
}
