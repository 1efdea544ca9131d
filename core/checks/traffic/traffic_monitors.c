/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Traffic between packages as seen by memory channels, the units in front of them (also those of HBM), slices, home agents and links. Witness: a stream of known size over
 * another package's memory. */
#include "core/checks/families.h"
#include "core/load/attempts.h"
#include "core/uncore/traffic_window.h"

#define GUIDE_QPI "E5-2600 Uncore Guide 327043-001 2.7 Intel QPI link layer performance monitoring, data flits"

#define STREAM_BYTES (8 * MIB)
#define TRIES        3u
#define SHARE        0.05 /* less than the stream */
#define STRAY        0.05 /* what goes the wrong way */

/* Counter i of every box of a kind counts this event. */
static void select_all(struct pmon_session *session, enum pmon_kind kind, uint32_t i, const char *name)
{
    pmon_session_each(session, b)
        if (b->unit->kind == kind)
            traffic_window_select_whole(b, i, name);
}

/* --- X6, X7, X8, X9, V12: another package's memory ---------------------------------------------------------------- */

/* Slices of Nehalem-EX have no event by name. */
static bool for_remote(const struct pmon_unit *unit)
{
    if (unit->events.n_named == 0)
        return false;
    return unit->kind == PMON_IMC || unit->kind == PMON_CHA || unit->kind == PMON_HA || unit->kind == PMON_LINK ||
           unit->kind == PMON_M2M || unit->kind == PMON_UNCORE;
}

#define WRITES                                                                                                         \
    2u /* the round of non-temporal stores: whole lines, without a read for ownership (SDM vol. 1 10.4.6.2) */
#define ROUNDS 3u

/* What one kind of box should show of a remote stream. */
struct view {
    enum pmon_kind kind;
    uint32_t counter;
    const char *event;
    bool at_home; /* judged at the package whose memory it is; else at the one that reads */
    bool all;     /* it should count the whole stream; else less than STRAY                 */
    uint32_t round;
    enum finding_code code;
    const char *what;
};

static const struct view views[] = {
    { PMON_IMC, 0, "cas_rd", true, true, 0, FOUND_MEMORY_DISAGREES, "bytes read by the home's memory channels" },
    { PMON_IMC, 0, "cas_rd", false, false, 0, FOUND_MEMORY_DISAGREES,
      "bytes read by the reader's own memory channels" },
    { PMON_UNCORE, 0, "cas_rd", true, true, 0, FOUND_MEMORY_DISAGREES, "bytes read by the home's memory channels" },
    { PMON_UNCORE, 0, "cas_rd", false, false, 0, FOUND_MEMORY_DISAGREES,
      "bytes read by the reader's own memory channels" },
    { PMON_UNCORE, 1, "reads_remote", true, true, 0, FOUND_REMOTE_READS_OFF, "remote reads at the home" },
    { PMON_UNCORE, 2, "reads_local", true, false, 0, FOUND_LOCAL_READS_OFF, "local reads at the home" },
    { PMON_CHA, 0, "tor_miss_remote", false, true, 0, FOUND_SLICES_DISAGREE,
      "misses to remote memory in the reader's slices" },
    { PMON_CHA, 0, "tor_miss_local", false, false, 1, FOUND_SLICES_DISAGREE,
      "misses to local memory in the reader's slices" },
    { PMON_CHA, 2, "reads_remote", true, true, 0, FOUND_REMOTE_READS_OFF, "remote reads at the home's slices" },
    { PMON_CHA, 3, "reads_local", true, false, 0, FOUND_LOCAL_READS_OFF, "local reads at the home's slices" },
    { PMON_HA, 0, "reads_remote", true, true, 0, FOUND_REMOTE_READS_OFF, "remote reads at the home agents" },
    { PMON_HA, 1, "reads_local", true, false, 0, FOUND_LOCAL_READS_OFF, "local reads at the home agents" },
    { PMON_HA, 2, "imc_reads", true, true, 0, FOUND_HOME_AGENTS_OFF,
      "reads that the home's agents passed on to memory" },
    { PMON_HA, 2, "imc_reads", false, false, 0, FOUND_HOME_AGENTS_OFF,
      "reads that the reader's agents passed on to memory" },
    { PMON_M2M, 0, "imc_reads", true, true, 0, FOUND_MESH_OFF, "reads between the home's mesh and memory" },
    { PMON_M2M, 0, "imc_reads", false, false, 0, FOUND_MESH_OFF, "reads between the reader's mesh and memory" },
    { PMON_LINK, 0, "tx_data", true, true, 0, FOUND_LINKS_SENT_OFF, "data that the home's links sent" },
    { PMON_LINK, 2, "rx_data", false, true, 0, FOUND_LINKS_RECEIVED_OFF, "data that the reader's links received" },
    { PMON_LINK, 0, "tx_data", false, false, 0, FOUND_LINKS_SENT_OFF, "data that the reader's links sent" },
    { PMON_LINK, 2, "rx_data", true, false, 0, FOUND_LINKS_RECEIVED_OFF, "data that the home's links received" },
    { PMON_IMC, 0, "cas_wr", true, true, WRITES, FOUND_MEMORY_DISAGREES,
      "bytes written by the home's memory channels" },
    { PMON_IMC, 0, "cas_wr", false, false, WRITES, FOUND_MEMORY_DISAGREES,
      "bytes written by the writer's own memory channels" },
    { PMON_LINK, 0, "tx_data", false, true, WRITES, FOUND_LINK_WRITES_OFF,
      "data of writes that the writer's links sent" },
    { PMON_LINK, 2, "rx_data", true, true, WRITES, FOUND_LINK_WRITES_OFF,
      "data of writes that the home's links received" },
};
#define VIEWS (sizeof views / sizeof views[0])

