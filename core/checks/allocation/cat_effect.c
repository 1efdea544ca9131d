/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What capacity bit masks (CBM) do to the L3. Witness: occupancy, which cmt.* hold against buffers of known size
 * before. Two classes against each other: cat_contest.c. The same on every processor: cat_threads.c. Code and data
 * apart: cdp_effect.c. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/base/text.h"
#include "core/experiment/cat_context.h"

#define SDM_CAT "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"

/* --- CA-08, CA-09: a class fills the ways of its mask */

#define SHARES   3u
#define SLOPE_LO 0.85 /* CA-09: within 15 % */
#define SLOPE_HI 1.15

/* More than twice the share is read in class 1, which the processor has, with this mask; *bytes: what is occupied
 * then. */
static enum status one_share(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base,
                             uint64_t mask, double *bytes)
{
    uint32_t ways = count_bits(mask);
    uint64_t share = ways / k->least * k->step_bytes, masks[2] = { cat_full_mask(k), mask };
    struct fill f = cat_fill(c, domain, k, 1, base, cat_beyond_share(k, 2 * share));
    struct reading r = cat_occupancy("occupancy of a CLOS with 1 to 3 steps of its CBM", domain, k->rmids[0]);
    char defect[96];
    enum status st = cat_set_masks(c, k, 2, masks);

    f.associated = true;
    text_format(defect, sizeof defect, "CLOS 1 may fill %u of %u ways (CBM 0x%lx)", ways, k->t.bits, mask);
    cat_expect_share(c, k, &r, ways, 0);
    if (st == ST_OK)
        st = cat_measure(c, &f, 1, &r, 0, defect);
    *bytes = r.bytes;
    return st;
}

/* Occupancy with masks of 1, 2 and 3 steps, each elsewhere in the L3: *line gets bytes over steps. */
static enum status shares_line(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base,
                               struct line *line)
{
    double x[SHARES], y[SHARES];
    uint32_t at = 0;
    enum status st = ST_OK;

    series_begin(c, "occupancy over mask bits", place_domain(domain), "bytes", "mask bits", "");
    for (uint32_t n = 0; n < SHARES && st == ST_OK; n++) {
        at = at + n + 1 > k->steps ? 0 : at;
        x[n] = n + 1;
        st = one_share(c, domain, k, base, cat_window(k, at, n + 1), &y[n]);
        if (st == ST_OK)
            series_add(c, x[n], y[n]);
        at += n + 1;
    }
    series_end(c);
    TRY(st);
    st = stats_robust_line(x, y, SHARES, line);
    return st == ST_OK ? ST_OK : check_unmeasured(c, ST_RANGE, k->cpus[0], "the line through the occupancies");
}

#define WAYS_LEAST 0.75 /* of two ways: one that is not filled leaves half */

/* Of two steps: what of them is filled, and on Intel no more than half a way outside of them. A WARN: a way may be held
 * by others and not be enumerated as shareable. */
static void judge_ways(struct check *c, const struct cat_context *k, const struct reading *r, uint64_t mask)
{
    double share = (double)(2 * k->step_bytes);
    double most = reference_is_intel(c) ? cat_most_of(c, k, r->domain, 2 * k->least) / share : NO_BOUND,
           got = r->bytes / share;
    struct place place = place_with_detail(place_domain(r->domain), "CBM 0x%lx", mask);

    if (!check_measure(c, "occupancy over size of the ways", place, got, "ratio", WAYS_LEAST, most))
        finding(c, FINDING_UNUSUAL, 0, got > most ? FOUND_FILLS_OUTSIDE_MASK : FOUND_WAYS_UNFILLED, place,
                "ways of %lu bytes hold %lu bytes: %s", (uint64_t)share, (uint64_t)r->bytes,
                got > most ? "ways outside of the CBM are filled" : "some are not filled, or others hold them");
}

/* CLOS 1 has a mask of two steps. */
static enum status two_steps(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base,
                             uint64_t mask)
{
    uint64_t share = 2 * k->step_bytes, masks[2] = { cat_full_mask(k), mask };
    struct fill f = cat_fill(c, domain, k, 1, base, cat_beyond_share(k, 2 * share));
    struct reading r = cat_occupancy("occupancy of a CLOS with two steps of its CBM", domain, k->rmids[0]);

    TRY(cat_set_masks(c, k, 2, masks));
    r.lo = 0;
    TRY(cat_measure(c, &f, 1, &r, 0, "its CLOS has two steps"));
    judge_ways(c, k, &r, mask);
    return ST_OK;
}

