/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_flush.c: lines that leave for another reason than want of room. */
#include "tests/silicon/cache/model_set.h"

void l3_purge(struct model *m, const struct place *at, const struct domain *own, enum leave why)
{
    for (uint32_t q = 0; q < m->domains; q++) {
        uint32_t e = find(m, row_of(m, &m->domain[q], at->index), at->tag);

        if (e < m->l3_entries)
            l3_drop(m, &m->domain[q], at, e, &m->domain[q] == own ? why : LEAVE_SNOOPED, true);
    }
}

/* This core's copy goes; the L3's as well, while other cores keep theirs. Only where the L3 is not inclusive. */
static void flush_shared(struct model *m, struct cpu *c, const struct place *at, uint32_t e)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, at->index);
    uint32_t word = row.word[e], mine = presence_of(c->core_index), to;

    if ((private_snoop(m, c->core, at->line, true) & L2_DIRTY) || entry_state(word) == STATE_M) {
        count_write_back(m, p, at, word);
        word = with_state(word, STATE_E);
    }
    if (!l3_bit_in_use(m, p, at->line, c->core_index))
        word &= ~mine;
    row.word[e] = word & ENTRY_PRESENCE || e < m->l3.ways ? word : 0;
    if (e >= m->l3.ways)
        return;
    to = word & ENTRY_PRESENCE ? free_directory_entry(m, row) : m->l3_entries;
    if (to == m->l3_entries) {
        l3_drop(m, p, at, e, LEAVE_FLUSHED, true);
        return;
    }
    move_true_rmid(m, p, at, to, e);
    count_out(m, p, at, e, word, LEAVE_FLUSHED);
    put_entry(row, to, word, row.hint[e]);
    row.word[e] = 0;
    move_last(m, row, position_of(row, e));
}

static void flush_set(struct model *m, struct cpu *c, uint32_t slice, uint32_t index)
{
    struct l3_row row = row_of(m, c->domain, index);
    uint32_t mine = presence_of(c->core_index), used = 0;

    for (uint32_t e = 0; e < m->l3_entries; e++)
        used |= row.word[e] & ENTRY_STATE;
    for (uint32_t e = 0; used && e < m->l3_entries; e++) {
        uint32_t word = row.word[e];
        struct place at;

        if (entry_state(word) == STATE_I)
            continue;
        at = place_in(m, row, e, slice, index);
        if (m->profile->l3_inclusive || (e < m->l3.ways && !(word & ENTRY_PRESENCE & ~mine)))
            l3_drop(m, c->domain, &at, e, LEAVE_FLUSHED, true);
        else if (e < m->l3.ways || (word & mine))
            flush_shared(m, c, &at, e);
    }
}

void l3_flush(struct model *m, struct cpu *c)
{
    for (uint32_t slice = 0; slice < m->l3_slices; slice++) {
        slice_lock(m, slice);
        for (uint32_t set = 0; set < m->l3.sets; set++)
            flush_set(m, c, slice, slice << m->l3.set_bits | set);
        slice_unlock(m, slice);
    }
}

void l3_retag_hit(struct model *m, struct cpu *c, const struct place *at, uint32_t e)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    uint32_t *word = &row.word[e], home = cache_home(m, at->line);
    uint32_t from = (uint32_t)field_get(ENTRY_RMID, *word), to = tag_of_fill(m, c, home, FLAW_LOADS);

    *word = (*word & ~ENTRY_RMID) | (uint32_t)field_put(ENTRY_RMID, to);
    if (e < m->l3.ways) {
        bump(&traffic_at(c->domain->seen, m, at->slice, from)->lines, UINT64_MAX);
        bump(&traffic_at(c->domain->seen, m, at->slice, to)->lines, 1);
    }
}

void cache_drop_way(struct model *m, struct domain *p, uint32_t way)
{
    for (uint32_t index = 0; index < m->l3_slices << m->l3.set_bits; index++) {
        uint32_t slice = index >> m->l3.set_bits;
        struct l3_row row = row_of(m, p, index);
        struct place at;

        slice_lock(m, slice);
        if (entry_state(row.word[way]) != STATE_I) {
            at = place_in(m, row, way, slice, index);
            l3_drop(m, p, &at, way, LEAVE_FLUSHED, true);
        }
        slice_unlock(m, slice);
    }
}

static uint64_t lookups_of(const struct model *m)
{
    uint64_t sum = 0;

    for (uint32_t d = 0; d < m->domains; d++)
        for (uint32_t s = 0; s < m->l3_slices; s++)
            for (uint32_t why = 0; why < LOOKUPS; why++)
                for (uint32_t state = 0; state < STATES; state++)
                    sum += atomic_load_explicit(&m->domain[d].slice[s].lookup[why][state], memory_order_relaxed);
    return sum;
}

/* Fewer than one lookup a microsecond is as good as nothing. */
void cache_idle(struct model *m, uint64_t tsc)
{
    uint64_t way_ticks = m->tsc_hz / 1000 * m->faults.value[FAULT_L3_SHRINKS_IDLE], lookups = lookups_of(m);
    struct idle *idle = &m->package[0].idle;

    pthread_mutex_lock(&m->package[0].lock);
    if (idle->tsc && tsc > idle->tsc && lookups - idle->lookups < (tsc - idle->tsc) / (m->tsc_hz / 1000000))
        idle->ticks += tsc - idle->tsc;
    if (tsc > idle->tsc || idle->tsc - tsc > m->tsc_hz) { /* not a processor that lags behind, but another clock */
        idle->tsc = tsc;
        idle->lookups = lookups;
    }
    for (uint32_t n = 0; n < m->l3.ways && way_ticks && idle->ticks >= way_ticks; n++) {
        for (uint32_t d = 0; d < m->domains; d++)
            cache_drop_way(m, &m->domain[d], idle->way);
        idle->way = (idle->way + 1) % m->l3.ways;
        idle->ticks -= way_ticks;
    }
    pthread_mutex_unlock(&m->package[0].lock);
}

void cache_retag(struct model *m, struct domain *p, uint32_t from, uint32_t to)
{
    for (uint32_t index = 0; index < m->l3_slices << m->l3.set_bits; index++) {
        uint32_t slice = index >> m->l3.set_bits;
        struct l3_row row = row_of(m, p, index);

        slice_lock(m, slice);
        for (uint32_t e = 0; e < m->l3_entries; e++) {
            if (entry_state(row.word[e]) == STATE_I || field_get(ENTRY_RMID, row.word[e]) != from)
                continue;
            row.word[e] = (row.word[e] & ~ENTRY_RMID) | (uint32_t)field_put(ENTRY_RMID, to);
            if (e < m->l3.ways) {
                bump(&traffic_at(p->seen, m, slice, from)->lines, UINT64_MAX);
                bump(&traffic_at(p->seen, m, slice, to)->lines, 1);
            }
        }
        slice_unlock(m, slice);
    }
}
