/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/allocation/mba_stream.h"

#include "core/measure/monitor.h"

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

/* One stream; *rate: bytes/s of the first processor, 0 where its TSC did not advance. */
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

struct mba_settings {
    struct check *check;
    uint32_t domain;
    const struct mba_stream *stream;
    const struct alloc_table *table;
    const struct mba_setting *settings;
};

/* rates_measure_one */
static enum status rate_with(void *context, uint32_t i, double *rate)
{
    const struct mba_settings *m = context;
    const struct mba_setting *set = &m->settings[i];
    enum status st = ST_OK;

    if (set->own != MBA_UNCHANGED)
        st = alloc_write(m->check, m->table, m->stream->clos, set->own);
    if (st == ST_OK && set->other != MBA_UNCHANGED)
        st = alloc_write(m->check, m->table, m->stream->other_clos, set->other);
    if (st == ST_OK)
        st = one_stream(m->check, m->domain, m->stream, rate);
    if (st == ST_OK && *rate <= 0)
        st = unmeasured(m->check, ST_RANGE, m->stream->cpus[0], "the TSC ticks of a stream");
    return st;
}

enum status mba_stream_rates(struct check *c, uint32_t domain, const struct mba_stream *s, struct alloc_table *t,
                             const struct mba_setting *settings, uint32_t n, struct rates *r)
{
    struct mba_settings m = { .check = c, .domain = domain, .stream = s, .table = t, .settings = settings };
    enum status st = alloc_record_table(c, t);

    if (st != ST_OK)
        return st;
    st = rates_measure(r, n, MBA_SPREAD_MOST, rate_with, &m);
    return status_first(st, alloc_put_back_table(c, t));
}

enum status mba_rates_steady(struct check *c, uint32_t domain, const struct rates *r)
{
    char where[32];

    domain_name(domain, where);
    measure(c, "spread of repeated rates", where, 100 * r->spread, "%", -NO_BOUND, NO_BOUND);
    if (r->spread <= MBA_SPREAD_MOST)
        return ST_OK;
    return absent(c, "L3 domain %u: repeated rates of one setting differ by %u %%, more than %u %%: not judged", domain,
                  (unsigned)(100 * r->spread), (unsigned)(100 * MBA_SPREAD_MOST));
}

double mba_alike_share(const struct rates *r)
{
    return r->spread > BW_SHARE ? r->spread : BW_SHARE;
}
