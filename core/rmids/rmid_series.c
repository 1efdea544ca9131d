/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/rmids/rmid_series.h"

#include <string.h>

#include "core/base/stats.h"

#define ALONE_MOST      512u /* RMIDs, where each has to have a run of its own */
#define RUN_LEAST       8u   /* RMIDs, for which memory of several pieces is taken where one has room for fewer */
#define FIND_TRIES      2u   /* Unavailable once, when it begins to be tracked: APM vol. 2 19.3.3 */
#define LEVEL_LEAST     8u   /* RMIDs of the same memory, whose median is not a few broken ones' */
#define PIECE_LEAST     (MIB / 4)
#define PIECE_LIMITED   (MIB / 32)
#define LIMITS_A_SERIES 32u   /* platform.load_limit: of all loads together  */
#define APART_OF_SIGMA  0.954 /* the median distance of two normal values, in standard deviations */

uint64_t rmid_percent(double ratio)
{
    return (uint64_t)(ratio < 0 ? 0 : ratio * 100 + 0.5);
}

/* 32 counts, of which one more or less is 3 %; a loop's own code and page walks are little against 256 KiB. The loads of
 * thousands of RMIDs are more than a limit on loads is meant for: then shorter ones. */
static uint64_t piece_bytes(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t bytes = ROUND_DOWN(32 * (uint64_t)d->upscaling_factor), least = PIECE_LEAST;
    uint64_t limit = c->platform->load_limit;

    if (limit && d->max_rmid * least > LIMITS_A_SERIES * limit)
        least = PIECE_LIMITED;
    return bytes > least ? bytes : least;
}

enum status rmid_series_open(struct rmid_series *s, struct check *c, uint32_t domain)
{
    uint32_t n = c->machine->domains[domain].max_rmid + 1;
    bool all = true;

