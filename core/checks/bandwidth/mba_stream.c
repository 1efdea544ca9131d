/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/bandwidth/mba_stream.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/stats.h"
#include "core/experiment/mbm_counts.h"
#include "core/experiment/monitor.h"
#include "core/load/tracked.h"

#define CORES_MOST      4u /* that are measured in several rounds */
#define STREAM_LEAST    (4 * MIB)
#define STREAM_LIMITED  MIB /* where loads are limited */
#define STREAM_MOST     (UINT64_C(1) << 30)
#define STREAMS_MOST    16u /* of one setting in one round */
#define CONTROL_STREAMS 8u
#define SETTLE_TRIES    4u /* of them that have not settled, before one is taken as it is */
#define FIRST_BYTES     UINT64_C(4096)
#define CACHED_BYTES    UINT64_C(16384) /* fits every L1 */
#define CACHED_TIMES    256u

/* --- who, where and how long --- */

static double work_seconds(const struct check *c, const struct work *w)
{
    return w->tsc_end > w->tsc_begin ? (double)(w->tsc_end - w->tsc_begin) / (double)c->platform->tsc_hz : 0;
}

/* Bytes a second of one read, under the RMID and in the class that the processor is found with. */
static enum status read_rate(struct check *c, uint32_t cpu, uint64_t base, uint64_t bytes, uint32_t passes,
                             double *rate)
{
    struct traffic_part part = part_read(0, base, bytes);
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    uint32_t bad_cpu = cpu;

    part.work.passes = passes;
    TRY_MEASURE(c, traffic_run(c->platform, &load, 1, NULL, NULL, &bad_cpu), bad_cpu, "the workload");
    *rate = work_seconds(c, &part.work) > 0 ? (double)(bytes * passes) / work_seconds(c, &part.work) : 0;
    return ST_OK;
}

#define LONGER 1.1 /* than what is judged, so that a stream a little slower than the last one is long enough */

/* Twice as much as MBA_JUDGED_MS moves at this rate, since half is dropped; of at most `most` bytes. */
static uint64_t bytes_at(double rate, uint64_t most)
{
    uint64_t wanted = ROUND_DOWN((uint64_t)(LONGER * rate * 2 * MBA_JUDGED_MS / 1000));

    wanted = wanted > STREAM_LEAST ? wanted : STREAM_LEAST;
    return wanted < most ? wanted : most;
}

/* As long as what is judged without a throttle, as far as one piece of memory goes. */
static enum status stream_size(struct check *c, uint32_t cpu, uint64_t *bytes)
{
    uint64_t base = 0, room;
    double rate = 0;

    *bytes = STREAM_LIMITED;
    if (c->platform->load_limit)
        return ST_OK;
    TRY(memory_scatter_any(c, cpu, STREAM_LEAST, &base));
    TRY(read_rate(c, cpu, base, STREAM_LEAST, 1, &rate));
    room = ROUND_DOWN(memory_left_any(c, cpu));
    room = room > STREAM_LEAST ? room : STREAM_LEAST;
    *bytes = bytes_at(rate, room < STREAM_MOST ? room : STREAM_MOST);
    return ST_OK;
}

enum status mba_stream_init(struct check *c, uint32_t domain, uint32_t cpu, struct mba_stream *s)
{
    *s = (struct mba_stream){ 0 };
    if (domain_rmids(c, domain, &s->rmid, 1) < 1 || domain_cpus(c, domain, s->cpus, 1) == 0)
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    s->cpus[0] = cpu == ANY_CPU ? s->cpus[0] : cpu;
    s->cpus[1] = domain_other_core(c, domain, s->cpus[0]);
    TRY(stream_size(c, s->cpus[0], &s->bytes));
    /* Of any node where its own has none: a throttle stands between a core and all memory (RDT specification 3.2), and
     * monitors and limits of an L3 are of what leaves it for any node. */
    TRY(memory_scatter_any(c, s->cpus[0], s->bytes, &s->base));
    TRY(read_rate(c, s->cpus[0], s->base, CACHED_BYTES, CACHED_TIMES, &s->cached));
    return tracked_bring(c, s->cpus[0], s->rmid, QM_EVENT_L3_TOTAL);
}

