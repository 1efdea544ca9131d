/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_near.c: high bandwidth memory as a cache in front of the modules (Xeon Max, cache mode).
 *
 * Software does not see it: Intel, Xeon CPU Max Series configuration and tuning guide (354227), memory modes. A direct-mapped
 * cache of each node, of lines, whose tags lie beside the data: what is known of the same mode of Knights Landing (Sodani et
 * al., "Knights Landing: Second-Generation Intel Xeon Phi Product", IEEE Micro 2016). So each line that is read or written
 * is looked up by reading the near memory; a line that it lacks is read from the modules and written to it; a whole
 * line that is written needs no fill; a dirty line that makes room goes to the modules. Assumed: the size, 256 MiB a node,
 * of which a part has 64 GB a package; that every write looks up the tag; latency and bandwidth, which are as without it.
 */

#include "tests/silicon/cache/model_cache.h"

#define NEAR_SETS  (UINT64_C(1) << 22)
#define NEAR_DIRTY 1u

enum { NEAR, FAR };

/* A word: 0, or the line's number above the set, plus 1, and whether it is dirty. */
struct near_memory {
    _Atomic uint32_t *word;
    _Atomic uint64_t lines[2][2][MODEL_MAX_CHANNELS]; /* NEAR or FAR, reads and writes, by channel */
};

void near_create(struct model *m)
{
    uint32_t nodes = m->packages * m->clusters;

    if (!m->realism.value[REALISM_HBM_CACHE] || m->realism.value[REALISM_HBM_ONLY])
        return;
    m->near = pool_zeroed(&m->pool, nodes, sizeof m->near[0]);
    for (uint32_t n = 0; n < nodes; n++)
        m->near[n].word = pool_zeroed(&m->pool, NEAR_SETS, sizeof *m->near[n].word);
}

static void near_count(struct model *m, uint32_t node, int which, bool write, uint64_t line)
{
    uint64_t pairs = m->profile->hbm_channels / m->clusters;
    uint32_t channel = cache_channel(m, line);

    /* neighbours go round the stacks; what is above the modules' channels moves the start, as cache_channel() has it */
    if (which == NEAR)
        channel = (uint32_t)((line ^ line >> 7 ^ line >> 14 ^ line >> 21) % pairs);
    atomic_fetch_add_explicit(&m->near[node].lines[which][write][channel], 1, memory_order_relaxed);
}

void near_access(struct model *m, uint32_t node, uint64_t line, bool write)
{
    uint64_t set = line % NEAR_SETS;
    uint32_t tag = (uint32_t)(line / NEAR_SETS + 1) << 1, old;

    near_count(m, node, NEAR, false, line);
    if (write)
        near_count(m, node, NEAR, true, line);
    old = atomic_load_explicit(&m->near[node].word[set], memory_order_relaxed);
    if ((old & ~NEAR_DIRTY) == tag && (!write || (old & NEAR_DIRTY)))
        return;
    old = atomic_exchange_explicit(&m->near[node].word[set], tag | (write ? NEAR_DIRTY : 0), memory_order_relaxed);
    if ((old & ~NEAR_DIRTY) == tag)
        return;
    if (!write) {
        near_count(m, node, FAR, false, line);
        near_count(m, node, NEAR, true, line);
    }
    if (old & NEAR_DIRTY)
        near_count(m, node, FAR, true, ((uint64_t)(old >> 1) - 1) * NEAR_SETS + set);
}

uint64_t near_lines(const struct model *m, uint32_t node, uint32_t channel, bool write)
{
    return atomic_load_explicit(&m->near[node].lines[NEAR][write][channel], memory_order_relaxed);
}

uint64_t far_lines(const struct model *m, uint32_t node, uint32_t channel, bool write)
{
    return atomic_load_explicit(&m->near[node].lines[FAR][write][channel], memory_order_relaxed);
}
