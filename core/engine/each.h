/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/each.h: runs the function of a check's row: once, for each L3 domain, or for uncore boxes. */
#pragma once
#include "core/check/check.h"

/* After row->ready(), one of these:
 *   run          once
 *   run_domain   for every domain in which behaviour can be judged, each cluster of a clustered L3 a domain of its own
 *                (core/domain/cluster.h)
 *   run_cat      the same, with what checks of capacity masks start from (core/experiment/cat_context.h)
 *   run_qm       for every L3 as it is enumerated, where one without a processor that takes work is an ERROR
 *   run_session  once, for all uncore boxes of wanted units (core/uncore/pmon_session.h)
 *
 * Domains of different L3s, or pairs of different L3s (row->partner), are measured
 * at once (core/engine/coroutine.h), as many as get the memory that one alone would, and their results stand in the order
 * of domains. One that the lost processor of another cut short is measured again. Domains that cannot be judged
 * are noted, and where none can, the check is SKIP with the first reason. A status other than ST_OK and ST_ABSENT is
 * concluded for its domain, and the others follow. Working memory and what the check allocated are given back after each
 * domain. */
void check_run(struct check *c);
