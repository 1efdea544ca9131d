/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bytes that a workload is known to move, against what memory channels count. Witness: the workload, which reads or writes
 * each line of a buffer once, and the channels of a package each other. */
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/boxes/dies.h"
#include "core/domain/cluster.h"
#include "core/uncore/pmon_channels.h"
#include "core/uncore/pmon_skew.h"
#include "core/base/text.h"

#define GUIDE_IMC "E5-2600 Uncore Guide 327043-001 2.5 iMC performance monitoring, event CAS_COUNT"
#define PPR_DF                                                                                                         \
    "AMD PPR family 1AH model 02H C1, 2.1.16.2 Performance Measurement, and tools/perf/pmu-events/arch/x86/amdzen5/"   \
    "data-fabric.json (data beats of 64 bytes between sockets and a DRAM channel); amdzen4, the same by requester"

#define LINE         64.0
#define STREAM_BYTES (8 * MIB)
#define TRIES        3u
#define CAS_SHARE    0.03 /* less than the load: nothing makes channels count less, but for what the background took off */
#define BALANCE      BW_SHARE /* of channels that memory is interleaved over */
#define EVEN         0.03     /* of the others: beyond it a WARN, one line of 16 counted twice is 6 % */
#define FABRIC_NONE  0.01 /* of a load: a fabric that counts no more has other events, and is no finding but a WARN */
#define STRAY        0.05 /* writes during reads only, and reads during writes only */

/* --- memory channels ---------------------------------------------------------------------------------------------- */

