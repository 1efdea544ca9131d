/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/monitor.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
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
    check_measure(c, name, place, sum, "bytes", -NO_BOUND, NO_BOUND);
    text_format(name, sizeof name, "as Linux %s: %s", test, cmt ? "cache span" : "span");
    check_measure(c, name, place, span, "bytes", -NO_BOUND, NO_BOUND);
    text_format(name, sizeof name, "as Linux %s: %s", test, cmt ? "percent diff" : "avg_diff_per");
    check_measure(c, name, place, cmt || diff > 0 ? diff : -diff, "%", -NO_BOUND, NO_BOUND);
}

void monitor_show_rate(struct check *c, uint32_t domain, const char *name, const struct traffic_outcome *outcome)
{
    if (outcome->tsc_ticks)
        check_measure(c, name, place_domain(domain),
                      (double)outcome->moved_bytes * (double)c->platform->tsc_hz / (double)outcome->tsc_ticks /
                          (double)MIB,
                      "MiB/s", -NO_BOUND, NO_BOUND);
}

/* --- every RMID at once ------------------------------------------------------------------------------------------- */

enum status occupancies_read(struct check *c, uint32_t domain, struct occupancies *o)
{
    struct qm_domain *d = domain_qm(c, domain);
    enum status st = d ? ST_OK : ST_LOST;

    *o = (struct occupancies){ .n = c->machine->domains[domain].max_rmid + 1 };
    o->pairs = check_alloc(c, o->n * sizeof(o->pairs[0]));
    if (o->pairs == NULL)
        st = ST_NO_MEMORY;
    for (uint32_t i = 0; i < o->n && st == ST_OK; i++)
        o->pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_OCCUPANCY };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, o->pairs, o->n);
    /* qm.every-rmid judges RMIDs that return no data; one that AMD does not track has no occupancy to count. */
    for (uint32_t i = 0; i < o->n && st == ST_OK; i++) {
        if (o->pairs[i].status != ST_OK)
            continue;
        o->readable++;
        o->sum_bytes += (double)qm_bytes(d, o->pairs[i].sample.counts);
        o->nonzero += o->pairs[i].sample.counts != 0;
    }
    if (st == ST_OK && o->readable == 0)
        st = o->pairs[0].status;
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, c->tools->qm[domain].cpu, "IA32_QM_CTR");
}

void occupancies_judge(struct check *c, uint32_t domain, const struct occupancies *o, uint32_t but,
                       enum finding_code code, const char *defect)
{
    struct reading band = reading_occupancy(domain, 0);
    const struct qm_domain *d = &c->tools->qm[domain];
    double most = 0;
    uint32_t most_rmid = 0, compared = 0;

    expect_no_occupancy(c, &band);
    if (but < o->n && !domain_rmid_in_background(c, but))
        expect_none_of(&band, (double)qm_bytes(d, o->pairs[but].sample.counts));
    for (uint32_t i = 0; i < o->n; i++) {
        double bytes = (double)qm_bytes(d, o->pairs[i].sample.counts);

        if (i == but || o->pairs[i].status != ST_OK || domain_rmid_in_background(c, i))
            continue;
        compared++;
        if (bytes > most || compared == 1) {
            most = bytes;
            most_rmid = i;
        }
        if (bytes > band.hi) {
            evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, i, QM_EVENT_L3_OCCUPANCY), ST_OK,
                           o->pairs[i].sample.tsc_select);
            evidence_msr(c, d->cpu, IA32_QM_CTR, o->pairs[i].sample.raw, o->pairs[i].sample.tsc);
            finding(c, reading_may_be(&band, bytes) ? FINDING_EXPECTED : FINDING_FORBIDDEN, 0, code,
                    place_rmid(domain, i), "occupancy %lu bytes: %s", (uint64_t)bytes, defect);
        }
    }
    check_measure(c, "largest occupancy of an unused RMID", place_rmid(domain, most_rmid), most, "bytes", -NO_BOUND,
                  band.hi);
    evidence_swept(c, "occupancy of RMIDs that no processor has", compared);
    excludes(c, "occupancy of another RMID", band.hi, "bytes");
}

