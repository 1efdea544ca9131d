/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether capacity bit masks (CBM) act by the CLOS of each logical processor, and by no other's. Witness: occupancy. */
#include "core/base/text.h"
#include "core/experiment/cat_context.h"

#define SDM_CAT "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"

/* --- CA-08, CA-15 on every processor */

#define AT_ONCE 8u

/* For as many processors at once as there is memory for. In pieces too: for an upper bound it does not matter which
 * sets get the lines. */
struct buffers {
    uint64_t base, bytes; /* bytes: of one processor */
    double whole;         /* what one holds of them with a full CBM */
    uint32_t n;
};

/* In another CLOS it holds as much as with a full CBM; less by a bit of the CBM that does not act. */
static enum finding_code code_of(const struct buffers *b, double held)
{
    return held < 0.75 * b->whole ? FOUND_FILLS_MORE_WAYS : FOUND_FILLS_OUTSIDE_MASK;
}

static enum status take_buffers(struct check *c, const struct cat_context *k, uint32_t n_cpus, struct buffers *b)
{
    uint64_t bytes = cat_beyond_share(k, k->step_bytes), n = memory_left_scattered(c, k->cpus[0]) / bytes;

    n = n < n_cpus ? n : n_cpus;
    n = n < 1 ? 1 : n < AT_ONCE ? n : AT_ONCE;
    *b = (struct buffers){ .bytes = bytes, .n = (uint32_t)n };
    return memory_scatter_any(c, k->cpus[0], n * bytes, &b->base);
}

/* Processors in class 1 under one RMID; together they hold one way. held: [n] bytes of all of them. */
static enum status class_wave(struct check *c, uint32_t domain, const struct cat_context *k, const uint32_t *cpus,
                              uint32_t n, const struct buffers *b, double *held)
{
    struct traffic_load loads[AT_ONCE];
    struct reading r = cat_occupancy("occupancy of processors in a CLOS with one way", domain, k->rmids[0]);
    struct experiment e = { .check = c, .loads = loads, .n_loads = n, .readings = &r, .n_readings = 1 };
    char defect[96];

    for (uint32_t i = 0; i < n; i++) {
        struct fill f = cat_fill(c, domain, k, 1, b->base + i * b->bytes, b->bytes);

        f.cpu = cpus[i];
        TRY(fill_chain(&f, 1, &loads[i]));
    }
    cat_expect_share(c, k, &r, k->least, 1);
    r.lo = r.never_lo = r.tight_lo = 0;
    TRY(experiment_measure(&e));
    for (uint32_t i = 0; i < n; i++)
        held[i] = r.bytes;
    r.code = n == 1 ? code_of(b, r.bytes) : FOUND_FILLS_OUTSIDE_TOGETHER;
    r.has_cpu = n == 1;
    r.cpu = cpus[0];
    if (n == 1)
        text_format(defect, sizeof defect, "this processor reads in CLOS 1, which has one way");
    else
        text_format(defect, sizeof defect, "%u processors from cpu %u on read in CLOS 1, which has one way", n,
                    cpus[0]);
    experiment_judge(&e, defect);
    return ST_OK;
}

/* How many of these processors read at once: no two threads of a core, so that the other one is in class 0. */
static uint32_t wave_of(const struct check *c, const uint32_t *cpus, uint32_t n, uint32_t most)
{
    uint32_t wave = 1;

    for (; wave < n && wave < most; wave++)
        if (ANY_OF(i, wave, domain_same_core(c, cpus[i], cpus[wave])))
            return wave;
    return wave;
}

