/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_telemetry.c: energy and core telemetry by RMID (PMT), of the OOBMSM function of a package.
 *
 * Source: Linux drivers/platform/x86/intel (vsec.c, pmt/class.c, pmt/telemetry.c, pmt/discovery.c), linux/intel_pmt_features.h,
 * arch/x86/kernel/cpu/resctrl/intel_aet.c; intel/Intel-PMT xml/CWF/OOBMSM (RMID-ENERGY, RMID-PERF).
 *
 * In the function's first base address region, by bytes: two telemetry entries (access by region, size in dwords, GUID,
 * place), at 100H two feature entries (access local: the table is so far after the entry's end), their tables, and from
 * 1000H on the regions: of each RMID a word an event, with bit 63 where it is valid, then three words: data lost, when,
 * and the last update. Activity is accesses of processors, and what else there is moves with it: what a real part counts is
 * not known beyond "activity". Values are as of the read; the last update is the latest millisecond.
 */
#include "tests/silicon/uncore_parts/uncore_listed.h"
#include "core/base/search.h"

#include "tests/silicon/uncore/model_uncore_internal.h"

#define SLOTS        576u /* RMIDs of both layouts */
#define STATUS       3u
#define VALID        BIT(63)
#define FRACTION     18u /* binary places of energy and activity */
#define ACCESS_BAR   2u
#define ACCESS_LOCAL 3u
#define FEATURE_SIZE 6u /* dwords of a feature table */
#define HZ           UINT64_C(25000000)

static const struct group {
    uint32_t guid, events, feature; /* PER_RMID_ENERGY_TELEM, PER_RMID_PERF_TELEM */
    uint32_t table, region;         /* where */
} groups[] = { { 0x26696143, 2, 0xB, 0x200, 0x1000 }, { 0x26557651, 7, 0x3, 0x240, 0x4000 } };
#define GROUPS COUNT_OF(groups)

static uint32_t words_of(const struct group *g)
{
    return SLOTS * g->events + STATUS;
}

void telemetry_account(struct model *m, struct cpu *c)
{
    if (!m->activity)
        return;
    if (c->rmid < m->rmids)
        atomic_fetch_add_explicit(&m->activity[c->package * m->rmids + c->rmid], c->counts.accesses - c->accounted,
                                  memory_order_relaxed);
    c->accounted = c->counts.accesses;
}

static uint64_t activity(struct model *m, uint32_t package, uint32_t rmid)
{
    uint64_t sum;

    if (rmid >= m->rmids)
        return 0;
    sum = atomic_load_explicit(&m->activity[package * m->rmids + rmid], memory_order_relaxed);
    for (uint32_t i = 0; i < m->cpus; i++)
        if (m->cpu[i].package == package && m->cpu[i].rmid == rmid)
            sum += m->cpu[i].counts.accesses - m->cpu[i].accounted;
    return sum;
}

static uint64_t of_all(struct model *m, uint32_t package)
{
    return SUM_OF(uint64_t, rmid, m->rmids, activity(m, package, rmid));
}

static uint64_t of_rmid(struct model *m, uint32_t package, uint32_t rmid)
{
    const struct fault_set *f = &m->faults;

    if (fault_on(f, FAULT_TELEMETRY_DEAD) &&
        (f->value[FAULT_TELEMETRY_DEAD] == UINT64_MAX || f->value[FAULT_TELEMETRY_DEAD] == rmid))
        return 0;
    if (fault_on(f, FAULT_TELEMETRY_OTHER_RMID))
        rmid ^= 1;
    if (fault_on(f, FAULT_TELEMETRY_IDLE_COUNTS))
        return activity(m, package, rmid) + of_all(m, package) / 8;
    return activity(m, package, rmid);
}

static uint64_t region_word(const struct uncore_look *l, const struct group *g, uint32_t word)
{
    uint32_t rmid = word / g->events;
    uint64_t ms = l->tsc / (l->m->tsc_hz / 1000);

    if (rmid >= SLOTS)
        return word == words_of(g) - 1 ? ms * (HZ / 1000) : 0;
    return VALID | (of_rmid(l->m, l->box->package, rmid) << (g->events == 2 ? FRACTION : 0) & ~VALID);
}

/* Of both tables of entries and the features', by dwords. */
static uint32_t table_dword(const struct model *m, uint32_t at)
{
    const struct group *g = &groups[at / 16 % GROUPS];
    uint32_t entry = at & ~15u, n = at % 16 / 4;

    if (at < 16 * GROUPS)
        return n == 0 ? ACCESS_BAR | words_of(g) * 2 << 12 : n == 1 ? g->guid : n == 2 ? g->region : 0;
    if (at - 0x100 < 16 * GROUPS)
        return n == 0 ? ACCESS_LOCAL | FEATURE_SIZE << 12 : n == 1 ? g->feature : n == 2 ? g->table - entry - 16 : 0;
    for (uint32_t i = 0; i < GROUPS; i++) {
        const uint32_t table[FEATURE_SIZE] = { 1 << 8 | 4,
                                               1,
                                               fault_on(&m->faults, FAULT_TELEMETRY_FEW_RMIDS)
                                                   ? (uint32_t)m->faults.value[FAULT_TELEMETRY_FEW_RMIDS]
                                                   : SLOTS,
                                               0,
                                               0,
                                               groups[i].guid };

        if (at - groups[i].table < sizeof table)
            return table[(at - groups[i].table) / 4];
    }
    return 0;
}

uint64_t source_telemetry(const struct uncore_look *l, uint64_t)
{
    uint32_t at = l->number * 8;

    for (uint32_t i = 0; i < GROUPS; i++)
        if (at >= groups[i].region && (at - groups[i].region) / 8 < words_of(&groups[i]))
            return region_word(l, &groups[i], (at - groups[i].region) / 8);
    return table_dword(l->m, at) | (uint64_t)table_dword(l->m, at + 4) << 32;
}
