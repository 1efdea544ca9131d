/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/core_misses.h: how many L3 misses or requests a class with some ways must cause at least, by the
 * core's own counters. */
#pragma once
#include "arch/x86/cpu/core_pmu.h"
#include "core/check/check.h"

#define LINE       64.0
#define READ_AGAIN 2u /* how often a buffer is read after its fill */

/* The least lines requested when `bytes` that are in no cache are read 1 + READ_AGAIN times and at most `kept` bytes of
 * them can stay: all of them once, and what does not fit each time again, less 8 percent. */
double core_misses_least(double bytes, double kept);
