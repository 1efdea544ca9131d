/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_prefetch.c: hardware prefetchers, on request, and what stops them.
 *
 * Intel: "Disclosure of Hardware Prefetcher Control on Some Intel Processors" (MSR 1A4H bits 3:0: L2 stream, L2 adjacent
 * line, L1 next line, L1 IP); bits 4, L1 next page, and 5, AMP, on Sapphire Rapids and later: intel/PerfSpect,
 * prefetcher definitions, which has two more on Granite Rapids, bits 6 and 7; 4, 6 and 7 are kept and stop nothing that
 * is modelled. The L3's: profile.h, PROFILE_LLC_OF_P_CORES. AMD:
 * MSR C0000108H, where CPUID Fn8000_0021_EAX[13] PrefetchCtlMsr says that it is there; bits as likwid has them.
 *
 * None goes beyond a page of 4 KiB. Documents do not say when each acts; here:
 *   L2 adjacent line   every miss of the L2 brings the other line of its pair
 *   L2 stream          a miss one line, or the distance, above the last one brings the next two
 *   L2 AMP             the third miss in a row at the same distance, not a neighbour, brings the next two at it
 *   L3                 every miss of the L2 has the L3 read the next four lines, which no core gets: the processor's
 *                      RMID and class have them
 *   L1 next line       a load that misses the L1, one line above the last one
 *   L1 IP              the third such load in a row at the same distance of at most 2 KiB; no instructions are known
 */
#include "tests/silicon/cache/model_cache.h"

#define AMD_L1            BITS(1, 0) /* stream, stride */
#define AMD_L2_STREAM     BIT(3)
#define AMD_L2_UP_DOWN    BIT(5)
#define STREAM_DISTANCE   2u
#define LLC_DISTANCE      4u
#define LINES_OF_PAGE     64
#define GREATEST_DISTANCE 32 /* lines, of the IP prefetcher */

/* Those that software has stopped, as bits of 1A4H. */
static uint32_t stopped(const struct model *m, const struct core *core)
{
    uint64_t control = atomic_load_explicit(&core->prefetch_control, memory_order_relaxed);

    uint64_t llc = atomic_load_explicit(&core->llc_control, memory_order_relaxed);

    if (!m->profile->amd)
        return (uint32_t)((control & BITS(7, 0)) | (llc & m->profile->llc_stop ? PREFETCH_LLC : 0));
    return (uint32_t)(field_get(AMD_L1, control) << 2 | (control & AMD_L2_STREAM ? PREFETCH_L2_STREAM : 0) |
                      (control & AMD_L2_UP_DOWN ? PREFETCH_L2_ADJACENT : 0));
}

static void bring(struct model *m, struct cpu *c, uint64_t line, bool into_l1)
{
    if (private_has(m, c->core, line)) {
        if (into_l1)
            private_use(m, c->core, line, false, false);
        return;
    }
    c->prefetching = fault_on(&m->faults, FAULT_PREFETCH_UNTAGGED) ||
                     fault_on(&m->faults, FAULT_PREFETCH_COUNTED_TWICE) ||
                     fault_on(&m->faults, FAULT_MASK_PREFETCH_ESCAPES);
    c->prefetched += l3_request(m, c, line, LOOKUP_READ, into_l1) == LEVEL_MEMORY;
    c->prefetching = false;
}

static bool same_page(uint64_t a, uint64_t b)
{
    return a / LINES_OF_PAGE == b / LINES_OF_PAGE;
}

/* The next lines at a distance. */
static void bring_on(struct model *m, struct cpu *c, uint64_t line, int64_t distance, uint32_t n, bool into_l1)
{
    for (uint64_t next = line + (uint64_t)distance; n > 0 && same_page(line, next); next += (uint64_t)distance, n--)
        bring(m, c, next, into_l1);
}

static void of_l2(struct model *m, struct cpu *c, uint64_t line, uint32_t active)
{
    struct prefetch_watch *w = &c->watch;
    bool in_stream = line == w->last_miss + 1 || line == w->last_miss + 1 + STREAM_DISTANCE;
    int64_t distance = (int64_t)(line - w->last_miss);
    bool in_stride = distance == w->miss_distance && distance != 0 && distance != 1 && distance != -1;

    for (uint64_t next = line + 1; (active & PREFETCH_LLC) && next <= line + LLC_DISTANCE && same_page(line, next);
         next++)
        c->prefetched += l3_prefetch(m, c, next);
    w->last_miss = line;
    w->miss_distance = distance;
    if (active & PREFETCH_L2_ADJACENT)
        bring(m, c, line ^ 1, false);
    if ((active & PREFETCH_L2_STREAM) && in_stream)
        bring_on(m, c, line, 1, STREAM_DISTANCE, false);
    if ((active & PREFETCH_L2_AMP) && in_stride)
        bring_on(m, c, line, distance, STREAM_DISTANCE, false);
}

static void of_l1(struct model *m, struct cpu *c, uint64_t line, uint32_t active)
{
    struct prefetch_watch *w = &c->watch;
    int64_t distance = (int64_t)(line - w->last_load);
    bool in_stride = distance == w->load_distance && distance != 0 && distance <= GREATEST_DISTANCE &&
                     distance >= -GREATEST_DISTANCE;

    w->last_load = line;
    w->load_distance = distance;
    if (((active & PREFETCH_L1_NEXT) && distance == 1) || ((active & PREFETCH_L1_IP) && in_stride)) {
        bring_on(m, c, line, distance, 1, true);
        w->last_load = line + (uint64_t)distance; /* its load will not miss */
    }
}

void prefetch_after(struct model *m, struct cpu *c, uint64_t line, bool store, bool missed_l2)
{
    uint32_t active = m->prefetch & ~stopped(m, c->core);

    if (!store)
        of_l1(m, c, line, active);
    if (missed_l2)
        of_l2(m, c, line, active);
}

uint64_t prefetch_control_bits(const struct model *m)
{
    uint32_t regs[4];

    if (m->profile->amd)
        return profile_find(m->profile, 0x80000021, 0, regs) && (regs[0] & BIT(13)) ? BITS(3, 0) | BIT(5) : 0;
    if (!m->profile->prefetch_control)
        return 0;
    return BITS(3, 0) | m->profile->prefetch_more;
}
