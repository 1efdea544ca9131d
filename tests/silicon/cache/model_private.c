/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_private.c: L1D and L2 of a core. See model_cache.c for the whole.
 *
 * Both threads of a core use them, and other cores take lines away, all without a lock. What keeps them right:
 *
 *   - The L2 holds whatever the L1 holds. A word of the L2 changes by compare-and-swap or exchange only, so each line
 *     that leaves it leaves once, with its last flags.
 *   - Who takes a line away changes the L2 first and the L1 then. Who copies a line from L2 to L1 writes the L1 first
 * and looks at the L2 again then, and forgets the copy if its word has changed. Both sides' first step is a locked
 *     instruction, so at least one of them sees the other.
 *   - A line is put into the L2 only while its slice is locked.
 *
 * Ways are replaced in turn: these caches only filter what the L3 sees.
 */
#include "tests/silicon/cache/model_cache.h"

#include <emmintrin.h>

#define NO_WAY UINT32_MAX

static inline uint32_t load32(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline bool swap_if(const struct model *m, uint32_t *p, uint32_t *expected, uint32_t value)
{
    if (m->alone && *p == *expected) {
        *p = value;
        return true;
    }
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline uint32_t exchange(const struct model *m, uint32_t *p, uint32_t value)
{
    uint32_t old;

    if (!m->alone)
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
    old = *p;
    *p = value;
    return old;
}

/* A line has left the L2. */
static inline void count_loss(const struct model *m, struct core *core)
{
    if (m->alone)
        bump(&core->losses, 1);
    else
        atomic_fetch_add_explicit(&core->losses, 1, memory_order_relaxed);
}

/* turn: the way to look at first. */
static inline uint32_t next_in_turn(uint8_t *turn, uint32_t ways, uint32_t allowed)
{
    uint32_t way = __atomic_load_n(turn, __ATOMIC_RELAXED);

    while (__builtin_expect(!(allowed >> way & 1), 0))
        way = way + 1 == ways ? 0 : way + 1;
    __atomic_store_n(turn, (uint8_t)(way + 1 == ways ? 0 : way + 1), __ATOMIC_RELAXED);
    return way;
}

/* --- L1 */

static inline uint32_t *l1_set(const struct model *m, const struct core *core, uint64_t line)
{
    return core->l1 + (line & (m->l1.sets - 1)) * L1_STRIDE;
}

static inline uint32_t l1_key(const struct model *m, uint64_t line)
{
    return (uint32_t)(line >> m->l1.set_bits) << L1_TAG_SHIFT | L1_VALID;
}

/* One bit a way that has the line. */
static uint32_t l1_ways_with(const uint32_t *set, uint32_t key)
{
    __m128i want = _mm_set1_epi32((int)(key | L1_WRITE)), ignore = _mm_set1_epi32((int)L1_WRITE);
    uint32_t ways = 0;

    for (uint32_t v = 0; v < L1_STRIDE / 4; v++) {
        __m128i words = _mm_or_si128(_mm_load_si128((const __m128i *)(const void *)set + v), ignore);

        ways |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(words, want))) << 4 * v;
    }
    return ways;
}

static void l1_change(const struct model *m, const struct core *core, uint64_t line, bool invalidate)
{
    uint32_t *set = l1_set(m, core, line), key = l1_key(m, line);

    for (uint32_t ways = l1_ways_with(set, key); ways; ways &= ways - 1) {
        uint32_t *at = set + __builtin_ctz(ways), word = load32(at);

        while ((word | L1_WRITE) == (key | L1_WRITE) && !swap_if(m, at, &word, invalidate ? 0 : key))
            ;
    }
}

/* there: the L1 may have the line, without the right to store. (The other thread may bring it in at this moment too;
 * who takes it away looks at every way.) */
static void l1_put(const struct model *m, struct core *core, uint64_t line, bool there, bool write,
                   const uint32_t *l2_at, uint32_t l2_word)
{
    uint32_t *set = l1_set(m, core, line), word = l1_key(m, line) | (write ? L1_WRITE : 0);
    uint32_t ways = there ? l1_ways_with(set, word) : 0, *at;

    at = set + (ways ? (uint32_t)__builtin_ctz(ways)
                     : next_in_turn(&core->l1_turn[line & (m->l1.sets - 1)], m->l1.ways, UINT32_MAX));
    (void)exchange(m, at, word);
    if (__builtin_expect(__atomic_load_n(l2_at, __ATOMIC_SEQ_CST) != l2_word, 0)) /* gone or changed meanwhile */
        swap_if(m, at, &word, 0);
}

