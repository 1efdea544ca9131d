/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_sources.c: what uncore monitors can count. Each answers with a number that never falls.
 *
 * What the model does not know, and how it is counted: an L3 hit has no home, so it is local; a lookup or a victim has
 * no node, so a node filter either lets all of them pass or none. The E5 family's thread filter: the table knows whose
 * its requests are; a lookup of a thread goes by them, so of its states it knows whether they are valid; a victim or a
 * snoop belongs to no thread. Idle flits are not counted.
 */
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "core/base/search.h"
#include "tests/silicon/uncore/model_uncore_match.h"

#define LINE_FLITS 8u /* data flits of a line: 8 bytes each */

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)counter, memory_order_relaxed);
}

uint64_t source_clock(const struct uncore_look *l, uint64_t arg)
{
    return uncore_clock_at(l->m, l->box, l->tsc) * (arg ? arg : 1);
}

static uint64_t umask_of(const struct uncore_look *l)
{
    return field_get(l->box->type->ctl->umask, l->ctl);
}

/* Fields of the U-box' filter: Linux uncore_snbep.c, HSWEP_U_MSR_PMON_BOX_FILTER_TID and _CID. */
#define UBOX_FILTER_THREAD BIT(0)
#define UBOX_FILTER_CORE   BITS(5, 1)

/* With ubox-filter: is it a processor of the filter's core and thread? */
static bool filter_names(const struct uncore_look *l, const struct cpu *c)
{
    return !l->m->ubox_filters || !l->box->type->filter_kept ||
           (c->thread == field_get(UBOX_FILTER_THREAD, l->box->filter) &&
            c->core_index == field_get(UBOX_FILTER_CORE, l->box->filter));
}

/* 327043-001 and 329468-002 2.2, EVENT_MSG: messages that the U-box received, by kind. One for each interrupt that a processor
 * sends to another's id (IPI_RCVD), in the package of the receiver. What no source says is chosen:
 *
 * - An interrupt to the sender's own id is counted as any other; one by the shorthand "self" is not, for it stays in its core.
 * - One to a package's processor from another package is counted by the receiver's U-box alone.
 * - The guides speak of a thread to filter on (NCUPMONCTRLGLCTR.ThreadID), for which they have no register, and Intel's files
 *   of Skylake-SP and Cascade Lake-SP of UBoxFilter[3:0]. The filter lets all threads pass here, whatever is written to it, unless
 *   the quirk ubox-filter makes it respect its thread and core.
 * - A sub-event that a part's file lacks counts nothing there. */
uint64_t source_message(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = umask_of(l) & arg, sum = 0;

    for (uint32_t i = 0; i < l->m->cpus && (umask & MESSAGE_IPI); i++)
        if (l->m->cpu[i].package == l->box->package && filter_names(l, &l->m->cpu[i]))
            sum += l->m->cpu[i].ipis;
    return sum;
}

/* --- memory */

uint32_t uncore_channels(const struct model *m)
{
    return m->channels * m->clusters;
}

/* Lines of the other packages' memory that this package's processors moved. */
static uint64_t lines_of_others(const struct model *m, uint32_t package, bool write)
{
    return SUM_OF(uint64_t, home, m->packages, home == package ? 0 : uncore_lines_between(m, package, home, write));
}

/* Lines of a channel of the modules: those that are asked of memory, or with near memory those that come so far. */
static uint64_t channel_cas(const struct model *m, uint32_t package, uint32_t channel, bool write, bool asked)
{
    uint32_t node = package * m->clusters + channel / m->channels;
    uint64_t count;

    if (channel >= uncore_channels(m)) /* a phantom */
        return 0;
    if (fault_on(&m->faults, FAULT_IMC_CAS_SWAPPED))
        write = !write;
    if (fault_on(&m->faults, FAULT_DIMM_NOT_COUNTED) &&
        channel == fault_place(&m->faults, FAULT_DIMM_NOT_COUNTED, uncore_channels(m)))
        return 0;
    count = (m->near && !asked ? far_lines : memory_cas)(m, node, channel % m->channels, write);
    if (fault_on(&m->faults, FAULT_IMC_COUNTS_READER))
        count += lines_of_others(m, package, write) / uncore_channels(m);
    if (fault_on(&m->faults, FAULT_IMC_COUNTS_DOUBLE) &&
        channel == fault_place(&m->faults, FAULT_IMC_COUNTS_DOUBLE, uncore_channels(m)))
        count *= 2;
    return count;
}

