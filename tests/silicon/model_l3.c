/* tests/silicon/model_l3.c: sets of the L3 and its directory; what a request finds and changes there.
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
 */
#include "tests/silicon/model_cache.h"

#include <emmintrin.h>
#include <string.h>

/* --- places
 * ---------------------------------------------------------------------------------------------------------- */

static inline uint32_t parity64(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    return (uint32_t)__builtin_parity((unsigned)x & 0xFFFF);
}

/* Blocks of lines go round n slices, each set starting elsewhere. */
static inline uint32_t slice_in_turn(const struct model *m, uint64_t line, uint32_t low, uint32_t n)
{
    return ((uint32_t)(line >> m->l3.set_bits) + (low * 2654435761u >> 20) + m->slice_start) % n;
}

/* The same slice in every L3. With the package cut into clusters that share its L3 (SNC), each has a part of the
 * slices, which hold the lines that are home to it; lines of another package lie in the slices of the cluster that has
 * their home's number, so that they too spread over all of them. */
struct place l3_place(const struct model *m, uint64_t line)
{
    uint32_t low = (uint32_t)(line & (m->l3.sets - 1)), slice = 0;

    if (m->slice_parts > 1) {
        uint32_t n = m->l3_slices / m->slice_parts;

        slice = cache_home(m, line) % m->slice_parts * n + slice_in_turn(m, line, low, n);
    } else if (m->slice_bits != UINT32_MAX) {
        for (uint32_t b = 0; b < m->slice_bits; b++)
            slice |= parity64(line << MODEL_LINE_SHIFT & m->slice_hash[b]) << b;
    } else {
        slice = slice_in_turn(m, line, low, m->l3_slices);
    }
    return (struct place){ .line = line,
                           .tag = field_put(ENTRY_TAG, line >> m->l3.set_bits),
                           .slice = slice,
                           .index = slice << m->l3.set_bits | low };
}

static inline uint64_t line_of(const struct model *m, uint64_t word, uint32_t index)
{
    return field_get(ENTRY_TAG, word) << m->l3.set_bits | (index & (m->l3.sets - 1));
}

static inline uint64_t with_state(uint64_t word, enum line_state state)
{
    return (word & ~ENTRY_STATE) | (uint64_t)state;
}

static inline uint64_t presence_of(uint32_t core)
{
    return core == NO_CORE ? 0 : field_put(ENTRY_PRESENCE, 1u << core % 16);
}

/* --- one set: caller has the slice's lock
 * ----------------------------------------------------------------------------- */

/* The hints tell whether the words need to be looked at. Bytes behind the last hint are compared too and ignored. */
static inline uint32_t find(const struct model *m, struct l3_row row, uint64_t tag)
{
    __m128i want = _mm_set1_epi16((short)field_get(ENTRY_TAG, tag));

    for (uint32_t v = 0; v < m->l3_entries; v += 16) {
        const __m128i *at = (const __m128i *)(const void *)(row.hint + v);
        __m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(at), want), b = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), want);

        for (uint32_t hits = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)); hits; hits &= hits - 1) {
            uint32_t e = v + (uint32_t)__builtin_ctz(hits);

            if (e < m->l3_entries && !((row.word[e] ^ tag) & ENTRY_TAG) && entry_state(row.word[e]) != STATE_I)
                return e;
        }
    }
    return m->l3_entries;
}

static uint32_t position_of(struct l3_row row, uint32_t way)
{
    uint32_t i = 0;

    while (row.order[i] != way)
        i++;
    return i;
}

static void move_first(struct l3_row row, uint32_t position)
{
    uint8_t way = row.order[position];

    memmove(row.order + 1, row.order, position);
    row.order[0] = way;
}

static void move_last(const struct model *m, struct l3_row row, uint32_t position)
{
    uint8_t way = row.order[position];
    uint32_t last = m->l3.ways - 1;

    memmove(row.order + position, row.order + position + 1, last - position);
    row.order[last] = way;
}