/* --- one stream --- */

enum status mba_pieces_rate(const double pieces[MBA_PIECES], double *rate, bool *settled)
{
    double half[MBA_PIECES / 2], third, fourth;

    for (uint32_t i = 0; i < MBA_PIECES / 2; i++) {
        half[i] = pieces[MBA_PIECES / 2 + i];
        if (half[i] <= 0)
            return ST_RANGE;
    }
    third = stats_median(half, MBA_PIECES / 4);
    fourth = stats_median(half + MBA_PIECES / 4, MBA_PIECES / 4);
    *settled = third <= fourth * (1 + BW_SHARE) && fourth <= third * (1 + BW_SHARE);
    *rate = stats_median(half, MBA_PIECES / 2);
    return ST_OK;
}

/* Whole pages of a stream, a piece of it: a throttled one is as long as an unthrottled one, not as large. */
static uint64_t piece_of(const struct mba_stream *s)
{
    uint64_t least = s->bytes < STREAM_LEAST ? s->bytes : STREAM_LEAST;

    return ROUND_DOWN((s->rate > 0 ? bytes_at(s->rate, s->bytes) : least) / MBA_PIECES);
}

/* The pieces as parts after a first page and a pause, all in the stream's class: what delays a processor may notice its
 * class with the first line that it asks for. */
void mba_stream_parts(const struct check *c, const struct mba_stream *s, struct traffic_part parts[MBA_PARTS])
{
    uint64_t piece = piece_of(s);

    parts[0] = part_read(s->rmid, s->base, FIRST_BYTES); /* which the first piece finds in the caches */
    parts[0].pause_ticks = c->platform->tsc_hz / 1000 * MBA_REACTION_MS;
    for (uint32_t i = 0; i < MBA_PIECES; i++)
        parts[1 + i] = part_read(s->rmid, s->base + i * piece, piece);
    for (uint32_t i = 0; i < MBA_PARTS; i++)
        parts[i].clos = s->clos;
}

enum status mba_parts_rate(const struct check *c, const struct mba_stream *s,
                           const struct traffic_part parts[MBA_PARTS], double *rate, bool *settled, double *seconds)
{
    double pieces[MBA_PIECES];

    for (uint32_t i = 0; i < MBA_PIECES; i++) {
        double took = work_seconds(c, &parts[1 + i].work);

        pieces[i] = took > 0 ? (double)piece_of(s) / took : 0;
        *seconds += i < MBA_PIECES / 2 ? 0 : took;
    }
    return mba_pieces_rate(pieces, rate, settled);
}

/* Windows that were disturbed have moved their bytes as well, but for those before the first that was not. */
static void add_up(struct mba_stream *s, const struct experiment *e, const struct reading *r)
{
    uint32_t windows = 1 + (s->counted ? e->disturbed : 0);

    s->first = s->counted ? s->first : r->before.counts;
    s->last = r->after.counts;
    s->moved += (double)piece_of(s) * MBA_PIECES * windows;
    s->counted = true;
}

/* *rate: bytes/s of the first processor. *seconds: of the pieces that it is of. */
static enum status one_stream(struct check *c, uint32_t domain, struct mba_stream *s, double *rate, bool *settled,
                              double *seconds)
{
    struct traffic_part parts[MBA_PARTS];
    struct traffic_load load = {
        .cpu = s->cpus[0], .n_parts = MBA_PARTS, .parts = parts, .associated = s->class_first
    };
    struct reading r = reading_of("total bytes", domain, s->rmid, QM_EVENT_L3_TOTAL);
    struct experiment e = {
        .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1, .flags = EXPERIMENT_ONCE
    };

    mba_stream_parts(c, s, parts);
    TRY(experiment_measure(&e));
    add_up(s, &e, &r);
    TRY_MEASURE(c, mba_parts_rate(c, s, parts, rate, settled, seconds), s->cpus[0], "the TSC ticks of a stream");
    return ST_OK;
}

