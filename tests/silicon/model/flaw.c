/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/model/flaw.h"

#include "tests/silicon/model/model_state.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#define CONCURRENT_LINES 1024u
#define RACE_TICKS       2000u

static uint64_t next(_Atomic uint64_t *n)
{
    return atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static uint32_t number_of(const struct model *m, const struct cpu *c)
{
    return (uint32_t)(c - m->cpu);
}

/* --- when */

/* Within the last so many transfers for each processor of the L3, all had some. */
static bool is_contended(const struct cpu *c, const struct model *m)
{
    uint32_t n = m->cores_per_domain * m->threads, all = n < 64 ? n : 64;

    return n > 1 && (uint32_t)__builtin_popcountll(c->domain->concurrent.before) == all;
}

static void watch_contention(struct model *m, struct cpu *c)
{
    struct concurrent_watch *w = &c->domain->concurrent;
    uint32_t n = m->cores_per_domain * m->threads, mine = c->core_index * m->threads + c->thread;

    atomic_fetch_or_explicit(&w->now, BIT(0) << mine % 64, memory_order_relaxed);
    if (next(&w->transfers) % ((uint64_t)CONCURRENT_LINES * n) == 0)
        w->before = atomic_exchange_explicit(&w->now, 0, memory_order_relaxed);
}

static bool takes_a_line(struct cpu *c)
{
    if (!atomic_load_explicit(&c->flaw.lines, memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&c->flaw.lines, 1, memory_order_relaxed);
    return true;
}

/* An access of the processor: is it now? */
static bool is_now(struct model *m, struct cpu *c)
{
    switch (m->flaw.trigger) {
    case FLAW_CONTENTION:
        watch_contention(m, c);
        return is_contended(c, m);
    case FLAW_AFTER_IDLE:
    case FLAW_AFTER_SMI:
    case FLAW_AFTER_CLOCK:
    case FLAW_AFTER_SIBLING:
    case FLAW_BETWEEN:
    case FLAW_AFTER_MWAIT:
        return takes_a_line(c);
    case FLAW_NTH:
        return next(&m->flaws.count) % m->flaw.nth == m->flaw.nth - 1;
    default:
        return true;
    }
}

/* A share of `percent` of what passes. */
static bool is_struck(struct model *m, int32_t percent)
{
    return next(&m->flaws.passed) % 100 < (uint64_t)percent;
}

/* --- where */

static bool is_here(const struct model *m, const struct cpu *c, const struct domain *p, uint32_t slice, uint32_t rmid)
{
    const struct flaw *d = &m->flaw;
    /* PQR_ASSOC has RMIDs of the processor's cluster, the counters all those of the L3. */
    uint32_t rmids = d->monitor == FLAW_PQR && m->rmids_split ? m->rmids / m->clusters : m->rmids;

    switch (d->scope) {
    case FLAW_L3:
        return (uint32_t)(p - m->domain) == d->place;
    case FLAW_SLICE:
        return slice == d->place;
    case FLAW_CPU:
        return c && number_of(m, c) == d->place;
    case FLAW_RMID:
        return rmid == d->place % rmids;
    case FLAW_HIGH:
        return rmid >= rmids / 2;
    default:
        return true;
    }
}

static bool is_meant(const struct flaw *d, enum flaw_access access)
{
    return d->access == FLAW_ANY || d->access == access;
}

/* --- which RMID */

static uint32_t other_rmid(struct model *m, uint32_t rmid)
{
    const struct flaw *d = &m->flaw;

    switch (d->kind) {
    case FLAW_DEAD:
        return m->rmids;
    case FLAW_LOST:
        return is_struck(m, d->strength) ? m->rmids : rmid;
    case FLAW_LEAKS:
        return is_struck(m, d->strength) ? (rmid + 1) % m->rmids : rmid;
    case FLAW_SWAPPED:
        return (rmid ^ 1) < m->rmids ? rmid ^ 1 : rmid;
    case FLAW_ALIASED:
        return rmid & ~(uint32_t)(BIT(0) << d->strength);
    default:
        return rmid;
    }
}

static uint32_t counted(struct model *m, struct cpu *c, uint32_t slice, uint32_t rmid, enum flaw_access access)
{
    if (rmid >= m->rmids || !is_meant(&m->flaw, access))
        return rmid;
    /* Of the RMID's neighbour too, with which it is exchanged. */
    if (!is_here(m, c, c->domain, slice, rmid) &&
        !(m->flaw.kind == FLAW_SWAPPED && is_here(m, c, c->domain, slice, rmid ^ 1)))
        return rmid;
    return is_now(m, c) ? other_rmid(m, rmid) : rmid;
}

/* PQR_ASSOC's: what a processor's lines are tagged with. Without a tag it is RMID 0's, the one of reset. */
uint32_t flaw_fill(struct model *m, struct cpu *c, uint32_t rmid, enum flaw_access access)
{
    uint32_t to;

    if (m->flaw.monitor != FLAW_PQR)
        return rmid;
    if (access == FLAW_LOADS || access == FLAW_STORES)
        c->flaw.last = access;
    if (m->flaw.kind == FLAW_LATE)
        return is_here(m, c, c->domain, 0, rmid) && takes_a_line(c) ? c->flaw.former : rmid;
    to = counted(m, c, m->flaw.place, rmid, access);
    return to == m->rmids ? 0 : to;
}

uint32_t flaw_line(struct model *m, struct cpu *c, uint32_t slice, uint32_t rmid, enum flaw_access access)
{
    return m->flaw.monitor == FLAW_CMT ? counted(m, c, slice, rmid, access) : rmid;
}

uint32_t flaw_transfer(struct model *m, struct cpu *c, uint32_t slice, uint32_t rmid, enum flaw_access access)
{
    return m->flaw.monitor == FLAW_MBM ? counted(m, c, slice, rmid, access) : rmid;
}

bool flaw_loses_local(struct model *m, struct cpu *c, struct domain *p, uint32_t slice, uint32_t rmid,
                      enum flaw_access access)
{
    const struct flaw *d = &m->flaw;

    return d->monitor == FLAW_MBM_LOCAL && (d->kind == FLAW_LOST || d->kind == FLAW_DEAD) && is_meant(d, access) &&
           is_here(m, c, p, slice, rmid) && (c ? is_now(m, c) : d->trigger == FLAW_ALWAYS) &&
           (d->kind == FLAW_DEAD || is_struck(m, d->strength));
}

/* --- PQR_ASSOC's triggers */

void flaw_associated(struct model *m, struct cpu *c, uint32_t former, uint32_t rmid)
{
    const struct flaw *d = &m->flaw;

    if (d->monitor == FLAW_NONE || former == rmid)
        return;
    c->flaw.former = former;
    c->flaw.last = FLAW_ANY;
    if (d->kind != FLAW_LATE || d->monitor == FLAW_PQR) /* else those of a mask */
        c->flaw.lines = d->kind == FLAW_LATE ? (uint64_t)d->strength : 0;
    for (struct cpu *other = c - c->thread; other < c - c->thread + m->threads; other++)
        if (other != c && (d->trigger == FLAW_AFTER_SIBLING ||
                           (d->trigger == FLAW_BETWEEN && other->flaw.last && other->flaw.last != d->access)))
            other->flaw.lines = d->monitor == FLAW_PQR ? UINT64_MAX / 2 : FLAW_LINES;
}

static void act_from_now_on(const struct model *m, struct cpu *c)
{
    c->flaw.lines = m->flaw.monitor == FLAW_PQR ? UINT64_MAX / 2 : FLAW_LINES;
}

void flaw_time(struct model *m, struct cpu *c, uint64_t now)
{
    uint32_t ratio = 0;

    if (now <= c->flaw.now)
        return;
    if (m->flaw.trigger == FLAW_AFTER_CLOCK)
        ratio = quirk_core_now(m, c, now) << 16 | (m->uclk_moves ? quirk_uclk_now(m, c->package, now) : 0);
    if ((m->flaw.trigger == FLAW_AFTER_IDLE && c->flaw.now && now - c->flaw.now > m->tsc_hz / 1000) ||
        (c->flaw.ratio && ratio != c->flaw.ratio))
        act_from_now_on(m, c);
    c->flaw.now = now;
    c->flaw.ratio = ratio;
}

void flaw_smi(struct model *m, struct cpu *c)
{
    if (m->flaw.trigger == FLAW_AFTER_SMI)
        act_from_now_on(m, c);
}

void flaw_mwait(struct model *m, struct cpu *c)
{
    if (m->flaw.trigger == FLAW_AFTER_MWAIT)
        act_from_now_on(m, c);
}

/* --- reads of QM_CTR */

/* Did another L3 answer a moment ago? */
static bool is_race(struct model *m, const struct cpu *c, uint64_t tsc)
{
    uint64_t last = atomic_exchange(&m->flaws.last_tsc, tsc);
    uint32_t number = (uint32_t)(c->domain - m->domain);

    return atomic_exchange(&m->flaws.last_domain, number) != number && last &&
           (tsc > last ? tsc - last : last - tsc) < RACE_TICKS;
}

static bool is_of_event(const struct flaw *d, uint32_t event)
{
    return d->monitor == FLAW_QM || (d->monitor == FLAW_CMT && event == 1) || (d->monitor == FLAW_MBM && event > 1) ||
           (d->monitor == FLAW_MBM_LOCAL && event == 3) || (d->monitor == FLAW_ABMC && event == FLAW_ASSIGNED);
}

uint32_t flaw_selects(const struct model *m, const struct cpu *c, uint32_t event, uint32_t rmid)
{
    const struct flaw *d = &m->flaw;

    if ((d->monitor != FLAW_QM && d->monitor != FLAW_MBM_LOCAL) || !is_of_event(d, event) ||
        !is_here(m, c, c->domain, d->place, rmid))
        return rmid;
    if (d->kind == FLAW_ALIASED)
        return rmid & ~(uint32_t)(BIT(0) << d->strength);
    return d->kind == FLAW_SWAPPED && (rmid ^ 1) < m->rmids ? rmid ^ 1 : rmid;
}

/* Of a counter: what it had when it was looked at so long ago that it may show something new. */
static uint64_t shown_late(struct model *m, uint64_t key, uint64_t tsc, uint64_t value)
{
    uint32_t i = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 58);

    if (m->flaws.shown[i].key == key &&
        tsc - m->flaws.shown[i].tsc < (uint64_t)m->flaw.strength * (m->tsc_hz / 1000000))
        return m->flaws.shown[i].value;
    m->flaws.shown[i].key = key;
    m->flaws.shown[i].tsc = tsc;
    m->flaws.shown[i].value = value;
    return value;
}

uint64_t flaw_read(struct model *m, struct cpu *c, uint32_t event, uint32_t rmid, uint64_t tsc, uint64_t counts)
{
    const struct flaw *d = &m->flaw;
    uint64_t last;
    bool now;

    if (!is_of_event(d, event))
        return counts;
    last = atomic_exchange(d->trigger == FLAW_MANY ? &m->flaws.last_value : &c->domain->flaw_last, counts);
    now = d->trigger == FLAW_MANY  ? is_race(m, c, tsc)
          : d->trigger == FLAW_NTH ? next(&m->flaws.count) % d->nth == d->nth - 1
                                   : d->trigger == FLAW_ALWAYS;
    if (!now || !is_here(m, c, c->domain, d->place, rmid))
        return counts;
    switch (d->kind) {
    case FLAW_SCALED: /* a steady counter stays one */
        return (uint64_t)((unsigned __int128)counts * (uint64_t)(100 + d->strength) / 100) & low_bits(m->mbm_width);
    case FLAW_STICKY:
        return counts | BIT(0) << d->strength;
    case FLAW_STALE:
        return last;
    case FLAW_WRAPS:
        return counts & low_bits((unsigned)d->strength);
    case FLAW_LATE:
        return shown_late(m, (uint64_t)(c->domain - m->domain + 1) << 48 | (uint64_t)event << 40 | rmid, tsc, counts);
    default:
        return counts;
    }
}

/* --- masks and throttles */

static bool is_class(const struct model *m, const struct cpu *c, uint32_t classes)
{
    const struct flaw *d = &m->flaw;
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed);

    switch (d->scope) {
    case FLAW_CLASS:
        return clos == d->place;
    case FLAW_HIGH:
        return clos >= classes / 2;
    default:
        return is_here(m, c, c->domain, 0, 0);
    }
}

