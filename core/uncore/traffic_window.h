/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/uncore/traffic_window.h: traffic of known size while every box of some kinds counts.
 *
 * The traffic is made by processors that stream over a buffer each. The boxes are enabled before it and stopped after
 * it, and again for as long without it, while the same processors stay awake without memory access: what they count
 * then, the mean of several such windows, is the idle baseline, the background (conformance rows V3 and V4), and is
 * subtracted. A window with an SMI in it is taken again. What causes the background (patrol scrub, a BMC, a network
 * card, graphics) need not cause as much of it during the traffic, so that a count is uncertain by how much it varies:
 * traffic_window_background().
 */
#pragma once
#include "core/uncore/pmon_session.h"

#define TRAFFIC_WINDOW_STREAMS 64u
#define BACKGROUND_REPEATS     4u /* background_repeats of the second try, and twice as many of the third */

struct traffic_window_stream {
    uint32_t cpu;
    uint64_t base, bytes; /* multiple of 64 */
};

struct traffic_window {
    enum work_kind kind;
    uint32_t passes; /* 1 or more */
    bool cold;       /* the buffer is flushed out of all caches before the boxes run */
    bool warm;       /* it is streamed over twice before the boxes run              */
    bool prefetch;   /* prefetchers stay as they were found                         */
    uint32_t n;
    struct traffic_window_stream streams[TRAFFIC_WINDOW_STREAMS];
    /* How the streams are run; NULL: each as one task. For streams under an RMID. */
    enum status (*run)(struct traffic_window *traffic, struct platform *p);
    void *context; /* of run */
    /* How often more than once the background, which varies, is measured: for another try; half of them right before
     * the traffic, the others right after it. */
    uint32_t background_repeats;
    /* out */
    uint32_t bad_cpu;
    uint64_t ticks; /* of the last window with the traffic */
};

struct traffic_window_counts {
    /* [session->n * PMON_SESSION_COUNTERS]: with the traffic, the mean without it, and the most without it */
    double *counts;
};
/* What a box's counter i counted for the traffic, background subtracted; may be a little below 0. */
double traffic_window_net(const struct traffic_window_counts *counts, const struct pmon_session *session,
                          const struct pmon_session_box *b, uint32_t i);
/* How far the background that is subtracted may be off: BACKGROUND_SPREADS times the distance between the idle windows
 * with the least and the most of it, and no less than BACKGROUND_VARIES of the most. */
#define BACKGROUND_SPREADS 2.0
#define BACKGROUND_VARIES  0.25
double traffic_window_background(const struct traffic_window_counts *counts, const struct pmon_session *session,
                                 const struct pmon_session_box *b, uint32_t i);
/* The same with the background in it. */
double traffic_window_with(const struct traffic_window_counts *counts, const struct pmon_session *session,
                           const struct pmon_session_box *b, uint32_t i);
typedef double (*traffic_window_reader)(const struct traffic_window_counts *counts, const struct pmon_session *session,
                                        const struct pmon_session_box *b, uint32_t i); /* one of these two */
/* Bytes by one of these two that counter i of the boxes of a kind counted in a package, where it is on the event of
 * that name; -1: none of them counts it. */
double traffic_window_sum(const struct pmon_session *session, const struct traffic_window_counts *counts,
                          enum pmon_kind kind, uint32_t package, uint32_t i, const char *name,
                          traffic_window_reader got);
/* Records by how much the background of traffic of `bytes` varies, and says whether the traffic can be judged in spite
 * of it. false: it is more than a lost channel of four would be, and the check has a WARN that says so. */
#define BACKGROUND_MOST 0.25
bool traffic_window_stands_out(struct check *c, struct place place, double background_bytes, double bytes);

/* Program what the session holds, run the traffic, and fill *counts (the check's memory, allocated on the first use).
 * Prefetchers are off meanwhile where the part lets them be turned off and the traffic does
 * not ask for them. ST_NO_MEMORY, ST_LOST, ST_TIMEOUT, as platform_run(). */
MUST_CHECK enum status traffic_window_run(struct pmon_session *session, struct traffic_window *traffic,
                                          struct traffic_window_counts *counts);
/* Program what the session holds and run the traffic once; the session has what its counters read then. Errors as
 * above. */
MUST_CHECK enum status traffic_window_once(struct pmon_session *session, struct traffic_window *traffic);
/* The same without the traffic, for so many TSC ticks. */
MUST_CHECK enum status traffic_window_idle(struct pmon_session *session, struct traffic_window *traffic,
                                           uint64_t ticks);