/* s->rate of a setting that has had no stream. */
static enum status first_rate(struct check *c, uint32_t domain, struct mba_stream *s)
{
    bool settled = false;
    double seconds = 0, rate = 0;
    enum status st = one_stream(c, domain, s, &rate, &settled, &seconds);

    s->rate = rate;
    return st;
}

/* Streams of one setting, until they are settled and long enough. */
static enum status stream_rate(struct check *c, uint32_t domain, struct mba_stream *s, double *rate)
{
    double wanted = c->platform->load_limit || s->brief ? 0 : (double)MBA_JUDGED_MS / 1000, judged = 0;
    double rates[STREAMS_MOST];
    uint32_t n = 0, tries = 0;
    enum status st = wanted > 0 && s->rate <= 0 ? first_rate(c, domain, s) : ST_OK;

    while (n < STREAMS_MOST && st == ST_OK && (n == 0 || judged < wanted)) {
        bool settled = false;
        double seconds = 0;

        st = one_stream(c, domain, s, &rates[n], &settled, &seconds);
        if (!settled && ++tries < SETTLE_TRIES)
            continue;
        s->unsettled |= !settled;
        judged += seconds;
        n++;
    }
    TRY(st);
    *rate = stats_median(rates, n);
    return ST_OK;
}

/* Processors from `first` on, of those that have a class meanwhile, are in it until leave_classes(). */
static enum status enter_classes(struct check *c, const struct mba_stream *s, uint32_t first, uint64_t found[2])
{
    for (uint32_t i = first; i < (s->with_other ? 2u : 1u); i++)
        TRY_MEASURE(c,
                    traffic_associate(c->platform, s->cpus[i], i ? 0 : s->rmid, i ? s->other_clos : s->clos, &found[i]),
                    s->cpus[i], "IA32_PQR_ASSOC");
    return ST_OK;
}

static enum status leave_classes(struct check *c, const struct mba_stream *s, uint32_t first, const uint64_t found[2])
{
    enum status st = ST_OK;

    for (uint32_t i = first; i < (s->with_other ? 2u : 1u); i++) {
        enum status back = msr_write(c->platform, s->cpus[i], IA32_PQR_ASSOC, found[i]);

        if (back != ST_OK)
            st = check_unmeasured(c, back, s->cpus[i], "IA32_PQR_ASSOC");
    }
    return st;
}

/* The second processor is in its class while the first streams. */
static enum status with_other(struct check *c, uint32_t domain, struct mba_stream *s, double *rate)
{
    uint32_t first = s->class_first ? 2 : 1;
    uint64_t found[2] = { 0 };
    enum status st;

    TRY(enter_classes(c, s, first, found));
    st = stream_rate(c, domain, s, rate);
    return status_first(st, leave_classes(c, s, first, found));
}

/* --- several settings --- */

/* The table is recorded, and the processors are in their classes where they get them first. */
static enum status begin_settings(struct check *c, const struct alloc_table *t, const struct mba_stream *s,
                                  uint64_t found[2])
{
    TRY(alloc_record_table(c, t));
    return s->class_first ? enter_classes(c, s, 0, found) : ST_OK;
}

static enum status end_settings(struct check *c, const struct alloc_table *t, const struct mba_stream *s,
                                const uint64_t found[2])
{
    enum status st = s->class_first ? leave_classes(c, s, 0, found) : ST_OK;

    return status_first(st, alloc_put_back_table(c, t));
}

struct mba_settings {
    struct check *check;
    uint32_t domain;
    struct mba_stream *stream;
    const struct alloc_table *table;
    const struct mba_setting *settings;
    double known[RATES_SETTINGS]; /* the rate of each, 0: not known yet */
};

