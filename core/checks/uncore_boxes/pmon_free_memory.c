/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Free-running counters of memory controllers. Witness: what the controller's own channels are programmed to count in
 * the same time: DCLK, and bytes read and written; where no channel can be programmed, the bytes of the load. */
#include "core/base/stats.h"
#include "core/uncore/pmon_channels.h"
#include "core/checks/uncore_boxes/pmon_free_memory.h"

#define SOURCE                                                                                                         \
    "Linux uncore_snbep.c icx_imc_freerunning, spr_imc_freerunning; likwid registers.h MMIO_ICX_IMC_FREERUN; "         \
    "intel/pcm bw.cpp"
#define CLOCK_SLACK  2e-3 /* one clock that does not scale; the TSC's rate does not matter to a comparison */
#define MEMORY_BYTES (16 * UINT64_C(1048576))
#define MEMORY_TRIES 3u

/* --- a controller and its channels -------------------------------------------------------------------------------- */

bool free_memory_owns(const struct pmon_box *mc, const struct pmon_box *channel)
{
    const struct pmon_memory_map *map = mc->unit->location.memory;
    uint64_t at = pmon_address(channel, pmon_box_ctl(channel->unit)), from = mc->base + (map ? map->channel : 0);

    return map && channel->unit->layout->access == PMON_MMIO && pmon_same_die(channel, mc) && at >= from &&
           at < from + (uint64_t)map->channels_most * map->channel_step && (at - from) % map->channel_step == 0;
}

static bool free_memory_wanted(const struct pmon_unit *unit)
{
    return unit->kind == PMON_FREE ||
           (unit->kind == PMON_IMC && unit->layout->access == PMON_MMIO && unit->events.clock == PMON_CLOCK_DCLK);
}

/* Not judged; registers that read all ones are noted. */
static bool left_out(struct check *c, const struct pmon_session_box *mc, uint32_t i, const char *name)
{
    if (mc->status != ST_OK || (mc->preset[i] != UINT64_MAX && mc->got[i] != UINT64_MAX))
        return mc->status != ST_OK;
    check_note(c, "%s %s: reads all ones", mc->name, name);
    return true;
}

static void show_window(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i)
{
    struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, i));

    pmon_session_show(session, b, reg, b->preset[i]);
    pmon_session_show(session, b, reg, b->got[i]);
}

/* --- DCLK --------------------------------------------------------------------------------------------------------- */

enum free_clock_verdict free_memory_clock(const struct free_window *w, const struct free_window *channels, uint32_t n,
                                          uint32_t *alike)
{
    uint32_t running = 0;

    *alike = 0;
    for (uint32_t i = 0; i < n; i++) {
        running += channels[i].counts > 0;
        *alike += channels[i].counts > 0 && w->lo <= channels[i].hi * (1 + CLOCK_SLACK) &&
                  channels[i].lo <= w->hi * (1 + CLOCK_SLACK);
    }
    if (n == 0 || (w->counts == 0 && running < n) || running == 0)
        return FREE_CLOCK_OPEN;
    if (w->counts == 0)
        return FREE_CLOCK_DEAD;
    return *alike ? FREE_CLOCK_ALIKE : FREE_CLOCK_OTHER;
}

static struct free_window free_memory_window(const struct pmon_session *session, const struct pmon_session_box *b,
                                             uint32_t i)
{
    struct free_window w = { .counts = pmon_session_counts(b, i) };

    pmon_session_rate(session, b, i, &w.lo, &w.hi);
    return w;
}

/* What the channels of a controller counted, or where no channel has its registers there those of its die. */
static uint32_t channels_of(const struct pmon_session *session, const struct pmon_session_box *mc,
                            struct free_window *channels, bool *own)
{
    uint32_t n = 0;

    for (uint32_t pass = 0; pass < 2 && n == 0; pass++) {
        *own = pass == 0;
        pmon_session_each(session, b) {
            if (b->unit->layout->n_free == 0 && b->status == ST_OK && pmon_same_die(b->box, mc->box) &&
                (pass || free_memory_owns(mc->box, b->box)))
                channels[n++] = free_memory_window(session, b, 0);
        }
    }
    return n;
}

/* The rate of a clock that does not advance may come out below 0: by less than one count. */
static double hz_of(const struct free_window *w)
{
    return w->lo > 0 ? w->lo : 0;
}

double free_memory_background(const struct free_window *channels, uint32_t n)
{
    return FIND(i, n, channels[i].counts > 0, hz_of(&channels[i]), 0);
}

