/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Monitors of different kinds against each other: traffic between packages as seen by memory channels, slices, home
 * agents and links; MBM and CMT against memory channels and slices. */
#include "core/measure/attempts.h"
#include "core/measure/cluster.h"
#include "core/measure/monitor.h"
#include "core/measure/alloc.h"
#include "core/measure/traffic_window.h"
#include "core/base/rollover.h"
#include "core/base/text.h"

#define GUIDE_QPI "E5-2600 Uncore Guide 327043-001 2.7 Intel QPI link layer performance monitoring, data flits"
#define RDT_MBM   "SDM vol. 3B 17.16.5.2 Memory Bandwidth Monitoring; uncore event CAS_COUNT"
#define RDT_MBA                                                                                                        \
    "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation; Linux selftests/resctrl mba_test.c"

#define STREAM_BYTES (8 * MIB)
#define TRIES        3u
#define CLOSE        0.03 /* X1: a slice of two dozen that is not counted is no more than 4 %          */
#define SHARE        0.05 /* of what one monitor says of another's traffic: page walks, other processors */
#define STRAY        0.05 /* what goes the wrong way */

/* Counter i of every box of a kind counts this event. */
static void select_all(struct pmon_session *session, enum pmon_kind kind, uint32_t i, const char *name)
{
    for (uint32_t k = 0; k < session->n; k++)
        if (session->boxes[k].unit->kind == kind)
            traffic_window_select(&session->boxes[k], i, name);
}

/* Bytes that counter i of the boxes of a kind counted in a package, for the
 * traffic or (traffic_window_background) without it; -1: none
 * of them counts it. */
static double sum_of(const struct pmon_session *session, const struct traffic_window_counts *counts,
                     enum pmon_kind kind, uint32_t package, uint32_t i, const char *name, traffic_window_reader got)
{
    double sum = 0;
    bool any = false;

    for (uint32_t k = 0; k < session->n; k++) {
        const struct pmon_session_box *b = &session->boxes[k];
        const struct pmon_named *named = pmon_event_named(b->unit, name);

        if (b->unit->kind != kind || b->box->package != package || b->status != ST_OK || !named || b->ctl[i] == 0)
            continue;
        sum += named->bytes * got(counts, session, b, i);
        any = true;
    }
    return any ? sum : -1;
}

/* --- X6, X7, X8, X9, V12: another package's memory ---------------------------------------------------------------- */

static bool for_remote(const struct pmon_unit *unit)
{
    return unit->kind == PMON_IMC || unit->kind == PMON_CHA || unit->kind == PMON_HA || unit->kind == PMON_LINK ||
           unit->kind == PMON_UNCORE;
}

/* What one kind of box should show of a remote stream. */
struct view {
    enum pmon_kind kind;
    uint32_t counter;
    const char *event;
    bool at_home; /* judged at the package whose memory it is; else at the one that reads */
    bool all;     /* it should count the whole stream; else less than STRAY                 */
    uint32_t round;
    const char *what;
};

