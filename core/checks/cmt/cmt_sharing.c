/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy in company: many that fill at once, two that compete, others that read the same lines, and what goes past
 * the cache or leaves it alone. Witness: who asked for which lines. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"

/* What else an occupancy may be off by: what a core keeps in an L2 of its own. */
static double outside_l3(const struct check *c, uint32_t domain)
{
    return c->machine->domains[domain].l3_inclusive ? 0 : (double)l2_bytes_of(c);
}

/* --- as many RMIDs as processors, all at once --------------------------------------------------------------------- */

#define PIECE_LEAST (64 * UINT64_C(1024))
#define ROUNDING    2u /* counts */

struct crowd {
    struct check *check;
    uint32_t domain, n;
    uint64_t base, piece;
    uint32_t *cpus, *rmids; /* [n] */
    struct traffic_part *parts;
    struct traffic_load *loads;
    struct reading *readings;
};

static void crowd_close(struct crowd *k)
{
    heap_free(k->cpus);
    heap_free(k->rmids);
    heap_free(k->parts);
    heap_free(k->loads);
    heap_free(k->readings);
}

/* Half the L3 for all. Where an L2 may keep lines to itself, only so many that each has twice an L2. */
static bool crowd_open(struct crowd *k, char why[WHY_SIZE])
{
    struct check *c = k->check;
    const struct l3_domain *d = &c->machine->domains[k->domain];
    uint64_t half = d->l3_bytes / 2, least = 2 * (uint64_t)outside_l3(c, k->domain);
    uint32_t max = d->n_cpus < d->max_rmid ? d->n_cpus : d->max_rmid, got;

    least = least > PIECE_LEAST ? least : PIECE_LEAST;
    if (half / least < max)
        max = (uint32_t)(half / least);
    k->cpus = heap_alloc((d->n_cpus + 1) * sizeof k->cpus[0]);
    k->rmids = heap_alloc((d->n_cpus + 1) * sizeof k->rmids[0]);
    k->parts = heap_alloc((d->n_cpus + 1) * sizeof k->parts[0]);
    k->loads = heap_alloc((d->n_cpus + 1) * sizeof k->loads[0]);
    k->readings = heap_alloc((d->n_cpus + 1) * sizeof k->readings[0]);
    if (!k->cpus || !k->rmids || !k->parts || !k->loads || !k->readings)
        return text_format(why, WHY_SIZE, "L3 domain %u: no memory for %u loads", k->domain, d->n_cpus), false;
    got = domain_cpus(c, k->domain, k->cpus, max);
    k->n = domain_rmids_any(c, k->domain, k->rmids, got < max ? got : max);
    if (k->n < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than two processors, free RMIDs or shares of the L3",
                           k->domain),
               false;
    k->piece = ROUND_DOWN(half / k->n);
    return take_any(c, k->cpus[0], k->n * k->piece, &k->base, why);
}

/* All of them together, and nobody else: CM-07, CM-12. */
static void judge_sums(const struct crowd *k)
{
    struct check *c = k->check;
    const struct l3_domain *d = &c->machine->domains[k->domain];
    struct reading band = occupancy_of(k->domain, 0);
    struct occupancies o;
    double own = 0, others = 0, background = 0;
    char where[32];

    if (!legacy_said(c, occupancies_read(c, k->domain, &o)))
        return;
    for (uint32_t i = 0; i < o.n; i++) {
        double bytes = (double)o.pairs[i].sample.counts * d->upscaling_factor;
        bool ours = false;

        for (uint32_t j = 0; j < k->n; j++)
            ours |= k->rmids[j] == i;
        if (o.pairs[i].status == ST_OK)
            *(ours ? &own : rmid_in_background(c, i) ? &background : &others) += bytes;
    }
    domain_name(k->domain, where);
    expect_occupancy(c, &band, (double)(k->n * k->piece), k->n);
    if (!measure(c, "occupancy of the RMIDs that filled, together", where, own, "bytes", band.lo, band.hi))
        fail(c, "%s: %u processors filled %llu bytes each, and their RMIDs hold %llu together", where, k->n,
             (unsigned long long)k->piece, (unsigned long long)own);
    if (!measure(c, "occupancy of all other RMIDs, together", where, others, "bytes", 0, OCC_BYTES))
        fail(c, "%s: RMIDs that nobody filled under hold %llu bytes", where, (unsigned long long)others);
    if (!measure(c, "occupancy of all RMIDs together", where, own + others + background, "bytes", 0,
                 (1 + OCC_OVER) * (double)d->l3_bytes + (double)o.nonzero * d->upscaling_factor))
        fail(c, "%s: all RMIDs together hold more than the %llu bytes of the L3", where,
             (unsigned long long)d->l3_bytes);
}