/* The traffic, as often as rounds are needed; every channel gets its bytes. */
static enum status run_channels(struct pmon_session *session, struct traffic_window *traffic, struct channel *channels,
                                uint32_t *n)
{
    struct traffic_window_counts counts = { NULL };

    *n = 0;
    for (uint32_t round = 0; round < CHANNEL_ROUNDS; round++) {
        uint32_t first = *n;

        *n = channels_select(session, channels, first, round);
        if (*n == first)
            continue;
        TRY(traffic_window_run(session, traffic, &counts));
        channels_read(session, &counts, channels + first, *n - first);
    }
    return ST_OK;
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

static double bytes_went(const struct channel_sums *s, bool reads)
{
    return s->split ? reads ? s->read : s->written : s->both;
}

static double bytes_off(const struct channel_sums *s, bool reads, double bytes)
{
    return bytes_went(s, reads) > bytes ? bytes_went(s, reads) - bytes : bytes - bytes_went(s, reads);
}

/* Whether a package's channels show traffic of `bytes` in one direction. */
static bool shows(const struct channel_sums *s, bool reads, double bytes)
{
    double went = bytes_went(s, reads), other = reads ? s->written : s->read, lo, hi;

    channel_bounds(s, bytes, &lo, &hi);
    return went >= lo && went <= hi && (!s->split || other < STRAY * bytes + s->background);
}

/* More than was read, on all channels alike: other readers may have come with the load alone, so that no idle window shows
 * them (Linux d2ec0e8e2d02). They write nothing, and take nothing away. */
static bool may_be_others(const struct channel_sums *s, double went, double bytes, bool reads)
{
    return reads && s->even && went > bytes && went - bytes <= BACKGROUND_MOST * bytes;
}

/* A line that is written goes to both channels of a pair where memory is mirrored; it is read from one. */
static bool may_be_mirrored(const struct channel_sums *s, double went, double bytes, bool reads)
{
    return !reads && s->even && went >= 2 * bytes * (1 - CAS_SHARE) && went <= 2 * bytes * (1 + BW_SHARE);
}

/* From E5 v3 on memory holds the directory of other packages' copies: a line that is read may be written back for that
 * (UNC_M2M_DIRECTORY_UPDATE), but no more than once. */
static bool may_be_directory(const struct check *c, double other, double bytes, bool reads)
{
    return reads && c->machine->n_packages > 1 && other <= bytes * (1 + BW_SHARE);
}

static void report_other(struct check *c, const struct channel_sums *s, uint32_t package, bool reads, double bytes)
{
    double other = reads ? s->written : s->read;
    enum finding_kind kind = FINDING_EXPECTED;

    if (!s->split || check_measure(c, reads ? "bytes written meanwhile" : "bytes read meanwhile",
                                   place_package(package), other, "bytes", -NO_BOUND, STRAY * bytes + s->background))
        return;
    if ((may_be_directory(c, other, bytes, reads) && !never_counts(s->read, bytes)))
        kind = FINDING_UNUSUAL;
    else if (other > bytes / 2)
        kind = FINDING_FORBIDDEN;
    else if (!reads && other <= BACKGROUND_MOST * bytes)
        kind = FINDING_UNUSUAL;
    finding(c, kind, 0, FOUND_OTHER_DIRECTION, place_package(package),
            "while %lu bytes are only %s, memory channels count %lu bytes in the other direction", (uint64_t)bytes,
            reads ? "read" : "written", (uint64_t)other);
}

/* Whether the channels are those that the data fabric counts, and not the memory controllers'. */
static bool of_fabric(const struct pmon_session *session)
{
    return session->n > 0 && channels_again_wanted(session->boxes[0].unit);
}

static void report_package(struct pmon_session *session, const struct channel_sums *s, uint32_t package, bool reads,
                           double bytes)
{
    struct check *c = session->check;
    double went = bytes_went(s, reads), lo, hi;
    bool fabric = of_fabric(session), has_other_events = fabric && went < FABRIC_NONE * bytes;
    char what[48];

    text_format(what, sizeof what, "bytes %s by %s", reads ? "read" : "written", fabric ? "data beats" : "CAS");
    if (!traffic_window_stands_out(c, place_package(package), s->background, bytes))
        return;
    channel_bounds(s, bytes, &lo, &hi);
    excludes_share(c, reads ? "a loss of reads" : "a loss of writes", bytes, lo);
    if (!check_measure(c, what, place_package(package), went, "bytes", lo, hi))
        finding(c,
                may_be_mirrored(s, went, bytes, reads) || has_other_events ? FINDING_UNUSUAL
                : never_counts(went, bytes)                                ? FINDING_FORBIDDEN
                : may_be_others(s, went, bytes, reads)                     ? FINDING_UNUSUAL
                                                                           : FINDING_EXPECTED,
                0,
                fabric  ? FOUND_MONITORS_DISAGREE
                : reads ? FOUND_MEMORY_READS_OFF
                        : FOUND_MEMORY_WRITES_OFF,
                place_package(package), "%lu bytes %s, %s count %lu", (uint64_t)bytes, reads ? "read" : "written",
                fabric ? "the data fabric's channels" : "memory channels", (uint64_t)(went > 0 ? went : 0));
    report_other(c, s, package, reads, bytes);
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
    check_measure(session->check, "CAS reads and writes", ch->place, sum, "bytes", ch->both - slack, ch->both + slack);
    finding(session->check, FINDING_FORBIDDEN, 0, FOUND_SUM_OFF, ch->place,
            "CAS reads plus writes are %lu bytes, all CAS %lu; background and Assay's own accesses allow %lu bytes "
            "of difference",
            (uint64_t)sum, (uint64_t)ch->both, (uint64_t)slack);
}

/* --- one channel against the others */

struct odd_channel {
    const struct channel *ch; /* NULL: fewer than two count            */
    double got, others;       /* bytes; of the others the mean          */
    double slack, off;        /* background; how far apart they are beyond that, over others */
};

static bool is_live(const struct pmon_session *session, const struct channel *ch, const struct channel_sums *s,
                    uint32_t package)
{
    return session->boxes[ch->box].box->package == package && channel_bytes(ch) > CHANNEL_DEAD * s->both / s->n;
}

static double bytes_of_load(const struct channel *ch, const struct channel_sums *s, bool reads)
{
    return !s->split ? channel_bytes(ch) : reads ? ch->read : ch->written;
}

/* What the load moved over one of a package's channels; sum: over all of them. */
static struct odd_channel compare_channel(const struct pmon_session *session, const struct channel *ch,
                                          const struct channel_sums *s, double sum, bool reads)
{
    struct odd_channel one = { .ch = ch, .got = bytes_of_load(ch, s, reads) };
    double apart;

    one.others = (sum - one.got) / (s->n_live - 1);
    one.slack =
        ch->background + s->background / s->n_live + LINE * (1 + pmon_skew_lines(session, &session->boxes[ch->box]));
    apart = stats_distance(one.got, one.others);
    one.off = one.others > 0 ? (apart - one.slack) / one.others : 0;
    return one;
}

static double bytes_of_all(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                           const struct channel_sums *s, uint32_t package, bool reads)
{
    return SUM_OF(double, i, n, is_live(session, &channels[i], s, package) ? bytes_of_load(&channels[i], s, reads) : 0);
}

/* Is no channel of the package farther from the others than a load that is interleaved over all of them brings it? */
static bool is_even(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                    const struct channel_sums *s, uint32_t package, bool reads)
{
    double sum = bytes_of_all(session, channels, n, s, package, reads);

    for (uint32_t i = 0; i < n && s->n_live > 1; i++)
        if (is_live(session, &channels[i], s, package) &&
            compare_channel(session, &channels[i], s, sum, reads).off > EVEN)
            return false;
    return true;
}

/* A channel so far from the others has not lost or doubled accesses of its own: the sum would be off by as much, and is by less
 * than half of that. Its memory is more or less than theirs, or the load's region is. */
static bool is_population(const struct channel_sums *s, double apart)
{
    return s->off + s->background < apart / 2;
}

static void warn_of_odd(struct check *c, const struct odd_channel *odd, bool reads)
{
    double ratio = odd->got / odd->others;
    unsigned thousandths = (unsigned)(1000 * (ratio < 1 ? 1 - ratio : ratio - 1) + 0.5);

    finding(c, FINDING_UNUSUAL, 0, FOUND_CHANNEL_UNEVEN, odd->ch->place,
            "counts %lu bytes %s, %u.%u %% %s than the other channels of its package on average: part of its accesses "
            "is lost or counted twice, or memory is not interleaved evenly",
            (uint64_t)(odd->got > 0 ? odd->got : 0), reads ? "read" : "written", thousandths / 10, thousandths % 10,
            ratio < 1 ? "less" : "more");
}

/* Of two channels each is as far from their median as the other. Where they are apart, the one that has its half of the load
 * is right. */
static double median_of_two(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                            const struct channel_sums *s, uint32_t package)
{
    double slack = BALANCE * s->share + s->background;
    uint32_t right = 0;

    for (uint32_t i = 0; i < n && s->share > 0; i++)
        right += is_live(session, &channels[i], s, package) &&
                 stats_distance(channel_bytes(&channels[i]), s->share) <= slack &&
                 2 * stats_distance(channel_bytes(&channels[i]), s->median) > slack;
    return right == 1 ? s->share : s->median;
}

static bool is_odder(const struct channel_sums *s, const struct odd_channel *a, const struct odd_channel *b)
{
    if (b->ch == NULL || s->share <= 0)
        return b->ch == NULL || a->off > b->off;
    return stats_distance(channel_bytes(a->ch), s->share) > stats_distance(channel_bytes(b->ch), s->share);
}

/* Within T_bw of the mean, but not as near to the others as in is_even(): of such channels the farthest is named. */
static void judge_even(struct pmon_session *session, const struct channel *channels, uint32_t n,
                       const struct channel_sums *s, uint32_t package, bool reads)
{
    struct check *c = session->check;
    struct odd_channel odd = { .ch = NULL };
    bool any = false;
    double sum = bytes_of_all(session, channels, n, s, package, reads);

    for (uint32_t i = 0; i < n && s->n_live > 1; i++) {
        struct odd_channel one;
        double slack;
        bool is_off;

        if (!is_live(session, &channels[i], s, package))
            continue;
        one = compare_channel(session, &channels[i], s, sum, reads);
        if (!s->evenly && is_population(s, one.off * one.others))
            continue;
        excludes_share(c, "a loss in one channel", one.got, one.others * (1 - EVEN) - one.slack);
        slack = one.others > 0 ? EVEN + one.slack / one.others : 0;
        is_off = one.others > 0 && !check_measure(c, "bytes of the channel over those of the others", one.ch->place,
                                                  one.got / one.others, "ratio", 1 - slack, 1 + slack);
        any |= is_off;
        if ((is_off || s->share > 0) && is_odder(s, &one, &odd))
            odd = one;
    }
    if (any)
        warn_of_odd(c, &odd, reads);
}

/* Channels that count. Sub-channels share their modules, and may have been counted in windows of their own. */
static uint32_t live_channels(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                              const struct channel_sums *sums)
{
    uint32_t live = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct pmon_session_box *box = &session->boxes[channels[i].box];
        const struct channel_sums *s = &sums[box->box->package];
        bool first = s->n_live && is_live(session, &channels[i], s, box->box->package);

        for (uint32_t j = 0; j < i && first && box->unit->kind == PMON_IMC; j++)
            first = channels[j].box != channels[i].box || !is_live(session, &channels[j], s, box->box->package);
        live += first;
    }
    return live;
}

