/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Filters of the caching agents: by the thread and by the opcode of a request. Witness: the same stream without the
 * filter, and with one that passes none of it. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/uncore_filters/filter_streams.h"
#include "core/checks/uncore_filters/pmon_filter_search.h"

#define GUIDE_TID                                                                                                      \
    "E5-2600 Uncore Guide 327043-001 2.3.3.3 CBo Filter Register, field tid, and field tid_en of the counter "         \
    "control; "                                                                                                        \
    "Linux uncore_snbep.c skx_uncore_chabox, icx_uncore_chabox, spr_uncore_chabox"
#define SOURCE_OPC                                                                                                     \
    "event files of each generation (TOR_INSERTS, MISS_OPCODE and IA_MISS_DRD, IA_MISS_RFO); Linux uncore_snbep.c "    \
    "(opcode fields of the filters); intel/pcm src/types.h"

#define TID_LINES 1024u
#define OPC_BYTES (2 * MIB)
#define MANY      256u /* misses of one slice     */
#define MOST_TIDS 64u  /* values that are tried one after another */
#define MOST      0.75 /* of the stream: it passes the filter     */
#define LITTLE    0.25 /* of the stream: it does not              */

/* Misses of counter 0 in all slices of a package. */
static double misses_in(const struct pmon_session *session, const struct traffic_window_counts *counts,
                        uint32_t package)
{
    double sum = 0;

    pmon_session_each(session, b)
        if (b->box->package == package && b->status == ST_OK)
            sum += traffic_window_net(counts, session, b, 0);
    return sum;
}

/* --- V8: threads -------------------------------------------------------------------------------------------------- */

static bool has_tid(const struct pmon_unit *unit)
{
    return unit->kind == PMON_CHA && unit->layout->tid && unit->layout->control->tid_en &&
           pmon_event_named(unit, "tor_miss") && pmon_event_named(unit, "tor_miss")->filter0 == 0;
}

/* Misses of each package while traffic runs, of one thread or of all (tid UINT32_MAX). */
static enum status count_tid(struct pmon_session *session, struct traffic_window *traffic,
                             struct traffic_window_counts *counts, uint32_t tid, double *misses)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        traffic_window_select(b, 0, "tor_miss");
        if (tid == UINT32_MAX)
            continue;
        b->ctl[0] |= b->unit->layout->control->tid_en;
        b->filter[0] = (uint32_t)field_put(b->unit->layout->tid, tid);
        b->filtered[0] = true; /* a filter of 0 is to be written as well */
    }
    TRY(traffic_window_run(session, traffic, counts));
    for (uint32_t p = 0; p < session->check->machine->n_packages; p++)
        misses[p] = misses_in(session, counts, p);
    return ST_OK;
}

struct threads {          /* of each package                                                   */
    double *all;          /* misses without the filter                                         */
    double *one;          /* with it, of the last value                                        */
    double *sum;          /* with every value, one after another                               */
    uint32_t *hits, *tid; /* values that let the stream of the first processor pass, and which */
};

static void judge_tids(struct check *c, const struct threads *t, uint32_t package, uint32_t values)
{
    double all = t->all[package], sum = t->sum[package];
    struct place place = place_package(package);
    uint32_t hits = t->hits[package];

    if (all < TID_LINES * MOST) {
        check_note(c, "package %u: the slices count %lu misses for %u lines read: filters not judged", package,
                   (uint64_t)all, TID_LINES);
        return;
    }
    if (hits == 0 && c->machine->packages[package].n_cpus > values / 2) {
        check_note(c,
                   "package %u: no value of tid passes the misses; the package has more processors than tid can select",
                   package);
        return;
    }
    if (hits == values) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, place,
                "every value of tid passes the misses of one processor: the slices do not filter by thread");
        return;
    }
    if (!check_measure(c, "values of tid that pass one processor's misses", place, hits, "values", 1, 1))
        finding(c, FINDING_UNUSUAL, 0, hits ? FOUND_FILTER_PASSES : FOUND_FILTER_STOPS, place,
                "of %u values of tid, %u pass the misses of one processor", values, hits);
    excludes_share(c, "misses that no tid passes", sum, all * (1 - LITTLE));
    if (!check_measure(c, "misses over all values of tid, over those without the filter", place, sum / all, "ratio",
                       1 - LITTLE, 1 + LITTLE))
        finding(c, FINDING_UNUSUAL, 0, sum < all ? FOUND_UNDERCOUNTS : FOUND_OVERCOUNTS, place,
                "all values of tid together count %lu misses, no filter %lu", (uint64_t)sum, (uint64_t)all);
}