/* The class that a processor's stands for. */
static uint32_t other_class(const struct flaw *d, uint32_t clos, uint32_t classes)
{
    if (d->kind == FLAW_SWAPPED)
        return clos + 1 < classes ? clos + 1 : 0;
    return d->kind == FLAW_ALIASED ? clos & ~(uint32_t)(BIT(0) << d->strength) : clos;
}

/* The lowest ways beside a mask. */
static uint32_t more_ways(uint32_t ways, uint32_t all, int32_t n)
{
    for (uint32_t left = all & ~ways; n > 0 && left; n--, left &= left - 1)
        ways |= left & (0 - left);
    return ways;
}

static uint32_t other_ways(const struct flaw *d, uint32_t ways, uint32_t all)
{
    switch (d->kind) {
    case FLAW_LEAKS:
        return more_ways(ways, all, d->strength);
    case FLAW_STICKY:
        return ways | (uint32_t)(BIT(0) << d->strength & all);
    case FLAW_DEAD:
    case FLAW_LOST:
        return all;
    default:
        return ways;
    }
}

uint32_t flaw_ways(struct model *m, struct cpu *c, uint32_t ways, enum flaw_access access)
{
    const struct flaw *d = &m->flaw;
    bool cdp = atomic_load_explicit(&c->domain->l3_qos_cfg, memory_order_relaxed) & 1;
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed);

    if ((d->monitor != FLAW_CAT && !(d->monitor == FLAW_CDP && cdp)) || !is_meant(d, access) ||
        !is_class(m, c, m->l3_clos / (1 + cdp)) || !is_now(m, c) ||
        (d->kind == FLAW_LOST && !is_struck(m, d->strength)))
        return ways;
    if (d->kind == FLAW_SWAPPED || d->kind == FLAW_ALIASED)
        return rdt_fill_mask(m, c->domain, other_class(d, clos, m->l3_clos / (1 + cdp)), access == FLAW_CODE);
    if (d->kind == FLAW_LATE)
        return m->flaws.former_number == (cdp ? 2 * clos + (access == FLAW_CODE) : clos) && takes_a_line(c)
                   ? m->flaws.former
                   : ways;
    return other_ways(d, ways, m->l3_way_mask);
}