static void select_views(struct pmon_session *session, uint32_t round)
{
    pmon_session_clear(session);
    for (uint32_t i = 0; i < VIEWS; i++)
        if (views[i].round == round)
            select_all(session, views[i].kind, views[i].counter, views[i].event);
}

/* background: what was counted there without the stream. */
static void bounds(const struct view *v, double load, double background, double *lo, double *hi)
{
    *lo = v->all ? load * (1 - SHARE) - background : -NO_BOUND;
    *hi = (v->all ? load * (1 + BW_SHARE) : load * STRAY) + background;
    /* To both channels of a mirror; no document says what else a link carries for writes. */
    if (v->all && v->round == WRITES)
        *hi = NO_BOUND;
}

static void view_excludes(struct check *c, const struct view *v, double load, double lo, double hi)
{
    if (v->all)
        excludes_share(c, v->round == WRITES ? "a loss of remote writes" : "a loss of remote reads", load, lo);
    else
        excludes(c, v->round == WRITES ? "remote writes where none belong" : "remote reads where none belong",
                 100 * hi / load, "%");
}

/* It counts near memory and what that caches: look-ups, fills and misses, of which no document says what they count. */
static bool counts_near_memory(const struct check *c, const struct view *v, uint32_t home)
{
    return v->all && (v->kind == PMON_IMC || v->kind == PMON_M2M) && c->tools->pmon.packages[home].cached_rules;
}

static uint32_t judge_views(struct pmon_session *session, double load, const double *bytes, const double *background,
                            uint32_t reader, uint32_t home, bool report)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < VIEWS; i++) {
        double lo, hi;
        struct place place = place_with(place_package(reader), PLACE_HOME, home);

        bounds(&views[i], load, background[i], &lo, &hi);
        if (bytes[i] == -1 || counts_near_memory(session->check, &views[i], home)) /* not counted here */
            continue;
        wrong += bytes[i] < lo || bytes[i] > hi;
        if (report && background[i] > 0 &&
            !traffic_window_stands_out(session->check, place_with_detail(place, "%s", views[i].what), background[i],
                                       load))
            continue;
        if (report)
            view_excludes(session->check, &views[i], load, lo, hi);
        if (report && !check_measure(session->check, views[i].what, place, bytes[i], "bytes", lo, hi))
            finding(session->check,
                    views[i].round == WRITES                                              ? FINDING_UNUSUAL
                    : (views[i].all ? never_counts(bytes[i], load) : bytes[i] > load / 2) ? FINDING_FORBIDDEN
                                                                                          : FINDING_EXPECTED,
                    0, views[i].code, place, "%lu bytes are %s; %s: %lu, expected %s", (uint64_t)load,
                    views[i].round == WRITES ? "written" : "read", views[i].what,
                    (uint64_t)(bytes[i] > 0 ? bytes[i] : 0), views[i].all ? "all" : "none");
    }
    return wrong;
}

