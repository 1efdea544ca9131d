/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Filters by thread from Skylake-SP on: Linux has the field and the enable, no public source says how it numbers
 * cores. Witness: the same stream without the filter, and another processor's with the value that was found. */
#include "core/checks/uncore_filters/pmon_filter_search.h"

#include "core/base/bits.h"
#include "core/checks/uncore_filters/filter_streams.h"

#define SEARCH_LINES 4096u
#define EVENT        "tor_miss"
#define PROBES       4u   /* values of which one at most is a processor's */
#define FEW          16u  /* misses of a slice without the filter: fewer say nothing */
#define PASSES       0.75 /* of the stream */
#define STOPS        0.25
#define THREADS      8u /* values of a core: the thread is in the three lowest bits (336274) */

struct tid_search {
    struct pmon_session *session;
    struct traffic_window traffics[2];
    struct traffic_window_counts counts;
    double *open, *least; /* [session.n] misses without the filter, and the fewest with a probe */
    double *all, *got;    /* [packages] the same of a package's slices */
    uint32_t *tid;        /* [packages] what its filter has */
    bool *deaf, *found;   /* [packages] no slice filters; a value was found */
    uint32_t values;
};

/* Where filtered, each package's slices look at its own tid. */
static enum status search_count(struct tid_search *s, struct traffic_window *traffic, bool filtered)
{
    struct pmon_session *session = s->session;
    enum status st;

    pmon_session_clear(session);
    pmon_session_each(session, b) {
        traffic_window_select(b, 0, EVENT);
        if (!filtered)
            continue;
        b->ctl[0] |= b->unit->layout->control->tid_en;
        b->filter[0] = (uint32_t)field_put(b->unit->layout->tid, s->tid[b->box->package]);
        b->filtered[0] = true; /* a filter of 0 is to be written as well */
    }
    st = traffic_window_run(session, traffic, &s->counts);
    for (uint32_t p = 0; p < session->check->machine->n_packages; p++)
        s->got[p] = 0;
    for (uint32_t i = 0; i < session->n && st == ST_OK; i++)
        if (session->boxes[i].status == ST_OK)
            s->got[session->boxes[i].box->package] += traffic_window_net(&s->counts, session, &session->boxes[i], 0);
    return st == ST_OK ? st : check_unmeasured(session->check, st, traffic->bad_cpu, "the stream");
}

static enum status search_alloc(struct tid_search *s)
{
    struct check *c = s->session->check;
    uint32_t packages = c->machine->n_packages;

    TRY_ALLOC(c, s->open, 2 * s->session->n, "the filters");
    TRY_ALLOC(c, s->all, 2 * packages, "the filters");
    TRY_ALLOC(c, s->tid, packages, "the filters");
    TRY_ALLOC(c, s->deaf, 2 * packages, "the filters");
    s->least = s->open + s->session->n;
    s->got = s->all + packages;
    s->found = s->deaf + packages;
    return ST_OK;
}

static enum status search_open(struct tid_search *s)
{
    enum status st = search_count(s, &s->traffics[0], false);

    for (uint32_t i = 0; i < s->session->n && st == ST_OK; i++)
        s->open[i] = s->least[i] = traffic_window_net(&s->counts, s->session, &s->session->boxes[i], 0);
    for (uint32_t p = 0; p < s->session->check->machine->n_packages; p++)
        s->all[p] = s->got[p];
    return st;
}

/* A slice that passes the stream with each of several values does not filter. */
static enum status search_probe(struct tid_search *s)
{
    for (uint32_t k = 0; k < PROBES; k++) {
        for (uint32_t p = 0; p < s->session->check->machine->n_packages; p++)
            s->tid[p] = k * (s->values - 1) / (PROBES - 1);
        TRY(search_count(s, &s->traffics[0], true));
        for (uint32_t i = 0; i < s->session->n; i++) {
            double got = traffic_window_net(&s->counts, s->session, &s->session->boxes[i], 0);

            s->least[i] = got < s->least[i] ? got : s->least[i];
        }
    }
    return ST_OK;
}

static bool slice_is_deaf(const struct tid_search *s, uint32_t i)
{
    return s->open[i] >= FEW && s->least[i] >= PASSES * s->open[i];
}

