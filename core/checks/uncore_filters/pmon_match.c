/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The match of addresses and opcodes: its MSR says which requests event ADDR_OPCODE_MATCH counts. Witness: one line
 * that is read many times, with the match set to its own address, to another's, and to none. */
#include "arch/x86/cpu/msr_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/uncore_filters/pmon_touches.h"

#define SOURCE                                                                                                         \
    "SDM vol. 3B 18.8.2.3 Uncore Address/Opcode Match MSR (old numbering); event 35H as in likwid's perfmon_nehalem.h"
#define EV_MATCH  0x35u
#define EV_UMASK  0x07u /* from the I/O hub, other packages and its own cores */
#define BY_NONE   0u
#define BY_ADDR   4u
#define ELSEWHERE UINT64_C(0x40) /* the line after the one that is read */
#define MOST      0.75
#define LITTLE    0.25
#define HIGH      BITS(39, 36) /* of the address: a part may have fewer, and need not keep them */
#define MANY      8u

static bool has_match(const struct pmon_unit *unit)
{
    return unit->layout->has_match;
}

static uint64_t match_of(uint64_t address, uint64_t matchsel)
{
    return (address & MSR_UNCORE_ADDR_OPCODE_MATCH_Addr) | field_put(MSR_UNCORE_ADDR_OPCODE_MATCH_MatchSel, matchsel);
}

struct match {
    struct pmon_session *session;
    struct touches touches;
    uint64_t *found;                 /* [session.n] */
    double *own, *elsewhere, *never; /* [session.n] counted while so much was to be matched */
};

static enum status match_write(struct match *m, uint32_t i, uint64_t value)
{
    return msr_write(m->session->check->platform, m->session->boxes[i].box->cpu, MSR_UNCORE_ADDR_OPCODE_MATCH, value);
}

/* A2: address and opcode store what is written while nothing is matched. false: the register is absent. */
static bool judge_storage(struct match *m, uint32_t i)
{
    static const uint64_t patterns[] = { UINT64_C(0x5555555555555555), UINT64_C(0xAAAAAAAAAAAAAAAA) };
    const struct pmon_session_box *b = &m->session->boxes[i];
    struct check *c = m->session->check;

    for (uint32_t k = 0; k < 2; k++) {
        uint64_t bits = MSR_UNCORE_ADDR_OPCODE_MATCH_Addr | MSR_UNCORE_ADDR_OPCODE_MATCH_Opcode, value = 0;
        uint64_t written = patterns[k] & bits;
        enum status st = match_write(m, i, written);

        if (st == ST_OK)
            st = msr_read(c->platform, b->box->cpu, MSR_UNCORE_ADDR_OPCODE_MATCH, &value);
        if (st != ST_OK) {
            check_note(c, "%s: MSR 0x%x: %s", b->name, MSR_UNCORE_ADDR_OPCODE_MATCH, status_text(st));
            return false;
        }
        evidence_msr(c, b->box->cpu, MSR_UNCORE_ADDR_OPCODE_MATCH, value, 0);
        if ((value & bits) != written)
            finding(c, (value ^ written) & bits & ~HIGH ? FINDING_EXPECTED : FINDING_UNUSUAL, 0, FOUND_NOT_STORED,
                    pmon_place(b->box), "MSR 0x%x: 0x%lx was written, 0x%lx is read", MSR_UNCORE_ADDR_OPCODE_MATCH,
                    written, value);
    }
    return true;
}

/* What event 35H counts of the line's reads with `matchsel` and the address of the line at `offset` from it. */
static enum status count_matches(struct match *m, uint64_t offset, uint64_t matchsel, double *counted)
{
    struct pmon_event event = { .ev_sel = EV_MATCH, .umask = EV_UMASK, .enable = true };

    pmon_session_clear(m->session);
    for (uint32_t i = 0; i < m->session->n; i++) {
        struct pmon_session_box *b = &m->session->boxes[i];
        const struct traffic_window_stream *s = touches_stream(&m->touches, m->session->check, b->box->package);

        TRY(pmon_encode(b->unit, &event, &b->ctl[0]));
        if (s && b->status == ST_OK)
            TRY(match_write(m, i, match_of(s->base + offset, matchsel)));
    }
    TRY(traffic_window_run(m->session, &m->touches.traffic, &m->touches.counts));
    for (uint32_t i = 0; i < m->session->n; i++)
        counted[i] = traffic_window_net(&m->touches.counts, m->session, &m->session->boxes[i], 0);
    return ST_OK;
}

