/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The caches of the model against a second implementation, written from their description alone: plain arrays in order
 * of use, searched from end to end. Both are given the same ten million accesses, and must agree on where each line was
 * found, and at every step on who has how many lines where and what moved.
 *
 * The description: an L1 and an L2 for each core, ways replaced in turn, what leaves the L2 leaves the L1. An L3 of
 * slices for each package, the least recently used of the ways that the class may fill going first, unused ones before.
 *   Inclusive: a line comes into the L3 when it is fetched, and what leaves the L3 leaves the cores.
 *   Not inclusive: it comes when the last core that has it gives it up; a request that finds it there takes it back,
 *   but for a load of what another core has as well. What one core has written and another loads is in the L3 from then
 *   on. What only cores have is in a directory, from its place for the next entry on; if that is full, the line at that
 *   place is taken from the cores and comes into the L3. A way's line that cores share goes to the directory if that
 * has room.
 *
 * A core may write to a line that it alone has. A load of what another core or package may write to ends that right,
 * and what a package had written goes to memory when another one loads it, to the next writer when that one stores.
 */
#include "core/base/search.h"
#include "tests/silicon/model/model_state.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define ACCESSES   10000000u
#define CHECK_EACH 100000u
#define LINES      16384u /* that are accessed; each is simply looked up by its number */
#define PACKAGES   2u
#define CORES      3u /* of a package, at most */
#define RMIDS      6u
#define CLASSES    3u
#define SLICES     1u
#define SPREAD     11u /* lines are this many bits apart, so that few sets have all of them */
#define GROUPS     16u /* sets that are met */
#define PQR        0xC8Fu

/* --- the reference */

struct book { /* one core's copy of a line */
    bool l1, l2, own, dirty;
};
struct line {
    struct book core[PACKAGES][CORES];
    struct {
        bool cached, dirty; /* in the L3; the L3's copy is newer than memory */
        bool known;         /* the package has it, in the L3 or in a core    */
        bool exclusive;     /* no other package has                          */
        uint32_t rmid, way;
        uint64_t used; /* when, for the order */
    } in[PACKAGES];
};
struct private
{ /* ways in turn */
    int64_t *way;
    uint32_t sets, ways, *turn;
};
struct reference {
    bool inclusive;
    uint32_t ways, sets, cores, directory;
    struct line *line;
    int64_t *entry[PACKAGES]; /* of the directory: [set][directory], -1: free */
    uint32_t *next[PACKAGES]; /* [set] */
    int64_t *l3[PACKAGES];    /* [set][way], -1: unused */
    uint64_t *left[PACKAGES]; /* when a way became unused: of the unused the one that did so last is taken */
    struct private l1[PACKAGES][CORES], l2[PACKAGES][CORES];
    uint32_t mask[CLASSES];
    uint64_t now;
    uint64_t lines[PACKAGES][RMIDS], total[PACKAGES][RMIDS], local[PACKAGES][RMIDS];
    uint64_t written_back[PACKAGES], victims[PACKAGES], fills[PACKAGES];
};
struct who {
    uint32_t package, core, rmid, clos;
};

static uint64_t number_of(uint32_t line)
{
    return (uint64_t)(line / GROUPS) << SPREAD | line % GROUPS;
}

static uint32_t home_of(uint32_t line)
{
    return line / GROUPS / (LINES / GROUPS / 2);
}

static void private_make(struct private *p, uint32_t sets, uint32_t ways)
{
    *p = (struct private){ .sets = sets, .ways = ways };
    p->way = malloc(sizeof p->way[0] * sets * ways);
    p->turn = calloc(sets, sizeof p->turn[0]);
    for (uint32_t i = 0; i < sets * ways; i++)
        p->way[i] = -1;
}

static int64_t *private_find(struct private *p, int64_t line)
{
    int64_t *set = p->way + number_of((uint32_t)line) % p->sets * p->ways;

    return FIND(w, p->ways, set[w] == line, &set[w], NULL);
}

