/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bytes that a workload is known to move, against what memory channels, cache slices and links count. Witness: the
 * workload, which reads or writes each line of a buffer once; for MBM and the memory channels each other. */
#include "core/base/bits.h"
#include "core/measure/pmon_channels.h"
#include "core/measure/pmon_skew.h"
#include "core/base/text.h"

#define GUIDE_IMC "E5-2600 Uncore Guide 327043-001 2.5 iMC performance monitoring, event CAS_COUNT"
#define GUIDE_CBO "E5-2600 Uncore Guide 327043-001 2.3 CBo performance monitoring, event LLC_LOOKUP"

#define LINE         64.0
#define STREAM_BYTES (8 * MIB)
#define TRIES        3u
#define CAS_SHARE    0.03 /* less than the load: nothing makes channels count less, but for what the background took off */
#define BALANCE      BW_SHARE /* of channels that memory is interleaved over */
#define STRAY        0.05     /* writes during reads only, and reads during writes only */

/* --- memory channels ---------------------------------------------------------------------------------------------- */

/* The traffic, as often as rounds are needed; every channel gets its bytes. */
static enum status run_channels(struct pmon_session *session, struct traffic_window *traffic, struct channel *channels,
                                uint32_t *n)
{
    struct traffic_window_counts counts = { NULL };
    enum status st = ST_OK;

    *n = 0;
    for (uint32_t round = 0; round < CHANNEL_ROUNDS && st == ST_OK; round++) {
        uint32_t first = *n;

        *n = channels_select(session, channels, first, round);
        if (*n == first)
            continue;
        st = traffic_window_run(session, traffic, &counts);
        if (st == ST_OK)
            channels_read(session, &counts, channels + first, *n - first);
    }
    return st;
}

static bool within(double value, double wanted, double slack)
{
    return value >= wanted - slack && value <= wanted + slack;
}

/* What a package may count for `bytes`: less by CAS_SHARE at most, more by T_bw, since RAS features read memory that no
 * core asked for, more of it the more a load reads (Linux d2ec0e8e2d02); and the background either way. */
static void channel_bounds(const struct channel_sums *s, double bytes, double *lo, double *hi)
{
    double both = s->split ? 1 : 2;

    *lo = bytes * (1 - both * CAS_SHARE) - s->background;
    *hi = bytes * (1 + both * BW_SHARE) + s->background;
}

/* Whether a package's channels show traffic of `bytes` in one direction. */
static bool shows(const struct channel_sums *s, bool reads, double bytes)
{
    double went = s->split ? reads ? s->read : s->written : s->both, other = reads ? s->written : s->read, lo, hi;

    channel_bounds(s, bytes, &lo, &hi);
    return went >= lo && went <= hi && (!s->split || other < STRAY * bytes + s->background);
}

static void report_package(struct check *c, const struct channel_sums *s, uint32_t package, bool reads, double bytes)
{
    double went = s->split ? reads ? s->read : s->written : s->both, other = reads ? s->written : s->read;
    double lo, hi;
    const char *what = reads ? "bytes read by CAS" : "bytes written by CAS";
    char where[32];

    text_format(where, sizeof where, "package %u", package);
    if (!traffic_window_stands_out(c, where, s->background, bytes))
        return;
    channel_bounds(s, bytes, &lo, &hi);
    excludes_share(c, reads ? "a loss of reads" : "a loss of writes", bytes, lo);
    if (!measure(c, what, where, went, "bytes", lo, hi))
        (never_counts(went, bytes) ? forbidden : fail)(c, "package %u: %llu bytes %s, memory channels count %llu",
                                                       package, (unsigned long long)bytes, reads ? "read" : "written",
                                                       (unsigned long long)(went > 0 ? went : 0));
    if (s->split && !measure(c, reads ? "bytes written meanwhile" : "bytes read meanwhile", where, other, "bytes",
                             -NO_BOUND, STRAY * bytes + s->background))
        (other > bytes / 2 ? forbidden : fail)(
            c, "package %u: while %llu bytes are only %s, memory channels count %llu bytes in the other direction",
            package, (unsigned long long)bytes, reads ? "read" : "written", (unsigned long long)other);
}

/* V1: by how much the reads and writes of a channel may differ from all: by no line. Where the three are not stopped by one write, by
 * what the channel moved between one and the next. */
