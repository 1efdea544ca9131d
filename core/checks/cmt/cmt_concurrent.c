/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy of several RMIDs that fill at the same time. Witness: how many bytes each processor filled. */
#include "core/experiment/fill.h"
#include "core/checks/cmt/occupancies.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"

/* --- CM-07, CM-12, CM-16: all processors at once, each under an RMID of its own ----------------------------------- */

#define PIECE_LEAST      (64 * UINT64_C(1024))
#define CONCURRENT_LEAST 4u
#define COUNTS_LEAST     4u  /* of a few lines */
#define ROUNDING         2u  /* counts */
#define OTHERS           16u /* RMIDs in addition to those of the processors, with a few lines each */
#define OTHERS_SHARE     8u  /* of the L3, for all of them */
#define OTHER_TRIES      2u

struct concurrent_fill {
    struct check *check;
    uint32_t domain, n;
    uint64_t piece;
    uint32_t *cpus, *rmids; /* [n], and after these RMIDs n_others that no processor fills under */
    uint32_t n_others;
    struct fill *fills;
    struct traffic_load *loads;
    struct reading *readings;
};

static enum status concurrent_alloc(struct concurrent_fill *k, uint32_t n)
{
    struct check *c = k->check;

    k->cpus = check_alloc(c, (n + 1) * sizeof k->cpus[0]);
    k->rmids = check_alloc(c, (n + OTHERS) * sizeof k->rmids[0]);
    k->fills = check_alloc(c, (n + 1) * sizeof k->fills[0]);
    k->loads = check_alloc(c, (n + 1) * sizeof k->loads[0]);
    k->readings = check_alloc(c, (n + 1) * sizeof k->readings[0]);
    if (!k->cpus || !k->rmids || !k->fills || !k->loads || !k->readings)
        return check_absent(c, "L3 domain %u: no memory for the loads of %u processors", k->domain, n);
    return ST_OK;
}

static enum status concurrent_fills(struct concurrent_fill *k)
{
    uint64_t scratch = 0;

    TRY(fill_scratch(k->check, k->domain, k->cpus[0], k->n, &scratch));
    for (uint32_t i = 0; i < k->n; i++) {
        k->fills[i] = (struct fill){ .check = k->check,
                                     .domain = k->domain,
                                     .cpu = k->cpus[i],
                                     .rmid = k->rmids[i],
                                     .clos = TRAFFIC_KEEP,
                                     .bytes = k->piece };
        TRY(memory_scatter_any(k->check, k->cpus[0], k->piece, &k->fills[i].base));
    }
    return fill_together(k->fills, k->n, scratch, k->loads);
}

/* Half the L3 for all. Where it is not inclusive only so many that each has twice an L2: what empties an L2 takes as
 * much of the L3 again. Where not even two have, as many as the L3 has room for; one of a cluster with one
 * processor. */
static enum status concurrent_plan(struct concurrent_fill *k)
{
    struct check *c = k->check;
    const struct l3_domain *d = &c->machine->domains[k->domain];
    uint64_t half = d->l3_bytes / 2, least = fill_scratch_bytes(c, k->domain);
    uint32_t max = d->n_cpus < d->max_rmid ? d->n_cpus : d->max_rmid, got;

    TRY(concurrent_alloc(k, d->n_cpus));
    least = least > PIECE_LEAST ? least : PIECE_LEAST;
    if (half / least < max)
        max = (uint32_t)(half / least);
    got = domain_cpus(c, k->domain, k->cpus, max < 2 ? CONCURRENT_LEAST : max);
    max = max < 2 ? fill_at_once(c, k->domain, half, k->cpus, got < CONCURRENT_LEAST ? got : CONCURRENT_LEAST) : max;
    max = got < max ? got : max;
    got = domain_rmids_apart(c, k->domain, true, k->rmids, max + OTHERS);
    k->n = got < max ? got : max;
    k->n_others = got - k->n;
    if (k->n == 0 || got < 2)
        return check_absent(c, "L3 domain %u: fewer than two free RMIDs, or no processor or share of the L3",
                            k->domain);
    k->piece = ROUND_DOWN(half / k->n);
    return concurrent_fills(k);
}