static void run_crowd(struct crowd *k)
{
    struct check *c = k->check;
    const struct l3_domain *d = &c->machine->domains[k->domain];
    struct experiment e = { .check = c, .loads = k->loads, .n_loads = k->n, .readings = k->readings };
    double piece = (double)k->piece, slack = OCC_SHARE * piece + ROUNDING * (double)d->upscaling_factor;

    e.n_readings = k->n;
    for (uint32_t i = 0; i < k->n; i++) {
        k->parts[i] = part_fill(c, k->domain, k->rmids[i], k->base + i * k->piece, k->piece);
        k->loads[i] = (struct traffic_load){ .cpu = k->cpus[i], .n_parts = 1, .parts = &k->parts[i] };
        k->readings[i] = occupancy_of(k->domain, k->rmids[i]);
        expect_occupancy(c, &k->readings[i], piece, 1);
        /* T_occ's absolute tolerance may be more than a whole piece: beyond 15 % it is a WARN. */
        k->readings[i].tight_lo = piece - slack - outside_l3(c, k->domain);
        k->readings[i].tight_hi = piece + slack;
    }
    if (!experiment_run(&e))
        return;
    experiment_judge(&e, "all processors filled at once, each under an RMID of its own");
    judge_sums(k);
}

static bool crowd(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct crowd k = { .check = c, .domain = domain };
    bool ready = crowd_open(&k, why);

    if (ready)
        run_crowd(&k);
    crowd_close(&k);
    return ready;
}

LEGACY_DOMAIN(crowd)

/* --- CM-10: two that want all of it ------------------------------------------------------------------------------- */

#define ROUNDS      6u /* of a quarter of the L3 each: one and a half times the L3 by either        */
#define ROUND_SHARE 4u
#define SUM_OFF     0.15
#define LEAST_SHARE 0.20

/* In rounds, so that neither gets ahead by more than one. */
static bool competition(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t round = ROUND_DOWN(d->l3_bytes / ROUND_SHARE);
    struct test_buffer b;
    struct traffic_part parts[2];
    struct reading r[2];
    struct experiment e = { .check = c, .n_loads = 2, .readings = r, .n_readings = 2 };
    uint32_t other;
    double l3 = (double)d->l3_bytes, least;
    char where[32];

    if (!bench_any(c, domain, 2, 2 * ROUNDS * round, &b, why))
        return false;
    other = other_core(c, domain, b.cpu);
    if (other == b.cpu)
        return text_format(why, WHY_SIZE, "L3 domain %u has processors of one core only", domain), false;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct traffic_load loads[2] = { { .cpu = b.cpu, .n_parts = 1, .parts = &parts[0] },
                                         { .cpu = other, .n_parts = 1, .parts = &parts[1] } };

        for (uint32_t k = 0; k < 2; k++) {
            parts[k] = part_read(b.rmids[k], b.base + (2 * i + k) * round, round);
            r[k] = occupancy_of(domain, b.rmids[k]);
        }
        e.loads = loads;
        e.flags = EXPERIMENT_ONCE | (i ? EXPERIMENT_WARM : 0);
        if (!experiment_run(&e))
            return true;
    }
    domain_name(domain, where);
    if (!measure(c, "occupancy of two RMIDs that compete, together", where, r[0].bytes + r[1].bytes, "bytes",
                 (1 - SUM_OFF) * l3, (1 + SUM_OFF) * l3))
        warn(c, "%s: two cores read more than the L3 each, and their RMIDs hold %llu of its %llu bytes", where,
             (unsigned long long)(r[0].bytes + r[1].bytes), (unsigned long long)d->l3_bytes);
    least = r[0].bytes < r[1].bytes ? r[0].bytes : r[1].bytes;
    if (!measure(c, "the smaller of the two", where, least, "bytes", LEAST_SHARE * l3, NO_BOUND))
        warn(c, "%s: two cores read as much in turn, and one RMID holds %llu bytes, the other %llu", where,
             (unsigned long long)r[0].bytes, (unsigned long long)r[1].bytes);
    return true;
}

LEGACY_DOMAIN(competition)

