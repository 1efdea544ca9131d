/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/waves.h"
#include "core/base/bits.h"
#include "core/experiment/plateau.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/monitor.h"

/* --- ratios by processor, in any order, as a series ---------------------------------------------------------------- */

struct cpu_ratios {
    double *cpu, *ratio; /* [capacity] */
    uint32_t n;
};

static enum status cpu_ratios_open(struct check *c, struct cpu_ratios *s, uint32_t capacity)
{
    *s = (struct cpu_ratios){ .cpu = check_alloc(c, (capacity + 1) * sizeof s->cpu[0]),
                              .ratio = check_alloc(c, (capacity + 1) * sizeof s->ratio[0]) };
    return s->cpu && s->ratio ? ST_OK : check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the series of processors");
}

static void cpu_ratios_add(struct cpu_ratios *s, uint32_t cpu, double ratio)
{
    uint32_t i = s->n++;

    for (; i > 0 && s->cpu[i - 1] > cpu; i--) { /* threads of the boot processor come last */
        s->cpu[i] = s->cpu[i - 1];
        s->ratio[i] = s->ratio[i - 1];
    }
    s->cpu[i] = cpu;
    s->ratio[i] = ratio;
}

/* T_occ of a small fill is most of it, and the same fill by other processors is the finer measure: one that has less than
 * each of the others by more than twice the share that is alike. */
static void judge_lowest(struct check *c, uint32_t domain, const struct cpu_ratios *s, double share)
{
    uint32_t low = 0;
    double next = NO_BOUND;

    for (uint32_t i = 1; i < s->n; i++)
        low = s->ratio[i] < s->ratio[low] ? i : low;
    for (uint32_t i = 0; i < s->n; i++)
        next = i != low && s->ratio[i] < next ? s->ratio[i] : next;
    if (s->n > 1 && s->ratio[low] < (1 - 2 * share) * next)
        finding(c, FINDING_UNUSUAL, 0, FOUND_OCCUPANCY_LOW_FINE, place_domain_cpu(domain, (uint32_t)s->cpu[low]),
                "%lu %% of what this processor filled is counted, of what the others filled %lu %% and more",
                (uint64_t)(100 * s->ratio[low]), (uint64_t)(100 * next));
}

static enum status cpu_ratios_show(struct check *c, uint32_t domain, const struct cpu_ratios *s, const struct waves *w)
{
    struct flat f = { .name = w->series, .x_name = "cpu", .x = s->cpu, .y = s->ratio, .n = s->n, .share = w->share };
    struct plateau p;

    if (s->n && w->event == QM_EVENT_L3_OCCUPANCY)
        judge_lowest(c, domain, s, w->share);
    return s->n ? flat_show(c, domain, &f, &p) : ST_OK;
}

static uint32_t free_rmids(struct check *c, uint32_t domain, const struct waves *w, uint32_t *rmids, uint32_t want)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? domain_rmids_any(c, domain, rmids, want)
                                             : domain_rmids(c, domain, rmids, want);
}

static enum status wave_take(struct check *c, uint32_t cpu, const struct waves *w, uint64_t bytes, uint64_t *base)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? memory_scatter_any(c, cpu, bytes, base)
                                             : memory_scatter_local(c, cpu, bytes, base);
}

static bool is_occupancy(const struct waves *w)
{
    return w->event == QM_EVENT_L3_OCCUPANCY;
}

static uint64_t bytes_of(const struct waves *w, uint32_t i)
{
    return (i + 1) * w->bytes;
}

static uint64_t bytes_before(const struct waves *w, uint32_t n)
{
    return SUM_OF(uint64_t, i, n, bytes_of(w, i));
}

uint32_t waves_fit(const struct check *c, uint32_t domain, uint64_t bytes)
{
    const struct waves w = { .event = QM_EVENT_L3_OCCUPANCY, .bytes = bytes };
    uint64_t room = c->machine->domains[domain].l3_bytes / 4 * 3, each = fill_scratch_bytes(c, domain) / 2;
    uint32_t n = 1;

    while (n < WAVE_SIZES && bytes_before(&w, n + 1) + (n + 1) * each <= room)
        n++;
    return n;
}

