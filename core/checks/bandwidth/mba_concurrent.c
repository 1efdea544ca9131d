/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A throttle while every processor of an L3 streams. It delays a processor's own requests to the L3 (RDT specification
 * 356688 3.2), or limits what the class has of the L3 in all (APM vol. 2 19.4.5): what it leaves a processor beside
 * others is at most what it leaves one alone, whatever memory they share. */
#include "core/base/bits.h"
#include "core/checks/bandwidth/mba_stream.h"
#include "core/experiment/monitor.h"

#define EACH_BYTES  MIB
#define ALONE_TIMES 2.0 /* the rate of a stream alone, throttled: below it the processors limit each other */
#define TRIES       3u  /* a stream may be slowed by what else the machine does */

struct concurrent {
    struct check *check;
    const struct alloc_table *table;
    uint32_t domain, n;
    const uint32_t *cpus;
    struct mba_stream *streams;              /* [n] */
    struct traffic_part (*parts)[MBA_PARTS]; /* [n] */
    struct traffic_load *loads;              /* [n] */
    double *rates[2];                        /* [n], without a throttle and with one */
};

static enum status concurrent_alloc(struct concurrent *k, const struct mba_stream *s)
{
    struct check *c = k->check;

    k->cpus = domain_all_cpus(c, k->domain, &k->n);
    if (!k->cpus)
        return ST_NO_MEMORY;
    TRY_ALLOC(c, k->streams, k->n + 1, "the streams of all processors");
    TRY_ALLOC(c, k->parts, k->n + 1, "the streams of all processors");
    TRY_ALLOC(c, k->loads, k->n + 1, "the streams of all processors");
    for (uint32_t i = 0; i < 2; i++)
        TRY_ALLOC(c, k->rates[i], k->n + 1, "the streams of all processors");
    for (uint32_t i = 0; i < k->n; i++) {
        k->streams[i] = (struct mba_stream){ .rmid = s->rmid, .clos = s->clos, .bytes = EACH_BYTES };
        TRY(memory_scatter_any(c, k->cpus[i], EACH_BYTES, &k->streams[i].base));
    }
    return ST_OK;
}

/* Of all processors at once, under this value of the class. */
static enum status rates_under(struct concurrent *k, uint64_t value, double *rates)
{
    struct check *c = k->check;
    struct reading r = reading_total(k->domain, k->streams[0].rmid);
    struct experiment e = {
        .check = c, .loads = k->loads, .n_loads = k->n, .readings = &r, .n_readings = 1, .flags = EXPERIMENT_ONCE
    };
    bool settled = false;
    double seconds = 0;

    TRY(alloc_write(c, k->table, k->streams[0].clos, value));
    for (uint32_t i = 0; i < k->n; i++) {
        mba_stream_parts(c, &k->streams[i], k->parts[i]);
        k->loads[i] = (struct traffic_load){ .cpu = k->cpus[i], .n_parts = MBA_PARTS, .parts = k->parts[i] };
    }
    TRY(experiment_measure(&e));
    for (uint32_t i = 0; i < k->n; i++)
        TRY_MEASURE(c, mba_parts_rate(c, &k->streams[i], k->parts[i], &rates[i], &settled, &seconds), k->cpus[i],
                    "the TSC ticks of a stream");
    return ST_OK;
}

struct unslowed {
    uint32_t judged, n, first; /* processors; those that are not slowed, the first of them */
};

static struct unslowed count_unslowed(const struct concurrent *k, double slowed, double alone)
{
    struct unslowed u = { 0 };

    for (uint32_t i = 0; i < k->n; i++) {
        if (k->rates[0][i] < ALONE_TIMES * alone)
            continue;
        u.judged++;
        if (k->rates[1][i] > slowed * k->rates[0][i] && u.n++ == 0)
            u.first = i;
    }
    return u;
}

static void judge(const struct concurrent *k, const struct unslowed *u, double slowed, enum finding_code code)
{
    double without = k->rates[0][u->first], with = k->rates[1][u->first];
    struct place place = u->n == u->judged ? place_domain(k->domain) : place_domain_cpu(k->domain, k->cpus[u->first]);

    if (u->judged == 0)
        check_note(k->check, "L3 domain %u: a throttle is not shown with all %u processors at work: they share less",
                   k->domain, k->n);
    else if (!check_measure(k->check, "processors that a throttle does not slow, all at work", place, u->n, "", 0, 0))
        finding(k->check, FINDING_UNUSUAL, 0, code, place,
                "with all %u processors at work the strictest throttle of CLOS %u does not slow %u of %u: cpu %u moves "
                "%lu MB/s, and %lu MB/s without it; at least %u %% less is expected",
                k->n, k->streams[0].clos, u->n, u->judged, k->cpus[u->first], (uint64_t)(with / 1e6),
                (uint64_t)(without / 1e6), (unsigned)(100 * (1 - slowed) + 0.5));
}

enum status mba_concurrent(struct check *c, uint32_t domain, const struct mba_stream *s, const struct alloc_table *t,
                           uint64_t none, uint64_t strictest, double slowed, double alone, enum finding_code code)
{
    struct concurrent k = { .check = c, .table = t, .domain = domain };
    struct unslowed u = { .n = 1 };
    char why[256];
    enum status st;

    tools_reset(c->tools); /* a stream alone may have taken all memory */
    st = concurrent_alloc(&k, s);
    if (st == ST_ABSENT) { /* what was shown with one processor stays */
        check_take_reason(c, why, sizeof why);
        check_note(c, "L3 domain %u: a throttle is not shown with all %u processors at work: %s", domain, k.n, why);
    }
    if (st == ST_ABSENT || (st == ST_OK && k.n < 2))
        return ST_OK;
    TRY(st);
    TRY(alloc_record_table(c, t));
    for (uint32_t i = 0; i < TRIES && u.n > 0 && st == ST_OK; i++) {
        st = rates_under(&k, none, k.rates[0]);
        st = st == ST_OK ? rates_under(&k, strictest, k.rates[1]) : st;
        u = count_unslowed(&k, slowed, alone);
    }
    if (st == ST_OK)
        judge(&k, &u, slowed, code);
    return status_first(st, alloc_put_back_table(c, t));
}
