/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_counters/load_events.h"

#define LOAD_BYTES (4 * MIB)
#define ALIKE      0.02 /* beyond what was measured of background and skew */
#define APART_MOST 0.25 /* counters that may differ by more are not compared: half a load would do */
#define TURNS      2u   /* in which events are tried */
#define IDLE_LOOKS 3u   /* idle windows for the background */

static bool by_clock(const struct load_events *l, const struct pmon_unit *unit)
{
    return unit->events.clock != PMON_CLOCK_NONE && !l->by_name;
}

static uint64_t event_ctl(const struct load_events *l, const struct pmon_unit *unit, uint32_t event)
{
    struct pmon_event e = { .ev_sel = unit->events.clock_event, .umask = unit->events.clock_umask, .enable = true };
    uint64_t ctl = 0;

    if (!by_clock(l, unit))
        e = (struct pmon_event){ .ev_sel = unit->events.named[event].ev_sel,
                                 .umask = unit->events.named[event].umask,
                                 .extra = unit->events.named[event].extra,
                                 .enable = true };
    return pmon_encode(unit, &e, &ctl) == ST_OK ? ctl : 0;
}

uint64_t load_events_ctl(const struct load_events *l, uint32_t i)
{
    return l->busy[i] == LOAD_EVENTS_NONE ? 0 : event_ctl(l, l->session->boxes[i].unit, l->busy[i]);
}

bool load_events_clock(const struct load_events *l, const struct pmon_session_box *b)
{
    return by_clock(l, b->unit);
}

enum status load_events_run(struct load_events *l)
{
    TRY_MEASURE(l->session->check, traffic_window_once(l->session, &l->traffic), l->traffic.bad_cpu, "the load");
    return ST_OK;
}

/* An event that some counters alone count is that of a queue. */
static bool may_serve(const struct load_events *l, const struct pmon_unit *unit, uint32_t event)
{
    return by_clock(l, unit) || (event < unit->events.n_named && unit->events.named[event].counters == 0);
}

/* Which of its events counter k of a box tries. */
static uint32_t event_tried(const struct pmon_session_box *b, uint32_t k, uint32_t turn)
{
    return (k + turn) % pmon_session_programmable(b);
}

static void find_busy(struct load_events *l, uint32_t i, uint32_t turn)
{
    const struct pmon_session_box *b = &l->session->boxes[i];
    uint64_t most = 0;

    if (load_events_clock(l, b))
        l->busy[i] = 0;
    for (uint32_t k = 0; k < pmon_session_programmable(b) && !load_events_clock(l, b); k++)
        if (b->ctl[k] && pmon_session_counts(b, k) >= LOAD_EVENTS_MANY && pmon_session_counts(b, k) > most) {
            l->busy[i] = event_tried(b, k, turn);
            most = pmon_session_counts(b, k);
        }
}

/* Each counter tries another event. false: there is no box left to try one in. */
static bool set_tries(struct load_events *l, uint32_t turn)
{
    bool any = false;

    pmon_session_clear(l->session);
    for (uint32_t i = 0; i < l->session->n; i++) {
        struct pmon_session_box *b = &l->session->boxes[i];

        for (uint32_t k = 0; k < pmon_session_programmable(b) && l->busy[i] == LOAD_EVENTS_NONE; k++) {
            uint32_t event = event_tried(b, k, turn);

            b->ctl[k] = may_serve(l, b->unit, event) ? event_ctl(l, b->unit, event) : 0;
            any |= b->ctl[k] != 0;
        }
    }
    return any;
}

/* Channels without memory count no load, and which those are differs between machines. In a second turn other counters
 * try, since one may be dead. */
enum status load_events_choose(struct load_events *l, struct pmon_session *session, bool by_name)
{
    *l = (struct load_events){ .session = session,
                               .by_name = by_name,
                               .traffic = { .kind = WORK_READ, .passes = 1, .cold = true } };
    TRY(traffic_window_add_each(&l->traffic, session->check, LOAD_BYTES));
    if (session->n > LOAD_EVENTS_BOXES) /* the others are alike, and of packages that have some among these */
        session->n = LOAD_EVENTS_BOXES;
    for (uint32_t i = 0; i < session->n; i++)
        l->busy[i] = LOAD_EVENTS_NONE;
    for (uint32_t turn = 0; turn < TURNS && set_tries(l, turn); turn++) {
        TRY(load_events_run(l));
        for (uint32_t i = 0; i < session->n; i++)
            if (l->busy[i] == LOAD_EVENTS_NONE)
                find_busy(l, i, turn);
    }
    for (uint32_t i = 0; i < session->n; i++)
        if (l->busy[i] == LOAD_EVENTS_NONE)
            check_note(session->check, "%s: none of the first events counts the load", session->boxes[i].name);
    return ST_OK;
}

enum status load_events_idle(struct load_events *l)
{
    struct pmon_session *session = l->session;
    uint64_t ticks = traffic_window_ticks(session);

    for (uint32_t look = 0; look < IDLE_LOOKS; look++) {
        TRY_MEASURE(session->check, traffic_window_idle(session, &l->traffic, ticks), l->traffic.bad_cpu,
                    "the idle baseline");
        for (uint32_t i = 0; i < session->n; i++)
            for (uint32_t k = 0; k < session->boxes[i].n && !load_events_clock(l, &session->boxes[i]); k++)
                if (session->boxes[i].ctl[k] && pmon_session_counts(&session->boxes[i], k) > l->background[i])
                    l->background[i] = pmon_session_counts(&session->boxes[i], k);
    }
    return ST_OK;
}

double load_events_slack(const struct load_events *l, uint32_t i, double counts)
{
    const struct pmon_session_box *b = &l->session->boxes[i];

    return ALIKE * counts + (load_events_clock(l, b) ? counts * pmon_skew_of_clock(b)
                                                     : (double)l->background[i] + pmon_skew_lines(l->session, b));
}

bool load_events_comparable(const struct load_events *l, uint32_t i, uint32_t k, uint32_t other)
{
    const struct pmon_session_box *b = &l->session->boxes[i];
    double counts = (double)pmon_session_counts(b, other);

    if (load_events_slack(l, i, counts) <= APART_MOST * counts)
        return true;
    check_note(l->session->check,
               "%s: counter %u is not compared with counter %u: background and skew are more than %u %%", b->name, k,
               other, (unsigned)(100 * APART_MOST));
    return false;
}