static enum status sweep_tids(struct pmon_session *session, struct traffic_window *traffic,
                              struct traffic_window_counts *counts, struct threads *t, uint32_t values)
{
    TRY(count_tid(session, traffic, counts, UINT32_MAX, t->all));
    for (uint32_t tid = 0; tid < values; tid++) {
        TRY(count_tid(session, traffic, counts, tid, t->one));
        for (uint32_t p = 0; p < session->check->machine->n_packages; p++) {
            t->sum[p] += t->one[p];
            if (t->one[p] < MOST * t->all[p] || t->all[p] < TID_LINES * MOST)
                continue;
            t->hits[p]++;
            t->tid[p] = tid;
        }
    }
    return ST_OK;
}

/* Bit 0 of tid is the thread's number within its core, as is the thread id of a processor. */
static void judge_thread_bit(struct check *c, const struct threads *t, const struct traffic_window *traffic, uint32_t k)
{
    const struct cpu *cpu = &c->machine->cpus[traffic->streams[k].cpu];
    uint32_t p = cpu->package, thread = cpu->place.thread, tid = t->tid[p];

    if (t->hits[p] != 1)
        return;
    if (!check_measure(c, "thread in the tid that passes", place_package(p), tid & 1, "", thread & 1, thread & 1))
        finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_OF_ANOTHER, place_package(p),
                "tid 0x%x passes the misses of thread %u of a core: bit 0 of tid is another thread's", tid, thread);
}

/* With the value of the first processor, no misses of another pass. */
static enum status try_other(struct pmon_session *session, struct traffic_window *other,
                             struct traffic_window_counts *counts, struct threads *t, uint32_t values)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        if (t->hits[p] != 1 || c->machine->packages[p].n_cpus > values / 2 || /* Ivy Bridge-EP names 8 of 15 cores */
            traffic_window_bytes(other, c, p) == 0)
            continue;
        TRY(count_tid(session, other, counts, t->tid[p], t->one));
        excludes(c, "misses of others that pass a tid", 100 * (LITTLE - t->one[p] / t->all[p]), "%");
        if (!check_measure(c, "misses of another processor with this one's tid", place_package(p),
                           t->one[p] / t->all[p], "ratio", -NO_BOUND, LITTLE))
            finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, place_package(p),
                    "%lu misses of another processor pass with tid 0x%x", (uint64_t)t->one[p], t->tid[p]);
    }
    return ST_OK;
}

static enum status threads_alloc(struct check *c, struct threads *t)
{
    uint32_t packages = c->machine->n_packages;

    TRY_ALLOC(c, t->all, 3 * packages, "the filters");
    TRY_ALLOC(c, t->hits, 2 * packages, "the filters");
    t->one = t->all + packages;
    t->sum = t->one + packages;
    t->tid = t->hits + packages;
    return ST_OK;
}

static enum status filters_try_tid(struct pmon_session *session)
{
    struct check *c = session->check;
    struct traffic_window traffics[2] = { { .kind = WORK_READ, .passes = 1, .cold = true },
                                          { .kind = WORK_READ, .passes = 1, .cold = true } };
    struct traffic_window_counts counts = { NULL };
    uint64_t field = session->boxes[0].unit->layout->tid;
    uint32_t packages = c->machine->n_packages, values = (uint32_t)field_get(field, field) + 1;
    struct threads t = { .all = NULL };

    TRY(threads_alloc(c, &t));
    TRY(filter_streams_add(c, traffics, UINT64_C(64) * TID_LINES));
    TRY_MEASURE(c, sweep_tids(session, &traffics[0], &counts, &t, values), traffics[0].bad_cpu, "the stream");
    for (uint32_t p = 0; p < packages; p++)
        judge_tids(c, &t, p, values);
    for (uint32_t k = 0; k < traffics[0].n; k++)
        judge_thread_bit(c, &t, &traffics[0], k);
    TRY_MEASURE(c, try_other(session, &traffics[1], &counts, &t, values), traffics[0].bad_cpu, "the stream");
    return ANY_OF(p, packages, t.all[p] >= TID_LINES * MOST)
               ? ST_OK
               : check_absent(c, "the slices do not count the reads as misses");
}

/* All slices of a part have one field. */
static enum status filters_try_any(struct pmon_session *session)
{
    uint64_t field = session->boxes[0].unit->layout->tid;

    return field_get(field, field) < MOST_TIDS ? filters_try_tid(session) : filter_tid_search(session);
}

/* --- V9: opcodes -------------------------------------------------------------------------------------------------- */

static bool has_opcodes(const struct pmon_unit *unit)
{
    return unit->kind == PMON_CHA && pmon_event_named(unit, "tor_miss") && pmon_event_named(unit, "tor_miss_drd") &&
           pmon_event_named(unit, "tor_miss_rfo");
}

/* One event in counter 0 of every slice; filters that it does not ask for are 0. */
static enum status count_misses(struct pmon_session *session, struct traffic_window *traffic,
                                struct traffic_window_counts *counts, const char *event)
{
    pmon_session_clear(session);
    pmon_session_each(session, b)
        traffic_window_select(b, 0, event);
    return traffic_window_run(session, traffic, counts);
}

