/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_memory.c: where lines are home, and who is notified of what moved.
 *
 * All counts of one slice are written under its lock, so they need no locked instruction; a node's are written under
 * any.
 */
#include "tests/silicon/cache/model_cache.h"
#include "core/base/search.h"
#include "tests/silicon/model/scramble.h"

static inline void add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Does a fault of so many percent strike this one? Of each hundred in a row as many as that, whatever the pattern. */
static bool is_struck(const struct model *m, struct domain *p, enum struck which, uint64_t percent)
{
    uint64_t n = atomic_fetch_add_explicit(&p->struck[which], 1, memory_order_relaxed);
    uint64_t start = scramble(m->seed ^ (uint64_t)which << 56 ^ n / 100) % 100;

    return (start + n % 100 * 37) % 100 < percent; /* 37 has no divisor in common with 100 */
}

/* --- places */

#define INTERLEAVE_LINES 64u /* 4 KiB of each package in turn */

static inline const struct memory_range *range_of(const struct model *m, uint64_t line)
{
    uint64_t physical = line << MODEL_LINE_SHIFT;

    for (uint32_t i = m->n_memory; i-- > 0;)
        if (physical - m->memory[i].base < m->memory[i].bytes)
            return &m->memory[i];
    return NULL;
}

uint32_t cache_home(const struct model *m, uint64_t line)
{
    const struct memory_range *r = range_of(m, line);

    if (m->interleaved && r)
        return (uint32_t)(line / INTERLEAVE_LINES % m->packages);
    return r ? r->node : 0;
}

bool cache_alone(const struct model *m, uint64_t line)
{
    const struct memory_range *r = m->memory_alone ? range_of(m, line) : NULL;

    return r && r->alone;
}

enum transfer read_of(const struct model *m, uint64_t line)
{
    return m->event_bits & (COUNTS_LOCAL_SLOW | COUNTS_REMOTE_SLOW) && cache_alone(m, line) ? TRANSFER_SLOW_READ
                                                                                            : TRANSFER_READ;
}

#define REGION_LINES 32768u /* 2 MiB */

uint32_t cache_channel(const struct model *m, uint64_t line)
{
    /* Neighbours go round; what lies above moves the start of each round, so that no stride meets one channel alone. */
    uint64_t mixed = line ^ line >> 7 ^ line >> 14 ^ line >> 21;
    uint32_t share = m->channel_mask == UINT32_MAX
                         ? remainder_of((uint32_t)(mixed ^ mixed >> 32), m->channel_shares, m->channel_magic)
                         : (uint32_t)mixed & m->channel_mask;

    if (__builtin_expect(m->realism.value[REALISM_CHANNEL_INTERLEAVE] == INTERLEAVE_REGIONS, 0) &&
        line / REGION_LINES % 2)
        share %= (m->channels + 1) / 2;
    return share < m->channels ? share : share - m->channels;
}

/* --- what moved */

/* SDM vol. 3B 18.8.2.3: MatchSel 100 counts by address, 110 by address or opcode, 010 by opcode, 001 by both; the
 * opcodes that can be chosen are answers to snoops, of which home sees none here. A request is for a line. */
static __attribute__((noinline)) void match_request(struct model *m, uint32_t package, uint64_t line, uint32_t home)
{
    struct address_match *a = &m->package[home / m->clusters].match;
    uint64_t value = get(&a->value), sel = field_get(BITS(63, 61), value);

    if ((sel == 4 || sel == 6) && (value & BITS(39, 6)) >> MODEL_LINE_SHIFT == line)
        add(&a->passed[package == home / m->clusters], 1);
}

void count_cas(struct model *m, uint32_t package, const struct place *at, uint32_t home, bool write)
{
    struct node_counts *n = &m->node[at->slice * MODEL_MAX_NODES + home];
    uint32_t channel = cache_channel(m, at->line);

    bump(write ? &n->cas_write[channel] : &n->cas_read[channel], 1);
    bump(write ? &n->written_by[package] : &n->read_by[package], 1);
    if (__builtin_expect(m->near != NULL, 0))
        near_access(m, home, at->line, write);
    if (__builtin_expect(atomic_load_explicit(&m->match_armed, memory_order_relaxed), 0))
        match_request(m, package, at->line, home);
}

