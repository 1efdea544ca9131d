/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/tools/arena.h"

#define PAGE_BYTES      UINT64_C(4096)
#define FIRST_MEGABYTE  UINT64_C(0x100000) /* firmware's real-mode trampolines and video memory */
#define SMALLEST_ARENA  (16 * PAGE_BYTES)
#define SMALLEST_MORE   (UINT64_C(1) << 20)
#define SLACK_BYTES     (UINT64_C(16) << 20)
#define STREAM_COUNTS   512u /* a bandwidth stream is at most so many counts long (core/experiment/experiment_read.c) */
#define STREAM_AT_LEAST (UINT64_C(32) << 20)

static uint64_t page_down(uint64_t bytes)
{
    return bytes & ~(PAGE_BYTES - 1);
}

struct extent {
    uint64_t lo, hi, bytes; /* [lo, hi) of the SRAT has a free piece of so many bytes, and none that is larger */
};

/* The largest free piece of [lo, hi) that does better than *best replaces it. */
static void arena_look(struct platform *p, uint64_t lo, uint64_t hi, struct extent *best)
{
    uint64_t free_bytes;

    if (lo < FIRST_MEGABYTE)
        lo = FIRST_MEGABYTE;
    if (hi <= lo)
        return;
    free_bytes = p->ops->largest_free(p->machine, lo, hi);
    if (free_bytes > best->bytes)
        *best = (struct extent){ lo, hi, free_bytes };
}

/* Without [cut_lo, cut_hi). */
static struct extent largest_of(struct platform *p, const struct machine *m, uint32_t node, uint64_t cut_lo,
                                uint64_t cut_hi)
{
    struct extent best = { 0 };

    for (uint32_t i = 0; i <= m->n_ranges; i++) {
        bool one_node = i == m->n_ranges && m->n_ranges == 0 && !m->srat_present; /* all memory */
        uint64_t lo = 0, hi = UINT64_MAX;

        if (i < m->n_ranges && m->ranges[i].node == node) {
            lo = m->ranges[i].base;
            hi = m->ranges[i].bytes > UINT64_MAX - lo ? UINT64_MAX : lo + m->ranges[i].bytes;
        } else if (!one_node) {
            continue;
        }
        arena_look(p, lo, hi < cut_lo ? hi : cut_lo, &best);
        arena_look(p, lo > cut_hi ? lo : cut_hi, hi, &best);
    }
    return best;
}

/* From the SRAT's range to the free piece itself: the highest address from which on it is still whole. */
static void narrow(struct platform *p, struct extent *e)
{
    uint64_t lo = e->lo / PAGE_BYTES, hi = (e->hi - e->bytes) / PAGE_BYTES;

    while (lo < hi) {
        uint64_t middle = lo + (hi - lo + 1) / 2;

        if (p->ops->largest_free(p->machine, middle * PAGE_BYTES, e->hi) == e->bytes)
            lo = middle;
        else
            hi = middle - 1;
    }
    e->lo = lo * PAGE_BYTES > e->lo ? lo * PAGE_BYTES : e->lo;
    e->hi = e->lo + e->bytes;
}

/* A piece of the largest extent that is free. */
static enum status take_piece(struct arena *a, struct platform *p, const struct machine *m, uint32_t node,
                              uint64_t want_bytes)
{
    struct extent from = largest_of(p, m, node, UINT64_MAX, UINT64_MAX);
    uint64_t most = from.bytes / 2, bytes;

    if (want_bytes > most && from.bytes) {
        narrow(p, &from);
        if (largest_of(p, m, node, from.lo, from.hi).bytes >= most)
            most = from.bytes;
    }
    bytes = page_down(want_bytes < most ? want_bytes : most);
    *a = (struct arena){ .node = node, .free_bytes = from.bytes, .status = ST_NO_MEMORY };
    if (bytes < SMALLEST_ARENA)
        return ST_NO_MEMORY;
    a->status = p->ops->alloc(p->machine, from.lo, from.hi, bytes, &a->base);
    if (a->status == ST_OK)
        a->bytes = bytes;
    else
        a->base = 0;
    return a->status;
}

enum status arena_init(struct arena *a, struct platform *p, const struct machine *m, uint32_t node, uint64_t want_bytes)
{
    *a = (struct arena){ .node = node, .status = ST_NO_MEMORY };
    return node < m->n_nodes ? take_piece(a, p, m, node, want_bytes) : ST_RANGE;
}

uint32_t arena_extend(struct arena *a, struct platform *p, const struct machine *m, uint64_t want_bytes,
                      struct arena *more)
{
    uint64_t have = a->bytes;
    uint32_t n = 0;

    while (n < ARENA_MORE && have && have + SMALLEST_MORE <= want_bytes) {
        if (largest_of(p, m, a->node, UINT64_MAX, UINT64_MAX).bytes < SMALLEST_MORE ||
            take_piece(&more[n], p, m, a->node, want_bytes - have) != ST_OK)
            break;
        a->more = &more[n];
        a = a->more;
        have += a->bytes;
        n++;
    }
    return n;
}

uint64_t arena_default_bytes(const struct machine *m)
{
    uint64_t want = STREAM_AT_LEAST;

    EACH(const struct l3_domain, d, m->domains, m->n_domains) {
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
    struct arena *best = NULL;

    for (; a; a = a->more)
        if (whole <= a->bytes - a->used && (best == NULL || a->bytes - a->used < best->bytes - best->used))
            best = a;
    if (bytes == 0 || whole < bytes || best == NULL)
        return ST_NO_MEMORY;
    *address = best->base + best->used;
    best->used += whole;
    return ST_OK;
}

uint64_t arena_left(const struct arena *a)
{
    uint64_t most = 0;

    for (; a; a = a->more)
        most = a->bytes - a->used > most ? a->bytes - a->used : most;
    return most;
}

uint64_t arena_bytes(const struct arena *a)
{
    uint64_t sum = 0;

    for (; a; a = a->more)
        sum += a->bytes;
    return sum;
}

#define SHARE_ALIGN (UINT64_C(2) << 20) /* a page of the tables, and a multiple of what L3 sets are hashed by */

enum status arena_share(const struct arena *a, uint32_t which, uint32_t of, uint64_t bytes, struct arena *share)
{
    const struct arena *best = a;
    uint64_t each;

    for (const struct arena *more = a->more; more; more = more->more)
        best = more->bytes > best->bytes ? more : best;
    each = best->bytes / of / SHARE_ALIGN * SHARE_ALIGN;
    if (best->bytes && each < bytes)
        return ST_NO_MEMORY;
    *share = *best;
    share->base = each ? best->base + which * each : best->base;
    share->bytes = each;
    share->used = 0;
    share->more = NULL;
    return ST_OK;
}

void arena_reset(struct arena *a)
{
    for (; a; a = a->more)
        a->used = 0;
}
