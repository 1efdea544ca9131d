/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What capacity masks do to the cache. Witness: occupancy, which was held against buffers of known size before.
 *
 * Every experiment starts with full masks, restricts some classes, and puts everything back. Masks stay outside the
 * shareable bits, where devices or graphics fill as well (10H.1:EBX).
 */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/checks/allocation/cdp.h"
#include "core/base/heap.h"
#include "core/base/stats.h"
#include "core/base/text.h"

#define SDM_CAT "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"
#define SDM_CDP "SDM vol. 3B 17.17.4.1 Mapping Between L3 CDP Masks and CAT Masks"

/* What the experiments of one L3 start from. A part may ask for two bits in a mask: there two ways are taken for one.
 */
struct ground {
    struct alloc_table t;
    uint32_t first, bits; /* the longest run of mask bits that are not shareable, in steps of */
    uint32_t least;       /* as many bits                                                     */
    uint64_t way_bytes, l2_bytes;
    uint32_t cpus[2], n_cpus, rmids[2];
};

static uint64_t window(const struct ground *g, uint32_t at, uint32_t bits)
{
    return low_bits(bits * g->least) << (g->first + at * g->least);
}

static uint64_t full(const struct ground *g)
{
    return low_bits(g->t.bits);
}

/* Whatever class is found in use keeps all of the cache; classes 1 and 2 are for the experiment. */
static bool stand_on(struct check *c, uint32_t domain, struct ground *g, char why[WHY_SIZE])
{
    *g = (struct ground){ .t = alloc_l3_masks(c) };
    g->bits = alloc_exclusive_run(&g->t, &g->first);
    g->l2_bytes = c->machine->domains[domain].l3_inclusive ? 0 : l2_bytes_of(c);
    g->n_cpus = domain_cpus(c, domain, g->cpus, 1) > 0;
    g->cpus[1] = g->n_cpus ? other_core(c, domain, g->cpus[0]) : 0;
    g->n_cpus += g->n_cpus && g->cpus[1] != g->cpus[0];
    if (g->t.classes < 3 || g->bits < 4)
        return text_format(why, WHY_SIZE,
                           "L3 domain %u: %u classes and %u mask bits that are not shareable are too few", domain,
                           g->t.classes, g->bits),
               false;
    if (domain_rmids(c, domain, g->rmids, 2) < 2 || g->n_cpus == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than two free RMIDs, or no processor", domain), false;
    g->least = alloc_least_bits(c, &g->t, g->cpus[0], g->first);
    g->bits /= g->least;
    g->way_bytes = c->machine->domains[domain].l3_bytes / g->t.bits * g->least;
    if (g->least > 1)
        note(c, "L3 domain %u: masks of fewer than %u bits are not taken, so that %u ways stand for one", domain,
             g->least, g->least);
    return true;
}

/* As much as tells a share of `bytes` from no limit: the tolerance of occupancy twice over, and what an L2 keeps. */
static uint64_t beyond_share(const struct ground *g, uint64_t bytes)
{
    return ROUND_DOWN(bytes + (uint64_t)(2 * OCC_BYTES) + g->l2_bytes);
}

static struct traffic_part in_class(struct traffic_part part, uint32_t clos)
{
    part.clos = clos;
    return part;
}

static struct reading occupancy(const char *name, uint32_t domain, uint32_t rmid)
{
    return reading_of(name, domain, rmid, QM_EVENT_L3_OCCUPANCY);
}

/* All masks full, then those of n classes as given, on every L3. */
static bool set_masks(struct check *c, const struct ground *g, uint32_t n, const uint64_t *masks)
{
    if (!alloc_touch_table(c, &g->t))
        return false;
    for (uint32_t class = 0; class < g->t.classes; class ++)
        if (!alloc_write(c, &g->t, class, class < n ? masks[class] : full(g)))
            return false;
    return true;
}

/* One load of up to two parts on the first processor, and its readings. */
static bool run_and_judge(struct check *c, const struct ground *g, struct traffic_part *parts, uint32_t n_parts,
                          struct reading *r, uint32_t n_readings, const char *defect)
{
    struct traffic_load load = { .cpu = g->cpus[0], .n_parts = n_parts, .parts = parts };
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = n_readings };

    if (!experiment_run(&e))
        return false;
    experiment_judge(&e, defect);
    return true;
}

