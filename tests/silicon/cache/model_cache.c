/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_cache.c: where lines are, whose they are, and what moved. The doors to it.
 *
 * Each core has an L1D and an L2 that both its threads share (model_private.c), each processor an instruction cache of
 * 32 KiB. Cores of a domain share an L3 of slices (model_l3.c): inclusive up to Broadwell; from Skylake-SP on, and on
 * Zen, a line enters it when an L2 gives it up. A line carries the RMID of the processor that brought it in from memory;
 * later hits by anybody leave the tag alone, and it goes with the line from core to L3 and back. Occupancy counts what
 * the L3 holds.
 *
 * Coherence is MESIF. A core that has a line alone may write to it without telling anybody; what it wrote is found out
 * when the line is asked for or given up. A load of a line that another L3's side has dirty has it written back there,
 * and both keep it clean; a store takes it over dirty, without a memory write. Where the data came from does not matter
 * to the bandwidth counters: a fill is one line from beyond this L3, local or remote by its home node. To the memory's
 * counters it does: no CAS for a line that a cache elsewhere had dirty.
 *
 * Locks: one for each slice number, taken for what leaves a core. L1 and L2 hits take none.
 */
#include "tests/silicon/cache/model_cache.h"

/* --- accesses */

/* Not in the L1, or stored to without the right to. */
static __attribute__((noinline)) enum cache_level beyond_l1(struct model *m, struct cpu *c, uint64_t line,
                                                            enum model_kind kind)
{
    bool store = kind == MODEL_STORE, fetch = kind == MODEL_FETCH;
    enum cache_level level = LEVEL_L2;

    if (line == c->nt_line)
        c->nt_line = UINT64_MAX;
    if (__builtin_expect(m->walks, 0))
        walk_before(m, c, line);
    if (!private_use(m, c->core, line, store, fetch))
        level = l3_request(m, c, line, store ? LOOKUP_RFO : fetch ? LOOKUP_CODE : LOOKUP_READ, !fetch);
    if (__builtin_expect(m->prefetch != 0, 0) && !fetch)
        prefetch_after(m, c, line, store, level > LEVEL_L2);
    return level;
}

/* The L2 has what the instruction cache has, so a line that leaves the core leaves that too, and this test finds it: a
 * store of another core, CLFLUSH and WBINVD need not look here. As long as the L2 has lost no line the test is a
 * comparison. What the core itself stores to a line of code stays in its L2, where a part that drops its copy of the code
 * would fetch it again; the model takes that for a hit. */
static __attribute__((noinline)) enum cache_level fetch(struct model *m, struct cpu *c, uint64_t line)
{
    struct code_line *at = &c->code[line % CODE_LINES];
    uint64_t losses = atomic_load_explicit(&c->core->losses, memory_order_relaxed);
    bool known = at->number == line + 1;

    if (__builtin_expect(known && at->losses == losses, 1))
        return LEVEL_L1;
    *at = (struct code_line){ line + 1, losses };
    return known && private_has(m, c->core, line) ? LEVEL_L1 : beyond_l1(m, c, line, MODEL_FETCH);
}

/* A full line or parts of one: the write-combining buffer joins stores to one line, so only the first acts. If somebody
 * else loads the line between two stores of one burst, that copy stays: a program that does so has a race anyway. */