static const struct view views[] = {
    { PMON_IMC, 0, "cas_rd", true, true, 0, "bytes read by the home's memory channels" },
    { PMON_IMC, 0, "cas_rd", false, false, 0, "bytes read by the reader's own memory channels" },
    { PMON_UNCORE, 0, "cas_rd", true, true, 0, "bytes read by the home's memory channels" },
    { PMON_UNCORE, 0, "cas_rd", false, false, 0, "bytes read by the reader's own memory channels" },
    { PMON_UNCORE, 1, "reads_remote", true, true, 0, "remote reads at the home" },
    { PMON_UNCORE, 2, "reads_local", true, false, 0, "local reads at the home" },
    { PMON_CHA, 0, "tor_miss_remote", false, true, 0, "misses to remote memory in the reader's slices" },
    { PMON_CHA, 0, "tor_miss_local", false, false, 1, "misses to local memory in the reader's slices" },
    { PMON_CHA, 2, "reads_remote", true, true, 0, "remote reads at the home's slices" },
    { PMON_CHA, 3, "reads_local", true, false, 0, "local reads at the home's slices" },
    { PMON_HA, 0, "reads_remote", true, true, 0, "remote reads at the home agents" },
    { PMON_HA, 1, "reads_local", true, false, 0, "local reads at the home agents" },
    { PMON_LINK, 0, "tx_data", true, true, 0, "data that the home's links sent" },
    { PMON_LINK, 1, "rx_data", false, true, 0, "data that the reader's links received" },
    { PMON_LINK, 0, "tx_data", false, false, 0, "data that the reader's links sent" },
    { PMON_LINK, 1, "rx_data", true, false, 0, "data that the home's links received" },
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
static void bounds(const struct view *v, double background, double *lo, double *hi)
{
    *lo = v->all ? (double)STREAM_BYTES * (1 - SHARE) - background : -NO_BOUND;
    *hi = (v->all ? (double)STREAM_BYTES * (1 + SHARE) : (double)STREAM_BYTES * STRAY) + background;
}

static uint32_t judge_views(struct pmon_session *session, const double *bytes, const double *background,
                            uint32_t reader, uint32_t home, bool report)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < VIEWS; i++) {
        double lo, hi;
        char where[64];

        bounds(&views[i], background[i], &lo, &hi);
        if (bytes[i] == -1) /* not counted here */
            continue;
        wrong += bytes[i] < lo || bytes[i] > hi;
        text_format(where, sizeof where, "package %u reads memory of package %u", reader, home);
        if (report && background[i] > 0) {
            char what[96];

            text_format(what, sizeof what, "%s: %s", where, views[i].what);
            if (!traffic_window_stands_out(session->check, what, background[i], (double)STREAM_BYTES))
                continue;
        }
        if (report && !measure(session->check, views[i].what, where, bytes[i], "bytes", lo, hi))
            fail(session->check, "%s, %llu bytes: %s: %llu, expected %s", where, (unsigned long long)STREAM_BYTES,
                 views[i].what, (unsigned long long)(bytes[i] > 0 ? bytes[i] : 0), views[i].all ? "all" : "none");
    }
    return wrong;
}

static enum status view_stream(struct pmon_session *session, struct traffic_window *traffic, uint32_t reader,
                               uint32_t home, double *bytes, double *background)
{
    struct traffic_window_counts counts = { NULL };
    enum status st = ST_OK;

    for (uint32_t round = 0; round < 2 && st == ST_OK; round++) {
        select_views(session, round);
        st = traffic_window_run(session, traffic, &counts);
        for (uint32_t i = 0; i < VIEWS && st == ST_OK; i++) {
            const struct view *v = &views[i];
            uint32_t package = v->at_home ? home : reader;

            if (v->round != round)
                continue;
            bytes[i] = sum_of(session, &counts, v->kind, package, v->counter, v->event, traffic_window_net);
            background[i] = sum_of(session, &counts, v->kind, package, v->counter, v->event, traffic_window_background);
        }
    }
    return st;
}

static enum status try_remote(struct pmon_session *session, uint32_t reader, uint32_t home)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = WORK_READ, .passes = 1, .cold = true };
    double bytes[VIEWS], background[VIEWS];
    uint32_t node = package_node(c->machine, home);
    enum status st;

    tools_reset(c->tools);
    if (node == NO_NODE)
        return absent(c, "SRAT does not say which memory belongs to package %u", home);
    st = traffic_window_add(&traffic, c, reader, node, STREAM_BYTES);
    if (st != ST_OK)
        return st;
    for (uint32_t t = 0; t < TRIES; t++) {
        traffic.background_repeats = t * BACKGROUND_REPEATS;
        st = view_stream(session, &traffic, reader, home, bytes, background);
        if (st != ST_OK)
            return unmeasured(c, st, traffic.bad_cpu, "the remote stream");
        if (judge_views(session, bytes, background, reader, home, false) == 0)
            break;
    }
    judge_views(session, bytes, background, reader, home, true);
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

static enum verdict check_remote(struct check *c)
{
    if (c->machine->n_packages < 2)
        return skip(c, "one package");
    return pmon_session_check(c, for_remote, monitors_try_remote);
}