static double directions_slack(const struct pmon_session *session, const struct channel *ch)
{
    const struct pmon_session_box *b = &session->boxes[ch->box];

    if (b->unit->layout->box)
        return LINE / 2; /* the background taken off is a mean, no whole number of lines */
    return ch->background + LINE * pmon_skew_lines(session, b);
}

static bool directions_add_up(const struct pmon_session *session, const struct channel *ch)
{
    return ch->all == NO_COUNTER || ch->rd == NO_COUNTER ||
           within(ch->read + ch->written, ch->both, directions_slack(session, ch));
}

static void judge_directions(struct pmon_session *session, const struct channel *ch)
{
    double slack = directions_slack(session, ch), sum = ch->read + ch->written;

    if (directions_add_up(session, ch))
        return;
    measure(session->check, "CAS reads and writes", ch->name, sum, "bytes", ch->both - slack, ch->both + slack);
    forbidden(
        session->check,
        "%s: CAS reads plus writes are %llu bytes, all CAS %llu; background and Assay's own accesses allow %llu bytes "
        "of difference",
        ch->name, (unsigned long long)sum, (unsigned long long)ch->both, (unsigned long long)slack);
}

/* V5, V1: the share of each channel, and its directions. */
static void judge_channels(struct pmon_session *session, const struct channel *channels, uint32_t n,
                           const struct channel_sums *sums)
{
    struct check *c = session->check;

    for (uint32_t i = 0; i < n; i++) {
        const struct channel *ch = &channels[i];
        const struct channel_sums *s = &sums[session->boxes[ch->box].box->package];
        double mean = s->n_live ? s->both / s->n_live : 0, got = channel_bytes(ch);
        double slack = BALANCE * mean + ch->background + (s->n_live ? s->background / s->n_live : 0);

        if (mean <= 0 || s->background > BACKGROUND_MOST * s->both)
            continue;
        excludes_one_of(c, "a loss in one channel", got, mean, s->n_live, BALANCE, slack - BALANCE * mean);
        if (got < CHANNEL_DEAD * mean) {
            measure(c, "bytes of the channel", ch->name, got, "bytes", CHANNEL_DEAD * mean, NO_BOUND);
            warn(c, "%s counts nothing, the other channels %llu bytes each: no memory on it, or dead", ch->name,
                 (unsigned long long)mean);
        } else if (!measure(c, "bytes of the channel", ch->name, got, "bytes", mean - slack, mean + slack)) {
            (never_counts(got, mean) ? forbidden
                                     : fail)(c, "%s counts %llu bytes, the channels of the package %llu on average",
                                             ch->name, (unsigned long long)got, (unsigned long long)mean);
        }
        judge_directions(session, ch);
    }
}

/* D1: a channel that counts has at least one module of SMBIOS's on it. Sub-channels share theirs. */
static void judge_modules(struct pmon_session *session, const struct channel *channels, uint32_t n,
                          const struct channel_sums *sums)
{
    struct check *c = session->check;
    uint32_t modules = c->machine->smbios.n_ddr_dimms, live = 0, last = UINT32_MAX;

    for (uint32_t i = 0; i < n; i++) {
        const struct channel_sums *s = &sums[session->boxes[channels[i].box].box->package];
        bool own = session->boxes[channels[i].box].unit->kind != PMON_IMC || channels[i].box != last;

        if (own && s->n_live && channel_bytes(&channels[i]) > CHANNEL_DEAD * s->both / s->n) {
            live++;
            last = channels[i].box;
        }
    }
    /* None: SMBIOS does not say what kind of memory it is. One a package or node may sum up all that there are. */
    if (modules <= c->machine->n_packages || modules <= c->machine->n_nodes || live == 0)
        return;
    if (!measure(c, "memory channels that count", "", live, "channels", 1, modules))
        warn(c,
             "%u memory channels count, and SMBIOS lists %u modules: a phantom channel, or modules that are not listed",
             live, modules);
}

/* Streams on every package's own memory, all at once, of `bytes` each; 0: as long as a stream of memory should be. */
static enum status local_streams(struct check *c, struct traffic_window *traffic, uint64_t bytes)
{
    tools_reset(c->tools);
    return traffic_window_add_each(traffic, c, bytes ? bytes : traffic_window_stream_bytes(c, 1, STREAM_BYTES));
}

/* Runs the traffic, again with more background windows while the channels do not show it. */
static enum status stream_until_shown(struct pmon_session *session, struct traffic_window *traffic,
                                      struct channel *channels, uint32_t *n, struct channel_sums *sums)
{
    struct check *c = session->check;
    bool shown = false;