static enum status read_counts(struct check *c, struct qm_domain *d, enum qm_event event, bool wait,
                               struct qm_pair **out)
{
    uint32_t n = d->max_rmid + 1, readable = 0;
    struct qm_pair *pairs = check_alloc(c, n * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;
    bool again = false;

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = event };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, n);
    /* AMD returns Unavailable once, when it begins to track an RMID: APM vol. 2 19.3.3. */
    for (uint32_t i = 0; i < n && wait; i++)
        again |= pairs && pairs[i].status == ST_UNAVAILABLE;
    if (st == ST_OK && again)
        st = qm_read_many(c->platform, d, pairs, n);
    /* qm.every-rmid judges RMIDs that return no data; one at least must return some. */
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        readable += pairs[i].status == ST_OK;
    if (st == ST_OK && readable == 0)
        st = pairs[0].status;
    if (st != ST_OK)
        return check_unmeasured(c, st, d->cpu, "IA32_QM_CTR");
    *out = pairs;
    return ST_OK;
}

enum status monitor_read_counts(struct check *c, struct qm_domain *d, enum qm_event event, struct qm_pair **pairs)
{
    return read_counts(c, d, event, true, pairs);
}

enum status monitor_read_counts_after(struct check *c, struct qm_domain *d, enum qm_event event, struct qm_pair **pairs)
{
    return read_counts(c, d, event, reference_is_intel(c), pairs);
}

/* Below, what prefetchers and evictions bring to an RMID may be half of what it had. */
#define RESTART_NOISE (1u << 20)
/* may_restart: a decrease may be a count that began at 0 meanwhile. */
static enum status moved(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before, uint64_t after,
                         bool may_restart, double *bytes)
{
    *bytes = qm_moved_bytes(d, before, after);
    if (*bytes >= 0)
        return ST_OK;
    if (may_restart && after < before) /* else it went below 0 */
        return check_absent(c, "L3 domain %u, RMID %u: its count restarted: the part tracks fewer RMIDs at a time",
                            d->index, rmid);
    c->state->record.beyond_smis = true;
    return check_violated(c, ST_CORRUPT, FOUND_STEPS_BACK, place_rmid(d->index, rmid),
                          "MBM decreased from 0x%lx to 0x%lx counts: the counter was reset, or has fewer than the %u "
                          "bits that CPUID enumerates",
                          before, after, d->counter_width);
}

enum status monitor_moved(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                          uint64_t after_counts, double *bytes)
{
    return moved(c, d, rmid, before_counts, after_counts, !reference_is_intel(c), bytes);
}

enum status monitor_moved_idle(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                               uint64_t after_counts, double *bytes)
{
    bool may_restart =
        !reference_is_intel(c) && (after_counts <= before_counts / 2 || qm_bytes(d, before_counts) < RESTART_NOISE);

    return moved(c, d, rmid, before_counts, after_counts, may_restart, bytes);
}

/* What a prefetcher that cannot be turned off brings at a time, and so makes even; bytes. */
#define LINE_PAIR 128u

uint64_t mbm_count_step(const uint64_t *counts, uint32_t n, uint32_t width)
{
    uint64_t step = 0, least = UINT64_MAX;

    for (uint32_t i = 1; i < n; i++) {
        uint64_t a = (counts[i] - counts[i - 1]) & low_bits(width), b = step;

        least = a && a < least ? a : least;
        while (a) {
            uint64_t rest = b % a;

            b = a;
            a = rest;
        }
        step = b;
    }
    return step > 2 && step < least ? step : 1;
}

uint64_t mbm_idle_bits(const uint64_t *counts, uint32_t n, uint32_t width, uint32_t upscaling_factor)
{
    uint64_t ones = 0, zeros = 0, far = n ? (counts[n - 1] - counts[0]) & low_bits(width) : 0, went = 0, step;

    for (uint32_t i = 0; i < n; i++) {
        ones |= counts[i];
        zeros |= ~counts[i];
    }
    for (uint32_t bit = 0; bit < width && bit < 62 && UINT64_C(2) << bit <= far; bit++)
        if ((uint64_t)upscaling_factor << (bit < 8 ? bit : 8) >= LINE_PAIR)
            went |= BIT(bit);
    step = mbm_count_step(counts, n, width);
    return went & ~(ones & zeros) & ~((step & -step) - 1);
}

