/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy over time: it grows with the bytes read until the L3 is full, and decays as other RMIDs read. Witness: the
 * bytes read since the caches were flushed.
 *
 * Growth is one long read, with occupancy read at each working set: all of them together cost no more than the
 * largest. */
#include "core/base/stats.h"
#include "core/checks/cmt/occupancies.h"
#include "core/experiment/fill.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"

/* --- CM-03, CM-08, CM-09: occupancy follows the working set up to the L3 size ------------------------------------- */

static const uint8_t percents[] = { 2, 4, 8, 13, 20, 30, 40, 50, 62, 75, 88, 100, 110, 120 };

#define SETS       (sizeof percents / sizeof percents[0])
#define LINE_FROM  12u /* percent, CM-03: from 1/8 ...                                         */
#define LINE_TO    75u /* ... to 6/8; up to here T_occ holds                                   */
#define SLOPE_LO   0.85
#define SLOPE_HI   1.15
#define SLOPE_NEAR 0.90 /* where nothing but the L3 holds a line for long: one slice of eight is 0.875  */
#define HELD_LEAST 0.70 /* CM-09: of the L3, and here of any set that fills most of it          */

struct growth {
    struct check *check;
    uint32_t domain;
    struct test_buffer buffer;
    uint64_t l3, l2;           /* bytes; l2: of the reading core, 0 where the L3 is inclusive */
    uint64_t sets[SETS], full; /* full: after the largest set, 0 where there is no memory for it */
    double runs[EXPERIMENT_RUNS][SETS], held[SETS];
    uint32_t n_runs;
};

/* What a working set should occupy. Where the L3 does not hold what an L2 holds, the lines read last are there instead:
 * L3 and L2 together have the set. */
static struct reading expected_of(const struct growth *g, uint32_t i)
{
    struct reading r = reading_occupancy(g->domain, g->buffer.rmids[0]);
    double count = g->check->machine->domains[g->domain].upscaling_factor, l3 = (double)g->l3;

    expect_occupancy(g->check, &r, (double)g->sets[i], 1);
    if (percents[i] > LINE_TO) {
        double set = (double)(g->sets[i] < g->l3 ? g->sets[i] : g->l3);

        r.lo = HELD_LEAST * set - (double)g->l2;
        r.tight_hi = 0;
    }
    r.hi = r.hi < (1 + OCC_OVER) * l3 + count ? r.hi : (1 + OCC_OVER) * l3 + count;
    return r;
}

static enum status growth_run(struct growth *g)
{
    uint64_t from = 0;

    for (uint32_t i = 0; i < SETS; i++) {
        const struct fill f = { .check = g->check,
                                .domain = g->domain,
                                .cpu = g->buffer.cpu,
                                .rmid = g->buffer.rmids[0],
                                .clos = TRAFFIC_KEEP,
                                .base = g->buffer.base + from,
                                .bytes = g->sets[i] - from };
        struct reading r = expected_of(g, i);

        TRY(fill_once(&f, i ? EXPERIMENT_WARM : 0, &r, NULL));
        g->runs[g->n_runs][i] = g->held[i] = r.bytes;
        from = g->sets[i];
    }
    g->n_runs++;
    return ST_OK;
}

static double expected_bytes(const struct growth *g, uint32_t i)
{
    uint64_t set = g->sets[i], in_l2 = set < g->l2 ? set : g->l2;

    return (double)(set - in_l2 < g->l3 ? set - in_l2 : g->l3);
}

static bool growth_expected(const struct growth *g)
{
    bool in = true;

    for (uint32_t i = 0; i < SETS; i++) {
        struct reading r = expected_of(g, i);

        in &= g->held[i] >= r.lo && g->held[i] <= r.hi;
    }
    return in;
}

/* One run within all bands is enough; else the median of five, without the first. */
static enum status growth_measure(struct growth *g)
{
    TRY(growth_run(g));
    while (!growth_expected(g) && g->n_runs < EXPERIMENT_RUNS)
        TRY(growth_run(g));
    for (uint32_t i = 0; i < SETS && g->n_runs == EXPERIMENT_RUNS; i++) {
        double kept[EXPERIMENT_RUNS];

        for (uint32_t k = 1; k < EXPERIMENT_RUNS; k++)
            kept[k - 1] = g->runs[k][i];
        g->held[i] = stats_median(kept, EXPERIMENT_RUNS - 1);
    }
    return ST_OK;
}