    for (uint32_t t = 0; t < TRIES && !shown; t++) {
        enum status st;

        traffic->background_repeats = t * BACKGROUND_REPEATS;
        st = run_channels(session, traffic, channels, n);
        if (st != ST_OK)
            return unmeasured(c, st, traffic->bad_cpu, "the memory stream");
        shown = true;
        for (uint32_t p = 0; p < c->machine->n_packages; p++) {
            sums[p] = (struct channel_sums){ 0 };
            if (traffic_window_bytes(traffic, c, p) > 0)
                sums[p] = channels_sum(session, channels, *n, p);
            shown &= sums[p].n == 0 ||
                     shows(&sums[p], traffic->kind == WORK_READ, (double)traffic_window_bytes(traffic, c, p));
        }
        for (uint32_t i = 0; i < *n; i++)
            shown &= directions_add_up(session, &channels[i]);
    }
    return ST_OK;
}

static enum status stream_channels(struct pmon_session *session, enum work_kind kind, struct channel *channels,
                                   struct channel_sums *sums)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = kind, .passes = 1, .cold = true };
    bool reads = kind == WORK_READ;
    uint32_t n = 0;
    enum status st;

    tools_reset(c->tools);
    st = traffic_window_add_each(&traffic, c, traffic_window_stream_bytes(c, 1, STREAM_BYTES));
    if (st == ST_OK)
        st = stream_until_shown(session, &traffic, channels, &n, sums);
    if (st != ST_OK)
        return st;
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        if (sums[p].n)
            report_package(c, &sums[p], p, reads, (double)traffic_window_bytes(&traffic, c, p));
    judge_channels(session, channels, n, sums);
    if (reads)
        judge_modules(session, channels, n, sums);
    return ST_OK;
}

static enum status channels_try_streams(struct pmon_session *session)
{
    struct check *c = session->check;
    struct channel *channels = check_alloc(c, sizeof *channels * CHANNELS);
    struct channel_sums *sums = check_alloc(c, sizeof *sums * c->machine->n_packages);
    enum status st;

    if (channels == NULL || sums == NULL)
        return unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the memory channels");
    st = stream_channels(session, WORK_READ, channels, sums);
    return st == ST_OK ? stream_channels(session, WORK_NT_WRITE, channels, sums) : st;
}

static enum verdict check_channels(struct check *c)
{
    if (c->machine->n_packages > 1 && c->machine->n_nodes < c->machine->n_packages)
        return skip(c, "SRAT does not say which memory belongs to which package");
    return pmon_session_check(c, channels_wanted, channels_try_streams);
}

/* --- slices ------------------------------------------------------------------------------------------------------- */

#define SLICE_SPREAD  0.25 /* the hash spreads lines evenly, a few per cent off; more is a slice that is not asked */
#define LOOKUPS_LEAST 0.8

static bool has_lookups(const struct pmon_unit *unit)
{
    return unit->kind == PMON_CHA && pmon_event_named(unit, "llc_lookup");
}

/* A buffer that fits the L3 and not the L2. 0: the caches do not allow one. */
static uint64_t resident_bytes(const struct check *c)
{
    uint64_t l2 = 0, l3 = c->machine->n_domains ? c->machine->domains[0].l3_bytes : 0, bytes;

    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 2)
            l2 = c->machine->caches[i].bytes;
    bytes = 2 * l2 < l3 / 2 ? 2 * l2 : 0;
    return ROUND_DOWN(bytes);
}

/* A node without memory has no stream of its own (traffic_window_add_each()), and where a package is cut into clusters
 * its slices then see no look-up: a slice that counts nothing shows no defect there. */
static bool slices_may_idle(const struct machine *m, uint32_t package)
{
    for (uint32_t i = 0; i < m->n_nodes; i++)
        if (m->nodes[i].package == package && m->nodes[i].n_cpus > 0 && m->nodes[i].memory_bytes == 0)
            return true;
    return false;
}

/* Of the slices of a package that count more than `least`. */
static double mean_of(const struct pmon_session *session, const struct traffic_window_counts *counts, uint32_t package,
                      double least, uint32_t *n)
{
    double sum = 0;

    *n = 0;
    for (uint32_t i = 0; i < session->n; i++) {
        double got = traffic_window_net(counts, session, &session->boxes[i], 0);

        if (session->boxes[i].box->package == package && session->boxes[i].status == ST_OK && got > least) {
            sum += got;
            (*n)++;
        }
    }
    return *n ? sum / *n : 0;
}