static __attribute__((noinline)) void watch_home(struct model *m, uint32_t package, uint64_t line, uint32_t home,
                                                 enum tor_opcode opcode)
{
    struct home_watch *w = &m->package[home / m->clusters].home;

    add(&w->requests[package == home / m->clusters][opcode], 1);
    if (line == get(&w->line))
        add(&w->of_line[opcode], 1);
}

void count_home(struct model *m, uint32_t package, uint64_t line, uint32_t home, enum tor_opcode opcode)
{
    if (__builtin_expect(atomic_load_explicit(&m->home_watched, memory_order_relaxed), 0))
        watch_home(m, package, line, home, opcode);
}

#define IN_TURN_LINES 4096u

/* Of a slice that has moved a line of another RMID among the last so many. */
static bool is_lost_in_turn(const struct model *m, struct domain *p, uint32_t slice, uint32_t rmid)
{
    uint32_t before = atomic_exchange_explicit(&p->turn[slice].rmid, rmid, memory_order_relaxed);
    uint32_t left = before != rmid ? IN_TURN_LINES : atomic_load_explicit(&p->turn[slice].left, memory_order_relaxed);

    atomic_store_explicit(&p->turn[slice].left, left ? left - 1 : 0, memory_order_relaxed);
    return left && is_struck(m, p, STRUCK_MBM, m->faults.value[FAULT_MBM_IN_TURN_LOST]);
}

/* The book that counters are fed by. */
static __attribute__((noinline)) void count_seen(struct model *m, struct domain *p, const struct place *at,
                                                 struct transfer_of t)
{
    const struct fault_set *f = &m->faults;
    struct traffic *book = traffic_at(p->seen, m, at->slice, t.seen);
    uint64_t sets = m->realism.value[REALISM_MBM_SAMPLING], n = sets > 1 ? sets : 1;
    bool local = t.local;

    if (at->index % n != 0)
        return;
    if (fault_on(f, FAULT_MBM_HALF) && at->slice % 2)
        return;
    if (t.by && t.by->late_lines) {
        t.by->late_lines--;
        return;
    }
    if (fault_on(f, FAULT_MBM_LOSS) && is_struck(m, p, STRUCK_MBM, f->value[FAULT_MBM_LOSS]))
        return;
    if (fault_on(f, FAULT_MBM_LOCAL_LOSS) && local && is_struck(m, p, STRUCK_MBM_LOCAL, f->value[FAULT_MBM_LOCAL_LOSS]))
        local = false; /* total counts both */
    if (fault_on(f, FAULT_MBM_LOCAL_SLICE_DEAD) && at->slice == m->l3_slices - 1)
        local = false;
    if (fault_on(f, FAULT_MBM_IN_TURN_LOST) && is_lost_in_turn(m, p, at->slice, t.seen))
        return;
    if (fault_on(f, FAULT_HOME_SWAPPED) && p->package == fault_place(f, FAULT_HOME_SWAPPED, m->packages))
        local = !local;
    if (local && flaw_loses_local(m, t.by, p, at->slice, t.seen, t.access))
        local = false;
    bump(&book->moved[t.kind][local], n);
    if (fault_on(f, FAULT_MBM_EIGHTH_TWICE) && book->moved[t.kind][local] % 9 == 8)
        bump(&book->moved[t.kind][local], n);
    if ((fault_on(f, FAULT_NT_COUNTED_TWICE) && t.kind == TRANSFER_NT_STORE) ||
        (fault_on(f, FAULT_PREFETCH_COUNTED_TWICE) && t.by && t.by->prefetching))
        bump(&book->moved[t.kind][local], n);
}

void count_transfer(struct model *m, struct domain *p, const struct place *at, struct transfer_of t)
{
    bump(&traffic_at(p->truth, m, at->slice, t.rmid)->moved[t.kind][t.local], 1);
    if (__builtin_expect(m->tags_lie, 0))
        count_seen(m, p, at, t);
}

