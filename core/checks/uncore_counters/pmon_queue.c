/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Queues: their inserts, the entries that they hold in each clock, and threshold, invert and edge of increments larger
 * than one. Witness: loads one at a time, with pauses, the time that each takes by the TSC, and the box's clock. Every
 * figure is the median of several windows.
 */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/traffic_window.h"
#include "core/platform/script.h"
#include "core/base/stats.h"
#include "core/base/text.h"

#define GUIDE_QUEUE                                                                                                    \
    "E5-2600 Uncore Guide 327043-001 2.3.5 TOR_INSERTS and TOR_OCCUPANCY, 2.5.7 RPQ_INSERTS and RPQ_OCCUPANCY"
#define GUIDE_RESET "SDM vol. 3B 18.8.2.2 Uncore Performance Event Configuration Facility, OCC_CTR_RST (old numbering)"

#define LOADS       1024u
#define LOADS_A_BOX 32u   /* under a limit of load: an emulator takes far longer for the pauses */
#define APART       5000u /* TSC ticks between two: longer than any takes */
#define MANY        8u    /* fewer inserts in a box say nothing           */
#define LAST_THRESH 4u    /* one load in flight, and the background       */
/* Engineering choices, each wider than the background of an idle machine. */
#define NOISE   0.25 /* every threshold has a run of its own, in which other requests may fall */
#define STALE   0.01 /* entries a clock in an idle queue     */
#define WINDOWS 3u   /* medians of so many                   */
#define BUSY    0.4  /* more of its clocks a queue is not filled by background alone */
#define LONGER  0.25 /* an entry may be kept a little longer than the load waits: its completion has to get back */
#define TWICE   2.0  /* the time that a load takes bounds the time of its entry: never twice as long             */
#define LOAD_NS 40   /* no memory answers sooner: where loads take less, the TSC does not see them                */
#define PAIRS   0.5  /* of the clocks with an entry, those with two: a load may bring another one on             */
#define ALL     "cycles with and without an entry"

enum { OCCUPANCY, INSERTS, CLOCK, ELSEWHERE };                        /* counters of each box */
enum shape { AS_IT_IS, EDGES, INVERTED, FALLING = EDGES | INVERTED }; /* of what is counted: bits edge_det and invert */

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
    return pmon_session_clocked(u) && u->layout->counters >= CLOCK + 1 &&
           (u->kind == PMON_CHA || u->kind == PMON_IMC || u->kind == PMON_UNCORE) &&
           pmon_event_named(u, inserts_of(u)) && pmon_event_named(u, occupancy_of(u)) &&
           !pmon_event_named(u, occupancy_of(u))->unpublished;
}