/* Misses of a read stream with each opcode, over those with all. The opcode is in a filter of the box, or from Ice
 * Lake-SP on in the event's umask extension. */
static const struct opening {
    const char *event;
    double lo, hi;
    const char *what;
} openings[] = {
    { "tor_miss_drd", MOST, 1 + LITTLE, "opcode DRd" },
    { "tor_miss_rfo", -NO_BOUND, LITTLE, "opcode RFO" },
};

/* Without a filter the misses are the lines read. */
static void judge_open(struct pmon_session *session, const struct traffic_window_counts *counts,
                       const struct traffic_window *traffic)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double lines = (double)traffic_window_bytes(traffic, c, p) / 64, got = misses_in(session, counts, p);

        if (lines > 0 && !check_measure(c, "misses with all opcodes and all memory, over lines read", place_package(p),
                                        got / lines, "ratio", MOST, 1 + LITTLE))
            finding(c, FINDING_UNUSUAL, 0, got < lines ? FOUND_UNDERCOUNTS : FOUND_OVERCOUNTS, place_package(p),
                    "without an opcode filter %lu misses are counted for %lu lines read", (uint64_t)(got > 0 ? got : 0),
                    (uint64_t)lines);
    }
}

static void judge_opening(struct pmon_session *session, const struct traffic_window_counts *counts, const double *open,
                          const struct opening *o)
{
    struct check *c = session->check;

    for (uint32_t i = 0; i < session->n; i++) {
        const struct pmon_session_box *b = &session->boxes[i];
        double got = traffic_window_net(counts, session, b, 0);

        if (b->status != ST_OK || open[i] < MANY)
            continue;
        session->held++;
        if (o->lo > 0)
            excludes_share(c, "misses that their opcode stops", got, o->lo * open[i]);
        else
            excludes(c, "misses that another opcode passes", 100 * (o->hi - got / open[i]), "%");
        if (got >= o->lo * open[i] && got <= o->hi * open[i])
            continue;
        pmon_session_show(session, b, pmon_ctl(b->unit, 0), b->ctl[0]);
        for (uint32_t k = 0; k < 2; k++)
            if (b->filter[k])
                pmon_session_show(session, b, pmon_filter(b->unit, k), b->filter[k]);
        check_measure(c, "misses with the filter over those without", pmon_place(b->box), got / open[i], "ratio", o->lo,
                      o->hi);
        finding(c, FINDING_UNUSUAL, 0, got > o->hi * open[i] ? FOUND_FILTER_PASSES : FOUND_FILTER_STOPS,
                pmon_place(b->box), "with %s (filter 0x%x, control 0x%lx) %lu of its %lu misses pass", o->what,
                b->filter[0] | b->filter[1], b->ctl[0], (uint64_t)(got > 0 ? got : 0), (uint64_t)open[i]);
    }
}

static enum status try_openings(struct pmon_session *session, struct traffic_window *traffic,
                                struct traffic_window_counts *counts, double *open)
{
    TRY(count_misses(session, traffic, counts, "tor_miss"));
    for (uint32_t i = 0; i < session->n; i++)
        open[i] = traffic_window_net(counts, session, &session->boxes[i], 0);
    judge_open(session, counts, traffic);
    for (uint32_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        TRY(count_misses(session, traffic, counts, openings[i].event));
        judge_opening(session, counts, open, &openings[i]);
    }
    return ST_OK;
}

static enum status filters_try_opcodes(struct pmon_session *session)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .kind = WORK_READ, .passes = 1, .cold = true };
    struct traffic_window_counts counts = { NULL };
    double *open;

    TRY_ALLOC(c, open, session->n, "the filters");
    TRY(traffic_window_add_each(&traffic, c, OPC_BYTES));
    TRY_MEASURE(c, try_openings(session, &traffic, &counts, open), traffic.bad_cpu, "the memory stream");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.filter-thread",
      .title = "The tid filter passes the requests of the selected thread only",
      .spec = GUIDE_TID,
      .covers = "V8",
      .detects = "a filter that is ignored, a field at other bits",
      .sums = true,
      .wanted = has_tid,
      .run_session = filters_try_any },
    { .id = "pmon.filter-opcode",
      .title = "TOR_INSERTS with an opcode filter counts matching requests only",
      .spec = SOURCE_OPC,
      .covers = "V9",
      .detects = "a filter that is ignored, or applied in part",
      .sums = true,
      .wanted = has_opcodes,
      .run_session = filters_try_opcodes },
};
CHECK_FAMILY(pmon_filters, rows, UNCORE_FAMILY, .risk = RISK_WORKLOAD, .grade = GRADE_W, .excludes = true, .order = 965,
             .slow = true);