uint32_t flaw_l2_class(const struct model *m, uint32_t clos)
{
    return m->flaw.monitor == FLAW_L2 ? other_class(&m->flaw, clos, m->l2_clos) : clos;
}

uint32_t flaw_l2_ways(struct model *m, struct cpu *c, uint32_t clos, uint32_t ways, uint32_t all,
                      enum flaw_access access)
{
    const struct flaw *d = &m->flaw;

    if (d->monitor != FLAW_L2 || !is_class(m, c, m->l2_clos) || !is_meant(d, access) || !is_now(m, c) ||
        (d->kind == FLAW_LOST && !is_struck(m, d->strength)))
        return ways;
    if (d->kind == FLAW_LATE)
        return m->flaws.former_number == clos && takes_a_line(c) ? m->flaws.former & all : ways;
    return other_ways(d, ways, all);
}

/* --- registers */

#define MSR_L3_QOS_CFG 0xC81u
#define MSR_PQR_ASSOC  0xC8Fu
#define MSR_L3_MASK_0  0xC90u
#define MSR_L2_MASK_0  0xD10u
#define MSR_MBA_0      0xD50u

/* Those of a monitor that hold what software wrote: the first one, and how many. */
static uint32_t registers_of(const struct model *m, uint32_t *first)
{
    switch (m->flaw.monitor) {
    case FLAW_CAT:
        *first = MSR_L3_MASK_0;
        return m->l3_clos;
    case FLAW_CDP:
        *first = m->flaw.kind == FLAW_LATE ? MSR_L3_MASK_0 : MSR_L3_QOS_CFG;
        return m->flaw.kind == FLAW_LATE ? m->l3_clos : 1;
    case FLAW_L2:
        *first = MSR_L2_MASK_0;
        return m->l2_clos;
    case FLAW_MBA:
        *first = MSR_MBA_0;
        return m->mba_clos;
    case FLAW_PQR:
        *first = MSR_PQR_ASSOC;
        return 1;
    default:
        return *first = 0;
    }
}