/* Returns what was there. */
static int64_t private_put(struct private *p, int64_t line)
{
    uint64_t set = number_of((uint32_t)line) % p->sets;
    int64_t *at = &p->way[set * p->ways + p->turn[set]], old = *at;

    *at = line;
    p->turn[set] = (p->turn[set] + 1) % p->ways;
    return old;
}

static void private_remove(struct private *p, int64_t line)
{
    int64_t *at = private_find(p, line);

    if (at)
        *at = -1;
}

static void core_loses(struct reference *r, uint32_t package, uint32_t core, int64_t line)
{
    private_remove(&r->l1[package][core], line);
    private_remove(&r->l2[package][core], line);
    r->line[line].core[package][core] = (struct book){ .l1 = false };
}

static void write_back(struct reference *r, uint32_t package)
{
    r->written_back[package]++;
}

static bool others_have(const struct reference *r, uint32_t package, uint32_t but, int64_t line)
{
    return ANY_OF(c, r->cores, c != but && r->line[line].core[package][c].l2);
}

static bool package_dirty(const struct reference *r, uint32_t package, int64_t line)
{
    return r->line[line].in[package].dirty || ANY_OF(c, r->cores, r->line[line].core[package][c].dirty);
}

static int64_t *l3_set(struct reference *r, uint32_t package, int64_t line)
{
    return r->l3[package] + number_of((uint32_t)line) % r->sets * r->ways;
}

static void leave_l3(struct reference *r, uint32_t package, int64_t line)
{
    struct line *l = &r->line[line];
    int64_t *set = l3_set(r, package, line);

    r->lines[package][l->in[package].rmid]--;
    r->left[package][set + l->in[package].way - r->l3[package]] = ++r->now;
    set[l->in[package].way] = -1;
    l->in[package].cached = false;
}

static uint32_t set_of(const struct reference *r, int64_t line)
{
    return (uint32_t)(number_of((uint32_t)line) % r->sets);
}

/* The directory's place for a line, -1: for none; from its next one on. NULL: there is none. */
static int64_t *entry_of(struct reference *r, uint32_t package, uint32_t set, int64_t line)
{
    for (uint32_t i = 0; i < r->directory; i++) {
        int64_t *at = &r->entry[package][set * r->directory + (r->next[package][set] + i) % r->directory];

        if (*at == line)
            return at;
    }
    return NULL;
}

static void leave_directory(struct reference *r, uint32_t package, int64_t line)
{
    int64_t *at = entry_of(r, package, set_of(r, line), line);

    if (at)
        *at = -1;
}

static void package_loses(struct reference *r, uint32_t package, int64_t line)
{
    for (uint32_t c = 0; c < r->cores; c++)
        core_loses(r, package, c, line);
    if (r->line[line].in[package].cached)
        leave_l3(r, package, line);
    leave_directory(r, package, line);
    r->line[line].in[package].known = r->line[line].in[package].dirty = false;
}

static void make_room(struct reference *r, uint32_t package, int64_t victim)
{
    struct line *v = &r->line[victim];
    int64_t *entry = NULL;

    r->victims[package]++;
    if (package_dirty(r, package, victim))
        write_back(r, package);
    if (!r->inclusive && others_have(r, package, CORES, victim))
        entry = entry_of(r, package, set_of(r, victim), -1);
    if (!entry) {
        package_loses(r, package, victim);
        return;
    }
    leave_l3(r, package, victim);
    v->in[package].dirty = false;
    *entry = victim;
}

static void enter_l3(struct reference *r, uint32_t package, uint32_t clos, int64_t line)
{
    struct line *l = &r->line[line];
    int64_t *set = l3_set(r, package, line);
    uint32_t best = r->ways;
    uint64_t *left = r->left[package] + (set - r->l3[package]);

    for (uint32_t w = 0; w < r->ways; w++) /* unused, the one that became so last */
        if ((r->mask[clos] >> w & 1) && set[w] < 0 && (best == r->ways || left[w] > left[best]))
            best = w;
    for (uint32_t w = 0; w < r->ways && (best == r->ways || set[best] >= 0); w++)
        if ((r->mask[clos] >> w & 1) &&
            (best == r->ways || r->line[set[w]].in[package].used < r->line[set[best]].in[package].used))
            best = w;
    if (set[best] >= 0)
        make_room(r, package, set[best]);
    set[best] = line;
    l->in[package].cached = true;
    l->in[package].way = best;
    l->in[package].used = ++r->now;
    r->lines[package][l->in[package].rmid]++;
    r->fills[package]++;
}