static inline void put_word(const struct model *m, struct l3_row row, uint32_t e, uint64_t word)
{
    (void)m;
    row.word[e] = word;
    row.hint[e] = (uint16_t)field_get(ENTRY_TAG, word);
}

static inline enum line_state found_state(const struct model *m, const struct l3_row row, uint32_t e)
{
    enum line_state state;

    if (e == m->l3_entries)
        return STATE_I;
    state = entry_state(row.word[e]);
    if (e < m->l3.ways)
        return state;
    return state == STATE_E || state == STATE_M ? STATE_SF_E : STATE_SF_S;
}

static void count_lookup(struct domain *p, uint32_t slice, enum lookup why, enum line_state found)
{
    bump(&p->slice[slice].lookup[why][found], 1);
}

/* --- asking cores
 * ----------------------------------------------------------------------------------------------------- */

struct asked {
    uint64_t presence; /* who still has it */
    bool dirty;        /* one had written to it */
};

/* Ask the cores that may have the line, but for one, to give it up, or the right to store to it. */
static struct asked ask_cores(const struct model *m, struct domain *p, uint64_t word, uint64_t line, uint32_t but,
                              bool invalidate)
{
    struct asked a = { 0, false };

    for (uint32_t bits = (uint32_t)field_get(ENTRY_PRESENCE, word); bits; bits &= bits - 1)
        for (uint32_t c = (uint32_t)__builtin_ctz(bits); c < m->cores_per_domain; c += 16) {
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

/* --- lines leave
 * ------------------------------------------------------------------------------------------------------ */

/* Entry e goes, from its cores too. */
static enum line_state drop(struct model *m, struct domain *p, const struct place *at, uint32_t e, enum leave why,
                            bool write_back)
{
    struct l3_row row = row_of(m, p, at->index);
    uint64_t word = row.word[e];
    enum line_state state = entry_state(word);

    if (ask_cores(m, p, word, at->line, NO_CORE, true).dirty)
        state = STATE_M;
    if (e < m->l3.ways) {
        count_out(m, p, at, e, why);
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

void l3_purge(struct model *m, const struct place *at, enum leave why)
{
    for (uint32_t q = 0; q < m->domains; q++) {
        uint32_t e = find(m, row_of(m, &m->domain[q], at->index), at->tag);

        if (e < m->l3_entries)
            drop(m, &m->domain[q], at, e, why, true);
    }
}

/* A directory entry that nobody uses, or l3_entries. */
static uint32_t free_directory_entry(const struct model *m, struct l3_row row)
{
    uint32_t n = m->l3_entries - m->l3.ways;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = m->l3.ways + (*row.turn + i) % n;

        if (entry_state(row.word[e]) == STATE_I)
            return e;
    }
    return m->l3_entries;
}

static void move_true_rmid(const struct model *m, struct domain *p, const struct place *at, uint32_t to, uint32_t from)
{
    uint16_t *rmid;

    if (!m->tags_lie)
        return;
    rmid = p->true_rmid + (size_t)at->index * m->l3_entries;
    rmid[to] = rmid[from];
}

/* The line of a way makes room. If cores share it, they keep it as long as the directory has an entry for it. */
static void evict(struct model *m, struct domain *p, uint32_t slice, uint32_t index, uint32_t way)
{
    struct l3_row row = row_of(m, p, index);
    uint64_t word = row.word[way];
    struct place at = { .line = line_of(m, word, index), .tag = word & ENTRY_TAG, .slice = slice, .index = index };
    uint32_t e = m->l3_entries;

    if (!m->profile->l3_inclusive && (word & ENTRY_PRESENCE))
        e = free_directory_entry(m, row);
    if (e == m->l3_entries) {
        drop(m, p, &at, way, LEAVE_EVICTED, true);
        return;
    }
    bump(&p->slice[slice].victim[entry_state(word)], 1);
    count_out(m, p, &at, way, LEAVE_EVICTED);
    if (entry_state(word) == STATE_M) {
        count_write_back(m, p, &at, word);
        word = with_state(word, STATE_E);
    }
    move_true_rmid(m, p, &at, e, way);
    put_word(m, row, e, word);
    row.word[way] = 0;
}

/* --- lines come
 * -------------------------------------------------------------------------------------------------------- */

/* Ways that the processor's class may fill. */
static uint32_t l3_allowed(const struct model *m, const struct cpu *c, bool code)
{
    return m->l3_clos ? rdt_fill_mask(m, c->domain, atomic_load_explicit(&c->clos, memory_order_relaxed), code)
                      : UINT32_MAX;
}

/* Make room in the least recently used of the allowed ways; invalid ones stand last in the order. */
static uint32_t claim_way(struct model *m, const struct cpu *c, uint32_t slice, uint32_t index, bool code)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, index);
    uint32_t allowed = l3_allowed(m, c, code), i = m->l3.ways - 1, way;

    while (!(allowed >> row.order[i] & 1) && i > 0)
        i--;
    way = row.order[i];
    if (entry_state(row.word[way]) != STATE_I)
        evict(m, p, slice, index, way);
    move_first(row, i);
    return way;
}

/* A line that cores had gets a way of the L3; from: its directory entry, freed. */
static void settle(struct model *m, const struct cpu *c, const struct place *at, uint32_t from, uint64_t word,
                   bool code)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    uint32_t way = claim_way(m, c, at->slice, at->index, code);

    move_true_rmid(m, c->domain, at, way, from);
    row.word[from] = 0;
    put_word(m, row, way, word);
    bump(&c->domain->slice[at->slice].fill, 1);
    count_in(m, c->domain, at, way, (uint32_t)field_get(ENTRY_RMID, word));
}

