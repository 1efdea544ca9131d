/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/rmids/rmid_series.h: the same read under every RMID from 0 to the highest: counted over read, as a series.
 *
 * A defect of some RMIDs alone (errata BDF102, SKX99) shows as a step, and the RMID at which it is identifies the
 * defect. RMIDs in the background are shown and not judged. One task runs the loads of many RMIDs one after another, so
 * that the series costs a few runs. Short loads scatter where a part counts a sample of what moves: ratios that are out
 * of their band are measured again by longer ones (docs/tolerances.md).
 */
#pragma once
#include "arch/x86/rdt/mbm_correction.h"
#include "core/experiment/monitor.h"

#define RMIDS_A_RUN          64u
#define RMID_SERIES_EVENTS   2u
#define RMID_SERIES_NAMED    8u  /* RMIDs out of band that get a finding of their own */
#define RMID_SERIES_ROUNDING 2u  /* counts: one at each end                           */
#define RMID_SERIES_GROUP    32u /* RMIDs out of band that are measured again together */
#define RMID_SERIES_DIGITS   3u  /* to base 4, of RMIDS_A_RUN                         */

struct rmid_series {
    struct check *check;
    uint32_t domain, cpu;
    enum qm_event events[RMID_SERIES_EVENTS];
    uint32_t n_events;
    uint32_t most;               /* RMIDs that are measured, 0: every one */
    bool remote;                 /* loads are of another package's memory, and local bandwidth should have none of it */
    struct mbm_correction known; /* of bandwidth; factor 1 for occupancy */
    uint32_t flags;              /* of the experiments */
    double lo[RMID_SERIES_EVENTS],
        hi[RMID_SERIES_EVENTS]; /* the ratios, after correction, that are not measured again */
    uint64_t base, piece;       /* piece: bytes of one RMID's load */
    uint32_t pieces;            /* that the memory has room for */
    /* Read after the loads, and half of it before them, to drive out what an L2 holds; 0 where the L2 is part of the
     * L3. */
    uint64_t tail;
    uint32_t a_run, together;       /* RMIDs of a run, and the most that were tracked together */
    uint32_t rmids[RMIDS_A_RUN], n; /* of this run */
    uint32_t slots[RMIDS_A_RUN];    /* where their ratios go */
    bool *untracked, searched;      /* [max_rmid + 1] not tracked by themselves, and in no run; they were looked for */
    uint32_t times;                 /* pieces that a load is long */
    uint32_t digit;                 /* loads of unequal size, by which digit of the slot; 0: all alike */
    bool fine;                      /* counts that lack 1 % are read again later, as those are that lack 8 % */
    uint32_t settles;               /* what the last run left of the next one's waits */
    struct traffic_part *parts;     /* [RMIDS_A_RUN + 2] */
    struct reading *readings;       /* [RMIDS_A_RUN * RMID_SERIES_EVENTS] */
    /* out */
    uint32_t n_kept, not_tracked;
    uint32_t n_again, times_most; /* measured again, and by loads of so many pieces */
    uint8_t *place; /* [n_kept], of its load in the run, and so of the memory; RMIDS_A_RUN: longer loads */
    double *rmid, *ratio[RMID_SERIES_EVENTS]; /* [n_kept], counted over read by event */
    double *x, *y;                            /* [n_kept], the caller's: room for what is judged                */
};

/* Processor and tables; the caller sets events, known and tail before the others. ST_ABSENT. */
MUST_CHECK enum status rmid_series_open(struct rmid_series *s, struct check *c, uint32_t domain);
/* Memory for as many RMIDs a run as there is, at most `most` bytes; local: of the processor's node; s->remote: of
 * another package's, `most` bytes or none. ST_ABSENT. */
MUST_CHECK enum status rmid_series_memory(struct rmid_series *s, uint64_t most, bool local);
/* Every RMID, or s->most. AMD tracks a limited number of RMIDs at a time and returns Unavailable for the others: those
 * are left out, and noted. Errors: those of experiment_measure(); ST_ABSENT: none is tracked but those that idle
 * processors have. */
MUST_CHECK enum status rmid_series_measure(struct rmid_series *s);
/* RMIDs with a ratio out of lo .. hi, in groups: by loads twice as long, then those that are still out of it by loads
 * four times as long, and so on, as far as the memory goes. Ends where RMID_SERIES_NAMED RMIDs stay out of it. Errors:
 * the same. */
MUST_CHECK enum status rmid_series_again(struct rmid_series *s);
/* Loads `times` as long of the RMIDs in these slots, as far as the memory goes: their ratios become what these show.
 * One that is not tracked any more keeps what it has. Errors: the same. */
MUST_CHECK enum status rmid_series_longer(struct rmid_series *s, const uint32_t *slots, uint32_t n, uint32_t times);
/* Loads of one to four eighths of a piece under the RMIDs in these slots, by digit 1, 2 .. RMID_SERIES_DIGITS of the
 * slot to base 4: of two RMIDs of a run some digit differs. Ratios become those to the bytes of each load; one that is
 * not tracked any more keeps what it has. Errors: the same. */
MUST_CHECK enum status rmid_series_unequal(struct rmid_series *s, const uint32_t *slots, uint32_t n, uint32_t digit);
/* Bytes of the load of a slot there. */
uint64_t rmid_series_load(const struct rmid_series *s, uint32_t slot, uint32_t digit);
/* A part that counts some sets alone counts more of one piece of memory than of another, and a load of each RMID reads
 * one piece. Ratios of the first loads become those to the median of RMIDs that read the same one. false: nothing has
 * changed, since one was read under too few RMIDs, or is hardly counted. */
bool rmid_series_level(struct rmid_series *s);
/* Whether a ratio of the slot is out of lo .. hi; of RMIDs in the background never. */
bool rmid_series_is_out(const struct rmid_series *s, uint32_t slot);
/* Standard deviation of a ratio, by how far neighbours are apart: a step adds nothing to it. */
double rmid_series_scatter(struct rmid_series *s, uint32_t event);
/* s->x and s->y become RMIDs and ratios of events[event] without those in the background. Returns how many there
 * are. */
uint32_t rmid_series_judged(const struct rmid_series *s, uint32_t event);
/* Of n RMIDs in s->x the bit that all have whose ratio in s->y is below `least`, two at least, and no other one has. 0: there
 * is none. */
uint32_t rmid_series_lost_bit(const struct rmid_series *s, uint32_t n, double least);
/* The finding about it: `name` is what they lack. */
void rmid_series_report_bit(const struct rmid_series *s, enum finding_kind kind, uint32_t bit, const char *name);

/* For messages. */
uint64_t rmid_percent(double ratio);
