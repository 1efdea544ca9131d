/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether the same capacity bit mask (CBM) stands for the same ways in every CLOS. One CLOS fills the ways of one mask,
 * then another one with that mask fills several times as much: none of the first one's lines can be left, whatever the
 * replacement. All are left if the second one's mask acts elsewhere. Witness: occupancy of the first. Control: with a
 * mask of other ways the second one leaves them. */
#include "core/checks/allocation/cat_places.h"

#include "core/experiment/cat_context.h"

#define CLASSES_MOST  128u
#define LEFT_MOST     0.25
#define CONTROL_LEAST 0.5
#define TOUCHES       3u /* sizes of the mask's ways, plus what an L2 keeps */
#define TRIES         3u /* of a fill that left too much, or of a control that left too little */
#define COUNTS_LEAST  4u /* of lines that are to be evicted */

bool place_differs(double left)
{
    return left > LEFT_MOST;
}

enum places places_of(const double *left, uint32_t n, uint32_t than)
{
    uint32_t differ = 0;

    for (uint32_t class = 0; class < n; class ++)
        differ += class != than && place_differs(left[class]);
    return differ * 2 < n ? PLACES_KNOWN : PLACES_UNKNOWN;
}

struct place_trial {
    struct check *check;
    const struct cat_context *k;
    uint32_t domain, than; /* than: the CLOS that fills first */
    uint64_t first_base, first_bytes, next_base, next_bytes;
    uint64_t mask;
    double left[CLASSES_MOST];
};

static enum status trial_memory(struct place_trial *t)
{
    const struct cat_context *k = t->k;
    uint64_t most = ROUND_DOWN(TOUCHES * k->step_bytes + 2 * k->l2_bytes), left;

    t->first_bytes = ROUND_DOWN(k->step_bytes + k->l2_bytes);
    TRY(memory_take_any(t->check, k->cpus[0], t->first_bytes, &t->first_base));
    left = ROUND_DOWN(memory_left_any(t->check, k->cpus[0]));
    t->next_bytes = most < left ? most : left;
    return memory_take_any(t->check, k->cpus[0], t->next_bytes, &t->next_base);
}

/* Caches are flushed where flags has no EXPERIMENT_WARM; *bytes: what the first RMID holds then. */
static enum status fill_and_read(const struct place_trial *t, const struct fill *f, uint32_t flags, double *bytes)
{
    struct reading r = cat_occupancy("occupancy of a CLOS that filled first", t->domain, t->k->rmids[0]);
    enum status st = fill_once(f, flags, &r, NULL);

    *bytes = r.bytes;
    return st;
}

/* *left: the share of the first CLOS' lines that is left after a fill in `class` with that mask. */
static enum status share_left(const struct place_trial *t, uint32_t class, uint64_t mask, double *left)
{
    const struct cat_context *k = t->k;
    struct fill first = cat_fill(t->check, t->domain, k, t->than, t->first_base, t->first_bytes);
    struct fill next = cat_fill(t->check, t->domain, k, class, t->next_base, t->next_bytes);
    double before = 0, after = 0, least = (double)k->step_bytes / 4;
    double counts = COUNTS_LEAST * (double)t->check->machine->domains[t->domain].upscaling_factor;
    enum status st = alloc_write(t->check, &k->t, t->than, t->mask);

    next.rmid = k->rmids[1];
    TRY(st);
    TRY(alloc_write(t->check, &k->t, class, mask));
    TRY(fill_and_read(t, &first, 0, &before));
    if (before < least || before < counts)
        return check_absent(t->check, "L3 domain %u: a fill in CLOS %u holds %lu bytes of ways that have %lu: too few",
                            t->domain, t->than, (uint64_t)before, k->step_bytes);
    for (uint64_t touched = 0; touched < TOUCHES * k->step_bytes && st == ST_OK; touched += next.bytes)
        st = fill_and_read(t, &next, EXPERIMENT_WARM, &after);
    *left = after / before;
    return st;
}