uint64_t flaw_register(struct model *m, const struct cpu *c, uint32_t msr, uint64_t value)
{
    const struct flaw *d = &m->flaw;
    uint32_t first, n = registers_of(m, &first);
    uint64_t last;

    if (d->kind != FLAW_STALE || msr - first >= n || !is_here(m, c, c->domain, 0, 0))
        return value;
    last = atomic_exchange(&m->flaws.last_value, value);
    return d->trigger == FLAW_NTH && next(&m->flaws.count) % d->nth != d->nth - 1 ? value : last;
}

void flaw_written(struct model *m, struct cpu *c, uint32_t msr, uint64_t former)
{
    uint32_t first, n = registers_of(m, &first), per_domain = m->cores_per_domain * m->threads;
    struct cpu *cpus = &m->cpu[number_of(m, c) / per_domain * per_domain];

    if (m->flaw.kind != FLAW_LATE || m->flaw.monitor == FLAW_PQR || msr - first >= n)
        return;
    m->flaws.former = (uint32_t)former;
    m->flaws.former_number = msr - first;
    for (uint32_t i = 0; i < per_domain; i++)
        cpus[i].flaw.lines = (uint64_t)m->flaw.strength;
}

/* --- throttles */

void flaw_beyond_l2(struct model *m, struct cpu *c)
{
    if (m->flaw.monitor != FLAW_MBA && m->flaw.monitor != FLAW_UNCORE)
        return;
    if (m->flaw.trigger == FLAW_CONTENTION)
        watch_contention(m, c);
    else
        (void)takes_a_line(c);
}