static uint64_t cas(const struct uncore_look *l, uint64_t arg, bool write)
{
    uint64_t sum = 0;

    if (arg != UNCORE_ALL && l->m->realism.value[REALISM_HBM_ONLY]) /* no module is there */
        return 0;

    if (arg != UNCORE_ALL)
        return channel_cas(l->m, l->box->package, arg ? (uint32_t)arg - 1 : l->box->index, write, false);
    for (uint32_t c = 0; c < uncore_channels(l->m); c++)
        sum += channel_cas(l->m, l->box->package, c, write, true);
    return sum;
}

uint64_t uncore_hbm_lines(const struct uncore_look *l, uint32_t channel, bool write)
{
    const struct model *m = l->m;
    uint32_t of_node = m->profile->hbm_channels / m->clusters, pair = channel / 2;
    uint64_t both = 0;

    if (m->realism.value[REALISM_HBM_ONLY])
        both = channel_cas(m, l->box->package, pair, write, true);
    else if (m->near)
        both = near_lines(m, l->box->package * m->clusters + pair / of_node, pair % of_node, write);
    return (both + (channel % 2 == 0)) / 2;
}

uint64_t source_cas_read(const struct uncore_look *l, uint64_t arg)
{
    return cas(l, arg, false);
}

#define RANK_NEAR_END 0x7FF8u /* FAULT_CORRECTED_WRAPS */

/* A rank's count has 15 bits, and a bit above that says that it has overflowed. */
static uint64_t rank_count(uint64_t errors)
{
    return (errors & 0x7FFF) | (errors > 0x7FFF ? 0x8000 : 0);
}

/* All errors are the first rank's. */
static uint64_t corrected_from_near_end(const struct uncore_look *l, uint64_t arg)
{
    uint64_t errors = RANK_NEAR_END + cas(l, 0, false) / l->m->faults.value[FAULT_CORRECTED_WRAPS];

    if (l->number != 0 || l->box->index != uncore_number_of(l->m, l->box->type) - 1)
        return 0;
    return arg ? errors : rank_count(errors);
}

/* All errors are the second rank's. */
uint64_t source_corrected(const struct uncore_look *l, uint64_t arg)
{
    uint64_t errors;

    if (fault_on(&l->m->faults, FAULT_CORRECTED_WRAPS))
        return corrected_from_near_end(l, arg);
    if (!fault_on(&l->m->faults, FAULT_CORRECTED_COUNTED) || l->number != arg)
        return 0;
    errors = cas(l, 0, false) / l->m->faults.value[FAULT_CORRECTED_COUNTED];
    return arg ? errors : rank_count(errors) << 16;
}

uint64_t source_cas_write(const struct uncore_look *l, uint64_t arg)
{
    return cas(l, arg, true);
}

uint64_t source_cas(const struct uncore_look *l, uint64_t arg)
{
    return cas(l, arg, false) + cas(l, arg, true);
}

uint64_t uncore_lines_between(const struct model *m, uint32_t from, uint32_t home, bool write)
{
    return SUM_OF(uint64_t, c, m->clusters, memory_lines(m, home * m->clusters + c, from, write));
}

