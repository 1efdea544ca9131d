/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/sweep.h: the same script on every processor. */
#pragma once
#include "core/check/check.h"

struct sweep;
typedef uint32_t (*sweep_build)(struct sweep *s, uint32_t cpu, struct step *steps);
typedef void (*sweep_judge)(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n);

struct sweep {
    struct check *check;
    uint32_t max_steps; /* that build() may write for one processor */
    /* Writes the steps for a processor, returns how many; 0: the processor is left out. */
    sweep_build build;
    /* Judges the results. Not called for a processor that did not run to the end, which is an ERROR. */
    sweep_judge judge;
    const char *what; /* of the ERROR of a processor that is lost: the register */
    bool in_turn;     /* processors of an L3 one after the other: they may share the registers */
    void *context;
    /* out */
    uint32_t n_cpus;   /* processors that ran                                   */
    uint64_t compared; /* judge() counts here                                   */
};

/* Runs the script on every processor that takes work, or on those of one L3 where others are measured meanwhile; on
 * some at a time, so that the steps of thousands of processors need no more memory than those of a few. ST_NO_MEMORY:
 * nothing was run, and check_unmeasured() has said so. */
MUST_CHECK enum status sweep_processors(struct sweep *s);
/* The same of a sweep that is made of these. */
MUST_CHECK enum status sweep_run(struct sweep *s, struct check *c, uint32_t max_steps, sweep_build build,
                                 sweep_judge judge, const char *what, void *context);
