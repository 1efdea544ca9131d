/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/monitor.h: a buffer with a processor and RMIDs, readings of them, and figures of both. */
#pragma once
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

/* n readings of MBM total, of what each reads from memory of `cpu`'s own node: after them those of MBM local, where the
 * machine has it. Returns how many there are now. Measured, local is to be LOCAL_LEAST of what total is. */
uint32_t readings_add_local(struct check *c, uint32_t cpu, struct reading *r, uint32_t n);
void readings_bind_local(const struct check *c, struct reading *r, uint32_t n, uint32_t n_all);

/* The figures that Linux's selftests/resctrl prints, over the runs of an experiment that was repeated, so that the two
 * can be compared: mean of all runs but the first, and how far it is from `span` bytes in percent. test:
 * "cmt_test" (percent diff, with its sign: span less mean), "mbm_test" (avg_diff_per, without; its witness there is the
 * memory controller, here the bytes read). Nothing where there was one run. */
void monitor_linux_figures(struct check *c, const char *test, const struct experiment *e, double span);

/* A measurement in MiB/s: bytes moved over the longest of the loads' times. Nothing where no time is known. */
void monitor_show_rate(struct check *c, uint32_t domain, const char *name, const struct traffic_outcome *outcome);