static void judge_dclk(struct pmon_session *session, const struct pmon_session_box *mc, uint32_t i,
                       struct free_window *channels)
{
    const char *name = mc->unit->layout->free[i].name;
    struct check *c = session->check;
    struct free_window w;
    struct place place = place_with_detail(pmon_session_place(mc, i), "%s", name);
    uint32_t n, alike;
    double background;
    bool own;

    if (left_out(c, mc, i, name))
        return;
    w = free_memory_window(session, mc, i);
    n = channels_of(session, mc, channels, &own);
    show_window(session, mc, i);
    check_show(c, "clock", place, hz_of(&w), "Hz");
    switch (free_memory_clock(&w, channels, n, &alike)) {
    case FREE_CLOCK_ALIKE:
        session->held++;
        break;
    case FREE_CLOCK_OPEN:
        check_note(c, "%s %s: %lu Hz; DCLK does not run on every one of the %u channels of the %s", mc->name, name,
                   (uint64_t)hz_of(&w), n, own ? "controller" : "die");
        break;
    case FREE_CLOCK_DEAD:
        check_measure(c, "clocks counted", place, 0, "counts", 1, NO_BOUND);
        pmon_session_finding(c, mc->unit, FOUND_COUNTS_ZERO, place,
                             "does not advance, while every channel of the controller counts DCLK");
        break;
    case FREE_CLOCK_OTHER:
        background = free_memory_background(channels, n);
        check_measure(c, "clock over that of a channel", place, hz_of(&w) / background, "ratio", 1 - CLOCK_SLACK,
                      1 + CLOCK_SLACK);
        pmon_session_finding(c, mc->unit, FOUND_CLOCK_DIFFERS, place,
                             "%lu Hz, and the channels of the %s count DCLK at %lu Hz", (uint64_t)hz_of(&w),
                             own ? "controller" : "die", (uint64_t)background);
        break;
    }
}

static uint32_t free_clocks(const struct pmon_session *session)
{
    uint32_t n = 0;

    pmon_session_each(session, b)
        for (uint32_t k = 0; k < b->unit->layout->n_free; k++)
            n += b->unit->layout->free[k].clock == PMON_CLOCK_DCLK;
    return n;
}

static enum status free_memory_try_dclk(struct pmon_session *session)
{
    struct check *c = session->check;
    struct free_window *channels;

    TRY_ALLOC(c, channels, session->n, "the uncore boxes");
    if (free_clocks(session) == 0)
        return check_absent(c, "no free-running clock of a memory controller responds");
    pmon_session_set_all(session, pmon_session_clock_ctl, false);
    pmon_session_measure(session, 2 * pmon_session_ticks(session));
    pmon_session_each(session, b)
        for (uint32_t k = 0; k < b->unit->layout->n_free; k++)
            if (b->unit->layout->free[k].clock == PMON_CLOCK_DCLK)
                judge_dclk(session, b, k, channels);
    return ST_OK;
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

enum free_bytes_verdict free_memory_bytes(double free, double cas, double expected)
{
    double off = stats_distance(free, cas);

