/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/monitor.h: what the checks of occupancy and of bandwidth start from, file by file the same. */
#pragma once
#include "core/measure/common.h"
#include "core/base/plateau.h"

/* One processor, its free RMIDs (those that count right whatever the erratum) and a buffer. */
struct bench {
    uint32_t cpu;
    uint32_t rmids[4];
    uint64_t base, bytes;
};
/* false: why[] says what is missing. any: memory of any node, bytes rounded down to pages, for occupancy, which does
 * not ask where a line lives. local: memory of the processor's own node, for bandwidth. */
bool bench_any(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct bench *b, char why[WHY_SIZE]);
bool bench_local(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct bench *b,
                 char why[WHY_SIZE]);

/* Half the L3, and of large ones as much as tells 15 % from the absolute tolerance. */
uint64_t half_l3(const struct check *c, uint32_t domain);
/* The least traffic that is worth counting: 32 counts, one more or less is 3 %. */
uint64_t slice_bytes(const struct check *c, uint32_t domain);

/* Another thread of the same core, above `cpu`, that takes work. UINT32_MAX: there is none. */
uint32_t sibling_of(const struct check *c, uint32_t cpu);
/* The first thread of each core that has such a sibling. Returns how many; at most max are stored. */
uint32_t sibling_pairs(const struct check *c, uint32_t domain, uint32_t first[], uint32_t max);
#define SIBLING_CORES 8u /* tried per domain, spread over it: every core's registers are looked at by pqr.siblings */

/* Readings, bands still to be set. */
struct reading occupancy_of(uint32_t domain, uint32_t rmid);
struct reading total_of(uint32_t domain, uint32_t rmid);
struct reading local_of(uint32_t domain, uint32_t rmid);

/* The bench's buffer is filled under its first RMID, and judged by its size; *r is that reading, r->bytes what the last
 * of its runs left there. false: it could not be measured, and that was said. */
bool bench_fill(struct check *c, uint32_t domain, const struct bench *b, struct reading *r);
/* experiment_run() for one processor. *e stays good for experiment_judge(). */
bool stream_run(struct check *c, uint32_t cpu, struct traffic_part *parts, uint32_t n_parts, struct reading *r,
                uint32_t n_readings, struct experiment *e);

/* The figures that Linux's selftests/resctrl prints, over the runs of an experiment that was repeated, so that the two
 * can be laid side by side: mean of all runs but the first, and how far it is from `span` bytes in percent. test:
 * "cmt_test" (percent diff, with its sign: span less mean), "mbm_test" (avg_diff_per, without; its witness there is the
 * memory controller, here the bytes read). Nothing where there was one run. */
void linux_figures(struct check *c, const char *test, const struct experiment *e, double span);

/* --- every RMID at once ------------------------------------------------------------------------------------------- */

struct occupancies {
    struct qm_pair *pairs; /* [n], index is the RMID; to be freed */
    uint32_t n;
    double sum_bytes;
    uint32_t readable, nonzero;
};
/* false: cannot_measure() was called, and nothing is to be freed. */
bool occupancies_read(struct check *c, uint32_t domain, struct occupancies *o);
/* Nobody but RMID `but` and those in the background owns more than the tolerance, else fail(): "...: <defect>". */
void occupancies_judge(struct check *c, uint32_t domain, const struct occupancies *o, uint32_t but, const char *defect);

/* Bits that kept their value in n readings of a counter of `width` bits, of those that it went all the way round and
 * that stand for two lines at least (upscaling_factor: bytes a count): below that, prefetches of pairs may keep every
 * count even. A WARN, since no document says that hardware counts one by one. */
uint64_t mbm_idle_bits(const uint64_t *counts, uint32_t n, uint32_t width, uint32_t upscaling_factor);
/* Counts of every RMID under an event, index is the RMID; to be freed. NULL: cannot_measure() was called. */
struct qm_pair *counts_read(struct check *c, struct qm_domain *d, enum qm_event event);
struct qm_pair *totals_read(struct check *c, struct qm_domain *d);

/* --- series that should be flat ----------------------------------------------------------------------------------- */

struct flat {
    const char *name;    /* of the series: "total bytes counted over bytes read" */
    const char *x_name;  /* "RMID", "cpu" */
    const double *x, *y; /* [n], both ascending by x; y: what was measured over what should be */
    uint32_t n;
    double share; /* the distance that is alike, see core/base/plateau.h */
};
/* Shows the series, its lowest and highest value, and where it steps, if it does, by name. Judges nothing. false: it is
 * empty or could not be looked at, and that was said. */
bool flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p);
/* What a walk over processors gathers for it. */
struct cpu_ratios {
    double *cpu, *ratio; /* [capacity] */
    uint32_t n;
};
/* false: cannot_measure() was called, nothing to close. */
bool cpu_ratios_open(struct check *c, struct cpu_ratios *s, uint32_t capacity);
void cpu_ratios_add(struct cpu_ratios *s, uint32_t cpu, double ratio);
/* flat_show() in ascending order of processors, if there is anything. */
void cpu_ratios_close(struct check *c, uint32_t domain, struct cpu_ratios *s, const char *name, double share);
