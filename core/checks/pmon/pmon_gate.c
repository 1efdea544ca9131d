/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes without a control of their own: AMD's L3, data fabric and memory channels. Nothing stops such a box at once, so
 * its counters are compared over a load that begins when all run and has ended before the first is stopped. Witness:
 * the load, the counters of the same box, and for memory channels their clock. */
#include "core/base/bits.h"
#include "core/measure/traffic_window.h"

#define SOURCE     "Linux arch/x86/events/amd/uncore.c (controls of L3, DF and UMC, overflow of UMC counters)"
#define LOAD_BYTES (4 * MIB)
#define ALIKE      0.02                   /* background of the fabric between one counter's start and the next one's */
#define MANY       (LOAD_BYTES / 64 / 64) /* fewer counts may be background, not the load */
#define AHEAD      4u                     /* a counter is preset 1/AHEAD of the load's counts before its overflow */

static bool without_box(const struct pmon_unit *unit)
{
    return unit->layout->box == NULL && (unit->events.clock != PMON_CLOCK_NONE || unit->events.n_named > 0);
}

#define BOXES 256u
#define NONE  UINT32_MAX

struct gate {
    struct pmon_session session;
    struct traffic_window traffic;
    uint32_t busy[BOXES];  /* of each box the event that the load makes most of, NONE: nothing of it shows there */
    uint64_t usual[BOXES]; /* counts of it under the load                                                        */
};

static uint64_t event_ctl(const struct pmon_unit *unit, uint32_t event)
{
    struct pmon_event e = { .ev_sel = unit->events.clock_event, .umask = unit->events.clock_umask, .enable = true };
    uint64_t ctl = 0;

    if (unit->events.clock == PMON_CLOCK_NONE)
        e = (struct pmon_event){ .ev_sel = unit->events.named[event].ev_sel,
                                 .umask = unit->events.named[event].umask,
                                 .extra = unit->events.named[event].extra,
                                 .enable = true };
    return pmon_encode(unit, &e, &ctl) == ST_OK ? ctl : 0;
}

static void set_all(struct gate *g, bool enable)
{
    pmon_session_clear(&g->session);
    for (uint32_t i = 0; i < g->session.n; i++) {
        struct pmon_session_box *b = &g->session.boxes[i];
        uint64_t ctl = g->busy[i] == NONE ? 0 : event_ctl(b->unit, g->busy[i]);

        for (uint32_t k = 0; k < b->n; k++)
            b->ctl[k] = enable ? ctl : ctl & ~b->unit->layout->control->en;
    }
}

/* false: it could not be measured, and the check says so. */
static bool pmon_gate_load(struct gate *g)
{
    enum status st = traffic_window_once(&g->session, &g->traffic);

    if (st != ST_OK)
        cannot_measure(g->session.check, st, g->traffic.bad_cpu, "the load");
    return st == ST_OK;
}

/* Channels without memory see nothing of any load, and which those are differs from machine to machine: each counter
 * tries another event. */
static bool choose_events(struct gate *g)
{
    pmon_session_clear(&g->session);
    for (uint32_t i = 0; i < g->session.n; i++) {
        struct pmon_session_box *b = &g->session.boxes[i];

        for (uint32_t k = 0; k < b->n && (k < b->unit->events.n_named || b->unit->events.clock != PMON_CLOCK_NONE); k++)
            b->ctl[k] = event_ctl(b->unit, k);
    }
    if (!pmon_gate_load(g))
        return false;
    for (uint32_t i = 0; i < g->session.n; i++) {
        const struct pmon_session_box *b = &g->session.boxes[i];

        g->busy[i] = b->unit->events.clock != PMON_CLOCK_NONE ? 0 : NONE;
        for (uint32_t k = 0; k < b->n && b->unit->events.clock == PMON_CLOCK_NONE; k++)
            if (b->ctl[k] && pmon_session_counts(b, k) >= MANY &&
                (g->busy[i] == NONE || pmon_session_counts(b, k) > pmon_session_counts(b, g->busy[i])))
                g->busy[i] = k;
        if (g->busy[i] == NONE)
            note(g->session.check, "%s: none of the first events counts the load", b->name);
    }
    return true;
}

static void pmon_gate_expect_still(struct gate *g)
{
    struct pmon_session *session = &g->session;

    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n && session->boxes[i].status == ST_OK; k++)
            pmon_session_expect(session, &session->boxes[i], k, "counts with en 0",
                                (double)pmon_session_counts(&session->boxes[i], k), "counts", 0, 0,
                                "counter advances with en 0");
}