static void show_growth(const struct growth *g)
{
    struct place place = place_domain(g->domain);

    series_begin(g->check, "occupancy by working set", place, "bytes", "working set", "bytes");
    for (uint32_t i = 0; i < SETS; i++)
        series_add(g->check, (double)g->sets[i], g->held[i]);
    series_end(g->check);
    series_put_head(g->check,
                    &(struct series_head){ .name = g->l2 ? "occupancy expected, less what an L2 of the core holds"
                                                         : "occupancy expected",
                                           .place = place,
                                           .unit = "bytes",
                                           .x_name = "working set",
                                           .x_unit = "bytes",
                                           .expected = true });
    for (uint32_t i = 0; i < SETS; i++)
        series_add(g->check, (double)g->sets[i], expected_bytes(g, i));
    series_end(g->check);
}

/* Of the finer band where there is one. */
static double least_of(const struct reading *r)
{
    return r->tight_hi > 0 && r->tight_lo > r->lo ? r->tight_lo : r->lo;
}

/* Where an L2 keeps some of a set, how much of the set its bounds leave, and so what bands of other machines compare, is a
 * matter of its size: a share of what the L3 then has is not. In bytes the same set is in the curve. */
static bool measure_set(const struct growth *g, uint32_t i, struct place place, const struct reading *r)
{
    double lo = least_of(r), hi = r->tight_hi > 0 && r->tight_hi < r->hi ? r->tight_hi : r->hi;
    bool share = g->l2 && lo > 0;
    double whole = share ? expected_bytes(g, i) : 1;

    return check_measure(g->check, "occupancy of a working set", place, r->bytes / whole, share ? "ratio" : "bytes",
                         lo / whole, hi / whole);
}

/* Each set by itself, and against the largest one before it. */
static void judge_sets(const struct growth *g)
{
    struct check *c = g->check;
    double largest = 0;

    for (uint32_t i = 0; i < SETS; i++) {
        struct place place = place_with_detail(place_domain(g->domain), "working set %u %% of the L3", percents[i]);
        struct reading r = expected_of(g, i);
        double slack = largest * OCC_SHARE > OCC_BYTES ? largest * OCC_SHARE : OCC_BYTES;
        /* CM-09; and how far L2 and L3 share lines where the L3 is not inclusive is not documented. */
        bool soft = (percents[i] > LINE_TO || g->l2) && g->held[i] < r.lo;
        /* What a policy does with a set that leaves little room is not documented where the L3 is not inclusive. */
        bool soft_order = percents[i] > LINE_TO && g->l2, fine;

        r.bytes = g->held[i];
        fine = r.bytes >= r.lo && r.bytes <= r.hi;
        if (!measure_set(g, i, place, &r))
            finding(c,
                    !fine && !reading_may_be(&r, r.bytes) ? FINDING_FORBIDDEN
                    : fine || soft                        ? FINDING_UNUSUAL
                                                          : FINDING_EXPECTED,
                    0, fine ? reading_code_fine(&r, r.bytes < r.tight_lo) : reading_code(&r, r.lo), place,
                    "a working set of %lu bytes occupies %lu bytes", g->sets[i], (uint64_t)r.bytes);
        if (r.bytes < largest - slack)
            finding(c, soft_order ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_NOT_MONOTONIC, place,
                    "a working set of %lu bytes occupies %lu bytes, a smaller one %lu bytes", g->sets[i],
                    (uint64_t)r.bytes, (uint64_t)largest);
        largest = r.bytes > largest ? r.bytes : largest;
    }
}

/* The line through the sets of CM-03, those that two L2s could not hold. */
static enum status judge_line(const struct growth *g)
{
    struct check *c = g->check;
    struct line robust, least;
    double x[SETS], y[SETS];
    struct place place = place_domain(g->domain);
    uint32_t n = 0, thousandths;
    bool out, near;