/* rates_measure_one */
static enum status rate_with(void *context, uint32_t i, double *rate)
{
    struct mba_settings *m = context;
    const struct mba_setting *set = &m->settings[i];
    enum status st = ST_OK;

    if (set->own != MBA_UNCHANGED)
        st = alloc_write(m->check, m->table, m->stream->clos, set->own);
    if (st == ST_OK && set->other != MBA_UNCHANGED)
        st = alloc_write(m->check, m->table, m->stream->other_clos, set->other);
    m->stream->rate = m->known[i];
    if (st == ST_OK)
        st = with_other(m->check, m->domain, m->stream, rate);
    if (st == ST_OK)
        m->known[i] = *rate;
    return st;
}

static double counted_bytes(const struct check *c, uint32_t domain, const struct mba_stream *s)
{
    return qm_moved_bytes(&c->tools->qm[domain], s->first, s->last);
}

/* What MBM counted of all streams, over what they moved. It is read again after a while where some is missing. */
static enum status counted_share(struct check *c, uint32_t domain, struct mba_stream *s, double *share)
{
    enum status st;

    for (uint32_t step = 0; counted_bytes(c, domain, s) < s->moved * (1 - BW_SHARE) && domain_settle_wait(c, step);
         step++) {
        struct qm_domain *qm = domain_qm(c, domain);
        struct qm_sample now;

        if (qm == NULL || qm_read(c->platform, qm, s->rmid, QM_EVENT_L3_TOTAL, &now) != ST_OK)
            return check_unmeasured(c, ST_LOST, s->cpus[0], "IA32_QM_CTR");
        s->last = now.counts;
    }
    st = mbm_moved(c, &c->tools->qm[domain], s->rmid, s->first, s->last, share);
    *share /= s->moved;
    return st;
}

/* The same of streams with the first setting alone, which is no throttle. */
static enum status share_without(struct mba_settings *m, double *share)
{
    struct mba_stream control = *m->stream;
    struct mba_settings with = *m;

    control.counted = false;
    control.moved = 0;
    with.stream = &control;
    for (uint32_t i = 0; i < CONTROL_STREAMS; i++) {
        double rate = 0;

        TRY(rate_with(&with, 0, &rate));
    }
    return counted_share(m->check, m->domain, &control, share);
}

/* A throttle changes the rate of a stream, not its bytes. What MBM counts wrong without a throttle too is another
 * check's: that of short streams over one buffer may be too much (errata GNR12, SRF42; Linux 752b6939951f). */
static enum status judge_bytes(struct mba_settings *m)
{
    struct check *c = m->check;
    struct place place = place_rmid(m->domain, m->stream->rmid);
    struct reading r = reading_total(m->domain, m->stream->rmid);
    double share = 0, without = 1;

    TRY(counted_share(c, m->domain, m->stream, &share));
    if (share < 1 - BW_SHARE || share > 1 + BW_SHARE)
        TRY(share_without(m, &without));
    m->stream->missing = 100 * (1 - without * (1 - BW_SHARE) / share);
    r.bytes = share;
    if (!check_measure(c, "MBM total over bytes of all streams", place, share, "ratio", without * (1 - BW_SHARE),
                       without * (1 + BW_SHARE)))
        finding(
            c, never_counts(share, without) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, reading_code(&r, without), place,
            "MBM counts %u %% of all streams and %u %% of those without a throttle: a throttle changes their rate, not "
            "their bytes",
            (unsigned)(100 * share + 0.5), (unsigned)(100 * without + 0.5));
    return ST_OK;
}