static void expect_alike(struct gate *g)
{
    struct pmon_session *session = &g->session;

    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        double first = (double)pmon_session_counts(b, 0);

        g->usual[i] = pmon_session_counts(b, 0);
        for (uint32_t k = 0; k < b->n && b->status == ST_OK && g->busy[i] != NONE; k++) {
            double counts = (double)pmon_session_counts(b, k);

            if (pmon_session_expect(session, b, k, "counts with en 1", counts, "counts", 1, NO_BOUND,
                                    "counter enabled on the load's event does not advance") &&
                k > 0)
                pmon_session_expect(session, b, k, "counts of the same load as counter 0", counts, "counts",
                                    first * (1 - ALIKE), first * (1 + ALIKE),
                                    "counts the same event over the same load and differs");
        }
    }
}

/* O1, O5: preset to overflow after a quarter of the load. */
static void judge_end(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, uint64_t usual)
{
    uint64_t got = b->got[k], end = BIT(b->bits[k]);

    if (b->unit->layout->saturates) {
        if (!(got & end) && got < b->preset[k])
            warn(session->check,
                 "%s counter %u: reads 0x%llx after overflow: it wraps, where one source has it saturate", b->name, k,
                 (unsigned long long)got);
        else if (!(got & end))
            pmon_session_expect(session, b, k, "overflow bit after the overflow", 0, "bit", 1, 1, "overflow not shown");
        return;
    }
    if (pmon_session_expect(session, b, k, "bits above the counter's width", (double)(got & ~low_bits(b->bits[k])),
                            "value", 0, 0, "bits above the counter's width read 1 after the wrap"))
        pmon_session_expect(session, b, k, "counts over the wrap", (double)pmon_session_counts(b, k), "counts",
                            (double)usual * (1 - ALIKE), (double)usual * (1 + ALIKE), "count mismatch across overflow");
}

/* Into its highest bit: neither wrap nor stop. A counter one bit short shows the carry nowhere. */
static void judge_middle(struct pmon_session *session, struct pmon_session_box *b, uint32_t k, uint64_t usual)
{
    pmon_session_expect(session, b, k, "counts over the carry into its highest bit", (double)pmon_session_counts(b, k),
                        "counts", (double)usual * (1 - ALIKE), (double)usual * (1 + ALIKE),
                        "count mismatch across the carry into the highest bit");
}

/* Preset so that a quarter of the load carries into bit `bits - below`. */
static void try_carry(struct gate *g, uint32_t below,
                      void (*judge)(struct pmon_session *session, struct pmon_session_box *b, uint32_t k,
                                    uint64_t usual))
{
    struct pmon_session *session = &g->session;

    set_all(g, true);
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            if (g->usual[i] >= AHEAD)
                session->boxes[i].preset[k] = BIT(session->boxes[i].bits[k] - below) - g->usual[i] / AHEAD;
    if (!pmon_gate_load(g))
        return;
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n && session->boxes[i].status == ST_OK && g->usual[i] >= AHEAD; k++)
            judge(session, &session->boxes[i], k, g->usual[i]);
}

static bool try_enable(struct gate *g)
{
    set_all(g, false);
    if (!pmon_gate_load(g))
        return false;
    pmon_gate_expect_still(g);
    set_all(g, true);
    if (!pmon_gate_load(g))
        return false;
    expect_alike(g);
    return true;
}

static enum verdict check_gate(struct check *c)
{
    struct gate g = { .traffic = { .kind = WORK_READ, .passes = 1, .cold = true } };

    if (!pmon_session_open(&g.session, c, without_box))
        return check_verdict(c);
    if (g.session.n > BOXES) /* the others are alike, and of packages that have some among these */
        g.session.n = BOXES;
    if (traffic_window_add_each(&g.traffic, c, LOAD_BYTES) && choose_events(&g) && try_enable(&g)) {
        try_carry(&g, 1, judge_middle);
        try_carry(&g, 0, judge_end);
    }
    pmon_session_clear(&g.session);
    return pmon_session_close(&g.session);
}

static const struct check_row rows[] = {
    { .id = "pmon.gate",
      .title = "Counters without a box control obey en and keep to their width",
      .spec = SOURCE,
      .rows = "E1 E2 E5 O1 O5",
      .detects = "an enable that is stuck, a counter that differs from the others of its box, a wrong width, an "
                 "overflow that is not shown",
      .means = "uncore counters do not behave as the part's guide says",
      .next = "box, register and value in the evidence; whether other boxes of the kind do it; `pmon.boxes`",
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 950,
      .run = check_gate },
};
CHECK_FAMILY(pmon_gate, rows);
