/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/uncore/pmon_session.h"

#include "core/base/bits.h"
#include "core/base/text.h"

#define WINDOWS_A_SECOND 100u

/* --- events of every clock ---------------------------------------------------------------------------------------- */

bool pmon_session_every_clock(const struct pmon_unit *unit, struct pmon_event *event)
{
    if (unit->events.clock != PMON_CLOCK_NONE) {
        *event = (struct pmon_event){ .ev_sel = unit->events.clock_event,
                                      .umask = unit->events.clock_umask,
                                      .enable = true };
        return true;
    }
    if ((unit->events.idle_ev_sel == 0 && !pmon_session_ubox(unit)) || unit->layout->control->invert == 0)
        return false; /* event 0 of a UBox is none */
    *event = (struct pmon_event){ .ev_sel = unit->events.idle_ev_sel,
                                  .umask = unit->events.idle_umask,
                                  .thresh = 1,
                                  .invert = true,
                                  .enable = true };
    return true;
}

uint64_t pmon_session_clock_ctl(const struct pmon_unit *unit)
{
    struct pmon_event event;
    uint64_t ctl = 0;

    if (!pmon_session_every_clock(unit, &event) || pmon_encode(unit, &event, &ctl) != ST_OK)
        return 0;
    return ctl;
}

bool pmon_session_ubox(const struct pmon_unit *unit)
{
    return unit->kind == PMON_UBOX;
}

bool pmon_session_clocked(const struct pmon_unit *unit)
{
    struct pmon_event event;

    return unit->layout->box != NULL && pmon_session_every_clock(unit, &event);
}

bool pmon_session_driven(const struct pmon_unit *unit)
{
    const struct pmon_layout *layout = unit->layout;

    return pmon_session_clocked(unit) ||
           (layout->box && layout->box->frz && layout->fixed.bits && layout->fixed.clock == PMON_CLOCK_NONE);
}

bool pmon_session_resets(const struct pmon_unit *unit)
{
    return unit->layout->box && unit->layout->box->rst_ctrs && !unit->layout->reset_unsure;
}

bool pmon_session_two_levels(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->box->run;
}

/* --- accesses ----------------------------------------------------------------------------------------------------- */

static void session_add_op(struct pmon_session *session, struct pmon_session_box *b, struct pmon_reg reg, bool write,
                           uint64_t value)
{
    if (b->status != ST_OK || reg.bytes == 0 || session->n_ops == session->capacity)
        return;
    session->owner[session->n_ops] = b;
    session->ops[session->n_ops++] = (struct pmon_op){ .box = b->box, .reg = reg, .write = write, .value = value };
}

void pmon_session_write(struct pmon_session *session, struct pmon_session_box *b, struct pmon_reg reg, uint64_t value)
{
    session_add_op(session, b, reg, true, value);
}

void pmon_session_read(struct pmon_session *session, struct pmon_session_box *b, struct pmon_reg reg)
{
    session_add_op(session, b, reg, false, 0);
}

void pmon_session_execute(struct pmon_session *session)
{
    enum status st = session->n_ops ? pmon_run(session->check->platform, session->ops, session->n_ops) : ST_OK;

    for (uint32_t i = 0; i < session->n_ops && st != ST_OK; i++) {
        struct pmon_session_box *b = session->owner[i];

        if (session->ops[i].status == ST_OK || b->status != ST_OK)
            continue;
        b->status = session->ops[i].status;
        b->bad = session->ops[i].reg;
    }
    session->done = session->n_ops;
    session->n_ops = 0;
}

uint64_t pmon_session_value(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t i)
{
    for (uint32_t k = 0; k < session->done; k++)
        if (session->owner[k] == b && i-- == 0)
            return session->ops[k].value;
    return 0;
}

/* --- programming -------------------------------------------------------------------------------------------------- */

uint32_t pmon_session_index(const struct pmon_session_box *b, uint32_t i)
{
    return pmon_nth(b->unit, i);
}

void pmon_session_clear(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        for (uint32_t k = 0; k < PMON_SESSION_COUNTERS; k++)
            b->ctl[k] = b->preset[k] = 0;
        b->filter[0] = b->filter[1] = 0;
        b->match[0] = b->match[1] = 0;
    }
}

