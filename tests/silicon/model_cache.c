/* tests/silicon/model_cache.c: where lines are, whose they are, and what moved.
 *
 * Each core has an L1D and an L2 that only filter what the L3 sees; both threads share them. The L3 of a package is
 * inclusive: what leaves it leaves the package's private caches. A line carries the RMID of the processor that brought
 * it into the L3; later hits by anybody leave the tag alone.
 *
 * Coherence is as simple as occupancy and traffic allow. Private caches of one package need not know of each other,
 * since a store tells the L3 at once that the line is dirty. A line may be in several packages while it is only read. A
 * store takes it away from the other packages; if one of them had it dirty, ownership moves without a memory write. A
 * load of a line that another package has dirty has it written back there, and both keep it clean. Where the data came
 * from does not matter to the bandwidth counters: a fill is one line beyond this L3, local or remote by its home node.
 *
 * Locks: one bit for each group of sets, with the same sets of every package behind one lock, so that a line is judged
 * in all packages at once. L1 and L2 hits take none. Private words are written with atomic stores; who moves a line
 * from L2 to L1 without the lock looks at the L2 again afterwards, so that an invalidation in between is never lost
 * (invalidation clears L2 before L1).
 */
#include "tests/silicon/model_internal.h"

#include <emmintrin.h>
#include <sched.h>
#include <string.h>

enum leave { LEAVE_EVICTED, LEAVE_FLUSHED, LEAVE_TAKEN };

/* --- locks, places
 * ---------------------------------------------------------------------------------------------------- */

static struct stripe *stripe_take(struct model *m, uint32_t index)
{
    struct stripe *s = &m->stripes[(index ^ index >> 8) % MODEL_STRIPES];
    unsigned spins = 0;

    while (atomic_exchange_explicit(&s->taken, true, memory_order_acquire))
        while (atomic_load_explicit(&s->taken, memory_order_relaxed))
            if (++spins % 64 == 0)
                sched_yield(); /* the holder may have been preempted */
            else
                __builtin_ia32_pause();
    return s;
}

static void stripe_give(struct stripe *s)
{
    atomic_store_explicit(&s->taken, false, memory_order_release);
}

static inline uint32_t parity64(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    return (uint32_t)__builtin_parity((unsigned)x & 0xFFFF);
}

static uint32_t set_index(const struct model *m, uint64_t line)
{
    uint64_t physical = line << MODEL_LINE_SHIFT;
    uint32_t low = (uint32_t)(line & (m->profile->l3_sets - 1)), slice = 0;

    if (m->slice_bits != UINT32_MAX)
        for (uint32_t b = 0; b < m->slice_bits; b++)
            slice |= parity64(physical & m->slice_hash[b]) << b;
    else /* no power of 2: blocks go round the slices, each set starting elsewhere */
        slice = (uint32_t)(((line >> m->set_bits) + low * 2654435761u % 1021u) % m->profile->l3_slices);
    return slice << m->set_bits | low;
}

uint32_t cache_home(const struct model *m, uint64_t line)
{
    uint64_t physical = line << MODEL_LINE_SHIFT;

    for (uint32_t i = m->n_memory; i-- > 0;)
        if (physical - m->memory[i].base < m->memory[i].bytes)
            return m->memory[i].node;
    return 0;
}

static inline void add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* --- what happened, for the uncore's counters and the core's: model_counts.h
 * --------------------------------------------------------------------------- */

uint32_t cache_channel(const struct model *m, uint64_t line)
{
    uint32_t channels = m->profile->channels ? m->profile->channels : 4;

    /* Neighbours go round; what lies above moves the start of each round, so that no stride meets one channel alone. */
    return (uint32_t)((line ^ line >> 7 ^ line >> 14 ^ line >> 21) % channels);
}

static inline struct slice_counts *slice_of(const struct model *m, struct domain *p, uint32_t index)
{
    return &p->slice[index >> m->set_bits];
}

static inline enum line_state state_of(uint64_t word)
{
    return word & LINE_DIRTY ? STATE_M : word & LINE_SHARED ? STATE_S : STATE_E;
}

static void count_lookup(const struct model *m, struct domain *p, uint32_t index, enum lookup why,
                         enum line_state found)
{
    add(&slice_of(m, p, index)->lookup[why][found], 1);
}

