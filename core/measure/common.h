/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/common.h: what the checks of monitoring share: who works, with which RMID, where the memory is, and the
 * experiment "clean the cache, run this traffic, read these RMIDs".
 */
#pragma once
#include "core/check/check.h"
#include "core/check/sample.h"
#include "core/machine/tools.h"
#include "core/measure/traffic.h"

/* --- tolerances: docs/tolerances.md ------------------------------------------------------------------------------- */
#define OCC_SHARE     0.15 /* T_occ: Linux selftests/resctrl cmt_test.c                                     */
#define OCC_OVER      0.05 /* of the L3, that a count which is an estimate may lie beyond its size             */
#define OCC_BYTES     2e6  /* T_occ: or this much, whichever is more                                        */
#define BW_SHARE      0.08 /* T_bw: Linux selftests/resctrl mbm_test.c                                      */
#define IDLE_BYTES    10e6 /* MB-01, XC-05: what an RMID without a task may move in a second                */
#define MIB           (UINT64_C(1) << 20)
#define ROUND_DOWN(x) ((x) & ~UINT64_C(0xFFF))

/* --- who and where ------------------------------------------------------------------------------------------------ */

/* Processors of an L3 domain that take work: first one thread of each core, then their siblings, the boot processor and
 * its siblings last (it runs Assay between the steps). Returns how many; at most max are stored. */
uint32_t domain_cpus(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t max);

/* A processor of the domain on another core than `cpu`, itself where there is none: threads of one core share what is
 * in front of the L3. */
uint32_t other_core(const struct check *c, uint32_t domain, uint32_t cpu);

/* The keyhole of a domain, its reader replaced where that one takes no more work. NULL: none does. */
struct qm_domain *domain_qm(struct check *c, uint32_t domain);

/* Up to `want` RMIDs that nobody was found tagged with, from 1 upwards. Where some RMIDs count bandwidth wrong by
 * erratum (BDF102, SKX99) only such as are below every threshold. Returns how many. */
uint32_t domain_rmids(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want);
/* The same for occupancy, which has no such erratum: all RMIDs. */
uint32_t domain_rmids_any(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want);
/* The same from the highest downwards, whose upper bits are all set: what a lost bit of a tag shows at. */
uint32_t domain_rmids_top(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want);
/* Whether some processor was found tagged with this RMID: its traffic goes on in the background. RMID 0 always. */
bool rmid_in_background(const struct check *c, uint32_t rmid);

/* Whether RDT is there at all on the reference processor, for checks whose needs are alternatives. */
bool has_rdt(const struct check *c);
bool is_intel(const struct check *c);
/* Sub-NUMA clusters: processors of more than one node share this L3. RMIDs are then split over the clusters by default
 * (RDT Architecture Specification B.1.2), and no document says which range is whose; core/measure/cluster_view.h has
 * them shared instead, and there each cluster is a domain. */
bool is_clustered(const struct check *c, uint32_t domain);

/* --- a check for each L3 domain ----------------------------------------------------------------------------------- */

#define WHY_SIZE 160
/* true: something was measured or found. false: why[] says what was missing. */
typedef bool (*domain_check)(struct check *c, uint32_t domain, char why[WHY_SIZE]);
/* Calls one() for every domain in which behaviour can be judged, each cluster of a clustered L3 a domain of its own
 * (core/measure/cluster_view.h: c->machine and c->tools are the view's meanwhile); domains that cannot are noted, and
 * where none can, the check is SKIP with the first reason. Working memory is given back between domains. */
enum verdict each_domain(struct check *c, domain_check one);

/* Memory for `cpu`: of its own node. false: why[] names node and size. */
bool take_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address, char why[WHY_SIZE]);
/* The same, or of any other node: for occupancy, which does not ask where a line lives. */
bool take_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address, char why[WHY_SIZE]);
/* How much take_any() could hand out in one piece for `cpu`. */
uint64_t left_any(struct check *c, uint32_t cpu);

/* --- the experiment ----------------------------------------------------------------------------------------------- */

/* One sequential read of a buffer under an RMID, CLOS kept. */
struct traffic_part part_read(uint32_t rmid, uint64_t base, uint64_t bytes);
/* The same as a fill of the L3: on a non-inclusive one a second pass drives the lines out of L2. */
struct traffic_part part_fill(const struct check *c, uint32_t domain, uint32_t rmid, uint64_t base, uint64_t bytes);
/* CLFLUSH of a buffer. */
struct traffic_part part_flush(uint32_t rmid, uint64_t base, uint64_t bytes);
/* Tagged, and still. */
struct traffic_part part_idle(uint32_t rmid, uint64_t ticks);

#define EXPERIMENT_RUNS      5u  /* docs/tolerances.md: five runs, drop the first, judge the median             */
#define EXPERIMENT_RUNS_MOST 20u /* while they scatter so much that the median may lie on the other side of a bound */
#define EXPERIMENT_SECONDS   3u  /* and no longer than this                                                     */