struct sums { /* bytes */
    double filled, others, background;
    uint32_t nonzero;
};

static enum status sums_read(const struct concurrent_fill *k, struct sums *s)
{
    double count = k->check->machine->domains[k->domain].upscaling_factor;
    struct occupancies o;
    enum status st = occupancies_read(k->check, k->domain, &o);

    *s = (struct sums){ .nonzero = o.nonzero };
    for (uint32_t i = 0; i < o.n && st == ST_OK; i++) {
        double bytes = (double)o.pairs[i].sample.counts * count;
        bool filled = ANY_OF(j, k->n, k->rmids[j] == i);

        if (o.pairs[i].status == ST_OK)
            *(filled ? &s->filled : domain_rmid_in_background(k->check, i) ? &s->background : &s->others) += bytes;
    }
    return st;
}

/* The filling RMIDs together, and no other RMID: CM-07, CM-12. */
static enum status judge_sums(const struct concurrent_fill *k, double share)
{
    struct check *c = k->check;
    const struct l3_domain *d = &c->machine->domains[k->domain];
    struct reading band = reading_occupancy(k->domain, 0);
    struct place place = place_domain(k->domain);
    struct sums s;
    double all;

    TRY(sums_read(k, &s));
    expect_occupancy(c, &band, (double)(k->n * k->piece), 0);
    fill_scale(c, &band, share);
    band.bytes = s.filled;
    if (!check_measure(c, "occupancy of the filling RMIDs together", place, s.filled, "bytes", band.lo, band.hi))
        finding(c, reading_may_be(&band, s.filled) ? FINDING_EXPECTED : FINDING_FORBIDDEN, 0,
                reading_code(&band, band.lo), place,
                "%u processors filled %lu bytes each, and their RMIDs together hold %lu bytes", k->n, k->piece,
                (uint64_t)s.filled);
    if (!check_measure(c, "occupancy of all other RMIDs together", place, s.others, "bytes", 0, OCC_BYTES))
        finding(c, s.others > s.filled / 2 ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, FOUND_OTHERS_GAINED, place,
                "RMIDs under which nothing was filled hold %lu bytes", (uint64_t)s.others);
    all = s.filled + s.others + s.background;
    if (!check_measure(c, "occupancy of all RMIDs together", place, all, "bytes", 0,
                       (1 + OCC_OVER) * (double)l3_whole_bytes(d) + (double)s.nonzero * d->upscaling_factor))
        finding(c, all > reading_occupancy_most(c, k->domain) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0,
                FOUND_MORE_THAN_CACHE, place, "all RMIDs together hold %lu bytes, the L3 has %lu bytes", (uint64_t)all,
                l3_whole_bytes(d));
    return ST_OK;
}

/* The occupancy of an RMID under which f->bytes were filled; a fill that shows almost nothing is made twice. */
static enum status fill_other(const struct fill *f, double *bytes)
{
    struct reading r;
    enum status st = ST_OK;

    *bytes = 0;
    for (uint32_t i = 0; i < OTHER_TRIES && st == ST_OK && *bytes < DEAD_SHARE * (double)f->bytes; i++) {
        r = reading_occupancy(f->domain, f->rmid);
        st = fill_once(f, EXPERIMENT_WARM, &r, NULL);
        *bytes = st == ST_OK ? r.bytes : 0;
    }
    return st;
}

/* So many bytes were filled under each of n RMIDs. */
static void judge_others(const struct concurrent_fill *k, uint32_t n, uint32_t shown, uint64_t bytes)
{
    struct place place = place_domain(k->domain);

    if (n > 0 && !check_measure(k->check, "RMIDs of a few lines that show them", place, shown, "", n, n))
        finding(k->check, FINDING_UNUSUAL, 0, FOUND_FEW_LINES_MISSING, place,
                "with the lines of %u processors in the L3, %lu bytes were filled under each of %u RMIDs, and %u show "
                "none of them",
                k->n, bytes, n, n - shown);
}

/* RMIDs that have lines need not be as few as processors: a few lines under each of some more, one RMID after the
 * other, as tasks leave them that have run before. *shown: how many show them. */