/* Where only some slices of a package filter, each of the others is a finding. */
static void judge_deaf(struct tid_search *s, uint32_t package)
{
    struct check *c = s->session->check;
    uint32_t deaf = 0, judged = 0;

    for (uint32_t i = 0; i < s->session->n; i++) {
        const struct pmon_session_box *b = &s->session->boxes[i];

        if (b->box->package != package || b->status != ST_OK || s->open[i] < FEW)
            continue;
        judged++;
        deaf += slice_is_deaf(s, i);
    }
    s->deaf[package] = deaf == judged;
    if (judged == 0)
        check_note(c, "package %u: the slices count no misses of the stream: filters not judged", package);
    else if (deaf == judged)
        check_note(
            c,
            "package %u: with each of %u values of tid all misses pass: no slice filters by tid, and no event file has "
            "it",
            package, PROBES);
    for (uint32_t i = 0; i < s->session->n && !s->deaf[package]; i++)
        if (s->session->boxes[i].box->package == package && s->session->boxes[i].status == ST_OK &&
            slice_is_deaf(s, i)) {
            struct place slice = pmon_place(s->session->boxes[i].box);

            check_measure(c, "misses with any tid over those without the filter", slice, s->least[i] / s->open[i],
                          "ratio", -NO_BOUND, STOPS);
            finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, slice,
                    "all misses pass with each of %u values of tid, and other slices of the package filter", PROBES);
        }
}

/* The nth value to be tried: each core with this thread, from the processor's own on, then all others. */
static uint32_t nth_tid(const struct tid_search *s, const struct cpu *cpu, uint32_t n)
{
    uint32_t cores = s->values / THREADS, thread = cpu->place.thread % THREADS;

    return n < cores ? (cpu->place.core + n) % cores * THREADS + thread : n - cores;
}

static bool search_goes_on(const struct tid_search *s)
{
    return ANY_OF(p, s->session->check->machine->n_packages, !s->deaf[p] && !s->found[p]);
}

static enum status search_values(struct tid_search *s)
{
    const struct machine *m = s->session->check->machine;

    for (uint32_t n = 0; n < s->values + s->values / THREADS && search_goes_on(s); n++) {
        for (uint32_t k = 0; k < s->traffics[0].n; k++) {
            const struct cpu *cpu = &m->cpus[s->traffics[0].streams[k].cpu];

            if (!s->found[cpu->package])
                s->tid[cpu->package] = nth_tid(s, cpu, n);
        }
        TRY(search_count(s, &s->traffics[0], true));
        for (uint32_t p = 0; p < m->n_packages; p++)
            s->found[p] |= !s->deaf[p] && s->got[p] >= PASSES * s->all[p];
    }
    return ST_OK;
}

/* With the value of the first processor, no misses of another pass. */
static enum status search_other(struct tid_search *s)
{
    struct check *c = s->session->check;

    TRY(s->traffics[1].n ? search_count(s, &s->traffics[1], true) : ST_OK);
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        struct place place = place_package(p);

        if (s->deaf[p])
            continue;
        if (!check_measure(c, "values of tid that pass one processor's misses", place, s->found[p], "values", 1, 1))
            finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_STOPS, place,
                    "no value of tid passes the misses of one processor");
        else
            excludes_share(c, "misses that no tid passes", s->all[p], PASSES * s->all[p]);
        if (!s->found[p] || traffic_window_bytes(&s->traffics[1], c, p) == 0)
            continue;
        excludes(c, "misses of others that pass a tid", 100 * (STOPS - s->got[p] / s->all[p]), "%");
        if (!check_measure(c, "misses of another processor with this one's tid", place, s->got[p] / s->all[p], "ratio",
                           -NO_BOUND, STOPS))
            finding(c, FINDING_UNUSUAL, 0, FOUND_FILTER_PASSES, place,
                    "%lu misses of another processor pass with tid 0x%x", (uint64_t)s->got[p], s->tid[p]);
    }
    return ST_OK;
}

enum status filter_tid_search(struct pmon_session *session)
{
    struct check *c = session->check;
    struct tid_search s = { .session = session };
    uint64_t field = session->boxes[0].unit->layout->tid;
    bool judged = false;

    for (uint32_t i = 0; i < 2; i++)
        s.traffics[i] = (struct traffic_window){ .kind = WORK_READ, .passes = 1, .cold = true };
    s.values = (uint32_t)field_get(field, field) + 1;
    TRY(search_alloc(&s));
    TRY(filter_streams_add(c, s.traffics, UINT64_C(64) * SEARCH_LINES));
    TRY(search_open(&s));
    TRY(search_probe(&s));
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        judge_deaf(&s, p);
        judged |= !s.deaf[p];
    }
    if (!judged)
        return check_absent(c, "no slice filters by tid, and no event file has it");
    TRY(search_values(&s));
    return search_other(&s);
}
