/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes without a control of their own: those of clients, and AMD's L3, data fabric and memory channels. Nothing stops
 * such a box at once, so its counters are compared over a load that begins when all run and has ended before the first is
 * stopped. Witness: the load, the counters of the same box, and for memory channels their clock.
 *
 * Counters are compared within one window only: windows differ in length, and a clock counts their length. Between the
 * start of one counter and the next traffic of others continues (see core/uncore/pmon_skew.h): what it may add is
 * measured in idle windows as long as the load's, of which the most counts. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/checks/uncore_counters/load_events.h"
#include "core/platform/script.h"

#define SOURCE "Linux arch/x86/events/amd/uncore.c (controls of L3, DF and UMC, overflow of UMC counters)"
#define AHEAD  4u /* a counter is preset 1/AHEAD of the load's counts before its overflow */

/* Events of a UBox are messages, which the load does not send. */
static bool without_box(const struct pmon_unit *unit)
{
    return unit->layout->box == NULL && unit->kind != PMON_UBOX &&
           (unit->events.clock != PMON_CLOCK_NONE || unit->events.n_named > 0);
}

struct gate {
    struct load_events load;
    struct pmon_session *session;
    uint64_t usual[LOAD_EVENTS_BOXES]; /* counts of each box's event under the load                            */
    uint64_t off[LOAD_EVENTS_BOXES];   /* a bit for each counter that is dead or differs                       */
    uint64_t *running;                 /* [session.n * PMON_SESSION_COUNTERS] read after it, before they were stopped */
};

static void set_all(struct gate *g, bool enable)
{
    pmon_session_clear(g->session);
    for (uint32_t i = 0; i < g->session->n; i++) {
        struct pmon_session_box *b = &g->session->boxes[i];
        uint64_t ctl = load_events_ctl(&g->load, i);

        for (uint32_t k = 0; k < b->n; k++)
            b->ctl[k] = enable ? ctl : ctl & ~b->unit->layout->control->en;
    }
}

static void expect_still(struct gate *g)
{
    struct pmon_session *session = g->session;

    pmon_session_each_counter(session, b, k)
        pmon_session_expect(session, b, k, "counts with en 0", (double)pmon_session_counts(b, k), "counts", 0, 0,
                            FOUND_COUNTS_DISABLED, "counter advances with en 0");
}

/* --- counters of one box against each other */

/* Counter k against another, which has no carry during the load. false: a finding. */
static bool expect_like(struct gate *g, uint32_t i, uint32_t k, struct pmon_usual other, const char *what,
                        enum finding_code code, const char *defect)
{
    const struct pmon_session_box *b = &g->session->boxes[i];
    double counts = (double)pmon_session_counts(b, other.counter), apart = load_events_slack(&g->load, i, counts);
    char text[200];

    if (!load_events_comparable(&g->load, i, k, other.counter))
        return true;
    excludes_share(g->session->check, "a loss in one counter", counts, counts - apart);
    text_format(text, sizeof text, "%s (allowed: %lu of %lu counts, background and skew included)", defect,
                (uint64_t)apart, (uint64_t)counts);
    return pmon_session_expect_usual(g->session, b, k, other, what, counts - apart, counts + apart, code, text);
}

/* The counter that most counters agree with, whose counts carries are preset by. */
static struct pmon_usual usual_counter(struct gate *g, uint32_t i)
{
    const struct pmon_session_box *b = &g->session->boxes[i];
    double lo[PMON_SESSION_COUNTERS], hi[PMON_SESSION_COUNTERS];
    struct pmon_usual usual;

    for (uint32_t k = 0; k < b->n; k++) {
        double counts = (double)pmon_session_counts(b, k), apart = load_events_slack(&g->load, i, counts);

        lo[k] = counts - apart;
        hi[k] = counts + apart;
    }
    usual = pmon_session_usual_of(b, b->n, lo, hi);
    g->usual[i] = pmon_session_counts(b, usual.counter);
    return usual;
}

