/* Queues: what enters them, how many entries they hold in each clock, and what threshold and edge make of increments
 * that are larger than one. Witness: a chain of dependent loads, of which one at most is under way, and the box's
 * clock.
 */
#include "core/bits.h"
#include "core/checks/families.h"
#include "core/checks/pmon_flow.h"
#include "core/heap.h"
#include "core/script.h"
#include "core/text.h"

#define GUIDE_QUEUE                                                                                                    \
    "E5-2600 Uncore Guide 327043-001 2.3.5 TOR_INSERTS and TOR_OCCUPANCY, 2.5.7 RPQ_INSERTS and RPQ_OCCUPANCY"
#define GUIDE_RESET "SDM vol. 3B 18.8.2.2 Uncore Performance Event Configuration Facility, OCC_CTR_RST (old numbering)"

#define LOADS       1024u
#define APART       5000u /* TSC ticks between two: longer than any takes */
#define MANY        8u    /* fewer inserts in a box say nothing           */
#define LAST_THRESH 4u    /* one load under way, and what else is on      */
#define NOISE       0.25  /* every threshold has a run of its own, in which other requests may fall */
#define STALE       0.01  /* entries a clock in an idle queue     */

enum { OCCUPANCY, INSERTS, CLOCK, ELSEWHERE }; /* counters of each box */

static const char *inserts_of(const struct pmon_unit *u)
{
    return u->kind == PMON_CHA ? "tor_miss" : u->kind == PMON_IMC ? "rpq_inserts" : "gq_inserts";
}

static const char *occupancy_of(const struct pmon_unit *u)
{
    return u->kind == PMON_CHA ? "tor_occupancy" : u->kind == PMON_IMC ? "rpq_occupancy" : "gq_occupancy";
}

static bool has_queue(const struct pmon_unit *u)
{
    return lab_clocked(u) && u->counters >= CLOCK + 1 &&
           (u->kind == PMON_CHA || u->kind == PMON_IMC || u->kind == PMON_UNCORE) &&
           pmon_event_named(u, inserts_of(u)) && pmon_event_named(u, occupancy_of(u));
}