/* Whether memory is interleaved evenly over the channels that count: modules of one size, as many on each. Else a region
 * lies on some of them alone, and which it is a stream does not know. */
static bool interleaved_evenly(const struct check *c, uint32_t live)
{
    const struct smbios_info *smbios = &c->machine->smbios;

    return live > 0 && smbios->n_ddr_dimms > 0 && smbios->ddr_least == smbios->ddr_most &&
           smbios->n_ddr_dimms % live == 0;
}

/* The share of a channel that counts. */
static void judge_share(struct check *c, const struct channel *ch, const struct channel_sums *s, bool reads)
{
    double median = s->median, got = channel_bytes(ch), apart = stats_distance(got, median);
    double slack = BALANCE * median + ch->background + (s->n_live ? s->background / s->n_live : 0);
    /* Other readers may all be on one channel. */
    bool others = reads && got > median && apart <= BW_SHARE * s->both, population = is_population(s, apart);

    if (apart > slack && population && !s->evenly) {
        check_note(
            c, "channels do not have the same memory: one counts %lu bytes, %lu are the median, and the sum is right",
            (uint64_t)got, (uint64_t)median);
        return;
    }
    if (!check_measure(c, "bytes of the channel", ch->place, got, "bytes", median - slack, median + slack))
        finding(c,
                !s->evenly || population    ? FINDING_UNUSUAL
                : never_counts(got, median) ? FINDING_FORBIDDEN
                : others                    ? FINDING_UNUSUAL
                                            : FINDING_EXPECTED,
                0, FOUND_CHANNEL_OFF_MEDIAN, ch->place,
                "counts %lu bytes, the channels of the package %lu in the median%s", (uint64_t)got, (uint64_t)median,
                population  ? "; the sum is right: not interleaved evenly, or another channel has them"
                : s->evenly ? ""
                            : " (SMBIOS does not show modules of one size, as many on each)");
}