static uint32_t second_width(const struct pmon_session_box *b, uint32_t i)
{
    return pmon_session_index(b, i) == PMON_FIXED ? b->unit->layout->fixed.bits_2 : b->unit->layout->counter_bits_2;
}

void pmon_session_widths(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k)
        if (second_width(b, k))
            pmon_session_write(session, b, pmon_ctr(b->unit, pmon_session_index(b, k)), low_bits(b->bits[k]));
    pmon_session_execute(session);
    pmon_session_fetch(session);
    pmon_session_each_counter(session, b, k)
        if (second_width(b, k) && b->got[k] == low_bits(second_width(b, k)))
            b->bits[k] = second_width(b, k);
}

bool pmon_session_sure(const struct pmon_session_box *b, uint32_t i)
{
    return pmon_session_index(b, i) == PMON_FIXED || !(b->unit->layout->counters_unsure & BIT(i));
}

uint32_t pmon_session_programmable(const struct pmon_session_box *b)
{
    return b->unit->layout->counters;
}

uint32_t pmon_session_first(const struct pmon_session_box *b)
{
    return pmon_session_clock_ctl(b->unit) == 0 && pmon_has_fixed(b->unit) ? b->n - 1 : 0;
}

void pmon_session_set_all(struct pmon_session *session, uint64_t (*ctl)(const struct pmon_unit *unit), bool fixed)
{
    pmon_session_each(session, b) {
        for (uint32_t k = 0; k < b->n; k++)
            b->ctl[k] = pmon_session_index(b, k) == PMON_FIXED ? (fixed ? b->unit->layout->fixed.en : 0) : ctl(b->unit);
    }
}

/* A box without a box control is stopped while none of its controls has en set. */
static uint64_t session_stopped_ctl(const struct pmon_session_box *b, uint32_t i)
{
    return b->unit->layout->box ? b->ctl[i] : b->ctl[i] & ~pmon_en_bit(b->unit, pmon_session_index(b, i));
}

static void session_add_stop(struct pmon_session *session, struct pmon_session_box *b)
{
    uint64_t value = pmon_freeze_value(b->unit);

    if (b->unit->layout->box == NULL) {
        for (uint32_t i = 0; i < b->n; i++)
            pmon_session_write(session, b, pmon_ctl(b->unit, pmon_session_index(b, i)), session_stopped_ctl(b, i));
        return;
    }
    if (b->unit->layout->slow_init) /* bits set in one go may raise a spurious #GP */
        pmon_session_write(session, b, pmon_box_ctl(b->unit), value & b->unit->layout->box->frz_en);
    pmon_session_write(session, b, pmon_box_ctl(b->unit), value);
}

static void session_add_run(struct pmon_session *session, struct pmon_session_box *b)
{
    if (b->unit->layout->box)
        pmon_session_write(session, b, pmon_box_ctl(b->unit), pmon_run_value(b->unit));
    for (uint32_t i = 0; i < b->n && !b->unit->layout->box; i++)
        pmon_session_write(session, b, pmon_ctl(b->unit, pmon_session_index(b, i)), b->ctl[i]);
}

/* Match registers, before the counters that use them. */
static void write_matches(struct pmon_session *session, struct pmon_session_box *b)
{
    if (b->status != ST_OK || !(b->match[0] || b->match[1] || b->matched))
        return;
    b->matched = true;
    b->status = pmon_match_write(session->check->platform, b->box, b->match);
}

void pmon_session_program(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        session_add_stop(session, b);
        write_matches(session, b);
        for (uint32_t k = 0; k < 2; k++)
            if (b->filter[k] || b->filtered[k]) {
                pmon_session_write(session, b, pmon_filter(b->unit, k), b->filter[k]);
                b->filtered[k] = true;
            }
        for (uint32_t k = 0; k < b->n; k++) {
            pmon_session_write(session, b, pmon_ctl(b->unit, pmon_session_index(b, k)), session_stopped_ctl(b, k));
            if (b->unit->layout->n_free == 0)
                pmon_session_write(session, b, pmon_ctr(b->unit, pmon_session_index(b, k)), b->preset[k]);
        }
    }
    pmon_session_execute(session);
}