static void count_tor(const struct model *m, const struct cpu *c, uint32_t index, uint64_t line, enum tor_opcode opcode,
                      bool hit)
{
    enum tor_place place = hit                                               ? TOR_HIT
                           : cache_home(m, line) / m->clusters == c->package ? TOR_MISS_LOCAL
                                                                             : TOR_MISS_REMOTE;

    add(&slice_of(m, c->domain, index)->tor[opcode][place], 1);
}

static void count_cas(struct model *m, uint32_t package, uint64_t line, bool write)
{
    struct node_counts *n = &m->node[cache_home(m, line)];
    uint32_t channel = cache_channel(m, line);

    add(write ? &n->cas_write[channel] : &n->cas_read[channel], 1);
    add(write ? &n->written_by[package] : &n->read_by[package], 1);
}

static inline bool is_local(const struct model *m, const struct cpu *c, uint64_t line)
{
    return cache_home(m, line) == c->node;
}

static inline uint64_t tag_word(const struct model *m, uint64_t line)
{
    return field_put(LINE_TAG, line >> m->set_bits);
}

static inline uint64_t presence_bit(uint32_t core)
{
    return field_put(LINE_PRESENCE, 1u << core % 16);
}

/* --- private caches
 * --------------------------------------------------------------------------------------------------- */

static inline uint64_t private_key(uint64_t line)
{
    return line << 2 | PRIVATE_VALID;
}

static void private_clear_set(_Atomic uint64_t *set, uint64_t key)
{
    for (uint32_t w = 0; w < PRIVATE_WAYS; w++) {
        uint64_t word = atomic_load(&set[w]);

        while ((word & ~PRIVATE_OWNED) == key && !atomic_compare_exchange_weak(&set[w], &word, 0))
            ;
    }
}

static void private_disown_set(_Atomic uint64_t *set, uint64_t key)
{
    for (uint32_t w = 0; w < PRIVATE_WAYS; w++) {
        uint64_t word = key | PRIVATE_OWNED;

        atomic_compare_exchange_strong(&set[w], &word, key);
    }
}

/* A fence between the L2 and the L1: see the head of this file. */
static void private_invalidate(struct core *core, uint64_t line)
{
    uint64_t key = private_key(line);

    private_clear_set(core->l2[line % L2_SETS], key);
    atomic_thread_fence(memory_order_seq_cst);
    private_clear_set(core->l1[line % L1_SETS], key);
}

static void private_disown(struct core *core, uint64_t line)
{
    uint64_t key = private_key(line);

    private_disown_set(core->l2[line % L2_SETS], key);
    atomic_thread_fence(memory_order_seq_cst);
    private_disown_set(core->l1[line % L1_SETS], key);
}

static void private_put(_Atomic uint64_t *set, _Atomic uint8_t *next, uint64_t word)
{
    uint64_t key = word & ~PRIVATE_OWNED;
    uint32_t way = PRIVATE_WAYS;
    uint8_t turn;

    for (uint32_t w = 0; w < PRIVATE_WAYS; w++)
        if ((atomic_load_explicit(&set[w], memory_order_relaxed) & ~PRIVATE_OWNED) == key)
            way = w;
    if (way == PRIVATE_WAYS) {
        turn = atomic_load_explicit(next, memory_order_relaxed);
        atomic_store_explicit(next, (uint8_t)(turn + 1), memory_order_relaxed);
        way = turn % PRIVATE_WAYS;
    }
    atomic_store_explicit(&set[way], word, memory_order_release);
}

/* --- L3: caller holds the set's lock
 * ---------------------------------------------------------------------------------- */

/* Ways whose hint is that of the tag: where none is, the set's words need not be looked at. */
static inline uint32_t l3_candidates(struct l3_set set, uint64_t tag)
{
    __m128i want = _mm_set1_epi16((short)field_get(LINE_TAG, tag));
    __m128i a = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)(const void *)set.index->hint), want);
    __m128i b = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)(const void *)(set.index->hint + 8)), want);
    __m128i c = _mm_cmpeq_epi16(_mm_loadl_epi64((const __m128i *)(const void *)(set.index->hint + 16)), want);

    return ((uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) |
            (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(c, _mm_setzero_si128())) << 16) &
           (uint32_t)low_bits(MODEL_MAX_WAYS);
}

