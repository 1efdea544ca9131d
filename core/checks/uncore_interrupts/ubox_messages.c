/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ev_sel and umask of the UBox' counters select. Witness: a known number of interprocessor interrupts that Assay
 * sends (core/platform/platform.h, STEP_IPI_SEND), and the box' other counter.
 *
 * EVENT_MSG counts messages for one thread, named in NCUPMONCTRLGLCTR.ThreadID (327043-001 2.2.6, EVENT_MSG), and no
 * document gives that register's number. So every processor of the package is tried as the receiver; where messages to
 * none of them are counted, nothing is judged. Nor does a document say how much one message counts: a sub-event counts
 * the messages if twice as many count twice as much. Then the other counter must count the same, and the counter must
 * count none of them with umask 0 ("Select subevents to be counted within the selected event", table 2-2), as messages
 * of legacy wires or of devices, or with another event. DOORBELL_RCVD and INT_PRIO may come with an interrupt: their
 * counts are recorded. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"
#include "core/platform/script.h"

#define GUIDE                                                                                                          \
    "E5-2600 Uncore Guide 327043-001 table 2-2 U_MSR_PMON_CTL (ev_sel, umask) and 2.2.6 EVENT_MSG; intel/perfmon "     \
    "event files, UNC_U_EVENT_MSG; SDM vol. 3A 10.6 Issuing Interprocessor Interrupts"
#define IPI           "ipi_rcvd"
#define COUNTERS      2u
#define MESSAGES      100u   /* of a window, and twice as many of another                                  */
#define PROBE         32u    /* of a window that shows only whether they are counted                        */
#define SENT_A_SECOND 50000u /* far enough apart that the handler is done with one before the next         */
#define LEAD_SHARE    5u     /* of the messages' time, before and after them                               */
#define TRIES         3u     /* firmware's own messages disturb one try, a defect all of them              */
#define COUNTED       0.5    /* of the messages at least: less is taken for those of others                */
#define STEADY        0.25   /* of what N messages count: 2N count twice that, within it                   */
#define AGREEMENT     0.1    /* of two counters of one event, written one after the other                  */

struct exchange { /* with one UBox */
    struct check *check;
    struct pmon_box *box;
    uint32_t from, to;    /* processors */
    uint32_t gap;         /* TSC ticks between two messages */
    uint32_t listened;    /* receivers tried so far                */
    uint32_t sent, taken; /* messages, and interrupts of them      */
};

struct series { /* counts of each counter: of no message, MESSAGES and twice as many, in windows of one length */
    uint64_t counts[3][COUNTERS];
};

static struct pmon_event event_of(const struct pmon_named *named)
{
    return (struct pmon_event){ .ev_sel = named->ev_sel, .umask = named->umask, .enable = true };
}

