/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBM against memory channels, over streams of known size under an RMID each. Witness: each of the two, and the load. */
#include "core/checks/traffic/closure.h"
#include "core/domain/alloc.h"
#include "core/experiment/mbm_counts.h"
#include "core/load/attempts.h"
#include "core/domain/cluster.h"
#include "core/experiment/monitor.h"
#include "core/load/tracked.h"
#include "core/uncore/traffic_window.h"
#include "core/base/text.h"

#define RDT_MBM "SDM vol. 3B 17.16.5.2 Memory Bandwidth Monitoring; uncore event CAS_COUNT"
#define RDT_MBA                                                                                                        \
    "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation; Linux selftests/resctrl mba_test.c"

#define TRIES 3u
#define CLOSE 0.03 /* X1, of the load: a slice of two dozen that is not counted is no more than 4 % */

static bool has_cas(const struct pmon_unit *unit)
{
    return pmon_event_named(unit, "cas_rd") != NULL;
}

struct mbm_case {
    uint32_t streams; /* of each package      */
    uint32_t clos;    /* or TRAFFIC_KEEP      */
    bool prefetch;    /* prefetchers stay on  */
    const char *what; /* after "package 0, 1 streams": ", prefetchers on" */
};

struct tagged {
    struct check *check;
    uint32_t n, clos;
    uint64_t bytes; /* of each stream */
    uint32_t domain[TRAFFIC_WINDOW_STREAMS], rmid[TRAFFIC_WINDOW_STREAMS];
    uint64_t before[TRAFFIC_WINDOW_STREAMS]; /* counts of MBM              */
    double moved[TRAFFIC_WINDOW_STREAMS];    /* bytes by MBM since then    */
};

/* What MBM has counted since before. */
static enum status read_moved(struct tagged *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct qm_domain *d = &t->check->tools->qm[t->domain[i]];
        uint64_t after = 0;

        TRY(traffic_window_mbm_after(t->check, t->domain[i], t->rmid[i], QM_EVENT_L3_TOTAL, &after));
        TRY(mbm_moved(t->check, d, t->rmid[i], t->before[i], after, &t->moved[i]));
    }
    return ST_OK;
}

/* The streams, each under its RMID, between two readings of MBM. */
static enum status run_tagged(struct traffic_window *traffic, struct platform *p)
{
    struct tagged *t = traffic->context;
    struct traffic_part parts[TRAFFIC_WINDOW_STREAMS];
    struct traffic_load loads[TRAFFIC_WINDOW_STREAMS];

    for (uint32_t i = 0; i < t->n; i++) {
        parts[i] = part_read(t->rmid[i], traffic->streams[i].base, traffic->streams[i].bytes);
        parts[i].clos = t->clos;
        loads[i] = (struct traffic_load){ .cpu = traffic->streams[i].cpu, .n_parts = 1, .parts = &parts[i] };
        TRY(traffic_window_mbm(t->check, t->domain[i], t->rmid[i], QM_EVENT_L3_TOTAL, &t->before[i]));
    }
    TRY(traffic_run(p, loads, t->n, NULL, NULL, &traffic->bad_cpu));
    return read_moved(t);
}

static bool lacks_some(const struct tagged *t)
{
    return ANY_OF(i, t->n, t->moved[i] < (double)t->bytes * (1 - CLOSE));
}

/* After the window, in which a wait would be background. Nothing else has these RMIDs. */
static enum status settle_moved(struct tagged *t)
{
    for (uint32_t step = 0; lacks_some(t) && domain_settle_wait(t->check, step); step++)
        TRY(read_moved(t));
    return ST_OK;
}

/* The one L3 domain of a package that RMIDs can be taken from. */
static enum status tagged_domain(struct check *c, uint32_t package, uint32_t *domain)
{
    *domain = NO_DOMAIN;
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        if (c->machine->domains[i].package != package)
            continue;
        if (*domain != NO_DOMAIN)
            return check_absent(c, "package %u has several L3 domains", package);
        *domain = i;
    }
    if (*domain == NO_DOMAIN)
        return check_absent(c, "package %u has no free RMID", package);
    if (domain_is_clustered(c, *domain))
        return check_absent(c, "package %u has sub-NUMA clusters, and which RMIDs are whose is not documented",
                            package);
    return ST_OK;
}

/* Streams of one package: each on a processor of its own under an RMID of its own; fewer than wanted will do. */
static enum status add_tagged(struct traffic_window *traffic, struct tagged *t, uint32_t package, uint32_t want)
{
    struct check *c = t->check;
    uint32_t rmids[8], n_rmids, first = traffic->n, domain;
    char why[PMON_TEXT];
    enum status st = tagged_domain(c, package, &domain);