/* With the times of each box's first and last access. */
static void session_execute_timed(struct pmon_session *session, bool run)
{
    struct pmon_session_box *last = NULL;

    for (uint32_t i = 0; i < session->n_ops; i++)
        session->ops[i].timed = true;
    pmon_session_execute(session);
    for (uint32_t i = 0; i < session->done; i++) {
        struct pmon_session_box *b = session->owner[i];

        if (b == NULL)
            continue;
        if (b != last)
            *(run ? &b->run_before : &b->stop_before) = session->ops[i].before;
        *(run ? &b->run_after : &b->stop_after) = session->ops[i].tsc;
        last = b;
    }
}

/* Every counter of the free-running units, or of the others. */
static void session_add_reads(struct pmon_session *session, bool free)
{
    pmon_session_each(session, b)
        for (uint32_t k = 0; k < b->n && (b->unit->layout->n_free != 0) == free; k++)
            pmon_session_read(session, b, pmon_ctr(b->unit, pmon_session_index(b, k)));
}

/* What was read, into values(). */
static void session_take_reads(struct pmon_session *session, uint64_t *(*values)(struct pmon_session_box *b))
{
    for (uint32_t i = 0; i < session->done;) {
        struct pmon_session_box *b = session->owner[i];

        for (uint32_t k = 0; k < b->n && i < session->done && session->owner[i] == b; k++, i++)
            values(b)[k] = session->ops[i].value;
    }
}

static uint64_t *got_of(struct pmon_session_box *b)
{
    return b->got;
}

static uint64_t *preset_of(struct pmon_session_box *b)
{
    return b->preset;
}

void pmon_session_run(struct pmon_session *session)
{
    pmon_session_each(session, b)
        session_add_run(session, b);
    session_execute_timed(session, true);
    session_add_reads(session, true);
    session_execute_timed(session, true);
    session_take_reads(session, preset_of);
}

void pmon_session_stop(struct pmon_session *session)
{
    session_add_reads(session, true);
    session_execute_timed(session, false);
    session_take_reads(session, got_of);
    pmon_session_each(session, b)
        session_add_stop(session, b);
    session_execute_timed(session, false);
}

void pmon_session_wait(struct pmon_session *session, uint64_t ticks)
{
    struct platform *p = session->check->platform;

    platform_stall(p, (uint64_t)((double)ticks * 1e9 / (double)p->tsc_hz));
}

void pmon_session_fetch(struct pmon_session *session)
{
    session_add_reads(session, false);
    pmon_session_execute(session);
    session_take_reads(session, got_of);
}

uint64_t pmon_session_ticks(const struct pmon_session *session)
{
    return session->check->platform->tsc_hz / WINDOWS_A_SECOND;
}

void pmon_session_window(struct pmon_session *session, uint64_t ticks)
{
    pmon_session_run(session);
    pmon_session_wait(session, ticks);
    pmon_session_stop(session);
    pmon_session_fetch(session);
}

void pmon_session_measure(struct pmon_session *session, uint64_t ticks)
{
    pmon_session_program(session);
    pmon_session_window(session, ticks);
}

void pmon_session_silence(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_program(session);
}

void pmon_session_keep(struct pmon_session *session)
{
    pmon_session_each_counter(session, b, k)
        b->preset[k] = b->got[k];
}