enum status mba_stream_rates(struct check *c, uint32_t domain, struct mba_stream *s, struct alloc_table *t,
                             const struct mba_setting *settings, uint32_t n, struct rates *r)
{
    struct mba_settings m = { .check = c, .domain = domain, .stream = s, .table = t, .settings = settings };
    uint64_t found[2] = { 0 };
    enum status st;

    TRY(begin_settings(c, t, s, found));
    st = rates_measure(r, n, MBA_SPREAD_MOST, rate_with, &m);
    if (st == ST_OK && !s->class_first) /* else what the processor does between streams counts under the RMID too */
        st = judge_bytes(&m);
    return status_first(st, end_settings(c, t, s, found));
}

enum status mba_stream_glance(struct check *c, uint32_t domain, const struct mba_stream *s, struct alloc_table *t,
                              const struct mba_setting *settings, uint32_t n, double *rates)
{
    struct mba_stream brief = *s;
    struct mba_settings m = { .check = c, .domain = domain, .stream = &brief, .table = t, .settings = settings };
    uint64_t found[2] = { 0 };
    enum status st = ST_OK;

    TRY(begin_settings(c, t, s, found));
    brief.brief = true;
    brief.bytes = s->bytes < STREAM_LEAST ? s->bytes : STREAM_LEAST;
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = rate_with(&m, i, &rates[i]);
    return status_first(st, end_settings(c, t, s, found));
}

#define LIFTED_TRIES 3u /* a stream may be slowed by what else the machine does */

enum status mba_lifted(struct check *c, uint32_t domain, const struct mba_stream *s, struct alloc_table *t,
                       uint64_t mild, uint64_t none, uint64_t strictest, double slowed)
{
    const struct mba_setting settings[4] = {
        { mild, MBA_UNCHANGED }, { none, MBA_UNCHANGED }, { strictest, MBA_UNCHANGED }, { none, MBA_UNCHANGED }
    };
    struct place place = place_clos(domain, s->clos);
    double rates[4] = { 0 }, least = 0;

    for (uint32_t i = 0; i < LIFTED_TRIES; i++) {
        TRY(mba_stream_glance(c, domain, s, t, settings, 4, rates));
        least = slowed * rates[1];
        if (rates[2] > least || rates[3] > least)
            return ST_OK;
    }
    check_measure(c, "rate without a throttle after the strictest", place, rates[3], "bytes/s", least, NO_BOUND);
    finding(c, FINDING_UNUSUAL, 0, FOUND_DELAY_KEPT, place,
            "a stream moves %lu MB/s where a mild throttle was lifted, and %lu MB/s where the strictest was",
            (uint64_t)(rates[1] / 1e6), (uint64_t)(rates[3] / 1e6));
    return ST_OK;
}

enum status mba_rates_steady(struct check *c, uint32_t domain, const struct rates *r)
{
    check_show(c, "spread of repeated rates", place_domain(domain), 100 * r->spread, "%");
    if (r->spread <= MBA_SPREAD_MOST)
        return ST_OK;
    return check_absent(c, "L3 domain %u: repeated rates of one setting differ by %u %%, more than %u %%: not judged",
                        domain, (unsigned)(100 * r->spread), (unsigned)(100 * MBA_SPREAD_MOST));
}

double mba_alike_share(const struct rates *r)
{
    return r->spread > BW_SHARE ? r->spread : BW_SHARE;
}

/* --- every processor and every class --- */

enum status mba_others(struct check *c, uint32_t domain, struct alloc_table *t, mba_core_fn core)
{
    uint32_t classes = t->classes, n, most, few, *cpus = domain_all_cpus(c, domain, &n);

    if (!cpus)
        return ST_NO_MEMORY;
    most = n > classes ? n : classes;
    few = n < CORES_MOST ? n : CORES_MOST;
    for (uint32_t i = 1; i < most && n > 0; i++)
        TRY(core(c, domain, cpus[i % n], (1 + i) % classes, t, i >= few));
    check_note(c,
               "L3 domain %u: %u processors, %u CLOS: every setting on one; no throttle and the strictest in several "
               "rounds in %u, by one stream each in %u",
               domain, n, classes, few - 1, most - few);
    return ST_OK;
}
