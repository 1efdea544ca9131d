/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Look-ups of a known number of lines that the L3 holds, by slice and by state. Witness: the workload. */
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/checks/families.h"
#include "core/domain/cluster.h"
#include "core/domain/domains.h"
#include "core/uncore/pmon_channels.h"

#define GUIDE_CBO "E5-2600 Uncore Guide 327043-001 2.3 CBo performance monitoring, event LLC_LOOKUP"
#define LINE      64.0

/* --- slices ------------------------------------------------------------------------------------------------------- */

#define SLICE_SPREAD 0.25 /* the hash spreads lines evenly, a few per cent off; more is a slice that is not asked */
#define LOOKUPS_LOST 0.1  /* beyond what an L2 may keep */
#define L2_TIMES     8u   /* as much of a buffer as an L2 keeps, whatever it replaces, is then an eighth */

static bool has_lookups(const struct pmon_unit *unit)
{
    return unit->kind == PMON_CHA && pmon_event_named(unit, "llc_lookup");
}

/* Look-ups for lines that are asked for, at least: of a buffer that is read over and over an L2 can keep no more than it
 * holds, however it replaces lines, and asks for the others. */
static double least_lookups(const struct check *c, uint64_t bytes)
{
    return 1 - LOOKUPS_LOST - (double)reference_l2_bytes(c) / (double)bytes;
}

/* Streams of `bytes` on every package's own memory, all at once. */
static enum status local_streams(struct check *c, struct traffic_window *traffic, uint64_t bytes)
{
    tools_reset(c->tools);
    return traffic_window_add_each(traffic, c, bytes);
}

/* A node without memory has no stream of its own (traffic_window_add_each()), and where a package is cut into clusters
 * its slices then see no look-up: a slice that counts nothing shows no defect there. */
static bool slices_may_idle(const struct machine *m, uint32_t package)
{
    return m->srat_present &&
           ANY_OF(i, m->n_nodes,
                  m->nodes[i].package == package && m->nodes[i].n_cpus > 0 && m->nodes[i].memory_bytes == 0);
}

/* Of the slices of a package that count more than `least`. */
static double mean_of(const struct pmon_session *session, const struct traffic_window_counts *counts, uint32_t package,
                      double least, uint32_t *n)
{
    double sum = 0;

    *n = 0;
    pmon_session_each(session, b) {
        double got = traffic_window_net(counts, session, b, 0);

        if (b->box->package == package && b->status == ST_OK && got > least) {
            sum += got;
            (*n)++;
        }
    }
    return *n ? sum / *n : 0;
}

/* Of the slices of a package except one, if they count, and each as much as the others; else 0. */
static double mean_of_even_others(const struct pmon_session *session, const struct traffic_window_counts *counts,
                                  const struct pmon_session_box *except, uint32_t *of)
{
    double sum = 0, lowest = NO_BOUND, highest = 0, mean;
    uint32_t n = 0;

    pmon_session_each(session, b) {
        double got = traffic_window_net(counts, session, b, 0);

        if (b == except || b->box->package != except->box->package || b->status != ST_OK)
            continue;
        sum += got;
        n++;
        lowest = got < lowest ? got : lowest;
        highest = got > highest ? got : highest;
    }
    mean = n ? sum / n : 0;
    *of = n;
    return mean > CHANNEL_DEAD * traffic_window_net(counts, session, except, 0) &&
                   lowest >= mean * (1 - SLICE_SPREAD) && highest <= mean * (1 + SLICE_SPREAD)
               ? mean
               : 0;
}

/* --- clusters that no SRAT describes */

/* Dies of a package on one node, which interleaves memory over them. */
static bool dies_share_node(const struct machine *m, uint32_t package)
{
    return ANY_OF(i, m->n_nodes, m->nodes[i].shared && m->nodes[i].package == package) &&
           HOW_MANY(i, m->n_domains, m->cpus[m->domains[i].cpu].package == package) > 1;
}

/* Without an SRAT the SNC cluster (NUMA node) that memory is local to is not enumerated: slices of one cluster may see more
 * look-ups than those of another, or none, and so may those of a die. No known part has a cluster of one slice: where all
 * others are even, that one is off. */
static bool shares_unknown(const struct pmon_session *session, const struct traffic_window_counts *counts,
                           uint32_t package)
{
    const struct machine *m = session->check->machine;
    uint32_t n;

    return (!m->srat_present || dies_share_node(m, package)) && cluster_is_possible(m) &&
           !ANY_OF(i, session->n,
                   session->boxes[i].box->package == package && session->boxes[i].status == ST_OK &&
                       mean_of_even_others(session, counts, &session->boxes[i], &n) > 0);
}