void count_of_class(struct cpu *c, enum transfer kind, bool local)
{
    add(&c->domain->class_moved[atomic_load_explicit(&c->clos, memory_order_relaxed)][kind][local], 1);
}

void count_write_back(struct model *m, struct domain *p, const struct place *at, uint32_t word)
{
    uint32_t tag = (uint32_t)field_get(ENTRY_RMID, word), home = cache_home(m, at->line);

    bump(&p->slice[at->slice].write_backs, 1);
    count_cas(m, p->package, at, home, true);
    count_home(m, p->package, at->line, home, TOR_WRITE_BACK);
    count_transfer(
        m, p, at,
        (struct transfer_of){ TRANSFER_WRITE_BACK, tag, tag, node_is_of(m, home, p->package), NULL, FLAW_ANY });
}

void count_thread_tor(const struct model *m, const struct cpu *c, uint32_t slice, enum tor_opcode opcode,
                      enum tor_place place)
{
    uint32_t processors = m->cores_per_domain * m->threads, mine = c->core_index * m->threads + c->thread;

    if (c->domain->thread_tor)
        bump(&c->domain->thread_tor[slice * processors + mine][opcode][place], 1);
}

/* --- whose lines are in the L3 */

uint32_t tag_lie_of_fill(struct model *m, struct cpu *c, uint32_t home, enum flaw_access access)
{
    uint32_t tag = atomic_load_explicit(&c->tag, memory_order_relaxed);

    if (atomic_load_explicit(&c->stale_lines, memory_order_relaxed)) {
        add(&c->stale_lines, UINT64_MAX);
        tag = atomic_load_explicit(&c->stale_tag, memory_order_relaxed);
    }
    if ((c->prefetching && fault_on(&m->faults, FAULT_PREFETCH_UNTAGGED)) ||
        (access == FLAW_CODE && fault_on(&m->faults, FAULT_CODE_UNTAGGED)))
        tag = 0;
    return rdt_slot(m, c->domain, flaw_fill(m, c, tag, access), home);
}

/* Every processor of an L3 at work: within the last so many transfers for each of them, all had some. */
#define CONCURRENT_LINES 1024u

static bool lost_under_concurrency(const struct model *m, const struct cpu *c)
{
    struct concurrent_watch *concurrent = &c->domain->concurrent;
    uint32_t processors = m->cores_per_domain * m->threads, mine = c->core_index * m->threads + c->thread;
    uint64_t n = atomic_fetch_add_explicit(&concurrent->transfers, 1, memory_order_relaxed);
    uint32_t all = processors < 64 ? processors : 64;

    atomic_fetch_or_explicit(&concurrent->now, BIT(0) << mine % 64, memory_order_relaxed);
    if (n % ((uint64_t)CONCURRENT_LINES * processors) == 0)
        concurrent->before = atomic_exchange_explicit(&concurrent->now, 0, memory_order_relaxed);
    return processors > 1 && (uint32_t)__builtin_popcountll(concurrent->before) == all &&
           n % 100 < m->faults.value[FAULT_MBM_CROWD_LOSES];
}

/* A share of what moves while a delay acts on the processor. */
static bool lost_to_throttle(const struct model *m, const struct cpu *c)
{
    uint64_t n = atomic_fetch_add_explicit(&c->domain->concurrent.transfers, 1, memory_order_relaxed);

    return n % 100 < m->faults.value[FAULT_MBM_THROTTLED_LOSES] && model_mba_delay(m, (uint32_t)(c - m->cpu)) != 0;
}

uint32_t tag_lie_of_transfer(const struct model *m, const struct cpu *c, uint32_t seen, uint32_t home, bool store)
{
    if (fault_on(&m->faults, FAULT_MBM_STORES_LOST) && store)
        return m->rmids;
    if (fault_on(&m->faults, FAULT_CLUSTER_MBM_DEAD) && m->clusters > 1 && home % m->clusters == m->clusters - 1)
        return m->rmids;
    if (fault_on(&m->faults, FAULT_MBM_SIBLING_SHARED))
        return rdt_slot(m, c->domain, atomic_load_explicit(&c[-(int)c->thread].tag, memory_order_relaxed), home);
    if (fault_on(&m->faults, FAULT_MBM_THROTTLED_LOSES) && lost_to_throttle(m, c))
        return m->rmids;
    return fault_on(&m->faults, FAULT_MBM_CROWD_LOSES) && lost_under_concurrency(m, c) ? m->rmids : seen;
}