/* Every two steps of the L3, one pair after the other; where masks may have a hole, two steps with one between them. */
static enum status all_ways(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base)
{
    for (uint32_t at = 0; at + 2 <= k->steps; at += 2)
        TRY(two_steps(c, domain, k, base, cat_window(k, at, 2)));
    if (k->steps < 3 || (reference_is_intel(c) && !reference_rdt(c)->l3.noncontiguous))
        return ST_OK;
    return two_steps(c, domain, k, base, cat_window(k, 0, 1) | cat_window(k, 2, 1));
}

/* The processor is in its class before each mask is written, as resctrl's tasks are: elsewhere masks come first. */
static enum status shares_associated(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base,
                                     struct line *line)
{
    uint64_t found = 0;
    enum status st = traffic_associate(c->platform, k->cpus[0], k->rmids[0], 1, &found), back;

    if (st != ST_OK)
        return check_unmeasured(c, st, k->cpus[0], "IA32_PQR_ASSOC");
    st = shares_line(c, domain, k, base, line);
    back = msr_write(c->platform, k->cpus[0], IA32_PQR_ASSOC, found);
    return st == ST_OK && back != ST_OK ? check_unmeasured(c, back, k->cpus[0], "IA32_PQR_ASSOC") : st;
}

/* What CLOS 1 fills while the CBM of another CLOS has one step and all others are full; of CLOS 1 itself: all are. */
static enum status fill_beside(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base,
                               uint32_t clos, struct reading *r)
{
    struct fill f = cat_fill(c, domain, k, 1, base, cat_beyond_share(k, 2 * k->step_bytes));

    *r = cat_occupancy("occupancy of CLOS 1 while another CLOS has one step", domain, k->rmids[0]);
    cat_expect_share(c, k, r, k->least, 0);
    TRY(cat_set_masks(c, k, 0, NULL));
    if (clos != 1)
        TRY(alloc_write(c, &k->t, clos, cat_window(k, 0, 1)));
    return fill_once(&f, 0, r, NULL);
}

/* The other thread of the core is in CLOS 2, whose CBM alone has one step. */
static enum status name_sibling(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base)
{
    uint32_t cpu = domain_sibling(c, k->cpus[0]);
    struct reading r;
    uint64_t found = 0;
    enum status st, back;

    if (cpu == UINT32_MAX)
        return ST_OK;
    st = traffic_associate(c->platform, cpu, k->rmids[1], 2, &found);
    if (st != ST_OK)
        return check_unmeasured(c, st, cpu, "IA32_PQR_ASSOC");
    st = fill_beside(c, domain, k, base, 2, &r);
    back = msr_write(c->platform, cpu, IA32_PQR_ASSOC, found);
    if (st == ST_OK && r.bytes <= r.hi)
        finding(c, FINDING_EXPECTED, 0, FOUND_OTHER_MASK_ACTS, place_domain(domain),
                "CLOS 1 fills the ways of the CBM of CLOS 2, which its core's other thread, cpu %u, has: %lu bytes "
                "while that has %u of %u ways",
                cpu, (uint64_t)r.bytes, k->least, k->t.bits);
    return st == ST_OK && back != ST_OK ? check_unmeasured(c, back, cpu, "IA32_PQR_ASSOC") : st;
}

/* CLOS 1 fills other ways than its CBM has: is it another CLOS' CBM that acts on it? CLOS 0 is left out: where its CBM acts,
 * the processor's CLOS does not. */
static enum status name_acting_mask(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base)
{
    struct reading r;

    TRY(fill_beside(c, domain, k, base, 1, &r));
    if (r.bytes <= r.hi) /* one step would be no less */
        return ST_OK;
    for (uint32_t clos = 2; clos < k->t.classes; clos++) {
        TRY(fill_beside(c, domain, k, base, clos, &r));
        if (r.bytes > r.hi)
            continue;
        finding(c, FINDING_EXPECTED, 0, FOUND_OTHER_MASK_ACTS, place_domain(domain),
                "CLOS 1 fills the ways of the CBM of CLOS %u: %lu bytes while that has %u of %u ways", clos,
                (uint64_t)r.bytes, k->least, k->t.bits);
        return ST_OK;
    }
    return k->t.classes > 2 ? name_sibling(c, domain, k, base) : ST_OK;
}

static enum status shares_memory(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t *base)
{
    TRY(memory_scatter_any(c, k->cpus[0], cat_beyond_share(k, 2 * SHARES * k->step_bytes), base));
    for (uint32_t n = 1; n <= SHARES; n++)
        TRY(cat_covers(c, domain, k, *base, cat_beyond_share(k, 2 * n * k->step_bytes), n));
    return ST_OK;
}

