/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pseudo channels of a memory channel, whose queues are counted each by itself. Witness: the CAS commands of the whole
 * channel over the same window, and each pseudo channel against the other. */
#include "core/uncore/traffic_window.h"
#include "core/base/text.h"

#define SOURCE                                                                                                         \
    "published event files of Ice Lake-SP and later, RPQ_INSERTS, WPQ_INSERTS and RPQ_OCCUPANCY by PCH0 and PCH1, "    \
    "CAS_COUNT"

/* Engineering choices: what is queued may be answered without a CAS, and a hash of the address divides the lines. */
#define QUEUED       0.25 /* of the CAS commands, by which inserts may differ from them */
#define LEAST_SHARE  0.25 /* of a channel's inserts */
#define LONGER       2.0  /* that an entry stays in one than in the other */
#define MANY         1024u
#define STREAM_BYTES (4 * MIB)

enum { FIRST, SECOND, THIRD, FOURTH, COUNTERS };

/* A load, the queue that it goes through, and what else is counted with it: CAS commands, of both sub-channels where each
 * has an event, or the entries of each queue. */
static const struct pseudo_round {
    enum work_kind kind;
    const char *inserts[2], *with[2];
    bool occupancy;
    const char *name;
} rounds[] = {
    { WORK_READ, { "rpq_inserts", "rpq_inserts_1" }, { "cas_rd", "cas_rd_1" }, false, "reads" },
    { WORK_NT_WRITE, { "wpq_inserts", "wpq_inserts_1" }, { "cas_wr", "cas_wr_1" }, false, "writes" },
    { WORK_READ, { "rpq_inserts", "rpq_inserts_1" }, { "rpq_occupancy", "rpq_occupancy_1" }, true, "reads" },
};

static bool has_pseudo_channels(const struct pmon_unit *u)
{
    return u->kind == PMON_IMC && u->layout->counters >= COUNTERS && pmon_event_named(u, rounds[0].inserts[SECOND]);
}

static void select_pseudo(struct pmon_session *session, const struct pseudo_round *r)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        traffic_window_select(b, FIRST, r->inserts[FIRST]);
        traffic_window_select(b, SECOND, r->inserts[SECOND]);
        traffic_window_select(b, THIRD, r->with[FIRST]);
        traffic_window_select(b, FOURTH, r->with[SECOND]);
    }
}

static void judge_pseudo_inserts(struct check *c, const struct pmon_session_box *b, const struct pseudo_round *r,
                                 const double *got)
{
    double sum = got[FIRST] + got[SECOND], cas = got[THIRD] + got[FOURTH];
    double least = got[FIRST] < got[SECOND] ? got[FIRST] : got[SECOND];
    char what[80];

    text_format(what, sizeof what, "inserts of both pseudo channels over CAS commands, %s", r->name);
    excludes_share(c, "inserts that are lost", sum, (1 - QUEUED) * cas);
    if (!check_measure(c, what, pmon_place(b->box), sum / cas, "ratio", 1 - QUEUED, 1 + QUEUED)) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_MONITORS_DISAGREE, pmon_place(b->box),
                "%lu %s entered the queues of both pseudo channels, %lu CAS commands followed",
                (uint64_t)(sum > 0 ? sum : 0), r->name, (uint64_t)cas);
        return;
    }
    text_format(what, sizeof what, "smaller share of a pseudo channel, %s", r->name);
    if (!check_measure(c, what, pmon_place(b->box), least / sum, "ratio", LEAST_SHARE, 0.5))
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNEVEN, pmon_place(b->box),
                "of %lu %s %lu went through pseudo channel 0 and %lu through 1", (uint64_t)sum, r->name,
                (uint64_t)got[FIRST], (uint64_t)got[SECOND]);
}

static void judge_pseudo_stay(struct check *c, const struct pmon_session_box *b, const double *got)
{
    double first = got[FIRST] >= MANY ? got[THIRD] / got[FIRST] : 0,
           second = got[SECOND] >= MANY ? got[FOURTH] / got[SECOND] : 0;

    if (first <= 0 && second <= 0)
        return;
    if (!check_measure(c, "cycles that a read stays in pseudo channel 1 over those in 0", pmon_place(b->box),
                       first > 0 ? second / first : NO_BOUND, "ratio", 1 / LONGER, LONGER))
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNEVEN, pmon_place(b->box),
                "a read stays %lu cycles in the queue of pseudo channel 0 and %lu in that of 1", (uint64_t)first,
                (uint64_t)second);
}

/* A channel through which the load did not go is not judged: traffic.channels says which should have some. */
static uint32_t judge_pseudo(struct pmon_session *session, const struct traffic_window_counts *counts,
                             const struct pseudo_round *r)
{
    uint32_t judged = 0;

    pmon_session_each(session, b) {
        double got[COUNTERS];

        for (uint32_t k = 0; k < COUNTERS; k++)
            got[k] = b->ctl[k] ? traffic_window_net(counts, session, b, k) : 0;
        if (b->status != ST_OK || (r->occupancy ? got[FIRST] + got[SECOND] : got[THIRD] + got[FOURTH]) < 2 * MANY)
            continue;
        judged++;
        session->held++;
        if (!r->occupancy)
            judge_pseudo_inserts(session->check, b, r, got);
        else if (b->ctl[FOURTH])
            judge_pseudo_stay(session->check, b, got);
    }
    return judged;
}

static enum status pseudo_try_all(struct pmon_session *session)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .passes = 1, .cold = true };
    struct traffic_window_counts counts = { NULL };
    uint32_t judged = 0;

    TRY(traffic_window_add_each(&traffic, c, STREAM_BYTES));
    for (uint32_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        traffic.kind = rounds[i].kind;
        select_pseudo(session, &rounds[i]);
        TRY_MEASURE(c, traffic_window_run(session, &traffic, &counts), traffic.bad_cpu, "the memory stream");
        judged += judge_pseudo(session, &counts, &rounds[i]);
    }
    if (judged == 0)
        return check_absent(c, "no memory channel counts CAS commands of the load");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "traffic.pseudo-channels",
      .title = "Both pseudo channels of a memory channel count their part of the load",
      .spec = SOURCE,
      .covers = "Q2 V14",
      .detects = "a pseudo channel that counts nothing, everything, or another one's entries",
      .means = "uncore counters do not behave as the part's event file says",
      .next = "the channel in the finding; `traffic.channels`, which judges its CAS commands; whether its modules have "
              "pseudo channels",
      .wanted = has_pseudo_channels,
      .run_session = pseudo_try_all },
};
CHECK_FAMILY(pmon_pseudo, rows, .needs = NEED_PMON, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_UNCORE, .excludes = true, .order = 965);
