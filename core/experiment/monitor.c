/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/monitor.h"

#include "core/base/text.h"

/* --- a buffer with a processor and RMIDs -------------------------------------------------------------------------- */

static enum status pick(struct check *c, uint32_t domain, uint32_t n_rmids, struct test_buffer *b)
{
    if (domain_rmids(c, domain, b->rmids, n_rmids) < n_rmids)
        return check_absent(c, "L3 domain %u: fewer than %u free RMIDs", domain, n_rmids);
    if (domain_cpus(c, domain, &b->cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    return ST_OK;
}

enum status test_buffer_any(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct test_buffer *b)
{
    enum status st = pick(c, domain, n_rmids, b);

    b->bytes = ROUND_DOWN(bytes);
    return st == ST_OK ? memory_scatter_any(c, b->cpu, b->bytes, &b->base) : st;
}

enum status test_buffer_contiguous(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes,
                                   struct test_buffer *b)
{
    enum status st = pick(c, domain, n_rmids, b);

    b->bytes = ROUND_DOWN(bytes);
    return st == ST_OK ? memory_take_any(c, b->cpu, b->bytes, &b->base) : st;
}

enum status test_buffer_local(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct test_buffer *b)
{
    enum status st = pick(c, domain, n_rmids, b);

    b->bytes = bytes;
    return st == ST_OK ? memory_scatter_local(c, b->cpu, bytes, &b->base) : st;
}

/* --- readings ----------------------------------------------------------------------------------------------------- */

struct reading reading_occupancy(uint32_t domain, uint32_t rmid)
{
    return reading_of("occupancy", domain, rmid, QM_EVENT_L3_OCCUPANCY);
}

struct reading reading_total(uint32_t domain, uint32_t rmid)
{
    return reading_of("MBM total", domain, rmid, QM_EVENT_L3_TOTAL);
}

struct reading reading_local(uint32_t domain, uint32_t rmid)
{
    return reading_of("MBM local", domain, rmid, QM_EVENT_L3_LOCAL);
}

uint32_t readings_add_local(struct check *c, uint32_t cpu, struct reading *r, uint32_t n)
{
    if (!reference_rdt(c)->local || !memory_is_local(c, cpu))
        return n;
    for (uint32_t i = 0; i < n; i++) {
        r[n + i] = r[i];
        r[n + i].name = "MBM local";
        r[n + i].event = QM_EVENT_L3_LOCAL;
        r[n + i].lo *= LOCAL_LEAST;
        r[n + i].hi = r[n + i].never_hi = NO_BOUND;
        r[n + i].never_lo = r[n + i].tight_lo = r[n + i].tight_hi = 0;
    }
    return 2 * n;
}

/* What both miss, total says. */
void readings_bind_local(const struct check *c, struct reading *r, uint32_t n, uint32_t n_all)
{
    for (uint32_t i = n; i < n_all; i++) {
        double least = LOCAL_LEAST * r[i - n].bytes - c->machine->domains[r[i].domain].upscaling_factor;

        r[i].lo = least < r[i].lo ? least : r[i].lo;
    }
}

void monitor_linux_figures(struct check *c, const char *test, const struct experiment *e, double span)
{
    const struct reading *r = &e->readings[0];
    bool cmt = text_equal(test, "cmt_test");
    struct place place = place_rmid(r->domain, r->rmid);
    double sum = 0, diff;
    char name[64];

    if (e->n_runs < 2 || span <= 0)
        return;
    for (uint32_t i = 1; i < e->n_runs; i++)
        sum += r->runs[i];
    sum /= e->n_runs - 1;
    diff = 100 * (span - sum) / span;
    text_format(name, sizeof name, "as Linux %s: %s", test, cmt ? "average LLC value" : "average bytes");
    check_show(c, name, place, sum, "bytes");
    text_format(name, sizeof name, "as Linux %s: %s", test, cmt ? "cache span" : "span");
    check_show(c, name, place, span, "bytes");
    text_format(name, sizeof name, "as Linux %s: %s", test, cmt ? "percent diff" : "avg_diff_per");
    check_show(c, name, place, cmt || diff > 0 ? diff : -diff, "%");
}

void monitor_show_rate(struct check *c, uint32_t domain, const char *name, const struct traffic_outcome *outcome)
{
    if (outcome->tsc_ticks)
        check_show(c, name, place_domain(domain),
                   (double)outcome->moved_bytes * (double)c->platform->tsc_hz / (double)outcome->tsc_ticks /
                       (double)MIB,
                   "MiB/s");
}