static void expect_alike(struct gate *g)
{
    struct pmon_session *session = g->session;

    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        bool loaded = b->status == ST_OK && g->load.busy[i] != LOAD_EVENTS_NONE;
        struct pmon_usual usual;

        for (uint32_t k = 0; k < b->n && loaded; k++)
            if (!pmon_session_expect(session, b, k, "counts with en 1", (double)pmon_session_counts(b, k), "counts", 1,
                                     NO_BOUND, pmon_session_others_count(b, k) ? FOUND_COUNTER_ZERO : FOUND_COUNTS_ZERO,
                                     "counter enabled on the load's event does not advance"))
                b->dead |= BIT(k);
        usual = usual_counter(g, i);
        g->off[i] = b->dead;
        for (uint32_t k = 0; k < b->n && loaded; k++)
            if (!(b->dead & BIT(k)) && k != usual.counter &&
                !expect_like(g, i, k, usual, "counts of the same load as most counters", FOUND_COUNTERS_DIFFER,
                             "counts the same event over the same load and differs"))
                g->off[i] |= BIT(k) | (usual.tied ? BIT(usual.counter) : 0);
    }
}

/* --- reads of counters that run */

/* Every counter before the load, which is what a late read would show, and after it. */
static enum status run_between_reads(struct traffic_window *traffic, struct platform *p)
{
    struct gate *g = traffic->context;
    struct work works[TRAFFIC_WINDOW_STREAMS];
    struct step steps[TRAFFIC_WINDOW_STREAMS];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < traffic->n; i++) {
        works[i] = (struct work){
            .kind = traffic->kind, .passes = 1, .base = traffic->streams[i].base, .bytes = traffic->streams[i].bytes
        };
        steps[i] = step_work(&works[i]);
        bytes += works[i].bytes;
    }
    pmon_session_fetch(g->session);
    TRY(traffic_window_run_steps(traffic, p, steps, 1, bytes));
    pmon_session_fetch(g->session);
    for (uint32_t i = 0; i < g->session->n; i++)
        for (uint32_t k = 0; k < g->session->boxes[i].n; k++)
            g->running[i * PMON_SESSION_COUNTERS + k] = g->session->boxes[i].got[k];
    return ST_OK;
}

/* E2: what a running counter reads after the load is what it has of it when it is stopped. A clock has moved meanwhile. */
static enum status try_reading(struct gate *g)
{
    struct pmon_session *session = g->session;

    set_all(g, true);
    g->load.traffic.run = run_between_reads;
    g->load.traffic.context = g;
    TRY(load_events_run(&g->load));
    g->load.traffic.run = NULL;
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK && b->ctl[k] && !load_events_clock(&g->load, b); k++) {
            double counts = (double)pmon_session_counts(b, k);
            double running = (double)pmon_delta(b->preset[k], g->running[i * PMON_SESSION_COUNTERS + k], b->bits[k]);

            if (!(b->dead & BIT(k)) && load_events_comparable(&g->load, i, k, k))
                pmon_session_expect(session, b, k, "counts read while it runs", running, "counts",
                                    counts - load_events_slack(&g->load, i, counts), NO_BOUND, FOUND_READS_DIFFER,
                                    "running counter lacks counts of a load that has ended");
        }
    }
    return ST_OK;
}

/* --- carries */

/* Counters are preset in turn, and each is compared with its neighbour, which is not and starts at 0. */
#define TURNS 2u

static uint32_t neighbour_of(const struct pmon_session_box *b, uint32_t k)
{
    return (k ^ 1) < b->n ? k ^ 1 : k - 1;
}

static uint64_t preset_ahead(const struct gate *g, uint32_t i)
{
    return g->usual[i] / AHEAD;
}

/* O1, O5: preset to overflow after a quarter of the load. */
static void judge_end(struct gate *g, uint32_t i, uint32_t k, struct pmon_usual other)
{
    struct pmon_session_box *b = &g->session->boxes[i];
    uint64_t got = b->got[k], end = BIT(b->bits[k]);

    if (b->unit->layout->saturates) {
        if (!(got & end) && got < b->preset[k])
            finding(g->session->check, FINDING_UNUSUAL, 0, FOUND_OVERFLOW_NOT_SHOWN, pmon_session_place(b, k),
                    "reads 0x%lx after overflow: it wraps, where one source has it saturate", got);
        else if (!(got & end))
            pmon_session_expect(g->session, b, k, "overflow bit after the overflow", 0, "bit", 1, 1,
                                FOUND_OVERFLOW_NOT_SHOWN, "overflow not shown");
        return;
    }
    if (pmon_session_expect(g->session, b, k, "bits above the counter's width", (double)(got & ~low_bits(b->bits[k])),
                            "value", 0, 0, FOUND_BITS_ABOVE_WIDTH,
                            "bits above the counter's width read 1 after the wrap"))
        expect_like(g, i, k, other, "counts over the wrap", FOUND_CARRY_MISCOUNTS, "count mismatch across overflow");
}

