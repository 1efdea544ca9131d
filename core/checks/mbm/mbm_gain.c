/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MBM total over the bytes read, and over the time that they take. */
#include "core/base/stats.h"
#include "core/base/ticks.h"
#include "core/check/errata.h"
#include "core/experiment/monitor.h"

#define SDM_MBM "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"

/* --- MB-09: the count is proportional to the bytes read ----------------------------------------------------------- */

#define SIZES        4u
#define GAIN_LO      0.92
#define GAIN_HI      1.08
#define OFFSET_BYTES 10e6

struct gain {
    uint32_t cpu, rmid;
    uint64_t base, step;
    double x[SIZES], y[SIZES]; /* bytes read, bytes counted */
    double least_load;         /* bytes of the shortest load that they rest on */
};

/* flags: of the experiments */
static enum status gain_measure(struct check *c, uint32_t domain, struct gain *g, uint32_t flags)
{
    enum status st = ST_OK;

    g->least_load = NO_BOUND;
    series_begin(c, flags ? "MBM total by bytes read, as shares of longer streams" : "MBM total by bytes read",
                 place_domain(domain), "bytes", "bytes read", "bytes");
    for (uint32_t n = 0; n < SIZES && st == ST_OK; n++) {
        struct traffic_part part = part_read(g->rmid, g->base, (n + 1) * g->step);
        struct traffic_load load = { .cpu = g->cpu, .n_parts = 1, .parts = &part };
        struct reading r = reading_total(domain, g->rmid);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        e.flags = flags;
        expect_bandwidth(c, &r, (double)part.work.bytes);
        st = experiment_measure(&e);
        if (st != ST_OK)
            break;
        g->x[n] = (double)part.work.bytes;
        g->y[n] = r.bytes;
        if (g->least_load > (double)(e.long_runs ? e.long_bytes : part.work.bytes))
            g->least_load = (double)(e.long_runs ? e.long_bytes : part.work.bytes);
        series_add(c, g->x[n], g->y[n]);
    }
    series_end(c);
    return st;
}

static enum status gain_line(struct check *c, const struct gain *g, struct line *line)
{
    return stats_robust_line(g->x, g->y, SIZES, line) == ST_OK
               ? ST_OK
               : check_unmeasured(c, ST_RANGE, g->cpu, "the line through the sizes");
}

static bool gain_fits(const struct line *line)
{
    return line->slope >= GAIN_LO && line->slope <= GAIN_HI && line->intercept >= -OFFSET_BYTES &&
           line->intercept <= OFFSET_BYTES;
}

/* Sizes that are each within T_bw may lie on a line that is not, where some of their bytes were read before and count
 * more (GNR12, SRF42), or where a part counts a sample of what moves: all of them are then judged by longer streams. */
static enum status gain_find_line(struct check *c, uint32_t domain, struct gain *g, struct line *line)
{
    TRY(gain_measure(c, domain, g, 0));
    TRY(gain_line(c, g, line));
    if (gain_fits(line))
        return ST_OK;
    TRY(gain_measure(c, domain, g, EXPERIMENT_LONG));
    return gain_line(c, g, line);
}

static void judge_slope(struct check *c, uint32_t domain, const struct gain *g, double slope)
{
    uint32_t thousandths = (uint32_t)(slope < 0 ? 0 : 1000 * slope);
    bool known = slope > GAIN_HI && errata_excess_explains(c->machine, domain, g->least_load);
    bool never = never_counts(slope, 1) || (reference_is_intel(c) && slope < MBM_LEAST);
    enum finding_kind kind = never ? FINDING_FORBIDDEN : known ? FINDING_UNUSUAL : FINDING_EXPECTED;

    if (!check_measure(c, "slope of MBM total over bytes read", place_domain(domain), slope, "ratio", GAIN_LO, GAIN_HI))
        finding(c, kind, 0, FOUND_SLOPE_OFF, place_domain(domain),
                "slope %u.%03u bytes counted per byte read (expected 0.920 to 1.080)", thousandths / 1000,
                thousandths % 1000);
}

static enum status gain_judge(struct check *c, uint32_t domain, struct gain *g)
{
    struct line line;

    TRY(gain_find_line(c, domain, g, &line));
    judge_slope(c, domain, g, line.slope);
    if (!check_measure(c, "MBM total at 0 bytes read, extrapolated", place_domain(domain), line.intercept, "bytes",
                       -OFFSET_BYTES, OFFSET_BYTES))
        finding(c, FINDING_EXPECTED, 0, FOUND_OFFSET_OFF, place_domain(domain),
                "MBM total extrapolated to 0 bytes read is %ld bytes", (int64_t)line.intercept);
    return ST_OK;
}