/* Whether so many of a package's slices are those of some of its clusters: 2, 3, 4 or 6 of one size, as Linux
 * accepts them (the same file, snc_get_config()). */
static bool are_clusters(uint32_t n, uint32_t all)
{
    static const uint32_t clusters[] = { 2, 3, 4, 6 };

    return ANY_OF(i, sizeof clusters / sizeof *clusters,
                  all >= clusters[i] && all % clusters[i] == 0 && n % (all / clusters[i]) == 0);
}

/* What a slice of a package is compared with. */
struct slices {
    double total, mean, least; /* least: a slice that counts no more is dead, or idle */
    uint32_t n;                /* that the mean is of                                 */
    bool idle, unknown;        /* slices_may_idle(), shares_unknown()                 */
    bool excused;              /* a slice of `least` look-ups shows no defect         */
};

/* One slice that is off moves the mean, of few so far that the others are off it, too: it is theirs then. */
static void leave_out_one(const struct pmon_session *session, const struct traffic_window_counts *counts,
                          uint32_t package, struct slices *s)
{
    pmon_session_each(session, b) {
        double got = traffic_window_net(counts, session, b, 0), mean;
        uint32_t n;

        if (b->box->package != package || b->status != ST_OK ||
            (got >= s->mean * (1 - SLICE_SPREAD) && got <= s->mean * (1 + SLICE_SPREAD)))
            continue;
        mean = mean_of_even_others(session, counts, b, &n);
        if (mean > 0 && n > 1) {
            s->mean = mean;
            s->n = n;
            return;
        }
    }
}

static struct slices slices_of(const struct pmon_session *session, const struct traffic_window_counts *counts,
                               uint32_t package)
{
    uint32_t all;
    double mean = mean_of(session, counts, package, -NO_BOUND, &all);
    struct slices s = { .total = mean * all, .mean = mean, .least = CHANNEL_DEAD * mean, .n = all };

    s.idle = slices_may_idle(session->check->machine, package);
    s.unknown = shares_unknown(session, counts, package);
    if (s.idle || s.unknown)
        s.mean = mean_of(session, counts, package, s.least, &s.n);
    else
        leave_out_one(session, counts, package, &s);
    s.excused = s.idle || (s.unknown && s.n > 0 && are_clusters(s.n, all));
    return s;
}

/* below: the code of a slice that counts less than the others. */
static void judge_slice(const struct pmon_session *session, const struct slices *s, double got,
                        const struct pmon_session_box *b, enum finding_code below, const char *what)
{
    struct check *c = session->check;
    bool dies =
        c->machine->srat_present; /* why the shares are unknown: dies_share_node(), or clusters without an SRAT */
    enum finding_kind kind;

    if (got <= s->least && s->excused) {
        check_note(c, "%s: not judged, %s", b->name,
                   s->idle ? "a node of its package may have no memory to read"
                   : dies  ? "dies of its package share a node"
                           : "no SRAT tells which cluster it is of, and whether that has memory to read");
        return;
    }
    if (!s->unknown)
        excludes_one_of(c, "a loss in one slice", got, s->mean, s->n, SLICE_SPREAD, 0);
    if (s->mean <= 0 || check_measure(c, what, pmon_place(b->box), got, "counts", s->mean * (1 - SLICE_SPREAD),
                                      s->mean * (1 + SLICE_SPREAD)))
        return;
    kind = never_counts(got, s->mean) ? FINDING_FORBIDDEN : FINDING_EXPECTED;
    finding(c, s->unknown ? FINDING_UNUSUAL : kind, 0, got < s->mean ? below : FOUND_SLICE_UNEVEN, pmon_place(b->box),
            "%s: %lu, the slices of the package %lu on average%s%s", what, (uint64_t)(got > 0 ? got : 0),
            (uint64_t)s->mean, got < s->least ? ": dead" : "",
            !s->unknown ? ""
            : dies      ? "; dies share a node"
                        : "; no SRAT describes clusters");
}

static double lines_asked(const struct check *c, const struct traffic_window *traffic, uint32_t package)
{
    return (double)traffic_window_bytes(traffic, c, package) / LINE * traffic->passes;
}