/* RMIDs, and the bits that any of them has set, and that all have. */
struct rmids_seen {
    uint32_t n, any, all;
};

/* Those that counted too little of what a processor did, and those that counted it. */
struct rmid_outcome {
    struct rmids_seen low, counted;
};

/* n processors at once, each with an RMID and a buffer of its own. */
struct wave {
    const struct waves *of;
    const uint32_t *cpus, *rmids;
    struct rmid_outcome *outcomes; /* [n], or NULL */
    uint32_t n;
    uint64_t base, scratch;
    enum fill_by by;
    uint32_t in_mwait;         /* processors that rested in MWAIT, so far */
    bool searched;             /* for the RMID that counts what a processor's own lacks: once */
    bool with_errata;          /* RMIDs of which an erratum makes MBM count less, too */
    struct cpu_ratios *ratios; /* or NULL */
    struct traffic_part parts[WAVE_MOST];
    struct fill fills[WAVE_MOST];
    struct traffic_load loads[WAVE_MOST];
    struct reading r[2 * WAVE_MOST]; /* of MBM local after those of total */
};

static void plan_reads(struct wave *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        k->parts[i] = part_read(k->rmids[i], k->base + bytes_before(k->of, i), bytes_of(k->of, i));
        k->loads[i] =
            (struct traffic_load){ .cpu = k->cpus[i], .n_parts = 1, .parts = &k->parts[i], .rest_ns = k->of->rest_ns };
    }
}

static enum status plan_fills(struct check *c, uint32_t domain, struct wave *k)
{
    enum status st;

    for (uint32_t i = 0; i < k->n; i++)
        k->fills[i] = (struct fill){ .check = c,
                                     .domain = domain,
                                     .cpu = k->cpus[i],
                                     .rmid = k->rmids[i],
                                     .clos = TRAFFIC_KEEP,
                                     .by = k->by,
                                     .base = k->base + bytes_before(k->of, i),
                                     .bytes = bytes_of(k->of, i) };
    st = fill_together(k->fills, k->n, k->scratch, k->loads);
    for (uint32_t i = 0; i < k->n; i++)
        k->loads[i].rest_ns = k->of->rest_ns;
    return st;
}

static void expect_wave(struct check *c, uint32_t domain, struct wave *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        k->r[i] = reading_of(k->of->name, domain, k->rmids[i], k->of->event);
        k->r[i].has_cpu = true;
        k->r[i].cpu = k->cpus[i];
        if (is_occupancy(k->of))
            expect_occupancy(c, &k->r[i], (double)bytes_of(k->of, i), 0);
        else
            expect_bandwidth(c, &k->r[i], (double)bytes_of(k->of, i));
        if (k->with_errata) {
            k->r[i].lo *= MBM_LEAST;
            k->r[i].expected = 0; /* the others exclude what these do not */
        }
    }
}

/* Where one processor's RMID lacks bytes, the one that has them instead, if no processor of the wave has it. */
static enum status search_elsewhere(struct wave *k, const struct experiment *e)
{
    double missing = 0, moved = 0;
    const struct reading *lacking = NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->n; i++) {
        const struct reading *r = &k->r[i];

        moved += (double)bytes_of(k->of, i);
        if (r->bytes < 0 || r->bytes >= r->lo)
            continue;
        missing += (double)bytes_of(k->of, i) - r->bytes;
        lacking = r;
        n++;
    }
    if (n != 1 || k->searched)
        return ST_OK;
    k->searched = true;
    return mbm_report_elsewhere(e, missing / moved, false, reading_place(lacking));
}

static void note_outcomes(struct wave *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        struct rmid_outcome *o = &k->outcomes[i];
        struct rmids_seen *s = k->r[i].bytes < k->r[i].lo ? &o->low : &o->counted;

        s->all = s->n ? s->all & k->rmids[i] : k->rmids[i];
        s->any |= k->rmids[i];
        s->n++;
    }
}

