/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/core_misses.h: the core's own counters of L3 misses and L3 requests, and how many a class
 * with some ways must cause at least. */
#pragma once
#include "arch/x86/cpu/core_pmu.h"
#include "core/check/check.h"

#define LINE       64.0
#define READ_AGAIN 2u /* how often a buffer is read after its fill */

/* Starts the counter, or (end) stops it and puts its registers back; *value: its count then. */
MUST_CHECK enum status core_counter_read(struct check *c, const struct core_pmu *pmu, bool end, uint64_t *value);
/* The least lines requested when `bytes` that are in no cache are read 1 + READ_AGAIN times and at most `kept` bytes of
 * them can stay: all of them once, and what does not fit each time again, less 8 percent. */
double core_misses_least(double bytes, double kept);
