/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_counters/pmon_residency.h: counters of how long a package and a core were in a power state, beside
 * the cores in C0 that the power control unit counts. */
#pragma once
#include "core/check/check.h"

/* The n processors, one of each core, are kept awake together for so many TSC ticks, and read the residency counters of
 * their package and core at both ends: none advances meanwhile, or goes back. A deviation is a WARN. SDM vol. 4, MSRs
 * 60DH, 3F8H, 3F9H, 3FCH, 3FDH: residency at the TSC's rate. What raises #GP is left out, and where all do, a note says
 * so. Errors: check_unmeasured() has said which. */
MUST_CHECK enum status residency_judge_awake(struct check *c, const uint32_t *cpus, uint32_t n, uint64_t ticks);
