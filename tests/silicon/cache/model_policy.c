/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_policy.c: what L3s of real parts do and the ideal one does not. See model/realism.h.
 *
 * Ages are of 2 bits a way; 3 makes room first. A line that is hit becomes 0.
 *   qlru   QLRU_H00_M1_R0_U1 in the terms of nanoBench (uops.info/cache.html): inserted with age 1; the leftmost way of
 *          age 3 makes room; where there is none, all grow older by what the oldest lacks. Here they do so when room is
 *          wanted, among the ways of the class.
 *   drrip  Jaleel, Theobald, Steely, Emer, "High Performance Cache Replacement Using Re-Reference Interval Prediction
 *          (RRIP)", ISCA 2010: the same with age 2 (SRRIP), or 3 and sometimes 2 (BRRIP). Sets 0 of 64 always do the
 *          first and sets 33 of 64 the second; the others do what missed less there, by a counter of 10 bits a slice.
 */
#include "tests/silicon/cache/model_set.h"
#include "tests/silicon/model/scramble.h"

#define AGE_OLDEST    3u
#define AGE_QLRU      1u
#define AGE_SRRIP     2u
#define BRRIP_ONE_IN  32u
#define LEADER_PERIOD 64u
#define LEADER_BRRIP  33u
#define SELECTOR_MOST 1023u
#define LINES_OF_PAGE 64u
#define VISIT_BITS    16u /* pages that are remembered: 2 to that */
#define SELECTOR_HALF 512u

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016. */
static uint32_t draw(struct slice_quirk *h, uint32_t n)
{
    h->random ^= h->random >> 12;
    h->random ^= h->random << 25;
    h->random ^= h->random >> 27;
    return (uint32_t)((h->random * UINT64_C(2685821657736338717) >> 32) * n >> 32);
}

static uint8_t *ages_of(const struct model *m, const struct domain *p, uint32_t index)
{
    return p->l3_age + (size_t)index * m->l3.ways;
}

bool policy_drops(const struct model *m, const struct domain *p, uint32_t slice, bool reused)
{
    if (reused && m->realism.value[REALISM_L2_VICTIM_REUSE])
        return false;
    return draw(&p->quirk[slice], 100) < m->realism.value[REALISM_L2_VICTIM_DROP];
}

void policy_hit(const struct model *m, const struct domain *p, uint32_t index, uint32_t way)
{
    ages_of(m, p, index)[way] = 0;
}

static void duel(const struct model *m, const struct domain *p, const struct place *at)
{
    uint32_t *selector = &p->quirk[at->slice].selector, set = at->index & (m->l3.sets - 1);

    if (set % LEADER_PERIOD == 0 && *selector < SELECTOR_MOST)
        ++*selector;
    else if (set % LEADER_PERIOD == LEADER_BRRIP && *selector > 0)
        --*selector;
}

/* A page's word: its number in 63:34, when its first line came in 33:8, in 64 lines from memory, and in 7:0 how many of
 * 100 lines are counted twice. */
static uint64_t page_word(const struct model *m, uint64_t before, uint64_t page, uint64_t fills)
{
    uint64_t now = fills / LINES_OF_PAGE & low_bits(26), ago = (now - (before >> 8)) & low_bits(26);
    uint64_t l3 = (uint64_t)m->l3_slices * m->l3.sets * m->l3.ways, most = 4 * l3 / LINES_OF_PAGE, rate = 0;

    if (before >> 34 == page && before != 0 && ago < most)
        rate = m->realism.value[REALISM_MBM_OVERCOUNT] * (most - ago) / most;
    return page << 34 | now << 8 | rate;
}

/* Where the first line of a page comes from memory again decides for the page's other lines. */
static void overcount(const struct model *m, struct domain *p, const struct place *at, uint32_t counted, bool local)
{
    uint64_t page = at->line / LINES_OF_PAGE, fills = atomic_fetch_add_explicit(&p->fills, 1, memory_order_relaxed);
    _Atomic uint64_t *visit = &p->visit[page * UINT64_C(0x9E3779B97F4A7C15) >> (64 - VISIT_BITS)];
    uint64_t word = atomic_load_explicit(visit, memory_order_relaxed);
    uint32_t *excess = &p->quirk[at->slice].excess;

    if (at->line % LINES_OF_PAGE == 0) {
        word = page_word(m, word, page, fills);
        atomic_store_explicit(visit, word, memory_order_relaxed);
    }
    if (word >> 34 != page)
        return;
    *excess += word & 0xFF;
    if (*excess >= 100) {
        *excess -= 100;
        bump(&traffic_at(p->seen, m, at->slice, counted)->moved[read_of(m, at->line)][local], 1);
    }
}