static void judge_slices(struct pmon_session *session, const struct traffic_window_counts *counts,
                         const struct traffic_window *traffic)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        struct slices s = slices_of(session, counts, p);

        pmon_session_each(session, b)
            if (b->box->package == p && b->status == ST_OK && lines_asked(c, traffic, p) > 0)
                judge_slice(session, &s, traffic_window_net(counts, session, b, 0), b, FOUND_SLICE_UNEVEN,
                            "look-ups of the slice");
    }
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        uint32_t n;
        double mean = mean_of(session, counts, p, -NO_BOUND, &n), expected = lines_asked(c, traffic, p),
               least = least_lookups(c, traffic->streams[0].bytes);
        if (n == 0 || expected <= 0)
            continue;
        excludes_share(c, "a loss of look-ups", mean * n, least * expected);
        if (!check_measure(c, "look-ups of all slices over lines asked for", place_package(p), mean * n / expected,
                           "ratio", least, NO_BOUND))
            finding(c, never_counts(mean * n, expected) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0,
                    mean * n < 1 ? FOUND_COUNTS_ZERO : FOUND_UNDERCOUNTS, place_package(p),
                    "%lu lines requested, slices count %lu look-ups", (uint64_t)expected, (uint64_t)(mean * n));
    }
}

#define SLICE_PASSES 2u

static enum status count_lookups(struct pmon_session *session, enum work_kind kind,
                                 struct traffic_window_counts *counts, struct traffic_window *traffic)
{
    struct check *c = session->check;

    *traffic = (struct traffic_window){ .kind = kind, .passes = SLICE_PASSES, .warm = true };
    TRY(local_streams(c, traffic, domain_l3_resident_bytes(c, L2_TIMES)));
    if (least_lookups(c, traffic->streams[0].bytes) <= 0)
        return check_absent(c, "streams of %lu bytes may stay in the L2: memory is scarce", traffic->streams[0].bytes);
    pmon_session_each(session, b)
        traffic_window_select(b, 0, "llc_lookup");
    TRY_MEASURE(c, traffic_window_run(session, traffic, counts), traffic->bad_cpu, "the cache stream");
    return ST_OK;
}

/* Reads for ownership and what L2s write back, of the same lines: as even, and how many is documented nowhere. An event
 * of data reads alone counts none. A slice that counted reads and lacks stores is not dead: a code of its own. */
static void judge_stores(struct pmon_session *session, const struct traffic_window_counts *reads,
                         const struct traffic_window_counts *counts, const struct traffic_window *traffic)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double lines = lines_asked(c, traffic, p), read = slices_of(session, reads, p).least;
        struct slices s = slices_of(session, counts, p);

        if (lines <= 0 || s.total < lines / 2)
            continue;
        pmon_session_each(session, b)
            if (b->box->package == p && b->status == ST_OK)
                judge_slice(session, &s, traffic_window_net(counts, session, b, 0), b,
                            traffic_window_net(reads, session, b, 0) > read ? FOUND_UNEVEN : FOUND_SLICE_UNEVEN,
                            "look-ups of the slice for stores");
    }
}

static enum status slices_try_lookups(struct pmon_session *session)
{
    struct traffic_window traffic;
    struct traffic_window_counts reads = { NULL }, stores = { NULL };

    TRY(count_lookups(session, WORK_READ, &reads, &traffic));
    judge_slices(session, &reads, &traffic);
    TRY(count_lookups(session, WORK_WRITE, &stores, &traffic));
    judge_stores(session, &reads, &stores, &traffic);
    return ST_OK;
}

/* --- V7: look-ups by state, and by slice of AMD's L3 --------------------------------------------------------------- */

#define PARTS_SPREAD 0.1 /* the runs are separate: one for all, and one for each */

static const char *lookups_of(const struct pmon_unit *unit)
{
    return unit->kind == PMON_L3 ? "l3_lookup" : "llc_lookup";
}

/* A state of its own, not one that a requester has to be chosen with. */
static bool has_parts(const struct pmon_unit *unit)
{
    if (unit->kind == PMON_L3)
        return unit->layout->control->slices != 0;
    return has_lookups(unit) && unit->events.qualified_ev_sel != pmon_event_named(unit, "llc_lookup")->ev_sel;
}

/* A bit for each state, or slice. States are chosen in the box's filter, from Ice Lake on in the event's umask. */
static uint32_t parts_of(const struct pmon_session_box *b)
{
    const struct pmon_control *control = b->unit->layout->control;
    const struct pmon_named *named = pmon_event_named(b->unit, lookups_of(b->unit));

    if (b->unit->kind != PMON_L3)
        return named->filter0 ? named->filter0 : named->umask;
    return (uint32_t)low_bits(control->all_slices ? BIT(count_bits(control->slices)) : count_bits(control->slices));
}