/* What only cores have comes into the L3. */
static void settle(struct reference *r, uint32_t package, uint32_t clos, int64_t line)
{
    enter_l3(r, package, clos, line);
    leave_directory(r, package, line);
}

static void enter_directory(struct reference *r, uint32_t package, uint32_t clos, int64_t line)
{
    uint32_t set = set_of(r, line);
    int64_t *first = r->entry[package] + set * r->directory, *at = entry_of(r, package, set, -1);

    if (!at) {
        int64_t old;

        at = first + r->next[package][set];
        old = *at;
        r->line[old].in[package].dirty = package_dirty(r, package, old);
        for (uint32_t c = 0; c < r->cores; c++)
            core_loses(r, package, c, old);
        settle(r, package, clos, old);
    }
    *at = line;
    r->next[package][set] = (uint32_t)(at - first + 1) % r->directory;
}

static void take_back(struct reference *r, struct who w, int64_t line)
{
    struct line *l = &r->line[line];
    bool dirty = l->core[w.package][w.core].dirty;

    private_remove(&r->l1[w.package][w.core], line);
    l->core[w.package][w.core] = (struct book){ .l1 = false };
    l->in[w.package].dirty |= dirty;
    if (!r->inclusive && !l->in[w.package].cached && !others_have(r, w.package, CORES, line))
        settle(r, w.package, w.clos, line);
}

/* The other package, before this one fills or writes. True: it had the line, *dirty: newer than memory. */
static bool ask_other(struct reference *r, uint32_t package, int64_t line, bool store, bool *dirty)
{
    struct line *l = &r->line[line];
    uint32_t other = 1 - package;

    *dirty = false;
    if (!l->in[other].known)
        return false;
    *dirty = package_dirty(r, other, line);
    if (store) {
        package_loses(r, other, line);
        return true;
    }
    if (*dirty)
        write_back(r, other);
    for (uint32_t c = 0; c < r->cores; c++)
        l->core[other][c].own = l->core[other][c].dirty = false;
    l->in[other].dirty = l->in[other].exclusive = false;
    return true;
}

static void bring_in(struct reference *r, struct who w, int64_t line, bool store)
{
    struct line *l = &r->line[line];
    bool dirty, found = ask_other(r, w.package, line, store, &dirty);

    l->in[w.package].rmid = w.rmid;
    l->in[w.package].known = true;
    l->in[w.package].exclusive = store || !found;
    l->in[w.package].dirty = store && dirty;
    r->total[w.package][w.rmid]++;
    r->local[w.package][w.rmid] += home_of((uint32_t)line) == w.package;
    if (r->inclusive)
        enter_l3(r, w.package, w.clos, line);
    else
        enter_directory(r, w.package, w.clos, line);
}

static void use(struct reference *r, struct who w, int64_t line, bool store)
{
    struct line *l = &r->line[line];
    bool unused, shared = others_have(r, w.package, w.core, line);

    if (store && !l->in[w.package].exclusive)
        ask_other(r, w.package, line, true, &unused);
    l->in[w.package].used = ++r->now;
    if (store)
        l->in[w.package].exclusive = true;
    for (uint32_t c = 0; c < r->cores; c++) {
        struct book *b = &l->core[w.package][c];

        if (c == w.core)
            continue;
        l->in[w.package].dirty |= b->dirty;
        if (store)
            core_loses(r, w.package, c, line);
        b->own = b->dirty = false;
    }
    if (r->inclusive)
        return;
    if (l->in[w.package].cached && (store || !shared)) {
        leave_l3(r, w.package, line);
        enter_directory(r, w.package, w.clos, line);
    } else if (!l->in[w.package].cached && l->in[w.package].dirty && !store) {
        settle(r, w.package, w.clos, line);
    }
}

