/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/loads.h"

#include "core/domain/domains.h"

struct traffic_part part_read(uint32_t rmid, uint64_t base, uint64_t bytes)
{
    return (struct traffic_part){
        .rmid = rmid,
        .clos = TRAFFIC_KEEP,
        .work = { .kind = WORK_READ, .passes = 1, .base = base, .bytes = bytes },
    };
}

struct traffic_part part_fill(const struct check *c, uint32_t domain, uint32_t rmid, uint64_t base, uint64_t bytes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.passes = c->machine->domains[domain].l3_inclusive ? 1 : 2;
    return part;
}

struct traffic_part part_flush(uint32_t rmid, uint64_t base, uint64_t bytes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.kind = WORK_FLUSH;
    return part;
}

struct traffic_part part_idle(uint32_t rmid, uint64_t ticks)
{
    return (struct traffic_part){ .rmid = rmid, .clos = TRAFFIC_KEEP, .pause_ticks = ticks };
}

uint64_t load_stream_bytes(const struct check *c, uint32_t domain)
{
    /* 256 counts: one count more or less at either end is 0.4 %, a twentieth of the band. 8 MiB: what page walks and
     * the loop's own code move is two thousandths of it. Cold memory makes every line a miss, so the stream need not be
     * several times the L3. */
    uint64_t bytes = 256 * (uint64_t)c->machine->domains[domain].upscaling_factor;

    return bytes > 8 * MIB ? bytes : 8 * MIB;
}

uint64_t load_small_fill_bytes(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    /* Twice the absolute tolerance of T_occ, and what a core's own L2 may keep for itself. */
    uint64_t bytes = 4 * MIB + (d->l3_inclusive ? 0 : 2 * reference_l2_bytes(c));

    uint64_t most = d->l3_inclusive ? d->l3_bytes / 4 : d->l3_bytes / 8 * 3;

    return ROUND_DOWN(bytes < most ? bytes : most);
}

uint64_t load_half_l3(const struct check *c, uint32_t domain)
{
    uint64_t half = c->machine->domains[domain].l3_bytes / 2, limit = c->platform->load_limit;

    return ROUND_DOWN(limit && half > limit ? limit : half);
}

uint64_t load_slice_bytes(const struct check *c, uint32_t domain)
{
    uint64_t bytes = 32 * (uint64_t)c->machine->domains[domain].upscaling_factor;

    return bytes > MIB ? ROUND_DOWN(bytes) : MIB;
}