static __attribute__((noinline)) enum cache_level nt_store(struct model *m, struct cpu *c, uint64_t line)
{
    struct domain *p = c->domain;
    struct place at;
    uint32_t home, tag;

    if (line == c->nt_line)
        return LEVEL_L1;
    c->nt_line = line;
    at = l3_place_next(m, c, line);
    home = cache_home(m, line);
    slice_lock(m, at.slice);
    l3_purge(m, &at, p, LEAVE_TAKEN);
    bump(&p->slice[at.slice].nt_lines, 1);
    count_cas(m, c->package, &at, home, true);
    count_home(m, c->package, at.line, home, TOR_NT_STORE);
    count_tor(m, c, at.slice, TOR_NT_STORE, home);
    tag = tag_of_fill(m, c, home, FLAW_NT);
    count_transfer(
        m, p, &at,
        (struct transfer_of){ TRANSFER_NT_STORE, atomic_load_explicit(&c->rmid, memory_order_relaxed),
                              flaw_transfer(m, c, at.slice, tag_of_transfer(m, c, tag, home, false), FLAW_NT),
                              home == c->node, c, FLAW_NT });
    if (m->abmc_by_class)
        count_of_class(c, TRANSFER_NT_STORE, home == c->node);
    if (__builtin_expect(m->tags_lie, 0) && fault_on(&m->faults, FAULT_NT_STORES_STAY))
        l3_allocate(m, c, &at, tag);
    slice_unlock(m, at.slice);
    return LEVEL_MEMORY;
}

static inline enum cache_level access_line(struct model *m, struct cpu *c, uint64_t line, enum model_kind kind)
{
    if (__builtin_expect(kind <= MODEL_STORE && l1_has(c, line, kind == MODEL_STORE), 1))
        return LEVEL_L1;
    if (kind == MODEL_FETCH)
        return fetch(m, c, line);
    return kind == MODEL_NT_STORE ? nt_store(m, c, line) : beyond_l1(m, c, line, kind);
}

static __attribute__((noinline)) enum cache_level two_lines(struct model *m, struct cpu *c, uint64_t line,
                                                            enum model_kind kind)
{
    access_line(m, c, line, kind);
    return access_line(m, c, line + 1, kind);
}

static inline enum cache_level access_bytes(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes,
                                            enum model_kind kind)
{
    uint64_t line = physical >> MODEL_LINE_SHIFT;
    struct cpu *c = &m->cpu[cpu];

    c->counts.accesses += kind != MODEL_FETCH;
    if (__builtin_expect((physical & 63) + bytes > 64, 0))
        return two_lines(m, c, line, kind);
    return access_line(m, c, line, kind);
}

enum cache_level model_access_level(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes,
                                    enum model_kind kind)
{
    return access_bytes(m, cpu, physical, bytes, kind);
}

void model_access(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes, enum model_kind kind)
{
    if (__builtin_expect(cpu < m->cpus && physical >> MODEL_PHYSICAL_BITS == 0, 1))
        (void)access_bytes(m, cpu, physical, bytes, kind);
}

void model_ring(struct model *m, uint32_t cpu, bool user)
{
    if (cpu < m->cpus)
        m->cpu[cpu].user = user;
}

void model_clflush(struct model *m, uint32_t cpu, uint64_t physical)
{
    struct place at = l3_place(m, physical >> MODEL_LINE_SHIFT);

    if (cpu >= m->cpus || physical >> MODEL_PHYSICAL_BITS)
        return;
    m->cpu[cpu].nt_line = UINT64_MAX;
    slice_lock(m, at.slice);
    l3_purge(m, &at, m->cpu[cpu].domain, LEAVE_FLUSHED);
    slice_unlock(m, at.slice);
}

/* The caches of this core and the L3 that it shares (SDM vol. 2, WBINVD). From an inclusive L3 a line goes together
 * with other cores' copies; elsewhere those stay, as do copies in other packages. */
void model_wbinvd(struct model *m, uint32_t cpu)
{
    if (cpu >= m->cpus)
        return;
    m->cpu[cpu].nt_line = UINT64_MAX;
    l3_flush(m, &m->cpu[cpu]);
    if (fault_on(&m->faults, FAULT_MBM_WBINVD_CLEARS))
        rdt_bandwidth_clear(m, m->cpu[cpu].domain);
    for (uint32_t i = 0; i < m->cpus && fault_on(&m->faults, FAULT_WBINVD_SPREADS); i++)
        if (m->cpu[i].package != m->cpu[cpu].package && m->cpu[i].thread == 0)
            l3_flush(m, &m->cpu[i]);
}
