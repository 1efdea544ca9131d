/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/mba_stream.h: the rate of a stream of known size under a bandwidth register, and the bytes
 * that MBM counts of it. */
#pragma once
#include "core/measure/alloc.h"
#include "core/measure/rates.h"

struct mba_stream {
    uint32_t cpus[2], rmid; /* cpus[1]: of another core, or the same where there is none */
    uint64_t base, bytes;
    uint32_t clos;   /* of the first processor, which streams                   */
    bool with_other; /* the second processor idles in other_clos meanwhile      */
    uint32_t other_clos;
};

/* Two processors, an RMID and memory of their node. ST_ABSENT: absent() has said what is missing. */
MUST_CHECK enum status mba_stream_init(struct check *c, uint32_t domain, struct mba_stream *s);
/* What is in the registers while the stream runs: values of its class and of the second processor's. */
struct mba_setting {
    uint64_t own, other;
};
#define MBA_UNCHANGED UINT64_MAX

/* A stream that is slowed has 80 % of its rate at most: with a spread of 1 / 80 % - 1 it is not told from one that is
 * not. */
#define MBA_SPREAD_MOST 0.25

/* The rates of n settings, see core/measure/rates.h; the table is recorded before and put back. A count of MBM outside of
 * its band is a finding. Errors: those of alloc_write() and experiment_measure(), *r has no result. */
MUST_CHECK enum status mba_stream_rates(struct check *c, uint32_t domain, const struct mba_stream *s,
                                        struct alloc_table *t, const struct mba_setting *settings, uint32_t n,
                                        struct rates *r);
/* Reports the spread. ST_ABSENT: it is larger than MBA_SPREAD_MOST, absent() has said so, and nothing can be judged. */
MUST_CHECK enum status mba_rates_steady(struct check *c, uint32_t domain, const struct rates *r);
/* By how much two rates may differ that should be alike. */
double mba_alike_share(const struct rates *r);
