/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/pmon_flow.h: traffic of known size while every box of some kinds counts.
 *
 * A flow is what processors do: each streams over a buffer of its own. The boxes are let run before and stopped after
 * it, and again for as long without it: what they counted then is background (uncore-pmon V3, V4: the idle baseline),
 * and is taken off. Whoever makes it (a BMC, a network card, graphics, SMM) may make none of it or twice as much while
 * the flow runs, so it is also how far a count may be off: flow_beside().
 */
#pragma once
#include "core/measure/pmon_lab.h"

#define FLOW_STREAMS 64u
#define MORE_LOOKS   4u /* more_looks of the second try, and twice as many of the third */

struct flow_stream {
    uint32_t cpu;
    uint64_t base, bytes; /* multiple of 64 */
};

struct flow {
    enum work_kind kind;
    uint32_t passes; /* 1 or more */
    bool cold;       /* the buffer is flushed out of all caches before the boxes run */
    bool warm;       /* it is streamed over twice before the boxes run              */
    bool prefetch;   /* prefetchers stay as they were found                         */
    uint32_t n;
    struct flow_stream streams[FLOW_STREAMS];
    /* How the streams are run; NULL: each as one task. For streams under an RMID. */
    enum status (*run)(struct flow *flow, struct platform *p);
    void *context; /* of run */
    /* How often more than once it is looked at what goes on without the flow, which comes and goes: for another try. */
    uint32_t more_looks;
    /* out */
    uint32_t bad_cpu;
};

struct flow_counts {
    double *counts; /* [lab->n * LAB_COUNTERS]: with the flow, without it, and the most without it */
};
/* What a box's counter i counted for the flow, background taken off; may be a little below 0. */
double flow_got(const struct flow_counts *counts, const struct lab *lab, const struct lab_box *b, uint32_t i);
/* The most that it counted in as long a time without the flow. */
double flow_beside(const struct flow_counts *counts, const struct lab *lab, const struct lab_box *b, uint32_t i);
typedef double (*flow_reader)(const struct flow_counts *counts, const struct lab *lab, const struct lab_box *b,
                              uint32_t i); /* one of these two */
/* Records what was counted beside a flow of `bytes`, and says whether the flow can be judged beside it. false: it is
 * more than a lost channel of four would be, and the check has a WARN that says so. */
#define BESIDE_MOST 0.25
bool flow_stands_out(struct check *c, const char *where, double beside_bytes, double bytes);

/* Program what stands in the lab, run the flow, and fill *counts (allocated on the first use; give it back with
 * flow_free()). Prefetchers are off meanwhile where the part lets them be turned off and the flow does not ask for
 * them. ST_NO_MEMORY, ST_LOST, ST_TIMEOUT, as platform_run(). */
MUST_CHECK enum status flow_run(struct lab *lab, struct flow *flow, struct flow_counts *counts);
void flow_free(struct flow_counts *counts);
/* Program what stands in the lab and run the flow once; the lab has what its counters read then. Errors as above. */
MUST_CHECK enum status flow_once(struct lab *lab, struct flow *flow);

/* For flow->run: n_steps steps for each stream, those of one behind those of another, each stream's as one task on its
 * processor. bytes: what all of them move. Returns the first bad status of a task or step, flow->bad_cpu tells whose;
 * ST_NO_MEMORY. */
MUST_CHECK enum status flow_run_steps(struct flow *flow, struct platform *p, struct step *steps, uint32_t n_steps,
                                      uint64_t bytes);

/* A processor for streams of a package (not the boot processor where another is there), and its buffer in memory of
 * its own node, or of node `node` where that is not NO_NODE. false: why says what is missing. */
bool flow_add(struct flow *flow, struct check *c, uint32_t package, uint32_t node, uint64_t bytes, char why[WHY_SIZE]);

/* Streams on every package's own memory: one for each of its nodes that has memory and a processor, since the clusters
 * of a package have channels and slices of their own; without an SRAT one a package. Each is of so many bytes. false:
 * it could not be, and the check is SKIP. */
bool flow_add_each(struct flow *flow, struct check *c, uint64_t bytes);
/* Bytes of all streams that run on a package. */
uint64_t flow_bytes(const struct flow *flow, const struct check *c, uint32_t package);
/* The first node with memory that belongs to a package; NO_NODE: none is known to. */
uint32_t package_node(const struct machine *m, uint32_t package);
/* What MBM has counted for an RMID of an L3 domain, asked for until it is available. On ST_OK *counts is written; else
 * as qm_read_wait(), ST_LOST where no processor of the domain takes work. */
MUST_CHECK enum status flow_mbm(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event, uint64_t *counts);

/* Counter i of a box is to count the event of that name. false: the unit has none, that counter cannot count it, or the
 * box's filter is set to something else already. */
bool flow_select(struct lab_box *b, uint32_t i, const char *name);
