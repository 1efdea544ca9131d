/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/mbm_counts.h: counts of bandwidth as registers have them, of one RMID and of all, and the RMID that
 * has what others lack. */
#pragma once
#include "core/domain/domains.h"

struct experiment;

/* Bytes of bandwidth from one read to a later one of an RMID. A counter that decreases between them is a FAIL that names
 * it, and not a difference modulo its width: check_violated() has said so. AMD's may restart at 0 where the part tracks
 * fewer RMIDs at a time: ST_ABSENT. */
MUST_CHECK enum status mbm_moved(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                                 uint64_t after_counts, double *bytes);
/* The same of an RMID that no processor has: one that restarts has nothing to count, so that a decrease to more than half
 * of what it was is none. */
MUST_CHECK enum status mbm_moved_idle(struct check *c, const struct qm_domain *d, uint32_t rmid, uint64_t before_counts,
                                      uint64_t after_counts, double *bytes);

/* Whether a lower count of an RMID that no processor has may be one that restarted, as AMD's do where another RMID is tracked
 * meanwhile. */
bool mbm_may_restart(const struct check *c, const struct qm_domain *d, uint64_t before_counts, uint64_t after_counts);

/* What all steps from one of n readings to the next are a multiple of, where it is more than 2 and below each of them: a
 * part that counts a sample of what moves counts so many at a time. Else 1. A stuck bit takes no step away but one of 2. */
uint64_t mbm_count_step(const uint64_t *counts, uint32_t n, uint32_t width);
/* Bits that did not toggle in n readings of a counter of `width` bits, of those whose whole period the traffic covered
 * and that are worth two lines at least (upscaling_factor: bytes per count): below that, prefetches of line pairs may
 * keep every count even. Bits that steps of mbm_count_step() leave alone are left out, and those that the mean step
 * hardly moves: 64 steps of 11 to 13 may all end with bit 1 clear. A WARN, since no document says that hardware counts
 * one by one. */
uint64_t mbm_idle_bits(const uint64_t *counts, uint32_t n, uint32_t width, uint32_t upscaling_factor);
/* Bits of which the counts of n RMIDs make use, where they are spread over all values below: each of the upper four is
 * set in between a fifth and four fifths of 32 counts or more, and what Assay itself has moved (in counts, all RMIDs
 * together) is an eighth of their sum at most. 0: they say nothing of the width, since counters may have started at
 * 0. */
uint32_t mbm_bits_in_use(const uint64_t *counts, uint32_t n, uint64_t moved);
/* Counts of every RMID under an event, index is the RMID; the check's memory. Errors: check_unmeasured() has said
 * why. */
MUST_CHECK enum status mbm_read_counts(struct check *c, struct qm_domain *d, enum qm_event event,
                                       struct qm_pair **pairs);
/* The same, to be compared with what mbm_read_counts() read before: on AMD an RMID that is Unavailable at the first
 * read has a count that restarted (Linux commit 15292f1b4c55), and its status stays so. */
MUST_CHECK enum status mbm_read_counts_after(struct check *c, struct qm_domain *d, enum qm_event event,
                                             struct qm_pair **pairs);

/* After experiment_measure() of readings of one domain's MBM, which lack missing_share of what the loads move: *elsewhere
 * is whether half or more of it is counted under RMIDs that are not read, in one more run of the loads, and *gained then
 * the one that has most of it. Processors beside the load have RMID 0, which is left out if `but_0`. Other
 * than ST_OK: check_unmeasured() has said why. */
MUST_CHECK enum status mbm_find_elsewhere(const struct experiment *e, double missing_share, bool but_0,
                                          uint32_t *gained, bool *elsewhere);
/* The same, and a finding at `place` where it is elsewhere. */
MUST_CHECK enum status mbm_report_elsewhere(const struct experiment *e, double missing_share, bool but_0,
                                            struct place place);
