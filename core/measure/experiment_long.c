/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same streams, longer: what short ones of a bandwidth that is outside of its band are judged by.
 *
 * Errata GNR12 and SRF42: bandwidth is counted too high while the footprint is small; beyond four times the L3 the excess
 * is insignificant (Linux commit 752b6939951f, selftests/resctrl). And 100 ms outlast any update of the counters. */
#include "core/base/stats.h"
#include "core/base/ticks.h"
#include "core/machine/tools.h"
#include "core/measure/domains.h"
#include "core/measure/experiment_internal.h"

#define LONG_L3S   4u
#define LONG_NS    UINT64_C(100000000)
#define LONG_RUNS  3u /* at most, to last LONG_NS all together */
#define LONG_ALIKE 0.02
#define PAGE_BYTES 4096u
#define LONG_LEAST 2.0 /* times the short ones: less says no more than they do */

static bool streams_once(const struct traffic_part *p)
{
    return p->pause_ticks == 0 && (p->work.bytes == 0 || (p->work.passes == 1 && p->work.kind != WORK_CHASE &&
                                                          p->work.kind != WORK_CHASE_PREPARE));
}

static uint64_t footprint(const struct work *w)
{
    return w->kind == WORK_COPY ? 2 * w->bytes : w->bytes;
}

static const struct arena *arena_with(const struct tools *t, uint64_t address)
{
    for (uint32_t i = 0; i < t->n_pieces; i++)
        if (address >= t->arenas[i].base && address - t->arenas[i].base < t->arenas[i].bytes)
            return &t->arenas[i];
    return NULL;
}

/* Bytes of all parts in a piece of working memory; of all for NULL. */
static uint64_t bytes_in(const struct experiment *e, const struct arena *a)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < e->n_loads; i++)
        for (uint32_t k = 0; k < e->loads[i].n_parts; k++) {
            const struct work *w = &e->loads[i].parts[k].work;

            if (w->bytes && (a == NULL || arena_with(e->check->tools, w->base) == a))
                bytes += footprint(w);
        }
    return bytes;
}

static uint32_t parts_of(const struct experiment *e)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < e->n_loads; i++)
        n += e->loads[i].n_parts;
    return n;
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
        for (uint32_t k = 0; k < e->loads[i].n_parts; k++)
            if (!streams_once(&e->loads[i].parts[k]))
                return 0;
    times = all ? (double)(LONG_L3S * l3) / (double)all + 0.1 : 0;
    for (uint32_t i = 0; i < t->n_pieces; i++) {
        uint64_t here = bytes_in(e, &t->arenas[i]), pages = (uint64_t)parts_of(e) * 2 * PAGE_BYTES;

        if (here && (t->arenas[i].bytes < pages || (double)(t->arenas[i].bytes - pages) < times * (double)here))
            times = t->arenas[i].bytes < pages ? 0 : (double)(t->arenas[i].bytes - pages) / (double)here;
    }
    return times;
}

/* Parts of their own, one behind the other in the piece of the short one, whose contents no stream needs. */
static void lengthen(const struct experiment *e, double times, struct traffic_load *loads, struct traffic_part *parts,
                     uint64_t *used)
{
    const struct tools *t = e->check->tools;

    for (uint32_t i = 0; i < e->n_loads; i++) {
        loads[i] = e->loads[i];
        loads[i].parts = parts;
        for (uint32_t k = 0; k < loads[i].n_parts; k++, parts++) {
            const struct arena *a = arena_with(t, e->loads[i].parts[k].work.base);

            *parts = e->loads[i].parts[k];
            if (parts->work.bytes == 0 || a == NULL)
                continue;
            parts->work.base = a->base + used[a - t->arenas];
            parts->work.bytes = ROUND_DOWN((uint64_t)(times * (double)parts->work.bytes));
            parts->work.dst = parts->work.base + parts->work.bytes;
            used[a - t->arenas] += footprint(&parts->work);
        }
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
    for (uint32_t i = 0; i < e->n_readings; i++) {
        struct reading *r = &e->readings[i];

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
    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
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

    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
        double now = reading_now(e, r), off = now / times - r->bytes;

        inside &= reading_looks_right(r, now);
        alike &= (off < 0 ? -off : off) <= LONG_ALIKE * r->bytes && !reading_inside(r, now);
    }
    return inside || alike;
}

static void take_long_medians(struct experiment *e, double (*each)[LONG_RUNS], double times)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        stats_sort(each[i], e->long_runs);
        e->readings[i].bytes = stats_sorted_median(each[i], e->long_runs) / times;
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
    uint64_t *used, all = bytes_in(e, NULL);
    enum status st;

    longer = check_alloc(e->check, e->n_loads * sizeof longer[0]);
    parts = check_alloc(e->check, parts_of(e) * sizeof parts[0]);
    used = check_alloc(e->check, e->check->tools->n_pieces * sizeof used[0]);
    if (!longer || !parts || !used)
        return ST_NO_MEMORY;
    lengthen(e, times_longer(e), longer, parts, used);
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