/* The least of several tries: what else evicts lines is taken for the second CLOS, never what keeps them. */
static enum status least_left(const struct place_trial *t, uint32_t class, double *least)
{
    double left = 0;
    enum status st = ST_OK;

    *least = NO_BOUND;
    for (uint32_t i = 0; i < TRIES && st == ST_OK && place_differs(*least); i++) {
        st = share_left(t, class, t->mask, &left);
        *least = left < *least ? left : *least;
    }
    return st;
}

static enum status each_class(struct place_trial *t)
{
    enum status st = ST_OK;

    series_begin(t->check, "share left by another CLOS with the same CBM", place_domain(t->domain), "%", "CLOS", "");
    for (uint32_t class = 0; class < t->k->t.classes && st == ST_OK; class ++) {
        if (class == t->than)
            continue;
        st = least_left(t, class, &t->left[class]);
        if (st == ST_OK)
            series_add(t->check, class, 100 * t->left[class]);
    }
    series_end(t->check);
    return st;
}

/* A CLOS whose mask has other ways must leave the lines; else it shows nothing that others evict them. */
static enum status apart_control(const struct place_trial *t)
{
    uint32_t class = t->than == 2 ? 1 : 2;
    uint64_t apart = cat_window(t->k, 0, 1);
    double left = 0;

    for (uint32_t i = 0; i < TRIES && left < CONTROL_LEAST; i++)
        TRY(share_left(t, class, apart, &left));
    TRY(alloc_write(t->check, &t->k->t, class, cat_full_mask(t->k)));
    check_show(t->check, "control: share left by a CLOS with another CBM", place_domain(t->domain), 100 * left, "%");
    if (left >= CONTROL_LEAST)
        return ST_OK;
    return check_absent(t->check,
                        "L3 domain %u: CBMs of CLOS %u and %u do not overlap, yet only %lu %% of the lines are left: "
                        "inconclusive",
                        t->domain, t->than, class, (uint64_t)(100 * left + 0.5));
}

static void judge_places(const struct place_trial *t)
{
    for (uint32_t class = 0; class < t->k->t.classes; class ++) {
        struct place place = place_clos(t->domain, class);
        double percent = 100 * t->left[class];

        if (class != t->than && !check_measure(t->check, "share left of what another CLOS filled with the same CBM",
                                               place, percent, "%", 0, 100 * LEFT_MOST))
            finding(t->check, FINDING_EXPECTED, 0, FOUND_OTHER_WAYS, place,
                    "with CBM 0x%lx it leaves %lu %% of what CLOS %u filled with the same CBM, and most other CLOS "
                    "leave almost nothing: its CBM stands for other ways",
                    t->mask, (uint64_t)(percent + 0.5), t->than);
    }
    excludes(t->check, "a shift of a CBM", t->k->least, t->k->least == 1 ? "way" : "ways");
}

/* Where most CLOS leave the lines of the first one, its mask may be the one that acts elsewhere: then another one fills
 * first. */
static enum status places_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    struct place_trial t = { .check = c, .k = k, .domain = domain, .mask = cat_window(k, k->steps / 2, 1) };

    TRY(k->t.classes > CLASSES_MOST ? ST_RANGE : trial_memory(&t));
    for (t.than = 1; t.than <= 2; t.than++) {
        TRY(apart_control(&t));
        TRY(each_class(&t));
        if (places_of(t.left, k->t.classes, t.than) == PLACES_KNOWN) {
            judge_places(&t);
            return ST_OK;
        }
    }
    return check_absent(c,
                        "L3 domain %u: most CLOS leave the lines that another one filled with the same CBM: "
                        "inconclusive",
                        domain);
}

static const struct check_row rows[] = {
    { .id = "cat.places",
      .title = "The same CBM stands for the same ways in every CLOS",
      .spec = "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture",
      .covers = "CA-15",
      .means = "a CLOS fills other ways than those of its CBM",
      .next = "`cat.isolation` and `cat.overlap` with that CLOS; `cat.windows` for its mask register",
      .run_cat = places_experiment },
};
CHECK_FAMILY(cat_places, rows, .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .slow = true,
             .order = 500);