/* --- CA-08, CA-09: a class fills its share */

#define SHARES   3u
#define SLOPE_LO 0.85 /* CA-09: within 15 % */
#define SLOPE_HI 1.15

/* One share: more than twice as much is read. */
static bool one_share(struct check *c, uint32_t domain, const struct ground *g, uint64_t base, uint64_t mask,
                      double *bytes)
{
    uint32_t ways = count_bits(mask);
    uint64_t share = ways / g->least * g->way_bytes, masks[2] = { full(g), mask };
    struct traffic_part part = in_class(part_read(g->rmids[0], base, beyond_share(g, 2 * share)), 1);
    struct reading r = occupancy("occupancy of a class with a part of the L3", domain, g->rmids[0]);
    char defect[96];

    text_format(defect, sizeof defect, "its class may fill %u of %u ways (mask 0x%llx)", ways, g->t.bits,
                (unsigned long long)mask);
    expect_occupancy(c, &r, (double)share, 1);
    if (!set_masks(c, g, 2, masks) || !run_and_judge(c, g, &part, 1, &r, 1, defect))
        return false;
    *bytes = r.bytes;
    return true;
}

#define WAYS_LEAST 0.75 /* of two ways: one that takes nothing leaves half */

/* Two ways after the other. A WARN: others may hold a way without its being enumerated as shareable. */
static void all_ways(struct check *c, uint32_t domain, const struct ground *g, uint64_t base)
{
    for (uint32_t at = 0; at + 2 <= g->bits; at += 2) {
        uint64_t share = 2 * g->way_bytes, masks[2] = { full(g), window(g, at, 2) };
        struct traffic_part part = in_class(part_read(g->rmids[0], base, beyond_share(g, 2 * share)), 1);
        struct reading r = occupancy("occupancy of a class with two ways", domain, g->rmids[0]);
        char where[48];

        r.lo = 0;
        if (!set_masks(c, g, 2, masks) || !run_and_judge(c, g, &part, 1, &r, 1, "its class has two ways"))
            return;
        text_format(where, sizeof where, "L3 domain %u, mask 0x%llx", domain, (unsigned long long)masks[1]);
        if (!measure(c, "occupancy of two ways over their size", where, r.bytes / (double)share, "ratio", WAYS_LEAST,
                     NO_BOUND))
            warn(c, "%s: two ways of %llu bytes together hold %llu: one takes nothing, or others hold it", where,
                 (unsigned long long)share, (unsigned long long)r.bytes);
    }
}

static bool shares(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct ground g;
    uint64_t base = 0;
    double x[SHARES], y[SHARES];
    struct line line;
    uint32_t n = 0, at = 0;
    char where[32];

    if (!stand_on(c, domain, &g, why))
        return false;
    if (!take_any(c, g.cpus[0], beyond_share(&g, 2 * SHARES * g.way_bytes), &base, why))
        return false;
    series_begin(c, "occupancy over mask bits", "bytes", "mask bits", "");
    for (; n < SHARES; n++) { /* 1, 2 and 3 bits, each at another place */
        uint32_t ways = n + 1;

        at = at + ways > g.bits ? 0 : at;
        x[n] = ways;
        if (!one_share(c, domain, &g, base, window(&g, at, ways), &y[n]))
            break;
        series_add(c, x[n], y[n]);
        at += ways;
    }
    series_end(c);
    if (n == SHARES)
        all_ways(c, domain, &g, base);
    alloc_put_back_table(c, &g.t);
    domain_name(domain, where);
    if (n < SHARES)
        return true;
    if (stats_robust_line(x, y, n, &line) != ST_OK)
        return cannot_measure(c, ST_RANGE, g.cpus[0], "the line through the shares"), true;
    if (!measure(c, "occupancy of one more mask bit over a way of the L3", where, line.slope / (double)g.way_bytes,
                 "ratio", SLOPE_LO, SLOPE_HI))
        fail(c, "%s: one more mask bit is worth %lld bytes, a way has %llu", where, (long long)line.slope,
             (unsigned long long)g.way_bytes);
    return true;
}

