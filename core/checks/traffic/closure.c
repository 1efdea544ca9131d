/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Four-way closure: for one load the bytes that the workload moved, what the core's own monitor, the slices of the L3,
 * MBM and the memory channels counted, and for memory of another package the links. Witness: each of the others. */
#include "core/checks/traffic/closure.h"

#include "arch/x86/cpu/core_pmu.h"
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/experiment/mbm_counts.h"
#include "core/load/attempts.h"
#include "core/cluster/cluster_view.h"
#include "core/experiment/monitor.h"
#include "core/uncore/pmon_channels.h"
#include "core/load/tracked.h"
#include "core/platform/script.h"
#include "core/base/stats.h"
#include "core/base/text.h"

#define SOURCE                                                                                                         \
    "SDM vol. 3B 17.16.5.2 Memory Bandwidth Monitoring, 18.2.1.2 Pre-defined Architectural Performance Events; "       \
    "uncore "                                                                                                          \
    "events CAS_COUNT, TOR_INSERTS, data flits"

#define LINE     64.0
#define TRIES    3u
#define QUIET_NS UINT64_C(20000000) /* before a count that is subtracted */
/* Error budgets. The load is exact but for its own code and page tables (a walk for 2 MiB); a core counts lines that it
 * asked for on a wrong path too; background reaches slices, channels and links. A pair of monitors may
 * be as far apart as Linux's resctrl selftest allows MBM to be from the channels, 8 % (T_bw, docs/tolerances.md). */
#define SHARE_LOAD    0.01
#define SHARE_MONITOR 0.04
#define SHARE_LOCAL   0.02 /* MBM local and total are counted in one place, for one load */

enum { LOAD, CORE, SLICES, MBM, MEMORY, LINKS, WITNESSES };

/* --- one load ----------------------------------------------------------------------------------------------------- */

struct closure_load { /* a load, and what counts it */
    struct check *check;
    uint32_t reader, home; /* packages                                     */
    uint32_t domain, rmid; /* NO_RMID: MBM has no say                      */
    struct core_pmu pmu;
    bool has_pmu;
    uint64_t before_total, before_local; /* counts of MBM                  */
    /* out */
    double core, total, local; /* bytes; -1: not counted */
};
#define NO_RMID UINT32_MAX

static bool has_local(const struct check *c)
{
    return reference_rdt(c)->local;
}

/* Tagged and counted, in one task, which puts both registers back. */
static enum status run_task(struct closure_load *x, struct platform *p, const struct traffic_window_stream *s)
{
    struct work work = { .kind = WORK_READ, .passes = 1, .base = s->base, .bytes = s->bytes };
    struct step steps[2 * CORE_PMU_STEPS + 3];
    uint32_t n = 0, first = 0, last = 0;
    uint64_t pqr = 0;
    enum status st;

    TRY(x->rmid != NO_RMID ? msr_read(p, s->cpu, IA32_PQR_ASSOC, &pqr) : ST_OK);
    if (x->has_pmu) {
        n += core_pmu_begin(&x->pmu, steps);
        first = n - 1;
    }
    if (x->rmid != NO_RMID)
        steps[n++] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_rmid(pqr, x->rmid));
    steps[n++] = step_work(&work);
    if (x->rmid != NO_RMID)
        steps[n++] = step_wrmsr(IA32_PQR_ASSOC, pqr);
    last = n;
    if (x->has_pmu)
        n += core_pmu_end(&x->pmu, steps + n);
    st = script_run(p, s->cpu, steps, n, work_budget_ms(s->bytes));
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = steps[i].status;
    x->core = -1;
    if (st == ST_OK && x->has_pmu)
        x->core = LINE * (double)core_pmu_delta(&x->pmu, steps[first].value, steps[last].value);
    return st;
}

typedef enum status (*mbm_reader)(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event,
                                  uint64_t *counts);

/* What MBM has counted: traffic_window_mbm() or traffic_window_mbm_after(). */
static enum status read_mbm(struct closure_load *x, mbm_reader read, uint64_t *total, uint64_t *local)
{
    TRY(read(x->check, x->domain, x->rmid, QM_EVENT_L3_TOTAL, total));
    if (has_local(x->check))
        TRY(read(x->check, x->domain, x->rmid, QM_EVENT_L3_LOCAL, local));
    return ST_OK;
}

static enum status read_moved(struct closure_load *x)
{
    uint64_t total = 0, local = 0;
    enum status st;