/* The entries that inserts counts, so with its sub-event: a TOR has one code for each. */
static uint64_t occupancy_ctl(const struct pmon_unit *u, uint32_t thresh, bool edge)
{
    const struct pmon_named *in = pmon_event_named(u, inserts_of(u)), *occ = pmon_event_named(u, occupancy_of(u));
    struct pmon_event event = { .ev_sel = occ->ev_sel,
                                .umask = occ->umask,
                                .extra = occ->extra,
                                .thresh = thresh,
                                .edge_det = edge,
                                .enable = true };
    uint64_t ctl = 0;

    if (u->kind == PMON_CHA) {
        event.umask = in->umask;
        event.extra = in->extra;
    }
    return pmon_encode(u, &event, &ctl) == ST_OK ? ctl : 0;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

struct seen { /* by one box */
    double occupancy, inserts, clocks, elsewhere;
};

struct queues {
    struct lab lab;
    struct flow flow;
    struct flow_counts counts;
    struct seen *plain;  /* [lab.n] thresh 0              */
    struct seen *edges;  /* thresh 1 and edge_det          */
    struct seen *thresh; /* [LAST_THRESH * lab.n], from 1 */
};

static bool run(struct queues *q, uint32_t thresh, bool edge, struct seen *seen)
{
    enum status st;

    lab_clear(&q->lab);
    for (uint32_t i = 0; i < q->lab.n; i++) {
        struct lab_box *b = &q->lab.boxes[i];

        flow_select(b, INSERTS, inserts_of(b->unit)); /* and the filter that it needs */
        b->ctl[OCCUPANCY] = occupancy_ctl(b->unit, thresh, edge);
        b->ctl[CLOCK] = lab_clock_ctl(b->unit);
        if (b->unit->counters > ELSEWHERE)
            b->ctl[ELSEWHERE] = b->ctl[OCCUPANCY];
    }
    st = flow_run(&q->lab, &q->flow, &q->counts);
    if (st != ST_OK) {
        cannot_measure(q->lab.check, st, q->flow.bad_cpu, "the loads");
        return false;
    }
    for (uint32_t i = 0; i < q->lab.n; i++) {
        const struct lab_box *b = &q->lab.boxes[i];

        seen[i] = (struct seen){ flow_got(&q->counts, &q->lab, b, OCCUPANCY), flow_got(&q->counts, &q->lab, b, INSERTS),
                                 (double)lab_counts(b, CLOCK), /* of the idle window, which is as long */
                                 flow_got(&q->counts, &q->lab, b, ELSEWHERE) };
    }
    return true;
}

/* One line after another, and a pause behind each. */
static enum status run_apart(struct flow *flow, struct platform *p)
{
    struct work *works = heap_alloc(sizeof *works * LOADS * flow->n);
    struct step *steps = heap_alloc(sizeof *steps * 2 * LOADS * flow->n);
    struct task *tasks = heap_alloc(sizeof *tasks * flow->n);
    enum status st = works && steps && tasks ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0; i < flow->n && st == ST_OK; i++) {
        for (uint32_t k = 0; k < LOADS; k++) {
            struct work *w = &works[i * LOADS + k];

            *w = (struct work){ .kind = WORK_READ, .passes = 1, .base = flow->streams[i].base + 64 * k, .bytes = 64 };
            steps[2 * (i * LOADS + k)] = step_work(w);
            steps[2 * (i * LOADS + k) + 1] = step_spin(APART);
        }
        tasks[i] = (struct task){ .cpu = flow->streams[i].cpu, .n_steps = 2 * LOADS, .steps = &steps[2 * i * LOADS] };
    }
    if (st == ST_OK)
        st = platform_run(p, tasks, flow->n, work_budget_ms(flow->n * LOADS * 64));
    for (uint32_t i = 0; i < flow->n && tasks && st != ST_OK; i++)
        if (tasks[i].status != ST_OK)
            flow->bad_cpu = tasks[i].cpu;
    heap_free(works);
    heap_free(steps);
    heap_free(tasks);
    return st;
}

static bool prepare(struct queues *q)
{
    struct check *c = q->lab.check;

    q->plain = heap_alloc(sizeof *q->plain * q->lab.n);
    q->edges = heap_alloc(sizeof *q->edges * q->lab.n);
    q->thresh = heap_alloc(sizeof *q->thresh * q->lab.n * LAST_THRESH);
    if (!q->plain || !q->edges || !q->thresh) {
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "the queues");
        return false;
    }
    if (!flow_add_each(&q->flow, c, LOADS * 64))
        return false;
    q->flow.run = run_apart;
    q->flow.cold = true;
    return true;
}

