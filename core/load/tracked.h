/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/load/tracked.h: an RMID whose bandwidth is to be counted from now on.
 *
 * AMD counts the bandwidth of a limited number of RMIDs and returns Unavailable for the others. An RMID that comes to a
 * processor is counted from then on, in the place of another, from 0, and its first read is Unavailable (Linux
 * 15292f1b4c55). An experiment that subtracts two reads wants it counted before the first of them.
 */
#pragma once
#include "core/domain/domains.h"

/* On AMD the RMID comes to a processor of the domain for a moment, and its event is read until it is available. Then,
 * on every part, what it moved before is given time to be counted. ST_ABSENT: it stays Unavailable, and check_absent()
 * has the reason. Other errors: check_unmeasured() has it. */
MUST_CHECK enum status tracked_bring(struct check *c, uint32_t cpu, uint32_t rmid, enum qm_event event);
