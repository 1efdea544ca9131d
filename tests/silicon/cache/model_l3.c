/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_l3.c: what a request finds and changes in the L3 and its directory.
 *
 * A set has an entry for each way, and, where the L3 is not inclusive, entries of a directory (Intel: snoop filter) for
 * lines that only cores have. A line has one entry at most, whichever kind. It says what the L3's side of the machine
 * may do with the line: E, M: no other L3's side has it; S, F: others may. Whether a core has written to an E line is
 * found out by asking that core.
 *
 * Inclusive: a line has a way as long as any core has it; when it loses the way, the cores lose the line.
 *
 * Not inclusive: a miss fills the core only and takes a directory entry. When the last core gives the line up, clean or
 * dirty, it gets a way, chosen among those of the class that runs on that core then; it keeps the RMID that brought it
 * in. A request that finds it in a way moves it back to the core. If other cores have it at that time, a load leaves it
 * where it is: Intel's documents say that shared lines may stay, AMD's L3 is filled from L2 victims and keeps shared
 * lines as well. When a set's directory is full, its oldest entry's line is taken from the cores and gets a way.
 *
 * No ways (Knights Landing): a line that would get one goes to memory if it is dirty, and is gone but where cores have it.
 */
#include "tests/silicon/cache/model_set.h"

struct place l3_place(const struct model *m, uint64_t line)
{
    return place_of(m, line);
}

static const enum tor_opcode opcode_of[LOOKUPS] = {
    [LOOKUP_READ] = TOR_DRD, [LOOKUP_CODE] = TOR_CRD, [LOOKUP_RFO] = TOR_RFO
};

static const enum flaw_access access_of[LOOKUPS] = {
    [LOOKUP_READ] = FLAW_LOADS, [LOOKUP_CODE] = FLAW_CODE, [LOOKUP_RFO] = FLAW_STORES
};

static void count_lookup(struct domain *p, uint32_t slice, enum lookup why, enum line_state found)
{
    bump(&p->slice[slice].lookup[why][found], 1);
}

/* --- asking cores */

struct asked {
    uint32_t presence; /* who still has it */
    bool dirty;        /* one had written to it */
};

/* Ask the cores that may have the line, but for one, to give it up, or the right to store to it. */
static struct asked ask_cores(const struct model *m, struct domain *p, uint32_t word, uint64_t line, uint32_t but,
                              bool invalidate)
{
    struct asked a = { 0, false };

    for (uint32_t bits = (uint32_t)field_get(ENTRY_PRESENCE, word); bits; bits &= bits - 1)
        for (uint32_t c = (uint32_t)__builtin_ctz(bits); c < m->cores_per_domain; c += ENTRY_CORES) {
            uint32_t flags;

            if (c == but)
                continue;
            flags = private_snoop(m, &p->cores[c], line, invalidate);
            a.dirty |= (flags & L2_DIRTY) != 0;
            if (flags && !invalidate)
                a.presence |= presence_of(c);
        }
    return a;
}

/* --- lines leave */

static inline enum line_state drop(struct model *m, struct domain *p, const struct place *at, struct l3_row row,
                                   uint32_t e, enum leave why, bool write_back)
{
    uint32_t word = row.word[e];
    enum line_state state = entry_state(word);

    if (ask_cores(m, p, word, at->line, NO_CORE, true).dirty)
        state = STATE_M;
    if (e < m->l3.ways) {
        count_out(m, p, at, e, word, why);
        if (why == LEAVE_EVICTED)
            bump(&p->slice[at->slice].victim[state], 1);
        else
            move_last(m, row, position_of(row, e));
    }
    if (state == STATE_M && write_back)
        count_write_back(m, p, at, word);
    row.word[e] = 0;
    return state;
}

enum line_state l3_drop(struct model *m, struct domain *p, const struct place *at, uint32_t e, enum leave why,
                        bool write_back)
{
    return drop(m, p, at, row_of(m, p, at->index), e, why, write_back);
}

