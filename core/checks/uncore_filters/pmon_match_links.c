/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Packets of links by message class: a QPI port compares them with match and mask registers, a UPI port has an event
 * for each class. Witness: a stream over another package's memory, whose lines are so many packets of data. */
#include "core/base/bits.h"
#include "core/load/attempts.h"
#include "core/uncore/traffic_window.h"

#define PACKETS      "packets"
#define STREAM_BYTES MIB
#define MOST         0.75
#define LITTLE       0.25
#define MC           BITS(12, 9) /* of match and mask: Linux snbep_uncore_qpi_formats_group, match_mc */

/* Of QPI: 327043-001 2.7, packet matching: message classes HOM0, DRS, NCB. */
enum { DATA, NO_CLASS, REQUESTS, CLASSES };
static const struct {
    const char *name, *event; /* of UPI */
    uint32_t mc;              /* of QPI */
} classes[CLASSES] = {
    [DATA] = { "packets of data", "hdr_data", 0xE },
    [NO_CLASS] = { "packets of non-coherent writes", "hdr_ncb", 0xC },
    [REQUESTS] = { "requests", "hdr_req", 0x0 },
};

static bool matches_packets(const struct pmon_unit *unit)
{
    return unit->kind == PMON_LINK && (unit->layout->packets.match || pmon_event_named(unit, classes[DATA].event));
}

/* --- registers of QPI ports --------------------------------------------------------------------------------------- */

static bool by_registers(const struct pmon_session_box *b)
{
    return b->unit->layout->packets.match != 0;
}

/* Third ports of some parts have none that is known. */
static bool has_filter(struct check *c, const struct pmon_session_box *b)
{
    return !by_registers(b) || pmon_match_there(c->platform, b->box);
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

struct link_pair {
    struct pmon_session *session;
    struct traffic_window traffic;
    uint32_t reader, home;
    double lines;
    double by_home[CLASSES], by_reader[CLASSES]; /* sent by the links of each */
    double (*ports)[CLASSES];                    /* of each box of the session */
};

static enum status select_class(struct pmon_session *session, uint32_t class)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        if (!by_registers(b))
            traffic_window_select(b, 0, classes[class].event);
        else if (has_filter(session->check, b) && traffic_window_select(b, 0, PACKETS))
            TRY(pmon_match_write(session->check->platform, b->box,
                                 (const uint64_t[PMON_MATCHES]){ field_put(MC, classes[class].mc), MC }));
    }
    return ST_OK;
}

static enum status count_classes(struct link_pair *pair)
{
    struct pmon_session *session = pair->session;
    struct traffic_window_counts counts = { NULL };

    for (uint32_t k = 0; k < CLASSES; k++) {
        TRY_MEASURE(session->check, select_class(session, k), pair->traffic.bad_cpu, "the remote stream");
        TRY_MEASURE(session->check, traffic_window_run(session, &pair->traffic, &counts), pair->traffic.bad_cpu,
                    "the remote stream");
        pmon_session_each(session, b) {
            double net = b->status == ST_OK ? traffic_window_net(&counts, session, b, 0) : 0;

            pair->ports[b - session->boxes][k] = net;
            pair->by_home[k] += b->box->package == pair->home ? net : 0;
            pair->by_reader[k] += b->box->package == pair->reader ? net : 0;
        }
    }
    return ST_OK;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static void expect_packets(struct link_pair *pair, uint32_t class, bool of_home, bool all)
{
    struct check *c = pair->session->check;
    double counted = of_home ? pair->by_home[class] : pair->by_reader[class], share = counted / pair->lines;
    struct place place = place_with(place_package(pair->reader), PLACE_HOME, pair->home);

    place = place_with_detail(place, "links of package %u", of_home ? pair->home : pair->reader);
    if (all)
        excludes_share(c, "a loss of packets", counted, MOST * pair->lines);
    else
        excludes(c, "packets of another class", 100 * (LITTLE - share), "%");
    if (!check_measure(c, classes[class].name, place, share, "of the lines", all ? MOST : -NO_BOUND,
                       all ? NO_BOUND : LITTLE))
        finding(c, FINDING_UNUSUAL, 0, all ? FOUND_FILTER_STOPS : FOUND_FILTER_PASSES, place,
                "%lu %s for %lu lines, expected %s", (uint64_t)(counted > 0 ? counted : 0), classes[class].name,
                (uint64_t)pair->lines, all ? "as many" : "none");
}

/* Sources disagree whether a QPI port compares what it sends or what it receives: in the latter case the reader's links
 * count the data. */
static bool counted_by_home(const struct link_pair *pair)
{
    return pair->by_home[DATA] >= pair->by_reader[DATA];
}

/* One port of several moves their sum by little: of what it sends most is of one class, data or requests, and little of
 * the class that no link has. */
#define FEW (1.0 / 16) /* of the lines: a port that sends less is not judged */
static void judge_port(struct link_pair *pair, uint32_t i)
{
    const struct pmon_session_box *b = &pair->session->boxes[i];
    const double *sent = pair->ports[i];
    double most = sent[DATA] > sent[REQUESTS] ? sent[DATA] : sent[REQUESTS];

    if (b->status != ST_OK || most < FEW * pair->lines ||
        check_measure(pair->session->check, classes[NO_CLASS].name, pmon_place(b->box), sent[NO_CLASS] / most,
                      "of its packets", -NO_BOUND, LITTLE))
        return;
    finding(pair->session->check, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, pmon_place(b->box),
            "%lu %s, expected none, while it sends %lu of another class", (uint64_t)sent[NO_CLASS],
            classes[NO_CLASS].name, (uint64_t)most);
}

static bool every_port_has_one(struct pmon_session *session)
{
    pmon_session_each(session, b)
        if (!has_filter(session->check, b))
            return false;
    return true;
}

static void match_links_judge_pair(struct link_pair *pair)
{
    struct check *c = pair->session->check;
    bool of_home = counted_by_home(pair) || !by_registers(&pair->session->boxes[0]);
    bool all = every_port_has_one(pair->session);

    if (!ANY_OF(k, CLASSES, pair->by_home[k] > LITTLE * pair->lines || pair->by_reader[k] > LITTLE * pair->lines)) {
        check_note(c, "package %u reads memory of package %u: its links count no packets of any class", pair->reader,
                   pair->home);
        return;
    }
    if (!all)
        check_note(c, "a link has no known match registers: the others count only part of the packets");
    if (all)
        expect_packets(pair, DATA, of_home, true);
    expect_packets(pair, DATA, !of_home, false);
    expect_packets(pair, NO_CLASS, true, false);
    expect_packets(pair, NO_CLASS, false, false);
    if (all)
        expect_packets(pair, REQUESTS, !of_home, true);
    expect_packets(pair, REQUESTS, of_home, false);
    for (uint32_t i = 0; i < pair->session->n; i++)
        judge_port(pair, i);
}

static enum status match_links_try_pair(struct pmon_session *session, uint32_t reader, uint32_t home)
{
    struct check *c = session->check;
    struct link_pair pair = {
        .session = session, .reader = reader, .home = home, .traffic = { .kind = WORK_READ, .passes = 1, .cold = true }
    };
    uint32_t node = machine_package_node(c->machine, home);