static void judge_slice(const struct pmon_session *session, const struct traffic_window_counts *counts,
                        const struct pmon_session_box *b)
{
    struct check *c = session->check;
    uint32_t n;
    double got = traffic_window_net(counts, session, b, 0);
    double mean = mean_of(session, counts, b->box->package, -NO_BOUND, &n), least = CHANNEL_DEAD * mean;

    if (slices_may_idle(c->machine, b->box->package)) {
        if (got <= least) {
            note(c, "%s: not judged, a node of its package has no memory to read", b->name);
            return;
        }
        mean = mean_of(session, counts, b->box->package, least, &n);
    }
    excludes_one_of(c, "a loss in one slice", got, mean, n, SLICE_SPREAD, 0);
    if (mean <= 0 || measure(c, "look-ups of the slice", b->name, got, "counts", mean * (1 - SLICE_SPREAD),
                             mean * (1 + SLICE_SPREAD)))
        return;
    (never_counts(got, mean) ? forbidden : fail)(c, "%s: %llu look-ups, the slices of the package %llu on average%s",
                                                 b->name, (unsigned long long)(got > 0 ? got : 0),
                                                 (unsigned long long)mean, got < least ? ": dead" : "");
}

static void judge_slices(struct pmon_session *session, const struct traffic_window_counts *counts,
                         const struct traffic_window *traffic)
{
    struct check *c = session->check;

    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].status == ST_OK && traffic_window_bytes(traffic, c, session->boxes[i].box->package) > 0)
            judge_slice(session, counts, &session->boxes[i]);
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        uint32_t n;
        double mean = mean_of(session, counts, p, -NO_BOUND, &n),
               expected = (double)traffic_window_bytes(traffic, c, p) / LINE * traffic->passes;
        char where[32];

        text_format(where, sizeof where, "package %u", p);
        if (n == 0 || expected <= 0)
            continue;
        excludes_share(c, "a loss of look-ups", mean * n, LOOKUPS_LEAST * expected);
        if (!measure(c, "look-ups of all slices over lines asked for", where, mean * n / expected, "ratio",
                     LOOKUPS_LEAST, NO_BOUND))
            (never_counts(mean * n, expected) ? forbidden
                                              : fail)(c, "package %u: %llu lines requested, slices count %llu look-ups",
                                                      p, (unsigned long long)expected, (unsigned long long)(mean * n));
    }
}

#define SLICE_PASSES 2u

static enum status channels_try_slices(struct pmon_session *session)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = WORK_READ, .passes = SLICE_PASSES, .warm = true };
    struct traffic_window_counts counts = { NULL };
    enum status st = local_streams(c, &traffic, resident_bytes(c));

    if (st != ST_OK)
        return st;
    for (uint32_t i = 0; i < session->n; i++)
        traffic_window_select(&session->boxes[i], 0, "llc_lookup");
    st = traffic_window_run(session, &traffic, &counts);
    if (st != ST_OK)
        return unmeasured(c, st, traffic.bad_cpu, "the cache stream");
    judge_slices(session, &counts, &traffic);
    return ST_OK;
}

static enum verdict check_slices(struct check *c)
{
    if (resident_bytes(c) == 0)
        return skip(c, "no buffer size fits the L3 but not the L2");
    return pmon_session_check(c, has_lookups, channels_try_slices);
}

/* --- V7: look-ups by state ---------------------------------------------------------------------------------------- */

#define STATES_SPREAD 0.1 /* the runs are separate: one for all states, and one for each */

/* States are chosen in the box's filter, from Ice Lake on in the event's umask. */
static bool by_filter(const struct pmon_session_box *b)
{
    return pmon_event_named(b->unit, "llc_lookup")->filter0 != 0;
}

static uint32_t states_of(const struct pmon_session_box *b)
{
    const struct pmon_named *named = pmon_event_named(b->unit, "llc_lookup");

    return named->filter0 ? named->filter0 : named->umask;
}

static void choose_states(struct pmon_session_box *b, uint32_t states)
{
    if (by_filter(b))
        b->filter[0] = states;
    else
        b->ctl[0] = (b->ctl[0] & ~b->unit->layout->control->umask) | field_put(b->unit->layout->control->umask, states);
}