    x->total = x->local = -1;
    if (x->rmid == NO_RMID || x->domain == NO_DOMAIN)
        return ST_OK;
    st = read_mbm(x, traffic_window_mbm_after, &total, &local);
    if (st == ST_UNAVAILABLE && !reference_is_intel(x->check)) {
        check_note(x->check, "L3 domain %u: RMID %u was reset during the load: MBM excluded", x->domain, x->rmid);
        return ST_OK;
    }
    TRY(st);
    TRY(mbm_moved(x->check, &x->check->tools->qm[x->domain], x->rmid, x->before_total, total, &x->total));
    if (has_local(x->check))
        TRY(mbm_moved(x->check, &x->check->tools->qm[x->domain], x->rmid, x->before_local, local, &x->local));
    return ST_OK;
}

static enum status run_load(struct traffic_window *traffic, struct platform *p)
{
    struct closure_load *x = traffic->context;
    enum status st = x->rmid == NO_RMID ? ST_OK : read_mbm(x, traffic_window_mbm, &x->before_total, &x->before_local);

    traffic->bad_cpu = traffic->streams[0].cpu;
    if (st == ST_OK)
        st = run_task(x, p, &traffic->streams[0]);
    return st == ST_OK ? read_moved(x) : st;
}

/* Lacks some of the load, or has total and local from different times. */
static bool is_late(const struct closure_load *x, double load)
{
    bool apart = x->local >= 0 && x->reader == x->home &&
                 (x->local < x->total * (1 - SHARE_LOCAL) || x->local > x->total * (1 + SHARE_LOCAL));

    return x->total >= 0 && (x->total < load * (1 - SHARE_MONITOR) || apart);
}

/* After the window, since nothing else has the RMID. */
static enum status settle_mbm(struct closure_load *x, double load)
{
    for (uint32_t step = 0; is_late(x, load) && domain_settle_wait(x->check, step); step++)
        TRY(read_moved(x));
    return ST_OK;
}

/* --- uncore monitors --------------------------------------------------------------------------------------------------- */

static bool unit_wanted(const struct pmon_unit *unit)
{
    return channels_wanted(unit) || unit->kind == PMON_CHA || unit->kind == PMON_LINK || unit->kind == PMON_L3;
}

/* Misses of the slices to the memory that is read. */
static const char *miss_event(const struct pmon_unit *unit, bool remote)
{
    const char *exact = remote ? "tor_miss_remote" : "tor_miss_local";

    if (unit->kind == PMON_L3)
        return "l3_miss";
    return pmon_event_named(unit, exact) ? exact : "tor_miss";
}

static void select_events(struct pmon_session *session, bool remote)
{
    pmon_session_each(session, b) {
        if (b->unit->kind == PMON_CHA || b->unit->kind == PMON_L3)
            traffic_window_select(b, 0, miss_event(b->unit, remote));
        else if (b->unit->kind == PMON_LINK)
            traffic_window_select(b, 0, "tx_data");
    }
}

/* Bytes that counter 0 of the boxes of a kind counted in a package, for the load or (traffic_window_background)
 * without it; -1: none counts. */
static double counted_bytes(const struct pmon_session *session, const struct traffic_window_counts *counts,
                            enum pmon_kind kind, uint32_t package, bool remote, traffic_window_reader got)
{
    double sum = 0;
    bool any = false;

    pmon_session_each(session, b) {
        const struct pmon_named *named;

        if (b->unit->kind != kind || b->box->package != package || b->status != ST_OK || b->ctl[0] == 0)
            continue;
        named = pmon_event_named(b->unit, kind == PMON_LINK ? "tx_data" : miss_event(b->unit, remote));
        sum += named ? named->bytes * got(counts, session, b, 0) : 0;
        any |= named != NULL;
    }
    return any && sum < 0 ? 0 : any ? sum : -1;
}

/* By how much the idle baseline varies is how far the witness may be off. */
static void read_witness(const struct pmon_session *session, const struct traffic_window_counts *counts,
                         enum pmon_kind kind, uint32_t package, bool remote, struct closure_witness *w)
{
    w->bytes = counted_bytes(session, counts, kind, package, remote, traffic_window_net);
    w->floor = w->bytes < 0 ? 0 : counted_bytes(session, counts, kind, package, remote, traffic_window_background);
}

/* A monitor whose idle baseline varies by as much as a good part of the load is no witness of it. */
static void drop_below_background(struct check *c, struct closure_witness *w)
{
    static const uint32_t shared[] = { SLICES, MEMORY, LINKS };

    for (uint32_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        struct closure_witness *one = &w[shared[i]];

        if (one->bytes < 0 || one->floor <= BACKGROUND_MOST * w[LOAD].bytes)
            continue;
        check_note(c, "%s: idle baseline varies by %lu bytes: excluded", one->name, (uint64_t)one->floor);
        one->bytes = -1;
    }
}

