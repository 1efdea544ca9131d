/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every RMID from 0 to the highest, each with the same load: what was counted over what was moved, as a series.
 *
 * A defect of some RMIDs alone (BDF102, SKX99) shows as a step at one of them, and the RMID at which it stands tells an
 * engineer which one it is. RMIDs that the background runs under are shown and not judged. One task carries the loads
 * of many RMIDs one after the other, so that the walk costs a few runs.
 */
#include "arch/x86/rdt/mbm_correction.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define AT_ONCE     64u  /* RMIDs of one run */
#define NAMED       8u   /* odd ones that get a finding of their own */
#define LOCAL_LEAST 0.92 /* MB-05: of what is read from memory of the same node */
#define ROUNDING    2u   /* counts: one at each end */

enum kept { KEPT_FIRST, KEPT_LOCAL, KEPT_KINDS };

struct walk {
    struct check *check;
    uint32_t domain, cpu;
    uint64_t base, piece; /* bytes of one RMID's load */
    uint32_t at_once;
    enum qm_event events[KEPT_KINDS];
    uint32_t n_events;
    uint64_t tail; /* bytes read behind the loads, to drive them out of an L2 that is not part of the L3 */
    struct mbm_correction known; /* of bandwidth; factor 1 for occupancy */
    uint32_t rmids[AT_ONCE], n;  /* of this run */
    struct traffic_part *parts;  /* [AT_ONCE + 1] */
    struct reading *readings;    /* [AT_ONCE * KEPT_KINDS] */
    uint32_t n_kept, not_tracked;
    double *rmid, *ratio[KEPT_KINDS], *fixed; /* [highest RMID + 1]: as read, and corrected */
};