/* The entries that inserts counts, so with its sub-event: a TOR has one code for each. */
static uint64_t occupancy_ctl(const struct pmon_unit *u, uint32_t thresh, enum shape shape)
{
    const struct pmon_named *in = pmon_event_named(u, inserts_of(u)), *occ = pmon_event_named(u, occupancy_of(u));
    struct pmon_event event = { .ev_sel = occ->ev_sel,
                                .umask = occ->umask,
                                .extra = occ->extra,
                                .thresh = thresh,
                                .edge_det = (shape & EDGES) != 0,
                                .invert = (shape & INVERTED) != 0,
                                .enable = true };
    uint64_t ctl = 0;

    if (u->kind == PMON_CHA) {
        event.umask = in->umask;
        event.extra = in->extra;
    }
    return pmon_encode(u, &event, &ctl) == ST_OK ? ctl : 0;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

enum figure { OCCUPIED, ENTERED, CLOCKS, BACKGROUND, IDLE, HZ, FIGURES };

struct seen { /* by one box: medians                                                               */
    double occupancy, inserts, clocks, elsewhere;
    double idle; /* what the occupancy's counter counted in the idle window, of which clocks are   */
    double hz;   /* of its clock, at most                                                          */
};

struct queues {
    struct pmon_session *session;
    struct traffic_window traffic;
    struct traffic_window_counts counts;
    struct seen *plain;    /* [session.n] thresh 0                                                     */
    struct seen *edges;    /* thresh 1 and edge_det                                                */
    struct seen *inverted; /* thresh 1 and invert                                                  */
    struct seen *falling;  /* thresh 1, invert and edge_det                                        */
    struct seen *thresh;   /* [LAST_THRESH * session.n], from 1                                        */
    double *windows;       /* [session.n * FIGURES * WINDOWS]                                          */
    uint32_t loads;        /* of each stream                                                       */
    double *durations;     /* [loads]                                                              */
    struct work *works;    /* [loads * traffic.n]                                                  */
    struct step *steps;    /* [2 * loads * traffic.n]                                              */
    double load_ticks;     /* that a load takes by the TSC: the longest of the streams' medians    */
};

static void pmon_queue_choose(struct queues *q, uint32_t thresh, enum shape shape)
{
    pmon_session_clear(q->session);
    pmon_session_each(q->session, b) {
        traffic_window_select(b, INSERTS, inserts_of(b->unit)); /* and the filter that it needs */
        b->ctl[OCCUPANCY] = occupancy_ctl(b->unit, thresh, shape);
        b->ctl[CLOCK] = pmon_session_clock_ctl(b->unit);
        if (b->unit->layout->counters > ELSEWHERE) /* the event that the inverted one is the inverse of */
            b->ctl[ELSEWHERE] = occupancy_ctl(b->unit, thresh, shape & EDGES);
    }
}

static double *window_of(struct queues *q, uint32_t i, enum figure f)
{
    return &q->windows[((size_t)i * FIGURES + f) * WINDOWS];
}

static double median_of(struct queues *q, uint32_t i, enum figure f)
{
    double *values = window_of(q, i, f);

    return stats_median(values, WINDOWS);
}

static void note_window(struct queues *q, uint32_t window)
{
    for (uint32_t i = 0; i < q->session->n; i++) {
        const struct pmon_session_box *b = &q->session->boxes[i];
        double lo;

        window_of(q, i, OCCUPIED)[window] = traffic_window_net(&q->counts, q->session, b, OCCUPANCY);
        window_of(q, i, ENTERED)[window] = traffic_window_net(&q->counts, q->session, b, INSERTS);
        window_of(q, i, BACKGROUND)[window] = traffic_window_net(&q->counts, q->session, b, ELSEWHERE);
        /* Of the idle window, which is as long. */
        window_of(q, i, CLOCKS)[window] = (double)pmon_session_counts(b, CLOCK);
        window_of(q, i, IDLE)[window] = (double)pmon_session_counts(b, OCCUPANCY);
        pmon_session_rate(q->session, b, CLOCK, &lo, &window_of(q, i, HZ)[window]);
    }
}

/* T4 of an increment that varies: in one window the clocks in which a queue holds something and those in which it holds
 * nothing are all clocks that there were. For events that other counters of the box can count too. Where sources
 * disagree on the clock event it is a WARN. */
static void judge_inverse(struct queues *q)
{
    struct check *c = q->session->check;

    pmon_session_each(q->session, b) {
        double clocks = (double)pmon_session_counts(b, CLOCK), sum;

        if (b->status != ST_OK || b->ctl[OCCUPANCY] == 0 || b->unit->layout->counters <= ELSEWHERE ||
            pmon_event_named(b->unit, occupancy_of(b->unit))->counters)
            continue;
        sum = (double)pmon_session_counts(b, OCCUPANCY) + (double)pmon_session_counts(b, ELSEWHERE);
        if (!b->unit->events.clock_unsure)
            pmon_session_expect(q->session, b, OCCUPANCY, ALL, sum, "counts", clocks - 2, clocks + 2,
                                FOUND_INVERT_MISCOUNTS, "their sum is not the cycles elapsed");
        else if (!check_measure(c, ALL, pmon_place(b->box), sum, "counts", clocks - 2, clocks + 2))
            finding(c, FINDING_UNUSUAL, 0, FOUND_INVERT_MISCOUNTS, pmon_place(b->box),
                    ALL " sum to %lu, event 0x%x umask 0x%x counts %lu", (uint64_t)sum, b->unit->events.clock_event,
                    b->unit->events.clock_umask, (uint64_t)clocks);
    }
}

/* 327043-001 (edge_det with invert: a 1 to 0 transition) and the SDM (of the condition that the fields express)
 * describe parts that have a guide: on others it is a WARN. */
static void falling_finding(struct queues *q, const struct pmon_session_box *b, double falling, double rising)
{
    struct check *c = q->session->check;

    pmon_session_show(q->session, b, pmon_ctl(b->unit, OCCUPANCY), b->ctl[OCCUPANCY]);
    finding(c, c->tools->pmon.part->no_guide ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_EDGES_MISCOUNTED,
            pmon_place(b->box), "a queue became occupied %lu times and empty %lu times", (uint64_t)rising,
            (uint64_t)falling);
}

/* G1 of falling edges: in one window what rises falls, but for the first and the last. For events that other counters
 * of the box can count too. */
static void judge_falling(struct queues *q)
{
    struct check *c = q->session->check;

    pmon_session_each(q->session, b) {
        double falling, rising;

        if (b->status != ST_OK || b->ctl[OCCUPANCY] == 0 || b->unit->layout->counters <= ELSEWHERE ||
            pmon_event_named(b->unit, occupancy_of(b->unit))->counters)
            continue;
        falling = traffic_window_with(&q->counts, q->session, b, OCCUPANCY);
        rising = traffic_window_with(&q->counts, q->session, b, ELSEWHERE);
        if (rising >= MANY)
            excludes(c, "falling edges that are not counted", 100 * 2 / rising, "%");
        if (!check_measure(c, "falling edges less rising edges", pmon_place(b->box), falling - rising, "counts", -1, 1))
            falling_finding(q, b, falling, rising);
    }
}

static enum status pmon_queue_run(struct queues *q, uint32_t thresh, enum shape shape, struct seen *seen)
{
    pmon_queue_choose(q, thresh, shape);
    for (uint32_t window = 0; window < WINDOWS; window++) {
        TRY_MEASURE(q->session->check, traffic_window_run(q->session, &q->traffic, &q->counts), q->traffic.bad_cpu,
                    "the loads");
        note_window(q, window);
        if (shape == INVERTED)
            judge_inverse(q);
        else if (shape == FALLING)
            judge_falling(q);
    }
    for (uint32_t i = 0; i < q->session->n; i++)
        seen[i] = (struct seen){ median_of(q, i, OCCUPIED),   median_of(q, i, ENTERED), median_of(q, i, CLOCKS),
                                 median_of(q, i, BACKGROUND), median_of(q, i, IDLE),    median_of(q, i, HZ) };
    return ST_OK;
}

static void note_durations(struct queues *q, const struct work *works, uint32_t streams)
{
    for (uint32_t i = 0; i < streams; i++) {
        double median;

        for (uint32_t k = 0; k < q->loads; k++)
            q->durations[k] = (double)(works[i * q->loads + k].tsc_end - works[i * q->loads + k].tsc_begin);
        median = stats_median(q->durations, q->loads);
        q->load_ticks = median > q->load_ticks ? median : q->load_ticks;
    }
}

/* One line after another, and a pause after each. */
static enum status run_apart(struct traffic_window *traffic, struct platform *p)
{
    struct queues *q = traffic->context;

    for (uint32_t i = 0; i < traffic->n; i++) {
        for (uint32_t k = 0; k < q->loads; k++) {
            struct work *w = &q->works[i * q->loads + k];

            *w =
                (struct work){ .kind = WORK_READ, .passes = 1, .base = traffic->streams[i].base + 64 * k, .bytes = 64 };
            q->steps[2 * (i * q->loads + k)] = step_work(w);
            q->steps[2 * (i * q->loads + k) + 1] = step_spin(APART);
        }
    }
    TRY(traffic_window_run_steps(traffic, p, q->steps, 2 * q->loads, traffic->n * q->loads * 64));
    note_durations(q, q->works, traffic->n);
    return ST_OK;
}

static enum status pmon_queue_alloc(struct queues *q)
{
    struct check *c = q->session->check;
    uint32_t n = q->session->n;

    TRY_ALLOC(c, q->plain, n, "the queues");
    TRY_ALLOC(c, q->edges, n, "the queues");
    TRY_ALLOC(c, q->inverted, n, "the queues");
    TRY_ALLOC(c, q->falling, n, "the queues");
    TRY_ALLOC(c, q->thresh, n * LAST_THRESH, "the queues");
    TRY_ALLOC(c, q->windows, n * FIGURES * WINDOWS, "the queues");
    TRY_ALLOC(c, q->durations, q->loads, "the queues");
    TRY_ALLOC(c, q->works, q->loads * q->traffic.n, "the queues");
    TRY_ALLOC(c, q->steps, 2 * q->loads * q->traffic.n, "the queues");
    return ST_OK;
}

/* A stream's loads spread over the boxes of its package, and each is to have many times MANY. */
static uint32_t loads_of_stream(const struct pmon_session *session)
{
    const struct check *c = session->check;
    uint64_t enough = (uint64_t)LOADS_A_BOX * session->n / c->machine->n_packages;

    return c->platform->load_limit && enough < LOADS ? (uint32_t)enough : LOADS;
}

static enum status pmon_queue_prepare(struct queues *q)
{
    enum status st;

    q->loads = loads_of_stream(q->session);
    st = traffic_window_add_each(&q->traffic, q->session->check, (uint64_t)q->loads * 64);

    q->traffic.run = run_apart;
    q->traffic.context = q;
    q->traffic.cold = true;
    return st == ST_OK ? pmon_queue_alloc(q) : st;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static bool at_most(struct pmon_session *session, const struct pmon_session_box *b, const char *what, double value,
                    double most, enum finding_code code, const char *defect)
{
    return pmon_session_expect(session, b, OCCUPANCY, what, value, "counts", -NO_BOUND, most * (1 + NOISE) + MANY, code,
                               defect);
}

/* Of two runs, between which the background may change: unusual. */
static void not_above(struct pmon_session *session, const struct pmon_session_box *b, const char *what, double value,
                      double most, enum finding_code code, const char *defect)
{
    if (check_measure(session->check, what, pmon_place(b->box), value, "counts", -NO_BOUND, most * (1 + NOISE) + MANY))
        return;
    finding(session->check, FINDING_UNUSUAL, 0, code, pmon_place(b->box), "%s is %lu: %s", what, (uint64_t)value,
            defect);
}

/* The occupancy of a run, scaled to the inserts of the plain one: the background differs between runs. */
static double pmon_queue_scaled(const struct queues *q, uint32_t i, const struct seen *seen)
{
    return seen->inserts >= MANY ? seen->occupancy * q->plain[i].inserts / seen->inserts : 0;
}

/* In each of the runs. */
static bool was_entered(const struct queues *q, uint32_t i)
{
    bool entered = q->plain[i].inserts >= MANY;

    for (uint32_t t = 0; t < LAST_THRESH; t++)
        entered &= q->thresh[t * q->session->n + i].inserts >= MANY;
    return entered;
}

/* T2, T3: each threshold passes no more than the one before, and all together as much as no threshold. Of a queue that
 * the loads did not enter, as in a package without memory, the difference of windows is noise, and may be negative. */
static void judge_thresholds(struct queues *q, uint32_t i)
{
    struct pmon_session_box *b = &q->session->boxes[i];
    double sum = 0, before = q->plain[i].occupancy;
    bool entered = was_entered(q, i);

    for (uint32_t t = 1; t <= LAST_THRESH; t++) {
        const struct seen *seen = &q->thresh[(t - 1) * q->session->n + i];
        double got = pmon_queue_scaled(q, i, seen);
        char what[64];

        text_format(what, sizeof what, "cycles with at least %u entries", t);
        at_most(q->session, b, what, seen->occupancy, seen->clocks, FOUND_OVERCOUNTS,
                "counts more cycles than elapsed");
        if (entered)
            not_above(q->session, b, what, got, before, FOUND_NOT_MONOTONIC,
                      "a higher threshold counts more than a lower one");
        before = got;
        sum += got;
    }
    if (entered && q->plain[i].occupancy > MANY)
        excludes_share(q->session->check, "a loss at one threshold", sum, q->plain[i].occupancy * (1 - NOISE) - MANY);
    if (entered && q->plain[i].occupancy > MANY &&
        (sum < q->plain[i].occupancy * (1 - NOISE) - MANY || sum > q->plain[i].occupancy * (1 + NOISE) + MANY)) {
        check_measure(q->session->check, "sum over all thresholds, over the occupancy", pmon_place(b->box),
                      sum / q->plain[i].occupancy, "ratio", 1 - NOISE, 1 + NOISE);
        finding(q->session->check, FINDING_UNUSUAL, 0, FOUND_THRESHOLD_MISCOUNTS, pmon_place(b->box),
                "cycles at thresholds 1 to 4 sum to %lu, occupancy is %lu", (uint64_t)sum,
                (uint64_t)q->plain[i].occupancy);
    }
}

/* G1: the queue becomes occupied at most once for each entry. */
static void judge_edges(struct queues *q, uint32_t i)
{
    struct pmon_session_box *b = &q->session->boxes[i];
    double edges = pmon_queue_scaled(q, i, &q->edges[i]);

    at_most(q->session, b, "rising edges of occupancy", q->edges[i].occupancy, q->edges[i].inserts,
            FOUND_EDGES_MISCOUNTED, "more rising edges than inserts");
    if (was_entered(q, i))
        not_above(q->session, b, "rising edges of occupancy", edges, pmon_queue_scaled(q, i, &q->thresh[i]),
                  FOUND_EDGES_MISCOUNTED, "more rising edges than cycles with an entry");
    if (q->thresh[i].occupancy > MANY && q->edges[i].inserts >= MANY)
        pmon_session_expect(q->session, b, OCCUPANCY, "rising edges of occupancy", edges, "counts", 1, NO_BOUND,
                            FOUND_EDGES_MISCOUNTED, "occupancy without a rising edge");
    if (q->plain[i].inserts >= MANY && q->thresh[i].occupancy > MANY)
        excludes_share(q->session->check, "a loss of rising edges", edges, q->plain[i].inserts * (1 - NOISE));
    if (q->plain[i].inserts >= MANY && q->thresh[i].occupancy > MANY &&
        !check_measure(q->session->check, "rising edges of occupancy over single inserts", pmon_place(b->box),
                       edges / q->plain[i].inserts, "ratio", 1 - NOISE, NO_BOUND))
        finding(q->session->check, FINDING_UNUSUAL, 0, FOUND_EDGES_MISCOUNTED, pmon_place(b->box),
                "%lu single inserts, %lu rising edges of occupancy", (uint64_t)q->plain[i].inserts,
                (uint64_t)(edges > 0 ? edges : 0));
}

/* At most one load is in flight in a box, so two entries at once are rare. A counter whose entries count twice shows
 * two where there is one. */
static void judge_pairs(struct queues *q, uint32_t i)
{
    struct pmon_session_box *b = &q->session->boxes[i];
    double one = pmon_queue_scaled(q, i, &q->thresh[i]), two = pmon_queue_scaled(q, i, &q->thresh[q->session->n + i]);

    if (one < MANY * MANY)
        return;
    if (!check_measure(q->session->check, "cycles with two entries over cycles with one", pmon_place(b->box), two / one,
                       "ratio", -NO_BOUND, PAIRS))
        finding(q->session->check, FINDING_UNUSUAL, 0, FOUND_ENTRIES_COUNT_TWICE, pmon_place(b->box),
                "loads are issued one at a time, and %u %% of the cycles with an entry have two",
                (unsigned)(two / one * 100));
}

/* T4 where only one counter has the event: no more clocks without an entry than elapsed, and not many fewer while no
 * load runs. A counter that counts twice, or every other time, is found here whatever its queue holds. */
static void judge_inverted(struct queues *q, uint32_t i)
{
    const struct seen *seen = &q->inverted[i];
    struct pmon_session_box *b = &q->session->boxes[i];

    if (seen->clocks <= 0 || b->unit->layout->control->invert == 0)
        return;
    pmon_session_expect(q->session, b, OCCUPANCY, "cycles without an entry, idle", seen->idle, "counts", -NO_BOUND,
                        seen->clocks + 2, FOUND_OVERCOUNTS, "counts more cycles than elapsed");
    if (!check_measure(q->session->check, "cycles without an entry over all cycles, idle", pmon_place(b->box),
                       seen->idle / seen->clocks, "ratio", 1 - BUSY, NO_BOUND))
        finding(q->session->check, FINDING_UNUSUAL, 0, FOUND_UNDERCOUNTS, pmon_place(b->box),
                "idle, the queue is empty in %u %% of the cycles by its inverted count",
                (unsigned)(seen->idle / seen->clocks * 100));
}

/* Q2, Q3. */
static void judge_occupancy(struct queues *q, uint32_t i)
{
    const struct pmon_named *occ = pmon_event_named(q->session->boxes[i].unit, occupancy_of(q->session->boxes[i].unit));
    struct pmon_session_box *b = &q->session->boxes[i];

    if (q->plain[i].inserts < MANY) {
        if (!check_measure(q->session->check, "occupancy of a queue without inserts", pmon_place(b->box),
                           q->plain[i].occupancy, "counts", -NO_BOUND, 1 / STALE * MANY))
            finding(q->session->check, FINDING_UNUSUAL, 0, FOUND_OCCUPANCY_STALE, pmon_place(b->box),
                    "occupancy without inserts");
        return;
    }
    pmon_session_expect(q->session, b, OCCUPANCY, "cycles per entry", q->plain[i].occupancy / q->plain[i].inserts,
                        "clocks", 1 - NOISE, NO_BOUND, FOUND_UNDERCOUNTS, "entries stay less than one cycle");
    if (occ->counters == 1 && b->unit->layout->counters > ELSEWHERE)
        check_show(q->session->check, "occupancy on a counter that does not support it, over counter 0",
                   pmon_place(b->box), q->plain[i].elsewhere / q->plain[i].occupancy, "ratio");
}

/* Ticks of the TSC that an entry of a kind of queue stays, on average over a package, and at least. 0: not known. */
static double stay_of(const struct queues *q, enum pmon_kind kind, uint32_t package, const char **name)
{
    double ticks = 0, inserts = 0;

    for (uint32_t i = 0; i < q->session->n; i++) {
        const struct pmon_session_box *b = &q->session->boxes[i];
        const struct seen *seen = &q->plain[i];

        if (b->unit->kind != kind || b->box->package != package || b->status != ST_OK || seen->inserts < MANY)
            continue;
        if (seen->hz < NO_BOUND && seen->hz > 0)
            ticks += seen->occupancy * (double)q->session->check->platform->tsc_hz / seen->hz;
        inserts += seen->inserts;
        *name = b->unit->name;
    }
    return inserts > 0 ? ticks / inserts : 0;
}

/* Q2, Little's law: an entry stays no longer than its load waits, and a memory channel's entry no longer than that of
 * the table that waits for it. */
static void judge_stay(struct queues *q, struct place place, double stay)
{
    enum finding_kind kind = stay > TWICE * q->load_ticks ? FINDING_EXPECTED : FINDING_UNUSUAL;
    struct check *c = q->session->check;

    if (q->load_ticks * 1e9 >= LOAD_NS * (double)c->platform->tsc_hz)
        excludes_share(c, "an excess of residency", stay, q->load_ticks * (1 + LONGER));
    if (q->load_ticks * 1e9 < LOAD_NS * (double)c->platform->tsc_hz ||
        check_measure(c, "residency of an entry over the latency of its load", place, stay / q->load_ticks, "ratio",
                      -NO_BOUND, 1 + LONGER))
        return;
    finding(c, kind, 0, FOUND_RESIDENCY_LONG, place,
            "mean residency of an entry is %lu TSC cycles, latency of its load %lu", (uint64_t)stay,
            (uint64_t)q->load_ticks);
}

static void judge_package(struct queues *q, enum pmon_kind kind, uint32_t package)
{
    struct check *c = q->session->check;
    const char *name = "", *outer = "";
    double stay = stay_of(q, kind, package, &name), around = stay_of(q, PMON_CHA, package, &outer);
    struct place place;

    if (stay <= 0)
        return;
    place = place_with_unit(place_package(package), name);
    judge_stay(q, place, stay);
    if (kind == PMON_IMC && around > 0 &&
        !check_measure(c, "residency of an entry over that in the TOR which waits for it", place, stay / around,
                       "ratio", -NO_BOUND, 1 + LONGER))
        finding(c, FINDING_UNUSUAL, 0, FOUND_RESIDENCY_LONG, place,
                "mean residency of an entry is %lu TSC cycles, in the %s that waits for it %lu", (uint64_t)stay, outer,
                (uint64_t)around);
}

/* The loads, once for each shape and threshold. */
static enum status run_all(struct queues *q)
{
    TRY(pmon_queue_run(q, 0, AS_IT_IS, q->plain));
    TRY(pmon_queue_run(q, 1, EDGES, q->edges));
    TRY(pmon_queue_run(q, 1, INVERTED, q->inverted));
    TRY(pmon_queue_run(q, 1, FALLING, q->falling));
    for (uint32_t t = 1; t <= LAST_THRESH; t++)
        TRY(pmon_queue_run(q, t, AS_IT_IS, q->thresh + (t - 1) * q->session->n));
    return ST_OK;
}

static void judge_boxes(struct queues *q)
{
    for (uint32_t i = 0; i < q->session->n; i++) {
        if (q->session->boxes[i].status != ST_OK)
            continue;
        judge_occupancy(q, i);
        judge_thresholds(q, i);
        judge_edges(q, i);
        judge_pairs(q, i);
        judge_inverted(q, i);
    }
}

static enum status try_occupancy(struct pmon_session *session)
{
    static const enum pmon_kind kinds[] = { PMON_CHA, PMON_IMC, PMON_UNCORE };
    struct queues q = { .session = session, .traffic = { .passes = 1 } };
    struct check *c = session->check;

    TRY(pmon_queue_prepare(&q));
    TRY(run_all(&q));
    judge_boxes(&q);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        for (uint32_t k = 0; traffic_window_bytes(&q.traffic, c, p) > 0 && k < sizeof kinds / sizeof kinds[0]; k++)
            judge_package(&q, kinds[k], p);
    if (q.load_ticks * 1e9 < LOAD_NS * (double)c->platform->tsc_hz)
        check_note(c, "load latency of %lu TSC cycles is below any memory's: residency is not compared with it",
                   (uint64_t)q.load_ticks);
    return ST_OK;
}

/* --- Q1: nothing stays after a reset ------------------------------------------------------------------------------ */

/* The queue's own reset where there is one, else that of the box. */
static void reset_all(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        if (b->unit->layout->control->occ_rst)
            pmon_session_write(session, b, pmon_ctl(b->unit, OCCUPANCY),
                               b->ctl[OCCUPANCY] | b->unit->layout->control->occ_rst);
        else if (!b->unit->layout->reset_unsure)
            pmon_session_write(session, b, pmon_box_ctl(b->unit),
                               pmon_freeze_value(b->unit) | b->unit->layout->box->rst_ctrs);
        pmon_session_read(session, b, pmon_ctl(b->unit, OCCUPANCY));
    }
    pmon_session_execute(session);
    pmon_session_each(session, b) {
        if (b->status == ST_OK && b->unit->layout->control->occ_rst)
            pmon_session_expect(session, b, OCCUPANCY, "occupancy reset of the control",
                                (double)(pmon_session_value(session, b, 1) & b->unit->layout->control->occ_rst), "bits",
                                0, 0, FOUND_WRITE_ONLY_READS, "OCC_CTR_RST is documented to read 0 and reads 1");
    }
}

/* An idle queue is not empty: patrol scrub and devices enter it. Each entry stays as long as one of the loads before
 * did, or up to twice as long (Little's law). */
static double most_of_idle(const struct queues *q, uint32_t i, double clocks)
{
    const struct seen *loads = &q->plain[i];
    double stay = loads->inserts >= MANY && loads->occupancy > 0 ? loads->occupancy / loads->inserts : 0;

    return STALE + TWICE * stay * (double)pmon_session_counts(&q->session->boxes[i], INSERTS) / clocks;
}

static void judge_reset(struct queues *q, uint32_t i)
{
    const struct pmon_session_box *b = &q->session->boxes[i];
    double clocks = (double)pmon_session_counts(b, CLOCK), entries = (double)pmon_session_counts(b, OCCUPANCY);

    if (b->status != ST_OK || clocks <= 0)
        return;
    excludes(q->session->check, "entries a cycle that a reset leaves", most_of_idle(q, i, clocks) - entries / clocks,
             "entries");
    if (!check_measure(q->session->check, "entries per cycle of an idle queue after its reset", pmon_place(b->box),
                       entries / clocks, "entries", -NO_BOUND, most_of_idle(q, i, clocks)))
        finding(q->session->check, FINDING_UNUSUAL, 0, FOUND_OCCUPANCY_STALE, pmon_place(b->box),
                "occupancy of the idle queue after its reset is %u.%03u entries per cycle",
                (unsigned)(entries / clocks), (unsigned)(entries / clocks * 1000) % 1000);
}

static enum status try_reset(struct pmon_session *session)
{
    struct queues q = { .session = session, .traffic = { .passes = 1 } };

    TRY(pmon_queue_prepare(&q));
    TRY(pmon_queue_run(&q, 0, AS_IT_IS, q.plain));
    reset_all(session);
    for (uint32_t i = 0; i < session->n; i++) /* as they are: the reset clears them where it can */
        session->boxes[i].preset[OCCUPANCY] = 0;
    pmon_session_measure(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++)
        judge_reset(&q, i);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.occupancy",
      .title = "Queue occupancy agrees with inserts, thresholds and edges",
      .spec = GUIDE_QUEUE,
      .covers = "T2 T3 T4 G1 Q2 Q3",
      .detects = "a dead or wrong occupancy or insert event, a threshold that is ignored or off by one, an "
                 "occupancy that counts double or half, falling edges that are not counted",
      .wanted = has_queue,
      .run_session = try_occupancy },
    { .id = "pmon.occupancy-reset",
      .title = "A queue's occupancy starts from 0 after its reset",
      .spec = GUIDE_RESET,
      .covers = "Q1",
      .detects = "a stale occupancy, a write-only bit that reads 1",
      .wanted = has_queue,
      .run_session = try_reset },
};
CHECK_FAMILY(pmon_queue, rows, UNCORE_FAMILY, .risk = RISK_WORKLOAD, .excludes = true, .order = 955, .slow = true);
