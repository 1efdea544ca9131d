/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* UCLK, as the fixed counter of each package's UBox counts it. Witness: the TSC, other packages, and the ratio in MSR
 * 621H. */
#include "arch/x86/cpu/msr_regs.h"
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_FIXED "E5-2600 Uncore Guide 327043-001 2.2.3 UBox Performance Monitoring (fixed counter)"

static bool has_uclk(const struct pmon_unit *unit)
{
    return unit->layout->fixed.clock == PMON_CLOCK_UCLK;
}

static uint32_t fixed_counter(const struct pmon_session_box *b)
{
    return pmon_session_programmable(b);
}

static void count_uclk(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_each(session, b)
        b->ctl[fixed_counter(b)] = b->unit->layout->fixed.en;
}

static double middle(double lo, double hi)
{
    return hi < NO_BOUND ? (lo + hi) / 2 : lo;
}

/* --- UCLK against the ratio in MSR 621H --------------------------------------------------------------------------- */

#define RATIO_SOURCE                                                                                                   \
    "Linux drivers/platform/x86/intel/uncore-frequency/uncore-frequency.c, MSR 621H; E5-2600 Uncore Guide 327043-001 " \
    "2.2.2 U_MSR_PMON_UCLK_FIXED_CTR"
#define RATIO_HZ 1e8
#define RATIO_SHARE                                                                                                    \
    0.01 /* the TSC's rate may be known to a part in 300, and the base clock is spread by half a part in 100 */
#define RATIO_TRIES 16u /* windows, each half as long, until one has one ratio at both ends and a rate that fits */
#define RATIO_SIZES                                                                                                    \
    8u /* as the one before, from 10 ms to 78 us and again, since the clock may move every 500 us       */
#define RATIO_KNOWN 0.02 /* rates known less exactly than that show nothing */

struct uclk_ratio {         /* of one UBox */
    uint64_t before, after; /* as read in this window      */
    uint64_t ratio;         /* as read in that of the rate */
    double lo, hi;          /* the rate, Hz                */
    enum status status;
    bool steady, fits;
};

static enum status uclk_read_ratio(struct check *c, const struct pmon_session_box *b, uint64_t *value)
{
    return msr_read(c->platform, b->box->cpu, MSR_UNCORE_PERF_STATUS, value);
}

/* One window of every UBox; what fitted in an earlier one stays. */
static void try_ratio(struct pmon_session *session, struct uclk_ratio *ratios, uint64_t ticks)
{
    struct check *c = session->check;

    for (uint32_t i = 0; i < session->n; i++)
        if (!ratios[i].fits)
            ratios[i].status = uclk_read_ratio(c, &session->boxes[i], &ratios[i].before);
    pmon_session_measure(session, ticks);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        struct uclk_ratio *t = &ratios[i];
        double lo, hi, hz;

        if (t->fits || t->status != ST_OK || b->status != ST_OK)
            continue;
        t->status = uclk_read_ratio(c, b, &t->after);
        if (t->status != ST_OK || field_get(MSR_UNCORE_PERF_STATUS_RATIO, t->before ^ t->after))
            continue;
        hz = RATIO_HZ * (double)field_get(MSR_UNCORE_PERF_STATUS_RATIO, t->after);
        pmon_session_rate(session, b, fixed_counter(b), &lo, &hi);
        if (hi > lo * (1 + RATIO_KNOWN))
            continue;
        t->lo = lo;
        t->hi = hi;
        t->ratio = t->after;
        t->steady = true;
        t->fits = lo <= hz * (1 + RATIO_SHARE) && hi >= hz * (1 - RATIO_SHARE);
    }
}

/* true: there was something to compare. */
static bool judge_uclk_ratio(struct pmon_session *session, const struct pmon_session_box *b, const struct uclk_ratio *t)
{
    struct check *c = session->check;
    uint64_t ratio = field_get(MSR_UNCORE_PERF_STATUS_RATIO, t->ratio);
    double hz = RATIO_HZ * (double)ratio;

    if (b->status != ST_OK)
        return false;
    if (t->status != ST_OK || !t->steady || ratio == 0) {
        check_note(c, "%s: MSR 0x%x: %s", b->name, MSR_UNCORE_PERF_STATUS,
                   t->status != ST_OK ? status_text(t->status)
                   : t->steady        ? "the current ratio reads 0"
                                      : "the current ratio kept changing");
        return false;
    }
    evidence_msr(c, b->box->cpu, MSR_UNCORE_PERF_STATUS, t->ratio, 0);
    if (t->fits) {
        session->held++;
        return true;
    }
    check_measure(c, "UCLK over the current ratio in MSR 621H", pmon_place(b->box), middle(t->lo, t->hi) / hz, "ratio",
                  1 - RATIO_SHARE, 1 + RATIO_SHARE);
    finding(c, FINDING_UNUSUAL, 0, FOUND_CLOCK_OFF_RATIO, pmon_place(b->box),
            "UCLK is %lu Hz, and the current ratio in MSR 0x%x is %lu times 100 MHz", (uint64_t)middle(t->lo, t->hi),
            MSR_UNCORE_PERF_STATUS, ratio);
    return true;
}