    *s = (struct rmid_series){ .check = c, .domain = domain, .piece = piece_bytes(c, domain), .times = 1 };
    s->known.threshold = UINT32_MAX;
    if (domain_cpus(c, domain, &s->cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    s->parts = check_alloc(c, (RMIDS_A_RUN + 2) * sizeof s->parts[0]);
    s->readings = check_alloc(c, RMIDS_A_RUN * RMID_SERIES_EVENTS * sizeof s->readings[0]);
    s->rmid = check_alloc(c, n * sizeof(double));
    s->untracked = check_alloc(c, n * sizeof s->untracked[0]);
    s->place = check_alloc(c, n * sizeof s->place[0]);
    s->x = check_alloc(c, n * sizeof(double));
    s->y = check_alloc(c, n * sizeof(double));
    for (uint32_t i = 0; i < RMID_SERIES_EVENTS; i++) {
        s->ratio[i] = check_alloc(c, n * sizeof(double));
        all = all && s->ratio[i];
    }
    if (!all || !s->parts || !s->readings || !s->rmid || !s->untracked || !s->place || !s->x || !s->y)
        return check_absent(c, "L3 domain %u: no memory for the series of %u RMIDs", domain, n);
    return ST_OK;
}

enum status rmid_series_memory(struct rmid_series *s, uint64_t most, bool local)
{
    uint64_t left = s->remote ? most : memory_left_any(s->check, s->cpu), tails = s->tail / 2 + s->tail, room;
    uint64_t least = tails + RUN_LEAST * s->piece, all = s->remote ? most : memory_left_scattered(s->check, s->cpu);

    if (left < least)
        left = all < least ? all : least;
    most = most < left ? most : left;
    room = most > tails ? (most - tails) / s->piece : 0;
    s->a_run = room < 1 ? 1 : room < RMIDS_A_RUN ? (uint32_t)room : RMIDS_A_RUN;
    s->pieces = s->a_run;
    return (s->remote ? memory_scatter_remote
            : local   ? memory_scatter_local
                      : memory_scatter_any)(s->check, s->cpu, s->a_run * s->piece + tails, &s->base);
}

#define BASE    4u /* sizes of loads                                               */
#define EIGHTHS 8u /* of a piece: their unit, 4 counts of which 2 are rounding apart */

uint64_t rmid_series_load(const struct rmid_series *s, uint32_t slot, uint32_t digit)
{
    if (digit == 0)
        return s->times * s->piece;
    for (; digit > 1; digit--)
        slot /= BASE;
    return s->piece / EIGHTHS * (1 + slot % BASE);
}

static void expect_load(const struct rmid_series *s, uint64_t bytes, struct reading *r)
{
    const struct l3_domain *d = &s->check->machine->domains[s->domain];
    double count = RMID_SERIES_ROUNDING * (double)d->upscaling_factor;
    double piece = (double)bytes;

    if (domain_rmid_in_background(s->check, r->rmid))
        return;
    if (r->event == QM_EVENT_L3_OCCUPANCY) {
        r->lo = piece * (1 - OCC_SHARE) - count;
        r->hi = piece * (1 + OCC_SHARE) + count;
        return;
    }
    expect_bandwidth(s->check, r, piece / mbm_correction_factor(&s->known, r->rmid));
    if (s->remote && r->event == QM_EVENT_L3_LOCAL) {
        r->lo = r->never_lo = 0;
        r->hi = REMOTE_MOST * piece + count;
        return;
    }
    if (s->fine)
        r->lo = (1 - BW_FINE_LOSS) * r->expected - count;
    if (r->event == QM_EVENT_L3_LOCAL)
        r->lo *= LOCAL_LEAST;
}

static void keep_ratios(struct rmid_series *s)
{
    bool first = s->times == 1 && !s->digit && (s->flags & EXPERIMENT_ONCE);

    for (uint32_t i = 0; i < s->n; i++) {
        s->place[s->slots[i]] = (uint8_t)(first ? i : RMIDS_A_RUN);
        for (uint32_t k = 0; k < s->n_events; k++)
            s->ratio[k][s->slots[i]] =
                s->readings[i * s->n_events + k].bytes / (double)rmid_series_load(s, s->slots[i], s->digit);
    }
}

static bool is_not_tracked(const struct rmid_series *s, enum status st)
{
    return st == ST_UNAVAILABLE && !reference_is_intel(s->check);
}

/* A run of fewer RMIDs may fit between two SMIs, or be tracked as a whole. */
static bool wants_fewer(const struct rmid_series *s, enum status st)
{
    return s->n > 1 && (is_not_tracked(s, st) || st == ST_DISTURBED);
}

/* The loads of s->rmids, and their counts. */
static enum status run_batch(struct rmid_series *s)
{
    uint64_t others = s->base + s->a_run * s->piece;
    struct traffic_load load = { .cpu = s->cpu, .parts = s->parts };
    struct experiment e = { .check = s->check, .loads = &load, .n_loads = 1, .readings = s->readings };
    enum status st;

    e.flags = s->flags;
    e.settle_most = s->settles;
    if (s->tail) /* before them as well: each drives as much out of a full L2 as it brings in */
        s->parts[load.n_parts++] = part_read(0, others + s->tail, s->tail / 2);
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t bytes = rmid_series_load(s, s->slots[i], s->digit);

        s->parts[load.n_parts++] = part_read(s->rmids[i], s->base + i * s->times * s->piece, bytes);
        for (uint32_t k = 0; k < s->n_events; k++) {
            struct reading *r = &s->readings[e.n_readings++];

            *r = reading_of("load of one RMID", s->domain, s->rmids[i], s->events[k]);
            expect_load(s, bytes, r);
        }
    }
    if (s->tail)
        s->parts[load.n_parts++] = part_read(0, others, s->tail);
    st = experiment_try(&e);
    s->settles = e.settles;
    if (st == ST_OK)
        keep_ratios(s);
    return st == ST_OK || is_not_tracked(s, st) || wants_fewer(s, st) ? st : experiment_explain(&e, st);
}

/* The loads of more RMIDs than are tracked at a time drive each other out, and SMIs may leave no window that is as
 * long: then the same ones again in runs of half as many. One that is not tracked by itself leaves the size of runs as
 * it was. *done: of these RMIDs. */
static enum status run_tracked(struct rmid_series *s, uint32_t *done)
{
    enum status st = run_batch(s);

    *done = 0;
    if (wants_fewer(s, st)) {
        s->a_run = s->n / 2;
        return ST_OK;
    }
    if (!is_not_tracked(s, st)) {
        *done = s->n;
        s->together = s->n > s->together ? s->n : s->together;
        return st;
    }
    *done = 1;
    s->n = 0;
    s->a_run = s->together > 1 ? s->together : s->a_run;
    return ST_OK;
}

/* What a load of its own does not bring to be tracked no run will. */
static enum status find_one(struct rmid_series *s, uint32_t rmid)
{
    struct check *c = s->check;
    struct traffic_part part = part_read(rmid, s->base, s->piece);
    struct traffic_load load = { .cpu = s->cpu, .n_parts = 1, .parts = &part };
    struct qm_domain *qm = domain_qm(c, s->domain);
    uint32_t bad_cpu = s->cpu;
    enum status st = qm ? traffic_run(c->platform, &load, 1, NULL, NULL, &bad_cpu) : ST_LOST;