static enum cache_level reference_access(struct reference *r, struct who w, int64_t line, bool store)
{
    struct line *l = &r->line[line];
    struct book *b = &l->core[w.package][w.core];
    enum cache_level level;
    bool in_l2 = b->l2, alone;
    int64_t old;

    if (private_find(&r->l1[w.package][w.core], line) && (!store || (b->own && b->dirty)))
        return LEVEL_L1;
    if (in_l2 && (!store || b->own)) {
        b->dirty |= store;
        if (!private_find(&r->l1[w.package][w.core], line))
            private_put(&r->l1[w.package][w.core], line);
        return LEVEL_L2;
    }
    level = l->in[w.package].known ? LEVEL_L3 : LEVEL_MEMORY;
    if (level == LEVEL_L3)
        use(r, w, line, store);
    else
        bring_in(r, w, line, store);
    alone = l->in[w.package].exclusive && !others_have(r, w.package, w.core, line);
    b->l2 = true;
    b->own |= store || alone;
    b->dirty |= store;
    if (!r->inclusive && !l->in[w.package].cached && l->in[w.package].dirty) { /* it went to the core as it was */
        b->dirty = true;
        l->in[w.package].dirty = false;
    }
    if (in_l2) {
        if (!private_find(&r->l1[w.package][w.core], line))
            private_put(&r->l1[w.package][w.core], line);
        return level;
    }
    private_put(&r->l1[w.package][w.core], line);
    old = private_put(&r->l2[w.package][w.core], line);
    if (old >= 0)
        take_back(r, w, old);
    return level;
}

/* --- side by side */

static struct reference *reference_of(const struct model *m)
{
    struct reference *r = calloc(1, sizeof *r);

    r->inclusive = m->profile->l3_inclusive;
    r->ways = m->l3.ways;
    r->sets = m->l3.sets;
    r->cores = m->cores;
    r->directory = m->l3_entries - m->l3.ways;
    r->line = calloc(LINES, sizeof r->line[0]);
    for (uint32_t p = 0; p < PACKAGES; p++) {
        r->l3[p] = malloc(sizeof(int64_t) * r->sets * r->ways);
        r->left[p] = malloc(sizeof(uint64_t) * r->sets * r->ways);
        r->entry[p] = malloc(sizeof(int64_t) * (r->sets * r->directory + 1));
        r->next[p] = calloc(r->sets, sizeof(uint32_t));
        for (uint32_t i = 0; i < r->sets * r->directory; i++)
            r->entry[p][i] = -1;
        for (uint32_t i = 0; i < r->sets * r->ways; i++) {
            r->l3[p][i] = -1;
            r->left[p][i] = i % r->ways; /* at first the last way is taken first */
        }
        for (uint32_t c = 0; c < r->cores; c++) {
            private_make(&r->l1[p][c], m->l1.sets, m->l1.ways);
            private_make(&r->l2[p][c], m->l2.sets, m->l2.ways);
        }
    }
    r->now = r->ways;
    return r;
}

static void reference_free(struct reference *r)
{
    for (uint32_t p = 0; p < PACKAGES; p++) {
        free(r->l3[p]);
        free(r->left[p]);
        free(r->entry[p]);
        free(r->next[p]);
        for (uint32_t c = 0; c < r->cores; c++) {
            free(r->l1[p][c].way);
            free(r->l1[p][c].turn);
            free(r->l2[p][c].way);
            free(r->l2[p][c].turn);
        }
    }
    free(r->line);
    free(r);
}

