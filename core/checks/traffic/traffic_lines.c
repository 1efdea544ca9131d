/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Lines that slices take into the L3 and evict from it. Witness: a stream of known size into an empty L3 and a full one. */
#include "core/checks/families.h"
#include "core/uncore/traffic_window.h"

#define GUIDE_CBO "E5-2600 Uncore Guide 327043-001 2.3 CBo performance monitoring, TOR_INSERTS and LLC_VICTIMS"
#define SHARE     0.05 /* of the lines read: page walks, other processors */
#define LINE      64.0

static const char *lines_in(const struct pmon_unit *unit)
{
    return unit->kind == PMON_UNCORE ? "lines_in" : "tor_miss";
}

static const char *lines_out(const struct pmon_unit *unit)
{
    return unit->kind == PMON_UNCORE ? "lines_out" : "llc_victims";
}

static bool counts_lines(const struct pmon_unit *unit)
{
    return (unit->kind == PMON_CHA || unit->kind == PMON_UNCORE) && pmon_event_named(unit, lines_in(unit)) &&
           pmon_event_named(unit, lines_out(unit));
}

static double lines_of(const struct pmon_session *session, const struct traffic_window_counts *counts, uint32_t package,
                       uint32_t i)
{
    double sum = 0;

    pmon_session_each(session, b)
        if (b->box->package == package && b->status == ST_OK)
            sum += traffic_window_net(counts, session, b, i);
    return sum;
}

struct lines {
    struct traffic_window stream;
    struct traffic_window filler; /* larger than the L3 */
    struct traffic_window fresh;  /* as the stream, of memory that no replacement has to have made room for */
    struct traffic_window_counts counts;
};

/* An empty L3 takes every line and gives none; a full one gives a line for each that it takes. */
static void judge_lines(struct pmon_session *session, const struct lines *l, double lines, bool full)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double in = lines_of(session, &l->counts, p, 0), out = lines_of(session, &l->counts, p, 1);

        if (traffic_window_bytes(&l->stream, c, p) == 0)
            continue;
        excludes_share(c, "a loss of fills", in, lines * (1 - SHARE));
        if (full)
            excludes_share(c, "a loss of victims", out, lines * (1 - 2 * SHARE));
        else
            excludes(c, "victims of an empty L3", 100 * (SHARE - out / lines), "%");
        if (!check_measure(c, "L3 fills over lines read", place_package(p), in / lines, "ratio", 1 - SHARE, 1 + SHARE))
            finding(c, never_counts(in, lines) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, FOUND_FILLS_OFF,
                    place_package(p), "%lu lines read, slices count %lu fills", (uint64_t)lines,
                    (uint64_t)(in > 0 ? in : 0));
        if (!check_measure(c, full ? "victims of a full L3 over lines read" : "victims of an empty L3 over lines read",
                           place_package(p), out / lines, "ratio", full ? 1 - 2 * SHARE : -NO_BOUND,
                           full ? 1 + 2 * SHARE : SHARE))
            finding(c, (full ? never_counts(out, lines) : out > lines / 2) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0,
                    FOUND_VICTIMS_OFF, place_package(p), "%lu lines read into %s L3, slices count %lu victims",
                    (uint64_t)lines, full ? "a full" : "an empty", (uint64_t)(out > 0 ? out : 0));
    }
}

static enum status clean_all(struct check *c, uint32_t *bad_cpu)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        TRY(domain_clean(c, i, bad_cpu));
    return ST_OK;
}

static enum status lines_prepare(struct lines *l, struct check *c, uint64_t l3, uint64_t bytes)
{
    TRY(traffic_window_add_packages(&l->stream, c, bytes));
    TRY(traffic_window_add_packages(&l->filler, c, ROUND_DOWN(2 * l3)));
    TRY(traffic_window_add_packages(&l->fresh, c, bytes));
    return ST_OK;
}

static enum status lines_run(struct lines *l, struct pmon_session *session, double lines)
{
    TRY(clean_all(session->check, &l->stream.bad_cpu));
    TRY(traffic_window_run(session, &l->stream, &l->counts));
    judge_lines(session, l, lines, false);
    TRY(traffic_window_run(session, &l->filler, &l->counts));
    TRY(traffic_window_run(session, &l->fresh, &l->counts));
    judge_lines(session, l, lines, true);
    return ST_OK;
}

static enum status monitors_try_lines(struct pmon_session *session)
{
    struct check *c = session->check;
    uint64_t l3 = c->machine->domains[0].l3_bytes, bytes = ROUND_DOWN(l3 / 8);
    struct lines l = { .stream = { .kind = WORK_READ, .passes = 1 },
                       .filler = { .kind = WORK_READ, .passes = 1 },
                       .fresh = { .kind = WORK_READ, .passes = 1 } };

    TRY(lines_prepare(&l, c, l3, bytes));
    pmon_session_each(session, b) {
        traffic_window_select(b, 0, lines_in(b->unit));
        traffic_window_select(b, 1, lines_out(b->unit));
    }
    TRY_MEASURE(c, lines_run(&l, session, (double)bytes / LINE), l.stream.bad_cpu, "the cache stream");
    return ST_OK;
}

static enum status traffic_lines_ready(struct check *c)
{
    if (c->machine->n_domains == 0 || !c->machine->domains[0].l3_inclusive)
        return check_absent(c, "the L3 is not inclusive: a miss need not fill it");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "traffic.lines",
      .title = "L3 victims: none while the L3 fills, one per fill once it is full",
      .spec = GUIDE_CBO,
      .covers = "X11 X11a X13",
      .detects = "victims or fills that are not counted",
      .ready = traffic_lines_ready,
      .sums = true,
      .wanted = counts_lines,
      .run_session = monitors_try_lines },
};
CHECK_FAMILY(traffic_lines, rows, UNCORE_TRAFFIC_FAMILY, .by_experience = true, .excludes = true, .order = 986);