struct reading { /* what one RMID should show after the traffic */
    const char *name;
    uint32_t domain; /* whose registers are asked                                     */
    uint32_t rmid;
    enum qm_event event;
    double lo, hi;             /* band in bytes, and beyond it the check fails                  */
    double tight_lo, tight_hi; /* both 0: none. Beyond it the check warns                       */
    /* out */
    double bytes; /* occupancy after, or bandwidth delta; the median where several runs were made */
    double runs[EXPERIMENT_RUNS_MOST];
    struct qm_sample before, after; /* of the last run; before for bandwidth only                   */
    uint32_t stepped_back;          /* runs in which a bandwidth counter fell, whatever the median says */
    uint64_t fell_from, fell_to;    /* counts, in the last of them                                  */
};

enum experiment_flags {
    EXPERIMENT_REPEAT =
        1u << 0, /* five runs or more. Without it: one, and the others only if it falls outside a band */
    EXPERIMENT_PREFETCH = 1u << 3, /* prefetchers stay as they are found; else those of Intel are off meanwhile */
    EXPERIMENT_WARM = 1u << 1,     /* leave the caches as the last experiment left them                              */
    EXPERIMENT_ONCE = 1u << 2,     /* what happens only once (a carry, a step back) must not drown in a median        */
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
    uint32_t tries; /* how often a run that an SMI fell into is taken again; 0: SAMPLE_TRIES        */
    /* out */
    uint32_t n_runs;
    uint64_t spent_ms;              /* by all runs */
    uint32_t disturbed;             /* runs thrown away */
    struct traffic_outcome outcome; /* of the last run */
    uint32_t bad_cpu, bad_reading;
    const char *bad_what;
};

/* Write back and invalidate the caches of every domain in readings, run the loads under SMI watch, read; records the
 * evidence. false: it could not be measured, and experiment_failed() has said so. */
bool experiment_run(struct experiment *e);
/* The same, and leaves it to the caller to say that it could not be measured: e->bad_cpu and e->bad_what say where. */
MUST_CHECK enum status experiment_try(struct experiment *e);
/* What experiment_run() says for a status: a finding where legal data stays away, else cannot_measure(). */
void experiment_failed(struct experiment *e, enum status st);
/* Whether n_runs runs, the first dropped, tell enough: half of the 95 % interval of their mean is no more than a
 * quarter of the distance from the middle of the band to its bounds. *half and *wanted get both in bytes; wanted is
 * NO_BOUND where the band is open on a side. Fewer than EXPERIMENT_RUNS never do. */
bool reading_settled(const struct reading *r, uint32_t n_runs, double *half, double *wanted);
/* Records each reading with its band, and fails the check for each one outside: "<where>: <name> ...: <defect>". */
void experiment_judge(struct experiment *e, const char *defect);

/* Of a reading of bandwidth that is out of the band lo .. hi: the next finding may name the erratum of high RMIDs if
 * its factor brings the reading into the band. Right before fail() or warn(). */
void reading_factor_explains(struct check *c, const struct reading *r, double lo, double hi);

/* Bands. expected in bytes; cores: how many cores filled (their L2 may hold lines that a non-inclusive L3 does not). */
void expect_occupancy(const struct check *c, struct reading *r, double expected, uint32_t cores);
void expect_no_occupancy(const struct check *c, struct reading *r);
void expect_bandwidth(const struct check *c, struct reading *r, double expected);
void expect_idle(struct reading *r, double elsewhere); /* while so many bytes are moved elsewhere */

/* Readings of an event on a domain, bands still to be set. */
struct reading reading_of(const char *name, uint32_t domain, uint32_t rmid, enum qm_event event);

/* Size of one L2 data cache of the reference processor; 0: none is enumerated. */
uint64_t l2_bytes_of(const struct check *c);
/* Bytes of a stream that is judged against T_bw: many counts long, and no longer than an emulator can bear. */
uint64_t stream_bytes(const struct check *c, uint32_t domain);
/* Bytes of a fill that is told from nothing by T_occ, at most a quarter of the L3; three eighths where it is not
 * inclusive. */
uint64_t small_fill_bytes(const struct check *c, uint32_t domain);

/* Write back and invalidate: one processor where the L3 is inclusive, all of the domain where it is not. */
MUST_CHECK enum status domain_clean(struct check *c, uint32_t domain, uint32_t *bad_cpu);

/* What the reference processor enumerates. */
static inline const struct rdt_info *reference_rdt(const struct check *c)
{
    return &c->machine->cpus[c->machine->reference].rdt;
}
/* The leaf as evidence, where the processor has it. */
void evidence_leaf(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct rdt_leaf *l);

/* "L3 domain 1" */
void domain_name(uint32_t domain, char out[32]);