static void choose_slices(struct pmon_session_box *b, uint32_t slices)
{
    const struct pmon_control *control = b->unit->layout->control;
    uint64_t id = count_bits((slices & (0 - slices)) - 1);

    if (slices == parts_of(b))
        return; /* as an event is set */
    b->ctl[0] = (b->ctl[0] & ~(control->all_slices | control->slices)) |
                field_put(control->slices, control->all_slices ? id : slices);
}

static void choose_parts(struct pmon_session_box *b, uint32_t parts)
{
    const struct pmon_control *control = b->unit->layout->control;

    if (b->unit->kind == PMON_L3)
        choose_slices(b, parts);
    else if (pmon_event_named(b->unit, "llc_lookup")->filter0 != 0)
        b->filter[0] = parts;
    else
        b->ctl[0] = (b->ctl[0] & ~control->umask) | field_put(control->umask, parts);
}

/* Look-ups of packages, and of boxes of the session. */
struct lookups {
    double *packages, *boxes;
};

static bool alloc_lookups(struct check *c, uint32_t boxes, struct lookups *l)
{
    l->packages = check_alloc(c, sizeof *l->packages * c->machine->n_packages);
    l->boxes = check_alloc(c, sizeof *l->boxes * boxes);
    return l->packages && l->boxes;
}

/* Look-ups with these chosen. */
static enum status count_parts(struct pmon_session *session, struct traffic_window *traffic,
                               struct traffic_window_counts *counts, uint32_t parts, struct lookups *sums)
{
    enum status st;

    pmon_session_each(session, b)
        choose_parts(b, parts);
    st = traffic_window_run(session, traffic, counts);
    traffic->warm = false; /* it stays where it is */
    for (uint32_t i = 0; i < session->n && st == ST_OK; i++) {
        double got = traffic_window_net(counts, session, &session->boxes[i], 0);

        sums->packages[session->boxes[i].box->package] += got;
        sums->boxes[i] += got;
    }
    return st;
}

/* No guide of AMD says that the counts of slices sum to that of all: Linux has the fields alone. */
static enum finding_kind kind_of(const struct pmon_session_box *b, double each, double all)
{
    if (b->unit->kind == PMON_L3)
        return FINDING_UNUSUAL;
    return never_counts(each, all) ? FINDING_FORBIDDEN : FINDING_EXPECTED;
}

/* Look-ups a line of the load at least: fewer are what comes and goes beside it, while an L2 holds the load. */
#define SEEN (1.0 / 16)

/* false: no package has look-ups to be judged. From Skylake-SP on a look-up has a state in the cache and one in the snoop
 * filter (public event files: LLC_LOOKUP's states of both in one field), and may be counted for each. */
static bool judge_parts(struct pmon_session *session, const struct traffic_window *traffic, const double *all,
                        const double *each)
{
    struct check *c = session->check;
    double most = (session->boxes[0].unit->events.two_states ? 2 : 1) * (1 + PARTS_SPREAD);
    /* An L3 may have more slices than the field of family 19H has ids. */
    double least = session->boxes[0].unit->layout->control->all_slices ? 0 : 1 - PARTS_SPREAD;
    bool any = false;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double lines = lines_asked(c, traffic, p);

        if (lines == 0 || all[p] < SEEN * lines)
            continue;
        any = true;
        if (least > 0)
            excludes_share(c, "look-ups that no state or slice counts", each[p], all[p] * least);
        else
            excludes(c, "look-ups that several slices count", 100 * (most - each[p] / all[p]), "%");
        if (!check_measure(c, "look-ups of single states or slices over those of all", place_package(p),
                           each[p] / all[p], "ratio", least, most))
            finding(c, kind_of(&session->boxes[0], each[p], all[p]), 0, FOUND_SUM_OFF, place_package(p),
                    "look-ups: %lu with all states or slices selected, %lu with each in turn", (uint64_t)all[p],
                    (uint64_t)each[p]);
        else if (each[p] > all[p] * (1 + PARTS_SPREAD))
            check_note(
                c,
                "package %u: slices count %lu look-ups with all states selected, %lu with each in turn: one may have "
                "a state in the cache and one in the snoop filter",
                p, (uint64_t)all[p], (uint64_t)each[p]);
    }
    return any;
}