/* --- X1, X4, MA-05: MBM against memory channels ------------------------------------------------------------------- */

static bool has_cas(const struct pmon_unit *unit)
{
    return pmon_event_named(unit, "cas_rd") != NULL;
}

struct mbm_case {
    uint32_t streams; /* of each package      */
    uint32_t clos;    /* or TRAFFIC_KEEP      */
    bool prefetch;    /* prefetchers stay on  */
    const char *what; /* behind "package 0, 1 streams": ", prefetchers on" */
};

struct tagged {
    struct check *check;
    uint32_t n, clos;
    uint32_t domain[TRAFFIC_WINDOW_STREAMS], rmid[TRAFFIC_WINDOW_STREAMS];
    double moved[TRAFFIC_WINDOW_STREAMS]; /* by MBM */
};

/* The streams, each under its RMID, between two readings of MBM. */
static enum status run_tagged(struct traffic_window *traffic, struct platform *p)
{
    struct tagged *t = traffic->context;
    struct traffic_part parts[TRAFFIC_WINDOW_STREAMS];
    struct traffic_load loads[TRAFFIC_WINDOW_STREAMS];
    uint64_t before[TRAFFIC_WINDOW_STREAMS], after = 0;
    struct traffic_outcome outcome;
    enum status st = ST_OK;

    for (uint32_t i = 0; i < t->n && st == ST_OK; i++) {
        parts[i] = part_read(t->rmid[i], traffic->streams[i].base, traffic->streams[i].bytes);
        parts[i].clos = t->clos;
        loads[i] = (struct traffic_load){ .cpu = traffic->streams[i].cpu, .n_parts = 1, .parts = &parts[i] };
        st = traffic_window_mbm(t->check, t->domain[i], t->rmid[i], QM_EVENT_L3_TOTAL, &before[i]);
    }
    if (st == ST_OK)
        st = traffic_run(p, loads, t->n, 0, &outcome, &traffic->bad_cpu);
    for (uint32_t i = 0; i < t->n && st == ST_OK; i++) {
        const struct l3_domain *d = &t->check->machine->domains[t->domain[i]];

        st = traffic_window_mbm(t->check, t->domain[i], t->rmid[i], QM_EVENT_L3_TOTAL, &after);
        if (st == ST_OK)
            t->moved[i] = (double)counter_delta(before[i], after, d->counter_width) * d->upscaling_factor;
    }
    return st;
}

/* The one L3 domain of a package that RMIDs can be taken from. */
static enum status tagged_domain(struct check *c, uint32_t package, uint32_t *domain)
{
    *domain = NO_DOMAIN;
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        if (c->machine->domains[i].package != package)
            continue;
        if (*domain != NO_DOMAIN)
            return absent(c, "package %u has several L3 domains", package);
        *domain = i;
    }
    if (*domain == NO_DOMAIN)
        return absent(c, "package %u has no free RMID", package);
    if (is_clustered(c, *domain))
        return absent(c, "package %u has sub-NUMA clusters, and which RMIDs are whose is not documented", package);
    return ST_OK;
}

/* Streams of one package: each on a processor of its own under an RMID of its own; fewer than wanted will do. */
static enum status add_tagged(struct traffic_window *traffic, struct tagged *t, uint32_t package, uint32_t want)
{
    struct check *c = t->check;
    uint32_t rmids[8], n_rmids, first = traffic->n, domain;
    char why[PMON_TEXT];
    enum status st = tagged_domain(c, package, &domain);

    if (st != ST_OK)
        return st;
    n_rmids = domain_rmids(c, domain, rmids, want);
    for (uint32_t i = 0; i < n_rmids && st == ST_OK; i++) {
        st = traffic_window_add(traffic, c, package, NO_NODE, stream_bytes(c, domain));
        if (st != ST_OK)
            break;
        t->domain[t->n] = domain;
        t->rmid[t->n++] = rmids[i];
    }
    if (st == ST_ABSENT && traffic->n > first) { /* those that there are */
        check_take_reason(c, why, sizeof why);
        return ST_OK;
    }
    return st == ST_OK && traffic->n == first ? absent(c, "package %u has no free RMID", package) : st;
}

