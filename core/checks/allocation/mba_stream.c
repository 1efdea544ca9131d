/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/allocation/mba_stream.h"

#include "core/measure/monitor.h"

#define STREAM_RUNS  3u    /* the fastest counts: disturbance only slows a stream                  */
#define SPREAD_MOST  0.25  /* a rate that varies by more is not judged                             */
#define IDLE_DIVISOR 1000u /* the second processor is in its class for a millisecond               */

enum status mba_stream_init(struct check *c, uint32_t domain, struct mba_stream *s)
{
    *s = (struct mba_stream){ .bytes = stream_bytes(c, domain) / 4 };
    s->bytes = ROUND_DOWN(s->bytes < 4 * MIB ? 4 * MIB : s->bytes);
    if (domain_rmids(c, domain, &s->rmid, 1) < 1 || domain_cpus(c, domain, s->cpus, 1) == 0)
        return absent(c, "L3 domain %u: no free RMID or no processor", domain);
    s->cpus[1] = other_core(c, domain, s->cpus[0]);
    return memory_take_local(c, s->cpus[0], s->bytes, &s->base);
}

static double work_seconds(const struct check *c, const struct work *w)
{
    return w->tsc_end > w->tsc_begin ? (double)(w->tsc_end - w->tsc_begin) / (double)c->platform->tsc_hz : 0;
}

/* One stream; *rate: bytes/s of the first processor. */
static enum status one_stream(struct check *c, uint32_t domain, const struct mba_stream *s, double *rate)
{
    struct traffic_part parts[2] = { part_read(s->rmid, s->base, s->bytes),
                                     part_idle(s->rmid, c->platform->tsc_hz / IDLE_DIVISOR) };
    struct traffic_load loads[2] = { { .cpu = s->cpus[0], .n_parts = 1, .parts = &parts[0] },
                                     { .cpu = s->cpus[1], .n_parts = 1, .parts = &parts[1] } };
    struct reading r = reading_of("total bytes", domain, s->rmid, QM_EVENT_L3_TOTAL);
    struct experiment e = { .check = c, .loads = loads, .readings = &r, .n_readings = 1, .flags = EXPERIMENT_ONCE };
    double took;
    enum status st;

    parts[0].clos = s->clos;
    parts[1].clos = s->other_clos;
    e.n_loads = s->with_other ? 2 : 1;
    expect_bandwidth(c, &r, (double)s->bytes);
    st = experiment_measure(&e);
    if (st != ST_OK)
        return st;
    experiment_judge(&e, "a throttle changes the rate of a stream, not its bytes");
    took = work_seconds(c, &parts[0].work);
    *rate = took > 0 ? (double)s->bytes / took : 0;
    return ST_OK;
}

/* Bytes/s of the first processor, the best of a few runs. Errors: unmeasured() or violated() has said why. */
static enum status stream_rate(struct check *c, uint32_t domain, const struct mba_stream *s, double *best)
{
    *best = 0;
    for (uint32_t i = 0; i < STREAM_RUNS; i++) {
        double rate = 0;
        enum status st = one_stream(c, domain, s, &rate);

        if (st != ST_OK)
            return st;
        *best = rate > *best ? rate : *best;
    }
    return *best > 0 ? ST_OK : unmeasured(c, ST_RANGE, s->cpus[0], "the TSC ticks of a stream");
}

enum status mba_rate_with(struct check *c, uint32_t domain, const struct mba_stream *s, const struct alloc_table *t,
                          uint32_t class, uint64_t value, double *rate)
{
    enum status st = alloc_write(c, t, class, value);

    return st == ST_OK ? stream_rate(c, domain, s, rate) : st;
}

double mba_larger(double a, double b)
{
    return a > b ? a : b;
}

double mba_rate_spread(double a, double b)
{
    return mba_larger(a / b, b / a) - 1;
}

enum status mba_rate_steady(struct check *c, uint32_t domain, double spread)
{
    char where[32];

    domain_name(domain, where);
    measure(c, "spread of the rate without delay", where, 100 * spread, "%", -NO_BOUND, NO_BOUND);
    if (spread <= SPREAD_MOST)
        return ST_OK;
    return absent(c, "L3 domain %u: the rate of a stream without delay changed by %u %% during the check", domain,
                  (unsigned)(100 * spread));
}