/* A processor that loses or adds a bit of its RMID fails with some RMIDs and not with others, and some other processor
 * with none. */
static void judge_outcomes(struct check *c, uint32_t domain, const uint32_t *cpus, const struct rmid_outcome *outcomes,
                           uint32_t n)
{
    if (ALL_OF(i, n, outcomes[i].low.n > 0))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct rmid_outcome *o = &outcomes[i];
        uint32_t lost = o->low.all & ~o->counted.any, added = o->counted.all & ~o->low.any;

        if (o->low.n && o->counted.n && (lost || added))
            finding(c, FINDING_UNUSUAL, 0, FOUND_RMID_DIFFERS, place_domain_cpu(domain, cpus[i]),
                    "the %u RMIDs that count too little have bit 0x%x %s, the %u others %s", o->low.n,
                    lost ? lost : added, lost ? "set" : "clear", o->counted.n, lost ? "clear" : "set");
    }
}

/* Errors: those of experiment_measure(). */
static enum status wave(struct check *c, uint32_t domain, struct wave *k)
{
    struct experiment e = { .check = c, .loads = k->loads, .n_loads = k->n, .readings = k->r, .n_readings = k->n };

    expect_wave(c, domain, k);
    if (k->of->event == QM_EVENT_L3_TOTAL)
        e.n_readings = readings_add_local(c, k->cpus[0], k->r, k->n);
    if (is_occupancy(k->of))
        TRY(plan_fills(c, domain, k));
    else
        plan_reads(k);
    TRY(is_occupancy(k->of) ? fill_measure(&e, &k->fills[0], FILL_BY_CONTROL) : experiment_measure(&e));
    for (uint32_t i = 0; k->ratios && i < k->n; i++)
        cpu_ratios_add(k->ratios, k->cpus[i], k->r[i].bytes / (double)bytes_of(k->of, i));
    for (uint32_t i = 0; i < k->n; i++)
        k->in_mwait += k->loads[i].in_mwait;
    if (k->outcomes)
        note_outcomes(k);
    readings_bind_local(c, k->r, k->n, e.n_readings);
    experiment_judge(&e, k->of->stimulus);
    return is_occupancy(k->of) ? ST_OK : search_elsewhere(k, &e);
}

/* Memory for waves of n processors. */
static enum status wave_memory(struct check *c, uint32_t domain, struct wave *k, uint32_t n)
{
    TRY(wave_take(c, k->cpus[0], k->of, bytes_before(k->of, n), &k->base));
    return is_occupancy(k->of) ? fill_scratch(c, domain, k->cpus[0], n, &k->scratch) : ST_OK;
}

/* --- every bit of the RMIDs --------------------------------------------------------------------------------------- */

/* An RMID for the i-th processor of each wave, which shows any bit set, and any clear, once at least. Returns how many bits
 * all of them show for the first time. */
static uint32_t next_rmids(const uint32_t *pool, uint32_t n_pool, struct rmid_bits *tried, uint32_t *rmids, uint32_t n)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += domain_next_rmid(pool, n_pool, &tried[i], rmids, i);
    return sum;
}

/* All processors once under the RMIDs of the wave. One that could not be measured is named, and the others follow. */
static void run_waves(struct check *c, uint32_t domain, struct wave *k, uint32_t n_cpus, uint32_t at_once)
{
    const uint32_t *cpus = k->cpus;
    struct rmid_outcome *outcomes = k->outcomes;

    for (uint32_t i = 0; i < n_cpus; i += at_once) {
        k->cpus = cpus + i;
        k->outcomes = outcomes + i;
        k->n = n_cpus - i < at_once ? n_cpus - i : at_once;
        check_conclude(c, wave(c, domain, k));
    }
    k->cpus = cpus;
    k->outcomes = outcomes;
}