    if (cas < FREE_BYTES_LEAST * expected) /* no memory there, or its channels cannot be counted */
        return free > FREE_BYTES_LEAST * expected + FREE_BYTES_SHARE * cas ? FREE_BYTES_OTHER : FREE_BYTES_OPEN;
    return off <= FREE_BYTES_SHARE * cas ? FREE_BYTES_ALIKE : FREE_BYTES_OTHER;
}

/* Bytes that the channels of a controller counted; *n how many of them did. */
static double cas_of(const struct pmon_session *session, const struct pmon_box *mc, const struct channel *channels,
                     uint32_t n_all, bool reads, uint32_t *n)
{
    double sum = 0;

    *n = 0;
    for (uint32_t i = 0; i < n_all; i++) {
        const struct pmon_session_box *b = &session->boxes[channels[i].box];

        if (!free_memory_owns(mc, b->box) || (reads ? channels[i].rd : channels[i].wr) == NO_COUNTER)
            continue;
        sum += reads ? channels[i].read : channels[i].written;
        (*n)++;
    }
    return sum;
}

struct memory_traffic {
    struct pmon_session *session;
    struct traffic_window traffic;
    struct traffic_window_counts counts;
    struct channel *channels;
    uint32_t n_channels;
    bool reads;
};

static const char *event_of(const struct memory_traffic *f)
{
    return f->reads ? "ddr_rd" : "ddr_wr";
}

/* What a controller's counter says, and its channels; false: it has none such, none of them can be counted, or its
 * package has no memory that was read. */
static bool both_of(const struct memory_traffic *f, const struct pmon_session_box *mc, double *free, double *cas)
{
    uint32_t i = pmon_free_named(mc->unit, event_of(f)), n = 0;

    if (i == PMON_FIXED || mc->status != ST_OK ||
        traffic_window_bytes(&f->traffic, f->session->check, mc->box->package) == 0)
        return false;
    *free = mc->unit->layout->free[i].bytes * traffic_window_net(&f->counts, f->session, mc, i);
    *cas = cas_of(f->session, mc->box, f->channels, f->n_channels, f->reads, &n);
    return n > 0;
}

/* Of each controller's share: an even one of what its package moved. */
static double free_memory_expected(const struct memory_traffic *f, const struct pmon_session_box *mc)
{
    uint32_t n = 0;

    pmon_session_each(f->session, b)
        n += b->unit->layout->n_free && b->box->package == mc->box->package;
    return (double)traffic_window_bytes(&f->traffic, f->session->check, mc->box->package) / n;
}

/* --- a client, whose channels nothing else counts: the load itself */

/* What the controllers of a package say together; false: it has none, or none of its memory was moved. */
static bool sum_of(const struct memory_traffic *f, uint32_t package, double *free, double *moved)
{
    uint32_t n = 0;

    *free = 0;
    *moved = (double)traffic_window_bytes(&f->traffic, f->session->check, package);
    pmon_session_each(f->session, b) {
        uint32_t i = pmon_free_named(b->unit, event_of(f));

        if (b->unit->location.find != PMON_FIND_BAR || b->box->package != package || i == PMON_FIXED ||
            b->status != ST_OK)
            continue;
        *free += b->unit->layout->free[i].bytes * traffic_window_net(&f->counts, f->session, b, i);
        n++;
    }
    return n > 0 && *moved > 0;
}

static bool is_moved(double free, double moved)
{
    return free_memory_bytes(free, moved, moved) == FREE_BYTES_ALIKE;
}

static void judge_sum(const struct memory_traffic *f, uint32_t package, uint32_t *judged)
{
    struct check *c = f->session->check;
    struct place place = place_with_detail(place_package(package), "%s", event_of(f));
    double free, moved;

    if (!sum_of(f, package, &free, &moved))
        return;
    (*judged)++;
    pmon_session_each(f->session, b)
        if (b->box->package == package && b->status == ST_OK && pmon_free_named(b->unit, event_of(f)) != PMON_FIXED)
            show_window(f->session, b, pmon_free_named(b->unit, event_of(f)));
    excludes_share(c, f->reads ? "a loss of free-running reads" : "a loss of free-running writes", free,
                   moved * (1 - FREE_BYTES_SHARE));
    if (check_measure(c, f->reads ? "bytes read by free-running counters" : "bytes written by free-running counters",
                      place, free, "bytes", moved * (1 - FREE_BYTES_SHARE), moved * (1 + FREE_BYTES_SHARE)))
        return;
    /* graphics and devices read and write memory too, and not evenly */
    finding(c, free < moved ? FINDING_EXPECTED : FINDING_UNUSUAL, 0,
            free < moved ? FOUND_UNDERCOUNTS : FOUND_OVERCOUNTS, place,
            "%lu bytes %s by the free-running counters, %lu by the load", (uint64_t)(free > 0 ? free : 0),
            f->reads ? "read" : "written", (uint64_t)moved);
}

static bool all_alike(const struct memory_traffic *f)
{
    double free, cas;

    if (ANY_OF(p, f->session->check->machine->n_packages, sum_of(f, p, &free, &cas) && !is_moved(free, cas)))
        return false;
    pmon_session_each(f->session, mc) {
        if (mc->unit->layout->n_free && both_of(f, mc, &free, &cas) &&
            free_memory_bytes(free, cas, free_memory_expected(f, mc)) == FREE_BYTES_OTHER)
            return false;
    }
    return true;
}

static void judge_bytes(const struct memory_traffic *f, const struct pmon_session_box *mc, uint32_t *judged)
{
    struct check *c = f->session->check;
    uint32_t i = pmon_free_named(mc->unit, event_of(f));
    double free, cas, slack;
    enum free_bytes_verdict v;
    struct place place;

    if (!both_of(f, mc, &free, &cas))
        return;
    place = place_with_detail(pmon_session_place(mc, i), "%s", event_of(f));
    show_window(f->session, mc, i);
    v = free_memory_bytes(free, cas, free_memory_expected(f, mc));
    if (v == FREE_BYTES_OPEN) {
        check_note(c, "%s %s: the channels count %lu bytes: too few to compare", mc->name, event_of(f),
                   (uint64_t)(cas > 0 ? cas : 0));
        return;
    }
    (*judged)++;
    slack = FREE_BYTES_SHARE * cas +
            (cas < FREE_BYTES_LEAST * free_memory_expected(f, mc) ? FREE_BYTES_LEAST * free_memory_expected(f, mc) : 0);
    excludes_share(c, f->reads ? "a loss of free-running reads" : "a loss of free-running writes", free, cas - slack);
    check_measure(c, f->reads ? "bytes read by its free-running counter" : "bytes written by its free-running counter",
                  place, free, "bytes", v == FREE_BYTES_ALIKE ? -NO_BOUND : cas - slack,
                  v == FREE_BYTES_ALIKE ? NO_BOUND : cas + slack);
    if (v == FREE_BYTES_ALIKE)
        return;
    pmon_session_finding(c, mc->unit, free < cas ? FOUND_UNDERCOUNTS : FOUND_OVERCOUNTS, place,
                         "%lu bytes %s by the free-running counter, %lu by CAS of the channels",
                         (uint64_t)(free > 0 ? free : 0), f->reads ? "read" : "written", (uint64_t)(cas > 0 ? cas : 0));
}

/* One kind of stream on every package's own memory, again while they do not agree. */
static enum status free_memory_stream(struct pmon_session *session, struct channel *channels, bool reads,
                                      uint32_t *judged)
{
    struct memory_traffic f = { .session = session,
                                .traffic = { .kind = reads ? WORK_READ : WORK_NT_WRITE, .passes = 1, .cold = true },
                                .channels = channels,
                                .reads = reads };

    tools_reset(session->check->tools);
    TRY(traffic_window_add_each(&f.traffic, session->check, MEMORY_BYTES));
    for (uint32_t t = 0; t < MEMORY_TRIES && (t == 0 || !all_alike(&f)); t++) {
        f.n_channels = channels_select(session, channels, 0, 0);
        TRY_MEASURE(session->check, traffic_window_run(session, &f.traffic, &f.counts), f.traffic.bad_cpu,
                    "the memory stream");
        channels_read(session, &f.counts, channels, f.n_channels);
    }
    pmon_session_each(session, b)
        if (b->unit->layout->n_free)
            judge_bytes(&f, b, judged);
    for (uint32_t p = 0; p < session->check->machine->n_packages; p++)
        judge_sum(&f, p, judged);
    return ST_OK;
}

static bool counts_bytes(const struct pmon_session *session)
{
    pmon_session_each(session, b)
        if (pmon_free_named(b->unit, "ddr_rd") != PMON_FIXED)
            return true;
    return false;
}

static enum status free_memory_try_bytes(struct pmon_session *session)
{
    struct check *c = session->check;
    struct channel *channels;
    uint32_t judged = 0;