static bool is_message(const struct pmon_unit *unit, const struct pmon_named *named)
{
    return named->ev_sel == unit->events.idle_ev_sel;
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* The receiver takes interrupts from before the first of `most` messages, of which n are sent, until after the last. */
static enum status send(struct exchange *t, uint32_t n, uint32_t most)
{
    struct platform *p = t->check->platform;
    uint64_t lead = (uint64_t)most * t->gap / LEAD_SHARE;
    struct step receive[] = { step_barrier(), step_pmi_listen((uint64_t)most * t->gap + 2 * lead) };
    struct step sending[] = { step_barrier(), step_spin(lead), step_ipi_send(p->cpus[t->to].apic_id, n, t->gap) };
    struct task tasks[] = { { .cpu = t->to, .n_steps = 2, .steps = receive },
                            { .cpu = t->from, .n_steps = n ? 3 : 2, .steps = sending } };
    enum status st = platform_run(p, tasks, 2, work_budget_ms(0));

    t->sent += n;
    return status_first(status_first(st, receive[1].status), n ? sending[2].status : ST_OK);
}

static enum status read_counters(struct exchange *t, uint64_t values[COUNTERS], bool shown)
{
    for (uint32_t i = 0; i < COUNTERS; i++) {
        TRY(pmon_counter_read(t->check->platform, t->box, i, &values[i]));
        if (shown)
            evidence_msr(t->check, t->box->cpu, (uint32_t)pmon_address(t->box, pmon_ctr(t->box->unit, i)), values[i],
                         0);
    }
    return ST_OK;
}

/* Counters start at 0, far from a wrap, whatever their width. One that cannot be preset starts where it is. */
static enum status start(struct exchange *t, uint32_t k, const struct pmon_event *event)
{
    enum status st = pmon_program(t->check->platform, t->box, k, event);

    if (st == ST_OK)
        st = pmon_counter_write(t->check->platform, t->box, k, 0);
    return st == ST_FAULT ? ST_OK : st;
}

/* What each counter counts of its event while n messages are sent, in a window that is long enough for `most`. */
static enum status count(struct exchange *t, const struct pmon_event events[COUNTERS], uint32_t n, uint32_t most,
                         bool shown, uint64_t counts[COUNTERS])
{
    uint64_t first[COUNTERS] = { 0 }, last[COUNTERS] = { 0 };

    for (uint32_t i = 0; i < COUNTERS; i++)
        TRY(start(t, i, &events[i]));
    TRY(read_counters(t, first, shown));
    TRY(send(t, n, most));
    TRY(read_counters(t, last, shown));
    for (uint32_t i = 0; i < COUNTERS; i++)
        counts[i] = pmon_delta(first[i], last[i], pmon_bits(t->box->unit, i));
    return ST_OK;
}

static enum status count_series(struct exchange *t, const struct pmon_event events[COUNTERS], struct series *s)
{
    for (uint32_t i = 0; i < 3; i++)
        TRY(count(t, events, i * MESSAGES, 2 * MESSAGES, true, s->counts[i]));
    return ST_OK;
}

/* Counts of i x MESSAGES less those of a window without messages. */
static double net(const struct series *s, uint32_t i, uint32_t counter)
{
    uint64_t got = s->counts[i][counter], without = s->counts[0][counter];

    return got > without ? (double)(got - without) : 0;
}

/* Counter k counts the messages: each as much as any other. */
static bool in_step(const struct series *s, uint32_t k)
{
    double once = net(s, 1, k), twice = net(s, 2, k);

    return once >= COUNTED * MESSAGES && twice >= (2 - STEADY) * once && twice <= (2 + STEADY) * once;
}

/* --- processors --------------------------------------------------------------------------------------------------- */

static bool is_here(const struct exchange *t, uint32_t cpu)
{
    const struct check *c = t->check;
    const struct cpu *cpus = c->machine->cpus;

    return cpus[cpu].enumerated == ST_OK && cpus[cpu].package == t->box->package && cpu_takes_work(c->platform, cpu) &&
           (!c->tools->pmon.part->by_die || cpus[cpu].place.die == cpus[t->box->cpu].place.die);
}

/* A processor other than the receiver. false: there is none. */
static bool find_sender(struct exchange *t)
{
    for (t->from = 0; t->from < t->check->machine->n_cpus; t->from++)
        if (t->from != t->to && is_here(t, t->from))
            return true;
    return false;
}

/* ST_UNSUPPORTED: it cannot listen. */
static enum status start_listening(struct exchange *t, uint32_t cpu)
{
    struct step step = step_pmi_open();
    enum status st = script_run(t->check->platform, cpu, &step, 1, work_budget_ms(0));

    t->to = cpu;
    st = status_first(st, step.status);
    t->listened += st == ST_OK;
    return st;
}

static enum status stop_listening(struct exchange *t)
{
    struct step step = step_pmi_close();
    enum status st;

    if (!cpu_takes_work(t->check->platform, t->to))
        return ST_LOST;
    st = script_run(t->check->platform, t->to, &step, 1, work_budget_ms(0));
    t->taken += step.pmi.interrupts;
    return status_first(st, step.status);
}

/* --- a sub-event that counts the messages ------------------------------------------------------------------------- */

/* With the receiver of t listening, whether either counter counts messages to it with that sub-event. */
static enum status try_receiver(struct exchange *t, const struct pmon_named *named, struct series *s, bool *found)
{
    const struct pmon_event events[COUNTERS] = { event_of(named), event_of(named) };
    uint64_t counts[COUNTERS] = { 0 };
    enum status st = count(t, events, PROBE, PROBE, false, counts);

    *found = false;
    if (st != ST_OK || (counts[0] < COUNTED * PROBE && counts[1] < COUNTED * PROBE))
        return st;
    st = count_series(t, events, s);
    *found = st == ST_OK && (in_step(s, 0) || in_step(s, 1));
    if (st == ST_OK && !*found)
        check_note(t->check, "package %u UBox: %s counts %lu, %lu and %lu for 0, %u and %u messages to cpu %u",
                   t->box->package, named->name, s->counts[0][0], s->counts[1][0], s->counts[2][0], MESSAGES,
                   2 * MESSAGES, t->to);
    return st;
}

/* Cpu i listens if it is in the package and can; otherwise *opened is false, which is no error. */
static enum status start_listening_on(struct exchange *t, uint32_t i, bool *opened)
{
    enum status st = is_here(t, i) ? start_listening(t, i) : ST_UNSUPPORTED;

    *opened = st != ST_UNSUPPORTED;
    return *opened ? st : ST_OK;
}

/* On *found the receiver is left listening. */
static enum status try_sub_event(struct exchange *t, const struct pmon_named *named, struct series *s, bool *found)
{
    enum status st = ST_OK;
    bool opened;

    *found = false;
    for (uint32_t i = 0; i < t->check->machine->n_cpus && st == ST_OK && !*found; i++) {
        st = start_listening_on(t, i, &opened);
        if (!opened)
            continue;
        if (st == ST_OK && find_sender(t))
            st = try_receiver(t, named, s, found);
        if (!*found)
            st = status_first(st, stop_listening(t));
    }
    return st;
}

/* The first in the order of the tables: IPI_RCVD, where the part has it. *named NULL: none counts any. */
static enum status find_counted(struct exchange *t, const struct pmon_named **named, struct series *s)
{
    const struct pmon_events *events = &t->box->unit->events;
    bool found = false;
    enum status st = ST_OK;

    *named = NULL;
    for (uint32_t i = 0; i < events->n_named && st == ST_OK && !found; i++) {
        if (!is_message(t->box->unit, &events->named[i]))
            continue;
        st = try_sub_event(t, &events->named[i], s, &found);
        if (found)
            *named = &events->named[i];
    }
    return st;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

/* Both counters have one event and must agree on the same messages. On a deviation they count again. */
static enum status judge_both(struct exchange *t, const struct pmon_named *named, struct series *s)
{
    const struct pmon_event events[COUNTERS] = { event_of(named), event_of(named) };
    struct check *c = t->check;
    uint32_t more = 0;
    double ratio = 0;
    struct place place;
    enum status st = ST_OK;

    for (uint32_t i = 0; i < TRIES && st == ST_OK; i++) {
        if (i > 0)
            st = count_series(t, events, s);
        more = net(s, 2, 1) > net(s, 2, 0);
        ratio = st == ST_OK ? net(s, 2, !more) / net(s, 2, more) : 0;
        if (ratio >= 1 - AGREEMENT)
            break;
    }
    TRY(st);
    place = pmon_counter_place(t->box, !more);
    check_show(c, "counts for one message", place, net(s, 2, more) / (2 * MESSAGES), "counts");
    if (!check_measure(c, "counts over those of the other counter, of one event", place, ratio, "ratio", 1 - AGREEMENT,
                       1))
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTERS_DIFFER, place,
                "%s counts %u of %u messages to cpu %u, the other counter %u", named->name, (uint32_t)net(s, 2, !more),
                2 * MESSAGES, t->to, (uint32_t)net(s, 2, more));
    return ST_OK;
}

/* Counter k has another event, the other counter the messages. *share: its counts over those of the other, the least of
 * some tries; negative: the other did not count the messages. */
static enum status share_of_other(struct exchange *t, const struct pmon_named *named, uint32_t k,
                                  const struct pmon_event *other, double *share)
{
    struct pmon_event events[COUNTERS] = { event_of(named), event_of(named) };
    enum status st = ST_OK;
    struct series s = { 0 };

    *share = -1;
    events[k] = *other;
    for (uint32_t i = 0; i < TRIES && st == ST_OK && (*share < 0 || *share > COUNTED); i++) {
        st = count_series(t, events, &s);
        if (st != ST_OK || !in_step(&s, !k))
            continue;
        double got = net(&s, 2, k) / net(&s, 2, !k);
        *share = *share < 0 || got < *share ? got : *share;
    }
    return st;
}

/* `judged`: it must not count the messages; else what it counts is recorded. */
static enum status look_at_other(struct exchange *t, const struct pmon_named *named, const char *what,
                                 const struct pmon_event *other, bool judged)
{
    struct check *c = t->check;
    enum status st = ST_OK;
    char figure[64];

    text_format(figure, sizeof figure, "counts of %s over those of %s", what, named->name);
    for (uint32_t k = 0; k < COUNTERS && st == ST_OK; k++) {
        double share = 0;

        st = share_of_other(t, named, k, other, &share);
        if (st != ST_OK || share < 0)
            continue;
        if (!check_measure(c, figure, pmon_counter_place(t->box, k), share, "ratio", judged ? 0 : -NO_BOUND,
                           judged ? COUNTED : NO_BOUND))
            finding(c, FINDING_UNUSUAL, 0, FOUND_SELECTION_IGNORED, pmon_counter_place(t->box, k),
                    "with %s (ev_sel 0x%x, umask 0x%x) it counts the interrupts that %s counts", what, other->ev_sel,
                    other->umask, named->name);
    }
    return st;
}

static enum status judge_selection(struct exchange *t, const struct pmon_named *named)
{
    const struct pmon_events *events = &t->box->unit->events;
    struct pmon_event none = { .ev_sel = named->ev_sel, .enable = true };

    TRY(look_at_other(t, named, "umask 0", &none, true));
    EACH(const struct pmon_named, other, events->named, events->n_named) {
        struct pmon_event event = event_of(other);
        bool message = is_message(t->box->unit, other);

        if (other == named)
            continue;
        if (!message)
            event.umask |= named->umask; /* so that ev_sel alone makes the difference */
        TRY(look_at_other(t, named, other->name, &event,
                          !message || (text_equal(named->name, IPI) &&
                                       (text_equal(other->name, "vlw_rcvd") || text_equal(other->name, "msi_rcvd")))));
    }
    return ST_OK;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* To how many of the processors of the package that can listen messages are counted. */
static enum status record_receivers(struct exchange *t, const struct pmon_named *named)
{
    const struct pmon_event events[COUNTERS] = { event_of(named), event_of(named) };
    struct check *c = t->check;
    uint32_t first = t->to, tried = 1, counted = 1;
    enum status st = stop_listening(t);
    bool opened;

    for (uint32_t i = 0; i < c->machine->n_cpus && st == ST_OK; i++) {
        uint64_t counts[COUNTERS] = { 0 };

        if (i == first)
            continue;
        st = start_listening_on(t, i, &opened);
        if (!opened)
            continue;
        if (st == ST_OK && find_sender(t))
            st = count(t, events, PROBE, PROBE, false, counts);
        st = status_first(st, stop_listening(t));
        tried++;
        counted += counts[0] >= COUNTED * PROBE || counts[1] >= COUNTED * PROBE;
    }
    check_show(c, "processors to which messages are counted", pmon_place(t->box), counted, "processors");
    check_note(c, "package %u UBox: %s counts messages to cpu %u, and to %u of %u processors in all", t->box->package,
               named->name, first, counted, tried);
    return st;
}

/* The same from a processor of another package. */
static enum status record_remote(struct exchange *t, const struct pmon_named *named)
{
    const struct pmon_event events[COUNTERS] = { event_of(named), event_of(named) };
    const struct cpu *cpus = t->check->machine->cpus;
    struct series s = { 0 };

    for (t->from = 0; t->from < t->check->machine->n_cpus; t->from++)
        if (cpus[t->from].enumerated == ST_OK && cpus[t->from].package != t->box->package &&
            cpu_takes_work(t->check->platform, t->from))
            break;
    if (t->from == t->check->machine->n_cpus)
        return ST_OK;
    TRY(count_series(t, events, &s));
    check_show(t->check, "counts for one message",
               place_with_detail(pmon_place(t->box), "from package %u", cpus[t->from].package),
               net(&s, 2, net(&s, 2, 1) > net(&s, 2, 0)) / (2 * MESSAGES), "counts");
    return ST_OK;
}

/* --- a box -------------------------------------------------------------------------------------------------------- */

static enum status none_counted(struct exchange *t)
{
    uint32_t here = HOW_MANY(i, t->check->machine->n_cpus, is_here(t, i));

    if (here < 2)
        return check_absent(t->check, "package %u has no second processor that takes work: none sends to another",
                            t->box->package);
    if (t->listened == 0)
        return check_absent(t->check, "package %u: no local APIC has an LVT performance counter register that is free",
                            t->box->package);
    return check_absent(
        t->check,
        "package %u UBox: EVENT_MSG counts no interrupts to any of %u processors (%u sent, %u taken): no document has "
        "the number of the register that selects the thread",
        t->box->package, here, t->sent, t->taken);
}

static enum status judge_counted(struct exchange *t, const struct pmon_named *named, struct series *s)
{
    enum status st = judge_both(t, named, s);

    if (st == ST_OK)
        st = judge_selection(t, named);
    if (st == ST_OK)
        st = record_remote(t, named);
    return st == ST_OK ? record_receivers(t, named) : status_first(st, stop_listening(t));
}

static enum status ubox_messages(struct check *c, struct pmon_box *box)
{
    struct exchange t = { .check = c, .box = box, .gap = (uint32_t)(c->platform->tsc_hz / SENT_A_SECOND) };
    const struct pmon_named *named = NULL;
    struct series s = { 0 };
    enum status st;

    if (box->unit->layout->counters < COUNTERS || box->unit->events.n_named == 0)
        return check_absent(c, "no event file has EVENT_MSG of this part's UBox");
    st = find_counted(&t, &named, &s);
    if (st == ST_OK && named)
        st = judge_counted(&t, named, &s);
    else if (st == ST_OK)
        return none_counted(&t);
    if (st == ST_UNSUPPORTED)
        return check_absent(c, "package %u: the local APIC of cpu %u sends no interrupts to cpu %u (APIC id 0x%x)",
                            box->package, t.from, t.to, c->platform->cpus[t.to].apic_id);
    return st == ST_OK ? ST_OK
                       : check_unmeasured(c, st, t.from, "interrupts to another processor and the UBox counters");
}

static enum status ubox_try_messages(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_run(session); /* no counter is enabled */
    pmon_session_each(session, b)
        check_conclude(session->check, ubox_messages(session->check, b->box));
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "ubox.messages",
      .title = "ev_sel and umask of the UBox select which messages between processors are counted",
      .spec = GUIDE,
      .covers = "V11",
      .detects = "interrupts between processors that count with umask 0, as messages of another kind or as another "
                 "event; two counters that count other than the same of one event",
      .needs = NEED_PMI_ASKED,
      .wanted = pmon_session_ubox,
      .run_session = ubox_try_messages },
};
CHECK_FAMILY(ubox_messages, rows, UBOX_FAMILY, .grade = GRADE_W, .slow = true, .order = 990);
