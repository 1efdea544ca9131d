/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The matches of home agents: their registers say which requests ADDR_OPC_MATCH counts, by address, by opcode or by
 * both. Witness: one line that is read many times, with the match set to its own address, and to another line's. */
#include "core/base/bits.h"
#include "core/checks/uncore_filters/pmon_touches.h"

#define BY_ADDRESS "addr_match"
#define BY_OPCODE  "opc_match"
#define BY_BOTH    "addr_opc_match"
#define ADDRESS    BITS(45, 6)
#define OPCODES    64u          /* of six bits */
#define ELSEWHERE  UINT64_C(64) /* the line after the one that is read */
#define MOST       0.75
#define LITTLE     0.25
#define SEVERAL    16u /* opcodes that one read may have on all rings: more, and no opcode is compared */

static bool has_home_match(const struct pmon_unit *unit)
{
    return unit->layout->home_match != 0;
}

struct home_match {
    struct pmon_session *session;
    struct touches touches;
    uint64_t (*found)[PMON_MATCHES]; /* [session.n] */
    double *counted;                 /* [packages] what their agents counted of the line's reads */
    double *best, *least;            /* [packages] the most and the fewest of an opcode */
    uint32_t *opcode, *other;        /* [packages] those two opcodes */
    uint32_t *matching;              /* [packages] opcodes that count most of the reads */
    uint64_t *likely;                /* [packages] these, a bit each */
};

static struct check *check_of(const struct home_match *m)
{
    return m->session->check;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* What the agents of each package count as `event` with the address of the line at `offset` from the one that is read,
 * and each package's opcode. */
static enum status home_count(struct home_match *m, const char *event, uint64_t offset, const uint32_t *opcode)
{
    struct check *c = check_of(m);
    enum status st = ST_OK;

    pmon_session_clear(m->session);
    for (uint32_t i = 0; i < m->session->n && st == ST_OK; i++) {
        struct pmon_session_box *b = &m->session->boxes[i];
        const struct traffic_window_stream *s = touches_stream(&m->touches, c, b->box->package);
        uint64_t address = s ? s->base + offset : 0;
        uint64_t values[PMON_MATCHES] = { address & ADDRESS, opcode[b->box->package] };

        if (b->status == ST_OK && traffic_window_select(b, 0, event))
            st = pmon_match_write(c->platform, b->box, values);
    }
    if (st == ST_OK)
        st = traffic_window_run(m->session, &m->touches.traffic, &m->touches.counts);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        m->counted[p] = 0;
    for (uint32_t i = 0; i < m->session->n && st == ST_OK; i++)
        if (m->session->boxes[i].status == ST_OK)
            m->counted[m->session->boxes[i].box->package] +=
                traffic_window_net(&m->touches.counts, m->session, &m->session->boxes[i], 0);
    return st == ST_OK ? st : check_unmeasured(c, st, m->touches.traffic.bad_cpu, "the line that is read");
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

/* all: most of the reads are to be counted, else few. */
static void home_expect(struct home_match *m, uint32_t package, const char *event, const char *what, bool all)
{
    struct check *c = check_of(m);
    double share = m->counted[package] / TOUCHES;
    struct place place = place_with_detail(place_package(package), "%s", event);

    if (all)
        excludes_share(c, "a loss of matches", m->counted[package], MOST * TOUCHES);
    else
        excludes(c, "matches of what is not asked for", 100 * (LITTLE - share), "%");
    if (!check_measure(c, what, place, share, "of the reads", all ? MOST : -NO_BOUND, all ? NO_BOUND : LITTLE))
        finding(c, FINDING_UNUSUAL, 0, all ? FOUND_FILTER_STOPS : FOUND_FILTER_PASSES, place,
                "of %u reads of one line home agents count %lu with %s", TOUCHES,
                (uint64_t)(m->counted[package] > 0 ? m->counted[package] : 0), what);
}

static void expect_of_each(struct home_match *m, const char *event, const char *what, bool all)
{
    for (uint32_t p = 0; p < check_of(m)->machine->n_packages; p++)
        if (touches_stream(&m->touches, check_of(m), p) && m->best[p] > LITTLE * TOUCHES)
            home_expect(m, p, event, what, all);
}

static bool counts_event(const struct home_match *m, const char *event)
{
    return pmon_event_named(m->session->boxes[0].unit, event) != NULL;
}

/* Every opcode in turn: no public source says which a read has, but it can be only a few. */
static enum status try_opcodes(struct home_match *m, const char *event)
{
    uint32_t packages = check_of(m)->machine->n_packages;
    uint32_t *opcode = check_alloc(check_of(m), sizeof *opcode * packages);

    TRY(opcode ? ST_OK : check_unmeasured(check_of(m), ST_NO_MEMORY, 0, "the opcodes"));
    for (uint32_t op = 0; op < OPCODES; op++) {
        for (uint32_t p = 0; p < packages; p++)
            opcode[p] = op;
        TRY(home_count(m, event, 0, opcode));
        for (uint32_t p = 0; p < packages; p++) {
            if (m->counted[p] >= MOST * TOUCHES) {
                m->matching[p]++;
                m->likely[p] |= BIT(op);
            }
            if (op == 0 || m->counted[p] > m->best[p]) {
                m->best[p] = m->counted[p];
                m->opcode[p] = op;
            }
            if (op == 0 || m->counted[p] < m->least[p]) {
                m->least[p] = m->counted[p];
                m->other[p] = op;
            }
        }
    }
    return ST_OK;
}

/* Requests of others have opcodes too: of those that count as many requests as were read, the read's is the one that
 * counts them at the line's own address. */
static enum status choose_opcode(struct home_match *m)
{
    uint32_t packages = check_of(m)->machine->n_packages;
    uint32_t *opcode = check_alloc(check_of(m), sizeof *opcode * packages);
    double *most = check_alloc(check_of(m), sizeof *most * packages);