/* Places are taken without a lock: two RMIDs that come at once may get the same one, and one of them is lost. */
static uint32_t tag_under_concurrency(const struct model *m, struct domain *p, uint32_t seen)
{
    uint64_t most = m->faults.value[FAULT_CMT_CROWD];
    uint32_t at = CONCURRENT_RMIDS;

    most = most < CONCURRENT_RMIDS ? most : CONCURRENT_RMIDS;
    for (uint32_t i = 0; i < most; i++)
        if (p->concurrent.rmid[i] == seen + 1)
            return seen;
    for (uint32_t i = 0; i < most; i++)
        if (p->concurrent.rmid[i] == 0 || traffic_of(m, p->seen, p->concurrent.rmid[i] - 1, ALL_PARTS).lines == 0)
            at = i;
    if (at == CONCURRENT_RMIDS)
        return 0;
    p->concurrent.rmid[at] = seen + 1;
    return seen;
}

/* Which RMID gets another one's line: always the same one, as far away as the machine's seed says. */
static uint32_t wrong_rmid(const struct model *m, uint32_t seen)
{
    uint32_t others = m->rmids - 1;

    return seen < m->rmids && others ? (seen + 1 + (uint32_t)(scramble(~m->seed) % others)) % m->rmids : seen;
}

uint32_t tag_lie_of_line(const struct model *m, struct domain *p, uint32_t seen)
{
    const struct fault_set *f = &m->faults;

    if (fault_on(f, FAULT_OCCUPANCY_WRONG_RMID) && is_struck(m, p, STRUCK_TAG, f->value[FAULT_OCCUPANCY_WRONG_RMID]))
        return wrong_rmid(m, seen);
    return fault_on(f, FAULT_CMT_CROWD) ? tag_under_concurrency(m, p, seen) : seen;
}

/* Does the L3 count whose lines are in this set, and of this address? */
static bool is_owned(const struct model *m, const struct place *at)
{
    const struct fault_set *f = &m->faults;

    if (fault_on(f, FAULT_OCCUPANCY_HALVED) && at->slice % 2)
        return false;
    if (fault_on(f, FAULT_CLUSTER_CMT_DEAD) && at->slice >= m->l3_slices - m->l3_slices / m->slice_parts)
        return false;
    if (fault_on(f, FAULT_OCCUPANCY_LOSS) && scramble(m->seed ^ at->line << 8) % 100 < f->value[FAULT_OCCUPANCY_LOSS])
        return false;
    return !fault_on(f, FAULT_CAPACITY_UNOWNED) ||
           (at->index * 2654435761u >> 16) % 100 >= f->value[FAULT_CAPACITY_UNOWNED];
}

static uint32_t true_rmid(const struct model *m, const struct domain *p, const struct place *at, uint32_t entry,
                          uint32_t tag)
{
    return __builtin_expect(m->tags_lie, 0) ? p->true_rmid[(size_t)at->index * m->l3_entries + entry] : tag;
}

void count_in(struct model *m, struct domain *p, const struct place *at, uint32_t entry, uint32_t word)
{
    uint32_t tag = (uint32_t)field_get(ENTRY_RMID, word);

    bump(&traffic_at(p->truth, m, at->slice, true_rmid(m, p, at, entry, tag))->lines, 1);
    if (__builtin_expect(m->tags_lie, 0) && is_owned(m, at))
        bump(&traffic_at(p->seen, m, at->slice, tag)->lines, 1);
}