uint32_t pmon_session_most(const struct pmon_session *session)
{
    uint32_t most = 0;

    pmon_session_each(session, b)
        most = b->n > most ? b->n : most;
    return most;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

uint64_t pmon_session_counts(const struct pmon_session_box *b, uint32_t i)
{
    return pmon_delta(b->preset[i], b->got[i], b->bits[i]);
}

void pmon_session_same(const struct pmon_session_box *b, double counts, double *lo, double *hi)
{
    double longest = (double)(b->stop_after - b->run_before);
    double shortest = b->stop_before > b->run_after ? (double)(b->stop_before - b->run_after) : 0;

    *lo = *hi = counts;
    if (b->unit->layout->box)
        return;
    *lo = counts * (1 - PMON_SESSION_AGREEMENT) * (longest > 0 ? shortest / longest : 0);
    *hi = shortest > 0 ? counts * (1 + PMON_SESSION_AGREEMENT) * longest / shortest : NO_BOUND;
}

bool pmon_session_others_count(const struct pmon_session_box *b, uint32_t k)
{
    return ANY_OF(i, pmon_session_programmable(b), i != k && pmon_session_counts(b, i) > 0);
}

static bool judged(const struct pmon_session_box *b, uint32_t k)
{
    return b->ctl[k] != 0 && !(b->dead & BIT(k));
}

struct pmon_usual pmon_session_usual_of(const struct pmon_session_box *b, uint32_t n, const double *lo,
                                        const double *hi)
{
    struct pmon_usual usual = { 0 };
    uint32_t most = 0;

    for (uint32_t k = 0; k < n; k++) {
        double counts = (double)pmon_session_counts(b, k);
        uint32_t alike = 0;
        bool apart;

        if (!judged(b, k))
            continue;
        for (uint32_t i = 0; i < n; i++)
            alike += judged(b, i) && (double)pmon_session_counts(b, i) >= lo[k] &&
                     (double)pmon_session_counts(b, i) <= hi[k];
        if (alike == 0 || alike < most)
            continue;
        apart = counts < lo[usual.counter] || counts > hi[usual.counter];
        usual.tied = alike == most && (usual.tied || apart);
        if (alike > most || pmon_session_counts(b, k) > pmon_session_counts(b, usual.counter))
            usual.counter = k;
        most = alike;
    }
    return usual;
}

struct pmon_usual pmon_session_usual(const struct pmon_session_box *b)
{
    double lo[PMON_SESSION_COUNTERS], hi[PMON_SESSION_COUNTERS];
    uint32_t n = pmon_session_programmable(b);

    for (uint32_t k = 0; k < n; k++)
        pmon_session_same(b, (double)pmon_session_counts(b, k), &lo[k], &hi[k]);
    return pmon_session_usual_of(b, n, lo, hi);
}

void pmon_session_note_fixed_alone(const struct pmon_session *session)
{
    pmon_session_each(session, b)
        if (pmon_session_clock_ctl(b->unit) == 0)
            check_note(session->check,
                       "%s: its fixed counter alone: no event occurs in every cycle, to drive the other %u", b->name,
                       pmon_session_programmable(b));
}

void pmon_session_rate(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t i, double *lo,
                       double *hi)
{
    double hz = (double)session->check->platform->tsc_hz, counts = (double)pmon_session_counts(b, i);
    double longest = (double)(b->stop_after - b->run_before);
    double shortest = b->stop_before > b->run_after ? (double)(b->stop_before - b->run_after) : 0;

    *lo = longest > 0 ? (counts - 1) * hz / longest : 0;
    *hi = shortest > 0 ? (counts + 1) * hz / shortest : NO_BOUND;
}

void pmon_session_show(struct pmon_session *session, const struct pmon_session_box *b, struct pmon_reg reg,
                       uint64_t value)
{
    uint64_t at = pmon_address(b->box, reg);

    if (b->unit->layout->access == PMON_MSR)
        evidence_msr(session->check, b->box->cpu, (uint32_t)at, value, 0);
    else
        evidence_register(session->check, b->unit->layout->access == PMON_PCI ? "pci" : "mmio", b->name, at, value);
}

void pmon_session_finding(struct check *c, const struct pmon_unit *unit, enum finding_code code, struct place place,
                          const char *sentence, ...)
{
    char text[2 * PMON_TEXT];

    TEXT_OF_ARGS(text, sentence);
    finding(c, unit->one_source ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, code, place, "%s%s", text,
            unit->one_source ? " (documented by one public source)" : "");
}

struct place pmon_session_place(const struct pmon_session_box *b, uint32_t i)
{
    return pmon_counter_place(b->box, pmon_session_index(b, i));
}

/* An expectation that counter i does not meet, of which all sources say so. */
struct unmet {
    struct place place;
    const char *what, *unit, *defect;
    double value, lo, hi;
    enum finding_code code;
    bool sure;
};

/* Of counts that stand while they are judged. */
static bool counts_stand(enum finding_code code)
{
    switch (code) {
    case FOUND_COUNTS_ZERO:
    case FOUND_COUNTER_ZERO:
    case FOUND_COUNTERS_DIFFER:
    case FOUND_COUNTS_DISABLED:
    case FOUND_FIXED_COUNTS_DISABLED:
    case FOUND_COUNTS_UNGATED:
    case FOUND_THRESHOLD_STOPS:
    case FOUND_THRESHOLD_PASSES:
    case FOUND_EDGES_MISCOUNTED:
    case FOUND_EDGES_COUNT_CYCLES:
    case FOUND_INVERT_IGNORED:
    case FOUND_INVERT_UNASKED:
    case FOUND_REGISTER_SHARED:
    case FOUND_SUM_OFF:
        return true;
    default:
        return false;
    }
}

/* Two more reads of counter k agree, and not with what was read, or the first of them alone does not: a counter that still
 * counts does neither. */
static bool reads_differ(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, k));
    uint64_t first = 0, second = 0, bits = low_bits(b->bits[k]);

    return pmon_read(session->check->platform, b->box, reg, &first) == ST_OK &&
           pmon_read(session->check->platform, b->box, reg, &second) == ST_OK && (first & bits) != b->got[k] &&
           ((second & bits) == b->got[k] || (second & bits) == (first & bits));
}