    if (st != ST_OK)
        return check_unmeasured(c, st, bad_cpu, "the workload");
    for (uint32_t k = 0; k < s->n_events && st == ST_OK; k++) {
        struct qm_sample sample;

        st = qm_read_wait(c->platform, qm, rmid, s->events[k], FIND_TRIES, &sample, NULL);
    }
    s->untracked[rmid] = is_not_tracked(s, st);
    s->not_tracked += s->untracked[rmid];
    return ST_OK; /* other errors are the run's to say */
}

/* Before RMIDs are measured one at a time: which are not tracked whatever runs with them, since each would cost a run
 * for every halving of those that it is measured with. Then as many at a time as before. */
static enum status find_untracked(struct rmid_series *s, uint32_t from)
{
    enum status st = ST_OK;

    for (uint32_t rmid = from; rmid <= s->check->machine->domains[s->domain].max_rmid && st == ST_OK; rmid++)
        st = find_one(s, rmid);
    s->a_run = s->together > 1 ? s->together : s->pieces;
    s->searched = true;
    return st;
}

/* The next s->a_run RMIDs from `next` on that may be tracked. */
static void choose_batch(struct rmid_series *s, uint32_t next)
{
    uint32_t max = s->check->machine->domains[s->domain].max_rmid;
    uint32_t most = s->most && s->most - s->n_kept < s->a_run ? s->most - s->n_kept : s->a_run;

    s->n = 0;
    for (uint32_t rmid = next; rmid <= max && s->n < most; rmid++)
        if (!s->untracked[rmid]) {
            s->rmids[s->n] = rmid;
            s->slots[s->n] = s->n_kept + s->n;
            s->n++;
        }
}

/* One run; *next becomes the RMID after the last one that is done. */
static enum status measure_batch(struct rmid_series *s, uint32_t *next)
{
    uint32_t done;
    enum status st = run_tracked(s, &done);

    s->not_tracked += done - (done ? s->n : 0);
    for (uint32_t i = 0; i < s->n && done; i++)
        s->rmid[s->n_kept++] = s->rmids[i];
    *next = done ? s->rmids[done - 1] + 1 : *next;
    return st;
}

enum status rmid_series_measure(struct rmid_series *s)
{
    uint32_t max = s->check->machine->domains[s->domain].max_rmid, next = 0;

    s->n_kept = s->not_tracked = 0;
    s->searched = reference_is_intel(s->check) || s->pieces == 1;
    memset(s->untracked, 0, (max + 1) * sizeof s->untracked[0]);
    for (choose_batch(s, next); s->n > 0; choose_batch(s, next)) {
        if (s->a_run == 1 && !s->searched)
            TRY(find_untracked(s, next));
        else if (s->a_run == 1 && max >= ALONE_MOST)
            return check_absent(s->check,
                                "L3 domain %u: only one of %u RMIDs can be measured at a time, with a flush for each",
                                s->domain, max + 1);
        else
            TRY(measure_batch(s, &next));
    }
    if (s->not_tracked)
        check_note(s->check, "L3 domain %u: %u RMIDs are not tracked and are left out", s->domain, s->not_tracked);
    if (rmid_series_judged(s, 0) == 0)
        return check_absent(s->check, "L3 domain %u: no RMID is tracked other than those of idle processors",
                            s->domain);
    return ST_OK;
}

/* --- longer loads ------------------------------------------------------------------------------------------------- */

bool rmid_series_is_out(const struct rmid_series *s, uint32_t slot)
{
    uint32_t rmid = (uint32_t)s->rmid[slot];
    double factor = mbm_correction_factor(&s->known, rmid);
    bool out = ANY_OF(k, s->n_events, s->ratio[k][slot] * factor < s->lo[k] || s->ratio[k][slot] * factor > s->hi[k]);

    return out && !domain_rmid_in_background(s->check, rmid);
}

static uint32_t keep_out(const struct rmid_series *s, uint32_t *slots, uint32_t n)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < n; i++)
        if (rmid_series_is_out(s, slots[i]))
            slots[left++] = slots[i];
    return left;
}

/* Loads of s->times pieces of these slots. One that is not tracked any more keeps what it has. */
static enum status run_longer(struct rmid_series *s, const uint32_t *slots, uint32_t n)
{
    uint32_t done;

    for (uint32_t next = 0; next < n; next += done) {
        uint32_t room = s->pieces / s->times, most = s->a_run < room ? s->a_run : room;

        for (s->n = 0; s->n < most && next + s->n < n; s->n++) {
            s->slots[s->n] = slots[next + s->n];
            s->rmids[s->n] = (uint32_t)s->rmid[s->slots[s->n]];
        }
        TRY(run_tracked(s, &done));
    }
    return ST_OK;
}

