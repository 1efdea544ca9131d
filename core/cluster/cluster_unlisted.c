/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/cluster/cluster_unlisted.h"

#include "arch/x86/cpu/core_pmu.h"
#include "core/base/search.h"
#include "core/base/text.h"
#include "core/cluster/cluster_trial.h"
#include "core/domain/domains.h"
#include "core/load/loads.h"
#include "core/load/memory.h"

#define WINDOWS     12u /* parts of the RMIDs, whose borders have those of 2, 3, 4 and 6 clusters among them */
#define READ_COUNTS 32u
#define READ_TRIES  5u
#define LINE        64.0

struct windows {
    uint32_t domain, cpu;
    uint32_t rmid[WINDOWS]; /* 0: the part has none to try */
    uint64_t bytes;         /* that are read under each                     */
    double share[WINDOWS];  /* of them that are counted                     */
};

bool cluster_may_be_unlisted(const struct machine *m)
{
    return !m->srat_present && cluster_is_possible(m);
}

/* Of each part one that no processor was found with; where all were taken, one that little runs under while others idle. */
static void pick_rmids(const struct check *c, struct windows *w)
{
    uint32_t n = c->machine->domains[w->domain].max_rmid + 1;

    for (uint32_t i = 0; i < WINDOWS; i++) {
        uint32_t first = i * n / WINDOWS, end = (i + 1) * n / WINDOWS, rmid = first;

        while (rmid < end && domain_rmid_in_background(c, rmid))
            rmid++;
        w->rmid[i] = rmid < end ? rmid : end > first ? end - 1 : 0;
    }
}

static enum status read_windows(struct check *c, const struct windows *w, enum qm_event event,
                                struct qm_pair pairs[WINDOWS])
{
    struct qm_domain *q = domain_qm(c, w->domain);

    for (uint32_t i = 0; i < WINDOWS; i++)
        pairs[i] = (struct qm_pair){ .rmid = w->rmid[i], .event = event };
    TRY(q ? qm_read_many(c->platform, q, pairs, WINDOWS) : ST_LOST);
    evidence_swept(c, "RMIDs under which memory was read, one of each twelfth of them", WINDOWS);
    return ANY_OF(i, WINDOWS, pairs[i].status != ST_OK) ? ST_UNAVAILABLE : ST_OK;
}

/* Another piece of memory under each RMID, of a flushed L3. Occupancy serves where there is no bandwidth, on parts whose L3
 * is inclusive: there a read shows in it at once. */
static enum status measure(struct check *c, struct windows *w)
{
    const struct l3_domain *d = &c->machine->domains[w->domain];
    const enum qm_event event = reference_rdt(c)->total ? QM_EVENT_L3_TOTAL : QM_EVENT_L3_OCCUPANCY;
    struct qm_pair before[WINDOWS], after[WINDOWS];
    struct traffic_part parts[WINDOWS];
    struct traffic_load load = { .cpu = w->cpu, .n_parts = WINDOWS, .parts = parts };
    uint64_t base = 0;
    uint32_t bad = 0;

    w->bytes = event == QM_EVENT_L3_TOTAL ? ROUND_DOWN((uint64_t)READ_COUNTS * d->upscaling_factor)
                                          : ROUND_DOWN(d->l3_bytes / CLUSTERS_MOST / WINDOWS / 2);
    tools_reset(c->tools);
    TRY(memory_scatter_any(c, w->cpu, WINDOWS * w->bytes, &base));
    for (uint32_t i = 0; i < WINDOWS; i++)
        parts[i] = part_read(w->rmid[i], base + i * w->bytes, w->bytes);
    TRY(domain_clean(c, w->domain, &bad));
    TRY(read_windows(c, w, event, before));
    TRY(traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad));
    (void)domain_settle_wait(c, 0);
    TRY(read_windows(c, w, event, after));
    for (uint32_t i = 0; i < WINDOWS; i++)
        w->share[i] = qm_moved_bytes(&c->tools->qm[w->domain], before[i].sample.counts, after[i].sample.counts) /
                      (double)w->bytes;
    return ST_OK;
}

/* Windows from `from` on, and no others, count nearer to n times than to once, and some of both were tried. */
static bool counts_times(const struct windows *w, uint32_t from, uint32_t n)
{
    uint32_t n_inside = 0, n_outside = 0;

    for (uint32_t i = 0; i < WINDOWS; i++) {
        bool inside = i >= from && i < from + WINDOWS / n;

        if (!w->rmid[i])
            continue;
        if (inside ? 2 * w->share[i] < 1 + n || w->share[i] > 1.5 * n : w->share[i] > DEAD_SHARE)
            return false;
        ++*(inside ? &n_inside : &n_outside);
    }
    return n_inside && n_outside;
}