static uint32_t claim_directory_entry(struct model *m, const struct cpu *c, const struct place *at)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    uint32_t e = free_directory_entry(m, row), n = m->l3_entries - m->l3.ways;

    if (e == m->l3_entries) {
        struct place old = *at;
        uint64_t word;
        struct asked a;

        e = m->l3.ways + *row.turn % n;
        word = row.word[e];
        old.line = line_of(m, word, at->index);
        old.tag = word & ENTRY_TAG;
        a = ask_cores(m, c->domain, word, old.line, NO_CORE, true);
        settle(m, c, &old, e, with_state(word & ~ENTRY_PRESENCE, a.dirty ? STATE_M : entry_state(word)), false);
    }
    *row.turn = (uint8_t)((e - m->l3.ways + 1) % n);
    return e;
}

/* --- requests
 * --------------------------------------------------------------------------------------------------------- */

/* The other L3s' sides, before this one fills or stores. What they had: I, S or M. */
static enum line_state ask_others(struct model *m, struct domain *self, const struct place *at, bool store)
{
    enum line_state found = STATE_I, had;

    for (uint32_t q = 0; q < m->domains; q++) {
        struct domain *p = &m->domain[q];
        struct l3_row row;
        struct asked a;
        uint32_t e;

        if (p == self)
            continue;
        row = row_of(m, p, at->index);
        e = find(m, row, at->tag);
        count_lookup(p, at->slice, LOOKUP_SNOOP, found_state(m, row, e));
        if (e == m->l3_entries)
            continue;
        if (store) {
            had = drop(m, p, at, e, LEAVE_TAKEN, false);
        } else {
            had = entry_state(row.word[e]);
            if (had == STATE_E || had == STATE_M) {
                a = ask_cores(m, p, row.word[e], at->line, NO_CORE, false);
                had = a.dirty ? STATE_M : had;
                row.word[e] = (row.word[e] & ~ENTRY_PRESENCE) | a.presence;
            }
            if (had == STATE_M)
                count_write_back(m, p, at, row.word[e]);
            row.word[e] = with_state(row.word[e], STATE_S);
        }
        found = had == STATE_M ? STATE_M : found == STATE_I ? STATE_S : found;
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
    uint32_t rmid = atomic_load_explicit(&c->rmid, memory_order_relaxed), seen = tag_of_fill(m, c, at->line), e;

    if (others != STATE_M) /* else it comes from the cache that has it */
        count_read(m, c->package, at->line);
    count_transfer(m, p, at->slice, rmid, seen, home_is_local(m, c, at->line));
    c->counts.l3_misses++;
    state = store ? (others == STATE_M ? STATE_M : STATE_E) : others == STATE_I ? STATE_E : STATE_F;
    *flags |= store ? L2_OWNED | L2_DIRTY : state == STATE_E ? L2_OWNED : 0;
    e = m->profile->l3_inclusive ? claim_way(m, c, at->slice, at->index, why == LOOKUP_CODE)
                                 : claim_directory_entry(m, c, at);
    put_word(m, row, e, at->tag | field_put(ENTRY_RMID, seen) | presence_of(c->core_index) | (uint64_t)state);
    if (__builtin_expect(m->tags_lie, 0))
        p->true_rmid[(size_t)at->index * m->l3_entries + e] = (uint16_t)rmid;
    if (m->profile->l3_inclusive) {
        bump(&p->slice[at->slice].fill, 1);
        count_in(m, p, at, e, seen);
    }
}

/* The line goes from a way to the core that asks. */
static uint32_t move_to_core(struct model *m, struct cpu *c, const struct place *at, uint32_t way)
{
    struct l3_row row = row_of(m, c->domain, at->index);
    uint64_t word = row.word[way];
    uint32_t e = claim_directory_entry(m, c, at);

    /* Making room in the directory may have evicted this very way's line. */
    if (row.word[way] == word) {
        count_out(m, c->domain, at, way, LEAVE_TAKEN);
        move_true_rmid(m, c->domain, at, e, way);
        row.word[way] = 0;
        move_last(m, row, position_of(row, way));
    }
    put_word(m, row, e, word);
    return e;
}

/* A hit, in a way or in the directory. */
static void use_entry(struct model *m, struct cpu *c, const struct place *at, uint32_t e, bool store, uint32_t *flags)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, at->index);
    enum line_state state = entry_state(row.word[e]);
    uint64_t mine = presence_of(c->core_index), word = row.word[e];
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
    if (e < m->l3.ways)
        move_first(row, position_of(row, e));
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

