/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/cat_context.h: what the checks of capacity masks start from on one L3.
 *
 * A check restricts the masks of some classes, fills the L3 under them and reads the occupancy. Masks stay outside
 * of the shareable bits, where devices or graphics fill as well (10H.1:EBX). The row's run_cat is called by
 * cat_run(): every mask is put back when it returns, whatever the outcome of it. */
#pragma once
#include "core/domain/alloc.h"
#include "core/experiment/fill.h"

/* Where a part accepts no mask of one bit (E5 v3), a step is two ways, else one. */
struct cat_context {
    struct alloc_table t;
    uint32_t first,
        steps;      /* the longest run of mask bits that are not shareable: its lowest bit, its length in steps */
    uint32_t least; /* ways of a step                                                                           */
    uint64_t step_bytes, l2_bytes; /* l2_bytes: 0 where the L3 is inclusive */
    uint32_t cpus[2], n_cpus, rmids[2];
};

/* Prepares the context, calls the row's run_cat and puts all masks back. ST_ABSENT: too few classes, mask bits, RMIDs
 * or processors. */
MUST_CHECK enum status cat_run(struct check *c, uint32_t domain);

uint64_t cat_full_mask(const struct cat_context *k);
/* The mask of so many steps from step `at` on. */
uint64_t cat_window(const struct cat_context *k, uint32_t at, uint32_t steps);
/* Buffer size that tells a share of `bytes` from no limit: twice the tolerance of occupancy above it, and what an L2
 * keeps. */
uint64_t cat_beyond_share(const struct cat_context *k, uint64_t bytes);

/* Whether so many bytes from `base` on have lines for these steps in each set: a piece of memory has for as many as
 * whole steps fit into it. Where they are in pieces that have not: ST_ABSENT. */
MUST_CHECK enum status cat_covers(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base,
                                  uint64_t bytes, uint32_t steps);

/* On every L3: the masks of the first n classes as given, all others full. Errors: those of alloc_write(). */
MUST_CHECK enum status cat_set_masks(struct check *c, const struct cat_context *k, uint32_t n, const uint64_t *masks);

struct reading cat_occupancy(const char *name, uint32_t domain, uint32_t rmid);

/* expect_occupancy() of a class that has filled more than these ways. On Intel half a way more is a WARN: one more way
 * that it fills shows, whatever a way's size; AMD's count is an estimate (APM vol. 2 19.3.2). What it excludes is
 * said. */
void cat_expect_share(struct check *c, const struct cat_context *k, struct reading *r, uint32_t ways, uint32_t cores);
/* Bytes of so many ways, and half a way and one count. */
double cat_most_of(const struct check *c, const struct cat_context *k, uint32_t domain, uint32_t ways);

/* A fill in a class by the first processor under the first RMID, its L2 not emptied: of a buffer larger than its class
 * may hold what is left in an L2 is not missed. */
struct fill cat_fill(struct check *c, uint32_t domain, const struct cat_context *k, uint32_t clos, uint64_t base,
                     uint64_t bytes);
/* The same with the L2 emptied into the ways of that class. Errors: those of fill_scratch(). */
MUST_CHECK enum status cat_fill_whole(struct check *c, uint32_t domain, const struct cat_context *k, uint32_t clos,
                                      uint64_t base, uint64_t bytes, struct fill *f);
/* Fills one after the other, and the reading held against its band; below it a WARN where the L3 is not inclusive,
 * since which lines it takes is not documented. flags: of the experiment. Errors: those of experiment_measure(). */
MUST_CHECK enum status cat_measure(struct check *c, const struct fill *fills, uint32_t n, struct reading *r,
                                   uint32_t flags, const char *defect);
/* The judgement of cat_measure(): of an experiment with one reading that was measured. */
void cat_judge(struct experiment *e, const char *defect);
/* What the control of masks is: a fill in class 1 with a full mask must hold more than `most` bytes, or the fills that
 * a mask should hold back show nothing, and ST_ABSENT. *held: the bytes, on ST_OK; may be NULL. Errors else: those of
 * experiment_measure(). */
MUST_CHECK enum status cat_control(struct check *c, const struct cat_context *k, const struct fill *f, double most,
                                   double *held);