static void find_part(const struct windows *w, const struct l3_domain *d, struct cluster_l3 *l3)
{
    static const uint32_t clusters[] = { 2, 3, 4, 6 };
    const uint32_t n_rmids = d->max_rmid + 1;

    for (uint32_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        uint32_t n = clusters[i], from = 0;

        while (from < WINDOWS && !counts_times(w, from, n))
            from += WINDOWS / n;
        if (from == WINDOWS || n_rmids % n)
            continue;
        l3->rule = CLUSTER_UNKNOWN;
        l3->unlisted = n;
        text_format(l3->why, sizeof l3->why,
                    "L3 domain %u: RMIDs %u to %u alone count, each byte %u times, as in one of %u sub-NUMA clusters; "
                    "there is no SRAT to say which processors and memory are its",
                    w->domain, from * n_rmids / WINDOWS, (from + WINDOWS / n) * n_rmids / WINDOWS - 1, n, n);
    }
}

/* --- RMIDs that count in the whole L3 */

#define HALVES       2u   /* clusters of parts before MSR CA0H */
#define HALF_SPREAD  0.3  /* of the half that a fill occupies  */
#define MISSED_LEAST 0.25 /* of what is read again: at least (3/4 - 1/2) / (3/4) does not fit into half of the L3 */
#define PASSES       4u

/* Reads of a piece of memory that is `bytes` large, of an L3 that is empty before. */
static enum status fill(struct check *c, uint32_t domain, uint32_t rmid, uint64_t bytes, struct traffic_part *parts,
                        struct traffic_load *load)
{
    uint32_t bad = 0;

    tools_reset(c->tools);
    TRY(cluster_fill(c, domain, rmid, ROUND_DOWN(bytes), 1, parts, load));
    TRY(domain_clean(c, domain, &bad));
    for (uint32_t i = 0; i < PASSES; i++)
        TRY(traffic_run(c->platform, load, 1, c->machine->prefetch, NULL, &bad));
    return ST_OK;
}

/* *held: of the L3, by memory of one and a half times its size that was read several times. *missed: of memory of three
 * quarters of its size that is read again, by the core's own counter. */
static enum status measure_room(struct check *c, uint32_t domain, double *held, double *missed)
{
    const uint64_t l3 = c->machine->domains[domain].l3_bytes;
    struct qm_domain *q = domain_qm(c, domain);
    struct traffic_part parts[CLUSTER_PARTS];
    struct traffic_load load = { .cpu = 0 };
    uint64_t before = 0, after = 0;
    uint32_t rmid = 0, bad = 0;
    struct qm_sample s;
    struct core_pmu pmu;
    enum status st;

    if (q == NULL || domain_cpus(c, domain, &load.cpu, 1) == 0 || domain_rmids_any(c, domain, &rmid, 1) == 0)
        return ST_ABSENT;
    TRY(core_pmu_find(c->platform, load.cpu, &pmu));
    TRY(fill(c, domain, rmid, l3 / 2 * 3, parts, &load));
    (void)domain_settle_wait(c, 0);
    TRY(qm_read_wait(c->platform, q, rmid, QM_EVENT_L3_OCCUPANCY, READ_TRIES, &s, NULL));
    evidence_qm(c, q, rmid, QM_EVENT_L3_OCCUPANCY, &s);
    *held = (double)s.counts * q->upscaling_factor / (double)l3;
    TRY(fill(c, domain, rmid, l3 / 4 * 3, parts, &load));
    st = core_pmu_read(c->platform, &pmu, false, &before);
    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad);
    st = status_first(st, core_pmu_read(c->platform, &pmu, true, &after));
    *missed = (double)core_pmu_delta(&pmu, before, after) * LINE / (0.75 * (double)l3);
    return st;
}

static void find_half(struct check *c, uint32_t domain, struct cluster_l3 *l3)
{
    double held, missed;

    if (measure_room(c, domain, &held, &missed) != ST_OK || HALVES * held < 1 - HALF_SPREAD ||
        HALVES * held > 1 + HALF_SPREAD || missed < MISSED_LEAST)
        return;
    l3->rule = CLUSTER_UNKNOWN;
    l3->unlisted = HALVES;
    text_format(
        l3->why, sizeof l3->why,
        "L3 domain %u: one piece of memory fills %u %% of it, and of three quarters of its size %u %% miss when "
        "read again, as in one of %u sub-NUMA clusters; there is no SRAT to say which processors and memory "
        "are its",
        domain, (unsigned)(100 * held), (unsigned)(100 * missed), HALVES);
}

/* --- both */

void cluster_find_unlisted(struct check *c, uint32_t domain, struct cluster_l3 *l3)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct windows w = { .domain = domain };

    if (d->upscaling_factor == 0 || domain_cpus(c, domain, &w.cpu, 1) == 0)
        return;
    pick_rmids(c, &w);
    if (measure(c, &w) == ST_OK)
        find_part(&w, d, l3);
    if (!l3->unlisted)
        find_half(c, domain, l3);
}
