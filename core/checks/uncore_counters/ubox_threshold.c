/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What threshold, invert and edge of the UBox's counters make of an event. Witness: the fixed UCLK counter, and an event
 * that does not occur, which .thresh 1 and .invert 1 make count every cycle. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/uncore/ubox_session.h"

#define AGREEMENT   0.01 /* of two counters of one clock, read within microseconds of each other */
#define STRAY       0.01 /* of all cycles: messages that the "idle" event may see */
#define SHARE_TRIES 3u
#define THRESH_MOST 31u /* of five bits, as the guide has it: wider ones are looked at so far */
#define SHORT       20u /* of a usual window: next to none and every cycle are told apart in half a millisecond */
#define LOOSE       0.1 /* of two counters of one clock in so short a window */

/* --- T1, T4, T5, G2: threshold, invert, edge ---------------------------------------------------------------------- */

/* Counts of an event over those of UCLK in the same windows; the median of a few. */
static enum status share_of_cycles(struct check *c, struct pmon_box *box, uint32_t index, uint64_t ctl, uint64_t ticks,
                                   double *share)
{
    uint32_t counters[2] = { index, PMON_FIXED };
    double shares[SHARE_TRIES];
    enum status st = pmon_counter_write(c->platform, box, index, 0); /* far from any wrap */

    if (st == ST_OK || st == ST_FAULT) /* where it cannot be preset it is far from one as it is */
        st = ubox_start(c, box, PMON_FIXED, true);
    if (st == ST_OK)
        st = pmon_write(c->platform, box, pmon_ctl(box->unit, index), ctl);
    for (uint32_t i = 0; i < SHARE_TRIES && st == ST_OK; i++) {
        struct pmon_reading first[2], last[2];
        double counts, cycles;

        st = pmon_window(c->platform, box, counters, 2, ticks, first, last);
        if (st != ST_OK)
            break;
        ubox_show(c, box, index, &first[0]);
        ubox_show(c, box, index, &last[0]);
        counts = (double)pmon_delta(first[0].value, last[0].value, pmon_bits(box->unit, index));
        cycles = (double)pmon_delta(first[1].value, last[1].value, pmon_bits(box->unit, PMON_FIXED));
        /* Each pair of reads has its own time: rates, not counts, are compared. */
        shares[i] = cycles > 0 && last[0].tsc > first[0].tsc ? counts / (double)(last[0].tsc - first[0].tsc) /
                                                                   (cycles / (double)(last[1].tsc - first[1].tsc))
                                                             : -1;
    }
    if (st != ST_OK)
        return st;
    stats_sort(shares, SHARE_TRIES);
    *share = shares[SHARE_TRIES / 2];
    return ST_OK;
}

static enum status judge_share(struct check *c, struct pmon_box *box, uint32_t index, const char *what,
                               const struct pmon_event *event, uint64_t ticks, double lo, double hi)
{
    double share = 0;
    uint64_t ctl = 0;
    char name[64];
    enum status st = pmon_encode(box->unit, event, &ctl);

    ubox_counter_name(box, index, name);
    if (st == ST_OK)
        st = share_of_cycles(c, box, index, ctl, ticks, &share);
    if (st == ST_OK && !measure(c, what, name, share, "counts per UCLK", lo, hi))
        fail(c, "%s: %s: %d millionths of the UCLK cycles were counted", name, what,
             (int)(share > 2000 ? 2e9 : share * 1e6));
    return st;
}

/* What every value of thresh makes of an increment of 0: none is at or above it, every cycle is below it. A bit of the
 * comparison that is not there makes one of the values 0. */
static enum status every_thresh(struct check *c, struct pmon_box *box, uint32_t index)
{
    struct pmon_event event = ubox_idle_event(box->unit);
    uint64_t most = field_get(box->unit->layout->control->thresh, UINT64_MAX);
    enum status st = ST_OK;
    char what[64];

    for (event.thresh = 2;
         event.thresh <= most && event.thresh <= THRESH_MOST && st == ST_OK && check_verdict(c) != VERDICT_FAIL;
         event.thresh++) {
        event.invert = false;
        text_format(what, sizeof what, "an event that does not occur, thresh %u", event.thresh);
        st = judge_share(c, box, index, what, &event, ubox_ticks(c) / SHORT, 0, STRAY);
        event.invert = true;
        text_format(what, sizeof what, "an event that does not occur, thresh %u and invert", event.thresh);
        if (st == ST_OK)
            st = judge_share(c, box, index, what, &event, ubox_ticks(c) / SHORT, 1 - LOOSE, 1 + LOOSE);
    }
    return st;
}

/* The guide wants another thresh with invert: what it counts with 0 is recorded, and judged by nothing. */
static enum status record_thresh_0(struct check *c, struct pmon_box *box, uint32_t index)
{
    struct pmon_event event = ubox_idle_event(box->unit);
    uint64_t ctl = 0;
    double share = 0;
    char name[64];
    enum status st = pmon_encode(box->unit, &event, &ctl);

    ubox_counter_name(box, index, name);
    if (st == ST_OK)
        st = share_of_cycles(c, box, index, ctl | box->unit->layout->control->invert, ubox_ticks(c) / SHORT, &share);
    if (st == ST_OK)
        measure(c, "an event that does not occur, thresh 0 and invert", name, share, "counts per UCLK", -NO_BOUND,
                NO_BOUND);
    return st;
}

static enum status ubox_threshold(struct check *c, struct pmon_box *box)
{
    uint64_t ticks = ubox_ticks(c);
    enum status st = ST_OK;

    if (ubox_cycle_counters(box->unit) == 0)
        return check_absent(c, "controls of this part have no invert: no event of its UBox occurs in every cycle");
    for (uint32_t i = 0; i < box->unit->layout->counters && st == ST_OK; i++) {
        struct pmon_event event = ubox_idle_event(box->unit);

        st = judge_share(c, box, i, "an event that does not occur", &event, ticks, 0, STRAY);
        event.thresh = 1;
        if (st == ST_OK)
            st = judge_share(c, box, i, "the same, thresh 1", &event, ticks, 0, STRAY);
        event.invert = true;
        if (st == ST_OK)
            st = judge_share(c, box, i, "the same, thresh 1 and invert: every cycle", &event, ticks,
                             1 - AGREEMENT - STRAY, 1 + AGREEMENT);
        event.edge_det = true;
        if (st == ST_OK)
            st = judge_share(c, box, i, "the same with edge_det: next to none", &event, ticks, 0, STRAY);
        if (st == ST_OK)
            st = every_thresh(c, box, i);
        if (st == ST_OK)
            st = record_thresh_0(c, box, i);
    }
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, box->cpu, "the UBox counters");
}

static enum verdict ubox_check_threshold(struct check *c)
{
    return ubox_each(c, ubox_threshold);
}

static const struct check_row rows[] = {
    { .id = "ubox.threshold",
      .title = "thresh, invert and edge_det of the UBox act as documented",
      .spec = UBOX_GUIDE_CONTROL,
      .covers = "T1 T4 T5 G2",
      .detects = "a comparison that is ignored, invert or edge without effect",
      .order = 905,
      .slow = true,
      .run = ubox_check_threshold },
};
CHECK_FAMILY(ubox_threshold, rows, UBOX_FAMILY);