static bool walk_open(struct walk *w, struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t n = c->machine->domains[domain].max_rmid + 1;

    w->check = c;
    w->domain = domain;
    w->known.threshold = UINT32_MAX;
    w->parts = heap_alloc((AT_ONCE + 1) * sizeof w->parts[0]);
    w->readings = heap_alloc(AT_ONCE * KEPT_KINDS * sizeof w->readings[0]);
    w->rmid = heap_alloc(n * sizeof(double));
    w->fixed = heap_alloc(n * sizeof(double));
    for (uint32_t i = 0; i < KEPT_KINDS; i++)
        w->ratio[i] = heap_alloc(n * sizeof(double));
    if (domain_cpus(c, domain, &w->cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain), false;
    if (w->parts && w->readings && w->rmid && w->fixed && w->ratio[KEPT_FIRST] && w->ratio[KEPT_LOCAL])
        return true;
    return text_format(why, WHY_SIZE, "L3 domain %u: no memory for the series of %u RMIDs", domain, n), false;
}

static void walk_close(struct walk *w)
{
    heap_free(w->parts);
    heap_free(w->readings);
    heap_free(w->rmid);
    heap_free(w->fixed);
    for (uint32_t i = 0; i < KEPT_KINDS; i++)
        heap_free(w->ratio[i]);
}

/* As many RMIDs a run as memory, the table and `most` bytes allow. */
static bool walk_memory(struct walk *w, uint64_t most, bool local, char why[WHY_SIZE])
{
    uint64_t left = memory_left_any(w->check, w->cpu), room;

    most = most < left ? most : left;
    room = most > w->tail ? (most - w->tail) / w->piece : 0;
    w->at_once = room < 1 ? 1 : room < AT_ONCE ? (uint32_t)room : AT_ONCE;
    return (local ? take_local : take_any)(w->check, w->cpu, w->at_once * w->piece + w->tail, &w->base, why);
}

/* 32 counts, of which one more or less is 3 %; a loop's own code and page walks are nothing beside a quarter MiB. */
static uint64_t piece_bytes(const struct check *c, uint32_t domain)
{
    uint64_t bytes = ROUND_DOWN(32 * (uint64_t)c->machine->domains[domain].upscaling_factor);

    return bytes > MIB / 4 ? bytes : MIB / 4;
}

static void expect(const struct walk *w, struct reading *r)
{
    const struct l3_domain *d = &w->check->machine->domains[w->domain];
    double count = ROUNDING * (double)d->upscaling_factor, piece = (double)w->piece;

    if (rmid_in_background(w->check, r->rmid))
        return;
    if (r->event == QM_EVENT_L3_OCCUPANCY) {
        r->lo = piece * (1 - OCC_SHARE) - count;
        r->hi = piece * (1 + OCC_SHARE) + count;
        return;
    }
    piece /= mbm_correction_factor(&w->known, r->rmid);
    expect_bandwidth(w->check, r, piece);
    if (r->event == QM_EVENT_L3_LOCAL)
        r->lo *= LOCAL_LEAST;
}

/* The loads of w->rmids, and what came of them. On ST_UNAVAILABLE *untracked is the index of the RMID that it is. */
static enum status run_batch(struct walk *w, uint32_t *untracked)
{
    struct traffic_load load = { .cpu = w->cpu, .n_parts = w->n, .parts = w->parts };
    struct experiment e = { .check = w->check, .loads = &load, .n_loads = 1, .readings = w->readings };
    enum status st;

    for (uint32_t i = 0; i < w->n; i++) {
        w->parts[i] = part_read(w->rmids[i], w->base + i * w->piece, w->piece);
        for (uint32_t k = 0; k < w->n_events; k++) {
            struct reading *r = &w->readings[e.n_readings++];

            *r = reading_of("the load of one RMID", w->domain, w->rmids[i], w->events[k]);
            expect(w, r);
        }
    }
    if (w->tail)
        w->parts[load.n_parts++] = part_read(0, w->base + w->at_once * w->piece, w->tail);
    st = experiment_try(&e);
    *untracked = e.bad_reading / (w->n_events == 2 ? 2 : 1);
    if (st == ST_OK)
        for (uint32_t i = 0; i < w->n; i++) {
            for (uint32_t k = 0; k < w->n_events; k++)
                w->ratio[k][w->n_kept] = w->readings[i * w->n_events + k].bytes / (double)w->piece;
            w->rmid[w->n_kept++] = w->rmids[i];
        }
    else if (st != ST_UNAVAILABLE || is_intel(w->check))
        check_conclude(e.check, experiment_explain(&e, st));
    return st;
}

/* AMD tracks a limited number of RMIDs at a time, and says Unavailable of the others: those are left out. */
static bool walk_all(struct walk *w)
{
    uint32_t max = w->check->machine->domains[w->domain].max_rmid, next = 0;

    while (next <= max) {
        uint32_t untracked = 0;
        enum status st;

        for (w->n = 0; w->n < w->at_once && next <= max; next++)
            w->rmids[w->n++] = next;
        st = run_batch(w, &untracked);
        while (st == ST_UNAVAILABLE && !is_intel(w->check) && w->n > 1) {
            w->not_tracked++;
            for (uint32_t i = untracked; i + 1 < w->n; i++)
                w->rmids[i] = w->rmids[i + 1];
            w->n--;
            st = run_batch(w, &untracked);
        }
        if (st == ST_UNAVAILABLE && !is_intel(w->check)) {
            w->not_tracked++;
            continue;
        }
        if (st != ST_OK)
            return false;
    }
    if (w->not_tracked)
        note(w->check, "L3 domain %u: %u RMIDs are not tracked, and left out", w->domain, w->not_tracked);
    return w->n_kept > 0;
}

/* Without the RMIDs of the background: what is judged. Returns how many there are. */
static uint32_t drop_background(const struct walk *w, const double *ratio, double *x, double *y)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->n_kept; i++)
        if (!rmid_in_background(w->check, (uint32_t)w->rmid[i])) {
            x[n] = w->rmid[i];
            y[n++] = ratio[i];
        }
    return n;
}

/* --- bandwidth: MB-02, MB-12 -------------------------------------------------------------------------------------- */

static unsigned long long percent_of(double ratio)
{
    return (unsigned long long)(ratio < 0 ? 0 : ratio * 100 + 0.5);
}

