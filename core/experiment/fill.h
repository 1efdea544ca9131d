/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/fill.h: memory brought into an L3 under an RMID, so that its occupancy is known, and what an
 * occupancy below the bytes filled says.
 *
 * An L3 that is inclusive (CPUID leaf 4, EDX[1]) holds every line that a core reads: the buffer is read once. Where it
 * is not, lines come from memory into the L2 and to the L3 when the L2 gives them up (intel-cmt-cat issue 187: memory
 * reads bypass the L3); which of them the L3 takes, and under the RMID of which moment, is not documented. There
 *   - the buffer is written, since a modified line cannot be dropped;
 *   - in pieces that an L2 holds and an L1 does not, twice each: a policy that keeps what was reused has seen it
 * reused;
 *   - then the L2 is emptied into the L3 under the same RMID: other memory of twice its size is read, and flushed (as
 *     RMID 0);
 *   - and all of that again while the occupancy grows, at most FILL_ROUNDS times.
 * What remains below the bytes filled is compared with the same fill by another processor under another
 * RMID. */
#pragma once
#include "core/experiment/monitor.h"

#define FILL_ROUNDS 4u
#define FILL_GROWTH 0.02 /* of the bytes filled: less is a plateau */

/* What brings the lines in. */
enum fill_by {
    FILL_AS_ABOVE, /* reads where the L3 is inclusive, else writes */
    FILL_BY_READS,
    FILL_BY_STORES,
};

/* In: what is filled, by whom. fill_plan() gives the parts. */
struct fill {
    struct check *check;
    uint32_t domain, cpu, rmid;
    uint32_t clos; /* or TRAFFIC_KEEP */
    enum fill_by by;
    uint64_t rest_ns; /* before it the processor sleeps in HLT, in its CLOS: struct traffic_load */
    bool associated;  /* its processor has the RMID and the CLOS: traffic_associate() */
    uint64_t base, bytes;
    uint64_t scratch,
        scratch_bytes; /* memory of this processor alone, which empties its L2; 0 bytes: it is not emptied */
    /* out */
    struct traffic_part *parts; /* the check's memory */
    uint32_t n_parts;
};

/* Twice an L2; 0 where the L3 is inclusive and nothing has to be emptied. */
uint64_t fill_scratch_bytes(const struct check *c, uint32_t domain);
/* How many of n processors may empty their L2s while so many bytes are to stay in the L3. */
uint32_t fill_at_once(const struct check *c, uint32_t domain, uint64_t bytes, const uint32_t *cpus, uint32_t n);
/* Memory for that of n processors, *scratch 0 where there is nothing to empty. Errors: those of
 * memory_scatter_any(). */
MUST_CHECK enum status fill_scratch(struct check *c, uint32_t domain, uint32_t cpu, uint32_t n, uint64_t *scratch);
/* Bytes of a fill that T_occ can tell from none: at most a quarter of the L3, and three of them fit with an L2's
 * worth. */
uint64_t fill_least_bytes(const struct check *c, uint32_t domain);
/* A buffer as of test_buffer_any(), and scratch memory after it where the L2 has to be emptied: f->check and f->domain
 * are set by it, and cpu, rmid, base, bytes, scratch. Errors: those of test_buffer_any(). */
MUST_CHECK enum status fill_take(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes,
                                 struct test_buffer *b, struct fill *f);
/* f->parts. Errors: ST_NO_MEMORY, check_unmeasured() has said it. */
MUST_CHECK enum status fill_plan(struct fill *f);
/* Bytes that it reads or writes, twice where it goes over them twice; what empties the L2 is left out. */
uint64_t fill_touches(const struct fill *f);
/* The load of one fill that is planned. */
struct traffic_load fill_load(const struct fill *f);
/* Plans fills that run at once, each by a processor of its own, with scratch memory of n times fill_scratch_bytes() at
 * `scratch`, of which threads of one core share what their L2 takes. loads: [n]. As fill_plan(). */
MUST_CHECK enum status fill_together(struct fill *fills, uint32_t n, uint64_t scratch, struct traffic_load *loads);
/* The parts of several fills of one processor, one after the other: a load. As fill_plan(). */
MUST_CHECK enum status fill_chain(const struct fill *fills, uint32_t n, struct traffic_load *load);

/* A fill made once, and *r read after it. flags: EXPERIMENT_WARM, or 0: caches are flushed before it. ticks: what it
 * took, may be NULL. Errors: those of fill_plan() and experiment_measure(). */
MUST_CHECK enum status fill_once(const struct fill *f, uint32_t flags, struct reading *r, uint64_t *ticks);

/* Less than its bounds allow, the finer ones too where it has them, of bytes that were filled. */
bool fill_is_short(const struct reading *r);
/* Whether a further round may bring more: occupancy in bytes before a round and after it, of bytes that were filled;
 * count: bytes of one count. */
bool fill_grows(double before, double after, double filled, double count);
/* The lower bounds of a reading whose fill reaches `share` of its bytes wherever it is tried; the upper ones stay. A
 * share that is nothing (below an eighth) leaves all of them: no policy keeps nothing of what was written several times
 * over. */
void fill_scale(const struct check *c, struct reading *r, double share);

enum fill_rule {
    FILL_BY_SIZE,    /* judge how much is held: a share that is the same everywhere is a WARN     */
    FILL_BY_CONTROL, /* judge under which RMID it is: compared with what the control holds        */
};
/* experiment_measure() of loads that fill, in rounds as above; where a reading that expect_occupancy() has set is below
 * its band and the L3 is not inclusive, the control, a repetition of *f by another processor under another RMID, and
 * its bounds by what that holds. Judged by the caller. *f is one of the fills, planned. Errors: those of
 * experiment_measure(). */
MUST_CHECK enum status fill_measure(struct experiment *e, const struct fill *f, enum fill_rule rule);
/* One fill, judged by its control; r->bytes is what the last of its rounds or runs left there, and all of it is in the
 * L3. Errors: those of experiment_measure(). */
MUST_CHECK enum status fill_known(struct fill *f, const char *name, struct reading *r);
/* fill_measure(), and experiment_judge(). */
MUST_CHECK enum status fill_check(struct experiment *e, const struct fill *f, enum fill_rule rule,
                                  const char *stimulus);