/* The line of a way makes room. If cores share it, they keep it as long as the directory has an entry for it. */
static inline void evict(struct model *m, struct domain *p, struct l3_row row, uint32_t slice, uint32_t index,
                         uint32_t way)
{
    struct place at = place_in(m, row, way, slice, index);
    uint32_t word = row.word[way], e = m->l3_entries;

    if (!m->profile->l3_inclusive && (word & ENTRY_PRESENCE))
        e = free_directory_entry(m, row);
    if (e == m->l3_entries) {
        drop(m, p, &at, row, way, LEAVE_EVICTED, true);
        return;
    }
    bump(&p->slice[slice].victim[entry_state(word)], 1);
    count_out(m, p, &at, way, word, LEAVE_EVICTED);
    if (entry_state(word) == STATE_M) {
        count_write_back(m, p, &at, word);
        word = with_state(word, STATE_E);
    }
    move_true_rmid(m, p, &at, e, way);
    put_entry(row, e, word, row.hint[way]);
    row.word[way] = 0;
}

/* --- lines come */

enum fill { FILL_READ, FILL_CODE, FILL_STORE };

static enum fill fill_of(bool code, bool store)
{
    return code ? FILL_CODE : store ? FILL_STORE : FILL_READ;
}

/* Does the mask not reach this kind of fill? */
static bool mask_is_escaped(const struct model *m, const struct cpu *c, enum fill kind)
{
    const struct fault_set *f = &m->faults;

    return (fault_on(f, FAULT_MASK_STORES_ESCAPE) && kind == FILL_STORE) ||
           (fault_on(f, FAULT_MASK_CODE_ESCAPES) && kind == FILL_CODE) ||
           (fault_on(f, FAULT_MASK_PREFETCH_ESCAPES) && c->prefetching);
}

static uint32_t class_of_fill(const struct model *m, const struct cpu *c)
{
    if (fault_on(&m->faults, FAULT_CLOS_OF_SIBLING) && m->threads > 1)
        c = c - c->thread + (c->thread + 1) % m->threads;
    return atomic_load_explicit(&c->clos, memory_order_relaxed);
}

static __attribute__((noinline)) uint32_t lying_mask(struct model *m, struct cpu *c, enum fill kind)
{
    bool code = kind == FILL_CODE;
    uint32_t ways = m->l3_clos ? rdt_fill_mask(m, c->domain, class_of_fill(m, c), code) : UINT32_MAX;

    if (fault_on(&m->faults, FAULT_MASK_AT_ASSOCIATION))
        ways = atomic_load_explicit(&c->ways[code], memory_order_relaxed);
    if (fault_on(&m->faults, FAULT_CDP_ONE_CORE) && c->domain->l3_qos_cfg && c->core_index != c->domain->cdp_core)
        ways = c->domain->l3_mask[c->clos % MODEL_MAX_CLOS];
    if (mask_is_escaped(m, c, kind))
        ways = m->l3_way_mask;
    return m->l3_clos ? flaw_ways(m, c, ways, code ? FLAW_CODE : kind == FILL_STORE ? FLAW_STORES : FLAW_LOADS) : ways;
}

/* Ways that the processor's class may fill with this line. */
static inline uint32_t l3_allowed(struct model *m, struct cpu *c, uint64_t line, enum fill kind)
{
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed), ways = UINT32_MAX;

    if (__builtin_expect(m->masks_lie, 0))
        ways = lying_mask(m, c, kind);
    else if (m->l3_clos)
        ways = rdt_class_mask(c->domain, clos, kind == FILL_CODE);
    if (__builtin_expect(atomic_load_explicit(&c->domain->range.ways, memory_order_relaxed) != 0, 0))
        ways = rdt_range_mask(c->domain, line, ways);
    return ways;
}

/* Make room in the least recently used of the allowed ways; invalid ones stand last in the order. Or by the policy that
 * l3-replacement asks for. */