/* An erratum's RMIDs may be beyond what is documented: MB-12 of docs/conformance.tsv has grade W. */
static void odd_rmid(const struct walk *w, uint32_t rmid, const char *name, double ratio)
{
    struct check *c = w->check;
    bool soft = rmid > w->known.threshold;

    (soft ? warn : fail)(c, "L3 domain %u, RMID %u: %s is %llu %%%s", w->domain, rmid, name, percent_of(ratio),
                         soft ? " after the correction that is documented" : "");
}

/* Each ratio against the load, after the correction. A step gets one finding, that names it. */
static void judge_bandwidth(struct walk *w, const char *name, double *x, double *y, uint32_t n, double lo, double hi)
{
    struct check *c = w->check;
    struct plateau p;
    uint32_t bad = 0, named = 0;
    bool soft = true;
    char where[32];

    for (uint32_t i = 0; i < n; i++)
        y[i] *= mbm_correction_factor(&w->known, (uint32_t)x[i]);
    if (plateau_find(y, n, BW_SHARE, &p) != ST_OK)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (y[i] < lo || y[i] > hi) {
            bad++;
            soft &= x[i] > w->known.threshold;
        }
    domain_name(w->domain, where);
    if (measure(c, "RMIDs that count otherwise than the load, after any correction", where, bad, "RMIDs", 0, 0))
        return;
    if (p.stepped)
        (soft ? warn : fail)(c, "%s: from RMID %u on %s is %llu %%, below it %llu %%", where, (unsigned)x[p.at], name,
                             percent_of(p.after), percent_of(p.level));
    for (uint32_t i = 0; i < n && named < NAMED; i++) {
        double level = i < p.at ? p.level : p.after, off = y[i] > level ? y[i] - level : level - y[i];

        if ((y[i] >= lo && y[i] <= hi) || (p.stepped && off <= BW_SHARE * level))
            continue;
        named++;
        odd_rmid(w, (uint32_t)x[i], name, y[i]);
    }
}

/* The step that an erratum has must stand where its document says. */
static void name_erratum(const struct walk *w)
{
    const struct mbm_correction *k = &w->known;

    if (k->erratum && (k->millionths != 1000000))
        note(w->check, "%s: counts of RMIDs above %u are multiplied with %u millionths before they are judged",
             k->erratum, k->threshold, k->millionths);
    else if (k->erratum)
        note(w->check, "%s: for a part with so many RMIDs its factor is 1", k->erratum);
}

static void judge_kind(struct walk *w, uint32_t kind, const char *name, double lo)
{
    struct flat f = { .name = name, .x_name = "RMID", .x = w->rmid, .y = w->ratio[kind], .share = BW_SHARE };
    double *x = heap_alloc((w->n_kept + 1) * sizeof(double)),
           slack = ROUNDING * (double)w->check->machine->domains[w->domain].upscaling_factor / (double)w->piece;
    struct plateau p;
    uint32_t n;

    f.n = w->n_kept;
    if (x == NULL) {
        cannot_measure(w->check, ST_NO_MEMORY, w->cpu, "the series");
    } else if (legacy_said(w->check, flat_show(w->check, w->domain, &f, &p))) {
        n = drop_background(w, w->ratio[kind], x, w->fixed);
        if (n)
            judge_bandwidth(w, name, x, w->fixed, n, lo - slack, 1 + BW_SHARE + slack);
    }
    heap_free(x);
}

static bool bandwidth(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct walk w = { .events = { QM_EVENT_L3_TOTAL, QM_EVENT_L3_LOCAL }, .n_events = 1 };
    const struct rdt_info *rdt = reference_rdt(c);
    bool ready = walk_open(&w, c, domain, why);

    w.known = mbm_correction_of(&c->machine->cpus[c->machine->reference].id, c->machine->domains[domain].max_rmid + 1);
    w.piece = piece_bytes(c, domain);
    if (rdt->local && (c->machine->srat_present || c->machine->n_packages == 1))
        w.n_events = 2;
    ready = ready && walk_memory(&w, AT_ONCE * w.piece, true, why);
    if (ready && walk_all(&w)) {
        name_erratum(&w);
        judge_kind(&w, KEPT_FIRST, "total bytes counted over bytes read", 1 - BW_SHARE);
        if (w.n_events == 2)
            judge_kind(&w, KEPT_LOCAL, "local bytes counted over bytes read", (1 - BW_SHARE) * LOCAL_LEAST);
    }
    walk_close(&w);
    return ready;
}

