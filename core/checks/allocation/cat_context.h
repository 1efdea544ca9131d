/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/cat_context.h: what the checks of capacity masks start from on one L3.
 *
 * A check restricts the masks of some classes, fills the L3 under them and reads the occupancy. Masks stay outside
 * of the shareable bits, where devices or graphics fill as well (10H.1:EBX). Its run_domain is cat_run() with the
 * experiment: every mask is put back when that returns, whatever came of it. */
#pragma once
#include "core/measure/alloc.h"
#include "core/measure/experiment.h"
#include "core/measure/loads.h"
#include "core/measure/memory.h"

/* Where a part accepts no mask of one bit (E5 v3), a step is two ways, else one. */
struct cat_context {
    struct alloc_table t;
    uint32_t first,
        steps;      /* the longest run of mask bits that are not shareable: its lowest bit, its length in steps */
    uint32_t least; /* ways of a step                                                                           */
    uint64_t step_bytes,
        l2_bytes; /* l2_bytes: 0 where the L3 is inclusive                                            */
    uint32_t cpus[2], n_cpus, rmids[2];
};

typedef enum status (*cat_experiment)(struct check *c, uint32_t domain, const struct cat_context *k);

/* Prepares the context, runs the experiment and puts all masks back. ST_ABSENT: too few classes, mask bits, RMIDs or
 * processors. */
MUST_CHECK enum status cat_run(struct check *c, uint32_t domain, cat_experiment run);

uint64_t cat_full_mask(const struct cat_context *k);
/* The mask of so many steps from step `at` on. */
uint64_t cat_window(const struct cat_context *k, uint32_t at, uint32_t steps);
/* Buffer size that tells a share of `bytes` from no limit: twice the tolerance of occupancy above it, and what an L2
 * keeps. */
uint64_t cat_beyond_share(const struct cat_context *k, uint64_t bytes);

/* On every L3: the masks of the first n classes as given, all others full. Errors: those of alloc_write(). */
MUST_CHECK enum status cat_set_masks(struct check *c, const struct cat_context *k, uint32_t n, const uint64_t *masks);

struct traffic_part cat_part_in_class(struct traffic_part part, uint32_t clos);
struct reading cat_occupancy(const char *name, uint32_t domain, uint32_t rmid);

/* One load on the first processor, and its readings held against their bands. Errors: those of experiment_measure(). */
MUST_CHECK enum status cat_measure(struct check *c, const struct cat_context *k, struct traffic_part *parts,
                                   uint32_t n_parts, struct reading *r, uint32_t n_readings, const char *defect);
