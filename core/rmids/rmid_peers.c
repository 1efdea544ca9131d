/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/rmids/rmid_peers.h"

#include "core/base/stats.h"

#define GROUP        16u   /* suspects that are measured again together */
#define MAD_TO_SIGMA 1.483 /* the median distance from the median, in standard deviations */

struct peers {
    struct rmid_series *s;
    const char *const *names;
    uint32_t *suspects, *others; /* slots */
    uint32_t n_suspects, n_others;
    double level[RMID_SERIES_EVENTS]; /* of the others */
};

/* One count of the series' load, as a share of it. */
static double one_count(const struct rmid_series *s)
{
    return (double)s->check->machine->domains[s->domain].upscaling_factor / (double)s->piece;
}

/* As many times the series' load as there is memory for. */
static uint32_t peer_repeats(const struct rmid_series *s)
{
    return PEERS_TIMES < s->pieces ? PEERS_TIMES : s->pieces;
}

static double corrected_ratio(const struct rmid_series *s, uint32_t event, uint32_t slot)
{
    return s->ratio[event][slot] * mbm_correction_factor(&s->known, (uint32_t)s->rmid[slot]);
}

static double median_ratio(const struct rmid_series *s, uint32_t event, const uint32_t *slots, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s->y[i] = corrected_ratio(s, event, slots[i]);
    return stats_median(s->y, n);
}

/* The median distance of the slots from the level, less the count by which rounding moves a ratio. */
static double scatter_of(const struct rmid_series *s, uint32_t event, const uint32_t *slots, uint32_t n, double level)
{
    double off;

    for (uint32_t i = 0; i < n; i++)
        s->y[i] = stats_distance(corrected_ratio(s, event, slots[i]), level);
    off = MAD_TO_SIGMA * (stats_median(s->y, n) - one_count(s));
    return off > 0 ? off : 0;
}

/* RMIDs of one side of the threshold that are inside of the series' band: those out of it are findings already. */
static uint32_t take_side(const struct rmid_series *s, bool above, uint32_t *slots)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_kept; i++)
        if (mbm_correction_acts(&s->known, (uint32_t)s->rmid[i]) == above &&
            !domain_rmid_in_background(s->check, (uint32_t)s->rmid[i]) && !rmid_series_is_out(s, i))
            slots[n++] = i;
    return n;
}

static bool peer_is_off(const struct peers *p, uint32_t slot, const double *most)
{
    bool off = false;

    for (uint32_t k = 0; k < RMID_SERIES_EVENTS && k < p->s->n_events; k++)
        off |= stats_distance(corrected_ratio(p->s, k, slot), p->level[k]) > most[k];
    return off;
}