/* One that counts nothing. With all of the load on others, a fabric has events of channels that the machine lacks, and
 * without an SRAT a channel may be another cluster's. false: nothing else is judged of it. */
static bool judge_silent(struct pmon_session *session, const struct channel *ch, const struct channel_sums *s,
                         double got)
{
    struct check *c = session->check;
    char name[PLACE_TEXT];

    if (s->shown && of_fabric(session))
        return false;
    if (s->shown && !c->machine->srat_present && cluster_is_possible(c->machine)) {
        place_text(&ch->place, name, sizeof name);
        check_note(c,
                   "%s: counts nothing, and the others all of the load: without an SRAT it may be of another cluster",
                   name);
        return false;
    }
    check_measure(c, "bytes of the channel", ch->place, got, "bytes", CHANNEL_DEAD * s->median, NO_BOUND);
    finding(c, FINDING_UNUSUAL, 0, FOUND_CHANNEL_DEAD, ch->place,
            "counts nothing, the other channels %lu bytes each: no memory on it, or dead", (uint64_t)s->median);
    return true;
}

/* V5, V1: the share of each channel, and its directions. Held to the median: one channel that counts twice would lift
 * the mean of eight by an eighth, and the seven that are right would be off. */
static void judge_channels(struct pmon_session *session, const struct channel *channels, uint32_t n,
                           const struct channel_sums *sums, bool reads)
{
    EACH(const struct channel, ch, channels, n) {
        const struct channel_sums *s = &sums[session->boxes[ch->box].box->package];
        double median = s->median, got = channel_bytes(ch);

        if (median <= 0 || s->background > BACKGROUND_MOST * s->both)
            continue;
        if (got >= CHANNEL_DEAD * median)
            judge_share(session->check, ch, s, reads);
        else if (!judge_silent(session, ch, s, got))
            continue;
        judge_directions(session, ch);
    }
}