static inline uint32_t claim_allowed(struct model *m, struct domain *p, uint32_t slice, uint32_t index,
                                     uint32_t allowed)
{
    struct l3_row row = row_of(m, p, index);
    uint32_t i = m->l3.ways - 1, way;

    if (__builtin_expect(m->replaces, 0))
        i = position_of(row, policy_way(m, p, slice, index, allowed));
    while (!(allowed >> row.order[i] & 1) && i > 0)
        i--;
    way = row.order[i];
    if (entry_state(row.word[way]) != STATE_I)
        evict(m, p, row, slice, index, way);
    move_first(row, i);
    return way;
}

static uint32_t claim_way(struct model *m, struct cpu *c, const struct place *at, enum fill kind)
{
    return claim_allowed(m, c->domain, at->slice, at->index, l3_allowed(m, c, at->line, kind));
}

void l3_inject(struct model *m, struct domain *p, const struct place *at, uint32_t ways, uint32_t tag)
{
    uint32_t way = claim_allowed(m, p, at->slice, at->index, ways);
    uint32_t word = tag_in_word(at->tag) | (uint32_t)field_put(ENTRY_RMID, tag) | (uint32_t)STATE_M;

    put_entry(row_of(m, p, at->index), way, word, (uint16_t)at->tag);
    if (m->tags_lie)
        p->true_rmid[(size_t)at->index * m->l3_entries + way] = (uint16_t)tag;
    bump(&p->slice[at->slice].fill, 1);
    count_in(m, p, at, way, word);
}

/* A line that cores had, or that one wrote and others read now, has no way to get. */
static void settle_in_memory(struct model *m, struct domain *p, const struct place *at, uint32_t from, uint32_t word)
{
    if (entry_state(word) == STATE_M)
        count_write_back(m, p, at, word);
    row_of(m, p, at->index).word[from] = word & ENTRY_PRESENCE ? with_state(word, STATE_E) : 0;
}

/* A line that cores had gets a way of the L3; from: its directory entry, freed. */
static void settle(struct model *m, struct cpu *c, const struct place *at, uint32_t from, uint32_t word, bool code)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    enum fill kind = fill_of(code, entry_state(word) == STATE_M);
    uint32_t allowed = m->l3.ways == 0 ? 0 : l3_allowed(m, c, at->line, kind), way;

    if (allowed == 0) {
        settle_in_memory(m, c->domain, at, from, word);
        return;
    }
    way = claim_allowed(m, c->domain, at->slice, at->index, allowed);
    move_true_rmid(m, c->domain, at, way, from);
    row.word[from] = 0;
    put_entry(row, way, word, (uint16_t)at->tag);
    bump(&c->domain->slice[at->slice].fill, 1);
    count_in(m, c->domain, at, way, word);
}

static uint32_t claim_directory_entry(struct model *m, struct cpu *c, const struct place *at)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    uint32_t e = free_directory_entry(m, row), n = m->l3_entries - m->l3.ways;

    if (__builtin_expect(e == m->l3_entries, 0)) {
        struct place old;
        struct asked a;
        uint32_t word;

        e = m->l3.ways + *row.turn;
        word = row.word[e];
        old = place_in(m, row, e, at->slice, at->index);
        a = ask_cores(m, c->domain, word, old.line, NO_CORE, true);
        settle(m, c, &old, e, with_state(word & ~ENTRY_PRESENCE, a.dirty ? STATE_M : entry_state(word)), false);
    }
    *row.turn = (uint8_t)(e - m->l3.ways + 1 == n ? 0 : e - m->l3.ways + 1);
    return e;
}

/* --- requests */