/* The fixed counters are enabled. */
static void try_ratios(struct pmon_session *session, struct uclk_ratio *ratios)
{
    for (uint32_t i = 0; i < RATIO_TRIES; i++)
        try_ratio(session, ratios, pmon_session_ticks(session) >> i % RATIO_SIZES);
}

static enum status uclk_try_ratio(struct pmon_session *session)
{
    struct check *c = session->check;
    struct uclk_ratio *ratios;
    uint32_t judged = 0;

    TRY_ALLOC(c, ratios, session->n, "the UBoxes");
    count_uclk(session);
    try_ratios(session, ratios);
    for (uint32_t i = 0; i < session->n; i++)
        judged += judge_uclk_ratio(session, &session->boxes[i], &ratios[i]);
    if (judged == 0 && check_verdict(c) == VERDICT_PASS)
        return check_absent(c, "no package reports a current uncore ratio in MSR 0x%x", MSR_UNCORE_PERF_STATUS);
    return ST_OK;
}

/* --- one rate on every package ------------------------------------------------------------------------------------ */

#define WINDOWS    7u
#define SPREAD     0.05 /* of windows on one package, and between packages: UCLK may scale a little */
#define UCLK_LO_HZ 4e8  /* slowest and fastest uncore that these parts were built with, with room */
#define UCLK_HI_HZ 5e9

struct uclk_rate { /* of one UBox */
    double hz[WINDOWS], median;
    uint32_t still, back; /* windows in which the counter did not advance, or decreased */
};

struct uclk_rates {
    struct pmon_session *session;
    struct uclk_rate *rate;    /* [session->n] */
    struct uclk_ratio *ratios; /* NULL: not asked for yet */
};

/* Hardware scales UCLK, on each package for itself, and not on all parts can it be pinned (Linux
 * drivers/platform/x86/intel/uncore-frequency): one that is what the part says it is, is as it should be. */
static bool follows_ratio(struct uclk_rates *u, uint32_t i)
{
    struct check *c = u->session->check;
    const struct pmon_session_box *b = &u->session->boxes[i];
    const struct uclk_ratio *t;
    uint64_t ratio;

    if (u->ratios == NULL) {
        u->ratios = check_alloc(c, sizeof *u->ratios * u->session->n);
        if (u->ratios == NULL)
            return false;
        try_ratios(u->session, u->ratios);
    }
    t = &u->ratios[i];
    ratio = field_get(MSR_UNCORE_PERF_STATUS_RATIO, t->ratio);
    if (!t->steady || ratio == 0)
        return false;
    evidence_msr(c, b->box->cpu, MSR_UNCORE_PERF_STATUS, t->ratio, 0);
    if (!check_measure(c, "UCLK over the ratio in MSR 621H", pmon_place(b->box),
                       middle(t->lo, t->hi) / (RATIO_HZ * (double)ratio), "ratio", 1 - SPREAD, 1 + SPREAD))
        return false;
    check_note(c, "%s: UCLK is what the ratio in MSR 0x%x says, %lu times 100 MHz", b->name, MSR_UNCORE_PERF_STATUS,
               ratio);
    return true;
}

static void count_window(struct uclk_rates *u, uint32_t window)
{
    struct pmon_session *session = u->session;

    pmon_session_measure(session, pmon_session_ticks(session));
    for (uint32_t i = 0; i < session->n; i++) {
        const struct pmon_session_box *b = &session->boxes[i];
        uint64_t counts = pmon_session_counts(b, fixed_counter(b));
        double lo, hi;

        pmon_session_rate(session, b, fixed_counter(b), &lo, &hi);
        u->rate[i].hz[window] = counts ? middle(lo, hi) : 0;
        u->rate[i].still += counts == 0;
        u->rate[i].back += counts > low_bits(b->bits[fixed_counter(b)]) / 2;
    }
}

/* The median of how far windows lie from their median: a single window may be disturbed (SMI). */
static void judge_spread(struct uclk_rates *u, uint32_t i)
{
    const struct uclk_rate *r = &u->rate[i];
    struct place place = pmon_place(u->session->boxes[i].box);
    double off[WINDOWS], spread;

    for (uint32_t w = 0; w < WINDOWS; w++)
        off[w] = __builtin_fabs(r->hz[w] / r->median - 1);
    spread = stats_median(off, WINDOWS);
    if (!check_measure(u->session->check, "spread of UCLK over windows", place, 100 * spread, "%", 0,
                       spread > SPREAD && follows_ratio(u, i) ? NO_BOUND : 100 * SPREAD))
        finding(u->session->check, FINDING_UNUSUAL, 0, FOUND_READS_DIFFER, place, "UCLK differs between windows");
}

