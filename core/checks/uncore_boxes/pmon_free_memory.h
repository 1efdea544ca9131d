/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_boxes/pmon_free_memory.h: free-running counters of a memory controller against its channels: which
 * channels are its own, and how two figures compare. */
#pragma once
#include "arch/x86/pmon/pmon.h"

/* Whether a channel's registers are where those of one of this controller's channels are, by the memory map of its
 * part. mc: a box of free-running counters. */
bool free_memory_owns(const struct pmon_box *mc, const struct pmon_box *channel);

struct free_window { /* a clock over one window */
    uint64_t counts;
    double lo, hi; /* Hz, at least and at most */
};

enum free_clock_verdict {
    FREE_CLOCK_ALIKE, /* as some channel that has a clock                                  */
    FREE_CLOCK_OPEN,  /* no channel is known, or neither it nor all of them advance    */
    FREE_CLOCK_DEAD,  /* does not advance, and every channel has a clock                       */
    FREE_CLOCK_OTHER, /* a rate that no channel with a clock has                           */
};
/* A free-running DCLK against n channels. *alike: how many run at its rate. */
enum free_clock_verdict free_memory_clock(const struct free_window *w, const struct free_window *channels, uint32_t n,
                                          uint32_t *alike);
/* Hz at least of the first of n channels that has a clock; 0: none has. */
double free_memory_background(const struct free_window *channels, uint32_t n);

#define FREE_BYTES_SHARE 0.05 /* of what the channels count: traffic of others between two readings      */
#define FREE_BYTES_LEAST 0.1  /* of the even share of a controller: with less there is nothing to compare */

enum free_bytes_verdict { FREE_BYTES_ALIKE, FREE_BYTES_OPEN, FREE_BYTES_OTHER };
/* Bytes by the free-running counter and by the CAS of its channels, background taken off both; expected: an even share
 * of the load. OPEN: both the channels and the counter count less than that. */
enum free_bytes_verdict free_memory_bytes(double free, double cas, double expected);