    for (uint32_t i = 0; i < SETS; i++)
        if (percents[i] >= LINE_FROM && percents[i] <= LINE_TO && g->sets[i] > 2 * g->l2) {
            x[n] = (double)g->sets[i];
            y[n++] = g->held[i];
        }
    if (n < 3) {
        check_note(c, "L3 domain %u: no line is fitted: only %u working sets exceed twice the L2 of %lu bytes",
                   g->domain, n, g->l2);
        return ST_OK;
    }
    if (stats_robust_line(x, y, n, &robust) != ST_OK || stats_line(x, y, n, &least) != ST_OK)
        return check_unmeasured(c, ST_RANGE, g->buffer.cpu, "the line through the working sets");
    check_show(c, "correlation of occupancy with working set", place, least.correlation, "r");
    check_show(c, "occupancy at working set 0, extrapolated", place, robust.intercept, "bytes");
    thousandths = (uint32_t)(robust.slope < 0 ? 0 : robust.slope * 1000);
    out = !check_measure(c, "slope of occupancy over working set", place, robust.slope, "ratio", SLOPE_LO, SLOPE_HI);
    near = g->l2 == 0 && (robust.slope < SLOPE_NEAR || robust.slope > 2 - SLOPE_NEAR);
    if (out || near)
        finding(c, !out || (g->l2 && robust.slope < SLOPE_LO) ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_SLOPE_OFF,
                place, "slope %u.%03u bytes occupied per byte of working set (expected %s)", thousandths / 1000,
                thousandths % 1000, out ? "0.850 to 1.150" : "0.900 to 1.100: is one slice not counted?");
    return ST_OK;
}

/* --- CM-09: a full L3 --- */

#define FULL_LEAST (1 - 0.02) /* of the L3, under all RMIDs */

/* As much as the L3 has, of lines that no cache holds: one that an L2 took back would leave a gap. *ticks: what it
 * took. */
static enum status fill_all(const struct growth *g, uint64_t *ticks)
{
    const struct fill f = { .check = g->check,
                            .domain = g->domain,
                            .cpu = g->buffer.cpu,
                            .rmid = g->buffer.rmids[0],
                            .clos = TRAFFIC_KEEP,
                            .base = g->buffer.base + g->sets[SETS - 1],
                            .bytes = g->full };
    struct reading r = reading_occupancy(g->domain, f.rmid);

    return fill_once(&f, EXPERIMENT_WARM, &r, ticks);
}

static enum status sum_now(const struct growth *g, double *bytes)
{
    double count = g->check->machine->domains[g->domain].upscaling_factor;
    struct occupancies o;
    enum status st = occupancies_read(g->check, g->domain, &o);

    *bytes = st == ST_OK ? o.sum_bytes + (double)o.nonzero * count : 0; /* each is rounded down */
    return st;
}

/* *lost: by how much the sum falls while nothing is read for twice as long as the load took. Lines of devices have no
 * RMID: while the L3 was filled half as many came in. */
static enum status lost_to_others(const struct growth *g, uint64_t ticks, double *lost)
{
    struct traffic_part part = part_idle(g->buffer.rmids[0], 2 * ticks);
    struct traffic_load load = { .cpu = g->buffer.cpu, .n_parts = 1, .parts = &part };
    struct reading r = reading_occupancy(g->domain, g->buffer.rmids[0]);
    struct experiment e = { .check = g->check, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    double before, after;
    enum status st = sum_now(g, &before);

    e.flags = EXPERIMENT_ONCE | EXPERIMENT_WARM;
    if (st == ST_OK)
        st = experiment_measure(&e);
    if (st == ST_OK)
        st = sum_now(g, &after);
    if (st == ST_OK)
        *lost = before > after ? before - after : 0;
    return st;
}

/* A loss of so much of every set is below the band of the one with the narrowest. */
static void sets_exclude(const struct growth *g)
{
    double loss = 1;

    for (uint32_t i = 0; i < SETS; i++) {
        struct reading r = expected_of(g, i);
        double lo = least_of(&r);

        loss = lo > 0 && 1 - lo / g->held[i] < loss ? 1 - lo / g->held[i] : loss;
    }
    if (loss < 1)
        excludes(g->check, "a loss of occupancy", 100 * loss, "%");
}

/* After more than twice the L3 of modified lines, which cannot be dropped, all of it is full, whatever an L2 does with
 * its victims: the sum under all RMIDs is the L3. AMD's count is an estimate (APM vol. 2 19.3.2). */
static enum status judge_full(const struct growth *g)
{
    struct check *c = g->check;
    double l3 = (double)g->l3, sum = 0, lost = 0, least = FULL_LEAST * l3;
    uint64_t ticks = 0;