/* false: it does not advance. */
static bool judge_rate(struct uclk_rates *u, uint32_t i)
{
    struct check *c = u->session->check;
    struct place place = pmon_place(u->session->boxes[i].box);
    struct uclk_rate *r = &u->rate[i];
    double sorted[WINDOWS];

    series_begin(c, "UCLK", place, "Hz", "window", "");
    for (uint32_t w = 0; w < WINDOWS; w++) {
        series_add(c, w, r->hz[w]);
        sorted[w] = r->hz[w];
    }
    series_end(c);
    r->median = stats_median(sorted, WINDOWS);
    if (r->still == WINDOWS || r->median <= 0) {
        finding(c, FINDING_EXPECTED, 0, FOUND_COUNTS_ZERO, place, "fixed counter enabled but does not advance");
        return false;
    }
    if (r->still || r->back)
        finding(c, FINDING_EXPECTED, 0, FOUND_STEPS_BACK, place,
                "fixed counter did not advance in %u and decreased in %u of %u windows", r->still, r->back, WINDOWS);
    if (!check_measure(c, "UCLK", place, r->median, "Hz", UCLK_LO_HZ, UCLK_HI_HZ))
        finding(c, FINDING_UNUSUAL, 0, FOUND_CLOCK_OUT_OF_RANGE, place,
                "UCLK of %lu Hz is outside the range of these parts", (uint64_t)r->median);
    judge_spread(u, i);
    return true;
}

/* Packages of one machine have one UCLK, unless each says that its own is another. */
static void judge_packages_alike(struct uclk_rates *u, uint32_t i, uint32_t first)
{
    const struct pmon_session_box *b = &u->session->boxes[i];
    double ratio = u->rate[i].median / u->rate[first].median;
    bool apart = ratio < 1 - SPREAD || ratio > 1 + SPREAD;
    bool own = apart && follows_ratio(u, i) && follows_ratio(u, first);

    if (!check_measure(u->session->check, "UCLK over that of the first package", pmon_place(b->box), ratio, "ratio",
                       own ? 0 : 1 - SPREAD, own ? NO_BOUND : 1 + SPREAD))
        finding(u->session->check, FINDING_UNUSUAL, 0, FOUND_CLOCK_DIFFERS, pmon_place(b->box),
                "UCLK is %lu Hz, %lu Hz on package %u, both idle", (uint64_t)u->rate[i].median,
                (uint64_t)u->rate[first].median, u->session->boxes[first].box->package);
}

/* The registers of a package are there, and those of another raise #GP. */
static void judge_missing(struct pmon_session *session)
{
    const struct pmon *pmon = &session->check->tools->pmon;
    uint32_t missing = HOW_MANY(i, pmon->n_uboxes, pmon->boxes[i].status == ST_FAULT);

    if (missing > 0)
        finding(session->check, FINDING_EXPECTED, 0, FOUND_BOX_ABSENT, place_of("UBox"),
                "%u packages have its counters, and on %u the registers raise #GP", session->n, missing);
}

static enum status uclk_try_rate(struct pmon_session *session)
{
    struct check *c = session->check;
    struct uclk_rates u = { .session = session, .rate = check_alloc(c, sizeof *u.rate * session->n) };
    uint32_t first = UINT32_MAX;

    if (u.rate == NULL)
        return check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the UBoxes");
    count_uclk(session);
    for (uint32_t w = 0; w < WINDOWS; w++)
        count_window(&u, w);
    for (uint32_t i = 0; i < session->n; i++) {
        if (session->boxes[i].status != ST_OK || !judge_rate(&u, i))
            continue;
        if (first == UINT32_MAX)
            first = i;
        else
            judge_packages_alike(&u, i, first);
    }
    judge_missing(session);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.uclk-ratio",
      .title = "UCLK matches the current uncore ratio in MSR 621H",
      .spec = RATIO_SOURCE,
      .covers = "K1",
      .detects = "a fixed counter at another clock, a ratio that is not the clock's",
      .wanted = has_uclk,
      .run_session = uclk_try_ratio },
};
CHECK_FAMILY(uclk, rows, UNCORE_FAMILY, .risk = RISK_MSR, .order = 935, .grade = GRADE_W);

static const struct check_row ubox_rows[] = {
    { .id = "ubox.uclk-rate",
      .title = "UCLK runs at one rate on every package, measured by the TSC",
      .spec = GUIDE_FIXED,
      .covers = "K1 A1",
      .detects = "a fixed counter that does not advance, decreases or counts another clock on one package",
      .wanted = has_uclk,
      .run_session = uclk_try_rate },
};
CHECK_FAMILY(ubox, ubox_rows, UBOX_FAMILY, .order = 900);
