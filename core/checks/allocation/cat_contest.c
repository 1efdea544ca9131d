/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Classes that fill one after the other, with disjoint and with overlapping capacity bit masks (CBM). Witness:
 * occupancy of the first; control: the same with full masks. */
#include "core/checks/allocation/cat_contest.h"

#include "core/experiment/cat_context.h"

#define SDM_CAT "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"

bool contest_shows(double kept)
{
    return kept <= 1 - 2 * OCC_SHARE;
}

double contest_least(double before, double common)
{
    double least = before > 0 ? 1 - OCC_SHARE - common / before : 0;

    return least > 0 ? least : 0;
}

bool contest_lost(double before, double kept, double least, double control)
{
    double missing = least + OCC_SHARE - kept;

    return missing * before > OCC_BYTES || missing >= (1 - control) / 2;
}

#define AGGRESSION 4u /* times the L3: CA-10 */

/* A buffer in half of class 1's ways, and what another class fills after it. */
struct contest {
    struct fill victim, aggressor;
    uint32_t rounds; /* of the aggressor */
};

/* The aggressor has twice the L3 where there is so much memory, and goes over it until it has touched four times the
 * L3: REUSES of fill.h count. */
static enum status contest_plan(struct check *c, uint32_t domain, const struct cat_context *k, struct contest *t)
{
    uint64_t l3 = ROUND_DOWN(c->machine->domains[domain].l3_bytes), own = k->steps / 2 * k->step_bytes / 2;
    uint64_t half = load_half_l3(c, domain), bytes = ROUND_DOWN(own < half ? own : half), base = 0, left, most = 2 * l3;

    if (k->l2_bytes > own / 10 * 9) /* what empties the L2 needs as much room as the buffer */
        return check_absent(c, "L3 domain %u: a quarter of the ways, %lu bytes, is too small against the L2", domain,
                            own);
    TRY(memory_scatter_any(c, k->cpus[0], bytes, &base));
    TRY(cat_fill_whole(c, domain, k, 1, base, bytes, &t->victim));
    left = ROUND_DOWN(memory_left_scattered(c, k->cpus[0]));
    most = most < left ? most : left;
    TRY(memory_scatter_any(c, k->cpus[0], most, &base));
    t->aggressor = cat_fill(c, domain, k, 2, base, most);
    t->aggressor.rmid = k->rmids[1];
    t->rounds = (uint32_t)((AGGRESSION * l3 + fill_touches(&t->aggressor) - 1) / fill_touches(&t->aggressor));
    return ST_OK;
}

/* *kept: share of the victim's occupancy that is left after the aggressor. *before: that occupancy in bytes. */
static enum status contest_run(struct check *c, const struct cat_context *k, struct contest *t, const uint64_t *masks,
                               double *before, double *kept)
{
    struct reading r = cat_occupancy("occupancy before another CLOS fills", t->victim.domain, t->victim.rmid);
    struct traffic_load load;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    enum status st = cat_set_masks(c, k, 3, masks);

    if (st == ST_OK)
        st = fill_known(&t->victim, r.name, &r);
    *before = r.bytes;
    if (st == ST_OK)
        st = fill_chain(&t->aggressor, 1, &load);
    e.flags = EXPERIMENT_ONCE | EXPERIMENT_WARM;
    for (uint32_t i = 0; i < t->rounds && st == ST_OK; i++) {
        r = cat_occupancy("occupancy after another CLOS filled", t->victim.domain, t->victim.rmid);
        st = experiment_measure(&e);
    }
    *kept = *before > 0 ? r.bytes / *before : 0;
    return st;
}

/* With full masks the other class must evict lines; else it shows nothing that it evicts none with other masks. */
static enum status contest_control(struct check *c, const struct cat_context *k, struct contest *t, double *kept)
{
    const uint64_t masks[3] = { cat_full_mask(k), cat_full_mask(k), cat_full_mask(k) };
    double before;

    TRY(contest_run(c, k, t, masks, &before, kept));
    check_show(c, "control: share kept with full CBMs", place_domain(t->victim.domain), 100 * *kept, "%");
    if (contest_shows(*kept))
        return ST_OK;
    return check_absent(c,
                        "L3 domain %u: even with full CBMs a CLOS keeps %lu %% of %lu bytes while another one fills %u "
                        "times the L3 size: inconclusive",
                        t->victim.domain, (uint64_t)(100 * *kept + 0.5), (uint64_t)before, AGGRESSION);
}

static void judge_contest(struct check *c, const struct cat_context *k, uint32_t domain, uint32_t common, double before,
                          double kept, double control)
{
    double count = c->machine->domains[domain].upscaling_factor, common_bytes = (double)(common * k->step_bytes);
    double least = contest_least(before, common_bytes + 2 * count);
    enum finding_kind kind = !contest_lost(before, kept, least, control) ? FINDING_UNUSUAL
                             : !common && kept <= control                ? FINDING_FORBIDDEN
                                                                         : FINDING_EXPECTED;

    if (!check_measure(c, common ? "share kept, CBMs with one way in common" : "share kept, disjoint CBMs",
                       place_domain(domain), 100 * kept, "%", 100 * least, NO_BOUND))
        finding(c, kind, 0, FOUND_EVICTS_OUTSIDE_MASK, place_domain(domain),
                "%lu %% of %lu bytes in CLOS 1 are left after CLOS 2 filled %u times the L3 size, and with full CBMs "
                "%lu %%; their CBMs have %s in common",
                (uint64_t)(100 * kept + 0.5), (uint64_t)before, AGGRESSION, (uint64_t)(100 * control + 0.5),
                common ? "one way" : "no way");
}

/* `common` ways are in both masks, and class 1 may lose the lines there. */
static enum status two_classes(struct check *c, uint32_t domain, const struct cat_context *k, uint32_t common)
{
    uint32_t half = k->steps / 2;
    uint64_t masks[3] = { cat_full_mask(k), cat_window(k, 0, half), cat_window(k, half - common, k->steps - half) };
    double before, kept, control;
    struct contest t = { .rounds = 0 };

    TRY(contest_plan(c, domain, k, &t));
    TRY(contest_control(c, k, &t, &control));
    TRY(contest_run(c, k, &t, masks, &before, &kept));
    judge_contest(c, k, domain, common, before, kept, control);
    return ST_OK;
}

static enum status isolation_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    return two_classes(c, domain, k, 0);
}

static enum status overlap_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    if (domain > 0)
        return check_absent(c, "L3 domain %u: only the first L3 is measured", domain);
    return two_classes(c, domain, k, 1);
}

static const struct check_row rows[] = {
    { .id = "cat.isolation",
      .title = "CLOS with disjoint CBMs do not evict each other's lines",
      .covers = "CA-10",
      .means = "a CLOS fills ways that are not in its CBM, and evicts another one's lines there",
      .next = "`cat.windows` (are masks stored); `cat.misses`; shareable bits in 10H.1:EBX",
      .run_cat = isolation_experiment },
    { .id = "cat.overlap",
      .title = "CLOS with overlapping CBMs compete for the common ways only",
      .covers = "CA-11",
      .means = "a CLOS evicts lines outside of the ways that both CBMs have",
      .next = "`cat.isolation`: if that passes, which way a mask bit stands for; `cat.windows`",
      .grade = GRADE_W,
      .run_cat = overlap_experiment },
};
CHECK_FAMILY(cat_contest, rows, .spec = SDM_CAT, .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
             .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true,
             .excludes = true, .order = 500);