static const enum tor_opcode opcode_of[LOOKUPS] = {
    [LOOKUP_READ] = TOR_DRD, [LOOKUP_CODE] = TOR_CRD, [LOOKUP_RFO] = TOR_RFO
};

enum cache_level l3_request(struct model *m, struct cpu *c, uint64_t line, enum lookup why, bool into_l1)
{
    struct place at = l3_place(m, line);
    uint32_t flags = why == LOOKUP_CODE ? L2_CODE : 0, e;
    struct given_up g;
    struct l3_row row = row_of(m, c->domain, at.index);

    slice_lock(m, at.slice);
    e = find(m, row, at.tag);
    count_lookup(c->domain, at.slice, why, found_state(m, row, e));
    count_tor(m, c, &at, opcode_of[why], e < m->l3_entries);
    c->counts.l3_references++;
    if (e < m->l3_entries)
        use_entry(m, c, &at, e, why == LOOKUP_RFO, &flags);
    else
        bring_in(m, c, &at, why, &flags);
    g = private_fill(m, c, line, flags, into_l1);
    slice_unlock(m, at.slice);
    if (g.flags)
        l3_take_back(m, c, g);
    return e < m->l3_entries ? LEVEL_L3 : LEVEL_MEMORY;
}

/* Does any core that shares the presence bit still have it? */
static bool bit_in_use(const struct model *m, const struct domain *p, uint64_t line, uint32_t core)
{
    for (uint32_t c = core % 16; c < m->cores_per_domain; c += 16)
        if (private_has(m, &p->cores[c], line))
            return true;
    return false;
}