/* --- L2 */

/* l2-victim-reuse: an L1 asks for what is in this way. */
static void note_reuse(struct core *core, const uint32_t *at)
{
    __atomic_store_n(&core->l2_reused[at - core->l2], 1, __ATOMIC_RELAXED);
}

/* Another line comes to this way. L2_REUSED, if the one that leaves was asked for again. */
static uint32_t forget_reuse(struct core *core, const uint32_t *at)
{
    uint8_t *reused = &core->l2_reused[at - core->l2];

    /* Looked at first: a locked exchange, even of what is 0, waits for each store before it. */
    return __atomic_load_n(reused, __ATOMIC_RELAXED) && __atomic_exchange_n(reused, 0, __ATOMIC_RELAXED) ? L2_REUSED
                                                                                                         : 0;
}

static inline uint32_t *l2_set(const struct model *m, const struct core *core, uint64_t line)
{
    return core->l2 + (line & (m->l2.sets - 1)) * m->l2_stride;
}

static inline uint32_t l2_key(const struct model *m, uint64_t line)
{
    return (uint32_t)(line >> m->l2.set_bits) << L2_TAG_SHIFT | L2_VALID;
}

static inline bool is_key(uint32_t word, uint32_t key)
{
    return (word & ~(L2_FLAGS ^ L2_VALID)) == key;
}

static uint32_t l2_way(const struct model *m, const uint32_t *set, uint32_t key, uint32_t *word)
{
    __m128i want = _mm_set1_epi32((int)key), mask = _mm_set1_epi32((int)~(L2_FLAGS ^ L2_VALID));

    for (const uint32_t *at = set, *end = set + m->l2_stride; at != end; at += 4) {
        __m128i words = _mm_and_si128(_mm_load_si128((const __m128i *)(const void *)at), mask);
        uint32_t ways = (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(words, want)));

        if (ways) {
            uint32_t way = (uint32_t)(at - set) + (uint32_t)__builtin_ctz(ways);

            *word = load32(set + way);
            return is_key(*word, key) ? way : NO_WAY;
        }
    }
    return NO_WAY;
}

bool private_has(const struct model *m, const struct core *core, uint64_t line)
{
    uint32_t word;

    return l2_way(m, l2_set(m, core, line), l2_key(m, line), &word) != NO_WAY;
}

static inline bool may_store(uint32_t l2_word)
{
    return (l2_word & (L2_OWNED | L2_DIRTY)) == (L2_OWNED | L2_DIRTY);
}

bool private_use(const struct model *m, struct core *core, uint64_t line, bool store, bool fetch)
{
    uint32_t *set = l2_set(m, core, line), key = l2_key(m, line), word, way;

    do {
        way = l2_way(m, set, key, &word);
        if (way == NO_WAY || (store && !(word & L2_OWNED)))
            return false;
    } while (store && !(word & L2_DIRTY) && !swap_if(m, set + way, &word, word | L2_DIRTY));
    if (store)
        word |= L2_DIRTY;
    if (__builtin_expect(core->l2_reused != NULL, 0))
        note_reuse(core, set + way);
    if (!fetch)
        l1_put(m, core, line, store, may_store(word), set + way, word);
    return true;
}

uint32_t private_next_out(const struct model *m, const struct core *core, uint64_t line, uint64_t *leaving)
{
    uint32_t set = (uint32_t)(line & (m->l2.sets - 1));
    uint32_t word = load32(l2_set(m, core, line) + __atomic_load_n(&core->l2_turn[set], __ATOMIC_RELAXED));

    if (__builtin_expect(core->l2_reused != NULL, 0))
        __builtin_prefetch(core->l2_reused + (size_t)set * m->l2_stride, 1);
    *leaving = (uint64_t)(word >> L2_TAG_SHIFT) << m->l2.set_bits | set;
    return word & L2_FLAGS;
}