static void close_queues(struct queues *q)
{
    heap_free(q->plain);
    heap_free(q->edges);
    heap_free(q->thresh);
    flow_free(&q->counts);
    lab_clear(&q->lab);
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static bool at_most(struct lab *lab, const struct lab_box *b, const char *what, double value, double most,
                    const char *defect)
{
    return lab_expect(lab, b, OCCUPANCY, what, value, "counts", -NO_BOUND, most * (1 + NOISE) + MANY, defect);
}

/* Of two runs, between which other traffic may come and go: told, and no failure. */
static void not_above(struct lab *lab, const struct lab_box *b, const char *what, double value, double most,
                      const char *defect)
{
    if (measure(lab->check, what, b->name, value, "counts", -NO_BOUND, most * (1 + NOISE) + MANY))
        return;
    warn(lab->check, "%s: %s is %llu: %s", b->name, what, (unsigned long long)value, defect);
}

/* What a run shows, as if as much had entered as in the plain one: what runs beside the loads, and the tables that
 * drive them, are not the same in every run. */
static double scaled(const struct queues *q, uint32_t i, const struct seen *seen)
{
    return seen->inserts >= MANY ? seen->occupancy * q->plain[i].inserts / seen->inserts : 0;
}

/* T2, T3: each threshold leaves no more than the one before, and all together what no threshold leaves. */
static void judge_thresholds(struct queues *q, uint32_t i)
{
    struct lab_box *b = &q->lab.boxes[i];
    double sum = 0, before = q->plain[i].occupancy;

    for (uint32_t t = 1; t <= LAST_THRESH; t++) {
        const struct seen *seen = &q->thresh[(t - 1) * q->lab.n + i];
        double got = scaled(q, i, seen);
        char what[64];

        text_format(what, sizeof what, "clocks with at least %u entries", t);
        at_most(&q->lab, b, what, seen->occupancy, seen->clocks, "more clocks are counted than there were");
        not_above(&q->lab, b, what, got, before, "a higher threshold counts more than a lower one");
        before = got;
        sum += got;
    }
    if (q->plain[i].occupancy > MANY &&
        (sum < q->plain[i].occupancy * (1 - NOISE) - MANY || sum > q->plain[i].occupancy * (1 + NOISE) + MANY)) {
        measure(q->lab.check, "sum over all thresholds, over the occupancy", b->name, sum / q->plain[i].occupancy,
                "ratio", 1 - NOISE, 1 + NOISE);
        warn(q->lab.check, "%s: clocks with 1, 2, 3 and 4 entries make %llu, and the occupancy is %llu", b->name,
             (unsigned long long)sum, (unsigned long long)q->plain[i].occupancy);
    }
}

/* G1: from none to some, once for each entry at most. */
static void judge_edges(struct queues *q, uint32_t i)
{
    struct lab_box *b = &q->lab.boxes[i];
    double edges = scaled(q, i, &q->edges[i]);

    at_most(&q->lab, b, "times that the queue began to fill", q->edges[i].occupancy, q->edges[i].inserts,
            "it began to fill more often than something entered it");
    not_above(&q->lab, b, "times that the queue began to fill", edges, scaled(q, i, &q->thresh[i]),
              "it began to fill more often than it was filled");
    if (q->thresh[i].occupancy > MANY && q->edges[i].inserts >= MANY)
        lab_expect(&q->lab, b, OCCUPANCY, "times that the queue began to fill", edges, "counts", 1, NO_BOUND,
                   "it held something and never began to");
}

/* Q2, Q3. */
static void judge_occupancy(struct queues *q, uint32_t i)
{
    const struct pmon_named *occ = pmon_event_named(q->lab.boxes[i].unit, occupancy_of(q->lab.boxes[i].unit));
    struct lab_box *b = &q->lab.boxes[i];

    if (q->plain[i].inserts < MANY) {
        if (!measure(q->lab.check, "occupancy of a queue that nothing entered", b->name, q->plain[i].occupancy,
                     "counts", -NO_BOUND, 1 / STALE * MANY))
            warn(q->lab.check, "%s: it holds entries, and its inserts count none", b->name);
        return;
    }
    lab_expect(&q->lab, b, OCCUPANCY, "clocks that an entry stayed", q->plain[i].occupancy / q->plain[i].inserts,
               "clocks", 1 - NOISE, NO_BOUND, "entries stay less than a clock");
    if (occ->counters == 1 && b->unit->counters > ELSEWHERE)
        measure(q->lab.check, "occupancy on a counter that is not for it, over counter 0", b->name,
                q->plain[i].elsewhere / q->plain[i].occupancy, "ratio", -NO_BOUND, NO_BOUND);
}

/* Q2: one load at most is under way, so all queues of a kind hold one entry in a clock at most. */
static void judge_package(struct queues *q, enum pmon_kind kind, uint32_t package)
{
    double entries = 0, clocks = 0;
    const char *name = "";
    char where[64];

    for (uint32_t i = 0; i < q->lab.n; i++) {
        const struct lab_box *b = &q->lab.boxes[i];

        if (b->unit->kind != kind || b->box->package != package || b->status != ST_OK)
            continue;
        entries += q->plain[i].occupancy;
        clocks = q->plain[i].clocks > clocks ? q->plain[i].clocks : clocks;
        name = b->unit->name;
    }
    if (clocks <= 0)
        return;
    text_format(where, sizeof where, "package %u %s", package, name);
    if (!measure(q->lab.check, "entries in a clock, of loads that are apart", where, entries / clocks, "entries",
                 -NO_BOUND, 1 + NOISE))
        warn(q->lab.check,
             "%s: its queues hold %u hundredths of an entry in a clock, and one load at most is under way", where,
             (unsigned)(entries / clocks * 100));
}

static enum verdict check_occupancy(struct check *c)
{
    static const enum pmon_kind kinds[] = { PMON_CHA, PMON_IMC, PMON_UNCORE };
    struct queues q = { .flow = { .passes = 1 } };
    bool good;

    if (!lab_open(&q.lab, c, has_queue))
        return c->verdict;
    good = prepare(&q) && run(&q, 0, false, q.plain) && run(&q, 1, true, q.edges);
    for (uint32_t t = 1; t <= LAST_THRESH && good; t++)
        good = run(&q, t, false, q.thresh + (t - 1) * q.lab.n);
    for (uint32_t i = 0; i < q.lab.n && good; i++) {
        if (q.lab.boxes[i].status != ST_OK)
            continue;
        judge_occupancy(&q, i);
        judge_thresholds(&q, i);
        judge_edges(&q, i);
    }
    for (uint32_t p = 0; p < c->machine->n_packages && good; p++)
        for (uint32_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            judge_package(&q, kinds[k], p);
    close_queues(&q);
    return lab_close(&q.lab);
}

/* --- Q1: nothing of what was stays -------------------------------------------------------------------------------- */

/* The queue's own reset where there is one, else that of the box. */
static void reset_all(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        if (b->unit->control->occ_rst)
            lab_write(lab, b, pmon_ctl(b->unit, OCCUPANCY), b->ctl[OCCUPANCY] | b->unit->control->occ_rst);
        else
            lab_write(lab, b, pmon_box_ctl(b->unit), pmon_freeze_value(b->unit) | b->unit->box->rst_ctrs);
        lab_read(lab, b, pmon_ctl(b->unit, OCCUPANCY));
    }
    lab_do(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        if (b->status == ST_OK && b->unit->control->occ_rst)
            lab_expect(lab, b, OCCUPANCY, "occupancy reset of the control",
                       (double)(lab_value(lab, b, 1) & b->unit->control->occ_rst), "bits", 0, 0,
                       "it always reads as a zero, and reads 1");
    }
}

static enum verdict check_reset(struct check *c)
{
    struct queues q = { .flow = { .passes = 1 } };

    if (!lab_open(&q.lab, c, has_queue))
        return c->verdict;
    if (prepare(&q) && run(&q, 0, false, q.plain)) {
        reset_all(&q.lab);
        for (uint32_t i = 0; i < q.lab.n; i++) /* as they stand: the reset clears them where it can */
            q.lab.boxes[i].preset[OCCUPANCY] = 0;
        lab_program(&q.lab);
        lab_window(&q.lab, lab_ticks(&q.lab));
        for (uint32_t i = 0; i < q.lab.n; i++) {
            struct lab_box *b = &q.lab.boxes[i];
            double clocks = (double)lab_counts(b, CLOCK), entries = (double)lab_counts(b, OCCUPANCY);

            if (b->status != ST_OK || clocks <= 0)
                continue;
            if (!measure(c, "entries in a clock of an idle queue after its reset", b->name, entries / clocks, "entries",
                         -NO_BOUND, STALE))
                warn(c, "%s: after its reset the idle queue counts %u thousandths of an entry a clock", b->name,
                     (unsigned)(entries / clocks * 1000));
        }
    }
    close_queues(&q);
    return lab_close(&q.lab);
}

const struct check_row pmon_queue_checks[] = {
    { .id = "pmon.occupancy",
      .title = "Queues hold what entered them, and thresholds and edges cut it as they should",
      .spec = GUIDE_QUEUE,
      .rows = "T2 T3 G1 Q2 Q3",
      .catches = "an occupancy or insert event that is dead or another, a comparison that is ignored or off by one",
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_occupancy },
    { .id = "pmon.occupancy-reset",
      .title = "A queue's occupancy starts from nothing after its reset",
      .spec = GUIDE_RESET,
      .rows = "Q1",
      .catches = "a stale occupancy, a write-only bit that reads 1",
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_reset },
};