LEGACY_DOMAIN(bandwidth)

/* --- occupancy: CM-13 --------------------------------------------------------------------------------------------- */

/* Held against the level of all RMIDs: loads this small are below what T_occ forgives, but all are alike. */
static void judge_occupancy(struct walk *w, const struct flat *f, const struct plateau *p)
{
    double slack = ROUNDING * (double)w->check->machine->domains[w->domain].upscaling_factor / (double)w->piece;
    uint32_t bad = 0, named = 0;
    char where[32];

    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < f->n; i++) {
            double level = i < p->at ? p->level : p->after, off = f->y[i] > level ? f->y[i] - level : level - f->y[i];

            if (off <= OCC_SHARE * level + slack)
                continue;
            if (pass == 0)
                bad++;
            else if (named++ < NAMED)
                warn(w->check, "L3 domain %u, RMID %u: %s is %llu %%, with others %llu %%", w->domain,
                     (unsigned)f->x[i], f->name, percent_of(f->y[i]), percent_of(level));
        }
    domain_name(w->domain, where);
    measure(w->check, "RMIDs that occupy otherwise than their like", where, bad, "RMIDs", 0, 0);
    if (p->stepped)
        warn(w->check, "%s: from RMID %u on %s is %llu %%, below it %llu %%", where, (unsigned)f->x[p->at], f->name,
             percent_of(p->after), percent_of(p->level));
}

static bool occupied(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct walk w = { .events = { QM_EVENT_L3_OCCUPANCY }, .n_events = 1 };
    struct flat f = { .name = "occupancy over bytes read", .x_name = "RMID", .share = OCC_SHARE };
    bool ready = walk_open(&w, c, domain, why);
    struct plateau p;

    w.piece = piece_bytes(c, domain);
    w.tail = d->l3_inclusive ? 0 : ROUND_DOWN(2 * l2_bytes_of(c));
    ready = ready && walk_memory(&w, ROUND_DOWN(d->l3_bytes / 2), false, why);
    if (ready && walk_all(&w)) {
        f.n = w.n_kept;
        f.x = w.rmid;
        f.y = w.ratio[KEPT_FIRST];
        if (legacy_said(c, flat_show(c, domain, &f, &p))) {
            f.n = drop_background(&w, f.y, w.rmid, w.fixed);
            f.y = w.fixed;
            if (f.n && plateau_find(f.y, f.n, f.share, &p) == ST_OK)
                judge_occupancy(&w, &f, &p);
        }
    }
    walk_close(&w);
    return ready;
}

LEGACY_DOMAIN(occupied)

static const struct check_row rows[] = {
    { .id = "cmt.every-rmid",
      .title = "The same fill occupies as much under every RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .rows = "CM-13",
      .detects = "RMIDs from some number on that count more or less; a single broken one",
      .means = "RMIDs from some number on count differently",
      .next = "the RMID where the step is; errata named behind the finding; `mbm.every-rmid`",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 650,
      .slow = true,
      .run_domain = occupied_status },
    { .id = "mbm.every-rmid",
      .title = "The same stream counts as much under every RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent); Linux resctrl monitor.c, errata BDF102, SKX99",
      .rows = "MB-02 MB-12",
      .detects =
          "RMIDs from some number on that count more or less, beyond what an erratum documents; a single broken one",
      .means = "RMIDs from some number on count differently",
      .next = "the RMID where the step is; the erratum and the factor that the note names; `cmt.every-rmid`",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 650,
      .slow = true,
      .run_domain = bandwidth_status },
};
CHECK_FAMILY(rmid_series, rows);