/* TSC ticks of the longest window that a box had in the last run of the session. */
uint64_t traffic_window_ticks(const struct pmon_session *session);

/* For traffic->run: n_steps steps for each stream, those of one after those of another, each stream's as one task
 * on its processor. bytes: what all of them move. Returns the first bad status of a task or step, traffic->bad_cpu
 * is its processor; ST_NO_MEMORY. */
MUST_CHECK enum status traffic_window_run_steps(struct traffic_window *traffic, struct platform *p, struct step *steps,
                                                uint32_t n_steps, uint64_t bytes);

/* How many bytes each of n streams at once on memory of one node should read: `least`, which must be enough for virtual
 * silicon, where a line may cost a microsecond of the host; on hardware as many as the working memory holds, up to
 * TRAFFIC_WINDOW_MOST, so that a load lasts many times as long as what comes and goes beside it. */
#define TRAFFIC_WINDOW_MOST (UINT64_C(1) << 30)
uint64_t traffic_window_stream_bytes(const struct check *c, uint32_t n, uint64_t least);
/* A processor for streams of a package (not the boot processor where another is there), and its buffer in memory of
 * its own node, or of node `node` where that is not NO_NODE. ST_ABSENT: check_absent() has said what is missing. */
MUST_CHECK enum status traffic_window_add(struct traffic_window *traffic, struct check *c, uint32_t package,
                                          uint32_t node, uint64_t bytes);
/* The same with a half or a quarter of the bytes where memory has no piece of as many: the stream says how many. */
MUST_CHECK enum status traffic_window_add_some(struct traffic_window *traffic, struct check *c, uint32_t package,
                                               uint32_t node, uint64_t bytes);
/* One for each package that has memory, on that of its own node; the others get a note. Errors: as above. */
MUST_CHECK enum status traffic_window_add_packages(struct traffic_window *traffic, struct check *c, uint64_t bytes);
/* Streams on every package's own memory: one for each of its nodes that has memory and a processor, since the clusters
 * of a package have channels and slices of their own; without an SRAT one a package. Each is of so many bytes, or all
 * of a half or a quarter of them where a node has no piece of as many; what was taken of the tools before is given back
 * then. A package whose nodes have no memory gets a note, and traffic_window_bytes() of it is 0. Errors: as above. */
MUST_CHECK enum status traffic_window_add_each(struct traffic_window *traffic, struct check *c, uint64_t bytes);
/* Bytes of all streams that run on a package. */
uint64_t traffic_window_bytes(const struct traffic_window *traffic, const struct check *c, uint32_t package);
/* Whether it is known which memory is whose, where there is more than one package. ST_ABSENT: check_absent() has said
 * so. */
MUST_CHECK enum status traffic_window_homes_known(struct check *c);
/* The same for loads from one package on another's memory: ST_ABSENT of one package too. */
MUST_CHECK enum status traffic_window_two_packages(struct check *c);
/* What MBM has counted for an RMID of an L3 domain, asked for until it is available. On ST_OK *counts is written; else
 * as qm_read_wait(), ST_LOST where no processor of the domain takes work. */
MUST_CHECK enum status traffic_window_mbm(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event,
                                          uint64_t *counts);
/* The same after the load. On AMD it is asked for once: ST_UNAVAILABLE says that the count began again since the reading
 * before, which it cannot be subtracted from. */
MUST_CHECK enum status traffic_window_mbm_after(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event,
                                                uint64_t *counts);
/* check_unmeasured(), but check_absent() where AMD counts the RMIDs of these loads no longer. */
MUST_CHECK enum status traffic_window_unmeasured(struct check *c, const struct traffic_window *traffic, enum status st,
                                                 const char *what);

/* Whether MBM may count a stream of so many bytes too much that reads a buffer again: errata GNR12 and SRF42, whose
 * excess vanishes from 4 times the L3 on (Linux 752b6939951f). Parts whose L3 is not inclusive; a WARN, since mbm.total
 * judges longer ones. */
bool traffic_window_overcounts(const struct check *c, uint32_t domain, double bytes);
/* Counter i of a box is to count the event of that name. false: the unit has none, that counter cannot count it, or the
 * box's filter is set to something else already. */
bool traffic_window_select(struct pmon_session_box *b, uint32_t i, const char *name);
/* The same, and where another event counts the rest of it (pmon_named.rest), that one on the counter as far from the
 * last as i is from the first: traffic_window_sum() adds both. */
bool traffic_window_select_whole(struct pmon_session_box *b, uint32_t i, const char *name);
