/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same streams, longer: what short ones of a bandwidth that is outside of its band are judged by.
 *
 * Errata GNR12 and SRF42: bandwidth is counted too high while the footprint is small; beyond four times the L3 the
 * excess is insignificant (Linux commit 752b6939951f, selftests/resctrl). And 100 ms outlast any update of the
 * counters. */
#include "core/base/stats.h"
#include "core/base/ticks.h"
#include "core/tools/tools.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment_internal.h"

#define LONG_L3S   4u
#define LONG_NS    UINT64_C(100000000)
#define LONG_RUNS  3u /* at most, to last LONG_NS all together */
#define LONG_ALIKE 0.02
#define PAGE_BYTES 4096u
#define LONG_LEAST 2.0 /* times the short ones: less says no more than they do */

/* What must find its own lines in the memory is no stream of any memory. */
static bool is_prepared(enum work_kind kind)
{
    return kind == WORK_CHASE || kind == WORK_CHASE_PREPARE || kind == WORK_CODE || kind == WORK_CODE_PREPARE;
}

static bool streams_once(const struct traffic_part *p)
{
    return p->pause_ticks == 0 && (p->work.bytes == 0 || (p->work.passes == 1 && !is_prepared(p->work.kind)));
}

static uint64_t footprint(const struct work *w)
{
    return w->kind == WORK_COPY ? 2 * w->bytes : w->bytes;
}

static const struct arena *arena_with(const struct tools *t, uint64_t address)
{
    uint64_t bytes = 1;

    address = scatter_find(t->scatter, address, &bytes);
    return FIND(i, t->n_pieces, address >= t->arenas[i].base && address - t->arenas[i].base < t->arenas[i].bytes,
                &t->arenas[i], NULL);
}

/* The first piece of the node that a part's memory is of; NULL: it has none. */
static const struct arena *arena_of_part(const struct tools *t, const struct traffic_part *p)
{
    const struct arena *a = p->work.bytes ? arena_with(t, p->work.base) : NULL;

    return a ? &t->arenas[a->node] : NULL;
}

/* Bytes of all parts in memory of a node; of all for NULL. */
static uint64_t bytes_in(const struct experiment *e, const struct arena *node)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < e->n_loads; i++)
        EACH(const struct traffic_part, p, e->loads[i].parts, e->loads[i].n_parts)
            if (p->work.bytes && (node == NULL || arena_of_part(e->check->tools, p) == node))
                bytes += footprint(&p->work);
    return bytes;
}

static uint32_t parts_of(const struct experiment *e)
{
    return SUM_OF(uint32_t, i, e->n_loads, e->loads[i].n_parts);
}

/* Bytes of all pieces of a node, less what copies, in whole pages, may leave of either end of each. */
static uint64_t room_of(const struct arena *node)
{
    uint64_t room = 0, lost = UINT64_C(4) * PAGE_BYTES;

    for (; node; node = node->more)
        room += node->bytes > lost ? node->bytes - lost : 0;
    return room;
}

/* How many times longer it can be, and needs to be; below LONG_LEAST: it cannot. */
static double times_longer(const struct experiment *e)
{
    const struct tools *t = e->check->tools;
    uint64_t l3 = 0, all = bytes_in(e, NULL);
    double times;

    for (uint32_t i = 0; i < e->n_readings; i++) {
        uint64_t bytes = e->check->machine->domains[e->readings[i].domain].l3_bytes;

        if (!is_bandwidth(&e->readings[i]))
            return 0;
        l3 = bytes > l3 ? bytes : l3;
    }
    for (uint32_t i = 0; i < e->n_loads; i++)
        if (ANY_OF(k, e->loads[i].n_parts, !streams_once(&e->loads[i].parts[k])))
            return 0;
    times = all ? (double)(LONG_L3S * l3) / (double)all + 0.1 : 0;
    for (uint32_t i = 0; i < t->n_arenas; i++) {
        double here = (double)bytes_in(e, &t->arenas[i]), room = (double)room_of(&t->arenas[i]);

        if (room < times * here)
            times = room / here;
    }
    return times;
}

/* What is given out of a node's memory: first what no buffer of the check is in, since lines that the short streams
 * have just read are those that GNR12 and SRF42 are about. */
struct cursor {
    const struct arena *first, *piece;
    bool taken; /* what the check has taken of each piece */
    uint64_t at, end;
};

static void cursor_set(struct cursor *c, const struct arena *piece)
{
    c->piece = piece;
    if (piece == NULL)
        return;
    c->at = piece->base + (c->taken ? 0 : piece->used);
    c->end = piece->base + (c->taken ? piece->used : piece->bytes);
}

static void cursor_open(struct cursor *c, const struct arena *first)
{
    *c = (struct cursor){ .first = first };
    cursor_set(c, first);
}

static void cursor_next(struct cursor *c)
{
    bool again = c->piece->more == NULL && !c->taken;

    c->taken |= again;
    cursor_set(c, again ? c->first : c->piece->more);
}

/* A part of so many bytes, or of what is left here. Returns its bytes. */
static uint64_t lengthen_here(struct cursor *c, struct work *w, uint64_t bytes)
{
    uint64_t left = c->end - c->at;

    left = ROUND_DOWN(w->kind == WORK_COPY ? left / 2 : left);
    w->bytes = bytes < left ? bytes : left;
    w->base = c->at;
    w->dst = w->base + w->bytes;
    c->at += footprint(w);
    return w->bytes;
}