uint64_t source_home(const struct uncore_look *l, uint64_t arg)
{
    uint64_t sum = 0;

    if (fault_on(&l->m->faults, FAULT_HOME_REMOTE_SWAPPED))
        arg ^= HOME_LOCAL | HOME_REMOTE;
    for (uint32_t from = 0; from < l->m->packages; from++) {
        if (!(arg & (from == l->box->package ? HOME_LOCAL : HOME_REMOTE)))
            continue;
        if (arg & HOME_READ)
            sum += uncore_lines_between(l->m, from, l->box->package, false);
        if (arg & HOME_WRITE)
            sum += uncore_lines_between(l->m, from, l->box->package, true);
    }
    return sum;
}

/* --- slices */

uint32_t uncore_slices(const struct model *m)
{
    return m->profile->l3_slices * (m->domains / m->packages);
}

static const struct slice_counts *slice_at(const struct uncore_look *l, uint32_t slice)
{
    uint32_t each = l->m->profile->l3_slices, domains = l->m->domains / l->m->packages;

    return &l->m->domain[l->box->package * domains + slice / each].slice[slice % each];
}

/* Sum of `of` over the slices that the box is about. */
static uint64_t over_slices(const struct uncore_look *l, uint64_t arg,
                            uint64_t (*of)(const struct uncore_look *, const struct slice_counts *, uint64_t))
{
    uint32_t first = 0, end = uncore_slices(l->m);
    uint64_t sum = 0;

    if (l->box->type->unit == UNIT_CBO || l->box->type->unit == UNIT_EX_C)
        return of(l, slice_at(l, l->box->index), arg);
    if (l->box->type->unit == UNIT_L3) {
        first = l->box->index * l->m->profile->l3_slices;
        end = first + l->m->profile->l3_slices;
        if (arg >> 40) {
            first += (uint32_t)(arg >> 40) - 1;
            end = first < end ? first + 1 : first;
        }
    }
    for (uint32_t i = first; i < end; i++)
        sum += of(l, slice_at(l, i), arg);
    return sum;
}

static uint64_t lookups(const struct uncore_look *l, const struct slice_counts *s, uint64_t arg)
{
    uint64_t states = low_bits(STATES), sum = 0;

    if (l->box->type->filter_state && !uncore_ignores_states(l))
        states = field_get(l->box->type->filter_state, l->box->filter);
    if (arg >> 16 & UINT16_MAX)
        states &= arg >> 16;
    if (arg & SLICE_HIT)
        states &= ~BIT(STATE_I);
    if (arg & SLICE_MISS)
        states &= BIT(STATE_I);
    for (uint32_t why = 0; why < LOOKUPS; why++)
        for (uint32_t state = 0; state < STATES; state++)
            if ((arg >> why & 1) && (states >> state & 1))
                sum += get(&s->lookup[why][state]);
    return sum;
}

uint64_t source_lookup(const struct uncore_look *l, uint64_t arg)
{
    if (fault_on(&l->m->faults, FAULT_CBO_STORES_LOST) &&
        l->box->index == fault_place(&l->m->faults, FAULT_CBO_STORES_LOST, uncore_number_of(l->m, l->box->type)))
        arg &= ~(BIT(LOOKUP_RFO) | BIT(LOOKUP_WRITE));
    return over_slices(l, arg, lookups);
}

static uint64_t victims(const struct uncore_look *l, const struct slice_counts *s, uint64_t arg)
{
    uint64_t sum = 0;

    if (fault_on(&l->m->faults, FAULT_VICTIMS_OF_FILLS)) /* all of them as clean ones */
        return arg >> STATE_E & 1 ? get(&s->fill) : 0;
    for (uint32_t state = 0; state < STATES; state++)
        if (arg >> state & 1)
            sum += get(&s->victim[state]);
    return fault_on(&l->m->faults, FAULT_VICTIMS_HALF) || fault_on(&l->m->faults, FAULT_NHM_LINES_OUT) ? sum / 2 : sum;
}

