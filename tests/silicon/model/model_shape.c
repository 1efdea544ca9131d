/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_shape.c: the sizes of the caches, from the enumeration; making and freeing them. */
#include "tests/silicon/cache/model_cache.h"
#include "tests/silicon/model/scramble.h"
#include "core/base/search.h"

#include <string.h>

/* Intel: leaf 4; AMD: leaf 8000_001DH, with the same fields. EAX[4:0] type (1 data, 3 unified), [7:5] level; EBX[31:22]
 * ways - 1; ECX sets - 1. SDM vol. 2A CPUID, APM vol. 3 E.4.15. */
static bool shape_from(const struct profile *p, uint32_t leaf, uint32_t level, struct cache_shape *shape)
{
    uint32_t regs[4];

    for (uint32_t i = 0; profile_find(p, leaf, i, regs) && (regs[0] & 0x1F); i++)
        if ((regs[0] >> 5 & 7) == level && (regs[0] & 0x1F) != 2) {
            shape->ways = (regs[1] >> 22) + 1;
            shape->sets = regs[2] + 1;
            shape->set_bits = bits_for(shape->sets - 1);
            return true;
        }
    return false;
}

static bool find_shape(const struct profile *p, uint32_t level, struct cache_shape *shape)
{
    return shape_from(p, 4, level, shape) || shape_from(p, 0x8000001Du, level, shape);
}

/* A set takes whole lines of the host. Where the L3 is not inclusive its directory needs half as many entries again as
 * all L2s can hold lines, spread over the sets, as Skylake-SP's snoop filter has (12 ways of 2048 sets for each 16384
 * lines of L2); it gets what there is room for, at least 6. Without ways there is the directory alone, whose set a search takes
 * 16 entries of at once. */
#define LEAST_DIRECTORY 6u
#define LEAST_ALONE     16u

static void size_sets(struct model *m)
{
    uint64_t lines = (uint64_t)m->cores_per_domain * m->l2.ways * m->l2.sets;
    uint64_t sets = (uint64_t)m->l3_slices * m->l3.sets;
    uint32_t needed = (uint32_t)((3 * lines + 2 * sets - 1) / (2 * sets)), fixed = order_bytes(m->l3.ways);

    if (m->profile->l3_inclusive)
        needed = 0;
    else if (needed < (m->l3.ways ? LEAST_DIRECTORY : LEAST_ALONE))
        needed = m->l3.ways ? LEAST_DIRECTORY : LEAST_ALONE;
    m->l3_block_bytes = (fixed + 6 * (m->l3.ways + needed) + 63) / 64 * 64;
    m->l3_entries = m->profile->l3_inclusive ? m->l3.ways : (m->l3_block_bytes - fixed) / 6;
    m->l3_turn_at = 4 * m->l3_entries + m->l3.ways;
    m->l3_hint_at = 4 * m->l3_entries + fixed;
    m->l3_last = m->l3_entries > 16 ? m->l3_entries - 16 : 0;
}

/* A part without an L3 (no ways) has slices of the directory alone, which no leaf shows. */
static bool find_l3(const struct profile *p, struct cache_shape *l3)
{
    if (p->l3_ways)
        return find_shape(p, 3, l3);
    *l3 = (struct cache_shape){ .sets = p->l3_slices * p->l3_sets };
    return !p->l3_inclusive;
}

static uint32_t channel_shares(const struct model *m)
{
    uint32_t half = (m->channels + 1) / 2;

    switch (m->realism.value[REALISM_CHANNEL_INTERLEAVE]) {
    case INTERLEAVE_ONE_TWICE:
        return m->channels + 1;
    case INTERLEAVE_HALF_TWICE:
        return m->channels + half;
    case INTERLEAVE_HALF:
        return half;
    }
    return m->channels;
}

bool cache_shapes(struct model *m)
{
    const struct profile *p = m->profile;

    if (!find_shape(p, 1, &m->l1) || !find_shape(p, 2, &m->l2) || !find_l3(p, &m->l3) || p->l3_slices == 0)
        return false;
    m->l3_slices = p->l3_slices;
    m->l3.sets /= m->l3_slices;
    m->l3.set_bits = bits_for(m->l3.sets - 1);
    m->l2_stride = (m->l2.ways + 3) / 4 * 4;
    size_sets(m);
    m->channels = p->package_channels ? p->package_channels / m->clusters : p->channels ? p->channels : 4;
    if (m->realism.value[REALISM_HBM_ONLY])
        m->channels = p->hbm_channels / m->clusters;
    m->channel_shares = channel_shares(m);
    m->channel_magic = UINT64_MAX / m->channel_shares + 1;
    m->channel_mask = m->channel_shares & (m->channel_shares - 1) ? UINT32_MAX : m->channel_shares - 1;
    m->slice_parts = m->clusters > 1 && m->domains == m->packages ? m->clusters : 1;
    return m->l1.ways <= L1_MAX_WAYS && 1u << m->l1.set_bits == m->l1.sets && m->l1.set_bits >= 6 &&
           1u << m->l2.set_bits == m->l2.sets && m->l2.set_bits >= 8 && m->l2.ways <= 32 &&
           1u << m->l3.set_bits == m->l3.sets && m->l3.set_bits + TAG_BITS + MODEL_LINE_SHIFT >= MODEL_PHYSICAL_BITS &&
           m->l3.ways <= MODEL_MAX_WAYS && m->l3_slices <= MODEL_MAX_SLICES && m->l3_slices % m->slice_parts == 0 &&
           4 * m->l3_entries + order_bytes(m->l3.ways) + 2 * 16 <= m->l3_block_bytes &&
           m->l3_entries - m->l3.ways <= 255 && m->channels <= MODEL_MAX_CHANNELS &&
           m->rmids + (m->rmids_split || m->rmids < m->rmids_any) <=
               (ENTRY_RMID >> 3) + 1; /* with nodes of their own one number is nobody's */
}