/* Read bytes of the home's channels; where reads and writes are not counted apart, all. */
static double sum_of_channels(const struct channel_sums *s)
{
    double bytes = s->n == 0 ? -1 : s->split ? s->read : s->both;

    return s->n && bytes < 0 ? 0 : bytes;
}

static enum status run_once(struct pmon_session *session, struct traffic_window *traffic, struct channel *channels,
                            struct closure_witness *w)
{
    struct closure_load *x = traffic->context;
    struct traffic_window_counts counts = { NULL };
    struct channel_sums sums;
    bool remote = x->reader != x->home;
    uint32_t n = 0;
    enum status st = ST_OK;

    for (uint32_t round = 0; round < CHANNEL_ROUNDS && st == ST_OK; round++) {
        uint32_t first = n;

        n = channels_select(session, channels, n, round);
        if (round > 0 && n == first)
            break;
        if (round == 0)
            select_events(session, remote);
        st = traffic_window_run(session, traffic, &counts);
        if (st == ST_OK)
            st = settle_mbm(x, w[LOAD].bytes);
        if (st != ST_OK)
            break;
        channels_read(session, &counts, channels + first, n - first);
        if (round > 0)
            continue;
        read_witness(session, &counts, PMON_CHA, x->reader, remote, &w[SLICES]);
        if (w[SLICES].bytes < 0)
            read_witness(session, &counts, PMON_L3, x->reader, remote, &w[SLICES]);
        if (remote)
            read_witness(session, &counts, PMON_LINK, x->home, remote, &w[LINKS]);
        w[CORE].bytes = x->core;
        w[MBM].bytes = x->total;
    }
    n = channels_keep_used(session, channels, n, false);
    sums = channels_sum(session, channels, n, x->home);
    w[MEMORY].bytes = sum_of_channels(&sums);
    w[MEMORY].floor = sums.background;
    drop_below_background(session->check, w);
    w[MEMORY].share = sums.split ? SHARE_MONITOR : 2 * SHARE_MONITOR; /* writes of others are in it */
    return st;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static struct place place_of_load(const struct closure_load *x)
{
    struct place p = place_package(x->reader);

    return x->reader == x->home ? place_with_detail(p, "local") : place_with(p, PLACE_HOME, x->home);
}

/* "+0.25 %" */
static void percent_text(double got, double wanted, char out[24])
{
    double apart = stats_distance(got, wanted), hundredths = wanted > 0 ? apart / wanted * 1e4 : 0;
    unsigned value = hundredths < 1e8 ? (unsigned)(hundredths + 0.5) : 99999999;

    text_format(out, 24, "%s%u.%02u %%", got < wanted && value ? "-" : "+", value / 100, value % 100);
}

static void put_row(struct check *c, const struct closure_witness *w, double load, struct place place)
{
    char by[24];

    if (w->bytes < 0) {
        check_table_line(c, "  %-40s %14s", w->name, "not counted");
        return;
    }
    percent_text(w->bytes, load, by);
    check_table_line(c, "  %-40s %14lu %12s", w->name, (uint64_t)w->bytes, by);
    check_show(c, w->name, place, w->bytes, "bytes");
}

static void put_table(struct check *c, const struct closure_load *x, const struct closure_witness *w)
{
    struct closure_witness local = { .name = "MBM local", .bytes = x->local };
    struct place place = place_of_load(x);
    char where[PLACE_TEXT];

    place_text(&place, where, sizeof where);
    check_table_line(c, "%-42s %14s %12s", where, "bytes", "to the load");
    for (uint32_t i = 0; i < WITNESSES; i++) {
        if (i == LINKS && x->reader == x->home)
            continue;
        put_row(c, &w[i], w[LOAD].bytes, place);
        if (i == MBM)
            put_row(c, &local, w[LOAD].bytes, place);
    }
}

/* The channels have more than all others: reads that no core asked for, of RAS features, patrol scrub (Linux d2ec0e8e2d02)
 * or devices, which came during the load alone. Nothing makes them count less than what was read. */
static bool memory_has_more(const struct closure_witness *w)
{
    return w[MEMORY].bytes > w[LOAD].bytes && w[MEMORY].bytes - w[LOAD].bytes <= BACKGROUND_MOST * w[LOAD].bytes;
}

/* MBM has more than all others, as it may of a short stream. */
static bool mbm_overcounts(const struct closure_load *x, const struct closure_witness *w)
{
    return w[MBM].bytes > w[LOAD].bytes && w[MBM].bytes <= 2 * w[LOAD].bytes &&
           traffic_window_overcounts(x->check, x->domain, w[LOAD].bytes);
}

/* The bytes were asked for, left the memory and came in at a core or a slice, as three witnesses or more agree, and MBM, whose
 * definition is that it counts them, has less than any table of a published erratum leaves. */
static bool mbm_loses_more_than_errata(const struct closure_witness *w)
{
    uint32_t others = HOW_MANY(i, WITNESSES, i != MBM && w[i].bytes >= 0);

    return others >= 3 && w[MEMORY].bytes >= 0 && w[MBM].bytes + w[MBM].floor < MBM_LEAST * w[LOAD].bytes;
}

static void report_alone(struct check *c, const struct closure_load *x, const struct closure_witness *w, uint32_t alone,
                         struct place place)
{
    static const enum finding_code codes[WITNESSES] = { [CORE] = FOUND_CORE_DISAGREES,
                                                        [MEMORY] = FOUND_MEMORY_DISAGREES,
                                                        [SLICES] = FOUND_SLICES_DISAGREE,
                                                        [MBM] = FOUND_MBM_DISAGREES,
                                                        [LINKS] = FOUND_LINKS_DISAGREE };
    enum finding_kind kind = FINDING_EXPECTED;
    char by[24];