static bool modules_alone(const struct pmon_session *session, const struct channel *channels, uint32_t n)
{
    return !ANY_OF(i, n, session->boxes[channels[i].box].unit->in_package);
}

/* D1: a channel that counts has at least one module of SMBIOS's on it. */
static void judge_modules(struct pmon_session *session, const struct channel *channels, uint32_t n,
                          const struct channel_sums *sums)
{
    struct check *c = session->check;
    uint32_t modules = c->machine->smbios.n_ddr_dimms, live = live_channels(session, channels, n, sums);

    /* None: SMBIOS does not say what kind of memory it is. One a package or node may sum up all that there are. */
    if (modules <= c->machine->n_packages || modules <= c->machine->n_nodes || live == 0 ||
        !modules_alone(session, channels, n))
        return;
    if (!check_measure(c, "memory channels that count", PLACE_NONE, live, "channels", 1, modules))
        finding(
            c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
            "%u memory channels count, and SMBIOS lists %u modules: a phantom channel, or modules that are not listed",
            live, modules);
}

/* Where each die has channels of its own, those of a die without a stream have nothing to count: a node without memory, or no
 * processor that takes work. */
static bool die_has_stream(const struct check *c, const struct traffic_window *traffic, const struct pmon_box *box)
{
    const struct pmon_part *part = c->tools->pmon.part;
    uint32_t worker = dies_worker(part, c->platform, c->machine, box->package, box->die);

    if (!part->by_die)
        return true;
    for (uint32_t i = 0; i < traffic->n && worker != UINT32_MAX; i++) {
        const struct cpu *cpu = &c->machine->cpus[traffic->streams[i].cpu];

        if (cpu->package == box->package && cpu->place.die == c->machine->cpus[worker].place.die)
            return true;
    }
    return false;
}

static uint32_t keep_loaded_dies(struct pmon_session *session, const struct traffic_window *traffic,
                                 struct channel *channels, uint32_t n, bool say)
{
    struct check *c = session->check;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct pmon_box *box = session->boxes[channels[i].box].box;
        char name[PLACE_TEXT];

        if (die_has_stream(c, traffic, box))
            channels[kept++] = channels[i];
        if (say && !die_has_stream(c, traffic, box)) {
            place_text(&channels[i].place, name, sizeof name);
            check_note(c, "%s: not judged, its die has no memory or no processor that takes work", name);
        }
    }
    return kept;
}

/* Runs the traffic, again with more background windows while the channels do not show it. */
static enum status stream_until_shown(struct pmon_session *session, struct traffic_window *traffic,
                                      struct channel *channels, uint32_t *n, struct channel_sums *sums)
{
    struct check *c = session->check;
    bool shown = false, reads = traffic->kind == WORK_READ;