uint64_t source_victim(const struct uncore_look *l, uint64_t arg)
{
    return over_slices(l, arg, victims);
}

static uint64_t fills(const struct uncore_look *, const struct slice_counts *s, uint64_t)
{
    return get(&s->fill);
}

uint64_t source_fill(const struct uncore_look *l, uint64_t arg)
{
    return over_slices(l, arg, fills);
}

/* Does the counter go by thread? */
static bool by_thread(const struct uncore_look *l)
{
    const struct fault_set *f = &l->m->faults;
    bool ignored =
        fault_on(f, FAULT_TID_IGNORED) && l->box->index == fault_place(f, FAULT_TID_IGNORED, uncore_slices(l->m));

    return l->box->type->filter_tid && (l->ctl & l->box->type->ctl->tid_en) && !ignored;
}

static const _Atomic uint64_t nobodys[TOR_OPCODES][TOR_PLACES];

/* The slice's requests, of the thread alone that the filter names where the counter goes by thread. */
static const _Atomic uint64_t (*requests_of(const struct uncore_look *l, const struct slice_counts *s))[TOR_PLACES]
{
    const struct model *m = l->m;
    const struct domain *p = &m->domain[l->box->package];
    uint64_t tid = field_get(l->box->type->filter_tid, l->box->filter), core, thread;
    uint32_t bits = l->box->type->tid_thread ? l->box->type->tid_thread : 1;

    if (!by_thread(l))
        return s->tor;
    if (fault_on(&m->faults, FAULT_TID_SHIFTED))
        tid <<= 1;
    core = tid >> bits;
    thread = tid & low_bits(bits);
    if (core >= m->cores_per_domain || thread >= m->threads)
        return nobodys;
    return p->thread_tor[(l->box->index * m->cores_per_domain + core) * m->threads + thread];
}

static uint64_t tor(const struct uncore_look *l, const struct slice_counts *s, uint64_t arg)
{
    const _Atomic uint64_t(*requests)[TOR_PLACES] = requests_of(l, s);
    uint64_t sum = 0;

    for (uint32_t opcode = 0; opcode < TOR_OPCODES; opcode++)
        for (uint32_t place = 0; place < TOR_PLACES; place++)
            if ((arg >> opcode & 1) && (arg >> (8 + place) & 1))
                sum += get(&requests[opcode][place]);
    return sum;
}

uint64_t source_tor(const struct uncore_look *l, uint64_t arg)
{
    return over_slices(l, arg, tor);
}

/* --- CBo of the E5 family: 329468-002 chapter 2.3 and the event files */

#define TOR_UMASK_OPCODE    BIT(0)
#define TOR_UMASK_MISS      BIT(1)
#define TOR_UMASK_EVICTION  BIT(2)
#define TOR_UMASK_ALL       BIT(3)
#define TOR_UMASK_WRITEBACK BIT(4)
#define TOR_UMASK_LOCAL     BIT(5)
#define TOR_UMASK_NID       BIT(6)
#define TOR_UMASK_REMOTE    BIT(7)

/* Opcode match values, as far as the model makes such requests. */
static uint64_t opcodes_of(const struct uncore_look *l, uint64_t opc)
{
    if (fault_on(&l->m->faults, FAULT_TOR_OPCODE_IGNORED))
        return low_bits(TOR_OPCODES);
    switch (opc) {
    case 0x180:
        return BIT(TOR_RFO);
    case 0x181:
        return BIT(TOR_CRD);
    case 0x182:
        return BIT(TOR_DRD);
    case 0x18C: /* WCiLF: a line written whole past the caches */
        return BIT(TOR_NT_STORE);
    default:
        return 0;
    }
}