void policy_miss(const struct model *m, struct domain *p, const struct place *at, uint32_t counted, bool local)
{
    if (m->replaces)
        duel(m, p, at);
    if (p->visit)
        overcount(m, p, at, counted, local);
}

static uint32_t age_of_new(const struct model *m, const struct domain *p, uint32_t slice, uint32_t index)
{
    uint32_t leader = index & (m->l3.sets - 1) & (LEADER_PERIOD - 1);
    struct slice_quirk *h = &p->quirk[slice];

    if (m->realism.value[REALISM_L3_REPLACEMENT] == REPLACE_QLRU)
        return AGE_QLRU;
    if (leader == 0 || (leader != LEADER_BRRIP && h->selector < SELECTOR_HALF))
        return AGE_SRRIP;
    return draw(h, BRRIP_ONE_IN) ? AGE_OLDEST : AGE_SRRIP;
}

/* The leftmost of the oldest; all of them then grow as old as makes that one oldest. */
static uint32_t oldest_way(uint8_t *age, uint32_t ways)
{
    uint32_t oldest = (uint32_t)__builtin_ctz(ways), grow;

    for (uint32_t bits = ways; bits; bits &= bits - 1)
        if (age[__builtin_ctz(bits)] > age[oldest])
            oldest = (uint32_t)__builtin_ctz(bits);
    grow = AGE_OLDEST - age[oldest];
    for (uint32_t bits = ways; bits; bits &= bits - 1)
        age[__builtin_ctz(bits)] = (uint8_t)(age[__builtin_ctz(bits)] + grow);
    return oldest;
}

static uint32_t random_way(struct slice_quirk *h, uint32_t ways)
{
    for (uint32_t n = draw(h, (uint32_t)__builtin_popcount(ways)); n > 0; n--)
        ways &= ways - 1;
    return (uint32_t)__builtin_ctz(ways);
}

uint32_t policy_way(const struct model *m, const struct domain *p, uint32_t slice, uint32_t index, uint32_t allowed)
{
    struct l3_row row = row_of(m, p, index);
    uint32_t ways = allowed & (uint32_t)low_bits(m->l3.ways), empty = 0, way;

    if (ways == 0)
        ways = 1u << row.order[0]; /* as LRU does */
    for (uint32_t bits = ways; bits; bits &= bits - 1)
        if (entry_state(row.word[__builtin_ctz(bits)]) == STATE_I)
            empty |= bits & (0 - bits);
    if (empty)
        way = (uint32_t)__builtin_ctz(empty);
    else if (m->realism.value[REALISM_L3_REPLACEMENT] == REPLACE_RANDOM)
        way = random_way(&p->quirk[slice], ways);
    else
        way = oldest_way(ages_of(m, p, index), ways);
    if (m->realism.value[REALISM_L3_REPLACEMENT] != REPLACE_RANDOM)
        ages_of(m, p, index)[way] = (uint8_t)age_of_new(m, p, slice, index);
    return way;
}

void cache_quirks_make(struct model *m, struct domain *p)
{
    uint32_t number = (uint32_t)(p - m->domain);

    p->quirk = pool_zeroed(&m->pool, m->l3_slices, sizeof p->quirk[0]);
    p->l3_age = pool_zeroed(&m->pool, (size_t)m->l3_slices << m->l3.set_bits, m->l3.ways);
    if (m->realism.value[REALISM_MBM_OVERCOUNT])
        p->visit = pool_zeroed(&m->pool, 1u << VISIT_BITS, sizeof p->visit[0]);
    for (uint32_t s = 0; s < m->l3_slices; s++)
        p->quirk[s] = (struct slice_quirk){ .random = scramble(m->seed ^ (uint64_t)(number << 16 | s) << 32) | 1,
                                            .selector = SELECTOR_HALF };
}
