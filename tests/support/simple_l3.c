/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The L3 of simple silicon: one first-in first-out list of lines, each with the RMID that brought it in. */
#include "tests/support/simple_internal.h"

#include <string.h>

static uint32_t bucket_of(const struct l3 *c, uint64_t line)
{
    return (uint32_t)((line * UINT64_C(0x9E3779B97F4A7C15)) >> 33) % c->capacity;
}

static uint32_t find(const struct l3 *c, uint64_t line)
{
    for (uint32_t s = c->bucket[bucket_of(c, line)]; s != NO_SLOT; s = c->next[s])
        if (c->line[s] == line)
            return s;
    return NO_SLOT;
}

static void simple_l3_drop(struct l3 *c, uint32_t slot)
{
    uint32_t *at = &c->bucket[bucket_of(c, c->line[slot])];

    if (c->line[slot] == UINT64_MAX)
        return;
    while (*at != slot)
        at = &c->next[*at];
    *at = c->next[slot];
    c->occupancy[c->owner[slot]]--;
    c->line[slot] = UINT64_MAX;
}

/* Whether the slot's line stays for ever, and what would replace it is not kept. */
static bool is_kept(const struct simple_silicon *o, const struct l3 *c, uint32_t slot)
{
    uint32_t first = 1;

    if (o->part.defect != SIMPLE_FIRST_RMID_PINNED || c->line[slot] == UINT64_MAX)
        return false;
    while (first < o->part.max_rmid && c->occupancy[first] == 0)
        first++;
    return c->owner[slot] == first;
}

static void bring_in(const struct simple_silicon *o, struct l3 *c, uint64_t line, uint32_t rmid)
{
    uint32_t slot = c->hand, *first;

    c->hand = (c->hand + 1) % c->capacity;
    if (is_kept(o, c, slot))
        return;
    simple_l3_drop(c, slot);
    first = &c->bucket[bucket_of(c, line)];
    c->line[slot] = line;
    c->owner[slot] = rmid;
    c->next[slot] = *first;
    *first = slot;
    c->occupancy[rmid]++;
}

static void count(struct simple_silicon *o, uint32_t cpu, uint64_t address)
{
    struct l3 *c = &o->l3[cpu / o->cpus_per_domain];
    uint32_t rmid = (uint32_t)o->pqr[cpu];
    uint64_t package = cpu / o->cpus_per_package;

    if (o->part.defect == SIMPLE_NODES_SWAPPED && package == 1)
        package = 0;
    c->total[rmid]++;
    c->local[rmid] += address / NODE_GAP == package;
}

/* Lines of the RMID as IA32_QM_CTR shows them. */
uint64_t simple_l3_shown(const struct simple_silicon *o, const struct l3 *c, uint64_t rmid)
{
    return o->part.late_ticks ? c->shown[rmid] : c->occupancy[rmid];
}

void simple_l3_update_shown(const struct simple_silicon *o, struct l3 *c)
{
    uint64_t now = o->part.late_ticks ? o->tsc / o->part.late_ticks : 0;

    if (now != c->shown_at)
        memcpy(c->shown, c->occupancy, (o->part.max_rmid + 1) * sizeof c->shown[0]);
    c->shown_at = now;
}

static void access_line(struct simple_silicon *o, uint32_t cpu, uint64_t address)
{
    struct l3 *c = &o->l3[cpu / o->cpus_per_domain];
    uint32_t slot = find(c, address / LINE), rmid = (uint32_t)o->pqr[cpu];

    o->tsc += 8;
    simple_l3_update_shown(o, c);
    if (o->part.defect == SIMPLE_CONCURRENT_MISTAGGED && cpu && address / LINE % 4 == 0)
        rmid = (uint32_t)o->pqr[cpu - 1];
    if (o->part.defect == SIMPLE_TAGS_EXCHANGED && rmid > 1)
        rmid ^= 1;
    if (slot != NO_SLOT)
        return;
    bring_in(o, c, address / LINE, rmid);
    count(o, cpu, address);
}

/* Out of every L3 but one; NULL: out of all. */
static void drop_line(struct simple_silicon *o, uint64_t address, const struct l3 *but)
{
    for (struct l3 *c = o->l3; c < o->l3 + o->n_domains; c++) {
        uint32_t slot = c == but ? NO_SLOT : find(c, address / LINE);

        if (slot != NO_SLOT)
            simple_l3_drop(c, slot);
    }
}

static void fetch_line(struct simple_silicon *o, uint32_t cpu, uint64_t address)
{
    uint64_t pqr = o->pqr[cpu];

    if (o->part.defect == SIMPLE_CODE_UNKEPT) {
        count(o, cpu, address);
        return;
    }
    if (o->part.defect == SIMPLE_CODE_PARTLY_TAGGED && address / LINE % 4 == 0)
        o->pqr[cpu] = 0;
    access_line(o, cpu, address);
    o->pqr[cpu] = pqr;
}

/* A line of the working set: stores read it first and take it from other L3s, those past the caches leave it in none. */
static void work_on(struct simple_silicon *o, uint32_t cpu, const struct work *w, uint64_t at)
{
    bool past = w->kind == WORK_NT_WRITE;

    if (w->kind == WORK_WRITE)
        drop_line(o, w->base + at, &o->l3[cpu / o->cpus_per_domain]);
    if (w->kind == WORK_FLUSH || past)
        drop_line(o, w->base + at, NULL);
    else if (w->kind == WORK_CODE)
        fetch_line(o, cpu, w->base + at);
    else
        access_line(o, cpu, w->base + at);
    if (past)
        count(o, cpu, w->base + at);
    if (w->kind == WORK_COPY)
        access_line(o, cpu, w->dst + at);
}

void simple_l3_empty(struct l3 *c)
{
    for (uint32_t s = 0; s < c->capacity; s++)
        simple_l3_drop(c, s);
}

void simple_l3_work(struct simple_silicon *o, uint32_t cpu, struct work *w)
{
    w->tsc_begin = o->tsc;
    for (uint32_t pass = 0; pass < w->passes; pass++)
        for (uint64_t at = 0; at < w->bytes; at += LINE)
            work_on(o, cpu, w, at);
    w->tsc_end = o->tsc;
    w->moved_bytes = w->kind == WORK_FLUSH ? 0 : w->bytes * w->passes * (w->kind == WORK_COPY ? 2 : 1);
    w->touched_lines = w->bytes / LINE;
}