LEGACY_DOMAIN(shares)

/* --- CA-10, CA-11: classes apart and together */

/* A buffer in half of the victim's ways; another class reads as much as the whole L3. `common` ways are in both masks,
 * and the victim may lose what stands there. */
static bool isolation(struct check *c, uint32_t domain, bool overlapping, char why[WHY_SIZE])
{
    struct ground g;
    struct traffic_part parts[2];
    struct reading r;
    uint64_t base = 0, masks[3], victim, l3 = ROUND_DOWN(c->machine->domains[domain].l3_bytes);
    uint32_t half, common;
    double keep;

    if (overlapping && domain > 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: one L3 shows it", domain), false;
    if (!stand_on(c, domain, &g, why))
        return false;
    half = g.bits / 2;
    common = overlapping;
    victim = half * g.way_bytes / 2 < 12 * MIB ? ROUND_DOWN(half * g.way_bytes / 2) : 12 * MIB;
    if (!take_any(c, g.cpus[0], victim + l3, &base, why))
        return false;
    masks[0] = full(&g);
    masks[1] = window(&g, 0, half);
    masks[2] = window(&g, half - common, g.bits - half);
    parts[0] = in_class(part_fill(c, domain, g.rmids[0], base, victim), 1);
    parts[1] = in_class(part_read(g.rmids[1], base + victim, l3), 2);
    keep = (double)victim - (double)(common * g.way_bytes);
    r = occupancy(overlapping ? "occupancy of a class after another one read through common ways"
                              : "occupancy of a class after another one read the size of the L3",
                  domain, g.rmids[0]);
    expect_occupancy(c, &r, keep, 1);
    r.hi = (double)victim + OCC_BYTES;
    r.tight_lo = r.tight_hi = 0;
    if (set_masks(c, &g, 3, masks))
        run_and_judge(c, &g, parts, 2, &r, 1,
                      overlapping ? "its mask and the other class's have one way in common"
                                  : "its mask and the other class's have no way in common");
    alloc_put_back_table(c, &g.t);
    return true;
}

static bool apart(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    return isolation(c, domain, false, why);
}

static bool together(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    return isolation(c, domain, true, why);
}

LEGACY_DOMAIN(apart)

LEGACY_DOMAIN(together)

/* --- CA-12, CA-13: a class acts on fills */

#define MOVE_DIVISOR 100u /* 10 ms */

/* A buffer fills the cache; then its processor moves to a class of one way. Nothing leaves until it reads on. */
static bool moves(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct ground g;
    struct traffic_part parts[2];
    struct reading r[2];
    uint64_t base = 0, masks[3], bytes, more;

    if (!stand_on(c, domain, &g, why))
        return false;
    bytes = small_fill_bytes(c, domain);
    more = beyond_share(&g, g.way_bytes);
    if (!take_any(c, g.cpus[0], bytes + more, &base, why))
        return false;
    masks[0] = masks[1] = full(&g);
    masks[2] = window(&g, 0, 1);
    parts[0] = in_class(part_fill(c, domain, g.rmids[0], base, bytes), 1);
    parts[1] = in_class(part_idle(g.rmids[0], c->platform->tsc_hz / MOVE_DIVISOR), 2);
    r[0] = occupancy("occupancy after the processor moved to a class of one way", domain, g.rmids[0]);
    expect_occupancy(c, &r[0], (double)bytes, 1);
    if (set_masks(c, &g, 3, masks) &&
        run_and_judge(c, &g, parts, 2, r, 1, "nothing was read since the class changed")) {
        parts[1] = in_class(part_read(g.rmids[1], base + bytes, more), 2);
        r[0].name = "occupancy filled before the class changed";
        r[0].lo = r[0].lo > (double)g.way_bytes ? r[0].lo - (double)g.way_bytes : 0;
        r[0].tight_lo = r[0].tight_hi = 0;
        r[1] = occupancy("occupancy filled after the class changed", domain, g.rmids[1]);
        expect_occupancy(c, &r[1], (double)g.way_bytes, 1);
        run_and_judge(c, &g, parts, 2, r, 2, "the class changed between two fills");
    }
    alloc_put_back_table(c, &g.t);
    return true;
}

LEGACY_DOMAIN(moves)

/* --- CA-15: every class obeys its mask */

/* All classes have the same way, and each reads a buffer of its own: together they hold one way. */
static bool every_class(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct ground g;
    struct traffic_part parts[128];
    struct reading r;
    uint64_t base = 0, bytes = (uint64_t)(1.5 * OCC_BYTES); /* one class astray is more than the tolerance */

    if (!stand_on(c, domain, &g, why))
        return false;
    bytes = ROUND_DOWN(bytes > g.way_bytes / 3 ? bytes : g.way_bytes / 3);
    if (!take_any(c, g.cpus[0], (g.t.classes + 1) * bytes + g.way_bytes, &base, why) || !alloc_touch_table(c, &g.t))
        return false;
    for (uint32_t class = 1; class < g.t.classes; class ++) {
        parts[class - 1] = in_class(part_read(g.rmids[0], base + class * bytes, bytes), class);
        if (!alloc_write(c, &g.t, class, window(&g, 0, 1)))
            return alloc_put_back_table(c, &g.t), true;
    }
    /* The last one's lines leave the core's own caches as well. */
    parts[g.t.classes - 1] = in_class(part_read(g.rmids[0], base, bytes), 1);
    r = occupancy("occupancy of all classes but 0, each with the same way", domain, g.rmids[0]);
    expect_occupancy(c, &r, (double)g.way_bytes, 1);
    run_and_judge(c, &g, parts, g.t.classes, &r, 1, "some class does not obey its mask");
    /* Which one: each by itself. */
    for (uint32_t class = 1; class < g.t.classes && c->state->record.n_findings > 0; class ++) {
        r = occupancy("occupancy of one class with one way", domain, g.rmids[0]);
        expect_occupancy(c, &r, (double)g.way_bytes, 1);
        r.lo = 0;
        parts[0] = in_class(part_read(g.rmids[0], base, beyond_share(&g, g.way_bytes)), class);
        if (run_and_judge(c, &g, parts, 1, &r, 1, "its class has one way") && r.bytes > r.hi)
            note(c, "L3 domain %u: class %u does not obey its mask", domain, class);
    }
    alloc_put_back_table(c, &g.t);
    return true;
}

LEGACY_DOMAIN(every_class)

/* --- CA-15 on every processor */

#define AT_ONCE 8u

/* Processors in class 1 under one RMID; together they hold one way. */
static bool class_wave(struct check *c, uint32_t domain, const struct ground *g, const uint32_t *cpus, uint32_t n,
                       uint64_t base, uint64_t bytes, struct reading *r)
{
    struct traffic_part parts[AT_ONCE];
    struct traffic_load loads[AT_ONCE];
    struct experiment e = { .check = c, .loads = loads, .n_loads = n, .readings = r, .n_readings = 1 };
    char defect[96];

    for (uint32_t i = 0; i < n; i++) {
        parts[i] = in_class(part_read(g->rmids[0], base + i * bytes, bytes), 1);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
    }
    *r = occupancy("occupancy of processors in a class with one way", domain, g->rmids[0]);
    expect_occupancy(c, r, (double)g->way_bytes, 1);
    r->lo = 0;
    r->tight_lo = r->tight_hi = 0;
    if (!experiment_run(&e))
        return false;
    text_format(defect, sizeof defect, "%u processors from cpu %u on read under it, all in class 1 with one way", n,
                cpus[0]);
    experiment_judge(&e, defect);
    return true;
}

static bool classes_of_threads(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, n, findings;
    uint32_t *cpus = heap_alloc((n_cpus + 1) * sizeof(cpus[0]));
    struct ground g;
    struct reading r;
    uint64_t base = 0, bytes;
    bool done = cpus != NULL && stand_on(c, domain, &g, why);

    if (cpus == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors"), true;
    n = domain_cpus(c, domain, cpus, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    bytes = done ? beyond_share(&g, g.way_bytes) : 0;
    done = done && take_any(c, cpus[0], AT_ONCE * bytes, &base, why);
    if (done && set_masks(c, &g, 2, (uint64_t[]){ full(&g), window(&g, 0, 1) }))
        for (uint32_t i = 0; i < n; i += AT_ONCE) {
            uint32_t k = n - i < AT_ONCE ? n - i : AT_ONCE;

            findings = c->state->record.n_findings;
            if (!class_wave(c, domain, &g, cpus + i, k, base, bytes, &r) || c->state->record.n_findings == findings ||
                k == 1)
                continue;
            for (uint32_t one = i; one < i + k; one++) /* which one */
                class_wave(c, domain, &g, cpus + one, 1, base, bytes, &r);
        }
    if (done)
        alloc_put_back_table(c, &g.t);
    heap_free(cpus);
    return done;
}

LEGACY_DOMAIN(classes_of_threads)

/* --- CA-16: a class is one processor's */

static bool neighbour(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct ground g;
    struct traffic_part parts[2];
    struct traffic_load loads[2];
    struct reading r[2];
    struct experiment e = { .check = c, .loads = loads, .n_loads = 2, .readings = r, .n_readings = 2 };
    uint64_t base = 0, masks[2], bytes;

    if (!stand_on(c, domain, &g, why))
        return false;
    if (g.n_cpus < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u has processors of one core only", domain), false;
    bytes = beyond_share(&g, g.way_bytes);
    if (!take_any(c, g.cpus[0], 2 * bytes, &base, why))
        return false;
    masks[0] = full(&g);
    masks[1] = window(&g, 0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = in_class(part_fill(c, domain, g.rmids[i], base + i * bytes, bytes), i);
        loads[i] = (struct traffic_load){ .cpu = g.cpus[i], .n_parts = 1, .parts = &parts[i] };
    }
    r[0] = occupancy("occupancy of a processor in a class with the whole L3", domain, g.rmids[0]);
    expect_occupancy(c, &r[0], (double)bytes, 1);
    r[0].lo = r[0].lo > (double)g.way_bytes ? r[0].lo - (double)g.way_bytes / 2 : r[0].lo; /* the way they share */
    r[1] = occupancy("occupancy of another one in a class with one way", domain, g.rmids[1]);
    expect_occupancy(c, &r[1], (double)g.way_bytes, 1);
    r[1].lo = 0; /* the other class fills there as well */
    r[0].tight_lo = r[0].tight_hi = r[1].tight_lo = r[1].tight_hi = 0;
    if (set_masks(c, &g, 2, masks) && experiment_run(&e))
        experiment_judge(&e, "two processors in two classes filled at once");
    alloc_put_back_table(c, &g.t);
    return true;
}

LEGACY_DOMAIN(neighbour)

/* --- CD-02, CD-04: data obeys the data mask */

/* A data fill in class 1 with these masks 2 and 3: what it may hold. */
static bool data_fill(struct check *c, uint32_t domain, const struct ground *g, uint64_t base, const uint64_t *masks,
                      uint32_t n_masks, uint64_t expected, const char *name, const char *defect)
{
    struct traffic_part part = in_class(part_read(g->rmids[0], base, beyond_share(g, g->way_bytes)), 1);
    struct reading r = occupancy(name, domain, g->rmids[0]);

    expect_occupancy(c, &r, (double)(expected ? expected : part.work.bytes), 1);
    return set_masks(c, g, n_masks, masks) && run_and_judge(c, g, &part, 1, &r, 1, defect);
}

static bool data_and_code(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct ground g;
    uint64_t base = 0, all, one;

    if (!stand_on(c, domain, &g, why))
        return false;
    if (g.t.classes < 4)
        return text_format(why, WHY_SIZE, "%u classes leave fewer than two while code and data are apart", g.t.classes),
               false;
    if (!take_any(c, g.cpus[0], beyond_share(&g, g.way_bytes), &base, why))
        return false;
    all = full(&g);
    one = window(&g, 0, 1);
    if (cdp_switch(c, true) &&
        data_fill(c, domain, &g, base, (uint64_t[]){ all, all, one, all }, 4, g.way_bytes,
                  "occupancy of data whose mask has one way", "the data mask of class 1 is mask 2: one way") &&
        data_fill(c, domain, &g, base, (uint64_t[]){ all, all, all, one }, 4, 0,
                  "occupancy of data while the code mask has one way",
                  "the code mask of class 1 alone is restricted") &&
        cdp_switch(c, false) &&
        data_fill(c, domain, &g, base, (uint64_t[]){ all, all, one, one }, 4, 0,
                  "occupancy in class 1 after the switch is off again", "the mask of class 1 is mask 1 again: full"))
        data_fill(c, domain, &g, base, (uint64_t[]){ all, one, all, all }, 4, g.way_bytes,
                  "occupancy in class 1 with one way", "the mask of class 1 is mask 1 again: one way");
    cdp_put_back(c);
    return true;
}

LEGACY_DOMAIN(data_and_code)

#define MEANS_USUAL "masks are stored, refused or obeyed otherwise than documented"
#define NEXT_USUAL  "`cat.windows` and `cat.owners`, which need no traffic; then the class in the finding"

static const struct check_row rows[] = {
    { .id = "cat.shares",
      .title = "A class fills as much of the L3 as its mask says",
      .spec = SDM_CAT,
      .rows = "CA-08 CA-09",
      .detects = "masks without effect, a mask bit that is worth more or less than a way",
      .means = "a mask holds more or less of the cache than its ways",
      .next = "`cmt.fill` first: is occupancy right without a mask; then `cat.misses`, the tie-break",
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .slow = true,
      .run_domain = shares_status },
    { .id = "cat.isolation",
      .title = "Classes without a common way leave each other alone",
      .spec = SDM_CAT,
      .rows = "CA-10",
      .detects = "masks without effect",
      .means = "two classes with nothing in common disturb each other",
      .next = "`cat.windows` (are masks stored); `cat.misses`; shareable bits in CPUID",
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .run_domain = apart_status },
    { .id = "cat.overlap",
      .title = "Classes with common ways compete for those alone",
      .spec = SDM_CAT,
      .rows = "CA-11",
      .detects = "masks that are shifted",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .run_domain = together_status },
    { .id = "cat.moves",
      .title = "A new class evicts nothing and acts on the next fill",
      .spec = SDM_CAT "; Linux resctrl documentation",
      .rows = "CA-12 CA-13",
      .detects = "a change of class that flushes, or acts late",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .run_domain = moves_status },
    { .id = "cat.every-class",
      .title = "Every class obeys its own mask",
      .spec = SDM_CAT,
      .rows = "CA-15",
      .detects = "a mask register that is stored and not used",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .slow = true,
      .run_domain = every_class_status },
    { .id = "cat.every-thread",
      .title = "Every logical processor obeys the mask of its class",
      .spec = SDM_CAT,
      .rows = "CA-08 CA-15",
      .detects = "a processor that stays in another class than its IA32_PQR_ASSOC says",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .slow = true,
      .run_domain = classes_of_threads_status },
    { .id = "cat.neighbour",
      .title = "A processor's class is its own",
      .spec = SDM_CAT,
      .rows = "CA-16",
      .detects = "a class that acts on other processors",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .slow = true,
      .run_domain = neighbour_status },
    { .id = "cdp.data",
      .title = "Data obeys the data mask, and the switch takes masks back",
      .spec = SDM_CDP,
      .rows = "CD-02 CD-04",
      .detects = "data and code masks exchanged; a switch that stays on",
      .means = "code and data are not told apart, or the switch does not do what it says",
      .next = "`enum.cdp-register`; the state of every L3 in the evidence",
      .needs = NEED_RDT_A | NEED_CDP | NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY,
      .order = 500,
      .run_domain = data_and_code_status },
};
CHECK_FAMILY(cat_effect, rows);