void count_out(struct model *m, struct domain *p, const struct place *at, uint32_t entry, uint32_t word, enum leave why)
{
    const struct fault_set *f = &m->faults;
    uint32_t tag = (uint32_t)field_get(ENTRY_RMID, word);

    bump(&traffic_at(p->truth, m, at->slice, true_rmid(m, p, at, entry, tag))->lines, UINT64_MAX);
    if (__builtin_expect(!m->tags_lie, 1) || !is_owned(m, at))
        return;
    if (!(fault_on(f, FAULT_OCCUPANCY_KEPT_ON_EVICTION) && why == LEAVE_EVICTED &&
          is_struck(m, p, STRUCK_EVICTION, f->value[FAULT_OCCUPANCY_KEPT_ON_EVICTION])) &&
        !(fault_on(f, FAULT_OCCUPANCY_KEPT_FAR) && why == LEAVE_SNOOPED) &&
        !(fault_on(f, FAULT_OCCUPANCY_KEPT_ON_TAKE) && why == LEAVE_TAKEN) &&
        !(fault_on(f, FAULT_OCCUPANCY_SLICE_KEEPS) && why == LEAVE_FLUSHED && at->slice == m->l3_slices - 1) &&
        !(fault_on(f, FAULT_OCCUPANCY_KEPT_ON_FLUSH) && why == LEAVE_FLUSHED))
        bump(&traffic_at(p->seen, m, at->slice, tag)->lines, UINT64_MAX);
}

/* --- asked for by others */

struct traffic_sum traffic_of(const struct model *m, const struct traffic *book, uint32_t rmid, uint32_t part)
{
    uint32_t n = part == ALL_PARTS ? m->l3_slices : m->l3_slices / m->slice_parts;
    uint32_t first = part == ALL_PARTS ? 0 : part * n;
    struct traffic_sum sum = { 0 };

    for (uint32_t s = first; s < first + n; s++) {
        const struct traffic *t = &book[(size_t)s * (m->rmids + 1) + rmid];

        sum.lines += get(&t->lines);
        for (uint32_t k = 0; k < TRANSFERS; k++) {
            sum.moved[k][0] += get(&t->moved[k][0]);
            sum.moved[k][1] += get(&t->moved[k][1]);
        }
    }
    return sum;
}

uint64_t transfers_of(const struct traffic_sum *sum, uint32_t types)
{
    uint64_t n = 0;

    n += types & COUNTS_LOCAL_READS ? sum->moved[TRANSFER_READ][1] : 0;
    n += types & COUNTS_REMOTE_READS ? sum->moved[TRANSFER_READ][0] : 0;
    n += types & COUNTS_LOCAL_SLOW ? sum->moved[TRANSFER_SLOW_READ][1] : 0;
    n += types & COUNTS_REMOTE_SLOW ? sum->moved[TRANSFER_SLOW_READ][0] : 0;
    n += types & COUNTS_LOCAL_NT ? sum->moved[TRANSFER_NT_STORE][1] : 0;
    n += types & COUNTS_REMOTE_NT ? sum->moved[TRANSFER_NT_STORE][0] : 0;
    if (types & COUNTS_WRITE_BACKS)
        n += sum->moved[TRANSFER_WRITE_BACK][0] + sum->moved[TRANSFER_WRITE_BACK][1];
    return n;
}

uint64_t cache_write_backs(const struct model *m, const struct domain *p)
{
    return SUM_OF(uint64_t, s, m->l3_slices, get(&p->slice[s].write_backs));
}

uint64_t cache_nt_lines(const struct model *m, const struct domain *p)
{
    return SUM_OF(uint64_t, s, m->l3_slices, get(&p->slice[s].nt_lines));
}

uint64_t memory_cas(const struct model *m, uint32_t node, uint32_t channel, bool write)
{
    const struct node_counts *n = &m->node[node];

    return SUM_OF(uint64_t, s, m->l3_slices,
                  get(&(write ? n[s * MODEL_MAX_NODES].cas_write : n[s * MODEL_MAX_NODES].cas_read)[channel]));
}

uint64_t memory_lines(const struct model *m, uint32_t node, uint32_t package, bool write)
{
    const struct node_counts *n = &m->node[node];

    return SUM_OF(uint64_t, s, m->l3_slices,
                  get(&(write ? n[s * MODEL_MAX_NODES].written_by : n[s * MODEL_MAX_NODES].read_by)[package]));
}