static bool acts_on_throttle(const struct model *m, const struct cpu *c, uint32_t classes)
{
    if (m->flaw.monitor != FLAW_MBA || !is_class(m, c, classes))
        return false;
    return m->flaw.trigger == FLAW_ALWAYS ||
           (m->flaw.trigger == FLAW_CONTENTION ? is_contended(c, m)
                                               : atomic_load_explicit(&c->flaw.lines, memory_order_relaxed) != 0);
}

uint32_t flaw_delay(const struct model *m, const struct cpu *c, uint32_t delay)
{
    const struct flaw *d = &m->flaw;
    uint32_t clos = atomic_load_explicit(&c->clos, memory_order_relaxed);

    if (!acts_on_throttle(m, c, m->mba_clos) || d->kind == FLAW_STALE)
        return delay;
    if (d->kind == FLAW_SWAPPED || d->kind == FLAW_ALIASED)
        return c->domain->mba_acts[other_class(d, clos, m->mba_clos)];
    return d->kind == FLAW_DEAD ? 0 : delay * (uint32_t)(100 - d->strength) / 100;
}

uint64_t flaw_ceiling(const struct model *m, const struct cpu *c, uint64_t bytes)
{
    const struct flaw *d = &m->flaw;

    if (!acts_on_throttle(m, c, m->bw_clos))
        return bytes;
    return d->kind == FLAW_SCALED ? bytes / 100 * (uint64_t)(100 + d->strength) : 0;
}

uint32_t flaw_assigned_number(const struct model *m, uint32_t counter)
{
    return m->flaw.monitor == FLAW_ABMC && m->flaw.kind == FLAW_SWAPPED ? counter ^ 1 : counter;
}

