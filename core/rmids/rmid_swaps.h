/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/rmids/rmid_swaps.h: RMIDs whose counts are each other's.
 *
 * Loads of one size under every RMID show none: what counts under RMID b for RMID a is as much as its own. So each RMID
 * of a run has a load of another size, as far as 8 % and the rounding of a count tell sizes apart (an eighth of a
 * piece), and where there are more RMIDs than sizes the loads are run again with other sizes, so that two RMIDs of a
 * run differ in one of these runs. RMIDs of different runs show in each one: what does not run counts
 * nothing. */
#pragma once
#include "core/rmids/rmid_series.h"

/* After rmid_series_measure() and all that judges its ratios, which are lost. A pair of which each counts the other's
 * bytes, by events[0] and twice, is a finding (SDM vol. 3B 17.16.1: each RMID has counts of its own). Errors: those of
 * rmid_series_measure(). */
MUST_CHECK enum status rmid_swaps_judge(struct rmid_series *s);