/* Into its highest bit: neither wrap nor stop. A counter that is one bit too narrow loses the carry. */
static void judge_middle(struct gate *g, uint32_t i, uint32_t k, struct pmon_usual other)
{
    expect_like(g, i, k, other, "counts over the carry into its highest bit", FOUND_CARRY_MISCOUNTS,
                "count mismatch across the carry into the highest bit");
}

typedef void (*judge_carry)(struct gate *g, uint32_t i, uint32_t k, struct pmon_usual other);

/* A window in which the neighbour counted so little that the carry may not have come is not judged, and no counter that
 * differs without a carry or whose neighbour does. */
static void judge_turn(struct gate *g, uint32_t turn, judge_carry judge)
{
    for (uint32_t i = 0; i < g->session->n; i++) {
        const struct pmon_session_box *b = &g->session->boxes[i];

        for (uint32_t k = turn; k < b->n && b->n > 1 && b->status == ST_OK && g->usual[i] >= AHEAD; k += TURNS) {
            uint32_t other = neighbour_of(b, k);
            double counts = (double)pmon_session_counts(b, other);

            if (g->off[i] & (BIT(k) | BIT(other)))
                check_note(g->session->check, "%s counter %u: no carry: it or counter %u has counted another number",
                           b->name, k, other);
            else if (counts - load_events_slack(&g->load, i, counts) > (double)preset_ahead(g, i))
                judge(g, i, k, (struct pmon_usual){ .counter = other });
            else
                check_note(g->session->check, "%s counter %u: the load ended before its carry", b->name, k);
        }
    }
}

/* Preset so that a quarter of the load carries into bit `bits - below`. */
static enum status try_carry(struct gate *g, uint32_t below, judge_carry judge)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        set_all(g, true);
        for (uint32_t i = 0; i < g->session->n; i++)
            for (uint32_t k = turn; k < g->session->boxes[i].n && g->usual[i] >= AHEAD; k += TURNS)
                g->session->boxes[i].preset[k] = BIT(g->session->boxes[i].bits[k] - below) - preset_ahead(g, i);
        TRY(load_events_run(&g->load));
        judge_turn(g, turn, judge);
    }
    return ST_OK;
}

/* On parts whose global control enables and does not freeze: with en alone nothing counts. */
static enum status try_without_global(struct gate *g)
{
    struct pmon_session *session = g->session;
    const struct pmon_global *global = &session->check->tools->pmon.part->global;
    enum status st, loaded = ST_OK;

    if (global->freeze || boxes_global(&session->check->tools->pmon) == 0)
        return ST_OK;
    set_all(g, true);
    st = pmon_session_set_global(session->check, 0);
    if (st == ST_OK)
        loaded = load_events_run(&g->load);
    st = status_first(st, pmon_session_set_global(session->check, global->run));
    TRY_MEASURE(session->check, st, session->check->machine->packages[0].first_cpu, "the global control");
    TRY(loaded);
    pmon_session_each_counter(session, b, k)
        pmon_session_expect(session, b, k, "counts with en alone", (double)pmon_session_counts(b, k), "counts", 0, 0,
                            FOUND_COUNTS_UNGATED, "counter advances with its global enable 0");
    return ST_OK;
}

static enum status try_enable(struct gate *g)
{
    set_all(g, false);
    TRY(load_events_run(&g->load));
    expect_still(g);
    TRY(try_without_global(g));
    set_all(g, true);
    TRY(load_events_idle(&g->load));
    TRY(load_events_run(&g->load));
    expect_alike(g);
    return ST_OK;
}

static enum status try_boxes(struct pmon_session *session)
{
    struct gate g = { .session = session };

    TRY(load_events_choose(&g.load, session, false));
    TRY_ALLOC(session->check, g.running, session->n * PMON_SESSION_COUNTERS, "the uncore boxes");
    TRY(try_enable(&g));
    TRY(try_reading(&g));
    TRY(try_carry(&g, 1, judge_middle));
    return try_carry(&g, 0, judge_end);
}

static const struct check_row rows[] = {
    { .id = "pmon.gate",
      .title = "Counters without a box control obey en and keep to their width",
      .spec = SOURCE,
      .covers = "E1 E2 E5 O1 O5",
      .detects = "an enable that is stuck, also the global one of clients, a counter that differs from the others of "
                 "its box or is read late, a wrong width, an overflow that is not shown",
      .wanted = without_box,
      .run_session = try_boxes },
};
CHECK_FAMILY(pmon_gate, rows, UNCORE_FAMILY, .risk = RISK_WORKLOAD, .excludes = true, .order = 950);