static double moved_in(const struct tagged *t, uint32_t package)
{
    double sum = 0;

    for (uint32_t i = 0; i < t->n; i++)
        if (t->check->machine->domains[t->domain[i]].package == package)
            sum += t->moved[i];
    return sum;
}

static double cas_in(const struct pmon_session *session, const struct traffic_window_counts *counts, uint32_t package,
                     traffic_window_reader got)
{
    double imc = sum_of(session, counts, PMON_IMC, package, 0, "cas_rd", got);

    return imc >= 0 ? imc : sum_of(session, counts, PMON_UMC, package, 0, "cas_rd", got);
}

static bool near(double value, double wanted, double background)
{
    return value >= wanted * (1 - SHARE) - background && value <= wanted * (1 + SHARE) + background;
}

/* X16: prefetched lines are counted by both; a WARN, since no document says which RMID a prefetch is charged to. */
static void judge_mbm(struct pmon_session *session, const struct tagged *t, const struct traffic_window_counts *counts,
                      const struct mbm_case *k)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double mbm = moved_in(t, p), cas = cas_in(session, counts, p, traffic_window_net);
        double background = cas_in(session, counts, p, traffic_window_background),
               off = cas > 0 ? SHARE + background / cas : 0;
        char where[64];

        if (mbm <= 0 || cas < 0)
            continue;
        text_format(where, sizeof where, "package %u, streams: %u%s", p, k->streams, k->what);
        if (!traffic_window_stands_out(c, where, background, mbm))
            continue;
        if (!measure(c, "MBM total over bytes read by CAS", where, cas > 0 ? mbm / cas : 0, "ratio", 1 - off, 1 + off))
            (k->prefetch ? warn : fail)(c, "%s: MBM counts %llu bytes, CAS reads are %llu", where,
                                        (unsigned long long)mbm, (unsigned long long)(cas > 0 ? cas : 0));
        else if (!k->prefetch &&
                 mbm < cas * (1 - CLOSE) - background) /* X1, where nothing else may add to what MBM counts */
            warn(c, "%s: MBM counts %llu bytes, %u %% less than CAS reads", where, (unsigned long long)mbm,
                 (unsigned)(100 * (1 - mbm / cas) + 0.5));
    }
}

static bool all_near(const struct pmon_session *session, const struct tagged *t,
                     const struct traffic_window_counts *counts)
{
    for (uint32_t p = 0; p < session->check->machine->n_packages; p++)
        if (!near(moved_in(t, p), cas_in(session, counts, p, traffic_window_net),
                  cas_in(session, counts, p, traffic_window_background)))
            return false;
    return true;
}

static enum status try_mbm(struct pmon_session *session, const struct mbm_case *k)
{
    struct check *c = session->check;
    struct tagged t = { .check = c, .clos = k->clos };
    struct traffic_window traffic = { .cold = true, .prefetch = k->prefetch, .run = run_tagged, .context = &t };
    struct traffic_window_counts counts = { NULL };
    enum status st = ST_OK;

    tools_reset(c->tools);
    for (uint32_t p = 0; p < c->machine->n_packages && st == ST_OK; p++)
        st = add_tagged(&traffic, &t, p, k->streams);
    if (st != ST_OK)
        return st;
    for (uint32_t i = 0; i < TRIES; i++) {
        traffic.background_repeats = i * BACKGROUND_REPEATS;
        st = traffic_window_run(session, &traffic, &counts);
        if (st != ST_OK)
            return unmeasured(c, st, traffic.bad_cpu, "the tagged streams");
        if (all_near(session, &t, &counts))
            break;
    }
    judge_mbm(session, &t, &counts, k);
    return ST_OK;
}

static enum verdict check_cas(struct check *c, pmon_session_body body)
{
    if (c->machine->n_packages > 1 && c->machine->n_nodes < c->machine->n_packages)
        return skip(c, "SRAT does not say which memory belongs to which package");
    return pmon_session_check(c, has_cas, body);
}

static void select_cas(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++)
        traffic_window_select(&session->boxes[i], 0, "cas_rd");
}

