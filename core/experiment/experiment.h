/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/experiment.h: the experiment "flush the caches, run this traffic, read these RMIDs", and the bands
 * that its readings are compared with. */
#pragma once
#include "arch/x86/rdt/qm.h"
#include "core/check/check.h"
#include "core/check/sample.h"
#include "core/load/traffic.h"

#define EXPERIMENT_RUNS                                                                                                \
    5u /* docs/tolerances.md: five runs, drop the first, judge the median                            */
#define EXPERIMENT_RUNS_MOST 20u /* while they scatter so much that the median may be on either side of a bound */
#define EXPERIMENT_SECONDS   3u  /* and no longer than this                                                     */
#define EXPERIMENT_RESTARTS  3u  /* tries of a run in which an RMID's count restarts (AMD)                         */

struct reading { /* what one RMID should show after the traffic */
    const char *name;
    uint32_t domain; /* whose registers are read                                      */
    uint32_t rmid;
    enum qm_event event;
    double lo, hi;             /* band in bytes, and beyond it the check fails                  */
    double tight_lo, tight_hi; /* both 0: none. Beyond it the check warns                       */
    double never_lo, never_hi; /* beyond these it is forbidden: no part may be                  */
    double filled;             /* by expect_occupancy(): bytes that were filled under it; else 0 */
    double expected;           /* by expect_bandwidth(): bytes; else 0                                    */
    double share;              /* of them, that the control of core/experiment/fill.h holds; 0: none was wanted */
    enum finding_code code;    /* of a finding about it; FOUND_OTHER: by event and direction, reading_code()  */
    bool has_cpu;              /* its place has processor cpu too                                         */
    uint32_t cpu;
    /* out */
    /* Occupancy after, or bandwidth delta; the median where several runs were made. Below 0: the counter decreased, which
     * is a finding already. */
    double bytes;
    double spread; /* how far off that may be, by the scatter of the runs: stats_median_reach(); 0: one run */
    double runs[EXPERIMENT_RUNS_MOST];
    struct qm_sample before, after;        /* of the last run; before for bandwidth only                   */
    bool restarted;                        /* its count restarted during this run, which says nothing of it */
    uint32_t stepped_back;                 /* runs in which a bandwidth counter decreased, whatever the median says */
    uint64_t decreased_from, decreased_to; /* counts, in the last of them */
};

enum experiment_flags {
    EXPERIMENT_REPEAT =
        1u << 0, /* five runs or more. Without it: one, and the others only if it falls outside a band */
    EXPERIMENT_PREFETCH = 1u << 3, /* prefetchers stay as they are found; else those of Intel are off meanwhile */
    EXPERIMENT_WARM = 1u << 1,     /* leave the caches as the last experiment left them                              */
    EXPERIMENT_SHORT = 1u << 6,    /* what a short stream lacks is judged by it: in a longer one it would be lost */
    EXPERIMENT_QUIET = 1u << 5,    /* what was read earlier is counted before the first run begins: for one run alone */
    EXPERIMENT_LONG = 1u << 7,     /* judged by longer streams, even where short ones are inside of their bands */
    EXPERIMENT_ONCE = 1u << 2,     /* what happens only once (a carry, a decrease) would not show in a median         */
    EXPERIMENT_HALVE =
        1u << 4, /* pauses of the loads wait for what should not happen: halved where an SMI fell into one */
};
/* Five runs on the first domain, which settles what noise does on this machine; on the others one that lies within its
 * band is enough. */
static inline uint32_t experiment_effort(uint32_t domain)
{
    return domain == 0 ? EXPERIMENT_REPEAT : 0;
}

struct experiment {
    struct check *check;
    struct traffic_load *loads;
    uint32_t n_loads;
    struct reading *readings;
    uint32_t n_readings;
    uint32_t flags;
    uint32_t settle_most; /* waits for counts that may be late, where fewer are known to do; 0: all, SETTLE_STEPS */
    uint32_t tries;       /* how often a run is tried while SMIs fall into it; 0: SAMPLE_TRIES             */
    /* out */
    uint32_t n_runs;
    uint64_t spent_ms;              /* by all runs */
    uint32_t long_runs;             /* longer streams that the readings are of; 0: the loads as given */
    uint64_t long_bytes;            /* that each of them moved                                        */
    uint32_t disturbed;             /* runs discarded because of an SMI */
    struct traffic_outcome outcome; /* of the last run */
    uint32_t bad_cpu, bad_reading;
    const char *bad_what;
    /* while it runs */
    bool doubtful;    /* a run was outside of its bands: earlier reads may be counted late         */
    bool again;       /* a run whose counts restarted is run once more                             */
    uint32_t settles; /* times that a run's counts may be read again, up to SETTLE_STEPS           */
};