static inline uint32_t l3_find(const struct model *m, struct l3_set set, uint64_t tag)
{
    for (uint32_t ways = l3_candidates(set, tag); ways; ways &= ways - 1) {
        uint32_t w = (uint32_t)__builtin_ctz(ways);

        if (((set.word[w] ^ tag) & (LINE_TAG | LINE_VALID)) == LINE_VALID)
            return w;
    }
    return m->profile->l3_ways;
}

static uint32_t position_of(struct l3_set set, uint32_t way)
{
    uint32_t i = 0;

    while (set.index->order[i] != way)
        i++;
    return i;
}

static void move_first(struct l3_set set, uint32_t position)
{
    uint8_t way = set.index->order[position];

    memmove(set.index->order + 1, set.index->order, position);
    set.index->order[0] = way;
}

static void move_last(const struct model *m, struct l3_set set, uint32_t position)
{
    uint8_t way = set.index->order[position];
    uint32_t last = m->profile->l3_ways - 1;

    memmove(set.index->order + position, set.index->order + position + 1, last - position);
    set.index->order[last] = way;
}

/* Traffic of one line for an RMID, in both books. `seen_rmid` differs from the true one only under faults. */
static void count_transfer(struct model *m, struct domain *p, uint32_t rmid, uint32_t seen_rmid, bool local)
{
    add(&p->truth[rmid].total, 1);
    if (local)
        add(&p->truth[rmid].local, 1);
    if (__builtin_expect(m->tags_lie, 0)) {
        add(&p->seen[seen_rmid].total, 1);
        if (local)
            add(&p->seen[seen_rmid].local, 1);
    }
}

static void count_in(struct model *m, struct domain *p, uint32_t index, uint32_t way, uint32_t rmid, uint32_t seen)
{
    add(&p->truth[rmid].lines, 1);
    if (__builtin_expect(m->tags_lie, 0)) {
        add(&p->seen[seen].lines, 1);
        p->true_rmid[(size_t)index * m->profile->l3_ways + way] = (uint16_t)rmid;
    }
}

static void count_out(struct model *m, struct domain *p, uint32_t index, uint32_t way, enum leave why)
{
    uint32_t tag = (uint32_t)field_get(LINE_RMID, p->l3_word[index][way]);
    uint32_t rmid = tag;

    if (__builtin_expect(m->tags_lie, 0)) {
        rmid = p->true_rmid[(size_t)index * m->profile->l3_ways + way];
        if (!(fault_on(&m->faults, FAULT_OCC_KEPT_ON_EVICTION) && why == LEAVE_EVICTED) &&
            !(fault_on(&m->faults, FAULT_OCC_KEPT_ON_FLUSH) && why == LEAVE_FLUSHED))
            add(&p->seen[tag].lines, UINT64_MAX);
    }
    add(&p->truth[rmid].lines, UINT64_MAX);
}

static void for_present_cores(struct model *m, struct domain *p, uint64_t word, uint64_t line,
                              void (*act)(struct core *, uint64_t))
{
    uint32_t present = (uint32_t)field_get(LINE_PRESENCE, word);

    while (present) {
        uint32_t low = (uint32_t)__builtin_ctz(present);

        present &= present - 1;
        for (uint32_t c = low; c < m->cores_per_domain; c += 16)
            act(&p->cores[c], line);
    }
}

static uint64_t line_of(const struct model *m, uint64_t word, uint32_t index)
{
    return field_get(LINE_TAG, word) << m->set_bits | (index & (m->profile->l3_sets - 1));
}