static enum status shares_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    const uint32_t before = c->state->record.n_findings;
    struct line line = { 0 };
    uint64_t base = 0;
    double way = (double)k->step_bytes;
    enum finding_kind kind;

    TRY(shares_memory(c, domain, k, &base));
    TRY(shares_associated(c, domain, k, base, &line));
    if (c->state->record.n_findings > before)
        TRY(name_acting_mask(c, domain, k, base));
    kind = never_counts(line.slope, way)     ? FINDING_FORBIDDEN
           : k->l2_bytes && line.slope < way ? FINDING_UNUSUAL
                                             : FINDING_EXPECTED;
    if (!check_measure(c, "occupancy gained by one mask bit over size of a way", place_domain(domain), line.slope / way,
                       "ratio", SLOPE_LO, SLOPE_HI))
        finding(c, kind, 0, FOUND_SLOPE_OFF, place_domain(domain),
                "one more mask bit adds %ld bytes of occupancy, a way has %lu bytes", (int64_t)line.slope,
                k->step_bytes);
    return all_ways(c, domain, k, base);
}

/* --- CA-12, CA-13: a class acts on fills */

#define MOVE_DIVISOR 100u /* 10 ms */

/* After the fill the processor is in a class of one way and reads nothing: no line is evicted. */
static enum status idle_after(struct check *c, const struct cat_context *k, const struct reading *filled,
                              const char *name, const char *defect)
{
    struct traffic_part part = part_idle(k->rmids[0], c->platform->tsc_hz / MOVE_DIVISOR);
    struct traffic_load load = { .cpu = k->cpus[0], .n_parts = 1, .parts = &part };
    struct reading r = cat_occupancy(name, filled->domain, filled->rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    part.clos = 2;
    r.code = FOUND_CHANGED_AT_REST;
    expect_occupancy(c, &r, filled->bytes, 0);
    e.flags = EXPERIMENT_ONCE | EXPERIMENT_WARM | EXPERIMENT_HALVE;
    return experiment_check(&e, defect);
}

/* Then it fills `more` bytes in the class of one way: they fill that way alone, where the first fill has no lines. */
static enum status fill_after_move(struct check *c, const struct cat_context *k, const struct reading *filled,
                                   uint64_t base, uint64_t more)
{
    struct fill f = cat_fill(c, filled->domain, k, 2, base, more);
    struct reading r[2] = { cat_occupancy("occupancy filled before the CLOS change", filled->domain, k->rmids[0]),
                            cat_occupancy("occupancy filled after the CLOS change", filled->domain, k->rmids[1]) };
    struct traffic_load load;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };

    f.rmid = k->rmids[1];
    TRY(fill_chain(&f, 1, &load));
    expect_occupancy(c, &r[0], filled->bytes, 0);
    r[0].tight_lo = r[0].tight_hi = 0;
    r[0].code = FOUND_CHANGED_AT_REST;
    expect_occupancy(c, &r[1], (double)k->step_bytes, 1);
    e.flags = EXPERIMENT_ONCE | EXPERIMENT_WARM;
    return experiment_check(&e, "the CLOS changed between two fills");
}

/* What stays in all ways but one while the L2 is emptied into them: two of it fit with an L2's worth. */
static uint64_t moved_bytes(const struct check *c, uint32_t domain, const struct cat_context *k)
{
    uint64_t ways = (k->steps - 1) * k->step_bytes, most = ways > k->l2_bytes ? (ways - k->l2_bytes) / 2 : 0;
    uint64_t least = fill_least_bytes(c, domain);

    return least < most ? least : ROUND_DOWN(most);
}

static enum status moves_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    uint64_t base = 0, bytes = moved_bytes(c, domain, k), more = cat_beyond_share(k, k->step_bytes);
    /* Apart: a fill smaller than a way may stand in one way alone, whichever the part takes first. */
    uint64_t masks[3] = { cat_full_mask(k), cat_window(k, 1, k->steps - 1), cat_window(k, 0, 1) };
    struct reading filled = cat_occupancy("", domain, k->rmids[0]);
    struct fill f;

    if (bytes == 0)
        return check_absent(c, "L3 domain %u: %lu bytes of ways are too small against the L2", domain,
                            (k->steps - 1) * k->step_bytes);
    TRY(memory_scatter_any(c, k->cpus[0], bytes + more, &base));
    TRY(cat_covers(c, domain, k, base + bytes, more, 1));
    TRY(cat_set_masks(c, k, 3, masks));
    TRY(cat_fill_whole(c, domain, k, 1, base, bytes, &f));
    TRY(fill_known(&f, "occupancy filled in a CLOS of all ways but one", &filled));
    TRY(idle_after(c, k, &filled, "occupancy after a change to a CLOS of one way",
                   "nothing was read since the CLOS changed"));
    TRY(alloc_write(c, &k->t, 1, masks[2]));
    TRY(idle_after(c, k, &filled, "occupancy after the CBM of its CLOS has lost the ways",
                   "nothing was read since the CBM was written"));
    return fill_after_move(c, k, &filled, base + bytes, more);
}

/* --- CA-15: every class is held to its mask */