    if (!reference_is_intel(c) || g->full == 0) {
        sets_exclude(g);
        return ST_OK;
    }
    TRY(fill_all(g, &ticks));
    TRY(sum_now(g, &sum));
    if (sum < least)
        TRY(lost_to_others(g, ticks, &lost));
    least -= 2 * lost;
    excludes(c, "a loss of occupancy",
             100 * (l3 - least + 2 * (double)c->machine->domains[g->domain].upscaling_factor) / l3, "%");
    if (!check_measure(c, "occupancy of a full L3 under all RMIDs", place_domain(g->domain), sum, "bytes", least,
                       NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_LESS_THAN_CACHE, place_domain(g->domain),
                "twice the L3 was filled, and all RMIDs together hold %lu of its %lu bytes, expected %lu or more",
                (uint64_t)sum, g->l3, (uint64_t)least);
    return ST_OK;
}

static enum status cmt_linearity(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct growth g = {
        .check = c, .domain = domain, .l3 = d->l3_bytes, .l2 = d->l3_inclusive ? 0 : reference_l2_bytes(c)
    };

    for (uint32_t i = 0; i < SETS; i++)
        g.sets[i] = ROUND_DOWN(d->l3_bytes * percents[i] / 100);
    if (g.sets[0] == 0)
        return check_absent(c, "L3 domain %u: an L3 of %lu bytes is too small", domain, d->l3_bytes);
    g.full =
        memory_left_any(c, c->tools->qm[domain].cpu) < g.sets[SETS - 1] + 2 * d->l3_bytes ? 0 : ROUND_DOWN(d->l3_bytes);
    TRY(test_buffer_contiguous(c, domain, 1, g.sets[SETS - 1] + g.full, &g.buffer));
    TRY(growth_measure(&g));
    show_growth(&g);
    judge_sets(&g);
    TRY(judge_line(&g));
    return judge_full(&g);
}

/* --- an RMID that is reused --------------------------------------------------------------------------------------- */

#define STEPS       8u /* a quarter of the L3 each: twice the L3 at most                */
#define STEP_SHARE  4u
#define REUSE_LEAST 2u /* counts that any RMID may keep, however many RMIDs share the L3 */

struct recycling {
    struct test_buffer buffer; /* rmids[0] is released and reused, rmids[1] reads in between */
    struct fill fill;          /* of the whole buffer */
    uint64_t first, step, free_bytes;
    uint32_t steps;
    double left; /* occupancy of the released RMID, bytes */
};

/* How much an RMID may still hold when it is handed out again: Linux resctrl takes its share of the L3. */
static uint64_t free_below(const struct l3_domain *d)
{
    uint64_t share = d->l3_bytes / (d->max_rmid + 1) / d->upscaling_factor;

    return (share < REUSE_LEAST ? REUSE_LEAST : share) * d->upscaling_factor;
}

/* The other RMID reads one step; k->left becomes what the released one still holds. */
static enum status read_one_step(struct check *c, uint32_t domain, struct recycling *k)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    /* Lines that only an L2 held come to the L3 when they leave it. */
    double before = k->left, in_l2 = d->l3_inclusive ? 0 : (double)reference_l2_bytes(c);
    /* No document says how soon an occupancy shows what was filled: one that is late rises to that at most. */
    double held = before < (double)k->first ? (double)k->first : before;
    struct fill others = k->fill;
    struct reading r = reading_occupancy(domain, k->buffer.rmids[0]);

    others.rmid = k->buffer.rmids[1];
    others.base = k->buffer.base + k->first + k->steps * k->step;
    others.bytes = k->step;
    others.scratch_bytes = 0;
    TRY(fill_once(&others, EXPERIMENT_WARM, &r, NULL));
    k->left = r.bytes;
    if (k->left > held + d->upscaling_factor + OCC_SHARE * held + in_l2)
        finding(c, k->left - before > (double)k->step / 2 ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0,
                FOUND_CHANGED_AT_REST, place_rmid(domain, k->buffer.rmids[0]),
                "no processor has this RMID, and its occupancy grew from %lu to %lu bytes", (uint64_t)before,
                (uint64_t)k->left);
    return ST_OK;
}

/* Another RMID reads until the first one's lines are evicted. */
static enum status read_others(struct check *c, uint32_t domain, struct recycling *k)
{
    enum status st = ST_OK;

