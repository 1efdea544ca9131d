/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/monitor.h: buffers, readings and series that the checks of occupancy and of bandwidth share. */
#pragma once
#include "core/base/plateau.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment.h"
#include "core/load/loads.h"
#include "core/load/memory.h"

/* One processor, its free RMIDs (those that count right whatever the erratum) and a buffer. */
struct test_buffer {
    uint32_t cpu;
    uint32_t rmids[4];
    uint64_t base, bytes;
};
/* ST_ABSENT: check_absent() has said what is missing. any: memory of any node, bytes rounded down to pages, for
 * occupancy, which is the same whatever node a line is of. local: memory of the processor's own node, for bandwidth.
 * Either may be in several pieces: memory_scatter_any(). contiguous: as any, in one piece. */
MUST_CHECK enum status test_buffer_any(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes,
                                       struct test_buffer *b);
MUST_CHECK enum status test_buffer_contiguous(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes,
                                              struct test_buffer *b);
MUST_CHECK enum status test_buffer_local(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes,
                                         struct test_buffer *b);

/* Readings, bands still to be set. */
struct reading reading_occupancy(uint32_t domain, uint32_t rmid);
struct reading reading_total(uint32_t domain, uint32_t rmid);
struct reading reading_local(uint32_t domain, uint32_t rmid);

/* The figures that Linux's selftests/resctrl prints, over the runs of an experiment that was repeated, so that the two
 * can be compared: mean of all runs but the first, and how far it is from `span` bytes in percent. test:
 * "cmt_test" (percent diff, with its sign: span less mean), "mbm_test" (avg_diff_per, without; its witness there is the
 * memory controller, here the bytes read). Nothing where there was one run. */
void monitor_linux_figures(struct check *c, const char *test, const struct experiment *e, double span);

/* A measurement in MiB/s: bytes moved over the longest of the loads' times. Nothing where no time is known. */
void monitor_show_rate(struct check *c, uint32_t domain, const char *name, const struct traffic_outcome *outcome);

/* --- every RMID at once ------------------------------------------------------------------------------------------- */

struct occupancies {
    struct qm_pair *pairs; /* [n], index is the RMID; the check's */
    uint32_t n;
    double sum_bytes;
    uint32_t readable, nonzero;
};
/* Errors: check_unmeasured() has said why. */
MUST_CHECK enum status occupancies_read(struct check *c, uint32_t domain, struct occupancies *o);
/* No RMID other than `but` and those in the background holds more than the tolerance; each that does is a finding. */
void occupancies_judge(struct check *c, uint32_t domain, const struct occupancies *o, uint32_t but,
                       enum finding_code code, const char *defect);

/* Bytes of bandwidth from one read to a later one of an RMID. A counter that decreases between them is a FAIL that names
 * it, and not a difference modulo its width: check_violated() has said so. AMD's may restart at 0 where the part tracks
 * fewer RMIDs at a time: ST_ABSENT. */
MUST_CHECK enum status monitor_moved(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                                     uint64_t after_counts, double *bytes);
/* The same of an RMID that no processor has: one that restarts has nothing to count, so that a decrease to more than half
 * of what it was is none. */
MUST_CHECK enum status monitor_moved_idle(struct check *c, const struct qm_domain *d, uint32_t rmid,
                                          uint64_t before_counts, uint64_t after_counts, double *bytes);

/* What all steps from one of n readings to the next are a multiple of, where they differ and it is more than 2: a part
 * that counts a sample of what moves counts so many at a time. Else 1. A stuck bit takes no step away but one of 2. */
uint64_t mbm_count_step(const uint64_t *counts, uint32_t n, uint32_t width);
/* Bits that did not toggle in n readings of a counter of `width` bits, of those whose whole period the traffic covered
 * and that are worth two lines at least (upscaling_factor: bytes per count): below that, prefetches of line pairs may
 * keep every count even. Bits that steps of mbm_count_step() leave alone are left out. A WARN, since no document says
 * that hardware counts one by one. */
uint64_t mbm_idle_bits(const uint64_t *counts, uint32_t n, uint32_t width, uint32_t upscaling_factor);
/* Bits of which the counts of n RMIDs make use, where they are spread over all values below: each of the upper four is
 * set in between a fifth and four fifths of 32 counts or more, and what Assay itself has moved (in counts, all RMIDs
 * together) is an eighth of their sum at most. 0: they say nothing of the width, since counters may have started at
 * 0. */
uint32_t mbm_bits_in_use(const uint64_t *counts, uint32_t n, uint64_t moved);
/* Counts of every RMID under an event, index is the RMID; the check's memory. Errors: check_unmeasured() has said
 * why. */
MUST_CHECK enum status monitor_read_counts(struct check *c, struct qm_domain *d, enum qm_event event,
                                           struct qm_pair **pairs);
/* The same, to be compared with what monitor_read_counts() read before: on AMD an RMID that is Unavailable at the first
 * read has a count that restarted (Linux commit 15292f1b4c55), and its status stays so. */
MUST_CHECK enum status monitor_read_counts_after(struct check *c, struct qm_domain *d, enum qm_event event,
                                                 struct qm_pair **pairs);

/* --- series that should be flat ----------------------------------------------------------------------------------- */

struct flat {
    const char *name;    /* of the series: "MBM total / bytes read" */
    const char *x_name;  /* "RMID", "cpu" */
    const double *x, *y; /* [n], both ascending by x; y: what was measured over what should be */
    uint32_t n;
    double share; /* the distance that is alike, see core/base/plateau.h */
};
/* Reports the series, its minimum and maximum, and in a note at which x it steps. Judges nothing. Errors: it is empty,
 * and check_unmeasured() has said so. */
MUST_CHECK enum status flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p);
/* Ratios by processor, for flat_show(). */
struct cpu_ratios {
    double *cpu, *ratio; /* [capacity] */
    uint32_t n;
};
/* ST_NO_MEMORY. Processors are added in any order. */
MUST_CHECK enum status cpu_ratios_open(struct check *c, struct cpu_ratios *s, uint32_t capacity);
void cpu_ratios_add(struct cpu_ratios *s, uint32_t cpu, double ratio);
/* flat_show() in ascending order of processors, if there is anything. */
MUST_CHECK enum status cpu_ratios_show(struct check *c, uint32_t domain, const struct cpu_ratios *s, const char *name,
                                       double share);