/* --- CM-11: a hit changes no owner -------------------------------------------------------------------------------- */

/* One core fills, another one reads the same lines under another RMID. Where the L3 is not inclusive a line may move to
 * the reader's L2 and come back with the reader's tag, and the documents do not say: then it is recorded alone. */
static bool readers(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    bool inclusive = c->machine->domains[domain].l3_inclusive;
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };

    if (!bench_any(c, domain, 2, 2 * small_fill_bytes(c, domain), &b, why))
        return false;
    if (!bench_fill(c, domain, &b, &r[0]))
        return true;
    load.cpu = other_core(c, domain, b.cpu);
    part = part_read(b.rmids[1], b.base, b.bytes);
    if (inclusive)
        expect_occupancy(c, &r[0], r[0].bytes, 0);
    else
        r[0] = occupancy_of(domain, b.rmids[0]);
    r[0].name = "occupancy of whoever filled, after another one read it";
    r[1] = occupancy_of(domain, b.rmids[1]);
    r[1].name = "occupancy of the reader";
    if (inclusive)
        expect_no_occupancy(c, &r[1]);
    e.n_readings = 2;
    e.flags = EXPERIMENT_WARM | EXPERIMENT_ONCE;
    if (experiment_run(&e))
        experiment_judge(&e, "a hit moves no line to another RMID");
    return true;
}

LEGACY_DOMAIN(readers)

/* --- CM-14: what is not kept is not counted ----------------------------------------------------------------------- */

static bool past_caches(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    if (!bench_any(c, domain, 1, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_read(b.rmids[0], b.base, b.bytes);
    part.work.kind = WORK_NT_WRITE;
    r = occupancy_of(domain, b.rmids[0]);
    expect_no_occupancy(c, &r);
    if (experiment_run(&e))
        experiment_judge(&e, "non-temporal stores went past the caches");
    return true;
}

LEGACY_DOMAIN(past_caches)

/* --- CM-15: the caches of one package are not those of another */

static uint32_t domain_elsewhere(const struct check *c, uint32_t domain)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        if (c->machine->domains[i].package != c->machine->domains[domain].package)
            return i;
    return domain;
}

/* The same RMID fills the L3s of two packages, and one of them is written back and invalidated. */
static bool flushed_alone(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t other = domain_elsewhere(c, domain), bad_cpu = 0;
    struct test_buffer b[2];
    struct traffic_part parts[2];
    struct traffic_load loads[2];
    struct reading r[2];
    struct experiment e = { .check = c, .loads = loads, .n_loads = 2, .readings = r, .n_readings = 2 };
    enum status st;

    if (domain != 0 || other == domain)
        return text_format(why, WHY_SIZE, "L3 domain %u: tried with the first L3 and one of another package", domain),
               false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t where = i ? other : domain;

        if (!bench_any(c, where, 1, 2 * small_fill_bytes(c, where), &b[i], why))
            return false;
        parts[i] = part_fill(c, where, b[i].rmids[0], b[i].base, b[i].bytes);
        loads[i] = (struct traffic_load){ .cpu = b[i].cpu, .n_parts = 1, .parts = &parts[i] };
        r[i] = occupancy_of(where, b[i].rmids[0]);
        expect_occupancy(c, &r[i], (double)b[i].bytes, 1);
    }
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "a buffer was filled under this RMID");
    st = domain_clean(c, domain, &bad_cpu);
    if (st != ST_OK)
        return cannot_measure(c, st, bad_cpu, "WBINVD"), true;
    r[0].name = "occupancy after WBINVD";
    expect_no_occupancy(c, &r[0]);
    r[1].name = "occupancy after another package's WBINVD";
    expect_occupancy(c, &r[1], r[1].bytes, 0);
    e.n_loads = 0;
    e.flags = EXPERIMENT_WARM | EXPERIMENT_ONCE;
    if (experiment_run(&e))
        experiment_judge(&e, "one package wrote its caches back and invalidated them");
    return true;
}

LEGACY_DOMAIN(flushed_alone)

/* --- CM-19: what nobody touches stays ----------------------------------------------------------------------------- */

#define QUIET_NS UINT64_C(500000000) /* many times what a deep idle state waits for */