#define CLASSES_MOST 128u

/* Each class alone with one way, to name those that fill more. */
static enum status each_class_alone(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base)
{
    for (uint32_t class = 1; class < k->t.classes; class ++) {
        struct reading r = cat_occupancy("occupancy of one CLOS with one way", domain, k->rmids[0]);
        struct fill f = cat_fill(c, domain, k, class, base, cat_beyond_share(k, k->step_bytes));

        cat_expect_share(c, k, &r, k->least, 0);
        r.lo = r.never_lo = r.tight_lo = 0;
        TRY(cat_measure(c, &f, 1, &r, 0, "its CLOS has one way"));
        if (r.bytes > r.hi)
            check_note(c, "L3 domain %u: CLOS %u fills more than the way of its CBM", domain, class);
    }
    return ST_OK;
}

static enum status one_way_each(struct check *c, const struct cat_context *k)
{
    for (uint32_t class = 1; class < k->t.classes; class ++)
        TRY(alloc_write(c, &k->t, class, cat_window(k, 0, 1)));
    return ST_OK;
}

/* Bytes of a fill in one of many classes: without its mask it is beyond the tolerance. */
static uint64_t class_bytes(const struct cat_context *k)
{
    uint64_t bytes = (uint64_t)(1.5 * OCC_BYTES);

    return ROUND_DOWN((bytes > k->step_bytes / 3 ? bytes : k->step_bytes / 3) + k->l2_bytes);
}

#define BUFFERS_LEAST 3u

/* All classes but 0 have the same way: together they hold one way. As many fill at once as there is memory for, each its
 * own: a class that reads what another one brought in takes it out of the wrong ways of an L3 that keeps victims. */
static enum status every_class_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    uint64_t bytes = class_bytes(k), one = cat_beyond_share(k, k->step_bytes), base = 0;
    uint64_t left = memory_left_scattered(c, k->cpus[0]) / bytes, n = left < k->t.classes ? left : k->t.classes;
    struct fill fills[CLASSES_MOST], alone;
    struct reading r = cat_occupancy("occupancy of all CLOS but 0, each with the same way", domain, k->rmids[0]);

    if (n < BUFFERS_LEAST)
        return check_absent(c, "L3 domain %u: memory for %lu fills of %lu bytes; 3 are needed", domain, n, bytes);
    TRY(memory_scatter_any(c, k->cpus[0], n * bytes > one ? n * bytes : one, &base));
    alone = cat_fill(c, domain, k, 1, base, one);
    cat_expect_share(c, k, &r, k->least, 0);
    TRY(cat_control(c, k, &alone, r.hi, NULL));
    TRY(one_way_each(c, k));
    for (uint32_t first = 1, some; first < k->t.classes; first += some) {
        struct reading together = r;

        some = k->t.classes - first < n ? k->t.classes - first : (uint32_t)n - 1;
        /* One more, so that the lines of the last class leave the core's own caches as well. */
        for (uint32_t i = 0; i <= some; i++)
            fills[i] = cat_fill(c, domain, k, first + i % some, base + i * bytes, bytes);
        TRY(cat_measure(c, fills, some + 1, &together, 0, "a CLOS allocates outside its CBM"));
    }
    return c->state->record.n_findings > 0 ? each_class_alone(c, domain, k, alone.base) : ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cat.shares",
      .title = "L3 occupancy of a CLOS follows the ways of its CBM",
      .spec = SDM_CAT,
      .covers = "CA-08 CA-09",
      .detects = "masks without effect, a mask bit that stands for more or less than a way",
      .means = "a CLOS fills more or less of the L3 than the ways of its CBM",
      .next = "`cmt.fill` first: is occupancy right with a full mask; then `cat.misses`, which does without occupancy",
      .slow = true,
      .run_cat = shares_experiment },
    { .id = "cat.moves",
      .title = "A change of CLOS or CBM affects only new fills",
      .spec = SDM_CAT "; Linux Documentation/arch/x86/resctrl.rst",
      .covers = "CA-12 CA-13",
      .detects = "a write of the CLOS or its CBM that flushes lines, or one of the CLOS that acts late",
      .means = "a change of CLOS or CBM evicts lines, or fills continue under the CBM of the CLOS before",
      .next = "`cat.shares` (does the mask act at all); `pqr.halves`; the two occupancies in the stream",
      .run_cat = moves_experiment },
    { .id = "cat.every-class",
      .title = "Every CLOS is held to its own CBM",
      .spec = SDM_CAT,
      .covers = "CA-15",
      .means = "a CLOS fills ways outside of its CBM",
      .next = "the CLOS in the notes; `cat.windows` for its mask register; `enum.classes`",
      .slow = true,
      .run_cat = every_class_experiment },
};
CHECK_FAMILY(cat_effect, rows, .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .order = 500);
