/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/model/model_clock.h"

/* Processors take turns of up to some 10 us, one after the other, so a queue may still hand out time in which it stood
 * idle, to those whose clocks are there. */
#define CREDIT_TICKS   65536u
#define FRACTION_SHIFT 8u /* of a tick: a line of 64 bytes is less than two at 100 GB/s */

static uint64_t ticks_of_ns(const struct model *m, uint32_t ns)
{
    return (uint64_t)ns * (m->tsc_hz / 1000000) / 1000;
}

/* The time of one line in a queue that hands out so many bytes a second, in fractions of a tick. */
static uint64_t line_fractions(const struct model *m, uint64_t bytes_a_second)
{
    return ((uint64_t)1 << MODEL_LINE_SHIFT << FRACTION_SHIFT) * (m->tsc_hz / 1000) / (bytes_a_second / 1000);
}

void model_clock_begin(struct model *m)
{
    const struct profile_times *t = m->profile->times;

    m->queues.node_line = line_fractions(m, (uint64_t)t->package_mb * 1000000 / m->clusters);
    m->queues.link_line = line_fractions(m, (uint64_t)t->link_mb * 1000000);
    m->queues.local_ticks = ticks_of_ns(m, t->local_ns);
    m->queues.remote_ticks = ticks_of_ns(m, t->remote_ns);
}

/* The next line's turn ends then. */
static uint64_t take_turn(_Atomic uint64_t *queue, uint64_t now, uint64_t fractions)
{
    uint64_t end = atomic_load_explicit(queue, memory_order_relaxed);
    uint64_t oldest = (now > CREDIT_TICKS ? now - CREDIT_TICKS : 0) << FRACTION_SHIFT;

    end = (end > oldest ? end : oldest) + fractions;
    atomic_store_explicit(queue, end, memory_order_relaxed);
    return end >> FRACTION_SHIFT;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The node's memory; the links of a package whose processor asks for another one's; the class. */
static uint64_t memory_turns(struct model *m, const struct cpu *c, uint64_t now, uint64_t line, uint32_t home)
{
    uint64_t ceiling = model_bandwidth_ceiling(m, (uint32_t)(c - m->cpu));
    uint64_t slow = model_slow_ceiling(m, (uint32_t)(c - m->cpu), cache_alone(m, line));
    uint64_t end = take_turn(&m->queues.node[home], now, m->queues.node_line);

    if (!node_is_of(m, home, c->package))
        end = later(end, take_turn(&m->queues.link[c->package], now, m->queues.link_line));
    if (ceiling)
        end = later(end, take_turn(&c->domain->class_queue[c->clos % MODEL_MAX_CLOS], now, line_fractions(m, ceiling)));
    if (slow)
        end = later(end, take_turn(&c->domain->slow_queue[c->clos % MODEL_MAX_CLOS], now, line_fractions(m, slow)));
    return end;
}

/* home: of a line that memory has. */
static uint64_t latency(const struct model *m, const struct cpu *c, uint32_t home, enum cache_level level)
{
    const struct profile_times *t = m->profile->times;

    switch (level) {
    case LEVEL_L1:
        return t->l1;
    case LEVEL_L2:
        return t->l2;
    case LEVEL_L3:
        return t->l3;
    default:
        return node_is_of(m, home, c->package) ? m->queues.local_ticks : m->queues.remote_ticks;
    }
}

/* Lines that prefetchers brought take their turns beside the load that they came with: nobody waits for them, but they
 * take of what memory, links and the class have. */
static uint64_t prefetched_turns(struct model *m, struct cpu *c, uint64_t now, uint64_t line)
{
    uint64_t end = now;

    for (; c->prefetched > 0; c->prefetched--)
        end = later(end, memory_turns(m, c, now, line, cache_home(m, line)));
    return end;
}

/* overlap: as many are under way at once. */
static uint64_t access_end(struct model *m, struct cpu *c, uint64_t now, uint64_t line, enum cache_level level,
                           uint32_t overlap)
{
    uint32_t home = level == LEVEL_MEMORY ? cache_home(m, line) : 0;
    uint64_t ticks = latency(m, c, home, level), end;

    if (__builtin_expect(now >= c->smi_due, 0)) {
        quirk_smis(m, c, now);
        now += model_clock_lost(m, (uint32_t)(c - m->cpu));
    }
    if (__builtin_expect(m->flaw.monitor != FLAW_NONE, 0)) {
        flaw_time(m, c, now);
        if (level >= LEVEL_L3)
            flaw_beyond_l2(m, c);
    }
    if (overlap > 1)
        ticks = later(ticks / overlap, 1);
    if (level >= LEVEL_L3)
        ticks = quirk_throttled(m, c, now, ticks);
    end = level == LEVEL_MEMORY ? later(now + ticks, memory_turns(m, c, now, line, home)) : now + ticks;
    return __builtin_expect(c->prefetched > 0, 0) ? later(end, prefetched_turns(m, c, now, line)) : end;
}

uint64_t model_clock_access(struct model *m, uint32_t cpu, uint64_t now, uint64_t physical, enum cache_level level,
                            bool dependent)
{
    return access_end(m, &m->cpu[cpu], now, physical >> MODEL_LINE_SHIFT, level,
                      dependent ? 1 : m->profile->times->misses);
}

uint64_t model_clock_fetch(struct model *m, uint32_t cpu, uint64_t now, uint64_t physical, enum cache_level level)
{
    return level == LEVEL_L1 ? now
                             : access_end(m, &m->cpu[cpu], now, physical >> MODEL_LINE_SHIFT, level, CLOCK_FETCHES);
}