    series_begin(c, "occupancy of a released RMID", place_domain(domain), "bytes", "bytes read under another RMID",
                 "bytes");
    series_add(c, 0, k->left);
    for (k->steps = 0; k->steps < STEPS && k->left > (double)k->free_bytes && st == ST_OK; k->steps++) {
        st = read_one_step(c, domain, k);
        if (st == ST_OK)
            series_add(c, (double)((k->steps + 1) * k->step), k->left);
    }
    series_end(c);
    return st;
}

/* The RMID fills memory that is in no cache, while it may still hold `left` bytes of an earlier task. *held gets its
 * occupancy. */
static enum status fill_task(struct check *c, uint32_t domain, const struct recycling *k, uint64_t at, double left,
                             const char *name, double *held)
{
    struct fill f = k->fill;
    struct traffic_load load;
    struct reading r = reading_occupancy(domain, k->buffer.rmids[0]);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    enum status st;

    f.base = at;
    f.bytes = k->first;
    TRY(fill_chain(&f, 1, &load));
    r.name = name;
    e.flags = EXPERIMENT_ONCE | (at == k->buffer.base ? 0 : EXPERIMENT_WARM);
    expect_occupancy(c, &r, (double)k->first, 0);
    if (at != k->buffer.base && !c->machine->domains[domain].l3_inclusive)
        left += (double)reference_l2_bytes(c); /* of another RMID's lines, that leave the L2 under this one */
    r.hi += left;
    r.never_hi += left;
    r.tight_hi += r.tight_hi > 0 ? left : 0;
    st = fill_check(&e, &f, FILL_BY_CONTROL, "a buffer was filled under this RMID");
    *held = r.bytes;
    return st;
}

/* After twice the L3 of other lines: with random replacement a line stays with a chance of e^-2. A policy that protects
 * what is there from streams may keep more, but hardly all. */
static enum status judge_released(struct check *c, uint32_t domain, const struct recycling *k)
{
    uint64_t others = k->steps * k->step;
    struct place place = place_rmid(domain, k->buffer.rmids[0]);

    check_show(c, "bytes read under another RMID until reuse", place, (double)others, "bytes");
    check_show(c, "occupancy at reuse", place, k->left, "bytes");
    if (k->left <= (double)k->first * OCC_SHARE + OCC_BYTES)
        return ST_OK;
    if (k->left > (1 - FILL_GROWTH) * (double)k->first) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_KEPT_AFTER_EVICTION, place,
                "another RMID has since filled %lu bytes, and occupancy is still %lu bytes", others, (uint64_t)k->left);
        return ST_OK;
    }
    return check_absent(
        c, "L3 domain %u, RMID %u: another RMID has since filled %lu bytes, and the L3 still keeps %lu bytes", domain,
        k->buffer.rmids[0], others, (uint64_t)k->left);
}

static enum status cmt_recycled(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct recycling k = { .first = fill_least_bytes(c, domain), .step = ROUND_DOWN(d->l3_bytes / STEP_SHARE) };
    uint64_t second = k.first + STEPS * k.step;
    double held;

    k.free_bytes = free_below(d);
    if (k.free_bytes > k.first / STEP_SHARE) /* few RMIDs have large shares */
        k.free_bytes = k.first / STEP_SHARE;
    TRY(fill_take(c, domain, 2, second + k.first, &k.buffer, &k.fill));
    TRY(fill_task(c, domain, &k, k.buffer.base, 0, "occupancy of the first task", &k.left));
    TRY(read_others(c, domain, &k));
    TRY(judge_released(c, domain, &k));
    return fill_task(c, domain, &k, k.buffer.base + second, k.left, "occupancy of the next task", &held);
}

static const struct check_row rows[] = {
    { .id = "cmt.linearity",
      .title = "Occupancy follows the working set up to the L3 size",
      .spec = SDM_CMT,
      .covers = "CM-03 CM-08 CM-09",
      .means = "occupancy is not proportional to the working set, or saturates below the L3 size",
      .next = "the curve in report.html; `cmt.eviction`; capacity masks that firmware left (`reset.masks`)",
      .run_domain = cmt_linearity },
    { .id = "cmt.recycled",
      .title = "A released RMID loses its occupancy, then counts its next task alone",
      .spec = RDT_TAG "; Linux resctrl monitor.c (limbo)",
      .covers = "CM-05 CM-08",
      .means = "occupancy of a released RMID grows or does not decay: Linux resctrl would keep it in limbo",
      .next = "`cmt.eviction`; the curve in report.html; `cmt.alias`",
      .slow = true,
      .run_domain = cmt_recycled },
};
CHECK_FAMILY(cmt_growth, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_OCCUPANCY,
             .by_experience = true, .excludes = true, .order = 410);