/* The line leaves the package. write_back: if dirty, memory gets it. */
static void l3_drop(struct model *m, struct domain *p, uint32_t index, uint32_t way, enum leave why, bool write_back)
{
    struct l3_set set = l3_set_of(p, index);
    uint64_t word = set.word[way], line = line_of(m, word, index);

    for_present_cores(m, p, word, line, private_invalidate);
    count_out(m, p, index, way, why);
    if ((word & LINE_DIRTY) && write_back) {
        add(&p->write_backs, 1);
        count_cas(m, p->package, line, true);
        if (m->profile->mbm_counts_write_backs) {
            uint32_t tag = (uint32_t)field_get(LINE_RMID, word);

            count_transfer(m, p, tag, tag, cache_home(m, line) / m->clusters == p->package);
        }
    }
    if (why == LEAVE_EVICTED)
        add(&slice_of(m, p, index)->victim[state_of(word)], 1);
    set.word[way] = 0;
}

static void l3_invalidate(struct model *m, struct domain *p, uint32_t index, uint64_t tag, enum leave why,
                          bool write_back)
{
    struct l3_set set = l3_set_of(p, index);
    uint32_t way = l3_find(m, set, tag);

    if (way == m->profile->l3_ways)
        return;
    l3_drop(m, p, index, way, why, write_back);
    move_last(m, set, position_of(set, way));
}

/* The other domains' copies, before this one stores or fills. What they had: I, S or M. */
static enum line_state other_domains(struct model *m, struct domain *self, uint32_t index, uint64_t tag, uint64_t line,
                                     bool store)
{
    enum line_state found = STATE_I;

    for (uint32_t q = 0; q < m->domains; q++) {
        struct domain *p = &m->domain[q];
        uint32_t way;

        if (p == self)
            continue;
        way = l3_find(m, l3_set_of(p, index), tag);
        if (way == m->profile->l3_ways) {
            count_lookup(m, p, index, LOOKUP_SNOOP, STATE_I);
            continue;
        }
        count_lookup(m, p, index, LOOKUP_SNOOP, state_of(p->l3_word[index][way]));
        found = p->l3_word[index][way] & LINE_DIRTY ? STATE_M : found == STATE_I ? STATE_S : found;
        if (store) {
            l3_invalidate(m, p, index, tag, LEAVE_TAKEN, false);
            continue;
        }
        for_present_cores(m, p, p->l3_word[index][way], line, private_disown);
        if (p->l3_word[index][way] & LINE_DIRTY) {
            add(&p->write_backs, 1);
            count_cas(m, p->package, line, true);
        }
        p->l3_word[index][way] = (p->l3_word[index][way] & ~LINE_DIRTY) | LINE_SHARED;
    }
    return found;
}

/* The least recently used way among those that the processor's class of service may fill. Invalid ways stand last in
 * the order and so go first. */
static uint32_t victim_position(struct model *m, struct domain *p, const struct cpu *c, struct l3_set set)
{
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed);
    uint32_t i = m->profile->l3_ways - 1, mask;

    if (!m->profile->rdt)
        return i;
    /* With CDP on, data fills of class n obey mask 2n. */
    if (atomic_load_explicit(&p->l3_qos_cfg, memory_order_relaxed) & 1)
        clos *= 2;
    mask = atomic_load_explicit(&p->l3_mask[clos % MODEL_MAX_CLOS], memory_order_relaxed);
    while (!(mask >> set.index->order[i] & 1) && i > 0)
        i--;
    return i;
}

static uint32_t tag_of_fill(struct model *m, struct cpu *c)
{
    if (__builtin_expect(m->tags_lie, 0) && atomic_load_explicit(&c->stale_lines, memory_order_relaxed)) {
        add(&c->stale_lines, UINT64_MAX);
        return atomic_load_explicit(&c->stale_tag, memory_order_relaxed);
    }
    return atomic_load_explicit(&c->tag, memory_order_relaxed);
}

static uint32_t l3_fill(struct model *m, struct domain *p, struct cpu *c, uint32_t index, uint64_t tag, uint64_t line)
{
    struct l3_set set = l3_set_of(p, index);
    uint32_t rmid = atomic_load_explicit(&c->rmid, memory_order_relaxed), seen = tag_of_fill(m, c);
    uint32_t position = victim_position(m, p, c, set), way = set.index->order[position];

    if (set.word[way] & LINE_VALID)
        l3_drop(m, p, index, way, LEAVE_EVICTED, true);
    set.word[way] = tag | field_put(LINE_RMID, seen) | LINE_VALID;
    set.index->hint[way] = (uint16_t)field_get(LINE_TAG, tag);
    move_first(set, position);
    count_in(m, p, index, way, rmid, seen);
    count_transfer(m, p, rmid, seen, is_local(m, c, line));
    add(&slice_of(m, p, index)->fill, 1);
    return way;
}

