/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/mbm_elsewhere.h: the RMID that counts what those under which bytes moved lack. */
#pragma once
#include "core/experiment/experiment.h"

/* After experiment_measure() of readings of one domain's MBM, which lack missing_share of what the loads move: *elsewhere
 * is whether half or more of it is counted under RMIDs that are not read, in one more run of the loads, and *gained then
 * the one that has most of it. Processors beside the load have RMID 0, which is left out if `but_0`. Other
 * than ST_OK: check_unmeasured() has said why. */
MUST_CHECK enum status mbm_find_elsewhere(const struct experiment *e, double missing_share, bool but_0,
                                          uint32_t *gained, bool *elsewhere);