    check_measure(c, "the disagreeing monitor over the load", place, w[alone].bytes / w[LOAD].bytes, "ratio",
                  1 - SHARE_LOAD - w[alone].share, 1 + SHARE_LOAD + w[alone].share);
    percent_text(w[alone].bytes, w[closure_other(w, WITNESSES, alone)].bytes, by);
    if (alone == LOAD) { /* what was asked for is known; more was fetched, or less */
        finding(c, FINDING_UNUSUAL, FINDING_NO_ERRATUM, FOUND_LOAD_DISAGREES, place,
                "the monitors agree with each other but not with the load (%s): prefetched, or cached", by);
        return;
    }
    if ((alone == MEMORY && memory_has_more(w)) || (alone == MBM && mbm_overcounts(x, w)))
        kind = FINDING_UNUSUAL;
    else if (never_counts(w[alone].bytes, w[LOAD].bytes) || (alone == MBM && mbm_loses_more_than_errata(w)))
        kind = FINDING_FORBIDDEN;
    /* errata of RDT are no reason for what another witness counts */
    finding(c, kind, alone == MBM ? 0 : FINDING_NO_ERRATUM, codes[alone], place,
            "%s disagrees with the rest (%s), which agree", w[alone].name, by);
}

/* false: too few said something. */
static bool judge_majority(struct check *c, const struct closure_load *x, const struct closure_witness *w)
{
    uint32_t alone = 0;
    struct place place = place_of_load(x);
    enum closure result = closure_judge(w, WITNESSES, &alone);

    for (uint32_t i = LOAD + 1; i < WITNESSES; i++)
        if (w[i].bytes >= 0)
            excludes_share(c, "a loss in one monitor", w[i].bytes, closure_least(w, WITNESSES, i));
    switch (result) {
    case CLOSURE_FEW:
    case CLOSURE_AGREE:
        break;
    case CLOSURE_ALONE:
        report_alone(c, x, w, alone, place);
        break;
    case CLOSURE_SPLIT:
        finding(c, FINDING_EXPECTED, 0, FOUND_MONITORS_DISAGREE, place,
                "the monitors disagree, and no single one explains it");
        break;
    }
    if (x->total > 0 && x->local >= 0) { /* all of it, or none */
        bool remote = x->reader != x->home;
        double share = x->local / x->total;

        if (!check_measure(c, "MBM local over total", place, share, "ratio", remote ? 0 : 1 - SHARE_LOCAL,
                           remote ? SHARE_MONITOR : 1 + SHARE_LOCAL))
            finding(c,
                    share > 1 + SHARE_LOCAL || (remote ? share > 0.5 : share < DEAD_SHARE) ? FINDING_FORBIDDEN
                                                                                           : FINDING_EXPECTED,
                    0, x->local <= 0 ? FOUND_LOCAL_ZERO : FOUND_LOCAL_SHARE_OFF, place,
                    "MBM local counts %lu of %lu bytes, and %s of them are local", (uint64_t)x->local,
                    (uint64_t)x->total, remote ? "none" : "all");
    }
    return result != CLOSURE_FEW;
}

/* --- every domain, and every other package ------------------------------------------------------------------------ */

static enum status set_up(struct closure_load *x, struct closure_witness *w, const struct traffic_window_stream *s)
{
    struct check *c = x->check;
    double unit;