/* One box among many moves their sum by little: its states add up to as much of all as those of most boxes of its package,
 * each of which sees its share of the same lines. */
#define PEERS 3u    /* boxes that give a median */
#define FEW   256.0 /* look-ups of a box of which what comes and goes beside the load is no part */

/* 0: too few boxes of its package have look-ups. `ratios` has room for all boxes. */
static double usual_ratio(const struct pmon_session *session, const struct lookups *all, const struct lookups *each,
                          uint32_t package, double *ratios)
{
    size_t n = 0;

    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].box->package == package && session->boxes[i].status == ST_OK && all->boxes[i] >= FEW)
            ratios[n++] = each->boxes[i] / all->boxes[i];
    return n >= PEERS ? stats_median(ratios, n) : 0;
}

static void judge_each_box(struct pmon_session *session, const struct lookups *all, const struct lookups *each,
                           double *ratios)
{
    struct check *c = session->check;

    for (uint32_t i = 0; i < session->n; i++) {
        const struct pmon_session_box *b = &session->boxes[i];
        double usual = usual_ratio(session, all, each, b->box->package, ratios);

        if (b->status != ST_OK || all->boxes[i] < FEW || usual <= 0 ||
            check_measure(c, "look-ups of single states or slices over those of all", pmon_place(b->box),
                          each->boxes[i] / all->boxes[i], "ratio", usual * (1 - SLICE_SPREAD),
                          usual * (1 + SLICE_SPREAD)))
            continue;
        finding(
            c, kind_of(b, each->boxes[i], all->boxes[i]), 0, FOUND_SUM_OFF, pmon_place(b->box),
            "look-ups: %lu with all states or slices selected, %lu with each in turn, in other boxes %lu %% as many",
            (uint64_t)all->boxes[i], (uint64_t)each->boxes[i], (uint64_t)(100 * usual));
    }
}

static enum status slices_try_parts(struct pmon_session *session)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = WORK_READ, .passes = 1, .warm = true };
    struct traffic_window_counts counts = { NULL };
    struct lookups all, each;
    double *ratios = check_alloc(c, sizeof *ratios * session->n);
    uint32_t parts = parts_of(&session->boxes[0]);

    if (!ratios || !alloc_lookups(c, session->n, &all) || !alloc_lookups(c, session->n, &each))
        return check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the look-ups");
    TRY(local_streams(c, &traffic, domain_l3_resident_bytes(c, 2)));
    pmon_session_each(session, b)
        traffic_window_select(b, 0, lookups_of(b->unit));
    TRY_MEASURE(c, count_parts(session, &traffic, &counts, parts, &all), traffic.bad_cpu, "the cache stream");
    for (uint32_t bit = 0; bit < 32; bit++)
        if (parts >> bit & 1)
            TRY_MEASURE(c, count_parts(session, &traffic, &counts, UINT32_C(1) << bit, &each), traffic.bad_cpu,
                        "the cache stream");
    if (!judge_parts(session, &traffic, all.packages, each.packages))
        return check_absent(c, "the slices count no look-ups of streams of %lu bytes, which an L2 may hold",
                            traffic.streams[0].bytes);
    judge_each_box(session, &all, &each, ratios);
    return ST_OK;
}

static enum status slices_ready(struct check *c)
{
    return domain_l3_resident_bytes(c, 2) == 0 ? check_absent(c, "no buffer size fits the L3 but not the L2") : ST_OK;
}

static const struct check_row rows[] = {
    { .id = "traffic.slices",
      .title = "LLC_LOOKUP is spread evenly over the slices",
      .spec = GUIDE_CBO,
      .covers = "V6",
      .detects = "a dead slice, look-ups that are not counted, or those for stores in one slice",
      .ready = slices_ready,
      .sums = true,
      .wanted = has_lookups,
      .run_session = slices_try_lookups },
    { .id = "traffic.states",
      .title = "Look-ups of single states, or of AMD's slices, sum to those of all",
      .spec = GUIDE_CBO " and the box filter's state field; Linux arch/x86/events/amd/uncore.c, sliceid and slicemask",
      .covers = "V7",
      .detects = "a filter or a selection of slices that is ignored or at other bits",
      .slow = true,
      .ready = slices_ready,
      .wanted = has_parts,
      .run_session = slices_try_parts },
};
CHECK_FAMILY(traffic_slices, rows, UNCORE_TRAFFIC_FAMILY, .by_experience = true, .excludes = true, .order = 975);