/* A wave that could not be measured is an ERROR of its own, and the others follow. */
static void class_waves(struct check *c, uint32_t domain, const struct cat_context *k, const uint32_t *cpus, uint32_t n,
                        const struct buffers *b, double *held)
{
    for (uint32_t i = 0, at_once; i < n; i += at_once) {
        uint32_t findings = c->state->record.n_findings;
        enum status st;

        at_once = wave_of(c, cpus + i, n - i, b->n);
        st = class_wave(c, domain, k, cpus + i, at_once, b, held + i);
        check_conclude(c, st);
        if (st != ST_OK || c->state->record.n_findings == findings || at_once == 1)
            continue;
        for (uint32_t one = i; one < i + at_once; one++) /* each alone, to name those that fill more */
            check_conclude(c, class_wave(c, domain, k, cpus + one, 1, b, held + one));
    }
}

/* AMD's count is an estimate with a tolerance of more than a way (APM vol. 2 19.3.2), so processors are compared with each
 * other: one that holds half a way more than another in the same class, twice. held: as of class_waves(), 0:
 * not measured. */
static enum status compare_processors(struct check *c, uint32_t domain, const struct cat_context *k,
                                      const uint32_t *cpus, uint32_t n, const struct buffers *b, double *held)
{
    double most = cat_most_of(c, k, domain, k->least), least = NO_BOUND, apart = 0.5 * (double)k->step_bytes / k->least;

    for (uint32_t i = 0; i < n; i++) {
        if (held[i] > most)
            TRY(class_wave(c, domain, k, cpus + i, 1, b, &held[i]));
        if (held[i] > 0 && held[i] < least)
            least = held[i];
    }
    if (c->state->record.n_findings > 0)
        return ST_OK;
    for (uint32_t i = 0; i < n; i++)
        if (least <= most && held[i] > most && held[i] > least + apart)
            finding(c, FINDING_UNUSUAL, 0, code_of(b, held[i]), place_domain_cpu(domain, cpus[i]),
                    "this processor holds %lu bytes in CLOS 1, which has one way, and another one %lu",
                    (uint64_t)held[i], (uint64_t)least);
    return ST_OK;
}

/* All processors in class 1 at once, their siblings too. Each fills its share of what one alone does, and what an L2 keeps. */
static enum status all_at_work(struct check *c, uint32_t domain, const struct cat_context *k, const uint32_t *cpus,
                               uint32_t n, const struct buffers *b)
{
    uint64_t each = ROUND_DOWN(b->bytes / n + k->l2_bytes + 0xFFF), base = b->base;
    struct reading r = cat_occupancy("occupancy of all processors in a CLOS with one way", domain, k->rmids[0]);
    struct experiment e = { .check = c, .n_loads = n, .readings = &r, .n_readings = 1 };
    bool more = n * each > b->n * b->bytes; /* than is taken already */

    if (more && memory_left_scattered(c, cpus[0]) < n * each) {
        check_note(c, "L3 domain %u: no memory to have all %u processors fill at once", domain, n);
        return ST_OK;
    }
    if (more)
        TRY(memory_scatter_any(c, cpus[0], n * each, &base));
    TRY_ALLOC(c, e.loads, n, "the loads of all processors");
    for (uint32_t i = 0; i < n; i++) {
        struct fill f = cat_fill(c, domain, k, 1, base + i * each, each);

        f.cpu = cpus[i];
        TRY(fill_chain(&f, 1, &e.loads[i]));
    }
    cat_expect_share(c, k, &r, k->least, 1);
    r.lo = r.never_lo = r.tight_lo = 0;
    r.code = FOUND_FILLS_OUTSIDE_CONTENDED;
    return experiment_check(&e, "all processors of the L3 read at once in CLOS 1, which has one way");
}