    x->domain = c->machine->cpus[s->cpu].domain;
    x->rmid = NO_RMID;
    if (reference_rdt(c)->total && x->domain != NO_DOMAIN && !domain_is_clustered(c, x->domain) &&
        domain_rmids(c, x->domain, &x->rmid, 1) == 0)
        x->rmid = NO_RMID;
    x->has_pmu = reference_is_intel(c) && core_pmu_find(c->platform, s->cpu, &x->pmu) == ST_OK;
    unit = x->rmid != NO_RMID ? 2.0 * c->machine->domains[x->domain].upscaling_factor : 0;
    w[LOAD] = (struct closure_witness){ "the load", (double)s->bytes, SHARE_LOAD, 0 };
    w[CORE] = (struct closure_witness){ "core PMU, LLC misses", -1, SHARE_MONITOR, 0 };
    w[SLICES] = (struct closure_witness){ "slices of the L3, misses", -1, SHARE_MONITOR, 0 };
    w[MBM] = (struct closure_witness){ "MBM total", -1, SHARE_MONITOR, unit };
    w[MEMORY] = (struct closure_witness){ "memory channels, CAS reads", -1, SHARE_MONITOR, 0 };
    w[LINKS] = (struct closure_witness){ "interconnect, data sent by the home", -1, SHARE_MONITOR, 0 };
    return x->rmid == NO_RMID ? ST_OK : tracked_bring(c, s->cpu, x->rmid, QM_EVENT_L3_TOTAL);
}

/* The load, again with more background windows while the monitors disagree. */
static enum status run_tries(struct pmon_session *session, struct traffic_window *traffic, struct channel *channels,
                             struct closure_witness *w)
{
    struct platform *p = session->check->platform;
    uint32_t alone;

    for (uint32_t t = 0; t < TRIES; t++) {
        traffic->background_repeats = t * BACKGROUND_REPEATS;
        platform_stall(p, QUIET_NS); /* what the RMID moved before is counted by then */
        TRY_MEASURE(session->check, run_once(session, traffic, channels, w), traffic->bad_cpu, "the load");
        if (closure_judge(w, WITNESSES, &alone) <= CLOSURE_AGREE)
            break;
    }
    return ST_OK;
}

static enum status try_load(struct pmon_session *session, struct channel *channels, uint32_t reader, uint32_t home)
{
    struct check *c = session->check;
    struct closure_load x = { .check = c, .reader = reader, .home = home };
    struct traffic_window traffic = { .cold = true, .run = run_load, .context = &x };
    struct closure_witness w[WITNESSES];
    uint32_t node = reader == home ? NO_NODE : machine_package_node(c->machine, home);

    tools_reset(c->tools);
    if (reader != home && node == NO_NODE)
        return check_absent(c, "SRAT does not say which memory belongs to package %u", home);
    TRY(traffic_window_add_some(&traffic, c, reader, node, traffic_window_stream_bytes(c, 1, load_stream_bytes(c, 0))));
    TRY(set_up(&x, w, &traffic.streams[0]));
    TRY(run_tries(session, &traffic, channels, w));
    put_table(c, &x, w);
    return judge_majority(c, &x, w) ? ST_OK : check_absent(c, "fewer than three monitors count the load: no majority");
}

static enum status try_all(struct pmon_session *session)
{
    struct check *c = session->check;
    uint32_t n = c->machine->n_packages;
    struct channel *channels = check_alloc(c, sizeof *channels * CHANNELS);
    struct check_memory *mark = check_memory_mark(c);
    struct attempts a = { 0 };

    if (channels == NULL)
        return check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the memory channels");
    for (uint32_t i = 0; i < (n > 1 ? 2 * n : n); i++) { /* local memory of each, then remote */
        attempts_add(&a, c, try_load(session, channels, i % n, i < n ? i : (i + 1) % n));
        check_free_since(c, mark);
    }
    return attempts_result(&a, c);
}

enum status closure_ready(struct check *c)
{
    TRY(traffic_window_homes_known(c));
    return cluster_settle_unlisted(c);
}

static const struct check_row rows[] = {
    { .id = "traffic.closure",
      .title = "All monitors agree on one load",
      .spec = SOURCE,
      .covers = "X1 X5 X6 X7 X8 XC-07",
      .means = "one monitor counts other bytes than all the others",
      .next = "the monitor that the finding names: its own checks; capacity masks and sub-NUMA clusters",
      .ready = closure_ready,
      .sums = true,
      .wanted = unit_wanted,
      .assigned = true,
      .run_session = try_all },
};
CHECK_FAMILY(closure, rows, .needs = NEED_PMON, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_UNCORE | RESTS_ON_BANDWIDTH,
             .by_experience = true, .excludes = true, .order = 990);