    TRY_ALLOC(c, channels, CHANNELS, "the memory channels");
    if (!counts_bytes(session))
        return check_absent(c, "no free-running counter of memory traffic responds");
    TRY(free_memory_stream(session, channels, true, &judged));
    TRY(free_memory_stream(session, channels, false, &judged));
    if (judged == 0)
        return check_absent(c, "no channel of a controller that has free-running counters can be counted");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.free-dclk",
      .title = "The free-running DCLK matches the DCLK of the controller's channels",
      .covers = "K2 K6",
      .detects = "a free-running clock that does not advance, or runs at another rate",
      .means = "a counter that software cannot stop does not count what it should",
      .next = "the controller in the finding; `pmon.clock` and `traffic.channels`, which judge what it is compared "
              "with",
      .risk = RISK_MSR,
      .wanted = free_memory_wanted,
      .free_running = true,
      .run_session = free_memory_try_dclk },
    { .id = "traffic.free-running",
      .title = "Free-running byte counters match CAS of the controller's channels, or the load",
      .covers = "K6 V3 V4",
      .detects = "free-running byte counters that are dead, doubled or swapped",
      .means = "software that reads the free-running counters sees wrong traffic",
      .next = "the controller in the finding; `traffic.channels`: whether the channels or the free-running counters "
              "are wrong",
      .risk = RISK_WORKLOAD,
      .excludes = true,
      .sums = true,
      .wanted = free_memory_wanted,
      .free_running = true,
      .run_session = free_memory_try_bytes },
};
CHECK_FAMILY(pmon_free_memory, rows, .spec = SOURCE, .needs = NEED_PMON, .rests_on = RESTS_ON_UNCORE, .order = 945);