/* Another L3's side has the line in entry e. What it had. */
static __attribute__((noinline)) enum line_state ask_other(struct model *m, struct domain *p, const struct place *at,
                                                           uint32_t e, bool store)
{
    struct l3_row row = row_of(m, p, at->index);
    enum line_state had;
    struct asked a;

    if (store)
        return l3_drop(m, p, at, e, LEAVE_SNOOPED, false);
    had = entry_state(row.word[e]);
    if (had == STATE_E || had == STATE_M) {
        a = ask_cores(m, p, row.word[e], at->line, NO_CORE, false);
        had = a.dirty ? STATE_M : had;
        row.word[e] = (row.word[e] & ~ENTRY_PRESENCE) | a.presence;
    }
    if (had == STATE_M)
        count_write_back(m, p, at, row.word[e]);
    row.word[e] = with_state(row.word[e], STATE_S);
    return had;
}

/* The other L3s' sides, before this one fills or stores. What they had: I, S or M. */
static inline enum line_state ask_others(struct model *m, struct domain *self, const struct place *at, bool store)
{
    enum line_state found = STATE_I;

    for (struct domain *p = m->domain, *end = p + m->domains; p != end; p++) {
        struct l3_row row;
        uint32_t e;

        if (p == self)
            continue;
        row = row_of(m, p, at->index);
        e = find(m, row, at->tag);
        count_lookup(p, at->slice, LOOKUP_SNOOP, found_state(m, row, e));
        if (__builtin_expect(e != m->l3_entries, 0))
            found = ask_other(m, p, at, e, store) == STATE_M ? STATE_M : found == STATE_I ? STATE_S : found;
    }
    return found;
}

/* A miss. flags: what the core may do with the line. */
static void bring_in(struct model *m, struct cpu *c, const struct place *at, enum lookup why, uint32_t *flags)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, at->index);
    bool store = why == LOOKUP_RFO;
    enum line_state others = m->domains > 1 ? ask_others(m, p, at, store) : STATE_I, state;
    uint32_t home = cache_home(m, at->line), seen = tag_of_fill(m, c, home, access_of[why]), word, e;
    uint32_t counted = flaw_transfer(m, c, at->slice, tag_of_transfer(m, c, seen, home, store), access_of[why]);
    uint32_t rmid = atomic_load_explicit(&c->rmid, memory_order_relaxed);

    if (others != STATE_M) { /* else it comes from the cache that has it */
        count_cas(m, c->package, at, home, false);
        count_home(m, c->package, at->line, home, opcode_of[why]);
    }
    count_transfer(m, p, at,
                   (struct transfer_of){ read_of(m, at->line), rmid, counted, home == c->node, c, access_of[why] });
    if (__builtin_expect(m->abmc_by_class, 0))
        count_of_class(c, read_of(m, at->line), home == c->node);
    count_tor(m, c, at->slice, opcode_of[why], home);
    c->counts.l3_misses++;
    c->counts.user.l3_misses += c->user;
    if (__builtin_expect(m->watched, 0))
        policy_miss(m, p, at, counted, home == c->node);
    state = store ? (others == STATE_M ? STATE_M : STATE_E) : others == STATE_I ? STATE_E : STATE_F;
    *flags |= store ? L2_OWNED | L2_DIRTY : state == STATE_E ? L2_OWNED : 0;
    e = m->profile->l3_inclusive ? claim_way(m, c, at, fill_of(why == LOOKUP_CODE, store))
                                 : claim_directory_entry(m, c, at);
    seen = store && m->tags_lie && fault_on(&m->faults, FAULT_STORES_UNTAGGED) ? m->rmids : tag_of_line(m, p, seen);
    if (__builtin_expect(m->flaw.monitor != FLAW_NONE, 0))
        seen = flaw_line(m, c, at->slice, seen, access_of[why]);
    word = tag_in_word(at->tag) | (uint32_t)field_put(ENTRY_RMID, seen) | presence_of(c->core_index) | (uint32_t)state;
    put_entry(row, e, word, (uint16_t)at->tag);
    if (__builtin_expect(m->tags_lie, 0))
        p->true_rmid[(size_t)at->index * m->l3_entries + e] = (uint16_t)rmid;
    if (m->profile->l3_inclusive) {
        bump(&p->slice[at->slice].fill, 1);
        count_in(m, p, at, e, word);
    }
}