uint32_t pmon_session_read_wrong(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t i)
{
    if (reads_differ(session, b, i))
        return i;
    return FIND(k, b->n, k != i && b->ctl[k] && reads_differ(session, b, k), k, PMON_FIXED);
}

static void report_unmet(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i, struct unmet u)
{
    uint32_t index = pmon_session_index(b, i),
             wrong = counts_stand(u.code) ? pmon_session_read_wrong(session, b, i) : PMON_FIXED;

    if (wrong != PMON_FIXED) {
        u.code = FOUND_READS_DIFFER;
        u.defect = "another read of the standing counter has another value";
        u.place = pmon_session_place(b, wrong);
    }

    pmon_session_show(session, b, pmon_ctl(b->unit, index), b->ctl[i]);
    pmon_session_show(session, b, pmon_ctr(b->unit, index), b->got[i]);
    check_measure(session->check, u.what, u.place, u.value, u.unit, u.lo, u.hi);
    if (u.sure)
        pmon_session_finding(session->check, b->unit, u.code, u.place, "%s: %s", u.what, u.defect);
    else
        finding(session->check, FINDING_UNUSUAL, 0, u.code, u.place,
                "%s: %s (sources disagree whether this counter counts)", u.what, u.defect);
}

bool pmon_session_expect(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i, const char *what,
                         double value, const char *unit, double lo, double hi, enum finding_code code,
                         const char *defect)
{
    if (value >= lo && value <= hi) {
        session->held++;
        return true;
    }
    report_unmet(
        session, b, i,
        (struct unmet){ pmon_session_place(b, i), what, unit, defect, value, lo, hi, code, pmon_session_sure(b, i) });
    return false;
}

bool pmon_session_expect_usual(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i,
                               struct pmon_usual usual, const char *what, double lo, double hi, enum finding_code code,
                               const char *defect)
{
    double counts = (double)pmon_session_counts(b, i);
    char text[2 * PMON_TEXT];

    if ((counts >= lo && counts <= hi) || !usual.tied || counts == 0)
        return pmon_session_expect(session, b, i, what, counts, "counts", lo, hi, code, defect);
    text_format(text, sizeof text, "%s: counter %u from counter %u, and as many counters agree with each", defect, i,
                usual.counter);
    report_unmet(session, b, i,
                 (struct unmet){ pmon_place(b->box), what, "counts", text, counts, lo, hi, code,
                                 pmon_session_sure(b, i) && pmon_session_sure(b, usual.counter) });
    return false;
}