static enum status fill_others(const struct concurrent_fill *k, uint32_t *shown)
{
    struct check *c = k->check;
    const struct l3_domain *d = &c->machine->domains[k->domain];
    struct fill f = k->fills[0];
    uint64_t room = d->l3_bytes / OTHERS_SHARE;
    uint32_t n = 0;

    f.bytes = ROUND_DOWN(COUNTS_LEAST * d->upscaling_factor + 0xFFF);
    f.bytes = f.bytes > PIECE_LEAST ? f.bytes : PIECE_LEAST;
    f.scratch_bytes = fill_scratch_bytes(c, k->domain);
    *shown = 0;
    for (; n < k->n_others && (n + 1) * f.bytes <= room && memory_left_scattered(c, f.cpu) >= f.bytes; n++) {
        double bytes = 0;

        f.rmid = k->rmids[k->n + n];
        TRY(memory_scatter_any(c, f.cpu, f.bytes, &f.base));
        TRY(fill_other(&f, &bytes));
        *shown += bytes >= DEAD_SHARE * (double)f.bytes;
    }
    judge_others(k, n, *shown, f.bytes);
    return ST_OK;
}

/* The last processor flushes its buffer and refills it while the L3 holds the lines of all others and of more RMIDs:
 * from its first line on its RMID is one more than theirs. It should hold what it held when all filled at once. */