/* Ways of the L2 that the processor's class may fill: IA32_L2_MASK_n; with CDP data has mask 2n and code 2n + 1. */
static __attribute__((noinline)) uint32_t l2_mask(struct model *m, struct cpu *c, bool code, bool store)
{
    uint32_t all = (uint32_t)low_bits(m->l2.ways), clos = atomic_load_explicit(&c->clos, memory_order_relaxed), mask;

    clos = flaw_l2_class(m, clos);
    if (atomic_load_explicit(&c->core->l2_qos_cfg, memory_order_relaxed) & 1)
        clos = 2 * clos + code;
    mask = atomic_load_explicit(&c->core->l2_mask[clos % MODEL_MAX_CLOS], memory_order_relaxed) & all;
    mask = mask && !fault_on(&m->faults, FAULT_L2_MASK_INERT) ? mask : all;
    if (__builtin_expect(m->flaw.monitor == FLAW_NONE, 1))
        return mask;
    return flaw_l2_ways(m, c, clos, mask, all, code ? FLAW_CODE : store ? FLAW_STORES : FLAW_LOADS);
}

static inline uint32_t l2_allowed(struct model *m, struct cpu *c, bool code, bool store)
{
    return m->l2_clos ? l2_mask(m, c, code, store) : UINT32_MAX;
}

/* For a line that the L2 does not have yet and that is put there next by a locked instruction: nobody can take it away
 * before, so this needs none. */
static void l1_put_first(const struct model *m, struct core *core, uint64_t line, bool write)
{
    uint8_t *turn = &core->l1_turn[line & (m->l1.sets - 1)];
    uint32_t *set = l1_set(m, core, line);

    __atomic_store_n(set + next_in_turn(turn, m->l1.ways, UINT32_MAX), l1_key(m, line) | (write ? L1_WRITE : 0),
                     __ATOMIC_RELAXED);
}

struct given_up private_fill(struct model *m, struct cpu *c, uint64_t line, uint32_t flags, bool into_l1)
{
    struct core *core = c->core;
    uint32_t *set = l2_set(m, core, line), key = l2_key(m, line), word, old;
    /* A load comes here since the L2 lacks the line; nobody else can have brought it since where all are one. */
    uint32_t way = m->alone && !(flags & L2_DIRTY) ? NO_WAY : l2_way(m, set, key, &word);
    uint32_t set_number = (uint32_t)(line & (m->l2.sets - 1));
    struct given_up g = { 0, 0 };
    uint32_t reused;

    while (way != NO_WAY && !swap_if(m, set + way, &word, word | flags))
        way = l2_way(m, set, key, &word);
    if (way != NO_WAY) {
        word |= flags;
        if (into_l1)
            l1_put(m, core, line, true, may_store(word), set + way, word);
        return g;
    }
    c->counts.l2_fills++;
    c->counts.user.l2_fills += c->user;
    way = next_in_turn(&core->l2_turn[set_number], m->l2.ways, l2_allowed(m, c, flags & L2_CODE, flags & L2_DIRTY));
    if (into_l1)
        l1_put_first(m, core, line, may_store(flags));
    reused = __builtin_expect(core->l2_reused != NULL, 0) ? forget_reuse(core, set + way) : 0;
    old = exchange(m, set + way, key | flags);
    if (old) {
        g.line = (uint64_t)(old >> L2_TAG_SHIFT) << m->l2.set_bits | set_number;
        g.flags = (old & L2_FLAGS) | reused;
        l1_change(m, core, g.line, true);
        count_loss(m, core);
    }
    return g;
}

uint32_t private_snoop(const struct model *m, struct core *core, uint64_t line, bool invalidate)
{
    uint32_t *set = l2_set(m, core, line), key = l2_key(m, line), word, way = l2_way(m, set, key, &word);

    if (way == NO_WAY || (!invalidate && !(word & (L2_OWNED | L2_DIRTY))))
        return way == NO_WAY ? 0 : word & L2_FLAGS;
    while (!swap_if(m, set + way, &word, invalidate ? 0 : word & ~(L2_OWNED | L2_DIRTY)))
        if (!is_key(word, key))
            return 0; /* its core gives it up at this moment */
    l1_change(m, core, line, invalidate);
    if (invalidate)
        count_loss(m, core);
    return word & L2_FLAGS;
}