static enum status every_thread_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, n;
    uint32_t *cpus;
    double *held;
    uint64_t masks[2] = { cat_full_mask(k), cat_window(k, 0, 1) };
    struct reading r = cat_occupancy("", domain, k->rmids[0]);
    struct buffers b;
    struct fill alone;
    enum status st;

    TRY_ALLOC(c, cpus, n_cpus + 1, "the list of processors");
    TRY_ALLOC(c, held, n_cpus + 1, "the list of processors");
    n = domain_cpus(c, domain, cpus, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    st = take_buffers(c, k, n, &b);
    alone = cat_fill(c, domain, k, 1, b.base, b.bytes);
    expect_occupancy(c, &r, (double)k->step_bytes, 0);
    if (st == ST_OK)
        st = cat_control(c, k, &alone, r.hi, &b.whole);
    if (st == ST_OK)
        st = cat_set_masks(c, k, 2, masks);
    if (st == ST_OK)
        class_waves(c, domain, k, cpus, n, &b, held);
    if (st == ST_OK && n > 1 && c->state->record.n_findings == 0)
        st = all_at_work(c, domain, k, cpus, n, &b);
    if (st == ST_OK && !reference_is_intel(c) && c->state->record.n_findings == 0)
        st = compare_processors(c, domain, k, cpus, n, &b, held);
    return st;
}

/* --- CA-16: two processors in two classes at once */

static void expect_neighbours(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t bytes,
                              struct reading r[2])
{
    double way = (double)k->step_bytes;

    r[0] = cat_occupancy("occupancy of a processor in a CLOS with the whole L3", domain, k->rmids[0]);
    expect_occupancy(c, &r[0], (double)bytes, 0);
    r[0].lo = r[0].lo > way ? r[0].lo - way / 2 : r[0].lo; /* the way that both may fill */
    r[1] = cat_occupancy("occupancy of another processor in a CLOS with one way", domain, k->rmids[1]);
    expect_occupancy(c, &r[1], way, 1);
    r[1].lo = r[1].never_lo = 0; /* the other class fills that way as well */
    r[0].tight_lo = r[0].tight_hi = r[1].tight_lo = r[1].tight_hi = 0;
}

static enum status neighbour_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    uint64_t base = 0, bytes = cat_beyond_share(k, k->step_bytes);
    uint64_t masks[2] = { cat_full_mask(k), cat_window(k, 0, 1) };
    struct fill fills[2];
    struct traffic_load loads[2];
    struct reading r[2];
    struct experiment e = { .check = c, .loads = loads, .n_loads = 2, .readings = r, .n_readings = 2 };
    enum status st;

    if (k->n_cpus < 2)
        return check_absent(c, "L3 domain %u has processors of only one core", domain);
    st = memory_scatter_any(c, k->cpus[0], 2 * bytes, &base);
    TRY(st);
    TRY(cat_set_masks(c, k, 2, masks));
    TRY(cat_fill_whole(c, domain, k, 0, base, bytes, &fills[0]));
    fills[1] = cat_fill(c, domain, k, 1, base + bytes, bytes);
    fills[1].cpu = k->cpus[1];
    fills[1].rmid = k->rmids[1];
    for (uint32_t i = 0; i < 2 && st == ST_OK; i++)
        st = fill_chain(&fills[i], 1, &loads[i]);
    expect_neighbours(c, domain, k, bytes, r);
    r[1].filled = 0; /* what it holds of its buffer is the mask's */
    return st == ST_OK ? fill_check(&e, &fills[0], FILL_BY_CONTROL, "two processors in two CLOS filled at once") : st;
}

static const struct check_row rows[] = {
    { .id = "cat.every-thread",
      .title = "Every logical processor is held to the CBM of its CLOS",
      .covers = "CA-08 CA-15",
      .means = "the CLOS of a logical processor has no effect on its fills",
      .next = "the processor in the finding; `pqr.own-copy` for its register; whether its SMT sibling does it too",
      .run_cat = every_thread_experiment },
    { .id = "cat.neighbour",
      .title = "A processor's CLOS affects no other processor's fills",
      .covers = "CA-16",
      .means = "a processor fills in the CLOS of another one",
      .next = "`pqr.own-copy`; `cat.every-thread`; the two occupancies in the stream",
      .needs = NEED_2_CPUS,
      .run_cat = neighbour_experiment },
};
CHECK_FAMILY(cat_threads, rows, .spec = SDM_CAT, .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES,
             .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true,
             .excludes = true, .order = 500, .slow = true);