void l3_take_back(struct model *m, struct cpu *c, struct given_up g)
{
    struct domain *p = c->domain;
    bool dirty = g.flags & L2_DIRTY;
    struct l3_row row;
    struct place at;
    uint32_t e;

    if (m->profile->l3_inclusive && !dirty)
        return;
    at = l3_place(m, g.line);
    row = row_of(m, p, at.index);
    slice_lock(m, at.slice);
    e = find(m, row, at.tag);
    count_lookup(p, at.slice, LOOKUP_WRITE, found_state(m, row, e));
    count_tor(m, c, &at, TOR_WRITE_BACK, true);
    if (e == m->l3_entries) { /* taken away since it left the core: what was written goes on to memory */
        if (dirty)
            count_write_back(m, p, &at, 0);
    } else {
        if (dirty)
            row.word[e] = with_state(row.word[e], STATE_M);
        if (!bit_in_use(m, p, g.line, c->core_index))
            row.word[e] &= ~presence_of(c->core_index);
        if (e >= m->l3.ways && !(row.word[e] & ENTRY_PRESENCE))
            settle(m, c, &at, e, row.word[e], g.flags & L2_CODE);
    }
    slice_unlock(m, at.slice);
}

/* WBINVD's share of one set. */
static void flush_set(struct model *m, struct cpu *c, uint32_t slice, uint32_t index)
{
    struct domain *p = c->domain;
    struct l3_row row = row_of(m, p, index);

    for (uint32_t e = 0; e < m->l3_entries; e++) {
        uint64_t word = row.word[e], mine = presence_of(c->core_index);
        struct place at = { .line = line_of(m, word, index), .tag = word & ENTRY_TAG, .slice = slice, .index = index };
        bool dirty = entry_state(word) == STATE_M;

        if (entry_state(word) == STATE_I)
            continue;
        if (m->profile->l3_inclusive || (e < m->l3.ways && !(word & ENTRY_PRESENCE & ~mine))) {
            drop(m, p, &at, e, LEAVE_FLUSHED, true);
            continue;
        }
        if (e >= m->l3.ways && !(word & mine))
            continue;
        if (private_snoop(m, c->core, at.line, true) & L2_DIRTY)
            dirty = true;
        if (!bit_in_use(m, p, at.line, c->core_index))
            word &= ~mine;
        if (dirty)
            count_write_back(m, p, &at, word);
        row.word[e] = dirty ? with_state(word, STATE_E) : word;
        if (e < m->l3.ways) {
            uint32_t to = free_directory_entry(m, row);

            if (to == m->l3_entries || !(word & ENTRY_PRESENCE)) {
                drop(m, p, &at, e, LEAVE_FLUSHED, true);
                continue;
            }
            move_true_rmid(m, p, &at, to, e);
            count_out(m, p, &at, e, LEAVE_FLUSHED);
            put_word(m, row, to, row.word[e]);
            row.word[e] = 0;
            move_last(m, row, position_of(row, e));
        } else if (!(word & ENTRY_PRESENCE)) {
            row.word[e] = 0;
        }
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

void cache_retag(struct model *m, struct domain *p, uint32_t from, uint32_t to)
{
    for (uint32_t index = 0; index < m->l3_slices << m->l3.set_bits; index++) {
        uint32_t slice = index >> m->l3.set_bits;
        struct l3_row row = row_of(m, p, index);

        slice_lock(m, slice);
        for (uint32_t e = 0; e < m->l3_entries; e++) {
            if (entry_state(row.word[e]) == STATE_I || field_get(ENTRY_RMID, row.word[e]) != from)
                continue;
            row.word[e] = (row.word[e] & ~ENTRY_RMID) | field_put(ENTRY_RMID, to);
            if (e < m->l3.ways) {
                bump(&traffic_at(p->seen, m, slice, from)->lines, UINT64_MAX);
                bump(&traffic_at(p->seen, m, slice, to)->lines, 1);
            }
        }
        slice_unlock(m, slice);
    }
}