/* Look-ups of each package with these states chosen. */
static enum status count_states(struct pmon_session *session, struct traffic_window *traffic,
                                struct traffic_window_counts *counts, uint32_t states, double *sums)
{
    enum status st;

    for (uint32_t i = 0; i < session->n; i++)
        choose_states(&session->boxes[i], states);
    st = traffic_window_run(session, traffic, counts);
    traffic->warm = false; /* it stays where it is */
    for (uint32_t i = 0; i < session->n && st == ST_OK; i++)
        sums[session->boxes[i].box->package] += traffic_window_net(counts, session, &session->boxes[i], 0);
    return st;
}

static void judge_states(struct check *c, const struct traffic_window *traffic, const double *all, const double *each)
{
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        char where[32];

        text_format(where, sizeof where, "package %u", p);
        if (all[p] > 0 && traffic_window_bytes(traffic, c, p) > 0)
            excludes_share(c, "look-ups that no state counts", each[p], all[p] * (1 - STATES_SPREAD));
        if (all[p] > 0 && traffic_window_bytes(traffic, c, p) > 0 &&
            !measure(c, "look-ups of single states over those of all", where, each[p] / all[p], "ratio",
                     1 - STATES_SPREAD, 1 + STATES_SPREAD))
            (never_counts(each[p], all[p]) ? forbidden : fail)(
                c, "package %u: slices count %llu look-ups with all states selected, %llu with each in turn", p,
                (unsigned long long)all[p], (unsigned long long)each[p]);
    }
}

static enum status channels_try_states(struct pmon_session *session)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = WORK_READ, .passes = 1, .warm = true };
    struct traffic_window_counts counts = { NULL };
    double *all = check_alloc(c, sizeof *all * 2 * c->machine->n_packages), *each;
    uint32_t states = states_of(&session->boxes[0]);
    enum status st;

    if (all == NULL)
        return unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the look-ups");
    each = all + c->machine->n_packages;
    st = local_streams(c, &traffic, resident_bytes(c));
    if (st != ST_OK)
        return st;
    for (uint32_t i = 0; i < session->n; i++)
        traffic_window_select(&session->boxes[i], 0, "llc_lookup");
    st = count_states(session, &traffic, &counts, states, all);
    for (uint32_t bit = 0; bit < 32 && st == ST_OK; bit++)
        if (states >> bit & 1)
            st = count_states(session, &traffic, &counts, UINT32_C(1) << bit, each);
    if (st != ST_OK)
        return unmeasured(c, st, traffic.bad_cpu, "the cache stream");
    judge_states(c, &traffic, all, each);
    return ST_OK;
}

static enum verdict check_states(struct check *c)
{
    if (resident_bytes(c) == 0)
        return skip(c, "no buffer size fits the L3 but not the L2");
    return pmon_session_check(c, has_lookups, channels_try_states);
}

#define MEANS_USUAL "uncore events do not match the traffic"
#define NEXT_USUAL  "`traffic.channels` and `traffic.slices` first; the event's encoding in the evidence"

static const struct check_row rows[] = {
    { .id = "traffic.channels",
      .title = "CAS counts the bytes read and written, evenly over the channels",
      .spec = GUIDE_IMC,
      .rows = "V1 V3 V4 V5 D1",
      .detects = "a lost or phantom channel, counts doubled or swapped, a wrong umask decode",
      .means = "a memory channel counts nothing, too much or something else",
      .next = "the channel in the finding; how memory is populated; `pmon.boxes`",
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .by_experience = true,
      .excludes = true,
      .order = 975,
      .slow = true,
      .run = check_channels },
    { .id = "traffic.slices",
      .title = "LLC_LOOKUP is spread evenly over the slices",
      .spec = GUIDE_CBO,
      .rows = "V6",
      .detects = "a dead slice, look-ups that are not counted",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .by_experience = true,
      .excludes = true,
      .order = 975,
      .run = check_slices },
    { .id = "traffic.states",
      .title = "LLC_LOOKUP of single states sums to that of all states",
      .spec = GUIDE_CBO " and the box filter's state field",
      .rows = "V7",
      .detects = "a filter that is ignored or at other bits",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_UNCORE,
      .by_experience = true,
      .excludes = true,
      .order = 975,
      .slow = true,
      .run = check_states },
};
CHECK_FAMILY(traffic_channels, rows);