enum status rmid_series_longer(struct rmid_series *s, const uint32_t *slots, uint32_t n, uint32_t times)
{
    enum status st;

    s->times = times < s->pieces ? times : s->pieces;
    s->fine = true;
    st = run_longer(s, slots, n);
    s->fine = false;
    s->times = 1;
    return st;
}

enum status rmid_series_unequal(struct rmid_series *s, const uint32_t *slots, uint32_t n, uint32_t digit)
{
    enum status st;

    s->digit = digit;
    st = run_longer(s, slots, n);
    s->digit = 0;
    return st;
}

/* Up to RMID_SERIES_GROUP slots from *next on. */
static uint32_t next_group(const struct rmid_series *s, uint32_t *next, uint32_t slots[RMID_SERIES_GROUP])
{
    uint32_t n = 0;

    for (; *next < s->n_kept && n < RMID_SERIES_GROUP; ++*next)
        if (rmid_series_is_out(s, *next))
            slots[n++] = *next;
    return n;
}

enum status rmid_series_again(struct rmid_series *s)
{
    uint32_t slots[RMID_SERIES_GROUP], n, next = 0, stay = 0;
    enum status st = ST_OK;

    while (st == ST_OK && stay < RMID_SERIES_NAMED && (n = next_group(s, &next, slots)) > 0) {
        s->n_again += n;
        for (s->times = 2; st == ST_OK && n > 0 && s->times <= s->pieces; s->times *= 2) {
            st = run_longer(s, slots, n);
            n = keep_out(s, slots, n);
            s->times_most = s->times > s->times_most ? s->times : s->times_most;
        }
        stay += n;
    }
    s->times = 1;
    return st;
}

/* --- memory of which more or less is counted ---------------------------------------------------------------------- */

struct levels {
    double of[RMIDS_A_RUN]; /* by place: the median ratio, after correction */
};

static bool find_levels(struct rmid_series *s, uint32_t event, struct levels *l)
{
    for (uint32_t place = 0; place < RMIDS_A_RUN; place++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < s->n_kept; i++)
            if (s->place[i] == place && !domain_rmid_in_background(s->check, (uint32_t)s->rmid[i]))
                s->y[n++] = s->ratio[event][i] * mbm_correction_factor(&s->known, (uint32_t)s->rmid[i]);
        if (n == 0)
            continue;
        l->of[place] = stats_median(s->y, n);
        if (n < LEVEL_LEAST || l->of[place] < DEAD_SHARE)
            return false;
    }
    return true;
}

bool rmid_series_level(struct rmid_series *s)
{
    struct levels levels[RMID_SERIES_EVENTS] = { 0 };
    bool known = true;

    for (uint32_t k = 0; k < s->n_events; k++)
        known = known && find_levels(s, k, &levels[k]);
    for (uint32_t i = 0; i < s->n_kept && known; i++)
        for (uint32_t k = 0; k < s->n_events && s->place[i] < RMIDS_A_RUN; k++)
            if (levels[k].of[s->place[i]] > 0) /* not RMID 0's alone */
                s->ratio[k][i] /= levels[k].of[s->place[i]];
    return known;
}

/* --- what they show ----------------------------------------------------------------------------------------------- */

double rmid_series_scatter(struct rmid_series *s, uint32_t event)
{
    uint32_t n = rmid_series_judged(s, event);

    for (uint32_t i = 0; i + 1 < n; i++)
        s->y[i] = s->y[i + 1] > s->y[i] ? s->y[i + 1] - s->y[i] : s->y[i] - s->y[i + 1];
    if (n < 2)
        return 0;
    return stats_median(s->y, n - 1) / APART_OF_SIGMA;
}

uint32_t rmid_series_judged(const struct rmid_series *s, uint32_t event)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_kept; i++)
        if (!domain_rmid_in_background(s->check, (uint32_t)s->rmid[i])) {
            s->x[n] = s->rmid[i];
            s->y[n++] = s->ratio[event][i];
        }
    return n;
}

uint32_t rmid_series_lost_bit(const struct rmid_series *s, uint32_t n, double least)
{
    uint32_t all = UINT32_MAX, others = 0, low = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t rmid = (uint32_t)s->x[i];

        if (s->y[i] < least) {
            all &= rmid;
            low++;
        } else {
            others |= rmid;
        }
    }
    return low > 1 ? all & ~others : 0;
}

void rmid_series_report_bit(const struct rmid_series *s, enum finding_kind kind, uint32_t bit, const char *name)
{
    finding(s->check, kind, 0, FOUND_RMID_BIT_LOST, place_rmid(s->domain, bit & -bit),
            "%s is almost 0 %% for each RMID with bit 0x%x set, and for no other", name, bit);
}