static enum status view_stream(struct pmon_session *session, struct traffic_window *traffic, uint32_t reader,
                               uint32_t home, double *bytes, double *background)
{
    struct traffic_window_counts counts = { NULL };

    for (uint32_t round = 0; round < ROUNDS; round++) {
        select_views(session, round);
        traffic->kind = round == WRITES ? WORK_NT_WRITE : WORK_READ;
        TRY(traffic_window_run(session, traffic, &counts));
        for (uint32_t i = 0; i < VIEWS; i++) {
            const struct view *v = &views[i];
            uint32_t package = v->at_home ? home : reader;

            if (v->round != round)
                continue;
            bytes[i] = traffic_window_sum(session, &counts, v->kind, package, v->counter, v->event, traffic_window_net);
            background[i] =
                traffic_window_sum(session, &counts, v->kind, package, v->counter, v->event, traffic_window_background);
        }
    }
    return ST_OK;
}

/* Links between two packages share a stream evenly, and a port that is not used has none of it: where those of the home that
 * count a clock sent just the share that they have with the others, the others are dead. */
static void judge_silent_links(struct check *c, uint32_t home, double share)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t live = 0, still = 0;
    double expected;

    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        bool link = box->package == home && box->unit->kind == PMON_LINK;

        live += link && box->life == PMON_LIVES;
        still += link && box->life == PMON_LIES_STILL;
    }
    expected = live ? (double)live / (live + still) : 0;
    if (c->machine->n_packages != 2 || still == 0 || share < expected - SHARE / 2 || share > expected + SHARE / 2)
        return;
    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes)
        if (box->package == home && box->unit->kind == PMON_LINK && box->life == PMON_LIES_STILL)
            finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, pmon_place(box),
                    "none of its counters counts a clock, and of the data that links sent the %u others count %u of "
                    "%u parts: dead",
                    live, live, live + still);
}

static enum status try_remote(struct pmon_session *session, uint32_t reader, uint32_t home)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = WORK_READ, .passes = 1, .cold = true };
    double bytes[VIEWS], background[VIEWS], load;
    uint32_t node = machine_package_node(c->machine, home);

    tools_reset(c->tools);
    if (node == NO_NODE)
        return check_absent(c, "SRAT does not say which memory belongs to package %u", home);
    TRY(traffic_window_add_some(&traffic, c, reader, node, traffic_window_stream_bytes(c, 1, STREAM_BYTES)));
    load = (double)traffic.streams[0].bytes;
    for (uint32_t t = 0; t < TRIES; t++) {
        traffic.background_repeats = t * BACKGROUND_REPEATS;
        TRY_MEASURE(c, view_stream(session, &traffic, reader, home, bytes, background), traffic.bad_cpu,
                    "the remote stream");
        if (judge_views(session, load, bytes, background, reader, home, false) == 0)
            break;
    }
    judge_views(session, load, bytes, background, reader, home, true);
    for (uint32_t i = 0; i < VIEWS; i++)
        if (views[i].code == FOUND_LINKS_SENT_OFF && views[i].all)
            judge_silent_links(c, home, bytes[i] / load);
    return ST_OK;
}

static enum status monitors_try_remote(struct pmon_session *session)
{
    struct check *c = session->check;
    struct check_memory *mark = check_memory_mark(c);
    struct attempts a = { 0 };
    uint32_t n = c->machine->n_packages;

    for (uint32_t p = 0; p < n; p++) {
        attempts_add(&a, c, try_remote(session, p, (p + 1) % n));
        check_free_since(c, mark);
    }
    return attempts_result(&a, c);
}

static const struct check_row rows[] = {
    { .id = "traffic.remote",
      .title = "Remote traffic is counted at the home's channels, agents, M2M units and links",
      .spec = GUIDE_QPI "; published event files, UNC_H_IMC_READS, UNC_M2M_IMC_READS, UNC_B2CMI_IMC_READS",
      .covers = "X6 X7 X8 X9 V12",
      .detects = "home and reader confused, link directions or local and remote swapped",
      .ready = traffic_window_two_packages,
      .sums = true,
      .wanted = for_remote,
      .run_session = monitors_try_remote },
};
CHECK_FAMILY(traffic_monitors, rows, UNCORE_TRAFFIC_FAMILY, .by_experience = true, .excludes = true, .slow = true,
             .order = 985);