/* --- accesses
 * --------------------------------------------------------------------------------------------------------- */

static enum cache_level l3_access(struct model *m, struct cpu *c, uint64_t line, bool store)
{
    uint32_t index = set_index(m, line), way;
    uint64_t tag = tag_word(m, line), word = private_key(line);
    struct stripe *lock = stripe_take(m, index);
    struct domain *p = c->domain;
    struct l3_set set = l3_set_of(p, index);
    enum cache_level level = LEVEL_L3;

    way = l3_find(m, set, tag);
    if (way == m->profile->l3_ways) {
        enum line_state found = other_domains(m, p, index, tag, line, store);

        if (found != STATE_M) /* a dirty line comes from the cache that has it */
            count_cas(m, c->package, line, false);
        count_lookup(m, p, index, store ? LOOKUP_RFO : LOOKUP_READ, STATE_I);
        way = l3_fill(m, p, c, index, tag, line);
        if (found != STATE_I && !store)
            set.word[way] |= LINE_SHARED;
        c->counts.l3_misses++;
        level = LEVEL_MEMORY;
    } else {
        move_first(set, position_of(set, way));
        count_lookup(m, p, index, store ? LOOKUP_RFO : LOOKUP_READ, state_of(set.word[way]));
        if (store && !(set.word[way] & LINE_DIRTY))
            other_domains(m, p, index, tag, line, true);
    }
    c->counts.l3_references++;
    count_tor(m, c, index, line, store ? TOR_RFO : TOR_DRD, level == LEVEL_L3);
    if (store)
        set.word[way] = (set.word[way] | LINE_DIRTY) & ~LINE_SHARED;
    if (set.word[way] & LINE_DIRTY)
        word |= PRIVATE_OWNED;
    set.word[way] |= presence_bit(c->core_index);
    private_put(c->core->l2[line % L2_SETS], &c->core->l2_next[line % L2_SETS], word);
    private_put(c->core->l1[line % L1_SETS], &c->core->l1_next[line % L1_SETS], word);
    stripe_give(lock);
    return level;
}

/* Not in the L1, or stored to without owning it. */
static __attribute__((noinline)) enum cache_level beyond_l1(struct model *m, struct cpu *c, uint64_t line, bool store)
{
    _Atomic uint64_t *l2 = c->core->l2[line % L2_SETS], *l1 = c->core->l1[line % L1_SETS];
    _Atomic uint8_t *next = &c->core->l1_next[line % L1_SETS];
    uint64_t key = private_key(line);

    if (line == c->nt_line)
        c->nt_line = UINT64_MAX;
    for (uint32_t w = 0; w < PRIVATE_WAYS; w++) {
        uint64_t word = atomic_load_explicit(&l2[w], memory_order_relaxed);

        if ((word & ~PRIVATE_OWNED) == key && (!store || word & PRIVATE_OWNED)) {
            uint8_t turn = atomic_load_explicit(next, memory_order_relaxed);
            _Atomic uint64_t *to = &l1[turn % PRIVATE_WAYS];
            uint64_t mine = word;

            atomic_store_explicit(next, (uint8_t)(turn + 1), memory_order_relaxed);
            atomic_exchange(to, word);
            if (atomic_load(&l2[w]) != word) /* invalidated or replaced meanwhile: forget it again */
                atomic_compare_exchange_strong(to, &mine, 0);
            return LEVEL_L2;
        }
    }
    return l3_access(m, c, line, store);
}

/* A full line or parts of one: the write-combining buffer joins stores to one line, so only the first acts. If somebody
 * else loads the line between two stores of one burst, that copy stays: a program that does so has a race anyway. */
static enum cache_level nt_store(struct model *m, struct cpu *c, uint64_t line)
{
    uint32_t index;
    struct stripe *lock;
    struct domain *p = c->domain;