static void set_levels(struct peers *p, const uint32_t *slots, uint32_t n)
{
    for (uint32_t k = 0; k < p->s->n_events; k++)
        p->level[k] = median_ratio(p->s, k, slots, n);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Suspects and others among n slots: which are further from the level than `most`. */
static void part(struct peers *p, const uint32_t *slots, uint32_t n, const double *most)
{
    p->n_suspects = p->n_others = 0;
    for (uint32_t i = 0; i < n; i++)
        if (p->n_suspects < PEERS_SUSPECTS && peer_is_off(p, slots[i], most))
            p->suspects[p->n_suspects++] = slots[i];
        else
            p->others[p->n_others++] = slots[i];
}

/* A loss of one count takes a count from the load, however it was rounded. Counts that scatter by a count leave few RMIDs
 * within half a count of the level: then peers may be further from it, and a loss of one of them by as much more. */
static void divide(struct peers *p, const uint32_t *slots, uint32_t n)
{
    const struct rmid_series *s = p->s;
    double count = one_count(s), most[RMID_SERIES_EVENTS] = { 0 }, scatter = 0;
    double fine = larger(BW_FINE_LOSS + count / peer_repeats(s), count), coarse = BW_SHARE + 3 * count;

    set_levels(p, slots, n);
    for (uint32_t k = 0; k < s->n_events; k++) {
        double here = 3 * scatter_of(s, k, slots, n, p->level[k]);

        most[k] = larger(count / 2, BW_FINE_LOSS) + here;
        scatter = larger(scatter, here);
    }
    part(p, slots, n, most);
    for (; n >= PEERS && p->n_others < PEERS; part(p, slots, n, most)) {
        for (uint32_t k = 0; k < s->n_events; k++)
            most[k] += count / 2;
        scatter += count / 2;
    }
    excludes(s->check, "a loss under one RMID",
             100 * (p->n_others < PEERS || p->n_suspects == PEERS_SUSPECTS ? coarse : fine + scatter), "%");
}

/* Suspects and PEERS others, from the first-th on. Returns how many there are. */
static uint32_t with_peers(const struct peers *p, const uint32_t *suspects, uint32_t n, uint32_t first, uint32_t *slots)
{
    for (uint32_t i = 0; i < PEERS; i++)
        slots[i] = p->others[(first + i) % p->n_others];
    for (uint32_t i = 0; i < n; i++)
        slots[PEERS + i] = suspects[i];
    return PEERS + n;
}

/* Suspects that differ from peers under a longer load too, RMID_SERIES_NAMED at most. */
static enum status measure_suspects(struct peers *p)
{
    const double most[RMID_SERIES_EVENTS] = { BW_FINE_LOSS, BW_FINE_LOSS };
    uint32_t slots[PEERS + GROUP], left = 0;
    enum status st = ST_OK;

    for (uint32_t next = 0; next < p->n_suspects && left < RMID_SERIES_NAMED && st == ST_OK; next += GROUP) {
        uint32_t n = p->n_suspects - next < GROUP ? p->n_suspects - next : GROUP;

        st = rmid_series_longer(p->s, slots, with_peers(p, p->suspects + next, n, next, slots), PEERS_TIMES);
        set_levels(p, slots, PEERS);
        for (uint32_t i = 0; i < n && left < RMID_SERIES_NAMED; i++)
            if (peer_is_off(p, slots[PEERS + i], most))
                p->suspects[left++] = slots[PEERS + i];
    }
    p->n_suspects = left;
    return st;
}

struct again { /* the last suspects and their peers */
    uint32_t slots[PEERS + RMID_SERIES_NAMED], n;
    double runs[RMID_SERIES_EVENTS][PEERS + RMID_SERIES_NAMED][PEERS_RUNS];
    double median[PEERS + RMID_SERIES_NAMED];
};

static enum status run_again(struct rmid_series *s, struct again *a)
{
    uint32_t turned[PEERS + RMID_SERIES_NAMED];
    enum status st = ST_OK;

    for (uint32_t run = 0; run < PEERS_RUNS && st == ST_OK; run++) {
        for (uint32_t i = 0; i < a->n; i++)
            turned[i] = a->slots[(i + 1 + 3 * run) % a->n];
        st = rmid_series_longer(s, turned, a->n, PEERS_TIMES);
        for (uint32_t k = 0; k < s->n_events; k++)
            for (uint32_t i = 0; i < a->n; i++)
                a->runs[k][i][run] = corrected_ratio(s, k, a->slots[i]);
    }
    return st;
}

static unsigned tenths_of_percent(double ratio)
{
    return (unsigned)(ratio * 1000 + 0.5);
}

static void report_off(const struct peers *p, uint32_t event, uint32_t slot, double ratio, double spread)
{
    const struct rmid_series *s = p->s;
    struct reading r = reading_of(p->names[event], s->domain, (uint32_t)s->rmid[slot], s->events[event]);

    finding(s->check, FINDING_UNUSUAL, 0, reading_code_fine(&r, ratio < p->level[event]), reading_place(&r),
            "%s is %u.%u %%, under %u other RMIDs with the same load %u.%u %%, which differ by up to %u.%u %% (median "
            "of %u runs of %lu KiB)",
            r.name, tenths_of_percent(ratio) / 10, tenths_of_percent(ratio) % 10, PEERS,
            tenths_of_percent(p->level[event]) / 10, tenths_of_percent(p->level[event]) % 10,
            tenths_of_percent(spread) / 10, tenths_of_percent(spread) % 10, PEERS_RUNS,
            peer_repeats(s) * s->piece / 1024);
}

/* Beyond twice what the peers differ by, and what a faultless count may lack or be rounded by. */
static void judge_again(struct peers *p, struct again *a, uint32_t event)
{
    struct rmid_series *s = p->s;
    double spread = 0, most, sorted[PEERS];

    for (uint32_t i = 0; i < a->n; i++) {
        a->median[i] = stats_median(a->runs[event][i], PEERS_RUNS);
    }
    for (uint32_t i = 0; i < PEERS; i++)
        sorted[i] = a->median[i];
    p->level[event] = stats_median(sorted, PEERS);
    for (uint32_t i = 0; i < PEERS; i++)
        spread =
            stats_distance(sorted[i], p->level[event]) > spread ? stats_distance(sorted[i], p->level[event]) : spread;
    most = BW_FINE_LOSS + one_count(s) / peer_repeats(s) + 2 * spread;
    for (uint32_t i = PEERS; i < a->n; i++)
        if (stats_distance(a->median[i], p->level[event]) > most)
            report_off(p, event, a->slots[i], a->median[i], spread);
}

static enum status judge_side(struct rmid_series *s, const char *const *names, bool above)
{
    struct peers p = { .s = s, .names = names };
    struct again a;
    uint32_t *slots, n;

    TRY_ALLOC(s->check, p.suspects, PEERS_SUSPECTS, "RMIDs under the same load");
    TRY_ALLOC(s->check, p.others, s->n_kept + 1, "RMIDs under the same load");
    TRY_ALLOC(s->check, slots, s->n_kept + 1, "RMIDs under the same load");
    n = take_side(s, above, slots);
    if (n == 0)
        return ST_OK;
    divide(&p, slots, n);
    if (p.n_suspects == 0 || p.n_others < PEERS)
        return ST_OK;
    TRY(measure_suspects(&p));
    if (p.n_suspects == 0)
        return ST_OK;
    a.n = with_peers(&p, p.suspects, p.n_suspects, 0, a.slots);
    TRY(run_again(s, &a));
    for (uint32_t k = 0; k < s->n_events; k++)
        judge_again(&p, &a, k);
    return ST_OK;
}

enum status rmid_peers_judge(struct rmid_series *s, const char *const *names)
{
    s->flags |= EXPERIMENT_ONCE;
    TRY(judge_side(s, names, false));
    return judge_side(s, names, true);
}