/* Places that the umask and the node filter let pass: bits of enum tor_place. */
static uint64_t places_of(const struct uncore_look *l, uint64_t umask, uint64_t arg)
{
    uint64_t local = BIT(TOR_HIT) | BIT(TOR_MISS_LOCAL), remote = BIT(TOR_MISS_REMOTE), places = local | remote;
    uint64_t nodes = field_get(l->box->type->filter_nid, l->box->filter), own = BIT(l->box->package);

    if ((umask & (TOR_UMASK_LOCAL | TOR_UMASK_REMOTE)) && !(arg & TOR_ANY_HOME) &&
        !fault_on(&l->m->faults, FAULT_TOR_HOME_IGNORED))
        places = (umask & TOR_UMASK_LOCAL ? local : 0) | (umask & TOR_UMASK_REMOTE ? remote : 0);
    if ((umask & TOR_UMASK_NID) && !uncore_ignores_states(l))
        places &= (nodes & own ? local : 0) | (nodes & ~own ? remote : 0);
    if (umask & TOR_UMASK_MISS)
        places &= ~BIT(TOR_HIT);
    return places;
}

uint64_t source_e5_tor(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = umask_of(l), places = places_of(l, umask, arg) & arg >> 8, opcodes = 0, sum = 0;

    if (umask & TOR_UMASK_OPCODE)
        opcodes |= opcodes_of(l, field_get(l->box->type->filter_opc, l->box->filter));
    if (umask & TOR_UMASK_WRITEBACK)
        opcodes |= BIT(TOR_WRITE_BACK);
    if (umask & TOR_UMASK_ALL)
        opcodes = low_bits(TOR_OPCODES);
    else if ((umask & TOR_UMASK_EVICTION) && (places & BIT(TOR_MISS_LOCAL)) && !by_thread(l))
        sum = source_victim(l, low_bits(STATES));
    return sum + source_tor(l, opcodes | TOR_AT(places));
}

#define LOOKUP_UMASK_DATA_READ BIT(1)
#define LOOKUP_UMASK_WRITE     BIT(2)
#define LOOKUP_UMASK_SNOOP     BIT(3)
#define LOOKUP_UMASK_ANY       BIT(4)
#define LOOKUP_UMASK_READ      BIT(5)
#define LOOKUP_UMASK_NID       BIT(6)

static uint64_t lookups_of_thread(const struct uncore_look *l, uint64_t why)
{
    uint64_t states = field_get(l->box->type->filter_state, l->box->filter);
    uint64_t opcodes = (why & BIT(LOOKUP_READ) ? BIT(TOR_DRD) : 0) | (why & BIT(LOOKUP_CODE) ? BIT(TOR_CRD) : 0) |
                       (why & BIT(LOOKUP_RFO) ? BIT(TOR_RFO) : 0) | (why & BIT(LOOKUP_WRITE) ? BIT(TOR_WRITE_BACK) : 0);
    uint64_t places = (states & ~BIT(STATE_I) ? BIT(TOR_HIT) : 0) |
                      (states & BIT(STATE_I) ? BIT(TOR_MISS_LOCAL) | BIT(TOR_MISS_REMOTE) : 0);

    return source_tor(l, opcodes | TOR_AT(places));
}

uint64_t source_e5_lookup(const struct uncore_look *l, uint64_t)
{
    uint64_t umask = umask_of(l), why = 0;

    if ((umask & LOOKUP_UMASK_NID) && field_get(l->box->type->filter_nid, l->box->filter) == 0)
        return 0;
    if (umask & LOOKUP_UMASK_DATA_READ)
        why |= BIT(LOOKUP_READ);
    if (umask & LOOKUP_UMASK_WRITE)
        why |= BIT(LOOKUP_WRITE);
    if (umask & LOOKUP_UMASK_SNOOP)
        why |= BIT(LOOKUP_SNOOP);
    if (umask & LOOKUP_UMASK_READ)
        why |= BIT(LOOKUP_READ) | BIT(LOOKUP_CODE) | BIT(LOOKUP_RFO);
    if ((umask & LOOKUP_UMASK_ANY) || umask == LOOKUP_UMASK_NID || umask == (LOOKUP_UMASK_NID | BIT(0)))
        why = low_bits(LOOKUPS);
    return by_thread(l) ? lookups_of_thread(l, why) : source_lookup(l, why);
}