    if (line == c->nt_line)
        return LEVEL_L1;
    c->nt_line = line;
    index = set_index(m, line);
    lock = stripe_take(m, index);
    for (uint32_t q = 0; q < m->domains; q++)
        l3_invalidate(m, &m->domain[q], index, tag_word(m, line), LEAVE_TAKEN, true);
    add(&p->nt_lines, 1);
    count_cas(m, c->package, line, true);
    count_tor(m, c, index, line, TOR_NT_STORE, false);
    if (m->profile->mbm_counts_nt_stores)
        count_transfer(m, p, atomic_load_explicit(&c->rmid, memory_order_relaxed), tag_of_fill(m, c),
                       is_local(m, c, line));
    stripe_give(lock);
    return LEVEL_MEMORY;
}

static inline enum cache_level access_line(struct model *m, struct cpu *c, uint64_t line, enum model_kind kind)
{
    _Atomic uint64_t *l1 = c->core->l1[line % L1_SETS];
    uint64_t want = private_key(line), ignore = PRIVATE_OWNED;

    if (__builtin_expect(kind == MODEL_NT_STORE, 0))
        return nt_store(m, c, line);
    if (kind == MODEL_STORE) {
        want |= PRIVATE_OWNED;
        ignore = 0;
    }
    for (uint32_t w = 0; w < PRIVATE_WAYS; w++)
        if ((atomic_load_explicit(&l1[w], memory_order_relaxed) & ~ignore) == want)
            return LEVEL_L1;
    return beyond_l1(m, c, line, kind == MODEL_STORE);
}

enum cache_level model_access_level(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes,
                                    enum model_kind kind)
{
    uint64_t line = physical >> MODEL_LINE_SHIFT, last = (physical + bytes - 1) >> MODEL_LINE_SHIFT;
    struct cpu *c = &m->cpu[cpu];
    enum cache_level level = access_line(m, c, line, kind);

    c->counts.accesses++;
    return __builtin_expect(line == last || bytes == 0, 1) ? level : access_line(m, c, last, kind);
}

void model_access(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes, enum model_kind kind)
{
    if (cpu < m->cpus)
        (void)model_access_level(m, cpu, physical, bytes, kind);
}

void model_clflush(struct model *m, uint32_t cpu, uint64_t physical)
{
    uint64_t line = physical >> MODEL_LINE_SHIFT;
    uint32_t index = set_index(m, line);
    struct stripe *lock;

    if (cpu >= m->cpus)
        return;
    m->cpu[cpu].nt_line = UINT64_MAX;
    lock = stripe_take(m, index);
    for (uint32_t q = 0; q < m->domains; q++)
        l3_invalidate(m, &m->domain[q], index, tag_word(m, line), LEAVE_FLUSHED, true);
    stripe_give(lock);
}

/* The private caches of this core and the L3 of this package (SDM vol. 2: WBINVD acts on all caches that the processor
 * shares). The L3 is inclusive, so the other cores' copies go as well; copies in other packages stay. */
void model_wbinvd(struct model *m, uint32_t cpu)
{
    struct domain *p;

    if (cpu >= m->cpus)
        return;
    p = m->cpu[cpu].domain;
    m->cpu[cpu].nt_line = UINT64_MAX;
    for (uint32_t index = 0; index < m->profile->l3_slices * m->profile->l3_sets; index++) {
        struct stripe *lock = stripe_take(m, index);

        for (uint32_t w = 0; w < m->profile->l3_ways; w++)
            if (p->l3_word[index][w] & LINE_VALID)
                l3_drop(m, p, index, w, LEAVE_FLUSHED, true);
        stripe_give(lock);
    }
}

void cache_retag(struct model *m, struct domain *p, uint32_t from, uint32_t to)
{
    for (uint32_t index = 0; index < m->profile->l3_slices * m->profile->l3_sets; index++) {
        struct stripe *lock = stripe_take(m, index);

        for (uint32_t w = 0; w < m->profile->l3_ways; w++) {
            uint64_t *word = &p->l3_word[index][w];

            if (!(*word & LINE_VALID) || field_get(LINE_RMID, *word) != from)
                continue;
            *word = (*word & ~LINE_RMID) | field_put(LINE_RMID, to);
            add(&p->seen[from].lines, UINT64_MAX);
            add(&p->seen[to].lines, 1);
        }
        stripe_give(lock);
    }
}
