/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_cache.h: what the files of the caches share. model_cache.c says how they work together.
 *
 *   model_cache.c    accesses, flushes: the doors
 *   model_l1.h       the L1's answer, which is what every access costs
 *   model_private.c  L1 and L2 of a core
 *   model_l3.c       what a request finds and changes in the L3 and its directory; model_set.h: one set of them
 *   model_policy.c   replacement and victims as real parts have them
 *   model_agents.c   devices, patrol scrub, SMIs, idle processors: traffic of no load
 *   model_walk.c     page walks and code fetches of a processor
 *   model_prefetch.c hardware prefetchers, and what stops them
 *   model_flush.c    WBINVD, and lines that leave every cache
 *   model_memory.c   homes, channels, and who is notified of what moved
 *   model_shape.c    sizes from the enumeration; making and freeing
 */
#pragma once
#include "tests/silicon/cache/model_l1.h"
#include "tests/silicon/model/flaw.h"

#include <sched.h>

/* Words of the L2. */
#define L2_VALID     1u
#define L2_OWNED     2u /* no other core has it: E or M */
#define L2_DIRTY     4u /* stored to since it came: M */
#define L2_CODE      8u /* came by a code fetch: goes to the ways of code */
#define L2_FLAGS     15u
#define L2_TAG_SHIFT 4u
#define L2_REUSED    16u /* not of the word, but of what was given up: core->l2_reused */

/* Words of the L3 and its directory. State I (0) means that nothing is there. */
#define ENTRY_STATE 0x7u
#define ENTRY_RMID  0x7FF8u
/* Cores that may hold it, core number modulo 8. Never a bit too few. Exact where the L3 is not inclusive; an inclusive
 * one is not told when a clean line leaves a core. */
#define ENTRY_PRESENCE 0x7F8000u
#define ENTRY_CORES    8u
#define ENTRY_TAG      0xFF800000u /* the tag's bits 24:16; those below are its hint */
#define TAG_BITS       25u
#define HINT_BITS      16u

#define NO_CORE UINT32_MAX

/* What quirks of real parts read and write lies above what any machine has. */
#define QUIRKS_BASE (UINT64_C(3) << 40)

/* LEAVE_SNOOPED: another L3's processor stores to the line, or flushes it. */
enum leave { LEAVE_EVICTED, LEAVE_FLUSHED, LEAVE_SNOOPED, LEAVE_TAKEN };

/* What an L2 gave up to make room. */
struct given_up {
    uint64_t line;
    uint32_t flags; /* L2_*; 0: nothing */
};

/* One set of one L3: two or three lines of the host. Entries 0 .. ways - 1 are its lines, the others its directory:
 * lines that only cores have. */
struct l3_row {
    uint32_t *word; /* [entries]                                               */
    uint8_t *order; /* [ways] most recently used first, invalid ones last      */
    uint8_t *turn;  /* directory entry to look at first                        */
    uint16_t *hint; /* [entries] low bits of each tag: what a search looks at  */
};

/* One instruction, not locked: a counter has one writer at a time, and readers see the old value or the new one. */
static inline void bump(_Atomic uint64_t *counter, uint64_t n)
{
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(n) : "cc");
}

/* number % n, with magic = 2^64 / n rounded up: Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019. */
static inline uint32_t remainder_of(uint32_t number, uint32_t n, uint64_t magic)
{
    return (uint32_t)((unsigned __int128)(magic * number) * n >> 64);
}

/* Slices lock apart; a slice's lock covers the slice of that number in every L3, because a line lies in the same one
 * everywhere. Taken for whatever leaves a core, never for what it finds in itself. */
static inline void slice_lock(struct model *m, uint32_t slice)
{
    _Atomic bool *taken = &m->slice_lock[slice].taken;
    unsigned spins = 0;

    if (m->alone)
        return;
    while (__builtin_expect(atomic_exchange_explicit(taken, true, memory_order_acquire), 0))
        while (atomic_load_explicit(taken, memory_order_relaxed))
            if (++spins % 64 == 0)
                sched_yield(); /* the holder may have been preempted */
            else
                __builtin_ia32_pause();
}

static inline void slice_unlock(struct model *m, uint32_t slice)
{
    atomic_store_explicit(&m->slice_lock[slice].taken, false, memory_order_release);
}

/* Bytes of the order and the turn, so that hints are aligned. */
static inline uint32_t order_bytes(uint32_t ways)
{
    return (ways + 2) / 2 * 2;
}