    for (uint32_t t = 0; t < TRIES && !shown; t++) {
        traffic->background_repeats = t * BACKGROUND_REPEATS;
        TRY_MEASURE(c, run_channels(session, traffic, channels, n), traffic->bad_cpu, "the memory stream");
        *n = keep_loaded_dies(session, traffic, channels, *n, t == 0 && reads);
        *n = channels_keep_used(session, channels, *n, t == 0 && reads);
        shown = true;
        for (uint32_t p = 0; p < c->machine->n_packages; p++) {
            sums[p] = (struct channel_sums){ 0 };
            if (traffic_window_bytes(traffic, c, p) > 0)
                sums[p] = channels_sum(session, channels, *n, p);
            if (sums[p].n == 0)
                continue;
            sums[p].share = sums[p].n_live == 2 ? (double)traffic_window_bytes(traffic, c, p) / 2 : 0;
            sums[p].median = median_of_two(session, channels, *n, &sums[p], p);
            sums[p].off = bytes_off(&sums[p], reads, (double)traffic_window_bytes(traffic, c, p));
            sums[p].even = is_even(session, channels, *n, &sums[p], p, reads);
            sums[p].shown = shows(&sums[p], reads, (double)traffic_window_bytes(traffic, c, p));
            shown &= sums[p].even && sums[p].shown;
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
    bool reads = kind == WORK_READ, evenly;
    uint32_t n = 0;

    tools_reset(c->tools);
    TRY(traffic_window_add_each(&traffic, c, traffic_window_stream_bytes(c, 1, STREAM_BYTES)));
    TRY(stream_until_shown(session, &traffic, channels, &n, sums));
    evenly = interleaved_evenly(c, live_channels(session, channels, n, sums));
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        sums[p].evenly = evenly;
        if (sums[p].n)
            report_package(session, &sums[p], p, reads, (double)traffic_window_bytes(&traffic, c, p));
    }
    judge_channels(session, channels, n, sums, reads);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        if (sums[p].n && sums[p].background <= BACKGROUND_MOST * sums[p].both)
            judge_even(session, channels, n, &sums[p], p, reads);
    if (reads)
        judge_modules(session, channels, n, sums);
    return n ? ST_OK : check_absent(c, "no memory channel counts what is known beforehand");
}

static enum status channels_try_streams(struct pmon_session *session)
{
    struct check *c = session->check;
    struct channel *channels;
    struct channel_sums *sums;

    TRY_ALLOC(c, channels, CHANNELS, "the memory channels");
    TRY_ALLOC(c, sums, c->machine->n_packages, "the memory channels");
    TRY(stream_channels(session, WORK_READ, channels, sums));
    return stream_channels(session, WORK_NT_WRITE, channels, sums);
}

/* --- channels as the data fabric counts them ---------------------------------------------------------------------- */

static uint32_t memory_controllers(const struct check *c, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    return HOW_MANY(i, pmon->n_boxes, pmon->boxes[i].unit->kind == PMON_UMC && pmon->boxes[i].package == package);
}

/* A load is the fabric's to count where its events cover the package's channels, and its counters the events. */
static enum status fabric_try_streams(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        uint32_t wanted = channels_counters(b->unit), umcs = memory_controllers(session->check, b->box->package);

        if (pmon_session_programmable(b) < wanted)
            return check_absent(session->check, "%s: %u counters, and the channels' events take %u at once", b->name,
                                pmon_session_programmable(b), wanted);
        if (umcs > b->unit->events.n_channels)
            return check_absent(session->check, "%s: events of %u channels, and the package has %u", b->name,
                                b->unit->events.n_channels, umcs);
    }
    return channels_try_streams(session);
}

static const struct check_row rows[] = {
    { .id = "traffic.channels",
      .title = "CAS counts the bytes read and written, evenly over the channels",
      .spec = GUIDE_IMC,
      .covers = "V1 V3 V4 V5 D1",
      .detects = "a lost or phantom channel, counts doubled or swapped, a wrong umask decode",
      .means = "a memory channel counts nothing, too much or something else",
      .next = "the channel in the finding; how memory is populated; `pmon.boxes`",
      .order = 975,
      .ready = traffic_window_homes_known,
      .sums = true,
      .wanted = channels_wanted,
      .run_session = channels_try_streams },
    { .id = "traffic.fabric",
      .title = "The data fabric counts the bytes read and written, evenly over its channels",
      .spec = PPR_DF,
      .covers = "V3 V4 V5",
      .detects = "a channel of the fabric that is dead or counts twice, reads taken for writes",
      .means = "the data fabric counts other traffic of a memory channel than went over it",
      .next = "the channel in the finding; `traffic.channels`, which has the same lines from the memory controllers",
      .order = 976,
      .ready = traffic_window_homes_known,
      .sums = true,
      .wanted = channels_again_wanted,
      .run_session = fabric_try_streams },
};
CHECK_FAMILY(traffic_channels, rows, .needs = NEED_PMON, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_UNCORE,
             .by_experience = true, .excludes = true, .slow = true);
