/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/core_misses.h: how much a cache of which a class has some ways only must be asked of again. */
#pragma once
#include "core/check/check.h"

/* Lines that must be asked for at least when `bytes` that are in no cache are read three times, and no more than `kept`
 * bytes of them can stay: all of them once, and what does not fit each time again, less 8 percent. */
double requests_least(double bytes, double kept);
/* Two measurements, with a warning where `few`, the requests with one way of the L2, are fewer than that. all: with all
 * ways, shown and not judged. Row L2-02. */
void judge_l2_requests(struct check *c, uint32_t cpu, double bytes, double kept, double all, double few);