static enum status judge_last(const struct concurrent_fill *k, double slack)
{
    struct check *c = k->check;
    const struct fill *f = &k->fills[k->n - 1];
    double before = k->readings[k->n - 1].bytes;
    struct traffic_part flush = part_flush(0, f->base, f->bytes);
    struct traffic_load load = { .cpu = f->cpu, .n_parts = 1, .parts = &flush };
    struct reading r = reading_occupancy(k->domain, f->rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    uint32_t others = 0;

    e.flags = EXPERIMENT_ONCE | EXPERIMENT_WARM;
    TRY(experiment_measure(&e));
    TRY(fill_others(k, &others));
    load = k->loads[k->n - 1];
    for (uint32_t i = 0; i < FILL_ROUNDS && (i == 0 || r.bytes < before - slack); i++)
        TRY(experiment_measure(&e));
    if (!check_measure(c, "occupancy, refilled beside the lines of all others", place_rmid(k->domain, f->rmid), r.bytes,
                       "bytes", before - slack, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, reading_code(&r, before - slack), place_rmid(k->domain, f->rmid),
                "held %lu bytes when %u processors filled at once, and %lu bytes when refilled after %u other RMIDs",
                (uint64_t)before, k->n, (uint64_t)r.bytes, k->n - 1 + others);
    return ST_OK;
}

static enum status cmt_concurrent_fills(struct check *c, uint32_t domain)
{
    struct concurrent_fill k = { .check = c, .domain = domain };
    enum status st = concurrent_plan(&k);
    struct experiment e = { .check = c, .loads = k.loads, .n_loads = k.n, .readings = k.readings };
    double piece = (double)k.piece, slack;

    TRY(st);
    slack = OCC_SHARE * piece + ROUNDING * (double)c->machine->domains[domain].upscaling_factor;
    e.n_readings = k.n;
    for (uint32_t i = 0; i < k.n; i++) {
        k.readings[i] = reading_occupancy(domain, k.rmids[i]);
        expect_occupancy(c, &k.readings[i], piece, 0);
        /* T_occ's absolute tolerance may be more than a whole piece: beyond 15 % it is a WARN. */
        k.readings[i].tight_lo = piece - slack;
        k.readings[i].tight_hi = piece + slack;
    }
    TRY(fill_check(&e, &k.fills[0], FILL_BY_CONTROL, "all processors filled at once, each under an RMID of its own"));
    TRY(judge_sums(&k, e.readings[0].share));
    return judge_last(&k, slack);
}

/* --- CM-10: two RMIDs that each read more than the L3 ------------------------------------------------------------- */

#define ROUNDS      6u /* of a quarter of the L3 each: one and a half times the L3 by either        */
#define ROUND_SHARE 4u
#define SUM_OFF     0.15
#define LEAST_SHARE 0.20

static void judge_competition(struct check *c, uint32_t domain, const struct reading r[2])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    double l3 = (double)d->l3_bytes, least = r[0].bytes < r[1].bytes ? r[0].bytes : r[1].bytes;
    double both = r[0].bytes + r[1].bytes;
    struct place place = place_domain(domain);

    excludes_share(c, "occupancy under no RMID", both, (1 - SUM_OFF) * l3);
    excludes_share(c, "a loss of one to the other", least, LEAST_SHARE * l3);
    if (!check_measure(c, "occupancy of two competing RMIDs together", place, both, "bytes", (1 - SUM_OFF) * l3,
                       (1 + SUM_OFF) * l3))
        finding(c, FINDING_UNUSUAL, 0, both < l3 ? FOUND_LESS_THAN_CACHE : FOUND_MORE_THAN_CACHE, place,
                "two cores read more than the L3 size each, and their RMIDs hold %lu of its %lu bytes", (uint64_t)both,
                d->l3_bytes);
    if (!check_measure(c, "occupancy of the smaller of the two", place, least, "bytes", LEAST_SHARE * l3, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNEVEN, place,
                "two cores read equally many bytes in turn, and one RMID holds %lu bytes, the other %lu bytes",
                (uint64_t)r[0].bytes, (uint64_t)r[1].bytes);
}

/* Memory of each round by either, on its own: it need not be in one piece. bases: [ROUNDS][2]. */
static enum status competition_memory(struct check *c, uint32_t domain, uint64_t round, struct test_buffer *b,
                                      uint64_t bases[ROUNDS][2])
{
    enum status st = test_buffer_any(c, domain, 2, round, b);

    bases[0][0] = b->base;
    for (uint32_t i = 1; i < 2 * ROUNDS && st == ST_OK; i++)
        st = memory_scatter_any(c, b->cpu, round, &bases[i / 2][i % 2]);
    return st;
}

/* In rounds, so that neither is more than one ahead. */
static enum status cmt_competition(struct check *c, uint32_t domain)
{
    uint64_t round = ROUND_DOWN(c->machine->domains[domain].l3_bytes / ROUND_SHARE), bases[ROUNDS][2];
    struct test_buffer b;
    struct traffic_part parts[2];
    struct reading r[2];
    struct experiment e = { .check = c, .n_loads = 2, .readings = r, .n_readings = 2 };
    uint32_t other;

    TRY(competition_memory(c, domain, round, &b, bases));
    other = domain_other_core(c, domain, b.cpu);
    if (other == b.cpu)
        return check_absent(c, "L3 domain %u has processors of only one core", domain);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct traffic_load loads[2] = { { .cpu = b.cpu, .n_parts = 1, .parts = &parts[0] },
                                         { .cpu = other, .n_parts = 1, .parts = &parts[1] } };

        for (uint32_t k = 0; k < 2; k++) {
            parts[k] = part_read(b.rmids[k], bases[i][k], round);
            r[k] = reading_occupancy(domain, b.rmids[k]);
        }
        e.loads = loads;
        e.flags = EXPERIMENT_ONCE | (i ? EXPERIMENT_WARM : 0);
        TRY(experiment_measure(&e));
    }
    judge_competition(c, domain, r);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cmt.crowd",
      .title = "Concurrent fills by all processors count under each RMID",
      .covers = "CM-07 CM-12 CM-16",
      .detects = "lines under the wrong RMID when all processors fill at once; lines counted twice",
      .means = "concurrent fills are attributed to the wrong RMID, or lost",
      .next = "`cmt.every-thread`, which fills with few processors at a time; the RMIDs in the findings; `mbm.crowd`",
      .run_domain = cmt_concurrent_fills },
    { .id = "cmt.competition",
      .title = "Two RMIDs competing for an L3 occupy all of it",
      .covers = "CM-10",
      .means = "under contention part of the L3 is attributed to no RMID, or to one RMID almost alone",
      .next = "`cmt.eviction`, which has the same sum for one RMID; `cmt.crowd`; capacity masks (`reset.masks`)",
      .grade = GRADE_W,
      .run_domain = cmt_competition },
};
CHECK_FAMILY(cmt_concurrent, rows, .spec = SDM_CMT, .needs = NEED_OCCUPANCY | NEED_2_CPUS, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .order = 430, .slow = true);