static inline struct l3_row row_of(const struct model *m, const struct domain *p, uint32_t index)
{
    uint8_t *block = p->l3_block + (size_t)index * m->l3_block_bytes;

    return (struct l3_row){ .word = (uint32_t *)(void *)block,
                            .order = block + 4 * (size_t)m->l3_entries,
                            .turn = block + m->l3_turn_at,
                            .hint = (uint16_t *)(void *)(block + m->l3_hint_at) };
}

static inline enum line_state entry_state(uint32_t word)
{
    return (enum line_state)(word & ENTRY_STATE);
}

/* --- model_private.c: all may be called at any time; what they say of a line holds while its slice is locked --- */

/* Serve an access that the L1 could not. False: the L2 lacks it, or not the right to store. */
bool private_use(const struct model *m, struct core *core, uint64_t line, bool store, bool fetch);
/* Put a line into L2 and, but for code, L1. flags: L2_OWNED and so on. Its slice is locked. */
struct given_up private_fill(struct model *m, struct cpu *c, uint64_t line, uint32_t flags, bool into_l1);
/* Take a line, or with `invalidate` false the right to store to it, from a core. What it was: L2_* flags, 0: absent. */
uint32_t private_snoop(const struct model *m, struct core *core, uint64_t line, bool invalidate);
/* What will probably make room when the line comes: its L2_* flags, 0: nothing. */
uint32_t private_next_out(const struct model *m, const struct core *core, uint64_t line, uint64_t *leaving);
bool private_has(const struct model *m, const struct core *core, uint64_t line);

/* --- model_l3.c --- */

struct place l3_place(const struct model *m, uint64_t line);
/* The same for a line that this processor purges; the host fetches what the purge of one soon after it will look at. */
struct place l3_place_next(const struct model *m, struct cpu *c, uint64_t line);
/* A request of a core that its own caches could not serve: why is LOOKUP_READ, _CODE or _RFO. */
enum cache_level l3_request(struct model *m, struct cpu *c, uint64_t line, enum lookup why, bool into_l1);
/* A line that no cache has gets a way, clean (FAULT_NT_STORES_STAY). Its slice is locked. */
/* A line that no core asked for is read into the L3, for the processor's RMID and class. False: it was there. */
bool l3_prefetch(struct model *m, struct cpu *c, uint64_t line);
void l3_allocate(struct model *m, struct cpu *c, const struct place *at, uint32_t seen);
/* A line that no cache has and that a device wrote gets one of these ways. Its slice is locked. */
void l3_inject(struct model *m, struct domain *p, const struct place *at, uint32_t ways, uint32_t tag);
/* What an L2 gave up goes to the L3, as far as it has to. */
void l3_take_back(struct model *m, struct cpu *c, struct given_up g);
/* Entry e of a set goes, from its cores too; dirty, it goes to memory if that is wanted. What it was. Slice locked. */
enum line_state l3_drop(struct model *m, struct domain *p, const struct place *at, uint32_t e, enum leave why,
                        bool write_back);
/* This core has given the line up: does it, or any that shares its presence bit, have it all the same? */
bool l3_bit_in_use(const struct model *m, const struct domain *p, uint64_t line, uint32_t core);

/* --- model_policy.c: under the slice's lock --- */

/* Which of the allowed ways makes room, where the policy is not LRU; it has the age of a new line then. */
uint32_t policy_way(const struct model *m, const struct domain *p, uint32_t slice, uint32_t index, uint32_t allowed);
/* A line in a way was hit; a request found nothing and counts for this tag. */
void policy_hit(const struct model *m, const struct domain *p, uint32_t index, uint32_t way);
void policy_miss(const struct model *m, struct domain *p, const struct place *at, uint32_t counted, bool local);
/* Does this L3 leave a clean victim of an L2 alone? reused: an L1 asked the L2 for it again. */
bool policy_drops(const struct model *m, const struct domain *p, uint32_t slice, bool reused);

/* --- model_prefetch.c --- */

/* A load or store of the processor has missed its L1, and maybe its L2, and is served. Only where m->prefetch. */
void prefetch_after(struct model *m, struct cpu *c, uint64_t line, bool store, bool missed_l2);

/* --- model_walk.c --- */

/* A load or store of the processor has missed its L1 and is not served yet. Only where m->walks. */
void walk_before(struct model *m, struct cpu *c, uint64_t line);

/* --- model_flush.c --- */

