/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/bandwidth/mba_stream.h: the rate of a stream under a bandwidth register, and the bytes that MBM counts
 * of it.
 *
 * How soon a throttle acts on a processor is not published. A stream begins MBA_REACTION_MS after its processor has
 * read a page in its class, and is read in MBA_PIECES pieces of which the first half is dropped; where the third
 * quarter and the last are not alike it is run again. Its rate is the median of the pieces of the second half.
 * Streams of a setting are as long as MBA_JUDGED_MS a round, however slow it makes them, since resctrl's selftests look
 * at whole seconds; where loads are limited (struct platform) a stream is 4 MiB.
 */
#pragma once
#include "core/domain/alloc.h"
#include "core/experiment/rates.h"
#include "core/load/traffic.h"

#define MBA_PIECES      16u
#define MBA_PARTS       (1 + MBA_PIECES)
#define MBA_REACTION_MS 12u /* 10 are assumed */
#define MBA_JUDGED_MS   40u /* a round; five rounds are 200 ms */

struct mba_stream {
    uint32_t cpus[2], rmid; /* cpus[1]: of another core, or the same where there is none */
    uint64_t base, bytes;
    uint32_t clos;   /* of the first processor, which streams                   */
    bool with_other; /* the second processor idles in other_clos meanwhile      */
    uint32_t other_clos;
    bool class_first; /* the processors get their classes before the registers are written; else the reverse */
    bool brief;       /* one stream a setting is enough */
    double rate;      /* of the setting, as streams have shown it; 0: one of 4 MiB is to show it */
    /* out */
    double cached;           /* bytes/s of the same loop over lines that stay in the L1                  */
    uint64_t first, last;    /* counts of MBM before the first stream and after the last                 */
    double moved;            /* bytes of all streams                                                      */
    double missing;          /* % of them that MBM could have lacked without a finding                    */
    bool counted, unsettled; /* there was a stream; one that did not settle                               */
};

/* Two processors, the first of them `cpu` (ANY_CPU: of the domain), an RMID and memory, of the node of the first where
 * that has some. ST_ABSENT: check_absent() has said what is missing. Other errors: check_unmeasured() has said why. */
#define ANY_CPU UINT32_MAX
MUST_CHECK enum status mba_stream_init(struct check *c, uint32_t domain, uint32_t cpu, struct mba_stream *s);
/* What is in the registers while the stream runs: values of its class and of the second processor's. */
struct mba_setting {
    uint64_t own, other;
};
#define MBA_UNCHANGED UINT64_MAX

/* A stream that is slowed has 80 % of its rate at most: with a spread of 1 / 80 % - 1 it cannot be distinguished from
 * one that is not. */
#define MBA_SPREAD_MOST 0.25

/* The rates of n settings, see core/experiment/rates.h; the table is recorded before and put back. What MBM counts of
 * all streams is a finding where it is outside of its band, unless s->class_first. Errors: those of alloc_write() and
 * experiment_measure(), *r has no result. */
MUST_CHECK enum status mba_stream_rates(struct check *c, uint32_t domain, struct mba_stream *s, struct alloc_table *t,
                                        const struct mba_setting *settings, uint32_t n, struct rates *r);
/* The rates of n settings, one short stream each, in that order. Errors: as above. */
MUST_CHECK enum status mba_stream_glance(struct check *c, uint32_t domain, const struct mba_stream *s,
                                         struct alloc_table *t, const struct mba_setting *settings, uint32_t n,
                                         double *rates);
/* A short stream each under a mild throttle, none, the strictest, and none again, by these values of its class. The last is as
 * fast as the second where the strictest slows the stream to `slowed` of its rate, or it is a finding that a throttle
 * outlasts its removal. Errors: as above. */
MUST_CHECK enum status mba_lifted(struct check *c, uint32_t domain, const struct mba_stream *s, struct alloc_table *t,
                                  uint64_t mild, uint64_t none, uint64_t strictest, double slowed);
/* Every processor of the domain streams in the class of *s at the same time, without a throttle and under the strictest.
 * alone: bytes/s of one stream under the strictest. Where a processor moves several times that without a throttle,
 * the strictest slows it to `slowed` of its rate, or it is a finding of that code. Errors: as above. */
MUST_CHECK enum status mba_concurrent(struct check *c, uint32_t domain, const struct mba_stream *s,
                                      const struct alloc_table *t, uint64_t none, uint64_t strictest, double slowed,
                                      double alone, enum finding_code code);
/* Reports the spread. ST_ABSENT: it is larger than MBA_SPREAD_MOST, check_absent() has said so, and nothing can be
 * judged. */
MUST_CHECK enum status mba_rates_steady(struct check *c, uint32_t domain, const struct rates *r);
/* By how much two rates may differ that should be alike. */
double mba_alike_share(const struct rates *r);
/* The parts of one stream of *s, in its class. */
void mba_stream_parts(const struct check *c, const struct mba_stream *s, struct traffic_part parts[MBA_PARTS]);
/* Their rate when they have run: mba_pieces_rate(). *seconds: more by those that it is of. */
MUST_CHECK enum status mba_parts_rate(const struct check *c, const struct mba_stream *s,
                                      const struct traffic_part parts[MBA_PARTS], double *rate, bool *settled,
                                      double *seconds);
/* The rate of MBA_PIECES pieces of a stream: the median of the second half. false: it had not settled, its third
 * quarter and its last are not alike. A piece of no time counts as ST_RANGE. */
MUST_CHECK enum status mba_pieces_rate(const double pieces[MBA_PIECES], double *rate, bool *settled);

/* What a check does with one more processor of the domain, in this class: the first few by several rounds, others at a
 * glance first. */
typedef enum status (*mba_core_fn)(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, struct alloc_table *t,
                                   bool glance);

/* Each processor of the domain but the first one that takes work, and each class but 0 and 1, once at least: class after
 * class, each on the next processor. Errors of `core`, which ends it; ST_NO_MEMORY. */
MUST_CHECK enum status mba_others(struct check *c, uint32_t domain, struct alloc_table *t, mba_core_fn core);