    TRY(st);
    n_rmids = domain_rmids(c, domain, rmids, want);
    for (uint32_t i = 0; i < n_rmids && st == ST_OK; i++) {
        st = traffic_window_add(traffic, c, package, NO_NODE, t->bytes);
        if (st == ST_OK) {
            st = tracked_bring(c, traffic->streams[traffic->n - 1].cpu, rmids[i], QM_EVENT_L3_TOTAL);
            traffic->n -= st != ST_OK;
        }
        if (st != ST_OK)
            break;
        t->domain[t->n] = domain;
        t->rmid[t->n++] = rmids[i];
    }
    if (st == ST_ABSENT && traffic->n > first) { /* those that there are */
        check_take_reason(c, why, sizeof why);
        return ST_OK;
    }
    return st == ST_OK && traffic->n == first ? check_absent(c, "package %u has no free RMID", package) : st;
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
    double imc = traffic_window_sum(session, counts, PMON_IMC, package, 0, "cas_rd", got);

    return imc >= 0 ? imc : traffic_window_sum(session, counts, PMON_UMC, package, 0, "cas_rd", got);
}

static bool near(double value, double wanted, double background)
{
    return value >= wanted * (1 - BW_SHARE) - background && value <= wanted * (1 + BW_SHARE) + background;
}

/* MBM has the load and the channels more than that: reads that no core asked for, of RAS features and patrol scrub (Linux
 * d2ec0e8e2d02), or of devices (intel-cmt-cat issue 186), which came during the load alone. */
static bool tagged_memory_has_more(double mbm, double cas, double load)
{
    return near(mbm, load, 0) && cas > mbm && cas - mbm <= BACKGROUND_MOST * load;
}

/* The channels have the load and MBM more, as it may of a short stream. */
static bool tagged_mbm_overcounts(const struct tagged *t, double mbm, double cas, double load)
{
    return near(cas, load, 0) && mbm > load && mbm <= 2 * load &&
           traffic_window_overcounts(t->check, t->domain[0], (double)t->bytes);
}

/* Below which MBM is a finding: against the channels, and against the load where no prefetcher adds to it. */
static double mbm_least(const struct mbm_case *k, double cas, double background, double load)
{
    double by_cas = cas * (1 - BW_SHARE) - background, by_load = k->prefetch ? 0 : load * (1 - CLOSE);

    return by_cas > by_load ? by_cas : by_load;
}

/* X16: prefetched lines are counted by both; a WARN, since no document says which RMID a prefetch is charged to.
 * false: no package has channels to be compared with. */
static bool judge_mbm(struct pmon_session *session, const struct tagged *t, const struct traffic_window *traffic,
                      const struct traffic_window_counts *counts, const struct mbm_case *k)
{
    struct check *c = session->check;
    bool any = false;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double mbm = moved_in(t, p), cas = cas_in(session, counts, p, traffic_window_net);
        double load = (double)traffic_window_bytes(traffic, c, p);
        double background = cas_in(session, counts, p, traffic_window_background),
               off = cas > 0 ? BW_SHARE + background / cas : 0;
        struct place place = place_with_detail(place_package(p), "streams: %u%s", k->streams, k->what);
        enum finding_kind kind = FINDING_EXPECTED;

        if (load <= 0 || cas < 0)
            continue;
        any = true;
        if (!traffic_window_stands_out(c, place, background, mbm > 0 ? mbm : load))
            continue;
        excludes_share(c, "a loss of MBM total", mbm, mbm_least(k, cas, background, load));
        excludes_share(c, "a loss of CAS reads", cas, (mbm - background) / (1 + BW_SHARE));
        if (k->prefetch || tagged_memory_has_more(mbm, cas, load) || tagged_mbm_overcounts(t, mbm, cas, load))
            kind = FINDING_UNUSUAL;
        else if (never_counts(mbm, cas))
            kind = FINDING_FORBIDDEN;
        if (!check_measure(c, "MBM total over bytes read by CAS", place, cas > 0 ? mbm / cas : 0, "ratio", 1 - off,
                           1 + off))
            finding(c, kind, 0, mbm < cas ? FOUND_TOTAL_LOW : FOUND_TOTAL_HIGH, place,
                    "MBM counts %lu bytes, CAS reads are %lu, and the load reads %lu", (uint64_t)mbm,
                    (uint64_t)(cas > 0 ? cas : 0), (uint64_t)load);
        else if (!k->prefetch && mbm < load * (1 - CLOSE)) /* X1, where nothing else may add to what MBM counts */
            finding(c, FINDING_UNUSUAL, 0, FOUND_UNDERCOUNTS, place,
                    "MBM counts %lu bytes, %u %% less than the load reads", (uint64_t)mbm,
                    (unsigned)(100 * (1 - mbm / load) + 0.5));
    }
    return any;
}