/* The line leaves every cache; dirty ones go to memory. why: it leaves own; others for LEAVE_SNOOPED. Its slice is
 * locked. */
void l3_purge(struct model *m, const struct place *at, const struct domain *own, enum leave why);
/* A line that a processor found in entry e gets its tag (FAULT_HIT_RETAGS). Its slice is locked. */
void l3_retag_hit(struct model *m, struct cpu *c, const struct place *at, uint32_t e);
/* All lines of the processor's L3, and of its own core. */
void l3_flush(struct model *m, struct cpu *c);

/* --- model_memory.c: under the lock of the line's slice --- */

struct transfer_of {
    enum transfer kind;
    uint32_t rmid, seen; /* seen differs from the true one only under faults */
    bool local;
    struct cpu *by; /* NULL: nobody's, as a write-back */
    enum flaw_access access;
};
/* One line moved, in both books. */
void count_transfer(struct model *m, struct domain *p, const struct place *at, struct transfer_of t);
/* The same under the processor's class: m->abmc_by_class. */
void count_of_class(struct cpu *c, enum transfer kind, bool local);
/* A line comes into, or leaves, entry `entry` of a set of the L3; word: the entry's. */
void count_in(struct model *m, struct domain *p, const struct place *at, uint32_t entry, uint32_t word);
void count_out(struct model *m, struct domain *p, const struct place *at, uint32_t entry, uint32_t word,
               enum leave why);
/* The same of the processor that asked, where somebody watches. */
void count_thread_tor(const struct model *m, const struct cpu *c, uint32_t slice, enum tor_opcode opcode,
                      enum tor_place place);
/* home: the line's node; FOUND: in the L3 or its directory. */
#define FOUND UINT32_MAX
static inline void count_tor(const struct model *m, const struct cpu *c, uint32_t slice, enum tor_opcode opcode,
                             uint32_t home)
{
    enum tor_place place = home == FOUND ? TOR_HIT : node_is_of(m, home, c->package) ? TOR_MISS_LOCAL : TOR_MISS_REMOTE;

    bump(&c->domain->slice[slice].tor[opcode][place], 1);
    if (__builtin_expect(atomic_load_explicit(&m->threads_watched, memory_order_relaxed), 0))
        count_thread_tor(m, c, slice, opcode, place);
}
/* One CAS at the line's channel of that node. */
void count_cas(struct model *m, uint32_t package, const struct place *at, uint32_t home, bool write);
/* A line of the node is read or written. Any thread may call it. */
void near_access(struct model *m, uint32_t node, uint64_t line, bool write);
/* What a read of this line from memory is to the bandwidth events. */
enum transfer read_of(const struct model *m, uint64_t line);
/* A request of a processor of this package reaches the line's home, its node; counted while somebody watches. */
void count_home(struct model *m, uint32_t package, uint64_t line, uint32_t home, enum tor_opcode opcode);
/* A dirty line goes from this L3 to memory; word: its entry. */
void count_write_back(struct model *m, struct domain *p, const struct place *at, uint32_t word);
/* What a line that this processor brings in is tagged with: the counter that it goes to, which is that of its RMID but
 * for faults and clusters (m->tags_lie: tag_lie_*()). */
uint32_t tag_lie_of_fill(struct model *m, struct cpu *c, uint32_t home, enum flaw_access access);
static inline uint32_t tag_of_fill(struct model *m, struct cpu *c, uint32_t home, enum flaw_access access)
{
    return __builtin_expect(m->tags_lie, 0) ? tag_lie_of_fill(m, c, home, access)
                                            : atomic_load_explicit(&c->tag, memory_order_relaxed);
}

/* Of that tag: the one whose bandwidth the transfer counts for, m->rmids: none; and the one that the line keeps. */
uint32_t tag_lie_of_transfer(const struct model *m, const struct cpu *c, uint32_t seen, uint32_t home, bool store);
static inline uint32_t tag_of_transfer(const struct model *m, const struct cpu *c, uint32_t seen, uint32_t home,
                                       bool store)
{
    return __builtin_expect(m->tags_lie, 0) ? tag_lie_of_transfer(m, c, seen, home, store) : seen;
}
uint32_t tag_lie_of_line(const struct model *m, struct domain *p, uint32_t seen);
static inline uint32_t tag_of_line(const struct model *m, struct domain *p, uint32_t seen)
{
    return __builtin_expect(m->tags_lie, 0) ? tag_lie_of_line(m, p, seen) : seen;
}
