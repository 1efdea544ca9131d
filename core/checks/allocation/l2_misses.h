/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/l2_misses.h: L2 masks, seen by the requests of a core to the L3. */
#pragma once
#include "core/check/check.h"

/* Row L2-02. Two measurements, with a warning where `few`, the requests with one way of the L2, are fewer than
 * core_misses_least(bytes, kept). all: with all ways, reported and not judged. */
void l2_misses_judge(struct check *c, uint32_t cpu, uint32_t clos, double bytes, double kept, double all, double few);