void l3_allocate(struct model *m, struct cpu *c, const struct place *at, uint32_t seen)
{
    uint32_t word = tag_in_word(at->tag) | (uint32_t)field_put(ENTRY_RMID, seen) | (uint32_t)STATE_E, way;

    if (m->l3.ways == 0)
        return;
    way = claim_way(m, c, at, FILL_STORE);
    put_entry(row_of(m, c->domain, at->index), way, word, (uint16_t)at->tag);
    if (m->tags_lie)
        c->domain->true_rmid[(size_t)at->index * m->l3_entries + way] =
            (uint16_t)atomic_load_explicit(&c->rmid, memory_order_relaxed);
    bump(&c->domain->slice[at->slice].fill, 1);
    count_in(m, c->domain, at, way, word);
}

bool l3_prefetch(struct model *m, struct cpu *c, uint64_t line)
{
    struct place at = place_of(m, line);
    struct domain *p = c->domain;
    bool comes;

    slice_lock(m, at.slice);
    comes = m->l3.ways && find(m, row_of(m, p, at.index), at.tag) == m->l3_entries;
    if (comes && m->domains > 1 && ask_others(m, p, &at, false) != STATE_I)
        comes = false; /* another cache has it: left there */
    if (comes) {
        uint32_t home = cache_home(m, line), tag = tag_of_fill(m, c, home, FLAW_LOADS);
        uint32_t rmid = atomic_load_explicit(&c->rmid, memory_order_relaxed);

        count_cas(m, c->package, &at, home, false);
        count_home(m, c->package, line, home, TOR_DRD);
        count_tor(m, c, at.slice, TOR_DRD, home);
        count_transfer(m, p, &at,
                       (struct transfer_of){ read_of(m, line), rmid, tag_of_transfer(m, c, tag, home, false),
                                             home == c->node, c, FLAW_LOADS });
        l3_allocate(m, c, &at, tag);
    }
    slice_unlock(m, at.slice);
    return comes;
}

/* The line goes from a way to the core that asks. */
static uint32_t move_to_core(struct model *m, struct cpu *c, const struct place *at, uint32_t way)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    uint16_t *rmid = m->tags_lie ? c->domain->true_rmid + (size_t)at->index * m->l3_entries : NULL;
    uint16_t true_rmid = rmid ? rmid[way] : 0;
    uint32_t word = row.word[way], e;

    count_out(m, c->domain, at, way, word, LEAVE_TAKEN);
    row.word[way] = 0;
    move_last(m, row, position_of(row, way));
    e = claim_directory_entry(m, c, at);
    put_entry(row, e, word, (uint16_t)at->tag);
    if (rmid)
        rmid[e] = true_rmid;
    return e;
}

/* A hit, in a way or in the directory. */
static void use_entry(struct model *m, struct cpu *c, const struct place *at, uint32_t e, bool store, uint32_t *flags)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, at->index);
    enum line_state state = entry_state(row.word[e]);
    uint32_t mine = presence_of(c->core_index), word = row.word[e];
    struct asked a = { word & ENTRY_PRESENCE & ~mine, false };

    if (store && (state == STATE_S || state == STATE_F)) {
        if (m->domains > 1)
            ask_others(m, p, at, true);
        state = STATE_E;
    }
    if (store || state == STATE_E || state == STATE_M)
        a = ask_cores(m, p, word, at->line, c->core_index, store);
    if (a.dirty)
        state = STATE_M;
    if (e < m->l3.ways) {
        move_first(row, position_of(row, e));
        if (__builtin_expect(m->replaces, 0))
            policy_hit(m, p, at->index, e);
    }
    *flags |= store ? L2_OWNED | L2_DIRTY : (state == STATE_E || state == STATE_M) && !a.presence ? L2_OWNED : 0;
    row.word[e] = with_state((word & ~ENTRY_PRESENCE) | a.presence | mine, state);
    if (m->profile->l3_inclusive)
        return;
    if (e < m->l3.ways) {
        if (store || !a.presence) {
            e = move_to_core(m, c, at, e);
            if (state == STATE_M) {
                *flags |= L2_DIRTY;
                row.word[e] = with_state(row.word[e], STATE_E);
            }
        }
    } else if (state == STATE_M && !store) { /* what one core wrote, two now read: the L3 gets it */
        settle(m, c, at, e, row.word[e], false);
    }
}