static bool drift(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct reading r;
    struct experiment e = { .check = c, .readings = &r, .n_readings = 1 };
    double before;

    if (!bench_any(c, domain, 1, 2 * small_fill_bytes(c, domain), &b, why))
        return false;
    if (!bench_fill(c, domain, &b, &r))
        return true;
    before = r.bytes;
    c->platform->ops->stall(c->platform->machine, QUIET_NS);
    r = occupancy_of(domain, b.rmids[0]);
    r.name = "occupancy after half a second without work";
    r.lo = before - OCC_BYTES;
    r.hi = before + OCC_BYTES + outside_l3(c, domain);
    e.flags = EXPERIMENT_WARM | EXPERIMENT_ONCE;
    if (experiment_run(&e))
        experiment_judge(&e, "nobody read or wrote meanwhile");
    return true;
}

LEGACY_DOMAIN(drift)

/* --- CM-20, MB-16: with prefetchers and without ------------------------------------------------------------------- */

static bool prefetch(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    bool bandwidth = reference_rdt(c)->total;
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = bandwidth ? 2 : 1 };

    if (!bench_any(c, domain, 1, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    for (uint32_t on = 0; on < 2; on++) {
        r[0] = occupancy_of(domain, b.rmids[0]);
        r[0].name = on ? "occupancy, prefetchers as found" : "occupancy, prefetchers off";
        expect_occupancy(c, &r[0], (double)b.bytes, 1);
        r[1] = total_of(domain, b.rmids[0]);
        r[1].name = on ? "total bytes, prefetchers as found" : "total bytes, prefetchers off";
        expect_bandwidth(c, &r[1], (double)b.bytes);
        e.flags = on ? EXPERIMENT_PREFETCH : 0;
        if (!experiment_run(&e))
            return true;
        if (!on && e.outcome.prefetch_found == 0)
            return text_format(why, WHY_SIZE, "L3 domain %u: no prefetchers that could be turned off", domain), false;
        experiment_judge(&e, "the same loop with prefetchers and without");
    }
    return true;
}

LEGACY_DOMAIN(prefetch)

#define MEANS_USUAL "lines are under the wrong RMID, or lost"
#define NEXT_USUAL  "`cmt.fill` and `cmt.alias` first; the processor and RMID in the finding; whether another L3 does it"

static const struct check_row rows[] = {
    { .id = "cmt.crowd",
      .title = "All processors of an L3 fill at once, and each one's RMID holds its share",
      .spec = SDM_CMT,
      .rows = "CM-07 CM-12 CM-16",
      .detects = "lines under another one's RMID when many fill at the same time; lines counted twice",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .slow = true,
      .run_domain = crowd_status },
    { .id = "cmt.competition",
      .title = "Two that compete for an L3 share all of it",
      .spec = SDM_CMT,
      .rows = "CM-10",
      .detects = "one tag that keeps the lines of another; capacity that no RMID shows",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .slow = true,
      .run_domain = competition_status },
    { .id = "cmt.readers",
      .title = "Whoever reads another one's lines does not get them",
      .spec = RDT_TAG,
      .rows = "CM-11",
      .detects = "a hit that moves the line to the reader's RMID",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .run_domain = readers_status },
    { .id = "cmt.past-caches",
      .title = "Non-temporal stores occupy nothing",
      .spec = SDM_CMT,
      .rows = "CM-14",
      .detects = "misses counted in place of residency",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .slow = true,
      .run_domain = past_caches_status },
    { .id = "cmt.flushed-alone",
      .title = "Flushing one package's caches leaves another package's occupancy",
      .spec = "RDT Architecture Specification 356688 7.1 Monitoring: RMIDs are local to an L3",
      .rows = "CM-15",
      .detects = "occupancy of one L3 shown for another",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY | NEED_2_DOMAINS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .run_domain = flushed_alone_status },
    { .id = "cmt.drift",
      .title = "What nobody touches stays where it is",
      .spec = "SDM vol. 3B 17.16.8.2 Monitoring Operation With Power Saving Features",
      .rows = "CM-19",
      .detects = "a background agent that evicts, an L3 that shrinks while idle",
      .means = "something evicts while nobody works",
      .next = "SMIs and frequency in assay.disturbance; package C-states; devices that write to the L3",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .slow = true,
      .run_domain = drift_status },
    { .id = "cmt.prefetch",
      .title = "Prefetched lines are under the RMID that they were prefetched for",
      .spec = SDM_CMT "; Linux selftests/resctrl fill_buf.c",
      .rows = "CM-20 MB-16",
      .detects = "prefetches without a tag",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 430,
      .slow = true,
      .run_domain = prefetch_status },
};
CHECK_FAMILY(cmt_sharing, rows);
