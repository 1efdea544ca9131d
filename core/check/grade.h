/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/grade.h: machines on which a rule may not be held against the hardware. */
#pragma once
#include "core/check/row.h"
#include "core/machine/machine.h"

/* What limits a FAIL of this row to a WARN on this machine, in words, or NULL. It goes by what the row's verdict rests on:
 *   hypervisor (CPUID.1:ECX[31])          everything but workloads
 *   Skylake-SP up to stepping 4           occupancy and bandwidth
 *   Skylake-SP, Cascade Lake-SP, Cooper Lake-SP   what masks do
 *   AMD, Hygon                            occupancy, and what masks do to it
 *   Intel with sub-NUMA clusters          occupancy, bandwidth, what masks do
 * A row that rests on uncore counts too has a second witness, and keeps its grade.
 * clustered: an L3 is cut into clusters, or its processors stand on several nodes and no fill has shown yet what these
 * are. Source: docs/tolerances.md, grade limits; Linux resctrl (quirks of Skylake-SP); APM vol. 2 chapter 19; 356688 B.1.2. */
const char *grade_limit(const struct machine *m, bool clustered, const struct check_row *row);
/* Whether the processors of some L3 stand on several nodes (SRAT). */
bool grade_l3_spans_nodes(const struct machine *m);