    tools_reset(c->tools);
    if (node == NO_NODE)
        return check_absent(c, "SRAT does not say which memory belongs to package %u", home);
    TRY_ALLOC(c, pair.ports, session->n, "the links");
    TRY(traffic_window_add_some(&pair.traffic, c, reader, node, traffic_window_stream_bytes(c, 1, STREAM_BYTES)));
    pair.lines = (double)pair.traffic.streams[0].bytes / 64;
    TRY(count_classes(&pair));
    match_links_judge_pair(&pair);
    return ST_OK;
}

static enum status try_pairs(struct pmon_session *session)
{
    struct check *c = session->check;
    uint32_t n = c->machine->n_packages;
    uint64_t(*found)[PMON_MATCHES] = check_alloc(c, sizeof *found * session->n);
    struct check_memory *mark = check_memory_mark(c);
    struct attempts a = { 0 };

    if (found == NULL)
        return check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the match registers");
    for (uint32_t i = 0; i < session->n; i++)
        if (by_registers(&session->boxes[i]) && has_filter(c, &session->boxes[i]) &&
            pmon_match_read(c->platform, session->boxes[i].box, found[i]) != ST_OK)
            return check_unmeasured(c, ST_FAULT, c->platform->bsp, "the match registers");
    for (uint32_t p = 0; p < n; p++) {
        attempts_add(&a, c, match_links_try_pair(session, p, (p + 1) % n));
        check_free_since(c, mark);
    }
    for (uint32_t i = 0; i < session->n; i++)
        if (by_registers(&session->boxes[i]) && has_filter(c, &session->boxes[i]) &&
            pmon_match_write(c->platform, session->boxes[i].box, found[i]) != ST_OK)
            check_note(c, "%s: its match registers could not be restored", session->boxes[i].name);
    return attempts_result(&a, c);
}

static const struct check_row rows[] = {
    { .id = "pmon.match-links",
      .title = "Links tell packets of data, requests and other classes apart",
      .spec =
          "E5-2600 Uncore Guide 327043-001 2.7 Intel QPI link layer performance monitoring, packet matching; published "
          "event files, UNC_Q_CTO_COUNT and UNC_UPI_TxL_BASIC_HDR_MATCH; Linux uncore_snbep.c (match and mask of QPI "
          "ports)",
      .covers = "V17",
      .detects = "a match or class that is ignored, packets of one class that count as another's",
      .means = "uncore counters do not behave as the part's event file says",
      .next =
          "box, register and value in the evidence; `traffic.remote`, which judges the same stream by bytes of data",
      .ready = traffic_window_two_packages,
      .sums = true,
      .wanted = matches_packets,
      .run_session = try_pairs },
};
CHECK_FAMILY(pmon_match_links, rows, .needs = NEED_PMON, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_UNCORE, .excludes = true, .slow = true, .order = 985);