static bool judge_match(struct match *m, uint32_t i)
{
    const struct pmon_session_box *b = &m->session->boxes[i];
    struct check *c = m->session->check;

    if (b->status != ST_OK || (m->own[i] < MANY && m->elsewhere[i] < MANY && m->never[i] < MANY))
        return false;
    excludes_share(c, "a loss of matches", m->own[i], MOST * TOUCHES);
    excludes(c, "matches of another line", 100 * (LITTLE - m->elsewhere[i] / TOUCHES), "%");
    if (!check_measure(c, "matching requests over reads of the line", pmon_place(b->box), m->own[i] / TOUCHES, "ratio",
                       MOST, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_STOPS, pmon_place(b->box),
                "%u reads of one line, %lu requests match its address", TOUCHES,
                (uint64_t)(m->own[i] > 0 ? m->own[i] : 0));
    if (!check_measure(c, "requests matching another line, over reads", pmon_place(b->box), m->elsewhere[i] / TOUCHES,
                       "ratio", -NO_BOUND, LITTLE))
        finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, pmon_place(b->box),
                "%u reads of one line, %lu requests match the address of another line", TOUCHES,
                (uint64_t)m->elsewhere[i]);
    if (!check_measure(c, "requests matching with MatchSel 0, over reads", pmon_place(b->box), m->never[i] / TOUCHES,
                       "ratio", -NO_BOUND, LITTLE))
        finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, pmon_place(b->box),
                "%u reads of one line, %lu requests match with MatchSel 0", TOUCHES, (uint64_t)m->never[i]);
    return true;
}

static enum status judge_all(struct match *m)
{
    struct check *c = m->session->check;
    bool any = false;

    TRY_MEASURE(c, count_matches(m, 0, BY_ADDR, m->own), m->touches.traffic.bad_cpu, "the line");
    TRY_MEASURE(c, count_matches(m, ELSEWHERE, BY_ADDR, m->elsewhere), m->touches.traffic.bad_cpu, "the line");
    TRY_MEASURE(c, count_matches(m, 0, BY_NONE, m->never), m->touches.traffic.bad_cpu, "the line");
    for (uint32_t i = 0; i < m->session->n; i++)
        any |= judge_match(m, i);
    if (!any)
        check_note(c, "event 0x%x counts nothing with any match value", EV_MATCH);
    return ST_OK;
}

static enum status pmon_match_alloc(struct match *m)
{
    struct check *c = m->session->check;
    uint32_t n = m->session->n;

    TRY_ALLOC(c, m->found, n, "the match registers");
    TRY_ALLOC(c, m->own, 3 * n, "the match registers");
    m->elsewhere = m->own + n;
    m->never = m->elsewhere + n;
    return ST_OK;
}

static enum status pmon_match_prepare(struct match *m)
{
    struct check *c = m->session->check;

    TRY(pmon_match_alloc(m));
    TRY(touches_prepare(&m->touches, c));
    for (uint32_t i = 0; i < m->session->n; i++)
        if (msr_read(c->platform, m->session->boxes[i].box->cpu, MSR_UNCORE_ADDR_OPCODE_MATCH, &m->found[i]) != ST_OK)
            return check_absent(c, "MSR 0x%x is not implemented", MSR_UNCORE_ADDR_OPCODE_MATCH);
    return ST_OK;
}

static void pmon_match_restore(struct match *m)
{
    for (uint32_t i = 0; i < m->session->n; i++) {
        enum status st = match_write(m, i, m->found[i]);

        if (st != ST_OK)
            check_cannot_measure(m->session->check, st, m->session->boxes[i].box->cpu,
                                 "restoring MSR_UNCORE_ADDR_OPCODE_MATCH");
    }
}

static enum status pmon_match_try(struct pmon_session *session)
{
    struct match m = { .session = session };
    enum status st = pmon_match_prepare(&m);
    bool stored = true;

    TRY(st);
    for (uint32_t i = 0; i < session->n; i++)
        stored &= judge_storage(&m, i);
    if (stored)
        st = judge_all(&m);
    pmon_match_restore(&m);
    return st;
}

static const struct check_row rows[] = {
    { .id = "pmon.match",
      .title = "Address match counts only requests to the programmed address",
      .spec = SOURCE,
      .covers = "A2",
      .detects = "a match register that loses bits, an address that is matched in part or not at all",
      .wanted = has_match,
      .run_session = pmon_match_try },
};
CHECK_FAMILY(pmon_match, rows, UNCORE_FAMILY, .risk = RISK_WORKLOAD, .excludes = true, .order = 970);