uint64_t flaw_assigned(const struct model *m, const struct cpu *c, uint32_t counter, uint64_t lines)
{
    const struct flaw *d = &m->flaw;

    if (d->monitor != FLAW_ABMC || (d->scope == FLAW_COUNTER && counter != d->place) ||
        (d->scope == FLAW_HIGH && counter < m->abmc_counters / 2) ||
        (d->scope == FLAW_L3 && (uint32_t)(c->domain - m->domain) != d->place))
        return lines;
    return d->kind == FLAW_DEAD     ? 0
           : d->kind == FLAW_SCALED ? lines * (uint64_t)(100 + d->strength) / 100
           : d->kind == FLAW_LOST   ? lines * (uint64_t)(100 - d->strength) / 100
                                    : lines;
}

/* --- uncore counters */

static bool is_in_box(const struct model *m, const struct uncore_box *b, uint32_t index)
{
    const struct flaw *d = &m->flaw;

    if (d->monitor != FLAW_UNCORE || d->scope == FLAW_CPU)
        return false;
    if (d->scope == FLAW_BOX)
        return (uint32_t)b->type->unit == d->place && uncore_is_last(m, b);
    return d->scope == FLAW_HIGH ? index >= b->type->counters / 2 : index == d->place;
}

/* Of a package: the triggers are those of its first processor. */
static bool is_now_in_package(struct model *m, uint32_t package)
{
    struct cpu *c = &m->cpu[package * (m->cpus / m->packages)];

    switch (m->flaw.trigger) {
    case FLAW_CONTENTION:
        return is_contended(c, m);
    case FLAW_ALWAYS:
    case FLAW_NTH:
        return true;
    default:
        return atomic_load_explicit(&c->flaw.lines, memory_order_relaxed) != 0;
    }
}

uint64_t flaw_gain(struct model *m, const struct uncore_box *b, uint32_t index, uint64_t n)
{
    const struct flaw *d = &m->flaw;
    uint64_t percent = d->kind == FLAW_LOST ? (uint64_t)(100 - d->strength) : (uint64_t)(100 + d->strength), gained;
    _Atomic uint64_t *rest;

    if (!is_in_box(m, b, index) || !is_now_in_package(m, b->package))
        return n;
    switch (d->kind) {
    case FLAW_DEAD:
        return 0;
    case FLAW_LOST:
    case FLAW_SCALED: /* whatever the windows are that it comes in */
        rest = &m->flaws.rests[index % FLAW_RESTS];
        gained = (*rest + n % 100 * percent) / 100 + n / 100 * percent;
        *rest = (*rest + n % 100 * percent) % 100;
        return gained;
    default:
        return n;
    }
}

uint64_t flaw_shows(struct model *m, const struct uncore_box *b, uint32_t index, uint64_t tsc, uint64_t value)
{
    const struct flaw *d = &m->flaw;
    uint64_t last;

    if (!is_in_box(m, b, index))
        return value;
    last = atomic_exchange(&m->flaws.last_value, value);
    if (d->trigger == FLAW_NTH && next(&m->flaws.count) % d->nth != d->nth - 1)
        return value;
    if (d->kind == FLAW_STICKY)
        return value | BIT(0) << d->strength;
    if (d->kind == FLAW_LATE)
        return shown_late(m, (uint64_t)(uintptr_t)b + index, tsc, value);
    return d->kind == FLAW_STALE ? last : value;
}

uint32_t flaw_bits(const struct model *m, const struct uncore_box *b, uint32_t bits)
{
    const struct flaw *d = &m->flaw;

    return d->scope == FLAW_BOX && is_in_box(m, b, 0) && d->kind == FLAW_WRAPS && (uint32_t)d->strength < bits
               ? (uint32_t)d->strength
               : bits;
}

bool flaw_is_blind(const struct model *m, const struct cpu *c)
{
    return m->flaw.monitor == FLAW_UNCORE && m->flaw.scope == FLAW_CPU && number_of(m, c) == m->flaw.place;
}