/* One round after another, until each bit of the RMIDs of the pool was set and clear once. */
static void run_rounds(struct check *c, uint32_t domain, struct wave *k, uint32_t n_cpus, uint32_t at_once,
                       const uint32_t *pool, uint32_t n_pool, struct rmid_bits *tried)
{
    uint32_t rmids[WAVE_MOST];

    k->rmids = rmids;
    while (next_rmids(pool, n_pool, tried, rmids, at_once)) {
        run_waves(c, domain, k, n_cpus, at_once);
        k->ratios = NULL;       /* of the first round: one a processor */
        k->by = FILL_BY_STORES; /* in the others, which an inclusive L3 is to count as well */
        if (k->of->rest_ns)
            break;
    }
}

/* An RMID bit that is lost, or always set, on a single thread shows in no other check. */
enum status waves_every_thread(struct check *c, uint32_t domain, const struct waves *w)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint32_t *cpus = check_alloc(c, (d->n_cpus + 1) * sizeof cpus[0]), at_once, n, n_pool;
    uint32_t *pool = check_alloc(c, (d->max_rmid + 1) * sizeof pool[0]);
    struct rmid_bits tried[WAVE_MOST] = { { 0 } };
    struct rmid_outcome *outcomes = check_alloc(c, (d->n_cpus + 1) * sizeof outcomes[0]);
    struct cpu_ratios ratios;
    struct wave *k = check_alloc(c, sizeof *k);

    if (cpus == NULL || pool == NULL || outcomes == NULL || k == NULL)
        return check_unmeasured(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the lists of processors and RMIDs");
    TRY(cpu_ratios_open(c, &ratios, d->n_cpus));
    n = domain_cpus(c, domain, cpus, d->n_cpus);
    n = n < d->n_cpus ? n : d->n_cpus;
    n_pool = free_rmids(c, domain, w, pool, d->max_rmid);
    at_once = w->at_once < n ? w->at_once : n;
    at_once = at_once < n_pool ? at_once : n_pool;
    at_once = at_once < WAVE_MOST ? at_once : WAVE_MOST;
    if (at_once == 0)
        return check_absent(c, "L3 domain %u: no processor or no free RMID", domain);
    *k = (struct wave){ .of = w, .cpus = cpus, .outcomes = outcomes, .ratios = &ratios };
    TRY(wave_memory(c, domain, k, at_once));
    run_rounds(c, domain, k, n, at_once, pool, n_pool, tried);
    k->with_errata = !is_occupancy(w);
    if (k->with_errata && !w->rest_ns)
        run_rounds(c, domain, k, n, at_once, pool, domain_rmids_any(c, domain, pool, d->max_rmid), tried);
    judge_outcomes(c, domain, cpus, outcomes, n);
    if (w->rest_ns)
        check_note(c, "L3 domain %u: %u of %u processors rested in MWAIT too", domain, k->in_mwait, n);
    return cpu_ratios_show(c, domain, &ratios, w);
}

enum status waves_siblings(struct check *c, uint32_t domain, const struct waves *w)
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[2], n, stride;
    uint32_t *first;
    struct wave *k;

    TRY_ALLOC(c, first, n_cpus + 1, "the list of processors");
    TRY_ALLOC(c, k, 1, "the list of processors");
    n = domain_sibling_pairs(c, domain, first, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    stride = n > SIBLING_CORES ? n / SIBLING_CORES : 1;
    if (n == 0 || free_rmids(c, domain, w, rmids, 2) < 2)
        return check_absent(c, "L3 domain %u: no two threads of one core, or fewer than two free RMIDs", domain);
    *k = (struct wave){ .of = w, .cpus = first, .rmids = rmids, .n = 2 };
    TRY(wave_memory(c, domain, k, 2));
    for (uint32_t i = 0; i < n; i += stride) {
        uint32_t pair[2] = { first[i], domain_sibling(c, first[i]) };

        k->cpus = pair;
        if (pair[1] != UINT32_MAX)
            check_conclude(c, wave(c, domain, k));
    }
    if (stride > 1)
        check_note(c, "L3 domain %u: judged on %u of %u cores with two threads", domain, (n + stride - 1) / stride, n);
    return ST_OK;
}