/* The same bytes in ever longer time: what the counter adds a second, or misses at a low rate, shows. What it counts
 * too much of any such load is the same at each rate. */
#define RATES       5u
#define CHUNKS      16u                /* with a pause after each                                              */
#define RATES_FIRST UINT64_C(25000000) /* ns of the pauses of the second rate; each further one has twice as long */

struct gain_rates {
    double seconds[RATES], bytes[RATES], beyond[RATES]; /* counted, and beyond what the first rate counted */
};

static enum status gain_at_rate(struct check *c, uint32_t domain, const struct gain *g, uint32_t n,
                                struct gain_rates *at)
{
    uint64_t hz = c->platform->tsc_hz, pauses = n ? ticks_from_ns(RATES_FIRST << (n - 1), hz) : 0;
    uint64_t chunk = ROUND_DOWN(SIZES * g->step / CHUNKS);
    struct traffic_part parts[CHUNKS];
    struct traffic_load load = { .cpu = g->cpu, .n_parts = CHUNKS, .parts = parts };
    struct reading r = reading_of("MBM total of reads with pauses", domain, g->rmid, QM_EVENT_L3_TOTAL);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    e.flags = EXPERIMENT_HALVE;
    for (uint32_t i = 0; i < CHUNKS; i++) {
        parts[i] = part_read(g->rmid, g->base + i * chunk, chunk);
        parts[i].pause_ticks = pauses / CHUNKS;
    }
    if (n)
        expect_bandwidth(c, &r, at->bytes[0]);
    TRY(experiment_check(&e, "the buffer was read in pieces with pauses between, against the same without"));
    at->seconds[n] = (double)e.outcome.tsc_ticks / (double)hz;
    for (uint32_t i = 0; i < CHUNKS; i++)
        at->seconds[n] += (double)parts[i].pause_ticks / (double)hz;
    at->bytes[n] = r.bytes;
    at->beyond[n] = r.bytes - at->bytes[0];
    return ST_OK;
}

static enum status gain_by_rate(struct check *c, uint32_t domain, const struct gain *g)
{
    struct gain_rates at;
    struct line line;
    enum status st = ST_OK;

    /* Dropped: what a count depends on of how long ago the same memory was read is then the same for each rate. */
    st = gain_at_rate(c, domain, g, 0, &at);
    TRY(st);
    series_begin(c, "MBM total of the same read at lower rates", place_domain(domain), "bytes", "time", "s");
    for (uint32_t n = 0; n < RATES && st == ST_OK; n++) {
        st = gain_at_rate(c, domain, g, n, &at);
        if (st == ST_OK)
            series_add(c, at.seconds[n], at.bytes[n]);
    }
    series_end(c);
    TRY(st);
    if (stats_robust_line(at.seconds, at.beyond, RATES, &line) != ST_OK)
        return check_unmeasured(c, ST_RANGE, g->cpu, "the line through the rates");
    if (!check_measure(c, "MBM total that grows with time alone", place_domain(domain), line.slope, "bytes/s",
                       -IDLE_BYTES, IDLE_BYTES))
        finding(c, FINDING_EXPECTED, 0, FOUND_GROWS_WITH_TIME, place_domain(domain),
                "MBM total of the same read changes by %ld bytes per second of duration", (int64_t)line.slope);
    return ST_OK;
}

static enum status mbm_gain(struct check *c, uint32_t domain)
{
    struct gain g = { .step = load_stream_bytes(c, domain) / 8 };

    if (domain_rmids(c, domain, &g.rmid, 1) < 1 || domain_cpus(c, domain, &g.cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    g.step = ROUND_DOWN(g.step < 2 * MIB ? 2 * MIB : g.step);
    TRY(memory_scatter_local(c, g.cpu, SIZES * g.step, &g.base));
    TRY(gain_judge(c, domain, &g));
    return gain_by_rate(c, domain, &g);
}

static const struct check_row rows[] = {
    { .id = "mbm.gain",
      .title = "MBM total is proportional to bytes read",
      .spec = SDM_MBM "; Linux selftests/resctrl mbm_test.c",
      .covers = "MB-09",
      .means = "MBM total has the wrong slope over bytes read, an offset, or depends on the rate",
      .next = "`mbm.total`; the points in report.html",
      .run_domain = mbm_gain },
};
CHECK_FAMILY(mbm_gain, rows, .needs = NEED_TOTAL, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_BANDWIDTH,
             .by_experience = true, .excludes = true, .order = 600);