void cache_seed(struct model *m)
{
    uint32_t n = m->l3_slices / m->slice_parts;

    m->slice_by_hash = m->slice_parts == 1 && !(n & (n - 1)) && n <= 16 && m->profile->l3_hash[0];
    m->slice_start = m->seed ? (uint32_t)scramble(m->seed) & 0xFFF : 0;
    m->slice_magic = UINT64_MAX / n + 1; /* 0 for 1 */
    for (uint32_t b = 0; m->slice_by_hash && 1u << b < n; b++) {
        uint64_t mask = m->profile->l3_hash[b];

        /* Half the hash's upper bits depend on the seed; bits 20 and below keep a contiguous megabyte spread evenly. */
        if (m->seed)
            mask ^= scramble(m->seed + b) & BITS(45, 21);
        for (uint32_t byte = 0; byte < 5; byte++)
            for (uint64_t v = 0; v < 256; v++)
                m->slice_table[byte][v] |= (uint8_t)(__builtin_parityll(v << 8 * byte << MODEL_LINE_SHIFT & mask) << b);
    }
}

void cache_quirks(struct model *m)
{
    const uint64_t *value = m->realism.value;

    m->drops = value[REALISM_L2_VICTIM_DROP] || value[REALISM_L2_VICTIM_TAG];
    m->replaces = value[REALISM_L3_REPLACEMENT];
    m->set_hash = value[REALISM_L3_SET_HASH];
    m->watched = m->replaces || value[REALISM_MBM_OVERCOUNT];
    m->uclk_moves = value[REALISM_UNCORE_CLOCK];
    m->ubox_filters = value[REALISM_UBOX_FILTER];
    m->quirks = m->drops || m->watched;
    m->walks = value[REALISM_PAGE_WALK] || value[REALISM_CODE_FETCH];
    m->agents =
        value[REALISM_DMA] || value[REALISM_PATROL_SCRUB] || value[REALISM_IDLE_LINES] || value[REALISM_TICK_LINES];
    if (m->agents)
        cache_agents_memory(m);
}

static void make_core(struct model *m, struct core *core)
{
    size_t l2_words = (size_t)m->l2.sets * m->l2_stride;

    core->l1 = pool_zeroed(&m->pool, (size_t)m->l1.sets * L1_STRIDE, sizeof core->l1[0]);
    core->l2 = pool_zeroed(&m->pool, l2_words, sizeof core->l2[0]);
    core->l1_turn = pool_zeroed(&m->pool, m->l1.sets, 1);
    core->l2_turn = pool_zeroed(&m->pool, m->l2.sets, 1);
    if (m->realism.value[REALISM_L2_VICTIM_REUSE])
        core->l2_reused = pool_zeroed(&m->pool, l2_words, sizeof core->l2_reused[0]);
}

void cache_make(struct model *m, struct domain *p)
{
    size_t sets = (size_t)m->l3_slices * m->l3.sets, books = (size_t)m->l3_slices * (m->rmids + 1);
    size_t threads = (size_t)m->l3_slices * m->cores_per_domain * m->threads;

    p->l3_block = pool_zeroed(&m->pool, sets, m->l3_block_bytes);
    p->cores = pool_zeroed(&m->pool, m->cores_per_domain, sizeof p->cores[0]);
    p->seen = p->truth = pool_zeroed(&m->pool, books, sizeof p->truth[0]);
    p->slice = pool_zeroed(&m->pool, m->l3_slices, sizeof p->slice[0]);
    if (m->tags_lie) {
        p->seen = pool_zeroed(&m->pool, books, sizeof p->seen[0]);
        p->true_rmid = pool_zeroed(&m->pool, sets * m->l3_entries, sizeof p->true_rmid[0]);
    }
    if (uncore_knows_threads(m))
        p->thread_tor = pool_zeroed(&m->pool, threads, sizeof p->thread_tor[0]);
    for (uint32_t s = 0; s < sets; s++)
        for (uint32_t w = 0; w < m->l3.ways; w++)
            row_of(m, p, s).order[w] = (uint8_t)w;
    for (uint32_t c = 0; c < m->cores_per_domain; c++)
        make_core(m, &p->cores[c]);
}

void cache_forget_places(struct cpu *c)
{
    for (uint32_t i = 0; i < WARM_DISTANCE; i++)
        c->warmed[i].line = c->leaving[i].line = c->leaving[WARM_DISTANCE + i].line = UINT64_MAX;
}

void cache_place(const struct model *m, struct cpu *c)
{
    cache_forget_places(c);
    c->l1 = c->core->l1;
    c->l1_mask = m->l1.sets - 1;
    c->l1_shift = m->l1.set_bits;
    c->nt_line = UINT64_MAX;
    c->watch.last_miss = c->watch.last_load = UINT64_MAX - 1;
}