/* Programs go from line to line. While this one is served, the host fetches what one WARM_DISTANCE after it will need: its
 * set here and in the other L3s, and the set of the line that will make room for it in the L2. Changes nothing in the
 * model. Distances of 1 to 8 were tried: from 4 on the host no longer waits. */

static inline void warm_set(const struct model *m, const struct domain *p, uint32_t index, uint32_t from)
{
    const uint8_t *block = p->l3_block + (size_t)index * m->l3_block_bytes;

    for (const uint8_t *at = block + (from & ~63u), *end = block + m->l3_block_bytes; at != end; at += 64)
        __builtin_prefetch(at, 1);
    if (__builtin_expect(p->true_rmid != NULL, 0)) {
        const uint16_t *rmid = p->true_rmid + (size_t)index * m->l3_entries;

        __builtin_prefetch(rmid, 1);
        __builtin_prefetch(rmid + m->l3_entries - 1, 1);
    }
}

/* The line's place is kept for its own request, which finds it in the same member of `warmed`. */
static inline struct place place_kept(const struct model *m, const struct cpu *c, uint64_t line)
{
    const struct place *warmed = &c->warmed[line % WARM_DISTANCE];

    return warmed->line == line ? *warmed : place_of(m, line);
}

static inline void warm(const struct model *m, struct cpu *c, uint64_t line)
{
    struct place *at = &c->warmed[line % WARM_DISTANCE];
    uint32_t index;
    uint64_t leaving;

    *at = place_of(m, line);
    index = at->index;
    warm_set(m, c->domain, index, 0);
    for (const struct domain *p = m->domain, *end = p + m->domains; p != end; p++) /* what a search looks at */
        if (p != c->domain)
            warm_set(m, p, index, 4 * m->l3_entries);
    if (private_next_out(m, c->core, line, &leaving) & (m->profile->l3_inclusive ? L2_DIRTY : L2_VALID)) {
        at = &c->leaving[leaving % (2 * WARM_DISTANCE)];
        *at = place_of(m, leaving);
        warm_set(m, c->domain, at->index, 0);
    }
}

struct place l3_place_next(const struct model *m, struct cpu *c, uint64_t line)
{
    struct place at = place_kept(m, c, line), *ahead = &c->warmed[line % WARM_DISTANCE];

    *ahead = place_of(m, line + WARM_DISTANCE);
    for (uint32_t q = 0; q < m->domains; q++)
        warm_set(m, &m->domain[q], ahead->index, 0);
    return at;
}

enum cache_level l3_request(struct model *m, struct cpu *c, uint64_t line, enum lookup why, bool into_l1)
{
    struct place at = place_kept(m, c, line);
    uint32_t flags = why == LOOKUP_CODE ? L2_CODE : 0, e;
    struct given_up g;
    struct l3_row row = row_of(m, c->domain, at.index);