/* One part as several: one in each piece of its node that it needs. Returns how many. */
static uint32_t lengthen_part(struct cursor *c, const struct traffic_part *from, double times, struct traffic_part *to)
{
    uint64_t bytes = ROUND_DOWN((uint64_t)(times * (double)from->work.bytes)), got;
    uint32_t n = 0;

    while (bytes && c->piece) {
        to[n] = *from;
        got = lengthen_here(c, &to[n].work, bytes);
        n += got > 0;
        bytes -= got;
        if (bytes)
            cursor_next(c);
    }
    return n;
}

/* Parts of their own in the memory of the short ones' nodes, whose contents no stream needs. cursors: [n_arenas]. */
static void lengthen(const struct experiment *e, double times, struct traffic_load *loads, struct traffic_part *parts,
                     struct cursor *cursors)
{
    const struct tools *t = e->check->tools;

    for (uint32_t i = 0; i < t->n_arenas; i++)
        cursor_open(&cursors[i], &t->arenas[i]);
    for (uint32_t i = 0; i < e->n_loads; i++) {
        loads[i] = e->loads[i];
        loads[i].parts = parts;
        EACH(const struct traffic_part, from, e->loads[i].parts, e->loads[i].n_parts) {
            const struct arena *node = arena_of_part(t, from);

            if (node)
                parts += lengthen_part(&cursors[node - t->arenas], from, times, parts);
            else
                *parts++ = *from;
        }
        loads[i].n_parts = (uint32_t)(parts - loads[i].parts);
    }
}

static void scale(double *bound, double times)
{
    double was = *bound;

    if (was < NO_BOUND && was > -NO_BOUND)
        *bound = was * times;
}

static void scale_bands(struct experiment *e, double times)
{
    EACH(struct reading, r, e->readings, e->n_readings) {
        scale(&r->lo, times);
        scale(&r->hi, times);
        scale(&r->tight_lo, times);
        scale(&r->tight_hi, times);
        scale(&r->never_lo, times);
        scale(&r->never_hi, times);
    }
}

static bool outside_finer_alone(const struct experiment *e)
{
    EACH(const struct reading, r, e->readings, e->n_readings) {
        double now = reading_now(e, r);

        if (reading_inside(r, now) && !reading_looks_right(r, now))
            return true;
    }
    return false;
}

/* Readings are inside of their bands, or as far outside as the short streams were: more runs would tell no more. Where
 * one is outside of the finer band alone, the runs' scatter is asked for. */
static bool long_enough(const struct experiment *e, double times)
{
    bool inside = true, alike = true;

    EACH(const struct reading, r, e->readings, e->n_readings) {
        double now = reading_now(e, r), off = now / times - r->bytes;

        inside &= reading_looks_right(r, now);
        alike &= (off < 0 ? -off : off) <= LONG_ALIKE * r->bytes && !reading_inside(r, now);
    }
    return inside || alike;
}

static void take_long_medians(struct experiment *e, double (*each)[LONG_RUNS], double times)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        e->readings[i].bytes = stats_median(each[i], e->long_runs) / times;
        e->readings[i].spread = stats_median_reach(each[i], e->long_runs) / times;
    }
}

static enum status long_runs(struct experiment *e, double times)
{
    uint64_t ticks = 0, enough = ticks_from_ns(LONG_NS, e->check->platform->tsc_hz);
    double(*each)[LONG_RUNS] = check_alloc(e->check, e->n_readings * sizeof each[0]);
    enum status st = each ? ST_OK : ST_NO_MEMORY;
    bool done = false, scatter = false;

    while (st == ST_OK && e->long_runs < LONG_RUNS && (scatter || (ticks < enough && !done))) {
        st = experiment_run_once(e);
        if (st != ST_OK)
            break;
        for (uint32_t i = 0; i < e->n_readings; i++)
            each[i][e->long_runs] = reading_bytes(e, &e->readings[i]);
        done = long_enough(e, times);
        scatter |= outside_finer_alone(e);
        e->long_runs++;
        ticks += e->outcome.tsc_ticks;
    }
    e->long_bytes = e->outcome.moved_bytes;
    if (st == ST_OK)
        take_long_medians(e, each, times);
    return st;
}

bool experiment_can_lengthen(const struct experiment *e)
{
    return times_longer(e) >= LONG_LEAST;
}

enum status experiment_lengthen(struct experiment *e)
{
    double times;
    struct traffic_load *loads = e->loads, *longer;
    struct traffic_part *parts;
    struct cursor *cursors;
    uint64_t all = bytes_in(e, NULL);
    enum status st;

    longer = check_alloc(e->check, e->n_loads * sizeof longer[0]);
    parts = check_alloc(e->check, (parts_of(e) + 2 * e->check->tools->n_pieces) * sizeof parts[0]);
    cursors = check_alloc(e->check, e->check->tools->n_arenas * sizeof cursors[0]);
    if (!longer || !parts || !cursors)
        return ST_NO_MEMORY;
    lengthen(e, times_longer(e), longer, parts, cursors);
    e->loads = longer;
    times = (double)bytes_in(e, NULL) / (double)all;
    scale_bands(e, times);
    st = long_runs(e, times);
    scale_bands(e, 1 / times);
    for (uint32_t i = 0; i < e->n_loads; i++) {
        loads[i].status = longer[i].status;
        loads[i].found_pqr = longer[i].found_pqr;
    }
    e->loads = loads;
    return st;
}