    TRY(opcode && most ? ST_OK : check_unmeasured(check_of(m), ST_NO_MEMORY, 0, "the opcodes"));
    for (uint32_t op = 0; op < OPCODES; op++) {
        bool tried = false;

        for (uint32_t p = 0; p < packages; p++) {
            tried |= m->matching[p] > 1 && m->matching[p] <= SEVERAL && m->likely[p] & BIT(op);
            opcode[p] = op;
        }
        if (!tried)
            continue;
        TRY(home_count(m, BY_BOTH, 0, opcode));
        for (uint32_t p = 0; p < packages; p++)
            if (m->likely[p] & BIT(op) && m->counted[p] > most[p]) {
                most[p] = m->counted[p];
                m->opcode[p] = op;
            }
    }
    return ST_OK;
}

static void judge_opcodes(struct home_match *m, const char *event)
{
    struct check *c = check_of(m);

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        if (touches_stream(&m->touches, c, p) == NULL)
            continue;
        if (m->best[p] <= LITTLE * TOUCHES) {
            check_note(c, "package %u: %s counts nothing with any opcode", p, event);
            continue;
        }
        check_measure(c, "opcode of a read", place_package(p), m->opcode[p], "value", 0, OPCODES - 1);
        if (!check_measure(c, "opcodes that match most reads", place_package(p), m->matching[p], "opcodes", 1, SEVERAL))
            finding(c, FINDING_UNUSUAL, 0, m->matching[p] ? FOUND_FILTER_PASSES : FOUND_FILTER_STOPS, place_package(p),
                    "%u of %u opcodes match most of %u reads of one line", m->matching[p], OPCODES, TOUCHES);
    }
}

/* The event of E5-2600 that compares an opcode compares the address too. */
static enum status judge_homes(struct home_match *m)
{
    bool alone = counts_event(m, BY_OPCODE);
    const char *by_opcode = alone ? BY_OPCODE : BY_BOTH;

    TRY(try_opcodes(m, by_opcode));
    if (alone)
        TRY(choose_opcode(m));
    judge_opcodes(m, by_opcode);
    if (counts_event(m, BY_ADDRESS)) {
        TRY(home_count(m, BY_ADDRESS, 0, m->opcode));
        expect_of_each(m, BY_ADDRESS, "the line's own address", true);
        TRY(home_count(m, BY_ADDRESS, ELSEWHERE, m->opcode));
        expect_of_each(m, BY_ADDRESS, "another line's address", false);
    }
    TRY(home_count(m, BY_BOTH, 0, m->opcode));
    expect_of_each(m, BY_BOTH, "the line's own address and the read's opcode", true);
    TRY(home_count(m, BY_BOTH, ELSEWHERE, m->opcode));
    expect_of_each(m, BY_BOTH, "another line's address and the read's opcode", false);
    TRY(home_count(m, BY_BOTH, 0, m->other));
    expect_of_each(m, BY_BOTH, "the line's own address and another opcode", false);
    return ST_OK;
}

/* --- before and after --------------------------------------------------------------------------------------------- */

static enum status home_prepare(struct home_match *m)
{
    struct check *c = check_of(m);
    uint32_t n = m->session->n, packages = c->machine->n_packages;

    TRY_ALLOC(c, m->found, n, "the match registers");
    TRY_ALLOC(c, m->counted, 3 * packages, "the match registers");
    TRY_ALLOC(c, m->opcode, 3 * packages, "the match registers");
    TRY_ALLOC(c, m->likely, packages, "the match registers");
    m->best = m->counted + packages;
    m->least = m->best + packages;
    m->other = m->opcode + packages;
    m->matching = m->other + packages;
    for (uint32_t i = 0; i < n; i++)
        TRY_MEASURE(c, pmon_match_read(c->platform, m->session->boxes[i].box, m->found[i]), c->platform->bsp,
                    "the match registers");
    return touches_prepare(&m->touches, c);
}

static enum status try_home_match(struct pmon_session *session)
{
    struct home_match m = { .session = session };
    enum status st;

    TRY(home_prepare(&m));
    st = judge_homes(&m);
    for (uint32_t i = 0; i < session->n; i++)
        if (pmon_match_write(session->check->platform, session->boxes[i].box, m.found[i]) != ST_OK)
            check_note(session->check, "%s: its match registers could not be restored", session->boxes[i].name);
    return st;
}

static const struct check_row rows[] = {
    { .id = "pmon.match-home",
      .title = "Home agents match requests by address and by opcode",
      .spec = "published event files of E5-2600 to E5 v4 and Xeon D-1500, UNC_H_ADDR_OPC_MATCH (HA_AddrMatch0[31:6], "
              "HA_AddrMatch1[13:0], HA_OpcodeMatch[5:0]); likwid registers.h (their places)",
      .covers = "V16",
      .detects = "a match that is ignored, an address or opcode that is compared in part",
      .means = "uncore counters do not behave as the part's event file says",
      .next = "box, register and value in the evidence; whether other boxes of the kind do it; `pmon.boxes`",
      .wanted = has_home_match,
      .run_session = try_home_match },
};
CHECK_FAMILY(pmon_match_home, rows, .needs = NEED_PMON, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_UNCORE, .excludes = true, .slow = true, .order = 970);