static bool all_near(const struct pmon_session *session, const struct tagged *t,
                     const struct traffic_window_counts *counts)
{
    return ALL_OF(p, session->check->machine->n_packages,
                  near(moved_in(t, p), cas_in(session, counts, p, traffic_window_net),
                       cas_in(session, counts, p, traffic_window_background)));
}

static enum status try_mbm(struct pmon_session *session, const struct mbm_case *k)
{
    struct check *c = session->check;
    struct tagged t = { .check = c, .clos = k->clos };
    struct traffic_window traffic = { .cold = true, .prefetch = k->prefetch, .run = run_tagged, .context = &t };
    struct traffic_window_counts counts = { NULL };
    enum status st = ST_OK;

    tools_reset(c->tools);
    t.bytes = traffic_window_stream_bytes(c, k->streams, load_stream_bytes(c, 0));
    for (uint32_t p = 0; p < c->machine->n_packages && st == ST_OK; p++)
        st = add_tagged(&traffic, &t, p, k->streams);
    TRY(st);
    for (uint32_t i = 0; i < TRIES; i++) {
        traffic.background_repeats = i * BACKGROUND_REPEATS;
        st = traffic_window_run(session, &traffic, &counts);
        if (st == ST_OK)
            st = settle_moved(&t);
        if (st != ST_OK)
            return traffic_window_unmeasured(c, &traffic, st, "the tagged streams");
        if (all_near(session, &t, &counts))
            break;
    }
    return judge_mbm(session, &t, &traffic, &counts, k) ? ST_OK
                                                        : check_absent(c, "no memory channel of a package counts CAS");
}

static void select_cas(struct pmon_session *session)
{
    pmon_session_each(session, b)
        traffic_window_select_whole(b, 0, "cas_rd");
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

/* Half of the greatest delay and all of it, in whole steps where the response is linear. */
static enum status try_delays(struct pmon_session *session, const struct alloc_table *t)
{
    struct check *c = session->check;
    const struct rdt_mba *mba = &reference_rdt(c)->mba;
    uint32_t step = mba->linear && mba->max_delay < 100 ? 100 - mba->max_delay : 1,
             delays[] = { mba->max_delay / 2 / step * step, mba->max_delay };

    for (uint32_t i = 0; i < sizeof delays / sizeof delays[0]; i++) {
        struct mbm_case k = { .streams = 1, .clos = 1 };
        char what[24];

        text_format(what, sizeof what, ", delay %u", delays[i]);
        k.what = what;
        TRY(alloc_write(c, t, 1, delays[i]));
        TRY(try_mbm(session, &k));
    }
    check_note(c, "MBA delays %u and %u were tried, of 0 to %u", delays[0], delays[1], mba->max_delay);
    return ST_OK;
}

static enum status monitors_try_throttled(struct pmon_session *session)
{
    struct alloc_table t = alloc_throttles(session->check);
    enum status st;

    TRY(alloc_record_table(session->check, &t));
    select_cas(session);
    st = try_delays(session, &t);
    return status_first(st, alloc_put_back_table(session->check, &t));
}

static enum status throttled_ready(struct check *c)
{
    return alloc_throttles(c).classes < 2 ? check_absent(c, "no second CLOS to throttle") : closure_ready(c);
}

static const struct check_row rows[] = {
    { .id = "traffic.mbm",
      .title = "MBM total matches CAS reads of the memory channels",
      .spec = RDT_MBM,
      .covers = "X1 X4 X16",
      .detects = "a wrong upscaling factor, a lost channel, an RMID that loses traffic",
      .means = "MBM total and CAS reads differ for one stream",
      .next = "`traffic.channels` and `mbm.total`, each against the bytes moved: the one that fails too is wrong",
      .slow = true,
      .ready = closure_ready,
      .sums = true,
      .wanted = has_cas,
      .assigned = true,
      .run_session = monitors_try_mbm },
    { .id = "traffic.throttled",
      .title = "MBM total matches CAS reads while MBA throttles",
      .spec = RDT_MBA,
      .covers = "MA-05",
      .means = "MBM or CAS counts wrong while MBA throttles a CLOS",
      .next = "`traffic.mbm`, the same without throttling; `mba.rate`, which compares MBM with the bytes moved",
      .needs = NEED_MBA,
      .ready = throttled_ready,
      .sums = true,
      .wanted = has_cas,
      .run_session = monitors_try_throttled },
};
CHECK_FAMILY(traffic_tagged, rows, .needs = NEED_PMON | NEED_TOTAL, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_UNCORE | RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .order = 985);
