/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/amd/amd_counters.h: what an assigned bandwidth counter of AMD's said before and after it got another
 * RMID. */
#pragma once
#include "core/check/check.h"

struct assigned_counts {
    uint32_t rmids[2]; /* the one that read, and the idle one that the counter was assigned to then */
    double read;       /* bytes that the first one read while the counter was its own              */
    double counted;    /* bytes that the counter said thereafter                                   */
    double begins;     /* bytes that it said at once when it was assigned to the second            */
};

/* Two measurements of counter 0 of an L3, with a warning where it did not count what was read, or else kept the count
 * of the RMID before. read must not be 0. Source: APM vol. 2 19.3.3.3; row AM-05. */
void judge_assigned_counts(struct check *c, uint32_t domain, const struct assigned_counts *a);
