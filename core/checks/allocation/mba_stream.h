/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/mba_stream.h: the rate of a stream of known size under a bandwidth register, and the bytes
 * that MBM counts of it. */
#pragma once
#include "core/measure/alloc.h"

struct mba_stream {
    uint32_t cpus[2], rmid; /* cpus[1]: of another core, or the same where there is none */
    uint64_t base, bytes;
    uint32_t clos;   /* of the first processor, which streams                   */
    bool with_other; /* the second processor idles in other_clos meanwhile      */
    uint32_t other_clos;
};

/* Two processors, an RMID and memory of their node. ST_ABSENT: absent() has said what is missing. */
MUST_CHECK enum status mba_stream_init(struct check *c, uint32_t domain, struct mba_stream *s);
/* Writes `value` into the register of a class; *rate: bytes/s of the first processor then, the best of three runs. A
 * count of MBM outside of its band is a finding. Errors: those of alloc_write() and experiment_measure(). */
MUST_CHECK enum status mba_rate_with(struct check *c, uint32_t domain, const struct mba_stream *s,
                                     const struct alloc_table *t, uint32_t class, uint64_t value, double *rate);

double mba_larger(double a, double b);
/* The larger of two rates over the smaller, less 1. */
double mba_rate_spread(double a, double b);
/* Reports the spread of rates without delay before and after; more than 25 % is ST_ABSENT: other guests or power limits
 * change the speed of the machine. */
MUST_CHECK enum status mba_rate_steady(struct check *c, uint32_t domain, double spread);