#define SPREAD_COUNTS 32u
#define SPREAD_BITS   4u
#define SPREAD_FIFTH  5u
#define SPREAD_MOVED  8u

uint32_t mbm_bits_in_use(const uint64_t *counts, uint32_t n, uint64_t moved)
{
    uint64_t all = 0, sum = 0;
    uint32_t bits;

    for (uint32_t i = 0; i < n; i++) {
        all |= counts[i];
        sum += counts[i];
    }
    bits = bits_for(all);
    if (n < SPREAD_COUNTS || bits <= SPREAD_BITS || sum / SPREAD_MOVED < moved)
        return 0;
    for (uint32_t bit = bits - SPREAD_BITS; bit < bits; bit++) {
        uint32_t set = 0;

        for (uint32_t i = 0; i < n; i++)
            set += counts[i] >> bit & 1;
        if (set < n / SPREAD_FIFTH || set > n - n / SPREAD_FIFTH)
            return 0;
    }
    return bits;
}

/* --- series that should be flat ----------------------------------------------------------------------------------- */

static unsigned thousandths(double ratio)
{
    return (unsigned)(ratio < 0 ? 0 : ratio * 1000 + 0.5);
}

enum status flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p)
{
    char title[96];
    enum status st = plateau_find(f->y, f->n, f->share, p);

    if (st != ST_OK)
        return check_unmeasured(c, st, c->tools->qm[domain].cpu, f->name);
    series_begin(
        c, &(struct series_head){
               .name = f->name, .place = place_domain(domain), .unit = "ratio", .x_name = f->x_name, .x_unit = "" });
    for (uint32_t i = 0; i < f->n; i++)
        series_add(c, f->x[i], f->y[i]);
    series_end(c);
    text_format(title, sizeof title, "%s: minimum", f->name);
    check_measure(c, title, place_domain(domain), p->lowest, "ratio", -NO_BOUND, NO_BOUND);
    text_format(title, sizeof title, "%s: maximum", f->name);
    check_measure(c, title, place_domain(domain), p->highest, "ratio", -NO_BOUND, NO_BOUND);
    if (p->stepped)
        check_note(c, "L3 domain %u: %s steps at %s %u: %u.%03u below it, %u.%03u from it on", domain, f->name,
                   f->x_name, (unsigned)f->x[p->at], thousandths(p->level) / 1000, thousandths(p->level) % 1000,
                   thousandths(p->after) / 1000, thousandths(p->after) % 1000);
    return ST_OK;
}

enum status cpu_ratios_open(struct check *c, struct cpu_ratios *s, uint32_t capacity)
{
    *s = (struct cpu_ratios){ .cpu = check_alloc(c, (capacity + 1) * sizeof s->cpu[0]),
                              .ratio = check_alloc(c, (capacity + 1) * sizeof s->ratio[0]) };
    return s->cpu && s->ratio ? ST_OK : check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the series of processors");
}

void cpu_ratios_add(struct cpu_ratios *s, uint32_t cpu, double ratio)
{
    uint32_t i = s->n++;

    for (; i > 0 && s->cpu[i - 1] > cpu; i--) { /* threads of the boot processor come last */
        s->cpu[i] = s->cpu[i - 1];
        s->ratio[i] = s->ratio[i - 1];
    }
    s->cpu[i] = cpu;
    s->ratio[i] = ratio;
}

enum status cpu_ratios_show(struct check *c, uint32_t domain, const struct cpu_ratios *s, const char *name,
                            double share)
{
    struct flat f = { .name = name, .x_name = "cpu", .x = s->cpu, .y = s->ratio, .n = s->n, .share = share };
    struct plateau p;

    return s->n ? flat_show(c, domain, &f, &p) : ST_OK;
}