static enum status monitors_try_mbm(struct pmon_session *session)
{
    struct check *c = session->check;
    uint32_t several = c->machine->packages[0].n_cpus < 4 ? 2 : 3;
    const struct mbm_case cases[] = {
        { .streams = 1, .clos = TRAFFIC_KEEP, .what = "" },
        { .streams = several, .clos = TRAFFIC_KEEP, .what = "" },
        { .streams = 1, .clos = TRAFFIC_KEEP, .prefetch = true, .what = ", prefetchers on" },
    };
    struct attempts a = { 0 };

    select_cas(session);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0] && !(i > 0 && a.measured == 0); i++)
        if (cases[i].streams == 1 || c->machine->packages[0].n_cpus > 1)
            attempts_add(&a, c, try_mbm(session, &cases[i]));
    return attempts_result(&a, c);
}

static enum verdict check_mbm(struct check *c)
{
    return check_cas(c, monitors_try_mbm);
}

/* Half of the greatest delay and all of it, in whole steps where the response is linear. */
static enum status try_delays(struct pmon_session *session, const struct alloc_table *t)
{
    struct check *c = session->check;
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    uint32_t step = mba->linear && mba->max_delay < 100 ? 100 - mba->max_delay : 1,
             delays[] = { mba->max_delay / 2 / step * step, mba->max_delay };
    enum status st = ST_OK;

    for (uint32_t i = 0; i < sizeof delays / sizeof delays[0] && st == ST_OK; i++) {
        struct mbm_case k = { .streams = 1, .clos = 1 };
        char what[24];

        text_format(what, sizeof what, ", delay %u", delays[i]);
        k.what = what;
        st = alloc_write(c, t, 1, delays[i]);
        if (st == ST_OK)
            st = try_mbm(session, &k);
    }
    return st;
}

static enum status monitors_try_throttled(struct pmon_session *session)
{
    struct alloc_table t = alloc_throttles(session->check);
    enum status st = alloc_record_table(session->check, &t);

    if (st != ST_OK)
        return st;
    select_cas(session);
    st = try_delays(session, &t);
    return status_first(st, alloc_put_back_table(session->check, &t));
}

static enum verdict check_throttled(struct check *c)
{
    if (alloc_throttles(c).classes < 2)
        return skip(c, "no second CLOS to throttle");
    return check_cas(c, monitors_try_throttled);
}

#define MEANS_USUAL "uncore events do not match the traffic"
#define NEXT_USUAL  "`traffic.channels` and `traffic.slices` first; the event's encoding in the evidence"

static const struct check_row rows[] = {
    { .id = "traffic.remote",
      .title = "Remote reads are counted at the home's channels, agents and links",
      .spec = GUIDE_QPI,
      .rows = "X6 X7 X8 X9 V12",
      .detects = "home and reader confused, link directions or local and remote swapped",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .order = 985,
      .slow = true,
      .run = check_remote },
    { .id = "traffic.mbm",
      .title = "MBM total matches CAS reads of the memory channels",
      .spec = RDT_MBM,
      .rows = "X1 X4 X16",
      .detects = "a wrong upscaling factor, a lost channel, an RMID that loses traffic",
      .means = "MBM total and CAS reads differ for one stream",
      .next = "`traffic.channels` and `mbm.total`, each against the bytes moved: the one that fails too is wrong",
      .needs = NEED_PMON | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE | RESTS_ON_BANDWIDTH,
      .order = 985,
      .slow = true,
      .run = check_mbm },
    { .id = "traffic.throttled",
      .title = "MBM total matches CAS reads while MBA throttles",
      .spec = RDT_MBA,
      .rows = "MA-05",
      .detects = "MBM or CAS counts that are wrong while MBA throttles a CLOS",
      .means = "MBM or CAS counts wrong while MBA throttles a CLOS",
      .next = "`traffic.mbm`, the same without throttling; `mba.rate`, which compares MBM with the bytes moved",
      .needs = NEED_PMON | NEED_TOTAL | NEED_MBA,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE | RESTS_ON_BANDWIDTH,
      .order = 985,
      .run = check_throttled },
};
CHECK_FAMILY(traffic_monitors, rows);