static void compare(struct model *m, const struct reference *r, uint32_t step)
{
    for (uint32_t p = 0; p < PACKAGES; p++) {
        struct domain *d = &m->domain[p];
        uint64_t victims = 0, fills = 0;

        for (uint32_t i = 0; i < RMIDS; i++) {
            struct model_truth t;

            model_truth(m, p, i, &t);
            cr_assert_eq(t.rmid_lines, r->lines[p][i], "step %u package %u RMID %u: %lu lines, reference %lu", step, p,
                         i, t.rmid_lines, r->lines[p][i]);
            cr_assert_eq(t.rmid_total_lines, r->total[p][i]);
            cr_assert_eq(t.rmid_local_lines, r->local[p][i]);
        }
        for (uint32_t s = 0; s < SLICES; s++) {
            fills += d->slice[s].fill;
            victims += SUM_OF(uint64_t, state, STATES, d->slice[s].victim[state]);
        }
        cr_assert_eq(victims, r->victims[p], "step %u package %u: %lu victims, reference %lu", step, p, victims,
                     r->victims[p]);
        cr_assert_eq(fills, r->fills[p]);
        cr_assert_eq(cache_write_backs(m, d), r->written_back[p], "step %u package %u: %lu written back, reference %lu",
                     step, p, cache_write_backs(m, d), r->written_back[p]);
    }
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Cores work on a range of lines for a while, now small, now large; some ranges are two cores'. */
static void side_by_side(const char *profile, uint32_t cores, uint32_t threads)
{
    struct model_config config = MODEL(profile, PACKAGES, cores, threads, .slices = SLICES, .seed = 7);
    char error[512] = "";
    struct model *m = model_new(&config, error, sizeof error);
    uint64_t state = 1, from[PACKAGES * CORES] = { 0 }, span[PACKAGES * CORES] = { 0 };
    struct reference *r;

    cr_assert(m, "%s", error);
    for (uint32_t p = 0; p < PACKAGES; p++)
        model_memory(m, number_of(p * LINES / 2) * 64, number_of(LINES / 2) * 64, p);
    r = reference_of(m);
    for (uint32_t k = 0; k < CLASSES; k++)
        r->mask[k] = k == 0 ? (uint32_t)low_bits(r->ways) : k == 1 ? 0x7u : (uint32_t)low_bits(r->ways) & ~0x1Fu;
    for (uint32_t p = 0; p < PACKAGES; p++)
        for (uint32_t k = 0; k < CLASSES; k++)
            m->domain[p].l3_mask[k] = r->mask[k];
    for (uint32_t step = 0; step < ACCESSES; step++) {
        uint32_t n = (uint32_t)draw(&state) % (PACKAGES * cores), cpu = n * threads + (uint32_t)draw(&state) % threads;
        struct who w = { n / cores, n % cores, m->cpu[cpu].rmid, m->cpu[cpu].clos };
        bool store = draw(&state) % 4 == 0;
        enum cache_level expected, found;
        uint32_t line;

        if (step % 20011 == 0 || span[n] == 0) {
            span[n] = (uint64_t)GROUPS << draw(&state) % 11;
            from[n] = draw(&state) % LINES;
        }
        if (step % 5003 == 0) {
            w.rmid = (uint32_t)draw(&state) % RMIDS;
            w.clos = (uint32_t)draw(&state) % CLASSES;
            m->cpu[cpu].rmid = m->cpu[cpu].tag = w.rmid;
            m->cpu[cpu].clos = w.clos;
        }
        line = (uint32_t)((from[n] + draw(&state) % span[n]) % LINES);
        expected = reference_access(r, w, line, store);
        found = model_access_level(m, cpu, number_of(line) * 64 + step % 8 * 8, 8, store ? MODEL_STORE : MODEL_LOAD);
        cr_assert_eq(found, expected, "step %u line %u core %u %s: level %d, reference %d", step, line, n,
                     store ? "store" : "load", found, expected);
        if (step % CHECK_EACH == 0)
            compare(m, r, step);
    }
    compare(m, r, ACCESSES);
    for (uint32_t p = 0; p < PACKAGES; p++) { /* else it was no test */
        cr_expect_gt(r->victims[p], ACCESSES / 1000);
        cr_expect_gt(r->written_back[p], ACCESSES / 1000);
    }
    reference_free(r);
    model_free(m);
}

Test(reference_l3, agrees_with_an_inclusive_l3)
{
    side_by_side("bdx", 3, 2);
}

Test(reference_l3, agrees_with_an_l3_that_is_not_inclusive)
{
    side_by_side("skx", 3, 1);
}

Test(reference_l3, agrees_with_the_l3_of_a_core_complex)
{
    side_by_side("zen3", 2, 2);
}
