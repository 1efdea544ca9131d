/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/rmids/rmid_peers.h: bandwidth of each RMID against that of the others under the same load.
 *
 * What a part adds to every count alike (page walks, code, errata GNR12 and SRF42) cancels out, so that one RMID that
 * is off by little shows. RMIDs that differ from the median in the series by half a count or more are suspects; they
 * are measured again together with RMIDs that are none, by loads PEERS_TIMES as long, and those that still differ
 * PEERS_RUNS times, in another order and on other memory each time. RMIDs on both sides of an erratum's threshold are
 * no peers.
 */
#pragma once
#include "core/rmids/rmid_series.h"

#define PEERS          8u /* that suspects are compared with; RMIDs of which there are fewer are not compared */
#define PEERS_TIMES    4u
#define PEERS_RUNS     5u
#define PEERS_SUSPECTS 256u /* measured again, of each side of an erratum's threshold */

/* After rmid_series_measure() and rmid_series_again(): a WARN for each RMID that stays off, of up to
 * RMID_SERIES_NAMED, and what a PASS excludes. names: of the ratios, by event. Errors: those of
 * rmid_series_measure(). */
MUST_CHECK enum status rmid_peers_judge(struct rmid_series *s, const char *const *names);