/* --- links: a full mesh whose ports share all traffic evenly */

static uint32_t ports_of(const struct uncore_look *l)
{
    const struct uncore *u = uncore_of(l->m, l->box->package);
    uint32_t n = 1; /* the box itself */

    for (uint32_t i = 0; i < u->boxes; i++)
        n += u->box[i].type == l->box->type && &u->box[i] != l->box;
    return n;
}

uint64_t uncore_share(const struct uncore_look *l, uint64_t n)
{
    uint32_t ports = ports_of(l);

    return (n + ports - 1 - l->box->index) / ports;
}

/* Lines of data from one package to another: what the other read there, and what the one wrote to the other. */
static uint64_t lines_sent(const struct model *m, uint32_t from, uint32_t to)
{
    return uncore_lines_between(m, to, from, false) +
           (fault_on(&m->faults, FAULT_LINK_WRITES_LOST) ? 0 : uncore_lines_between(m, from, to, true));
}

uint64_t source_link_lines(const struct uncore_look *l, uint64_t arg)
{
    uint32_t self = l->box->package;
    uint64_t sum = 0;

    if (fault_on(&l->m->faults, FAULT_QPI_DIRECTIONS_SWAPPED))
        arg = !arg;
    for (uint32_t other = 0; other < l->m->packages; other++)
        if (other != self)
            sum += uncore_share(l, arg ? lines_sent(l->m, other, self) : lines_sent(l->m, self, other));
    if (arg && fault_on(&l->m->faults, FAULT_LINK_RECEIVED_TWICE))
        sum *= 2;
    return sum;
}

uint64_t source_link_state(const struct uncore_look *l, uint64_t)
{
    return l->m->packages > 1 ? BIT(4) : 0;
}

uint64_t source_data_flits(const struct uncore_look *l, uint64_t arg)
{
    return source_link_lines(l, arg) * LINE_FLITS;
}

/* One flit asks for a line, one goes ahead of a line's data. */
uint64_t source_other_flits(const struct uncore_look *l, uint64_t arg)
{
    uint32_t self = l->box->package;
    uint64_t sum = 0;

    for (uint32_t other = 0; other < l->m->packages; other++) {
        uint32_t from = arg ? other : self, to = arg ? self : other;

        if (other != self)
            sum += uncore_share(l, lines_sent(l->m, from, to)) +
                   uncore_share(l, uncore_lines_between(l->m, from, to, false));
    }
    return sum;
}

/* --- power control unit: cores run at the rate of the TSC, and none sleeps */

uint64_t source_band(const struct uncore_look *l, uint64_t arg)
{
    uint64_t threshold;

    if (fault_on(&l->m->faults, FAULT_PCU_BANDS_SWAPPED))
        arg = 3 - arg;
    threshold = l->box->filter >> 8 * arg & 0xFF;

    return l->m->tsc_hz / 100000000 >= threshold ? source_clock(l, 1) : 0;
}

uint64_t source_core_states(const struct uncore_look *l, uint64_t arg)
{
    uint64_t cores = fault_on(&l->m->faults, FAULT_PCU_CORES_HALF) ? l->m->cores / 2 : l->m->cores;

    return (arg ? arg : umask_of(l)) == 1 ? source_clock(l, cores) : 0;
}

/* --- which package it is */

uint64_t source_node_id(const struct uncore_look *l, uint64_t)
{
    return l->box->package;
}

uint64_t source_node_map(const struct uncore_look *l, uint64_t)
{
    uint64_t map = 0;

    for (uint32_t p = 0; p < l->m->packages; p++)
        map |= (uint64_t)p << 3 * p;
    return map;
}