/* Write back and invalidate the caches of every domain in readings, then, under SMI watch, run the loads and read;
 * records the evidence. Other than ST_OK: it could not be measured, and check_unmeasured() has the reason, or
 * check_violated() where IA32_QM_CTR returns no data that it must return. */
MUST_CHECK enum status experiment_measure(struct experiment *e);
/* The same, and leaves the reason to the caller: e->bad_cpu and e->bad_what say where. */
MUST_CHECK enum status experiment_try(struct experiment *e);
/* experiment_measure(), experiment_locate() and experiment_judge(). */
MUST_CHECK enum status experiment_check(struct experiment *e, const char *stimulus);
/* What experiment_measure() says of a status of experiment_try(). */
MUST_CHECK enum status experiment_explain(struct experiment *e, enum status st);
/* experiment_measure() of one processor's load; *e can be passed to experiment_judge(). */
MUST_CHECK enum status experiment_stream(struct check *c, uint32_t cpu, struct traffic_part *parts, uint32_t n_parts,
                                         struct reading *r, uint32_t n_readings, struct experiment *e);
/* Whether n_runs runs, the first dropped, tell enough: half of the 95 % interval of their mean is no more than a
 * quarter of the distance from the middle of the band to its bounds. *half and *wanted get both in bytes; wanted is
 * NO_BOUND where the band is open on a side. Fewer than EXPERIMENT_RUNS never do. */
bool reading_settled(const struct reading *r, uint32_t n_runs, double *half, double *wanted);
/* Where a reading after one processor's load is outside of its band, the first of the check, another core of the L3 runs the
 * load once: is it right then, the place of those that are outside has the processor too. Within the band and beyond the
 * finer one a single run says too little. */
void experiment_locate(struct experiment *e);
/* Records each reading with its band; each one outside is a finding, "<name> ...: <stimulus>".
 * stimulus: what was done, of which the reading should be the effect. */
void experiment_judge(struct experiment *e, const char *stimulus);

/* Flags of the finding that a reading is out of the band lo .. hi: FINDING_FACTOR_EXPLAINS for one of bandwidth where
 * the factor of the erratum of high RMIDs brings it into the band. */
uint32_t reading_erratum(const struct check *c, const struct reading *r, double lo, double hi);
/* The code of that finding: r->code, or by the reading's event zero or low where it is below `least`, else high. */
enum finding_code reading_code(const struct reading *r, double least);
/* The code of a finding that it is within the band, and out of the finer one. */
enum finding_code reading_code_fine(const struct reading *r, bool low);
/* The place that it is measured at and a finding about it is of. */
struct place reading_place(const struct reading *r);

/* Bands, and what no part may show (docs/tolerances.md): almost nothing of the expected bytes, or twice as many.
 * expected in bytes; cores: how many cores filled (their L2 may hold lines that a non-inclusive L3 does not). */
void expect_occupancy(const struct check *c, struct reading *r, double expected, uint32_t cores);
/* After expect_occupancy(), of a fill that leaves half of the L3 free: where the L3 is inclusive it holds all of it,
 * and less than the finer bound is a WARN. AMD's count is an estimate (APM vol. 2 19.3.2). */
void expect_fill_fine(const struct check *c, struct reading *r);
void expect_no_occupancy(const struct check *c, struct reading *r);
void expect_bandwidth(const struct check *c, struct reading *r, double expected);
/* After expect_bandwidth(), of one stream of memory that is in no cache: beyond the finer band it is a WARN. Intel's parts
 * count MBM_LEAST of it at least, whatever experience there is. */
void expect_fine(const struct check *c, struct reading *r);
void expect_idle(struct reading *r, double elsewhere); /* while so many bytes are moved elsewhere */
/* After expect_no_occupancy(): half of these bytes or more are another RMID's, or were to be flushed: forbidden. */
void expect_none_of(struct reading *r, double bytes);

/* Says by excludes() what a reading inside of its band excludes: the least loss that takes it out of the band, however
 * the counts were rounded. Nothing where no bytes are expected. experiment_judge() does it for its readings. */
void reading_excludes(struct check *c, const struct reading *r);
/* Within the band beyond which the check fails. */
bool reading_inside(const struct reading *r, double bytes);
/* Whether some part may show it: else the finding is forbidden. */
bool reading_may_be(const struct reading *r, double bytes);
/* What the L3 holds, and one count of rounding: beyond it an occupancy is forbidden. */
double reading_occupancy_most(const struct check *c, uint32_t domain);

/* Readings of an event on a domain, bands still to be set. */
struct reading reading_of(const char *name, uint32_t domain, uint32_t rmid, enum qm_event event);