    warm(m, c, line + WARM_DISTANCE);
    slice_lock(m, at.slice);
    e = find(m, row, at.tag);
    count_lookup(c->domain, at.slice, why, found_state(m, row, e));
    c->counts.l3_references++;
    c->counts.user.l3_references += c->user;
    if (e < m->l3_entries) {
        count_tor(m, c, at.slice, opcode_of[why], FOUND);
        if (__builtin_expect(m->tags_lie, 0) && fault_on(&m->faults, FAULT_HIT_RETAGS))
            l3_retag_hit(m, c, &at, e);
        if (__builtin_expect(m->tags_lie, 0) && fault_on(&m->faults, FAULT_MBM_HITS_COUNTED))
            bump(&traffic_at(c->domain->seen, m, at.slice, c->tag)->moved[TRANSFER_READ][1], 1);
        use_entry(m, c, &at, e, why == LOOKUP_RFO, &flags);
    } else {
        bring_in(m, c, &at, why, &flags);
    }
    g = private_fill(m, c, line, flags, into_l1);
    slice_unlock(m, at.slice);
    if (g.flags)
        l3_take_back(m, c, g);
    return e < m->l3_entries ? LEVEL_L3 : LEVEL_MEMORY;
}

bool l3_bit_in_use(const struct model *m, const struct domain *p, uint64_t line, uint32_t core)
{
    if (m->alone && m->cores_per_domain <= ENTRY_CORES)
        return false; /* no other core has this bit, and nobody can have brought the line back meanwhile */
    for (uint32_t c = core % ENTRY_CORES; c < m->cores_per_domain; c += ENTRY_CORES)
        if (private_has(m, &p->cores[c], line))
            return true;
    return false;
}

/* A line that no core has any more, as a real L3 may treat it. flags: L2_*, of what the core gave up. False: it goes. */
static __attribute__((noinline)) bool victim_stays(struct model *m, struct cpu *c, const struct place *at, uint32_t e,
                                                   uint32_t flags)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, at->index);
    uint32_t *word = &row.word[e], tag;

    if (entry_state(*word) != STATE_M && policy_drops(m, p, at->slice, flags & L2_REUSED)) {
        *word = 0;
        return false;
    }
    if (m->realism.value[REALISM_L2_VICTIM_TAG] == VICTIM_TAG_EVICT) {
        tag = tag_of_line(m, p, tag_of_fill(m, c, cache_home(m, at->line), flags & L2_CODE ? FLAW_CODE : FLAW_LOADS));
        tag = flaw_line(m, c, at->slice, tag, flags & L2_CODE ? FLAW_CODE : FLAW_LOADS);
        *word = (*word & ~ENTRY_RMID) | (uint32_t)field_put(ENTRY_RMID, tag);
        if (m->tags_lie)
            p->true_rmid[(size_t)at->index * m->l3_entries + e] =
                (uint16_t)atomic_load_explicit(&c->rmid, memory_order_relaxed);
    }
    return true;
}

void l3_take_back(struct model *m, struct cpu *c, struct given_up g)
{
    struct domain *p = c->domain;
    const struct place *kept = &c->leaving[g.line % (2 * WARM_DISTANCE)];
    bool dirty = g.flags & L2_DIRTY;
    struct l3_row row;
    struct place at;
    uint32_t e;

    if (m->profile->l3_inclusive && !dirty)
        return;
    c->counts.l2_write_backs++;
    c->counts.user.l2_write_backs += c->user;
    at = kept->line == g.line ? *kept : place_of(m, g.line);
    row = row_of(m, p, at.index);
    slice_lock(m, at.slice);
    e = find(m, row, at.tag);
    count_lookup(p, at.slice, LOOKUP_WRITE, found_state(m, row, e));
    count_tor(m, c, at.slice, TOR_WRITE_BACK, FOUND);
    if (e == m->l3_entries) { /* taken away since it left the core: what was written continues to memory */
        if (dirty)
            count_write_back(m, p, &at, 0);
    } else {
        if (dirty)
            row.word[e] = with_state(row.word[e], STATE_M);
        if (!l3_bit_in_use(m, p, g.line, c->core_index))
            row.word[e] &= ~presence_of(c->core_index);
        if (e >= m->l3.ways && !(row.word[e] & ENTRY_PRESENCE) &&
            (__builtin_expect(!m->drops, 1) || victim_stays(m, c, &at, e, g.flags)))
            settle(m, c, &at, e, row.word[e], g.flags & L2_CODE);
    }
    slice_unlock(m, at.slice);
}
